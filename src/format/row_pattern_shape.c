/*
 * row_pattern_shape.c - rows of the same shape as one of the last: where all digits and words are is known before they are looked at.
 *
 * A row is held against a shape 64 bytes at a time: a byte may differ from the shape's by 0 where there is text, by 9 where there is a
 * digit, and by anything where what stands there is looked up. What remains is to read numbers whose places and lengths are known, and to
 * see that they are possible (row_pattern_numbers.h). That is the form of a shape, which rows of many GPUs have in common.
 */
#include "format/row_pattern_numbers.h"

#define STAMP_MINUTE 16 /* "2026/11/21 01:48", which is looked up as a whole */

#define BLOCK sizeof(struct shape_block)

typedef uint64_t halves __attribute__((vector_size(16)));

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

static inline bool looks_like(const struct shape *shape, const struct form *form, const char *row)
{
	const struct shape_block *like = shape->like;
	sixteen all = { 0 };

	for (const struct shape_block *most = form->most, *end = most + form->n_blocks; most < end; most++, like++, row += BLOCK)
		all |= misfits(row, like->parts[0], most->parts[0]) | misfits(row + 16, like->parts[1], most->parts[1]) |
		       misfits(row + 32, like->parts[2], most->parts[2]) | misfits(row + 48, like->parts[3], most->parts[3]);
	const halves of_all = (halves)all;
	return !(of_all[0] | of_all[1]);
}

static uint64_t bytes_of_word(const struct shape_word *s, const struct word *w)
{
	return eight_bytes(w->text + s->from) & s->mask;
}

/* False: it has no code. */
static bool know_word(struct shape_word *s, uint64_t bytes, const struct word *w)
{
	struct known_word *const known = &s->known[bytes % WORDS_KNOWN];

	*known = (struct known_word){ .bytes = bytes, .word = w };
	if (code_of_value(w->value, s->unit, &known->code))
		return true;
	known->word = NULL;
	return false;
}

/* The word that these bytes tell, put where it is found at once the next time. */
static bool find_word(struct shape_word *s, uint64_t bytes)
{
	const struct pattern_column *const column = s->column;

	for (const struct word *w = column->words, *end = w + column->n_words; w < end; w++)
		if (w->n == s->n && bytes_of_word(s, w) == bytes)
			return know_word(s, bytes, w);
	return false;
}

enum likeness { LIKE_NOT, LIKE_ALL, LIKE_ABSENT }; /* LIKE_ABSENT: and a word says that there is no value */

/* What there is beside pairs of numbers, with a word that is new to the shape, perhaps. */
__attribute__((noinline)) static enum likeness take_others(struct form *form, const char *row, int32_t *codes)
{
	enum likeness likeness = LIKE_ALL;

	for (size_t i = 0; i < form->n_numbers; i++)
		if (!take_number(&form->numbers[i], row, codes))
			return LIKE_NOT;
	for (struct shape_word *s = form->words, *end = s + form->n_words; s < end; s++) {
		const uint64_t bytes = eight_bytes(row + s->at) & s->mask;
		const struct known_word *const known = &s->known[bytes % WORDS_KNOWN];
		if ((!known->word || known->bytes != bytes) && !find_word(s, bytes))
			return LIKE_NOT;
		codes[s->to] = known->code;
		if (known->code == CODE_MISSING)
			likeness = LIKE_ABSENT;
	}
	return likeness;
}

/*
 * Is the row of this shape, whatever its time? It calls nothing and needs few registers, so that none have to be saved for it: half of
 * what is done of a row is done here.
 */
__attribute__((noinline)) static enum likeness take_row(const struct shape *shape, const char *row, int32_t *codes)
{
	struct form *const form = shape->form;

	if (!looks_like(shape, form, row) || !take_pairs(form->pairs, form->n_pairs, row, codes))
		return LIKE_NOT;
	if (form->n_numbers)
		return take_others(form, row, codes);
	for (const struct shape_word *s = form->words, *end = s + form->n_words; s < end; s++) {
		const uint64_t bytes = eight_bytes(row + s->at) & s->mask;
		const struct known_word *const known = &s->known[bytes % WORDS_KNOWN];
		if (!known->word || known->bytes != bytes || known->code == CODE_MISSING)
			return take_others(form, row, codes);
		codes[s->to] = known->code;
	}
	return LIKE_ALL;
}

