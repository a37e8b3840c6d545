/*
 * report.h - the face of the account: every number, sentence and figure of a report, once.
 *
 * report_build() is the last place that computes. Renderers order, format and escape; charts
 * only draw. All texts are plain (no markup, no escapes) and ready to print; all times are
 * time_ms; all numbers keep full precision. fields.c describes the structs for JSON and
 * templates: JSON keys are the names there (design section 11 freezes them).
 */
#ifndef POSTRUN_REPORT_H
#define POSTRUN_REPORT_H

#include "base/model.h"
#include "metric/money.h"
#include "rule/rule.h"

struct report_program {
	const char *name, *version, *rules_digest;
};

struct report_gpu {
	const char *entity; /* "node01/gpu0" */
	const char *label;  /* "GPU 0" */
	const char *short_label; /* the same; of several hosts "01/0", as far as their names differ */
	const char *name, *uuid, *bus_id; /* or NULL */
};

struct report_run {
	const char *name;
	time_ms begin, end;
	double seconds;
	struct texts hosts;
	const struct report_gpu *gpus;
	size_t n_gpus;
};

struct headline { /* under the verdict: one line a critical or warning finding */
	const char *text;
};

struct report_verdict {
	const char *severity; /* critical warning note healthy unknown */
	const char *sentence;
	double gpu_hours;
	struct range lost_gpu_hours;
	const struct headline *headlines; /* at most 3 */
	size_t n_headlines;
	double money;            /* of the run, in the currency of the rate; NAN without a rate, as in findings and ledger */
	struct range lost_money;
	struct range energy_kwh; /* of the run: the sum over the ledger */
	double best_seconds;     /* least that the same work can have taken, without what was lost; NAN: not known */
	double throughput;       /* of the job between its first and last line, a second; NAN where it logs no progress */
	const char *throughput_of; /* "samples", "steps", or NULL */
	/* ready for print, not in JSON: */
	const char *best_text;   /* "At the same work the run could take …"; or NULL */
};

/*
 * How sure a finding is. Points:
 *
 *      + 1  for each independent witness, at most 2: the GPU's log, its activity counters (SM, tensor, DRAM), the driver's flags, the
 *           host's log, the job's own log, the kernel's log. One counts when the condition of the rule looks at a metric of its kind
 *           that was known while the rule fired. Two logs of one kind are one witness.
 *        2  at once when the rule asks for what the driver flags, what the kernel's log says or what the rows of a log
 *           show by themselves (a hole, a lost GPU): nobody needs to confirm that.
 *      - 1  when less of the judged time was known than the rule asks for (min_coverage).
 *      - 1  when a rival of the rule is not ruled out; not where 2 are given at once.
 *      - 1  when the rule looks at a limit that no log tells and the table of cards supplies.
 *      - 2  when one of the logs was moved against the others by whole quarter hours, and neither what they show nor their ends confirm it.
 *
 * 2 is high, 1 medium, less low. A finding is a warning at most when it is low, or medium because too little was known; what is
 * said by flags, kernel or rows keeps its severity.
 */
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };
const char *confidence_name(enum confidence confidence); /* "low", "medium", "high" */

