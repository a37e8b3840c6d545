/*
 * verdict.c - the answer in one sentence.
 *
 * The wording is templates/verdict.tmpl; here is only what is true. A run is healthy when no
 * finding is critical or a warning and less than 2 % was lost. Too few samples, or no GPU log,
 * are said before anything else: a verdict must never be better than its evidence. So a run of
 * which a GPU is largely unknown (it fell off the bus, or its busy is [N/A]) is not healthy but unknown, and a healthy
 * one names what an expert would have wanted to see (blind_spots.c).
 */
#include "report/report_parts.h"

#include "base/number.h"

#include <math.h>

#define SMALL_LOSS 0.05 /* of notes alone */
#define MOSTLY_MISSING 0.5
#define LEAST_SEEN 0.8 /* of every GPU's busy at work: below it rules don't call anything clear either */

struct verdict_words {
	bool limited, kept_back, no_gpu, too_short, no_busy, judged, mostly_missing, lost, upper_bound, lower_bound, small;
	bool warned_first, warned_last, partly, too_little_work, healthy;
	const char *samples, *unseen, *length, *of_all, *missing, *lost_percent, *causes, *warnings, *seen, *who, *busy, *while_what, *work,
		*but, *suppressed, *money, *stray;
	bool part_bound; /* of part_lost: of the logged time, told by part_cause */
	const char *failed, *part_lost, *part_cause, *rejected;
};

static const struct field word_rows[] = {
	FIELD(struct verdict_words, limited, BOOL),
	FIELD(struct verdict_words, kept_back, BOOL),
	FIELD(struct verdict_words, no_gpu, BOOL),
	FIELD(struct verdict_words, too_short, BOOL),
	FIELD(struct verdict_words, no_busy, BOOL),
	FIELD(struct verdict_words, judged, BOOL),
	FIELD(struct verdict_words, mostly_missing, BOOL),
	FIELD(struct verdict_words, of_all, TEXT),
	FIELD(struct verdict_words, lost, BOOL),
	FIELD(struct verdict_words, upper_bound, BOOL),
	FIELD(struct verdict_words, lower_bound, BOOL),
	FIELD(struct verdict_words, small, BOOL),
	FIELD(struct verdict_words, warned_first, BOOL),
	FIELD(struct verdict_words, warned_last, BOOL),
	FIELD(struct verdict_words, partly, BOOL),
	FIELD(struct verdict_words, part_bound, BOOL),
	FIELD(struct verdict_words, too_little_work, BOOL),
	FIELD(struct verdict_words, work, TEXT),
	FIELD(struct verdict_words, healthy, BOOL),
	FIELD(struct verdict_words, failed, TEXT),
	FIELD(struct verdict_words, part_lost, TEXT),
	FIELD(struct verdict_words, part_cause, TEXT),
	FIELD(struct verdict_words, rejected, TEXT),
	FIELD(struct verdict_words, samples, TEXT),
	FIELD(struct verdict_words, unseen, TEXT),
	FIELD(struct verdict_words, stray, TEXT),
	FIELD(struct verdict_words, length, TEXT),
	FIELD(struct verdict_words, missing, TEXT),
	FIELD(struct verdict_words, lost_percent, TEXT),
	FIELD(struct verdict_words, causes, TEXT),
	FIELD(struct verdict_words, warnings, TEXT),
	FIELD(struct verdict_words, seen, TEXT),
	FIELD(struct verdict_words, who, TEXT),
	FIELD(struct verdict_words, busy, TEXT),
	FIELD(struct verdict_words, while_what, TEXT),
	FIELD(struct verdict_words, but, TEXT),
	FIELD(struct verdict_words, suppressed, TEXT),
	FIELD(struct verdict_words, money, TEXT),
};
const struct fields verdict_fields = FIELDS("verdict", struct verdict_words, word_rows);

static const char *who_was(struct build *b)
{
	size_t n = b->run->n_gpus;

	return n == 1 ? "the GPU was" : arena_print(b->mem, "%s were", gpus_text(b->mem, b->run, b->run->gpus, n));
}

