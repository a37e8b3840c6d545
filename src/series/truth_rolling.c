/*
 * truth_rolling.c - the mean over a window that moves, compared with a number, straight from the samples.
 *
 *     samples   ...|----|----|----|----|----|----|----|...
 *     window          [---------- at -----------)
 *                     ^                         ^
 *                  value x ms up to here     and up to here: whole numbers, their difference is exact
 *
 * It is looked at in the same moments as in signal_rolling.c: where the value changes and every quarter of the window around
 * that. No mean is ever divided out: sum < number x known ms says the same, and where the number is one that a sample can
 * have, without any rounding.
 *
 * Nor need all moments be looked at. Where all values of a window are on one side of the number, so is their mean, and that
 * is so of nearly all windows: the samples themselves are compared first. Elsewhere, the further the sum is from the
 * number's, the longer it takes to get there: a window that moves by one ms takes in one value and leaves another, so the sum
 * changes by no more than the highest less the lowest of all values. 60 s of a mean of 640 W can't be below 250 W within
 * the next 38 s if no sample is above 700 W or below 90 W.
 */
#include "series/truth.h"

#include "series/chunk.h"
#include "series/cuts.h"

/* What a track adds up to from its begin to an edge of the window, which only moves on. Sums wrap around; differences don't. */
struct edge {
	size_t i;       /* the sample at the edge, or the first */
	uint64_t sum;   /* value x ms, and known ms, up to its begin */
	time_ms known;
};
struct total {
	uint64_t sum;
	time_ms known;
};

static inline struct total edge_move(struct edge *e, const struct track *t, const time_ms at)
{
	size_t i = e->i;

	while (i + 1 < t->n && track_time(t, i + 1) <= at) {
		const time_ms known = track_value(t, i) == FIXED_MISSING ? 0 : held_until(t, i) - track_time(t, i);

		e->sum += (uint64_t)track_value(t, i) * (uint64_t)known;
		e->known += known;
		i++;
	}
	e->i = i;
	const time_ms until = sooner(held_until(t, i), at);
	const time_ms known = track_value(t, i) == FIXED_MISSING || until < track_time(t, i) ? 0 : until - track_time(t, i);

	return (struct total){ e->sum + (uint64_t)track_value(t, i) * (uint64_t)known, e->known + known };
}

