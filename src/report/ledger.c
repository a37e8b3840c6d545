/*
 * ledger.c - each GPU-second in exactly one class; the sum is the run.
 *
 * For each GPU the run's span is dealt out in this order (visual.md 13.2): no log; then the
 * findings that cost, causes before what they explain, then the costliest first; then start and end; the rest is
 * normal. Of the seconds a finding takes, the share that it says was lost is charged to it, and the rest
 * counts as normal. What is charged to suppressed findings is one row that blames nobody; it is not handed on
 * to the findings behind them, which would tell the same loss under another name.
 * Energy follows the seconds; for time without log it is bounded by the limit.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

struct account {
	double hours;
	double wh_low, wh_high;
};

struct ledger {
	struct account normal, overhead, suppressed, no_log;
	double unlogged_hours;    /* without rows, lost GPUs included, whose time is charged */
	struct account *findings; /* beside build->drafts */
	bool any_reference_assumed;
};

static double hours_of(time_ms t)
{
	return (double)t / HOUR_MS;
}

/* Energy that a GPU drew in `when`; nothing where power is not known. */
static double energy_wh(const struct build *b, const struct entity *gpu, struct spans when)
{
	const struct track *power = run_track(b->run, gpu, METRIC_GPU_POWER);

	return power ? track_integral(power, when) : 0;
}

/* The most that a GPU can have drawn where power is not known: its limit. Nothing where no log tells that. */
static double dark_wh(const struct build *b, const struct entity *gpu, struct spans when)
{
	const struct track *limit = run_track(b->run, gpu, METRIC_GPU_POWER_LIMIT), *power = run_track(b->run, gpu, METRIC_GPU_POWER);
	const time_ms known = power ? stats_of(power, when).known : 0;

	return limit ? hours_of(spans_length(when) - known) * stats_of(limit, spans_one(&b->run->span)).max : 0;
}

static void charge(struct account *a, double hours, double wh)
{
	a->hours += hours;
	a->wh_low += wh;
	a->wh_high += wh;
}

static const struct verdict *verdict_on(const struct draft *d, const struct entity *gpu)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (concerns(d->verdicts[i]->entity, gpu))
			return d->verdicts[i];
	return NULL;
}

double lost_hours(struct build *b, const struct verdict *v, struct spans when)
{
	double mean = signal_fold(b->mem, v->cost, when, FOLD_MEAN);

	return isnan(mean) ? 0 : mean * hours_of(signal_known(v->cost, when));
}

static void deal_finding(struct build *b, struct ledger *l, const struct draft *d, const struct entity *gpu, struct spans *left)
{
	const struct verdict *v = verdict_on(d, gpu);

	if (!v || !d->rule->cost)
		return;
	struct spans taken = spans_intersection(b->mem, *left, v->when);
	double all = hours_of(spans_length(taken)), lost = lost_hours(b, v, taken), wh = energy_wh(b, gpu, taken);
	double share = all > 0 ? lost / all : 0;
	charge(&l->findings[d - b->drafts], lost, wh * share);
	l->findings[d - b->drafts].wh_high += dark_wh(b, gpu, taken) * share;
	charge(&l->normal, all - lost, wh * (1 - share));
	struct spans rest = { NULL, 0 };
	for (size_t i = 0; i < left->n; i++)
		rest = spans_union(b->mem, rest, spans_complement(b->mem, v->when, left->at[i]));
	*left = rest;
}

/* A lost GPU has no rows, but what became of its time is known. */
static struct spans lost_time(struct build *b, const struct entity *gpu)
{
	const struct track *lost = run_track(b->run, gpu, METRIC_GPU_LOST);

	if (!lost)
		return (struct spans){ NULL, 0 };
	struct signal is_lost = signal_from_track(b->mem, lost, b->run->span);
	struct signal never = signal_constant(b->mem, 0, b->run->span);
	return truths_spans(b->mem, truths_compare(b->mem, is_lost, GREATER, never), YES);
}

struct spans gpu_accounted(struct build *b, const struct entity *gpu)
{
	return spans_union(b->mem, gpu_logged(b->mem, b->run, gpu), lost_time(b, gpu));
}

