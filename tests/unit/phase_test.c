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
	static const char letters[N_PHASES] = { 'h', 'u', 's', 'i', 'o', 't' };
	char *picture = NEW_ARRAY(&logs->mem, char, n + 1);

	memset(picture, '.', n);
	for (size_t i = 0; i < run->n_phases; i++) {
		const struct span s = run->phases[i].span;
		for (time_ms t = s.begin; t < s.end; t += SECOND_MS)
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
		/* it never worked again */
		{ "0099900000000000", "0999990000999990", "hsssssoooossssst" },
		/* for one row it may be the sensor's slip */
		{ "0999999999990", "0999990999990", "hssssssssssst" },
		/* busy while no memory is held is no crash but what the log does not know */
		{ "0999999999990", "0999900009990", "hssssssssssst" },
		/* given back for good is the end, even if something holds a little later */
		{ "0999990000000", "0999990000110", "hssssssssssst" },
		/* a hole before the work does not begin it */
		{ "00____0999", "0000009999", "hhhhhhssss" },
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

static void the_first_gpu_to_work_begins_the_work_of_all(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *text = "timestamp, index, utilization.gpu [%]\n";
	static const int busy[2][8] = { { 0, 0, 90, 90, 90, 0, 0, 0 }, { 0, 0, 0, 0, 90, 90, 0, 0 } };

	for (int i = 0; i < 8; i++)
		for (int g = 0; g < 2; g++)
			text = arena_print(&logs->mem, "%s%s, %d, %d %%\n", text, local_time(&logs->mem, DAWN + i * SECOND_MS, '/'), g,
				busy[g][i]);
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	assert_string_equal(drawn_phases(logs, run, 8), "hhsssstt");
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_phases, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_blip_is_no_work, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_first_gpu_to_work_begins_the_work_of_all, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(work_ends_with_the_first_of_those_that_end_together, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(phases_are_chosen_by_mask, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
