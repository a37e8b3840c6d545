/*
 * row_pattern_parallel_test.c - a file so large that it is looked at in parts says the same in any number of them: values, places,
 * complaints. And row by row, without patterns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gzip_of.h"
#include "logs.h"
#include "recording_text.h"

#define N_GPUS 8
#define N_POLLS 6000
#define LARGE ((size_t)4 << 20) /* from here on a plain file is read in parts (format/nvidia_smi_csv_blocks.c) */

/* What of a poll is not as in the one before: rows that fit no pattern, and GPUs in another order, for a poll or for good. */
static bool put_oddity(struct buf *out, int poll, int gpu)
{
	if (poll == 3000 && gpu == 0)
		buf_text(out, "Unable to determine the device handle for GPU 0000:08:00.0: Unknown Error\n");
	if (poll == 3100 && gpu == 5)
		buf_text(out, "2026/11/21 01:00:00.000, 5, 12 %\n");
	return poll >= 3200 && poll < 3210 && gpu == 2; /* no row of it */
}

static const char *watts_of(int poll, int gpu, char text[16])
{
	if (poll == 3000 && gpu == 3)
		return "oops";
	if (poll == 5500 && gpu == 1)
		return "[N/A]";
	if (poll == 3003 && gpu == 6)
		return "\"301.50 W\"";
	snprintf(text, 16, "%d.%02d W", 90 + poll * 7 % 600, (poll + gpu) % 100);
	return text;
}

static void put_row(struct buf *out, int poll, int gpu)
{
	char watts[16];

	if (put_oddity(out, poll, gpu))
		return;
	buf_print(out, "2026/11/21 %02d:%02d:%02d.%03d, %d, GPU-5c1d0000-6b1f-4c0e-9d53-%012d, NVIDIA H200, ", poll / 3600, poll / 60 % 60,
		poll % 60, 4 + gpu * 7 + poll % 3, gpu, gpu);
	buf_print(out, "%d %%, %d MiB, 143771 MiB, %s, P%d\n", poll % 600 < 570 ? 90 + (poll + gpu) % 11 : 0,
		61200 + 90 * ((poll + gpu) % 8), watts_of(poll, gpu, watts), poll % 600 < 570 ? 0 : 8);
}

static struct slice large_log(struct buf *out)
{
	buf_init(out, (size_t)16 << 20);
	buf_text(out, "timestamp, index, uuid, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], pstate\n");
	for (int poll = 0; poll < N_POLLS; poll++)
		for (int i = 0; i < N_GPUS; i++)
			put_row(out, poll, poll < 2700 ? i : N_GPUS - 1 - i);
	return (struct slice){ out->at, out->n };
}

struct found { /* in a file */
	const char *text; /* all of it, and what was said */
	size_t n_rows, n_by_pattern;
};

static struct found found(struct logs *logs, const char *path, struct read_request request)
{
	const struct recording *const rec = format_read(&logs->mem, path, &request, false, &logs->diags);

	assert_non_null(rec);
	const struct found f = { recording_text(&logs->mem, rec, &logs->diags), rec->n_rows, rec->n_rows_by_pattern };
	diags_release(&logs->diags);
	return f;
}

static void reads_the_same_in_any_number_of_parts(void **state)
{
	static const size_t parts[] = { 0, 200, 5000, 300001, LARGE, 16 * LARGE }; /* bytes; 0: as many as are worth it here */
	struct logs *logs = *state;
	struct buf out;
	const struct slice log = large_log(&out);
	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", log);
	size_t n_first = 0;

	assert_true(log.n > LARGE + LARGE / 4);
	buf_release(&out);
	const struct found law = found(logs, path, (struct read_request){ .by_grammar = true });
	assert_int_equal(law.n_rows, N_GPUS * N_POLLS - 10);
	assert_int_equal(law.n_by_pattern, 0);
	assert_non_null(strstr(law.text, "gpu.csv:24006:"));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct found f = found(logs, path, (struct read_request){ .part_bytes = parts[i] });
		if (strcmp(f.text, law.text) != 0)
			fail_msg("in parts of %zu bytes it says something else", parts[i]);
		n_first = i ? n_first : f.n_by_pattern;
		assert_int_equal(f.n_by_pattern, n_first);
		assert_true(f.n_by_pattern > N_GPUS * N_POLLS - 200);
	}
}

/* Threads unpack a long one by turns; what is behind a row that fits no pattern is put back. */
static void a_packed_file_is_read_the_same_in_any_number_of_parts(void **state)
{
	static const size_t parts[] = { 0, 700, 5000, 300001, LARGE };
	struct logs *logs = *state;
	struct buf out;
	const struct slice log = large_log(&out), packed = gzip_of(&logs->mem, log);
	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", packed);

	buf_release(&out);
	assert_true(packed.n > STREAM_TURNS_FROM_BYTES);
	const struct found law = found(logs, path, (struct read_request){ .by_grammar = true });
	assert_int_equal(law.n_rows, N_GPUS * N_POLLS - 10);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct found f = found(logs, path, (struct read_request){ .part_bytes = parts[i] });
		if (strcmp(f.text, law.text) != 0)
			fail_msg("in parts of %zu bytes it says something else", parts[i]);
		assert_true(f.n_by_pattern > N_GPUS * N_POLLS - 200);
	}
}

/* Where a file's lines end in CR alone its parts can't be looked at: it is read one after the other, however small they are to be. */
static void lines_that_end_in_returns_are_read_one_by_one(void **state)
{
	struct logs *logs = *state;
	struct buf out;
	const struct slice log = large_log(&out);

	for (size_t i = 0; i < log.n; i++)
		out.at[i] = (char)(out.at[i] == '\n' ? '\r' : out.at[i]);
	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", log);
	buf_release(&out);
	const struct found law = found(logs, path, (struct read_request){ .by_grammar = true });
	const struct found f = found(logs, path, (struct read_request){ .part_bytes = 5000 });
	assert_string_equal(f.text, law.text);
	assert_true(f.n_by_pattern > N_GPUS * N_POLLS - 200);
}

