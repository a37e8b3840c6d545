/*
 * trial_draw.c - what a failing test looked at: series as little bars, and when the condition held.
 *
 *     gpu.util  10 to 95 %     ██████▁▁▁▁▁▁██████
 *     condition                ──────━━━━━━──────
 *                              0 s          3 min
 *
 * Series that are the same are one line, "gpu.util GPUs 0-4"; of each metric some are always drawn.
 *
 * A bar is the mean of the known time of its column. Of a column in which the condition held for a moment it is shown that
 * it did: a condition that held for one sample of a thousand is what somebody looks for.
 */
#include "rule/trial_parts.h"

#include <math.h>
#include <stdlib.h>

#define COLUMNS 60
#define ROWS_MAX 8 /* of a metric: a rule over 64 cores would fill the screen */
#define HEAD_COLUMNS 36

static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
#define N_BARS (sizeof bars / sizeof *bars)

static struct span column_of(struct span run, int column)
{
	const time_ms length = span_length(run);

	return (struct span){ run.begin + length * column / COLUMNS, run.begin + length * (column + 1) / COLUMNS };
}

static void put_head(struct buf *out, const char *name, const char *range)
{
	const int columns = (int)strlen(name) + slice_columns(slice_of(range));

	buf_print(out, "  %s  %s", name, range);
	buf_fill(out, ' ', columns + 2 < HEAD_COLUMNS ? (size_t)(HEAD_COLUMNS - columns - 2) : 1);
}

static void put_bars(struct arena *scratch, struct buf *out, struct signal s, struct span run, double low, double high)
{
	for (int i = 0; i < COLUMNS; i++) {
		const struct span column = column_of(run, i);
		const double mean = signal_fold(scratch, s, spans_one(&column), FOLD_MEAN);
		const double level = high > low ? (mean - low) / (high - low) * (double)(N_BARS - 1) : (double)(N_BARS / 2);
		buf_text(out, isnan(mean) ? " " : bars[(size_t)(level + 0.5)]);
	}
	buf_char(out, '\n');
}

/* ------ series ------ */

/* A track, and all others of its metric that show the same. */
struct line {
	const struct track *track;
	int *numbers; /* of their GPUs or cores, in order */
	size_t n;
};

static bool is_of_members(const struct entity *e)
{
	return (e->scope == SCOPE_GPU || e->scope == SCOPE_CORE) && e->index >= 0;
}

static bool is_same_series(const struct track *a, const struct track *b)
{
	if (a->metric != b->metric || a->n != b->n || a->step != b->step || strcmp(a->entity->host, b->entity->host) != 0)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (track_time(a, i) != track_time(b, i) || track_value(a, i) != track_value(b, i))
			return false;
	return is_of_members(a->entity) && is_of_members(b->entity);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* "0-2,4" */
static const char *ranges_text(struct arena *scratch, const int *numbers, size_t n)
{
	const char *text = "";

	for (size_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && numbers[last + 1] == numbers[last] + 1;)
			last++;
		text = arena_print(scratch, last > i ? "%s%s%d-%d" : "%s%s%d", text, i > 0 ? "," : "", numbers[i], numbers[last]);
	}
	return text;
}

static const char *line_name(struct arena *scratch, const struct line *line, const struct entity *of)
{
	const struct entity *const e = line->track->entity;
	const char *const name = metric_table[line->track->metric].name;

	if ((e == of && line->n < 2) || e->scope == SCOPE_HOST || e->scope == SCOPE_RUN)
		return name;
	if (line->n < 2)
		return arena_print(scratch, "%s %s", name, entity_label(scratch, e));
	qsort(line->numbers, line->n, sizeof *line->numbers, by_number);
	return arena_print(scratch, "%s %s %s", name, e->scope == SCOPE_GPU ? "GPUs" : "cores",
		ranges_text(scratch, line->numbers, line->n));
}

static void put_series(struct arena *scratch, const struct run *run, const struct entity *of, const struct line *line, struct buf *out)
{
	const struct track *const t = line->track;
	const struct signal s = signal_from_track(scratch, t, run->span);
	const enum unit unit = metric_table[t->metric].unit;
	const double low = signal_fold(scratch, s, spans_one(&run->span), FOLD_MIN);
	const double high = signal_fold(scratch, s, spans_one(&run->span), FOLD_MAX);
	const char *range = "unknown";

	if (low >= high)
		range = quantity_text(scratch, (struct quantity){ low, unit });
	else if (!isnan(low))
		range = arena_print(scratch, "%s to %s", quantity_number(scratch, (struct quantity){ low, unit }),
			quantity_text(scratch, (struct quantity){ high, unit }));
	put_head(out, line_name(scratch, line, of), range);
	put_bars(scratch, out, s, run->span, low, high);
}

