/* phases.c - what the run was doing when, as one row: start, at work, dips, end. */
#include "chart/stack.h"

#define ROW 11.0
#define LEAST_WIDTH 1.0
#define PADDING 4.0
#define BASELINE 8.6
#define AT_WORK 0.16 /* of the GPU's colour: work is the ground on which the rest stands out */
#define NOT_AT_WORK 0.38

static struct colour phase_colour(const struct page *p, const struct report_phase *phase)
{
	const bool at_work = strcmp(phase->name, "steady") == 0;
	return at_work ? faded(page_hue(p, HUE_GPU), AT_WORK) : faded(page_hue(p, HUE_OVERHEAD), NOT_AT_WORK);
}

static void phase_draw(const struct stack *s, const struct report_phase *phase, double y)
{
	const struct page *const p = s->page;
	double x0, x1;
	if (!stack_stretch(s, (struct span){ phase->begin, phase->end }, LEAST_WIDTH, &x0, &x1))
		return;
	const double width = x1 - x0 > 2 * LEAST_WIDTH ? x1 - x0 - 0.5 : x1 - x0; /* a gap between phases */
	p->canvas->verbs->box(p->canvas, (struct box){ x0, y, width, ROW }, 0, phase_colour(p, phase));
	if (phase->label && page_text_width(p, TYPE_STATISTIC, phase->label) + 2 * PADDING <= x1 - x0)
		page_text(p, x0 + PADDING, y + BASELINE, TYPE_STATISTIC, ALIGN_LEFT, phase->label);
}

double phases_draw(const struct stack *s, double y)
{
	const struct report *const r = s->page->report;
	page_text_in(s->page, PLOT_LEFT - 5, y + BASELINE, TYPE_FOOTER, ALIGN_RIGHT, page_hue(s->page, HUE_INK3), "phases");
	for (size_t i = 0; i < r->n_phases; i++)
		phase_draw(s, &r->phases[i], y);
	return y + ROW;
}