/* In a log with large holes, what is small beside the run may be most of what was seen. */
static void tell_part(struct build *b, struct verdict_words *w)
{
	const double logged = b->total_hours - b->no_log_hours;
	const struct finding *first = NULL;

	for (size_t i = 0; i < b->report->n_findings && !first; i++)
		if (finding_has_price(&b->report->findings[i]))
			first = &b->report->findings[i];
	if (!w->partly || !first || b->lost_high < HEALTHY_LOSS * logged)
		return;
	w->part_lost = percent_text(b->mem, b->lost_high / logged);
	w->part_bound = b->lost_low < b->lost_high;
	w->part_cause = without_capital(b->mem, first->title);
}

/* GPUs that a log says failed, however short it is; NULL: none. */
static const char *failed_gpus(struct build *b)
{
	const struct entity **failed = NEW_ARRAY(b->mem, const struct entity *, b->run->n_gpus);
	size_t n = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++)
		for (size_t i = 0; i < b->run->n_events && (!n || failed[n - 1] != b->run->gpus[g]); i++)
			if (b->run->events[i].event.kind == EVENT_GPU_LOST && b->run->events[i].entity == b->run->gpus[g])
				failed[n++] = b->run->gpus[g];
	return n ? with_capital(b->mem, gpus_text(b->mem, b->run, failed, n)) : NULL;
}

/* Busy while the run was at work, over all GPUs. */
static double steady_busy(const struct build *b)
{
	double sum = 0, weight = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		sum += b->busy[g].known ? b->busy[g].mean * (double)b->busy[g].known : 0;
		weight += (double)b->busy[g].known;
	}
	return weight > 0 ? sum / weight : NAN;
}

/* Share of the GPU time for which busy is known; `enough`: of the work of every single GPU. */
static double busy_seen(struct build *b, bool *enough)
{
	const double work = (double)steady_length(b);
	const double all = (double)span_length(b->run->span) * (double)b->run->n_gpus;
	double known = 0;

	*enough = true;
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *util = run_track(b->run, b->run->gpus[g], METRIC_GPU_UTIL);
		known += util ? (double)means_of(b, util, spans_one(&b->run->span)).known : 0;
		*enough &= (double)b->busy[g].known >= LEAST_SEEN * work;
	}
	return all > 0 ? known / all : 0;
}

enum price { PRICED, UNPRICED, ANY_PRICE };

static bool is_named(const struct finding *f, enum severity least, enum price price)
{
	return f->severity_level >= least && (price == ANY_PRICE || finding_has_price(f) == (price == PRICED));
}

static const char *who_of(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);

	return who_text(b->mem, b->run, whom.at, whom.n);
}

/* The next finding of the same rule that is named; r->n_findings: there is none. */
static size_t next_of_rule(const struct report *r, size_t at, enum severity least, enum price price)
{
	size_t i = at + 1;

	while (i < r->n_findings && (strcmp(r->findings[i].rule, r->findings[at].rule) != 0 || !is_named(&r->findings[i], least, price)))
		i++;
	return i;
}

static bool is_in_another(struct build *b, const struct entity *e, size_t first, enum severity least, enum price price)
{
	const struct report *const r = b->report;

	for (size_t i = next_of_rule(r, first, least, price); i < r->n_findings; i = next_of_rule(r, i, least, price))
		if (whom_has(whom_of(b, b->ranked[i]), e))
			return true;
	return false;
}

/* The GPUs or hosts of all findings of a rule behind the first that are not in that one. */
static struct whom others_of_rule(struct build *b, size_t first, enum severity least, enum price price)
{
	const struct run *const run = b->run;
	const struct whom told = whom_of(b, b->ranked[first]);
	struct whom others = { NEW_ARRAY(b->mem, const struct entity *, run->n_gpus + run->n_hosts), 0 };

	for (size_t i = 0; i < run->n_gpus + run->n_hosts; i++) {
		const struct entity *const e = i < run->n_gpus ? run->gpus[i] : run->hosts[i - run->n_gpus];
		if (!whom_has(told, e) && is_in_another(b, e, first, least, price))
			others.at[others.n++] = e;
	}
	return others;
}

