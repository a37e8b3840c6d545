/*
 * remarks.c - what anybody sees in the curves of a healthy run and asks about. Facts, never advice.
 *
 *      The start took 16 s (16:41:22–16:41:38), the end 4 s.
 *      GPU busy dipped 4 times, every 2 min 22 s, for about 9 s each: 65 % instead of 97 %, 0.2 GPU-min in all, too little
 *      to count as lost.
 *
 *      GPU busy, the mean of all 8, dipped 197 times, mostly every 10 min for about 12 s, the longest for 40 s: ...
 *
 * A dip is a stretch of the work in which busy, the mean over the GPUs, is less than usual. Other than the phase of that name it needs
 * neither to be deep nor to come back. What a finding is about is not told again; of a run that is not healthy the findings tell. Where a
 * log has a hole, or does not know a GPU's busy, there is neither a dip nor the work between two.
 */
#include "report/report_parts.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define EDGE_LEAST_SHARE 0.005 /* of the run: three of the 536 units that a panel is wide; less is not seen */
#define LEAST_KNOWN 0.95 /* of the GPUs' time: where one has no row, the mean of the others is another one */
#define DIP_SHARE 0.85 /* of the median: own definition. It is far out of what healthy recordings jitter by, and clear to see in a panel */
#define RARE_SHARE 0.1 /* of the work is in dips at most: else less busy is as usual as busy */
#define MANY_DIPS 3 /* so many come once a minute at most, or that is how the work goes */
#define ALIKE_LENGTH 1.5 /* the longest by the shortest, and two rows */
#define OFF_RHYTHM 0.1 /* of the median step, and two rows: so far from each other may steps be that are told as one */
#define MOSTLY 0.9 /* own definition: of so many dips or steps it is told, "mostly", though others are not like them */
#define MOSTLY_LEAST 10 /* of fewer nine tenths are all of them */

struct dips {
	struct spans when;
	time_ms row;  /* from one row of the coarsest log to the next, but a second at least */
	double usual, low; /* percent: median of the work, mean in the dips */
	double hours; /* GPU time that is missing there */
};

/* ------ the start and the end ------ */

static bool is_phase_of(const struct run *run, size_t i, unsigned mask)
{
	return mask & 1U << run->phases[i].phase;
}

static struct span start_of(const struct run *run)
{
	struct span s = { run->span.begin, run->span.begin };

	for (size_t i = 0; i < run->n_phases && is_phase_of(run, i, 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP); i++)
		s.end = run->phases[i].span.end;
	return s;
}

static struct span end_of(const struct run *run)
{
	struct span s = { run->span.end, run->span.end };

	for (size_t i = run->n_phases; i-- > 0 && is_phase_of(run, i, 1U << PHASE_TAIL);)
		s.begin = run->phases[i].span.begin;
	return s;
}

static bool is_seen(const struct run *run, struct span edge)
{
	return (double)span_length(edge) >= EDGE_LEAST_SHARE * (double)span_length(run->span);
}

static const char *length_text(struct build *b, time_ms length)
{
	return duration_text(b->mem, (double)length / SECOND_MS);
}

static void tell_edge(struct build *b, const char *kind, struct span edge)
{
	if (!is_seen(b->run, edge))
		return;
	b->report->remarks[b->report->n_remarks++] = (struct remark){
		.kind = kind,
		.text = arena_print(b->mem, "The %s took %s (%s).", kind, length_text(b, span_length(edge)),
			card_window_text(b->mem, b->run, edge)),
		.begin = edge.begin,
		.end = edge.end,
		.count = 1,
		.seconds = (double)span_length(edge) / SECOND_MS,
		.period_seconds = NAN,
		.gpu_hours = NAN,
	};
}

/* ------ dips ------ */

#define LEVELS 1000

/* The median of what is known, to a tenth of a percent; 0: nothing is. */
static double usual_level(const struct work_line *line)
{
	size_t bins[LEVELS + 1] = { 0 }, n = 0, below = 0;

	for (size_t i = 0; i < line->n; i++)
		if (!isnan(line->at[i])) {
			bins[(size_t)(line->at[i] / 100)]++; /* thousandths of percent */
			n++;
		}
	for (size_t bin = 0; bin <= LEVELS && n; bin++)
		if (2 * (below += bins[bin]) >= n)
			return (double)bin / 10;
	return 0;
}

static double sum_of(const struct work_line *line, size_t begin, size_t end)
{
	double sum = 0;

	for (size_t i = begin; i < end; i++)
		sum += line->at[i] / 1000;
	return sum;
}

static struct span cells_span(const struct work_line *line, size_t begin, size_t end)
{
	return (struct span){ line->span.begin + (time_ms)begin * line->cell, line->span.begin + (time_ms)end * line->cell };
}

