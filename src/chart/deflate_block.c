/* deflate_block.c - Huffman's codes for a block, and the block in them. Symbols and their order are those of RFC 1951, 3.2.5 to 3.2.7. */
#include "chart/deflate_block.h"
#include <stdlib.h>
#include <string.h>

#define N_LITERALS 286 /* bytes, the end, lengths */
#define N_LENGTHS 19 /* symbols that tell how long the codes of the others are */
#define END_OF_BLOCK 256
#define FIRST_LENGTH 257
#define LENGTH_LONGEST 28 /* MATCH_LONGEST has a symbol of its own */
#define CODE_LONGEST 15
#define LENGTH_CODE_LONGEST 7
#define PIECE_BITS (15 + 5 + 15 + 13) /* of a match at worst: two codes, and the bits behind them */
#define HEAD_BYTES 400 /* at worst 7 bits for each code, and 74 before them */

struct code {
	uint8_t n_bits[N_LITERALS]; /* 0: the symbol is not used */
	uint16_t bits[N_LITERALS];  /* the first one lowest */
};

/* ---- codes ---- */

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Those in use, the rarest first: how often in the upper half, the symbol in the lower. Returns how many. */
static size_t symbols_sorted(uint32_t *sorted, const uint16_t *uses, size_t n)
{
	size_t n_used = 0;
	for (size_t symbol = 0; symbol < n; symbol++)
		if (uses[symbol])
			sorted[n_used++] = (uint32_t)uses[symbol] << 16 | (uint32_t)symbol;
	qsort(sorted, n_used, sizeof *sorted, by_number);
	return n_used;
}

/* Huffman's tree: the two lightest become one, until one is left. Counts how many symbols come to lie how deep. */
static void depths_count(size_t *n_at, const uint32_t *sorted, size_t n)
{
	uint32_t weight[2 * N_LITERALS];
	uint16_t parent[2 * N_LITERALS] = { 0 };
	uint8_t depth[2 * N_LITERALS] = { 0 };
	size_t leaf = 0, inner = n;
	for (size_t i = 0; i < n; i++)
		weight[i] = sorted[i] >> 16;
	for (size_t next = n; next + 1 < 2 * n; next++) {
		weight[next] = 0;
		for (int side = 0; side < 2; side++) {
			const bool is_leaf = leaf < n && (inner == next || weight[leaf] <= weight[inner]);
			const size_t lighter = is_leaf ? leaf++ : inner++;
			weight[next] += weight[lighter];
			parent[lighter] = (uint16_t)next;
		}
	}
	depth[2 * n - 2] = 0;
	for (size_t i = 2 * n - 2; i-- > 0;)
		depth[i] = (uint8_t)(depth[parent[i]] + 1);
	for (size_t i = 0; i < n; i++)
		n_at[n > 1 ? depth[i] : 1]++;
}

/* Symbols that lie too deep go up to the deepest place that there is; others go down until there is room for all. */
static void depths_limit(size_t *n_at, size_t n_depths, unsigned deepest)
{
	size_t taken = 0; /* places of the deepest kind */
	for (size_t depth = deepest + 1; depth < n_depths; depth++)
		n_at[deepest] += n_at[depth];
	for (unsigned depth = 1; depth <= deepest; depth++)
		taken += n_at[depth] << (deepest - depth);
	for (; taken > (size_t)1 << deepest; taken--) {
		unsigned depth = deepest - 1;
		while (!n_at[depth])
			depth--;
		n_at[depth]--;
		n_at[depth + 1] += 2;
		n_at[deepest]--;
	}
}

static uint16_t bits_turned(unsigned bits, unsigned n)
{
	unsigned turned = 0;
	for (; n > 0; n--, bits >>= 1)
		turned = turned << 1 | (bits & 1);
	return (uint16_t)turned;
}

/* Shorter codes are smaller numbers, and of equal length those of smaller symbols (RFC 1951, 3.2.2). */
static void bits_give(struct code *code, const size_t *n_at, size_t n)
{
	unsigned next[CODE_LONGEST + 1] = { 0 };
	for (size_t length = 2; length <= CODE_LONGEST; length++)
		next[length] = (next[length - 1] + (unsigned)n_at[length - 1]) << 1;
	for (size_t symbol = 0; symbol < n; symbol++)
		if (code->n_bits[symbol])
			code->bits[symbol] = bits_turned(next[code->n_bits[symbol]]++, code->n_bits[symbol]);
}

