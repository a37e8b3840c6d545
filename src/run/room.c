/*
 * room.c - the memory of a run, dealt to its logs by their size.
 *
 *     1 GiB     a.csv 300 MB   b.csv 100 MB        a.csv may take three quarters; what it leaves is b.csv's
 *
 * By the sizes of files alone, so that the same inputs are dealt with in the same way on any machine. A packed one is as long as it is
 * unpacked, as far as its begin tells: it takes as much memory as a plain one. Of a pipe nobody knows how long it is: it gets half of what
 * is left where other logs follow. So does each member of an archive, out of the archive's share.
 *
 * What no reader is for takes nothing from the logs: a checkpoint in the folder is a thousand times as long as they are.
 */
#include "base/archive.h"
#include "base/file.h"
#include "base/model.h"
#include "run/run_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_SHARE ((uint64_t)4 << 20) /* of a log among many */
#define NEARLY_ALL 0.99 /* of a share, so that what is rounded on the way to it in its turn makes it no less */

#define LOOKED_AT ((uint64_t)1 << 20) /* bytes: a shorter file takes little from the others, whatever it is */
#define SAMPLED ((size_t)256 * 1024)  /* bytes that come out of a packed file tell how the others are packed: a log is alike everywhere */
#define ZIP_GROWTH 8                  /* of a log of busy GPUs by deflate, measured; what a zip says of itself is not believed */

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static enum packing packing_of(const char *path)
{
	const int fd = open_file(path);

	if (fd < 0)
		return PACKING_NONE;
	struct stream *const s = stream_open(fd, NULL);
	const enum packing packing = stream_packing(s);
	stream_close(s);
	return packing;
}

static size_t read_file(void *of, char *to, size_t n)
{
	const ssize_t got = read(*(const int *)of, to, n);

	return got > 0 ? (size_t)got : 0;
}

/* Bytes that come out of each that is stored, by its begin. */
static double growth_of(const char *path)
{
	int fd = open_file(path);
	size_t room = 0, n = 0;

	if (fd < 0)
		return 1;
	struct stream *const s = stream_open_source((struct byte_source){ read_file, &fd }, NULL); /* on this thread, on any machine */
	char *const to = grow(NULL, &room, SAMPLED, 1);
	for (size_t got = 1; got && n < SAMPLED; n += got)
		got = stream_read(s, to, SAMPLED - n);
	const double growth = stream_growth(s);
	grow_free(to);
	stream_close(s);
	close(fd);
	return growth;
}

/* How many times as long its logs are as the file, unpacked by the stream; 0: it holds none. */
static unsigned growth_inside(struct run *run, const char *path)
{
	struct arena scratch;
	struct diags ignored;
	struct lines lines;
	const char *what;
	unsigned growth = 0;

	arena_init(&scratch);
	diags_init(&ignored, &scratch);
	if (lines_open(&lines, path, run->request.limits, &ignored)) {
		const enum content content = format_content(&scratch, &lines, &run->request, &what);
		if (content == CONTENT_ARCHIVE)
			growth = strcmp(archive_kind(lines_peek(&lines)), "zip") == 0 ? ZIP_GROWTH : 1;
		else
			growth = content == CONTENT_LOG;
		lines_close(&lines);
	}
	diags_release(&ignored);
	arena_release(&scratch);
	return growth;
}

static void plan_input(struct run *run, struct planned *p)
{
	struct stat about;

	if (strcmp(p->path, "-") == 0 || stat(p->path, &about) != 0 || !S_ISREG(about.st_mode)) {
		run->room.has_pipe = true;
		return;
	}
	const enum packing packing = packing_of(p->path);
	const double growth = packing == PACKING_NONE ? 1 : growth_of(p->path);
	p->has_large_window = packing == PACKING_ZSTD || packing == PACKING_XZ;
	p->bytes = (uint64_t)((double)about.st_size * growth);
	if (p->bytes >= LOOKED_AT)
		p->bytes *= growth_inside(run, p->path);
}

static struct texts files_of(struct run *run, const char *const *paths, size_t n)
{
	struct texts all = { NULL, 0 };
	const char **at = NULL;
	struct diags ignored;

	diags_init(&ignored, run->mem);
	for (size_t i = 0; i < n; i++) {
		size_t n_files = 1;
		const bool is_folder = path_is_folder(paths[i]);
		const char *const *const files = is_folder ? folder_files(run->mem, paths[i], &n_files, &ignored) : &paths[i];
		for (size_t k = 0; k < n_files; k++) {
			at = arena_array_next(run->mem, at, all.n, sizeof *at);
			at[all.n++] = files[k];
		}
	}
	diags_release(&ignored);
	all.at = at;
	return all;
}

void run_plan_room(struct run *run, const char *const *paths, size_t n)
{
	const struct texts files = files_of(run, paths, n);
	struct room *const room = &run->room;

	*room = (struct room){ .left = memory_for_rows(run->request.limits), .planned = NEW_ARRAY(run->mem, struct planned, files.n),
		.n_planned = files.n };
	for (size_t i = 0; i < files.n; i++) {
		room->planned[i].path = files.at[i];
		if (files.n > 1) /* one alone has all of it, whatever it is */
			plan_input(run, &room->planned[i]);
		room->bytes_ahead += room->planned[i].bytes;
	}
}

uint64_t room_of_early(const struct run *run, size_t input)
{
	const struct room *const room = &run->room;
	const double part = (double)room->planned[input].bytes / (double)room->bytes_ahead;
	const uint64_t share = (uint64_t)((double)room->left * part * NEARLY_ALL);

	return share > LEAST_SHARE ? share : LEAST_SHARE;
}

void room_enter(struct run *run)
{
	struct room *const room = &run->room;

	if (room->n_entered == room->n_planned) /* nobody planned: each log as if it were alone */
		return;
	const bool is_last = room->n_entered + 1 == room->n_planned;
	const uint64_t bytes = room->planned[room->n_entered++].bytes;
	room->share = is_last			? room->left
		      : bytes && room->bytes_ahead ? (uint64_t)((double)room->left * ((double)bytes / (double)room->bytes_ahead))
						   : room->left / 2;
	room->bytes_ahead -= bytes;
	run->request.memory = room->share > LEAST_SHARE ? room->share : LEAST_SHARE;
}

void room_enter_member(struct run *run)
{
	if (run->request.memory)
		run->request.memory = run->room.share / 2 > LEAST_SHARE ? run->room.share / 2 : LEAST_SHARE;
}

void room_take(struct run *run, const struct recording *recording)
{
	const uint64_t taken = recording_bytes(recording);

	run->room.share -= taken < run->room.share ? taken : run->room.share;
	run->room.left -= taken < run->room.left ? taken : run->room.left;
}
