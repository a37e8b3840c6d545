/* ribbon.c - edges of lines and areas, and colour between them. */
#include "chart/ribbon.h"
#include "chart/blend.h"
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define PARTS RIBBON_PARTS

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_whole __attribute__((vector_size(16)));

#ifdef __SSE2__
static inline four lower_of(four a, four b)
{
	return (four)_mm_min_ps((__m128)a, (__m128)b);
}

static inline four higher_of(four a, four b)
{
	return (four)_mm_max_ps((__m128)a, (__m128)b);
}

static inline four roots_of(four of)
{
	return (four)_mm_sqrt_ps((__m128)of);
}
#else
static inline four lower_of(four a, four b)
{
	const four_whole is_a = a < b;
	return (four)(((four_whole)a & is_a) | ((four_whole)b & ~is_a));
}

static inline four higher_of(four a, four b)
{
	const four_whole is_a = a > b;
	return (four)(((four_whole)a & is_a) | ((four_whole)b & ~is_a));
}

static inline four roots_of(four of)
{
	return (four){ sqrtf(of[0]), sqrtf(of[1]), sqrtf(of[2]), sqrtf(of[3]) };
}
#endif

/* Parts of pixels across, from the page's left on. */
struct parts {
	size_t first, end;
};

/* Those whose middle lies in [from, to). */
static struct parts parts_in(double from, double to, size_t end)
{
	const double first = ceil(from * PARTS - 0.5), behind = ceil(to * PARTS - 0.5), last = (double)end;
	return (struct parts){ first > 0 ? (size_t)fmin(first, last) : 0, behind > 0 ? (size_t)fmin(behind, last) : 0 };
}

#define ABREAST ((size_t)4)
_Static_assert(PARTS % ABREAST == 0, "parts of a page are looked at by fours");

/* Of four parts, which of them are some of these. */
static inline four_whole are_in(size_t part, struct parts these)
{
	const four_whole at = (int32_t)part + (four_whole){ 0, 1, 2, 3 };
	return (at >= (int32_t)these.first) & (at < (int32_t)these.end);
}

static inline four middles_of(size_t part)
{
	return ((float)part + (four){ 0.5F, 1.5F, 2.5F, 3.5F }) / PARTS;
}

struct edges {
	float *top, *bottom; /* of all parts of the page */
	size_t end;
};

/* Nothing, in all of them. */
static struct edges edges_new(struct arena *mem, size_t width)
{
	struct edges e = { .end = width * PARTS };
	e.top = NEW_RAW_ARRAY(mem, float, e.end);
	e.bottom = NEW_RAW_ARRAY(mem, float, e.end);
	for (size_t i = 0; i < e.end; i++) {
		e.top[i] = INFINITY;
		e.bottom[i] = -INFINITY;
	}
	return e;
}

/* From the first whole pixel that has any of these on. */
static struct ribbon ribbon_with(const struct edges *e, struct parts all)
{
	const size_t left = all.first / PARTS, right = (all.end + PARTS - 1) / PARTS;
	return (struct ribbon){ left, right - left, e->top + left * PARTS, e->bottom + left * PARTS };
}

static struct point scaled(struct point p, double scale)
{
	return (struct point){ p.x * scale, p.y * scale };
}

static bool runs_right(const struct point *at, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (!(at[i].x <= at[i + 1].x))
			return false;
	return n > 0 && isfinite(at[0].x) && isfinite(at[n - 1].x);
}

/* ---- lines ---- */

/* Of four parts, those that are some of these. */
static inline void edges_widen(const struct edges *e, size_t part, struct parts these, four top, four bottom)
{
	const four_whole inside = are_in(part, these);
	const four nothing = { INFINITY, INFINITY, INFINITY, INFINITY };
	four highest, lowest;
	memcpy(&highest, e->top + part, sizeof highest);
	memcpy(&lowest, e->bottom + part, sizeof lowest);
	highest = lower_of(highest, (four)(((four_whole)top & inside) | ((four_whole)nothing & ~inside)));
	lowest = higher_of(lowest, (four)(((four_whole)bottom & inside) | ((four_whole)-nothing & ~inside)));
	memcpy(e->top + part, &highest, sizeof highest);
	memcpy(e->bottom + part, &lowest, sizeof lowest);
}

/* Through a point: of what is steep the place across is exact, which is what counts. */
struct straight {
	float x, y, slope;
};

static struct straight straight_through(struct point p, double slope)
{
	return (struct straight){ (float)p.x, (float)p.y, (float)slope };
}

static inline four heights_at(struct straight s, four x)
{
	return s.y + (x - s.x) * s.slope;
}

#define UPRIGHT (1.0 / 1024) /* pixels across, of a stroke that is as good as upright */

