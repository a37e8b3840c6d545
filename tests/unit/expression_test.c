/*
 * expression_test.c - what right expressions mean. Wrong ones: rule_errors_test.c.
 */
#include "base/buf.h"
#include "rule/expression.h"
#include "rule/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

static const char *const operators[] = {
	[NODE_NEGATE] = "neg", [NODE_ADD] = "+",     [NODE_SUBTRACT] = "-", [NODE_MULTIPLY] = "*", [NODE_DIVIDE] = "/",
	[NODE_AND] = "and",    [NODE_OR] = "or",     [NODE_NOT] = "not",    [NODE_REF] = "ref",
};
static const char *const comparisons[] = { "<", "<=", ">", ">=", "==", "!=" };
static const char *const places[] = { "judged", "inside", "outside", "run", "idle_head", "startup", "steady", "tail" };
static const char *const sets[] = { "cores", "gpus", "others", "hosts" };

static void dump_number(struct buf *out, const struct expression *e)
{
	char text[64];

	number_print(text, sizeof text, e->number, e->number < 1 ? 3 : 0);
	buf_print(out, "%s:%d", text, (int)e->dimension);
}

/* "(*" of a product, "(*[100.0000]" of one with a factor. */
static void dump_operator(struct buf *out, const struct expression *e)
{
	char text[64];

	buf_print(out, "(%s", operators[e->kind]);
	if ((e->kind != NODE_MULTIPLY && e->kind != NODE_DIVIDE) || (e->factor >= 1 && e->factor <= 1))
		return;
	number_print(text, sizeof text, e->factor, 4);
	buf_print(out, "[%s]", text);
}

/* Lisp, with numbers as value:dimension. */
static void dump(struct buf *out, const struct expression *e)
{
	switch (e->kind) {
	case NODE_NUMBER:
		dump_number(out, e);
		return;
	case NODE_METRIC:
		buf_text(out, metric_table[e->metric].name);
		return;
	case NODE_HAS:
		buf_print(out, "(has %s)", metric_table[e->metric].name);
		return;
	case NODE_HOLE:
		buf_print(out, "(hole %s)", metric_table[e->metric].name);
		return;
	case NODE_LOGGED:
		buf_print(out, "(logged %s)", metric_table[e->metric].name);
		return;
	case NODE_COMPARE:
		buf_print(out, "(%s", comparisons[e->comparison]);
		break;
	case NODE_ROLLING:
		buf_print(out, "(%s %dms", fold_table[e->fold].name, (int)e->width);
		break;
	case NODE_FOLD:
		buf_print(out, "(%s %s", fold_table[e->fold].name, places[e->where]);
		break;
	case NODE_ACROSS:
		buf_print(out, "(%s %s", fold_table[e->fold].name, sets[e->set]);
		break;
	default:
		dump_operator(out, e);
	}
	buf_char(out, ' ');
	dump(out, e->left);
	if (e->right) {
		buf_char(out, ' ');
		dump(out, e->right);
	}
	buf_char(out, ')');
}

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

static void end(struct fixture *f)
{
	diags_release(&f->diags);
	arena_release(&f->mem);
}

static struct yaml_node node_of(struct slice text)
{
	return (struct yaml_node){
		.kind = YAML_SCALAR, .text = text, .place = { "a.yaml", 1, 1 }, .width = (int)text.n, .plain_line = true,
	};
}

static struct expression_context context_of(const struct fixture *f, enum scope scope)
{
	return (struct expression_context){
		.params = params, .n_params = sizeof params / sizeof *params, .lets = f->lets, .n_lets = N_LETS,
		.scope_known = true, .scope = scope,
	};
}

static void compile_lets(struct fixture *f)
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

static void begin(struct fixture *f, const char *text)
{
	*f = (struct fixture){ .source = slice_of(text) };
	arena_init(&f->mem);
	diags_init(&f->diags, &f->mem);
	f->node = node_of(f->source);
	compile_lets(f);
}

static const struct expression *compile_for(struct fixture *f, enum scope scope, bool want_condition, bool after_firing)
{
	struct expression_context context = context_of(f, scope);

	context.want = want_condition ? WANT_CONDITION : WANT_NUMBER;
	context.after_firing = after_firing;
	return expression_compile(&f->mem, &f->node, f->source, &context, &f->diags);
}

static const struct expression *compile(struct fixture *f, enum scope scope, bool want_condition)
{
	return compile_for(f, scope, want_condition, !want_condition);
}

struct right {
	enum scope scope;
	const char *text, *tree;
};

