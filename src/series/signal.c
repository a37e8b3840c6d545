/*
 * signal.c - step functions of time, and folds over them.
 *
 * Two step functions are combined by one walk over both lists of pieces. A fold over a window
 * that moves goes through the pieces once as well:
 *
 *     mean, min, max, spread   the pieces wholly inside the window wait in a queue whose
 *                              sums are kept from both ends (two stacks), so that nothing is
 *                              ever subtracted and no rounding is left behind by large values
 *     p5, p50, p95             weights in ms by rank in a Fenwick tree: whole numbers, so
 *                              that taking away is exact; O(log n) a step
 *
 * The exact fold of a window changes all the time while the window slides. It is evaluated
 * where the input changes and, after and before a change, every quarter of the window; in between
 * it stays. So an edge is placed to within a quarter of the window, and a long
 * steady piece costs seven moments, not thousands.
 */
#include "series/signal.h"

#include "series/order.h"
#include <math.h>

/* A signal under construction; `at` has room for all pieces. */
struct pieces {
	struct piece *at;
	size_t n;
};

static struct pieces pieces_new(struct arena *mem, const size_t room)
{
	return (struct pieces){ NEW_ARRAY(mem, struct piece, room), 0 };
}

static bool is_same(const double a, const double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* What does not change needs no piece of its own. */
static void pieces_add(struct pieces *p, const time_ms begin, const double value)
{
	if (p->n == 0 || !is_same(p->at[p->n - 1].value, value))
		p->at[p->n++] = (struct piece){ begin, value };
}

static struct signal pieces_signal(const struct pieces *p, const time_ms end)
{
	return (struct signal){ p->at, p->n, end };
}

static struct signal nowhere(const time_ms end)
{
	return (struct signal){ NULL, 0, end };
}

static time_ms piece_end(const struct signal *s, const size_t i)
{
	return i + 1 < s->n ? s->at[i + 1].begin : s->end;
}

struct signal signal_constant(struct arena *mem, const double value, const struct span within)
{
	struct pieces result;

	if (span_length(within) <= 0)
		return nowhere(within.end);
	result = pieces_new(mem, 1);
	pieces_add(&result, within.begin, value);
	return pieces_signal(&result, within.end);
}

static double sample_value(const struct track *t, const size_t i)
{
	return t->values[i] == FIXED_MISSING ? (double)NAN : fixed_value(t->values[i]);
}

/* Index of the sample that may hold at `begin`: the last at or before it, or the first of all. */
static size_t sample_before(const struct track *t, const time_ms begin)
{
	const size_t i = track_seek(t, begin);

	if (i > 0 && (i == t->n || t->times[i] > begin))
		return i - 1;
	return i;
}

static time_ms later(const time_ms a, const time_ms b)
{
	return a > b ? a : b;
}

static time_ms sooner(const time_ms a, const time_ms b)
{
	return a < b ? a : b;
}

struct signal signal_from_track(struct arena *mem, const struct track *t, const struct span within)
{
	if (span_length(within) <= 0)
		return nowhere(within.end);
	const size_t first = sample_before(t, within.begin), end = track_seek(t, within.end);
	const size_t n_samples = end > first ? end - first : 0;
	/* Twice: each sample could be followed by a hole. Few are, and the pages stay untouched. */
	struct pieces result = pieces_new(mem, 2 * n_samples + 1);
	time_ms known_until = within.begin;

	for (size_t i = first; i < end; i++) {
		const time_ms begin = later(t->times[i], within.begin), until = sooner(track_until(t, i), within.end);

		if (until <= begin)
			continue;
		if (begin > known_until)
			pieces_add(&result, known_until, NAN);
		pieces_add(&result, begin, sample_value(t, i));
		known_until = until;
	}
	if (known_until < within.end)
		pieces_add(&result, known_until, NAN);
	return pieces_signal(&result, within.end);
}

/* Index of the piece that holds at `when`, which is not before the first. */
static size_t piece_at(const struct signal *s, const time_ms when)
{
	size_t low = 0, high = s->n; /* at[low].begin <= when < at[high].begin */

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (s->at[middle].begin <= when)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static struct span signal_span(const struct signal *s)
{
	return (struct span){ s->n > 0 ? s->at[0].begin : s->end, s->end };
}

struct signal signal_cut(struct arena *mem, const struct signal s, const struct span within)
{
	struct pieces result = pieces_new(mem, s.n + 1);
	const time_ms end = sooner(s.end, within.end);

	for (size_t i = 0; i < s.n; i++) {
		const time_ms begin = later(s.at[i].begin, within.begin), until = sooner(piece_end(&s, i), end);
		if (until > begin)
			pieces_add(&result, begin, s.at[i].value);
	}
	return pieces_signal(&result, end);
}

struct signal signal_set_in(struct arena *mem, const struct signal s, const struct span within)
{
	struct pieces result = pieces_new(mem, s.n + 2);

	if (span_length(within) <= 0)
		return nowhere(within.end);
	if (!s.n || s.at[0].begin > within.begin)
		pieces_add(&result, within.begin, NAN);
	for (size_t i = 0; i < s.n; i++)
		pieces_add(&result, s.at[i].begin, s.at[i].value);
	if (s.n && s.end < within.end)
		pieces_add(&result, s.end, NAN);
	return pieces_signal(&result, within.end);
}

struct signal signal_zip(struct arena *mem, const struct signal a, const struct signal b,
	double (*f)(double, double))
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const time_ms end = sooner(of_a.end, of_b.end);
	time_ms now = later(of_a.begin, of_b.begin);

	if (now >= end) /* also where one of them is empty */
		return nowhere(end);
	struct pieces result = pieces_new(mem, a.n + b.n);
	size_t i = piece_at(&a, now), j = piece_at(&b, now);

	while (now < end) {
		const time_ms a_end = piece_end(&a, i), b_end = piece_end(&b, j);

		pieces_add(&result, now, f(a.at[i].value, b.at[j].value));
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
	return pieces_signal(&result, end);
}

const struct fold_row fold_table[N_FOLDS] = {
#define FOLD(id, name, takes, gives, over, what) [FOLD_##id] = { name, takes, over, gives, what },
#include "series/fold.def"
#undef FOLD
};

int fold_percent(const enum fold fold)
{
	static const unsigned char percents[N_FOLDS] = {
		[FOLD_P5] = 5,   [FOLD_P10] = 10, [FOLD_P25] = 25, [FOLD_P50] = 50,
		[FOLD_P75] = 75, [FOLD_P90] = 90, [FOLD_P95] = 95, [FOLD_P99] = 99,
	};

	return percents[fold];
}

static bool is_quantile(const enum fold fold)
{
	return fold_percent(fold) > 0;
}

/* What is known of some stretch of time; all zero: nothing. */
struct summary {
	double integral; /* exact for whole numbers below 2^53 value x ms */
	double low, high;
	int64_t known; /* ms, or a count of signals */
};

static struct summary summary_of(const double value, const time_ms weight)
{
	if (isnan(value) || weight <= 0)
		return (struct summary){ 0 };
	return (struct summary){ value * (double)weight, value, value, weight };
}

static struct summary summary_join(const struct summary a, const struct summary b)
{
	if (a.known == 0)
		return b;
	if (b.known == 0)
		return a;
	return (struct summary){
		.integral = a.integral + b.integral,
		.low = a.low < b.low ? a.low : b.low,
		.high = a.high > b.high ? a.high : b.high,
		.known = a.known + b.known,
	};
}

/* A mean lies between its values; rounding must not push it over a threshold that equals them. */
static double summary_mean(const struct summary *s)
{
	const double mean = s->integral / (double)s->known;

	if (mean < s->low)
		return s->low;
	return mean > s->high ? s->high : mean;
}

static double summary_fold(const struct summary *s, const enum fold fold)
{
	if (s->known == 0)
		return NAN;
	switch (fold) {
	case FOLD_MIN:
		return s->low;
	case FOLD_MAX:
		return s->high;
	case FOLD_SPREAD:
		return s->high - s->low;
	case FOLD_MEAN:
		return summary_mean(s);
	default: /* not yet */
		break;
	}
	BUG("a quantile needs more than a summary");
}

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

static size_t moments_count(const struct signal *s, const time_ms width)
{
	struct moments m = moments_start(s, width);
	size_t n = 0;

	while (moments_next(&m))
		n++;
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
	struct summary *to_turn; /* beside the pieces */
	struct summary after_turn;
	size_t turn, tail;
};

static struct summary whole_piece(const struct signal *s, const size_t i)
{
	return summary_of(s->at[i].value, piece_end(s, i) - s->at[i].begin);
}

static void queue_turn(struct queue *q, const size_t head, const size_t tail)
{
	struct summary sum = { 0 };

	for (size_t i = tail; i > head; i--)
		q->to_turn[i - 1] = sum = summary_join(whole_piece(q->s, i - 1), sum);
	q->after_turn = (struct summary){ 0 };
	q->turn = q->tail = tail;
}

/* The summary of pieces [head, tail); neither may go back from call to call. */
static struct summary queue_summary(struct queue *q, const size_t head, const size_t tail)
{
	if (head >= q->turn)
		queue_turn(q, head, tail);
	for (; q->tail < tail; q->tail++)
		q->after_turn = summary_join(q->after_turn, whole_piece(q->s, q->tail));
	return summary_join(head < q->turn ? q->to_turn[head] : (struct summary){ 0 }, q->after_turn);
}

/* The part of piece i that lies in the window. */
static struct summary cut_piece(const struct signal *s, const size_t i, const struct span window)
{
	const time_ms begin = later(s->at[i].begin, window.begin), end = sooner(piece_end(s, i), window.end);

	return summary_of(s->at[i].value, end - begin);
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
	const struct summary first = cut_piece(q->s, r->first, window);

	if (r->first == r->last)
		return first;
	return summary_join(summary_join(first, queue_summary(q, r->first + 1, r->last)),
		cut_piece(q->s, r->last, window));
}

static void roll_summary(struct pieces *out, struct arena *scratch, const struct signal *s,
	const time_ms width, const enum fold fold)
{
	struct queue queue = { .s = s, .to_turn = NEW_ARRAY(scratch, struct summary, s->n) };
	struct moments m = moments_start(s, width);
	struct reach reach = { 0, 0 };

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);

		reach_move(&reach, s, window);
		const struct summary sum = window_summary(&queue, &reach, window);
		pieces_add(out, m.at, is_half_known(sum.known, window) ? summary_fold(&sum, fold) : (double)NAN);
	}
}

