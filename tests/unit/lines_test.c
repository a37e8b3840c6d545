/*
 * lines_test.c - lines of every kind: cut, bounded, decoded, from files and pipes.
 */
#include "base/buf.h"
#include "base/lines.h"

#include "files.h"

#include <fcntl.h>
#include <sys/wait.h>

#define LONGEST ((size_t)64 * 1024) /* as the limit LINE has it */

#define BLOCK ((size_t)128 * 1024) /* what lines.c reads at once: lines around its multiples are the risky ones */

static void cuts_lines(void **state)
{
	static const struct {
		const char *text;
		const char *lines[4];
		bool last_unended;
	} cases[] = {
		{ "", { NULL }, false },
		{ "a\nb\n", { "a", "b" }, false },
		{ "a\nb", { "a", "b" }, true },
		{ "a\r\nb\r\n", { "a", "b" }, false },
		{ "a\r\r\n", { "a\r" }, false },
		{ "a\rb\n", { "a\rb" }, false },
		{ "\n\n", { "", "" }, false },
		{ "\r\n", { "" }, false },
		{ "\xEF\xBB\xBF" "a\n", { "a" }, false },
		{ "\xEF\xBB\xBF", { NULL }, false },
		{ "a\n\xEF\xBB\xBF" "b\n", { "a", "\xEF\xBB\xBF" "b" }, false }, /* only at the start */
		{ "\xEF\xBB", { "\xEF\xBB" }, true },
		/* of an old Mac; one LF, and CR is part of a line */
		{ "a\rb\r", { "a", "b" }, false },
		{ "\xEF\xBB\xBF" "a\r\rb", { "a", "", "b" }, true },
		{ "a\rb\nc\n", { "a\rb", "c" }, false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_put(&f->folder, &f->mem, "lines", slice_of(cases[i].text));
		struct lines in;
		struct slice line;

		assert_true(lines_open(&in, path, NULL, &f->diags));
		for (int n = 0; cases[i].lines[n]; n++) {
			assert_true(line_next(&in, &line));
			assert_true(slice_is(line, cases[i].lines[n]));
			assert_int_equal(in.line, n + 1);
			const bool last = !cases[i].lines[n + 1];
			assert_int_equal(in.state, last && cases[i].last_unended ? LINE_LAST_UNENDED : LINE_WHOLE);
		}
		assert_false(line_next(&in, &line));
		assert_false(line_next(&in, &line));
		assert_int_equal(stream_stored_bytes(in.stream), strlen(cases[i].text));
		lines_close(&in);
	}
	assert_int_equal(f->diags.n, 0);
}

/* NULs at the begin of a line are a hole, and skipped; those inside a line make it useless. */
static void skips_holes_and_marks_other_nuls(void **state)
{
	static const struct {
		struct slice text;
		struct {
			const char *line;
			size_t n;
			enum line_state state;
		} lines[4];
		size_t n_lines;
		uint64_t n_nuls;
		int first_nul;
	} cases[] = {
		{ { "a\n5\0 0 %\nb\n", 11 }, { { "a", 1, LINE_WHOLE }, { "5\0 0 %", 6, LINE_HAS_NUL }, { "b", 1, LINE_WHOLE } }, 3, 0, 0 },
		{ { "a\n\0\0\0b\nc\n", 9 }, { { "a", 1, LINE_WHOLE }, { "b", 1, LINE_WHOLE }, { "c", 1, LINE_WHOLE } }, 3, 3, 2 },
		{ { "\0\0a\n\0\n", 6 }, { { "a", 1, LINE_WHOLE }, { "", 0, LINE_WHOLE } }, 2, 3, 1 },
		{ { "a\n\0\0", 4 }, { { "a", 1, LINE_WHOLE }, { "", 0, LINE_WHOLE } }, 2, 2, 2 },
		{ { "a\n\0b", 4 }, { { "a", 1, LINE_WHOLE }, { "b", 1, LINE_LAST_UNENDED } }, 2, 1, 2 },
		{ { "a\0\n", 3 }, { { "a\0", 2, LINE_HAS_NUL } }, 1, 0, 0 },
		{ { "\0\0\0", 3 }, { { NULL, 0, LINE_WHOLE } }, 0, 3, 1 },
		{ { "\xEF\xBB\xBF\0a\n", 6 }, { { "a", 1, LINE_WHOLE } }, 1, 1, 1 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct lines in;
		struct slice line;

		assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "nul", cases[i].text), NULL, &f->diags));
		for (size_t k = 0; k < cases[i].n_lines; k++) {
			assert_true(line_next(&in, &line));
			assert_int_equal(in.state, cases[i].lines[k].state);
			assert_int_equal(line.n, cases[i].lines[k].n);
			if (line.n)
				assert_memory_equal(line.p, cases[i].lines[k].line, line.n);
			assert_int_equal(in.line, k + 1);
		}
		assert_false(line_next(&in, &line));
		assert_int_equal(in.n_nuls, cases[i].n_nuls);
		assert_int_equal(in.first_nul, cases[i].first_nul);
		lines_close(&in);
	}
}

