/*
 * deflate.c - from bytes to tokens, from tokens to bits.
 *
 *     row above  000011100002222      tokens: a byte as it is, or "n bytes as they stand d bytes before"
 *     row        000011100003222      (11, stride) 3 (3, stride)
 *
 * A token is the longest of what stands in the row above, of a run of one byte, and of what a hash of four bytes remembers; where the next
 * byte begins a longer one, it waits. Every BLOCK tokens get codes of their own (Huffman 1952), as RFC 1951 writes them.
 */
#include "chart/deflate.h"
#include "chart/prefix_code.h"
#include <string.h>

#define WINDOW ((size_t)32768) /* RFC 1951: how far back a match may lie */
#define SHORTEST 3
#define LONGEST 258
#define REMEMBERED 4 /* bytes that are hashed */
#define HASH_BITS 13
#define GOOD 24 /* bytes: a match as long as this is taken without looking further */
#define BLOCK 8000 /* tokens */
#define ROOM 4096

#define N_LITERALS PREFIX_CODE_MOST_SYMBOLS /* bytes, end of block, lengths */
#define END_OF_BLOCK 256
#define FIRST_LENGTH 257
#define N_DISTANCES 30
#define N_LENGTHS 19 /* of codes, as the head of a block writes them */
#define MOST_BITS PREFIX_CODE_MOST_BITS
#define MOST_BITS_OF_HEAD 7

struct token {
	uint16_t length; /* 0: a byte */
	uint16_t distance; /* or the byte */
};

#define REMEMBERED_PLACES 2
struct places {
	uint32_t behind[REMEMBERED_PLACES]; /* one more than where these bytes stood, the last first; 0: nowhere */
};

struct packer_of_rows {
	const uint8_t *bytes;
	size_t n, stride;
	struct places *places; /* by hash */
	struct token *tokens;
	size_t n_tokens;
	struct buf *out;
	uint32_t bits; /* that do not fill a byte yet */
	unsigned n_bits;
	char room[ROOM]; /* what is to be put */
	size_t n_room;
};

/* ---- bits ---- */

static void room_empty(struct packer_of_rows *p)
{
	buf_put(p->out, (struct slice){ p->room, p->n_room });
	p->n_room = 0;
}

/* Up to 16 of them. */
static inline void bits_put(struct packer_of_rows *p, uint32_t value, unsigned n)
{
	p->bits |= value << p->n_bits;
	p->n_bits += n;
	for (; p->n_bits >= 8; p->n_bits -= 8) {
		p->room[p->n_room++] = (char)p->bits;
		p->bits >>= 8;
	}
	if (p->n_room + 2 > ROOM)
		room_empty(p);
}

static void bits_end(struct packer_of_rows *p)
{
	if (p->n_bits > 0)
		p->room[p->n_room++] = (char)p->bits;
	room_empty(p);
}

static inline void symbol_put(struct packer_of_rows *p, const struct prefix_code *c, size_t symbol)
{
	bits_put(p, c->bits[symbol], c->length[symbol]);
}

/* ---- what a length and a distance are written as: a symbol, and some bits more ---- */

struct wide {
	uint16_t first; /* that the symbol stands for */
	uint8_t n_bits;
};

