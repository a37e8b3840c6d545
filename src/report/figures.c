/*
 * figures.c - which panels the pictures show, on which axes, with which labels. No pixels here.
 */
#include "report/gpu_rows.h"

#include "base/number.h"
#include "series/cursor.h"

#include <math.h>

#define HEADROOM 1.06 /* of the highest value or limit, which is a line inside of its panel and not the panel's edge: visual.md 6 */
/* Where next to nothing is used there is still an axis. */
#define LEAST_HIGH_GIB 0.1
#define LEAST_HIGH 1 /* W, MHz */
#define LEAST_HIGH_DEGREES 10
#define CARD_LINE_PANELS 4 /* visual.md 10.1 */
#define STRIP_LEAST_MS MINUTE_MS /* the throttle strip is shown when a reason was set longer than this */
#define STRIP_LEAST_SHARE 0.05   /* or for this share of a short run */

struct panels panels_new(struct build *b)
{
	return (struct panels){ NEW_ARRAY(b->mem, struct panel, N_PANEL_KINDS + 1), 0 };
}

const struct track **tracks_of(struct build *b, enum metric metric, size_t *n_known)
{
	const struct track **tracks = NEW_ARRAY(b->mem, const struct track *, b->run->n_gpus);

	*n_known = 0;
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		tracks[g] = run_track(b->run, b->run->gpus[g], metric);
		*n_known += tracks[g] != NULL;
	}
	return tracks;
}

/* Time for which none of the GPU logs has rows. */
static struct spans holes_of_gpus(struct build *b)
{
	struct spans logged = { NULL, 0 };

	for (size_t g = 0; g < b->run->n_gpus; g++)
		logged = spans_union(b->mem, logged, gpu_logged(b->mem, b->run, b->run->gpus[g]));
	return spans_complement(b->mem, logged, b->run->span);
}

static const char *whole(struct build *b, double value)
{
	return quantity_text(b->mem, (struct quantity){ value, UNIT_PERCENT });
}

static struct panel panel_new(struct build *b, enum panel_kind kind, const char *title, const struct track **gpus)
{
	return (struct panel){
		.kind = kind,
		.title = title,
		.subtitle = "",
		.gpus = gpus,
		.n_gpus = b->run->n_gpus,
		.scale = 1,
		.holes = holes_of_gpus(b),
		.label = { "", "" },
		.cpu_label = { "", "" },
	};
}

static void add_threshold(struct build *b, struct panel *p, double value, const char *text)
{
	struct panel_threshold *one = NEW(b->mem, struct panel_threshold);

	*one = (struct panel_threshold){ value, text };
	p->thresholds = one;
	p->n_thresholds = 1;
}

static struct spans host_holes(struct build *b, const struct track *cpu)
{
	struct spans rows = spans_complement(b->mem, track_holes(b->mem, cpu), track_span(cpu));

	return spans_complement(b->mem, rows, b->run->span);
}

/* Is a finding about single cores? Then the mean over all cores would argue against it. */
static bool is_about_cores(const struct build *b)
{
	for (size_t i = 0; i < b->n_ranked; i++)
		for (size_t m = 0; m < b->ranked[i]->rule->n_metrics; m++)
			if (b->ranked[i]->rule->metrics[m] == METRIC_CORE_BUSY)
				return true;
	return false;
}

/* Where a core has more than that at a sample of the first one, it is that. */
static void raise_to(fixed *most, const struct track *first, const struct track *core)
{
	struct cursor times, samples;
	size_t k = 0; /* of the core: the last one that begins no later */

	cursor_start(&times, first);
	cursor_start(&samples, core);
	for (size_t i = 0; i < first->n && core->n; i++) {
		const time_ms when = cursor_time(&times, i);
		while (k + 1 < core->n && cursor_time(&samples, k + 1) <= when)
			k++;
		const fixed value = cursor_value(&samples, k); /* FIXED_MISSING is the least of all */
		if (value > most[i] && cursor_time(&samples, k) <= when && when < cursor_until(&samples, k))
			most[i] = value;
	}
}

