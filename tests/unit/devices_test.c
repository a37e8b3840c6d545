/*
 * devices_test.c - the table of cards: every complaint, names, and what a run takes from it: only what no log tells, only beside what
 * it limits, never against the log, and always said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/devices.h"
#include "runs.h"

#define CARD "title: t\ncards:\n  - names: [A]\n    source: s\n"

static void every_mistake_is_told(void **state)
{
	static const struct {
		const char *yaml, *complaints;
	} cases[] = {
		{ "titel: t\ncards: []\n",
		  "d.yaml:1:1: error: unknown-key: unknown key 'titel'; did you mean 'title'?\n    1 | titel: t\n      | ^~~~~\n" },
		{ "title: t\n", "d.yaml:1:1: error: missing-key: a table of cards needs 'cards', a list\n" },
		{ "title: t\ncards:\n  - told: {}\n",
		  "d.yaml:3:5: error: missing-key: a card needs 'names'\n    3 |   - told: {}\n      |     ^\n"
		  "d.yaml:3:5: error: missing-key: a card needs 'source'\n    3 |   - told: {}\n      |     ^\n" },
		{ "title: t\ncards: [x]\n",
		  "d.yaml:2:9: error: bad-value: a card is a map of names, told, derived and source\n    2 | cards: [x]\n      |         ^\n" },
		{ CARD "    told: {gpu.clock_sm_mx: 9 MHz}\n",
		  "d.yaml:5:12: error: unknown-name: 'gpu.clock_sm_mx' is no limit of a card; did you mean 'gpu.clock_sm_max'?\n"
		  "    5 |     told: {gpu.clock_sm_mx: 9 MHz}\n      |            ^~~~~~~~~~~~~~~\n" },
		{ CARD "    told: {gpu.util: 9 %}\n",
		  "d.yaml:5:12: error: unknown-name: 'gpu.util' is no limit of a card; `postrun metrics` lists them\n"
		  "    5 |     told: {gpu.util: 9 %}\n      |            ^~~~~~~~\n" },
		{ CARD "    told: {gpu.mem_total: 9 GiB, gpu.clock_sm_max: 0 MHz}\n",
		  "d.yaml:5:27: error: bad-value: gpu.mem_total must be a number in MiB that a card can have\n"
		  "    5 |     told: {gpu.mem_total: 9 GiB, gpu.clock_sm_max: 0 MHz}\n      |                           ^~~~~\n"
		  "d.yaml:5:52: error: bad-value: gpu.clock_sm_max must be a number in MHz that a card can have\n"
		  "    5 |     told: {gpu.mem_total: 9 GiB, gpu.clock_sm_max: 0 MHz}\n"
		  "      |                                                    ^~~~~\n" },
		{ CARD "    told: {gpu.mem_total: 9 MiB}\n    derived: {gpu.mem_total: 8 MiB}\n",
		  "d.yaml:6:15: error: bad-value: gpu.mem_total is said twice of this card\n"
		  "    6 |     derived: {gpu.mem_total: 8 MiB}\n      |               ^~~~~~~~~~~~~\n" },
		{ CARD "  - names: [NVIDIA A]\n    source: s\n",
		  "d.yaml:5:13: error: bad-value: 'NVIDIA A' stands in two rows\n    5 |   - names: [NVIDIA A]\n      |             ^~~~~~~~\n" },
		{ "title: t\ncards:\n  - names: A\n    source: \"\"\n",
		  "d.yaml:3:12: error: bad-value: 'names' must be a list\n    3 |   - names: A\n      |            ^\n" },
		{ "title: t\ncards:\n  - names: [A]\n    source: \"\"\n",
		  "d.yaml:4:13: error: bad-value: say where the card said so\n    4 |     source: \"\"\n      |             ^\n" },
		{ CARD, "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct devices *d = devices_load(&logs->mem, "d.yaml", slice_of(cases[i].yaml), &logs->diags);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_int_equal(d != NULL, !*cases[i].complaints);
	}
}

/* Older drivers leave the maker out. A name that only begins so is another card: "RTX 3080 Ti", or cut by a table's width. */
static void cards_are_found_by_their_names(void **state)
{
	static const struct {
		const char *name;
		bool found;
	} cases[] = {
		{ "NVIDIA GeForce RTX 3080", true }, { "GeForce RTX 3080", true }, { "NVIDIA GeForce RTX 3080 Ti", false },
		{ "GeForce RTX 308", false },        { "Tesla T4", true },         { "NVIDIA H100 80GB HBM3", true },
		{ "NVIDIA H100 PCIe", false },       { "", false },                { NULL, false },
	};
	struct logs *logs = *state;
	const struct devices *built_in = devices_built_in(&logs->mem, &logs->diags);

	assert_string_equal(take_complaints(logs), "");
	assert_non_null(built_in);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(devices_find(built_in, cases[i].name) != NULL, cases[i].found);
}