/* As in eight_digits_value() "34" comes to 34, and "387" to 387, of "8:34.387". */
static inline time_ms seconds_value(uint64_t digits)
{
	const uint64_t pairs = digits * 2561 >> 8 & 0x00FF00FF00FF00FFU, fours = pairs * 6553601 >> 16 & 0x0000FFFF0000FFFFU;

	return (time_ms)((fours & 0xFFFF) * SECOND_MS + (fours >> 32));
}

static inline bool take_time(const struct shape *shape, const char *row, struct minute *minute, time_ms *t)
{
	const char *const p = row + shape->form->time_at;

	if (!is_minute(minute, p))
		return false;
	*t = minute->begin + shape->shift + seconds_value(eight_bytes(p + STAMP_MINUTE - 1) & shape->form->seconds);
	return true;
}

static void note_absent(struct fitted *out, size_t channel, const struct form *form, const char *row)
{
	for (size_t i = 0; i < form->n_words; i++) {
		const struct shape_word *const s = &form->words[i];
		const struct word *const w = s->known[(eight_bytes(row + s->at) & s->mask) % WORDS_KNOWN].word;
		if (w->value == FIXED_MISSING)
			fitted_note_absent(out, channel, s->slot, w->reason);
	}
}

/* True: `to` is what the row says. */
static inline bool is_of_shape(const struct sight *sight, size_t channel, const struct shape *shape, const char *row, char *to)
{
	time_ms t;

	if (shape->era != sight->hints->era || (size_t)(sight->end - row) < shape->form->n_bytes)
		return false;
	const enum likeness likeness = take_row(shape, row, (int32_t *)(to + sizeof t));
	if (likeness == LIKE_NOT || !take_time(shape, row, &sight->hints->minute, &t))
		return false;
	memcpy(to, &t, sizeof t);
	if (likeness == LIKE_ABSENT)
		note_absent(sight->out, channel, shape->form, row);
	return true;
}

void shape_to_front(struct shapes *shapes, size_t i)
{
	const struct shape shape = shapes->at[i];

	memmove(shapes->at + 1, shapes->at, i * sizeof *shapes->at);
	shapes->at[0] = shape;
}

