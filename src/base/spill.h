/*
 * spill.h - pieces that are put away one behind the other, and read again by their places: what is many is not kept in memory.
 *
 * The last of them are in memory, those before in a file without a name, in the folder that the system has for such files. Where there is
 * no such folder, or no room in it, they all stay in memory: to put something away never fails. What can't be read again ends the process.
 */
#ifndef POSTRUN_SPILL_H
#define POSTRUN_SPILL_H

#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>

struct spill {
	FILE *file; /* NULL: none was needed so far, or there is none */
	bool stays; /* in memory, from now on */
	uint64_t n_in_file;
	struct buf waiting; /* behind these */
	char *window;       /* what was read last */
	size_t window_room, n_window;
	uint64_t window_place;
};

/* To be released. */
void spill_init(struct spill *s);
/* Its place: that of the first piece is 0, and each is behind the one before. */
uint64_t spill_put(struct spill *s, struct slice piece);
/* The piece that was put there; valid until the next call of any function here. */
struct slice spill_get(struct spill *s, uint64_t place);
/* The same, of one after the other: `place` becomes that of the next. False at the end. */
bool spill_next(struct spill *s, uint64_t *place, struct slice *piece);
/* In a process that was forked: the file is closed there, and is as it was for the others. */
void spill_release(struct spill *s);

#endif
