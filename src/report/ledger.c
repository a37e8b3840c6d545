/*
 * ledger.c - each GPU-second in exactly one class; the sum is the run.
 *
 * For each GPU the run's span is dealt out in this order (visual.md 13.2): no log; then the
 * findings that cost, causes before what they explain; then start and end; the rest is normal. Of findings that do not explain
 * each other those come first that lose their seconds whole (not used, crashed, stuck), then those that lose clock and those
 * that lose busy time, of which the one goes first that lost more of what both claim, then others; of equal ones the costliest first. Of
 * the seconds a finding takes, the share that it says was lost is charged to it, and the rest counts as normal. A finding on one GPU that
 * explains what was lost on others is charged for that, and is dealt those seconds. What is charged to suppressed findings is one row that
 * blames nobody; it is not handed on to the findings behind them, which would tell the same loss under another name.
 *
 * Energy follows the seconds. It is a range: a reading of power may be off by 5 W, and where power is not known
 * nothing or all that the limit allows may have been drawn.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

/* nvidia-smi --help-query-gpu of power.draw: "accurate to within +/- 5 watts". */
#define SENSOR_TOLERANCE_W 5

struct account {
	double hours, least, least_waited; /* of findings that tell bounds: least, and of that what others lost who waited */
	double unmeasured;                 /* of findings: beside what they lost, time of which nobody knows what was lost */
	struct energy energy;
};

struct ledger {
	const struct entity *gpu; /* whose time is dealt out */
	double off_an_hour;       /* of its energy */
	struct account normal, overhead, suppressed, no_log;
	struct account unknown;   /* rows without GPU busy, of which nothing was found, and time of findings that is unmeasured */
	double unlogged_hours;    /* without rows, lost GPUs included, whose time is charged */
	struct account *findings; /* beside build->drafts */
	bool any_reference_assumed;
};

static double hours_of(time_ms t)
{
	return (double)t / HOUR_MS;
}

#define NEGLIGIBLE_OFF 0.1 /* of what the sensor may be off by */

/* Wh an hour in which power is known: parts of the time get of what is told of all of it. */
static double off_an_hour(const struct build *b, const struct entity *gpu)
{
	const struct track *const power = run_track(b->run, gpu, METRIC_GPU_POWER);
	const double known = power ? hours_of(track_known_time(power, spans_one(&b->run->span))) : 0;

	return known > 0 ? track_integral_off(power, NEGLIGIBLE_OFF * SENSOR_TOLERANCE_W * known) / known : 0;
}

static struct energy energy_of(const struct build *b, const struct ledger *l, struct spans when)
{
	const struct entity *const gpu = l->gpu;
	const struct track *limit = run_track(b->run, gpu, METRIC_GPU_POWER_LIMIT), *power = run_track(b->run, gpu, METRIC_GPU_POWER);
	const struct stats limits = limit ? means_of(b, limit, spans_one(&b->run->span)) : (struct stats){ 0 };
	const double known = power ? hours_of(track_known_time(power, when)) : 0, dark = hours_of(spans_length(when)) - known;

	return (struct energy){
		.wh = power ? track_integral(power, when) : 0,
		.known_hours = known,
		.off_wh = l->off_an_hour * known,
		.dark_wh = limits.known ? dark * limits.max : 0,
		.unbounded_hours = limits.known ? 0 : dark,
	};
}

static void add_energy(struct energy *to, const struct energy *more, double share)
{
	to->wh += more->wh * share;
	to->known_hours += more->known_hours * share;
	to->off_wh += more->off_wh * share;
	to->dark_wh += more->dark_wh * share;
	to->unbounded_hours += more->unbounded_hours * share;
}

double energy_tolerance_wh(const struct energy *e)
{
	return SENSOR_TOLERANCE_W * e->known_hours + e->off_wh;
}

struct range energy_range(const struct energy *e)
{
	const double off = energy_tolerance_wh(e);

	return (struct range){ fmax(e->wh - off, 0) / 1000, e->unbounded_hours > NO_COST_HOURS ? NAN : (e->wh + off + e->dark_wh) / 1000 };
}

