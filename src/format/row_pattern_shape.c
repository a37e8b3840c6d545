/*
 * row_pattern_shape.c - rows of the same shape as one of the last: where all digits and words are is known before they are looked at.
 *
 * A row is held against a shape 64 bytes at a time: a byte may differ from the shape's by 0 where there is text, by 9 where there is a
 * digit, and by anything where what stands there is looked up. What remains is to read numbers whose places and lengths are known, and to
 * see that they are possible (row_pattern_numbers.h).
 */
#include "format/row_pattern_numbers.h"

#define STAMP_MINUTE 16 /* "2026/11/21 01:48", which is looked up as a whole */

#define BLOCK sizeof(sixteen[4])

/* Zero where a byte differs from the shape's by no more than it may. */
static inline sixteen misfits(const char *row, sixteen like, sixteen most)
{
	sixteen bytes;

	memcpy(&bytes, row, sizeof bytes);
#ifdef __SSE2__
	return (sixteen)_mm_subs_epu8((__m128i)(bytes ^ like), (__m128i)most);
#else
	return (sixteen)((bytes ^ like) > most);
#endif
}

static inline bool looks_like(const struct shape *shape, const char *row)
{
	sixteen all = { 0 };
	uint64_t halves[2];

	for (const struct shape_block *b = shape->blocks, *end = b + shape->n_blocks; b < end; b++, row += BLOCK)
		all |= misfits(row, b->like[0], b->most[0]) | misfits(row + 16, b->like[1], b->most[1]) |
		       misfits(row + 32, b->like[2], b->most[2]) | misfits(row + 48, b->like[3], b->most[3]);
	memcpy(halves, &all, sizeof halves);
	return !(halves[0] | halves[1]);
}

static uint64_t bytes_of_word(const struct shape_word *s, const struct word *w)
{
	return eight_bytes(w->text + s->from) & s->mask;
}

/* The word that these bytes tell, put where it is found at once the next time. */
static bool find_word(struct shape_word *s, uint64_t bytes)
{
	const struct pattern_column *const column = s->field->column;

	for (const struct word *w = column->words, *end = w + column->n_words; w < end; w++) {
		if (w->n == s->n && bytes_of_word(s, w) == bytes) {
			s->known[bytes % WORDS_KNOWN] = (struct known_word){ bytes, w };
			return true;
		}
	}
	return false;
}

enum likeness { LIKE_NOT, LIKE_ALL, LIKE_ABSENT }; /* LIKE_ABSENT: and a word says that there is no value */

/* What there is beside pairs of numbers, with a word that is new to the shape, perhaps. */
__attribute__((noinline)) static enum likeness take_others(struct shape *shape, const char *row, int64_t *numbers)
{
	enum likeness likeness = LIKE_ALL;

	for (size_t i = 0; i < shape->n_numbers; i++)
		if (!take_number(&shape->numbers[i], row, numbers))
			return LIKE_NOT;
	for (struct shape_word *s = shape->words, *end = s + shape->n_words; s < end; s++) {
		const uint64_t bytes = eight_bytes(row + s->at) & s->mask;
		const struct known_word *const known = &s->known[bytes % WORDS_KNOWN];
		if ((!known->word || known->bytes != bytes) && !find_word(s, bytes))
			return LIKE_NOT;
		numbers[s->to] = known->word->value;
		if (known->word->value == FIXED_MISSING)
			likeness = LIKE_ABSENT;
	}
	return likeness;
}

/*
 * Is the row of this shape, whatever its time? It calls nothing and needs few registers, so that none have to be saved for it: half of
 * what is done of a row is done here.
 */
__attribute__((noinline)) static enum likeness take_row(struct shape *shape, const char *row, int64_t *numbers)
{
	if (!looks_like(shape, row) || !take_pairs(shape->pairs, shape->n_pairs, row, numbers))
		return LIKE_NOT;
	if (shape->n_numbers)
		return take_others(shape, row, numbers);
	for (const struct shape_word *s = shape->words, *end = s + shape->n_words; s < end; s++) {
		const uint64_t bytes = eight_bytes(row + s->at) & s->mask;
		const struct known_word *const known = &s->known[bytes % WORDS_KNOWN];
		if (!known->word || known->bytes != bytes || known->word->value == FIXED_MISSING)
			return take_others(shape, row, numbers);
		numbers[s->to] = known->word->value;
	}
	return LIKE_ALL;
}

/* As in eight_digits_value() "34" comes to 34, and "387" to 387, of "8:34.387". */
static inline time_ms seconds_value(uint64_t digits)
{
	const uint64_t pairs = digits * 2561 >> 8 & 0x00FF00FF00FF00FFU, fours = pairs * 6553601 >> 16 & 0x0000FFFF0000FFFFU;

	return (time_ms)((fours & 0xFFFF) * SECOND_MS + (fours >> 32));
}

static inline bool take_time(const struct shape *shape, const char *row, struct minute *minute, int64_t *numbers)
{
	const char *const p = row + shape->time_at;

	if (!is_minute(minute, p))
		return false;
	numbers[0] = minute->begin + shape->shift + seconds_value(eight_bytes(p + STAMP_MINUTE - 1) & shape->seconds);
	return true;
}

