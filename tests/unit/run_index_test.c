/*
 * run_index_test.c - an index is whole or it is not used: any byte that is cut off or changed is noticed. What several publish at once is whole.
 */
#define _GNU_SOURCE /* RENAME_EXCHANGE */
#include "cmd/run_index.h"

#include "base/file.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RULES "xxh128:00112233445566778899aabbccddeeff"

static const struct index_head shard = { .rules = RULES, .rate = "2.500000 EUR", .runs = 3, .work = "xxh128:ff", .shard = 1, .shards = 2 };

static const char *written(struct fixture *f, const struct index_head *head)
{
	const char *const path = arena_print(&f->mem, "%s/deep/part.jsonl", f->folder.path);
	struct index_writer w;

	index_begin(&f->mem, &w, path, head);
	index_put(&w, slice_of("{\"id\":\"a\",\"status\":\"ok\"}"));
	index_put(&w, slice_of("{\"id\":\"b/c\",\"status\":\"timeout\"}"));
	assert_true(index_end(&w, &f->diags));
	return path;
}

static void is_read_as_it_was_written(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &shard);
	struct index_reader r;
	struct index_head head;
	struct slice line;

	assert_int_equal(index_check(&f->mem, path, &head), INDEX_THERE);
	assert_int_equal(head.records, 2);
	assert_int_equal(head.runs, 3);
	assert_int_equal(head.shard, 1);
	assert_string_equal(head.work, "xxh128:ff");
	assert_string_equal(head.rate, "2.500000 EUR");
	assert_true(index_open(&f->mem, &r, path));
	assert_true(index_next(&r, &line) && slice_is(index_text(line, "id"), "a"));
	assert_true(index_next(&r, &line) && slice_is(index_text(line, "id"), "b/c"));
	assert_false(index_next(&r, &line));
	index_close(&r);
	assert_int_equal(index_check(&f->mem, "no/such.jsonl", &head), INDEX_MISSING);
}

static void every_cut_and_every_change_is_noticed(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &shard);
	struct index_head head;
	struct slice whole;

	assert_true(file_slurp(&f->mem, path, 4096, &whole, &f->diags));
	for (size_t i = 0; i < whole.n; i++) {
		const char *const cut = folder_put(&f->folder, &f->mem, "cut.jsonl", (struct slice){ whole.p, i });
		assert_int_equal(index_check(&f->mem, cut, &head), INDEX_DAMAGED);
		char *const changed = arena_text(&f->mem, whole.p, whole.n);
		changed[i] ^= 1;
		const char *const other = folder_put(&f->folder, &f->mem, "other.jsonl", (struct slice){ changed, whole.n });
		assert_int_equal(index_check(&f->mem, other, &head), INDEX_DAMAGED);
	}
}

static void an_index_says_nothing_of_shards(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &(struct index_head){ .rules = RULES, .runs = 3, .missing = 1 });
	struct slice whole;

	assert_true(file_slurp(&f->mem, path, 4096, &whole, &f->diags));
	assert_false(slice_has(whole, "shard"));
	assert_true(slice_has(whole, "\"runs\":3,\"missing\":1}"));
}

static void what_cannot_be_written_leaves_what_was_there(void **state)
{
	struct fixture *f = *state;
	const char *const path = arena_print(&f->mem, "%s/taken", f->folder.path);
	struct publication p;

	assert_int_equal(mkdir(path, 0700), 0); /* a folder of that name, with something in it */
	folder_put(&f->folder, &f->mem, "taken/inside", slice_of("x"));
	publish_begin(&f->mem, &p, path);
	publish_put(&p, slice_of("new"));
	assert_false(publish_end(&p, &f->diags));
	assert_true(path_is_folder(path));
	assert_int_equal(f->diags.at[0].code, DIAG_CANNOT_WRITE);
	size_t n;
	folder_files(&f->mem, f->folder.path, &n, &f->diags);
	assert_int_equal(n, 0);
}

/* As on NFS: no two can change places. */
static bool forbid_exchange(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 4 * sizeof(uint64_t)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RENAME_EXCHANGE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define N_PUBLISHED 300

/* 0: each time a report was there as a whole, ours or the same by somebody else. */
static int publish_often(struct fixture *f, const char *path)
{
	for (int i = 0; i < N_PUBLISHED; i++) {
		const char *const attempt = attempt_name(&f->mem, path);
		if (mkdir(attempt, 0700) != 0)
			return 1;
		for (int k = 0; k < 5; k++) {
			const int fd = open(arena_print(&f->mem, "%s/file-%d", attempt, k), O_WRONLY | O_CREAT, 0600);
			if (fd < 0 || close(fd) != 0)
				return 2;
		}
		if (!publish_folder(attempt, path, &f->diags))
			return 3;
	}
	return 0;
}

static void two_may_publish_the_same_at_once(void **state)
{
	struct fixture *f = *state;
	const char *const path = arena_print(&f->mem, "%s/report", f->folder.path);
	pid_t twins[4];
	size_t n = 0;

	for (size_t i = 0; i < 4; i++) {
		twins[i] = fork();
		assert_true(twins[i] >= 0);
		if (twins[i] == 0)
			_exit(forbid_exchange() ? publish_often(f, path) : 9);
	}
	for (size_t i = 0; i < 4; i++) {
		int how;
		assert_int_equal(waitpid(twins[i], &how, 0), twins[i]);
		assert_int_equal(how, 0);
	}
	folder_files(&f->mem, path, &n, &f->diags);
	assert_int_equal(n, 5);
	DIR *const beside = opendir(f->folder.path);
	assert_non_null(beside);
	for (const struct dirent *entry; (entry = readdir(beside));)
		assert_true(strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || strcmp(entry->d_name, "report") == 0);
	closedir(beside);
}

static void a_text_ends_at_its_own_quote(void **state)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "{\"why\":\"Field \\\"x\\\" is none\",\"n\":1}", "Field \\\"x\\\" is none" },
		{ "{\"why\":\"ends in \\\\\",\"n\":1}", "ends in \\\\" },
		{ "{\"why\":null}", "null" },
		{ "{\"other\":\"x\"}", "" },
		{ "{\"why\":\"cut\\", "cut\\" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(slice_is(index_text(slice_of(cases[i].line), "why"), cases[i].text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_read_as_it_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_cut_and_every_change_is_noticed, set_up, tear_down),
		cmocka_unit_test(a_text_ends_at_its_own_quote),
		cmocka_unit_test_setup_teardown(an_index_says_nothing_of_shards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_written_leaves_what_was_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_may_publish_the_same_at_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
