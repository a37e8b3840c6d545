/*
 * crossed.c - one pass over the rows, chunk by chunk.
 *
 *     rows of a chunk      0    1    2    3    4    5   …
 *     power cap            0    1    1    0    1    0       varies: a byte for each row, from the codes of the mask (picking.h)
 *     idle                 -    -    -    -    -    -       never, as the chunk says
 *     busy                 +    +    +    +    +    +       always
 *     kind                 0    1    1    0    1    0       of those there are here: busy; busy and power cap
 *     clock, MHz        1980 1950 1935 1980 1965 1980       kind 0: 1980, kind 1: 1950, kind 1: 1935 …
 *
 * Where nothing varies, the clock neither, the whole chunk is one addition. Chunks with missing cells or late rows, and those few whose
 * codes don't say what is asked, are gone through row by row.
 */
#include "series/crossed.h"

#include "series/picking.h"

enum { MOST_VALUES = 1 << 12, MOST_VARYING = 4 };

/*
 * Rows in a row mostly have the same value, and one addition to a number waits for the one before: so there are several numbers of each
 * value, side by side, that take turns.
 */
enum { TURNS = 4 };

struct walk {
	const struct crossing *asked;
	struct arena *mem;
	struct picking pickings[MOST_FLAGS];
	bool can_pick[MOST_FLAGS];
	bool has_codes;         /* the values */
	fixed low;
	size_t n_values, turns; /* 1 or TURNS */
	struct row_kind kinds[MOST_KINDS];
	size_t n_kinds;
	uint32_t going;         /* picks that the row before is in, which holds until this one */
	size_t stretches[MOST_FLAGS];
};

/* What is known of a chunk's flags. */
struct chunk_flags {
	uint32_t set, varying; /* in all rows; in some */
	size_t n_varying;
	uint32_t flags[MOST_VARYING];          /* a bit each */
	uint64_t bits[MOST_VARYING][PICKED];   /* of the rows */
	uint8_t kinds[CHUNK];                  /* of each row: bit v for varying flag v */
};

static uint32_t all_flags(const struct walk *w)
{
	return (1U << w->asked->n_flags) - 1;
}

/* NULL: they are too many. */
static struct row_kind *kind_of(struct walk *w, const uint32_t set, const uint32_t known)
{
	for (size_t i = 0; i < w->n_kinds; i++)
		if (w->kinds[i].set == set && w->kinds[i].known == known)
			return &w->kinds[i];
	if (w->n_kinds == MOST_KINDS)
		return NULL;
	w->kinds[w->n_kinds] = (struct row_kind){ set, known, 0, NEW_ARRAY(w->mem, time_ms, w->n_values * w->turns) };
	return &w->kinds[w->n_kinds++];
}

/* ------ whole chunks ------ */

/* False where the flags of a row have to be seen. */
static bool look_at_flags(const struct walk *w, const size_t k, struct chunk_flags *f)
{
	f->set = f->varying = 0;
	f->n_varying = 0;
	for (size_t i = 0; i < w->asked->n_flags; i++) {
		const struct chunk *const c = chunk_with(w->asked->flags[i], k * CHUNK);

		if (!c || !c->is_full)
			return false;
		if (c->low > 0)
			f->set |= 1U << i;
		if (c->low > 0 || c->high <= 0)
			continue;
		if (f->n_varying == MOST_VARYING || !w->can_pick[i])
			return false;
		f->flags[f->n_varying++] = 1U << i;
		f->varying |= 1U << i;
	}
	return true;
}

static bool mark_kinds(const struct walk *w, const size_t k, struct chunk_flags *f)
{
	uint8_t is_in[CHUNK];

	memset(f->kinds, 0, sizeof f->kinds);
	for (size_t v = 0; v < f->n_varying; v++) {
		if (!picking_marks(&w->pickings[__builtin_ctz(f->flags[v])], k, is_in))
			return false;
		marks_gather(is_in, f->bits[v]);
		for (size_t i = 0; i < CHUNK; i++)
			f->kinds[i] = (uint8_t)(f->kinds[i] | is_in[i] << v);
	}
	return true;
}

