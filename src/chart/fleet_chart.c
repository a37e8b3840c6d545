/*
 * fleet_chart.c - many runs on one page, a row each: what they lost and why, the worst first.
 *
 *        run            GPUs  hours  how its GPU time went     GPU-hours lost      main cause
 *     1  llm-7b-sft       64     72  [==========||//]          [====] 525          (o) stuck collective
 *     2  …
 *        62 more runs                                                 41
 *
 * A name that is too long loses its middle; numbers are right-aligned, so that they compare.
 */
#include "chart/charts.h"

#include <math.h>

#define ROW_PITCH 19.0
#define ROW_BASELINE 12.6  /* below the top of a row */
#define HEAD_HEIGHT 22.0
#define RANK_RIGHT 31.0
#define NAME_LEFT 36.0
#define GPUS_RIGHT 168.0
#define HOURS_RIGHT 212.0
#define NUMBER_WIDTH 29.0  /* of a right-aligned number, with a gap */
#define BAR_LEFT 228.0
#define BAR_WIDTH 190.0
#define BAR_HEIGHT 9.0
#define PART_GAP 0.5
#define LOST_LEFT 440.0
#define LOST_WIDTH 62.0
#define LOST_GAP 5.0
#define CAUSE_LEFT 550.0
#define MARK_RADIUS 3.5
#define MARK_GAP 10.0      /* from the middle of a mark to its text */
#define THINNEST 0.8       /* of a bar above 0 */
#define LEGEND_SIDE 9.0
#define LEGEND_GAP 4.0
#define LEGEND_APART 12.0

static double head_draw(const struct page *p, double y)
{
	const double baseline = y + 12;

	p->canvas->part = "head";
	page_text(p, NAME_LEFT, baseline, TYPE_SUBTITLE, ALIGN_LEFT, "run");
	page_text(p, GPUS_RIGHT, baseline, TYPE_SUBTITLE, ALIGN_RIGHT, "GPUs");
	page_text(p, HOURS_RIGHT, baseline, TYPE_SUBTITLE, ALIGN_RIGHT, "hours");
	page_text(p, BAR_LEFT, baseline, TYPE_SUBTITLE, ALIGN_LEFT, "how its GPU time went");
	page_text(p, LOST_LEFT, baseline, TYPE_SUBTITLE, ALIGN_LEFT, arena_print(p->mem, "%s lost", p->fleet->unit));
	page_text(p, CAUSE_LEFT, baseline, TYPE_SUBTITLE, ALIGN_LEFT, "main cause");
	page_level(p, PAGE_LEFT, PAGE_RIGHT, y + HEAD_HEIGHT - 4, HUE_RULE);
	return y + HEAD_HEIGHT;
}

/* From one share to the next; what would be thinner than its gap is not drawn. */
static void part_draw(const struct page *p, double y, double from, double to, enum hue hue)
{
	const double x = BAR_LEFT + BAR_WIDTH * from, width = BAR_WIDTH * (to - from) - PART_GAP;

	if (width > 0)
		page_box(p, x, y, width, BAR_HEIGHT, hue);
}

static void bar_draw(const struct page *p, double y, const struct fleet_row *row)
{
	const double rest = BAR_WIDTH * (1 - row->overhead_end) - PART_GAP;

	part_draw(p, y, 0, row->normal_end, HUE_GPU);
	part_draw(p, y, row->normal_end, row->critical_end, HUE_CRITICAL);
	part_draw(p, y, row->critical_end, row->warning_end, HUE_WARNING);
	part_draw(p, y, row->warning_end, row->note_end, HUE_NOTE);
	part_draw(p, y, row->note_end, row->suppressed_end, HUE_CLOCK); /* as on the card */
	part_draw(p, y, row->suppressed_end, row->overhead_end, HUE_OVERHEAD);
	if (rest > 0)
		page_hatch(p, BAR_LEFT + BAR_WIDTH * row->overhead_end, y, rest, BAR_HEIGHT);
}

/* False: it has none of its own, as a healthy run. */
static bool severity_of_row(const struct fleet_row *row, enum severity *severity)
{
	return severity_find(slice_of(row->severity), severity);
}

static void lost_draw(const struct page *p, double y, const struct fleet_row *row)
{
	enum severity severity;
	const enum hue hue = severity_of_row(row, &severity) ? severity_looks[severity].hue : HUE_OVERHEAD;
	const double width = fmax(LOST_WIDTH * row->lost_bar, THINNEST);

	page_box(p, LOST_LEFT, y + (ROW_PITCH - BAR_HEIGHT) / 2, width, BAR_HEIGHT, hue);
	page_text(p, LOST_LEFT + width + LOST_GAP, y + ROW_BASELINE, TYPE_LABEL, ALIGN_LEFT, row->lost);
}

static void cause_draw(const struct page *p, double y, const struct fleet_row *row)
{
	enum severity severity;

	if (!severity_of_row(row, &severity)) {
		const bool is_healthy = strcmp(row->severity, "healthy") == 0;
		page_text_in(p, CAUSE_LEFT, y + ROW_BASELINE, TYPE_AXIS, ALIGN_LEFT, page_hue(p, is_healthy ? HUE_HEALTHY : HUE_INK3),
			page_cut_end(p, TYPE_AXIS, row->cause, PAGE_RIGHT - CAUSE_LEFT));
		return;
	}
	const double middle = CAUSE_LEFT + MARK_RADIUS + 1, x = middle + MARK_GAP;
	page_mark(p, middle, y + ROW_PITCH / 2, MARK_RADIUS, severity);
	page_text(p, x, y + ROW_BASELINE, TYPE_AXIS, ALIGN_LEFT, page_cut_end(p, TYPE_AXIS, row->cause, PAGE_RIGHT - x));
}

