/*
 * file.h - reading in lines, writing whole or not at all.
 *
 * Inputs are read in blocks (stream.h), never mapped: a file that shrinks under us ends early
 * instead of killing us. Compressed ones are unpacked on the way. Lines are cut here, bounded, before any grammar sees them.
 */
#ifndef POSTRUN_FILE_H
#define POSTRUN_FILE_H

#include "base/diag.h"
#include "base/stream.h"

#define LINE_MAX_BYTES ((size_t)64 * 1024) /* nvidia-smi rows are under 1 KiB, with all 214 fields under 8 KiB */
#define PEEK_BYTES ((size_t)4096)

enum line_state { LINE_WHOLE, LINE_LAST_UNENDED, LINE_TOO_LONG, LINE_HAS_NUL };

struct lines {
	const char *path;
	struct stream *stream; /* unpacks on the way */
	int line;        /* number of the line last returned, from 1 */
	enum line_state state; /* of the line last returned */
	char *block;
	size_t begin, end;
	bool at_end;
	bool skipping;   /* inside a line that was over the limit */
};

/* False, with a complaint, when the file can't be opened or is no regular file. */
bool lines_open(struct lines *in, const char *path, struct diags *diags);
/* The first bytes, at most PEEK_BYTES, without consuming them. */
struct slice lines_peek(struct lines *in);
/*
 * The next line without its LF or CR LF; valid until the next call. False at the end.
 * A line over LINE_MAX_BYTES or with a NUL is returned shortened, with its `state`.
 * A UTF-8 byte order mark at the start of the file is skipped.
 */
bool line_next(struct lines *in, struct slice *line);
/* For documents (JSON, XML), instead of line_next(): the bytes that come next, some at a time; empty at the end. Counts lines. */
struct slice lines_block(struct lines *in);
void lines_close(struct lines *in);

/* The whole of a small file (rules, templates); false, with a complaint, over max_bytes. */
bool file_slurp(struct arena *mem, const char *path, size_t max_bytes, struct slice *out, struct diags *diags);
/* Written beside, fsynced and renamed: afterwards there is the old file or the whole new one. */
bool file_write(const char *folder, const char *name, struct slice content, struct diags *diags);
/* Makes the folder (and its parents) unless it is there; false, with a complaint. */
bool folder_make(const char *path, struct diags *diags);
bool path_is_folder(const char *path);
/* Plain files directly inside, full paths, sorted by name; hidden ones left out. */
const char **folder_files(struct arena *mem, const char *path, size_t *n, struct diags *diags);
/* The last part of a path. */
const char *path_name(const char *path);

#endif
