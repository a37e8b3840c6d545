/*
 * apart_test.c - the writer takes what the worker hands over, writes that and nothing else, and ends as the worker did. The worker is a child.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "files.h"

#include "cmd/apart.h"
#include "cmd/cmd.h"

#include <signal.h>
#include <sys/socket.h>

#define MOST ((size_t)100)

static const char *const known[] = { "report.txt", "report.json" };
#define N_KNOWN (sizeof known / sizeof *known)

struct words { /* before the bytes of a file: which one, and how many */
	size_t number, n_bytes;
};

static int hands_over(struct fixture *f, const struct apart *worker)
{
	static const struct folder_file files[] = { { "report.json", { "{}\n", 3 } }, { "report.txt", { "all is well\n", 12 } } };
	struct folder_claim none = { "out", -1 };

	return apart_write(worker, &none, &(struct folder_files_given){ files, 2, known, N_KNOWN }, &f->diags) ? 4 : 9;
}

static int hands_over_nothing(struct fixture *f, const struct apart *worker)
{
	(void)f;
	(void)worker;
	return 3;
}

/*
 * A file as a worker would hand it over that a log has taken over, with all bytes that are announced, and that this was all. At once: who
 * refuses it closes the socket.
 */
static int sends(const struct apart *worker, size_t number, size_t n)
{
	const struct words words = { number, n }, no_more = { SIZE_MAX, 0 };
	char all[2 * sizeof words + MOST + 1] = { 0 }, written = 0;

	memcpy(all, &words, sizeof words);
	memcpy(all + sizeof words + n, &no_more, sizeof no_more);
	if (write(worker->other, all, 2 * sizeof words + n) != (ssize_t)(2 * sizeof words + n))
		return 9;
	return read(worker->other, &written, 1) == 1 && written ? 0 : 1; /* as a worker does, which waits for it */
}

static int sends_a_file(struct fixture *f, const struct apart *worker)
{
	(void)f;
	return sends(worker, 1, MOST);
}

static int names_a_file_of_its_own(struct fixture *f, const struct apart *worker)
{
	(void)f;
	return sends(worker, N_KNOWN, 1);
}

static int sends_too_much(struct fixture *f, const struct apart *worker)
{
	(void)f;
	return sends(worker, 0, MOST + 1);
}

static int breaks_off(struct fixture *f, const struct apart *worker)
{
	const struct words words = { 0, MOST };

	(void)f;
	return write(worker->other, &words, sizeof words) == sizeof words ? 0 : 9;
}

/* How the writer ends of such a worker. */
static int served(struct fixture *f, int (*work)(struct fixture *f, const struct apart *worker))
{
	struct folder_claim claim;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_true(folder_claim(&claim, arena_print(&f->mem, "%s/out", f->folder.path), &f->diags));
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		exit(work(f, &(struct apart){ PART_WORKER, ends[1], 0 }));
	}
	close(ends[1]);
	const int how = apart_serve(&(struct apart){ PART_WRITER, ends[0], child }, &claim, known, N_KNOWN, MOST,
		&f->diags);
	folder_leave(&claim);
	return how;
}

static bool is_there(struct fixture *f, const char *name)
{
	return access(arena_print(&f->mem, "%s/out/%s", f->folder.path, name), F_OK) == 0;
}

static void what_is_handed_over_is_written(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(served(f, hands_over), 4);
	assert_true(is_there(f, "report.txt") && is_there(f, "report.json"));
	assert_int_equal(served(f, sends_a_file), 0);
}

static void a_worker_that_is_not_done_has_nothing_written(void **state)
{
	static const struct {
		int (*work)(struct fixture *f, const struct apart *worker);
		int how;
	} cases[] = {
		{ hands_over_nothing, 3 },
		{ names_a_file_of_its_own, 1 },
		{ sends_too_much, 1 },
		{ breaks_off, 0 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(served(f, cases[i].work), cases[i].how);
		assert_false(is_there(f, "."));
	}
}

static void a_worker_without_its_writer_says_so(void **state)
{
	struct fixture *f = *state;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[0]);
	assert_int_equal(hands_over(f, &(struct apart){ PART_WORKER, ends[1], 0 }), 9);
	assert_string_equal(message(f, 0),
		"out: error: cannot-write: the process that writes it could not be reached; the report may not be there");
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_handed_over_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_worker_that_is_not_done_has_nothing_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_worker_without_its_writer_says_so, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("apart", tests, NULL, NULL);
}
