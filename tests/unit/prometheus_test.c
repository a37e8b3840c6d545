/*
 * prometheus_test.c - `for` and `keep_for` against the alerts of Prometheus.
 *
 * What its documentation says of an alerting rule, evaluated at each `step`:
 *
 *     true     an alert that is not there becomes active (ActiveAt is now) and pending;
 *              it fires as soon as now - ActiveAt >= for, at once without `for`
 *     false    a pending alert is forgotten; a firing one is resolved, but stays firing
 *              while now - KeepFiringSince < keep_firing_for, where KeepFiringSince is the first false one since it was
 *              last true; true again meanwhile, it goes on firing
 *
 * Prometheus knows the moments of evaluation. A truth line knows the time between them too: a sample holds until the
 * next, so that a series of a regular step is true over [first true, last true + step). The mapping, for the same `for` and
 * `keep_for` on both sides:
 *
 *     Prometheus fires at the evaluations in [begin + for, end) of each of our windows [begin, end), because our windows begin
 *     where the condition became true and not `for` later; and in [end, end + keep_for), which is what we don't
 *     show: our windows end with the last true sample
 *
 * Where they differ, and the rows below that show it:
 *
 *     seen     A stretch of n samples is n steps long for us, but Prometheus sees its first and its last one n - 1 steps
 *              apart. One that is `for` long and less than a step longer is a window of ours that has no evaluation in
 *              [begin + for, end): Prometheus forgets it while it is pending. So its `for: D` is our `for: D + step`; with
 *              that the windows are the same, one for one, and the second law is about that.
 *     kept     Such a window of ours also goes on by `keep_for`, which the alert that never fired doesn't.
 *     rounded  Prometheus resolves at evaluations only, so that its keep_firing_for is rounded up to whole steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "property/laws.h"
#include "series/truth.h"

#define MOST_SAMPLES 64
#define N_CASES 125000 /* one in six has an unseen stretch: 10^5 are left of the law that leaves these out */
#define SEED 20261121

struct alerting {
	time_ms step, hold, keep;
};

/* The machine of the essay: 'F' fires, 'K' is kept firing though false, '.' doesn't fire. */
static void prometheus(const char *series, struct alerting a, char *fires)
{
	enum { INACTIVE, PENDING, FIRING } state = INACTIVE;
	time_ms active_at = 0, keep_since = TIME_UNKNOWN;
	size_t i = 0;

	for (; series[i]; i++) {
		const time_ms now = (time_ms)i * a.step;
		fires[i] = '.';
		if (series[i] == '1') {
			keep_since = TIME_UNKNOWN;
			if (state == INACTIVE) {
				state = PENDING;
				active_at = now;
			}
			if (state == PENDING && now - active_at >= a.hold)
				state = FIRING;
			if (state == FIRING)
				fires[i] = 'F';
			continue;
		}
		if (state == FIRING && keep_since == TIME_UNKNOWN)
			keep_since = now;
		if (state == FIRING && now - keep_since < a.keep)
			fires[i] = 'K';
		else
			state = INACTIVE;
	}
	fires[i] = '\0';
}

static struct truths line_of(struct arena *mem, const char *series, time_ms step)
{
	struct cut *cuts = NEW_ARRAY(mem, struct cut, strlen(series));
	size_t n = 0, i = 0;

	for (; series[i]; i++)
		if (i == 0 || series[i] != series[i - 1])
			cuts[n++] = cut_made((time_ms)i * step, series[i] == '1' ? YES : NO);
	return (struct truths){ cuts, n, (time_ms)i * step };
}

static struct spans windows_of(struct arena *mem, const char *series, struct alerting a)
{
	return truths_spans(mem, truths_persisted(mem, line_of(mem, series, a.step), a.hold, a.keep), YES);
}

/* The mapping: at which evaluations Prometheus fires, by our windows. */
static void fires_by_windows(struct spans windows, const char *series, struct alerting a, char *fires)
{
	size_t i = 0;

	for (; series[i]; i++) {
		const time_ms now = (time_ms)i * a.step;
		fires[i] = '.';
		for (size_t w = 0; w < windows.n; w++) {
			const struct span window = windows.at[w];
			if (now >= window.begin + a.hold && now < window.end)
				fires[i] = series[i] == '1' ? 'F' : 'K';
			/* nothing is kept of what no evaluation saw fire: the last one is a step before the end */
			if (now >= window.end && now < window.end + a.keep && window.end - a.step >= window.begin + a.hold)
				fires[i] = series[i] == '1' ? 'F' : 'K';
		}
	}
	fires[i] = '\0';
}

