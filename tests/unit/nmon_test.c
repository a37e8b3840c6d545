/*
 * nmon_test.c - nmon's files: sections by their heads, marks of time, disks and interfaces summed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define FACTS "AAA,progname,nmon16m\nAAA,version,16m\nAAA,host,node01\n"
#define HEADS \
	"CPU001,CPU 1 node01,User%,Sys%,Wait%,Idle%,Steal%\nCPU_ALL,CPU Total node01,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs\n" \
	"MEM,Memory MB node01,memtotal,hightotal,lowtotal,swaptotal,memfree,highfree,lowfree,swapfree,memshared,cached,active,bigfree," \
	"buffers,swapcached,inactive\n" \
	"PROC,Processes node01,Runnable,Blocked,pswitch\nNET,Network I/O node01,lo-read-KB/s,eth0-read-KB/s,eth1-read-KB/s," \
	"lo-write-KB/s,eth0-write-KB/s,eth1-write-KB/s,\nDISKBUSY,Disk %Busy node01,sda,sda1,nvme0n1,nvme0n1p2,dm-0\n" \
	"DISKREAD,Disk Read KB/s node01,sda,sda1,nvme0n1,nvme0n1p2,dm-0\nDISKWRITE,Disk Write KB/s node01,sda,sda1,nvme0n1,nvme0n1p2," \
	"dm-0\nDISKREADSERV,Disk Read Service Time msec/xfer node01,sda\n"
#define MARK(n, time) "ZZZZ,T000" n ",21:34:" time ",20-NOV-2026\n"
#define FIRST FACTS HEADS MARK("1", "25") "CPU_ALL,T0001,1,1,0,98,0,,2\n"
#define SHARES "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "node01.nmon", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_every_section(void **state)
{
	static const struct log_case cases[] = {
		/* the first is left out; core 1 is core 0 here */
		{ FIRST MARK("2", "26") "CPU001,T0002,60.5,2.0,0.5,36.0,1.0\nCPU002,T0002,0,0,0,100,0\n"
		  "CPU_ALL,T0002,30.0,2.0,0.5,66.5,1.0,,2\n",
		  SHARES "\n2026-11-20T21:34:25.000 32.0 30.0 2.0 0.5 1.0\ncore0: core.busy\n2026-11-20T21:34:25.000 62.5\n"
		  "core1: core.busy\n2026-11-20T21:34:25.000 0.0\n", "" },
		/* old versions have no Steal% but an empty Busy */
		{ FIRST MARK("2", "26") "CPU_ALL,T0002,30.0,2.0,0.5,67.5,,2\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n2026-11-20T21:34:25.000 32.0 30.0 2.0 0.5\n", "" },
		{ FIRST MARK("2", "26")
		  "MEM,T0002,8192.0,-0.0,-0.0,1024.0,4096.0,-0.0,-0.0,512.0,-0.0,1024.0,99.0,-1.0,512.0,0.0,5584.0\n"
		  "PROC,T0002,3,1,9999\n",
		  "host: host.runq host.blocked host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used\n"
		  "2026-11-20T21:34:25.000 3 1 4096.000 2560.000 8192.000 31.250 512.000\n", "" },
		/* lo, partitions and device-mapper are not counted */
		{ FIRST MARK("2", "26") "NET,T0002,1000.0,1.5,2.0,1000.0,3.0,0.5,\nDISKBUSY,T0002,50.0,51.0,101.0,1.0,99.0\n"
				        "DISKREAD,T0002,10.0,9.0,1.0,1.0,11.0\n"
				        "DISKWRITE,T0002,0.0,0.0,2.5,2.0,2.5\nDISKREADSERV,T0002,777\n",
		  "host: host.disk_read host.disk_write host.disk_util host.net_rx host.net_tx\n"
		  "2026-11-20T21:34:25.000 11.0 2.5 100.0 3.5 3.5\n", "" },
	};

	CHECK(*state, cases);
}

static void leaves_out_what_it_can_not_use(void **state)
{
	static const struct log_case cases[] = {
		{ FIRST, "", "node01.nmon: warning: no-rows: recognised as nmon, but no row could be used\n" },
		{ FIRST MARK("2", "26") "PROC,T0002,3,1,9999\nZZZZ,T0003,25:34:26,20-NOV-2026\nPROC,T0003,4,1,9999\n" MARK("4", "27")
		  "PROC,T0004,5,1,9999\nPROC,T0009,6,6,6\nPROC,T0004,7",
		  "host: host.runq host.blocked\n2026-11-20T21:34:25.000 3 1\n2026-11-20T21:34:26.000 5 1\n",
		  "node01.nmon:17: warning: bad-time: no mark like ZZZZ,T0001,21:34:25,20-NOV-2026; the snapshot is not used\n"
		  "node01.nmon:22: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ FIRST MARK("2", "26") "CPU_ALL,T0002,x,500,0.5,67.5,0,,2\nMEM,T0002\n"
		  "PROC,T0002,-1,99999999\nDISKREAD,T0002,-1,,,,\nNET,T0002,y\n",
		  SHARES "\n2026-11-20T21:34:25.000 32.0 - - 0.5 0.0\n",
		  "node01.nmon:16: warning: bad-number: 'x' is no share of the CPU's time (1 more like this)\n" },
		{ FACTS "ZZZZ\nZZZZ,T1,21:34:25,31-FEB-2026\nZZZZ,T1,21:34:25,01-XYZ-2026\nZZZZ,T1,21:34:25,1-NOV-2026\n", "",
		  "node01.nmon:4: warning: bad-time: no mark like ZZZZ,T0001,21:34:25,20-NOV-2026; the snapshot is not used (3 more like "
		  "this)\nnode01.nmon: warning: no-rows: recognised as nmon, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void times_are_local(void **state)
{
	const struct recording *rec = read_text(*state, "node01.nmon", FIRST MARK("2", "26") "PROC,T0002,3,1,9\n");

	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_string_equal(rec->host, "node01");
	assert_string_equal(rec->tool, "nmon 16m");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(reads_every_section),
		TEST(leaves_out_what_it_can_not_use),
		TEST(times_are_local),
	};

	return cmocka_run_group_tests_name("nmon", tests, NULL, NULL);
}
