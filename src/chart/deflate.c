/*
 * deflate.c - finds what of a picture was there before.
 *
 * A stretch of equal bytes is told as itself moved by one, and not searched. Elsewhere there are three places to look: the byte before,
 * the row above, and where the same five bytes came last, up to N_KEPT times. What tells most in fewest bits wins, and
 * waits a byte to see whether the next place has more to tell.
 */
#include "chart/deflate.h"
#include "base/number.h"
#include "chart/deflate_block.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define KIND_BITS 11 /* of the 32 KB that can be looked back at a few thousand places are no inside of a stretch */
#define KIND_BYTES 5 /* that are alike at places of a kind: 4 make 6 % more of a map of 512 GPUs, as what is short pushes out the rest */
#define FOUR_BYTES 4 /* that are compared at once */
#define N_KEPT 4     /* places of a kind: so many are compared in one step */
#define NOTED_ENDS 4 /* places at each end of a match: to note all takes longer, and as others are pushed out it makes 0.3 % more */
#define LONG_ENOUGH 64	/* to look no further: to go on makes 0.5 % less and takes half as long again */
#define BYTE_BITS 6	/* what a byte takes, about: from 5 to 8 it makes little difference */
#define MATCH_BITS 10	/* and a match, without the bits behind the symbol of its distance */
#define END_BYTES 8	/* are looked at in one, and so the last ones of all are not searched */
#define AHEAD (MATCH_LONGEST + 2 * END_BYTES) /* are known behind what is written: a match and the next may be as long as any */
#define ROOM (4 * MATCH_FURTHEST)

struct places { /* the last ones of a kind, the newest first */
	uint32_t four[N_KEPT]; /* bytes that are there: whoever looks sees at once which places are worth it */
	uint32_t at[N_KEPT];   /* counted from the first byte of all, plus 1; 0: none */
};

struct deflate {
	uint8_t bytes[ROOM];
	size_t n, at;	 /* known, written */
	size_t n_before; /* what came before bytes[0] */
	size_t above;	 /* so far before a byte is the one above it */
	size_t searched_end;
	struct places places[1 << KIND_BITS]; /* by the hash of KIND_BYTES */
	struct deflate_blocks blocks;
};

struct match {
	size_t length, distance;
	int gain; /* bits, about, against single bytes; 0: there is none */
};

static inline uint64_t eight_at(const uint8_t *bytes)
{
	return eight_bytes((const char *)bytes);
}

static inline uint32_t four_at(const uint8_t *bytes)
{
	uint32_t four;
	memcpy(&four, bytes, sizeof four);
	return four;
}

/* How many of at most `most` bytes are alike. */
static inline size_t n_alike(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t n = 0;
	for (; n + 8 <= most; n += 8) {
		const uint64_t others = eight_at(a + n) ^ eight_at(b + n);
		if (others)
			return n + (size_t)__builtin_ctzll(others) / 8;
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* ---- places ---- */

static inline struct places *places_like(struct deflate *d, uint64_t eight)
{
	return &d->places[(eight << (64 - 8 * KIND_BYTES)) * 0x9e3779b97f4a7c15 >> (64 - KIND_BITS)]; /* Knuth's multiplicative hash */
}

#ifdef __SSE2__
/* Before the others, the last of which goes. */
static inline void kept_add(uint32_t *kept, uint32_t added)
{
	__m128i *const all = (__m128i *)(void *)kept;
	const __m128i others = _mm_slli_si128(_mm_loadu_si128(all), sizeof added);
	_mm_storeu_si128(all, _mm_or_si128(others, _mm_cvtsi32_si128((int)added)));
}

/* A bit for each place that has these four bytes, the newest lowest. */
static inline unsigned places_with(const struct places *places, uint32_t four)
{
	const __m128i kept = _mm_loadu_si128((const __m128i *)(const void *)places->four);
	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(kept, _mm_set1_epi32((int)four))));
}
#else
static inline void kept_add(uint32_t *kept, uint32_t added)
{
	memmove(kept + 1, kept, (N_KEPT - 1) * sizeof *kept);
	kept[0] = added;
}

