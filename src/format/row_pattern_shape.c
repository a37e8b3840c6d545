/*
 * row_pattern_shape.c - rows of the same shape as one of the last: where all digits and words are is known before they are looked at.
 *
 * A row is held against a shape 32 bytes at a time. How a byte differs from the shape's is at most 0 where there is text, and at most 9
 * where there is a digit; what may be more comes to 128 and more when the slack of its place is added. What remains is to read numbers
 * whose places and lengths are known, and to see that they are possible.
 */
#include "format/row_pattern_parts.h"

#define STAMP_MINUTE 16 /* "2026/11/21 01:48", which is looked up as a whole */

#define BLOCK sizeof(sixteen[2])

/* Highest bits are set where a byte differs by more than it may. */
static inline sixteen misfits(const char *row, sixteen like, sixteen cares, sixteen slack)
{
	sixteen bytes;

	memcpy(&bytes, row, sizeof bytes);
	const sixteen differs = (bytes ^ like) & cares;
	return differs | (differs + slack);
}

static inline bool looks_like(const struct shape *shape, const char *row)
{
	sixteen all = { 0 };
	uint64_t halves[2];

	for (const struct shape_block *b = shape->blocks, *end = b + shape->n_blocks; b < end; b++, row += BLOCK)
		all |= misfits(row, b->like[0], b->cares[0], b->slack[0]) | misfits(row + 16, b->like[1], b->cares[1], b->slack[1]);
	memcpy(halves, &all, sizeof halves);
	return !((halves[0] | halves[1]) & 0x8080808080808080U);
}

static inline bool take_numbers(const struct shape *shape, const char *row, int64_t *numbers)
{
	for (const struct shape_number *s = shape->numbers, *end = s + shape->n_numbers; s < end; s++) {
		const uint64_t x = eight_bytes(row + s->at);
		const uint64_t digits = ((x & s->before_point) | (x >> 8 & s->behind_point)) << s->unused_bits;
		const fixed value = eight_digits_value(digits) * s->scale;
		if ((uint64_t)value - (uint64_t)s->low > s->range)
			return false;
		numbers[1 + s->slot] = value;
	}
	return true;
}

static inline bool take_time(const struct shape *shape, const char *row, struct minute *minute, int64_t *numbers)
{
	const char *const p = row + shape->time_at;
	const uint64_t digits = shape->has_ms ? 0x000F0F0F000F0F00U : 0x00000000000F0F00U;

	if (!is_minute(minute, p))
		return false;
	numbers[0] = minute->begin + seconds_value(eight_bytes(p + STAMP_MINUTE) & digits);
	return true;
}

/* Mostly it is the word that it was in the GPU's row before; behind it stands the same as then. */
static inline const struct word *take_word(const struct sight *sight, struct shape_word *s, const char *p)
{
	if (s->last->value != FIXED_MISSING && is_text(p, s->last->text, s->n))
		return s->last;
	const struct word *const w = row_word(sight, s->field, p);
	if (!w || w->n != s->n)
		return NULL;
	return s->last = w;
}

static inline bool take_words(const struct sight *sight, struct shape *shape, const char *row, int64_t *numbers)
{
	for (struct shape_word *s = shape->words, *end = s + shape->n_words; s < end; s++) {
		const struct word *const w = take_word(sight, s, row + s->at);
		if (!w)
			return false;
		numbers[1 + s->field->slot] = w->value;
	}
	return true;
}

const char *shape_fits(const struct sight *sight, struct shape *shape, const char *begin, int64_t *numbers)
{
	const size_t n_absent = sight->out->n_absent;

	if (shape->n_lessons != sight->patterns->n_lessons || !shape->n_bytes || (size_t)(sight->end - begin) < shape->n_bytes ||
		!looks_like(shape, begin))
		return NULL;
	if (take_time(shape, begin, &sight->hints->minute, numbers) && take_numbers(shape, begin, numbers) &&
		take_words(sight, shape, begin, numbers))
		return begin + shape->n_bytes;
	sight->out->n_absent = n_absent;
	return NULL;
}