/* At each sample of the first core, whichever core is busiest then. */
static const struct track *busiest_at_each(struct build *b, const struct track *first)
{
	fixed *const most = NEW_RAW_ARRAY(b->mem, fixed, first->n);
	struct track *const busiest = NEW(b->mem, struct track);

	track_values(first, 0, first->n, most);
	for (size_t c = 1; c < b->run->n_cores; c++) {
		const struct track *const core = run_track(b->run, b->run->cores[c], METRIC_CORE_BUSY);
		if (core)
			raise_to(most, first, core);
	}
	*busiest = track_with_values(first, most);
	busiest->derived = true;
	return busiest;
}

const struct track *busiest_core(struct build *b)
{
	const struct track *const first = b->run->n_cores ? run_track(b->run, b->run->cores[0], METRIC_CORE_BUSY) : NULL;

	if (!first || !is_about_cores(b))
		return NULL;
	if (!b->busiest_core)
		b->busiest_core = busiest_at_each(b, first);
	return b->busiest_core;
}

/* Of several hosts not all may log it. */
static const char *cpu_name(const struct build *b)
{
	const size_t n = hosts_with(b->run, METRIC_CPU_BUSY);

	if (b->run->n_hosts < 2)
		return "CPU (all cores)";
	return n == b->run->n_hosts ? "CPU (all hosts)" : arena_print(b->mem, "CPU (%zu %s)", n, n == 1 ? "host" : "hosts");
}

static void add_busy(struct build *b, struct panels *panels)
{
	size_t known, n = b->run->n_gpus;
	const struct track **gpus = tracks_of(b, METRIC_GPU_UTIL, &known);
	const struct track *busiest = busiest_core(b);
	const struct track *cpu = busiest ? busiest : host_track(b->run, METRIC_CPU_BUSY);
	struct span run = b->run->span;
	const double cpu_mean = cpu ? means_of(b, cpu, spans_one(&run)).mean : NAN;

	if (isnan(cpu_mean))
		cpu = NULL; /* logged at other times: a name without a line */
	if (!known && !cpu)
		return;
	struct panel p = panel_new(b, PANEL_BUSY, "Busy, %", gpus);
	p.high = 100;
	if (known)
		p.subtitle = known > 1 ? arena_print(b->mem, "line = mean of %zu GPUs, band = least to most busy GPU", known)
				       : "line = mean, band = lowest to highest sample";
	p.two_bands = known > 16 ? arena_print(b->mem, "line = mean of %zu GPUs, dark band = middle 80 %%, light band = all samples", known)
		      : known > 1 ? arena_print(b->mem, "line = mean of %zu GPUs, band = least to most busy GPU, pale = all samples", known)
				  : "line = mean, dark band = middle 90 % of samples, light band = all";
	if (known)
		p.label = (struct panel_label){ "GPU",
			arena_print(b->mem, "mean %s", whole(b, mean_of_gpus(b, METRIC_GPU_UTIL, spans_one(&run)))) };
	if (cpu) {
		p.cpu = cpu;
		p.cpu_holes = host_holes(b, cpu);
		p.holes = n ? p.holes : p.cpu_holes;
		p.cpu_label = (struct panel_label){ busiest ? "Busiest core" : cpu_name(b),
			arena_print(b->mem, "mean %s", whole(b, cpu_mean)) };
	}
	panels->at[panels->n++] = p;
}

static void add_memory(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_MEM_USED, &known);
	double peak = max_of_gpus(b, METRIC_GPU_MEM_USED) / 1024, capacity = max_of_gpus(b, METRIC_GPU_MEM_TOTAL) / 1024;

	if (!known)
		return;
	struct panel p = panel_new(b, PANEL_MEMORY, "Memory used, GiB", gpus);
	p.scale = 1.0 / 1024;
	p.high = (isnan(capacity) ? fmax(peak, LEAST_HIGH_GIB) : fmax(capacity, peak)) * HEADROOM;
	p.subtitle = b->run->n_gpus > 1 ? "line = fullest GPU, band = emptiest to fullest" : "";
	const char *share = isnan(capacity) ? "" : arena_print(b->mem, ", %s", whole(b, 100 * peak / capacity));
	p.label = (struct panel_label){ "Memory", arena_print(b->mem, "peak %s%s", amount_text(b->mem, peak, 1, " GiB"), share) };
	if (!isnan(capacity))
		add_threshold(b, &p, capacity, arena_print(b->mem, "capacity %s", amount_text(b->mem, capacity, 1, " GiB")));
	panels->at[panels->n++] = p;
}

