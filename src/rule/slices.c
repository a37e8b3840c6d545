/*
 * slices.c - what terms are worth in a long time, slice by slice.
 *
 *     all time     |-------------|-------------|-------------|------
 *     looked at             <----|-------------|---->                as far around as windows reach
 *
 * Numbers at each moment take many times more room than the samples that they come from. Those of a slice stay in the processor's
 * cache, and go before the next; what is left is a line, or the number that was asked for.
 */
#include "rule/sketch.h"
#include "rule/value_parts.h"

struct slicing {
	struct store *store;
	struct terms terms;
	struct firing *firing; /* NULL: of conditions of rules */
	struct spans asked;
	time_ms reach; /* of the windows in any of the terms */
	size_t n_blocks, n; /* of each slice, and slices */
};

static time_ms widest_reach(struct store *s, struct terms terms)
{
	time_ms widest = 0;

	for (size_t k = 0; k < terms.n; k++)
		widest = later(widest, reach_of_windows(s, terms.at[k]));
	return widest;
}

static struct slicing slicing_of(struct store *s, struct terms terms, struct firing *firing, struct spans asked)
{
	const struct blocks *const b = &s->plan->blocks;
	struct slicing k = { .store = s, .terms = terms, .firing = firing, .asked = asked, .reach = widest_reach(s, terms) };
	const struct slice_size *const size = &s->plan->slice;
	const size_t least = b->n ? (size_t)((time_ms)size->n_reaches * k.reach / b->width) : 0;

	k.n_blocks = least > size->n_blocks ? least : size->n_blocks;
	k.n = slices_count(b, k.n_blocks);
	return k;
}

/* One GPU begins with the first slice, the next with the middle one, then that after a quarter, …: who comes to others' finds them. */
static size_t first_slice(const struct slicing *k)
{
	const struct vantage *const v = &k->store->vantage;
	const struct entities all = entities_of(v->run, v->scope);
	size_t number = 0, first = 0;

	while (number < all.n && all.at[number] != v->entity)
		number++;
	for (size_t half = k->n / 2; number && half; number /= 2, half /= 2)
		first += number % 2 * half;
	return first % k->n;
}

/* The part that is asked for: elsewhere a line is NO, and a number not known. */
static struct value part_asked(struct arena *mem, struct arena *scratch, struct value v, struct span slice, struct spans asked)
{
	struct value part = { .coverage = v.coverage, .is_bounded = v.is_bounded };

	if (v.line.n)
		part.line = truths_kept(mem, truths_within(scratch, v.line, asked));
	if (v.number.n)
		part.number = signal_within(mem, signal_cut(scratch, v.number, slice), asked);
	if (v.is_bounded)
		part.bounds = (struct bounds){
			signal_within(mem, signal_cut(scratch, v.bounds.low, slice), asked),
			signal_within(mem, signal_cut(scratch, v.bounds.high, slice), asked),
		};
	return part;
}

/* All terms in one slice; how much of their folds is known is the same in each. */
static void look_at_slice(const struct slicing *k, struct arena *mem, struct span slice, struct spans asked, struct value *out)
{
	struct arena scratch;
	struct store narrow;

	arena_init(&scratch);
	const struct spans around = spans_widened(&scratch, spans_one(&slice), k->reach, k->reach, all_time(k->store));
	store_open_narrow(&narrow, k->store, &around);
	narrow.is_slice = true;
	struct firing firing = k->firing ? *k->firing : (struct firing){ .mem = NULL };
	firing.mem = &scratch;
	firing.whole = k->firing;
	for (size_t i = 0; i < k->terms.n; i++) {
		const struct value v = value_of(&narrow, k->terms.at[i], k->firing ? &firing : NULL);
		out[i] = part_asked(mem, &scratch, v, slice, asked);
	}
	store_release(&narrow);
	arena_release(&scratch);
}

/* A condition in all slices; `lines` and `slices` have room for as many. */
static struct value line_joined(
	const struct slicing *k, struct arena *mem, const struct value *found, size_t term, struct truths *lines, const struct span *slices)
{
	struct value all = { .coverage = 1 };

	for (size_t i = 0; i < k->n; i++) {
		const struct value *const part = &found[i * k->terms.n + term];
		lines[i] = part->line;
		if (part->line.n)
			all.coverage = lesser(all.coverage, part->coverage);
	}
	all.line = truths_in_turn(mem, lines, slices, k->n);
	return all;
}

