/* json_text_test.c - a text that was written as JSON is read as it was, and each character is written as it is read. */
#include "base/character.h"
#include "base/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void texts_come_back(void **state)
{
	static const struct {
		const char *text, *written;
	} cases[] = {
		{ "", "\"\"" },
		{ "2024/07/job-7", "\"2024/07/job-7\"" },
		{ "R&D/<b>", "\"R\\u0026D/\\u003Cb\\u003E\"" },
		{ "\"quoted\\", "\"\\\"quoted\\\\\"" },
		{ "\u00FC \u200Fleft\u2028 \u4E16 \U0001F600", "\"\u00FC \\u200Fleft\\u2028 \u4E16 \U0001F600\"" },
		{ "\x7F\xC2\x85", "\"\\u007F\\u0085\"" },
	};
	struct arena mem;
	struct buf out;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		buf_init(&out, 1 << 10);
		json_put_text(&out, cases[i].text);
		assert_string_equal(out.at, cases[i].written);
		const struct slice read = json_read_text(&mem, (struct slice){ out.at + 1, out.n - 2 });
		assert_true(slice_is(read, cases[i].text));
		buf_release(&out);
	}
	arena_release(&mem);
}

/* Which none of ours is: nothing is read behind the end. */
static void what_is_cut_is_read_to_its_end(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_true(slice_is(json_read_text(&mem, slice_of("a\\u003Cb\\")), "a<b\\"));
	assert_true(slice_is(json_read_text(&mem, slice_of("a\\u003")), "au003"));
	arena_release(&mem);
}

static void characters_are_written_as_they_are_read(void **state)
{
	char bytes[CHARACTER_MOST_BYTES];

	(void)state;
	for (unsigned code = 1; code <= 0x10FFFF; code += code < 0x11000 ? 1 : 257) {
		const struct slice written = { bytes, character_put(bytes, code) };
		if (code >= 0xD800 && code < 0xE000) /* halves of UTF-16 are no characters */
			continue;
		assert_int_equal(character_size(written), written.n);
		assert_int_equal(code_point(written), code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(what_is_cut_is_read_to_its_end),
		cmocka_unit_test(characters_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
