/*
 * explain_test.c - why a verdict is what it is: the parts of a condition, each on its own, and the line through the keys of its rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tracks.h"

#define GPU(i, drawn) { METRIC_GPU_UTIL, "", i, drawn }
#define CPU(drawn) { METRIC_CPU_BUSY, "", 0, drawn }
#define N_PICTURES 3

/* "Y3 N5 ?2": truths and their seconds. */
static const char *shown_line(struct arena *mem, struct truths line)
{
	const char *text = "";

	for (size_t i = 0; i < line.n; i++) {
		const time_ms end = i + 1 < line.n ? line.at[i + 1].at : line.end;
		text = arena_print(mem, "%s%s%c%d", text, i ? " " : "", line.at[i].truth == YES ? 'Y' : line.at[i].truth == NO ? 'N' : '?',
			(int)((end - line.at[i].at) / SECOND_MS));
	}
	return text;
}

static const char *shown_number(struct arena *mem, struct quantity q)
{
	return isnan(q.value) ? "-" : quantity_text(mem, q);
}

/* "0 gpu.util < 50 %: Y3 N7 100 %, nearest 10 % at 3 of 50 %" and "1 gpu.util: 10 % 90 % 90 % 100 %"; a line each. */
static const char *shown_part(struct arena *mem, const struct explained_part *p)
{
	const char *covered = quantity_text(mem, (struct quantity){ p->coverage * 100, UNIT_PERCENT });
	const char *text = arena_print(mem, "%u %s: ", p->level, p->text);

	if (!p->is_condition)
		text = arena_print(mem, "%s%s %s %s, %s", text, shown_number(mem, p->lowest), shown_number(mem, p->typical),
			shown_number(mem, p->highest), covered);
	else
		text = arena_print(mem, "%s%s, %s", text, shown_line(mem, p->line), covered);
	if (!isnan(p->nearest.value))
		text = arena_print(mem, "%s, %s of %s at %d", text, shown_number(mem, p->nearest), shown_number(mem, p->threshold),
			(int)((p->nearest_at - DAWN) / SECOND_MS));
	return arena_print(mem, "%s%s%s\n", text, p->missing ? ", no " : "", p->missing ? p->missing : "");
}

struct explained_case {
	const char *rules[2];
	struct picture pictures[N_PICTURES];
	const char *parts, *lines; /* lines: condition / bridged / counted / held, then what is missing */
};

static const char *shown_lines(struct arena *mem, const struct explanation *x)
{
	const char *text = arena_print(mem, "%s / %s / %s / %s", shown_line(mem, x->condition), shown_line(mem, x->bridged),
		shown_line(mem, x->counted), shown_line(mem, x->held));

	for (size_t i = 0; i < x->n_missing; i++)
		text = arena_print(mem, "%s, no %s", text, metric_table[x->missing[i]].name);
	return text;
}

static void check(struct logs *logs, const struct explained_case *c)
{
	struct arena *mem = &logs->mem;
	struct run *run = run_drawn(logs, c->pictures, N_PICTURES);
	const struct verdicts all = rules_judge(rules_drawn(logs, c->rules, 2), run);
	const struct explanation x = rule_explain(mem, run, &all, &all.at[0]);
	const char *parts = "";

	for (size_t i = 0; i < x.n_parts; i++)
		parts = arena_print(mem, "%s%s%s", parts, i == x.n_when_parts ? "clear:\n" : "", shown_part(mem, &x.parts[i]));
	assert_string_equal(parts, c->parts);
	assert_string_equal(shown_lines(mem, &x), c->lines);
}