static const char *shown_windows(struct arena *mem, struct spans windows)
{
	const char *text = "";

	for (size_t i = 0; i < windows.n; i++)
		text = arena_print(mem, "%s%s%lld-%lld", text, i ? " " : "", (long long)(windows.at[i].begin / SECOND_MS),
			(long long)(windows.at[i].end / SECOND_MS));
	return text;
}

enum agreement { SAME, APART }; /* does the mapping give what Prometheus does? */
struct alert_case {
	const char *series;        /* the condition at 0, step, 2 x step, … */
	int step_s, hold_s, keep_s;
	const char *fires;         /* Prometheus, at the same moments, by hand */
	const char *windows;       /* ours, in seconds, by hand */
	enum agreement agreement;
};

static const struct alert_case cases[] = {
	/* never true: nothing becomes active */
	{ "0000000", 10, 0, 0, ".......", "", SAME },
	/* without `for` an alert fires at the evaluation that makes it active */
	{ "0011100", 10, 0, 0, "..FFF..", "20-50", SAME },
	/* the same of one sample, which holds for a step */
	{ "0010000", 10, 0, 0, "..F....", "20-30", SAME },
	/* ... of the first and of the last evaluation */
	{ "1000001", 10, 0, 0, "F.....F", "0-10 60-70", SAME },
	/* ... always */
	{ "1111111", 10, 0, 0, "FFFFFFF", "0-70", SAME },
	/* ... every other time: resolved at each false one, since nothing is kept */
	{ "0101010", 10, 0, 0, ".F.F.F.", "10-20 30-40 50-60", SAME },

	/* active at 10; 20 - 10 < 20, 30 - 10 >= 20: fires from 30 to the last true one at 50 */
	{ "0111110", 10, 20, 0, "...FFF.", "10-60", SAME },
	/* inclusive: active at 10, 40 - 10 >= 30 at the last true one */
	{ "0111100", 10, 30, 0, "....F..", "10-50", SAME },
	/* active at 10, 20 - 10 < 30: forgotten at 30; 20 s of time are less than 30 s, too */
	{ "0110000", 10, 30, 0, ".......", "", SAME },
	/* seen: active at 10, 30 - 10 < 30, forgotten at 40; but from 10 to 40 it was true for 30 s. [10 + 30, 40) holds no evaluation */
	{ "0111000", 10, 30, 0, ".......", "10-40", SAME },
	/* active at 0, pending at 20, forgotten at 30; active again at 40, 60 - 40 < 40; 30 s and 30 s are not 40 s */
	{ "1110111", 10, 40, 0, ".......", "", SAME },
	/* the same, but 80 - 40 >= 40: the time before the false one counts for nothing */
	{ "1110111110", 10, 40, 0, "........F.", "40-90", SAME },
	/* active at 30, 60 - 30 >= 30 at the last evaluation there is */
	{ "0001111", 10, 30, 0, "......F", "30-70", SAME },
	/* 30 - 0 < 60 when the series ends; 40 s are less than 60 s */
	{ "1111", 10, 60, 0, "....", "", SAME },
	/* seen: pending at each single one and forgotten at the next, 70 - 60 >= 10 at last; for us each is true for 10 s */
	{ "10101011", 10, 10, 0, ".......F", "0-10 20-30 40-50 60-80", SAME },
	/* active at 0; 15, 30, 45 are less than 60; 60 - 0 >= 60 */
	{ "111110", 15, 60, 0, "....F.", "0-75", SAME },
	/* five minutes by the minute: 300 - 0 >= 300 */
	{ "11111100", 60, 300, 0, ".....F..", "0-360", SAME },
	/* `for` between two evaluations: 20 - 0 < 25, 30 - 0 >= 25 */
	{ "1111000", 10, 25, 0, "...F...", "0-40", SAME },
	/* seen: 20 - 0 < 25, forgotten at 30; true for 30 s. [25, 30) holds no evaluation */
	{ "1110000", 10, 25, 0, ".......", "0-30", SAME },
	/* `for` shorter than a step: 0 - 0 < 5 pending, 10 - 0 >= 5 */
	{ "0110100", 10, 5, 0, "..F....", "10-30 40-50", SAME },

	/* kept since 30: 30 - 30 < 20 and 40 - 30 < 20 stay, 50 - 30 is not less: resolved; what we show ends at 30 */
	{ "1110000", 10, 0, 20, "FFFKK..", "0-30", SAME },
	/* kept at 30 and 40, true again at 50: it went on firing */
	{ "1110011", 10, 0, 20, "FFFKKFF", "0-70", SAME },
	/* kept at 30 and 40, resolved at 50; active anew at 60 */
	{ "11100011", 10, 0, 20, "FFFKK.FF", "0-30 60-80", SAME },
	/* kept for a step: each false one is the first since it was true, 10 - 10 < 10 */
	{ "1010101", 10, 0, 10, "FKFKFKF", "0-70", SAME },
	/* kept for a step: 10 - 10 < 10 stays, 20 - 10 is not less */
	{ "1001001", 10, 0, 10, "FK.FK.F", "0-10 30-40 60-70", SAME },
	/* kept for longer than the series goes on */
	{ "1110", 10, 0, 60, "FFFK", "0-30", SAME },
	/* 20 - 0 >= 20; kept at 30 and 40, resolved at 50; pending at 60, which is not enough */
	{ "1110001", 10, 20, 20, "..FKK..", "0-30", SAME },
	/* the same, and after 60 - the new ActiveAt - 80 - 60 >= 20 */
	{ "11100011111", 10, 20, 20, "..FKK...FFF", "0-30 60-110", SAME },
	/* pending is not kept: forgotten at 10 whatever is kept; active at 20, 40 - 20 >= 20; kept at 60 */
	{ "1011110", 10, 20, 60, "....FFK", "20-60", SAME },
	/* once it fires no `for` is asked: 30 - 0 >= 30, kept at 40, true for one sample at 50, kept at 60 and 70, 80 - 60 >= 20 */
	{ "111101000", 10, 30, 20, "...FKFKK.", "0-60", SAME },
	/* from stretch to stretch: 20 - 0 >= 20; kept at 30 and at 50; 80 - 80 and 90 - 80 < 20 */
	{ "1110101100", 10, 20, 20, "..FKFKFFKK", "0-80", SAME },
	/* the first stretch is too short for anything to be kept; 80 - 40 >= 40, kept at 90, 100 - 90 >= 10 */
	{ "11101111100", 10, 40, 10, "........FK.", "40-90", SAME },
	/* less than a step is kept: 20 - 20 < 5 stays, true again at 30. We show two windows; Prometheus fires in both and between */
	{ "1101", 10, 0, 5, "FFKF", "0-20 30-40", SAME },

	/* kept: pending at 20, forgotten at 30, 60 - 40 < 30. For us 30 s have fired and go on over 10 s of false */
	{ "1110111", 10, 30, 20, ".......", "0-70", APART },
	/* rounded: 20 - 0 >= 20, kept at 30 (30 - 30 < 5), true at 40 and so still the same alert. For us 10 s of false are more than 5 s */
	{ "11101", 10, 20, 5, "..FKF", "0-30", APART },
};