/* Not that of the row before. */
static bool is_of_other_shape(const struct sight *sight, size_t channel, const char *row, char *to)
{
	struct shapes *const shapes = &sight->hints->shapes[channel];

	for (size_t i = 1; i < SHAPES; i++) {
		if (is_of_shape(sight, channel, &shapes->at[i], row, to)) {
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
		struct channel_rows *const rows = &out->rows.of[channel];
		char *const to = fitted_row(rows, shapes->n_codes);
		if (shapes->patience < 0 || rows->is_wide || (!is_of_shape(sight, channel, &shapes->at[0], begin, to) &&
								     !is_of_other_shape(sight, channel, begin, to)))
			break;
		shapes->patience = SHAPE_PATIENCE;
		fitted_add(out, sight->patterns, channel);
		begin += shapes->at[0].form->n_bytes;
		hints->last = channel;
	}
	return begin;
}

void hints_new_era(struct hints *hints)
{
	for (size_t i = 0; i < hints->n_forms; i++) {
		grow_free(hints->forms[i]->memory);
		grow_free(hints->forms[i]);
	}
	hints->n_forms = 0;
	hints->era++;
}

struct draft { /* of a shape, and of its form */
	struct shape *shape;
	struct form *form;
};

/* So many bytes may differ by so much from this one. */
static void put_bytes(const struct draft *d, size_t i, size_t n, char like, uint8_t most)
{
	memset((char *)d->shape->like + i, like, n);
	memset((char *)d->form->most + i, most, n);
}

static void put_digits(const struct draft *d, size_t i, size_t n, uint8_t highest)
{
	put_bytes(d, i, n, '0', highest);
}

static void put_free(const struct draft *d, size_t i, size_t n)
{
	put_bytes(d, i, n, 0, UINT8_MAX);
}

/* All is text, and what is behind the row may be anything: it is compared with zeros, and the result is not looked at. */
static void put_text(const struct draft *d, struct slice row)
{
	const size_t n_bytes = d->form->n_blocks * BLOCK;

	put_bytes(d, 0, n_bytes, 0, UINT8_MAX);
	memset(d->form->most, 0, row.n);
	memcpy(d->shape->like, row.p, row.n);
}

/* False: the field makes rows of this pattern have no shape. */
static bool learn_stamp(const struct draft *d, size_t at, const char *p)
{
	d->form->time_at = (uint32_t)at;
	put_free(d, at, STAMP_MINUTE);
	put_digits(d, at + STAMP_MINUTE + 1, 1, 5);
	put_digits(d, at + STAMP_MINUTE + 2, 1, 9);
	const bool has_ms = p[STAMP_MINUTE + 3] == '.';
	d->form->seconds = has_ms ? 0x0F0F0F000F0F0000U : 0x000000000F0F0000U;
	if (!has_ms)
		return true;
	if (count_digits(eight_bytes(p + STAMP_MINUTE + 4)) != 3)
		return false;
	put_digits(d, at + STAMP_MINUTE + 4, 3, 9);
	return true;
}

/* Whatever its digits are. */
static bool has_codes(const struct placed_number *s)
{
	int64_t beyond = s->scale;

	for (unsigned i = 0; i < s->n_digits; i++)
		beyond *= 10;
	return beyond <= INT32_MAX;
}

/* Of the codes that possible values have. */
static void find_bounds(struct placed_number *s, const struct field *f, fixed unit)
{
	const fixed high = (fixed)((uint64_t)f->low + f->range);

	s->low = f->low / unit + (f->low > 0 && f->low % unit != 0);
	s->high = high / unit - (high < 0 && high % unit != 0);
}

static bool learn_number(const struct draft *d, size_t at, const char *p, const struct field *f, fixed unit)
{
	const uint64_t x = eight_bytes(p);
	const unsigned n = count_digits(x);
	struct placed_number s = { (uint32_t)at, (uint32_t)f->place, n, ~(uint64_t)0, 0, FIXED_ONE / unit, 0, 0 };

	if (f->is_converted || n == 8)
		return false;
	if (p[n] == '.') {
		s.behind_point = ~(uint64_t)0 << 8 * n;
		s.before_point = ~s.behind_point;
		s.n_digits = count_digits((x & s.before_point) | (x >> 8 & s.behind_point));
		if (s.n_digits == 7 || s.n_digits == n)
			return false;
		s.scale = fixed_scales[s.n_digits - n] / unit;
		put_digits(d, at + n + 1, s.n_digits - n, 9);
	}
	put_digits(d, at, n, 9);
	find_bounds(&s, f, unit);
	if (!has_codes(&s))
		return false;
	d->form->numbers[d->form->n_numbers++] = s;
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

/* False: it has no code. */
static bool learn_word(const struct draft *d, size_t at, const struct word *w, const struct field *f, fixed unit)
{
	const struct cell_range range = differing_bytes(f->column, w);
	const size_t n = range.end - range.begin <= 8 ? range.end - range.begin : 0; /* none: this very word */
	struct shape_word s = { .at = (uint32_t)(at + range.begin),
		.to = (uint32_t)f->place,
		.mask = n ? UINT64_MAX >> (64 - 8 * n) : 0,
		.unit = unit,
		.column = f->column,
		.slot = f->slot,
		.n = w->n,
		.from = range.begin };

	if (!know_word(&s, bytes_of_word(&s, w), w))
		return false;
	put_free(d, s.at, n);
	d->form->words[d->form->n_words++] = s;
	return true;
}

static bool learn_field(const struct draft *d, const struct patterns *ps, const char *row, const struct field *f, const struct hints *hints,
	const char *p)
{
	const size_t at = (size_t)(p - row);

	switch (f->kind) {
	case FIELD_TIME:
		return learn_stamp(d, at, p);
	case FIELD_VALUE:
		if (f->is_number && is_digit(*p))
			return learn_number(d, at, p, f, ps->units[f->slot]);
		return learn_word(d, at, &f->column->words[hints->words[f->slot]], f, ps->units[f->slot]);
	case FIELD_SPARE:
	case FIELD_UNREAD: /* anything may stand there */
	case FIELD_TEXT:
		break;
	}
	return false;
}

static bool learn_fields(const struct draft *d, const struct patterns *ps, const struct pattern *pattern, const char *row,
	const struct hints *hints)
{
	for (size_t i = 0; i < pattern->n_fields; i++)
		if (!learn_field(d, ps, row, &pattern->fields[i], hints, hints->begins[i]))
			return false;
	return true;
}

/* Numbers two by two; those that can be in no pair, or are left over, stay. */
static void join_pairs(struct form *form)
{
	const size_t n = form->n_numbers;
	size_t n_waiting = 0;
	struct placed_number waiting = { 0 };

	form->n_numbers = 0;
	for (size_t i = 0; i < n; i++) {
		const struct placed_number s = form->numbers[i];
		if (!can_be_in_pair(&s)) {
			form->numbers[form->n_numbers++] = s;
		} else if (n_waiting) {
			form->pairs[form->n_pairs++] = pair_of(&waiting, &s);
			n_waiting = 0;
		} else {
			waiting = s;
			n_waiting = 1;
		}
	}
	if (n_waiting)
		form->numbers[form->n_numbers++] = waiting;
}

/* Room for so many: the strictest alignment comes first. */
static void make_room(struct form *form, size_t n_blocks, size_t n_pairs, size_t n_numbers, size_t n_words)
{
	form->memory = grow(form->memory, &form->room,
		n_blocks * BLOCK + n_pairs * sizeof *form->pairs + n_numbers * sizeof *form->numbers + n_words * sizeof *form->words, 1);
	form->most = (struct shape_block *)form->memory;
	form->pairs = (struct number_pair *)(form->most + n_blocks);
	form->numbers = (struct placed_number *)(form->pairs + n_pairs);
	form->words = (struct shape_word *)(form->numbers + n_numbers);
}

/* Of a row of so many bytes, with room for all that there can be. */
static void draft_begin(const struct draft *d, size_t n_bytes, size_t n_fields)
{
	struct form *const form = d->form;

	form->n_bytes = n_bytes;
	form->n_blocks = (n_bytes + BLOCK - 1) / BLOCK;
	form->n_pairs = form->n_numbers = form->n_words = 0;
	make_room(form, form->n_blocks, n_fields / 2, n_fields, n_fields);
	d->shape->like = grow(d->shape->like, &d->shape->room, form->n_blocks * BLOCK, 1);
}

/* Which of several words it is stands in the row, or else it is this very one. */
static bool is_same_word(const struct shape_word *a, const struct shape_word *b)
{
	return a->at == b->at && a->to == b->to && a->mask == b->mask && a->column == b->column && a->n == b->n && a->from == b->from &&
	       (a->mask || a->known->word == b->known->word);
}

static bool is_same_form(const struct form *a, const struct form *b)
{
	bool same = a->n_bytes == b->n_bytes && a->time_at == b->time_at && a->seconds == b->seconds && a->n_pairs == b->n_pairs &&
		    a->n_numbers == b->n_numbers && a->n_words == b->n_words && memcmp(a->most, b->most, a->n_blocks * BLOCK) == 0;

	for (size_t i = 0; i < a->n_pairs && same; i++)
		same = is_same_pair(&a->pairs[i], &b->pairs[i]);
	for (size_t i = 0; i < a->n_numbers && same; i++)
		same = is_same_number(&a->numbers[i], &b->numbers[i]);
	for (size_t i = 0; i < a->n_words && same; i++)
		same = is_same_word(&a->words[i], &b->words[i]);
	return same;
}

/* As it is, in no more room than it takes. */
static struct form *form_copy(const struct form *form)
{
	size_t room = 0;
	struct form *const copy = grow(NULL, &room, sizeof *copy, 1);

	*copy = *form;
	copy->memory = NULL;
	copy->room = 0;
	make_room(copy, form->n_blocks, form->n_pairs, form->n_numbers, form->n_words);
	memcpy(copy->most, form->most, form->n_blocks * BLOCK);
	memcpy(copy->pairs, form->pairs, form->n_pairs * sizeof *form->pairs);
	memcpy(copy->numbers, form->numbers, form->n_numbers * sizeof *form->numbers);
	memcpy(copy->words, form->words, form->n_words * sizeof *form->words);
	return copy;
}

/* The unfinished form, or one like it that there was already. */
static struct form *form_of_all(struct hints *hints)
{
	for (size_t i = 0; i < hints->n_forms; i++)
		if (is_same_form(hints->forms[i], &hints->unfinished))
			return hints->forms[i];
	if (hints->n_forms == MOST_FORMS)
		hints_new_era(hints);
	hints->forms = grow(hints->forms, &hints->forms_room, hints->n_forms + 1, sizeof *hints->forms);
	return hints->forms[hints->n_forms++] = form_copy(&hints->unfinished);
}

void shape_learn(struct shape *shape, const struct patterns *ps, struct slice row, struct hints *hints)
{
	const struct pattern *const pattern = hints->pattern;
	const struct draft draft = { shape, &hints->unfinished };

	shape->era = 0;
	if (row.n > SHAPE_BYTES)
		return;
	draft_begin(&draft, row.n, pattern->n_fields);
	put_text(&draft, row);
	if (!learn_fields(&draft, ps, pattern, row.p, hints))
		return;
	join_pairs(draft.form);
	shape->form = form_of_all(hints);
	shape->shift = pattern->shift;
	shape->era = hints->era;
}
