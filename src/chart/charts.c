/* charts.c - which pictures there are, and how each becomes a file: measure, draw, encode. */
#include "chart/charts.h"
#include "base/number.h"
#include "base/workers.h"
#include "chart/png.h"
#include "chart/svg.h"
#include <math.h>

static const struct chart_row {
	const char *file;
	double (*draw)(const struct page *p);
} rows[] = {
#define CHART(file, draw) { file, draw },
#include "chart/charts.def"
#undef CHART
};

const char *const chart_files[] = {
#define CHART(file, draw) file,
#include "chart/charts.def"
#undef CHART
};
const size_t n_charts = sizeof chart_files / sizeof *chart_files;

static const struct chart_row *row_find(const char *file)
{
	for (size_t i = 0; i < n_charts; i++)
		if (strcmp(rows[i].file, file) == 0)
			return &rows[i];
	return NULL;
}

static bool is_drawable(const struct figure *figure)
{
	return figure->n_panels > 0 && figure->span.end > figure->span.begin;
}

static double height_of(const struct chart_row *row, const struct page *p)
{
	struct page trial = *p;
	trial.canvas = canvas_text_new(p->mem, p->canvas->font, NULL);
	trial.measuring = true;
	return row->draw(&trial);
}

static void draw_on(const struct chart_row *row, const struct page *p, double height)
{
	p->canvas->part = "page";
	page_box(p, 0, 0, PAGE_WIDTH, height, HUE_PAGE);
	row->draw(p);
}

static struct page page_new(struct arena *mem, const struct report *report, struct shared *shared, const struct chart_options *options)
{
	return (struct page){
		.canvas = canvas_text_new(mem, shared_font(shared), NULL),
		.theme = &theme_table[options->theme],
		.report = report,
		.shared = shared,
		.mem = mem,
	};
}

/* Names of logs may hold any bytes; words inside of pictures are UTF-8. */
static const char *printable(struct arena *mem, const char *text)
{
	char *const copy = arena_print(mem, "%s", text ? text : "");
	text_make_printable(copy);
	return text ? copy : NULL;
}

/* "gpu.csv xxh128:a945…; vmstat.txt xxh128:3652…": which logs a picture is of, wherever it ends up. */
static const char *sources_text(struct arena *mem, const struct report *report)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; i < report->n_sources; i++)
		buf_print(&text, "%s%s %s", i ? "; " : "", report->sources[i].name, report->sources[i].digest);
	const char *const all = buf_kept(mem, &text);
	return *all ? all : NULL;
}

static struct png_words words_of_report(struct arena *mem, const struct report *report, const char *file)
{
	struct png_words words = {
		.title = report->verdict.sentence,
		.software = arena_print(mem, "%s %s", report->program.name, report->program.version),
		.source = printable(mem, sources_text(mem, report)),
	};
	for (size_t i = 0; i < report->n_charts; i++)
		if (strcmp(report->charts[i].file, file) == 0) {
			words.title = report->charts[i].title;
			words.description = report->charts[i].alt;
		}
	words.title = printable(mem, words.title);
	words.description = printable(mem, words.description);
	return words;
}

static struct png_words words_of_fleet(struct arena *mem, const struct fleet_told *fleet)
{
	return (struct png_words){
		.title = printable(mem, fleet->title),
		.description = printable(mem, fleet->alt),
		.software = fleet->program,
	};
}

static struct png_words words_of(const struct page *p, const char *file)
{
	if (p->fleet)
		return words_of_fleet(p->mem, p->fleet);
	if (!p->report)
		BUG("a picture of nothing");
	return words_of_report(p->mem, p->report, file);
}

/* The last row of pixels is all of the page, also where the page ends inside of it: nothing else clears them. */
static double whole_pixels(double height, int scale)
{
	return ceil(height * scale) / scale;
}

/* Half of what a core has near it. A whole picture is 9 MB: the kernel would have to clear them, and each stroke to fetch them anew. */
#define BAND_BYTES ((size_t)1 << 20)

/* A PNG of which the pixels are no longer needed, and that is still to be packed. */
struct unpacked {
	struct png *png; /* NULL: it could not be drawn */
	bool good;
};

