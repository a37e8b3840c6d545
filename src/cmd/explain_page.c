/*
 * explain_page.c - makes the model of templates/explain.txt.tmpl, which is printed.
 *
 *     VERDICT   GPU 0: clear
 *     JUDGED    steady, 01:49:43 to 01:50:44, 1 min 01 s in all; 100 % of it known, 80 % needed
 *
 *     WHEN
 *       gpu.util < low and host.cpu.busy > full
 *               ....######....?????.....+.....
 *               yes 20 %, no 64 %, not known 16 %
 *
 * Every line of the page has the same columns of time, those of the whole run, so that they can be read one below the other. What
 * is not judged is blank; a column is '#' only when all of it that is judged is YES, and '+' when any of it is: a short
 * stretch must not vanish.
 */
#include "cmd/explain_page.h"

#include "base/diag.h"
#include "cmd/print.h"
#include "metric/record.h"

#include <math.h>

#define TEMPLATE "templates/explain.txt.tmpl"
#define PAGE_MAX_BYTES ((size_t)4 << 20)
#define CELLS 64
#define MOST_WINDOWS 5
#define MOST_INDENT 5 /* levels of nesting that are shown as such */

struct page_param {
	const char *name;
	struct quantity value;
	bool is_set;
};
struct page_window {
	const char *begin, *end;
	double seconds;
};
struct page_part {
	const char *indent, *text, *line, *missing;
	bool is_untold, opens_when, opens_clear, is_condition, is_yes, is_no, is_unknown;
	bool has_values, is_constant, has_nearest, has_shares, is_partly_known;
	double yes, no, unknown;
	struct quantity lowest, typical, highest, nearest, threshold;
	const char *nearest_at;
};
struct page_step {
	bool is_condition, is_bridged, is_held, is_counted, is_several;
	bool is_measured; /* against `for` */
	const char *line;
	size_t n;
	double seconds, longest_seconds;
};
struct page_missing {
	const char *name, *unrecorded;
};
struct page {
	const char *rule, *checked, *path, *severity, *scope, *clear, *phases, *min_coverage;
	const char *hold, *longest, *keep, *merge_gap, *max_gap, *excluders;
	bool has_keep, is_whole, has_lines;
	struct page_param *params;
	size_t n_params;
	const char *entity, *reason, *excluded_by, *others, *coverage;
	bool is_fired, is_clear, is_unknown, is_skipped, has_judged;
	struct page_window *windows;
	size_t n_windows, n_windows_left;
	double yes_seconds, judged_seconds, column_seconds;
	const char *judged_begin, *judged_end, *axis;
	struct page_part *parts;
	size_t n_parts;
	struct page_step *steps;
	size_t n_steps;
	struct page_missing *missing;
	size_t n_missing;
	struct texts commands;
};

static const struct field param_rows[] = {
	FIELD(struct page_param, name, TEXT),
	FIELD(struct page_param, value, QUANTITY),
	FIELD(struct page_param, is_set, BOOL),
};
static const struct fields param_fields = FIELDS("param", struct page_param, param_rows);

static const struct field window_rows[] = {
	FIELD(struct page_window, begin, TEXT),
	FIELD(struct page_window, end, TEXT),
	FIELD(struct page_window, seconds, NUMBER),
};
static const struct fields window_fields = FIELDS("window", struct page_window, window_rows);

static const struct field part_rows[] = {
	FIELD(struct page_part, indent, TEXT),
	FIELD(struct page_part, text, TEXT),
	FIELD(struct page_part, line, TEXT),
	FIELD(struct page_part, missing, TEXT),
	FIELD(struct page_part, is_untold, BOOL),
	FIELD(struct page_part, opens_when, BOOL),
	FIELD(struct page_part, opens_clear, BOOL),
	FIELD(struct page_part, has_shares, BOOL),
	FIELD(struct page_part, is_partly_known, BOOL),
	FIELD(struct page_part, yes, NUMBER),
	FIELD(struct page_part, no, NUMBER),
	FIELD(struct page_part, unknown, NUMBER),
	FIELD(struct page_part, is_condition, BOOL),
	FIELD(struct page_part, is_yes, BOOL),
	FIELD(struct page_part, is_no, BOOL),
	FIELD(struct page_part, is_unknown, BOOL),
	FIELD(struct page_part, has_values, BOOL),
	FIELD(struct page_part, is_constant, BOOL),
	FIELD(struct page_part, lowest, QUANTITY),
	FIELD(struct page_part, typical, QUANTITY),
	FIELD(struct page_part, highest, QUANTITY),
	FIELD(struct page_part, has_nearest, BOOL),
	FIELD(struct page_part, nearest, QUANTITY),
	FIELD(struct page_part, threshold, QUANTITY),
	FIELD(struct page_part, nearest_at, TEXT),
};
static const struct fields part_fields = FIELDS("part", struct page_part, part_rows);