/* Weights in ms by rank of the value. */
struct ranking {
	const struct signal *s;
	size_t *rank_of;  /* piece -> rank from 1; 0 where the value is not known */
	double *value_of; /* rank - 1 -> value */
	time_ms *tree;    /* Fenwick: tree[r] weighs the ranks (r - lowest bit of r, r] */
	size_t n_ranks, top; /* top: the largest power of two not above n_ranks */
	time_ms total;
	struct span covered;  /* what the tree weighs now */
	size_t first, last;   /* the pieces that hold at the ends of it */
};

static size_t known_by_value(const struct signal *s, struct ordered *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->at[i].value))
			out[n++] = (struct ordered){ key_from_double(s->at[i].value), (int64_t)i };
	return n;
}

static void ranking_fill(struct ranking *r, struct arena *scratch)
{
	struct ordered *sorted = NEW_ARRAY(scratch, struct ordered, r->s->n);
	const size_t n = known_by_value(r->s, sorted);

	order_sort(scratch, sorted, n);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || sorted[i].key != sorted[i - 1].key)
			r->value_of[r->n_ranks++] = double_from_key(sorted[i].key);
		r->rank_of[sorted[i].load] = r->n_ranks;
	}
	for (r->top = 1; 2 * r->top <= r->n_ranks;)
		r->top *= 2;
}

