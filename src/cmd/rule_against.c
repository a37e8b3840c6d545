/*
 * rule_against.c - `postrun rules check --against RUN/`: the rules are judged, and asked what they had to judge by.
 *
 *     gpu-hot                     yes
 *     gpu-starved-by-one-core     no
 *         not logged: core.busy
 *     gpu-low-use                 in part
 *         GPU 2: not logged: gpu.util
 *
 * A rule is answered for an entity when it fired there or is clear; its verdict's reason tells why not. An answer is in part when it
 * was given without a metric that the condition names (one side of an `or`), or from samples so far apart that what the rule waits
 * for can pass between them.
 */
#include "cmd/rule_against.h"

#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/print.h"
#include "metric/record.h"

#define TEMPLATE "templates/against.txt.tmpl"
#define PAGE_MAX_BYTES ((size_t)4 << 20)
#define NOTES_MOST 3
/* A stretch is seen for sure, and its length told to about a third, by three samples in it. */
#define SAMPLES_LEAST 3

struct against_note {
	const char *who; /* NULL: all that the rule is asked of */
	const char *reason, *missing;
	bool is_coarse;
	double step_seconds, hold_seconds, needed_seconds;
};
struct against_rule {
	const char *id;
	bool is_yes, is_part, is_no;
	struct against_note *notes;
	size_t n_notes;
};
struct against_missing {
	const char *name, *unrecorded;
};
struct against {
	struct against_rule *rules;
	size_t n_rules, n_yes, n_part, n_no;
	struct against_missing *missing;
	size_t n_missing;
	struct texts commands;
};

static const struct field note_rows[] = {
	FIELD(struct against_note, who, TEXT),
	FIELD(struct against_note, reason, TEXT),
	FIELD(struct against_note, missing, TEXT),
	FIELD(struct against_note, is_coarse, BOOL),
	FIELD(struct against_note, step_seconds, NUMBER),
	FIELD(struct against_note, hold_seconds, NUMBER),
	FIELD(struct against_note, needed_seconds, NUMBER),
};
static const struct fields note_fields = FIELDS("note", struct against_note, note_rows);

static const struct field rule_rows[] = {
	FIELD(struct against_rule, id, TEXT),
	FIELD(struct against_rule, is_yes, BOOL),
	FIELD(struct against_rule, is_part, BOOL),
	FIELD(struct against_rule, is_no, BOOL),
	LIST(struct against_rule, notes, note_fields),
};
static const struct fields rule_fields = FIELDS("rule", struct against_rule, rule_rows);

static const struct field missing_rows[] = {
	FIELD(struct against_missing, name, TEXT),
	FIELD(struct against_missing, unrecorded, TEXT),
};
static const struct fields missing_fields = FIELDS("missing metric", struct against_missing, missing_rows);

static const struct field against_rows[] = {
	LIST(struct against, rules, rule_fields),
	FIELD(struct against, n_rules, COUNT),
	FIELD(struct against, n_yes, COUNT),
	FIELD(struct against, n_part, COUNT),
	FIELD(struct against, n_no, COUNT),
	LIST(struct against, missing, missing_fields),
	FIELD(struct against, commands, TEXTS),
};
static const struct fields against_fields = FIELDS("answers", struct against, against_rows);

struct making {
	struct arena *mem;
	const struct run *run;
	const struct verdicts *all;
	bool missing[N_METRICS];
};

/* Of one scope: the entities of the run that a rule on `who` can look at for a metric. */
static const struct entity *const *entities_for(const struct making *m, const enum scope scope, size_t *n)
{
	*n = scope == SCOPE_GPU ? m->run->n_gpus : scope == SCOPE_HOST ? m->run->n_hosts : scope == SCOPE_CORE ? m->run->n_cores : 0;
	return scope == SCOPE_GPU ? m->run->gpus : scope == SCOPE_HOST ? m->run->hosts : m->run->cores;
}

