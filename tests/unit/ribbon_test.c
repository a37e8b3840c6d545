/* ribbon_test.c - what runs from left to right, which pixels it covers, and in what colour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "chart/ribbon.h"

#define WIDTH 12
#define HEIGHT 9
#define WHITE 0xffffffffU
#define BLACK 0xff000000U
#define N_MOST 8

/* A page of white with a ribbon on it, a band of so many rows after the other. */
static void page_paint(uint32_t *page, const struct ribbon *r, size_t n_rows, uint32_t colour)
{
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		page[i] = WHITE;
	for (size_t top = 0; top < HEIGHT; top += n_rows) {
		const size_t left = HEIGHT - top, n = n_rows < left ? n_rows : left;
		ribbon_paint(r, &(struct painted){ page + top * WIDTH, top, n, WIDTH }, colour);
	}
}

/* A pixel in black on white by its share of sixteenths: '.' none, '#' all, else a digit of base 16. */
static const char *drawn(char *text, const uint32_t *page)
{
	char *at = text;

	for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
		const unsigned steps = ((255 - (page[i] & 0xff)) * 16 + 127) / 255;
		*at++ = steps == 0 ? '.' : steps == 16 ? '#' : "0123456789abcdef"[steps];
		if (i % WIDTH == WIDTH - 1)
			*at++ = '\n';
	}
	*at = '\0';
	return text;
}

struct drawn_case {
	struct point at[N_MOST];
	size_t n;
	double line_width; /* 0: it is an area */
	const char *drawn;
};

static bool ribbon_of(struct arena *mem, const struct drawn_case *of, double scale, struct ribbon *out)
{
	return of->line_width > 0 ? ribbon_of_line(mem, of->at, of->n, of->line_width, scale, WIDTH, out)
				  : ribbon_of_area(mem, of->at, of->n, scale, WIDTH, out);
}

static void check(const struct drawn_case *cases, size_t n)
{
	uint32_t page[WIDTH * HEIGHT], in_bands[WIDTH * HEIGHT];
	char text[(WIDTH + 1) * HEIGHT + 1];
	struct ribbon r;
	struct arena mem;

	arena_init(&mem);
	for (size_t i = 0; i < n; i++) {
		assert_true(ribbon_of(&mem, &cases[i], 1, &r));
		page_paint(page, &r, HEIGHT, BLACK);
		assert_string_equal(drawn(text, page), cases[i].drawn);
		for (size_t n_rows = 1; n_rows < HEIGHT; n_rows++) {
			page_paint(in_bands, &r, n_rows, BLACK);
			assert_memory_equal(in_bands, page, sizeof page);
		}
	}
	arena_release(&mem);
}
#define CHECK(cases) check((cases), sizeof(cases) / sizeof(cases)[0])

#define NONE "............\n"

static void covers_shares_of_pixels(void **state)
{
	static const struct drawn_case cases[] = {
		/* level, with straight ends */
		{ { { 2, 4 }, { 9.5, 4 } }, 2, 2, NONE NONE NONE "..#######8..\n" "..#######8..\n" NONE NONE NONE NONE },
		{ { { 2, 4 }, { 9.5, 4 } }, 2, 2.5, NONE NONE "..44444442..\n" "..#######8..\n" "..#######8..\n" "..44444442..\n" NONE NONE NONE },
		/* an area that begins and ends on parts of pixels, in one row */
		{ { { 1.25, 2.5 }, { 4, 2.5 }, { 4, 2.75 }, { 1.25, 2.75 } }, 4, 0, NONE NONE ".344........\n" NONE NONE NONE NONE NONE NONE },
		/* the nearest share */
		{ { { 2, 2.5 }, { 4, 2.5 }, { 4, 2.54 }, { 2, 2.54 } }, 4, 0, NONE NONE "..11........\n" NONE NONE NONE NONE NONE NONE },
		/* up, by half, and down again */
		{ { { 2, 6 }, { 6, 2 }, { 10, 6 } }, 3, 0,
		  NONE NONE ".....88.....\n" "....8##8....\n" "...8####8...\n" "..8######8..\n" NONE NONE NONE },
		/* its closing edge is a slope, too */
		{ { { 2, 2 }, { 6, 2 }, { 6, 6 } }, 3, 0, NONE NONE "..8###......\n" "...8##......\n" "....8#......\n" ".....8......\n" NONE NONE NONE },
		/* sides that cross */
		{ { { 2, 2 }, { 6, 6 }, { 6, 2 }, { 2, 6 } }, 4, 0,
		  NONE NONE "..8..8......\n" "..#88#......\n" "..#88#......\n" "..8..8......\n" NONE NONE NONE },
		/* beyond all sides of the page */
		{ { { -9, 3 }, { 50, 3 }, { 50, 90 }, { -9, 90 } }, 4, 0,
		  NONE NONE NONE "############\n############\n############\n############\n############\n############\n" },
		{ { { 13, 1 }, { 20, 1 }, { 20, 5 }, { 13, 5 } }, 4, 0, NONE NONE NONE NONE NONE NONE NONE NONE NONE },
		{ { { 2, -5 }, { 9, -5 } }, 2, 2, NONE NONE NONE NONE NONE NONE NONE NONE NONE },
		/* upright, and a pen that stands still before it goes on */
		{ { { 4, 2 }, { 4, 5 } }, 2, 2, NONE NONE "...##.......\n" "...##.......\n" "...##.......\n" NONE NONE NONE NONE },
		{ { { 2, 4 }, { 2, 4 }, { 5, 4 }, { 5, 4 } }, 4, 2, NONE NONE NONE "..###.......\n" "..###.......\n" NONE NONE NONE NONE },
		{ { { 2, 4 }, { 2, 4 } }, 2, 2, NONE NONE NONE NONE NONE NONE NONE NONE NONE },
		/* hardly any slope, over hardly any way */
		{ { { 2, 4 }, { 5.0621, 4 }, { 5.0629, 4.000000001 }, { 8, 4.000000001 } }, 4, 2,
		  NONE NONE NONE "..######....\n" "..######....\n" NONE NONE NONE NONE },
	};

	(void)state;
	CHECK(cases);
}

