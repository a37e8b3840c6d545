/*
 * canvas_cairo.c - canvases that fill pixels, or write SVG or PDF. The only file that knows cairo.
 *
 * The surface of pixels is opaque: a transparent picture breaks in dark ticket systems. Text is placed
 * glyph by glyph with the widths of font.c, so that no layout of cairo's can differ from what
 * was measured, and no byte sequence can put the context into an error state.
 */
#include "chart/blend.h"
#include "chart/canvas.h"
#include "chart/ribbon.h"
#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <pthread.h>

#define HATCH_PITCH 4.0
#define HATCH_WIDTH 0.6
#define HALO_WIDTH 3.0
#define MOST_DOWN 32767 /* pixels of a surface, and across */
#define MAX_GLYPHS 400 /* of one text: over twice what fits on a page */

#define MOST_SIZES ((size_t)64) /* of letters in one picture's scale: a page has a dozen */

struct letters {
	cairo_font_face_t *face[2]; /* regular, bold */
	pthread_mutex_t mutex;      /* over the fonts in each size that was drawn: */
	cairo_scaled_font_t *sized[MOST_SIZES];
	size_t n_sized;
};

struct banding {
	const struct canvas *kept;
	const bool *is_held; /* by row of the page: no band may begin there */
	size_t n_rows;	     /* of the page; 0: it is refused */
	size_t usual_rows;   /* of a band */
};

struct cairo_canvas {
	struct canvas base; /* first: verbs get a pointer to it */
	cairo_surface_t *surface;
	cairo_t *cr;
	struct letters *letters;
	double scale; /* pixels a unit; of vectors: what lines and cells are moved onto */
	bool is_vector;
	struct banding bands; /* of pixels */
	size_t first_row;     /* that is on the surface */
	struct arena scratch; /* for a ribbon */
	bool is_ours;	      /* pixels were written, of which cairo has not been told */
};

static const cairo_user_data_key_t face_key;

/* Whoever draws with cairo asks for it here. */
static cairo_t *cr_of(struct canvas *c)
{
	struct cairo_canvas *const own = (struct cairo_canvas *)c;
	if (own->is_ours)
		cairo_surface_mark_dirty(own->surface);
	own->is_ours = false;
	return own->cr;
}

static void set_colour(cairo_t *cr, struct colour c)
{
	cairo_set_source_rgba(cr, (double)(c.rgb >> 16 & 0xff) / 255, (double)(c.rgb >> 8 & 0xff) / 255,
		(double)(c.rgb & 0xff) / 255, c.alpha);
}

static void set_pen(cairo_t *cr, struct pen pen)
{
	const double dash[] = { pen.dash_on, pen.dash_off };
	set_colour(cr, pen.colour);
	cairo_set_line_width(cr, pen.width);
	cairo_set_dash(cr, dash, pen.dash_on > 0 ? 2 : 0, 0);
}

/* Starts from an empty path: a leftover point would draw a wedge across the page. */
static void round_path(cairo_t *cr, struct box b, double radius)
{
	const double r = fmin(radius, fmin(b.w, b.h) / 2);
	const double right = b.x + b.w - r, bottom = b.y + b.h - r, left = b.x + r, top = b.y + r;
	const double quarter = acos(-1) / 2;
	cairo_new_path(cr);
	cairo_arc(cr, right, top, r, -quarter, 0);
	cairo_arc(cr, right, bottom, r, 0, quarter);
	cairo_arc(cr, left, bottom, r, quarter, 2 * quarter);
	cairo_arc(cr, left, top, r, 2 * quarter, 3 * quarter);
	cairo_close_path(cr);
}

static void line_path(cairo_t *cr, const struct point *at, size_t n)
{
	cairo_new_path(cr);
	for (size_t i = 0; i < n; i++)
		cairo_line_to(cr, at[i].x, at[i].y);
}

/* u that cells of vectors reach below the next: at other sizes the ground would shine through between them. */
#define SEAM_RIGHT 0.5
#define SEAM_BOTTOM 0.2 /* rows have gaps of 0.5 u */

static size_t within(double at, size_t end)
{
	return at < 0 ? 0 : at > (double)end ? end
					     : (size_t)at;
}

/* Pixels of the surface. */
struct area {
	uint32_t *at;
	size_t width, height, stride;
};

#define NARROW 16 /* pixels: to call what copies many takes longer */

