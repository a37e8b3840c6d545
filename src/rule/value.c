/*
 * value.c - what each term is worth, for the entity that it depends on.
 *
 * Numbers are signals (step functions over the run's span), conditions are truth lines; each
 * term is one dispatch an entity, never one a sample. What nearly all conditions do, a metric compared with a
 * constant, looks at the samples of the track once and makes no signal.
 *
 * A number that is not known may still be bounded: of eight GPUs three are known to be idle and one is unknown, so that
 * "more than two" is true; the highest of what a log tells is a lower bound, however little that is. Comparisons make use
 * of bounds, arithmetic does not.
 */
#include "rule/value.h"

#include "rule/sketch.h"
#include "series/chunk.h"
#include "series/cursor.h"

#include <math.h>

struct kept {
	struct value value;
	struct arena mem; /* of its own, where it has many pieces */
	bool is_done;
	bool is_spent;    /* its parts have been told that it has used them */
};

struct reference { /* the median of a term in some healthy time */
	const struct reference *next;
	const struct term *of;
	struct spans healthy;
	time_ms known;
	double median;
};

/* A term for the members of a set; those of which nothing is ever known are no members: a core that was never logged is no peer. */
struct members {
	const struct entity **who;
	struct value *values;
	size_t n;
};
struct group { /* kept for sets that differ for each GPU only by that GPU */
	struct group *next;
	const struct term *of;
	struct members all;
	struct arena mem;   /* of their values */
	bool has_values;    /* else they have been given back: who they are and their coverage is all that is known of them */
	bool is_looked_at;  /* somebody looks at the values themselves: they stay */
};
struct rest { /* kept for numbers: all but one, for each one */
	struct rest *next;
	const struct term *of; /* the fold */
	struct members all;    /* who they are, and their coverage */
	struct others others;  /* of three and more */
};

struct seen { /* kept for tracks that were looked at: what is in their chunks, and where they are known */
	struct seen *next;
	const struct track *of;
	struct track track;
	struct spans known;
	bool has_known;
	struct sketch sketch;
	bool has_sketch;
};

struct narrowed { /* of a narrow store: the samples that it looks at */
	struct narrowed *next;
	const struct track *of;
	struct track track;
};

static void store_begin(struct store *s, struct arena mem, const struct plan *plan, struct store *above, enum scope scope,
	const struct entity *entity)
{
	*s = (struct store){ .plan = plan, .vantage = vantage_of(plan->run, scope, entity), .above = above, .mem = mem };
	s->results = above ? above->results : plan->run->mem;
	s->lock = above ? above->lock : NULL;
	s->outlines = above ? above->outlines : NULL;
	arena_init(&s->passing);
	s->values = NEW_ARRAY(&s->mem, struct kept, plan->n_terms);
}

void store_open(struct store *s, const struct plan *plan, struct store *above, enum scope scope, const struct entity *entity)
{
	struct arena mem;

	arena_init(&mem);
	store_begin(s, mem, plan, above, scope, entity);
}

void store_open_narrow(struct store *s, struct store *full, const struct spans *only)
{
	store_open(s, full->plan, full->above, full->vantage.scope, full->vantage.entity);
	s->results = full->results;
	s->full = full;
	s->only = only;
}

static void value_give_back(struct kept *k)
{
	if (!k->mem.newest)
		return;
	arena_release(&k->mem);
	k->is_done = false;
}

static void give_back_all(struct store *s)
{
	for (size_t i = 0; i < s->plan->n_terms; i++)
		value_give_back(&s->values[i]);
	arena_release(&s->passing);
}

static void count_anew(struct store *s)
{
	if (!s->all_uses)
		return;
	s->uses = NEW_RAW_ARRAY(&s->mem, unsigned, s->plan->n_terms);
	memcpy(s->uses, s->all_uses, s->plan->n_terms * sizeof *s->uses);
}

void store_gives_back(struct store *s, const unsigned *uses)
{
	s->all_uses = uses;
	count_anew(s);
}

void store_reopen(struct store *s, const struct entity *entity)
{
	const unsigned *const uses = s->all_uses;

	give_back_all(s);
	arena_reset(&s->mem);
	store_begin(s, s->mem, s->plan, s->above, s->vantage.scope, entity);
	store_gives_back(s, uses);
}

void store_release(struct store *s)
{
	for (struct group *g = s->groups; g; g = g->next)
		arena_release(&g->mem);
	give_back_all(s);
	arena_release(&s->mem);
}

void store_forget(struct store *s)
{
	arena_release(&s->passing);
	if (s->all_uses)
		give_back_all(s);
	s->uses = NULL;
}

static void spend(void *store, const struct term *t);

/* The term has used its parts. */
static void spend_parts(struct store *s, const struct term *t)
{
	s->values[t->id].is_spent = true;
	if (t->kind == NODE_ACROSS)
		return;
	spend(s, t->left);
	spend(s, t->right);
}

/* One use of a term is over. Behind the last the value is given back; one that was never asked for does not ask for its parts. */
static void spend(void *store, const struct term *t)
{
	struct store *const s = store;

	if (!s->uses || !t || t->level != s->vantage.scope || !s->uses[t->id] || --s->uses[t->id])
		return;
	if (s->values[t->id].is_done)
		value_give_back(&s->values[t->id]);
	else if (!s->values[t->id].is_spent)
		spend_parts(s, t);
}

/* What is computed again uses its parts again. */
static void claim_part(struct store *s, const struct term *t)
{
	if (t && t->level == s->vantage.scope)
		s->uses[t->id]++;
}

static void claim_parts(struct store *s, const struct term *t)
{
	if (!s->uses || !s->values[t->id].is_spent || t->kind == NODE_ACROSS)
		return;
	claim_part(s, t->left);
	claim_part(s, t->right);
}

void store_rule_judged(struct store *s, const struct planned_rule *r)
{
	plan_each_asked(r, spend, s);
	arena_release(&s->passing);
}

/* The store of this entity, its host or the run that is of the level. */
static struct store *store_at(struct store *s, enum scope level)
{
	while (s->above && s->vantage.scope > level)
		s = s->above;
	return s;
}

/* Stores of hosts and of the run are filled by whoever of several threads needs a value first. */
static void shared_take(const struct store *s)
{
	if (s->lock)
		lock_take(s->lock);
}

static void shared_give(const struct store *s)
{
	if (s->lock)
		lock_give(s->lock);
}

/* What depends on the firing time of one verdict goes with it; what is kept is moved out of the way by value_kept_in(). */
static struct arena *memory_for(struct store *s, const struct term *t, const struct firing *f)
{
	return t->needs_firing || (f && f->is_only_inside) ? f->mem : s->work;
}

static struct span all_time(const struct store *s)
{
	return s->plan->run->span;
}

static struct value of_number(struct signal number)
{
	return (struct value){ .number = number, .coverage = 1 };
}

static struct value of_line(struct truths line)
{
	return (struct value){ .line = line, .coverage = 1 };
}

static double if_same(double low, double high)
{
	return low == high ? low : (double)NAN;
}

static struct value of_bounds(struct arena *mem, struct bounds bounds)
{
	return (struct value){
		.number = signal_zip(mem, bounds.low, bounds.high, if_same),
		.is_bounded = true,
		.bounds = bounds,
		.coverage = 1,
	};
}