/* Index of the last sample at or before `at`, which is i or behind it: in steps that double, then by halving. */
static size_t samples_until(const struct track *t, const size_t i, const size_t end, const time_ms at)
{
	size_t low = i, step = 1;

	while (low + step < end && track_time(t, low + step) <= at) {
		low += step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
		if (low + step < end && track_time(t, low + step) <= at)
			low += step;
	return low;
}

/* The number that a mean is compared with, in millionths of the track's unit. */
static double in_millionths(const double limit, const double factor)
{
	const double nearest = floor(limit / factor * FIXED_ONE + 0.5);

	return nearest / FIXED_ONE * factor == limit ? nearest : limit / factor * FIXED_ONE;
}

struct rolling {
	const struct track *t;
	struct span hull;
	time_ms before, after, quarter;
	enum comparison how;
	double factor;
	const struct signal *limit;
	struct edge left, right;
	size_t piece;    /* of the limit */
	double number;   /* it, in millionths */
	double low, high; /* of all values */
	time_ms safe;    /* until then the truth stays what it is */
	struct truths samples; /* the values themselves compared */
	size_t stretch;  /* of these, that holds where the window begins */
	struct growing line;
};

static bool is_enough_known(const time_ms known, const time_ms width)
{
	return known > 0 && 2 * known >= width;
}

static enum truth mean_compared(const struct rolling *r, const struct total *window, const time_ms width)
{
	if (!is_enough_known(window->known, width) || isnan(r->number))
		return UNKNOWN;
	return is_so((double)(int64_t)window->sum, r->how, r->number * (double)window->known) ? YES : NO;
}

static void use_limit(struct rolling *r, const size_t piece)
{
	r->piece = piece;
	r->number = in_millionths(r->limit->at[piece].value, r->factor);
}

/*
 * For how many ms at least the truth will stay. Of each ms by which the window moves, one ms at most is known no more and its length
 * grows by one at most, so that twice what is known, less the length, shrinks by three.
 */
static time_ms time_to_change(const struct rolling *r, const struct total *window, const time_ms width)
{
	const double distance = fabs((double)(int64_t)window->sum - r->number * (double)window->known);
	const double a_ms = (r->high > r->number ? r->high : r->number) - (r->low < r->number ? r->low : r->number) + 1;
	const double of_mean = distance * (1 - 1e-9) / a_ms - 1, of_known = (double)(2 * window->known - width) / 3 - 1;
	const double least = of_mean < of_known ? of_mean : of_known;

	return least > 0 ? (time_ms)least : 0; /* also where the number is none, or infinite */
}

/* The window has left all that was added up behind: it is added up anew. */
static void edges_restart(struct rolling *r, const time_ms begin)
{
	if (r->right.i + 1 >= r->t->n || track_time(r->t, r->right.i + 1) > begin)
		return;
	const size_t i = samples_until(r->t, r->right.i, r->t->n, begin);
	r->left = r->right = (struct edge){ .i = i };
}

/* Are all values of the window on one side of a number that stays? What two equal values have between them may be equal, too. */
static bool is_one_sided(struct rolling *r, const struct span window, const time_ms next)
{
	const struct truths *const line = &r->samples;

	if (r->how == EQUAL || r->how == NOT_EQUAL)
		return false;
	while (r->stretch + 1 < line->n && line->at[r->stretch + 1].at <= window.begin)
		r->stretch++;
	const struct span limit = { r->limit->at[r->piece].begin, piece_end(r->limit, r->piece) };
	const time_ms end = sooner(truth_end(line, r->stretch), limit.end);
	if (line->at[r->stretch].truth == UNKNOWN || limit.begin > window.begin || window.end > end || next > limit.end)
		return false;
	r->safe = end == r->hull.end ? end : end - r->after + 1;
	return true;
}

/* The window at `at` stands for [at, next). */
static void compare_moment(struct rolling *r, const time_ms at, const time_ms next)
{
	const struct span window = { later(at - r->before, r->hull.begin), sooner(at + r->after, r->hull.end) };

	if (is_one_sided(r, window, next)) {
		growing_add(&r->line, at, r->samples.at[r->stretch].truth);
		return;
	}
	edges_restart(r, window.begin);
	const struct total left = edge_move(&r->left, r->t, window.begin), right = edge_move(&r->right, r->t, window.end);
	const struct total inside = { right.sum - left.sum, right.known - left.known };

	growing_add(&r->line, at, mean_compared(r, &inside, span_length(window)));
	while (piece_end(r->limit, r->piece) < next) {
		use_limit(r, r->piece + 1);
		growing_add(&r->line, r->limit->at[r->piece].begin, mean_compared(r, &inside, span_length(window)));
	}
	r->safe = sooner(at + time_to_change(r, &inside, span_length(window)), piece_end(r->limit, r->piece));
}

/* All moments of a stretch in which the value stays: see moment_after() in signal_rolling.c. */
static void compare_piece(struct rolling *r, const struct span piece)
{
	for (time_ms at = piece.begin, next; at < piece.end; at = next) {
		const bool is_inside = at - r->before >= piece.begin;

		next = sooner(is_inside ? later(at + r->quarter, piece.end - r->after) : at + r->quarter, piece.end);
		if (at < r->safe && next <= piece_end(r->limit, r->piece))
			continue;
		if (at == piece_end(r->limit, r->piece))
			use_limit(r, r->piece + 1);
		compare_moment(r, at, next);
	}
}

/* Index of the first sample behind i before which there is a hole or that has another value. */
static size_t same_until(const struct track *t, size_t i, const size_t end)
{
	const fixed value = track_value(t, i);

	for (i++; i < end && track_value(t, i) == value && (value == FIXED_MISSING || held_until(t, i - 1) == track_time(t, i)); i++)
		;
	return i;
}

/* The first sample of the stretch that holds at r->safe; i where that is not behind it. Nothing is looked at on the way. */
static size_t skip_safe(const struct rolling *r, size_t i, const size_t end)
{
	const struct track *const t = r->t;
	const size_t from = i;

	i = samples_until(t, i, end, r->safe);
	while (i > from && track_value(t, i) == track_value(t, i - 1) &&
		(track_value(t, i) == FIXED_MISSING || held_until(t, i - 1) == track_time(t, i)))
		i--;
	return i;
}

/* Until when the last sample before i that is known holds. */
static time_ms known_before(const struct rolling *r, size_t i)
{
	while (i > 0 && track_value(r->t, i - 1) == FIXED_MISSING)
		i--;
	return later(i > 0 ? held_until(r->t, i - 1) : r->hull.begin, r->hull.begin);
}

/* Stretches of one value; what is not known, cell or hole, is one stretch with what is not known beside it. */
static void compare_pieces(struct rolling *r)
{
	const struct track *const t = r->t;
	const size_t end = track_seek(t, r->hull.end);
	time_ms done = r->hull.begin;

	for (size_t i = sample_before(t, r->hull.begin); i < end;) {
		const size_t first = skip_safe(r, i, end), next = same_until(t, first, end);
		const time_ms begin = later(track_time(t, first), r->hull.begin), until = sooner(held_until(t, next - 1), r->hull.end);

		if (first > i)
			done = known_before(r, first);
		i = next;
		if (track_value(t, first) == FIXED_MISSING || until <= begin)
			continue; /* with the next hole */
		if (begin > done)
			compare_piece(r, (struct span){ done, begin });
		compare_piece(r, (struct span){ begin, until });
		done = until;
	}
	if (done < r->hull.end)
		compare_piece(r, (struct span){ done, r->hull.end });
}

/* The lowest and highest value; false where a window of them may be no whole number below 2^63: that is for the general way. */
static bool has_range(struct rolling *r, const time_ms width)
{
	const struct track *const t = r->t;
	const fixed largest = INT64_MAX / 2 / (width + 1);
	fixed low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < t->n;) {
		const struct chunk *const chunk = chunk_from(t, i, t->n);
		const fixed lowest = chunk ? chunk->low : track_value(t, i), highest = chunk ? chunk->high : track_value(t, i);

		low = lowest < low && lowest != FIXED_MISSING ? lowest : low;
		high = highest > high ? highest : high;
		i += chunk ? CHUNK : 1;
	}
	r->low = (double)low;
	r->high = (double)high;
	return low > high || (low >= -largest && high <= largest);
}

