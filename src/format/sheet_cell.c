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
	if (cell.p[0] >= '0' && cell.p[0] <= '9') /* most cells are numbers, and no such word begins like one */
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

#define FIXED_DIGITS 6 /* more are not kept (base/number.h) */

static int decimals_of(struct slice cell)
{
	const char *point = cell.n ? memchr(cell.p, '.', cell.n) : NULL;
	int n = 0;

	if (!point)
		return 0;
	for (const char *p = point + 1; p < cell.p + cell.n && n < FIXED_DIGITS && *p >= '0' && *p <= '9'; p++)
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

/* To the metric's own unit; exact when the units agree, as they do in almost every log. */
static bool convert(fixed *value, enum unit from, enum unit to)
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

	while (n_digits < cell.n && cell.p[n_digits] >= '0' && cell.p[n_digits] <= '9')
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

/* 8348694 us are 8.348694 s: what a coarser unit moves behind the point was written all the same. */
static int decimals_in(enum unit to, struct slice cell, enum unit from)
{
	const int written = decimals_of(cell);

	if (from == to)
		return written;
	const double moved = round(log10(unit_table[to].factor / unit_table[from].factor) * 1e9) / 1e9;
	const int all = written + (moved > 0 && moved == floor(moved) ? (int)moved : 0);
	return all < FIXED_DIGITS ? all : FIXED_DIGITS;
}

void sheet_cell(struct sheet *s, const struct spelling *column, enum unit unit, struct slice cell, struct place place)
{
	const struct metric_row *row = &metric_table[column->metric];
	struct diags *diags = s->r->diags;
	enum absence reason;
	struct slice rest;
	fixed value;

	cell = slice_trim(cell);
	if (!cell.n) {
		sheet_absent(s, column->metric, ABSENT_EMPTY);
		return;
	}
	if (absence_find(s->r->recording->format->absences, cell, &reason)) {
		sheet_absent(s, column->metric, reason);
		return;
	}
	if (special_parse(column->metric, cell, &value)) {
		sheet_put(s, column->metric, value, 0);
		return;
	}
	const bool is_number = row->unit != UNIT_BITS && fixed_parse(cell, &value, &rest);
	const bool is_large = !is_number && row->unit != UNIT_BITS && large_parse(cell, unit, row->unit, &value);
	if (!is_number && !is_large) {
		diag_repeat(diags, place, DIAG_BAD_NUMBER, column->head, "'%.*s' in %s", SLICE(cell), column->head);
		sheet_absent(s, column->metric, ABSENT_UNREADABLE);
		return;
	}
	bool other_unit = is_number && rest.n && !slice_is(rest, unit_table[unit].symbol); /* rarely: the head has said it */
	if ((other_unit && !unit_find(rest, &unit)) || (is_number && !convert(&value, unit, row->unit))) {
		diag_repeat(diags, place, DIAG_BAD_UNIT, column->head, "'%.*s' in %s, expected %s", SLICE(cell), column->head,
			*unit_table[row->unit].symbol ? unit_table[row->unit].symbol : "a plain number");
		sheet_absent(s, column->metric, ABSENT_UNREADABLE);
		return;
	}
	if (fixed_value(value) < row->low || fixed_value(value) > row->high) {
		diag_repeat(diags, place, DIAG_OUT_OF_RANGE, column->head, "'%.*s' in %s is impossible; treated as missing",
			SLICE(cell), column->head);
		sheet_absent(s, column->metric, ABSENT_OUT_OF_RANGE);
		return;
	}
	sheet_put(s, column->metric, value, is_large ? FIXED_DIGITS : decimals_in(row->unit, cell, unit));
}

const struct spelling *spelling_find(const struct spelling *columns, struct slice head)
{
	for (; columns->head; columns++)
		if (slice_is(head, columns->head))
			return columns;
	return NULL;
}
