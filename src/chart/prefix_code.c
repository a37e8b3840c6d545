/* prefix_code.c - Huffman's tree (1952), cut off where codes would be too long. */
#include "chart/prefix_code.h"
#include <stdlib.h>
#include <string.h>

struct leaf {
	uint32_t count;
	uint16_t symbol;
};

static int by_count(const void *a, const void *b)
{
	const struct leaf *const x = a, *const y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* How deep each of n leaves stands in the tree, rarest first: the two rarest become one, again and again. How many are at each depth. */
static void depths_of(const struct leaf *leaves, size_t n, size_t *n_at_depth, size_t most)
{
	uint32_t count[2 * PREFIX_CODE_MOST_SYMBOLS];
	uint16_t parent[2 * PREFIX_CODE_MOST_SYMBOLS], depth[2 * PREFIX_CODE_MOST_SYMBOLS];
	size_t leaf = 0, made = n, next = n;

	for (size_t i = 0; i < n; i++)
		count[i] = leaves[i].count;
	for (; next < 2 * n - 1; next++) {
		count[next] = 0;
		for (int k = 0; k < 2; k++) {
			const size_t rarest = leaf < n && (made == next || count[leaf] <= count[made]) ? leaf++ : made++;
			count[next] += count[rarest];
			parent[rarest] = (uint16_t)next;
		}
	}
	depth[2 * n - 2] = 0;
	for (size_t i = 2 * n - 2; i-- > 0;) {
		depth[i] = (uint16_t)(depth[parent[i]] + 1);
		if (i < n)
			n_at_depth[depth[i] < most ? depth[i] : most]++;
	}
}

/* What was cut off at the greatest depth takes more room there than there is: leaves from above give of theirs. */
static void depths_limit(size_t *n_at_depth, size_t most)
{
	size_t room = 0;

	for (size_t d = 1; d <= most; d++)
		room += n_at_depth[d] << (most - d);
	for (; room > (size_t)1 << most; room--) {
		size_t d = most - 1;
		while (n_at_depth[d] == 0)
			d--;
		n_at_depth[d]--;
		n_at_depth[d + 1] += 2;
		n_at_depth[most]--;
	}
}

static uint16_t reversed(unsigned bits, unsigned n)
{
	unsigned out = 0;

	for (unsigned i = 0; i < n; i++)
		out |= (bits >> i & 1) << (n - 1 - i);
	return (uint16_t)out;
}

/* Codes of one length follow each other in order of the symbols, behind those that are shorter. */
static void bits_of_lengths(struct prefix_code *c, size_t n, const size_t *n_at_depth, size_t most)
{
	unsigned next[PREFIX_CODE_MOST_BITS + 2] = { 0 };

	for (size_t d = 1; d <= most; d++)
		next[d + 1] = (next[d] + (unsigned)n_at_depth[d]) << 1;
	for (size_t s = 0; s < n; s++)
		if (c->length[s])
			c->bits[s] = reversed(next[c->length[s]]++, c->length[s]);
}

void prefix_code_make(struct prefix_code *c, const uint32_t *counts, size_t n, size_t most)
{
	struct leaf leaves[PREFIX_CODE_MOST_SYMBOLS];
	size_t n_leaves = 0, n_at_depth[PREFIX_CODE_MOST_BITS + 1] = { 0 };

	memset(c, 0, sizeof *c);
	for (size_t s = 0; s < n; s++)
		if (counts[s])
			leaves[n_leaves++] = (struct leaf){ counts[s], (uint16_t)s };
	for (uint16_t s = 0; n_leaves < 2; s++)
		if (!counts[s])
			leaves[n_leaves++] = (struct leaf){ 1, s };
	qsort(leaves, n_leaves, sizeof *leaves, by_count);
	depths_of(leaves, n_leaves, n_at_depth, most);
	depths_limit(n_at_depth, most);
	for (size_t d = most, i = 0; d > 0; d--)
		for (size_t k = 0; k < n_at_depth[d]; k++)
			c->length[leaves[i++].symbol] = (uint8_t)d;
	bits_of_lengths(c, n, n_at_depth, most);
}
