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
#include "series/shares.h"
#include "series/truth.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_CRITICAL };
const char *severity_name(enum severity severity); /* "note", "warning", "critical" */
/* Which one is called so; false: none. */
bool severity_find(struct slice name, enum severity *severity);

struct param {
	struct slice name;
	struct quantity value;
	const char *reason;
	struct place place;
	bool set;                 /* by --set; else the file's own value */
};

struct expression; /* expression.h, for this folder only */

struct evidence_row { /* a named value computed over the firing time */
	const char *name;
	const struct expression *expression;
	/*
	 * Of several entities: "up to 90 C", "down to 1140 MHz", "at most 38 %" are of the worst of them, so that a max() of what is
	 * measured, and of anything made of heat or clocks, is the highest, a min() the lowest; "from 30 GiB to 55 GiB", where a rule
	 * has both of the memory, is of the one that is highest. Other values are means.
	 */
	enum { OF_SEVERAL_MEAN, OF_SEVERAL_HIGHEST, OF_SEVERAL_LOWEST, OF_SEVERAL_BESIDE } of_several;
	size_t beside; /* OF_SEVERAL_BESIDE: the row whose highest it goes with */
};

struct rival { /* another explanation of the same signs */
	const char *rule;   /* its id */
	const char *settle; /* the observation that would tell the two apart, a sentence */
};

/*
 * Two kinds, told apart by what `when` is made of. An interval rule has a condition that changes over time: it fires in
 * windows. The condition of a whole-run rule is one value for the run (folds without a window, `p95(gpu.mem_share) < 50 %`):
 * it fires for the judged time as a whole or not at all, and `for`, `clear`, `keep_for`, `merge_gap` and `max_gap` mean nothing.
 */
enum rule_kind { RULE_INTERVAL, RULE_WHOLE };

enum rule_layer { LAYER_BUILT_IN, LAYER_SYSTEM, LAYER_USER, LAYER_GIVEN }; /* later ones replace earlier ones */
const char *rule_layer_name(enum rule_layer layer); /* "built in", "system", "user", "given" */

struct rule_test; /* trial.h, for this folder only */
struct let;       /* expression.h, for this folder only */
struct yaml_node; /* base/yaml.h */

struct rule {
	const char *id;
	const char *path;         /* where it was loaded from: "rules/gpu-hot.yaml" */
	enum rule_layer layer;
	enum rule_kind kind;
	const struct yaml_node *root; /* the file as a tree; NULL of one that is built in, unless tests or strictness were asked for */
	struct slice source;          /* and as a text: for places of what is said about it later */
	enum severity severity;   /* the most it can be; its cost may make it less (report.h) */
	enum scope scope;         /* of its verdicts: gpu, host, core or run */
	struct texts tags;
	const char *short_name;   /* at most 28 characters, for charts */
	struct param *params;
	size_t n_params;
	const struct expression *when, *clear; /* conditions; clear NULL: ends where `when` ends */
	const struct let *lets;
	size_t n_lets;
	time_ms hold;             /* `for`: inclusive */
	time_ms keep;             /* `keep_for`: once held, gaps up to this don't end a window; it still ends at its last YES */
	time_ms merge_gap;        /* time of NO that a window may hold before `for` is asked */
	time_ms max_gap;          /* the same of UNKNOWN */
	unsigned during;          /* mask of phases */
	double min_coverage;      /* 0 to 1 */
	struct evidence_row *evidence;
	size_t n_evidence;
	const struct expression *cost; /* share of each firing second that is lost, 0 to 1; NULL: no cost */
	const struct expression *cost_least; /* the share that is lost at least: `cost` is then the most; NULL: `cost` is what was lost */
	enum metric cost_lack;         /* what a share is short of is the cost, "1 - gpu.util / …": the share; else N_METRICS */
	const char *cost_by;           /* by what `cost` counts a second, in words: "how far the clock was below its usual"; or NULL */
	bool cost_beside_pace;         /* it is measured against the pace of before: "1 - … / gpu.pace_before" */
	const struct template *title, *what, *why, *refute, *card; /* card: at most two lines on the picture */
	const struct template *named; /* what pictures call a finding, where that depends on what was seen; NULL: short_name */
	const struct template *verdict; /* the first sentence of a report where all GPUs of the run have it; NULL: it has none of its own */
	const struct template **try;
	size_t n_try;
	struct texts explains;    /* ids of rules whose findings are symptoms of this one */
	struct texts explains_on_others; /* the same, of findings on other GPUs of the run: what was lost there is charged here */
	struct texts joins;       /* ids of rules whose findings at much the same times are part of this one, whichever GPUs they are on */
	struct texts leads_to;    /* ids of rules whose findings, where they begin with or soon after one of this, came of it, on any GPU */
	struct texts follows;     /* ids of rules whose findings there, where they last until one of this begins, tell how it came to it */
	const struct evidence_row *explains_if; /* a condition: only where it holds a finding explains or leads to others; NULL: always */
	const struct evidence_row *doubt_if; /* a condition: where it holds another explanation is not ruled out; or NULL */
	struct texts excluded_by; /* ids of rules whose firing time, on the entity, its host or the run, does not count here */
	struct texts unknown_while; /* ids of rules in whose firing time nothing that other logs say is known at its moment */
	const struct rival *rivals;
	size_t n_rivals;
	const struct rule_test *tests; /* none unless asked for: rules_request.with_tests */
	size_t n_tests;
	struct texts sources;     /* where its thresholds come from */
	const char *checked;      /* what it looks for, in a few words: "unused GPUs" */
	const struct fields *text_fields; /* names that its texts may use: see text_values */
	const enum metric *metrics;       /* what its condition needs, inferred */
	size_t n_metrics;
	const enum metric *asked;         /* all that its condition looks at where it is logged, those it can do without included */
	size_t n_asked;
	const enum metric *cost_metrics;  /* what its cost is measured by */
	size_t n_cost_metrics;
	bool by_driver_flag;      /* its condition can hold because of a flag that the driver set */
	bool about_overhead;      /* its condition is a phase that is no work: nothing was lost that the job could do without */
	bool about_restart;       /* likewise, and that is between a job and the next one */
	bool about_holes;         /* its condition is a hole in the log: nothing was lost, something is not known */
};

