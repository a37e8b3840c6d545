/*
 * pack_write.c - which line and which width a pack gets.
 *
 * Codes count in the largest power of ten, up to a million, that divides all distances from the line: `fixed` has six digits
 * behind the point, and most logs write fewer. Values lie above a level line. For times two lines are tried, from the first to
 * the last and as the first two show it: a clock that wavers keeps near the one, a clock with a hole near the other.
 *
 * Nearly all packs are whole, know all their numbers and have them within 32 bits: those are packed several numbers a step.
 */
#include "base/eight.h"
#include "base/packed_parts.h"

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

/*
 * Room for codes of at least this width. A pack that is written again keeps its own if they are wide enough, so that its room at most
 * doubles each time.
 */
static void make_codes(struct pack *p, struct arena *mem, const struct fit *f)
{
	const unsigned width = p->codes && p->width > f->width ? p->width : f->width;

	if (width > 0 && (!p->codes || width > p->width))
		p->codes = arena_raw_array(mem, PACK, width);
	p->width = width & 0xFF;
	p->first = f->first;
	p->slope = (int32_t)f->slope;
	p->unit = f->unit & 0xFFFFFF;
}

typedef int32_t four __attribute__((vector_size(16)));
typedef uint32_t four_unsigned __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_HALF 1 /* of a number's two */
#else
#define LOW_HALF 0
#endif

union narrow { /* a whole pack of distances or codes */
	int32_t one[PACK];
	four at[PACK / 4];
};

union narrower { /* the same in 16 bits */
	int16_t one[PACK];
	eight at[PACK / 8];
};

/* Modulo 2^32; each step doubles how many bits are right, and an odd number is its own inverse in three. */
static uint32_t inverse(uint32_t odd)
{
	uint32_t x = odd;

	for (int i = 0; i < 4; i++)
		x *= 2 - odd * x;
	return x;
}

static inline two two_at(const int64_t *numbers)
{
	two pair;

	memcpy(&pair, numbers, sizeof pair);
	return pair;
}

/* The lower halves of two times two products, of which only the lower halves of all factors count. */
static inline four_unsigned low_products(two a, two b, two factor)
{
#ifdef __SSE2__
	const two x = (two)_mm_mul_epu32((__m128i)a, (__m128i)factor), y = (two)_mm_mul_epu32((__m128i)b, (__m128i)factor);
#else
	const two x = a * factor, y = b * factor;
#endif
	return __builtin_shufflevector((four_unsigned)x, (four_unsigned)y, LOW_HALF, LOW_HALF + 2, LOW_HALF + 4, LOW_HALF + 6);
}

/*
 * How far each number lies above a line from the first one, or below, divided by 10^n; false when one of them lies too far away or is
 * seen to be no multiple. Of a multiple the product with the inverse of 5^n is 2^n times the quotient; of any other number what comes
 * out has other bits below, or is larger than a quotient can be: where find_range() sees one, this was no power for them
 * (Granlund & Montgomery 1994). 2^31 is added, so that what is near is above zero, and taken away again.
 */
static inline bool divide(const int64_t *numbers, int64_t slope, int n, uint32_t fives, union narrow *codes)
{
	const uint64_t half = (uint64_t)1 << 31, first = (uint64_t)numbers[0] - half, rise = (uint64_t)slope, back = inverse(fives);
	const two step = { 2 * rise, 2 * rise }, factor = { back, back };
	two line = { first, first + rise }, far = { 0 };
	four_unsigned bits = { 0 };

	for (size_t i = 0; i < PACK / 4; i++) {
		const two a = two_at(numbers + 4 * i) - line, b = two_at(numbers + 4 * i + 2) - (line + step);
		const four_unsigned product = low_products(a, b, factor) ^ (uint32_t)half;
		line += 2 * step;
		far |= a | b;
		bits |= product;
		codes->at[i] = (four)product >> n;
	}
	return !((far[0] | far[1]) >> 32) && !((bits[0] | bits[1] | bits[2] | bits[3]) & (((uint32_t)1 << n) - 1));
}