static double lesser(double a, double b)
{
	return b < a ? b : a;
}

static struct signal scaled(struct arena *mem, struct signal s, double factor)
{
	if (factor == 1)
		return s;
	struct piece *pieces = NEW_RAW_ARRAY(mem, struct piece, s.n);
	for (size_t i = 0; i < s.n; i++)
		pieces[i] = (struct piece){ s.at[i].begin, s.at[i].value * factor };
	s.at = pieces;
	return s;
}

/* From the metric's unit to the first of its dimension. */
static double unit_factor(enum metric metric)
{
	return unit_table[metric_table[metric].unit].factor;
}

/* All of a track, in the first unit of its dimension. */
static struct signal whole_track(struct arena *mem, const struct track *t, struct span within)
{
	return scaled(mem, signal_from_track(mem, t, within), unit_factor(t->metric));
}

/* ------ tracks ------ */

/* The samples [*first, *end) that hold in a span, and the one behind it; a counter grows from one that has a value to the next. */
static void samples_in(const struct track *t, struct span within, size_t *first, size_t *end)
{
	const bool is_counter = metric_table[t->metric].kind == KIND_COUNTER;
	const size_t behind = track_seek(t, within.begin), after = track_seek(t, within.end);

	*first = behind > 0 ? behind - 1 : 0;
	*end = after < t->n ? after + 1 : t->n;
	while (is_counter && *first > 0 && track_value(t, *first) == FIXED_MISSING)
		--*first;
	while (is_counter && *end < t->n && track_value(t, *end - 1) == FIXED_MISSING)
		++*end;
}

static struct track narrow_track(struct arena *mem, const struct track *t, const struct spans *only)
{
	struct track narrow;
	size_t n = 0, done = 0, first, end;

	for (size_t i = 0; i < only->n; i++, done = end) {
		samples_in(t, only->at[i], &first, &end);
		n += end - (first < done ? done : first);
	}
	time_ms *const times = NEW_RAW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_RAW_ARRAY(mem, fixed, n);
	narrow = track_with_values(t, values);
	narrow.times = times;
	narrow.n = done = 0;
	for (size_t i = 0; i < only->n; i++, done = end) {
		samples_in(t, only->at[i], &first, &end);
		first = first < done ? done : first;
		track_times(t, first, end - first, times + narrow.n);
		track_values(t, first, end - first, values + narrow.n);
		narrow.n += end - first;
	}
	return narrow;
}

static const struct track *narrowed_in(struct store *s, const struct track *t)
{
	for (const struct narrowed *have = s->narrowed; have; have = have->next)
		if (have->of == t)
			return &have->track;
	struct narrowed *const made = NEW(&s->mem, struct narrowed);
	*made = (struct narrowed){ s->narrowed, t, narrow_track(&s->mem, t, s->only) };
	s->narrowed = made;
	return &made->track;
}

/* NULL when the logs don't have it. */
static const struct track *track_of(struct store *s, enum metric metric)
{
	const struct track *const t = vantage_track(&s->vantage, metric);

	return t && s->only ? narrowed_in(s, t) : t;
}

static struct value metric_value(struct store *s, const struct term *term, const struct firing *f)
{
	struct arena *mem = memory_for(s, term, f);
	const struct track *t = track_of(s, term->metric);

	if (!t)
		return of_number(signal_constant(mem, NAN, all_time(s)));
	if (f && f->is_only_inside)
		return of_number(scaled(mem, signal_inside(mem, t, f->inside, all_time(s)), unit_factor(t->metric)));
	return of_number(whole_track(mem, t, all_time(s)));
}

static struct seen *seen_in(struct store *s, const struct track *t)
{
	for (struct seen *seen = s->seen; seen; seen = seen->next)
		if (seen->of == t)
			return seen;
	struct seen *seen = NEW(&s->mem, struct seen);
	*seen = (struct seen){ .next = s->seen, .of = t, .track = *t };
	seen->track.chunks = chunks_of(&s->mem, t);
	s->seen = seen;
	return seen;
}

/* What is not of this GPU or core is kept for the others, too. */
static struct store *store_of_track(struct store *s, const struct track *t)
{
	return t->entity == s->vantage.entity ? s : store_at(s, SCOPE_HOST);
}

static const struct track *track_seen(struct store *s, const struct track *t)
{
	struct store *const kept = store_of_track(s, t);

	if (s->only)
		return t;
	if (kept == s)
		return &seen_in(s, t)->track;
	shared_take(s);
	const struct track *const seen = &seen_in(kept, t)->track;
	shared_give(s);
	return seen;
}

static struct spans known_in(struct store *s, const struct track *t)
{
	struct seen *const seen = seen_in(s, t);

	if (!seen->has_known)
		seen->known = track_known(&s->mem, &seen->track);
	seen->has_known = true;
	return seen->known;
}

struct spans known_time_of(struct store *s, const struct track *t)
{
	struct store *const kept = store_of_track(s, t);

	if (kept == s)
		return known_in(s, t);
	shared_take(s);
	const struct spans known = known_in(kept, t);
	shared_give(s);
	return known;
}

static const struct sketch *sketched_in(struct store *s, const struct track *t)
{
	struct seen *const seen = seen_in(s, t);

	if (!seen->has_sketch)
		seen->sketch = sketch_track(&s->mem, &s->plan->blocks, &seen->track);
	seen->has_sketch = true;
	return &seen->sketch;
}

const struct sketch *track_sketched(struct store *s, const struct track *t)
{
	struct store *const kept = store_of_track(s, t);

	if (kept == s)
		return sketched_in(s, t);
	shared_take(s);
	const struct sketch *const sketch = sketched_in(kept, t);
	shared_give(s);
	return sketch;
}

/* The track that a term is, and nothing but; else NULL. */
static const struct track *direct_track(struct store *s, const struct term *t)
{
	const struct track *const track = t->kind == NODE_METRIC ? track_of(s, t->metric) : NULL;

	return track ? track_seen(s, track) : NULL;
}

/* ------ arithmetic ------ */

static double add(double a, double b)
{
	return a + b;
}

static double subtract(double a, double b)
{
	return a - b;
}

static double multiply(double a, double b)
{
	return a * b;
}

/* A share of nothing is not known. */
static double divide(double a, double b)
{
	return b == 0 ? (double)NAN : a / b;
}

static double constant_of(struct signal s)
{
	return s.n ? s.at[0].value : (double)NAN;
}

/* By a number that is one for the run and not below 0, as in conversions of units, bounds stay bounds. */
static bool is_scaling(const struct term *t, const struct value *left, const struct value *right)
{
	if (t->kind == NODE_DIVIDE)
		return left->is_bounded && !right->is_bounded && !t->right->varies && constant_of(right->number) > 0;
	return t->kind == NODE_MULTIPLY && left->is_bounded && !right->is_bounded && !t->right->varies && constant_of(right->number) >= 0;
}

static struct value scaled_value(struct arena *mem, struct value v, double factor)
{
	v.number = scaled(mem, v.number, factor);
	if (v.is_bounded)
		v.bounds = (struct bounds){ scaled(mem, v.bounds.low, factor), scaled(mem, v.bounds.high, factor) };
	return v;
}