/* `who` is NULL for the run as a whole, which sees everybody's; else the entity itself, its host, or the cores and GPUs of its host. */
static bool is_seen(const struct making *m, const struct entity *who, const struct entity *e)
{
	if (!who || who == e)
		return true;
	if (who->scope == e->scope)
		return false;
	return run_host(m->run, who) == run_host(m->run, e) || m->run->n_hosts < 2;
}

/* The track that a rule on `who` has of the metric, of several the one with the longest step; NULL: no log has it. */
static const struct track *track_for(const struct making *m, const struct entity *who, enum metric metric)
{
	const struct track *slowest = NULL;
	size_t n;
	const struct entity *const *entities = entities_for(m, metric_table[metric].scope, &n);

	if (metric_table[metric].scope == SCOPE_RUN)
		return run_job(m->run) ? run_track(m->run, run_job(m->run), metric) : NULL;
	for (size_t i = 0; i < n; i++) {
		const struct track *t = is_seen(m, who, entities[i]) ? run_track(m->run, entities[i], metric) : NULL;

		if (t && (!slowest || t->step > slowest->step))
			slowest = t;
	}
	return slowest;
}

/* Whether a rule's condition can need a log for it: what is told of logs, or in words when it happens, is never missing. */
static bool is_measured(enum metric metric)
{
	return metric_table[metric].kind != KIND_FACT;
}

/* "core.busy, gpu.temp_margin"; NULL when all are logged. They are remembered for the commands. */
static const char *missing_text(struct making *m, const struct verdict *v)
{
	const char *text = NULL;

	for (size_t i = 0; i < v->rule->n_metrics; i++) {
		const enum metric metric = v->rule->metrics[i];

		if (!is_measured(metric) || track_for(m, v->entity, metric))
			continue;
		m->missing[metric] = true;
		text = arena_print(m->mem, "%s%s%s", text ? text : "", text ? ", " : "", metric_table[metric].name);
	}
	return text;
}

static time_ms longest_step(const struct making *m, const struct verdict *v)
{
	time_ms longest = 0;

	for (size_t i = 0; i < v->rule->n_metrics; i++) {
		const struct track *t = is_measured(v->rule->metrics[i]) ? track_for(m, v->entity, v->rule->metrics[i]) : NULL;

		longest = t && t->step > longest ? t->step : longest;
	}
	return longest;
}

/* A flag of the driver is a state, seen or not by a single sample, and a hole shows in any log that has a rhythm. */
static bool is_too_coarse(const struct rule *rule, time_ms step)
{
	return rule->hold && !rule->by_driver_flag && !rule->about_holes && step * SAMPLES_LEAST > rule->hold;
}

static bool is_answered(const struct verdict *v)
{
	return v->outcome == OUTCOME_FIRED || v->outcome == OUTCOME_CLEAR;
}

