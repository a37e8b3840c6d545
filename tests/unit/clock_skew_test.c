/*
 * clock_skew_test.c - how far clocks are apart, by what two logs show; and when nobody can tell.
 *
 * A job that works and waits at random; the same seconds in two logs, one of which has a clock that is off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

/* Works and waits in turns of a few seconds to 2 x `mean`; another seed is another job (Lehmer's generator). */
static char *job(struct arena *mem, size_t seconds, unsigned mean, uint64_t seed)
{
	char *busy = NEW_ARRAY(mem, char, seconds + 1);
	uint64_t state = seed * 2654435761U % 2147483647U + 1;
	size_t left = 0;
	char now = '1';

	for (size_t i = 0; i < seconds; i++) {
		if (!left--) {
			state = state * 48271 % 2147483647U;
			left = 2 + state % (2 * mean);
			now = now == '1' ? '9' : '1';
		}
		busy[i] = now;
	}
	return busy;
}

/* GPU log and vmstat of two jobs or one, the GPU's clock ahead by so many seconds. */
static struct run *run_of(struct logs *logs, const char *gpu, const char *cpu, int ahead, bool align)
{
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(mem, gpu, NULL, ahead * SECOND_MS));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, cpu, "UTC", 0));
	assert_true(clock_settle(run, &(struct clock_request){ .align = align }));
	return run;
}

static void finds_a_clock_that_is_off(void **state)
{
	static const struct {
		size_t seconds;
		unsigned mean;
		int ahead;
	} cases[] = {
		{ 600, 20, 517 }, { 600, 20, -517 }, { 900, 30, 517 }, { 1800, 40, 517 }, { 3600, 60, 517 }, { 3600, 60, -517 },
		{ 7200, 30, 517 }, { 7200, 300, -517 }, { 20000, 100, 517 }, { 3600, 60, 40 }, { 3600, 60, -11 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *work = job(&logs->mem, cases[i].seconds, cases[i].mean, i + 1);
		const struct run *run = run_of(logs, work, work, cases[i].ahead, false);
		if (run->n_skews != 1)
			fail_msg("%zu s, %d ahead: %s", cases[i].seconds, cases[i].ahead, shown_clocks(logs, run));
		assert_ptr_equal(run->skews[0].recording, run->recordings[0]);
		assert_ptr_equal(run->skews[0].against, run->recordings[1]);
		assert_true(llabs(run->skews[0].lag + cases[i].ahead * SECOND_MS) <= SECOND_MS); /* one step */
		assert_true(run->skews[0].r > 0.9);
		assert_false(run->skews[0].applied);
		/* and nothing is moved */
		assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN + cases[i].ahead * SECOND_MS);
	}
}

/* The host goes on for eight hours, in flickers that minutes don't show and seconds do: the fine look is at what the coarse one found. */
static void a_lively_host_hides_nothing(void **state)
{
	struct logs *logs = *state;
	const char *const gpu = job(&logs->mem, 7200, 60, 5);
	char *const cpu = NEW_ARRAY(&logs->mem, char, 36001);

	for (size_t i = 0; i < 36000; i++)
		cpu[i] = i < 7200 ? (gpu[i] == '9' ? '6' : '3') : i % 2 ? '9' : '0';
	const struct run *const run = run_of(logs, gpu, cpu, 99, false);
	assert_int_equal(run->n_skews, 1);
	assert_true(llabs(run->skews[0].lag + 99 * SECOND_MS) <= SECOND_MS);
}

/* Begins and ends at rest, with a few pauses; every tenth row of the host's is out of line. */
static void few_changes(struct logs *logs, char **gpu, char **cpu)
{
	*gpu = job(&logs->mem, 1200, 1200, 1);
	*cpu = job(&logs->mem, 1200, 1200, 1);
	for (size_t i = 0; i < 1200; i++) {
		const bool works = i >= 60 && i < 1160 && !(i >= 400 && i < 460) && !(i >= 900 && i < 950);
		(*gpu)[i] = works ? '9' : '1';
		(*cpu)[i] = works == (i % 10 != 0) ? '9' : '1';
	}
}

