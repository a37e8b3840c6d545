/*
 * fleet.h - many runs, one look: what each lost, who is to blame, and whether it gets better.
 *
 *     a report   ->  record_of_report()   what the index keeps of one run: integers, names, no sentence that can't be made again
 *     record     <-> one line of JSON     record_write(), record_read(): index.jsonl
 *     records    ->  fleet_build()        ranked, added up by cause, host, card, week; the last place that computes
 *     fleet      ->  index.html, index.csv, fleet.txt, fleet.png, Prometheus: renderers and the chart only order, format and escape
 *
 * All sums are integers in microseconds of GPU time, so that an index is the same byte for byte however its runs were dealt out and in
 * whatever order they came. There is no clock, no name of a machine that worked and no number of a shard in it.
 */
#ifndef POSTRUN_FLEET_H
#define POSTRUN_FLEET_H

#include "base/model.h"
#include "report/report.h"

/* What became of a run: run_status.def has names and sentences. All but OK and PARTIAL have no report. */
enum run_status {
	RUN_OK,
	RUN_PARTIAL,    /* there is a report; some of its logs could not be read */
	RUN_UNREADABLE, /* nothing usable in its logs */
	RUN_EMPTY,      /* no log in it at all */
	RUN_TIMEOUT,
	RUN_OUT_OF_MEMORY,
	RUN_CRASHED,    /* ended by a signal */
	RUN_FAILED,     /* its report could not be written */
	N_RUN_STATUSES,
};

struct record_cause { /* a row of the ledger that blames a finding */
	const char *rule, *label; /* "gpu-power-brake", "the power brake" */
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
	time_ms begin, end;      /* as the report has them */
	const char *severity;    /* of the verdict: critical warning note healthy unknown */
	const char *verdict;     /* its sentence */
	struct texts hosts;
	const struct record_gpu *gpus;
	size_t n_gpus;
	int64_t gpu_us;          /* GPU time of the run: the sum of the four below */
	int64_t normal_us, lost_us, overhead_us, no_log_us;
	const struct record_cause *causes; /* most lost first, then by rule */
	size_t n_causes;
};

#endif
