/*
 * build.c - one run and its verdicts to one report: the last place that computes.
 *
 * report_build() is the table of contents; each step fills its part of the report in a file of
 * its own. Steps rely on those before them and on nothing else.
 */
#include "report/report_parts.h"

#include <math.h>

#ifndef POSTRUN_VERSION
#define POSTRUN_VERSION "0.1.0"
#endif

const struct track *gpu_base_track(const struct run *run, const struct entity *gpu)
{
	static const enum metric wanted[] = { METRIC_GPU_UTIL, METRIC_GPU_POWER, METRIC_GPU_MEM_USED, METRIC_GPU_TEMP };

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct track *t = run_track(run, gpu, wanted[i]);
		if (t)
			return t;
	}
	return NULL;
}

/* From the first row to the end of the last, without holes. */
struct spans gpu_logged(struct arena *mem, const struct run *run, const struct entity *gpu)
{
	const struct track *t = gpu_base_track(run, gpu);

	if (!t)
		return (struct spans){ NULL, 0 };
	struct span all = track_span(t);
	struct spans rows = spans_complement(mem, track_holes(mem, t), all);
	return spans_intersection(mem, rows, spans_one(&run->span));
}

bool concerns(const struct entity *finding, const struct entity *e)
{
	if (!finding || finding == e)
		return true;
	return finding->scope == SCOPE_HOST && e && strcmp(finding->host, e->host) == 0;
}

/* On the clock of the first host that has it: at each of its samples the mean of what is known. */
static const struct track *mean_of_hosts(const struct run *run, const struct track *first, enum metric metric)
{
	fixed *values = NEW_ARRAY(run->mem, fixed, first->n);

	for (size_t i = 0; i < first->n; i++) {
		fixed sum = 0, value;
		int n = 0;
		for (size_t h = 0; h < run->n_hosts; h++) {
			const struct track *t = run_track(run, run->hosts[h], metric);
			if (t && track_at(t, track_time(first, i), &value) && value != FIXED_MISSING) {
				sum += value;
				n++;
			}
		}
		values[i] = n ? sum / n : FIXED_MISSING;
	}
	struct track *mean = NEW(run->mem, struct track);
	*mean = track_with_values(first, values);
	mean->derived = true;
	return mean;
}

size_t hosts_with(const struct run *run, enum metric metric)
{
	size_t n = 0;

	for (size_t h = 0; h < run->n_hosts; h++)
		n += run_track(run, run->hosts[h], metric) != NULL;
	return n;
}

const struct track *host_track(const struct run *run, enum metric metric)
{
	const struct track *first = NULL;

	for (size_t h = 0; h < run->n_hosts && !first; h++)
		first = run_track(run, run->hosts[h], metric);
	return hosts_with(run, metric) > 1 ? mean_of_hosts(run, first, metric) : first;
}

/*
 * Fewer samples show no rhythm to judge or to draw (visual.md section 11). A log that looks every few seconds has seen enough when
 * it saw most of a minute: what the rules look for lasts ten seconds and longer. A handful of samples is too short however far apart.
 */
#define LEAST_SAMPLES 20
#define FEW_SAMPLES 10
#define LEAST_SEEN (45 * SECOND_MS)
#define LEAST_LENGTH (10 * SECOND_MS) /* however often it looks */

static size_t most_gpu_rows(const struct run *run)
{
	size_t most = 0;

	for (size_t r = 0; r < run->n_recordings; r++)
		for (size_t i = 0; i < run->recordings[r]->n_channels; i++) {
			const struct channel *c = &run->recordings[r]->channels[i];
			if (c->entity.scope == SCOPE_GPU && c->n_rows > most)
				most = c->n_rows;
		}
	return most;
}

static void count_samples(struct build *b)
{
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = gpu_base_track(b->run, b->run->gpus[g]);
		if (t && t->n > b->samples)
			b->samples = t->n;
	}
	if (!b->samples) /* of processes alone, or with nothing but [N/A] */
		b->samples = most_gpu_rows(b->run);
	bool seen_enough = b->samples >= FEW_SAMPLES && span_length(b->run->span) >= LEAST_SEEN;
	bool too_few = b->samples < LEAST_SAMPLES && !seen_enough;
	b->too_short = b->run->n_gpus && (too_few || span_length(b->run->span) < LEAST_LENGTH);
}

