/*
 * remarks_test.c - what is told of a healthy run beside its verdict: how long the start and the end took, dips of busy, and what was
 * checked.
 *
 *     "20*0 280*9 10*5 290*9"      20 s at 0 % busy, 280 s at 90 %, 10 s at 50 %, 290 s at 90 %; '_' no value, ' ' no row
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "report/report.h"
#include "tracks.h"

#define RULE(name, keys) { "r/" name ".yaml", { TEXT(keys), sizeof TEXT(keys) - 1 }, LAYER_GIVEN }
#define TEXT(keys)                                                                                                        \
	"short: s\nchecked: c\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\nduring: run\nseverity: note\n" keys
static const struct rule_file rule_files[] = {
	RULE("hot", "scope: gpu\nwhen: gpu.temp > 90 C\n"),
	RULE("low", "scope: gpu\nwhen: gpu.util < 5 %\nfor: 5 min\n"),
	RULE("full", "scope: host\nwhen: host.cpu.busy > 95 %\n"),
	RULE("full-load", "scope: gpu\nwhen: gpu.util > 50 % and gpu.power > 95 W\n"),
	RULE("gap", "scope: gpu\nwhen: hole(gpu.util)\nfor: 15 s\n"),
	RULE("pause", "scope: gpu\nwhen: gpu.util > 25 % and gpu.util < 35 %\n"),
	RULE("late", "scope: run\nwhen: max(run.start, run) > 100 s\n"),
};

static const char *drawn(struct logs *logs, const char *text)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	while (*text) {
		char *end;
		for (long n = strtol(text, &end, 10); n > 0; n--)
			buf_char(&out, end[1]);
		text = end + 2 + (end[2] == ' ');
	}
	return text_of_buf(&logs->mem, &out);
}

struct setting {
	const char *busy[3]; /* NULL: no more GPUs */
	int start, end;      /* seconds that are no work at both ends */
	const char *temp, *power; /* of GPU 0 */
	struct report_options options;
};

static const struct report *report_of(struct logs *logs, const struct setting *s)
{
	const struct rules *rules = rules_of_files(&logs->mem, rule_files, sizeof rule_files / sizeof *rule_files, &logs->diags);
	struct track *tracks[5];
	size_t n = 0;

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	for (int g = 0; g < 3 && s->busy[g]; g++) {
		const struct picture p = { METRIC_GPU_UTIL, "", g, drawn(logs, s->busy[g]) };
		tracks[n] = track_drawn(&logs->mem, entity_of(&logs->mem, tracks, n, &p), &p);
		n++;
	}
	if (s->temp) {
		const struct picture p = { METRIC_GPU_TEMP, "", 0, drawn(logs, s->temp) };
		tracks[n] = track_drawn(&logs->mem, entity_of(&logs->mem, tracks, n, &p), &p);
		n++;
	}
	if (s->power) {
		const struct picture p = { METRIC_GPU_POWER, "", 0, drawn(logs, s->power) };
		tracks[n] = track_drawn(&logs->mem, entity_of(&logs->mem, tracks, n, &p), &p);
		n++;
	}
	const time_ms length = (time_ms)strlen(drawn(logs, s->busy[0])) * SECOND_MS;
	const time_ms from = DAWN + s->start * SECOND_MS, to = DAWN + length - s->end * SECOND_MS;
	const struct phase_span phases[] = { { PHASE_STARTUP, { DAWN, from } }, { PHASE_STEADY, { from, to } }, { PHASE_TAIL, { to, DAWN + length } } };
	struct run *run = run_from_tracks(&logs->mem, &logs->diags, "run", tracks, n, s->start ? phases : phases + 1,
		(size_t)(s->start ? 2 : 1) + (s->end ? 1 : 0));
	derive_metrics(run);
	run->n_recordings = 0; /* a made run has no log, of which a report would tell */
	return report_build(run, rules, rules_judge(rules, run), &s->options);
}

static const char *remarks_of(struct logs *logs, const struct setting *s)
{
	const struct report *r = report_of(logs, s);

	return r->remarks_text ? r->remarks_text : "";
}