/* So few changes could meet by chance, but not as far apart as both logs begin and end. */
static void both_ends_are_witnesses(void **state)
{
	struct logs *logs = *state;
	char *gpu, *cpu;

	few_changes(logs, &gpu, &cpu);
	const struct run *run = run_of(logs, gpu, cpu, 130, false);
	assert_int_equal(run->n_skews, 1);
	assert_true(llabs(run->skews[0].lag + 130 * SECOND_MS) <= SECOND_MS);
	assert_int_equal(run_of(logs, gpu, cpu, 0, false)->n_skews, 0);
	cpu[1100] = '\0'; /* its logger ends earlier */
	assert_int_equal(run_of(logs, gpu, cpu, 130, false)->n_skews, 0);
}

static void takes_it_out_when_asked(void **state)
{
	struct logs *logs = *state;
	const char *work = job(&logs->mem, 1800, 40, 7);
	const struct run *run = run_of(logs, work, work, 517, true);

	assert_string_equal(shown_clocks(logs, run),
		"gpu.csv names no zone; read as UTC like vmstat.txt: then what both show meets at a lag of 8 min 37 s, which no zone makes.\n"
		"vmstat.txt names its zone: UTC.\n"
		"gpu.csv is 517 s ahead of vmstat.txt (r = 1.00, give or take 1 s): its times are moved by that, by --align.\n");
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN);
	assert_true(run->skews[0].applied);
	assert_string_equal(take_complaints(logs), "");
}

/* Whole hours are a zone; what is left over is the clock. */
static void tells_zone_and_clock_apart(void **state)
{
	struct logs *logs = *state;
	const char *work = job(&logs->mem, 600, 20, 3);
	const struct run *run = run_of(logs, work, work, -5 * 3600 + 517, false);

	assert_int_equal(run->recordings[0]->clock.offset, -5 * HOUR_MS);
	assert_int_equal(run->n_skews, 1);
	assert_int_equal(run->skews[0].lag, -517 * SECOND_MS);
}

static void claims_nothing_without_common_structure(void **state)
{
	static const char *const text = "The clocks of gpu.csv and vmstat.txt could not be compared: no reliable estimate, too little of "
					"what they show is alike, but all logs begin and end within 10 s of each other.";
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (uint64_t seed = 0; seed < 48; seed++) {
		static const size_t lengths[] = { 300, 600, 1800, 3600 };
		static const unsigned means[] = { 4, 15, 60, 200 };
		const size_t seconds = lengths[seed % 4];
		const unsigned mean = means[seed / 4 % 4];
		const struct run *run = run_of(logs, job(mem, seconds, mean, 2 * seed + 101), job(mem, seconds, mean, 2 * seed + 102), 0, false);
		if (run->n_skews)
			fail_msg("seed %d: %s", (int)seed, shown_clocks(logs, run));
	}
	const char *a = job(mem, 3600, 60, 11), *b = job(mem, 3600, 60, 12);
	assert_string_equal(run_of(logs, a, b, 0, false)->notes[0].text, text);
	/* one that never changes */
	char *flat = job(mem, 3600, 60, 1);
	memset(flat, '5', 3600);
	assert_string_equal(run_of(logs, a, flat, 0, false)->notes[0].text, text);
	/* a job that repeats itself fits at every period */
	char *same = job(mem, 3600, 60, 1);
	for (size_t i = 0; i < 3600; i++)
		same[i] = i / 30 % 2 ? '9' : '1';
	assert_int_equal(run_of(logs, same, same, 130, false)->n_skews, 0);
}

/* A GPU that idles while the host prepares its data, now and then: there are lags at which the two meet, and none is a clock's. */
static void a_job_that_takes_turns_is_in_step(void **state)
{
	struct logs *logs = *state;

	for (uint64_t seed = 0; seed < 8; seed++) {
		char *gpu = job(&logs->mem, 1800, 200, seed + 40), *cpu = job(&logs->mem, 1800, 200, seed + 40);
		for (size_t i = 0; i < 1800; i++)
			cpu[i] = cpu[i] == '1' ? '9' : '1';
		const struct run *run = run_of(logs, gpu, cpu, 0, false);
		if (run->n_skews)
			fail_msg("seed %d: %s", (int)seed, shown_clocks(logs, run));
	}
	char *gpu = job(&logs->mem, 600, 1, 1), *cpu = job(&logs->mem, 600, 1, 1);
	for (size_t i = 0; i < 600; i++) {
		gpu[i] = i >= 200 && i < 400 ? '2' : i < 20 ? '0' : '9';
		cpu[i] = i >= 200 && i < 400 ? '9' : '4';
	}
	assert_int_equal(run_of(logs, gpu, cpu, 0, false)->n_skews, 0);
}