/* Holes of any size at any place of a block. */
static void skips_holes_wherever_blocks_end(void **state)
{
	static const size_t heads[] = { 1, BLOCK - 4, BLOCK - 3, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK };
	static const size_t holes[] = { 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7 };
	struct fixture *f = *state;

	for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++)
		for (size_t o = 0; o < sizeof holes / sizeof holes[0]; o++) {
			const size_t n = heads[h] + holes[o] + 2;
			char *text = NEW_ARRAY(&f->mem, char, n);
			struct lines in;
			struct slice line;
			size_t n_lines = 0;

			memset(text, '\n', heads[h]);
			memcpy(text + n - 2, "b\n", 2);
			assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "hole", (struct slice){ text, n }), NULL, &f->diags));
			while (line_next(&in, &line) && !line.n)
				n_lines++;
			assert_true(slice_is(line, "b"));
			assert_int_equal(in.state, LINE_WHOLE);
			assert_int_equal(n_lines, heads[h]);
			assert_int_equal(in.n_nuls, holes[o]);
			lines_close(&in);
		}
}

static void decodes_utf16(void **state)
{
	static const struct {
		struct slice text;
		const char *lines[3];
		enum encoding encoding;
	} cases[] = {
		{ { "\xFF\xFE" "a\0\r\0\n\0b\0\n\0", 12 }, { "a", "b" }, ENCODING_UTF16_LE },
		{ { "\xFE\xFF\0a\0\n\0b\0\n", 10 }, { "a", "b" }, ENCODING_UTF16_BE },
		{ { "\xFF\xFE\xE9\0\xAC\x20\n\0", 8 }, { "\xC3\xA9\xE2\x82\xAC" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE\x3D\xD8\x00\xDE\n\0", 8 }, { "\xF0\x9F\x98\x80" }, ENCODING_UTF16_LE },
		{ { "\xFE\xFF\xD8\x3D\xDE\x00\0\n", 8 }, { "\xF0\x9F\x98\x80" }, ENCODING_UTF16_BE },
		/* halves of pairs, and a byte too many */
		{ { "\xFF\xFE\x3D\xD8" "a\0\n\0", 8 }, { "\xEF\xBF\xBD" "a" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE\x00\xDE" "a\0\n\0", 8 }, { "\xEF\xBF\xBD" "a" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE\x3D\xD8\x3D\xD8\x00\xDE\n\0", 10 }, { "\xEF\xBF\xBD\xF0\x9F\x98\x80" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE" "a\0\x3D\xD8", 6 }, { "a\xEF\xBF\xBD" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE" "a\0b", 5 }, { "a\xEF\xBF\xBD" }, ENCODING_UTF16_LE },
		{ { "\xFF\xFE", 2 }, { NULL }, ENCODING_UTF16_LE },
		/* without a mark: only when there is no doubt */
		{ { "t\0i\0m\0e\0,\0g\0p\0u\0\n\0" "1\0,\0" "2\0,\0" "3\0,\0" "4\0\n\0", 34 },
		  { "time,gpu", "1,2,3,4" }, ENCODING_UTF16_LE },
		{ { "\0t\0i\0m\0e\0,\0g\0p\0u\0\n\0" "1\0,\0" "2\0,\0" "3\0,\0" "4\0\n", 34 },
		  { "time,gpu", "1,2,3,4" }, ENCODING_UTF16_BE },
		{ { "tim\n", 4 }, { "tim" }, ENCODING_UTF8 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct lines in;
		struct slice line;

		assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "wide", cases[i].text), NULL, &f->diags));
		assert_int_equal(in.encoding, cases[i].encoding);
		for (size_t k = 0; cases[i].lines[k]; k++) {
			assert_true(line_next(&in, &line));
			assert_true(slice_is(line, cases[i].lines[k]));
		}
		assert_false(line_next(&in, &line));
		assert_int_equal(stream_stored_bytes(in.stream), cases[i].text.n);
		lines_close(&in);
	}
}

