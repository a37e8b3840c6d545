/*
 * packed.h - a row of whole numbers, as narrow as they allow.
 *
 * Logs say little with many digits: a share of 0 to 100, a power in hundredths, a clock that ticks once a second. PACK
 * numbers at a time are kept as a line (a first number, and what each adds to it) and codes of one, two or four bytes that
 * count in a power of ten from there; where all are on the line there are no codes at all. What is too wide for that
 * is kept as it is. Numbers come back exactly.
 *
 *     61 63 _ 62               first 61, unit 1, codes 0 2 255 1: 255 is "not known"
 *     10:00:00 10:00:01 ...    first 10:00:00, slope 1 s: no codes
 */
#ifndef POSTRUN_PACKED_H
#define POSTRUN_PACKED_H

#include "base/arena.h"
#include "base/number.h"

#include <stdbool.h>
#include <string.h>

enum { PACK = 128 }; /* numbers in a pack */

struct pack {
	void *codes;          /* of `width` bytes; the highest one is FIXED_MISSING */
	int64_t first;        /* number i is first + i * slope + code * unit */
	int32_t slope;
	uint32_t unit : 24, width : 8; /* width 0: there are no codes; 8: codes are the numbers themselves */
};

/* How many packs n numbers take. */
static inline size_t packs_for(size_t n)
{
	return n / PACK + (n % PACK != 0);
}

struct packed { /* number i is in pack i / PACK */
	struct pack *at;
};

/* The lowest and highest numbers of a column before several of them were made one; low > high: there were none. */
struct extremes_seen {
	fixed low, high;
};
#define NOTHING_SEEN ((struct extremes_seen){ INT64_MAX, INT64_MIN })

/* Number i of a pack. */
static inline int64_t pack_at(const struct pack *p, size_t i)
{
	const uint64_t on_line = (uint64_t)p->first + (uint64_t)i * (uint64_t)(int64_t)p->slope;

	switch (p->width) {
	case 0:
		return (int64_t)on_line;
	case 1: {
		const uint8_t code = ((const uint8_t *)p->codes)[i];
		return code == UINT8_MAX ? FIXED_MISSING : (int64_t)(on_line + (uint64_t)code * p->unit);
	}
	case 2: {
		const uint16_t code = ((const uint16_t *)p->codes)[i];
		return code == UINT16_MAX ? FIXED_MISSING : (int64_t)(on_line + (uint64_t)code * p->unit);
	}
	case 4: {
		const uint32_t code = ((const uint32_t *)p->codes)[i];
		return code == UINT32_MAX ? FIXED_MISSING : (int64_t)(on_line + (uint64_t)code * p->unit);
	}
	default:
		return ((const int64_t *)p->codes)[i];
	}
}

static inline int64_t packed_at(const struct packed *p, size_t i)
{
	return pack_at(&p->at[i / PACK], i % PACK);
}

/* The numbers [from, end) of a pack. */
void pack_read(const struct pack *p, size_t from, size_t end, int64_t *out);
/*
 * The highest code of the first n numbers of a pack with codes of one, two or four bytes; the lowest is 0. *is_all: none of the numbers is
 * missing; else of those that are not, and 0 where all are.
 */
uint32_t pack_highest(const struct pack *p, size_t n, bool *is_all);
/* Each of n numbers, of which none is missing, becomes larger by so much. */
void packed_shift(struct packed *p, size_t n, int64_t by);
/* n numbers at once. `is_clock`: they climb, as times do. */
struct packed packed_from(struct arena *mem, const int64_t *numbers, size_t n, bool is_clock);

/* Numbers while they come in: mostly one more, sometimes one that was there already. */
struct packer {
	struct arena *mem; /* of the codes */
	bool is_clock;
	struct pack *at;   /* plain memory until packer_done() */
	size_t n, room;
	int64_t *open;     /* the numbers of one pack as they are; also plain memory */
	size_t open_pack;
	bool is_changed;   /* since it was opened */
	bool is_same;      /* all PACK numbers there are the first one, also where none came in yet */
};

struct packer packer_new(struct arena *mem, bool is_clock);
/* That begins with whole packs that were written already, and that stay where they are. */
struct packer packer_behind(struct arena *mem, bool is_clock, const struct pack *at, size_t n_packs);
/* What comes from now on is packed elsewhere; whole packs stay where they are. */
void packer_into(struct packer *p, struct arena *mem);
/* The first number of a pack, for which room is made. */
void packer_add_first(struct packer *p, int64_t number);
static inline void packer_add(struct packer *p, int64_t number)
{
	if (p->n % PACK == 0 || p->n / PACK != p->open_pack) {
		packer_add_first(p, number);
		return;
	}
	p->open[p->n++ % PACK] = number;
	p->is_changed = true;
	p->is_same = false;
}
/* Where the next numbers go, for those who write many: there is room for *n, up to the end of a pack. */
int64_t *packer_room(struct packer *p, size_t *n);
/* So many were written there. */
void packer_added(struct packer *p, size_t n);
/* The same number n times. Where whole packs are of one number, which is what this is for, it is written once and not for each pack. */
void packer_add_same(struct packer *p, int64_t number, size_t n);
/* PACK numbers, behind whole packs. */
void packer_add_pack(struct packer *p, const int64_t numbers[PACK]);
/* The same of whole units; false, and nothing done: packer_add_pack() has to look at the numbers. */
bool packer_add_codes(struct packer *p, const int32_t codes[PACK], int64_t unit);
void packer_set(struct packer *p, size_t i, int64_t number);
static inline int64_t packer_at(const struct packer *p, size_t i)
{
	return i / PACK == p->open_pack ? p->open[i % PACK] : pack_at(&p->at[i / PACK], i % PACK);
}
/* The numbers of pack k; returns how many there are in it. */
size_t packer_read(const struct packer *p, size_t k, int64_t out[PACK]);
/* All that came in, to stay in the arena; nothing else is left. */
struct packed packer_done(struct packer *p);
/* Instead of that; also of a packing that is all zero. */
void packer_drop(struct packer *p);

#endif
