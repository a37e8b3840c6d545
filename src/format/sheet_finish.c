/*
 * sheet_finish.c - all rows are in: a sheet becomes a recording.
 *
 * Day and month are settled, for all dates alike. Then, channel by channel: polls with one stamp are spread over its second; rows whose
 * time is damaged are left out (sheet_stray.c); the others are put in order of time; those of one time, or of a stretch that is told
 * again, are left out and counted; rows that describe the interval before them move to its begin; where there are too many for the
 * memory that there is they are thinned (sheet_thin.c). A file of which hardly any row fits is no log.
 */
#include "format/sheet_parts.h"

#include "base/workers.h"
#include "format/stamped.h"

#include <stdlib.h>

/* What qsort moves: a time and where its row stood. */
struct order {
	time_ms t;
	size_t row;
};

static int by_time(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Of the steps ahead, while the rows are as the log has them. */
static time_ms step_ahead(const struct order *order, size_t n)
{
	size_t room = 0, n_steps = 0;
	time_ms *steps = grow(NULL, &room, n, sizeof *steps);

	for (size_t i = 1; i < n; i++)
		if (order[i].t > order[i - 1].t)
			steps[n_steps++] = order[i].t - order[i - 1].t;
	const time_ms median = median_of_steps(steps, n_steps);
	grow_free(steps);
	return median;
}

/* Where the rows' time steps back, and then the end; 0 when it does so more often than a clock is set. */
static size_t find_stretches(const struct order *order, size_t n, time_ms step, size_t ends[MOST_STRETCHES])
{
	size_t n_stretches = 0;

	for (size_t i = 1; i < n; i++) {
		if (order[i].t >= order[i - 1].t - JITTER_STEPS * step)
			continue;
		if (n_stretches + 1 == MOST_STRETCHES)
			return 0;
		ends[n_stretches++] = i;
	}
	ends[n_stretches++] = n;
	return n_stretches;
}

/*
 * Two stretches become one in `out`, both in order: rows of `early` that lie between rows of `late` no further apart than a hole
 * are left out. Returns how many are left.
 */
static size_t merge_stretches(const struct order *early, size_t n_early, const struct order *late, size_t n_late, time_ms hole,
	struct order *out)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < n_early; i++) {
		while (k < n_late && late[k].t < early[i].t)
			out[n++] = late[k++];
		const bool same = k < n_late && late[k].t == early[i].t;
		const bool between = k && k < n_late && late[k].t - late[k - 1].t <= hole;
		if (!same && !between)
			out[n++] = early[i];
	}
	while (k < n_late)
		out[n++] = late[k++];
	return n;
}

/*
 * A clock that was set back, or a log that was appended to a later one, tells of the same time twice. Mixed, its rows
 * would belong to neither: what was written last is kept whole, and rows before it that lie in its time are left out.
 * order[] is in the order of the file; returns how many are left, in the order of time.
 */
static size_t keep_apart(struct order *order, size_t n, time_ms step)
{
	size_t ends[MOST_STRETCHES], room = 0, n_stretches = find_stretches(order, n, step, ends), n_kept;

	if (n_stretches < 2) {
		qsort(order, n, sizeof *order, by_time);
		return n;
	}
	struct order *merged = grow(NULL, &room, n, sizeof *merged);
	for (size_t i = 0; i < n_stretches; i++) {
		const size_t begin = i ? ends[i - 1] : 0;
		qsort(order + begin, ends[i] - begin, sizeof *order, by_time);
	}
	size_t last = ends[n_stretches - 2];
	n_kept = n - last;
	for (size_t i = n_stretches - 1; i-- > 0;) {
		const size_t begin = i ? ends[i - 1] : 0;
		n_kept = merge_stretches(order + begin, ends[i] - begin, order + last, n_kept, HOLE_STEPS * step, merged);
		memcpy(order + begin, merged, n_kept * sizeof *order);
		last = begin;
	}
	grow_free(merged);
	return n_kept;
}

static void tell_time_back(struct sheet *s, size_t n_overlaid)
{
	const struct place place = { s->r->lines->path, 0, 0 };

	s->r->recording->time_back = true;
	s->r->recording->n_overlaid += n_overlaid;
	s->r->recording->n_rows_ignored += n_overlaid;
	if (n_overlaid)
		diag_repeat(s->r->diags, place, DIAG_TIME_BACK, "time",
			"time steps back to what was told already; the rows that came last are used for it");
	else
		diag_repeat(s->r->diags, place, DIAG_TIME_BACK, "time", "time steps back; the rows were put in order");
}

