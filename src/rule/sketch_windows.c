/*
 * sketch_windows.c - what a fold over a window that moves can be in each block.
 *
 *     judged     [==================)      [======================)      a dip parts the judged time
 *     blocks     |     |     |     |     |     |     |     |     |
 *     window              [--- t ---)                                    lies in the blocks that it reaches into
 *     window                    [--- t ---)                              known: half of it and more is judged
 *
 * A window reaches by half of its width to each side. It is looked at every quarter of its width and where its input changes, and holds
 * until the next look, so that what a moment shows may be that of a quarter before: also of one before the stretch, but where its input is
 * known when the stretch begins, as it mostly is.
 */
#include "rule/sketch_parts.h"

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
	time_ms look;                /* a moment at which they are looked at for sure: the last one that is known of, up to the blocks */
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

/* When windows are looked at that the part shows: at its moments, or up to a quarter before. */
static struct span looks_of(const struct windows *w, const struct shown *s)
{
	return (struct span){ later(s->part.begin - w->quarter, w->look), s->part.end };
}

/* When these windows begin. */
static struct span begins_of(const struct windows *w, const struct shown *s)
{
	const struct span looks = looks_of(w, s);

	return (struct span){ looks.begin - w->before, looks.end - w->before };
}

/* How much of each window is judged, for sure: what is of the same stretch, which looks before it see less of, or what all of them see. */
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

/* For how long each of the blocks that are seen is not judged, added up. */
static const time_ms *not_judged_in(
	struct arena *mem, const struct blocks *b, const struct spans *judged, const struct some_blocks *seen)
{
	time_ms *const off = NEW_RAW_ARRAY(mem, time_ms, b->n + 1);
	size_t next = 0;

	for (size_t s = 0; s < seen->n; s++) {
		off[seen->at[s].first] = 0;
		for (size_t i = seen->at[s].first; i < seen->at[s].end; i++) {
			const struct span block = block_span(b, i);
			const struct span *const at = &judged->at[next];
			const bool is_whole = next < judged->n && at->begin <= block.begin && block.end <= at->end;
			off[i + 1] = off[i] + (is_whole ? 0 : span_length(block) - judged_of(judged, &next, block));
		}
	}
	return off;
}

/* Blocks in which nothing is judged say nothing. */
static const struct narrow_extent *judged_ranges(struct arena *mem, const struct blocks *b, const struct sketch *of,
	const time_ms *not_judged, const struct some_blocks *seen)
{
	struct narrow_extent *const one = NEW_RAW_ARRAY(mem, struct narrow_extent, b->n);

	for (size_t s = 0; s < seen->n; s++)
		for (size_t i = seen->at[s].first; i < seen->at[s].end; i++) {
			const bool is_judged = not_judged[i + 1] - not_judged[i] < span_length(block_span(b, i));
			one[i] = extent_narrowed(is_judged ? sketch_range(of, i) : nothing);
		}
	return one;
}

/* Of few blocks, `least` 0, it is not made ready. */
static struct stretches stretches_new(struct arena *mem, const struct narrow_extent *one, size_t n, size_t least)
{
	if (!least)
		return (struct stretches){ n + 1, one, one };
	struct narrow_extent *const from = least > 1 ? NEW_RAW_ARRAY(mem, struct narrow_extent, n) : NULL;
	const struct narrow_extent *done = one;
	size_t width = 1;

	for (; from && 2 * width <= least && 2 * width <= n; width *= 2, done = from) {
		for (size_t i = 0; i + width < n; i++)
			from[i] = joined_narrow(done[i], done[i + width]);
		memmove(from + n - width, done + n - width, width * sizeof *from);
	}
	return (struct stretches){ width, done, one };
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

static struct narrow_extent narrow_of_stretch(const struct stretches *s, struct sight of)
{
	const bool is_short = of.end < of.first + s->width;
	const struct narrow_extent *const from = is_short ? s->one : s->from;
	const size_t width = is_short ? 1 : s->width;
	struct narrow_extent r = from[of.end - width];

	for (size_t i = of.first; i + width < of.end; i += width)
		r = joined_narrow(r, from[i]);
	return r;
}

static struct extent range_of_stretch(const struct stretches *s, struct sight of)
{
	return extent_widened(narrow_of_stretch(s, of));
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

static struct windows windows_of(struct sketches *k, const struct term *t)
{
	const struct judged_time *const time = &k->store->plan->times[t->time];
	const time_ms width = width_of(k->store, t);

