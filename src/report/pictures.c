/*
 * pictures.c - the pictures that tell one thing each: heat, memory, GPU by GPU. Which are worth drawing, what stands above
 * them, and beside which finding a page shows them.
 */
#include "report/report_parts.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>

static const struct picture pictures[] = {
	{ "card.png", offsetof(struct report, card), "Ticket card" },
	{ "timeline.png", offsetof(struct report, timeline_figure), "Time lines of all metrics" },
	{ "thermal.png", offsetof(struct report, thermal), "Temperature, clocks and power over time" },
	{ "memory.png", offsetof(struct report, memory), "Memory over time" },
	{ "heatmap.png", offsetof(struct report, heatmap), "Map of all GPUs over time" },
	{ "density.png", offsetof(struct report, density), "Map of how many GPUs are how busy" },
	{ "duty.png", offsetof(struct report, duty), "Bars of GPU time by how busy the GPUs were" },
};
#define N_PICTURES (sizeof pictures / sizeof *pictures)

const struct picture *picture_find(const char *file)
{
	for (size_t i = 0; i < N_PICTURES; i++)
		if (strcmp(pictures[i].file, file) == 0)
			return &pictures[i];
	return NULL;
}

const struct figure *report_figure(const struct report *report, const char *file)
{
	const struct picture *const picture = picture_find(file);

	return picture ? (const struct figure *)((const char *)report + picture->figure) : NULL;
}

bool is_to_be_drawn(const struct build *b, const struct figure *figure)
{
	for (size_t i = 0; i < b->report->n_charts; i++)
		if (report_figure(b->report, b->report->charts[i].file) == figure)
			return true;
	return false;
}

static bool needs_any(const struct rule *rule, const enum metric *metrics, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rule_needs(rule, metrics[i]))
			return true;
	return false;
}

/* ---- thermal.png ---- */

/* What keeps clocks down is heat, or power; a power cap at full load is a note and no reason for a picture. */
static bool is_about_heat(const struct draft *d)
{
	static const enum metric signs[] = { METRIC_GPU_THR_HW_THERMAL, METRIC_GPU_THR_SW_THERMAL, METRIC_GPU_THR_HW_BRAKE,
		METRIC_GPU_THR_SW_POWER, METRIC_GPU_TEMP_MARGIN, METRIC_GPU_TEMP_MEM, METRIC_GPU_CLOCK_SM, METRIC_GPU_POWER_LIMIT };

	return d->severity > SEVERITY_NOTE && needs_any(d->rule, signs, sizeof signs / sizeof *signs);
}

static bool has_verdict_on(struct build *b, const struct draft *d, const struct entity *gpu)
{
	const struct whom whom = whom_of(b, d);

	for (size_t i = 0; i < whom.n; i++)
		if (whom.at[i] == gpu)
			return true;
	return false;
}

/* By GPU the foremost finding of heat on it, or NULL. */
static const struct finding **hot_gpus(struct build *b, size_t *n)
{
	const struct finding **by = NEW_ARRAY(b->mem, const struct finding *, b->run->n_gpus);

	*n = 0;
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		for (size_t f = 0; f < b->n_ranked && !by[g]; f++)
			if (is_about_heat(b->ranked[f]) && has_verdict_on(b, b->ranked[f], b->run->gpus[g]))
				by[g] = &b->report->findings[f];
		*n += by[g] != NULL;
	}
	return by;
}

#define MOST_LINES 3 /* visual.md 9 */

static struct spans windows_of(struct build *b, const struct finding *f)
{
	struct span *spans = NEW_ARRAY(b->mem, struct span, f->n_windows);

	for (size_t i = 0; i < f->n_windows; i++)
		spans[i] = (struct span){ f->windows[i].begin, f->windows[i].end };
	return spans_of(b->mem, spans, f->n_windows);
}

/* "88 °C in", before the badge of the finding: of what is drawn, which is the time at work alone where the panel has a gate. */
static const char *mean_in(struct build *b, const struct panel *p, const bool *which, const struct finding *f)
{
	const char *unit = p->kind == PANEL_POWER ? " W" : p->kind == PANEL_CLOCK ? " MHz" : " \302\260C";
	const struct spans within = windows_of(b, f);
	double sum = 0, weight = 0;

	for (size_t g = 0; g < p->n_gpus; g++) {
		if (!which[g] || !p->gpus[g])
			continue;
		const struct spans at_work = time_at_work(b->mem, b->run, p->gate ? p->gate[g] : NULL);
		const struct stats s = means_of(b, p->gpus[g], spans_intersection(b->mem, within, at_work));
		if (!s.known)
			continue;
		sum += s.mean * (double)s.known;
		weight += (double)s.known;
	}
	return weight > 0 ? arena_print(b->mem, "%s in", amount_text(b->mem, sum / weight, 0, unit)) : NULL;
}