struct range money_range(const struct build *b, struct range hours)
{
	const double rate = b->report->rate.per_gpu_hour;

	return rate > 0 ? (struct range){ hours.low * rate, hours.high * rate } : (struct range){ NAN, NAN };
}

static void charge(struct account *a, double hours, const struct energy *energy, double share)
{
	a->hours += hours;
	add_energy(&a->energy, energy, share);
}

static const struct verdict *verdict_on(const struct draft *d, const struct entity *gpu)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (concerns(d->verdicts[i]->entity, gpu))
			return d->verdicts[i];
	return NULL;
}

/* Where a share is not known, nothing is said to be lost. */
static double hours_lost(const struct shares *share, struct spans when, time_ms *known)
{
	return shares_sum(share, when, known) / HOUR_MS;
}

double lost_hours(const struct verdict *v, struct spans when)
{
	time_ms known;

	return hours_lost(&v->cost, when, &known);
}

double least_hours(const struct verdict *v, struct spans when)
{
	if (v->reference_assumed)
		return 0;
	if (!v->rule->cost_least)
		return lost_hours(v, when);
	time_ms known;
	return hours_lost(&v->cost_least, when, &known);
}

/* The order of visual.md 13.2, told by what a finding says it lost: a second as a whole, clock, busy time, something else. */
static int rank_of_loss(const struct draft *d)
{
	if (d->lost_whole)
		return 0;
	if (d->rule->by_driver_flag || d->rule->cost_lack == METRIC_GPU_CLOCK_SHARE)
		return 1;
	return d->rule->cost_lack == METRIC_GPU_UTIL ? 2 : 3;
}

static int by_alone(const void *a, const void *b)
{
	const struct draft *x = *(const struct draft *const *)a, *y = *(const struct draft *const *)b;

	if (x->depth != y->depth)
		return x->depth - y->depth;
	if (rank_of_loss(x) != rank_of_loss(y))
		return rank_of_loss(x) - rank_of_loss(y);
	if (x->alone_hours != y->alone_hours)
		return x->alone_hours > y->alone_hours ? -1 : 1;
	int ids = strcmp(x->rule->id, y->rule->id);
	return ids ? ids : (x > y) - (x < y);
}

static bool lacks_clock_or_busy(const struct draft *d)
{
	return rank_of_loss(d) == 1 || rank_of_loss(d) == 2;
}

/*
 * Which of two findings is dealt what both claim of a GPU's time. Of one that lacks clock and one that lacks busy it is the one that lost
 * more of it there: a GPU that is busy for a third of the time while it is warm, too, was not slowed by the heat.
 */
static bool goes_before(struct build *b, const struct draft *x, const struct draft *y, const struct entity *gpu)
{
	const bool are_clock_and_busy = rank_of_loss(x) != rank_of_loss(y) && lacks_clock_or_busy(x) && lacks_clock_or_busy(y);
	const bool is_by_loss = are_clock_and_busy && x->depth == y->depth;
	const struct verdict *const of_x = is_by_loss ? verdict_on(x, gpu) : NULL, *const of_y = of_x ? verdict_on(y, gpu) : NULL;

	if (of_x && of_y) {
		const struct spans both = spans_intersection(b->mem, of_x->when, of_y->when);
		const double lost_x = lost_hours(of_x, both), lost_y = lost_hours(of_y, both);
		if (lost_x != lost_y)
			return lost_x > lost_y;
	}
	return by_alone(&x, &y) < 0;
}

/* `of`: whose loss it is, the finding's own, that of a part of its story, or of those who waited for it. */
static void deal_time(struct build *b, struct ledger *l, const struct draft *d, const struct draft *of, const struct verdict *v,
	struct spans when, struct spans *left)
{
	struct account *const charged = &l->findings[d - b->drafts];
	struct spans taken = spans_intersection(b->mem, *left, when);
	time_ms known = 0;
	const double all = hours_of(spans_length(taken)), lost = hours_lost(&v->cost, taken, &known), unmeasured = all - hours_of(known);
	const double share = all > 0 ? lost / all : 0, dark_share = all > 0 ? unmeasured / all : 0;
	const struct energy energy = energy_of(b, l, taken);
	charge(charged, lost, &energy, share);
	const double least = fmin(lost, least_hours(v, taken));
	charged->least += least;
	charged->least_waited += is_waiting_for(b, of, d) ? least : 0;
	charged->unmeasured += unmeasured;
	charge(&l->unknown, unmeasured, &energy, dark_share);
	charge(&l->normal, all - lost - unmeasured, &energy, 1 - share - dark_share);
	*left = spans_without(b->mem, *left, when);
}

