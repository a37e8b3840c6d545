/*
 * row_pattern.c - does a row fit, and what are its values?
 *
 * Eight bytes are looked at in one go: which of them are digits, what number these are, whether a text is the expected one
 * (Lemire & Muła write of such arithmetic on words). How patterns are learned: row_pattern_learn.c.
 */
#include "format/row_pattern_parts.h"

#define ROW_MAX_BYTES ((ptrdiff_t)LINE_MAX_BYTES / 2) /* of longer ones the grammar says whether they are too long */
#define FIXED_DIGITS 6 /* more are not kept (base/number.h) */
#define STAMP_DECIMALS 9 /* nanoseconds (base/calendar.c) */
#define NUMBER_BYTES ((size_t)24)

static inline bool is_short_text(const char *p, const struct short_text *text)
{
	return !((eight_bytes(p) ^ text->bytes) & text->mask);
}

/* n bytes, where up to seven more can be read behind both. */
static inline bool is_text(const char *p, const char *text, size_t n)
{
	for (; n >= 8; n -= 8, p += 8, text += 8)
		if (eight_bytes(p) != eight_bytes(text))
			return false;
	return !n || !((eight_bytes(p) ^ eight_bytes(text)) << (64 - 8 * n));
}

/* Is this what stands before the field? Most such texts are a separator; one is all that names the GPU. */
static inline bool is_before(const struct field *f, const char *p)
{
	return is_short_text(p, &f->first) && (f->n <= 8 || memcmp(p + 8, f->text + 8, f->n - 8) == 0);
}

/* How many of the eight bytes before the first that is no digit. */
static inline unsigned count_digits(uint64_t x)
{
	const uint64_t digits = x ^ 0x3030303030303030U;
	const uint64_t others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;

	return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The number that the first n bytes are, 1 to 8 digits: neighbours are joined to pairs, pairs to fours, fours to eight. */
static inline int64_t digits_value(uint64_t x, unsigned n)
{
	x <<= 64 - 8 * n;
	x = (x & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8;
	x = (x & 0x00FF00FF00FF00FFU) * 6553601 >> 16;
	return (int64_t)((x & 0x0000FFFF0000FFFFU) * 42949672960001U >> 32);
}

static const int64_t millionths[] = { 1000000, 100000, 10000, 1000, 100, 10, 1 }; /* by digits behind the point */

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

/* A decimal that begins with a digit. Returns what is behind it; NULL: none that is sure. */
static inline const char *number(const char *p, fixed *value, int *decimals)
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
	*value += digits_value(y, behind) * millionths[behind];
	*decimals = (int)behind;
	return p + n + 1 + behind;
}

static inline bool is_two_digits(const char *p)
{
	return p[0] >= '0' && p[0] <= '9' && p[1] >= '0' && p[1] <= '9';
}

/* "2026/11/21 01:48" of a minute that was not the row's before. */
static bool find_minute(struct minute *m, const char *p)
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

/* A time stamp of nvidia-smi, with or without parts of a second. */
static inline const char *stamp(struct minute *m, const char *p, time_ms *t)
{
	if ((!m->is_known || !is_text(p, m->text, sizeof m->text)) && !find_minute(m, p))
		return NULL;
	if (p[16] != ':' || !is_two_digits(p + 17) || p[17] > '5')
		return NULL;
	*t = m->begin + ((p[17] - '0') * 10 + p[18] - '0') * SECOND_MS;
	p += 19;
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

/* A number with its unit, in the metric's own. */
static inline const char *value_of_number(const struct field *f, const char *p, fixed *value)
{
	const struct pattern_column *column = f->column;
	int decimals;

	p = number(p, value, &decimals);
	if (!p || decimals + column->moved > f->decimals || !is_short_text(p, &column->suffix))
		return NULL;
	if ((column->unit != f->unit && !cell_convert(value, column->unit, f->unit)) || *value < f->low || *value > f->high)
		return NULL;
	return p + column->n_suffix;
}

/* `end`: what stands behind the cell. */
static const struct word *find_word(const struct pattern_column *column, const char *p, char end)
{
	for (size_t i = 0; i < column->n_words; i++) {
		const struct word *w = &column->words[i];
		if (p[w->n] == end && is_text(p, w->text, w->n))
			return w;
	}
	return NULL;
}

static inline const char *take_value(struct patterns *ps, const struct pattern *pattern, const struct field *f, const char *p)
{
	fixed *value = &pattern->values[f->slot];

	if (f->column->is_number && p[0] >= '0' && p[0] <= '9')
		return value_of_number(f, p, value);
	const struct word *w = find_word(f->column, p, f[1].text[0]);
	if (!w)
		return NULL;
	*value = w->value;
	if (w->value == FIXED_MISSING)
		ps->absent[ps->n_absent++] = (struct absent_cell){ pattern->metrics[f->slot], w->reason };
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

static const char *take_field(struct patterns *ps, const struct pattern *pattern, const struct field *f, const char *p, const char *end,
	time_ms *t)
{
	switch (f->kind) {
	case FIELD_TIME:
		return stamp(&ps->minute, p, t);
	case FIELD_VALUE:
		return take_value(ps, pattern, f, p);
	case FIELD_SPARE:
		return *p == '[' ? NULL : pass_over(p, end);
	case FIELD_UNREAD:
		return pass_over(p, end);
	case FIELD_END:
		break;
	}
	return p;
}

/* Does the row fit? */
static bool fits(struct patterns *ps, const struct pattern *pattern, struct slice ahead, struct pattern_row *row)
{
	const char *p = ahead.p, *end = ahead.p + ahead.n;

	ps->n_absent = 0;
	for (const struct field *f = pattern->fields;; f++) {
		if ((size_t)(end - p) < f->n || !is_before(f, p))
			return false;
		p += f->n;
		if (f->kind == FIELD_END)
			break;
		p = take_field(ps, pattern, f, p, end, &row->t);
		if (!p || p >= end)
			return false;
	}
	row->t += pattern->shift;
	row->n_bytes = (size_t)(p - ahead.p);
	return p - ahead.p <= ROW_MAX_BYTES;
}

static void tell(const struct patterns *ps, size_t channel, struct pattern_row *row)
{
	const struct pattern *pattern = &ps->at[channel];

	row->channel = channel;
	row->gpu = &pattern->gpu;
	row->metrics = pattern->metrics;
	row->values = pattern->values;
	row->n_values = pattern->n_values;
	row->absent = ps->absent;
	row->n_absent = ps->n_absent;
	row->always_absent = pattern->always_absent;
	row->n_always_absent = pattern->n_always_absent;
}

/* Rows of a poll come in the same order every time; where one is missing, the others are asked. */
bool patterns_match(struct patterns *ps, struct slice ahead, struct pattern_row *row)
{
	const size_t likely = ps->last < ps->n ? ps->at[ps->last].next : 0;
	size_t channel = likely;

	if (channel >= ps->n || !ps->at[channel].is_good || !fits(ps, &ps->at[channel], ahead, row))
		for (channel = 0; channel < ps->n; channel++)
			if (channel != likely && ps->at[channel].is_good && fits(ps, &ps->at[channel], ahead, row))
				break;
	if (channel >= ps->n)
		return false;
	if (channel != likely)
		ps->at[ps->last].next = channel;
	ps->at[channel].n_misses = 0;
	ps->last = channel;
	tell(ps, channel, row);
	return true;
}
