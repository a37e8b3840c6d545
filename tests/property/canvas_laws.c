/*
 * canvas_laws.c - what is kept to be drawn later is drawn as if it were drawn at once, and in whatever bands; cells are what cairo
 * makes of boxes, and lines and areas over time nearly what it makes of them.
 */
#include "laws.h"

#include "chart/canvas.h"
#include <math.h>
#include <string.h>

#define WIDTH 300
#define HEIGHT 1500
#define SCALE 2
#define LIST_MAX ((size_t)64 << 20)
#define ROW_PIXELS ((size_t)WIDTH * SCALE)
#define N_ROWS ((size_t)HEIGHT * SCALE)
#define N_POINTS 40

static double place(struct random *r, int end)
{
	return (double)random_below(r, end * 4) / 4 - 10 + (random_one_in(r, 2) ? 0.1 : 0);
}

static struct colour any_colour(struct random *r)
{
	const uint32_t rgb = (uint32_t)random_below(r, 1 << 24);
	return (struct colour){ rgb, random_one_in(r, 2) ? 1 : (double)random_below(r, 1000) / 1000 };
}

static struct box any_box(struct random *r)
{
	return (struct box){ place(r, WIDTH), place(r, HEIGHT), random_below(r, 100), random_below(r, 300) };
}

static struct pen any_pen(struct random *r)
{
	const double dash = random_one_in(r, 3) ? 1.6 : 0;
	return (struct pen){ any_colour(r), (double)(1 + random_below(r, 8)) / 2, dash * 2, dash };
}

static void draw_points(struct random *r, struct canvas *c)
{
	struct point at[N_POINTS];
	const size_t n = 2 + (size_t)random_below(r, N_POINTS - 1);
	const double y = place(r, HEIGHT), height = 1 + random_below(r, 400);
	for (size_t i = 0; i < n; i++)
		at[i] = (struct point){ place(r, WIDTH), y + height * random_below(r, 1000) / 1000 };
	if (random_one_in(r, 2))
		c->verbs->polyline(c, at, n, any_pen(r));
	else
		c->verbs->polygon(c, at, n, random_below(r, 3), any_colour(r));
}

static void draw_rule(struct random *r, struct canvas *c)
{
	const struct point from = { place(r, WIDTH), place(r, HEIGHT) };
	const double far = random_below(r, 300);
	const bool is_level = random_one_in(r, 2);
	c->verbs->rule(c, from, (struct point){ from.x + (is_level ? far : 0), from.y + (is_level ? 0 : far) }, any_pen(r));
}

static void draw_text(struct random *r, struct canvas *c)
{
	char words[] = "\303\204gypten, 100 \302\260C: jQ|";
	const struct colour halo = { 0xffffff, random_one_in(r, 2) ? 0.88 : 0 };
	words[3] = (char)('a' + random_below(r, 26));
	c->verbs->text(c, (struct point){ place(r, WIDTH), place(r, HEIGHT) }, words,
		(struct lettering){ 8 + random_below(r, 8), random_one_in(r, 2), (enum align)random_below(r, 3), any_colour(r), halo });
	words[3] = '?'; /* who keeps it keeps it as it was */
}

static void draw_any(struct random *r, struct canvas *c)
{
	switch (random_below(r, 7)) {
	case 0:
		c->verbs->box(c, any_box(r), random_one_in(r, 2) ? random_below(r, 20) : 0, any_colour(r));
		break;
	case 1:
		c->verbs->cell(c, any_box(r), any_colour(r));
		break;
	case 2:
		draw_rule(r, c);
		break;
	case 3:
		draw_points(r, c);
		break;
	case 4:
		c->verbs->circle(c, (struct point){ place(r, WIDTH), place(r, HEIGHT) }, random_below(r, 60), any_colour(r));
		break;
	case 5:
		c->verbs->hatch(c, any_box(r), any_colour(r), any_colour(r));
		break;
	default:
		draw_text(r, c);
		break;
	}
}

static void ground_draw(struct canvas *c)
{
	c->verbs->box(c, (struct box){ 0, 0, WIDTH, HEIGHT }, 0, (struct colour){ 0xfedcba, 1 });
}

static void draw_page(struct random *r, struct canvas *c, int n_marks)
{
	ground_draw(c);
	for (int i = 0; i < n_marks; i++)
		draw_any(r, c);
}