/* What a finding is dealt time of a GPU for: 0: its own there; i: what the draft i - 1 lost there, which it pays for. */
static const struct draft *loss_of(const struct build *b, const struct draft *d, size_t i)
{
	return i ? &b->drafts[i - 1] : d;
}

/* NULL: nothing. */
static const struct verdict *charge_of(struct build *b, const struct draft *d, const struct entity *gpu, size_t i, struct spans *when)
{
	const struct draft *const of = loss_of(b, d, i);
	const bool is_charged = of->rule->cost && (!i || (d->costs && payer_of(b, of) == d));
	const struct verdict *const v = is_charged ? verdict_on(of, gpu) : NULL;

	if (v)
		*when = i ? explained_time(b, of, v) : v->when;
	return v;
}

static struct spans charged_time(struct build *b, const struct draft *d, const struct entity *gpu)
{
	struct spans all = { NULL, 0 }, when;

	for (size_t i = 0; i <= b->n_drafts; i++)
		if (charge_of(b, d, gpu, i, &when))
			all = spans_union(b->mem, all, when);
	return all;
}

/* What those that are dealt time later go before the finding for. */
static struct spans kept_for_others(struct build *b, const struct ledger *l, struct draft *const *order, size_t n, size_t at)
{
	struct spans kept = { NULL, 0 };

	for (size_t i = at + 1; i < n; i++)
		if (goes_before(b, order[i], order[at], l->gpu))
			kept = spans_union(b->mem, kept, charged_time(b, order[i], l->gpu));
	return kept;
}

