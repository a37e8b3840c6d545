/*
 * phase_test.c - idle head, start-up, steady, dips, down, tail: drawn, one character a second, both for what the GPU
 * did (tens of percent busy, thousands of MiB held) and for what is made of it (h, u, s, t; i for dips, o for down).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

static const char *drawn_phases(struct logs *logs, const struct run *run, size_t n)
{
	static const char letters[N_PHASES] = { 'h', 'u', 's', 'i', 'o', 't', '-' };
	char *picture = NEW_ARRAY(&logs->mem, char, n + 1);

	memset(picture, '.', n);
	for (size_t i = 0; i < run->n_phases; i++) {
		const struct span s = run->phases[i].span;
		for (time_ms t = s.begin; t < s.end && t < DAWN + (time_ms)n * SECOND_MS; t += SECOND_MS)
			picture[(t - DAWN) / SECOND_MS] = letters[run->phases[i].phase];
	}
	return picture;
}

static void finds_phases(void **state)
{
	static const struct {
		const char *busy, *memory, *phases;
	} cases[] = {
		/* nothing, imports, the model is loaded, the first data is awaited, training, clean-up */
		{ "00000009989990000", "00011999999990000", "hhhuusssssssstttt" },
		/* more than seconds with the model in place is loading, too */
		{ "000000000000009999000", "000119999999999999000", "hhhuuuuuuuuuuussssttt" },
		/* eight seconds may be two batches of which the first was missed */
		{ "00000000000009999000", "00011999999999999000", "hhhuussssssssssssttt" },
		/* what the driver shows on an idle GPU is no memory that a job holds */
		{ "00000009989990000", "ddd119999999ddddd", "hhhuusssssssttttt" },
		{ "0000000000", "dddddddddd", "ssssssssss" },
		/* busy at once */
		{ "99999999", "99999999", "ssssssss" },
		/* memory not logged: busy alone tells */
		{ "0000999099900", NULL, "hhhhssssssstt" },
		/* a blip while a context is made is no work */
		{ "0000999990", NULL, "hhhhssssst" },
		/* never touched: all of it is judged */
		{ "00000000", "00000000", "ssssssss" },
		{ "00000000", NULL, "ssssssss" },
		/* memory is held and nothing done with it: judged from when it is there */
		{ "0000000000", "0005555500", "hhhssssstt" },
		/* the wait for the first batch is no loading */
		{ "0000000900090009000", "0005555555555555000", "hhhsssssssssssssttt" },
		/* a pause in the middle is the rules' business */
		{ "0099000099000", "0099999999000", "hhssssssssttt" },
		/* memory was given back in the middle: down, then loading once more */
		{ "009990000009990", "099990000199990", "hssssoooousssst" },
		/* and after the restart the first data is awaited with the model in place */
		{ "0099900000000000000990", "0999990000999999999990", "hsssssoooouuuuuuuuusst" },
		/* it never worked again: it was loading until the end */
		{ "0099900000000000", "0999990000999990", "hsssssoooouuuuut" },
		/* for one row it may be the sensor's slip */
		{ "0999999999990", "0999990999990", "hssssssssssst" },
		/* busy while no memory is held is no crash but what the log does not know */
		{ "0999999999990", "0999900009990", "hssssssssssst" },
		/* what something holds a little later is no work that went on until then */
		{ "0999990000000", "0999990000110", "hsssssoooouut" },
		/* a hole before the work does not begin it */
		{ "00____0999", "0000009999", "hhhhhhssss" },
		/* what no log tells after a crash is no loading */
		{ "00999000        001990", "09999900        119990", "hsssssoooooooooouussst" },
		/* all but a crumb is given back, and what little is done with that is no work */
		{ "00099999999999999001300", "001XXXXXXXXXXXXXXcccccc", "hhusssssssssssssstttttt" },
		{ "00099999999999999001300", "001XXXXXXXXXXXXXXcccc00", "hhusssssssssssssstttttt" },
		/* but a GPU that works on with that is at work */
		{ "00099999999999999099900", "001XXXXXXXXXXXXXXcccc00", "hhusssssssssssssssssstt" },
		{ "00099999999999999001300", "001XXXXXXXXXXXXXX111100", "hhusssssssssssssssssstt" },
		/* one row has no length */
		{ "9", NULL, "." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, cases[i].busy, cases[i].memory, 0));
		run_settle(run);
		assert_string_equal(drawn_phases(logs, run, strlen(cases[i].busy)), cases[i].phases);
	}
}

