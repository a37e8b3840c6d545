/*
 * sheet_cell.c - a cell as text becomes a value in the metric's own unit, or the reason for having none.
 *
 *     "97 %", "12.5"               a number, with a unit or in that of the column
 *     "Active", "P0", "0x4"        a flag, a P-state, a mask, where the metric is one
 *     "[N/A]", "", "[GPU is lost]" no value, and why: the format's own words, nothing, or a driver's error
 *
 * Of anything else it is said that it can't be read, or that no such value can be, and the cell counts as missing.
 */
#include "format/sheet_parts.h"

#include <math.h>

static bool absence_find(const struct absence_word *words, struct slice cell, enum absence *reason)
{
	if (is_digit(cell.p[0])) /* most cells are numbers, and no such word begins like one */
		return false;
	for (; words && words->word; words++) {
		if (slice_is_nocase(cell, words->word)) {
			*reason = words->reason;
			return true;
		}
	}
	/* any other bracketed text is a driver's error string (formats.md A1.2) */
	if (cell.n > 2 && cell.p[0] == '[' && cell.p[cell.n - 1] == ']') {
		*reason = ABSENT_ERROR;
		return true;
	}
	return false;
}

static int decimals_of(struct slice cell)
{
	const char *point = cell.n ? memchr(cell.p, '.', cell.n) : NULL;
	int n = 0;

	if (!point)
		return 0;
	for (const char *p = point + 1; p < cell.p + cell.n && n < FIXED_DIGITS && is_digit(*p); p++)
		n++;
	return n;
}

/* "Active", "P0", "0x4": metrics whose cells are no decimals. False: not that kind, or not readable. */
static bool special_parse(enum metric metric, struct slice cell, fixed *value)
{
	uint64_t mask;
	int64_t digits;

	if (metric == METRIC_GPU_THROTTLE && mask_parse(cell, &mask) && mask <= 0xFFFF) {
		*value = (fixed)mask * FIXED_ONE;
		return true;
	}
	if (metric == METRIC_GPU_PSTATE && cell.n > 1 && cell.p[0] == 'P' &&
		integer_parse((struct slice){ cell.p + 1, cell.n - 1 }, &digits) && digits < 16) {
		*value = digits * FIXED_ONE;
		return true;
	}
	if (metric_table[metric].unit == UNIT_BITS && (slice_is(cell, "Active") || slice_is(cell, "Not Active"))) {
		*value = slice_is(cell, "Active") ? FIXED_ONE : 0;
		return true;
	}
	return false;
}

bool cell_convert(fixed *value, enum unit from, enum unit to)
{
	if (from == to)
		return true;
	if (unit_table[from].dimension != unit_table[to].dimension)
		return false;
	double converted = (double)*value * unit_table[from].factor / unit_table[to].factor;
	if (fabs(converted) > 9e18)
		return false;
	*value = (fixed)llround(converted);
	return true;
}

/*
 * "12345678901234 us": in millionths of a microsecond that is too large, in those of a second it is not. Whole numbers only, and no
 * more than 53 bits of them count.
 */
static bool large_parse(struct slice cell, enum unit unit, enum unit to, fixed *value)
{
	size_t n_digits = 0;
	int64_t whole;

	while (n_digits < cell.n && is_digit(cell.p[n_digits]))
		n_digits++;
	const struct slice rest = slice_trim((struct slice){ cell.p + n_digits, cell.n - n_digits });
	if (!integer_parse((struct slice){ cell.p, n_digits }, &whole) || (rest.n && !unit_find(rest, &unit)))
		return false;
	const double converted = (double)whole * FIXED_ONE * unit_table[unit].factor / unit_table[to].factor;
	if (unit_table[unit].dimension != unit_table[to].dimension || fabs(converted) > 9e18)
		return false;
	*value = (fixed)llround(converted);
	return true;
}

/* How many places the point moves, from 1 on; 0 where units are no power of ten apart. */
static int places_between(enum unit from, enum unit to)
{
	const double ratio = unit_table[to].factor / unit_table[from].factor;
	int places = 0;
	double power = 1;

	while (power * 5 < ratio) {
		power *= 10;
		places++;
	}
	return fabs(ratio - power) < 1e-9 * power ? places : 0;
}

/* 8348694 us are 8.348694 s: what a coarser unit moves behind the point was written all the same. */
static int decimals_in(enum unit to, int written, enum unit from)
{
	const int all = from == to ? written : written + places_between(from, to);

	return all < FIXED_DIGITS ? all : FIXED_DIGITS;
}