/* "GPUs 0-3 stood idle, likewise GPUs 4-7": what the same rule found elsewhere is not said in full again, nor for how long. */
static const char *title_with_others(struct build *b, size_t at, enum severity least, enum price price, bool is_long)
{
	const struct report *r = b->report;

	if (next_of_rule(r, at, least, price) == r->n_findings)
		return without_capital(b->mem, is_long ? r->findings[at].headline : r->findings[at].title);
	const char *const title = without_capital(b->mem, r->findings[at].title);
	const struct whom others = others_of_rule(b, at, least, price);
	return others.n ? arena_print(b->mem, "%s, likewise %s", title, who_text(b->mem, b->run, others.at, others.n)) : title;
}

static bool is_first_of_rule(const struct report *r, size_t at, enum severity least, enum price price)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(r->findings[i].rule, r->findings[at].rule) == 0 && is_named(&r->findings[i], least, price))
			return false;
	return true;
}

/* What is said of the GPUs by which a title begins, "waited for input data"; NULL: it begins with something else. */
static const char *said_of(struct build *b, const char *title, size_t finding)
{
	const char *const who = who_of(b, b->ranked[finding]);
	const size_t n = strlen(who);

	return strncmp(title, who, n) == 0 && title[n] == ' ' ? title + n + 1 : NULL;
}

static bool is_after(const struct draft *first, const struct draft *second)
{
	return first->when.n && second->when.n && second->when.at[0].begin >= first->when.at[first->when.n - 1].end;
}

/* Who is the same is named once; "then" is said of what came later. */
static const char *both_titles(struct build *b, const char *const *parts, const size_t *findings)
{
	const struct draft *const first = b->ranked[findings[0]], *const second = b->ranked[findings[1]];
	const char *const said = said_of(b, parts[0], findings[0]), *const more = said_of(b, parts[1], findings[1]);
	const bool is_same = said && more && strcmp(who_of(b, first), who_of(b, second)) == 0;
	/* "A did this, and so did B and waited", "A held up B and waited" would be said of B */
	const bool is_list = strchr(parts[0], ',') || (said && strstr(said, " and "));
	const char *const link = is_after(first, second) ? ", then" : is_same && !is_list ? " and" : ", and";

	return arena_print(b->mem, "%s%s %s", parts[0], link, is_same && !is_list ? more : parts[1]);
}

enum wording { WITH_CAUSE, WITH_LENGTH, WITHOUT_LENGTH, N_WORDINGS };

#define LONGEST_CAUSES ((size_t)150) /* with the words before them three lines of a card */

/* Titles of the two foremost findings that are at least so severe, as parts of a sentence; NULL: there are none. */
static const char *titles_told(struct build *b, enum severity least, enum price price, enum wording wording)
{
	const struct report *r = b->report;
	const bool is_long = wording != WITHOUT_LENGTH;
	const char *parts[2];
	size_t findings[2], n = 0;

	for (size_t i = 0; i < r->n_findings && n < 2; i++) {
		if (!is_named(&r->findings[i], least, price) || !is_first_of_rule(r, i, least, price))
			continue;
		findings[n] = i;
		parts[n++] = title_with_others(b, i, least, price, is_long);
	}
	if (wording == WITH_CAUSE && n == 1 && strcmp(parts[0], without_capital(b->mem, r->findings[findings[0]].headline)) == 0)
		return without_capital(b->mem, r->findings[findings[0]].headline_alone);
	return n == 2 ? both_titles(b, parts, findings) : n ? parts[0] : NULL;
}

/* Why, and then for how long, are left out where they take too much room. */
static const char *titles(struct build *b, enum severity least, enum price price)
{
	const char *text = NULL;

	for (int wording = WITH_CAUSE; wording < N_WORDINGS; wording++) {
		text = titles_told(b, least, price, (enum wording)wording);
		if (!text || strlen(text) <= LONGEST_CAUSES)
			break;
	}
	return text;
}