/* That its log ends while it is held is no end of work. */
static void memory_that_is_logged_no_more_is_not_given_back(void **state)
{
	static const char busy[] = "000999999999999", *const memory[] = { "0009999", "000999900" },
		*const phases[] = { "hhhssssssssssss", "hhhsssstttttttt" };
	struct logs *logs = *state;

	for (size_t i = 0; i < 2; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		run_take(logs, run, "busy.csv", gpu_log(&logs->mem, busy, NULL, 0));
		run_take(logs, run, "memory.csv",
			gpu_log(&logs->mem, arena_text(&logs->mem, busy, strlen(memory[i])), memory[i], 0));
		run_settle(run);
		assert_string_equal(drawn_phases(logs, run, strlen(busy)), phases[i]);
	}
}

#define CLOCK(h, m, s) (((h) * 60 + (m)) * 60 + (s)) * SECOND_MS

/* DAWN is 02:00:00. Times of day are of the first day that has to do with the run; what is marked is nowhere told as seen. */
static void marks_go_over_what_was_found(void **state)
{
	static const struct {
		struct phase_mark mark;
		const char *phases, *note;
	} cases[] = {
		{ { PHASE_TAIL, { CLOCK(2, 0, 6), CLOCK(2, 0, 30) }, true, true, "m" }, "hhhuustttttttttt",
		  "02:00:06 to 02:00:16 is tail because --mark says so." },
		/* to the minute: it began before the first row, and is cut */
		{ { PHASE_IDLE_HEAD, { CLOCK(1, 59, 0), CLOCK(2, 0, 5) }, true, true, "m" }, "hhhhhssssssssttt",
		  "02:00:00 to 02:00:05 is idle-head because --mark says so." },
		{ { PHASE_TAIL, { CLOCK(2, 0, 9), CLOCK(2, 0, 6) }, true, true, "m" }, "hhhuussssssssttt", "--mark m ends before it begins and has no effect." },
		{ { PHASE_TAIL, { CLOCK(2, 0, 9), CLOCK(2, 0, 9) }, true, true, "m" }, "hhhuussssssssttt", "--mark m ends before it begins and has no effect." },
		{ { PHASE_TAIL, { CLOCK(5, 0, 0), CLOCK(6, 0, 0) }, true, true, "m" }, "hhhuussssssssttt",
		  "--mark m lies outside of the run and has no effect." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "0000000998999000", "0001199999999000", 0));
		run_settle(run);
		phases_mark(run, &cases[i].mark, 1);
		assert_string_equal(drawn_phases(logs, run, 16), cases[i].phases);
		assert_string_equal(run->notes[run->n_notes - 1].text, cases[i].note);
		if (!run->marked.n)
			continue;
		const enum metric fact = cases[i].mark.phase == PHASE_TAIL ? METRIC_RUN_TAIL : METRIC_RUN_START;
		for (size_t k = 0; k < run->n_tracks; k++) {
			fixed told;
			if (run->tracks[k]->metric == fact)
				assert_false(track_at(run->tracks[k], run->marked.at[0].begin, &told));
		}
	}
}

/* The facts of GPU 0 in a run with this busy share, a row a second: "13 s, 5 s at 88, 4", or "" without a rhythm. */
static const char *rhythm_of(struct logs *logs, const char *busy)
{
	static const enum metric facts[] = { METRIC_GPU_RHYTHM, METRIC_GPU_RHYTHM_WORK, METRIC_GPU_RHYTHM_HIGH, METRIC_GPU_RHYTHM_LOW };
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	double told[4];

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, busy, NULL, 0));
	run_settle(run);
	for (size_t i = 0; i < 4; i++) {
		const struct track *t = run_track(run, run->gpus[0], facts[i]);
		if (!t)
			return "";
		told[i] = fixed_value(t->values[0]);
	}
	return arena_print(&logs->mem, "%.1f s, %.0f s at %.0f, %.0f", told[0], told[1], told[2], told[3]);
}