static void deal_finding(struct build *b, struct ledger *l, struct draft *const *order, size_t n, size_t at, struct spans *left)
{
	const struct draft *const d = order[at];
	const struct spans kept = spans_intersection(b->mem, *left, kept_for_others(b, l, order, n, at));
	const struct verdict *v;
	struct spans when;

	*left = spans_without(b->mem, *left, kept);
	for (size_t i = 0; i <= b->n_drafts; i++)
		if ((v = charge_of(b, d, l->gpu, i, &when)))
			deal_time(b, l, d, loss_of(b, d, i), v, when, left);
	*left = spans_union(b->mem, *left, kept);
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

/* Of some time that in which nobody logged how busy the GPU was: what nothing was found in was not known to be normal. */
static struct spans busy_unknown(struct build *b, const struct entity *gpu, struct spans time)
{
	const struct track *busy = run_track(b->run, gpu, METRIC_GPU_UTIL);

	return busy ? spans_without(b->mem, time, track_known(b->mem, busy)) : time;
}

static void deal_gpu(struct build *b, struct ledger *l, const struct entity *gpu, struct draft *const *order, size_t n)
{
	struct spans left = gpu_accounted(b, gpu);
	struct spans rows = gpu_logged(b->mem, b->run, gpu);
	struct spans unlogged = spans_complement(b->mem, left, b->run->span);

	l->gpu = gpu;
	l->off_an_hour = off_an_hour(b, gpu);
	l->unlogged_hours += hours_of(span_length(b->run->span) - spans_length(rows));
	const struct energy dark = energy_of(b, l, unlogged);
	charge(&l->no_log, hours_of(spans_length(unlogged)), &dark, 1);
	for (size_t i = 0; i < n; i++)
		deal_finding(b, l, order, n, i, &left);
	struct spans outside_work = run_phases(b->mem, b->run, ~(1U << PHASE_STEADY));
	struct spans overhead = spans_intersection(b->mem, left, outside_work);
	struct spans unknown = busy_unknown(b, gpu, spans_without(b->mem, left, overhead));
	const struct energy all = energy_of(b, l, left), idle = energy_of(b, l, overhead), not_told = energy_of(b, l, unknown);
	charge(&l->overhead, hours_of(spans_length(overhead)), &idle, 1);
	charge(&l->unknown, hours_of(spans_length(unknown)), &not_told, 1);
	charge(&l->normal, hours_of(spans_length(left) - spans_length(overhead) - spans_length(unknown)), &all, 1);
	add_energy(&l->normal.energy, &idle, -1);
	add_energy(&l->normal.energy, &not_told, -1);
}

bool takes_time_of(struct build *b, const struct draft *first, const struct draft *d)
{
	for (size_t g = 0; g < b->run->n_gpus && first->costs; g++) {
		const struct entity *const gpu = b->run->gpus[g];
		const struct spans wanted = goes_before(b, first, d, gpu) ? charged_time(b, d, gpu) : (struct spans){ NULL, 0 };
		if (wanted.n && spans_length(spans_intersection(b->mem, wanted, charged_time(b, first, gpu))) > 0)
			return true;
	}
	return false;
}

/* What is joined may be on the same GPU at the same time: that is lost once. */
static struct spans paid_time(struct build *b, const struct draft *d, const struct draft *symptom, const struct verdict *v)
{
	const struct spans time = explained_time(b, symptom, v);
	const struct verdict *own = symptom->is_joined && d->rule->cost ? verdict_on(d, v->entity) : NULL;

	return own ? spans_without(b->mem, time, own->when) : time;
}

/* What was lost on other GPUs by this finding, and by what is joined to it. */
static double hours_paid(struct build *b, const struct draft *d)
{
	double hours = 0;

	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct draft *s = &b->drafts[i];
		for (size_t k = 0; k < s->n_verdicts && s->rule->cost && payer_of(b, s) == d; k++)
			hours += lost_hours(s->verdicts[k], paid_time(b, d, s, s->verdicts[k]));
	}
	return hours;
}

/* Findings that cost and are no symptoms. */
static struct draft **charging_order(struct build *b, size_t *n)
{
	struct draft **order = NEW_ARRAY(b->mem, struct draft *, b->n_drafts);

	*n = 0;
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *d = &b->drafts[i];
		for (size_t k = 0; k < d->n_verdicts && d->rule->cost; k++)
			d->alone_hours += lost_hours(d->verdicts[k], d->verdicts[k]->when);
		d->lost_whole = is_lost_whole(d);
		d->alone_hours += hours_paid(b, d);
		if (d->costs && !d->cause)
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
		.money = money_range(b, (struct range){ a->hours, a->hours }).low,
		.energy_kwh = energy_range(&a->energy),
		.share = share,
		.hours_text = gpu_time_number(b->mem, b->unit, a->hours),
		.percent_text = arena_text(b->mem, percent, strcspn(percent, " ")),
		.money_text = b->report->rate.per_gpu_hour > 0 ? money_number(b->mem, a->hours * b->report->rate.per_gpu_hour) : NULL,
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
	const char *words[sizeof parts / sizeof *parts + 1];
	const struct spans marked = b->run->marked;
	size_t n = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (spans_without(b->mem, run_phases(b->mem, b->run, parts[i].phases), marked).n)
			words[n++] = parts[i].word;
	if (spans_intersection(b->mem, run_phases(b->mem, b->run, ~(1U << PHASE_STEADY)), marked).n)
		words[n++] = "marked time";
	return n ? joined(b->mem, words, n, ", ", " and ") : "end";
}

/* Half a second of GPU time, and a two-thousandth of the run: less is how the clocks of a log are staggered. */
static bool is_worth_a_row(const struct build *b, const struct account *a)
{
	return a->hours > 0.5 / 3600 && a->hours > 0.0005 * b->total_hours;
}

