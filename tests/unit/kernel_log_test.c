/*
 * kernel_log_test.c - the kernel's log: stamps of all kinds, the lines that tell of GPUs and of memory, and all others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define LOST "GPU has fallen off the bus."
#define XID_79 "NVRM: Xid (PCI:0000:01:00): 79, pid=2361, name=python3, " LOST
#define XID_31 "NVRM: Xid (PCI:0000:01:00): 31, pid=2361, name=python3, Ch 00000010"

extern const struct format format_kernel_log;

struct log_case {
	const char *log, *events, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "kern.log", cases[i].log);

		assert_string_equal(shown_log_events(logs, rec), cases[i].events);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define UPTIME                                                                                                                  \
	"kern.log:1: warning: clock: times count from the start of the host; --start kern.log=TIME says when that was (uptime -s), " \
	"or log with dmesg -T\n"

static void reads_stamps_of_all_kinds(void **state)
{
	static const struct {
		const char *log, *event;
		enum clock_basis basis;
		time_ms offset;
		const char *zone;
		bool is_elapsed, has_no_year;
	} cases[] = {
		{ "2026-11-21T01:48:42.867977-06:00 node01 kernel: " XID_31 "\n", "2026-11-21T01:48:42.867Z",
		  BASIS_OFFSET, -6 * HOUR_MS, "-06:00",
		  false, false },
		{ "2026-11-21T01:48:42+0530 node01 kernel: " XID_31 "\n", "2026-11-21T01:48:42.000Z",
		  BASIS_OFFSET, 5 * HOUR_MS + 30 * MINUTE_MS,
		  "+0530", false, false },
		{ "2026-11-21T01:48:42Z node01 kernel: " XID_31 "\n", "2026-11-21T01:48:42.000Z", BASIS_OFFSET, 0, "Z", false, false },
		{ "2026-11-21T01:48:42.5 node01 kernel: " XID_31 "\n", "2026-11-21T01:48:42.500Z", BASIS_LOCAL, 0, NULL, false, false },
		/* dmesg --time-format iso has neither host nor tag */
		{ "2026-11-21T01:48:42,867977+00:00 " XID_31 "\n", "2026-11-21T01:48:42.867Z", BASIS_OFFSET, 0, "+00:00", false, false },
		{ "[Sat Nov 21 01:48:42 2026] " XID_31 "\n", "2026-11-21T01:48:42.000Z", BASIS_LOCAL, 0, NULL, false, false },
		{ "[Sun Nov  1 01:48:42 2026] " XID_31 "\n", "2026-11-01T01:48:42.000Z", BASIS_LOCAL, 0, NULL, false, false },
		/* pasted, the first bracket lost */
		{ "Sat Nov 21 01:48:42 2026] " XID_31 "\n", "2026-11-21T01:48:42.000Z", BASIS_LOCAL, 0, NULL, false, false },
		{ "[74889.644138] " XID_31 "\n", "1970-01-01T20:48:09.644Z", BASIS_LOCAL, 0, NULL, true, false },
		{ "[    1.644138] " XID_31 "\n", "1970-01-01T00:00:01.644Z", BASIS_LOCAL, 0, NULL, true, false },
		{ "Nov 21 01:48:42 node01 kernel: " XID_31 "\n", "1972-11-21T01:48:42.000Z", BASIS_LOCAL, 0, NULL, false, true },
		{ "Feb 29 01:48:42 node01 kernel: [74889.644138] " XID_31 "\n", "1972-02-29T01:48:42.000Z",
		  BASIS_LOCAL, 0, NULL, false, true },
		{ "Feb 29 01:48:42 node01 kernel: [  74889.64] " XID_31 "\n", "1972-02-29T01:48:42.000Z",
		  BASIS_LOCAL, 0, NULL, false, true },
		{ "Nov  1 01:48:42 node01 kernel: " XID_31 "\n", "1972-11-01T01:48:42.000Z", BASIS_LOCAL, 0, NULL, false, true },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "kern.log", cases[i].log);

		assert_string_equal(take_complaints(logs), cases[i].is_elapsed ? UPTIME : "");
		assert_string_equal(shown_log_events(logs, rec), arena_print(&logs->mem, "%s xid 31 0:01:00.0: " XID_31 "\n",
			cases[i].event));
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].offset);
		assert_string_equal(rec->clock.zone ? rec->clock.zone : "none", cases[i].zone ? cases[i].zone : "none");
		assert_int_equal(rec->clock.time_unknown, cases[i].is_elapsed);
		assert_int_equal(rec->clock.elapsed, cases[i].is_elapsed);
		assert_int_equal(rec->clock.year_unknown, cases[i].has_no_year);
		assert_int_equal(rec->n_rows + rec->n_channels, 0);
	}
}