static void deal_gpu(struct build *b, struct ledger *l, const struct entity *gpu, struct draft *const *order, size_t n)
{
	struct spans left = gpu_accounted(b, gpu);
	struct spans rows = gpu_logged(b->mem, b->run, gpu);
	struct spans unlogged = spans_complement(b->mem, left, b->run->span);

	l->unlogged_hours += hours_of(span_length(b->run->span) - spans_length(rows));
	l->no_log.hours += hours_of(spans_length(unlogged));
	l->no_log.wh_high += dark_wh(b, gpu, unlogged);
	for (size_t i = 0; i < n; i++)
		deal_finding(b, l, order[i], gpu, &left);
	struct spans outside_work = run_phases(b->mem, b->run, ~(1U << PHASE_STEADY));
	struct spans overhead = spans_intersection(b->mem, left, outside_work);
	double all = hours_of(spans_length(left)), idle = hours_of(spans_length(overhead));
	double wh_all = energy_wh(b, gpu, left), wh_idle = energy_wh(b, gpu, overhead);
	charge(&l->overhead, idle, wh_idle);
	charge(&l->normal, all - idle, wh_all - wh_idle);
}

static int by_alone(const void *a, const void *b)
{
	const struct draft *x = *(const struct draft *const *)a, *y = *(const struct draft *const *)b;

	if (x->depth != y->depth)
		return x->depth - y->depth;
	if (x->alone_hours != y->alone_hours)
		return x->alone_hours > y->alone_hours ? -1 : 1;
	int ids = strcmp(x->rule->id, y->rule->id);
	return ids ? ids : (x > y) - (x < y);
}

/* Findings that cost and are no symptoms: causes before what they explain, then the costliest first. */
static struct draft **charging_order(struct build *b, size_t *n)
{
	struct draft **order = NEW_ARRAY(b->mem, struct draft *, b->n_drafts);

	*n = 0;
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *d = &b->drafts[i];
		for (size_t k = 0; k < d->n_verdicts && d->rule->cost; k++)
			d->alone_hours += lost_hours(b, d->verdicts[k], d->verdicts[k]->when);
		if (d->rule->cost && !d->cause)
			order[(*n)++] = d;
	}
	if (*n)
		qsort(order, *n, sizeof *order, by_alone);
	return order;
}

static struct ledger_row row_of(struct build *b, const struct account *a, const char *class, const char *label)
{
	double share = b->total_hours > 0 ? a->hours / b->total_hours : 0;
	const char *percent = percent_text(b->mem, share);

	return (struct ledger_row){
		.class = class,
		.label = label,
		.short_label = label,
		.gpu_hours = a->hours,
		.energy_kwh = { a->wh_low / 1000, a->wh_high / 1000 },
		.share = share,
		.hours_text = gpu_time_number(b->mem, b->unit, a->hours),
		.percent_text = arena_text(b->mem, percent, strcspn(percent, " ")),
	};
}

/* "start, dips and end": what a dip was for is said by findings, where logs tell. */
static const char *overhead_label(const struct build *b)
{
	static const struct {
		const char *word;
		unsigned phases;
	} parts[] = { { "start", 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP }, { "dips", 1U << PHASE_DIP }, { "down", 1U << PHASE_DOWN },
		{ "end", 1U << PHASE_TAIL } };
	const char *words[sizeof parts / sizeof *parts];
	size_t n = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (run_phases(b->mem, b->run, parts[i].phases).n)
			words[n++] = parts[i].word;
	return n ? joined(b->mem, words, n, ", ", " and ") : "end";
}

/* Half a second of GPU time, and a two-thousandth of the run: less is how the clocks of a log are staggered. */
static bool is_worth_a_row(const struct build *b, const struct account *a)
{
	return a->hours > 0.5 / 3600 && a->hours > 0.0005 * b->total_hours;
}

/* Without a healthy stretch, or with a finding that has no cost, suppressed or not, the rest is not known to be good. */
static bool has_no_normal(const struct build *b, const struct ledger *l)
{
	bool none = l->any_reference_assumed;

	for (size_t i = 0; i < b->n_drafts; i++)
		none |= !b->drafts[i].cause && !b->drafts[i].rule->cost && b->drafts[i].severity > SEVERITY_NOTE;
	return none;
}

/* What is printed adds up to the printed total: the rounding of the rows goes into the first and largest kind. */
static void round_rows(struct build *b, struct ledger_row *rows, size_t n)
{
	double rest = gpu_time_shown(b->unit, b->total_hours);

	for (size_t i = 1; i < n; i++)
		rest -= gpu_time_shown(b->unit, rows[i].gpu_hours);
	if (rest > 0)
		rows[0].hours_text = gpu_time_number(b->mem, b->unit, rest / b->unit.per_hour);
}

