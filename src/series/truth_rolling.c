/*
 * truth_rolling.c - the mean or a percentile over a window that moves, compared with a number, straight from the samples.
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
 *
 * A percentile is a mean, too: the median is below 250 W where values below 250 W hold for half of the known time and more. So
 * samples below the number count 100, others 0, and the mean of that is compared with the percent.
 */
#include "series/truth.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/cuts.h"

/*
 * What samples add up to from their begin to an edge of the window, which only moves on. Sums wrap around; differences don't. Of a mean
 * they are those of the track, of a percentile the stretches of the line that tells which samples are below the number.
 */
struct edge {
	size_t i;       /* the sample or stretch at the edge, or the first */
	uint64_t sum;   /* value x ms, and known ms, up to its begin */
	time_ms known;
	struct cursor samples;
};
struct total {
	uint64_t sum;
	time_ms known;
};

static inline struct total edge_move(struct edge *e, const time_ms at)
{
	struct cursor *const c = &e->samples;
	size_t i = e->i;

	while (i + 1 < c->track->n && cursor_time(c, i + 1) <= at) {
		const fixed value = cursor_value(c, i);
		const time_ms known = value == FIXED_MISSING ? 0 : cursor_until(c, i) - cursor_time(c, i);

		e->sum += (uint64_t)value * (uint64_t)known;
		e->known += known;
		i++;
	}
	e->i = i;
	const fixed value = cursor_value(c, i);
	const time_ms until = sooner(cursor_until(c, i), at);
	const time_ms known = value == FIXED_MISSING || until < cursor_time(c, i) ? 0 : until - cursor_time(c, i);

	return (struct total){ e->sum + (uint64_t)value * (uint64_t)known, e->known + known };
}

/* What a stretch adds, of `length`: those below count 100, for all are percent of something. */
static inline void add_stretch(struct total *sum, const enum truth is_below, const time_ms length)
{
	sum->sum += is_below == YES ? 100 * (uint64_t)length : 0;
	sum->known += is_below == UNKNOWN ? 0 : length;
}

