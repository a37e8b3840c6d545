/*
 * expression_fuzz.c - any text as a condition, as a value and as a quantity.
 *
 * The first two bytes choose the context, the rest is the expression, as one line or a folded text. A second byte with its
 * highest bit set gives it lets, each made of the text that stands before the next '\n'.
 * Laws: a tree comes without complaints and no tree with some (but a broken let is silent), is what was asked for,
 * is not larger than promised, is the same as itself, and what never changes is told once.
 */
#include "rule/expression.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static void check_node(const struct expression *e)
{
	require(e->width_columns >= 1 && e->place.line >= 1 && e->place.column >= 1);
	require(e->kind != NODE_ROLLING || e->width > 0);
	require((e->kind != NODE_MULTIPLY && e->kind != NODE_DIVIDE) || e->factor > 0);
	require(e->is_condition == (e->kind >= NODE_COMPARE && e->kind <= NODE_HAS) || e->kind > NODE_HAS);
	require(e->kind != NODE_NUMBER || !e->varies);
}

static void check_tree(const struct expression *e, unsigned depth, bool after_firing)
{
	if (!e)
		return;
	require(depth <= 64 && e->n_levels + depth <= 65 && e->n_nodes <= 4096);
	require(after_firing || !e->needs_firing);
	check_node(e);
	check_tree(e->left, depth + 1, after_firing);
	check_tree(e->right, depth + 1, after_firing);
}

static void count(void *context, const struct expression *part, enum truth always)
{
	require(part->is_condition && always != UNKNOWN);
	++*(size_t *)context;
}

static void check_whole(const struct expression *e, const struct expression_context *context)
{
	size_t n_told = 0;

	check_tree(e, 1, context->after_firing);
	require(expression_same(e, e) && expression_same_shape(e, e));
	const enum truth always = expression_always(e, count, &n_told);
	require(always == UNKNOWN || n_told == 1);
}

/* The lines of the text but its last, as lets named a, b, …; the last is left in `text`. */
static size_t compile_lets(struct arena *mem, struct yaml_node *node, struct slice source, struct expression_context *context,
	struct let *lets, size_t most, struct diags *diags)
{
	static const char names[] = "abcdefgh";
	struct expression_context for_let = *context;
	size_t n = 0;

	for_let.want = WANT_EITHER;
	for_let.after_firing = true;
	for (; n < most; n++) {
		const char *const line_end = memchr(node->text.p, '\n', node->text.n);
		if (!line_end)
			break;
		struct yaml_node let = *node;
		let.text.n = (size_t)(line_end - node->text.p);
		for_let.lets = lets;
		for_let.n_lets = n;
		lets[n] = (struct let){ { &names[n], 1 }, expression_compile(mem, &let, source, &for_let, diags), let.place };
		node->text.p += let.text.n + 1;
		node->text.n -= let.text.n + 1;
		node->byte += let.text.n + 1;
	}
	return n;
}

static void compile(struct arena *mem, struct yaml_node node, struct slice source, uint8_t choice, uint8_t second)
{
	static const struct param params[] = {
		{ .name = { "low", 3 }, .value = { 70, UNIT_PERCENT } },
		{ .name = { "long", 4 }, .value = { 2, UNIT_MINUTE } },
	};
	static const enum scope scopes[] = { SCOPE_RUN, SCOPE_HOST, SCOPE_GPU, SCOPE_CORE };
	struct let lets[8];
	struct expression_context context = {
		.params = params, .n_params = 2, .scope = scopes[choice & 3], .scope_known = !(second & 1), .after_firing = choice & 8,
		.want = second & 2 ? WANT_EITHER : choice & 4 ? WANT_CONDITION : WANT_NUMBER,
	};
	struct diags diags;
	struct quantity q;

	diags_init(&diags, mem);
	if (second & 0x80) {
		context.lets = lets;
		context.n_lets = compile_lets(mem, &node, source, &context, lets, 8, &diags);
	}
	const bool all_right = diags.n_errors == 0;
	size_t n_before = diags.n_errors;
	const struct expression *const e = expression_compile(mem, &node, source, &context, &diags);
	require(!e || diags.n_errors == n_before);
	require(e || diags.n_errors > n_before || !all_right);
	require(!e || context.want == WANT_EITHER || e->is_condition == (context.want == WANT_CONDITION));
	if (e)
		check_whole(e, &context);
	(void)expression_scope(node.text);
	n_before = diags.n_errors;
	require(quantity_compile(&node, source, &q, &diags) == (diags.n_errors == n_before));
	diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char key[] = "when: ";
	struct arena mem;

	if (n < 2)
		return 0;
	const struct slice text = { (const char *)bytes + 2, n - 2 };
	arena_init(&mem);
	char *const source = arena_alloc(&mem, sizeof key + text.n);
	memcpy(source, key, sizeof key - 1);
	memcpy(source + sizeof key - 1, text.p, text.n);
	const struct yaml_node node = {
		.kind = YAML_SCALAR,
		.text = { source + sizeof key - 1, text.n },
		.place = { "rules/a.yaml", 1, (int)sizeof key },
		.byte = sizeof key - 1,
		.width = 1,
		.plain_line = !memchr(text.p, '\n', text.n),
	};
	compile(&mem, node, (struct slice){ source, sizeof key - 1 + text.n }, bytes[0], bytes[1]);
	arena_release(&mem);
	return 0;
}
