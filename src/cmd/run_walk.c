/*
 * run_walk.c - folders walked, files looked at, runs put together.
 *
 * A folder is walked in order of its names, links to folders are not followed. Of a file the first bytes are read; of an archive as much
 * as stands before the first log in it. Nothing of a folder is kept but its runs, so that memory grows with those alone.
 */
#define _GNU_SOURCE /* st_mtim */
#include "cmd/run_find.h"

#include "base/archive.h"
#include "base/file.h"
#include "base/sort.h"
#include "cmd/manifest.h"
#include "cmd/reached.h"
#include "cmd/run_own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEEPEST 64 /* folders in folders: deeper ones are told of, not walked */
/* Drawing the report of a small run takes as long as reading so much of log. */
#define WEIGHT_OF_A_RUN ((int64_t)4 << 20)
/* What logs unpack to, about (gzip 6 to 29, zstd and xz more, of runs that work or idle): to deal out work by, and nothing else. */
#define WEIGHT_OF_PACKED 8

struct seen { /* a file */
	const char *path, *why;
	struct stat about;
	enum content content; /* an archive without logs is OTHER */
};

struct job_file { /* a file of the job whose id is in its path */
	const char *id;
	struct seen file;
};

struct finder {
	struct arena *mem;
	const struct find_request *request;
	struct found_runs *out;
	struct diags *diags;
	struct arena scratch; /* for one file */
	bool good;
	struct found_run *runs; /* that were found so far: what outgrew its room leaves nothing behind */
	size_t room;
	struct job_file *pieces;
	size_t n_pieces;
	struct reached reached; /* where it can be that something is reached twice */
	bool watches, watches_files;
};

/* ------------------------------------------------ what a file is */

static bool has_ending(const char *name, const char *const *endings, size_t n)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < n; i++) {
		const size_t width = strlen(endings[i]);
		if (length > width && strcmp(name + length - width, endings[i]) == 0)
			return true;
	}
	return false;
}
#define HAS_ENDING(name, endings) has_ending((name), (endings), sizeof(endings) / sizeof *(endings))

static bool is_packed(const char *name)
{
	static const char *const endings[] = { ".gz", ".tgz", ".zst", ".xz", ".txz", ".zip" };

	return HAS_ENDING(name, endings);
}

/* A log that can't be recognised any more still has its name. */
static bool is_called_a_log(const char *name)
{
	static const char *const endings[] = { ".csv", ".log", ".csv.gz", ".log.gz", ".csv.zst", ".log.zst", ".csv.xz", ".log.xz" };

	return HAS_ENDING(name, endings);
}

/* Is there a log in it? Of a damaged one nobody can tell; of one with another in it nobody looks, and `why` says so. */
static enum content content_of_archive(struct finder *f, struct arena *scratch, struct lines *in, const char **why)
{
	enum content found = CONTENT_OTHER;
	bool is_nested = false;
	struct members members;
	const char *what, *name;

	members_open(&members, scratch, in);
	while (found == CONTENT_OTHER && (name = members_next(&members))) {
		struct lines lines;
		const char *const path = arena_print(scratch, "%s/%s", in->path, name); /* options are for files by name */
		lines_open_source(&lines, path, f->request->input.read.limits, members_bytes(&members));
		const enum content content = format_content(scratch, &lines, &f->request->input.read, &what);
		found = content == CONTENT_LOG || content == CONTENT_FAILED ? CONTENT_ARCHIVE : CONTENT_OTHER;
		is_nested |= content == CONTENT_ARCHIVE;
		lines_close(&lines);
	}
	if (found == CONTENT_OTHER && (members.damage || members.n_encrypted || stream_damage(in->stream)))
		found = CONTENT_DAMAGED;
	members_close(&members);
	if (found != CONTENT_OTHER || !is_nested)
		return found;
	*why = "an archive in an archive; only one layer is unpacked";
	return CONTENT_FOREIGN;
}

