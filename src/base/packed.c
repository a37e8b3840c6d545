/*
 * packed.c - numbers into packs and out of them.
 */
#include "base/packed_parts.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef uint64_t two __attribute__((vector_size(16)));

#ifdef __SSE2__
/* Where the numbers of a pack come from, while they are read: codes of 32 bits times a unit of 24 are whole in 64. */
struct reading {
	__m128i line, step, unit; /* of two numbers each */
};

/* Only the lower halves of the codes count. */
static inline void read_two(struct reading *r, __m128i codes, int64_t *out)
{
	_mm_storeu_si128((__m128i *)out, _mm_add_epi64(r->line, _mm_mul_epu32(codes, r->unit)));
	r->line = _mm_add_epi64(r->line, r->step);
}

static inline void read_four(struct reading *r, __m128i codes, int64_t *out)
{
	read_two(r, _mm_unpacklo_epi32(codes, codes), out);
	read_two(r, _mm_unpackhi_epi32(codes, codes), out + 2);
}

static inline void read_eight(struct reading *r, __m128i codes, int64_t *out)
{
	read_four(r, _mm_unpacklo_epi16(codes, _mm_setzero_si128()), out);
	read_four(r, _mm_unpackhi_epi16(codes, _mm_setzero_si128()), out + 4);
}

/* The numbers [i, end), eight at a time, up to eight of which one is missing, or less than eight: how far that is. */
static size_t read_eights(const struct pack *p, size_t i, const size_t end, int64_t *restrict out)
{
	const uint64_t slope = (uint64_t)(int64_t)p->slope, line = (uint64_t)p->first + i * slope, unit = p->unit;
	const __m128i none = _mm_set1_epi8(-1);
	struct reading r = {
		.line = _mm_set_epi64x((int64_t)(line + slope), (int64_t)line),
		.step = _mm_set1_epi64x((int64_t)(2 * slope)),
		.unit = _mm_set1_epi64x((int64_t)unit),
	};

	for (; p->width == 1 && i + 8 <= end; i += 8, out += 8) {
		const __m128i codes = _mm_loadl_epi64((const __m128i *)((const uint8_t *)p->codes + i));
		if (_mm_movemask_epi8(_mm_cmpeq_epi8(codes, none)))
			return i;
		read_eight(&r, _mm_unpacklo_epi8(codes, _mm_setzero_si128()), out);
	}
	for (; p->width == 2 && i + 8 <= end; i += 8, out += 8) {
		const __m128i codes = _mm_loadu_si128((const __m128i *)((const uint16_t *)p->codes + i));
		if (_mm_movemask_epi8(_mm_cmpeq_epi16(codes, none)))
			return i;
		read_eight(&r, codes, out);
	}
	return i;
}
#else
static size_t read_eights(const struct pack *p, size_t i, const size_t end, int64_t *restrict out)
{
	(void)p;
	(void)end;
	(void)out;
	return i;
}
#endif

/* Those that are left: some of which one is missing, and the last. */
#define READ_CODES(type, none) \
	for (size_t i = from, stop; i < end;) { \
		i = read_eights(p, i, end, out + (i - from)); \
		for (stop = end - i < 8 ? end : i + 8; i < stop; i++) { \
			const uint64_t code = ((const type *)p->codes)[i]; \
			const uint64_t number = first + i * slope + code * unit; \
			out[i - from] = code == (none) ? FIXED_MISSING : (int64_t)number; \
		} \
	}

void pack_read(const struct pack *p, const size_t from, const size_t end, int64_t *restrict out)
{
	const uint64_t first = (uint64_t)p->first, slope = (uint64_t)(int64_t)p->slope, unit = p->unit;

	switch (p->width) {
	case 0:
		for (size_t i = from; i < end; i++)
			out[i - from] = (int64_t)(first + i * slope);
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
		memcpy(out, (const int64_t *)p->codes + from, (end - from) * sizeof *out);
	}
}

/* Once more where one is missing: one more than each code is compared, so that what stands for a missing number becomes the lowest. */
#define HIGHEST_OF(type, none) \
	const type *const restrict codes = p->codes; \
	type highest = 0, above = 0; \
\
	for (size_t i = 0; i < n; i++) \
		highest = codes[i] > highest ? codes[i] : highest; \
	*is_all = highest < (none); \
	for (size_t i = 0; !*is_all && i < n; i++) \
		above = (type)(codes[i] + 1) > above ? (type)(codes[i] + 1) : above; \
	return *is_all ? highest : (type)(above > 0 ? above - 1 : 0)

static inline uint8_t highest_of_bytes(const struct pack *p, const size_t n, bool *is_all)
{
	HIGHEST_OF(uint8_t, UINT8_MAX);
}

static inline uint16_t highest_of_pairs(const struct pack *p, const size_t n, bool *is_all)
{
	HIGHEST_OF(uint16_t, UINT16_MAX);
}

