/*
 * account_test.c - what a report says of rules: what was suppressed and what that cost, by which rules it
 * judged, what else could have looked the same, and advice that stands under a condition.
 *
 * Two GPUs, a minute at a second: 80 % busy, and for 20 s of it 10 %.
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

#define WORDS "short: s\nseverity: critical\nsources: [s]\nwhat: w\nwhy: y\nrefute: r\ncard: c\nduring: run\n"
#define LAZY                                                                                                           \
	WORDS "checked: laziness\ntitle: \"{Gpus} lazed\"\nscope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 80 %\nexplains: [low]\n" \
	      "evidence: {cpu: \"mean(host.cpu.busy, inside)\", idle: \"mean(host.cpu.busy, inside) < 20 %\"}\n"                  \
	      "try: [\"always\", \"{^cpu}log the CPU{/cpu}\", \"{#cpu}the CPU was {cpu}{/cpu}\", \"{#idle}it idled{/idle}\"]\n"
#define LOW WORDS "checked: low use\ntitle: \"{Gpus} low\"\nscope: gpu\nwhen: gpu.util < 60 %\ncost: 1 - gpu.util / 80 %\ntry: [do]\n"
#define FULL WORDS "checked: a full CPU\ntitle: full\nscope: host\nwhen: host.cpu.busy > 90 %\ntry: [do]\n"
#define HIGH WORDS "checked: high use\ntitle: \"{Gpus} high\"\nscope: gpu\nwhen: gpu.util > 90 %\ntry: [do]\n"

#define WAIT                                                                                                           \
	WORDS "checked: waiting\ntitle: \"{Gpus} waited\"\nscope: gpu\nwhen: gpu.util < 20 %\ncost: 100 %\ncost_least: 1 - gpu.util / 40 %\n" \
	      "explains: [lazy]\ntry: [do]\n"

#define BUSY "88888888888888888888"
#define IDLE "11111111111111111111"
#define DIP BUSY IDLE BUSY

static const char *two_gpus(struct arena *mem, const char *const *busy)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (size_t i = 0; busy[0][i]; i++)
		for (int gpu = 0; gpu < 2; gpu++)
			buf_print(&out, "%s, %d, %d %%\n", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), gpu, percent_of(busy[gpu][i]));
	return text_of_buf(mem, &out);
}

struct setting {
	const char *busy[2], *cpu;
	struct report_options options;
	struct rival rivals[3]; /* of lazy */
	size_t n_rivals;
	bool low_is_free; /* its rule has no cost */
	bool with_wait;   /* its rule is asked, too */
	void (*change)(struct rules *rules, struct rule *lazy);
	void (*judge)(struct verdicts all, const struct rules *rules); /* afterwards: what no rule of ours says */
};

static void no_verdict_changes(struct verdicts all, const struct rules *rules)
{
	(void)all;
	(void)rules;
}

static const struct report *report_of(struct logs *logs, const struct setting *s)
{
	static const struct rule_file files[] = {
		{ "r/lazy.yaml", { LAZY, sizeof LAZY - 1 }, LAYER_GIVEN }, { "r/low.yaml", { LOW, sizeof LOW - 1 }, LAYER_GIVEN },
		{ "r/full.yaml", { FULL, sizeof FULL - 1 }, LAYER_GIVEN }, { "r/high.yaml", { HIGH, sizeof HIGH - 1 }, LAYER_GIVEN },
		{ "r/wait.yaml", { WAIT, sizeof WAIT - 1 }, LAYER_GIVEN },
	};
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const struct rules *loaded = rules_of_files(&logs->mem, files, s->with_wait ? 5 : 4, &logs->diags);

	if (!loaded)
		fail_msg("%s", take_complaints(logs));
	struct rules rules = *loaded;
	const struct rule **at = NEW_ARRAY(&logs->mem, const struct rule *, rules.n);
	struct rule *lazy = NULL;
	rules.at = at;
	rules.n_files = 0;
	for (size_t i = 0; i < rules.n; i++) {
		struct rule *copy = NEW(&logs->mem, struct rule);
		*copy = *loaded->at[i];
		at[i] = copy;
		if (strcmp(copy->id, "low") == 0 && s->low_is_free)
			copy->cost = NULL;
		if (strcmp(copy->id, "lazy") != 0)
			continue;
		copy->rivals = s->rivals;
		copy->n_rivals = s->n_rivals;
		lazy = copy;
	}
	if (s->change)
		s->change(&rules, lazy);
	run_take(logs, run, "gpu.csv", two_gpus(&logs->mem, s->busy));
	if (s->cpu)
		run_take(logs, run, "vmstat.txt", cpu_log(&logs->mem, s->cpu, "UTC", 0));
	run_settle(run);
	const struct verdicts all = rules_judge(&rules, run);
	(s->judge ? s->judge : no_verdict_changes)(all, &rules);
	return report_build(run, &rules, all, &s->options);
}

