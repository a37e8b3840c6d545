/*
 * canvas_replay.c - a canvas that keeps what it is told, and tells another one all of it that touches a part of the page.
 *
 * A picture is made a band of rows at a time. To lay out the page for each band anew would take longer than to draw it.
 */
#include "chart/canvas.h"
#include <math.h>
#include <string.h>

#define MARGIN 2.0	 /* u: more than soft edges, and what is moved onto whole pixels */
#define LETTER_REACH 1.5 /* sizes above and below the baseline: more than any letter */
#define HALO_REACH 3.0

struct reach { /* u of the page, of what is drawn */
	double top, bottom;
};

struct mark {
	enum { MARK_BOX, MARK_CELL, MARK_RULE, MARK_POLYLINE, MARK_POLYGON, MARK_CIRCLE, MARK_HATCH, MARK_TEXT } kind;
	struct colour colour;
	union {
		struct {
			struct box at;
			double radius;
			struct colour line; /* of a hatch */
		} box;
		struct {
			struct point from, to;
			struct pen pen;
		} rule;
		struct {
			const struct point *at;
			size_t n;
			double rounding;
			struct pen pen;
		} points;
		struct {
			struct point centre;
			double radius;
		} circle;
		struct {
			struct point at;
			const char *text;
			struct lettering how;
		} text;
	};
};

/* How far marks reach lies apart from them: each band asks it of all marks, and draws few. */
#define BLOCK_MARKS 64
struct block {
	struct block *next;
	size_t n;
	struct reach reach[BLOCK_MARKS];
	struct mark mark[BLOCK_MARKS];
};

struct replay_canvas {
	struct canvas base; /* first: verbs get a pointer to it */
	struct arena *mem;
	struct block *first, *last;
};

static void block_add(struct replay_canvas *c)
{
	struct block *const added = NEW_RAW_ARRAY(c->mem, struct block, 1);
	added->next = NULL;
	added->n = 0;
	*(c->last ? &c->last->next : &c->first) = added;
	c->last = added;
}

static void keep(struct canvas *c, double top, double bottom, struct mark mark)
{
	struct replay_canvas *const own = (struct replay_canvas *)c;
	if (!own->last || own->last->n == BLOCK_MARKS)
		block_add(own);
	struct block *const to = own->last;
	to->reach[to->n] = (struct reach){ top - MARGIN, bottom + MARGIN };
	to->mark[to->n++] = mark;
}

static void replay_box(struct canvas *c, struct box b, double radius, struct colour colour)
{
	keep(c, b.y, b.y + b.h, (struct mark){ .kind = MARK_BOX, .colour = colour, .box = { b, radius, { 0, 0 } } });
}

static void replay_cell(struct canvas *c, struct box b, struct colour colour)
{
	keep(c, b.y, b.y + b.h, (struct mark){ .kind = MARK_CELL, .colour = colour, .box = { b, 0, { 0, 0 } } });
}

static void replay_rule(struct canvas *c, struct point from, struct point to, struct pen pen)
{
	keep(c, fmin(from.y, to.y) - pen.width, fmax(from.y, to.y) + pen.width,
		(struct mark){ .kind = MARK_RULE, .rule = { from, to, pen } });
}

/* `swell`: what is drawn beside the points. */
static void keep_points(struct canvas *c, const struct point *at, size_t n, double swell, struct mark mark)
{
	struct point *const copy = NEW_RAW_ARRAY(((struct replay_canvas *)c)->mem, struct point, n);
	double top = INFINITY, bottom = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		copy[i] = at[i];
		top = at[i].y < top ? at[i].y : top;
		bottom = at[i].y > bottom ? at[i].y : bottom;
	}
	mark.points.at = copy;
	mark.points.n = n;
	keep(c, top - swell, bottom + swell, mark);
}

static void replay_polyline(struct canvas *c, const struct point *at, size_t n, struct pen pen)
{
	keep_points(c, at, n, pen.width, (struct mark){ .kind = MARK_POLYLINE, .points = { .pen = pen } });
}

static void replay_polygon(struct canvas *c, const struct point *at, size_t n, double rounding, struct colour colour)
{
	keep_points(c, at, n, rounding, (struct mark){ .kind = MARK_POLYGON, .colour = colour, .points = { .rounding = rounding } });
}

