/*
 * packed_laws.c - numbers that were packed are the numbers that went in.
 *
 * Columns of all kinds: level, climbing and wild; of all widths and units; with missing cells and with the least and greatest
 * numbers that there are. Lengths are around whole packs, where a mistake would be, or anything.
 */
#include "laws.h"

#include "base/packed.h"
#include "series/cursor.h"

struct column {
	int64_t *at;
	size_t n;
	bool is_clock;
};

static const int64_t units[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 7 };
static const int64_t extremes[] = { INT64_MIN + 1, INT64_MAX, 0, -1, INT64_MAX - 1, INT64_MIN + 2 };

static int64_t wild(struct random *r)
{
	return random_one_in(r, 3) ? extremes[random_below(r, 6)] : (int64_t)(random_bits(r) >> random_below(r, 64));
}

static struct column random_column(struct random *r, struct arena *mem)
{
	const int more = random_below(r, random_one_in(r, 2) ? 5 : PACK);
	struct column c = { .n = (size_t)(random_below(r, 4) * PACK + more), .is_clock = random_one_in(r, 3) };
	const int64_t unit = units[random_below(r, 8)], base = random_one_in(r, 4) ? wild(r) / 2 : random_below(r, 1000) * unit;
	const int64_t slope = c.is_clock || random_one_in(r, 8) ? random_below(r, 5000) : 0;
	const uint64_t spread = (uint64_t)1 << random_below(r, random_one_in(r, 4) ? 40 : 18);
	const int missing = random_one_in(r, 2) ? 0 : 1 + random_below(r, 300), strange = random_one_in(r, 8) ? 40 : 0;

	c.at = NEW_ARRAY(mem, int64_t, c.n);
	for (size_t i = 0; i < c.n; i++) {
		const uint64_t above = random_bits(r) % spread * (uint64_t)unit + i * (uint64_t)slope;
		c.at[i] = (int64_t)((uint64_t)base + above);
		if (strange && random_one_in(r, strange))
			c.at[i] = wild(r);
		if (!c.is_clock && ((missing && random_one_in(r, missing)) || c.at[i] == INT64_MIN))
			c.at[i] = FIXED_MISSING;
	}
	return c;
}

static bool are_packed(const struct packed *p, const struct column *c)
{
	int64_t read[PACK];

	for (size_t i = 0; i < c->n; i++)
		if (packed_at(p, i) != c->at[i])
			return false;
	for (size_t i = 0; i < c->n; i += PACK) {
		const size_t n = c->n - i < PACK ? c->n - i : PACK;
		pack_read(&p->at[i / PACK], 0, n, read);
		if (memcmp(read, c->at + i, n * sizeof *read) != 0)
			return false;
	}
	return true;
}

static bool what_goes_in_comes_out(struct random *r, struct arena *mem)
{
	const struct column c = random_column(r, mem);
	const struct packed p = packed_from(mem, c.at, c.n, c.is_clock);

	return are_packed(&p, &c);
}

/* Around the widest codes that there are: whole packs of numbers as far apart as 32 bits let them be. */
static bool the_widest_codes_come_out(struct random *r, struct arena *mem)
{
	static const int64_t ends[] = { INT32_MIN, INT32_MIN + 1LL, INT32_MAX, INT32_MAX - 1LL, INT16_MIN, INT16_MAX, INT16_MAX + 1LL, 0,
		-1, 1 };
	struct column c = { NEW_ARRAY(mem, int64_t, PACK), PACK, random_one_in(r, 4) };
	const int64_t unit = random_one_in(r, 2) ? 1 : units[random_below(r, 8)], base = random_below(r, 1000);
	const int least = random_one_in(r, 2) ? 0 : 4;

	for (size_t i = 0; i < c.n; i++)
		c.at[i] = base + ends[i || !least ? least + random_below(r, 10 - least) : 7] * unit;
	const struct packed p = packed_from(mem, c.at, c.n, c.is_clock);
	return are_packed(&p, &c);
}