static struct value combined(struct store *s, const struct term *t, struct firing *f, double (*how)(double, double))
{
	struct arena *mem = memory_for(s, t, f);
	const struct value left = value_of(s, t->left, f), right = value_of(s, t->right, f);
	const double coverage = lesser(left.coverage, right.coverage);
	struct value v;

	if (is_scaling(t, &left, &right))
		v = scaled_value(mem, left, how(1, constant_of(right.number)) * t->factor);
	else if (t->kind == NODE_MULTIPLY && t->right->kind == NODE_NUMBER)
		v = of_number(scaled(mem, left.number, t->right->number * t->factor));
	else
		v = of_number(scaled(mem, signal_zip(mem, left.number, right.number, how), t->factor));
	v.coverage = coverage;
	return v;
}

static struct value negated(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	struct value v = value_of(s, t->left, f);

	v.number = scaled(mem, v.number, -1);
	if (v.is_bounded)
		v.bounds = (struct bounds){ scaled(mem, v.bounds.high, -1), scaled(mem, v.bounds.low, -1) };
	return v;
}

/* ------ comparisons ------ */

static struct value metric_compared(struct store *s, struct arena *mem, enum metric metric, enum comparison how, struct signal limit)
{
	const struct track *t = track_of(s, metric);
	const double threshold = constant_of(limit);

	if (!t || (isnan(threshold) && limit.n <= 1))
		return of_line(truths_constant(mem, UNKNOWN, all_time(s)));
	if (limit.n > 1)
		return of_line(truths_compare_limit(mem, track_seen(s, t), unit_factor(metric), how, limit));
	return of_line(truths_compare_track(mem, track_seen(s, t), all_time(s), unit_factor(metric), how, threshold));
}

static bool is_computed(struct store *s, const struct term *t)
{
	if (t->needs_firing)
		return false;
	shared_take(s);
	const bool is_done = store_at(s, t->level)->values[t->id].is_done;
	shared_give(s);
	return is_done;
}

/* So few pieces beside a track's samples that a few hundred steps for each don't matter. */
static bool changes_rarely(struct signal s, const struct track *t)
{
	return s.n && s.n <= 1 + t->n / 256;
}

/* A mean or a percentile. */
static bool is_window_of_track(struct store *s, const struct term *t)
{
	const bool has_way = t->kind == NODE_ROLLING && (t->fold == FOLD_MEAN || fold_percent(t->fold) > 0);

	return has_way && t->width > 0 && direct_track(s, t->left);
}

/*
 * How many rows a mean over a window looks at, at least: utilization.gpu tells of the last second, so that one row a minute is no mean
 * of a minute, and work that comes in bursts of seconds shows as busy or as idle by chance. Four such rows tell a half from nothing
 * and from all.
 */
#define ROWS_OF_MEAN 4

/* Of rows that are far apart a window for a mean is wider than the rule says. */
time_ms width_of(struct store *s, const struct term *t)
{
	const bool is_gauge = t->left->kind == NODE_METRIC && metric_table[t->left->metric].kind == KIND_GAUGE;
	const bool is_mean = is_gauge && t->fold == FOLD_MEAN && t->width > 0;
	const struct track *const track = is_mean ? vantage_track(&s->vantage, t->left->metric) : NULL;
	const time_ms least = track ? ROWS_OF_MEAN * track->step : 0;

	return least > t->width ? least : t->width;
}

/*
 * A window that is looked at every quarter of its width reaches by three quarters to each side; when it is looked at is settled anew where
 * nothing changed for one and a half of them.
 */
time_ms reach_of_windows(struct store *s, const struct term *t)
{
	if (!t || t->kind == NODE_FOLD)
		return 0;
	const time_ms width = t->kind == NODE_ROLLING ? width_of(s, t) : 0, own = width + width / 2 + (width ? 4 : 0);
	const time_ms left = reach_of_windows(s, t->left), right = reach_of_windows(s, t->right);

	return own + (left > right ? left : right);
}

/* Samples while they are cut. */
struct cutting {
	time_ms *times;
	fixed *values;
	size_t n;
};

static void cut_add(struct cutting *c, time_ms at, fixed value)
{
	if (c->n && c->times[c->n - 1] == at)
		c->n--;
	c->times[c->n] = at;
	c->values[c->n++] = value;
}

/* What holds in a span, and nothing behind it. */
static void cut_to(struct cutting *out, struct cursor *c, struct span within)
{
	const struct track *const t = c->track;
	const size_t behind = track_seek(t, within.begin);

	for (size_t i = behind > 0 ? behind - 1 : 0; i < t->n && cursor_time(c, i) < within.end; i++) {
		const time_ms begin = cursor_time(c, i), until = cursor_until(c, i);
		if (until <= within.begin)
			continue;
		cut_add(out, begin < within.begin ? within.begin : begin, cursor_value(c, i));
		if (until < within.end && (i + 1 == t->n || until < cursor_time(c, i + 1)))
			cut_add(out, until, FIXED_MISSING);
	}
	cut_add(out, within.end, FIXED_MISSING);
}

/*
 * Where dips or a restart part the judged time, what is in between has no value for windows that look across. Samples that begin before a
 * part and hold in it are cut to that, as pieces of a signal are: both ways to a window's value must say the same.
 */
static struct track judged_samples(struct arena *mem, const struct track *t, struct spans judged)
{
	struct cursor c;

	if (judged.n <= 1)
		return *t;
	const size_t room = 2 * t->n + 3 * judged.n;
	struct cutting out = { NEW_RAW_ARRAY(mem, time_ms, room), NEW_RAW_ARRAY(mem, fixed, room), 0 };
	cursor_start(&c, t);
	for (size_t i = 0; i < judged.n; i++)
		cut_to(&out, &c, judged.at[i]);
	struct track seen = track_with_values(t, out.values);
	seen.times = out.times;
	seen.n = out.n;
	return seen;
}

/* The same of a signal. */
static struct signal judged_pieces(struct arena *mem, struct signal s, struct spans judged, struct span all)
{
	if (judged.n <= 1)
		return s;
	const struct signal inside = truths_signal(mem, truths_from_spans(mem, judged, all));
	struct piece *const known = NEW_RAW_ARRAY(mem, struct piece, inside.n);
	for (size_t i = 0; i < inside.n; i++)
		known[i] = (struct piece){ inside.at[i].begin, inside.at[i].value > 0 ? 1 : (double)NAN };
	return signal_zip(mem, s, (struct signal){ known, inside.n, inside.end }, multiply);
}

/* A percentile is compared with a number that stays, a mean with one that changes rarely. */
static bool has_direct_way(const struct term *t, enum comparison how, struct signal limit, const struct track *track)
{
	return t->fold == FOLD_MEAN ? changes_rarely(limit, track) : limit.n == 1 && can_compare_percentiles(how);
}

