/*
 * ranking.c - which values a window has, for how long each, and which of them is the quantile.
 */
#include "series/ranking.h"

#include "series/order.h"
#include "series/pieces.h"

#define WORD ((size_t)64)

static size_t known_by_value(const struct signal *s, struct ordered *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->at[i].value))
			out[n++] = (struct ordered){ key_from_double(s->at[i].value), (int64_t)i };
	return n;
}

static size_t count_ranks(const struct ordered *sorted, const size_t n)
{
	size_t n_ranks = n > 0;

	for (size_t i = 1; i < n; i++)
		n_ranks += sorted[i].key != sorted[i - 1].key;
	return n_ranks;
}

/* Logs have few different values: what is walked through from window to window is small. */
static void fill(struct ranking *r, struct arena *mem, const struct ordered *sorted, const size_t n)
{
	const size_t n_ranks = count_ranks(sorted, n), n_words = n_ranks / WORD + 1;

	r->value_of = NEW_RAW_ARRAY(mem, double, n_ranks);
	r->weights = NEW_ARRAY(mem, time_ms, n_ranks);
	r->weighs = NEW_ARRAY(mem, uint64_t, n_words);
	r->words = NEW_ARRAY(mem, uint64_t, n_words / WORD + 1);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || sorted[i].key != sorted[i - 1].key)
			r->value_of[r->n_ranks++] = double_from_key(sorted[i].key);
		r->rank_of[sorted[i].load] = (uint32_t)(r->n_ranks - 1);
	}
}

struct ranking ranking_new(struct arena *mem, const struct signal *s, const int percent)
{
	struct ranking r = {
		.s = s,
		.percent = percent,
		.rank_of = NEW_RAW_ARRAY(mem, uint32_t, s->n),
		.covered = { s->at[0].begin, s->at[0].begin },
	};
	struct arena sorting;

	if (s->n >= NO_RANK)
		die_memory();
	for (size_t i = 0; i < s->n; i++)
		r.rank_of[i] = NO_RANK;
	arena_init(&sorting);
	struct ordered *const sorted = NEW_RAW_ARRAY(&sorting, struct ordered, s->n);
	const size_t n = known_by_value(s, sorted);
	order_sort(&sorting, sorted, n);
	fill(&r, mem, sorted, n);
	arena_release(&sorting);
	return r;
}

/* ------ the window ------ */

static void mark(struct ranking *r, const size_t rank)
{
	const size_t word = rank / WORD;
	const uint64_t bit = UINT64_C(1) << rank % WORD, of_word = UINT64_C(1) << word % WORD;

	r->weighs[word] = r->weights[rank] ? r->weighs[word] | bit : r->weighs[word] & ~bit;
	r->words[word / WORD] = r->weighs[word] ? r->words[word / WORD] | of_word : r->words[word / WORD] & ~of_word;
}

static void weigh(struct ranking *r, const size_t piece, const time_ms ms)
{
	const size_t rank = r->rank_of[piece];

	if (rank == NO_RANK)
		return;
	const bool was_there = r->weights[rank] != 0;
	r->weights[rank] += ms;
	r->total += ms;
	r->below += rank < r->at ? ms : 0;
	if (was_there != (r->weights[rank] != 0))
		mark(r, rank);
}

/* Moves *edge and the piece under it on to `target`; what is passed weighs in (sign 1) or out (-1). */
static void pass(struct ranking *r, time_ms *edge, size_t *piece, const time_ms target, const int sign)
{
	while (*edge < target) {
		const time_ms end = sooner(piece_end(r->s, *piece), target);

		weigh(r, *piece, sign * (end - *edge));
		*edge = end;
		if (end == piece_end(r->s, *piece))
			++*piece;
	}
}

void ranking_move(struct ranking *r, const struct span window)
{
	pass(r, &r->covered.end, &r->last, window.end, 1);
	pass(r, &r->covered.begin, &r->first, window.begin, -1);
}

/* ------ the quantile ------ */

static size_t lowest_bit(const uint64_t word)
{
	return (size_t)__builtin_ctzll(word);
}

static size_t highest_bit(const uint64_t word)
{
	return WORD - 1 - (size_t)__builtin_clzll(word);
}

/* Those above bit i, and those below it. */
static uint64_t bits_above(const uint64_t word, const size_t i)
{
	return i + 1 < WORD ? word >> (i + 1) << (i + 1) : 0;
}

static uint64_t bits_below(const uint64_t word, const size_t i)
{
	return word & ((UINT64_C(1) << i) - 1);
}

/* The next word behind one that has any bit; there is one. */
static size_t word_behind(const struct ranking *r, const size_t word)
{
	size_t i = word / WORD;
	uint64_t words = bits_above(r->words[i], word % WORD);

	while (!words)
		words = r->words[++i];
	return i * WORD + lowest_bit(words);
}

static size_t word_before(const struct ranking *r, const size_t word)
{
	size_t i = word / WORD;
	uint64_t words = bits_below(r->words[i], word % WORD);

	while (!words)
		words = r->words[--i];
	return i * WORD + highest_bit(words);
}

/* The next rank that weighs anything; there is one. */
static size_t rank_above(const struct ranking *r, const size_t rank)
{
	const uint64_t same = bits_above(r->weighs[rank / WORD], rank % WORD);
	const size_t word = same ? rank / WORD : word_behind(r, rank / WORD);

	return word * WORD + lowest_bit(same ? same : r->weighs[word]);
}

static size_t rank_below(const struct ranking *r, const size_t rank)
{
	const uint64_t same = bits_below(r->weighs[rank / WORD], rank % WORD);
	const size_t word = same ? rank / WORD : word_before(r, rank / WORD);

	return word * WORD + highest_bit(same ? same : r->weighs[word]);
}

double ranking_quantile(struct ranking *r)
{
	const time_ms share = r->total * r->percent;

	while (100 * r->below >= share) {
		r->at = rank_below(r, r->at);
		r->below -= r->weights[r->at];
	}
	while (100 * (r->below + r->weights[r->at]) < share) {
		r->below += r->weights[r->at];
		r->at = rank_above(r, r->at);
	}
	return r->value_of[r->at];
}
