/*
 * template_value.c - what a value prints when no filter says otherwise, and how wide texts are.
 *
 * Numbers get six significant digits and never an exponent, quantities their unit, times
 * ISO 8601. What is not known prints "-", a quantity "unknown".
 */
#include "base/template_parts.h"

#include "base/number.h"

#include <math.h>

size_t utf8_size(struct slice text)
{
	if (!text.n)
		return 0;
	unsigned char lead = (unsigned char)text.p[0];
	size_t n = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;

	return n <= text.n && slice_is_utf8((struct slice){ text.p, n }) ? n : 0;
}

size_t text_columns(struct slice text)
{
	return (size_t)slice_columns(text);
}

/* Up to six significant digits, never in exponent form, without zeros at the end. */
static const char *plain_number(struct arena *mem, double value)
{
	char text[512];
	int decimals = 5;

	if (!isfinite(value))
		return "-";
	for (double size = fabs(value); size >= 10 && decimals; size /= 10)
		decimals--;
	for (double size = fabs(value); size > 0 && size < 1 && decimals < TEMPLATE_MAX_DECIMALS; size *= 10)
		decimals++;
	int n = number_print(text, sizeof text, value, decimals);
	if (decimals) {
		while (text[n - 1] == '0')
			n--;
		n -= text[n - 1] == '.';
	}
	return arena_text(mem, text, (size_t)n);
}

static const char *range_text(struct arena *mem, struct range r)
{
	if (r.low == r.high || (isnan(r.low) && isnan(r.high)))
		return plain_number(mem, r.low);
	return arena_print(mem, "%s-%s", plain_number(mem, r.low), plain_number(mem, r.high));
}

const char *time_text(struct arena *mem, time_ms t, const char *(*print)(struct arena *, time_ms))
{
	return t == TIME_UNKNOWN ? "-" : print(mem, t);
}

bool kind_is_printable(enum field_kind kind)
{
	return kind != FIELD_TEXTS && kind != FIELD_CELLS && kind != FIELD_OBJECT && kind != FIELD_LIST &&
	       kind != FIELD_MAP;
}

struct slice value_text(struct arena *mem, const struct value *v)
{
	switch (v->kind) {
	case FIELD_TEXT:
		return v->text;
	case FIELD_BOOL:
	case FIELD_QUESTION:
		return slice_of(v->truth ? "true" : "false");
	case FIELD_ORDINAL:
	case FIELD_COUNT:
		return slice_of(v->kind == FIELD_ORDINAL && !v->count ? "-" : arena_print(mem, "%zu", v->count));
	case FIELD_NUMBER:
		return slice_of(plain_number(mem, v->number));
	case FIELD_QUANTITY:
		return slice_of(v->unit_stays ? quantity_text_as(mem, v->quantity, -1) : quantity_text(mem, v->quantity));
	case FIELD_RANGE:
		return slice_of(range_text(mem, v->range));
	case FIELD_TIME:
		return slice_of(time_text(mem, v->time, time_iso));
	case FIELD_TEXTS:
	case FIELD_CELLS:
	case FIELD_OBJECT:
	case FIELD_LIST:
	case FIELD_MAP:
		break;
	}
	BUG("a list where a value must be");
}
