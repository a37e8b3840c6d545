/*
 * gathering.c - what the run has of each metric of each entity, while its logs are gone through.
 *
 *     gpu-00.csv   |-----------|
 *     gpu-01.csv             |------------|             goes on where gpu-00.csv ends: they are read as one log
 *     dmon.txt       |--------------------|             a rival of the two: the better one is used (choice.c)
 *
 * A log that goes on where another by the same tool ends, or a while before that, is no rival. Time that both tell of is that of the one
 * that began first. Which logs are parts of one is settled first, and their samples are packed once, when all parts are known: a logger
 * that begins a file each hour writes hundreds.
 */
#include "run/run_parts.h"

#include "series/cursor.h"

struct part { /* of several logs that are read as one: its samples from `from` on, of which there are some */
	struct logged logged;
	size_t from;
};

struct stretch { /* of samples, as far as it takes to see whether others go on there */
	time_ms begin, end; /* of the first and of the last one */
	time_ms step;
	size_t n;
};

struct gathered { /* of the track of the run with the same number */
	struct part *parts; /* in order of time; they share none; all samples of the first one are there */
	size_t n_parts;
	struct stretch stretch; /* of all of them, with the finest of their steps */
	time_ms finest;   /* step of any sample */
	bool is_joined;
	bool has_steps;   /* its samples are not all as far apart */
	int decimals;
	time_ms known;    /* the time that the first parts tell of, */
	size_t n_known;   /* so many of them: known_time() */
};

struct gathering {
	struct run *run;
	struct arena *scratch;
	struct gathered *of_tracks; /* as run->tracks are numbered */
	size_t *told[2]; /* of each log that follows another, or is followed by it: the last other one that this was told of, from 1 on */
};

struct gathering *gathering_new(struct arena *scratch, struct run *run)
{
	struct gathering *const g = NEW(scratch, struct gathering);

	g->run = run;
	g->scratch = scratch;
	for (size_t i = 0; i < 2; i++)
		g->told[i] = NEW_ARRAY(scratch, size_t, run->n_recordings);
	return g;
}

struct track logged_track(const struct logged *l)
{
	return (struct track){
		.metric = l->column->metric,
		.entity = l->entity,
		.clock = l->channel->times,
		.column = l->column->values,
		.seen = l->column->seen,
		.n = l->channel->n_rows,
		.step = l->channel->step,
		.steps = l->channel->steps,
		.decimals = l->column->decimals,
		.source = l->source,
	};
}

static struct stretch stretch_of(const struct track *t)
{
	return (struct stretch){ track_time(t, 0), track_time(t, t->n - 1), t->step, t->n };
}

/* ------ does one go on where the other ends? ------ */

/* Time that one of them needs to have to itself, before it is worth to read both: as for the choice between them (choice.c). */
static time_ms worth_joining(const struct stretch *a, const struct stretch *b)
{
	const time_ms most = later(a->end - a->begin, b->end - b->begin), step = later(a->step, b->step);

	return later(most / 20, step);
}

/*
 * Also when both logged for a while, as where the next logger is begun before the first one ends; and though one looks more often than the
 * other, since what only one of them tells of is worth more than how finely both do.
 */
static bool follows(const struct stretch *then, const struct stretch *first)
{
	if (first->n < 2 || then->n < 2)
		return false;
	const time_ms least = worth_joining(first, then);
	return first->end < then->begin || (then->begin - first->begin > least && then->end - first->end > least);
}

/* Of each two logs once, however many tracks they share; and once of logs that are called the same. */
static void tell_joined(struct gathering *g, size_t first, size_t then, size_t source)
{
	struct run *const run = g->run;
	size_t *const told = first == source ? &g->told[0][then] : &g->told[1][first];

	if (*told == source + 1)
		return;
	*told = source + 1;
	const char *const text = arena_print(run->mem, "%s goes on where %s ends: they are read as one log.", run->recordings[then]->name,
		run->recordings[first]->name);
	for (size_t n = 0; n < run->n_notes; n++)
		if (strcmp(run->notes[n].text, text) == 0)
			return;
	run_note(run, "Source", "%s", text);
}

/* ------ parts ------ */

static struct gathered gathered_alone(struct arena *scratch, const struct logged *l)
{
	const struct track t = logged_track(l);
	struct gathered alone = { .parts = NEW(scratch, struct part), .n_parts = 1 };

	alone.parts[0] = (struct part){ *l, 0 };
	alone.stretch = stretch_of(&t);
	alone.finest = track_finest_step(&t);
	alone.has_steps = t.steps;
	alone.decimals = t.decimals;
	return alone;
}

