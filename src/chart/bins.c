/* bins.c - from a track to bins, in one pass over the samples. */
#include "chart/bins.h"

#include "series/chunk.h"

#include <math.h>

time_ms bin_begin(struct span span, size_t n, size_t k)
{
	/* 2^63 ms x 10^4 bins would overflow, so the whole and the rest are taken apart. */
	const time_ms length = span_length(span), bins = (time_ms)n, at = (time_ms)k;
	return span.begin + length / bins * at + length % bins * at / bins;
}

struct span sample_span(struct cursor *c, size_t i, struct span within)
{
	const struct track *const t = c->track;
	const time_ms begin = cursor_time(c, i), until = cursor_until(c, i);
	struct span s = { begin > within.begin ? begin : within.begin, until < within.end ? until : within.end };
	if (i == 0 && s.begin - within.begin < track_step(t, i))
		s.begin = within.begin;
	if (i + 1 == t->n && within.end - s.end < track_step(t, i))
		s.end = within.end;
	return s;
}

/* The ends of bins one after the other, as bin_begin() has them, without a division for each. */
struct edge {
	time_ms at;
	time_ms whole, rest, over, n; /* each is `whole` behind the one before, and one more whenever the rests are n together */
};

static struct edge edge_first(struct span span, size_t n)
{
	const time_ms length = span_length(span), bins = (time_ms)n;
	return (struct edge){ span.begin, length / bins, length % bins, 0, bins };
}

static inline void edge_step(struct edge *e)
{
	e->over += e->rest;
	e->at += e->whole + (e->over >= e->n);
	e->over -= e->over >= e->n ? e->n : 0;
}

static struct bins bins_new(struct arena *mem, size_t n)
{
	struct bins b = { .n = n };
	b.min = NEW_RAW_ARRAY(mem, double, n);
	b.mean = NEW_RAW_ARRAY(mem, double, n);
	b.max = NEW_RAW_ARRAY(mem, double, n);
	b.fresh = NEW_ARRAY(mem, bool, n);
	for (size_t k = 0; k < n; k++)
		b.min[k] = b.mean[k] = b.max[k] = NAN;
	return b;
}

/* Another track, above zero while samples count; NULL: always. */
struct gate {
	struct cursor at;
	size_t i; /* moves forward only */
};

static bool gate_is_open(struct gate *gate, time_ms when)
{
	const struct track *const t = gate->at.track;
	if (!t)
		return true;
	while (gate->i + 1 < t->n && cursor_time(&gate->at, gate->i + 1) <= when)
		gate->i++;
	return gate->i < t->n && cursor_time(&gate->at, gate->i) <= when && when < cursor_until(&gate->at, gate->i) &&
	       cursor_value(&gate->at, gate->i) > 0;
}

/* The gate's chunk beside the one from sample i on, if both have one clock and its samples, too, hold each until the next. */
static const struct chunk *gate_chunk(struct gate *gate, const struct track *t, size_t i)
{
	const struct track *const g = gate->at.track;
	const struct chunk *const c = g->clock.at && g->clock.at == t->clock.at ? chunk_with(g, i) : NULL;
	if (!c || !c->is_full)
		return NULL;
	gate->i = i; /* what is behind the chunk begins its search there */
	return c;
}

struct filling { /* the bin that is being filled, and what is in it so far: exact sums, whatever the order */
	struct bins *out;
	struct span span;
	double scale;
	size_t k;
	struct edge edge; /* where it ends */
	int128 weighted;
	time_ms known;
	fixed low, high;
	struct rest { /* of the last sample: what it reaches into the bin in which it ends, if that is behind its own */
		size_t bin;
		fixed value;
		time_ms ms;
	} rest;
};

static void bin_end(struct filling *f)
{
	if (!f->known)
		return;
	f->out->fresh[f->k] = true;
	f->out->min[f->k] = fixed_value(f->low) * f->scale;
	f->out->max[f->k] = fixed_value(f->high) * f->scale;
	f->out->mean[f->k] = (double)f->weighted / (double)f->known / (double)FIXED_ONE * f->scale;
	f->known = 0;
}

static void bin_with(struct filling *f, time_ms when)
{
	if (when < f->edge.at)
		return;
	bin_end(f);
	for (; when >= f->edge.at; f->k++)
		edge_step(&f->edge);
}

/* Bins behind the one that is being filled. */
static void hold_over(struct filling *f, time_ms until, fixed value)
{
	struct bins *const b = f->out;
	struct edge begin = f->edge;
	for (size_t k = f->k + 1; k < b->n && begin.at < until; k++) {
		b->min[k] = b->mean[k] = b->max[k] = fixed_value(value) * f->scale;
		f->rest = (struct rest){ k, value, until - begin.at };
		edge_step(&begin);
	}
}

static void value_add(struct filling *f, fixed value, time_ms ms)
{
	f->low = value < f->low ? value : f->low;
	f->high = value > f->high ? value : f->high;
	f->weighted += (int128)value * ms;
	f->known += ms;
}

