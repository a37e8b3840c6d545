/* free_test.c - free -s: units, releases, tables with and without dates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HEAD "               total        used        free      shared  buff/cache   available\n"
#define ROW "Mem:        10240000      102400     4096000        7368     1025864     8192000\n"
#define SWAP "Swap:        1048576       10240     1038336\n\n"
#define HOST "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share"
#define SIZES " 4000.0 8000.0 2000.0 10000.0 20.00"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "free.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_tables(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD ROW SWAP HEAD ROW SWAP,
		  HOST " host.swap_used\n1970-01-01T00:00:00.000" SIZES " 10.0\n1970-01-01T00:00:01.000" SIZES " 10.0\n", "" },
		/* before 3.3.10 */
		{ "             total       used       free     shared    buffers     cached\n"
		  "Mem:      10240000    9216000    1024000          0    1024000    4096000\n"
		  "-/+ buffers/cache:    4096000    6144000\nSwap:      1048576          0    1048576\n",
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used\n"
		  "1970-01-01T00:00:00.000 1000.0 4000.0 10000.0 40.00 0.0\n", "" },
		/* -h */
		{ HEAD "Mem:   125Gi   511Mi   124Gi   7.0Mi   1.0Gi   100Gi\nSwap:   0B   0B   0B\n",
		  HOST " host.swap_used\n1970-01-01T00:00:00.000 126976.0 102400.0 25600.0 128000.0 20.00 0.0\n", "" },
		/* -m, -g, -b: told by what memory a host can have */
		{ HEAD "Mem:   10000   100   4000   7   1000   8000\n", HOST "\n1970-01-01T00:00:00.000" SIZES "\n",
		  "free.txt:2: warning: bad-unit: numbers without a unit; as all memory is 10000, they are taken as MiB\n" },
		{ HEAD "Mem:   125   1   124   0   1   100\n", HOST "\n1970-01-01T00:00:00.000 126976.0 102400.0 25600.0 128000.0 20.00\n",
		  "free.txt:2: warning: bad-unit: numbers without a unit; as all memory is 125, they are taken as GiB\n" },
		{ HEAD "Mem:   135148564480   1   4194304000   0   1   67574282240\n",
		  HOST "\n1970-01-01T00:00:00.000 4000.0 64443.9 64443.9 128887.7 50.00\n",
		  "free.txt:2: warning: bad-unit: numbers without a unit; as all memory is 135148564480, they are taken as bytes\n" },
		/* of a small host, whole pages; as many KiB, which are none, are another host */
		{ HEAD "Mem:   25276026880   1   4194304000   0   1   12638013440\n",
		  HOST "\n1970-01-01T00:00:00.000 4000.0 12052.5 12052.5 24105.1 50.00\n",
		  "free.txt:2: warning: bad-unit: numbers without a unit; as all memory is 25276026880, they are taken as bytes\n" },
		{ HEAD "Mem:   2113658884   1   1024000   0   1   1056829442\n",
		  HOST "\n1970-01-01T00:00:00.000 1000.0 1032060.0 1032060.0 2064120.0 50.00\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "free.txt", cases[0].log)->clock.time_unknown);
}

static void a_line_of_date_is_the_time(void **state)
{
	static const struct log_case cases[] = {
		{ "Sat Nov 21 01:48:34 UTC 2026\n" HEAD ROW "Sat Nov 21 01:49:34 UTC 2026\n" HEAD ROW HEAD ROW,
		  HOST "\n2026-11-21T01:48:34.000" SIZES "\n2026-11-21T01:49:34.000" SIZES "\n",
		  "free.txt:8: warning: bad-time: a table without a date in a log with dates; not used\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "free.txt", cases[0].log);
	assert_false(rec->clock.time_unknown);
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_string_equal(rec->clock.zone, "UTC");
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD ROW HEAD "Mem:        10240000      102400\n" HEAD "Mem:        10240000      102400     x        7368     1025864     8192000\n" HEAD "Mem: 1",
		  HOST "\n1970-01-01T00:00:00.000" SIZES "\n",
		  "free.txt:4: warning: bad-row: 3 words where the header has 7; row not used\n"
		  "free.txt:6:38: warning: bad-number: 'x' in free is no size; row not used\n"
		  "free.txt:8: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* more available than there is */
		{ HEAD "Mem:        10240000      102400     4096000        7368     1025864     99999999\n",
		  "host: host.mem_free host.mem_available host.mem_total\n1970-01-01T00:00:00.000 4000.0 97656.2 10000.0\n", "" },
	};

	CHECK(*state, cases);
}

/* Sizes that are none, and a zone that nobody can place. */
static void sizes_have_their_letters(void **state)
{
	static const struct log_case cases[] = {
		{ "              total        used        free      shared  buff/cache   available\n"
		  "Mem:           2Ti       512Gi       1.5Ti        10Mi       100Gi       1.4Ti\nSwap:          0B          0B          0B\n"
		  "              total        used        free      shared  buff/cache   available\n"
		  "Mem:           2Ti       512Qi       1.5Ti        10Mi       100Gi       1.4Ti\nSwap:          0B          9Gx          0B\n"
		  "              total        used        free      shared  buff/cache   available\n"
		  "Mem:           2Ti       512Gi       9999999999Ti        10Mi       100Gi       1.4Ti\nSwap:          0B          9Kit          0B\n",
		  "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share host.swap_used\n"
		  "1970-01-01T00:00:00.000 1572864.0 1468006.4 629145.6 2097152.0 30.00 0.0\n", "free.txt:5:26: warning: bad-number: '512Qi' in used is no size; row not used (1 more like this)\n" },
		{ "Sat Nov 21 01:48:34 XYZ 2026\n" HEAD ROW, "host: host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:48:34.000 4000.0 8000.0 2000.0 10000.0 20.00\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "free.txt", cases[1].log);
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_string_equal(rec->clock.zone, "XYZ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_tables, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_line_of_date_is_the_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(sizes_have_their_letters, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
