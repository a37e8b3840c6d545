/*
 * json_reader_test.c - JSON in bounded memory: whole records at the wanted places, and the rest told or passed over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "logs.h"

static void show(struct buf *out, const struct json *value)
{
	static const char *const marks[] = { "null", "false", "true", "", "'", "[", "{" };

	if (value->key.n)
		buf_print(out, "%.*s:", SLICE(value->key));
	buf_text(out, marks[value->kind]);
	if (value->kind == JSON_NUMBER || value->kind == JSON_STRING)
		buf_put(out, value->text);
	for (const struct json *child = value->first; child; child = child->next) {
		show(out, child);
		if (child->next)
			buf_char(out, ' ');
	}
	buf_text(out, value->kind == JSON_STRING ? "'" : value->kind == JSON_LIST ? "]" : value->kind == JSON_MAP ? "}" : "");
}

/* "0@1:2 {a:1}", a line each: which path, where it begins, what it is; then what was told. */
static const char *records(struct logs *logs, const char *const *paths, struct slice text)
{
	const char *path = folder_put(&logs->folder, &logs->mem, "x.json", text);
	struct lines lines;
	struct buf out;
	size_t which;

	buf_init(&out, (size_t)1 << 20);
	assert_true(lines_open(&lines, path, NULL, &logs->diags));
	struct json_reader *in = json_reader_new(&logs->mem, &lines, &logs->diags, paths);
	for (const struct json *value; (value = json_next(in, &which));) {
		assert_int_equal(lines.line, value->line);
		buf_print(&out, "%zu@%" PRId64 ":%d ", which, value->line, value->column);
		show(&out, value);
		buf_char(&out, '\n');
	}
	if (json_n_damaged(in))
		buf_print(&out, "%zu damaged\n", json_n_damaged(in));
	if (json_is_cut(in))
		buf_text(&out, "cut\n");
	json_reader_release(in);
	lines_close(&lines);
	buf_text(&out, take_complaints(logs));
	return text_of_buf(&logs->mem, &out);
}

static const char *const documents[] = { "", NULL };
static const char *const polls[] = { "name", "polls>+", "-polls>+>big", "deep>in", NULL };

struct json_case {
	const char *text, *records;
};

static void check(struct logs *logs, const char *const *paths, const struct json_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(records(logs, paths, slice_of(cases[i].text)), cases[i].records);
}
#define CHECK(logs, paths, cases) check((logs), (paths), (cases), sizeof(cases) / sizeof(cases)[0])

#define LOST "; what follows up to the next document is not used\n"
#define CUT "note: cut-row: the file ends inside a document, as when a logger is killed; its last record is used only if it is whole\n"

static void gives_documents_in_a_row(void **state)
{
	static const struct json_case cases[] = {
		{ "{}", "0@1:1 {}\n" },
		{ "{\"a\": 1}\n{\"a\": -2.50e+3}\n", "0@1:1 {a:1}\n0@2:1 {a:-2.50e+3}\n" },
		{ "{\"a\": [1, \"x\", true, false, null, {}, []]}{\"b\": {\"c\": \"d\"}}",
		  "0@1:1 {a:[1 'x' true false null {} []]}\n0@1:43 {b:{c:'d'}}\n" },
		{ "\n  {\n  \"a\"\n:\n1\n}\r\n", "0@2:3 {a:1}\n" },
		{ "{\"a\": [0, -0.5, 1E5, 1e+05, 007, 12345678901234567890.123456]}",
		  "0@1:1 {a:[0 -0.5 1E5 1e+05 007 12345678901234567890.123456]}\n" },
		{ "{\"a\": NaN, \"b\": -Infinity, \"c\": -nan}", "0@1:1 {a:null b:null c:null}\n" },
		/* escapes; half a character; NUL */
		{ "{\"t\": \"\\\"\\\\\\/\\t|\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"}",
		  "0@1:1 {t:'\"\\/\t|A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'}\n" },
		{ "{\"t\": \"\\ud83dx\\ude00\\ud83d\\u0041\\u0000\"}", "0@1:1 {t:'?x?" "?A?'}\n" },
		/* of a list and of what stands alone no document is made */
		{ "[{\"a\": 1}]\n{\"a\": 2}\n", "0@2:1 {a:2}\n" },
		{ "", "" },
		{ " \n \n", "" },
	};

	CHECK(*state, documents, cases);
}

