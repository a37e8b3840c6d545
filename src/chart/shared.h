/*
 * shared.h - what several pictures need is made once: the font, its letters, and what they show of a track.
 *
 * Card, time line and other pictures have the same panels on the same time axis. Pictures that are drawn together share this: the first
 * that asks makes it, who asks meanwhile waits, and it stays until all are drawn. For the GPUs of a large cluster that would be too
 * much memory; what is over a limit each picture makes for itself.
 */
#ifndef POSTRUN_SHARED_H
#define POSTRUN_SHARED_H

#include "chart/canvas.h"
#include "series/track.h"

struct shared;

struct shared_request {
	const struct track *track, *gate; /* gate: or NULL */
	struct span span;
	size_t n; /* bins, or cells */
	double scale;
	/* Makes it; requests are the same only with the same maker. */
	const void *(*make)(struct arena *mem, const struct shared_request *request);
};

/* What it holds lives until shared_free(), itself as long as `mem`. */
struct shared *shared_new(struct arena *mem);
void shared_free(struct shared *s);
const struct font *shared_font(const struct shared *s);
struct letters *shared_letters(const struct shared *s);
/* Of n things that are needed next those that nobody has begun: pictures that show the same each make some, where one would wait. */
void shared_make(struct shared *s, const struct shared_request *requests, size_t n);
/* What the request makes, in `mem` when it is not shared. */
const void *shared_get(struct shared *s, struct arena *mem, const struct shared_request *request);

#endif