static const char *many(struct logs *logs, const char *text, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++)
		all = arena_print(&logs->mem, "%s%s", all, text);
	return all;
}

static void a_rhythm_is_told_where_it_is_steady(void **state)
{
	static const struct {
		const char *piece;
		size_t times;
		const char *rhythm;
	} cases[] = {
		{ "9990000", 20, "7.0 s, 3 s at 90, 0" },
		{ "999000099900000", 20, "7.5 s, 3 s at 90, 0" },
		/* eleven starts are ten steps, and the first one is where the work begins */
		{ "9990000", 12, "7.0 s, 3 s at 90, 0" },
		{ "9990000", 11, "" },
		/* fewer than five rows */
		{ "9900", 40, "" },
		{ "99000", 40, "5.0 s, 2 s at 90, 0" },
		/* at random */
		{ "99000999999900000000000990000900000000999999", 10, "" },
		/* a ripple, and one that never rests */
		{ "9996666", 20, "" },
		{ "9993333", 20, "" },
		{ "9992222", 20, "7.0 s, 3 s at 90, 20" },
		{ "5551111", 20, "7.0 s, 3 s at 50, 10" },
		{ "4441111", 20, "" },
		/* with something missing now and then */
		{ "999000099900009990000999_000", 10, "7.0 s, 3 s at 90, 0" },
		{ "99900_0", 20, "" },
		{ "9999999999", 20, "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(rhythm_of(logs, many(logs, cases[i].piece, cases[i].times)), cases[i].rhythm);
}

/* A context makes a card a few percent busy for a moment (seen on H200: 1 to 4 %). */
static void a_blip_is_no_work(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *text = "timestamp, index, utilization.gpu [%]\n";
	static const int busy[] = { 0, 4, 0, 0, 90, 90, 3, 0 };

	for (int i = 0; i < 8; i++)
		text = arena_print(&logs->mem, "%s%s, 0, %d %%\n", text, local_time(&logs->mem, DAWN + i * SECOND_MS, '/'), busy[i]);
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	assert_string_equal(drawn_phases(logs, run, 8), "huuussst");
}

/* Two GPUs on one log, a row each `step`, of the second GPU `later`. */
static const char *phases_of_two_polled(struct logs *logs, time_ms step, time_ms later, const char *first, const char *second)
{
	const char *text = "timestamp, index, utilization.gpu [%]\n";
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const size_t n = strlen(first);
	char *picture = NEW_ARRAY(&logs->mem, char, n + 1);

	for (size_t i = 0; i < n; i++)
		for (int g = 0; g < 2; g++)
			text = arena_print(&logs->mem, "%s%s, %d, %d %%\n", text, local_time(&logs->mem, DAWN + (time_ms)i * step + g * later, '/'),
				g, percent_of((g ? second : first)[i]));
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	const char *seconds = drawn_phases(logs, run, n * (size_t)(step / SECOND_MS));
	for (size_t i = 0; i < n; i++)
		picture[i] = seconds[i * (size_t)(step / SECOND_MS)];
	return picture;
}

static const char *phases_of_two(struct logs *logs, time_ms step, const char *first, const char *second)
{
	return phases_of_two_polled(logs, step, 0, first, second);
}

static void gpus_that_begin_together_start_up_until_the_last_one_works(void **state)
{
	struct logs *logs = *state;

	assert_string_equal(phases_of_two(logs, SECOND_MS, "00999000", "00009900"), "hhuusstt");
	assert_string_equal(phases_of_two(logs, 15 * SECOND_MS, "09999999900", "00000999900"), "huuuusssstt");
	/* rows of one poll are not all of one moment */
	assert_string_equal(phases_of_two_polled(logs, 15 * SECOND_MS, 5 * SECOND_MS, "09999999900", "09999999900"), "hssssssssst");
	assert_string_equal(phases_of_two_polled(logs, 15 * SECOND_MS, 10 * SECOND_MS, "09999999900", "09999999900"), "husssssssst");
	/* a minute later is late: it stood idle while the other worked */
	assert_string_equal(phases_of_two(logs, 15 * SECOND_MS, "09999999900", "00000099900"), "hsssssssstt");
	/* and one that never works holds nobody up */
	assert_string_equal(phases_of_two(logs, 15 * SECOND_MS, "09999999900", "00000000000"), "hsssssssstt");
}

/* Polled half a second apart, two GPUs give their memory back together; the third was done long before. */
static void work_ends_with_the_first_of_those_that_end_together(void **state)
{
	static const int held_rows[] = { 6, 6, 3 };
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *text = "timestamp, index, utilization.gpu [%], memory.used [MiB]\n";

	for (int i = 0; i < 8; i++)
		for (int g = 0; g < 3; g++)
			text = arena_print(&logs->mem, "%s%s, %d, %d %%, %d MiB\n", text,
				local_time(&logs->mem, DAWN + i * SECOND_MS + g % 2 * (SECOND_MS / 2), '/'), g, i < held_rows[g] ? 90 : 0,
				i < held_rows[g] ? 9000 : 0);
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	assert_string_equal(drawn_phases(logs, run, 9), "ssssssttt");
}

static void phases_are_chosen_by_mask(void **state)
{
	static const struct {
		unsigned mask;
		const char *spans;
	} cases[] = {
		{ 0, "" },
		{ 1U << PHASE_STEADY, "02:00:05-02:00:08" },
		{ 1U << PHASE_STARTUP | 1U << PHASE_STEADY, "02:00:03-02:00:08" },
		{ 1U << PHASE_IDLE_HEAD | 1U << PHASE_TAIL, "02:00:00-02:00:03 02:00:08-02:00:10" },
		{ (1U << N_PHASES) - 1, "02:00:00-02:00:10" },
	};
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "0000099900", "0001199900", 0));
	run_settle(run);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(shown_spans(logs, run_phases(&logs->mem, run, cases[i].mask)), cases[i].spans);
	assert_string_equal(phase_name(PHASE_IDLE_HEAD), "idle-head");
	assert_string_equal(phase_name(PHASE_STARTUP), "startup");
	assert_string_equal(phase_name(PHASE_STEADY), "steady");
	assert_string_equal(phase_name(PHASE_DIP), "dip");
	assert_string_equal(phase_name(PHASE_DOWN), "down");
	assert_string_equal(phase_name(PHASE_TAIL), "tail");
	assert_string_equal(phase_name(PHASE_UNSEEN), "unseen");
}

