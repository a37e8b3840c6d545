/* axis.c - the two time axes: elapsed above the panels, clock and date below them. */
#include "chart/stack.h"
#include <math.h>

#define ELAPSED_HEIGHT 17.0
#define CLOCK_HEIGHT 28.0
#define TICKS_HEIGHT 16.0
#define OVERHANG 8.0 /* how far a label may leave the plot */

double elapsed_axis_draw(const struct stack *s, double y)
{
	const struct page *const p = s->page;
	p->canvas->part = "elapsed axis";
	const struct time_ticks ticks = ticks_elapsed(s->span, PLOT_WIDTH);
	const double word_end = fmax(PLOT_LEFT - 5, PAGE_LEFT + page_text_width(p, TYPE_FOOTER, "elapsed"));
	page_text_in(p, word_end, y + 9, TYPE_FOOTER, ALIGN_RIGHT, page_hue(p, HUE_INK3), "elapsed");
	for (size_t i = 0; i < ticks.n; i++) {
		const double x = stack_x(s, ticks.at[i]);
		page_upright(p, x, y + 11, y + 14, HUE_AXIS);
		page_text(p, x, y + 9, TYPE_FOOTER, i ? ALIGN_CENTRE : ALIGN_LEFT,
			elapsed_label(p->mem, ticks.at[i] - s->span.begin, ticks.step));
	}
	return y + ELAPSED_HEIGHT;
}

#define LABEL_GAP 12.0 /* less looks like one label */

/* Pushed back over the plot, but not so far that it comes near its neighbour. */
static double label_middle(double x, double width, double apart)
{
	const double push = fmax(0, fmin(fmax(PLOT_LEFT - OVERHANG - (x - width / 2), x + width / 2 - PLOT_RIGHT - OVERHANG),
		apart - width - LABEL_GAP));
	return x < (PLOT_LEFT + PLOT_RIGHT) / 2 ? x + push : x - push;
}

static void clock_labels(const struct stack *s, double y)
{
	const struct page *const p = s->page;
	const double apart = (double)s->ticks.step / (double)span_length(s->span) * PLOT_WIDTH;
	for (size_t i = 0; i < s->ticks.n; i++) {
		const char *const text = clock_label(p->mem, s->ticks.at[i], s->ticks.step);
		const double x = stack_x(s, s->ticks.at[i]);
		page_upright(p, x, y, y + 3, HUE_AXIS);
		page_text(p, label_middle(x, page_text_width(p, TYPE_AXIS, text), apart), y + 12.5, TYPE_AXIS, ALIGN_CENTRE, text);
	}
}

/* "Tue 14 May 2024" first, then each new day, "day 2" where no log names it; years where the labels above are days already. */
static const char *second_line(const struct page *p, time_ms t, time_ms step, bool first)
{
	if (p->report->day_unknown)
		return time_day_number(p->mem, t);
	if (step >= DAY_MS)
		return arena_print(p->mem, "%d", civil_from_time(t).year);
	return date_label(p->mem, t, first);
}

static bool is_news(time_ms t, time_ms last, time_ms step)
{
	const struct civil a = civil_from_time(t), b = civil_from_time(last);
	return a.year != b.year || (step < DAY_MS && (a.month != b.month || a.day != b.day));
}

static void date_labels(const struct stack *s, double y)
{
	const struct page *const p = s->page;
	double end = -1;
	time_ms last = TIME_UNKNOWN;
	for (size_t i = 0; i < s->ticks.n || (i == 0 && s->ticks.n == 0); i++) {
		const time_ms t = s->ticks.n ? s->ticks.at[i] : s->span.begin;
		if (last != TIME_UNKNOWN && !is_news(t, last, s->ticks.step))
			continue;
		const char *const text = second_line(p, t, s->ticks.step, last == TIME_UNKNOWN);
		const double width = page_text_width(p, TYPE_DATE, text);
		const double x = fmin(fmax(stack_x(s, t) - width / 2, PLOT_LEFT - 10), PLOT_RIGHT - width);
		if (x < end + 6)
			continue;
		page_text(p, x, y, TYPE_DATE, ALIGN_LEFT, text);
		end = x + width;
		last = t;
	}
}

double clock_ticks_draw(const struct stack *s, double y)
{
	clock_labels(s, y);
	return y + TICKS_HEIGHT;
}

double clock_axis_draw(const struct stack *s, double y)
{
	const struct page *const p = s->page;
	p->canvas->part = "clock axis";
	clock_labels(s, y);
	date_labels(s, y + 24);
	if (p->report->time_basis)
		page_text_in(p, GUTTER_LEFT, y + 24, TYPE_FOOTER, ALIGN_LEFT, page_hue(p, HUE_INK3),
			page_cut_end(p, TYPE_FOOTER, p->report->time_basis, GUTTER_WIDTH));
	return y + CLOCK_HEIGHT;
}
