/*
 * cmd_report.c - `postrun report`: logs in, verdict out.
 *
 * Everything is rendered in memory before the first file is touched, so that a report folder is
 * either complete or as it was.
 */
#include "base/embedded.h"
#include "base/file.h"
#include "chart/chart.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/rate.h"
#include "cmd/suppress.h"
#include "render/render.h"

#include <stdio.h>

#define MOST_MESSAGES 20
#define MAX_PICTURE_BYTES ((size_t)64 << 20)

static const struct option table[] = {
	{ "output", 'o', "DIR", NULL, "write report.txt, report.json, card.png and timeline.png there" },
	{ "format", 0, "NAME", "text|json|svg|pdf", "what goes to standard output, or, of svg and pdf, into DIR" },
	{ "all", 0, NULL, NULL, "the long report, also for a healthy run" },
	INPUT_OPTIONS,
	MARK_OPTIONS,
	RULE_OPTIONS,
	RATE_OPTION,
	SUPPRESS_OPTIONS,
	{ "fail-on", 0, "SEVERITY", "critical|warning|note", "exit with 1 when a finding is this severe or worse" },
	{ "theme", 0, "NAME", "light|dark", "colours of the pictures" },
	{ "scale", 0, "N", "1|2|3", "pixels per unit of the pictures; 2 draws 1400 pixels" },
	{ "quiet", 'q', NULL, NULL, "no report on standard output, no warnings" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static const struct template *template_of(struct arena *mem, const struct renderer *renderer, struct diags *diags)
{
	const char *const name = arena_print(mem, "templates/%s", renderer->template);

	return template_compile(mem, embedded_get(name), (struct place){ name, 1, 1 }, TAGS_DOUBLE_BRACE, &report_fields, diags);
}

/* False when the renderer's template is wrong. */
static bool render_one(struct arena *mem, const struct report *report, const struct renderer *renderer, struct buf *out,
	struct diags *diags)
{
	const struct template *t = renderer->template ? template_of(mem, renderer, diags) : NULL;

	if (renderer->template && !t)
		return false;
	renderer->render(report, t, mem, out);
	return true;
}

struct outputs { /* rendered, not yet written */
	const char *names[32];
	struct buf bufs[32];
	size_t n;
};

static struct buf *outputs_add(struct outputs *all, const char *name, size_t max_bytes)
{
	if (all->n == sizeof all->bufs / sizeof *all->bufs)
		BUG("more outputs than expected");
	all->names[all->n] = name;
	buf_init(&all->bufs[all->n], max_bytes);
	return &all->bufs[all->n++];
}

static void outputs_release(struct outputs *all)
{
	for (size_t i = 0; i < all->n; i++)
		buf_release(&all->bufs[i]);
}

static struct chart_options chart_options(const struct options *o)
{
	const char *theme = option_value(o, "theme"), *scale = option_value(o, "scale");

	return (struct chart_options){ theme && strcmp(theme, "dark") == 0 ? THEME_DARK : THEME_LIGHT, scale ? *scale - '0' : 2 };
}

/* --format svg and pdf are the pictures once more, as vectors. */
static bool format_is(const struct options *o, const char *name)
{
	const char *given = option_value(o, "format");

	return given && strcmp(given, name) == 0;
}

static bool wants_vectors(const struct options *o)
{
	return format_is(o, "svg") || format_is(o, "pdf");
}

static const char *svg_name(struct arena *mem, const char *file)
{
	return arena_print(mem, "%.*s.svg", (int)strcspn(file, "."), file);
}

static bool render_vectors(struct arena *mem, const struct report *report, const struct options *o, struct outputs *all)
{
	struct chart_options how = chart_options(o);
	bool good = true;

	if (format_is(o, "pdf") && report->n_charts)
		good = chart_pdf(report, &how, outputs_add(all, "report.pdf", MAX_PICTURE_BYTES));
	for (size_t i = 0; i < report->n_charts && good && format_is(o, "svg"); i++)
		good = chart_svg(report, report->charts[i].file, &how,
			outputs_add(all, svg_name(mem, report->charts[i].file), MAX_PICTURE_BYTES));
	return good;
}

/* All files of the report folder, in memory. */
static bool render_all(struct arena *mem, const struct report *report, const struct options *o, struct outputs *all,
	struct diags *diags)
{
	struct chart_options how = chart_options(o);
	bool good = true;

	for (size_t i = 0; i < report->n_charts && good; i++)
		good = chart_png(report, report->charts[i].file, &how, outputs_add(all, report->charts[i].file, MAX_PICTURE_BYTES));
	good = good && render_vectors(mem, report, o, all);
	if (!good)
		return diag_at(diags, (struct place){ all->names[all->n - 1], 0, 0 }, DIAG_CANNOT_WRITE, "the picture could not be drawn");
	for (size_t i = 0; i < n_renderers && good; i++)
		good = render_one(mem, report, &renderer_table[i], outputs_add(all, renderer_table[i].file, REPORT_MAX_BYTES), diags);
	for (size_t i = 0; i < all->n && good; i++)
		if (all->bufs[i].overflow)
			good = diag_at(diags, (struct place){ all->names[i], 0, 0 }, DIAG_LIMIT, "the output is over its limit of %zu MiB",
				all->bufs[i].max >> 20);
	return good;
}

static bool write_all(const char *folder, const struct outputs *all, struct diags *diags)
{
	if (!folder_make(folder, diags))
		return false;
	for (size_t i = 0; i < all->n; i++)
		if (!file_write(folder, all->names[i], buf_slice(&all->bufs[i]), diags))
			return false;
	return true;
}

/* Without a folder: the document, or the first picture. */
static int print_vector(const struct report *report, const struct options *o)
{
	struct chart_options how = chart_options(o);
	struct buf out;
	int status = EXIT_DONE;

	if (!report->n_charts) {
		fprintf(stderr, "postrun: no picture: nothing that these logs hold is drawn over time, or they are too short\n");
		return EXIT_NOTHING;
	}
	buf_init(&out, MAX_PICTURE_BYTES);
	if (!(format_is(o, "pdf") ? chart_pdf(report, &how, &out) : chart_svg(report, report->charts[0].file, &how, &out))) {
		fprintf(stderr, "postrun: the picture could not be drawn\n");
		status = EXIT_OUTPUT;
	} else if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout)) {
		status = output_failed();
	}
	buf_release(&out);
	return status;
}

