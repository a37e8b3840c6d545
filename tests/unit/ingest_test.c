/*
 * ingest_test.c - archives and the standard input into a run: what comes in, how it is called, what is said.
 *
 * Archives are written by libarchive, and then cut and bent by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gzip_of.h"
#include "logs.h"
#include "run/run.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#define GPU_LOG \
	"timestamp, index, utilization.gpu [%]\n" \
	"2026/11/21 01:49:31.000, 0, 1 %\n" \
	"2026/11/21 01:49:32.000, 0, 2 %\n" \
	"2026/11/21 01:49:33.000, 0, 3 %\n"
#define VMSTAT_LOG \
	"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n" \
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n" \
	" 2  0      0 146156 103612 963924    0    0   780  1883  476 2512 30  6 63  0  0 2026-11-21 01:49:31\n" \
	" 1  0      0 146152 103612 963924    0    0     0   120  390 2012 93  4  3  0  0 2026-11-21 01:49:32\n"

enum { TAR, ZIP };

struct member {
	const char *name;
	struct slice content;
	unsigned type; /* 0 is a plain file */
};

/* The bytes of an archive of these members; the list ends with a member without name. */
static struct slice archive_of(struct arena *mem, int kind, const struct member *members)
{
	const size_t room = (size_t)1 << 20;
	char *bytes = NEW_ARRAY(mem, char, room);
	struct archive *writer = archive_write_new();
	size_t n = 0;

	assert_non_null(writer);
	assert_int_equal(kind == TAR ? archive_write_set_format_pax_restricted(writer) : archive_write_set_format_zip(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_set_bytes_in_last_block(writer, 1), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(writer, bytes, room, &n), ARCHIVE_OK);
	for (; members->name; members++) {
		struct archive_entry *entry = archive_entry_new();
		archive_entry_set_pathname(entry, members->name);
		archive_entry_set_filetype(entry, members->type ? members->type : AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, (la_int64_t)members->content.n);
		if (members->type == AE_IFLNK)
			archive_entry_set_symlink(entry, "/etc/passwd");
		assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
		if (members->content.n)
			assert_int_equal(archive_write_data(writer, members->content.p, members->content.n), members->content.n);
		archive_entry_free(entry);
	}
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
	return (struct slice){ bytes, n };
}

static const char *in_folder(const struct logs *logs, const char *path)
{
	const size_t n_path = strlen(logs->folder.path) + 1;

	return path + (strncmp(path, logs->folder.path, n_path - 1) == 0 ? n_path : 0);
}

/* "gpu.csv nvidia-smi-csv 3; …", then the unread ones: "| notes.txt"; the folder's path left out. */
static const char *taken(struct logs *logs, const struct run *run)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		buf_print(&out, "%s%s %s %zu", i ? "; " : "", in_folder(logs, rec->path), rec->format->name, rec->n_rows);
	}
	for (size_t i = 0; i < run->n_unread_files; i++)
		buf_print(&out, "%s%s", i ? ", " : " | ", in_folder(logs, run->unread_files[i].name));
	return text_of_buf(&logs->mem, &out);
}

static void check_archive(struct logs *logs, const char *name, struct slice bytes, const char *expected, const char *complaints)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const bool good = ingest(run, folder_put(&logs->folder, &logs->mem, name, bytes));

	assert_int_equal(good, run->n_recordings > 0);
	assert_string_equal(taken(logs, run), expected);
	assert_string_equal(take_complaints(logs), complaints);
}

static const struct member two_logs[] = {
	{ "run/gpu.csv", { GPU_LOG, sizeof GPU_LOG - 1 }, 0 },
	{ "run/notes.txt", { "a note\nof two lines\n", 20 }, 0 },
	{ "vmstat.txt", { VMSTAT_LOG, sizeof VMSTAT_LOG - 1 }, 0 },
	{ NULL, { NULL, 0 }, 0 },
};

static void members_are_like_files_of_a_folder(void **state)
{
	struct logs *logs = *state;

	for (int kind = TAR; kind <= ZIP; kind++) {
		const struct slice bytes = archive_of(&logs->mem, kind, two_logs);
		check_archive(logs, "run", bytes, "run/run/gpu.csv nvidia-smi-csv 3; run/vmstat.txt vmstat 1 | notes.txt", "");
		check_archive(logs, "run", gzip_of(&logs->mem, bytes),
			"run/run/gpu.csv nvidia-smi-csv 3; run/vmstat.txt vmstat 1 | notes.txt", "");
	}
}

