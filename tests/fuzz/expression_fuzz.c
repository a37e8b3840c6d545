/*
 * expression_fuzz.c - any text as a condition, as a value and as a quantity.
 *
 * The first byte chooses the context, the rest is the expression, as one line or a folded text.
 * Laws: a tree comes without complaints and no tree with some, is what was asked for,
 * is not deeper than promised, and each complaint stands inside the text.
 */
#include "rule/expression.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static void check_tree(const struct expression *e, int depth)
{
	if (!e)
		return;
	require(depth <= 64);
	require(e->width_columns >= 1 && e->place.line >= 1 && e->place.column >= 1);
	require(e->kind != NODE_ROLLING || e->width > 0);
	check_tree(e->left, depth + 1);
	check_tree(e->right, depth + 1);
}

static void compile(struct arena *mem, const struct yaml_node *node, struct slice source, uint8_t choice)
{
	static const struct param params[] = {
		{ .name = { "low", 3 }, .value = { 70, UNIT_PERCENT } },
		{ .name = { "long", 4 }, .value = { 2, UNIT_MINUTE } },
	};
	static const enum scope scopes[] = { SCOPE_RUN, SCOPE_HOST, SCOPE_GPU, SCOPE_GPU };
	const struct expression_context context = {
		.params = params, .n_params = 2, .scope = scopes[choice & 3], .want = choice & 4 ? WANT_CONDITION : WANT_NUMBER, .scope_known = true, .after_firing = choice & 8,
	};
	struct diags diags;
	struct quantity q;

	diags_init(&diags, mem);
	const struct expression *const e = expression_compile(mem, node, source, &context, &diags);
	require((e != NULL) == (diags.n_errors == 0));
	require(!e || e->is_condition == (context.want == WANT_CONDITION));
	check_tree(e, 1);
	const size_t n_before = diags.n_errors;
	require(quantity_compile(node, source, &q, &diags) == (diags.n_errors == n_before));
	diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char key[] = "when: ";
	struct arena mem;

	if (n < 1)
		return 0;
	const struct slice text = { (const char *)bytes + 1, n - 1 };
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
	compile(&mem, &node, (struct slice){ source, sizeof key - 1 + text.n }, bytes[0]);
	arena_release(&mem);
	return 0;
}
