/* timeline_chart.c - the picture inside reports: where the time went, then every logged metric. */
#include "chart/charts.h"
#include "chart/head.h"
#include "chart/stack.h"

static const double panel_heights[N_PANEL_KINDS] = {
	[PANEL_BUSY] = 92,
	[PANEL_MEMORY] = 40,
	[PANEL_TEMPERATURE] = 50,
	[PANEL_MARGIN] = 40,
	[PANEL_POWER] = 50,
	[PANEL_CLOCK] = 44,
	[PANEL_HOST_MEMORY] = 46,
};

double timeline_draw(const struct page *p)
{
	const struct figure *const figure = &p->report->timeline_figure;
	struct stack stack = stack_new(p, figure, panel_heights);
	double y = ledger_draw(p, PAGE_TOP);
	y = stack_draw(&stack, figure, NULL, y + 9);
	return footer_draw(p, y + 6) + PAGE_BOTTOM;
}
