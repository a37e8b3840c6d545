/*
 * atop_p_test.c - atop -P: fields by label, groups, what RESET announces, sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define LINE(label, second, rest) label " node01 17952284" second " 2026/11/20 21:34:00 " rest "\n"
#define RESET "RESET\n" LINE("CPU", "60", "3746 100 2 4 2 1 4 2 0 1 4") "SEP\n"
#define BUSY LINE("CPU", "61", "1 100 2 18 110 6 64 1 0 1 0")
#define SHARES "host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal"

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

static void fields_are_known_by_their_label(void **state)
{
	static const struct log_case cases[] = {
		/* 200 ticks: 135 of work, 64 idle, 1 wait */
		{ RESET BUSY "SEP\n", "host: " SHARES "\n02:34:20.000 67.50 58.00 9.50 0.50 0.00\n", "" },
		{ RESET LINE("cpu", "61", "1 100 0 10 85 0 5 0 0 0 0 0 2100 100 0 0")
		  LINE("cpu", "61", "1 100 11 0 0 0 90 0 0 0 10 0") "SEP\n",
		  "host:\n02:34:20.000\ncore0: core.busy\n02:34:20.000 95.00\ncore11: core.busy\n02:34:20.000 0.00\n", "" },
		/* no steal before 2.6.11 */
		{ RESET LINE("CPU", "61", "1 100 1 10 20 0 65 5 0 0") "SEP\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n02:34:20.000 30.00 20.00 10.00 5.00\n", "" },
		/* 4096 pages of 4 KiB: 1024 free, 512 cache, 256 buffers, 128 slab of which 64 can be given back */
		{ RESET LINE("CPL", "61", "1 2 1.25 1.48 1.63 99 98") LINE("MEM", "61", "1 4096 4096 1024 512 256 128 9 64 0")
		  LINE("SWP", "61", "1 4096 1024 512 0 77 88") LINE("PAG", "61", "1 4096 5 0 0 2 3") "SEP\n",
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used host.swap_in host.swap_out host.load\n"
		  "02:34:20.000 4.000 8.750 16.000 54.688 2.000 8.0 12.0 1.25\n", "" },
		/* sums over two seconds; upper layers and lo are no interfaces, LVM is counted on its disks */
		{ RESET LINE("DSK", "62", "2 sda 500 10 4096 20 8192 0 0") LINE("DSK", "62", "2 sdb 2100 0 0 1 4 0 0")
		  LINE("LVM", "62", "2 vg 9 10 4096 20 8192") LINE("NET", "62", "2 upper 1 2 3 4 5 6 7 8")
		  LINE("NET", "62", "2 lo 1 99999 1 99999 0 0") LINE("NET", "62", "2 eth0 5 2048 6 4096 10000 1")
		  LINE("NET", "62", "2 eth1 5 2048 6 0 10000 1") "SEP\n",
		  "host: host.disk_read host.disk_write host.disk_util host.net_rx host.net_tx\n"
		  "02:34:20.000 1024.0 2049.0 100.0 2.0 2.0\n", "" },
	};

	CHECK(*state, cases);
}