/* What every text of a rule may use, besides its params and evidence (as quantities, by name). */
struct text_values {
	const char *gpus;      /* "the GPU", "GPU 3", "GPUs 0-2", "both GPUs", "all 4 GPUs"; "the host" for host rules */
	const char *Gpus;      /* the same at the beginning of a sentence */
	bool several;          /* more than one GPU is concerned */
	bool whole_run;        /* fired for at least 90 % of the judged time */
	bool all_run;          /* and of the run, its start and end included */
	const char *duration;  /* total time it fired: "1 min 01 s" */
	const char *longest;   /* longest window */
	const char *windows;   /* "2 windows", "one window" */
	bool many_windows;     /* more than one */
	const char *host;      /* "node01", or "the host" */
	bool told_alone;       /* of the same sentence: no other finding is told in it, so that the title may say why in a few words */
	bool lasting;          /* of the sentence at the top of a report: the title may say for how long one stretch of the run lasted */
	bool explained_in_part; /* other findings explain a part of its time, and count that */
	bool led_up;           /* another finding tells how it came to this one (rule->follows) */
	bool led_on;           /* another finding came of it (rule->leads_to) */
	bool pays;             /* its rule has no cost, and others whose loss it explains have */
	const char *held_up;   /* those that waited for these GPUs, "the other 6 GPUs"; NULL: nobody did, or it is not known */
};

struct rule_file_in_force {
	const char *path;
	const char *digest;     /* "xxh128:…" of the file */
	enum rule_layer layer;
	const char *replaces;   /* path of the file whose rule it took the place of; or NULL */
};
struct rules {
	const struct rule **at; /* by id */
	size_t n;
	const char *digest;     /* "xxh128:…" over all rule files in force, in order of id, then over what --set changed */
	const struct rule_file_in_force *files; /* that are not built in, in order of path */
	size_t n_files;
	struct texts disabled;  /* ids, by --disable */
};

struct rule_file {
	const char *path;
	struct slice text;
	enum rule_layer layer;
};
struct rule_setting { /* --set ID.param=VALUE */
	const char *text; /* as written: the place of complaints */
};
struct rules_request {
	const struct rule_file *files; /* in order of their layers; in one layer as given */
	size_t n_files;
	const char *const *settings;   /* "gpu-hot.margin=3 C" */
	size_t n_settings;
	const char *const *disabled;   /* ids */
	size_t n_disabled;
	bool with_tests;               /* `rules check`, `rules test`: rule->tests too, and what is wrong in them */
	bool strict;                   /* `rules check`: warnings too: missing tests, constant conditions, contradictory tiers, … */
};
/*
 * A rule of a later layer takes the place of one with the same id; two of one layer are an error with both places. NULL
 * when any file is wrong: every problem of every file is then in `diags`.
 */
const struct rules *rules_load(struct arena *mem, const struct rules_request *request, struct diags *diags);

/* NULL when no rule in force has the id. */
const struct rule *rules_find(const struct rules *rules, const char *id);
/* The id that was meant by one that no rule has, or NULL. */
const char *rules_nearest(struct arena *mem, const struct rules *rules, const char *id);

/* A JSON Schema of rule files, printed from the table of keys: for editors. */
void rules_schema_print(struct buf *out);

enum outcome { OUTCOME_FIRED, OUTCOME_CLEAR, OUTCOME_UNKNOWN, OUTCOME_SKIPPED };
const char *outcome_name(enum outcome outcome);

