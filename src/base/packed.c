/*
 * packed.c - which line and which width a pack gets.
 *
 * Codes count in the largest power of ten, up to a million, that divides all distances from the line: `fixed` has six digits
 * behind the point, and most logs write fewer. Values lie above a level line. For times two lines are tried, from the first to
 * the last and as the first two show it: a clock that wavers keeps near the one, a clock with a hole near the other.
 *
 * Nearly all packs are whole, know all their numbers and have them within 32 bits: those are packed several numbers a step.
 */
#include "base/packed.h"

/* How the numbers of a pack lie above a line. All is counted in 64 bits that wrap around, here and in pack_at(). */
struct fit {
	int64_t first, slope;
	uint64_t range;         /* from the lowest to the highest */
	bool is_any, is_all;    /* known */
	uint32_t unit;
	unsigned width;
};

static uint64_t above_line(const struct fit *f, int64_t number, size_t i)
{
	return (uint64_t)number - (uint64_t)f->first - (uint64_t)i * (uint64_t)f->slope;
}

static inline bool are_multiples(const struct fit *f, const int64_t *numbers, size_t n, const uint64_t unit)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] != FIXED_MISSING && above_line(f, numbers[i], i) % unit != 0)
			return false;
	return true;
}

/* Each unit is a constant to the compiler, which then multiplies instead of dividing. */
static uint32_t largest_unit(const struct fit *f, const int64_t *numbers, size_t n)
{
	if (are_multiples(f, numbers, n, 1000000))
		return 1000000;
	if (are_multiples(f, numbers, n, 100000))
		return 100000;
	if (are_multiples(f, numbers, n, 10000))
		return 10000;
	if (are_multiples(f, numbers, n, 1000))
		return 1000;
	if (are_multiples(f, numbers, n, 100))
		return 100;
	return are_multiples(f, numbers, n, 10) ? 10 : 1;
}

static unsigned width_for(uint64_t highest_code)
{
	if (highest_code < UINT8_MAX)
		return 1;
	if (highest_code < UINT16_MAX)
		return 2;
	return highest_code < UINT32_MAX ? 4 : 8;
}

/* Above the line of that slope through the lowest. Without a slope, as values have none, it is a loop of its own to the compiler. */
static inline struct fit fit_line(const int64_t *numbers, size_t n, const int64_t slope)
{
	struct fit f = { .slope = slope, .is_all = true, .unit = 1 };
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		const int64_t level = (int64_t)((uint64_t)numbers[i] - (uint64_t)i * (uint64_t)slope);
		if (numbers[i] == FIXED_MISSING) {
			f.is_all = false;
			continue;
		}
		f.is_any = true;
		low = level < low ? level : low;
		high = level > high ? level : high;
	}
	if (!f.is_any)
		return (struct fit){ .first = FIXED_MISSING, .unit = 1 };
	f.first = low;
	f.range = (uint64_t)high - (uint64_t)low;
	if (f.range == 0 && f.is_all)
		return f;
	f.unit = largest_unit(&f, numbers, n);
	f.width = width_for(f.range / f.unit);
	return f;
}

static int64_t slope_between(const int64_t *numbers, size_t from, size_t to)
{
	const uint64_t rise = (uint64_t)numbers[to] - (uint64_t)numbers[from];

	if (numbers[to] < numbers[from] || rise / (to - from) > INT32_MAX)
		return 0;
	return (int64_t)(rise / (to - from));
}

static struct fit best_fit(const int64_t *numbers, size_t n, bool is_clock)
{
	if (!is_clock || n < 2)
		return fit_line(numbers, n, 0);
	const struct fit mean = fit_line(numbers, n, slope_between(numbers, 0, n - 1));
	if (mean.width <= 1)
		return mean;
	const struct fit first = fit_line(numbers, n, slope_between(numbers, 0, 1));
	return first.width < mean.width ? first : mean;
}

static inline void write_codes(void *codes, unsigned width, const struct fit *f, const int64_t *numbers, size_t n, const uint32_t unit)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t code = numbers[i] == FIXED_MISSING ? UINT32_MAX : (uint32_t)(above_line(f, numbers[i], i) / unit);

		if (width == 1)
			((uint8_t *)codes)[i] = (uint8_t)code;
		else if (width == 2)
			((uint16_t *)codes)[i] = (uint16_t)code;
		else
			((uint32_t *)codes)[i] = code;
	}
}

