/* reasons.c - from a track of masks to reasons: a chunk at a time where nothing depends on what lies around it, else by samples. */
#include "chart/reasons.h"
#include "chart/bins.h"
#include "series/chunk.h"
#include <string.h>

/* nvml.h, nvmlClocksEventReason* */
static const unsigned bits[N_REASONS] = {
	[REASON_HW_THERMAL]    = 0x040,
	[REASON_POWER_BRAKE]   = 0x080,
	[REASON_HW_SLOWDOWN]   = 0x008,
	[REASON_SW_THERMAL]    = 0x020,
	[REASON_POWER_CAP]     = 0x004,
	[REASON_SYNC_BOOST]    = 0x010,
	[REASON_CLOCK_SETTING] = 0x102,
};
#define HW_SLOWDOWN bits[REASON_HW_SLOWDOWN]

static unsigned mask_of(fixed value)
{
	return value == FIXED_MISSING || value < 0 ? 0 : (unsigned)(value / FIXED_ONE & 0xffff);
}

static unsigned mask_at(const struct track *t, size_t i)
{
	return i < t->n ? mask_of(track_value(t, i)) : 0;
}

/* NVIDIA: slowdown may also be set while the clock changes. One sample of it alone says nothing. */
static unsigned settled_mask(const struct track *t, size_t i)
{
	const unsigned mask = mask_at(t, i);
	const unsigned around = (i ? mask_at(t, i - 1) : 0) | mask_at(t, i + 1);
	return around & HW_SLOWDOWN ? mask : mask & ~HW_SLOWDOWN;
}

static unsigned char worst_reason(unsigned mask)
{
	for (unsigned char r = 0; r < N_REASONS; r++)
		if (mask & bits[r])
			return r;
	return NO_REASON;
}

/* The samples of a track one after the other, and the reason of the last one: they seldom change. */
struct reasons {
	struct cursor at;
	fixed value;
	unsigned char reason;
	bool is_settled; /* every sample with that value has that reason */
};

static void reasons_start(struct reasons *r, const struct track *t)
{
	cursor_start(&r->at, t);
	r->is_settled = false;
}

static unsigned char reasons_get(struct reasons *r, size_t i)
{
	const fixed value = cursor_value(&r->at, i);
	if (r->is_settled && value == r->value)
		return r->reason;
	const unsigned mask = mask_of(value);
	r->value = value;
	r->is_settled = !(mask & HW_SLOWDOWN);
	r->reason = value == FIXED_MISSING ? UNKNOWN_REASON : worst_reason(r->is_settled ? mask : settled_mask(r->at.track, i));
	return r->reason;
}

/* What is set in any of n samples, of which each has a value. */
static unsigned masks_of(const fixed *values, size_t n)
{
	unsigned masks = 0;
	for (size_t i = 0; i < n; i++)
		masks |= (unsigned)((uint64_t)values[i] / FIXED_ONE & 0xffff);
	return masks;
}

/* The same of the full chunk from sample i on; without unpacking it where its codes are masks. */
static unsigned masks_of_chunk(struct reasons *r, size_t i)
{
	uint32_t any;
	if (chunk_masks(r->at.track, i / CHUNK, &any))
		return any;
	return masks_of(cursor_values(&r->at, i), CHUNK);
}

/* The chunk from sample i on, if each of its samples holds until the next one and no reason depends on the samples beside it; else NULL. */
static const struct chunk *plain_chunk(struct reasons *r, size_t i, size_t end)
{
	const struct chunk *const c = chunk_from(r->at.track, i, end);
	if (!c || !c->is_full || c->low < 0)
		return NULL;
	if (c->high < HW_SLOWDOWN * (fixed)FIXED_ONE)
		return c;
	return masks_of_chunk(r, i) & HW_SLOWDOWN ? NULL : c;
}

static unsigned masks_of_plain(struct reasons *r, size_t i, const struct chunk *c)
{
	return c->low == c->high ? mask_of(c->low) : masks_of_chunk(r, i);
}

