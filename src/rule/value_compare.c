/*
 * value_compare.c - comparisons, each by the way that costs least: nearly all make no signal of what they compare.
 */
#include "rule/value_parts.h"

struct value metric_compared(struct store *s, struct arena *mem, enum metric metric, enum comparison how, struct signal limit)
{
	const struct track *t = track_of(s, metric);
	const double threshold = constant_of(limit);

	if (!t || (isnan(threshold) && limit.n <= 1))
		return of_line(truths_constant(mem, UNKNOWN, all_time(s)));
	if (limit.n > 1)
		return of_line(truths_compare_limit(mem, track_seen(s, t), unit_factor(metric), how, limit));
	return of_line(truths_compare_track(mem, track_seen(s, t), all_time(s), unit_factor(metric), how, threshold));
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

/* What a metric is at each moment of a long run is not kept for others, who mostly don't ask. NULL: it is no such number. */
static const struct track *passing_track(struct store *s, const struct term *t)
{
	const bool is_long = t->kind == NODE_METRIC && !values_are_small(s->plan->run) && !is_computed(s, t);

	return is_long ? track_of(s, t->metric) : NULL;
}

/* A number for who asks now. */
static struct value passing_value(struct store *s, struct arena *scratch, const struct term *t, struct firing *f)
{
	const struct track *const track = passing_track(s, t);

	return track ? of_number(whole_track(scratch, track, all_time(s))) : value_of(s, t, f);
}

/* f(left, right) * then <how> threshold */
struct combination {
	const struct term *of; /* left and right */
	double then;
	enum comparison how;
	double threshold;
};

/* Is the right side the same for many of the samples on the left? */
static bool is_beside(const struct combination *c, size_t n_samples, struct signal right)
{
	return changes_rarely(right, n_samples) && is_rising(c->of->kind, right) && c->then >= 0;
}

static struct truths compared_beside(struct arena *mem, const struct combination *c, const struct track *left, struct signal right)
{
	return truths_compare_beside(
		mem, left, unit_factor(left->metric), arithmetic_of(c->of->kind), right, c->then, c->how, c->threshold);
}

static struct truths compared_at_each_moment(struct arena *mem, const struct combination *c, struct signal left, struct signal right)
{
	return truths_compare_zip(mem, left, right, arithmetic_of(c->of->kind), c->then, c->how, c->threshold);
}

/* So many samples at a time: what they are at each moment stays in the processor's cache. */
#define SAMPLES_OF_STRETCH 8192

/* Of two tracks in a stretch of time. */
static struct truths compared_in(
	struct arena *mem, const struct combination *c, const struct track *left, const struct track *right, struct span stretch)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct signal other = whole_track(&scratch, right, stretch);
	const struct truths line = is_beside(c, SAMPLES_OF_STRETCH, other)
		? compared_beside(mem, c, left, other)
		: compared_at_each_moment(mem, c, whole_track(&scratch, left, stretch), other);
	arena_release(&scratch);
	return line;
}

static struct truths tracks_compared(
	struct arena *mem, const struct combination *c, const struct track *left, const struct track *right, struct span all)
{
	const time_ms width = (left->step < right->step ? left->step : right->step) * SAMPLES_OF_STRETCH;
	const size_t n = (size_t)(span_length(all) / width) + 1;
	struct arena scratch;

	arena_init(&scratch);
	struct truths *const lines = NEW_ARRAY(&scratch, struct truths, n);
	struct span *const stretches = NEW_ARRAY(&scratch, struct span, n);
	for (size_t i = 0; i < n; i++) {
		const time_ms begin = all.begin + (time_ms)i * width;
		stretches[i] = (struct span){ begin, begin + width < all.end ? begin + width : all.end };
		lines[i] = compared_in(&scratch, c, left, right, stretches[i]);
	}
	const struct truths line = truths_in_turn(mem, lines, stretches, n);
	arena_release(&scratch);
	return line;
}

static bool combination_of_tracks(struct store *s, struct arena *mem, const struct combination *c, struct value *out)
{
	const struct track *const left = passing_track(s, c->of->left), *const right = passing_track(s, c->of->right);

	if (!left || !right || s->only || left->step <= 0 || right->step <= 0)
		return false;
	*out = of_line(tracks_compared(mem, c, left, right, all_time(s)));
	return true;
}

static bool both_compared(
	struct store *s, struct arena *mem, struct arena *scratch, const struct combination *c, struct firing *f, struct value *out)
{
	const struct track *const track = direct_track(s, c->of->left);

	if (combination_of_tracks(s, mem, c, out))
		return true;
	const struct value right = passing_value(s, scratch, c->of->right, f);
	if (right.is_bounded)
		return false;
	if (track && is_beside(c, track->n, right.number)) {
		*out = of_line(compared_beside(mem, c, track, right.number));
		out->coverage = right.coverage;
		return true;
	}
	const struct value left = passing_value(s, scratch, c->of->left, f);
	if (left.is_bounded)
		return false;
	*out = of_line(compared_at_each_moment(mem, c, left.number, right.number));
	out->coverage = lesser(right.coverage, left.coverage);
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
	if (!arithmetic_of(t->kind) || t->right->kind == NODE_NUMBER || is_computed(s, t))
		return false;
	struct arena scratch;
	arena_init(&scratch);
	const struct combination c = { t, then, how, constant_of(limit->number) };
	const bool is_compared = both_compared(s, mem, &scratch, &c, f, out);
	arena_release(&scratch);
	return is_compared;
}

static enum truth known_truth_or(enum truth known, enum truth by_bounds)
{
	return known == UNKNOWN ? by_bounds : known;
}

struct value value_compared(struct store *s, const struct term *t, struct firing *f)
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
	const bool is_steady = !right->varies || (direct_track(s, left) && changes_rarely(limit.number, direct_track(s, left)->n));
	if (left->kind == NODE_METRIC && is_steady && !limit.is_bounded) {
		struct value v = metric_compared(s, mem, left->metric, how, limit.number);
		v.coverage = limit.coverage;
		return v;
	}
	const struct value subject = value_of(s, left, f);
	struct value v = of_line(truths_compare(mem, subject.number, how, limit.number));
	if (subject.is_bounded || limit.is_bounded) {
		const struct bounds one = bounds_beside(mem, &subject, &limit), other = bounds_beside(mem, &limit, &subject);
		v.line = truths_zip(mem, v.line, truths_compare_bounds(mem, one, how, other), known_truth_or);
	}
	v.coverage = lesser(subject.coverage, limit.coverage);
	return v;
}
