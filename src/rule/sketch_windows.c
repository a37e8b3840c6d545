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

/* ------ windows ------ */

/* From one moment to a later one: mostly it is in the same block or in the next one, which takes no division. */
struct step {
	size_t block;
	time_ms end; /* of the block; 0 before the first step */
};

static size_t step_to(struct step *s, const struct blocks *b, time_ms when)
{
	if (s->end && when < s->end)
		return s->block;
	s->block = s->end && when < s->end + b->width ? s->block + 1 : block_at(b, when);
	s->end = b->all.begin + (time_ms)(s->block + 1) * b->width;
	return s->block;
}

struct windows {
	const struct spans *judged;
	struct span hull;
	time_ms width, before, after, quarter;
	size_t at, earlier, all_see; /* of judged, go on with the blocks; `earlier` a width before */
	struct step first, last;     /* to the blocks that are seen */
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

/* How much of each window is judged, for sure: what is of the same stretch, or what all of them see. */
static time_ms judged_least(struct windows *w, const struct shown *s)
{
	const struct span looks = looks_of(w, s), all_see = { looks.end - 1 - w->before, looks.begin + w->after };
	const time_ms same = sooner(looks.begin - s->of.begin, w->before) + sooner(s->of.end - (looks.end - 1), w->after);

	return all_see.begin < all_see.end ? later(same, judged_of(w->judged, &w->all_see, all_see)) : same;
}

/* How long a window is at most, cut to the time from the first to the last judged moment. */
static time_ms longest_window(const struct windows *w, const struct shown *s)
{
	const struct span looks = looks_of(w, s);

	return sooner(w->width, sooner(looks.end - 1 + w->after, w->hull.end) - later(looks.begin - w->before, w->hull.begin));
}

/* ------ of the blocks that windows reach into ------ */

/* The range of any stretch of blocks in two looks: of 1, 2, 4, ... blocks from each one on, as far as windows need. */
struct stretches {
	size_t width;                     /* a power of two */
	const struct narrow_extent *from; /* of `width` blocks from each one on */
	const struct narrow_extent *one;  /* of each */
};

static inline struct narrow_extent joined_narrow(struct narrow_extent a, struct narrow_extent b)
{
	return (struct narrow_extent){ b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high };
}

/* Blocks in which nothing is judged say nothing. */
static const struct narrow_extent *judged_ranges(struct arena *mem, const struct blocks *b, const struct sketch *of,
	const struct spans *judged, const struct some_blocks *seen)
{
	struct narrow_extent *const one = NEW_RAW_ARRAY(mem, struct narrow_extent, b->n);
	size_t next = 0;

	for (size_t s = 0; s < seen->n; s++)
		for (size_t i = seen->at[s].first; i < seen->at[s].end; i++)
			one[i] = extent_narrowed(judged_of(judged, &next, block_span(b, i)) ? sketch_range(of, i) : nothing);
	return one;
}

/* Of few blocks, `least` 0, it is not made ready. */
static struct stretches stretches_new(struct arena *mem, const struct narrow_extent *one, size_t n, size_t least)
{
	if (!least)
		return (struct stretches){ n + 1, one, one };
	struct narrow_extent *const from = NEW_RAW_ARRAY(mem, struct narrow_extent, n);
	size_t width = 1;

	memcpy(from, one, n * sizeof *one);
	for (; 2 * width <= least && 2 * width <= n; width *= 2)
		for (size_t i = 0; i + width < n; i++)
			from[i] = joined_narrow(from[i], from[i + width]);
	return (struct stretches){ width, from, one };
}

/* The blocks [first, end) that can be seen from the part, `more` to each side. */
struct sight {
	size_t first, end;
};

static struct sight sight_of(struct windows *w, const struct blocks *b, const struct shown *shown, time_ms more)
{
	const struct span looks = looks_of(w, shown);
	const time_ms begin = later(looks.begin - w->before - more, w->hull.begin);
	const time_ms end = sooner(looks.end + w->after + more, w->hull.end);

	return (struct sight){ step_to(&w->first, b, begin), step_to(&w->last, b, end - 1) + 1 };
}

static struct extent range_of_stretch(const struct stretches *s, struct sight of)
{
	struct narrow_extent r = s->one[of.first];