static void single_out(struct build *b, struct panel *p, const struct finding *const *by)
{
	struct singled *singled = NEW_ARRAY(b->mem, struct singled, MOST_LINES);
	bool *others = NEW_ARRAY(b->mem, bool, p->n_gpus), *one = NEW_ARRAY(b->mem, bool, p->n_gpus);
	const char *names[MOST_LINES];
	const struct finding *foremost = NULL;
	size_t n = 0, n_others = 0, last_other = 0;

	for (size_t g = 0; g < p->n_gpus; g++) {
		others[g] = !by[g];
		n_others += others[g];
		last_other = others[g] ? g : last_other;
		if (!by[g])
			continue;
		foremost = !foremost || by[g]->number < foremost->number ? by[g] : foremost;
		one[g] = true;
		names[n] = b->report->run.gpus[g].label;
		singled[n++] = (struct singled){ g, { b->report->run.gpus[g].label, mean_in(b, p, one, by[g]) }, by[g] };
		one[g] = false;
	}
	if (!foremost)
		return;
	p->singled = singled;
	p->n_singled = n;
	const char *const of_others = n_others == 1 ? b->report->run.gpus[last_other].label : "Others";
	p->others = (struct panel_label){ of_others, mean_in(b, p, others, foremost) };
	p->others_in = foremost;
	p->subtitle = arena_print(b->mem, "line%s = %s, %s", plural_s(n), joined(b->mem, names, n, ", ", " and "),
		n_others == 1 ? arena_print(b->mem, "grey = %s", p->others.name) : arena_print(b->mem, "band = the other %zu", n_others));
}

static const char *hottest_title(struct build *b)
{
	const char *most = amount_text(b->mem, max_of_gpus(b, METRIC_GPU_TEMP), 0, " \302\260C");

	return b->run->n_gpus > 1 ? arena_print(b->mem, "The hottest of %zu GPUs reached %s", b->run->n_gpus, most)
				  : arena_print(b->mem, "The GPU reached %s", most);
}

/* How near the GPUs came to slowing down, where that is logged. */
static const char *margin_subtitle(struct build *b)
{
	double slowdown = max_of_gpus(b, METRIC_GPU_TEMP_SLOWDOWN), least = slowdown - max_of_gpus(b, METRIC_GPU_TEMP);

	for (size_t g = 0; g < b->run->n_gpus && isnan(slowdown); g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], METRIC_GPU_TEMP_MARGIN);
		struct stats s = t ? means_of(b, t, spans_one(&b->run->span)) : (struct stats){ 0 };
		least = s.known ? fmin(s.min, least) : least;
	}
	return least > 0 ? arena_print(b->mem, "At least %s were left before a GPU slows down.",
				   amount_text(b->mem, least, 0, " \302\260C"))
			 : NULL;
}

/* "Finding 2, 10:30–10:52. …" */
static const char *thermal_subtitle(struct build *b, const struct finding *f)
{
	const struct window *w = f->windows;
	const char *when = f->n_windows ? card_window_text(b->mem, b->run, (struct span){ w->begin, w->end }) : "";
	const char *more = f->n_windows > 1 ? arena_print(b->mem, " and %zu more", f->n_windows - 1) : "";

	return arena_print(b->mem, "Finding %zu, %s%s. %s", f->number, when, more,
		b->run->n_gpus > 1 ? "GPU busy hides this: a GPU that is slowed or waits for another still counts as busy."
				   : "GPU busy hides this: a GPU that is slowed still counts as busy.");
}