static void note_absent(struct fitted *out, size_t channel, const struct shape *shape, const char *row)
{
	for (size_t i = 0; i < shape->n_words; i++) {
		const struct shape_word *const s = &shape->words[i];
		const struct word *const w = s->known[(eight_bytes(row + s->at) & s->mask) % WORDS_KNOWN].word;
		if (w->value == FIXED_MISSING)
			fitted_note_absent(out, channel, s->field->slot, w->reason);
	}
}

/* True: it has the row's numbers. */
static inline bool is_of_shape(const struct sight *sight, size_t channel, struct shape *shape, const char *row, int64_t *numbers)
{
	if (shape->n_lessons != sight->patterns->n_lessons || (size_t)(sight->end - row) < shape->n_bytes)
		return false;
	const enum likeness likeness = take_row(shape, row, numbers);
	if (likeness == LIKE_NOT || !take_time(shape, row, &sight->hints->minute, numbers))
		return false;
	if (likeness == LIKE_ABSENT)
		note_absent(sight->out, channel, shape, row);
	return true;
}

void shape_to_front(struct shapes *shapes, size_t i)
{
	const struct shape shape = shapes->at[i];

	memmove(shapes->at + 1, shapes->at, i * sizeof *shapes->at);
	shapes->at[0] = shape;
}

/* Not that of the row before. */
static bool is_of_other_shape(const struct sight *sight, size_t channel, const char *row, int64_t *numbers)
{
	struct shapes *const shapes = &sight->hints->shapes[channel];

	for (size_t i = 1; i < SHAPES; i++) {
		if (is_of_shape(sight, channel, &shapes->at[i], row, numbers)) {
			shape_to_front(shapes, i);
			return true;
		}
	}
	return false;
}

const char *shapes_fit(const struct sight *sight, const char *begin)
{
	struct hints *const hints = sight->hints;
	struct fitted *const out = sight->out;
	size_t channel = hints->last;

	while ((channel = hints->next[channel]) < sight->patterns->n) {
		struct shapes *const shapes = &hints->shapes[channel];
		int64_t *const numbers = fitted_row(out, &out->rows.of[channel]);
		if (shapes->patience < 0 || (!is_of_shape(sight, channel, &shapes->at[0], begin, numbers) &&
						    !is_of_other_shape(sight, channel, begin, numbers)))
			break;
		shapes->patience = SHAPE_PATIENCE;
		fitted_add(out, sight->patterns, channel, numbers[0]);
		begin += shapes->at[0].n_bytes;
		hints->last = channel;
	}
	return begin;
}

/* So many bytes may differ by so much from this one. */
static void put_bytes(struct shape *shape, size_t i, size_t n, char like, uint8_t most)
{
	for (; n; n--, i++) {
		struct shape_block *const b = &shape->blocks[i / BLOCK];
		const size_t part = i % BLOCK / 16;

		b->like[part][i % 16] = (uint8_t)like;
		b->most[part][i % 16] = most;
	}
}

static void put_digits(struct shape *shape, size_t i, size_t n, uint8_t highest)
{
	put_bytes(shape, i, n, '0', highest);
}

static void put_free(struct shape *shape, size_t i, size_t n)
{
	put_bytes(shape, i, n, 0, UINT8_MAX);
}

/* All is text, and what is behind the row may be anything: it is compared with zeros, and the result is not looked at. */
static void put_text(struct shape *shape, struct slice row)
{
	for (struct shape_block *b = shape->blocks; row.n; b++) {
		const size_t n = row.n < BLOCK ? row.n : BLOCK;
		memset(b->like, 0, sizeof b->like);
		memset(b->most, UINT8_MAX, sizeof b->most);
		memset(b->most, 0, n);
		memcpy(b->like, row.p, n);
		row = (struct slice){ row.p + n, row.n - n };
	}
}

/* False: the field makes rows of this pattern have no shape. */
static bool learn_stamp(struct shape *shape, size_t at, const char *p)
{
	shape->time_at = (uint32_t)at;
	put_free(shape, at, STAMP_MINUTE);
	put_digits(shape, at + STAMP_MINUTE + 1, 1, 5);
	put_digits(shape, at + STAMP_MINUTE + 2, 1, 9);
	const bool has_ms = p[STAMP_MINUTE + 3] == '.';
	shape->seconds = has_ms ? 0x0F0F0F000F0F0000U : 0x000000000F0F0000U;
	if (!has_ms)
		return true;
	put_digits(shape, at + STAMP_MINUTE + 4, 3, 9);
	return count_digits(eight_bytes(p + STAMP_MINUTE + 4)) == 3;
}

