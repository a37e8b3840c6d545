/*
 * track_stats.c - statistics of tracks, each worked out once however many texts and figures ask for it.
 *
 * Nearly all of them ask for the whole run, some ten times for each track. What was asked for is found again by the track and the
 * spans, which are compared as they are, in a list for each place of a table that has a track a place. A result takes 150
 * bytes and its spans. Room to work is the same for all: a long log has many tracks. A report is built by one thread, which may
 * ask for many of them at once, so that others help.
 */
#include "report/report_parts.h"

#include "base/workers.h"

#include <math.h>

#define LEAST_BITS 6U

struct known {
	const struct track *track;
	struct spans within;
	struct stats stats;
	bool has_all; /* not the means alone */
	bool is_wanted; /* somebody is about to work it out, and */
	struct known *beside; /* with it these, of the same column: a list */
	struct known *next; /* at the same place */
};

struct stats_table {
	struct arena scratch;
	struct known **places;
	unsigned bits; /* of the number of a place */
};

void stats_begin(struct build *b)
{
	struct stats_table *const table = b->stats = NEW(b->mem, struct stats_table);

	arena_init(&table->scratch);
	for (table->bits = LEAST_BITS; (size_t)1 << table->bits < b->run->n_tracks;)
		table->bits++;
	table->places = NEW_ARRAY(b->mem, struct known *, (size_t)1 << table->bits);
}

void stats_end(struct build *b)
{
	arena_release(&b->stats->scratch);
}

static struct known **place_of(const struct build *b, const struct track *t)
{
	/* 2^64 / golden ratio spreads neighbours (Knuth, TAOCP 6.4); its low bits are the poor ones */
	const uintptr_t values = t->values ? (uintptr_t)t->values : (uintptr_t)t->column.at;
	const uint64_t hash = (uint64_t)values * 0x9E3779B97F4A7C15U;

	return &b->stats->places[hash >> (64 - b->stats->bits)];
}

static struct spans copy_of(struct arena *mem, const struct spans s)
{
	struct span *const at = NEW_ARRAY(mem, struct span, s.n);

	if (s.n)
		memcpy(at, s.at, s.n * sizeof *at);
	return (struct spans){ at, s.n };
}

static struct known *find_known(const struct build *b, const struct track *t, const struct spans within)
{
	for (struct known *k = *place_of(b, t); k; k = k->next)
		if (tracks_share_clock(k->track, t) && tracks_share_values(k->track, t) && spans_are_same(k->within, within))
			return k;
	return NULL;
}

static struct known *enter(const struct build *b, const struct track *t, const struct spans within)
{
	struct known **const place = place_of(b, t), *const k = NEW(b->mem, struct known);

	*k = (struct known){ .track = t, .within = copy_of(b->mem, within), .next = *place };
	return *place = k;
}

static struct known *known_place(const struct build *b, const struct track *t, const struct spans within)
{
	struct known *const known = find_known(b, t, within);

	return known ? known : enter(b, t, within);
}

/* Where all of it is to be worked out, means too; NULL: it was already. */
static struct known *place_for_all(const struct build *b, const struct track *t, const struct spans within)
{
	struct known *const k = known_place(b, t, within);

	if (k->has_all)
		return NULL;
	k->has_all = true;
	return k;
}

struct wanted { /* that nobody asked for yet */
	const struct run *run;
	struct known **at;
	size_t n;
	struct arena rooms[WORKERS_MAX];
};

/* Another one of the column that is to be worked out, in the same spans; tracks of one column are at one place. */
static struct known *find_wanted(const struct build *b, const struct known *k)
{
	for (struct known *other = *place_of(b, k->track); other; other = other->next)
		if (other->is_wanted && tracks_share_column(other->track, k->track))
			return other;
	return NULL;
}

static void want(const struct build *b, struct wanted *wanted, struct known *k)
{
	struct known *const other = find_wanted(b, k);

	if (other) {
		k->beside = other->beside;
		other->beside = k;
		return;
	}
	k->is_wanted = true;
	wanted->at[wanted->n++] = k;
}

#define BESIDE_MOST 32 /* at once: of a column of masks there are 9 flags */

static void work_out(void *context, size_t worker, size_t job)
{
	struct wanted *const wanted = context;
	const struct track *tracks[BESIDE_MOST];
	struct stats stats[BESIDE_MOST];

	for (struct known *k = wanted->at[job], *next = k; next; k = next) {
		size_t n = 0;
		for (; next && n < BESIDE_MOST; next = next->beside)
			tracks[n++] = next->track;
		tracks_stats(run_counts(wanted->run, tracks[0]), &wanted->rooms[worker], tracks, n, k->within, stats);
		for (size_t i = 0; i < n; i++, k = k->beside)
			k->stats = stats[i];
		arena_reset(&wanted->rooms[worker]);
	}
}

