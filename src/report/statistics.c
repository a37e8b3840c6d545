/*
 * statistics.c - numbers over the whole run: every track in JSON, the important ones as a table.
 */
#include "report/report_parts.h"

#include "base/number.h"

#include <math.h>

#define TABLE_HOSTS 8
#define TABLE_GPUS 16 /* above, a row for each node, and one for each GPU that a finding names (visual.md 13.7) */
#define MOST_NAMED 8  /* GPUs of a finding: who reads of more does not look for each in a table */

/* Shares of a whole are 0 to 1 in JSON (design section 11); plain percentages stay percent. */
static bool is_share(enum metric metric)
{
	const char *name = metric_table[metric].name;
	size_t n = strlen(name);

	return n > 6 && strcmp(name + n - 6, "_share") == 0;
}

/* The mean of a counter tells when the driver was loaded, if anything. */
static bool has_statistics(enum metric metric)
{
	const enum metric_kind kind = metric_table[metric].kind;

	return metric_table[metric].unit != UNIT_BITS && kind != KIND_FACT && kind != KIND_COUNTER;
}

static const struct track *counted_track(const struct run *run, const struct entity *e, enum metric metric)
{
	const struct track *t = has_statistics(metric) ? run_track(run, e, metric) : NULL;

	return t && !t->assumed ? t : NULL; /* else nobody measured it */
}

/* What the table needs of one GPU. */
static const enum metric in_table[] = { METRIC_GPU_UTIL, METRIC_GPU_MEM_USED, METRIC_GPU_TEMP, METRIC_GPU_POWER, METRIC_GPU_CLOCK_SM };
#define N_IN_TABLE (sizeof in_table / sizeof *in_table)

/* Is more of it in the table than means and extremes? */
static bool has_percentiles(const struct run *run, enum metric metric)
{
	return metric == METRIC_CPU_BUSY || (metric == METRIC_GPU_UTIL && run->n_gpus <= TABLE_GPUS);
}

/* Of all that will be told, before it is; where the table is all, what of it takes long. */
static void work_out_all(struct build *b)
{
	const struct run *run = b->run;
	const struct track **tracks = NEW_ARRAY(b->mem, const struct track *, run->n_tracks);
	size_t n = 0;

	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		if (counted_track(run, t->entity, t->metric) && (!b->options->in_table_alone || has_percentiles(run, t->metric)))
			tracks[n++] = t;
	}
	stats_work_out(b, tracks, n, spans_one(&run->span));
}

static struct statistic statistic_of(struct build *b, const struct track *t)
{
	struct stats s = stats_of(b, t, spans_one(&b->run->span));
	double whole = is_share(t->metric) ? 100 : 1;
	enum unit unit = is_share(t->metric) ? UNIT_NUMBER : metric_table[t->metric].unit;

	return (struct statistic){
		.entity = entity_id(b->mem, t->entity),
		.metric = metric_table[t->metric].name,
		.unit = unit,
		.unit_symbol = unit_table[unit].symbol,
		.mean = s.mean / whole,
		.min = s.min / whole,
		.p5 = s.p5 / whole,
		.p50 = s.p50 / whole,
		.p95 = s.p95 / whole,
		.max = s.max / whole,
		.stddev = s.stddev / whole,
		.coverage = s.judged ? (double)s.known / (double)s.judged : 0,
		.track = t,
		.source = t->derived ? "derived" : b->run->recordings[t->source]->name,
	};
}

static void add_entity(struct build *b, struct statistic *rows, size_t *n, const struct entity *e)
{
	for (int m = 0; m < N_METRICS; m++) {
		const struct track *t = counted_track(b->run, e, (enum metric)m);
		if (t)
			rows[(*n)++] = statistic_of(b, t);
	}
}

static void list_all(struct build *b)
{
	const struct run *run = b->run;
	struct statistic *rows = NEW_ARRAY(b->mem, struct statistic, run->n_tracks);
	size_t n = 0;

	for (size_t i = 0; i < run->n_gpus; i++)
		add_entity(b, rows, &n, run->gpus[i]);
	for (size_t i = 0; i < run->n_hosts; i++)
		add_entity(b, rows, &n, run->hosts[i]);
	for (size_t i = 0; i < run->n_cores; i++)
		add_entity(b, rows, &n, run->cores[i]);
	if (run_job(run))
		add_entity(b, rows, &n, run_job(run));
	b->report->statistics = rows;
	b->report->n_statistics = n;
}