static inline four chosen(four is_first, four first, four second)
{
	return (first & is_first) | (second & ~is_first);
}

/* Two times four numbers as eight; what does not fit becomes the nearest that does. */
static inline eight shortened(four a, four b)
{
#ifdef __SSE2__
	return (eight)_mm_packs_epi32((__m128i)a, (__m128i)b);
#else
	const four most = { INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX }, least = ~most;
	a = chosen(a > most, most, chosen(a < least, least, a));
	b = chosen(b > most, most, chosen(b < least, least, b));
	return (eight){ (int16_t)a[0], (int16_t)a[1], (int16_t)a[2], (int16_t)a[3], (int16_t)b[0], (int16_t)b[1], (int16_t)b[2],
		(int16_t)b[3] };
#endif
}

/* The same numbers in half of the room, and their range; false where that is too wide. */
static bool shorten(const union narrow *numbers, union narrower *out, int32_t *lowest, int32_t *highest)
{
	eight low = { 0 }, high = { 0 }; /* as the first one is; high is negative */

	for (size_t i = 0; i < PACK / 8; i++) {
		out->at[i] = shortened(numbers->at[2 * i], numbers->at[2 * i + 1]);
		low = lower_of(low, out->at[i]);
		high = lower_of(high, ~out->at[i]);
	}
	*lowest = *highest = 0;
	for (size_t i = 0; i < 8; i++) {
		*lowest = low[i] < *lowest ? low[i] : *lowest;
		*highest = ~high[i] > *highest ? ~high[i] : *highest;
	}
	return *lowest > INT16_MIN && *highest < INT16_MAX;
}

static void find_wide_range(const union narrow *numbers, int32_t *lowest, int32_t *highest)
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

static bool are_same(const int64_t *numbers)
{
	return memcmp(numbers, numbers + 1, (PACK - 1) * sizeof *numbers) == 0;
}

/* Could all be multiples, above the line? Those that are not are mostly seen at once. */
static bool could_be_multiples(const int64_t *numbers, int64_t slope, uint32_t power)
{
	for (int i = 1; i < 8; i++) {
		const int32_t distance = (int32_t)((uint64_t)numbers[i] - (uint64_t)numbers[0] - (uint64_t)i * (uint64_t)slope);
		if (distance % (int32_t)power)
			return false;
	}
	return true;
}

struct whole { /* a pack in the making */
	struct fit fit;
	bool is_short; /* codes are in `shorter` */
	union narrow codes;
	union narrower shorter;
};

static void find_range(struct whole *w, int32_t *low, int32_t *high)
{
	w->is_short = shorten(&w->codes, &w->shorter, low, high);
	if (!w->is_short)
		find_wide_range(&w->codes, low, high);
}

/* Above the lowest. */
static void lift_codes(struct whole *w, int32_t low)
{
	for (size_t i = 0; w->is_short && i < PACK / 8; i++)
		w->shorter.at[i] = (eight)((eight_unsigned)w->shorter.at[i] - (uint16_t)low);
	for (size_t i = 0; !w->is_short && i < PACK / 4; i++)
		w->codes.at[i] = (four)((four_unsigned)w->codes.at[i] - (uint32_t)low);
}

/* Which line and which codes they get; false for those that are to be looked at one by one. */
static bool fit_whole(const int64_t *numbers, int64_t slope, struct whole *w)
{
	uint32_t power = 1000000, fives = 15625;
	int32_t low, high;

	w->fit = (struct fit){ .first = numbers[0], .slope = slope, .unit = 1 };
	if (!slope && are_same(numbers))
		return true;
	for (int n = 6; n >= 0; n--, power /= 10, fives /= 5) {
		const int32_t most = INT32_MAX / (int32_t)power;
		if ((n && !could_be_multiples(numbers, slope, power)) || !divide(numbers, slope, n, fives, &w->codes))
			continue;
		find_range(w, &low, &high);
		if (low < -most || high > most)
			continue;
		lift_codes(w, low);
		w->fit.first += (int64_t)low * (int32_t)power;
		w->fit.unit = low < high ? power : 1;
		w->fit.width = low < high ? width_for((uint64_t)((int64_t)high - low)) : 0;
		return true;
	}
	return false;
}