static void build_run(struct build *b)
{
	const struct run *run = b->run;
	struct report *r = b->report;
	struct report_gpu *gpus = NEW_ARRAY(b->mem, struct report_gpu, run->n_gpus);
	const char **hosts = NEW_ARRAY(b->mem, const char *, run->n_hosts);
	size_t n_hosts = 0;

	for (size_t i = 0; i < run->n_gpus; i++) {
		const struct entity *e = run->gpus[i];
		gpus[i] = (struct report_gpu){ entity_id(b->mem, e), label_text(b->mem, run, e), short_label_text(b->mem, run, e), e->name,
			e->uuid, e->bus_id };
	}
	for (size_t i = 0; i < run->n_hosts; i++)
		if (*run->hosts[i]->host)
			hosts[n_hosts++] = run->hosts[i]->host;
	r->run = (struct report_run){
		.name = run->name,
		.begin = run->span.begin,
		.end = run->span.end,
		.seconds = (double)span_length(run->span) / SECOND_MS,
		.hosts = { hosts, n_hosts },
		.gpus = gpus,
		.n_gpus = run->n_gpus,
	};
	const char *const on = hosts_text(b->mem, run);
	const bool is_named_so = !n_hosts || strcmp(on, run->name) == 0; /* folders that bear the names of hosts */
	r->identity = is_named_so ? run->name : arena_print(b->mem, "%s on %s", run->name, on);
	r->has_gpu = run->n_gpus > 0;
	r->many_gpus = run->n_gpus > 1;
	r->time_basis = run->zone_known ? "UTC" : "log time";
	r->day_unknown = !run->day_known;
	b->total_hours = r->run.seconds / 3600 * (double)run->n_gpus;
	b->unit = gpu_time_for(b->total_hours);
	r->gpu_time_unit = b->unit.symbol;
	r->gpu_time_text = arena_print(b->mem, "%s %s", gpu_time_number(b->mem, b->unit, b->total_hours),
		b->unit.name);
	const char *heading = all_capitals(b->mem, r->gpu_time_text);
	r->spent_text = r->rate.per_gpu_hour > 0
				? arena_print(b->mem, "%s (%s)", heading, worth_text(b->mem, r->rate, b->total_hours))
				: heading;
}

static void build_phases(struct build *b)
{
	static const char *const labels[N_PHASES] = {
		[PHASE_IDLE_HEAD] = "idle",
		[PHASE_STARTUP] = "start",
		[PHASE_STEADY] = "at work",
		[PHASE_DIP] = "dip",
		[PHASE_DOWN] = "down",
		[PHASE_TAIL] = "end",
	};
	struct report_phase *phases = NEW_ARRAY(b->mem, struct report_phase, b->run->n_phases);

	for (size_t i = 0; i < b->run->n_phases; i++) {
		const struct phase_span *p = &b->run->phases[i];
		phases[i] = (struct report_phase){ phase_name(p->phase), p->span.begin, p->span.end, labels[p->phase] };
	}
	b->report->phases = phases;
	b->report->n_phases = b->run->n_phases;
}

/* How busy each GPU was while the run was at work. */
static void build_busy(struct build *b)
{
	struct stats *busy = NEW_ARRAY(b->mem, struct stats, b->run->n_gpus);
	const struct spans steady = run_phases(b->mem, b->run, 1U << PHASE_STEADY);
	size_t n_known;
	const struct track **const util = tracks_of(b, METRIC_GPU_UTIL, &n_known);

	means_work_out(b, util, b->run->n_gpus, steady);
	for (size_t g = 0; g < b->run->n_gpus; g++)
		if (util[g])
			busy[g] = means_of(b, util[g], steady);
	b->busy = busy;
}

/* "not used: gpu.csv (no header says what the columns are). No reader knows notes.md." */
static const char *unread_text(struct build *b)
{
	const struct run *run = b->run;
	const char **unknown = NEW_ARRAY(b->mem, const char *, run->n_unread_files);
	const char **failed = NEW_ARRAY(b->mem, const char *, run->n_unread_files);
	size_t n_unknown = 0, n_failed = 0;

	for (size_t i = 0; i < run->n_unread_files; i++) {
		const struct unread_file *f = &run->unread_files[i];
		if (f->why)
			failed[n_failed++] = arena_print(b->mem, "%s (%s)", f->name, f->why);
		else
			unknown[n_unknown++] = f->name;
	}
	const char *of_failed = n_failed ? arena_print(b->mem, "not used: %s.", joined(b->mem, failed, n_failed, ", ", " and ")) : "";
	if (!n_unknown)
		return of_failed;
	return arena_print(b->mem, "%s%s reader knows %s.", of_failed, n_failed ? " No" : "no",
		joined(b->mem, unknown, n_unknown, ", ", " and "));
}

static bool can_be_drawn(const struct report *r)
{
	return r->card.n_panels > 0 && r->timeline_figure.n_panels > 0;
}

