/*
 * shared_names.h - names that many runs share, each kept once and numbered in the order in which they came. For this folder only.
 *
 * A tree in which each node asks for one bit: the first in which two names differ. To find one takes a look at each bit that matters and
 * one comparison, whatever the names are: a hash can be made slow on purpose by those who call their hosts so.
 */
#ifndef POSTRUN_SHARED_NAMES_H
#define POSTRUN_SHARED_NAMES_H

#include "fleet/fleet.h"

/* From 0; a name that was not there is added. */
size_t name_number(struct shared_names *names, struct slice text);
const char *name_of_number(const struct shared_names *names, size_t number);
size_t names_count(const struct shared_names *names);
struct arena *names_memory(const struct shared_names *names);

#endif