static void build_thermal(struct build *b)
{
	static const enum panel_kind kinds[] = { PANEL_TEMPERATURE, PANEL_MARGIN, PANEL_CLOCK, PANEL_POWER };
	struct panels panels = panels_new(b);
	size_t n_hot = 0, n_gpus = b->run->n_gpus;
	const struct finding **by = hot_gpus(b, &n_hot);
	const struct finding *foremost = NULL;

	for (size_t f = b->n_ranked; f-- > 0;)
		foremost = is_about_heat(b->ranked[f]) ? &b->report->findings[f] : foremost;
	if ((!foremost && !b->report->all) || isnan(max_of_gpus(b, METRIC_GPU_TEMP)))
		return;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		panels_add(b, &panels, kinds[i]);
	for (size_t i = 0; i < panels.n && n_hot <= MOST_LINES && n_hot < n_gpus; i++)
		single_out(b, &panels.at[i], by);
	panels_add(b, &panels, PANEL_THROTTLE);
	b->report->thermal = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n,
		.about = foremost, .title = foremost ? foremost->title : hottest_title(b),
		.subtitle = foremost ? thermal_subtitle(b, foremost) : margin_subtitle(b) };
}

/* ---- memory.png ---- */

static bool is_about_memory(const struct draft *d)
{
	bool of_used = rule_needs(d->rule, METRIC_GPU_MEM_USED) && !rule_needs(d->rule, METRIC_GPU_UTIL);

	return rule_needs(d->rule, METRIC_GPU_MEM_SHARE) || of_used;
}

/* Where the most memory was used first. */
static size_t fullest_gpu(struct build *b, struct stats *most)
{
	size_t fullest = 0;

	*most = (struct stats){ .max = NAN };
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], METRIC_GPU_MEM_USED);
		struct stats s = t ? means_of(b, t, spans_one(&b->run->span)) : (struct stats){ 0 };
		if (!s.known || most->max >= s.max)
			continue;
		*most = s;
		fullest = g;
	}
	return fullest;
}

/* In MiB; NAN where none is logged, and where GPUs differ: what is free on one of them is not what is free on another. */
static double common_capacity(struct build *b)
{
	double most = max_of_gpus(b, METRIC_GPU_MEM_TOTAL);

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], METRIC_GPU_MEM_TOTAL);
		struct stats s = t ? means_of(b, t, spans_one(&b->run->span)) : (struct stats){ 0 };
		if (s.known && s.min < most)
			return NAN;
	}
	return most;
}

/* So that the three numbers on the picture add up. */
static double free_gib(double peak, double capacity)
{
	return round(capacity * 10) / 10 - round(peak * 10) / 10;
}

#define ROOM_PLACE 0.6          /* of the run: visual.md 10.2 */
#define LEAST_ROOM_SHARE 0.12   /* of the axis: below, the words would not fit */

/* At the first time right of ROOM_PLACE that is in no hole. */
static void add_room(struct build *b, struct panel *p, double peak, double capacity)
{
	const struct span run = b->run->span;
	time_ms at = run.begin + (time_ms)(ROOM_PLACE * (double)span_length(run));

	for (size_t i = 0; i < p->holes.n; i++)
		if (at >= p->holes.at[i].begin && at < p->holes.at[i].end)
			at = p->holes.at[i].end + span_length(run) / 50;
	if (!(capacity - peak > LEAST_ROOM_SHARE * p->high) || at >= run.end)
		return;
	const char *const room = amount_text(b->mem, free_gib(peak, capacity), 1, "");
	const char *const text = arena_print(b->mem, has_unlogged_time(b) ? "%s GiB free in the log" : "%s GiB never used", room);
	p->room = (struct panel_room){ at, peak, capacity, text };
}

/* `where`: " on GPU 3", which held the most; "" of one. */
static const char *memory_title(struct build *b, const struct finding *f, double peak, double capacity, const char *where)
{
	const char *used = amount_text(b->mem, peak, 1, " GiB");
	const bool is_one = b->run->n_gpus < 2;

	if (f && f->severity_level > SEVERITY_NOTE)
		return f->title;
	if (isnan(capacity))
		return arena_print(b->mem, "At most %s of memory %s used", used, is_one ? "was" : "on a GPU was");
	if (!(free_gib(peak, capacity) > 0))
		return arena_print(b->mem, "Memory was full%s", where);
	const char *room = amount_text(b->mem, free_gib(peak, capacity), 1, ""), *all = amount_text(b->mem, capacity, 1, " GiB");
	const char *const when = has_unlogged_time(b) ? "as far as the log goes" : "all run long";
	if (is_one)
		return arena_print(b->mem, "%s of %s stayed free, %s", room, all, when);
	return arena_print(b->mem, "At least %s of %s stayed free on every GPU, %s", room, all, when);
}