static void put_byte(struct shape *shape, size_t i, char like, int cares, int slack)
{
	struct shape_block *const b = &shape->blocks[i / BLOCK];
	const size_t half = i % BLOCK / 16;

	b->like[half][i % 16] = (uint8_t)like;
	b->cares[half][i % 16] = (uint8_t)cares;
	b->slack[half][i % 16] = (uint8_t)slack;
}

static void put_text_at(struct shape *shape, size_t i, char c)
{
	put_byte(shape, i, c, 0xFF, 0x7F);
}

static void put_digit_at(struct shape *shape, size_t i, int highest)
{
	put_byte(shape, i, '0', 0xFF, 0x7F - highest);
}

static void put_free_at(struct shape *shape, size_t i, size_t n)
{
	for (; n; n--)
		put_byte(shape, i++, 0, 0, 0);
}

/* False: the field makes rows of this pattern have no shape. */
static bool learn_stamp(struct shape *shape, size_t at, const char *p)
{
	shape->time_at = (uint32_t)at;
	put_free_at(shape, at, STAMP_MINUTE);
	put_digit_at(shape, at + STAMP_MINUTE + 1, 5);
	put_digit_at(shape, at + STAMP_MINUTE + 2, 9);
	shape->has_ms = p[STAMP_MINUTE + 3] == '.';
	if (!shape->has_ms)
		return true;
	for (size_t i = STAMP_MINUTE + 4; i < STAMP_MINUTE + 7; i++)
		put_digit_at(shape, at + i, 9);
	return count_digits(eight_bytes(p + STAMP_MINUTE + 4)) == 3;
}

static bool learn_number(struct shape *shape, size_t at, const char *p, const struct field *f)
{
	const uint64_t x = eight_bytes(p);
	const unsigned n = count_digits(x);
	struct shape_number s = { (uint32_t)at, (uint32_t)f->slot, 0, ~(uint64_t)0, 0, FIXED_ONE, f->low, f->range };
	unsigned n_digits = n;

	if (f->is_converted || n == 8 || shape->n_numbers == SHAPE_NUMBERS)
		return false;
	if (p[n] == '.') {
		s.behind_point = ~(uint64_t)0 << 8 * n;
		s.before_point = ~s.behind_point;
		n_digits = count_digits((x & s.before_point) | (x >> 8 & s.behind_point));
		if (n_digits == 7 || n_digits == n)
			return false;
		s.scale = decimal_scales[n_digits - n];
	}
	for (size_t i = 0; i < n_digits + (p[n] == '.'); i++)
		if (i != n)
			put_digit_at(shape, at + i, 9);
	s.unused_bits = 64 - 8 * n_digits;
	shape->numbers[shape->n_numbers++] = s;
	return true;
}

static bool learn_word(struct shape *shape, size_t at, const struct word *w, const struct field *f)
{
	if (shape->n_words == SHAPE_WORDS)
		return false;
	put_free_at(shape, at, w->n);
	shape->words[shape->n_words++] = (struct shape_word){ (uint32_t)at, (uint32_t)w->n, f, w };
	return true;
}

static bool learn_field(struct shape *shape, const char *row, const char *p, const struct field *f, const struct hints *hints)
{
	const size_t at = (size_t)(p - row);

	switch (f->kind) {
	case FIELD_TIME:
		return learn_stamp(shape, at, p);
	case FIELD_VALUE:
		return f->is_number && is_digit(*p) ? learn_number(shape, at, p, f)
						    : learn_word(shape, at, &f->column->words[hints->words[f->slot]], f);
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

void shape_learn(struct shape *shape, const struct patterns *ps, const struct pattern *pattern, struct slice row,
	const struct hints *hints)
{
	const size_t n_blocks = (row.n + BLOCK - 1) / BLOCK;

	shape->n_blocks = n_blocks;
	shape->n_bytes = shape->n_numbers = shape->n_words = 0;
	if (row.n > SHAPE_BYTES)
		return;
	shape->blocks = grow(shape->blocks, &shape->blocks_room, n_blocks, sizeof *shape->blocks);
	memset(shape->blocks, 0, n_blocks * sizeof *shape->blocks);
	for (size_t i = 0; i < row.n; i++)
		put_text_at(shape, i, row.p[i]);
	shape->n_lessons = ps->n_lessons;
	if (learn_fields(shape, pattern, row.p, hints))
		shape->n_bytes = row.n;
}
