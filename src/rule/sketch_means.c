/*
 * sketch_means.c - the mean of a window is that of the few samples wholly inside of it, but for what is beside them, which lies in the
 * range of all.
 *
 *     window       [------------------------------)
 *     few      |.......|.......|.......|.......|.......|
 *              at      |------ inside -|       end
 */
#include "rule/sketch_parts.h"

enum { KEPT_FEW = 256 }; /* more than blocks beside each other are shown of; else some are worked out again */

struct means {
	const struct sums *sums;
	double factor; /* to the first unit of the dimension */
	time_ms width, few;
	size_t together; /* so many few windows begin in are looked at as one */
	struct span hull;
	size_t part;    /* of the sums, in which windows begin and end */
	size_t at, end; /* few: in which a window begins, and the first that does not end inside */
	struct extent *kept; /* of windows that begin in few [from, until): blocks beside each other are shown many of the same */
	size_t from, until;  /* no more than KEPT_FEW, each at its number modulo that */
};

/* The first few that are added up. Of those before it, as many as windows begin in, no sample is judged. */
static int64_t first_few(const struct means *m)
{
	return (int64_t)m->sums->parts.at[0].first;
}

static time_ms few_begin(const struct means *m, int64_t few)
{
	const int64_t first = first_few(m);

	return few < first ? m->sums->begin[first] + (few - first) * m->few : m->sums->begin[few];
}

/* In which one a window begins; the next one begins no sooner. */
static int64_t few_at(struct means *m, time_ms when)
{
	const struct sums *const s = m->sums;
	const int64_t first = first_few(m);

	if (when < s->begin[first])
		return first - (s->begin[first] - when + m->few - 1) / m->few;
	while (m->part + 1 < s->parts.n && s->begin[s->parts.at[m->part + 1].first] <= when)
		m->at = m->end = s->parts.at[++m->part].first;
	while (m->at + 1 < s->parts.at[m->part].end && s->begin[m->at + 1] <= when)
		m->at++;
	return (int64_t)m->at;
}

/* The first few that windows do not see all of which end no sooner than that: the last ones in order, or not far before. */
static size_t end_at(struct means *m, time_ms when)
{
	const struct stretch part = m->sums->parts.at[m->part];
	const time_ms *const begin = m->sums->begin;

	while (m->end > part.first && begin[m->end] > when)
		m->end--;
	while (m->end < part.end && begin[m->end + 1] <= when)
		m->end++;
	return m->end;
}

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
	const size_t inside = at < first_few(m) ? (size_t)first_few(m) : (size_t)at + n;

	end_at(m, first + m->width);
	if (m->end <= inside)
		return anything;
	const time_ms longest = sooner(next + m->width, m->hull.end) - later(first, m->hull.begin);
	const time_ms beside =
		sooner(m->width, longest) - (sooner(s->begin[m->end], m->hull.end) - later(s->begin[inside], m->hull.begin));
	const time_ms known = s->begin[m->end] - s->begin[inside] - (s->blank[m->end] - s->blank[inside]);
	const double sum = m->factor * (double)(int64_t)(s->before[m->end] - s->before[inside]);
	if (!known || 2 * known < sooner(m->width, longest))
		return anything;
	const double mean = sum / (double)known;
	return (struct extent){ lowest_mean(mean, sum, (double)known, (double)beside, b->below, all.low, b->inner.low),
		highest_mean(mean, sum, (double)known, (double)beside, b->above, all.high, b->inner.high) };
}

/* Those of windows that begin in some few which are kept; `at` goes on to the first that are not. */
static struct extent means_kept(const struct means *m, size_t *at)
{
	struct extent r = nothing;
	size_t i = *at;

	if (i < m->from || m->until <= i)
		return r;
	for (; i < m->until; i += m->together)
		r = joined_range(r, m->kept[i % KEPT_FEW]);
	*at = m->until;
	return r;
}

/* All windows that begin in few [first, until) are shown, and their means put where they are kept. */
static void keep_means(struct means *m, size_t first, size_t until)
{
	m->from = first == m->until ? m->from : first;
	m->until = until;
	if (m->until - m->from > KEPT_FEW)
		m->from = m->until - KEPT_FEW;
}

static size_t together_until(const struct means *m, size_t at)
{
	const size_t end = m->sums->parts.at[m->part].end;

	return at + m->together < end ? at + m->together : end;
}

/* Of all windows that begin in few from `first` on and before a moment; none of these is before the first sample. */
static struct extent means_from(struct means *m, size_t first, time_ms until, struct extent all, const struct beyond *b)
{
	const size_t part_end = m->sums->parts.at[m->part].end;
	size_t kept = first;
	struct extent r = nothing;

	for (size_t i = first, next; i < part_end && m->sums->begin[i] < until && !is_anything(r); i = next) {
		next = together_until(m, i);
		const struct extent mean = mean_at(m, (int64_t)i, next - i, all, b);
		r = joined_range(r, mean);
		if (m->sums->begin[next] <= until) {
			m->kept[i % KEPT_FEW] = mean;
			kept = next;
		}
	}
	keep_means(m, first, kept);
	return r;
}

