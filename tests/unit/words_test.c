/* words_test.c - how a report says who. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

/* "n3/0 n5/0": GPUs of a large run; what stands between '/' and the blank is their number */
static const struct entity *const *entities_of(struct arena *mem, const char *text, size_t *n)
{
	const struct entity **const all = NEW_ARRAY(mem, const struct entity *, strlen(text));

	*n = 0;
	for (const char *p = text; *p; p += strspn(p, " ")) {
		const size_t n_host = strcspn(p, "/");
		struct entity *const gpu = NEW(mem, struct entity);
		char *end;
		gpu->scope = SCOPE_GPU;
		gpu->host = arena_text(mem, p, n_host);
		gpu->index = (int)strtol(p + n_host + 1, &end, 10);
		all[(*n)++] = gpu;
		p = end;
	}
	return all;
}

static void gpus_are_named_by_host(void **state)
{
	static const struct {
		const char *gpus, *text;
	} cases[] = {
		{ "n1/5", "GPU 5 of n1" },
		{ "n1/0 n1/1 n1/2 n1/5", "GPUs 0–2 and 5 of n1" },
		{ "n1/0 n2/1", "GPU 0 of n1 and GPU 1 of n2" },
		{ "n1/0 n2/0", "GPU 0 of n1 and of n2" },
		{ "n1/0 n2/0 n3/0", "GPU 0 of n1, of n2 and of n3" },
		{ "n3/0 n5/0 n6/4", "GPU 0 of n3 and of n5, and GPU 4 of n6" },
		{ "n1/4 n3/0 n5/0", "GPU 4 of n1, and GPU 0 of n3 and of n5" },
		{ "n1/1 n2/2 n3/3 n4/3", "GPU 1 of n1, GPU 2 of n2, and GPU 3 of n3 and of n4" },
		{ "n1/0 n2/0 n3/0 n4/0 n5/0", "5 GPUs of 5 hosts" },
	};
	const struct run run = { .n_gpus = 64, .n_hosts = 8 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n;
		const struct entity *const *const gpus = entities_of(&mem, cases[i].gpus, &n);
		assert_string_equal(gpus_text(&mem, &run, gpus, n), cases[i].text);
	}
	arena_release(&mem);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_are_named_by_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
