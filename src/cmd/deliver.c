#include "cmd/deliver.h"

#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/print.h"
#include "cmd/run_why.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PDF_NAME "report.pdf"

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

static size_t report_max_bytes(const struct delivery *d)
{
	return (size_t)limit_of(d->limits, LIMIT_REPORT);
}

/* `which` it reached, if it did: of pictures or of the others. */
static bool over_limit(const struct delivery *d, const char *name, const struct buf *out, enum limit which, struct diags *diags)
{
	if (out->n < out->max)
		return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_LIMIT,
			"it could not be made: a picture of it was not drawn, or its template repeats itself too often");
	return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_LIMIT, "the output is over %s",
		limit_text(diags->mem, d->limits, which));
}

static bool not_drawn(const char *name, struct diags *diags)
{
	return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_CANNOT_WRITE, "the picture could not be drawn");
}

static const char *svg_name(struct arena *mem, const char *file)
{
	return arena_print(mem, "%.*s.svg", (int)strcspn(file, "."), file);
}

/* What is to be drawn of the report, and where to. */
struct drawn {
	struct chart_order *orders;
	const char **names; /* of the outputs, beside the orders */
	size_t n;
	struct page_pictures of_page; /* behind those: for the page alone */
};

static void drawn_add(struct drawn *all, struct outputs *outputs, enum chart_kind kind, const char *file, const char *name,
	const struct delivery *d)
{
	all->names[all->n] = name;
	all->orders[all->n++] = (struct chart_order){
		.kind = kind, .file = file, .options = d->charts, .out = outputs_add(outputs, name, PICTURE_MAX_BYTES),
	};
}

/* The pictures, and the same as vectors where they are asked for, what takes longest first; behind them those of the page alone. */
static struct drawn orders_of(struct arena *mem, const struct report *report, const struct delivery *d, struct outputs *all)
{
	const size_t most = 2 * report->n_charts + 1;
	struct drawn drawn = { .orders = NEW_ARRAY(mem, struct chart_order, most + 2 * report->n_charts),
		.names = NEW_ARRAY(mem, const char *, most) };

	if (d->vectors == VECTORS_PDF && report->n_charts)
		drawn_add(&drawn, all, CHART_PDF, NULL, PDF_NAME, d);
	for (size_t i = 0; i < report->n_charts; i++)
		drawn_add(&drawn, all, CHART_PNG, report->charts[i].file, report->charts[i].file, d);
	for (size_t i = 0; i < report->n_charts && d->vectors == VECTORS_SVG; i++)
		drawn_add(&drawn, all, CHART_SVG, report->charts[i].file, svg_name(mem, report->charts[i].file), d);
	drawn.of_page = page_pictures_missing(mem, report, drawn.orders, drawn.n);
	for (size_t i = 0; i < drawn.of_page.n; i++)
		drawn.orders[drawn.n + i] = drawn.of_page.at[i];
	return drawn;
}

static void render_one(struct arena *mem, const struct report *report, const struct delivery *d, const struct renderer *renderer,
	const struct drawn *drawn, struct buf *out)
{
	struct render_options how = d->render;

	how.drawn = drawn ? drawn->orders : NULL;
	how.n_drawn = drawn ? drawn->n + drawn->of_page.n : 0;
	render(renderer, report, d->templates[renderer - renderer_table], &how, mem, out);
}

bool output_is_chosen(const struct delivery *d, const struct renderer *renderer)
{
	return d->chosen ? d->chosen[renderer - renderer_table] : renderer->in_folder || renderer == d->printed;
}

static void write_record(struct arena *mem, const struct report *report, const struct delivery *d, const struct diags *diags,
	struct buf *out)
{
	struct record record = *d->record;

	record.hint = report->separate_runs;
	record.why = why_partial(mem, report, diags);
	record.status = record.why ? RUN_PARTIAL : RUN_OK;
	record_of_report(mem, report, &record);
	record_write(out, &record);
	buf_char(out, '\n');
}

/* An output of the report folder. */
struct rendering {
	const struct renderer *renderer;
	struct buf *out;
};