static void write_fit(struct pack *p, const struct fit *f, const int64_t *numbers, size_t n)
{
	switch (f->unit) {
	case 1000000:
		write_codes(p->codes, p->width, f, numbers, n, 1000000);
		return;
	case 10000:
		write_codes(p->codes, p->width, f, numbers, n, 10000);
		return;
	case 1000:
		write_codes(p->codes, p->width, f, numbers, n, 1000);
		return;
	case 1:
		write_codes(p->codes, p->width, f, numbers, n, 1);
		return;
	default:
		write_codes(p->codes, p->width, f, numbers, n, f->unit);
	}
}

struct store { /* where codes are kept */
	struct arena *mem;
	struct lock *lock; /* NULL: nobody else takes from it meanwhile */
};

static void *store_take(struct store store, unsigned width)
{
	if (store.lock)
		lock_take(store.lock);
	void *const codes = arena_raw_array(store.mem, PACK, width);
	if (store.lock)
		lock_give(store.lock);
	return codes;
}

/*
 * Room for codes of at least this width. A pack that is written again keeps its own if they are wide enough, so that its room at most
 * doubles each time.
 */
static void make_codes(struct pack *p, struct store store, const struct fit *f)
{
	const unsigned width = p->codes && p->width > f->width ? p->width : f->width;

	if (width > 0 && (!p->codes || width > p->width))
		p->codes = store_take(store, width);
	p->width = width & 0xFF;
	p->first = f->first;
	p->slope = (int32_t)f->slope;
	p->unit = f->unit & 0xFFFFFF;
}

typedef int32_t four __attribute__((vector_size(16)));
typedef uint32_t four_unsigned __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));

union narrow { /* a whole pack of distances or codes */
	int32_t one[PACK];
	four at[PACK / 4];
};

/* Modulo 2^32; each step doubles how many bits are right, and an odd number is its own inverse in three. */
static uint32_t inverse(uint32_t odd)
{
	uint32_t x = odd;

	for (int i = 0; i < 4; i++)
		x *= 2 - odd * x;
	return x;
}

/*
 * What multiples of 10^n are divided by it; false when one of them is none. Of a multiple the product with the inverse of 5^n is 2^n times
 * the quotient; of any other number what comes out is larger than a quotient can be (Granlund & Montgomery 1994).
 */
static bool divide(const union narrow *distances, int n, uint32_t power, uint32_t fives, union narrow *codes)
{
	const uint32_t back = inverse(fives), most = UINT32_MAX / power;
	four too_large = { 0 };

	for (size_t i = 0; i < PACK / 4; i++) {
		const four_unsigned product = (four_unsigned)distances->at[i] * back, quotient = product >> n | product << (32 - n);
		codes->at[i] = (four)quotient;
		too_large |= quotient > most;
	}
	return !(too_large[0] | too_large[1] | too_large[2] | too_large[3]);
}

/* The largest power of ten that divides them all, and what is left of them. */
static uint32_t divide_by_largest(const union narrow *distances, union narrow *codes)
{
	uint32_t power = 1000000, fives = 15625;

	for (int n = 6; n > 0; n--, power /= 10, fives /= 5) {
		size_t i = 0;
		while (i < 8 && (uint32_t)distances->one[i] % power == 0) /* mostly seen at once */
			i++;
		if (i == 8 && divide(distances, n, power, fives, codes))
			return power;
	}
	*codes = *distances;
	return 1;
}

enum spread { SPREAD_NONE, SPREAD_NEAR, SPREAD_FAR }; /* all the same; within 32 bits; farther, or some are missing */

/* How far each number lies from the first one. */
static enum spread find_distances(const int64_t *numbers, union narrow *out)
{
	const uint64_t first = (uint64_t)numbers[0];
	two differ = { 0 }, far = { 0 }, pair;

	for (size_t i = 0; i < PACK; i += 2) {
		memcpy(&pair, numbers + i, sizeof pair);
		differ |= pair - first;
		far |= pair - first + ((uint64_t)1 << 31);
	}
	if (!(differ[0] | differ[1]))
		return SPREAD_NONE;
	for (size_t i = 0; i < PACK; i++)
		out->one[i] = (int32_t)((uint32_t)numbers[i] - (uint32_t)first);
	return (far[0] | far[1]) >> 32 ? SPREAD_FAR : SPREAD_NEAR;
}

static inline four chosen(four is_first, four first, four second)
{
	return (first & is_first) | (second & ~is_first);
}

