/*
 * alike.c - of 32 hosts the same is to be told of 64 logs: it is told once.
 *
 *     node00-nvidia-smi.csv
 *                     and 30 more logs, each: 600 samples for each of 8 GPUs, step 1 s, no hole. They name no zone; …
 *     node07-nvidia-smi.csv
 *                     540 samples for each of 8 GPUs, step 1 s, 1 hole of 1 min in all. …
 *
 * Only in print, and not where all is asked for.
 */
#include "report/report_parts.h"

#define TOLD_ALONE 3 /* of so many logs each is told */
#define KINDS_MAX 64 /* further ones, which nobody reads, are told each */

/* ------ which are alike ------ */

struct kinds {
	size_t *kind, *n_logs; /* by item: the first that is like it; by first item: of how many logs these are */
};

typedef bool are_alike_fn(const struct report *r, size_t a, size_t b);
typedef size_t count_logs_fn(const struct report *r, size_t i);

static struct kinds kinds_of(struct build *b, size_t n, are_alike_fn *are_alike, count_logs_fn *count_logs)
{
	struct kinds k = { NEW_ARRAY(b->mem, size_t, n), NEW_ARRAY(b->mem, size_t, n) };
	size_t firsts[KINDS_MAX], n_firsts = 0;

	for (size_t i = 0; i < n; i++) {
		size_t f = 0;
		while (f < n_firsts && !are_alike(b->report, firsts[f], i))
			f++;
		k.kind[i] = f < n_firsts ? firsts[f] : i;
		k.n_logs[k.kind[i]] += count_logs(b->report, i);
		if (f == n_firsts && n_firsts < KINDS_MAX)
			firsts[n_firsts++] = i;
	}
	return k;
}

/* Of how many logs item i is to tell at once: 1, as it does; 0 where another one has told of it. */
static size_t told_by(const struct build *b, const struct kinds *k, size_t i)
{
	const size_t n_logs = k->n_logs[k->kind[i]];

	if (b->options->all || n_logs <= TOLD_ALONE)
		return 1;
	return k->kind[i] == i ? n_logs : 0;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* ------ logs ------ */

static bool absences_are_same(const struct report_source *a, const struct report_source *b)
{
	bool are_same = a->n_absences == b->n_absences;

	for (size_t i = 0; are_same && i < a->n_absences; i++)
		are_same = strcmp(a->absences[i].reason, b->absences[i].reason) == 0 && a->absences[i].count == b->absences[i].count;
	return are_same;
}

static bool sources_are_alike(const struct report *r, size_t i, size_t k)
{
	const struct report_source *const a = &r->sources[i], *const b = &r->sources[k];

	return a->of_many && !a->n_complaints && !b->n_complaints && is_same_text(a->quality, b->quality) &&
		is_same_text(a->of_many, b->of_many) && is_same_text(a->format, b->format) && is_same_text(a->why, b->why) &&
		is_same_text(a->rows_text, b->rows_text) && absences_are_same(a, b);
}

static size_t one_log(const struct report *r, size_t i)
{
	(void)r;
	(void)i;
	return 1;
}

void tell_alike_sources(struct build *b)
{
	struct report *const r = b->report;
	struct report_source *const told = NEW_ARRAY(b->mem, struct report_source, r->n_sources);
	const struct kinds kinds = kinds_of(b, r->n_sources, sources_are_alike, one_log);

	for (size_t i = 0; i < r->n_sources; i++) {
		const size_t n = told_by(b, &kinds, i);
		struct report_source one = r->sources[i];
		if (n > 1) {
			one.quality = arena_print(b->mem, "and %zu more logs, each: %s", n - 1, one.quality);
			one.clock.sentence = one.of_many;
		}
		if (n)
			told[r->n_told_sources++] = one;
	}
	r->told_sources = told;
}

/* ------ notes ------ */

static bool notes_are_alike(const struct report *r, size_t i, size_t k)
{
	const struct report_note *const a = &r->notes[i], *const b = &r->notes[k];

	return a->of_many && is_same_text(a->of_many, b->of_many) && strcmp(a->topic, b->topic) == 0;
}

static size_t logs_of_note(const struct report *r, size_t i)
{
	return r->notes[i].n_of;
}

void tell_alike_notes(struct build *b)
{
	struct report *const r = b->report;
	struct report_note *const told = NEW_ARRAY(b->mem, struct report_note, r->n_notes);
	const struct kinds kinds = kinds_of(b, r->n_notes, notes_are_alike, logs_of_note);

	for (size_t i = 0; i < r->n_notes; i++) {
		const size_t n = told_by(b, &kinds, i);
		struct report_note one = r->notes[i];
		if (n > 1)
			one.text = arena_print(b->mem, "%s and %zu more logs %s.", one.of, n - 1, one.of_many);
		if (n)
			told[r->n_told_notes++] = one;
	}
	r->told_notes = told;
}
