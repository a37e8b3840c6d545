/*
 * finding_words.c - a finding as it will be read: what, where, when, how sure, at what cost, what to try.
 *
 *     8 GPUs were below 70 % for 12 min: 41 % on average        the rule's own texts, with the values of all its verdicts
 *     10:02:11 - 10:14:20 (12 min), elapsed 0:02 - 0:14         and what is the same for every rule
 */
#include "metric/record.h"
#include "report/report_parts.h"

#include <math.h>

/* Of the entities, each weighted by the time it fired. */
static double mean_evidence(const struct draft *d, size_t k)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < d->n_verdicts; i++) {
		const struct verdict *v = d->verdicts[i];
		const double w = (double)spans_length(v->when);
		if (isnan(v->evidence[k].value))
			continue;
		sum += w * v->evidence[k].value;
		weight += w;
	}
	return weight > 0 ? sum / weight : NAN;
}

static double worse(double a, double b, bool highest)
{
	return highest ? fmax(a, b) : fmin(a, b); /* both pass over NAN */
}

static double worst_evidence(const struct draft *d, size_t k, bool highest)
{
	double worst = NAN;

	for (size_t i = 0; i < d->n_verdicts; i++)
		worst = worse(worst, d->verdicts[i]->evidence[k].value, highest);
	return worst;
}

/* Row k of the entity that has the highest of another row. */
static double evidence_beside(const struct draft *d, size_t k, size_t highest)
{
	const double most = worst_evidence(d, highest, true);

	for (size_t i = 0; i < d->n_verdicts; i++)
		if (d->verdicts[i]->evidence[highest].value >= most)
			return d->verdicts[i]->evidence[k].value;
	return mean_evidence(d, k);
}

static double evidence_of_several(const struct draft *d, size_t k)
{
	const struct evidence_row *const row = &d->rule->evidence[k];

	switch (row->of_several) {
	case OF_SEVERAL_HIGHEST:
	case OF_SEVERAL_LOWEST:
		return worst_evidence(d, k, row->of_several == OF_SEVERAL_HIGHEST);
	case OF_SEVERAL_BESIDE:
		return evidence_beside(d, k, row->beside);
	case OF_SEVERAL_MEAN:
		break;
	}
	return mean_evidence(d, k);
}

/* What its own rule saw on its entities, one value a row of evidence. */
static struct quantity *evidence_of(struct build *b, const struct draft *d)
{
	const size_t n = d->rule->n_evidence;
	struct quantity *all = NEW_ARRAY(b->mem, struct quantity, n);

	for (size_t k = 0; k < n; k++) {
		all[k].unit = d->verdicts[d->n_verdicts - 1]->evidence[k].unit;
		all[k].value = evidence_of_several(d, k);
	}
	return all;
}

/* The worst of what a joined finding calls by the same name is the worst of the whole story. */
static void add_joined(const struct draft *d, const struct draft *joined, struct quantity *all)
{
	for (size_t k = 0; k < d->rule->n_evidence; k++)
		for (size_t i = 0; i < joined->rule->n_evidence; i++) {
			const struct evidence_row *own = &d->rule->evidence[k], *other = &joined->rule->evidence[i];
			const bool is_alike = other->of_several == own->of_several && strcmp(own->name, other->name) == 0;
			if (own->of_several == OF_SEVERAL_MEAN || own->of_several == OF_SEVERAL_BESIDE || !is_alike)
				continue;
			const bool highest = own->of_several == OF_SEVERAL_HIGHEST;
			all[k].value = worse(all[k].value, worst_evidence(joined, i, highest), highest);
		}
}

/* What the finding as a whole saw, with what is joined to it. */
static struct quantity *evidence_of_all(struct build *b, const struct draft *d)
{
	struct quantity *all = evidence_of(b, d);

	for (size_t i = 0; i < d->n_joined; i++)
		add_joined(d, d->joined[i], all);
	return all;
}

static struct span longest_window(struct spans when)
{
	struct span longest = when.at[0];

	for (size_t i = 1; i < when.n; i++)
		if (span_length(when.at[i]) > span_length(longest))
			longest = when.at[i];
	return longest;
}

