/*
 * row_pattern.c - does a row fit, and what are its values?
 *
 * Eight bytes are looked at in one go: which of them are digits, what number these are, whether a text is the expected one
 * (Lemire & Muła write of such arithmetic on words).
 *
 *     row_pattern_learn.c      how patterns are learned
 *     row_pattern_shape.c      most rows have all digits where the GPU's row before had them: one comparison, and only numbers are left
 *     row_pattern.c            the others, field by field
 *     row_pattern_fitted.c     where their numbers are kept
 */
#include "format/row_pattern_parts.h"

#define ROW_MAX_BYTES ((ptrdiff_t)32 * 1024) /* longer ones are left to the grammar */
#define STAMP_DECIMALS 9 /* nanoseconds (base/calendar.c) */
#define NUMBER_BYTES ((size_t)24)

static inline uint64_t differences(const char *p, const struct short_text *text)
{
	return (eight_bytes(p) ^ text->bytes) & text->mask;
}

/* Most texts are a separator and perhaps a unit; one is all that names the GPU. */
static inline bool is_there(const struct text *text, const char *p, const char *end)
{
	return !(differences(p, &text->first) | differences(p + 8, &text->second)) &&
	       (text->n <= 16 || (text->n <= (size_t)(end - p) && is_text(p + 16, text->p + 16, text->n - 16)));
}

static const time_ms thousandths[] = { 0, 100, 10, 1, 1, 1, 1, 1, 1 };

/* Any decimal, as the grammar reads it. Returns what is behind it; NULL: none. */
static const char *long_number(const char *p, fixed *value, int *decimals)
{
	const char *point = NULL;
	struct slice rest;
	size_t n = 0;

	for (; n < NUMBER_BYTES && ((p[n] >= '0' && p[n] <= '9') || (p[n] == '.' && !point)); n++)
		point = p[n] == '.' ? p + n : point;
	if (n == NUMBER_BYTES || !fixed_parse((struct slice){ p, n }, value, &rest))
		return NULL;
	const ptrdiff_t behind = point ? p + n - point - 1 : 0;
	*decimals = behind > FIXED_DIGITS ? FIXED_DIGITS : (int)behind;
	return p + n;
}

/* The same of more than seven bytes, or with an end that needs a closer look. */
static const char *number_in_parts(const char *p, fixed *value, int *decimals)
{
	const uint64_t x = eight_bytes(p);
	const unsigned n = count_digits(x);

	*decimals = 0;
	if (n == 0)
		return NULL;
	if (n == 8)
		return long_number(p, value, decimals);
	*value = digits_value(x, n) * FIXED_ONE;
	if (p[n] != '.')
		return p + n;
	const uint64_t y = eight_bytes(p + n + 1);
	const unsigned behind = count_digits(y);
	if (behind == 0 || behind > FIXED_DIGITS)
		return long_number(p, value, decimals);
	*value += digits_value(y, behind) * fixed_scales[behind];
	*decimals = (int)behind;
	return p + n + 1 + behind;
}

/*
 * A decimal whose first eight bytes are x, which begins with n digits, at least one. Returns what is behind it; NULL: none that is sure.
 * Nearly all have less than eight bytes: without its point, "212.26 W" is the number 21226, in hundredths.
 */
static inline const char *number(const char *p, const uint64_t x, const unsigned n, fixed *value, int *decimals)
{
	if (n == 8)
		return number_in_parts(p, value, decimals);
	if (p[n] != '.') {
		*value = digits_value(x, n) * FIXED_ONE;
		*decimals = 0;
		return p + n;
	}
	const uint64_t behind_point = ~(uint64_t)0 << 8 * n, without = (x & ~behind_point) | (x >> 8 & behind_point);
	const unsigned all = count_digits(without);
	if (all == n || all == 7)
		return number_in_parts(p, value, decimals);
	*value = digits_value(without, all) * fixed_scales[all - n];
	*decimals = (int)(all - n);
	return p + all + 1;
}

static inline bool is_two_digits(const char *p)
{
	return p[0] >= '0' && p[0] <= '9' && p[1] >= '0' && p[1] <= '9';
}