static void rows_are_as_prometheus_fires(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct alert_case *c = &cases[i];
		const struct alerting a = { c->step_s * SECOND_MS, c->hold_s * SECOND_MS, c->keep_s * SECOND_MS };
		const struct spans windows = windows_of(&mem, c->series, a);
		char fires[MOST_SAMPLES + 1], mapped[MOST_SAMPLES + 1];

		prometheus(c->series, a, fires);
		fires_by_windows(windows, c->series, a, mapped);
		const bool same = strcmp(mapped, c->fires) == 0;
		if (strcmp(fires, c->fires) != 0 || strcmp(shown_windows(&mem, windows), c->windows) != 0 || same != (c->agreement == SAME))
			fail_msg("%s, step %d s, for %d s, keep_for %d s: Prometheus %s, by our windows %s, which are %s", c->series, c->step_s,
				c->hold_s, c->keep_s, fires, mapped, shown_windows(&mem, windows));
	}
	arena_release(&mem);
}

static void random_series(struct random *r, char *series)
{
	const int n = 1 + random_below(r, MOST_SAMPLES), one_in = 1 + random_below(r, 8);

	for (int i = 0; i < n; i++)
		series[i] = (char)(i == 0 || random_one_in(r, one_in) ? '0' + random_below(r, 2) : series[i - 1]);
	series[n] = '\0';
}

