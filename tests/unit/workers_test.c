/* workers_test.c - every job is done once, whoever does it, and nobody is in the way of another; what an arena adopts stays. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/aside.h"
#include "base/thread.h"
#include "base/workers.h"

#include <sched.h>
#include <string.h>

#define N_JOBS 10000

struct counting {
	unsigned char done[N_JOBS];
	size_t of_worker[WORKERS_MAX];
	struct lock *lock;
	size_t shared;
};

static void count(void *context, size_t worker, size_t job)
{
	struct counting *const c = context;

	c->done[job]++;
	c->of_worker[worker]++;
	lock_take(c->lock);
	lock_take(c->lock); /* who holds it may take it again */
	c->shared++;
	lock_give(c->lock);
	lock_give(c->lock);
}

static void each_job_is_done_once(void **state)
{
	static const size_t numbers[] = { 0, 1, 2, 7, 8, 9, N_JOBS };
	static struct counting c;

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const size_t n = numbers[i];
		size_t sum = 0;
		c = (struct counting){ .lock = lock_new() };
		const size_t n_most = 1 + i % 3;
		workers_run(n_most, n, count, &c);
		for (size_t job = 0; job < N_JOBS; job++)
			assert_int_equal(c.done[job], job < n);
		for (size_t worker = 0; worker < WORKERS_MAX; worker++) {
			sum += c.of_worker[worker];
			if (worker >= n_most)
				assert_int_equal(c.of_worker[worker], 0);
		}
		assert_int_equal(sum, n);
		assert_int_equal(c.shared, n);
		lock_free(c.lock);
	}
}

#define N_ROUNDS 3000

struct rounds {
	size_t round, n_jobs;
	size_t last[9]; /* by job: the round in which it was done last */
	size_t of_worker[WORKERS_MAX];
};

static void note_round(void *context, size_t worker, size_t job)
{
	struct rounds *const r = context;

	r->last[job] = r->last[job] + 1 == r->round ? r->round : SIZE_MAX; /* twice in a round, or in one that is over */
	r->of_worker[worker]++;
}

/* Each of nine jobs every time: a round ends when all of its jobs have, and no worker takes one of a round that is over. */
static void run_rounds(struct crew *crew)
{
	struct rounds r = { .n_jobs = sizeof r.last / sizeof *r.last };
	size_t sum = 0;

	while (r.round++ < N_ROUNDS) {
		crew_run(crew, r.n_jobs, note_round, &r);
		for (size_t job = 0; job < r.n_jobs; job++)
			assert_int_equal(r.last[job], r.round);
	}
	for (size_t worker = 0; worker < WORKERS_MAX; worker++) {
		sum += r.of_worker[worker];
		if (worker >= crew_size(crew))
			assert_int_equal(r.of_worker[worker], 0);
	}
	assert_int_equal(sum, N_ROUNDS * r.n_jobs);
}

static void a_crew_has_its_jobs_done_round_after_round(void **state)
{
	(void)state;
	run_rounds(NULL);
	assert_int_equal(crew_size(NULL), 1);
	for (size_t n_most = 1; n_most <= WORKERS_MAX; n_most++) {
		struct crew *const crew = crew_new(n_most);
		assert_int_equal(crew_size(crew), workers_count(n_most));
		run_rounds(crew);
		crew_release(crew);
	}
	crew_release(NULL);
}

static void a_crew_has_any_number_of_jobs_done(void **state)
{
	static const size_t numbers[] = { 0, 1, 2, 7, 8, 9, 0, N_JOBS, 3 };
	static struct counting c;
	struct crew *const crew = crew_new(WORKERS_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		c = (struct counting){ .lock = lock_new() };
		crew_run(crew, numbers[i], count, &c);
		for (size_t job = 0; job < N_JOBS; job++)
			assert_int_equal(c.done[job], job < numbers[i]);
		for (size_t worker = numbers[i] ? numbers[i] : 1; worker < WORKERS_MAX; worker++)
			assert_int_equal(c.of_worker[worker], 0);
		assert_int_equal(c.shared, numbers[i]);
		lock_free(c.lock);
	}
	crew_release(crew);
}

#define N_PARTS 500

