/*
 * dejavu.c - DejaVu Sans in place of the built-in font: a seventh wider. Linked with scene_dump.c it makes
 * scene_dump_dejavu, whose scenes show where a layout rests on the widths of one font.
 */
#include "chart/font.h"

#include <stdio.h>
#include <stdlib.h>

#define FOLDER "/usr/share/fonts/truetype/dejavu/"
#define MOST_BYTES ((size_t)4 << 20)

static struct slice file_read(const char *path)
{
	FILE *const file = fopen(path, "rb");
	char *const bytes = malloc(MOST_BYTES);
	const size_t n = file && bytes ? fread(bytes, 1, MOST_BYTES, file) : 0;

	if (n == 0 || n == MOST_BYTES) {
		fprintf(stderr, "%s: can't be read\n", path);
		exit(2);
	}
	fclose(file);
	return (struct slice){ bytes, n };
}

/* In place of chart/font_file.c. Kept for as long as the program runs: whoever draws keeps no copy. */
struct slice font_file(bool bold)
{
	static struct slice files[2];

	if (!files[bold].p)
		files[bold] = file_read(bold ? FOLDER "DejaVuSans-Bold.ttf" : FOLDER "DejaVuSans.ttf");
	return files[bold];
}
