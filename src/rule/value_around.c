/*
 * value_around.c - numbers over the members of a set in some of the time: each member is looked at there, and a little before.
 *
 *     asked                       [---------------)
 *     looked at          <--------[---------------)-->      as far as windows reach, and for a pause between two polls
 *
 * Polls are those of the whole run from the first one on that begins behind a pause. So all of a long time can be looked at slice by slice:
 * what the members are at each moment takes many times more room than their samples, and that of a slice stays in the processor's cache.
 */
#include "rule/sketch.h"
#include "rule/value_parts.h"
#include "series/pieces.h"

#define MANY_BEFORE 16 /* blocks: a pause is found in these nearly always */

static bool is_quiet(const struct signal *many, size_t n, struct span when)
{
	for (size_t i = 0; i < n; i++)
		if (piece_at(&many[i], when.begin) != piece_at(&many[i], when.end - 1))
			return false;
	return true;
}

/*
 * Does a poll begin before each stretch that is asked of which it is certain that it is one in the whole run as well? Where nobody changes
 * before it, as in a hole, what comes next begins one.
 */
static bool polls_are_certain(const struct around *a, time_ms looked_before, const struct signal *many)
{
	for (size_t i = 0; i < a->only->n; i++) {
		const time_ms asked = a->only->at[i].begin;
		const struct span before = { asked - looked_before, asked + 1 };
		const bool is_first = before.begin <= all_time(a->store).begin;
		time_ms when;
		if (!is_first && !is_quiet(many, a->all->n, before) && !poll_begins_in(many, a->all->n, a->poll, before, &when))
			return false;
	}
	return true;
}

/* What one of them has there, a little before and until the last poll is over; elsewhere anything. */
static struct signal number_around(const struct around *a, struct arena *mem, time_ms before, const struct entity *who)
{
	struct member_stores member;
	struct store narrow;

	member_open(&member, a->store, a->scope, who, a->lock);
	const time_ms reach = reach_of_windows(&member.own, a->of);
	const struct spans around = spans_widened(&member.own.mem, *a->only, reach + before, reach + a->poll + 1, all_time(a->store));
	store_open_narrow(&narrow, &member.own, &around);
	const struct signal number = signal_kept(mem, value_of(&narrow, a->of, NULL).number);
	store_release(&narrow);
	member_release(&member);
	return number;
}

static struct signal *numbers_behind(const struct around *a, struct arena *mem, time_ms before)
{
	struct arena own;

	arena_init(&own);
	struct signal *const numbers = NEW_ARRAY(&own, struct signal, a->all->n);
	for (size_t i = 0; i < a->all->n; i++)
		numbers[i] = number_around(a, &own, before, a->all->who[i]);
	const bool are_certain = polls_are_certain(a, before, numbers);
	if (are_certain)
		arena_adopt(mem, &own);
	arena_release(&own);
	return are_certain ? numbers : NULL;
}

struct signal *numbers_around(const struct around *a, struct arena *mem)
{
	const time_ms width = a->store->plan->blocks.width;
	struct signal *const numbers = numbers_behind(a, mem, LOOKED_AT_BEFORE * width);

	return numbers ? numbers : numbers_behind(a, mem, MANY_BEFORE * width);
}

/* ------ all of a set, as one number ------ */

/* One number for a stretch of time would be worked out in each slice, and sums of squares hang on where they begin. */
static bool is_of_moments(const struct term *t)
{
	return !has_folds(t) && !hangs_on_begin(t);
}

/* A fold over GPUs or cores that is the same for whoever asks. */
static bool can_be_asked_around(const struct store *s, const struct term *t, const struct firing *f)
{
	const bool is_of_devices = t->reach != REACH_HOSTS && t->reach != REACH_OTHER_GPUS;

	return s->outlines && !f && is_of_devices && !t->left->is_condition && is_of_moments(t->left);
}

/* Who they are, in the store that knows all of the time. */
static struct members members_asked(struct arena *mem, struct store *full, const struct term *t)
{
	const struct entities who = vantage_members(mem, &store_at(full, reach_level(t->reach))->vantage, t->reach);
	struct members m = members_room(mem, who.n);