/* What --format asks for, to standard output. */
static int print_report(struct arena *mem, const struct report *report, const struct options *o, struct diags *diags)
{
	const char *name = option_value(o, "format");
	const struct renderer *renderer = renderer_find(slice_of(name ? name : "text"));
	struct buf out;
	int status = EXIT_DONE;

	buf_init(&out, REPORT_MAX_BYTES);
	if (!render_one(mem, report, renderer, &out, diags))
		status = EXIT_RULES;
	else if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout))
		status = output_failed();
	buf_release(&out);
	return status;
}

/* More samples than charts need to mean anything; report.c says "too short" with the same figure. */
static void ask_for_charts(struct request *q, const struct options *o)
{
	if (!option_value(o, "output") && !wants_vectors(o))
		return;
	q->report.chart_files = chart_files;
	q->report.n_chart_files = n_charts;
}

static bool fails(const struct report *report, const struct options *o)
{
	const char *limit = option_value(o, "fail-on");

	for (size_t i = 0; limit && i < report->n_findings; i++)
		for (int s = SEVERITY_NOTE; s <= SEVERITY_CRITICAL; s++)
			if (strcmp(limit, severity_name((enum severity)s)) == 0 && (int)report->findings[i].severity_level >= s)
				return true;
	return false;
}

static int deliver(struct arena *mem, const struct report *report, const struct options *o, struct diags *diags)
{
	const char *folder = option_value(o, "output");
	struct outputs all = { .n = 0 };
	int status = EXIT_DONE;

	if (folder && !(render_all(mem, report, o, &all, diags) && write_all(folder, &all, diags)))
		status = EXIT_OUTPUT;
	outputs_release(&all);
	if (status == EXIT_DONE && wants_vectors(o))
		status = folder ? EXIT_DONE : print_vector(report, o);
	else if (status == EXIT_DONE && !option_given(o, "quiet"))
		status = print_report(mem, report, o, diags);
	return status == EXIT_DONE && fails(report, o) ? EXIT_FINDING : status;
}

static int report_on(struct arena *mem, const struct request *q, const struct options *o, struct diags *diags)
{
	const struct rules *rules = load_rules(mem, o, diags);

	if (!rules)
		return EXIT_RULES;
	if (!suppressions_fit(&q->report, rules))
		return EXIT_USAGE;
	struct report *report = examine(mem, q, rules, diags);
	if (!report)
		return EXIT_NOTHING;
	return deliver(mem, report, o, diags);
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct request q = { 0 };

	if (!o->n_paths) {
		fprintf(stderr, "postrun: report needs logs: postrun report RUN/ or postrun report gpu.csv vmstat.txt\n");
		return EXIT_USAGE;
	}
	if (!read_input_options(o, &q.input) || !read_suppressions(o, &q.report) || !read_rate(o, &q.report))
		return EXIT_USAGE;
	q.report.all = option_given(o, "all");
	q.report.command = o->command_line;
	ask_for_charts(&q, o);
	const int status = report_on(mem, &q, o, diags);
	print_diags(diags, MOST_MESSAGES, option_given(o, "quiet"));
	if (status == EXIT_NOTHING)
		fprintf(stderr, "postrun: nothing usable in the inputs\n");
	return status;
}

const struct command command_report = {
	.name = "report",
	.arguments = "PATH…",
	.title = "what the run lost, when, why, how sure, what to try",
	.examples = "  postrun report RUN/                             all logs in a folder\n"
		    "  postrun report gpu.csv vmstat.txt mpstat.txt    these logs\n"
		    "  postrun report run.tar.gz                       all logs in a tar or zip\n"
		    "  ssh node cat gpu.csv | postrun report -         a log that comes through a pipe\n"
		    "  postrun report RUN/ -o out/                     with card.png, timeline.png, report.json\n"
		    "  postrun report RUN/ --tz gpu.csv=UTC-5          a log whose zone can't be told\n"
		    "  postrun report RUN/ --format json | jq .verdict\n"
		    "  postrun report RUN/ --format pdf >run.pdf       all pictures, a page each, to print\n"
		    "  postrun report RUN/ --rate '2.50 EUR'           what was lost in money, too\n"
		    "  postrun report RUN/ --suppress gpu-hot@4-7 --until 2026-12-24 --because 'the fan is on order'\n",
	.options = table,
	.run = run,
};