static const char *seconds_text(struct build *b, time_ms t)
{
	return duration_text(b->mem, (double)t / SECOND_MS);
}

static time_ms longest_of_all(const struct draft *d)
{
	time_ms longest = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		longest = later(longest, span_length(longest_window(d->verdicts[i]->when)));
	return longest;
}

struct window_counts {
	size_t least, most;
};

static struct window_counts windows_counted(const struct draft *d)
{
	struct window_counts n = { SIZE_MAX, 0 };

	for (size_t i = 0; i < d->n_verdicts; i++) {
		const size_t own = d->verdicts[i]->when.n;
		n = (struct window_counts){ own < n.least ? own : n.least, own > n.most ? own : n.most };
	}
	return n;
}

static const char *windows_text(struct build *b, const struct draft *d, struct spans when)
{
	const struct window_counts n = d->is_scattered ? windows_counted(d) : (struct window_counts){ when.n, when.n };

	if (n.least < n.most)
		return arena_print(b->mem, "%zu to %zu windows", n.least, n.most);
	return n.most == 1 ? "one window" : arena_print(b->mem, "%zu windows", n.most);
}

static time_ms judged_of(const struct draft *d)
{
	return d->verdicts[0]->judged;
}

/* Does another finding tell how it came to this one? */
static bool is_led_up(const struct build *b, const struct draft *d)
{
	bool any = false;

	for (size_t i = 0; i < b->n_drafts; i++)
		any |= led_up_to(d, &b->drafts[i]);
	return any;
}

/* On all that it is told of? That one host swapped does not tell how it came to a kill on another. */
static bool is_led_up_everywhere(const struct build *b, const struct draft *d)
{
	for (size_t k = 0; k < d->n_verdicts; k++) {
		bool any = false;
		for (size_t i = 0; i < b->n_drafts; i++)
			any |= led_up_to(d, &b->drafts[i]) && has_verdict_of(&b->drafts[i], d->verdicts[k]->entity);
		if (!any)
			return false;
	}
	return true;
}

/* Is it what came of this one, and not told with it anyway, as what it explains? */
static bool came_of_it(struct build *b, const struct draft *d, const struct draft *after)
{
	return after->cause && texts_have(after->cause->rule->leads_to, after->rule->id) && first_cause(b, after) == d &&
	       !texts_have(d->rule->explains, after->rule->id);
}

static bool is_led_on(struct build *b, const struct draft *d)
{
	bool any = false;

	for (size_t i = 0; i < b->n_drafts; i++)
		any |= came_of_it(b, d, &b->drafts[i]);
	return any;
}

#define NEARLY_ALL 0.9

/* "node01", "both hosts": those that the entities are of, which are in display order; of what is said of the run, all. */
static const char *hosts_of(struct build *b, enum scope scope, struct whom whom)
{
	struct whom hosts = { NEW_ARRAY(b->mem, const struct entity *, whom.n), 0 };

	if (scope == SCOPE_RUN)
		return b->run->n_hosts > 1 ? who_text(b->mem, b->run, b->run->hosts, b->run->n_hosts) : "the host";
	for (size_t i = 0; i < whom.n; i++) {
		const struct entity *const host = run_host(b->run, whom.at[i]);
		bool is_known = !host;
		for (size_t k = 0; k < hosts.n && !is_known; k++)
			is_known = hosts.at[k] == host;
		if (!is_known)
			hosts.at[hosts.n++] = host;
	}
	if (hosts.n > 1)
		return who_text(b->mem, b->run, hosts.at, hosts.n);
	return hosts.n && *hosts.at[0]->host ? hosts.at[0]->host : "the host";
}

/* Of these entities and of this time: of the finding as a whole, or of what its own rule says. */
static struct text_values values_for(struct build *b, const struct draft *d, struct whom whom, struct spans when)
{
	const enum scope scope = d->rule->scope;
	const char *const who = scope == SCOPE_RUN ? "the run" : who_text(b->mem, b->run, whom.at, whom.n);
	const time_ms length = d->is_scattered ? mean_time(d) : spans_length(when);
	const time_ms longest = d->is_scattered ? longest_of_all(d) : span_length(longest_window(when));
	const bool comes_and_goes = d->is_scattered && windows_counted(d).most > 1;