static const char *shown_texts(struct arena *mem, struct texts texts)
{
	const char *all = "";

	for (size_t i = 0; i < texts.n; i++)
		all = arena_print(mem, "%s%s%s", all, i ? " | " : "", texts.at[i]);
	return all;
}

/* "lazy gpu0 gpu1 0.0097" */
static const char *shown_findings(struct arena *mem, const struct finding *findings, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++) {
		const struct finding *f = &findings[i];
		all = arena_print(mem, "%s%s%zu %s of", all, i ? ", " : "", f->number, f->rule);
		for (size_t k = 0; k < f->entities.n; k++)
			all = arena_print(mem, "%s %s", all, f->entities.at[k]);
		all = arena_print(mem, "%s, %d s", all, (int)lround(f->cost_gpu_hours.high * 3600));
		if (f->symptoms.n)
			all = arena_print(mem, "%s, with %s", all, shown_texts(mem, f->symptoms));
	}
	return all;
}

/* "normal 85, lazy 35": GPU-seconds */
static const char *shown_ledger(struct arena *mem, const struct report *r)
{
	const char *all = "";

	for (size_t i = 0; i < r->n_ledger; i++)
		all = arena_print(mem, "%s%s%s %d", all, i ? ", " : "", r->ledger[i].class, (int)lround(r->ledger[i].gpu_hours * 3600));
	return all;
}

#define EVE "2026-11-20"
#define DAY "2026-11-21" /* on which the run began */

static const struct suppression_case {
	const char *rule, *on, *until;
	const char *findings, *suppressed, *ledger, *severity, *sentence;
} suppressions[] = {
	/* its symptom stays with it, its seconds are handed on to nobody */
	{ "lazy", NULL, DAY, "", "0 lazy of gpu0 gpu1, 35 s, with low", "normal 85, suppressed 35", "healthy",
		"lazy is suppressed until Sat 2026-11-21: the cook is ill." },
	/* what ended the day before the run began is told, and does nothing */
	{ "lazy", NULL, EVE, "1 lazy of gpu0 gpu1, 35 s, with low", "", "normal 85, lazy 35", "critical",
		"The suppression of lazy ended on Fri 2026-11-20, before this run, so its findings count again. Its reason was: the cook is ill." },
	{ "lazy", "1", DAY, "1 lazy of gpu0, 18 s, with low", "0 lazy of gpu1, 18 s, with low", "normal 85, lazy 18, suppressed 18",
		"critical", "lazy on GPU 1 is suppressed until Sat 2026-11-21: the cook is ill." },
	{ "lazy", "0-1", DAY, "", "0 lazy of gpu0 gpu1, 35 s, with low", "normal 85, suppressed 35", "healthy",
		"lazy on GPUs 0-1 is suppressed until Sat 2026-11-21: the cook is ill." },
	{ "lazy", "2-9", DAY, "1 lazy of gpu0 gpu1, 35 s, with low", "", "normal 85, lazy 35", "critical",
		"lazy on GPUs 2-9 is suppressed until Sat 2026-11-21, but no GPU or host of this run is called so: the cook is ill." },
	{ "lazy", "node02/0-1", DAY, "1 lazy of gpu0 gpu1, 35 s, with low", "", "normal 85, lazy 35", "critical",
		"lazy on node02/0-1 is suppressed until Sat 2026-11-21, but no GPU or host of this run is called so: the cook is ill." },
	/* a symptom is nobody's finding, suppressed or not */
	{ "low", NULL, DAY, "1 lazy of gpu0 gpu1, 35 s, with low", "", "normal 85, lazy 35", "critical",
		"low is suppressed until Sat 2026-11-21 and has no finding of its own here: the cook is ill." },
	{ "low", "0", DAY, "1 lazy of gpu0 gpu1, 35 s, with low", "", "normal 85, lazy 35", "critical",
		"low on GPU 0 is suppressed until Sat 2026-11-21 and has no finding of its own here: the cook is ill." },
};