static bool learn_number(struct shape *shape, size_t at, const char *p, const struct field *f)
{
	const uint64_t x = eight_bytes(p);
	const unsigned n = count_digits(x);
	struct placed_number s = { (uint32_t)at, (uint32_t)place_of_slot(f->slot), n, ~(uint64_t)0, 0, FIXED_ONE, f->low, f->range };

	if (f->is_converted || n == 8)
		return false;
	if (p[n] == '.') {
		s.behind_point = ~(uint64_t)0 << 8 * n;
		s.before_point = ~s.behind_point;
		s.n_digits = count_digits((x & s.before_point) | (x >> 8 & s.behind_point));
		if (s.n_digits == 7 || s.n_digits == n)
			return false;
		s.scale = fixed_scales[s.n_digits - n];
		put_digits(shape, at + n + 1, s.n_digits - n, 9);
	}
	put_digits(shape, at, n, 9);
	shape->numbers[shape->n_numbers++] = s;
	return true;
}

/* From the first to the last byte in which words of the column differ that are as long as this one; zeros where there is none. */
static struct cell_range differing_bytes(const struct pattern_column *column, const struct word *w)
{
	struct cell_range range = { 0, 0 };

	for (uint32_t i = 0; i < w->n; i++) {
		bool differs = false;
		for (size_t k = 0; k < column->n_words; k++)
			differs |= column->words[k].n == w->n && column->words[k].text[i] != w->text[i];
		if (differs)
			range = (struct cell_range){ range.end ? range.begin : i, i + 1 };
	}
	return range;
}

static void learn_word(struct shape *shape, size_t at, const struct word *w, const struct field *f)
{
	const struct cell_range range = differing_bytes(f->column, w);
	const size_t n = range.end - range.begin <= 8 ? range.end - range.begin : 0; /* none: this very word */
	struct shape_word s = { .at = (uint32_t)(at + range.begin),
		.to = (uint32_t)place_of_slot(f->slot),
		.mask = n ? UINT64_MAX >> (64 - 8 * n) : 0,
		.field = f,
		.n = w->n,
		.from = range.begin };
	const uint64_t bytes = bytes_of_word(&s, w);

	s.known[bytes % WORDS_KNOWN] = (struct known_word){ bytes, w };
	put_free(shape, s.at, n);
	shape->words[shape->n_words++] = s;
}

static bool learn_field(struct shape *shape, const char *row, const char *p, const struct field *f, const struct hints *hints)
{
	const size_t at = (size_t)(p - row);

	switch (f->kind) {
	case FIELD_TIME:
		return learn_stamp(shape, at, p);
	case FIELD_VALUE:
		if (f->is_number && is_digit(*p))
			return learn_number(shape, at, p, f);
		learn_word(shape, at, &f->column->words[hints->words[f->slot]], f);
		return true;
	case FIELD_SPARE:
	case FIELD_UNREAD: /* anything may stand there */
	case FIELD_TEXT:
		break;
	}
	return false;
}

static bool learn_fields(struct shape *shape, const struct pattern *pattern, const char *row, const struct hints *hints)
{
	for (size_t i = 0; i < pattern->n_fields; i++)
		if (!learn_field(shape, row, hints->begins[i], &pattern->fields[i], hints))
			return false;
	return true;
}

/* Numbers two by two; those that can be in no pair, or are left over, stay. */
static void join_pairs(struct shape *shape)
{
	const size_t n = shape->n_numbers;
	size_t n_waiting = 0;
	struct placed_number waiting = { 0 };

	shape->n_numbers = 0;
	for (size_t i = 0; i < n; i++) {
		const struct placed_number s = shape->numbers[i];
		if (!can_be_in_pair(&s)) {
			shape->numbers[shape->n_numbers++] = s;
		} else if (n_waiting) {
			shape->pairs[shape->n_pairs++] = pair_of(&waiting, &s);
			n_waiting = 0;
		} else {
			waiting = s;
			n_waiting = 1;
		}
	}
	if (n_waiting)
		shape->numbers[shape->n_numbers++] = waiting;
}

/* Room for all that there can be: the strictest alignment comes first. */
static void make_room(struct shape *shape, size_t n_bytes, size_t n_fields)
{
	const size_t n_blocks = (n_bytes + BLOCK - 1) / BLOCK, n_pairs = n_fields / 2;

	shape->memory = grow(shape->memory, &shape->room,
		n_blocks * sizeof *shape->blocks + n_pairs * sizeof *shape->pairs +
			n_fields * (sizeof *shape->numbers + sizeof *shape->words),
		1);
	shape->blocks = (struct shape_block *)shape->memory;
	shape->pairs = (struct number_pair *)(shape->blocks + n_blocks);
	shape->numbers = (struct placed_number *)(shape->pairs + n_pairs);
	shape->words = (struct shape_word *)(shape->numbers + n_fields);
	shape->n_blocks = n_blocks;
}

void shape_learn(struct shape *shape, const struct patterns *ps, struct slice row, const struct hints *hints)
{
	const struct pattern *const pattern = hints->pattern;

	shape->n_lessons = shape->n_pairs = shape->n_numbers = shape->n_words = 0;
	if (row.n > SHAPE_BYTES)
		return;
	make_room(shape, row.n, pattern->n_fields);
	put_text(shape, row);
	if (!learn_fields(shape, pattern, row.p, hints))
		return;
	join_pairs(shape);
	shape->shift = pattern->shift;
	shape->n_bytes = row.n;
	shape->n_lessons = ps->n_lessons;
}