/* Without a healthy stretch, or with a finding that has no cost, suppressed or not, the rest is not known to be good; nor is too little. */
static bool has_no_normal(const struct build *b, const struct ledger *l)
{
	bool none = l->any_reference_assumed || steady_length(b) < LEAST_WORK;

	for (size_t i = 0; i < b->n_drafts; i++)
		none |= !b->drafts[i].cause && !b->drafts[i].costs && b->drafts[i].severity > SEVERITY_NOTE;
	return none;
}

/* What is printed as "<0.1" counts as what it is: of many such rows nothing may become normal. */
static double as_printed(double shown, double exact)
{
	return shown > 0 ? shown : exact;
}

/* The row without a number of its own elsewhere, as findings have, that is furthest below what it is, or above; n: none. */
static size_t worst_rounded(const struct ledger_row *rows, const double *shown, const double *exact, size_t n, double sign)
{
	size_t worst = n;

	for (size_t i = 0; i < n; i++)
		if (rows[i].kind != LEDGER_FINDING && shown[i] > 0 &&
			(worst == n || sign * (exact[i] - shown[i]) > sign * (exact[worst] - shown[worst])))
			worst = i;
	return worst;
}

/*
 * What is printed adds up to the printed total: a last digit goes to each of the rows that rounding has taken most from. Of many rows that
 * may be more than a digit each: then all stay as they are.
 */
static void spread_rounding(const struct ledger_row *rows, double *shown, const double *exact, size_t n, double digit, double total)
{
	double rest = total;

	for (size_t i = 0; i < n; i++)
		rest -= as_printed(shown[i], exact[i]);
	const double sign = rest < 0 ? -1 : 1;
	for (long left = lround(fabs(rest) / digit); left > 0; left--) {
		const size_t worst = worst_rounded(rows, shown, exact, n, sign);
		if (worst == n || sign * (shown[worst] - exact[worst]) > digit / 2)
			return;
		shown[worst] += sign * digit;
	}
}

static void round_money(struct build *b, struct ledger_row *rows, size_t n)
{
	double *const shown = NEW_ARRAY(b->mem, double, n), *const exact = NEW_ARRAY(b->mem, double, n);

	for (size_t i = 0; i < n; i++) {
		exact[i] = rows[i].money;
		shown[i] = money_shown(exact[i]);
	}
	const double total = money_shown(b->total_hours * b->report->rate.per_gpu_hour);
	spread_rounding(rows, shown, exact, n, pow(10, -money_decimals(total)), total);
	for (size_t i = 0; i < n; i++)
		if (rows[i].money_text && shown[i] > 0)
			rows[i].money_text = money_number(b->mem, shown[i]);
}

static void round_rows(struct build *b, struct ledger_row *rows, size_t n)
{
	double *const shown = NEW_ARRAY(b->mem, double, n), *const exact = NEW_ARRAY(b->mem, double, n);

	for (size_t i = 0; i < n; i++) {
		exact[i] = rows[i].gpu_hours * b->unit.per_hour;
		shown[i] = gpu_time_shown(b->unit, rows[i].gpu_hours);
	}
	spread_rounding(rows, shown, exact, n, pow(10, -b->unit.decimals), gpu_time_shown(b->unit, b->total_hours));
	for (size_t i = 0; i < n; i++)
		if (shown[i] > 0)
			rows[i].hours_text = gpu_time_number(b->mem, b->unit, shown[i] / b->unit.per_hour);
}

static void join(struct account *to, struct account *crumb)
{
	to->hours += crumb->hours;
	add_energy(&to->energy, &crumb->energy, 1);
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
	if (!is_worth_a_row(b, &l->unknown))
		join(&l->normal, &l->unknown);
	if (!is_worth_a_row(b, &l->suppressed))
		join(&l->normal, &l->suppressed);
	if (!is_worth_a_row(b, &l->overhead))
		join(&l->normal, &l->overhead);
	if (l->unknown.hours > 0 && !is_worth_a_row(b, &l->normal))
		join(&l->unknown, &l->normal);
}

static const char *unknown_label(const struct build *b, const struct ledger *l)
{
	double unmeasured = 0;

	for (size_t i = 0; i < b->n_drafts; i++)
		unmeasured += l->findings[i].unmeasured;
	return unmeasured <= NO_COST_HOURS ? "GPU busy not known" : "not known what was lost";
}