/* At least one symbol is in use; a single one gets a bit all the same. */
static void code_make(struct code *code, const uint16_t *uses, size_t n, unsigned longest)
{
	uint32_t sorted[N_LITERALS];
	size_t n_at[N_LITERALS + 1] = { 0 }, next = 0;
	const size_t n_used = symbols_sorted(sorted, uses, n);
	depths_count(n_at, sorted, n_used);
	depths_limit(n_at, N_LITERALS + 1, longest);
	memset(code->n_bits, 0, sizeof code->n_bits);
	for (unsigned length = longest; length > 0; length--)
		for (size_t i = 0; i < n_at[length]; i++)
			code->n_bits[sorted[next++] & 0xffff] = (uint8_t)length;
	bits_give(code, n_at, n);
}

/* ---- bits ---- */

struct bits {
	uint8_t *at;
	uint64_t waiting;
	unsigned n; /* below 8, between one call and the next */
};

/* At most 56. Eight bytes are written each time, and those that are not whole yet are written over: there is nothing to decide. */
static inline void bits_put(struct bits *b, uint64_t bits, unsigned n)
{
	b->waiting |= bits << b->n;
	b->n += n;
	uint64_t lowest_first = b->waiting;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	lowest_first = __builtin_bswap64(lowest_first);
#endif
	memcpy(b->at, &lowest_first, sizeof lowest_first);
	b->at += b->n / 8;
	b->waiting >>= b->n / 8 * 8;
	b->n %= 8;
}

/* Up to a whole byte. */
static void bits_end(struct bits *b)
{
	bits_put(b, 0, (8 - b->n) % 8);
}

/* A symbol, and the bits behind it. */
static inline void symbol_put(struct bits *b, const struct code *code, size_t symbol, uint64_t bits, unsigned n)
{
	bits_put(b, code->bits[symbol] | bits << code->n_bits[symbol], code->n_bits[symbol] + n);
}

/* ---- a block ---- */

/* Of a kind of match. */
static inline struct graded length_of(size_t kind)
{
	struct graded length = graded_from((unsigned)kind - PIECE_MATCH, TOLD_BY_LENGTH);
	if (kind == N_PIECE_KINDS - 1)
		length = (struct graded){ LENGTH_LONGEST, 0, 0 };
	length.symbol += FIRST_LENGTH;
	return length;
}

static void codes_make(struct deflate_blocks *blocks, struct code *literals, struct code *distances)
{
	uint16_t of_literals[N_LITERALS] = { 0 };
	memcpy(of_literals, blocks->uses, PIECE_MATCH * sizeof *of_literals);
	of_literals[END_OF_BLOCK] = 1;
	for (size_t kind = PIECE_MATCH; kind < N_PIECE_KINDS; kind++)
		of_literals[length_of(kind).symbol] += blocks->uses[kind];
	if (blocks->distance_uses[NO_DISTANCE] == blocks->n)
		blocks->distance_uses[0] = 1; /* some readers want a code, and nobody uses it */
	code_make(literals, of_literals, N_LITERALS, CODE_LONGEST);
	code_make(distances, blocks->distance_uses, N_DISTANCES, CODE_LONGEST);
}

struct told_length { /* of a code, or of several one after the other */
	uint8_t symbol, n_bits, bits;
};

#define AS_BEFORE 16 /* 3 to 6 times */
#define FEW_UNUSED 17 /* 3 to 10 */
#define MANY_UNUSED 18 /* 11 to 138 */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A length that comes *alike times: a symbol for as many of them as one can tell, which *alike is then. */
static struct told_length length_tell(uint8_t length, bool is_again, size_t *alike)
{
	const size_t n = *alike;
	if (!length && n >= 11)
		return (struct told_length){ MANY_UNUSED, 7, (uint8_t)((*alike = least(n, 138)) - 11) };
	if (!length && n >= 3)
		return (struct told_length){ FEW_UNUSED, 3, (uint8_t)(n - 3) };
	if (is_again && n >= 3)
		return (struct told_length){ AS_BEFORE, 2, (uint8_t)((*alike = least(n, 6)) - 3) };
	*alike = 1;
	return (struct told_length){ length, 0, 0 };
}

/* How long the n codes are. Returns how many symbols that takes. */
static size_t lengths_tell(struct told_length *told, const uint8_t *lengths, size_t n)
{
	size_t n_told = 0;
	for (size_t i = 0, alike; i < n; i += alike) {
		for (alike = 1; i + alike < n && lengths[i + alike] == lengths[i];)
			alike++;
		told[n_told++] = length_tell(lengths[i], i > 0 && lengths[i] == lengths[i - 1], &alike);
	}
	return n_told;
}

static size_t used_end(const struct code *code, size_t n, size_t fewest)
{
	while (n > fewest && !code->n_bits[n - 1])
		n--;
	return n;
}