static const struct field step_rows[] = {
	FIELD(struct page_step, is_condition, BOOL),
	FIELD(struct page_step, is_bridged, BOOL),
	FIELD(struct page_step, is_held, BOOL),
	FIELD(struct page_step, is_counted, BOOL),
	FIELD(struct page_step, is_several, BOOL),
	FIELD(struct page_step, is_measured, BOOL),
	FIELD(struct page_step, line, TEXT),
	FIELD(struct page_step, n, ORDINAL),
	FIELD(struct page_step, seconds, NUMBER),
	FIELD(struct page_step, longest_seconds, NUMBER),
};
static const struct fields step_fields = FIELDS("step", struct page_step, step_rows);

static const struct field missing_rows[] = {
	FIELD(struct page_missing, name, TEXT),
	FIELD(struct page_missing, unrecorded, TEXT),
};
static const struct fields missing_fields = FIELDS("missing metric", struct page_missing, missing_rows);

static const struct field page_rows[] = {
	FIELD(struct page, rule, TEXT),
	FIELD(struct page, checked, TEXT),
	FIELD(struct page, path, TEXT),
	FIELD(struct page, severity, TEXT),
	FIELD(struct page, scope, TEXT),
	FIELD(struct page, clear, TEXT),
	FIELD(struct page, phases, TEXT),
	FIELD(struct page, min_coverage, TEXT),
	FIELD(struct page, hold, TEXT),
	FIELD(struct page, longest, TEXT),
	FIELD(struct page, keep, TEXT),
	FIELD(struct page, merge_gap, TEXT),
	FIELD(struct page, max_gap, TEXT),
	FIELD(struct page, excluders, TEXT),
	FIELD(struct page, has_keep, BOOL),
	FIELD(struct page, is_whole, BOOL),
	FIELD(struct page, has_lines, BOOL),
	LIST(struct page, params, param_fields),
	FIELD(struct page, entity, TEXT),
	FIELD(struct page, is_fired, BOOL),
	FIELD(struct page, is_clear, BOOL),
	FIELD(struct page, is_unknown, BOOL),
	FIELD(struct page, is_skipped, BOOL),
	FIELD(struct page, reason, TEXT),
	FIELD(struct page, excluded_by, TEXT),
	FIELD(struct page, others, TEXT),
	LIST(struct page, windows, window_fields),
	FIELD(struct page, n_windows_left, ORDINAL),
	FIELD(struct page, has_judged, BOOL),
	FIELD(struct page, judged_begin, TEXT),
	FIELD(struct page, judged_end, TEXT),
	FIELD(struct page, judged_seconds, NUMBER),
	FIELD(struct page, yes_seconds, NUMBER),
	FIELD(struct page, coverage, TEXT),
	FIELD(struct page, axis, TEXT),
	FIELD(struct page, column_seconds, NUMBER),
	LIST(struct page, parts, part_fields),
	LIST(struct page, steps, step_fields),
	LIST(struct page, missing, missing_fields),
	FIELD(struct page, commands, TEXTS),
};
static const struct fields page_fields = FIELDS("explanation", struct page, page_rows);

struct making {
	struct arena *mem;
	const struct run *run;
	const struct verdicts *all;
	const struct verdict *v;
	struct explanation e;
	struct page *page;
};

static double seconds_of(time_ms length)
{
	return (double)length / SECOND_MS;
}

/* "0 s" where duration_text says it in words for people who wait. */
static const char *length_text(struct arena *mem, time_ms length)
{
	return length ? duration_text(mem, seconds_of(length)) : "0 s";
}