/* Many lines of wide characters: none is torn where a block ends. */
static void decodes_utf16_across_blocks(void **state)
{
	enum { LINES = 60000 };
	static const char unit[] = "\x3D\xD8\x00\xDE\xAC\x20" "7\0\n\0";
	struct fixture *f = *state;
	const size_t n = sizeof unit - 1;
	char *text = NEW_ARRAY(&f->mem, char, 2 + LINES * n);
	struct lines in;
	struct slice line;

	memcpy(text, "\xFF\xFE", 2);
	for (size_t i = 0; i < LINES; i++)
		memcpy(text + 2 + i * n, unit, n);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "wide", (struct slice){ text, 2 + LINES * n }), NULL, &f->diags));
	for (size_t i = 0; i < LINES; i++)
		assert_true(line_next(&in, &line) && slice_is(line, "\xF0\x9F\x98\x80\xE2\x82\xAC" "7"));
	assert_false(line_next(&in, &line));
	lines_close(&in);
}

/* "first", n times 'x', "last": what comes out, whatever n does to the block, where a line may have so many bytes. */
static void check_long_line(struct fixture *f, size_t longest, size_t n, bool ended)
{
	struct limits limits = limits_as_ever();
	const size_t head = strlen("first\n"), tail = ended ? strlen("\nlast\n") : 0;
	char *text = NEW_ARRAY(&f->mem, char, head + n + tail);
	struct lines in;
	struct slice line;

	limits.at[LIMIT_LINE] = longest;
	memcpy(text, "first\n", head);
	memset(text + head, 'x', n);
	memcpy(text + head + n, "\nlast\n", tail);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "long", (struct slice){ text, head + n + tail }), &limits, &f->diags));
	assert_true(line_next(&in, &line) && slice_is(line, "first"));
	assert_true(line_next(&in, &line));
	assert_int_equal(line.n, n < longest ? n : longest);
	assert_int_equal(in.state, n > longest ? LINE_TOO_LONG : ended ? LINE_WHOLE : LINE_LAST_UNENDED);
	assert_int_equal(in.line, 2);
	if (ended) {
		assert_true(line_next(&in, &line) && slice_is(line, "last"));
		assert_int_equal(in.state, LINE_WHOLE);
		assert_int_equal(in.line, 3);
	}
	assert_false(line_next(&in, &line));
	assert_int_equal(stream_stored_bytes(in.stream), head + n + tail);
	lines_close(&in);
}

/* The rest of a text is as its begin is. */
static void reads_returns_in_each_block(void **state)
{
	struct fixture *f = *state;
	const size_t n = 2 * BLOCK + 1000;
	char *const text = arena_alloc(&f->mem, n);
	struct lines in;
	struct slice line;
	size_t n_lines = 0;

	memset(text, 'x', n);
	for (size_t i = 999; i < n; i += 1000)
		text[i] = '\r';
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "returns", (struct slice){ text, n }), NULL, &f->diags));
	lines_hold(&in, 4 * BLOCK); /* is not for them: they are no bytes that others may look at */
	for (; line_next(&in, &line); n_lines++)
		assert_int_equal(line.n, n_lines < n / 1000 ? 999 : n % 1000);
	assert_int_equal(n_lines, n / 1000 + (n % 1000 > 0));
	assert_true(in.ends_in_returns);
	lines_close(&in);
}

