/* heap_test.c - the first of a heap is before all others, however they came in and whatever becomes of it. */
#include "base/heap.h"

#include "property/laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST 40

static bool is_less(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b;
}

static int least(void *const *at, size_t n)
{
	int found = *(const int *)at[0];

	for (size_t i = 1; i < n; i++)
		found = *(const int *)at[i] < found ? *(const int *)at[i] : found;
	return found;
}

static void the_first_is_before_all_others(void **state)
{
	struct random r = { 20261123 };
	int numbers[MOST];
	void *heap[MOST];

	(void)state;
	for (size_t n = 1; n <= MOST; n++) {
		for (size_t i = 0; i < n; i++) {
			numbers[i] = random_below(&r, 30);
			heap[i] = &numbers[i];
		}
		heap_make(heap, n, is_less);
		for (size_t left = n; left;) {
			int *const first = heap[0];
			assert_int_equal(*first, least(heap, left));
			if (random_below(&r, 3))
				*first += random_below(&r, 20);
			else
				heap[0] = heap[--left];
			heap_sink_first(heap, left, is_less);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_before_all_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
