/*
 * sar_test.c - sar's text: live and replayed, its sections, restarts, averages in any language.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define BANNER "Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(2 CPU)\n"
#define HEAD "     CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
#define HEAD_ALL "  CPU  %usr  %nice  %sys  %iowait  %steal  %irq  %soft  %guest  %gnice  %idle\n"
#define ALL "     all     50.00      1.00      2.50      2.00      3.00     41.50\n"
#define CORE0 "       0     99.00      0.00      1.00      0.00      0.00      0.00\n"
#define QUEUE "      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n"
#define MEMORY "    kbmemfree   kbavail kbmemused\n"
#define DISKS "      DEV       tps     rkB/s     wkB/s   areq-sz     await     %util\n"
#define NET "    IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil\n"
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define VALUES " 53.50 51.00 2.50 2.00 3.00\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "sar.txt", cases[i].log);

		assert_true(!rec || strcmp(rec->format->name, "sar") == 0);
		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* A row's interval begins at the stamp before it; the first at the first header's. */
static void reads_cpu_in_every_layout(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:36" ALL "Average:" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "2026-11-21T01:48:35.000" VALUES, "" },
		{ BANNER "\n09:48:34 PM" HEAD "09:48:35 PM" ALL, HOST "2026-11-21T21:48:34.000" VALUES, "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:35" CORE0,
		  HOST "2026-11-21T01:48:34.000" VALUES "core0: core.busy\n2026-11-21T01:48:34.000 100.00\n", "" },
		/* -u ALL has mpstat's columns, but %steal before %irq */
		{ BANNER "\n01:48:34" HEAD_ALL "01:48:35  all  50.00  1.00  1.50  2.00  3.00  0.40  0.60  0.00  0.00  41.50\n",
		  HOST "2026-11-21T01:48:34.000" VALUES, "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35     all     50,00      1,00      2,50      2,00      3,00     41,50\n"
		  "Durchschn.:     all      2,75      0,00     19,00      0,00      0,00     78,25\n",
		  HOST "2026-11-21T01:48:34.000" VALUES, "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "Moyenne :" ALL, HOST "2026-11-21T01:48:34.000" VALUES, "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\xE5\xB9\xB3\xE5\x9D\x87\xE5\x80\xA4:" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES, "" },
		/* a core that is offline has zeros everywhere: it is not busy */
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:35       1   0.00   0.00   0.00   0.00   0.00   0.00\n",
		  HOST "2026-11-21T01:48:34.000" VALUES "core1: core.busy\n2026-11-21T01:48:34.000 -\n", "" },
	};

	CHECK(*state, cases);
}

static void puts_sections_of_one_time_together(void **state)
{
	static const struct log_case cases[] = {
		/* live: all sections of an interval, then of the next */
		{ BANNER "\n01:48:34" QUEUE "01:48:35  2  434  1.12  0.87  0.50  1\n\n01:48:34" MEMORY "01:48:35  2048  4096  99\n"
		  "\n01:48:35" QUEUE "01:48:36  3  434  1.13  0.87  0.50  0\n\n01:48:35" MEMORY "01:48:36  1024  4096  99\n"
		  "\nAverage:" QUEUE "Average:  2  434  1.12  0.87  0.50  0\n",
		  "host: host.runq host.blocked host.mem_free host.mem_available host.load\n"
		  "2026-11-21T01:48:34.000 2 1 2.00 4.00 1.12\n2026-11-21T01:48:35.000 3 0 1.00 4.00 1.13\n", "" },
		/* replayed: each section from begin to end */
		{ BANNER "\n01:48:34" QUEUE "01:48:35  2  434  1.12  0.87  0.50  1\n01:48:36  3  434  1.13  0.87  0.50  0\n"
		  "Average:  2  434  1.12  0.87  0.50  0\n\n01:48:34" MEMORY "01:48:35  2048  4096  99\n01:48:36  1024  4096  99\n"
		  "Average:  1536  4096  99\n",
		  "host: host.runq host.blocked host.mem_free host.mem_available host.load\n"
		  "2026-11-21T01:48:34.000 2 1 2.00 4.00 1.12\n2026-11-21T01:48:35.000 3 0 1.00 4.00 1.13\n", "" },
		/* a section without metrics is passed over, up to the next header */
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\n01:48:34    proc/s   cswch/s\n01:48:35     12.00   4000.00\n",
		  HOST "2026-11-21T01:48:34.000" VALUES, "" },
	};

	CHECK(*state, cases);
}