static struct ranking ranking_start(struct arena *scratch, const struct signal *s)
{
	struct ranking r = {
		.s = s,
		.rank_of = NEW_ARRAY(scratch, size_t, s->n),
		.value_of = NEW_ARRAY(scratch, double, s->n),
		.tree = NEW_ARRAY(scratch, time_ms, s->n + 1),
		.covered = { s->at[0].begin, s->at[0].begin },
	};

	ranking_fill(&r, scratch);
	return r;
}

static void ranking_weigh(struct ranking *r, const size_t piece, const time_ms weight)
{
	if (r->rank_of[piece] == 0)
		return;
	r->total += weight;
	for (size_t i = r->rank_of[piece]; i <= r->n_ranks; i += i & -i)
		r->tree[i] += weight;
}

/* Moves *edge and the piece under it on to `target`; what is passed weighs in (sign 1) or out (-1). */
static void ranking_pass(struct ranking *r, time_ms *edge, size_t *piece, const time_ms target, const int sign)
{
	while (*edge < target) {
		const time_ms end = sooner(piece_end(r->s, *piece), target);

		ranking_weigh(r, *piece, sign * (end - *edge));
		*edge = end;
		if (end == piece_end(r->s, *piece))
			++*piece;
	}
}

static void ranking_move(struct ranking *r, const struct span window)
{
	ranking_pass(r, &r->covered.end, &r->last, window.end, 1);
	ranking_pass(r, &r->covered.begin, &r->first, window.begin, -1);
}

