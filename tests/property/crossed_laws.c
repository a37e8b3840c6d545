/*
 * crossed_laws.c - what rows are told to have together is what sets of time say that cut each other.
 *
 * Columns of one log: masks with flags, flags of their own, a clock. Stretches in which nothing changes and others, late rows, holes and
 * missing cells; kept as they are or packed, with chunks or without.
 */
#include "series.h"

#include "series/chunk.h"
#include "series/crossed.h"
#include "series/stats.h"
#include "series/truth.h"

#define LONG (5 * CHUNK + 60)
#define LONGEST (20 * CHUNK) /* beside it there are few values of a clock */
#define MOST_COLUMNS 6
#define FEW_FLAGS 3 /* each set, not set or not known: 27 kinds */

struct shape { /* of a log */
	size_t n;
	const time_ms *times;
	const struct pack_steps *steps;
	time_ms step;
	bool is_packed, has_chunks;
	int odd; /* of so many cells one is missing */
};

static struct shape any_shape(struct random *r, struct arena *mem)
{
	const size_t n = 1 + (size_t)random_below(r, random_one_in(r, 4) ? 20 : random_one_in(r, 5) ? LONGEST : LONG);
	const int hole = random_one_in(r, 2) ? 1 << 30 : 30 + random_below(r, 400);
	const int late = random_one_in(r, 3) ? 1 : 1 + random_below(r, 900), odd = random_one_in(r, 2) ? 1 << 30 : 50 + random_below(r, 500);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n), pause = 0;

	for (size_t i = 0; i < n; i++) {
		pause += random_one_in(r, hole) ? 5000 : 0;
		times[i] = (time_ms)i * 1000 + pause + random_below(r, late);
	}
	const time_ms step = median_step(mem, times, n);
	return (struct shape){ n, times, random_steps(r, mem, n, step), step, !random_one_in(r, 6), !random_one_in(r, 6), odd };
}

/* One of `choices`, for as long as chance will have it; the first one again behind a begin that is noisy. */
static struct track column_of(struct random *r, struct arena *mem, const struct shape *shape, const fixed *choices, const int n_choices)
{
	const int quiet = random_one_in(r, 3) ? 1 + random_below(r, 3) : 20 + random_below(r, 400);
	const size_t noisy_until = random_one_in(r, 3) ? 2 * CHUNK : shape->n, grain = random_one_in(r, 3) ? CHUNK : 1;
	fixed *const values = NEW_ARRAY(mem, fixed, shape->n), now = choices[0];
	struct track t = { .times = shape->times, .values = values, .n = shape->n, .step = shape->step, .steps = shape->steps };

	for (size_t i = 0; i < shape->n; i++) {
		if (i == noisy_until)
			now = choices[0];
		if (i < noisy_until && i % grain == 0 && (grain > 1 || random_one_in(r, quiet)))
			now = choices[random_below(r, n_choices)];
		values[i] = random_one_in(r, shape->odd) ? FIXED_MISSING : now;
	}
	if (shape->is_packed) {
		t.column = packed_from(mem, values, t.n, false);
		t.values = NULL;
	}
	return t;
}

static struct track masks_of(struct random *r, struct arena *mem, const struct shape *shape)
{
	const int n = 1 + random_below(r, 6);
	fixed choices[6];

	for (int i = 0; i < n; i++)
		choices[i] = (fixed)(random_bits(r) & random_bits(r) & 0x1ff) * FIXED_ONE;
	return column_of(r, mem, shape, choices, n);
}

/* Shares of time, 0 now and then. */
static struct track shares_of(struct random *r, struct arena *mem, const struct shape *shape)
{
	const fixed unit = random_one_in(r, 4) ? 1 : FIXED_ONE, choices[] = { 0, 99 * unit, 100 * unit, 0, 97 * unit, -unit };

	return column_of(r, mem, shape, choices, 1 + random_below(r, 6));
}

static struct track clocks_of(struct random *r, struct arena *mem, const struct shape *shape, bool *is_plain)
{
	static const int ranges[] = { 1, 100, 200, 500, 3000 };
	const int range = ranges[random_below(r, 5)];
	fixed choices[40];

	*is_plain = !random_one_in(r, 5);
	const int n = *is_plain ? 1 + random_below(r, 40) : 2 + random_below(r, 2);
	const fixed most_odd = random_one_in(r, 2) ? 2 : 500000; /* digits behind the point */
	for (int i = 0; i < n; i++)
		choices[i] = (fixed)(random_below(r, range) - 20) * FIXED_ONE + (*is_plain ? 0 : random_below(r, (int)most_odd));
	if (!*is_plain && random_one_in(r, 4))
		choices[n - 1] += 5000 * (fixed)FIXED_ONE;
	return column_of(r, mem, shape, choices, n);
}

struct log {
	struct track columns[MOST_COLUMNS], beside;
	bool is_plain; /* the clock's values are whole and not far apart */
};

static struct crossing any_crossing(struct random *r, struct arena *mem, struct log *log)
{
	const struct shape shape = any_shape(r, mem);
	const struct packed clock = packed_from(mem, shape.times, shape.n, true);
	const struct track masks = masks_of(r, mem, &shape);
	struct crossing asked = { .n_flags = 1 + (size_t)random_below(r, MOST_COLUMNS), .beside = &log->beside, .n_picks = 4 };