struct summary { /* of one GPU, or of several together */
	struct stats of[N_METRICS];
	double hot_ms;
	bool has_hot, is_of_several;
};

/* Means alone, unless it has a row of its own. */
static struct summary summary_of(struct build *b, const struct entity *gpu, bool has_row)
{
	static const enum metric hot[] = { METRIC_GPU_THR_HW_THERMAL, METRIC_GPU_THR_SW_THERMAL };
	struct summary s = { 0 };
	struct spans slow = { NULL, 0 };

	for (size_t i = 0; i < N_IN_TABLE; i++) {
		const struct track *t = run_track(b->run, gpu, in_table[i]);
		const bool has_more = has_row && in_table[i] == METRIC_GPU_UTIL;
		if (t)
			s.of[in_table[i]] = (has_more ? stats_of : means_of)(b, t, spans_one(&b->run->span));
	}
	for (size_t i = 0; i < sizeof hot / sizeof *hot; i++) {
		const struct track *t = run_track(b->run, gpu, hot[i]);
		if (!t)
			continue;
		s.has_hot = true;
		if (!(means_of(b, t, spans_one(&b->run->span)).max > 0))
			continue; /* nearly all GPUs: nothing to look for, row by row */
		struct truths set = truths_compare_track(b->mem, t, b->run->span, 1, GREATER, 0);
		slow = spans_union(b->mem, slow, truths_spans(b->mem, set, YES));
	}
	s.hot_ms = (double)spans_length(slow);
	return s;
}

/* Mean of means, highest of all; percentiles of the GPUs' own percentiles would mean nothing. */
static void summary_add(struct summary *sum, const struct summary *one)
{
	for (size_t i = 0; i < N_IN_TABLE; i++) {
		struct stats *const s = &sum->of[in_table[i]];
		const struct stats *const o = &one->of[in_table[i]];
		if (!o->known)
			continue;
		s->max = s->known ? fmax(s->max, o->max) : o->max;
		s->mean = (s->mean * (double)s->known + o->mean * (double)o->known) / (double)(s->known + o->known);
		s->known += o->known;
	}
	sum->hot_ms += one->hot_ms;
	sum->has_hot |= one->has_hot;
	sum->is_of_several = true;
}

static double known_or_nan(const struct stats *s, double value)
{
	return s->known ? value : NAN;
}

static const char *percentile(struct arena *mem, const struct summary *s, double value)
{
	return s->is_of_several ? "" : number_text(mem, known_or_nan(&s->of[METRIC_GPU_UTIL], value), 0);
}

static struct statistics_row row_of(struct build *b, const char *label, const struct summary *s)
{
	struct arena *mem = b->mem;
	const struct stats *util = &s->of[METRIC_GPU_UTIL], *used = &s->of[METRIC_GPU_MEM_USED], *temp = &s->of[METRIC_GPU_TEMP],
			   *power = &s->of[METRIC_GPU_POWER], *clock = &s->of[METRIC_GPU_CLOCK_SM];

	return (struct statistics_row){
		.label = label,
		.busy_mean = number_text(mem, known_or_nan(util, util->mean), 0),
		.busy_p5 = percentile(mem, s, util->p5),
		.busy_p50 = percentile(mem, s, util->p50),
		.busy_p95 = percentile(mem, s, util->p95),
		.mem_peak = number_text(mem, known_or_nan(used, used->max / 1024), 1),
		.temp_mean = number_text(mem, known_or_nan(temp, temp->mean), 0),
		.temp_max = number_text(mem, known_or_nan(temp, temp->max), 0),
		.power_mean = number_text(mem, known_or_nan(power, power->mean), 0),
		.power_max = number_text(mem, known_or_nan(power, power->max), 0),
		.clock_mean = number_text(mem, known_or_nan(clock, clock->mean), 0),
		.hot = s->has_hot ? number_text(mem, s->hot_ms / MINUTE_MS, 0) : "-",
	};
}

static struct statistics_row row_of_cpu(struct build *b, const struct track *cpu, const char *label)
{
	const struct stats s = stats_of(b, cpu, spans_one(&b->run->span));

	return (struct statistics_row){
		.label = label,
		.busy_mean = number_text(b->mem, s.mean, 0),
		.busy_p5 = number_text(b->mem, s.p5, 0),
		.busy_p50 = number_text(b->mem, s.p50, 0),
		.busy_p95 = number_text(b->mem, s.p95, 0),
	};
}

