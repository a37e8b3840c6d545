/*
 * expression_errors_test.c - wrong expressions, and word for word what their authors read.
 *
 * Each row is a text, under it the carets of the one complaint that it gets, then its words. How the same is said of
 * whole files: rule_errors_test.c.
 */
#include "expressions.h"

#include <unistd.h>

static const struct { enum scope scope; const char *text, *carets, *complaint; } wrong[] = {
	/* signs of the printed page, and a blank that nobody sees */
	{ SCOPE_GPU, "gpu.util ≤ 5 %",
	             "         ^",
	  "bad-expression: '≤' is not an operator; write '<='" },
	{ SCOPE_GPU, "gpu.util ≥ 5 %",
	             "         ^",
	  "bad-expression: '≥' is not an operator; write '>='" },
	{ SCOPE_GPU, "gpu.util ≠ 5 %",
	             "         ^",
	  "bad-expression: '≠' is not an operator; write '!='" },
	{ SCOPE_GPU, "gpu.util × 2 > 5 %",
	             "         ^",
	  "bad-expression: '×' is not an operator; write '*'" },
	{ SCOPE_GPU, "gpu.util < 5\302\240%",
	             "            ^",
	  "bad-expression: a no-break blank; write an ordinary one" },
	{ SCOPE_GPU, "gpu.util < 9999999999999999999999999999999999999999999999 %",
	             "           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
	  "bad-value: '9999999999999999999999999999999999999999…' is too large" },
	{ SCOPE_GPU, "rate(gpu.temp, 10 s) > 1 /s",
	             "     ^~~~~~~~",
	  "bad-expression: 'rate' takes a counter, 'gpu.temp' is none; there are " },
	{ SCOPE_GPU, "rate(gpu.temp - 5 C, 10 s) > 1 /s",
	             "     ^~~~~~~~~~~~~~",
	  "bad-expression: 'rate' takes a counter, 'gpu.temp - 5 C' is none; there are " },
	{ SCOPE_GPU, "gpu.ecc_corrected > 5",
	             "^~~~~~~~~~~~~~~~~",
	  "bad-dimension: 'gpu.ecc_corrected' is a counter; write rate(gpu.ecc_corrected, 10 s) or delta(…)" },
	{ SCOPE_GPU, "mean(gpu.ecc_corrected, 10 s) > 5",
	             "     ^~~~~~~~~~~~~~~~~",
	  "bad-dimension: 'gpu.ecc_corrected' is a counter; write rate(gpu.ecc_corrected, 10 s) or delta(…)" },
	{ SCOPE_GPU, "gpu.ecc_corrected",
	             "^~~~~~~~~~~~~~~~~",
	  "bad-dimension: 'gpu.ecc_corrected' is a counter; write rate(gpu.ecc_corrected, 10 s) or delta(…)" },
	{ SCOPE_GPU, "ref gpu.power > 5 W",
	             "    ^~~~~~~~~",
	  "bad-expression: '(' is missing before 'gpu.power'" },
	{ SCOPE_GPU, "ref(gpu.power, 10 s) > 5 W",
	             "             ^",
	  "bad-expression: ref has one argument" },
	{ SCOPE_GPU, "ref(gpu.power > 5 W",
	             "                   ^",
	  "bad-expression: ')' is missing at the end" },
	{ SCOPE_GPU, "hole gpu.power",
	             "     ^~~~~~~~~",
	  "bad-expression: '(' is missing before 'gpu.power'" },
	{ SCOPE_GPU, "max of gpus gpu.util > 5 %",
	             "            ^~~~~~~~",
	  "bad-expression: '(' is missing before 'gpu.util'" },
	{ SCOPE_GPU, "max of gpus(gpu.util > 5 %",
	             "                          ^",
	  "bad-expression: ')' is missing at the end" },
	{ SCOPE_GPU, "mean(gpu.util, 10 parsecs) > 5 %",
	             "                  ^~~~~~~",
	  "unknown-name: unknown unit 'parsecs'" },
	{ SCOPE_GPU, "gpu.wibblewobble has hw_thermal",
	             "^~~~~~~~~~~~~~~~",
	  "unknown-name: unknown name 'gpu.wibblewobble'; 'postrun metrics' lists them" },
	{ SCOPE_GPU, "gpu.throttle has 5",
	             "                 ^",
	  "bad-expression: behind 'has' stands a reason such as hw_thermal" },
	{ SCOPE_GPU, "share(gpu.power, steady) > 5 %",
	             "      ^~~~~~~~~",
	  "bad-expression: 'share' takes a condition, this is a power" },
	{ SCOPE_GPU, "mean(gpu.util < 5 %, 10 s) > 5 %",
	             "     ^~~~~~~~~~~~~~",
	  "bad-expression: 'mean' takes a number, this is a condition; 'share' takes one" },
	{ SCOPE_GPU, "count(gpu.util < 5 %) > 2",
	             "^~~~~",
	  "bad-expression: 'count' is over a set; write 'count of gpus(…)'" },
	{ SCOPE_GPU, "sum(gpu.power) > 2 kW",
	             "^~~",
	  "bad-expression: 'sum' is over a set; write 'sum of gpus(…)', or total(…) over time" },
	{ SCOPE_GPU, "earlier(gpu.temp) > 80 C",
	             "^~~~~~~",
	  "bad-expression: 'earlier' needs a duration; write 'earlier(…, 10 s)'" },
	{ SCOPE_GPU, "earlier(gpu.temp, steady) > 80 C",
	             "^~~~~~~",
	  "bad-expression: 'earlier' needs a duration; write 'earlier(…, 10 s)'" },
	{ SCOPE_GPU, "slope of gpus(gpu.temp) > 1 C/min",
	             "^~~~~",
	  "bad-expression: 'slope' is over time; write 'slope(…, 10 s)', or 'max of gpus(slope(…, 10 s))'" },
	{ SCOPE_GPU, "max gpus(gpu.util) > 5 %",
	             "    ^~~~",
	  "bad-expression: 'of' is missing before 'gpus'" },
	{ SCOPE_GPU, "gpus(gpu.util) > 5 %",
	             "^~~~",
	  "bad-expression: 'gpus' is a set; write 'mean of gpus(…)' or another fold" },
	{ SCOPE_GPU, "max of gpu(gpu.util) > 5 %",
	             "       ^~~",
	  "unknown-name: unknown set 'gpu'; did you mean 'gpus'?" },
	{ SCOPE_GPU, "max of nodes(host.cpu.busy) > 5 %",
	             "       ^~~~~",
	  "unknown-name: unknown set 'nodes'; did you mean 'hosts'?" },
	{ SCOPE_GPU, "max of 5",
	             "       ^",
	  "bad-expression: behind 'of' stands one of cores, gpus, host_gpus, others and hosts" },
	{ SCOPE_GPU, "max of everything(gpu.util) > 5 %",
	             "       ^~~~~~~~~~",
	  "unknown-name: unknown set 'everything'; there are cores, gpus, host_gpus, others and hosts" },
	{ SCOPE_HOST, "max of others(gpu.util) > 5 %",
	              "       ^~~~~~",
	  "bad-expression: 'others' are the other GPUs of a gpu rule, this is a host rule; write 'gpus'" },
	{ SCOPE_RUN, "host.cpu.busy > 5 %",
	             "^~~~~~~~~~~~~",
	  "bad-expression: 'host.cpu.busy' belongs to one host, this is a run rule; write 'mean of hosts(host.cpu.busy)'" },
	{ SCOPE_RUN, "hole(host.cpu.busy)",
	             "     ^~~~~~~~~~~~~",
	  "bad-expression: 'host.cpu.busy' belongs to one host, this is a run rule; write 'any of hosts(hole(host.cpu.busy))'" },
	{ SCOPE_RUN, "gpu.ecc_corrected > 5",
	             "^~~~~~~~~~~~~~~~~",
	  "bad-expression: 'gpu.ecc_corrected' belongs to one gpu, this is a run rule; write 'mean of "
	  "gpus(rate(gpu.ecc_corrected, 10 s))'" },
	{ SCOPE_CORE, "gpu.util < 5 %",
	              "^~~~~~~~",
	  "bad-expression: 'gpu.util' belongs to one gpu, this is a core rule; write 'mean of gpus(gpu.util)'" },
	{ SCOPE_GPU, "max of hosts(gpu.util) > 5 %",
	             "             ^~~~~~~~",
	  "bad-expression: 'gpu.util' can't be seen inside 'of hosts(…)'" },
	{ SCOPE_GPU, "max of cores(gpu.util) > 5 %",
	             "             ^~~~~~~~",
	  "bad-expression: 'gpu.util' can't be seen inside 'of cores(…)'" },
	{ SCOPE_RUN, "max of host_gpus(gpu.util) > 5 %",
	             "       ^~~~~~~~~",
	  "bad-expression: 'host_gpus' are the GPUs of a host, this is a run rule; write 'gpus', or 'max of hosts(max of gpus(…))'" },
	{ SCOPE_GPU, "max of hosts(max of others(gpu.util)) > 5 %",
	             "                    ^~~~~~",
	  "bad-expression: 'of' inside of 'of'" },
	{ SCOPE_GPU, "max of gpus(max of cores(core.busy)) > 5 %",
	             "                   ^~~~~",
	  "bad-expression: 'of' inside of 'of'" },
	{ SCOPE_GPU, "any of cores(busy)",
	             "             ^~~~",
	  "bad-expression: 'busy' uses 'gpu.util', which can't be seen inside 'of cores(…)'" },
	{ SCOPE_GPU, "any of gpus(crowd > 5)",
	             "            ^~~~~",
	  "bad-expression: 'of' inside of 'of': 'crowd' has one" },
	{ SCOPE_GPU, "lately > 5 %",
	             "^~~~~~",
	  "bad-expression: 'lately' is known only after firing: in evidence and cost" },
	{ SCOPE_GPU, "mean(gpu.util, busy) > 5 %",
	             "               ^~~~",
	  "bad-expression: the window must be a time such as '10 s' or a parameter" },
	{ SCOPE_GPU, "mean(gpu.util, idle) > 5 %",
	             "               ^~~~",
	  "unknown-name: unknown time 'idle'; did you mean 'idle_head'?" },
	{ SCOPE_GPU, "mean(gpu.util, steddy) > 5 %",
	             "               ^~~~~~",
	  "unknown-name: unknown time 'steddy'; did you mean 'steady'?" },
	{ SCOPE_GPU, "mean(gpu.util, soon) > 5 %",
	             "               ^~~~",
	  "unknown-name: unknown time 'soon'; behind ',' stands a duration such as '10 s', or run, idle_head, startup, steady, dip, down, "
	  "tail, unseen, first_third, last_third, inside and outside" },
	{ SCOPE_GPU, "mean(gpu.util, ) > 5 %",
	             "               ^",
	  "bad-expression: behind ',' stands a duration such as '10 s', or run, idle_head, startup, steady, dip, down, tail, unseen, first_third, last_third, inside and outside" },
	{ SCOPE_GPU, "mean(gpu.util, low) > 5 %",
	             "               ^~~",
	  "bad-dimension: the window must be a time such as '10 s', this is a share" },
	{ SCOPE_GPU, "total(gpu.temp) > 5",
	             "      ^~~~~~~~",
	  "bad-dimension: 'total' of a temperature means nothing" },
	{ SCOPE_GPU, "slope(gpu.pcie_rx, 5 s) > 5",
	             "      ^~~~~~~~~~~",
	  "bad-dimension: 'slope' of a data rate means nothing" },
	{ SCOPE_GPU, "avg(gpu.util) > 5 %",
	             "^~~",
	  "unknown-name: unknown name 'avg'; did you mean 'mean'?" },
	{ SCOPE_GPU, "median of gpus(gpu.util) > 5 %",
	             "^~~~~~",
	  "unknown-name: unknown name 'median'; did you mean 'p50'?" },
	{ SCOPE_GPU, "p97(gpu.util) > 5 %",
	             "^~~",
	  "unknown-name: unknown name 'p97'; did you mean 'p95'?" },
	{ SCOPE_GPU, "p80(gpu.util) > 5 %",
	             "^~~",
	  "unknown-name: unknown name 'p80'; did you mean 'p75'?" },
	{ SCOPE_GPU, "std(gpu.util) > 5 %",
	             "^~~",
	  "unknown-name: unknown name 'std'; did you mean 'stddev'?" },
	{ SCOPE_GPU, "foo(gpu.util) > 5 %",
	             "^~~",
	  "unknown-name: unknown function 'foo'; there are mean, min, max, p5, p10, p25, p50, p75, p90, p95, p99, spread, "
	  "stddev, slope, changes, earlier, total, rate, delta, sum, share, count, any, all, hole, logged and ref" },
	{ SCOPE_GPU, "gpu.util(10 s) > 5 %",
	             "^~~~~~~~",
	  "bad-expression: 'gpu.util' is no function; write mean(gpu.util, 10 s) or another fold" },
	{ SCOPE_GPU, "low(10 s) > 5 %",
	             "^~~",
	  "bad-expression: 'low' is no function; write mean(low, 10 s) or another fold" },
	{ SCOPE_GPU, "gpu.utilization > 5 %",
	             "^~~~~~~~~~~~~~~",
	  "unknown-name: unknown name 'gpu.utilization'; did you mean 'gpu.util'?" },
	{ SCOPE_GPU, "GPU.Util > 5 %",
	             "^~~~~~~~",
	  "unknown-name: unknown name 'GPU.Util'; did you mean 'gpu.util'?" },
	{ SCOPE_GPU, "bussy and gpu.util > 5 %",
	             "^~~~~",
	  "unknown-name: unknown name 'bussy'; did you mean 'busy'?" },
	{ SCOPE_GPU, "lo and gpu.util > 5 %",
	             "^~",
	  "unknown-name: unknown name 'lo'; did you mean 'low'?" },
	{ SCOPE_GPU, "if gpu.util > 5 %",
	             "^~",
	  "bad-expression: there is no 'if'; a condition stands alone, its parts joined with 'and' and 'or'" },
	{ SCOPE_GPU, "gpu.util > 5 % AND gpu.temp > 5 C",
	             "               ^~~",
	  "bad-expression: 'AND' is not an operator; write 'and'" },
	{ SCOPE_GPU, "NOT gpu.util > 5 %",
	             "^~~",
	  "bad-expression: 'NOT' is not an operator; write 'not'" },
	{ SCOPE_GPU, "gpu.util > 5 % and Not gpu.temp > 5 C",
	             "                   ^~~",
	  "bad-expression: 'Not' is not an operator; write 'not'" },
	{ SCOPE_GPU, "number of gpus(gpu.util > 5 %) > 2",
	             "^~~~~~",
	  "unknown-name: unknown name 'number'; did you mean 'count'?" },
	{ SCOPE_GPU, "frobnicate > 5 %",
	             "^~~~~~~~~~",
	  "unknown-name: unknown name 'frobnicate'; 'postrun metrics' lists them" },
	{ SCOPE_GPU, "gpu.util > 5 % && gpu.temp > 5 C",
	             "               ^~",
	  "bad-expression: '&&' is not an operator; write 'and'" },
	{ SCOPE_GPU, "gpu.util > 5 % || gpu.temp > 5 C",
	             "               ^~",
	  "bad-expression: '||' is not an operator; write 'or'" },
	{ SCOPE_GPU, "gpu.util => 5 %",
	             "         ^~",
	  "bad-expression: '=>' is not an operator; write '>='" },
	{ SCOPE_GPU, "gpu.util <> 5 %",
	             "         ^~",
	  "bad-expression: '<>' is not an operator; write '!='" },
	{ SCOPE_GPU, "gpu.util is 5 %",
	             "         ^~",
	  "bad-expression: 'is' is not an operator; write '=='" },
	{ SCOPE_GPU, "!busy",
	             "^",
	  "bad-expression: '!' is not an operator; write 'not'" },
	{ SCOPE_GPU, "gpu.util > low %",
	             "               ^",
	  "bad-expression: '%' is a unit and stands behind a number" },
	{ SCOPE_GPU, "gpu.util > 5 %, gpu.temp > 5 C",
	             "              ^",
	  "bad-expression: ',' has no meaning here" },
	{ SCOPE_GPU, "gpu.temp * gpu.power > 5",
	             "         ^",
	  "bad-dimension: '*' multiplies a temperature by a power; that means nothing" },
	{ SCOPE_GPU, "gpu.power / gpu.temp > 5",
	             "          ^",
	  "bad-dimension: '/' divides a power by a temperature; that means nothing" },
	{ SCOPE_GPU, "5 / gpu.power > 5",
	             "  ^",
	  "bad-dimension: '/' divides a plain number by a power; that means nothing" },
	{ SCOPE_GPU, "gpu.power > 90 %",
	             "          ^",
	  "bad-dimension: '>' compares a power with a share; there is 'gpu.power_share'" },
	{ SCOPE_GPU, "5 % < max of gpus(gpu.mem_used)",
	             "    ^",
	  "bad-dimension: '<' compares a share with an amount of memory; there is 'gpu.mem_share'" },
	{ SCOPE_GPU, "gpu.temp < 5 %",
	             "         ^",
	  "bad-dimension: '<' compares a temperature with a share" },
	{ SCOPE_GPU, "gpu.util < 140 / 2",
	             "         ^",
	  "bad-dimension: '<' compares a share with a plain number" },
	{ SCOPE_GPU, "host.runq > 50 %",
	             "          ^",
	  "bad-dimension: '>' compares a plain number with a share" },
	{ SCOPE_GPU, "host.runq / 8 > 50 %",
	             "              ^",
	  "bad-dimension: '>' compares a plain number with a share" },
	{ SCOPE_GPU, "count of gpus(busy) > 50 %",
	             "                    ^",
	  "bad-dimension: '>' compares a plain number with a share; write 'share of gpus(…)'" },
	{ SCOPE_GPU, "mean(gpu.util, 10 min) > 5 Mib",
	             "                           ^~~",
	  "unknown-name: unknown unit 'Mib'; did you mean 'MiB'?" },
	{ SCOPE_GPU, "gpu.pcie_rx > 5 MiB/sec",
	             "                    ^~~",
	  "unknown-name: 'sec' is a unit and stands behind a number; no blanks beside a '/', as in '3 /h'" },
	{ SCOPE_GPU, "gpu.pcie_rx > 5 MiB/min/min",
	             "                           ^",
	  "bad-expression: '(' is missing at the end" },
	{ SCOPE_GPU, "gpu.util > 5 pct",
	             "             ^~~",
	  "unknown-name: unknown unit 'pct'; did you mean '%'?" },
	{ SCOPE_GPU, "gpu.power > 5 watts",
	             "              ^~~~~",
	  "unknown-name: unknown unit 'watts'; did you mean 'W'?" },
	{ SCOPE_GPU, "gpu.throttle",
	             "^~~~~~~~~~~~",
	  "bad-dimension: 'gpu.throttle' is a mask of reasons; write 'gpu.throttle has REASON'" },
	{ SCOPE_GPU, "mean(gpu.throttle, 5 s) > 1",
	             "     ^~~~~~~~~~~~",
	  "bad-dimension: 'gpu.throttle' is a mask of reasons; write 'gpu.throttle has REASON'" },
	{ SCOPE_GPU, "gpu.throttle has thermal",
	             "                 ^~~~~~~",
	  "unknown-name: unknown reason 'thermal'; did you mean 'hw_thermal'?" },
	{ SCOPE_GPU, "gpu.throttle has nothing",
	             "                 ^~~~~~~",
	  "unknown-name: unknown reason 'nothing'; there are idle, app_clocks, sw_power, hw_slowdown, sync_boost, sw_thermal, "
	  "hw_thermal, hw_brake and display" },
	{ SCOPE_GPU, "slope(gpu.temp, 5 min) > 1",
	             "                         ^",
	  "bad-dimension: '1' has no unit, 'slope(gpu.temp, 5 min)' is a temperature per time; write '1 C/s'" },
	{ SCOPE_GPU, "busy > 5 %",
	             "^~~~",
	  "bad-expression: a number is wanted here, this is a condition" },
	{ SCOPE_GPU, "pull",
	             "^~~~",
	  "bad-expression: a condition is wanted here, this is a plain number" },
	{ SCOPE_GPU, "any(busy, 5 s)",
	             "^~~",
	  "bad-expression: 'any' is over a set; write 'any of gpus(…)'" },
	{ SCOPE_GPU, "broken > 5 % and gpu.utl > 5 %",
	             "                 ^~~~~~~",
	  "unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?" },
	{ SCOPE_GPU, "gpu.util > 5 % for 10 min",
	             "               ^~~",
	  "bad-expression: 'for' is a key of its own, beside 'when'" },
	{ SCOPE_GPU, "5 h / h > 5",
	             "      ^",
	  "unknown-name: 'h' is a unit and stands behind a number; no blanks beside a '/', as in '3 /h'" },
	{ SCOPE_GPU, "gpu.power > 5 W / s",
	             "                  ^",
	  "unknown-name: 's' is a unit and stands behind a number; no blanks beside a '/', as in '3 /h'" },
	{ SCOPE_GPU, "any of gpus(hole(core.busy))",
	             "                 ^~~~~~~~~",
	  "bad-expression: 'core.busy' can't be seen inside 'of gpus(…)'" },
	{ SCOPE_GPU, "mean(gpu.util, 5 d d) > 5 %",
	             "                   ^",
	  "bad-expression: ')' is missing before 'd'" },
	{ SCOPE_GPU, "max of and(gpu.util) > 5 %",
	             "       ^~~",
	  "bad-expression: behind 'of' stands one of cores, gpus, host_gpus, others and hosts" },
	{ SCOPE_GPU, "max of (gpu.util) > 5 %",
	             "       ^",
	  "bad-expression: behind 'of' stands one of cores, gpus, host_gpus, others and hosts" },
	{ SCOPE_GPU, "gpu.util > 5 % during steady",
	             "               ^~~~~~",
	  "bad-expression: 'during' is a key of its own, beside 'when'" },
	{ SCOPE_GPU, "gpu.util < 5 < 3",
	             "             ^",
	  "bad-expression: comparisons don't chain; join two with 'and'" },
	{ SCOPE_GPU, "gpu.util > 70 low",
	             "              ^~~",
	  "unknown-name: unknown unit 'low'" },
};

