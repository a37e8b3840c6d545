/*
 * sketch_windows.c - what a fold over a window that moves can be in each block.
 *
 *     judged     [==================)      [======================)      a dip parts the judged time
 *     blocks     |     |     |     |     |     |     |     |     |
 *     window              [--- t ---)                                    lies in the blocks that it reaches into
 *     window                    [--- t ---)                              known: half of it and more is judged
 *
 * A window reaches by half of its width to each side. It is looked at every quarter of its width and where its input changes, and holds
 * until the next look, so that what a moment shows may be that of a quarter before.
 */
#include "rule/sketch_parts.h"

#include "series/chunk.h"
#include "series/cursor.h"

/* ------ sums of few samples ------ */

/* So few that a window of twenty has whole ones of them. */
enum { FEW = 8 };

/* Of a track in judged time: what samples add up to from its begin to each few of them, and to the end of the last. */
struct sums {
	const time_ms *begin;
	const int64_t *before; /* values x ms */
	const time_ms *known;  /* ms */
	size_t n;              /* few; one more of each than that */
};

static bool is_small_enough(const struct track *t)
{
	fixed most = 0;

	for (size_t i = 0; i < t->n;) {
		const struct chunk *const chunk = chunk_from(t, i, t->n);
		const fixed low = chunk ? chunk->low : track_value(t, i), high = chunk ? chunk->high : low;
		most = low != FIXED_MISSING && low <= high && -low > most ? -low : most;
		most = high > most ? high : most;
		i += chunk ? CHUNK : 1;
	}
	return most < INT64_MAX / 4 / (1 + span_length(track_span(t)));
}

/* How much of a span is judged; `next` goes on with the spans. */
static time_ms judged_of(const struct spans *judged, size_t *next, struct span when)
{
	time_ms sum = 0;

	while (*next < judged->n && judged->at[*next].end <= when.begin)
		++*next;
	for (size_t i = *next; i < judged->n && judged->at[i].begin < when.end; i++) {
		const struct span j = judged->at[i];
		sum += sooner(j.end, when.end) - later(j.begin, when.begin);
	}
	return sum;
}

/* n 0: the sums might be too large. */
static struct sums sums_of(struct arena *mem, const struct track *t, const struct spans *judged)
{
	const size_t n = is_small_enough(t) ? (t->n + FEW - 1) / FEW : 0;
	time_ms *const begin = NEW_RAW_ARRAY(mem, time_ms, n + 1), *const known = NEW_RAW_ARRAY(mem, time_ms, n + 1);
	int64_t *const before = NEW_RAW_ARRAY(mem, int64_t, n + 1);
	struct cursor c;
	size_t next = 0;

	cursor_start(&c, t);
	before[0] = known[0] = 0;
	for (size_t k = 0; k < n; k++) {
		const size_t end = (k + 1) * FEW < t->n ? (k + 1) * FEW : t->n;
		begin[k] = cursor_time(&c, k * FEW);
		before[k + 1] = before[k];
		known[k + 1] = known[k];
		for (size_t i = k * FEW; i < end; i++) {
			const fixed value = cursor_value(&c, i);
			const struct span when = { cursor_time(&c, i), cursor_until(&c, i) };
			const time_ms held = value == FIXED_MISSING ? 0 : judged_of(judged, &next, when);
			before[k + 1] += held ? value * held : 0;
			known[k + 1] += held;
		}
	}
	if (n)
		begin[n] = track_span(t).end;
	return (struct sums){ begin, before, known, n };
}

/* ------ windows ------ */

struct windows {
	const struct spans *judged;
	struct span hull;
	time_ms width, before, after, quarter;
	size_t at, earlier; /* of judged, go on with the blocks; `earlier` a width before */
};

/* A judged part of a block, and the stretch of judged time that it is of. */
struct shown {
	struct span part, of;
};

static struct shown shown_of(struct span block, struct span of)
{
	return (struct shown){ { later(of.begin, block.begin), sooner(of.end, block.end) }, of };
}

/* When windows are looked at that the part shows: at its moments, or up to a quarter before, but not before the stretch begins. */
static struct span looks_of(const struct windows *w, const struct shown *s)
{
	return (struct span){ later(s->part.begin - w->quarter, s->of.begin), s->part.end };
}

