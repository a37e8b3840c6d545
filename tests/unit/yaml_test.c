/*
 * yaml_test.c - trees, and where everything in them stands. Wrong files: rule_errors_test.c.
 */
#include "complaints.h"

#include "base/buf.h"
#include "base/embedded.h"
#include "base/yaml_tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

/* line:column/width, '=' where offsets are exact; keys with their own place. */
static void dump(struct buf *out, const struct yaml_node *node)
{
	if (node->key_place.line > 0)
		buf_print(out, "%.*s@%" PRId64 ":%d ", SLICE(node->key), node->key_place.line, node->key_place.column);
	if (node->kind == YAML_SCALAR) {
		buf_print(out, "'%.*s'@%" PRId64 ":%d/%d%s", SLICE(node->text), node->place.line, node->place.column, node->width,
			node->plain_line ? "=" : "");
		return;
	}
	buf_text(out, node->kind == YAML_LIST ? "[" : "{");
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		dump(out, child);
		if (child->next)
			buf_text(out, ", ");
	}
	buf_text(out, node->kind == YAML_LIST ? "]" : "}");
}

static void knows_where_things_stand(void **state)
{
	static const struct { const char *text, *tree; } cases[] = {
		{ "a", "'a'@1:1/1=" },
		{ "a: b", "{a@1:1 'b'@1:4/1=}" },
		{ "a: 'b c'", "{a@1:1 'b c'@1:5/3=}" },
		{ "a: \"b c\"", "{a@1:1 'b c'@1:5/3=}" },
		{ "a: 'it''s'", "{a@1:1 'it's'@1:5/6}" },
		{ "a: \"\\x41\"", "{a@1:1 'A'@1:5/5}" },
		{ "a:", "{a@1:1 ''@1:3/0=}" },
		{ "a: ''", "{a@1:1 ''@1:4/0=}" },
		{ "a: yes\nb: 1:30\nc: 0x10", "{a@1:1 'yes'@1:4/3=, b@2:1 '1:30'@2:4/4=, c@3:1 '0x10'@3:4/4=}" },
		{ "a: b\n  c", "{a@1:1 'b c'@1:4/1}" },
		{ "a: >-\n\n  b\n  c\nd: e", "{a@1:1 '\nb c'@3:3/1, d@5:1 'e'@5:4/1=}" },
		{ "a: |\n  b\n", "{a@1:1 'b\n'@2:3/1}" },
		{ "- a\n- b: c\n  d: e", "['a'@1:3/1=, {b@2:3 'c'@2:6/1=, d@3:3 'e'@3:6/1=}]" },
		{ "{\"a\": [b, 'c'], d: {}}", "{a@1:3 ['b'@1:8/1=, 'c'@1:12/1=], d@1:17 {}}" },
		{ "\xEF\xBB\xBF" "a: b", "{a@1:1 'b'@1:4/1=}" },
		{ "a: b\r\nc: d\r\n", "{a@1:1 'b'@1:4/1=, c@2:1 'd'@2:4/1=}" },
		{ "\303\251: \303\251\303\251 # x\nb: \303\251", "{\303\251@1:1 '\303\251\303\251'@1:4/2=, b@2:1 '\303\251'@2:4/1=}" },
		{ "--- \na: b\n...\n", "{a@2:1 'b'@2:4/1=}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct buf out;
		begin(&f);
		buf_init(&out, 1000);
		const struct yaml_node *const root = yaml_parse(&f.mem, "a.yaml", slice_of(cases[i].text), &f.diags);
		assert_int_equal(f.diags.n, 0);
		assert_non_null(root);
		dump(&out, root);
		assert_string_equal(out.at, cases[i].tree);
		buf_release(&out);
		end(&f);
	}
}

/* The place of the first 'X' in the text must be that of the X in the file. */
static void finds_places_inside_of_texts(void **state)
{
	static const struct { const char *text; int line, column; } cases[] = {
		{ "a: bX", 1, 5 },
		{ "a: 'b X'", 1, 7 },
		{ "a: \303\251\303\251X", 1, 6 },
		{ "a: b\n  c X", 2, 5 },
		{ "a: >\n   b  c\n\n   d X\n", 4, 6 },
		{ "a: |\n  b\n    X\n", 3, 5 },
		{ "a: \"b\n  X\"", 2, 3 },
		{ "a: \"\\x41 X\"", 1, 5 }, /* hidden by an escape: where the text begins */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct slice source = slice_of(cases[i].text);
		struct fixture f;
		begin(&f);
		const struct yaml_node *const root = yaml_parse(&f.mem, "a.yaml", source, &f.diags);
		assert_non_null(root);
		const struct yaml_node *const node = yaml_get(root, "a");
		assert_non_null(node);
		const char *const x = memchr(node->text.p, 'X', node->text.n);
		assert_non_null(x);
		const struct place place = yaml_place(node, source, (size_t)(x - node->text.p));
		assert_int_equal(place.line, cases[i].line);
		assert_int_equal(place.column, cases[i].column);
		end(&f);
	}
}

static void cuts_source_lines(void **state)
{
	static const struct { const char *text; int line; const char *expected; } cases[] = {
		{ "", 1, "" },
		{ "a", 1, "a" },
		{ "a", 2, "" },
		{ "a\nb", 2, "b" },
		{ "a\r\nb\r\n", 1, "a" },
		{ "a\r\nb\r\n", 2, "b" },
		{ "a\n\nc", 2, "" },
		{ "\xEF\xBB\xBF" "a\n", 1, "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(slice_is(source_line(slice_of(cases[i].text), cases[i].line), cases[i].expected));
}

static void gets_children_of_maps_only(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	const struct yaml_node *const root = yaml_parse(&f.mem, "a.yaml", slice_of("a: [b]"), &f.diags);
	assert_non_null(yaml_get(root, "a"));
	assert_null(yaml_get(root, "b"));
	assert_null(yaml_get(yaml_get(root, "a"), "b"));
	assert_null(yaml_get(NULL, "a"));
	end(&f);
}

struct repeated {
	const char *head, *part;
	size_t n;
	const char *complaint; /* NULL: accepted */
};

static void check_bound(const struct repeated *c)
{
	struct fixture f;
	struct buf text;

	begin(&f);
	buf_init(&text, YAML_MAX_BYTES * 2);
	buf_text(&text, c->head);
	for (size_t i = 0; i < c->n; i++)
		buf_text(&text, c->part);
	const struct yaml_node *const root = yaml_parse(&f.mem, "a.yaml", buf_slice(&text), &f.diags);
	if (c->complaint) {
		assert_null(root);
		f.diags.at[0].excerpt = NULL;
		assert_string_equal(diag_text(&f.mem, &f.diags.at[0]), c->complaint);
	} else {
		assert_non_null(root);
		assert_int_equal(f.diags.n, 0);
	}
	buf_release(&text);
	end(&f);
}

static void keeps_its_bounds(void **state)
{
	static const struct repeated cases[] = {
		{ "", "[", 100000, "a.yaml:1:33: error: limit: lists and maps nested more than 32 deep" },
		{ "", "- ", 33, "a.yaml:1:65: error: limit: lists and maps nested more than 32 deep" },
		{ "", "- ", 32, NULL },
		{ "", "- a\n", 256, NULL },
		{ "", "- a\n", 257, "a.yaml:257:3: error: limit: more than 256 entries in one list or map" },
		{ "a: ", "x", 4096, NULL },
		{ "a: ", "x", 4097, "a.yaml:1:4: error: limit: a text of more than 4096 bytes" },
		{ "a: b\n", "#\n", 524280, NULL },
		{ "a: b\n", "#\n", 524288, "a.yaml: error: limit: more than 1 MiB of YAML" },
		{ "a: &a [", "*a,", 1000,
		  "a.yaml:1:4: error: yaml-syntax: anchors are not allowed; a text that begins with '&' must be in quotes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_bound(&cases[i]);
}

/* Twenty of them are told, and that there may be more. */
static void mistakes_have_an_end(void **state)
{
	(void)state;
	for (int n = YAML_PROBLEMS_MAX - 1; n <= YAML_PROBLEMS_MAX + 1; n++) {
		struct fixture f;
		struct buf text;

		begin(&f);
		buf_init(&text, 4096);
		for (int i = 0; i < n; i++)
			buf_print(&text, "key%d: &anchor 5\n", i);
		assert_null(yaml_parse(&f.mem, "a.yaml", (struct slice){ text.at, text.n }, &f.diags));
		const size_t n_told = (size_t)(n < YAML_PROBLEMS_MAX ? n : YAML_PROBLEMS_MAX + 1);
		assert_int_equal(f.diags.n, n_told);
		if (n >= YAML_PROBLEMS_MAX)
			assert_string_equal(diag_text(&f.mem, &f.diags.at[n_told - 1]),
				"a.yaml: error: limit: no more mistakes of a file are told than 20, the limit 'yaml-mistakes'; the rest is not read");
		buf_release(&text);
		end(&f);
	}
}

static void assert_same_place(struct place a, struct place b)
{
	assert_string_equal(a.path ? a.path : "", b.path ? b.path : "");
	assert_int_equal(a.line, b.line);
	assert_int_equal(a.column, b.column);
}

static void assert_same_tree(const struct yaml_node *a, const struct yaml_node *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_true(slice_same(a->text, b->text) && slice_same(a->key, b->key));
	assert_same_place(a->place, b->place);
	assert_same_place(a->key_place, b->key_place);
	assert_int_equal(a->byte, b->byte);
	assert_int_equal(a->width, b->width);
	assert_int_equal(a->plain_line, b->plain_line);
	for (a = a->first, b = b->first; a && b; a = a->next, b = b->next)
		assert_same_tree(a, b);
	assert_true(!a && !b);
}

/* libyaml reads any text but the one that lies in the program. */
static void check_built_in(const char *name, struct slice text)
{
	struct fixture f;

	begin(&f);
	const struct slice copy = { arena_text(&f.mem, text.p, text.n), text.n };
	const struct yaml_node *const read = yaml_parse(&f.mem, name, copy, &f.diags);
	assert_non_null(read);
	assert_null(embedded_tape(copy).p);
	assert_non_null(embedded_tape(text).p);
	assert_same_tree(read, yaml_parse(&f.mem, name, text, &f.diags));
	assert_int_equal(f.diags.n, 0);
	end(&f);
}

static void knows_what_is_built_in(void **state)
{
	size_t n_cut = 0;

	(void)state;
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		const struct slice text = { e->begin, (size_t)(e->end - e->begin) };
		if (!slice_has(slice_of(e->name), ".yaml"))
			continue;
		check_built_in(e->name, text);
		const char *const tests = strstr(text.p, "\ntests:\n");
		if (tests) /* as rules are read for a report */
			check_built_in(e->name, (struct slice){ text.p, (size_t)(tests + 1 - text.p) });
		n_cut += tests != NULL;
	}
	assert_true(n_cut > 40);
}

/* What no file of ours has: empty lists and texts, a key in quotes, letters of several bytes. */
static void a_tape_has_all_of_a_tree(void **state)
{
	static const char *const texts[] = {
		"a", "a:", "{}", "[]", "- []\n- {}\n- ''", "\"b c\": [d, \"e\\n\", {f: g}]",
		"\303\251: \303\251\303\251\nb: >-\n  c\n  d", "--- \na: b\n...\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;
		struct buf tape;
		begin(&f);
		buf_init(&tape, 1000);
		const struct yaml_node *const root = yaml_parse(&f.mem, "a.yaml", slice_of(texts[i]), &f.diags);
		assert_non_null(root);
		yaml_tape_write(&tape, root);
		assert_same_tree(root, yaml_tape_read(&f.mem, "a.yaml", slice_of(texts[i]), buf_slice(&tape)));
		buf_release(&tape);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_where_things_stand),
		cmocka_unit_test(finds_places_inside_of_texts),
		cmocka_unit_test(cuts_source_lines),
		cmocka_unit_test(gets_children_of_maps_only),
		cmocka_unit_test(keeps_its_bounds),
		cmocka_unit_test(mistakes_have_an_end),
		cmocka_unit_test(knows_what_is_built_in),
		cmocka_unit_test(a_tape_has_all_of_a_tree),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
