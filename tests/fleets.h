/* fleets.h - a fleet of records that are all there, in whatever order. */
#ifndef POSTRUN_TESTS_FLEETS_H
#define POSTRUN_TESTS_FLEETS_H

#include "fleet/fleet.h"

#include <stdlib.h>

static inline int record_by_id(const void *a, const void *b)
{
	return strcmp((*(const struct record *const *)a)->id, (*(const struct record *const *)b)->id);
}

/* `groups`: beside them, whose runs each is compared with, or NULL; NULL: they are all of one. To be released. */
static inline const struct fleet *fleet_build(struct arena *mem, const struct record *records, const char *const *groups, size_t n)
{
	const struct record **const in_order = NEW_ARRAY(mem, const struct record *, n);
	struct fleet_building *const building = fleet_begin(mem);

	for (size_t i = 0; i < n; i++)
		in_order[i] = &records[i];
	if (n)
		qsort(in_order, n, sizeof *in_order, record_by_id);
	for (size_t i = 0; i < n; i++) {
		const char *const group = groups ? groups[in_order[i] - records] : NULL;
		fleet_add(building, in_order[i], slice_of(group ? group : ""));
	}
	return fleet_end(building);
}

#endif