static struct truths mean_by_signals(struct arena *mem, const struct track *t, const struct span hull, const double factor,
	const time_ms width, const enum comparison how, const struct signal limit)
{
	const struct signal plain = signal_from_track(mem, t, hull);
	struct piece *scaled = NEW_ARRAY(mem, struct piece, plain.n);

	for (size_t i = 0; i < plain.n; i++)
		scaled[i] = (struct piece){ plain.at[i].begin, plain.at[i].value * factor };
	const struct signal mean = signal_rolling(mem, (struct signal){ scaled, plain.n, plain.end }, width, FOLD_MEAN);
	return truths_compare(mem, signal_set_in(mem, mean, signal_span(&limit)), how, limit);
}

struct truths truths_compare_mean(struct arena *mem, const struct track *t, const struct span hull, const double factor,
	const time_ms width, const enum comparison how, const struct signal limit)
{
	const struct span all = signal_span(&limit);
	struct rolling r = {
		.t = t,
		.hull = { later(hull.begin, all.begin), sooner(hull.end, all.end) },
		.before = width / 2,
		.after = width - width / 2,
		.quarter = width >= 4 ? width / 4 : 1,
		.how = how,
		.factor = factor,
		.limit = &limit,
	};

	if (t->n == 0 || t->step <= 0 || span_length(r.hull) <= 0)
		return truths_constant(mem, UNKNOWN, all);
	if (factor <= 0 || width <= 0 || !has_range(&r, width))
		return mean_by_signals(mem, t, r.hull, factor, width, how, limit);
	struct arena scratch;
	arena_init(&scratch);
	r.samples = truths_compare_limit(&scratch, t, factor, how, limit);
	r.safe = r.hull.begin;
	use_limit(&r, piece_at(&limit, r.hull.begin));
	if (all.begin < r.hull.begin)
		growing_add(&r.line, all.begin, UNKNOWN);
	compare_pieces(&r);
	if (r.hull.end < all.end)
		growing_add(&r.line, r.hull.end, UNKNOWN);
	arena_release(&scratch);
	return growing_line(mem, &r.line, all.end);
}