/* Of whatever card, what slows it down lies below what switches it off. */
static void built_in_temperatures_are_in_order(void **state)
{
	struct logs *logs = *state;
	const struct devices *all = devices_built_in(&logs->mem, &logs->diags);

	for (size_t i = 0; i < all->n; i++) {
		fixed of[N_METRICS] = { 0 };
		for (size_t k = 0; k < all->at[i].n_facts; k++)
			of[all->at[i].facts[k].metric] = all->at[i].facts[k].value;
		assert_true(!of[METRIC_GPU_TEMP_MAX] || !of[METRIC_GPU_TEMP_SLOWDOWN] ||
			    of[METRIC_GPU_TEMP_MAX] < of[METRIC_GPU_TEMP_SLOWDOWN]);
		assert_true(!of[METRIC_GPU_TEMP_SLOWDOWN] || of[METRIC_GPU_TEMP_SLOWDOWN] < of[METRIC_GPU_TEMP_SHUTDOWN]);
	}
}

#define TABLE                                                                                                              \
	"title: t\ncards:\n  - names: [NVIDIA X1]\n    source: the maker\n    told: {gpu.power_limit_default: 700 W, gpu.clock_sm_max: 2000 MHz, " \
	"gpu.temp_mem_max_operating: 95 C, gpu.temp_slowdown: 90 C, gpu.mem_total: 1000 MiB}\n    derived: {gpu.temp_max_operating: 87 C}\n"

/* Three polls of as many GPUs as there are rows: what stands behind the time, in each. */
static struct run *run_of(struct logs *logs, const char *head, const char *const *rows, size_t n)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_print(&out, "timestamp, %s\n", head);
	for (int second = 0; second < 3; second++)
		for (size_t i = 0; i < n; i++)
			buf_print(&out, "%s, %s\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'), rows[i]);
	run_take(logs, run, "gpu.csv", text_of_buf(&logs->mem, &out));
	run_settle(run);
	run->devices = devices_load(&logs->mem, "d.yaml", slice_of(TABLE), &logs->diags);
	derive_metrics(run);
	return run;
}
#define ROWS(...) (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static const struct track *track_of(const struct run *run, enum metric metric)
{
	return run_track(run, run->gpus[0], metric);
}

static int value_of(const struct run *run, enum metric metric)
{
	fixed value;
	const struct track *t = track_of(run, metric);

	return t && track_at(t, DAWN + SECOND_MS, &value) ? (int)(value / FIXED_ONE) : -1;
}

static const char *cards_note(const struct run *run)
{
	for (size_t i = 0; i < run->n_notes; i++)
		if (strcmp(run->notes[i].topic, "Cards") == 0)
			return run->notes[i].text;
	return "";
}

