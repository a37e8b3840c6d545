/*
 * fleet.h - many runs, one look: what each lost, who is to blame, and whether it gets better.
 *
 *     a report   ->  record_of_report()   what the index keeps of one run: integers, names, no sentence that can't be made again
 *     record     <-> one line of JSON     record_write(), record_read(): a line of index.jsonl
 *     records    ->  fleet_begin() …      ranked, added up by cause, host, card, week; the last place that computes
 *     fleet      ->  fleet_tell()         as people are told: rows, tables, sentences (templates/fleet.tmpl)
 *     all that   ->  fleet_outputs()      in render/render.h: index.html and its other orders, index.csv, fleet.txt, fleet.png, and on
 *                                         request fleet.svg and postrun.prom, one after the other
 *
 * All sums are integers in microseconds of GPU time, so that an index is the same byte for byte however its runs were dealt out and in
 * whatever order they came. There is no clock, no name of a machine that worked and no number of a shard in it.
 */
#ifndef POSTRUN_FLEET_H
#define POSTRUN_FLEET_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/model.h"
#include "base/spill.h"
#include "report/report.h"

/* What became of a run, in rows of run_status.def. All but OK and PARTIAL have no report. */
enum run_status {
#define RUN_STATUS(id, name, sentence) RUN_##id,
#include "fleet/run_status.def"
#undef RUN_STATUS
	N_RUN_STATUSES
};
const char *run_status_name(enum run_status status);     /* "out-of-memory" */
const char *run_status_sentence(enum run_status status); /* where a record has none of its own */

struct record_cause { /* a row of the ledger that blames a finding */
	const char *rule, *label; /* "gpu-low-use", "on-off rhythm" */
	const char *rule_label;   /* "low use": true of whatever the rule finds, for what is added up */
	enum severity severity;
	int64_t lost_us;          /* GPU time */
	struct texts entities;    /* "node01/gpu3": on which it fired */
};

struct record_gpu {
	const char *entity, *name, *uuid; /* uuid NULL: not logged */
	struct texts rules;               /* ids of critical and warning findings on it */
};

struct record { /* of one run */
	const char *id;          /* what names the run in the tree: "2024/07/job-1234"; unique in an index */
	const char *key;         /* of program, rules, options and inputs, 32 hexadecimal digits: the same key, the same report */
	enum run_status status;
	const char *why;         /* one sentence where there is no report, or not of all logs; else NULL */
	const char *report;      /* path of report.html below the index, or NULL */
	int64_t bytes;           /* of its inputs, as they lie there */
	/* All below only where there is a report. */
	time_ms begin, end;      /* as the report has them: UTC, */
	bool is_log_time;        /* or the logs' own time, where none tells its zone */
	const char *severity;    /* of the verdict: critical warning note healthy unknown */
	const char *verdict;     /* its sentence */
	struct texts hosts;
	const struct record_gpu *gpus;
	size_t n_gpus;
	int64_t gpu_us;          /* GPU time of the run: the sum of the five below */
	int64_t normal_us, lost_us, suppressed_us, overhead_us, no_log_us;
	/* Most lost first, then by rule, of which there may be several; together lost_us or less; what has no price lost 0. */
	const struct record_cause *causes;
	size_t n_causes;
	const char *hint;        /* one sentence: its logs may not be of one run; NULL, and then not in its line: nothing looks so */
};

/* Does it have what stands behind `bytes`? */
bool record_has_report(const struct record *record);
/* What lost most, but for what has no price and is worse: of a job that died this is told, not the time it lost before. NULL: none. */
const struct record_cause *record_main_cause(const struct record *record);
/*
 * Has nothing of what was found a price, and is the worst of it critical? A job that was killed loses what it computed since its last
 * checkpoint, and after errors of memory all results are in doubt: that is not 0. What is a warning at most leaves the work as it was.
 */
bool record_loss_is_unknown(const struct record *record);
/* Was nothing found, and too little logged to say that nothing was lost? */
bool record_is_untold(const struct record *record);
/* Is its loss a number, if only 0? Neither of the two. */
bool record_tells_loss(const struct record *record);
/* How bad its verdict is, of one with a report: 0 is the worst, and what nobody could judge is worse than what is healthy. */
size_t record_rank(const struct record *record);