static struct unpacked draw_png(struct page *p, const struct chart_row *row, int scale, struct arena *kept, struct buf *png)
{
	const double height = height_of(row, p);
	const struct png_words words = words_of(p, row->file);
	const struct paper paper = { PAGE_WIDTH, height, scale, BAND_BYTES };
	p->canvas = canvas_replay_new(p->mem, p->canvas->font);
	draw_on(row, p, whole_pixels(height, scale));
	struct canvas *const pixels = canvas_cairo_new(p->mem, p->canvas->font, shared_letters(p->shared), p->canvas, &paper);
	const struct bands bands = canvas_cairo_bands(pixels);
	struct unpacked drawn = { .png = png_begin(kept, &bands, scale, &words, png) };
	drawn.good = canvas_cairo_release(pixels);
	return drawn;
}

static bool pack_png(struct arena *scratch, struct unpacked drawn)
{
	const bool packed = drawn.png && png_end(scratch, drawn.png);
	return packed && drawn.good;
}

static bool write_png(struct page *p, const struct chart_row *row, int scale, struct buf *png)
{
	return pack_png(p->mem, draw_png(p, row, scale, p->mem, png));
}

static bool write_svg(struct page *p, const struct chart_row *row, int scale, struct buf *out)
{
	const double height = height_of(row, p);
	const struct png_words words = words_of(p, row->file);
	struct svg svg;
	svg_begin(&svg, out, words.title, words.description);
	p->canvas = canvas_svg_new(p->mem, p->canvas->font, shared_letters(p->shared), PAGE_WIDTH, height, &svg);
	draw_on(row, p, height);
	const bool ok = canvas_cairo_release(p->canvas);
	svg_end(&svg);
	(void)scale;
	return ok;
}

/* A picture of usual height is an A4 page with room below; a higher one is a longer page. */
static void write_sheet(struct page *p, struct canvas *pdf, const struct chart_row *row)
{
	p->file = row->file;
	const double height = fmax(height_of(row, p), PAGE_WIDTH * sqrt(2));
	canvas_pdf_page(pdf, PAGE_WIDTH, height);
	p->canvas = pdf;
	draw_on(row, p, height);
	canvas_pdf_page_end(pdf);
}

static bool write_list(struct page *p, const struct chart_row *row, int scale, struct buf *list)
{
	const double height = height_of(row, p);
	buf_print(list, "page %d %d\n", (int)PAGE_WIDTH, (int)height);
	p->canvas = canvas_text_new(p->mem, p->canvas->font, list);
	draw_on(row, p, height);
	(void)scale;
	return true;
}

static const char *const hue_names[] = {
#define COLOUR(id, light, light_alpha, dark, dark_alpha) #id,
#include "chart/colours.def"
#undef COLOUR
};

static bool write_scene(struct page *p, const struct chart_row *row, int scale, struct buf *scene)
{
	const double height = height_of(row, p);
	char text[64];
	number_print(text, sizeof text, height, 2);
	buf_print(scene, "{\"file\": \"%s\", \"width\": %d, \"height\": %s, \"colours\": {", row->file, (int)PAGE_WIDTH, text);
	for (size_t i = 0; i < N_HUES; i++)
		buf_print(scene, "%s\"%s\": \"#%06X\"", i ? ", " : "", hue_names[i], (unsigned)p->theme->at[i].rgb);
	buf_text(scene, "}, \"marks\": [");
	p->canvas = canvas_scene_new(p->mem, p->canvas->font, scene);
	draw_on(row, p, height);
	buf_text(scene, "\n]}\n");
	(void)scale;
	return true;
}

static const struct chart_row *row_for(const struct report *report, const char *file)
{
	const struct figure *const figure = report_figure(report, file);
	return figure && is_drawable(figure) ? row_find(file) : NULL;
}

typedef bool chart_writer(struct page *p, const struct chart_row *row, int scale, struct buf *out);

/* Nothing is left in `mem` but room for the next. */
static bool write_chart(struct arena *mem, const struct report *report, struct shared *shared, const char *file,
	const struct chart_options *options, chart_writer *write, struct buf *out)
{
	const struct chart_row *const row = row_for(report, file);
	if (!row)
		return false;
	struct page p = page_new(mem, report, shared, options);
	p.file = file;
	const bool ok = write(&p, row, options->scale, out);
	arena_reset(mem);
	return ok && !out->overflow;
}

