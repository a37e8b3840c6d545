/*
 * early.c - several logs are read at a time, each into memory of its own; each is taken when its turn comes, as if it were read then.
 *
 *     gpu.csv       ~~~~~~~~~~~~~~~~~~~~|
 *     mpstat.txt    ~~~~~~~~~~~~|       taken
 *     vmstat.txt                ~~~~~~~~~~~~|
 *
 * A log that had to be thinned for want of memory, or that may take less when its turn comes, is read again then: in as much memory as it
 * was read in, and in more, it is the same. Read in their turn are archives, what needs a large window to be unpacked, what turns out to be
 * no log, and all of them where memory may be short for their rows.
 */
#include "base/workers.h"
#include "run/run_parts.h"

#define LEAST_BYTES ((uint64_t)512 * 1024) /* of all logs but the longest: 1.5 ms of reading, far more than to start threads */
#define ROOM_OF_BYTES 0.8 /* that a byte of vmstat or mpstat takes (sheet_thin.c: 56 and 2 a metric), more than of most logs */

static void read_input(struct run *run, struct early *e, size_t input)
{
	struct read_request request = run->request;
	struct lines lines;

	request.memory = e->memory = room_of_early(run, input);
	if (!lines_open(&lines, run->room.planned[input].path, request.limits, &e->diags))
		return;
	if (stream_file(lines.stream, &e->file) && !format_is_archive(lines_peek(&lines)))
		e->recording = format_read_lines(&e->mem, &lines, &request, &e->diags, &e->diags);
	lines_close(&lines);
	if (e->recording && e->recording->room)
		e->recording = NULL;
}

void early_drop(struct early *e)
{
	diags_release(&e->diags);
	arena_release(&e->mem);
	*e = (struct early){ .recording = NULL };
}

static void read_job(void *context, size_t worker, size_t job)
{
	struct run *const run = context;
	struct early *const e = &run->room.early[job];
	const struct planned *const p = &run->room.planned[job];

	(void)worker;
	arena_init(&e->mem);
	diags_init(&e->diags, &e->mem);
	if (p->bytes && !p->has_large_window)
		read_input(run, e, job);
	if (!e->recording)
		early_drop(e);
}

/* Of one of unknown length nobody knows what it leaves for those behind it. */
static bool is_worth_it(const struct room *room)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < room->n_planned; i++)
		longest = room->planned[i].bytes > longest ? room->planned[i].bytes : longest;
	return workers_have_second() && !room->has_pipe && room->bytes_ahead - longest >= LEAST_BYTES
		&& (double)room->bytes_ahead * ROOM_OF_BYTES <= (double)room->left;
}

void run_read_early(struct run *run)
{
	struct room *const room = &run->room;

	if (!is_worth_it(room))
		return;
	room->early = NEW_ARRAY(run->mem, struct early, room->n_planned);
	workers_run(workers_count(room->n_planned), room->n_planned, read_job, run);
}

void run_early_done(struct run *run)
{
	for (size_t i = 0; run->room.early && i < run->room.n_planned; i++)
		early_drop(&run->room.early[i]);
	run->room.early = NULL;
}

/* The folder may have other files by now than when it was planned. */
static bool can_be_taken(const struct run *run, const struct early *e, const char *path)
{
	const char *const planned = run->room.planned[run->room.n_entered - 1].path;

	return e->recording && strcmp(planned, path) == 0 && e->memory <= run->request.memory && diags_have_room(run->diags, &e->diags);
}

struct early *early_of(const struct run *run, const char *path)
{
	const struct room *const room = &run->room;
	struct early *const e = room->early && room->n_entered ? &room->early[room->n_entered - 1] : NULL;

	if (!e || can_be_taken(run, e, path))
		return e;
	early_drop(e);
	return NULL;
}

struct recording *early_taken(struct run *run, struct early *e)
{
	struct recording *const recording = e->recording;

	diags_adopt(run->diags, &e->diags);
	arena_adopt(run->mem, &e->mem);
	early_drop(e);
	return recording;
}
