/* report_parts.h - what the files of this folder share while a report is built. */
#ifndef POSTRUN_REPORT_PARTS_H
#define POSTRUN_REPORT_PARTS_H

#include "report/words.h"

#define HEALTHY_LOSS 0.02 /* of the run's GPU time: one that lost less is healthy */
#define NO_COST_HOURS (0.5 / 3600) /* half a GPU-second: how the clocks of a log are staggered */

/* What some GPU time drew. Where power is not known only its limit bounds it. */
struct energy {
	double wh, known_hours;
	double off_wh;          /* by how much it may be off because of what was drawn between two samples */
	double dark_wh;         /* the most that can have been drawn where power is not known */
	double unbounded_hours; /* where no log tells a limit either */
};

struct sureness {
	enum confidence level;
	const char *reason; /* a part of a sentence */
	bool caps;          /* too little is sure for more than a warning */
};

/* Verdicts of one rule that fired at much the same times, on their way to a finding. */
struct draft {
	const struct rule *rule;
	const struct verdict **verdicts; /* one an entity */
	size_t n_verdicts;
	struct spans when;               /* union over the entities */
	bool is_scattered;               /* it was on several entities at times that differ: `when` says when it was on any of them */
	double cost_hours;               /* what the ledger charges to it */
	double least_hours;              /* of cost_hours, what was lost at least; where it is an upper bound */
	double least_waited;             /* of least_hours, what others lost who waited */
	double unmeasured_hours;         /* beside cost_hours: of its time that of which nobody knows what was lost */
	double alone_hours;              /* what it would cost without the others; decides who is charged first */
	bool costs;                      /* its rule has a cost, or it pays for what was lost on other GPUs */
	enum severity paid_severity;     /* the most that a symptom which it pays for can be */
	bool lost_whole;                 /* each of its seconds as a whole */
	bool upper_bound;                /* no healthy stretch to compare with, or the rule tells bounds */
	struct sureness sureness;        /* once the ledger is through, as are severity and number */
	enum severity severity;
	size_t number;
	struct texts symptoms;
	bool is_of_host;                 /* parted from others, as what a host did to itself explains it */
	struct report_suppression *suppressed; /* somebody does not want to be told; or NULL */
	const struct draft *cause;       /* folded under this one, or NULL */
	bool is_joined;                  /* to its cause: one story, of which all is charged there */
	const struct draft **joined;     /* the findings that are part of this one; its `when` is theirs, too */
	size_t n_joined;
	int depth;                       /* how many fired rules in a row explain it; roots 0. Causes are charged first */
};

struct build {
	const struct run *run;
	const struct rules *rules;
	struct verdicts verdicts;
	const struct report_options *options;
	struct arena *mem;
	struct report *report;
	struct draft *drafts;
	size_t n_drafts;
	struct draft **ranked; /* those that are neither symptoms nor suppressed, by number */
	size_t n_ranked;
	struct gpu_time unit;
	size_t samples;       /* of the GPU with the most */
	bool too_short;       /* fewer samples than can be judged: no ledger, no time line, no pictures */
	double total_hours;   /* GPU-hours of the run: its length times its GPUs */
	size_t n_suppressed;  /* findings that are kept back */
	double lost_high, lost_low;
	struct energy energy;    /* of the run */
	double suppressed_hours; /* that would be lost, if it counted */
	double no_log_hours;   /* that no finding accounts for */
	double unlogged_hours; /* that no row tells of: hatched; with those of lost GPUs */
	struct stats_table *stats; /* what stats_of() and means_of() were asked for */
	const struct stats *busy; /* of gpu.util in the steady phase, one a GPU; known == 0 where not logged */
	const struct gpu_rows *gpu_rows; /* one a GPU (gpu_rows.c); NULL: nobody has asked yet */
	const struct holding_down *held_down; /* of the masks of reasons, likewise (held_down.c) */
	const struct track *busiest_core; /* likewise (figures.c) */
};

/* Is there time of which no row tells, that is hatched and spoken of? */
static inline bool has_unlogged_time(const struct build *b)
{
	return b->unlogged_hours > NO_COST_HOURS;
}

/* `for` of most checks of GPUs at work, such as those for GPUs that idle or wait: of less work nobody knows that it was normal. */
#define LEAST_WORK (30 * SECOND_MS)
static inline time_ms steady_length(const struct build *b)
{
	return spans_length(run_phases(b->mem, b->run, 1U << PHASE_STEADY));
}