bool has_reason(const struct track *t, struct span span)
{
	const size_t end = t ? track_seek(t, span.end) : 0;
	struct reasons r;
	reasons_start(&r, t);
	for (size_t i = t ? track_seek(t, span.begin) : 0; i < end;) {
		const struct chunk *const chunk = plain_chunk(&r, i, end);
		if ((chunk ? worst_reason(masks_of_plain(&r, i, chunk)) : reasons_get(&r, i)) < NO_REASON)
			return true;
		i += chunk ? CHUNK : 1;
	}
	return false;
}

struct cell {
	unsigned char reason;
	bool is_fresh; /* a sample begins there */
	time_ms held[UNKNOWN_REASON]; /* by reason, NO_REASON among them: how long it was the worst one */
};

struct row_cells {
	struct cell *at;
	struct span span;
	size_t n, k;  /* the cell that is being filled, */
	time_ms edge; /* and where it ends */
};

static void cells_move(struct row_cells *c, time_ms when)
{
	while (c->edge <= when)
		c->edge = bin_begin(c->span, c->n, ++c->k + 1);
}

static void cell_hold(struct cell *cell, unsigned char reason, time_ms length)
{
	if (reason < UNKNOWN_REASON)
		cell->held[reason] += length;
}

/*
 * As bins_of: cells in which samples begin take the worst of them, others what still holds. All samples of a stretch have the same reason;
 * the first may begin in a cell that has one already, the last, `last`, in one that gets another.
 */
static void cells_add(struct row_cells *c, struct span stretch, time_ms last, unsigned char reason)
{
	cells_move(c, stretch.begin);
	struct cell *const first = &c->at[c->k];
	first->reason = first->is_fresh && first->reason < reason ? first->reason : reason;
	first->is_fresh = true;
	cell_hold(first, reason, sooner(stretch.end, c->edge) - stretch.begin);
	time_ms begin = c->edge;
	for (size_t held = c->k + 1; stretch.end > begin && held < c->n; held++) {
		const time_ms end = bin_begin(c->span, c->n, held + 1);
		c->at[held].reason = reason;
		cell_hold(&c->at[held], reason, sooner(stretch.end, end) - begin);
		begin = end;
	}
	cells_move(c, last);
	c->at[c->k].is_fresh = true;
}

/* For how long any of the bits is set in samples of a plain chunk. */
static time_ms held_with(struct cursor *c, size_t from, size_t end, unsigned any_of)
{
	time_ms held;
	if (chunk_held(c->track, from / CHUNK, from % CHUNK, from % CHUNK + (end - from), (uint16_t)any_of, &held))
		return held;
	const time_ms *const times = cursor_times(c, from);
	const fixed *const values = cursor_values(c, from);
	held = 0;
	for (size_t i = 0; i < end - from; i++)
		held += mask_of(values[i]) & any_of ? times[i + 1] - times[i] : 0;
	return held;
}

/* Samples of a plain chunk that begin and end in a cell: each holds for its worst reason. `masks`: what is set in any of them. */
static void cell_add(struct cell *cell, struct cursor *c, size_t from, size_t end, unsigned masks)
{
	unsigned char worst = NO_REASON;
	unsigned seen = 0;
	time_ms with_seen = 0;
	for (unsigned char r = 0; r < N_REASONS; r++) {
		if (!(masks & bits[r]))
			continue;
		seen |= bits[r];
		const time_ms held = held_with(c, from, end, seen);
		worst = worst == NO_REASON && held > 0 ? r : worst;
		cell->held[r] += held - with_seen;
		with_seen = held;
	}
	cell->held[NO_REASON] += track_time(c->track, end) - track_time(c->track, from) - with_seen;
	cell->reason = cell->is_fresh && cell->reason < worst ? cell->reason : worst;
	cell->is_fresh = true;
}

