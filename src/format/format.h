/*
 * format.h - the face of reading: a file in, a recording out.
 *
 * A reader recognises its log by content (`bid`), pushes rows into a recording, never aligns,
 * never converts zones and never drops a bad row in silence. One reader is one file that
 * ends in `const struct format format_NAME`, plus one row in formats.def.
 */
#ifndef POSTRUN_FORMAT_H
#define POSTRUN_FORMAT_H

#include "base/calendar.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/pack_steps.h"
#include "metric/entity.h"

enum absence { /* why a cell has no value */
#define ABSENCE(id, name, title) ABSENT_##id,
#include "format/absence.def"
#undef ABSENCE
	N_ABSENCES
};
struct absence_row {
	const char *name, *title;
};
extern const struct absence_row absence_table[N_ABSENCES];

/* A word with which a tool says that there is no value. */
struct absence_word {
	const char *word;
	enum absence reason;
};

/* A column head that a tool prints: its metric, and the unit of its cells when neither head nor cell names one. */
struct spelling {
	const char *head;
	enum metric metric;
	enum unit unit;
};

struct column {
	enum metric metric;
	struct packed values; /* beside channel.times, FIXED_MISSING where absent */
	int decimals;    /* most digits behind the point that a cell had */
	size_t n_absent;
	size_t n_impossible; /* of n_absent: values that no sensor can have */
	struct extremes_seen *seen; /* where recording.every is more than 1, else NULL */
};
/* The rows of one entity, in the order of the file; after reading: strictly ascending in time. */
struct channel {
	struct entity entity;
	struct packed times; /* as the log writes them, as if its zone were UTC, until clock_settle() */
	size_t n_rows;
	size_t n_merged; /* rows of the log that others of these stand for: recording.every */
	struct column *columns;
	size_t n_columns;
	time_ms step; /* median between rows; of SCOPE_RUN the longest, since a job writes when it has something to say */
	const struct pack_steps *steps; /* of its rows; NULL: `step`, everywhere */
	time_ms *swaps; /* beside times, what to add if day and month are the other way; NULL: clock.date_swap for all */
};

/* How rows are read. */
static inline time_ms channel_time(const struct channel *c, size_t row)
{
	return packed_at(&c->times, row);
}
static inline time_ms channel_step_at(const struct channel *c, size_t row)
{
	return c->steps ? step_at(c->steps, row) : c->step;
}
/* The last row holds for a step, too. */
static inline time_ms channel_end(const struct channel *c)
{
	const size_t last = c->n_rows - 1;

	return channel_time(c, last) + channel_step_at(c, last);
}
static inline fixed column_value(const struct column *c, size_t row)
{
	return packed_at(&c->values, row);
}

/* Something that happened at a moment, told in words by the log: not a sample of anything. */
enum event_kind {
#define EVENT(id, name, title) EVENT_##id,
#include "format/event.def"
#undef EVENT
	N_EVENTS
};
struct event_row {
	const char *name, *title;
};
extern const struct event_row event_table[N_EVENTS];
struct event {
	enum event_kind kind;
	struct entity entity; /* a GPU, or the host */
	time_ms t;            /* on the clock of the recording's channels */
	int code;             /* of an Xid; else 0 */
	const char *text;     /* as the log says it, one line */
};

enum clock_basis { BASIS_UNKNOWN, BASIS_LOCAL, BASIS_UTC, BASIS_OFFSET };
/*
 * Where a log in local time seems to have changed its zone: the end of daylight saving, which sets the clock back by an
 * hour (by half an hour on Lord Howe Island), and its begin, which sets it ahead. Times of a channel are elapsed time: what a clock
 * showed after it was set back is that much later there. A jump ahead may be a hole as well: clock_settle() decides.
 */
struct clock_change {
	time_ms at; /* the first row after it, on the recording's clock; 0 when there was none */
	time_ms by; /* how far the clock was set */
	time_ms swap; /* what to add to `at` if day and month are the other way */
};

struct date_order { /* what dates like 11/05/26 have told so far of the order of day and month, which all of a log share */
	bool only_day_first, only_month_first; /* one can only be read so */
	bool back_as_read, back_swapped;       /* month first, day first: one would be earlier than the one before it */
	bool has_last;
	time_ms last_as_read, last_swapped;
};