static void write_rows(struct build *b, const struct ledger *l)
{
	struct ledger_row *rows = NEW_ARRAY(b->mem, struct ledger_row, b->n_ranked + 5);
	size_t k = 0;

	if (l->normal.hours > 0 || l->unknown.hours <= 0) {
		rows[k] = row_of(b, &l->normal, "normal", has_no_normal(b, l) ? "at work" : "at the run's normal speed");
		rows[k].is_unjudged = steady_length(b) < LEAST_WORK;
		rows[k++].kind = LEDGER_NORMAL;
	}
	if (l->unknown.hours > 0) {
		rows[k] = row_of(b, &l->unknown, "busy-unknown", unknown_label(b, l));
		rows[k++].kind = LEDGER_NO_LOG;
	}
	for (size_t i = 0; i < b->n_ranked; i++) {
		const struct draft *d = b->ranked[i];
		if (!d->costs || l->findings[d - b->drafts].hours <= 0)
			continue;
		const char *const name = short_name_of(b, d);
		rows[k] = row_of(b, &l->findings[d - b->drafts], d->rule->id, arena_print(b->mem, "[%zu] %s", d->number, name));
		rows[k].short_label = name;
		rows[k].upper_bound = d->upper_bound;
		rows[k].finding = d->number;
		rows[k].severity_level = d->severity;
		rows[k++].kind = LEDGER_FINDING;
	}
	if (is_worth_a_row(b, &l->suppressed)) {
		rows[k] = row_of(b, &l->suppressed, "suppressed", "suppressed");
		rows[k++].kind = LEDGER_SUPPRESSED;
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
	round_money(b, rows, k);
	b->report->ledger = rows;
	b->report->n_ledger = k;
	b->report->has_ledger = b->total_hours > 0 && !b->too_short && l->no_log.hours < 0.9995 * b->total_hours;
}

bool lacks_reference(const struct draft *d)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (d->rule->cost && d->verdicts[i]->reference_assumed)
			return true;
	return false;
}

/* What was charged to a finding counts as lost, unless nobody tells it: suppressed, or so little that it is part of another's story. */
static void settle(struct build *b, struct ledger *l, struct draft *d)
{
	struct account *const charged = &l->findings[d - b->drafts];

	if (d->suppressed) {
		join(&l->suppressed, charged);
	} else if (d->cause) {
		join(&l->normal, charged);
	} else {
		b->lost_high += d->cost_hours;
		b->lost_low += d->least_hours;
	}
}

static struct energy energy_of_all(const struct build *b, const struct ledger *l)
{
	struct energy all = { 0 };

	add_energy(&all, &l->normal.energy, 1);
	add_energy(&all, &l->overhead.energy, 1);
	add_energy(&all, &l->suppressed.energy, 1);
	add_energy(&all, &l->no_log.energy, 1);
	add_energy(&all, &l->unknown.energy, 1);
	for (size_t i = 0; i < b->n_drafts; i++)
		add_energy(&all, &l->findings[i].energy, 1);
	return all;
}

#define SAME_BOUNDS 1.005 /* the most and the least that was lost are one number then */

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
		d->least_hours = l.findings[d - b->drafts].least;
		d->least_waited = l.findings[d - b->drafts].least_waited;
		d->unmeasured_hours = l.findings[d - b->drafts].unmeasured;
		d->upper_bound &= d->cost_hours > SAME_BOUNDS * d->least_hours;
		if (!d->upper_bound)
			d->least_hours = d->cost_hours;
		l.any_reference_assumed |= lacks_reference(d);
	}
	b->no_log_hours = l.no_log.hours;
	rank_drafts(b);
	for (size_t i = 0; i < b->n_drafts; i++)
		settle(b, &l, &b->drafts[i]);
	b->suppressed_hours = l.suppressed.hours;
	b->unlogged_hours = l.unlogged_hours;
	b->energy = energy_of_all(b, &l);
	join_crumbs(b, &l);
	write_rows(b, &l);
}