/* Those that are whole and long enough; the sum of busy in them goes to d->low. Returns how many cells are low, in others, too. */
static size_t collect_dips(struct arena *scratch, const struct work_line *line, struct dips *d)
{
	struct span *when = NEW_ARRAY(scratch, struct span, line->n / 3 + 1); /* two cells each, and one between */
	struct low_stretch low;
	size_t n_cells = 0;

	d->when.at = when;
	for (size_t from = 0; work_line_low(line, DIP_SHARE * d->usual * 1000, from, &low); from = low.end + 1) {
		n_cells += low.end - low.begin;
		if (!low.is_dip)
			continue;
		when[d->when.n++] = cells_span(line, low.begin, low.end);
		d->low += sum_of(line, low.begin, low.end);
	}
	return n_cells;
}

static size_t known_cells(const struct work_line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < line->n; i++)
		n += isnan(line->at[i]) ? 0 : 1;
	return n;
}

/* In the time from the first work to the last; none where busy is as often low as that. */
static struct dips dips_in(struct build *b, struct arena *scratch, const struct work_line *line)
{
	struct dips d = { .row = line->cell, .usual = usual_level(line) };
	const size_t n_low = d.usual > 0 ? collect_dips(scratch, line, &d) : 0, n_known = known_cells(line);
	const bool are_rare = (double)n_low <= RARE_SHARE * (double)n_known;
	const bool are_few = d.when.n < MANY_DIPS || (time_ms)d.when.n * MINUTE_MS <= (time_ms)n_known * line->cell;
	const double length = (double)spans_length(d.when);

	if (!d.when.n || !are_rare || !are_few)
		return (struct dips){ .when = { NULL, 0 } };
	d.when = spans_of(b->mem, d.when.at, d.when.n);
	d.low /= length / (double)line->cell;
	d.hours = (1 - d.low / d.usual) * length / HOUR_MS * (double)b->run->n_gpus;
	return d;
}

static bool are_enough(size_t some, size_t all)
{
	return some == all || (all >= MOSTLY_LEAST && (double)some >= MOSTLY * (double)all);
}

/* The most that are no further apart than `apart` times the least of them and two rows; they are moved to the begin. */
static size_t keep_alike(time_ms *sorted, size_t n, double apart, time_ms row)
{
	size_t first = 0, most = 0;

	for (size_t i = 0, end = 0; i < n; i++) {
		while (end < n && (double)sorted[end] <= apart * (double)sorted[i] + 2 * (double)row)
			end++;
		first = end - i > most ? i : first;
		most = end - i > most ? end - i : most;
	}
	memmove(sorted, sorted + first, most * sizeof *sorted);
	return most;
}

/* How long dips are, those that are alike: nearly all of them, or `n` is 0. */
struct lengths {
	size_t n;
	time_ms shortest, usual, longest;
	time_ms least, most; /* of all */
};

static struct lengths lengths_of(struct build *b, const struct dips *d)
{
	const size_t n = d->when.n;
	time_ms *lengths = NEW_ARRAY(b->mem, time_ms, n);

	for (size_t i = 0; i < n; i++)
		lengths[i] = span_length(d->when.at[i]);
	times_sort(lengths, n);
	struct lengths found = { .least = lengths[0], .most = lengths[n - 1] };
	const size_t n_alike = keep_alike(lengths, n, ALIKE_LENGTH, d->row);
	if (!are_enough(n_alike, n))
		return found;
	found.n = n_alike;
	found.shortest = lengths[0];
	found.usual = lengths[(n_alike - 1) / 2];
	found.longest = lengths[n_alike - 1];
	return found;
}

/* From one begin to the next, of dips that are alike, or of all where these are too few; `always`: each step is like that. */
struct rhythm {
	time_ms period; /* the median step; 0: there is no rhythm, or too few to tell */
	bool always;
};

static struct rhythm rhythm_of(struct build *b, const struct dips *d, const struct lengths *alike)
{
	time_ms *steps = NEW_ARRAY(b->mem, time_ms, d->when.n), before = 0;
	size_t n = 0;

	for (size_t i = 0, seen = 0; i < d->when.n; i++) {
		const time_ms length = span_length(d->when.at[i]);
		if (alike->n && (length < alike->shortest || length > alike->longest))
			continue;
		if (seen++)
			steps[n++] = d->when.at[i].begin - before;
		before = d->when.at[i].begin;
	}
	if (n + 1 < MANY_DIPS)
		return (struct rhythm){ 0, false };
	times_sort(steps, n);
	const time_ms usual = steps[(n - 1) / 2];
	size_t n_usual = 0;
	for (size_t i = 0; i < n; i++)
		n_usual += (double)llabs(steps[i] - usual) <= OFF_RHYTHM * (double)usual / 2 + (double)d->row;
	const bool always = (double)(steps[n - 1] - steps[0]) <= OFF_RHYTHM * (double)usual + 2 * (double)d->row;
	return (struct rhythm){ always || are_enough(n_usual, n) ? usual : 0, always && (!alike->n || alike->n == d->when.n) };
}

/* ", for 9 s", ", for about 9 s each", " for about 9 s, the longest for 40 s", ", the shortest for 4 s, the longest for 40 s" */
static const char *how_long(struct build *b, const struct dips *d, const struct lengths *l, bool mostly)
{
	if (d->when.n == 1)
		return arena_print(b->mem, " for %s", length_text(b, l->usual));
	if (!l->n)
		return arena_print(b->mem, ", the shortest for %s, the longest for %s", length_text(b, l->least), length_text(b, l->most));
	if (!mostly)
		return arena_print(b->mem, ", for about %s each", length_text(b, l->usual));
	const char *const longest = l->most > l->longest ? arena_print(b->mem, ", the longest for %s", length_text(b, l->most)) : "";
	return arena_print(b->mem, " for about %s%s", length_text(b, l->usual), longest);
}

