/*
 * pattern_fuzz.c - a log that is read by patterns of its rows, and again by the grammar alone: the same must come out.
 *
 * Few inputs repeat themselves as logs do. So a vertical tab stands for a row from one on that is written again twice, with a time that
 * is a second later each time: what is behind it meets patterns. A form feed stands for that row and the next in turn, as rows are that
 * have two spellings.
 */
#include "../recording_text.h"

#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define TIMES 3

/* The row, with the last digit of its time changed. */
static void put_again(struct buf *out, struct slice row, int later)
{
	const size_t begin = out->n;

	buf_put(out, row);
	for (size_t i = begin; i + 1 < out->n; i++) {
		if (out->at[i] != ':' || !is_digit(out->at[i + 1]))
			continue;
		const size_t last = i + 2 < out->n && is_digit(out->at[i + 2]) ? i + 2 : i + 1;
		out->at[last] = (char)('0' + (out->at[last] - '0' + later) % 10);
	}
}

/* A line with its end. */
static struct slice whole_line(struct slice *text)
{
	const struct slice before = *text;

	slice_line(text);
	return (struct slice){ before.p, before.n - text->n };
}

static void unfold(struct buf *out, struct slice text)
{
	while (text.n) {
		const struct slice line = whole_line(&text), row = { line.p + 1, line.n - 1 };
		if (line.p[0] != '\v' && line.p[0] != '\f') {
			buf_put(out, line);
			continue;
		}
		const struct slice other = line.p[0] == '\f' ? whole_line(&text) : (struct slice){ "", 0 };
		for (int i = 0; i < TIMES; i++) {
			put_again(out, row, i);
			put_again(out, other, i);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena mem;
	struct buf text;
	size_t n_by_pattern, n_in_parts, n_fetched, none;

	arena_init(&mem);
	buf_init(&text, (size_t)1 << 20);
	unfold(&text, (struct slice){ (const char *)bytes, n });
	const struct slice log = { text.at, text.n };
	const char *quick = read_as_text(&mem, log, (struct read_request){ 0 }, &n_by_pattern);
	const char *slow = read_as_text(&mem, log, (struct read_request){ .by_grammar = true }, &none);
	const char *parts = read_text_from(true, &mem, log, (struct read_request){ .part_bytes = 700 }, &n_in_parts);
	const char *fetched = read_text_from(false, &mem, log, (struct read_request){ .part_bytes = 700 }, &n_fetched);
	const bool is_same = strcmp(quick, slow) == 0 && strcmp(quick, parts) == 0 && strcmp(quick, fetched) == 0;
	if (!is_same || none || n_in_parts != n_by_pattern || n_fetched != n_by_pattern) {
		fprintf(stderr, "by patterns:\n%s\nby the grammar:\n%s\nin parts:\n%s\nfetched:\n%s\n", quick, slow, parts, fetched);
		__builtin_trap();
	}
	buf_release(&text);
	arena_release(&mem);
	return 0;
}