static void options_and_digests_know_members(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const struct slice bytes = archive_of(&logs->mem, TAR, two_logs);
	const struct file_option option = { "gpu.csv", "UTC-5" };

	assert_true(ingest(run, folder_put(&logs->folder, &logs->mem, "run.tar", bytes)));
	assert_true(ingest(run, folder_put(&logs->folder, &logs->mem, "gpu.csv", slice_of(GPU_LOG))));
	const struct recording *member = run->recordings[0], *file = run->recordings[2];
	assert_string_equal(member->name, "gpu.csv");
	assert_string_equal(file_option_for((struct file_options){ &option, 1 }, member->path), "UTC-5");
	assert_string_equal(member->digest, file->digest);
	assert_int_equal(member->bytes, sizeof GPU_LOG - 1);
	assert_string_equal(path_name(member->archive), "run.tar");
	assert_string_equal(member->archive_digest, run->recordings[1]->archive_digest);
	assert_string_not_equal(member->archive_digest, member->digest);
	assert_null(file->archive);
}

static void only_plain_visible_files_are_members(void **state)
{
	struct logs *logs = *state;
	const struct slice log = slice_of(GPU_LOG);
	const struct slice packed = gzip_of(&logs->mem, log), inner = archive_of(&logs->mem, TAR, two_logs);
	const struct member members[] = {
		{ "dir", { NULL, 0 }, AE_IFDIR },          { "link.csv", { NULL, 0 }, AE_IFLNK },
		{ "pipe.csv", { NULL, 0 }, AE_IFIFO },     { "__MACOSX/._gpu.csv", log, 0 },
		{ "./gpu.csv.gz", packed, 0 },             { "../../up.csv", log, 0 },
		{ "gpu.csv", log, 0 },                     { "gpu.csv", log, 0 },
		{ "gpu.csv", log, 0 },                     { "inner.tar", inner, 0 },
		{ "bell\a.csv", log, 0 },                  { NULL, { NULL, 0 }, 0 },
	};

	check_archive(logs, "x.tar", archive_of(&logs->mem, TAR, members),
		"x.tar/../../up.csv nvidia-smi-csv 3; x.tar/bell?.csv nvidia-smi-csv 3; x.tar/gpu.csv nvidia-smi-csv 3; "
		"x.tar/gpu.csv#2 nvidia-smi-csv 3; x.tar/gpu.csv#3 nvidia-smi-csv 3; x.tar/gpu.csv.gz nvidia-smi-csv 3 | inner.tar",
		"x.tar/inner.tar: warning: not-a-log: a tar archive inside an archive is not opened\n");
}

static size_t count_rows(const struct run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_recordings; i++)
		n += run->recordings[i]->n_rows;
	return n;
}

/*
 * Cut anywhere: never more than was there, and something said. A tar gives row after row; of a zip libarchive keeps back
 * the end of the member at which it ends, if that is in the few bytes that follow its data.
 */
static void cut_archives_give_what_stands_before_the_cut(void **state)
{
	struct logs *logs = *state;

	for (int kind = TAR; kind <= ZIP; kind++) {
		const struct slice bytes = archive_of(&logs->mem, kind, two_logs);
		size_t before = 0, most = 0;

		for (size_t n = 1; n < bytes.n; n += kind == TAR ? 7 : 1) {
			struct run *run = run_new(&logs->mem, "run", &logs->diags);
			ingest(run, folder_put(&logs->folder, &logs->mem, "cut", (struct slice){ bytes.p, n }));
			const size_t n_rows = count_rows(run);
			assert_true(n_rows <= 4 && (kind == ZIP || n_rows >= before));
			assert_true(n_rows == 4 || logs->diags.n);
			before = n_rows;
			most = n_rows > most ? n_rows : most;
			take_complaints(logs);
		}
		assert_int_equal(most, 4);
	}
}