/* Numbers come in one by one, and some that were there are set again, as sections of a log do. */
static bool a_packer_is_an_array(struct random *r, struct arena *mem)
{
	struct column all = random_column(r, mem), c = { NEW_ARRAY(mem, int64_t, all.n), 0, all.is_clock };
	struct packer packer = packer_new(mem, all.is_clock);
	const int back = 1 + random_below(r, 200);

	while (c.n < all.n) {
		packer_add(&packer, all.at[c.n]);
		c.at[c.n] = all.at[c.n];
		c.n++;
		if (!random_one_in(r, back))
			continue;
		const size_t i = (size_t)random_below(r, (int)c.n), from = (size_t)random_below(r, (int)all.n);
		if (packer_at(&packer, i) != c.at[i])
			return false;
		packer_set(&packer, i, all.at[from]);
		c.at[i] = all.at[from];
	}
	for (size_t i = 0; i < c.n; i++)
		if (packer_at(&packer, i) != c.at[i])
			return false;
	const struct packed p = packer_done(&packer);
	return are_packed(&p, &c);
}

/* PACK numbers as whole units; false where one is no such. */
static bool are_codes(const int64_t *numbers, int32_t codes[PACK])
{
	bool are = true;

	for (size_t i = 0; i < PACK && are; i++) {
		codes[i] = (int32_t)(numbers[i] / FIXED_ONE);
		are = (int64_t)codes[i] * FIXED_ONE == numbers[i];
	}
	return are;
}

/* What comes next: n numbers that are the same, or differ, by one of the ways that there are. */
static void take_some(struct packer *packer, struct random *r, const int64_t *numbers, size_t n, bool are_same)
{
	if (are_same && !random_one_in(r, 4)) {
		packer_add_same(packer, *numbers, n);
		return;
	}
	for (int32_t codes[PACK]; n >= PACK && packer->n % PACK == 0 && random_below(r, 4); numbers += PACK, n -= PACK)
		if (!random_one_in(r, 2) || !are_codes(numbers, codes) || !packer_add_codes(packer, codes, FIXED_ONE))
			packer_add_pack(packer, numbers);
	const bool is_singly = random_one_in(r, 2);
	for (size_t i = 0, room; i < n; i += room) {
		room = 1;
		if (is_singly) {
			packer_add(packer, numbers[i]);
			continue;
		}
		int64_t *const to = packer_room(packer, &room);
		room = n - i < room ? n - i : room;
		memcpy(to, numbers + i, room * sizeof *to);
		packer_added(packer, room);
	}
}

/* A column that does not change for long, as most of a log do: whole packs of one number, and some numbers between them. */
static bool a_packer_takes_the_same(struct random *r, struct arena *mem)
{
	enum { MOST = 4000 };
	const int64_t few[] = { 81559000000, 700000000, FIXED_MISSING };
	struct column c = { NEW_ARRAY(mem, int64_t, MOST), 0, false };
	struct packer packer = packer_new(mem, false);
	const bool is_set = random_one_in(r, 2);

	while (c.n < MOST - 400) {
		const size_t n = 1 + (size_t)random_below(r, random_one_in(r, 2) ? 8 : 400);
		const bool are_same = !random_one_in(r, 4);
		for (size_t i = 0; i < n; i++)
			c.at[c.n + i] = are_same && i ? c.at[c.n] : few[random_below(r, 3)];
		take_some(&packer, r, c.at + c.n, n, are_same);
		c.n += n;
		const size_t at = (size_t)random_below(r, (int)c.n);
		if (packer_at(&packer, at) != c.at[at])
			return false;
		if (is_set && random_one_in(r, 3))
			packer_set(&packer, at, c.at[at] = few[random_below(r, 3)]);
	}
	const struct packed p = packer_done(&packer), once = packed_from(mem, c.at, c.n, false);
	for (size_t k = 0; k < c.n / PACK && !is_set; k++)
		if (p.at[k].width != once.at[k].width)
			return false;
	return are_packed(&p, &c);
}