struct window {
	time_ms begin, end;
	double seconds;
};
struct own_windows {
	const char *entity; /* id */
	struct window *windows;
	size_t n_windows;
};
struct named_quantity {
	const char *name;
	struct quantity value;
};
struct report_chart {
	const char *file, *title, *alt;
	const char *light, *dark; /* the picture as data: URIs, where an output has it inside; else NULL */
};
struct finding {
	size_t number; /* from 1, by cost; 0 of a suppressed one */
	const char *rule, *severity, *title;
	const char *headline;  /* the title, and how long it lasted where it is one stretch of the run: for the verdict */
	const char *headline_alone; /* the same, and in a few words why: where no other finding is told beside it */
	enum severity severity_level;
	struct texts entities; /* ids */
	struct window *windows; /* of any entity */
	size_t n_windows;
	struct window *windows_beside; /* beside these: in which GPU time was lost that it is charged for, as while it came to it */
	size_t n_windows_beside;
	bool is_scattered; /* it came and went on each of the entities at times of its own; */
	const struct own_windows *own_windows; /* then those of each, unless it is a note without a cost, or they are very many */
	size_t n_own_windows;
	double coverage;        /* 0 to 1 */
	const char *confidence; /* high medium low */
	const char *confidence_reason; /* "two independent logs agree, the GPU's and the host's" */
	struct range cost_gpu_hours; /* both NAN: no cost can be given */
	struct range cost_money;
	bool has_cost;
	const struct named_quantity *evidence;
	size_t n_evidence;
	const char *what, *why, *refute;
	struct texts try;
	struct texts symptoms; /* ids of rules folded under this finding */
	const char *symptoms_text; /* "full CPU cores, low use"; NULL: none */
	struct texts rivals; /* other explanations that these logs do not rule out, each with what would tell the two apart */
	/* ready for print, not in JSON: */
	const char *where;      /* "all 4 GPUs" */
	const char *when_text;  /* "01:49:43 - 01:50:42 (59 s), elapsed 0:12 - 1:11; one window" */
	const char *cost_text;  /* "57.0 GPU-s, 73 % of the run: …"; NULL without cost */
	const char *cost_short; /* "up to 1.1 GPU-min"; "room to grow" style words; may be NULL */
	const char *sure_text;  /* "HIGH: two independent logs agree, … . It would be wrong if …" */
	const char *told_by;    /* "[2]", an earlier finding by the same rule, whose why and advice are this one's too; else NULL */
	const char *card_text;  /* evidence for the picture, at most two lines */
	const char *short_name; /* at most 28 characters, for the lane above the panels */
	const char *rule_name;  /* what is as short and true of all findings of the rule, where short_name says what was seen in this one */
	const char *some_gpus;  /* "GPUs 3 and 5", said behind it where there is room; NULL: it is about all of them, or about no GPU */
	bool is_hole;           /* the finding is about missing log: hatched, not a loss */
	const struct report_chart *own_charts; /* of one told in full: those that a page shows beside it */
	size_t n_own_charts;
};

/* Is it known what it cost? A memory error or a lost card may be worse, and has none. */
static inline bool finding_has_price(const struct finding *f)
{
	return f->has_cost && f->cost_gpu_hours.high > 0;
}

/*
 * What somebody knows already and does not want to be told again, until a day and for a reason. Its findings are not counted:
 * not in the verdict, the headlines, the exit status, nor is their time charged to anybody. They are all listed.
 */
struct suppression {
	const char *rule;    /* its id */
	const char *on;      /* "0-3,5", "node01/0", "node01": GPUs and hosts; NULL: wherever it fires */
	const char *because; /* as given */
	time_ms until;       /* the midnight at which the last day begins on which it holds */
};
/* Is `on` written as above? */
bool suppression_is_place(const char *on);

struct report_suppression {
	const char *rule, *on, *until, *because;
	bool applied;  /* false: it had ended before the run began, and its findings count */
	const struct finding *findings;
	size_t n_findings;
	/* ready for print, not in JSON: */
	const char *sentence;
};

struct report_rule_file {
	const char *path, *digest, *layer, *replaces;
};
struct report_setting {
	const char *rule, *param;
	struct quantity value;
};
struct report_rules { /* what was in force besides the built-in rules */
	const struct report_rule_file *files;
	size_t n_files;
	const struct report_setting *settings;
	size_t n_settings;
	struct texts disabled;
	/* ready for print, not in JSON: */
	struct texts sentences;
};

/* What anybody sees in the curves of a healthy run and asks about, where no finding is about it: a fact, no advice. remarks.c */
struct remark {
	const char *kind; /* start end dips */
	const char *text; /* a sentence */
	time_ms begin, end; /* of several the first one's begin, the last one's end */
	size_t count;
	double seconds;        /* of all of them together */
	double period_seconds; /* from one begin to the next; NAN: no steady rhythm */
	double gpu_hours;      /* that are missing in them beside the usual busy; not lost. NAN: not of a start or an end */
};

struct judgement {
	const char *rule, *entity, *outcome, *reason;
	double coverage;
	double margin; /* longest stretch of YES as a share of `for`; NAN where there is none */
};