/* "      |   ^~~" without what stands before the text. */
static const char *carets_of(const char *excerpt)
{
	return strchr(excerpt, '\n') + strlen("\n      | ");
}

/* The catalogue grows: what ends in "there are " is compared up to there. */
static void check_words(const char *said, const char *expected)
{
	const size_t n = strlen(expected);

	if (n > 10 && strcmp(expected + n - 10, "there are ") == 0) {
		assert_memory_equal(said, expected, n);
		assert_non_null(strstr(said, "gpu."));
	} else {
		assert_string_equal(said, expected);
	}
}

static void says_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct fixture f;
		begin(&f, wrong[i].text);
		assert_null(compile_for(&f, wrong[i].scope, true, false));
		if (f.diags.n != 1)
			fail_msg("%s: %zu complaints", wrong[i].text, f.diags.n);
		const struct diag *const d = &f.diags.at[0];
		check_words(arena_print(&f.mem, "%s: %s", diag_table[d->code].name, d->text), wrong[i].complaint);
		assert_string_equal(carets_of(d->excerpt), wrong[i].carets);
		assert_int_equal(d->place.column, 1 + strspn(wrong[i].carets, " "));
		end(&f);
	}
}

static void tells_all_mistakes_at_once(void **state)
{
	static const struct { const char *text; size_t n; } cases[] = {
		{ "gpu.utl > 5 and count(gpu.tmp > 5 C) > 5 and mean(gpu.util, steddy) > 5 C", 4 },
		{ "share(5 %) > 5 C and rate(gpu.util) > gpu.ecc_corrected", 3 },
		{ "gpu.throttle has thermal and gpu.util > 5 pct and gpu.temp > 5 W", 3 },
		{ "broken > 5 % and gpu.utl > 5 %", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		begin(&f, cases[i].text);
		assert_null(compile_for(&f, SCOPE_GPU, true, false));
		assert_int_equal(f.diags.n, cases[i].n);
		end(&f);
	}
}

/* The let has got its complaint; whoever uses it gets none. */
static void is_silent_about_broken_lets(void **state)
{
	static const char *const texts[] = {
		"broken", "broken > 5 %", "not broken and busy", "mean(gpu.util, broken) > 5 %", "any of gpus(broken)", "-broken > 5",
		"share(broken, 5 s) * broken > 5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;
		begin(&f, texts[i]);
		assert_null(compile_for(&f, SCOPE_GPU, true, false));
		assert_int_equal(f.diags.n, 0);
		end(&f);
	}
}

/* A rule whose scope is wrong gets that said, and not what follows from it. */
static void is_silent_about_unknown_scopes(void **state)
{
	static const struct { const char *text; size_t n; } cases[] = {
		{ "gpu.util > 5 % and core.busy > 5 % and host.cpu.busy > 5 %", 0 },
		{ "max of others(gpu.util) > 5 %", 0 },
		{ "max of cores(gpu.util) > 5 %", 1 }, /* wrong in every scope */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		begin(&f, cases[i].text);
		struct expression_context context = context_of(&f, SCOPE_RUN);
		context.want = WANT_CONDITION;
		context.scope_known = false;
		assert_int_equal(expression_compile(&f.mem, &f.node, f.source, &context, &f.diags) != NULL, cases[i].n == 0);
		assert_int_equal(f.diags.n, cases[i].n);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(tells_all_mistakes_at_once),
		cmocka_unit_test(is_silent_about_broken_lets),
		cmocka_unit_test(is_silent_about_unknown_scopes),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