	if (of.end < of.first + s->width) {
		for (size_t i = of.first + 1; i < of.end; i++)
			r = joined_narrow(r, s->one[i]);
		return extent_widened(r);
	}
	for (size_t i = of.first; i + s->width <= of.end; i += s->width)
		r = joined_narrow(r, s->from[i]);
	return extent_widened(joined_narrow(r, s->from[of.end - s->width]));
}

/* ------ means, closer ------ */

enum { KEPT_FEW = 256 }; /* more than blocks beside each other are shown of; else some are worked out again */

/*
 * The mean of a window is that of the few samples wholly inside of it, but for what is beside them, which lies in the range of all.
 *
 *     window       [------------------------------)
 *     few      |.......|.......|.......|.......|.......|
 *              at      |------ inside -|       end
 */
struct means {
	const struct sums *sums; /* NULL: none */
	double factor; /* to the first unit of the dimension */
	time_ms width, few;
	size_t together; /* so many few windows begin in are looked at as one */
	struct span hull;
	size_t part;    /* of the sums, in which windows begin and end */
	size_t at, end; /* few: in which a window begins, and the first that does not end inside */
	struct extent *kept; /* of windows that begin in few [from, until): blocks beside each other are shown many of the same */
	size_t from, until;  /* no more than KEPT_FEW, each at its number modulo that */
};

/* Those before the first have no samples. */
static time_ms few_begin(const struct means *m, int64_t few)
{
	return few < 0 ? m->sums->begin[0] + few * m->few : m->sums->begin[few];
}

/* In which one a window begins; the next one begins no sooner. */
static int64_t few_at(struct means *m, time_ms when)
{
	const struct sums *const s = m->sums;

	if (when < s->begin[0])
		return -((s->begin[0] - when + m->few - 1) / m->few);
	while (m->part + 1 < s->parts.n && s->begin[s->parts.at[m->part + 1].first] <= when)
		m->at = s->parts.at[++m->part].first;
	while (m->at + 1 < s->parts.at[m->part].end && s->begin[m->at + 1] <= when)
		m->at++;
	return (int64_t)m->at;
}

/* What lies below the range of all samples but odd ones, or above it, and for how long at most. */
struct beyond {
	struct extent inner;
	time_ms below, above;
};

/*
 * The lowest mean where up to `beside` more may be known, up to `odd` of it as low as `outer`, the rest as low as `inner`, no lower; `mean`
 * is that of what is known.
 */
static double lowest_mean(double mean, double sum, double known, double beside, double odd, double outer, double inner)
{
	const double at_outer = odd < beside ? odd : beside;

	if (outer >= mean)
		return mean;
	const double with_odd = at_outer > 0 ? (sum + outer * at_outer) / (known + at_outer) : mean;
	return inner >= with_odd ? with_odd : (sum + outer * at_outer + inner * (beside - at_outer)) / (known + beside);
}

static double highest_mean(double mean, double sum, double known, double beside, double odd, double outer, double inner)
{
	return -lowest_mean(-mean, -sum, known, beside, odd, -outer, -inner);
}

/* Of all windows that begin in n few from `at` on, cut to the judged time; anything where half of one may not be known. */
static struct extent mean_at(struct means *m, int64_t at, size_t n, struct extent all, const struct beyond *b)
{
	const struct sums *const s = m->sums;
	const time_ms first = few_begin(m, at), next = few_begin(m, at + (int64_t)n);
	const size_t inside = at < 0 ? 0 : (size_t)at + n;

