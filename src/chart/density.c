/*
 * density.c - how many GPUs are how busy: time across, busy in 20 levels upwards, a cell darker the more GPUs are there.
 *
 * The shade goes by the square root of the number, so that a single GPU among thousands is seen.
 */
#include "chart/stack.h"
#include <math.h>

#define N_CELLS ((size_t)PLOT_WIDTH)
#define N_LEVELS ((size_t)20)
#define MAP_HEIGHT 150.0
#define LEAST_SHADE 0.12 /* of one GPU */
#define KEY_STEPS 44
#define KEY_HEIGHT 5.0

static size_t level_of(double percent)
{
	const double level = floor(percent / (100.0 / N_LEVELS));
	return level < 0 ? 0 : level >= (double)N_LEVELS ? N_LEVELS - 1 : (size_t)level;
}

/* GPUs by cell and level: N_CELLS x N_LEVELS. */
static const uint32_t *count_gpus(const struct stack *s, const struct panel *panel)
{
	uint32_t *count = NEW_ARRAY(s->page->mem, uint32_t, N_CELLS * N_LEVELS);
	struct arena scratch;
	stack_bins_make(s, panel, NULL, N_CELLS);
	for (size_t g = 0; g < panel->n_gpus; g++) {
		if (!panel->gpus[g])
			continue;
		arena_init(&scratch);
		const struct bins bins = *stack_bins(s, &scratch, panel->gpus[g], NULL, N_CELLS, panel->scale);
		for (size_t k = 0; k < N_CELLS; k++)
			if (!isnan(bins.mean[k]))
				count[k * N_LEVELS + level_of(bins.mean[k])]++;
		arena_release(&scratch);
	}
	return count;
}

static struct colour shade(const struct page *p, const struct panel *panel, uint32_t n)
{
	const double share = sqrt((double)n / (double)panel->n_gpus);
	return faded(page_hue(p, HUE_GPU), fmin(1, LEAST_SHADE + (1 - LEAST_SHADE) * share));
}

static void cells_draw(const struct stack *s, const struct panel *panel, const uint32_t *count, double y)
{
	const struct page *const p = s->page;
	const double h = MAP_HEIGHT / N_LEVELS;
	for (size_t level = 0; level < N_LEVELS; level++)
		for (size_t begin = 0, end; begin < N_CELLS; begin = end) {
			const uint32_t n = count[begin * N_LEVELS + level];
			for (end = begin + 1; end < N_CELLS && count[end * N_LEVELS + level] == n;)
				end++;
			const double top = y + MAP_HEIGHT - h * (double)(level + 1);
			const struct box b = { PLOT_LEFT + (double)begin, top, (double)(end - begin), h };
			if (n)
				p->canvas->verbs->cell(p->canvas, b, shade(p, panel, n));
		}
}

static void scale_draw(const struct stack *s, double y)
{
	const struct page *const p = s->page;
	const struct value_ticks ticks = ticks_percent(MAP_HEIGHT);
	for (size_t i = 0; i < ticks.n; i++) {
		const double level = y + MAP_HEIGHT * (1 - ticks.at[i] / 100);
		page_level(p, PLOT_LEFT, PLOT_RIGHT, level, ticks.at[i] > 0 ? HUE_GRID : HUE_AXIS);
		page_text(p, PLOT_LEFT - 5, level + 3.1, TYPE_AXIS, ALIGN_RIGHT, number_text(p->mem, ticks.at[i], ticks.decimals));
	}
}

static void key_draw(const struct page *p, const struct panel *panel, double y)
{
	const double step = GUTTER_WIDTH / KEY_STEPS;
	for (int i = 0; i < KEY_STEPS; i++) {
		const double share = (i + 0.5) / KEY_STEPS; /* even steps of shade: the numbers below are not evenly spaced */
		p->canvas->verbs->cell(p->canvas, (struct box){ GUTTER_LEFT + step * i, y + 1, step, KEY_HEIGHT },
			shade(p, panel, (uint32_t)(share * share * (double)panel->n_gpus)));
	}
	page_text(p, GUTTER_LEFT, y + 15, TYPE_FOOTER, ALIGN_LEFT, panel->label.name);
	page_text(p, PAGE_RIGHT, y + 15, TYPE_FOOTER, ALIGN_RIGHT, panel->label.statistic);
}

double density_panel_draw(const struct stack *s, const struct panel *panel, double y)
{
	const double top = y + TITLE_HEIGHT;
	if (!s->page->measuring) {
		panel_title(s->page, panel, panel->subtitle, y);
		scale_draw(s, top);
		cells_draw(s, panel, count_gpus(s, panel), top);
		holes_draw(s, panel->holes, top, MAP_HEIGHT);
		key_draw(s->page, panel, top);
	}
	return top + MAP_HEIGHT;
}
