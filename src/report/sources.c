/* sources.c - what was read, how whole it is, and how its clock was settled. */
#include "report/report_parts.h"

#include "base/number.h"

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
	return (struct track){ .times = c->times, .n = c->n_rows, .step = c->step };
}

static const char *step_text(struct arena *mem, time_ms step)
{
	char text[32];
	double seconds = (double)step / SECOND_MS;

	number_print(text, sizeof text, seconds, seconds < 9.95 && step % SECOND_MS ? 2 : 0);
	return arena_print(mem, "%s s", text);
}

/* "156 rows for 1 GPU, step 0.5 s, no hole." */
static const char *quality_text(struct build *b, const struct recording *rec, struct spans holes)
{
	struct arena *mem = b->mem;
	const struct channel *c = main_channel(rec);
	size_t n_gpus = 0, n_cores = 0;
	const char *who = "all cores together", *hole = "no hole", *bad = "", *said = "", *order = "";
	const char *cut = rec->cut ? " The last row was cut off." : "";

	for (size_t i = 0; i < rec->n_channels; i++) {
		n_gpus += rec->channels[i].entity.scope == SCOPE_GPU;
		n_cores += rec->channels[i].entity.scope == SCOPE_CORE;
	}
	if (n_gpus)
		who = n_gpus == 1 ? "1 GPU" : arena_print(mem, "each of %zu GPUs", n_gpus);
	else if (n_cores)
		who = arena_print(mem, "%zu cores", n_cores);
	if (holes.n)
		hole = arena_print(mem, "%zu hole%s of %s in all", holes.n, holes.n > 1 ? "s" : "",
			duration_text(mem, (double)spans_length(holes) / SECOND_MS));
	if (rec->n_rows_bad)
		bad = arena_print(mem, " %zu row%s could not be used.", rec->n_rows_bad, rec->n_rows_bad > 1 ? "s" : "");
	if (rec->time_back || rec->n_doubles)
		order = arena_print(mem, "%s%s", rec->time_back ? " Time steps back; the rows were put in order." : "",
			rec->n_doubles ? arena_print(mem, " %zu row%s with the time of another %s left out.", rec->n_doubles,
						 rec->n_doubles > 1 ? "s" : "", rec->n_doubles > 1 ? "were" : "was")
				       : "");
	if (rec->damage)
		cut = arena_print(mem, "%s %s.", cut, with_capital(mem, rec->damage));
	if (rec->n_messages)
		said = arena_print(mem, " The logger wrote '%s'%s.", rec->messages[0],
			rec->n_messages > 1 ? arena_print(mem, " and %zu more messages", rec->n_messages - 1) : "");
	return arena_print(mem, "%zu samples for %s, step %s, %s.%s%s%s%s", c->n_rows, who, step_text(mem, c->step), hole, bad, order, cut,
		said);
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

static struct report_source source_of(struct build *b, const struct recording *rec)
{
	const struct channel *c = main_channel(rec);
	struct track clock = clock_of(c);
	struct spans holes = track_holes(b->mem, &clock);
	struct report_source s = {
		.path = rec->path,
		.name = rec->name,
		.digest = rec->digest,
		.format = rec->format->name,
		.why = rec->why,
		.bytes = (size_t)rec->bytes,
		.rows = rec->n_rows,
		.rows_bad = rec->n_rows_bad,
		.rows_ignored = rec->n_rows_ignored,
		.begin = c->times[0],
		.end = track_span(&clock).end,
		.step_s = (double)c->step / SECOND_MS,
		.holes = windows_of(b->mem, holes),
		.n_holes = holes.n,
		.clock = { b->run->zone_known ? zone_name(b->mem, rec->clock.offset) : NULL, (double)rec->clock.offset / SECOND_MS,
			decisions[rec->clock.decided_by], rec->clock.sentence },
		.quality = quality_text(b, rec, holes),
		.unread = { rec->unread, rec->n_unread },
	};

	list_absences(b, rec, &s);
	return s;
}

/* Metrics that rules could use and no log has; derived ones would be there with their parts. */
static const char *not_logged(struct build *b)
{
	static const struct {
		enum metric metric;
		const char *words;
	} wanted[] = {
		{ METRIC_GPU_UTIL, "GPU busy" },           { METRIC_GPU_MEM_USED, "GPU memory" },  { METRIC_GPU_TEMP, "GPU temperature" },
		{ METRIC_GPU_TEMP_MARGIN, "heat margin" }, { METRIC_GPU_POWER, "GPU power" },     { METRIC_GPU_POWER_LIMIT, "power limit" },
		{ METRIC_GPU_CLOCK_SM, "SM clock" },       { METRIC_GPU_THROTTLE, "throttle reasons" }, { METRIC_CPU_BUSY, "CPU busy" },
		{ METRIC_CORE_BUSY, "single cores" },
	};
	const char *missing[sizeof wanted / sizeof *wanted];
	size_t n = 0;

	for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
		bool logged = false;
		for (size_t t = 0; t < b->run->n_tracks; t++)
			logged |= b->run->tracks[t]->metric == wanted[w].metric;
		if (!logged)
			missing[n++] = wanted[w].words;
	}
	return n ? arena_print(b->mem, "%s: not judged.", joined(b->mem, missing, n, ", ", ", ")) : NULL;
}

void build_sources(struct build *b)
{
	struct report_source *sources = NEW_ARRAY(b->mem, struct report_source, b->run->n_recordings);

	for (size_t i = 0; i < b->run->n_recordings; i++)
		sources[i] = source_of(b, b->run->recordings[i]);
	b->report->sources = sources;
	b->report->n_sources = b->run->n_recordings;
	b->report->limits_text = "'busy' is the share of time in which any kernel ran, not how well it used the GPU.";
	b->report->not_logged_text = not_logged(b);
}
