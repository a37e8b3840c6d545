/*
 * laws.h - laws on random input.
 *
 *     build/…/span_laws [CASES [SEED]]
 *
 * A law is a function that makes one random case and says whether it holds. Case i of a run
 * draws from SEED + i alone, so that a broken law names the two words that show it again:
 * "1 20001837". The seed is fixed unless given, for a check that fails must fail again.
 */
#ifndef POSTRUN_LAWS_H
#define POSTRUN_LAWS_H

#include "base/arena.h"
#include "base/number.h"
#include "base/slice.h"
#include <stdio.h>

struct random {
	uint64_t state;
};

/* SplitMix64 (Steele, Lea & Flood 2014): any seed will do. */
static inline uint64_t random_bits(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* From 0 to n - 1. */
static inline int random_below(struct random *r, const int n)
{
	return (int)(random_bits(r) % (uint64_t)n);
}

static inline bool random_one_in(struct random *r, const int n)
{
	return random_below(r, n) == 0;
}

struct law {
	const char *name;
	bool (*holds)(struct random *r, struct arena *mem);
	int64_t one_in; /* a law that takes long is tried on one in so many cases */
};
#define LAW_ONE_IN(function, n)      \
	{                            \
		#function, function, n \
	}
#define LAW(function) LAW_ONE_IN(function, 1)

static inline bool law_holds(const struct law *law, const int64_t n_cases, const int64_t seed)
{
	for (int64_t i = 0; i < n_cases; i += law->one_in) {
		struct random r = { (uint64_t)(seed + i) };
		struct arena mem;

		arena_init(&mem);
		const bool holds = law->holds(&r, &mem);
		arena_release(&mem);
		if (holds)
			continue;
		printf("[  FAILED  ] %s\nagain with: 1 %lld\n", law->name, (long long)(seed + i));
		return false;
	}
	printf("[       OK ] %s\n", law->name);
	return true;
}

/* Exit status: 0 all hold, 1 one is broken, 2 wrong usage. */
static inline int laws_check(const struct law *laws, const size_t n, const int argc, char **argv)
{
	int64_t n_cases = 100000, seed = 20261121;
	bool all_hold = true;

	if ((argc > 1 && !integer_parse(slice_of(argv[1]), &n_cases)) ||
		(argc > 2 && !integer_parse(slice_of(argv[2]), &seed))) {
		fprintf(stderr, "usage: %s [CASES [SEED]]\n", argv[0]);
		return 2;
	}
	printf("%lld cases a law, seed %lld\n", (long long)n_cases, (long long)seed);
	for (size_t i = 0; i < n; i++)
		all_hold &= law_holds(&laws[i], n_cases, seed);
	return all_hold ? 0 : 1;
}

#endif