static void what_no_log_tells_is_taken_and_said(void **state)
{
	struct logs *logs = *state;
	const struct run *run = run_of(logs, "index, name, power.draw [W], temperature.gpu, temperature.memory, clocks.sm [MHz], memory.used [MiB]",
		ROWS("0, NVIDIA X1, 350 W, 80, 90, 1000 MHz, 500 MiB", "1, NVIDIA X1, 350 W, 80, 90, 1000 MHz, 500 MiB"));

	assert_int_equal(value_of(run, METRIC_GPU_POWER_LIMIT), 700);
	assert_int_equal(value_of(run, METRIC_GPU_POWER_SHARE), 50);
	assert_int_equal(value_of(run, METRIC_GPU_CLOCK_SHARE), 50);
	assert_int_equal(value_of(run, METRIC_GPU_MEM_SHARE), 50);
	assert_int_equal(value_of(run, METRIC_GPU_TEMP_MARGIN), 7);
	assert_int_equal(value_of(run, METRIC_GPU_TEMP_MEM_MAX), 95);
	/* that the limit is the default is what was assumed: nothing can be lowered against it */
	assert_null(track_of(run, METRIC_GPU_POWER_DEFAULT));
	assert_null(track_of(run, METRIC_GPU_POWER_HIGHEST));
	assert_string_equal(track_of(run, METRIC_GPU_POWER_SHARE)->assumed, "no log tells the power limit; for NVIDIA X1 the table of cards has 700 W");
	assert_string_equal(track_of(run, METRIC_GPU_TEMP_MARGIN)->assumed,
		"no log tells the highest working temperature; for NVIDIA X1 the table of cards has 87 °C, give or take 2 °C");
	assert_null(track_of(run, METRIC_GPU_POWER)->assumed);
	assert_string_equal(cards_note(run), "No log tells of NVIDIA X1: the power limit (700 W), the highest SM clock (2000 MHz), the highest "
		"working temperature (87 °C, give or take 2 °C), the highest working temperature of the memory (95 °C), the size of the "
		"memory (1000 MiB). Taken from the table of cards; source: the maker.");
	assert_string_equal(take_complaints(logs), "");
}

static void what_a_log_tells_comes_first(void **state)
{
	struct logs *logs = *state;
	const struct run *run = run_of(logs,
		"index, name, power.draw [W], power.limit [W], power.default_limit [W], temperature.gpu, temperature.gpu.tlimit, clocks.sm [MHz], "
		"clocks.max.sm [MHz], memory.used [MiB], memory.total [MiB]",
		ROWS("0, NVIDIA X1, 300 W, 400 W, 600 W, 80, 20, 1000 MHz, 1500 MHz, 500 MiB, 800 MiB"));

	assert_int_equal(value_of(run, METRIC_GPU_POWER_LIMIT), 400);
	assert_int_equal(value_of(run, METRIC_GPU_POWER_DEFAULT), 600);
	assert_int_equal(value_of(run, METRIC_GPU_POWER_SHARE), 75);
	assert_int_equal(value_of(run, METRIC_GPU_TEMP_MARGIN), 20);
	assert_int_equal(value_of(run, METRIC_GPU_TEMP_MAX), -1);
	assert_int_equal(value_of(run, METRIC_GPU_CLOCK_SM_MAX), 1500);
	assert_int_equal(value_of(run, METRIC_GPU_MEM_TOTAL), 800);
	assert_null(track_of(run, METRIC_GPU_POWER_SHARE)->assumed);
	assert_string_equal(cards_note(run), "");
	assert_string_equal(take_complaints(logs), "");
}

/* A side file comes before the table, too. */
static void what_a_side_file_tells_comes_first(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", arena_print(&logs->mem, "timestamp, index, name, power.draw [W]\n%s, 0, NVIDIA X1, 300 W\n%s, 0, NVIDIA X1, 300 W\n",
		local_time(&logs->mem, DAWN, '/'), local_time(&logs->mem, DAWN + SECOND_MS, '/')));
	run_take(logs, run, "q.txt", "==============NVSMI LOG==============\n\nAttached GPUs                       : 1\nGPU 00000000:1B:00.0\n"
		"    Product Name                    : NVIDIA X1\n    GPU Power Readings\n        Current Power Limit         : 500.00 W\n"
		"        Default Power Limit         : 600.00 W\n");
	run_settle(run);
	run->devices = devices_load(&logs->mem, "d.yaml", slice_of(TABLE), &logs->diags);
	derive_metrics(run);
	assert_int_equal(value_of(run, METRIC_GPU_POWER_LIMIT), 500);
	assert_int_equal(value_of(run, METRIC_GPU_POWER_DEFAULT), 600);
	assert_string_equal(cards_note(run), "");
	take_complaints(logs);
}