struct verdict { /* one rule on one entity */
	const struct rule *rule;
	const struct entity *entity; /* NULL for scope run */
	enum outcome outcome;
	const char *reason;          /* UNKNOWN and SKIPPED: a sentence part; else NULL */
	const char *other;           /* SKIPPED since there is no other "GPU", "host" or "log" to compare with; else NULL */
	struct spans when;           /* FIRED */
	double coverage;             /* share of the judged time that was known, 0 to 1; NAN when skipped */
	double margin;               /* longest stretch of YES as a share of `for`: 1 and more fires; NAN without `for`, or skipped */
	const struct rule *excluded_by; /* CLEAR because all its firing time was this rule's; else NULL */
	time_ms judged, longest;     /* ms judged; longest stretch of YES before `for` */
	struct quantity *evidence;   /* beside rule->evidence */
	struct shares cost;          /* share lost at each moment of `when`; n == 0 without cost */
	struct shares cost_least;    /* beside cost; n == 0: what is lost at least is not told */
	double reference;            /* what ref() gave, or NAN */
	bool reference_assumed;      /* no healthy stretch to compare with: cost is an upper bound */
};
struct verdicts {
	struct verdict *at;
	size_t n;
};

/* All rules on all their entities, in order of rule id, then entity. Results live in run->mem. */
struct verdicts rules_judge(const struct rules *rules, const struct run *run);
/* The same without sketches, by looking at each moment: for tests, since the result is the same. */
struct verdicts rules_judge_each_moment(const struct rules *rules, const struct run *run);
/* The same with sketches, and slices of long time so short that short runs have some: for tests as well. */
struct verdicts rules_judge_by_slices(const struct rules *rules, const struct run *run);
/* Of n parts of verdicts, copies with fewer windows in `when`: their evidence is measured anew, there. It lives in run->mem. */
void verdict_parts_measure(
	const struct rules *rules, const struct run *run, struct verdicts all, struct verdict *const *parts, size_t n);

/*
 * Why a verdict is what it is: each part of the condition on its own, outermost first, and the line as it passes
 * through the keys of the rule. Lives in `mem`.
 */
struct explained_part {
	const char *text;       /* as written in the rule */
	unsigned level;         /* of nesting, 0: `when` itself */
	bool is_condition;
	struct truths line;     /* of a condition, within the judged time */
	double coverage;        /* of the judged time, 0 to 1 */
	/* of a number: over the judged time, NAN where nothing is known */
	struct quantity lowest, typical, highest;
	/* of a comparison with something that is constant: the value of the changing side that came nearest to the other outcome */
	struct quantity nearest, threshold;
	time_ms nearest_at;
	const char *missing;    /* the metric that no log has for this entity; or NULL */
	bool is_untold;         /* its driver tells it in none */
};
struct explanation {
	const struct explained_part *parts; /* of when, then of clear */
	size_t n_parts, n_when_parts;
	struct spans judged;
	struct truths condition; /* when and clear, in the judged time */
	struct truths bridged;   /* after merge_gap and max_gap */
	struct truths held;      /* after for and keep_for */
	struct truths counted;   /* without what excluded_by took */
	const enum metric *missing; /* metrics that no log has, though one can, and the verdict lacks */
	size_t n_missing;
};
/* Into `missing` (N_METRICS places): the metrics of explanation.missing, without the rest of it. */
void rule_missing(const struct run *run, const struct verdict *v, bool *missing);
struct explanation rule_explain(struct arena *mem, const struct run *run, const struct verdicts *all, const struct verdict *v);

/*
 * Tests of rules: what `rules test` runs. A test makes a run from short series, judges it by its rule (and by those that
 * can exclude it) and compares. Mutants: each number and duration of the rule moved by a fifth up and down, each `and` and `or`,
 * `<` and `<=` swapped; a mutant that passes all tests survives.
 */
struct trial_result {
	const struct rule *rule;
	const char *name;        /* of the test, or "test 2" */
	struct place place;      /* of the test in the rule's file */
	bool passed;
	const char *report;      /* of a failed one: lines with expected, found and a sparkline; UTF-8 */
};
struct mutant {
	const struct rule *rule;
	struct place place;      /* of what was changed */
	int width_columns;
	const char *change;      /* "'70 %' becomes '84 %'" */
	bool killed;
};
struct trial_results {
	struct trial_result *at;
	size_t n, n_failed;
};
struct mutants {
	struct mutant *at;
	size_t n, n_survivors;
};
struct trial_results rule_test(struct arena *mem, const struct rules *rules, const struct rule *rule);
struct mutants rule_mutate(struct arena *mem, const struct rules *rules, const struct rule *rule);

/* The values object for a rule's texts: laid out as rule->text_fields describes. */
struct view rule_text_values(struct arena *mem, const struct rule *rule, const struct text_values *values,
	const struct quantity *evidence);

#endif