static struct cell_value absent_for(enum absence reason)
{
	return (struct cell_value){ .reason = reason };
}

static struct cell_value wrong_as(enum diag_code complaint, enum absence reason)
{
	return (struct cell_value){ .is_wrong = true, .reason = reason, .complaint = complaint };
}

static struct cell_value value_of(fixed value, int decimals)
{
	return (struct cell_value){ .is_value = true, .value = value, .decimals = decimals };
}

/* A decimal with or without a unit; `unit` is that of the column. */
static struct cell_value number_read(const struct metric_row *row, enum unit unit, struct slice text)
{
	struct slice rest;
	fixed value;

	const bool is_number = row->unit != UNIT_BITS && fixed_parse(text, &value, &rest);
	const bool is_large = !is_number && row->unit != UNIT_BITS && large_parse(text, unit, row->unit, &value);
	if (!is_number && !is_large)
		return wrong_as(DIAG_BAD_NUMBER, ABSENT_UNREADABLE);
	bool other_unit = is_number && rest.n && !slice_is(rest, unit_table[unit].symbol); /* rarely: the head has said it */
	if ((other_unit && !unit_find(rest, &unit)) || (is_number && !cell_convert(&value, unit, row->unit)))
		return wrong_as(DIAG_BAD_UNIT, ABSENT_UNREADABLE);
	if (fixed_value(value) < row->low || fixed_value(value) > row->high)
		return wrong_as(DIAG_OUT_OF_RANGE, ABSENT_OUT_OF_RANGE);
	return value_of(value, is_large ? FIXED_DIGITS : decimals_in(row->unit, decimals_of(text), unit));
}

struct cell_value cell_read(const struct format *format, const struct spelling *column, enum unit unit, struct slice text)
{
	enum absence reason;
	fixed value;

	text = slice_trim(text);
	if (!text.n)
		return absent_for(ABSENT_EMPTY);
	if (absence_find(format->absences, text, &reason))
		return absent_for(reason);
	if (special_parse(column->metric, text, &value))
		return value_of(value, 0);
	return number_read(&metric_table[column->metric], unit, text);
}

static void complain(struct sheet *s, const struct spelling *column, enum diag_code code, struct slice text, struct place place)
{
	const char *unit = unit_table[metric_table[column->metric].unit].symbol;
	struct diags *diags = s->r->diags;

	if (code == DIAG_BAD_NUMBER)
		diag_repeat(diags, place, code, column->head, "'%.*s' in %s", SLICE(text), column->head);
	else if (code == DIAG_BAD_UNIT)
		diag_repeat(diags, place, code, column->head, "'%.*s' in %s, expected %s", SLICE(text), column->head,
			*unit ? unit : "a plain number");
	else
		diag_repeat(diags, place, code, column->head, "'%.*s' in %s is impossible; treated as missing", SLICE(text), column->head);
}

/* A plain number in another unit. False: then the cell goes the long way, which knows why. */
static bool put_converted(struct sheet *s, enum metric metric, enum unit unit, struct plain_number number)
{
	const enum unit own = metric_table[metric].unit;

	if (own == UNIT_BITS || !cell_convert(&number.value, unit, own) || !is_possible(metric, number.value))
		return false;
	sheet_put_possible(s, metric, number.value, decimals_in(own, number.decimals, unit));
	return true;
}

bool sheet_cell_plain(struct sheet *s, enum metric metric, enum unit unit, struct slice text)
{
	const struct plain_number number = plain_parse(text);

	if (number.decimals < 0)
		return false;
	if (unit != metric_table[metric].unit || unit == UNIT_BITS)
		return put_converted(s, metric, unit, number);
	if (!is_possible(metric, number.value))
		return false;
	sheet_put_possible(s, metric, number.value, number.decimals);
	return true;
}

void sheet_cell(struct sheet *s, const struct spelling *column, enum unit unit, struct slice text, struct place place)
{
	if (sheet_cell_plain(s, column->metric, unit, text))
		return;
	const struct cell_value cell = cell_read(s->r->recording->format, column, unit, text);

	if (cell.is_wrong)
		complain(s, column, cell.complaint, slice_trim(text), place);
	if (cell.is_value)
		sheet_put(s, column->metric, cell.value, cell.decimals);
	else
		sheet_absent(s, column->metric, cell.reason);
}

const struct spelling *spelling_find(const struct spelling *columns, struct slice head)
{
	for (; columns->head; columns++)
		if (slice_is(head, columns->head))
			return columns;
	return NULL;
}
