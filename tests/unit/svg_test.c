/* svg_test.c - words in an SVG, however cairo hands it over: at once or byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chart/svg.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg width=\"700\">\n"
#define LETTERS "<defs>\n<g id=\"glyph-0-1\">\n</g>\n</defs>\n"

static void assert_told(const char *drawn, size_t at_once, const char *title, const char *description, const char *expected)
{
	struct buf out;
	struct svg svg;

	buf_init(&out, 1000);
	svg_begin(&svg, &out, title, description);
	for (struct slice rest = slice_of(drawn); rest.n;) {
		const size_t n = rest.n < at_once ? rest.n : at_once;
		svg_put(&svg, (struct slice){ rest.p, n });
		rest = (struct slice){ rest.p + n, rest.n - n };
	}
	svg_end(&svg);
	assert_string_equal(out.n ? out.at : "", expected);
	assert_false(out.overflow);
	buf_release(&out);
}

static void has_words_and_no_number(void **state)
{
	static const size_t parts[] = { 1, 2, 3, 7, 16, 100, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		assert_told(HEAD LETTERS "<g id=\"surface12\">\n<g id=\"surface5\"/>\n</g>\n</svg>\n", parts[i], "a < b", "x & y",
			HEAD "<title>a &lt; b</title>\n<desc>x &amp; y</desc>\n" LETTERS "<g id=\"surface\">\n<g id=\"surface5\"/>\n</g>\n</svg>\n");
		assert_told(HEAD "<g id=\"surface7\">\n</g>\n</svg>\n", parts[i], NULL, NULL, HEAD "<g id=\"surface\">\n</g>\n</svg>\n");
		assert_told(HEAD LETTERS "</svg>\n", parts[i], "a", NULL, HEAD "<title>a</title>\n" LETTERS "</svg>\n");
		assert_told("no tag", parts[i], "a", NULL, "no tag<title>a</title>\n");
		assert_told("", parts[i], NULL, NULL, "");
	}
}

/* What is told and what is held are no longer than the whole may be. */
static void ends_where_there_is_no_more_room(void **state)
{
	struct buf out;
	struct svg svg;

	(void)state;
	for (size_t max = 1; max < 80; max++) {
		buf_init(&out, max);
		svg_begin(&svg, &out, "a", NULL);
		svg_put(&svg, slice_of(HEAD "<g id=\"surface7\">\n"));
		svg_put(&svg, slice_of("</g>\n</svg>\n"));
		svg_end(&svg);
		assert_true(out.overflow);
		assert_int_equal(out.n, max);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_words_and_no_number),
		cmocka_unit_test(ends_where_there_is_no_more_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
