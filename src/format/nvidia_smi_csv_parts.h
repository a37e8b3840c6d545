/*
 * nvidia_smi_csv_parts.h - the query CSV while it is read, and which file does what to it; for nvidia_smi_csv*.c only.
 *
 *     nvidia_smi_csv.c           the story: which line is a header, a row, a message
 *     nvidia_smi_csv_row.c       a row by the grammar
 *     nvidia_smi_csv_names.c     whose it is
 *     nvidia_smi_csv_lost.c      messages, and GPUs that are lost
 *     nvidia_smi_csv_blocks.c    rows that need no grammar
 *
 * What is said false of has been reported.
 */
#ifndef POSTRUN_NVIDIA_SMI_CSV_PARTS_H
#define POSTRUN_NVIDIA_SMI_CSV_PARTS_H

#include "format/kept_words.h"
#include "format/nvidia_smi.h"
#include "format/nvidia_smi_csv.h"
#include "format/poll_banner.h"
#include "format/row_pattern.h"
#include "format/row_polls.h"
#include "metric/identity.h"

struct seen { /* what a channel's rows said before */
	const char *name;
	int64_t line; /* where the name stood first */
	const char *odd_name; /* of the first row alone; NULL: the others have the same */
	int64_t first_line;
	struct entity first, other; /* as the first row names the GPU, and as the first one does that names it otherwise */
	size_t n_rows, n_first; /* n_first: that name it as the first one does */
	size_t poll; /* of its last row */
	struct entity gpu;
	time_ms last; /* time of its last row */
	struct entity known; /* how its channel was known when a row came last */
};

/*
 * A row that names its GPU as none did before: that is a damaged name, the first row of another card, or the first one that is not
 * damaged.
 */
struct held_row {
	struct entity gpu;
	const char *odd; /* the name; NULL in a row that is not held */
	struct header *header; /* in force there */
	struct slice text;
	size_t shift; /* of the header's first cell in the row */
	time_ms time;
	int64_t line;
};

#define MAX_HELD ((size_t)16)
#define MAX_LOST ((size_t)64) /* GPUs of one host that are lost at once */

struct row_part { /* of the file, with what is found in it */
	struct slice text;
	char *bytes;    /* those of several parts at a time; NULL: they are in the lines */
	size_t room;
	uint64_t begin; /* of several parts at a time that are read anywhere: where this one begins, */
	size_t n_bytes; /* and how long it is */
	struct part_lines lines; /* its lines, of any several parts */
	struct fitted *fitted;
	struct hints *hints;
};

struct csv { /* the file being read */
	struct reading *r;
	struct sheet *sheet;
	struct csv_row row;
	size_t n_marks, poll, n_rows; /* n_marks: lines that begin a poll; poll: of rows without a time */
	bool after_message, open_quote; /* the line before was a message; began a cell that goes on */

	struct header header; /* in force */
	struct rows_before { /* the first one, that look alike */
		size_t n, n_cells;
		int64_t line;  /* of the first */
		bool are_lost; /* the header has as many columns */
	} before;
	bool seen_header, listed, had_time; /* listed: by --columns or a guess; had_time: some header before had one */
	struct guess *guess; /* in the making, of a log without header */
	const char **unread; /* heads of columns that no metric has */
	size_t n_unread, unread_room;

	struct row_clock clock;
	struct poll_banner banner;
	bool timeless, elapsed, by_block; /* how the rows used so far got their times */
	time_ms last; /* of the row before */

	struct kept_words uuids, names, bus_ids;
	struct seen *seen; /* by channel */
	size_t n_seen, seen_room;
	bool anonymous; /* some rows name no GPU */
	struct row_polls polls; /* of those */
	bool names_differ;
	const char *conflict; /* why the rows can't be of one host, unless those that say so are damaged */
	struct odd_rows {
		const char *name, *last; /* what the first one and the last one call a GPU that is known by another name */
		int64_t line;
		size_t n;
		bool again; /* one name came twice */
	} odd;
	struct held_row held[MAX_HELD];
	size_t n_held;

	struct smi_messages messages;
	struct entity lost[MAX_LOST];
	size_t n_lost;

	struct patterns *patterns; /* NULL: each row goes through the grammar */
	struct row_part parts[WORKERS_MAX]; /* by thread */
	struct crew *crew; /* that looks at several parts at a time; NULL: nobody does */
	uint64_t first_at, next_at; /* while it does: where the first part begins, and the next one that nobody has taken, */
	uint64_t used_at;           /* and the first line that is not used yet */
	bool is_long;      /* more of the file may be at hand, once its GPUs are known */
	size_t n_smooth, smooth_from; /* bytes that went by without a row that fitted no pattern, and from how many on there are parts */
};

/* ------ row */

/* The line is cut into csv->row, and the header in force says what its cells are. */
void csv_take_row(struct csv *csv, struct slice line);
/* The same of a row whose time and GPU are known, and that it is that GPU's; it is cut into csv->row. */
void csv_use_row(struct csv *csv, const struct held_row *row);

/* ------ names */

/* What a cell says of whose the row is. */
bool csv_take_name(struct csv *csv, enum role role, struct slice cell, struct place place, struct entity *gpu);
/* As gpu_is_same(), of rows of this log: each uuid is kept once, and can be told by where it is. */
static inline bool csv_is_same_gpu(const struct entity *a, const struct entity *b)
{
	return a->uuid && b->uuid ? a->uuid == b->uuid : gpu_is_same(a, b);
}
struct seen *csv_seen(struct csv *csv, size_t channel);
/* So many rows came that name the channel's GPU so. */
void csv_count_names(struct seen *seen, const struct entity *gpu, size_t n);
/*
 * One GPU can't have two names: if it does, two hosts wrote this file, or nothing tells its GPUs apart. Of a first row and a second one the
 * third tells which is damaged. False: the row is not used, or not yet.
 */
bool csv_watch_name(struct csv *csv, struct seen *seen, const struct held_row *row);
/*
 * Two GPUs of a host can't have one number at one time. Where a name comes again it is no damaged one: it may be that of another card, and
 * csv_settle_twins() sees whether that came when the first one was gone. False: the row is not used, or not yet.
 */
bool csv_keeps_its_number(struct csv *csv, const struct held_row *row);
/* Rows without identity: of one GPU, or in the order of their poll, or of nobody knows whom. False: the file is not used. */
bool csv_settle_identity(struct csv *csv);
/* Of the recording as it is in the end. False: the file is not used. */
bool csv_settle_twins(struct csv *csv);

/* ------ lost */

/* Cells that say that the GPU is lost are an event the first time; a row without them ends it. */
void csv_watch_lost(struct csv *csv, size_t shift, const struct entity *gpu, time_ms t);
/* A row of it has values. */
void csv_found_again(struct csv *csv, const struct entity *gpu);
void csv_take_message(struct csv *csv, struct slice line);

/* ------ blocks */

void csv_start_blocks(struct csv *csv);
void csv_release_blocks(struct csv *csv);
/* A channel that is new, or has learned a name, may be the one that is meant by rows of other patterns. */
void csv_watch_channel(struct csv *csv, struct seen *seen, const struct entity *channel);
/* Rows like this one need no grammar from now on. */
void csv_learn_row(struct csv *csv, struct slice line, size_t channel, const struct entity *gpu, time_ms t);
/* Rows as far as they fit: where what is at hand of the log ends, it is asked for more. */
void csv_take_blocks(struct csv *csv);

#endif
