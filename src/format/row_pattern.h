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
 * fit is left to the grammar, and learned from. A column belongs to the text until it is seen to change.
 */
#ifndef POSTRUN_ROW_PATTERN_H
#define POSTRUN_ROW_PATTERN_H

#include "format/nvidia_smi_csv.h"

struct absent_cell {
	enum metric metric;
	enum absence reason;
};

struct pattern_row { /* a row that fitted */
	size_t channel;
	const struct entity *gpu; /* as its row names it */
	time_ms t;
	size_t n_bytes; /* with its line end */
	const enum metric *metrics;
	const fixed *values; /* beside metrics; FIXED_MISSING where absent[] or always_absent[] says why */
	size_t n_values;
	const struct absent_cell *absent, *always_absent;
	size_t n_absent, n_always_absent;
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
/* The row that `ahead` begins with; false when it fits no pattern. PADDING_BYTES behind `ahead` can be read. */
bool patterns_match(struct patterns *p, struct slice ahead, struct pattern_row *row);

#endif
