/*
 * tracks.h - what tests of judging share: tracks drawn as one digit a second make a run, with any hosts, GPUs and cores.
 *
 * A digit is tens (9 is 90, 'X' 100) of the metric's unit, of a counter its ones; '_' a sample without a value, ' ' a second without
 * one. Second 0 is DAWN (runs.h).
 */
#ifndef POSTRUN_TESTS_TRACKS_H
#define POSTRUN_TESTS_TRACKS_H

#include "rules.h"
#include "runs.h"

struct picture {
	enum metric metric;
	const char *host;
	int index; /* of the GPU or core */
	const char *drawn;
};

static inline const struct entity *entity_of(struct arena *mem, struct track *const *tracks, size_t n, const struct picture *p)
{
	const enum scope scope = metric_table[p->metric].scope;
	const int index = scope == SCOPE_HOST || scope == SCOPE_RUN ? 0 : p->index;

	for (size_t i = 0; i < n; i++) {
		const struct entity *e = tracks[i]->entity;
		if (e->scope == scope && e->index == index && strcmp(e->host, p->host) == 0)
			return e;
	}
	struct entity *e = NEW(mem, struct entity);
	*e = (struct entity){ .scope = scope, .host = p->host, .index = index };
	return e;
}

static inline struct track *track_drawn(struct arena *mem, const struct entity *entity, const struct picture *p)
{
	const size_t n = strlen(p->drawn);
	const bool counts = metric_table[p->metric].kind == KIND_COUNTER;
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	struct track *t = NEW(mem, struct track);

	*t = (struct track){ .metric = p->metric, .entity = entity, .times = times, .values = values, .step = SECOND_MS };
	for (size_t i = 0; i < n; i++) {
		if (p->drawn[i] == ' ')
			continue;
		times[t->n] = DAWN + (time_ms)i * SECOND_MS;
		values[t->n++] = p->drawn[i] == '_' ? FIXED_MISSING : (fixed)(percent_of(p->drawn[i]) / (counts ? 10 : 1)) * FIXED_ONE;
	}
	if (t->n > 2)
		t->step = median_step(mem, times, t->n);
	return t;
}

/* All of it is steady work. Pictures without a drawing are none. */
static inline struct run *run_drawn(struct logs *logs, const struct picture *pictures, size_t n)
{
	struct track **tracks = NEW_ARRAY(&logs->mem, struct track *, n);
	const struct phase_span steady = { PHASE_STEADY, { DAWN - HOUR_MS, DAWN + HOUR_MS } };
	size_t n_tracks = 0;

	for (size_t i = 0; i < n; i++)
		if (pictures[i].drawn) {
			tracks[n_tracks] = track_drawn(&logs->mem, entity_of(&logs->mem, tracks, n_tracks, &pictures[i]), &pictures[i]);
			n_tracks++;
		}
	return run_from_tracks(&logs->mem, &logs->diags, "run", tracks, n_tracks, &steady, 1);
}

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"

/* rules/a.yaml, rules/b.yaml, …: the keys beside WORDS; NULL ends them. */
static inline const struct rules *rules_drawn(struct logs *logs, const char *const *texts, size_t most)
{
	struct rule_file *files = NEW_ARRAY(&logs->mem, struct rule_file, most);
	size_t n = 0;

	for (; n < most && texts[n]; n++)
		files[n] = (struct rule_file){
			.path = arena_print(&logs->mem, "rules/%c.yaml", (char)('a' + n)),
			.text = slice_of(arena_print(&logs->mem, "%s%s", WORDS, texts[n])),
		};
	const struct rules *rules = rules_of_files(&logs->mem, files, n, &logs->diags);
	if (!rules)
		fail_msg("%s", take_complaints(logs));
	return rules;
}

/* "fired 02:00:03-02:00:06", "clear", "unknown: why", "skipped: why" */
static inline const char *shown_verdict(struct logs *logs, const struct verdict *v)
{
	const char *more = v->outcome == OUTCOME_FIRED ? arena_print(&logs->mem, " %s", shown_spans(logs, v->when))
			   : v->reason		       ? arena_print(&logs->mem, ": %s", v->reason)
						       : "";

	return arena_print(&logs->mem, "%s%s", outcome_name(v->outcome), more);
}

#endif