	return (struct text_values){
		.gpus = who,
		.Gpus = with_capital(b->mem, comes_and_goes ? arena_print(b->mem, "%s at times", who) : who),
		.several = scope == SCOPE_GPU && whom.n > 1,
		.whole_run = (double)length >= NEARLY_ALL * (double)judged_of(d),
		.all_run = (double)length >= NEARLY_ALL * (double)span_length(b->run->span),
		.duration = arena_print(b->mem, d->is_scattered ? "about %s each" : "%s", seconds_text(b, length)),
		.longest = seconds_text(b, longest),
		.windows = windows_text(b, d, when),
		.many_windows = d->is_scattered ? comes_and_goes : when.n > 1,
		.host = hosts_of(b, scope, whom),
		.held_up = held_up_text(b, d),
		.led_up = is_led_up_everywhere(b, d),
		.led_on = is_led_on(b, d),
		.pays = d->costs && !d->rule->cost,
	};
}

static const char *fill(struct build *b, const struct template *t, struct view values)
{
	struct buf out;

	buf_init(&out, 16 * 1024);
	template_render(t, values, escape_plain, &out);
	struct slice text = slice_trim(buf_slice(&out));
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	const char *kept = arena_text(b->mem, text.p, text.n);
	buf_release(&out);
	return kept;
}

#define WINDOWS_TOLD 5 /* more than five: the three longest and what the rest adds up to (visual.md 13.4 has the first three) */
#define LONGEST_TOLD 3

#define UNTOLD_SHARE 0.01

/* "from the first work to the last" may have holes in it, on all GPUs of the finding. */
static const char *unlogged_text(struct build *b, const struct draft *d)
{
	struct spans unknown = d->when;

	if (d->rule->scope != SCOPE_GPU || d->rule->about_holes || !d->costs)
		return "";
	for (size_t i = 0; i < d->n_verdicts; i++)
		unknown = spans_without(b->mem, unknown, gpu_accounted(b, d->verdicts[i]->entity));
	time_ms length = spans_length(unknown);
	return (double)length > UNTOLD_SHARE * (double)spans_length(d->when)
		       ? arena_print(b->mem, "; there is no log of %s of it", seconds_text(b, length)) : "";
}

#define MOST_OWN_WINDOWS ((size_t)20000) /* of all its entities: more are megabytes that nobody reads */

/* Those of each of its entities, beside when it was on any of them; of what asks for nothing nobody looks for them. */
static bool has_own_windows(const struct draft *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		n += d->verdicts[i]->when.n;
	return d->is_scattered && !is_mere_note(d) && n <= MOST_OWN_WINDOWS;
}

/* Few, or the longest of many, of equal ones the first: as they follow each other. */
static struct spans told_windows(struct arena *mem, struct spans when)
{
	struct span *const at = NEW_ARRAY(mem, struct span, LONGEST_TOLD + 1);
	size_t n = 0;

	if (when.n <= WINDOWS_TOLD)
		return when;
	for (size_t i = 0; i < when.n; i++) {
		at[n++] = when.at[i];
		if (n <= LONGEST_TOLD)
			continue;
		size_t shortest = LONGEST_TOLD;
		for (size_t k = LONGEST_TOLD; k > 0; k--)
			shortest = span_length(at[k - 1]) < span_length(at[shortest]) ? k - 1 : shortest;
		memmove(at + shortest, at + shortest + 1, (LONGEST_TOLD - shortest) * sizeof *at);
		n = LONGEST_TOLD;
	}
	return (struct spans){ at, n };
}

