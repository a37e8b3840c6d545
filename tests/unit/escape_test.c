/*
 * escape_test.c - names that would do something in an output: each kind of output shows them, and they do nothing.
 */
#include "render/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct row {
	const char *name, *expected;
};

static void check(void (*escape)(struct buf *out, struct slice text), const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf out;
		buf_init(&out, 1 << 10);
		escape(&out, slice_of(rows[i].name));
		assert_string_equal(out.at, rows[i].expected);
		assert_false(out.overflow);
		buf_release(&out);
	}
}
#define CHECK(escape, rows) check(escape, rows, sizeof(rows) / sizeof *(rows))

static void markup_has_no_tags(void **state)
{
	static const struct row rows[] = {
		{ "NVIDIA H200", "NVIDIA H200" },
		{ "", "" },
		{ "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ "x\" onmouseover=\"alert(1)", "x&quot; onmouseover=&quot;alert(1)" },
		{ "it's", "it&#39;s" },
		{ "&lt;b&gt;", "&amp;lt;b&amp;gt;" },
		{ "--><!-- ]]>", "--&gt;&lt;!-- ]]&gt;" },
		{ "87 \u00B0C \u2264 \u4E16", "87 \u00B0C \u2264 \u4E16" },
		/* what nobody can see, and what is no text */
		{ "a\x1b[2J\tb\r\nc\x7f", "a\uFFFD[2J\uFFFDb\uFFFD\uFFFDc\uFFFD" },
		{ "a\u202Eb\u2066c\u200Fd", "a\uFFFDb\uFFFDc\uFFFDd" },
		{ "a\u200Bb\uFEFFc\u00ADd", "a\uFFFDb\uFFFDc\uFFFDd" },
		{ "a\U000E0041b", "a\uFFFDb" },
		{ "a\xc2\x9b" "b\x9b\xc0\xaf\xed\xa0\x80\xffz", "a\uFFFD" "b\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDz" },
		{ "cut \xe2\x82", "cut \uFFFD\uFFFD" },
	};

	(void)state;
	CHECK(escape_markup, rows);
}

static void labels_of_figures_end_where_they_end(void **state)
{
	static const struct row rows[] = {
		{ "gpu-power-brake", "gpu-power-brake" },
		{ "a\"} 1\nb\\", "a\\\"} 1\uFFFDb\\\\" },
		{ "\\\"", "\\\\\\\"" },
		{ "caf\u00E9 \xff", "caf\u00E9 \uFFFD" },
	};

	(void)state;
	CHECK(escape_exposition, rows);
}

static void markdown_has_no_marks(void **state)
{
	static const struct row rows[] = {
		{ "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3" },
		{ "gpu_low_use", "gpu\\_low\\_use" },
		{ "a|b", "a\\|b" },
		{ "**b** `c` ~~d~~", "\\*\\*b\\*\\* \\`c\\` \\~\\~&#8203;d\\~\\~" },
		{ "[x](javascript:alert(1))", "\\[x\\](javascript:alert(1))" },
		{ "![x](//evil/p.png)", "\\!\\[x\\](//evil/p.png)" },
		{ "<img src=x> &amp;", "&lt;img src=x&gt; &amp;&#8203;amp;" },
		{ "# head", "\\# head" },
		{ "```\ncode", "\\`\\`\\`\uFFFDcode" },
		{ "{code} $x$ back\\slash", "\\{code\\} \\$&#8203;x\\$ back\\\\slash" },
		/* nobody is called, nothing is closed, nothing becomes a link */
		{ "@octocat", "@&#8203;octocat" },
		{ "closes #1, !2, ~bug", "closes \\#&#8203;1, \\!&#8203;2, \\~&#8203;bug" },
		{ "http://evil/x www.evil.com", "http:&#8203;//evil/x www&#8203;.evil.com" },
		{ "97 % of 8 @ 5", "97 % of 8 @ 5" },
		{ "10:30:07", "10:30:07" },
		{ "a\u202Eb\x1b", "a\uFFFDb\uFFFD" },
	};

	(void)state;
	CHECK(escape_markdown, rows);
}

static void markdown_code_stays_as_it_is(void **state)
{
	static const struct row rows[] = {
		{ "a_b|c*d<e>&[f]", "a_b|c*d<e>&[f]" },
		{ "```", "'''" },
		{ "a\nb", "a\uFFFDb" },
	};

	(void)state;
	CHECK(escape_markdown_code, rows);
}

static void csv_has_no_formulas(void **state)
{
	static const struct row rows[] = {
		{ "gpu0 gpu.util mean [%]", "gpu0 gpu.util mean [%]" },
		{ "a,b", "\"a,b\"" },
		{ "say \"hi\"", "\"say \"\"hi\"\"\"" },
		{ "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"" },
		{ "@SUM(1)", "\"'@SUM(1)\"" },
		{ "-1+2", "\"'-1+2\"" },
		{ "\tx", "\"'\uFFFDx\"" },
		{ "a\nb", "\"a\uFFFDb\"" },
	};

	(void)state;
	CHECK(escape_csv, rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_has_no_tags),
		cmocka_unit_test(labels_of_figures_end_where_they_end),
		cmocka_unit_test(markdown_has_no_marks),
		cmocka_unit_test(markdown_code_stays_as_it_is),
		cmocka_unit_test(csv_has_no_formulas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
