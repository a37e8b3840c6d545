/*
 * log_better.c - what to log next time: the fewest commands that would have let rules be judged that could not be.
 *
 *     mpstat -P ALL 1
 *         to judge a single busy core
 *
 * Only rules that can warn are asked: for a note nobody needs another log. What a rule lacks is said by the rule itself
 * (rule_missing), which command logs it by metric/record.def; what the run has of it already is not asked for again. What only the job
 * can tell, or is told of the logs, no command logs.
 */
#include "report/report_parts.h"

#include "metric/record.h"

struct lack { /* of one rule */
	const struct rule *rule;
	bool metrics[N_METRICS]; /* that commands log */
};

static bool asked_for(const struct recording *rec, enum metric metric)
{
	for (size_t c = 0; c < rec->n_channels; c++)
		for (size_t k = 0; k < rec->channels[c].n_columns; k++) {
			const enum metric has = rec->channels[c].columns[k].metric;
			if (has == metric || record_is_beside(rec->format->name, has, metric))
				return true;
		}
	return false;
}

/*
 * A column without any value was asked for, and so was what a command tells with something else that its log has: the card or the driver
 * has none, and asking again would not help.
 */
static bool was_asked_for(const struct run *run, enum metric metric)
{
	for (size_t r = 0; r < run->n_recordings; r++)
		if (asked_for(run->recordings[r], metric))
			return true;
	return false;
}

/* As far as a log of the verdict's GPU, of its host or of anybody would do. */
static bool is_of(const struct build *b, const struct entity *who, const struct track *t)
{
	if (!who)
		return true;
	const bool same = t->entity == who || t->entity->scope != who->scope;
	return same && (b->run->n_hosts < 2 || run_host(b->run, t->entity) == run_host(b->run, who));
}

/* Or its driver tells something else instead, and it in no log. */
static bool is_logged(const struct build *b, const struct entity *who, enum metric metric)
{
	for (size_t i = 0; i < b->run->n_tracks; i++) {
		const struct track *t = b->run->tracks[i];
		if ((t->metric == metric || (!t->derived && record_is_instead(t->metric, metric))) && is_of(b, who, t))
			return true;
	}
	return false;
}

static bool add_metric(const struct build *b, struct lack *lack, const struct entity *who, enum metric metric)
{
	bool basics[N_METRICS] = { false }, any = false;

	record_basics(basics, metric);
	for (size_t m = 0; m < N_METRICS; m++) {
		if (!basics[m] || is_logged(b, who, (enum metric)m) || (b->run->n_hosts < 2 && was_asked_for(b->run, (enum metric)m)))
			continue;
		lack->metrics[m] = true;
		any = true;
	}
	return any;
}

static bool is_unanswered(const struct verdict *v)
{
	return v->outcome == OUTCOME_SKIPPED || v->outcome == OUTCOME_UNKNOWN;
}

/* Of a rule on GPUs in a run that has none: all of a GPU that its condition names. */
static bool lacks_gpus(const struct build *b, const struct rule *rule, struct lack *lack)
{
	bool any = false;

	if (b->run->n_gpus || rule->scope != SCOPE_GPU)
		return false;
	for (size_t i = 0; i < rule->n_metrics; i++)
		if (metric_table[rule->metrics[i]].scope == SCOPE_GPU)
			any |= add_metric(b, lack, NULL, rule->metrics[i]);
	return any;
}

/* False when the rule was answered, fired on another entity, or lacks nothing that can be logged. */
static bool lack_of(const struct build *b, const struct rule *rule, struct lack *lack)
{
	const struct verdicts verdicts = verdicts_of(b, rule);
	bool any = false;

	*lack = (struct lack){ .rule = rule };
	if (rule->severity == SEVERITY_NOTE)
		return false;
	for (size_t i = 0; i < verdicts.n; i++) {
		const struct verdict *v = &verdicts.at[i];
		bool missing[N_METRICS] = { false };
		if (v->outcome == OUTCOME_FIRED)
			return false;
		if (any || !is_unanswered(v)) /* what the first one lacks is told: hundreds of cores lack the same */
			continue;
		rule_missing(b->run, v, missing);
		for (size_t m = 0; m < N_METRICS; m++)
			if (missing[m])
				any |= add_metric(b, lack, v->entity, (enum metric)m);
	}
	return any || lacks_gpus(b, rule, lack);
}

