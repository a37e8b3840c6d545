/*
 * sheet.h - where readers put rows: a recording in the making. For this folder only.
 *
 * A reader opens a row of a channel (an entity) at a time, then puts cells. Rows may come in
 * any order of channels; columns may appear at any row; what a row does not put is missing.
 * sheet_finish() sorts, drops doubles and moves everything to the run's arena at its exact size.
 */
#ifndef POSTRUN_SHEET_H
#define POSTRUN_SHEET_H

#include "base/workers.h"
#include "format/reading.h"

struct sheet *sheet_new(struct reading *r);
/* The channel of this entity, made at need; SIZE_MAX, already reported, over MAX_CHANNELS. */
size_t sheet_channel(struct sheet *s, const struct entity *e);
/* For formats that describe the interval before a row: when the first row's interval began. */
void sheet_begin(struct sheet *s, size_t channel, time_ms begin);
void sheet_row(struct sheet *s, size_t channel, time_ms t);
/* Who opens a row when more than its first line is read: in the line just read begins what a log without times has at `t` (stamped.h). */
void sheet_poll(struct sheet *s, time_ms t);
/* Rows that are opened now do not stand in the line just read, but in this one; 0: nobody knows where. Until sheet_line_read(). */
void sheet_line(struct sheet *s, int64_t line);
void sheet_line_read(struct sheet *s);
/*
 * The log's stamps are whole seconds and it may look more often: rows of an entity that follow each other with one
 * stamp are spread evenly over that second, and counted, when the second before or after has rows as well. Where
 * neither has, they are doubles as ever: a poll was written twice.
 */
void sheet_spread(struct sheet *s);
/*
 * Goes on with the channel's row of this time, or opens one: for logs that tell a row in several lines, sections
 * apart (sar). A line that goes on with a row is counted as ignored, since its row is counted already.
 */
void sheet_row_at(struct sheet *s, size_t channel, time_ms t);
/* Into the row opened or gone on with last; absent instead when no such value can be. `decimals`: digits behind the point, as written. */
void sheet_put(struct sheet *s, enum metric metric, fixed value, int decimals);
void sheet_absent(struct sheet *s, enum metric metric, enum absence reason);
/*
 * A cell as text: a word for missing, or a number with or without a unit, or a mask, a flag or a
 * P-state where the metric is one. `unit` is what the column head says, or the tool's own.
 */
void sheet_cell(struct sheet *s, const struct spelling *column, enum unit unit, struct slice cell, struct place place);
/* The same of what nearly all cells are, a plain number that can be. False, and nothing done: sheet_cell() has to look at it. */
bool sheet_cell_plain(struct sheet *s, enum metric metric, enum unit unit, struct slice cell);

struct constant_cell { /* what all rows of a channel in a block say of a metric */
	size_t slot;         /* of the block's metrics */
	fixed value;         /* FIXED_MISSING: there is none, and why */
	enum absence reason;
};

/*
 * Those of a block that are of one channel. Of each row there is its time, and then a number for each of the block's metrics that is no
 * constant: mostly a code of 32 bits, which counts in the metric's unit, so that many rows are in few bytes; where one is too large for
 * that, or no multiple, all of the channel's are values as they are.
 */
struct channel_rows {
	char *bytes;      /* row by row */
	size_t n, room;   /* rows, and bytes for which there is room */
	size_t stride;    /* bytes from row to row */
	bool is_wide;     /* values as they are; never of rows that wait in a sheet */
	time_ms last;     /* of the last row */
	bool is_steady;   /* from row to row it is a steady step */
	const struct constant_cell *constants; /* in the order of the metrics */
	size_t n_constants;
};
struct row_kind { /* what rows have beside a time */
	const enum metric *metrics;
	const fixed *units; /* beside them: what codes count in */
	size_t n_metrics;
};
/* Rows of several channels, for readers that know what is in them. */
struct row_block {
	struct row_kind kind; /* of all of them */
	uint32_t *channels; /* by row, in the order of the log */
	size_t n;
	struct channel_rows *of; /* by channel, of those touched; a value is FIXED_MISSING where sheet_absent_in() tells why */
	uint32_t *touched;       /* channels, in the order of their first rows here */
	size_t n_touched;
};
#define CODE_MISSING INT32_MIN
/* From a row to the next, each at a place for a time. */
static inline size_t row_stride(size_t n_numbers, bool is_wide)
{
	const size_t n_bytes = n_numbers * (is_wide ? sizeof(fixed) : sizeof(int32_t));

	return sizeof(time_ms) + (n_bytes + sizeof(time_ms) - 1) / sizeof(time_ms) * sizeof(time_ms);
}
static inline time_ms row_time_in(const struct channel_rows *c, size_t i)
{
	time_ms t;

	memcpy(&t, c->bytes + i * c->stride, sizeof t);
	return t;
}
/* Where the numbers of row i begin. */
static inline char *row_numbers(const struct channel_rows *c, size_t i)
{
	return c->bytes + i * c->stride + sizeof(time_ms);
}
static inline fixed value_of_code(int32_t code, fixed unit)
{
	return code == CODE_MISSING ? FIXED_MISSING : code * unit;
}
/* Between two rows no further apart than that no clock was set. */
static inline bool is_steady_step(time_ms from, time_ms to)
{
	return to > from && to - from <= HOUR_MS / 2;
}
/*
 * All rows of a block, as sheet_row() and then sheet_put() would take them, one by one. Their lines were read last. All values are
 * possible, have no more decimals than were put before, and are of metrics that the channel has. `more_come`: other blocks come next,
 * of the same metrics, units and constants, or sheet_rows_end(), before anything else is asked of the sheet: rows may wait for them.
 */
