/*
 * ledger_laws.c - whatever the verdicts say, the rows of the ledger add up to the run.
 *
 * Runs of one to four GPUs with holes, missing power and late ends; rules that explain each other, on GPUs, hosts and the
 * run; verdicts that fire when chance wants it, at any cost; suppressions; phases. What the rules would say themselves is not asked.
 */
#include "series.h"

#include "report/report.h"
#include "rules.h"

#define WORDS "short: s\nchecked: c\nseverity: critical\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define FILE_OF(id, text) { "r/" id ".yaml", { WORDS text, sizeof WORDS text - 1 }, LAYER_GIVEN }

static const struct rule_file files[] = {
	FILE_OF("busy", "scope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 80 %\nexplains: [clock, free]\n"),
	FILE_OF("clock", "scope: gpu\nwhen: gpu.clock_share < 50 %\ncost: 1 - gpu.clock_share / 80 %\nexplains: [host]\n"),
	FILE_OF("free", "scope: gpu\nwhen: gpu.temp > 50 C\n"),
	FILE_OF("gone", "scope: gpu\nwhen: gpu.lost > 0\ncost: gpu.lost\nexplains: [busy, whole]\n"),
	FILE_OF("host", "scope: host\nwhen: host.cpu.busy > 50 %\ncost: 30 %\n"),
	FILE_OF("whole", "scope: run\nwhen: max(run.loss) > 1\ncost: 100 %\nexplains: [gone]\n"),
};
#define N_RULES (sizeof files / sizeof *files)
#define MOST_GPUS 4
#define MOST_ROWS 60

/* The same for all cases, so that a case is about the ledger and not about reading rules. */
static const struct rules *rules_read_once(void)
{
	static struct arena mem;
	static struct diags diags;
	static const struct rules *rules;

	if (rules)
		return rules;
	arena_init(&mem);
	diags_init(&diags, &mem);
	rules = rules_of_files(&mem, files, N_RULES, &diags);
	if (!rules)
		BUG(diag_text(&mem, &diags.at[0]));
	return rules;
}

/* A row every few seconds, some late, some without a value. */
static struct track *seconds_of(struct random *r, struct arena *mem, enum metric metric, const struct entity *gpu)
{
	const size_t n = (size_t)(20 + random_below(r, MOST_ROWS - 20));
	const int missing = 2 + random_below(r, 30), late = 4 + random_below(r, 40), most = metric == METRIC_GPU_UTIL ? 101 : 700;
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	struct track *t = NEW(mem, struct track);

	for (size_t i = 0; i < n; i++) {
		const int seconds = 1 + random_below(r, 3) + (random_one_in(r, late) ? random_below(r, 200) : 0);
		times[i] = (i > 0 ? times[i - 1] : 0) + seconds * SECOND_MS + random_below(r, 999);
		values[i] = random_one_in(r, missing) ? FIXED_MISSING : random_below(r, most) * FIXED_ONE;
	}
	*t = (struct track){ .metric = metric, .entity = gpu, .times = times, .values = values, .n = n, .step = median_step(mem, times, n) };
	return t;
}

static size_t random_phases(struct random *r, struct phase_span *phases)
{
	time_ms at = 0;
	size_t n = 0;

	for (int phase = PHASE_IDLE_HEAD; phase < N_PHASES; phase++) {
		const struct span s = { at, at + random_below(r, 90) * SECOND_MS };
		if (span_length(s))
			phases[n++] = (struct phase_span){ (enum phase)phase, s };
		at = s.end;
	}
	return n;
}

static struct run *random_run(struct random *r, struct arena *mem, struct diags *diags)
{
	static const struct entity gpus[MOST_GPUS] = { { .scope = SCOPE_GPU, .host = "a", .index = 0 }, { .scope = SCOPE_GPU, .host = "a", .index = 1 },
		{ .scope = SCOPE_GPU, .host = "b", .index = 0 }, { .scope = SCOPE_GPU, .host = "b", .index = 1 } };
	static const enum metric metrics[] = { METRIC_GPU_UTIL, METRIC_GPU_POWER, METRIC_GPU_POWER_LIMIT };
	struct track *tracks[MOST_GPUS * 3];
	struct phase_span phases[N_PHASES];
	const size_t n_gpus = (size_t)(1 + random_below(r, MOST_GPUS)), n_phases = random_phases(r, phases);
	size_t n = 0;

