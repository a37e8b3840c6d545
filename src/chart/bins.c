/* bins.c - from a track to bins, in one pass over the samples. */
#include "chart/bins.h"

#include "series/cursor.h"

#include <math.h>

time_ms bin_begin(struct span span, size_t n, size_t k)
{
	/* 2^63 ms x 10^4 bins would overflow, so the whole and the rest are taken apart. */
	const time_ms length = span_length(span), bins = (time_ms)n, at = (time_ms)k;
	return span.begin + length / bins * at + length % bins * at / bins;
}

/* As track_until(), without asking where no hole can be. */
static time_ms sample_until(const struct track *t, size_t i)
{
	if (i + 1 < t->n && track_time(t, i + 1) - track_time(t, i) <= t->step)
		return track_time(t, i + 1);
	return track_until(t, i);
}

struct span sample_span(const struct track *t, size_t i, struct span within)
{
	const time_ms until = sample_until(t, i);
	struct span s = { track_time(t, i) > within.begin ? track_time(t, i) : within.begin, until < within.end ? until : within.end };
	if (i == 0 && s.begin - within.begin < t->step)
		s.begin = within.begin;
	if (i + 1 == t->n && within.end - s.end < t->step)
		s.end = within.end;
	return s;
}

static struct bins bins_new(struct arena *mem, size_t n)
{
	struct bins b = { .n = n };
	b.min = NEW_ARRAY(mem, double, n);
	b.mean = NEW_ARRAY(mem, double, n);
	b.max = NEW_ARRAY(mem, double, n);
	b.fresh = NEW_ARRAY(mem, bool, n);
	for (size_t k = 0; k < n; k++)
		b.min[k] = b.mean[k] = b.max[k] = NAN;
	return b;
}

/* Whether the gate was above zero while a sample at `when` was taken; *at moves forward only. */
static bool gate_is_open(const struct track *gate, size_t *at, time_ms when)
{
	if (!gate)
		return true;
	while (*at + 1 < gate->n && track_time(gate, *at + 1) <= when)
		++*at;
	return *at < gate->n && track_time(gate, *at) <= when && when < track_until(gate, *at) && track_value(gate, *at) > 0;
}

__extension__ typedef __int128 int128;

struct filling { /* the bin that is being filled, and what is in it so far: exact sums, whatever the order */
	struct bins *out;
	struct span span;
	double scale;
	size_t k;
	time_ms edge; /* where it ends */
	int128 weighted;
	time_ms known;
	fixed low, high;
	struct rest { /* of the last sample, short as it is: what it reaches into the bin behind its own */
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
	if (when < f->edge)
		return;
	bin_end(f);
	while (when >= f->edge)
		f->edge = bin_begin(f->span, f->out->n, ++f->k + 1);
}

static void hold_over(struct bins *b, struct span span, size_t k, time_ms until, double value)
{
	for (; k < b->n && bin_begin(span, b->n, k) < until; k++)
		b->min[k] = b->mean[k] = b->max[k] = value;
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
 * that each bin leaves out wanders through the rhythm.
 */
static void sample_add(struct filling *f, fixed value, struct span holds)
{
	const bool is_short = 2 * span_length(holds) <= span_length(f->span) / (time_ms)f->out->n;

	if (!f->known) {
		f->low = f->high = value;
		f->weighted = 0;
		if (f->rest.ms > 0 && f->rest.bin == f->k)
			value_add(f, f->rest.value, f->rest.ms);
	}
	value_add(f, value, (holds.end < f->edge ? holds.end : f->edge) - holds.begin);
	f->rest = (struct rest){ f->k + 1, value, is_short ? holds.end - f->edge : 0 };
	if (holds.end > f->edge)
		hold_over(f->out, f->span, f->k + 1, holds.end, fixed_value(value) * f->scale);
	f->out->n_samples++;
}

struct bins bins_of(struct arena *mem, const struct track *t, const struct track *gate, struct span span, size_t n, double scale)
{
	struct bins b = bins_new(mem, n);
	struct filling filling = { .out = &b, .span = span, .scale = scale, .edge = bin_begin(span, n, 1) };
	size_t gate_at = 0;
	size_t i = track_seek(t, span.begin);
	struct cursor c;
	cursor_start(&c, t);
	if (i > 0 && (i == t->n || track_time(t, i) > span.begin))
		i--; /* it may still hold when the span begins */
	for (; i < t->n && cursor_time(&c, i) < span.end; i++) {
		const struct span holds = sample_span(t, i, span);
		const fixed logged = cursor_value(&c, i);
		if (logged == FIXED_MISSING || holds.end <= holds.begin || !gate_is_open(gate, &gate_at, cursor_time(&c, i)))
			continue;
		bin_with(&filling, holds.begin);
		sample_add(&filling, logged, holds);
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
