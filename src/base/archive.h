/*
 * archive.h - the members of a .tar or .zip, one after another, never on disk.
 *
 * Both are recognised by content and read from front to back, as a pipe needs; what packs the whole
 * (.tar.gz) is unpacked below, in stream.h. Only plain files are members: links, devices and hidden files
 * are passed over, as in a folder. What an archive says of itself (sizes, times, owners) decides nothing.
 */
#ifndef POSTRUN_ARCHIVE_H
#define POSTRUN_ARCHIVE_H

#include "base/lines.h"

struct archive;

struct members {
	struct lines *in;       /* the archive */
	struct archive *reader;
	struct arena *mem;
	const char *kind;       /* "tar" or "zip" */
	void *utf8;             /* a locale for names, or NULL */
	size_t n_seen, n_encrypted;
	uint64_t n_stored, n_unpacked;
	const char *damage;     /* why the rest could not be read, for the user, or NULL; valid as long as the arena */
	const char *doubt;      /* why the member that was read last may be wrong, or NULL */
	struct slice data;      /* of the member: the bytes that come next, */
	uint64_t at, data_at;   /* where the reader stands, and where they stand; between is a hole, of zeros */
	bool member_done;
	bool at_zeros;          /* what was read of the archive last ends in zeros */
};

/* "tar", "zip", or NULL. 512 bytes are enough. */
const char *archive_kind(struct slice first_bytes);

/* Reads `in` to its end; `in` must be at its begin. */
void members_open(struct members *m, struct arena *mem, struct lines *in);
/* The path of the next plain file, printable; NULL at the end, after damage or at a limit. */
const char *members_next(struct members *m);
/* The bytes of the member just named; valid until the next. */
struct byte_source members_bytes(struct members *m);
void members_close(struct members *m);

#endif