	for (size_t g = 0; g < n_gpus; g++)
		for (size_t m = 0; m < 3; m++)
			if (m == 0 || !random_one_in(r, 3))
				tracks[n++] = seconds_of(r, mem, metrics[m], &gpus[g]);
	struct run *run = run_from_tracks(mem, diags, "run", tracks, n, phases, n_phases);
	run->n_recordings = 0; /* no log was read, and none is to be described */
	return run;
}

static struct spans random_windows(struct random *r, struct arena *mem, struct span all)
{
	struct span any[5];
	const size_t n = (size_t)(1 + random_below(r, 5));

	for (size_t i = 0; i < n; i++) {
		any[i].begin = all.begin + random_below(r, (int)span_length(all));
		any[i].end = any[i].begin + 1 + (random_one_in(r, 4) ? random_below(r, 900) : random_below(r, (int)span_length(all)));
	}
	return spans_intersection(mem, spans_of(mem, any, n), spans_one(&all));
}

/* Any share, whole seconds, nothing, not known. */
static struct shares random_cost(struct random *r, struct arena *mem, struct span all)
{
	const size_t n = (size_t)(1 + random_below(r, 6));
	const bool is_whole = random_one_in(r, 4);
	struct piece *pieces = NEW_ARRAY(mem, struct piece, n);

	for (size_t i = 0; i < n; i++) {
		pieces[i].begin = all.begin + (time_ms)i * span_length(all) / (time_ms)n;
		pieces[i].value = is_whole ? 1 : random_one_in(r, 5) ? (double)NAN : random_below(r, 1000) / 999.0;
	}
	return shares_of(mem, (struct signal){ pieces, n, all.end });
}

static const struct entity *const *entities_of(const struct run *run, enum scope scope, size_t *n)
{
	static const struct entity *const nobody[] = { NULL };

	*n = scope == SCOPE_GPU ? run->n_gpus : scope == SCOPE_HOST ? run->n_hosts : 1;
	return scope == SCOPE_GPU ? run->gpus : scope == SCOPE_HOST ? run->hosts : nobody;
}

static struct verdicts random_verdicts(struct random *r, struct arena *mem, const struct run *run, const struct rules *rules)
{
	struct verdicts all = { NEW_ARRAY(mem, struct verdict, N_RULES * MOST_GPUS), 0 };
	const struct spans windows = random_windows(r, mem, run->span);

	for (size_t i = 0; i < rules->n; i++) {
		size_t n;
		const struct entity *const *who = entities_of(run, rules->at[i]->scope, &n);
		for (size_t k = 0; k < n; k++) {
			const bool fired = random_one_in(r, 2);
			all.at[all.n++] = (struct verdict){
				.rule = rules->at[i], .entity = who[k], .outcome = fired ? OUTCOME_FIRED : OUTCOME_CLEAR,
				.when = !fired ? (struct spans){ NULL, 0 } : random_one_in(r, 2) ? windows : random_windows(r, mem, run->span),
				.coverage = random_below(r, 101) / 100.0, .margin = NAN, .judged = span_length(run->span),
				.cost = rules->at[i]->cost ? random_cost(r, mem, run->span) : (struct shares){ .n = 0 },
				.reference = random_one_in(r, 2) ? 90 : (double)NAN, .reference_assumed = random_one_in(r, 2),
			};
		}
	}
	return all;
}

static const struct report *random_report(struct random *r, struct arena *mem, const struct run *run, double rate)
{
	static const struct suppression known = { "busy", "0", "x", DAY_MS };
	const struct rules *rules = rules_read_once();
	const struct report_options options = { .suppressions = &known, .n_suppressions = random_one_in(r, 3), .rate = { rate, "EUR" } };

	return report_build(run, rules, random_verdicts(r, mem, run, rules), &options);
}

#define CRUMB_HOURS (0.5 / 3600)

/* Wh that nobody knows of because it changed between two samples, and 0 where that is less than a tenth of what the sensor may be off by. */
static double between_samples(const struct track *t, double known)
{
	const double step = (double)t->step / HOUR_MS;
	double low = INFINITY, high = -INFINITY, squares = 0, sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		const fixed now = track_value(t, i), before = i ? track_value(t, i - 1) : FIXED_MISSING;
		if (now == FIXED_MISSING)
			continue;
		low = fmin(low, fixed_value(now));
		high = fmax(high, fixed_value(now));
		const time_ms apart = i ? track_time(t, i) - track_time(t, i - 1) : 0;
		if (before == FIXED_MISSING || apart > HOLE_STEPS * t->step)
			continue;
		const double change = (fixed_value(now) - fixed_value(before)) * (double)apart / HOUR_MS;
		squares += change * change;
		sum += change;
	}
	const double most = low <= high ? (high - low) * step * (2 * sqrt((double)t->n / 12) + 0.5) : 0;
	return most < 0.1 * 5 * known ? 0 : 2 * sqrt(squares / 12) + fabs(sum) / 2;
}

