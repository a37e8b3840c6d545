/*
 * sheet_parts.h - what a sheet is made of while rows come in; for sheet*.c only.
 */
#ifndef POSTRUN_SHEET_PARTS_H
#define POSTRUN_SHEET_PARTS_H

#include "base/packed.h"
#include "format/sheet.h"

struct debts; /* what thinned rows owe to those that they stand for: sheet_thin.c */

struct cells {
	struct packer *values; /* NULL: this channel has no such column */
	int decimals;
	size_t n_absent, n_impossible;
	struct extremes_seen seen; /* of rows that others stand for now */
	struct debts *debts; /* NULL: no others do */
};

#define MOST_STRETCHES ((size_t)100) /* a log whose time steps back more often has several clocks, not one that was set */
#define JITTER_STEPS 3               /* by no more than that rows of one clock overtake each other */
#define HOLE_STEPS 3                 /* as in series/track.h */

#define STRAY_LINES 4
struct back_step { /* from a channel's row to the next, in the order of the file */
	size_t row; /* the later one */
	int64_t lines[STRAY_LINES]; /* of the two rows before it, itself, and the next; 0 = not known */
};

struct stray { /* a row that is not used, since its time is not that of the rows around it */
	size_t row;
	int64_t line;
	time_ms by; /* ahead of them; below 0: behind them */
	const char *beside; /* where those rows are: "around", "after" or "before" it */
};

struct strays { /* of a channel, in the order of the file */
	struct stray at[STRAY_LINES * MOST_STRETCHES + 2];
	size_t n;
};

struct rows { /* a channel in the making */
	struct entity entity;
	/*
	 * Of its columns, which one thread packs at a time; until the recording is finished. Whole packs of the first `n_thinned` rows are
	 * in `thinned`, so that the others can be given back when they are thinned in turn.
	 */
	struct arena *packs, *thinned;
	struct packer times;
	size_t n;
	size_t current; /* the row that cells go to */
	struct channel_rows waiting; /* for more, until they are a pack, and none of them wide: sheet_rows.c */
	int64_t first_line, line_before, line; /* of the first row, the last but one, and the last; 0 = not known */
	struct back_step *backs; /* the first MOST_STRETCHES */
	size_t n_backs, backs_room;
	bool may_step_back; /* its times may not ascend */
	bool leaves_first;  /* sheet_leave_first() was called */
	time_ms begin; /* of the first row's interval, or TIME_UNKNOWN */
	time_ms swap;  /* of all rows, while `swaps` is NULL */
	time_ms *swaps;
	size_t swaps_room;
	struct cells cells[N_METRICS];
	enum metric columns[N_METRICS]; /* those that have values: every row goes through them */
	size_t n_columns;
	size_t n_thinned; /* the first of its rows: each stands for */
	size_t every;     /* so many of the log */
	size_t n_merged;  /* rows of the log that others stand for */
};

struct event_note {
	time_ms swap; /* what to add to its time if day and month are the other way */
	int64_t line; /* where it stands; 0 = not known */
};

struct sheet {
	struct reading *r;
	struct rows **rows;
	size_t n, room;
	size_t current; /* channel of the row opened last */
	struct event *events;
	size_t n_events, events_room;
	struct event_note *event_notes; /* beside events */
	size_t notes_room;
	size_t n_timed; /* events that have their time; those behind wait for the next row */
	time_ms last;   /* of the row opened last, or TIME_UNKNOWN */
	bool spreads;   /* sheet_spread() was called */
	time_ms first;  /* of the first row, or TIME_UNKNOWN */
	time_ms step;   /* between the last two rows of a channel that were apart, or 0 */
	time_ms set_back; /* how far the clock was set back so far: what local times lack of elapsed time */
	bool thins_ahead; /* sheet_thin_ahead() was called */
	size_t every;     /* rows of the log become one, if its channels are thinned; else 0 */
	size_t n_kept;    /* rows of all channels */
	size_t n_most;    /* of them: then sheet_make_room() is to be called, whatever way rows come at the same one */
	bool rows_wait;         /* of some channels, since sheet_rows_end(): */
	struct row_kind kind;   /* what they are */
	bool is_elsewhere;  /* rows that are opened do not stand in the line just read, but */
	int64_t line;       /* there; 0 = nobody knows where */
	size_t n_over;    /* rows of entities over MAX_CHANNELS */
};

static inline time_ms row_time(const struct rows *rows, size_t row)
{
	return packer_at(&rows->times, row);
}

/* What a log says that was cut and joined again may be impossible in ways that no reader thinks of. */
static inline bool is_possible(enum metric metric, fixed value)
{
	const struct metric_row *const row = &metric_table[metric];

	/* nearly all are well within; the division is for those at the ends */
	if (value >= 0 && row->low <= 0 && (double)value < row->high * (0.999999 * FIXED_ONE))
		return true;
	return fixed_value(value) >= row->low && fixed_value(value) <= row->high;
}

/* Lower median, for which they are put in order; 0 of none. series/track.h has the same definition for tracks. */
time_ms median_of_steps(time_ms *steps, size_t n);
/* Of a channel whose rows are in order; of SCOPE_RUN the longest. */
time_ms channel_step(const struct channel *c);
/* Those of its rows that are evenly further apart than `step`, the median. */
void channel_find_steps(struct arena *mem, struct channel *c);
/* The row that comes next, in `line`, steps back. */
void sheet_note_back(struct rows *rows, int64_t line);
/* The last row stands in rows->line: of a step back before it that is the next row's line. */
void sheet_note_behind(struct rows *rows);
/* The block's rows were written, and are the lines read last: where those are from which the next row may step back. */
void sheet_note_lines(struct sheet *s, const struct row_block *b);
/* May the first row or the last one be a stray that rows in order don't show? */
bool sheet_ends_apart(const struct rows *rows);
/* `step`: the usual one of the channel's rows ahead. */
void sheet_find_strays(const struct rows *rows, time_ms step, struct strays *found);
/* All rows are in: what was logged before a clock was set back, while its logger went on, is told as much earlier. */
void sheet_take_sets_out(struct sheet *s);
/* Counts them as rejected, and tells of them. */
void sheet_reject_strays(struct sheet *s, const struct strays *found);

/* As sheet_put() of what is possible. */
void sheet_put_possible(struct sheet *s, enum metric metric, fixed value, int decimals);
/* When n_kept has reached n_most, after sheet_thin_ahead(): rows are thinned if there are too many, and there is room again. */
void sheet_make_room(struct sheet *s);
/* All rows are in: by how much they are to be thinned, if at all. */
void sheet_settle_room(struct sheet *s);
/*
 * Then, of one that is a channel already, into memory of its own. False, and nothing done: it stays as it is. The first `n_thinned` were
 * thinned before; of those whose rows are as they came, whole packs stay as they are, and their memory goes over.
 */
bool channel_thin(
	const struct sheet *s, const struct rows *rows, struct channel *c, size_t n_thinned, bool is_as_it_came, struct arena *mem);
/* Events that wait for their time happened at t; so did the row opened last. */
void sheet_time_events(struct sheet *s, time_ms t);

#endif
