/*
 * lane.c - the findings above the panels: badge, short name, and a bar over each window; a thin one over what else it cost.
 *
 * Names that would touch go to the next row; findings over most of the run go to the last ones. Where there are too many for the rows
 * those that are listed first have a place.
 */
#include "chart/stack.h"
#include <math.h>

#define ROW 19.0
#define MAX_ROWS 4
#define NAME_GAP 7.0
#define MIN_BAR 1.5
#define BADGE_RADIUS 5.8
#define BADGE_GAP 3.0
#define WHOLE_SHARE 0.95      /* of the run: but for its start and its end */

struct lane_item {
	const struct finding *finding;
	const char *name;
	struct stretches bars, beside; /* beside: what it cost beside its own time */
	double x, begin, end; /* of the badge; of all that must not be touched */
	size_t row;
};

static double name_indent(const struct page *p, const struct finding *f)
{
	return BADGE_RADIUS + page_badge_half(p, BADGE_RADIUS, f->number, f->severity_level) + BADGE_GAP;
}

static const char *item_name(const struct stack *s, const struct finding *f)
{
	const char *const name = f->short_name ? f->short_name : f->rule;

	if (f->is_scattered) /* on some GPU at any time, which is not the same */
		return arena_print(s->page->mem, "%s, at times", name);
	return finding_share(s, f) > WHOLE_SHARE ? arena_print(s->page->mem, "%s, whole run", name) : name;
}

/* "overheated: GPUs 3 and 5", where that touches nothing. */
static void item_tell_gpus(const struct stack *s, const struct lane_item *items, size_t n, struct lane_item *item)
{
	const struct page *const p = s->page;
	if (!item->finding->some_gpus)
		return;
	const char *const name = arena_print(p->mem, "%s: %s", item->name, item->finding->some_gpus);
	const double end = item->x + name_indent(p, item->finding) + page_text_width(p, TYPE_LANE, name);
	for (size_t i = 0; i < n; i++)
		if (items[i].row == item->row && items[i].begin > item->begin && items[i].begin < end + NAME_GAP)
			return;
	if (end > PAGE_RIGHT)
		return;
	item->name = name;
	item->end = fmax(item->end, end);
}

static bool item_place(const struct stack *s, const struct finding *f, struct lane_item *item)
{
	const struct page *const p = s->page;
	item->finding = f;
	item->bars = finding_stretches(s, f, MIN_BAR);
	item->beside = finding_stretches_beside(s, f, MIN_BAR);
	if (item->bars.n == 0)
		return false;
	item->name = page_cut_end(p, TYPE_LANE, item_name(s, f), 300);
	const double width = name_indent(p, f) + page_text_width(p, TYPE_LANE, item->name);
	const double first = item->bars.at[0].x0, last = item->bars.at[item->bars.n - 1].x1;
	item->x = fmin(first, PAGE_RIGHT - width);
	item->begin = item->beside.n ? fmin(item->x, item->beside.at[0].x0) : item->x;
	item->end = fmax(last, item->x + width);
	return true;
}

static bool row_is_free(const struct lane_item *items, size_t n, size_t row, const struct lane_item *item)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].row == row && item->begin < items[i].end + NAME_GAP && items[i].begin < item->end + NAME_GAP)
			return false;
	return true;
}

#define BAR_BOTTOM 17.0
#define BAR_HEIGHT 3.0
#define THIN_BAR_HEIGHT 1.0

static void bars_draw(const struct stack *s, const struct lane_item *item, const struct stretches *bars, double bottom, double height)
{
	for (size_t i = 0; i < bars->n; i++)
		page_box(s->page, bars->at[i].x0, bottom - height, bars->at[i].x1 - bars->at[i].x0, height,
			severity_looks[item->finding->severity_level].hue);
}

static void item_draw(const struct stack *s, const struct lane_item *item, double y)
{
	page_badge(s->page, item->x + BADGE_RADIUS, y + 6.5, BADGE_RADIUS, item->finding->number, item->finding->severity_level);
	page_text(s->page, item->x + name_indent(s->page, item->finding), y + 9.8, TYPE_LANE, ALIGN_LEFT, item->name);
	bars_draw(s, item, &item->bars, y + BAR_BOTTOM, BAR_HEIGHT);
	bars_draw(s, item, &item->beside, y + BAR_BOTTOM, THIN_BAR_HEIGHT);
}

struct lane {
	struct lane_item *items;
	size_t n, n_rows;
};

/* Of the findings that are wanted; false where they need more rows than there are. */
static bool lane_fill(const struct stack *s, const bool *is_wanted, struct lane *lane)
{
	const struct report *const r = s->page->report;
	lane->n = lane->n_rows = 0;
	for (int is_long = 0; is_long < 2; is_long++)
		for (size_t i = 0; i < r->n_findings; i++) {
			struct lane_item *const item = &lane->items[lane->n];
			if (!is_wanted[i] || finding_is_long(s, &r->findings[i]) != is_long || !item_place(s, &r->findings[i], item))
				continue;
			for (item->row = 0; !row_is_free(lane->items, lane->n, item->row, item);)
				item->row++;
			if (item->row >= MAX_ROWS)
				return false;
			lane->n_rows = item->row >= lane->n_rows ? item->row + 1 : lane->n_rows;
			lane->n++;
		}
	return true;
}

double lane_draw(const struct stack *s, double y)
{
	s->page->canvas->part = "lane";
	const struct report *const r = s->page->report;
	bool *const is_wanted = NEW_ARRAY(s->page->mem, bool, r->n_findings);
	struct lane lane = { NEW_ARRAY(s->page->mem, struct lane_item, r->n_findings), 0, 0 };
	for (size_t i = 0; i < r->n_findings; i++)
		is_wanted[i] = !(s->left_out && s->left_out[i]);
	if (!lane_fill(s, is_wanted, &lane)) {
		for (size_t i = 0; i < r->n_findings; i++)
			is_wanted[i] = false;
		for (size_t i = 0; i < r->n_findings; i++) { /* what does not fit is in the list */
			is_wanted[i] = !(s->left_out && s->left_out[i]);
			is_wanted[i] = is_wanted[i] && lane_fill(s, is_wanted, &lane);
		}
		lane_fill(s, is_wanted, &lane);
	}
	for (size_t i = 0; i < lane.n; i++) {
		item_tell_gpus(s, lane.items, lane.n, &lane.items[i]);
		item_draw(s, &lane.items[i], y + ROW * (double)lane.items[i].row);
	}
	return y + ROW * (double)lane.n_rows;
}
