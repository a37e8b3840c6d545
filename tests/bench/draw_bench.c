/*
 * draw_bench.c - what it costs to draw every picture of a large run.
 *
 *     draw_bench [DAYS [STEP]]     what `make bench` does
 *
 * 64 GPUs for DAYS (3 without it), looked at each STEP seconds (30: 550,000 rows), made by large_run.h, judged once by the rules that
 * are built in and told with --all. Then all its pictures are drawn in the light theme, and the same as SVG and as PDF. Each measurement is made in a
 * process of its own, so that its peak of memory is that of drawing. What to compare between machines are the ratios to the floor, one
 * plain pass that adds up the values that are in memory, and to a page that is encoded as PNG.
 */
#include "bench/cost.h"
#include "bench/large_run.h"
#include "chart/chart.h"
#include "chart/png.h"
#include "cmd/rule_files.h"
#include "report/report.h"

#include <math.h>
#include <stdint.h>

#define LIMIT_SECONDS 1.0 /* the promise, of all pictures of 64 GPUs x 3 days; here of one core, which neighbours disturb least */
#define LIMIT_MIB 100.0
#define SCALE 2
#define PAGE_PIXELS 1400
#define MAX_BYTES ((size_t)64 << 20)

struct drawing {
	const struct run *run;
	const struct report *report;
};

static size_t add_up(const void *context)
{
	return add_all_values(((const struct drawing *)context)->run);
}

static struct pixels page_pixels(void *at, size_t top)
{
	return (struct pixels){ (uint32_t *)at + top * PAGE_PIXELS, PAGE_PIXELS, PAGE_PIXELS - top, PAGE_PIXELS };
}

/* A page of boxes on a plain ground, which is what a picture is to whoever packs it. */
static size_t encode_page(const void *context)
{
	uint32_t *const at = calloc((size_t)PAGE_PIXELS * PAGE_PIXELS, sizeof *at);
	struct arena mem;
	struct buf png;

	(void)context;
	arena_init(&mem);
	buf_init(&png, MAX_BYTES);
	for (size_t y = 0; at && y < PAGE_PIXELS; y++)
		for (size_t x = 0; x < PAGE_PIXELS; x++)
			at[y * PAGE_PIXELS + x] = x % 97 < 60 && y % 53 < 30 ? (uint32_t)(x / 97 * 37 + y / 53 * 11) % 200 : 0xffffff;
	if (!at || !png_encode(&mem, &(struct bands){ PAGE_PIXELS, PAGE_PIXELS, page_pixels, at }, SCALE, &(struct png_words){ 0 }, &png))
		exit(1);
	const size_t n = png.n;
	buf_release(&png);
	arena_release(&mem);
	free(at);
	return n;
}

static size_t draw(const struct report *report, enum chart_kind kind)
{
	struct chart_order *const orders = calloc(report->n_charts, sizeof *orders);
	struct buf *const bufs = calloc(report->n_charts, sizeof *bufs);
	const size_t n = kind == CHART_PDF ? 1 : report->n_charts;
	size_t n_bytes = 0;

	for (size_t i = 0; i < n; i++) {
		buf_init(&bufs[i], MAX_BYTES);
		orders[i] = (struct chart_order){ kind, report->charts[i].file, { THEME_LIGHT, SCALE }, &bufs[i], false };
	}
	charts_draw(report, orders, n, NULL);
	for (size_t i = 0; i < n; i++) {
		if (!orders[i].good) {
			fprintf(stderr, "draw_bench: %s could not be drawn\n", report->charts[i].file);
			exit(1);
		}
		n_bytes += bufs[i].n;
		buf_release(&bufs[i]);
	}
	free(bufs);
	free(orders);
	return n_bytes;
}

static size_t draw_png(const void *context)
{
	return draw(((const struct drawing *)context)->report, CHART_PNG);
}

static size_t draw_svg(const void *context)
{
	return draw(((const struct drawing *)context)->report, CHART_SVG);
}

static size_t draw_pdf(const void *context)
{
	return draw(((const struct drawing *)context)->report, CHART_PDF);
}

