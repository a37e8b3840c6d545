/*
 * span_laws.c - sets of time are a Boolean algebra, and agree with sets of single ms.
 *
 * Times are small on purpose: spans of a case touch, meet and repeat each other all the time.
 */
#include "property/laws.h"
#include "series/span.h"

#define LAST 40 /* ms */
static const struct span whole = { 0, LAST };

static struct spans random_set(struct random *r, struct arena *mem)
{
	struct span any[8];
	const size_t n = (size_t)random_below(r, 9);

	for (size_t i = 0; i < n; i++) {
		any[i].begin = random_below(r, LAST);
		any[i].end = random_one_in(r, 8) ? any[i].begin : any[i].begin + random_below(r, LAST + 1 - (int)any[i].begin);
	}
	return spans_of(mem, any, n);
}

static bool is_well_formed(const struct spans s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i].end <= s.at[i].begin || (i > 0 && s.at[i].begin <= s.at[i - 1].end))
			return false;
	return true;
}

static bool is_same(const struct spans a, const struct spans b)
{
	if (a.n != b.n || !is_well_formed(a) || !is_well_formed(b))
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (a.at[i].begin != b.at[i].begin || a.at[i].end != b.at[i].end)
			return false;
	return true;
}

/* Without the search that spans_hold() does. */
static bool is_inside(const struct spans s, const time_ms t)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i].begin <= t && t < s.at[i].end)
			return true;
	return false;
}

static bool sets_of_any_spans_hold_what_the_spans_hold(struct random *r, struct arena *mem)
{
	struct span any[8];

	for (size_t i = 0; i < 8; i++)
		any[i] = (struct span){ random_below(r, LAST), random_below(r, LAST) };
	const struct spans set = spans_of(mem, any, 8);
	for (time_ms t = -1; t <= LAST; t++)
		if (is_inside((struct spans){ any, 8 }, t) != spans_hold(set, t))
			return false;
	return is_well_formed(set);
}

static bool operations_agree_ms_by_ms(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem);
	const struct spans either = spans_union(mem, a, b), both = spans_intersection(mem, a, b);
	const struct spans rest = spans_complement(mem, a, whole), a_alone = spans_without(mem, a, b);

	for (time_ms t = 0; t < LAST; t++) {
		const bool in_a = is_inside(a, t), in_b = is_inside(b, t);

		if (spans_hold(either, t) != (in_a || in_b) || spans_hold(both, t) != (in_a && in_b) || spans_hold(rest, t) == in_a)
			return false;
		if (spans_hold(a_alone, t) != (in_a && !in_b))
			return false;
	}
	return is_well_formed(either) && is_well_formed(both) && is_well_formed(rest);
}

static bool order_does_not_matter(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem), c = random_set(r, mem);

	return is_same(spans_union(mem, a, b), spans_union(mem, b, a)) &&
		is_same(spans_intersection(mem, a, b), spans_intersection(mem, b, a)) &&
		is_same(spans_union(mem, a, spans_union(mem, b, c)), spans_union(mem, spans_union(mem, a, b), c)) &&
		is_same(spans_intersection(mem, a, spans_intersection(mem, b, c)),
			spans_intersection(mem, spans_intersection(mem, a, b), c));
}

static bool union_and_intersection_distribute(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem), c = random_set(r, mem);

	return is_same(spans_intersection(mem, a, spans_union(mem, b, c)),
		       spans_union(mem, spans_intersection(mem, a, b), spans_intersection(mem, a, c))) &&
		is_same(spans_union(mem, a, spans_intersection(mem, b, c)),
			spans_intersection(mem, spans_union(mem, a, b), spans_union(mem, a, c))) &&
		is_same(spans_union(mem, a, spans_intersection(mem, a, b)), a);
}

static bool complement_twice_is_identity(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem);

	return is_same(spans_complement(mem, spans_complement(mem, a, whole), whole), a);
}

static bool complements_follow_de_morgan(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem);
	const struct spans not_a = spans_complement(mem, a, whole), not_b = spans_complement(mem, b, whole);

	return is_same(spans_complement(mem, spans_union(mem, a, b), whole), spans_intersection(mem, not_a, not_b)) &&
		is_same(spans_complement(mem, spans_intersection(mem, a, b), whole), spans_union(mem, not_a, not_b)) &&
		spans_intersection(mem, a, not_a).n == 0 &&
		is_same(spans_union(mem, a, not_a), spans_one(&whole));
}

static bool lengths_add_up(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem);
	const time_ms both = spans_length(spans_intersection(mem, a, b));
	time_ms within = 0;

	for (size_t k = 0; k < b.n; k++)
		within += spans_length_in(a, b.at[k]);
	return within == both && spans_length(spans_union(mem, a, b)) + both == spans_length(a) + spans_length(b) &&
		spans_length(spans_complement(mem, a, whole)) + spans_length(a) == LAST;
}

static struct spans shifted(struct arena *mem, const struct spans s, const time_ms by)
{
	struct span *at = NEW_ARRAY(mem, struct span, s.n);

	for (size_t i = 0; i < s.n; i++)
		at[i] = (struct span){ s.at[i].begin + by, s.at[i].end + by };
	return (struct spans){ at, s.n };
}

static bool shifting_shifts_results_and_nothing_else(struct random *r, struct arena *mem)
{
	const struct spans a = random_set(r, mem), b = random_set(r, mem);
	const time_ms by = (time_ms)random_below(r, 1000000) * 2000000 - 1000000000000;
	const struct spans late_a = shifted(mem, a, by), late_b = shifted(mem, b, by);
	const struct span late = { whole.begin + by, whole.end + by };

	return is_same(spans_union(mem, late_a, late_b), shifted(mem, spans_union(mem, a, b), by)) &&
		is_same(spans_intersection(mem, late_a, late_b), shifted(mem, spans_intersection(mem, a, b), by)) &&
		is_same(spans_complement(mem, late_a, late), shifted(mem, spans_complement(mem, a, whole), by));
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(sets_of_any_spans_hold_what_the_spans_hold),
		LAW(operations_agree_ms_by_ms),
		LAW(order_does_not_matter),
		LAW(union_and_intersection_distribute),
		LAW(complement_twice_is_identity),
		LAW(complements_follow_de_morgan),
		LAW(lengths_add_up),
		LAW(shifting_shifts_results_and_nothing_else),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
