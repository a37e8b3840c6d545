/*
 * trial_run.c - the run that a test describes: samples from pieces, then all that a run from logs has.
 *
 * Samples are made by whole numbers and by divisions that every machine rounds alike, noise by a hash of seed, series and
 * sample: a test says the same everywhere.
 */
#include "rule/trial_parts.h"

#include <math.h>

/* splitmix64 (Steele, Lea, Flood 2014): each bit of the result depends on each bit of what goes in. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9E3779B97F4A7C15U;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
	return x ^ (x >> 31);
}

static uint64_t seed_of(const struct rule_test *test, const struct trial_series *s)
{
	uint64_t hash = mixed(test->seed);

	for (const char *p = metric_table[s->metric].name; *p; p++) /* by name: rows of the catalogue may move */
		hash = mixed(hash ^ (unsigned char)*p);
	for (const char *p = s->entity->host; *p; p++)
		hash = mixed(hash ^ (unsigned char)*p);
	return mixed(hash ^ (uint64_t)(int64_t)s->entity->index);
}

static fixed noise(uint64_t seed, time_ms t, fixed width)
{
	const uint64_t values = 2 * (uint64_t)width + 1;

	return (fixed)(mixed(seed ^ mixed((uint64_t)t)) % values) - width;
}

/* The second value is reached where the piece ends: the next one may begin with it. */
static fixed ramp(const struct trial_piece *p, time_ms t)
{
	const double done = (double)(t - p->begin), whole = (double)(p->end - p->begin);

	return p->from + (fixed)llround((double)(p->to - p->from) * done / whole);
}

static fixed value_at(const struct trial_piece *p, time_ms t, uint64_t seed)
{
	switch (p->kind) {
	case PIECE_RAMP:
		return ramp(p, t);
	case PIECE_NOISE:
		return p->from + noise(seed, t, p->to);
	case PIECE_VALUE:
		return p->from;
	case PIECE_MISSING:
	case PIECE_HOLE:
		break;
	}
	return FIXED_MISSING;
}

static struct track *track_of(struct arena *mem, const struct rule_test *test, const struct trial_series *s)
{
	struct track *const track = NEW(mem, struct track);
	const time_ms length = s->n ? s->pieces[s->n - 1].end : 0;
	const size_t most = (size_t)((length + s->step - 1) / s->step);
	time_ms *const times = NEW_ARRAY(mem, time_ms, most);
	fixed *const values = NEW_ARRAY(mem, fixed, most);
	const uint64_t seed = seed_of(test, s);
	size_t piece = 0, n = 0;

	for (time_ms t = 0; t < length; t += s->step) {
		while (t >= s->pieces[piece].end)
			piece++;
		if (s->pieces[piece].kind == PIECE_HOLE)
			continue;
		times[n] = test->begin + t;
		values[n++] = value_at(&s->pieces[piece], t, seed);
	}
	*track = (struct track){ .metric = s->metric, .entity = s->entity, .times = times, .values = values, .n = n, .step = s->step,
		.decimals = 6 };
	return track;
}

static enum phase phase_of(unsigned during)
{
	int p = 0;

	if (during & 1U << PHASE_STEADY)
		return PHASE_STEADY;
	while (p < N_PHASES - 1 && !(during & 1U << p))
		p++;
	return (enum phase)p;
}

static size_t phases_of(struct arena *mem, const struct rule_test *test, const struct rule *rule, struct phase_span **out)
{
	const size_t n = test->n_phases ? test->n_phases : 1;
	struct phase_span *const phases = NEW_ARRAY(mem, struct phase_span, n);

	phases[0] = (struct phase_span){ phase_of(rule->during), { 0, test->length } };
	for (size_t i = 0; i < test->n_phases; i++)
		phases[i] = test->phases[i];
	for (size_t i = 0; i < n; i++) {
		phases[i].span.begin += test->begin;
		phases[i].span.end += test->begin;
	}
	*out = phases;
	return test->find_phases ? 0 : n;
}

struct run *trial_run(struct arena *mem, const struct rule_test *test, const struct rule *rule)
{
	struct track **const tracks = NEW_ARRAY(mem, struct track *, test->n_series);
	struct diags *const diags = NEW(mem, struct diags);
	struct phase_span *phases;
	size_t n_tracks = 0;

	diags_init(diags, mem);
	for (size_t i = 0; i < test->n_series; i++) {
		struct track *const t = track_of(mem, test, &test->series[i]);
		if (t->n) /* nothing but a hole is no log */
			tracks[n_tracks++] = t;
	}
	const size_t n_phases = phases_of(mem, test, rule, &phases);
	struct run *const run = run_from_tracks(mem, diags, test->name, tracks, n_tracks, phases, n_phases);
	derive_metrics(run);
	return run;
}
