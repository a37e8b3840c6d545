/*
 * stream.h - the bytes of a file, or of a member of an archive, unpacked on the way if they are compressed.
 *
 * gzip, zstd and xz are recognised by their first bytes, never by name. A cut or damaged stream
 * gives what it still holds, and then says what was wrong: logs of killed jobs end anywhere.
 * Only one layer is unpacked, and a bomb is stopped by its ratio.
 */
#ifndef POSTRUN_STREAM_H
#define POSTRUN_STREAM_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD, PACKING_XZ, N_PACKINGS };

/* Below this much input a thread that unpacks ahead costs more than it saves. */
#define STREAM_AHEAD_FROM_BYTES ((uint64_t)1 << 20)
#define STREAM_TURNS_FROM_BYTES ((uint64_t)1 << 18) /* the same where they take turns; a gzip log unpacks to 4 MiB then, and more */

struct stream;

/* Bytes that come from elsewhere than a file: a member of an archive. `read` gives up to n; 0 at the end. */
struct byte_source {
	size_t (*read)(void *of, char *to, size_t n);
	void *of;
};

/*
 * Takes over the file descriptor: of a file, a pipe or a terminal. Of a file what it has now is read, and no more. Never NULL.
 * `limits` may be NULL, and must live until stream_close().
 */
struct stream *stream_open(int fd, const struct limits *limits);
/* What `source.of` points to must live until stream_close(), too. */
struct stream *stream_open_source(struct byte_source source, const struct limits *limits);
/* Up to n bytes; 0 at the end, after damage or a failed read (see below). */
size_t stream_read(struct stream *s, char *to, size_t n);
/* The same for threads that take turns: each unpacks what it asks for. By turns with stream_read(), if need be. */
size_t stream_read_by_turns(struct stream *s, char *to, size_t n);
/* Is it a long file, and is that as fast as on one thread? */
bool stream_is_by_turns(const struct stream *s);
enum packing stream_packing(const struct stream *s);
const char *packing_name(enum packing p); /* "gzip"; "" for none */
/* What was wrong, for the user ("the gzip data ends early"), or NULL. Valid until stream_close. */
const char *stream_damage(const struct stream *s);
/* read() failed: the bytes so far are good, the rest is missing. */
bool stream_failed(const struct stream *s);
/* Why no more is read of what has unpacked to so much, or NULL: for archives, too. */
const char *ratio_damage(struct arena *mem, const struct limits *limits, enum limit ratio, uint64_t n_stored, uint64_t n_unpacked);
/* What became of the file while it was read; only known at its end. */
enum stream_change { STREAM_AS_IT_WAS, STREAM_GREW, STREAM_SHRANK };
enum stream_change stream_change(const struct stream *s);
/* Two names of one file have the same; false of what is no file. */
struct file_identity {
	dev_t device;
	ino_t number;
};
bool stream_file(const struct stream *s, struct file_identity *out);
/* So many bytes came out of each that was stored, of what was read so far; 1 of plain ones. Not of a file, which a thread may unpack. */
double stream_growth(const struct stream *s);
/* How many bytes a plain file has that can be read anywhere; 0 of all else. Of these alone: */
uint64_t stream_plain_bytes(const struct stream *s);
/* Where those lie that stream_read() gives next. */
uint64_t stream_at(const struct stream *s);
/* Up to n of those at a place: less at the end, and where they can't be read. It matters to nobody else, so that several threads may. */
size_t stream_read_at(struct stream *s, uint64_t at, char *to, size_t n);
/* These were read so, and used, behind all that was before: now they are in the digest. */
void stream_used(struct stream *s, uint64_t at, struct slice bytes);
/* stream_read() goes on from there, which is not behind all that was used. */
void stream_go_on(struct stream *s, uint64_t at);
/* Bytes of the file as stored: of what was read when the end was reached, of all after stream_digest(). */
uint64_t stream_stored_bytes(const struct stream *s);
/* "xxh128:…" of the whole file as stored; reads what is left first. */
const char *stream_digest(struct stream *s, struct arena *mem);
void stream_close(struct stream *s);

#endif