/* `for` on the evaluations or between them; what is kept is whole steps. */
static struct alerting random_alerting(struct random *r)
{
	static const int steps_s[] = { 1, 5, 10, 15, 30, 60 };
	const time_ms step = steps_s[random_below(r, 6)] * SECOND_MS;
	const bool on_grid = random_one_in(r, 2);

	return (struct alerting){
		.step = step,
		.hold = on_grid ? random_below(r, 12) * step : random_below(r, (int)(12 * step)),
		.keep = random_below(r, 6) * step,
	};
}

/* Is there a stretch that is `for` long but less than a step longer: for us it fires, an evaluation can't see it? */
static bool has_unseen(struct truths line, struct alerting a)
{
	for (size_t i = 0; i < line.n; i++) {
		const time_ms length = (i + 1 < line.n ? line.at[i + 1].at : line.end) - line.at[i].at;
		if (line.at[i].truth == YES && length >= a.hold && length < a.hold + a.step)
			return true;
	}
	return false;
}

static bool maps_exactly(const char *series, struct alerting a, struct arena *mem)
{
	char fires[MOST_SAMPLES + 1], mapped[MOST_SAMPLES + 1];

	prometheus(series, a, fires);
	fires_by_windows(windows_of(mem, series, a), series, a, mapped);
	return strcmp(fires, mapped) == 0;
}

static bool same_for_without_keep(const char *series, struct alerting a, struct arena *mem)
{
	a.keep = 0;
	return maps_exactly(series, a, mem);
}

static bool same_for_and_keep_but_for_the_unseen(const char *series, struct alerting a, struct arena *mem)
{
	return has_unseen(line_of(mem, series, a.step), a) || maps_exactly(series, a, mem);
}

/* Each alert that fired is a window of ours from its ActiveAt to the end of its last true sample, and no other is. */
static bool for_and_a_step_is_one_for_one(const char *series, struct alerting a, struct arena *mem)
{
	const struct spans windows = windows_of(mem, series, (struct alerting){ a.step, a.hold + a.step, a.keep });
	char fires[MOST_SAMPLES + 1];
	size_t n = 0;

	prometheus(series, a, fires);
	for (size_t i = 0; series[i]; i++) {
		if (fires[i] != 'F' || (i > 0 && fires[i - 1] != '.'))
			continue;
		size_t first = i, last = i;
		while (first > 0 && series[first - 1] == '1' && fires[first - 1] == '.')
			first--;
		for (size_t k = i; series[k] && fires[k] != '.'; k++)
			if (fires[k] == 'F')
				last = k;
		if (n == windows.n || windows.at[n].begin != (time_ms)first * a.step || windows.at[n].end != (time_ms)(last + 1) * a.step)
			return false;
		n++;
	}
	return n == windows.n;
}

static void check(bool (*holds)(const char *series, struct alerting a, struct arena *mem), const char *name)
{
	char series[MOST_SAMPLES + 1];

	printf("%s: %d random series, seed %d\n", name, N_CASES, SEED);
	for (int i = 0; i < N_CASES; i++) {
		struct random r = { (uint64_t)(SEED + i) };
		struct arena mem;

		arena_init(&mem);
		random_series(&r, series);
		const struct alerting a = random_alerting(&r);
		const bool good = holds(series, a, &mem);
		const char *windows = good ? "" : shown_windows(&mem, windows_of(&mem, series, a));
		if (!good)
			fail_msg("seed %d: %s, step %lld ms, for %lld ms, keep_for %lld ms: windows %s", SEED + i, series, (long long)a.step,
				(long long)a.hold, (long long)a.keep, windows);
		arena_release(&mem);
	}
}

static void random_series_map_without_keep(void **state)
{
	(void)state;
	check(same_for_without_keep, "the same `for`");
}

static void random_series_map_but_for_the_unseen(void **state)
{
	(void)state;
	check(same_for_and_keep_but_for_the_unseen, "the same `for` and `keep_for`, nothing unseen");
}

static void random_series_are_one_for_one(void **state)
{
	(void)state;
	check(for_and_a_step_is_one_for_one, "`for` and a step, the same `keep_for`");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_as_prometheus_fires),
		cmocka_unit_test(random_series_map_without_keep),
		cmocka_unit_test(random_series_map_but_for_the_unseen),
		cmocka_unit_test(random_series_are_one_for_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
