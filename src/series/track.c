/*
 * track.c - until when a sample counts, and what follows from it.
 *
 *     times     0    1    2              9    10         step 1, HOLE_STEPS 3
 *     holds     [----[----[----)         [----[----)
 *     holes                    [--------)
 *
 * Everything else about tracks is derived from track_until(), which looks at two neighbours
 * only.
 */
#include "series/track.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/order.h"

/* llround(), in place: away from zero in the middle. */
static fixed rounded(const double x)
{
	const fixed whole = (fixed)x;
	const double rest = x - (double)whole;

	return whole + (rest >= 0.5) - (rest <= -0.5);
}

static inline fixed share_of(const fixed value, const fixed of)
{
	return rounded(100.0 * FIXED_ONE * (double)value / (double)of);
}

static inline fixed flag_of(const fixed value, const fixed bit)
{
	return (uint64_t)(value / FIXED_ONE) & (uint64_t)bit ? FIXED_ONE : 0;
}

fixed formula_value(const struct formula *formula, const fixed value)
{
	switch (formula->kind) {
	case FORMULA_AS_IT_IS:
		return value;
	case FORMULA_SHARE:
		return share_of(value, formula->of);
	case FORMULA_MARGIN:
		return formula->of - value;
	case FORMULA_FLAG:
		return flag_of(value, formula->of);
	}
	BUG("no such formula");
}

/* formula_value() of each that is known, a loop for each kind. */
static void formula_values(const struct formula *formula, fixed *const values, const size_t n)
{
	const fixed of = formula->of;

	switch (formula->kind) {
	case FORMULA_AS_IT_IS:
		return;
	case FORMULA_SHARE:
		for (size_t i = 0; i < n; i++)
			values[i] = values[i] == FIXED_MISSING ? FIXED_MISSING : share_of(values[i], of);
		return;
	case FORMULA_MARGIN:
		for (size_t i = 0; i < n; i++)
			values[i] = values[i] == FIXED_MISSING ? FIXED_MISSING : of - values[i];
		return;
	case FORMULA_FLAG:
		for (size_t i = 0; i < n; i++)
			values[i] = values[i] == FIXED_MISSING ? FIXED_MISSING : flag_of(values[i], of);
	}
}

static void read_packed(const struct packed *p, const size_t first, const size_t n, int64_t *out)
{
	for (size_t done = 0; done < n;) {
		const size_t from = (first + done) % PACK, end = n - done < PACK - from ? from + n - done : PACK;

		pack_read(&p->at[(first + done) / PACK], from, end, out + done);
		done += end - from;
	}
}

void track_times(const struct track *t, const size_t first, const size_t n, time_ms *out)
{
	if (!t->times)
		read_packed(&t->clock, first, n, out);
	else if (n > 0)
		memcpy(out, t->times + first, n * sizeof *out);
}

void track_values(const struct track *t, const size_t first, const size_t n, fixed *out)
{
	if (t->values && n > 0)
		memcpy(out, t->values + first, n * sizeof *out);
	if (t->values)
		return;
	read_packed(&t->column, first, n, out);
	formula_values(&t->formula, out, n);
}

/* How far above its line a number of a pack can be at most; of packs without one there is no saying. */
static uint64_t farthest_above(const struct pack *p)
{
	static const uint64_t highest[] = { 0, UINT8_MAX - 1, UINT16_MAX - 1, 0, UINT32_MAX - 1 };

	return p->width < sizeof highest / sizeof *highest ? highest[p->width] * p->unit : UINT64_MAX;
}

static bool hole_follows(const struct track *t, const size_t i)
{
	return track_time(t, i + 1) - track_time(t, i) > longest_hold(t, i);
}

time_ms track_finest_step(const struct track *t)
{
	time_ms finest = t->steps ? INT64_MAX : t->step;

	for (size_t i = 0; t->steps && i < t->n; i += PACK)
		finest = sooner(finest, t->steps[i / PACK].usual);
	return finest;
}

