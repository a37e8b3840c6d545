/*
 * ingest.c - files, folders and archives into the run.
 *
 * A file that is named must be a log, or it is complained about. In a folder or an archive, files that no
 * reader knows are normal (notes, checkpoints): they are listed in the report, and complained about only
 * where nothing there is a log. Until that is known, what there is to say of them is `unsaid`.
 */
#include "base/archive.h"
#include "run/run_parts.h"

#include <stdlib.h>

static void add_recording(struct run *run, struct recording *recording)
{
	struct recording **all = NEW_ARRAY(run->mem, struct recording *, run->n_recordings + 1);

	if (run->n_recordings)
		memcpy(all, run->recordings, run->n_recordings * sizeof *all);
	all[run->n_recordings++] = recording;
	run->recordings = all;
}

/* The head of what was complained about since; NULL when nothing was, because no reader knows the file. */
static const char *complaint_since(const struct run *run, size_t n_told)
{
	if (run->diags->n == n_told)
		return NULL;
	const char *text = run->diags->at[run->diags->n - 1].text;
	return arena_text(run->mem, text, strcspn(text, ";"));
}

void run_add_unread(struct run *run, const char *name, const char *why)
{
	run->unread_files = arena_array_next(run->mem, run->unread_files, run->n_unread_files, sizeof *run->unread_files);
	run->unread_files[run->n_unread_files++] = (struct unread_file){ name, why };
}

static bool enter_recording(struct run *run, struct recording *recording)
{
	if (recording) {
		room_take(run, recording);
		add_recording(run, recording);
	}
	return recording != NULL;
}

static bool ingest_lines(struct run *run, struct lines *lines, struct diags *unsaid)
{
	return enter_recording(run, format_read_lines(run->mem, lines, &run->request, unsaid, run->diags));
}

/* "run.tar/gpu.csv"; of several members with one name the later ones get a number: "run.tar/gpu.csv#2". */
static const char *member_path(struct run *run, const char *archive, const char *name, size_t n_before)
{
	const char *path = arena_print(run->mem, "%s/%s", archive, name);
	const char *plain = path;
	size_t n = 1;

	for (size_t i = n_before; i < run->n_recordings; i++)
		if (strcmp(run->recordings[i]->path, path) == 0)
			path = arena_print(run->mem, "%s#%zu", plain, ++n);
	return path;
}

/* A member that is a log, in every way like a file of a folder. */
static void ingest_member(struct run *run, struct members *members, const char *name, size_t n_before, struct diags *unsaid)
{
	const size_t n_told = run->diags->n;
	struct lines lines;

	room_enter_member(run);
	lines_open_source(&lines, member_path(run, members->in->path, name, n_before), run->request.limits,
		members_bytes(members));
	const bool good = ingest_lines(run, &lines, unsaid);
	lines_close(&lines);
	const char *damage = members->damage ? members->damage : members->doubt;
	if (!good)
		run_add_unread(run, path_name(lines.path), complaint_since(run, n_told));
	else if (damage)
		run->recordings[run->n_recordings - 1]->damage = damage;
	if (good && members->doubt)
		diag_at(run->diags, (struct place){ lines.path, 0, 0 }, DIAG_DAMAGED, "%s", members->doubt);
}

/* What was read of the archive so far is told with each of its recordings. */
static void name_archive(struct run *run, struct lines *in, size_t n_before)
{
	const char *digest = stream_digest(in->stream, run->mem);

	for (size_t i = n_before; i < run->n_recordings; i++) {
		run->recordings[i]->archive = arena_text(run->mem, in->path, strlen(in->path));
		run->recordings[i]->archive_digest = digest;
	}
}

static void report_archive(struct run *run, const struct members *m)
{
	const struct place place = { m->in->path, 0, 0 };
	const char *damage = stream_damage(m->in->stream);

	if (stream_failed(m->in->stream))
		diag_at(run->diags, place, DIAG_CANNOT_READ, "reading failed inside; what came before is used");
	else if (damage || m->damage)
		diag_at(run->diags, place, DIAG_DAMAGED, "%s; what came before is used", damage ? damage : m->damage);
	if (m->n_encrypted)
		diag_at(run->diags, place, DIAG_CANNOT_READ, "%zu member%s encrypted; unpack it first", m->n_encrypted,
			m->n_encrypted > 1 ? "s are" : " is");
}

static int by_path(const void *a, const void *b)
{
	return strcmp((*(const struct recording *const *)a)->path, (*(const struct recording *const *)b)->path);
}

