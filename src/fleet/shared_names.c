/*
 * shared_names.c - a crit-bit tree (D. J. Bernstein, "Crit-bit trees", 2004) over texts without NUL.
 *
 * Behind its end a text has bits of 0 for ever. Nodes and names are in arrays: what a node leads to is the number of another node, or,
 * below 0, the complement of the number of a name.
 */
#include "fleet/shared_names.h"

struct node {
	uint32_t byte;     /* the place of the byte of which it asks */
	unsigned char bit; /* a bit of that byte, as a mask */
	int32_t next[2];   /* where it is 0, where it is 1 */
};

struct shared_names {
	struct arena *mem;
	const char **texts;
	size_t n_texts;
	struct node *nodes;
	size_t n_nodes;
	int32_t root;
};

struct shared_names *shared_names_new(struct arena *mem)
{
	struct shared_names *const names = NEW(mem, struct shared_names);

	names->mem = mem;
	return names;
}

static unsigned char byte_at(struct slice text, size_t i)
{
	return i < text.n ? (unsigned char)text.p[i] : 0;
}

static int side_of(const struct node *node, struct slice text)
{
	return (byte_at(text, node->byte) & node->bit) != 0;
}

/* The only name that can be equal to it. */
static size_t best_name(const struct shared_names *names, struct slice text)
{
	int64_t at = names->root;

	while (at >= 0)
		at = names->nodes[at].next[side_of(&names->nodes[at], text)];
	return (size_t)~at;
}

/* False: they are equal. */
static bool first_difference(struct slice a, struct slice b, struct node *node)
{
	const size_t longer = a.n > b.n ? a.n : b.n;
	size_t i = 0;

	while (i < longer && byte_at(a, i) == byte_at(b, i))
		i++;
	if (i == longer)
		return false;
	const unsigned char bits = byte_at(a, i) ^ byte_at(b, i);
	node->byte = (uint32_t)i;
	for (node->bit = 0x80; !(bits & node->bit);)
		node->bit >>= 1;
	return true;
}

/*
 * Where a node hangs that asks for that byte: below all that ask for the same or one before. Bits of a byte need no order: the names below
 * a node agree in all bytes before the one that it asks for, so that those found here agree in that byte, too, and have all the same bit.
 */
static int32_t *place_of_node(struct shared_names *names, const struct node *node, struct slice text)
{
	int32_t *link = &names->root;

	while (*link >= 0 && names->nodes[*link].byte <= node->byte)
		link = &names->nodes[*link].next[side_of(&names->nodes[*link], text)];
	return link;
}

static size_t name_add(struct shared_names *names, struct slice text)
{
	if (names->n_texts == INT32_MAX)
		BUG("more names than fit");
	names->texts = arena_array_next(names->mem, names->texts, names->n_texts, sizeof *names->texts);
	names->texts[names->n_texts] = arena_text(names->mem, text.p, text.n);
	return names->n_texts++;
}

size_t name_number(struct shared_names *names, struct slice text)
{
	struct node node;

	if (!names->n_texts) {
		names->root = ~0;
		return name_add(names, text);
	}
	const size_t best = best_name(names, text);
	if (!first_difference(text, slice_of(names->texts[best]), &node))
		return best;
	names->nodes = arena_array_next(names->mem, names->nodes, names->n_nodes, sizeof *names->nodes);
	const size_t number = name_add(names, text);
	const int side = side_of(&node, text);
	int32_t *const link = place_of_node(names, &node, text);
	node.next[side] = ~(int32_t)number;
	node.next[!side] = *link;
	*link = (int32_t)names->n_nodes;
	names->nodes[names->n_nodes++] = node;
	return number;
}

const char *name_of_number(const struct shared_names *names, size_t number)
{
	return names->texts[number];
}

size_t names_count(const struct shared_names *names)
{
	return names->n_texts;
}

struct arena *names_memory(const struct shared_names *names)
{
	return names->mem;
}

const char *shared_name(struct shared_names *names, struct slice text)
{
	return name_of_number(names, name_number(names, text));
}