/* The smallest value for which the weights up to it are at least the share of the total. */
static double ranking_quantile(const struct ranking *r, const int percent)
{
	size_t rank = 0;
	time_ms up_to = 0;

	for (size_t step = r->top; step > 0; step /= 2) {
		if (rank + step > r->n_ranks || (up_to + r->tree[rank + step]) * 100 >= r->total * percent)
			continue;
		rank += step;
		up_to += r->tree[rank];
	}
	return r->value_of[rank];
}

static void roll_quantile(struct pieces *out, struct arena *scratch, const struct signal *s,
	const time_ms width, const int percent)
{
	struct ranking ranking = ranking_start(scratch, s);
	struct moments m = moments_start(s, width);

	while (moments_next(&m)) {
		const struct span window = moments_window(&m);

		ranking_move(&ranking, window);
		pieces_add(out, m.at, is_half_known(ranking.total, window) ? ranking_quantile(&ranking, percent) : (double)NAN);
	}
}

struct signal signal_rolling(struct arena *mem, const struct signal s, const time_ms width, const enum fold fold)
{
	if (s.n == 0 || width <= 0)
		return s;
	struct pieces result = pieces_new(mem, moments_count(&s, width));
	struct arena scratch;

	arena_init(&scratch);
	if (is_quantile(fold))
		roll_quantile(&result, &scratch, &s, width, fold_percent(fold));
	else
		roll_summary(&result, &scratch, &s, width, fold);
	arena_release(&scratch);
	return pieces_signal(&result, s.end);
}

/* Walks the stretches that pieces and spans have in common. */
struct common {
	const struct signal *s;
	struct spans within;
	size_t next_piece, next_span;
	/* found: */
	size_t piece;
	time_ms length;
};

static struct common common_start(const struct signal *s, const struct spans within)
{
	struct common c = { .s = s, .within = within };

	if (s->n > 0 && within.n > 0)
		c.next_piece = piece_at(s, within.at[0].begin);
	return c;
}

static bool common_next(struct common *c)
{
	while (c->next_piece < c->s->n && c->next_span < c->within.n) {
		const struct span s = c->within.at[c->next_span];
		const time_ms begin = c->s->at[c->next_piece].begin, end = piece_end(c->s, c->next_piece);

		c->piece = c->next_piece;
		c->length = sooner(end, s.end) - later(begin, s.begin);
		if (end < s.end)
			c->next_piece++;
		else
			c->next_span++;
		if (c->length > 0)
			return true;
	}
	return false;
}

static double fold_summary(const struct signal *s, const struct spans within, const enum fold fold)
{
	struct common c = common_start(s, within);
	struct summary sum = { 0 };

	while (common_next(&c))
		sum = summary_join(sum, summary_of(s->at[c.piece].value, c.length));
	return summary_fold(&sum, fold);
}

static size_t common_count(const struct signal *s, const struct spans within)
{
	struct common c = common_start(s, within);
	size_t n = 0;

	while (common_next(&c))
		n++;
	return n;
}

static double fold_quantile(struct arena *scratch, const struct signal *s, const struct spans within,
	const int percent)
{
	struct ordered *values = NEW_ARRAY(scratch, struct ordered, common_count(s, within));
	struct common c = common_start(s, within);
	size_t n = 0;
	time_ms total = 0;

	while (common_next(&c)) {
		const double value = s->at[c.piece].value;

		if (isnan(value))
			continue;
		values[n++] = (struct ordered){ key_from_double(value), c.length };
		total += c.length;
	}
	if (n == 0)
		return NAN;
	order_sort(scratch, values, n);
	return double_from_key(order_quantile(values, n, total, percent));
}

double signal_fold(struct arena *scratch, const struct signal s, const struct spans within, const enum fold fold)
{
	if (is_quantile(fold))
		return fold_quantile(scratch, &s, within, fold_percent(fold));
	return fold_summary(&s, within, fold);
}

time_ms signal_known(const struct signal s, const struct spans within)
{
	struct common c = common_start(&s, within);
	time_ms known = 0;

	while (common_next(&c))
		if (!isnan(s.at[c.piece].value))
			known += c.length;
	return known;
}

