/*
 * room.c - the memory of a run, dealt to its logs by their size.
 *
 *     1 GiB     a.csv 300 MB   b.csv 100 MB        a.csv may take three quarters; what it leaves is b.csv's
 *
 * By the sizes of files alone, so that the same inputs are dealt with in the same way on any machine. Of a pipe nobody knows how long it
 * is: it gets half of what is left where other logs follow. So does each member of an archive, out of the archive's share.
 *
 * What no reader is for takes nothing from the logs: a checkpoint in the folder is a thousand times as long as they are.
 */
#include "base/file.h"
#include "base/model.h"
#include "run/run_parts.h"

#include <sys/stat.h>

#define LEAST_SHARE ((uint64_t)4 << 20) /* of a log among many */

#define LOOKED_AT ((uint64_t)1 << 20) /* bytes: a shorter file takes little from the others, whatever it is */

static bool holds_logs(struct run *run, const char *path)
{
	struct arena scratch;
	struct diags ignored;
	struct lines lines;
	const char *what;
	enum content content = CONTENT_OTHER;

	arena_init(&scratch);
	diags_init(&ignored, &scratch);
	if (lines_open(&lines, path, run->request.limits, &ignored)) {
		content = format_content(&scratch, &lines, &run->request, &what);
		lines_close(&lines);
	}
	diags_release(&ignored);
	arena_release(&scratch);
	return content == CONTENT_LOG || content == CONTENT_ARCHIVE;
}

/* 0: of a pipe, of which nobody knows; of what is no log. */
static uint64_t log_bytes(struct run *run, const char *path)
{
	struct stat about;

	if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
		return 0;
	const uint64_t bytes = (uint64_t)about.st_size;
	return bytes < LOOKED_AT || holds_logs(run, path) ? bytes : 0;
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

	*room = (struct room){ .left = memory_for_rows(run->request.limits), .planned = NEW_ARRAY(run->mem, uint64_t, files.n),
		.n_planned = files.n };
	for (size_t i = 0; i < files.n && files.n > 1; i++) /* one alone has all of it, whatever it is */
		room->bytes_ahead += room->planned[i] = log_bytes(run, files.at[i]);
}

void room_enter(struct run *run)
{
	struct room *const room = &run->room;

	if (room->n_entered == room->n_planned) /* nobody planned: each log as if it were alone */
		return;
	const bool is_last = room->n_entered + 1 == room->n_planned;
	const uint64_t bytes = room->planned[room->n_entered++];
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
