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
	size_t slot;               /* of the metrics */
	size_t place;              /* of the row's numbers */
	enum metric metric;
	int decimals;              /* most that the channel's cells had */
};

struct cell_range { /* of a line */
	uint32_t begin, end;
};

struct pattern {
	bool is_good;
	uint64_t spelling; /* digest of what its rows have in quotes, and of how they name the GPU */
	struct entity gpu;
	time_ms shift; /* what is to be added to its stamps: the zone behind them is part of the text */
	struct text before; /* the first field */
	struct field *fields;
	size_t n_fields, fields_room;
	char *text; /* before and behind all fields, each padded, and with room before it for a suffix */
	size_t text_room;
	size_t n_numbers; /* of a row: values that are no part of the text */
	struct constant_cell *constants; /* those that are */
	size_t n_constants, constants_room;
};

#define SPELLINGS ((size_t)4)

struct gpu_patterns { /* of a channel */
	struct pattern of[SPELLINGS]; /* one for each spelling that its rows have, the last learned first */
	size_t n;
	size_t n_misses; /* since a row fitted */
	size_t n_lessons;
	bool has_fitted;   /* some row did */
	uint64_t odd;      /* spelling of the last row that taught nothing */
	char *line; /* from which was learned last */
	size_t line_room;
	struct cell_range *cells;
	size_t n_cells, cells_room;
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
	struct gpu_patterns *at; /* by channel */
	size_t n, room;
	struct pattern_column *columns; /* beside the header's */
	size_t columns_room;
	enum metric *metrics; /* of the values, by slot: alike for all patterns */
	fixed *units;         /* beside them: what codes count in, as all decimals that the cells had ask for */
	size_t n_metrics, metrics_room, units_room;
	uint64_t n_lessons; /* changes whenever a pattern or a column does */
};

/*
 * A row that fitted, as one comparison: where the next one has a digit for each of its digits and all else is the same, it fits as
 * well, and its numbers stand in the same places.
 *
 *     2026/11/21 01:48:34.387, 0, GPU-5c1d…, 97 %, 61200 MiB, P0\n
 *     ~~~~~~~~~~~~~~~~:59.999, 0, GPU-5c1d…, 99 %, 99999 MiB, ~~\n     up to these; ~ is looked up
 */
#define SHAPE_BYTES ((size_t)1024) /* longer rows have no shape */

typedef uint8_t sixteen __attribute__((vector_size(16)));

struct shape_block { /* of 64 bytes of the row */
	sixteen parts[4];
};

#define WORDS_KNOWN 16

struct known_word {
	uint64_t bytes;
	const struct word *word; /* NULL: none */
	int32_t code; /* of its value */
};

struct shape_word { /* what the column's words of this length have in common is text; some bytes tell which one it is */
	uint32_t at;   /* of those, in the row */
	uint32_t to;   /* in the row's codes */
	uint64_t mask; /* of eight bytes */
	fixed unit;    /* of these */
	struct known_word known[WORDS_KNOWN]; /* that were there before, by those bytes */
	const struct pattern_column *column;
	size_t slot;
	size_t n, from; /* length of the words, and where in them these bytes stand */
};

/*
 * What rows of one shape have in common, also of many GPUs: where their digits and words are, and how they are read. Of each GPU the text
 * is another. So what is looked at of a GPU is little, and what is looked at of all stays in the nearest cache.
 */
struct form {
	size_t n_bytes;   /* of the row */
	uint32_t time_at;
	uint64_t seconds; /* which bits of "8:34.387" are digits' */
	size_t n_blocks, n_pairs, n_numbers, n_words;
	struct shape_block *most; /* by how much a byte may differ: text 0, digits 9, what is looked up 255 */
	struct number_pair *pairs;
	struct placed_number *numbers; /* that are in no pair */
	struct shape_word *words;
	char *memory; /* of these */
	size_t room;
};

struct shape {
	uint64_t era; /* of the hints when it was made: it holds until there is another one; 0: there is no such shape */
	struct form *form;
	time_ms shift;            /* of the pattern */
	struct shape_block *like; /* the text, and zeros for digits */
	size_t room;
};

#define SHAPES ((size_t)4)
#define SHAPE_PATIENCE 8

struct shapes { /* of a channel's rows: mostly that of the row before, or of one before that */
	struct shape at[SHAPES]; /* the last one first */
	size_t n_codes; /* of a row */
	int patience; /* how many rows may miss before it is not worth it, or, below zero, how many more go without */
};

#define MOST_FORMS ((size_t)1024)