static inline void pixels_fill(uint32_t *at, size_t n, uint32_t rgb)
{
	const uint32_t one = 0xff000000U | rgb, four[] = { one, one, one, one };
	size_t x = 0;
	for (; x + 4 <= n; x += 4)
		memcpy(at + x, four, sizeof four);
	for (; x < n; x++)
		at[x] = one;
}

static void area_fill(struct area a, uint32_t rgb)
{
	const size_t n_written = a.width <= NARROW ? a.height : 1;
	for (size_t y = 0; y < n_written; y++)
		pixels_fill(a.at + y * a.stride, a.width, rgb);
	for (size_t y = n_written; y < a.height; y++)
		memcpy(a.at + y * a.stride, a.at, a.width * sizeof *a.at);
}

/* As cairo has it: times alpha, to the nearest of 16 bits, of which a pixel gets the upper 8. */
static uint32_t channel_of(uint32_t value, double alpha)
{
	return (uint32_t)((double)(value & 0xff) / 255 * alpha * 65535 + 0.5) >> 8;
}

/* With the share of 255 that it covers, and times it. */
static uint32_t with_alpha(struct colour c)
{
	return channel_of(255, c.alpha) << 24 | channel_of(c.rgb >> 16, c.alpha) << 16 | channel_of(c.rgb >> 8, c.alpha) << 8 |
	       channel_of(c.rgb, c.alpha);
}

static void area_tint(struct area a, struct colour colour)
{
	const uint32_t added = with_alpha(colour);
	for (size_t y = 0; y < a.height; y++)
		pixels_tint(a.at + y * a.stride, a.width, added);
}

/* For whoever writes into them. */
static uint32_t *pixels_of(struct cairo_canvas *c)
{
	if (!c->is_ours)
		cairo_surface_flush(c->surface);
	c->is_ours = true;
	return (uint32_t *)(void *)cairo_image_surface_get_data(c->surface);
}

static size_t pixels_across(const struct cairo_canvas *c)
{
	return (size_t)cairo_image_surface_get_width(c->surface);
}

static struct painted painted_of(struct cairo_canvas *c)
{
	return (struct painted){ pixels_of(c), c->first_row, (size_t)cairo_image_surface_get_height(c->surface),
		(size_t)cairo_image_surface_get_stride(c->surface) / sizeof(uint32_t) };
}

/* What cairo would do with a box of whole pixels, of the page, in a hundredth of the time: a map has thousands of cells. */
static void pixels_draw(struct cairo_canvas *c, struct point from, struct point to, struct colour colour)
{
	const struct painted on = painted_of(c);
	const size_t width = pixels_across(c);
	const double first = (double)on.first_row;
	const size_t left = within(from.x, width), top = within(from.y - first, on.n_rows);
	const size_t right = within(to.x, width), bottom = within(to.y - first, on.n_rows);
	const struct area area = { on.at + top * on.stride + left, right - left, bottom - top, on.stride };
	if (area.width && area.height && colour.alpha < 1)
		area_tint(area, colour);
	else if (area.width && area.height)
		area_fill(area, colour.rgb);
}

static void cell_on_pixels(struct cairo_canvas *c, struct box b, struct colour colour)
{
	const double s = c->scale;
	const struct point from = { round(b.x * s), round(b.y * s) };
	const struct point to = { fmax(round((b.x + b.w) * s), from.x + 1), fmax(round((b.y + b.h) * s), from.y + 1) };
	pixels_draw(c, from, to, colour);
}

static void cairo_cell(struct canvas *c, struct box b, struct colour colour)
{
	struct cairo_canvas *const own = (struct cairo_canvas *)c;
	if (!own->is_vector) {
		cell_on_pixels(own, b, colour);
		return;
	}
	const double s = own->scale, left = round(b.x * s) / s, top = round(b.y * s) / s;
	const double right = fmax(round((b.x + b.w) * s) / s, left + 1 / s) + SEAM_RIGHT;
	const double bottom = fmax(round((b.y + b.h) * s) / s, top + 1 / s);
	set_colour(own->cr, colour);
	cairo_rectangle(own->cr, left, top, right - left, bottom - top);
	cairo_fill(own->cr);
}

static bool is_whole(double pixels)
{
	return pixels == floor(pixels);
}

/* False, and nothing, where an edge lies within a pixel. */
static bool box_on_pixels(struct cairo_canvas *c, struct point from, struct point to, struct colour colour)
{
	if (!is_whole(from.x) || !is_whole(from.y) || !is_whole(to.x) || !is_whole(to.y))
		return false;
	pixels_draw(c, from, to, colour);
	return true;
}

