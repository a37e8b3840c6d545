/*
 * shared.h - what several pictures show of a track is made once.
 *
 * Card, time line and other pictures have the same panels on the same time axis. Pictures that are drawn together share this: the first
 * that asks makes it, who asks meanwhile waits, and it stays until all are drawn. For the GPUs of a large cluster that would be too
 * much memory; what is over a limit each picture makes for itself, as does one that is drawn alone.
 */
#ifndef POSTRUN_SHARED_H
#define POSTRUN_SHARED_H

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
/* What the request makes, in `mem` when it is not shared; `s` may be NULL. */
const void *shared_get(struct shared *s, struct arena *mem, const struct shared_request *request);

#endif
