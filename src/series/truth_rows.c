/*
 * truth_rows.c - conditions on the columns of a log, row by row.
 *
 * Columns that were logged together change together, so that what is asked of several of them is a line by itself, and none of its parts
 * need be one: a busy GPU at its power limit is above 90 % in this row and below it in the next.
 *
 *     rows of a chunk             0    1    2    3    4    5   …
 *     util >= 90 %                1    1    0    1    0    1       a bit for each row, from the codes of the pack (picking.h)
 *     power >= 97 %  of limit     0    1    1    1    1    1
 *     both                        0    1    0    1    0    1       a word at a time; a cut wherever a bit is not as the one before it
 *
 * Most chunks need no bits: the lowest and highest value say that all of their rows are one truth. Where codes don't say it, values do;
 * where a row lacks one, and where rows are missing, each is looked at by itself.
 */
#include "series/rows.h"

#include "series/chunk.h"

/* What is known of some rows of a chunk: one truth, or a bit for each, set where it is YES; or they have to be looked at. */
enum told { TOLD_NO = NO, TOLD_YES = YES, TOLD_BITS, NOT_TOLD };

void row_test_start(struct row_test *test, const struct track *t, const struct bands *bands)
{
	const struct band *const yes = band_only(bands, YES), *const only = yes ? yes : band_only(bands, NO);

	test->kind = ROWS_COMPARED;
	test->bands = bands;
	test->band = &bands->at[0];
	test->only = only;
	test->picked = yes ? YES : NO;
	test->can_pick = only && picking_of(t, only->low, (fixed)((uint64_t)only->low + only->n - 1), &test->picking);
	cursor_start(&test->samples, t);
}

/* Any of its tracks: they have one clock. */
static struct cursor *clock_of(struct row_test *test)
{
	while (test->kind != ROWS_COMPARED)
		test = test->left;
	return &test->samples;
}

/* ------ one row ------ */

static inline enum truth compared_at(struct row_test *test, const size_t i)
{
	const fixed value = cursor_value(&test->samples, i);

	if (!band_has(test->band, value))
		test->band = band_find(test->bands, value);
	return test->band->truth;
}

static enum truth truth_at(struct row_test *test, const size_t i)
{
	switch (test->kind) {
	case ROWS_COMPARED:
		return compared_at(test, i);
	case ROWS_AND:
		return truth_and(truth_at(test->left, i), truth_at(test->right, i));
	case ROWS_OR:
		return truth_or(truth_at(test->left, i), truth_at(test->right, i));
	case ROWS_NOT:
		return truth_not(truth_at(test->left, i));
	}
	BUG("no such kind of condition");
}

/* ------ rows of a chunk ------ */

struct stretch {
	size_t begin, end; /* of one chunk */
	bool is_even;      /* each of them holds until the next: if it has a value, that is all there is to it */
};

static void turn_bits(uint64_t bits[PICKED])
{
	for (size_t k = 0; k < PICKED; k++)
		bits[k] = ~bits[k];
}

/* Row by row, which is still less than to ask each row for all that it has; false where one lacks a value. */
static bool bits_of_values(struct row_test *test, const struct stretch rows, uint64_t bits[PICKED])
{
	const fixed *const values = cursor_values(&test->samples, rows.begin);
	const size_t first = rows.begin % CHUNK, end = first + rows.end - rows.begin;
	const struct band only = *test->only;
	bool is_known = true;

	memset(bits, 0, PICKED * sizeof *bits);
	for (size_t word = first / 64, i = first; i < end; word++) {
		const size_t stop = 64 * (word + 1) < end ? 64 * (word + 1) : end;
		uint64_t set = 0;
		for (; i < stop; i++) {
			is_known &= values[i - first] != FIXED_MISSING;
			set |= (uint64_t)band_has(&only, values[i - first]) << i % 64;
		}
		bits[word] = set;
	}
	return is_known;
}

/* Where each row of the whole chunk has a value and holds until the next its summary and codes tell; else values may. */
static enum told compared_rows(struct row_test *test, const struct stretch rows, uint64_t bits[PICKED])
{
	const struct chunk *const chunk = chunk_with(test->samples.track, rows.begin);
	bool has_bits = false;

	if (chunk && chunk->is_full) {
		const struct band *const low = band_find(test->bands, chunk->low);
		if (band_has(low, chunk->high))
			return low->truth == YES ? TOLD_YES : TOLD_NO;
		has_bits = test->can_pick && picking_bits(&test->picking, rows.begin / CHUNK, bits);
	}
	if (!has_bits && !(rows.is_even && test->only && bits_of_values(test, rows, bits)))
		return NOT_TOLD;
	if (test->picked == NO)
		turn_bits(bits);
	return TOLD_BITS;
}