#define AT "2026-11-21T01:48:42+00:00 node01 kernel: "
#define T "2026-11-21T01:48:42.000Z "

static void finds_what_is_told(void **state)
{
	static const struct log_case cases[] = {
		/* an Xid 79 is a loss as well; what follows tells of the same one */
		{ AT XID_79 "\n" AT "NVRM: GPU 0000:01:00.0: " LOST "\n",
		  T "xid 79 0:01:00.0: " XID_79 "\n" T "gpu-lost 0:01:00.0: " XID_79 "\n", "" },
		{ AT "NVRM: GPU 0000:01:00.0: " LOST "\n", T "gpu-lost 0:01:00.0: NVRM: GPU 0000:01:00.0: " LOST "\n", "" },
		{ AT "NVRM: GPU at 0000:CA:00.0 has fallen off the bus.\n",
		  T "gpu-lost 0:CA:00.0: NVRM: GPU at 0000:CA:00.0 has fallen off the bus.\n", "" },
		{ AT "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed\n",
		  T "xid 154 0:01:00.0: NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed\n", "" },
		/* before 2014 */
		{ AT "NVRM: Xid (0000:01:00): 13, 0003\n", T "xid 13 0:01:00.0: NVRM: Xid (0000:01:00): 13, 0003\n", "" },
		{ AT "Out of memory: Killed process 2361 (python3) total-vm:81264400kB\n",
		  T "oom-kill host : Out of memory: Killed process 2361 (python3) total-vm:81264400kB\n", "" },
		{ AT "Memory cgroup out of memory: Killed process 2361 (python3)\n",
		  T "oom-kill host : Memory cgroup out of memory: Killed process 2361 (python3)\n", "" },
		/* before 5.0 in two lines: the choice, and the kill */
		{ AT "Out of memory: Kill process 2361 (python3) score 907 or sacrifice child\n"
		  AT "Killed process 2361 (python3) total-vm:8kB\n",
		  T "oom-kill host : Killed process 2361 (python3) total-vm:8kB\n", "" },
		{ AT "Linux version 6.1.0 (debian-kernel@lists.debian.org)\n",
		  T "restart host : Linux version 6.1.0 (debian-kernel@lists.debian.org)\n", "" },
		/* the same words of another program, repeated by syslog, or of the driver's own count */
		{ AT XID_31 "\n2026-11-21T01:48:42+00:00 node01 python3[9]: " XID_79 "\n" AT "message repeated 13 times: [ " XID_79 "]\n" AT
		     "NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: GPU lost from the bus [NV_ERR_GPU_IS_LOST]\n"
		     "2026-11-21T01:48:42+00:00 node01 kernel: usb 1-1: new device\n-- Boot 1 --\n\n",
		  T "xid 31 0:01:00.0: " XID_31 "\n", "" },
	};

	CHECK(*state, cases);
}

static void tells_a_loss_once_a_minute(void **state)
{
	static const struct log_case cases[] = {
		{ "[Sat Nov 21 01:48:42 2026] NVRM: GPU 0000:01:00.0: " LOST "\n"
		  "[Sat Nov 21 01:49:12 2026] NVRM: GPU 0000:01:00.0: " LOST "\n"
		  "[Sat Nov 21 01:49:13 2026] NVRM: GPU 0000:02:00.0: " LOST "\n"
		  "[Sat Nov 21 01:50:12 2026] NVRM: GPU 0000:01:00.0: " LOST "\n",
		  T "gpu-lost 0:01:00.0: NVRM: GPU 0000:01:00.0: " LOST "\n"
		  "2026-11-21T01:49:13.000Z gpu-lost 0:02:00.0: NVRM: GPU 0000:02:00.0: " LOST "\n"
		  "2026-11-21T01:50:12.000Z gpu-lost 0:01:00.0: NVRM: GPU 0000:01:00.0: " LOST "\n", "" },
	};

	CHECK(*state, cases);
}

static void learns_names(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "kern.log",
		AT "NVRM: GPU at PCI:0000:01:00: GPU-aa52598f-dd6b-42a1-2881-3b1b251447dd\n" AT XID_79 "\n"
		AT "NVRM: Xid (PCI:0000:02:00): 31, x\n");

	assert_string_equal(take_complaints(logs), "");
	assert_string_equal(rec->host, "node01");
	assert_int_equal(rec->n_events, 3);
	assert_string_equal(rec->events[0].entity.uuid, "GPU-aa52598f-dd6b-42a1-2881-3b1b251447dd");
	assert_string_equal(rec->events[1].entity.uuid, "GPU-aa52598f-dd6b-42a1-2881-3b1b251447dd");
	assert_null(rec->events[2].entity.uuid);
	assert_int_equal(rec->events[2].entity.index, -1);
}