static size_t all_metrics(const struct lack *lacks, size_t n_lacks, enum metric *metrics)
{
	size_t n = 0;

	for (size_t m = 0; m < N_METRICS; m++) {
		bool wanted = false;
		for (size_t i = 0; i < n_lacks; i++)
			wanted |= lacks[i].metrics[m];
		if (wanted)
			metrics[n++] = (enum metric)m;
	}
	return n;
}

static bool is_for(const struct record_choice *choice, const struct lack *lack)
{
	for (size_t i = 0; i < choice->n_metrics; i++)
		if (lack->metrics[choice->metrics[i]])
			return true;
	return false;
}

#define COMMAND_WIDTH ((size_t)72) /* of the 80 columns: an indent before it, a backslash behind it */

/* Of a command as long as that: up to a blank, else behind a comma. */
static size_t line_length(const char *command)
{
	const size_t n = strlen(command);
	size_t at_comma = 0;

	if (n <= COMMAND_WIDTH)
		return n;
	for (size_t i = COMMAND_WIDTH; i > 0; i--) {
		if (command[i] == ' ')
			return i;
		if (!at_comma && command[i - 1] == ',')
			at_comma = i;
	}
	return at_comma ? at_comma : strcspn(command, " ");
}

/* As it can be given to a shell: within a word the next line begins at once. */
static struct texts command_lines(struct arena *mem, const char *command)
{
	const char **lines = NEW_ARRAY(mem, const char *, strlen(command) + 1);
	const char *rest = command, *indent = "  ";
	size_t n_lines = 0;

	while (*rest) {
		const size_t n = line_length(rest);
		const bool is_word = rest[n] && rest[n] != ' ';
		lines[n_lines++] = arena_print(mem, "%s%.*s%s", indent, (int)n, rest, is_word ? "\\" : rest[n] ? " \\" : "");
		indent = is_word ? "" : "      ";
		rest += n + (rest[n] == ' ');
	}
	return (struct texts){ lines, n_lines };
}

static struct better_log better_log_of(struct build *b, const struct record_choice *choice, const struct lack *lacks, size_t n_lacks)
{
	const char **metrics = NEW_ARRAY(b->mem, const char *, choice->n_metrics), **rules = NEW_ARRAY(b->mem, const char *, n_lacks),
		   **checked = NEW_ARRAY(b->mem, const char *, n_lacks);
	size_t n = 0;

	for (size_t i = 0; i < choice->n_metrics; i++)
		metrics[i] = metric_table[choice->metrics[i]].name;
	for (size_t i = 0; i < n_lacks; i++) {
		if (!is_for(choice, &lacks[i]))
			continue;
		checked[n] = lacks[i].rule->checked;
		rules[n++] = lacks[i].rule->id;
	}
	return (struct better_log){
		.command = choice->command,
		.metrics = { metrics, choice->n_metrics },
		.rules = { rules, n },
		.lines = command_lines(b->mem, choice->command),
		.settles = joined(b->mem, checked, n, ", ", ", "),
	};
}

void build_log_better(struct build *b)
{
	struct lack *lacks = NEW_ARRAY(b->mem, struct lack, b->rules->n);
	enum metric metrics[N_METRICS];
	size_t n_lacks = 0, n_choices;

	for (size_t r = 0; r < b->rules->n; r++)
		n_lacks += lack_of(b, b->rules->at[r], &lacks[n_lacks]);
	const size_t n_metrics = all_metrics(lacks, n_lacks, metrics);
	const struct record_choice *choices = record_choose(b->mem, metrics, n_metrics, &n_choices);
	struct better_log *logs = NEW_ARRAY(b->mem, struct better_log, n_choices);
	for (size_t i = 0; i < n_choices; i++)
		logs[i] = better_log_of(b, &choices[i], lacks, n_lacks);
	b->report->log_better = logs;
	b->report->n_log_better = n_choices;
}