static const char *when_text(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;
	const struct spans when = d->when, told = told_windows(mem, when);
	const char **parts = NEW_ARRAY(mem, const char *, told.n);

	for (size_t i = 0; i < told.n; i++)
		parts[i] = arena_print(mem, "%s (%s)", window_text(mem, b->run, told.at[i]), seconds_text(b, span_length(told.at[i])));
	const char *text = joined(mem, parts, told.n, ", ", ", ");
	if (d->is_scattered)
		return arena_print(mem, "%s, not all at the same time%s", window_text(mem, b->run, spans_hull(when)),
			has_own_windows(d) ? "; each in report.json" : "");
	if (when.n == 1)
		return arena_print(mem, "%s, elapsed %s - %s", text, elapsed_text(mem, when.at[0].begin - b->run->span.begin),
			elapsed_text(mem, when.at[0].end - b->run->span.begin));
	if (told.n < when.n)
		return arena_print(mem, "%s, %zu more, together %s; all in report.json", text, when.n - told.n,
			seconds_text(b, spans_length(when) - spans_length(told)));
	return arena_print(mem, "%s; %zu windows, %s in all", text, when.n, seconds_text(b, spans_length(when)));
}

/* Is this a part of how it came to the finding, that no other such part explains? A card that fills up is full in the end. */
static bool is_told_before(const struct build *b, const struct draft *d, const struct draft *before)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		if (led_up_to(d, &b->drafts[i]) && texts_have(b->drafts[i].rule->explains, before->rule->id))
			return false;
	return led_up_to(d, before);
}

static struct whom own_entities(struct build *b, const struct draft *d)
{
	struct whom own = { NEW_ARRAY(b->mem, const struct entity *, d->n_verdicts), d->n_verdicts };

	for (size_t i = 0; i < own.n; i++)
		own.at[i] = d->verdicts[i]->entity;
	return own;
}

/* " on node01", where what it came to is told of others, too. */
static const char *on_some(struct build *b, const struct draft *d, const struct draft *before)
{
	const struct whom whom = own_entities(b, before);

	return d->n_verdicts > whom.n ? arena_print(b->mem, " on %s", who_text(b->mem, b->run, whom.at, whom.n)) : "";
}

/* "; swapping before that, from 10:19:59 on" */
static const char *led_up_text(struct build *b, const struct draft *d)
{
	const char *text = "";

	for (size_t i = 0; i < b->n_drafts; i++)
		if (is_told_before(b, d, &b->drafts[i]))
			text = arena_print(b->mem, "%s; %s%s before that, from %s on", text, b->drafts[i].rule->short_name,
				on_some(b, d, &b->drafts[i]), moment_text(b->mem, b->run, b->drafts[i].when.at[0].begin));
	return text;
}

static const char *where_text(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);

	if (d->rule->scope != SCOPE_GPU || b->run->n_gpus == 1)
		return NULL;
	const char *const who = all_gpus_text(b->mem, b->run, whom.at, whom.n);
	if (whom.n == b->run->n_gpus)
		return who;
	return arena_print(b->mem, "%s%s of %zu", who, b->run->n_hosts > 1 ? "," : "", b->run->n_gpus);
}

#define HARDLY_SHORTER 0.9 /* of the longest: who reads "shorter" beside it would think of less */

static bool are_others_shorter(struct spans when)
{
	const double longest = (double)span_length(longest_window(when));
	size_t n_long = 0;

	for (size_t i = 0; i < when.n; i++)
		n_long += (double)span_length(when.at[i]) > HARDLY_SHORTER * longest;
	return n_long == 1;
}

/* One window with its length, two in full, of more the longest and how many others. */
static const char *card_when(struct build *b, const struct draft *d)
{
	const struct spans when = d->when;

	if (d->is_scattered)
		return arena_print(b->mem, "%s, not all at the same time", card_window_text(b->mem, b->run, spans_hull(when)));
	const char *longest = card_window_text(b->mem, b->run, longest_window(when));
	if (when.n == 1)
		return arena_print(b->mem, "%s (%s)", longest, seconds_text(b, spans_length(when)));
	if (when.n == 2)
		return arena_print(b->mem, "%s and %s", card_window_text(b->mem, b->run, when.at[0]),
			card_window_text(b->mem, b->run, when.at[1]));
	return arena_print(b->mem, "%s and %zu %s", longest, when.n - 1, are_others_shorter(when) ? "shorter windows" : "more");
}

/* ", GPU time lost 10:05–10:20 and 2 more": what it is charged for beside its own time. */
static const char *card_beside(struct build *b, const struct draft *d)
{
	const struct spans beside = time_lost_beside(b, d);

	if (!beside.n)
		return "";
	const char *const longest = card_window_text(b->mem, b->run, longest_window(beside));
	return arena_print(b->mem, beside.n > 1 ? ", GPU time lost %s and %zu more" : ", GPU time lost %s", longest, beside.n - 1);
}

