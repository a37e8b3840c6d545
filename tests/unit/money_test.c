/*
 * money_test.c - what GPU time costs, what it drew, and what the same work could have taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "report/report.h"
#include "tracks.h"

#define TEN "1111111111"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define NINES "9999999999"
/* Half a minute of work, half a minute at a tenth of it. */
#define HALF NINES NINES NINES TEN TEN TEN
#define IDLE "scope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 100 %\nduring: run\n"
#define UPPER "scope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / ref(gpu.util)\nduring: run\n"

static const struct report *report_of(struct logs *logs, const struct picture *pictures, size_t n, const char *rule, struct rate rate)
{
	struct run *run = run_drawn(logs, pictures, n);
	const char *texts[] = { rule };
	struct rules rules = *rules_drawn(logs, texts, 1);
	struct rule most = *rules.at[0];
	const struct rule *at[] = { &most };

	most.severity = SEVERITY_CRITICAL;
	rules.at = at;
	run->n_recordings = 0; /* none is to be described */
	return report_build(run, &rules, rules_judge(&rules, run), &(struct report_options){ .rate = rate });
}
#define REPORT(logs, pictures, rule, rate) report_of(logs, pictures, sizeof(pictures) / sizeof *(pictures), rule, rate)

#define GPU0(drawn) { METRIC_GPU_UTIL, "node01", 0, drawn }

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9))
		fail_msg("%.12f is not %.12f", a, b);
}

/* 60 s at 240 EUR an hour are 4 EUR, of which 27 s are lost. */
static void money_follows_the_hours(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = { GPU0(HALF) };
	const struct report *r = REPORT(logs, pictures, IDLE,
		((struct rate){ 240, "EUR" }));

	assert_near(r->verdict.money, 4);
	assert_near(r->verdict.lost_money.low, 1.8);
	assert_near(r->verdict.lost_money.high, 1.8);
	assert_near(r->findings[0].cost_money.high, 1.8);
	assert_string_equal(r->verdict.sentence, "45 % of this run (1.80 EUR) was lost: t.");
	assert_string_equal(r->findings[0].cost_short, "27 GPU-s, 1.80 EUR lost");
	assert_string_equal(r->findings[0].cost_text, "27 GPU-s, 1.80 EUR, 45 % of the run: each second counted by the share of the GPU that was not used.");
	assert_string_equal(r->spent_text, "60 GPU-SECONDS (4.00 EUR)");
	assert_non_null(strstr(r->run_text, " At 240.00 EUR a GPU-hour it cost 4.00 EUR."));
	assert_int_equal(r->n_ledger, 2);
	assert_near(r->ledger[0].money + r->ledger[1].money, 4);
	assert_string_equal(r->ledger[0].money_text, "2.20");
	assert_string_equal(r->ledger[1].money_text, "1.80");
}

static void a_price_may_name_no_currency(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = { GPU0(HALF) };
	const struct report *r = REPORT(logs, pictures, IDLE,
		((struct rate){ 0.06, NULL }));

	assert_string_equal(r->findings[0].cost_short, "27 GPU-s, worth <0.01 lost");
	assert_string_equal(r->spent_text, "60 GPU-SECONDS (worth <0.01)");
}

static void without_a_rate_nothing_is_told_of_money(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = { GPU0(HALF) };
	const struct report *r = REPORT(logs, pictures, IDLE,
		((struct rate){ 0, NULL }));

	assert_true(isnan(r->verdict.money) && isnan(r->verdict.lost_money.low) && isnan(r->findings[0].cost_money.high));
	assert_true(isnan(r->ledger[0].money));
	assert_null(r->ledger[0].money_text);
	assert_string_equal(r->verdict.sentence, "45 % of this run was lost: t.");
	assert_string_equal(r->findings[0].cost_short, "27 GPU-s lost");
	assert_string_equal(r->spent_text, "60 GPU-SECONDS");
	assert_null(strstr(r->run_text, "cost"));
}

static void without_gpus_nothing_is_known(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = { { METRIC_CPU_BUSY, "node01", 0, HALF } };
	const struct report *r = REPORT(logs, pictures, IDLE, ((struct rate){ 240, "EUR" }));

	assert_true(isnan(r->verdict.money) && isnan(r->verdict.lost_money.high));
	assert_true(isnan(r->verdict.energy_kwh.low) && isnan(r->verdict.energy_kwh.high));
	assert_null(strstr(r->run_text, "cost"));
}