static void bounds_lines_wherever_blocks_end(void **state)
{
	static const size_t sizes[] = {
		1, LONGEST - 1, LONGEST, LONGEST + 1,
		BLOCK - 14, BLOCK - 13, BLOCK - 12, BLOCK - 8, BLOCK - 7, BLOCK - 6, BLOCK - 5, BLOCK, BLOCK + 1,
		(size_t)300 * 1024, 2 * BLOCK - 7, 2 * BLOCK - 6, 2 * BLOCK, 3 * BLOCK - 6, 3 * BLOCK + 1,
	};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		check_long_line(*state, LONGEST, sizes[i], true);
		check_long_line(*state, LONGEST, sizes[i], false);
	}
}

/* Where longer lines are allowed the block is as it always is, until one of them comes. */
static void blocks_grow_with_lines(void **state)
{
	static const size_t longest = 5 * BLOCK;
	static const size_t sizes[] = {
		LONGEST, BLOCK - 7, BLOCK - 6, BLOCK, 2 * BLOCK - 6, 2 * BLOCK, 5 * BLOCK - 1, 5 * BLOCK, 5 * BLOCK + 1, 9 * BLOCK, 10 * BLOCK - 6,
		10 * BLOCK, 11 * BLOCK,
	};
	struct fixture *f = *state;
	struct limits limits = limits_as_ever();
	struct lines in;
	struct slice line;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		check_long_line(f, longest, sizes[i], true);
		check_long_line(f, longest, sizes[i], false);
	}
	char *const text = NEW_ARRAY(&f->mem, char, 4 * BLOCK);
	memset(text, '\n', 4 * BLOCK);
	limits.at[LIMIT_LINE] = longest;
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "short", (struct slice){ text, 4 * BLOCK }), &limits, &f->diags));
	while (line_next(&in, &line))
		assert_int_equal(in.room, BLOCK);
	assert_int_equal(in.line, 4 * BLOCK);
	lines_close(&in);
}

/* Lines of all lengths across many blocks: each comes out as it went in. */
static void lines_survive_the_ends_of_blocks(void **state)
{
	struct fixture *f = *state;
	const size_t n_lines = 4000;
	char *text = NEW_ARRAY(&f->mem, char, n_lines * 1024), *end = text;
	struct lines in;
	struct slice line;

	for (size_t i = 0; i < n_lines; i++) {
		const size_t n = i * 7919 % 1000;
		memset(end, 'a' + (int)(i % 26), n);
		end += n;
		if (i % 3 == 0)
			*end++ = '\r';
		*end++ = '\n';
	}
	const char *path = folder_put(&f->folder, &f->mem, "many", (struct slice){ text, (size_t)(end - text) });
	assert_true(lines_open(&in, path, NULL, &f->diags));
	for (size_t i = 0; i < n_lines; i++) {
		assert_true(line_next(&in, &line));
		assert_int_equal(line.n, i * 7919 % 1000);
		if (line.n) {
			assert_int_equal(line.p[0], 'a' + (int)(i % 26));
			assert_int_equal(line.p[line.n - 1], 'a' + (int)(i % 26));
		}
	}
	assert_false(line_next(&in, &line));
	assert_int_equal(stream_stored_bytes(in.stream), end - text);
	lines_close(&in);
}

/* Lines taken from the bytes ahead and lines that are cut for us, by turns and over the ends of blocks, are all of the file. */
static void gives_bytes_ahead(void **state)
{
	struct fixture *f = *state;
	const size_t n_lines = 3000, n_bytes = 300, n = n_lines * n_bytes;
	char *text = NEW_ARRAY(&f->mem, char, n);
	struct lines in;
	struct slice line;

	memset(text, 'x', n);
	for (size_t i = 0; i < n_lines; i++) {
		text[i * n_bytes] = (char)('a' + i % 26);
		text[(i + 1) * n_bytes - 1] = '\n';
	}
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "ahead", (struct slice){ text, n }), NULL, &f->diags));
	for (size_t i = 0; i < n_lines; i++) {
		const struct slice ahead = lines_ahead(&in);
		assert_true(ahead.n >= (n_lines - i < 10 ? (n_lines - i) * n_bytes : n_bytes));
		assert_int_equal(ahead.p[0], 'a' + (int)(i % 26));
		assert_int_equal(ahead.p[n_bytes - 1], '\n');
		if (i == 100)
			lines_hold(&in, n);
		if (i == 101)
			assert_int_equal(ahead.n, (n_lines - i) * n_bytes);
		if (i == 100)
			assert_true(line_next(&in, &line) && line.n == n_bytes - 1);
		else if (i % 5)
			lines_passed(&in, 1, n_bytes);
		else
			assert_true(line_next(&in, &line) && line.p == ahead.p);
		assert_int_equal(in.line, i + 1);
	}
	assert_int_equal(lines_ahead(&in).n, 0);
	assert_false(line_next(&in, &line));
	lines_close(&in);
}