/* A window of a track compared: no signal is made of it, unless there is one already. */
static bool window_compared(struct store *s, struct arena *mem, const struct term *t, enum comparison how, const struct value *limit,
	struct value *out)
{
	if (!is_window_of_track(s, t) || limit->is_bounded || is_computed(s, t))
		return false;
	const struct track *const track = direct_track(s, t->left);
	if (!has_direct_way(t, how, limit->number, track))
		return false;
	const struct judged_time *const time = &s->plan->times[t->time];
	const struct track seen = judged_samples(mem, track, time->spans);
	const double factor = unit_factor(t->left->metric);
	const time_ms width = width_of(s, t);
	*out = of_line(t->fold == FOLD_MEAN
			? truths_compare_mean(mem, &seen, time->hull, factor, width, how, limit->number)
			: truths_compare_percentile(mem, &seen, time->hull, factor, width, fold_percent(t->fold), how, limit->number));
	return true;
}

static double (*arithmetic_of(enum node_kind kind))(double, double)
{
	switch (kind) {
	case NODE_ADD:
		return add;
	case NODE_SUBTRACT:
		return subtract;
	case NODE_MULTIPLY:
		return multiply;
	case NODE_DIVIDE:
		return divide;
	default:
		return NULL;
	}
}

/* Does the result never go down when the left side goes up? */
static bool is_rising(enum node_kind kind, struct signal right)
{
	const bool is_sum = kind == NODE_ADD || kind == NODE_SUBTRACT;

	for (size_t i = 0; i < right.n; i++)
		if (isinf(right.at[i].value) || (!is_sum && right.at[i].value <= 0))
			return false;
	return true;
}

/* Two numbers combined and compared with a constant: nobody else asks for the combination, so it is not kept. */
static bool combination_compared(struct store *s, struct arena *mem, const struct term *t, enum comparison how, const struct value *limit,
	struct firing *f, struct value *out)
{
	double then = t->factor;

	if (limit->is_bounded || is_computed(s, t))
		return false;
	if (t->kind == NODE_MULTIPLY && t->right->kind == NODE_NUMBER && t->left->factor == 1) { /* a ratio in percent */
		then *= t->right->number;
		t = t->left;
	}
	double (*combine)(double, double) = arithmetic_of(t->kind);
	if (!combine || t->right->kind == NODE_NUMBER || is_computed(s, t))
		return false;
	const struct track *track = direct_track(s, t->left);
	const struct value right = value_of(s, t->right, f);
	const double threshold = constant_of(limit->number);
	double coverage = right.coverage;
	if (right.is_bounded)
		return false;
	if (track && changes_rarely(right.number, track) && is_rising(t->kind, right.number) && then >= 0) {
		*out = of_line(truths_compare_beside(
			mem, track, unit_factor(t->left->metric), combine, right.number, then, how, threshold));
	} else {
		const struct value left = value_of(s, t->left, f);
		if (left.is_bounded)
			return false;
		coverage = lesser(coverage, left.coverage);
		*out = of_line(truths_compare_zip(mem, left.number, right.number, combine, then, how, threshold));
	}
	out->coverage = coverage;
	return true;
}

static struct value compared(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct term *left = t->left, *right = t->right;
	enum comparison how = t->comparison;

	if ((right->kind == NODE_METRIC && !left->varies) || (is_window_of_track(s, right) && !is_window_of_track(s, left))) {
		left = t->right;
		right = t->left;
		how = comparison_mirrored(how);
	}
	const struct value limit = value_of(s, right, f);
	struct value direct;
	if (window_compared(s, mem, left, how, &limit, &direct) ||
		(!right->varies && combination_compared(s, mem, left, how, &limit, f, &direct))) {
		direct.coverage = lesser(direct.coverage, limit.coverage);
		return direct;
	}
	const bool is_steady = !right->varies || (direct_track(s, left) && changes_rarely(limit.number, direct_track(s, left)));
	if (left->kind == NODE_METRIC && is_steady && !limit.is_bounded) {
		struct value v = metric_compared(s, mem, left->metric, how, limit.number);
		v.coverage = limit.coverage;
		return v;
	}
	const struct value subject = value_of(s, left, f);
	struct value v;
	if (subject.is_bounded)
		v = of_line(truths_compare_bounds(mem, subject.bounds.low, subject.bounds.high, how, limit.number));
	else if (limit.is_bounded)
		v = of_line(truths_compare_bounds(mem, limit.bounds.low, limit.bounds.high, comparison_mirrored(how), subject.number));
	else
		v = of_line(truths_compare(mem, subject.number, how, limit.number));
	v.coverage = lesser(subject.coverage, limit.coverage);
	return v;
}

static struct value joined(struct store *s, const struct term *t, struct firing *f, enum truth (*how)(enum truth, enum truth))
{
	struct arena *mem = memory_for(s, t, f);
	const struct value left = value_of(s, t->left, f), right = value_of(s, t->right, f);
	struct value v = of_line(truths_zip(mem, left.line, right.line, how));

	v.coverage = lesser(left.coverage, right.coverage);
	return v;
}

static struct value inverted(struct store *s, const struct term *t, struct firing *f)
{
	struct value v = value_of(s, t->left, f);

	v.line = truths_not(memory_for(s, t, f), v.line);
	return v;
}

/*
 * Holes between the rows, and the time by which the run began before the first or went on after the
 * last: a GPU that falls off the bus is in no later row. Less than a hole at the ends is the loggers' start and stop.
 */
static struct spans without_log(struct store *s, const struct track *t)
{
	struct span rows = track_span(t), run = all_time(s);
	struct span ends[] = { { run.begin, rows.begin }, { rows.end, run.end } };

	for (size_t i = 0; i < 2; i++)
		if (span_length(ends[i]) <= HOLE_STEPS * t->step)
			ends[i].end = ends[i].begin;
	return spans_union(&s->mem, track_holes(&s->mem, t), spans_of(&s->mem, ends, 2));
}

static struct value hole_value(struct store *s, enum metric metric)
{
	const struct track *t = vantage_track(&s->vantage, metric);

	if (!t)
		return of_line(truths_constant(&s->mem, UNKNOWN, all_time(s)));
	return of_line(truths_from_spans(&s->mem, without_log(s, t), all_time(s)));
}

static struct value logged_value(struct store *s, enum metric metric)
{
	return of_line(truths_constant(&s->mem, vantage_track(&s->vantage, metric) ? YES : NO, all_time(s)));
}

/* ------ folds over time ------ */

static bool takes_counters(enum fold fold)
{
	return (fold_table[fold].takes & TAKES_COUNTERS) != 0;
}

/* What a fold looks at: a number, what a counter grew by, or 1 and 0 of a condition. */
static struct value looked_at(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct track *track = t->left->kind == NODE_METRIC ? track_of(s, t->left->metric) : NULL;

	if (takes_counters(t->fold) && track)
		return of_number(scaled(mem, signal_increase(mem, track, all_time(s)), unit_factor(t->left->metric)));
	struct value v = value_of(s, t->left, f);
	if (t->left->is_condition)
		v.number = truths_signal(mem, v.line);
	return v;
}