#define LEAST_TOLD_SHARE 0.1 /* of what it would cost alone: less is no riddle beside its times */
#define MOST_ON_CARD 250 /* bytes: two lines of a card hold about as many; what was seen and the advice go first */

/* "42 s in all" beside "23 GPU-s lost": where the rest of it counts. */
static const char *card_text(struct build *b, const struct draft *d, const char *text)
{
	const char *full = arena_print(b->mem, "%s%s: %s", card_when(b, d), card_beside(b, d), text);
	const double elsewhere = d->alone_hours - d->cost_hours;

	if (!is_cost_shared(b, d) || elsewhere < LEAST_TOLD_SHARE * d->alone_hours)
		return full;
	const char **const numbers = NEW_ARRAY(b->mem, const char *, b->n_ranked);
	double paid = 0;
	size_t n = 0;
	for (size_t i = 0; i < b->n_ranked; i++)
		if (takes_time_of(b, b->ranked[i], d)) {
			numbers[n++] = arena_print(b->mem, "%zu", b->ranked[i]->number);
			paid += b->ranked[i]->cost_hours;
		}
	const bool is_less = paid * 1.001 < elsewhere; /* their rules weigh the same seconds for less */
	const char *more = arena_print(b->mem, n == 1 ? "%s Finding %s counts %s of it." : "%s Findings %s count %s of it.", full,
		joined(b->mem, numbers, n, ", ", " and "), is_less ? "a part" : gpu_time_text(b->mem, b->unit, elsewhere));
	return strlen(more) <= MOST_ON_CARD ? more : full;
}

static struct window *windows_of(struct arena *mem, struct spans when)
{
	struct window *windows = NEW_ARRAY(mem, struct window, when.n);

	for (size_t i = 0; i < when.n; i++)
		windows[i] = (struct window){ when.at[i].begin, when.at[i].end, (double)span_length(when.at[i]) / SECOND_MS };
	return windows;
}

static const char *id_of(struct build *b, const struct entity *e)
{
	return e ? entity_id(b->mem, e) : "run";
}

static const struct own_windows *windows_of_each(struct build *b, const struct draft *d)
{
	struct own_windows *const each = NEW_ARRAY(b->mem, struct own_windows, d->n_verdicts);

	for (size_t i = 0; i < d->n_verdicts; i++) {
		const struct verdict *const v = d->verdicts[i];
		each[i] = (struct own_windows){ id_of(b, v->entity), windows_of(b->mem, v->when), v->when.n };
	}
	return each;
}

/* Limits that the rule looked at and no log tells, a sentence each. */
static const char *assumed_text(struct build *b, const struct draft *d)
{
	const char *text = "", *last = NULL;

	for (size_t i = 0; i < d->rule->n_metrics; i++) {
		for (size_t k = 0; k < d->n_verdicts && d->rule->scope == SCOPE_GPU; k++) {
			const struct track *t = run_track(b->run, d->verdicts[k]->entity, d->rule->metrics[i]);
			if (!t || !t->assumed || (last && strcmp(last, t->assumed) == 0))
				continue;
			last = t->assumed;
			if (!strstr(text, with_capital(b->mem, last)))
				text = arena_print(b->mem, "%s %s.", text, with_capital(b->mem, last));
		}
	}
	return text;
}

static struct texts ids_of(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);
	const char **ids = NEW_ARRAY(b->mem, const char *, whom.n);

	for (size_t i = 0; i < whom.n; i++)
		ids[i] = id_of(b, whom.at[i]);
	return (struct texts){ ids, whom.n };
}

static struct named_quantity *named_evidence(struct arena *mem, const struct rule *rule, const struct quantity *evidence)
{
	struct named_quantity *named = NEW_ARRAY(mem, struct named_quantity, rule->n_evidence);

	for (size_t i = 0; i < rule->n_evidence; i++)
		named[i] = (struct named_quantity){ rule->evidence[i].name, evidence[i] };
	return named;
}