static void suppressed_findings_do_not_count(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof suppressions / sizeof *suppressions; i++) {
		const struct suppression_case *c = &suppressions[i];
		struct suppression asked = { c->rule, c->on, "the cook is ill", 0 };
		const struct setting s = { .busy = { DIP, DIP }, .options = { .suppressions = &asked, .n_suppressions = 1 } };
		assert_true(stamp_parse(slice_of(arena_print(&logs->mem, "%s 00:00:00", c->until)), &asked.until));
		const struct report *r = report_of(logs, &s);
		assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), c->findings);
		assert_int_equal(r->n_suppressed, 1);
		assert_string_equal(r->suppressed[0].until, c->until);
		assert_int_equal(r->suppressed[0].applied, strcmp(c->until, EVE) != 0);
		assert_string_equal(shown_findings(&logs->mem, r->suppressed[0].findings, r->suppressed[0].n_findings), c->suppressed);
		assert_string_equal(shown_ledger(&logs->mem, r), c->ledger);
		assert_string_equal(r->verdict.severity, c->severity);
		assert_string_equal(r->suppressed[0].sentence, c->sentence);
	}
}

/* What neither of the two covers for the most part is covered by both. */
static void a_symptom_of_two_findings_is_still_one(void **state)
{
	struct logs *logs = *state;
	const struct suppression asked = { "lazy", "1", "x", DAWN };
	const struct setting s = { .busy = { DIP, DIP }, .low_is_free = true, .options = { .suppressions = &asked, .n_suppressions = 1 } };
	const struct report *r = report_of(logs, &s);

	assert_int_equal(r->n_findings, 1);
	assert_string_equal(r->findings[0].rule, "lazy");
	assert_int_equal(r->suppressed[0].n_findings, 1);
}

static void the_verdict_says_that_something_is_kept_back(void **state)
{
	struct logs *logs = *state;
	const struct suppression all = { "lazy", NULL, "x", DAWN }, one = { "lazy", "0", "x", DAWN };
	const struct setting none = { .busy = { DIP, DIP }, .options = { .suppressions = &all, .n_suppressions = 1 } },
			     some = { .busy = { DIP, DIP }, .options = { .suppressions = &one, .n_suppressions = 1 } };

	assert_string_equal(report_of(logs, &none)->verdict.sentence,
		"Nothing needs fixing beside what is suppressed, as far as these logs tell; "
		"nothing is known of power, memory use, clock speeds and CPU use.");
	assert_string_equal(report_of(logs, &none)->key_figures[1].caption, "GPU-s lost, 35 suppressed");
	assert_int_equal(report_of(logs, &none)->ledger[1].kind, LEDGER_SUPPRESSED);
	assert_string_equal(report_of(logs, &some)->verdict.sentence, "15 % of this run was lost: GPU 1 lazed. One finding is suppressed.");
}

static struct rule *changeable(struct rules *rules, const char *id)
{
	return (struct rule *)rules_find(rules, id);
}

static void a_full_cpu_explains_low(struct rules *rules, struct rule *lazy)
{
	static const char *const low[] = { "low" };

	(void)lazy;
	changeable(rules, "full")->explains = (struct texts){ low, 1 };
}

/* Half by the full CPU, half by laziness: of its time, and of what it lost, which needs one cause to be charged to. */
static void two_causes_explain_what_neither_does_alone(void **state)
{
	struct logs *logs = *state;
	const struct setting free = { .busy = { BUSY "5555555555" "1111111111" BUSY, BUSY BUSY BUSY },
		.cpu = BUSY "XXXXXXXXXX" "1111111111" BUSY, .low_is_free = true, .change = a_full_cpu_explains_low };
	const struct setting costly = { .busy = { BUSY "55555555555555" "111111" BUSY, BUSY BUSY BUSY },
		.cpu = BUSY "XXXXXXXXXXXXXX" "111111" BUSY, .change = a_full_cpu_explains_low };
	const struct report *r = report_of(logs, &free);

	assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), "1 lazy of gpu0, 9 s, with low, 2 full of host, 0 s");
	r = report_of(logs, &costly);
	assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), "1 lazy of gpu0, 5 s, 2 low of gpu0, 5 s, 3 full of host, 0 s");
}

static const struct finding *finding_of(const struct report *r, const char *rule)
{
	for (size_t i = 0; i < r->n_findings; i++)
		if (!strcmp(r->findings[i].rule, rule))
			return &r->findings[i];
	fail_msg("no finding of %s", rule);
	return NULL;
}

static const char *card_of(struct logs *logs, const struct setting *s, const char *rule)
{
	return finding_of(report_of(logs, s), rule)->card_text;
}

