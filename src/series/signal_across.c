/*
 * signal_across.c - several signals at each moment as one: the GPUs of a host, the cores of a CPU.
 */
#include "series/signal.h"

#include "base/workers.h"
#include "series/summary.h"

/*
 * Several signals side by side. Each moment looks at all of them: deliberately simple, since
 * cores and GPUs of a host mostly share one clock, so that all of them change then. A moment is a poll:
 *
 *     GPU 0   ---------+-------------------+------           poll: what is that near to the first
 *     GPU 1   ----------+-------------------+-----           change of any belongs to it
 *     GPU 2   ----------------------------+-------
 *     moments          |                  |                  begins at the first, with the values after the last
 */
struct crowd {
	const struct signal *many;
	size_t n;
	time_ms poll;
	double stand_in; /* what a missing value counts as; NAN: as missing */
	size_t *piece; /* of each signal, at `last` */
	time_ms *until; /* when that piece ends */
	double *value;
	time_ms now, last, next, end; /* the moment [now, next), whose changes are those in [now, last] */
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

static void crowd_use(struct crowd *c, const size_t i, const size_t piece)
{
	const double value = c->many[i].at[piece].value;

	c->piece[i] = piece;
	c->until[i] = piece_end(&c->many[i], piece);
	c->value[i] = isnan(value) ? c->stand_in : value;
}

/* The last ms that belongs to the moment: nobody changes twice in it. */
static time_ms crowd_limit(const struct crowd *c)
{
	time_ms limit = sooner(c->now + c->poll, c->end - 1);

	for (size_t i = 0; i < c->n && c->poll > 0; i++)
		if (c->until[i] <= limit && c->piece[i] + 1 < c->many[i].n)
			limit = later(sooner(limit, piece_end(&c->many[i], c->piece[i] + 1) - 1), c->now);
	return limit;
}

/* Takes in what changes in the moment that begins now. */
static void crowd_take(struct crowd *c)
{
	const time_ms limit = crowd_limit(c);

	c->last = c->now;
	c->next = c->end;
	for (size_t i = 0; i < c->n; i++) {
		if (c->until[i] <= limit) {
			c->last = later(c->last, c->until[i]);
			crowd_use(c, i, c->piece[i] + 1);
		}
		c->next = sooner(c->next, c->until[i]);
	}
}

static void crowd_seek(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	for (size_t i = 0; i < c->n; i++)
		crowd_use(c, i, piece_at(&c->many[i], begin));
	crowd_take(c);
}

/* At a moment's begin, as the one before leaves it. */
static void crowd_begin(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	for (size_t i = 0; i < c->n; i++)
		crowd_use(c, i, piece_at(&c->many[i], later(begin - 1, c->many[i].at[0].begin)));
	if (begin < c->end)
		crowd_take(c);
}

/* To the next moment. */
static void crowd_move(struct crowd *c)
{
	c->now = c->next;
	if (c->now < c->end)
		crowd_take(c);
}

static struct crowd crowd_new(
	struct arena *scratch, const struct signal *many, const size_t n, const time_ms poll, const double stand_in)
{
	return (struct crowd){
		.many = many,
		.n = n,
		.poll = poll,
		.stand_in = stand_in,
		.piece = NEW_ARRAY(scratch, size_t, n),
		.until = NEW_ARRAY(scratch, time_ms, n),
		.value = NEW_ARRAY(scratch, double, n),
		.end = crowd_span(many, n).end,
	};
}

static double crowd_value(const struct crowd *c, const size_t i)
{
	return c->value[i];
}

/* Each weighs the same, whenever it is. */
static struct summary crowd_summary(const struct crowd *c, const enum fold fold)
{
	static const struct span once = { 0, 1 };
	struct summary sum = { 0 };

	for (size_t i = 0; i < c->n; i++)
		sum = summary_join(fold, sum, summary_of(fold, crowd_value(c, i), once));
	return sum;
}

/* The members by value, those without one behind all others. */
struct sorted {
	double *values;
	size_t *who;
};

static struct sorted sorted_new(struct arena *scratch, const size_t n)
{
	const struct sorted s = { NEW_ARRAY(scratch, double, n), NEW_ARRAY(scratch, size_t, n) };

