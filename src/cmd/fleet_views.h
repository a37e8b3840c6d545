/* fleet_views.h - the looks at many runs beside their index: index.html, index.csv, fleet.txt, fleet.png. */
#ifndef CMD_FLEET_VIEWS_H
#define CMD_FLEET_VIEWS_H

#include "cmd/options.h"
#include "fleet/fleet.h"

struct fleet_views {
	size_t group_field; /* of the id, from 1: runs are compared with those that have the same there; 0: with all */
	bool svg, prometheus;
	bool keeps; /* views that are there already and were made of the same index */
};

/* Rows for the table of a command. */
#define FLEET_OPTIONS \
	{ "group-by", 0, "N", NULL, "compare runs with those whose ids have the same N-th part: of 2024/ann/job-7 the second is ann" }, \
	{ "svg", 0, NULL, NULL, "fleet.svg as well as fleet.png" }, \
	{ "prometheus", 0, NULL, NULL, "postrun.prom as well, for a textfile collector" }

/* False, with one line on standard error, when a value makes no sense. */
bool fleet_views_read(const struct options *o, struct fleet_views *out);
/* Of the index that lies in the folder. False, with complaints, when one could not be made. */
bool fleet_views_write(const struct fleet_views *views, const char *folder, struct diags *diags);

#endif