	for (size_t i = 0; i < who.n; i++)
		if (logs_have(full->plan->run, reach_scope(t->reach), who.at[i], t->left))
			members_add(&m, who.at[i], of_number((struct signal){ .n = 0 }));
	return m;
}

struct around around_of(struct store *full, const struct members *m, const struct term *t, struct lock *lock)
{
	return (struct around){
		.store = full,
		.lock = lock,
		.scope = reach_scope(t->reach),
		.of = t->left,
		.all = m,
		.poll = poll_of(full, m, t->left, reach_scope(t->reach)),
	};
}

bool across_asked(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct value *out)
{
	struct arena scratch;

	if (!can_be_asked_around(s, t, f) || is_computed(s->full, t))
		return false;
	arena_init(&scratch);
	const struct members m = members_asked(&scratch, s->full, t);
	struct around around = around_of(s->full, &m, t, s->lock);
	around.only = s->only;
	const struct signal *const numbers = m.n ? numbers_around(&around, &scratch) : NULL;
	if (numbers)
		*out = number_across(mem, numbers, m.n, t, around.poll, *s->only);
	arena_release(&scratch);
	return numbers;
}

/* ------ slice by slice ------ */

enum { USUAL_MEMBERS = 16 };

struct slices_across {
	struct around around;
	const struct term *of;
	size_t n_blocks, n; /* of each slice, and slices */
	struct value *found;
	struct span *slices;
	bool *is_found; /* of each */
	struct arena kept[WORKERS_MAX];
};

/* As long as those of one GPU where members are few; of many shorter. */
static size_t blocks_of_slice(const struct store *s, const struct members *m, time_ms reach)
{
	const struct slice_size *const size = &s->plan->slice;
	const size_t n = m->n > USUAL_MEMBERS ? size->n_blocks * USUAL_MEMBERS / m->n : size->n_blocks;
	const size_t least = (size_t)((time_ms)size->n_reaches * reach / s->plan->blocks.width);

	return n > least ? n : least ? least : 1;
}

static void find_slice(void *context, size_t worker, size_t job)
{
	struct slices_across *const k = context;
	const struct span slice = slice_span(&k->around.store->plan->blocks, k->n_blocks, job);
	const struct spans only = spans_one(&slice);
	struct around around = k->around;
	struct arena scratch;

	arena_init(&scratch);
	around.only = &only;
	const struct signal *const numbers = numbers_around(&around, &scratch);
	k->is_found[job] = numbers;
	k->slices[job] = slice;
	if (numbers)
		k->found[job] = value_kept(&k->kept[worker],
			value_around(number_across(&scratch, numbers, around.all->n, k->of, around.poll, only), slice));
	arena_release(&scratch);
}

/* Side by side, as nobody else has anything to look at meanwhile; false where one of them can't be told alone. */
static bool find_slices(struct slices_across *k, struct arena *mem, struct span all, struct value *out)
{
	bool are_found = true;

	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&k->kept[i]);
	workers_run(workers_count(k->n), k->n, find_slice, k);
	for (size_t i = 0; i < k->n; i++)
		are_found &= k->is_found[i];
	if (are_found)
		*out = value_in_turn(mem, k->found, k->slices, k->n, all);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_release(&k->kept[i]);
	return are_found;
}

bool across_by_slices(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct value *out)
{
	struct arena scratch;

	if (!can_be_asked_around(s, t, f) || s->plan->values_are_small)
		return false;
	arena_init(&scratch);
	const struct members m = members_asked(&scratch, s, t);
	struct lock *const lock = lock_new();
	struct slices_across k = { .around = around_of(s, &m, t, lock), .of = t };
	k.n_blocks = blocks_of_slice(s, &m, reach_of_windows(s, t->left));
	k.n = slices_count(&s->plan->blocks, k.n_blocks);
	k.found = NEW_ARRAY(&scratch, struct value, k.n);
	k.slices = NEW_ARRAY(&scratch, struct span, k.n);
	k.is_found = NEW_ARRAY(&scratch, bool, k.n);
	const bool is_found = m.n && k.n >= LEAST_SLICES && find_slices(&k, mem, all_time(s), out);
	lock_free(lock);
	arena_release(&scratch);
	return is_found;
}
