/*
 * throttle_test.c - what held clocks down: flags beside counters, what is idle, what is counted once, what it cost.
 *
 * One row a second, drawn: of flags '.' none, 'i' idle, 'I' idle and power cap, 'c' power cap, 't' hardware thermal, 'T' that and
 * hardware slowdown, 'B' power brake and hardware slowdown, 's' hardware slowdown alone, 'm' power cap and software thermal,
 * '_' no value; of busy tens of percent (runs.h); of clocks hundreds of MHz ('a' is 1000); of a counter seconds ('a' is 10).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "report/report.h"
#include "runs.h"

#define MOST_GPUS 12

struct drawn { /* one GPU; NULL: no such column */
	const char *flags, *busy, *clock, *counter;
};

static unsigned mask_of(char c)
{
	static const char letters[] = ".iIctTBsmh";
	static const unsigned masks[] = { 0, 0x1, 0x5, 0x4, 0x40, 0x48, 0x88, 0x8, 0x24, 0x20 };
	const char *at = strchr(letters, c);

	if (!at)
		fail_msg("'%c' is no flag", c);
	return masks[at - letters];
}

static int number_of(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static void put_cells(struct buf *out, const struct drawn *d, size_t i)
{
	if (d->flags && d->flags[i] == '_')
		buf_text(out, ", [N/A]");
	else if (d->flags)
		buf_print(out, ", 0x%016x", mask_of(d->flags[i]));
	if (d->busy)
		buf_print(out, ", %d %%", percent_of(d->busy[i]));
	if (d->clock)
		buf_print(out, ", %d MHz", number_of(d->clock[i]) * 100);
	if (d->counter)
		buf_print(out, ", %d000000 us", number_of(d->counter[i]));
	buf_char(out, '\n');
}

/* Every picture has the columns of the first. A blank in flags or clocks is a second without a row. */
static const char *log_of(struct arena *mem, const struct drawn *gpus, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 22);
	buf_print(&out, "timestamp, index%s%s%s%s\n", gpus->flags ? ", clocks_event_reasons.active" : "",
		gpus->busy ? ", utilization.gpu [%]" : "", gpus->clock ? ", clocks.current.sm [MHz]" : "",
		gpus->counter ? ", clocks_event_reasons_counters.hw_thermal_slowdown [us]" : "");
	for (size_t i = 0; gpus->clock[i]; i++)
		for (size_t g = 0; g < n; g++) {
			if (gpus[g].clock[i] == ' ')
				continue;
			buf_print(&out, "%s, %zu", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), g);
			put_cells(&out, &gpus[g], i);
		}
	return text_of_buf(mem, &out);
}

static const char *const files[] = { "timeline.png" };

static const struct report *report_of(struct logs *logs, const struct drawn *gpus, size_t n)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct rules *rules = NEW(&logs->mem, struct rules);
	const struct report_options options = { .chart_files = files, .n_chart_files = 1 };

	run_take(logs, run, "gpu.csv", log_of(&logs->mem, gpus, n));
	run_settle(run);
	return report_build(run, rules, rules_judge(rules, run), &options);
}

/* "12.0" or "-" */
static const char *shown_number(struct arena *mem, double value)
{
	return isnan(value) ? "-" : arena_print(mem, "%d.%d", (int)(lround(value * 10) / 10), (int)(lround(value * 10) % 10));
}

/* "gpu0 hw_thermal: flags 3.0+-1.0 s, counted 12.0 s, 60.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 6.0 s lost" */
static const char *shown_rows(struct logs *logs, const struct throttle_row *rows, size_t n)
{
	struct arena *mem = &logs->mem;
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		const struct throttle_row *r = &rows[i];
		text = arena_print(mem, "%s%s %s: flags %s+-%s s, counted %s s%s, %s %% of busy, %s of %s MHz, %s %% less, %s s lost\n", text,
			r->entity, r->reason, shown_number(mem, r->flag_seconds), shown_number(mem, r->flag_error_seconds),
			shown_number(mem, r->counter_seconds), r->counter_restarts ? " anew" : "", shown_number(mem, 100 * r->busy_share),
			shown_number(mem, r->clock_mhz), shown_number(mem, r->clock_reference_mhz), shown_number(mem, 100 * r->clock_lost),
			shown_number(mem, 3600 * r->work_lost_gpu_hours));
	}
	return text;
}

