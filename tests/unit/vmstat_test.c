/*
 * vmstat_test.c - vmstat -t of procps 3 and 4: heads, the row since boot, intervals, zones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define GROUPS "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
#define HEAD3 " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
#define BOOT3 " 2  0      0 1048576 103612 9639228    0    0   780  1883  476 2512 30  6 63  0  0 2026-11-20 21:33:43\n"
#define ROW3 " 1  2      0 1048576 103612 9639228    3    4     0   120  390 2012 91  4  3  2  0 "
#define METRICS "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.blocked " \
		"host.mem_free host.swap_used host.swap_in host.swap_out host.disk_read host.disk_write\n"
#define VALUES " 95 91 4 2 0 1 2 1024 0 3 4 0 120"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "vmstat.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* A row stands for the time since the row before: it begins there, not at its own stamp. */
static void rows_begin_at_the_stamp_before(void **state)
{
	static const struct log_case cases[] = {
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n" ROW3 "2026-11-20 21:33:45\n",
		  METRICS "21:33:43.000" VALUES "\n21:33:44.000" VALUES "\n", "" },
		/* after a break in the log a row stands for one step */
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n" ROW3 "2026-11-20 21:33:45\n" ROW3 "2026-11-20 21:33:46\n" ROW3
		  "2026-11-20 21:40:00\n",
		  METRICS "21:33:43.000" VALUES "\n21:33:44.000" VALUES "\n21:33:45.000" VALUES "\n21:39:59.000" VALUES "\n", "" },
		/* the row since boot alone is no log */
		{ GROUPS HEAD3 BOOT3, "", "vmstat.txt: warning: no-rows: nothing but averages since boot, as the first row of vmstat is; log with vmstat -t N, "
		  "which goes on\n" },
	};

	CHECK(*state, cases);
}