/* Those of the rows that have these varying flags and not those. */
static void pick_rows(const struct chunk_flags *f, const uint32_t with, const uint32_t without, uint64_t picked[PICKED])
{
	for (size_t i = 0; i < PICKED; i++)
		picked[i] = UINT64_MAX;
	for (size_t v = 0; v < f->n_varying; v++)
		for (size_t i = 0; i < PICKED; i++) {
			picked[i] &= f->flags[v] & with ? f->bits[v][i] : UINT64_MAX;
			picked[i] &= f->flags[v] & without ? ~f->bits[v][i] : UINT64_MAX;
		}
}

static void count_stretches(struct walk *w, const struct chunk_flags *f)
{
	uint64_t picked[PICKED];

	for (size_t p = 0; p < w->asked->n_picks; p++) {
		const struct flag_pick pick = w->asked->picks[p];
		const uint32_t going = 1U << p;
		uint64_t before = (w->going & going) != 0;

		w->going &= ~going;
		if ((pick.with & ~(f->set | f->varying)) || pick.without & f->set)
			continue;
		pick_rows(f, pick.with, pick.without, picked);
		for (size_t i = 0; i < PICKED; i++) {
			w->stretches[p] += (size_t)__builtin_popcountll(picked[i] & ~(picked[i] << 1 | before));
			before = picked[i] >> 63;
		}
		w->going |= before ? going : 0;
	}
}

/* Steps of the values of a pack, in whole units: of its first number from the lowest of all, and of its codes. */
struct steps {
	size_t first, each;
};

static bool steps_of(const struct walk *w, const struct pack *p, struct steps *steps)
{
	const uint64_t above = (uint64_t)p->first - (uint64_t)w->low;

	if (p->width > sizeof(uint16_t) || p->slope != 0 || above % FIXED_ONE || (p->width > 0 && p->unit % FIXED_ONE))
		return false;
	*steps = (struct steps){ above / FIXED_ONE, p->width ? p->unit / FIXED_ONE : 0 };
	return true;
}

/* Which number of its kind each row adds to: loops of a length that is known are what compilers make fast. */
static void places_of(const struct walk *w, const struct pack *p, const struct steps *steps, uint16_t *restrict places)
{
	const uint16_t first = (uint16_t)(steps->first * w->turns), each = (uint16_t)(steps->each * w->turns);
	const uint16_t turn = (uint16_t)(w->turns - 1);
	const uint8_t *const restrict bytes = p->codes;
	const uint16_t *const restrict pairs = p->codes;

	for (size_t i = 0; i < CHUNK; i++)
		places[i] = (uint16_t)(first + (i & turn));
	for (size_t i = 0; p->width == sizeof *bytes && i < CHUNK; i++)
		places[i] = (uint16_t)(places[i] + bytes[i] * each);
	for (size_t i = 0; p->width == sizeof *pairs && i < CHUNK; i++)
		places[i] = (uint16_t)(places[i] + pairs[i] * each);
}

/* Do any of the rows have just these of the varying flags? */
static bool has_kind(const struct chunk_flags *f, const uint32_t varying)
{
	uint64_t picked[PICKED], any = 0;

	pick_rows(f, varying, f->varying & ~varying, picked);
	for (size_t i = 0; i < PICKED; i++)
		any |= picked[i];
	return any != 0;
}

/* The numbers of each kind of rows that the chunk has; NULL of others. False: there are too many kinds. */
static bool kinds_of_chunk(struct walk *w, const struct chunk_flags *f, time_ms *into[1 << MOST_VARYING])
{
	for (size_t kind = 0; kind < (size_t)1 << f->n_varying; kind++) {
		uint32_t varying = 0;

		for (size_t v = 0; v < f->n_varying; v++)
			varying |= kind >> v & 1 ? f->flags[v] : 0;
		into[kind] = NULL;
		if (f->n_varying > 0 && !has_kind(f, varying))
			continue;
		const struct row_kind *const found = kind_of(w, f->set | varying, all_flags(w));
		if (!found)
			return false;
		into[kind] = found->by_value;
	}
	return true;
}

static void add_rows(time_ms *const *into, const struct chunk_flags *f, const uint16_t *places, const struct ticks *ticks)
{
	const time_ms slope = ticks->slope;

	for (size_t i = 0; i < CHUNK; i += 4) { /* what a loop takes beside each row is a third of it */
		into[f->kinds[i]][places[i]] += slope + ticks->late[i];
		into[f->kinds[i + 1]][places[i + 1]] += slope + ticks->late[i + 1];
		into[f->kinds[i + 2]][places[i + 2]] += slope + ticks->late[i + 2];
		into[f->kinds[i + 3]][places[i + 3]] += slope + ticks->late[i + 3];
	}
}