	log->beside = clocks_of(r, mem, &shape, &log->is_plain);
	for (size_t f = 0; f < asked.n_flags; f++) {
		log->columns[f] = random_one_in(r, 3) ? shares_of(r, mem, &shape) : masks;
		if (log->columns[f].column.at && log->columns[f].column.at == masks.column.at)
			log->columns[f].formula = (struct formula){ FORMULA_FLAG, 1 << random_below(r, 9) };
		asked.flags[f] = &log->columns[f];
	}
	for (size_t f = 0; f <= asked.n_flags; f++) {
		struct track *const t = f < asked.n_flags ? &log->columns[f] : &log->beside;
		if (shape.is_packed && shape.has_chunks) {
			t->clock = clock;
			t->times = NULL;
		}
		if (shape.has_chunks)
			t->chunks = chunks_of(mem, t);
	}
	for (size_t p = 0; p < asked.n_picks; p++) {
		asked.picks[p].with = (uint32_t)(random_bits(r) & random_bits(r)) & ((1U << asked.n_flags) - 1);
		asked.picks[p].without = (uint32_t)(random_bits(r) & random_bits(r)) & ((1U << asked.n_flags) - 1) & ~asked.picks[p].with;
	}
	return asked;
}

static struct spans time_of_flag(struct arena *mem, const struct track *t)
{
	return truths_spans(mem, truths_compare_track(mem, t, track_span(t), 1, GREATER, 0), YES);
}

static struct spans time_of(struct arena *mem, const struct crossing *asked, const struct flag_pick pick)
{
	struct spans time = spans_complement(mem, track_holes(mem, asked->beside), track_span(asked->beside));

	for (size_t f = 0; f < asked->n_flags; f++) {
		if (pick.with >> f & 1)
			time = spans_intersection(mem, time, time_of_flag(mem, asked->flags[f]));
		if (pick.without >> f & 1)
			time = spans_without(mem, time, time_of_flag(mem, asked->flags[f]));
	}
	return time;
}

static bool are_values_held(struct arena *mem, const struct crossed *c, const struct crossing *asked, const struct flag_pick pick,
	const struct spans time)
{
	const struct holdings wanted = track_holdings(mem, asked->beside, time);
	time_ms *const left = NEW_ARRAY(mem, time_ms, c->n_values);

	for (size_t k = 0; k < c->n; k++)
		for (size_t i = 0; kind_is_in(&c->kinds[k], pick) && i < c->n_values; i++)
			left[i] += c->kinds[k].by_value[i];
	for (size_t i = 0; i < wanted.n; i++) {
		if ((wanted.at[i].value - c->low) % FIXED_ONE)
			return false;
		left[(size_t)(wanted.at[i].value - c->low) / FIXED_ONE] -= wanted.at[i].held;
	}
	for (size_t i = 0; i < c->n_values; i++)
		if (left[i] != 0)
			return false;
	return true;
}

/* For how long they hold, and for how long each flag is known of that. */
static bool is_time_held(struct arena *mem, const struct crossed *c, const struct crossing *asked, const struct flag_pick pick,
	const struct spans time)
{
	time_ms held = 0, known[MOST_COLUMNS] = { 0 };

	for (size_t k = 0; k < c->n; k++) {
		const time_ms of_kind = kind_is_in(&c->kinds[k], pick) ? c->kinds[k].held : 0;

		held += of_kind;
		for (size_t f = 0; f < asked->n_flags; f++)
			known[f] += c->kinds[k].known >> f & 1 ? of_kind : 0;
	}
	for (size_t f = 0; f < asked->n_flags; f++)
		if (known[f] != spans_length(spans_intersection(mem, time, track_known(mem, asked->flags[f]))))
			return false;
	return held == spans_length(time);
}

static bool are_statistics(struct arena *mem, const struct crossed *c, const struct crossing *asked, const struct flag_pick pick,
	const struct spans time)
{
	const struct stats wanted = track_stats(mem, asked->beside, time);
	const bool is_known = wanted.known > 0;
	fixed middle = 0, low = 0, most = 0;

	if (crossed_quantile(c, pick, 95, &most) != is_known || crossed_quantile(c, pick, 50, &middle) != is_known ||
		crossed_lowest(c, pick, &low) != is_known)
		return false;
	return !is_known || (fixed_value(most) == wanted.p95 && fixed_value(middle) == wanted.p50 && fixed_value(low) == wanted.min);
}

static bool rows_have_together_what_sets_of_time_have(struct random *r, struct arena *mem)
{
	struct log log;
	const struct crossing asked = any_crossing(r, mem, &log);
	struct crossed c;

	if (asked.beside->step <= 0)
		return true;
	if (!rows_crossed(mem, &asked, &c))
		return !log.is_plain || asked.n_flags > FEW_FLAGS;
	for (size_t p = 0; p < asked.n_picks; p++) {
		const struct flag_pick pick = asked.picks[p];
		const struct spans time = time_of(mem, &asked, pick);
		if (c.stretches[p] != time.n || !is_time_held(mem, &c, &asked, pick, time) ||
			!are_values_held(mem, &c, &asked, pick, time) || !are_statistics(mem, &c, &asked, pick, time))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(rows_have_together_what_sets_of_time_have, 4),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