/* Without caches, as a share of each host's memory: of several hosts that of the fullest one. */
static void add_host_memory(struct build *b, struct panels *panels)
{
	const size_t n_hosts = b->run->n_hosts;
	const struct track **const hosts = NEW_ARRAY(b->mem, const struct track *, n_hosts);
	struct spans logged = { NULL, 0 };
	double peak = NAN;

	for (size_t h = 0; h < n_hosts; h++) {
		hosts[h] = run_track(b->run, b->run->hosts[h], METRIC_HOST_MEM_SHARE);
		if (!hosts[h])
			continue;
		const struct stats s = means_of(b, hosts[h], spans_one(&b->run->span));
		peak = s.known ? fmax(peak, s.max) : peak;
		logged = spans_union(b->mem, logged, spans_complement(b->mem, host_holes(b, hosts[h]), b->run->span));
	}
	if (isnan(peak))
		return;
	struct panel p = panel_new(b, PANEL_HOST_MEMORY, "Host memory that programs hold, %", hosts);
	p.n_gpus = n_hosts;
	p.high = 100;
	p.subtitle = n_hosts > 1 ? "line = fullest host, band = emptiest to fullest; without caches" : "without caches";
	p.holes = spans_complement(b->mem, logged, b->run->span);
	p.label = (struct panel_label){ "Host memory", arena_print(b->mem, "peak %s", whole(b, peak)) };
	panels->at[panels->n++] = p;
}

static void add_temperature(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_TEMP, &known);
	double hottest = max_of_gpus(b, METRIC_GPU_TEMP), slowdown = max_of_gpus(b, METRIC_GPU_TEMP_SLOWDOWN), coolest = NAN;

	if (!known)
		return;
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		struct stats s = gpus[g] ? means_of(b, gpus[g], spans_one(&b->run->span)) : (struct stats){ 0 };
		if (s.known && !(coolest <= s.min))
			coolest = s.min;
	}
	struct panel p = panel_new(b, PANEL_TEMPERATURE, "Temperature, \302\260C", gpus);
	/* without a known slowdown point at least 90, so that two runs can be laid side by side */
	p.low = fmin(30, floor(coolest / 10) * 10);
	p.high = fmax(isnan(slowdown) ? 90 : slowdown + 5, hottest + 4);
	p.subtitle = b->run->n_gpus > 1 ? "line = hottest GPU, band = coolest to hottest" : "";
	p.label = (struct panel_label){ b->run->n_gpus > 1 ? "Hottest GPU" : "GPU",
		arena_print(b->mem, "max %s", amount_text(b->mem, hottest, 0, " \302\260C")) };
	if (!isnan(slowdown))
		add_threshold(b, &p, slowdown, arena_print(b->mem, "slowdown %s", amount_text(b->mem, slowdown, 0, " \302\260C")));
	panels->at[panels->n++] = p;
}

static void add_power(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_POWER, &known);
	double limit = max_of_gpus(b, METRIC_GPU_POWER_LIMIT), most = max_of_gpus(b, METRIC_GPU_POWER);
	struct span run = b->run->span;

	if (!known)
		return;
	struct panel p = panel_new(b, PANEL_POWER, b->run->n_gpus > 1 ? "Power per GPU, W" : "Power, W", gpus);
	double mean = mean_of_gpus(b, METRIC_GPU_POWER, spans_one(&run));
	p.high = fmax(isnan(limit) ? 0 : limit, fmax(most, LEAST_HIGH)) * HEADROOM;
	p.subtitle = known > 1 ? "line = mean, band = lowest to highest GPU" : "";
	p.two_bands = known > 16 ? "line = mean, dark band = middle 80 % of the GPUs, light band = all samples"
		      : known > 1 ? "line = mean, band = lowest to highest GPU, pale = all samples" : NULL;
	/* else it was changed, or cards differ */
	const bool is_one_limit = limit - mean_of_gpus(b, METRIC_GPU_POWER_LIMIT, spans_one(&run)) < 0.5; /* W; NAN: no */
	const char *share = is_one_limit ? arena_print(b->mem, ", %s", whole(b, 100 * mean / limit)) : "";
	p.label = (struct panel_label){ "Power", arena_print(b->mem, "mean %s%s", amount_text(b->mem, mean, 0, " W"), share) };
	if (!isnan(limit))
		add_threshold(b, &p, limit,
			arena_print(b->mem, "%slimit %s", is_one_limit ? "" : "max ", amount_text(b->mem, limit, 0, " W")));
	panels->at[panels->n++] = p;
}