/* A card that draws or holds more than the table allows is another one than the table knows. */
static void a_log_that_contradicts_the_table_wins(void **state)
{
	struct logs *logs = *state;
	const struct run *run = run_of(logs, "index, name, power.draw [W], temperature.gpu, clocks.sm [MHz], memory.used [MiB]",
		ROWS("0, NVIDIA X1, 736 W, 91, 2001 MHz, 1001 MiB"));

	assert_int_equal(value_of(run, METRIC_GPU_POWER_LIMIT), -1);
	assert_int_equal(value_of(run, METRIC_GPU_CLOCK_SM_MAX), -1);
	assert_int_equal(value_of(run, METRIC_GPU_MEM_TOTAL), -1);
	assert_int_equal(value_of(run, METRIC_GPU_TEMP_MARGIN), -4); /* a temperature can pass its limit */
	run = run_of(logs, "index, name, power.draw [W], clocks.sm [MHz], memory.used [MiB]", ROWS("0, NVIDIA X1, 735 W, 2000 MHz, 1000 MiB"));
	assert_int_equal(value_of(run, METRIC_GPU_POWER_LIMIT), 700); /* a sample can lie a little above the limit */
	assert_int_equal(value_of(run, METRIC_GPU_CLOCK_SM_MAX), 2000);
	assert_int_equal(value_of(run, METRIC_GPU_MEM_TOTAL), 1000);
	take_complaints(logs);
}

static void a_default_is_told_only_where_the_limit_is_another(void **state)
{
	static const struct {
		const char *row, *note;
	} cases[] = {
		{ "0, NVIDIA X1, 300 W, 700 W", "" },
		{ "0, NVIDIA X1, 300 W, 400 W",
		  "No log tells of NVIDIA X1: the power limit that the card comes with (700 W). Taken from the table of cards; source: the maker." },
		{ "0, NVIDIA Y2, 300 W, 400 W", "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < 3; i++) {
		const struct run *run = run_of(logs, "index, name, power.draw [W], power.limit [W]", &cases[i].row, 1);
		assert_string_equal(cards_note(run), cases[i].note);
		assert_int_equal(value_of(run, METRIC_GPU_POWER_DEFAULT), i < 2 ? 700 : -1);
	}
	take_complaints(logs);
}

/* Only among cards that surely are of one model; each its own where no log names them. */
static void the_highest_limit_is_of_a_model(void **state)
{
	static const struct {
		const char *rows[3];
		int highest[3];
	} cases[] = {
		{ { "0, NVIDIA X1, 300 W", "1, NVIDIA X1, 150 W", "2, NVIDIA Z9, 500 W" }, { 300, 300, 500 } },
		{ { "0, [N/A], 300 W", "1, [N/A], 150 W", "2, [N/A], 500 W" }, { 300, 150, 500 } },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < 2; i++) {
		const struct run *run = run_of(logs, "index, name, power.limit [W]", cases[i].rows, 3);
		for (size_t g = 0; g < 3; g++) {
			fixed value;
			assert_true(track_at(run_track(run, run->gpus[g], METRIC_GPU_POWER_HIGHEST), DAWN, &value));
			assert_int_equal(value / FIXED_ONE, cases[i].highest[g]);
		}
	}
	take_complaints(logs);
}

/* 0x4 is the power cap and 0x40 heat; 0x48 is one slowdown with its reason; idle is a bit like any other. */
static void bits_of_the_mask_become_reasons(void **state)
{
	static const struct {
		const char *mask;
		int idle, sw_power, hw_slowdown, hw_thermal;
	} cases[] = {
		{ "0x0000000000000004", 0, 1, 0, 0 }, { "0x0000000000000040", 0, 0, 0, 1 },
		{ "0x0000000000000048", 0, 0, 1, 1 }, { "0x0000000000000005", 1, 1, 0, 0 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *row = arena_print(&logs->mem, "0, %s", cases[i].mask);
		const struct run *run = run_of(logs, "index, clocks_throttle_reasons.active", &row, 1);
		assert_int_equal(value_of(run, METRIC_GPU_THR_IDLE), cases[i].idle);
		assert_int_equal(value_of(run, METRIC_GPU_THR_SW_POWER), cases[i].sw_power);
		assert_int_equal(value_of(run, METRIC_GPU_THR_HW_SLOW), cases[i].hw_slowdown);
		assert_int_equal(value_of(run, METRIC_GPU_THR_HW_THERMAL), cases[i].hw_thermal);
	}
	take_complaints(logs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_mistake_is_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cards_are_found_by_their_names, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(built_in_temperatures_are_in_order, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_no_log_tells_is_taken_and_said, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_a_log_tells_comes_first, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_a_side_file_tells_comes_first, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_log_that_contradicts_the_table_wins, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_default_is_told_only_where_the_limit_is_another, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_highest_limit_is_of_a_model, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(bits_of_the_mask_become_reasons, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