enum added { ADDED, NOT_ADDED, TOO_MANY };

static enum added add_chunk(struct walk *w, const size_t k)
{
	const struct track *const t = w->asked->beside;
	const struct chunk *const c = chunk_with(t, k * CHUNK);
	struct chunk_flags f;
	struct ticks ticks;
	struct steps steps;
	time_ms *into[1 << MOST_VARYING];
	uint16_t places[CHUNK];

	if (!w->has_codes || !c || !c->is_full || !steps_of(w, &t->column.at[k], &steps) || !look_at_flags(w, k, &f))
		return NOT_ADDED;
	const bool is_one = f.n_varying == 0 && c->low == c->high;
	if (!is_one && (!chunk_ticks(t, k, &ticks) || !mark_kinds(w, k, &f)))
		return NOT_ADDED;
	if (!kinds_of_chunk(w, &f, into))
		return TOO_MANY;
	if (is_one) {
		into[0][(size_t)(c->low - w->low) / FIXED_ONE * w->turns] += (time_ms)c->known;
	} else {
		places_of(w, &t->column.at[k], &steps, places);
		add_rows(into, &f, places, &ticks);
	}
	count_stretches(w, &f);
	return ADDED;
}

/* ------ row by row ------ */

struct row {
	uint32_t set, known;
	fixed value;
	time_ms begin, until;
	bool goes_on; /* it holds until the next */
};

static void step_stretches(struct walk *w, const struct row *r)
{
	for (size_t p = 0; p < w->asked->n_picks; p++) {
		const struct flag_pick pick = w->asked->picks[p];
		const bool is_in = (r->set & pick.with) == pick.with && !(r->set & pick.without);

		w->stretches[p] += is_in && !(w->going >> p & 1);
		w->going &= ~(1U << p);
		w->going |= is_in && r->goes_on ? 1U << p : 0;
	}
}

/* False where its value is none to count by, or there are too many kinds. */
static bool add_row(struct walk *w, const struct row *r)
{
	struct row_kind *const kind = kind_of(w, r->set, r->known);
	const uint64_t above = (uint64_t)r->value - (uint64_t)w->low;

	if (!kind || (r->value != FIXED_MISSING && above % FIXED_ONE))
		return false;
	if (r->value == FIXED_MISSING)
		kind->held += r->until - r->begin;
	else
		kind->by_value[above / FIXED_ONE * w->turns] += r->until - r->begin;
	step_stretches(w, r);
	return true;
}

static void read_flags(const struct walk *w, const size_t first, const size_t n, struct row *rows)
{
	fixed values[PACK];

	for (size_t f = 0; f < w->asked->n_flags; f++) {
		track_values(w->asked->flags[f], first, n, values);
		for (size_t i = 0; i < n; i++) {
			rows[i].set |= (uint32_t)(values[i] > 0) << f;
			rows[i].known |= (uint32_t)(values[i] != FIXED_MISSING) << f;
		}
	}
}

static void read_times(const struct walk *w, const size_t first, const size_t n, struct row *rows)
{
	const struct track *const t = w->asked->beside;
	const bool is_end = first + n == t->n;
	time_ms times[PACK + 1];

	track_times(t, first, n + !is_end, times);
	for (size_t i = 0; i < n; i++) {
		const bool is_last = is_end && i + 1 == n;

		rows[i].begin = times[i];
		rows[i].goes_on = !is_last && times[i + 1] - times[i] <= longest_hold(t, first + i);
		rows[i].until = rows[i].goes_on ? times[i + 1] : times[i] + track_step(t, first + i);
	}
}

/* n samples, no more than a pack. */
static bool add_each(struct walk *w, const size_t first, const size_t n)
{
	struct row rows[PACK] = { 0 };
	fixed values[PACK];

	track_values(w->asked->beside, first, n, values);
	read_flags(w, first, n, rows);
	read_times(w, first, n, rows);
	for (size_t i = 0; i < n; i++) {
		rows[i].value = values[i];
		if (!add_row(w, &rows[i]))
			return false;
	}
	return true;
}

