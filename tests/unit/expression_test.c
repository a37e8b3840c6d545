/*
 * expression_test.c - what right expressions mean. Wrong ones: expression_errors_test.c, and in whole files rule_errors_test.c.
 */
#include "expressions.h"
#include "rule/lexer.h"

#include <unistd.h>

static const char *const operators[] = {
	[NODE_NEGATE] = "neg", [NODE_ADD] = "+",     [NODE_SUBTRACT] = "-", [NODE_MULTIPLY] = "*", [NODE_DIVIDE] = "/",
	[NODE_AND] = "and",    [NODE_OR] = "or",     [NODE_NOT] = "not",    [NODE_REF] = "ref",
};
static const char *const comparisons[] = { "<", "<=", ">", ">=", "==", "!=" };
static const char *const places[] = { "judged", "inside", "outside", "run", "first_third", "last_third", "idle_head", "startup", "steady", "dip", "down", "tail" };
static const char *const sets[] = { "cores", "gpus", "host_gpus", "others", "hosts" };

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
		{ SCOPE_GPU, "rate(gpu.ecc_corrected, 10 min) > 3 /h", "(> (rate 600000ms gpu.ecc_corrected) 0.001:10)" },
		{ SCOPE_GPU, "rate(gpu.ecc_corrected, 10 min) > 3 1/h", "(> (rate 600000ms gpu.ecc_corrected) 0.001:10)" },
		{ SCOPE_GPU, "rate(gpu.ecc_corrected, steady)>3/h", "(> (rate steady gpu.ecc_corrected) 0.001:10)" },
		{ SCOPE_GPU, "delta(gpu.ecc_uncorrected, run) > 0", "(> (delta run gpu.ecc_uncorrected) 0.000:0)" },
		{ SCOPE_GPU, "gpu.power / gpu.power_limit < 50 %", "(< (*[100.0000] (/ gpu.power gpu.power_limit) 1:0) 50:1)" },
		{ SCOPE_GPU, "50 % > gpu.power / gpu.power_limit", "(> 50:1 (*[100.0000] (/ gpu.power gpu.power_limit) 1:0))" },
		{ SCOPE_GPU, "1 - gpu.power / gpu.power_limit < 50 %",
		  "(< (*[100.0000] (- 1:0 (/ gpu.power gpu.power_limit)) 1:0) 50:1)" },
		{ SCOPE_GPU, "pull < 50 %", "(< (*[100.0000] (/ gpu.power gpu.power_limit) 1:0) 50:1)" },
		{ SCOPE_GPU, "mean(pull, 10 s) < 50 %", "(< (*[100.0000] (mean 10000ms (/ gpu.power gpu.power_limit)) 1:0) 50:1)" },
		{ SCOPE_GPU, "mean(gpu.power, 10 s) < 50 % * gpu.power_limit",
		  "(< (mean 10000ms gpu.power) (*[0.0100] 50:1 gpu.power_limit))" },
		{ SCOPE_GPU, "50 % * 50 % < gpu.util", "(< (*[0.0100] 50:1 50:1) gpu.util)" },
		{ SCOPE_GPU, "gpu.power / 50 % > 5 W", "(> (/[100.0000] gpu.power 50:1) 5:4)" },
		{ SCOPE_GPU, "share(gpu.util > 90 %, steady) < 30 %", "(< (share steady (> gpu.util 90:1)) 30:1)" },
		{ SCOPE_GPU, "count of gpus(gpu.util < 20 %) > 2", "(> (count gpus (< gpu.util 20:1)) 2:0)" },
		{ SCOPE_GPU, "count of gpus(busy) / count of gpus(gpu.util > 0 %) > 50 %",
		  "(> (*[100.0000] (/ (count gpus (> gpu.util 50:1)) (count gpus (> gpu.util 0.000:1))) 1:0) 50:1)" },
		{ SCOPE_GPU, "gpu.util < p50 of others(gpu.util) - 30 %", "(< gpu.util (- (p50 others gpu.util) 30:1))" },
		{ SCOPE_GPU, "slope(gpu.mem_used, 10 min) > 1 MiB/s",
		  "(> (*[1048576.0000] (slope 600000ms gpu.mem_used) 1:0) 1048576:7)" },
		{ SCOPE_GPU, "slope(gpu.mem_used, 10 min) > 1 GiB/h",
		  "(> (*[1048576.0000] (slope 600000ms gpu.mem_used) 1:0) 298262:7)" },
		{ SCOPE_GPU, "earlier(gpu.temp, 10 s) > 80 C", "(> (earlier 10000ms gpu.temp) 80:3)" },
		{ SCOPE_GPU, "slope(gpu.temp, 10 min) > 2 C/min", "(> (slope 600000ms gpu.temp) 0.033:12)" },
		{ SCOPE_GPU, "slope(gpu.util, 10 min) > 2 %/h", "(> (slope 600000ms gpu.util) 0.001:11)" },
		{ SCOPE_GPU, "total(gpu.power) > 1 kWh", "(> (*[0.0003] (total judged gpu.power) 1:0) 1000:5)" },
		{ SCOPE_GPU, "total(gpu.pcie_rx, run) > 1 TiB", "(> (*[0.0000] (total run gpu.pcie_rx) 1:0) 1048576:6)" },
		{ SCOPE_GPU, "total(gpu.util < 5 %) > 1 h", "(> (total judged (< gpu.util 5:1)) 3600:2)" },
		{ SCOPE_GPU, "total(gpu.util) > 2 d", "(> (*[0.0100] (total judged gpu.util) 1:0) 172800:2)" },
		{ SCOPE_GPU, "total(gpu.throttle.hw_thermal, 5 min) > 1 min", "(> (total 300000ms gpu.throttle.hw_thermal) 60:2)" },
		{ SCOPE_GPU, "gpu.power * 10 min > 5 Wh", "(> (*[0.0003] gpu.power 600:2) 5:5)" },
		{ SCOPE_GPU, "10 min * gpu.power > 5 Wh", "(> (*[0.0003] 600:2 gpu.power) 5:5)" },
		{ SCOPE_GPU, "5 Wh / 10 min < gpu.power", "(< (/[3600.0000] 5:5 600:2) gpu.power)" },
		{ SCOPE_GPU, "5 kWh / gpu.power > 10 h", "(> (/[3600.0000] 5000:5 gpu.power) 36000:2)" },
		{ SCOPE_GPU, "gpu.pcie_rx * 10 s > 5 GiB", "(> (*[0.0000] gpu.pcie_rx 10:2) 5120:6)" },
		{ SCOPE_GPU, "changes(gpu.util < 5 %, 5 min) > 3", "(> (changes 300000ms (< gpu.util 5:1)) 3:0)" },
		{ SCOPE_GPU, "changes(gpu.pstate, 5 min) > 3", "(> (changes 300000ms gpu.pstate) 3:0)" },
		{ SCOPE_GPU, "stddev(gpu.util, 5 min) > 3 %", "(> (stddev 300000ms gpu.util) 3:1)" },
		{ SCOPE_GPU, "count of cores(core.busy > 90 %) > count of host_gpus(gpu.util >= 90 %)",
		  "(> (count cores (> core.busy 90:1)) (count host_gpus (>= gpu.util 90:1)))" },
		{ SCOPE_GPU, "any of gpus(busy) and all of others(busy)",
		  "(and (any gpus (> gpu.util 50:1)) (all others (> gpu.util 50:1)))" },
		{ SCOPE_GPU, "share of gpus(busy) > 50 %", "(> (share gpus (> gpu.util 50:1)) 50:1)" },
		{ SCOPE_GPU, "max(gpu.util, window) > 5 %", "(> (max 90000ms gpu.util) 5:1)" },
		{ SCOPE_GPU, "max(gpu.util, idle_head) > max(gpu.util, tail)", "(> (max idle_head gpu.util) (max tail gpu.util))" },
		{ SCOPE_CORE, "core.busy > 90 % and host.cpu.busy < 20 % and max of gpus(gpu.util) < 5 %",
		  "(and (and (> core.busy 90:1) (< host.cpu.busy 20:1)) (< (max gpus gpu.util) 5:1))" },
		{ SCOPE_CORE, "core.busy > mean of cores(core.busy) + 30 %", "(> core.busy (+ (mean cores core.busy) 30:1))" },
		{ SCOPE_RUN, "spread of hosts(host.cpu.busy) > 30 %", "(> (spread hosts host.cpu.busy) 30:1)" },
		{ SCOPE_RUN, "max of hosts(mean of gpus(gpu.util)) > 30 %", "(> (max hosts (mean gpus gpu.util)) 30:1)" },
		{ SCOPE_RUN, "run.loss > 5 and sum of gpus(gpu.power - 5 W) > 20 kW",
		  "(and (> run.loss 5:0) (> (sum gpus (- gpu.power 5:4)) 20000:4))" },
		{ SCOPE_GPU, "max of gpus(gpu.util - host.cpu.busy) > 5 %", "(> (max gpus (- gpu.util host.cpu.busy)) 5:1)" },
		{ SCOPE_GPU, "host.disk_await > 20 ms", "(> host.disk_await 0.020:2)" },
		{ SCOPE_GPU, "mean(gpu.throttle.hw_thermal, 1 min) > 20 %",
		  "(> (*[100.0000] (mean 60000ms gpu.throttle.hw_thermal) 1:0) 20:1)" },
		{ SCOPE_GPU, "crowd > 2 and twice > 50 %",
		  "(and (> (count gpus (> gpu.util 50:1)) 2:0) "
		  "(> (*[100.0000] (+ (/ gpu.power gpu.power_limit) (/ gpu.power gpu.power_limit)) 1:0) 50:1))" },
		{ SCOPE_GPU, "share(gpu.throttle has hw_thermal, 1 min) > 20 %",
		  "(> (share 60000ms (has gpu.throttle.hw_thermal)) 20:1)" },
		{ SCOPE_GPU, "any of cores(core.busy > 5 %)", "(any cores (> core.busy 5:1))" },
		{ SCOPE_GPU, "gpu.temp > 80 C/1", "(> gpu.temp (/ 80:3 1:0))" },
		{ SCOPE_GPU, "gpu.mem_used / 2 s > 1 MiB/s", "(> (/[1048576.0000] gpu.mem_used 2:2) 1048576:7)" },
		{ SCOPE_GPU, "gpu.util/2 > 5 %", "(> (/ gpu.util 2:0) 5:1)" },
		{ SCOPE_GPU, "gpu.util > 5 %/2", "(> gpu.util (/ 5:1 2:0))" },
		{ SCOPE_GPU, "gpu.util > 6 % /2", "(> gpu.util (/ 6:1 2:0))" },
		{ SCOPE_GPU, "rate(gpu.ecc_corrected, 1 d) * 1 d > 3", "(> (* (rate 86400000ms gpu.ecc_corrected) 86400:2) 3:0)" },
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
		{ SCOPE_GPU, "lately", "(mean inside gpu.util)" },
		{ SCOPE_GPU, "mean(gpu.power, inside) * 5 min", "(*[0.0003] (mean inside gpu.power) 300:2)" },
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
		{ "3 /h", 3, UNIT_PER_H },    { "3/h", 3, UNIT_PER_H },    { "3 1/h", 3, UNIT_PER_H },   { "1/h", 1, UNIT_PER_H },
		{ "2 %/h", 2, UNIT_PCT_H },   { "1 /d", 1, UNIT_PER_D },   { "2 C/min", 2, UNIT_C_MIN }, { "5 MiB/h", 5, UNIT_MIB_H },
		{ "2 d", 2, UNIT_DAY },       { "11/s", 11, UNIT_PER_S },  { "-1 W/s", -1, UNIT_W_S },
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

static void refuses_what_is_no_quantity(void **state)
{
	static const char *const texts[] = { "", "-", "s", "3 / h", "3 /", "3 2/h", "5 5", "5 s s", "/h", "1e9", "0x10", "5 %/", "%",
		"5 s/min(", "5 /low" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;
		struct quantity q;
		begin(&f, texts[i]);
		assert_false(quantity_compile(&f.node, f.source, &q, &f.diags));
		assert_int_equal(f.diags.n, 1);
		end(&f);
	}
}

/* What would read differently in an expression can't be the name of a parameter. */
static void keeps_its_words(void **state)
{
	static const char *const words[] = { "and", "of", "mean", "p99", "count", "any", "gpus", "others", "run", "inside", "idle_head",
		"steady", "ref", "hole", "s", "min", "h", "d" };
	static const char *const names[] = { "low", "idle", "mem", "p98", "node", "m", "sec", "an", "", "idle-head", "steady2" };

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_true(word_is_reserved(slice_of(words[i])));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_false(word_is_reserved(slice_of(names[i])));
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
		cmocka_unit_test(refuses_what_is_no_quantity),
		cmocka_unit_test(keeps_its_words),
		cmocka_unit_test(finds_words_in_expressions),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