/* What its rule says of the run as a whole, if the findings of that rule from this one on are on all of its GPUs, and say the same. */
static const char *said_by(struct build *b, size_t at)
{
	const struct rule *const rule = b->ranked[at]->rule;
	const char *const text = rule->verdict ? verdict_of_all(b, b->ranked[at]) : NULL;
	size_t n = 0;

	for (size_t k = at; k < b->n_ranked && text; k++) {
		if (b->ranked[k]->rule != rule)
			continue;
		if (strcmp(verdict_of_all(b, b->ranked[k]), text) != 0) /* a number that is of some GPUs alone */
			return NULL;
		n += b->ranked[k]->n_verdicts;
	}
	return n == b->run->n_gpus ? text : NULL;
}

/* What a rule says of the run as a whole where it found the same on all of its GPUs; NULL: none does. */
static const char *said_of_all(struct build *b)
{
	for (size_t i = 0; i < b->n_ranked; i++) {
		const char *const text = said_by(b, i);
		if (text)
			return text;
	}
	return NULL;
}

static bool any_is(const struct build *b, bool (*is)(const struct draft *d))
{
	for (size_t i = 0; i < b->n_ranked; i++)
		if (is(b->ranked[i]))
			return true;
	return false;
}

/*
 * Of what has a price the sentence says how much, and names the two foremost causes. What has none, such as memory errors, is said
 * before that when it is worse, after it when it is critical, and alone when nothing was lost.
 */
static void tell_losses(struct build *b, struct verdict_words *w, double lost)
{
	const char *const causes = titles(b, SEVERITY_WARNING, PRICED);
	const bool is_lost = causes && lost >= NAMED_LOSS, is_worse = b->report->n_findings && !finding_has_price(&b->report->findings[0]);
	const char *const warnings = !is_lost ? titles(b, SEVERITY_WARNING, ANY_PRICE)
				   : titles(b, is_worse ? SEVERITY_WARNING : SEVERITY_CRITICAL, UNPRICED);

	w->causes = is_lost ? causes : lost >= HEALTHY_LOSS ? titles(b, SEVERITY_NOTE, PRICED) : NULL; /* or many small losses */
	w->lost = !w->of_all && w->causes;
	w->small = !is_lost && lost < SMALL_LOSS;
	w->upper_bound = b->lost_high > b->lost_low;
	w->lower_bound = !w->upper_bound && any_is(b, is_partly_unmeasured);
	w->lost_percent = percent_text(b->mem, lost);
	w->money = b->report->rate.per_gpu_hour > 0 ? worth_text(b->mem, b->report->rate, b->lost_high) : NULL;
	w->warnings = with_capital(b->mem, warnings ? warnings : "");
	w->warned_first = !w->of_all && warnings && (!is_lost || is_worse);
	w->warned_last = !w->of_all && warnings && !w->warned_first;
}

/* What is told as busy leaves out dips, and where no job ran. */
static const char *while_what(const struct build *b)
{
	const bool has_dips = run_phases(b->mem, b->run, 1U << PHASE_DIP).n > 0;

	if (run_phases(b->mem, b->run, 1U << PHASE_DOWN).n > 0)
		return has_dips ? "while a job ran, between the dips" : "while a job ran";
	return has_dips ? "between the dips" : "once work began";
}

#define WORTH_SAYING 0.02 /* of the run: as periodic-dips.yaml says */
#define LEAST_EDGE (5 * MINUTE_MS) /* every job has a start and an end, and a short one has little else */
#define LEAST_UNLOGGED (10 * SECOND_MS) /* of each GPU: less is how several loggers begin and end one after the other */

static void add_aside(const struct build *b, const char **said, size_t *n, const char *what, double share)
{
	said[*n] = arena_print(b->mem, "%s %s of %s", what, percent_text(b->mem, share), *n ? "it" : "the run");
	++*n;
}

#define WELL_BUSY 90 /* %; a GPU that is fed well is above it: gpu-starved-by-cpu.yaml */

/*
 * "no job ran for 25 % of the run and dips took 6 % of it": what keeps a run in which nothing was lost from needing nothing; NULL: nothing
 * does.
 */