static void dips_are_counted(void **state)
{
	static const struct {
		const char *busy, *text;
	} cases[] = {
		{ "600*9", "" },
		{ "300*9 9*5 291*9", "GPU busy dipped once (02:05:00–02:05:09) for 9 s: 50 % instead of 90 %, 0.1 GPU-min in all, too little to count as lost." },
		{ "100*9 9*5 300*9 20*6 171*9",
			"GPU busy dipped twice, the shortest for 9 s, the longest for 20 s: 57 % instead of 90 %, 0.2 GPU-min in all, too little to count as lost." },
		{ "100*9 9*5 120*9 10*5 120*9 10*5 120*9 8*5 103*9",
			"GPU busy dipped 4 times, every 2 min 10 s, for about 9 s each: 50 % instead of 90 %, 0.3 GPU-min in all, not counted as lost." },
		/* without a rhythm */
		{ "100*9 9*5 60*9 9*5 200*9 9*5 213*9",
			"GPU busy dipped 3 times, for about 9 s each: 50 % instead of 90 %, 0.2 GPU-min in all, not counted as lost." },
		/* not deep enough: 85 % of the usual; too short, but as long as is enough */
		{ "300*9 9*8 291*9", "" },
		{ "300*9 2*5 298*9", "" },
		{ "300*9 3*5 297*9", "GPU busy dipped once (02:05:00–02:05:03) for 3 s: 50 % instead of 90 %, less than 0.1 GPU-min in all, too little to count as lost." },
		/* a blip of work is a part of a dip; a longer one is not */
		{ "300*9 3*5 2*9 3*5 292*9", "GPU busy dipped once (02:05:00–02:05:08) for 8 s: 60 % instead of 90 %, less than 0.1 GPU-min in all, too little to count as lost." },
		{ "300*9 3*5 3*9 3*5 291*9", "GPU busy dipped twice, for about 3 s each: 50 % instead of 90 %, less than 0.1 GPU-min in all, too little to count as lost." },
		/* more than a tenth of the time is how busy it is, and so is what comes more often than once a minute */
		{ "300*9 61*5 239*9", "" },
		{ "40*9 3*5 40*9 3*5 40*9 3*5 40*9 3*5 8*9", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { cases[i].busy } }), cases[i].text);
}

/* Of ten and more dips one in ten may be unlike the others, or come at another time: what most of them do is told all the same. */
static void odd_ones_hide_no_rhythm(void **state)
{
#define DIP "170*9 10*5 "
#define FIVE DIP DIP DIP DIP DIP
	static const struct {
		const char *busy, *text;
	} cases[] = {
		{ FIVE FIVE "170*9", "10 times, every 3 min, for about 10 s each" },
		/* a longer one, and one as short as nobody asks about */
		{ FIVE DIP DIP DIP DIP "170*9 30*5 170*9", "10 times, mostly every 3 min for about 10 s, the longest for 30 s" },
		{ FIVE DIP DIP DIP DIP "170*9 3*5 170*9", "10 times, mostly every 3 min for about 10 s" },
		/* one that is missing, one too many */
		{ FIVE "180*9 " FIVE DIP "170*9", "11 times, mostly every 3 min for about 10 s" },
		{ FIVE FIVE "60*9 10*5 110*9 " FIVE FIVE "170*9", "21 times, mostly every 3 min for about 10 s" },
		/* alike without a rhythm, a rhythm without being alike */
		{ "90*9 3*5 " FIVE "60*9 10*5 200*9 10*5 90*9 10*5 300*9 10*5 150*9 10*5 170*9", "11 times, mostly for about 10 s" },
		{ "170*9 8*5 172*9 15*5 165*9 27*5 153*9 8*5 172*9 15*5 165*9 8*5 172*9 27*5 153*9 15*5 165*9 8*5 172*9 15*5 170*9",
			"10 times, every 3 min, the shortest for 8 s, the longest for 27 s" },
		/* two of ten are too many, and so is one of nine */
		{ FIVE DIP DIP DIP "170*9 30*5 150*9 30*5 170*9", "10 times, every 3 min, the shortest for 10 s, the longest for 30 s" },
		{ FIVE DIP DIP DIP "170*9 30*5 170*9", "9 times, every 3 min, the shortest for 10 s, the longest for 30 s" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const told = remarks_of(*state, &(struct setting){ .busy = { cases[i].busy } });
		const char *const times = strstr(told, "GPU busy dipped ");
		assert_non_null(times);
		const size_t length = strcspn(times + 16, ":");
		assert_string_equal(arena_print(&((struct logs *)*state)->mem, "%.*s", (int)length, times + 16), cases[i].text);
	}
}

/* At the edge of what is known nobody sees how long it was; a hole in one GPU's log hides the mean. */
static void holes_are_no_dips(void **state)
{
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 20*_ 280*9" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 20*  280*9" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 9*5 20*_ 271*9" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 20*_ 9*5 271*9" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "9*5 591*9" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "591*9 9*5" } }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 9*5 291*9", "300*9 20*_ 280*9" } }), "");
	/* beside the hole it is seen */
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "300*9 20*_ 40*9 9*5 231*9" } }),
		"GPU busy dipped once (02:06:00–02:06:09) for 9 s: 50 % instead of 90 %, 0.1 GPU-min in all, too little to count as lost.");
}

/* Of several GPUs the mean: what one of three does is a sixth of it, or not seen. */
static void of_several_gpus_it_is_the_mean(void **state)
{
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "600*9", "600*9", "300*9 9*0 291*9" } }),
		"GPU busy, the mean of all 3, dipped once (02:05:00–02:05:09) for 9 s: 60 % instead of 90 %, 0.2 GPU-min in all, too little to count as lost.");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "600*9", "600*9", "300*9 9*6 291*9" } }), "");
}