	for (size_t i = 0; i < n; i++)
		s.who[i] = i;
	return s;
}

static bool comes_before(const double a, const double b)
{
	return a < b || (isnan(b) && !isnan(a));
}

/* Of each `gap`-th. */
static void sort_by_insertion(struct sorted *s, const size_t n, const size_t gap)
{
	for (size_t i = gap; i < n; i++) {
		const double value = s->values[i];
		const size_t who = s->who[i];
		size_t place = i;

		for (; place >= gap && comes_before(value, s->values[place - gap]); place -= gap) {
			s->values[place] = s->values[place - gap];
			s->who[place] = s->who[place - gap];
		}
		s->values[place] = value;
		s->who[place] = who;
	}
}

/*
 * The order of the moment before is nearly right, so that sorting by insertion mostly only looks; where many have changed places, each of
 * them would go past all the others: a Shell sort, with the gaps of Ciura (2001).
 */
static void sorted_update(struct sorted *s, const struct crowd *c)
{
	static const size_t gaps[] = { 301, 132, 57, 23, 10, 4 };
	enum { FEW = 8 };
	size_t n_changed = 0;

	for (size_t i = 0; i < c->n; i++) {
		s->values[i] = c->value[s->who[i]];
		n_changed += i > 0 && comes_before(s->values[i], s->values[i - 1]);
	}
	for (size_t g = 0; g < sizeof gaps / sizeof gaps[0] && n_changed > FEW; g++)
		sort_by_insertion(s, c->n, gaps[g]);
	sort_by_insertion(s, c->n, 1);
}

static double crowd_quantile(const struct crowd *c, struct sorted *sorted, const int percent)
{
	const size_t at_or_below = (c->n * (size_t)percent + 99) / 100;

	sorted_update(sorted, c);
	return sorted->values[at_or_below - 1];
}

static bool crowd_is_known(const struct crowd *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (isnan(crowd_value(c, i)))
			return false;
	return true;
}

/* Of those for which something else stands in, too. */
static size_t crowd_missing(const struct crowd *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += isnan(c->many[i].at[c->piece[i]].value) != 0;
	return n;
}

/* Bounds are asked for where some are known, and not all. */
static bool crowd_counts(const struct crowd *c)
{
	const size_t n_missing = isnan(c->stand_in) ? 0 : crowd_missing(c);

	return isnan(c->stand_in) || (n_missing > 0 && n_missing < c->n);
}

static double crowd_fold(const struct crowd *c, struct sorted *sorted, const enum fold fold)
{
	if (!crowd_is_known(c) || !crowd_counts(c))
		return NAN;
	if (fold_percent(fold) > 0)
		return crowd_quantile(c, sorted, fold_percent(fold));
	const struct summary sum = crowd_summary(c, fold);
	return summary_fold(fold, &sum);
}

/* ------ in parts of time ------ */

/* A walk in parts of time, side by side: a part begins where a moment begins for sure, whatever was before. */
struct part {
	time_ms begin, end;
	void *found; /* what the walk made of each moment, in order; from grow() */
	size_t n, room;
};
struct parts {
	const struct signal *many;
	size_t n;
	time_ms poll;
	enum fold fold;
	double stand_in; /* NAN; or something, and only moments count where some signals miss a value and some don't */
	struct part part[WORKERS_MAX];
	size_t n_parts;
};

bool poll_begins_in(const struct signal *many, const size_t n, const time_ms poll, const struct span within, time_ms *when)
{
	struct arena scratch;

	arena_init(&scratch);
	struct crowd c = crowd_new(&scratch, many, n, poll, NAN);
	crowd_seek(&c, within.begin);
	time_ms last = c.now + poll; /* what was before is not known here */
	do {
		last = later(last, c.last);
		crowd_move(&c);
	} while (c.now < within.end && c.now - last <= poll);
	arena_release(&scratch);
	*when = c.now;
	return c.now < within.end;
}

static time_ms sure_begin(const struct parts *all, const time_ms from, const time_ms end)
{
	time_ms when;

	return poll_begins_in(all->many, all->n, all->poll, (struct span){ from, end }, &when) ? when : end;
}

static void part_time(struct parts *all, const struct span time)
{
	time_ms begin = time.begin;

	for (size_t i = 1; i <= all->n_parts; i++) {
		const time_ms middle = time.begin + span_length(time) / (time_ms)all->n_parts * (time_ms)i;
		const time_ms end = i < all->n_parts ? sure_begin(all, later(middle, begin), time.end) : time.end;
		all->part[i - 1] = (struct part){ .begin = begin, .end = end };
		begin = end;
	}
}

/* So many pieces are worth a thread. */
#define PIECES_OF_A_PART ((size_t)1 << 18)

static size_t count_pieces(const struct signal *many, const size_t n)
{
	size_t n_pieces = 0;

	for (size_t i = 0; i < n; i++)
		n_pieces += many[i].n;
	return n_pieces;
}

static size_t parts_worth(const struct signal *many, const size_t n)
{
	return workers_count(1 + count_pieces(many, n) / PIECES_OF_A_PART);
}

static void walk_parts(struct parts *parts, const struct span time, void (*walk)(void *parts, size_t worker, size_t part))
{
	part_time(parts, time);
	if (count_pieces(parts->many, parts->n) >= PIECES_OF_A_PART) {
		workers_run(parts->n_parts, parts->n_parts, walk, parts);
		return;
	}
	for (size_t i = 0; i < parts->n_parts; i++)
		walk(parts, 0, i);
}

/* ------ all of them ------ */

static void fold_part(void *context, size_t worker, size_t job)
{
	struct parts *const all = context;
	struct part *const part = &all->part[job];
	struct arena scratch;
	struct pieces found = { NULL, 0 };

	(void)worker;
	arena_init(&scratch);
	struct crowd c = crowd_new(&scratch, all->many, all->n, all->poll, all->stand_in);
	struct sorted sorted = sorted_new(&scratch, all->n);
	c.end = part->end;
	for (crowd_begin(&c, part->begin); c.now < c.end; crowd_move(&c)) {
		found.at = part->found = grow(part->found, &part->room, found.n + 1, sizeof *found.at);
		pieces_add(&found, c.now, crowd_fold(&c, &sorted, all->fold));
	}
	part->n = found.n;
	arena_release(&scratch);
}

static struct signal join_pieces(struct arena *mem, const struct parts *all, const time_ms end)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n_parts; i++)
		n += all->part[i].n;
	struct pieces result = pieces_new(mem, n);
	for (size_t i = 0; i < all->n_parts; i++) {
		const struct piece *const found = all->part[i].found;
		for (size_t k = 0; k < all->part[i].n; k++)
			pieces_add(&result, found[k].begin, found[k].value);
		grow_free(all->part[i].found);
	}
	return pieces_signal(&result, end);
}