/* Whole lines fetched, some of them put back, and lines that are cut for us, by turns and over the ends of blocks, are all of the text. */
static void gives_whole_lines_by_turns(void **state)
{
	static const size_t rooms[] = { 300, 999, 5000, 200000, 700000 }; /* bytes; a line has 300 */
	struct fixture *f = *state;
	const size_t n_lines = 3000, n_bytes = 300, n = n_lines * n_bytes;
	char *const text = NEW_ARRAY(&f->mem, char, n + 4), *const to = NEW_ARRAY(&f->mem, char, 700000 + PADDING_BYTES);
	struct lines in;
	struct slice line;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(i % n_bytes == n_bytes - 1 ? '\n' : 'a' + i / n_bytes * 7 % 26);
	memcpy(text + n, "rest", 4);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "fetched", (struct slice){ text, n + 4 }), NULL, &f->diags));
	for (size_t i = 0; at < n; i++) {
		const size_t room = rooms[i % (sizeof rooms / sizeof *rooms)], got = lines_fetch(&in, to, room);
		assert_int_equal(got, room < n - at ? room / n_bytes * n_bytes : n - at);
		assert_memory_equal(to, text + at, got);
		for (size_t k = 0; k < PADDING_BYTES; k++)
			to[got + k] = 'z';
		const size_t used = i % 3 ? got : got / n_bytes / 2 * n_bytes, half = used + (got - used) / n_bytes / 2 * n_bytes;
		lines_put_back(&in, (struct slice){ to + half, got - half }); /* the later ones first */
		lines_put_back(&in, (struct slice){ to + used, half - used });
		at += used;
		if (i % 4 == 0 && at < n) {
			assert_true(line_next(&in, &line) && line.n == n_bytes - 1);
			assert_memory_equal(line.p, text + at, line.n);
			at += n_bytes;
		}
	}
	assert_int_equal(lines_fetch(&in, to, 5000), 0); /* what is left has no end */
	assert_true(line_next(&in, &line) && slice_is(line, "rest") && in.state == LINE_LAST_UNENDED);
	assert_false(line_next(&in, &line));
	lines_close(&in);
}

/* A line that is longer than what is asked for is cut for us. */
static void fetches_no_part_of_a_line(void **state)
{
	struct fixture *f = *state;
	const size_t n = 60000;
	char *const text = NEW_ARRAY(&f->mem, char, n), *const to = NEW_ARRAY(&f->mem, char, 1000 + PADDING_BYTES);
	struct lines in;
	struct slice line;

	memset(text, 'x', n);
	memcpy(text, "one\n", 4);
	memcpy(text + n - 6, "\nlast\n", 6);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "long", (struct slice){ text, n }), NULL, &f->diags));
	assert_int_equal(lines_fetch(&in, to, 1000), 4);
	assert_int_equal(lines_fetch(&in, to, 1000), 0);
	assert_true(line_next(&in, &line));
	assert_int_equal(line.n, n - 10);
	assert_int_equal(lines_fetch(&in, to, 1000), 5);
	assert_int_equal(lines_fetch(&in, to, 1000), 0);
	assert_false(line_next(&in, &line));
	lines_close(&in);
}

/* A file of that name with lines that begin with their numbers, and an end without one. */
static struct slice numbered_lines(struct buf *text, size_t n_lines)
{
	buf_init(text, (size_t)1 << 20);
	for (size_t i = 0; i < n_lines; i++)
		buf_print(text, "%zu:%.*s\n", i, (int)(i * 7 % 90), "......................................................................................");
	buf_text(text, "unended");
	return (struct slice){ text->at, text->n };
}

