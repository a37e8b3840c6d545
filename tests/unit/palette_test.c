/* palette_test.c - few colours stay as they are; of many, areas keep theirs and no shade is far off. */
#include "chart/palette.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WIDTH ((size_t)400)
#define HEIGHT ((size_t)200)
#define FAR 16 /* of 255: nobody sees it in a pixel at the edge of a letter */

static struct pixels whole(void *at, size_t top)
{
	return (struct pixels){ (uint32_t *)at + top * WIDTH, WIDTH, HEIGHT - top, WIDTH };
}

static const struct bands *picture_of(uint32_t *at)
{
	static struct bands bands = { WIDTH, HEIGHT, whole, NULL };

	bands.context = at;
	return &bands;
}

/* Of the colours that `colour_at` says. */
static const struct bands *picture_painted(uint32_t *at, uint32_t (*colour_at)(size_t x, size_t y))
{
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		at[i] = colour_at(i % WIDTH, i / WIDTH);
	return picture_of(at);
}

static uint32_t mixed(uint32_t a, uint32_t b, unsigned share)
{
	uint32_t rgb = 0;

	for (int shift = 0; shift <= 16; shift += 8)
		rgb |= ((a >> shift & 255) * share + (b >> shift & 255) * (255 - share)) / 255 << shift;
	return rgb;
}

static unsigned worst_channel(uint32_t a, uint32_t b)
{
	unsigned worst = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		const int off = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
		worst = (unsigned)off > worst ? (unsigned)off : worst;
	}
	return worst;
}

/* What each pixel is drawn as. */
static const uint32_t *drawn(const struct palette *p)
{
	static uint32_t as[WIDTH * HEIGHT];
	static uint8_t row[WIDTH + PALETTE_ROOM];

	for (size_t y = 0; y < HEIGHT; y++) {
		palette_row(p, y, row);
		for (size_t x = 0; x < WIDTH; x++)
			as[y * WIDTH + x] = p->colour[row[x]];
	}
	return as;
}

static void few_colours_are_exact(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		at[i] = 0xff000000U | (uint32_t)(i % PALETTE_COLOURS) * 0x010203U; /* cairo leaves the fourth byte open */
	const struct palette *const p = palette_of(&mem, picture_of(at));
	const uint32_t *const as = drawn(p);
	assert_int_equal(p->n, PALETTE_COLOURS);
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_int_equal(as[i], at[i] & 0xffffffU);
	arena_release(&mem);
}

/* Areas in six colours, and edges between each two of them in all shades, as smooth letters and lines have. */
static uint32_t areas_and_edges(size_t x, size_t y)
{
	static const uint32_t areas[] = { 0xffffff, 0x1a1d21, 0x0b62a8, 0xb3122b, 0xffd23f, 0x0a7560 };
	const size_t n_areas = sizeof areas / sizeof *areas;
	const uint32_t one = areas[y % n_areas], other = areas[y / n_areas % n_areas];

	return x < 255 ? mixed(one, other, (unsigned)x) : one;
}

static void areas_are_exact_and_shades_are_near(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct palette *const p = palette_of(&mem, picture_painted(at, areas_and_edges));
	const uint32_t *const as = drawn(p);
	assert_int_equal(p->n, PALETTE_COLOURS);
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_in_range(worst_channel(as[i], at[i]), 0, i % WIDTH < 255 ? FAR : 0);
	arena_release(&mem);
}

/* Cells of 4 x 10 pixels in 100 colours, beside shades that come oftener but alone. */
static uint32_t legend_and_shades(size_t x, size_t y)
{
	return y < 10 ? mixed(0xffd23f, 0x0b3d70, (unsigned)(x / 4 * 2)) : (uint32_t)((y * WIDTH + x) * 7 % 1000) * 0x004041U;
}

static void cells_of_a_legend_are_exact(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct palette *const p = palette_of(&mem, picture_painted(at, legend_and_shades));
	const uint32_t *const as = drawn(p);
	for (size_t i = 0; i < 10 * WIDTH; i++)
		assert_int_equal(as[i], at[i]);
	arena_release(&mem);
}

/* A hundred rows alike, then rows that are not, one of them in a single colour. */
static uint32_t rows_alike(size_t x, size_t y)
{
	if (y < 100)
		return (uint32_t)(x / 2) * 0x010001U;
	return y == 150 ? 0x00ff00 : (uint32_t)(x + y % 2 * 7) * 0x000100U;
}

/* Rows that are as the one above are told, and count as much as if each had been looked at. */
static void rows_that_repeat_are_told(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	static uint8_t row[WIDTH + PALETTE_ROOM];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct palette *const p = palette_of(&mem, picture_painted(at, rows_alike));
	assert_int_equal(p->colour[0], 0x00ff00);
	for (size_t y = 0; y < HEIGHT; y++)
		assert_int_equal(palette_row(p, y, row), y == 0 || y >= 100);
	const uint32_t *const as = drawn(p);
	for (size_t i = 0; i < 100 * WIDTH; i++) /* 200 areas of 100 rows are before 1,000 shades of one pixel */
		assert_in_range(worst_channel(as[i], at[i]), 0, i % WIDTH / 2 < PALETTE_COLOURS / 2 - 1 ? 0 : FAR);
	arena_release(&mem);
}

