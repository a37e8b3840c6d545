/*
 * pictures_test.c - which pictures a report has, what stands above them, and what they show: GPUs that a finding names, the close-up,
 * how GPU time divides by how busy the GPUs were.
 *
 * Logs are drawn as one digit a second (runs.h). Hot seconds of GPU 1 are 88 C with 2 C left, all others 60 C with 30 C left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "report/report.h"
#include "rules.h"
#include "runs.h"

#define WORDS "short: s\nseverity: critical\nsources: [s]\nwhat: w\nwhy: y\nrefute: r\ncard: c\nduring: run\ntry: [do]\n"
#define HOT WORDS "checked: heat\ntitle: \"{Gpus} ran hot\"\nscope: gpu\nwhen: gpu.temp_margin <= 5 C\n"
#define LOW WORDS "checked: low use\ntitle: \"{Gpus} low\"\nscope: gpu\nwhen: mean(gpu.util) < 60 %\ncost: 1 - gpu.util / 100 %\n"
#define ROOM WORDS "checked: free memory\ntitle: \"{Gpus} roomy\"\nscope: gpu\nwhen: mean(gpu.mem_share) < 20 %\n"

#define STEADY "99999999999999999999" /* 20 s */
#define IDLE "00000000000000000000"
#define NO_ROWS "                    "
#define MINUTE STEADY STEADY STEADY
#define SWING "888800000088880000008888000000" /* 4 s of work in 10 s */
#define SWINGS SWING SWING SWING SWING SWING SWING SWING SWING SWING SWING /* 5 min */

struct asked {
	const char *busy; /* of both GPUs */
	int n_gpus, hot_from, hot_until, used_mib;
	bool all, mixed; /* GPU 1 has half the memory */
};

static const char *log_of(struct arena *mem, const struct asked *a)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, "timestamp, index, utilization.gpu [%], temperature.gpu, temperature.gpu.tlimit, memory.used [MiB], memory.total [MiB]\n");
	for (int i = 0; a->busy[i]; i++)
		for (int gpu = 0; gpu < a->n_gpus && a->busy[i] != ' '; gpu++) {
			const bool hot = gpu == 1 && i >= a->hot_from && i < a->hot_until;
			buf_print(&out, "%s, %d, %d %%, %d, %d, %d MiB, %d MiB\n", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), gpu,
				percent_of(a->busy[i]), hot ? 88 : 60, hot ? 2 : 30, a->used_mib + gpu * 512, a->mixed && gpu == 1 ? 5120 : 10240);
		}
	return text_of_buf(mem, &out);
}

static const char *const files[] = { "card.png", "timeline.png", "thermal.png", "memory.png", "heatmap.png", "density.png", "duty.png" };

static const struct report *report_of(struct logs *logs, const struct asked *a)
{
	static const struct rule_file rule_files[] = {
		{ "r/hot.yaml", { HOT, sizeof HOT - 1 }, LAYER_GIVEN },
		{ "r/low.yaml", { LOW, sizeof LOW - 1 }, LAYER_GIVEN },
		{ "r/room.yaml", { ROOM, sizeof ROOM - 1 }, LAYER_GIVEN },
	};
	const struct report_options options = { .all = a->all, .chart_files = files, .n_chart_files = sizeof files / sizeof *files };
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const struct rules *rules = rules_of_files(&logs->mem, rule_files, 3, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_take(logs, run, "gpu.csv", log_of(&logs->mem, a));
	run_settle(run);
	return report_build(run, rules, rules_judge(rules, run), &options);
}

static const char *charts_of(struct arena *mem, const struct report *r)
{
	const char *names = "";

	for (size_t i = 0; i < r->n_charts; i++)
		names = arena_print(mem, "%s%s%.*s", names, i ? " " : "", (int)strcspn(r->charts[i].file, "."), r->charts[i].file);
	return names;
}

/* A picture that would say nothing of this run is neither drawn nor listed. */
static void pictures_are_chosen_by_what_they_say(void **state)
{
	static const struct {
		struct asked asked;
		const char *charts;
	} cases[] = {
		{ { MINUTE MINUTE, 2, 0, 0, 8192, false, false }, "card timeline" },
		{ { MINUTE MINUTE, 2, 0, 0, 8192, true, false }, "card timeline thermal memory heatmap duty" },
		{ { MINUTE MINUTE, 1, 0, 0, 8192, true, false }, "card timeline thermal memory duty" },
		{ { MINUTE MINUTE, 2, 30, 90, 8192, false, false }, "card timeline thermal heatmap" },
		{ { MINUTE MINUTE, 2, 0, 0, 512, false, false }, "card timeline memory" },
		{ { MINUTE MINUTE, 9, 0, 0, 8192, false, false }, "card timeline heatmap" },
		{ { MINUTE, 513, 0, 0, 8192, false, false }, "card timeline heatmap density" },
		{ { SWINGS, 1, 0, 0, 8192, false, false }, "card timeline duty" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct report *r = report_of(logs, &cases[i].asked);
		assert_string_equal(charts_of(&logs->mem, r), cases[i].charts);
		for (size_t c = 0; c < r->n_charts; c++)
			assert_true(*r->charts[c].title && r->charts[c].alt[strlen(r->charts[c].alt) - 1] == '.');
	}
}

/* Of three GPUs the first is hot in the first minute, the second one warm in the last. */
static const char *two_heats_log(struct arena *mem)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%], temperature.gpu, temperature.gpu.tlimit\n");
	for (int i = 0; i < 180; i++)
		for (int gpu = 0; gpu < 3; gpu++) {
			const bool hot = gpu == 0 && i < 60, warm = gpu == 1 && i >= 120;
			buf_print(&out, "%s, %d, 99 %%, %d, %d\n", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), gpu,
				hot ? 88 : warm ? 80 : 60, hot ? 2 : warm ? 10 : 30);
		}
	return text_of_buf(mem, &out);
}