static enum told told_of(struct row_test *test, struct stretch rows, uint64_t bits[PICKED]);

/* What one side alone settles, NO of an `and`, is not asked of the other. */
static enum told joined_rows(struct row_test *test, const struct stretch rows, uint64_t bits[PICKED])
{
	const enum told settled = test->kind == ROWS_AND ? TOLD_NO : TOLD_YES;
	uint64_t more[PICKED];

	const enum told left = told_of(test->left, rows, bits);
	if (left == settled)
		return left;
	const enum told right = told_of(test->right, rows, left == TOLD_BITS ? more : bits);
	if (right == settled || (left != TOLD_BITS && left != NOT_TOLD))
		return right;
	if (left == NOT_TOLD || right == NOT_TOLD)
		return NOT_TOLD;
	for (size_t i = 0; right == TOLD_BITS && i < PICKED; i++)
		bits[i] = test->kind == ROWS_AND ? bits[i] & more[i] : bits[i] | more[i];
	return TOLD_BITS;
}

static enum told turned_rows(struct row_test *test, const struct stretch rows, uint64_t bits[PICKED])
{
	const enum told told = told_of(test->left, rows, bits);

	if (told == TOLD_BITS)
		turn_bits(bits);
	if (told == TOLD_BITS || told == NOT_TOLD)
		return told;
	return told == TOLD_NO ? TOLD_YES : TOLD_NO;
}

static enum told told_of(struct row_test *test, const struct stretch rows, uint64_t bits[PICKED])
{
	switch (test->kind) {
	case ROWS_COMPARED:
		return compared_rows(test, rows, bits);
	case ROWS_AND:
	case ROWS_OR:
		return joined_rows(test, rows, bits);
	case ROWS_NOT:
		return turned_rows(test, rows, bits);
	}
	BUG("no such kind of condition");
}

/* ------ from row to row ------ */

/* A line of which nobody asks more than for how long it is each of the truths. */
struct adding_up {
	time_ms lengths[UNKNOWN + 1];
	enum truth now;
	time_ms since; /* not yet added up */
};

static void add_until(struct adding_up *sum, const time_ms when, const enum truth next)
{
	sum->lengths[sum->now] += when - sum->since;
	sum->since = when;
	sum->now = next;
}

struct walk {
	struct row_test *test;
	struct cursor *clock;
	struct span within;
	size_t end; /* the first sample behind it */
	struct growing *out; /* NULL: into `sum` */
	struct adding_up *sum;
};

/* Would telling this truth change nothing? */
static bool goes_on(const struct walk *w, const enum truth truth)
{
	return w->out ? growing_goes_on(w->out, truth) : w->sum->now == truth;
}

static void tell(const struct walk *w, const time_ms when, const enum truth truth)
{
	if (w->out)
		growing_add(w->out, when, truth);
	else
		add_until(w->sum, when, truth);
}

/* Samples [i, stop) one by one. */
static void walk_samples(struct walk *w, size_t i, const size_t stop)
{
	for (; i < stop; i++) {
		tell(w, later(cursor_time(w->clock, i), w->within.begin), truth_at(w->test, i));
		const time_ms until = cursor_until(w->clock, i);
		if (until < (i + 1 < w->end ? cursor_time(w->clock, i + 1) : w->within.end))
			tell(w, until, UNKNOWN);
	}
}

/* Those bits of a word that are of rows [first, end) of a chunk: some are. */
static inline uint64_t bits_within(const size_t word, const size_t first, const size_t end)
{
	const size_t begin = 64 * word, from = first > begin ? first - begin : 0, n = end - begin;
	const uint64_t before_end = n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;

	return before_end & UINT64_MAX << from;
}

/* The bits of a word that are not as the ones before them, of these rows of a chunk; the first row is a cut unless it goes on. */
static inline uint64_t turns_of(const uint64_t bits[PICKED], const size_t word, const size_t first, const size_t end)
{
	const uint64_t before = word > first / 64 ? bits[word - 1] >> 63 : 0, begins = word > first / 64 ? 0 : 1ULL << first % 64;

	return ((bits[word] ^ (bits[word] << 1 | before)) | begins) & bits_within(word, first, end);
}

/* For so few turns of a chunk their times are asked for one by one: all of them at once take as long. */
enum { FEW_TURNS = 96 };

static int count_turns(const uint64_t bits[PICKED], const size_t first, const size_t end)
{
	int n = 0;

	for (size_t k = first / 64; 64 * k < end; k++)
		n += __builtin_popcountll(turns_of(bits, k, first, end));
	return n;
}