static inline unsigned places_with(const struct places *places, uint32_t four)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < N_KEPT; i++)
		bits |= (unsigned)(places->four[i] == four) << i;
	return bits;
}
#endif

static inline void place_add(const struct deflate *d, struct places *places, size_t at)
{
	kept_add(places->four, four_at(d->bytes + at));
	kept_add(places->at, (uint32_t)(d->n_before + at + 1));
}

/* What lies in [from, end), but for the inside of stretches: bytes that are as the one before them and the three behind. */
static void places_note(struct deflate *d, size_t from, size_t end)
{
	for (size_t at = from; at < end && at < d->searched_end;) {
		const uint64_t changes = eight_at(d->bytes + at) ^ eight_at(d->bytes + at - 1);
		const size_t first = changes ? (size_t)__builtin_ctzll(changes) / 8 : 8;
		if (first < FOUR_BYTES) {
			place_add(d, places_like(d, eight_at(d->bytes + at)), at);
			at++;
		} else {
			at += first - (FOUR_BYTES - 1);
		}
	}
}

/* Of a long match only its ends: what begins inside of it is found from where the match was before. What lies before `noted` is there. */
static void match_note(struct deflate *d, size_t from, size_t end, size_t noted)
{
	const size_t begin = from < noted ? noted : from;
	if (end - from > 2 * NOTED_ENDS) {
		places_note(d, begin, from + NOTED_ENDS);
		places_note(d, end - NOTED_ENDS, end);
	} else {
		places_note(d, begin, end);
	}
}

/* ---- matches ---- */

#define TOO_SHORT 0xffffffU /* one of the first MATCH_SHORTEST bytes is another one */

static inline void match_try(const struct deflate *d, size_t at, size_t distance, size_t most, struct match *best)
{
	const uint8_t *const bytes = d->bytes + at;
	const uint64_t others = eight_at(bytes) ^ eight_at(bytes - distance);
	if (others & TOO_SHORT)
		return;
	const size_t length = others ? (size_t)__builtin_ctzll(others) / 8 : n_alike(bytes, bytes - distance, most);
	const int gain = (int)(length * BYTE_BITS - MATCH_BITS - graded_from((unsigned)distance - 1, 1).n_bits);
	if (gain > best->gain)
		*best = (struct match){ length, distance, gain };
}

static void places_try(const struct deflate *d, const struct places *places, size_t at, size_t most, struct match *best)
{
	const uint8_t *const bytes = d->bytes + at;
	const size_t reach = at < MATCH_FURTHEST ? at : MATCH_FURTHEST;
	for (unsigned with = places_with(places, four_at(bytes)); with; with &= with - 1) {
		const size_t place = places->at[__builtin_ctz(with)];
		const size_t back = d->n_before + at + 1 - place; /* where there is none: to what lies before all */
		const size_t last = best->length < FOUR_BYTES ? 0 : best->length - (FOUR_BYTES - 1);
		if (back > reach || best->length >= LONG_ENOUGH)
			return;
		if (four_at(bytes - back + last) == four_at(bytes + last))
			match_try(d, at, back, most, best);
	}
}

static size_t length_most(const struct deflate *d, size_t at)
{
	return d->n - at < MATCH_LONGEST ? d->n - at : MATCH_LONGEST;
}

/* What tells most from here on; its length is 0 when nothing does. This place is noted, too. */
static struct match match_find(struct deflate *d, size_t at)
{
	const size_t most = length_most(d, at);
	const uint64_t eight = eight_at(d->bytes + at);
	struct places *const places = places_like(d, eight);
	struct match best = { 0 };
	match_try(d, at, 1, most, &best);
	if (at >= d->above)
		match_try(d, at, d->above, most, &best);
	if (best.length < LONG_ENOUGH)
		places_try(d, places, at, most, &best);
	if ((uint32_t)(eight ^ eight_at(d->bytes + at - 1)))
		place_add(d, places, at);
	return best;
}

