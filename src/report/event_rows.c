/* event_rows.c - what the logs tell in words: lost GPUs, Xid errors, restarts. */
#include "report/report_parts.h"
#include "report/words.h"

#define TOLD_EVENTS ((size_t)12) /* a GPU that dies in a loop says the same a thousand times */

static const char *label_of(struct arena *mem, const struct run_event *e)
{
	const struct entity *named = &e->event.entity;

	if (e->entity)
		return entity_label(mem, e->entity);
	return named->bus_id ? arena_print(mem, "GPU at bus %s", named->bus_id) : "a GPU";
}

/* "GPU 2 of node02: ": of which host it is, where the run has several and the log tells. */
static const char *who_of(const struct build *b, const struct run_event *e)
{
	const struct entity *const about = e->entity ? e->entity : &e->event.entity;
	const bool is_host = about->scope == SCOPE_RUN || about->scope == SCOPE_HOST;
	const bool names_host = b->run->n_hosts > 1 && !is_host && about->host && *about->host;
	const char *const label = label_of(b->mem, e);

	return names_host ? arena_print(b->mem, "%s of %s: ", label, about->host) : arena_print(b->mem, "%s: ", label);
}

static struct report_event told(struct build *b, const struct run_event *e)
{
	struct arena *mem = b->mem;

	return (struct report_event){
		.time = e->event.t,
		.kind = event_table[e->event.kind].name,
		.entity = e->entity ? entity_id(mem, e->entity) : NULL,
		.text = e->event.text,
		.code = e->event.code > 0 ? (size_t)e->event.code : 0,
		.source = b->run->recordings[e->source]->name,
		.when = moment_text(mem, b->run, e->event.t),
		.who = who_of(b, e),
	};
}

/* "GPU has fallen off the bus" is an Xid and a loss: two events for rules, one line for people. */
static bool is_one_line(const struct report_event *a, const struct report_event *b)
{
	return a->time == b->time && strcmp(a->text, b->text) == 0 && strcmp(a->who, b->who) == 0;
}

void build_events(struct build *b)
{
	size_t n = b->run->n_events;
	struct report_event *events = NEW_ARRAY(b->mem, struct report_event, n);

	struct report_event *lines = NEW_ARRAY(b->mem, struct report_event, n);
	size_t n_lines = 0;

	for (size_t i = 0; i < n; i++) {
		events[i] = told(b, &b->run->events[i]);
		if (!n_lines || !is_one_line(&lines[n_lines - 1], &events[i]))
			lines[n_lines++] = events[i];
	}
	b->report->events = events;
	b->report->n_events = n;
	b->report->told_events = lines;
	b->report->n_told_events = n_lines < TOLD_EVENTS ? n_lines : TOLD_EVENTS;
	if (n_lines > TOLD_EVENTS)
		b->report->more_events = arena_print(b->mem, "%zu more are in report.json.", n_lines - TOLD_EVENTS);
}
