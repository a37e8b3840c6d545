/*
 * unused.h - the longest stretch of a log's lines of which no row was used, and how it begins: there another log may stand.
 *
 *     10:00:01 row
 *     10:00:02 row
 *     timestamp, index, utilization.gpu [%]      line 3: a stretch begins
 *     ...
 *
 * What is kept are its first bytes, as many as a reader needs to recognise a log (format.h: bid). Where many lines stand between any two
 * rows, all but the last of so many are passed over: a snapshot of /proc has a hundred for each.
 */
#ifndef POSTRUN_UNUSED_H
#define POSTRUN_UNUSED_H

#include "base/slice.h"

#define UNUSED_BYTES ((size_t)4096)
#define UNUSED_KEPT 20 /* of the lines that usually stand between two rows */

struct unused_lines {
	int64_t n;     /* lines */
	int64_t first; /* of those that are kept, from 1 */
	size_t n_bytes;
	char text[UNUSED_BYTES]; /* of these, each with its LF */
};

struct unused {
	int64_t row; /* the line that was read when a row was used last; 0: none yet */
	int64_t n, n_lines; /* stretches, and the lines of all of them, */
	int64_t passed;     /* of one on average, less UNUSED_KEPT */
	int64_t line;       /* read last, */
	size_t before;      /* and how many bytes `now` had before it */
	struct unused_lines now, longest;
};

/* The line with this number, from 1, was read. */
static inline void unused_line(struct unused *u, int64_t number, struct slice line)
{
	const int64_t place = number - u->row - u->passed;

	if (place < 1)
		return;
	if (place == 1) {
		u->now.first = number;
		u->now.n_bytes = 0;
	}
	u->line = number;
	u->before = u->now.n_bytes;
	const size_t room = UNUSED_BYTES - u->now.n_bytes;
	if (line.n >= room)
		return;
	memcpy(u->now.text + u->now.n_bytes, line.p, line.n);
	u->now.n_bytes += line.n;
	u->now.text[u->now.n_bytes++] = '\n';
}

/* The stretch ends before this line, of which a row is used, or behind the last one. */
static inline void unused_end(struct unused *u, int64_t number)
{
	const int64_t n = number - u->row - 1;

	if (n > 0) {
		u->n_lines += n;
		const int64_t usual = u->n_lines / ++u->n;
		u->passed = usual > UNUSED_KEPT ? usual - UNUSED_KEPT : 0;
	}
	if (n > u->longest.n) {
		u->now.n = n;
		u->now.n_bytes = number == u->line ? u->before : u->now.n_bytes; /* without the line that is a row */
		u->longest = u->now;
	}
	u->row = number;
}

#endif