static const struct wide lengths[] = {
	{ 3, 0 },
	{ 4, 0 },
	{ 5, 0 },
	{ 6, 0 },
	{ 7, 0 },
	{ 8, 0 },
	{ 9, 0 },
	{ 10, 0 },
	{ 11, 1 },
	{ 13, 1 },
	{ 15, 1 },
	{ 17, 1 },
	{ 19, 2 },
	{ 23, 2 },
	{ 27, 2 },
	{ 31, 2 },
	{ 35, 3 },
	{ 43, 3 },
	{ 51, 3 },
	{ 59, 3 },
	{ 67, 4 },
	{ 83, 4 },
	{ 99, 4 },
	{ 115, 4 },
	{ 131, 5 },
	{ 163, 5 },
	{ 195, 5 },
	{ 227, 5 },
	{ 258, 0 },
};
static const struct wide distances[N_DISTANCES] = {
	{ 1, 0 },
	{ 2, 0 },
	{ 3, 0 },
	{ 4, 0 },
	{ 5, 1 },
	{ 7, 1 },
	{ 9, 2 },
	{ 13, 2 },
	{ 17, 3 },
	{ 25, 3 },
	{ 33, 4 },
	{ 49, 4 },
	{ 65, 5 },
	{ 97, 5 },
	{ 129, 6 },
	{ 193, 6 },
	{ 257, 7 },
	{ 385, 7 },
	{ 513, 8 },
	{ 769, 8 },
	{ 1025, 9 },
	{ 1537, 9 },
	{ 2049, 10 },
	{ 3073, 10 },
	{ 4097, 11 },
	{ 6145, 11 },
	{ 8193, 12 },
	{ 12289, 12 },
	{ 16385, 13 },
	{ 24577, 13 },
};

static unsigned highest_bit(unsigned n)
{
	return 31 - (unsigned)__builtin_clz(n);
}

/* Four symbols to each power of two. */
static size_t length_symbol(unsigned length)
{
	const unsigned more = length - SHORTEST, high = highest_bit(more | 1);

	if (length == LONGEST)
		return sizeof lengths / sizeof *lengths - 1;
	return more < 8 ? more : 4 * (high - 1) + (more >> (high - 2) & 3);
}

/* Two of them. */
static size_t distance_symbol(unsigned distance)
{
	const unsigned more = distance - 1, high = highest_bit(more | 1);

	return more < 4 ? more : 2 * high + (more >> (high - 1) & 1);
}

static void tokens_put(struct packer_of_rows *p, const struct prefix_code *literals, const struct prefix_code *far)
{
	for (const struct token *t = p->tokens; t < p->tokens + p->n_tokens; t++) {
		if (!t->length) {
			symbol_put(p, literals, t->distance);
			continue;
		}
		const size_t length = length_symbol(t->length), distance = distance_symbol(t->distance);
		symbol_put(p, literals, FIRST_LENGTH + length);
		bits_put(p, (uint32_t)t->length - lengths[length].first, lengths[length].n_bits);
		symbol_put(p, far, distance);
		bits_put(p, (uint32_t)t->distance - distances[distance].first, distances[distance].n_bits);
	}
	symbol_put(p, literals, END_OF_BLOCK);
}

/* ---- the head of a block: lengths of all codes, repeats told as such ---- */

#define REPEAT 16 /* the one before, 3 to 6 times */
#define FEW_ZEROS 17 /* 3 to 10 */
#define MANY_ZEROS 18 /* 11 to 138 */

struct head {
	uint8_t symbol[N_LITERALS + N_DISTANCES], more[N_LITERALS + N_DISTANCES];
	size_t n;
	uint32_t counts[N_LENGTHS];
};

static void head_add(struct head *h, unsigned symbol, size_t more)
{
	h->symbol[h->n] = (uint8_t)symbol;
	h->more[h->n++] = (uint8_t)more;
	h->counts[symbol]++;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void head_add_lengths(struct head *h, const uint8_t *at, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && at[end] == at[i];)
			end++;
		size_t left = end - i;
		if (at[i]) {
			head_add(h, at[i], 0);
			left--;
		}
		for (size_t k; left >= 3; left -= k) {
			k = least(left, at[i] ? 6 : 138);
			if (at[i])
				head_add(h, REPEAT, k - 3);
			else
				head_add(h, k < 11 ? FEW_ZEROS : MANY_ZEROS, k - (k < 11 ? 3 : 11));
		}
		for (; left > 0; left--)
			head_add(h, at[i], 0);
	}
}