/* Rows whose time is damaged are left out; returns how many are left. */
static size_t leave_strays_out(struct sheet *s, const struct rows *rows, struct order *order)
{
	struct strays strays;
	size_t n = 0, k = 0;

	sheet_find_strays(rows, step_ahead(order, rows->n), &strays);
	for (size_t i = 0; i < rows->n; i++) {
		if (k < strays.n && strays.at[k].row == i)
			k++;
		else if (i || !rows->leaves_first)
			order[n++] = order[i];
	}
	sheet_reject_strays(s, &strays);
	return n;
}

static bool steps_back(const struct order *order, size_t n)
{
	bool back = false;

	for (size_t i = 1; i < n; i++)
		back |= order[i].t < order[i - 1].t;
	return back;
}

/*
 * Rows in ascending time, without strays; of several with the same time the last stays. Returns how many are
 * left; order[] names their rows.
 */
static size_t put_in_order(struct sheet *s, const struct rows *rows, struct order *order)
{
	for (size_t i = 0; i < rows->n; i++)
		order[i] = (struct order){ row_time(rows, i), i };

	const size_t n_sound = leave_strays_out(s, rows, order);
	size_t n = 0, n_rows = n_sound;

	if (steps_back(order, n_sound)) {
		n_rows = keep_apart(order, n_sound, step_ahead(order, n_sound));
		tell_time_back(s, n_sound - n_rows);
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (n && order[n - 1].t == order[i].t) {
			n--;
			s->r->recording->n_rows_ignored++;
			s->r->recording->n_doubles++;
		}
		order[n++] = order[i];
	}
	return n;
}

static bool is_within_second(time_ms before, time_ms after)
{
	return before < after && after - before <= SECOND_MS;
}

/* Runs of rows with one stamp become polls within its second: the k-th of n, k/n of a second later. */
static void spread_polls(struct sheet *s, struct rows *rows)
{
	size_t end = 0, n_spread = 0;

	for (size_t begin = 0; begin < rows->n; begin = end) {
		const time_ms t = row_time(rows, begin);
		end = begin + 1;
		while (end < rows->n && row_time(rows, end) == t)
			end++;
		const size_t n = end - begin;
		bool fast = (begin && is_within_second(row_time(rows, begin - 1), t)) ||
			    (end < rows->n && is_within_second(t, row_time(rows, end)));
		if (n == 1 || !fast)
			continue;
		for (size_t k = 1; k < n; k++)
			packer_set(&rows->times, begin + k, t + (time_ms)(k * (size_t)SECOND_MS / n));
		rows->may_step_back = true;
		n_spread += n;
	}
	s->r->recording->n_spread += n_spread;
	if (n_spread)
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_SPREAD, "spread",
			"several polls within a second of a clock of whole seconds; they were spread evenly over it");
}

/*
 * A row that describes the interval before its stamp begins where the row before it ended; after a
 * break in the log, one step before its stamp.
 */
static void shift_to_begin(struct arena *mem, struct channel *c, time_ms begin)
{
	const time_ms first = channel_time(c, 0);
	struct packer begins = packer_new(mem, true);
	struct channel stamped = *c;

	channel_find_steps(mem, &stamped);
	time_ms before = begin != TIME_UNKNOWN && begin < first ? begin : first - channel_step_at(&stamped, 0);
	for (size_t i = 0; i < c->n_rows; i++) {
		const time_ms stamp = channel_time(c, i), step = channel_step_at(&stamped, i ? i - 1 : 0);
		const bool broken = step && stamp - before > HOLE_STEPS * step;
		packer_add(&begins, broken ? stamp - channel_step_at(&stamped, i) : before);
		before = stamp;
	}
	c->times = packer_done(&begins);
}

/* What a sibling log may still decide: each row's other reading. */
static void keep_swaps(struct sheet *s, const struct rows *rows, const struct order *order, struct channel *c)
{
	const struct clock_note *clock = &s->r->recording->clock;

	if (!clock->date_ambiguous || (!rows->swaps && rows->swap == clock->date_swap))
		return;
	c->swaps = NEW_ARRAY(s->r->mem, time_ms, c->n_rows);
	for (size_t i = 0; i < c->n_rows; i++)
		c->swaps[i] = rows->swaps ? rows->swaps[order ? order[i].row : i] : rows->swap;
}

static bool is_in_order(const struct rows *rows)
{
	int64_t times[PACK];
	time_ms last = 0;

	for (size_t k = 0, n; (n = packer_read(&rows->times, k, times)); k++) {
		bool ascends = !k || times[0] > last;
		for (size_t i = 1; i < n; i++)
			ascends &= times[i] > times[i - 1];
		if (!ascends)
			return false;
		last = times[n - 1];
	}
	return true;
}