/*
 * What a straight pen leaves between two points: it is as wide above the line as below, and ends across it. In each part that it reaches it
 * leaves something: what is nothing must not be added, as tops and bottoms are joined each for itself.
 */
static void stroke_add(const struct edges *e, struct point p, struct point q, double radius)
{
	const double dx = q.x - p.x, dy = q.y - p.y, length = sqrt(dx * dx + dy * dy);
	if (length <= 0)
		return;
	const double reach = radius * fabs(dy) / length;
	const struct parts parts = parts_in(p.x - reach, q.x + reach, e->end);
	const bool is_upright = dx < UPRIGHT && dx < fabs(dy);
	const struct straight on = straight_through(p, is_upright ? 0 : dy / dx);
	const float away = is_upright ? INFINITY : (float)(radius * length / dx);
	struct straight above = { 0, -INFINITY, 0 }, below = { 0, INFINITY, 0 }; /* the ends, where they are the edge */
	if (dy != 0) {
		above = straight_through(dy > 0 ? p : q, -dx / dy);
		below = straight_through(dy > 0 ? q : p, -dx / dy);
	}
	for (size_t i = parts.first / ABREAST * ABREAST; i < parts.end; i += ABREAST) {
		const four x = middles_of(i), y = heights_at(on, x);
		edges_widen(e, i, parts, higher_of(heights_at(above, x), y - away), lower_of(heights_at(below, x), y + away));
	}
}

/* A round corner. */
static void corner_add(const struct edges *e, struct point p, double radius)
{
	const struct parts parts = parts_in(p.x - radius, p.x + radius, e->end);
	const float x = (float)p.x, y = (float)p.y, square = (float)(radius * radius);
	for (size_t i = parts.first / ABREAST * ABREAST; i < parts.end; i += ABREAST) {
		const four aside = middles_of(i) - x, away = roots_of(higher_of(square - aside * aside, (four){ 0 }));
		edges_widen(e, i, parts, y - away, y + away);
	}
}

static bool is_level(struct point before, struct point at, struct point behind)
{
	return before.y == at.y && at.y == behind.y;
}

static bool is_same(struct point a, struct point b)
{
	return a.x == b.x && a.y == b.y;
}

bool ribbon_of_line(struct arena *mem, const struct point *at, size_t n, double line_width, double scale, size_t width,
	struct ribbon *out)
{
	const double radius = fmax(0, line_width / 2 * scale);
	if (n < 2 || !runs_right(at, n))
		return false;
	for (; n > 1 && is_same(at[0], at[1]); n--) /* where the pen doesn't move is no corner */
		at++;
	while (n > 1 && is_same(at[n - 2], at[n - 1]))
		n--;
	const struct edges e = edges_new(mem, width);
	const struct parts all = parts_in(at[0].x * scale - radius, at[n - 1].x * scale + radius, e.end);
	for (size_t i = 0; i + 1 < n; i++)
		stroke_add(&e, scaled(at[i], scale), scaled(at[i + 1], scale), radius);
	for (size_t i = 1; i + 1 < n; i++)
		if (!is_level(at[i - 1], at[i], at[i + 1]))
			corner_add(&e, scaled(at[i], scale), radius);
	*out = ribbon_with(&e, all);
	return true;
}

/* ---- areas ---- */

static void side_add(const struct edges *e, struct point p, struct point q)
{
	if (q.x - p.x <= 0)
		return;
	const struct parts parts = parts_in(p.x, q.x, e->end);
	const struct straight on = straight_through(p, (q.y - p.y) / (q.x - p.x));
	const float high = (float)fmin(p.y, q.y), low = (float)fmax(p.y, q.y);
	const four highest = { high, high, high, high }, lowest = { low, low, low, low }; /* of what is steep rounding would show */
	for (size_t i = parts.first / ABREAST * ABREAST; i < parts.end; i += ABREAST) {
		const four y = lower_of(higher_of(heights_at(on, middles_of(i)), highest), lowest);
		edges_widen(e, i, parts, y, y);
	}
}

/* How many points from the first on run to the right. */
static size_t n_there(const struct point *at, size_t n)
{
	size_t k = 1;
	while (k < n && at[k - 1].x <= at[k].x)
		k++;
	return k;
}

/* All that there are, and the first once more, run to the left from the last of those that run to the right. */
static bool runs_back(const struct point *at, size_t n, size_t there)
{
	for (size_t i = there - 1; i < n; i++)
		if (!(at[i].x >= at[(i + 1) % n].x))
			return false;
	return true;
}