static const char *but_for(const struct build *b, double busy)
{
	static const struct {
		unsigned phases;
		const char *what;
		time_ms least;
	} asides[] = {
		{ 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP, "the start took", LEAST_EDGE },
		{ 1U << PHASE_DOWN, "no job ran for", 0 },
		{ 1U << PHASE_DIP, "dips took", 0 },
		{ 1U << PHASE_TAIL, "the end took", LEAST_EDGE },
	};
	const double all = (double)span_length(b->run->span);
	const struct spans marked = b->run->marked;
	const char *said[7];
	size_t n = 0;

	const bool is_long = b->no_log_hours * HOUR_MS >= LEAST_UNLOGGED * (double)b->run->n_gpus;
	if (!is_much_unlogged(b) && is_long && b->no_log_hours >= WORTH_SAYING * b->total_hours)
		add_aside(b, said, &n, "no log tells of", b->no_log_hours / b->total_hours);
	for (size_t i = 0; i < sizeof asides / sizeof *asides; i++) {
		const struct spans all_such = spans_without(b->mem, run_phases(b->mem, b->run, asides[i].phases), marked);
		const struct spans when = spans_without(b->mem, all_such, run_dark_time(b->mem, b->run, all_such));
		if ((double)spans_length(when) >= WORTH_SAYING * all && spans_length(when) >= asides[i].least)
			add_aside(b, said, &n, asides[i].what, (double)spans_length(when) / all);
	}
	if (marked.n)
		said[n++] = arena_print(b->mem, "%s are as --mark says", duration_text(b->mem, (double)spans_length(marked) / SECOND_MS));
	if (busy < WELL_BUSY)
		said[n++] = arena_print(b->mem, "no kernel ran for %s of the time at work", percent_text(b->mem, 1 - busy / 100));
	return n ? joined(b->mem, said, n, ", ", " and ") : NULL;
}

static struct verdict_words words_for(struct build *b)
{
	struct verdict_words w = { 0 };
	double lost = b->total_hours > 0 ? b->lost_high / b->total_hours : 0, busy = steady_busy(b);

	w.length = b->report->run.seconds > 0 ? duration_text(b->mem, b->report->run.seconds) : NULL;
	w.samples = b->samples == 1 ? "one sample" : arena_print(b->mem, "%zu samples", b->samples);
	w.rejected = b->report->rejected = rejected_share(b);
	w.no_gpu = !b->run->n_gpus;
	w.too_short = !w.no_gpu && b->too_short;
	w.failed = w.too_short ? failed_gpus(b) : NULL;
	w.no_busy = !w.no_gpu && !w.too_short && isnan(busy) && !b->n_ranked;
	w.judged = !w.no_gpu && !w.too_short && !w.no_busy;
	if (!w.judged)
		return w;
	w.mostly_missing = b->total_hours > 0 && b->no_log_hours / b->total_hours > MOSTLY_MISSING;
	w.of_all = said_of_all(b);
	w.missing = with_capital(b->mem, share_unlogged_text(b));
	tell_losses(b, &w, lost);
	bool enough, nothing_found = !w.of_all && !w.lost && !w.warned_first && !w.warned_last;
	w.seen = percent_text(b->mem, busy_seen(b, &enough));
	w.unseen = blind_spots(b);
	w.limited = w.unseen != NULL;
	const bool is_all_seen = enough && !w.mostly_missing, is_too_little = steady_length(b) < LEAST_WORK;
	w.stray = nothing_found && is_all_seen && !is_too_little ? stray_failure(b) : NULL;
	w.healthy = nothing_found && is_all_seen && !is_too_little && !w.stray;
	w.too_little_work = nothing_found && is_all_seen && is_too_little;
	w.partly = nothing_found && !is_all_seen;
	w.work = duration_text(b->mem, (double)steady_length(b) / SECOND_MS);
	tell_part(b, &w);
	w.who = who_was(b);
	w.kept_back = b->n_suppressed > 0;
	w.suppressed = b->n_suppressed == 1 ? "One finding is" : arena_print(b->mem, "%zu findings are", b->n_suppressed);
	w.busy = quantity_text(b->mem, (struct quantity){ busy, UNIT_PERCENT });
	w.while_what = while_what(b);
	w.but = but_for(b, busy);
	return w;
}

/* Line ends of the template become blanks: a verdict is one sentence or two on one line. */
static const char *one_line(struct arena *mem, struct slice text)
{
	char *line = arena_alloc(mem, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i] == '\n' ? ' ' : text.p[i];
		if (c != ' ' || (n && line[n - 1] != ' '))
			line[n++] = c;
	}
	while (n && line[n - 1] == ' ')
		line[--n] = '\0';
	return line;
}

