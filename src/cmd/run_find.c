/*
 * run_find.c - runs found by a process that can do nothing but read, and handed over.
 *
 *     what is sent        its kind and its size, then so many bytes
 *         SENT_RUN        a run (run_list.h); they come in order of ids
 *         SENT_PATH       of a stray, and
 *         SENT_WHY        it is one
 *         SENT_END        "good", "gaps", or nothing: a path or the manifest could not be read
 *
 * Whoever took over that process could name other files, which then are read behind walls themselves; it can't choose where anything is
 * written. Its memory goes with it: in that of the process that asked there is what a list keeps, and no more.
 */
#include "cmd/run_find.h"

#include "base/buf.h"
#include "base/file.h"
#include "cmd/apart.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/run_list.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SENT_AT_ONCE ((size_t)64 * 1024)
#define MOST_SENT ((uint32_t)1 << 30) /* of one run: the paths of a million logs have less */

enum sent { SENT_RUN, SENT_PATH, SENT_WHY, SENT_END };

struct sent_head {
	uint32_t kind, n;
};

/* Takes what was found, one after the other. */
typedef void taker(void *of, enum sent kind, struct slice what);

static void hand_over(const struct found_runs *runs, bool is_good, taker *take, void *to)
{
	struct buf packed;

	buf_init(&packed, MOST_SENT);
	for (size_t i = 0; i < runs->n; i++) {
		packed.n = 0;
		run_pack(&packed, &runs->at[i]);
		take(to, SENT_RUN, buf_slice(&packed));
	}
	buf_release(&packed);
	for (size_t i = 0; i < runs->n_strays; i++) {
		take(to, SENT_PATH, slice_of(runs->strays[i].path));
		take(to, SENT_WHY, slice_of(runs->strays[i].why));
	}
	take(to, SENT_END, slice_of(!is_good ? "" : runs->has_gaps ? "gaps" : "good"));
}

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

static void send_piece(void *to, enum sent kind, struct slice what)
{
	struct sender *const s = to;
	const struct sent_head head = { kind, (uint32_t)what.n };

	buf_put(&s->waiting, (struct slice){ (const char *)&head, sizeof head });
	buf_put(&s->waiting, what);
	if (s->waiting.n >= SENT_AT_ONCE || kind == SENT_END)
		send_waiting(s);
}

static bool look(const struct find_request *request, int to)
{
	struct sender s = { .to = to, .good = true };
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
	buf_init(&s.waiting, SIZE_MAX / 2);
	hand_over(&runs, good, send_piece, &s);
	buf_release(&s.waiting);
	return s.good;
}

/* ------------------------------------------------ the process that asked */

struct receiver {
	const struct find_request *request;
	struct run_list *list;
	struct arena scratch;
	struct buf path; /* of a stray of which it is not said yet why it is one */
	bool is_ended, good;
};

static void keep_run(struct receiver *r, struct slice packed)
{
	struct found_run run;

	if (!run_unpack(&r->scratch, packed, &run))
		r->good = false;
	else if (!r->request->has_owner || run.owner == r->request->owner)
		run_list_add(r->list, packed, run.weight);
	arena_reset(&r->scratch);
}

static void keep(void *to, enum sent kind, struct slice what)
{
	struct receiver *const r = to;

	switch (kind) {
	case SENT_RUN:
		keep_run(r, what);
		break;
	case SENT_PATH:
		r->path.n = 0;
		buf_put(&r->path, what);
		break;
	case SENT_WHY:
		run_list_add_stray(r->list, buf_slice(&r->path), what);
		break;
	case SENT_END:
		r->is_ended = true;
		r->list->has_gaps = slice_is(what, "gaps");
		r->good = r->good && (r->list->has_gaps || slice_is(what, "good"));
		break;
	}
}

static void receive_all(struct receiver *r, FILE *from)
{
	struct sent_head head;
	char *what = NULL;
	size_t room = 0;

	while (r->good && !r->is_ended) {
		r->good = fread(&head, sizeof head, 1, from) == 1 && head.kind <= SENT_END && head.n <= MOST_SENT;
		if (!r->good)
			break;
		what = grow(what, &room, head.n + 1, 1);
		r->good = fread(what, 1, head.n, from) == head.n;
		if (r->good)
			keep(r, (enum sent)head.kind, (struct slice){ what, head.n });
	}
	grow_free(what);
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

static void receive(struct receiver *r, int from)
{
	FILE *const file = fdopen(from, "rb");

	if (!file)
		die_memory();
	receive_all(r, file);
	fclose(file);
}

/* What this process takes to look is free again afterwards. */
static void look_here(struct receiver *r, struct diags *diags)
{
	struct found_runs runs;
	struct arena mem;

	arena_init(&mem);
	const bool good = run_walk(&mem, r->request, &runs, diags);
	hand_over(&runs, good, keep, r);
	arena_release(&mem);
}

bool run_find(const struct find_request *request, struct run_list *out, struct diags *diags)
{
	const struct apart apart = request->input.walls == WALLS_OFF ? (struct apart){ PART_ALL, -1, 0 } : apart_begin();
	struct receiver r = { .request = request, .list = out, .good = true };

	if (apart.part == PART_WORKER)
		_exit(look(request, apart.other) ? EXIT_DONE : EXIT_OUTPUT);
	arena_init(&r.scratch);
	buf_init(&r.path, SIZE_MAX / 2);
	if (apart.part == PART_ALL)
		look_here(&r, diags);
	else
		receive(&r, apart.other);
	buf_release(&r.path);
	arena_release(&r.scratch);
	return (apart.part == PART_ALL || ended_well(apart.worker)) && r.good;
}