/* Advice may stand under a condition, "{^cpu_busy}Log the CPU …{/cpu_busy}": what is empty is none. */
static struct texts advice_of(struct build *b, const struct rule *rule, struct view view)
{
	const char **advice = NEW_ARRAY(b->mem, const char *, rule->n_try);
	size_t n = 0;

	for (size_t i = 0; i < rule->n_try; i++) {
		advice[n] = fill(b, rule->try[i], view);
		n += *advice[n] != '\0';
	}
	return (struct texts){ advice, n };
}

/* By the names that pictures have for them; how it came to the finding is told where it tells what was seen. */
static const char *symptoms_text(struct build *b, const struct draft *d)
{
	const char **names = NEW_ARRAY(b->mem, const char *, d->symptoms.n);
	size_t n = 0;

	for (size_t i = 0; i < d->symptoms.n; i++)
		if (!texts_have(d->rule->follows, d->symptoms.at[i]))
			names[n++] = rules_find(b->rules, d->symptoms.at[i])->short_name;
	return n ? joined(b->mem, names, n, ", ", ", ") : NULL;
}

/* The title, and of a stretch of the run how long it was; `alone` why it was, in a few words. */
static const char *headline_of(struct build *b, const struct draft *d, struct text_values values, const struct quantity *evidence,
	bool alone)
{
	values.lasting = d->when.n == 1 && !values.whole_run && !d->is_scattered;
	values.told_alone = alone;
	return fill(b, d->rule->title, rule_text_values(b->mem, d->rule, &values, evidence));
}

/* Its values are those of the finding, which may be one of several. */
const char *verdict_of_all(struct build *b, const struct draft *d)
{
	const struct text_values values = values_for(b, d, (struct whom){ b->run->gpus, b->run->n_gpus }, d->when);

	return fill(b, d->rule->verdict, rule_text_values(b->mem, d->rule, &values, evidence_of_all(b, d)));
}

/* " What came of it: no GPU had work for the last 12 min." */
static const char *came_of(struct build *b, const struct draft *d)
{
	const char *text = "";

	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct draft *const after = &b->drafts[i];
		if (!came_of_it(b, d, after))
			continue;
		const struct text_values values = values_for(b, after, whom_of(b, after), after->when);
		const char *const title = without_capital(b->mem, headline_of(b, after, values, evidence_of_all(b, after), false));
		text = arena_print(b->mem, *text ? "%s; %s" : "%s What came of it: %s", text, title);
	}
	return *text ? arena_print(b->mem, "%s.", text) : text;
}

/* What its own rule saw and for how long, told of these. */
static const char *own_what(struct build *b, const struct draft *d, struct whom of)
{
	const struct text_values values = values_for(b, d, of, own_time(b, d));

	return fill(b, d->rule->what, rule_text_values(b->mem, d->rule, &values, evidence_of(b, d)));
}

/* Of its own entities; then what was seen of what is joined to it, and of how it came to that. */
static const char *what_text(struct build *b, const struct draft *d)
{
	const char *text = own_what(b, d, own_entities(b, d));

	for (size_t i = 0; i < d->n_joined; i++)
		text = arena_print(b->mem, "%s %s", text, what_text(b, d->joined[i]));
	text = arena_print(b->mem, "%s%s", text, came_of(b, d));
	for (size_t i = 0; i < b->n_drafts; i++)
		if (is_told_before(b, d, &b->drafts[i]))
			text = arena_print(b->mem, "%s Before that%s: %s", text, on_some(b, d, &b->drafts[i]),
				without_capital(b->mem, what_text(b, &b->drafts[i])));
	return text;
}

static bool is_about_any(const struct draft *d, struct whom whom)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (whom_has(whom, d->verdicts[i]->entity))
			return true;
	return false;
}

/* What was seen of GPUs that waited, and how that would be told of `whom`: by these words it is known which are alike. */
struct seen {
	const struct draft *draft;
	const char *words; /* NULL: it has a story of its own */
};

static struct seen seen_of(struct build *b, const struct draft *d, struct whom whom)
{
	const bool is_plain = d->rule->scope == SCOPE_GPU && !d->n_joined && !is_led_up(b, d);