bool ribbon_of_area(struct arena *mem, const struct point *at, size_t n, double scale, size_t width, struct ribbon *out)
{
	const size_t there = n_there(at, n);
	if (n < 3 || !runs_right(at, there) || !runs_back(at, n, there))
		return false;
	const struct edges e = edges_new(mem, width);
	const struct parts all = parts_in(at[0].x * scale, at[there - 1].x * scale, e.end);
	for (size_t i = 0; i + 1 < there; i++)
		side_add(&e, scaled(at[i], scale), scaled(at[i + 1], scale));
	for (size_t i = there - 1; i < n; i++)
		side_add(&e, scaled(at[(i + 1) % n], scale), scaled(at[i], scale));
	*out = ribbon_with(&e, all);
	return true;
}

/* ---- colour ---- */

#define STEPS 16 /* of how much of a pixel is covered: nobody sees more, and each is a colour more, of which a picture has but 256 */

/* What is laid on a pixel, by how much of it is covered, and how much of what was there stays. */
struct wash {
	uint32_t colour[STEPS + 1], rest[STEPS + 1], added; /* added: as two_times() has it */
};

static struct wash wash_of(uint32_t colour)
{
	struct wash w = { .added = colour >> 24 == 255 ? AS_CAIRO : AS_PIXMAN };
	for (uint32_t step = 0; step <= STEPS; step++) {
		w.colour[step] = pixel_times(colour, (step * 255 + STEPS / 2) / STEPS, w.added);
		w.rest[step] = 255 - (w.colour[step] >> 24);
	}
	return w;
}

static inline void wash_on(const struct wash *w, uint32_t *pixel, unsigned step)
{
	*pixel = w->colour[step] + pixel_times(*pixel, w->rest[step], w->added);
}

static inline float lowest_of(four of)
{
	const float a = of[0] < of[1] ? of[0] : of[1], b = of[2] < of[3] ? of[2] : of[3];
	return a < b ? a : b;
}

/* What a ribbon is in the parts of one pixel across. */
struct column {
	four top[2], bottom[2];
};
_Static_assert(sizeof(four[2]) == PARTS * sizeof(float), "a column has all parts of a pixel");

static inline struct column column_at(const float *top, const float *bottom)
{
	struct column c;
	memcpy(c.top, top, sizeof c.top);
	memcpy(c.bottom, bottom, sizeof c.bottom);
	return c;
}

/* Of four parts, how much lies between y and y + 1. */
static inline four four_covered(four top, four bottom, four y)
{
	return higher_of(lower_of(bottom, y + 1) - higher_of(top, y), (four){ 0 });
}

/* How much of a pixel is covered whose upper edge is at y, in STEPS. */
static inline unsigned covered(const struct column *c, size_t y)
{
	const float at = (float)y;
	const four edge = { at, at, at, at };
	const four sum = four_covered(c->top[0], c->bottom[0], edge) + four_covered(c->top[1], c->bottom[1], edge);
	return (unsigned)((sum[0] + sum[1] + sum[2] + sum[3]) * (STEPS / PARTS) + 0.5F);
}

/* A row, of those that are painted, or the one behind them. */
static inline size_t row_at(const struct painted *on, float y)
{
	const float first = (float)on->first_row, end = (float)(on->first_row + on->n_rows);
	return y > first ? y < end ? (size_t)y : on->first_row + on->n_rows : on->first_row;
}

/* Rows of the page: those that a column meets, and of these those that it covers wholly. */
struct rows_met {
	size_t first, whole, part, end;
};

static inline struct rows_met rows_of(const struct column *c, const struct painted *on)
{
	const float highest = lowest_of(lower_of(c->top[0], c->top[1])), lowest = -lowest_of(lower_of(-c->bottom[0], -c->bottom[1]));
	const float whole = -lowest_of(lower_of(-c->top[0], -c->top[1])), part = lowest_of(lower_of(c->bottom[0], c->bottom[1]));
	struct rows_met r = { .first = row_at(on, highest), .end = row_at(on, lowest + 1) };
	r.whole = row_at(on, whole + 1);
	r.part = row_at(on, part);
	if (r.whole >= r.part)
		r.whole = r.part = r.end;
	return r;
}

static inline void column_paint(const struct column *c, const struct painted *on, uint32_t *first_pixel, const struct wash *w)
{
	const struct rows_met rows = rows_of(c, on);
	for (size_t y = rows.first; y < rows.end; y++) {
		const bool is_whole = y >= rows.whole && y < rows.part;
		wash_on(w, &first_pixel[(y - on->first_row) * on->stride], is_whole ? STEPS : covered(c, y));
	}
}

void ribbon_paint(const struct ribbon *r, const struct painted *on, uint32_t colour)
{
	const struct wash wash = wash_of(colour);
	for (size_t x = 0; x < r->n; x++) {
		const struct column column = column_at(r->top + x * PARTS, r->bottom + x * PARTS);
		column_paint(&column, on, on->at + r->left + x, &wash);
	}
}