typedef int16_t eight_late __attribute__((vector_size(16)));
typedef int32_t eight_sums __attribute__((vector_size(32)));

/* Added up of those of 64 samples whose bits are set, eight at a time: which these are nobody can foresee. */
static time_ms late_of_bits(const int16_t *late, const uint64_t set)
{
	const eight_late each = { 1, 2, 4, 8, 16, 32, 64, 128 };
	eight_sums sums = { 0 };
	time_ms sum = 0;

	for (size_t i = 0; i < 64; i += 8) {
		const int16_t eight = (int16_t)(set >> i & UINT8_MAX);
		eight_late some;
		memcpy(&some, late + i, sizeof some);
		some &= ((eight & each) == each);
		sums += __builtin_convertvector(some, eight_sums);
	}
	for (size_t i = 0; i < 8; i++)
		sum += sums[i];
	return sum;
}

/* For how long samples [first, end) of a chunk hold whose bits are set. */
static time_ms held_of_bits(const struct ticks *ticks, const uint64_t bits[PICKED], const size_t first, const size_t end)
{
	time_ms held = 0;

	for (size_t k = first / 64; 64 * k < end; k++) {
		const uint64_t set = bits[k] & bits_within(k, first, end);
		held += (time_ms)ticks->slope * __builtin_popcountll(set) + late_of_bits(ticks->late + 64 * k, set);
	}
	return held;
}

/* Of rows each of which holds until the next: all of their time at once. False where it takes looking at one after the other. */
static bool add_bits(const struct walk *w, const struct stretch rows, const uint64_t bits[PICKED])
{
	const struct track *const t = w->clock->track;
	const size_t first = rows.begin % CHUNK, last = (rows.end - 1) % CHUNK;
	const struct span all = { track_time(t, rows.begin), track_time(t, rows.end) };
	const struct span inside = { later(all.begin, w->within.begin), sooner(all.end, w->within.end) };
	struct ticks ticks;

	if (!chunk_with(t, rows.begin) || !chunk_ticks(t, rows.begin / CHUNK, &ticks))
		return false;
	const time_ms before = bits[first / 64] >> first % 64 & 1 ? inside.begin - all.begin : 0;
	const time_ms behind = bits[last / 64] >> last % 64 & 1 ? all.end - inside.end : 0;
	const time_ms yes = held_of_bits(&ticks, bits, first, last + 1) - before - behind;
	add_until(w->sum, inside.begin, YES);
	w->sum->lengths[YES] += yes;
	w->sum->lengths[NO] += span_length(inside) - yes;
	w->sum->since = inside.end;
	return true;
}

/* A cut for each bit that is not as the one before it. */
static void walk_turns(struct walk *w, const struct stretch rows, const uint64_t bits[PICKED], const int n_turns)
{
	const size_t chunk = rows.begin / CHUNK * CHUNK, first = rows.begin - chunk, end = rows.end - chunk;

	if (w->out)
		growing_room(w->out, (size_t)n_turns);
	for (size_t k = first / 64; 64 * k < end; k++)
		for (uint64_t turns = turns_of(bits, k, first, end); turns; turns &= turns - 1) {
			const size_t turn = (size_t)__builtin_ctzll(turns), i = chunk + 64 * k + turn;
			const time_ms when = n_turns < FEW_TURNS ? track_time(w->clock->track, i) : cursor_time(w->clock, i);
			if (w->out)
				cuts_add(&w->out->cuts, later(when, w->within.begin), bits[k] >> turn & 1 ? YES : NO);
			else
				add_until(w->sum, later(when, w->within.begin), bits[k] >> turn & 1 ? YES : NO);
		}
}

/* For fewer turns their times are found sooner than those of all rows. */
enum { MANY_TURNS = 16 };

static void walk_bits(struct walk *w, const struct stretch rows, const uint64_t bits[PICKED])
{
	const int n_turns = count_turns(bits, rows.begin % CHUNK, (rows.end - 1) % CHUNK + 1);

	if (w->out || n_turns < MANY_TURNS || !add_bits(w, rows, bits))
		walk_turns(w, rows, bits, n_turns);
}

/* False where they have to be looked at. */
static bool walk_rows(struct walk *w, const struct stretch rows)
{
	uint64_t bits[PICKED];
	const enum told told = told_of(w->test, rows, bits);

	if (told == TOLD_BITS)
		walk_bits(w, rows, bits);
	else if (told != NOT_TOLD && !goes_on(w, told == TOLD_YES ? YES : NO))
		tell(w, later(track_time(w->clock->track, rows.begin), w->within.begin), told == TOLD_YES ? YES : NO);
	return told != NOT_TOLD;
}