static struct signal fold_across(
	struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll, const double stand_in)
{
	struct parts parts = { .many = many, .n = n, .poll = poll, .fold = fold, .stand_in = stand_in };
	const struct span all = crowd_span(many, n);

	if (span_length(all) <= 0)
		return signal_nowhere(all.end);
	parts.n_parts = parts_worth(many, n);
	walk_parts(&parts, all, fold_part);
	return join_pieces(mem, &parts, all.end);
}

struct signal signal_across(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll)
{
	if (!(fold_table[fold].over & OVER_SETS))
		BUG("no fold over sets");
	if (n == 0)
		return signal_nowhere(0);
	if (n == 1 && fold_keeps_one(fold))
		return signal_kept(mem, many[0]);
	return fold_across(mem, many, n, fold, poll, NAN);
}

/* ------ where some are not known ------ */

static struct spans missing_in(struct arena *mem, const struct signal *s, struct spans within)
{
	struct span *at = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (isnan(s->at[i].value)) {
			at = arena_array_next(mem, at, n, sizeof *at);
			at[n++] = (struct span){ s->at[i].begin, piece_end(s, i) };
		}
	return spans_intersection(mem, (struct spans){ at, n }, within);
}

/* Is there time in which one of them is not known, and another one is? A moment has what changes up to a poll after it begins. */
static bool are_partly_known(const struct signal *many, const size_t n, const time_ms poll, const struct spans within)
{
	struct arena scratch;
	bool are_same = true;

	if (n < 2)
		return false;
	arena_init(&scratch);
	const struct spans asked = spans_widened(&scratch, within, 0, poll, crowd_span(many, n));
	const struct spans first = missing_in(&scratch, &many[0], asked);
	for (size_t i = 1; i < n && are_same; i++)
		are_same = spans_are_same(first, missing_in(&scratch, &many[i], asked));
	arena_release(&scratch);
	return !are_same;
}