/* Those that are rendered while pictures are drawn. */
struct renderings {
	const struct report *report;
	const struct delivery *d;
	struct rendering *at;
	size_t n;
};

static void render_meanwhile(void *context, size_t job)
{
	const struct renderings *const all = context;
	struct arena mem;

	arena_init(&mem);
	render_one(&mem, all->report, all->d, all->at[job].renderer, NULL, all->at[job].out);
	arena_release(&mem);
}

/* What shows pictures is rendered when all are there, the rest meanwhile. */
static bool draw_and_render(struct arena *mem, const struct report *report, const struct delivery *d, const struct drawn *drawn,
	struct outputs *all, struct diags *diags)
{
	struct renderings others = { report, d, NEW_ARRAY(mem, struct rendering, n_renderers), 0 };
	struct rendering page = { NULL, NULL };

	for (size_t i = 0; i < n_renderers; i++) {
		if (!output_is_chosen(d, &renderer_table[i]))
			continue;
		const struct rendering r = { &renderer_table[i], outputs_add(all, renderer_table[i].file, report_max_bytes(d)) };
		*(r.renderer->has_pictures ? &page : &others.at[others.n++]) = r;
	}
	charts_draw(report, drawn->orders, drawn->n + drawn->of_page.n, &(struct chores){ others.n, render_meanwhile, &others });
	for (size_t i = 0; i < drawn->n; i++)
		if (!drawn->orders[i].good)
			return not_drawn(drawn->names[i], diags);
	if (page.renderer)
		render_one(mem, report, d, page.renderer, drawn, page.out);
	return true;
}

/* All files of the report folder, in memory. */
static bool render_all(struct arena *mem, const struct report *report, const struct delivery *d, struct outputs *all, struct diags *diags)
{
	const struct drawn drawn = orders_of(mem, report, d, all);
	const size_t n_pictures = all->n;
	bool good = draw_and_render(mem, report, d, &drawn, all, diags);

	if (good && d->record)
		write_record(mem, report, d, diags, outputs_add(all, RECORD_FILE, report_max_bytes(d)));
	for (size_t i = 0; i < all->n && good; i++)
		if (all->bufs[i].overflow)
			good = over_limit(d, all->names[i], &all->bufs[i], i < n_pictures ? LIMIT_PICTURE_MAX_BYTES : LIMIT_REPORT, diags);
	page_pictures_release(&drawn.of_page);
	return good;
}

/* Of all files that a report may have. */
static const char *const *report_files(struct arena *mem, const struct delivery *d, size_t *n)
{
	const char **const names = NEW_ARRAY(mem, const char *, n_renderers + 2 * n_charts + 2);

	*n = 0;
	for (size_t i = 0; i < n_renderers; i++)
		names[(*n)++] = renderer_table[i].file;
	for (size_t i = 0; i < n_charts; i++) {
		names[(*n)++] = chart_files[i];
		names[(*n)++] = svg_name(mem, chart_files[i]);
	}
	names[(*n)++] = PDF_NAME;
	if (d->record)
		names[(*n)++] = RECORD_FILE;
	return names;
}

static bool is_log_of(const struct report *report, const struct stat *about)
{
	struct stat log;

	for (size_t i = 0; i < report->n_sources; i++) {
		const char *const path = report->sources[i].archive ? report->sources[i].archive : report->sources[i].path;
		if (stat(path, &log) == 0 && log.st_dev == about->st_dev && log.st_ino == about->st_ino)
			return true;
	}
	return false;
}

/* A log may be called report.txt, too. */
static bool spares_logs(const struct report *report, const struct folder_claim *folder, const struct outputs *all, struct diags *diags)
{
	struct stat about;

	for (size_t i = 0; i < all->n && folder->fd >= 0; i++)
		if (fstatat(folder->fd, all->names[i], &about, AT_SYMLINK_NOFOLLOW) == 0 && is_log_of(report, &about))
			return diag_at(diags, (struct place){ arena_print(diags->mem, "%s/%s", folder->path, all->names[i]), 0, 0 },
				DIAG_CANNOT_WRITE, "it is one of the logs; write into another folder");
	return true;
}

