/*
 * heat.c - one row a GPU, coloured by its value in each 1 u of time: how busy it was, or how much of its
 * power limit it drew.
 *
 * Above 64 GPUs a row is a host, coloured by the mean of its GPUs, and single GPUs that findings name
 * have rows of their own below their host's. Where hosts are not known, or too many, several GPUs
 * share a row, and the least busy of them gives the colour: nothing is hidden in thin rows.
 */
#include "chart/stack.h"
#include <math.h>

#define N_CELLS ((size_t)PLOT_WIDTH)
#define MAX_ROWS 160
#define MAX_GPU_ROWS 64
#define MAX_NAMED 8
#define ROW_GAP 0.5
#define MIN_ROW_WITH_GAP 5.0
#define KEY_STEPS 44
#define KEY_HEIGHT 5.0

enum rows_of { ROWS_OF_GPUS, ROWS_OF_HOSTS, ROWS_OF_GROUPS };
struct heat_row {
	size_t begin, end; /* of report.run.gpus */
};
struct heat {
	const struct stack *stack;
	const struct panel *panel;
	double y, row;
	enum rows_of kind;
	struct heat_row *rows;
	size_t n_rows, group; /* GPUs a row, of groups */
};

/* ---- which rows ---- */

static size_t count_hosts(const struct page *p, size_t n_gpus)
{
	size_t n = n_gpus > 0;
	for (size_t g = 1; g < n_gpus; g++)
		n += !same_host(p, g - 1, g);
	return n;
}

/* GPUs of findings that are about a few of them: those of the foremost findings, up to MAX_NAMED. */
static const bool *named_gpus(const struct page *p, size_t n_gpus)
{
	const struct report *const r = p->report;
	bool *named = NEW_ARRAY(p->mem, bool, n_gpus);
	size_t n = 0;
	for (size_t f = 0; f < r->n_findings; f++)
		for (size_t i = 0; i < r->findings[f].entities.n && r->findings[f].entities.n <= MAX_NAMED; i++) {
			const size_t gpu = gpu_of(p, r->findings[f].entities.at[i]);
			if (gpu >= n_gpus || named[gpu] || n == MAX_NAMED)
				continue;
			named[gpu] = true;
			n++;
		}
	return named;
}

static void add_row(struct heat *h, size_t begin, size_t end)
{
	h->rows[h->n_rows++] = (struct heat_row){ begin, end };
}

static void rows_of_hosts(struct heat *h, const struct page *p, size_t n_gpus)
{
	const bool *const named = named_gpus(p, n_gpus);
	for (size_t begin = 0, end = 0; begin < n_gpus; begin = end) {
		while (end < n_gpus && same_host(p, begin, end))
			end++;
		add_row(h, begin, end);
		for (size_t g = begin; g < end; g++)
			if (named[g])
				add_row(h, g, g + 1);
	}
}

static void rows_choose(struct heat *h)
{
	const struct page *const p = h->stack->page;
	const size_t n = h->panel->n_gpus, n_hosts = count_hosts(p, n);
	h->rows = NEW_ARRAY(p->mem, struct heat_row, n + MAX_NAMED);
	h->group = (n + MAX_ROWS - 1) / MAX_ROWS;
	h->kind = n <= MAX_GPU_ROWS ? ROWS_OF_GPUS : n_hosts > 1 && n_hosts <= MAX_ROWS - MAX_NAMED ? ROWS_OF_HOSTS : ROWS_OF_GROUPS;
	if (h->kind == ROWS_OF_HOSTS)
		rows_of_hosts(h, p, n);
	else
		for (size_t g = 0; g < n; g += h->group)
			add_row(h, g, g + h->group < n ? g + h->group : n);
	h->row = h->n_rows ? row_height(h->n_rows) : 0;
}

/* ---- the map ---- */

static bool key_has_words(const struct heat *h)
{
	return h->kind == ROWS_OF_HOSTS || h->group > 1;
}