/* Busy, ten of a hundred a character and one a step of 30 s. */
static struct run *busy_run(struct logs *logs, const char *busy)
{
	static const struct entity gpu = { .scope = SCOPE_GPU, .host = "", .index = 0 };
	const size_t n = strlen(busy);
	time_ms *times = NEW_ARRAY(&logs->mem, time_ms, n);
	fixed *values = NEW_ARRAY(&logs->mem, fixed, n);
	struct track *util = NEW(&logs->mem, struct track);

	for (size_t i = 0; i < n; i++) {
		times[i] = DAWN + (time_ms)i * 30 * SECOND_MS;
		values[i] = busy[i] == '?' ? FIXED_MISSING : (busy[i] - '0') * 10 * FIXED_ONE;
	}
	*util = (struct track){ .metric = METRIC_GPU_UTIL, .entity = &gpu, .times = times, .values = values, .n = n, .step = 30 * SECOND_MS };
	return run_from_tracks(&logs->mem, &logs->diags, "run", &util, 1, NULL, 0);
}

/* A log of one row has no step, and its sample holds for no time: also when it is the only one that shows work. */
static void a_single_sample_of_work_is_where_it_is(void **state)
{
	static const struct entity gpus[] = { { .scope = SCOPE_GPU, .host = "", .index = 0 }, { .scope = SCOPE_GPU, .host = "", .index = 1 } };
	struct logs *logs = *state;
	time_ms times[10], once = DAWN;
	fixed idle[10], busy = 90 * FIXED_ONE;
	for (size_t i = 0; i < 10; i++) {
		times[i] = DAWN + (time_ms)i * SECOND_MS;
		idle[i] = 0;
	}
	struct track one = { .metric = METRIC_GPU_UTIL, .entity = &gpus[0], .times = &once, .values = &busy, .n = 1 };
	struct track many = { .metric = METRIC_GPU_UTIL, .entity = &gpus[1], .times = times, .values = idle, .n = 10, .step = SECOND_MS };
	struct track *tracks[] = { &one, &many };
	const struct run *run = run_from_tracks(&logs->mem, &logs->diags, "run", tracks, 2, NULL, 0);

	assert_true(run->n_phases > 0);
	assert_int_equal(run->phases[0].phase, PHASE_TAIL);
	assert_int_equal(run->phases[0].span.begin, DAWN);
}

