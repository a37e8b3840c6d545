/* reached.h - a set of files and folders: by what they are, whatever they are called. */
#ifndef CMD_REACHED_H
#define CMD_REACHED_H

#include "base/stream.h"

#include <sys/stat.h>

struct reached {
	struct file_identity *at; /* hashed; a device and number of 0 are nobody's */
	size_t n, room;           /* a power of two, or 0 */
};

void reached_release(struct reached *all);
/* False: it was there before. */
bool reached_add(struct reached *all, const struct stat *about);
bool reached_add_identity(struct reached *all, struct file_identity this);
uint64_t identity_hash(struct file_identity this);

#endif