/* Is half of each window known because it is of the same stretch? */
static bool is_half_known(const struct windows *w, const struct shown *s)
{
	const struct span looks = looks_of(w, s);
	const time_ms left = sooner(looks.begin - s->of.begin, w->before), right = sooner(s->of.end - (looks.end - 1), w->after);

	return 2 * (left + right) >= w->width;
}

/* ------ of the blocks that windows reach into ------ */

/* The range of any stretch of blocks in two looks: of 1, 2, 4, ... blocks from each one on, as far as windows need. */
struct stretches {
	size_t width;              /* a power of two */
	const struct extent *from; /* of `width` blocks from each one on */
	const struct extent *one;  /* of each */
};

/* Blocks in which nothing is judged say nothing. */
static struct stretches stretches_new(struct arena *mem, const struct blocks *b, const struct sketch *of, const struct spans *judged,
	size_t least)
{
	const size_t n = b->n;
	struct extent *const one = NEW_RAW_ARRAY(mem, struct extent, n), *const from = NEW_RAW_ARRAY(mem, struct extent, n);
	size_t width = 1;

	for (size_t i = 0, next = 0; i < n; i++) {
		const struct span block = block_span(b, i);
		while (next < judged->n && judged->at[next].end <= block.begin)
			next++;
		const bool is_judged = next < judged->n && judged->at[next].begin < block.end;
		one[i] = from[i] = is_judged ? sketch_range(of, i) : (struct extent){ INFINITY, -INFINITY };
	}
	for (; 2 * width <= least && 2 * width <= n; width *= 2)
		for (size_t i = 0; i + width < n; i++)
			from[i] = joined_range(from[i], from[i + width]);
	return (struct stretches){ width, from, one };
}

static struct extent range_of_stretch(const struct stretches *s, size_t first, size_t last)
{
	struct extent r = s->one[first];

	if (last + 1 < first + s->width) {
		for (size_t i = first + 1; i <= last; i++)
			r = joined_range(r, s->one[i]);
		return r;
	}
	for (size_t i = first; i + s->width <= last + 1; i += s->width)
		r = joined_range(r, s->from[i]);
	return joined_range(r, s->from[last + 1 - s->width]);
}

/* Of all that is seen from the part, `more` to each side. */
static struct extent range_seen(const struct windows *w, const struct blocks *b, const struct stretches *s, const struct shown *shown,
	time_ms more)
{
	const struct span looks = looks_of(w, shown);
	const time_ms begin = looks.begin - w->before - more, end = looks.end + w->after + more;
	const size_t first = block_at(b, later(begin, w->hull.begin)), last = block_at(b, sooner(end, w->hull.end) - 1);

	return range_of_stretch(s, first, last);
}

/* What was that long before: known where all of it was judged. */
static struct extent range_earlier(struct windows *w, const struct blocks *b, const struct stretches *s, const struct shown *shown)
{
	const struct span then = { shown->part.begin - w->width, shown->part.end - w->width };

	if (judged_of(w->judged, &w->earlier, then) < span_length(then))
		return anything;
	return range_of_stretch(s, block_at(b, then.begin), block_at(b, then.end - 1));
}

/* ------ means, closer ------ */

/*
 * The mean of a window is that of the few samples wholly inside of it, but for what is beside them, which lies in the range of all.
 *
 *     window       [------------------------------)
 *     few      |.......|.......|.......|.......|.......|
 *              at      |------ inside -|       end
 */
struct means {
	struct sums sums;
	double factor; /* to the first unit of the dimension */
	time_ms width, few;
	struct span hull;
	size_t at, end; /* few: in which a window begins, and the first that does not end inside */
};

/* Those before the first have no samples. */
static time_ms few_begin(const struct means *m, int64_t few)
{
	return few < 0 ? m->sums.begin[0] + few * m->few : m->sums.begin[few];
}

/* In which one a window begins; the next one begins no sooner. */
static int64_t few_at(struct means *m, time_ms when)
{
	const struct sums *const s = &m->sums;

	if (when < s->begin[0])
		return -((s->begin[0] - when + m->few - 1) / m->few);
	while (m->at + 1 < s->n && s->begin[m->at + 1] <= when)
		m->at++;
	return (int64_t)m->at;
}