/*
 * Several signals side by side. Each moment looks at all of them: deliberately simple, since
 * cores and GPUs of a host mostly share one clock, so that all of them change then.
 */
struct crowd {
	const struct signal *many;
	size_t n;
	size_t *piece; /* of each signal, at `now` */
	time_ms *until; /* when that piece ends */
	time_ms now, end;
};

static struct span crowd_span(const struct signal *many, const size_t n)
{
	struct span all = signal_span(&many[0]);

	for (size_t i = 1; i < n; i++) {
		const struct span one = signal_span(&many[i]);

		all = (struct span){ later(all.begin, one.begin), sooner(all.end, one.end) };
	}
	return all;
}

static void crowd_seek(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	for (size_t i = 0; i < c->n; i++) {
		c->piece[i] = piece_at(&c->many[i], begin);
		c->until[i] = piece_end(&c->many[i], c->piece[i]);
	}
}

/* To the next moment at which any of the signals changes. */
static void crowd_move(struct crowd *c)
{
	c->now = c->end;
	for (size_t i = 0; i < c->n; i++)
		c->now = sooner(c->now, c->until[i]);
	for (size_t i = 0; i < c->n; i++) {
		if (c->until[i] > c->now || c->now == c->end)
			continue;
		c->piece[i]++;
		c->until[i] = piece_end(&c->many[i], c->piece[i]);
	}
}

static size_t crowd_count(struct crowd *c)
{
	size_t n_moments = 0;

	for (; c->now < c->end; crowd_move(c))
		n_moments++;
	return n_moments;
}

static double crowd_value(const struct crowd *c, const size_t i)
{
	return c->many[i].at[c->piece[i]].value;
}

static struct summary crowd_summary(const struct crowd *c)
{
	struct summary sum = { 0 };

	for (size_t i = 0; i < c->n; i++)
		sum = summary_join(sum, summary_of(crowd_value(c, i), 1));
	return sum;
}

/* The order of the moment before is nearly right, so that sorting by insertion mostly only looks. */
static double crowd_quantile(const struct crowd *c, size_t *by_value, const int percent)
{
	const size_t at_or_below = (c->n * (size_t)percent + 99) / 100;

	for (size_t i = 1; i < c->n; i++) {
		const size_t signal = by_value[i];
		const double value = crowd_value(c, signal);
		size_t place = i;

		for (; place > 0 && crowd_value(c, by_value[place - 1]) > value; place--)
			by_value[place] = by_value[place - 1];
		by_value[place] = signal;
	}
	return crowd_value(c, by_value[at_or_below - 1]);
}

static double crowd_fold(const struct crowd *c, size_t *by_value, const enum fold fold)
{
	const struct summary sum = crowd_summary(c);

	if (sum.known < (int64_t)c->n)
		return NAN;
	return is_quantile(fold) ? crowd_quantile(c, by_value, fold_percent(fold)) : summary_fold(&sum, fold);
}

static size_t *counting_up(struct arena *scratch, const size_t n)
{
	size_t *numbers = NEW_ARRAY(scratch, size_t, n);

	for (size_t i = 0; i < n; i++)
		numbers[i] = i;
	return numbers;
}

static struct signal across(struct arena *mem, struct arena *scratch, const struct signal *many,
	const size_t n, const enum fold fold)
{
	const struct span all = crowd_span(many, n);
	struct crowd c = {
		.many = many,
		.n = n,
		.piece = NEW_ARRAY(scratch, size_t, n),
		.until = NEW_ARRAY(scratch, time_ms, n),
		.end = all.end,
	};
	size_t *by_value = counting_up(scratch, n);

	if (span_length(all) <= 0)
		return nowhere(all.end);
	crowd_seek(&c, all.begin);
	struct pieces result = pieces_new(mem, crowd_count(&c));
	crowd_seek(&c, all.begin);
	for (; c.now < c.end; crowd_move(&c))
		pieces_add(&result, c.now, crowd_fold(&c, by_value, fold));
	return pieces_signal(&result, all.end);
}

struct signal signal_across(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold)
{
	struct arena scratch;

	if (n == 0)
		return nowhere(0);
	arena_init(&scratch);
	const struct signal result = across(mem, &scratch, many, n, fold);
	arena_release(&scratch);
	return result;
}