	return (struct seen){ d, is_plain ? own_what(b, d, whom) : NULL };
}

static bool are_seen_alike(const struct seen *a, const struct seen *b)
{
	return a->draft->rule == b->draft->rule && a->words && b->words && strcmp(a->words, b->words) == 0;
}

/* One sentence for the first of these and for all that are alike; only the others are left. */
static const char *what_of_alike(struct build *b, struct seen *seen, size_t *n)
{
	const struct draft **const alike = NEW_ARRAY(b->mem, const struct draft *, *n);
	struct whom whom = { NEW_ARRAY(b->mem, const struct entity *, b->run->n_gpus), 0 };
	const struct seen first = seen[0];
	size_t n_alike = 1, n_left = 0;

	alike[0] = first.draft;
	for (size_t i = 1; i < *n; i++) {
		if (are_seen_alike(&first, &seen[i]))
			alike[n_alike++] = seen[i].draft;
		else
			seen[n_left++] = seen[i];
	}
	*n = n_left;
	if (n_alike == 1)
		return what_text(b, first.draft);
	for (size_t g = 0; g < b->run->n_gpus; g++)
		if (is_on_any(alike, n_alike, b->run->gpus[g]))
			whom.at[whom.n++] = b->run->gpus[g];
	return own_what(b, first.draft, whom);
}

/* Of GPUs that were slowed, what was seen of those that waited for them; of one that is only late its own rule tells. */
static const char *seen_on_others(struct build *b, const struct draft *d)
{
	const struct whom others = waiting_for(b, d);
	struct seen *const seen = NEW_ARRAY(b->mem, struct seen, b->n_drafts);
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < b->n_drafts && d->rule->cost; i++)
		if (is_waiting_for(b, &b->drafts[i], d) && is_about_any(&b->drafts[i], others))
			seen[n++] = seen_of(b, &b->drafts[i], others);
	while (n)
		text = arena_print(b->mem, "%s %s", text, what_of_alike(b, seen, &n));
	return text;
}

const char *short_name_of(struct build *b, const struct draft *d)
{
	if (!d->rule->named)
		return d->rule->short_name;
	const struct text_values values = values_for(b, d, whom_of(b, d), d->when);
	return fill(b, d->rule->named, rule_text_values(b->mem, d->rule, &values, evidence_of_all(b, d)));
}

/* "GPUs 3 and 5"; NULL: it is about all of them, or about no GPU. */
static const char *some_gpus(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);

	return d->rule->scope != SCOPE_GPU || whom.n == b->run->n_gpus ? NULL : who_text(b->mem, b->run, whom.at, whom.n);
}

struct finding finding_of(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;
	struct quantity *evidence = evidence_of_all(b, d);
	struct text_values values = values_for(b, d, whom_of(b, d), d->when);
	const struct spans beside = time_lost_beside(b, d);

	values.explained_in_part = is_cost_shared(b, d);
	const struct view view = rule_text_values(mem, d->rule, &values, evidence);

	return (struct finding){
		.number = d->number,
		.rule = d->rule->id,
		.severity = severity_name(d->severity),
		.severity_level = d->severity,
		.title = fill(b, d->rule->title, view),
		.headline = headline_of(b, d, values, evidence, false),
		.headline_alone = headline_of(b, d, values, evidence, true),
		.entities = ids_of(b, d),
		.windows = windows_of(mem, d->when),
		.n_windows = d->when.n,
		.windows_beside = windows_of(mem, beside),
		.n_windows_beside = beside.n,
		.is_scattered = d->is_scattered,
		.own_windows = has_own_windows(d) ? windows_of_each(b, d) : NULL,
		.n_own_windows = has_own_windows(d) ? d->n_verdicts : 0,
		.coverage = coverage_of(d),
		.confidence = confidence_name(d->sureness.level),
		.confidence_reason = d->sureness.reason,
		.cost_gpu_hours = cost_range(d),
		.cost_money = money_range(b, cost_range(d)),
		.has_cost = d->costs,
		.evidence = named_evidence(mem, d->rule, evidence),
		.n_evidence = d->rule->n_evidence,
		.what = what_text(b, d),
		.why = arena_print(mem, "%s%s%s", fill(b, d->rule->why, view), seen_on_others(b, d), assumed_text(b, d)),
		.refute = fill(b, d->rule->refute, view),
		.try = advice_of(b, d->rule, view),
		.symptoms = d->symptoms,
		.symptoms_text = symptoms_text(b, d),
		.rivals = rivals_of(b, d),
		.where = where_text(b, d),
		.when_text = arena_print(mem, "%s%s%s", when_text(b, d), unlogged_text(b, d), led_up_text(b, d)),
		.cost_text = cost_text(b, d),
		.cost_short = cost_short(b, d),
		.short_name = short_name_of(b, d),
		.rule_name = d->rule->short_name,
		.some_gpus = some_gpus(b, d),
		.card_text = card_text(b, d, fill(b, d->rule->card, view)),
		.is_hole = d->rule->about_holes,
	};
}

