/*
 * cmd_inspect.c - `postrun inspect`: what is this log?
 *
 * Format and why it was recognised, devices, metrics, rows, step, span, holes, the zone decision,
 * and what has no value, by reason.
 */
#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"

#include <stdio.h>

static const struct option table[] = {
	INPUT_OPTIONS,
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* What a log or a user wrote, safe for a terminal. */
static const char *safe(struct arena *mem, const char *text)
{
	char *copy = arena_text(mem, text, strlen(text));

	text_make_printable(copy);
	return copy;
}

static void print_devices(struct arena *mem, const struct recording *rec)
{
	size_t n_cores = 0;

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		const struct entity *e = &c->entity;
		n_cores += e->scope == SCOPE_CORE;
		if (e->scope != SCOPE_GPU)
			continue;
		printf("  device    %s%s%s%s%s%s%s, %zu rows\n", entity_label(mem, e), e->name ? ", " : "",
			e->name ? safe(mem, e->name) : "",
			e->bus_id ? ", bus " : "", e->bus_id ? e->bus_id : "", e->uuid ? ", " : "", e->uuid ? safe(mem, e->uuid) : "",
			c->n_rows);
	}
	if (rec->host)
		printf("  host      %s\n", safe(mem, rec->host));
	if (n_cores)
		printf("  cores     %zu\n", n_cores);
}

static void print_metrics(const struct recording *rec)
{
	bool seen[N_METRICS] = { false };
	size_t width = 11;

	printf("  metrics  ");
	for (size_t i = 0; i < rec->n_channels; i++)
		for (size_t k = 0; k < rec->channels[i].n_columns; k++)
			if (rec->channels[i].columns[k].n_absent < rec->channels[i].n_rows + rec->channels[i].n_merged)
				seen[rec->channels[i].columns[k].metric] = true;
	for (size_t m = 0; m < N_METRICS; m++) {
		size_t n = strlen(metric_table[m].name);
		if (!seen[m])
			continue;
		if (width + n + 1 > 79) {
			printf("\n           ");
			width = 11;
		}
		printf(" %s", metric_table[m].name);
		width += n + 1;
	}
	printf("\n");
}

static void print_list(struct arena *mem, const char *head, const char *const *items, size_t n)
{
	if (!n)
		return;
	printf("  %-9s", head);
	size_t width = 11;
	for (size_t i = 0; i < n; i++) {
		if (width + strlen(items[i]) + 2 > 79) {
			printf("\n           ");
			width = 11;
		}
		printf(" %s%s", safe(mem, items[i]), i + 1 < n ? "," : "\n");
		width += strlen(items[i]) + 2;
	}
}

/* From the first row of any entity to the end of the last. */
static struct span whole_span(const struct recording *rec)
{
	struct span all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		const time_ms end = channel_end(c);
		all.begin = channel_time(c, 0) < all.begin ? channel_time(c, 0) : all.begin;
		all.end = end > all.end ? end : all.end;
	}
	return all;
}

static const char *moment_text(struct arena *mem, const struct run *run, time_ms t)
{
	return (run->zone_known ? time_iso : time_iso_local)(mem, t);
}

static void print_span(struct arena *mem, const struct run *run, const char *what, struct span span)
{
	printf("  %-9s %s to %s (%s)\n", what, moment_text(mem, run, span.begin), moment_text(mem, run, span.end),
		duration_text(mem, (double)span_length(span) / SECOND_MS));
}

/* Step and holes of the first entity speak for all: a log looks at them together. */
static void print_times(struct arena *mem, const struct run *run, const struct recording *rec)
{
	const struct channel *c = &rec->channels[0];
	struct track clock = { .clock = c->times, .n = c->n_rows, .step = c->step, .steps = c->steps };
	struct spans holes = track_holes(mem, &clock);
	char step[32];

	number_print(step, sizeof step, (double)c->step / SECOND_MS, 3);
	printf("  step      %s%s s\n", c->entity.scope == SCOPE_RUN ? "at most " : "", step);
	print_span(mem, run, "span", whole_span(rec));
	if (!holes.n)
		printf("  holes     none\n");
	for (size_t i = 0; i < holes.n && i < 20; i++)
		print_span(mem, run, "hole", holes.at[i]);
}

