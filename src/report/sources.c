/* sources.c - what was read, how whole it is, and how its clock was settled. */
#include "report/report_parts.h"

static const char *const decisions[] = {
	[DECIDED_OPTION] = "option",     [DECIDED_LOG] = "log",         [DECIDED_SIBLING] = "sibling",
	[DECIDED_INFERRED] = "inferred", [DECIDED_ASSUMED] = "assumed",
};

/* The channel that speaks for the log: the first with the most rows. */
static const struct channel *main_channel(const struct recording *rec)
{
	const struct channel *most = &rec->channels[0];

	for (size_t i = 1; i < rec->n_channels; i++)
		if (rec->channels[i].n_rows > most->n_rows)
			most = &rec->channels[i];
	return most;
}

static struct track clock_of(const struct channel *c)
{
	return (struct track){ .clock = c->times, .n = c->n_rows, .step = c->step, .steps = c->steps };
}

/* "1 GPU", "each of 4 GPUs", "16 cores", "all cores together", "the host": memory, disks */
static const char *whose_samples(struct arena *mem, const struct recording *rec)
{
	size_t n_gpus = 0, n_cores = 0;
	bool has_cpu = false;

	for (size_t i = 0; i < rec->n_channels; i++) {
		for (size_t k = 0; k < rec->channels[i].n_columns; k++)
			has_cpu |= rec->channels[i].columns[k].metric == METRIC_CPU_BUSY;
		n_gpus += rec->channels[i].entity.scope == SCOPE_GPU;
		n_cores += rec->channels[i].entity.scope == SCOPE_CORE;
	}
	if (n_gpus)
		return n_gpus == 1 ? "1 GPU" : arena_print(mem, "each of %zu GPUs", n_gpus);
	if (n_cores)
		return arena_print(mem, "%zu cores", n_cores);
	return has_cpu ? "all cores together" : "the host";
}

/* "1800 samples", "41 to 165 samples" where GPUs have unequal shares of the log by more than a late start. */
#define MOST_STAGGERED 2 /* rows: so many a GPU lacks that was asked last when the log began, and was not when it ended */

static const char *count_text(struct arena *mem, const struct recording *rec, const struct channel *most)
{
	size_t least = most->n_rows;

	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].entity.scope == most->entity.scope && rec->channels[i].n_rows < least)
			least = rec->channels[i].n_rows;
	const bool is_alike = least + MOST_STAGGERED >= most->n_rows;
	return is_alike ? arena_print(mem, "%zu sample%s", most->n_rows, plural_s(most->n_rows))
			: arena_print(mem, "%zu to %zu samples", least, most->n_rows);
}

/* "1 s", or "1 s to 10 s" of a log that did not always look as often. */
static const char *steps_text(struct arena *mem, const struct channel *c)
{
	const struct track clock = clock_of(c);
	const time_ms finest = track_finest_step(&clock), coarsest = track_coarsest_step(&clock);
	const char *const from = step_text(mem, (double)finest / SECOND_MS);

	return finest == coarsest ? from : arena_print(mem, "%s to %s", from, step_text(mem, (double)coarsest / SECOND_MS));
}

static const char *holes_text(struct arena *mem, struct spans holes)
{
	if (!holes.n)
		return "no hole";
	return arena_print(mem, "%zu hole%s of %s%s", holes.n, plural_s(holes.n),
		duration_text(mem, (double)spans_length(holes) / SECOND_MS),
		holes.n > 1 ? " in all" : "");
}

/* Cells that have no value although the GPU could give one: an error, a lost GPU, an impossible number. */
static size_t count_failed_cells(const struct recording *rec)
{
	size_t n = 0;

	for (size_t i = 0; i < N_ABSENCES; i++)
		if (i != ABSENT_UNSUPPORTED && i != ABSENT_DEPRECATED)
			n += rec->absences[i];
	return n;
}