static void build_memory(struct build *b)
{
	struct panels panels = panels_new(b);
	const struct finding *foremost = NULL;
	struct stats most;
	const size_t fullest = fullest_gpu(b, &most);
	double peak = most.max / 1024, capacity = common_capacity(b) / 1024;

	bool *left_out = NEW_ARRAY(b->mem, bool, b->n_ranked);
	for (size_t f = b->n_ranked; f-- > 0;) {
		foremost = is_about_memory(b->ranked[f]) ? &b->report->findings[f] : foremost;
		left_out[f] = !is_about_memory(b->ranked[f]) && !b->report->findings[f].is_hole;
	}
	if ((!foremost && !b->report->all) || isnan(peak))
		return;
	panels_add(b, &panels, PANEL_MEMORY);
	for (size_t i = 0; i < panels.n; i++)
		add_room(b, &panels.at[i], peak, capacity);
	const char *where = b->run->n_gpus > 1 ? arena_print(b->mem, " on %s", b->report->run.gpus[fullest].label) : "";
	const struct track *used = run_track(b->run, b->run->gpus[fullest], METRIC_GPU_MEM_USED);
	const time_ms peak_at = track_highest_at(used, spans_one(&b->run->span));
	b->report->memory = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n,
		.about = foremost, .title = memory_title(b, foremost, peak, capacity, where),
		.subtitle = arena_print(b->mem, "Peak %s%s, first reached at %s.", amount_text(b->mem, peak, 1, " GiB"), where,
			moment_text(b->mem, b->run, peak_at)), .left_out = left_out };
}

/* ---- heatmap.png ---- */

#define MANY_GPUS 8

/* Found on some GPUs and not on the others, and of weight. */
static bool tells_gpus_apart(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);
	size_t n = 0;

	for (size_t i = 0; i < whom.n; i++)
		n += whom.at[i] && whom.at[i]->scope == SCOPE_GPU;
	return n && n < b->run->n_gpus && d->severity > SEVERITY_NOTE;
}

static const char *spread_text(struct build *b, struct extremes e)
{
	if (round(e.low) == round(e.high))
		return amount_text(b->mem, e.low, 0, " %");
	return arena_print(b->mem, "%s\342\200\223%s", amount_text(b->mem, e.low, 0, ""), amount_text(b->mem, e.high, 0, " %"));
}

/* Where all GPUs of a host were less busy than those of the others; NULL elsewhere. */
static const char *hosts_title(struct build *b, const struct panel *busy, const struct entity *least_busy)
{
	const struct entity *const host = run_host(b->run, least_busy);
	bool *const is_own = NEW_ARRAY(b->mem, bool, b->run->n_gpus), *const is_other = NEW_ARRAY(b->mem, bool, b->run->n_gpus);
	size_t n_own = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		is_own[g] = run_host(b->run, b->run->gpus[g]) == host;
		is_other[g] = !is_own[g];
		n_own += is_own[g];
	}
	const struct extremes own = extreme_means(b, busy, is_own), others = extreme_means(b, busy, is_other);
	if (n_own < 2 || !(others.low - own.high > ALIKE))
		return NULL;
	return arena_print(b->mem, "GPUs of %s were %s busy on average, those of the other %s %s", host->name, spread_text(b, own),
		b->run->n_hosts == 2 ? "host" : "hosts", spread_text(b, others));
}

/* Where all GPUs but the least busy one were alike; NULL elsewhere. */
static const char *one_of_many_title(struct build *b, const struct panel *busy, struct extremes e)
{
	bool *const is_other = NEW_ARRAY(b->mem, bool, b->run->n_gpus);

	for (size_t g = 0; g < b->run->n_gpus; g++)
		is_other[g] = g != e.least;
	const struct extremes others = extreme_means(b, busy, is_other);
	if (b->run->n_gpus < 3 || !(others.high - others.low <= ALIKE))
		return NULL;
	return arena_print(b->mem, "%s was only %s busy on average, the other %zu GPUs %s", b->report->run.gpus[e.least].label,
		amount_text(b->mem, e.low, 0, " %"), b->run->n_gpus - 1, spread_text(b, others));
}

