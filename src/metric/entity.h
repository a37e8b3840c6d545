/* entity.h - who a series is about: a host, a GPU of a host, a core of a host. */
#ifndef POSTRUN_ENTITY_H
#define POSTRUN_ENTITY_H

#include "base/arena.h"
#include "metric/metric.h"

struct entity {
	enum scope scope;
	const char *host;   /* "" when no log names it */
	int index;          /* GPU or core number as people count; -1 not known yet */
	const char *uuid;   /* GPU, else NULL */
	const char *bus_id; /* GPU, upper case, domain without leading zeros; else NULL */
	const char *name;   /* "NVIDIA H200", or NULL */
	const struct entity *of_host; /* of a run: its host, which is that of itself; else NULL */
};

/* "node01/gpu0", "gpu0" without a known host, "node01", "node01/core3", "run" */
const char *entity_id(struct arena *mem, const struct entity *e);
/* For people: "GPU 0", "node01", "core 3" */
const char *entity_label(struct arena *mem, const struct entity *e);
/* Host, then scope, then index. */
int entity_compare(const struct entity *a, const struct entity *b);

#endif