static void forgives_what_sysstat_wrote_for_years(void **state)
{
	static const struct json_case cases[] = {
		{ "{\"a\": 1\n\"b\": [\n,\n{}, {},\n],}", "0@1:1 {a:1 b:[{} {}]}\n" },
		{ "{\"a\": 4,97, \"b\": 0,00}", "0@1:1 {a:4.97 b:0.00}\n" },
		/* in a list each is a number of its own, and behind a blank none follows */
		{ "{\"a\": [4,97], \"b\": 1,\"c\": 2, 3",
		  "1 damaged\nx.json:1:30: warning: json-syntax: '3' where a key is expected" LOST },
	};

	CHECK(*state, documents, cases);
}

static void gives_what_is_asked_for(void **state)
{
	static const struct json_case cases[] = {
		{ "{\"name\": \"n\", \"polls\": [{\"t\": 1}, {\"t\": 2, \"big\": [1, {\"x\": 2}], \"u\": {\"big\": 3}}], \"names\": 4}",
		  "0@1:10 name:'n'\n1@1:25 {t:1}\n1@1:35 {t:2 u:{big:3}}\n" },
		{ "{\"deep\": {\"out\": {\"in\": 1}, \"in\": [2]}, \"polls\": {\"+\": 1, \"t\": 1}, \"name\": 5}\n{\"name\": null}",
		  "3@1:35 in:[2]\n1@1:56 +:1\n0@1:76 name:5\n0@2:10 name:null\n" },
		{ "{\"polls\": [[{\"t\": 1}], 7, []]}", "1@1:12 [{t:1}]\n1@1:24 7\n1@1:27 []\n" },
	};

	CHECK(*state, polls, cases);
}

static void gives_only_what_is_whole(void **state)
{
	static const struct json_case cases[] = {
		{ "{\"polls\": [{\"t\": 1}, {\"t\": 2}", "1@1:12 {t:1}\n1@1:22 {t:2}\ncut\nx.json:1: " CUT },
		{ "{\"polls\": [{\"t\": 1}, {\"t\": 2", "1@1:12 {t:1}\ncut\nx.json:1: " CUT },
		{ "{\"polls\": [\n{\"t\": 1},\n", "1@2:1 {t:1}\ncut\nx.json:2: " CUT },
		{ "{\"polls\": [3, 41", "1@1:12 3\ncut\nx.json:1: " CUT }, /* 41 or 410? */
		{ "{\"name\": \"a\\", "cut\nx.json:1: " CUT },
		{ "{\"name\": \"a\\u00", "cut\nx.json:1: " CUT },
		{ "{\"name\"", "cut\nx.json:1: " CUT },
		{ "{", "cut\nx.json:1: " CUT },
	};

	CHECK(*state, polls, cases);
}

