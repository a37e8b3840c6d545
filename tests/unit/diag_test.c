/*
 * diag_test.c - complaints: their text, how repeats collapse, carets, order, and the nearest name.
 */
#include "base/diag.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
	struct arena mem;
	struct diags diags;
};

static int set_up(void **state)
{
	static struct fixture f;

	arena_init(&f.mem);
	diags_init(&f.diags, &f.mem);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	diags_release(&f->diags);
	arena_release(&f->mem);
	return 0;
}

static const char *text_of(struct fixture *f, size_t i)
{
	return diag_text(&f->mem, &f->diags.at[i]);
}

static void texts_have_an_address(void **state)
{
	struct fixture *f = *state;

	assert_false(diag_at(&f->diags, (struct place){ "gpu.csv", 17, 9 }, DIAG_BAD_NUMBER, "'%s' in %s", "ERR!", "power.draw"));
	assert_false(diag_at(&f->diags, (struct place){ "gpu.csv", 17, 0 }, DIAG_CUT_ROW, "cut"));
	assert_false(diag_at(&f->diags, (struct place){ "gpu.csv", 0, 0 }, DIAG_CANNOT_READ, "cannot open: no such file"));
	assert_string_equal(text_of(f, 0), "gpu.csv:17:9: warning: bad-number: 'ERR!' in power.draw");
	assert_string_equal(text_of(f, 1), "gpu.csv:17: note: cut-row: cut");
	assert_string_equal(text_of(f, 2), "gpu.csv: error: cannot-read: cannot open: no such file");
	assert_false(diag_at(&f->diags, (struct place){ "gpu.csv", 5000000000, 9 }, DIAG_CUT_ROW, "cut"));
	assert_string_equal(text_of(f, 3), "gpu.csv:5000000000:9: note: cut-row: cut");
	assert_int_equal(f->diags.n, 4);
	assert_int_equal(f->diags.n_errors, 1);
}

static void repeats_collapse_by_file_code_and_topic(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path;
		enum diag_code code;
		const char *topic;
	} rows[] = {
		{ "a.csv", DIAG_BAD_NUMBER, "power.draw" }, { "a.csv", DIAG_BAD_NUMBER, "power.draw" },
		{ "a.csv", DIAG_BAD_NUMBER, "fan.speed" },  { "b.csv", DIAG_BAD_NUMBER, "power.draw" },
		{ "a.csv", DIAG_BAD_UNIT, "power.draw" },   { "a.csv", DIAG_BAD_NUMBER, "power.draw" },
	};

	for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++)
		diag_repeat(&f->diags, (struct place){ rows[i].path, i + 1, 1 }, rows[i].code, rows[i].topic, "row %d", i);
	assert_int_equal(f->diags.n, 4);
	assert_string_equal(text_of(f, 0), "a.csv:1:1: warning: bad-number: row 0 (2 more like this)");
	assert_string_equal(text_of(f, 1), "a.csv:3:1: warning: bad-number: row 2");
	assert_string_equal(text_of(f, 2), "b.csv:4:1: warning: bad-number: row 3");
	assert_string_equal(text_of(f, 3), "a.csv:5:1: warning: bad-unit: row 4");
}

static void excerpts_point_with_a_caret(void **state)
{
	static const struct {
		const char *line;
		int column, width;
		const char *excerpt;
	} cases[] = {
		{ "severty: critical", 1, 7, "    4 | severty: critical\n      | ^~~~~~~" },
		{ "a: b", 4, 1, "    4 | a: b\n      |    ^" },
		{ "a: b", 5, 0, "    4 | a: b\n      |     ^" }, /* one behind the end */
		/* a tab would move the caret, an escape sequence would do worse */
		{ "\ta: \x1b[31m", 2, 1, "    4 |  a:  [31m\n      |  ^" },
		/* columns count characters, not bytes */
		{ "\xC2\xB0" "C: x", 5, 1, "    4 | \xC2\xB0" "C: x\n      |     ^" },
		/* all of the line is meant */
		{ "2 cells", 0, 1, "    4 | 2 cells" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		diag_at(&f->diags, (struct place){ "r.yaml", 4, cases[i].column }, DIAG_UNKNOWN_KEY, "no");
		diag_excerpt(&f->diags, slice_of(cases[i].line), cases[i].width);
		assert_string_equal(f->diags.at[i].excerpt, cases[i].excerpt);
	}
	assert_string_equal(text_of(f, 0), "r.yaml:4:1: error: unknown-key: no\n    4 | severty: critical\n      | ^~~~~~~");
}

static void long_lines_are_cut_in_excerpts(void **state)
{
	struct fixture *f = *state;
	char line[5000];

	memset(line, 'x', sizeof line);
	diag_at(&f->diags, (struct place){ "r.yaml", 1, 4000 }, DIAG_UNKNOWN_KEY, "no");
	diag_excerpt(&f->diags, (struct slice){ line, sizeof line }, 1000);
	assert_true(strlen(f->diags.at[0].excerpt) < 300);
}

/* The begin of a line is left out where the place lies far behind it. */
static void excerpts_show_their_place(void **state)
{
	struct fixture *f = *state;
	char line[201];

	memset(line, 'x', sizeof line - 1);
	line[sizeof line - 1] = '\0';
	memcpy(line + 149, "here", 4);
	diag_at(&f->diags, (struct place){ "r.yaml", 1, 150 }, DIAG_UNKNOWN_KEY, "no");
	diag_excerpt(&f->diags, slice_of(line), 4);
	const char *const shown = strstr(f->diags.at[0].excerpt, "here"), *const caret = strstr(f->diags.at[0].excerpt, "^~~~");
	assert_memory_equal(f->diags.at[0].excerpt, "    1 | ...xxx", 14);
	assert_non_null(shown);
	assert_non_null(caret);
	assert_int_equal(caret - strchr(f->diags.at[0].excerpt, '\n') - 1, shown - f->diags.at[0].excerpt);
}

static void foreign_text_is_made_printable(void **state)
{
	struct fixture *f = *state;

	diag_at(&f->diags, (struct place){ "g\x1b[2Ju.csv", 1, 1 }, DIAG_BAD_NUMBER, "'%s' in x", "\x1b[31m\n\xFF");
	assert_string_equal(text_of(f, 0), "g?[2Ju.csv:1:1: warning: bad-number: '?[31m?\?' in x");
}

/* A hostile file must not fill memory: errors are still counted. */
static void complaints_are_bounded(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2000; i++)
		diag_at(&f->diags, (struct place){ "r.yaml", i + 1, 1 }, DIAG_UNKNOWN_KEY, "no");
	diag_excerpt(&f->diags, slice_of("of line 2000"), 1);
	assert_int_equal(f->diags.n, 1000);
	assert_int_equal(f->diags.n_errors, 2000);
	assert_null(f->diags.at[999].excerpt);
}

