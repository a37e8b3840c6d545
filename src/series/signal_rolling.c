/*
 * signal_rolling.c - folds over a window that moves.
 *
 * The window goes through the pieces once:
 *
 *     mean, spread, total, share,      the pieces wholly inside the window wait in a queue whose
 *     rate, delta, stddev, slope       sums are kept from both ends (two stacks), so that nothing is
 *                                      ever subtracted and no rounding is left behind by large values
 *     mean of samples                  whole millionths: what two sums from the begin differ by, exactly
 *     min, max                         of the pieces in the window those that could still become it wait in order
 *     p5 ... p99                       weights in ms by rank of the value (ranking.h)
 *     changes                          counted from the begin: whole numbers again
 *
 * The exact fold of a window changes all the time while the window slides. It is evaluated
 * where the input changes and, after and before a change, every quarter of the window; in between
 * it stays. So an edge is placed to within a quarter of the window, and a long
 * steady piece costs seven moments, not thousands.
 */
#include "series/signal.h"

#include "series/chunk.h"
#include "series/ranking.h"
#include "series/summary.h"

/* The moments at which a rolling fold is evaluated: see the head of this file. */
struct moments {
	struct signal s;
	time_ms before, after; /* the window at t is [t - before, t + after), cut to the signal */
	time_ms quarter;
	size_t piece; /* that holds at `at` */
	time_ms at, next;
};

static struct moments moments_start(const struct signal *s, const time_ms width)
{
	return (struct moments){
		.s = *s,
		.before = width / 2,
		.after = width - width / 2,
		.quarter = width >= 4 ? width / 4 : 1,
		.next = s->at[0].begin,
	};
}

/* Once the window is wholly inside a piece nothing changes until it begins to leave. */
static time_ms moment_after(const struct moments *m)
{
	const time_ms end = piece_end(&m->s, m->piece), leaves = end - m->after;
	const bool is_inside = m->at - m->before >= m->s.at[m->piece].begin;
	const time_ms next = m->at + m->quarter;

	return sooner(is_inside ? later(next, leaves) : next, end);
}

static bool moments_next(struct moments *m)
{
	if (m->next >= m->s.end)
		return false;
	m->at = m->next;
	if (m->at >= piece_end(&m->s, m->piece))
		m->piece++;
	m->next = moment_after(m);
	return true;
}

/*
 * How many there are at most: of a piece that is shorter than a quarter one, of any other three until the window is inside, and four from
 * where it begins to leave.
 */
#define MOMENTS_OF_PIECE 8

static size_t moments_most(const struct signal *s, const time_ms width)
{
	const struct moments m = moments_start(s, width);
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += piece_end(s, i) - s->at[i].begin <= m.quarter ? 1 : MOMENTS_OF_PIECE;
	return n;
}

static struct span moments_window(const struct moments *m)
{
	return (struct span){
		later(m->at - m->before, m->s.at[0].begin),
		sooner(m->at + m->after, m->s.end),
	};
}

static bool is_half_known(const time_ms known, const struct span window)
{
	return known > 0 && 2 * known >= span_length(window);
}

/*
 * A queue of pieces that knows the summary of all it holds. Pieces [head, turn) are summed from
 * each of them to the turn, pieces [turn, tail) as one; when the first part is used up, the second
 * becomes the first.
 */
struct queue {
	const struct signal *s;
	enum fold fold;
	struct summary *to_turn; /* of piece `base` and those behind it: never more than a window holds, so it stays in the cache */
	size_t base, room;
	struct summary after_turn;
	size_t turn, tail;
};

static struct summary whole_piece(const struct queue *q, const size_t i)
{
	return summary_of_piece(q->fold, q->s, i, signal_span(q->s));
}

static void queue_turn(struct queue *q, const size_t head, const size_t tail)
{
	struct summary sum = { 0 };

	q->to_turn = grow(q->to_turn, &q->room, tail - head, sizeof *q->to_turn);
	q->base = head;
	for (size_t i = tail; i > head; i--)
		q->to_turn[i - 1 - head] = sum = summary_join(q->fold, whole_piece(q, i - 1), sum);
	q->after_turn = (struct summary){ 0 };
	q->turn = q->tail = tail;
}

