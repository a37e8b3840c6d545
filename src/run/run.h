/*
 * run.h - the face of evidence: all recordings of one run on one UTC axis.
 */
#ifndef POSTRUN_RUN_H
#define POSTRUN_RUN_H

#include "format/format.h"
#include "series/stats.h"
#include "series/truth.h"

enum phase { PHASE_IDLE_HEAD, PHASE_STARTUP, PHASE_STEADY, PHASE_DIP, PHASE_DOWN, PHASE_TAIL, PHASE_UNSEEN, N_PHASES };
struct phase_span {
	enum phase phase;
	struct span span;
};
const char *phase_name(enum phase phase); /* "idle-head", "startup", "steady", "dip", "down", "tail", "unseen" */
/* As people and conditions write it: "idle-head", "idle_head". */
bool phase_find(struct slice text, enum phase *out);

struct phase_mark {                        /* --mark PHASE=BEGIN..END */
	enum phase phase;
	struct span span;                  /* in the time of the report */
	bool begin_is_clock, end_is_clock; /* that end of it is a time of day, in ms: of the first day that has to do with the run */
	const char *text;                  /* as given */
};

struct note {
	const char *topic;   /* "Clock", "Source", "Input" */
	const char *text;    /* a sentence */
	const char *of;      /* the first log that it is about, where it may be told of many at once; or NULL */
	size_t n_of;         /* then: of how many logs it is, */
	const char *of_many; /* and what is said of many, "are taken to be …" */
};

struct clock_request {
	struct file_options zones, dates; /* --tz FILE=ZONE, --date FILE=DAY */
	struct file_options starts, steps; /* --start FILE=TIME, --step FILE=DURATION: for logs without any times */
	bool align;                        /* --align apply: a residual skew is taken out, not only told */
};

struct skew { /* two clocks that differ by what no zone explains, by correlation of what they logged */
	const struct recording *recording, *against;
	time_ms lag;  /* what is missing in the times of `recording`: above 0 its clock is behind */
	time_ms step; /* plus or minus */
	double r;     /* below 0: where the one goes up the other goes down */
	bool applied; /* by --align apply: its times have been moved */
};

struct run_event {
	struct event event;          /* with its time in UTC */
	const struct entity *entity; /* of the run; NULL when no log knows the GPU that is meant */
	size_t source;               /* index into run->recordings */
};

struct unread_file {
	const char *name;
	const char *why; /* it can't be used; NULL: no reader knows it */
};

struct planned {
	const char *path;
	uint64_t bytes; /* 0: nobody knows, or it is no log */
	bool has_large_window; /* it takes much memory to unpack it */
};
struct room { /* for rows, in bytes: room.c */
	uint64_t left;        /* of the run's */
	uint64_t share;       /* of that: of the input that is read */
	uint64_t bytes_ahead; /* of inputs that are still to be read, as far as anybody knows */
	struct planned *planned; /* each input, in the order in which they are read */
	size_t n_planned, n_entered;
	bool has_pipe;        /* of one nobody knows how long it is */
	struct early *early;  /* of each, what was read of it before its turn (early.c); NULL: nothing was */
};

struct choice;
struct crew;
struct devices;
struct early;
struct input_file;
struct run {
	struct arena *mem;
	struct diags *diags;
	struct crew *crew;         /* who shares jobs; NULL: whoever has many starts threads for them */
	struct counts *counts;     /* of columns of the run's tracks, while there is a crew; NULL: none are kept */
	const char *name;          /* of the folder or first input */
	struct read_request request;   /* what the user says of inputs; set before ingest() */
	struct room room;              /* of use to this folder only */
	const struct devices *devices;  /* limits of cards that no log tells; NULL: none. Set before derive_metrics() */
	struct file_options host_names; /* --host FILE=NAME; set before clock_settle() */
	struct recording **recordings; /* in the order of the inputs */
	size_t n_recordings;
	struct recording **sides;  /* snapshots that only tell limits (side.c); once settled, the last of recordings */
	size_t n_sides;
	struct input_file *input_files; /* those that logs were read from: of use to ingest.c only */
	size_t n_input_files;
	struct unread_file *unread_files; /* inputs as they were given; files of folders and archives by their names */
	size_t n_unread_files;

	const struct entity **gpus, **cores, **hosts; /* in display order */
	size_t n_gpus, n_cores, n_hosts;
	struct track **tracks;     /* one a metric and entity: the better source where there are two */
	size_t n_tracks;
	size_t n_with[N_METRICS];  /* tracks of a metric: entities that have it */
	size_t *track_table;       /* for run_track(): their numbers, from 1 on, hashed by entity and metric */
	size_t table_room;         /* a power of two, or 0 */

	struct run_event *events;  /* in order of time, each told once */
	size_t n_events;
	struct span span;          /* what is told and drawn: all time that a GPU log covers, and work that went on after it (unseen.c) */
	struct span logged;        /* of that, what the GPU logs cover */
	struct phase_span *phases; /* sorted, disjoint, together the span */
	size_t n_phases;
	struct spans marked;       /* what of them is as the user says, and nobody saw */
	struct skew *skews;
	size_t n_skews;
	bool zone_known;           /* times are really UTC; else the log's own time */
	bool day_known;            /* else the run begins on 1970-01-01, for want of a date in its logs */
	struct choice *choices;    /* of the logs that hold the same series; of use to this folder only */
	size_t n_choices;
	struct note *notes;
	size_t n_notes;
};