/* The slice whose turn it is, and what is asked of it. */
struct turn {
	size_t at;
	struct span slice;
	struct spans asked;
};

static struct turn turn_of(const struct slicing *k, struct arena *mem, size_t first, size_t i)
{
	struct turn t = { .at = (first + i) % k->n };

	t.slice = slice_span(&k->store->plan->blocks, k->n_blocks, t.at);
	t.asked = spans_intersection(mem, spans_one(&t.slice), k->asked);
	return t;
}

static void look_at_slices(const struct slicing *k, struct arena *mem, struct value *out)
{
	const size_t first = first_slice(k), n = k->n;
	struct arena scratch;

	arena_init(&scratch);
	struct truths *const lines = NEW_ARRAY(&scratch, struct truths, n);
	struct span *const slices = NEW_ARRAY(&scratch, struct span, n);
	struct value *const found = NEW_ARRAY(&scratch, struct value, n * k->terms.n);
	for (size_t i = 0; i < n; i++) {
		const struct turn turn = turn_of(k, &scratch, first, i);
		slices[turn.at] = turn.slice;
		if (turn.asked.n)
			look_at_slice(k, &scratch, turn.slice, turn.asked, &found[turn.at * k->terms.n]);
	}
	for (size_t t = 0; t < k->terms.n; t++)
		out[t] = line_joined(k, mem, found, t, lines, slices);
	arena_release(&scratch);
}

bool hangs_on_begin(const struct term *t)
{
	if (!t || t->kind == NODE_FOLD)
		return false;
	if (t->kind == NODE_ROLLING && (t->fold == FOLD_STDDEV || t->fold == FOLD_SLOPE))
		return true;
	return hangs_on_begin(t->left) || hangs_on_begin(t->right);
}

/* Members of sets, too, would have to be asked in the slice alone. */
static bool asks_members_of_firing(const struct term *t)
{
	return t && ((t->kind == NODE_ACROSS && t->needs_firing) || asks_members_of_firing(t->left) || asks_members_of_firing(t->right));
}

static bool can_be_sliced(struct store *s, const struct term *t, const struct firing *f)
{
	return !hangs_on_begin(t) && (f || !t->needs_firing) && !asks_members_of_firing(t) && (t->needs_firing || !is_computed(s, t));
}

static bool can_look_at_slices(const struct slicing *k)
{
	if (!has_sketches(k->store) || k->store->only || k->n < LEAST_SLICES)
		return false;
	for (size_t i = 0; i < k->terms.n; i++)
		if (!can_be_sliced(k->store, k->terms.at[i], k->firing))
			return false;
	return true;
}

bool lines_by_slices(struct arena *mem, struct store *s, struct terms terms, struct spans asked, struct value *out)
{
	const struct slicing k = slicing_of(s, terms, NULL, asked);

	if (!can_look_at_slices(&k))
		return false;
	look_at_slices(&k, mem, out);
	return true;
}

bool line_by_slices(struct arena *mem, struct store *s, const struct term *t, struct spans asked, struct value *out)
{
	return lines_by_slices(mem, s, (struct terms){ &t, 1 }, asked, out);
}

static struct shares shares_in_slice(const struct slicing *k, struct arena *mem, struct span slice, struct spans asked, bool is_most)
{
	struct arena scratch;
	struct value v;

	arena_init(&scratch);
	look_at_slice(k, &scratch, slice, asked, &v);
	const struct shares found = shares_of(mem, value_bound(&scratch, &v, is_most));
	arena_release(&scratch);
	return found;
}

bool shares_by_slices(struct arena *mem, struct store *s, const struct term *t, struct firing *firing, struct spans asked, bool is_most,
	struct shares *out)
{
	const struct slicing k = slicing_of(s, (struct terms){ &t, 1 }, firing, asked);
	struct arena scratch;

	if (!can_look_at_slices(&k))
		return false;
	arena_init(&scratch);
	struct shares *const found = NEW_ARRAY(&scratch, struct shares, k.n);
	struct span *const slices = NEW_ARRAY(&scratch, struct span, k.n);
	for (size_t i = 0, first = first_slice(&k); i < k.n; i++) {
		const struct turn turn = turn_of(&k, &scratch, first, i);
		slices[turn.at] = turn.slice;
		if (turn.asked.n)
			found[turn.at] = shares_in_slice(&k, &scratch, turn.slice, turn.asked, is_most);
	}
	*out = shares_in_turn(mem, found, slices, k.n);
	arena_release(&scratch);
	return true;
}
