/*
 * confidence.c - how sure a finding is: who tells of it, how much was seen, what else it could be.
 *
 *     HIGH    two independent logs agree, the GPU's and the host's
 *     MEDIUM  judged by the GPU log alone
 *     LOW     judged by the GPU log alone, and another explanation is not ruled out
 *
 * The formula is in report.h. A witness is a kind of source, not a file: two logs of nvidia-smi ask the same driver. It is
 * counted when the condition of the rule looks at a metric of that kind that is known while the rule fired. Evidence is not: what is
 * told beside a condition was not asked to agree with it.
 */
#include "report/report_parts.h"

enum witness {
	WITNESS_GPU,
	WITNESS_COUNTERS,
	WITNESS_FLAGS,
	WITNESS_HOST,
	WITNESS_JOB,
	WITNESS_KERNEL,
	WITNESS_ROWS,
	WITNESS_FIT,
	N_WITNESSES
};

static const struct {
	const char *name, *whose; /* whose: of a log, among logs; else NULL */
} witnesses[N_WITNESSES] = {
	[WITNESS_GPU] = { "the GPU log", "the GPU's" },
	[WITNESS_COUNTERS] = { "the GPU's activity counters", NULL },
	[WITNESS_FLAGS] = { "the driver's flags", NULL },
	[WITNESS_HOST] = { "the host's log", "the host's" },
	[WITNESS_JOB] = { "the job's own log", "the job's own" },
	[WITNESS_KERNEL] = { "the kernel's log", "the kernel's" },
	[WITNESS_ROWS] = { "the rows of the log", NULL },
	[WITNESS_FIT] = { "the fit of the logs", NULL },
};

static bool is_between(enum metric metric, enum metric first, enum metric last)
{
	return metric >= first && metric <= last;
}

/* What is told in a line of its own, as an event; N_EVENTS: the metric is none of these. */
static enum event_kind event_of(enum metric metric)
{
	switch (metric) {
	case METRIC_GPU_LOST:
		return EVENT_GPU_LOST;
	case METRIC_GPU_XID:
		return EVENT_XID;
	case METRIC_HOST_OOM_KILL:
		return EVENT_OOM_KILL;
	case METRIC_HOST_RESTART:
		return EVENT_RESTART;
	default:
		return N_EVENTS;
	}
}

static enum witness witness_of(enum metric metric)
{
	if (is_between(metric, METRIC_GPU_THROTTLE, METRIC_GPU_CAP_HW_BRAKE))
		return WITNESS_FLAGS;
	if (is_between(metric, METRIC_GPU_SM_ACTIVE, METRIC_GPU_FP16_ACTIVE))
		return WITNESS_COUNTERS;
	if (metric == METRIC_LOG_SKEW)
		return WITNESS_FIT;
	/* a lost GPU has error lines in place of rows, or none while others have theirs */
	if (is_between(metric, METRIC_LOG_STEP, METRIC_LOG_IMPOSSIBLE) || event_of(metric) != N_EVENTS)
		return WITNESS_ROWS;
	if (is_between(metric, METRIC_RUN_STEP, METRIC_RUN_THROUGHPUT))
		return WITNESS_JOB;
	/* what else is told of a run is made of what its GPUs did */
	const enum scope scope = metric_table[metric].scope;
	return scope == SCOPE_GPU || scope == SCOPE_RUN ? WITNESS_GPU : WITNESS_HOST;
}

static bool is_of_kernel(const struct run *run, const struct run_event *event)
{
	return event->source < run->n_recordings && strcmp(run->recordings[event->source]->format->name, "kernel-log") == 0;
}

/* Does the kernel's log tell of this GPU what the track does? */
static bool kernel_tells(const struct run *run, const struct track *t)
{
	const enum event_kind kind = event_of(t->metric);

	for (size_t i = 0; i < run->n_events && kind != N_EVENTS; i++) {
		const struct run_event *const e = &run->events[i];
		if (e->event.kind == kind && e->entity == t->entity && is_of_kernel(run, e))
			return true;
	}
	return false;
}

/* A rule of one GPU may look at others of its host, at the cores, at the job. */
static bool is_in_reach(const struct draft *d, const struct run *run, const struct entity *e)
{
	for (size_t i = 0; i < d->n_verdicts; i++) {
		const struct entity *of = d->verdicts[i]->entity;
		if (!of || !e || e->scope == SCOPE_RUN || of == e || run_host(run, of) == run_host(run, e))
			return true;
	}
	return false;
}

static bool is_asked(const struct rule *rule, enum metric metric)
{
	for (size_t i = 0; i < rule->n_asked; i++)
		if (rule->asked[i] == metric)
			return true;
	return false;
}

/* How often a log looks is told by its rows; what it saw then is not. */
static bool is_only_a_step(const struct rule *rule, enum metric metric)
{
	return metric == METRIC_LOG_STEP && rule->n_asked > 1;
}

struct hearing {
	bool heard[N_WITNESSES];
	bool is_assumed; /* a limit is asked that no log tells: the table of cards is no witness */
	bool is_moved, is_in_place; /* some heard log was moved against the others, and nothing confirms that; some was not */
};