static void cairo_box(struct canvas *c, struct box b, double radius, struct colour colour)
{
	struct cairo_canvas *const own = (struct cairo_canvas *)c;
	const double s = own->scale;
	const struct point from = { fmin(b.x, b.x + b.w) * s, fmin(b.y, b.y + b.h) * s };
	const struct point to = { fmax(b.x, b.x + b.w) * s, fmax(b.y, b.y + b.h) * s };
	if (!own->is_vector && radius <= 0 && box_on_pixels(own, from, to, colour))
		return;
	cairo_t *const cr = cr_of(c);
	set_colour(cr, colour);
	if (radius > 0)
		round_path(cr, b, radius);
	else
		cairo_rectangle(cr, b.x, b.y, b.w, b.h);
	cairo_fill(cr);
}

static double snapped(double v, double scale, double width)
{
	return floor(v * scale) / scale + width / 2;
}

/* A plain line that covers whole pixels; false when it does not. */
static bool rule_on_pixels(struct cairo_canvas *c, struct point from, struct point to, struct pen pen)
{
	const double s = c->scale, half = pen.width / 2;
	const double beside = from.y == to.y ? 0 : half, above = from.y == to.y ? half : 0;
	const struct point begin = { (fmin(from.x, to.x) - beside) * s, (fmin(from.y, to.y) - above) * s };
	const struct point end = { (fmax(from.x, to.x) + beside) * s, (fmax(from.y, to.y) + above) * s };
	return pen.dash_on <= 0 && box_on_pixels(c, begin, end, pen.colour);
}

static void cairo_rule(struct canvas *c, struct point from, struct point to, struct pen pen)
{
	const double s = ((struct cairo_canvas *)c)->scale;
	if (from.y == to.y)
		from.y = to.y = snapped(from.y, s, pen.width);
	else
		from.x = to.x = snapped(from.x, s, pen.width);
	if (!((struct cairo_canvas *)c)->is_vector && rule_on_pixels((struct cairo_canvas *)c, from, to, pen))
		return;
	cairo_t *const cr = cr_of(c);
	set_pen(cr, pen);
	cairo_move_to(cr, from.x, from.y);
	cairo_line_to(cr, to.x, to.y);
	cairo_stroke(cr);
}

static void ribbon_on_pixels(struct cairo_canvas *c, const struct ribbon *ribbon, struct colour colour)
{
	const struct painted on = painted_of(c);
	ribbon_paint(ribbon, &on, with_alpha(colour));
}

/* False, and nothing, where it is no ribbon. */
static bool line_on_pixels(struct cairo_canvas *c, const struct point *at, size_t n, struct pen pen)
{
	struct ribbon ribbon;
	arena_reset(&c->scratch);
	if (c->is_vector || pen.dash_on > 0 || !ribbon_of_line(&c->scratch, at, n, pen.width, c->scale, pixels_across(c), &ribbon))
		return false;
	ribbon_on_pixels(c, &ribbon, pen.colour);
	return true;
}

static bool area_on_pixels(struct cairo_canvas *c, const struct point *at, size_t n, struct colour colour)
{
	struct ribbon ribbon;
	arena_reset(&c->scratch);
	if (c->is_vector || !ribbon_of_area(&c->scratch, at, n, c->scale, pixels_across(c), &ribbon))
		return false;
	ribbon_on_pixels(c, &ribbon, colour);
	return true;
}

static void cairo_polyline(struct canvas *c, const struct point *at, size_t n, struct pen pen)
{
	if (line_on_pixels((struct cairo_canvas *)c, at, n, pen))
		return;
	cairo_t *const cr = cr_of(c);
	line_path(cr, at, n);
	set_pen(cr, pen);
	cairo_stroke(cr);
}

static void cairo_polygon(struct canvas *c, const struct point *at, size_t n, double rounding, struct colour colour)
{
	if (rounding == 0 && area_on_pixels((struct cairo_canvas *)c, at, n, colour))
		return;
	cairo_t *const cr = cr_of(c);
	line_path(cr, at, n);
	cairo_close_path(cr);
	set_pen(cr, (struct pen){ .colour = colour, .width = rounding });
	if (rounding > 0)
		cairo_stroke_preserve(cr);
	cairo_fill(cr);
}