static void goes_on_at_the_next_document(void **state)
{
	static const struct json_case cases[] = {
		{ "{\"a\": 1}\n{\"a\": x}\n{\"a\": 3}\n",
		  "0@1:1 {a:1}\n0@3:1 {a:3}\n1 damaged\nx.json:2:7: warning: json-syntax: 'x' is no value" LOST },
		{ "rubbish\n{\"a\": 1}\n", "0@2:1 {a:1}\n1 damaged\nx.json:1:1: warning: json-syntax: text that is no document" LOST },
		{ "{\"a\": 1,\n{\"a\": 2}\n", "0@2:1 {a:2}\n1 damaged\nx.json:2:1: warning: json-syntax: '{' "
		  "where a key is expected" LOST },
		/* a text does not run over its line */
		{ "{\"a\": \"x\n{\"a\": 2}\n",
		  "0@2:1 {a:2}\n1 damaged\nx.json:1:9: warning: json-syntax: the line ends where the rest of a text is expected" LOST },
		/* killed in the middle, and appended to */
		{ "{\n  \"a\": [\n    {\"b\": 1},\n{\n  \"a\": 2\n}\n",
		  "0@4:1 {a:2}\n1 damaged\nx.json:4:1: warning: json-syntax: a document begins before the one before it ended" LOST },
		{ "{\n\"a\": [\n{\"b\": 1},\n{\"b\": 2}\n]\n}\n", "0@1:1 {a:[{b:1} {b:2}]}\n" }, /* without indents it is a part */
		{ "{\"a\": 1.}\n{\"a\": .5}\n{\"a\": 1e}\n{\"a\": +1}\n{\"a\": -}\n{\"a\": 0x1}\n{\"a\": 2}",
		  "0@7:1 {a:2}\n6 damaged\nx.json:1:7: warning: json-syntax: '1.' is no value; what follows up to the next document is not used "
		  "(5 more like this)\n" },
		{ "{\"a\": 1]\n{\"a\": tru}\n{\"a\": \"\\x\"}\n{\"a\" 1}\n{a: 1}\n{\"a\": 1.2.3}\n{\"a\": 2}",
		  "0@7:1 {a:2}\n6 damaged\nx.json:1:8: warning: json-syntax: ']' where a key is expected; "
		  "what follows up to the next document "
		  "is not used (5 more like this)\n" },
		{ "{\"a\": \"\\ud83d\\n\"}\n{\"a\": \x01}\n{\"a\": 2}",
		  "0@3:1 {a:2}\n2 damaged\nx.json:1:15: warning: json-syntax: 'n' where the other half of a character is expected; "
		  "what follows up to the next document is not used (1 more like this)\n" },
	};

	CHECK(*state, documents, cases);
}

static void takes_the_last_of_several(void **state)
{
	struct logs *logs = *state;
	const char *path = folder_put(&logs->folder, &logs->mem, "x.json", slice_of("{\"a\": 1, \"b\": {\"c/d\": 2}, \"a\": 3, "
		"\"n\": null}"));
	struct lines lines;
	size_t which;

	assert_true(lines_open(&lines, path, NULL, &logs->diags));
	struct json_reader *in = json_reader_new(&logs->mem, &lines, &logs->diags, documents);
	const struct json *value = json_next(in, &which);
	assert_true(slice_is(json_text(json_get(value, "a")), "3"));
	assert_true(slice_is(json_text(json_get(value, "b>c/d")), "2"));
	assert_null(json_get(value, "b>c"));
	assert_null(json_get(value, "a>c/d"));
	assert_null(json_get(NULL, "a"));
	assert_int_equal(json_text(json_get(value, "n")).n, 0);
	assert_int_equal(json_text(json_get(value, "x")).n, 0);
	json_reader_release(in);
	lines_close(&lines);
}

static const char *repeated(struct arena *mem, const char *before, const char *part, size_t n, const char *behind)
{
	struct buf out;

	buf_init(&out, (size_t)64 << 20);
	buf_text(&out, before);
	for (size_t i = 0; i < n; i++)
		buf_text(&out, part);
	buf_text(&out, behind);
	return text_of_buf(mem, &out);
}

