/*
 * run_find.c - runs found by a process that can do nothing but read, and handed over.
 *
 *     what stands for itself    a number, or a text with its NUL, one behind the other over the socket
 *     number                                       of runs
 *     id paths… "" bytes weight owner inputs      each of them
 *     path why                                     each stray
 *     "" good                                      the end
 *
 * Whoever took over that process could name other files, which then are read behind walls themselves; it can't choose where anything is
 * written. Its memory goes with it.
 */
#include "cmd/run_find.h"

#include "base/buf.h"
#include "base/file.h"
#include "cmd/apart.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SENT_AT_ONCE ((size_t)64 * 1024)

/* ------------------------------------------------ the process that looks */

struct sender {
	int to;
	struct buf waiting;
	bool good;
};

static void send_waiting(struct sender *s)
{
	s->good = s->good && fd_write(s->to, buf_slice(&s->waiting));
	s->waiting.n = 0;
}

static void send_bytes(struct sender *s, const void *bytes, size_t n)
{
	buf_put(&s->waiting, (struct slice){ bytes, n });
	if (s->waiting.n >= SENT_AT_ONCE)
		send_waiting(s);
}

static void send_text(struct sender *s, const char *text)
{
	send_bytes(s, text, strlen(text) + 1);
}

static void send_run(struct sender *s, const struct found_run *run)
{
	const int64_t numbers[] = { run->bytes, run->weight, run->owner };

	send_text(s, run->id);
	for (size_t i = 0; i < run->paths.n; i++)
		send_text(s, run->paths.at[i]);
	send_text(s, "");
	send_bytes(s, numbers, sizeof numbers);
	send_text(s, run->inputs);
}

static bool send_all(int to, const struct found_runs *runs, bool is_good)
{
	struct sender s = { .to = to, .good = true };

	buf_init(&s.waiting, SIZE_MAX / 2);
	send_bytes(&s, &runs->n, sizeof runs->n);
	for (size_t i = 0; i < runs->n; i++)
		send_run(&s, &runs->at[i]);
	for (size_t i = 0; i < runs->n_strays; i++) {
		send_text(&s, runs->strays[i].path);
		send_text(&s, runs->strays[i].why);
	}
	send_text(&s, "");
	send_text(&s, is_good ? "good" : "bad");
	send_waiting(&s);
	buf_release(&s.waiting);
	return s.good;
}

static bool look(const struct find_request *request, int to)
{
	struct found_runs runs;
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	struct input_request readable = request->input;
	const char **const paths = NEW_ARRAY(&mem, const char *, request->n_paths + 1);
	for (size_t i = 0; i < request->n_paths; i++)
		paths[i] = request->paths[i];
	readable.paths = paths;
	readable.n_paths = request->n_paths;
	if (request->manifest) /* whose runs may lie anywhere */
		paths[readable.n_paths++] = "/";
	raise_walls(&mem, &readable);
	const bool good = run_walk(&mem, request, &runs, &diags);
	print_diags(&diags, MOST_MESSAGES, false);
	return send_all(to, &runs, good);
}

/* ------------------------------------------------ the process that asked */

struct receiver {
	FILE *from;
	struct arena *mem;
	bool good;
};

/* Of at most PATH_MAX or so: what is longer is nothing that we have sent. */
static const char *receive_text(struct receiver *r)
{
	char text[64 * 1024];
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(r->from)) > 0 && n < sizeof text)
		text[n++] = (char)c;
	r->good = r->good && c == 0;
	return n && r->good ? arena_text(r->mem, text, n) : "";
}

static bool receive_run(struct receiver *r, struct found_run *run)
{
	int64_t numbers[3] = { 0 };
	const char **paths = NULL, *path;

	*run = (struct found_run){ .id = receive_text(r) };
	while (path = receive_text(r), r->good && *path) {
		paths = arena_array_next(r->mem, paths, run->paths.n, sizeof *paths);
		paths[run->paths.n++] = path;
	}
	run->paths.at = paths;
	r->good = r->good && fread(numbers, sizeof numbers, 1, r->from) == 1;
	run->bytes = numbers[0];
	run->weight = numbers[1];
	run->owner = (unsigned)numbers[2];
	r->good = r->good && fread(run->inputs, sizeof run->inputs, 1, r->from) == 1 &&
		  strnlen(run->inputs, sizeof run->inputs) == DIGEST_DIGITS;
	return r->good;
}

static bool receive_all(struct receiver *r, struct found_runs *out)
{
	size_t n = 0;

	*out = (struct found_runs){ .n = 0 };
	r->good = fread(&n, sizeof n, 1, r->from) == 1 && n <= UINT32_MAX;
	out->at = NEW_ARRAY(r->mem, struct found_run, r->good ? n : 0);
	while (out->n < n && r->good && receive_run(r, &out->at[out->n]))
		out->n++;
	for (const char *path; path = receive_text(r), r->good && *path;) {
		out->strays = arena_array_next(r->mem, out->strays, out->n_strays, sizeof *out->strays);
		out->strays[out->n_strays++] = (struct stray){ path, receive_text(r) };
	}
	return strcmp(receive_text(r), "good") == 0 && r->good;
}

static bool ended_well(pid_t process)
{
	int how = 0;

	while (waitpid(process, &how, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(how))
		fprintf(stderr, "postrun: what looks for runs was ended by signal %d (%s)\n", WTERMSIG(how), strsignal(WTERMSIG(how)));
	return WIFEXITED(how) && WEXITSTATUS(how) == EXIT_DONE;
}

bool run_find(struct arena *mem, const struct find_request *request, struct found_runs *out, struct diags *diags)
{
	const struct apart apart = request->input.walls == WALLS_OFF ? (struct apart){ PART_ALL, -1, 0 } : apart_begin();

	if (apart.part == PART_ALL)
		return run_walk(mem, request, out, diags);
	if (apart.part == PART_WORKER)
		_exit(look(request, apart.other) ? EXIT_DONE : EXIT_OUTPUT);
	struct receiver r = { .from = fdopen(apart.other, "rb"), .mem = mem, .good = true };
	if (!r.from)
		die_memory();
	const bool good = receive_all(&r, out);
	fclose(r.from);
	return ended_well(apart.worker) && good;
}