struct ledger_row { /* one class of GPU time; the rows add up to the run */
	const char *class;   /* normal, a rule id, suppressed, overhead, no-log, busy-unknown */
	const char *label;   /* "at the run's normal speed", "[1] waiting for input" */
	const char *short_label; /* for the bar: "at the run's normal speed", "waiting for input" */
	size_t finding;      /* 0: none */
	double gpu_hours;
	bool upper_bound;        /* of a finding: at most so much was lost */
	struct range energy_kwh; /* high NAN: no log tells the limit where power is not known */
	double share;        /* of the run's GPU time, 0 to 1 */
	enum severity severity_level; /* of the finding */
	enum { LEDGER_NORMAL, LEDGER_FINDING, LEDGER_SUPPRESSED, LEDGER_OVERHEAD, LEDGER_NO_LOG } kind;
	const char *hours_text;   /* "12.5", in the unit of report.gpu_time_unit */
	const char *percent_text; /* "78" */
	double money;
	const char *money_text;   /* "31.20"; NULL without a rate */
	bool is_unjudged;         /* LEDGER_NORMAL: at work, but for too short a time to be told to be normal */
};

/*
 * For how long one reason held one GPU's clocks down, and what that cost. Flags are samples of the moment, counters are exact.
 * Reasons can hold at once, so rows don't add up.
 */
struct throttle_row {
	const char *entity, *reason;  /* "node01/gpu0", "sw_power": metric/metric.c */
	double flag_seconds;          /* by the flags, while not idle; NAN: not logged */
	double flag_error_seconds;    /* plus or minus: a step for each stretch */
	double counter_seconds;       /* by the driver's counter, while not idle; NAN: not logged */
	size_t counter_restarts;      /* the driver was loaded again, or the GPU was reset */
	double busy_share;            /* 0 to 1: of the time in which the GPU was busy; by the counter where there is one */
	double clock_mhz;             /* mean SM clock while it held and the GPU was busy */
	double clock_reference_mhz;   /* the GPU's own working clock: 95th percentile of its SM clock while busy */
	double clock_lost;            /* 0 to 1: what clocks then were short of that, on average */
	double work_lost_gpu_hours;   /* clock_lost times the time for which it held: at most, if the SM clock alone sets the pace */
	/* ready for print, not in JSON: */
	const char *label, *title;    /* "GPU 0", "power cap" */
	const char *counted, *flagged, *error_text, *share_text, *clock_text, *lost_text, *work_text; /* "-" where not known */
};

struct better_log { /* a command whose log would have let rules be judged that could not be */
	const char *command;
	struct texts metrics, rules; /* what it would log of what they lack; their ids */
	/* ready for print, not in JSON: */
	struct texts lines;          /* the command as lines that a shell takes for one, none too wide */
	const char *settles;         /* "a single busy core; hot memory" */
};

struct report_phase {
	const char *name;
	time_ms begin, end;
	/* ready for print, not in JSON: */
	const char *label; /* "start", "at work"; NULL: of no log there is none */
};

struct statistic {
	const char *entity, *metric;
	enum unit unit;
	const char *unit_symbol;
	double mean, min, p5, p50, p95, max, stddev; /* in `unit`; shares 0 to 1 in JSON are not used: percent stays percent */
	double coverage;
	const char *source; /* name of the file it comes from, or "derived" */
	const struct track *track; /* what it is computed of; not in JSON: series.csv */
};

struct report_absence {
	const char *reason;
	size_t count;
};
struct report_clock {
	const char *zone;
	double offset_s;
	const char *decided_by; /* option log sibling inferred assumed */
	const char *sentence;
};
struct report_complaint { /* about a line of a log; those of one kind are one, with the first of their lines */
	size_t line, column; /* from 1; column 0: about all of the line */
	const char *kind;    /* "bad-row": base/diag.def */
	const char *text;
	const char *shown;   /* the line, as much as can be shown of it, or NULL */
	size_t count;
};