#define MANY_GPUS 70
#define LONG 700 /* polls: some packs of each GPU */

/* A counter: of some GPUs with numbers that no code of 32 bits holds, by turns, from some time on, or since others have decimals. */
static const char *counter_of(int poll, int gpu, char text[24])
{
	if (gpu == 41 && (poll > 400 || poll % 10 == 9))
		snprintf(text, 24, "%d0000000", 400 + poll);
	else if (gpu == 12 && poll < 30)
		snprintf(text, 24, "%d.125", poll);
	else
		snprintf(text, 24, "%d", gpu == 13 ? 3000000 + poll : 400 + poll);
	return text;
}

/* Words as long as each other, one for each of two GPUs. */
static const char *power_of(int poll, int gpu, char text[24])
{
	snprintf(text, 24, "%d.%d W", 300 + (poll * gpu) % 200, poll % 10);
	if (poll % 3 == 0 && (gpu == 5 || gpu == 6))
		snprintf(text, 24, "%s", gpu == 5 ? "[Unknown Error]" : "[Not Supported]");
	return text;
}

/* The clock is set back by a few seconds once. */
static void put_rows_of_many(struct buf *out, int poll)
{
	const int second = poll < 500 ? poll : poll - 20, ms = poll < 500 ? 0 : 500;
	char power[24], counter[24];

	for (int gpu = 0; gpu < MANY_GPUS; gpu++)
		if (poll != 300 + gpu)
			buf_print(out, "2026/11/21 %02d:%02d:%02d.%03d, %d, %d %%, %s, %s\n", 1 + second / 3600, second / 60 % 60, second % 60,
				ms + gpu, gpu, (poll + gpu) % 101, power_of(poll, gpu, power), counter_of(poll, gpu, counter));
}

/* Each GPU has few rows in a part: these wait for more, and some of them stop where a row is missing or too large. */
static void many_gpus_are_read_the_same_in_any_number_of_parts(void **state)
{
	static const size_t parts[] = { 0, 3000, 50000, 400000, LARGE };
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)16 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%], power.draw [W], ecc.errors.corrected.volatile.total\n");
	for (int poll = 0; poll < LONG; poll++)
		put_rows_of_many(&out, poll);
	buf_text(&out, "Unable to determine the device handle for GPU 0000:08:00.0: Unknown Error\n");
	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", (struct slice){ out.at, out.n });
	buf_release(&out);
	const struct found law = found(logs, path, (struct read_request){ .by_grammar = true });
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct found f = found(logs, path, (struct read_request){ .part_bytes = parts[i] });
		if (strcmp(f.text, law.text) != 0)
			fail_msg("in parts of %zu bytes it says something else", parts[i]);
		assert_true(f.n_by_pattern > MANY_GPUS * (LONG - 40));
	}
}

/* Many columns of numbers that have little in common: what is kept of them takes much room. */
static struct slice wide_log(struct buf *out)
{
	static const char *const heads[] = { "clocks_event_reasons_counters.sw_power_cap [us]", "clocks_event_reasons_counters.sync_boost [us]",
		"clocks_event_reasons_counters.sw_thermal_slowdown [us]", "clocks_event_reasons_counters.hw_thermal_slowdown [us]",
		"clocks_event_reasons_counters.hw_power_brake_slowdown [us]", "ecc.errors.corrected.volatile.total",
		"ecc.errors.uncorrected.volatile.total", "retired_pages.sbe", "retired_pages.dbe", "remapped_rows.sbe", "remapped_rows.dbe" };
	unsigned number = 1;

	buf_init(out, (size_t)4 << 20);
	buf_text(out, "timestamp, index");
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		buf_print(out, ", %s", heads[i]);
	for (int poll = 0; poll < 2500; poll++) {
		buf_print(out, "\n2026/11/21 %02d:%02d:%02d.%03d, 0", poll / 3600, poll / 60 % 60, poll % 60, poll % 7);
		for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
			buf_print(out, ", %u%s", (number = number * 69069 + 5) / 4, i < 5 ? " us" : "");
	}
	buf_text(out, "\n");
	return (struct slice){ out->at, out->n };
}

/* When there is no room for more rows is seen at the same row of them, however they come; here that is where a pack is just whole. */
static void rows_are_thinned_the_same_in_any_number_of_parts(void **state)
{
	static const uint64_t memory[] = { 22220, 24100, 45720, 49950, 60760, 66870 }; /* bytes */
	static const size_t parts[] = { 500, 625, 976, 1220, 1525, 1906, 2382, 100000 };
	struct logs *logs = *state;
	struct buf out;
	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", wide_log(&out));

	buf_release(&out);
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
		const struct found law = found(logs, path, (struct read_request){ .by_grammar = true, .memory = memory[i] });
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
			const struct found f = found(logs, path, (struct read_request){ .part_bytes = parts[k], .memory = memory[i] });
			if (strcmp(f.text, law.text) != 0)
				fail_msg("in parts of %zu bytes, with room for %d, it says something else", parts[k], (int)memory[i]);
			assert_true(f.n_by_pattern > 2400);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_the_same_in_any_number_of_parts, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_packed_file_is_read_the_same_in_any_number_of_parts, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(many_gpus_are_read_the_same_in_any_number_of_parts, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_are_thinned_the_same_in_any_number_of_parts, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(lines_that_end_in_returns_are_read_one_by_one, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