/* ------------------------------------------------ index.jsonl: run_record.c */

/* A text of a record is shorter than this, in which it is UTF-8: PATH_MAX, as long as a path can be that is opened. */
#define RECORD_TEXT_MAX_BYTES ((size_t)4096)
/* Of one run, in microseconds of GPU time: 2.5 million GPU-hours, and what JSON's readers keep exactly. */
#define RECORD_MOST_US ((int64_t)1 << 53)

/*
 * One line without its end: keys in a fixed order, integers only; what stands behind `bytes` only where there is a report. A text that is
 * no UTF-8 becomes it, and one that is too long is cut, so that record_read() takes each line that is written.
 */
void record_write(struct buf *out, const struct record *record);

/* Names that many records share are kept once. */
struct shared_names;
struct shared_names *shared_names_new(struct arena *mem);
/* The one text that is equal to it, for as long as the arena lives. */
const char *shared_name(struct shared_names *names, struct slice text);

/*
 * What record_write() wrote is read to the same record. Keys that are not known are passed over; all else that is not as it is written
 * is damage: false, each told at its place as "bad-record", and what is not JSON as "json-syntax". The line is `place.line` of
 * `place.path`; the record lives in the arena of `names`.
 */
bool record_read(struct shared_names *names, struct slice line, struct place place, struct record *out, struct diags *diags);

/* What stands behind `bytes`, of a report: record_of_report.c. Texts stay those of the report. */
void record_of_report(struct arena *mem, const struct report *report, struct record *record);

/* ------------------------------------------------ many runs: fleet.c */

/* What is in memory of each; what a row shows beside it is read again: fleet_record(). */
struct fleet_run {
	uint64_t place;          /* of its record: that of a later id is behind */
	const char *group;       /* whose runs it is compared with */
	int64_t lost_us;
	time_ms begin;
	uint32_t host;           /* the first of its hosts, by its place in the order of names */
	int32_t lost_millionths; /* of its GPU time; -1: it is not known how much */
	int8_t worse_than;       /* percent of the other runs of its group lost a smaller share; -1: there are none */
	uint8_t rank;            /* of its verdict: record_rank() */
	uint8_t status;          /* enum run_status */
};

struct fleet_sum { /* of a cause, a host, a kind of card, a week */
	const char *name;       /* rule, "node01", "NVIDIA H100 80GB HBM3", "2024-W15"; "" where no log tells */
	const char *label;      /* of a cause: the rule_label of the run that lost most; else NULL */
	enum severity severity; /* of a cause: the most that it was */
	size_t n_runs, n_unknown; /* of which so many lost nobody knows how much: not record_tells_loss() */
	const char *main_cause; /* of a host, or a group: the rule_label of what lost most of it, if that is half at least; else NULL */
	int64_t gpu_us, lost_us; /* of a cause gpu_us is all of those runs; of a week what logs tell of: shares of weeks are compared */
	int64_t unknown_us;      /* of a week: of gpu_us what is of runs that lost nobody knows how much */
};
struct fleet_sums {
	const struct fleet_sum *at; /* most lost first, then by name; weeks in their order */
	size_t n;
};

/* One rule that fires on one GPU in run after run, and far more often than on others: hardware.c has the bounds. */
struct fleet_hardware {
	bool is_host;             /* then the rule fired on most of its GPUs, and others are hosts, each counted in each run */
	const char *entity;       /* "node07/gpu3": where it was in the run that lost most, of those that tell its host if any does */
	const char *uuid, *card;  /* or NULL */
	const char *rule, *label;
	size_t n_runs, of_runs;   /* in which it fired; which the GPU was part of */
	size_t n_elsewhere, of_elsewhere; /* the same of all other GPUs, each counted in each run */
};