struct spans time_at_work(struct arena *scratch, const struct run *run, const struct track *busy)
{
	if (!busy)
		return spans_one(&run->span);
	return truths_spans(scratch, truths_compare_track(scratch, busy, run->span, 1, GREATER, 0), YES);
}

struct clocks { /* of the GPUs, and how busy they were; NULL: not logged */
	const struct run *run;
	const struct gpu_rows *rows;
	const struct track *const *at, *const *busy;
	double *lowest;
};

static void find_lowest_clock(void *context, size_t worker, size_t g)
{
	const struct clocks *const c = context;
	struct arena scratch;

	(void)worker;
	if (c->rows[g].are_told && !c->at[g]->seen) { /* else samples are means of rows */
		c->lowest[g] = c->rows[g].slowest;
		return;
	}
	arena_init(&scratch);
	c->lowest[g] = c->at[g] ? track_lowest(c->at[g], time_at_work(&scratch, c->run, c->busy[g])) : (double)NAN;
	arena_release(&scratch);
}

/* The slowest clock while a GPU worked: an idle GPU's clock means nothing. */
static double slowest_clock(struct build *b, const struct track *const *clocks, const struct track *const *busy)
{
	double *const lowest = NEW_ARRAY(b->mem, double, b->run->n_gpus), slowest = NAN;

	run_jobs(b->run, b->run->n_gpus, find_lowest_clock, &(struct clocks){ b->run, gpu_rows(b), clocks, busy, lowest });
	for (size_t g = 0; g < b->run->n_gpus; g++)
		slowest = fmin(slowest, lowest[g]); /* fmin passes over NAN */
	return slowest;
}

static void add_clock(struct build *b, struct panels *panels)
{
	size_t known, known_busy;
	const struct track **gpus = tracks_of(b, METRIC_GPU_CLOCK_SM, &known), **busy = tracks_of(b, METRIC_GPU_UTIL, &known_busy);
	double limit = max_of_gpus(b, METRIC_GPU_CLOCK_SM_MAX), most = max_of_gpus(b, METRIC_GPU_CLOCK_SM);

	if (!known)
		return;
	struct panel p = panel_new(b, PANEL_CLOCK, "SM clock, MHz", gpus);
	double slowest = slowest_clock(b, gpus, busy);
	p.gate = known_busy ? busy : NULL;
	p.high = fmax(isnan(limit) ? 0 : limit, fmax(most, LEAST_HIGH)) * HEADROOM;
	p.subtitle = b->run->n_gpus < 2 ? (p.gate ? "while busy" : "")
		   : p.gate ? "line = slowest GPU, band = slowest to fastest (while busy)"
			    : "line = slowest GPU, band = slowest to fastest";
	p.label = (struct panel_label){ b->run->n_gpus > 1 ? "Slowest GPU" : "SM clock",
		isnan(slowest) ? "" : arena_print(b->mem, "min %s", amount_text(b->mem, slowest, 0, " MHz")) };
	if (!isnan(limit))
		add_threshold(b, &p, limit, arena_print(b->mem, "max %s", amount_text(b->mem, limit, 0, " MHz")));
	panels->at[panels->n++] = p;
}

static void add_heat(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_UTIL, &known);

	if (!known || b->run->n_gpus < 2)
		return;
	struct panel p = panel_new(b, PANEL_HEAT, "Busy per GPU", gpus);
	p.high = 100;
	p.label = (struct panel_label){ "idle", "busy" };
	panels->at[panels->n++] = p;
}

#define UNEVEN_POWER 20 /* points of the limit between the GPUs' means at work: more than cooling or binning explain */