static inline struct total edge_move_on_line(struct edge *e, const struct truths *line, const time_ms at)
{
	struct total sum = { e->sum, e->known };

	for (; e->i + 1 < line->n && line->at[e->i + 1].at <= at; e->i++)
		add_stretch(&sum, line->at[e->i].truth, line->at[e->i + 1].at - line->at[e->i].at);
	e->sum = sum.sum;
	e->known = sum.known;
	if (at > line->at[e->i].at)
		add_stretch(&sum, line->at[e->i].truth, at - line->at[e->i].at);
	return sum;
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
	struct cursor walk;
	int percent;     /* 0: a mean */
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
	r->number = r->percent ? r->percent : in_millionths(r->limit->at[piece].value, r->factor);
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

static void edge_start(struct edge *e, const size_t i)
{
	e->i = i;
	e->sum = 0;
	e->known = 0;
}

/* The window has left all that was added up behind: it is added up anew. */
static void edges_restart(struct rolling *r, const time_ms begin)
{
	if (r->right.i + 1 >= r->t->n || cursor_time(&r->right.samples, r->right.i + 1) > begin)
		return;
	const size_t i = samples_until(r->t, r->right.i, r->t->n, begin);
	edge_start(&r->left, i);
	edge_start(&r->right, i);
}

static struct total added_up(struct rolling *r, const struct span window)
{
	struct total left, right;

	if (r->percent) {
		left = edge_move_on_line(&r->left, &r->samples, window.begin);
		right = edge_move_on_line(&r->right, &r->samples, window.end);
	} else {
		edges_restart(r, window.begin);
		left = edge_move(&r->left, window.begin);
		right = edge_move(&r->right, window.end);
	}
	return (struct total){ right.sum - left.sum, right.known - left.known };
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
	const struct total inside = added_up(r, window);

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

static bool goes_on(struct cursor *c, const size_t i, const fixed value)
{
	return cursor_value(c, i) == value && (value == FIXED_MISSING || cursor_until(c, i - 1) == cursor_time(c, i));
}

/* Index of the first sample behind i before which there is a hole or that has another value. */
static size_t same_until(struct cursor *c, size_t i, const size_t end)
{
	const fixed value = cursor_value(c, i);

	for (i++; i < end && goes_on(c, i, value); i++)
		;
	return i;
}

/* The first sample of the stretch that holds at r->safe; i where that is not behind it. Nothing is looked at on the way. */
static size_t skip_safe(struct rolling *r, size_t i, const size_t end)
{
	const size_t from = i;

	if (i + 1 >= end || cursor_time(&r->walk, i + 1) > r->safe)
		return i;
	i = samples_until(r->t, i, end, r->safe);
	while (i > from && goes_on(&r->walk, i, cursor_value(&r->walk, i - 1)))
		i--;
	return i;
}

/* Until when the last sample before i that is known holds. */
static time_ms known_before(struct rolling *r, size_t i)
{
	while (i > 0 && cursor_value(&r->walk, i - 1) == FIXED_MISSING)
		i--;
	return later(i > 0 ? cursor_until(&r->walk, i - 1) : r->hull.begin, r->hull.begin);
}

/* Stretches of one value; what is not known, cell or hole, is one stretch with what is not known beside it. */
static void compare_pieces(struct rolling *r)
{
	struct cursor *const c = &r->walk;
	const size_t end = track_seek(r->t, r->hull.end);
	time_ms done = r->hull.begin;

	for (size_t i = sample_before(r->t, r->hull.begin); i < end;) {
		const size_t first = skip_safe(r, i, end), next = same_until(c, first, end);
		const time_ms begin = later(cursor_time(c, first), r->hull.begin), until = sooner(cursor_until(c, next - 1), r->hull.end);

		if (first > i)
			done = known_before(r, first);
		i = next;
		if (cursor_value(c, first) == FIXED_MISSING || until <= begin)
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
	const struct signal means = signal_rolling_samples(mem, signal_from_track(mem, t, hull), width);
	struct piece *scaled = NEW_ARRAY(mem, struct piece, means.n);

	for (size_t i = 0; i < means.n; i++)
		scaled[i] = (struct piece){ means.at[i].begin, means.at[i].value * factor };
	const struct signal mean = { scaled, means.n, means.end };
	return truths_compare(mem, signal_set_in(mem, mean, signal_span(&limit)), how, limit);
}

static struct rolling rolling_new(const struct track *t, const struct span hull, const time_ms width, const struct signal *limit)
{
	const struct span all = signal_span(limit);

	return (struct rolling){
		.t = t,
		.hull = { later(hull.begin, all.begin), sooner(hull.end, all.end) },
		.before = width / 2,
		.after = width - width / 2,
		.quarter = width >= 4 ? width / 4 : 1,
		.limit = limit,
	};
}

/* With the samples compared. */
static struct truths roll(struct arena *mem, struct rolling *r, const struct truths samples)
{
	const struct span all = signal_span(r->limit);

	cursor_start(&r->walk, r->t);
	cursor_start(&r->left.samples, r->t);
	cursor_start(&r->right.samples, r->t);
	r->samples = samples;
	r->safe = r->hull.begin;
	use_limit(r, piece_at(r->limit, r->hull.begin));
	if (all.begin < r->hull.begin)
		growing_add(&r->line, all.begin, UNKNOWN);
	compare_pieces(r);
	if (r->hull.end < all.end)
		growing_add(&r->line, r->hull.end, UNKNOWN);
	return growing_line(mem, &r->line, all.end);
}

static bool is_nowhere(const struct rolling *r)
{
	return r->t->n == 0 || r->t->step <= 0 || span_length(r->hull) <= 0;
}

/* A track and what windows see of it. */
struct view {
	const struct track *all;
	struct track seen;   /* in the parts alone, if they are not the whole hull */
	struct spans parts;
	bool is_parted;
};

static struct view view_of(struct arena *scratch, const struct track *t, const struct spans parts, const struct span hull)
{
	const bool is_parted = parts.n != 1 || parts.at[0].begin > hull.begin || parts.at[0].end < hull.end;

	return (struct view){ t, is_parted ? track_parted(scratch, t, parts) : *t, parts, is_parted };
}

static enum truth known_inside(const enum truth truth, const enum truth is_inside)
{
	return is_inside == YES ? truth : UNKNOWN;
}

/* The values themselves, from the track as a whole: of that chunks are known. */
static struct truths view_compared(struct arena *scratch, const struct view *v, const double factor, const enum comparison how,
	const struct signal limit)
{
	const struct truths line = truths_compare_limit(scratch, v->all, factor, how, limit);

	if (!v->is_parted)
		return line;
	return truths_zip(scratch, line, truths_from_spans(scratch, v->parts, signal_span(&limit)), known_inside);
}

struct truths truths_compare_mean(struct arena *mem, const struct track *t, const struct spans parts, const struct span hull,
	const double factor, const time_ms width, const enum comparison how, const struct signal limit)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct view view = view_of(&scratch, t, parts, hull);
	struct rolling r = rolling_new(&view.seen, hull, width, &limit);
	struct truths line;
	r.how = how;
	r.factor = factor;
	if (is_nowhere(&r))
		line = truths_constant(mem, UNKNOWN, signal_span(&limit));
	else if (factor <= 0 || width <= 0 || !has_range(&r, width))
		line = mean_by_signals(mem, &view.seen, r.hull, factor, width, how, limit);
	else
		line = roll(mem, &r, view_compared(&scratch, &view, factor, how, limit));
	arena_release(&scratch);
	return line;
}

bool can_compare_percentiles(const enum comparison how)
{
	return how != EQUAL && how != NOT_EQUAL;
}

struct truths truths_compare_percentile(struct arena *mem, const struct track *t, const struct spans parts, const struct span hull,
	const double factor, const time_ms width, const int percent, const enum comparison how, const struct signal limit)
{
	const bool is_below = how == LESS || how == LESS_EQUAL, or_equal = how == LESS_EQUAL || how == GREATER;
	struct arena scratch;

	arena_init(&scratch);
	const struct view view = view_of(&scratch, t, parts, hull);
	struct rolling r = rolling_new(&view.seen, hull, width, &limit);
	struct truths line;
	r.percent = percent;
	r.how = GREATER_EQUAL;
	r.high = 100;
	if (is_nowhere(&r)) {
		line = truths_constant(mem, UNKNOWN, signal_span(&limit));
	} else {
		line = roll(is_below ? mem : &scratch, &r, view_compared(&scratch, &view, factor, or_equal ? LESS_EQUAL : LESS, limit));
		line = is_below ? line : truths_not(mem, line);
	}
	arena_release(&scratch);
	return line;
}
