/*
 * clock_year_test.c - logs without a year find it beside others, by --date, or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

#define XID " n kernel: NVRM: Xid (PCI:0000:01:00): 31, x\n"
#define GPU(day) "timestamp, index, utilization.gpu [%]\n" day " 12:00:00.000, 0, 9 %\n" day " 12:00:01.000, 0, 9 %\n"
#define NO_YEAR "kern.log: error: no-time: the times of the log have no year; say on which day it begins with --date kern.log=YYYY-MM-DD\n"

static bool is_noted(const struct run *run, const char *text)
{
	bool found = false;

	for (size_t i = 0; i < run->n_notes; i++)
		found |= strcmp(run->notes[i].text, text) == 0;
	return found;
}

static void finds_the_year(void **state)
{
	static const struct {
		const char *kernel, *gpu, *date; /* gpu, date: may be NULL */
		const char *times;               /* of the events, a line each; NULL: the log is left out */
		const char *note;
	} cases[] = {
		{ "Feb  3 01:00:00" XID, GPU("2026/02/05"), NULL, "2026-02-03T01:00:00.000Z",
		  "kern.log names no year; 2026 is taken, which brings it nearest to gpu.csv." },
		/* around New Year, on both sides */
		{ "Dec 31 23:59:59" XID, GPU("2026/01/01"), NULL, "2025-12-31T23:59:59.000Z",
		  "kern.log names no year; 2025 is taken, which brings it nearest to gpu.csv." },
		{ "Jan  1 00:00:01" XID, GPU("2025/12/31"), NULL, "2026-01-01T00:00:01.000Z",
		  "kern.log names no year; 2026 is taken, which brings it nearest to gpu.csv." },
		/* from year to year, and a leap day where there is one */
		{ "Dec 31 23:59:59" XID "Jan  1 00:00:01" XID, GPU("2025/12/31"), NULL, "2025-12-31T23:59:59.000Z 2026-01-01T00:00:01.000Z",
		  "kern.log names no year; 2025 is taken, which brings it nearest to gpu.csv." },
		{ "Feb 28 01:00:00" XID "Feb 29 01:00:00" XID "Mar  1 01:00:00" XID, GPU("2028/02/28"), NULL,
		  "2028-02-28T01:00:00.000Z 2028-02-29T01:00:00.000Z 2028-03-01T01:00:00.000Z",
		  "kern.log names no year; 2028 is taken, which brings it nearest to gpu.csv." },
		{ "Feb 28 01:00:00" XID "Mar  1 01:00:00" XID, GPU("2026/02/28"), NULL, "2026-02-28T01:00:00.000Z 2026-03-01T01:00:00.000Z",
		  "kern.log names no year; 2026 is taken, which brings it nearest to gpu.csv." },
		{ "Feb  3 01:00:00" XID, NULL, "2024-02-03", "2024-02-03T01:00:00.000Z", "kern.log begins on 2024-02-03, by --date." },
		{ "Feb  3 01:00:00" XID, GPU("2026/02/05"), "2024-02-03", "2024-02-03T01:00:00.000Z",
		  "kern.log begins on 2024-02-03, by --date." },
		/* day and month are the log's own */
		{ "Feb  3 01:00:00" XID, NULL, "2024-02-05", "2024-02-03T01:00:00.000Z", "kern.log begins on 2024-02-03, by --date." },
		{ "Dec 31 23:00:00" XID, NULL, "2025-01-01", "2024-12-31T23:00:00.000Z", "kern.log begins on 2024-12-31, by --date." },
		{ "Feb  3 01:00:00" XID, NULL, NULL, NULL, NULL },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		const struct file_option date = { "kern.log", cases[i].date };
		const struct clock_request request = { .dates = { &date, cases[i].date != NULL } };
		struct buf times;

		if (cases[i].gpu)
			run_take(logs, run, "gpu.csv", cases[i].gpu);
		run_take(logs, run, "kern.log", cases[i].kernel);
		assert_int_equal(clock_settle(run, &request), cases[i].times != NULL);
		if (!cases[i].times) {
			assert_string_equal(take_complaints(logs), NO_YEAR);
			continue;
		}
		take_complaints(logs); /* of zones: they are not asked about here */
		const struct recording *rec = run->recordings[run->n_recordings - 1];
		buf_init(&times, (size_t)1 << 16);
		for (size_t k = 0; k < rec->n_events; k++)
			buf_print(&times, "%s%s", k ? " " : "", time_iso(&logs->mem, rec->events[k].t));
		assert_string_equal(text_of_buf(&logs->mem, &times), cases[i].times);
		assert_false(rec->clock.year_unknown);
		assert_true(is_noted(run, cases[i].note));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_year, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