static bool write_alone(const struct report *report, const char *file, const struct chart_options *options, chart_writer *write,
	struct buf *out)
{
	struct arena mem, of_picture;
	arena_init(&mem);
	arena_init(&of_picture);
	struct shared *const shared = shared_new(&mem);
	const bool ok = write_chart(&of_picture, report, shared, file, options, write, out);
	shared_free(shared);
	arena_release(&of_picture);
	arena_release(&mem);
	return ok;
}

bool chart_png(const struct report *report, const char *file, const struct chart_options *options, struct buf *png)
{
	return write_alone(report, file, options, write_png, png);
}

bool chart_svg(const struct report *report, const char *file, const struct chart_options *options, struct buf *svg)
{
	return write_alone(report, file, options, write_svg, svg);
}

static bool write_pdf(const struct report *report, struct shared *shared, const struct chart_options *options, struct buf *pdf)
{
	struct arena mem;
	bool ok = report->n_charts > 0;
	if (!ok)
		return false;
	arena_init(&mem);
	struct page p = page_new(&mem, report, shared, options);
	const struct png_words words = words_of(&p, report->charts[0].file);
	struct canvas *const document = canvas_pdf_new(&mem, p.canvas->font, shared_letters(shared),
		&(struct pdf_words){ words.title, words.description, words.software }, pdf);
	for (size_t i = 0; i < report->n_charts; i++) {
		const struct chart_row *const row = row_for(report, report->charts[i].file);
		ok &= row != NULL;
		if (row)
			write_sheet(&p, document, row);
	}
	ok &= canvas_cairo_release(document);
	arena_release(&mem);
	return ok && !pdf->overflow;
}

bool chart_pdf(const struct report *report, const struct chart_options *options, struct buf *pdf)
{
	struct arena mem;
	arena_init(&mem);
	struct shared *const shared = shared_new(&mem);
	const bool ok = write_pdf(report, shared, options, pdf);
	shared_free(shared);
	arena_release(&mem);
	return ok;
}

/*
 * A picture that is drawn, or waits to be packed. Each is done in these two steps, by whoever is free: three pictures for two threads
 * would else take as long as four. What is drawn waits while there is more to draw, but not more than one for each thread.
 */
struct easel {
	enum { EASEL_FREE, EASEL_IN_USE, EASEL_DRAWN } state;
	struct chart_order *order;
	struct arena mem; /* for what waits */
	struct unpacked drawn;
};
#define N_EASELS (3 * WORKERS_MAX) /* all that wait, while each thread draws one or packs one */

struct drawing {
	const struct report *report;
	struct shared *shared;
	struct lock *lock; /* over what follows, but for an easel in use */
	struct chart_order *orders;
	size_t n, next, n_waiting, most_waiting;
	const struct chores *chores;
	size_t next_chore;
	struct easel easels[N_EASELS];
	struct arena of_worker[WORKERS_MAX];
};

/* What is to be done next: a picture is drawn or packed on an easel, or else it is a chore. */
struct step {
	enum { STEP_NONE, STEP_DRAW, STEP_PACK, STEP_CHORE } kind; /* none: nothing is left but what others do */
	struct easel *easel;
	size_t chore;
};

static struct easel *easel_taken(struct drawing *d, int state)
{
	for (struct easel *e = d->easels; e < d->easels + N_EASELS; e++)
		if ((int)e->state == state) {
			e->state = EASEL_IN_USE;
			return e;
		}
	BUG("there are too few easels");
}

static struct step step_choose(struct drawing *d)
{
	struct step s = { .kind = STEP_NONE };

	if (d->n_waiting > 0 && (d->next == d->n || d->n_waiting >= d->most_waiting)) {
		s = (struct step){ .kind = STEP_PACK, .easel = easel_taken(d, EASEL_DRAWN) };
		d->n_waiting--;
	} else if (d->next < d->n) {
		s = (struct step){ .kind = STEP_DRAW, .easel = easel_taken(d, EASEL_FREE) };
		s.easel->order = &d->orders[d->next++];
	} else if (d->chores && d->next_chore < d->chores->n) {
		s = (struct step){ .kind = STEP_CHORE, .chore = d->next_chore++ };
	}
	return s;
}

static struct step step_take(struct drawing *d)
{
	lock_take(d->lock);
	const struct step s = step_choose(d);
	lock_give(d->lock);
	return s;
}

