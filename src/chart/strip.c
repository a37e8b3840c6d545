/*
 * strip.c - why clocks were held down: per GPU and 1 u of time, the worst reason that was set, over the one that else was it for longest.
 * The shorter, the paler; what was for a moment can still be seen.
 *
 * Only GPUs with a reason have a row; the others are counted in the line below, beside the key. Where many have one, and some by more
 * than a power cap, those some have rows. GPUs that were held down alike, and many that were only capped, are one row: the more of them
 * at a time, and the longer, the darker.
 */
#include "chart/reasons.h"
#include "chart/stack.h"
#include <math.h>

#define N_CELLS ((size_t)PLOT_WIDTH)

static const struct look { /* by enum reason */
	enum hue hue;
	bool hatched;
	double strength; /* what is normal at full load must not look like an alarm */
	const char *label;
} looks[N_REASONS] = {
	[REASON_HW_THERMAL]    = { HUE_HELD_HW_THERMAL, false, 1, "HW thermal" },
	[REASON_POWER_BRAKE]   = { HUE_HELD_BRAKE, false, 1, "power brake" },
	[REASON_HW_SLOWDOWN]   = { HUE_HELD_HW_THERMAL, true, 1, "HW slowdown" },
	[REASON_SW_THERMAL]    = { HUE_HELD_SW_THERMAL, false, 1, "SW thermal" },
	[REASON_POWER_CAP]     = { HUE_HELD_POWER_CAP, false, 0.55, "power cap" },
	[REASON_SYNC_BOOST]    = { HUE_HELD_SYNC_BOOST, false, 1, "sync boost" },
	[REASON_CLOCK_SETTING] = { HUE_HELD_SETTING, false, 1, "clock setting" },
};

static const void *make_cells(struct arena *mem, const struct shared_request *of)
{
	return reason_cells(mem, of->track, of->span, of->n);
}

static struct shared_request request_of(const struct stack *s, const struct track *t)
{
	return (struct shared_request){ .track = t, .span = s->span, .n = N_CELLS, .make = make_cells };
}

static const struct reason_cell *cells_of(const struct stack *s, struct arena *mem, const struct track *t)
{
	const struct shared_request request = request_of(s, t);
	return shared_get(s->page->shared, mem, &request);
}

/* Of these GPUs, or of all where that is NULL, before one by one is asked for. */
static void cells_make(const struct stack *s, const struct panel *panel, const size_t *gpus, size_t n)
{
	struct shared_request *const all = NEW_ARRAY(s->page->mem, struct shared_request, n);
	for (size_t i = 0; i < n; i++)
		all[i] = request_of(s, panel->gpus[gpus ? gpus[i] : i]);
	shared_make(s->page->shared, all, n);
}

struct strip {
	const struct stack *stack;
	const struct panel *panel;
	double y, row;
	size_t *gpus, n_rows, n_others; /* gpus: NULL where one row stands for all */
	bool others_capped;
	bool used[N_REASONS], has_pale; /* what is drawn */
};
#define MANY_ROWS 16

/* What was for a moment must still be seen. */
#define LEAST_STRENGTH 0.2

static void reason_draw(const struct page *p, struct reason_share of, struct box b)
{
	const struct look *const look = &looks[of.reason];
	const double part = LEAST_STRENGTH + (1 - LEAST_STRENGTH) * of.share / SHARE_PARTS;
	const struct colour colour = faded(page_hue(p, look->hue), look->strength * part);
	if (look->hatched)
		p->canvas->verbs->hatch(p->canvas, b, colour, page_hue(p, HUE_PAGE));
	else
		p->canvas->verbs->cell(p->canvas, b, colour);
}

static bool is_same_share(struct reason_share a, struct reason_share b)
{
	return a.reason == b.reason && a.share == b.share;
}

static void share_draw(struct strip *strip, struct reason_share of, struct box b)
{
	if (of.reason >= NO_REASON)
		return;
	reason_draw(strip->stack->page, of, b);
	strip->used[of.reason] = true;
	strip->has_pale |= of.share < SHARE_PARTS;
}

