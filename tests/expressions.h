/*
 * expressions.h - for tests of expressions: a text compiled in a rule that has parameters and lets.
 *
 *     low = 70 %, long = 2 min, half = 0.5; busy, pull, lately, window, crowd, twice as below; broken is a let that is wrong
 */
#ifndef POSTRUN_TESTS_EXPRESSIONS_H
#define POSTRUN_TESTS_EXPRESSIONS_H

#include "base/buf.h"
#include "rule/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct param params[] = {
	{ .name = { "low", 3 }, .value = { 70, UNIT_PERCENT } },
	{ .name = { "long", 4 }, .value = { 2, UNIT_MINUTE } },
	{ .name = { "half", 4 }, .value = { 0.5, UNIT_NUMBER } },
};

/* What stands behind the names of lets; compiled in every test, in this order. */
static const struct { const char *name, *text; } let_texts[] = {
	{ "busy", "gpu.util > 50 %" },
	{ "pull", "gpu.power / gpu.power_limit" },
	{ "lately", "mean(gpu.util, inside)" },
	{ "window", "90 s" },
	{ "crowd", "count of gpus(gpu.util > 50 %)" },
	{ "twice", "pull + pull" },
};
#define N_LETS (sizeof let_texts / sizeof *let_texts + 1)

struct fixture {
	struct let lets[N_LETS]; /* the last one is wrong */
	struct arena mem;
	struct diags diags;
	struct slice source;
	struct yaml_node node;
};

static inline void end(struct fixture *f)
{
	diags_release(&f->diags);
	arena_release(&f->mem);
}

static inline struct yaml_node node_of(struct slice text)
{
	return (struct yaml_node){
		.kind = YAML_SCALAR, .text = text, .place = { "a.yaml", 1, 1 }, .width = (int)text.n, .plain_line = true,
	};
}

static inline struct expression_context context_of(const struct fixture *f, enum scope scope)
{
	return (struct expression_context){
		.params = params, .n_params = sizeof params / sizeof *params, .lets = f->lets, .n_lets = N_LETS,
		.scope_known = true, .scope = scope,
	};
}

static inline void compile_lets(struct fixture *f)
{
	struct expression_context context = context_of(f, SCOPE_GPU);

	context.want = WANT_EITHER;
	context.after_firing = true;
	for (size_t i = 0; i < N_LETS - 1; i++) {
		const struct yaml_node node = node_of(slice_of(let_texts[i].text));
		context.n_lets = i;
		f->lets[i].name = slice_of(let_texts[i].name);
		f->lets[i].expression = expression_compile(&f->mem, &node, node.text, &context, &f->diags);
		assert_non_null(f->lets[i].expression);
	}
	f->lets[N_LETS - 1].name = slice_of("broken");
}

static inline void begin(struct fixture *f, const char *text)
{
	*f = (struct fixture){ .source = slice_of(text) };
	arena_init(&f->mem);
	diags_init(&f->diags, &f->mem);
	f->node = node_of(f->source);
	compile_lets(f);
}

static inline const struct expression *compile_for(struct fixture *f, enum scope scope, bool want_condition, bool after_firing)
{
	struct expression_context context = context_of(f, scope);

	context.want = want_condition ? WANT_CONDITION : WANT_NUMBER;
	context.after_firing = after_firing;
	return expression_compile(&f->mem, &f->node, f->source, &context, &f->diags);
}

#endif