static bool is_called_an_archive(const char *name)
{
	static const char *const endings[] = { ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".txz", ".zip" };

	return HAS_ENDING(name, endings);
}

/* As a log, or as what was one. */
static bool counts(const struct seen *file)
{
	return file->content == CONTENT_LOG || file->content == CONTENT_ARCHIVE || file->content == CONTENT_DAMAGED;
}

static void set_aside(struct seen *file)
{
	file->content = is_called_a_log(file->path) ? CONTENT_LOG : CONTENT_FOREIGN;
	file->why = "it is a link that leads out of what was given, and was not followed";
}

/* What is made to recognise it takes more memory than all that is kept of it: why it is none lives in `mem`. */
static void look_at(struct finder *f, struct arena *mem, struct seen *file)
{
	struct arena *const scratch = &f->scratch;
	struct lines lines;
	struct diags ignored;

	diags_init(&ignored, scratch);
	file->content = CONTENT_DAMAGED;
	file->why = "it can't be read";
	if (lines_open(&lines, file->path, f->request->input.read.limits, &ignored)) {
		file->content = format_content(scratch, &lines, &f->request->input.read, &file->why);
		if (file->content == CONTENT_ARCHIVE)
			file->content = content_of_archive(f, scratch, &lines, &file->why);
		lines_close(&lines);
	} else if (path_is_link(file->path)) { /* that can't be followed behind walls: whoever reads the run later may */
		set_aside(file);
	}
	if (file->content == CONTENT_FAILED || (file->content == CONTENT_OTHER && is_called_a_log(file->path)))
		file->content = CONTENT_DAMAGED;
	if (file->content == CONTENT_DAMAGED && is_called_an_archive(file->path))
		file->content = CONTENT_ARCHIVE;
	if (!counts(file))
		file->why = arena_text(mem, file->why, strlen(file->why));
	diags_release(&ignored);
	arena_reset(scratch);
}

/* What several paths lead to is taken once. */
static bool is_reached_again(struct finder *f, const char *path, const struct stat *about)
{
	if (!f->watches || reached_add(&f->reached, about))
		return false;
	diag_at(f->diags, (struct place){ path, 0, 0 }, DIAG_SAME_FILE,
		"it was reached before, perhaps under another name; it is taken once");
	return true;
}

/* ------------------------------------------------ runs */

static const char *kept(struct finder *f, const char *text)
{
	return arena_text(f->mem, text, strlen(text));
}

static void add_stray(struct finder *f, const char *path, const char *why)
{
	f->out->strays = arena_array_next(f->mem, f->out->strays, f->out->n_strays, sizeof *f->out->strays);
	f->out->strays[f->out->n_strays++] = (struct stray){ kept(f, path), kept(f, why) };
}

/* Ids stand in JSON as they are: they are compared there, too. */
static void make_plain(char *id)
{
	text_make_printable(id);
	for (char *p = id; *p; p++)
		if (*p == '"' || *p == '\\')
			*p = '?';
}

static struct found_run *add_run(struct finder *f, const char *id)
{
	char *const shown = arena_text(f->mem, id, strlen(id));

	make_plain(shown);
	f->runs = grow(f->runs, &f->room, f->out->n + 1, sizeof *f->runs);
	f->out->at = f->runs;
	struct found_run *const run = &f->out->at[f->out->n++];
	*run = (struct found_run){ .id = shown, .weight = WEIGHT_OF_A_RUN };
	return run;
}

/* In any order: the same files, the same sums. */
static void add_identity(struct file_identity *all, const struct stat *about)
{
	const uint64_t hash = identity_hash((struct file_identity){ about->st_dev, about->st_ino });

	all->number += (ino_t)((hash ^ hash >> 29) * 0xBF58476D1CE4E5B9U); /* as splitmix64 mixes (Steele et al. 2014) */
	all->device += 1;
}