/* The summary of pieces [head, tail); neither may go back from call to call. */
static struct summary queue_summary(struct queue *q, const size_t head, const size_t tail)
{
	if (head >= q->turn)
		queue_turn(q, head, tail);
	for (; q->tail < tail; q->tail++)
		q->after_turn = summary_join(q->fold, q->after_turn, whole_piece(q, q->tail));
	return summary_join(q->fold, head < q->turn ? q->to_turn[head - q->base] : (struct summary){ 0 }, q->after_turn);
}

/* The pieces that a window meets, first and last; both move on with it. */
struct reach {
	size_t first, last;
};

static void reach_move(struct reach *r, const struct signal *s, const struct span window)
{
	while (piece_end(s, r->first) <= window.begin)
		r->first++;
	while (r->last + 1 < s->n && s->at[r->last + 1].begin < window.end)
		r->last++;
}

static struct summary window_summary(struct queue *q, const struct reach *r, const struct span window)
{
	const struct summary first = summary_of_piece(q->fold, q->s, r->first, window);

	if (r->first == r->last)
		return first;
	const struct summary middle = queue_summary(q, r->first + 1, r->last);
	const struct summary last = summary_of_piece(q->fold, q->s, r->last, window);
	return summary_join(q->fold, summary_join(q->fold, first, middle), last);
}

static void roll_summary(struct pieces *out, const struct signal *s, const time_ms width, const enum fold fold)
{
	struct queue queue = { .s = s, .fold = fold };
	struct moments m = moments_start(s, width);
	struct reach reach = { 0, 0 };

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);

		reach_move(&reach, s, window);
		const struct summary sum = window_summary(&queue, &reach, window);
		pieces_add(out, m.at, is_half_known(sum.known, window) ? summary_fold(fold, &sum) : (double)NAN);
	}
	grow_free(queue.to_turn);
}

/* Samples are whole millionths, whose sums are whole numbers. Up to here a double in their unit tells which one it is. */
#define MOST_TOLD ((double)((int64_t)1 << 51))

struct whole_sum {
	int128 sum; /* millionths x ms for which they hold, without those beyond MOST_TOLD */
	time_ms known;
};
/* From the begin of the signal to where a window begins or ends, which only moves on. */
struct edge {
	size_t piece;
	struct whole_sum before; /* it begins */
};

static inline bool is_told(const double millionths)
{
	return millionths < MOST_TOLD && millionths > -MOST_TOLD;
}

/* For so many ms of a piece more. */
static inline struct whole_sum sum_with(struct whole_sum s, const double value, const time_ms length)
{
	const double millionths = value * FIXED_ONE;

	if (isnan(value))
		return s;
	if (is_told(millionths))
		s.sum += (int128)(int64_t)(millionths + (millionths < 0 ? -0.5 : 0.5)) * length;
	s.known += length;
	return s;
}

static bool are_told(const struct signal *s, const size_t first, const size_t last)
{
	for (size_t i = first; i <= last; i++)
		if (!isnan(s->at[i].value) && !is_told(s->at[i].value * FIXED_ONE))
			return false;
	return true;
}

static inline struct whole_sum edge_move(struct edge *e, const struct signal *s, const time_ms to)
{
	for (time_ms end; e->piece + 1 < s->n && (end = s->at[e->piece + 1].begin) <= to; e->piece++)
		e->before = sum_with(e->before, s->at[e->piece].value, end - s->at[e->piece].begin);
	return sum_with(e->before, s->at[e->piece].value, to - s->at[e->piece].begin);
}

/* Where a double holds the sum, and what it is divided by, their quotient is rounded once: the mean of equal samples is as these are. */
#define MOST_EXACT ((int64_t)1 << 53)

static double mean_of_whole(const int128 sum, const time_ms known)
{
	if (sum > -MOST_EXACT && sum < MOST_EXACT && known < MOST_EXACT / FIXED_ONE)
		return (double)(int64_t)sum / (double)(known * FIXED_ONE);
	return ((double)(sum / known) + (double)(int64_t)(sum % known) / (double)known) / FIXED_ONE;
}

