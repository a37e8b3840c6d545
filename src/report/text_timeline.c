/*
 * text_timeline.c - the run in 64 columns of text: GPU busy, CPU busy, where they explain something the slowest clock
 * and the busiest core, then one row a finding.
 */
#include "report/report_parts.h"

#include <math.h>

#define CELLS 64
#define FINDING_ROWS 6

static struct span cell_span(const struct build *b, size_t i)
{
	double width = (double)span_length(b->run->span) / CELLS;

	return (struct span){ b->run->span.begin + (time_ms)(width * (double)i), b->run->span.begin + (time_ms)(width * (double)(i + 1)) };
}

/* Of one track in a cell, which nobody else asks for: NAN where nothing is known. */
static double mean_in(struct build *b, const struct track *t, const struct span *cell, time_ms *known)
{
	return track_fold(b->mem, t, 1, spans_one(cell), FOLD_MEAN, known);
}

/* The mean over the tracks that tell of a cell, 0 to 1 of `full`, as pictures have it; NAN where of half of it or more they don't. */
static struct cells cells_of(struct build *b, const struct track *const *tracks, size_t n, double full)
{
	double *cells = NEW_ARRAY(b->mem, double, CELLS);

	for (size_t i = 0; i < CELLS; i++) {
		struct span cell = cell_span(b, i);
		double sum = 0, known = 0, judged = 0;
		for (size_t k = 0; k < n; k++) {
			time_ms of_track;
			const double mean = mean_in(b, tracks[k], &cell, &of_track);
			sum += of_track ? mean * (double)of_track : 0;
			known += (double)of_track;
			judged += of_track ? (double)span_length(cell) : 0;
		}
		cells[i] = judged > 0 && known * 2 > judged ? sum / known / full : NAN;
	}
	return (struct cells){ cells, CELLS };
}

static void add_gpu_row(struct build *b, struct timeline_row *rows, size_t *n)
{
	const struct track **tracks = NEW_ARRAY(b->mem, const struct track *, b->run->n_gpus);
	size_t n_tracks = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], METRIC_GPU_UTIL);
		if (t)
			tracks[n_tracks++] = t;
	}
	if (n_tracks)
		rows[(*n)++] = (struct timeline_row){ .label = "GPU busy", .cells = cells_of(b, tracks, n_tracks, 100) };
}

/*
 * The lowest clock at work in each cell, as a share of the card's highest: what busy hides. An idle GPU's clock means nothing; where
 * all of them idle there is no clock to tell.
 */
static void add_clock_row(struct build *b, struct timeline_row *rows, size_t *n)
{
	double *slowest = NEW_ARRAY(b->mem, double, CELLS);
	bool known = false;

	for (size_t i = 0; i < CELLS; i++) {
		struct span cell = cell_span(b, i);
		slowest[i] = NAN;
		for (size_t g = 0; g < b->run->n_gpus; g++) {
			const struct track *clock = run_track(b->run, b->run->gpus[g], METRIC_GPU_CLOCK_SHARE);
			const struct track *busy = run_track(b->run, b->run->gpus[g], METRIC_GPU_UTIL);
			time_ms known_for = 0, ignored;
			const double share = clock ? mean_in(b, clock, &cell, &known_for) : NAN;
			if (known_for && (!busy || mean_in(b, busy, &cell, &ignored) > 0))
				slowest[i] = fmin(share / 100, slowest[i]);
		}
		known |= !isnan(slowest[i]);
	}
	if (known)
		rows[(*n)++] = (struct timeline_row){ .label = "slowest clk", .cells = { slowest, CELLS } };
}

static bool is_any_in(const struct window *windows, size_t n, struct span cell)
{
	for (size_t w = 0; w < n; w++)
		if (windows[w].begin < cell.end && windows[w].end > cell.begin)
			return true;
	return false;
}

#define BESIDE_MARK '~' /* not of those for a share of busy */