static const char *sentence_of(struct build *b, const struct verdict_words *words)
{
	struct buf out;

	buf_init(&out, 4096);
	template_render_embedded("templates/verdict.tmpl", (struct view){ words, &verdict_fields },
		&(struct template_output){ .escape = escape_plain }, &out);
	const char *sentence = one_line(b->mem, buf_slice(&out));
	buf_release(&out);
	return sentence;
}

static const char *severity_of_run(const struct build *b, const struct verdict_words *w)
{
	enum severity worst = SEVERITY_NOTE;

	if (w->failed)
		return severity_name(SEVERITY_CRITICAL);
	if (!w->judged)
		return "unknown";
	for (size_t i = 0; i < b->report->n_findings; i++)
		if (b->report->findings[i].severity_level > worst)
			worst = b->report->findings[i].severity_level;
	if (w->healthy)
		return "healthy";
	if (w->stray || w->partly || w->too_little_work)
		return "unknown";
	return severity_name(w->mostly_missing && worst < SEVERITY_WARNING ? SEVERITY_WARNING : worst);
}

#define MAX_HEADLINES 3

static void list_headlines(struct build *b, struct report_verdict *v)
{
	struct headline *lines = NEW_ARRAY(b->mem, struct headline, MAX_HEADLINES);

	for (size_t i = 0; i < b->report->n_findings && v->n_headlines < MAX_HEADLINES; i++) {
		const struct finding *f = &b->report->findings[i];
		if (f->severity_level == SEVERITY_NOTE)
			continue;
		const char *cost = f->cost_short && f->has_cost ? arena_print(b->mem, ": %s", f->cost_short) : "";
		lines[v->n_headlines++].text = arena_print(b->mem, "%s%s.", f->title, cost);
	}
	v->headlines = lines;
	if (v->n_headlines == 1) /* the sentence has said it */
		v->n_headlines = 0;
}

/*
 * The least that the same work can have taken: the run without what was lost, as if all GPUs had lost together. Nothing without a log
 * of the work, and nothing where no loss is known.
 */
static void tell_best(struct build *b, struct report_verdict *v, const struct verdict_words *words)
{
	const struct progress p = job_progress(b);
	const double share = b->total_hours > 0 ? b->lost_high / b->total_hours : 0, seconds = b->report->run.seconds;

	v->best_seconds = NAN;
	v->throughput = p.done > 0 ? p.per_second : NAN;
	v->throughput_of = p.of;
	if (p.done <= 0 || !words->lost || share >= 1)
		return;
	v->best_seconds = seconds * (1 - share);
	v->best_text = arena_print(b->mem,
		"At the same work the run could take %s instead of %s, if all that was lost came back: that is at best.",
		duration_text(b->mem, v->best_seconds), duration_text(b->mem, seconds));
}

void build_verdict(struct build *b)
{
	struct verdict_words words = words_for(b);
	struct report *r = b->report;

	r->verdict = (struct report_verdict){
		.severity = severity_of_run(b, &words),
		.sentence = sentence_of(b, &words),
		.gpu_hours = b->total_hours,
		.lost_gpu_hours = { b->lost_low, any_is(b, is_unmeasured) ? (double)NAN : b->lost_high },
		.money = NAN,
		.lost_money = { NAN, NAN },
		.energy_kwh = { NAN, NAN },
	};
	if (b->run->n_gpus) { /* of GPUs that no log tells of nothing is known, and that is not 0 */
		r->verdict.money = money_range(b, (struct range){ b->total_hours, b->total_hours }).low;
		r->verdict.lost_money = money_range(b, (struct range){ b->lost_low, b->lost_high });
		r->verdict.energy_kwh = energy_range(&b->energy);
	}
	tell_best(b, &r->verdict, &words);
	list_headlines(b, &r->verdict);
	r->healthy = words.healthy;
	r->is_too_little_work = words.too_little_work;
	r->run_text = run_line(b);
	r->subline = run_subline(b);
	build_key_figures(b);
}
