/*
 * row_account_test.c - how many rows a report stands on, what is said of the others and where, and when the verdict says so.
 *
 * One GPU, 80 % busy, a row a second; every so often a row that is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "rules.h"
#include "runs.h"

#define LAZY \
	"short: s\nchecked: c\nseverity: critical\nsources: [s]\nwhat: w\nwhy: y\nrefute: r\ncard: c\ntry: [do]\nduring: run\n" \
	"title: \"{Gpus} lazed\"\nscope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 80 %\n"

static const struct report *report_of(struct logs *logs, struct run *run)
{
	static const struct rule_file file = { "r/lazy.yaml", { LAZY, sizeof LAZY - 1 }, LAYER_GIVEN };
	static const struct report_options none = { 0 };
	const struct rules *const rules = rules_of_files(&logs->mem, &file, 1, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_settle(run);
	return report_build(run, rules, rules_judge(rules, run), &none);
}

/* So many rows of GPU 0, the n_bad of them that stand last but one without a value; `end` is what the last line ends with. */
static const char *log_of(struct arena *mem, size_t n, size_t n_bad, const char *end)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (size_t i = 0; i < n; i++) {
		const char *const time = local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/');
		const bool is_last = i + 1 == n, is_bad = !is_last && i + 1 + n_bad >= n;
		buf_print(&out, is_bad ? "%s, 0%s" : "%s, 0, 80 %%%s", time, is_last ? end : "\n");
	}
	return text_of_buf(mem, &out);
}

static const struct report *of_rows(struct logs *logs, size_t n, size_t n_bad, const char *end)
{
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", log_of(&logs->mem, n, n_bad, end));
	return report_of(logs, run);
}

static bool says(const struct report *r, const char *words)
{
	return strstr(r->verdict.sentence, words) != NULL;
}

static void a_verdict_on_less_than_all_rows_says_so(void **state)
{
	static const struct {
		size_t n, n_bad;
		const char *end, *words; /* at the end of the verdict; NULL: nothing of rows */
	} cases[] = {
		{ 1100, 0, "\n", NULL },
		{ 1100, 10, "\n", NULL }, /* neither more than ten nor more than one in a hundred */
		{ 1100, 11, "\n", " 11 of 1100 rows of gpu.csv could not be used." },
		{ 100, 1, "\n", NULL },
		{ 99, 1, "\n", " 1 of 99 rows of gpu.csv could not be used." },
		{ 60, 0, "", NULL }, /* cut off at the end: as every log of a job that was ended */
		{ 60, 1, "", " 1 of 60 rows of gpu.csv could not be used." },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct logs *const logs = *state;
		const size_t n_cut = !*cases[i].end; /* is no row that could be used */
		const struct report *const r = of_rows(logs, cases[i].n + n_cut, cases[i].n_bad, cases[i].end);
		const char *const end = r->verdict.sentence + strlen(r->verdict.sentence) - (cases[i].words ? strlen(cases[i].words) : 0);

		if (cases[i].words)
			assert_string_equal(end, cases[i].words);
		else
			assert_false(says(r, "rows"));
	}
}

static void several_logs_are_told_together(void **state)
{
	struct logs *const logs = *state;
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", log_of(&logs->mem, 60, 2, "\n"));
	run_take(logs, run, "vmstat.txt", arena_print(&logs->mem, "%svmstat: what is this\n", cpu_log(&logs->mem, "222222222222222222222222", "UTC", 0)));
	assert_true(says(report_of(logs, run), " 3 of 85 rows of 2 logs could not be used."));
}

/* As JSON and pages have it. */
static void rows_are_accounted_for_with_their_places(void **state)
{
	struct logs *const logs = *state;
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);
	const char *const text = arena_print(&logs->mem, "%s\n2026/11/21 02:01:00.000, 0, 80 %%, 5\n2026/11/21 02:01:01.000, 0\n2026/11/21 yesterday, 0, 80 %%\n",
		log_of(&logs->mem, 60, 0, "\n"));

	run_take(logs, run, "gpu.csv", text);
	const struct report_source *const s = report_of(logs, run)->sources;
	assert_int_equal(s->rows, 60);
	assert_int_equal(s->rows_bad, 3);
	assert_int_equal(s->rows_ignored, 2); /* the head and the blank line */
	assert_int_equal(s->rows_seen, 65);
	assert_string_equal(s->rows_text, "65 rows were seen: 60 used, 3 rejected and 2 ignored.");
	assert_int_equal(s->n_complaints, 2);
	assert_string_equal(s->complaints[0].kind, "bad-row");
	assert_int_equal(s->complaints[0].line, 63);
	assert_int_equal(s->complaints[0].count, 2);
	assert_string_equal(s->complaints[0].shown, "2026/11/21 02:01:00.000, 0, 80 %, 5");
	assert_string_equal(s->complaints[1].kind, "bad-time");
	assert_int_equal(s->complaints[1].line, 65);
	assert_int_equal(s->complaints[1].column, 1);
	assert_int_equal(s->told_complaints.n, 2);
	assert_string_equal(s->told_complaints.at[0], "line 63: 4 cells where the header has 3; row not used (1 more like this)");
	assert_null(s->more_complaints);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_verdict_on_less_than_all_rows_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(several_logs_are_told_together, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_are_accounted_for_with_their_places, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
