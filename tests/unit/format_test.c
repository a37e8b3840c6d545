/*
 * format_test.c - what holds for every reader, whoever adds one; and for files that are nobody's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/csv_row.h"
#include "logs.h"

static void every_reader_claims_its_own_sample_above_all_others(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < n_formats; i++) {
		const struct slice sample = slice_of(format_table[i]->sample);
		const int own = format_table[i]->bid(sample, &logs->mem).score;
		const char *why = NULL;

		assert_true(own > 0 && own <= 100);
		for (size_t k = 0; k < n_formats; k++)
			assert_true(k == i || format_table[k]->bid(sample, &logs->mem).score < own);
		assert_ptr_equal(format_detect(sample, "log", NULL, &logs->mem, &why), format_table[i]);
		assert_true(why && strlen(why) > 10);
	}
}

static void every_reader_reads_its_own_sample(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < n_formats; i++) {
		const struct recording *rec = read_text(logs, "sample", format_table[i]->sample);

		assert_non_null(rec);
		assert_ptr_equal(rec->format, format_table[i]);
		assert_true(rec->n_rows > 0 || rec->n_events > 0);
		assert_int_equal(rec->n_rows_bad, 0);
		assert_false(rec->cut);
		assert_string_equal(rec->name, "sample");
		assert_int_equal(rec->bytes, strlen(format_table[i]->sample));
		assert_string_equal(take_complaints(logs), "");
	}
}

static void every_reader_is_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_formats; i++) {
		const struct format *f = format_table[i];

		assert_int_equal(strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(f->name));
		assert_true(f->title && *f->title && f->absences);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(f->name, format_table[k]->name);
			assert_true(strcmp(format_table[k]->name, f->name) < 0); /* alphabetical */
		}
	}
}

/* Blanking the rows or cutting the file anywhere never gives more, and never nothing said. */
static void every_reader_survives_every_cut(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < n_formats; i++) {
		const struct slice sample = slice_of(format_table[i]->sample);
		const size_t most = read_text(logs, "whole", sample.p)->n_rows;

		for (size_t n = 0; n < sample.n; n++) {
			const struct recording *rec = read_bytes(logs, "cut", (struct slice){ sample.p, n });

			assert_true(!rec || rec->n_rows <= most);
			assert_true(rec || logs->diags.n);
			take_complaints(logs);
		}
	}
}

static void says_why_a_reader_was_chosen(void **state)
{
	static const struct {
		const char *path, *format, *why;
	} cases[] = {
		{ "samples/loader_bound/gpu.csv", "nvidia-smi-csv",
		  "its header has nvidia-smi's names in 38 of 38 columns, 29 of them metrics" },
		{ "samples/loader_bound/vmstat.txt", "vmstat", "it begins with vmstat's two header lines" },
		{ "samples/loader_bound/mpstat.txt", "mpstat", "it has sysstat's banner and mpstat's columns" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = format_read(&logs->mem, cases[i].path, NULL, false, &logs->diags);

		assert_non_null(rec);
		assert_string_equal(rec->format->name, cases[i].format);
		assert_string_equal(rec->why, cases[i].why);
		assert_string_equal(rec->path, cases[i].path);
	}
	assert_string_equal(take_complaints(logs), "");
}

static void says_what_a_file_is_that_nobody_reads(void **state)
{
	static const struct {
		struct slice text;
		const char *complaint;
	} cases[] = {
		{ { "", 0 }, "f: warning: empty-file: the file is empty\n" },
		{ { "\xEF\xBB\xBF", 3 }, "f: warning: empty-file: the file is empty\n" },
		{ { "hello\n", 6 }, "f: warning: not-a-log: no reader recognises it; `postrun formats` lists what can be read\n" },
		{ { "\n\n\n", 3 }, "f: warning: not-a-log: no reader recognises it; `postrun formats` lists what can be read\n" },
		{ { "\x1f\x8b\x08\0\0", 5 }, "f: warning: damaged-archive: the gzip data ends early; what came before is used\n" },
		{ { "\x28\xb5\x2f\xfd", 4 }, "f: warning: damaged-archive: the zstd data ends early; what came before is used\n" },
		{ { "\xff\xfet\0i\0m\0e\0", 10 }, "f: warning: not-a-log: UTF-16 text; convert it to UTF-8 first\n" },
		{ { "\x7f" "ELF\0\0", 6 }, "f: warning: not-a-log: binary data\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_null(read_bytes(logs, "f", cases[i].text));
		assert_string_equal(take_complaints(logs), cases[i].complaint);
	}
	/* in a folder, files of others are normal */
	assert_null(format_read(&logs->mem, folder_put(&logs->folder, &logs->mem, "f", slice_of("hello\n")), NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), "");
	assert_null(format_read(&logs->mem, "no/such.csv", NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), "no/such.csv: error: cannot-read: cannot open: No such file or directory\n");
}

/* Cells with '|' between and where each begins, or what is wrong. */
static const char *cells_of(struct logs *logs, struct csv_row *row, struct slice line)
{
	struct buf out;

	if (!csv_row_cut(row, line))
		return row->overflow ? "too many" : "broken";
	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < row->n; i++)
		buf_print(&out, "%s%d:%.*s", i ? "|" : "", row->columns[i], SLICE(row->cells[i]));
	return text_of_buf(&logs->mem, &out);
}

static void cuts_rows_of_cells(void **state)
{
	static const struct {
		const char *line, *cells;
	} cases[] = {
		{ "a, b,c", "1:a|4:b|6:c" },
		{ "45 %, 1,024 MiB", "1:45 %|7:1|9:024 MiB" }, /* no quoting, so a comma always parts */
		{ "a,,c", "1:a|3:|4:c" },
		{ "a,", "1:a|3:" },
		{ ",", "1:|2:" },
		{ "\"a, b\", c", "1:a, b|9:c" },
		{ "\"a \"\"b\"\"\",c", "1:a \"b\"|11:c" },
		{ "a,\"b", "broken" },   /* a quote that never ends must not swallow the next line */
		{ "x,y", "1:x|3:y" },
		{ "a,\"b\"c", "broken" },
		{ "a,b\"c\"", "broken" },
		{ "x,y", "1:x|3:y" },
	};
	struct logs *logs = *state;
	struct csv_row row;

	csv_row_init(&row, ',');
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(cells_of(logs, &row, slice_of(cases[i].line)), cases[i].cells);
	csv_row_release(&row);
}

static void bounds_the_number_of_cells(void **state)
{
	struct logs *logs = *state;
	char line[MAX_CELLS + 1];
	struct csv_row row;

	memset(line, ',', sizeof line);
	csv_row_init(&row, ',');
	assert_true(csv_row_cut(&row, (struct slice){ line, MAX_CELLS - 1 }));
	assert_int_equal(row.n, MAX_CELLS);
	assert_string_equal(cells_of(logs, &row, (struct slice){ line, MAX_CELLS }), "too many");
	assert_string_equal(cells_of(logs, &row, slice_of("a,b")), "1:a|3:b");
	csv_row_release(&row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_reader_claims_its_own_sample_above_all_others, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(every_reader_reads_its_own_sample, logs_set_up, logs_tear_down),
		cmocka_unit_test(every_reader_is_described),
		cmocka_unit_test_setup_teardown(every_reader_survives_every_cut, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_why_a_reader_was_chosen, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_a_file_is_that_nobody_reads, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cuts_rows_of_cells, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(bounds_the_number_of_cells, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