/*
 * A bin's mean is over time. Without what the sample before reaches into it a rhythm of a length near the bin's would beat: the part
 * that each bin leaves out wanders through the rhythm. And of samples as long as a bin one that begins at its end would hardly be seen.
 */
static void bin_open(struct filling *f, fixed low, fixed high)
{
	if (f->known)
		return;
	f->low = low;
	f->high = high;
	f->weighted = 0;
	if (f->rest.ms > 0 && f->rest.bin == f->k)
		value_add(f, f->rest.value, f->rest.ms);
}

static void sample_add(struct filling *f, fixed value, struct span holds)
{
	bin_open(f, value, value);
	value_add(f, value, (holds.end < f->edge.at ? holds.end : f->edge.at) - holds.begin);
	f->rest.ms = 0;
	if (holds.end > f->edge.at)
		hold_over(f, holds.end, value);
	f->out->n_samples++;
}

/* What is known of some samples that end within the bin that is being filled. */
struct summary {
	size_t n;
	fixed low, high;
	int128 weighted;
	time_ms known;
};

static void samples_add(struct filling *f, struct summary s)
{
	bin_open(f, s.low, s.high);
	f->low = s.low < f->low ? s.low : f->low;
	f->high = s.high > f->high ? s.high : f->high;
	f->weighted += s.weighted;
	f->known += s.known;
	f->out->n_samples += s.n;
}

/* The same of what is unpacked. If the chunk's sum fits 64 bits and no value of it is below zero, so do all parts of it. */
static struct summary summary_of_values(const struct chunk *chunk, const time_ms *times, const fixed *values, size_t n)
{
	struct summary s = { .n = n, .low = values[0], .high = values[0], .known = times[n] - times[0] };
	uint64_t small = 0;
	for (size_t i = 0; i < n; i++) {
		s.low = values[i] < s.low ? values[i] : s.low;
		s.high = values[i] > s.high ? values[i] : s.high;
		small += (uint64_t)values[i] * (uint64_t)(times[i + 1] - times[i]);
	}
	s.weighted = (int128)small;
	if (chunk->has_sum && chunk->low >= 0)
		return s;
	s.weighted = 0;
	for (size_t i = 0; i < n; i++)
		s.weighted += (int128)values[i] * (times[i + 1] - times[i]);
	return s;
}

/* Of the samples [from, end), at least one, of a full chunk. */
static struct summary summary_of(struct cursor *c, const struct chunk *chunk, size_t from, size_t end)
{
	const size_t k = from / CHUNK, first = from % CHUNK, n = end - from;
	struct extremes_seen range;
	struct partial sum;
	if (chunk->low == chunk->high) {
		const time_ms known = track_time(c->track, end) - track_time(c->track, from);
		return (struct summary){ n, chunk->low, chunk->low, (int128)chunk->low * known, known };
	}
	if (chunk_part(c->track, k, first, first + n, INT64_MIN, &sum) && chunk_range(c->track, k, first, first + n, &range))
		return (struct summary){ n, range.low, range.high, sum.weighted, sum.held };
	return summary_of_values(chunk, cursor_times(c, from), cursor_values(c, from), n);
}

size_t samples_before(const struct track *t, size_t from, size_t end, time_ms edge)
{
	const size_t next = track_seek_from(t, from + 1, edge);
	return next < end ? next : end;
}

/* Samples of a full chunk, one after the other: bin by bin, and what reaches into the next one alone. */
static void stretch_add(struct filling *f, struct cursor *c, const struct chunk *chunk, size_t from, size_t end)
{
	const struct track *const t = c->track;
	for (size_t i = from, next; i < end; i = next) {
		bin_with(f, track_time(t, i));
		next = samples_before(t, i, end, f->edge.at);
		if (next - i > 1)
			samples_add(f, summary_of(c, chunk, i, next - 1));
		sample_add(f, track_value(t, next - 1), (struct span){ track_time(t, next - 1), track_time(t, next) });
	}
}

/*
 * Of a long log most chunks lie within a bin and are not looked at: the codes of the one in which this bin ends, if samples go on at their
 * pace, are on their way from memory meanwhile.
 */
static void fetch_at_edge(const struct filling *f, const struct track *t, size_t i, time_ms when)
{
	const size_t k = t->step > 0 ? (i + (size_t)((f->edge.at - when) / t->step)) / CHUNK : 0;
	if (k <= i / CHUNK || k * CHUNK >= t->n)
		return;
	clock_fetch(t, k);
	column_fetch(t, k);
}

