/*
 * signal_fold.c - a signal as one number over some time.
 */
#include "series/signal.h"

#include "series/pieces.h"
#include "series/quantile.h"
#include "series/summary.h"

/* Walks the stretches that pieces and spans have in common. */
struct common {
	const struct signal *s;
	struct spans within;
	size_t next_piece, next_span;
	/* found: */
	size_t piece;
	struct span stretch;
};

static struct common common_start(const struct signal *s, const struct spans within)
{
	struct common c = { .s = s, .within = within };

	if (s->n > 0 && within.n > 0)
		c.next_piece = piece_at(s, within.at[0].begin);
	return c;
}

static bool common_next(struct common *c)
{
	while (c->next_piece < c->s->n && c->next_span < c->within.n) {
		const struct span s = c->within.at[c->next_span];
		const time_ms begin = c->s->at[c->next_piece].begin, end = piece_end(c->s, c->next_piece);

		c->piece = c->next_piece;
		c->stretch = (struct span){ later(begin, s.begin), sooner(end, s.end) };
		if (end < s.end)
			c->next_piece++;
		else
			c->next_span++;
		if (span_length(c->stretch) > 0)
			return true;
	}
	return false;
}

static double fold_summary(const struct signal *s, const struct spans within, const enum fold fold)
{
	struct common c = common_start(s, within);
	struct summary sum = { 0 };

	while (common_next(&c))
		sum = summary_join(fold, sum, summary_of_piece(fold, s, c.piece, c.stretch));
	return summary_fold(fold, &sum);
}

/* Of what is known in it; low > high: nothing is. */
struct keys {
	uint64_t low, high;
	time_ms known;
};

static struct keys keys_in(const struct signal *s, const struct spans within)
{
	struct common c = common_start(s, within);
	struct keys keys = { .low = UINT64_MAX };

	while (common_next(&c)) {
		const double value = s->at[c.piece].value;

		if (isnan(value))
			continue;
		const uint64_t key = key_from_double(value);
		keys.low = key < keys.low ? key : keys.low;
		keys.high = key > keys.high ? key : keys.high;
		keys.known += span_length(c.stretch);
	}
	return keys;
}

static void show_keys(struct quantile *q, const struct signal *s, const struct spans within)
{
	struct common c = common_start(s, within);

	while (common_next(&c))
		if (!isnan(s->at[c.piece].value))
			quantile_add(q, key_from_double(s->at[c.piece].value), span_length(c.stretch));
}

/* Nothing is kept of the pieces, which would be 32 bytes each to sort them. */
static double fold_quantile(struct arena *scratch, const struct signal *s, const struct spans within, const int percent)
{
	const struct keys keys = keys_in(s, within);
	uint64_t key = keys.low;

	if (keys.low > keys.high)
		return NAN;
	if (keys.low == keys.high)
		return double_from_key(key);
	struct quantile *const q = NEW_RAW_ARRAY(scratch, struct quantile, 1);
	quantile_begin(q, keys.low, keys.high, keys.known, percent);
	do
		show_keys(q, s, within);
	while (!quantile_found(q, &key));
	return double_from_key(key);
}

/* Time outside `within` is like a hole: a value that differs from the one before it has changed. */
static double fold_changes(const struct signal *s, const struct spans within)
{
	struct common c = common_start(s, within);
	double last = NAN, n_changes = NAN;

	while (common_next(&c)) {
		const double value = s->at[c.piece].value;

		if (isnan(value))
			continue;
		n_changes = isnan(last) ? 0 : n_changes + (value != last);
		last = value;
	}
	return n_changes;
}

double signal_fold(struct arena *scratch, const struct signal s, const struct spans within, const enum fold fold)
{
	if (!(fold_table[fold].over & OVER_TIME))
		BUG("no fold over time");
	if (fold_percent(fold) > 0)
		return fold_quantile(scratch, &s, within, fold_percent(fold));
	return fold == FOLD_CHANGES ? fold_changes(&s, within) : fold_summary(&s, within, fold);
}

bool signal_is_ever_known(const struct signal s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isnan(s.at[i].value))
			return true;
	return false;
}

time_ms signal_known(const struct signal s, const struct spans within)
{
	struct common c = common_start(&s, within);
	time_ms known = 0;

	while (common_next(&c))
		if (!isnan(s.at[c.piece].value))
			known += span_length(c.stretch);
	return known;
}