struct hints {
	struct minute minute;
	uint64_t era;       /* of shapes and forms: another one begins when something is learned, or when there are too many forms */
	uint64_t n_lessons; /* that were learned when it began */
	struct form **forms;
	struct form unfinished; /* one in the making */
	size_t n_forms, forms_room;
	size_t last;      /* channel of the row before */
	uint32_t *next;   /* by channel: whose row came after it the last time */
	size_t n, next_room; /* channels */
	uint8_t words[MAX_CELLS]; /* by slot: which word of its column it was the last time */
	const char *begins[MAX_CELLS]; /* by field: where it began in the row that was looked at last, */
	time_ms t;                     /* its time, */
	fixed numbers[MAX_CELLS];      /* and its numbers */
	const struct pattern *pattern; /* of that */
	struct shapes *shapes; /* by channel */
	size_t shapes_room;
};

struct sight { /* rows that are looked at */
	const struct patterns *patterns;
	const char *end; /* of the text */
	struct fitted *out;
	struct hints *hints;
};

/* Any pattern that rows of the channel can fit; NULL: there is none. All that there are name the GPU alike and have the same constants. */
static inline const struct pattern *good_pattern(const struct gpu_patterns *gpu)
{
	for (size_t i = 0; i < gpu->n; i++)
		if (gpu->of[i].is_good)
			return &gpu->of[i];
	return NULL;
}

/* Room for what is told of channels, and no row yet. */
void fitted_begin(struct fitted *out, const struct patterns *ps);
/* Room for one row more of the channel. */
void fitted_more_bytes(struct channel_rows *rows);
/* The row that was looked at last, as one of the channel, whose pattern it fits. */
void fitted_put(struct fitted *out, const struct patterns *ps, size_t channel, const struct hints *hints);
/* The first row of a channel comes. */
void fitted_touch(struct fitted *out, const struct patterns *ps, size_t channel);
void fitted_more_rows(struct fitted *out);
/* A cell of the row that is looked at has no value. */
void fitted_note_absent(struct fitted *out, size_t channel, size_t slot, enum absence reason);

/* Where the channel's next row goes, if it is one. */
static inline char *fitted_row(struct channel_rows *rows, size_t n_numbers)
{
	if (!rows->n) {
		rows->is_wide = false;
		rows->stride = row_stride(n_numbers, false);
	}
	if ((rows->n + 1) * rows->stride > rows->room)
		fitted_more_bytes(rows);
	return rows->bytes + rows->n * rows->stride;
}

/* The code of a value, if there is one. */
static inline bool code_of_value(fixed value, fixed unit, int32_t *code)
{
	const fixed n = value / unit;

	*code = value == FIXED_MISSING ? CODE_MISSING : (int32_t)n;
	return value == FIXED_MISSING || (*code == n && *code != CODE_MISSING && n * unit == value);
}

/* A row more of the channel, which is in its place already. */
static inline void fitted_add(struct fitted *out, const struct patterns *ps, size_t channel)
{
	struct channel_rows *const rows = &out->rows.of[channel];
	const time_ms t = row_time_in(rows, rows->n);

	if (out->rows.n == out->rooms[ROOM_ROWS])
		fitted_more_rows(out);
	out->rows.channels[out->rows.n++] = (uint32_t)channel;
	if (!rows->n)
		fitted_touch(out, ps, channel);
	else if (!is_steady_step(rows->last, t))
		rows->is_steady = false;
	rows->last = t;
	rows->n++;
}

/* Rows in the order that is likely, each of a shape that its GPU's last ones had. Returns where the first begins that is not. */
const char *shapes_fit(const struct sight *sight, const char *begin);
/* No shape and no form that there is holds any longer. */
void hints_new_era(struct hints *hints);
/* What was shape i is the first one from now on. */
void shape_to_front(struct shapes *shapes, size_t i);
/* The shape of a row that fitted. `hints->begins` has its fields. */
void shape_learn(struct shape *shape, const struct patterns *ps, struct slice row, struct hints *hints);

/* "2026/11/21 01:48" of a minute that was not the row's before; false when it is none. */
bool minute_find(struct minute *m, const char *p);
/* How many of the eight bytes before the first that is no digit. */
static inline unsigned count_digits(uint64_t x)
{
	const uint64_t digits = x ^ 0x3030303030303030U;
	const uint64_t others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;

	return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* n bytes, where up to seven more can be read behind both. */
static inline bool is_text(const char *p, const char *text, size_t n)
{
	for (; n >= 16; n -= 16, p += 16, text += 16)
		if ((eight_bytes(p) ^ eight_bytes(text)) | (eight_bytes(p + 8) ^ eight_bytes(text + 8)))
			return false;
	for (; n >= 8; n -= 8, p += 8, text += 8)
		if (eight_bytes(p) != eight_bytes(text))
			return false;
	return !n || !((eight_bytes(p) ^ eight_bytes(text)) << (64 - 8 * n));
}

/* Does the row's minute begin there that the row before had, or any other? */
static inline bool is_minute(struct minute *m, const char *p)
{
	const bool is_known = !((eight_bytes(p) ^ eight_bytes(m->text)) | (eight_bytes(p + 8) ^ eight_bytes(m->text + 8)));

	return (m->is_known && is_known) || minute_find(m, p);
}

#endif