static void heat_key_draw(const struct heat *h)
{
	const struct page *const p = h->stack->page;
	const double step = GUTTER_WIDTH / KEY_STEPS;
	for (int i = 0; i < KEY_STEPS; i++)
		p->canvas->verbs->cell(p->canvas, (struct box){ GUTTER_LEFT + step * i, h->y + 1, step, KEY_HEIGHT },
			heat_colour(p->theme, heat_level((i + 0.5) / KEY_STEPS)));
	page_text(p, GUTTER_LEFT, h->y + 15, TYPE_FOOTER, ALIGN_LEFT, h->panel->label.name);
	page_text(p, PAGE_RIGHT, h->y + 15, TYPE_FOOTER, ALIGN_RIGHT, h->panel->label.statistic);
	if (!key_has_words(h))
		return;
	page_text(p, GUTTER_LEFT, h->y + 27, TYPE_FOOTER, ALIGN_LEFT,
		h->kind == ROWS_OF_HOSTS ? "1 row = 1 host," : arena_print(p->mem, "1 row = %zu GPUs,", h->group));
	page_text(p, GUTTER_LEFT, h->y + 37, TYPE_FOOTER, ALIGN_LEFT, h->kind == ROWS_OF_HOSTS ? "mean of its GPUs" : "the lowest of them");
}

/* Cell by cell the mean of a host's GPUs, of a group the lowest; NAN where none is known. */
static const double *row_values(const struct heat *h, struct arena *scratch, const struct heat_row *row)
{
	double *value = NEW_ARRAY(scratch, double, N_CELLS), *known = NEW_ARRAY(scratch, double, N_CELLS);
	for (size_t k = 0; k < N_CELLS; k++)
		value[k] = NAN;
	for (size_t g = row->begin; g < row->end; g++) {
		if (!h->panel->gpus[g])
			continue;
		const struct bins bins = *stack_bins(h->stack, scratch, h->panel->gpus[g], NULL, N_CELLS, h->panel->scale);
		for (size_t k = 0; k < N_CELLS; k++) {
			if (isnan(bins.mean[k]))
				continue;
			known[k]++;
			if (h->kind == ROWS_OF_HOSTS && !isnan(value[k]))
				value[k] += (bins.mean[k] - value[k]) / known[k];
			else
				value[k] = fmin(value[k], bins.mean[k]); /* fmin passes over NAN */
		}
	}
	return value;
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
		if (level == UNKNOWN_LEVEL && holes_cover(h->stack, h->panel->holes, b.x, b.x + b.w))
			continue;
		if (level == UNKNOWN_LEVEL)
			page_hatch(p, b.x, b.y, b.w, b.h);
		else
			p->canvas->verbs->cell(p->canvas, b, heat_colour(p->theme, level));
	}
}

/* Hosts where there is room for their names; a named GPU has its label at the right. */
static void host_row_labels(const struct heat *h)
{
	double last = h->y - LABELS_APART;
	for (size_t i = 0; i < h->n_rows; i++) {
		const double middle = h->y + h->row * ((double)i + 0.5);
		const size_t gpu = h->rows[i].begin;
		const bool is_host = i == 0 || h->rows[i].begin >= h->rows[i - 1].end;
		if (!is_host || middle - last < LABELS_APART)
			continue;
		const struct slice host = host_of(h->stack->page, gpu);
		row_label(h->stack->page, middle, arena_text(h->stack->page->mem, host.p, host.n));
		last = middle;
	}
}

static void labels_draw(const struct heat *h)
{
	size_t *first = NEW_ARRAY(h->stack->page->mem, size_t, h->n_rows);
	for (size_t i = 0; i < h->n_rows; i++)
		first[i] = h->rows[i].begin;
	if (h->kind == ROWS_OF_HOSTS)
		host_row_labels(h);
	else
		row_labels_draw(h->stack, first, h->n_rows, h->y, h->row);
}

static void rows_draw(const struct heat *h)
{
	const double gap = h->row < MIN_ROW_WITH_GAP ? 0 : ROW_GAP;
	struct arena scratch;
	stack_bins_make(h->stack, h->panel, NULL, N_CELLS);
	for (size_t i = 0; i < h->n_rows; i++) {
		arena_init(&scratch);
		row_draw(h, row_values(h, &scratch, &h->rows[i]), h->y + h->row * (double)i, h->row - gap);
		arena_release(&scratch);
	}
	labels_draw(h);
}

/* ---- findings on single GPUs ---- */

#define MAX_LEADERS 4
#define LEADER_LINE 12.0
#define BADGE_RADIUS 4.9
#define BADGE_GAP 2.2
#define KEY_BOTTOM 19.0
#define KEY_WORDS_BOTTOM 41.0

struct leader {
	size_t gpu, finding; /* the foremost on it */
	double from, y; /* middles of the row and of the label */
};

