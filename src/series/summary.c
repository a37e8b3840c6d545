/*
 * summary.c - means, extremes, deviations and slopes that join.
 *
 * The joining of squares and products about the means is that of Chan, Golub & LeVeque (1979). A value that holds for a while
 * is a horizontal piece of a curve and not a point, so its time varies about its middle, too: by w³ / 12
 * for a width of w, the integral of t² from -w/2 to w/2. So one sample more with the same value changes nothing.
 */
#include "series/summary.h"

static bool is_fit(const enum fold fold)
{
	return fold == FOLD_STDDEV || fold == FOLD_SLOPE;
}

struct summary summary_of(const enum fold fold, const double value, const struct span when)
{
	const double width = (double)span_length(when);
	struct summary s = { .known = span_length(when) };

	if (isnan(value) || s.known <= 0)
		return (struct summary){ 0 };
	if (is_fit(fold)) {
		s.fit.value = value;
		s.fit.time = (double)when.begin + width / 2;
		s.fit.times = width * width * width / 12;
	} else {
		s.plain.integral = value * width;
		s.plain.low = s.plain.high = value;
	}
	return s;
}

struct summary summary_of_piece(const enum fold fold, const struct signal *s, const size_t i, const struct span within)
{
	const time_ms begin = later(s->at[i].begin, within.begin), end = sooner(piece_end(s, i), within.end);
	const time_ms origin = s->at[0].begin;

	return summary_of(fold, s->at[i].value, (struct span){ begin - origin, end - origin });
}

static struct summary join_plain(const struct summary *a, const struct summary *b)
{
	struct summary s = { .known = a->known + b->known };

	s.plain.integral = a->plain.integral + b->plain.integral;
	s.plain.low = a->plain.low < b->plain.low ? a->plain.low : b->plain.low;
	s.plain.high = a->plain.high > b->plain.high ? a->plain.high : b->plain.high;
	return s;
}

static struct summary join_fit(const struct summary *a, const struct summary *b)
{
	struct summary s = { .known = a->known + b->known };
	const double share_b = (double)b->known / (double)s.known, weight = (double)a->known * share_b;
	const double value = b->fit.value - a->fit.value, time = b->fit.time - a->fit.time;

	s.fit.value = a->fit.value + value * share_b;
	s.fit.time = a->fit.time + time * share_b;
	s.fit.values = a->fit.values + b->fit.values + value * value * weight;
	s.fit.both = a->fit.both + b->fit.both + value * time * weight;
	s.fit.times = a->fit.times + b->fit.times + time * time * weight;
	return s;
}

struct summary summary_join(const enum fold fold, const struct summary a, const struct summary b)
{
	if (a.known == 0)
		return b;
	if (b.known == 0)
		return a;
	return is_fit(fold) ? join_fit(&a, &b) : join_plain(&a, &b);
}

/* A mean lies between its values; rounding must not push it over a threshold that equals them. */
static double mean_of(const struct summary *s)
{
	const double mean = s->plain.integral / (double)s->known;

	if (mean < s->plain.low)
		return s->plain.low;
	return mean > s->plain.high ? s->plain.high : mean;
}

double summary_fold(const enum fold fold, const struct summary *s)
{
	if (s->known == 0)
		return NAN;
	switch (fold) {
	case FOLD_MIN:
		return s->plain.low;
	case FOLD_MAX:
		return s->plain.high;
	case FOLD_SPREAD:
		return s->plain.high - s->plain.low;
	case FOLD_MEAN:
	case FOLD_RATE: /* what is folded then is the growth a second */
		return mean_of(s);
	case FOLD_SHARE:
		return 100 * mean_of(s);
	case FOLD_TOTAL:
	case FOLD_DELTA:
		return s->plain.integral / SECOND_MS;
	case FOLD_SUM: /* of signals, each of which weighs 1 */
		return s->plain.integral;
	case FOLD_STDDEV:
		return sqrt(s->fit.values / (double)s->known);
	case FOLD_SLOPE:
		return SECOND_MS * (s->fit.both / s->fit.times);
	default:
		break;
	}
	BUG("a summary does not say that");
}