static void stripe_draw(const struct page *p, double y, size_t i)
{
	if (i % 2)
		page_box(p, PAGE_LEFT, y, PAGE_RIGHT - PAGE_LEFT, ROW_PITCH, HUE_TINT);
}

static void row_draw(const struct page *p, double y, size_t i, const struct fleet_row *row)
{
	const enum type type = row->is_first ? TYPE_LABEL : TYPE_LANE;
	const double baseline = y + ROW_BASELINE;

	p->canvas->part = "row";
	stripe_draw(p, y, i);
	page_text(p, RANK_RIGHT, baseline, TYPE_SUBTITLE, ALIGN_RIGHT, arena_print(p->mem, "%zu", row->rank));
	page_text(p, NAME_LEFT, baseline, type, ALIGN_LEFT, page_cut_middle(p, type, row->id, GPUS_RIGHT - NUMBER_WIDTH - NAME_LEFT));
	page_text(p, GPUS_RIGHT, baseline, TYPE_AXIS, ALIGN_RIGHT, row->gpus);
	page_text(p, HOURS_RIGHT, baseline, TYPE_AXIS, ALIGN_RIGHT, row->hours);
	bar_draw(p, y + (ROW_PITCH - BAR_HEIGHT) / 2, row);
	lost_draw(p, y, row);
	cause_draw(p, y, row);
}

static double rows_draw(const struct page *p, double y)
{
	const struct fleet_told *const fleet = p->fleet;

	for (size_t i = 0; i < fleet->n_rows; i++, y += ROW_PITCH)
		row_draw(p, y, i, &fleet->rows[i]);
	if (!fleet->more_rows)
		return y;
	p->canvas->part = "more";
	stripe_draw(p, y, fleet->n_rows);
	page_text(p, NAME_LEFT, y + ROW_BASELINE, TYPE_AXIS, ALIGN_LEFT, fleet->more_rows);
	page_text(p, LOST_LEFT + THINNEST + LOST_GAP, y + ROW_BASELINE, TYPE_LABEL, ALIGN_LEFT, fleet->more_lost);
	return y + ROW_PITCH;
}

static double legend_text(const struct page *p, double x, double y, const char *text)
{
	page_text(p, x, y + LEGEND_SIDE - 1.2, TYPE_AXIS, ALIGN_LEFT, text);
	return x + page_text_width(p, TYPE_AXIS, text) + LEGEND_APART;
}

static double legend_item(const struct page *p, double x, double y, enum hue hue, const char *text)
{
	page_box(p, x, y, LEGEND_SIDE, LEGEND_SIDE, hue);
	return legend_text(p, x + LEGEND_SIDE + LEGEND_GAP, y, text);
}

static double legend_draw(const struct page *p, double y)
{
	const double left = p->fleet->has_suppressed ? NAME_LEFT : BAR_LEFT; /* one more has no room below the bars */

	p->canvas->part = "legend";
	double x = legend_item(p, left, y, HUE_GPU, "normal speed");
	for (enum severity s = SEVERITY_CRITICAL; s > SEVERITY_NOTE; s--, x += LEGEND_SIDE + 1)
		page_box(p, x, y, LEGEND_SIDE, LEGEND_SIDE, severity_looks[s].hue);
	x = legend_item(p, x, y, HUE_NOTE, "lost: critical, warning, note");
	if (p->fleet->has_suppressed)
		x = legend_item(p, x, y, HUE_CLOCK, "suppressed");
	x = legend_item(p, x, y, HUE_OVERHEAD, "start, end, pauses");
	page_hatch(p, x, y, LEGEND_SIDE, LEGEND_SIDE);
	legend_text(p, x + LEGEND_SIDE + LEGEND_GAP, y, "no log");
	return y + LEGEND_SIDE;
}

#define FOOTER_LINE 11.0

static double fleet_footer_draw(const struct page *p, double y)
{
	const char *const right = arena_print(p->mem, "%s · fleet", p->fleet->program);
	const double width = PAGE_RIGHT - PAGE_LEFT - page_text_width(p, TYPE_FOOTER, right) - 16;
	const struct wrapped left = page_wrap(p, TYPE_FOOTER, page_curved(p, p->fleet->footnote), width, 2);

	p->canvas->part = "footer";
	page_level(p, PAGE_LEFT, PAGE_RIGHT, y, HUE_RULE);
	page_text(p, PAGE_RIGHT, y + FOOTER_LINE, TYPE_FOOTER, ALIGN_RIGHT, right);
	for (size_t i = 0; i < left.n; i++)
		page_text(p, PAGE_LEFT, y + FOOTER_LINE * (double)(i + 1), TYPE_FOOTER, ALIGN_LEFT, left.line[i]);
	return y + FOOTER_LINE * (double)(left.n ? left.n : 1);
}

double fleet_draw(const struct page *p)
{
	const struct figure head = { .title = p->fleet->title, .subtitle = p->fleet->subtitle };

	p->canvas->part = "title";
	const double rows = head_draw(p, heading_draw(p, &head) + 12), legend = rows_draw(p, rows) + 7;
	return fleet_footer_draw(p, legend_draw(p, legend) + 8) + PAGE_BOTTOM;
}