struct report_source {
	const char *path, *name, *digest, *format, *why;
	const char *archive, *archive_digest; /* what it is a member of, or NULL */
	size_t bytes, rows, rows_bad, rows_ignored, rows_seen; /* seen: the sum of the others */
	size_t rows_per_sample; /* so many were made one, to stay within the limit 'memory'; mostly 1 */
	const char *rows_text; /* a sentence: "1804 rows were seen: 1800 used, 3 rejected and 1 ignored." */
	const struct report_complaint *complaints; /* what is wrong inside of the log, in the order of its lines */
	size_t n_complaints;
	struct texts told_complaints; /* the first of them, in words */
	const char *more_complaints;  /* "12 more are in report.json.", or NULL */
	time_ms begin, end;
	double step_s;
	const char *steps;   /* "1 s", or "1 s to 10 s" of a log that did not always look as often */
	struct window *holes;
	size_t n_holes;
	const struct report_absence *absences;
	size_t n_absences;
	struct report_clock clock;
	const char *of_many; /* what clock.sentence says, of many logs; NULL: of each alone. Not shown */
	const char *quality; /* a sentence: "156 of 156 expected samples, step 0.5 s, no hole" */
	struct texts unread; /* column heads without a metric */
	struct texts messages; /* error lines of the logging tool inside its log */
	const char *guess;     /* what the log does not say and was taken for granted to read it; NULL: nothing */
};

struct report_event { /* what a log tells in words */
	time_ms time;
	const char *kind;   /* "xid": format/event.def */
	const char *entity; /* "gpu3", or NULL when no log knows the GPU that is meant */
	const char *text;   /* as the log has it */
	size_t code;        /* of an Xid, else 0 */
	const char *source; /* name of the log */
	const char *when, *who; /* for print: "01:52:03", "GPU 3: ", of several hosts "GPU 3 of node02: " */
};

struct report_note {
	const char *topic, *text;
	const char *of, *of_many; /* as in run.h, with n_of; not shown */
	size_t n_of;
};

/* For the text report. */
struct timeline_row {
	const char *label; /* "GPU busy", "finding 1" */
	struct cells cells; /* 0 to 1; NAN no data. For finding rows: the finding's number, or 0 */
	bool is_finding;
	const char *digits; /* finding rows: ready text, blanks and digits */
};
struct statistics_row {
	const char *label;
	const char *busy_mean, *busy_p5, *busy_p50, *busy_p95, *mem_peak, *temp_mean, *temp_max, *power_mean,
		*power_max, *clock_mean, *hot; /* ready numbers, "-" where not logged */
};

/* For the card. */
struct key_figure {
	const char *value, *caption;
};

/*
 * A figure is what a picture shows: panels that share a time axis. Panels name tracks; only
 * the chart layer turns them into pixels, by minimum, mean and maximum a bin.
 */