static void print_rows(struct arena *mem, const struct run *run, const struct recording *rec)
{
	const size_t n_told_again = rec->n_doubles + rec->n_overlaid;
	printf("  rows      %zu used, %zu rejected, %zu ignored (headers, averages, blank lines", rec->n_rows, rec->n_rows_bad,
		rec->n_rows_ignored);
	if (n_told_again)
		printf("; %zu of a time that others tell", n_told_again);
	printf(") of %zu seen\n", rec->n_rows_seen);
	if (rec->n_rows_by_pattern)
		printf("  read      %zu rows by their pattern, the others one by one\n", rec->n_rows_by_pattern);
	if (rec->n_channels)
		print_times(mem, run, rec);
}

static void print_recording(struct arena *mem, const struct run *run, const struct recording *rec)
{
	printf("%s\n  format    %s: %s\n", safe(mem, rec->path), rec->format->name, rec->why);
	if (rec->tool)
		printf("  tool      %s\n", safe(mem, rec->tool));
	print_devices(mem, rec);
	print_metrics(rec);
	print_list(mem, "unread", rec->unread, rec->n_unread);
	print_rows(mem, run, rec);
	printf("  clock     %s\n", safe(mem, rec->clock.sentence));
	for (size_t i = 0; i < N_ABSENCES; i++)
		if (rec->absences[i])
			printf("  no value  %zu x %s: %s\n", rec->absences[i], absence_table[i].name, absence_table[i].title);
	for (size_t i = 0; i < rec->n_events; i++)
		printf("  event     %s %s: %s\n", moment_text(mem, run, rec->events[i].t), event_table[rec->events[i].kind].name,
			safe(mem, rec->events[i].text));
	for (size_t i = 0; i < rec->n_messages; i++)
		printf("  message   %s\n", safe(mem, rec->messages[i]));
	printf("  digest    %s, %zu bytes\n", rec->digest, (size_t)rec->bytes);
	if (rec->archive)
		printf("  archive   %s, %s\n", safe(mem, rec->archive), rec->archive_digest);
}

static int inspect(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct input_request request;

	if (!read_input_options(o, &request))
		return EXIT_USAGE;
	raise_walls(mem, &request);
	struct run *run = read_inputs(mem, &request, diags);
	if (!run)
		return EXIT_NOTHING;
	for (size_t i = 0; i < run->n_recordings; i++)
		print_recording(mem, run, run->recordings[i]);
	for (size_t i = 0; i < run->n_unread_files; i++) {
		const struct unread_file *f = &run->unread_files[i];
		printf("%s\n  format    %s\n", safe(mem, f->name), f->why ? safe(mem, f->why) : "no reader recognises it");
	}
	for (size_t i = 0; i < run->n_notes; i++)
		printf("note: %s\n", safe(mem, run->notes[i].text));
	return EXIT_DONE;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	if (!o->n_paths) {
		fprintf(stderr, "postrun: inspect needs a log: postrun inspect gpu.csv\n");
		return EXIT_USAGE;
	}
	const int status = inspect(mem, o, diags);
	fflush(stdout);
	print_diags(diags, SIZE_MAX, false);
	if (status == EXIT_NOTHING)
		fprintf(stderr, "postrun: nothing usable in the inputs\n");
	return status;
}

const struct command command_inspect = {
	.name = "inspect",
	.arguments = "PATH…",
	.title = "what a log is: format, devices, metrics, rows, step, holes, clock",
	.examples = "  postrun inspect gpu.csv\n"
		    "  postrun inspect gpu.csv vmstat.txt    with the second log, the first one's zone can be told\n"
		    "  postrun inspect run.tar.gz            each log in an archive\n"
		    "  postrun inspect plain.csv --columns timestamp,utilization.gpu,power.draw\n"
		    "                                        a log without header\n",
	.options = table,
	.run = run,
};