/* Rows in one colour, above 20,000 shades of blue and green, none beside one like it. */
static uint32_t many_shades(size_t x, size_t y)
{
	return y < 10 ? 0xc01010 : (uint32_t)((y * WIDTH + x) % 20000) * 3;
}

/* More than the table holds that is usual: what was counted by then is counted anew. */
static void of_many_shades_none_is_far_off(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct palette *const p = palette_of(&mem, picture_painted(at, many_shades));
	assert_non_null(p);
	assert_int_equal(p->n, PALETTE_COLOURS);
	assert_int_equal(p->colour[0], 0xc01010);
	const uint32_t *const as = drawn(p);
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_in_range(worst_channel(as[i], at[i]), 0, i < 10 * WIDTH ? 0 : 2 * FAR);
	arena_release(&mem);
}

/* Seven rows at a time, always in the same place: what was there is gone. */
static struct pixels few_rows(void *at, size_t top)
{
	static uint32_t rows[7 * WIDTH];
	const size_t n = top + 7 < HEIGHT ? 7 : HEIGHT - top;

	memcpy(rows, (uint32_t *)at + top * WIDTH, n * WIDTH * sizeof *rows);
	return (struct pixels){ rows, WIDTH, n, WIDTH };
}

static void rows_come_a_few_at_a_time(void **state)
{
	uint32_t (*const paint[])(size_t x, size_t y) = { areas_and_edges, legend_and_shades, rows_alike, many_shades };
	static uint32_t at[WIDTH * HEIGHT], drawn_whole[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	for (size_t i = 0; i < sizeof paint / sizeof *paint; i++) {
		arena_init(&mem);
		const struct palette *const p = palette_of(&mem, picture_painted(at, paint[i]));
		memcpy(drawn_whole, drawn(p), sizeof drawn_whole);
		const struct palette *const of_parts = palette_of(&mem, &(struct bands){ WIDTH, HEIGHT, few_rows, at });
		assert_int_equal(of_parts->n, p->n);
		assert_memory_equal(of_parts->colour, p->colour, p->n * sizeof *p->colour);
		assert_memory_equal(drawn(of_parts), drawn_whole, sizeof drawn_whole);
		arena_release(&mem);
	}
}

static struct pixels one_row(void *row, size_t top)
{
	assert_int_equal(top, 0);
	return *(struct pixels *)row;
}

/* Changes at each distance from the other, across what is looked at in one step, and up to the end of rows of each length. */
static void changes_are_seen_wherever_they_are(void **state)
{
	static uint32_t at[WIDTH];
	static uint8_t row[WIDTH + PALETTE_ROOM];
	struct arena mem;

	(void)state;
	for (size_t width = 1; width < 200; width++)
		for (size_t step = 1; step < 70; step += 3) {
			arena_init(&mem);
			for (size_t x = 0; x < width; x++)
				at[x] = (uint32_t)(x / step % 200) * 0x010000U | (uint32_t)x << 24; /* the fourth byte means nothing */
			const struct palette *const p = palette_of(&mem, &(struct bands){ width, 1, one_row, &(struct pixels){ at, width, 1, width } });
			assert_true(palette_row(p, 0, row));
			for (size_t x = 0; x < width; x++)
				assert_int_equal(p->colour[row[x]], at[x] & 0xffffffU);
			arena_release(&mem);
		}
}

static void a_photograph_has_none(void **state)
{
	static uint32_t at[WIDTH * HEIGHT];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		at[i] = (uint32_t)i * 97;
	assert_null(palette_of(&mem, picture_of(at)));
	arena_release(&mem);
}

/* Each pixel in a colour of its own: a table must not be full before the end of a row. */
static void wide_rows_end(void **state)
{
	static uint32_t at[20000];
	static const size_t widths[] = { 4000, 5000, 16000, 17000 };
	struct arena mem;

	(void)state;
	for (size_t x = 0; x < sizeof at / sizeof *at; x++)
		at[x] = (uint32_t)x * 601;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		const size_t width = widths[i];
		arena_init(&mem);
		const struct palette *const p = palette_of(&mem, &(struct bands){ width, 1, one_row, &(struct pixels){ at, width, 1, width } });
		assert_int_equal(p != NULL, width < 16384);
		arena_release(&mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_colours_are_exact),
		cmocka_unit_test(areas_are_exact_and_shades_are_near),
		cmocka_unit_test(cells_of_a_legend_are_exact),
		cmocka_unit_test(rows_that_repeat_are_told),
		cmocka_unit_test(of_many_shades_none_is_far_off),
		cmocka_unit_test(rows_come_a_few_at_a_time),
		cmocka_unit_test(changes_are_seen_wherever_they_are),
		cmocka_unit_test(a_photograph_has_none),
		cmocka_unit_test(wide_rows_end),
	};

	return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