/* A column is marked where the finding holds for any of it, or cost something beside: short windows must not vanish. */
static const char *finding_digits(struct build *b, const struct finding *f)
{
	char digits[CELLS + 1];
	size_t last = 0;

	for (size_t i = 0; i < CELLS; i++) {
		const struct span cell = cell_span(b, i);
		digits[i] = ' ';
		if (is_any_in(f->windows, f->n_windows, cell))
			digits[i] = (char)('0' + f->number % 10);
		else if (is_any_in(f->windows_beside, f->n_windows_beside, cell))
			digits[i] = BESIDE_MARK;
		if (digits[i] != ' ')
			last = i + 1;
	}
	return arena_text(b->mem, digits, last);
}

/* Steps that clocks are read in, in seconds (visual.md section 5). */
static const int steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800,
	604800, 1209600, 2419200 };

/* Clock labels at round times, at least a label's width apart, with a mark under each. */
static void write_labels(struct build *b)
{
	struct span run = b->run->span;
	double cell = (double)span_length(run) / CELLS;
	char labels[CELLS + 16], ticks[CELLS + 16];
	time_ms step = steps[0] * SECOND_MS;
	size_t end = 0, last_tick = 0;

	for (size_t i = 0; i < sizeof steps / sizeof *steps && (double)step < cell * 10; i++)
		step = steps[i] * SECOND_MS;
	memset(labels, ' ', sizeof labels);
	memset(ticks, ' ', sizeof ticks);
	for (time_ms t = run.begin - run.begin % step; t < run.end; t += step) {
		if (t < run.begin)
			continue;
		size_t at = (size_t)((double)(t - run.begin) / cell);
		struct civil c = civil_from_time(t);
		const char *text = step < MINUTE_MS ? arena_print(b->mem, "%02d:%02d:%02d", c.hour, c.minute, c.second)
				   : step < DAY_MS  ? arena_print(b->mem, "%02d:%02d", c.hour, c.minute)
						    : arena_print(b->mem, "%d %s", c.day, month_names[c.month - 1]);
		if (at + strlen(text) > CELLS)
			break;
		memcpy(labels + at, text, strlen(text));
		ticks[at] = '|';
		last_tick = at + 1;
		end = at + strlen(text);
	}
	b->report->timeline_labels = end ? arena_text(b->mem, labels, end) : NULL;
	b->report->timeline_ticks = arena_text(b->mem, ticks, last_tick);
}

void build_timeline(struct build *b)
{
	struct timeline_row *rows = NEW_ARRAY(b->mem, struct timeline_row, 4 + FINDING_ROWS);
	const struct track *cpu = host_track(b->run, METRIC_CPU_BUSY), *core = busiest_core(b);
	const char *beside = "";
	size_t n = 0;

	if (b->too_short || !span_length(b->run->span))
		return;
	add_gpu_row(b, rows, &n);
	if (cpu)
		rows[n++] = (struct timeline_row){ .label = "CPU busy", .cells = cells_of(b, &cpu, 1, 100) };
	if (core)
		rows[n++] = (struct timeline_row){ .label = "busiest CPU", .cells = cells_of(b, &core, 1, 100) };
	if (is_about_clocks(b))
		add_clock_row(b, rows, &n);
	for (size_t i = 0; i < b->report->n_findings && i < FINDING_ROWS; i++) {
		const struct finding *f = &b->report->findings[i];
		rows[n++] = (struct timeline_row){
			.label = arena_print(b->mem, "finding %zu", f->number),
			.is_finding = true,
			.digits = finding_digits(b, f),
		};
		beside = f->n_windows_beside ? "; ~ also lost by a finding" : beside;
	}
	b->report->timeline = rows;
	b->report->n_timeline = n;
	write_labels(b);
	const char *column = duration_text(b->mem, (double)span_length(b->run->span) / CELLS / SECOND_MS);
	b->report->timeline_legend = arena_print(b->mem, "one column = %s; _ 0-12 %%  .:-=+*  # 88-100 %%  ? no data%s", column, beside);
	b->report->timeline_legend_drawn =
		arena_print(b->mem, "one column = %s; ▁ 0-12 %%  ▂▃▄▅▆▇  █ 88-100 %%  ░ no data%s", column, beside);
}
