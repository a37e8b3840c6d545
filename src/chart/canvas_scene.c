/*
 * canvas_scene.c - a canvas that keeps a record of each mark as JSON, one on a line:
 *
 *     {"mark": "text", "part": "verdict", "at": [29, 27], "width": 431.09, "size": 15.5, "bold": true, …},
 *     {"mark": "box", "part": "ledger", "box": [16, 105.5, 156.86, 18], "radius": 0, "colour": "#0B62A8", "alpha": 1},
 *
 * Tests ask of a scene what people ask of a picture: does text touch text, can it be read on what
 * lies below it, is a hole empty (tests/scene.py). Texts stand at their left end, as they are drawn.
 */
#include "base/number.h"
#include "chart/canvas.h"

struct scene_canvas {
	struct canvas base; /* first: verbs get a pointer to it */
	struct buf *scene;
	bool any;
};

static void put_number(struct buf *out, double value)
{
	char text[64];
	number_print(text, sizeof text, value, 2);
	buf_text(out, text);
}

static void put_numbers(struct buf *out, const char *key, const double *values, size_t n)
{
	buf_print(out, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++) {
		buf_text(out, i ? ", " : "");
		put_number(out, values[i]);
	}
	buf_char(out, ']');
}

static void put_value(struct buf *out, const char *key, double value)
{
	buf_print(out, ", \"%s\": ", key);
	put_number(out, value);
}

static void put_point(struct buf *out, const char *key, struct point p)
{
	put_numbers(out, key, (const double[]){ p.x, p.y }, 2);
}

static void put_box(struct buf *out, struct box b)
{
	put_numbers(out, "box", (const double[]){ b.x, b.y, b.w, b.h }, 4);
}

static void put_points(struct buf *out, const struct point *at, size_t n)
{
	buf_text(out, ", \"points\": [");
	for (size_t i = 0; i < n; i++) {
		buf_text(out, i ? ", [" : "[");
		put_number(out, at[i].x);
		buf_text(out, ", ");
		put_number(out, at[i].y);
		buf_char(out, ']');
	}
	buf_char(out, ']');
}

static void put_colour(struct buf *out, struct colour colour)
{
	buf_print(out, ", \"colour\": \"#%06X\"", (unsigned)colour.rgb);
	put_value(out, "alpha", colour.alpha);
}

static void put_pen(struct buf *out, struct pen pen)
{
	put_value(out, "width", pen.width);
	buf_print(out, ", \"dashed\": %s", pen.dash_on > 0 ? "true" : "false");
	put_colour(out, pen.colour);
}

/* What the font has are printable characters: a quote and a backslash are all that JSON minds. */
static size_t put_string(struct buf *out, const struct font *font, const char *text)
{
	struct buf drawn;
	buf_init(&drawn, out->max);
	const size_t n_replaced = font_put_drawn(font, text, &drawn);
	buf_char(out, '"');
	for (size_t i = 0; i < drawn.n; i++) {
		if (drawn.at[i] == '"' || drawn.at[i] == '\\')
			buf_char(out, '\\');
		buf_char(out, drawn.at[i]);
	}
	buf_char(out, '"');
	buf_release(&drawn);
	return n_replaced;
}

static struct buf *begin_mark(struct canvas *c, const char *kind)
{
	struct scene_canvas *const own = (struct scene_canvas *)c;
	buf_print(own->scene, "%s\n{\"mark\": \"%s\", \"part\": ", own->any ? "," : "", kind);
	put_string(own->scene, c->font, c->part ? c->part : "");
	own->any = true;
	return own->scene;
}

static void end_mark(struct buf *out)
{
	buf_char(out, '}');
}

static void scene_box(struct canvas *c, struct box b, double radius, struct colour colour)
{
	struct buf *const out = begin_mark(c, "box");
	put_box(out, b);
	put_value(out, "radius", radius);
	put_colour(out, colour);
	end_mark(out);
}

static void scene_cell(struct canvas *c, struct box b, struct colour colour)
{
	struct buf *const out = begin_mark(c, "cell");
	put_box(out, b);
	put_colour(out, colour);
	end_mark(out);
}

static void scene_rule(struct canvas *c, struct point from, struct point to, struct pen pen)
{
	struct buf *const out = begin_mark(c, "rule");
	put_points(out, (const struct point[]){ from, to }, 2);
	put_pen(out, pen);
	end_mark(out);
}

static void scene_polyline(struct canvas *c, const struct point *at, size_t n, struct pen pen)
{
	struct buf *const out = begin_mark(c, "polyline");
	put_points(out, at, n);
	put_pen(out, pen);
	end_mark(out);
}

static void scene_polygon(struct canvas *c, const struct point *at, size_t n, double rounding, struct colour colour)
{
	struct buf *const out = begin_mark(c, "polygon");
	put_points(out, at, n);
	put_value(out, "rounding", rounding);
	put_colour(out, colour);
	end_mark(out);
}

static void scene_circle(struct canvas *c, struct point centre, double radius, struct colour colour)
{
	struct buf *const out = begin_mark(c, "circle");
	put_point(out, "centre", centre);
	put_value(out, "radius", radius);
	put_colour(out, colour);
	end_mark(out);
}

static void scene_hatch(struct canvas *c, struct box b, struct colour ground, struct colour line)
{
	struct buf *const out = begin_mark(c, "hatch");
	put_box(out, b);
	buf_print(out, ", \"ground\": \"#%06X\"", (unsigned)ground.rgb);
	put_value(out, "ground_alpha", ground.alpha);
	put_colour(out, line);
	end_mark(out);
}

static void scene_text(struct canvas *c, struct point at, const char *text, struct lettering how)
{
	struct buf *const out = begin_mark(c, "text");
	const double width = font_width(c->font, text, how.size, how.bold);
	at.x -= how.align == ALIGN_RIGHT ? width : how.align == ALIGN_CENTRE ? width / 2 : 0;
	put_point(out, "at", at);
	put_value(out, "width", width);
	put_value(out, "size", how.size);
	buf_print(out, ", \"bold\": %s, \"halo\": %s", how.bold ? "true" : "false", how.halo.alpha > 0 ? "true" : "false");
	put_colour(out, how.colour);
	buf_text(out, ", \"text\": ");
	const size_t n_replaced = put_string(out, c->font, text);
	buf_print(out, ", \"replaced\": %zu", n_replaced);
	end_mark(out);
}

static const struct canvas_verbs scene_verbs = {
	.box = scene_box,
	.cell = scene_cell,
	.rule = scene_rule,
	.polyline = scene_polyline,
	.polygon = scene_polygon,
	.circle = scene_circle,
	.hatch = scene_hatch,
	.text = scene_text,
};

struct canvas *canvas_scene_new(struct arena *mem, const struct font *font, struct buf *scene)
{
	struct scene_canvas *const c = NEW(mem, struct scene_canvas);
	c->base = (struct canvas){ .verbs = &scene_verbs, .font = font };
	c->scene = scene;
	return &c->base;
}
