/*
 * yaml_tape.c - the tree of a YAML file as bytes.
 *
 *     node      head, [key, its line, its column,] line, column, byte, width, then by its kind
 *     scalar    n bytes: of the file where they stand there as they are, else they follow
 *     list, map n nodes, which follow
 *
 * Numbers have seven bits a byte, the lowest first; the last byte is below 128. The head is the kind, and two flags.
 */
#include "base/yaml_tape.h"

#define KIND 3U
#define PLAIN_LINE 4U
#define WITH_KEY 8U

/* ------ writing ------ */

static void put_number(struct buf *out, size_t n)
{
	for (; n > 127; n >>= 7)
		buf_char(out, (char)(unsigned char)(n | 128));
	buf_char(out, (char)n);
}

static void put_text(struct buf *out, struct slice text)
{
	put_number(out, text.n);
	buf_put(out, text);
}

static void put_place(struct buf *out, struct place place)
{
	put_number(out, (size_t)place.line);
	put_number(out, (size_t)place.column);
}

static size_t head_of(const struct yaml_node *node)
{
	return (size_t)node->kind | (node->plain_line ? PLAIN_LINE : 0) | (node->key_place.line > 0 ? WITH_KEY : 0);
}

void yaml_tape_write(struct buf *out, const struct yaml_node *node)
{
	put_number(out, head_of(node));
	if (node->key_place.line > 0) {
		put_text(out, node->key);
		put_place(out, node->key_place);
	}
	put_place(out, node->place);
	put_number(out, node->byte);
	put_number(out, (size_t)node->width);
	if (node->plain_line)
		put_number(out, node->text.n);
	else if (node->kind == YAML_SCALAR)
		put_text(out, node->text);
	else
		put_number(out, yaml_n_children(node));
	for (const struct yaml_node *child = node->first; child; child = child->next)
		yaml_tape_write(out, child);
}

/* ------ reading ------ */

struct reader {
	struct arena *mem;
	const char *path;
	struct slice text;
	const unsigned char *at; /* of the tape */
};

static size_t take_number(struct reader *r)
{
	size_t n = *r->at & 127U;

	for (unsigned shift = 7; *r->at++ > 127; shift += 7)
		n |= (size_t)(*r->at & 127U) << shift;
	return n;
}

static struct slice take_text(struct reader *r)
{
	const size_t n = take_number(r);
	const struct slice text = { (const char *)r->at, n };

	r->at += n;
	return text;
}

static struct place take_place(struct reader *r)
{
	const int line = (int)take_number(r), column = (int)take_number(r);

	return (struct place){ r->path, line, column };
}

static bool take_node(struct reader *r, struct yaml_node *node);

static struct yaml_node *take_children(struct reader *r)
{
	const size_t n = take_number(r);
	struct yaml_node *const nodes = NEW_ARRAY(r->mem, struct yaml_node, n);

	for (size_t i = 0; i < n && take_node(r, &nodes[i]); i++)
		if (i > 0)
			nodes[i - 1].next = &nodes[i];
	return n > 0 ? nodes : NULL;
}

/* False of one that begins behind the text: nothing of the tape is taken any more. */
static bool take_node(struct reader *r, struct yaml_node *node)
{
	const size_t head = take_number(r);

	node->kind = (enum yaml_kind)(head & KIND);
	node->plain_line = head & PLAIN_LINE;
	if (head & WITH_KEY) {
		node->key = take_text(r);
		node->key_place = take_place(r);
	}
	node->place = take_place(r);
	node->byte = take_number(r);
	node->width = (int)take_number(r);
	if (node->byte > r->text.n)
		return false;
	if (node->plain_line)
		node->text = (struct slice){ r->text.p + node->byte, take_number(r) };
	else if (node->kind == YAML_SCALAR)
		node->text = take_text(r);
	else
		node->first = take_children(r);
	return true;
}

const struct yaml_node *yaml_tape_read(struct arena *mem, const char *path, struct slice text, struct slice tape)
{
	struct reader r = { .mem = mem, .path = path, .text = text, .at = (const unsigned char *)tape.p };
	struct yaml_node *const root = NEW(mem, struct yaml_node);

	take_node(&r, root);
	return root;
}