static void says_what_is_wrong_with_an_archive(void **state)
{
	struct logs *logs = *state;
	const struct slice tar = archive_of(&logs->mem, TAR, two_logs), zip = archive_of(&logs->mem, ZIP, two_logs);
	const struct member none[] = { { "dir", { NULL, 0 }, AE_IFDIR }, { NULL, { NULL, 0 }, 0 } };
	const struct member other[] = { { "a", { "1\n", 2 }, 0 }, { NULL, { NULL, 0 }, 0 } };
	char *bent = NEW_ARRAY(&logs->mem, char, tar.n);

	check_archive(logs, "x", (struct slice){ tar.p, 512 + 100 }, "x/run/gpu.csv nvidia-smi-csv 1",
		"x/run/gpu.csv:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n"
		"x: warning: damaged-archive: the tar archive ends early; what came before is used\n");
	check_archive(logs, "x", (struct slice){ tar.p, 1024 }, "x/run/gpu.csv nvidia-smi-csv 3",
		"x: warning: damaged-archive: the tar archive ends early; what came before is used\n");
	check_archive(logs, "x", archive_of(&logs->mem, TAR, none), " | x", "x: error: no-logs: the archive holds no files\n");
	check_archive(logs, "x", archive_of(&logs->mem, ZIP, other), " | a, x",
		"x/a: warning: not-a-log: there is one line in it, and no sample: '1'\n"
		"x: error: no-logs: the only file in the archive could not be used as a log\n");
	memcpy(bent, tar.p, tar.n);
	bent[0] ^= 1;
	check_archive(logs, "x", (struct slice){ bent, tar.n }, " | x",
		"x: warning: not-a-log: a tar archive whose first header is damaged\n");
	memcpy(bent, zip.p, zip.n);
	bent[6] |= 1;
	check_archive(logs, "x", (struct slice){ bent, zip.n }, " | x",
		"x: warning: damaged-archive: the zip archive is damaged; what came before is used\n"
		"x: error: cannot-read: 1 member is encrypted; unpack it first\n"
		"x: error: no-logs: the archive holds no files\n");
}

/* Unread files of several folders are all kept. */
static void lists_the_unread_files_of_all_folders(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	for (size_t i = 0; i < 20; i++)
		folder_put(&logs->folder, &logs->mem, arena_print(&logs->mem, "note%02zu", i), slice_of("one\ntwo\n"));
	const char *const log = folder_put(&logs->folder, &logs->mem, "gpu.csv", slice_of(GPU_LOG));
	assert_true(ingest(run, logs->folder.path));
	folder_put(&logs->folder, &logs->mem, "later.csv", slice_of(GPU_LOG));
	assert_int_equal(unlink(log), 0);
	assert_true(ingest(run, logs->folder.path));
	assert_int_equal(run->n_unread_files, 40);
	assert_string_equal(run->unread_files[0].name, "note00");
	assert_string_equal(run->unread_files[39].name, "note19");
}

/* The report names what it was asked to be of, and says what of that it is not of. */
static void lists_inputs_that_gave_nothing(void **state)
{
	struct logs *logs = *state;
	struct arena *const mem = &logs->mem;
	struct run *run = run_new(mem, run_name(mem, (const char *[]){ "a/gpu.csv", "b/gpu.csv" }, 2), &logs->diags);

	assert_string_equal(run->name, "gpu.csv");
	assert_false(ingest(run, "not/here.csv"));
	const char *const empty = folder_put(&logs->folder, mem, "empty", slice_of(""));
	assert_false(ingest(run, empty));
	assert_true(ingest(run, folder_put(&logs->folder, mem, "gpu.csv", slice_of(GPU_LOG))));
	assert_int_equal(run->n_unread_files, 2);
	assert_string_equal(run->unread_files[0].name, "not/here.csv");
	assert_string_equal(run->unread_files[0].why, "cannot open: No such file or directory");
	assert_string_equal(run->unread_files[1].name, empty);
	assert_string_equal(run->unread_files[1].why, "the file is empty");
}

#define GOES_ON(with) "warning: guess: no header; it is taken to go on with " with ", and to have its columns\n"