static void is_line(struct slice text, size_t number)
{
	assert_true(text.n > 0);
	assert_int_equal(strtoul(text.p, NULL, 10), number);
}

/* Some lines of a part; returns how many bytes they have. */
static size_t count_lines(struct lines *in, struct slice text, size_t most, size_t *next)
{
	size_t used = 0;

	for (size_t k = 0; used < text.n && k < most; k++, ++*next) {
		is_line((struct slice){ text.p + used, text.n - used }, *next);
		used = (size_t)((const char *)memchr(text.p + used, '\n', text.n - used) + 1 - text.p);
		lines_counted(in, 1);
	}
	return used;
}

/* Parts are whole lines, each behind the one before; behind what was used of them lines are read as ever, and the digest is that of all. */
static void gives_parts_of_a_file(void **state)
{
	struct fixture *f = *state;
	const size_t n_lines = 5000;
	struct buf text;
	struct lines in, whole;
	struct slice line;
	char *const to = arena_alloc(&f->mem, 3 * BLOCK + 1 + LINE_BEHIND_BYTES + PADDING_BYTES);
	size_t next = 0;
	uint64_t at, used;

	const char *const path = folder_put(&f->folder, &f->mem, "parts", numbered_lines(&text, n_lines));
	assert_true(lines_open(&in, path, NULL, &f->diags) && lines_open(&whole, path, NULL, &f->diags));
	for (size_t round = 0; next < n_lines; round++) {
		const size_t n = round % 9 == 8 ? 2 * BLOCK + 77 : 1 + 37 * round;
		assert_true(lines_leave(&in, &at));
		used = at;
		for (size_t k = 0; k < 1 + round % 4 && next < n_lines; k++, at += n) {
			const struct part_lines part = lines_read_part(&in, at, n, k == 0, to);
			assert_int_equal(part.at, used);
			assert_true(part.text.n < n + 100);
			lines_used(&in, &part);
			used += count_lines(&in, part.text, round % 3 == 0 ? 1 + round % 50 : SIZE_MAX, &next);
			if (used < part.at + part.text.n)
				break;
		}
		lines_come_back(&in, used);
		if (round % 3 == 0 && next < n_lines) {
			assert_true(line_next(&in, &line));
			is_line(line, next++);
		}
		assert_int_equal(in.line, next);
	}
	assert_true(line_next(&in, &line) && line.n == 7);
	assert_int_equal(in.state, LINE_LAST_UNENDED);
	assert_false(line_next(&in, &line));
	assert_string_equal(stream_digest(in.stream, &f->mem), stream_digest(whole.stream, &f->mem));
	lines_close(&in);
	lines_close(&whole);
	buf_release(&text);
}

/* No part has a line that is longer than what it may have behind its own, and those behind it begin elsewhere. */
static void gives_no_part_of_a_long_line(void **state)
{
	static const size_t lengths[] = { LINE_BEHIND_BYTES - 100, LINE_BEHIND_BYTES + 300 };
	struct fixture *f = *state;
	char *const to = arena_alloc(&f->mem, 300 + 1 + LINE_BEHIND_BYTES + PADDING_BYTES);

	for (size_t i = 0; i < 2; i++) {
		struct buf text;
		struct lines in;
		struct slice line;
		uint64_t at = 1;

		buf_init(&text, (size_t)1 << 20);
		buf_print(&text, "a\nb\n%0*d\nc\nd\n", (int)lengths[i], 0);
		const char *const path = folder_put(&f->folder, &f->mem, "long", (struct slice){ text.at, text.n });
		assert_true(lines_open(&in, path, NULL, &f->diags) && lines_leave(&in, &at));
		assert_int_equal(at, 0);
		const struct part_lines first = lines_read_part(&in, 0, 100, true, to);
		assert_int_equal(first.at, 0);
		assert_int_equal(first.text.n, i == 0 ? 4 + lengths[i] + 1 : 4);
		lines_used(&in, &first);
		const struct part_lines second = lines_read_part(&in, 100, 100, false, to);
		assert_true(second.at == (i == 0 ? first.text.n : NOWHERE) && second.text.n == 0);
		lines_come_back(&in, first.text.n);
		for (const char *const *wanted = (const char *const[]){ i == 0 ? "c" : "0", i == 0 ? "d" : "c", NULL }; *wanted; wanted++)
			assert_true(line_next(&in, &line) && line.p[0] == **wanted);
		lines_close(&in);
		buf_release(&text);
	}
}