static void cairo_circle(struct canvas *c, struct point centre, double radius, struct colour colour)
{
	cairo_t *cr = cr_of(c);
	set_colour(cr, colour);
	cairo_new_path(cr);
	cairo_arc(cr, centre.x, centre.y, radius, 0, 2 * acos(-1));
	cairo_fill(cr);
}

/* Lines x - y = k x pitch: their phase comes from the page, so they run on through stacked panels. */
static void cairo_hatch(struct canvas *c, struct box b, struct colour ground, struct colour line)
{
	cairo_t *cr = cr_of(c);
	cairo_save(cr);
	cairo_rectangle(cr, b.x, b.y, b.w, b.h);
	cairo_clip_preserve(cr);
	set_colour(cr, ground);
	cairo_fill(cr);
	set_pen(cr, (struct pen){ .colour = line, .width = HATCH_WIDTH });
	const int first = (int)floor((b.x - b.y - b.h) / HATCH_PITCH) - 1, last = (int)ceil((b.x + b.w - b.y) / HATCH_PITCH) + 1;
	for (int k = first; k <= last; k++) {
		cairo_move_to(cr, k * HATCH_PITCH + b.y, b.y);
		cairo_line_to(cr, k * HATCH_PITCH + b.y + b.h, b.y + b.h);
	}
	cairo_stroke(cr);
	cairo_restore(cr);
}

static int place_glyphs(const struct font *font, cairo_glyph_t *out, struct point at, const char *text, struct lettering how)
{
	int n = 0;
	for (; *text && n < MAX_GLYPHS; n++) {
		const uint32_t character = font_next(font, &text);
		out[n] = (cairo_glyph_t){ font_glyph(font, character, how.bold), at.x, at.y };
		at.x += font_advance(font, character, how.size, how.bold);
	}
	return n;
}

/* Glyphs with the characters that they stand for, so that text of a PDF can be selected and found. */
static void show_characters(struct cairo_canvas *own, const cairo_glyph_t *glyphs, int n, const char *text)
{
	cairo_text_cluster_t clusters[MAX_GLYPHS];
	struct buf drawn;
	buf_init(&drawn, SIZE_MAX);
	font_put_drawn(own->base.font, text, &drawn);
	const char *at = drawn.at;
	for (int i = 0; i < n; i++) {
		const char *const begin = at;
		font_next(own->base.font, &at);
		clusters[i] = (cairo_text_cluster_t){ (int)(at - begin), 1 };
	}
	cairo_show_text_glyphs(own->cr, drawn.at, (int)(at - drawn.at), glyphs, n, clusters, n, 0);
	buf_release(&drawn);
}

/*
 * Threads share cairo's font of a size. Where the last of them lets go of it while another one takes it up again, cairo 1.16 asserts that
 * it is not in use, and ends the program: so that nobody is the last one, it is held until all is drawn.
 */
static void hold_size(struct letters *letters, cairo_scaled_font_t *font)
{
	size_t i = 0;

	pthread_mutex_lock(&letters->mutex);
	while (i < letters->n_sized && letters->sized[i] != font)
		i++;
	if (i == letters->n_sized && i < MOST_SIZES)
		letters->sized[letters->n_sized++] = cairo_scaled_font_reference(font);
	pthread_mutex_unlock(&letters->mutex);
}

static void cairo_text(struct canvas *c, struct point at, const char *text, struct lettering how)
{
	struct cairo_canvas *own = (struct cairo_canvas *)c;
	cairo_t *const cr = cr_of(c);
	cairo_glyph_t glyphs[MAX_GLYPHS];
	const double width = how.align == ALIGN_LEFT ? 0 : font_width(c->font, text, how.size, how.bold);
	at.x -= how.align == ALIGN_RIGHT ? width : width / 2;
	const int n = place_glyphs(c->font, glyphs, at, text, how);
	cairo_set_font_face(cr, own->letters->face[how.bold]);
	cairo_set_font_size(cr, how.size);
	hold_size(own->letters, cairo_get_scaled_font(cr));
	if (how.halo.alpha > 0) {
		cairo_new_path(cr);
		cairo_glyph_path(cr, glyphs, n);
		set_pen(cr, (struct pen){ .colour = how.halo, .width = HALO_WIDTH });
		cairo_stroke(cr);
	}
	set_colour(cr, how.colour);
	if (own->is_vector)
		show_characters(own, glyphs, n, text);
	else
		cairo_show_glyphs(cr, glyphs, n);
}