static void is_bounded(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	assert_string_equal(records(logs, documents, slice_of(repeated(mem, "", "{\"a\":", 65, "1\n{\"b\": 2}"))),
		"0@2:1 {b:2}\n1 damaged\nx.json:1:321: warning: json-syntax: maps and lists nested over 64 deep" LOST);
	/* a text over the limit is cut, in any block of the file */
	const char *text = records(logs, documents, slice_of(repeated(mem, "{\"a\": \"", "abcd", 100000, "\", \"b\": 1}")));
	assert_int_equal(strlen(text), strlen("0@1:1 {a:'' b:1}\n") + JSON_TEXT_MAX_BYTES);
	/* so is a number, which is then none */
	assert_string_equal(records(logs, documents, slice_of(repeated(mem, "{\"a\": ", "1234", 100000, "}\n{\"b\": 2}"))),
		"0@2:1 {b:2}\n1 damaged\nx.json:1:7: warning: json-syntax: '1234123412341234123412341234123412341234' is no value" LOST);
	/* a record over the limit is passed over; the next is not */
	const char *large = repeated(mem, "{\"polls\": [{\"a\": [", "1, ", 400000, "0]}, {\"t\": 2}]}");
	assert_string_equal(records(logs, polls, slice_of(large)),
		"1@1:1200024 {t:2}\n1 damaged\nx.json:1:1200022: error: limit: a record over 16 MiB; not used\n");
	assert_string_equal(records(logs, polls, slice_of(repeated(mem, "{\"polls\": [{\"big\": [", "1, ", 400000, "0]}, {\"t\": 2}]}"))),
		"1@1:12 {}\n1@1:1200026 {t:2}\n");
}

static void gives_the_same_in_blocks_of_any_size(void **state)
{
	struct logs *logs = *state;
	const char *const line = "{\"a\": \"\\u00e9\\n\", \"b\": [1, 2.5e-3, {\"c\": null}]}\n";
	const size_t n = 20000; /* several blocks of 128 KiB, cut at any byte of a line */
	struct lines lines;
	size_t which, i = 0;

	assert_true(lines_open(&lines, folder_put(&logs->folder, &logs->mem, "x.json", slice_of(repeated(&logs->mem, "", line, n, ""))), NULL,
		&logs->diags));
	struct json_reader *in = json_reader_new(&logs->mem, &lines, &logs->diags, documents);
	for (const struct json *value; (value = json_next(in, &which)); i++) {
		struct buf out;
		buf_init(&out, 1000);
		show(&out, value);
		assert_string_equal(out.at, "{a:'\xC3\xA9\n' b:[1 2.5e-3 {c:null}]}");
		buf_release(&out);
		assert_int_equal(value->line, i + 1);
	}
	assert_int_equal(i, n);
	assert_false(json_is_cut(in));
	json_reader_release(in);
	lines_close(&lines);
}

/* Blanks, a document of which a block of 128 KiB has the first n bytes, and so many blanks that the next block is full. */
static const char *document_after(struct arena *mem, const char *document, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	while (out.n + 1 + n < (size_t)128 * 1024)
		buf_char(&out, ' ');
	buf_print(&out, "\n%s", document);
	for (size_t i = 0; i < (size_t)128 * 1024; i++)
		buf_char(&out, ' ');
	return text_of_buf(mem, &out);
}

static void a_block_may_end_in_any_byte(void **state)
{
	static const char document[] = "{\n  \"name\": \"a text\",\n  \"polls\": [{\"load\": 12.50, \"usr\": 4,97, \"none\": null, "
				       "\"t\\u0041\": -1}]\n}\n";
	struct logs *logs = *state;

	for (size_t n = 0; n < strlen(document); n++)
		assert_string_equal(records(logs, polls, slice_of(document_after(&logs->mem, document, n))),
			"0@3:11 name:'a text'\n1@4:13 {load:12.50 usr:4.97 none:null tA:-1}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_documents_in_a_row, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(forgives_what_sysstat_wrote_for_years, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gives_what_is_asked_for, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gives_only_what_is_whole, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(goes_on_at_the_next_document, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_the_last_of_several, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(is_bounded, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gives_the_same_in_blocks_of_any_size, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_block_may_end_in_any_byte, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