/* What can't be read anywhere, or is no text as it stands, has no parts. */
static void leaves_no_other_input(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = { { "a\rb\rc\rd\r", 8 }, { "\377\376a\0b\0\n\0c\0", 10 } };
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		const char *const path = folder_put(&f->folder, &f->mem, "other", (struct slice){ cases[i].text, cases[i].n });
		struct lines in;
		uint64_t at;

		assert_true(lines_open(&in, path, NULL, &f->diags));
		assert_false(lines_leave(&in, &at));
		lines_close(&in);
	}
}

/* Inside a line over the limit nothing is ahead: its rest is no row. */
static void gives_nothing_ahead_of_a_long_line(void **state)
{
	struct fixture *f = *state;
	const size_t n = (size_t)1 << 20;
	char *text = NEW_ARRAY(&f->mem, char, n);
	struct lines in;
	struct slice line;

	memset(text, 'x', n);
	memcpy(text + n - 6, "\nlast\n", 6);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "long", (struct slice){ text, n }), NULL, &f->diags));
	assert_true(line_next(&in, &line) && in.state == LINE_TOO_LONG);
	assert_int_equal(lines_ahead(&in).n, 0);
	assert_true(line_next(&in, &line) && slice_is(line, "last"));
	lines_close(&in);
}

static void peeks_without_consuming(void **state)
{
	struct fixture *f = *state;
	char text[PEEK_BYTES + 10];
	struct lines in;
	struct slice line;

	memset(text, 'x', sizeof text);
	text[2] = '\n';
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "peek", (struct slice){ text, sizeof text }), NULL, &f->diags));
	assert_int_equal(lines_peek(&in).n, PEEK_BYTES);
	assert_memory_equal(lines_peek(&in).p, text, PEEK_BYTES);
	assert_true(line_next(&in, &line) && slice_is(line, "xx"));
	lines_close(&in);
}

/* The digest is of all bytes, read as lines or not; XXH128 of nothing and of "abc" from xxhsum -H2. */
static void digests_the_whole_file(void **state)
{
	static const struct {
		const char *text, *digest;
	} cases[] = {
		{ "", "xxh128:99aa06d3014798d86001c324468d497f" },
		{ "abc", "xxh128:06b05ab6733a618578af5f94892f3950" },
		{ "\xEF\xBB\xBF" "abc", NULL },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_put(&f->folder, &f->mem, "digest", slice_of(cases[i].text)), *before = NULL;

		for (int read_first = 0; read_first < 2; read_first++) {
			struct lines in;
			struct slice line;

			assert_true(lines_open(&in, path, NULL, &f->diags));
			while (read_first && line_next(&in, &line))
				continue;
			const char *digest = stream_digest(in.stream, &f->mem);
			if (cases[i].digest)
				assert_string_equal(digest, cases[i].digest);
			else
				assert_string_not_equal(digest, cases[1].digest);
			assert_string_equal(digest, before ? before : digest);
			before = digest;
			lines_close(&in);
		}
	}
}

/* Rows of four bytes, more than are at hand when it is opened. */
static const char *put_long_file(struct fixture *f, size_t n_rows)
{
	char *rows = NEW_ARRAY(&f->mem, char, n_rows * 4);

	for (size_t i = 0; i < n_rows; i++)
		memcpy(rows + 4 * i, "row\n", 4);
	return folder_put(&f->folder, &f->mem, "changing", (struct slice){ rows, n_rows * 4 });
}

/* A file that is changed while it is read has the rows that it had when it was opened, or what is left of them. */
static void reads_no_more_than_was_there(void **state)
{
	static const struct {
		off_t becomes; /* rows; 200,000 are there */
		size_t at_least, at_most;
		enum stream_change change;
	} cases[] = { { 200000, 200000, 200000, STREAM_AS_IT_WAS }, { 300000, 200000, 200000, STREAM_GREW },
		{ 100000, 100000, 199999, STREAM_SHRANK } };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const path = put_long_file(f, 200000);
		struct slice line;
		struct lines in;
		size_t n = 0;
		assert_true(lines_open(&in, path, NULL, &f->diags));
		assert_int_equal(truncate(path, cases[i].becomes * 4), 0);
		while (line_next(&in, &line))
			n++;
		assert_in_range(n, cases[i].at_least, cases[i].at_most);
		assert_int_equal(stream_change(in.stream), cases[i].change);
		lines_close(&in);
	}
}

