/*
 * limits_test.c - the table of bounds, what --limit takes, and that a bound which is changed is the one that holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/archive.h"
#include "logs.h"

static void rows_are_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LIMITS; i++) {
		const struct limit_row *const row = &limit_table[i];
		const bool is_fixed = !row->most;
		assert_true(row->value && *row->what && *row->then);
		assert_true(is_fixed ? !row->least : row->least && row->least <= row->value && row->value <= row->most);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(row->name, limit_table[k].name);
	}
	assert_int_equal(limit_of(NULL, LIMIT_MAX_CELLS), MAX_CELLS);
	assert_int_equal(limit_of(NULL, LIMIT_LINE), 65536);
}

static void takes_what_makes_sense(void **state)
{
	static const char *const all = "there are line, members, gzip-ratio, ratio, unpacked, memory and report";
	static const struct {
		const char *text;
		enum limit which; /* N_LIMITS: none is changed */
		uint64_t value;
		const char *wrong; /* the begin of it */
	} cases[] = {
		{ "line=1MiB", LIMIT_LINE, 1048576, NULL },
		{ "line=70000", LIMIT_LINE, 70000, NULL },
		{ "unpacked=1GiB", LIMIT_UNPACKED, (uint64_t)1 << 30, NULL },
		{ "memory=1TiB", LIMIT_MEMORY, (uint64_t)1 << 40, NULL },
		{ "members=20000", LIMIT_MEMBERS, 20000, NULL },
		{ "members=1KiB", N_LIMITS, 0, "the limit 'members' takes a number from 1 to 10000000, like members=10000, not '1KiB'" },
		{ "line=17MiB", N_LIMITS, 0, "the limit 'line' takes a number from 64KiB to 16MiB, like line=64KiB, not '17MiB'" },
		{ "line=65535", N_LIMITS, 0, "the limit 'line' takes" },
		{ "line=-1", N_LIMITS, 0, "the limit 'line' takes" },
		{ "line=", N_LIMITS, 0, "the limit 'line' takes" },
		{ "line", N_LIMITS, 0, "the limit 'line' takes" },
		{ "line=1 MiB", N_LIMITS, 0, "the limit 'line' takes" },
		{ "line=1e6", N_LIMITS, 0, "the limit 'line' takes" },
		{ "unpacked=18446744073709551616", N_LIMITS, 0, "the limit 'unpacked' takes" },
		{ "unpacked=99999999999999999GiB", N_LIMITS, 0, "the limit 'unpacked' takes" },
		{ "cells=600", N_LIMITS, 0, "the limit 'cells' is fixed" },
		{ "lin=1", N_LIMITS, 0, "'lin' is no limit; there are line" },
		{ "=1", N_LIMITS, 0, "'' is no limit" },
		{ "", N_LIMITS, 0, "'' is no limit" },
	};
	struct logs *const logs = *state;
	const char *wrong = NULL;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct limits limits = limits_as_ever();
		assert_int_equal(limit_set(&limits, cases[i].text, &logs->mem, &wrong), cases[i].which != N_LIMITS);
		for (size_t k = 0; k < N_LIMITS; k++)
			assert_int_equal(limits.at[k], k == cases[i].which ? cases[i].value : limit_table[k].value);
		if (cases[i].wrong)
			assert_memory_equal(wrong, cases[i].wrong, strlen(cases[i].wrong));
	}
	struct limits limits;
	limit_set(&limits, "?", &logs->mem, &wrong);
	assert_non_null(strstr(wrong, all));
}