/* All of them are part of what it is known by; those that are logs of what it weighs. */
static void describe_inputs(struct found_run *run, const struct seen *files, size_t n)
{
	struct digest *const d = digest_begin();
	size_t n_logs = 0;

	for (size_t i = 0; i < n; i++) {
		const struct stat *const about = &files[i].about;
		const int64_t numbers[] = { about->st_size, about->st_mtim.tv_sec, about->st_mtim.tv_nsec };
		digest_add_text(d, files[i].path);
		digest_add(d, (struct slice){ (const char *)numbers, sizeof numbers });
		if (!counts(&files[i]))
			continue;
		if (!n_logs++)
			run->owner = about->st_uid;
		add_identity(&run->files, about);
		run->bytes += about->st_size;
		run->weight += about->st_size * (is_packed(files[i].path) ? WEIGHT_OF_PACKED : 1);
	}
	digest_end(d, run->inputs);
}

static void set_paths(struct finder *f, struct found_run *run, const char *const *paths, size_t n)
{
	const char **const all = NEW_ARRAY(f->mem, const char *, n);

	for (size_t i = 0; i < n; i++)
		all[i] = kept(f, paths[i]);
	run->paths = (struct texts){ all, n };
}

static void add_run_of_file(struct finder *f, const char *id, const struct seen *file)
{
	struct found_run *const run = add_run(f, id);

	describe_inputs(run, file, 1);
	set_paths(f, run, &file->path, 1);
}

static void add_piece(struct finder *f, const char *path_below, const struct seen *file)
{
	struct slice id;

	if (!counts(file))
		return;
	if (!run_pattern_fits(f->request->pattern, path_below, &id)) {
		add_stray(f, file->path, "its path does not fit --run-by");
		return;
	}
	f->pieces = arena_array_next(f->mem, f->pieces, f->n_pieces, sizeof *f->pieces);
	struct job_file *const piece = &f->pieces[f->n_pieces++];
	*piece = (struct job_file){ arena_text(f->mem, id.p, id.n), *file };
	piece->file.path = kept(f, file->path);
}

static int by_id_and_path(const void *a, const void *b)
{
	const struct job_file *const x = a, *const y = b;
	const int ids = strcmp(x->id, y->id);

	return ids ? ids : strcmp(x->file.path, y->file.path);
}

static void join_pieces(struct finder *f)
{
	size_t n;

	if (f->n_pieces)
		qsort(f->pieces, f->n_pieces, sizeof *f->pieces, by_id_and_path);
	for (size_t i = 0; i < f->n_pieces; i += n) {
		for (n = 1; i + n < f->n_pieces && strcmp(f->pieces[i + n].id, f->pieces[i].id) == 0; n++)
			;
		struct found_run *const run = add_run(f, f->pieces[i].id);
		struct seen *const files = NEW_ARRAY(f->mem, struct seen, n);
		const char **const paths = NEW_ARRAY(f->mem, const char *, n);
		for (size_t k = 0; k < n; k++) {
			files[k] = f->pieces[i + k].file;
			paths[k] = files[k].path;
		}
		describe_inputs(run, files, n);
		set_paths(f, run, paths, n);
	}
}

/* ------------------------------------------------ folders */

/* What is right in a folder, in order of names; what is hidden is left out. */
struct inside {
	struct seen *files;
	size_t n_files;
	const char **folders; /* their names */
	size_t n_folders;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct seen *)a)->path, ((const struct seen *)b)->path);
}

