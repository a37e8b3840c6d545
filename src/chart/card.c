/*
 * card.c - the picture for a ticket: verdict, key figures, where the time went, findings, evidence.
 *
 * It may be 900 u high. What is over that goes in this order: the fourth finding; the panels of
 * memory, power, clock, temperature, which are in the timeline too; further findings but the first;
 * why clocks were held down.
 */
#include "chart/charts.h"
#include "chart/head.h"
#include "chart/stack.h"

#define MAX_HEIGHT 900.0

static const double panel_heights[] = {
	[PANEL_BUSY] = 92,
	[PANEL_MEMORY] = 46,
	[PANEL_TEMPERATURE] = 50,
	[PANEL_POWER] = 48,
	[PANEL_CLOCK] = 44,
};

struct plan {
	size_t max_findings;
	bool *left_out; /* beside the card's panels */
};

static double body_draw(const struct page *p, const struct plan *plan)
{
	const struct figure *const figure = &p->report->card;
	struct stack stack = stack_new(p, figure, panel_heights);
	double y = verdict_draw(p, PAGE_TOP);
	y = key_figures_draw(p, y + 8);
	y = ledger_draw(p, y + 10);
	y = findings_draw(p, y + 9, plan->max_findings) + 3;
	page_level(p, PAGE_LEFT, PAGE_RIGHT, y, HUE_RULE);
	y = stack_draw(&stack, figure, plan->left_out, y + 7);
	return footer_draw(p, y + 6) + PAGE_BOTTOM;
}

static bool panel_leave_out(const struct page *p, struct plan *plan, enum panel_kind kind)
{
	for (size_t i = 0; i < p->report->card.n_panels; i++)
		if (p->report->card.panels[i].kind == kind && !plan->left_out[i])
			return plan->left_out[i] = true;
	return false;
}

static bool leave_something_out(const struct page *p, struct plan *plan)
{
	static const enum panel_kind order[] = { PANEL_MEMORY, PANEL_POWER, PANEL_CLOCK, PANEL_TEMPERATURE };
	if (plan->max_findings > p->report->n_findings)
		plan->max_findings = p->report->n_findings;
	if (plan->max_findings == MAX_LISTED_FINDINGS)
		return plan->max_findings--;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (panel_leave_out(p, plan, order[i]))
			return true;
	if (plan->max_findings > 1)
		return plan->max_findings--;
	return panel_leave_out(p, plan, PANEL_THROTTLE);
}

double card_draw(const struct page *p)
{
	struct plan plan = { MAX_LISTED_FINDINGS, NEW_ARRAY(p->mem, bool, p->report->card.n_panels) };
	struct page trial = *p;
	trial.canvas = canvas_text_new(p->mem, p->canvas->font, NULL);
	trial.measuring = true;
	while (body_draw(&trial, &plan) > MAX_HEIGHT && leave_something_out(p, &plan))
		continue;
	return body_draw(p, &plan);
}