bool minute_find(struct minute *m, const char *p)
{
	char text[19];

	if (!is_two_digits(p) || !is_two_digits(p + 2) || !is_two_digits(p + 5) || !is_two_digits(p + 8) || !is_two_digits(p + 11) ||
		!is_two_digits(p + 14))
		return false;
	memcpy(m->text, p, sizeof m->text);
	memcpy(text, p, 16);
	memcpy(text + 16, ":00", 3);
	m->is_known = stamp_parse((struct slice){ text, sizeof text }, &m->begin);
	return m->is_known;
}

/* Seconds and what is behind them, with or without parts of a second. */
static const char *any_seconds(const char *p, time_ms *t)
{
	if (p[0] != ':' || !is_two_digits(p + 1) || p[1] > '5')
		return NULL;
	*t = ((p[1] - '0') * 10 + p[2] - '0') * SECOND_MS;
	p += 3;
	if (*p != '.')
		return p;
	const uint64_t x = eight_bytes(++p);
	unsigned n = count_digits(x);
	if (n == 0)
		return NULL;
	*t += digits_value(x, n < 3 ? n : 3) * thousandths[n];
	while (n >= 8 && n <= STAMP_DECIMALS && p[n] >= '0' && p[n] <= '9')
		n++;
	return n <= STAMP_DECIMALS ? p + n : NULL;
}

/*
 * ":34.387" in milliseconds, of which only the digits are left, with zeros between them. As in eight_digits_value() ":34." comes to 340,
 * and "387" to 3870.
 */
static inline time_ms seconds_value(uint64_t digits)
{
	const uint64_t pairs = digits * 2561 >> 8 & 0x00FF00FF00FF00FFU, fours = pairs * 6553601 >> 16 & 0x0000FFFF0000FFFFU;

	return (time_ms)((fours & 0xFFFF) * 100 + (fours >> 32) / 10);
}

/*
 * ":34.387" and no more digits, as nearly all stamps end. Bytes of zero are left where ":00.000" agrees, and a digit where a zero
 * stands; what is added makes any other byte one of 128 and more.
 */
static inline const char *seconds(const char *p, time_ms *t)
{
	static const struct short_text form = { 0x003030302E30303AU, 0x007676767F767A7FU };
	const uint64_t digits = (eight_bytes(p) & 0x00FFFFFFFFFFFFFFU) ^ form.bytes;

	if (((digits | (digits + form.mask)) & 0x8080808080808080U) || (p[7] >= '0' && p[7] <= '9'))
		return any_seconds(p, t);
	*t = seconds_value(digits);
	return p + 7;
}

/* A time stamp of nvidia-smi. */
static inline const char *stamp(struct minute *m, const char *p, time_ms *t)
{
	time_ms in_minute;

	if (!is_minute(m, p))
		return NULL;
	p = seconds(p + sizeof m->text, &in_minute);
	if (p)
		*t = m->begin + in_minute;
	return p;
}

/* A number that begins with n digits, and what stands behind it. */
static inline const char *take_number(const struct field *f, const char *p, const uint64_t x, const unsigned n, const char *end,
	fixed *value)
{
	int decimals;

	p = number(p, x, n, value, &decimals);
	if (!p || decimals > f->most_decimals || (f->is_converted && !cell_convert(value, f->column->unit, metric_table[f->metric].unit)))
		return NULL;
	if ((uint64_t)*value - (uint64_t)f->low > f->range || !is_there(&f->behind_number, p, end))
		return NULL;
	return p + f->behind_number.n;
}

static inline bool is_word(const struct word *w, const char *p, char end)
{
	return p[w->n] == end && is_text(p, w->text, w->n);
}

/* `end`: what stands behind the cell. `likely`: the one that it was in the row before, which it mostly is again. */
static inline const struct word *find_word(const struct pattern_column *column, const char *p, char end, uint8_t *likely)
{
	if (*likely < column->n_words && is_word(&column->words[*likely], p, end))
		return &column->words[*likely];
	for (size_t i = 0; i < column->n_words; i++) {
		if (is_word(&column->words[i], p, end)) {
			*likely = (uint8_t)i;
			return &column->words[i];
		}
	}
	return NULL;
}

