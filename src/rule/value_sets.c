/*
 * value_sets.c - folds over sets of entities: numbers, and conditions that are counted.
 */
#include "rule/value_parts.h"

/* The shortest step of the tracks that a term looks at; 0 without one. */
static time_ms shortest_step(const struct vantage *v, const struct term *t)
{
	const struct track *track = t->kind == NODE_METRIC || t->kind == NODE_HAS ? vantage_track(v, t->metric) : NULL;
	time_ms shortest = track ? track_finest_step(track) : 0;
	const struct term *parts[] = { t->left, t->right };

	for (size_t i = 0; i < 2; i++) {
		const time_ms step = parts[i] ? shortest_step(v, parts[i]) : 0;
		if (step > 0 && (shortest == 0 || step < shortest))
			shortest = step;
	}
	return shortest;
}

time_ms poll_of(const struct store *s, const struct members *m, const struct term *t, enum scope scope)
{
	time_ms shortest = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct vantage v = vantage_of(s->plan->run, scope, m->who[i]);
		const time_ms step = shortest_step(&v, t);
		if (step > 0 && (shortest == 0 || step < shortest))
			shortest = step;
	}
	const time_ms quarter = shortest / 4, half = shortest / 2, length = s->plan->poll_length;
	return length > quarter && length < half ? half : quarter;
}

struct signal *signals_of(struct arena *mem, const struct members *m)
{
	struct signal *signals = NEW_ARRAY(mem, struct signal, m->n);

	for (size_t i = 0; i < m->n; i++)
		signals[i] = m->values[i].number;
	return signals;
}

struct domain domain_of(const struct term *t)
{
	const bool is_fold = t->kind == NODE_ROLLING || t->kind == NODE_FOLD || t->kind == NODE_ACROSS;

	if (is_fold && fold_keeps_one(t->fold) && t->fold != FOLD_SUM && !t->left->is_condition)
		return domain_of(t->left);
	if (t->kind != NODE_METRIC)
		return (struct domain){ (double)-INFINITY, (double)INFINITY };
	const double factor = unit_factor(t->metric), low = metric_table[t->metric].low, high = metric_table[t->metric].high;
	return (struct domain){ low * factor, high * factor };
}

struct value number_across(
	struct arena *mem, const struct signal *numbers, size_t n, const struct term *t, time_ms poll, struct spans within)
{
	const struct bounding bounding = { domain_of(t->left), within };
	struct signal number;
	struct bounds some_miss;

	if (!signal_across_bounds(mem, numbers, n, t->fold, poll, &bounding, &number, &some_miss))
		return of_number(number);
	return of_number_or_bounds(number, some_miss);
}

static struct value numbers_across(struct store *s, struct arena *mem, struct arena *scratch, const struct members *m, const struct term *t)
{
	const struct span all = all_time(s);
	const time_ms poll = poll_of(s, m, t->left, reach_scope(t->reach));

	if (m->n == 1 && t->reach == REACH_HOSTS && fold_keeps_one(t->fold)) /* the host, with the bounds of what it has */
		return value_kept(mem, m->values[0]);
	return number_across(mem, signals_of(scratch, m), m->n, t, poll, spans_one(&all));
}

static struct truths *lines_of(struct arena *mem, const struct members *m)
{
	struct truths *lines = NEW_ARRAY(mem, struct truths, m->n);

	for (size_t i = 0; i < m->n; i++)
		lines[i] = m->values[i].line;
	return lines;
}

static struct value conditions_across(struct store *s, struct arena *mem, struct arena *scratch, const struct members *m, enum fold fold)
{
	const struct bounds count = truths_count(mem, lines_of(scratch, m), m->n);
	const double least = fold == FOLD_ALL ? (double)m->n : 1, percent = 100 / (double)m->n;
	switch (fold) {
	case FOLD_COUNT:
		return of_bounds(mem, count);
	case FOLD_SHARE:
		return of_bounds(mem, (struct bounds){ scaled_signal(mem, count.low, percent), scaled_signal(mem, count.high, percent) });
	default:
		return of_line(
			truths_compare_bounds(mem, count, GREATER_EQUAL, bounds_of_known(signal_constant(mem, least, all_time(s)))));
	}
}

/* Nobody has a value. But whether any other GPU does something is known where there is no other: none does. */
static struct value across_nobody(struct store *s, struct arena *mem, const struct term *t)
{
	const bool is_known = is_of_nobody(s->plan->run, t) && t->fold == FOLD_ANY;

	if (t->is_condition)
		return of_line(truths_constant(mem, is_known ? NO : UNKNOWN, all_time(s)));
	return of_number(signal_constant(mem, NAN, all_time(s)));
}

/* Of a condition, once for all who ask: they differ by their own line alone. */
static struct counted counted_of(struct group *g, enum fold fold)
{
	struct counted **const known = fold == FOLD_ANY ? &g->any : &g->all_but_one;
	struct arena scratch;

	if (*known)
		return **known;
	arena_init(&scratch);
	const struct bounds count = truths_count(&scratch, lines_of(&scratch, &g->all), g->all.n);
	*known = NEW(&g->mem, struct counted);
	**known = truths_counted(&g->mem, count, fold == FOLD_ANY ? 1 : g->all.n - 1);
	arena_release(&scratch);
	return **known;
}

static struct truths line_in_slice(const struct store *s, struct truths line)
{
	return value_in_slice(s, of_line(line)).line;
}

/* Any or all of a group but the store's GPU, which may be none of it. */
static struct value rest_of_group(struct store *s, struct arena *mem, struct group *g, const struct term *t)
{
	const struct members *const all = &g->all;
	size_t own = 0;

	while (own < all->n && all->who[own] != s->vantage.entity)
		own++;
	const bool is_one_of_them = own < all->n;
	if (all->n == is_one_of_them)
		return across_nobody(s, mem, t);
	shared_take(s);
	const struct counted whole = counted_of(g, t->fold);
	shared_give(s);
	const struct counted counted = { line_in_slice(s, whole.least), line_in_slice(s, whole.one_more) };
	struct value v = of_line(is_one_of_them ? truths_but_one(mem, counted, line_in_slice(s, all->values[own].line))
			: truths_kept(mem, t->fold == FOLD_ANY ? counted.least : counted.one_more));
	for (size_t i = 0; i < all->n; i++)
		if (i != own)
			v.coverage = lesser(v.coverage, all->values[i].coverage);
	return v;
}

struct value value_across(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f), scratch;
	struct value v;

	if (is_of_nobody(s->plan->run, t))
		return across_nobody(s, mem, t);
	if (s->only && !t->left->is_condition)
		return numbers_asked(s, mem, t, &v) || across_asked(s, mem, t, f, &v) ? v : value_in_slice(s, value_of(s->full, t, f));
	if (numbers_of_others(s, mem, t, &v) || across_by_slices(s, mem, t, f, &v))
		return v;
	arena_init(&scratch);
	const struct members m = set_members(s, &scratch, t, f);
	if (m.rest_of)
		v = rest_of_group(s, mem, m.rest_of, t);
	else if (!m.n)
		v = across_nobody(s, mem, t);
	else if (t->left->is_condition)
		v = conditions_across(s, mem, &scratch, &m, t->fold);
	else
		v = numbers_across(s, mem, &scratch, &m, t);
	for (size_t i = 0; i < m.n; i++)
		v.coverage = lesser(v.coverage, m.values[i].coverage);
	arena_release(&scratch);
	return v;
}