	return (struct windows){
		.judged = &time->spans,
		.hull = time->hull,
		.look = time->hull.begin,
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
	struct means *means; /* NULL: none */
	int percent;  /* 0: of none */
	time_ms more; /* is seen to each side of a window */
	const time_ms *not_judged; /* in blocks [i, k) that are seen not_judged[k] - not_judged[i] */
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

/* For how long samples of some blocks are below a number at most, but for what is inner; and above it. */
static time_ms odd_below(const struct judged_track *t, struct sight of, float number)
{
	time_ms sum = t->all[of.first].low < number ? t->carried[of.first] : 0;

	for (size_t i = of.first; i < of.end; i++)
		sum += t->all[i].low < number ? t->odd[i + 1] - t->odd[i] : 0;
	return sum;
}

static time_ms odd_above(const struct judged_track *t, struct sight of, float number)
{
	time_ms sum = t->all[of.first].high > number ? t->carried[of.first] : 0;

	for (size_t i = of.first; i < of.end; i++)
		sum += t->all[i].high > number ? t->odd[i + 1] - t->odd[i] : 0;
	return sum;
}

/* `all` is the range of all that is seen. */
static struct beyond beyond_of(const struct rolling *r, struct sight of, struct extent all)
{
	const struct extent inner = range_of_stretch(&r->inner, of);

	return (struct beyond){
		.inner = inner,
		.below = all.low < inner.low ? (double)odd_below(r->track, of, (float)inner.low) : 0,
		.above = all.high > inner.high ? (double)odd_above(r->track, of, (float)inner.high) : 0,
	};
}

/* A percentile of windows of which so much is known: are odd samples too few to be it? */
static struct extent range_of_percentile(int percent, const struct beyond *b, struct extent all, time_ms known)
{
	return (struct extent){ 100 * b->below < (double)(percent * known) ? b->inner.low : all.low,
		100 * b->above < (double)((100 - percent) * known) ? b->inner.high : all.high };
}

/* The same of windows of a track that are known throughout; where all odd samples together are too few, none of them is looked at. */
static struct narrow_extent narrow_percentile(const struct rolling *r, const struct judged_track *t, struct sight of)
{
	const struct narrow_extent all = narrow_of_stretch(&r->all, of), inner = narrow_of_stretch(&r->inner, of);
	const time_ms odd = t->odd[of.end] - t->odd[of.first] + t->carried[of.first], width = r->windows.width;
	const time_ms below = r->percent * width, above = (100 - r->percent) * width;

	return (struct narrow_extent){
		all.low >= inner.low || 100 * odd < below || 100 * odd_below(t, of, inner.low) < below ? inner.low : all.low,
		all.high <= inner.high || 100 * odd < above || 100 * odd_above(t, of, inner.high) < above ? inner.high : all.high,
	};
}

/* In one judged part of a block. */
static struct extent range_rolled(struct rolling *r, const struct shown *shown)
{
	struct extent found = anything;

	if (r->term->fold == FOLD_EARLIER)
		return range_earlier(r, shown);
	const struct sight of = sight_of(&r->windows, r->blocks, shown, r->more);
	const struct extent seen = range_of_stretch(&r->all, of);
	const time_ms known = judged_least(&r->windows, shown) - blank_in(r, of);
	if (seen.low > seen.high)
		return anything;
	const struct beyond b = r->inner.one ? beyond_of(r, of, seen) : (struct beyond){ seen, 0, 0 };
	if (2 * known >= longest_window(&r->windows, shown))
		found = folded_range(r->term, r->percent > 0 ? range_of_percentile(r->percent, &b, seen, known) : seen);
	return r->means ? means_seen(r->means, begins_of(&r->windows, shown), seen, &b, found) : found;
}

/* The first stretch of judged time that ends behind a moment. */
static size_t judged_at(struct windows *w, time_ms when)
{
	while (w->at < w->judged->n && w->judged->at[w->at].end <= when)
		w->at++;
	return w->at;
}

/* Blocks that are seen: is what windows look at known at each judged moment? */
static bool is_all_known(const struct rolling *r, size_t block)
{
	const struct narrow_extent one = r->all.one[block];

	return r->track ? blank_in(r, (struct sight){ block, block + 1 }) == 0 : !is_anything(extent_widened(one));
}

/* Where a stretch begins and the input is known it changes: before, nothing was. Asked where that is not long before a part of it. */
static void find_look(struct rolling *r, time_ms part_begin, time_ms begin)
{
	struct windows *const w = &r->windows;

	if (begin > w->look && begin > part_begin - w->quarter && is_all_known(r, block_at(r->blocks, begin)))
		w->look = begin;
}

/* In all of them: a short dip leaves two. */
static struct extent range_of_block(struct rolling *r, struct span block)
{
	const struct spans *const judged = r->windows.judged;
	struct extent found = nothing;

	for (size_t i = judged_at(&r->windows, block.begin); i < judged->n && judged->at[i].begin < block.end; i++) {
		const struct shown shown = shown_of(block, judged->at[i]);
		find_look(r, shown.part.begin, shown.of.begin);
		found = joined_range(found, range_rolled(r, &shown));
	}
	return found.low > found.high ? anything : found;
}

/*
 * Blocks of one stretch of judged time, as nearly all are, whose windows lie between the first and the last judged moment. Of these less
 * has to be asked.
 */
struct midst {
	size_t end;            /* of the blocks */
	size_t before, behind; /* as many as these each of them sees to both sides, but where a look is known of */
};

static size_t blocks_in(const struct blocks *b, time_ms length)
{
	return (size_t)((length + b->width - 1) / b->width);
}

/* From one block on, up to some other. */
static struct midst midst_from(struct rolling *r, size_t block, size_t end)
{
	const struct windows *const w = &r->windows;
	const struct span first = block_span(r->blocks, block);
	const time_ms lead = w->quarter + w->before + r->more, tail = w->after + r->more;
	const size_t at = judged_at(&r->windows, first.begin);
	struct midst m = { .end = block, .before = blocks_in(r->blocks, lead), .behind = blocks_in(r->blocks, tail) };

	if (at == w->judged->n || r->term->fold == FOLD_EARLIER)
		return m;
	const struct span of = w->judged->at[at];
	const time_ms until = sooner(of.end, w->hull.end - tail);
	if (first.begin < of.begin || first.begin - lead < w->hull.begin || first.end > until)
		return m;
	const size_t inside = block_at(r->blocks, until);
	m.end = inside < end ? inside : end;
	find_look(r, first.begin, of.begin);
	return m;
}

/* False where more has to be asked. */
static bool range_in_midst(struct rolling *r, const struct midst *midst, size_t block, struct narrow_extent *out)
{
	const struct windows *const w = &r->windows;
	const time_ms begin = r->blocks->all.begin + (time_ms)block * r->blocks->width, end = begin + r->blocks->width;
	const time_ms looks = later(begin - w->quarter, w->look);
	const bool is_cut = looks > begin - w->quarter;
	const struct sight sight = { is_cut ? block_at(r->blocks, looks - w->before - r->more) : block - midst->before,
		block + 1 + midst->behind };
	const time_ms hidden = r->not_judged[sight.end] - r->not_judged[sight.first] + blank_in(r, sight);

	if (hidden && (r->percent > 0 || 2 * hidden > w->width))
		return false;
	if (r->percent > 0) {
		*out = r->track ? narrow_percentile(r, r->track, sight) : narrow_of_stretch(&r->all, sight);
		return true;
	}
	const struct extent seen = range_of_stretch(&r->all, sight);
	const struct beyond b = r->inner.one ? beyond_of(r, sight, seen) : (struct beyond){ seen, 0, 0 };
	*out = extent_narrowed(r->means
			? means_in_midst(r->means, (struct span){ looks - w->before, end - w->before }, seen, &b)
			: folded_range(r->term, seen));
	return true;
}

/* In these blocks. */
static void roll(struct rolling *r, struct stretch blocks, struct narrow_extent *at)
{
	for (size_t i = blocks.first; i < blocks.end;) {
		const struct midst midst = midst_from(r, i, blocks.end);
		while (i < midst.end && range_in_midst(r, &midst, i, &at[i]))
			i++;
		if (i < blocks.end)
			at[i] = extent_narrowed(range_of_block(r, block_span(r->blocks, i)));
		i++;
	}
}

/* `of`: what they look at; NULL of a track. */
static struct sketch sketch_windows(
	struct sketches *k, const struct term *t, const struct sketch *of, const struct track *track, const struct some_blocks *seen)
{
	const struct blocks *const b = k->blocks;
	struct rolling r = { .term = t, .blocks = b, .windows = windows_of(k, t), .percent = fold_percent(t->fold) };
	const size_t width = (size_t)(r.windows.width / b->width) + 1, least = count_blocks(k->wanted) * width < b->n ? 0 : width;
	struct arena scratch;
	arena_init(&scratch);
	r.more = is_growth(t) ? b->width : 0; /* it grew since the sample before */
	r.track = track ? track_judged(k->store, &scratch, track, t->time, seen) : NULL;
	r.not_judged = not_judged_in(&scratch, b, r.windows.judged, seen);
	r.all = stretches_new(&scratch, track ? r.track->all : judged_ranges(&scratch, b, of, r.not_judged, seen), b->n, least);
	r.means = track && t->fold == FOLD_MEAN ? means_new(&scratch, k->store, track, t->time, r.windows.width, seen) : NULL;
	if (track && (r.percent > 0 || (r.means && means_ask_what_is_odd(r.means))))
		r.inner = stretches_new(&scratch, r.track->inner, b->n, least);
	struct narrow_extent *const at = NEW_RAW_ARRAY(k->mem, struct narrow_extent, b->n);

	for (size_t s = 0; s < k->wanted->n; s++)
		roll(&r, k->wanted->at[s], at);
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
	if (t->width && width_of(k->store, t) > WIDEST_SKETCHED)
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
