/*
 * sheet_step.c - how far apart the rows of a channel are.
 *
 *     10:00:00   98 %
 *     10:00:01   97 %
 *     ...
 *     10:10:00   99 %      nvidia-smi is started anew here, with -l 10: neither a hole behind each row,
 *     10:10:10   98 %      nor one log that is lost beside the other
 *
 * The step is the median. Where rows are as far apart as holes are long, but evenly, and not just a few, they have a step of their own. A
 * log that looks more often for less than half of its rows keeps the one step that it has: there, short holes are not seen.
 *
 *     10:00:00  10:00:01  10:00:02  10:00:08  10:00:09  10:00:13  ...      a loop on a host that is too busy to run it each second
 *
 * Where rows that far apart are no exception they are how that logger works: each holds until the next one, like any other.
 */
#include "format/sheet_parts.h"

#include "base/sort.h"

time_ms median_of_steps(time_ms *steps, size_t n)
{
	if (!n)
		return 0;
	times_sort(steps, n);
	return steps[(n - 1) / 2];
}

static time_ms step_to(const struct channel *c, size_t row)
{
	return channel_time(c, row) - channel_time(c, row - 1);
}

static time_ms sorted_step(const struct channel *c)
{
	size_t room = 0;
	time_ms *steps = grow(NULL, &room, c->n_rows, sizeof *steps);

	bool is_steady = true; /* as most logs are: nothing to sort */

	for (size_t i = 1; i < c->n_rows; i++) {
		steps[i - 1] = step_to(c, i);
		is_steady &= steps[i - 1] == steps[0];
	}
	const time_ms median = is_steady && c->n_rows > 1 ? steps[0] : median_of_steps(steps, c->n_rows - 1);
	grow_free(steps);
	return median;
}

/* Rows: to sort more takes longer than to count what is near the step in their middle, or all of what logs may have. */
#define MOST_SORTED ((size_t)1 << 6)
#define MOST_SORTED_BEFORE_ALL ((size_t)1 << 11)

struct step_counts { /* how often each step from `from` to `from + n - 1` comes, in ms */
	uint32_t *at;
	time_ms from, n;
	size_t n_below;
};

static void count_steps(const struct channel *c, struct step_counts *counts)
{
	const uint64_t n_counted = (uint64_t)counts->n;
	uint32_t *const at = counts->at;
	time_ms last = 0, times[1 + PACK]; /* the last one of the pack before, and those of a pack */

	for (size_t begin = 0; begin < c->n_rows; begin += PACK) {
		const size_t n = c->n_rows - begin < PACK ? c->n_rows - begin : PACK;
		times[0] = last;
		pack_read(&c->times.at[begin / PACK], 0, n, times + 1);
		last = times[n];
		for (size_t i = begin ? 0 : 1; i < n; i++) {
			const uint64_t step = (uint64_t)(times[i + 1] - times[i] - counts->from); /* below `from` it is huge */
			if (step < n_counted)
				at[step]++;
			else
				counts->n_below += step > INT64_MAX;
		}
	}
}

/* False: the median is not among those counted. */
static bool counted_median(const struct step_counts *counts, size_t middle, time_ms *median)
{
	size_t below = counts->n_below;
	time_ms step = 0;

	if (below >= middle)
		return false;
	while (step < counts->n && below + counts->at[step] < middle)
		below += counts->at[step++];
	*median = counts->from + step;
	return step < counts->n;
}

#define NEAR ((time_ms)1 << 10)    /* ms: what a logger's steps differ by */
#define COUNTED ((time_ms)1 << 16)

/* Counts the steps of so many lengths; false where the median is none of these. */
static bool median_among(const struct channel *c, size_t middle, time_ms from, time_ms n, time_ms *median)
{
	struct arena scratch;

	arena_init(&scratch);
	struct step_counts counts = { NEW_ARRAY(&scratch, uint32_t, (size_t)n), from, n, 0 };
	count_steps(c, &counts);
	const bool is_found = counted_median(&counts, middle, median);
	arena_release(&scratch);
	return is_found;
}

/*
 * Nearly all steps are short, and alike: those of a log that is not small are counted, which takes no memory that grows with it. The few
 * around one in its middle first.
 */
static time_ms step_of(const struct channel *c)
{
	const size_t middle = c->n_rows / 2; /* of the steps, from 1 on */
	time_ms median;

	if (c->n_rows <= MOST_SORTED)
		return c->n_rows ? sorted_step(c) : 0;
	if (median_among(c, middle, step_to(c, middle) - NEAR, 2 * NEAR, &median))
		return median;
	if (c->n_rows > MOST_SORTED_BEFORE_ALL && median_among(c, middle, 0, COUNTED, &median))
		return median;
	return sorted_step(c);
}

