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
	size_t *piece; /* of each signal, at `last` */
	time_ms *until; /* when that piece ends */
	double *value;
	size_t n_missing; /* of the values */
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
	c->piece[i] = piece;
	c->until[i] = piece_end(&c->many[i], piece);
	c->value[i] = c->many[i].at[piece].value;
	c->n_missing += isnan(c->value[i]) != 0;
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
			c->n_missing -= isnan(c->value[i]) != 0;
			crowd_use(c, i, c->piece[i] + 1);
		}
		c->next = sooner(c->next, c->until[i]);
	}
}

static void crowd_seek(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	c->n_missing = 0;
	for (size_t i = 0; i < c->n; i++)
		crowd_use(c, i, piece_at(&c->many[i], begin));
	crowd_take(c);
}

/* At a moment's begin, as the one before leaves it. */
static void crowd_begin(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	c->n_missing = 0;
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

static struct crowd crowd_new(struct arena *scratch, const struct signal *many, const size_t n, const time_ms poll)
{
	return (struct crowd){
		.many = many,
		.n = n,
		.poll = poll,
		.piece = NEW_ARRAY(scratch, size_t, n),
		.until = NEW_ARRAY(scratch, time_ms, n),
		.value = NEW_ARRAY(scratch, double, n),
		.end = crowd_span(many, n).end,
	};
}

/* ------ one moment ------ */

/*
 * The number that is asked for, and what it would be if all that is missing were as low, or as high, as can be: of moments in which some
 * values are missing, and not all. One walk tells them all.
 */
enum side { AS_KNOWN, AT_LEAST, AT_MOST, N_SIDES };

/* A moment as a side sees it. */
struct look {
	time_ms now, last;
	const double *values; /* NULL: nothing is to be known of it */
	size_t n, n_missing; /* of the values */
};

/* `room`: for n values. */
static struct look look_of(const struct crowd *c, double *room, const double stand_in)
{
	struct look l = { .now = c->now, .last = c->last, .n = c->n };

	if (c->n_missing == 0 || c->n_missing == c->n)
		return l;
	for (size_t i = 0; i < c->n; i++)
		room[i] = isnan(c->value[i]) ? stand_in : c->value[i];
	l.values = room;
	return l;
}

static struct look look_as_known(const struct crowd *c)
{
	return (struct look){ c->now, c->last, c->value, c->n, c->n_missing };
}

/* Each weighs the same, whenever it is. */
static struct summary look_summary(const struct look *l, const enum fold fold)
{
	static const struct span once = { 0, 1 };
	struct summary sum = { 0 };

	for (size_t i = 0; i < l->n; i++)
		sum = summary_join(fold, sum, summary_of(fold, l->values[i], once));
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
static void sorted_update(struct sorted *s, const struct look *l)
{
	static const size_t gaps[] = { 301, 132, 57, 23, 10, 4 };
	enum { FEW = 8 };
	size_t n_changed = 0;

	for (size_t i = 0; i < l->n; i++) {
		s->values[i] = l->values[s->who[i]];
		n_changed += i > 0 && comes_before(s->values[i], s->values[i - 1]);
	}
	for (size_t g = 0; g < sizeof gaps / sizeof gaps[0] && n_changed > FEW; g++)
		sort_by_insertion(s, l->n, gaps[g]);
	sort_by_insertion(s, l->n, 1);
}

static double look_quantile(const struct look *l, struct sorted *sorted, const int percent)
{
	const size_t at_or_below = (l->n * (size_t)percent + 99) / 100;

	sorted_update(sorted, l);
	return sorted->values[at_or_below - 1];
}

static double look_fold(const struct look *l, struct sorted *sorted, const enum fold fold)
{
	if (!l->values || l->n_missing)
		return NAN;
	if (fold_percent(fold) > 0)
		return look_quantile(l, sorted, fold_percent(fold));
	const struct summary sum = look_summary(l, fold);
	return summary_fold(fold, &sum);
}

/* ------ in parts of time ------ */

struct found { /* what a walk made of each moment for a side, in order */
	void *at; /* from grow() */
	size_t n, room;
};
/* A walk in parts of time, side by side: a part begins where a moment begins for sure, whatever was before. */
struct part {
	time_ms begin, end;
	struct found found[N_SIDES];
};
struct parts {
	const struct signal *many;
	size_t n;
	time_ms poll;
	enum fold fold;
	void (*keep)(struct found *found, const struct look *l, struct sorted *sorted, enum fold fold);
	double stand_in[N_SIDES]; /* what a missing value counts as; NAN of what is known */
	size_t n_sides;           /* that, or all */
	struct part part[WORKERS_MAX];
	size_t n_parts;
};

bool poll_begins_in(const struct signal *many, const size_t n, const time_ms poll, const struct span within, time_ms *when)
{
	struct arena scratch;

	arena_init(&scratch);
	struct crowd c = crowd_new(&scratch, many, n, poll);
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

static void walk_part(void *context, size_t worker, size_t job)
{
	struct parts *const all = context;
	struct part *const part = &all->part[job];
	struct sorted sorted[N_SIDES];
	struct arena scratch;

	(void)worker;
	arena_init(&scratch);
	struct crowd c = crowd_new(&scratch, all->many, all->n, all->poll);
	double *const room = NEW_ARRAY(&scratch, double, all->n);
	for (size_t side = 0; side < all->n_sides; side++)
		sorted[side] = sorted_new(&scratch, all->n);
	c.end = part->end;
	for (crowd_begin(&c, part->begin); c.now < c.end; crowd_move(&c))
		for (size_t side = 0; side < all->n_sides; side++) {
			const struct look l = side == AS_KNOWN ? look_as_known(&c) : look_of(&c, room, all->stand_in[side]);

			all->keep(&part->found[side], &l, &sorted[side], all->fold);
		}
	arena_release(&scratch);
}

static void walk_parts(struct parts *parts, const struct span time)
{
	part_time(parts, time);
	if (count_pieces(parts->many, parts->n) >= PIECES_OF_A_PART) {
		workers_run(parts->n_parts, parts->n_parts, walk_part, parts);
		return;
	}
	for (size_t i = 0; i < parts->n_parts; i++)
		walk_part(parts, 0, i);
}

/* What all parts found for a side, one behind the other. */
static void *join_found(struct arena *mem, const struct parts *all, const enum side side, const size_t size_bytes, size_t *n)
{
	unsigned char *joined, *end;

	*n = 0;
	for (size_t i = 0; i < all->n_parts; i++)
		*n += all->part[i].found[side].n;
	joined = end = arena_raw_array(mem, *n, size_bytes);
	for (size_t i = 0; i < all->n_parts; i++) {
		const struct found *const found = &all->part[i].found[side];
		if (found->n)
			memcpy(end, found->at, found->n * size_bytes);
		end += found->n * size_bytes;
		grow_free(found->at);
	}
	return joined;
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

/* Which sides there are: `b` NULL, only what is known. */
static void parts_bound(struct parts *parts, const struct bounding *b)
{
	const bool has_sides = b && has_bounds(parts->fold) && are_partly_known(parts->many, parts->n, parts->poll, b->within);

	parts->n_sides = has_sides ? N_SIDES : 1;
	parts->stand_in[AS_KNOWN] = NAN;
	if (has_sides) {
		parts->stand_in[AT_LEAST] = b->of.low;
		parts->stand_in[AT_MOST] = b->of.high;
	}
}

/* ------ all of them ------ */

static void keep_piece(struct found *found, const struct look *l, struct sorted *sorted, const enum fold fold)
{
	struct pieces pieces = { found->at = grow(found->at, &found->room, found->n + 1, sizeof *pieces.at), found->n };

	pieces_add(&pieces, l->now, look_fold(l, sorted, fold));
	found->n = pieces.n;
}

static struct signal join_pieces(struct arena *mem, const struct parts *all, const enum side side, const time_ms end)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n_parts; i++)
		n += all->part[i].found[side].n;
	struct pieces result = pieces_new(mem, n);
	for (size_t i = 0; i < all->n_parts; i++) {
		const struct found *const part = &all->part[i].found[side];
		const struct piece *const found = part->at;
		for (size_t k = 0; k < part->n; k++)
			pieces_add(&result, found[k].begin, found[k].value);
		grow_free(part->at);
	}
	return pieces_signal(&result, end);
}

bool signal_across_bounds(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const struct bounding *b, struct signal *number, struct bounds *out)
{
	struct parts parts = { .many = many, .n = n, .poll = poll, .fold = fold, .keep = keep_piece };

	if (!(fold_table[fold].over & OVER_SETS))
		BUG("no fold over sets");
	const struct span all = n ? crowd_span(many, n) : (struct span){ 0, 0 };
	if (n == 1 && fold_keeps_one(fold)) {
		*number = signal_kept(mem, many[0]);
		return false;
	}
	if (span_length(all) <= 0) {
		*number = signal_nowhere(all.end);
		return false;
	}
	parts_bound(&parts, b);
	parts.n_parts = parts_worth(many, n);
	walk_parts(&parts, all);
	*number = join_pieces(mem, &parts, AS_KNOWN, all.end);
	if (parts.n_sides < N_SIDES)
		return false;
	out->low = join_pieces(mem, &parts, AT_LEAST, all.end);
	out->high = join_pieces(mem, &parts, AT_MOST, all.end);
	return true;
}

struct signal signal_across(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll)
{
	struct signal number;
	struct bounds none;

	signal_across_bounds(mem, many, n, fold, poll, NULL, &number, &none);
	return number;
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

static struct moment moment_of(const struct look *l, const double *sorted, const size_t rank)
{
	struct moment m = {
		.begin = l->now,
		.last = l->last,
		.low = { sorted[rank], sorted[rank + 1] },
		.high = { sorted[l->n - 2], sorted[l->n - 1] },
		.n_missing = l->n_missing,
	};

	for (size_t i = 0; i + l->n_missing < l->n; i++)
		m.sum += sorted[i];
	return m;
}

/* Who alone has no value knows what the others make, and nobody else does. */
static struct extreme extreme_of(const struct look *l, const enum fold fold)
{
	const bool is_high = fold == FOLD_MAX;
	double first = is_high ? -INFINITY : INFINITY, second = first;
	size_t who = 0, n_missing = 0, who_misses = 0;

	if (!l->values)
		return (struct extreme){ l->now * WHO_MAX, (double)NAN, (double)NAN };

	for (size_t i = 0; i < l->n; i++) {
		const double value = l->values[i];

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
		return (struct extreme){ l->now * WHO_MAX + (int64_t)who_misses, (double)NAN, n_missing == 1 ? first : (double)NAN };
	return (struct extreme){ l->now * WHO_MAX + (int64_t)who, first, second };
}

static bool is_same_value(const double a, const double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void extremes_add(struct found *found, const struct extreme e)
{
	const struct extreme *const last = found->n ? (const struct extreme *)found->at + found->n - 1 : NULL;
	const bool is_same = last && is_same_value(last->of_most, e.of_most) && is_same_value(last->of_one, e.of_one)
		&& (extreme_who(last) == extreme_who(&e) || is_same_value(e.of_most, e.of_one));

	if (is_same)
		return;
	struct extreme *const all = found->at = grow(found->at, &found->room, found->n + 1, sizeof *all);
	all[found->n++] = e;
}

/* Moments of which nobody is to know anything are one. */
static void moments_add(struct found *found, const struct moment m, const size_t n_members)
{
	struct moment *const all = found->at = grow(found->at, &found->room, found->n + 1, sizeof *all);

	if (found->n > 0 && m.n_missing == n_members && all[found->n - 1].n_missing == n_members)
		all[found->n - 1].last = m.last;
	else
		all[found->n++] = m;
}

static void keep_extreme(struct found *found, const struct look *l, struct sorted *sorted, const enum fold fold)
{
	(void)sorted;
	extremes_add(found, extreme_of(l, fold));
}

static void keep_moment(struct found *found, const struct look *l, struct sorted *sorted, const enum fold fold)
{
	if (!l->values) {
		moments_add(found, (struct moment){ .begin = l->now, .last = l->last, .n_missing = l->n }, l->n);
		return;
	}
	sorted_update(sorted, l);
	moments_add(found, moment_of(l, sorted->values, rank_in(fold, l->n - 1)), l->n);
}

/* What was found for a side; `o` tells of what. */
static struct others others_of(struct arena *mem, const struct parts *parts, const enum side side, struct others o)
{
	o.stand_in = parts->stand_in[side];
	if (parts->keep == keep_extreme) {
		o.extremes = join_found(mem, parts, side, sizeof *o.extremes, &o.n_extremes);
		o.many = NULL;
	} else {
		o.moments = join_found(mem, parts, side, sizeof *o.moments, &o.n_moments);
	}
	return o;
}

struct others others_new_in(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const size_t n_parts, const struct bounding *b)
{
	const struct span all = n ? crowd_span(many, n) : (struct span){ 0, 0 };
	const bool is_kept_as_extreme = is_extreme(fold) && n <= WHO_MAX;
	struct parts parts = {
		.many = many,
		.n = n,
		.poll = poll,
		.fold = fold,
		.keep = is_kept_as_extreme ? keep_extreme : keep_moment,
		.n_parts = n_parts,
	};
	const struct others o = { .many = many, .n = n, .fold = fold, .poll = poll, .stand_in = NAN, .end = all.end };

	if (n < 2 || fold == FOLD_STDDEV || span_length(all) <= 0)
		return o;
	parts_bound(&parts, b);
	walk_parts(&parts, all);
	struct others known = others_of(mem, &parts, AS_KNOWN, o);
	if (parts.n_sides == N_SIDES) {
		struct others *const bounds = NEW_ARRAY(mem, struct others, 2);
		bounds[0] = others_of(mem, &parts, AT_LEAST, o);
		bounds[1] = others_of(mem, &parts, AT_MOST, o);
		known.low = &bounds[0];
		known.high = &bounds[1];
	}
	return known;
}

struct others others_new(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold, const time_ms poll,
	const struct bounding *b)
{
	return others_new_in(mem, many, n, fold, poll, parts_worth(many, n), b);
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

/* What the others make if this member has `own`; missing values count as something, or are missing. */
static double fold_without(const struct others *o, const struct moment *m, const double own)
{
	if (!isnan(own))
		return m->n_missing ? (double)NAN : fold_left(m, own, o->fold, o->n - 1);
	if (m->n_missing != 1)
		return NAN;
	/* As if it were the last of all, and nothing. */
	struct moment known = *m;
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
		const double value = own->at[piece].value;
		pieces_add(&result, o->moments[i].begin, fold_without(o, &o->moments[i], isnan(value) ? o->stand_in : value));
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
