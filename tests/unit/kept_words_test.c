/* kept_words_test.c - a text has one pointer, however many others there are, in whatever order they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/format.h"
#include "format/kept_words.h"

#include <stdio.h>

static const char *kept(struct arena *mem, struct kept_words *w, size_t i)
{
	char text[32];
	const int n = snprintf(text, sizeof text, "GPU-%zu", i);

	return kept_word(mem, w, (struct slice){ text, (size_t)n }, kept_plain);
}

static void has_one_pointer_for_each_text(void **state)
{
	static const size_t numbers[] = { 1, 2, 15, 16, 17, 18, 40, 1000 };

	(void)state;
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
		struct kept_words w = { 0 };
		const char *first[1000];
		struct arena mem;
		arena_init(&mem);
		for (size_t i = 0; i < numbers[k]; i++) {
			first[i] = kept(&mem, &w, i);
			assert_ptr_equal(kept(&mem, &w, i / 2), first[i / 2]);
		}
		for (size_t i = numbers[k]; i-- > 0;) {
			assert_ptr_equal(kept(&mem, &w, i), first[i]);
			assert_ptr_equal(kept(&mem, &w, i * 7 % numbers[k]), first[i * 7 % numbers[k]]);
		}
		assert_int_equal(w.n, numbers[k]);
		assert_string_equal(first[numbers[k] - 1], arena_print(&mem, "GPU-%zu", numbers[k] - 1));
		kept_words_release(&w);
		arena_release(&mem);
	}
}

static void keeps_no_more_than_a_log_has_channels(void **state)
{
	struct kept_words w = { 0 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < MAX_CHANNELS; i++)
		assert_non_null(kept(&mem, &w, i));
	assert_null(kept(&mem, &w, MAX_CHANNELS));
	assert_string_equal(kept(&mem, &w, 3), "GPU-3");
	kept_words_release(&w);
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_one_pointer_for_each_text),
		cmocka_unit_test(keeps_no_more_than_a_log_has_channels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
