/*
 * reasons_test.c - what the strip "why clocks were held down" shows of masks, cell by cell.
 *
 * A letter is a second: '.' nothing, 'i' idle, 'c' power cap, 's' software thermal, 'h' hardware thermal, 'w' hardware slowdown, '_' no
 * value, ' ' no row. Cells come out as the letter of the worst reason and the tenths of its time, 'x' where nothing is known, and behind
 * them the same of what is beneath.
 */
#include "chart/reasons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct letter {
	char letter;
	unsigned mask;
	enum reason reason;
} letters[] = {
	{ '.', 0, NO_REASON },
	{ 'i', 1, NO_REASON },
	{ 'c', 4, REASON_POWER_CAP },
	{ 's', 0x20, REASON_SW_THERMAL },
	{ 'h', 0x40, REASON_HW_THERMAL },
	{ 'w', 8, REASON_HW_SLOWDOWN },
};
#define N_LETTERS (sizeof letters / sizeof *letters)

static fixed value_of(char letter)
{
	for (size_t i = 0; i < N_LETTERS; i++)
		if (letters[i].letter == letter)
			return letters[i].mask * (fixed)FIXED_ONE;
	return FIXED_MISSING;
}

static char letter_of(unsigned char reason)
{
	for (size_t i = 0; i < N_LETTERS; i++)
		if (letters[i].reason == reason)
			return letters[i].letter;
	return 'x';
}

static const char *cells_of(struct arena *mem, const char *seconds, size_t n_cells)
{
	const size_t n = strlen(seconds);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_ARRAY(mem, fixed, n);
	struct track t = { .times = times, .values = values, .step = SECOND_MS };
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		if (seconds[i] != ' ') {
			times[t.n] = (time_ms)i * SECOND_MS;
			values[t.n++] = value_of(seconds[i]);
		}
	const struct reason_cell *const cells = reason_cells(mem, &t, (struct span){ 0, (time_ms)n * SECOND_MS }, n_cells);
	for (size_t k = 0; k < n_cells; k++) {
		const struct reason_cell *const c = &cells[k];
		text = arena_print(mem, "%s%c%d", text, letter_of(c->worst.reason), c->worst.share);
		if (c->beneath.reason < NO_REASON)
			text = arena_print(mem, "%s%c%d", text, letter_of(c->beneath.reason), c->beneath.share);
		text = arena_print(mem, "%s ", text);
	}
	return text;
}

static void cells_have_the_worst_reason_and_its_share(void **state)
{
	static const struct {
		const char *seconds;
		size_t n_cells;
		const char *cells;
	} cases[] = {
		{ "cccccccccccccccccccc", 2, "c10 c10 " },
		{ "ccccccccccc.........", 2, "c10 c1 " },
		{ "c.........i.i.i.i.i.", 2, "c1 .0 " },
		{ "cccccsccccccsccccchc", 2, "s1c9 h1c8 " }, /* the worst one is for a moment, and that is how it looks */
		{ "cccccsssssc_________", 2, "s5c5 c10 " }, /* of what is known */
		{ "cc        ..........", 2, "c10 .0 " },
		{ "____________________", 2, "x0 x0 " },
		{ "c.w...w.w.", 1, "c1 " }, /* slowdown for a single sample is none */
		{ "..ww......", 1, "w2 " },
		{ "c         ", 5, "c10 x0 x0 x0 x0 " }, /* a sample before a hole holds for a step */
		{ "ccs.", 8, "c10 c10 c10 c10 s10 s10 .0 .0 " }, /* two cells a second */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena mem;
		arena_init(&mem);
		assert_string_equal(cells_of(&mem, cases[i].seconds, cases[i].n_cells), cases[i].cells);
		arena_release(&mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_have_the_worst_reason_and_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