static void takes_conditions_apart(void **state)
{
	static const struct explained_case cases[] = {
		{ { "scope: gpu\nfor: 4 s\nmerge_gap: 1 s\nwhen: gpu.util < 50 % and host.cpu.busy > 80 %\n" },
		  { GPU(0, "9111919999"), CPU("1999999999") },
		  "0 gpu.util < 50 % and host.cpu.busy > 80 %: N1 Y3 N1 Y1 N4, 100 %\n"
		  "1 gpu.util < 50 %: N1 Y3 N1 Y1 N4, 100 %, 10 % of 50 % at 1\n"
		  "2 gpu.util: 10 % 90 % 90 %, 100 %\n"
		  "1 host.cpu.busy > 80 %: N1 Y9, 100 %, 90 % of 80 % at 1\n"
		  "2 host.cpu.busy: 10 % 90 % 90 %, 100 %\n",
		  "N1 Y3 N1 Y1 N4 / N1 Y5 N4 / N1 Y5 N4 / N1 Y5 N4" },
		/* never false: what came nearest to being so */
		{ { "scope: gpu\nwhen: not 50 % < gpu.util\n" }, { GPU(0, "11141111") },
		  "0 not 50 % < gpu.util: Y8, 100 %\n"
		  "1 50 % < gpu.util: N8, 100 %, 40 % of 50 % at 3\n"
		  "2 gpu.util: 10 % 10 % 40 %, 100 %\n",
		  "Y8 / Y8 / Y8 / Y8" },
		{ { "scope: gpu\nwhen: gpu.util < 50 %\n" }, { GPU(0, "111411_1") },
		  "0 gpu.util < 50 %: Y6 ?1 Y1, 88 %, 40 % of 50 % at 3\n"
		  "1 gpu.util: 10 % 10 % 40 %, 88 %\n",
		  "Y6 ?1 Y1 / Y6 ?1 Y1 / Y6 ?1 Y1 / Y8" },
		/* windows, clear, and what was cut off to show true samples */
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 70 %\nclear: gpu.util >= 60 %\n" }, { GPU(0, "999911119999") },
		  "0 mean(gpu.util, 4 s) < 70 %: N4 Y5 N3, 100 %, 10 % of 70 % at 6\n"
		  "1 mean(gpu.util, 4 s): 10 % 70 % 90 %, 100 %\n"
		  "2 gpu.util: 10 % 90 % 90 %, 100 %\n"
		  "clear:\n"
		  "0 gpu.util >= 60 %: Y4 N4 Y4, 100 %, 90 % of 60 % at 0\n"
		  "1 gpu.util: 10 % 90 % 90 %, 100 %\n",
		  "N4 Y5 N3 / N4 Y4 N4 / N4 Y4 N4 / N4 Y4 N4" },
		/* one number for the run; conversions are not told */
		{ { "scope: gpu\nwhen: gpu.util / host.cpu.busy > 200 % and p95(gpu.util) < 50 %\n" }, { GPU(0, "4444"), CPU("1144") },
		  "0 gpu.util / host.cpu.busy > 200 % and p95(gpu.util) < 50 %: Y2 N2, 100 %\n"
		  "1 gpu.util / host.cpu.busy > 200 %: Y2 N2, 100 %, 400 % of 200 % at 0\n"
		  "2 gpu.util / host.cpu.busy: 100 % 100 % 400 %, 100 %\n"
		  "3 gpu.util: 40 % 40 % 40 %, 100 %\n"
		  "3 host.cpu.busy: 10 % 10 % 40 %, 100 %\n"
		  "1 p95(gpu.util) < 50 %: Y4, 100 %, 40 % of 50 % at 0\n"
		  "2 p95(gpu.util): 40 % 40 % 40 %, 100 %\n"
		  "3 gpu.util: 40 % 40 % 40 %, 100 %\n",
		  "Y2 N2 / Y2 N2 / Y2 N2 / Y2 N2" },
		/* members of a set are not taken apart */
		{ { "scope: run\nwhen: count of gpus(gpu.util < 50 %) > 1\n" }, { GPU(0, "1119"), GPU(1, "9119") },
		  "0 count of gpus(gpu.util < 50 %) > 1: N1 Y2 N1, 100 %, 2 of 1 at 1\n"
		  "1 count of gpus(gpu.util < 50 %): 0 1 2, 100 %\n",
		  "N1 Y2 N1 / N1 Y2 N1 / N1 Y2 N1 / N1 Y2 N1" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(*state, &cases[i]);
}

static void tells_what_was_taken_and_what_lacks(void **state)
{
	static const struct explained_case cases[] = {
		{ { "scope: gpu\nwhen: gpu.util < 50 %\nfor: 2 s\nexcluded_by: [b]\n", "scope: host\nwhen: host.cpu.busy > 50 %\n" },
		  { GPU(0, "91111999"), CPU("99999111") },
		  "0 gpu.util < 50 %: N1 Y4 N3, 100 %, 10 % of 50 % at 1\n"
		  "1 gpu.util: 10 % 10 % 90 %, 100 %\n",
		  "N1 Y4 N3 / N1 Y4 N3 / N8 / N8" },
		{ { "scope: gpu\nwhen: gpu.util < 50 % and gpu.temp > 80 C\n" }, { GPU(0, "9191") },
		  "0 gpu.util < 50 % and gpu.temp > 80 C: N1 ?1 N1 ?1, 50 %\n"
		  "1 gpu.util < 50 %: N1 Y1 N1 Y1, 100 %, 10 % of 50 % at 1\n"
		  "2 gpu.util: 10 % 10 % 90 %, 100 %\n"
		  "1 gpu.temp > 80 C: ?4, 0 %\n"
		  "2 gpu.temp: - - -, 0 %, no gpu.temp\n",
		  "N1 ?1 N1 ?1 / N1 ?1 N1 ?1 / N1 ?1 N1 ?1 / N1 ?1 N1 ?1, no gpu.temp" },
		/* one side of an `or` is enough to be judged, but not to be clear */
		{ { "scope: gpu\nwhen: gpu.util < 5 % or gpu.temp > 80 C\n" }, { GPU(0, "9191") },
		  "0 gpu.util < 5 % or gpu.temp > 80 C: ?4, 0 %\n"
		  "1 gpu.util < 5 %: N4, 100 %, 10 % of 5 % at 1\n"
		  "2 gpu.util: 10 % 10 % 90 %, 100 %\n"
		  "1 gpu.temp > 80 C: ?4, 0 %\n"
		  "2 gpu.temp: - - -, 0 %, no gpu.temp\n",
		  "?4 / ?4 / ?4 / ?4, no gpu.temp" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(*state, &cases[i]);
}

/* Each verdict is explained on its own entity, whatever the others are. */
static void explains_the_entity_of_the_verdict(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	static const struct picture pictures[] = {
		{ METRIC_GPU_UTIL, "node01", 0, "1199" }, { METRIC_GPU_UTIL, "node02", 0, "9911" }, { METRIC_CPU_BUSY, "node01", 0, "1119" },
		{ METRIC_CPU_BUSY, "node02", 0, "9111" }, { METRIC_CORE_BUSY, "node02", 3, "1191" },
	};
	static const char *const texts[] = {
		"scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy < 50 %\n", "scope: host\nwhen: host.cpu.busy < 50 %\n",
		"scope: core\nwhen: core.busy > 50 %\n", "scope: run\nwhen: min of gpus(gpu.util) < 50 %\n",
	};
	static const char *const lines[] = { "Y2 N2", "N2 Y2", "Y3 N1", "N1 Y3", "N2 Y1 N1", "Y4" };
	struct run *run = run_drawn(logs, pictures, sizeof pictures / sizeof pictures[0]);
	const struct verdicts all = rules_judge(rules_drawn(logs, texts, 4), run);

	assert_int_equal(all.n, 6);
	for (size_t i = 0; i < all.n; i++)
		assert_string_equal(shown_line(mem, rule_explain(mem, run, &all, &all.at[i]).held), lines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_conditions_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_what_was_taken_and_what_lacks, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(explains_the_entity_of_the_verdict, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