static bool has_bounds(const enum fold fold)
{
	return fold == FOLD_MIN || fold == FOLD_MAX || fold_percent(fold) > 0;
}

bool signal_across_bounds(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const struct domain of, const struct spans within, struct bounds *out)
{
	if (!has_bounds(fold) || !are_partly_known(many, n, poll, within))
		return false;
	out->low = fold_across(mem, many, n, fold, poll, of.low);
	out->high = fold_across(mem, many, n, fold, poll, of.high);
	return true;
}

/* ------ all but one ------ */

/*
 * What is left without one of n follows from a few numbers about all n, the same for whoever is left out:
 *
 *     s1 <= s2 <= ... <= sn       the k-th of the others is s(k + 1) for those up to sk, sk for those above
 *     sum                         the others' is less by what the one has
 *
 * Missing values stand behind all others: with one of them the rest is known only for the one who misses it.
 */
struct moment {
	time_ms begin, last;
	double low[2], high[2], sum; /* low: those at `rank`; high: the last two of all */
	size_t n_missing;
};

static size_t rank_in(const enum fold fold, const size_t n_others)
{
	if (fold == FOLD_MAX)
		return n_others - 1;
	return fold_percent(fold) > 0 ? (n_others * (size_t)fold_percent(fold) + 99) / 100 - 1 : 0;
}

/*
 * The highest of the others is the highest of all for everybody but the one who has it, and he has the second: no more is
 * kept, once for as long as it stays, and the signals themselves are not needed again. With the lowest it is the same.
 */
struct extreme {
	int64_t begin_and_who;  /* WHO_MAX times the one and the other: there are many of them */
	double of_most, of_one; /* for all but `who`, and for him */
};
#define WHO_MAX 65536

static size_t extreme_who(const struct extreme *e)
{
	return (size_t)e->begin_and_who & (WHO_MAX - 1);
}

static time_ms extreme_begin(const struct extreme *e)
{
	return (e->begin_and_who - (time_ms)extreme_who(e)) / WHO_MAX;
}

static bool is_extreme(const enum fold fold)
{
	return fold == FOLD_MIN || fold == FOLD_MAX;
}

static struct moment moment_of(const struct crowd *c, const double *sorted, const size_t rank)
{
	struct moment m = {
		.begin = c->now,
		.last = c->last,
		.low = { sorted[rank], sorted[rank + 1] },
		.high = { sorted[c->n - 2], sorted[c->n - 1] },
	};

	for (size_t i = 0; i < c->n; i++) {
		if (isnan(sorted[i]))
			m.n_missing++;
		else
			m.sum += sorted[i];
	}
	if (!crowd_counts(c))
		m.n_missing = c->n;
	return m;
}

/* Who alone has no value knows what the others make, and nobody else does. */
static struct extreme extreme_of(const struct crowd *c, const enum fold fold)
{
	const bool is_high = fold == FOLD_MAX;
	double first = is_high ? -INFINITY : INFINITY, second = first;
	size_t who = 0, n_missing = 0, who_misses = 0;

	if (!crowd_counts(c))
		return (struct extreme){ c->now * WHO_MAX, (double)NAN, (double)NAN };

	for (size_t i = 0; i < c->n; i++) {
		const double value = c->value[i];

		if (isnan(value)) {
			who_misses = i;
			n_missing++;
		} else if (is_high ? value > first : value < first) {
			second = first;
			first = value;
			who = i;
		} else if (is_high ? value > second : value < second) {
			second = value;
		}
	}
	if (n_missing > 0)
		return (struct extreme){ c->now * WHO_MAX + (int64_t)who_misses, (double)NAN, n_missing == 1 ? first : (double)NAN };
	return (struct extreme){ c->now * WHO_MAX + (int64_t)who, first, second };
}

