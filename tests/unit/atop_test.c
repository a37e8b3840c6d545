/*
 * atop_test.c - atop's screens: sums over cores, cells by their word, what a screen hides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define SCREEN(time) "\n\nATOP - node01        2026/11/20  21:34:" time "       ------          1s elapsed\n"
#define BOOT SCREEN("20") "cpu | sys 1% | user 1% | irq 0% | idle 98% | cpu003 w 0% |\n *** system and process activity since boot ***\n"
#define PROCESSES "\n  PID  SYSCPU  USRCPU  VGROW  RGROW RUID      THR ST EXC S  CPU CMD            \n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "atop.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define SHARES "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait"

static void sums_become_shares(void **state)
{
	static const struct log_case cases[] = {
		/* four cores, by the highest that was ever seen */
		{ BOOT SCREEN("21") "CPU | sys      20% | user    100% | irq      20% | idle    200% | wait     60% |\n" PROCESSES
		  SCREEN("22") "CPU | sys       0% | user      0% | irq       0% | idle    400% | wait      0% |\n",
		  SHARES "\n21:34:20.000 35 25 10 15\n21:34:21.000 0 0 0 0\n", "" },
		/* numcpu says 8; what lacks is steal that is not shown, and not busy */
		{ BOOT SCREEN("21") "CPU | sys      40% | user    200% | irq       0% | idle    400% | wait      0% |\n"
				    "CPL | numcpu     8 | avg1    1.52 | avg5    1.48 |\n",
		  SHARES " host.load\n21:34:20.000 30 25 5 0 1.52\n", "" },
		/* steal is shown */
		{ BOOT SCREEN("21") "CPU | sys 40% | user 160% | irq 0% | idle 160% | wait 0% | steal 40% | guest 7% | curf 2.30GHz |\n",
		  SHARES " host.cpu.steal\n21:34:20.000 50 40 10 0 10\n", "" },
		/* nothing says how many cores there are: shares of the sum */
		{ SCREEN("20") SCREEN("21") "CPU | sys 10% | user 40% | irq 0% | idle 150% | wait 0% |\n",
		  SHARES "\n21:34:20.000 25 20 5 0\n", "" },
		/* cores; one is hidden in the second screen */
		{ BOOT SCREEN("21") "cpu | sys 10% | user 80% | irq 0% | idle 10% | cpu000 w 0% |\n"
				    "cpu | sys 0% | user 0% | irq 1% | idle 95% | cpu003 w  4% |\n"
		  SCREEN("22") "cpu | sys 0% | user 50% | irq 0% | idle 49% | cpu000 w 1% |\n",
		  "host:\n21:34:20.000\n21:34:21.000\ncore0: core.busy\n21:34:20.000 90\n21:34:21.000 50\n"
		  "core3: core.busy\n21:34:20.000 1\n21:34:21.000 -\n", "" },
		/* hidden for three screens: without a value at both ends */
		{ BOOT SCREEN("21") "cpu | sys 90% | user 0% | irq 0% | idle 10% | cpu000 w 0% |\n" SCREEN("22") SCREEN("23") SCREEN("24")
		  SCREEN("25") "cpu | sys 50% | user 0% | irq 0% | idle 50% | cpu000 w 0% |\n",
		  "host:\n21:34:20.000\n21:34:21.000\n21:34:22.000\n21:34:23.000\n21:34:24.000\n"
		  "core0: core.busy\n21:34:20.000 90\n21:34:21.000 -\n21:34:22.000 -\n21:34:24.000 50\n", "" },
	};

	CHECK(*state, cases);
}

static void reads_memory_disks_and_net(void **state)
{
	static const struct log_case cases[] = {
		{ BOOT SCREEN("21")
		  "MEM | tot     8.0G | free    4.0G | cache   1.0G | buff  512.0M | slab  175.7M |\n"
		  "SWP | tot     2.0G | free    1.5G |              | vmcom   8.9G | vmlim  31.4G |\n"
		  "LVM |     vg-root  | busy     99% | read       0 | write    380 | avio 0.17 ms |\n"
		  "DSK |          sda | busy      6% | read       0 | write    380 | avio 0.17 ms |\n"
		  "DSK |      nvme0n1 | busy    101% | read       0 | write    380 | avio 0.17 ms |\n"
		  "NET | transport    | tcpi      48 | tcpo      75 | udpi       0 | udpo       0 |\n"
		  "NET | eth0      0% | pcki      48 | pcko      42 | si 8192 bps  | so 1024 Kbps |\n"
		  "NET | eth1      0% | pcki      48 | pcko      42 | si 2048 Kbps | so    0 Kbps |\n"
		  "NET | lo      ---- | pcki      48 | pcko      42 | si    9 Gbps | so    9 Gbps |\n" PROCESSES,
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used host.disk_util host.net_rx host.net_tx\n"
		  "21:34:20.000 4096.000 2560.000 8192.000 31.250 512.000 100 251 125\n", "" },
		/* a wide screen tells what of the slab can be given back */
		{ BOOT SCREEN("21") "MEM | tot 8.0G | free 4.0G | cache 1.0G | dirty 0.1M | buff 512.0M | slab 175.7M | slrec 512.0M |\n",
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share\n21:34:20.000 4096.000 2048.000 8192.000 25.000\n", "" },
		/* cut before all disks were told: no sums */
		{ BOOT SCREEN("21") "CPL | avg1    0.25 |\nDSK |          sda | busy      6% |\nDSK |     nvme",
		  "host: host.load\n21:34:20.000 0.25\n",
		  "atop.txt:11: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_what_it_can_not_use(void **state)
{
	static const struct log_case cases[] = {
		{ BOOT, "",
		  "atop.txt: warning: no-rows: atop's first screen only, which is an average since boot; log with an interval: atop -P "
		  "CPU,cpu,MEM,CPL 1\n" },
		{ BOOT SCREEN("21") "CPL | avg1 1.00 |\n" BOOT SCREEN("22") "CPL | avg1 2.00 |\n",
		  "host: host.load\n21:34:20.000 1.00\n21:34:21.000 2.00\n", "" },
		{ BOOT SCREEN("21") "CPL | avg1 1.00 |\nATOP - node02 2026/11/20 21:34:22 - 1s elapsed\nCPL | avg1 9.00 |\n",
		  "host: host.load\n21:34:20.000 1.00\n",
		  "atop.txt:10: warning: bad-row: a screen of another host in a log of 'node01'; not used\n" },
		/* nothing of this is a number that a screen has */
		{ BOOT SCREEN("21") "CPU | sys x% | user -1% | irq | idle 99999999999% | wait |\ncpu | idle 1% | cpu999999 w 1% |\ncpu |\n"
				    "CPL | numcpu 99999999 | avg1 -1 |\nMEM | tot -8.0G | free 8 | cache G | buff 1P |\nSWP |\nDSK |\n"
				    "NET |\nNET | eth0 | si 5 | so Kbps |\nABC | x |\n",
		  "host:\n21:34:20.000\n", "" },
	};

	CHECK(*state, cases);
}

static void times_are_local(void **state)
{
	const struct recording *rec = read_text(*state, "atop.txt", BOOT SCREEN("21") "CPL | avg1 1.00 |\n");

	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_string_equal(rec->host, "node01");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(sums_become_shares), TEST(reads_memory_disks_and_net), TEST(leaves_out_what_it_can_not_use), TEST(times_are_local),
	};

	return cmocka_run_group_tests_name("atop", tests, NULL, NULL);
}