static void row_draw(struct strip *strip, const struct reason_cell *cell, double y, double height)
{
	const struct page *const p = strip->stack->page;
	page_box(p, PLOT_LEFT, y, PLOT_WIDTH, height, HUE_TINT);
	for (size_t begin = 0, end; begin < N_CELLS; begin = end) {
		for (end = begin + 1; end < N_CELLS && is_same_share(cell[end].worst, cell[begin].worst)
			&& is_same_share(cell[end].beneath, cell[begin].beneath);)
			end++;
		const struct box b = { PLOT_LEFT + (double)begin, y, (double)(end - begin), height };
		if (cell[begin].worst.reason == UNKNOWN_REASON && !holes_cover(strip->stack, strip->panel->holes, b.x, b.x + b.w))
			page_hatch(p, b.x, b.y, b.w, b.h);
		share_draw(strip, cell[begin].beneath, b);
		share_draw(strip, cell[begin].worst, b);
	}
}

#define MIN_NOTED_ROW 9.5

static void rows_draw(struct strip *strip)
{
	const struct page *const p = strip->stack->page;
	cells_make(strip->stack, strip->panel, strip->gpus, strip->n_rows);
	for (size_t i = 0; i < strip->n_rows; i++) {
		const double y = strip->y + strip->row * (double)i;
		const char *const note = strip->panel->row_notes ? strip->panel->row_notes[strip->gpus[i]] : NULL;
		row_draw(strip, cells_of(strip->stack, p->mem, strip->panel->gpus[strip->gpus[i]]), y,
			strip->row < MIN_NOTED_ROW ? strip->row : strip->row - 1);
		if (note && strip->row >= MIN_NOTED_ROW)
			page_text(p, GUTTER_LEFT, y + strip->row / 2 + 2.5, TYPE_STATISTIC, ALIGN_LEFT,
				page_cut_end(p, TYPE_STATISTIC, note, GUTTER_WIDTH));
	}
	row_labels_draw(strip->stack, strip->gpus, strip->n_rows, strip->y, strip->row);
}

/* Cell by cell the worst reason of any of the GPUs, and for how much of the time of all of them. */
static const struct reason_cell *common_cells(const struct strip *strip)
{
	const size_t n_gpus = strip->panel->n_gpus;
	struct reason_cell *const common = NEW_ARRAY(strip->stack->page->mem, struct reason_cell, N_CELLS);
	struct arena scratch;
	arena_init(&scratch);
	cells_make(strip->stack, strip->panel, NULL, n_gpus);
	size_t *const parts = NEW_ARRAY(&scratch, size_t, N_CELLS);
	for (size_t k = 0; k < N_CELLS; k++)
		common[k] = (struct reason_cell){ { UNKNOWN_REASON, 0 }, { NO_REASON, 0 } };
	for (size_t i = 0; i < n_gpus; i++) {
		struct arena of_gpu;
		arena_init(&of_gpu);
		const struct reason_cell *const own = cells_of(strip->stack, &of_gpu, strip->panel->gpus[i]);
		for (size_t k = 0; k < N_CELLS; k++) {
			const unsigned char reason = own[k].worst.reason, before = common[k].worst.reason;
			parts[k] = (reason < before ? 0 : parts[k]) + (reason <= before ? own[k].worst.share : 0);
			common[k].worst.reason = reason < before ? reason : before;
		}
		arena_release(&of_gpu);
	}
	for (size_t k = 0; n_gpus && k < N_CELLS; k++)
		common[k].worst.share = (unsigned char)((parts[k] + n_gpus - 1) / n_gpus);
	arena_release(&scratch);
	return common;
}