/* YES before UNKNOWN before NO: what is rare is what is sought. */
static const char *mark_of(struct truths line, struct span column)
{
	if (truths_length(line, YES, spans_one(&column)) > 0)
		return "━";
	if (truths_length(line, UNKNOWN, spans_one(&column)) > 0)
		return "?";
	return truths_length(line, NO, spans_one(&column)) > 0 ? "─" : " ";
}

static void put_truth(const char *name, struct buf *out, struct truths line, struct span run)
{
	put_head(out, name, "");
	for (int i = 0; i < COLUMNS; i++)
		buf_text(out, line.n ? mark_of(line, column_of(run, i)) : " ");
	buf_char(out, '\n');
}

static void put_times(struct arena *scratch, struct buf *out, time_ms from, time_ms to)
{
	const char *const left = trial_moment_text(scratch, from), *const right = trial_moment_text(scratch, to);
	const char *const middle = trial_moment_text(scratch, from + (to - from) / 2);
	const size_t n_left = strlen(left), n_middle = strlen(middle), n_right = strlen(right);
	const size_t at = COLUMNS / 2 - n_middle / 2;
	const bool fits = n_left < at && at + n_middle + n_right < COLUMNS;

	put_head(out, "", "");
	buf_text(out, left);
	if (fits) {
		buf_fill(out, ' ', at - n_left);
		buf_text(out, middle);
	}
	const size_t used = fits ? at + n_middle : n_left;
	buf_fill(out, ' ', used + n_right < COLUMNS ? COLUMNS - used - n_right : 1);
	buf_print(out, "%s\n", right);
}

static void mark_metrics(struct arena *scratch, const struct rule *rule, bool *looked_at)
{
	const struct expression *const trees[] = { rule->when, rule->clear };
	const struct trial_nodes nodes = trial_nodes_of(scratch, trees, 2);

	for (size_t i = 0; i < nodes.n; i++)
		if (expression_needs_log(nodes.at[i]))
			looked_at[nodes.at[i]->metric] = true;
}

/* Its own, its host's, and those of what it looks across. */
static bool is_seen_by(const struct entity *of, const struct entity *e)
{
	if (!of || of == e || e->scope == SCOPE_RUN)
		return true;
	return strcmp(of->host, e->host) == 0 && e->scope != of->scope;
}

static void add_to_lines(struct arena *scratch, struct line *lines, size_t *n, const struct track *t, size_t n_tracks)
{
	size_t i = 0;

	while (i < *n && !is_same_series(lines[i].track, t))
		i++;
	if (i == *n)
		lines[(*n)++] = (struct line){ .track = t, .numbers = NEW_ARRAY(scratch, int, n_tracks) };
	lines[i].numbers[lines[i].n++] = t->entity->index;
}

static void put_all_series(struct arena *scratch, const struct run *run, const struct verdict *v, struct buf *out)
{
	struct line *const lines = NEW_ARRAY(scratch, struct line, run->n_tracks);
	bool looked_at[N_METRICS] = { false };
	size_t n = 0, n_of[N_METRICS] = { 0 };

	mark_metrics(scratch, v->rule, looked_at);
	for (size_t i = 0; i < run->n_tracks; i++)
		if (looked_at[run->tracks[i]->metric] && is_seen_by(v->entity, run->tracks[i]->entity))
			add_to_lines(scratch, lines, &n, run->tracks[i], run->n_tracks);
	for (size_t i = 0; i < n; i++)
		if (n_of[lines[i].track->metric]++ < ROWS_MAX)
			put_series(scratch, run, v->entity, &lines[i], out);
	for (size_t m = 0; m < N_METRICS; m++)
		if (n_of[m] > ROWS_MAX)
			buf_print(out, "  and %zu more series of %s\n", n_of[m] - ROWS_MAX, metric_table[m].name);
}

void trial_draw(struct arena *scratch, const struct rule_test *test, const struct run *run, const struct verdicts *all,
	const struct verdict *v, struct buf *out)
{
	if (span_length(run->span) <= 0)
		return;
	put_all_series(scratch, run, v, out);
	if (v->outcome != OUTCOME_SKIPPED) {
		const struct explanation why = rule_explain(scratch, run, all, v);
		put_truth("condition", out, why.condition, run->span);
		if (!truths_are_same(why.condition, why.counted))
			put_truth("counted", out, why.counted, run->span);
	}
	put_times(scratch, out, run->span.begin - test->begin, run->span.end - test->begin);
}
