/* stream_parts.h - what the files of the stream share: the bytes as stored, and where unpacking stands. */
#ifndef POSTRUN_STREAM_PARTS_H
#define POSTRUN_STREAM_PARTS_H

#include "base/ahead.h"
#include "base/stream.h"

#include <stdatomic.h>
#include <sys/types.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h> /* the widest instructions that the machine has */
#else
#include <xxhash.h>
#endif

#define STORED_BYTES ((size_t)132 * 1024) /* a block of zstd has up to 128 KiB, and is asked for with the header of the next one */
#define MADE_BYTES ((size_t)128 * 1024)

struct gzip;
struct xz;
struct zstd;

struct stream {
	int fd;                    /* -1: the source instead */
	struct byte_source source;
	off_t first;               /* where the bytes begin in a file that can be read again, or -1 */
	atomic_bool is_waited_for; /* a part of the file was not in memory */
	uint64_t n_there;          /* how many it had when it was opened: no more are read. 0: not known */
	const struct limits *limits;
	enum packing packing;
	unsigned char *stored; /* STORED_BYTES; NULL until bytes pass through here: those of a plain file go straight to who reads */
	size_t begin, end;     /* of what was read and not yet unpacked */
	bool at_end, failed, finished;
	const char *damage;
	struct arena said; /* the words of `damage` where it is about a limit */
	uint64_t n_stored, n_unpacked;
	uint64_t n_behind; /* of n_stored, what must be read again before anything new is; 0 but after stored_again() */
	XXH3_state_t *digest;
	bool member_done;  /* the last member was complete */
	bool holds;        /* of gzip: there may be more to come when all stored bytes were taken */
	char *portion;     /* MADE_BYTES; NULL while all portions went straight to who asks */
	size_t made, given; /* bytes of the portion, and how many of them were given away */
	bool is_last;      /* nothing comes behind the portion, but this damage, if it is not NULL */
	const char *damage_behind;
	struct gzip *gzip;
	struct zstd *zstd;
	struct xz *xz;
	struct ahead *ahead; /* while it runs all above is its thread's own, but for the packing */
	bool ahead_was_tried;
};

/* Has at least so many bytes at hand, unless the file ends before: a pipe may give them one by one. */
void stored_fill(struct stream *s, size_t least);
/* From the byte `at` on once more, which was read before; what comes again is not counted twice. Only where `first` is known. */
void stored_again(struct stream *s, uint64_t at);

/* Moves on by as much as can be done; returns the bytes put at `to`. Sets damage or finished. */
typedef size_t unpack_fn(struct stream *s, char *to, size_t n);

void gzip_start(struct stream *s);
unpack_fn gzip_unpack;
bool is_gzip(const unsigned char *p, size_t n);
void gzip_release(struct gzip *g);

/* These set is_last and damage_behind instead. They may be asked until is_last is set; n bytes are the rest of a portion. */
void zstd_start(struct stream *s);
unpack_fn zstd_unpack;
void zstd_release(struct zstd *z);
void xz_start(struct stream *s);
unpack_fn xz_unpack;
void xz_release(struct xz *x);

#endif