static uint32_t highest_of_fours(const struct pack *p, const size_t n, bool *is_all)
{
	HIGHEST_OF(uint32_t, UINT32_MAX);
}

/* A number of loops that is known is what compilers make fast. */
uint32_t pack_highest(const struct pack *p, const size_t n, bool *is_all)
{
	switch (p->width) {
	case 1:
		return n == PACK ? highest_of_bytes(p, PACK, is_all) : highest_of_bytes(p, n, is_all);
	case 2:
		return n == PACK ? highest_of_pairs(p, PACK, is_all) : highest_of_pairs(p, n, is_all);
	default:
		return highest_of_fours(p, n, is_all);
	}
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

struct packer packer_behind(struct arena *mem, bool is_clock, const struct pack *at, size_t n_packs)
{
	struct packer p = packer_new(mem, is_clock);

	if (!n_packs)
		return p;
	p.at = grow(p.at, &p.room, n_packs, sizeof *p.at);
	memcpy(p.at, at, n_packs * sizeof *p.at);
	p.n = n_packs * PACK;
	p.open_pack = SIZE_MAX; /* what is open is of none of them */
	return p;
}

/* As pack_write() has it. */
static struct pack pack_of_same(int64_t number)
{
	return (struct pack){ .first = number, .unit = 1 };
}

static void close_pack(struct packer *p)
{
	if (p->is_changed && p->is_same)
		p->at[p->open_pack] = pack_of_same(p->open[0]);
	else if (p->is_changed)
		pack_write(&p->at[p->open_pack], p->mem, p->open, count_in(p->open_pack, p->n), p->is_clock);
	p->is_changed = false;
}

void packer_into(struct packer *p, struct arena *mem)
{
	if (p->n % PACK == 0)
		close_pack(p);
	p->mem = mem;
}

static void go_to(struct packer *p, size_t k)
{
	close_pack(p);
	p->open_pack = k;
	if (k < packs_for(p->n))
		pack_read(&p->at[k], 0, count_in(k, p->n), p->open);
}

static void make_pack(struct packer *p, size_t k)
{
	p->at = grow(p->at, &p->room, k + 1, sizeof *p->at);
	p->at[k] = (struct pack){ 0 };
}

static int64_t *open_room(struct packer *p, size_t *n)
{
	const size_t k = p->n / PACK;

	if (k != p->open_pack)
		go_to(p, k);
	if (p->n % PACK == 0)
		make_pack(p, k);
	*n = PACK - p->n % PACK;
	return p->open + p->n % PACK;
}

int64_t *packer_room(struct packer *p, size_t *n)
{
	p->is_same = false;
	return open_room(p, n);
}

void packer_added(struct packer *p, size_t n)
{
	p->n += n;
	p->is_changed |= n > 0;
}

static void fill(int64_t *out, int64_t number, size_t n)
{
	const two pair = { (uint64_t)number, (uint64_t)number };
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		memcpy(out + i, &pair, sizeof pair);
		memcpy(out + i + 2, &pair, sizeof pair);
	}
	for (; i < n; i++)
		out[i] = number;
}

/* One behind whole packs, which the caller writes, and which is not open. */
static struct pack *add_whole(struct packer *p)
{
	const size_t k = p->n / PACK;

	close_pack(p);
	if (p->open_pack == k)
		p->open_pack = SIZE_MAX;
	make_pack(p, k);
	p->n += PACK;
	return &p->at[k];
}

void packer_add_pack(struct packer *p, const int64_t numbers[PACK])
{
	pack_write(add_whole(p), p->mem, numbers, PACK, p->is_clock);
}

bool packer_add_codes(struct packer *p, const int32_t codes[PACK], int64_t unit)
{
	struct pack pack = { 0 };
	const bool is_written = pack_write_codes(&pack, p->mem, codes, unit);

	if (is_written)
		*add_whole(p) = pack;
	return is_written;
}

void packer_add_same(struct packer *p, int64_t number, size_t n)
{
	for (; p->n % PACK == 0 && n >= PACK; n -= PACK)
		*add_whole(p) = pack_of_same(number);
	for (size_t n_free; n; n -= n_free) {
		int64_t *const out = open_room(p, &n_free);
		n_free = n < n_free ? n : n_free;
		if (!p->is_same || p->open[0] != number) {
			p->is_same = out == p->open;
			fill(out, number, p->is_same ? PACK : n_free);
		}
		packer_added(p, n_free);
	}
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
	p->is_same = false;
}

size_t packer_read(const struct packer *p, size_t k, int64_t out[PACK])
{
	const size_t n = k * PACK < p->n ? count_in(k, p->n) : 0;

	if (k == p->open_pack)
		memcpy(out, p->open, n * sizeof *out);
	else if (n)
		pack_read(&p->at[k], 0, n, out);
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
		pack_write(&p.at[k], mem, numbers + k * PACK, count_in(k, n), is_clock);
	return p;
}