static void hear_track(const struct build *b, const struct draft *d, const struct track *t, struct hearing *h)
{
	const enum witness witness = kernel_tells(b->run, t) ? WITNESS_KERNEL : witness_of(t->metric);
	const bool is_moved = t->source < b->run->n_recordings && b->run->recordings[t->source]->clock.is_unconfirmed;

	if (witness == WITNESS_FLAGS && !d->rule->by_driver_flag) /* asked what they did not see */
		return;
	if (event_of(t->metric) != N_EVENTS && !(track_means(t, spans_one(&b->run->span)).max > 0)) /* likewise */
		return;
	if (track_known_time(t, d->when) <= 0)
		return;
	h->heard[witness] = true;
	h->is_moved |= is_moved;
	h->is_in_place |= !is_moved;
}

static struct hearing hear(const struct build *b, const struct draft *d)
{
	struct hearing h = { .is_assumed = false };

	for (size_t i = 0; i < b->run->n_tracks; i++) {
		const struct track *t = b->run->tracks[i];
		if (!is_asked(d->rule, t->metric) || is_only_a_step(d->rule, t->metric) || !is_in_reach(d, b->run, t->entity))
			continue;
		if (t->assumed)
			h.is_assumed = true;
		else
			hear_track(b, d, t, &h);
	}
	return h;
}

/* Who needs nobody to confirm it, in words; or NULL. */
static const char *plain_word(const struct draft *d, const bool *heard)
{
	if (heard[WITNESS_KERNEL])
		return "the kernel's log says so";
	if (heard[WITNESS_ROWS] || d->rule->about_holes)
		return "the rows of the log show it";
	return heard[WITNESS_FLAGS] && d->rule->by_driver_flag ? "the driver's own flags say so" : NULL;
}

static bool are_logs(const bool *heard)
{
	bool all = true;

	for (size_t w = 0; w < N_WITNESSES; w++)
		all &= !heard[w] || witnesses[w].whose;
	return all;
}

/* "two independent logs agree, the GPU's and the host's" */
static const char *agreement(struct build *b, const bool *heard, size_t *n)
{
	static const char *const counts[N_WITNESSES + 1] = { "no", "one", "two", "three", "four", "five", "six", "seven", "eight" };
	const bool all_logs = are_logs(heard);
	const char *names[N_WITNESSES];
	size_t k = 0, last = 0;

	for (size_t w = 0; w < N_WITNESSES; w++) {
		if (!heard[w])
			continue;
		names[k++] = all_logs ? witnesses[w].whose : witnesses[w].name;
		last = w;
	}
	*n = k;
	if (!k)
		return "no log tells of it directly";
	if (k == 1)
		return arena_print(b->mem, "judged by %s alone", witnesses[last].name);
	return arena_print(b->mem, "%s independent %s agree, %s", counts[k], all_logs ? "logs" : "witnesses",
		joined(b->mem, names, k, ", ", " and "));
}

double coverage_of(const struct draft *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		sum += d->verdicts[i]->coverage;
	return sum / (double)d->n_verdicts;
}

/* Does what was seen of any of them, by what the rule says itself, leave room for something else? */
static bool is_in_doubt(const struct draft *d)
{
	const struct evidence_row *const asked = d->rule->doubt_if;

	for (size_t i = 0; asked && i < d->n_verdicts; i++)
		if (d->verdicts[i]->evidence[asked - d->rule->evidence].value >= 1)
			return true;
	return false;
}

struct sureness sureness_of(struct build *b, const struct draft *d)
{
	size_t n;

	const struct hearing h = hear(b, d);
	const char *const word = plain_word(d, h.heard), *const others = agreement(b, h.heard, &n);
	const double coverage = coverage_of(d);
	const bool is_thin = coverage < d->rule->min_coverage, is_open = !word && (has_open_rival(b, d) || is_in_doubt(d));
	const bool is_guessed = h.is_moved && h.is_in_place;
	const int level = (word || n > 1 ? 2 : n == 1) - is_thin - is_open - h.is_assumed - 2 * is_guessed;
	const char *lacks[4];
	size_t n_lacks = 0;

	if (is_thin)
		lacks[n_lacks++] = arena_print(
			b->mem, "what the rule needs is logged for only %s of the time", present_text(b->mem, coverage));
	if (is_open)
		lacks[n_lacks++] = "another explanation is not ruled out";
	if (h.is_assumed)
		lacks[n_lacks++] = "a limit is from the table of cards";
	if (is_guessed)
		lacks[n_lacks++] = "that their clocks belong together is a guess";
	const char *const but = n_lacks == 0 ? "" : word || n > 1 ? ", but " : n_lacks > 1 ? ", " : ", and ";
	return (struct sureness){
		.level = level > 1 ? CONFIDENCE_HIGH : level == 1 ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW,
		.reason = arena_print(b->mem, "%s%s%s", word ? word : others, but, joined(b->mem, lacks, n_lacks, ", ", " and ")),
		.caps = !word && (level < 1 || (level == 1 && is_thin)),
	};
}

const char *confidence_name(enum confidence confidence)
{
	static const char *const names[] = { [CONFIDENCE_LOW] = "low", [CONFIDENCE_MEDIUM] = "medium", [CONFIDENCE_HIGH] = "high" };

	return names[confidence];
}
