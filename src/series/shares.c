/*
 * shares.c - shares, a pack of pieces at a time.
 */
#include "series/shares.h"

#include <math.h>

__extension__ typedef __int128 int128;

#define PARTS 1e9 /* of one */

/* Pieces one behind the other; of neighbours with the same share one is made. */
struct making {
	struct packer begins, values;
	int64_t last;
	size_t n;
};

static struct making making_begin(struct arena *mem)
{
	return (struct making){ .begins = packer_new(mem, true), .values = packer_new(mem, false) };
}

static void make_piece(struct making *m, const time_ms begin, const int64_t value)
{
	if (m->n && m->last == value)
		return;
	packer_add(&m->begins, begin);
	packer_add(&m->values, value);
	m->last = value;
	m->n++;
}

static struct shares making_done(struct making *m, const time_ms end)
{
	return (struct shares){ packer_done(&m->begins), packer_done(&m->values), m->n, end };
}

static int64_t parts_of(const double share)
{
	if (isnan(share))
		return FIXED_MISSING;
	return share <= 0 ? 0 : share >= 1 ? (int64_t)PARTS : llround(share * PARTS);
}

struct shares shares_of(struct arena *mem, const struct signal s)
{
	struct making m = making_begin(mem);

	for (size_t i = 0; i < s.n; i++)
		make_piece(&m, s.at[i].begin, parts_of(s.at[i].value));
	return making_done(&m, s.end);
}

/* The piece that holds at `when`, or the first one. */
static size_t share_at(const struct shares *s, const time_ms when)
{
	size_t low = 0, high = s->n; /* begins[low] <= when < begins[high] */

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (packed_at(&s->begins, middle) <= when)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Pieces one after the other, unpacked a pack at a time. */
struct share_cursor {
	const struct shares *shares;
	size_t pack; /* that is at hand; SIZE_MAX: none */
	int64_t begins[PACK + 1], values[PACK]; /* the last begin is where the last piece ends */
};

static void unpack(struct share_cursor *c, const size_t pack)
{
	const struct shares *const s = c->shares;
	const size_t first = pack * PACK, n = s->n - first < PACK ? s->n - first : PACK;

	c->pack = pack;
	pack_read(&s->begins.at[pack], 0, n, c->begins);
	pack_read(&s->values.at[pack], 0, n, c->values);
	c->begins[n] = first + n < s->n ? packed_at(&s->begins, first + n) : s->end;
}

struct shares shares_in_turn(struct arena *mem, const struct shares *shares, const struct span *of, const size_t n)
{
	struct making m = making_begin(mem);

	for (size_t k = 0; k < n; k++) {
		struct share_cursor c = { .shares = &shares[k], .pack = SIZE_MAX };

		if (!shares[k].n)
			make_piece(&m, of[k].begin, FIXED_MISSING);
		for (size_t i = 0; i < shares[k].n; i++) {
			if (i / PACK != c.pack)
				unpack(&c, i / PACK);
			make_piece(&m, c.begins[i % PACK], c.values[i % PACK]);
		}
	}
	return making_done(&m, of[n - 1].end);
}

double shares_sum(const struct shares *s, const struct spans within, time_ms *known)
{
	struct share_cursor c = { .shares = s, .pack = SIZE_MAX };
	size_t i = s->n && within.n ? share_at(s, within.at[0].begin) : s->n;
	int128 sum = 0;

	*known = 0;
	for (size_t k = 0; k < within.n && i < s->n;) {
		if (i / PACK != c.pack)
			unpack(&c, i / PACK);
		const time_ms begin = c.begins[i % PACK], end = c.begins[i % PACK + 1];
		const time_ms held = sooner(end, within.at[k].end) - later(begin, within.at[k].begin);
		if (held > 0 && c.values[i % PACK] != FIXED_MISSING) {
			sum += (int128)c.values[i % PACK] * held;
			*known += held;
		}
		if (end < within.at[k].end)
			i++;
		else
			k++;
	}
	return (double)sum / PARTS;
}

double shares_at(const struct shares *s, const time_ms when)
{
	const bool is_there = s->n && packed_at(&s->begins, 0) <= when && when < s->end;
	const int64_t value = is_there ? packed_at(&s->values, share_at(s, when)) : FIXED_MISSING;

	return value == FIXED_MISSING ? (double)NAN : (double)value / PARTS;
}

bool shares_are_same(const struct shares *a, const struct shares *b)
{
	if (a->n != b->n || a->end != b->end)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (packed_at(&a->begins, i) != packed_at(&b->begins, i) || packed_at(&a->values, i) != packed_at(&b->values, i))
			return false;
	return true;
}
