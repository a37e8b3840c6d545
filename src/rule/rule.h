/*
 * rule.h - the face of judgement: rules as data, and what they say of a run.
 *
 * Loading parses YAML, checks every name, dimension and placeholder of every file and reports
 * all problems; judging walks each rule's condition once an entity (evaluate.c) and gives one
 * verdict a rule and entity: fired, clear, unknown or skipped.
 */
#ifndef POSTRUN_RULE_H
#define POSTRUN_RULE_H

#include "base/template.h"
#include "run/run.h"
#include "series/truth.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_CRITICAL };
const char *severity_name(enum severity severity); /* "note", "warning", "critical" */

struct param {
	struct slice name;
	struct quantity value;
	const char *reason;
	struct place place;
};

struct expression; /* expression.h, for this folder only */

struct evidence_row { /* a named value computed over the firing time */
	const char *name;
	const struct expression *expression;
};

struct rule {
	const char *id;
	const char *path;         /* where it was loaded from: "rules/gpu-hot.yaml" */
	enum severity severity;   /* the most it can be; its cost may make it less (report.h) */
	enum scope scope;         /* of its verdicts: gpu, host or run */
	const char *short_name;   /* at most 28 characters, for charts */
	struct param *params;
	size_t n_params;
	const struct expression *when, *clear; /* conditions; clear NULL: ends where `when` ends */
	time_ms hold, merge_gap;
	unsigned during;          /* mask of phases */
	double min_coverage;      /* 0 to 1 */
	struct evidence_row *evidence;
	size_t n_evidence;
	const struct expression *cost; /* share of each firing second that is lost, 0 to 1; NULL: no cost */
	const struct template *title, *what, *why, *refute, *card; /* card: at most two lines on the picture */
	const struct template **try;
	size_t n_try;
	struct texts explains;    /* ids of rules whose findings are symptoms of this one */
	struct texts sources;     /* where its thresholds come from */
	const char *checked;      /* what it looks for, in a few words: "unused GPUs" */
	const struct fields *text_fields; /* names that its texts may use: see text_values */
	const enum metric *metrics;       /* what its condition needs, inferred */
	size_t n_metrics;
	bool by_driver_flag;      /* its condition is a flag that the driver sets */
	bool about_holes;         /* its condition is a hole in the log: nothing was lost, something is not known */
};

/* What every text of a rule may use, besides its params and evidence (as quantities, by name). */
struct text_values {
	const char *gpus;      /* "the GPU", "GPU 3", "GPUs 0-2", "both GPUs", "all 4 GPUs"; "the host" for host rules */
	const char *Gpus;      /* the same at the beginning of a sentence */
	bool several;          /* more than one GPU is concerned */
	bool whole_run;        /* fired for at least 90 % of the judged time */
	const char *duration;  /* total time it fired: "1 min 01 s" */
	const char *longest;   /* longest window */
	const char *windows;   /* "2 windows", "one window" */
	bool many_windows;     /* more than one */
	const char *host;      /* "node01", or "the host" */
};

struct rules {
	const struct rule **at; /* by id */
	size_t n;
	const char *digest;     /* "xxh128:…" over all rule files, in order of id */
	struct texts files;     /* loaded besides the built-in ones */
};

struct rule_file {
	const char *path;
	struct slice text;
};
/*
 * Built-in files first, then `more`: a rule of `more` replaces a built-in one of the same id. NULL
 * when any file is wrong: every problem of every file is then in `diags`.
 */
const struct rules *rules_load(struct arena *mem, const struct rule_file *built_in, size_t n_built_in,
	const struct rule_file *more, size_t n_more, struct diags *diags);

enum outcome { OUTCOME_FIRED, OUTCOME_CLEAR, OUTCOME_UNKNOWN, OUTCOME_SKIPPED };
const char *outcome_name(enum outcome outcome);

struct verdict { /* one rule on one entity */
	const struct rule *rule;
	const struct entity *entity; /* NULL for scope run */
	enum outcome outcome;
	const char *reason;          /* UNKNOWN and SKIPPED: a sentence part; else NULL */
	struct spans when;           /* FIRED */
	double coverage;             /* share of the judged time that was known, 0 to 1; NAN when skipped */
	time_ms judged, longest;     /* ms judged; longest stretch of YES before `for` */
	struct quantity *evidence;   /* beside rule->evidence */
	struct signal cost;          /* share lost at each moment; n == 0 without cost */
	size_t n_sources;            /* recordings that the condition stands on */
	double reference;            /* what ref() gave, or NAN */
	bool reference_assumed;      /* no healthy stretch to compare with: cost is an upper bound */
};
struct verdicts {
	struct verdict *at;
	size_t n;
};

/* All rules on all their entities, in order of rule id, then entity. Results live in run->mem. */
struct verdicts rules_judge(const struct rules *rules, const struct run *run);

/* The values object for a rule's texts: laid out as rule->text_fields describes. */
struct view rule_text_values(struct arena *mem, const struct rule *rule, const struct text_values *values,
	const struct quantity *evidence);

#endif