time_ms track_coarsest_step(const struct track *t)
{
	time_ms coarsest = t->steps ? 0 : t->step;

	for (size_t i = 0; t->steps && i < t->n; i += PACK)
		coarsest = later(coarsest, t->steps[i / PACK].longer);
	return coarsest;
}

time_ms track_step_in(const struct track *t, const struct span within)
{
	time_ms coarsest = t->steps ? 0 : t->step;

	if (!t->steps || t->n == 0)
		return coarsest;
	const size_t behind = track_seek(t, within.begin + 1), end = track_seek(t, within.end);
	size_t i = behind ? behind - 1 : 0;
	do
		coarsest = later(coarsest, track_step(t, i));
	while (++i < end);
	return coarsest;
}

/* Of a pack that has one step the time of its rows is what there is to its last one; holes and the end of the track do not matter. */
static time_ms pack_time(const struct track *t, const size_t first, const size_t end)
{
	return sooner(track_time(t, end - 1) - track_time(t, first) + track_step(t, end - 1), PACK * held_at_most(t, first / PACK));
}

double track_share_of_steps(const struct track *t, const time_ms step)
{
	time_ms all = 0, within = 0;

	if (!t->steps)
		return t->step <= step;
	for (size_t i = 0, end; i < t->n; i = end) {
		const struct pack_steps *const pack = &t->steps[i / PACK];
		const bool is_split = (pack->usual <= step) != (pack->longer <= step);

		end = is_split ? i + 1 : i + PACK < t->n ? i + PACK - i % PACK : t->n;
		const time_ms held = is_split ? track_until(t, i) - track_time(t, i) : pack_time(t, i, end);
		all += held;
		within += track_step(t, i) <= step ? held : 0;
	}
	return all ? (double)within / (double)all : 1;
}

bool track_tells(const struct track *t)
{
	for (size_t i = 0, next; i < t->n; i = next) {
		const struct chunk *const chunk = chunk_with(t, i);
		if (chunk ? chunk->low <= chunk->high : track_value(t, i) != FIXED_MISSING)
			return true;
		next = chunk ? (i / CHUNK + 1) * CHUNK : i + 1;
	}
	return false;
}

time_ms track_until(const struct track *t, const size_t i)
{
	const time_ms begin = track_time(t, i), next = i + 1 < t->n ? track_time(t, i + 1) : INT64_MAX;

	return i + 1 < t->n && next - begin <= longest_hold(t, i) ? next : begin + track_step(t, i);
}

struct span track_span(const struct track *t)
{
	if (t->n == 0)
		return (struct span){ 0, 0 };
	return (struct span){ track_time(t, 0), track_until(t, t->n - 1) };
}

/* Does the clock of the chunk that begins with sample i show, without being read, that there is no hole up to the next one? */
static bool has_no_hole(const struct track *t, const size_t i)
{
	const struct chunk *const chunk = chunk_from(t, i, t->n);
	const struct pack *const p = t->times || i % PACK != 0 || i + PACK >= t->n ? NULL : &t->clock.at[i / PACK];
	const time_ms longest = surely_held(t, i / PACK);

	if (chunk && chunk->is_full)
		return true;
	return p && p->slope >= 0 && p->slope <= longest && farthest_above(p) <= (uint64_t)(longest - p->slope) &&
	       pack_at(p + 1, 0) - pack_at(p, PACK - 1) <= longest;
}

/* With `out` NULL they are only counted. */
static size_t holes_between(const struct track *t, struct span *out)
{
	struct cursor c;
	size_t n_holes = 0;

	cursor_start(&c, t);
	for (size_t i = 0; i + 1 < t->n;) {
		if (has_no_hole(t, i)) {
			i += CHUNK;
			continue;
		}
		const time_ms begin = cursor_time(&c, i), next = cursor_time(&c, i + 1);
		if (next - begin > longest_hold(t, i) && out)
			out[n_holes] = (struct span){ begin + track_step(t, i), next };
		n_holes += next - begin > longest_hold(t, i);
		i++;
	}
	return n_holes;
}