static struct report_note note_of(const struct note *note)
{
	return (struct report_note){ .topic = note->topic, .text = note->text, .of = note->of, .of_many = note->of_many,
		.n_of = note->n_of };
}

static void build_notes(struct build *b)
{
	struct report_note *notes = NEW_ARRAY(b->mem, struct report_note, b->run->n_notes + 3);
	size_t n = 0;

	for (size_t i = 0; i < b->run->n_notes; i++)
		notes[n++] = note_of(&b->run->notes[i]);
	if (b->report->separate_runs)
		notes[n++] = (struct report_note){ .topic = "Runs", .text = b->report->separate_runs };
	if (b->run->n_unread_files)
		notes[n++] = (struct report_note){ .topic = "Files", .text = unread_text(b) };
	if (b->options->n_chart_files && !can_be_drawn(b->report))
		notes[n++] = (struct report_note){ .topic = "Pictures", .text = "none: nothing that these logs hold is drawn over time." };
	b->report->notes = notes;
	b->report->n_notes = n;
}

static void build_chart_list(struct build *b)
{
	const struct report_options *o = b->options;
	struct report_chart *charts = NEW_ARRAY(b->mem, struct report_chart, o->n_chart_files);

	if (b->too_short || !span_length(b->run->span))
		return;

	for (size_t i = 0; i < o->n_chart_files; i++)
		charts[i] = (struct report_chart){ .file = o->chart_files[i], .title = b->run->name };
	b->report->charts = charts;
	b->report->n_charts = o->n_chart_files;
	b->report->has_charts = o->n_chart_files > 0;
	b->report->chart_names = o->n_chart_files ? joined(b->mem, o->chart_files, o->n_chart_files, "  ", "  ") : NULL;
}

/*
 * Pictures that would say nothing of this run. A log of free, or of processes alone: there is a report, and there are no
 * pictures at all, which a note says.
 */
static void drop_empty_charts(struct build *b)
{
	struct report *r = b->report;
	const char **names = NEW_ARRAY(b->mem, const char *, r->n_charts);
	size_t n = 0;

	for (size_t i = 0; i < r->n_charts && can_be_drawn(r); i++) {
		const struct figure *figure = report_figure(r, r->charts[i].file);
		if (!figure || figure->n_panels == 0)
			continue;
		names[n] = r->charts[i].file;
		r->charts[n++] = r->charts[i];
	}
	r->n_charts = n;
	r->has_charts = n > 0;
	r->chart_names = n ? joined(b->mem, names, n, "  ", "  ") : NULL;
}

/* What pictures show, those that are worth drawing and what is said of them: of a text alone nobody asks for any. */
static void build_all_pictures(struct build *b)
{
	build_figures(b);
	build_closeup(b);
	build_duty(b);
	build_density(b);
	build_pictures(b);
	drop_empty_charts(b);
	build_alt_texts(b);
}

/* What our own templates leave out of a brief report: of a long log to look for it again takes a tenth of all else. */
static void build_what_is_long(struct build *b)
{
	build_log_better(b);
	build_throttle(b);
	build_timeline(b);
}

struct report *report_build(const struct run *run, const struct rules *rules, struct verdicts verdicts,
	const struct report_options *options)
{
	struct report *report = NEW(run->mem, struct report);
	struct build b = {
		.run = run,
		.rules = rules,
		.verdicts = verdicts,
		.options = options,
		.mem = run->mem,
		.report = report,
	};

	report->schema = "postrun.report/1";
	report->program = (struct report_program){ "postrun", POSTRUN_VERSION, rules->digest };
	report->all = options->all;
	report->rate = options->rate;
	report->command_text = options->command;
	report->footer_right = "postrun " POSTRUN_VERSION;
	stats_begin(&b);
	count_samples(&b);
	build_run(&b);
	build_phases(&b);
	build_busy(&b);
	build_suppressions(&b);
	build_drafts(&b);
	build_ledger(&b);
	build_findings(&b);
	build_suppressed(&b);
	build_judgements(&b);
	build_statistics(&b);
	build_sources(&b);
	build_separate_runs(&b);
	build_rules(&b);
	build_events(&b);
	build_chart_list(&b);
	build_verdict(&b);
	build_remarks(&b);
	if (!options->in_table_alone || !report_is_brief(report))
		build_what_is_long(&b);
	if (options->n_chart_files)
		build_all_pictures(&b);
	report_place_charts(b.mem, report);
	build_notes(&b);
	tell_alike_sources(&b);
	tell_alike_notes(&b);
	stats_end(&b);
	if (!(report->rate.per_gpu_hour > 0)) /* nobody named one: no figure of report.json, not a price of 0 */
		report->rate.per_gpu_hour = NAN;
	return report;
}
