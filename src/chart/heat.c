/*
 * heat.c - one row a GPU, coloured by its value in each 1 u of time: how busy it was, or how much of its
 * power limit it drew.
 *
 * Nothing is hidden in thin rows: where GPUs outnumber what can be seen, several share a row
 * and the least busy of them gives the colour.
 */
#include "chart/stack.h"
#include <math.h>

#define N_CELLS ((size_t)PLOT_WIDTH)
#define MAX_ROWS 160
#define ROW_GAP 0.5
#define MIN_ROW_WITH_GAP 5.0
#define KEY_STEPS 44
#define KEY_HEIGHT 5.0

struct heat {
	const struct stack *stack;
	const struct panel *panel;
	double y, row;
	size_t n_rows, group; /* GPUs a row */
};

static void heat_key_draw(const struct heat *h)
{
	const struct page *const p = h->stack->page;
	const double step = GUTTER_WIDTH / KEY_STEPS;
	for (int i = 0; i < KEY_STEPS; i++)
		p->canvas->verbs->cell(p->canvas, (struct box){ GUTTER_LEFT + step * i, h->y + 1, step, KEY_HEIGHT },
			heat_colour(p->theme, heat_level((i + 0.5) / KEY_STEPS)));
	page_text(p, GUTTER_LEFT, h->y + 15, TYPE_FOOTER, ALIGN_LEFT, h->panel->label.name);
	page_text(p, PAGE_RIGHT, h->y + 15, TYPE_FOOTER, ALIGN_RIGHT, h->panel->label.statistic);
	if (h->group > 1) {
		page_text(p, GUTTER_LEFT, h->y + 27, TYPE_FOOTER, ALIGN_LEFT, arena_print(p->mem, "1 row = %zu GPUs,", h->group));
		page_text(p, GUTTER_LEFT, h->y + 37, TYPE_FOOTER, ALIGN_LEFT, "the least busy");
	}
}

/* The lowest mean of the GPUs of a row, cell by cell; NAN where none is known. */
static const double *row_values(const struct heat *h, struct arena *scratch, size_t row)
{
	double *lowest = NEW_ARRAY(scratch, double, N_CELLS);
	for (size_t k = 0; k < N_CELLS; k++)
		lowest[k] = NAN;
	for (size_t g = row * h->group; g < (row + 1) * h->group && g < h->panel->n_gpus; g++) {
		if (!h->panel->gpus[g])
			continue;
		const struct bins bins = bins_of(scratch, h->panel->gpus[g], NULL, h->stack->span, N_CELLS, h->panel->scale);
		for (size_t k = 0; k < N_CELLS; k++)
			lowest[k] = fmin(lowest[k], bins.mean[k]); /* fmin passes over NAN */
	}
	return lowest;
}

#define UNKNOWN_LEVEL (-1)

static int cell_level(const struct heat *h, double value)
{
	return isnan(value) ? UNKNOWN_LEVEL : heat_level((value - h->panel->low) / (h->panel->high - h->panel->low));
}

/* Neighbouring cells of one colour are one box. */
static void row_draw(const struct heat *h, const double *values, double y, double height)
{
	const struct page *const p = h->stack->page;
	for (size_t begin = 0, end; begin < N_CELLS; begin = end) {
		const int level = cell_level(h, values[begin]);
		for (end = begin + 1; end < N_CELLS && cell_level(h, values[end]) == level;)
			end++;
		const struct box b = { PLOT_LEFT + (double)begin, y, (double)(end - begin), height };
		if (level == UNKNOWN_LEVEL)
			page_hatch(p, b.x, b.y, b.w, b.h);
		else
			p->canvas->verbs->cell(p->canvas, b, heat_colour(p->theme, level));
	}
}

static void rows_draw(const struct heat *h)
{
	size_t *first = NEW_ARRAY(h->stack->page->mem, size_t, h->n_rows);
	struct arena scratch;
	for (size_t row = 0; row < h->n_rows; row++) {
		first[row] = row * h->group;
		arena_init(&scratch);
		row_draw(h, row_values(h, &scratch, row), h->y + h->row * (double)row, h->row - (h->row < MIN_ROW_WITH_GAP ? 0 : ROW_GAP));
		arena_release(&scratch);
	}
	row_labels_draw(h->stack, first, h->n_rows, h->y, h->row);
}

double heat_panel_draw(const struct stack *s, const struct panel *panel, double y)
{
	struct heat h = { .stack = s, .panel = panel, .y = y + MAP_TITLE_HEIGHT };
	h.group = (panel->n_gpus + MAX_ROWS - 1) / MAX_ROWS;
	h.n_rows = panel->n_gpus ? (panel->n_gpus + h.group - 1) / h.group : 0;
	h.row = h.n_rows ? row_height(h.n_rows) : 0;
	const double height = h.row * (double)h.n_rows;
	if (!s->page->measuring) {
		panel_title(s->page, panel, y);
		rows_draw(&h);
		holes_draw(s, panel->holes, h.y, height);
		heat_key_draw(&h);
	}
	return h.y + height;
}