static void find_range(const union narrow *numbers, int32_t *lowest, int32_t *highest)
{
	four low = numbers->at[0], high = low;

	for (size_t i = 1; i < PACK / 4; i++) {
		const four next = numbers->at[i];
		low = chosen(low < next, low, next);
		high = chosen(high > next, high, next);
	}
	*lowest = low[0];
	*highest = high[0];
	for (size_t i = 1; i < 4; i++) {
		*lowest = low[i] < *lowest ? low[i] : *lowest;
		*highest = high[i] > *highest ? high[i] : *highest;
	}
}

static void write_bytes(uint8_t *out, const union narrow *codes)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint8_t)codes->one[i];
}

static void write_pairs(uint16_t *out, const union narrow *codes)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint16_t)codes->one[i];
}

/* Which line and which codes they get; false for those that are to be looked at one by one. */
static bool fit_whole(const int64_t *numbers, struct fit *f, union narrow *codes)
{
	union narrow distances;
	int32_t low, high;
	const enum spread spread = find_distances(numbers, &distances);

	*f = (struct fit){ .first = numbers[0], .unit = 1 };
	if (spread != SPREAD_NEAR)
		return spread == SPREAD_NONE;
	find_range(&distances, &low, &high);
	for (size_t i = 0; i < PACK / 4; i++)
		distances.at[i] -= low;
	f->first += low;
	f->range = (uint64_t)((int64_t)high - low);
	f->unit = divide_by_largest(&distances, codes);
	f->width = width_for(f->range / f->unit);
	return true;
}

/*
 * A whole pack of values that are all known and lie near to each other, as in nearly all packs: the same as for any other, in loops of
 * which each step does several numbers. False: it is another.
 */
static bool write_whole(struct pack *p, struct store store, const int64_t *numbers)
{
	union narrow codes;
	struct fit f;

	if (!fit_whole(numbers, &f, &codes))
		return false;
	make_codes(p, store, &f);
	if (p->width != f.width) /* its codes are wider, from before */
		return false;
	if (f.width == 1)
		write_bytes(p->codes, &codes);
	else if (f.width == 2)
		write_pairs(p->codes, &codes);
	else if (f.width == 4)
		memcpy(p->codes, codes.one, sizeof codes.one);
	return true;
}

static void pack_write(struct pack *p, struct store store, const int64_t *numbers, size_t n, bool is_clock)
{
	if (!is_clock && n == PACK && write_whole(p, store, numbers))
		return;
	const struct fit f = best_fit(numbers, n, is_clock);
	make_codes(p, store, &f);
	if (p->width == 8)
		memcpy(p->codes, numbers, n * sizeof *numbers);
	else if (p->width > 0)
		write_fit(p, &f, numbers, n);
}

/*
 * Whole packs of which no number is missing. Narrow products, a number of loops that is known, and one thing in each loop: that is what
 * compilers make fast. False where one is missing.
 */
#define IS_MISSING_IN(codes, none)                   \
	for (size_t i = 0; i < PACK; i++)            \
		missing |= (codes)[i] == (none);

static bool read_bytes(const uint8_t *restrict codes, int64_t *restrict out, uint64_t line, const uint64_t slope, const uint32_t unit)
{
	uint8_t missing = 0;

	IS_MISSING_IN(codes, UINT8_MAX)
	for (size_t i = 0; !missing && i < PACK; i++) {
		out[i] = (int64_t)(line + (uint64_t)codes[i] * unit);
		line += slope;
	}
	return !missing;
}

/* unit = odd x 2^shift: of each power of ten up to a million the odd part has 16 bits. */
static bool read_pairs(const uint16_t *restrict codes, int64_t *restrict out, uint64_t line, const uint64_t slope, const uint16_t odd,
	const int shift)
{
	uint16_t missing = 0;

	IS_MISSING_IN(codes, UINT16_MAX)
	for (size_t i = 0; !missing && i < PACK; i++) {
		out[i] = (int64_t)(line + ((uint64_t)((uint32_t)codes[i] * odd) << shift));
		line += slope;
	}
	return !missing;
}

static bool read_whole(const struct pack *p, int64_t *out)
{
	const uint64_t first = (uint64_t)p->first, slope = (uint64_t)(int64_t)p->slope;
	uint32_t odd = p->unit;
	int shift = 0;

	for (size_t i = 0; p->width == 0 && slope == 0 && i < PACK; i++)
		out[i] = p->first;
	if (p->width < 2)
		return p->width == 1 ? read_bytes(p->codes, out, first, slope, p->unit) : slope == 0;
	for (; odd > 0 && odd % 2 == 0; odd /= 2)
		shift++;
	return p->width == 2 && odd <= UINT16_MAX && read_pairs(p->codes, out, first, slope, (uint16_t)odd, shift);
}