/* density.png is for more than 512 GPUs; here it is drawn as well. */
static void add_density(struct arena *mem, struct report *report)
{
	struct panel *const panel = NEW(mem, struct panel);
	struct report_chart *const charts = NEW_ARRAY(mem, struct report_chart, report->n_charts + 1);

	*panel = report->heatmap.panels[0];
	panel->kind = PANEL_DENSITY;
	report->density = (struct figure){ .span = report->heatmap.span, .panels = panel, .n_panels = 1, .title = "Density" };
	memcpy(charts, report->charts, report->n_charts * sizeof *charts);
	charts[report->n_charts] = (struct report_chart){ .file = "density.png", .title = "Density" };
	report->charts = charts;
	report->n_charts++;
}

/* A made run has no log; a report tells of one. */
static void add_log(struct arena *mem, struct run *run)
{
	struct recording *const log = run->recordings[0];
	const struct track *const first = run->tracks[0];

	log->format = format_table[0];
	log->digest = log->why = "made";
	log->n_channels = 1;
	log->channels = NEW(mem, struct channel);
	log->channels[0] = (struct channel){ .entity = *first->entity, .n_rows = first->n, .step = first->step,
		.times = packed_from(mem, first->times, first->n, true) };
}

static struct report *report_on(struct arena *mem, struct run *run, struct diags *diags)
{
	const struct rules *const rules = load_rules(mem, &(struct options){ .mem = mem }, diags);

	if (!rules)
		exit(1);
	add_log(mem, run);
	derive_metrics(run);
	struct report *const report = report_build(run, rules, rules_judge(rules, run), &(struct report_options){
		.all = true, .command = "postrun report bench", .chart_files = chart_files, .n_chart_files = n_charts });
	add_density(mem, report);
	return report;
}

static void show(const char *what, struct cost c, struct cost floor, struct cost page)
{
	printf("%-36s %7.3f s %7.3f s %8.1f %8.1f %9.1f %9zu\n", what, c.wall, c.cpu, c.cpu / floor.cpu, c.cpu / page.cpu, c.bytes / 1048576,
		c.result / 1024);
}

static void measure(double days, size_t step, int rounds)
{
	struct cost floor = { 0 }, page = { 0 }, png = { 0 }, svg = { 0 }, pdf = { 0 };
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	struct run *const run = draw_run(&mem, (size_t)(days * 86400), step, LARGE_RUN_METRICS, &diags);
	const struct drawing d = { run, report_on(&mem, run, &diags) };
	for (int i = 0; i < rounds; i++) {
		keep_least(&floor, cost_of(add_up, &d));
		keep_least(&page, cost_of(encode_page, &d));
		keep_least(&png, cost_of(draw_png, &d));
		keep_least(&svg, cost_of(draw_svg, &d));
		keep_least(&pdf, cost_of(draw_pdf, &d));
	}
	floor.result = 0;
	printf("%d GPUs x %.2f days each %zu s: %zu tracks, %.0f MiB, %zu findings, %zu pictures; least of %d\n", N_GPUS, days, step,
		run->n_tracks, (double)track_bytes(run) / 1048576, d.report->n_findings, d.report->n_charts, rounds);
	printf("%-36s %9s %9s %8s %8s %9s %9s\n", "", "wall", "CPU", "x floor", "x page", "MiB more", "KiB out");
	show("floor: one pass that adds up all values", floor, floor, page);
	show("page: 1400 x 1400 pixels as PNG", page, floor, page);
	show("pictures as PNG", png, floor, page);
	show("pictures as SVG", svg, floor, page);
	show("pictures as PDF", pdf, floor, page);
	tell_bar("seconds to draw all pictures", png.cpu, LIMIT_SECONDS);
	tell_bar("MiB to draw all pictures", fmax(png.bytes, fmax(svg.bytes, pdf.bytes)) / 1048576, LIMIT_MIB);
	diags_release(&diags);
	arena_release(&mem);
}

int main(int argc, char **argv)
{
	const double days = number_of(argc > 1 ? argv[1] : NULL, 3);
	const int rounds = (int)number_of(getenv("ROUNDS"), 3);
	const size_t step = (size_t)number_of(argc > 2 ? argv[2] : NULL, 30);

	measure(days, step, rounds);
	return 0;
}