static const char *spread_title(struct build *b, const struct panel *busy)
{
	const struct extremes e = extreme_means(b, busy, NULL);
	const char *all = b->run->n_gpus == 2 ? "Both GPUs" : arena_print(b->mem, "All %zu GPUs", b->run->n_gpus);
	const char *const of_hosts = b->run->n_hosts > 1 ? hosts_title(b, busy, b->run->gpus[e.least]) : NULL;

	if (of_hosts)
		return of_hosts;
	if (e.high - e.low <= ALIKE)
		return arena_print(b->mem, "%s were equally busy: %s on average", all, spread_text(b, e));
	const char *const of_one = one_of_many_title(b, busy, e);
	return of_one ? of_one : arena_print(b->mem, "%s was %s busy on average, %s only %s", b->report->run.gpus[e.most].label,
		amount_text(b->mem, e.high, 0, " %"), b->report->run.gpus[e.least].label, amount_text(b->mem, e.low, 0, " %"));
}

static void build_heatmap(struct build *b)
{
	struct panels panels = panels_new(b);
	const struct finding *foremost = NULL;
	const struct spans all = spans_one(&b->run->span);
	const size_t n_gpus = b->run->n_gpus;
	bool told = false;

	for (size_t f = b->n_ranked; f-- > 0;) {
		if (!tells_gpus_apart(b, b->ranked[f]))
			continue;
		told = true;
		if (!is_about_heat(b->ranked[f])) /* which these maps don't show: such GPUs are as busy as the others */
			foremost = &b->report->findings[f];
	}
	if (n_gpus < 2 || (n_gpus <= MANY_GPUS && !told && !b->report->all) || isnan(mean_of_gpus(b, METRIC_GPU_UTIL, all)))
		return;
	panels_add(b, &panels, PANEL_HEAT);
	if (!panels.n)
		return;
	panels_add_power_map(b, &panels);
	const char *what = panels.n > 1
		? "Upper map: how busy each GPU was. Lower map: its power as a share of its limit, which tells work from waiting."
		: "How busy each GPU was.";
	b->report->heatmap = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n,
		.about = foremost, .title = foremost ? foremost->title : spread_title(b, &panels.at[0]), .subtitle = what };
}

/* ---- where pages show them ---- */

/* Its head would say again what a page says. */
static bool is_card(const struct report_chart *c)
{
	return strcmp(c->file, "card.png") == 0;
}

static bool is_lead(const struct report_chart *c)
{
	return strcmp(c->file, "timeline.png") == 0;
}

/* Of a finding that is told in full: 0 is none. */
static size_t told_number(const struct report *r, const struct report_chart *c)
{
	const struct figure *const figure = report_figure(r, c->file);
	bool is_told = false;

	for (size_t i = 0; figure && figure->about && i < r->n_told_findings; i++)
		is_told |= r->told_findings[i].number == figure->about->number;
	return is_told && !(r->healthy && !r->all) ? figure->about->number : 0;
}

/* Those of the finding with this number; of 0, those of none. */
static struct report_chart *charts_of(struct arena *mem, const struct report *r, size_t number, size_t *n)
{
	struct report_chart *charts = NEW_ARRAY(mem, struct report_chart, r->n_charts);

	*n = 0;
	for (size_t i = 0; i < r->n_charts; i++)
		if (!is_card(&r->charts[i]) && !is_lead(&r->charts[i]) && told_number(r, &r->charts[i]) == number)
			charts[(*n)++] = r->charts[i];
	return charts;
}

void report_place_charts(struct arena *mem, struct report *r)
{
	struct finding *told = NEW_ARRAY(mem, struct finding, r->n_told_findings);
	struct report_chart *lead = NEW_ARRAY(mem, struct report_chart, 1);

	r->n_lead_charts = 0;
	for (size_t i = 0; i < r->n_charts; i++)
		if (is_lead(&r->charts[i]))
			lead[r->n_lead_charts++] = r->charts[i];
	r->lead_charts = lead;
	for (size_t i = 0; i < r->n_told_findings; i++) {
		told[i] = r->told_findings[i];
		told[i].own_charts = charts_of(mem, r, told[i].number, &told[i].n_own_charts);
	}
	r->told_findings = told;
	r->other_charts = charts_of(mem, r, 0, &r->n_other_charts);
}

void build_pictures(struct build *b)
{
	build_thermal(b);
	build_memory(b);
	build_heatmap(b);
}