/* Of numbers that are nowhere apart by more, and those that are not known left out. */
struct means {
	double least, most;
};

static void means_add(struct means *m, const struct stats *s, double mean)
{
	if (!s->known)
		return;
	m->least = fmin(mean, m->least); /* fmin and fmax pass over NAN */
	m->most = fmax(mean, m->most);
}

static struct means share_means(struct build *b, const struct track *const *shares, struct spans steady)
{
	struct means m = { NAN, NAN };

	stats_work_out(b, shares, b->run->n_gpus, steady);
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct stats s = shares[g] ? means_of(b, shares[g], steady) : (struct stats){ 0 };
		means_add(&m, &s, s.mean);
	}
	return m;
}

#define ROUNDED 1e-3 /* points: far more than by what shares are rounded, each to a millionth */

/*
 * The same from what they are shares of, whose chunks are added up already; false where one is made otherwise. As each share is rounded for
 * itself it is not exact, but nearly.
 */
static bool near_share_means(const struct build *b, const struct track *const *shares, struct spans steady, struct means *m)
{
	const size_t n = b->run->n_gpus;
	struct track *const parts = NEW_ARRAY(b->mem, struct track, n);
	const struct track **const asked = NEW_ARRAY(b->mem, const struct track *, n);

	*m = (struct means){ NAN, NAN };
	for (size_t g = 0; g < n; g++) {
		const struct track *const t = shares[g];
		if (!t)
			continue;
		if (t->values || t->formula.kind != FORMULA_SHARE || t->formula.of <= 0)
			return false;
		parts[g] = track_before_formula(t);
		asked[g] = &parts[g];
	}
	means_work_out(b, asked, n, steady);
	for (size_t g = 0; g < n; g++) {
		const struct stats s = asked[g] ? means_of(b, asked[g], steady) : (struct stats){ 0 };
		means_add(m, &s, asked[g] ? 100 * s.mean / fixed_value(shares[g]->formula.of) : s.mean);
	}
	return true;
}

/* GPUs that wait for another are as busy as the one that works; only their power tells them apart. */
static bool is_power_uneven(struct build *b)
{
	const struct spans steady = run_phases(b->mem, b->run, 1U << PHASE_STEADY);
	size_t known;
	const struct track *const *const shares = tracks_of(b, METRIC_GPU_POWER_SHARE, &known);
	struct means m;

	if (!near_share_means(b, shares, steady, &m) || fabs(m.most - m.least - UNEVEN_POWER) < ROUNDED)
		m = share_means(b, shares, steady);
	return m.most - m.least > UNEVEN_POWER;
}

void panels_add_power_map(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **shares = tracks_of(b, METRIC_GPU_POWER_SHARE, &known);

	if (known < 2)
		return;
	struct panel p = panel_new(b, PANEL_HEAT, "Power per GPU", shares);
	p.subtitle = "as a share of the limit: busy GPUs that draw little are waiting";
	p.high = 100;
	p.label = (struct panel_label){ "0 %", "limit" };
	panels->at[panels->n++] = p;
}

#define MANY_ROWS 16 /* of power caps alone: as many as have full rows */

/* What to say at the right of the row. */
static const char *note_of(struct build *b, const struct holding_down *h)
{
	const struct mask_time *const t = &h->time;
	const char *const how = t->hot ? "hot" : t->beyond_cap ? "slowed" : "capped";
	const time_ms time = t->hot ? t->hot : t->beyond_cap ? t->beyond_cap : t->held;

	return time ? arena_print(b->mem, "%s %s", how, duration_text(b->mem, (double)time / SECOND_MS)) : NULL;
}

/* A row a GPU would be the same row again and again; or many rows of what is no fault by itself. */
static bool is_one_row(const struct panel *p, const struct holding_down *held)
{
	bool alike = true, capped = true;

	for (size_t g = 0; g < p->n_gpus && (alike || capped); g++) {
		if (!p->gpus[g])
			return false;
		capped &= !p->beyond_cap[g];
		alike = alike && p->row_notes[g] && held[g].is_alike;
	}
	return p->n_gpus > 1 && (alike || (capped && p->n_gpus > MANY_ROWS));
}