/* 20 s somewhat low, then 5 s lazy and 2 s waiting, which are low, too. */
static void a_card_names_the_findings_that_count_a_part(void **state)
{
	struct logs *logs = *state;
	const struct setting one = { .busy = { BUSY "55555555555555555555" "33333333" BUSY, BUSY BUSY BUSY "88888888" } };
	const struct setting two = { .busy = { BUSY "55555555555555555555" "33333" "11" BUSY, BUSY BUSY BUSY "8888888" }, .with_wait = true };
	const struct suppression lazy = { "lazy", NULL, "x", DAWN };
	/* what is lazy at the same time is on the other GPU */
	const struct setting elsewhere = { .busy = { BUSY "55555555555555555555" "1111" BUSY, BUSY "3333333333" "88888888888888" BUSY }, .with_wait = true };
	struct setting kept_back = one;
	struct setting one_kept_back = two;

	kept_back.options = one_kept_back.options = (struct report_options){ .suppressions = &lazy, .n_suppressions = 1 };
	assert_string_equal(card_of(logs, &one, "low"), "02:00:20–02:00:48 (28 s): c Finding 2 counts 5 GPU-s of it.");
	assert_string_equal(card_of(logs, &two, "low"), "02:00:20–02:00:47 (27 s): c Findings 2 and 3 count 5 GPU-s of it.");
	assert_string_equal(card_of(logs, &elsewhere, "low"), "02:00:20–02:00:44 (24 s): c Finding 3 counts 4 GPU-s of it.");
	assert_string_equal(card_of(logs, &kept_back, "low"), "02:00:20–02:00:48 (28 s): c");
	assert_string_equal(card_of(logs, &one_kept_back, "low"), "02:00:20–02:00:47 (27 s): c Finding 2 counts a part of it.");
}

static void a_card_calls_windows_shorter_that_are(void **state)
{
	static const struct {
		const char *busy, *card;
	} cases[] = {
		{ IDLE BUSY IDLE BUSY IDLE, "02:00:00–02:00:20 and 2 more: c" },
		{ "888" IDLE BUSY "1111111111" BUSY "111", "02:00:03–02:00:23 and 2 shorter windows: c" },
		{ "1111111111" BUSY IDLE BUSY IDLE, "02:00:30–02:00:50 and 2 more: c" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct setting s = { .busy = { cases[i].busy, cases[i].busy } };
		assert_string_equal(card_of(logs, &s, "lazy"), cases[i].card);
	}
}

/* What GPU 1 does at its highest explains why GPU 0 waits. */
static void high_explains_waiting_on_others(struct rules *rules, struct rule *lazy)
{
	static const char *const waiting[] = { "wait" };

	(void)lazy;
	changeable(rules, "high")->explains_on_others = (struct texts){ waiting, 1 };
}

static void a_full_cpu_explains_high(struct rules *rules, struct rule *lazy)
{
	static const char *const high[] = { "high" };

	high_explains_waiting_on_others(rules, lazy);
	changeable(rules, "full")->explains = (struct texts){ high, 1 };
}

static void nobody_waits(struct rules *rules, struct rule *lazy)
{
	high_explains_waiting_on_others(rules, lazy);
	changeable(rules, "high")->explains = changeable(rules, "high")->explains_on_others;
	changeable(rules, "high")->explains_on_others = (struct texts){ NULL, 0 };
}

#define TEN "XXXXXXXXXX"
#define FIVE "99999"

/* GPU 0 waits from second 20 to 40. */
static const struct peers_case {
	const char *busy, *cpu;
	void (*change)(struct rules *rules, struct rule *lazy);
	const char *suppressed, *findings, *ledger, *cost;
	int least_s;
} peers_cases[] = {
	/* all of it is charged to the GPU that it waited for, whose own time is not lost */
	{ TEN TEN TEN TEN TEN TEN, NULL, high_explains_waiting_on_others, NULL, "1 high of gpu1, 20 s, with lazy | low | wait",
		"normal 100, high 20", "at most 20 GPU-s, 17 % of the run: time of GPU 0. At least 15 GPU-s, 12 %, were lost; "
		"how much of that time went into waiting can't be told.", 15 },
	/* three quarters of it, which are all of it; and somewhat less than two thirds */
	{ BUSY FIVE TEN "99999" BUSY, NULL, high_explains_waiting_on_others, NULL, "1 wait of gpu0, 20 s, with lazy | low, 2 high of gpu1, 0 s",
		"normal 100, wait 20", NULL, 15 },
	{ BUSY "88888" TEN "XXXXX" BUSY, NULL, high_explains_waiting_on_others, NULL, "1 high of gpu1, 20 s, with lazy | low | wait",
		"normal 100, high 20", NULL, 15 },
	/* on the GPU itself nothing is explained that happened on another */
	{ TEN TEN TEN TEN TEN TEN, NULL, nobody_waits, NULL, "1 wait of gpu0, 20 s, with lazy | low, 2 high of gpu1, 0 s", "normal 100, wait 20",
		NULL, 15 },
	/* the cause of the cause pays */
	{ TEN TEN TEN TEN TEN TEN, TEN TEN TEN TEN TEN TEN, a_full_cpu_explains_high, NULL,
		"1 full of host, 20 s, with high | lazy | low | wait", "normal 100, full 20", NULL, 15 },
	{ TEN TEN TEN TEN TEN TEN, NULL, high_explains_waiting_on_others, "high", "", "normal 100, suppressed 20", NULL, 0 },
};

static void what_a_gpu_does_explains_what_others_lose(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof peers_cases / sizeof *peers_cases; i++) {
		const struct peers_case *c = &peers_cases[i];
		const struct suppression asked = { c->suppressed, NULL, "x", DAWN };
		const struct setting s = { .busy = { DIP, c->busy }, .cpu = c->cpu, .with_wait = true, .change = c->change,
			.options = { .suppressions = &asked, .n_suppressions = c->suppressed != NULL } };
		const struct report *r = report_of(logs, &s);
		assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), c->findings);
		assert_string_equal(shown_ledger(&logs->mem, r), c->ledger);
		assert_int_equal(lround(r->verdict.lost_gpu_hours.low * 3600), c->least_s);
		if (c->cost)
			assert_string_equal(r->findings[0].cost_text, c->cost);
	}
}