struct relayed {
	struct lock *lock; /* over all counts */
	size_t n_parts, stops_at; /* parts that there are, and the one that is handed in last */
	size_t n_taken, n_handed_in, n_odd;
	bool is_taken_from, is_handed_to; /* by somebody, now */
	size_t part[WORKERS_MAX]; /* that each worker has */
	bool was_worked_on[N_PARTS];
};

static void expect(struct relayed *r, bool is_so)
{
	lock_take(r->lock);
	r->n_odd += !is_so;
	lock_give(r->lock);
}

/* Only one at a time may be between the two. */
static void enter(struct relayed *r, bool *door)
{
	lock_take(r->lock);
	expect(r, !*door);
	*door = true;
	lock_give(r->lock);
}

static void leave(struct relayed *r, bool *door)
{
	lock_take(r->lock);
	*door = false;
	lock_give(r->lock);
}

static bool take_next(void *of, size_t worker)
{
	struct relayed *const r = of;

	enter(r, &r->is_taken_from);
	const bool is_there = r->n_taken < r->n_parts;
	r->part[worker] = is_there ? r->n_taken++ : SIZE_MAX;
	leave(r, &r->is_taken_from);
	return is_there;
}

static void work_on_it(void *of, size_t worker)
{
	struct relayed *const r = of;

	r->was_worked_on[r->part[worker]] = true;
}

static bool hand_it_in(void *of, size_t worker)
{
	struct relayed *const r = of;

	enter(r, &r->is_handed_to);
	expect(r, r->part[worker] == r->n_handed_in && r->was_worked_on[r->part[worker]]);
	r->n_handed_in++;
	leave(r, &r->is_handed_to);
	return r->part[worker] != r->stops_at;
}

/* Each part goes through all three, in order where there is one; and where one is the last, none behind it is handed in. */
static void parts_are_handed_in_as_they_were_taken(void **state)
{
	static const size_t numbers[] = { 0, 1, 2, 9, N_PARTS };
	static struct relayed r;

	(void)state;
	for (size_t n_most = 0; n_most <= WORKERS_MAX; n_most += 2) { /* 0: no crew */
		struct crew *const crew = n_most ? crew_new(n_most) : NULL;
		for (size_t i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
			r = (struct relayed){ .lock = lock_new(), .n_parts = numbers[i / 2], .stops_at = i % 2 ? numbers[i / 2] / 2 : SIZE_MAX };
			const size_t n_wanted = i % 2 && r.n_parts ? r.stops_at + 1 : r.n_parts;
			crew_relay(crew, &(struct relay){ take_next, work_on_it, hand_it_in, &r });
			assert_int_equal(r.n_handed_in, n_wanted);
			assert_true(r.n_taken >= n_wanted && r.n_taken < n_wanted + crew_size(crew));
			assert_int_equal(r.n_odd, 0);
			lock_free(r.lock);
		}
		crew_release(crew);
	}
}

struct asking {
	struct crew *crew;
	bool was_taken[N_JOBS];
};

static void do_nothing(void *context, size_t worker, size_t job)
{
	(void)context;
	(void)worker;
	(void)job;
}

static void ask_for_more(void *context, size_t worker, size_t job)
{
	struct asking *const a = context;

	(void)worker;
	a->was_taken[job] = crew_run_if_free(a->crew, N_JOBS, do_nothing, NULL);
}

/* Whoever asks from inside of a job is told so, on each of its threads; behind it the crew is free again. */
static void a_crew_at_work_takes_no_more(void **state)
{
	static struct asking a;

	(void)state;
	a = (struct asking){ .crew = crew_new(WORKERS_MAX) };
	crew_run(a.crew, N_JOBS, ask_for_more, &a);
	for (size_t job = 0; job < N_JOBS; job++)
		assert_int_equal(a.was_taken[job], crew_size(a.crew) == 1);
	assert_true(crew_run_if_free(a.crew, N_JOBS, do_nothing, NULL));
	crew_release(a.crew);
	assert_true(crew_run_if_free(NULL, N_JOBS, do_nothing, NULL));
}

