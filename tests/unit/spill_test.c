/*
 * spill_test.c - what was put away comes back as it was, in any order, with a file, without one and where the disk is full amid it.
 */
#include "base/spill.h"

#include "files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define N_PIECES 3000
#define LARGEST 700 /* bytes: all of them are a MiB */

static size_t size_of_piece(size_t i)
{
	return i % 997 == 5 ? 20000 : i * 37 % LARGEST; /* some are larger than what is read at a time, some are empty */
}

static void fill_piece(char *piece, size_t i)
{
	for (size_t k = 0; k < size_of_piece(i); k++)
		piece[k] = (char)(i + k * 7);
}

static void put_all(struct spill *s, uint64_t *places)
{
	char piece[20000];

	for (size_t i = 0; i < N_PIECES; i++) {
		fill_piece(piece, i);
		places[i] = spill_put(s, (struct slice){ piece, size_of_piece(i) });
		assert_true(i ? places[i] > places[i - 1] : places[i] == 0);
	}
}

static bool is_piece(struct slice got, size_t i)
{
	char piece[20000];

	fill_piece(piece, i);
	return got.n == size_of_piece(i) && (!got.n || memcmp(got.p, piece, got.n) == 0);
}

static bool all_come_back(struct spill *s, const uint64_t *places)
{
	uint64_t place = 0;
	struct slice piece;
	size_t n = 0;
	bool good = true;

	for (size_t i = 0; i < N_PIECES; i++) {
		const size_t any = i * 1231 % N_PIECES;
		good = good && is_piece(spill_get(s, places[any]), any);
	}
	for (; good && spill_next(s, &place, &piece); n++)
		good = is_piece(piece, n);
	return good && n == N_PIECES;
}

static void pieces_come_back_in_any_order(void **state)
{
	uint64_t places[N_PIECES];
	struct spill s;

	(void)state;
	spill_init(&s);
	put_all(&s, places);
	assert_true(s.n_in_file > 0 && s.waiting.n < (size_t)512 * 1024);
	assert_true(all_come_back(&s, places));
	spill_release(&s);
}

/* Of the disk, or of the process: nothing goes into a file any more, from the begin on or from somewhere. */
static void a_full_disk_loses_nothing(void **state)
{
	const struct rlimit no_room = { 0, RLIM_INFINITY }, some_room = { 600000, RLIM_INFINITY };
	struct rlimit before;
	uint64_t places[N_PIECES];
	struct spill s;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (int i = 0; i < 2; i++) {
		const struct rlimit limit = { (i ? some_room : no_room).rlim_cur, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		spill_init(&s);
		put_all(&s, places);
		assert_true(s.stays && (s.n_in_file > 0) == (i > 0));
		assert_true(all_come_back(&s, places));
		spill_release(&s);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	}
}

/* Who reads in a process of its own moves nothing for the others, and what it gives up is theirs still. */
static void processes_read_for_themselves(void **state)
{
	uint64_t places[N_PIECES];
	struct spill s;
	int how = 0;

	(void)state;
	spill_init(&s);
	put_all(&s, places);
	const pid_t child = fork();
	if (child == 0) {
		const bool good = all_come_back(&s, places);
		spill_release(&s);
		_exit(good ? 0 : 1);
	}
	assert_true(all_come_back(&s, places));
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_int_equal(how, 0);
	assert_true(all_come_back(&s, places));
	spill_release(&s);
}

static void nothing_comes_back_of_nothing(void **state)
{
	struct slice piece;
	struct spill s;
	uint64_t place = 0;

	(void)state;
	spill_init(&s);
	assert_false(spill_next(&s, &place, &piece));
	spill_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_back_in_any_order),
		cmocka_unit_test(a_full_disk_loses_nothing),
		cmocka_unit_test(processes_read_for_themselves),
		cmocka_unit_test(nothing_comes_back_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