/* A chunk without a hole that begins and ends inside of the span. */
static void chunk_add(struct filling *f, struct cursor *c, size_t first, const struct chunk *chunk, struct span holds)
{
	bin_with(f, holds.begin);
	if (chunk->has_sum && holds.end <= f->edge.at) {
		samples_add(f, (struct summary){ CHUNK, chunk->low, chunk->high, chunk->weighted, chunk->known });
		return;
	}
	stretch_add(f, c, chunk, first, first + CHUNK);
	if (holds.end < f->edge.at)
		fetch_at_edge(f, c->track, first + CHUNK, holds.end);
}

/* The same of those samples alone during which the gate, of the same clock, is open. */
static void gated_chunk_add(struct filling *f, struct cursor *c, size_t first, const struct chunk *chunk, struct gate *gate)
{
	const fixed *const gated_by = cursor_values(&gate->at, first);
	for (size_t i = 0, end; i < CHUNK; i = end) {
		const bool is_open = gated_by[i] > 0;
		for (end = i + 1; end < CHUNK && (gated_by[end] > 0) == is_open;)
			end++;
		if (is_open)
			stretch_add(f, c, chunk, first + i, first + end);
	}
}

/*
 * Adds the chunk from sample i on, which begins at `begin`, if its samples need not be looked at one by one. Returns when what is not
 * added begins.
 */
static time_ms plain_chunk_add(struct filling *f, struct cursor *c, size_t i, time_ms begin, struct gate *gate)
{
	const struct track *const t = c->track;
	const struct chunk *const chunk = i > 0 ? chunk_from(t, i, t->n) : NULL, *gated_by = NULL;
	if (!chunk || !chunk->is_full || begin < f->span.begin || begin + (time_ms)chunk->known > f->span.end)
		return begin;
	if (gate->at.track && !(gated_by = gate_chunk(gate, t, i)))
		return begin;
	const struct span holds = { begin, begin + (time_ms)chunk->known }; /* until the next: so its time need not be unpacked */
	if (!gated_by || gated_by->low > 0)
		chunk_add(f, c, i, chunk, holds);
	else if (gated_by->high > 0)
		gated_chunk_add(f, c, i, chunk, gate);
	return holds.end;
}

static void any_sample_add(struct filling *f, struct cursor *c, size_t i, struct gate *gate)
{
	const struct span holds = sample_span(c, i, f->span);
	const fixed logged = cursor_value(c, i);
	if (logged == FIXED_MISSING || holds.end <= holds.begin || !gate_is_open(gate, cursor_time(c, i)))
		return;
	bin_with(f, holds.begin);
	sample_add(f, logged, holds);
}

struct bins bins_of(struct arena *mem, const struct track *t, const struct track *gated_by, struct span span, size_t n, double scale)
{
	struct bins b = bins_new(mem, n);
	struct filling filling = { .out = &b, .span = span, .scale = scale, .edge = edge_first(span, n) };
	edge_step(&filling.edge);
	struct cursor c;
	struct gate gate;
	size_t i = track_seek(t, span.begin);
	cursor_start(&c, t);
	cursor_start(&gate.at, gated_by);
	gate.i = 0;
	if (i > 0 && (i == t->n || track_time(t, i) > span.begin))
		i--; /* it may still hold when the span begins */
	for (time_ms begin = i < t->n ? cursor_time(&c, i) : span.end, end; begin < span.end; begin = end) {
		end = plain_chunk_add(&filling, &c, i, begin, &gate);
		if (end > begin) {
			i += CHUNK;
			continue;
		}
		any_sample_add(&filling, &c, i++, &gate);
		end = i < t->n ? cursor_time(&c, i) : span.end;
	}
	bin_end(&filling);
	return b;
}

#define N_PERCENTS 101
struct histogram {
	uint32_t count[N_PERCENTS];
	uint32_t n;
};

static double histogram_share(const struct histogram *h, double share)
{
	uint32_t seen = 0;
	for (int percent = 0; percent < N_PERCENTS; percent++) {
		seen += h->count[percent];
		if (h->n && (double)seen >= share * (double)h->n)
			return percent;
	}
	return NAN;
}

static void histogram_add(struct histogram *h, fixed value)
{
	const int64_t percent = value / FIXED_ONE;
	h->count[percent < 0 ? 0 : percent >= N_PERCENTS ? N_PERCENTS - 1 : percent]++;
	h->n++;
}

void bins_percentiles(struct arena *scratch, const struct track *t, struct span span, size_t n, double low, double high,
	double *at_low, double *at_high)
{
	struct histogram *h = NEW_ARRAY(scratch, struct histogram, n);
	size_t k = 0;
	time_ms edge = bin_begin(span, n, 1);
	for (size_t i = track_seek(t, span.begin); i < t->n && track_time(t, i) < span.end; i++) {
		while (track_time(t, i) >= edge)
			edge = bin_begin(span, n, ++k + 1);
		if (track_value(t, i) != FIXED_MISSING)
			histogram_add(&h[k], track_value(t, i));
	}
	for (k = 0; k < n; k++) {
		at_low[k] = histogram_share(&h[k], low);
		at_high[k] = histogram_share(&h[k], high);
	}
}