enum panel_kind {
	PANEL_BUSY,
	PANEL_MEMORY,
	PANEL_TEMPERATURE,
	PANEL_MARGIN, /* degrees left before the GPU slows down */
	PANEL_POWER,
	PANEL_CLOCK,
	PANEL_HOST_MEMORY, /* its tracks are of hosts */
	PANEL_HEAT,
	PANEL_THROTTLE,
	PANEL_PHASES, /* of report.phases */
	PANEL_DENSITY, /* how many GPUs are how busy */
	PANEL_DUTY,   /* no time axis: a picture of its own */
	N_PANEL_KINDS,
};
struct panel_label { /* in the right gutter */
	const char *name;      /* "GPU", "CPU (all cores)", "Slowest GPU" */
	const char *statistic; /* "mean 84 %" */
};
struct panel_threshold {
	double value;     /* in the panel's unit */
	const char *text; /* "limit 700 W" */
};
struct singled { /* a GPU that a finding names: a line of its own, the others are a band */
	size_t gpu;
	struct panel_label label; /* "GPU 3", "88 °C in" */
	const struct finding *in; /* whose badge follows */
};
struct panel_room { /* "17 GiB free": a bracket between two values */
	time_ms at;
	double low, high;
	const char *text; /* or NULL: none */
};
#define DUTY_BARS 20
#define DUTY_SPELLS 4
struct duty_spell {
	const char *label; /* "up to 10 s" */
	double time;       /* in the unit of report.gpu_time_unit */
	const char *text;  /* "0.3 GPU-h, 163×", "none" */
};
struct duty {
	const char *title;
	double bars[DUTY_BARS], highest; /* GPU time from 0 to 5 % busy, …; in the unit of report.gpu_time_unit */
	const char *percents[DUTY_BARS]; /* NULL: too little for a number */
	struct duty_spell spells[DUTY_SPELLS];
	const char *note;
};
struct panel {
	enum panel_kind kind;
	const char *title;    /* "Busy, %" */
	const char *subtitle; /* "line = mean of 4 GPUs, band = least to most busy GPU" */
	const char *two_bands; /* instead of that, where there is a second band, as it has to be called; or NULL */
	const struct track **gpus; /* one a GPU, beside report.run.gpus; NULL where a GPU has none */
	size_t n_gpus;
	const struct track **gate; /* CLOCK: gpu.util beside gpus (only samples with busy > 0 are drawn); else NULL */
	const struct track *cpu;   /* BUSY: host.cpu.busy or NULL */
	double scale;         /* fixed_value() x scale = drawn value; 1/1024 for memory in GiB */
	double low, high;     /* the y axis */
	struct panel_label label, cpu_label; /* HEAT, DENSITY: the two ends of the colour key */
	const struct panel_threshold *thresholds;
	size_t n_thresholds;
	struct spans holes;   /* of the log behind the GPU tracks: hatched */
	struct spans cpu_holes;
	const char **row_notes; /* THROTTLE: right gutter, beside gpus: "capped 45 s" or NULL */
	const bool *beyond_cap; /* THROTTLE: beside gpus: was a GPU held down by more than a power cap? */
	const char *common_note; /* THROTTLE: GPUs held down alike, or many by nothing but power caps, are one row; this is beside it */
	const struct singled *singled; /* at most 3; or none: line and band over all GPUs */
	size_t n_singled;
	struct panel_label others;     /* beside those */
	const struct finding *others_in;
	struct panel_room room;
	const struct duty *duty;       /* DUTY */
};
struct closeup { /* of one GPU, busy; below the panels */
	const struct track *gpu; /* NULL: none */
	struct span span;
	const char *subtitle;    /* "GPU 0, the 2 min 00 s boxed above, every sample" */
	struct panel_label label;
};
struct figure {
	struct span span;    /* x axis, exactly */
	const struct panel *panels;
	size_t n_panels;     /* 0: the picture would say nothing, so that there is none */
	size_t n_telling;    /* card: so many of the first show the run, and what the first finding is about */
	const char *title, *subtitle; /* of a picture that tells one thing, or NULL */
	const struct finding *about;  /* the finding that it shows, or NULL */
	struct closeup closeup;
	const bool *left_out;         /* beside report.findings: not of this picture's business; NULL: none */
};

struct report_footer { /* of pictures */
	struct texts logs;      /* "gpu.csv (0.5 s, 156 rows)": the first of them */
	size_t n_logs;          /* all */
	const char *not_judged; /* "Not in the log, so not judged: …"; NULL: all is there */
};

struct report {
	const char *schema; /* "postrun.report/1" */
	struct report_program program;
	const char *time_basis; /* of all times: "UTC" or "log time" */
	struct report_run run;
	struct rate rate;
	struct report_verdict verdict;
	const struct finding *findings;
	size_t n_findings;
	struct report_suppression *suppressed;
	size_t n_suppressed;
	struct remark *remarks;
	size_t n_remarks;
	const struct judgement *judgements;
	size_t n_judgements;
	const struct ledger_row *ledger;
	size_t n_ledger;
	const struct throttle_row *throttle; /* in order of GPUs, of one GPU the longest first */
	size_t n_throttle;
	const struct report_phase *phases;
	size_t n_phases;
	const struct statistic *statistics; /* none where the table is all that is asked for */
	size_t n_statistics;
	const struct report_source *sources;
	size_t n_sources;
	const char *separate_runs; /* what looks so, a question and a sentence; NULL: these look like logs of one run. A note, too */
	const struct report_event *events;
	size_t n_events;
	struct report_chart *charts;
	size_t n_charts;
	const struct report_note *notes;
	size_t n_notes;
	struct report_rules rules;
	const struct better_log *log_better; /* nothing when all that matters could be judged */
	size_t n_log_better;