/* In the order in which report_build calls them. */
void build_suppressions(struct build *b); /* suppressed.c: which of them hold for this run */
void build_drafts(struct build *b);     /* stories.c: group, fold */
void build_ledger(struct build *b);     /* ledger.c: each GPU-second once; costs */
void build_findings(struct build *b);   /* finding_words.c: texts */
void build_suppressed(struct build *b); /* suppressed.c: what they kept back */
void build_judgements(struct build *b); /* judgements.c: what all rules said */
void build_log_better(struct build *b); /* log_better.c: which commands would have answered the rest */
void build_throttle(struct build *b);   /* throttle.c: what held clocks down, for how long, at what cost */
void build_statistics(struct build *b); /* statistics.c */
void build_sources(struct build *b);    /* sources.c */
void build_separate_runs(struct build *b); /* separate_runs.c, behind them */
void tell_alike_sources(struct build *b);     /* alike.c: when all is known of them; and likewise */
void tell_alike_notes(struct build *b);
/* Which rows of the log the report stands on, and what is wrong with the others: row_account.c. */
void account_rows(struct build *b, const struct recording *rec, struct report_source *s);
/* "20 of 1820 rows could not be used"; NULL: all could, or all but a last one that was cut off. */
const char *rejected_text(struct arena *mem, const struct recording *rec);
/* "20 of 1820 rows of gpu.csv", where so many are rejected that a verdict has to say so; else NULL. */
const char *rejected_share(struct build *b);
void build_events(struct build *b);     /* event_rows.c */
void build_timeline(struct build *b);   /* text_timeline.c */
void build_figures(struct build *b);    /* figures.c: card and time line */
void build_closeup(struct build *b);    /* closeup.c: of the card */
void build_duty(struct build *b);       /* duty.c */
void build_density(struct build *b);    /* duty.c */
void build_pictures(struct build *b);   /* pictures.c: those that tell one thing; which are worth drawing */
void build_alt_texts(struct build *b);  /* alt_text.c: each picture in words */
void build_rules(struct build *b);      /* rules_in_force.c */
void build_verdict(struct build *b);    /* verdict.c: the sentence, key figures */
void build_remarks(struct build *b);    /* remarks.c: what is seen in a healthy run */

/* "GPU use, heat and power": areas that these rules, which found nothing, judged by what is logged; NULL: none. areas.c */
const char *areas_text(struct build *b, const struct rule *const *clear, size_t n);

struct picture {
	const char *file;
	size_t figure; /* offset in struct report */
	const char *kind; /* "Ticket card" */
};
const struct picture *picture_find(const char *file); /* NULL: there is none of that name */
/* Did anybody ask for the picture of this figure of the report? What takes long to find out is asked for no other. */
bool is_to_be_drawn(const struct build *b, const struct figure *figure);

struct panels { /* with room for one of each kind and a second heat map */
	struct panel *at;
	size_t n;
};
struct panels panels_new(struct build *b);
/* Nothing when no log has what it shows: figures.c. */
void panels_add(struct build *b, struct panels *panels, enum panel_kind kind);
/* What GPUs draw as a share of their limit, where it is logged. */
void panels_add_power_map(struct build *b, struct panels *panels);
/* Does any log tell of it? sources.c */
bool has_metric(const struct run *run, enum metric metric);
/* Has no log this, and is it no limit of what no log has either? */
bool is_missed(const struct run *run, enum metric metric);
/* In words for a sentence: "SM clock", where a rule says gpu.clock_sm. sources.c */
const char *metric_words(enum metric metric);
/* Does the rule's condition need this metric? */
bool rule_needs(const struct rule *rule, enum metric metric);

/* What the rule said of each of its entities; n 0 of one that was not judged. judgements.c */
struct verdicts verdicts_of(const struct build *b, const struct rule *rule);

