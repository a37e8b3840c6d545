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
#include "recording_text.h"

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

/* What is complained of, and where, in a text that begins behind so many lines; places are told from there. */
static const char *complaints_behind(struct logs *logs, int64_t n_lines, struct slice text)
{
	struct text_source source = { text };
	struct lines lines;
	struct buf out;

	lines_open_source(&lines, "log", NULL, (struct byte_source){ give_text, &source });
	lines_passed(&lines, (size_t)n_lines, 0);
	format_read_lines(&logs->mem, &lines, NULL, NULL, &logs->diags);
	lines_close(&lines);
	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < logs->diags.n; i++) {
		const struct place place = logs->diags.at[i].place;
		buf_print(&out, "%" PRId64 ":%d %s\n", place.line ? place.line - n_lines : 0, place.column,
			diag_table[logs->diags.at[i].code].name);
	}
	diags_release(&logs->diags);
	return text_of_buf(&logs->mem, &out);
}

/* Lines are numbered on beyond what 32 bits hold: a log of 8 GiB of empty lines has more. */
static void every_reader_knows_its_place_behind_billions_of_lines(void **state)
{
	struct logs *logs = *state;
	size_t n_told = 0;

	for (size_t i = 0; i < n_formats; i++) {
		const struct slice sample = slice_of(format_table[i]->sample);
		char *const damaged = arena_text(&logs->mem, sample.p, sample.n);

		for (size_t at = sample.n / 2; at < sample.n; at += 31) {
			damaged[at] = '?';
			const struct slice text = { damaged, sample.n };
			const char *const told = complaints_behind(logs, 0, text);
			assert_string_equal(complaints_behind(logs, 5000000000, text), told);
			n_told += *told != '\0';
			damaged[at] = sample.p[at];
		}
	}
	assert_true(n_told > 50);
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

#define IOSTAT_BEHIND_TIMES \
	"2026-11-21 10:00:00 Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n2026-11-21 10:00:00 avg-cpu:  %user %idle\n2026-11-21 10:00:00  1.00 99.00\n" \
	"2026-11-21 10:00:00 Device            r/s     rkB/s     w/s     wkB/s  %util\n" \
	"2026-11-21 10:00:00 sda              2.00     64.00    6.00     32.00   1.20\n"

static void says_what_a_file_is_that_nobody_reads(void **state)
{
	static const struct {
		struct slice text;
		const char *complaint;
	} cases[] = {
		{ { "", 0 }, "f: warning: empty-file: the file is empty\n" },
		{ { "\xEF\xBB\xBF", 3 }, "f: warning: empty-file: the file is empty\n" },
		{ { "\0\0\0", 3 }, "f: warning: empty-file: the file holds nothing but NUL bytes\n" },
		{ { "hello\n", 6 }, "f: warning: not-a-log: there is one line in it, and no sample: 'hello'\n" },
		{ { "Fri 21 Nov 2025 11:41:31 PM EST", 31 },
		  "f: warning: not-a-log: there is one line in it, and no sample: 'Fri 21 Nov 2025 11:41:31 PM EST'\n" },
		{ { IOSTAT_BEHIND_TIMES, sizeof IOSTAT_BEHIND_TIMES - 1 },
		  "f: warning: no-rows: nothing but averages since boot, as the first report of iostat is; log with iostat -xt N, which goes on\n" },
		{ { "hello\nworld\n", 12 }, "f: warning: not-a-log: no reader recognises it; `postrun formats` lists what can be read\n" },
		{ { "\n\n\n", 3 }, "f: warning: not-a-log: no reader recognises it; `postrun formats` lists what can be read\n" },
		{ { "\x1f\x8b\x08\0\0", 5 }, "f: warning: damaged-archive: the gzip data ends early; what came before is used\n" },
		{ { "\x28\xb5\x2f\xfd", 4 }, "f: warning: damaged-archive: the zstd data ends early; what came before is used\n" },
		{ { "\xff\xfeh\0i\0\n\0", 8 }, "f: warning: not-a-log: there is one line in it, and no sample: 'hi'\n" },
		{ { "\x7f" "ELF\0\0", 6 }, "f: warning: not-a-log: a program (ELF)\n" },
		{ { "one\ntwo\0\n", 9 }, "f: warning: not-a-log: binary data\n" },
		{ { "PK\x03\x04....run/data.pkl", 20 }, "f: warning: not-a-log: a checkpoint of PyTorch\n" },
		{ { "PK\x03\x04....run.csv", 15 }, "f: warning: not-a-log: a zip archive inside an archive is not opened\n" },
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

/* Logs of others by name; first lines as those tools write them. */
static void names_the_logs_of_others(void **state)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{ "+-----------+\n| npu-smi 24.1.rc3   Version: 24.1.rc3 |\n+-----------+\n",
		  "a table of npu-smi: Huawei NPUs, not NVIDIA GPUs" },
		{ "07-21-2025 16:33:42 RAM 17953/62841MB (lfb 9x4MB) CPU [7%@1728] EMC_FREQ 0% GR3D_FREQ 12% VDD_IN 8000mW\nx\n",
		  "a log of tegrastats: a Jetson, which no reader here knows" },
		{ "\nSunOS node01 5.11 11.3 sun4v    05/26/2017\n\n08:00:00    %usr    %sys    %wio   %idle\n",
		  "sar of Solaris, whose columns no reader here knows; sar of Linux is read" },
		{ "proc. -----------pami\xC4\x99\xC4\x87---------- ---swap-- ---we/wy--- -system--\ndz bl   swpd  wolna  bufor  cache\n",
		  "a log of vmstat in a language that is not read; log with LC_ALL=C vmstat -t 1" },
		{ "top - 20:22:31 up  3:51,  0 user,  load average: 3,76, 4,71, 3,09\nMiB Spch:  24105,6 total,  20172,4 free\n",
		  "a log of top in a language that is not read, or without CPUs; log with LC_ALL=C top -b -d 1" },
		{ "Linux 6.18.44 (vm) \t01.12.2026 \t_x86_64_\t(2 CPU)\n\n01.47.44     CPU    %usr\n",
		  "a log of sysstat in a language or a form that is not read; log with LC_ALL=C" },
		{ "\x96\xd5\x75\x21\x0c\x06\n", "a data file of sar; make text of it with sadf -d FILE -- -A > sadf.csv" },
		{ "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sysstat\nxmlns=\"https://sysstat.github.io\"\n",
		  "XML of sadf -x; write it with sadf -d or sadf -j" },
		{ "# uptime_cs; 719255; ust_time; 1555593609; extra_next; 0; record_type; 1; HH:MM:SS; 13:20:09\nx\n",
		  "raw counters of sadf -r; write rates with sadf -d or sadf -j" },
		{ "################\n# Collectl:   V3.6.3-2  HiRes: 1\n# Host:       node01\n>>> 1368076323.001 <<<\ncpu 1 2 3\n",
		  "a raw file of collectl; make text of it with collectl -p FILE -P" },
		{ "\xef\xbe\xed\xfe\x01\n", "a raw file of atop; make text of it with atop -r FILE -P CPU,cpu,MEM" },
		{ "Wed Aug 14 11:57:20 EEST 2013\n       253528 K total memory\n       150060 K used memory\n",
		  "sums of vmstat -s since boot; log with vmstat -t 1" },
		{ "BZh91AY&SY\n.\n", "bzip2 data, which is not unpacked here; do it with bunzip2" },
		{ "timestamp,n1_watts,n2_watts\n2026-05-05T19:14:51,2492,2579\n",
		  "a table that no reader knows, with the columns 'timestamp', 'n1_watts', 'n2_watts'; "
		  "a mapping (--map) can say what they are" },
		{ "\"a,b\";c;d;e;f;g;h;i;j\n1;2;3;4;5;6;7;8;9\n",
		  "a table that no reader knows, with the columns 'a,b', 'c', 'd', 'e', 'f', 'g', 'h', 'i' and 1 more; "
		  "a mapping (--map) can say what they are" },
		{ "1620930112,23.5,61\n1620930113,23.1,62\n",
		  "a table of 3 columns without a header; if nvidia-smi wrote it, --columns can name them" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_null(read_text(logs, "f", cases[i].text));
		assert_string_equal(take_complaints(logs), arena_print(&logs->mem, "f: warning: not-a-log: %s\n", cases[i].what));
	}
	/* a log of others is worth a word in a folder, too; what merely lies there is not */
	const char *path = folder_put(&logs->folder, &logs->mem, "f", slice_of(cases[0].text));
	assert_null(format_read(&logs->mem, path, NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), arena_print(&logs->mem, "f: warning: not-a-log: %s\n", cases[0].what));
	path = folder_put(&logs->folder, &logs->mem, "f", slice_of("%PDF-1.4\nx\n"));
	assert_null(format_read(&logs->mem, path, NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), "");
	/* unless it was meant to be a log, or would be one if the tool had not failed */
	path = folder_put(&logs->folder, &logs->mem, "mpstat.txt", slice_of("%PDF-1.4\nx\n"));
	assert_null(format_read(&logs->mem, path, NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), "mpstat.txt: warning: not-a-log: a PDF document\n");
	path = folder_put(&logs->folder, &logs->mem, "f", slice_of("No devices were found\n"));
	assert_null(format_read(&logs->mem, path, NULL, true, &logs->diags));
	assert_string_equal(take_complaints(logs), "f: warning: no-rows: only messages of nvidia-smi: 'No devices were found'\n");
}

/* What was between the file and its lines is told, and holes are. */
static void says_how_the_text_was_got_at(void **state)
{
	static const char log[] = "timestamp, index, utilization.gpu [%]\n2026/11/21 01:49:31.000, 0, 1 %\n"
				  "2026/11/21 01:49:32.000, 0, 2 %\n";
	struct logs *logs = *state;
	char wide[2 + 2 * sizeof log], holed[sizeof log + 3];

	memcpy(wide, "\xff\xfe", 2);
	for (size_t i = 0; i < sizeof log - 1; i++) {
		wide[2 + 2 * i] = log[i];
		wide[3 + 2 * i] = '\0';
	}
	const char *path = folder_put(&logs->folder, &logs->mem, "f", (struct slice){ wide, 2 * sizeof log });
	const struct recording *rec = format_read(&logs->mem, path, NULL, false, &logs->diags);
	assert_non_null(rec);
	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->bytes, 2 * sizeof log);
	assert_non_null(strstr(rec->why, "decoded from UTF-16, its header has nvidia-smi's names"));
	assert_string_equal(take_complaints(logs), "");

	const char *second = strchr(log, '\n') + 1;
	const size_t n = (size_t)(second - log);
	memcpy(holed, log, n);
	memset(holed + n, '\0', 3);
	memcpy(holed + n + 3, second, sizeof log - 1 - n);
	rec = read_bytes(logs, "f", (struct slice){ holed, sizeof log + 2 });
	assert_non_null(rec);
	assert_int_equal(rec->n_rows, 2);
	assert_string_equal(take_complaints(logs), "f:2: note: nul-holes: 3 NUL bytes skipped, the first here\n");
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

static enum content content_of(struct logs *logs, struct slice bytes)
{
	const struct read_request nothing_said = { 0 };
	struct lines lines;
	const char *what;

	assert_true(lines_open(&lines, folder_put(&logs->folder, &logs->mem, "f", bytes), NULL, &logs->diags));
	const enum content content = format_content(&logs->mem, &lines, &nothing_said, &what);
	lines_close(&lines);
	return content;
}

static void tells_what_is_in_a_file(void **state)
{
	struct logs *logs = *state;
	char tar[1024] = "gpu.csv"; /* whose checksum is none */

	memcpy(tar + 257, "ustar", 5);
	assert_int_equal(content_of(logs, slice_of(format_table[0]->sample)), CONTENT_LOG);
	assert_int_equal(content_of(logs, slice_of("PK\x03\x04" "logs/gpu.csv")), CONTENT_ARCHIVE);
	assert_int_equal(content_of(logs, slice_of("PK\x03\x04" "model/data.pkl")), CONTENT_OTHER);
	assert_int_equal(content_of(logs, slice_of("Device 0: ROCm System Management\nand more\n")), CONTENT_FOREIGN);
	assert_int_equal(content_of(logs, slice_of("No devices were found\n")), CONTENT_FAILED);
	assert_int_equal(content_of(logs, slice_of("No devices were found\nstep 1\nstep 2\n")), CONTENT_FOREIGN);
	assert_int_equal(content_of(logs, slice_of("notes\nof a run\n")), CONTENT_OTHER);
	assert_int_equal(content_of(logs, (struct slice){ tar, sizeof tar }), CONTENT_DAMAGED);
	assert_int_equal(content_of(logs, slice_of("")), CONTENT_DAMAGED);
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
		{ "a,\"b\"c", "broken" }, /* nor what lies behind the quote that ends a cell */
		{ "a,\"b\"c\"", "1:a|3:b\"c" },
		{ "a,b\"c\"", "1:a|3:b\"c\"" }, /* inside of a cell they are its own */
		{ "a,b\"c,d\",e", "1:a|3:b\"c|7:d\"|10:e" },
		{ "x,y", "1:x|3:y" },
	};
	struct logs *logs = *state;
	struct csv_row row;

	csv_row_init(&row, ',');
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(cells_of(logs, &row, slice_of(cases[i].line)), cases[i].cells);
	csv_row_release(&row);
}

/* An empty cell in quotes behind it, which sends the line to libcsv, adds a cell and changes none. */
static void cuts_a_line_alike_with_and_without_libcsv(void **state)
{
	static const char bytes[] = "ab1 .,,, \t\v\x01\x80[]%";
	struct logs *logs = *state;
	struct csv_row row;
	unsigned random = 7;

	csv_row_init(&row, ',');
	for (size_t n = 1; n <= 100; n++) {
		char line[120] = "x"; /* a line of nothing but spaces has no cell */
		for (size_t i = 1; i < n; i++)
			line[i] = bytes[(random = random * 1103515245u + 12345u) / 65536u % (sizeof bytes - 1)];
		const char *const plain = cells_of(logs, &row, (struct slice){ line, n });
		memcpy(line + n, ",\"\"", 3);
		const char *const quoted = cells_of(logs, &row, (struct slice){ line, n + 3 });
		assert_string_equal(arena_print(&logs->mem, "%s|%zu:", plain, n + 2), quoted);
	}
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

static void some_files_are_called_like_logs(void **state)
{
	static const char *const logs[] = { "gpu.csv", "a/b/x.csv.gz", "vmstat.txt", "node01-vmstat_2.log.zst", "top", "dmon0.out", "gpu3.dat" };
	static const char *const others[] = { "notes.txt", "train.log", "stderr", "gpu0.pt", "desktop.txt", "vmstat.txt.bak", "gpu/notes", "" };

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		if (!format_is_called_a_log(logs[i]))
			fail_msg("%s", logs[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (format_is_called_a_log(others[i]))
			fail_msg("%s", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_reader_claims_its_own_sample_above_all_others, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(every_reader_reads_its_own_sample, logs_set_up, logs_tear_down),
		cmocka_unit_test(every_reader_is_described),
		cmocka_unit_test_setup_teardown(every_reader_survives_every_cut, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(every_reader_knows_its_place_behind_billions_of_lines, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_why_a_reader_was_chosen, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_a_file_is_that_nobody_reads, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(names_the_logs_of_others, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_how_the_text_was_got_at, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_what_is_in_a_file, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cuts_rows_of_cells, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cuts_a_line_alike_with_and_without_libcsv, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(bounds_the_number_of_cells, logs_set_up, logs_tear_down),
		cmocka_unit_test(some_files_are_called_like_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