static const char *phases_text(struct arena *mem, unsigned mask)
{
	const unsigned logged = ((1U << N_PHASES) - 1) & ~(1U << PHASE_UNSEEN);
	const char *names[N_PHASES];
	size_t n = 0;

	for (unsigned p = 0; p < N_PHASES; p++)
		if (mask & 1U << p)
			names[n++] = phase_name((enum phase)p);
	return (mask & logged) == logged ? "the whole run" : names_listed(mem, names, n);
}

static struct span cell_span(const struct run *run, size_t i)
{
	const double width = (double)span_length(run->span) / CELLS;

	return (struct span){ run->span.begin + (time_ms)(width * (double)i), run->span.begin + (time_ms)(width * (double)(i + 1)) };
}

static char sign_of(const struct making *m, struct truths line, struct span cell, struct arena *scratch)
{
	const struct spans judged = spans_intersection(scratch, m->e.judged, spans_one(&cell));
	const time_ms all = spans_length(judged), yes = truths_length(line, YES, judged);

	if (!all)
		return ' ';
	if (yes)
		return yes == all ? '#' : '+';
	return truths_length(line, UNKNOWN, judged) * 2 > all ? '?' : '.';
}

static const char *line_text(const struct making *m, struct truths line)
{
	char signs[CELLS];
	struct arena scratch;

	if (!line.n || !m->e.judged.n)
		return NULL;
	arena_init(&scratch);
	for (size_t i = 0; i < CELLS; i++)
		signs[i] = sign_of(m, line, cell_span(m->run, i), &scratch);
	arena_release(&scratch);
	size_t n = CELLS;
	while (n && signs[n - 1] == ' ')
		n--;
	return arena_text(m->mem, signs, n);
}

/* The day too, where the run has several. */
static const char *moment_text(const struct making *m, time_ms t)
{
	if (span_length(m->run->span) < DAY_MS)
		return time_clock(m->mem, t);
	return arena_print(m->mem, "%s %s", time_date(m->mem, t), time_clock(m->mem, t));
}

/* When the first column begins and the last one ends. */
static const char *axis_text(const struct making *m)
{
	char text[CELLS];
	const char *begin = moment_text(m, m->run->span.begin), *end = moment_text(m, m->run->span.end);

	memset(text, ' ', CELLS);
	memcpy(text, begin, strlen(begin));
	memcpy(text + CELLS - strlen(end), end, strlen(end));
	return arena_text(m->mem, text, CELLS);
}

static void tell_rule(struct making *m)
{
	static const char *const scopes[] = {
		[SCOPE_RUN] = "the run", [SCOPE_HOST] = "each host", [SCOPE_GPU] = "each GPU", [SCOPE_CORE] = "each core"
	};
	const struct rule *rule = m->v->rule;
	struct page *p = m->page;

	p->rule = rule->id;
	p->checked = rule->checked;
	p->path = rule->path;
	p->severity = severity_name(rule->severity);
	p->scope = scopes[rule->scope];
	p->is_whole = rule->kind == RULE_WHOLE;
	p->phases = phases_text(m->mem, rule->during);
	p->min_coverage = percent_text(m->mem, rule->min_coverage);
	p->hold = length_text(m->mem, rule->hold);
	p->keep = length_text(m->mem, rule->keep);
	p->merge_gap = length_text(m->mem, rule->merge_gap);
	p->max_gap = length_text(m->mem, rule->max_gap);
	p->has_keep = rule->keep > 0;
	p->excluders = names_listed(m->mem, rule->excluded_by.at, rule->excluded_by.n);
	p->params = NEW_ARRAY(m->mem, struct page_param, rule->n_params);
	p->n_params = rule->n_params;
	for (size_t i = 0; i < rule->n_params; i++)
		p->params[i] = (struct page_param){ arena_text(m->mem, rule->params[i].name.p, rule->params[i].name.n),
			rule->params[i].value, rule->params[i].set };
}

/* "6 clear, 1 unknown"; NULL when the rule has no other entity. */
static const char *others_text(const struct making *m)
{
	size_t counts[OUTCOME_SKIPPED + 1] = { 0 };
	const char *text = NULL;

	for (size_t i = 0; i < m->all->n; i++)
		if (m->all->at[i].rule == m->v->rule && &m->all->at[i] != m->v)
			counts[m->all->at[i].outcome]++;
	for (size_t i = 0; i <= OUTCOME_SKIPPED; i++)
		if (counts[i])
			text = arena_print(m->mem, "%s%s%zu %s", text ? text : "", text ? ", " : "", counts[i],
				outcome_name((enum outcome)i));
	return text;
}