static void easel_leave(struct drawing *d, struct easel *e)
{
	const bool waits = e->drawn.png != NULL;

	if (!waits)
		arena_reset(&e->mem);
	lock_take(d->lock);
	e->state = waits ? EASEL_DRAWN : EASEL_FREE;
	d->n_waiting += waits;
	lock_give(d->lock);
}

static void draw_on_easel(const struct drawing *d, struct arena *mem, struct easel *e)
{
	const struct chart_order *const o = e->order;
	const struct chart_row *const row = row_for(d->report, o->file);
	struct page p = page_new(mem, d->report, d->shared, &o->options);

	e->drawn = (struct unpacked){ NULL, false };
	if (!row)
		return;
	p.file = o->file;
	e->drawn = draw_png(&p, row, o->options.scale, &e->mem, o->out);
}

static void order_begin(const struct drawing *d, struct arena *mem, struct easel *e)
{
	struct chart_order *const o = e->order;

	switch (o->kind) {
	case CHART_PNG:
		draw_on_easel(d, mem, e);
		break;
	case CHART_SVG:
		o->good = write_chart(mem, d->report, d->shared, o->file, &o->options, write_svg, o->out);
		break;
	case CHART_PDF:
		o->good = write_pdf(d->report, d->shared, &o->options, o->out);
		break;
	}
}

static void order_end(struct arena *mem, struct easel *e)
{
	e->order->good = pack_png(mem, e->drawn);
	e->drawn = (struct unpacked){ NULL, false };
}

static void steps_do(void *context, size_t worker, size_t job)
{
	struct drawing *const d = context;
	struct arena *const mem = &d->of_worker[worker];

	(void)job;
	for (struct step s; (s = step_take(d)).kind != STEP_NONE;) {
		if (s.kind == STEP_CHORE) {
			d->chores->do_job(d->chores->context, s.chore);
			continue;
		}
		if (s.kind == STEP_DRAW)
			order_begin(d, mem, s.easel);
		else
			order_end(mem, s.easel);
		arena_reset(mem);
		easel_leave(d, s.easel);
	}
}

void charts_draw(const struct report *report, struct chart_order *orders, size_t n, const struct chores *chores)
{
	const size_t n_all = n + (chores ? chores->n : 0);
	struct arena mem;
	if (!n_all)
		return;
	arena_init(&mem);
	struct drawing *const d = NEW(&mem, struct drawing);
	*d = (struct drawing){ .report = report, .lock = lock_new(), .orders = orders, .n = n, .chores = chores };
	d->shared = n ? shared_new(&mem) : NULL;
	d->most_waiting = workers_count(n);
	workers_run(WORKERS_MAX, n_all, steps_do, d);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_release(&d->of_worker[i]);
	for (size_t i = 0; i < N_EASELS; i++)
		arena_release(&d->easels[i].mem);
	lock_free(d->lock);
	if (d->shared)
		shared_free(d->shared);
	arena_release(&mem);
}

bool chart_list(const struct report *report, const char *file, const struct chart_options *options, struct buf *list)
{
	return write_alone(report, file, options, write_list, list);
}

bool chart_scene(const struct report *report, const char *file, const struct chart_options *options, struct buf *scene)
{
	return write_alone(report, file, options, write_scene, scene);
}

/* ------------------------------------------------ many runs */

static bool write_fleet(const struct fleet_told *fleet, const struct chart_options *options, chart_writer *write, struct buf *out)
{
	static const struct chart_row row = { FLEET_CHART, fleet_draw };
	struct arena mem;

	arena_init(&mem);
	struct shared *const shared = shared_new(&mem);
	struct page p = page_new(&mem, NULL, shared, options);
	p.fleet = fleet;
	p.file = row.file;
	const bool ok = write(&p, &row, options->scale, out);
	shared_free(shared);
	arena_release(&mem);
	return ok && !out->overflow;
}

bool chart_fleet_png(const struct fleet_told *fleet, const struct chart_options *options, struct buf *png)
{
	return write_fleet(fleet, options, write_png, png);
}

bool chart_fleet_svg(const struct fleet_told *fleet, const struct chart_options *options, struct buf *svg)
{
	return write_fleet(fleet, options, write_svg, svg);
}

bool chart_fleet_scene(const struct fleet_told *fleet, const struct chart_options *options, struct buf *scene)
{
	return write_fleet(fleet, options, write_scene, scene);
}