static const char *joined(struct arena *mem, const char *folder, const char *name)
{
	const size_t n = strlen(folder);

	return !n ? name : arena_print(mem, folder[n - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

/* Asked anew each time: another task of the batch may make it while this one looks. */
static bool is_left_out(const struct finder *f, const struct stat *about)
{
	struct stat out;

	return f->request->left_out && stat(f->request->left_out, &out) == 0 && about->st_dev == out.st_dev && about->st_ino == out.st_ino;
}

static void add_entry(struct finder *f, struct arena *mem, const char *folder, const char *name, const struct stat *about,
	struct inside *all)
{
	if (S_ISREG(about->st_mode)) {
		if (f->watches_files)
			reached_add(&f->reached, about);
		all->files = arena_array_next(mem, all->files, all->n_files, sizeof *all->files);
		all->files[all->n_files++] = (struct seen){ .path = joined(mem, folder, name), .about = *about };
	} else if (S_ISDIR(about->st_mode) && !is_left_out(f, about)) {
		all->folders = arena_array_next(mem, all->folders, all->n_folders, sizeof *all->folders);
		all->folders[all->n_folders++] = arena_text(mem, name, strlen(name));
	}
}

/* Of links those to files; those to folders are not followed, so that none is walked twice or for ever. NULL: it is. */
static const char *why_not_followed(struct arena *mem, DIR *folder, const char *name, struct stat *about)
{
	if (fstatat(dirfd(folder), name, about, 0) != 0)
		return errno == ENOENT ? "it is a link that leads nowhere"
				       : arena_print(mem, "it is a link that can't be followed: %s", strerror(errno));
	return S_ISDIR(about->st_mode) ? "it is a link to a folder, and such are not followed" : NULL;
}

/* 0, or errno. */
static int look_at_entry(struct finder *f, struct arena *mem, DIR *folder, const char *path, const char *name, struct inside *all)
{
	struct stat about;

	if (fstatat(dirfd(folder), name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : errno; /* gone since */
	const char *const why = S_ISLNK(about.st_mode) ? why_not_followed(mem, folder, name, &about) : NULL;
	if (why)
		add_stray(f, joined(mem, path, name), why);
	else
		add_entry(f, mem, path, name, &about, all);
	return 0;
}

/* A folder whose names can be read may hold what nobody may look at: that is told once. */
static struct inside look_into(struct finder *f, struct arena *mem, const char *path)
{
	const size_t n_before = f->diags->n_errors;
	DIR *const folder = entries_open(path, f->diags);
	struct inside all = { NULL, 0, NULL, 0 };
	struct stat about;
	int why = 0;

	const bool is_again = folder && fstat(dirfd(folder), &about) == 0 && is_reached_again(f, path, &about);
	for (const struct dirent *entry; folder && !is_again && (entry = entries_next(folder, path, f->diags));)
		if (entry->d_name[0] != '.' && !why)
			why = look_at_entry(f, mem, folder, path, entry->d_name, &all);
	if (folder)
		closedir(folder);
	if (why)
		diag_at(f->diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "cannot look at what is in the folder: %s",
			strerror(why));
	f->out->has_gaps |= f->diags->n_errors > n_before;
	if (all.n_files)
		qsort(all.files, all.n_files, sizeof *all.files, by_path);
	texts_sort(all.folders, all.n_folders);
	return all;
}

static size_t count_of(const struct seen *files, size_t n, enum content content)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += files[i].content == content;
	return count;
}

/* The folder that was given may be a run itself: it is called by its own name. */
static const char *id_of_folder(struct arena *mem, const char *path, const char *id)
{
	if (*id)
		return id;
	const char *const name = path_own_name(mem, path);
	return name[0] != '.' && name[0] != '/' ? name : ".";
}

/* Its archives are runs of their own; then its logs are named one by one. */
static void add_run_of_folder(struct finder *f, const char *path, const char *id, const struct seen *files, size_t n)
{
	const size_t n_logs = count_of(files, n, CONTENT_LOG), n_archives = count_of(files, n, CONTENT_ARCHIVE);

	if (!n_logs && !count_of(files, n, CONTENT_DAMAGED)) {
		for (size_t i = 0; i < n; i++)
			if (files[i].content == CONTENT_FOREIGN)
				add_stray(f, files[i].path, files[i].why);
		return;
	}
	struct found_run *const run = add_run(f, id_of_folder(f->mem, path, id));
	if (!n_archives) {
		describe_inputs(run, files, n);
		set_paths(f, run, &path, 1);
		return;
	}
	struct seen *const own = NEW_ARRAY(f->mem, struct seen, n);
	const char **const paths = NEW_ARRAY(f->mem, const char *, n);
	size_t n_own = 0;
	for (size_t i = 0; i < n; i++)
		if (files[i].content == (n_logs ? CONTENT_LOG : CONTENT_DAMAGED)) {
			own[n_own] = files[i];
			paths[n_own++] = files[i].path;
		}
	describe_inputs(run, own, n_own);
	set_paths(f, run, paths, n_own);
}

static void take_files(struct finder *f, const char *path, const char *id, const char *below, const struct seen *files, size_t n)
{
	struct arena scratch;

	arena_init(&scratch);
	for (size_t i = 0; i < n; i++) {
		const char *const name = joined(&scratch, below, path_name(files[i].path));
		if (f->request->pattern)
			add_piece(f, name, &files[i]);
		else if (files[i].content == CONTENT_ARCHIVE)
			add_run_of_file(f, joined(&scratch, id, path_name(files[i].path)), &files[i]);
	}
	if (!f->request->pattern)
		add_run_of_folder(f, path, id, files, n);
	arena_release(&scratch);
}

static void leave_own_out(struct inside *all)
{
	unsigned marks = 0;
	size_t n = 0;

	for (size_t i = 0; i < all->n_files; i++)
		marks |= own_marks(all->files[i].path);
	if (!marks)
		return;
	for (size_t i = 0; i < all->n_files; i++)
		if (!own_file(marks, all->files[i].path))
			all->files[n++] = all->files[i];
	all->n_files = n;
	n = 0;
	for (size_t i = 0; i < all->n_folders; i++)
		if (!own_folder(marks, all->folders[i]))
			all->folders[n++] = all->folders[i];
	all->n_folders = n;
}

/* `id`: how a run in it is called; `below`: its path below the one that was given. */
static void walk(struct finder *f, const char *path, const char *id, const char *below, int depth)
{
	struct arena here;

	arena_init(&here);
	struct inside all = look_into(f, &here, path);
	leave_own_out(&all);
	for (size_t i = 0; i < all.n_files; i++)
		look_at(f, &here, &all.files[i]);
	take_files(f, path, id, below, all.files, all.n_files);
	for (size_t i = 0; i < all.n_folders; i++) {
		const char *const name = all.folders[i], *const inner = joined(&here, path, name);
		if (depth == DEEPEST)
			add_stray(f, inner, "the folder is too deep to be walked");
		else
			walk(f, inner, joined(&here, id, name), joined(&here, below, name), depth + 1);
	}
	arena_release(&here);
}

/* Perhaps under several names. */
static bool is_one_path(const struct find_request *request)
{
	struct stat first, other;

	for (size_t i = 1; i < request->n_paths; i++)
		if (stat(request->paths[0], &first) != 0 || stat(request->paths[i], &other) != 0 || first.st_dev != other.st_dev ||
			first.st_ino != other.st_ino)
			return false;
	return true;
}

static void find_file(struct finder *f, struct seen *file, bool is_only)
{
	if (is_reached_again(f, file->path, &file->about))
		return;
	look_at(f, f->mem, file);
	if (f->request->pattern)
		add_piece(f, file->path, file);
	else if (counts(file))
		add_run_of_file(f, is_only ? path_name(file->path) : file->path, file);
	else
		add_stray(f, file->path, file->why);
}

/* Of one path its runs are called as they are below it, of several as they are reached. */
static void find_below(struct finder *f, const char *given, bool is_only, bool folders)
{
	const char *const path = path_plain(f->mem, given); /* a key is of the path: however it is spelled, the same reports */
	struct seen file = { .path = path };

	if (stat(path, &file.about) != 0)
		f->good = diag_at(f->diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "cannot open: %s", strerror(errno));
	else if (S_ISDIR(file.about.st_mode) && folders)
		walk(f, path, is_only ? "" : path, "", 0);
	else if (!S_ISDIR(file.about.st_mode) && !folders)
		find_file(f, &file, is_only);
}

/* A file that lies in one of the folders is a part of the run there: files come last. */
static void find_all(struct finder *f)
{
	const struct find_request *const request = f->request;
	const bool is_only = is_one_path(request);

	for (size_t i = 0; i < request->n_paths; i++)
		f->watches_files |= f->watches && !path_is_folder(request->paths[i]);
	for (size_t i = 0; i < request->n_paths; i++)
		find_below(f, request->paths[i], is_only, true);
	for (size_t i = 0; i < request->n_paths && f->good; i++)
		find_below(f, request->paths[i], is_only, false);
}

/* ------------------------------------------------ a manifest */

static void see(struct arena *mem, struct seen **files, size_t *n, const char *path)
{
	*files = arena_array_next(mem, *files, *n, sizeof **files);
	struct seen *const file = &(*files)[*n];
	*file = (struct seen){ .path = path, .content = CONTENT_LOG };
	if (stat(path, &file->about) == 0)
		(*n)++; /* one that is not there is told when the run is read */
}

/* Several lines may name it: who wrote them knows why. */
static void note_reached(struct finder *f, const char *path)
{
	struct stat about;

	if (f->watches && stat(path, &about) == 0)
		reached_add(&f->reached, &about);
}

static void add_run_of_line(void *of, const struct manifest_line *line)
{
	struct finder *const f = of;
	struct found_run *const run = add_run(f, line->id);
	struct seen *files = NULL;
	struct arena scratch;
	struct diags ignored;
	size_t n = 0, n_inside;

	arena_init(&scratch);
	diags_init(&ignored, &scratch);
	for (size_t i = 0; i < line->paths.n; i++) {
		note_reached(f, line->paths.at[i]);
		if (!path_is_folder(line->paths.at[i])) {
			see(&scratch, &files, &n, line->paths.at[i]);
			continue;
		}
		const char **const inside = folder_files(&scratch, line->paths.at[i], &n_inside, &ignored);
		for (size_t k = 0; k < n_inside; k++)
			see(&scratch, &files, &n, inside[k]);
	}
	describe_inputs(run, files, n);
	set_paths(f, run, line->paths.at, line->paths.n);
	if (line->digest) { /* who wrote the manifest knows the content: times may differ then */
		struct digest *const d = digest_begin();
		digest_add_text(d, line->digest);
		digest_end(d, run->inputs);
	}
	diags_release(&ignored);
	arena_release(&scratch);
}

/* ------------------------------------------------ all of them */

/* Of one id by where their logs lie: what becomes of these must not turn a number into another. */
static int by_id_and_place(const void *a, const void *b)
{
	const struct found_run *const x = a, *const y = b;
	int order = strcmp(x->id, y->id);

	for (size_t i = 0; !order && i < x->paths.n && i < y->paths.n; i++)
		order = strcmp(x->paths.at[i], y->paths.at[i]);
	if (!order)
		order = (x->paths.n > y->paths.n) - (x->paths.n < y->paths.n);
	return order ? order : strcmp(x->inputs, y->inputs);
}

static bool is_same(const struct found_run *a, const struct found_run *b)
{
	bool same = strcmp(a->id, b->id) == 0 && a->paths.n == b->paths.n;

	for (size_t i = 0; same && i < a->paths.n; i++)
		same = strcmp(a->paths.at[i], b->paths.at[i]) == 0;
	return same;
}

/* A manifest may have a line twice. */
static void drop_same(struct finder *f)
{
	struct found_runs *const all = f->out;
	const size_t n = all->n;

	if (n)
		qsort(all->at, n, sizeof *all->at, by_id_and_place);
	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!all->n || !is_same(&all->at[i], &all->at[all->n - 1]))
			all->at[all->n++] = all->at[i];
		else
			diag_at(f->diags, (struct place){ f->request->manifest, 0, 0 }, DIAG_SAME_FILE,
				"it has the run '%s' of these paths twice; it is taken once", all->at[i].id);
	}
}

/*
 * Folders of links, by user beside by date: the same logs are one run, the first of them by its id. Who wrote a manifest named each of
 * them, and gets them all.
 */
static void drop_linked(struct finder *f)
{
	struct found_runs *const all = f->out;
	struct reached logs = { .n = 0 };
	const size_t n = all->n;

	if (n)
		qsort(all->at, n, sizeof *all->at, by_id_and_place);
	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct found_run run = all->at[i];
		const bool is_again = run.files.device && !reached_add_identity(&logs, run.files);
		const char *const so = f->request->manifest ? ": what they tell counts twice" : ", by links; they are taken once";
		if (is_again)
			diag_at(f->diags, (struct place){ run.paths.n ? run.paths.at[0] : run.id, 0, 0 }, DIAG_SAME_FILE,
				"the logs of run '%s' are those of a run before it%s", run.id, so);
		if (!is_again || f->request->manifest)
			all->at[all->n++] = run;
	}
	reached_release(&logs);
}

/* Who wrote the manifest meant one run by each line, and looks for it by its id. */
static void tell_alike(struct finder *f, const char *id, size_t n)
{
	if (f->request->manifest && n > 1)
		diag_at(f->diags, (struct place){ f->request->manifest, 0, 0 }, DIAG_SAME_FILE,
			"it has %zu runs '%s' of other paths; they are numbered: '%s', '%s#2'%s", n, id, id, id, n > 2 ? " and so on" : "");
}

/* "job", "job", "job": "job", "job#2", "job#3". False when there were none alike. */
static bool number_alike(struct finder *f)
{
	struct found_runs *const all = f->out;
	size_t n_alike = 1;
	bool any = false;

	if (all->n)
		qsort(all->at, all->n, sizeof *all->at, by_id_and_place);
	for (size_t i = 1; i < all->n; i++) {
		const bool is_alike = strcmp(all->at[i].id, all->at[i - n_alike].id) == 0;
		if (!is_alike)
			tell_alike(f, all->at[i - n_alike].id, n_alike);
		n_alike = is_alike ? n_alike + 1 : 1;
		if (is_alike)
			all->at[i].id = arena_print(f->mem, "%s#%zu", all->at[i].id, n_alike);
		any |= is_alike;
	}
	if (all->n)
		tell_alike(f, all->at[all->n - n_alike].id, n_alike);
	return any;
}

static int by_path_of_stray(const void *a, const void *b)
{
	return strcmp(((const struct stray *)a)->path, ((const struct stray *)b)->path);
}

bool run_walk(struct arena *mem, const struct find_request *request, struct found_runs *out, struct diags *diags)
{
	struct finder f = { .mem = mem, .request = request, .out = out, .diags = diags, .good = true,
		.watches = request->n_paths + (request->manifest != NULL) > 1 };

	*out = (struct found_runs){ .n = 0 };
	arena_init(&f.scratch);
	if (request->manifest)
		f.good = manifest_read(request->manifest, add_run_of_line, &f, diags);
	find_all(&f);
	join_pieces(&f);
	if (request->manifest)
		drop_same(&f);
	drop_linked(&f);
	while (number_alike(&f)) /* two folders may hold runs of one name, names that can't be shown look alike, and "job#2" may be one */
		;
	if (out->n_strays) /* links come as the disk has them */
		qsort(out->strays, out->n_strays, sizeof *out->strays, by_path_of_stray);
	out->at = NEW_ARRAY(mem, struct found_run, out->n);
	if (f.runs)
		memcpy(out->at, f.runs, out->n * sizeof *out->at);
	grow_free(f.runs);
	reached_release(&f.reached);
	arena_release(&f.scratch);
	return f.good;
}
