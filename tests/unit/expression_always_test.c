/*
 * expression_always_test.c - what is asked of finished trees: what they can ever be, which they equal, what they stand on.
 */
#include "expressions.h"

#include <unistd.h>

struct told {
	struct buf out;
};

static void tell(void *context, const struct expression *part, enum truth always)
{
	struct told *const told = context;

	buf_print(&told->out, "%s%s: %.*s", told->out.n > 0 ? "; " : "", always == YES ? "always" : "never", SLICE(part->text));
}

#define OPEN "" /* depends on what is logged */

static void knows_what_never_changes(void **state)
{
	static const struct { const char *text, *told; } cases[] = {
		/* values that a metric can't have */
		{ "gpu.util > 100 %", "never: gpu.util > 100 %" },
		{ "gpu.util >= 100 %", OPEN },
		{ "gpu.util >= 0 %", "always: gpu.util >= 0 %" },
		{ "0 % > gpu.util", "never: 0 % > gpu.util" },
		{ "gpu.util == 101 %", "never: gpu.util == 101 %" },
		{ "gpu.util != 101 %", "always: gpu.util != 101 %" },
		{ "gpu.util == 50 %", OPEN },
		{ "gpu.temp < 0 C", OPEN },
		{ "gpu.pcie_rx > 100000 GiB/s", OPEN }, /* rates have no largest value */
		{ "gpu.throttle.hw_thermal > 1", "never: gpu.throttle.hw_thermal > 1" },
		{ "gpu.mem_used > 5 TiB", "never: gpu.mem_used > 5 TiB" },
		{ "half > 0.7 or gpu.util > 5 %", OPEN "never: half > 0.7" },
		/* through arithmetic */
		{ "gpu.util + 5 % > 105 %", "never: gpu.util + 5 % > 105 %" },
		{ "gpu.util - 5 % < -5 %", "never: gpu.util - 5 % < -5 %" },
		{ "-gpu.util > 0 %", "never: -gpu.util > 0 %" },
		{ "2 * gpu.util > 200 %", "never: 2 * gpu.util > 200 %" },
		{ "-2 * gpu.util > 0 %", "never: -2 * gpu.util > 0 %" },
		{ "50 % * gpu.util > 50 %", "never: 50 % * gpu.util > 50 %" },
		{ "50 % * gpu.power_limit > 2500 W", "never: 50 % * gpu.power_limit > 2500 W" },
		{ "gpu.util / 2 > 50 %", "never: gpu.util / 2 > 50 %" },
		{ "gpu.power / gpu.power_limit < 0 %", "never: gpu.power / gpu.power_limit < 0 %" },
		{ "gpu.power / gpu.power_limit > 500 %", OPEN }, /* a limit of 1 W */
		{ "gpu.power / gpu.power < 0", "never: gpu.power / gpu.power < 0" },
		{ "1 / (gpu.util / 100 %) < 1", "never: 1 / (gpu.util / 100 %) < 1" },
		{ "1 / (gpu.temp / 10 C) < 0", OPEN },
		{ "gpu.util - gpu.mem_util > 100 %", "never: gpu.util - gpu.mem_util > 100 %" },
		{ "gpu.util - gpu.mem_util > 99 %", OPEN },
		{ "host.disk_read - host.disk_write < 0 B/s", OPEN },
		{ "host.disk_read * 0 > 0 B/s", "never: host.disk_read * 0 > 0 B/s" },
		/* through folds */
		{ "mean(gpu.util, 5 s) > 100 %", "never: mean(gpu.util, 5 s) > 100 %" },
		{ "p95 of gpus(gpu.util) > 100 %", "never: p95 of gpus(gpu.util) > 100 %" },
		{ "spread(gpu.util, 5 s) > 100 %", "never: spread(gpu.util, 5 s) > 100 %" },
		{ "spread(gpu.temp) > 150 C", OPEN },
		{ "stddev(gpu.util, 5 s) > 50 %", "never: stddev(gpu.util, 5 s) > 50 %" },
		{ "sum of gpus(gpu.util) > 100 %", OPEN },
		{ "sum of gpus(gpu.util) < 0 %", "never: sum of gpus(gpu.util) < 0 %" },
		{ "total(gpu.power) < 0 Wh", "never: total(gpu.power) < 0 Wh" },
		{ "delta(gpu.ecc_corrected, run) < 0", "never: delta(gpu.ecc_corrected, run) < 0" },
		{ "rate(gpu.ecc_corrected, 5 s) >= 0 /h", "always: rate(gpu.ecc_corrected, 5 s) >= 0 /h" },
		{ "slope(gpu.util, 5 s) < 0 %/s", OPEN },
		{ "count of gpus(gpu.util < 5 %) >= 0", "always: count of gpus(gpu.util < 5 %) >= 0" },
		{ "share(gpu.util < 5 %) > 100 %", "never: share(gpu.util < 5 %) > 100 %" },
		{ "share(gpu.util > 100 %) > 5 %", "never: share(gpu.util > 100 %) > 5 %" },
		{ "any of gpus(gpu.util > 100 %)", "never: any of gpus(gpu.util > 100 %)" },
		{ "all of gpus(gpu.util <= 100 %)", "always: all of gpus(gpu.util <= 100 %)" },
		{ "count of gpus(gpu.util > 100 %) > 2", "never: gpu.util > 100 %" },
		{ "changes(gpu.util > 100 %, 5 min) > 2", "never: gpu.util > 100 %" },
		/* the same on both sides */
		{ "gpu.util < gpu.util", "never: gpu.util < gpu.util" },
		{ "gpu.util <= gpu.util", "always: gpu.util <= gpu.util" },
		{ "gpu.util < gpu.mem_util", OPEN },
		/* chains of and */
		{ "gpu.util < 20 % and gpu.util > 80 %", "never: gpu.util < 20 % and gpu.util > 80 %" },
		{ "gpu.util < 20 % and 80 % < gpu.util", "never: gpu.util < 20 % and 80 % < gpu.util" },
		{ "gpu.util > 20 % and gpu.util < 80 %", OPEN },
		{ "gpu.util < 20 % and hole(gpu.temp) and gpu.util > 80 %",
		  "never: gpu.util < 20 % and hole(gpu.temp) and gpu.util > 80 %" },
		{ "gpu.util < 20 % and (hole(gpu.temp) and gpu.util >= 20 %)",
		  "never: gpu.util < 20 % and (hole(gpu.temp) and gpu.util >= 20 %)" },
		{ "gpu.util <= 20 % and gpu.util >= 20 %", OPEN },
		{ "gpu.util < 20 % and gpu.util >= 20 %", "never: gpu.util < 20 % and gpu.util >= 20 %" },
		{ "gpu.util == 20 % and gpu.util == 21 %", "never: gpu.util == 20 % and gpu.util == 21 %" },
		{ "gpu.util == 20 % and gpu.util != 20 %", "never: gpu.util == 20 % and gpu.util != 20 %" },
		{ "gpu.util == 20 % and gpu.util < 20 %", "never: gpu.util == 20 % and gpu.util < 20 %" },
		{ "gpu.util != 20 % and gpu.util != 21 %", OPEN },
		{ "gpu.util < 20 % and gpu.mem_util > 80 %", OPEN },
		{ "mean(gpu.util, 5 s) < 20 % and mean(gpu.util, 9 s) > 80 %", OPEN },
		{ "mean(gpu.util, 5 s) < 20 % and mean(gpu.util, 5 s) > low",
		  "never: mean(gpu.util, 5 s) < 20 % and mean(gpu.util, 5 s) > low" },
		{ "gpu.util < 5 % - 1 % and gpu.util > 2 * 2 %", "never: gpu.util < 5 % - 1 % and gpu.util > 2 * 2 %" },
		{ "hole(gpu.util) and not hole(gpu.util)", "never: hole(gpu.util) and not hole(gpu.util)" },
		{ "gpu.util < 20 % and not (gpu.temp > 5 C or gpu.util < 30 %)",
		  "never: gpu.util < 20 % and not (gpu.temp > 5 C or gpu.util < 30 %)" },
		{ "busy and gpu.util < 50 %", "never: busy and gpu.util < 50 %" },
		{ "gpu.util <= 100 % and gpu.temp > 5 C", "always: gpu.util <= 100 %" },
		{ "gpu.util > 100 % and gpu.temp > 5 C", "never: gpu.util > 100 % and gpu.temp > 5 C" },
		/* chains of or */
		{ "gpu.util < 80 % or gpu.util > 20 %", "always: gpu.util < 80 % or gpu.util > 20 %" },
		{ "gpu.util < 20 % or gpu.util > 80 %", OPEN },
		{ "gpu.util < 20 % or gpu.util >= 20 %", "always: gpu.util < 20 % or gpu.util >= 20 %" },
		{ "gpu.util < 20 % or gpu.util > 20 %", OPEN },
		{ "gpu.util > 100 % or gpu.temp > 5 C", "never: gpu.util > 100 %" },
		{ "gpu.util > 100 % or gpu.temp > 500 C", "never: gpu.util > 100 % or gpu.temp > 500 C" },
		{ "hole(gpu.util) or not hole(gpu.util)", "always: hole(gpu.util) or not hole(gpu.util)" },
		/* not */
		{ "not gpu.util > 100 %", "always: not gpu.util > 100 %" },
		{ "not (gpu.util < 20 % and gpu.util > 80 %)", "always: not (gpu.util < 20 % and gpu.util > 80 %)" },
		{ "not gpu.util < 20 % and gpu.util <= 20 %", OPEN },
		{ "not gpu.util <= 20 % and gpu.util <= 20 %", "never: not gpu.util <= 20 % and gpu.util <= 20 %" },
		{ "not gpu.util > 20 % and gpu.util >= 20 %", OPEN },
		{ "not gpu.util >= 20 % and gpu.util == 20 %", "never: not gpu.util >= 20 % and gpu.util == 20 %" },
		{ "not gpu.util == 20 % and gpu.util == 20 %", "never: not gpu.util == 20 % and gpu.util == 20 %" },
		{ "not gpu.util != 20 % and gpu.util > 20 %", "never: not gpu.util != 20 % and gpu.util > 20 %" },
		{ "not 20 % > gpu.util and gpu.util <= 20 %", OPEN },
		{ "not 20 % >= gpu.util and gpu.util <= 20 %", "never: not 20 % >= gpu.util and gpu.util <= 20 %" },
		{ "20 % <= gpu.util and gpu.util <= 20 %", OPEN },
		{ "20 % < gpu.util and gpu.util <= 20 %", "never: 20 % < gpu.util and gpu.util <= 20 %" },
		/* several, and none inside of another */
		{ "(gpu.util > 100 % or gpu.temp > 5 C) and (gpu.util > 5 % or gpu.temp > 500 C)",
		  "never: gpu.util > 100 %; never: gpu.temp > 500 C" },
		/* what the log decides */
		{ "hole(gpu.util) or logged(gpu.temp) or gpu.throttle has idle", OPEN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct told told;
		begin(&f, cases[i].text);
		buf_init(&told.out, 4000);
		const struct expression *const e = compile_for(&f, SCOPE_GPU, true, false);
		if (!e)
			fail_msg("%s: %s", cases[i].text, diag_text(&f.mem, &f.diags.at[0]));
		const enum truth truth = expression_always(e, tell, &told);
		assert_string_equal(told.out.n > 0 ? told.out.at : "", cases[i].told);
		if (truth != UNKNOWN)
			assert_true(slice_starts(slice_of(cases[i].told), truth == YES ? "always: " : "never: "));
		buf_release(&told.out);
		end(&f);
	}
}

static void knows_which_trees_are_the_same(void **state)
{
	static const struct { const char *a, *b; bool shape, same; } cases[] = {
		{ "gpu.util > 5 %", "gpu.util  >5 %", true, true },
		{ "gpu.util > 5 %", "(gpu_util > 5 %)", true, true },
		{ "gpu.util > 70 %", "gpu.util > low", true, true },
		{ "gpu.util > 5 %", "gpu.util > low", true, false },
		{ "gpu.util > 5 %", "gpu.util > 6 %", true, false },
		{ "gpu.util > 5 %", "gpu.util >= 5 %", false, false },
		{ "gpu.util > 5 %", "gpu.mem_util > 5 %", false, false },
		{ "gpu.util > 50 %", "busy", true, true },
		{ "mean(gpu.util, 60 s) > 5 %", "mean(gpu.util, 1 min) > 5 %", true, true },
		{ "mean(gpu.util, 60 s) > 5 %", "mean(gpu.util, 2 min) > 5 %", true, false },
		{ "mean(gpu.util, 60 s) > 5 %", "max(gpu.util, 60 s) > 5 %", false, false },
		{ "mean(gpu.util) > 5 %", "mean(gpu.util, run) > 5 %", false, false },
		{ "max of gpus(gpu.util) > 5 %", "max of others(gpu.util) > 5 %", false, false },
		{ "gpu.throttle has idle", "gpu.throttle has display", false, false },
		{ "hole(gpu.util)", "logged(gpu.util)", false, false },
		{ "not busy", "busy", false, false },
		{ "busy and gpu.temp > 5 C", "gpu.util > 50 % and gpu.temp > 6 C", true, false },
		{ "busy and gpu.temp > 5 C", "busy or gpu.temp > 5 C", false, false },
		{ "gpu.power / gpu.power_limit > 5 %", "gpu.power / gpu.power_limit > 0.05", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture a, b;
		begin(&a, cases[i].a);
		begin(&b, cases[i].b);
		const struct expression *const left = compile_for(&a, SCOPE_GPU, true, false);
		const struct expression *const right = compile_for(&b, SCOPE_GPU, true, false);
		assert_non_null(left);
		assert_non_null(right);
		assert_true(expression_same(left, left) && expression_same(right, right));
		assert_int_equal(expression_same_shape(left, right), cases[i].shape);
		assert_int_equal(expression_same_shape(right, left), cases[i].shape);
		assert_int_equal(expression_same(left, right), cases[i].same);
		assert_int_equal(expression_same(right, left), cases[i].same);
		end(&b);
		end(&a);
	}
}

static void finds_the_scope_of_a_text(void **state)
{
	static const struct { const char *text; enum scope scope; } cases[] = {
		{ "gpu.util > 5 %", SCOPE_GPU },
		{ "host.cpu.busy > 5 % and gpu_util > 5 %", SCOPE_GPU },
		{ "host.cpu.busy > 5 %", SCOPE_HOST },
		{ "core.busy > 5 % and host.cpu.busy > 5 %", SCOPE_CORE },
		{ "max of gpus(gpu.util) > 5 %", SCOPE_RUN },
		{ "max of gpus((gpu.util) + mean(gpu.util, 5 s)) > 5 % and host.cpu.busy > 5 %", SCOPE_HOST },
		{ "max of cores(core.busy) > gpu.util", SCOPE_GPU },
		{ "max of others(gpu.util) > 5 %", SCOPE_GPU }, /* others than whom? than a gpu */
		{ "max of host_gpus(gpu.util) > 5 %", SCOPE_HOST },
		{ "hole(gpu.util)", SCOPE_GPU },
		{ "run.loss > 5", SCOPE_RUN },
		{ "low > 5 %", SCOPE_RUN },
		{ "max of gpus(gpu.util", SCOPE_RUN },
		{ "", SCOPE_RUN },
		{ "gpu.utl > 5 % )( %&", SCOPE_RUN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(expression_scope(slice_of(cases[i].text)), cases[i].scope);
}

static void knows_what_varies_and_what_needs_firing(void **state)
{
	static const struct { const char *text; bool varies, needs_firing; } cases[] = {
		{ "gpu.util > 5 %", true, false },
		{ "p95(gpu.util) > 5 %", false, false },
		{ "p95(gpu.util, run) > 5 % and share(gpu.util > 5 %, steady) < 5 %", false, false },
		{ "p95(gpu.util) > 5 % and gpu.util > 5 %", true, false },
		{ "mean(gpu.util, 5 s) > 5 %", true, false },
		{ "max(mean(gpu.util, 5 s)) > 5 %", false, false },
		{ "max of gpus(gpu.util) > 5 %", true, false },
		{ "any of gpus(p95(gpu.util) > 5 %)", false, false },
		{ "count of gpus(gpu.util > 5 %) > 5", true, false },
		{ "hole(gpu.util)", true, false },
		{ "logged(gpu.util)", false, false },
		{ "gpu.throttle has idle", true, false },
		{ "5 % > 6 %", false, false },
		{ "gpu.power / gpu.power_limit > 5 %", true, false },
		{ "mean(gpu.util, inside) > 5 %", false, true },
		{ "gpu.util > mean(gpu.util, outside)", true, true },
		{ "lately > 5 %", false, true },
		{ "gpu.util < ref(gpu.util)", true, true },
		{ "mean(gpu.util, 5 s) - p95(lately + gpu.util) > 5 %", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		begin(&f, cases[i].text);
		const struct expression *const e = compile_for(&f, SCOPE_GPU, true, true);
		assert_non_null(e);
		assert_int_equal(e->varies, cases[i].varies);
		assert_int_equal(e->needs_firing, cases[i].needs_firing);
		end(&f);
	}
}

static void assert_text(const struct expression *e, const char *text)
{
	if (!slice_is(e->text, text))
		fail_msg("'%.*s' instead of '%s'", SLICE(e->text), text);
}

static void keeps_params_lets_and_texts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "  mean(gpu.util, long) < low and (busy or pull < 5 %) and 5 s > 4 s ");
	const struct expression *const e = compile_for(&f, SCOPE_GPU, true, false);
	assert_non_null(e);
	const struct expression *const mean = e->left->left, *const either = e->left->right;
	assert_ptr_equal(mean->left->width_param, &params[1]);
	assert_null(mean->left->param);
	assert_ptr_equal(mean->right->param, &params[0]);
	assert_text(mean->left, "mean(gpu.util, long)");
	assert_text(mean->right, "low");
	assert_ptr_equal(either->left, f.lets[0].expression);
	assert_text(either->left, "gpu.util > 50 %");
	assert_text(either->right, "pull < 5 %");
	assert_ptr_equal(either->right->left->left, f.lets[1].expression);
	assert_int_equal(either->right->left->right->text.n, 0); /* nobody wrote the 1 that the ratio is multiplied by */
	assert_null(e->right->left->param);
	assert_text(e->right, "5 s > 4 s");
	assert_text(e, "mean(gpu.util, long) < low and (busy or pull < 5 %) and 5 s > 4 s");
	end(&f);
}

/* Lets may double and double again: what is walked must not. */
static void bounds_what_lets_multiply(void **state)
{
	struct fixture f;
	struct let lets[14];
	struct expression_context context = { .lets = lets, .scope_known = true, .scope = SCOPE_GPU, .want = WANT_EITHER };
	const struct yaml_node first = node_of(slice_of("gpu.util")), twice = node_of(slice_of("x + x"));

	(void)state;
	begin(&f, "");
	for (size_t i = 0; i < 12; i++) {
		lets[i].expression = expression_compile(&f.mem, i == 0 ? &first : &twice, i == 0 ? first.text : twice.text, &context, &f.diags);
		assert_non_null(lets[i].expression);
		assert_int_equal(lets[i].expression->n_nodes, (2 << i) - 1);
		assert_int_equal(lets[i].expression->n_levels, i + 1);
		lets[i].name = slice_of("x");
		context.lets = &lets[i];
		context.n_lets = 1;
	}
	assert_null(expression_compile(&f.mem, &twice, twice.text, &context, &f.diags));
	f.diags.at[0].excerpt = NULL;
	assert_string_equal(diag_text(&f.mem, &f.diags.at[0]),
		"a.yaml:1:1: error: limit: more than 4096 parts, those of its lets counted too; split the rule");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_never_changes),
		cmocka_unit_test(knows_which_trees_are_the_same),
		cmocka_unit_test(finds_the_scope_of_a_text),
		cmocka_unit_test(knows_what_varies_and_what_needs_firing),
		cmocka_unit_test(keeps_params_lets_and_texts),
		cmocka_unit_test(bounds_what_lets_multiply),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