static double mean_with(double sum, double known, double of_others, double beside)
{
	return (sum + of_others * beside) / (known + beside);
}

/* Of all windows that begin in few `at`, cut to the judged time; anything where half of one may not be known. */
static struct extent mean_at(struct means *m, int64_t at, struct extent all)
{
	const struct sums *const s = &m->sums;
	const time_ms first = few_begin(m, at), next = few_begin(m, at + 1);
	const size_t inside = at < 0 ? 0 : (size_t)at + 1;

	while (m->end < s->n && s->begin[m->end + 1] <= first + m->width)
		m->end++;
	if (m->end <= inside)
		return anything;
	const time_ms longest = sooner(next + m->width, m->hull.end) - later(first, m->hull.begin);
	const time_ms beside = longest - (sooner(s->begin[m->end], m->hull.end) - later(s->begin[inside], m->hull.begin));
	const time_ms known = s->known[m->end] - s->known[inside];
	const double sum = m->factor * (double)(s->before[m->end] - s->before[inside]), mean = sum / (double)known;
	if (!known || 2 * known < sooner(m->width, longest))
		return anything;
	return (struct extent){ mean_with(sum, (double)known, fmin(mean, all.low), (double)beside),
		mean_with(sum, (double)known, fmax(mean, all.high), (double)beside) };
}

/* `all` is the range of all samples that are seen; `before` what is known without looking closer. */
static struct extent means_seen(struct means *m, const struct windows *w, const struct shown *shown, struct extent all,
	struct extent before)
{
	const struct span looks = looks_of(w, shown), begins = { looks.begin - w->before, looks.end - w->before };
	const int64_t first = few_at(m, begins.begin);
	struct extent r = { INFINITY, -INFINITY };

	if (is_anything(all))
		return before;
	m->end = m->end > m->at ? m->end : m->at;
	struct means ahead = *m;
	for (int64_t i = first; i < (int64_t)m->sums.n && few_begin(m, i) < begins.end && !is_anything(r); i++) {
		r = joined_range(r, mean_at(&ahead, i, all));
		m->end = i == first ? ahead.end : m->end;
	}
	if (r.low > r.high || is_anything(r))
		return before;
	return (struct extent){ fmax(r.low, all.low), fmin(r.high, all.high) };
}

/* ------ any fold ------ */

/* What a fold of a window can be, whose values lie in a range. */
static struct extent folded_range(const struct term *t, struct extent r)
{
	const double wide = r.high - r.low;

	if (is_anything(r))
		return anything;
	switch (t->fold) {
	case FOLD_SPREAD:
	case FOLD_STDDEV:
		return (struct extent){ 0, wide };
	case FOLD_CHANGES:
		return (struct extent){ 0, wide > 0 ? INFINITY : 0 };
	case FOLD_RATE:
	case FOLD_DELTA: /* a counter that stays grows by nothing; how fast it grows when it does is looked at */
		return wide > 0 ? anything : (struct extent){ 0, 0 };
	default:
		return r;
	}
}

static struct extent percents_of(uint8_t can)
{
	if (can & CAN_UNKNOWN)
		return anything;
	return (struct extent){ can & CAN_NO ? 0 : 100, can & CAN_YES ? 100 : 0 };
}

static bool is_growth(const struct term *t)
{
	return t->fold == FOLD_RATE || t->fold == FOLD_DELTA;
}

/* By how much a counter grows from its last sample on is not known, though it holds for a step. */
static void forget_last_sample(struct sketches *k, const struct term *counter, struct extent *at)
{
	const struct track *const track = vantage_track(&k->store->vantage, counter->metric);
	const struct blocks *const b = k->blocks;
	const time_ms last = track->n ? track_time(track, track->n - 1) : b->all.begin;

	for (size_t i = last > b->all.begin ? block_at(b, last) : 0; i < b->n; i++)
		at[i] = anything;
}

/* What the window looks at, as a number. */
static struct sketch looked_at(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;

	if (!t->left->is_condition && (!is_growth(t) || !s.stride))
		return s;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);
	for (size_t i = 0; i < n; i++)
		at[i] = t->left->is_condition ? percents_of(s.can[i]) : s.ranges[i];
	if (is_growth(t))
		forget_last_sample(k, t->left, at);
	s.ranges = at;
	s.can = NULL;
	return s;
}