struct fleet {
	const struct fleet_run *runs; /* those with a report: most GPU time lost first, then the worst verdict, then by id */
	size_t n_runs;
	const struct fleet_run *without; /* those without: by status, then by id; of them place and status are known */
	size_t n_without;
	size_t n_of_status[N_RUN_STATUSES];
	size_t n_left_out, n_missing; /* runs that are not here, of which nothing else is known: for a filter, for no shard brought them */
	bool has_gaps; /* so are those in a folder that could not be read: nobody knows how many */
	int64_t gpu_us, normal_us, lost_us, suppressed_us, overhead_us, no_log_us;
	int64_t unexplained_us;    /* of lost_us: what no record says the cause of */
	time_ms begin, end;        /* of the first, of the last that is known; or TIME_UNKNOWN */
	size_t n_loss_unknown;     /* runs of which nothing is in lost_us, and not since nothing was lost: not record_tells_loss() */
	size_t n_several;          /* runs whose logs may be of several: record.hint */
	size_t n_copies;           /* runs of the same cards at the same times as one before: copies of logs, which count twice */
	size_t n_first;            /* runs that hold nine tenths of the loss, or ten of them that hold most of it */
	int64_t first_us;          /* what they lost */
	struct fleet_sums causes, groups, hosts, cards, weeks;
	const struct fleet_hardware *hardware; /* most often first */
	size_t n_hardware;
	struct spill *records;     /* for fleet_record() */
	const struct fleet_sum *last_week;     /* of `weeks`, with as much GPU time as to be compared; or NULL */
	bool is_last_known;                    /* hardly any of its runs lost nobody knows how much */
	const struct fleet_sum *young_week;    /* the one behind it, which has too little yet; or NULL */
	struct fleet_sum weeks_before;         /* those with runs before it, four at most, of which that is known; n_runs 0: none */
	size_t n_weeks_before, n_weeks_unknown;
	size_t n_far_runs;                     /* in weeks more than a year from these, which are not compared */
};

/*
 * Records come one after the other, in order of their ids, which differ; none is needed any more when the next one comes. `group`: whose
 * runs it is compared with. Sums that would be over the largest integer stay there. What is kept of a run is a fleet_run in memory and,
 * where base/spill.h keeps such things, what pages and tables show of it; of names each once. A fleet lives in `mem` and is to be released.
 *
 * How a loss is dealt to hosts and cards: a cause's to the GPUs on which it fired (to those of a host, where it fired on the host), to each
 * the same; what has no cause to all GPUs of the run. GPU time is dealt to all GPUs alike.
 */
struct fleet_building;
struct fleet_building *fleet_begin(struct arena *mem);
void fleet_add(struct fleet_building *b, const struct record *record, struct slice group);
/* So many more runs are not looked at. */
void fleet_note_absent(struct fleet_building *b, size_t n_left_out, size_t n_missing, bool has_gaps);
const struct fleet *fleet_end(struct fleet_building *b);
void fleet_release(const struct fleet *fleet);
/* The record of a run, without the GPUs that it counts, and the entities and rule_labels of its causes. */
struct record fleet_record(struct arena *mem, const struct fleet *fleet, const struct fleet_run *run);

/* ------------------------------------------------ ready for print: fleet_told.c, fleet_words.c */

/* In which order runs are listed: FLEET_BY_LOSS first, each in a page of its own. */
enum fleet_order {
#define FLEET_ORDER(id, file, name) FLEET_BY_##id,
#include "fleet/fleet_order.def"
#undef FLEET_ORDER
	N_FLEET_ORDERS
};
const char *fleet_order_file(enum fleet_order order); /* "index-by-host.html" */

struct fleet_row { /* a run */
	size_t rank;           /* 0: it has no report */
	const char *id;
	const char *link;      /* to its report, as a relative URL; or NULL */
	const char *status;    /* of one that is not whole: "partial"; else NULL */
	const char *why;       /* it is not whole, a sentence; else NULL */
	const char *gpus, *hours, *begin, *host; /* "64", "9.5", "2024-04-08 13:05", "node01 + 3" */
	const char *lost, *percent;              /* in the unit of all, of its own GPU time: "525", "11 %" */
	const char *worse_than; /* "93 %" of its group; "-" where it is alone */
	const char *cause;      /* that lost most, or what else is to be said */
	const char *severity;   /* of that: critical warning note healthy unknown */
	bool is_first;          /* of those that hold most of the loss */
	double lost_bar;        /* of the largest loss, 0 to 1 */
	/* Where the classes of its GPU time end on a bar from 0 to 1, in this order; what is behind the last one is without a log. */
	double normal_end, critical_end, warning_end, note_end, suppressed_end, overhead_end;
};