/* What is wrong with one answer; false when nothing is. `who` is left open. */
static bool note_of(struct making *m, const struct verdict *v, struct against_note *note)
{
	const char *missing = missing_text(m, v);
	const time_ms step = longest_step(m, v);

	*note = (struct against_note){ 0 };
	if (!is_answered(v))
		note->reason = v->reason ? v->reason : missing;
	else if (missing)
		note->missing = missing;
	else if (is_too_coarse(v->rule, step))
		*note = (struct against_note){ .is_coarse = true,
			.step_seconds = (double)step / SECOND_MS,
			.hold_seconds = (double)v->rule->hold / SECOND_MS,
			.needed_seconds = (double)v->rule->hold / SAMPLES_LEAST / SECOND_MS };
	return note->reason || note->missing || note->is_coarse;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_note(const struct against_note *a, const struct against_note *b)
{
	return same_text(a->reason, b->reason) && same_text(a->missing, b->missing) && a->is_coarse == b->is_coarse;
}

struct tally { /* notes of one rule, each with those that it is about */
	struct against_note notes[NOTES_MOST];
	const struct entity *first[NOTES_MOST];
	size_t n_about[NOTES_MOST], n, n_answered, n_entities;
};

static void tally_add(struct tally *t, const struct against_note *note, const struct entity *who)
{
	size_t i = 0;

	while (i < t->n && !same_note(&t->notes[i], note))
		i++;
	if (i == NOTES_MOST) /* many reasons: the first few tell enough */
		return;
	if (i == t->n) {
		t->notes[t->n++] = *note;
		t->first[i] = who;
	}
	t->n_about[i]++;
}

/* "GPU 2", "GPU 2 and 3 more"; NULL when the note is about all of them. */
static const char *who_text(const struct making *m, const struct tally *t, size_t i)
{
	if (t->n_about[i] == t->n_entities || !t->first[i])
		return NULL;
	const char *name = m->run->n_hosts > 1 ? entity_id(m->mem, t->first[i]) : entity_label(m->mem, t->first[i]);
	return t->n_about[i] == 1 ? name : arena_print(m->mem, "%s and %zu more", name, t->n_about[i] - 1);
}

static struct against_rule answer_of(struct making *m, const struct rule *rule)
{
	struct tally t = { .n = 0 };
	struct against_note note;

	for (size_t i = 0; i < m->all->n; i++) {
		const struct verdict *v = &m->all->at[i];

		if (v->rule != rule)
			continue;
		t.n_entities++;
		t.n_answered += is_answered(v);
		if (note_of(m, v, &note))
			tally_add(&t, &note, v->entity);
	}
	if (!t.n_entities) {
		note = (struct against_note){ .reason = arena_print(m->mem, "the run has no %s", scope_name(rule->scope)) };
		tally_add(&t, &note, NULL);
	}
	struct against_rule answer = { .id = rule->id, .notes = NEW_ARRAY(m->mem, struct against_note, t.n), .n_notes = t.n };
	for (size_t i = 0; i < t.n; i++) {
		answer.notes[i] = t.notes[i];
		answer.notes[i].who = who_text(m, &t, i);
	}
	answer.is_no = t.n_answered == 0;
	answer.is_yes = !answer.is_no && t.n == 0;
	answer.is_part = !answer.is_no && t.n > 0;
	return answer;
}

static void tell_missing(struct making *m, struct against *page)
{
	enum metric missing[N_METRICS];
	size_t n = 0;

	page->missing = NEW_ARRAY(m->mem, struct against_missing, N_METRICS);
	for (size_t i = 0; i < N_METRICS; i++) {
		if (!m->missing[i])
			continue;
		missing[n++] = (enum metric)i;
		page->missing[page->n_missing++] = (struct against_missing){ metric_table[i].name, record_unrecorded((enum metric)i) };
	}
	page->commands = record_commands(m->mem, missing, n);
}

static int answer(struct arena *mem, const struct rules *rules, const struct run *run)
{
	const struct verdicts all = rules_judge(rules, run);
	struct making m = { .mem = mem, .run = run, .all = &all };
	struct against page = { .rules = NEW_ARRAY(mem, struct against_rule, rules->n), .n_rules = rules->n };

	for (size_t i = 0; i < rules->n; i++) {
		page.rules[i] = answer_of(&m, rules->at[i]);
		page.n_yes += page.rules[i].is_yes;
		page.n_part += page.rules[i].is_part;
		page.n_no += page.rules[i].is_no;
	}
	tell_missing(&m, &page);
	return print_page(TEMPLATE, (struct view){ &page, &against_fields }, PAGE_MAX_BYTES);
}

int rule_against(struct arena *mem, const struct rules *rules, const struct options *o, struct diags *diags)
{
	struct input_request q;

	if (!read_input_options(o, &q))
		return EXIT_USAGE;
	const char **paths = NEW_ARRAY(mem, const char *, option_count(o, "against"));
	q.n_paths = option_count(o, "against");
	for (size_t i = 0; i < q.n_paths; i++)
		paths[i] = option_at(o, "against", i);
	q.paths = paths;
	const struct run *run = examine_inputs(mem, &q, diags);
	return run ? answer(mem, rules, run) : EXIT_NOTHING;
}