static void replay_circle(struct canvas *c, struct point centre, double radius, struct colour colour)
{
	keep(c, centre.y - radius, centre.y + radius, (struct mark){ .kind = MARK_CIRCLE, .colour = colour, .circle = { centre, radius } });
}

static void replay_hatch(struct canvas *c, struct box b, struct colour ground, struct colour line)
{
	keep(c, b.y, b.y + b.h, (struct mark){ .kind = MARK_HATCH, .colour = ground, .box = { b, 0, line } });
}

static void replay_text(struct canvas *c, struct point at, const char *text, struct lettering how)
{
	const double reach = how.size * LETTER_REACH + HALO_REACH;
	const char *const copy = arena_text(((struct replay_canvas *)c)->mem, text, strlen(text));
	keep(c, at.y - reach, at.y + reach, (struct mark){ .kind = MARK_TEXT, .text = { at, copy, how } });
}

static const struct canvas_verbs replay_verbs = {
	.box = replay_box,
	.cell = replay_cell,
	.rule = replay_rule,
	.polyline = replay_polyline,
	.polygon = replay_polygon,
	.circle = replay_circle,
	.hatch = replay_hatch,
	.text = replay_text,
};

struct canvas *canvas_replay_new(struct arena *mem, const struct font *font)
{
	struct replay_canvas *const c = NEW(mem, struct replay_canvas);
	c->base = (struct canvas){ .verbs = &replay_verbs, .font = font };
	c->mem = mem;
	return &c->base;
}

static void mark_tell(const struct mark *m, struct canvas *to)
{
	switch (m->kind) {
	case MARK_BOX:
		to->verbs->box(to, m->box.at, m->box.radius, m->colour);
		break;
	case MARK_CELL:
		to->verbs->cell(to, m->box.at, m->colour);
		break;
	case MARK_RULE:
		to->verbs->rule(to, m->rule.from, m->rule.to, m->rule.pen);
		break;
	case MARK_POLYLINE:
		to->verbs->polyline(to, m->points.at, m->points.n, m->points.pen);
		break;
	case MARK_POLYGON:
		to->verbs->polygon(to, m->points.at, m->points.n, m->points.rounding, m->colour);
		break;
	case MARK_CIRCLE:
		to->verbs->circle(to, m->circle.centre, m->circle.radius, m->colour);
		break;
	case MARK_HATCH:
		to->verbs->hatch(to, m->box.at, m->colour, m->box.line);
		break;
	case MARK_TEXT:
		to->verbs->text(to, m->text.at, m->text.text, m->text.how);
		break;
	}
}

void canvas_replay(const struct canvas *kept, struct canvas *to, double top, double bottom)
{
	for (const struct block *b = ((const struct replay_canvas *)kept)->first; b; b = b->next)
		for (size_t i = 0; i < b->n; i++)
			if (b->reach[i].top < bottom && b->reach[i].bottom > top)
				mark_tell(&b->mark[i], to);
}

/*
 * Where two sides of a shape meet at the edge of what is drawn, cairo may find another share of a pixel than it does inside. Not so of
 * what is level or upright, nor of letters, which it has made before. Of a line or an area only the canvas knows whether it is cairo's.
 */
static bool is_whole(const struct mark *m)
{
	switch (m->kind) {
	case MARK_CELL:
	case MARK_RULE:
		return false;
	case MARK_BOX:
		return m->box.radius > 0;
	case MARK_TEXT:
		return m->text.how.halo.alpha > 0;
	case MARK_POLYLINE:
	case MARK_POLYGON:
	case MARK_CIRCLE:
	case MARK_HATCH:
		break;
	}
	return true;
}

static void rows_hold(bool *is_held, size_t n_rows, struct reach reach, double scale)
{
	for (double y = fmax(0, floor(reach.top * scale) + 1); y < reach.bottom * scale && y <= (double)n_rows; y++)
		is_held[(size_t)y] = true;
}

const bool *canvas_replay_held(struct arena *mem, const struct canvas *kept, double scale, size_t n_rows)
{
	bool *const is_held = NEW_ARRAY(mem, bool, n_rows + 1);
	for (const struct block *b = ((const struct replay_canvas *)kept)->first; b; b = b->next)
		for (size_t i = 0; i < b->n; i++)
			if (is_whole(&b->mark[i]))
				rows_hold(is_held, n_rows, b->reach[i], scale);
	return is_held;
}