#define READ_CODES(type, none) \
	for (size_t i = 0; i < n; i++) { \
		const uint64_t code = ((const type *)p->codes)[i]; \
		const uint64_t number = first + i * slope + code * unit; \
		out[i] = code == (none) ? FIXED_MISSING : (int64_t)number; \
	}

void pack_read(const struct pack *p, int64_t *restrict out, size_t n)
{
	const uint64_t first = (uint64_t)p->first, slope = (uint64_t)(int64_t)p->slope, unit = p->unit;

	if (n == PACK && read_whole(p, out))
		return;
	switch (p->width) {
	case 0:
		for (size_t i = 0; i < n; i++)
			out[i] = (int64_t)(first + i * slope);
		return;
	case 1:
		READ_CODES(uint8_t, UINT8_MAX)
		return;
	case 2:
		READ_CODES(uint16_t, UINT16_MAX)
		return;
	case 4:
		READ_CODES(uint32_t, UINT32_MAX)
		return;
	default:
		memcpy(out, p->codes, n * sizeof *out);
	}
}

static size_t packs_for(size_t n)
{
	return n / PACK + (n % PACK != 0);
}

/* How many of n numbers are in pack k. */
static size_t count_in(size_t k, size_t n)
{
	return n - k * PACK < PACK ? n - k * PACK : PACK;
}

void packed_shift(struct packed *p, size_t n, int64_t by)
{
	for (size_t k = 0; k < packs_for(n); k++) {
		int64_t *const numbers = p->at[k].codes;

		p->at[k].first += by;
		for (size_t i = 0; p->at[k].width == 8 && i < count_in(k, n); i++)
			numbers[i] += by;
	}
}

struct packer packer_new(struct arena *mem, bool is_clock)
{
	size_t room = 0;

	return (struct packer){ .mem = mem, .is_clock = is_clock, .open = grow(NULL, &room, PACK, sizeof(int64_t)) };
}

static void close_pack(struct packer *p)
{
	if (p->is_changed)
		pack_write(&p->at[p->open_pack], (struct store){ p->mem, p->lock }, p->open, count_in(p->open_pack, p->n), p->is_clock);
	p->is_changed = false;
}

static void go_to(struct packer *p, size_t k)
{
	close_pack(p);
	p->open_pack = k;
	if (k < packs_for(p->n))
		pack_read(&p->at[k], p->open, count_in(k, p->n));
}

int64_t *packer_room(struct packer *p, size_t *n)
{
	const size_t k = p->n / PACK;

	if (k != p->open_pack)
		go_to(p, k);
	if (p->n % PACK == 0) {
		p->at = grow(p->at, &p->room, k + 1, sizeof *p->at);
		p->at[k] = (struct pack){ 0 };
	}
	*n = PACK - p->n % PACK;
	return p->open + p->n % PACK;
}

void packer_added(struct packer *p, size_t n)
{
	p->n += n;
	p->is_changed |= n > 0;
}

void packer_add_first(struct packer *p, int64_t number)
{
	size_t n_free;

	*packer_room(p, &n_free) = number;
	packer_added(p, 1);
}

void packer_set(struct packer *p, size_t i, int64_t number)
{
	if (i / PACK != p->open_pack)
		go_to(p, i / PACK);
	p->open[i % PACK] = number;
	p->is_changed = true;
}

size_t packer_read(const struct packer *p, size_t k, int64_t out[PACK])
{
	const size_t n = k * PACK < p->n ? count_in(k, p->n) : 0;

	if (k == p->open_pack)
		memcpy(out, p->open, n * sizeof *out);
	else if (n)
		pack_read(&p->at[k], out, n);
	return n;
}

struct packed packer_done(struct packer *p)
{
	const size_t n_packs = packs_for(p->n);
	struct packed done = { arena_raw_array(p->mem, n_packs, sizeof(struct pack)) };

	close_pack(p);
	if (n_packs)
		memcpy(done.at, p->at, n_packs * sizeof *done.at);
	packer_drop(p);
	return done;
}

void packer_drop(struct packer *p)
{
	grow_free(p->at);
	grow_free(p->open);
	*p = (struct packer){ 0 };
}

struct packed packed_from(struct arena *mem, const int64_t *numbers, size_t n, bool is_clock)
{
	struct packed p = { arena_array(mem, packs_for(n), sizeof(struct pack)) };

	for (size_t k = 0; k < packs_for(n); k++)
		pack_write(&p.at[k], (struct store){ mem, NULL }, numbers + k * PACK, count_in(k, n), is_clock);
	return p;
}