static void low_joins_lazy(struct rules *rules, struct rule *lazy)
{
	static const char *const low[] = { "low" };

	(void)rules;
	lazy->explains = (struct texts){ NULL, 0 };
	lazy->joins = (struct texts){ low, 1 };
}

/* What is low on GPU 1 while GPU 0 is lazy is the same story; what is low half a minute later is another one. */
static void what_joins_a_finding_is_named_and_charged_there(void **state)
{
	static const struct {
		const char *busy, *findings, *ledger, *what;
	} cases[] = {
		{ BUSY "55555555555555555555" "5555588888" "8888888888", "1 lazy of gpu0 gpu1, 27 s, with low", "normal 93, lazy 27", "w w" },
		{ "8888888888" "55555555555555555555" "5555588888" BUSY, "1 lazy of gpu0 gpu1, 27 s, with low", "normal 93, lazy 27", "w w" },
		{ BUSY BUSY "55555555555555555555", "1 lazy of gpu0, 18 s, with low, 2 low of gpu1, 8 s", "normal 95, lazy 18, low 8", "w w" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct setting s = { .busy = { DIP, cases[i].busy }, .change = low_joins_lazy };
		const struct report *r = report_of(logs, &s);
		assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), cases[i].findings);
		assert_string_equal(shown_ledger(&logs->mem, r), cases[i].ledger);
		assert_string_equal(r->findings[0].what, cases[i].what);
	}
}

static void nobody_explains(struct rules *rules, struct rule *lazy)
{
	lazy->explains = changeable(rules, "wait")->explains = (struct texts){ NULL, 0 };
}

static void nobody_explains_and_waiting_is_a_note(struct rules *rules, struct rule *lazy)
{
	nobody_explains(rules, lazy);
	changeable(rules, "wait")->severity = SEVERITY_NOTE;
}

static const char *shown_numbers(struct arena *mem, const struct report *r)
{
	const char *all = "";

	for (size_t i = 0; i < r->n_told_findings; i++)
		all = arena_print(mem, "%s%zu ", all, r->told_findings[i].number);
	return all;
}

static void at_most_five_are_told_in_full(void **state)
{
	static const struct {
		void (*change)(struct rules *rules, struct rule *lazy);
		bool all;
		const char *told, *last, *more;
	} cases[] = {
		/* two of them, to which others leave nothing, have their own say all the same: nobody explains them */
		{ nobody_explains, false, "1 2 3 4 5 ", "low",
			"and 3 more findings: [6] s on GPU 1; [7] s on GPU 0; [8] s on GPU 1. In full with --all, and in report.json." },
		/* what is critical comes before what costs */
		{ nobody_explains_and_waiting_is_a_note, false, "1 2 3 4 5 ", "wait",
			"and 3 more findings: [6] s on GPU 1; [7] s on GPU 0; [8] s on GPU 1. In full with --all, and in report.json." },
		{ nobody_explains, true, "1 2 3 4 5 6 7 8 ", "low", NULL },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct setting s = { .busy = { IDLE BUSY TEN TEN, TEN TEN BUSY IDLE }, .with_wait = true, .low_is_free = true,
			.change = cases[i].change, .options = { .all = cases[i].all } };
		const struct report *r = report_of(logs, &s);
		assert_int_equal(r->n_findings, 8);
		assert_string_equal(shown_numbers(&logs->mem, r), cases[i].told);
		assert_string_equal(r->findings[5].rule, cases[i].last);
		if (cases[i].more)
			assert_string_equal(r->more_findings, cases[i].more);
		else
			assert_null(r->more_findings);
	}
}