/* Samples of a plain chunk, cell by cell, and what reaches into the next one alone. */
static void cells_add_each(struct row_cells *c, struct cursor *at, size_t first, unsigned masks)
{
	const struct track *const t = at->track;
	for (size_t i = first, next; i < first + CHUNK; i = next) {
		cells_move(c, track_time(t, i));
		next = samples_before(t, i, first + CHUNK, c->edge);
		if (next - i > 1)
			cell_add(&c->at[c->k], at, i, next - 1, masks);
		const time_ms last = track_time(t, next - 1);
		cells_add(c, (struct span){ last, track_time(t, next) }, last, worst_reason(mask_of(track_value(t, next - 1))));
	}
}

/* Of most it is one reason, or none. */
static void cells_add_chunk(struct row_cells *c, struct reasons *r, size_t first, const struct chunk *chunk)
{
	const struct track *const t = r->at.track;
	const unsigned masks = masks_of_plain(r, first, chunk);
	const unsigned char worst = worst_reason(masks);
	const time_ms begin = track_time(t, first);
	if (worst == NO_REASON || chunk->low == chunk->high)
		cells_add(c, (struct span){ begin, begin + (time_ms)chunk->known }, track_time(t, first + CHUNK - 1), worst);
	else
		cells_add_each(c, &r->at, first, masks);
}

/* Samples from i on that have one reason, with no hole in between, no further than to the next chunk. Returns the sample behind them. */
static size_t cells_add_run(struct row_cells *c, struct reasons *r, size_t i, size_t end)
{
	const unsigned char reason = reasons_get(r, i);
	const time_ms begin = i > 0 ? cursor_time(&r->at, i) : sample_span(&r->at, i, c->span).begin;
	do
		i++;
	while (i < end && i % CHUNK > 0 && cursor_until(&r->at, i - 1) == cursor_time(&r->at, i) && reasons_get(r, i) == reason);
	const struct span of_last = sample_span(&r->at, i - 1, c->span);
	cells_add(c, (struct span){ begin, of_last.end }, of_last.begin, reason);
	return i;
}

static struct reason_share share_of(const struct cell *cell, unsigned char reason, time_ms known)
{
	const time_ms parts = reason < NO_REASON && known > 0 ? (SHARE_PARTS * cell->held[reason] + known - 1) / known : 0;
	return (struct reason_share){ reason, (unsigned char)parts };
}

static struct reason_cell reason_cell(const struct cell *cell)
{
	time_ms known = cell->held[NO_REASON], longest = 0;
	unsigned char beneath = NO_REASON;
	for (unsigned char r = 0; r < NO_REASON; r++) {
		known += cell->held[r];
		if (r != cell->reason && cell->held[r] > longest) {
			longest = cell->held[r];
			beneath = r;
		}
	}
	return (struct reason_cell){ share_of(cell, cell->reason, known), share_of(cell, beneath, known) };
}

const struct reason_cell *reason_cells(struct arena *mem, const struct track *t, struct span span, size_t n)
{
	const size_t end = track_seek(t, span.end);
	struct arena scratch;
	struct row_cells c = { .span = span, .n = n, .edge = bin_begin(span, n, 1) };
	struct reasons r;
	struct reason_cell *const cells = NEW_ARRAY(mem, struct reason_cell, n);
	arena_init(&scratch);
	c.at = NEW_ARRAY(&scratch, struct cell, n);
	for (size_t k = 0; k < n; k++)
		c.at[k].reason = UNKNOWN_REASON;
	reasons_start(&r, t);
	for (size_t i = track_seek(t, span.begin); i < end;) {
		const struct chunk *const chunk = i > 0 ? plain_chunk(&r, i, end) : NULL;
		if (chunk)
			cells_add_chunk(&c, &r, i, chunk);
		i = chunk ? i + CHUNK : cells_add_run(&c, &r, i, end);
	}
	for (size_t k = 0; k < n; k++)
		cells[k] = reason_cell(&c.at[k]);
	arena_release(&scratch);
	return cells;
}