/* The mean of windows that see all of few [first, end), and beside these nothing that is not known; anything where half of one is not. */
static inline struct extent mean_of(const struct means *m, size_t first, size_t end, struct extent all, const struct beyond *b)
{
	const struct sums *const s = m->sums;
	const time_ms hidden = s->blank[end] - s->blank[first], known = m->width - hidden;

	if (hidden > known)
		return anything;
	const double beside = (double)(m->width - (s->begin[end] - s->begin[first])), share = 1 / (double)known;
	const double below = b->below < beside ? b->below : beside, above = b->above < beside ? b->above : beside;
	const double sum = m->factor * (double)(int64_t)(s->before[end] - s->before[first]);
	return (struct extent){ (sum + b->inner.low * beside + (all.low - b->inner.low) * below) * share,
		(sum + b->inner.high * beside + (all.high - b->inner.high) * above) * share };
}

/* Of windows that see few up to `inside` and begin before `until`: is all known that one of them sees behind these? */
static bool are_known(const struct means *m, size_t inside, time_ms until)
{
	const struct sums *const s = m->sums;
	const size_t beside = inside + m->together + 2;

	return beside <= s->parts.at[m->part].end && s->blank[inside] == s->blank[beside] && s->begin[beside] >= until + m->width;
}

/* The same as means_from() of windows between the first and the last judged moment. What few they see in part is known, mostly. */
static struct extent means_inside(struct means *m, size_t first, time_ms until, struct extent all, struct beyond b)
{
	const size_t part_end = m->sums->parts.at[m->part].end;
	const time_ms *const begin = m->sums->begin;
	const summed_ms *const blank = m->sums->blank;
	size_t kept = first, end = 0;
	struct extent r = nothing;

	if (first < part_end)
		end = end_at(m, begin[first] + m->width);
	for (size_t i = first, next; i < part_end && begin[i] < until; i = next) {
		next = together_until(m, i);
		while (end < part_end && begin[end + 1] <= begin[i] + m->width)
			end++;
		const size_t inside = end > next ? end : next;
		const bool is_known = blank[i] == blank[next] && are_known(m, inside, begin[next]);
		const struct extent mean = is_known ? mean_of(m, next, inside, all, &b) : mean_at(m, (int64_t)i, next - i, all, &b);
		r = joined_range(r, mean);
		if (begin[next] <= until) {
			m->kept[i % KEPT_FEW] = mean;
			kept = next;
		}
	}
	keep_means(m, first, kept);
	m->end = end;
	return r;
}

/* The first of those few that are looked at as one. */
static size_t aligned(const struct means *m, size_t few)
{
	return few - (few - m->sums->parts.at[m->part].first) % m->together;
}

struct extent means_seen(struct means *m, struct span begins, struct extent all, const struct beyond *b, struct extent before)
{
	const int64_t first = few_at(m, begins.begin), end = (int64_t)m->sums->parts.at[m->part].end;
	const bool is_before = first < first_few(m);
	struct extent r = nothing;

	if (is_anything(all))
		return before;
	for (int64_t i = first; is_before && i < end && few_begin(m, i) < begins.end && !is_anything(r); i++)
		r = joined_range(r, mean_at(m, i, 1, all, b));
	if (!is_before) {
		size_t at = aligned(m, (size_t)first);
		r = means_kept(m, &at);
		r = joined_range(r, means_from(m, at, begins.end, all, b));
	}
	if (r.low > r.high || is_anything(r))
		return before;
	return (struct extent){ fmax(r.low, all.low), fmin(r.high, all.high) };
}

struct extent means_in_midst(struct means *m, struct span begins, struct extent all, const struct beyond *b)
{
	const int64_t first = few_at(m, begins.begin);

	if (first < first_few(m))
		return all;
	size_t at = aligned(m, (size_t)first);
	const struct extent kept = means_kept(m, &at), r = joined_range(kept, means_inside(m, at, begins.end, all, *b));
	return (struct extent){ r.low > all.low ? r.low : all.low, r.high < all.high ? r.high : all.high };
}

/* Of so many few to a window those that it cuts at its ends matter little, whatever their samples are. */
#define MANY_FEW 64

bool means_ask_what_is_odd(const struct means *m)
{
	return m->width < MANY_FEW * m->few;
}

struct means *means_new(struct arena *mem, struct store *store, const struct track *track, size_t time, time_ms width,
	const struct some_blocks *seen)
{
	const struct sums *const sums = track->step > 0 ? track_sums(store, mem, track, time, seen) : NULL;
	const time_ms few = FEW * track->step;

	if (!sums || !sums->parts.n || width > sums->longest)
		return NULL;
	struct means *const m = NEW(mem, struct means);
	*m = (struct means){
		.sums = sums,
		.factor = unit_table[metric_table[track->metric].unit].factor / FIXED_ONE,
		.width = width,
		.few = few,
		.together = width < MANY_FEW * few ? 1 : (size_t)(width / few) / (MANY_FEW / 2),
		.hull = store->plan->times[time].hull,
		.at = sums->parts.at[0].first,
		.end = sums->parts.at[0].first,
		.kept = NEW_RAW_ARRAY(mem, struct extent, KEPT_FEW),
	};
	return m;
}