/* Of these, those before the first that does not hold until the next. */
static size_t even_until(struct walk *w, const size_t begin, const size_t end)
{
	const struct track *const t = w->clock->track;
	const size_t last = end < t->n ? end : t->n - 1; /* the last of all holds for a step */
	const time_ms *const times = cursor_times(w->clock, begin);
	size_t i = begin;

	while (i < last && times[i + 1 - begin] - times[i - begin] <= longest_hold(t, i))
		i++;
	return i;
}

#define FEW ((size_t)8) /* so few are looked at one by one */

/* Samples [i, stop), which are of one chunk. */
static void walk_chunk(struct walk *w, size_t i, const size_t stop)
{
	if (walk_rows(w, (struct stretch){ i, stop, false }))
		return;
	for (size_t end; i < stop; i = end) {
		end = even_until(w, i, stop);
		if (end - i < FEW || !walk_rows(w, (struct stretch){ i, end, true })) {
			end = end < stop ? end + 1 : stop;
			walk_samples(w, i, end);
		}
	}
}

/* All rows before `from` are before the time within which it is walked; returns the first one that is behind it. */
static size_t walk(struct walk *w, const size_t from)
{
	const struct track *const t = w->clock->track;
	const struct span within = w->within;
	const size_t first = from ? track_seek_from(t, from, within.begin) : track_seek(t, within.begin);
	const size_t end = w->end = track_seek_from(t, first, within.end);
	size_t i = sample_holding(t, first, within.begin), stop;

	if (i < end && track_until(t, i) <= within.begin)
		i++; /* its hold ends before */
	if (i >= end || track_time(t, i) > within.begin)
		tell(w, within.begin, UNKNOWN);
	for (; i < end; i = stop) {
		stop = (i / CHUNK + 1) * CHUNK < end ? (i / CHUNK + 1) * CHUNK : end;
		walk_chunk(w, i, stop);
	}
	return end;
}

size_t rows_tested(struct growing *out, struct row_test *test, const struct span within, const size_t from)
{
	return walk(&(struct walk){ .test = test, .clock = clock_of(test), .within = within, .out = out }, from);
}

/* ------ conditions ------ */

static struct row_test *test_of(struct arena *scratch, const struct row_condition *rows)
{
	struct row_test *const test = NEW_RAW_ARRAY(scratch, struct row_test, 1);

	if (rows->kind == ROWS_COMPARED) {
		struct bands *const bands = NEW(scratch, struct bands);
		*bands = bands_of(&(struct arithmetic){ .factor = rows->factor }, rows->how, rows->threshold);
		row_test_start(test, rows->track, bands);
		return test;
	}
	test->kind = rows->kind;
	test->left = test_of(scratch, rows->left);
	test->right = rows->kind == ROWS_NOT ? NULL : test_of(scratch, rows->right);
	return test;
}

struct truths truths_of_rows(struct arena *mem, const struct row_condition *rows, const struct spans within, const struct span all)
{
	struct growing line = { .room = 0 };
	time_ms done = all.begin;
	size_t from = 0;
	struct arena scratch;

	arena_init(&scratch);
	struct row_test *const test = test_of(&scratch, rows);
	for (size_t i = 0; i < within.n; i++) {
		const struct span part = { later(within.at[i].begin, done), sooner(within.at[i].end, all.end) };
		if (part.begin >= part.end)
			continue;
		if (part.begin > done)
			growing_add(&line, done, NO);
		from = rows_tested(&line, test, part, from);
		done = part.end;
	}
	if (done < all.end)
		growing_add(&line, done, NO);
	arena_release(&scratch);
	return growing_line(mem, &line, all.end);
}

void lengths_of_rows(
	const struct row_condition *rows, const struct spans within, const struct span all, time_ms lengths[UNKNOWN + 1])
{
	struct adding_up sum = { .lengths = { 0 } };
	size_t from = 0;
	struct arena scratch;

	arena_init(&scratch);
	struct row_test *const test = test_of(&scratch, rows);
	for (size_t i = 0; i < within.n; i++) {
		const struct span part = { later(within.at[i].begin, all.begin), sooner(within.at[i].end, all.end) };
		if (part.begin >= part.end)
			continue;
		sum.since = part.begin;
		from = walk(&(struct walk){ .test = test, .clock = clock_of(test), .within = part, .sum = &sum }, from);
		add_until(&sum, part.end, UNKNOWN);
	}
	arena_release(&scratch);
	memcpy(lengths, sum.lengths, sizeof sum.lengths);
}