/* As it came in, unless its rows are to be in another order. */
static struct packed column_done(struct packer *column, const struct order *order, size_t n)
{
	if (!order)
		return packer_done(column);
	struct packer ordered = packer_new(column->mem, column->is_clock);
	for (size_t i = 0; i < n; i++)
		packer_add(&ordered, packer_at(column, order[i].row));
	return packer_done(&ordered);
}

/* How many of the first rows of a channel were thinned while they came in. */
static size_t thinned_before(const struct rows *rows, const struct order *order, size_t n)
{
	size_t k = 0;

	while (order && k < n && order[k].row < rows->n_thinned)
		k++;
	return order ? k : rows->n_thinned;
}

/* A channel on its way to the recording. */
struct finishing {
	struct rows *rows;
	struct channel *channel;
	struct order *order; /* of its rows; NULL: as they came in */
	struct arena thinned; /* what it has, if it was thinned at the end; else that is among the packs of its rows */
	bool is_thinned;
};

static void channel_begin(struct sheet *s, struct finishing *f)
{
	struct rows *const rows = f->rows;
	struct channel *const c = f->channel;
	size_t room = 0;

	if (s->spreads)
		spread_polls(s, rows);
	*c = (struct channel){ .entity = rows->entity, .n_rows = rows->n, .n_merged = rows->n_merged };
	if ((rows->may_step_back && !is_in_order(rows)) || sheet_ends_apart(rows) || rows->leaves_first) {
		f->order = grow(NULL, &room, rows->n, sizeof *f->order);
		c->n_rows = put_in_order(s, rows, f->order);
	}
	c->times = column_done(&rows->times, f->order, c->n_rows);
}

static void find_step(void *context, size_t worker, size_t job)
{
	struct channel *const c = ((const struct finishing *)context)[job].channel;

	(void)worker;
	c->step = channel_step(c);
}

#define ROWS_SIDE_BY_SIDE ((size_t)1 << 18) /* to go through these takes longer than to start a thread */

static void find_steps(struct finishing *all, size_t n)
{
	size_t n_rows = 0;

	for (size_t i = 0; i < n; i++)
		n_rows += all[i].channel->n_rows;
	workers_run(n_rows < ROWS_SIDE_BY_SIDE ? 1 : workers_count(n), n, find_step, all);
}

static void columns_finish(struct sheet *s, struct finishing *f)
{
	struct arena *mem = s->r->mem;
	struct rows *const rows = f->rows;
	struct channel *const c = f->channel;

	if (s->r->recording->format->covers_preceding && c->n_rows)
		shift_to_begin(mem, c, rows->begin);
	keep_swaps(s, rows, f->order, c);
	c->columns = NEW_ARRAY(mem, struct column, rows->n_columns);
	for (int m = 0; m < N_METRICS; m++) {
		const struct cells *cells = &rows->cells[m];
		if (!cells->values)
			continue;
		c->columns[c->n_columns++] = (struct column){ (enum metric)m, column_done(cells->values, f->order, c->n_rows),
			cells->decimals, cells->n_absent, cells->n_impossible, NULL };
	}
}

struct thinning_all {
	const struct sheet *sheet;
	struct finishing *all;
};

static void thin_finished(void *context, size_t worker, size_t job)
{
	const struct thinning_all *const t = context;
	struct finishing *const f = &t->all[job];
	const size_t n_thinned = thinned_before(f->rows, f->order, f->channel->n_rows);

	(void)worker;
	f->is_thinned = channel_thin(t->sheet, f->rows, f->channel, n_thinned, !f->order, &f->thinned);
	if (f->is_thinned)
		f->channel->step = channel_step(f->channel);
}

/* What a channel has lives as long as the recording. */
static void keep_channel(struct sheet *s, struct finishing *f)
{
	channel_find_steps(s->r->mem, f->channel);
	s->r->recording->n_rows += f->channel->n_rows + f->channel->n_merged;
	arena_adopt(s->r->mem, f->is_thinned ? &f->thinned : f->rows->packs);
	if (!f->is_thinned)
		arena_adopt(s->r->mem, f->rows->thinned);
	grow_free(f->order);
}

static void rows_release(struct rows *rows)
{
	packer_drop(&rows->times);
	arena_release(rows->packs);
	arena_release(rows->thinned);
	grow_free(rows->swaps);
	grow_free(rows->backs);
	grow_free(rows->waiting.bytes);
	for (size_t m = 0; m < N_METRICS; m++)
		if (rows->cells[m].values)
			packer_drop(rows->cells[m].values);
}

