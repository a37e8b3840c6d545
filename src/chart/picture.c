/* picture.c - a picture that tells one thing: a sentence, what it stands on, and panels that show it. */
#include "chart/charts.h"
#include "chart/head.h"
#include "chart/stack.h"

#define HEADING_LEADING 18.0
#define SUBTITLE_LEADING 12.0

static double lines_draw(const struct page *p, double y, enum type type, double leading, const char *text, size_t max_lines)
{
	const struct wrapped lines = page_wrap(p, type, text ? text : "", PAGE_RIGHT - PAGE_LEFT, max_lines);
	for (size_t i = 0; i < lines.n; i++)
		page_text(p, PAGE_LEFT, y + leading * (double)(i + 1) - 5, type, ALIGN_LEFT, lines.line[i]);
	return y + leading * (double)lines.n;
}

double heading_draw(const struct page *p, const struct figure *figure)
{
	const double y = lines_draw(p, PAGE_TOP, TYPE_HEADING, HEADING_LEADING, figure->title, 2);
	return lines_draw(p, y + 1, TYPE_EVIDENCE, SUBTITLE_LEADING, figure->subtitle, 2);
}

static double picture_draw(const struct page *p, const struct figure *figure, const double *panel_heights)
{
	struct stack stack = stack_new(p, figure, panel_heights);
	const double y = stack_draw(&stack, figure, NULL, heading_draw(p, figure) + 9);
	return footer_draw(p, y + 6) + PAGE_BOTTOM;
}

double thermal_draw(const struct page *p)
{
	static const double heights[N_PANEL_KINDS] = {
		[PANEL_TEMPERATURE] = 74,
		[PANEL_MARGIN] = 60,
		[PANEL_POWER] = 74,
		[PANEL_CLOCK] = 74,
	};
	return picture_draw(p, &p->report->thermal, heights);
}

double memory_draw(const struct page *p)
{
	static const double heights[N_PANEL_KINDS] = { [PANEL_MEMORY] = 120 };
	return picture_draw(p, &p->report->memory, heights);
}

double density_draw(const struct page *p)
{
	static const double heights[N_PANEL_KINDS] = { 0 };
	return picture_draw(p, &p->report->density, heights);
}

double heatmap_draw(const struct page *p)
{
	static const double heights[N_PANEL_KINDS] = { 0 }; /* rows have their own */
	return picture_draw(p, &p->report->heatmap, heights);
}