/* As such a job shows it: of the turns that they take by right clocks nothing is said, by wrong ones how far these are apart. */
static void turns_tell_a_clock_that_is_off(void **state)
{
	static const int aheads[] = { 0, 5, 180, -180, 600 };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof aheads / sizeof *aheads; i++) {
		const char *const gpu = job(&logs->mem, 3600, 60, i + 60);
		char *const cpu = job(&logs->mem, 3600, 60, i + 60);
		for (size_t k = 0; k < 3600; k++)
			cpu[k] = cpu[k] == '1' ? '9' : '1';
		const struct run *const run = run_of(logs, gpu, cpu, aheads[i], false);
		const bool is_off = aheads[i] > 10 || aheads[i] < -10;
		if (run->n_skews != is_off || run->n_notes != is_off)
			fail_msg("%d ahead: %s", aheads[i], shown_clocks(logs, run));
		if (!is_off)
			continue;
		assert_true(llabs(run->skews[0].lag + aheads[i] * SECOND_MS) <= SECOND_MS);
		assert_true(run->skews[0].r < -0.9);
	}
}

/*
 * The host works 20 s before the GPU does, harder than later (it loads the weights), and 3 s longer; in between both go up and down a
 * little, each by itself.
 * What the two have in common is one rise and one fall, and those are no witnesses of a clock, whatever flickers between them.
 */
static void one_rise_and_one_fall_are_no_clock(void **state)
{
	struct logs *logs = *state;
	const size_t seconds = 4000; /* at rest for 3 % of them */
	char *const gpu = NEW_ARRAY(&logs->mem, char, seconds + 1), *const cpu = NEW_ARRAY(&logs->mem, char, seconds + 1);

	for (size_t i = 0; i < seconds; i++) {
		gpu[i] = i < 80 || i >= 3960 ? '0' : i % 13 ? '9' : '8';
		cpu[i] = i < 60 || i >= 3963 ? '0' : i < 80 ? '9' : i % 17 ? '5' : '4';
	}
	const struct run *const run = run_of(logs, gpu, cpu, 0, false);
	if (run->n_skews)
		fail_msg("%s", shown_clocks(logs, run));
}

/*
 * Stalls that come every ten minutes, for 40 s, of a job that loaded its model for a minute before it began: by what is read the logs meet
 * best ten minutes apart. `by`: how far they are; the GPU's ends with the host's, or before it.
 */
static const struct run *stalls_every_ten_minutes(struct logs *logs, int by, int step, bool ends_late)
{
	enum { SECONDS = 10800, LOADS = 60, EVERY = 600, STALL = 40, LATE = 700 };
	struct arena *const mem = &logs->mem;
	struct run *const run = run_new(mem, "run", &logs->diags);
	char *const gpu = NEW_ARRAY(mem, char, SECONDS + 1);
	struct buf host;

	buf_init(&host, (size_t)1 << 24);
	buf_text(&host, "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st UTC\n");
	for (int i = 0; i < SECONDS; i++) {
		const bool loads = i < LOADS, stalls = !loads && i % EVERY < STALL;
		gpu[i] = loads || stalls ? '0' : '9';
		if (i % step)
			continue;
		const int busy = loads ? 1 : stalls ? 1 : 11 + i % 3, read = loads ? 800000 : stalls ? 20480 : 256000;
		buf_print(&host, " 1 %d 0 1024 4 4 0 0 %d 0 1 1 %d 0 %d %d 0 %.19s\n", stalls ? 7 : 0, read, busy, 80 - busy, stalls ? 20 : 0,
			local_time(mem, DAWN + i * SECOND_MS, '-'));
	}
	gpu[ends_late ? SECONDS : SECONDS - LATE] = '\0';
	run_take(logs, run, "gpu.csv", gpu_log(mem, gpu, NULL, by * SECOND_MS));
	run_take(logs, run, "vmstat.txt", text_of_buf(mem, &host));
	assert_true(clock_settle(run, &(struct clock_request){ .align = false }));
	return run;
}