#define WORTH_CREW ((size_t)20000) /* samples: some tenths of a ms, several times what it takes to wake the others */

static bool is_worth_crew(const struct wanted *wanted)
{
	size_t n_samples = 0;

	for (size_t i = 0; i < wanted->n; i++)
		n_samples += wanted->at[i]->track->n;
	return n_samples >= WORTH_CREW;
}

/* All that is wanted, each by one of the crew; a round of it is dear beside few samples. */
static void work_out_wanted(const struct build *b, struct wanted *wanted, void (*do_job)(void *context, size_t worker, size_t job))
{
	if (b->run->crew && is_worth_crew(wanted))
		run_jobs_shared(b->run, wanted->n, do_job, wanted);
	else
		run_jobs(b->run, wanted->n, do_job, wanted);
	arena_reset(&b->stats->scratch);
}

void stats_work_out(const struct build *b, const struct track *const *tracks, size_t n, const struct spans within)
{
	struct wanted wanted = { .run = b->run, .at = NEW_ARRAY(&b->stats->scratch, struct known *, n) };

	for (size_t i = 0; i < n; i++) {
		struct known *const k = tracks[i] ? place_for_all(b, tracks[i], within) : NULL;
		if (k)
			want(b, &wanted, k);
	}
	for (size_t i = 0; i < wanted.n; i++)
		wanted.at[i]->is_wanted = false;
	work_out_wanted(b, &wanted, work_out);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_release(&wanted.rooms[i]);
}

static void work_out_means(void *context, size_t worker, size_t job)
{
	const struct wanted *const wanted = context;
	struct known *const k = wanted->at[job];

	(void)worker;
	k->stats = track_means(k->track, k->within);
}

void means_work_out(const struct build *b, const struct track *const *tracks, size_t n, const struct spans within)
{
	struct wanted wanted = { .run = b->run, .at = NEW_ARRAY(&b->stats->scratch, struct known *, n) };

	for (size_t i = 0; i < n; i++)
		if (tracks[i] && !find_known(b, tracks[i], within))
			wanted.at[wanted.n++] = enter(b, tracks[i], within);
	work_out_wanted(b, &wanted, work_out_means);
}

struct stats stats_of(const struct build *b, const struct track *t, const struct spans within)
{
	struct known *const k = known_place(b, t, within);

	if (!k->has_all) {
		k->has_all = true;
		k->stats = track_stats(&b->stats->scratch, t, within);
		arena_reset(&b->stats->scratch);
	}
	return k->stats;
}

struct stats means_of(const struct build *b, const struct track *t, const struct spans within)
{
	struct known *k = find_known(b, t, within);

	if (!k) {
		k = enter(b, t, within);
		k->stats = track_means(t, within);
	}
	return k->stats;
}

double mean_of_gpus(const struct build *b, enum metric metric, struct spans within)
{
	double sum = 0, weight = 0;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], metric);
		struct stats s = t ? means_of(b, t, within) : (struct stats){ 0 };
		if (!s.known)
			continue;
		sum += s.mean * (double)s.known;
		weight += (double)s.known;
	}
	return weight > 0 ? sum / weight : NAN;
}

struct extremes extreme_means(const struct build *b, const struct panel *p, const bool *only)
{
	struct extremes e = { .low = NAN, .high = NAN };

	for (size_t g = 0; g < p->n_gpus; g++) {
		const bool is_asked = p->gpus[g] && (!only || only[g]);
		const struct stats s = is_asked ? means_of(b, p->gpus[g], spans_one(&b->run->span)) : (struct stats){ 0 };
		if (!s.known)
			continue;
		e.least = !(e.low <= s.mean) ? g : e.least;
		e.most = !(e.high >= s.mean) ? g : e.most;
		e.low = fmin(s.mean, e.low);
		e.high = fmax(s.mean, e.high);
	}
	return e;
}

double max_of_gpus(const struct build *b, enum metric metric)
{
	double most = NAN;

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], metric);
		struct stats s = t ? means_of(b, t, spans_one(&b->run->span)) : (struct stats){ 0 };
		if (s.known && !(most >= s.max))
			most = s.max;
	}
	return most;
}
