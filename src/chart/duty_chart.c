/*
 * duty_chart.c - how GPU time divides by how busy the GPUs were: bars of 5 % at the left, idle spells by length at the right.
 */
#include "chart/charts.h"
#include "chart/head.h"
#include "chart/stack.h"
#include <math.h>

#define BARS_RIGHT 400.0
#define BARS_HEIGHT 160.0
#define HEAD_ROOM 1.08 /* over the highest bar, for its number */
#define BAR_PITCH ((BARS_RIGHT - PLOT_LEFT) / DUTY_BARS)
#define SPELLS_LEFT 440.0
#define SPELL_BAR_LEFT 512.0
#define SPELL_BAR_WIDTH 76.0
#define SPELL_PITCH 24.0
#define SPELL_GAP 6.0 /* from a bar to its text */
#define IDLE_SHADE 0.02

static double bar_top(const struct duty *d, double y, size_t i)
{
	return y + BARS_HEIGHT * (1 - d->bars[i] / (d->highest * HEAD_ROOM));
}

static void axes_draw(const struct page *p, const struct duty *d, double y)
{
	const double top = d->highest * HEAD_ROOM;
	const struct value_ticks ticks = ticks_value(0, top, BARS_HEIGHT / 2);
	for (size_t i = 0; i < ticks.n; i++) {
		const double level = y + BARS_HEIGHT * (1 - ticks.at[i] / top);
		page_level(p, PLOT_LEFT, BARS_RIGHT, level, HUE_GRID);
		page_text(p, PLOT_LEFT - 5, level + 3.1, TYPE_AXIS, ALIGN_RIGHT, number_text(p->mem, ticks.at[i], ticks.decimals));
	}
	for (int percent = 0; percent <= 100; percent += 25)
		page_text(p, PLOT_LEFT + (BARS_RIGHT - PLOT_LEFT) * percent / 100, y + BARS_HEIGHT + 12, TYPE_AXIS, ALIGN_CENTRE,
			arena_print(p->mem, "%d", percent));
}

static bool boxes_touch(struct box a, struct box b)
{
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static struct box bar_box(const struct duty *d, double y, size_t i)
{
	const double top = bar_top(d, y, i);

	return (struct box){ PLOT_LEFT + BAR_PITCH * (double)i + 0.5, top, BAR_PITCH - 1, y + BARS_HEIGHT - top };
}

static bool touches_any(const struct box *others, size_t n, struct box b)
{
	for (size_t i = 0; i < n; i++)
		if (boxes_touch(others[i], b))
			return true;
	return false;
}

/* Over the middle of its bar; else as far to a side as a higher neighbour asks for. False: there is no room. */
static bool find_place(const struct box *bars, const struct box *placed, size_t n_placed, size_t bar, struct box *label)
{
	const double middle = bars[bar].x + bars[bar].w / 2 - label->w / 2, spare = (label->w - bars[bar].w) / 2;
	const double at[] = { middle, middle - spare, middle + spare };

	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		label->x = fmax(at[i], PLOT_LEFT + 2); /* clear of the axis */
		if (!touches_any(bars, DUTY_BARS, *label) && !touches_any(placed, n_placed, *label))
			return true;
	}
	return false;
}

/* The highest first: where the numbers of neighbours would touch, the lower one has none. */
static void percents_draw(const struct page *p, const struct duty *d, double y)
{
	struct box bars[DUTY_BARS], placed[DUTY_BARS] = { { 0 } };
	bool done[DUTY_BARS] = { false };

	for (size_t i = 0; i < DUTY_BARS; i++)
		bars[i] = bar_box(d, y, i);
	for (size_t n = 0, n_placed = 0; n < DUTY_BARS; n++) {
		size_t best = DUTY_BARS;
		for (size_t i = 0; i < DUTY_BARS; i++)
			if (!done[i] && (best == DUTY_BARS || d->bars[i] > d->bars[best]))
				best = i;
		done[best] = true;
		if (!d->percents[best])
			continue;
		struct box label = { 0, bars[best].y - 10, page_text_width(p, TYPE_STATISTIC, d->percents[best]) + 2, 10 };
		if (!find_place(bars, placed, n_placed, best, &label))
			continue;
		placed[n_placed++] = label;
		page_text_haloed(p, label.x + label.w / 2, label.y + 7, TYPE_STATISTIC, ALIGN_CENTRE, d->percents[best]);
	}
}

static void bars_draw(const struct page *p, const struct duty *d, double y)
{
	axes_draw(p, d, y);
	for (size_t i = 0; i < DUTY_BARS; i++)
		if (d->bars[i] > 0)
			p->canvas->verbs->box(p->canvas, bar_box(d, y, i), 0, bar_colour(p->theme, ((double)i + 0.5) / DUTY_BARS));
	page_level(p, PLOT_LEFT, BARS_RIGHT, y + BARS_HEIGHT, HUE_AXIS);
	percents_draw(p, d, y);
}

static void spells_draw(const struct page *p, const struct duty *d, double y)
{
	double longest = 0, room = SPELL_BAR_WIDTH;
	for (size_t i = 0; i < DUTY_SPELLS; i++) {
		longest = fmax(longest, d->spells[i].time);
		room = fmin(room, PAGE_RIGHT - SPELL_BAR_LEFT - SPELL_GAP - page_text_width(p, TYPE_SUBLINE, d->spells[i].text));
	}
	for (size_t i = 0; i < DUTY_SPELLS; i++, y += SPELL_PITCH) {
		const double width = longest > 0 ? room * d->spells[i].time / longest : 0;
		page_text(p, SPELLS_LEFT, y + 9, TYPE_AXIS, ALIGN_LEFT, d->spells[i].label);
		if (width > 0)
			p->canvas->verbs->box(p->canvas, (struct box){ SPELL_BAR_LEFT, y, fmax(width, 1), 12 }, 0,
				bar_colour(p->theme, IDLE_SHADE));
		page_text(p, SPELL_BAR_LEFT + width + SPELL_GAP, y + 9, TYPE_SUBLINE, ALIGN_LEFT, d->spells[i].text);
	}
	const struct wrapped note = page_wrap(p, TYPE_SUBTITLE, d->note, PAGE_RIGHT - SPELLS_LEFT, 3);
	for (size_t i = 0; i < note.n; i++)
		page_text(p, SPELLS_LEFT, y + 12 + 12 * (double)i, TYPE_SUBTITLE, ALIGN_LEFT, note.line[i]);
}

double duty_draw(const struct page *p)
{
	const struct figure *const figure = &p->report->duty;
	const struct duty *const d = figure->panels[0].duty;
	double y = heading_draw(p, figure) + 12;
	page_text(p, PLOT_LEFT, y + 9, TYPE_TITLE, ALIGN_LEFT, d->title);
	page_text(p, SPELLS_LEFT, y + 9, TYPE_TITLE, ALIGN_LEFT, "Idle spells (busy < 10 %), by length");
	bars_draw(p, d, y + 18);
	spells_draw(p, d, y + 24);
	y += 18 + BARS_HEIGHT;
	page_text(p, (PLOT_LEFT + BARS_RIGHT) / 2, y + 25, TYPE_AXIS, ALIGN_CENTRE, figure->panels[0].title);
	return footer_draw(p, y + 38) + PAGE_BOTTOM;
}