static void messages_say_what_would_allow_more(void **state)
{
	struct logs *const logs = *state;
	struct limits limits = limits_as_ever();

	assert_string_equal(limit_text(&logs->mem, NULL, LIMIT_LINE), "64 KiB, the limit 'line' (--limit line=256KiB allows more)");
	assert_string_equal(limit_text(&logs->mem, NULL, LIMIT_MEMBERS), "10000, the limit 'members' (--limit members=40000 allows more)");
	assert_string_equal(limit_text(&logs->mem, NULL, LIMIT_PICTURE_MAX_BYTES), "64 MiB, the limit 'picture'");
	assert_string_equal(limit_text(&logs->mem, NULL, LIMIT_DURATION_MAX_DAYS), "366 days, the limit 'duration'");
	limits.at[LIMIT_LINE] = 8 << 20;
	assert_string_equal(limit_text(&logs->mem, &limits, LIMIT_LINE), "8 MiB, the limit 'line' (--limit line=16MiB allows more)");
	limits.at[LIMIT_LINE] = 16 << 20;
	assert_string_equal(limit_text(&logs->mem, &limits, LIMIT_LINE), "16 MiB, the limit 'line'");
	limits.at[LIMIT_LINE] = 5000;
	assert_string_equal(limit_text(&logs->mem, &limits, LIMIT_LINE), "5000 bytes, the limit 'line' (--limit line=20000 allows more)");
}

/* A log of two rows; the first has so many blanks before its last cell. */
static struct recording *read_wide(struct logs *logs, int n_blanks, uint64_t line_bytes)
{
	struct limits limits = limits_as_ever();
	const struct read_request request = { .limits = &limits };
	const char *const log = arena_print(&logs->mem, "timestamp, index, utilization.gpu [%%]\n2026/11/21 02:00:00.000, 0, %*s5 %%\n"
		"2026/11/21 02:00:01.000, 0, 6 %%\n", n_blanks, "");

	limits.at[LIMIT_LINE] = line_bytes;
	return format_read(&logs->mem, folder_put(&logs->folder, &logs->mem, "gpu.csv", slice_of(log)), &request, false, &logs->diags);
}

static void lines_are_as_long_as_is_asked(void **state)
{
	static const int widths[] = { 1000, 70 * 1000, 300 * 1000, 1000 * 1000 };
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		const uint64_t n_bytes = (uint64_t)widths[i] + 31;
		assert_int_equal(read_wide(logs, widths[i], n_bytes)->n_rows, 2);
		assert_string_equal(take_complaints(logs), "");
		const struct recording *const rec = read_wide(logs, widths[i], n_bytes - 1);
		assert_int_equal(rec->n_rows, 1);
		assert_int_equal(rec->n_rows_bad, 1);
		const char *const said = take_complaints(logs);
		assert_memory_equal(said, "gpu.csv:2: warning: long-line: a line over ", 43);
		assert_non_null(strstr(said, arena_print(&logs->mem, "(--limit line=%llu allows more); not used",
			4 * (unsigned long long)(n_bytes - 1))));
	}
}

/* What a stream unpacks to more is not read, and the message says which limit it was. */
static void ratios_are_those_that_are_asked_for(void **state)
{
	struct logs *const logs = *state;
	struct limits limits = limits_as_ever();
	const uint64_t much = (uint64_t)STREAM_FREE_BYTES + 400;

	assert_null(ratio_damage(&logs->mem, NULL, LIMIT_GZIP_RATIO, much / 400, much));
	assert_string_equal(ratio_damage(&logs->mem, NULL, LIMIT_GZIP_RATIO, much / 400 - 2, much),
		"it unpacks to far more than a log would, over its size times 400, the limit 'gzip-ratio' (--limit gzip-ratio=1600 allows more), "
		"the rest was not read");
	assert_null(ratio_damage(&logs->mem, NULL, LIMIT_GZIP_RATIO, 1, STREAM_FREE_BYTES));
	limits.at[LIMIT_GZIP_RATIO] = 500;
	assert_null(ratio_damage(&logs->mem, &limits, LIMIT_GZIP_RATIO, much / 400 - 2, much));
	limits.at[LIMIT_UNPACKED] = 1 << 20;
	assert_string_equal(ratio_damage(&logs->mem, &limits, LIMIT_GZIP_RATIO, 1 << 20, (1 << 20) + 1),
		"it unpacks to more than 1 MiB, the limit 'unpacked' (--limit unpacked=4MiB allows more), the rest was not read");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test_setup_teardown(takes_what_makes_sense, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(messages_say_what_would_allow_more, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(lines_are_as_long_as_is_asked, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(ratios_are_those_that_are_asked_for, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