/* A rule that fired on GPUs at different times is told once in full: the others differ in what, where, when and cost. */
static const char *told_by(struct build *b, const struct finding *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(findings[i].rule, findings[n].rule) == 0)
			return arena_print(b->mem, "[%zu]", findings[i].number);
	return NULL;
}

#define TOLD_IN_FULL 5 /* more would not be read; the rest is named */

/* Marks those that are told in full: the severest, of these the foremost; with --all every one. */
static const bool *choose_told(struct build *b)
{
	const struct report *r = b->report;
	bool *told = NEW_ARRAY(b->mem, bool, r->n_findings);
	size_t left = r->all ? r->n_findings : TOLD_IN_FULL;

	for (int severity = SEVERITY_CRITICAL; severity >= SEVERITY_NOTE; severity--)
		for (size_t i = 0; i < r->n_findings && left; i++)
			if ((int)r->findings[i].severity_level == severity) {
				told[i] = true;
				left--;
			}
	return told;
}

/* "[6] low use on GPU 2" */
static const char *named(struct build *b, const struct finding *f)
{
	const char *const where = f->some_gpus ? f->some_gpus : f->where;

	return arena_print(b->mem, "[%zu] %s%s%s", f->number, f->short_name, where ? " on " : "", where ? where : "");
}

static const char *rest_text(struct build *b, const char **rest, size_t n)
{
	if (!n)
		return NULL;
	return arena_print(b->mem, "and %zu more finding%s: %s. In full with --all, and in report.json.", n, n == 1 ? "" : "s",
		joined(b->mem, rest, n, "; ", "; ")); /* names and places have commas of their own */
}

static void deal_findings(struct build *b)
{
	struct report *r = b->report;
	const bool *told = choose_told(b);
	struct finding *in_full = NEW_ARRAY(b->mem, struct finding, r->n_findings);
	const char **rest = NEW_ARRAY(b->mem, const char *, r->n_findings);
	size_t n_rest = 0;

	for (size_t i = 0; i < r->n_findings; i++) {
		if (told[i])
			in_full[r->n_told_findings++] = r->findings[i];
		else
			rest[n_rest++] = named(b, &r->findings[i]);
	}
	r->told_findings = in_full;
	r->more_findings = rest_text(b, rest, n_rest);
}

static const char *sure_text(struct build *b, const struct finding *f, enum confidence level)
{
	static const char *const words[] = { [CONFIDENCE_LOW] = "LOW", [CONFIDENCE_MEDIUM] = "MEDIUM", [CONFIDENCE_HIGH] = "HIGH" };

	return arena_print(b->mem, "%s: %s.%s%s", words[level], f->confidence_reason, f->told_by ? "" : " ", f->told_by ? "" : f->refute);
}

void build_findings(struct build *b)
{
	struct finding *findings = NEW_ARRAY(b->mem, struct finding, b->n_ranked);

	for (size_t i = 0; i < b->n_ranked; i++) {
		findings[i] = finding_of(b, b->ranked[i]);
		findings[i].told_by = told_by(b, findings, i);
		findings[i].sure_text = sure_text(b, &findings[i], b->ranked[i]->sureness.level);
	}
	b->report->findings = findings;
	b->report->n_findings = b->n_ranked;
	deal_findings(b);
}