/* What holds of both together, whatever samples of theirs stay. */
static void learn(struct gathered *k, const struct gathered *other)
{
	k->is_joined = true;
	k->has_steps |= other->has_steps || other->stretch.step != k->stretch.step;
	k->finest = sooner(k->finest, other->finest);
	k->decimals = other->decimals > k->decimals ? other->decimals : k->decimals;
	k->stretch.step = sooner(k->stretch.step, other->stretch.step);
	k->stretch.begin = sooner(k->stretch.begin, other->stretch.begin);
	k->stretch.end = later(k->stretch.end, other->stretch.end);
}

/* Of the part only samples after `end` stay, if there are any. */
static void add_part(struct arena *scratch, struct gathered *k, const struct part *part, time_ms end)
{
	const struct track t = logged_track(&part->logged);
	const size_t behind = track_seek(&t, end + 1), from = behind > part->from ? behind : part->from;

	if (from == t.n)
		return;
	k->parts = arena_array_next(scratch, k->parts, k->n_parts, sizeof *k->parts);
	k->parts[k->n_parts++] = (struct part){ part->logged, from };
	k->stretch.n += t.n - from;
}

static void join(struct arena *scratch, struct gathered *first, const struct gathered *then)
{
	const time_ms end = first->stretch.end;

	for (size_t i = 0; i < then->n_parts; i++)
		add_part(scratch, first, &then->parts[i], end);
	learn(first, then);
}

static const struct format *format_of(const struct run *run, const struct gathered *k)
{
	return run->recordings[k->parts[0].logged.source]->format;
}

static bool join_if_it_follows(struct gathering *g, struct gathered *known, struct gathered *other)
{
	const size_t of_known = known->parts[0].logged.source, source = other->parts[0].logged.source;

	/* by one tool: another one's clock may only seem to go on there, hours off */
	if (format_of(g->run, known) != format_of(g->run, other))
		return false;
	if (follows(&other->stretch, &known->stretch)) {
		join(g->scratch, known, other);
		tell_joined(g, of_known, source, source);
		return true;
	}
	if (!follows(&known->stretch, &other->stretch))
		return false;
	join(g->scratch, other, known);
	*known = *other;
	tell_joined(g, source, of_known, source);
	return true;
}

/* ------ what is used ------ */

/* The last sample of a part, which holds until the next one begins. */
static time_ms known_at_end(const struct track *t, time_ms next)
{
	const time_ms held = next - track_time(t, t->n - 1), step = track_step(t, t->n - 1);

	if (track_value(t, t->n - 1) == FIXED_MISSING)
		return 0;
	return held > HOLE_STEPS * step ? step : held;
}

/* As known_time_from() has it of the track that the parts become. */
static time_ms known_time(struct gathered *k)
{
	for (; k->n_known < k->n_parts; k->n_known++) {
		const struct part *const part = &k->parts[k->n_known];
		const struct track t = logged_track(&part->logged);
		if (k->n_known) {
			const struct track before = logged_track(&part[-1].logged);
			k->known += known_at_end(&before, track_time(&t, part->from));
		}
		k->known += known_time_from(&t, part->from);
	}
	return k->known;
}

static struct merits merits_of(struct gathered *k)
{
	return (struct merits){ known_time(k), k->stretch.step, k->decimals };
}

static bool is_better(struct gathered *a, struct gathered *b)
{
	const struct merits of_a = merits_of(a), of_b = merits_of(b);
	enum choice_reason ignored;

	return merits_are_better(&of_a, &of_b, &ignored);
}

void gathering_offer(struct gathering *g, const struct logged *l)
{
	const struct track t = logged_track(l);
	const size_t number = track_number(g->run, l->entity, t.metric);

	if (!track_tells(&t) || (number && is_side(g->run, l->source))) /* a log that tells a limit often knows its changes */
		return;
	struct gathered offered = gathered_alone(g->scratch, l);
	if (!number) {
		g->of_tracks = arena_array_next(g->scratch, g->of_tracks, g->run->n_tracks, sizeof *g->of_tracks);
		g->of_tracks[g->run->n_tracks] = offered;
		run_add_track(g->run, &t);
		return;
	}
	struct gathered *const known = &g->of_tracks[number - 1];
	if (!join_if_it_follows(g, known, &offered) && is_better(&offered, known))
		*known = offered;
}

void gathering_count_choice(struct gathering *g, const struct logged *l)
{
	const struct track t = logged_track(l);
	const size_t number = track_number(g->run, l->entity, t.metric);

	if (!number || !choice_is_left(g->run, &t))
		return;
	const struct merits of_used = merits_of(&g->of_tracks[number - 1]), of_left = { known_time_from(&t, 0), t.step, t.decimals };
	choice_count(g->run, g->run->tracks[number - 1]->source, &of_used, l->source, &of_left);
}

