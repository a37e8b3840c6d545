/* options_test.c - a command line that is told can be given to a shell: each word comes out as it was. */
#include "cmd/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* What a shell makes of it. */
static const char *said_by_shell(struct arena *mem, const char *word)
{
	char said[256];

	FILE *const shell = popen(arena_print(mem, "printf %%s %s", word), "r");
	assert_non_null(shell);
	const size_t n = fread(said, 1, sizeof said, shell);
	assert_int_equal(pclose(shell), 0);
	return arena_text(mem, said, n);
}

static void words_come_out_of_a_shell_as_they_were(void **state)
{
	static const char *const words[] = { "gpu.csv", "2024/07/job-7", "two words", "it's", "'", "''", "'a'b'", "$HOME", "`id`", "a\nb", "\"q\"",
		"back\\slash", "*", "a;b&c|d", "~", "#", "!", "\xFF\x80" };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_string_equal(said_by_shell(&mem, word_for_shell(&mem, words[i])), words[i]);
	assert_string_equal(word_for_shell(&mem, "gpu.csv"), "gpu.csv");
	assert_string_equal(word_for_shell(&mem, "two words"), "'two words'");
	assert_string_equal(word_for_shell(&mem, "a{1,2}"), "'a{1,2}'"); /* two words to bash, one to others */
	assert_string_equal(word_for_shell(&mem, ""), "''");
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_out_of_a_shell_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