/* The window looks at nothing but the time that is judged: a mean over the first minute of work says nothing of the idle head before it. */
static struct value rolling(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	struct value v = looked_at(s, t, f);

	v = (struct value){ .number = v.number, .coverage = v.coverage };
	if (t->width == 0) { /* at each moment: a condition is true for all of it or for none, and growth is one already */
		v.number = scaled(mem, v.number, t->left->is_condition ? 100 : 1);
		return v;
	}
	const struct judged_time *const time = &s->plan->times[t->time];
	struct arena scratch;
	arena_init(&scratch);
	const struct signal judged =
		signal_cut(&scratch, judged_pieces(&scratch, v.number, time->spans, all_time(s)), time->hull);
	v.number = signal_set_in(mem, signal_rolling(&scratch, judged, width_of(s, t), t->fold), all_time(s));
	arena_release(&scratch);
	return v;
}

/* The first or the last third of the steady time: a third of it, and not of the time that it spans. */
static struct spans third_of_work(struct store *s, bool last)
{
	const struct spans steady = run_phases(&s->mem, s->plan->run, 1U << PHASE_STEADY);
	const time_ms all = spans_length(steady), from = last ? all - all / 3 : 0, until = last ? all : all / 3;
	struct span *const third = NEW_ARRAY(&s->mem, struct span, steady.n);
	time_ms before = 0;
	size_t n = 0;

	for (size_t i = 0; i < steady.n; i++) {
		const struct span w = steady.at[i];
		const struct span part = { w.begin + (from > before ? from - before : 0),
			before + span_length(w) > until ? w.begin + until - before : w.end };
		before += span_length(w);
		if (part.begin < part.end)
			third[n++] = part;
	}
	return (struct spans){ third, n };
}

static struct spans place_of(struct store *s, const struct term *t, const struct firing *f)
{
	switch (t->where) {
	case WHERE_JUDGED:
		return s->plan->times[t->time].spans;
	case WHERE_RUN:
		return spans_one(&s->plan->run->logged);
	case WHERE_FIRST_THIRD:
	case WHERE_LAST_THIRD:
		return third_of_work(s, t->where == WHERE_LAST_THIRD);
	case WHERE_INSIDE:
		return f->inside;
	case WHERE_OUTSIDE:
		return f->outside;
	default:
		return run_phases(&s->mem, s->plan->run, 1U << (t->where - WHERE_PHASE));
	}
}

/* Of the place the part for which a condition is known to hold at least, and at most, in percent: whole milliseconds, so no rounding. */
static bool bounds_of_share(struct truths line, struct spans place, double *low, double *high)
{
	const double all = (double)spans_length(place);

	*low = 100 * (double)truths_length(line, YES, place) / all;
	*high = 100 * (all - (double)truths_length(line, NO, place)) / all;
	return true;
}

/*
 * Too little is known of the time, but what is known can be enough: a maximum can only be higher, a minimum lower; what adds
 * up and can't be negative can only be more; and of a share the unknown part is all true at most.
 */
static bool bounds_of_part(const struct term *t, const struct value *over, struct spans place, double value, double *low, double *high)
{
	*low = *high = value;
	switch (t->fold) {
	case FOLD_MIN:
		*low = -INFINITY;
		return true;
	case FOLD_TOTAL:
	case FOLD_DELTA:
		*high = INFINITY;
		return t->left->is_condition || !t->left->is_negative;
	case FOLD_MAX:
	case FOLD_SPREAD:
	case FOLD_CHANGES:
		*high = INFINITY;
		return true;
	case FOLD_SHARE:
		return bounds_of_share(over->line, place, low, high);
	default:
		return false;
	}
}

/* Of a bare metric straight from its samples. */
static double fold_of(struct store *s, const struct term *t, struct spans place, struct firing *f, struct value *over, time_ms *known)
{
	struct arena *mem = memory_for(s, t, f);
	const struct track *track = track_has_fold(t->fold) ? direct_track(s, t->left) : NULL;

	*over = (struct value){ .coverage = 1 };
	if (track)
		return track_fold(mem, track, unit_factor(t->left->metric), place, t->fold, known);
	*over = looked_at(s, t, f);
	*known = signal_known(over->number, place);
	return signal_fold(mem, over->number, place, t->fold);
}

static struct value folded(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct spans place = place_of(s, t, f);
	struct value over;
	time_ms known;
	const double value = fold_of(s, t, place, f, &over, &known);
	const time_ms all = spans_length(place);
	const double share = all ? (double)known / (double)all : 0;
	const bool is_enough = known && share >= t->min_coverage;
	double low, high;
	struct value v;

	if (!is_enough && known && bounds_of_part(t, &over, place, value, &low, &high))
		v = of_bounds(mem, (struct bounds){ signal_constant(mem, low, all_time(s)), signal_constant(mem, high, all_time(s)) });
	else
		v = of_number(signal_constant(mem, is_enough ? value : (double)NAN, all_time(s)));
	v.coverage = lesser(share, over.coverage);
	return v;
}

/* ------ sets ------ */

static bool is_ever_known(const struct term *t, const struct value *v)
{
	if (t->is_condition)
		return truths_any(v->line, YES) || truths_any(v->line, NO);
	return v->is_bounded || signal_is_ever_known(v->number);
}

static struct value value_kept(struct arena *mem, struct value v)
{
	if (v.number.n)
		v.number = signal_kept(mem, v.number);
	if (v.line.n)
		v.line = truths_kept(mem, v.line);
	if (v.is_bounded)
		v.bounds = (struct bounds){ signal_kept(mem, v.bounds.low), signal_kept(mem, v.bounds.high) };
	return v;
}

/* The store of the member's host, where members are of several. */
static struct store *host_store(struct store *host, struct store *above, enum scope scope, const struct entity *who)
{
	if (above->vantage.scope != SCOPE_RUN || scope == SCOPE_HOST)
		return above;
	store_open(host, above->plan, above, SCOPE_HOST, run_host(above->plan->run, who));
	return host;
}

/*
 * The members' own stores live no longer than this, and one after the other: what it took to get there is given back at once. Of several
 * terms, so that what they share is computed once for each member: all[k] becomes that of terms[k].
 */
static void members_of_all(
	struct arena *mem, struct store *above, enum reach reach, struct terms terms, struct firing *f, struct members *all)
{
	const struct entities who = vantage_members(mem, &above->vantage, reach);
	struct store member, host;

	for (size_t k = 0; k < terms.n; k++)
		all[k] = (struct members){ NEW_ARRAY(mem, const struct entity *, who.n), NEW_ARRAY(mem, struct value, who.n), 0 };
	if (!who.n)
		return;
	store_open(&member, above->plan, above, reach_scope(reach), NULL);
	store_gives_back(&member, plan_uses_of(mem, above->plan, reach_scope(reach), terms));
	for (size_t i = 0; i < who.n; i++) {
		member.above = host_store(&host, above, reach_scope(reach), who.at[i]);
		store_reopen(&member, who.at[i]);
		for (size_t k = 0; k < terms.n; k++) {
			const struct value v = value_of(&member, terms.at[k], f);
			if (is_ever_known(terms.at[k], &v)) {
				all[k].who[all[k].n] = who.at[i];
				all[k].values[all[k].n++] = value_kept(mem, v);
			}
			spend(&member, terms.at[k]);
		}
		if (member.above != above)
			store_release(&host);
	}
	store_release(&member);
}

static struct members members_of(struct arena *mem, struct store *above, enum reach reach, const struct term *t, struct firing *f)
{
	struct members all;

	members_of_all(mem, above, reach, (struct terms){ &t, 1 }, f, &all);
	return all;
}