static const struct {
	const char *name;
	struct drawn gpus[2];
	const char *rows;
} cases[] = {
	/* golden case 5 (0x5 while idle), also where clocks drop (case 14) */
	{ "idle with the cap's flag set is no throttle",
	  { { "IIIIIIIIIIIIIIIIIIII", "00000000000000000000", "33333333333333333333", NULL } }, "" },
	{ "nor is it before and after work",
	  { { "IIIII..........IIIII", "00000XXXXXXXXXX00000", "33333kkkkkkkkkk33333", NULL } }, "" },
	/* golden case 6: 0x40 is hardware thermal slowdown; 0x4 is not */
	{ "0x40 is heat",
	  { { "..........tttttttttt", "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaaaaaaa", NULL } },
	  "gpu0 hw_thermal: flags 10.0+-1.0 s, counted - s, 50.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 5.0 s lost\n" },
	{ "0x4 is the power cap, which is told apart",
	  { { "..........cccccccccc", "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkffffffffff", NULL } },
	  "gpu0 sw_power: flags 10.0+-1.0 s, counted - s, 50.0 % of busy, 1500.0 of 2000.0 MHz, 25.0 % less, 2.5 s lost\n" },
	/* 0x08 together with 0x40 or 0x80 is counted as these, alone as itself */
	{ "hardware slowdown is counted once",
	  { { "....TTTTTT....BBBB.s", "XXXXXXXXXXXXXXXXXXXX", "kkkkaaaaaakkkk5555kk", NULL } },
	  "gpu0 hw_thermal: flags 6.0+-1.0 s, counted - s, 30.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 3.0 s lost\n"
	  "gpu0 hw_brake: flags 4.0+-1.0 s, counted - s, 20.0 % of busy, 500.0 of 2000.0 MHz, 75.0 % less, 3.0 s lost\n"
	  "gpu0 hw_slowdown: flags 1.0+-1.0 s, counted - s, 5.0 % of busy, 2000.0 of 2000.0 MHz, 0.0 % less, 0.0 s lost\n" },
	/* golden case 3: each GPU has its own shares */
	{ "two GPUs, two rows",
	  { { "tttttt..............", "XXXXXXXXXXXXXXXXXXXX", "aaaaaakkkkkkkkkkkkkk", NULL },
	    { "tt....t...t...t...t.", "XXXXXXXXXXXXXXXXXXXX", "ffkkkkfkkkfkkkfkkkfk", NULL } },
	  "gpu0 hw_thermal: flags 6.0+-1.0 s, counted - s, 30.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 3.0 s lost\n"
	  "gpu1 hw_thermal: flags 6.0+-5.0 s, counted - s, 30.0 % of busy, 1500.0 of 2000.0 MHz, 25.0 % less, 1.5 s lost\n" },
	{ "two reasons at once are two rows",
	  { { "..........mmmmmmmmmm", "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaaaaaaa", NULL } },
	  "gpu0 sw_power: flags 10.0+-1.0 s, counted - s, 50.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 5.0 s lost\n"
	  "gpu0 sw_thermal: flags 10.0+-1.0 s, counted - s, 50.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 5.0 s lost\n" },
	/* rules.md section 6, 4: twelve seconds on the counter, three in the flags: both are told */
	{ "flags miss what the counter sees",
	  { { "....t....t....t.....", "XXXXXXXXXXXXXXXXXXXX", "kkkkakkkkakkkkakkkkk", "00012345678999abcccc" } },
	  "gpu0 hw_thermal: flags 3.0+-3.0 s, counted 12.0 s, 60.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 6.0 s lost\n" },
	/* golden case 27: the driver was loaded again: 9 - 5, and 3 since then */
	{ "a counter that falls begins anew",
	  { { "tttt...........ttt..", "XXXXXXXXXXXXXXXXXXXX", "aaaakkkkkkkkkkkaaakk", "56789999999900000123" } },
	  "gpu0 hw_thermal: flags 7.0+-2.0 s, counted 7.0 s anew, 35.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 3.5 s lost\n" },
	/* from sample to sample, as the counter grew */
	{ "a counter alone",
	  { { NULL, "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaaaaaaa", "0000000000012345555" "5" } },
	  "gpu0 hw_thermal: flags -+-- s, counted 5.0 s, 25.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 2.5 s lost\n" },
	{ "a counter that stands still, whatever it stands at",
	  { { NULL, "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaaaaaaa", "99999999999999999999" } }, "" },
	{ "nor what it grows by while nobody works",
	  { { "iiiiiiiiii..........", "0000000000XXXXXXXXXX", "3333333333kkkkkkkkkk", "01234567899999999999" } }, "" },
	/* missing is neither yes nor no: of 15 s whose flags are known 5 were held */
	{ "flags that are missing",
	  { { "..........ttttt_____", "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaakkkkk", NULL } },
	  "gpu0 hw_thermal: flags 5.0+-1.0 s, counted - s, 33.3 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 2.5 s lost\n" },
	{ "no flags and no counters", { { NULL, "XXXXXXXXXXXXXXXXXXXX", "kkkkkkkkkkaaaaaaaaaa", NULL } }, "" },
	{ "without busy, what is not idle",
	  { { "iiiiiiiiii......tttt", NULL, "3333333333kkkkkkaaaa", NULL } },
	  "gpu0 hw_thermal: flags 4.0+-1.0 s, counted - s, 40.0 % of busy, 1000.0 of 2000.0 MHz, 50.0 % less, 2.0 s lost\n" },
};