/* "9 5 @40": nine tenths busy before, five from step 40 on; "9": all the time. */
static const char *told_pace(struct logs *logs, const char *busy)
{
	const struct run *run = busy_run(logs, busy);
	const struct track *pace = run_track(run, run->gpus[0], METRIC_GPU_PACE);
	const struct track *before = run_track(run, run->gpus[0], METRIC_GPU_PACE_BEFORE);

	assert_int_equal(pace->n, before->n);
	assert_true(track_value(before, before->n - 1) == track_value(pace, 0));
	if (track_value(pace, 0) == FIXED_MISSING)
		return "not known";
	if (pace->n == 1)
		return arena_print(&logs->mem, "%d", (int)(track_value(pace, 0) / FIXED_ONE));
	return arena_print(&logs->mem, "%d %d @%d", (int)(track_value(pace, 0) / FIXED_ONE), (int)(track_value(pace, 1) / FIXED_ONE),
		(int)((track_time(pace, 1) - DAWN) / (30 * SECOND_MS)));
}

static const char *repeated(struct logs *logs, char c, size_t n)
{
	char *text = NEW_ARRAY(&logs->mem, char, n + 1);

	memset(text, c, n);
	return text;
}

static void the_pace_changes_where_it_did(void **state)
{
	struct logs *logs = *state;

	/* at each place, but near the ends */
	for (int at = 30; at <= 90; at++) {
		const char *busy = arena_print(&logs->mem, "%s%s", repeated(logs, '9', (size_t)at), repeated(logs, '5', (size_t)(120 - at)));
		assert_string_equal(told_pace(logs, busy), arena_print(&logs->mem, "90 50 @%d", at));
	}
	/* 15 of 100 are too few */
	assert_string_equal(told_pace(logs, arena_print(&logs->mem, "%s%s", repeated(logs, '9', 180), repeated(logs, '5', 29))), "84");
	/* where rows are few each is a cell: five after ten may be chance, eight after eight hardly are */
	assert_string_equal(told_pace(logs, "999999999955555"), "76");
	assert_string_equal(told_pace(logs, "9999999955555555"), "90 50 @8");
}

static void the_pace_is_no_matter_of_pauses(void **state)
{
	static const struct {
		const char *busy, *pace;
	} cases[] = {
		{ "999999999999999999999999999999999999999999999999", "90" },
		/* faster is no drop */
		{ "555555555555555555555555555555999999999999999999999999999999", "70" },
		/* what comes back */
		{ "999999999999999999999999555555555555555555555555999999999999999999999999", "76" },
		/* of mean and median the one that makes it smaller: pauses before and after */
		{ "999900999999999999999999999999999999999999999999777777777777777777777777777777777777770077777777", "86 70 @48" },
		/* in so short a run a pause on either side leaves it open */
		{ "999900999999999999999999999999777777777777777777770077777777", "74" },
		/* half of it is not known, and nothing changed in the rest */
		{ "99999999999999999999??????????????????????????????9999999999", "not known" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(told_pace(logs, cases[i].busy), cases[i].pace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_single_sample_of_work_is_where_it_is, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(memory_that_is_logged_no_more_is_not_given_back, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(finds_phases, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(marks_go_over_what_was_found, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_blip_is_no_work, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_rhythm_is_told_where_it_is_steady, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gpus_that_begin_together_start_up_until_the_last_one_works, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(work_ends_with_the_first_of_those_that_end_together, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(phases_are_chosen_by_mask, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_pace_changes_where_it_did, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_pace_is_no_matter_of_pauses, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