static void places_are_gpus_and_hosts(void **state)
{
	static const char *const good[] = { "0", "0-3", "0-3,5", "node01", "node01/0", "node-1/0-3,2", "17/0-3" };
	static const char *const bad[] = { "", ",", "0,", "3-1", "-1", "1-", "node01/", "/0", "node01/a", "0-3-5", "a/0/1", "\xff" };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(suppression_is_place(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(suppression_is_place(bad[i]));
}

static void rivals_are_told_unless_they_are_ruled_out(void **state)
{
	static const struct {
		const char *cpu, *rival, *settle, *expected;
	} cases[] = {
		{ NULL, "full", "Look at top.", "a full CPU (not logged: host.cpu.busy); to tell them apart: look at top." },
		{ DIP, "full", "Look at top.", "" },
		{ BUSY "XXXXXXXXXXXXXXXXXXXX" BUSY, "full", "GPU clocks fall", "a full CPU (finding 1); to tell them apart: GPU clocks fall." },
		{ NULL, "high", "Look.", "" },
		{ NULL, "low", "Look.", "" },  /* fired, and is a symptom */
		{ NULL, "gone", "Look.", "" }, /* not among the rules in force */
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct setting s = { .busy = { DIP, DIP }, .cpu = cases[i].cpu, .rivals = { { cases[i].rival, cases[i].settle } }, .n_rivals = 1 };
		const struct report *r = report_of(logs, &s);
		assert_string_equal(shown_texts(&logs->mem, finding_of(r, "lazy")->rivals), cases[i].expected);
	}
}

static void full_has_nothing_to_compare(struct verdicts all, const struct rules *rules)
{
	(void)rules;
	for (size_t i = 0; i < all.n; i++)
		if (strcmp(all.at[i].rule->id, "full") == 0) {
			all.at[i].outcome = OUTCOME_SKIPPED;
			all.at[i].reason = "only one GPU";
			all.at[i].other = "GPU";
		}
}

/* It is no rival, and what it looked for is told where all checks are named. */
static void a_check_that_has_nothing_to_compare_is_not_judged(void **state)
{
	struct logs *logs = *state;
	struct setting s = { .busy = { DIP, DIP }, .cpu = DIP, .rivals = { { "full", "Look at top." } }, .n_rivals = 1, .judge = full_has_nothing_to_compare };
	const struct report *r = report_of(logs, &s);

	assert_string_equal(shown_texts(&logs->mem, finding_of(r, "lazy")->rivals), "");
	assert_string_equal(r->unjudged_text, "1 of 4 checks: 1 that needs another GPU.");
	s.options.all = true;
	assert_string_equal(report_of(logs, &s)->unjudged_text, "1 of 4 checks: a full CPU (only one GPU).");
}

static void a_full_cpu_explains_lazy(struct rules *rules, struct rule *lazy)
{
	static const char *const ids[] = { "lazy" };

	(void)lazy;
	changeable(rules, "full")->explains = (struct texts){ ids, 1 };
}

/* It fired for two seconds of the finding, which are charged there; in the rest of it nothing was full, or nobody knows. */
static void a_rival_that_took_its_part_is_ruled_out_for_the_rest(void **state)
{
	struct logs *logs = *state;
	const struct setting s = { .busy = { DIP, DIP }, .cpu = BUSY "XX999999999999999999" BUSY, .rivals = { { "full", "Look." } }, .n_rivals = 1,
		.change = a_full_cpu_explains_lazy };
	struct setting cut = s;

	cut.cpu = BUSY "XX999";
	assert_string_equal(shown_texts(&logs->mem, finding_of(report_of(logs, &s), "lazy")->rivals), "");
	assert_string_equal(shown_texts(&logs->mem, finding_of(report_of(logs, &cut), "lazy")->rivals),
		"a full CPU (finding 2); to tell them apart: look.");
}

/* Two of one finding's rivals, and one that fired on another GPU only. */
static void rivals_are_of_the_same_place(void **state)
{
	struct logs *logs = *state;
	const struct setting s = { .busy = { DIP, "9999999999999999999XXXXXXXXXXXXXXXXXXXX999999999999999999999" },
		.rivals = { { "high", "Look." }, { "full", "Listen!" } }, .n_rivals = 2 };

	assert_string_equal(shown_texts(&logs->mem, finding_of(report_of(logs, &s), "lazy")->rivals),
		"a full CPU (not logged: host.cpu.busy); to tell them apart: listen!");
}

static void advice_may_stand_under_a_condition(void **state)
{
	struct logs *logs = *state;
	const struct setting without = { .busy = { DIP, DIP } }, with = { .busy = { DIP, DIP }, .cpu = DIP },
			     busy = { .busy = { DIP, DIP }, .cpu = BUSY BUSY BUSY };

	assert_string_equal(shown_texts(&logs->mem, report_of(logs, &without)->findings[0].try), "always | log the CPU");
	assert_string_equal(shown_texts(&logs->mem, report_of(logs, &with)->findings[0].try), "always | the CPU was 10 % | it idled");
	assert_string_equal(shown_texts(&logs->mem, report_of(logs, &busy)->findings[0].try), "always | the CPU was 80 %");
}

static void lazy_explains_full(struct rules *rules, struct rule *lazy)
{
	static const char *const ids[] = { "low", "full" };

	(void)rules;
	lazy->explains = (struct texts){ ids, 2 };
}

/* A host's symptom of a cause on its GPUs; not of one at another time. */
static void a_host_may_show_what_its_gpus_explain(void **state)
{
	struct logs *logs = *state;
	struct setting same = { .busy = { DIP, DIP }, .cpu = BUSY "XXXXXXXXXXXXXXXXXXXX" BUSY, .change = lazy_explains_full },
		       other = { .busy = { DIP, DIP }, .cpu = "XXXXXXXXXXXXXXXXXXXX" BUSY BUSY, .change = lazy_explains_full };
	const struct report *r = report_of(logs, &same);

	assert_string_equal(shown_findings(&logs->mem, r->findings, r->n_findings), "1 lazy of gpu0 gpu1, 35 s, with full | low");
	r = report_of(logs, &other);
	assert_int_equal(r->n_findings, 2);
	assert_string_equal(r->findings[1].rule, "full");
}

/* Ten minutes of two GPUs at 600 W, an hour's share of 0.2 kWh; from second `dark` on GPU 1 is as `kind` says. */
static const char *with_power(struct arena *mem, size_t dark, const char *kind)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%], power.draw [W], power.limit [W]\n");
	for (size_t i = 0; i < 600; i++) {
		const char *time = local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/');
		buf_print(&out, "%s, 0, 80 %%, 600.00 W, 700.00 W\n", time);
		if (i < dark)
			buf_print(&out, "%s, 1, 80 %%, 600.00 W, 700.00 W\n", time);
		else if (*kind)
			buf_print(&out, "%s, 1, 80 %%, %s, 700.00 W\n", time, kind);
	}
	return text_of_buf(mem, &out);
}

