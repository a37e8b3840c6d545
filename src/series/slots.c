/*
 * slots.c - samples of a pack into slots, by their codes.
 *
 *     codes     7 7 7 7 7 7 2 7      few runs: of each of them how long it lasts, from the clock at its ends
 *     codes     5 9 1 4 9 9 5 8      many: of each sample how long it holds, into the banks in turn
 *
 * Many numbers stay as they are for a while, as a temperature or a clock at its limit does, and a run takes as long as four samples.
 * Where a number comes again at once its slot is still being written when it is read, which processors wait for: hence the banks.
 */
#include "series/slots.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define RUNS_MOST 16 /* of 64 samples: where there are more each sample is taken by itself */
#define FEW 8        /* samples: so few are not looked through for runs */

#define AHEAD 3      /* packs: one is counted in less time than memory takes to answer */

/* For loops that are compiled for each width. */
__attribute__((always_inline)) static inline size_t code_at(const struct pack *p, const size_t width, const size_t i)
{
	switch (width) {
	case 1:
		return ((const uint8_t *)p->codes)[i];
	case 2:
		return ((const uint16_t *)p->codes)[i];
	default:
		return ((const uint32_t *)p->codes)[i];
	}
}

/* Spans that are short come many to a pack, and divisions are slow. */
static void open_pack(struct slots *s, const struct track *t, const size_t k)
{
	const struct pack *const p = &t->column.at[k];

	if (s->pack == p)
		return;
	column_fetch(t, k + AHEAD);
	clock_fetch(t, k + AHEAD);
	s->step = s->pack && s->pack->unit == p->unit ? s->step : p->unit / s->unit;
	s->from = s->held + ((uint64_t)p->first - (uint64_t)s->low) / s->unit;
	s->pack = p;
}

static time_ms *slot_of(const struct slots *s, const size_t i)
{
	return s->from + code_at(s->pack, s->pack->width, i) * s->step;
}

/* ------ runs ------ */

/* A bit for each number of a pack behind which there is another code, or none that counts. */
struct last {
	uint64_t bits[PACK / 64];
};
_Static_assert(PACK % 64 == 0, "each word of bits is full");

#ifdef __SSE2__
enum { BLOCK = 16 };

static inline __m128i block_at(const void *codes, const size_t byte)
{
	return _mm_loadu_si128((const __m128i *)(const void *)((const char *)codes + byte));
}

/* Of sixteen codes and those behind them. */
static inline uint64_t last_of_bytes(const __m128i codes, const __m128i next)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(codes, next)) ^ 0xFFFFU;
}

static inline uint64_t last_of_pairs(const __m128i low, const __m128i next_low, const __m128i high, const __m128i next_high)
{
	const __m128i same = _mm_packs_epi16(_mm_cmpeq_epi16(low, next_low), _mm_cmpeq_epi16(high, next_high));

	return (unsigned)_mm_movemask_epi8(same) ^ 0xFFFFU;
}

/* Of 64 from `first` on. Behind the last code of the pack there is none to be read. */
static uint64_t find_last(const struct pack *p, const size_t first)
{
	const void *const codes = p->codes;
	uint64_t last = 0;

	for (size_t i = first; i < first + 64; i += BLOCK) {
		const bool is_end = i + BLOCK == PACK;
		uint64_t bits;

		if (p->width == 1) {
			const __m128i block = block_at(codes, i);
			bits = last_of_bytes(block, is_end ? _mm_srli_si128(block, 1) : block_at(codes, i + 1));
		} else {
			const __m128i low = block_at(codes, 2 * i), high = block_at(codes, 2 * i + BLOCK);
			const __m128i next_high = is_end ? _mm_srli_si128(high, 2) : block_at(codes, 2 * i + BLOCK + 2);
			bits = last_of_pairs(low, block_at(codes, 2 * i + 2), high, next_high);
		}
		last |= bits << i % 64;
	}
	return last;
}
#else
static uint64_t find_last(const struct pack *p, const size_t first)
{
	uint64_t last = 0;

	for (size_t i = 0; i < 64 && first + i + 1 < PACK; i++)
		last |= (uint64_t)(code_at(p, p->width, first + i) != code_at(p, p->width, first + i + 1)) << i;
	return last;
}
#endif

