/*
 * png_encode.c - the least that one picture costs: a 1400 x 1200 palette image through libpng, level 6.
 *
 * The yardstick of report_bench.sh. The content is like a chart's: a plain ground, a grid, a
 * jagged line and a filled area, so that deflate has the same kind of work. Writes to standard output.
 */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 1400
#define HEIGHT 1200
#define N_COLOURS 64

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence: any noise will do */
	return *state >> 16;
}

static void draw(png_byte *pixels)
{
	uint32_t state = 1;
	int top = HEIGHT / 2;
	for (int x = 0; x < WIDTH; x++) {
		top += (int)(next_random(&state) % 41) - 20;
		top = top < 40 ? 40 : top > HEIGHT - 40 ? HEIGHT - 40 : top;
		for (int y = 0; y < HEIGHT; y++) {
			int colour = y % 100 == 0 || x % 140 == 0 ? 1 : 0;
			if (y > top)
				colour = 2;
			if (abs(y - top) < 3)
				colour = 3 + (int)(next_random(&state) % 60);
			pixels[y * WIDTH + x] = (png_byte)colour;
		}
	}
}

static void encode(png_structp png, png_infop info, png_byte *pixels)
{
	png_color palette[N_COLOURS];
	for (int i = 0; i < N_COLOURS; i++)
		palette[i] = (png_color){ (png_byte)(255 - i * 3), (png_byte)(255 - i * 2), (png_byte)(255 - i) };
	png_init_io(png, stdout);
	png_set_compression_level(png, 6);
	png_set_IHDR(png, info, WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
		PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_PLTE(png, info, palette, N_COLOURS);
	png_write_info(png, info);
	for (int y = 0; y < HEIGHT; y++)
		png_write_row(png, pixels + y * WIDTH);
	png_write_end(png, info);
}

int main(void)
{
	png_byte *pixels = calloc(WIDTH, HEIGHT);
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!pixels || !info || setjmp(png_jmpbuf(png)))
		return 1;
	draw(pixels);
	encode(png, info, pixels);
	png_destroy_write_struct(&png, &info);
	free(pixels);
	return 0;
}