/* The host is named where the run has several. */
static const char *entity_text(const struct making *m)
{
	const struct entity *e = m->v->entity;

	if (!e)
		return NULL;
	if (m->run->n_hosts < 2 || e->scope == SCOPE_HOST)
		return entity_label(m->mem, e);
	return arena_print(m->mem, "%s of %s", entity_label(m->mem, e), e->host);
}

static void tell_windows(struct making *m)
{
	const struct spans when = m->v->when;
	struct page *p = m->page;

	p->n_windows = when.n < MOST_WINDOWS ? when.n : MOST_WINDOWS;
	p->n_windows_left = when.n - p->n_windows;
	p->windows = NEW_ARRAY(m->mem, struct page_window, p->n_windows);
	for (size_t i = 0; i < p->n_windows; i++)
		p->windows[i] = (struct page_window){ moment_text(m, when.at[i].begin), moment_text(m, when.at[i].end),
			seconds_of(span_length(when.at[i])) };
	p->yes_seconds = seconds_of(spans_length(when));
}

static void tell_verdict(struct making *m)
{
	const struct verdict *v = m->v;
	const struct spans judged = m->e.judged;
	struct page *p = m->page;

	p->entity = entity_text(m);
	p->is_fired = v->outcome == OUTCOME_FIRED;
	p->is_clear = v->outcome == OUTCOME_CLEAR;
	p->is_unknown = v->outcome == OUTCOME_UNKNOWN;
	p->is_skipped = v->outcome == OUTCOME_SKIPPED;
	p->reason = v->reason;
	p->longest = v->rule->hold && v->longest ? length_text(m->mem, v->longest) : NULL;
	p->excluded_by = v->excluded_by ? v->excluded_by->id : NULL;
	p->others = others_text(m);
	p->coverage = isnan(v->coverage) ? NULL : percent_text(m->mem, v->coverage);
	tell_windows(m);
	p->has_judged = judged.n > 0;
	if (!judged.n)
		return;
	p->judged_begin = moment_text(m, judged.at[0].begin);
	p->judged_end = moment_text(m, judged.at[judged.n - 1].end);
	p->judged_seconds = seconds_of(spans_length(judged));
	p->axis = axis_text(m);
	p->column_seconds = seconds_of(span_length(m->run->span)) / CELLS;
}

static const char *indent_text(unsigned level)
{
	static const char blanks[2 * MOST_INDENT + 1] = "          ";

	return blanks + 2 * (MOST_INDENT - (level < MOST_INDENT ? level : MOST_INDENT));
}