static void check_rows(const struct right *rows, size_t n, bool conditions)
{
	for (size_t i = 0; i < n; i++) {
		struct fixture f;
		struct buf out;
		begin(&f, rows[i].text);
		buf_init(&out, 1000);
		const struct expression *const e = compile(&f, rows[i].scope, conditions);
		if (!e)
			fail_msg("%s", diag_text(&f.mem, &f.diags.at[0]));
		assert_int_equal(e->is_condition, conditions);
		dump(&out, e);
		assert_string_equal(out.at, rows[i].tree);
		buf_release(&out);
		end(&f);
	}
}

static void reads_conditions(void **state)
{
	static const struct right rows[] = {
		{ SCOPE_GPU, "gpu.util < 70 %", "(< gpu.util 70:1)" },
		{ SCOPE_GPU, "gpu.util<70%", "(< gpu.util 70:1)" },
		{ SCOPE_GPU, "gpu_util <= low", "(<= gpu.util 70:1)" },
		{ SCOPE_GPU, "gpu.power > 0.5 kW", "(> gpu.power 500:4)" },
		{ SCOPE_GPU, "gpu.mem_used >= 1.5 GiB", "(>= gpu.mem_used 1536:6)" },
		{ SCOPE_HOST, "host.swap_in > 10 MiB/s", "(> host.swap_in 10485760:7)" },
		{ SCOPE_HOST, "host.runq != 3 and host.blocked == .5", "(and (!= host.runq 3:0) (== host.blocked 0.500:0))" },
		{ SCOPE_GPU, "gpu.temp > 80 \302\260C", "(> gpu.temp 80:3)" },
		{ SCOPE_GPU, "gpu.temp - 5 C > 80 C", "(> (- gpu.temp 5:3) 80:3)" },
		{ SCOPE_GPU, "mean(gpu.power, 10 s) < half * gpu.power_limit", "(< (mean 10000ms gpu.power) (* 0.500:0 gpu.power_limit))" },
		{ SCOPE_GPU, "max(gpu.util, long) > 5 min * 0 / 1 s * 1 %",
		  "(> (max 120000ms gpu.util) (* (/ (* 300:2 0.000:0) 1:2) 1:1))" },
		{ SCOPE_GPU, "p95(gpu.util) < 5 % or p5(gpu.util, run) > 5 %",
		  "(or (< (p95 judged gpu.util) 5:1) (> (p5 run gpu.util) 5:1))" },
		{ SCOPE_GPU, "max of cores(core.busy) > 95 %", "(> (max cores core.busy) 95:1)" },
		{ SCOPE_GPU, "gpu.util < p50 of gpus(gpu.util) - 5 %", "(< gpu.util (- (p50 gpus gpu.util) 5:1))" },
		{ SCOPE_RUN, "spread of gpus(mean(gpu.util, 5 s)) > 5 %", "(> (spread gpus (mean 5000ms gpu.util)) 5:1)" },
		{ SCOPE_HOST, "min of cores(core.busy - host.cpu.busy) > 5 %", "(> (min cores (- core.busy host.cpu.busy)) 5:1)" },
		{ SCOPE_GPU, "gpu.throttle has hw_thermal", "(has gpu.throttle.hw_thermal)" },
		{ SCOPE_GPU, "gpu.throttle.hw_thermal == 1", "(== gpu.throttle.hw_thermal 1:0)" },
		{ SCOPE_GPU, "hole(gpu.util)", "(hole gpu.util)" },
		{ SCOPE_GPU, "logged(gpu.temp) and max(gpu.temp, run) <= 0 C", "(and (logged gpu.temp) (<= (max run gpu.temp) 0.000:3))" },
		{ SCOPE_GPU, "not hole(gpu.util) and not not gpu.util < 1 %", "(and (not (hole gpu.util)) (not (not (< gpu.util 1:1))))" },
		{ SCOPE_GPU, "hole(gpu.util) or hole(gpu.temp) and hole(gpu.fan)",
		  "(or (hole gpu.util) (and (hole gpu.temp) (hole gpu.fan)))" },
		{ SCOPE_GPU, "(hole(gpu.util) or hole(gpu.temp)) and hole(gpu.fan)",
		  "(and (or (hole gpu.util) (hole gpu.temp)) (hole gpu.fan))" },
		{ SCOPE_GPU, "gpu.temp - 1 C - 2 C > -(3 C)", "(> (- (- gpu.temp 1:3) 2:3) (neg 3:3))" },
		{ SCOPE_GPU, "gpu.pstate + 2 * 3 > 1", "(> (+ gpu.pstate (* 2:0 3:0)) 1:0)" },
	};

	(void)state;
	check_rows(rows, sizeof rows / sizeof *rows, true);
}