/* The codes are told by how long each of them is, in symbols with a code of their own, which is told by plain lengths. */
static void codes_put(struct bits *b, const struct code *literals, const struct code *distances)
{
	static const uint8_t order[N_LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	const size_t n_literals = used_end(literals, N_LITERALS, FIRST_LENGTH), n_distances = used_end(distances, N_DISTANCES, 1);
	uint8_t lengths[N_LITERALS + N_DISTANCES];
	struct told_length told[N_LITERALS + N_DISTANCES];
	uint16_t uses[N_LENGTHS] = { 0 };
	struct code code;
	memcpy(lengths, literals->n_bits, n_literals);
	memcpy(lengths + n_literals, distances->n_bits, n_distances);
	const size_t n_told = lengths_tell(told, lengths, n_literals + n_distances);
	for (size_t i = 0; i < n_told; i++)
		uses[told[i].symbol]++;
	code_make(&code, uses, N_LENGTHS, LENGTH_CODE_LONGEST);
	size_t n_lengths = N_LENGTHS;
	while (n_lengths > 4 && !code.n_bits[order[n_lengths - 1]])
		n_lengths--;
	bits_put(b, n_literals - FIRST_LENGTH, 5);
	bits_put(b, n_distances - 1, 5);
	bits_put(b, n_lengths - 4, 4);
	for (size_t i = 0; i < n_lengths; i++)
		bits_put(b, code.n_bits[order[i]], 3);
	for (size_t i = 0; i < n_told; i++)
		symbol_put(b, &code, told[i].symbol, told[i].bits, told[i].n_bits);
}

struct written { /* a kind of piece: its code, and the bits behind it */
	uint32_t bits, n_bits;
};

static void kinds_write(struct written *as, const struct code *literals)
{
	for (size_t byte = 0; byte < PIECE_MATCH; byte++)
		as[byte] = (struct written){ literals->bits[byte], literals->n_bits[byte] };
	for (size_t kind = PIECE_MATCH; kind < N_PIECE_KINDS; kind++) {
		const struct graded length = length_of(kind);
		const uint8_t n_bits = literals->n_bits[length.symbol];
		as[kind] = (struct written){ literals->bits[length.symbol] | length.bits << n_bits, n_bits + length.n_bits };
	}
}

struct written_distance {
	uint16_t bits;
	uint8_t n_bits, n_all; /* n_all: with the bits behind it */
};

static void distances_write(struct written_distance *as, const struct code *distances)
{
	for (unsigned symbol = 0; symbol < N_DISTANCES; symbol++) {
		const unsigned n_bits = distances->n_bits[symbol], n_behind = symbol < 4 ? 0 : symbol / 2 - 1;
		as[symbol] = (struct written_distance){ distances->bits[symbol], (uint8_t)n_bits, (uint8_t)(n_bits + n_behind) };
	}
	as[NO_DISTANCE] = (struct written_distance){ 0, 0, 0 };
}

static void pieces_put(struct bits *b, const struct deflate_blocks *blocks, const struct code *literals, const struct code *distances)
{
	struct written kinds[N_PIECE_KINDS];
	struct written_distance as[N_DISTANCES + 1];
	kinds_write(kinds, literals);
	distances_write(as, distances);
	for (size_t i = 0; i < blocks->n; i++) {
		const struct deflate_piece piece = blocks->piece[i];
		const struct written kind = kinds[piece.kind];
		const struct written_distance distance = as[piece.symbol];
		const uint64_t of_distance = distance.bits | (uint64_t)piece.behind << distance.n_bits;
		bits_put(b, kind.bits | of_distance << kind.n_bits, kind.n_bits + distance.n_all);
	}
}

static void blocks_empty(struct deflate_blocks *blocks)
{
	blocks->n = 0;
	memset(blocks->uses, 0, sizeof blocks->uses);
	memset(blocks->distance_uses, 0, sizeof blocks->distance_uses);
}

void deflate_block_write(struct deflate_blocks *blocks, bool is_last)
{
	uint8_t bytes[HEAD_BYTES + 2 * sizeof blocks->bits + BLOCK_PIECES * PIECE_BITS / 8];
	struct bits b = { bytes, blocks->bits, blocks->n_bits };
	struct code literals, distances;
	codes_make(blocks, &literals, &distances);
	bits_put(&b, is_last, 1);
	bits_put(&b, 2, 2); /* with codes of its own */
	codes_put(&b, &literals, &distances);
	pieces_put(&b, blocks, &literals, &distances);
	symbol_put(&b, &literals, END_OF_BLOCK, 0, 0);
	if (is_last)
		bits_end(&b);
	buf_put(blocks->out, (struct slice){ (const char *)bytes, (size_t)(b.at - bytes) });
	blocks->bits = b.waiting;
	blocks->n_bits = b.n;
	blocks_empty(blocks);
}