static bool is_same_value(const double a, const double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void extremes_add(struct part *part, const struct extreme e)
{
	const struct extreme *const last = part->n ? (const struct extreme *)part->found + part->n - 1 : NULL;
	const bool is_same = last && is_same_value(last->of_most, e.of_most) && is_same_value(last->of_one, e.of_one)
		&& (extreme_who(last) == extreme_who(&e) || is_same_value(e.of_most, e.of_one));

	if (is_same)
		return;
	struct extreme *const all = part->found = grow(part->found, &part->room, part->n + 1, sizeof *all);
	all[part->n++] = e;
}

/* Moments of which nobody is to know anything are one. */
static void moments_add(struct part *part, const struct moment m, const size_t n_members)
{
	struct moment *const all = part->found = grow(part->found, &part->room, part->n + 1, sizeof *all);

	if (part->n > 0 && m.n_missing == n_members && all[part->n - 1].n_missing == n_members)
		all[part->n - 1].last = m.last;
	else
		all[part->n++] = m;
}

static void keep_extreme(struct part *part, const struct crowd *c, struct sorted *sorted, const enum fold fold)
{
	(void)sorted;
	extremes_add(part, extreme_of(c, fold));
}

static void keep_moment(struct part *part, const struct crowd *c, struct sorted *sorted, const enum fold fold)
{
	sorted_update(sorted, c);
	moments_add(part, moment_of(c, sorted->values, rank_in(fold, c->n - 1)), c->n);
}

static void walk_part(const struct parts *all, struct part *part,
	void (*keep)(struct part *part, const struct crowd *c, struct sorted *sorted, enum fold fold))
{
	struct arena scratch;

	arena_init(&scratch);
	struct crowd c = crowd_new(&scratch, all->many, all->n, all->poll, all->stand_in);
	struct sorted sorted = sorted_new(&scratch, all->n);
	c.end = part->end;
	for (crowd_begin(&c, part->begin); c.now < c.end; crowd_move(&c))
		keep(part, &c, &sorted, all->fold);
	arena_release(&scratch);
}

static void walk_extremes(void *context, size_t worker, size_t job)
{
	struct parts *const all = context;

	(void)worker;
	walk_part(all, &all->part[job], keep_extreme);
}

static void walk_moments(void *context, size_t worker, size_t job)
{
	struct parts *const all = context;

	(void)worker;
	walk_part(all, &all->part[job], keep_moment);
}

/* What all parts found, one behind the other. */
static void *join_parts(struct arena *mem, struct parts *all, const size_t size_bytes, size_t *n)
{
	unsigned char *joined, *end;

	for (size_t i = 0; i < all->n_parts; i++)
		*n += all->part[i].n;
	joined = end = arena_raw_array(mem, *n, size_bytes);
	for (size_t i = 0; i < all->n_parts; i++) {
		if (all->part[i].n)
			memcpy(end, all->part[i].found, all->part[i].n * size_bytes);
		end += all->part[i].n * size_bytes;
		grow_free(all->part[i].found);
	}
	return joined;
}

static struct others others_as(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const size_t n_parts, const double stand_in)
{
	struct others o = { .many = many, .n = n, .n_parts = n_parts, .fold = fold, .poll = poll, .stand_in = stand_in };
	const struct span all = n ? crowd_span(many, n) : (struct span){ 0, 0 };
	struct parts parts = { .many = many, .n = n, .poll = poll, .fold = fold, .stand_in = stand_in, .n_parts = n_parts };

	o.end = all.end;
	if (n < 2 || fold == FOLD_STDDEV || span_length(all) <= 0)
		return o;
	if (is_extreme(fold) && n <= WHO_MAX) {
		walk_parts(&parts, all, walk_extremes);
		o.extremes = join_parts(mem, &parts, sizeof *o.extremes, &o.n_extremes);
		o.many = NULL;
		return o;
	}
	walk_parts(&parts, all, walk_moments);
	o.moments = join_parts(mem, &parts, sizeof *o.moments, &o.n_moments);
	return o;
}

struct others others_new_in(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const size_t n_parts)
{
	return others_as(mem, many, n, fold, poll, n_parts, NAN);
}

void others_find_bounds(
	struct arena *mem, struct others *o, const struct signal *many, const struct domain of, const struct spans within)
{
	struct others *bounds;

	if (!has_bounds(o->fold) || !are_partly_known(many, o->n, o->poll, within))
		return;
	bounds = NEW_ARRAY(mem, struct others, 2);
	bounds[0] = others_as(mem, many, o->n, o->fold, o->poll, o->n_parts, of.low);
	bounds[1] = others_as(mem, many, o->n, o->fold, o->poll, o->n_parts, of.high);
	o->low = &bounds[0];
	o->high = &bounds[1];
}

struct others others_new(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll)
{
	return others_new_in(mem, many, n, fold, poll, parts_worth(many, n));
}

/* Of the pair at a rank in all, the one at that rank in the others. */
static double left_at(const double pair[2], const double own)
{
	return own <= pair[0] ? pair[1] : pair[0];
}

static double highest_left(const struct moment *m, const double own)
{
	return own >= m->high[1] ? m->high[0] : m->high[1];
}

/* A mean lies between its values, whatever was rounded. */
static double mean_left(const struct moment *m, const double own, const double n_others)
{
	const double mean = (m->sum - own) / n_others, low = left_at(m->low, own), high = highest_left(m, own);

	return mean < low ? low : mean > high ? high : mean;
}

/* Only this member's value is missing, or none: what all others make. */
static double fold_left(const struct moment *m, const double own, const enum fold fold, const size_t n_others)
{
	switch (fold) {
	case FOLD_SUM:
		return m->sum - own;
	case FOLD_MEAN:
		return mean_left(m, own, (double)n_others);
	case FOLD_SPREAD:
		return highest_left(m, own) - left_at(m->low, own);
	default:
		return left_at(m->low, own);
	}
}

static double fold_without(const struct others *o, const struct moment *m, const double logged)
{
	const double own = isnan(logged) ? o->stand_in : logged;
	struct moment known = *m;

	if (m->n_missing != (isnan(own) ? 1 : 0))
		return NAN;
	if (!isnan(own))
		return fold_left(m, own, o->fold, o->n - 1);
	/* As if it were the last of all, and nothing. */
	known.low[1] = known.low[0];
	known.high[1] = known.high[0];
	return fold_left(&known, o->fold == FOLD_SUM || o->fold == FOLD_MEAN ? 0 : INFINITY, o->fold, o->n - 1);
}

static struct signal without_one(struct arena *mem, const struct others *o, const size_t member)
{
	struct signal *rest = NEW_ARRAY(mem, struct signal, o->n);
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (i != member)
			rest[n++] = o->many[i];
	return signal_across(mem, rest, n, o->fold, o->poll);
}

static struct signal extreme_without(struct arena *mem, const struct others *o, const size_t member)
{
	struct pieces result = pieces_new(mem, o->n_extremes);

	for (size_t i = 0; i < o->n_extremes; i++) {
		const struct extreme *const e = &o->extremes[i];

		pieces_add(&result, extreme_begin(e), extreme_who(e) == member ? e->of_one : e->of_most);
	}
	return pieces_signal(&result, o->end);
}

struct signal others_fold(struct arena *mem, const struct others *o, const size_t member)
{
	if (o->extremes)
		return extreme_without(mem, o, member);
	if (!o->moments)
		return without_one(mem, o, member);
	const struct signal *const own = &o->many[member];
	struct pieces result = pieces_new(mem, o->n_moments);
	size_t piece = 0;

	for (size_t i = 0; i < o->n_moments; i++) {
		while (piece_end(own, piece) <= o->moments[i].last)
			piece++;
		pieces_add(&result, o->moments[i].begin, fold_without(o, &o->moments[i], own->at[piece].value));
	}
	return pieces_signal(&result, o->end);
}

bool others_bounds(struct arena *mem, const struct others *o, const size_t member, struct bounds *out)
{
	if (!o->low)
		return false;
	out->low = others_fold(mem, o->low, member);
	out->high = others_fold(mem, o->high, member);
	return true;
}