static void write_bytes(uint8_t *out, const union narrower *codes)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint8_t)codes->one[i];
}

static void write_pairs(uint16_t *out, const struct whole *w)
{
	if (w->is_short)
		memcpy(out, w->shorter.one, sizeof w->shorter.one);
	for (size_t i = 0; !w->is_short && i < PACK; i++)
		out[i] = (uint16_t)w->codes.one[i];
}

/*
 * A whole pack of numbers that are all known and lie near to each other, or to a steady clock, as in nearly all packs: the same as for
 * any other, in loops of which each step does several numbers. False: it is another.
 */
static bool write_whole(struct pack *p, struct arena *mem, const int64_t *numbers, bool is_clock)
{
	struct whole w;

	if (!fit_whole(numbers, is_clock ? slope_between(numbers, 0, PACK - 1) : 0, &w))
		return false;
	if (is_clock && w.fit.width > 1) /* another slope may be better */
		return false;
	make_codes(p, mem, &w.fit);
	if (p->width != w.fit.width) /* its codes are wider, from before */
		return false;
	if (p->width == 1) /* codes that narrow are short */
		write_bytes(p->codes, &w.shorter);
	else if (p->width == 2)
		write_pairs(p->codes, &w);
	else if (p->width == 4)
		memcpy(p->codes, w.codes.one, sizeof w.codes.one);
	return true;
}

static void find_code_range(const int32_t *codes, int32_t *lowest, int32_t *highest)
{
	union narrow all;

	memcpy(all.one, codes, sizeof all.one);
	find_wide_range(&all, lowest, highest);
}

/* Could all lie a multiple of ten above the first? Those that do not are mostly seen at once. */
static bool could_be_tens(const int32_t *codes)
{
	bool are_tens = true;

	for (size_t i = 1; i < 8 && are_tens; i++)
		are_tens = ((int64_t)codes[i] - codes[0]) % 10 == 0;
	return are_tens;
}

static void write_low_bytes(uint8_t *restrict out, const int32_t *restrict codes, uint32_t low)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint8_t)((uint32_t)codes[i] - low);
}

static void write_low_pairs(uint16_t *restrict out, const int32_t *restrict codes, uint32_t low)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint16_t)((uint32_t)codes[i] - low);
}

static void write_differences(uint32_t *restrict out, const int32_t *restrict codes, uint32_t low)
{
	for (size_t i = 0; i < PACK; i++)
		out[i] = (uint32_t)codes[i] - low;
}

bool pack_write_codes(struct pack *p, struct arena *mem, const int32_t codes[PACK], const int64_t unit)
{
	int32_t low, high;

	find_code_range(codes, &low, &high);
	const int64_t range = (int64_t)high - low;
	if (low == INT32_MIN || range > INT32_MAX || (range && unit < FIXED_ONE && could_be_tens(codes)))
		return false;
	const struct fit f = { .first = low * unit, .unit = range ? (uint32_t)unit : 1, .width = range ? width_for((uint64_t)range) : 0 };
	make_codes(p, mem, &f);
	if (p->width == 1)
		write_low_bytes(p->codes, codes, (uint32_t)low);
	else if (p->width == 2)
		write_low_pairs(p->codes, codes, (uint32_t)low);
	else if (p->width == 4)
		write_differences(p->codes, codes, (uint32_t)low);
	return true;
}

void pack_write(struct pack *p, struct arena *mem, const int64_t *numbers, size_t n, bool is_clock)
{
	if (n == PACK && write_whole(p, mem, numbers, is_clock))
		return;
	const struct fit f = best_fit(numbers, n, is_clock);
	make_codes(p, mem, &f);
	if (p->width == 8)
		memcpy(p->codes, numbers, n * sizeof *numbers);
	else if (p->width > 0)
		write_fit(p, &f, numbers, n);
}