/* Of a metric itself: each member looks at its own track alone, so that all can be read side by side. */
struct metric_reading {
	struct store *run;
	const struct term *term;
	struct entities all;
	struct value *values;
	struct arena kept[WORKERS_MAX];
};

static void read_member(void *context, size_t worker, size_t job)
{
	struct metric_reading *const r = context;
	const struct vantage v = vantage_of(r->run->plan->run, SCOPE_GPU, r->all.at[job]);
	const struct track *const track = vantage_track(&v, r->term->metric);

	if (track)
		r->values[job] = of_number(whole_track(&r->kept[worker], track, all_time(r->run)));
}

static struct members metric_of_all(struct store *run, struct arena *mem, const struct term *t)
{
	struct metric_reading r = { .run = run, .term = t, .all = vantage_members(mem, &run->vantage, REACH_ALL_GPUS) };
	struct members m = { NEW_ARRAY(mem, const struct entity *, r.all.n), NEW_ARRAY(mem, struct value, r.all.n), 0 };

	r.values = NEW_ARRAY(mem, struct value, r.all.n);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&r.kept[i]);
	workers_run(r.all.n, read_member, &r);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_adopt(mem, &r.kept[i]);
	for (size_t i = 0; i < r.all.n; i++)
		if (is_ever_known(t, &r.values[i])) {
			m.who[m.n] = r.all.at[i];
			m.values[m.n++] = r.values[i];
		}
	return m;
}

static struct group *group_found(struct store *run, const struct term *t)
{
	for (struct group *g = run->groups; g; g = g->next)
		if (g->of == t)
			return g;
	struct group *const g = NEW(&run->mem, struct group);
	*g = (struct group){ .next = run->groups, .of = t };
	arena_init(&g->mem);
	run->groups = g;
	return g;
}

/* Who they are and what is known of each stays for the run. */
static struct members members_listed(struct arena *mem, struct members m)
{
	struct members listed = { NEW_ARRAY(mem, const struct entity *, m.n), NEW_ARRAY(mem, struct value, m.n), m.n };

	for (size_t i = 0; i < m.n; i++) {
		listed.who[i] = m.who[i];
		listed.values[i] = m.values[i];
	}
	return listed;
}

/*
 * All conditions of others that the rules ask for: they have much in common, and their lines are short. None asks for another, since
 * no 'of' stands inside of an 'of'.
 */
static struct terms conditions_of_others(struct arena *mem, struct store *run)
{
	const struct plan *const p = run->plan;
	const struct term **const at = NEW_ARRAY(mem, const struct term *, p->n_terms);
	bool *const is_in = NEW_ARRAY(mem, bool, p->n_terms);
	size_t n = 0;

	for (size_t i = 0; i < p->n_terms; i++) {
		const struct term *const t = p->terms[i];
		const bool is_asked = t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && !t->needs_firing && t->left->is_condition;
		if (!is_asked || is_in[t->left->id] || group_found(run, t->left)->has_values)
			continue;
		is_in[t->left->id] = true;
		at[n++] = t->left;
	}
	return (struct terms){ at, n };
}

static void groups_of_conditions(struct store *run)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct terms terms = conditions_of_others(&scratch, run);
	struct members *const all = NEW_ARRAY(&scratch, struct members, terms.n);
	members_of_all(&scratch, run, REACH_ALL_GPUS, terms, NULL, all);
	for (size_t k = 0; k < terms.n; k++) {
		struct group *const g = group_found(run, terms.at[k]);
		g->all = members_listed(&run->mem, all[k]);
		for (size_t i = 0; i < g->all.n; i++)
			g->all.values[i] = value_kept(&g->mem, g->all.values[i]);
		g->has_values = true;
	}
	arena_release(&scratch);
}

/* All GPUs, once for the whole run. */
static struct group *group_of(struct store *run, const struct term *t)
{
	struct group *const g = group_found(run, t);

	if (g->has_values)
		return g;
	if (t->is_condition)
		groups_of_conditions(run);
	if (g->has_values)
		return g;
	g->all = members_listed(&run->mem,
		t->kind == NODE_METRIC ? metric_of_all(run, &g->mem, t) : members_of(&g->mem, run, REACH_ALL_GPUS, t, NULL));
	g->has_values = true;
	return g;
}

static struct members everyone(struct store *s, const struct term *t)
{
	shared_take(s);
	struct group *const g = group_of(store_at(s, SCOPE_RUN), t);
	g->is_looked_at = true;
	shared_give(s);
	return g->all;
}

/* From this much on, as a share of all that one member has, all members are looked at. */
#define LEAST_FOR_ALL 0.3
#define OF_A_STORE 64 /* blocks: what it takes to look at any time of a member */

/* Does the sketch decide all blocks in this time? Then it is its line there. */
static bool is_decided_in(const struct sketch *s, const struct blocks *b, const struct spans *only)
{
	for (size_t i = 0; i < only->n; i++)
		for (size_t k = block_at(b, only->at[i].begin); k <= block_at(b, only->at[i].end - 1); k++)
			if (!is_decided(sketch_can(s, k)))
				return false;
	return true;
}

static struct value asked_of_member(struct store *s, struct arena *mem, const struct term *t, const struct entity *who)
{
	const struct sketch *const sketch = outline_of(s->outlines, who, t);
	struct store host, full, narrow;

	if (is_decided_in(sketch, &s->plan->blocks, s->only))
		return of_line(sketch_line(mem, sketch, &s->plan->blocks));
	store_open(&host, s->plan, store_at(s, SCOPE_RUN), SCOPE_HOST, run_host(s->plan->run, who));
	host.lock = s->lock; /* the run's own is for those who judge hosts */
	store_open(&full, s->plan, &host, SCOPE_GPU, who);
	store_open_narrow(&narrow, &full, s->only);
	const struct value v = value_kept(mem, value_of(&narrow, t, NULL));
	store_release(&narrow);
	store_release(&full);
	store_release(&host);
	return v;
}

/*
 * Is it less to look at those members that are open in this time than at all of them once for the run? Each GPU will ask, and several
 * rules.
 */
static bool pays_to_ask(struct store *s, const struct term *t, struct entities who)
{
	const struct blocks *const b = &s->plan->blocks;
	const double share = ((double)spans_length(*s->only) + OF_A_STORE * (double)b->width) / (double)span_length(b->all);
	size_t n_open = 0;

	for (size_t i = 0; i < who.n; i++) {
		const struct sketch *const sketch = outline_of(s->outlines, who.at[i], t);
		if (!sketch || !sketch_tells_if_known(sketch, b))
			return false;
		n_open += !sketch->is_never && !is_decided_in(sketch, b, s->only);
		if (share * (double)n_open >= LEAST_FOR_ALL)
			return false;
	}
	return true;
}

/* Conditions of the others in some of the time. Nobody is looked at whose sketch decides it. */
static bool others_asked(struct store *s, struct arena *scratch, const struct term *t, struct members *m)
{
	const struct entities who = vantage_members(scratch, &s->vantage, REACH_OTHER_GPUS);

	if (!pays_to_ask(s, t->left, who))
		return false;
	*m = (struct members){ NEW_ARRAY(scratch, const struct entity *, who.n), NEW_ARRAY(scratch, struct value, who.n), 0 };
	for (size_t i = 0; i < who.n; i++) {
		if (outline_of(s->outlines, who.at[i], t->left)->is_never)
			continue;
		m->who[m->n] = who.at[i];
		m->values[m->n++] = asked_of_member(s, scratch, t->left, who.at[i]);
	}
	return true;
}