/* A job logs its progress when it has something to say: the longest wait is no hole. */
static time_ms longest_of(const struct channel *c)
{
	time_ms longest = 0;

	for (size_t i = 1; i < c->n_rows; i++)
		if (step_to(c, i) > longest)
			longest = step_to(c, i);
	return longest;
}

time_ms channel_step(const struct channel *c)
{
	return c->entity.scope == SCOPE_RUN ? longest_of(c) : step_of(c);
}

/* ------ more than one ------ */

/* own threshold: steps in a row. So many polls in a row that fail evenly, with just one between them that does not, are no accident */
#define SUSTAINED 12
#define ALIKE 4 /* they differ from their median by a quarter of it at most: a poll may take a while, and a loop begins behind it */

static bool is_usual(const struct channel *c, size_t row)
{
	return step_to(c, row) <= HOLE_STEPS * c->step;
}

/* Do the steps of the pack that begins with this row make up no more than the usual ones and one that is a little longer? */
static bool has_usual_steps(const struct channel *c, size_t row)
{
	return row + PACK < c->n_rows && 2 * (channel_time(c, row + PACK) - channel_time(c, row) - PACK * c->step) <= HOLE_STEPS * c->step;
}

/* The step that a stretch has which begins with this row; 0: none does. */
static time_ms longer_step(const struct channel *c, size_t row)
{
	time_ms steps[SUSTAINED];

	if (row + SUSTAINED >= c->n_rows)
		return 0;
	for (size_t i = 0; i < SUSTAINED; i++) {
		steps[i] = step_to(c, row + i + 1);
		if (steps[i] <= HOLE_STEPS * c->step)
			return 0;
	}
	const time_ms median = median_of_steps(steps, SUSTAINED), shortest = steps[0], longest = steps[SUSTAINED - 1];
	return ALIKE * (longest - median) <= median && ALIKE * (median - shortest) <= median ? median : 0;
}

/* It ends where there is a hole, or where rows come as they usually do; a single one more is no end. */
static size_t last_of_slower(const struct channel *c, size_t first, time_ms step)
{
	size_t i = first + SUSTAINED;

	while (i + 1 < c->n_rows && step_to(c, i + 1) <= HOLE_STEPS * step &&
	       !(is_usual(c, i + 1) && (i + 2 == c->n_rows || is_usual(c, i + 2))))
		i++;
	return i;
}

/* Of one that begins with this row, or with the row before it if that is no further away than the others; it may not be before `least`. */
static size_t first_of_slower(const struct channel *c, size_t row, size_t least, time_ms step)
{
	return row > least && !is_usual(c, row) && step_to(c, row) <= step ? row - 1 : row;
}

#define NO_EXCEPTION 100      /* own threshold: of so many steps one is long, or more */
#define UNSTEADY_MOST ((time_ms)10) /* times the median: what is longer was no slow poll. Own definition */

static bool is_slow(const struct channel *c, size_t row)
{
	return !is_usual(c, row) && step_to(c, row) <= UNSTEADY_MOST * c->step;
}

/* Rows of an unsteady logger that are followed by a slow poll have its length as their step; NULL: it is steady. */
static struct pack_steps *unsteady_steps(struct arena *mem, const struct channel *c)
{
	size_t n_slow = 0;

	for (size_t i = 1; i < c->n_rows; i++)
		n_slow += is_slow(c, i);
	if (n_slow < SUSTAINED || n_slow * NO_EXCEPTION < c->n_rows)
		return NULL;
	struct pack_steps *const steps = pack_steps_new(mem, c->n_rows, c->step);
	for (size_t i = 1; i < c->n_rows; i++)
		if (is_slow(c, i))
			pack_steps_set(steps, i - 1, i, step_to(c, i));
	return steps;
}

void channel_find_steps(struct arena *mem, struct channel *c)
{
	struct pack_steps *steps = NULL;
	size_t done = 0; /* the last row of the stretch before */

	if (c->entity.scope == SCOPE_RUN || c->step <= 0 || c->n_rows <= SUSTAINED)
		return;
	const time_ms all = channel_time(c, c->n_rows - 1) - channel_time(c, 0);
	if (all - (time_ms)c->n_rows * c->step < SUSTAINED * (HOLE_STEPS - 1) * c->step)
		return;
	for (size_t i = 0; i + 1 < c->n_rows;) {
		const bool is_whole_pack = i % PACK == 0 && has_usual_steps(c, i);
		const time_ms step = is_whole_pack ? 0 : longer_step(c, i);
		if (!step) {
			i += is_whole_pack ? PACK : 1;
			continue;
		}
		const size_t last = last_of_slower(c, i, step);
		steps = steps ? steps : pack_steps_new(mem, c->n_rows, c->step);
		pack_steps_set(steps, first_of_slower(c, i, done, step), last + 1, step);
		i = done = last;
	}
	if (!steps)
		steps = unsteady_steps(mem, c);
	if (steps)
		pack_steps_settle(steps, c->n_rows);
	c->steps = steps;
}
