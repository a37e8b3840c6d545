/*
 * cmd_report.c - `postrun report`: logs in, verdict out.
 *
 * Here: what is asked for, settled before a log is read. deliver.c writes it.
 */
#include "cmd/cmd.h"
#include "cmd/rate.h"
#include "cmd/report_run.h"
#include "cmd/suppress.h"

#include <stdio.h>

static const struct option table[] = {
	{ "output", 'o', "DIR", NULL, "write report.html, .md, .txt, .json and the pictures (PNG) there" },
	{ "format", 0, "NAME", "text|utf8|markdown|html|json|junit|csv|svg|pdf",
		"print this instead of text; with -o, it is in DIR as well" },
	{ "utf8", 0, NULL, NULL, "print text with rules, bars and time lines drawn in UTF-8, like --format utf8" },
	{ "template", 0, "FILE", NULL, "print text, utf8, markdown or html by a template of your own; with -o, for its file in DIR" },
	{ "every", 0, "STEP", NULL, "how far apart the rows of --format csv are: 500ms, 10s, 1min (else what keeps the file small)" },
	{ "all", 0, NULL, NULL, "every finding in full, every check by name and every picture, also of a healthy run" },
	INPUT_OPTIONS,
	MARK_OPTIONS,
	RULE_OPTIONS,
	RATE_OPTION,
	SUPPRESS_OPTIONS,
	{ "fail-on", 0, "SEVERITY", "critical|warning|note", "exit with 1 when a finding is this severe or worse" },
	PICTURE_OPTIONS,
	{ "quiet", 'q', NULL, NULL, "print no report and no warnings: for -o and --fail-on" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* Only what will be written or printed is drawn. */
static void ask_for_charts(struct request *q, const struct delivery *d)
{
	if (!d->folder && !d->vectors && strcmp(d->printed->name, "html") != 0) /* which has them inside */
		return;
	q->report.chart_files = chart_files;
	q->report.n_chart_files = n_charts;
}

/* A text, a page or Markdown by our own templates, and nothing beside it. */
static bool is_told_by_tables(const struct options *o, const struct delivery *d)
{
	return !d->folder && d->printed->template && !option_given(o, "template");
}

/* ------------------------------------------------ what is asked for */

#define LEAST_EVERY 0.001
#define MOST_EVERY 86400.0

static bool read_every(const struct options *o, struct delivery *d)
{
	const char *const text = option_value(o, "every");
	double seconds = 0;

	if (!text)
		return true;
	if (strcmp(d->printed->name, "csv") != 0)
		fprintf(stderr, "postrun: --every is the step of --format csv\n");
	else if (!duration_parse(slice_of(text), &seconds) || seconds < LEAST_EVERY || seconds > MOST_EVERY)
		fprintf(stderr, "postrun: --every takes a time from 1ms to 1d, like 1s or 1min, not '%s'\n", text);
	else
		d->render.every = (time_ms)(seconds * SECOND_MS + 0.5);
	return d->render.every > 0;
}

static enum vectors vectors_of(const char *format)
{
	if (format && strcmp(format, "svg") == 0)
		return VECTORS_SVG;
	return format && strcmp(format, "pdf") == 0 ? VECTORS_PDF : VECTORS_NONE;
}

/* False, with one line on standard error, when options don't go together. */
static bool read_delivery(const struct options *o, struct delivery *out)
{
	const char *const name = option_value(o, "format"), *const limit = option_value(o, "fail-on");

	if (option_given(o, "utf8") && name && strcmp(name, "utf8") != 0 && strcmp(name, "text") != 0) {
		fprintf(stderr, "postrun: --utf8 is about the text, and --format asks for %s\n", name);
		return false;
	}
	out->folder = option_value(o, "output");
	out->is_quiet = option_given(o, "quiet");
	out->charts = read_chart_options(o);
	out->vectors = vectors_of(name);
	out->printed = renderer_find(slice_of(option_given(o, "utf8") ? "utf8" : name && !out->vectors ? name : "text"));
	if (option_given(o, "template") && (out->vectors || !out->printed->template)) {
		fprintf(stderr, "postrun: --format %s has no template; text, utf8, markdown and html have\n", name);
		return false;
	}
	out->render.has_fail_on = limit && severity_find(slice_of(limit), &out->render.fail_on);
	return read_every(o, out);
}

static int report_on(struct arena *mem, const struct request *q, const struct options *o, struct delivery *d, struct diags *diags)
{
	const bool has_suppressions = q->report.n_suppressions > 0;
	struct awaited_rules rules;

	if (!rules_order(&rules, mem, o, has_suppressions, diags) || !load_templates(mem, o, d, diags))
		return EXIT_RULES;
	if (has_suppressions && !suppressions_fit(&q->report, rules.rules))
		return EXIT_USAGE;
	struct folder_claim folder;
	if (d->folder && !folder_claim(&folder, d->folder, diags)) /* who can't write there need not wait for it */
		return EXIT_OUTPUT;
	const int status = report_into(mem, q, &rules, d, d->folder ? &folder : NULL, diags);
	if (d->folder)
		folder_leave(&folder);
	return status;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct request q = { 0 };
	struct delivery d = { 0 };

	if (!o->n_paths) {
		fprintf(stderr, "postrun: report needs logs: postrun report RUN/ or postrun report gpu.csv vmstat.txt\n");
		return EXIT_USAGE;
	}
	if (!read_delivery(o, &d) || !read_input_options(o, &q.input) || !read_suppressions(o, UNTIL_IS_OF_SUPPRESSIONS, &q.report) ||
		!read_rate(o, &q.report))
		return EXIT_USAGE;
	d.limits = q.input.read.limits;
	q.report.all = option_given(o, "all");
	q.report.command = o->command_line;
	q.report.in_table_alone = is_told_by_tables(o, &d);
	ask_for_charts(&q, &d);
	const int status = report_on(mem, &q, o, &d, diags);
	if (d.part == PART_WRITER) /* all that is to be said was said by the other one */
		return status;
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
		    "  postrun report RUN/ -o out/                     report.html, .md, .txt, .json and pictures, for a ticket\n"
		    "  postrun report RUN/ --tz gpu.csv=UTC-5          a log whose zone can't be told\n"
		    "  postrun report RUN/ --format json | jq .verdict\n"
		    "  postrun report RUN/ --format csv --every 10s    all series, with minimum, mean and maximum of each 10 s\n"
		    "  postrun report RUN/ --format junit --fail-on warning > report.xml\n"
		    "  postrun report RUN/ --rate '2.50 EUR'           what was lost in money, too\n"
		    "  postrun report RUN/ --suppress gpu-hot@4-7 --until 2026-12-24 --because 'the fan is on order'\n",
	.options = table,
	.run = run,
};