static void sums_devices(void **state)
{
	static const struct log_case cases[] = {
		/* without partitions of a disk that is there, too, and without what stacks on disks; the busiest, the mean wait */
		{ BANNER "\n01:48:34" DISKS "01:48:35 sda 1 100.00 20.00 0 4.00 10.00\n01:48:35 sda1 1 100.00 20.00 0 4.00 10.00\n"
		  "01:48:35 nvme0n1 3 7.50 0.00 0 8.00 100.03\n01:48:35 nvme0n1p2 3 7.50 0.00 0 8.00 99.00\n"
		  "01:48:35 dm-0 1 9.00 9.00 0 99.00 99.00\n01:48:35 sdb 0 0.00 1.25 0 0 0\n\n"
		  "01:48:35" DISKS "01:48:36 sda 0 1.00 2.00 0 0 0\n",
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n"
		  "2026-11-21T01:48:34.000 107.50 21.25 100.00 7.00\n2026-11-21T01:48:35.000 1.00 2.00 0.00 -\n", "" },
		/* numbers for names: 8 is a disk with 16 numbers, 253 the device mapper */
		{ BANNER "\n01:48:34" DISKS "01:48:35 dev8-16 1 10 1 0 0 0\n01:48:35 dev8-17 1 10 1 0 0 0\n01:48:35 dev8-32 1 10 1 0 0 0\n"
		  "01:48:35 dev253-0 1 10 1 0 0 0\n\n01:48:35" DISKS "01:48:36 dev253-0 1 10 1 0 0 0\n01:48:36 dev253-1 1 10 1 0 0 0\n",
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n"
		  "2026-11-21T01:48:34.000 20 2 0 0.00\n2026-11-21T01:48:35.000 20 2 0 0.00\n", "" },
		/* older heads count sectors of 512 bytes */
		{ BANNER "\n01:48:34  DEV  tps  rd_sec/s  wr_sec/s\n01:48:35  dev8-0  1  100.00  20.00\n",
		  "host: host.disk_read host.disk_write\n2026-11-21T01:48:34.000 50.00 10.00\n", "" },
		{ BANNER "\n01:48:34" NET "01:48:35 lo 1 1 500.00 500.00 0\n01:48:35 eth0 1 1 10.50 2.00 0\n01:48:35 ib0 1 1 100.00 4.00 0\n",
		  "host: host.net_rx host.net_tx\n2026-11-21T01:48:34.000 110.50 6.00\n", "" },
		/* without one device the sum is not known */
		{ BANNER "\n01:48:34" NET "01:48:35 eth0 1 1 10.50 2.00 0\n01:48:35 ib0 1 1 x 4.00 0\n"
		  "\n01:48:35" NET "01:48:36 eth0 1 1 10.50 2.00 0\n01:48:36 ib0 1 1 1.00 4.00 0\n",
		  "host: host.net_rx host.net_tx\n2026-11-21T01:48:34.000 - -\n2026-11-21T01:48:35.000 11.50 6.00\n",
		  "sar.txt:5:18: warning: bad-number: 'x' in rxkB/s is no number; row not used\n" },
		/* no empty line between two times; a sum that is not known; a row with a number too many */
		{ BANNER "\n01:48:34" NET "01:48:35 eth0 1 1 10.50 2.00 0\n01:48:36 eth0 1 1 11.50 2.00 0\n01:48:37 eth0 1 1 1 2.00 0 9\n"
		  "01:48:37 eth0 1 1 12.50 2.00 0\n01:48:38 lo 1 1 1 2.00 0\n", "host: host.net_rx host.net_tx\n"
		  "2026-11-21T01:48:34.000 10.50 2.00\n"
		  "2026-11-21T01:48:35.000 11.50 2.00\n"
		  "2026-11-21T01:48:36.000 - -\n", "sar.txt:6: warning: bad-row: 7 numbers where the header has 6; row not used\n" },
		/* disks whose sums leave what can be; waits are long, too */
		{ BANNER "\n01:48:34" DISKS "01:48:35 sda 1 99999999999.00 20.00 0 99999999999.00 200.00\n", "host: host.disk_read host.disk_write host.disk_await\n"
		  "2026-11-21T01:48:34.000 99999999999.00 20.00 99999999999.00\n", "" },
		/* disk traffic is told in several ways: the first is kept */
		{ BANNER "\n01:48:34  tps  rtps  wtps  bread/s  bwrtn/s\n01:48:35  1  1  1  200.00  40.00\n"
		  "\n01:48:34" DISKS "01:48:35 sda 1 999.00 999.00 0 0 0\n",
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n2026-11-21T01:48:34.000 100.00 20.00 0 0.00\n", "" },
		{ BANNER "\n01:48:34  pswpin/s pswpout/s\n01:48:35  2.50  1.00\n",
		  "host: host.swap_in host.swap_out\n2026-11-21T01:48:34.000 10.00 4.00\n", "" },
	};

	CHECK(*state, cases);
}

#define HELD "  kbmemfree  kbavail  kbmemused  %memused  kbbuffers  kbcached  kbcommit"
#define HELD_OLD "  kbmemfree  kbmemused  %memused  kbbuffers  kbcached  kbcommit"

static void tells_what_programs_hold(void **state)
{
	static const struct log_case cases[] = {
		/* until 12.1.4: free and used make up all memory */
		{ BANNER "\n01:48:34" HELD "\n01:48:35  2048000  6144000  8192000  80.00  102400  3072000  1\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 6000.00 4000.00 10000.00 40.00\n", "" },
		/* of a release without kbavail */
		{ BANNER "\n01:48:34" HELD_OLD "\n01:48:35  2048000  8192000  80,00  1024000  3072000  1\n",
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 4000.00 10000.00 40.00\n", "" },
		/* since 11.7.4: used without caches; what there is can't be known exactly */
		{ BANNER "\n01:48:34" HELD "\n01:48:35  2048000  6144000  4096000  40.00  1024000  3072000  1\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 6000.00 4000.00 40.00\n", "" },
		/* so little is used that both would fit, but caches are more */
		{ BANNER "\n01:48:34" HELD "\n01:48:35  129247528  131227472  483852  0.37  24424  2164616  1\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_share\n"
		  "2026-11-21T01:48:34.000 126218.29 128151.83 472.51 0.37\n", "" },
		/* but with slabs */
		{ BANNER "\n01:48:34" HELD "  kbslab\n01:48:35  2048000  6144000  4096000  40.00  1024000  2048000  1  1024000\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 6000.00 4000.00 10000.00 40.00\n", "" },
		{ BANNER "\n01:48:34  kbswpfree  kbswpused  %swpused\n01:48:35  2048  1024  33.33\n",
		  "host: host.swap_used\n2026-11-21T01:48:34.000 1.00\n", "" },
		/* the way was seen; then caches are not told, or are more than what is used, or nothing is told at all */
		{ BANNER "\n01:48:34" HELD_OLD "\n01:48:35  2048000  8192000  80.00  1024000  3072000  1\n"
		  "01:48:36  2048000  8192000  80.00  9024000  3072000  1\n01:48:37  0  0  0.00  0  0  1\n"
		  "\n01:48:37  kbmemfree  kbmemused  %memused\n01:48:38  2048000  8192000  80.00\n", "host: host.mem_free host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 4000.00 10000.00 40.00\n"
		  "2026-11-21T01:48:35.000 2000.00 - 10000.00 -\n"
		  "2026-11-21T01:48:36.000 0.00 0.00 - -\n"
		  "2026-11-21T01:48:37.000 2000.00 - 10000.00 -\n", "" },
		/* more available than there is: not that way, then */
		{ BANNER "\n01:48:34" HELD "\n01:48:35  2048000  99999999  8192000  80.00  102400  3072000  1\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 2000.00 97656.25 4900.00 10000.00 49.00\n", "" },
	};

	CHECK(*state, cases);
}

/* A replayed file tells of a restart in each of its sections. */
static void restarts_and_remarks_are_events(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "sar.txt",
		BANNER "\n01:40:00     LINUX RESTART\t(8 CPU)\n01:41:00     COM run A starts\n\n01:48:34" HEAD "01:48:35" ALL "Average:" ALL
		"\n01:40:00     LINUX RESTART\t(8 CPU)\n01:41:00     COM run A starts\n\n01:48:34" QUEUE
		"01:48:35  2  434  1.12  0.87  0.50  1\n");

	assert_int_equal(rec->n_events, 2);
	assert_int_equal(rec->events[0].kind, EVENT_RESTART);
	assert_string_equal(time_iso(&logs->mem, rec->events[0].t), "2026-11-21T01:40:00.000Z");
	assert_string_equal(rec->events[0].text, "LINUX RESTART (8 CPU)");
	assert_int_equal(rec->events[1].kind, EVENT_COMMENT);
	assert_string_equal(time_iso(&logs->mem, rec->events[1].t), "2026-11-21T01:41:00.000Z");
	assert_string_equal(rec->events[1].text, "run A starts");
}

/* More processes than a host has, a core that no kernel numbers so, a share beyond the whole. */
static void knows_what_can_not_be(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" QUEUE "01:48:35  99999999  434  1.12  0.87  0.50  1\n", "host: host.runq host.blocked host.load\n"
		  "2026-11-21T01:48:34.000 - 1 1.12\n", "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35   70000   50.00      1.00      2.50      2.00      3.00     41.50\n01:48:35" ALL, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-21T01:48:34.000 53.50 51.00 2.50 2.00 3.00\n", "sar.txt:4:12: warning: bad-row: '70000' is neither 'all' nor a core; row not used\n" },
		{ BANNER "\n01:48:34" HEAD "01:48:35   all   50.00      1.00      2.50      2.00      3.00     141.50\n01:48:36" ALL, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-21T01:48:34.000 53.50 51.00 2.50 2.00 3.00\n", "sar.txt:4:68: warning: bad-number: '141.50' in %idle is no share; row not used\n" },
	};

	CHECK(*state, cases);
}

static void sees_midnight_pass(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n23:59:58" HEAD "23:59:59" ALL "00:00:00" ALL,
		  HOST "2026-11-21T23:59:58.000" VALUES "2026-11-21T23:59:59.000" VALUES, "" },
		/* live: the header of the next section is a second back, before midnight again */
		{ BANNER "\n23:59:59" HEAD "00:00:00" ALL "\n23:59:59" QUEUE "00:00:00  2  434  1.12  0.87  0.50  1\n"
		  "\n00:00:00" HEAD "00:00:01" ALL,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.blocked host.load\n"
		  "2026-11-21T23:59:59.000 53.50 51.00 2.50 2.00 3.00 2 1 1.12\n"
		  "2026-11-22T00:00:00.000 53.50 51.00 2.50 2.00 3.00 - - -\n", "" },
		/* replayed: a section begins before midnight where the one before it ended after */
		{ BANNER "\n23:59:59" HEAD "00:00:00" ALL "00:00:01" ALL "Average:" ALL
		  "\n23:59:59" QUEUE "00:00:00  2  434  1.12  0.87  0.50  1\n00:00:01  2  434  1.12  0.87  0.50  1\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.blocked host.load\n"
		  "2026-11-21T23:59:59.000 53.50 51.00 2.50 2.00 3.00 2 1 1.12\n"
		  "2026-11-22T00:00:00.000 53.50 51.00 2.50 2.00 3.00 2 1 1.12\n", "" },
		/* replayed: a section that begins in the morning after one that ended at night is no new day */
		{ BANNER "\n00:10:00" HEAD "12:00:00" ALL "23:50:00" ALL "Average:" ALL
		  "\n00:10:00" MEMORY "12:00:00  2048  4096  99\n23:50:00  1024  4096  99\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_available\n"
		  "2026-11-21T00:10:00.000 53.50 51.00 2.50 2.00 3.00 2.00 4.00\n"
		  "2026-11-21T12:00:00.000 53.50 51.00 2.50 2.00 3.00 1.00 4.00\n", "" },
		/* the end of daylight saving is an hour back, not a day on: what follows is the next hour */
		{ BANNER "\n02:59:57" HEAD "02:59:58" ALL "02:59:59" ALL "02:00:00" ALL,
		  HOST "2026-11-21T02:59:57.000" VALUES "2026-11-21T02:59:58.000" VALUES "2026-11-21T02:59:59.000" VALUES, "" },
		/* replayed over that night: each section goes through the doubled hour, and its rows are found again */
		{ BANNER "\n01:00:00" HEAD "01:50:00" ALL "02:40:00" ALL "02:30:00" ALL "03:20:00" ALL "Average:" ALL
		  "\n01:00:00" QUEUE "01:50:00  1  434  1.12  0.87  0.50  1\n02:40:00  2  434  1.12  0.87  0.50  1\n"
		  "02:30:00  3  434  1.12  0.87  0.50  1\n03:20:00  4  434  1.12  0.87  0.50  1\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.blocked host.load\n"
		  "2026-11-21T01:00:00.000 53.50 51.00 2.50 2.00 3.00 1 1 1.12\n"
		  "2026-11-21T01:50:00.000 53.50 51.00 2.50 2.00 3.00 2 1 1.12\n"
		  "2026-11-21T02:40:00.000 53.50 51.00 2.50 2.00 3.00 3 1 1.12\n"
		  "2026-11-21T03:30:00.000 53.50 51.00 2.50 2.00 3.00 4 1 1.12\n", "" },
	};

	CHECK(*state, cases);
}

