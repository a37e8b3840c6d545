/*
 * vantage.h - where a rule looks from: which track a metric's name means, and who the members of a set are. For this folder only.
 *
 * A GPU sees its own tracks, its host's and the run's; a core the same way. The run has no host of its own: it sees the first one.
 */
#ifndef POSTRUN_VANTAGE_H
#define POSTRUN_VANTAGE_H

#include "rule/expression.h"

struct vantage {
	const struct run *run;
	enum scope scope;
	const struct entity *entity; /* NULL for scope run, and for a host that no log names */
	const struct entity *host;
};
struct vantage vantage_of(const struct run *run, enum scope scope, const struct entity *entity);
/* NULL when the logs don't have it. */
const struct track *vantage_track(const struct vantage *v, enum metric metric);

/* Who a set's name means, seen from a scope of this run: `gpus` are those of the host in a host rule, else all. */
enum reach { REACH_HOST_CORES, REACH_ALL_CORES, REACH_HOST_GPUS, REACH_ALL_GPUS, REACH_OTHER_GPUS, REACH_HOSTS };
enum reach reach_of(const struct run *run, enum member_set set, enum scope from);
enum scope reach_scope(enum reach reach);  /* of the members */
enum scope reach_level(enum reach reach);  /* for whom the members are always the same */

struct entities {
	const struct entity *const *at;
	size_t n;
};
/* All of the scope; of the run itself one that is NULL. */
struct entities entities_of(const struct run *run, enum scope scope);
struct entities vantage_members(struct arena *mem, const struct vantage *v, enum reach reach);
/* One after the other, from *at = 0 on, for who may need but the first of thousands; NULL behind the last. */
const struct entity *vantage_next_member(const struct vantage *v, enum reach reach, size_t *at);

#endif
