/*
 * packed.c - numbers into packs and out of them.
 */
#include "base/packed_parts.h"

typedef uint64_t two __attribute__((vector_size(16)));

/*
 * Whole packs of which no number is missing. Narrow products, a number of loops that is known, and one thing in each loop: that is what
 * compilers make fast. False where one is missing.
 */
#define IS_MISSING_IN(codes, none)                   \
	for (size_t i = 0; i < PACK; i++)            \
		missing |= (codes)[i] == (none);

static bool read_bytes(const uint8_t *restrict codes, int64_t *restrict out, uint64_t line, const uint64_t slope, const uint32_t unit)
{
	uint8_t missing = 0;

	IS_MISSING_IN(codes, UINT8_MAX)
	for (size_t i = 0; !missing && i < PACK; i++) {
		out[i] = (int64_t)(line + (uint64_t)codes[i] * unit);
		line += slope;
	}
	return !missing;
}

/* unit = odd x 2^shift: of each power of ten up to a million the odd part has 16 bits. */
static bool read_pairs(const uint16_t *restrict codes, int64_t *restrict out, uint64_t line, const uint64_t slope, const uint16_t odd,
	const int shift)
{
	uint16_t missing = 0;

	IS_MISSING_IN(codes, UINT16_MAX)
	for (size_t i = 0; !missing && i < PACK; i++) {
		out[i] = (int64_t)(line + ((uint64_t)((uint32_t)codes[i] * odd) << shift));
		line += slope;
	}
	return !missing;
}

static bool read_whole(const struct pack *p, int64_t *out)
{
	const uint64_t first = (uint64_t)p->first, slope = (uint64_t)(int64_t)p->slope;
	uint32_t odd = p->unit;
	int shift = 0;

	for (size_t i = 0; p->width == 0 && slope == 0 && i < PACK; i++)
		out[i] = p->first;
	if (p->width < 2)
		return p->width == 1 ? read_bytes(p->codes, out, first, slope, p->unit) : slope == 0;
	for (; odd > 0 && odd % 2 == 0; odd /= 2)
		shift++;
	return p->width == 2 && odd <= UINT16_MAX && read_pairs(p->codes, out, first, slope, (uint16_t)odd, shift);
}

#define READ_CODES(type, none) \
	for (size_t i = 0; i < n; i++) { \
		const uint64_t code = ((const type *)p->codes)[i]; \
		const uint64_t number = first + i * slope + code * unit; \
		out[i] = code == (none) ? FIXED_MISSING : (int64_t)number; \
	}

void pack_read(const struct pack *p, int64_t *restrict out, size_t n)
{
	const uint64_t first = (uint64_t)p->first, slope = (uint64_t)(int64_t)p->slope, unit = p->unit;

	if (n == PACK && read_whole(p, out))
		return;
	switch (p->width) {
	case 0:
		for (size_t i = 0; i < n; i++)
			out[i] = (int64_t)(first + i * slope);
		return;
	case 1:
		READ_CODES(uint8_t, UINT8_MAX)
		return;
	case 2:
		READ_CODES(uint16_t, UINT16_MAX)
		return;
	case 4:
		READ_CODES(uint32_t, UINT32_MAX)
		return;
	default:
		memcpy(out, p->codes, n * sizeof *out);
	}
}

static size_t packs_for(size_t n)
{
	return n / PACK + (n % PACK != 0);
}

/* How many of n numbers are in pack k. */
static size_t count_in(size_t k, size_t n)
{
	return n - k * PACK < PACK ? n - k * PACK : PACK;
}

void packed_shift(struct packed *p, size_t n, int64_t by)
{
	for (size_t k = 0; k < packs_for(n); k++) {
		int64_t *const numbers = p->at[k].codes;

		p->at[k].first += by;
		for (size_t i = 0; p->at[k].width == 8 && i < count_in(k, n); i++)
			numbers[i] += by;
	}
}

struct packer packer_new(struct arena *mem, bool is_clock)
{
	size_t room = 0;

	return (struct packer){ .mem = mem, .is_clock = is_clock, .open = grow(NULL, &room, PACK, sizeof(int64_t)) };
}

static void close_pack(struct packer *p)
{
	if (p->is_changed)
		pack_write(&p->at[p->open_pack], p->mem, p->open, count_in(p->open_pack, p->n), p->is_clock);
	p->is_changed = false;
}

static void go_to(struct packer *p, size_t k)
{
	close_pack(p);
	p->open_pack = k;
	if (k < packs_for(p->n))
		pack_read(&p->at[k], p->open, count_in(k, p->n));
}

int64_t *packer_room(struct packer *p, size_t *n)
{
	const size_t k = p->n / PACK;

	if (k != p->open_pack)
		go_to(p, k);
	if (p->n % PACK == 0) {
		p->at = grow(p->at, &p->room, k + 1, sizeof *p->at);
		p->at[k] = (struct pack){ 0 };
	}
	*n = PACK - p->n % PACK;
	return p->open + p->n % PACK;
}

void packer_added(struct packer *p, size_t n)
{
	p->n += n;
	p->is_changed |= n > 0;
}

void packer_add_same(struct packer *p, int64_t number, size_t n)
{
	const two pair = { (uint64_t)number, (uint64_t)number };

	for (size_t n_free; n; n -= n_free) {
		int64_t *const out = packer_room(p, &n_free);
		n_free = n < n_free ? n : n_free;
		size_t i = 0;
		for (; i + 4 <= n_free; i += 4) {
			memcpy(out + i, &pair, sizeof pair);
			memcpy(out + i + 2, &pair, sizeof pair);
		}
		for (; i < n_free; i++)
			out[i] = number;
		packer_added(p, n_free);
	}
}

void packer_add_first(struct packer *p, int64_t number)
{
	size_t n_free;

	*packer_room(p, &n_free) = number;
	packer_added(p, 1);
}

void packer_set(struct packer *p, size_t i, int64_t number)
{
	if (i / PACK != p->open_pack)
		go_to(p, i / PACK);
	p->open[i % PACK] = number;
	p->is_changed = true;
}

size_t packer_read(const struct packer *p, size_t k, int64_t out[PACK])
{
	const size_t n = k * PACK < p->n ? count_in(k, p->n) : 0;

	if (k == p->open_pack)
		memcpy(out, p->open, n * sizeof *out);
	else if (n)
		pack_read(&p->at[k], out, n);
	return n;
}

struct packed packer_done(struct packer *p)
{
	const size_t n_packs = packs_for(p->n);
	struct packed done = { arena_raw_array(p->mem, n_packs, sizeof(struct pack)) };

	close_pack(p);
	if (n_packs)
		memcpy(done.at, p->at, n_packs * sizeof *done.at);
	packer_drop(p);
	return done;
}

void packer_drop(struct packer *p)
{
	grow_free(p->at);
	grow_free(p->open);
	*p = (struct packer){ 0 };
}

struct packed packed_from(struct arena *mem, const int64_t *numbers, size_t n, bool is_clock)
{
	struct packed p = { arena_array(mem, packs_for(n), sizeof(struct pack)) };

	for (size_t k = 0; k < packs_for(n); k++)
		pack_write(&p.at[k], mem, numbers + k * PACK, count_in(k, n), is_clock);
	return p;
}