static size_t used(const uint8_t *lengths_of, size_t n)
{
	while (lengths_of[n - 1] == 0)
		n--;
	return n;
}

static void head_put(struct packer_of_rows *p, const struct prefix_code *literals, const struct prefix_code *far)
{
	static const uint8_t order[N_LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	const size_t n_literals = used(literals->length, N_LITERALS), n_far = used(far->length, N_DISTANCES);
	struct head h = { .n = 0 };
	struct prefix_code code;
	size_t n = N_LENGTHS;

	head_add_lengths(&h, literals->length, n_literals);
	head_add_lengths(&h, far->length, n_far);
	prefix_code_make(&code, h.counts, N_LENGTHS, MOST_BITS_OF_HEAD);
	while (code.length[order[n - 1]] == 0)
		n--;
	bits_put(p, (uint32_t)n_literals - 257, 5);
	bits_put(p, (uint32_t)n_far - 1, 5);
	bits_put(p, (uint32_t)n - 4, 4);
	for (size_t i = 0; i < n; i++)
		bits_put(p, code.length[order[i]], 3);
	for (size_t i = 0; i < h.n; i++) {
		symbol_put(p, &code, h.symbol[i]);
		if (h.symbol[i] >= REPEAT)
			bits_put(p, h.more[i], h.symbol[i] == REPEAT ? 2 : h.symbol[i] == FEW_ZEROS ? 3
												    : 7);
	}
}

static void block_put(struct packer_of_rows *p, bool is_last)
{
	uint32_t n_literals[N_LITERALS] = { [END_OF_BLOCK] = 1 }, n_far[N_DISTANCES] = { 0 };
	struct prefix_code literals, far;

	for (size_t i = 0; i < p->n_tokens; i++) {
		const struct token t = p->tokens[i];
		n_literals[t.length ? FIRST_LENGTH + length_symbol(t.length) : t.distance]++;
		if (t.length)
			n_far[distance_symbol(t.distance)]++;
	}
	prefix_code_make(&literals, n_literals, N_LITERALS, MOST_BITS);
	prefix_code_make(&far, n_far, N_DISTANCES, MOST_BITS);
	bits_put(p, is_last, 1);
	bits_put(p, 2, 2); /* with codes of its own */
	head_put(p, &literals, &far);
	tokens_put(p, &literals, &far);
	p->n_tokens = 0;
}

/* ---- from bytes to tokens ---- */

static inline uint64_t eight(const uint8_t *p)
{
	uint64_t bytes;

	memcpy(&bytes, p, sizeof bytes);
	return bytes;
}

/* Of eight bytes, not all 0, the first that is not. */
static inline size_t first_byte(uint64_t bytes)
{
	return (size_t)(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(bytes) : __builtin_clzll(bytes)) / 8;
}

/* How many bytes, `most` at most, are the same here and there. */
static inline size_t alike(const uint8_t *here, const uint8_t *there, size_t most)
{
	size_t n = 0;

	for (; n + 8 <= most; n += 8) {
		const uint64_t other = eight(here + n) ^ eight(there + n);
		if (other)
			return n + first_byte(other);
	}
	while (n < most && here[n] == there[n])
		n++;
	return n;
}

struct match {
	size_t length, distance;
};

static inline void match_try(const struct packer_of_rows *p, size_t at, size_t distance, size_t margin, struct match *best)
{
	const size_t most = least(p->n - at, LONGEST), least_length = best->length + margin;

	if (distance > at || distance > WINDOW || least_length >= most ||
		p->bytes[at + least_length] != p->bytes[at + least_length - distance])
		return;
	const size_t length = alike(p->bytes + at, p->bytes + at - distance, most);
	if (length > least_length)
		*best = (struct match){ length, distance };
}

/* Where these bytes stood before; from now on they stand here. */
static inline struct places places_take(struct packer_of_rows *p, size_t at)
{
	uint32_t four;

	memcpy(&four, p->bytes + at, sizeof four);
	struct places *const places = &p->places[four * 2654435761U >> (32 - HASH_BITS)]; /* Knuth's multiplicative hash */
	const struct places before = *places;
	*places = (struct places){ { (uint32_t)at + 1, before.behind[0] } };
	return before;
}

/* A distance that is seldom takes some bits more than that of the row above, or 1: it must pay. */
#define SELDOM 1

static struct match match_at(struct packer_of_rows *p, size_t at)
{
	struct match best = { SHORTEST - 1, 0 };

	match_try(p, at, 1, 0, &best);
	match_try(p, at, p->stride, 0, &best);
	if (best.length >= GOOD || at + REMEMBERED > p->n)
		return best;
	const struct places before = places_take(p, at);
	for (size_t i = 0; i < REMEMBERED_PLACES && before.behind[i]; i++)
		match_try(p, at, at + 1 - before.behind[i], SELDOM, &best);
	return best;
}

static void token_add(struct packer_of_rows *p, struct token t)
{
	p->tokens[p->n_tokens++] = t;
	if (p->n_tokens == BLOCK)
		block_put(p, false);
}

static void tokens_make(struct packer_of_rows *p)
{
	struct match here = match_at(p, 0);

	for (size_t at = 0; at < p->n;) {
		const struct match next = here.length < GOOD && at + 1 < p->n ? match_at(p, at + 1) : (struct match){ 0, 0 };
		if (here.distance == 0 || next.length > here.length) {
			token_add(p, (struct token){ 0, p->bytes[at++] });
			here = next;
			continue;
		}
		token_add(p, (struct token){ (uint16_t)here.length, (uint16_t)here.distance });
		at += here.length;
		if (at < p->n)
			here = match_at(p, at);
	}
}

/* RFC 1950's sum: of all bytes, and of all such sums. */
struct sum {
	uint32_t bytes, sums;
};

#define ABREAST 16 /* bytes: their sums fit 16 bits, and compilers make vectors of them */
#define BEFORE_REST ((size_t)5552) /* bytes: the sums fit 32 bits until they are brought back below the prime */
#define PRIME 65521

static void sum_add_abreast(struct sum *s, const uint8_t *at)
{
	uint16_t bytes = 0, sums = 0;

	for (unsigned i = 0; i < ABREAST; i++) {
		bytes = (uint16_t)(bytes + at[i]);
		sums = (uint16_t)(sums + (ABREAST - i) * at[i]);
	}
	s->sums += ABREAST * s->bytes + sums;
	s->bytes += bytes;
}

static uint32_t sum_of(const uint8_t *bytes, size_t n)
{
	struct sum s = { 1, 0 };

	for (size_t i = 0; i < n;) {
		const size_t end = i + least(n - i, BEFORE_REST);
		for (; i + ABREAST <= end; i += ABREAST)
			sum_add_abreast(&s, bytes + i);
		for (; i < end; i++) {
			s.bytes += bytes[i];
			s.sums += s.bytes;
		}
		s.bytes %= PRIME;
		s.sums %= PRIME;
	}
	return s.sums << 16 | s.bytes;
}

void deflate_rows(struct arena *scratch, const uint8_t *bytes, size_t n, size_t stride, struct buf *out)
{
	struct packer_of_rows p = {
		.bytes = bytes,
		.n = n,
		.stride = stride,
		.places = NEW_ARRAY(scratch, struct places, (size_t)1 << HASH_BITS),
		.tokens = NEW_RAW_ARRAY(scratch, struct token, BLOCK),
		.out = out,
	};
	const uint32_t sum = sum_of(bytes, n);

	buf_put(out, (struct slice){ "\x78\x5e", 2 }); /* a window of 32 KiB, packed fast */
	if (n > 0)
		tokens_make(&p);
	block_put(&p, true);
	bits_end(&p);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_char(out, (char)(sum >> shift));
}