/* A word that the column had before, and which ends before the text behind the field. */
static const char *take_word(const struct sight *sight, size_t channel, const struct field *f, const char *p, fixed *value)
{
	const struct word *const w = find_word(f->column, p, f->behind.p[0], &sight->hints->words[f->slot]);

	if (!w)
		return NULL;
	if (w->value == FIXED_MISSING)
		fitted_note_absent(sight->out, channel, f->slot, w->reason);
	*value = w->value;
	return p + w->n;
}

/* A cell that nobody reads: any bytes that the grammar would take without a word. */
static const char *pass_over(const char *p, const char *end)
{
	for (; p < end && *p != ','; p++) {
		if (*p == '\n' || (*p == '\r' && p[1] == '\n'))
			return p;
		if (*p == '"' || *p == '\r' || *p == '\0')
			return NULL;
	}
	return p;
}

/* A field other than a number. */
static const char *take_other(const struct sight *sight, size_t channel, const struct field *f, const char *p)
{
	switch (f->kind) {
	case FIELD_VALUE:
		p = take_word(sight, channel, f, p, &sight->hints->numbers[f->place]);
		break;
	case FIELD_TIME:
		p = stamp(&sight->hints->minute, p, &sight->hints->t);
		break;
	case FIELD_SPARE:
		p = *p == '[' ? NULL : pass_over(p, sight->end);
		break;
	case FIELD_UNREAD:
		p = pass_over(p, sight->end);
		break;
	case FIELD_TEXT:
		break;
	}
	return p && is_there(&f->behind, p, sight->end) ? p + f->behind.n : NULL;
}

/* Where the row ends, if it fits; or NULL. */
static const char *fit_row(const struct sight *sight, size_t channel, const struct pattern *pattern, const char *begin)
{
	const struct field *const fields_end = pattern->fields + pattern->n_fields;
	const char *const end = sight->end;
	struct hints *const hints = sight->hints;
	const char **begins = hints->begins;
	const char *p = begin + pattern->before.n;

	if (!is_there(&pattern->before, begin, end))
		return NULL;
	for (const struct field *f = pattern->fields; f < fields_end && p; f++) {
		*begins++ = p;
		const uint64_t x = eight_bytes(p);
		const unsigned n_digits = f->is_number ? count_digits(x) : 0;
		p = n_digits ? take_number(f, p, x, n_digits, end, &hints->numbers[f->place]) : take_other(sight, channel, f, p);
	}
	if (!p || p > end || p - begin > ROW_MAX_BYTES)
		return NULL;
	hints->t += pattern->shift;
	return p;
}

#define REST 64 /* rows; where row after row has another shape, looking for one would cost more than it gives */

/* Tries the channel's patterns; what a row that does not fit has left behind is taken back. */
static const char *try_row(const struct sight *sight, size_t channel, const char *begin)
{
	const struct gpu_patterns *const gpu = &sight->patterns->at[channel];
	const size_t n_absent = sight->out->n_absent;

	for (const struct pattern *p = gpu->of, *end = p + gpu->n; p < end; p++) {
		const char *const behind = p->is_good ? fit_row(sight, channel, p, begin) : NULL;
		if (behind) {
			sight->hints->pattern = p;
			return behind;
		}
		sight->out->n_absent = n_absent;
	}
	return NULL;
}

/* The row that was likely is of none of its GPU's shapes: the next one may be of this. */
static void learn_shape(const struct sight *sight, size_t channel, struct slice row)
{
	struct shapes *const shapes = &sight->hints->shapes[channel];

	if (shapes->patience < 0) {
		shapes->patience = shapes->patience == -1 ? SHAPE_PATIENCE : shapes->patience + 1;
		return;
	}
	shape_to_front(shapes, SHAPES - 1);
	shapes->n_codes = sight->hints->pattern->n_numbers;
	shape_learn(&shapes->at[0], sight->patterns, row, sight->hints);
	shapes->patience = shapes->patience ? shapes->patience - 1 : -REST;
}