static void a_rhythm_is_no_clock(void **state)
{
	struct logs *logs = *state;

	for (int step = 1; step <= 5; step += 4)
		for (int by = 0; by <= 3; by += 3) {
			assert_int_equal(stalls_every_ten_minutes(logs, by, step, false)->n_skews, 0);
			assert_int_equal(stalls_every_ten_minutes(logs, by, step, true)->n_skews, 0);
		}
	assert_int_equal(stalls_every_ten_minutes(logs, 150, 1, true)->n_skews, 1);
}

/* Clocks that agree, or nearly: a GPU follows its host by seconds. */
static void says_nothing_of_clocks_that_agree(void **state)
{
	static const int ahead[] = { 0, 1, -2, 5, -8 };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof ahead / sizeof ahead[0]; i++) {
		const char *work = job(&logs->mem, 3600, 40, i + 20);
		const struct run *run = run_of(logs, work, work, ahead[i], false);
		assert_int_equal(run->n_skews, 0);
		assert_int_equal(run->n_notes, 0);
	}
}

/* The same metric in two logs: three seconds are told there. A node whose clock is off is off in all of its logs. */
static void compares_nodes_by_their_gpus(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *work = job(mem, 1800, 40, 5);
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "node01-gpu.csv", gpu_log(mem, work, NULL, 0));
	run_take(logs, run, "node02-gpu.csv", gpu_log(mem, work, NULL, 517 * SECOND_MS));
	run_take(logs, run, "node03-gpu.csv", gpu_log(mem, work, NULL, -3 * SECOND_MS));
	run_settle(run);
	assert_int_equal(run->n_gpus, 3);
	assert_int_equal(run->n_skews, 2);
	assert_string_equal(run->skews[0].recording->name, "node02-gpu.csv");
	assert_int_equal(run->skews[0].lag, -517 * SECOND_MS);
	assert_string_equal(run->skews[1].recording->name, "node03-gpu.csv");
	assert_int_equal(run->skews[1].lag, 3 * SECOND_MS);
}

/* The same job, once more or on another node a while later, looks like a clock that is off: of logs that share no time nobody can say. */
static void a_job_that_is_begun_anew_is_no_clock(void **state)
{
	static const struct {
		const char *names[2];
		int later;
		size_t n_skews;
	} cases[] = {
		{ { "node01-gpu.csv", "node02-gpu.csv" }, 660, 0 }, { { "node01-gpu.csv", "node02-gpu.csv" }, 330, 0 },
		{ { "node01-gpu.csv", "node02-gpu.csv" }, 270, 1 },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *work = job(mem, 600, 20, 5);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		run_take(logs, run, cases[i].names[0], gpu_log(mem, work, NULL, 0));
		run_take(logs, run, cases[i].names[1], gpu_log(mem, work, NULL, cases[i].later * SECOND_MS));
		run_settle(run);
		assert_int_equal(run->n_skews, cases[i].n_skews);
	}
}

/* The shipped recordings are in step. */
static void claims_nothing_of_real_recordings(void **state)
{
	static const char *const folders[] = { "balanced_4gpu", "healthy", "loader_bound", "loader_fixed", "one_worker", "phases",
		"straggler_4gpu" };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		const char *path = arena_print(&logs->mem, "samples/%s", folders[i]);
		struct run *run = run_new(&logs->mem, path, &logs->diags);
		assert_true(ingest(run, path));
		run_settle(run);
		assert_int_equal(run->n_skews, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_a_clock_that_is_off, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_lively_host_hides_nothing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(both_ends_are_witnesses, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_it_out_when_asked, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_zone_and_clock_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(claims_nothing_without_common_structure, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_job_that_takes_turns_is_in_step, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(turns_tell_a_clock_that_is_off, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_rise_and_one_fall_are_no_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_rhythm_is_no_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_nothing_of_clocks_that_agree, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(compares_nodes_by_their_gpus, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_job_that_is_begun_anew_is_no_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(claims_nothing_of_real_recordings, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