/*
 * "once (16:43:52–16:44:01) for 9 s", "twice, for about 9 s each", "4 times, every 2 min 22 s, for about 9 s each",
 * "197 times, mostly every 10 min for about 12 s"
 */
static const char *how_often(struct build *b, const struct dips *d, const struct lengths *l, struct rhythm rhythm)
{
	const bool mostly = (l->n && l->n < d->when.n) || (rhythm.period && !rhythm.always);
	const char *const how = how_long(b, d, l, mostly);

	if (d->when.n == 1)
		return arena_print(b->mem, "once (%s)%s", card_window_text(b->mem, b->run, d->when.at[0]), how);
	const char *const times = d->when.n == 2 ? "twice" : arena_print(b->mem, "%zu times", d->when.n);
	const char *const every = rhythm.period ? arena_print(b->mem, " every %s", length_text(b, rhythm.period)) : "";
	return arena_print(b->mem, "%s%s%s%s", times, mostly ? ", mostly" : *every ? "," : "", every, how);
}

static const char *percents_text(struct build *b, double value)
{
	return quantity_text(b->mem, (struct quantity){ value, UNIT_PERCENT });
}

/* What rounds to nothing is less than the last digit. */
static const char *missing_text(struct build *b, double hours)
{
	const double least = b->unit.decimals ? 0.1 : 1;

	if (gpu_time_shown(b->unit, hours) > 0)
		return gpu_time_text(b->mem, b->unit, hours);
	return arena_print(b->mem, "less than %s", gpu_time_text(b->mem, b->unit, least / b->unit.per_hour));
}

static void tell_dips(struct build *b)
{
	const struct spans work = run_phases(b->mem, b->run, 1U << PHASE_STEADY | 1U << PHASE_DIP);
	struct dips d = { .when = { NULL, 0 } };
	struct work_line line;
	struct arena scratch;

	arena_init(&scratch);
	if (run_work_line(&scratch, b->run, work, METRIC_GPU_UTIL, LEAST_KNOWN, &line))
		d = dips_in(b, &scratch, &line);
	arena_release(&scratch);
	if (!d.when.n)
		return;
	const char *const who = b->run->n_gpus == 1 ? "GPU busy" : arena_print(b->mem, "GPU busy, the mean of all %zu,", b->run->n_gpus);
	const struct lengths lengths = lengths_of(b, &d);
	const struct rhythm rhythm = rhythm_of(b, &d, &lengths);
	b->report->remarks[b->report->n_remarks++] = (struct remark){
		.kind = "dips",
		.text = arena_print(b->mem, "%s dipped %s: %s instead of %s, %s in all, %s.", who,
			how_often(b, &d, &lengths, rhythm), percents_text(b, d.low), percents_text(b, d.usual), missing_text(b, d.hours),
			d.hours < HEALTHY_LOSS * b->total_hours ? "too little to count as lost" : "not counted as lost"),
		.begin = d.when.at[0].begin,
		.end = d.when.at[d.when.n - 1].end,
		.count = d.when.n,
		.seconds = (double)spans_length(d.when) / SECOND_MS,
		.period_seconds = rhythm.period ? (double)rhythm.period / SECOND_MS : NAN,
		.gpu_hours = d.hours,
	};
}

/* ------ */

/* Does a finding, or one that is kept back, look at this? Then it tells of it. */
static bool is_told(const struct build *b, enum metric metric)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		if (rule_needs(b->drafts[i].rule, metric))
			return true;
	return false;
}

/* One that prices what is missing, or that looks at busy and nothing else. A hole in busy, or full load, is another matter. */
static bool is_about_busy(const struct rule *rule)
{
	return !rule->about_holes && (rule->cost || (rule->n_metrics == 1 && rule->metrics[0] == METRIC_GPU_UTIL));
}

static bool is_busy_told(const struct build *b)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		if (is_about_busy(b->drafts[i].rule))
			return true;
	return is_told(b, METRIC_RUN_DIP);
}

#define MOST_REMARKS 3

void build_remarks(struct build *b)
{
	struct report *r = b->report;

	r->remarks = NEW_ARRAY(b->mem, struct remark, MOST_REMARKS);
	if (!r->healthy && !r->is_too_little_work)
		return;
	if (!is_told(b, METRIC_RUN_START))
		tell_edge(b, "start", start_of(b->run));
	if (!is_told(b, METRIC_RUN_TAIL))
		tell_edge(b, "end", end_of(b->run));
	if (!is_busy_told(b))
		tell_dips(b);
	for (size_t i = 0; i < r->n_remarks; i++)
		r->remarks_text = i ? arena_print(b->mem, "%s %s", r->remarks_text, r->remarks[i].text) : r->remarks[i].text;
}