/* What is wrong with the log, a sentence each; "" for a whole one. */
static const char *flaws_text(struct arena *mem, const struct recording *rec)
{
	const char *text = "";
	const char *const rejected = rejected_text(mem, rec);
	const size_t n_failed = count_failed_cells(rec);

	if (rec->guess)
		text = arena_print(mem, " A guess: %s.", rec->guess);
	if (rejected)
		text = arena_print(mem, "%s %s.", text, rejected);
	if (n_failed)
		text = arena_print(mem, "%s %zu cell%s without a value that the log should have.", text, n_failed, plural_s(n_failed));
	if (rec->room)
		text = arena_print(mem, "%s Of each %zu rows one was made, to stay within %s. Means, lowest and highest are those of all "
			"rows; what lasts less than %s is not seen.", text, rec->every, rec->room,
			duration_text(mem, (double)main_channel(rec)->step / SECOND_MS));
	if (rec->time_back)
		text = arena_print(mem, "%s Time steps back; the rows were put in order.", text);
	if (rec->set_back)
		text = arena_print(mem, "%s The clock was set back by %s while the log went on; what comes before is told as much earlier.",
			text, duration_text(mem, (double)rec->set_back / SECOND_MS));
	if (rec->n_spread)
		text = arena_print(mem, "%s %zu rows share a second with others and were spread evenly over it.", text, rec->n_spread);
	if (rec->n_overlaid)
		text = arena_print(mem, "%s %zu row%s of a time that the log tells of again %s left out.", text, rec->n_overlaid,
			plural_s(rec->n_overlaid), rec->n_overlaid > 1 ? "were" : "was");
	if (rec->n_doubles)
		text = arena_print(mem, "%s %zu row%s with the time of another %s left out.", text, rec->n_doubles,
			plural_s(rec->n_doubles), rec->n_doubles > 1 ? "were" : "was");
	if (rec->cut)
		text = arena_print(mem, "%s The last row was cut off and is not used.", text);
	if (rec->damage)
		text = arena_print(mem, "%s %s.", text, with_capital(mem, rec->damage));
	if (rec->n_messages)
		text = arena_print(mem, "%s The logger wrote '%s'.", text, rec->messages[0]);
	if (rec->n_messages > 1)
		text = arena_print(mem, "%s %zu more messages are in report.json.", text, rec->n_messages - 1);
	return text;
}

/* "156 samples for 1 GPU, step 0.5 s, no hole." and what is wrong. */
static const char *quality_text(struct build *b, const struct recording *rec, struct spans holes)
{
	const struct channel *c = main_channel(rec);

	if (c->entity.scope == SCOPE_RUN)
		return arena_print(b->mem, "%zu rows of the job's progress, at most %s apart.%s", c->n_rows,
			step_text(b->mem, (double)c->step / SECOND_MS), flaws_text(b->mem, rec));
	if (c->n_rows == 1)
		return arena_print(b->mem, "1 sample for %s.%s", whose_samples(b->mem, rec), flaws_text(b->mem, rec));
	return arena_print(b->mem, "%s for %s, step %s, %s.%s", count_text(b->mem, rec, c), whose_samples(b->mem, rec),
		steps_text(b->mem, c), holes_text(b->mem, holes), flaws_text(b->mem, rec));
}

static void list_absences(struct build *b, const struct recording *rec, struct report_source *s)
{
	struct report_absence *absences = NEW_ARRAY(b->mem, struct report_absence, N_ABSENCES);

	for (size_t i = 0; i < N_ABSENCES; i++)
		if (rec->absences[i])
			absences[s->n_absences++] = (struct report_absence){ absence_table[i].name, rec->absences[i] };
	s->absences = absences;
}

static struct window *windows_of(struct arena *mem, struct spans spans)
{
	struct window *windows = NEW_ARRAY(mem, struct window, spans.n);

	for (size_t i = 0; i < spans.n; i++)
		windows[i] = (struct window){ spans.at[i].begin, spans.at[i].end, (double)span_length(spans.at[i]) / SECOND_MS };
	return windows;
}

/* Of a log of events only (the kernel's): from the first to the last of them. */
static void tell_events_only(struct build *b, const struct recording *rec, struct report_source *s)
{
	s->begin = rec->events[0].t;
	s->end = rec->events[rec->n_events - 1].t;
	s->quality = arena_print(b->mem, "%zu event%s, no samples.%s", rec->n_events, plural_s(rec->n_events), flaws_text(b->mem, rec));
}

/* Of the log's main channel; of GPUs, the time in which any of them has none. */
static struct spans holes_of_log(struct arena *mem, const struct recording *rec, const struct channel *most)
{
	struct track clock = clock_of(most);
	struct spans all = track_holes(mem, &clock);

	for (size_t i = 0; i < rec->n_channels && most->entity.scope == SCOPE_GPU; i++) {
		const struct channel *c = &rec->channels[i];
		clock = clock_of(c);
		if (c != most && c->entity.scope == SCOPE_GPU)
			all = spans_union(mem, all, track_holes(mem, &clock));
	}
	return all;
}

