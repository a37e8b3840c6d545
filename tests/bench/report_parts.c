/*
 * report_parts.c - a report with some of its outputs only: what a measurement compares.
 *
 *     report_parts [OPTION…] LOG                          the text, to standard output: what `postrun report LOG` does
 *     report_parts [OPTION…] -o DIR LOG [PICTURE…]        report.txt, report.json and these pictures into DIR, nothing printed
 *
 * --all is the user's option: pictures are drawn that have nothing to say of this run, too; without it asking for one is an error.
 * --grammar sends each row through the grammar, which is libcsv's: `read_request.by_grammar`, which no user can ask for.
 */
#include "base/embedded.h"
#include "base/folder_write.h"
#include "base/memory.h"
#include "cmd/examine.h"
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_PICTURES 16
#define PICTURE_MAX_BYTES ((size_t)64 << 20)

struct asked {
	const char *log, *folder;
	const char *pictures[MOST_PICTURES];
	size_t n_pictures;
	bool by_grammar, all;
};

static bool ask(struct asked *q, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--grammar") == 0)
			q->by_grammar = true;
		else if (strcmp(argv[i], "--all") == 0)
			q->all = true;
		else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			q->folder = argv[++i];
		else if (!q->log)
			q->log = argv[i];
		else if (q->folder && q->n_pictures < MOST_PICTURES)
			q->pictures[q->n_pictures++] = argv[i];
		else
			return false;
	}
	return q->log;
}

static void fail(struct diags *diags)
{
	print_diags(diags, SIZE_MAX, false);
	exit(1);
}

static const struct report *report_on(struct arena *mem, const struct asked *q, struct diags *diags)
{
	struct awaited_rules rules;
	const struct request request = {
		.input = { .paths = &q->log, .n_paths = 1, .read.by_grammar = q->by_grammar },
		.report = {
			.command = arena_print(mem, "postrun report %s", q->log),
			.chart_files = q->pictures,
			.n_chart_files = q->n_pictures,
			.all = q->all,
		},
	};
	const bool good = rules_order(&rules, mem, &(struct options){ .mem = mem }, true, diags);
	const struct report *const report = good ? examine(mem, &request, &rules, diags) : NULL;

	if (!report)
		fail(diags);
	if (report->n_charts != q->n_pictures) {
		fprintf(stderr, "report_parts: only %zu of the %zu pictures have something to say\n", report->n_charts, q->n_pictures);
		fail(diags);
	}
	return report;
}

static void put_in_words(struct arena *mem, const struct report *report, const char *name, struct buf *out, struct diags *diags)
{
	const struct renderer *const renderer = renderer_find(slice_of(name));
	const struct template *template = NULL;

	if (renderer->template) {
		const char *const path = arena_print(mem, "templates/%s", renderer->template);
		template = template_compile(mem, embedded_get(path), (struct place){ path, 1, 1 }, TAGS_DOUBLE_BRACE, &report_fields, diags);
		if (!template)
			fail(diags);
	}
	buf_init(out, limit_table[LIMIT_REPORT].value);
	render(renderer, report, template, &(struct render_options){ 0 }, mem, out);
}

/* The text and the JSON, rendered while pictures are drawn, as the program does. */
struct words {
	const struct report *report;
	struct buf out[2];
};
static const char *const words_names[] = { "text", "json" };

static void put_meanwhile(void *context, size_t job)
{
	struct words *const words = context;
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	put_in_words(&mem, words->report, words_names[job], &words->out[job], &diags);
	diags_release(&diags);
	arena_release(&mem);
}

/* All files at once, as the program does. */
static void write_files(const struct report *report, const struct chart_order *orders, struct words *words, const char *folder,
	struct diags *diags)
{
	struct folder_file files[MOST_PICTURES + 2];
	struct folder_claim claim;
	size_t n = 0;

	for (size_t i = 0; i < report->n_charts; i++)
		files[n++] = (struct folder_file){ orders[i].file, buf_slice(orders[i].out) };
	for (size_t i = 0; i < 2; i++)
		files[n++] = (struct folder_file){ renderer_find(slice_of(words_names[i]))->file, buf_slice(&words->out[i]) };
	if (!folder_claim(&claim, folder, diags))
		fail(diags);
	if (!folder_write(&claim, &(struct folder_files_given){ .at = files, .n = n }, diags))
		fail(diags);
	folder_leave(&claim);
}

static void write_parts(const struct report *report, const char *folder, struct diags *diags)
{
	struct chart_order orders[MOST_PICTURES];
	struct buf pictures[MOST_PICTURES];
	struct words words = { .report = report };

	for (size_t i = 0; i < report->n_charts; i++) {
		buf_init(&pictures[i], PICTURE_MAX_BYTES);
		orders[i] = (struct chart_order){ CHART_PNG, report->charts[i].file, { THEME_LIGHT, 2 }, &pictures[i], false };
	}
	charts_draw(report, orders, report->n_charts, &(struct chores){ 2, put_meanwhile, &words });
	for (size_t i = 0; i < report->n_charts; i++)
		if (!orders[i].good) {
			fprintf(stderr, "report_parts: no %s\n", orders[i].file);
			fail(diags);
		}
	write_files(report, orders, &words, folder, diags);
	for (size_t i = 0; i < report->n_charts; i++)
		buf_release(&pictures[i]);
	for (size_t i = 0; i < 2; i++)
		buf_release(&words.out[i]);
}

static void print_text(struct arena *mem, const struct report *report, struct diags *diags)
{
	struct buf out;

	put_in_words(mem, report, "text", &out, diags);
	fwrite(out.at, 1, out.n, stdout);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	struct asked q = { 0 };
	struct arena mem;
	struct diags diags;

	if (!ask(&q, argc, argv)) {
		fprintf(stderr, "usage: report_parts [--grammar] [--all] [-o DIR] LOG [PICTURE...]\n");
		return 2;
	}
	memory_begin();
	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct report *const report = report_on(&mem, &q, &diags);
	if (q.folder)
		write_parts(report, q.folder, &diags);
	else
		print_text(&mem, report, &diags);
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
