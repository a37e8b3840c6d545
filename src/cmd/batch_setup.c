/* batch_setup.c - what is asked of a batch, and the keys by which its runs are known. */
#include "base/embedded.h"
#include "base/workers.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"

#include <stdio.h>

#define LIMIT_S 600.0                         /* of a run: a log of 20 GB takes a third of it on one core */
#define LIMIT_BYTES ((uint64_t)8 << 30)
#define LEAST_BYTES ((uint64_t)64 << 20)      /* as of --memory: with less no report is sure to be made, however small the run */
#define MOST_PROCESSES 1024

static const struct option of_reports[] = { REPORT_OF_MANY_OPTIONS, { NULL, 0, NULL, NULL, NULL } };
static const struct option of_rules[] = { RULE_OPTIONS, { NULL, 0, NULL, NULL, NULL } };

static bool is_in(const struct option *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name != NULL;
}

/* ------------------------------------------------ options */

/* One of "html,json,card". */
static bool take_output(struct batch *b, bool *chosen, struct slice name, bool *pictures)
{
	static const char *const card[] = { "card.png" };
	const struct renderer *const renderer = renderer_find(name);

	if (renderer) {
		chosen[renderer - renderer_table] = true;
	} else if (slice_is(name, "pictures")) {
		*pictures = true;
	} else if (slice_is(name, "card")) {
		b->request.report.chart_files = card;
		b->request.report.n_chart_files = 1;
	} else {
		fprintf(stderr, "postrun: --outputs takes a list of html, text, utf8, markdown, json, junit, csv, card and pictures, "
				"not '%.*s'\n", SLICE(name));
		return false;
	}
	return true;
}

static bool read_outputs(struct batch *b)
{
	const char *const given = option_value(b->options, "outputs");
	struct slice rest = slice_of(given ? given : "html,json,pictures"), name;
	bool *const chosen = NEW_ARRAY(b->mem, bool, n_renderers), pictures = false;

	while (rest.n && slice_part(&rest, ',', &name))
		if (!take_output(b, chosen, name, &pictures))
			return false;
	if (pictures) {
		b->request.report.chart_files = chart_files;
		b->request.report.n_chart_files = n_charts;
	}
	b->delivery.chosen = chosen;
	return true;
}

static bool read_limits(struct batch *b)
{
	const char *const jobs = option_value(b->options, "jobs"), *const time = option_value(b->options, "time-limit");
	const char *const memory = option_value(b->options, "memory-limit");
	int64_t n = (int64_t)cores_count();

	b->limits = (struct pool_limits){ .seconds = LIMIT_S, .memory_bytes = LIMIT_BYTES };
	if (jobs && (!integer_parse(slice_of(jobs), &n) || n < 1 || n > MOST_PROCESSES)) {
		fprintf(stderr, "postrun: --jobs takes a number from 1 to %d, not '%s'\n", MOST_PROCESSES, jobs);
		return false;
	}
	if (time && !duration_parse(slice_of(time), &b->limits.seconds)) {
		fprintf(stderr, "postrun: --time-limit takes a time like 30s or 10min, not '%s'\n", time);
		return false;
	}
	if (memory && (!bytes_parse(slice_of(memory), &b->limits.memory_bytes) || b->limits.memory_bytes < LEAST_BYTES)) {
		fprintf(stderr, "postrun: --memory-limit takes a size from 64MiB on, like 512MiB or 8GiB, not '%s'\n", memory);
		return false;
	}
	b->limits.n_processes = (size_t)n;
	return true;
}

static bool is_of_reports(const struct options *o, size_t at)
{
	return is_in(of_reports, o->given[at].option->name) || is_end_of_suppression(o, at);
}

/* The options that a report of one of the runs would need, too. */
static const char *words_of(struct arena *mem, const struct options *o)
{
	const char *words = "";

	for (size_t i = 0; i < o->n_given; i++) {
		const struct given *const g = &o->given[i];
		const char *const name = g->option->name;
		if ((!is_of_reports(o, i) && !is_in(of_rules, name)) || strcmp(name, "outputs") == 0)
			continue;
		words = arena_print(mem, "%s --%s", words, name);
		if (g->option->argument)
			words = arena_print(mem, "%s %s", words, word_for_shell(mem, g->value));
	}
	return words;
}

bool batch_read_options(struct arena *mem, const struct options *o, struct batch *b)
{
	*b = (struct batch){ .mem = mem, .options = o, .folder = option_value(o, "output") };
	if (!read_input_options(o, &b->request.input) || !read_suppressions(o, UNTIL_IS_OF_RUNS_TOO, &b->request.report) ||
		!read_rate(o, &b->request.report) || !read_outputs(b) || !read_limits(b))
		return false;
	b->request.report.all = option_given(o, "all");
	b->delivery.is_quiet = true;
	b->delivery.charts = read_chart_options(o);
	b->delivery.printed = renderer_find(slice_of("json"));
	b->delivery.limits = b->request.input.read.limits;
	b->delivery.folder = b->folder;
	b->retries = option_given(o, "retry");
	b->resumes = b->retries || option_given(o, "resume") || option_given(o, "shard"); /* a shard may be begun again at any time */
	b->words = words_of(mem, o);
	return true;
}

/* ------------------------------------------------ keys */

static void add_options(struct digest *d, const struct options *o)
{
	for (size_t i = 0; i < o->n_given; i++) {
		const char *const name = o->given[i].option->name;
		if (!is_of_reports(o, i) || strcmp(name, "sandbox") == 0)
			continue;
		digest_add_text(d, name);
		digest_add_text(d, o->given[i].value);
	}
}

int batch_load(struct batch *b, struct diags *diags)
{
	struct read_request *const read = &b->request.input.read;
	struct digest *const d = digest_begin();

	b->rules = load_rules(b->mem, b->options, diags);
	read->mappings = mappings_load(b->mem, read->maps, diags);
	digest_add_text(d, program_name);
	for (size_t i = 0; i < n_embedded_files; i++)
		digest_add(d, (struct slice){ embedded_files[i].begin, (size_t)(embedded_files[i].end - embedded_files[i].begin) });
	digest_add_text(d, b->rules ? b->rules->digest : "");
	add_options(d, b->options);
	for (size_t i = 0; read->mappings && i < read->maps.n; i++)
		digest_add(d, mappings_text(read->mappings, i));
	digest_end(d, b->setup);
	if (!b->rules || !load_templates(b->mem, b->options, &b->delivery, diags))
		return EXIT_RULES;
	return read->mappings ? EXIT_DONE : EXIT_NOTHING;
}

void batch_key(const struct batch *b, const struct found_run *run, char key[DIGEST_DIGITS + 1])
{
	struct digest *const d = digest_begin();

	digest_add_text(d, b->setup);
	digest_add_text(d, run->id);
	for (size_t i = 0; i < run->paths.n; i++)
		digest_add_text(d, run->paths.at[i]);
	digest_add_text(d, run->inputs);
	digest_end(d, key);
}

const char *batch_digest(struct arena *mem, const struct batch *b, struct run_list *runs)
{
	struct digest *const d = digest_begin();
	char key[DIGEST_DIGITS + 1];
	struct arena scratch;

	arena_init(&scratch);
	for (size_t i = 0; i < runs->n; i++) {
		const struct found_run run = run_list_get(&scratch, runs, runs->at[i]);
		batch_key(b, &run, key);
		digest_add_text(d, key);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	digest_end(d, key);
	return arena_print(mem, "xxh128:%s", key);
}