static int by_name_of_file(const void *a, const void *b)
{
	const struct unread_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* As the folder would be read that was packed: tar keeps files as the disk had them, and which log came first can matter. */
static void order_members(struct run *run, size_t n_before, size_t n_unread_before)
{
	if (run->n_recordings > n_before)
		qsort(run->recordings + n_before, run->n_recordings - n_before, sizeof *run->recordings, by_path);
	if (run->n_unread_files > n_unread_before)
		qsort(run->unread_files + n_unread_before, run->n_unread_files - n_unread_before,
			sizeof *run->unread_files, by_name_of_file);
}

/* Whether there was a log after all. What is said of the others otherwise goes to `to`. */
static bool settle_unsaid(struct run *run, size_t n_before, struct diags *unsaid, struct diags *to)
{
	const bool any = run->n_recordings > n_before;

	if (!any && diags_have_room(to, unsaid))
		diags_adopt(to, unsaid);
	diags_release(unsaid);
	return any;
}

static bool ingest_archive(struct run *run, struct lines *in, struct diags *unsaid)
{
	const size_t n_before = run->n_recordings, n_unread_before = run->n_unread_files;
	struct diags *const to = unsaid ? unsaid : run->diags;
	const char *name;
	struct members members;
	struct diags of_members;
	size_t n = 0;

	diags_init(&of_members, run->diags->mem);
	members_open(&members, run->mem, in);
	for (; (name = members_next(&members)); n++)
		ingest_member(run, &members, name, n_before, &of_members);
	report_archive(run, &members);
	members_close(&members);
	name_archive(run, in, n_before);
	order_members(run, n_before, n_unread_before);
	if (settle_unsaid(run, n_before, &of_members, to))
		return true;
	return diag_at(to, (struct place){ in->path, 0, 0 }, DIAG_NO_LOGS,
		n == 0   ? "the archive holds no files"
		: n == 1 ? "the only file in the archive could not be used as a log"
			 : "none of the %zu files in the archive could be used as a log",
		n);
}

struct input_file {
	struct file_identity identity;
	const char *path;
};

/* Under whatever name it came, or NULL. */
static const char *read_as_before(const struct run *run, struct file_identity this)
{
	for (size_t i = 0; i < run->n_input_files; i++)
		if (run->input_files[i].identity.number == this.number && run->input_files[i].identity.device == this.device)
			return run->input_files[i].path;
	return NULL;
}

/* A log that counts twice would be two GPUs' work, or two witnesses of what one has seen. `this` NULL: it is no file. */
static bool is_read_before(struct run *run, const char *path, const struct file_identity *this)
{
	const char *const before = this ? read_as_before(run, *this) : NULL;

	if (before)
		diag_at(run->diags, (struct place){ path, 0, 0 }, DIAG_SAME_FILE, "it is the same file as %s; it is used once", before);
	return before;
}

static void note_file(struct run *run, const char *path, struct file_identity this)
{
	run->input_files = arena_array_next(run->mem, run->input_files, run->n_input_files, sizeof *run->input_files);
	run->input_files[run->n_input_files++] = (struct input_file){ this, arena_text(run->mem, path, strlen(path)) };
}

static bool ingest_new(struct run *run, struct lines *in, struct diags *unsaid)
{
	struct file_identity this;
	const bool is_file = stream_file(in->stream, &this);

	if (is_read_before(run, in->path, is_file ? &this : NULL))
		return false;
	if (!(format_is_archive(lines_peek(in)) ? ingest_archive(run, in, unsaid) : ingest_lines(run, in, unsaid)))
		return false;
	if (is_file)
		note_file(run, in->path, this);
	return true;
}

static bool ingest_early(struct run *run, struct early *early, const char *path)
{
	const struct file_identity this = early->file;

	if (is_read_before(run, path, &this)) {
		early_drop(early);
		return false;
	}
	note_file(run, path, this);
	return enter_recording(run, early_taken(run, early));
}

static bool ingest_path(struct run *run, const char *path, struct diags *unsaid)
{
	struct lines lines;

	if (!lines_open(&lines, path, run->request.limits, run->diags))
		return false;
	const bool good = ingest_new(run, &lines, unsaid);
	lines_close(&lines);
	return good;
}

static bool ingest_file(struct run *run, const char *path, struct diags *unsaid)
{
	room_enter(run);
	struct early *const early = early_of(run, path);
	return early ? ingest_early(run, early, path) : ingest_path(run, path, unsaid);
}

/* How folders inside of this one are given; "" where there are none. */
static const char *folders_hint(struct arena *mem, const char *path)
{
	if (!folder_has_folders(path))
		return "";
	return arena_print(mem, "; to report on all folders in it as one run, give %.*s/*/", (int)path_bare(path), path);
}

/* A link to nowhere was a log if it is called one; nobody misses a checkpoint. */
static bool is_wanted(const char *path)
{
	return format_is_called_a_log(path) || !path_leads_nowhere(path);
}

/* "gpu.csv" of "gpu.csv", "gpu.csv.1", "gpu.csv.2.gz" and "gpu.csv-20261121": what logrotate calls a log that it moves away. */
static struct slice name_before_rotation(const char *path)
{
	static const char *const packed[] = { ".gz", ".zst", ".xz", ".bz2" };
	struct slice name = slice_of(path_name(path));

	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (slice_ends(name, packed[i]))
			name.n -= strlen(packed[i]);
	size_t n = name.n;
	while (n && is_digit(name.p[n - 1]))
		n--;
	const bool is_rotated = n > 1 && n < name.n && (name.p[n - 1] == '.' || name.p[n - 1] == '-');
	return is_rotated ? (struct slice){ name.p, n - 1 } : name;
}

/* The log that a file may go on with: the last one read of its name that has a header; or NULL. */
static const struct recording *log_before(const struct run *run, size_t n_before, const char *path)
{
	const struct slice name = name_before_rotation(path);

	for (size_t i = run->n_recordings; i-- > n_before;)
		if (run->recordings[i]->heads && slice_same(name_before_rotation(run->recordings[i]->path), name))
			return run->recordings[i];
	return NULL;
}

/* Does its name begin like that of the log? Such files lie together, in the order of names. */
static bool begins_alike(const char *path, struct slice name)
{
	return strncmp(path_name(path), name.p, name.n) == 0;
}

/* Is there another file that may be a part of its log? */
static bool has_relative(const char *const *files, size_t n, size_t file)
{
	const struct slice name = name_before_rotation(files[file]);

	for (size_t i = file; i-- > 0 && begins_alike(files[i], name);)
		if (slice_same(name_before_rotation(files[i]), name))
			return true;
	for (size_t i = file + 1; i < n && begins_alike(files[i], name); i++)
		if (slice_same(name_before_rotation(files[i]), name))
			return true;
	return false;
}

static bool ingest_again(struct run *run, const char *path, const struct recording *before, struct diags *unsaid)
{
	run->request.before = before;
	const bool good = ingest_path(run, path, unsaid);
	run->request.before = NULL;
	return good;
}

/*
 * The files of a folder, in order of their names. One that can't be read and may be a part of another's log is read once more when all
 * are: the header may be in "gpu.csv.1", and "gpu.csv" go on with it.
 */
static void ingest_files(struct run *run, const char *const *files, size_t n, struct diags *unsaid)
{
	const char **const again = NEW_ARRAY(run->mem, const char *, n);
	const size_t n_before = run->n_recordings;
	size_t n_again = 0;

	for (size_t i = 0; i < n; i++) {
		const struct diags_mark told = diags_mark(run->diags), untold = diags_mark(unsaid);
		if (!is_wanted(files[i]) || ingest_file(run, files[i], unsaid))
			continue;
		if (!has_relative(files, n, i)) {
			run_add_unread(run, path_name(files[i]), complaint_since(run, told.n));
			continue;
		}
		diags_go_back(run->diags, told);
		diags_go_back(unsaid, untold);
		again[n_again++] = files[i];
	}
	for (size_t i = 0; i < n_again; i++) {
		const size_t n_told = run->diags->n;
		if (!ingest_again(run, again[i], log_before(run, n_before, again[i]), unsaid))
			run_add_unread(run, path_name(again[i]), complaint_since(run, n_told));
	}
}

static bool ingest_folder(struct run *run, const char *path)
{
	size_t n, n_before = run->n_recordings;
	const char **files = folder_files(run->mem, path, &n, run->diags);
	struct diags unsaid;

	if (!files)
		return false;
	diags_init(&unsaid, run->diags->mem);
	ingest_files(run, files, n, &unsaid);
	if (settle_unsaid(run, n_before, &unsaid, run->diags))
		return true;
	return diag_at(run->diags, (struct place){ path, 0, 0 }, DIAG_NO_LOGS, "%s%s",
		n == 0   ? "the folder holds no files"
		: n == 1 ? "the only file in the folder could not be used as a log"
			 : arena_print(run->mem, "none of the %zu files in the folder could be used as a log", n),
		folders_hint(run->mem, path));
}

bool ingest(struct run *run, const char *path)
{
	const size_t n_told = run->diags->n;
	const bool is_pipe = strcmp(path, "-") == 0;
	const bool good = !is_pipe && path_is_folder(path) ? ingest_folder(run, path) : ingest_file(run, path, NULL);

	if (!good) /* who reads the report did not see what was complained about when it was made */
		run_add_unread(run, is_pipe ? STANDARD_INPUT : path, complaint_since(run, n_told));
	return good;
}