static const struct canvas_verbs cairo_verbs = {
	.box = cairo_box,
	.cell = cairo_cell,
	.rule = cairo_rule,
	.polyline = cairo_polyline,
	.polygon = cairo_polygon,
	.circle = cairo_circle,
	.hatch = cairo_hatch,
	.text = cairo_text,
};

static void ft_face_release(void *p)
{
	const FT_Face face = p;
	const FT_Library library = face->glyph->library;
	FT_Done_Face(face);
	FT_Done_FreeType(library);
}

/*
 * cairo keeps fonts in a cache of its own for longer than we live, so each face has a FreeType
 * to itself and takes it along when cairo lets it go.
 */
static cairo_font_face_t *face_new(bool bold)
{
	const struct slice file = font_file(bold);
	FT_Library library = NULL;
	FT_Face face = NULL;
	if (FT_Init_FreeType(&library))
		die_memory();
	const FT_Error error = FT_New_Memory_Face(library, (const FT_Byte *)file.p, (FT_Long)file.n, 0, &face);
	if (error)
		font_refused(error);
	cairo_font_face_t *const out = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING);
	if (cairo_font_face_set_user_data(out, &face_key, face, ft_face_release))
		die_memory();
	return out;
}

struct letters *letters_new(struct arena *mem)
{
	struct letters *const letters = NEW(mem, struct letters);
	pthread_mutex_init(&letters->mutex, NULL);
	letters->face[0] = face_new(false);
	letters->face[1] = face_new(true);
	return letters;
}

void letters_release(struct letters *letters)
{
	for (size_t i = 0; i < letters->n_sized; i++)
		cairo_scaled_font_destroy(letters->sized[i]);
	pthread_mutex_destroy(&letters->mutex);
	cairo_font_face_destroy(letters->face[0]);
	cairo_font_face_destroy(letters->face[1]);
}

/* No hinting at all: at twice the size letters are crisp without it, and layout is the same at each scale. */
static void set_font_options(cairo_t *cr)
{
	cairo_font_options_t *const options = cairo_font_options_create();
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

static struct cairo_canvas *canvas_on(struct arena *mem, const struct font *font, struct letters *letters, cairo_surface_t *surface,
	double scale)
{
	struct cairo_canvas *c = NEW(mem, struct cairo_canvas);
	c->base = (struct canvas){ .verbs = &cairo_verbs, .font = font };
	arena_init(&c->scratch);
	c->scale = scale;
	c->surface = surface;
	c->cr = cairo_create(c->surface);
	if (cairo_status(c->cr) == CAIRO_STATUS_NO_MEMORY)
		die_memory();
	c->letters = letters;
	cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
	set_font_options(c->cr);
	return c;
}

/* As many rows as are usual from `top` on; fewer, or else more, where no band may begin behind them. */
static size_t band_end(const struct banding *b, size_t top)
{
	if (b->usual_rows >= b->n_rows - top)
		return b->n_rows;
	for (size_t end = top + b->usual_rows; end > top; end--)
		if (!b->is_held[end])
			return end;
	size_t end = top + b->usual_rows + 1;
	while (end < b->n_rows && b->is_held[end])
		end++;
	return end;
}

static size_t most_rows(const struct banding *b)
{
	size_t most = 1;
	for (size_t top = 0, end; top < b->n_rows; top = end) {
		end = band_end(b, top);
		most = end - top > most ? end - top : most;
	}
	return most;
}

static struct banding banding_of(struct arena *mem, const struct canvas *kept, const struct paper *paper, size_t row_bytes, size_t n_rows)
{
	return (struct banding){
		.kept = kept,
		.is_held = canvas_replay_held(mem, kept, paper->scale, n_rows),
		.n_rows = n_rows,
		.usual_rows = row_bytes < paper->band_bytes ? paper->band_bytes / row_bytes : 1,
	};
}

struct canvas *canvas_cairo_new(struct arena *mem, const struct font *font, struct letters *letters, const struct canvas *kept,
	const struct paper *paper)
{
	const size_t n_across = (size_t)ceil(paper->width * paper->scale), n_down = (size_t)ceil(paper->height * paper->scale);
	const size_t row_bytes = n_across * sizeof(uint32_t);
	struct banding bands = { .n_rows = 0 };
	uint32_t *pixels = NULL; /* not cleared: a page is filled before anything is drawn on it */
	size_t n_rows = n_down; /* cairo refuses a surface of too many, as it would the whole page */
	if (n_across <= MOST_DOWN && n_down <= MOST_DOWN) {
		bands = banding_of(mem, kept, paper, row_bytes, n_down);
		n_rows = most_rows(&bands);
		pixels = NEW_RAW_ARRAY(mem, uint32_t, n_across * n_rows);
	}
	cairo_surface_t *const surface =
		cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, (int)n_across, (int)n_rows,
			(int)row_bytes);
	struct cairo_canvas *const c = canvas_on(mem, font, letters, surface, paper->scale);
	c->bands = bands;
	return &c->base;
}