/* The general way, for these pieces and a window in them. */
static double mean_of_pieces(const struct signal *s, const size_t first, const size_t last, const struct span window)
{
	struct summary sum = { 0 };

	for (size_t i = first; i <= last; i++)
		sum = summary_join(FOLD_MEAN, sum, summary_of_piece(FOLD_MEAN, s, i, window));
	return summary_fold(FOLD_MEAN, &sum);
}

struct signal signal_rolling_samples(struct arena *mem, const struct signal s, const time_ms width)
{
	if (s.n == 0 || width <= 0)
		return s;
	const size_t room = moments_most(&s, width);
	struct pieces result = pieces_new(mem, room);
	struct moments m = moments_start(&s, width);
	struct edge begin = { .piece = 0 }, end = begin;
	const bool are_all = are_told(&s, 0, s.n - 1);

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);
		const struct whole_sum until = edge_move(&end, &s, window.end), before = edge_move(&begin, &s, window.begin);
		const time_ms known = until.known - before.known;
		const size_t last = end.piece - (s.at[end.piece].begin == window.end); /* it may begin there */
		const bool is_whole = are_all || are_told(&s, begin.piece, last);
		pieces_add(&result, m.at,
			!is_half_known(known, window) ? (double)NAN
			: is_whole                    ? mean_of_whole(until.sum - before.sum, known)
						      : mean_of_pieces(&s, begin.piece, last, window));
	}
	return pieces_signal_cut(mem, &result, room, s.end);
}

/*
 * The pieces in a window that could become its lowest, or its highest: each is lower than those before it. So the first one is what is
 * asked for, and of equal ones the last.
 */
struct contest {
	const struct signal *s;
	bool is_low;
	uint32_t *pieces; /* [head, tail) */
	size_t head, tail;
	struct reach reach;
	time_ms known_before_first, known_before_last; /* from the begin of the signal to those of the pieces at the ends */
};

static time_ms known_length(const struct signal *s, const size_t piece)
{
	return isnan(s->at[piece].value) ? 0 : piece_end(s, piece) - s->at[piece].begin;
}

static void contest_enter(struct contest *c, const size_t piece)
{
	const double value = c->s->at[piece].value;

	if (isnan(value))
		return;
	while (c->tail > c->head) {
		const double last = c->s->at[c->pieces[c->tail - 1]].value;
		if (c->is_low ? last < value : last > value)
			break;
		c->tail--;
	}
	c->pieces[c->tail++] = (uint32_t)piece;
}

/* For how long anything is known in the window to which it moves on. */
static time_ms contest_move(struct contest *c, const struct span window)
{
	const struct signal *const s = c->s;
	const struct reach before = c->reach;

	reach_move(&c->reach, s, window);
	for (size_t i = before.first; i < c->reach.first; i++)
		c->known_before_first += known_length(s, i);
	for (size_t i = before.last; i < c->reach.last; i++) {
		c->known_before_last += known_length(s, i);
		contest_enter(c, i + 1);
	}
	while (c->head < c->tail && c->pieces[c->head] < c->reach.first)
		c->head++;
	const struct piece *const first = &s->at[c->reach.first], *const last = &s->at[c->reach.last];
	const time_ms outside = isnan(first->value) ? 0 : later(window.begin - first->begin, 0);
	return c->known_before_last + (isnan(last->value) ? 0 : window.end - last->begin) - c->known_before_first - outside;
}

static void roll_extreme(struct pieces *out, struct arena *scratch, const struct signal *s, const time_ms width, const bool is_low)
{
	struct contest c = { .s = s, .is_low = is_low, .pieces = NEW_RAW_ARRAY(scratch, uint32_t, s->n) };
	struct moments m = moments_start(s, width);

	if (s->n >= UINT32_MAX)
		die_memory();
	contest_enter(&c, 0);
	while (moments_next(&m)) {
		const struct span window = moments_window(&m);
		const time_ms known = contest_move(&c, window);

		pieces_add(out, m.at, is_half_known(known, window) ? s->at[c.pieces[c.head]].value : (double)NAN);
	}
}