	/* ready for print, not in JSON */
	bool day_unknown; /* no log names it: dates are of 1970, and not told */
	const struct finding *told_findings; /* in full: the foremost */
	size_t n_told_findings;
	const char *more_findings; /* "and 2 more findings: [6] low use and [7] hot. …", or NULL */
	const struct report_source *told_sources; /* those of which the same is to be told are one, unless all is asked for */
	size_t n_told_sources;
	const struct report_note *told_notes;     /* likewise */
	size_t n_told_notes;
	const struct report_event *told_events; /* the first of them */
	size_t n_told_events;
	const char *more_events; /* "12 more are in report.json.", or NULL */
	bool is_too_little_work; /* to be called healthy, though nothing was found */
	bool healthy, all, has_charts, has_ledger, has_gpu, many_gpus;
	const char *identity;      /* "loader_bound on node01" */
	const char *run_text;      /* "1 x NVIDIA H200, 1 min 18 s, Sat 2026-11-21 01:49:31 - 01:50:49 UTC. …" */
	const char *subline;       /* card: "node01 · 1 × NVIDIA H200 · Sat 21 Nov 2026, 01:49–01:50 UTC · 78 s · 1.3 GPU-min" */
	const char *gpu_time_text; /* "16.0 GPU-hours" */
	const char *spent_text;    /* "16.0 GPU-HOURS (40.00 EUR)", of a heading; without a rate no money */
	const char *gpu_time_unit; /* "GPU-h" or "GPU-min" */
	const char *chart_names;   /* "card.png  timeline.png" or NULL */
	const struct report_chart *lead_charts, *other_charts; /* below the verdict; those that show no finding that is told */
	size_t n_lead_charts, n_other_charts;
	const struct throttle_row *told_throttle; /* those that matter */
	size_t n_told_throttle;
	struct texts throttle_notes; /* what has to be known to read them, sentences */
	const struct timeline_row *timeline;
	size_t n_timeline;
	const char *timeline_labels, *timeline_ticks; /* clock labels over the 64 cells and the marks under them */
	const char *timeline_legend, *timeline_legend_drawn; /* in ASCII; with the signs of the UTF-8 twin, as wide */
	const struct statistics_row *statistics_rows;
	size_t n_statistics_rows;
	const char *rejected;      /* "20 of 1820 rows of gpu.csv", where so many are that the verdict says so; or NULL */
	const char *remarks_text;  /* all of them; NULL: none */
	const char *checked_count; /* "34 checks of GPU use, heat and power" */
	const char *checked_text;  /* "input starvation (CPU 30 % busy), …": rules that were clear */
	const char *unjudged_text; /* rules unknown or skipped, and why; NULL when none */
	const char *limits_text;   /* what 'busy' is and isn't */
	const char *not_logged_text; /* metrics the logs lack; NULL when none */
	const char *command_text;  /* "postrun report …" */

	/* pictures; those of a report without chart files are empty, and its footer too */
	const struct key_figure *key_figures;
	size_t n_key_figures;
	struct figure card, timeline_figure, thermal, memory, heatmap, density, duty;
	struct report_footer footer;
	const char *footer_right; /* "postrun 0.1.0" */
};

struct report_options {
	bool all;           /* --all: the long report */
	bool in_table_alone; /* nobody asks for what our templates leave out, as JSON, CSV and a template of the user's may */
	const char *command; /* the command line as typed, for PROVENANCE */
	const char *const *chart_files; /* pictures that will be written beside the report */
	size_t n_chart_files;
	const struct suppression *suppressions;
	size_t n_suppressions;
	struct rate rate;
};

static inline bool report_is_utc(const struct report *report)
{
	return report->time_basis && strcmp(report->time_basis, "UTC") == 0;
}

/* Everything lives in run->mem. Sentences come from `verdict_template` (templates/verdict.tmpl). */
struct report *report_build(const struct run *run, const struct rules *rules, struct verdicts verdicts,
	const struct report_options *options);

/* Deals the charts to the places of a page: lead_charts, own_charts of told_findings, other_charts. Not the card: pictures.c */
void report_place_charts(struct arena *mem, struct report *report);

/* What a picture by this file name shows; NULL: no picture is called so. pictures.c */
const struct figure *report_figure(const struct report *report, const char *file);

/* A healthy run is told in few words, unless all of them are wanted. */
static inline bool report_is_brief(const struct report *report)
{
	return report->healthy && !report->all;
}

extern const struct fields report_fields; /* fields.c */

#endif