/* To another canvas, call by call. */
static bool what_is_kept_is_told_again(struct random *r, struct arena *mem)
{
	const struct font *const font = font_new(mem);
	struct canvas *const kept = canvas_replay_new(mem, font);
	struct buf at_once, later;

	buf_init(&at_once, LIST_MAX);
	buf_init(&later, LIST_MAX);
	struct random again = *r;
	draw_page(r, canvas_text_new(mem, font, &at_once), 60);
	draw_page(&again, kept, 60);
	canvas_replay(kept, canvas_text_new(mem, font, &later), -HEIGHT, 2 * HEIGHT);
	const bool holds = at_once.n == later.n && memcmp(at_once.at, later.at, later.n) == 0;
	buf_release(&at_once);
	buf_release(&later);
	return holds;
}

/* cairo leaves the fourth byte of a pixel open. */
static bool are_alike(const uint32_t *a, const uint32_t *b, size_t n_rows)
{
	for (size_t i = 0; i < n_rows * ROW_PIXELS; i++)
		if ((a[i] ^ b[i]) & 0xffffff)
			return false;
	return true;
}

/* All pixels of a page. */
static const uint32_t *page_of(struct arena *mem, const struct canvas *kept, size_t band_bytes)
{
	struct letters *const letters = letters_new(mem);
	struct canvas *const pixels =
		canvas_cairo_new(mem, kept->font, letters, kept, &(struct paper){ WIDTH, HEIGHT, SCALE, band_bytes });
	const struct bands bands = canvas_cairo_bands(pixels);
	uint32_t *const page = NEW_ARRAY(mem, uint32_t, N_ROWS * ROW_PIXELS);

	for (size_t y = 0; y < bands.height;) {
		const struct pixels band = bands.draw(bands.context, y);
		memcpy(page + y * ROW_PIXELS, band.at, band.height * ROW_PIXELS * sizeof *page);
		y += band.height;
	}
	const bool is_drawn = canvas_cairo_release(pixels) && bands.width == ROW_PIXELS && bands.height == N_ROWS;
	letters_release(letters);
	return is_drawn ? page : NULL;
}

static bool bands_show_nowhere(struct random *r, struct arena *mem)
{
	struct canvas *const kept = canvas_replay_new(mem, font_new(mem));
	const size_t row_bytes = ROW_PIXELS * sizeof(uint32_t), all = N_ROWS * row_bytes;

	draw_page(r, kept, random_below(r, 30));
	const uint32_t *const at_once = page_of(mem, kept, all), *const in_bands = page_of(mem, kept, (size_t)random_below(r, (int)all));
	return at_once && in_bands && are_alike(at_once, in_bands, N_ROWS);
}

static struct box box_on_pixels(struct random *r)
{
	return (struct box){ random_below(r, WIDTH * 2) / 2.0 - 20, random_below(r, HEIGHT * 2) / 2.0 - 20, 0.5 * (1 + random_below(r, 200)),
		0.5 * (1 + random_below(r, 200)) };
}

/* As a polygon, which is not from left to right: cairo fills it. */
static void draw_as_polygon(struct canvas *c, struct box b, struct colour colour)
{
	const double right = b.x + b.w, bottom = b.y + b.h;

	c->verbs->polygon(c, (struct point[]){ { right, b.y }, { right, bottom }, { b.x, bottom }, { b.x, b.y } }, 4, 0, colour);
}

/* With an edge within a pixel, or all of them. */
static struct box box_within_pixels(struct random *r, struct box b)
{
	b.x += random_one_in(r, 2) ? random_below(r, 8) / 16.0 : 0;
	b.y += random_one_in(r, 2) ? random_below(r, 8) / 16.0 : 0;
	b.w += random_one_in(r, 2) ? random_below(r, 8) / 16.0 : 0;
	b.h += random_one_in(r, 2) ? random_below(r, 8) / 16.0 : 0;
	return b;
}