/* Is there anything to be said of it? */
static bool has_rule(const struct term *t)
{
	if (t->left->is_condition)
		return t->fold == FOLD_SHARE;
	return t->fold != FOLD_SLOPE && t->fold != FOLD_TOTAL && (t->width || !is_growth(t));
}

static bool is_rounded(const struct term *t)
{
	return t->fold == FOLD_MEAN || t->fold == FOLD_STDDEV || t->fold == FOLD_SPREAD || t->fold == FOLD_SHARE;
}

static struct means means_of(struct sketches *k, struct arena *mem, const struct term *t, const struct windows *w)
{
	const bool is_of_track = t->fold == FOLD_MEAN && t->left->kind == NODE_METRIC;
	const struct track *const track = is_of_track ? vantage_track(&k->store->vantage, t->left->metric) : NULL;
	struct means m = { .width = w->width, .hull = w->hull };

	if (!track || track->step <= 0)
		return m;
	m.few = FEW * track->step;
	m.sums = sums_of(mem, track, w->judged);
	m.factor = unit_table[metric_table[track->metric].unit].factor / FIXED_ONE;
	return m;
}

static struct windows windows_of(struct sketches *k, const struct term *t)
{
	const struct judged_time *const time = &k->store->plan->times[t->time];
	const time_ms width = width_of(k->store, t);

	return (struct windows){
		.judged = &time->spans,
		.hull = time->hull,
		.width = width,
		.before = width / 2,
		.after = width - width / 2,
		.quarter = width >= 4 ? width / 4 : 1,
	};
}

/* What it takes to sketch windows, block by block. */
struct rolling {
	const struct term *term;
	const struct blocks *blocks;
	struct windows windows;
	struct stretches stretches;
	struct means means;
};

/* In one judged part of a block. */
static struct extent range_rolled(struct rolling *r, const struct shown *shown)
{
	const time_ms more = is_growth(r->term) ? r->blocks->width : 0; /* it grew since the sample before */
	struct extent found = anything;

	if (r->term->fold == FOLD_EARLIER)
		return range_earlier(&r->windows, r->blocks, &r->stretches, shown);
	const struct extent seen = range_seen(&r->windows, r->blocks, &r->stretches, shown, more);
	if (is_half_known(&r->windows, shown))
		found = folded_range(r->term, seen);
	return r->means.sums.n ? means_seen(&r->means, &r->windows, shown, seen, found) : found;
}

/* In all of them: a short dip leaves two. */
static struct extent range_of_block(struct rolling *r, struct span block)
{
	const struct spans *const judged = r->windows.judged;
	struct extent found = { INFINITY, -INFINITY };
	size_t i = r->windows.at;

	while (i < judged->n && judged->at[i].end <= block.begin)
		i++;
	r->windows.at = i;
	for (; i < judged->n && judged->at[i].begin < block.end; i++) {
		const struct shown shown = shown_of(block, judged->at[i]);
		found = joined_range(found, range_rolled(r, &shown));
	}
	return found.low > found.high ? anything : found;
}

static struct sketch sketch_windows(struct sketches *k, const struct term *t, const struct sketch *of)
{
	const struct blocks *const b = k->blocks;
	struct rolling r = { .term = t, .blocks = b, .windows = windows_of(k, t) };
	struct arena scratch;
	arena_init(&scratch);
	r.means = means_of(k, &scratch, t, &r.windows);
	r.stretches = stretches_new(&scratch, b, of, r.windows.judged, (size_t)(r.windows.width / b->width) + 1);
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, b->n);

	for (size_t i = 0; i < b->n; i++)
		at[i] = range_of_block(&r, block_span(b, i));
	arena_release(&scratch);
	return (struct sketch){
		.ranges = at,
		.stride = 1,
		.is_rough = of->is_rough || is_rounded(t),
	};
}

struct sketch sketch_rolling(struct sketches *k, const struct term *t)
{
	if (k->has_no_windows && t->width)
		return not_told(k->mem, t);
	const struct sketch of = looked_at(k, t);
	if (of.is_never)
		return never_known(k->mem, t);
	if (!has_rule(t))
		return not_told(k->mem, t);
	return t->width ? sketch_windows(k, t, &of) : of;
}
