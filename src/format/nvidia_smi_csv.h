/*
 * nvidia_smi_csv.h - what the parts of the query CSV's reader share: columns and their heads, and guesses where there are none.
 * For this folder only.
 */
#ifndef POSTRUN_NVIDIA_SMI_CSV_H
#define POSTRUN_NVIDIA_SMI_CSV_H

#include "format/csv_row.h"
#include "format/sheet.h"

enum role {
	ROLE_NONE, ROLE_UNREAD, /* not known; known, but no metric has it */
	ROLE_METRIC, ROLE_TIME, ROLE_DATE, ROLE_OF_DAY, ROLE_ELAPSED,
	ROLE_INDEX, ROLE_UUID, ROLE_BUS_ID, ROLE_NAME, ROLE_DRIVER,
};

struct head { /* one column */
	enum role role;
	const struct spelling *spelling;
	enum unit unit;
	bool by_hand;    /* not a name of nvidia-smi */
	size_t rank;     /* of several columns of one metric the lowest wins */
	bool spare;      /* a better column of this metric is there; this one counts where that one says "not supported" */
	size_t spare_at; /* the column to go on with in that case, or SIZE_MAX */
};

struct header {
	struct head at[MAX_CELLS];
	size_t n, n_metrics;
	bool has_time, has_identity;
	bool by_hand; /* somebody's own names */
};

extern const struct spelling smi_columns[];

/* Is this row a header? nvidia-smi's own, or one written by hand whose columns are all known and surely of GPUs. */
bool header_from_row(const struct csv_row *row, struct header *out);
/* From --columns; false, already reported, when a name is none. '-' is a column to pass over. */
bool header_from_list(struct reading *r, const char *list, struct header *out);
/* Such a list of it, of nvidia-smi's own; NULL of one written by hand. */
const char *header_as_list(struct arena *mem, const struct header *header);
/* "memory.used [MiB]", "power (W)": the name, and what stands in the brackets. */
struct slice head_name(struct slice cell, struct slice *unit);
/* "gpu_util_percent is gpu.util, temp_c is gpu.temp": what names written by hand were taken for. */
const char *header_by_hand_text(struct arena *mem, const struct csv_row *row, const struct header *header);

/* What the cells of a log without header look like. */
struct guess;

struct guess *guess_new(struct arena *mem);
void guess_row(struct guess *g, const struct csv_row *row);
/* Does this look like what nvidia-smi prints with noheader? */
bool guess_is_log(const struct guess *g);
/* Every column that counts can be only one thing. */
bool guess_is_sure(const struct guess *g);
/* "timestamp,index,utilization.gpu": the columns it could be, '-' where nothing fits. */
const char *guess_list(struct arena *mem, const struct guess *g);
/* "column 1 holds time stamps, column 2 counts from 0 to 3, …" */
const char *guess_reasons(struct arena *mem, const struct guess *g);

#endif