/* The busiest core, where a finding is about single cores: the mean over all of them would argue against it. NULL: none is. figures.c */
const struct track *busiest_core(struct build *b);
/* By GPU the track of a metric, NULL where nobody logged it; *n_known: of how many it is logged. figures.c */
const struct track **tracks_of(struct build *b, enum metric metric, size_t *n_known);
/* Does a finding that is more than a note show in clocks? figures.c */
bool is_about_clocks(const struct build *b);
/* The track that says when this GPU was logged at all: busy, else power, memory, temperature. NULL: none. */
const struct track *gpu_base_track(const struct run *run, const struct entity *gpu);
/* track_stats(), worked out when it is first asked for: track_stats.c. Only between these two. */
void stats_begin(struct build *b);
void stats_end(struct build *b);
/* Of many tracks at once, on all cores, for those who will ask for them one by one; NULL: there is none. */
void stats_work_out(const struct build *b, const struct track *const *tracks, size_t n, struct spans within);
struct stats stats_of(const struct build *b, const struct track *t, struct spans within);
/* track_means() likewise. */
void means_work_out(const struct build *b, const struct track *const *tracks, size_t n, struct spans within);
struct stats means_of(const struct build *b, const struct track *t, struct spans within);
/* Mean over all GPUs, weighted by known time; NAN when nothing is known. */
double mean_of_gpus(const struct build *b, enum metric metric, struct spans within);
double max_of_gpus(const struct build *b, enum metric metric);
/* When the GPU was busy; all of the run where nobody logged that. figures.c */
struct spans time_at_work(struct arena *scratch, const struct run *run, const struct track *busy);
/* Which GPUs of a panel have the lowest and the highest mean over the whole run; NAN both when nothing is known. */
struct extremes {
	size_t least, most; /* index of the GPU */
	double low, high;
};
struct extremes extreme_means(const struct build *b, const struct panel *p, const bool *only); /* NULL: of all GPUs */
#define ALIKE 5.0 /* points between means: rows of a map so near are called alike */
/* Of these spans: what the verdict says was lost, where that is known; only of rules with a cost. */
double lost_hours(const struct verdict *v, struct spans when);
/* And what was lost at least. */
double least_hours(const struct verdict *v, struct spans when);
#define SYMPTOM_OVERLAP (2.0 / 3) /* twice as much with this cause as without */
#define NAMED_LOSS 0.01           /* of the run; what is less is no part of the verdict's sentence */
/* Does any of what it says explain this, on whatever entity? causes.c */
bool can_explain(const struct rule *cause, const struct rule *symptom);
/* Does what was measured there speak for it? What is not known does not. */
bool may_explain(const struct verdict *cause);
/* How much of a symptom's loss, or time, a cause covers, as a share. */
double covered(struct build *b, const struct draft *cause, const struct draft *symptom);
/* Symptoms find their cause; `when` of all is known. Then who has a price, and how deep each lies below causes. */
void fold_symptoms(struct build *b);
void find_costs(struct build *b);
void find_depths(struct build *b);
/* Each is named under the finding that it is told with. */
void list_symptoms(struct build *b);
/* Of what was found on an entity the time in which `cause` was there, where its rule explains it. */
struct spans covered_time(struct build *b, const struct draft *cause, const struct verdict *symptom);
/* Findings that others explain, each a part of their windows, become one for each of these. several_causes.c; `when` of all is known. */
void part_by_causes(struct build *b);
/* Verdicts that are left of a finding: each to another finding of the same time, or to one of its own. There is room for all. stories.c */
void add_to_stories(struct build *b, const struct draft *rest);
/* Of what a symptom found on an entity, the time that its cause explains and pays for. */
struct spans explained_time(struct build *b, const struct draft *symptom, const struct verdict *v);
/* The cause of its cause, and so on: the finding that it is told under; NULL: it has none. */
struct draft *first_cause(struct build *b, const struct draft *d);
/* Does it tell how it came to the finding, and is folded under it (rule->follows)? */
bool led_up_to(const struct draft *d, const struct draft *before);
/* Whom the finding names, each once: its own entities, and those of what is joined to it. */
struct whom {
	const struct entity **at;
	size_t n;
};
struct whom whom_of(struct build *b, const struct draft *d);
/* What its rule says of the run where all GPUs of it have the finding: rule->verdict, which is there. finding_words.c */
const char *verdict_of_all(struct build *b, const struct draft *d);
bool whom_has(struct whom whom, const struct entity *e);
bool is_mere_note(const struct draft *d);
/* When its own rule fired, without what is joined. */
struct spans own_time(struct build *b, const struct draft *d);
/* For how long it was on one of its entities, the mean of them, ms. */
time_ms mean_time(const struct draft *d);
/* Did its own rule fire there? */
bool has_verdict_of(const struct draft *d, const struct entity *e);
/* The finding to which it is charged what a symptom lost, because it is on other GPUs than its cause; or NULL. */
const struct draft *payer_of(struct build *b, const struct draft *symptom);
/* Was there no healthy stretch to compare with, on any of its entities? ledger.c */
bool lacks_reference(const struct draft *d);
/* What it cost, from the ledger and in words: finding_cost.c. */
/* A GPU that is gone loses each second as a whole: there is nothing to multiply; alone_hours must be known. */
bool is_lost_whole(const struct draft *d);
/* Is it not known at all what was lost, or not of a part of the time that is worth telling? */
bool is_unmeasured(const struct draft *d);
bool is_partly_unmeasured(const struct draft *d);
/* Would it cost more without the others? */
bool is_cost_shared(struct build *b, const struct draft *d);
/* Does it pay for what this symptom lost, which is on other GPUs? */
bool is_waiting_for(struct build *b, const struct draft *symptom, const struct draft *payer);
bool is_on_any(const struct draft *const *drafts, size_t n, const struct entity *gpu);
/* The GPUs that lost time by waiting for these, which pay for it; and "the other 6 GPUs", "GPUs 0-2" or NULL: nobody, or nobody knows. */
struct whom waiting_for(struct build *b, const struct draft *d);
const char *held_up_text(struct build *b, const struct draft *d);
/* When a part of what it pays for was lost beside its own time: mostly before, while it came to that. */
struct spans time_lost_beside(struct build *b, const struct draft *d);
/* GPU-hours; both NAN: it has no cost, or nobody knows. */
struct range cost_range(const struct draft *d);
/* "2.1 GPU-h, 13 % of the run: …"; and "2.1 GPU-h lost", NULL where there is nothing to say. */
const char *cost_text(struct build *b, const struct draft *d);
const char *cost_short(struct build *b, const struct draft *d);
/* Does what was found on `finding` (a GPU, a host, or NULL for the run) hold for this entity? */
bool concerns(const struct entity *finding, const struct entity *e);
/* How many of the hosts log it. */
size_t hosts_with(const struct run *run, enum metric metric);
/* The host's track, or of several hosts the mean of theirs; NULL without any. */
const struct track *host_track(const struct run *run, enum metric metric);
/* What pictures and the ledger call it: finding_words.c. */
const char *short_name_of(struct build *b, const struct draft *d);
/* A draft as a finding, in words: finding_words.c. */
struct finding finding_of(struct build *b, const struct draft *d);
/* The suppression that holds for this verdict, or NULL: suppressed.c. */
struct report_suppression *suppression_of(const struct build *b, const struct verdict *v);
/* Other explanations of a finding that these logs don't rule out: rivals.c. */
struct texts rivals_of(struct build *b, const struct draft *d);
/* Is there an other explanation that these logs don't rule out? Known once symptoms are folded: rivals.c. */
bool has_open_rival(struct build *b, const struct draft *d);
/* "nothing is known of power, short pauses do not show"; NULL: all that an expert wants to see is logged. blind_spots.c */
const char *blind_spots(struct build *b);
/* Is so much of the GPU log missing that blind_spots() says so? */
bool is_much_unlogged(const struct build *b);
/* Its share of the GPU time, "37 %"; where some was logged it is not "100 %". */
const char *share_unlogged_text(struct build *b);
/* "Xid 79 struck a GPU at bus 0:06:00.0, which may be one of these"; NULL: nothing of the kind. blind_spots.c */
const char *stray_failure(struct build *b);
/* By the formula in report.h: confidence.c. */
struct sureness sureness_of(struct build *b, const struct draft *d);
/* Share of the judged time that was known, over the entities: confidence.c. */
double coverage_of(const struct draft *d);
/* Severity and number of every draft, once the ledger has charged them: ranks.c, called by the ledger. */
void rank_drafts(struct build *b);
/* Which run it is, for the text and for the card: run_line.c. */
const char *run_line(struct build *b);
const char *run_subline(struct build *b);
/* The card's numbers: key_figures.c. */
void build_key_figures(struct build *b);
struct progress { /* of the job, as it logs it: job_progress.c */
	double done;        /* 0: no log tells */
	double per_second;
	const char *of;     /* "samples", "steps" */
	struct span span;
};
struct progress job_progress(const struct build *b);
/* " The job did 7808 samples from 01:49:53 to 01:50:39, 172 a second."; "" when no log tells of its progress. */
const char *job_did(struct build *b);
/*
 * " The GPU drew 2.7 Wh, give or take 0.1 Wh."; " The GPUs drew at least 21 Wh and at most 30 Wh: power is not known for 12 % of …"; ""
 * where no log tells: energy_words.c.
 */
const char *energy_drawn(struct build *b);
/* The same as one number: where power is not known for all of the time the lower bound, as *caption says. */
const char *energy_figure(struct build *b, const char **caption);
/* In kWh; high is NAN where nothing bounds it: ledger.c. */
struct range energy_range(const struct energy *e);
/* What the sensors may be off by, and what changed between samples, in Wh. */
double energy_tolerance_wh(const struct energy *e);
/* Hours in money, both NAN without a rate. */
struct range money_range(const struct build *b, struct range hours);
/* The time for which there are rows of this GPU. */
struct spans gpu_logged(struct arena *mem, const struct run *run, const struct entity *gpu);
/* And that for which it is said to be lost. */
struct spans gpu_accounted(struct build *b, const struct entity *gpu);
/* Is the first charged for time of a GPU that would be charged to the other? ledger.c; once that is through. */
bool takes_time_of(struct build *b, const struct draft *first, const struct draft *d);

#endif