static void flags_and_counters_are_told(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct report *r = report_of(logs, cases[i].gpus, cases[i].gpus[1].clock ? 2 : 1);
		const char *rows = shown_rows(logs, r->throttle, r->n_throttle);

		if (strcmp(rows, cases[i].rows) != 0)
			fail_msg("%s:\n%snot\n%s", cases[i].name, rows, cases[i].rows);
	}
}

static void joined_notes(struct logs *logs, const struct report *r, const char **text)
{
	*text = "";
	for (size_t i = 0; i < r->throttle_notes.n; i++)
		*text = arena_print(&logs->mem, "%s%s\n", *text, r->throttle_notes.at[i]);
}

/* Of twelve GPUs the eight that lost the most are told, in order of GPUs; the others are in report.json. */
static void of_many_gpus_those_that_matter(void **state)
{
	static const char busy[] = "XXXXXXXXXXXXXXXXXXXX", clock[] = "aaaaaaaaaaaakkkkkkkk";
	struct drawn gpus[MOST_GPUS];
	struct logs *logs = *state;
	const char *told = "", *notes;

	for (size_t g = 0; g < MOST_GPUS; g++) {
		char *flags = NEW_ARRAY(&logs->mem, char, sizeof busy);
		memset(flags, '.', sizeof busy - 1);
		memset(flags, 'h', 12 - g);
		gpus[g] = (struct drawn){ flags, busy, clock, NULL };
	}
	const struct report *r = report_of(logs, gpus, MOST_GPUS);
	for (size_t i = 0; i < r->n_told_throttle; i++)
		told = arena_print(&logs->mem, "%s%s ", told, r->told_throttle[i].label);
	joined_notes(logs, r, &notes);
	assert_int_equal(r->n_throttle, MOST_GPUS);
	assert_string_equal(told, "GPU 0 GPU 1 GPU 2 GPU 3 GPU 4 GPU 5 GPU 6 GPU 7 ");
	assert_non_null(strstr(notes, "4 more rows are in report.json.\n"));
	assert_null(strstr(notes, "normal"));
}

/* One sample in three minutes under the power cap is not worth a table, one of heat is. */
static void a_moment_of_the_cap_is_not_told(void **state)
{
	static const struct {
		char flag;
		size_t n_told;
	} moments[] = { { 'c', 0 }, { 't', 1 }, { 's', 1 } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
		char flags[181], busy[181], clock[181];
		memset(flags, '.', 180);
		memset(busy, 'X', 180);
		memset(clock, 'k', 180);
		flags[180] = busy[180] = clock[180] = '\0';
		flags[90] = moments[i].flag;
		const struct report *r = report_of(logs, &(struct drawn){ flags, busy, clock, NULL }, 1);
		assert_int_equal(r->n_throttle, 1);
		assert_int_equal(r->n_told_throttle, moments[i].n_told);
	}
}