/* ---- writing: from `at` on, returns how far ---- */

static inline bool is_in_stretch(const struct deflate *d, size_t at)
{
	return eight_at(d->bytes + at) == eight_at(d->bytes + at - 1);
}

static size_t match_write(struct deflate *d, size_t at, size_t length, size_t distance)
{
	deflate_match(&d->blocks, length, distance);
	return at + length;
}

/* The rest of a stretch: as long as it goes on, or as far as it and what follows are as the row above. */
static size_t stretch_write(struct deflate *d, size_t at)
{
	const uint8_t *const bytes = d->bytes;
	const size_t end = at + n_alike(bytes + at, bytes + at - 1, d->n - at);
	while (end - at >= MATCH_LONGEST)
		at = match_write(d, at, MATCH_LONGEST, 1);
	if (end - at < MATCH_SHORTEST)
		return at;
	const size_t above = at >= d->above ? n_alike(bytes + at, bytes + at - d->above, length_most(d, at)) : 0;
	at = above > end - at ? match_write(d, at, above, d->above) : match_write(d, at, end - at, 1);
	match_note(d, end - (FOUR_BYTES - 1), at, 0);
	return at;
}

static size_t piece_write(struct deflate *d, size_t at)
{
	struct match match = match_find(d, at), next;
	size_t noted = at + 1;
	for (; match.length && match.length < LONG_ENOUGH && at + 1 < d->searched_end; match = next) {
		next = match_find(d, at + 1);
		noted = at + 2;
		if (next.gain <= match.gain)
			break;
		deflate_byte(&d->blocks, d->bytes[at++]);
	}
	if (!match.length) {
		deflate_byte(&d->blocks, d->bytes[at]);
		return at + 1;
	}
	if (match.distance != d->above || match.length < LONG_ENOUGH)
		match_note(d, at + 1, at + match.length, noted);
	return match_write(d, at, match.length, match.distance);
}

/* All but so many bytes at the end, which what follows may still be told with. */
static void write_all_but(struct deflate *d, size_t n_left)
{
	d->searched_end = d->n > n_left ? d->n - n_left : 0;
	if (d->at == 0 && d->searched_end > 0)
		deflate_byte(&d->blocks, d->bytes[d->at++]);
	while (d->at < d->searched_end)
		d->at = is_in_stretch(d, d->at) ? stretch_write(d, d->at) : piece_write(d, d->at);
}

/* Only what can be looked back at stays, and what is not packed yet. */
static void room_make(struct deflate *d)
{
	const size_t n_gone = d->at - MATCH_FURTHEST;
	memmove(d->bytes, d->bytes + n_gone, d->n - n_gone);
	d->n_before += n_gone;
	d->n -= n_gone;
	d->at -= n_gone;
}

struct deflate *deflate_new(struct arena *mem, size_t row_bytes, struct buf *out)
{
	struct deflate *const d = NEW(mem, struct deflate);
	d->above = row_bytes <= MATCH_FURTHEST ? row_bytes : 1;
	d->blocks.out = out;
	return d;
}

void deflate_put(struct deflate *d, const uint8_t *bytes, size_t n)
{
	while (n > 0) {
		const size_t part = n < ROOM - d->n ? n : ROOM - d->n;
		memcpy(d->bytes + d->n, bytes, part);
		d->n += part;
		bytes += part;
		n -= part;
		if (d->n < ROOM)
			continue;
		write_all_but(d, AHEAD);
		room_make(d);
	}
}

void deflate_end(struct deflate *d)
{
	write_all_but(d, END_BYTES);
	while (d->at < d->n)
		deflate_byte(&d->blocks, d->bytes[d->at++]);
	deflate_block_write(&d->blocks, true);
}
