/*
 * judge_bench.c - what it costs to judge a large run by many rules.
 *
 *     judge_bench [DAYS]     what `make bench` does
 *
 * 64 GPUs at 1 s for DAYS (3 without it), made by large_run.h; the rules are those of judge_rules.def.
 *
 * Each measurement is made in a process of its own that inherits the run and does nothing but judge, so that its
 * peak of memory is that of judging. What to compare between machines are the ratios: to the floor, one plain pass that adds up
 * the same values; of 50 rules to 100; of half the time to all of it. Time is the processor's, which neighbours disturb
 * least, the least of ROUNDS.
 */
#include "base/memory.h"
#include "bench/cost.h"
#include "bench/large_run.h"
#include "rule/rule.h"
#include "run/run_parts.h"

#define LIMIT_SECONDS 3.0 /* the promise, of 50 rules on 3 days */
#define LIMIT_MEMORY 2.0  /* tracks and judging, of the tracks alone */

struct rule_row {
	const char *id, *scope, *when, *more;
	const char *a[2], *b[2];
};
static const struct rule_row rule_rows[] = {
#define RULE(id, scope, when, more, a1, a2, b1, b2) { id, scope, when, more, { a1, a2 }, { b1, b2 } },
#include "judge_rules.def"
#undef RULE
};
#define N_RULES (sizeof rule_rows / sizeof rule_rows[0])

static const char *rule_text(struct arena *mem, const struct rule_row *row, int which)
{
	const char *params = row->a[which] ? arena_print(mem, "params:\n  a: {value: %s, reason: r}\n", row->a[which]) : "";

	if (row->b[which])
		params = arena_print(mem, "%s  b: {value: %s, reason: r}\n", params, row->b[which]);
	return arena_print(mem, "title: t\nshort: s\nchecked: c\nseverity: note\nsources: [s]\nwhat: w\nwhy: y\ntry: [do]\n"
				"refute: r\ncard: c\nduring: run\nscope: %s\n%s%swhen: %s\n", row->scope, params, row->more, row->when);
}

/* The first `n` of all rows with the first thresholds, then of all rows with the second. */
static const struct rules *load_rules(struct arena *mem, size_t n, struct diags *diags)
{
	struct rule_file *files = NEW_ARRAY(mem, struct rule_file, n);

	for (size_t i = 0; i < n; i++) {
		const struct rule_row *row = &rule_rows[i % N_RULES];
		const int which = i >= N_RULES;
		files[i] = (struct rule_file){
			.path = arena_print(mem, "rules/%s%s.yaml", row->id, which ? "-other" : ""),
			.text = slice_of(rule_text(mem, row, which)),
			.layer = LAYER_GIVEN,
		};
	}
	const struct rules *rules = rules_load(mem, &(struct rules_request){ .files = files, .n_files = n }, diags);
	for (size_t i = 0; i < diags->n; i++)
		fprintf(stderr, "%s\n", diag_text(mem, &diags->at[i]));
	if (!rules)
		exit(1);
	return rules;
}

struct judging {
	struct run *run;
	const struct rules *rules;
};

static size_t add_up(const void *context)
{
	const struct judging *const j = context;

	return add_all_values(j->run);
}

/* What is in the chunks of all tracks is found once, before whoever asks first: it is of judging here. */
static size_t judge(const void *context)
{
	const struct judging *const j = context;
	size_t n = 0;

	tracks_summarise(j->run);
	const struct verdicts all = rules_judge(j->rules, j->run);
	for (size_t i = 0; i < all.n; i++)
		n += all.at[i].outcome == OUTCOME_FIRED;
	return n;
}

static void show(const char *what, struct cost c, struct cost floor, size_t own_bytes)
{
	printf("%-44s %9.2f s %9.2f s %9.1f %9.2f %9zu\n", what, c.wall, c.cpu, c.cpu / floor.cpu, c.bytes / (double)own_bytes, c.result);
}

int main(int argc, char **argv)
{
	const double days = number_of(argc > 1 ? argv[1] : NULL, 3);
	const int rounds = (int)number_of(getenv("ROUNDS"), 3);
	const size_t n_seconds = (size_t)(days * 86400);
	struct arena mem, half_mem;
	struct diags diags;

	memory_begin();
	arena_init(&mem);
	arena_init(&half_mem);
	diags_init(&diags, &mem);
	const struct rules *few = load_rules(&mem, N_RULES, &diags), *many = load_rules(&mem, 2 * N_RULES, &diags);
	struct run *const run = draw_run(&mem, n_seconds, 1, JUDGED_METRICS, &diags);
	struct run *const half = draw_run(&half_mem, n_seconds / 2, 1, JUDGED_METRICS, &diags);
	const size_t own = track_bytes(run);
	struct cost floor = { 0 }, all = { 0 }, in_half = { 0 }, twice = { 0 };
	for (int i = 0; i < rounds; i++) {
		keep_least(&floor, cost_of(add_up, &(struct judging){ run, few }));
		keep_least(&all, cost_of(judge, &(struct judging){ run, few }));
		keep_least(&in_half, cost_of(judge, &(struct judging){ half, few }));
		keep_least(&twice, cost_of(judge, &(struct judging){ run, many }));
	}
	floor.result = 0;
	printf("%d GPUs x %.2f days at 1 s, CPU and %d cores: %zu tracks, %.0f MiB; least of %d\n", N_GPUS, days, N_CORES, run->n_tracks,
		(double)own / 1048576, rounds);
	printf("%-44s %11s %11s %9s %9s %9s\n", "", "wall", "CPU", "x floor", "x tracks", "fired");
	show("floor: one pass that adds up all values", floor, floor, own);
	show("50 rules", all, floor, own);
	show("50 rules, half of the time", in_half, floor, track_bytes(half));
	show("100 rules", twice, floor, own);
	printf("twice the time costs %.2f times as much, twice the rules %.2f times; memory with the tracks' own %.2f of it\n",
		all.cpu / in_half.cpu, twice.cpu / all.cpu, 1 + all.bytes / (double)own);
	tell_bar("seconds to judge 50 rules", all.wall, LIMIT_SECONDS * days / 3);
	tell_bar("memory as a share of the tracks", 1 + all.bytes / (double)own, LIMIT_MEMORY);
	tell_bar("twice the rules", twice.cpu / all.cpu, 2);
	diags_release(&diags);
	arena_release(&half_mem);
	arena_release(&mem);
	return 0;
}
