#define _GNU_SOURCE /* pipe2 */
#include "cmd/apart.h"

#include "base/file.h"
#include "base/sandbox.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before the bytes of each file; behind the last one with `number` = NO_MORE. */
struct label {
	size_t number; /* among the names that are known */
	size_t n_bytes;
};
#define NO_MORE SIZE_MAX

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool send_bytes(int to, const void *bytes, size_t n)
{
	return fd_write(to, (struct slice){ bytes, n });
}

static bool receive_bytes(int from, void *bytes, size_t n)
{
	char *at = bytes;

	while (n) {
		const ssize_t got = read(from, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

/* ------------------------------------------------ two processes */

struct apart apart_begin(void)
{
	struct apart a = { PART_ALL, -1, -1, 0 };
	int files[2] = { -1, -1 }, answer[2] = { -1, -1 };
	const pid_t writer = getpid();

	if (!sandbox_offered() || pipe2(files, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) {
		shut(&files[0]);
		shut(&files[1]);
		return a;
	}
	fflush(NULL); /* or both would print it */
	a.worker = fork();
	if (a.worker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != writer)
			_exit(EXIT_OUTPUT);
	}
	a.part = a.worker < 0 ? PART_ALL : a.worker == 0 ? PART_WORKER : PART_WRITER;
	a.to = a.part == PART_WORKER ? files[1] : a.part == PART_WRITER ? answer[1] : -1;
	a.from = a.part == PART_WORKER ? answer[0] : a.part == PART_WRITER ? files[0] : -1;
	for (int i = 0; i < 2; i++) {
		if (files[i] != a.to && files[i] != a.from)
			close(files[i]);
		if (answer[i] != a.to && answer[i] != a.from)
			close(answer[i]);
	}
	return a;
}

/* ------------------------------------------------ the worker */

static size_t number_of(const struct folder_files_given *files, const char *name)
{
	for (size_t i = 0; i < files->n_known; i++)
		if (strcmp(files->known[i], name) == 0)
			return i;
	BUG("a file that the writer does not know");
}

static bool hand_over(int to, const struct folder_files_given *files)
{
	bool good = true;

	for (size_t i = 0; i < files->n && good; i++) {
		const struct slice content = files->at[i].content;
		const struct label label = { number_of(files, files->at[i].name), content.n };
		good = send_bytes(to, &label, sizeof label) && send_bytes(to, content.p, content.n);
	}
	return good && send_bytes(to, &(struct label){ NO_MORE, 0 }, sizeof(struct label));
}

bool apart_write(struct apart *a, struct folder_claim *folder, const struct folder_files_given *files, struct diags *diags)
{
	bool written = false;

	if (a->part == PART_ALL)
		return folder_write(folder, files, diags);
	if (!hand_over(a->to, files) || !receive_bytes(a->from, &written, sizeof written))
		return diag_at(diags, (struct place){ folder->path, 0, 0 }, DIAG_CANNOT_WRITE,
			"the process that writes it could not be reached; the report may not be there");
	return written;
}

/* ------------------------------------------------ the writer */

/* False when the worker is gone, or has not handed over what a worker does. */
static bool take(int from, struct arena *mem, struct folder_files_given *files, size_t max_bytes)
{
	struct folder_file *const at = NEW_ARRAY(mem, struct folder_file, files->n_known);
	struct label label;

	files->at = at;
	while (receive_bytes(from, &label, sizeof label)) {
		if (label.number == NO_MORE)
			return true;
		if (label.number >= files->n_known || files->n == files->n_known || label.n_bytes > max_bytes)
			return false;
		char *const content = arena_alloc(mem, label.n_bytes);
		if (!receive_bytes(from, content, label.n_bytes))
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

int apart_serve(struct apart *a, struct folder_claim *folder, const char *const *known, size_t n_known, size_t max_bytes)
{
	struct folder_files_given files = { .known = known, .n_known = n_known };
	struct arena mem;
	struct diags diags;
	bool written = false;
	int how = 0;

	arena_init(&mem);
	diags_init(&diags, &mem);
	if (take(a->from, &mem, &files, max_bytes)) {
		written = folder_write(folder, &files, &diags);
		print_diags(&diags, SIZE_MAX, false);
		send_bytes(a->to, &written, sizeof written);
	}
	shut(&a->to);
	shut(&a->from);
	while (waitpid(a->worker, &how, 0) < 0 && errno == EINTR)
		;
	diags_release(&diags);
	arena_release(&mem);
	return end_alike(how, written);
}