#define WARM WORDS "checked: warmth\ntitle: \"{Gpus} ran warm\"\nscope: gpu\nwhen: gpu.temp_margin > 5 C and gpu.temp_margin <= 12 C\n"

/* A GPU's mean is that in its own finding, in the picture and in its alt text. */
static void each_gpu_is_told_in_its_own_finding(void **state)
{
	static const struct rule_file rule_files[] = {
		{ "r/hot.yaml", { HOT, sizeof HOT - 1 }, LAYER_GIVEN },
		{ "r/warm.yaml", { WARM, sizeof WARM - 1 }, LAYER_GIVEN },
	};
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const struct rules *rules = rules_of_files(&logs->mem, rule_files, 2, &logs->diags);
	const struct report_options options = { .chart_files = files, .n_chart_files = sizeof files / sizeof *files };

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_take(logs, run, "gpu.csv", two_heats_log(&logs->mem));
	run_settle(run);
	const struct report *r = report_build(run, rules, rules_judge(rules, run), &options);
	assert_string_equal(r->findings[0].title, "GPU 0 ran hot");
	assert_string_equal(r->thermal.panels[0].singled[1].label.statistic, "80 °C in");
	assert_ptr_equal(r->thermal.panels[0].singled[1].in, &r->findings[1]);
	assert_non_null(strstr(r->charts[2].alt, "Temperature: in finding 1 GPU 0 averages 88 °C and GPU 2 60 °C; in finding 2 GPU 1 80 °C. "));
}

static void heat_is_shown_on_the_gpus_that_have_it(void **state)
{
	struct logs *logs = *state;
	const struct report *r = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 30, 90, 8192, false, false });

	assert_string_equal(r->thermal.title, "GPU 1 ran hot");
	assert_int_equal(r->thermal.n_panels, 2); /* temperature, and what is left: no log tells the slowdown point */
	for (size_t i = 0; i < r->thermal.n_panels; i++) {
		const struct panel *p = &r->thermal.panels[i];
		assert_int_equal(p->n_singled, 1);
		assert_int_equal(p->singled[0].gpu, 1);
		assert_string_equal(p->singled[0].label.name, "GPU 1");
		assert_ptr_equal(p->singled[0].in, &r->findings[0]);
		assert_string_equal(p->subtitle, "line = GPU 1, grey = GPU 0");
	}
	assert_string_equal(r->thermal.panels[0].singled[0].label.statistic, "88 °C in");
	assert_string_equal(r->thermal.panels[0].others.statistic, "60 °C in");
	assert_int_equal(r->thermal.panels[1].kind, PANEL_MARGIN);
	assert_string_equal(r->thermal.panels[1].singled[0].label.statistic, "2 °C in");
	assert_non_null(strstr(r->charts[2].alt, "Temperature: in finding 1 GPU 1 averages 88 °C and GPU 0 60 °C. "));
	assert_ptr_equal(r->thermal.about, &r->findings[0]);
	assert_int_equal(r->told_findings[0].n_own_charts, 1);
	assert_string_equal(r->told_findings[0].own_charts[0].file, "thermal.png");
	assert_string_equal(r->lead_charts[0].file, "timeline.png");
	assert_string_equal(r->other_charts[0].file, "heatmap.png"); /* both GPUs are as busy as the other */
	/* asked for without a finding it says how near the GPUs came */
	const struct report *cool = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 0, 0, 8192, true, false });
	assert_string_equal(cool->thermal.title, "The hottest of 2 GPUs reached 60 °C");
	assert_string_equal(cool->thermal.subtitle, "At least 30 °C were left before a GPU slows down.");
	assert_int_equal(cool->thermal.panels[0].n_singled, 0);
}