static double row_middle(const struct heat *h, size_t gpu)
{
	size_t at = h->n_rows;
	for (size_t i = 0; i < h->n_rows; i++) /* the last that has it: its own row, where there is one */
		if (h->rows[i].begin <= gpu && gpu < h->rows[i].end)
			at = i;
	return h->y + h->row * ((double)at + 0.5);
}

static bool is_about(const struct page *p, const struct finding *f, size_t gpu)
{
	return f->entities.n == 1 && gpu_of(p, f->entities.at[0]) == gpu;
}

static bool has_leader(const struct leader *l, size_t n, size_t gpu)
{
	for (size_t i = 0; i < n; i++)
		if (l[i].gpu == gpu)
			return true;
	return false;
}

/* GPUs of the foremost findings, from above. */
static size_t leaders_find(const struct heat *h, struct leader *out)
{
	const struct report *const r = h->stack->page->report;
	size_t n = 0;
	for (size_t f = 0; f < r->n_findings && n < MAX_LEADERS; f++) {
		const struct texts on = r->findings[f].entities;
		const size_t gpu = on.n == 1 ? gpu_of(h->stack->page, on.at[0]) : h->panel->n_gpus;
		if (gpu >= h->panel->n_gpus || has_leader(out, n, gpu))
			continue;
		size_t at = n++;
		for (; at && out[at - 1].gpu > gpu; at--)
			out[at] = out[at - 1];
		out[at] = (struct leader){ .gpu = gpu, .finding = f, .from = row_middle(h, gpu) };
	}
	return n;
}

/* Below the key, each as near to its row as the one above allows; returns where the last one is. */
static double leaders_place(const struct heat *h, struct leader *l, size_t n)
{
	double free_from = h->y + (key_has_words(h) ? KEY_WORDS_BOTTOM : KEY_BOTTOM) + LEADER_LINE / 2;
	for (size_t i = 0; i < n; i++) {
		l[i].y = fmax(l[i].from, free_from);
		free_from = l[i].y + LEADER_LINE;
	}
	return n ? l[n - 1].y : 0;
}

static size_t without_last_finding(struct leader *l, size_t n)
{
	size_t last = 0;
	for (size_t i = 1; i < n; i++)
		last = l[i].finding > l[last].finding ? i : last;
	for (size_t i = last; i + 1 < n; i++)
		l[i] = l[i + 1];
	return n - 1;
}

static void leader_draw(const struct heat *h, const struct leader *l)
{
	const struct page *const p = h->stack->page;
	const struct point line[] = { { PLOT_RIGHT + 1, l->from }, { GUTTER_LEFT, l->y } };
	double x = GUTTER_LEFT + 2;
	p->canvas->verbs->polyline(p->canvas, line, 2, (struct pen){ .colour = page_hue(p, HUE_INK3), .width = 0.7 });
	for (size_t f = 0; f < p->report->n_findings && x < PAGE_RIGHT - 40; f++)
		if (is_about(p, &p->report->findings[f], l->gpu)) {
			const struct finding *const found = &p->report->findings[f];
			const double half = page_badge_half(p, BADGE_RADIUS, found->number, found->severity_level);
			page_badge(p, x + half, l->y, BADGE_RADIUS, found->number, found->severity_level);
			x += 2 * half + BADGE_GAP;
		}
	x += BADGE_GAP;
	page_text(p, x, l->y + 3, TYPE_STATISTIC, ALIGN_LEFT, page_cut_middle(p, TYPE_STATISTIC, gpu_name(p, l->gpu), PAGE_RIGHT - x));
}

static void leaders_draw(const struct heat *h)
{
	struct leader l[MAX_LEADERS];
	size_t n = leaders_find(h, l);
	while (n && leaders_place(h, l, n) >= h->y + h->row * (double)h->n_rows + LEADER_LINE)
		n = without_last_finding(l, n);
	for (size_t i = 0; i < n; i++)
		leader_draw(h, &l[i]);
}

double heat_panel_draw(const struct stack *s, const struct panel *panel, double y)
{
	struct heat h = { .stack = s, .panel = panel, .y = y + MAP_TITLE_HEIGHT };
	rows_choose(&h);
	const double height = h.row * (double)h.n_rows;
	if (!s->page->measuring) {
		panel_title(s->page, panel, panel->subtitle, y);
		rows_draw(&h);
		holes_draw(s, panel->holes, h.y, height);
		heat_key_draw(&h);
		leaders_draw(&h);
	}
	return h.y + height;
}
