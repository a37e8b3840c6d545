/*
 * row_pattern_parts.h - what a pattern is made of; for row_pattern*.c only.
 */
#ifndef POSTRUN_ROW_PATTERN_PARTS_H
#define POSTRUN_ROW_PATTERN_PARTS_H

#include "format/row_pattern.h"

enum field_kind {
	FIELD_TEXT,     /* none: what stands there belongs to the text */
	FIELD_TIME,
	FIELD_VALUE,    /* a number, or a word that the column had before */
	FIELD_SPARE,    /* counts only where a better column has no value; must not say that the GPU is lost */
	FIELD_UNREAD,
};

/* Up to eight bytes of text in one number, the first byte the lowest; ones where there is text. */
struct short_text {
	uint64_t bytes, mask;
};

struct text {
	struct short_text first, second; /* most texts are no longer */
	const char *p; /* zeros behind it */
	size_t n;
};

#define WORD_BYTES ((size_t)56) /* "[Requested functionality has been deprecated]" has 46 */
#define SUFFIX_BYTES ((size_t)8)
#define MAX_WORDS ((size_t)12)  /* of a column: P-states, masks, words for missing */

struct word {
	char text[WORD_BYTES + 8]; /* zeros behind it */
	size_t n;
	fixed value; /* FIXED_MISSING: absent */
	enum absence reason;
};

struct pattern_column { /* what was learned of a column, of all GPUs alike */
	bool varies;
	bool is_number;       /* numbers were met, with this behind them: */
	char suffix[SUFFIX_BYTES];
	size_t n_suffix;
	enum unit unit;       /* what that means */
	int moved;            /* how many digits more stand behind the point in the metric's own unit */
	struct word words[MAX_WORDS];
	size_t n_words, oldest;
};

struct field {
	enum field_kind kind;
	bool is_number;            /* of FIELD_VALUE: numbers were met. What follows is of those: */
	bool is_converted;
	int most_decimals;         /* that a cell may have: no more than the channel has */
	fixed low;
	uint64_t range;            /* from there to the highest possible value */
	struct text behind_number; /* with what stands behind numbers of this column */
	struct text behind;        /* up to the next field, or the row's end */
	const struct pattern_column *column;
	size_t slot;               /* of the row's values */
	enum metric metric;
	int decimals;              /* most that the channel's cells had */
};

struct cell_range { /* of a line */
	uint32_t begin, end;
};

struct constant { /* a value that is part of the text */
	size_t slot;
	fixed value; /* FIXED_MISSING: absent */
	enum absence reason;
};

struct pattern {
	bool is_good;
	size_t n_misses; /* since a row fitted */
	size_t n_lessons;
	struct entity gpu;
	time_ms shift; /* what is to be added to its stamps: the zone behind them is part of the text */
	struct text before; /* the first field */
	struct field *fields;
	size_t n_fields, fields_room;
	char *text; /* before and behind all fields, each padded, and with room before it for a suffix */
	size_t text_room;
	char *line; /* from which it was learned */
	size_t line_room;
	struct cell_range *cells;
	size_t n_cells, cells_room;
	struct constant *constants;
	size_t n_constants, constants_room;
	int *decimals; /* most that the channel's cells had, beside the header's columns */
	size_t decimals_room;
};

struct minute { /* of the row before */
	char text[16]; /* "2026/11/21 01:48" */
	time_ms begin;
	bool is_known;
};

struct patterns {
	struct header header;
	struct pattern *at; /* by channel */
	size_t n, room;
	struct pattern_column *columns; /* beside the header's */
	size_t columns_room;
	enum metric *metrics; /* of the values, by slot: alike for all patterns */
	size_t n_metrics, metrics_room;
};

/* Nothing depends on them but how soon the right one is found. */
struct fitted_hints {
	struct minute minute;
	size_t last;      /* channel of the row before */
	uint32_t *next;   /* by channel: whose row came after it the last time */
	size_t n_next, next_room;
	uint8_t words[MAX_CELLS]; /* by slot: which word of its column it was the last time */
};

/* The first byte is the lowest one, on any machine. */
static inline uint64_t eight_bytes(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

#endif