static size_t count_of_host(const struct entity *const *gpus, size_t n, const char *host)
{
	size_t n_of_host = 0;

	for (size_t i = 0; i < n; i++)
		n_of_host += strcmp(gpus[i]->host, host) == 0;
	return n_of_host;
}

/* A finding about a whole node names that, not its GPUs. */
static bool is_of_whole_node(const struct run *run, struct whom whom, const struct entity *gpu)
{
	return run->n_hosts > 1 && count_of_host(whom.at, whom.n, gpu->host) == count_of_host(run->gpus, run->n_gpus, gpu->host);
}

/* Which GPUs have a row: all of few, of many those that the foremost findings name. One a GPU of the run, in `mem`. */
static const bool *gpus_with_row(struct build *b)
{
	const struct run *const run = b->run;
	bool *const have = NEW_ARRAY(b->mem, bool, run->n_gpus);
	size_t left = TABLE_GPUS;

	for (size_t g = 0; g < run->n_gpus && run->n_gpus <= TABLE_GPUS; g++)
		have[g] = true;
	for (size_t i = 0; i < b->n_ranked && run->n_gpus > TABLE_GPUS; i++) {
		const struct whom whom = whom_of(b, b->ranked[i]);
		for (size_t g = 0; g < run->n_gpus && whom.n <= MOST_NAMED && left; g++) {
			if (have[g] || !whom_has(whom, run->gpus[g]) || is_of_whole_node(run, whom, run->gpus[g]))
				continue;
			have[g] = true;
			left--;
		}
	}
	return have;
}

struct table {
	struct statistics_row *rows;
	size_t n_rows;
	struct summary all; /* GPUs */
};

/* GPUs from `first` on that are of one node: their rows, below that of the node where it has one. Gives the first GPU of the next. */
static size_t add_node(struct build *b, struct table *t, size_t first, const bool *have_row, bool has_row)
{
	const struct run *const run = b->run;
	struct statistics_row *const row = has_row ? &t->rows[t->n_rows++] : NULL;
	struct summary node = { 0 };
	size_t g = first;

	for (; g < run->n_gpus && strcmp(run->gpus[g]->host, run->gpus[first]->host) == 0; g++) {
		const struct summary one = summary_of(b, run->gpus[g], have_row[g]);
		if (have_row[g])
			t->rows[t->n_rows++] = row_of(b, short_label_text(b->mem, run, run->gpus[g]), &one);
		summary_add(&node, &one);
		summary_add(&t->all, &one);
	}
	if (row)
		*row = row_of(b, arena_print(b->mem, "GPUs %s", short_host_text(b->mem, run, run->gpus[first]->host)), &node);
	return g;
}

static void add_gpus(struct build *b, struct table *t)
{
	const struct run *const run = b->run;
	const bool has_nodes = run->n_gpus > TABLE_GPUS && run->n_hosts > 1 && (run->n_hosts <= TABLE_GPUS || b->options->all);
	const bool *const have_row = gpus_with_row(b);

	for (size_t g = 0; g < run->n_gpus;)
		g = add_node(b, t, g, have_row, has_nodes);
	if (run->n_gpus > 1)
		t->rows[t->n_rows++] = row_of(b, "all", &t->all);
}

static void add_cpus(struct build *b, struct table *t)
{
	const struct run *const run = b->run;
	const struct track *const all = host_track(run, METRIC_CPU_BUSY);

	for (size_t h = 0; h < run->n_hosts && run->n_hosts <= TABLE_HOSTS; h++) {
		const struct track *const cpu = run_track(run, run->hosts[h], METRIC_CPU_BUSY);
		if (cpu)
			t->rows[t->n_rows++] = row_of_cpu(b, cpu, short_label_text(b->mem, run, run->hosts[h]));
	}
	if (all && run->n_hosts > TABLE_HOSTS)
		t->rows[t->n_rows++] = row_of_cpu(b, all, "CPU, all");
}

void build_statistics(struct build *b)
{
	struct table t = { .rows = NEW_ARRAY(b->mem, struct statistics_row, b->run->n_gpus + 2 * b->run->n_hosts + 2) };

	work_out_all(b);
	if (!b->options->in_table_alone)
		list_all(b);
	if (span_length(b->run->span)) { /* of a single moment there is no mean */
		add_gpus(b, &t);
		add_cpus(b, &t);
	}
	b->report->statistics_rows = t.rows;
	b->report->n_statistics_rows = t.n_rows;
}