/* "45 s each", of the longest note: "capped 45 s"; the key says what it was. */
static const char *common_note(struct build *b, const struct panel *p, const char *most)
{
	const char *length = strchr(most, ' ') + 1;
	bool same = true;

	for (size_t g = 0; g < p->n_gpus; g++)
		same = same && p->row_notes[g] && strcmp(p->row_notes[g], most) == 0;
	return same ? arena_print(b->mem, "%s each", length) : arena_print(b->mem, "at most %s", length);
}

static void add_throttle(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_THROTTLE, &known);
	const struct holding_down *const held = held_down(b, gpus);
	const char **notes = NEW_ARRAY(b->mem, const char *, b->run->n_gpus), *most = NULL;
	bool *beyond_cap = NEW_ARRAY(b->mem, bool, b->run->n_gpus);
	time_ms longest = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		notes[g] = note_of(b, &held[g]);
		beyond_cap[g] = held[g].time.beyond_cap > 0;
		most = held[g].time.held > longest ? notes[g] : most;
		longest = held[g].time.held > longest ? held[g].time.held : longest;
	}
	if (!known || !most || (longest < STRIP_LEAST_MS && (double)longest < STRIP_LEAST_SHARE * (double)span_length(b->run->span)))
		return;
	struct panel p = panel_new(b, PANEL_THROTTLE, "Why clocks were held down", gpus);
	if (b->report->healthy)
		p.subtitle = "a power cap at full load is normal";
	p.row_notes = notes;
	p.beyond_cap = beyond_cap;
	if (is_one_row(&p, held))
		p.common_note = common_note(b, &p, most);
	panels->at[panels->n++] = p;
}

/* One phase alone says nothing. */
static void add_phases(struct build *b, struct panels *panels)
{
	if (b->report->n_phases > 1)
		panels->at[panels->n++] = panel_new(b, PANEL_PHASES, "Phases", NULL);
}

/* Without a known slowdown point the margin that the driver tells is how near it was. */
static void add_margin(struct build *b, struct panels *panels)
{
	size_t known;
	const struct track **gpus = tracks_of(b, METRIC_GPU_TEMP_MARGIN, &known);
	double least = NAN, most = NAN;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		struct stats s = gpus[g] ? means_of(b, gpus[g], spans_one(&b->run->span)) : (struct stats){ 0 };
		if (!s.known)
			continue;
		least = fmin(s.min, least);
		most = fmax(s.max, most);
	}
	if (isnan(least) || !isnan(max_of_gpus(b, METRIC_GPU_TEMP_SLOWDOWN)))
		return;
	struct panel p = panel_new(b, PANEL_MARGIN, "Degrees left before slowdown, \302\260C", gpus);
	p.low = fmin(0, floor(least / 10) * 10);
	p.high = fmax(most, LEAST_HIGH_DEGREES) * HEADROOM;
	p.subtitle = b->run->n_gpus > 1 ? "line = hottest GPU, band = hottest to coolest" : "";
	p.label = (struct panel_label){ b->run->n_gpus > 1 ? "Hottest GPU" : "GPU",
		arena_print(b->mem, "min %s", amount_text(b->mem, least, 0, " \302\260C")) };
	panels->at[panels->n++] = p;
}

static void add_density(struct build *b, struct panels *panels)
{
	size_t known;
	struct panel p = panel_new(b, PANEL_DENSITY, "GPUs by how busy they are, %", tracks_of(b, METRIC_GPU_UTIL, &known));

	p.label = (struct panel_label){ "no GPU", arena_print(b->mem, "all %zu", b->run->n_gpus) };
	if (known)
		panels->at[panels->n++] = p;
}

void panels_add(struct build *b, struct panels *panels, enum panel_kind kind)
{
	static void (*const adds[N_PANEL_KINDS])(struct build *, struct panels *) = {
		[PANEL_BUSY] = add_busy,
		[PANEL_MEMORY] = add_memory,
		[PANEL_TEMPERATURE] = add_temperature,
		[PANEL_MARGIN] = add_margin,
		[PANEL_POWER] = add_power,
		[PANEL_CLOCK] = add_clock,
		[PANEL_HOST_MEMORY] = add_host_memory,
		[PANEL_HEAT] = add_heat,
		[PANEL_THROTTLE] = add_throttle,
		[PANEL_PHASES] = add_phases,
		[PANEL_DENSITY] = add_density,
	};

	adds[kind](b, panels);
}

