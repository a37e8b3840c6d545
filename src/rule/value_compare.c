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

/* A number for who asks now: what a metric is at each moment of a long run is not kept for others, who mostly don't ask. */
static struct value passing_value(struct store *s, struct arena *scratch, const struct term *t, struct firing *f)
{
	const bool is_long = t->kind == NODE_METRIC && !s->plan->values_are_small && !is_computed(s, t);
	const struct track *const track = is_long ? track_of(s, t->metric) : NULL;

	return track ? of_number(whole_track(scratch, track, all_time(s))) : value_of(s, t, f);
}

/* Left and right of a term combined. */
static bool both_compared(struct store *s, struct arena *mem, struct arena *scratch, const struct term *t, double then, enum comparison how,
	double threshold, struct firing *f, struct value *out)
{
	arithmetic *const combine = arithmetic_of(t->kind);
	const struct track *const track = direct_track(s, t->left);
	const struct value right = passing_value(s, scratch, t->right, f);

	if (right.is_bounded)
		return false;
	if (track && changes_rarely(right.number, track) && is_rising(t->kind, right.number) && then >= 0) {
		*out = of_line(truths_compare_beside(
			mem, track, unit_factor(track->metric), combine, right.number, then, how, threshold));
		out->coverage = right.coverage;
		return true;
	}
	const struct value left = passing_value(s, scratch, t->left, f);
	if (left.is_bounded)
		return false;
	*out = of_line(truths_compare_zip(mem, left.number, right.number, combine, then, how, threshold));
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
	const bool is_compared = both_compared(s, mem, &scratch, t, then, how, constant_of(limit->number), f, out);
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
	const bool is_steady = !right->varies || (direct_track(s, left) && changes_rarely(limit.number, direct_track(s, left)));
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