static void energy_is_told_as_a_lower_bound_where_power_is_not_known(void **state)
{
	static const struct {
		size_t dark;
		const char *kind, *caption, *energy;
	} cases[] = {
		{ 600, "", "GPU energy", "200 Wh" },
		{ 300, "", "GPU energy, at least", "148 Wh" },
		{ 300, "[N/A]", "GPU energy, at least", "148 Wh" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct rule_file file = { "r/high.yaml", { HIGH, sizeof HIGH - 1 }, LAYER_GIVEN };
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		const struct rules *rules = rules_of_files(&logs->mem, &file, 1, &logs->diags);
		run_take(logs, run, "gpu.csv", with_power(&logs->mem, cases[i].dark, cases[i].kind));
		run_settle(run);
		const struct report *r = report_build(run, rules, rules_judge(rules, run), &(struct report_options){ 0 });
		const struct key_figure *energy = NULL;
		for (size_t k = 0; k < r->n_key_figures; k++)
			if (strncmp(r->key_figures[k].caption, "GPU energy", strlen("GPU energy")) == 0)
				energy = &r->key_figures[k];
		assert_non_null(energy);
		assert_string_equal(energy->caption, cases[i].caption);
		assert_string_equal(energy->value, cases[i].energy);
		if (cases[i].dark < 600) /* the sentence has the same bound */
			assert_non_null(strstr(r->run_text, arena_print(&logs->mem, "at least %s and at most", cases[i].energy)));
	}
}

static void exclude_high(struct verdicts all, const struct rules *rules)
{
	for (size_t i = 0; i < all.n; i++) {
		struct verdict *v = &all.at[i];
		v->margin = v->entity && v->entity->index == 1 ? 0.75 : NAN;
		if (strcmp(v->rule->id, "high") != 0)
			continue;
		if (v->entity->index == 0)
			v->excluded_by = rules->at[0];
		else
			v->reason = "excluded by full";
	}
}

static void judgements_carry_margin_and_exclusion(void **state)
{
	struct logs *logs = *state;
	const struct setting s = { .busy = { BUSY, BUSY }, .judge = exclude_high };
	const struct report *r = report_of(logs, &s);
	const char *all = "";

	for (size_t i = 0; i < r->n_judgements; i++) {
		const struct judgement *j = &r->judgements[i];
		all = arena_print(&logs->mem, "%s%s %s %s (%s)%s\n", all, j->rule, j->entity, j->outcome, j->reason ? j->reason : "",
			isnan(j->margin) ? "" : j->margin > 0.7 && j->margin < 0.8 ? " 0.75" : " ?");
	}
	assert_string_equal(all, "full host skipped (not logged: host.cpu.busy)\n"
				 "high gpu0 clear (excluded by full)\nhigh gpu1 clear (excluded by full) 0.75\n"
				 "lazy gpu0 clear ()\nlazy gpu1 clear () 0.75\nlow gpu0 clear ()\nlow gpu1 clear () 0.75\n");
	assert_string_equal(r->checked_text, "high use, laziness, low use."); /* what is excluded was judged */
	assert_string_equal(r->unjudged_text, "1 of 4 checks: a full CPU (not logged: host.cpu.busy).");
}

static void change_all(struct rules *rules, struct rule *lazy)
{
	static const struct rule_file_in_force files[] = {
		{ "site/lazy.yaml", "xxh128:aa", LAYER_USER, "rules/lazy.yaml" }, { "r/low.yaml", "xxh128:bb", LAYER_GIVEN, NULL },
	};
	static const char *const off[] = { "gpu-hot", "gpu-unused" };
	static struct param params[] = {
		{ .name = { "warm", 4 }, .value = { 63, UNIT_CELSIUS }, .set = true }, { .name = { "kept", 4 }, .value = { 1, UNIT_WATT } },
		{ .name = { "most", 4 }, .value = { 90, UNIT_SECOND }, .set = true },
	};

	rules->files = files;
	rules->n_files = 2;
	rules->disabled = (struct texts){ off, 2 };
	lazy->params = params;
	lazy->n_params = 3;
}

static void rules_in_force_are_told(void **state)
{
	struct logs *logs = *state;
	const struct setting plain = { .busy = { BUSY, BUSY } }, changed = { .busy = { BUSY, BUSY }, .change = change_all };
	const struct report_rules *none = &report_of(logs, &plain)->rules, *all = &report_of(logs, &changed)->rules;

	assert_int_equal(none->n_files + none->n_settings + none->disabled.n + none->sentences.n, 0);
	assert_string_equal(shown_texts(&logs->mem, all->sentences),
		"site/lazy.yaml (xxh128:aa) takes the place of rules/lazy.yaml. | r/low.yaml (xxh128:bb) adds low. | "
		"lazy was judged with warm = 63 \u00B0C and most = 1 min 30 s, by --set. | Not asked, by --disable: gpu-hot and gpu-unused.");
	assert_int_equal(all->n_files, 2);
	assert_string_equal(all->files[0].layer, "user");
	assert_int_equal(all->n_settings, 2);
	assert_string_equal(all->settings[1].param, "most");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(suppressed_findings_do_not_count),
		TEST(a_symptom_of_two_findings_is_still_one),
		TEST(two_causes_explain_what_neither_does_alone),
		TEST(the_verdict_says_that_something_is_kept_back),
		TEST(what_a_gpu_does_explains_what_others_lose),
		TEST(what_joins_a_finding_is_named_and_charged_there),
		TEST(at_most_five_are_told_in_full),
		TEST(places_are_gpus_and_hosts),
		TEST(rivals_are_told_unless_they_are_ruled_out),
		TEST(a_check_that_has_nothing_to_compare_is_not_judged),
		TEST(a_rival_that_took_its_part_is_ruled_out_for_the_rest),
		TEST(a_card_names_the_findings_that_count_a_part),
		TEST(a_card_calls_windows_shorter_that_are),
		TEST(rivals_are_of_the_same_place),
		TEST(advice_may_stand_under_a_condition),
		TEST(a_host_may_show_what_its_gpus_explain),
		TEST(energy_is_told_as_a_lower_bound_where_power_is_not_known),
		TEST(judgements_carry_margin_and_exclusion),
		TEST(rules_in_force_are_told),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