static void sorted_by_place(void **state)
{
	static const struct place places[] = {
		{ "b.csv", 1, 1 }, { "a.csv", 9, 1 }, { "a.csv", 2, 5 }, { "a.csv", 2, 3 }, { "a.csv", 10, 1 }, { "a.csv", 2, 5 },
	};
	static const char *const sorted[] = { "3", "2", "5", "1", "4", "0" }; /* 2 and 5 keep their order */
	struct fixture *f = *state;

	for (int i = 0; i < 6; i++)
		diag_at(&f->diags, places[i], DIAG_BAD_NUMBER, "%d", i);
	diags_sort(&f->diags);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(f->diags.at[i].text, sorted[i]);
}

/* Another try may do for all outputs, or for none. */
static void tells_what_may_pass(void **state)
{
	static const struct {
		int why;
		bool may_pass;
		const char *text;
	} cases[] = {
		{ ENOSPC, true, "cannot write: No space left on device" },
		{ EDQUOT, true, "cannot write: Disk quota exceeded" },
		{ EIO, true, "cannot write: Input/output error" },
		{ ESTALE, true, "cannot write: Stale file handle" },
		{ EACCES, false, "cannot write: Permission denied" },
		{ EROFS, false, "cannot write: Read-only file system" },
		{ ENOTDIR, false, "cannot write: Not a directory" },
		{ 0, false, "cannot write" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diags diags;
		diags_init(&diags, &f->mem);
		assert_false(diags_may_pass(&diags));
		assert_false(diag_unwritten(&diags, "out", "cannot write", cases[i].why));
		assert_string_equal(diags.at[0].text, cases[i].text);
		assert_int_equal(diags_may_pass(&diags), cases[i].may_pass);
		diag_unwritten(&diags, "out", "cannot write", EACCES);
		assert_false(diags_may_pass(&diags));
		diags_release(&diags);
	}
}

static void finds_the_nearest_name(void **state)
{
	static const char *const names[] = { "severity", "scope", "when", "for", "merge_gap", "explains", "cost" };
	static const struct {
		const char *given, *nearest;
	} cases[] = {
		{ "severty", "severity" },   { "severiyt", "severity" }, { "severityy", "severity" }, { "sevrty", "severity" },
		{ "svrty", NULL },           { "severity", "severity" }, { "whne", "when" },          { "wen", "when" },
		{ "scop", "scope" },         { "ofr", "for" },           { "fa", NULL },              { "mergegap", "merge_gap" },
		{ "coast", "cost" },         { "", NULL },               { "Scope", "scope" },        { "something", NULL },
		{ "a name that is much longer than any name of the language could ever be", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *nearest = nearest_name(slice_of(cases[i].given), names, sizeof names / sizeof names[0]);

		if (!cases[i].nearest && nearest)
			fail_msg("'%s' is near '%s'", cases[i].given, nearest);
		if (cases[i].nearest && !nearest)
			fail_msg("'%s' is near nothing", cases[i].given);
		if (nearest)
			assert_string_equal(nearest, cases[i].nearest);
	}
}

/* Holds for whatever is added to diag.def: names are stable, kebab-case, given once. */
static void every_code_has_a_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_DIAGS; i++) {
		const char *name = diag_table[i].name;

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
		assert_true(strlen(name) > 3 && diag_table[i].help[0] != '\0');
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(name, diag_table[k].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts_have_an_address, set_up, tear_down),
		cmocka_unit_test_setup_teardown(repeats_collapse_by_file_code_and_topic, set_up, tear_down),
		cmocka_unit_test_setup_teardown(excerpts_point_with_a_caret, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_lines_are_cut_in_excerpts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(excerpts_show_their_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(foreign_text_is_made_printable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(complaints_are_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sorted_by_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tells_what_may_pass, set_up, tear_down),
		cmocka_unit_test(finds_the_nearest_name),
		cmocka_unit_test(every_code_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