/* Nothing is said of a log too short to judge, not even this. */
static void of_a_short_log_nothing_is_told(void **state)
{
	struct logs *logs = *state;
	const struct report *r = report_of(logs, &(struct drawn){ "tttttttt", "XXXXXXXX", "aaaaaaaa", NULL }, 1);

	assert_int_equal(r->n_throttle, 1);
	assert_int_equal(r->n_told_throttle, 0);
}

static void a_counter_begun_anew_is_said(void **state)
{
	struct logs *logs = *state;
	const char *notes;
	const struct drawn gpu = { "cccc...........ccc..", "XXXXXXXXXXXXXXXXXXXX", "aaaakkkkkkkkkkkaaakk", "56789999999900000123" };
	const struct report *r = report_of(logs, &gpu, 1);

	joined_notes(logs, r, &notes);
	assert_non_null(strstr(notes, "GPU 0: the driver's counter of 'heat, hardware' began anew once; what it counted since is told.\n"));
	assert_non_null(strstr(notes, "A power cap at full load is normal"));
}

/* Any of these letters, for some seconds each. */
static char *drawn_any(struct arena *mem, uint32_t *seed, const char *letters, size_t n)
{
	char *const drawn = NEW_ARRAY(mem, char, n + 1);
	size_t left = 0;

	for (size_t i = 0; i < n; i++, left--) {
		*seed = *seed * 1664525 + 1013904223;
		if (left == 0)
			left = 1 + (*seed >> 8) % 9;
		drawn[i] = left > 1 && i > 0 ? drawn[i - 1] : letters[(*seed >> 16) % strlen(letters)];
	}
	return drawn;
}

#define N_ANY 400

/* A counter that stands still of another reason tells nothing, but then each track is looked at for itself. */
static void one_pass_over_rows_tells_what_tracks_tell(void **state)
{
	struct logs *logs = *state;
	struct arena *const mem = &logs->mem;
	char still[N_ANY + 1];
	uint32_t seed = 7;

	memset(still, '5', N_ANY);
	still[N_ANY] = '\0';
	for (int i = 0; i < 40; i++) {
		const char *const flags = drawn_any(mem, &seed, i % 2 ? ".iIcBs_mhs" : "....cccB", N_ANY);
		const char *const busy = drawn_any(mem, &seed, "X0XX9", N_ANY);
		const char *const clock = drawn_any(mem, &seed, i % 4 ? "kkjih5" : "kkj kkih", N_ANY);
		const struct drawn gpu = { flags, busy, clock, NULL };
		struct drawn counted = gpu;
		counted.counter = still;
		const struct report *const of_rows = report_of(logs, &gpu, 1), *const of_tracks = report_of(logs, &counted, 1);
		const char *const rows = shown_rows(logs, of_rows->throttle, of_rows->n_throttle);
		assert_string_equal(rows, shown_rows(logs, of_tracks->throttle, of_tracks->n_throttle));
		assert_true(of_rows->n_throttle > 1);
	}
}

#define N_LONG ((size_t)1000)

/* The first GPU is capped for some seconds, the other one as well; that one has another flag in some, and no rows in the first ones. */
static const struct alike {
	const char *name;
	size_t first[2], second[2], other[2];
	char flag, calm; /* the other flag; and the one that it has where it is not held down */
	size_t late;
	const char *note; /* of both; NULL: they are not alike */
} alikes[] = {
	{ "the same", { 300, 700 }, { 300, 700 }, { 0, 0 }, 'c', '.', 0, "6 min 40 s each" },
	{ "2 % of it apart", { 300, 700 }, { 300, 720 }, { 0, 0 }, 'c', '.', 0, "at most 7 min" },
	{ "4 % of it apart", { 300, 700 }, { 300, 740 }, { 0, 0 }, 'c', '.', 0, NULL },
	{ "as many seconds as may be apart", { 300, 700 }, { 300, 730 }, { 0, 0 }, 'c', '.', 0, "at most 7 min 10 s" },
	{ "for one second more", { 300, 700 }, { 300, 731 }, { 0, 0 }, 'c', '.', 0, NULL },
	{ "whole chunks of another reason", { 300, 700 }, { 300, 700 }, { 384, 640 }, 'h', '.', 0, NULL },
	{ "some seconds of it", { 300, 700 }, { 300, 700 }, { 384, 400 }, 'h', '.', 0, "at most 6 min 40 s" },
	{ "idle is no reason", { 300, 700 }, { 300, 700 }, { 400, 640 }, 'I', 'i', 0, "6 min 40 s each" },
	{ "missing is like nothing", { 300, 700 }, { 300, 700 }, { 128, 256 }, '_', '.', 0, NULL },
	{ "other chunks, apart within one", { 256, 290 }, { 800, 890 }, { 0, 0 }, 'c', '.', 60, NULL },
	{ "other chunks, apart between two", { 384, 512 }, { 444, 512 }, { 0, 0 }, 'c', '.', 60, NULL },
	{ "other chunks, the same", { 384, 512 }, { 384, 512 }, { 0, 0 }, 'c', '.', 60, "2 min 08 s each" },
};

