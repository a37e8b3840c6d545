#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "cmd/apart.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before the bytes of each file; behind the last one with `number` = NO_MORE. */
struct label {
	size_t number; /* among the names that are known */
	size_t n_bytes;
};
#define NO_MORE SIZE_MAX

static bool send_bytes(const struct apart *a, const void *bytes, size_t n)
{
	return fd_write(a->other, (struct slice){ bytes, n });
}

static bool receive_bytes(const struct apart *a, void *bytes, size_t n)
{
	return fd_read(a->other, bytes, n) == (ssize_t)n;
}

/* ------------------------------------------------ two processes */

struct apart apart_begin(void)
{
	const pid_t writer = getpid();
	int ends[2];

	if (!sandbox_offered() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return (struct apart){ PART_ALL, -1, 0 };
	fflush(NULL); /* or both would print it */
	const pid_t worker = fork();
	if (worker >= 0)
		memory_begin_apart();
	if (worker == 0) {
		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != writer)
			_exit(EXIT_OUTPUT);
		return (struct apart){ PART_WORKER, ends[1], 0 };
	}
	close(ends[1]);
	if (worker > 0)
		return (struct apart){ PART_WRITER, ends[0], worker };
	close(ends[0]);
	return (struct apart){ PART_ALL, -1, 0 };
}

/* ------------------------------------------------ the worker */

static size_t number_of(const struct folder_files_given *files, const char *name)
{
	for (size_t i = 0; i < files->n_known; i++)
		if (strcmp(files->known[i], name) == 0)
			return i;
	BUG("a file that the writer does not know");
}

static bool hand_over(const struct apart *a, const struct folder_files_given *files)
{
	bool good = true;

	for (size_t i = 0; i < files->n && good; i++) {
		const struct slice content = files->at[i].content;
		const struct label label = { number_of(files, files->at[i].name), content.n };
		good = send_bytes(a, &label, sizeof label) && send_bytes(a, content.p, content.n);
	}
	return good && send_bytes(a, &(struct label){ NO_MORE, 0 }, sizeof(struct label));
}

bool apart_write(const struct apart *a, struct folder_claim *folder, const struct folder_files_given *files, struct diags *diags)
{
	bool written = false;

	if (a->part == PART_ALL)
		return folder_write(folder, files, diags);
	const bool good = hand_over(a, files);
	memory_trim(); /* to give back what pictures took is part of an end that the other one would wait for; now it has work itself */
	if (!good || !receive_bytes(a, &written, sizeof written))
		return diag_at(diags, (struct place){ folder->path, 0, 0 }, DIAG_CANNOT_WRITE,
			"the process that writes it could not be reached; the report may not be there");
	return written;
}

/* ------------------------------------------------ the writer */

/* False when the worker is gone, or has not handed over what a worker does. */
static bool take(const struct apart *a, struct arena *mem, struct folder_files_given *files, size_t max_bytes)
{
	struct folder_file *const at = NEW_ARRAY(mem, struct folder_file, files->n_known);
	struct label label;

	files->at = at;
	while (receive_bytes(a, &label, sizeof label)) {
		if (label.number == NO_MORE)
			return true;
		if (label.number >= files->n_known || files->n == files->n_known || label.n_bytes > max_bytes)
			return false;
		char *const content = NEW_RAW_ARRAY(mem, char, label.n_bytes);
		if (!receive_bytes(a, content, label.n_bytes))
			return false;
		at[files->n++] = (struct folder_file){ files->known[label.number], { content, label.n_bytes } };
	}
	return false;
}

/* A worker that a signal ended: the same one ends us, and if it was no interruption it is told. */
static int end_alike(int how, bool written)
{
	if (WIFEXITED(how))
		return WEXITSTATUS(how);
	const int number = WTERMSIG(how);
	if (number != SIGINT && number != SIGTERM && number != SIGHUP)
		fprintf(stderr, "postrun: what reads the logs was ended by signal %d (%s)%s\n", number, strsignal(number),
			written ? "" : "; nothing was written");
	signal(number, SIG_DFL);
	raise(number);
	return EXIT_OUTPUT;
}

int apart_serve(const struct apart *a, struct folder_claim *folder, const char *const *known, size_t n_known, size_t max_bytes,
	struct diags *diags)
{
	struct folder_files_given files = { .known = known, .n_known = n_known };
	struct arena mem;
	bool written = false;
	int how = 0;

	arena_init(&mem);
	if (take(a, &mem, &files, max_bytes)) {
		written = folder_write(folder, &files, diags);
		print_diags(diags, SIZE_MAX, false);
		send_bytes(a, &written, sizeof written);
	}
	close(a->other);
	while (waitpid(a->worker, &how, 0) < 0 && errno == EINTR)
		;
	arena_release(&mem);
	return end_alike(how, written);
}