struct spans track_holes(struct arena *mem, const struct track *t)
{
	const size_t n_holes = holes_between(t, NULL);
	struct span *holes = NEW_ARRAY(mem, struct span, n_holes);

	if (n_holes)
		holes_between(t, holes);
	return (struct spans){ holes, n_holes };
}

/* Index of the first sample behind i, which has a value, that does not go on: it has none, or there is a hole before it. */
static size_t known_until(const struct track *t, size_t i)
{
	for (;;) {
		const struct chunk *const chunk = chunk_from(t, i, t->n);

		i += chunk && chunk->is_full ? CHUNK : 1;
		if (i >= t->n || track_value(t, i) == FIXED_MISSING || hole_follows(t, i - 1))
			return i;
	}
}

/* Stretches of known samples; with `out` NULL they are only counted. */
static size_t known_stretches(const struct track *t, struct span *out)
{
	size_t n = 0;

	for (size_t i = 0, end; i < t->n; i = end) {
		if (track_value(t, i) == FIXED_MISSING) {
			end = i + 1;
			continue;
		}
		end = known_until(t, i);
		const struct span stretch = { track_time(t, i), track_until(t, end - 1) };

		if (span_length(stretch) <= 0)
			continue;
		if (out != NULL)
			out[n] = stretch;
		n++;
	}
	return n;
}

struct spans track_known(struct arena *mem, const struct track *t)
{
	const size_t n = known_stretches(t, NULL);
	struct span *known = NEW_ARRAY(mem, struct span, n);

	known_stretches(t, known);
	return (struct spans){ known, n };
}

bool track_at(const struct track *t, const time_ms when, fixed *value)
{
	const size_t next = track_seek(t, when);
	const bool is_exact = next < t->n && track_time(t, next) == when;

	if (!is_exact && next == 0)
		return false;
	const size_t i = is_exact ? next : next - 1;
	if (track_value(t, i) == FIXED_MISSING || when >= track_until(t, i))
		return false;
	*value = track_value(t, i);
	return true;
}