/* Where it begins and where it ends. */
static void ends_where_the_pen_stands_still(void **state)
{
	static const struct drawn_case once = { { { 2, 2 }, { 8, 6 } }, 2, 3, NULL },
				       twice = { { { 2, 2 }, { 2, 2 }, { 8, 6 }, { 8, 6 } }, 4, 3, NULL };
	uint32_t page[WIDTH * HEIGHT], other[WIDTH * HEIGHT];
	struct ribbon r;
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_true(ribbon_of(&mem, &once, 1, &r));
	page_paint(page, &r, HEIGHT, BLACK);
	assert_true(ribbon_of(&mem, &twice, 1, &r));
	page_paint(other, &r, HEIGHT, BLACK);
	assert_memory_equal(page, other, sizeof page);
	arena_release(&mem);
}

static void is_for_what_runs_right(void **state)
{
	static const struct drawn_case others[] = {
		{ { { 2, 4 } }, 1, 2, NULL },
		{ { { 9, 4 }, { 2, 4 } }, 2, 2, NULL },
		{ { { 2, 4 }, { 9, 4 }, { 8, 4 } }, 3, 2, NULL },
		{ { { 2, 4 }, { (double)NAN, 4 }, { 9, 4 } }, 3, 2, NULL },
		{ { { (double)-INFINITY, 4 }, { 9, 4 } }, 2, 2, NULL },
		{ { { 2, 4 }, { 9, 4 } }, 2, 0, NULL },
		{ { { 5, 4 }, { 9, 4 }, { 9, 6 }, { 2, 6 } }, 4, 0, NULL },
		{ { { 2, 4 }, { 9, 4 }, { 4, 6 }, { 5, 6 } }, 4, 0, NULL },
		{ { { 9, 4 }, { 2, 4 }, { 2, 6 }, { 9, 6 } }, 4, 0, NULL },
	};
	struct ribbon r;
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(ribbon_of(&mem, &others[i], 1, &r));
	arena_release(&mem);
}

/* Half of a pixel, all of it, and at twice the size. */
static void lays_colour_on_pixels(void **state)
{
	static const struct drawn_case level = { { { 0, 0.5 }, { 6, 0.5 }, { 6, 2 }, { 0, 2 } }, 4, 0, NULL };
	uint32_t page[WIDTH * HEIGHT];
	struct ribbon r;
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_true(ribbon_of(&mem, &level, 1, &r));
	page_paint(page, &r, HEIGHT, 0xff204060);
	assert_int_equal(page[0] & 0xffffff, 0x8f9faf);
	assert_int_equal(page[WIDTH] & 0xffffff, 0x204060);
	page_paint(page, &r, HEIGHT, 0x80102030); /* half of 0x204060 */
	assert_int_equal(page[0] & 0xffffff, 0xc7cfd7);
	assert_int_equal(page[WIDTH] & 0xffffff, 0x8f9faf);
	assert_true(ribbon_of(&mem, &level, 2, &r));
	page_paint(page, &r, HEIGHT, 0xff204060);
	assert_int_equal(page[0] & 0xffffff, 0xffffff);
	assert_int_equal(page[WIDTH] & 0xffffff, 0x204060);
	assert_int_equal(page[WIDTH * 3 + 11] & 0xffffff, 0x204060);
	assert_int_equal(page[WIDTH * 4] & 0xffffff, 0xffffff);
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_shares_of_pixels),
		cmocka_unit_test(ends_where_the_pen_stands_still),
		cmocka_unit_test(is_for_what_runs_right),
		cmocka_unit_test(lays_colour_on_pixels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
