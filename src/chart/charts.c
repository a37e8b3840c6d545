/* charts.c - which pictures there are, and how each becomes a file: measure, draw, encode. */
#include "chart/charts.h"
#include "chart/png.h"

static const struct chart_row {
	const char *file;
	double (*draw)(const struct page *p);
} rows[] = {
#define CHART(file, draw) { file, draw },
#include "chart/charts.def"
#undef CHART
};

const char *const chart_files[] = {
#define CHART(file, draw) file,
#include "chart/charts.def"
#undef CHART
};
const size_t n_charts = sizeof chart_files / sizeof *chart_files;

static const struct chart_row *row_find(const char *file)
{
	for (size_t i = 0; i < n_charts; i++)
		if (strcmp(rows[i].file, file) == 0)
			return &rows[i];
	return NULL;
}

static bool is_drawable(const struct figure *figure)
{
	return figure->n_panels > 0 && figure->span.end > figure->span.begin;
}

static double height_of(const struct chart_row *row, const struct page *p)
{
	struct page trial = *p;
	trial.canvas = canvas_text_new(p->mem, p->canvas->font, NULL);
	trial.measuring = true;
	return row->draw(&trial);
}

static void draw_on(const struct chart_row *row, const struct page *p, double height)
{
	page_box(p, 0, 0, PAGE_WIDTH, height, HUE_PAGE);
	row->draw(p);
}

static struct page page_new(struct arena *mem, const struct report *report, const struct chart_options *options)
{
	return (struct page){
		.canvas = canvas_text_new(mem, font_new(mem), NULL),
		.theme = &theme_table[options->theme],
		.report = report,
		.mem = mem,
	};
}

static struct png_words words_of(struct arena *mem, const struct report *report, const char *file)
{
	struct png_words words = {
		.title = report->verdict.sentence,
		.software = arena_print(mem, "%s %s", report->program.name, report->program.version),
	};
	for (size_t i = 0; i < report->n_charts; i++)
		if (strcmp(report->charts[i].file, file) == 0) {
			words.title = report->charts[i].title;
			words.description = report->charts[i].alt;
		}
	return words;
}

static bool encode(struct page *p, const struct chart_row *row, int scale, struct buf *png)
{
	const double height = height_of(row, p);
	const struct png_words words = words_of(p->mem, p->report, row->file);
	p->canvas = canvas_cairo_new(p->mem, p->canvas->font, PAGE_WIDTH, height, scale);
	draw_on(row, p, height);
	const bool ok = png_encode(p->mem, canvas_cairo_pixels(p->canvas), scale, &words, png);
	canvas_cairo_release(p->canvas);
	return ok;
}

static void write_list(struct page *p, const struct chart_row *row, struct buf *list)
{
	const double height = height_of(row, p);
	buf_print(list, "page %d %d\n", (int)PAGE_WIDTH, (int)height);
	p->canvas = canvas_text_new(p->mem, p->canvas->font, list);
	draw_on(row, p, height);
}

static const struct chart_row *row_for(const struct report *report, const char *file)
{
	const struct figure *const figure = report_figure(report, file);
	return figure && is_drawable(figure) ? row_find(file) : NULL;
}

bool chart_png(const struct report *report, const char *file, const struct chart_options *options, struct buf *png)
{
	const struct chart_row *const row = row_for(report, file);
	struct arena mem;
	if (!row)
		return false;
	arena_init(&mem);
	struct page p = page_new(&mem, report, options);
	const bool ok = encode(&p, row, options->scale, png);
	arena_release(&mem);
	return ok;
}

bool chart_list(const struct report *report, const char *file, const struct chart_options *options, struct buf *list)
{
	const struct chart_row *const row = row_for(report, file);
	struct arena mem;
	if (!row)
		return false;
	arena_init(&mem);
	struct page p = page_new(&mem, report, options);
	write_list(&p, row, list);
	arena_release(&mem);
	return !list->overflow;
}