enum clock_decision { DECIDED_OPTION, DECIDED_LOG, DECIDED_SIBLING, DECIDED_INFERRED, DECIDED_ASSUMED };
struct clock_note {
	enum clock_basis basis;  /* what the log itself says: local time without a zone, UTC, a fixed offset */
	time_ms offset;          /* east of UTC; meaningful once decided, or for BASIS_OFFSET */
	const char *zone;        /* the word the log uses for its zone, or NULL */
	struct clock_change back, ahead; /* the first of each */
	const char *change_witness;      /* the log that tells that the jump ahead is no hole; NULL: only its date does */
	struct clock_change gap;         /* a jump ahead of which no log tells that; as the log has it */
	bool date_ambiguous;     /* day and month of the banners could be swapped, of all of them alike */
	time_ms date_swap;       /* what to add if they are; while reading: to the rows that come next */
	struct date_order order;
	bool date_unknown;       /* time of day only: times count from midnight of day 0 */
	bool year_unknown;       /* day and month without a year: times are those of 1972, and of 1973 after New Year */
	bool elapsed;            /* with time_unknown: rows tell the time since a start that the log does not name */
	bool time_unknown;       /* no times at all: rows are a second apart from 0 on, until --start (and --step) place them */
	enum clock_decision decided_by;
	bool is_unconfirmed;     /* moved against another log, and nothing that they show says that it should be */
	const char *sentence;    /* for the report */
	const char *of_many;     /* the same as said of many logs, "They name no zone; …"; NULL: it is said of each */
};

struct recording { /* one input file, as it was written */
	const char *path, *name;  /* as given; its last part, or as many as tell it from the run's other logs */
	const struct format *format;
	const char *why;          /* why this reader: "header has 9 of 9 known columns" */
	const char *digest;       /* "xxh128:…" of the bytes as stored: of the file, or of the member of an archive */
	uint64_t bytes;
	const char *archive, *archive_digest; /* the file that it is a member of, or NULL */
	struct channel *channels;
	size_t n_channels;
	struct clock_note clock;
	const char *host;         /* as the log names it, or NULL */
	const char *of_host;      /* where it was written, once clock_settle() is through; "" when nobody knows */
	const char *tool;         /* version word the log gives, or NULL */
	size_t n_rows;            /* rows used */
	size_t every;             /* so many of a channel's rows were made one; mostly 1 */
	const char *room;         /* why: "1 GiB, the limit 'memory' (…)"; NULL: there was room for all */
	size_t n_rows_by_pattern; /* of those: read without the grammar, since they look like rows before them */
	size_t n_rows_bad, n_rows_ignored; /* ignored: repeated headers, blank lines, averages */
	size_t n_rows_seen;       /* n_rows + n_rows_bad + n_rows_ignored; where rows are lines, as who cut the lines has counted them */
	size_t absences[N_ABSENCES];
	const char *const *unread; /* heads of columns that no metric has */
	size_t n_unread;
	struct event *events;     /* in the order of the file */
	size_t n_events;
	const char *const *messages; /* error lines of the logging tool, as written */
	size_t n_messages;
	const char *heads;        /* its last header, as --columns takes it; NULL: it has none of nvidia-smi's */
	bool is_by_columns;       /* its columns are those that --columns lists, since it has no header */
	const char *map;          /* path of the mapping that says what its columns are, or NULL */
	const char *guess;        /* what the log does not say and was taken for granted to read it; or NULL */
	bool names_no_gpu;        /* no row does: its only GPU is taken for the first one */
	bool cut;                 /* the last row was cut off */
	const char *damage;       /* of the compressed stream: "the gzip data ends early", or NULL */
	bool time_back;           /* time stepped back somewhere; the rows were put in order */
	time_ms set_back;         /* by how much the clock was set back in all while the log went on; what came before was moved */
	size_t n_spread;          /* rows that shared a stamp of whole seconds and were spread over that second */
	size_t n_doubles;         /* of n_rows_ignored: rows that had the time of another of the same entity */
	size_t n_overlaid;        /* of n_rows_ignored: rows of a time that the log tells of again after it stepped back */
};

struct bid {
	int score;       /* 0 not mine … 100 certain */
	const char *why; /* a sentence part: "has nvidia-smi's header with 9 known columns" */
};

struct file_option { /* --tz FILE=VALUE */
	const char *file; /* name or path of an input, or the end of its path; "*" for all */
	const char *value;
};
struct file_options {
	const struct file_option *at;
	size_t n;
};
/*
 * The one for this input, and its value: what names it most closely, the last of several, or else the last for all; NULL when there is
 * none. "-" is the standard input.
 */
const struct file_option *file_option_in_force(struct file_options options, const char *path);
const char *file_option_for(struct file_options options, const char *path);
/* Does that value hold for all inputs, and was not given for this one? */
bool file_option_is_for_all(struct file_options options, const char *path);