static void passes_over_restarts_and_comments(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:00:00     LINUX RESTART\t(2 CPU)\n01:00:05     COM run A starts 5 workers\n\n01:48:34" HEAD "01:48:35" ALL
		  "\n01:48:36     LINUX RESTART\t(4 CPU)\n\n01:48:37" HEAD "01:48:38" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "2026-11-21T01:48:35.000" VALUES, "" },
		/* each section of a daily file begins with the restart; what follows it goes on with the day */
		{ BANNER "\n08:00:00     LINUX RESTART\t(2 CPU)\n\n08:00:01" HEAD "23:00:00" ALL "Average:" ALL
		  "\n08:00:00     LINUX RESTART\t(2 CPU)\n\n08:00:01" MEMORY "23:00:00  2048  4096  99\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.mem_free host.mem_available\n"
		  "2026-11-21T08:00:01.000 53.50 51.00 2.50 2.00 3.00 2.00 4.00\n", "" },
	};

	CHECK(*state, cases);
}

/* One `sar 1 1` now and then by cron, all into one file, with a line from date(1) between. */
static void follows_several_banners(void **state)
{
	static const struct log_case cases[] = {
		{ "Tue Nov 21 09:00:01 UTC 2026\n" BANNER "\n23:00:00" HEAD "23:00:01" ALL "Average:" ALL
		  "Mon Nov 23 00:30:00 UTC 2026\nLinux 6.18.44 (node01) \t11/23/26 \t_x86_64_\t(2 CPU)\n\n"
		  "00:30:00" HEAD "00:30:01" ALL "Average:" ALL,
		  HOST "2026-11-21T23:00:00.000" VALUES "2026-11-21T23:00:01.000" VALUES, "" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "rubbish\n01:48:36     all   50.00\n01:48:36     all\n"
		  "01:48:36     abc     50.00      1.00      2.50      2.00      3.00     41.50\n"
		  "01:48:36     all     50.00      x      2.50      2.00      3.00     41.50\n"
		  "01:48:36     all     5000.00      1.00      2.50      2.00      3.00     41.50\n01:48:37" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "2026-11-21T01:48:35.000" VALUES,
		  "sar.txt:5: warning: bad-row: the line does not begin with a time; not used (3 more like this)\n"
		  "sar.txt:9:33: warning: bad-number: 'x' in %nice is no share; row not used (1 more like this)\n" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:36     all     50.0",
		  HOST "2026-11-21T01:48:34.000" VALUES,
		  "sar.txt:5: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ BANNER "\n01:48:34" HEAD, "", "sar.txt: warning: no-rows: recognised as sar, but no row could be used\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "sar.txt",
		"$ sar -A 1\n" BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:35" CORE0 "rubbish\n\n01:48:34" QUEUE
		"01:48:35  2  434  1.12  0.87  0.50  1\n\n01:48:34" DISKS "01:48:35 sda 1 1.00 1.00 0 0 0\n01:48:35 sdb 1 1.00 1.00 0 0 0\n"
		"\nAverage:" HEAD "Average:" ALL "01:4");

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);      /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 14); /* prompt, banner, 4 blanks, 3 heads, 2 averages, 3 that add to a row */
	assert_int_equal(rec->n_doubles, 0);
	assert_string_equal(rec->host, "node01");
	assert_true(rec->cut);
}

/* mpstat has %irq before %steal; sar after. */
static void leaves_mpstat_its_own(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "mpstat.txt",
		BANNER "\n01:48:34  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
		"01:48:35  all   50.06    1.00    1.75    2.00    0.10    0.06    3.00    0.00    0.00   42.03\n");

	assert_string_equal(rec->format->name, "mpstat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_cpu_in_every_layout, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(puts_sections_of_one_time_together, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(sums_devices, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_what_programs_hold, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(restarts_and_remarks_are_events, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_what_can_not_be, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(sees_midnight_pass, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(passes_over_restarts_and_comments, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(follows_several_banners, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_mpstat_its_own, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
