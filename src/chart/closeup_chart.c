/* closeup_chart.c - a stretch of the run below the panels, each sample a step; its place is boxed on the busy panel. */
#include "chart/stack.h"

#define PLOT_HEIGHT 52.0
#define LINE 1.2
#define BOX_LINE 0.9

static double level_y(double top, fixed value)
{
	const double percent = fixed_value(value);
	return top + PLOT_HEIGHT * (1 - (percent < 0 ? 0 : percent > 100 ? 100 : percent) / 100);
}

static void frame_draw(const struct stack *s, double top)
{
	const struct page *const p = s->page;
	const struct value_ticks ticks = ticks_percent(PLOT_HEIGHT);
	for (size_t i = 0; i < s->ticks.n; i++)
		page_upright(p, stack_x(s, s->ticks.at[i]), top, top + PLOT_HEIGHT, HUE_GRID);
	for (size_t i = 0; i < ticks.n; i++) {
		const double y = top + PLOT_HEIGHT * (1 - ticks.at[i] / 100);
		page_level(p, PLOT_LEFT, PLOT_RIGHT, y, ticks.at[i] > 0 ? HUE_GRID : HUE_AXIS);
		page_text(p, PLOT_LEFT - 5, y + 3.1, TYPE_AXIS, ALIGN_RIGHT, number_text(p->mem, ticks.at[i], ticks.decimals));
	}
}

/* Each sample holds until the next: a step, as wide as it holds. */
static void steps_draw(const struct stack *s, const struct track *t, double top)
{
	const struct page *const p = s->page;
	size_t n = 1, i = track_seek(t, s->span.begin);
	struct point *at = NEW_ARRAY(p->mem, struct point, 2 * (track_seek(t, s->span.end) - i) + 4);
	double x0, x1;
	if (i > 0 && (i == t->n || track_time(t, i) > s->span.begin))
		i--; /* it still holds when the close-up begins */
	for (; i < t->n && track_time(t, i) < s->span.end; i++) {
		if (track_value(t, i) == FIXED_MISSING ||
			!stack_stretch(s, (struct span){ track_time(t, i), track_until(t, i) }, 0, &x0, &x1))
			continue;
		at[n++] = (struct point){ x0, level_y(top, track_value(t, i)) };
		at[n++] = (struct point){ x1, level_y(top, track_value(t, i)) };
	}
	if (n == 1)
		return;
	at[0] = (struct point){ at[1].x, top + PLOT_HEIGHT };
	at[n] = (struct point){ at[n - 1].x, top + PLOT_HEIGHT };
	p->canvas->verbs->polygon(p->canvas, at, n + 1, 0, faded(page_hue(p, HUE_GPU), p->theme->band));
	p->canvas->verbs->polyline(p->canvas, at + 1, n - 1, (struct pen){ .colour = page_hue(p, HUE_GPU), .width = LINE });
}

double closeup_draw(const struct page *p, const struct closeup *c, double y)
{
	const double top = y + TITLE_HEIGHT;
	const struct stack s = { .page = p, .span = c->span, .ticks = ticks_clock(c->span, PLOT_WIDTH) };
	if (!p->measuring) {
		panel_title(p, &(struct panel){ .title = "Close-up" }, c->subtitle, y);
		frame_draw(&s, top);
		steps_draw(&s, c->gpu, top);
		page_text_in(p, GUTTER_LEFT, top + PLOT_HEIGHT / 2 - 2, TYPE_LABEL, ALIGN_LEFT, page_hue(p, HUE_GPU),
			page_cut_end(p, TYPE_LABEL, c->label.name, GUTTER_WIDTH));
		page_text(p, GUTTER_LEFT, top + PLOT_HEIGHT / 2 + 8, TYPE_STATISTIC, ALIGN_LEFT, c->label.statistic);
	}
	return clock_ticks_draw(&s, top + PLOT_HEIGHT);
}

void closeup_box_draw(const struct stack *s, const struct closeup *c, double y, double h)
{
	double x0, x1;
	if (!stack_stretch(s, c->span, 2, &x0, &x1))
		return;
	const struct point box[] = { { x0, y - 1 }, { x1, y - 1 }, { x1, y + h + 1 }, { x0, y + h + 1 }, { x0, y - 1 } };
	s->page->canvas->verbs->polyline(s->page->canvas, box, 5, (struct pen){ .colour = page_hue(s->page, HUE_INK2), .width = BOX_LINE });
}