/* Not where all patterns of the GPU go on otherwise behind the row's time, which most begin with. */
static bool can_fit(const struct gpu_patterns *gpu, const char *behind_time, const char *end)
{
	for (size_t i = 0; i < gpu->n; i++) {
		const struct pattern *const p = &gpu->of[i];
		if (p->is_good && (p->before.n || p->fields[0].kind != FIELD_TIME ||
					  (behind_time && is_there(&p->fields[0].behind, behind_time, end))))
			return true;
	}
	return false;
}

/* Where a row is missing, or more or less of them than ever before: any of the others. */
static const char *find_other(const struct sight *sight, const char *begin, size_t likely, size_t *channel)
{
	struct hints *const hints = sight->hints;
	const char *behind = NULL;
	time_ms t;
	const char *const behind_time = stamp(&hints->minute, begin, &t);

	for (size_t i = 0; i < sight->patterns->n && !behind; i++) {
		*channel = i;
		if (i != likely && can_fit(&sight->patterns->at[i], behind_time, sight->end))
			behind = try_row(sight, i, begin);
	}
	if (behind)
		hints->next[hints->last] = (uint32_t)*channel;
	return behind;
}

/* Rows of a poll come in the same order every time. */
static const char *find_pattern(const struct sight *sight, const char *begin, size_t *channel)
{
	struct hints *const hints = sight->hints;
	const size_t likely = hints->next[hints->last];
	const char *behind = likely < sight->patterns->n ? try_row(sight, likely, begin) : NULL;

	*channel = likely;
	if (behind)
		learn_shape(sight, likely, (struct slice){ begin, (size_t)(behind - begin) });
	else if (!(behind = find_other(sight, begin, likely, channel)))
		return NULL;
	hints->last = *channel;
	return behind;
}

struct hints *hints_new(void)
{
	size_t room = 0;
	struct hints *h = grow(NULL, &room, 1, sizeof *h);

	*h = (struct hints){ .era = 1 };
	return h;
}

void hints_release(struct hints *h)
{
	for (size_t i = 0; i < h->n; i++)
		for (size_t k = 0; k < SHAPES; k++)
			grow_free(h->shapes[i].at[k].like);
	hints_new_era(h);
	grow_free(h->forms);
	grow_free(h->unfinished.memory);
	grow_free(h->shapes);
	grow_free(h->next);
	grow_free(h);
}

/* Whatever there is of hints holds for as many channels as there are patterns. */
static void hints_begin(struct hints *h, size_t n_patterns, uint64_t n_lessons)
{
	if (h->n_lessons != n_lessons)
		hints_new_era(h);
	h->n_lessons = n_lessons;
	h->next = grow(h->next, &h->next_room, n_patterns, sizeof *h->next);
	h->shapes = grow(h->shapes, &h->shapes_room, n_patterns, sizeof *h->shapes);
	for (; h->n < n_patterns; h->n++) {
		h->next[h->n] = (uint32_t)(h->n + 1);
		h->shapes[h->n] = (struct shapes){ .patience = SHAPE_PATIENCE };
	}
	if (h->last >= n_patterns)
		h->last = 0;
}

void patterns_fit(const struct patterns *ps, struct slice text, struct fitted *out, struct hints *hints)
{
	const struct sight sight = { ps, text.p + text.n, out, hints };
	size_t channel;

	fitted_begin(out, ps);
	hints_begin(hints, ps->n, ps->n_lessons);
	for (out->end = text.p; ps->n;) {
		out->end = shapes_fit(&sight, out->end);
		const char *const behind = out->end < sight.end ? find_pattern(&sight, out->end, &channel) : NULL;
		if (!behind)
			break;
		fitted_put(out, ps, channel, hints);
		out->end = behind;
	}
}

void patterns_confirm(struct patterns *ps, const struct fitted *f)
{
	for (size_t i = 0; i < f->rows.n_touched; i++) {
		struct gpu_patterns *const gpu = &ps->at[f->rows.touched[i]];
		gpu->n_misses = 0;
		gpu->has_fitted = true;
	}
}