static void free_memory_adds_up(void **state)
{
	struct logs *logs = *state;
	const struct report *r = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 0, 0, 512, true, false });

	assert_string_equal(r->memory.title, "Both GPUs roomy"); /* a critical finding says it better than the number */
	r = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 0, 0, 6144, true, false });
	assert_string_equal(r->memory.title, "At least 3.5 of 10.0 GiB stayed free on every GPU, all run long");
	assert_string_equal(r->memory.subtitle, "Peak 6.5 GiB on GPU 1, first reached at 02:00:00.");
	assert_string_equal(r->memory.panels[0].room.text, "3.5 GiB never used");
	/* where nobody logged it for a while, it is not known of that */
	r = report_of(logs, &(struct asked){ STEADY NO_ROWS STEADY, 2, 0, 0, 6144, true, false });
	assert_string_equal(r->memory.title, "At least 3.5 of 10.0 GiB stayed free on every GPU, as far as the log goes");
	assert_string_equal(r->memory.panels[0].room.text, "3.5 GiB free in the log");
	/* of GPUs with different memories nothing is said of "every GPU" */
	r = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 0, 0, 4096, true, true });
	assert_string_equal(r->memory.title, "At most 4.5 GiB of memory on a GPU was used");
	assert_null(r->memory.panels[0].room.text);
}

/* 4 s of work in 10 s, 5 min long: two fifths at 80 %, three fifths in 30 spells of 6 s. */
static void gpu_time_divides_by_how_busy_it_was(void **state)
{
	struct logs *logs = *state;
	const struct report *r = report_of(logs, &(struct asked){ SWINGS, 1, 0, 0, 8192, false, false });
	const struct duty *d = r->duty.panels[0].duty;

	assert_string_equal(r->duty.title, "60 % of GPU time was spent less than 10 % busy");
	assert_true(fabs(d->bars[0] - 180) < 1e-6 && fabs(d->bars[16] - 120) < 1e-6 && d->highest == d->bars[0]);
	assert_string_equal(d->percents[0], "60 %");
	assert_string_equal(d->percents[16], "40 %");
	assert_null(d->percents[1]);
	assert_string_equal(d->spells[0].text, "180 GPU-s, 30×");
	assert_string_equal(d->spells[1].text, "none");
	static const struct asked with_hole = { STEADY IDLE NO_ROWS IDLE STEADY, 1, 0, 0, 8192, true, false }; /* which ends a spell */
	r = report_of(logs, &with_hole);
	assert_string_equal(r->duty.panels[0].duty->spells[1].text, "40 GPU-s, 2×");
}

static void swings_too_fast_for_the_picture_have_a_closeup(void **state)
{
	struct logs *logs = *state;
	const struct report *r = report_of(logs, &(struct asked){ SWINGS SWINGS SWINGS SWINGS SWINGS SWINGS SWINGS SWINGS SWINGS SWINGS, 1, 0, 0,
							   8192, false, false });
	const struct closeup *c = &r->card.closeup;

	assert_non_null(c->gpu);
	assert_int_equal(span_length(c->span), 2 * MINUTE_MS);
	assert_true(c->span.begin >= r->run.begin && c->span.end <= r->run.end);
	assert_string_equal(c->subtitle, "the 2 min boxed above, every sample");
	/* of five minutes each second can be seen as it is */
	assert_null(report_of(logs, &(struct asked){ SWINGS, 1, 0, 0, 8192, false, false })->card.closeup.gpu);
}

/* Panels of what findings are about come first on the card. */
static void a_card_begins_with_what_findings_are_about(void **state)
{
	struct logs *logs = *state;
	const struct report *hot = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 30, 90, 8192, false, false });
	const struct report *calm = report_of(logs, &(struct asked){ MINUTE MINUTE, 2, 0, 0, 8192, false, false });

	assert_int_equal(hot->card.panels[0].kind, PANEL_BUSY);
	assert_int_equal(hot->card.panels[1].kind, PANEL_TEMPERATURE);
	assert_int_equal(calm->card.panels[1].kind, PANEL_MEMORY);
}