void sheet_rows(struct sheet *s, const struct row_block *rows, bool more_come);
/* No more blocks come for now. */
void sheet_rows_end(struct sheet *s);
/* Rows may be thinned while they come in (sheet_thin.c): the reader asks for none of them again, and deals none out. */
void sheet_thin_ahead(struct sheet *s);
/* n cells of the channel that have no value. */
void sheet_absent_in(struct sheet *s, size_t channel, enum metric metric, enum absence reason, size_t n);
/* Whose channel it is, with all names that its rows told so far. */
const struct entity *sheet_entity(const struct sheet *s, size_t channel);
/* When only the whole log tells whose it is. */
void sheet_rename(struct sheet *s, size_t channel, const struct entity *e);
/* The channel's first row is not used, which is told by who knows why. False: it is thinned already, and stays. */
bool sheet_leave_first(struct sheet *s, size_t channel);

/* What a cell says. */
struct cell_value {
	bool is_value;
	bool is_wrong;   /* and sheet_cell() complains of it */
	fixed value;     /* in the metric's own unit */
	int decimals;
	enum absence reason; /* why it has none */
	enum diag_code complaint;
};
struct cell_value cell_read(const struct format *format, const struct spelling *column, enum unit unit, struct slice text);
/* To the metric's own unit; exact when the units agree, as they do in almost every log. False: no such unit, or too large. */
bool cell_convert(fixed *value, enum unit from, enum unit to);
/* Something happened. `t` is kept as given; TIME_UNKNOWN: with the row that comes next, or else the one before. `text` is copied. */
void sheet_event(struct sheet *s, enum event_kind kind, const struct entity *e, time_ms t, int code, struct slice text);
/* Every time so far, changed by to(of, time): when only the whole log tells how its times are to be read. */
void sheet_retime(struct sheet *s, time_ms (*to)(const void *of, time_ms t), const void *of);
/* Every time so far is one of a day whose date may be read in another way, and then so much later: when only the whole log tells. */
void sheet_doubt_dates(struct sheet *s, time_ms swap);
/*
 * Row i of the channel is one of GPU gpus[i], at times[i]: when only the whole log tells which row is whose. SIZE_MAX: of nobody
 * knows whom; counted as rejected. The channel itself is empty then.
 */
void sheet_deal(struct sheet *s, size_t channel, const size_t *gpus, const time_ms *times);
/* Where all values of a percentage are parts of one (sheet_fraction.c), they become percent. All rows are in. */
bool sheet_parts_to_percent(struct sheet *s, enum metric metric);
/* False, already reported, when there was no row that could be used, and no event. */
bool sheet_finish(struct sheet *s);
/* Instead of finishing, when the file can't be used at all, which is reported already. Always false. */
bool sheet_drop(struct sheet *s);

/* The spelling of a column head, or NULL. */
const struct spelling *spelling_find(const struct spelling *columns, struct slice head);
/*
 * False, counted and reported, when the line just read can't be used by any reader: too long, with
 * NUL bytes, or the last one without a line end, which may be cut inside a number.
 */
bool sheet_takes_line(struct sheet *s);
/* A row that can't be used: counted and reported, the first of a kind with its line. Always false. */
bool sheet_reject(struct sheet *s, struct place place, enum diag_code code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* One that has not as many cells as the header. */
bool sheet_reject_cells(struct sheet *s, struct place place, size_t n, size_t n_heads);

#endif
