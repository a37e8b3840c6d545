/* top_test.c - top -b: frames of all releases, the first frame, cores, memory, processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define TOP(time) "top - " time " up  1:02,  1 user,  load average: 1.52, 1.48, 1.63\n"
#define TASKS "Tasks: 103 total,   3 running,  96 sleeping,   0 stopped,   4 zombie\n"
#define IDLE "%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
#define BUSY "%Cpu(s): 36.0 us, 14.5 sy,  1.0 ni, 43.0 id,  4.0 wa,  0.5 hi,  0.5 si,  0.5 st \n"
#define MEM "MiB Mem :  24000.0 total,  14444.7 free,    518.8 used,   9529.9 buff/cache     \n"
#define SWAP "MiB Swap:    100.0 total,     90.0 free,     10.0 used.  18000.0 avail Mem \n\n"
#define LIST "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
#define PROCESS "11031 root      20   0    2756   1544   1176 R  87.5   0.0   0:00.57 python3 a b\n"
#define OTHER "    1 root      20   0    2756   1544   1176 S  12.0   0.0   0:00.57 systemd\n\n"
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.mem_free host.mem_available " \
	     "host.mem_used host.mem_total host.mem_share host.swap_used host.load host.proc.cpu host.proc.cpu_most\n"
#define HOST_MEMORY "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_available " \
		    "host.mem_used host.mem_total host.mem_share host.swap_used host.load\n"
#define MEMORY " 14444.7 18000.0 6000.0 24000.0 25.00 10.0"
#define NO_DATE "1970-01-01T"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "top.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* Shares of the first frame are since boot. */
static void reads_frames(void **state)
{
	static const struct log_case cases[] = {
		{ TOP("01:48:34") TASKS IDLE MEM SWAP LIST PROCESS OTHER TOP("01:48:35") TASKS BUSY MEM SWAP LIST PROCESS OTHER,
		  HOST NO_DATE "01:48:33.000 - - - - - 3" MEMORY " 1.52 - -\n" NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 3" MEMORY
		       " 1.52 99.5 87.5\n", "" },
		/* over midnight */
		{ TOP("23:59:59") IDLE "\n" TOP("00:00:00") BUSY,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.load\n"
		  NO_DATE "23:59:58.000 - - - - - 1.52\n" NO_DATE "23:59:59.000 52.5 37.0 15.5 4.0 0.5 1.52\n", "" },
		/* a decimal comma, the line cut at 79 columns */
		{ TOP("01:48:34") IDLE "\ntop - 01:48:35 up 1 day,  6:54,  2 users,  load average: 1,06, 0,28, 0,1\n"
		  "%Cpu(s): 36,0 us, 14,5 sy,  1,0 ni, 44,0 id,  4,0 wa,  0,5 hi,  0,0 si, \n"
		  "KiB Mem :  1024000 total,    51200 free,   473172 used,   446832 buff/ca\n"
		  "KiB Swap:  2095100 total,  2092080 free,     1024 used.   512000 avail M\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.mem_free host.mem_available host.mem_used "
		  "host.mem_total host.mem_share host.swap_used host.load\n"
		  NO_DATE "01:48:33.000 - - - - - - - - - - 1.52\n"
		  NO_DATE "01:48:34.000 52.0 37.0 15.0 4.0 50.0 500.0 500.0 1000.0 50.00 1.0 1.06\n", "" },
		/* procps 2: no blank between, caches in the line of swap */
		{ TOP("01:48:34") "\n" TOP("01:48:35") "Cpu(s):  5.2%us,  1.0%sy,  0.0%ni, 93.8%id,  0.0%wa,  0.0%hi,  0.0%si,  0.0%st\n"
		  "Mem:   1024000k total,   819200k used,   204800k free,    102400k buffers\n"
		  "Swap:  1044216k total,        0k used,  1044216k free,   204800k cached\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_used host.mem_total "
		  "host.mem_share host.swap_used host.load\n"
		  NO_DATE "01:48:33.000 - - - - - - - - - - 1.52\n" NO_DATE "01:48:34.000 6.2 5.2 1.0 0.0 0.0 200.0 500.0 1000.0 50.00 0.0 1.52\n", "" },
		/* a number that did not fit */
		{ TOP("01:48:34") "MiB Mem : 1000000.+total, 397615.6 free, 131281.7 used, 516883.9 buff/cache\n"
		  "MiB Swap:  55295.9 total,  33380.7 free,  21915.2 used. 750000.0 avail Mem\n" "\n" TOP("01:48:35") BUSY,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_available "
		  "host.mem_used host.mem_total host.mem_share host.swap_used host.load\n"
		  NO_DATE "01:48:33.000 - - - - - 397615.6 750000.0 250000.0 1000000.0 25.00 21915.2 1.52\n"
		  NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 - - - - - - 1.52\n", "" },
		/* a number whose last digits did not fit: what it was nobody knows, and what is made of it is not told */
		{ TOP("01:48:34") "KiB Mem : 52805676+total,  5242880 free, 50708524+used, 14778832 buff/cache\n"
		  "KiB Swap:  8388608 total,  8388608 free,        0 used. 20971520 avail Mem\n" "\n" TOP("01:48:35") BUSY,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_available host.swap_used "
		  "host.load\n"
		  NO_DATE "01:48:33.000 - - - - - 5120.0 20480.0 0.0 1.52\n"
		  NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 - - - 1.52\n", "" },
		/* memory and swap on one line (top -1 -w): the numbers of swap are none of memory */
		{ TOP("01:48:34") "MiB Mem :  24000.0 total,  14444.7 free,    500.0 used,   9055.3 buff/cache     MiB Swap:     64.0 total,     54.0 "
		  "free,     10.0 used.  18000.0 avail Mem \n\n" TOP("01:48:35") BUSY,
		  HOST_MEMORY NO_DATE "01:48:33.000 - - - - - 14444.7 18000.0 6000.0 24000.0 25.00 10.0 1.52\n"
		  NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 - - - - - - 1.52\n", "" },
		/* in French, and where nobody knows the word for the user's share: what was nice alone is not it */
		{ TOP("01:48:34") "\n" TOP("01:48:35") "%Cpu(s): 63,7 ut, 34,3 sy,  1,0 ni,  1,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n\n" TOP("01:48:36")
		  "%Cpu(s): 63,7 xx, 34,3 sy,  1,0 ni,  1,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.load\n"
		  NO_DATE "01:48:33.000 - - - - - 1.52\n" NO_DATE "01:48:34.000 99.0 64.7 34.3 0.0 0.0 1.52\n"
		  NO_DATE "01:48:35.000 99.0 - 34.3 0.0 0.0 1.52\n", "" },
		/* units of the lines, and of the numbers; shares beyond the whole; a load beyond all; what is cached is part of what is used */
		{ TOP("01:48:34") "GiB Mem :     62.5 total,     14.4 free,      0.5 used,     47.6 buff/cache\n\n"
		  "top - 01:48:35 up  1:02,  1 user,  load average: 1.52\n"
		  "%Cpu(s): 99.0 us, 99.0 sy,  1.0 ni,  0.0 id\n"
		  "TiB Mem :      2.0 total,      1.0 free,      1.0 used,      0.0 buff/cache\n\n"
		  "top - 01:48:36 up  1:02,  1 user,  load average: 9e99, 1.48, 1.63\n"
		  "%Cpu(s): 120.0 us,  0.0 sy,  0.0 ni,  0.0 id\n"
		  "Mem:   64g total,   32g used,  32g free,   2048m buffers\n"
		  "Swap:  0k total,  0k used,  0k free,  1t cached\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used host.load\n"
		  "1970-01-01T01:48:33.000 - - - 14745.6 512.0 64000.0 0.80 - 1.52\n"
		  "1970-01-01T01:48:34.000 100.0 100.0 99.0 1048576.0 1048576.0 2097152.0 50.00 - -\n"
		  "1970-01-01T01:48:35.000 - - - 32768.0 0.0 65536.0 0.00 0.0 -\n", "" },
	};

	CHECK(*state, cases);
}

static void reads_cores(void **state)
{
	static const struct log_case cases[] = {
		{ TOP("01:48:34") "%Cpu0  :  0.0 us,  0.0 sy,  0.0 ni,100.0 id\n%Cpu1  :  0.0 us,  0.0 sy,  0.0 ni,100.0 id\n\n"
		  TOP("01:48:35") "%Cpu0  : 99.0 us,  1.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
				  "%Cpu1  :  1.0 us,  0.0 sy,  0.0 ni, 90.0 id,  8.0 wa,  0.0 hi,  0.0 si,  1.0 st\n",
		  "host: host.load\n" NO_DATE "01:48:33.000 1.52\n" NO_DATE "01:48:34.000 1.52\n"
		  "core0: core.busy\n" NO_DATE "01:48:34.000 100.0\ncore1: core.busy\n" NO_DATE "01:48:34.000 1.0\n", "" },
		/* no core of a kernel has such a number; nothing is known of the core between; its line is cut */
		{ TOP("01:48:34") "\n" TOP("01:48:35") "%Cpu0  :  2.0 us, 98.0 id\n%Cpu2  :  4.0 us, 96.0 id\n%Cpu99999999 :  1.0 us, 99.0 id\n%Cpu3\n%Cpu3:\n",
		  "host: host.load\n"
		  "1970-01-01T01:48:33.000 1.52\n"
		  "1970-01-01T01:48:34.000 1.52\n"
		  "core0: core.busy\n"
		  "1970-01-01T01:48:35.000 2.0\n"
		  "core2: core.busy\n"
		  "1970-01-01T01:48:35.000 4.0\n", "" },
		/* two in a line */
		{ TOP("01:48:34") "\n" TOP("01:48:35") "%Cpu0  :  2.0 us,  1.0 sy, 97.0 id,  0.0 st   %Cpu1  :  5.0 us,  0.0 sy, 95.0 id,  0.0 st\n",
		  "host: host.load\n" NO_DATE "01:48:33.000 1.52\n" NO_DATE "01:48:34.000 1.52\n"
		  "core0: core.busy\n" NO_DATE "01:48:35.000 3.0\ncore1: core.busy\n" NO_DATE "01:48:35.000 5.0\n", "" },
	};

	CHECK(*state, cases);
}

static void a_line_of_date_gives_the_day(void **state)
{
	static const struct log_case cases[] = {
		{ "Sat Nov 21 23:59:59 UTC 2026\n" TOP("00:00:00") MEM,
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share host.load\n"
		  "2026-11-22T00:00:00.000 14444.7 518.8 24000.0 2.16 1.52\n",
		  "top.txt: warning: no-rows: CPU shares of each frame are since boot, as each is the first of its run; log with top -b -d N\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "top.txt", cases[0].log);
	assert_false(rec->clock.date_unknown);
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_string_equal(rec->clock.zone, "UTC");
	assert_true(read_text(logs, "top.txt", TOP("00:00:00") MEM)->clock.date_unknown);
}

/* A zone that nobody can place, a second date, no zone. */
static void a_zone_is_kept_as_it_was_told(void **state)
{
	static const struct {
		const char *log, *zone;
		enum clock_basis basis;
	} cases[] = {
		{ "Sat Nov 21 23:59:59 XYZ 2026\n" TOP("00:00:00") MEM, "XYZ", BASIS_LOCAL },
		{ "Sat Nov 21 23:59:59 UTC 2026\n" TOP("00:00:00") MEM "\nSun Nov 22 00:00:05 XYZ 2026\n" TOP("00:00:06") MEM, "UTC", BASIS_OFFSET },
		{ "Sat Nov 21 23:59:59 2026\n" TOP("00:00:00") MEM, NULL, BASIS_LOCAL },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "top.txt", cases[i].log);
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_true(!rec->clock.zone == !cases[i].zone && (!rec->clock.zone || strcmp(rec->clock.zone, cases[i].zone) == 0));
	}
}

/* top -H: threads of one process may be many, so no single one is the most of a process; a sum stops at what can be. */
static void threads_are_summed(void **state)
{
	static const struct log_case cases[] = {
		{ TOP("01:48:34") "\n" TOP("01:48:35") "Threads: 103 total,   99999999999 running\n" BUSY "\n" LIST PROCESS PROCESS, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.load host.proc.cpu\n"
		  "1970-01-01T01:48:33.000 - - - - - 1.52 -\n"
		  "1970-01-01T01:48:34.000 52.5 37.0 15.5 4.0 0.5 1.52 175.0\n", "" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ TOP("01:48:34") MEM "\n" TOP("01:48:35") BUSY "\n" LIST PROCESS "rubbish\n"
		  "    2 root      20   0    2756   1544   1176 S     x   0.0   0:00.57 systemd\n" PROCESS,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_used host.mem_total "
		  "host.mem_share host.load host.proc.cpu host.proc.cpu_most\n"
		  NO_DATE "01:48:33.000 - - - - - 14444.7 518.8 24000.0 2.16 1.52 - -\n"
		  NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 - - - - 1.52 - -\n",
		  "top.txt:9: warning: bad-row: no process where top lists them; not used\n"
		  "top.txt:10:52: warning: bad-number: 'x' in %CPU is no share; not used\n" },
		/* the list of a cut log is cut, too */
		{ TOP("01:48:34") MEM "\n" TOP("01:48:35") BUSY "\n" LIST PROCESS "   12 root",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_used host.mem_total "
		  "host.mem_share host.load\n" NO_DATE "01:48:33.000 - - - - - 14444.7 518.8 24000.0 2.16 1.52\n"
		  NO_DATE "01:48:34.000 52.5 37.0 15.5 4.0 0.5 - - - - 1.52\n",
		  "top.txt:9: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ TOP("yesterday") MEM, "",
		  "top.txt:1:7: warning: bad-time: a frame without a time of day, expected like 01:48:34; not used\n"
		  "top.txt: warning: no-rows: recognised as top, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_frames, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_cores, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_line_of_date_gives_the_day, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_zone_is_kept_as_it_was_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(threads_are_summed, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
