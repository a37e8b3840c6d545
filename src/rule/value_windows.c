/*
 * value_windows.c - folds over windows of time that move: how wide they are, how far they reach, what they see.
 */
#include "rule/value_parts.h"

#include "series/extremes.h"

bool changes_rarely(struct signal s, const struct track *t)
{
	return s.n && s.n <= 1 + t->n / 256;
}

bool is_window_of_track(struct store *s, const struct term *t)
{
	const bool has_way = t->kind == NODE_ROLLING && (t->fold == FOLD_MEAN || fold_percent(t->fold) > 0);

	return has_way && t->width > 0 && direct_track(s, t->left);
}

/*
 * How many rows a mean over a window looks at, at least: utilization.gpu tells of the last second, so that one row a minute is no mean
 * of a minute, and work that comes in bursts of seconds shows as busy or as idle by chance. Four such rows tell a half from nothing
 * and from all.
 */
#define ROWS_OF_MEAN 4

/* Of rows that are far apart a window for a mean is wider than the rule says. */
time_ms width_of(struct store *s, const struct term *t)
{
	const bool is_gauge = t->left->kind == NODE_METRIC && metric_table[t->left->metric].kind == KIND_GAUGE;
	const bool is_mean = is_gauge && t->fold == FOLD_MEAN && t->width > 0;
	const struct track *const track = is_mean ? vantage_track(&s->vantage, t->left->metric) : NULL;
	const time_ms least = track ? ROWS_OF_MEAN * track->step : 0;

	return least > t->width ? least : t->width;
}

/*
 * A window that is looked at every quarter of its width reaches by three quarters to each side; when it is looked at is settled anew where
 * nothing changed for one and a half of them.
 */
time_ms reach_of_windows(struct store *s, const struct term *t)
{
	if (!t || t->kind == NODE_FOLD)
		return 0;
	const time_ms width = t->kind == NODE_ROLLING ? width_of(s, t) : 0, own = width + width / 2 + (width ? 4 : 0);
	const time_ms left = reach_of_windows(s, t->left), right = reach_of_windows(s, t->right);

	return own + (left > right ? left : right);
}

/*
 * The judged time that the windows of a term see: all of it, or what a narrow store's samples are of. Of a run with a pause every few
 * minutes that is little, and what is asked of it most often is one block.
 */
static struct judged_time judged_seen(const struct store *s, struct arena *mem, const struct term *t)
{
	struct judged_time time = s->plan->times[t->time];
	struct span *const at = NEW_RAW_ARRAY(mem, struct span, s->only ? time.spans.n : 0);
	size_t n = 0, next = 0;

	for (size_t i = 0; s->only && i < s->only->n; i++) {
		const struct span only = s->only->at[i];
		const size_t first = spans_seek(time.spans, only.begin);
		for (next = first > next ? first : next; next < time.spans.n && time.spans.at[next].begin < only.end; next++)
			at[n++] = time.spans.at[next];
	}
	if (s->only)
		time.spans = (struct spans){ at, n };
	return time;
}

/* Is there time between the first and the last judged moment of which nothing is to be seen? */
static bool is_parted(const struct judged_time *time)
{
	const struct spans spans = time->spans;

	return spans.n != 1 || spans.at[0].begin > time->hull.begin || spans.at[0].end < time->hull.end;
}

/* Where dips or a restart part the judged time, what is in between has no value for windows that look across. */
static struct signal judged_pieces(struct arena *mem, struct signal s, const struct judged_time *time)
{
	return is_parted(time) ? signal_within(mem, s, time->spans) : s;
}

/* A percentile is compared with a number that stays, a mean with one that changes rarely. */
static bool has_direct_way(const struct term *t, enum comparison how, struct signal limit, const struct track *track)
{
	return t->fold == FOLD_MEAN ? changes_rarely(limit, track) : limit.n == 1 && can_compare_percentiles(how);
}

bool window_compared(struct store *s, struct arena *mem, const struct term *t, enum comparison how, const struct value *limit,
	struct value *out)
{
	if (!is_window_of_track(s, t) || limit->is_bounded || is_computed(s, t))
		return false;
	const struct track *const track = direct_track(s, t->left);
	if (!has_direct_way(t, how, limit->number, track))
		return false;
	const double factor = unit_factor(track->metric);
	const time_ms width = width_of(s, t);
	struct arena scratch;
	arena_init(&scratch);
	const struct judged_time time = judged_seen(s, &scratch, t);
	*out = of_line(t->fold == FOLD_MEAN
			? truths_compare_mean(mem, track, time.spans, time.hull, factor, width, how, limit->number)
			: truths_compare_percentile(
				mem, track, time.spans, time.hull, factor, width, fold_percent(t->fold), how, limit->number));
	arena_release(&scratch);
	return true;
}