/* logrotate moves a log away, and with it the header; where the logger still has it open the first row is a part of one. */
static void a_log_goes_on_with_the_one_moved_away(void **state)
{
	static const char rest[] = "2026/11/21 01:49:34.000, 0, 4 %\n2026/11/21 01:49:35.000, 0, 5 %\n";
	static const struct {
		const char *names[3], *texts[3], *taken, *complaints;
	} cases[] = {
		{ { "a/gpu.csv", "a/gpu.csv.1" }, { rest, GPU_LOG },
		  "a/gpu.csv.1 nvidia-smi-csv 3; a/gpu.csv nvidia-smi-csv 2", "a/gpu.csv: " GOES_ON("gpu.csv.1") },
		{ { "b/gpu.csv", "b/gpu.csv-20261120" }, { "9:33.000, 0, 3 %\n2026/11/21 01:49:34.000, 0, 4 %\n", GPU_LOG },
		  "b/gpu.csv-20261120 nvidia-smi-csv 3; b/gpu.csv nvidia-smi-csv 1",
		  "b/gpu.csv: " GOES_ON("gpu.csv-20261120")
		  "b/gpu.csv:1:1: warning: bad-time: '9:33.000' is no time stamp, expected like 2026/11/21 01:48:34.387; row not used\n" },
		{ { "c/gpu.csv", "c/gpu.csv.1", "c/gpu.csv.2" }, { "2026/11/21 01:49:36.000, 0, 6 %\n", rest, GPU_LOG },
		  "c/gpu.csv.2 nvidia-smi-csv 3; c/gpu.csv nvidia-smi-csv 1; c/gpu.csv.1 nvidia-smi-csv 2",
		  "c/gpu.csv: " GOES_ON("gpu.csv.2") "c/gpu.csv.1: " GOES_ON("gpu.csv.2") },
		/* of another name, or with other cells, it is none of its parts */
		{ { "d/gpu.csv", "d/old.csv" }, { rest, GPU_LOG }, "d/old.csv nvidia-smi-csv 3 | gpu.csv",
		  "d/gpu.csv: error: no-header: no header says what the columns are; a guess, to be checked: --columns "
		  "gpu.csv=timestamp,index,utilization.gpu (1: time stamps; 2: whole numbers 0 to 0; 3: 4 to 5 %)\n" },
		{ { "e/gpu.csv", "e/gpu.csv.1" }, { "2026/11/21 01:49:34.000, 0\n2026/11/21 01:49:35.000, 0\n", GPU_LOG },
		  "e/gpu.csv.1 nvidia-smi-csv 3 | gpu.csv",
		  "e/gpu.csv: error: no-header: no header says what the columns are; a guess, to be checked: --columns "
		  "gpu.csv=timestamp,index (1: time stamps; 2: whole numbers 0 to 0)\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		const char *const folder = arena_print(&logs->mem, "%s/%c", logs->folder.path, cases[i].names[0][0]);
		assert_int_equal(mkdir(folder, 0700), 0);
		for (size_t k = 0; k < 3 && cases[i].names[k]; k++)
			folder_put(&logs->folder, &logs->mem, cases[i].names[k], slice_of(cases[i].texts[k]));
		assert_true(ingest(run, folder));
		assert_string_equal(taken(logs, run), cases[i].taken);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}

static void the_standard_input_is_an_input(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, run_name(&logs->mem, (const char *[]){ "-" }, 1), &logs->diags);
	const struct file_option option = { "-", "UTC-5" };
	const int before = dup(STDIN_FILENO);
	const int file = open(folder_put(&logs->folder, &logs->mem, "f", archive_of(&logs->mem, ZIP, two_logs)), O_RDONLY);

	dup2(file, STDIN_FILENO);
	lseek(file, 0, SEEK_SET);
	assert_true(ingest(run, "-"));
	dup2(open(folder_put(&logs->folder, &logs->mem, "g", slice_of(GPU_LOG)), O_RDONLY), STDIN_FILENO);
	assert_true(ingest(run, "-"));
	if (before >= 0)
		dup2(before, STDIN_FILENO);
	assert_string_equal(taken(logs, run),
		"standard input/run/gpu.csv nvidia-smi-csv 3; standard input/vmstat.txt vmstat 1; "
		"standard input nvidia-smi-csv 3 | notes.txt");
	assert_string_equal(run->name, "standard input");
	assert_string_equal(file_option_for((struct file_options){ &option, 1 }, run->recordings[2]->path), "UTC-5");
	assert_null(file_option_for((struct file_options){ &option, 1 }, run->recordings[0]->path));
	assert_string_equal(take_complaints(logs), "");
}

/* By whatever names it comes: given twice, by a link, in a folder that was given too. A copy is another file. */
static void one_file_is_read_once(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *const log = folder_put(&logs->folder, &logs->mem, "b.csv", slice_of(GPU_LOG));

	assert_int_equal(link(log, arena_print(&logs->mem, "%s/a.csv", logs->folder.path)), 0);
	assert_int_equal(symlink("b.csv", arena_print(&logs->mem, "%s/c.csv", logs->folder.path)), 0);
	folder_put(&logs->folder, &logs->mem, "d.csv", slice_of(GPU_LOG));
	assert_true(ingest(run, logs->folder.path));
	assert_false(ingest(run, log));
	assert_string_equal(taken(logs, run), "a.csv nvidia-smi-csv 3; d.csv nvidia-smi-csv 3 | b.csv, c.csv, b.csv");
	assert_int_equal(logs->diags.n, 3);
	for (size_t i = 0; i < logs->diags.n; i++) {
		assert_int_equal(logs->diags.at[i].code, DIAG_SAME_FILE);
		assert_string_equal(logs->diags.at[i].text,
			arena_print(&logs->mem, "it is the same file as %s/a.csv; it is used once", logs->folder.path));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(members_are_like_files_of_a_folder, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(options_and_digests_know_members, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(only_plain_visible_files_are_members, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cut_archives_give_what_stands_before_the_cut, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_is_wrong_with_an_archive, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(lists_the_unread_files_of_all_folders, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(lists_inputs_that_gave_nothing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_log_goes_on_with_the_one_moved_away, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_standard_input_is_an_input, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_file_is_read_once, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