#define LABEL_WIDTH ((size_t)34) /* of the table in templates/report.txt.tmpl */

/* "[1] input starvation, at most"; the finding itself says "up to", so where it does not fit it is left out here. */
static const char *finding_label(struct build *b, const struct draft *d)
{
	const char *plain = arena_print(b->mem, "[%zu] %s", d->number, d->rule->short_name);
	const char *full = arena_print(b->mem, "%s, at most", plain);

	return d->upper_bound && strlen(full) <= LABEL_WIDTH ? full : plain;
}

static void join(struct account *to, struct account *crumb)
{
	to->hours += crumb->hours;
	to->wh_low += crumb->wh_low;
	to->wh_high += crumb->wh_high;
	*crumb = (struct account){ 0 };
}

/*
 * Too little for a row of its own joins its neighbour, or the rows would not add up to the run. Such bits
 * without log are how the first and last rows of several GPUs follow each other.
 */
static void join_crumbs(const struct build *b, struct ledger *l)
{
	if (!is_worth_a_row(b, &l->no_log))
		join(&l->overhead, &l->no_log);
	if (!is_worth_a_row(b, &l->suppressed))
		join(&l->normal, &l->suppressed);
	if (!is_worth_a_row(b, &l->overhead))
		join(&l->normal, &l->overhead);
}

static void write_rows(struct build *b, const struct ledger *l)
{
	struct ledger_row *rows = NEW_ARRAY(b->mem, struct ledger_row, b->n_ranked + 4);
	size_t k = 0;

	rows[k] = row_of(b, &l->normal, "normal", has_no_normal(b, l) ? "not counted as lost" : "at the run's normal speed");
	rows[k++].kind = LEDGER_NORMAL;
	for (size_t i = 0; i < b->n_ranked; i++) {
		const struct draft *d = b->ranked[i];
		if (!d->rule->cost || l->findings[d - b->drafts].hours <= 0)
			continue;
		rows[k] = row_of(b, &l->findings[d - b->drafts], d->rule->id, finding_label(b, d));
		rows[k].short_label = d->upper_bound ? arena_print(b->mem, "%s (upper bound)", d->rule->short_name) : d->rule->short_name;
		rows[k].finding = d->number;
		rows[k].severity_level = d->severity;
		rows[k++].kind = LEDGER_FINDING;
	}
	if (is_worth_a_row(b, &l->suppressed)) {
		rows[k] = row_of(b, &l->suppressed, "suppressed", "suppressed");
		rows[k++].kind = LEDGER_OVERHEAD;
	}
	if (is_worth_a_row(b, &l->overhead)) {
		rows[k] = row_of(b, &l->overhead, "overhead", overhead_label(b));
		rows[k++].kind = LEDGER_OVERHEAD;
	}
	if (is_worth_a_row(b, &l->no_log)) {
		rows[k] = row_of(b, &l->no_log, "no-log", "no log, not judged");
		rows[k].short_label = "no log";
		rows[k++].kind = LEDGER_NO_LOG;
	}
	round_rows(b, rows, k);
	b->report->ledger = rows;
	b->report->n_ledger = k;
	b->report->has_ledger = b->total_hours > 0 && !b->too_short && l->no_log.hours < 0.9995 * b->total_hours;
}

void build_ledger(struct build *b)
{
	struct ledger l = { .findings = NEW_ARRAY(b->mem, struct account, b->n_drafts) };
	size_t n;
	struct draft **order = charging_order(b, &n);

	for (size_t g = 0; g < b->run->n_gpus; g++)
		deal_gpu(b, &l, b->run->gpus[g], order, n);
	for (size_t i = 0; i < n; i++) {
		struct draft *d = order[i];
		d->cost_hours = l.findings[d - b->drafts].hours;
		l.any_reference_assumed |= d->upper_bound;
		if (d->suppressed) {
			join(&l.suppressed, &l.findings[d - b->drafts]);
			continue;
		}
		b->lost_high += d->cost_hours;
		b->lost_low += d->upper_bound ? 0 : d->cost_hours;
	}
	b->suppressed_hours = l.suppressed.hours;
	b->no_log_hours = l.no_log.hours;
	b->unlogged_hours = l.unlogged_hours;
	join_crumbs(b, &l);
	rank_drafts(b);
	write_rows(b, &l);
}
