/* sandbox_test.c - behind the walls only what was named can be read and written, and nothing can be started. Each try is a child's. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sandbox.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WALLS_LACK 255

struct place {
	struct folder folder;
	struct arena mem;
	const char *in, *other; /* folders below it */
	const char *file;
	long call;
};

static void place_open(struct place *p)
{
	folder_open(&p->folder);
	arena_init(&p->mem);
	p->in = arena_print(&p->mem, "%s/in", p->folder.path);
	p->other = arena_print(&p->mem, "%s/other", p->folder.path);
	mkdir(p->in, 0700);
	mkdir(p->other, 0700);
	folder_put(&p->folder, &p->mem, "in/log", slice_of("a log"));
	folder_put(&p->folder, &p->mem, "other/secret", slice_of("a secret"));
	p->file = folder_put(&p->folder, &p->mem, "other/named", slice_of("a log"));
	if (symlink("../other/secret", arena_print(&p->mem, "%s/link", p->in)))
		abort();
}

static void place_close(struct place *p)
{
	folder_remove(&p->mem, p->folder.path);
	arena_release(&p->mem);
}

/* What a child found behind the walls: an errno, 0 for none; or, negative, the signal that ended it. */
static int behind_the_walls(struct place *p, int (*attempt)(struct place *p))
{
	const char *const readable[] = { p->in, "/there/is/no/such/path", p->file };
	const unsigned offered = sandbox_offered();
	int status = 0;

	const pid_t child = fork();
	if (child == 0) {
		if (sandbox_enter(readable, sizeof readable / sizeof *readable) != offered)
			_exit(WALLS_LACK);
		errno = 0;
		_exit(attempt(p));
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int opened(struct place *p, const char *name, int flags)
{
	const int fd = open(arena_print(&p->mem, "%s/%s", p->folder.path, name), flags, 0600);

	return fd < 0 ? errno : 0;
}

static int read_input(struct place *p)
{
	return opened(p, "in/log", O_RDONLY);
}

static int write_input(struct place *p)
{
	return opened(p, "in/log", O_WRONLY);
}

static int make_beside_input(struct place *p)
{
	return opened(p, "in/new", O_WRONLY | O_CREAT);
}

static int read_other(struct place *p)
{
	return opened(p, "other/secret", O_RDONLY);
}

static int read_through_a_link(struct place *p)
{
	return opened(p, "in/link", O_RDONLY);
}

static int climb(struct place *p)
{
	return opened(p, "in/../other/secret", O_RDONLY);
}

static int read_named(struct place *p)
{
	return opened(p, "other/named", O_RDONLY);
}

static int make_elsewhere(struct place *p)
{
	return opened(p, "new", O_WRONLY | O_CREAT);
}

static int remove_other(struct place *p)
{
	return unlink(arena_print(&p->mem, "%s/secret", p->other)) ? errno : 0;
}

static int start_a_program(struct place *p)
{
	(void)p;
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int open_a_socket(struct place *p)
{
	(void)p;
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int start_a_process(struct place *p)
{
	(void)p;
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	return child < 0 ? errno : 0;
}

static int ask_something_else(struct place *p)
{
	(void)p;
	return chmod("/tmp", 0777) ? errno : 0;
}

/* Of a thread by its number, 0 for its own: which cores it may use, said again. */
static int say_its_cores(pid_t thread)
{
	cpu_set_t ours;

	if (sched_getaffinity(0, sizeof ours, &ours) != 0 || sched_setaffinity(thread, sizeof ours, &ours) != 0)
		return errno;
	return 0;
}

static int say_own_cores(struct place *p)
{
	(void)p;
	return say_its_cores(0);
}

static int say_cores_of_another(struct place *p)
{
	(void)p;
	return say_its_cores(1);
}

/*
 * Numbers above all that any machine has are asked for, too; -1 is nothing that a call could do something with. Of two calls that probes
 * put into a program (x86-64, Linux 6.11 and later) no filter is asked.
 */
static int ask_all_that_no_row_names(struct place *p)
{
	enum { URETPROBE = 335, UPROBE = 336, N = 1024 };
	bool is_named[N] = {
		[SYS_ioctl] = true, [SYS_sched_setaffinity] = true, [SYS_clone] = true, [URETPROBE] = true, [UPROBE] = true
	};

	(void)p;
#define ALLOWED(name, what_for) is_named[SYS_##name] = true;
#define FORBIDDEN(name) is_named[SYS_##name] = true;
#include "base/sandbox_calls.def"
#undef FORBIDDEN
#undef ALLOWED
	for (long number = 0; number < N; number++)
		if (!is_named[number] && (syscall(number, -1, -1, -1, -1, -1, -1) != -1 || errno != ENOSYS))
			return 1;
	return ENOSYS;
}

static int print_a_line(struct place *p)
{
	(void)p;
	return printf("\n") < 0 || fflush(stdout) != 0 ? errno : 0;
}

static int allocate(struct place *p)
{
	enum { N = 1 << 20 };
	int *const numbers = malloc(N * sizeof *numbers);

	(void)p;
	if (!numbers)
		return ENOMEM;
	free(numbers);
	return 0;
}

static const struct {
	const char *what;
	int (*attempt)(struct place *p);
	unsigned wall; /* that it runs against; 0: it must go well */
	int expected;
} attempts[] = {
	{ "read an input", read_input, 0, 0 },
	{ "write an input", write_input, SANDBOX_FILES, EACCES },
	{ "make a file beside an input", make_beside_input, SANDBOX_FILES, EACCES },
	{ "read another file", read_other, SANDBOX_FILES, EACCES },
	{ "read another file through a link beside an input", read_through_a_link, SANDBOX_FILES, EACCES },
	{ "read the one that is named in a folder", read_named, 0, 0 },
	{ "climb out of the inputs", climb, SANDBOX_FILES, EACCES },
	{ "make a file elsewhere", make_elsewhere, SANDBOX_FILES, EACCES },
	{ "remove another file", remove_other, SANDBOX_CALLS, ENOSYS },
	{ "start a program", start_a_program, SANDBOX_CALLS, -SIGSYS },
	{ "open a socket", open_a_socket, SANDBOX_CALLS, -SIGSYS },
	{ "start a process", start_a_process, SANDBOX_CALLS, ENOSYS },
	{ "make a call that no report makes", ask_something_else, SANDBOX_CALLS, ENOSYS },
	{ "make all calls that no row names", ask_all_that_no_row_names, SANDBOX_CALLS, ENOSYS },
	{ "say which cores it uses itself", say_own_cores, 0, 0 },
	{ "say which cores another uses", say_cores_of_another, SANDBOX_CALLS, ENOSYS },
	{ "print a line", print_a_line, 0, 0 },
	{ "allocate", allocate, 0, 0 },
};

static void the_walls_hold(void **state)
{
	struct place p;

	(void)state;
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		place_open(&p);
		const int found = behind_the_walls(&p, attempts[i].attempt);
		place_close(&p);
		if ((attempts[i].wall & sandbox_offered()) != attempts[i].wall) {
			print_message("not tried, there is no such wall here: %s\n", attempts[i].what);
			continue;
		}
		if (found != attempts[i].expected)
			fail_msg("%s: %d, expected %d", attempts[i].what, found, attempts[i].expected);
	}
}

static int make_the_call(struct place *p)
{
	return syscall(p->call, -1, -1, -1, -1, -1, -1) == -1 ? errno : 0;
}

/* What is answered by the kernel itself, which knows the call. Not asked: what does not come back, and what does not know -1. */
static void rows_are_answered_as_they_say(void **state)
{
	static const struct {
		long call;
		bool is_forbidden;
	} rows[] = {
#define ALLOWED(name, what_for) { SYS_##name, false },
#define FORBIDDEN(name) { SYS_##name, true },
#include "base/sandbox_calls.def"
#undef FORBIDDEN
#undef ALLOWED
	};
	struct place p;

	(void)state;
	if (!(sandbox_offered() & SANDBOX_CALLS))
		return;
	place_open(&p);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		p.call = rows[i].call;
		if (p.call == SYS_exit || p.call == SYS_exit_group || p.call == SYS_rt_sigreturn || p.call == SYS_futex)
			continue;
		const int found = behind_the_walls(&p, make_the_call);
		if (rows[i].is_forbidden ? found != -SIGSYS : found < 0 || found == ENOSYS)
			fail_msg("call %ld: %d", p.call, found);
	}
	place_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walls_hold),
		cmocka_unit_test(rows_are_answered_as_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
