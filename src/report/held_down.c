/*
 * held_down.c - for how long each GPU's clocks were held down, as its masks of reasons say, and whether all were held down alike.
 *
 *     GPU 0    ....cccccc....cccc..     first
 *     GPU 1    ...ccccccc....cccc..     much the same: one row of a picture tells both
 *     GPU 2    .............tttttt.     not alike
 */
#include "report/gpu_rows.h"

#include "series/chunk.h"
#include "series/cursor.h"

#define ALIKE_SHARE 0.03 /* of the run: for so long may a GPU be held down otherwise than the first */
#define IDLE_BIT 1U      /* NVML: nothing to do */

/* For whole flags, of which one that is missing is like no other. */
static bool is_same_reason(fixed a, fixed b)
{
	const unsigned apart = (unsigned)(a / FIXED_ONE) ^ (unsigned)(b / FIXED_ONE);

	return a == b || (a != FIXED_MISSING && b != FIXED_MISSING && !(apart & ~IDLE_BIT));
}

/* Masks of the first GPU, one after the other. */
struct follower {
	struct cursor samples; /* at least one */
	size_t now;               /* the sample that another GPU's is compared with, */
	size_t from, same_until;  /* and those around it that are known to have one mask; none: same_until 0 */
};

static void follow(struct follower *f, time_ms when)
{
	while (f->now + 1 < f->samples.track->n && cursor_time(&f->samples, f->now + 1) <= when)
		f->now++;
}

/* The same where whole chunks may have been passed. */
static void follow_far(struct follower *f, time_ms when)
{
	const struct track *const t = f->samples.track;

	if (f->now + CHUNK < t->n && track_time(t, f->now + CHUNK) <= when)
		f->now = track_seek_from(t, f->now + CHUNK, when + 1) - 1;
	follow(f, when);
}

static bool is_even_chunk(const struct track *t, size_t i, fixed value)
{
	const struct chunk *const c = chunk_with(t, i);

	return c && c->is_full && c->low == c->high && c->low == value;
}

/* Has it one mask from now on until that time, as chunks tell? */
static bool stays_until(struct follower *f, time_ms when)
{
	const struct track *const t = f->samples.track;

	if (f->now < f->from || f->now >= f->same_until) {
		const fixed value = track_value(t, f->now);
		f->from = f->same_until = f->now / CHUNK * CHUNK;
		while (is_even_chunk(t, f->same_until, value))
			f->same_until += CHUNK; /* the last sample of all is in no chunk */
	}
	return f->now < f->same_until && when < track_time(t, f->same_until);
}

/* The chunk that begins with sample i, if both GPUs have one mask each for all of it; else NULL. */
static const struct chunk *steady_chunk(const struct track *mask, size_t i, struct follower *first)
{
	const struct chunk *const c = chunk_from(mask, i, mask->n);

	if (!c || !c->is_full || c->low != c->high)
		return NULL;
	follow_far(first, track_time(mask, i));
	return stays_until(first, track_time(mask, i + CHUNK - 1)) ? c : NULL;
}

/* For how long sample i is none of the first GPU's. */
static time_ms sample_apart(struct cursor *mask, size_t i, struct follower *first)
{
	const time_ms when = cursor_time(mask, i);

	if (i % CHUNK == 0)
		follow_far(first, when);
	follow(first, when);
	if (is_same_reason(cursor_value(mask, i), cursor_value(&first->samples, first->now)))
		return 0;
	return cursor_until(mask, i) - when;
}

/* For how long it was held down otherwise; no more than the first that is longer than `longest` ms. */
static time_ms time_apart(const struct track *mask, const struct track *first, double longest)
{
	struct follower f = { .now = 0 };
	struct cursor of_mask;
	time_ms apart = 0;

	cursor_start(&of_mask, mask);
	cursor_start(&f.samples, first);
	for (size_t i = 0; i < mask->n && (double)apart <= longest;) {
		const struct chunk *const c = steady_chunk(mask, i, &f);
		if (!c)
			apart += sample_apart(&of_mask, i, &f);
		else if (!is_same_reason(c->low, track_value(first, f.now)))
			apart += (time_ms)c->known;
		i += c ? CHUNK : 1;
	}
	return apart;
}

static bool is_held_alike(const struct track *mask, const struct track *first, double run_ms)
{
	if (tracks_share_clock(mask, first) && tracks_share_values(mask, first))
		return true;
	return first->n > 0 && (double)time_apart(mask, first, ALIKE_SHARE * run_ms) <= ALIKE_SHARE * run_ms;
}

static struct mask_time mask_time_of(const struct track *mask)
{
	struct mask_time all = { 0 };
	struct arena scratch;

	arena_init(&scratch);
	const struct span span = track_span(mask);
	const struct holdings masks = track_holdings(&scratch, mask, spans_one(&span));
	for (size_t i = 0; i < masks.n; i++)
		mask_time_add(&all, (unsigned)(masks.at[i].value / FIXED_ONE), masks.at[i].held);
	arena_release(&scratch);
	return all;
}

struct masks { /* of the GPUs, and what they tell */
	const struct run *run;
	const struct gpu_rows *rows;
	const struct track *const *at; /* NULL: not logged */
	struct holding_down *told;
};

static void read_mask(void *context, size_t worker, size_t g)
{
	const struct masks *const m = context;

	(void)worker;
	if (!m->at[g])
		return;
	m->told[g].time = m->rows[g].has_masks ? m->rows[g].masks : mask_time_of(m->at[g]);
	m->told[g].is_alike = m->at[0] && is_held_alike(m->at[g], m->at[0], (double)span_length(m->run->span));
}

/* The same for each picture that shows it. */
const struct holding_down *held_down(struct build *b, const struct track *const *masks)
{
	if (!b->held_down) {
		struct holding_down *const told = NEW_ARRAY(b->mem, struct holding_down, b->run->n_gpus);
		run_jobs(b->run, b->run->n_gpus, read_mask, &(struct masks){ b->run, gpu_rows(b), masks, told });
		b->held_down = told;
	}
	return b->held_down;
}