static void reads_values(void **state)
{
	static const struct right rows[] = {
		{ SCOPE_GPU, "1 - gpu.util / ref(gpu.util)", "(- 1:0 (/ gpu.util (ref gpu.util)))" },
		{ SCOPE_GPU, "mean(gpu.util, inside)", "(mean inside gpu.util)" },
		{ SCOPE_GPU, "mean(gpu.util, outside) / low", "(/ (mean outside gpu.util) 70:1)" },
		{ SCOPE_GPU, "mean(gpu.throttle.sw_power, inside) * 100 %", "(* (mean inside gpu.throttle.sw_power) 100:1)" },
	};

	(void)state;
	check_rows(rows, sizeof rows / sizeof *rows, false);
}

static void knows_its_places(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "gpu.util < low and host.cpu.busy > 90 %");
	const struct expression *const e = compile(&f, SCOPE_GPU, true);
	assert_non_null(e);
	assert_int_equal(e->place.column, 1);
	assert_int_equal(e->width_columns, 39);
	assert_int_equal(e->left->right->place.column, 12);
	assert_int_equal(e->left->right->width_columns, 3);
	assert_int_equal(e->right->place.column, 20);
	assert_int_equal(e->right->width_columns, 20);
	end(&f);
}

static const char *repeat(struct fixture *f, const char *head, const char *part, size_t n, const char *tail)
{
	struct buf text;

	arena_init(&f->mem);
	buf_init(&text, 10000);
	buf_text(&text, head);
	for (size_t i = 0; i < n; i++)
		buf_text(&text, part);
	buf_text(&text, tail);
	const char *const copy = arena_text(&f->mem, text.at, text.n);
	buf_release(&text);
	return copy;
}

static void keeps_its_bounds(void **state)
{
	static const struct { const char *head, *part; size_t n; const char *tail, *complaint; } cases[] = {
		{ "", "not ", 62, "hole(gpu.util)", NULL },
		{ "", "not ", 5000 / 5, "hole(gpu.util)", "a.yaml:1:261: error: bad-expression: nested more than 64 deep; split the rule" },
		{ "", "(", 4000, "", "a.yaml:1:65: error: bad-expression: nested more than 64 deep; split the rule" },
		{ "", "-", 4000, "", "a.yaml:1:65: error: bad-expression: nested more than 64 deep; split the rule" },
		{ "", "hole(gpu.util) or ", 63, "hole(gpu.util)", NULL },
		{ "", "hole(gpu.util) or ", 64, "hole(gpu.util)", "a.yaml:1:1: error: limit: more than 64 levels; split the rule" },
		{ "", "x ", 2049, "", "a.yaml:1:1: error: limit: an expression of more than 4096 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture made = { .node = { .kind = YAML_SCALAR } }, f;
		begin(&f, repeat(&made, cases[i].head, cases[i].part, cases[i].n, cases[i].tail));
		const struct expression *const e = compile(&f, SCOPE_GPU, true);
		assert_int_equal(e == NULL, cases[i].complaint != NULL);
		if (!e) {
			f.diags.at[0].excerpt = NULL;
			assert_string_equal(diag_text(&f.mem, &f.diags.at[0]), cases[i].complaint);
			assert_int_equal(f.diags.n, 1);
		}
		end(&f);
		arena_release(&made.mem);
	}
}

static void reads_quantities(void **state)
{
	static const struct { const char *text; double value; enum unit unit; } cases[] = {
		{ "30 s", 30, UNIT_SECOND }, { "0.5", 0.5, UNIT_NUMBER },  { "80 %", 80, UNIT_PERCENT }, { " 2min ", 2, UNIT_MINUTE },
		{ "-5 C", -5, UNIT_CELSIUS }, { "010 W", 10, UNIT_WATT },  { "1 GB/s", 1, UNIT_GIB_S },   { ".5 h", 0.5, UNIT_HOUR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct quantity q = { 0, UNIT_NUMBER };
		begin(&f, cases[i].text);
		assert_true(quantity_compile(&f.node, f.source, &q, &f.diags));
		assert_true(q.value >= cases[i].value && q.value <= cases[i].value);
		assert_int_equal(q.unit, cases[i].unit);
		end(&f);
	}
}

static void finds_words_in_expressions(void **state)
{
	static const struct { const char *text, *word; bool found; } cases[] = {
		{ "gpu.util < low", "low", true },
		{ "gpu.util < lower", "low", false },
		{ "gpu.low < 5", "low", false },
		{ "5 low", "low", false }, /* a unit, though an unknown one */
		{ "low(low)", "low", true },
		{ "", "low", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(text_names(slice_of(cases[i].text), slice_of(cases[i].word)), cases[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_conditions),
		cmocka_unit_test(reads_values),
		cmocka_unit_test(knows_its_places),
		cmocka_unit_test(keeps_its_bounds),
		cmocka_unit_test(reads_quantities),
		cmocka_unit_test(finds_words_in_expressions),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
