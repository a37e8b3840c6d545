/*
 * sketch_weighted.c - a weighted mean lies between the values that it weighs.
 *
 *     gpu.power                             600..660   598..655    90..640   601..652
 *     share(alone, 20 s)                       100 %   0..100 %       0 %      100 %      what they are weighed by
 *     mean(power * share) / mean(share)            598..660                               of the blocks whose weight may be above 0
 *
 * That takes no look at any moment, while the mean itself takes one at each of all time. Where a few values are not known, the two means
 * are not over the same time, and what comes out can lie as much outside as these few could weigh. A hole of the log, where neither values
 * nor weights are known, is looked at: it weighs nothing.
 */
#include "rule/sketch_parts.h"

#define MOST_SHARE 100.0 /* what a share is at most, in its first unit */
#define MOST_DOUBT 0.25  /* of the time: to look at more would cost as much as what it saves */

enum { BLOCKS_LOOKED_AT = 64 }; /* in each of them a weight is known for sure, where nothing else tells that there is any */

struct weighing {
	const struct term *values, *weights;
	double factor;
	double min_coverage; /* of both means the greater one */
	size_t time;
};

static bool is_mean(const struct term *t)
{
	return t->kind == NODE_FOLD && t->fold == FOLD_MEAN && t->where == WHERE_JUDGED;
}

/* Weights are shares of a window: they are never below 0. */
static bool weighing_of(const struct term *t, struct weighing *out)
{
	if (t->kind != NODE_DIVIDE || !is_mean(t->left) || !is_mean(t->right) || t->left->time != t->right->time)
		return false;
	const struct term *const product = t->left->left, *const weights = t->right->left;
	if (product->kind != NODE_MULTIPLY || weights->kind != NODE_ROLLING || weights->fold != FOLD_SHARE)
		return false;
	if (product->left != weights && product->right != weights)
		return false;
	*out = (struct weighing){
		.values = product->left == weights ? product->right : product->left,
		.weights = weights,
		.factor = product->factor * t->factor,
		.min_coverage = fmax(t->left->min_coverage, t->right->min_coverage),
		.time = t->left->time,
	};
	return out->values->kind == NODE_METRIC;
}

struct weighed {
	struct extent values; /* of what may weigh anything */
	time_ms known;        /* for so long the weight is, for sure, ms; */
	time_ms blank;        /* and of that for so long the value is not */
	double least;         /* what the weights add up to, percent x ms */
	struct span *doubtful; /* blocks in which the value is not known all the time, and nobody knows whether the weight is */
	size_t n_doubtful;
};

static struct weighed weigh(struct arena *scratch, struct sketches *k, const struct weighing *w, const struct judged_track *values)
{
	const struct sketch *const weights = sketch_in(k, w->weights, k->all);
	const struct spans *const judged = &k->store->plan->times[w->time].spans;
	struct weighed sum = { .values = nothing, .doubtful = NEW_RAW_ARRAY(scratch, struct span, k->blocks->n) };

	for (size_t i = 0, next = 0; i < k->blocks->n; i++) {
		const time_ms part = judged_of(judged, &next, block_span(k->blocks, i)), blank = values->blank[i + 1] - values->blank[i];
		const struct extent weight = sketch_range(weights, i);
		const bool is_known = !is_anything(weight);
		if (!part)
			continue;
		if (is_known) {
			sum.known += part;
			sum.blank += blank;
			sum.least += fmax(weight.low, 0) * (double)part;
		} else if (blank > 0) {
			sum.doubtful[sum.n_doubtful++] = block_span(k->blocks, i);
		}
		if (!is_known || weight.high > 0)
			sum.values = joined_range(sum.values, extent_widened(values->all[i]));
	}
	return sum;
}

struct weights {
	time_ms known;
	double sum; /* percent x ms */
};

/* As they are, in some of the time; where that can't be told they may be known in all of it, and 0. */
static struct weights weights_in(struct arena *scratch, const struct sketches *k, const struct weighing *w, struct spans time)
{
	const time_ms reach = reach_of_windows(k->store, w->weights);
	const struct spans some = spans_intersection(scratch, time, k->store->plan->times[w->time].spans);
	const struct spans around = spans_widened(scratch, some, reach, reach, k->blocks->all);
	struct weights found = { spans_length(some), 0 };
	struct store narrow;

	store_open_narrow(&narrow, k->store, &around);
	const struct value v = value_of(&narrow, w->weights, NULL);
	if (!v.is_bounded)
		found.known = signal_known(v.number, some);
	if (!v.is_bounded && found.known > 0) /* of nothing known there is no mean */
		found.sum = (double)found.known * signal_fold(scratch, v.number, some, FOLD_MEAN);
	store_release(&narrow);
	return found;
}

/* What the weights of a few blocks add up to, evenly apart: percent x ms. */
static double weights_of_some(struct arena *scratch, const struct sketches *k, const struct weighing *w)
{
	const struct blocks *const b = k->blocks;
	const size_t n = b->n < BLOCKS_LOOKED_AT ? b->n : BLOCKS_LOOKED_AT;
	struct span at[BLOCKS_LOOKED_AT];

	for (size_t i = 0; i < n; i++)
		at[i] = block_span(b, i * b->n / n);
	return weights_in(scratch, k, w, spans_of(scratch, at, n)).sum;
}

/* For how long the weight may be known and the value is not, ms: as in a hole of the log, in which mostly neither is. */
static time_ms blank_of(struct arena *scratch, const struct sketches *k, const struct weighing *w, const struct weighed *sum)
{
	const struct spans doubtful = spans_of(scratch, sum->doubtful, sum->n_doubtful);
	const time_ms time = spans_length(doubtful);

	if (time == 0 || (double)time > MOST_DOUBT * (double)span_length(k->blocks->all))
		return sum->blank + time;
	return sum->blank + weights_in(scratch, k, w, doubtful).known;
}

/*
 * With K where the values are known, too: mean over K of value x weight, divided by mean of weight
 * = (weighted mean over K) x (weights of K / all weights) x (known time / time of K).
 */
static bool mean_range(
	struct arena *scratch, struct sketches *k, const struct weighing *w, const struct judged_track *values, struct extent *out)
{
	const struct weighed sum = weigh(scratch, k, w, values);
	const double known = (double)(sum.known - sum.blank);

	if (known <= 0 || known < w->min_coverage * (double)spans_length(k->store->plan->times[w->time].spans))
		return false;
	const double blank = (double)blank_of(scratch, k, w, &sum), least = fmax(sum.least, weights_of_some(scratch, k, w));
	if (least <= MOST_SHARE * blank)
		return false;
	const double less = 1 - MOST_SHARE * blank / least, more = 1 + blank / known;
	const struct extent r = sum.values;
	*out = times_range((struct extent){ fmin(r.low * less, r.low * more), fmax(r.high * less, r.high * more) }, w->factor);
	return true;
}

bool weighted_mean_range(struct sketches *k, const struct term *t, struct extent *out)
{
	struct arena scratch;
	struct weighing w;

	if (!weighing_of(t, &w))
		return false;
	const struct track *const track = vantage_track(&k->store->vantage, w.values->metric);
	if (!track)
		return false;
	arena_init(&scratch);
	const bool is_told = mean_range(&scratch, k, &w, track_judged(k->store, k->mem, track, w.time, k->all), out);
	arena_release(&scratch);
	return is_told;
}