	while (m->end < s->parts.at[m->part].end && s->begin[m->end + 1] <= first + m->width)
		m->end++;
	if (m->end <= inside)
		return anything;
	const time_ms longest = sooner(next + m->width, m->hull.end) - later(first, m->hull.begin);
	const time_ms beside =
		sooner(m->width, longest) - (sooner(s->begin[m->end], m->hull.end) - later(s->begin[inside], m->hull.begin));
	const time_ms known = s->known[m->end] - s->known[inside];
	const double sum = m->factor * (double)(s->before[m->end] - s->before[inside]);
	if (!known || 2 * known < sooner(m->width, longest))
		return anything;
	const double mean = sum / (double)known;
	return (struct extent){ lowest_mean(mean, sum, (double)known, (double)beside, (double)b->below, all.low, b->inner.low),
		highest_mean(mean, sum, (double)known, (double)beside, (double)b->above, all.high, b->inner.high) };
}

/* The same, of few up to `end`, none of them before the first sample, in order. Kept where all windows that begin there are shown. */
static struct extent mean_kept(
	struct means *m, size_t at, size_t end, time_ms shown_until, struct extent all, const struct beyond *b)
{
	if (m->from <= at && at < m->until)
		return m->kept[at % KEPT_FEW];
	const struct extent mean = mean_at(m, (int64_t)at, end - at, all, b);
	if (m->sums->begin[end] > shown_until)
		return mean;
	m->from = at == m->until ? m->from : at;
	m->until = end;
	if (m->until - m->from > KEPT_FEW)
		m->from = m->until - KEPT_FEW;
	return m->kept[at % KEPT_FEW] = mean;
}

/* The first of those few that are looked at as one. */
static size_t aligned(const struct means *m, struct stretch part, size_t few)
{
	return few - (few - part.first) % m->together;
}

/* `all` is the range of all samples that are seen, and `b` of its ends; `before` what is known without looking closer. */
static struct extent means_seen(struct means *m, const struct windows *w, const struct shown *shown, struct extent all,
	const struct beyond *b, struct extent before)
{
	const struct span looks = looks_of(w, shown), begins = { looks.begin - w->before, looks.end - w->before };
	const int64_t first = few_at(m, begins.begin);
	struct extent r = { INFINITY, -INFINITY };

	if (is_anything(all))
		return before;
	m->end = m->end > m->at ? m->end : m->at;
	struct means ahead = *m;
	const struct stretch part = m->sums->parts.at[m->part];
	for (int64_t i = first; first < 0 && i < (int64_t)part.end && few_begin(m, i) < begins.end && !is_anything(r); i++) {
		r = joined_range(r, mean_at(&ahead, i, 1, all, b));
		m->end = i == first ? ahead.end : m->end;
	}
	for (size_t i = first < 0 ? part.end : aligned(m, part, (size_t)first), end; i < part.end && !is_anything(r); i = end) {
		if (m->sums->begin[i] >= begins.end)
			break;
		end = i + m->together < part.end ? i + m->together : part.end;
		r = joined_range(r, mean_kept(m, i, end, begins.end, all, b));
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

/* What the window looks at, as a number, in the blocks that are seen; of a metric the samples tell. */
static struct sketch looked_at(struct sketches *k, const struct term *t, const struct some_blocks *seen)
{
	struct sketch s = *sketch_in(k, t->left, seen);

	if (!t->left->is_condition && (!is_growth(t) || !s.stride))
		return s;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, s.stride ? k->blocks->n : 1);
	const struct some_blocks only = s.stride ? *seen : places(k, 0);
	for (size_t j = 0; j < only.n; j++)
		for (size_t i = only.at[j].first; i < only.at[j].end; i++)
			at[i] = t->left->is_condition ? percents_of(s.can[i]) : sketch_range(&s, i);
	if (is_growth(t))
		forget_last_sample(k, t->left, at);
	s.ranges = at;
	s.can = NULL;
	s.told = seen == k->all ? NULL : seen;
	return s;
}

/* The blocks that windows of a term see which are wanted; one more to each side than they need, as growth does. */
static const struct some_blocks *seen_from(const struct sketches *k, const struct term *t)
{
	const struct blocks *const b = k->blocks;
	const time_ms width = width_of(k->store, t), reach = t->fold == FOLD_EARLIER ? width : width / 2 + width / 4 + 2;
	const size_t more = (size_t)(reach / b->width) + 2;
	struct some_blocks *const seen = NEW(k->mem, struct some_blocks);
	struct stretch *const at = NEW_RAW_ARRAY(k->mem, struct stretch, k->wanted->n);

	if (k->wanted == k->all)
		return k->all;
	for (size_t i = 0; i < k->wanted->n; i++) {
		const struct stretch w = k->wanted->at[i];
		stretch_add(at, &seen->n,
			(struct stretch){ w.first > more ? w.first - more : 0, w.end + more < b->n ? w.end + more : b->n });
	}
	seen->at = at;
	return seen;
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

/* Of so many few to a window those that it cuts at its ends matter little, whatever their samples are. */
#define MANY_FEW 64

static struct means means_of(struct arena *scratch, struct sketches *k, const struct term *t, const struct track *track,
	const struct windows *w, const struct some_blocks *seen)
{
	struct means m = { .width = w->width, .hull = w->hull, .together = 1 };

	if (!track || t->fold != FOLD_MEAN || track->step <= 0)
		return m;
	const struct sums *const sums = track_sums(k->store, scratch, track, t->time, seen);
	m.few = FEW * track->step;
	m.together = w->width < MANY_FEW * m.few ? 1 : (size_t)(w->width / m.few) / (MANY_FEW / 2);
	m.sums = sums->parts.n ? sums : NULL;
	m.at = sums->parts.n ? sums->parts.at[0].first : 0;
	m.kept = NEW_RAW_ARRAY(scratch, struct extent, KEPT_FEW);
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
	const struct judged_track *track; /* of which the windows are; NULL: of something else */
	struct stretches all, inner;      /* inner: of percentiles and means of a track */
	struct means means;
};

static time_ms blank_in(const struct rolling *r, struct sight of)
{
	return r->track ? r->track->blank[of.end] - r->track->blank[of.first] : 0;
}

/* What was that long before: known where all of it was judged, and known. */
static struct extent range_earlier(struct rolling *r, const struct shown *shown)
{
	struct windows *const w = &r->windows;
	const struct span then = { shown->part.begin - w->width, shown->part.end - w->width };

	if (judged_of(w->judged, &w->earlier, then) < span_length(then))
		return anything;
	const struct sight of = { block_at(r->blocks, then.begin), block_at(r->blocks, then.end - 1) + 1 };
	return blank_in(r, of) ? anything : range_of_stretch(&r->all, of);
}

static struct beyond beyond_of(const struct rolling *r, struct sight of)
{
	const struct judged_track *const t = r->track;
	struct beyond b = { .inner = range_of_stretch(&r->inner, of) };

	for (size_t i = of.first; i < of.end; i++) {
		const time_ms odd = t->odd[i + 1] - t->odd[i] + (i == of.first ? t->carried[i] : 0);
		b.below += (double)t->all[i].low < b.inner.low ? odd : 0;
		b.above += (double)t->all[i].high > b.inner.high ? odd : 0;
	}
	return b;
}

/* A percentile of windows of which so much is known: are odd samples too few to be it? */
static struct extent range_of_percentile(int percent, const struct beyond *b, struct extent all, time_ms known)
{
	return (struct extent){ 100 * b->below < percent * known ? b->inner.low : all.low,
		100 * b->above < (100 - percent) * known ? b->inner.high : all.high };
}

/* In one judged part of a block. */
static struct extent range_rolled(struct rolling *r, const struct shown *shown)
{
	const time_ms more = is_growth(r->term) ? r->blocks->width : 0; /* it grew since the sample before */
	struct extent found = anything;

	if (r->term->fold == FOLD_EARLIER)
		return range_earlier(r, shown);
	const struct sight of = sight_of(&r->windows, r->blocks, shown, more);
	const struct extent seen = range_of_stretch(&r->all, of);
	const time_ms known = judged_least(&r->windows, shown) - blank_in(r, of);
	if (seen.low > seen.high)
		return anything;
	const int percent = fold_percent(r->term->fold);
	const struct beyond b = r->inner.one ? beyond_of(r, of) : (struct beyond){ seen, 0, 0 };
	if (2 * known >= longest_window(&r->windows, shown))
		found = folded_range(r->term, percent > 0 ? range_of_percentile(percent, &b, seen, known) : seen);
	return r->means.sums ? means_seen(&r->means, &r->windows, shown, seen, &b, found) : found;
}

/* In all of them: a short dip leaves two. */
static struct extent range_of_block(struct rolling *r, struct span block)
{
	const struct spans *const judged = r->windows.judged;
	struct extent found = nothing;
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

/* `of`: what they look at; NULL of a track. */
static struct sketch sketch_windows(
	struct sketches *k, const struct term *t, const struct sketch *of, const struct track *track, const struct some_blocks *seen)
{
	const struct blocks *const b = k->blocks;
	struct rolling r = { .term = t, .blocks = b, .windows = windows_of(k, t) };
	const size_t width = (size_t)(r.windows.width / b->width) + 1, least = count_blocks(k->wanted) * width < b->n ? 0 : width;
	struct arena scratch;
	arena_init(&scratch);
	r.track = track ? track_judged(k->store, &scratch, track, t->time, seen) : NULL;
	r.all = stretches_new(&scratch, track ? r.track->all : judged_ranges(&scratch, b, of, r.windows.judged, seen), b->n, least);
	r.means = means_of(&scratch, k, t, track, &r.windows, seen);
	if (track && (fold_percent(t->fold) > 0 || r.windows.width < MANY_FEW * r.means.few))
		r.inner = stretches_new(&scratch, r.track->inner, b->n, least);
	struct narrow_extent *const at = NEW_RAW_ARRAY(k->mem, struct narrow_extent, b->n);

	for (size_t s = 0; s < k->wanted->n; s++)
		for (size_t i = k->wanted->at[s].first; i < k->wanted->at[s].end; i++)
			at[i] = extent_narrowed(range_of_block(&r, block_span(b, i)));
	arena_release(&scratch);
	return (struct sketch){
		.narrow = at,
		.stride = 1,
		.told = told_of(k),
		.is_rough = (of && of->is_rough) || is_rounded(t),
	};
}

struct sketch sketch_rolling(struct sketches *k, const struct term *t)
{
	const bool is_of_track = t->width && t->left->kind == NODE_METRIC && !is_growth(t);
	const struct track *const track = is_of_track ? vantage_track(&k->store->vantage, t->left->metric) : NULL;

	if ((k->has_no_windows || k->is_first_look) && t->width)
		return not_told(k->mem, t);
	if (is_of_track && !track)
		return never_known(k->mem, t);
	if (is_of_track && has_rule(t))
		return sketch_windows(k, t, NULL, track, seen_from(k, t));
	const struct some_blocks *const seen = t->width ? seen_from(k, t) : k->wanted;
	const struct sketch of = looked_at(k, t, seen);
	if (of.is_never)
		return never_known(k->mem, t);
	if (!has_rule(t))
		return not_told(k->mem, t);
	return t->width ? sketch_windows(k, t, &of, NULL, seen) : of;
}