#define DEVICES_FILE "rules/devices/nvidia.yaml" /* built in */
/* The table of cards that is built in. NULL, with every problem reported, when it is wrong. */
const struct devices *devices_built_in(struct arena *mem, struct diags *diags);

/*
 * The last part of its path; of two "gpu.csv and vmstat.txt", unless they are called the same; of more their folder, else
 * "gpu.csv and 2 more"; without any "run".
 */
const char *run_name(struct arena *mem, const char *const *paths, size_t n_paths);
/* The name is kept as it is, and must live as long as the run. */
struct run *run_new(struct arena *mem, const char *name, struct diags *diags);
/* Before ingest(): what will be read, so that logs share the memory that there is for rows. Else each may take all of it. */
void run_plan_room(struct run *run, const char *const *paths, size_t n);
/* After that: several logs are read at a time, where that is worth it. ingest() takes them, and what it does is the same. */
void run_read_early(struct run *run);
/* All is ingested: what was read and not asked for goes, as of a folder that has changed. */
void run_early_done(struct run *run);
/* A file, a folder, an archive, or "-": the standard input. False when it gave nothing; already reported. */
bool ingest(struct run *run, const char *path);
/* Settles zones and dates, makes entities and tracks. False when nothing usable is left. */
bool clock_settle(struct run *run, const struct clock_request *request);
void derive_metrics(struct run *run);
/* Idle head, start-up, steady, dips, down, tail (phase.c). */
void phases_find(struct run *run);
/* What the user knows of phases goes over what was found, later marks over earlier ones; each is told as a note. */
void phases_mark(struct run *run, const struct phase_mark *marks, size_t n);

/*
 * A run that no log was read for: its tracks are given. For tests of rules. Entities, span (from the first sample to
 * the last hold of all GPUs' tracks, or of all tracks without a GPU) and indexes follow from the tracks; phases as
 * given, or those that phases_find() sees when there are none. Everything given must live as long as the run.
 */
struct run *run_from_tracks(struct arena *mem, struct diags *diags, const char *name, struct track **tracks, size_t n_tracks,
	const struct phase_span *phases, size_t n_phases);

/* Does the log tell, before clock_settle(), how far east of UTC its times are? */
bool clock_names_zone(const struct recording *rec, time_ms *offset);
/* Does any log name its zone, if only by a word like EST, which several are called? */
bool run_has_zone_words(const struct run *run);

/* NULL when the logs don't have it. */
const struct track *run_track(const struct run *run, const struct entity *entity, enum metric metric);
/*
 * Threads for all that is done with a run, from when it is read; a machine that has to start them again for each step puts two on one core.
 * None for one GPU's short logs. No process may be forked off before it ends. As long what is counted of columns is kept, too
 * (series/counts.h).
 */
void run_crew_begins(struct run *run);
void run_crew_ends(struct run *run);
/* Those of the run, if the column of the track is one of the run's own, which stays; else NULL. */
struct counts *run_counts(const struct run *run, const struct track *t);
/* How many threads share so many jobs at most, 1 to WORKERS_MAX. */
size_t run_workers(const struct run *run, size_t n_jobs);
/* do_job(context, worker, job) for each job, as workers_run(); `worker` is below run_workers(). */
void run_jobs_shared(const struct run *run, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context);
/* The same; on one thread where logs are so short that others aren't worth it. */
void run_jobs(const struct run *run, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context);
/* The host that an entity of the run belongs to, of NULL the first one; NULL when no log knows it. */
const struct entity *run_host(const struct run *run, const struct entity *entity);
/* The job, as an entity of scope run; NULL when no log tells of its progress. */
const struct entity *run_job(const struct run *run);
/* The mean of a metric over the GPUs that have it, in cells of equal time from the first of some work to its end: work_line.c */
struct work_line {
	struct span span;
	time_ms cell;
	double *at; /* value / 1000; NAN outside of the work, and where too little of the GPUs' time is known */
	size_t n;
};
/* `least_known`: share of the GPUs' time in a cell. False where nobody logged the metric. */
bool run_work_line(struct arena *mem, const struct run *run, struct spans work, enum metric metric, double least_known,
	struct work_line *line);
struct low_stretch { /* of a line */
	size_t begin, end; /* cells */
	bool is_dip;       /* long enough for one, and seen from its begin to its end */
};
/* The first one from a cell on in which the line is below a level, but for blips; false: there is none. The next begins behind its end. */
bool work_line_low(const struct work_line *line, double level, size_t from, struct low_stretch *low);
/* The time of the phases in the mask (1 << PHASE_…). */
struct spans run_phases(struct arena *mem, const struct run *run, unsigned mask);
/* What no GPU log has a row for of this time, between the first row and the last of all of them. Into `mem`. */
struct spans run_dark_time(struct arena *mem, const struct run *run, struct spans within);
void run_note(struct run *run, const char *topic, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The last note is about so many logs, this one first; others that say the same of more may be told together with it. */
void run_note_is_of(struct run *run, const char *first, size_t n, const char *of_many);

#endif
