#include "cmd/deliver.h"

#include "base/file.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#define MAX_PICTURE_BYTES ((size_t)64 << 20)

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

static bool over_limit(const char *name, const struct buf *out, struct diags *diags)
{
	if (out->n < out->max)
		return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_LIMIT, "its template repeats itself too often");
	return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_LIMIT, "the output is over its limit of %zu MiB", out->max >> 20);
}

static bool not_drawn(const char *name, struct diags *diags)
{
	return diag_at(diags, (struct place){ name, 0, 0 }, DIAG_CANNOT_WRITE, "the picture could not be drawn");
}

static const char *svg_name(struct arena *mem, const char *file)
{
	return arena_print(mem, "%.*s.svg", (int)strcspn(file, "."), file);
}

static bool add_vectors(struct arena *mem, const struct report *report, const struct delivery *d, struct outputs *all)
{
	bool good = true;

	if (d->vectors == VECTORS_PDF && report->n_charts)
		good = chart_pdf(report, &d->charts, outputs_add(all, "report.pdf", MAX_PICTURE_BYTES));
	for (size_t i = 0; i < report->n_charts && good && d->vectors == VECTORS_SVG; i++)
		good = chart_svg(report, report->charts[i].file, &d->charts,
			outputs_add(all, svg_name(mem, report->charts[i].file), MAX_PICTURE_BYTES));
	return good;
}

static bool add_pictures(struct arena *mem, const struct report *report, const struct delivery *d, struct outputs *all)
{
	for (size_t i = 0; i < report->n_charts; i++)
		if (!chart_png(report, report->charts[i].file, &d->charts, outputs_add(all, report->charts[i].file, MAX_PICTURE_BYTES)))
			return false;
	return add_vectors(mem, report, d, all);
}

static void render_one(struct arena *mem, const struct report *report, const struct delivery *d, const struct renderer *renderer,
	struct buf *out)
{
	render(renderer, report, d->templates[renderer - renderer_table], &d->render, mem, out);
}

static bool is_in_folder(const struct delivery *d, const struct renderer *renderer)
{
	return renderer->in_folder || renderer == d->printed;
}

/* All files of the report folder, in memory. */
static bool render_all(struct arena *mem, const struct report *report, const struct delivery *d, struct outputs *all, struct diags *diags)
{
	bool good = true;

	if (!add_pictures(mem, report, d, all))
		return not_drawn(all->names[all->n - 1], diags);
	for (size_t i = 0; i < n_renderers; i++)
		if (is_in_folder(d, &renderer_table[i]))
			render_one(mem, report, d, &renderer_table[i], outputs_add(all, renderer_table[i].file, REPORT_MAX_BYTES));
	for (size_t i = 0; i < all->n && good; i++)
		if (all->bufs[i].overflow)
			good = over_limit(all->names[i], &all->bufs[i], diags);
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

static int print_all(const struct buf *out)
{
	return fwrite(out->at, 1, out->n, stdout) != out->n || fflush(stdout) ? output_failed() : EXIT_DONE;
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
	buf_init(&out, MAX_PICTURE_BYTES);
	const bool good = d->vectors == VECTORS_PDF ? chart_pdf(report, &d->charts, &out) : chart_svg(report, file, &d->charts, &out);
	const int status = good ? print_all(&out) : EXIT_OUTPUT;
	if (!good)
		not_drawn(file, diags);
	buf_release(&out);
	return status;
}

/* What --format asks for. */
static int print_report(struct arena *mem, const struct report *report, const struct delivery *d, struct diags *diags)
{
	struct buf out;

	buf_init(&out, REPORT_MAX_BYTES);
	render_one(mem, report, d, d->printed, &out);
	const int status = out.overflow ? EXIT_OUTPUT : print_all(&out);
	if (out.overflow)
		over_limit(d->printed->file, &out, diags);
	buf_release(&out);
	return status;
}

static int print_what_is_asked(struct arena *mem, const struct report *report, const struct delivery *d, struct diags *diags)
{
	if (d->vectors)
		return d->folder ? EXIT_DONE : print_vectors(report, d, diags);
	return d->is_quiet ? EXIT_DONE : print_report(mem, report, d, diags);
}

static bool fails(const struct report *report, const struct render_options *how)
{
	for (size_t i = 0; how->has_fail_on && i < report->n_findings; i++)
		if (report->findings[i].severity_level >= how->fail_on)
			return true;
	return false;
}

int deliver(struct arena *mem, const struct report *report, const struct delivery *d, struct diags *diags)
{
	struct outputs all = { .n = 0 };
	int status = EXIT_DONE;

	if (d->folder && !(render_all(mem, report, d, &all, diags) && write_all(d->folder, &all, diags)))
		status = EXIT_OUTPUT;
	outputs_release(&all);
	if (status == EXIT_DONE)
		status = print_what_is_asked(mem, report, d, diags);
	return status == EXIT_DONE && fails(report, &d->render) ? EXIT_FINDING : status;
}