static void brings_all_times_to_one_clock(void **state)
{
	static const struct log_case cases[] = {
		/* the end of daylight saving: the same zone with another offset */
		{ "2026-11-01T01:30:00-04:00 n kernel: " XID_31 "\n2026-11-01T01:30:00-05:00 n kernel: " XID_31 "\n",
		  "2026-11-01T01:30:00.000Z xid 31 0:01:00.0: " XID_31 "\n2026-11-01T02:30:00.000Z xid 31 0:01:00.0: " XID_31 "\n", "" },
		/* New Year without years */
		{ "Dec 31 23:59:59 n kernel: " XID_31 "\nJan  1 00:00:01 n kernel: " XID_31 "\nFeb 28 00:00:01 n kernel: " XID_31 "\n",
		  "1972-12-31T23:59:59.000Z xid 31 0:01:00.0: " XID_31 "\n1973-01-01T00:00:01.000Z xid 31 0:01:00.0: " XID_31 "\n"
		  "1973-02-28T00:00:01.000Z xid 31 0:01:00.0: " XID_31 "\n", "" },
		{ AT XID_31 "\n[74889.644138] " XID_31 "\n[74889.644138] usb 1-1: new device\n", T "xid 31 0:01:00.0: " XID_31 "\n",
		  "kern.log:2: warning: bad-time: a time of another kind than in the first line; not used\n" },
		{ AT XID_31 "\n2026-11-21T01:48:42+00:00 node02 kernel: " XID_31 "\n2026-11-21T01:48:42+00:00 node02 kernel: usb\n",
		  T "xid 31 0:01:00.0: " XID_31 "\n",
		  "kern.log:2: warning: bad-row: a line of another host than node01; split the log by hosts; not used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_lines_and_says_so(void **state)
{
#define NOTHING                                                                                                \
	"kern.log: warning: nothing-told: a log of the kernel that tells of no Xid, no lost GPU and no process killed for " \
	"memory: nothing to use\n"
#define NO_XID "kern.log:2: warning: bad-row: an Xid without bus id or code; not used\n"
#define ONE AT XID_31 "\n"
#define ONE_EVENT T "xid 31 0:01:00.0: " XID_31 "\n"
	static const struct log_case cases[] = {
		{ ONE AT "NVRM: Xid (PCI:0000:01:00): , x\n", ONE_EVENT, NO_XID },
		{ ONE AT "NVRM: Xid (PCI:0000:01:00)\n", ONE_EVENT, NO_XID },
		{ ONE AT "NVRM: Xid (\n", ONE_EVENT, NO_XID },
		{ ONE AT "NVRM: Xid (PCI:zz): 31, x\n", ONE_EVENT, NO_XID },
		{ ONE AT "NVRM: Xid (PCI:0000:01:00): 99999999, x\n", ONE_EVENT, NO_XID },
		{ ONE AT XID_79, ONE_EVENT,
		  "kern.log:2: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ AT "NVRM: loading NVIDIA UNIX x86_64 Kernel Module\n", "",
		  NOTHING },
		{ "[    1.000001] a\n[    1.000002] b\n[    1.000003] c\n[    1.000004] d\n[    1.000005] e\n", "",
		  UPTIME NOTHING },
	};

	CHECK(*state, cases);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "kern.log",
		"before\n" AT XID_79 "\n\n" AT "usb\n" AT "NVRM: Xid (\n[1.000000] " XID_31 "\n[1.000000] usb\n" AT XID_31);

	assert_int_equal(rec->n_rows, 0);
	assert_int_equal(rec->n_rows_bad, 3);     /* an Xid without bus id, a time of another kind, the cut line */
	assert_int_equal(rec->n_rows_ignored, 5); /* the event's own line, too: it is no row */
	assert_int_equal(rec->n_events, 2);
}

static void leaves_other_logs_alone(void **state)
{
	static const char *const others[] = {
		"WARNING: Tue Mar  5 15:17:06 +0330 2019 - tempcontrol@[GPU0] Problem detected\n",
		"Tue Apr 15 16:50:03 2025\n+------\n| NVIDIA-SMI 580.159.04 |\n",
		"2026-11-21T01:48:42 step 1 loss 2.0\n", "[2026-11-21 01:48:42] NVRM: Xid\n", "[12:01] hello\n", "[1.5] epoch\n",
		XID_79 "\n", "Nov 21 01:48:42 node01 python3[9]: " XID_79 "\n", "Nov 31 01:48:42 node01 kernel: " XID_79 "\n",
		"2026-11-21T01:48:42+00:00 node01 kernel: usb 1-1: new device\n", "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(format_kernel_log.bid(slice_of(others[i]), &logs->mem).score, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_stamps_of_all_kinds, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(finds_what_is_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_a_loss_once_a_minute, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(learns_names, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(brings_all_times_to_one_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_lines_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_logs_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