static void says_why_an_input_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct lines in;

	assert_false(lines_open(&in, "no/such.csv", NULL, &f->diags));
	assert_false(lines_open(&in, "tests", NULL, &f->diags));
	assert_false(lines_open(&in, "/dev/null", NULL, &f->diags));
	assert_string_equal(message(f, 0), "no/such.csv: error: cannot-read: cannot open: No such file or directory");
	assert_string_equal(message(f, 1), "tests: error: cannot-read: neither a file nor a pipe");
	assert_string_equal(message(f, 2), "/dev/null: error: cannot-read: neither a file nor a pipe");
}

/* Another process that writes `text` byte by byte, so that reads are short, to a pipe of this name or to `fd`. */
static pid_t start_writer(const char *path, int fd, const char *text)
{
	const pid_t writer = fork();

	if (writer)
		return writer;
	const int to = path ? open(path, O_WRONLY) : fd;
	for (; *text; text++)
		if (write(to, text, 1) != 1)
			_exit(1);
	_exit(0);
}

static void check_two_lines(struct lines *in, pid_t writer)
{
	struct slice line;
	int status = 1;

	assert_true(line_next(in, &line) && slice_is(line, "first"));
	assert_true(line_next(in, &line) && slice_is(line, "second"));
	assert_false(line_next(in, &line));
	lines_close(in);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
}

static void reads_pipes(void **state)
{
	struct fixture *f = *state;
	const char *path = arena_print(&f->mem, "%s/pipe", f->folder.path);
	struct lines in;
	int ends[2];

	assert_int_equal(mkfifo(path, 0600), 0);
	pid_t writer = start_writer(path, -1, "first\nsecond\n");
	assert_true(lines_open(&in, path, NULL, &f->diags));
	check_two_lines(&in, writer);

	/* as <(command) gives it: one end of a pipe, by a name of its number */
	assert_int_equal(pipe(ends), 0);
	writer = start_writer(NULL, ends[1], "first\nsecond\n");
	close(ends[1]);
	assert_true(lines_open(&in, arena_print(&f->mem, "/dev/fd/%d", ends[0]), NULL, &f->diags));
	close(ends[0]);
	check_two_lines(&in, writer);
}

static void reads_the_standard_input(void **state)
{
	struct fixture *f = *state;
	const int before = dup(STDIN_FILENO);
	struct lines in;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	const pid_t writer = start_writer(NULL, ends[1], "first\nsecond\n");
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_true(lines_open(&in, "-", NULL, &f->diags));
	assert_string_equal(in.path, "standard input");
	check_two_lines(&in, writer);

	const int folder = open("tests", O_RDONLY);
	dup2(folder, STDIN_FILENO);
	close(folder);
	assert_false(lines_open(&in, "-", NULL, &f->diags));
	assert_string_equal(message(f, 0), "standard input: error: cannot-read: neither a file nor a pipe");
	if (before >= 0) {
		dup2(before, STDIN_FILENO);
		close(before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cuts_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(skips_holes_and_marks_other_nuls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(skips_holes_wherever_blocks_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(decodes_utf16, set_up, tear_down),
		cmocka_unit_test_setup_teardown(decodes_utf16_across_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_returns_in_each_block, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bounds_lines_wherever_blocks_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(blocks_grow_with_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_survive_the_ends_of_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_bytes_ahead, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_whole_lines_by_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fetches_no_part_of_a_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_parts_of_a_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_no_part_of_a_long_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_no_other_input, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_nothing_ahead_of_a_long_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(peeks_without_consuming, set_up, tear_down),
		cmocka_unit_test_setup_teardown(digests_the_whole_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_no_more_than_was_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_why_an_input_is_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_pipes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_the_standard_input, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