/* Cells, boxes and rules on whole pixels are filled without it. */
static void draw_on_pixels(struct random *r, struct canvas *c, struct box b, struct colour colour)
{
	const struct point at = { b.x, b.y };

	switch (random_below(r, 5)) {
	case 0:
		c->verbs->cell(c, b, colour);
		break;
	case 1:
		c->verbs->box(c, b, 0, colour);
		break;
	case 2:
		c->verbs->box(c, (struct box){ b.x + b.w, b.y, -b.w, b.h }, 0, colour);
		break;
	case 3:
		c->verbs->rule(c, at, (struct point){ b.x + b.w, b.y }, (struct pen){ colour, b.h, 0, 0 });
		break;
	default:
		c->verbs->rule(c, at, (struct point){ b.x, b.y + b.h }, (struct pen){ colour, b.w, 0, 0 });
		break;
	}
}

static bool whole_pixels_are_what_cairo_makes_of_them(struct random *r, struct arena *mem)
{
	const struct font *const font = font_new(mem);
	struct canvas *const ours = canvas_replay_new(mem, font), *const cairos = canvas_replay_new(mem, font);

	ground_draw(ours);
	ground_draw(cairos);
	for (int i = 0; i < 100; i++) {
		const struct box b = box_on_pixels(r), within = box_within_pixels(r, b);
		const struct colour colour = any_colour(r);
		draw_on_pixels(r, ours, b, colour);
		draw_as_polygon(cairos, b, colour);
		ours->verbs->box(ours, within, 0, colour);
		draw_as_polygon(cairos, within, colour);
	}
	const uint32_t *const of_ours = page_of(mem, ours, (size_t)1 << 20), *const of_cairos = page_of(mem, cairos, (size_t)1 << 20);
	return of_ours && of_cairos && are_alike(of_ours, of_cairos, N_ROWS);
}

/* Of a box on whole pixels. */
static bool round_corners_are_left_out(struct random *r, struct arena *mem)
{
	struct canvas *const kept = canvas_replay_new(mem, font_new(mem));
	const int x = random_below(r, WIDTH - 20), y = random_below(r, HEIGHT - 20);

	ground_draw(kept);
	kept->verbs->box(kept, (struct box){ x, y, 20, 20 }, 8, (struct colour){ 0, 1 });
	const uint32_t *const page = page_of(mem, kept, (size_t)1 << 20);
	const size_t corner = (size_t)y * SCALE * ROW_PIXELS + (size_t)x * SCALE, middle = corner + 10 * SCALE * (ROW_PIXELS + 1);
	return page && (page[corner] & 0xffffff) == 0xfedcba && (page[middle] & 0xffffff) == 0;
}

static size_t n_times(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* Where there are no pixels each is drawn by cairo, also what would fill whole ones. */
static bool vectors_have_all_boxes(struct random *r, struct arena *mem)
{
	const struct font *const font = font_new(mem);
	struct letters *const letters = letters_new(mem);
	const size_t n = 1 + (size_t)random_below(r, 20);
	struct buf text;
	struct svg svg;

	buf_init(&text, LIST_MAX);
	svg_begin(&svg, &text, NULL, NULL);
	struct canvas *const c = canvas_svg_new(mem, font, letters, WIDTH, HEIGHT, &svg);
	for (size_t i = 0; i < n; i++)
		c->verbs->box(c, (struct box){ (double)i, 0, 1, 1 + random_below(r, 20) }, 0, (struct colour){ any_colour(r).rgb, 1 });
	const bool is_written = canvas_cairo_release(c);
	svg_end(&svg);
	letters_release(letters);
	buf_char(&text, '\0');
	const bool has_all = is_written && n_times(text.at, "<path ") + n_times(text.at, "<rect ") >= n;
	buf_release(&text);
	return has_all;
}

/* ---- lines and areas over time ---- */

#define LEVEL_ENDS 6 /* units: where a line bends near its end, cairo makes less of the round corner */

/* From left to right, at times several above each other; mostly on the page. */
static size_t curve_points(struct random *r, struct point *at)
{
	const size_t n = 4 + (size_t)random_below(r, N_POINTS - 3);
	const double y = place(r, HEIGHT), height = random_below(r, 300), step = (1 + random_below(r, 4 * WIDTH / N_POINTS)) / 4.0;
	double x = place(r, WIDTH);

	for (size_t i = 0; i < n; i++) {
		at[i] = (struct point){ x, y + height * random_below(r, 1000) / 1000 };
		x += random_one_in(r, 8) ? 0 : random_one_in(r, 8) ? pow(10, -4 - random_below(r, 8)) : step * (1 + random_below(r, 2));
	}
	at[0] = (struct point){ at[1].x - LEVEL_ENDS, at[1].y };
	at[n - 1] = (struct point){ at[n - 2].x + LEVEL_ENDS, at[n - 2].y };
	return n;
}

/* And back again, below or above. */
static size_t area_points(struct random *r, struct point *at)
{
	const size_t n = curve_points(r, at);
	const bool is_band = random_one_in(r, 2);
	const double y = place(r, HEIGHT);

	if (!is_band) { /* down to a level line */
		at[n] = (struct point){ at[n - 1].x, y };
		at[n + 1] = (struct point){ at[0].x, y };
		return n + 2;
	}
	for (size_t i = 0; i < n; i++)
		at[n + i] = (struct point){ at[n - 1 - i].x, at[n - 1 - i].y + random_below(r, 200) / 4.0 };
	return 2 * n;
}

/* The same, but not from left to right: a line from its end, an area from the second point on. */
static void draw_otherwise(struct canvas *c, const struct point *at, size_t n, bool is_line, struct pen pen)
{
	struct point other[2 * N_POINTS + 2];

	for (size_t i = 0; i < n; i++)
		other[i] = is_line ? at[n - 1 - i] : at[(i + 1) % n];
	if (is_line)
		c->verbs->polyline(c, other, n, pen);
	else
		c->verbs->polygon(c, other, n, 0, pen.colour);
}

/* By how much a pixel differs in the channel in which it does most. */
static unsigned difference_of(uint32_t a, uint32_t b)
{
	unsigned most = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		const int off = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);
		const unsigned far = (unsigned)(off < 0 ? -off : off);
		most = far > most ? far : most;
	}
	return most;
}