/* ------ as one ------ */

static void add_rows(struct packer *all, const struct track *t, size_t from, void (*read)(const struct track *, size_t, size_t, int64_t *))
{
	for (size_t row = from, n; row < t->n; row += n) {
		int64_t *const to = packer_room(all, &n);
		n = t->n - row < n ? t->n - row : n;
		read(t, row, n, to);
		packer_added(all, n);
	}
}

/*
 * Whole packs of the first part, of which all rows are there, stay where they are. So the memory that --limit memory leaves for rows is
 * enough: what others take once more are their packs, of the 56 bytes and 2 a metric that are counted for a row (sheet_thin.c).
 */
static struct packed packed_parts(struct run *run, const struct gathered *k, bool is_clock)
{
	const struct track first = logged_track(&k->parts[0].logged);
	const size_t n_packs = first.n / PACK;
	struct packer all = packer_behind(run->mem, is_clock, is_clock ? first.clock.at : first.column.at, n_packs);

	for (size_t i = 0; i < k->n_parts; i++) {
		const struct track t = logged_track(&k->parts[i].logged);
		add_rows(&all, &t, i ? k->parts[i].from : n_packs * PACK, is_clock ? track_times : track_values);
	}
	return packer_done(&all);
}

/* Of the samples of a part, the first of which is sample `first` of all. */
static void set_steps(struct pack_steps *steps, size_t first, const struct track *t, size_t from, time_ms usual)
{
	for (size_t i = from; i < t->n; i++)
		if (track_step(t, i) > usual)
			pack_steps_set(steps, first + i - from, first + i - from + 1, track_step(t, i));
}

static const struct pack_steps *joined_steps(struct run *run, const struct gathered *k)
{
	if (!k->has_steps)
		return NULL;
	struct pack_steps *const steps = pack_steps_new(run->mem, k->stretch.n, k->finest);
	size_t n = 0;

	for (size_t i = 0; i < k->n_parts; i++) {
		const struct track t = logged_track(&k->parts[i].logged);
		set_steps(steps, n, &t, k->parts[i].from, k->finest);
		n += t.n - k->parts[i].from;
	}
	pack_steps_settle(steps, n);
	return steps;
}

/* The lowest and highest of the rows that samples of any part stand for. */
static const struct extremes_seen *joined_seen(struct run *run, const struct gathered *k)
{
	struct extremes_seen *all = NULL;

	for (size_t i = 0; i < k->n_parts; i++) {
		const struct extremes_seen *const seen = k->parts[i].logged.column->seen;
		if (!seen)
			continue;
		if (!all) {
			all = NEW(run->mem, struct extremes_seen);
			*all = NOTHING_SEEN;
		}
		all->low = seen->low < all->low ? seen->low : all->low;
		all->high = seen->high > all->high ? seen->high : all->high;
	}
	return all;
}

/* Are the samples of both those of the same rows? */
static bool share_rows(const struct gathered *a, const struct gathered *b)
{
	if (a->n_parts != b->n_parts || a->finest != b->finest || a->has_steps != b->has_steps)
		return false;
	for (size_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].logged.channel != b->parts[i].logged.channel || a->parts[i].from != b->parts[i].from)
			return false;
	return true;
}

/* `beside`: what was joined last, and its track. Columns of the same logs have one clock, as those of one log do. */
static struct track joined_track(struct run *run, const struct gathered *k, const struct gathered *beside, const struct track *its_track)
{
	struct track all = logged_track(&k->parts[0].logged);
	const bool has_clock = beside && share_rows(k, beside);

	all.n = k->stretch.n;
	all.clock = has_clock ? its_track->clock : packed_parts(run, k, true);
	all.steps = has_clock ? its_track->steps : joined_steps(run, k);
	all.column = packed_parts(run, k, false);
	all.seen = joined_seen(run, k);
	all.step = k->stretch.step;
	all.decimals = k->decimals;
	all.joined = true;
	return all;
}

void gathering_end(struct gathering *g)
{
	const struct gathered *beside = NULL;
	struct track *its_track = NULL;

	for (size_t i = 0; i < g->run->n_tracks; i++) {
		const struct gathered *const k = &g->of_tracks[i];
		struct track *const t = g->run->tracks[i];
		if (!k->is_joined) {
			*t = logged_track(&k->parts[0].logged);
			continue;
		}
		*t = joined_track(g->run, k, beside, its_track);
		beside = k;
		its_track = t;
	}
}