struct fleet_line { /* of a table of sums */
	const char *name;       /* "node01"; "not known" where no log tells */
	const char *cause;      /* of a host or group, what it lost most by; or NULL */
	const char *severity;   /* of a cause, else NULL */
	const char *runs;       /* "12"; of a loss without a cause "-" */
	const char *lost;       /* "525", in the unit of all */
	const char *percent;    /* of its own GPU time; of a cause, of all that was lost */
	double bar;             /* of the largest of the table, 0 to 1: of what was lost, of weeks of the share */
};
struct fleet_table {
	const struct fleet_line *lines;
	size_t n_lines;
	const char *share; /* what heads the lines' percent */
	const char *more; /* "26 more hosts", "1 earlier week, 2 runs without a date"; or NULL */
};

struct fleet_suspect { /* hardware that keeps appearing */
	const char *entity, *uuid, *card; /* or NULL */
	const char *sentence; /* "slowed by heat in 9 of 11 runs, on other GPUs in 12 of 340" */
};

struct fleet_link { /* to a page in another order */
	const char *file, *name;
	bool is_this;
};

struct fleet_class { /* of GPU time */
	const char *name, *text, *percent;
	const char *money; /* "1442", without its currency; NULL without a rate */
	double share;
};

struct fleet_count { /* of runs */
	const char *status;
	size_t n;
};
struct fleet_seconds { /* of GPU time, for machines: exact */
	const char *class, *seconds; /* "lost" or the id of a rule; "3600.000000" */
};

struct fleet_told {
	const char *program;  /* "postrun 0.1.0" */
	const char *title;    /* "Up to 996 of 9166 GPU-hours were lost in 18 runs; the first 3 runs hold 91 % of the loss" */
	const char *subtitle; /* when these runs were, how they are sorted */
	const char *period;   /* "2024-03-04 to 2024-04-14", or NULL */
	const char *counts;   /* how many runs have a report, and what became of the others */
	const char *footnote; /* what a loss counts */
	const char *alt;      /* the picture in words */
	const char *trend;    /* the last week beside those with runs before it, or NULL */
	const char *total;    /* "9166 GPU-hours", with a rate "9166 GPU-hours (22915 EUR)" */
	const char *currency; /* above money: "EUR", "worth"; NULL without a rate */
	const char *unit, *symbol; /* "GPU-hours", "GPU-h" */
	const char *order;    /* "most GPU time lost first" */
	const char *severity; /* how the title is marked: that of the cause that lost most; where nothing was lost, of the worst run */
	bool is_by_loss, is_by_begin, is_by_host;
	bool has_suppressed;  /* GPU time: else nothing is said of such a class */
	const struct fleet_class *classes; /* of GPU time: they add up to all of it */
	size_t n_classes;
	const struct fleet_row *rows;
	size_t n_rows;
	const char *more_rows; /* "62 more runs", or NULL */
	const char *more_lost; /* what these lost */
	const struct fleet_row *without; /* a report */
	size_t n_without;
	const char *more_without;
	struct fleet_table causes, groups, hosts, cards, weeks;
	const struct fleet_suspect *suspects;
	size_t n_suspects;
	const char *more_suspects;
	const struct fleet_link *links; /* to the same in other orders, and to this one */
	size_t n_links;
	/* For machines. */
	const struct fleet_count *counted;
	size_t n_counted;
	const struct fleet_seconds *seconds;
	size_t n_seconds;
	const struct fleet_seconds *seconds_of_rules;
	size_t n_seconds_of_rules;
	const char *last_week_ratio, *weeks_before_ratio; /* "0.081234": lost of their GPU time; or NULL */
	size_t n_suspect_gpus; /* without hosts, also those that are not listed */
};

/* How much of it is told. */
struct fleet_choice {
	enum fleet_order order;
	size_t most_rows, most_lines; /* of runs, of each table */
	const char *program;
	struct rate rate; /* none: nothing is told of money */
};
const struct fleet_told *fleet_tell(struct arena *mem, const struct fleet *fleet, const struct fleet_choice *choice);

extern const struct fields fleet_fields; /* of struct fleet_told, for templates: fleet_fields.c */

#endif