/* 90 W for a minute are 1.5 Wh, give or take 5 W; in the dark anything up to the limit. */
static void energy_is_a_range(void **state)
{
	static const struct {
		const char *power, *limit;
		double low_wh, high_wh; /* -1: not known */
		const char *told;
	} cases[] = {
		{ NINES NINES NINES NINES NINES NINES, NULL, 1.5 - 5 / 60.0, 1.5 + 5 / 60.0, " The GPU drew 1.5 Wh, give or take 0.1 Wh." },
		{ NINES NINES NINES "__________" "__________" "__________", SIXTY, 0.75 - 2.5 / 60, 0.75 + 2.5 / 60 + 10 / 120.0,
			" The GPU drew at least 0.7 Wh and at most 0.9 Wh: power is not known for 50 % of the GPU time." },
		{ NINES NINES NINES "__________" "__________" "__________", NULL, 0.75 - 2.5 / 60, -1,
			" The GPU drew at least 0.7 Wh: power is not known for 50 % of the GPU time." },
		{ NULL, NULL, 0, -1, "" },
		{ NULL, SIXTY, 0, 10 / 60.0, "" },
		{ "0000000000" "0000000000" "0000000000" "0000000000" "0000000000" "0000000000", NULL, 0, 5 / 60.0,
			" The GPU drew less than 0.1 Wh, give or take 0.1 Wh." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = { GPU0(HALF), { METRIC_GPU_POWER, "node01", 0, cases[i].power },
			{ METRIC_GPU_POWER_LIMIT, "node01", 0, cases[i].limit } };
		const struct report *r = REPORT(logs, pictures, UPPER, (struct rate){ 0 });
		double low = 0, high = 0;
		for (size_t k = 0; k < r->n_ledger; k++) {
			low += r->ledger[k].energy_kwh.low;
			high += r->ledger[k].energy_kwh.high;
		}
		assert_near(r->verdict.energy_kwh.low * 1000, cases[i].low_wh);
		assert_near(low, r->verdict.energy_kwh.low);
		if (cases[i].high_wh < 0) {
			assert_true(isnan(r->verdict.energy_kwh.high) && isnan(high));
		} else {
			assert_near(r->verdict.energy_kwh.high * 1000, cases[i].high_wh);
			assert_near(high, r->verdict.energy_kwh.high);
		}
		const char *drawn = strstr(r->run_text, " The GPU drew");
		assert_string_equal(drawn ? drawn : "", cases[i].told);
	}
}

#define LINES "0123456789" /* one more sample each second */

static void the_same_work_could_take_less(void **state)
{
	static const struct {
		const char *util, *samples;
		double best_seconds, throughput; /* -1: not known */
		const char *told;
	} cases[] = {
		{ HALF, LINES "99999999999999999999999999999999999999999999999999", 33, 9 / 59.0,
			"At the same work the run could take 33 s instead of 1 min, if all that was lost came back: that is at best." },
		{ HALF, NULL, -1, -1, NULL },
		{ NINES NINES NINES NINES NINES NINES, LINES "99999999999999999999999999999999999999999999999999", -1, 9 / 59.0, NULL },
		{ HALF, "0000000000" "0000000000" "0000000000" "0000000000" "0000000000" "0000000000", -1, -1, NULL }, /* no work was done */
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = { GPU0(cases[i].util), { METRIC_RUN_SAMPLES, "", 0, cases[i].samples } };
		const struct report *r = REPORT(logs, pictures, IDLE,
			(struct rate){ 0 });
		if (cases[i].best_seconds < 0)
			assert_true(isnan(r->verdict.best_seconds));
		else
			assert_near(r->verdict.best_seconds, cases[i].best_seconds);
		if (cases[i].throughput < 0)
			assert_true(isnan(r->verdict.throughput) && !r->verdict.throughput_of);
		else
			assert_near(r->verdict.throughput, cases[i].throughput);
		assert_string_equal(r->verdict.best_text ? r->verdict.best_text : "", cases[i].told ? cases[i].told : "");
	}
}

/*
 * The second third of the minute: hardly busy, at a low clock, and not there. What is worse comes first, whatever it costs: of clock and busy
 * the one of which more is missing there; of two that are alike the costliest does, and a cause before what it explains.
 */
static void worse_losses_are_charged_first(void **state)
{
	static const char busy[] = "scope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 100 %\nduring: run\n",
			  clock[] = "scope: gpu\nwhen: gpu.clock_share < 50 %\ncost: 1 - gpu.clock_share / 100 %\nduring: run\n",
			  other[] = "scope: gpu\nwhen: gpu.util < 50 %\ncost: 95 %\nduring: run\n",
			  gone[] = "scope: gpu\nwhen: gpu.lost > 0\ncost: gpu.lost\nduring: run\n";
	static const struct {
		const char *rules[2], *clock, *ledger;
	} cases[] = {
		{ { busy, clock }, "3333333333", "normal 15, a 45" }, /* of these 20 s busy loses 18, the clock 14 */
		{ { busy, clock }, "0000000000", "normal 13, a 27, b 20" }, /* the clock loses all of them; of the 30 s that are left busy 27 */
		{ { busy, gone }, "3333333333", "normal 13, a 27, b 20" },
		{ { clock, gone }, "3333333333", "normal 40, b 20" },
		{ { other, busy }, "3333333333", "normal 15, b 45" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const clocks = arena_print(&logs->mem, NINES NINES "%s%s" NINES NINES, cases[i].clock, cases[i].clock);
		const struct picture pictures[] = { GPU0(TEN TEN TEN TEN TEN NINES), { METRIC_GPU_CLOCK_SHARE, "node01", 0, clocks },
			{ METRIC_GPU_LOST, "node01", 0, "0000000000" "0000000000" "1111111111" "1111111111" "0000000000" "0000000000" } };
		struct run *run = run_drawn(logs, pictures, sizeof pictures / sizeof *pictures);
		const struct rules *rules = rules_drawn(logs, cases[i].rules, 2);
		const char *all = "";
		run->n_recordings = 0;
		const struct report *r = report_build(run, rules, rules_judge(rules, run), &(struct report_options){ 0 });
		for (size_t k = 0; k < r->n_ledger; k++)
			all = arena_print(&logs->mem, "%s%s%s %d", all, k ? ", " : "", r->ledger[k].class, (int)lround(r->ledger[k].gpu_hours * 3600));
		assert_string_equal(all, cases[i].ledger);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(money_follows_the_hours),
		TEST(a_price_may_name_no_currency),
		TEST(without_a_rate_nothing_is_told_of_money),
		TEST(without_gpus_nothing_is_known),
		TEST(energy_is_a_range),
		TEST(worse_losses_are_charged_first),
		TEST(the_same_work_could_take_less),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