/* Of the whole run, GPU by GPU, in kWh; high NAN where for more than a crumb neither power nor a limit is known. */
static struct range energy_of(struct arena *mem, const struct run *run)
{
	const struct spans all = spans_one(&run->span);
	double wh = 0, known = 0, off = 0, dark_wh = 0, unbounded = 0;

	for (size_t i = 0; i < run->n_gpus; i++) {
		const struct track *power = run_track(run, run->gpus[i], METRIC_GPU_POWER);
		const struct track *limit = run_track(run, run->gpus[i], METRIC_GPU_POWER_LIMIT);
		const struct stats drawn = power ? track_stats(mem, power, all) : (struct stats){ 0 };
		wh += power ? track_integral(power, all) : 0;
		known += (double)drawn.known / HOUR_MS;
		off += drawn.known ? between_samples(power, (double)drawn.known / HOUR_MS) : 0;
		const double dark = (double)(span_length(run->span) - drawn.known) / HOUR_MS;
		dark_wh += limit ? dark * track_stats(mem, limit, all).max : 0;
		unbounded += limit ? 0 : dark;
	}
	off += 5 * known;
	return (struct range){ fmax(wh - off, 0) / 1000, unbounded > CRUMB_HOURS ? (double)NAN : (wh + off + dark_wh) / 1000 };
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9;
}

/* What a finding cost is not known where of its time nothing is, but for a crumb. */
static bool is_charged(double hours, double cost)
{
	return isnan(cost) ? hours <= CRUMB_HOURS : is_near(hours, cost);
}

/* The most that was lost is not known where that of a finding is not, and only there. */
static bool is_lost_in_all(const struct report *report, double lost)
{
	bool is_known = true;

	for (size_t i = 0; i < report->n_findings; i++)
		is_known &= !report->findings[i].has_cost || !isnan(report->findings[i].cost_gpu_hours.high);
	return is_known ? is_near(lost, report->verdict.lost_gpu_hours.high) : isnan(report->verdict.lost_gpu_hours.high);
}

/* Hours, money and energy of the rows against those of the run; what was lost against the findings. */
static bool adds_up(const struct report *report, struct range energy, double rate)
{
	double hours = 0, money = 0, low = 0, high = 0, lost = 0;

	for (size_t i = 0; i < report->n_ledger; i++) {
		const struct ledger_row *row = &report->ledger[i];
		if (row->gpu_hours < -1e-9 || row->energy_kwh.low < 0 || row->energy_kwh.high < row->energy_kwh.low - 1e-9)
			return false;
		if (row->finding && !is_charged(row->gpu_hours, report->findings[row->finding - 1].cost_gpu_hours.high))
			return false;
		hours += row->gpu_hours;
		money += row->money;
		low += row->energy_kwh.low;
		high += row->energy_kwh.high;
		lost += row->finding ? row->gpu_hours : 0;
	}
	const bool is_bounded = !isnan(energy.high);
	const bool high_fits = is_bounded ? is_near(high, energy.high) : isnan(report->verdict.energy_kwh.high);
	/* a row's low end is no less than 0, so that their sum may be above that of the run */
	const bool energy_fits = low >= energy.low - 1e-9 && is_near(report->verdict.energy_kwh.low, energy.low) && high_fits &&
				 (!is_bounded || is_near(report->verdict.energy_kwh.high, energy.high));
	return is_near(hours, report->run.seconds / 3600 * (double)report->run.n_gpus) && is_near(hours, report->verdict.gpu_hours) &&
	       is_near(money, hours * rate) && is_lost_in_all(report, lost) && energy_fits;
}

static bool each_second_is_in_one_class(struct random *r, struct arena *mem)
{
	const double rate = 1 + random_below(r, 900) / 100.0;
	struct diags diags;

	diags_init(&diags, mem);
	const struct run *run = random_run(r, mem, &diags);
	const bool holds = adds_up(random_report(r, mem, run, rate), energy_of(mem, run), rate);
	diags_release(&diags);
	return holds;
}

/* A report takes a hundred times as long as a comparison of spans. */
int main(int argc, char **argv)
{
	static const struct law laws[] = { LAW_ONE_IN(each_second_is_in_one_class, 20) };

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