bool sheet_drop(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		rows_release(s->rows[i]);
	grow_free(s->rows);
	grow_free(s->events);
	grow_free(s->event_notes);
	return false;
}

/* Events without any row around them are left out: nobody could say when they happened. */
static void keep_events(struct sheet *s)
{
	struct event *events = NEW_ARRAY(s->r->mem, struct event, s->n_events);
	size_t n = 0;

	if (s->last != TIME_UNKNOWN)
		sheet_time_events(s, s->last);
	for (size_t i = 0; i < s->n_events; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			events[n++] = s->events[i];
	s->r->recording->events = events;
	s->r->recording->n_events = n;
	grow_free(s->events);
	grow_free(s->event_notes);
}

/* Day first, and not month first as all dates were read. */
static void swap_dates(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rows *rows = s->rows[i];
		rows->may_step_back = true;
		for (size_t k = 0; k < rows->n; k++)
			packer_set(&rows->times, k, row_time(rows, k) + (rows->swaps ? rows->swaps[k] : rows->swap));
		if (rows->begin != TIME_UNKNOWN)
			rows->begin += rows->swaps ? rows->swaps[0] : rows->swap;
	}
	for (size_t i = 0; i < s->n_timed; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			s->events[i].t += s->event_notes[i].swap;
	if (s->last != TIME_UNKNOWN)
		s->last += s->r->recording->clock.date_swap;
	s->r->recording->clock.back.at += s->r->recording->clock.back.swap;
	s->r->recording->clock.ahead.at += s->r->recording->clock.ahead.swap;
}

/* All dates of a log have day and month in the same order: one of them may settle it, or that time goes ahead. */
static void settle_order(struct sheet *s)
{
	struct clock_note *clock = &s->r->recording->clock;
	const struct date_order *order = &clock->order;
	const bool by_day = order->only_day_first != order->only_month_first;
	const bool by_time = !order->only_day_first && order->back_as_read != order->back_swapped;

	if (!clock->date_ambiguous || (!by_day && !by_time))
		return;
	if (by_day ? order->only_day_first : order->back_as_read)
		swap_dates(s);
	clock->date_ambiguous = false;
}

static void channels_finish(struct sheet *s, struct recording *rec)
{
	size_t room = 0;
	struct finishing *const all = grow(NULL, &room, s->n, sizeof *all);

	rec->channels = NEW_ARRAY(s->r->mem, struct channel, s->n);
	for (size_t i = 0; i < s->n; i++) {
		if (!s->rows[i]->n)
			continue;
		all[rec->n_channels] = (struct finishing){ .rows = s->rows[i], .channel = &rec->channels[rec->n_channels] };
		arena_init(&all[rec->n_channels].thinned);
		channel_begin(s, &all[rec->n_channels++]);
	}
	find_steps(all, rec->n_channels);
	for (size_t i = 0; i < rec->n_channels; i++)
		columns_finish(s, &all[i]);
	if (s->every)
		workers_run(WORKERS_MAX, rec->n_channels, thin_finished, &(struct thinning_all){ s, all });
	for (size_t i = 0; i < rec->n_channels; i++)
		keep_channel(s, &all[i]);
	for (size_t i = 0; i < s->n; i++)
		rows_release(s->rows[i]);
	grow_free(all);
}

/* A program that prints a log's header is no log: where hardly any row fits, the file is something else. */
#define HARDLY_BAD 20
#define HARDLY_SHARE 10

bool sheet_finish(struct sheet *s)
{
	struct recording *rec = s->r->recording;

	if (s->r->stamped)
		stamped_settle(s->r->stamped, s->r, s);
	settle_order(s);
	sheet_take_sets_out(s);
	keep_events(s);
	sheet_settle_room(s);
	rec->every = s->every ? s->every : 1;
	rec->room = s->every ? limit_text(s->r->mem, s->r->request->limits, LIMIT_MEMORY) : NULL;
	channels_finish(s, rec);
	grow_free(s->rows);
	if (rec->n_rows_bad > HARDLY_BAD && rec->n_rows_bad / HARDLY_SHARE > rec->n_rows)
		return diag_at(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
			"taken for %s, but only %zu of %zu rows make sense as that; not used", rec->format->name, rec->n_rows,
			rec->n_rows + rec->n_rows_bad);
	if (rec->n_rows || rec->n_events)
		return true;
	return diag_at(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"recognised as %s, but no row could be used", rec->format->name);
}
