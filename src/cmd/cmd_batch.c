/*
 * cmd_batch.c - `postrun batch`: a report for each of many runs, and one index of them all.
 *
 *     find             which runs are there? by content, a manifest, a pattern
 *     load             rules and templates, once
 *     work             each run in a process of its own; what becomes of it is a record
 *     collect          the records, in order of ids: index.jsonl, or one shard of it
 *     views            what they show as a whole: index.html, fleet.txt, …
 */
#include "base/file.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/fleet_views.h"
#include "cmd/shard_file.h"
#include "cmd/shards.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option table[] = {
	{ "output", 'o', "DIR", NULL, "write a report of each run and index.jsonl there" },
	{ "list", 0, NULL, NULL, "only show which runs there are, how large they are, and which logs and links belong to none" },
	{ "manifest", 0, "FILE", NULL, "runs that a file names, a line each: {\"id\": \"job-7\", \"paths\": [\"logs/7\"]}" },
	{ "run-by", 0, "PATTERN", NULL, "a run is all logs of a job whose id is in their paths: job-{run}-*.csv (else a folder is a run)" },
	{ "user", 0, "NAME", NULL, "only runs whose logs this user owns" },
	{ "jobs", 'j', "N", NULL, "so many runs at a time, each on a core of its own (else as many as there are cores)" },
	{ "resume", 0, NULL, NULL, "leave out runs that are done: the same logs under the same rules and options" },
	{ "retry", 0, NULL, NULL, "as --resume, but runs that have no report are tried again" },
	{ "clean", 0, NULL, NULL, "afterwards remove reports in DIR that are of none of these runs, or of earlier logs, rules or options" },
	{ "time-limit", 0, "TIME", NULL, "stop a run that takes longer (else 10min)" },
	{ "memory-limit", 0, "SIZE", NULL, "stop a run that takes more memory, 64MiB at least (else 8GiB)" },
	{ "shard", 0, "I/N", NULL,
		"work out the runs of one of N shards, 0/N to N-1/N; ends with 75 if another try may do; `postrun merge` joins them" },
	{ "plan", 0, "N", NULL, "only show how even N shards are, and how many are of use" },
	FILTER_OPTIONS(UNTIL_HELP "; behind --suppress its last day"),
	FLEET_OPTIONS,
	REPORT_OF_MANY_OPTIONS,
	RULE_OPTIONS,
	{ "quiet", 'q', NULL, NULL, "print no progress and no summary" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* Beside what a batch is. */
struct asked {
	struct run_filter filter;
	struct fleet_views views;
	struct shard shard;
	size_t n_planned;
	bool lists, quiet, cleans;
	bool has_owner; /* --user */
	unsigned owner;
};

/* ------------------------------------------------ which runs */

static bool read_owner(const char *name, unsigned *out)
{
	const struct passwd *const known = getpwnam(name);
	int64_t number = 0;

	if (known || (integer_parse(slice_of(name), &number) && number >= 0 && number < UINT32_MAX)) {
		*out = known ? known->pw_uid : (unsigned)number;
		return true;
	}
	fprintf(stderr, "postrun: --user: there is no user '%s' here\n", name);
	return false;
}

static bool find(const struct options *o, const struct batch *b, const struct asked *asked, struct run_list *runs, struct diags *diags)
{
	const struct find_request request = { .paths = o->paths, .n_paths = o->n_paths, .manifest = option_value(o, "manifest"),
		.pattern = option_value(o, "run-by"), .left_out = b->folder, .has_owner = asked->has_owner, .owner = asked->owner,
		.input = b->request.input };

	return run_find(&request, runs, diags);
}

/* ------------------------------------------------ what would be done */

/* Small ones in KiB, of which people see whole MiB at least. */
static const char *size_text(struct arena *mem, int64_t bytes)
{
	if (bytes < (int64_t)10 << 20)
		return arena_print(mem, "%lld KiB", (long long)((bytes + 1023) / 1024));
	return quantity_text(mem, (struct quantity){ (double)bytes, UNIT_BYTE });
}

static void print_strays(struct run_list *runs)
{
	struct arena scratch;
	struct stray stray;
	uint64_t place = 0;

	arena_init(&scratch);
	if (runs->n_strays)
		printf("logs and links that are of no run:\n");
	while (run_list_next_stray(&scratch, runs, &place, &stray)) {
		char *const path = arena_text(&scratch, stray.path, strlen(stray.path));
		text_make_printable(path);
		printf("  %s: %s\n", path, stray.why);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
}

static void print_list(struct run_list *runs)
{
	struct arena scratch;
	int64_t bytes = 0;

	arena_init(&scratch);
	for (size_t i = 0; i < runs->n; i++) {
		const struct found_run run = run_list_get(&scratch, runs, runs->at[i]);
		printf("%10s  %s\n", size_text(&scratch, run.bytes), run.id);
		bytes += run.bytes;
		arena_reset(&scratch);
	}
	printf("%zu run%s, %s of logs\n", runs->n, plural_s(runs->n), size_text(&scratch, bytes));
	arena_release(&scratch);
	print_strays(runs);
}

static void print_plan(struct run_list *runs, size_t n_shards)
{
	const struct shard_plan plan = shards_plan(runs, n_shards);
	char text[32];

	number_print(text, sizeof text, plan.total ? (double)plan.heaviest_shard * (double)n_shards / (double)plan.total : 1, 2);
	printf("%zu run%s in %zu shard%s, by the size of their logs and a constant for each run\n", runs->n, plural_s(runs->n),
		n_shards, plural_s(n_shards));
	printf("the heaviest shard has %s times what one has on average\n", text);
	number_print(text, sizeof text, plan.total ? 100 * (double)plan.heaviest_run / (double)plan.total : 0, 1);
	printf("the heaviest run is %s %% of all: more than %zu shards are of no use\n", text, plan.most_useful);
	if (plan.n_empty)
		printf("%zu shard%s would have nothing to do\n", plan.n_empty, plural_s(plan.n_empty));
}

/* ------------------------------------------------ a shard that ends early */

static const char ended_early[] = "postrun: ended before all runs were done; run it again with --resume\n";

/* Nothing but what a handler may call, and no state: what was begun lies beside its place (publish.h), processes end with us (pool.c). */
static void end_early(int number)
{
	(void)number;
	const ssize_t ignored = write(STDERR_FILENO, ended_early, sizeof ended_early - 1);
	(void)ignored;
	_exit(EXIT_TRY_AGAIN);
}

/* By SIGTERM a batch system asks for the machine before it takes it. */
static void end_early_when_asked(void)
{
	if (signal(SIGTERM, end_early) == SIG_IGN)
		signal(SIGTERM, SIG_IGN);
}

/* ------------------------------------------------ the work */

static int collect(struct arena *mem, const struct batch *b, struct run_list *runs, const struct index_head *head, const char *path,
	const struct run_filter *filter, bool quiet, struct diags *diags)
{
	struct results results;

	results_begin(mem, &results, path, head, filter, diags);
	batch_collect(b, runs, &results);
	return results_end(&results, quiet);
}

static bool make_folder(const char *path, struct diags *diags)
{
	return mkdir(path, 0777) == 0 || (errno == EEXIST && path_is_folder(path)) ||
	       diag_unwritten(diags, path, "cannot make the folder", errno);
}

/* What becomes of its runs is no failure of a shard: whoever runs it again for that would run it for ever. */
static int work_on_shard(struct arena *mem, struct batch *b, struct run_list *runs, struct shard shard, bool quiet, struct diags *diags)
{
	const struct index_head head = { .rules = b->rules->digest, .rate = rate_text(mem, b->request.report.rate), .runs = runs->n,
		.has_gaps = runs->has_gaps, .work = batch_digest(mem, b, runs), .shard = shard.number, .shards = shard.of };
	struct work_done done;

	shard_keep(runs, shard.number, shard.of);
	if (!make_folder(b->folder, diags) || !make_folder(arena_print(mem, "%s/shards", b->folder), diags) ||
		!batch_work(b, runs, shard_path(mem, b->folder, shard, "log"), quiet, &done, diags) ||
		collect(mem, b, runs, &head, shard_path(mem, b->folder, shard, "jsonl"), NULL, quiet, diags) == EXIT_OUTPUT)
		return unwritten_status(diags);
	return done.may_pass ? EXIT_TRY_AGAIN : EXIT_DONE;
}

/* Last: until then the index that is there may name them. */
static void clean(const struct batch *b, struct run_list *runs, bool quiet)
{
	if (runs->has_gaps) {
		fprintf(stderr, "postrun: --clean removed nothing: reports may be of runs in folders that could not be read\n");
		return;
	}
	const size_t n = batch_clean(b, runs);
	if (n && !quiet)
		printf("%zu report%s of earlier logs, rules or options removed\n", n, plural_s(n));
}

static int work_on_all(struct arena *mem, struct batch *b, struct run_list *runs, const struct asked *asked, struct diags *diags)
{
	const struct index_head head = { .rules = b->rules->digest, .rate = rate_text(mem, b->request.report.rate), .runs = runs->n,
		.has_gaps = runs->has_gaps };
	struct work_done done;

	if (!make_folder(b->folder, diags) ||
		!batch_work(b, runs, arena_print(mem, "%s/batch.log", b->folder), asked->quiet, &done, diags))
		return EXIT_OUTPUT;
	if (done.n_before && !asked->quiet)
		printf("%zu of %zu runs were done before\n", done.n_before, runs->n);
	const int status = collect(mem, b, runs, &head, arena_print(mem, "%s/index.jsonl", b->folder), &asked->filter, asked->quiet, diags);
	if (status == EXIT_OUTPUT || !fleet_views_write(&asked->views, b->folder, diags))
		return EXIT_OUTPUT;
	if (asked->cleans)
		clean(b, runs, asked->quiet);
	return status;
}

static int work_on(struct arena *mem, struct batch *b, struct run_list *runs, const struct asked *asked, struct diags *diags)
{
	if (asked->lists)
		print_list(runs);
	if (!runs->n) {
		fprintf(stderr, "postrun: no run was found%s\n",
			runs->n_strays && !asked->lists ? "; --list names logs that are of none" : "");
		return EXIT_NOTHING;
	}
	if (asked->n_planned)
		print_plan(runs, asked->n_planned);
	if (asked->lists || asked->n_planned)
		return EXIT_DONE;
	const int status = asked->shard.of ? work_on_shard(mem, b, runs, asked->shard, asked->quiet, diags)
					   : work_on_all(mem, b, runs, asked, diags);
	if (runs->n_strays && !asked->quiet)
		fprintf(stderr, "postrun: %zu log%s or link%s of no run; --list names %s\n", runs->n_strays, plural_s(runs->n_strays),
			runs->n_strays == 1 ? " is" : "s are", runs->n_strays == 1 ? "it" : "them");
	return status;
}

static int work(struct arena *mem, const struct options *o, struct batch *b, const struct asked *asked, struct diags *diags)
{
	struct run_list runs;

	if (asked->shard.of)
		end_early_when_asked();
	const int loaded = batch_load(b, diags);
	if (loaded != EXIT_DONE)
		return loaded;
	if (!suppressions_fit(&b->request.report, b->rules))
		return EXIT_USAGE;
	run_list_init(&runs);
	int status = find(o, b, asked, &runs, diags) ? work_on(mem, b, &runs, asked, diags) : EXIT_NOTHING;
	if (runs.has_gaps && status == EXIT_DONE)
		status = EXIT_SOME_FAILED;
	run_list_release(&runs);
	return status;
}

/* What is of the index has no say in a shard, which makes none. */
static bool is_of_shard(const struct options *o, const struct run_filter *filter)
{
	static const char *const of_index[] = { "since", "min-gpu-hours", "fail-on", "group-by", "svg", "prometheus" };
	const char *given = filter->until ? "until" : NULL; /* else it stands behind --suppress */

	for (size_t i = 0; i < sizeof of_index / sizeof *of_index && !given; i++)
		given = option_given(o, of_index[i]) ? of_index[i] : NULL;
	if (given)
		fprintf(stderr, "postrun: --%s has no say in a shard; give it to `postrun merge`, which makes the index\n", given);
	return !given;
}

static bool read_asked(const struct options *o, struct asked *out)
{
	const char *const pattern = option_value(o, "run-by"), *const user = option_value(o, "user");

	out->has_owner = user != NULL;
	out->lists = option_given(o, "list");
	out->quiet = option_given(o, "quiet");
	out->cleans = option_given(o, "clean");
	if (pattern && !run_pattern_is_good(pattern)) {
		fprintf(stderr, "postrun: --run-by needs {run} once, where the id of a job stands, like job-{run}-*.csv\n");
		return false;
	}
	if (user && !read_owner(user, &out->owner))
		return false;
	if (!run_filter_read(o, &out->filter) || !fleet_views_read(o, &out->views) || !shard_read(option_value(o, "shard"), &out->shard) ||
		!shard_count_read("plan", option_value(o, "plan"), &out->n_planned))
		return false;
	if (out->shard.of && !is_of_shard(o, &out->filter))
		return false;
	if (out->cleans && out->shard.of) {
		fprintf(stderr, "postrun: --clean would remove what other shards have made; give it to a batch without --shard\n");
		return false;
	}
	if (out->lists || out->n_planned || option_given(o, "output"))
		return true;
	fprintf(stderr, "postrun: batch needs a folder for the reports: -o DIR; --list shows what would be done\n");
	return false;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct asked asked = { 0 };
	struct batch b;

	if (!o->n_paths && !option_given(o, "manifest")) {
		fprintf(stderr, "postrun: batch needs runs: postrun batch ARCHIVE/ -o OUT/ or postrun batch --manifest FILE -o OUT/\n");
		return EXIT_USAGE;
	}
	if (!batch_read_options(mem, o, &b) || !read_asked(o, &asked))
		return EXIT_USAGE;
	const int status = work(mem, o, &b, &asked, diags);
	print_diags(diags, MOST_MESSAGES, asked.quiet);
	if (status == EXIT_TRY_AGAIN)
		fputs(ended_early, stderr);
	return status;
}

const struct command command_batch = {
	.name = "batch",
	.arguments = "PATH…",
	.title = "a report for each of many runs, and one index of them",
	.examples = "  postrun batch ARCHIVE/ --list                   which runs are below a folder, and how large they are\n"
		    "  postrun batch ARCHIVE/ -o OUT/                  a report of each, and OUT/index.html\n"
		    "  postrun batch ARCHIVE/ -o OUT/ --resume         only of those that are new, or judged by rules that changed\n"
		    "  postrun batch ARCHIVE/ -o OUT/ --run-by 'job-{run}-*.csv' --outputs html,json\n"
		    "  postrun batch ARCHIVE/ -o OUT/ --shard 3/16     one of 16 parts, on any machine; then: postrun merge OUT/\n",
	.options = table,
	.run = run,
};