static struct members others(struct store *s, struct arena *scratch, const struct term *t, struct firing *f)
{
	struct members asked;

	if (s->only && others_asked(s, scratch, t, &asked))
		return asked;
	const struct members all =
		t->needs_firing ? members_of(scratch, store_at(s, SCOPE_RUN), REACH_ALL_GPUS, t->left, f) : everyone(s, t->left);
	struct members m = { NEW_ARRAY(scratch, const struct entity *, all.n), NEW_ARRAY(scratch, struct value, all.n), 0 };
	for (size_t i = 0; i < all.n; i++) {
		if (all.who[i] == s->vantage.entity)
			continue;
		m.who[m.n] = all.who[i];
		m.values[m.n++] = all.values[i];
	}
	return m;
}

/* The shortest step of the tracks that a term looks at; 0 without one. */
static time_ms shortest_step(const struct vantage *v, const struct term *t)
{
	const struct track *track = t->kind == NODE_METRIC || t->kind == NODE_HAS ? vantage_track(v, t->metric) : NULL;
	time_ms shortest = track ? track->step : 0;
	const struct term *parts[] = { t->left, t->right };

	for (size_t i = 0; i < 2; i++) {
		const time_ms step = parts[i] ? shortest_step(v, parts[i]) : 0;
		if (step > 0 && (shortest == 0 || step < shortest))
			shortest = step;
	}
	return shortest;
}

/*
 * How near to each other the rows of one poll are: a quarter of the step. nvidia-smi asks one GPU after the other, which takes
 * some ms each; the next poll is a step away.
 */
static time_ms poll_of(const struct store *s, const struct members *m, const struct term *t, enum scope scope)
{
	time_ms shortest = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct vantage v = vantage_of(s->plan->run, scope, m->who[i]);
		const time_ms step = shortest_step(&v, t);
		if (step > 0 && (shortest == 0 || step < shortest))
			shortest = step;
	}
	return shortest / 4;
}

static struct signal *signals_of(struct arena *mem, const struct members *m)
{
	struct signal *signals = NEW_ARRAY(mem, struct signal, m->n);

	for (size_t i = 0; i < m->n; i++)
		signals[i] = m->values[i].number;
	return signals;
}

static struct value numbers_across(struct store *s, struct arena *mem, struct arena *scratch, const struct members *m, const struct term *t)
{
	return of_number(signal_across(mem, signals_of(scratch, m), m->n, t->fold, poll_of(s, m, t->left, reach_scope(t->reach))));
}

static bool is_number_of_others(const struct term *t)
{
	return t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && !t->needs_firing && !t->left->is_condition;
}

/* When all folds that the rules ask of a group are known, and none needs the values of its members, these are given back. */
static void give_back(struct store *run, struct group *g)
{
	const struct plan *const p = run->plan;
	size_t n_wanted = 0, n_known = 0;

	for (size_t i = 0; i < p->n_terms; i++)
		n_wanted += is_number_of_others(p->terms[i]) && p->terms[i]->left == g->of;
	for (const struct rest *r = run->rests; r; r = r->next)
		n_known += r->of->left == g->of && r->others.extremes;
	if (n_known < n_wanted || g->is_looked_at)
		return;
	arena_release(&g->mem);
	g->has_values = false;
}

static const struct rest *rest_of(struct store *run, const struct term *t)
{
	for (const struct rest *r = run->rests; r; r = r->next)
		if (r->of == t)
			return r;
	struct group *const g = group_of(run, t->left);
	struct rest *const r = NEW(&run->mem, struct rest);
	const time_ms poll = poll_of(run, &g->all, t->left, SCOPE_GPU);
	*r = (struct rest){ .next = run->rests, .of = t, .all = g->all };
	run->rests = r;
	if (g->all.n < 3)
		return r;
	r->others = others_new(&run->mem, signals_of(&run->mem, &g->all), g->all.n, t->fold, poll);
	give_back(run, g);
	return r;
}

static const struct rest *rest_for(struct store *s, const struct term *t)
{
	shared_take(s);
	const struct rest *const rest = rest_of(store_at(s, SCOPE_RUN), t);
	shared_give(s);
	return rest;
}

/* Numbers of all other GPUs: what follows from all of them and this one. */
static bool numbers_of_others(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	if (!is_number_of_others(t))
		return false;
	const struct rest *const rest = rest_for(s, t);
	const struct members *const all = &rest->all;
	size_t own = 0;
	while (own < all->n && all->who[own] != s->vantage.entity)
		own++;
	if (own == all->n || all->n < 3)
		return false;
	*out = of_number(others_fold(mem, &rest->others, own));
	for (size_t i = 0; i < all->n; i++)
		if (i != own)
			out->coverage = lesser(out->coverage, all->values[i].coverage);
	return true;
}

static struct value conditions_across(struct store *s, struct arena *mem, struct arena *scratch, const struct members *m, enum fold fold)
{
	struct truths *lines = NEW_ARRAY(scratch, struct truths, m->n);

	for (size_t i = 0; i < m->n; i++)
		lines[i] = m->values[i].line;
	const struct bounds count = truths_count(mem, lines, m->n);
	const double least = fold == FOLD_ALL ? (double)m->n : 1, percent = 100 / (double)m->n;
	switch (fold) {
	case FOLD_COUNT:
		return of_bounds(mem, count);
	case FOLD_SHARE:
		return of_bounds(mem, (struct bounds){ scaled(mem, count.low, percent), scaled(mem, count.high, percent) });
	default:
		return of_line(truths_compare_bounds(mem, count.low, count.high, GREATER_EQUAL, signal_constant(mem, least, all_time(s))));
	}
}

/* Nobody has a value. But whether any other GPU does something is known where there is no other: none does. */
static struct value across_nobody(struct store *s, struct arena *mem, const struct term *t)
{
	const bool is_known = t->reach == REACH_OTHER_GPUS && t->fold == FOLD_ANY && s->plan->run->n_gpus < 2;

	if (t->is_condition)
		return of_line(truths_constant(mem, is_known ? NO : UNKNOWN, all_time(s)));
	return of_number(signal_constant(mem, NAN, all_time(s)));
}

static struct value across(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f), scratch;
	struct value v;

	if (numbers_of_others(s, mem, t, &v))
		return v;
	arena_init(&scratch);
	const struct members m = t->reach == REACH_OTHER_GPUS
		? others(s, &scratch, t, f)
		: members_of(&scratch, store_at(s, reach_level(t->reach)), t->reach, t->left, f);
	if (!m.n)
		v = across_nobody(s, mem, t);
	else if (t->left->is_condition)
		v = conditions_across(s, mem, &scratch, &m, t->fold);
	else
		v = numbers_across(s, mem, &scratch, &m, t);
	for (size_t i = 0; i < m.n; i++)
		v.coverage = lesser(v.coverage, m.values[i].coverage);
	arena_release(&scratch);
	return v;
}

