/*
 * signal_across.c - several signals at each moment as one: the GPUs of a host, the cores of a CPU.
 */
#include "series/signal.h"

#include "series/summary.h"

/*
 * Several signals side by side. Each moment looks at all of them: deliberately simple, since
 * cores and GPUs of a host mostly share one clock, so that all of them change then.
 */
struct crowd {
	const struct signal *many;
	size_t n;
	size_t *piece; /* of each signal, at `now` */
	time_ms *until; /* when that piece ends */
	time_ms now, end;
};

static struct span crowd_span(const struct signal *many, const size_t n)
{
	struct span all = signal_span(&many[0]);

	for (size_t i = 1; i < n; i++) {
		const struct span one = signal_span(&many[i]);

		all = (struct span){ later(all.begin, one.begin), sooner(all.end, one.end) };
	}
	return all;
}

static void crowd_seek(struct crowd *c, const time_ms begin)
{
	c->now = begin;
	for (size_t i = 0; i < c->n; i++) {
		c->piece[i] = piece_at(&c->many[i], begin);
		c->until[i] = piece_end(&c->many[i], c->piece[i]);
	}
}

/* To the next moment at which any of the signals changes. */
static void crowd_move(struct crowd *c)
{
	c->now = c->end;
	for (size_t i = 0; i < c->n; i++)
		c->now = sooner(c->now, c->until[i]);
	for (size_t i = 0; i < c->n; i++) {
		if (c->until[i] > c->now || c->now == c->end)
			continue;
		c->piece[i]++;
		c->until[i] = piece_end(&c->many[i], c->piece[i]);
	}
}

static size_t crowd_count(struct crowd *c)
{
	size_t n_moments = 0;

	for (; c->now < c->end; crowd_move(c))
		n_moments++;
	return n_moments;
}

static double crowd_value(const struct crowd *c, const size_t i)
{
	return c->many[i].at[c->piece[i]].value;
}

/* Each weighs the same, whenever it is. */
static struct summary crowd_summary(const struct crowd *c, const enum fold fold)
{
	static const struct span once = { 0, 1 };
	struct summary sum = { 0 };

	for (size_t i = 0; i < c->n; i++)
		sum = summary_join(fold, sum, summary_of(fold, crowd_value(c, i), once));
	return sum;
}

/* The order of the moment before is nearly right, so that sorting by insertion mostly only looks. */
static double crowd_quantile(const struct crowd *c, size_t *by_value, const int percent)
{
	const size_t at_or_below = (c->n * (size_t)percent + 99) / 100;

	for (size_t i = 1; i < c->n; i++) {
		const size_t signal = by_value[i];
		const double value = crowd_value(c, signal);
		size_t place = i;

		for (; place > 0 && crowd_value(c, by_value[place - 1]) > value; place--)
			by_value[place] = by_value[place - 1];
		by_value[place] = signal;
	}
	return crowd_value(c, by_value[at_or_below - 1]);
}

static bool crowd_is_known(const struct crowd *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (isnan(crowd_value(c, i)))
			return false;
	return true;
}

static double crowd_fold(const struct crowd *c, size_t *by_value, const enum fold fold)
{
	if (!crowd_is_known(c))
		return NAN;
	if (fold_percent(fold) > 0)
		return crowd_quantile(c, by_value, fold_percent(fold));
	const struct summary sum = crowd_summary(c, fold);
	return summary_fold(fold, &sum);
}

static size_t *counting_up(struct arena *scratch, const size_t n)
{
	size_t *numbers = NEW_ARRAY(scratch, size_t, n);

	for (size_t i = 0; i < n; i++)
		numbers[i] = i;
	return numbers;
}

static struct signal across(struct arena *mem, struct arena *scratch, const struct signal *many, const size_t n, const enum fold fold)
{
	const struct span all = crowd_span(many, n);
	struct crowd c = {
		.many = many,
		.n = n,
		.piece = NEW_ARRAY(scratch, size_t, n),
		.until = NEW_ARRAY(scratch, time_ms, n),
		.end = all.end,
	};
	size_t *by_value = counting_up(scratch, n);

	if (span_length(all) <= 0)
		return signal_nowhere(all.end);
	crowd_seek(&c, all.begin);
	struct pieces result = pieces_new(mem, crowd_count(&c));
	crowd_seek(&c, all.begin);
	for (; c.now < c.end; crowd_move(&c))
		pieces_add(&result, c.now, crowd_fold(&c, by_value, fold));
	return pieces_signal(&result, all.end);
}

struct signal signal_across(struct arena *mem, const struct signal *many, const size_t n, const enum fold fold)
{
	struct arena scratch;

	if (!(fold_table[fold].over & OVER_SETS))
		BUG("no fold over sets");
	if (n == 0)
		return signal_nowhere(0);
	arena_init(&scratch);
	const struct signal result = across(mem, &scratch, many, n, fold);
	arena_release(&scratch);
	return result;
}