static void tell_rows(struct build *b, const struct recording *rec, struct report_source *s)
{
	const struct channel *c = main_channel(rec);
	struct track clock = clock_of(c);
	struct spans holes = holes_of_log(b->mem, rec, c);

	s->begin = channel_time(c, 0);
	s->end = track_span(&clock).end;
	s->step_s = (double)c->step / SECOND_MS;
	s->steps = steps_text(b->mem, c);
	s->holes = windows_of(b->mem, holes);
	s->n_holes = holes.n;
	s->quality = quality_text(b, rec, holes);
}

static struct report_source source_of(struct build *b, const struct recording *rec)
{
	struct report_source s = {
		.path = rec->path,
		.name = rec->name,
		.digest = rec->digest,
		.archive = rec->archive,
		.archive_digest = rec->archive_digest,
		.format = rec->format->name,
		.why = rec->why,
		.rows_per_sample = rec->every,
		.bytes = (size_t)rec->bytes,
		.of_many = rec->clock.of_many,
		.clock = { b->run->zone_known ? zone_name(b->mem, rec->clock.offset) : NULL, (double)rec->clock.offset / SECOND_MS,
			decisions[rec->clock.decided_by], rec->clock.sentence },
		.unread = { rec->unread, rec->n_unread },
		.messages = { rec->messages, rec->n_messages },
		.guess = rec->guess,
	};

	if (rec->n_channels)
		tell_rows(b, rec, &s);
	else
		tell_events_only(b, rec, &s);
	account_rows(b, rec, &s);
	list_absences(b, rec, &s);
	return s;
}

bool has_metric(const struct run *run, enum metric metric)
{
	for (size_t t = 0; t < run->n_tracks; t++)
		if (run->tracks[t]->metric == metric)
			return true;
	return false;
}

/* What readers call them. A limit is wanted where what it is `of` is. */
static const struct {
	enum metric metric;
	const char *words;
	enum metric of; /* N_METRICS: of nothing */
} wanted[] = {
	{ METRIC_GPU_UTIL, "GPU busy", N_METRICS },
	{ METRIC_GPU_MEM_USED, "GPU memory", N_METRICS },
	{ METRIC_GPU_MEM_TOTAL, "size of the memory", METRIC_GPU_MEM_USED },
	{ METRIC_GPU_TEMP, "GPU temperature", N_METRICS },
	{ METRIC_GPU_TEMP_MARGIN, "heat margin", N_METRICS },
	{ METRIC_GPU_POWER, "GPU power", N_METRICS },
	{ METRIC_GPU_POWER_LIMIT, "power limit", N_METRICS },
	{ METRIC_GPU_CLOCK_SM, "SM clock", N_METRICS },
	{ METRIC_GPU_CLOCK_SM_MAX, "highest SM clock", METRIC_GPU_CLOCK_SM },
	{ METRIC_GPU_THROTTLE, "throttle reasons", N_METRICS },
	{ METRIC_CPU_BUSY, "CPU busy", N_METRICS },
	{ METRIC_CORE_BUSY, "each CPU core alone", N_METRICS },
};
#define N_WANTED (sizeof wanted / sizeof *wanted)

const char *metric_words(enum metric metric)
{
	for (size_t w = 0; w < N_WANTED; w++)
		if (wanted[w].metric == metric)
			return wanted[w].words;
	return metric_table[metric].title;
}

bool is_missed(const struct run *run, enum metric metric)
{
	for (size_t w = 0; w < N_WANTED; w++)
		if (wanted[w].metric == metric && wanted[w].of != N_METRICS && !has_metric(run, wanted[w].of))
			return false;
	return !has_metric(run, metric);
}

/* Metrics that rules could use and no log has; derived ones would be there with their parts. */
static const char *not_logged(struct build *b)
{
	const char *missing[N_WANTED];
	size_t n = 0;

	for (size_t w = 0; w < N_WANTED; w++)
		if (is_missed(b->run, wanted[w].metric))
			missing[n++] = wanted[w].words;
	return n ? arena_print(b->mem, "%s: not judged.", joined(b->mem, missing, n, ", ", ", ")) : NULL;
}

void build_sources(struct build *b)
{
	struct report_source *sources = NEW_ARRAY(b->mem, struct report_source, b->run->n_recordings);

	for (size_t i = 0; i < b->run->n_recordings; i++)
		sources[i] = source_of(b, b->run->recordings[i]);
	b->report->sources = sources;
	b->report->n_sources = b->run->n_recordings;
	if (b->run->n_gpus)
		b->report->limits_text = "'busy' is the share of time in which any kernel ran, not how well it used the GPU.";
	b->report->not_logged_text = not_logged(b);
}
