/*
 * row_pattern.h - rows that look like those before them, read without a grammar. For this folder only.
 *
 * Rows of one GPU are the same but for some numbers. A pattern is such a row, learned from one that the grammar has taken: texts that
 * stay as they are, and fields between them.
 *
 *     |2026/11/21 01:48:34.387|, 0, GPU-5c1d…, NVIDIA H200, |34 %|, |12 %|, 81559 MiB, |212.26 W|, [N/A], |P0|\n
 *      time                                                  value   value              value             value
 *
 * A row that fits its GPU's pattern means what the grammar would say: no byte of it differs from a row that the grammar took,
 * other than digits of its time and its numbers, words that it took in this column before, and cells that nobody reads. Whatever does not
 * fit is left to the grammar, and learned from. A column belongs to the text until it is seen to change. What names the GPU, and what is in
 * quotes, always does: where rows of a GPU are spelled in several ways there is a pattern for each.
 */
#ifndef POSTRUN_ROW_PATTERN_H
#define POSTRUN_ROW_PATTERN_H

#include "format/nvidia_smi_csv.h"

struct absent_cell { /* of a row that fitted */
	uint32_t channel;
	enum metric metric;
	enum absence reason;
};

enum fitted_room { ROOM_ROWS, ROOM_ABSENT, ROOM_CHANNELS, ROOM_TOUCHED, N_ROOMS };

struct fitted { /* rows that fitted one after another */
	struct row_block rows;
	const char *end; /* of the last one, behind its line end */
	struct absent_cell *absent; /* cells that vary and have no value */
	size_t n_absent;
	size_t n_channels; /* of which something is told, or that there is nothing */
	size_t rooms[N_ROOMS];
};

struct patterns;

struct patterns *patterns_new(void);
void patterns_release(struct patterns *p);
/* Of another header than before nothing that was learned holds. */
void patterns_reset(struct patterns *p, const struct header *header);
/* A channel came, or has more names than before: which rows are whose is to be found out anew. */
void patterns_forget(struct patterns *p);
/* Is there one for this channel, of rows that name the GPU so, that was not forgotten? */
bool patterns_has(const struct patterns *p, size_t channel, const struct entity *gpu);
/*
 * The grammar has taken `line`, which is cut into `row` by the header in force, as one of `channel` at t, and no other channel could be
 * meant by it. Behind the line stands its line end.
 */
void patterns_learn(struct patterns *p, const struct format *format, const struct csv_row *row, struct slice line, size_t channel,
	const struct entity *gpu, time_ms t);
/* The GPU as rows of the channel name it: where they do so in several ways, as some do, and that some others do was counted already. */
const struct entity *patterns_gpu(const struct patterns *p, size_t channel);

struct fitted *fitted_new(void);
void fitted_release(struct fitted *f);

/* What is likely of the next row: nothing depends on it but how soon it is found what it is. Each thread has its own. */
struct hints;
struct hints *hints_new(void);
void hints_release(struct hints *h);

/*
 * All rows that `text` begins with, up to the first that fits no pattern. PADDING_BYTES behind `text` can be read; where it does not
 * end in zeros, it ends in a whole line. Changes nothing that was learned, so that several threads may do it at once.
 */
void patterns_fit(const struct patterns *p, struct slice text, struct fitted *out, struct hints *hints);
/* The rows were used. */
void patterns_confirm(struct patterns *p, const struct fitted *f);

#endif