static void workers_are_as_many_as_jobs_at_most(void **state)
{
	(void)state;
	assert_int_equal(workers_count(0), 1);
	assert_int_equal(workers_count(1), 1);
	assert_true(workers_count(2) <= 2);
	assert_true(workers_count(SIZE_MAX) <= WORKERS_MAX);
}

/* Nobody is in the way of those whom a batch system gave the other cores. */
static void threads_keep_to_our_cores(void **state)
{
	cpu_set_t ours, one;
	size_t first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
	while (!CPU_ISSET(first, &ours))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(workers_count(SIZE_MAX), 1);
	assert_false(workers_have_second());
	struct crew *const alone = crew_new(WORKERS_MAX);
	assert_int_equal(crew_size(alone), 1);
	run_rounds(alone);
	crew_release(alone);
	assert_int_equal(sched_setaffinity(0, sizeof ours, &ours), 0);
	const size_t n = (size_t)CPU_COUNT(&ours);
	assert_int_equal(workers_count(SIZE_MAX), n < WORKERS_MAX ? n : WORKERS_MAX);
}

struct beginning {
	cpu_set_t ours;
	int core;
};

static void note_beginning(void *of)
{
	struct beginning *const b = of;

	b->core = sched_getcpu();
	sched_getaffinity(0, sizeof b->ours, &b->ours);
}

/*
 * Where it may not use another core it begins on the same one; and afterwards it may use all that we may. A machine that has much else to do
 * may have moved some of them back before they look.
 */
static void a_thread_begins_on_another_core(void **state)
{
	int n_elsewhere = 0;
	cpu_set_t ours, one;
	struct beginning b;
	struct thread t;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
	for (int i = 0; i < 50; i++) {
		assert_true(thread_start(&t, note_beginning, &b));
		thread_end(&t);
		assert_true(CPU_EQUAL(&b.ours, &ours));
		n_elsewhere += b.core != t.core;
	}
	if (CPU_COUNT(&ours) > 1 && t.core >= 0)
		assert_true(n_elsewhere > 25);
	const int core = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((size_t)core, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_true(thread_start(&t, note_beginning, &b));
	threads_leave();
	thread_end(&t);
	assert_int_equal(b.core, core);
	assert_true(CPU_EQUAL(&b.ours, &one));
	assert_int_equal(sched_setaffinity(0, sizeof ours, &ours), 0);
}

static void what_is_adopted_lives_on(void **state)
{
	struct arena mem, from;

	(void)state;
	arena_init(&mem);
	arena_init(&from);
	char *const own = arena_print(&mem, "own"), *const given = arena_print(&from, "given");
	char *const large = arena_alloc(&from, (size_t)3 << 20);
	memset(large, 'x', (size_t)3 << 20);
	arena_adopt(&mem, &from);
	assert_null(from.newest);
	assert_int_equal(from.used_bytes, 0);
	assert_string_equal(arena_print(&from, "new"), "new");
	arena_release(&from);
	assert_string_equal(own, "own");
	assert_string_equal(given, "given");
	assert_int_equal(large[((size_t)3 << 20) - 1], 'x');
	arena_adopt(&mem, &from); /* nothing */
	assert_string_equal(arena_print(&mem, "more"), "more");
	arena_release(&mem);
}

static void add_one(void *of)
{
	++*(int *)of;
}

static void what_is_done_aside_is_done_at_its_end(void **state)
{
	int n = 0;
	struct aside *const a = aside_start(add_one, &n);

	(void)state;
	assert_int_equal(a != NULL, workers_have_second());
	if (a)
		aside_end(a);
	assert_int_equal(n, a ? 1 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_job_is_done_once),
		cmocka_unit_test(a_crew_has_its_jobs_done_round_after_round),
		cmocka_unit_test(a_crew_has_any_number_of_jobs_done),
		cmocka_unit_test(parts_are_handed_in_as_they_were_taken),
		cmocka_unit_test(a_crew_at_work_takes_no_more),
		cmocka_unit_test(workers_are_as_many_as_jobs_at_most),
		cmocka_unit_test(threads_keep_to_our_cores),
		cmocka_unit_test(a_thread_begins_on_another_core),
		cmocka_unit_test(what_is_done_aside_is_done_at_its_end),
		cmocka_unit_test(what_is_adopted_lives_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