/* Codes become the pack that their numbers do, or are not taken: around the widest that there are, too, and with some that mean nothing. */
static bool codes_are_their_numbers(struct random *r, struct arena *mem)
{
	static const int32_t ends[] = { INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1, -1, 0, 254, 255, 65534, 65535 };
	struct column c = { NEW_ARRAY(mem, int64_t, 2 * PACK), 2 * PACK, false };
	const int64_t unit = units[random_below(r, 7)];
	const int32_t base = random_below(r, 100000), step = random_one_in(r, 3) ? 10 : 1;
	const int spread = 1 + random_below(r, 1 << random_below(r, 20)), strange = random_one_in(r, 3) ? 100 : 0;
	struct packer packer = packer_new(mem, false);
	int32_t codes[PACK];

	for (size_t i = 0; i < PACK; i++) {
		codes[i] = strange && random_one_in(r, strange) ? ends[random_below(r, 10)] : base + step * random_below(r, spread);
		c.at[i] = c.at[i + PACK] = codes[i] * unit;
	}
	const size_t k = random_one_in(r, 2) ? 0 : 1; /* the pack that comes as codes, if it can */
	for (size_t n = 0; n < 2; n++) {
		const bool is_added = n == k && packer_add_codes(&packer, codes, unit);
		for (size_t i = 0; i < PACK && !is_added; i++)
			packer_add(&packer, c.at[i]);
		if (packer_at(&packer, n * PACK) != c.at[0] || packer_at(&packer, (n + 1) * PACK - 1) != c.at[PACK - 1])
			return false;
	}
	const struct packed p = packer_done(&packer);
	return are_packed(&p, &c) && p.at[0].first == p.at[1].first && p.at[0].unit == p.at[1].unit && p.at[0].width == p.at[1].width;
}

static bool shifted_is_shifted(struct random *r, struct arena *mem)
{
	struct column c = random_column(r, mem);
	const int64_t by = random_below(r, 1000000) - 500000;

	for (size_t i = 0; i < c.n; i++)
		c.at[i] = c.at[i] == FIXED_MISSING ? 0 : c.at[i] / 2;
	struct packed p = packed_from(mem, c.at, c.n, c.is_clock);
	packed_shift(&p, c.n, by);
	for (size_t i = 0; i < c.n; i++)
		c.at[i] += by;
	return are_packed(&p, &c);
}

/* What most logs have takes a byte or two a number, and a steady clock none. */
static bool small_is_small(struct random *r, struct arena *mem)
{
	struct column c = { NEW_ARRAY(mem, int64_t, PACK), PACK, random_one_in(r, 2) };
	const int64_t unit = units[random_below(r, 7)], base = random_below(r, 100000) * unit;
	const int range = 1 + random_below(r, 253);

	for (size_t i = 0; i < c.n; i++)
		c.at[i] = c.is_clock ? 1795219200000 + (int64_t)i * range * 100 : base + random_below(r, range) * unit;
	const struct packed p = packed_from(mem, c.at, c.n, c.is_clock);
	return c.is_clock ? p.at->width == 0 : p.at->width <= 1;
}

/* A cursor, runs of samples and single ones tell the same, whatever is asked for first. */
static bool a_track_reads_the_same(struct random *r, struct arena *mem)
{
	struct column c = random_column(r, mem);
	time_ms *times = NEW_ARRAY(mem, time_ms, c.n), read[PACK];
	fixed values[PACK];
	struct cursor cursor;

	for (size_t i = 0; i < c.n; i++)
		times[i] = (i ? times[i - 1] : 1795219200000) + 1 + random_below(r, 2000) * (random_one_in(r, 50) ? 100 : 1);
	const struct track t = { .clock = packed_from(mem, times, c.n, true),
		.column = packed_from(mem, c.at, c.n, false),
		.n = c.n,
		.step = 1000 };
	const struct track plain = { .times = times, .values = c.at, .n = c.n, .step = 1000 };

	cursor_start(&cursor, &t);
	for (int k = 0; c.n && k < 300; k++) {
		const size_t i = (size_t)random_below(r, (int)c.n), left = c.n - i, n = left < PACK ? left : PACK;
		track_times(&t, i, n, read);
		track_values(&t, i, n, values);
		if (memcmp(read, times + i, n * sizeof *read) != 0 || memcmp(values, c.at + i, n * sizeof *values) != 0)
			return false;
		if (track_time(&t, i) != times[i] || track_value(&t, i) != c.at[i] || track_until(&t, i) != track_until(&plain, i))
			return false;
		if (cursor_until(&cursor, i) != track_until(&plain, i) || cursor_value(&cursor, i) != c.at[i])
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(what_goes_in_comes_out, 4),
		LAW_ONE_IN(the_widest_codes_come_out, 4),
		LAW_ONE_IN(a_packer_is_an_array, 10),
		LAW_ONE_IN(a_packer_takes_the_same, 10),
		LAW(codes_are_their_numbers),
		LAW_ONE_IN(shifted_is_shifted, 10),
		LAW(small_is_small),
		LAW_ONE_IN(a_track_reads_the_same, 10),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
