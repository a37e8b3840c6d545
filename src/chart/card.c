/*
 * card.c - the picture for a ticket: verdict, key figures, where the time went, findings, evidence.
 *
 * It may be 900 u high. What is over that goes in this order: the fourth finding; the close-up; line panels from the
 * last, which says least of the findings, all of them are in the timeline too; the map of busy where there is one of
 * power, which shows idle GPUs as well; further findings but the first; why clocks were held down; and only then the
 * panel that shows what the first finding is about. What has room in the end comes back.
 */
#include "chart/charts.h"
#include "chart/head.h"
#include "chart/stack.h"

#define MAX_HEIGHT 900.0

static const double panel_heights[N_PANEL_KINDS] = {
	[PANEL_BUSY] = 92,
	[PANEL_MEMORY] = 46,
	[PANEL_TEMPERATURE] = 50,
	[PANEL_MARGIN] = 40,
	[PANEL_POWER] = 48,
	[PANEL_CLOCK] = 44,
	[PANEL_HOST_MEMORY] = 46,
};

struct plan {
	size_t max_findings;
	bool no_closeup;
	bool *left_out; /* beside the card's panels */
};

static bool has_closeup(const struct page *p, const struct plan *plan)
{
	return p->report->card.closeup.gpu && !plan->no_closeup;
}

static double body_draw(const struct page *p, const struct plan *plan)
{
	const struct figure *const figure = &p->report->card;
	struct stack stack = stack_new(p, figure, panel_heights);
	double y = verdict_draw(p, PAGE_TOP);
	y = key_figures_draw(p, y + 8);
	y = ledger_draw(p, y + 10);
	y = findings_draw(p, y + 9, plan->max_findings) + 3;
	page_level(p, PAGE_LEFT, PAGE_RIGHT, y, HUE_RULE);
	stack.closeup = has_closeup(p, plan) ? &figure->closeup : NULL;
	y = stack_draw(&stack, figure, plan->left_out, y + 7);
	if (stack.closeup)
		y = closeup_draw(p, stack.closeup, y + PANEL_GAP);
	return footer_draw(p, y + 6) + PAGE_BOTTOM;
}

static bool is_in_timeline(enum panel_kind kind)
{
	return kind == PANEL_MEMORY || kind == PANEL_TEMPERATURE || kind == PANEL_POWER || kind == PANEL_CLOCK || kind == PANEL_HOST_MEMORY;
}

static bool throttle_leave_out(const struct page *p, struct plan *plan)
{
	for (size_t i = 0; i < p->report->card.n_panels; i++)
		if (p->report->card.panels[i].kind == PANEL_THROTTLE && !plan->left_out[i])
			return plan->left_out[i] = true;
	return false;
}

/* From the last to the one at `first`. */
static bool line_panel_leave_out(const struct page *p, struct plan *plan, size_t first)
{
	for (size_t i = p->report->card.n_panels; i-- > first;)
		if (is_in_timeline(p->report->card.panels[i].kind) && !plan->left_out[i])
			return plan->left_out[i] = true;
	return false;
}

/* Of two maps the first. */
static bool busy_map_leave_out(const struct page *p, struct plan *plan)
{
	const struct figure *const card = &p->report->card;
	for (size_t i = 0; i + 1 < card->n_panels; i++)
		if (card->panels[i].kind == PANEL_HEAT && card->panels[i + 1].kind == PANEL_HEAT && !plan->left_out[i])
			return plan->left_out[i] = true;
	return false;
}

static bool leave_something_out(const struct page *p, struct plan *plan)
{
	const size_t foremost = p->report->card.n_telling > 1 ? 2 : 0;
	if (plan->max_findings > p->report->n_findings)
		plan->max_findings = p->report->n_findings;
	if (plan->max_findings == MAX_LISTED_FINDINGS)
		return plan->max_findings--;
	if (has_closeup(p, plan))
		return plan->no_closeup = true;
	if (line_panel_leave_out(p, plan, foremost))
		return true;
	if (plan->max_findings > 1 && busy_map_leave_out(p, plan))
		return true;
	if (plan->max_findings > 1)
		return plan->max_findings--;
	return throttle_leave_out(p, plan) || line_panel_leave_out(p, plan, 0);
}

static bool fits(const struct page *trial, const struct plan *plan)
{
	return body_draw(trial, plan) <= MAX_HEIGHT;
}

/* What went last may have been large: of what went before, the foremost that has room now comes back. */
static void put_back(const struct page *trial, struct plan *plan)
{
	const size_t n_findings = trial->report->n_findings < MAX_LISTED_FINDINGS ? trial->report->n_findings : MAX_LISTED_FINDINGS;
	while (plan->max_findings < n_findings) {
		plan->max_findings++;
		if (fits(trial, plan))
			continue;
		plan->max_findings--;
		break;
	}
	for (size_t i = 0; i < trial->report->card.n_panels; i++)
		if (plan->left_out[i]) {
			plan->left_out[i] = false;
			plan->left_out[i] = !fits(trial, plan);
		}
}

double card_draw(const struct page *p)
{
	struct plan plan = { .max_findings = MAX_LISTED_FINDINGS, .left_out = NEW_ARRAY(p->mem, bool, p->report->card.n_panels) };
	struct page trial = *p;
	trial.canvas = canvas_text_new(p->mem, p->canvas->font, NULL);
	trial.measuring = true;
	bool is_whole = true;
	while (!fits(&trial, &plan) && leave_something_out(p, &plan))
		is_whole = false;
	if (!is_whole)
		put_back(&trial, &plan);
	return body_draw(p, &plan);
}