static void knows_the_heads_of_all_versions(void **state)
{
	static const struct log_case cases[] = {
		/* procps 4, -w: one more column, wider */
		{ "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- ----------cpu---------- "
		  "-----timestamp-----\n"
		  "   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st  gu"
		  "                 UTC\n"
		  "  13    0            0      1048576        24440      2207848    0    0  1394     4  131   99   4   1  95   0   0   0 "
		  "2026-11-21 01:49:31\n"
		  "   2    0            0      1048576        24440      2207848    0    0     0    12 2422 2550  10   2  80   1   2   5 "
		  "2026-11-21 01:49:32\n",
		  METRICS "01:49:31.000 17 10 2 1 2 2 0 1024 0 0 0 0 12\n", "" },
		/* no CPU is nothing for all of the time: then nothing is known; with guests alone it is busy */
		{ GROUPS " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu                 UTC\n"
		  " 1  0      0 1048576 4 4    0    0   0  0  1 1 30  6 60  4  0   0 2026-11-20 21:33:43\n"
		  " 1  0      0 1048576 4 4    0    0   0  0  1 1  0  0  0  0  0   0 2026-11-20 21:33:44\n"
		  " 1  0      0 1048576 4 4    0    0   0  0  1 1  0  0  0  0  0 100 2026-11-20 21:33:45\n",
		  METRICS "21:33:43.000 - 0 0 0 0 1 0 1024 0 0 0 0 0\n21:33:44.000 100 0 0 0 0 1 0 1024 0 0 0 0 0\n", "" },
		/* before 2.6.11: no steal */
		{ GROUPS " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa                 UTC\n"
		  " 1  0      0 1048576 4 4    0    0   0  0  1 1 30  6 63  1 2026-11-20 21:33:43\n"
		  " 1  0      0 1048576 4 4    0    0   0  0  1 1 30  6 60  4 2026-11-20 21:33:44\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.runq host.blocked host.mem_free "
		  "host.swap_used host.swap_in host.swap_out host.disk_read host.disk_write\n21:33:43.000 36 30 6 4 1 0 1024 0 0 0 0 0\n", "" },
		/* sooner, or after a blank line, it is another run, whose first row is since boot again */
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n" GROUPS HEAD3 ROW3 "2026-11-20 21:33:46\n" ROW3 "2026-11-20 21:33:47\n",
		  METRICS "21:33:43.000" VALUES "\n21:33:44.000" VALUES "\n", "" },
		/* a date line and a prompt before it */
		{ "Wed Aug 28 16:02:01 IST 2019\n$ vmstat -t 1\n" GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n",
		  METRICS "21:33:43.000" VALUES "\n", "" },
		/* -a: inactive and active for buff and cache */
		{ GROUPS " r  b   swpd   free  inact active   si   so    bi    bo   in   cs us sy id wa st                 UTC\n" BOOT3 ROW3
		  "2026-11-20 21:33:44\n", METRICS "21:33:43.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

/* So many rows a step apart, the first of which is at `from` seconds, below heads of their own. */
static const char *screen(struct arena *mem, const char *before, int from, int n, int step)
{
	const char *text = arena_print(mem, "%s%s", before, GROUPS HEAD3);

	for (int i = 0; i < n; i++)
		text = arena_print(mem, "%s%s2026-11-20 %02d:%02d:%02d\n", text, ROW3, 10 + (from + i * step) / 3600, (from + i * step) / 60 % 60,
			(from + i * step) % 60);
	return text;
}

/* In a file heads come again after 21 rows; on a screen after as many as fit, which only the second time shows. What comes else is a run. */
static void heads_of_a_screen_begin_no_run(void **state)
{
	static const struct {
		int step;
		struct {
			int from, n;
		} screens[4];
		size_t n_rows, n_ignored; /* with two lines of heads each */
	} cases[] = {
		{ 1, { { 0, 21 }, { 21, 21 }, { 42, 21 } }, 62, 7 },
		/* a screen of 33: one row is given for not knowing it */
		{ 1, { { 0, 33 }, { 33, 33 }, { 66, 33 } }, 97, 8 },
		/* begun anew, at once or later, after as many rows as are no screen */
		{ 1, { { 0, 300 }, { 300, 21 } }, 319, 6 },
		{ 1, { { 0, 12 }, { 60, 12 } }, 22, 6 },
		/* and after as many as are one: what is out of step tells */
		{ 1, { { 0, 21 }, { 60, 21 } }, 40, 6 },
		{ 10, { { 0, 30 }, { 291, 30 }, { 582, 30 } }, 87, 9 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = "";
		for (size_t k = 0; k < 4 && cases[i].screens[k].n; k++)
			text = screen(&logs->mem, text, cases[i].screens[k].from, cases[i].screens[k].n, cases[i].step);
		const struct recording *const rec = read_text(logs, "vmstat.txt", text);
		assert_int_equal(rec->n_rows, cases[i].n_rows);
		assert_int_equal(rec->n_rows_ignored, cases[i].n_ignored);
		assert_string_equal(take_complaints(logs), "");
	}
}

#define GROUPS_ONLY "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
#define HEAD_ONLY " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
#define ROW_ONLY " 1  2      0 1048576 103612 9639228    3    4     0   120  390 2012 91  4  3  2  0\n"

/* Without -t rows are a second apart. */
static void counts_rows_without_times(void **state)
{
	static const struct log_case cases[] = {
		{ GROUPS_ONLY HEAD_ONLY ROW_ONLY ROW_ONLY ROW_ONLY, METRICS "00:00:00.000" VALUES "\n00:00:01.000" VALUES "\n", "" },
		{ GROUPS_ONLY HEAD_ONLY ROW_ONLY, "",
		  "vmstat.txt: warning: no-rows: nothing but averages since boot, as the first row of vmstat is; log with vmstat -t N, "
		  "which goes on\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "vmstat.txt", cases[0].log)->clock.time_unknown);
}

#define SPREAD "vmstat.txt:5: warning: clock: rows without times; they are spread evenly from the date before them to the next one; " \
	       "log with vmstat -t\n"

/* A line of date(1) before each run. */
static void spreads_rows_between_dates(void **state)
{
	static const struct log_case cases[] = {
		{ "Wed Aug 28 16:02:00 UTC 2019\n" GROUPS_ONLY HEAD_ONLY ROW_ONLY ROW_ONLY ROW_ONLY
		  "\nWed Aug 28 16:03:00 UTC 2019\n" GROUPS_ONLY HEAD_ONLY ROW_ONLY ROW_ONLY,
		  METRICS "16:02:00.000" VALUES "\n16:02:30.000" VALUES "\n16:03:00.000" VALUES "\n", SPREAD },
		/* one run: nothing tells its step */
		{ "Wed Aug 28 16:02:00 UTC 2019\n" GROUPS_ONLY HEAD_ONLY ROW_ONLY ROW_ONLY ROW_ONLY,
		  METRICS "16:02:00.000" VALUES "\n16:02:01.000" VALUES "\n", SPREAD },
	};
	struct logs *logs = *state;
	const struct recording *rec;

	CHECK(logs, cases);
	rec = read_text(logs, "vmstat.txt", cases[0].log);
	assert_false(rec->clock.time_unknown);
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_string_equal(rec->clock.zone, "UTC");
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\nrubbish in the middle\n" ROW3 "2026-11-20 21:33:45\n",
		  METRICS "21:33:43.000" VALUES "\n21:33:44.000" VALUES "\n",
		  "vmstat.txt:5: warning: bad-row: 4 words where the header has 19; row not used\n" },
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n" ROW3 "2026-11-20 25:33:45\n",
		  METRICS "21:33:43.000" VALUES "\n",
		  "vmstat.txt:5:84: warning: bad-time: '2026-11-20 25:33:45' is no time stamp, "
		  "expected like 2026-11-21 01:48:34; row not used\n" },
		{ GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n" ROW3 "2026-11-20 21:3",
		  METRICS "21:33:43.000" VALUES "\n",
		  "vmstat.txt:5: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* one cell is not the row */
		{ GROUPS HEAD3 BOOT3
		  " 1  2      0 1048576 103612 9639228    3    4     0   120  390 2012 x  4  3  2  0 2026-11-20 21:33:44\n",
		  METRICS "21:33:43.000 95 - 4 2 0 1 2 1024 0 3 4 0 120\n", "vmstat.txt:4:69: warning: bad-number: 'x' in us\n" },
		/* busy is made of idle: without it, it is not known */
		{ GROUPS HEAD3 BOOT3
		  " 1  2      0 1048576 103612 9639228    3    4     0   120  390 2012 91  4  -  2  0 2026-11-20 21:33:44\n",
		  METRICS "21:33:43.000 - 91 4 2 0 1 2 1024 0 3 4 0 120\n",
		  "vmstat.txt:4:76: warning: bad-number: '-' in id is no share; busy is not known\n" },
	};

	CHECK(*state, cases);
}

#define MEMORY_ROW(memory, stamp) " 1  2 " memory "    3    4     0   120  390 2012 91  4  3  2  0 2026-11-20 21:33:" stamp "\n"
#define MIB_GUESSED "vmstat.txt: warning: guess: memory and swap are in MiB, as vmstat -S M writes them; in KiB all would be multiples of 4\n"

/* -S M leaves its trace in the numbers alone: what the kernel counts in pages of 4 KiB and more is told in multiples of 4 KiB. */
static void knows_what_is_not_in_kib(void **state)
{
	static const struct log_case cases[] = {
		/* swap, too; blocks are as they were */
		{ GROUPS HEAD3 MEMORY_ROW("5 2000002 104 9640", "43") MEMORY_ROW("5 1024 104 9640", "44"),
		  METRICS "21:33:43.000 95 91 4 2 0 1 2 1024 5 3072 4096 0 120\n", MIB_GUESSED },
		/* each run has its own, which is said once */
		{ GROUPS HEAD3 MEMORY_ROW("0 1 0 0", "43") MEMORY_ROW("0 1024 4 4", "44") GROUPS HEAD3 MEMORY_ROW("0 8 4 4", "45")
		  MEMORY_ROW("0 1048576 4 4", "46") GROUPS HEAD3 MEMORY_ROW("0 1 0 0", "47") MEMORY_ROW("0 1024 4 4", "48"),
		  METRICS "21:33:43.000 95 91 4 2 0 1 2 1024 0 3072 4096 0 120\n21:33:44.000 95 91 4 2 0 1 2 1024 0 3 4 0 120\n"
			  "21:33:46.000 95 91 4 2 0 1 2 1024 0 3072 4096 0 120\n", MIB_GUESSED },
		/* -S k on a host of some size; a small one of which all is in pages */
		{ GROUPS HEAD3 MEMORY_ROW("0 8388608 1 1", "43") MEMORY_ROW("0 1048576 1 1", "44"), METRICS "21:33:43.000" VALUES "\n", "" },
		{ GROUPS HEAD3 MEMORY_ROW("0 811200 20480 402112", "43") MEMORY_ROW("0 1048576 4 4", "44"), METRICS "21:33:43.000" VALUES "\n", "" },
		/* inactive and active */
		{ GROUPS " r  b   swpd   free  inact active   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
		  MEMORY_ROW("0 4 4 5", "43") MEMORY_ROW("0 1024 4 4", "44"),
		  METRICS "21:33:43.000 95 91 4 2 0 1 2 1024 0 3072 4096 0 120\n", MIB_GUESSED },
	};

	CHECK(*state, cases);
}

static void says_what_is_known_of_the_zone(void **state)
{
	static const struct {
		const char *word;
		enum clock_basis basis;
		time_ms offset;
	} cases[] = {
		{ "UTC", BASIS_OFFSET, 0 }, { "GMT", BASIS_OFFSET, 0 }, { "-03", BASIS_OFFSET, -3 * HOUR_MS }, { "+0530", BASIS_OFFSET,
		  330 * MINUTE_MS },
		/* IST is India, Israel or Ireland, EST America or Australia: only the user can tell */
		{ "EST", BASIS_LOCAL, 0 }, { "IST", BASIS_LOCAL, 0 }, { "CEST", BASIS_LOCAL, 0 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(logs, "vmstat.txt",
			arena_print(&logs->mem,
				"%s r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st %s\n%s%s%s",
				GROUPS, cases[i].word, BOOT3, ROW3, "2026-11-20 21:33:44\n"));

		assert_string_equal(rec->clock.zone, cases[i].word);
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].offset);
		assert_int_equal(rec->n_rows, 1);
	}
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "vmstat.txt",
		"a date\n" GROUPS HEAD3 BOOT3 ROW3 "2026-11-20 21:33:44\n\n" GROUPS HEAD3 "rubbish\n" BOOT3 ROW3 "2026-11-20 21:33:45\n" ROW3);

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);     /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 8); /* the date, two heads and the row since boot twice, a blank */
	assert_true(rec->cut);
}

static void reads_real_recordings(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = format_read(&logs->mem, "samples/loader_bound/vmstat.txt", NULL, false, &logs->diags);

	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->n_rows + rec->n_rows_ignored, 81);
	assert_int_equal(rec->n_rows_bad, 0);
	assert_int_equal(rec->channels[0].step, 1000);
	assert_string_equal(shown_absences(logs, rec), "");
	assert_string_equal(take_complaints(logs), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_begin_at_the_stamp_before, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_heads_of_all_versions, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(heads_of_a_screen_begin_no_run, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_rows_without_times, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(spreads_rows_between_dates, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_what_is_not_in_kib, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_is_known_of_the_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_real_recordings, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