/* Of 64 bits those of numbers [from, end), if `first` is that of the first one. */
static uint64_t bits_between(const size_t first, const size_t from, const size_t end)
{
	const uint64_t before = from > first ? ((uint64_t)1 << (from - first)) - 1 : 0;
	const uint64_t up_to = end - first < 64 ? ((uint64_t)1 << (end - first)) - 1 : UINT64_MAX;

	return up_to & ~before;
}

/* False where they are many, or too wide to be looked through. */
static bool find_runs(const struct pack *p, const size_t at, const size_t end, struct last *last)
{
	memset(last, 0, sizeof *last);
	if (p->width > 2)
		return false;
	for (size_t first = at / 64 * 64; first < end; first += 64) {
		last->bits[first / 64] = find_last(p, first) & bits_between(first, at, end);
		if (__builtin_popcountll(last->bits[first / 64]) > RUNS_MOST)
			return false;
	}
	last->bits[(end - 1) / 64] |= (uint64_t)1 << (end - 1) % 64;
	return true;
}

/* Each run holds until the next one, the last until the sample behind it. */
static void hold_runs(const struct slots *s, const struct last *last, const struct held *h)
{
	const size_t pack = h->first / PACK * PACK;
	time_ms begin = track_time(h->track, h->first);

	for (size_t k = 0; k < PACK / 64; k++)
		for (uint64_t bits = last->bits[k]; bits; bits &= bits - 1) {
			const size_t i = k * 64 + (size_t)__builtin_ctzll(bits);
			const time_ms end = track_time(h->track, pack + i + 1);
			*slot_of(s, i) += end - begin;
			begin = end;
		}
}

static void count_runs(const struct slots *s, const struct last *last, size_t begin)
{
	for (size_t k = 0; k < PACK / 64; k++)
		for (uint64_t bits = last->bits[k]; bits; bits &= bits - 1) {
			const size_t i = k * 64 + (size_t)__builtin_ctzll(bits);
			*slot_of(s, i) += (time_ms)(i + 1 - begin);
			begin = i + 1;
		}
}

/* ------ each sample ------ */

/* In one bank: of few samples each is taken as if it were a run. */
static void hold_few(const struct slots *s, const struct held *h)
{
	const struct span span = h->within.at[h->n_spans - 1];
	time_ms begin = later(track_time(h->track, h->first), span.begin);

	for (size_t i = h->first; i < h->next; i++) {
		const time_ms end = sooner(track_time(h->track, i + 1), span.end);
		*slot_of(s, i % PACK) += end - begin;
		begin = end;
	}
}

/* Samples [i, end) of the pack that is open. */
__attribute__((always_inline)) static inline void hold_each(const struct slots *s, const int16_t *weights, size_t i, const size_t end,
	const size_t width, const size_t step)
{
	time_ms *const first = s->from, *const second = first + s->bank, *const third = second + s->bank, *const fourth = third + s->bank;

	for (; i + SLOT_BANKS <= end; i += SLOT_BANKS) {
		first[code_at(s->pack, width, i) * step] += weights[i];
		second[code_at(s->pack, width, i + 1) * step] += weights[i + 1];
		third[code_at(s->pack, width, i + 2) * step] += weights[i + 2];
		fourth[code_at(s->pack, width, i + 3) * step] += weights[i + 3];
	}
	for (; i < end; i++)
		first[code_at(s->pack, width, i) * step] += weights[i];
}

/* On a clock that ticks evenly in seconds, as most do; false of others. */
static bool hold_ticks(const struct slots *s, const struct held *h)
{
	const size_t at = h->first % PACK, end = at + h->n;
	struct ticks ticks;

	if (held_at_most(h->track, h->first / CHUNK) > INT16_MAX || !chunk_ticks(h->track, h->first / CHUNK, &ticks))
		return false;
	for (size_t i = 0; i < CHUNK; i++) /* of which none is longer than that */
		ticks.late[i] = (int16_t)(ticks.late[i] + ticks.slope);
	if (s->pack->width == 1 && s->step == 1)
		hold_each(s, ticks.late, at, end, 1, 1);
	else if (s->pack->width == 1)
		hold_each(s, ticks.late, at, end, 1, s->step);
	else if (s->pack->width == 2 && s->step == 1)
		hold_each(s, ticks.late, at, end, 2, 1);
	else if (s->pack->width == 2)
		hold_each(s, ticks.late, at, end, 2, s->step);
	else
		hold_each(s, ticks.late, at, end, 4, s->step);
	return true;
}