/* What was counted from the begin of the signal up to each piece. */
struct counted {
	time_ms known;    /* before it begins */
	size_t n_changes; /* with it */
	size_t next;      /* known piece: itself, or the first one behind; beyond the last where there is none */
};

static struct counted *changes_counted(struct arena *scratch, const struct signal *s)
{
	struct counted *counted = NEW_ARRAY(scratch, struct counted, s->n);
	struct counted sum = { .next = s->n };
	double last = NAN;

	for (size_t i = 0; i < s->n; i++) {
		const double value = s->at[i].value;

		counted[i].known = sum.known;
		if (!isnan(value)) {
			sum.known += piece_end(s, i) - s->at[i].begin;
			sum.n_changes += !isnan(last) && value != last;
			last = value;
		}
		counted[i].n_changes = sum.n_changes;
	}
	for (size_t i = s->n; i > 0; i--)
		counted[i - 1].next = sum.next = isnan(s->at[i - 1].value) ? sum.next : i - 1;
	return counted;
}

static time_ms known_before(const struct counted *counted, const struct signal *s, const size_t piece, const time_ms when)
{
	return counted[piece].known + (isnan(s->at[piece].value) ? 0 : when - s->at[piece].begin);
}

/* The first known value of a window has not changed in it, whatever was before. */
static void roll_changes(struct pieces *out, struct arena *scratch, const struct signal *s, const time_ms width)
{
	const struct counted *const counted = changes_counted(scratch, s);
	struct moments m = moments_start(s, width);
	struct reach reach = { 0, 0 };

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);

		reach_move(&reach, s, window);
		const size_t first = counted[reach.first].next;
		const time_ms known =
			known_before(counted, s, reach.last, window.end) - known_before(counted, s, reach.first, window.begin);
		pieces_add(out, m.at,
			is_half_known(known, window) ? (double)(counted[reach.last].n_changes - counted[first].n_changes) : (double)NAN);
	}
}

static void roll_quantile(struct pieces *out, struct arena *scratch, const struct signal *s, const time_ms width, const int percent)
{
	struct ranking ranking = ranking_new(scratch, s, percent);
	struct moments m = moments_start(s, width);

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);

		ranking_move(&ranking, window);
		pieces_add(out, m.at, is_half_known(ranking.total, window) ? ranking_quantile(&ranking) : (double)NAN);
	}
}

/* As many pieces as there are, or one more: nobody knows what was before the first. */
static struct signal signal_delayed(struct arena *mem, const struct signal *s, const time_ms width)
{
	struct pieces result = pieces_new(mem, s->n + 1);

	pieces_add(&result, s->at[0].begin, (double)NAN);
	for (size_t i = 0; i < s->n && s->at[i].begin + width < s->end; i++)
		pieces_add(&result, s->at[i].begin + width, s->at[i].value);
	return pieces_signal(&result, s->end);
}

struct signal signal_rolling(struct arena *mem, const struct signal s, const time_ms width, const enum fold fold)
{
	struct arena scratch;

	if (!(fold_table[fold].over & OVER_TIME))
		BUG("no fold over time");
	if (s.n == 0 || width <= 0)
		return s;
	if (fold == FOLD_EARLIER)
		return signal_delayed(mem, &s, width);
	const size_t room = moments_most(&s, width);
	struct pieces result = pieces_new(mem, room);

	arena_init(&scratch);
	if (fold_percent(fold) > 0)
		roll_quantile(&result, &scratch, &s, width, fold_percent(fold));
	else if (fold == FOLD_CHANGES)
		roll_changes(&result, &scratch, &s, width);
	else if (fold == FOLD_MIN || fold == FOLD_MAX)
		roll_extreme(&result, &scratch, &s, width, fold == FOLD_MIN);
	else
		roll_summary(&result, &s, width, fold);
	arena_release(&scratch);
	return pieces_signal_cut(mem, &result, room, s.end);
}
