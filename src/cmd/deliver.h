/*
 * deliver.h - a report into a folder and to standard output, in the forms that were asked for.
 */
#ifndef CMD_DELIVER_H
#define CMD_DELIVER_H

#include "chart/chart.h"
#include "cmd/apart.h"
#include "fleet/fleet.h"
#include "render/render.h"

enum vectors { /* the pictures once more: into the folder, or the first of them to standard output */
	VECTORS_NONE,
	VECTORS_SVG,
	VECTORS_PDF
};

/* What is to be written, settled before a log is read. */
struct delivery {
	const struct renderer *printed;    /* --format; the text where `vectors` are asked for */
	const struct template **templates; /* beside renderer_table; NULL where an output has none */
	struct render_options render;
	struct chart_options charts;
	enum vectors vectors;
	const struct limits *limits; /* may be NULL */
	const char *folder; /* or NULL */
	bool is_quiet;      /* nothing to standard output but vectors */
	enum part part;     /* which process is this? Set when there are two: what the worker has said the writer need not say */
	const bool *chosen; /* beside renderer_table: what goes into the folder; NULL: what a report folder always has */
	const struct record *record; /* of a run among many, as far as it is known without a log: then RECORD_FILE is written, too */
};

/* One line of JSON: what an index of many runs keeps of this one. */
#define RECORD_FILE "record.json"

/* Does a report folder get it? */
bool output_is_chosen(const struct delivery *d, const struct renderer *renderer);

/*
 * The exit status. Everything is rendered in memory before the first file is touched, and put into the folder at once (folder_write.h),
 * so that a report folder is either complete or as it was. `folder`: NULL where d->folder is.
 */
int deliver(struct arena *mem, const struct report *report, const struct delivery *d, const struct apart *apart,
	struct folder_claim *folder, struct diags *diags);
/* What deliver() hands over, from the process that may write files: its exit status. `diags`: as apart_serve() has them. */
int deliver_for_worker(struct arena *mem, const struct delivery *d, const struct apart *apart, struct folder_claim *folder,
	struct diags *diags);

#endif