/* Each has a value and holds until the next; false where it takes looking at more than that. */
static bool hold_full(const struct slots *s, const struct held *h)
{
	const size_t at = h->first % PACK;
	struct last last;

	if (find_runs(s->pack, at, at + h->n, &last))
		hold_runs(s, &last, h);
	else if (!hold_ticks(s, h))
		return false;
	const struct outside outside = held_outside(h);
	*slot_of(s, at) -= outside.before;
	*slot_of(s, at + h->n - 1) -= outside.behind;
	return true;
}

/* Of any: the highest code of all is that of a missing one. */
__attribute__((always_inline)) static inline void hold_known(const struct slots *s, const time_ms *weights, const size_t at, const size_t n,
	const size_t width)
{
	const size_t none = ((size_t)1 << 8 * width) - 1;

	for (size_t i = 0; i < n; i++) {
		const size_t code = code_at(s->pack, width, at + i);
		if (code != none)
			s->from[code * s->step] += weights[i];
	}
}

static void hold_any(const struct slots *s, const struct held *h)
{
	time_ms weights[PACK];

	held_weights(h, weights);
	if (s->pack->width == 1)
		hold_known(s, weights, h->first % PACK, h->n, 1);
	else if (s->pack->width == 2)
		hold_known(s, weights, h->first % PACK, h->n, 2);
	else
		hold_known(s, weights, h->first % PACK, h->n, 4);
}

void slots_hold(struct slots *s, const struct held *h)
{
	const struct chunk *const chunk = chunk_with(h->track, h->first);
	const bool is_full = chunk && chunk->is_full;

	open_pack(s, h->track, h->first / PACK);
	if (s->pack->width == 0)
		*s->from += held_known(h);
	else if (is_full && h->n < FEW)
		hold_few(s, h);
	else if (!is_full || !hold_full(s, h))
		hold_any(s, h);
}

/* As hold_each(). */
__attribute__((always_inline)) static inline void count_each(const struct slots *s, size_t i, const size_t end, const size_t width)
{
	time_ms *const first = s->from, *const second = first + s->bank, *const third = second + s->bank, *const fourth = third + s->bank;
	const size_t step = s->step;

	for (; i + SLOT_BANKS <= end; i += SLOT_BANKS) {
		first[code_at(s->pack, width, i) * step]++;
		second[code_at(s->pack, width, i + 1) * step]++;
		third[code_at(s->pack, width, i + 2) * step]++;
		fourth[code_at(s->pack, width, i + 3) * step]++;
	}
	for (; i < end; i++)
		first[code_at(s->pack, width, i) * step]++;
}

/* None of them is missing; false where their codes are wide, as few are. */
static bool count_full(const struct slots *s, const size_t at, const size_t end)
{
	struct last last;

	if (find_runs(s->pack, at, end, &last))
		count_runs(s, &last, at);
	else if (s->pack->width == 1)
		count_each(s, at, end, 1);
	else if (s->pack->width == 2)
		count_each(s, at, end, 2);
	else
		return false;
	return true;
}

/* As hold_known(). */
static void count_any(const struct slots *s, const size_t at, const size_t end)
{
	const size_t width = s->pack->width, none = ((size_t)1 << 8 * width) - 1;

	for (size_t i = at; i < end; i++) {
		const size_t code = code_at(s->pack, width, i);
		if (code != none)
			s->from[code * s->step]++;
	}
}

void slots_count(struct slots *s, const struct track *t, const size_t first, const size_t n)
{
	const struct chunk *const chunk = chunk_with(t, first);
	const size_t at = first % PACK;

	open_pack(s, t, first / PACK);
	if (s->pack->width == 0)
		*s->from += (time_ms)n;
	else if (!chunk || !chunk->is_full || !count_full(s, at, at + n))
		count_any(s, at, at + n);
}