static void groups_end_with_sep_or_time(void **state)
{
	static const struct log_case cases[] = {
		/* without RESET the first may be one, too */
		{ LINE("CPL", "60", "3746 2 9.0 1 1") "SEP\n" LINE("CPL", "61", "1 2 1.0 1 1") "SEP\n" LINE("CPL", "62", "1 2 2.0 1 1"),
		  "host: host.load\n02:34:20.000 1.00\n02:34:21.000 2.00\n", "" },
		/* somebody took SEP and RESET out */
		{ LINE("CPL", "60", "3746 2 9.0 1 1") LINE("DSK", "61", "1 sda 10 0 2 0 0") LINE("DSK", "62", "1 sda 500 0 4 0 0"),
		  "host: host.disk_read host.disk_write host.disk_util\n02:34:20.000 1.0 0.0 1.0\n02:34:21.000 - - -\n", "" },
		/* the logger was started again */
		{ RESET LINE("CPL", "61", "1 2 1.0 1 1") "SEP\nRESET\n" LINE("CPL", "65", "3755 2 9.0 1 1") "SEP\n"
		  LINE("CPL", "66", "1 2 2.0 1 1") "SEP\n",
		  "host: host.load\n02:34:20.000 1.00\n02:34:21.000 2.00\n", "" },
		{ RESET, "", "atop.txt: warning: no-rows: recognised as atop-p, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_what_it_can_not_use(void **state)
{
	static const struct log_case cases[] = {
		{ RESET BUSY "CPU node02 1795228461 2026/11/20 21:34:00 1 100 2 0 0 0 0 0 0 0 0\nSEP\n",
		  "host: " SHARES "\n02:34:20.000 67.50 58.00 9.50 0.50 0.00\n",
		  "atop.txt:5: warning: bad-row: a row of another host in a log of 'node01'; not used\n" },
		{ RESET BUSY LINE("CPL", "61", "1 2 x 1 1") LINE("MEM", "61", "1 4096 -1 2 3")
		  LINE("cpu", "61", "1 100 999999 1 1 1 1 1 1 1")
		  LINE("SWP", "61", "1") LINE("PAG", "61", "1 9999999999 1 1 1 1 1") LINE("DSK", "61", "1 sda")
		  LINE("NET", "61", "1") "SEP\n",
		  "host: " SHARES "\n02:34:20.000 67.50 58.00 9.50 0.50 0.00\n",
		  "atop.txt:5: warning: bad-row: a line CPL without the numbers that atop writes there; not used (6 more like this)\n" },
		/* an interval of no length has shares, but no rates */
		{ RESET LINE("CPU", "61", "0 100 1 0 50 0 50 0 0 0 0") LINE("DSK", "61", "0 sda 10 0 2 0 0") "SEP\n",
		  "host: " SHARES " host.disk_read host.disk_write host.disk_util\n02:34:21.000 50.00 50.00 0.00 0.00 0.00 - - 0.0\n", "" },
		/* numbers that no machine has */
		{ RESET LINE("MEM", "61", "1 1000000000000000 1000000000000000 0 0 0") LINE("SWP", "61", "1 4096 1 2")
		  LINE("NET", "61", "1 eth0 1 1000000000000000 1 1000000000000000")
		  LINE("NET", "61", "1 eth1 1 1000000000000000 1 1000000000000000") "SEP\n",
		  "host: host.mem_free host.mem_used host.mem_total host.swap_used host.net_rx host.net_tx\n"
		  "02:34:20.000 0.000 - - - 976562500000.0 976562500000.0\n", "" },
		{ RESET BUSY "SEP\nCPU node01 1795228462 2026/11/20 21:34:00 1 100 2 9",
		  "host: " SHARES "\n02:34:20.000 67.50 58.00 9.50 0.50 0.00\n",
		  "atop.txt:6: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};

	CHECK(*state, cases);
}

static void a_name_that_can_be_none_is_of_no_other_host(void **state)
{
	static const struct log_case cases[] = {
		{ "RESET\nCPL n\xff 1795228461 2026/11/20 21:34:00 1 2 1.00 1 1 1 1\nSEP\n"
		  "CPL n\xff 1795228462 2026/11/20 21:34:00 1 2 1.25 1 1 1 1\nSEP\n",
		  "host: host.load\n02:34:21.000 1.25\n", "" },
	};

	CHECK(*state, cases);
}

static void epochs_are_utc(void **state)
{
	const struct recording *rec = read_text(*state, "atop.txt", RESET BUSY);

	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, 0);
	assert_string_equal(rec->host, "node01");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(fields_are_known_by_their_label), TEST(groups_end_with_sep_or_time), TEST(leaves_out_what_it_can_not_use),
		TEST(a_name_that_can_be_none_is_of_no_other_host), TEST(epochs_are_utc),
	};

	return cmocka_run_group_tests_name("atop-P", tests, NULL, NULL);
}