/* The first of samples [low, high) that is not before `when`; high when there is none. */
static size_t seek_between(const struct track *t, size_t low, size_t high, const time_ms when)
{
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (track_time(t, middle) < when)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of all samples of pack k that is not before `when`: those of a clock that wavers little are near their line. */
static size_t seek_in_pack(const struct track *t, const size_t k, const time_ms when)
{
	const struct pack *const p = &t->clock.at[k];
	const size_t first = k * PACK, n = t->n - first < PACK ? t->n - first : PACK;
	const uint64_t farthest = farthest_above(p), above = when > p->first ? (uint64_t)when - (uint64_t)p->first : 0;

	column_fetch(t, k); /* what is sought is read next: while the codes of the clock are waited for, those of the column come, too */
	if (p->slope <= 0 || farthest == UINT64_MAX)
		return seek_between(t, first, first + n, when);
	const uint64_t slope = (uint64_t)p->slope, low = above > farthest ? (above - farthest + slope - 1) / slope : 0;
	const uint64_t high = above ? (above - 1) / slope + 1 : 0;
	return seek_between(t, first + (low < n ? low : n), first + (high < n ? high : n), when);
}

/* Does the pack begin before `when`? Mostly that is plain without its codes, which lie elsewhere: no number is below the line. */
static bool begins_before(const struct pack *p, const time_ms when)
{
	if (p->width == sizeof(time_ms))
		return pack_at(p, 0) < when;
	return p->first < when && ((uint64_t)(when - p->first) > farthest_above(p) || pack_at(p, 0) < when);
}

/* Of packs [low, high) the last one that begins before `when`; `low` where none does. */
static size_t pack_before(const struct track *t, size_t low, size_t high, const time_ms when)
{
	while (low + 1 < high) {
		const size_t middle = low + (high - low) / 2;

		if (begins_before(&t->clock.at[middle], when))
			low = middle;
		else
			high = middle;
	}
	return low;
}

size_t track_seek(const struct track *t, const time_ms when)
{
	if (t->times || t->n == 0)
		return seek_between(t, 0, t->n, when);
	return seek_in_pack(t, pack_before(t, 0, packs_for(t->n), when), when);
}

/* Near `from`, in steps that widen. */
static size_t seek_times_from(const struct track *t, size_t from, const time_ms when)
{
	size_t step = 1;

	for (; from + step < t->n && t->times[from + step] < when; step *= 2)
		from += step;
	return seek_between(t, from, from + step < t->n ? from + step : t->n, when);
}

/* Behind pack k one that begins before `when`, as near to it as a steady clock says; or k. */
static size_t near_pack(const struct track *t, const size_t k, const time_ms when)
{
	const time_ms begin = t->clock.at[k].first, length = PACK * t->step, most = (time_ms)(packs_for(t->n) - 1 - k);
	const time_ms ahead = length > 0 && when > begin ? (when - begin) / length - 1 : 0;
	const size_t near = k + (size_t)(ahead < most ? ahead : most);

	return ahead > 0 && begins_before(&t->clock.at[near], when) ? near : k;
}

/* Beside the rest of it, which is short, since a long function has much to save before it begins. */
__attribute__((noinline)) static size_t seek_packed_from(const struct track *t, const size_t from, const time_ms when)
{
	const size_t n = packs_for(t->n);
	size_t k = near_pack(t, from / PACK, when), step = 1;

	for (; k + step < n && begins_before(&t->clock.at[k + step], when); step *= 2)
		k += step;
	return seek_in_pack(t, pack_before(t, k, k + step < n ? k + step : n, when), when);
}

#define NEAR 4U /* samples: where spans are many they are short, and so is what lies between them */

/*
 * Among the next samples, up to twice NEAR, if they are in one pack of narrow codes. The last NEAR of them are all looked at, which takes
 * no branch that is hard to foresee.
 */
static bool seek_near(const struct track *t, const size_t from, const time_ms when, size_t *found)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[from / PACK];
	size_t i = from % PACK;

	if (!p || p->width != 1 || p->slope < 0 || i + 2 * NEAR >= PACK || from + 2 * NEAR >= t->n)
		return false;
	const uint8_t *const codes = p->codes;
	const uint64_t slope = (uint64_t)p->slope, unit = p->unit;
	const uint64_t ahead = when > p->first ? (uint64_t)when - (uint64_t)p->first : 0;
	if ((i + NEAR) * slope + codes[i + NEAR] * unit < ahead)
		i += NEAR;
	if ((i + NEAR) * slope + codes[i + NEAR] * unit < ahead)
		return false;
	*found = from / PACK * PACK + i;
	for (size_t k = 0; k < NEAR; k++)
		*found += (i + k) * slope + codes[i + k] * unit < ahead;
	return true;
}

size_t track_seek_from(const struct track *t, const size_t from, const time_ms when)
{
	size_t found;

	if (from >= t->n)
		return t->n;
	if (seek_near(t, from, when, &found))
		return found;
	return t->times ? seek_times_from(t, from, when) : seek_packed_from(t, from, when);
}

/* How often each difference of neighbouring times comes in a row: a steady log is one entry. */
static size_t count_steps(const time_ms *times, const size_t n, struct ordered *out)
{
	size_t n_out = 0;

	for (size_t i = 1; i < n; i++) {
		const uint64_t key = key_from_integer(times[i] - times[i - 1]);

		if (n_out == 0 || out[n_out - 1].key != key)
			out[n_out++] = (struct ordered){ key, 0 };
		out[n_out - 1].load++;
	}
	return n_out;
}

/* Of an even number of differences the lower middle one: a step that the log really made. */
time_ms median_step(struct arena *scratch, const time_ms *times, const size_t n)
{
	if (n < 2)
		return 0;
	struct ordered *steps = NEW_ARRAY(scratch, struct ordered, n - 1);
	const size_t n_steps = count_steps(times, n, steps);

	order_sort(scratch, steps, n_steps);
	return integer_from_key(order_quantile(steps, n_steps, (int64_t)(n - 1), 50));
}