static bool prints_into_log(const struct report *report)
{
	struct stat about;

	if (fstat(STDOUT_FILENO, &about) != 0 || !S_ISREG(about.st_mode) || !is_log_of(report, &about))
		return false;
	fprintf(stderr, "postrun: standard output is one of the logs\n");
	return true;
}

static bool write_all(struct arena *mem, const struct delivery *d, const struct apart *apart, struct folder_claim *folder,
	const struct outputs *all, struct diags *diags)
{
	struct folder_file *const files = NEW_ARRAY(mem, struct folder_file, all->n);
	struct folder_files_given given = { .at = files, .n = all->n };

	for (size_t i = 0; i < all->n; i++)
		files[i] = (struct folder_file){ all->names[i], buf_slice(&all->bufs[i]) };
	given.known = report_files(mem, d, &given.n_known);
	return apart_write(apart, folder, &given, diags);
}

/* The document, or the first picture. */
static int print_vectors(const struct report *report, const struct delivery *d, struct diags *diags)
{
	struct buf out;

	if (!report->n_charts) {
		fprintf(stderr, "postrun: no picture: nothing that these logs hold is drawn over time, or they are too short\n");
		return EXIT_NOTHING;
	}
	const char *const file = report->charts[0].file;
	buf_init(&out, PICTURE_MAX_BYTES);
	const bool good = d->vectors == VECTORS_PDF ? chart_pdf(report, &d->charts, &out) : chart_svg(report, file, &d->charts, &out);
	const int status = good ? print_whole(&out) : EXIT_OUTPUT;
	if (!good)
		not_drawn(file, diags);
	buf_release(&out);
	return status;
}

/* What --format asks for. */
static int print_report(struct arena *mem, const struct report *report, const struct delivery *d, struct diags *diags)
{
	struct buf out;

	buf_init(&out, report_max_bytes(d));
	render_one(mem, report, d, d->printed, NULL, &out);
	const int status = out.overflow ? EXIT_OUTPUT : print_whole(&out);
	if (out.overflow)
		over_limit(d, d->printed->file, &out, LIMIT_REPORT, diags);
	buf_release(&out);
	return status;
}

static int print_what_is_asked(struct arena *mem, const struct report *report, const struct delivery *d, struct diags *diags)
{
	if (d->vectors)
		return d->folder ? EXIT_DONE : print_vectors(report, d, diags);
	if (d->is_quiet)
		return EXIT_DONE;
	return prints_into_log(report) ? EXIT_OUTPUT : print_report(mem, report, d, diags);
}

static bool fails(const struct report *report, const struct render_options *how)
{
	for (size_t i = 0; how->has_fail_on && i < report->n_findings; i++)
		if (report->findings[i].severity_level >= how->fail_on)
			return true;
	return false;
}

int deliver_for_worker(struct arena *mem, const struct delivery *d, const struct apart *apart, struct folder_claim *folder,
	struct diags *diags)
{
	const size_t max_bytes = report_max_bytes(d) > PICTURE_MAX_BYTES ? report_max_bytes(d) : PICTURE_MAX_BYTES;
	size_t n_known;
	const char *const *const known = report_files(mem, d, &n_known);

	return apart_serve(apart, folder, known, n_known, max_bytes, diags);
}

int deliver(struct arena *mem, const struct report *report, const struct delivery *d, const struct apart *apart,
	struct folder_claim *folder, struct diags *diags)
{
	struct outputs all = { .n = 0 };
	int status = EXIT_DONE;

	if (folder && !(render_all(mem, report, d, &all, diags) && spares_logs(report, folder, &all, diags) &&
			      write_all(mem, d, apart, folder, &all, diags)))
		status = EXIT_OUTPUT;
	outputs_release(&all);
	if (status == EXIT_DONE)
		status = print_what_is_asked(mem, report, d, diags);
	return status == EXIT_DONE && fails(report, &d->render) ? EXIT_FINDING : status;
}