#define CORES WORDS "checked: cores\ntitle: \"A core is full\"\nscope: host\nwhen: max of cores(core.busy) > 85 %\n"

/* Of more samples than a chunk has: it is no copy of a core with other values than that core has. */
static void the_busiest_core_is_none_of_them_alone(void **state)
{
	static const char *const cores[] = { IDLE IDLE IDLE MINUTE IDLE MINUTE, MINUTE MINUTE MINUTE IDLE };
	static const struct rule_file file = { "r/cores.yaml", { CORES, sizeof CORES - 1 }, LAYER_GIVEN };
	struct logs *logs = *state;
	struct arena *const mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const struct rules *rules = rules_of_files(mem, &file, 1, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_take(logs, run, "gpu.csv", gpu_log(mem, MINUTE MINUTE MINUTE STEADY, NULL, 0));
	run_take(logs, run, "mpstat.txt", core_log(mem, "11/21/2026", cores, 2, 0));
	run_settle(run);
	assert_true(run_track(run, run->cores[0], METRIC_CORE_BUSY)->chunks.n > 0);
	const struct report *r = report_build(run, rules, rules_judge(rules, run), &(struct report_options){ .chart_files = files, .n_chart_files = 1 });
	const struct panel *busy = &r->card.panels[0];
	assert_int_equal(busy->kind, PANEL_BUSY);
	assert_string_equal(busy->cpu_label.name, "Busiest core");
	assert_string_equal(busy->cpu_label.statistic, "mean 90 %");
	assert_int_equal(busy->cpu->chunks.n, 0);
}

/* There is no line that its name could stand beside. */
static void cores_logged_on_another_day_are_not_named(void **state)
{
	static const char *const cores[] = { MINUTE MINUTE };
	struct logs *logs = *state;
	struct arena *const mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const struct rules rules = { 0 };

	run_take(logs, run, "gpu.csv", gpu_log(mem, MINUTE MINUTE STEADY, NULL, 0));
	run_take(logs, run, "mpstat.txt", core_log(mem, "11/27/2026", cores, 1, 0));
	run_settle(run);
	const struct report *r = report_build(run, &rules, rules_judge(&rules, run), &(struct report_options){ .chart_files = files, .n_chart_files = 1 });
	assert_int_equal(r->card.panels[0].kind, PANEL_BUSY);
	assert_null(r->card.panels[0].cpu);
}

/* Two GPUs at work for five minutes, the first at 450 W of 500. */
static const char *power_log(struct arena *mem, double watts)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%], power.draw [W], power.limit [W]\n");
	for (int i = 0; i < 300; i++)
		for (int gpu = 0; gpu < 2; gpu++)
			buf_print(&out, "%s, %d, 99 %%, %.4f W, 500.00 W\n", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), gpu,
				gpu ? watts : 450);
	return text_of_buf(mem, &out);
}

static bool has_power_map(struct logs *logs, double watts)
{
	const struct report_options options = { .chart_files = files, .n_chart_files = 2 };
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct rules *rules = NEW(&logs->mem, struct rules);

	run_take(logs, run, "gpu.csv", power_log(&logs->mem, watts));
	run_settle(run);
	const struct report *const r = report_build(run, rules, rules_judge(rules, run), &options);
	for (size_t i = 0; i < r->timeline_figure.n_panels; i++)
		if (strcmp(r->timeline_figure.panels[i].title, "Power per GPU") == 0)
			return true;
	return false;
}

/* 20 points of the limit apart are not, what is more is: also where that is less than what means of power are trusted for. */
static void uneven_power_has_a_map(void **state)
{
	assert_false(has_power_map(*state, 450));
	assert_false(has_power_map(*state, 360));
	assert_false(has_power_map(*state, 350.004));
	assert_false(has_power_map(*state, 350));
	assert_true(has_power_map(*state, 349.9995));
	assert_true(has_power_map(*state, 349.9));
	assert_true(has_power_map(*state, 120));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(uneven_power_has_a_map),
		TEST(pictures_are_chosen_by_what_they_say),
		TEST(heat_is_shown_on_the_gpus_that_have_it),
		TEST(each_gpu_is_told_in_its_own_finding),
		TEST(free_memory_adds_up),
		TEST(gpu_time_divides_by_how_busy_it_was),
		TEST(swings_too_fast_for_the_picture_have_a_closeup),
		TEST(a_card_begins_with_what_findings_are_about),
		TEST(the_busiest_core_is_none_of_them_alone),
		TEST(cores_logged_on_another_day_are_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
