/*
 * report_run.h - one report, from the request to files in a folder: what `report` does once, and `batch` for each run.
 */
#ifndef CMD_REPORT_RUN_H
#define CMD_REPORT_RUN_H

#include "cmd/deliver.h"
#include "cmd/examine.h"

/* Rows for the table of a command. */
#define PICTURE_OPTIONS \
	{ "theme", 0, "NAME", "light|dark", "colours of the picture files; report.html has both" }, \
	{ "scale", 0, "N", "1|2|3", "how large the picture files are: 700, 1400 (else) or 2100 pixels wide" }

struct chart_options read_chart_options(const struct options *o);
/* Of all outputs that will be written, before a log is read: who wrote one need not wait for its mistakes. */
bool load_templates(struct arena *mem, const struct options *o, struct delivery *d, struct diags *diags);
/*
 * Read, judged and written; by two processes if there is something to write: d->part says which of them returns. The exit status.
 * `folder`: NULL where d->folder is.
 */
int report_into(struct arena *mem, const struct request *q, struct awaited_rules *rules, struct delivery *d, struct folder_claim *folder,
	struct diags *diags);

#endif
