/*
 * canvas_text.c - a canvas that writes down what it is told, one call a line:
 *
 *     text 52.0 9.0 10.0 bold left #1A1D21 "Busy, %"
 *     rule 52.0 20.0 588.0 20.0 0.5 #E5E7EB
 *     polyline 1.7 #0B62A8 52.0,80.3 54.0,79.9
 *
 * Tests compare these lists, because pixels change with every font library.
 * Without a list it only measures.
 */
#include "chart/canvas.h"
#include "base/number.h"

struct text_canvas {
	struct canvas base; /* first: verbs get a pointer to it */
	struct buf *list;
};

static struct buf *list_of(struct canvas *c)
{
	return ((struct text_canvas *)c)->list;
}

static void put_number(struct buf *list, double value)
{
	char text[64];
	number_print(text, sizeof text, value, 1);
	buf_char(list, ' ');
	buf_text(list, text);
}

static void put_point(struct buf *list, struct point p)
{
	put_number(list, p.x);
	char text[64];
	number_print(text, sizeof text, p.y, 1);
	buf_print(list, ",%s", text);
}

static void put_points(struct buf *list, const struct point *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_point(list, at[i]);
	buf_char(list, '\n');
}

static void put_box(struct buf *list, struct box b)
{
	put_number(list, b.x);
	put_number(list, b.y);
	put_number(list, b.w);
	put_number(list, b.h);
}

static void put_colour(struct buf *list, struct colour colour)
{
	buf_print(list, " #%06X", (unsigned)colour.rgb);
	if (colour.alpha < 1)
		buf_print(list, "/%d%%", (int)(colour.alpha * 100 + 0.5));
}

static void put_pen(struct buf *list, struct pen pen)
{
	put_number(list, pen.width);
	put_colour(list, pen.colour);
	if (pen.dash_on > 0)
		buf_text(list, " dashed");
}

static void text_box(struct canvas *c, struct box b, double radius, struct colour colour)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, radius > 0 ? "round-rect" : "rect");
	put_box(list, b);
	put_colour(list, colour);
	buf_char(list, '\n');
}

static void text_cell(struct canvas *c, struct box b, struct colour colour)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "cell");
	put_box(list, b);
	put_colour(list, colour);
	buf_char(list, '\n');
}

static void text_rule(struct canvas *c, struct point from, struct point to, struct pen pen)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "rule");
	put_number(list, from.x);
	put_number(list, from.y);
	put_number(list, to.x);
	put_number(list, to.y);
	put_pen(list, pen);
	buf_char(list, '\n');
}

static void text_polyline(struct canvas *c, const struct point *at, size_t n, struct pen pen)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "polyline");
	put_pen(list, pen);
	put_points(list, at, n);
}

static void text_polygon(struct canvas *c, const struct point *at, size_t n, double rounding, struct colour colour)
{
	struct buf *list = list_of(c);
	(void)rounding;
	if (!list)
		return;
	buf_text(list, "polygon");
	put_colour(list, colour);
	put_points(list, at, n);
}

static void text_circle(struct canvas *c, struct point centre, double radius, struct colour colour)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "circle");
	put_number(list, centre.x);
	put_number(list, centre.y);
	put_number(list, radius);
	put_colour(list, colour);
	buf_char(list, '\n');
}

static void text_hatch(struct canvas *c, struct box b, struct colour ground, struct colour line)
{
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "hatch");
	put_box(list, b);
	put_colour(list, ground);
	put_colour(list, line);
	buf_char(list, '\n');
}

static void text_text(struct canvas *c, struct point at, const char *text, struct lettering how)
{
	static const char *const align_names[] = { [ALIGN_LEFT] = "left", [ALIGN_RIGHT] = "right", [ALIGN_CENTRE] = "centre" };
	struct buf *list = list_of(c);
	if (!list)
		return;
	buf_text(list, "text");
	put_number(list, at.x);
	put_number(list, at.y);
	put_number(list, how.size);
	buf_print(list, " %s %s", how.bold ? "bold" : "regular", align_names[how.align]);
	put_colour(list, how.colour);
	buf_text(list, " \"");
	font_put_drawn(c->font, text, list);
	buf_text(list, "\"\n");
}

static const struct canvas_verbs text_verbs = {
	.box = text_box,
	.cell = text_cell,
	.rule = text_rule,
	.polyline = text_polyline,
	.polygon = text_polygon,
	.circle = text_circle,
	.hatch = text_hatch,
	.text = text_text,
};

struct canvas *canvas_text_new(struct arena *mem, const struct font *font, struct buf *list)
{
	struct text_canvas *c = NEW(mem, struct text_canvas);
	c->base = (struct canvas){ .verbs = &text_verbs, .font = font };
	c->list = list;
	return &c->base;
}