/* Texts of a rule may go over several lines of its file. */
static const char *one_line(struct arena *mem, const char *text)
{
	char *copy = arena_text(mem, text, strlen(text));

	for (char *c = copy; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	return copy;
}

/* What a counter shows depends on when it began to count. */
static bool is_counter(const char *text)
{
	enum metric metric;

	return metric_find(slice_of(text), &metric) && metric_table[metric].kind == KIND_COUNTER;
}

/* A condition that is the same all the time needs no line, unless it is the whole condition of something that may change. */
static void tell_truth(const struct making *m, const struct explained_part *x, struct page_part *part, time_ms all)
{
	const time_ms yes = truths_length(x->line, YES, m->e.judged), unknown = truths_length(x->line, UNKNOWN, m->e.judged);

	part->yes = (double)yes / (double)all;
	part->unknown = (double)unknown / (double)all;
	part->no = fmax(0, 1 - part->yes - part->unknown);
	part->is_yes = yes == all;
	part->is_no = !yes && !unknown;
	part->is_unknown = unknown == all;
	part->has_shares = !part->is_yes && !part->is_no && !part->is_unknown;
	part->is_partly_known = unknown > 0;
	part->has_nearest = !isnan(x->nearest.value) && !isnan(x->threshold.value) && (part->yes <= 0 || part->no <= 0);
	if (part->has_shares || (!x->level && !m->page->is_whole))
		part->line = line_text(m, x->line);
}

static struct page_part part_of(const struct making *m, const struct explained_part *x)
{
	const time_ms all = spans_length(m->e.judged);
	struct page_part part = {
		.indent = indent_text(x->level),
		.text = one_line(m->mem, x->text),
		.missing = x->missing,
		.is_untold = x->is_untold,
		.is_condition = x->is_condition,
		.has_values = !x->is_condition && !isnan(x->typical.value) && !is_counter(x->text),
		.is_constant = x->lowest.value >= x->highest.value,
		.lowest = x->lowest,
		.typical = x->typical,
		.highest = x->highest,
		.nearest = x->nearest,
		.threshold = x->threshold,
		.nearest_at = x->nearest_at == TIME_UNKNOWN ? NULL : moment_text(m, x->nearest_at),
	};

	if (x->is_condition && x->line.n && all)
		tell_truth(m, x, &part, all);
	return part;
}

static void tell_parts(struct making *m)
{
	struct page *p = m->page;

	p->n_parts = m->e.n_parts;
	p->parts = NEW_ARRAY(m->mem, struct page_part, m->e.n_parts);
	for (size_t i = 0; i < m->e.n_parts; i++) {
		p->parts[i] = part_of(m, &m->e.parts[i]);
		p->parts[i].opens_when = i == 0;
		p->parts[i].opens_clear = i == m->e.n_when_parts && i;
		if (i && p->parts[i].has_values && p->parts[i].is_constant) /* of what never changes nothing comes nearer */
			p->parts[i - 1].has_nearest = false;
	}
	for (size_t i = 0; i < p->n_parts; i++)
		p->has_lines |= p->parts[i].line != NULL;
	if (m->e.n_when_parts < m->e.n_parts)
		p->clear = p->parts[m->e.n_when_parts].text;
}

static struct page_step step_of(const struct making *m, struct truths line)
{
	const struct spans yes = spans_intersection(m->mem, truths_spans(m->mem, line, YES), m->e.judged);
	struct page_step step = {
		.line = line_text(m, line),
		.n = yes.n,
		.is_several = yes.n > 1,
		.seconds = seconds_of(spans_length(yes)),
	};

	for (size_t i = 0; i < yes.n; i++)
		step.longest_seconds = fmax(step.longest_seconds, seconds_of(span_length(yes.at[i])));
	return step;
}

static struct page_step *add_step(struct making *m, struct truths line)
{
	struct page_step *step = &m->page->steps[m->page->n_steps++];

	*step = step_of(m, line);
	return step;
}

/* What the keys of the rule made of the condition; those that it does not have made nothing of it. */
static void tell_steps(struct making *m)
{
	const struct rule *rule = m->v->rule;
	struct page_step *last;

	m->page->steps = NEW_ARRAY(m->mem, struct page_step, 4);
	if (rule->kind == RULE_WHOLE || m->v->outcome == OUTCOME_SKIPPED || !m->e.condition.n || !m->e.judged.n)
		return;
	last = add_step(m, m->e.condition);
	last->is_condition = true;
	if (last->n && (rule->merge_gap || rule->max_gap)) {
		last = add_step(m, m->e.bridged);
		last->is_bridged = true;
	}
	if (last->n && rule->excluded_by.n) {
		last = add_step(m, m->e.counted);
		last->is_counted = true;
	}
	if (!last->n || (!rule->hold && !rule->keep)) /* of nothing nothing is left */
		return;
	last->is_measured = rule->hold > 0;
	add_step(m, m->e.held)->is_held = true;
}

static void tell_missing(struct making *m)
{
	struct page *p = m->page;

	p->n_missing = m->e.n_missing;
	p->missing = NEW_ARRAY(m->mem, struct page_missing, m->e.n_missing);
	for (size_t i = 0; i < m->e.n_missing; i++)
		p->missing[i] = (struct page_missing){ metric_table[m->e.missing[i]].name, record_unrecorded(m->e.missing[i]) };
	p->commands = record_commands(m->mem, m->e.missing, m->e.n_missing);
}

int explain_print(struct arena *mem, const struct run *run, const struct verdicts *all, const struct verdict *v)
{
	struct page page = { 0 };
	struct making m = { mem, run, all, v, rule_explain(mem, run, all, v), &page };

	tell_rule(&m);
	tell_verdict(&m);
	tell_parts(&m);
	tell_steps(&m);
	tell_missing(&m);
	return print_page(TEMPLATE, (struct view){ &page, &page_fields }, PAGE_MAX_BYTES);
}