static void common_row_draw(struct strip *strip)
{
	const struct page *const p = strip->stack->page;
	row_draw(strip, common_cells(strip), strip->y, strip->row - 1);
	row_label(p, strip->y + strip->row / 2, arena_print(p->mem, "all %zu", strip->panel->n_gpus));
	page_text(p, GUTTER_LEFT, strip->y + strip->row / 2 + 2.5, TYPE_STATISTIC, ALIGN_LEFT,
		page_cut_end(p, TYPE_STATISTIC, strip->panel->common_note, GUTTER_WIDTH));
}

static double others_draw(const struct strip *strip, double baseline)
{
	const struct page *const p = strip->stack->page;
	const char *const reason = strip->others_capped ? "at most a power cap" : "none";
	const char *const text = arena_print(p->mem, "%zu GPU%s: %s", strip->n_others, plural_s(strip->n_others), reason);
	if (strip->n_others == 0)
		return PLOT_LEFT;
	page_text_in(p, PLOT_LEFT - 5, baseline, TYPE_FOOTER, ALIGN_RIGHT, page_hue(p, HUE_INK3), strip->n_rows ? "others" : "all");
	page_text(p, PLOT_LEFT + 2, baseline, TYPE_FOOTER, ALIGN_LEFT, text);
	return PLOT_LEFT + 2 + page_text_width(p, TYPE_FOOTER, text) + 16;
}

static void key_draw(const struct strip *strip, double x, double baseline)
{
	const struct page *const p = strip->stack->page;
	for (size_t r = 0; r < N_REASONS; r++) {
		if (!strip->used[r])
			continue;
		reason_draw(p, (struct reason_share){ (unsigned char)r, SHARE_PARTS }, (struct box){ x, baseline - 6.5, 8, 6.5 });
		page_text(p, x + 11, baseline, TYPE_STATISTIC, ALIGN_LEFT, looks[r].label);
		x += 11 + page_text_width(p, TYPE_STATISTIC, looks[r].label) + 12;
	}
	const char *const pale = strip->panel->common_note ? "pale: part of the time or of the GPUs" : "pale: part of the time";
	if (strip->has_pale && x + page_text_width(p, TYPE_FOOTER, pale) <= PAGE_RIGHT)
		page_text(p, x, baseline, TYPE_FOOTER, ALIGN_LEFT, pale);
}

#define KEY_LINE 12.0

static void rows_find(struct strip *strip)
{
	const struct panel *const panel = strip->panel;
	strip->gpus = NEW_ARRAY(strip->stack->page->mem, size_t, panel->n_gpus);
	size_t n_beyond_cap = 0;
	for (size_t i = 0; i < panel->n_gpus; i++) {
		n_beyond_cap += panel->beyond_cap && panel->beyond_cap[i];
		if (has_reason(panel->gpus[i], strip->stack->span))
			strip->gpus[strip->n_rows++] = i;
	}
	if (n_beyond_cap && n_beyond_cap < strip->n_rows && strip->n_rows > MANY_ROWS) {
		strip->others_capped = true;
		strip->n_rows = 0;
		for (size_t i = 0; i < panel->n_gpus; i++)
			if (panel->beyond_cap[i])
				strip->gpus[strip->n_rows++] = i;
	}
	strip->n_others = panel->n_gpus - strip->n_rows;
}

double strip_draw(const struct stack *s, const struct panel *panel, double y)
{
	struct strip strip = { .stack = s, .panel = panel, .y = y + MAP_TITLE_HEIGHT };
	if (panel->common_note)
		strip.n_rows = 1;
	else
		rows_find(&strip);
	strip.row = strip.n_rows ? row_height(strip.n_rows) : 0;
	const double height = strip.row * (double)strip.n_rows;
	if (!s->page->measuring) {
		panel_title(s->page, panel, panel->subtitle, y);
		if (strip.gpus)
			rows_draw(&strip);
		else
			common_row_draw(&strip);
		holes_draw(s, panel->holes, strip.y, height);
		key_draw(&strip, others_draw(&strip, strip.y + height + 8.5), strip.y + height + 8.5);
	}
	return strip.y + height + KEY_LINE;
}
