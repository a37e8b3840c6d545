/*
 * tally.c - the slots, and what goes into them.
 *
 *     pack     first 61, unit 1, codes 0 2 _ 1     pack     first 70, no codes
 *     slots    61: 3 s   62: 1 s   63: 2 s  ...  70: 128 s
 */
#include "series/tally.h"

#include "series/pieces.h"
#include "series/slots.h"

enum { GROUP = 8 };

/* The most, 2 MiB: power up to 1500 W in hundredths needs 150,001, memory up to 255 GiB in MiB 261,121. */
#define MOST_SLOTS ((size_t)1 << 18)
#define FEW_SLOTS 4096 /* for any number of samples: no more to clear than a round has ranges for three percentiles */

/* Banks stay in the fastest cache, and what they take to be cleared and added up is little beside what they save. */
#define BANKED_MOST 512
#define BANKED_LEAST 16 /* samples a slot */

static uint64_t distance(const fixed a, const fixed b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* From the first number of pack k to its highest; where a chunk is known of what is in the column, that says so. */
static uint64_t range_of_pack(const struct track *t, const size_t k)
{
	const struct pack *const p = &t->column.at[k];
	const struct chunk *const raw = k < t->chunks.n && t->raw ? &t->raw[k] : NULL;
	const struct chunk *const c = t->formula.kind == FORMULA_AS_IT_IS ? chunk_with(t, k * CHUNK) : raw;
	const size_t n = t->n - k * PACK < PACK ? t->n - k * PACK : PACK;
	bool is_all;

	if (c && c->low <= c->high)
		return distance(c->high, p->first);
	return p->width ? (uint64_t)pack_highest(p, n, &is_all) * p->unit : 0;
}

/* Units are powers of ten: the largest in which all numbers of the pack are whole steps from those before. */
static void note_pack(struct slots *s, const struct pack *p, const uint64_t range)
{
	const fixed high = (fixed)((uint64_t)p->first + range);

	if (s->low > s->high)
		s->low = p->first;
	s->unit = range > 0 && p->unit < s->unit ? p->unit : s->unit;
	while (distance(p->first, s->low) % s->unit != 0)
		s->unit /= 10;
	s->low = p->first < s->low ? p->first : s->low;
	s->high = high > s->high ? high : s->high;
}

/* Of the packs that these samples are in. False where one of them has no codes to count by. */
static bool note_packs(struct slots *s, const struct track *t, const size_t first, const size_t end)
{
	for (size_t i = first / PACK * PACK; i < end; i += PACK) {
		const struct pack *const p = &t->column.at[i / PACK];

		if (p->width == sizeof(fixed) || p->slope != 0)
			return false;
		if (p->first != FIXED_MISSING) /* else there are none */
			note_pack(s, p, range_of_pack(t, i / PACK));
	}
	return true;
}

static bool slots_for(struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample,
	struct slots *s)
{
	const size_t first = sample_before(t, within.at[0].begin), end = track_seek(t, within.at[within.n - 1].end);

	*s = (struct slots){ .low = INT64_MAX, .high = INT64_MIN, .unit = FIXED_ONE };
	if (!note_packs(s, t, first, end))
		return false;
	const uint64_t last = s->low <= s->high ? distance(s->low, s->high) / s->unit : 0;
	if (last >= MOST_SLOTS || last >= FEW_SLOTS + most_a_sample * (end - first))
		return false;
	s->n = last + 1;
	s->n_samples = end - first;
	const size_t whole = (s->n + GROUP - 1) / GROUP * GROUP;
	s->bank = s->n <= BANKED_MOST && s->n_samples / s->n >= BANKED_LEAST ? whole : 0;
	s->held = NEW_ARRAY(scratch, time_ms, s->bank ? SLOT_BANKS * whole : whole);
	return true;
}

/* Most slots are empty where there are many. */
static inline bool has_any(const time_ms *held)
{
	return (held[0] | held[1] | held[2] | held[3] | held[4] | held[5] | held[6] | held[7]) != 0;
}

static void join_banks(const struct slots *s)
{
	for (size_t k = 1; s->bank && k < SLOT_BANKS; k++)
		for (size_t i = 0; i < s->n; i++)
			s->held[i] += s->held[k * s->bank + i];
}

static struct tally tally_from(struct arena *scratch, const struct slots *s)
{
	struct ordered *const values = NEW_RAW_ARRAY(scratch, struct ordered, s->n < s->n_samples ? s->n : s->n_samples);
	size_t n = 0;

	join_banks(s);
	for (size_t i = 0; i < s->n; i++) {
		if (i % GROUP == 0 && !has_any(s->held + i)) {
			i += GROUP - 1;
			continue;
		}
		if (s->held[i] > 0)
			values[n++] = (struct ordered){ key_from_integer(s->low + (fixed)(i * s->unit)), s->held[i] };
	}
	return (struct tally){ values, n };
}

/* A share rises with what it is of, and needs no sorting. */
struct tally tally_formed(struct arena *scratch, const struct tally *column, const struct formula *formula)
{
	if (formula->kind == FORMULA_AS_IT_IS)
		return *column;
	struct ordered *const values = NEW_RAW_ARRAY(scratch, struct ordered, column->n);
	bool is_sorted = true;

	for (size_t i = 0; i < column->n; i++) {
		values[i].key = key_from_integer(formula_value(formula, integer_from_key(column->at[i].key)));
		values[i].load = column->at[i].load;
		is_sorted = is_sorted && (i == 0 || values[i - 1].key <= values[i].key);
	}
	if (!is_sorted)
		order_sort(scratch, values, column->n);
	return (struct tally){ values, column->n };
}

static bool can_tally(const struct track *t, const struct spans within)
{
	return !t->values && t->column.at && t->n > 0 && within.n > 0;
}

bool tally_of_column(struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample,
	struct tally *tally)
{
	struct held h = held_start(t, within);
	struct slots s;

	if (!can_tally(t, within) || !slots_for(scratch, t, within, most_a_sample, &s))
		return false;
	while (held_next(&h)) {
		if (t->column.at[h.first / PACK].first != FIXED_MISSING)
			slots_hold(&s, &h);
	}
	*tally = tally_from(scratch, &s);
	return true;
}

bool tally_of(struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample, struct tally *tally)
{
	struct tally column;

	if (!tally_of_column(scratch, t, within, most_a_sample, &column))
		return false;
	*tally = tally_formed(scratch, &column, &t->formula);
	return true;
}

bool tally_of_samples(struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample,
	struct tally *tally)
{
	struct slots s;

	if (!can_tally(t, within) || !slots_for(scratch, t, within, most_a_sample, &s))
		return false;
	for (size_t k = 0, end = 0; k < within.n; k++) {
		const size_t begin = track_seek_from(t, end, within.at[k].begin);
		end = track_seek_from(t, begin, within.at[k].end);
		for (size_t i = begin, n; i < end; i += n) {
			const struct pack *const p = &t->column.at[i / PACK];
			const size_t left = PACK - i % PACK;
			n = end - i < left ? end - i : left;
			if (p->first != FIXED_MISSING)
				slots_count(&s, t, i, n);
		}
	}
	const struct tally column = tally_from(scratch, &s);
	*tally = tally_formed(scratch, &column, &t->formula);
	return true;
}

time_ms tally_known(const struct tally *tally)
{
	time_ms known = 0;

	for (size_t i = 0; i < tally->n; i++)
		known += tally->at[i].load;
	return known;
}

struct sums tally_sums(const struct tally *tally)
{
	struct sums sums = SUMS_OF_NOTHING;

	for (size_t i = 0; i < tally->n; i++) {
		sums.weighted += (int128)integer_from_key(tally->at[i].key) * tally->at[i].load;
		sums.known += tally->at[i].load;
	}
	if (tally->n > 0) {
		sums.low = integer_from_key(tally->at[0].key);
		sums.high = integer_from_key(tally->at[tally->n - 1].key);
	}
	return sums;
}

fixed tally_quantile(const struct tally *tally, const time_ms known, const int percent)
{
	return integer_from_key(order_quantile(tally->at, tally->n, known, percent));
}
