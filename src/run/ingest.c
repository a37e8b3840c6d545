/*
 * ingest.c - files and folders into the run.
 *
 * A file that is named must be a log, or it is complained about. In a folder, files that no
 * reader knows are normal (notes, checkpoints): they are listed in the report, not complained about.
 */
#include "run/run_parts.h"

static void add_recording(struct run *run, struct recording *recording)
{
	struct recording **all = NEW_ARRAY(run->mem, struct recording *, run->n_recordings + 1);

	if (run->n_recordings)
		memcpy(all, run->recordings, run->n_recordings * sizeof *all);
	all[run->n_recordings++] = recording;
	run->recordings = all;
}

static bool ingest_file(struct run *run, const char *path, bool quiet)
{
	struct recording *recording = format_read(run->mem, path, &run->request, quiet, run->diags);

	if (recording)
		add_recording(run, recording);
	return recording != NULL;
}

static bool ingest_folder(struct run *run, const char *path)
{
	size_t n, n_before = run->n_recordings;
	const char **files = folder_files(run->mem, path, &n, run->diags);

	if (!files)
		return false;
	run->unread_files = NEW_ARRAY(run->mem, const char *, n);
	for (size_t i = 0; i < n; i++)
		if (!ingest_file(run, files[i], true))
			run->unread_files[run->n_unread_files++] = path_name(files[i]);
	if (run->n_recordings > n_before)
		return true;
	return diag_at(run->diags, (struct place){ path, 0, 0 }, DIAG_NO_LOGS,
		n == 0   ? "the folder holds no files"
		: n == 1 ? "the only file in the folder could not be used as a log"
			 : "none of the %zu files in the folder could be used as a log",
		n);
}

bool ingest(struct run *run, const char *path)
{
	return path_is_folder(path) ? ingest_folder(run, path) : ingest_file(run, path, false);
}
