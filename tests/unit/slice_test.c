/*
 * slice_test.c - borrowed text: trimming, comparing, cutting words, and what is well-formed UTF-8.
 */
#include "base/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void trims_blanks_at_both_ends(void **state)
{
	static const struct {
		const char *text, *trimmed;
	} cases[] = {
		{ "", "" }, { "   ", "" }, { "a", "a" }, { " a b\t", "a b" }, { "a\r", "a" }, { "\t \r a", "a" }, { "a\n", "a\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_true(slice_is(slice_trim(slice_of(cases[i].text)), cases[i].trimmed));
}

static void compares_text(void **state)
{
	static const struct {
		const char *text, *other;
		bool is, is_nocase, starts, has;
	} cases[] = {
		{ "", "", true, true, true, true },
		{ "a", "", false, false, true, true },
		{ "", "a", false, false, false, false },
		{ "[N/A]", "[n/a]", false, true, false, false },
		{ "abc", "abc", true, true, true, true },
		{ "abc", "ab", false, false, true, true },
		{ "abc", "bc", false, false, false, true },
		{ "ab", "abc", false, false, false, false },
		{ "aab", "ab", false, false, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct slice text = slice_of(cases[i].text);

		assert_int_equal(slice_is(text, cases[i].other), cases[i].is);
		assert_int_equal(slice_is_nocase(text, cases[i].other), cases[i].is_nocase);
		assert_int_equal(slice_starts(text, cases[i].other), cases[i].starts);
		assert_int_equal(slice_has(text, cases[i].other), cases[i].has);
	}
	/* only letters have a case: '@' and '`' differ by the same bit */
	assert_false(slice_is_nocase(slice_of("@"), "`"));
}

static void cuts_words(void **state)
{
	struct slice rest = slice_of("  12:00:01\tall   98.12 \r");

	(void)state;
	assert_true(slice_is(slice_word(&rest), "12:00:01"));
	assert_true(slice_is(slice_word(&rest), "all"));
	assert_true(slice_is(slice_word(&rest), "98.12"));
	assert_int_equal(slice_word(&rest).n, 0);
	assert_int_equal(slice_word(&rest).n, 0);
}

static void takes_lines(void **state)
{
	struct slice rest = slice_of("a b\n\nc");

	(void)state;
	assert_true(slice_is(slice_line(&rest), "a b"));
	assert_true(slice_is(slice_line(&rest), ""));
	assert_true(rest.n);
	assert_true(slice_is(slice_line(&rest), "c"));
	assert_int_equal(rest.n, 0);
	assert_int_equal(slice_line(&rest).n, 0);
}

static void the_last_line_may_be_cut(void **state)
{
	struct slice rest = slice_of("whole\ncut"), line = slice_line(&rest);

	(void)state;
	assert_true(slice_line_is_whole(line, rest));
	line = slice_line(&rest);
	assert_false(slice_line_is_whole(line, rest));
	rest = slice_of("\n");
	line = slice_line(&rest);
	assert_true(slice_line_is_whole(line, rest));
}

static void a_line_is_cut_into_words(void **state)
{
	const char *text = "12:00:01  all\t98.12 ";
	struct slice words[3] = { 0 };
	int columns[3] = { 0 };

	(void)state;
	assert_int_equal(slice_words(slice_of(text), text, words, columns, 3), 3);
	assert_true(slice_is(words[1], "all") && slice_is(words[2], "98.12"));
	assert_int_equal(columns[0], 1);
	assert_int_equal(columns[2], 15);
	assert_int_equal(slice_words(slice_of(text), text, words, NULL, 2), 2);
	assert_int_equal(slice_words(slice_of("  "), text, words, columns, 3), 0);
}

#define MOST_BYTES 150
#define MOST_PARTS ((size_t)MOST_BYTES + 1)

/* Any of these bytes; the room ends with them, so that a sanitizer sees who looks behind them. */
static struct slice any_text(char *room, size_t n, unsigned *state)
{
	static const char bytes[] = "a1 .;,\t\r\v\x01\x7f\x80\xa0\xe2   ;";

	for (size_t i = 0; i < n; i++)
		room[i] = bytes[(*state = *state * 1103515245u + 12345u) / 65536u % (sizeof bytes - 1)];
	return (struct slice){ room, n };
}

/* Many bytes at a time or one by one: the words are the same. */
static void words_are_cut_alike_at_once_and_one_by_one(void **unused)
{
	struct slice words[MOST_PARTS];
	int columns[MOST_PARTS];
	unsigned state = 8;

	(void)unused;
	for (size_t n = 0; n <= MOST_BYTES; n++) {
		char *const room = malloc(n ? n : 1);
		const struct slice line = any_text(room, n, &state);
		for (size_t most = 0; most <= MOST_PARTS; most += most < 3 ? 1 : MOST_PARTS - 3) {
			const size_t n_words = slice_words(line, line.p, words, columns, most);
			struct slice rest = line, word;
			size_t i = 0;
			for (; i < most && (word = slice_word(&rest)).n; i++) {
				assert_true(i < n_words && words[i].p == word.p && words[i].n == word.n);
				assert_int_equal(columns[i], word.p - line.p + 1);
			}
			assert_int_equal(n_words, i);
			assert_true(most < MOST_PARTS || slice_count_words(line) == n_words);
		}
		free(room);
	}
}

static void cells_are_what_stands_between_separators(void **unused)
{
	struct slice cells[MOST_PARTS];
	unsigned state = 9;

	(void)unused;
	for (size_t n = 0; n <= MOST_BYTES; n++) {
		char *const room = malloc(n ? n : 1);
		const struct slice line = any_text(room, n, &state);
		const size_t n_cells = slice_cells(line, ';', cells, MOST_PARTS);
		struct slice rest = line, part;
		const char *at = line.p;
		for (size_t i = 0; i < n_cells; i++) {
			assert_true(slice_part(&rest, ';', &part)); /* one by one as at once */
			assert_true(part.p == cells[i].p && part.n == cells[i].n);
			assert_ptr_equal(cells[i].p, at);
			assert_true(!cells[i].n || !memchr(at, ';', cells[i].n));
			at += cells[i].n + (i + 1 < n_cells);
			assert_true(i + 1 == n_cells || at[-1] == ';');
		}
		assert_false(slice_part(&rest, ';', &part));
		assert_ptr_equal(at, line.p + n);
		assert_int_equal(slice_count(line, ';') + 1, n_cells);
		if (n_cells > 2) {
			assert_int_equal(slice_cells(line, ';', cells, 2), 2);
			assert_ptr_equal(cells[1].p + cells[1].n, line.p + n); /* all the rest */
		}
		free(room);
	}
	assert_int_equal(slice_cells(slice_of("a;b"), ';', cells, 0), 0);
}

static void knows_well_formed_utf8(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "", true },
		{ "plain", true },
		{ "\xC2\xA0", true },             /* U+00A0 */
		{ "\xE5\xB9\xB4", true },         /* a CJK character */
		{ "\xF0\x9F\x98\x80", true },     /* U+1F600 */
		{ "\xF4\x8F\xBF\xBF", true },     /* U+10FFFF */
		{ "\xF4\x90\x80\x80", false },    /* beyond */
		{ "\xC0\xAF", false },            /* '/' in two bytes */
		{ "\xE0\x80\xAF", false },        /* and in three */
		{ "\xED\xA0\x80", false },        /* half of a surrogate pair */
		{ "\x80", false },
		{ "\xC2", false },
		{ "\xC2" "A", false },
		{ "\xE5\xB9", false },
		{ "\xF0\x9F\x98", false },
		{ "\xFF\xFE", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(slice_is_utf8(slice_of(cases[i].text)), cases[i].good);
	assert_false(slice_is_utf8((struct slice){ "a\0b", 3 }));
}

static void makes_text_safe_for_a_terminal(void **state)
{
	static const struct {
		const char *text, *safe;
	} cases[] = {
		{ "", "" },
		{ "NVIDIA H200", "NVIDIA H200" },
		{ "\x1b[31mred", "?[31mred" },
		{ "a\tb\nc\x7f", "a?b?c?" },
		{ "\xC2\x9B" "2J", "?2J" },            /* CSI in one character */
		{ "83\xC2\xA0\xC2\xB0" "C", "83\xC2\xA0\xC2\xB0" "C" },
		{ "a\xE2\x80\xAE" "b", "a?b" },        /* right-to-left override */
		{ "a\xE2\x81\xA6" "b", "a?b" },
		{ "\xFF\xFEx", "??x" },
		{ "\xE5\xB9", "??" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[32];

		strcpy(text, cases[i].text);
		text_make_printable(text);
		assert_string_equal(text, cases[i].safe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trims_blanks_at_both_ends),
		cmocka_unit_test(compares_text),
		cmocka_unit_test(cuts_words),
		cmocka_unit_test(takes_lines),
		cmocka_unit_test(the_last_line_may_be_cut),
		cmocka_unit_test(a_line_is_cut_into_words),
		cmocka_unit_test(words_are_cut_alike_at_once_and_one_by_one),
		cmocka_unit_test(cells_are_what_stands_between_separators),
		cmocka_unit_test(knows_well_formed_utf8),
		cmocka_unit_test(makes_text_safe_for_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