/* Which panels show what a rule looks at. That a job holds memory or draws power while it is idle is no news of memory or power. */
static const struct shown {
	enum metric metric;
	bool even_if_idle; /* also where the rule needs gpu.util */
	enum panel_kind kinds[2];
} shown[] = {
	{ METRIC_GPU_THR_HW_THERMAL, true, { PANEL_TEMPERATURE, PANEL_CLOCK } },
	{ METRIC_GPU_THR_SW_THERMAL, true, { PANEL_TEMPERATURE, PANEL_CLOCK } },
	{ METRIC_GPU_THR_HW_BRAKE, true, { PANEL_POWER, PANEL_CLOCK } },
	{ METRIC_GPU_THR_SW_POWER, true, { PANEL_POWER, PANEL_CLOCK } },
	{ METRIC_GPU_TEMP_MARGIN, true, { PANEL_TEMPERATURE, PANEL_TEMPERATURE } },
	{ METRIC_GPU_TEMP_MEM, true, { PANEL_TEMPERATURE, PANEL_TEMPERATURE } },
	{ METRIC_GPU_CLOCK_SM, true, { PANEL_CLOCK, PANEL_POWER } },
	{ METRIC_GPU_MEM_SHARE, true, { PANEL_MEMORY, PANEL_MEMORY } },
	{ METRIC_GPU_MEM_USED, false, { PANEL_MEMORY, PANEL_MEMORY } },
	{ METRIC_GPU_POWER_LIMIT, true, { PANEL_POWER, PANEL_CLOCK } },
	{ METRIC_GPU_POWER_SHARE, true, { PANEL_POWER, PANEL_POWER } },
	{ METRIC_GPU_POWER_LEVEL, true, { PANEL_POWER, PANEL_POWER } },
	{ METRIC_HOST_MEM_SHARE, true, { PANEL_HOST_MEMORY, PANEL_HOST_MEMORY } },
};

bool rule_needs(const struct rule *rule, enum metric metric)
{
	for (size_t m = 0; m < rule->n_metrics; m++)
		if (rule->metrics[m] == metric)
			return true;
	return false;
}

static bool has_panel(const struct panels *panels, enum panel_kind kind)
{
	for (size_t i = 0; i < panels->n; i++)
		if (panels->at[i].kind == kind)
			return true;
	return false;
}

static void add_to_card(struct build *b, struct panels *panels, enum panel_kind kind)
{
	if (panels->n < CARD_LINE_PANELS && !has_panel(panels, kind))
		panels_add(b, panels, kind);
}

static bool rule_shows(const struct rule *rule, const struct shown *what)
{
	return rule_needs(rule, what->metric) && (what->even_if_idle || !rule_needs(rule, METRIC_GPU_UTIL));
}

/* Is something as bad as that, or worse, seen in such a panel? */
static bool is_about(const struct build *b, enum panel_kind kind, enum severity least)
{
	for (size_t f = 0; f < b->n_ranked; f++)
		for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
			if (b->ranked[f]->severity >= least && rule_shows(b->ranked[f]->rule, &shown[i]) &&
				(shown[i].kinds[0] == kind || shown[i].kinds[1] == kind))
				return true;
	return false;
}

bool is_about_clocks(const struct build *b)
{
	return is_about(b, PANEL_CLOCK, SEVERITY_WARNING);
}

/* A note shows where it is seen best; what is wrong shows where it is seen at all. */
static void add_what_shows(struct build *b, struct panels *panels, const struct draft *d)
{
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		if (!rule_shows(d->rule, &shown[i]))
			continue;
		add_to_card(b, panels, shown[i].kinds[0]);
		if (d->severity > SEVERITY_NOTE)
			add_to_card(b, panels, shown[i].kinds[1]);
	}
}

/* In order of the findings, so that what is left out where there is no room says least. Returns how many panels show the first one. */
static size_t add_what_findings_show(struct build *b, struct panels *panels)
{
	size_t n_of_first = panels->n;

	for (size_t f = 0; f < b->n_ranked; f++) {
		add_what_shows(b, panels, b->ranked[f]);
		n_of_first = f ? n_of_first : panels->n;
	}
	return n_of_first;
}