static cairo_status_t put_bytes(void *out, const unsigned char *bytes, unsigned n)
{
	buf_put(out, (struct slice){ (const char *)bytes, n });
	return CAIRO_STATUS_SUCCESS;
}

#define VECTOR_SCALE 2 /* the pixels of the usual picture: a vector at that size is as crisp */

static cairo_status_t put_svg(void *out, const unsigned char *bytes, unsigned n)
{
	svg_put(out, (struct slice){ (const char *)bytes, n });
	return CAIRO_STATUS_SUCCESS;
}

struct canvas *canvas_svg_new(struct arena *mem, const struct font *font, struct letters *letters, double width, double height,
	struct svg *out)
{
	cairo_surface_t *const surface = cairo_svg_surface_create_for_stream(put_svg, out, width, height);
	struct cairo_canvas *const c = canvas_on(mem, font, letters, surface, VECTOR_SCALE);
	cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
	c->is_vector = true;
	return &c->base;
}

#define A4_WIDTH 595.276 /* points */

struct canvas *canvas_pdf_new(struct arena *mem, const struct font *font, struct letters *letters, const struct pdf_words *words,
	struct buf *out)
{
	cairo_surface_t *const surface = cairo_pdf_surface_create_for_stream(put_bytes, out, A4_WIDTH, A4_WIDTH);
	struct cairo_canvas *const c = canvas_on(mem, font, letters, surface, VECTOR_SCALE);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL); /* else it is the time of day */
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, words->title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, words->subject);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, words->software);
	c->is_vector = true;
	return &c->base;
}

void canvas_pdf_page(struct canvas *c, double width, double height)
{
	struct cairo_canvas *const own = (struct cairo_canvas *)c;
	const double points = A4_WIDTH / width; /* a unit */
	cairo_pdf_surface_set_size(own->surface, A4_WIDTH, height * points);
	cairo_identity_matrix(own->cr);
	cairo_scale(own->cr, points, points);
}

void canvas_pdf_page_end(struct canvas *c)
{
	cairo_show_page(((struct cairo_canvas *)c)->cr);
}

static struct pixels band_draw(void *context, size_t top)
{
	struct cairo_canvas *const c = context;
	const size_t end = band_end(&c->bands, top);
	cairo_matrix_t onto_band;
	cairo_matrix_init(&onto_band, c->scale, 0, 0, c->scale, 0, -(double)top);
	cairo_set_matrix(c->cr, &onto_band);
	c->first_row = top;
	canvas_replay(c->bands.kept, &c->base, (double)top / c->scale, (double)end / c->scale);
	cairo_surface_flush(c->surface);
	return (struct pixels){
		.at = (const uint32_t *)(const void *)cairo_image_surface_get_data(c->surface),
		.width = (size_t)cairo_image_surface_get_width(c->surface),
		.height = end - top,
		.stride = (size_t)cairo_image_surface_get_stride(c->surface) / sizeof(uint32_t),
	};
}

/* None of a page that is too high for cairo: the release of the canvas tells. */
struct bands canvas_cairo_bands(struct canvas *c)
{
	struct cairo_canvas *const own = (struct cairo_canvas *)c;
	return (struct bands){ (size_t)cairo_image_surface_get_width(own->surface), own->bands.n_rows, band_draw, own };
}

bool canvas_cairo_release(struct canvas *c)
{
	struct cairo_canvas *own = (struct cairo_canvas *)c;
	const bool drawn = !cairo_status(own->cr);
	cairo_destroy(own->cr);
	cairo_surface_finish(own->surface);
	const bool written = !cairo_surface_status(own->surface);
	cairo_surface_destroy(own->surface);
	arena_release(&own->scratch);
	return drawn && written;
}