static void start_and_end_are_told_where_they_are_seen(void **state)
{
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "20*0 576*9 4*0" }, .start = 20, .end = 4 }),
		"The start took 20 s (02:00:00–02:00:20). The end took 4 s (02:09:56–02:10:00).");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "2*0 598*9" }, .start = 2 }), "");
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "3*0 597*9" }, .start = 3 }), "The start took 3 s (02:00:00–02:00:03).");
	/* a rule has told it */
	assert_string_equal(remarks_of(*state, &(struct setting){ .busy = { "101*0 900*9 6*0" }, .start = 101, .end = 6 }),
		"The end took 6 s (02:16:41–02:16:47).");
}

/* One about busy tells of the dips itself; one about full load, or about a hole elsewhere, does not. */
static void what_a_finding_is_about_is_not_told_again(void **state)
{
	static const char dip[] = "GPU busy dipped once (02:05:00–02:05:09) for 9 s: 50 % instead of 90 %, 0.1 GPU-min in all, too little to count as lost.";
	const struct report *full = report_of(*state, &(struct setting){ .busy = { "300*9 9*5 291*9" }, .power = "600*X" });
	const struct report *gap = report_of(*state, &(struct setting){ .busy = { "300*9 9*5 200*9 20*  71*9" } });
	const struct report *pause = report_of(*state, &(struct setting){ .busy = { "300*9 9*3 291*9" } });

	assert_string_equal(full->findings[0].rule, "full-load");
	assert_string_equal(full->remarks_text, dip);
	assert_string_equal(gap->findings[0].rule, "gap");
	assert_string_equal(gap->remarks_text, dip);
	assert_string_equal(pause->findings[0].rule, "pause");
	assert_string_equal(pause->verdict.severity, "healthy");
	assert_null(pause->remarks_text);
}

static void numbers_are_in_the_report(void **state)
{
	const struct report *r = report_of(*state,
		&(struct setting){ .busy = { "20*0 100*9 9*5 120*9 10*5 120*9 10*5 211*9" }, .start = 20 });

	assert_string_equal(r->verdict.severity, "healthy");
	assert_int_equal(r->n_findings, 0);
	assert_int_equal(r->n_remarks, 2);
	assert_string_equal(r->remarks[0].kind, "start");
	assert_true(r->remarks[0].seconds == 20 && isnan(r->remarks[0].gpu_hours) && isnan(r->remarks[0].period_seconds));
	assert_string_equal(r->remarks[1].kind, "dips");
	assert_int_equal(r->remarks[1].count, 3);
	assert_true(r->remarks[1].seconds == 29 && r->remarks[1].period_seconds == 129);
	assert_int_equal(r->remarks[1].begin - DAWN, 120000);
	assert_int_equal(r->remarks[1].end - DAWN, 389000);
	assert_true(fabs(r->remarks[1].gpu_hours * 3600 - 29 * 4.0 / 9) < 0.01);
}

/* Areas of rules that were clear, by what is logged: nobody judged the CPU here. */
static void what_was_checked_is_told_in_plain_words(void **state)
{
	const struct report *r = report_of(*state, &(struct setting){ .busy = { "600*9" }, .temp = "600*6" });
	assert_string_equal(r->checked_count, "5 checks of GPU use and heat");
	assert_string_equal(report_of(*state, &(struct setting){ .busy = { "600*9" } })->checked_count, "4 checks of GPU use");
}

static void a_run_that_is_not_healthy_has_none(void **state)
{
	const struct report *r = report_of(*state, &(struct setting){ .busy = { "20*0 180*9 300*_ 9*5 91*9" }, .start = 20 });

	assert_string_equal(r->verdict.severity, "unknown");
	assert_int_equal(r->n_remarks, 0);
	assert_null(r->remarks_text);
}

static void of_a_healthy_run_only_who_asks_for_it_is_told_all(void **state)
{
	const struct setting healthy = { .busy = { "600*9" } }, brief = { .busy = { "600*9" }, .options = { .in_table_alone = true } },
		all = { .busy = { "600*9" }, .options = { .in_table_alone = true, .all = true } },
		unknown = { .busy = { "20*0 180*9 300*_ 9*5 91*9" }, .start = 20, .options = { .in_table_alone = true } };

	assert_int_equal(report_of(*state, &brief)->n_timeline, 0);
	assert_int_equal(report_of(*state, &healthy)->n_timeline, 1);
	assert_int_equal(report_of(*state, &all)->n_timeline, 1);
	assert_int_equal(report_of(*state, &unknown)->n_timeline, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(dips_are_counted),
		TEST(odd_ones_hide_no_rhythm),
		TEST(holes_are_no_dips),
		TEST(of_several_gpus_it_is_the_mean),
		TEST(start_and_end_are_told_where_they_are_seen),
		TEST(what_a_finding_is_about_is_not_told_again),
		TEST(numbers_are_in_the_report),
		TEST(what_was_checked_is_told_in_plain_words),
		TEST(a_run_that_is_not_healthy_has_none),
		TEST(of_a_healthy_run_only_who_asks_for_it_is_told_all),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
