/*
 * deflate_laws.c - what was packed as DEFLATE is, unpacked by zlib, what went in; however it was put in.
 *
 * Rows as charts have them, of stretches, of what stands above and of letters, beside noise and long plain stretches: short ones, for
 * which there is no place to look, rows longer than anything can be looked back over, and more than there is room for at once.
 */
#include "laws.h"

#include "chart/deflate.h"

#include <zlib.h>

#define PACKED_MAX ((size_t)16 << 20)

struct rows {
	uint8_t *bytes;
	size_t n, row_bytes;
};

/* A piece from `at` on: at most `most` bytes. Returns how many. */
static size_t fill(struct random *r, const struct rows *rows, size_t at, size_t most, int n_colours)
{
	static const int longest[] = { 1000, 40, 40, 4, 4, 4 };
	const size_t wanted = 1 + (size_t)random_below(r, longest[random_below(r, 6)]), n = wanted < most ? wanted : most;
	const size_t back = random_one_in(r, 2) ? rows->row_bytes : 1 + (size_t)random_below(r, 40000);
	const bool is_as_before = back <= at && !random_one_in(r, 3), is_stretch = random_one_in(r, 2);
	const uint8_t colour = (uint8_t)random_below(r, n_colours);
	for (size_t i = at; i < at + n; i++) {
		rows->bytes[i] = is_stretch ? colour : (uint8_t)random_below(r, n_colours);
		if (is_as_before)
			rows->bytes[i] = rows->bytes[i - back];
	}
	return n;
}

static struct rows random_rows(struct random *r, struct arena *mem)
{
	static const size_t most[] = { 3, 20, 3000, 200000, 600000 };
	struct rows rows = { .n = (size_t)random_below(r, (int)most[random_below(r, 5)]) };
	const int n_colours = random_one_in(r, 4) ? 1 + random_below(r, 2) : 1 + random_below(r, 256);
	rows.row_bytes = 1 + (size_t)random_below(r, random_one_in(r, 8) ? 100000 : 1500);
	rows.bytes = NEW_ARRAY(mem, uint8_t, rows.n);
	for (size_t at = 0; at < rows.n;)
		at += fill(r, &rows, at, rows.n - at, n_colours);
	return rows;
}

static struct buf packed(const struct rows *rows, size_t part, struct arena *mem)
{
	struct buf out;
	buf_init(&out, PACKED_MAX);
	struct deflate *const deflate = deflate_new(mem, rows->row_bytes, &out);
	for (size_t at = 0, n; at < rows->n; at += n) {
		n = part < rows->n - at ? part : rows->n - at;
		deflate_put(deflate, rows->bytes + at, n);
	}
	deflate_end(deflate);
	return out;
}

/* To the last bit: nothing is left over, and nothing lacks. */
static bool is_packed(const struct rows *rows, struct slice deflated, struct arena *mem)
{
	uint8_t *const room = NEW_ARRAY(mem, uint8_t, rows->n + 1);
	z_stream z = { .next_in = (Bytef *)(uintptr_t)deflated.p, .avail_in = (uInt)deflated.n };
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return false;
	z.next_out = room;
	z.avail_out = (uInt)rows->n + 1;
	const int end = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return end == Z_STREAM_END && z.avail_in == 0 && z.total_out == rows->n && memcmp(room, rows->bytes, rows->n) == 0;
}

static bool what_goes_in_comes_out(struct random *r, struct arena *mem)
{
	const struct rows rows = random_rows(r, mem);
	struct buf out = packed(&rows, rows.row_bytes, mem);
	const bool holds = is_packed(&rows, buf_slice(&out), mem);
	buf_release(&out);
	return holds;
}

static bool parts_show_nowhere(struct random *r, struct arena *mem)
{
	const struct rows rows = random_rows(r, mem);
	struct buf a = packed(&rows, rows.row_bytes, mem), b = packed(&rows, 1 + (size_t)random_below(r, 70000), mem);
	const bool holds = slice_same(buf_slice(&a), buf_slice(&b));
	buf_release(&a);
	buf_release(&b);
	return holds;
}

/* What was there a few thousand bytes ago is told in a few bytes: of noise, too, of which each byte is a place, and in whatever rows. */
static bool what_comes_again_is_told_by_that(struct random *r, struct arena *mem)
{
	struct rows once = { .n = 1 + (size_t)random_below(r, 8000) };
	const size_t n_times = 2 + (size_t)random_below(r, 20);
	once.row_bytes = random_one_in(r, 2) ? once.n : 1 + (size_t)random_below(r, 2000);
	once.bytes = NEW_ARRAY(mem, uint8_t, once.n * n_times);
	for (size_t i = 0; i < once.n * n_times; i++)
		once.bytes[i] = i < once.n ? (uint8_t)random_below(r, 256) : once.bytes[i - once.n];
	const struct rows all = { once.bytes, once.n * n_times, once.row_bytes };
	struct buf a = packed(&once, 1000, mem), b = packed(&all, 1000, mem);
	const bool holds = b.n <= a.n + 200 + n_times * (once.n / 258 + 1) * 5;
	buf_release(&a);
	buf_release(&b);
	return holds;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(what_goes_in_comes_out, 100),
		LAW_ONE_IN(parts_show_nowhere, 200),
		LAW_ONE_IN(what_comes_again_is_told_by_that, 200),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