/* ------ all of them ------ */

/* So many values as lie between the lowest and the highest; false where they are too many. */
static bool set_values(struct walk *w)
{
	const struct track *const t = w->asked->beside;
	const struct extremes_seen ends = track_outermost(t);
	const uint64_t range = ends.low <= ends.high ? ((uint64_t)ends.high - (uint64_t)ends.low) / FIXED_ONE : 0;

	if (range >= MOST_VALUES)
		return false;
	w->low = ends.low;
	w->n_values = (size_t)range + 1;
	w->turns = t->n / TURNS > w->n_values ? TURNS : 1; /* else there is more to clear than to add */
	return true;
}

static void walk_start(struct walk *w, struct arena *mem, const struct crossing *asked)
{
	w->asked = asked;
	w->mem = mem;
	w->has_codes = !asked->beside->values && asked->beside->column.at && asked->beside->formula.kind == FORMULA_AS_IT_IS;
	w->n_kinds = 0;
	w->going = 0;
	memset(w->stretches, 0, sizeof w->stretches);
	for (size_t f = 0; f < asked->n_flags; f++)
		w->can_pick[f] = picking_of(asked->flags[f], 1, INT64_MAX, &w->pickings[f]);
}

/* Flags of one mask have one column. */
static void fetch_chunk(const struct crossing *asked, const size_t k)
{
	clock_fetch(asked->beside, k);
	column_fetch(asked->beside, k);
	for (size_t f = 0; f < asked->n_flags; f++)
		if (f == 0 || asked->flags[f]->column.at != asked->flags[f - 1]->column.at)
			column_fetch(asked->flags[f], k);
}

static bool walk_all(struct walk *w)
{
	const struct track *const t = w->asked->beside;

	for (size_t i = 0, n; i < t->n; i += n) {
		n = t->n - i < CHUNK ? t->n - i : CHUNK;
		fetch_chunk(w->asked, i / CHUNK + 1);
		const enum added added = add_chunk(w, i / CHUNK);
		if (added == TOO_MANY || (added == NOT_ADDED && !add_each(w, i, n)))
			return false;
	}
	return true;
}

/* One number for each value of those that took turns. */
static void join_turns(const struct walk *w, struct row_kind *kind)
{
	for (size_t i = 0; i < w->n_values; i++) {
		time_ms held = 0;

		for (size_t turn = 0; turn < w->turns; turn++)
			held += kind->by_value[i * w->turns + turn];
		kind->by_value[i] = held;
		kind->held += held;
	}
}

bool rows_crossed(struct arena *mem, const struct crossing *asked, struct crossed *out)
{
	struct walk *const w = NEW_RAW_ARRAY(mem, struct walk, 1);

	walk_start(w, mem, asked);
	if (!set_values(w) || !walk_all(w))
		return false;
	for (size_t i = 0; i < w->n_kinds; i++)
		join_turns(w, &w->kinds[i]);
	*out = (struct crossed){ .kinds = w->kinds, .n = w->n_kinds, .low = w->low, .n_values = w->n_values };
	memcpy(out->stretches, w->stretches, sizeof out->stretches);
	return true;
}

static time_ms held_with_value(const struct crossed *c, const struct flag_pick pick, const size_t i)
{
	time_ms held = 0;

	for (size_t k = 0; k < c->n; k++)
		held += kind_is_in(&c->kinds[k], pick) ? c->kinds[k].by_value[i] : 0;
	return held;
}

bool crossed_quantile(const struct crossed *c, const struct flag_pick pick, const int percent, fixed *value)
{
	time_ms all = 0, up_to = 0;

	for (size_t i = 0; i < c->n_values; i++)
		all += held_with_value(c, pick, i);
	for (size_t i = 0; i < c->n_values && all > 0; i++) {
		up_to += held_with_value(c, pick, i);
		*value = c->low + (fixed)i * FIXED_ONE;
		if (up_to * 100 >= all * percent)
			return true;
	}
	return false;
}

bool crossed_lowest(const struct crossed *c, const struct flag_pick pick, fixed *value)
{
	for (size_t i = 0; i < c->n_values; i++) {
		*value = c->low + (fixed)i * FIXED_ONE;
		if (held_with_value(c, pick, i) > 0)
			return true;
	}
	return false;
}