/* ------ the healthy rest ------ */

/* A number of which folds are asked: a bare metric is never made a signal for that. */
struct subject {
	const struct track *track; /* NULL: it is the signal */
	double factor;
	struct signal signal;
};

static struct subject subject_of(struct store *s, const struct term *t, struct firing *f)
{
	const struct track *track = direct_track(s, t);

	if (track)
		return (struct subject){ .track = track, .factor = unit_factor(t->metric) };
	struct firing whole = *f; /* the healthy time, too */
	whole.is_only_inside = false;
	return (struct subject){ .signal = value_of(s, t, &whole).number };
}

static double subject_fold(struct arena *scratch, const struct subject *of, struct spans within, enum fold fold, time_ms *known)
{
	if (of->track)
		return track_fold(scratch, of->track, of->factor, within, fold, known);
	*known = signal_known(of->signal, within);
	return signal_fold(scratch, of->signal, within, fold);
}

/* All rules with a cost ask for the same median of the same time. */
static const struct reference *reference_for(struct store *s, const struct term *t, const struct subject *of, struct spans healthy,
	struct arena *scratch)
{
	for (const struct reference *r = s->references; r && !t->needs_firing; r = r->next)
		if (r->of == t && spans_are_same(r->healthy, healthy))
			return r;
	struct reference *r = NEW(&s->mem, struct reference);
	*r = (struct reference){
		.next = s->references,
		.of = t,
		.healthy = spans_of(&s->mem, healthy.at, healthy.n),
	};
	r->median = subject_fold(scratch, of, healthy, FOLD_P50, &r->known);
	s->references = r;
	return r;
}

/* What was usual outside all findings; NAN when there is too little of it, or when it was no better than what was found. */
static double healthy_level(struct store *s, const struct term *t, const struct subject *of, const struct firing *f)
{
	const time_ms healthy = spans_length(f->healthy), judged = spans_length(f->inside) + spans_length(f->outside);
	const double least = LEAST_HEALTHY * (double)judged;
	time_ms ignored;

	if ((double)healthy < least)
		return NAN; /* known for less than that */
	const struct reference *r = reference_for(s, t, of, f->healthy, f->mem);
	if ((double)r->known < least)
		return NAN;
	const double found = subject_fold(f->mem, of, f->inside, FOLD_MEAN, &ignored);
	return r->median > found || isnan(found) ? r->median : (double)NAN;
}

static struct value reference(struct store *s, const struct term *t, struct firing *f)
{
	const struct subject of = subject_of(s, t->left, f);
	time_ms ignored;

	f->reference = healthy_level(s, t->left, &of, f);
	f->reference_assumed = isnan(f->reference);
	if (f->reference_assumed && t->left->dimension == DIM_SHARE)
		f->reference = 100;
	else if (f->reference_assumed)
		f->reference = subject_fold(f->mem, &of, spans_one(&s->plan->run->span), FOLD_MAX, &ignored);
	return of_number(signal_constant(f->mem, f->reference, all_time(s)));
}

/* ------ any term ------ */

/* The number that a fold came to when the members of sets were sketched. */
static bool is_outlined(struct store *s, const struct term *t, struct value *out)
{
	const bool is_of_gpu = s->outlines && s->vantage.scope == SCOPE_GPU && !t->needs_firing;
	const struct sketch *const known = is_of_gpu ? outline_of(s->outlines, s->vantage.entity, t) : NULL;

	if (!known || known->is_never || known->stride || known->ranges[0].low != known->ranges[0].high)
		return false;
	*out = of_number(signal_constant(&s->mem, known->ranges[0].low, all_time(s)));
	out->coverage = known->coverage;
	return true;
}

static struct value compute(struct store *s, const struct term *t, struct firing *f)
{
	struct value known;

	switch (t->kind) {
	case NODE_NUMBER:
		return of_number(signal_constant(&s->mem, t->number, all_time(s)));
	case NODE_METRIC:
		return metric_value(s, t, f);
	case NODE_NEGATE:
		return negated(s, t, f);
	case NODE_ADD:
		return combined(s, t, f, add);
	case NODE_SUBTRACT:
		return combined(s, t, f, subtract);
	case NODE_MULTIPLY:
		return combined(s, t, f, multiply);
	case NODE_DIVIDE:
		return combined(s, t, f, divide);
	case NODE_COMPARE:
		return compared(s, t, f);
	case NODE_AND:
		return joined(s, t, f, truth_and);
	case NODE_OR:
		return joined(s, t, f, truth_or);
	case NODE_NOT:
		return inverted(s, t, f);
	case NODE_HAS:
		return metric_compared(s, memory_for(s, t, f), t->metric, GREATER, signal_constant(&s->mem, 0, all_time(s)));
	case NODE_ROLLING:
		return rolling(s, t, f);
	case NODE_FOLD:
		return is_outlined(s, t, &known) ? known : folded(s, t, f);
	case NODE_ACROSS:
		return across(s, t, f);
	case NODE_HOLE:
		return hole_value(s, t->metric);
	case NODE_LOGGED:
		return logged_value(s, t->metric);
	case NODE_REF:
		return reference(s, t, f);
	}
	BUG("no such kind of term");
}

/* So much is given back on its own; less stays. Under AddressSanitizer all is, so that short logs of tests show a late use. */
#if defined(__SANITIZE_ADDRESS__)
#define MANY_BYTES ((size_t)1)
#else
#define MANY_BYTES ((size_t)16 * 1024)
#endif

static size_t size_of(const struct value *v)
{
	return (v->number.n + v->bounds.low.n + v->bounds.high.n) * sizeof(struct piece) + v->line.n * sizeof(struct cut);
}

/* A value is much smaller than what it takes to get there, which is given back at once; and it shares nothing with its parts. */
static void keep(struct store *s, struct kept *k, struct value v)
{
	struct arena *const mem = size_of(&v) < MANY_BYTES ? &s->mem : &k->mem;

	k->value = value_kept(mem, v);
	k->is_done = true;
}

static struct value value_kept_in(struct store *s, const struct term *t)
{
	struct kept *const k = &s->values[t->id];

	if (!k->is_done) {
		struct arena *const above = s->work;
		struct arena work;
		arena_init(&work);
		s->work = &work;
		claim_parts(s, t);
		keep(s, k, compute(s, t, NULL));
		spend_parts(s, t);
		s->work = above;
		arena_release(&work);
	}
	return k->value;
}

/* What a narrow store can't tell: what hangs on all of the time, or on which rows of all GPUs are of one poll. */
static bool needs_all_time(const struct term *t)
{
	return t->kind == NODE_FOLD || t->kind == NODE_HOLE || t->kind == NODE_LOGGED || (t->kind == NODE_ACROSS && !t->left->is_condition);
}

struct value value_of(struct store *s, const struct term *t, struct firing *f)
{
	if (s->only && needs_all_time(t))
		return value_of(s->full, t, f);
	if (t->needs_firing)
		return compute(s, t, f);
	struct store *kept = store_at(s, t->level);
	if (kept == s)
		return value_kept_in(s, t);
	shared_take(s);
	const struct value v = value_kept_in(kept, t);
	shared_give(s);
	return v;
}