#define LEAST_MEMORY_SHARE 0.1 /* below, a panel is a line on its axis: the key figure says as much */

static bool says_nothing(const struct build *b, enum panel_kind kind)
{
	return kind == PANEL_MEMORY &&
		max_of_gpus(b, METRIC_GPU_MEM_USED) < LEAST_MEMORY_SHARE * max_of_gpus(b, METRIC_GPU_MEM_TOTAL);
}

/*
 * Beyond what findings are about: more is not looked at, and a lower card is read sooner. Without any finding the tiles are what is
 * looked at, and who reads "65 °C" there looks for its curve.
 */
#define FILLED_PANELS 3
#define FILLED_PANELS_CALM 4

/* What says nothing leaves its place free. */
static void fill_card(struct build *b, struct panels *panels)
{
	static const enum panel_kind kinds[] = { PANEL_MEMORY, PANEL_POWER, PANEL_TEMPERATURE, PANEL_CLOCK };
	const size_t most = b->n_ranked ? FILLED_PANELS : FILLED_PANELS_CALM;
	size_t n_silent = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && panels->n + n_silent < most; i++)
		if (!has_panel(panels, kinds[i]) && says_nothing(b, kinds[i]))
			n_silent++;
		else
			add_to_card(b, panels, kinds[i]);
}

/* That GPUs at work are capped is nothing to be told of, unless a finding is about their clocks. */
static void add_throttle_to_card(struct build *b, struct panels *panels)
{
	const size_t before = panels->n;
	bool beyond_cap = is_about_clocks(b);

	add_throttle(b, panels);
	for (size_t g = 0; panels->n > before && g < b->run->n_gpus; g++)
		beyond_cap |= panels->at[before].beyond_cap[g];
	if (!beyond_cap)
		panels->n = before;
}

static void build_card(struct build *b, bool is_uneven)
{
	struct panels panels = panels_new(b);

	add_busy(b, &panels);
	const size_t n_telling = add_what_findings_show(b, &panels);
	fill_card(b, &panels);
	add_heat(b, &panels);
	if (is_uneven)
		panels_add_power_map(b, &panels);
	add_throttle_to_card(b, &panels);
	b->report->card = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n, .n_telling = n_telling };
}

static void build_full(struct build *b, bool is_uneven)
{
	struct panels panels = panels_new(b);

	add_phases(b, &panels);
	add_busy(b, &panels);
	add_memory(b, &panels);
	add_temperature(b, &panels);
	add_power(b, &panels);
	add_clock(b, &panels);
	if (is_about(b, PANEL_HOST_MEMORY, SEVERITY_NOTE))
		add_host_memory(b, &panels);
	add_heat(b, &panels);
	if (is_uneven)
		panels_add_power_map(b, &panels);
	add_throttle(b, &panels);
	if (panels.n == 1 && panels.at[0].kind == PANEL_PHASES)
		panels.n = 0;
	b->report->timeline_figure = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n };
}

#define FOOTER_LOGS ((size_t)8) /* of the shortest names fit into its two lines; the text report has them all */

static void build_footer(struct build *b)
{
	struct report *const r = b->report;
	const size_t n = r->n_sources < FOOTER_LOGS ? r->n_sources : FOOTER_LOGS;
	const char **const logs = NEW_ARRAY(b->mem, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const struct report_source *const s = &r->sources[i];
		logs[i] = s->rows ? arena_print(b->mem, "%s (%s, %zu rows)", s->name, s->steps, s->rows) : s->name;
	}
	r->footer = (struct report_footer){ .logs = { logs, n }, .n_logs = r->n_sources };
	if (r->not_logged_text)
		r->footer.not_judged = arena_print(b->mem, "Not in the log, so not judged: %.*s", (int)strcspn(r->not_logged_text, ":"),
			r->not_logged_text);
}

void build_figures(struct build *b)
{
	const bool is_uneven = is_power_uneven(b);

	build_card(b, is_uneven);
	build_full(b, is_uneven);
	build_footer(b);
}