/* All that windows see of a track, from its samples, and no more; in the track's unit. */
static struct signal judged_samples(struct store *s, struct arena *scratch, const struct track *t, const struct judged_time *time)
{
	const struct track parted = is_parted(time) ? track_parted(scratch, t, time->spans) : *t;
	const struct span all = all_time(s), judged = { later(all.begin, time->hull.begin), sooner(all.end, time->hull.end) };

	return signal_from_track(scratch, &parted, judged);
}

/* False where it is no track, or a signal of it is at hand. */
static bool track_looked_at(
	struct store *s, struct arena *scratch, const struct term *t, const struct judged_time *time, struct signal *out)
{
	const struct track *const track = takes_counters(t->fold) ? NULL : direct_track(s, t->left);

	if (!track || !t->width || is_computed(s, t->left))
		return false;
	*out = scaled_signal(scratch, judged_samples(s, scratch, track, time), unit_factor(track->metric));
	return true;
}

/* Where more of the time than this is left untold by cells, all of it is looked at. */
#define MOST_UNTOLD 0.4

static struct signal rolled(struct store *s, struct arena *mem, struct arena *scratch, const struct term *t, struct signal seen)
{
	const struct signal judged = signal_cut(scratch, seen, s->plan->times[t->time].hull);

	return signal_set_in(mem, signal_rolling(scratch, judged, width_of(s, t), t->fold), all_time(s));
}

/* The mean of a track, always from its samples: a signal that is at hand would come to the same but for the last bit. */
static bool means_rolled(
	struct store *s, struct arena *mem, struct arena *scratch, const struct term *t, const struct judged_time *time, struct signal *out)
{
	const struct track *const track = t->fold == FOLD_MEAN && t->width > 0 ? direct_track(s, t->left) : NULL;

	if (!track)
		return false;
	const struct signal means = signal_rolling_samples(scratch, judged_samples(s, scratch, track, time), width_of(s, t));
	*out = signal_set_in(mem, scaled_signal(scratch, means, unit_factor(track->metric)), all_time(s));
	return true;
}

/* The lowest or highest of a track, for which few moments have to be looked at; false where they are many. */
static bool extremes_rolled(struct store *s, struct arena *mem, struct arena *scratch, const struct term *t, struct signal *out)
{
	const struct judged_time *const time = &s->plan->times[t->time];
	const bool is_extreme = (t->fold == FOLD_MIN || t->fold == FOLD_MAX) && t->width > 0;
	const struct track *const track = is_extreme && !s->only ? direct_track(s, t->left) : NULL;

	if (!track || is_computed(s, t->left))
		return false;
	const struct extremes e = track_extremes(scratch, track, time->spans, time->hull, width_of(s, t), t->fold == FOLD_MIN);
	const time_ms reach = reach_of_windows(s, t);
	const struct spans rest = spans_without(scratch, spans_one(&s->plan->run->span), e.told);
	const struct spans around = spans_widened(scratch, rest, reach, reach, all_time(s));
	if ((double)spans_length(around) > MOST_UNTOLD * (double)span_length(all_time(s)))
		return false;
	const struct track narrow = track_narrowed(scratch, track, &around);
	const struct track parted = is_parted(time) ? track_parted(scratch, &narrow, time->spans) : narrow;
	const struct signal looked_at = rolled(s, scratch, scratch, t, whole_track(scratch, &parted, all_time(s)));
	const struct signal told = scaled_signal(scratch, signal_set_in(scratch, e.value, all_time(s)), unit_factor(track->metric));
	*out = signal_kept(mem, signal_zip(scratch, told, looked_at, known_or));
	return true;
}

/* The window looks at nothing but the time that is judged: a mean over the first minute of work says nothing of the idle head before it. */
static struct value windows_rolled(struct store *s, struct arena *mem, const struct term *t, struct firing *f)
{
	struct value v = { .coverage = 1 };
	struct signal seen;
	struct arena scratch;

	arena_init(&scratch);
	const struct judged_time time = judged_seen(s, &scratch, t);
	if (!extremes_rolled(s, mem, &scratch, t, &v.number) && !means_rolled(s, mem, &scratch, t, &time, &v.number)) {
		if (!track_looked_at(s, &scratch, t, &time, &seen)) {
			const struct value over = value_looked_at(s, t, f);
			v.coverage = over.coverage;
			seen = judged_pieces(&scratch, over.number, &time);
		}
		v.number = rolled(s, mem, &scratch, t, seen);
	}
	arena_release(&scratch);
	return v;
}

struct value value_rolling(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);

	if (t->width)
		return windows_rolled(s, mem, t, f);
	/* at each moment: a condition is true for all of it or for none, and growth is one already */
	const struct value over = value_looked_at(s, t, f);
	struct value v = { .coverage = over.coverage };
	v.number = scaled_signal(mem, over.number, t->left->is_condition ? 100 : 1);
	return v;
}