#define MAPPING_FOLDER "rules/mapping/" /* of the built-in mappings */
struct mappings; /* format/mapping.h */
/* The user's first, so that among equals they win, then the built-in; NULL, already reported, when one of the user's is wrong. */
const struct mappings *mappings_load(struct arena *mem, struct file_options maps, struct diags *diags);
/* The file that the i-th of the options named. */
struct slice mappings_text(const struct mappings *all, size_t i);
struct read_request { /* what the user says of inputs beyond what is in them */
	struct file_options columns; /* --columns: the field list of a log without header, comma between */
	struct file_options maps;    /* --map: path of the mapping that explains a file's columns */
	const struct mappings *mappings; /* all that are known; may be NULL */
	const struct limits *limits; /* --limit; NULL: none was changed */
	const struct recording *before; /* the log that this one goes on with, as logrotate leaves them: it may have its columns; or NULL */
	uint64_t memory;             /* bytes that the rows of an input may take, with what is worked out of them; 0: as limits have it */
	/* For tests, since nothing else may come out: */
	size_t part_bytes; /* in parts of so many rows are looked at, several at a time, however few there are; 0: as is worth it */
	bool by_grammar; /* each row by itself, though it looks like those before it */
};

struct reading; /* format/reading.h */
struct format {
	const char *name;   /* "nvidia-smi-csv" */
	const char *title;  /* what it reads, with the command that writes it */
	const char *sample; /* real lines: the reader must claim and read them better than all others */
	const struct spelling *columns;
	const struct absence_word *absences; /* ends with a NULL word */
	bool stamps_its_lines; /* a time before each line is its own */
	bool rows_are_not_lines; /* a document (JSON, XML), or a line that tells of several entities: no account by lines */
	bool takes_columns;      /* reads what no reader recognises, if --columns names its columns */
	bool covers_preceding; /* a row describes the interval that ends at its time stamp */
	struct bid (*bid)(struct slice first_bytes, struct arena *scratch);
	/* Instead of it, for readers to whom it matters what the user says of the file; NULL for the others. */
	struct bid (*bid_asked)(struct slice first_bytes, const char *path, const struct read_request *request, struct arena *scratch);
	bool (*read)(struct reading *r); /* false: the file gave nothing; already reported */
};

extern const struct format *const format_table[];
extern const size_t n_formats;

/*
 * The reader with the highest bid. NULL when none bids, with *why NULL; and when two bid the same, with *why
 * naming both: that would be a mistake of ours, but a log is not read by whoever stands first in a list. *why lives as long as `scratch`.
 */
const struct format *format_detect(struct slice first_bytes, const char *path, const struct read_request *request, struct arena *scratch,
	const char **why);
/* Of what limits give a report, what is there for rows and all that is worked out of them; what those of a recording take of it. */
uint64_t memory_for_rows(const struct limits *limits);
uint64_t recording_bytes(const struct recording *recording);
/*
 * Opens, detects, reads. NULL when the file gives no recording; `quiet` leaves out the complaint that no reader knows it.
 * `request` may be NULL: the user says nothing.
 */
struct recording *format_read(struct arena *mem, const char *path, const struct read_request *request, bool quiet, struct diags *diags);
/*
 * The same for lines that are open, and stay so: of a file, of the standard input, of a member of an archive. `unsaid` takes the complaint
 * that no reader knows it, which is worth a word only where nothing else is a log; NULL: it is a complaint like any other.
 */
struct recording *format_read_lines(struct arena *mem, struct lines *lines, const struct read_request *request, struct diags *unsaid,
	struct diags *diags);
/* Was it meant to be a log? By its name, where nobody can tell by what is in it. */
bool format_is_called_a_log(const char *path);
/* What a file is, by its first bytes. */
enum content {
	CONTENT_OTHER,   /* no log: notes, checkpoints */
	CONTENT_LOG,
	CONTENT_ARCHIVE, /* format_is_archive() */
	CONTENT_FOREIGN, /* a log that no reader of ours is for, or what may hold some; `what` says which, in `mem` */
	CONTENT_FAILED,  /* what nvidia-smi said in place of a log, on a node whose driver is broken, say */
	CONTENT_DAMAGED, /* nobody can tell: it is empty, or what was read of it is damaged */
};
enum content format_content(struct arena *mem, struct lines *lines, const struct read_request *request, const char **what);
/* True for a tar or zip whose members may be logs; not for documents of other programs, many of which are zips. */
bool format_is_archive(struct slice first_bytes);

#endif
