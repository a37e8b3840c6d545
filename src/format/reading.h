/*
 * reading.h - what a reader works with, and what it finds a log to say of itself as a whole. For this folder only.
 *
 * All that is remembered here goes into the recording. What a log says first holds for all of it: a recording has one host
 * and one zone, and what speaks of another is for the reader to leave out.
 */
#ifndef POSTRUN_READING_H
#define POSTRUN_READING_H

#include "format/format.h"

struct sheet;
struct stamped;
struct reading {
	struct lines *lines;
	struct recording *recording;
	struct arena *mem; /* of the run: what the recording keeps */
	struct diags *diags;
	const struct read_request *request; /* never NULL */
	struct sheet *sheet; /* where the rows go: set by sheet_new() */
	struct arena *scratch; /* what is of use until the log is read */
	struct stamped *stamped; /* NULL: no times stand before the lines */
};

/*
 * A log, or a part of it, is of the host of this name. False when the recording is another's. What can't be a name (nothing, 256
 * bytes, no UTF-8) names nobody.
 */
bool reading_host(struct reading *r, struct slice name);
/* The word that stands where a zone does: "CST" names several, so local time it stays; "UTC" and "+09:00" are clear. */
void reading_zone(struct reading *r, struct slice word);
/* Times are seconds since 1970, and so in UTC. */
void reading_epoch(struct reading *r);
/* Keeps the name of a column that no metric has, once, and of so many at most. */
void reading_remember_unread(struct reading *r, struct slice name, size_t most);
/* What the log does not say is told where it is read, and in the report beside what was read so. */
void reading_guesses(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