#define FURTHEST_OFF 64 /* of 255: two eighths of a pixel across */
#define FEW_FURTHER 2	/* pixels, as cairo takes one where two steep sides meet for covered */
#define USUALLY_OFF 12	/* of all that either touches, also where a line goes up and down by hundreds of pixels */
#define LEAST_TOUCHED 64 /* pixels: of so few one that is off weighs much */
#define GROUND 0xffffffU

static bool are_nearly_alike(const uint32_t *a, const uint32_t *b)
{
	size_t sum = 0, n_touched = LEAST_TOUCHED, n_far = 0;

	for (size_t i = 0; i < N_ROWS * ROW_PIXELS; i++) {
		const unsigned off = difference_of(a[i], b[i]);
		sum += off;
		n_far += off > FURTHEST_OFF;
		n_touched += ((a[i] & b[i]) & GROUND) != GROUND;
	}
	return n_far <= FEW_FURTHER && sum <= USUALLY_OFF * n_touched;
}

/* What does not run from left to right is cairo's. */
static bool ribbons_cover_what_cairo_covers(struct random *r, struct arena *mem)
{
	const struct font *const font = font_new(mem);
	struct canvas *const there = canvas_replay_new(mem, font), *const otherwise = canvas_replay_new(mem, font);
	const struct pen pen = { any_colour(r), (double)(2 + random_below(r, 8)) / 2, 0, 0 };
	const bool is_line = random_one_in(r, 2);
	struct point at[2 * N_POINTS + 2];
	const size_t n = is_line ? curve_points(r, at) : area_points(r, at);

	there->verbs->box(there, (struct box){ 0, 0, WIDTH, HEIGHT }, 0, (struct colour){ GROUND, 1 });
	otherwise->verbs->box(otherwise, (struct box){ 0, 0, WIDTH, HEIGHT }, 0, (struct colour){ GROUND, 1 });
	if (is_line)
		there->verbs->polyline(there, at, n, pen);
	else
		there->verbs->polygon(there, at, n, 0, pen.colour);
	draw_otherwise(otherwise, at, n, is_line, pen);
	const uint32_t *const ours = page_of(mem, there, (size_t)1 << 20), *const cairos = page_of(mem, otherwise, (size_t)1 << 20);
	return ours && cairos && are_nearly_alike(ours, cairos);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(what_is_kept_is_told_again, 1000),
		LAW_ONE_IN(bands_show_nowhere, 500),
		LAW_ONE_IN(round_corners_are_left_out, 1000),
		LAW_ONE_IN(vectors_have_all_boxes, 1000),
		LAW_ONE_IN(whole_pixels_are_what_cairo_makes_of_them, 1000),
		LAW_ONE_IN(ribbons_cover_what_cairo_covers, 500),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