static bool is_in(const size_t range[2], size_t i)
{
	return i >= range[0] && i < range[1];
}

static const struct panel *throttle_panel(const struct figure *f)
{
	for (size_t i = 0; i < f->n_panels; i++)
		if (f->panels[i].kind == PANEL_THROTTLE)
			return &f->panels[i];
	fail_msg("no panel");
	return NULL;
}

static const struct report *report_of_alike(struct logs *logs, const struct alike *a)
{
	const struct report_options options = { .chart_files = files, .n_chart_files = 1 };
	char flags[2][N_LONG + 1], clocks[2][N_LONG + 1], busy[N_LONG + 1];
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct rules *rules = NEW(&logs->mem, struct rules);

	for (size_t i = 0; i < N_LONG; i++) {
		flags[0][i] = is_in(a->first, i) ? 'c' : '.';
		flags[1][i] = is_in(a->other, i) ? a->flag : is_in(a->second, i) ? 'c' : a->calm;
		busy[i] = 'X';
		clocks[0][i] = 'k';
		clocks[1][i] = i < a->late ? ' ' : 'k';
	}
	flags[0][N_LONG] = flags[1][N_LONG] = clocks[0][N_LONG] = clocks[1][N_LONG] = busy[N_LONG] = '\0';
	const struct drawn gpus[] = { { flags[0], busy, clocks[0], NULL }, { flags[1], busy, clocks[1], NULL } };
	run_take(logs, run, "gpu.csv", log_of(&logs->mem, gpus, 2));
	run_settle(run);
	return report_build(run, rules, rules_judge(rules, run), &options);
}

/* Then one row of a picture tells of both. */
static void gpus_are_held_down_alike(void **state)
{
	for (size_t i = 0; i < sizeof alikes / sizeof *alikes; i++) {
		const struct report *const r = report_of_alike(*state, &alikes[i]);
		const char *const note = throttle_panel(&r->timeline_figure)->common_note, *const wanted = alikes[i].note;
		if (!note != !wanted || (note && strcmp(note, wanted) != 0))
			fail_msg("%s: %s", alikes[i].name, note);
	}
}

/* A power brake comes with hardware slowdown, and is no heat; nor is a slowdown that nothing gives a cause for. */
static void only_heat_is_called_hot(void **state)
{
	static const struct {
		char flag;
		const char *note;
	} notes[] = { { 't', "hot 3 min" }, { 'T', "hot 3 min" }, { 'h', "hot 3 min" }, { 'B', "slowed 3 min" }, { 's', "slowed 3 min" } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
		char flags[361], busy[361], clock[361];
		memset(flags, '.', 360);
		memset(flags + 100, notes[i].flag, 180);
		memset(busy, 'X', 360);
		memset(clock, 'k', 360);
		flags[360] = busy[360] = clock[360] = '\0';
		const struct report *r = report_of(logs, &(struct drawn){ flags, busy, clock, NULL }, 1);
		assert_string_equal(throttle_panel(&r->timeline_figure)->row_notes[0], notes[i].note);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(flags_and_counters_are_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(of_many_gpus_those_that_matter, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_moment_of_the_cap_is_not_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(of_a_short_log_nothing_is_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_counter_begun_anew_is_said, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_pass_over_rows_tells_what_tracks_tell, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gpus_are_held_down_alike, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(only_heat_is_called_hot, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
