/*
 * quantity.c - units as rows, what their dimensions give when multiplied, and how people read numbers (visual.md 13.6).
 */
#include "base/quantity.h"

#include "base/number.h"

#include <math.h>

const struct unit_row unit_table[N_UNITS] = {
#define UNIT(id, symbol, also, dimension, factor) [UNIT_##id] = { #id, symbol, also, dimension, factor },
#include "base/unit.def"
#undef UNIT
};

const char *dimension_name(enum dimension d)
{
	static const char *const names[] = {
		[DIM_NONE] = "a plain number",   [DIM_SHARE] = "a share",       [DIM_TIME] = "a time",
		[DIM_TEMPERATURE] = "a temperature", [DIM_POWER] = "a power",   [DIM_ENERGY] = "an energy",
		[DIM_MEMORY] = "an amount of memory", [DIM_RATE] = "a data rate", [DIM_FREQUENCY] = "a frequency",
		[DIM_BITS] = "a mask of reasons", [DIM_PER_TIME] = "a rate of events", [DIM_SHARE_PER_TIME] = "a share per time",
		[DIM_TEMPERATURE_PER_TIME] = "a temperature per time", [DIM_POWER_PER_TIME] = "a power per time",
	};

	return names[d];
}

/* ------ dimensions ------ */

/* Everything else that may be multiplied or divided follows from these: product = a x b x factor, in first units. */
static const struct product { enum dimension a, b, product; double factor; } products[] = {
	{ DIM_POWER,                DIM_TIME, DIM_ENERGY,      1.0 / 3600 },    /* W x s: Wh */
	{ DIM_RATE,                 DIM_TIME, DIM_MEMORY,      1.0 / 1048576 }, /* B/s x s: MiB */
	{ DIM_PER_TIME,             DIM_TIME, DIM_NONE,        1 },
	{ DIM_SHARE_PER_TIME,       DIM_TIME, DIM_SHARE,       1 },
	{ DIM_TEMPERATURE_PER_TIME, DIM_TIME, DIM_TEMPERATURE, 1 },
	{ DIM_POWER_PER_TIME,       DIM_TIME, DIM_POWER,       1 },
};
#define N_PRODUCTS (sizeof products / sizeof *products)

static bool gives(enum dimension *out, double *factor, enum dimension dimension, double by)
{
	*out = dimension;
	*factor = by;
	return true;
}

bool dimension_product(enum dimension a, enum dimension b, enum dimension *out, double *factor)
{
	if (a == DIM_BITS || b == DIM_BITS)
		return false;
	if (a == DIM_NONE || b == DIM_NONE)
		return gives(out, factor, a == DIM_NONE ? b : a, 1);
	if (a == DIM_SHARE || b == DIM_SHARE)
		return gives(out, factor, a == DIM_SHARE ? b : a, 0.01);
	for (size_t i = 0; i < N_PRODUCTS; i++) {
		const struct product *const row = &products[i];
		if ((row->a == a && row->b == b) || (row->a == b && row->b == a))
			return gives(out, factor, row->product, row->factor);
	}
	return false;
}

bool dimension_quotient(enum dimension a, enum dimension b, enum dimension *out, double *factor)
{
	if (a == DIM_BITS || b == DIM_BITS)
		return false;
	if (a == b || b == DIM_NONE)
		return gives(out, factor, a == b ? DIM_NONE : a, 1);
	if (b == DIM_SHARE)
		return gives(out, factor, a, 100);
	for (size_t i = 0; i < N_PRODUCTS; i++) {
		const struct product *const row = &products[i];
		if (row->product == a && (row->b == b || row->a == b))
			return gives(out, factor, row->b == b ? row->a : row->b, 1 / row->factor);
	}
	return false;
}

bool dimension_per_time(enum dimension a, enum dimension *out, double *factor)
{
	return a == DIM_TIME ? gives(out, factor, DIM_SHARE, 100) : dimension_quotient(a, DIM_TIME, out, factor);
}

bool dimension_times_time(enum dimension a, enum dimension *out, double *factor)
{
	return dimension_product(a, DIM_TIME, out, factor);
}

/* ------ units ------ */

/* Is `text` one of the words between the '|' of `list`? */
static bool is_among(struct slice text, const char *list)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, "|");
		if (n == text.n && memcmp(p, text.p, n) == 0)
			return true;
		p += n + (p[n] == '|');
	}
	return false;
}

bool unit_find(struct slice text, enum unit *out)
{
	for (int u = 0; u < N_UNITS; u++) {
		if (text.n && (slice_is(text, unit_table[u].symbol) || is_among(text, unit_table[u].also))) {
			*out = (enum unit)u;
			return true;
		}
	}
	return false;
}

enum unit unit_first(enum dimension dimension)
{
	for (int u = 0; u < N_UNITS; u++)
		if (unit_table[u].dimension == dimension)
			return (enum unit)u;
	BUG("a dimension without units");
}

struct quantity quantity_in(struct quantity q, enum unit unit)
{
	if (unit_table[q.unit].dimension != unit_table[unit].dimension)
		BUG("a quantity in a unit of another dimension");
	return (struct quantity){ q.value * unit_table[q.unit].factor / unit_table[unit].factor, unit };
}

const char *duration_text(struct arena *mem, double seconds)
{
	if (!isfinite(seconds))
		return "unknown";
	if (seconds >= 0.0005 && seconds < 0.0995)
		return arena_print(mem, "%d ms", (int)lround(1000 * seconds));
	if (seconds < 9.95)
		return arena_print(mem, "%s s", number_text(mem, seconds, fabs(seconds - round(seconds)) < 0.05 ? 0 : 1));
	int64_t s = (int64_t)llround(seconds);
	if (s < 60)
		return arena_print(mem, "%d s", (int)s);
	if (s < 600)
		return s % 60 ? arena_print(mem, "%d min %02d s", (int)(s / 60), (int)(s % 60))
			      : arena_print(mem, "%d min", (int)(s / 60));
	int64_t minutes = (s + 30) / 60;
	if (minutes < 60)
		return arena_print(mem, "%d min", (int)minutes);
	if (minutes < 24 * 60)
		return arena_print(mem, "%d h %02d min", (int)(minutes / 60), (int)(minutes % 60));
	int64_t hours = (minutes + 30) / 60;
	return hours % 24 ? arena_print(mem, "%lld d %d h", (long long)(hours / 24), (int)(hours % 24))
			  : arena_print(mem, "%lld d", (long long)(hours / 24));
}

/* The first unit of its dimension, as they are listed, that leaves something before the point; else the last. */
static struct quantity in_fitting_unit(struct quantity q)
{
	struct quantity shown = q;

	for (int unit = 0; unit < N_UNITS; unit++) {
		if (unit_table[unit].dimension != unit_table[q.unit].dimension)
			continue;
		shown = quantity_in(q, (enum unit)unit);
		if (fabs(shown.value) >= 0.95)
			return shown;
	}
	return fabs(shown.value) > 0 ? shown : q;
}

bool dimension_has_sizes(enum dimension d)
{
	return d == DIM_MEMORY || d == DIM_ENERGY || d == DIM_RATE || d == DIM_TIME;
}

struct quantity quantity_for_people(struct quantity q)
{
	double base = q.value * unit_table[q.unit].factor;

	switch (unit_table[q.unit].dimension) {
	case DIM_MEMORY:
		return quantity_in(q, fabs(base) < 1023.5 ? UNIT_MIB : UNIT_GIB);
	case DIM_POWER:
		return quantity_in(q, UNIT_WATT);
	case DIM_ENERGY:
		return quantity_in(q, fabs(base) < 999.5 ? UNIT_WATTHOUR : UNIT_KWH);
	case DIM_FREQUENCY:
		return quantity_in(q, UNIT_MHZ);
	case DIM_RATE:
		if (fabs(base) < 1e6)
			return quantity_in(q, UNIT_KIB_S);
		return quantity_in(q, fabs(base) < 1e9 ? UNIT_MIB_S : UNIT_GIB_S);
	case DIM_PER_TIME:
	case DIM_SHARE_PER_TIME:
	case DIM_TEMPERATURE_PER_TIME:
	case DIM_POWER_PER_TIME:
		return in_fitting_unit(q);
	default:
		return q;
	}
}

static int decimals_for(struct quantity q)
{
	double size = fabs(q.value);
	const enum dimension dimension = unit_table[q.unit].dimension;

	if (dimension >= DIM_PER_TIME && dimension <= DIM_POWER_PER_TIME) /* those that in_fitting_unit() shows */
		return size < 9.95 && fabs(size - round(size)) >= 0.05 ? 1 : 0;
	switch (q.unit) {
	case UNIT_PERCENT:
		return size >= 0.05 && size < 0.95 ? 1 : 0;
	case UNIT_GIB:
	case UNIT_GIB_S:
		return 1;
	case UNIT_WATTHOUR:
	case UNIT_KWH:
		return size < 99.5 ? 1 : 0;
	case UNIT_NUMBER:
		return size < 9.95 && fabs(size - round(size)) >= 0.05 ? 1 : 0;
	default:
		return 0;
	}
}

const char *quantity_number(struct arena *mem, struct quantity q)
{
	if (isnan(q.value))
		return "unknown";
	struct quantity shown = quantity_for_people(q);
	return number_text(mem, shown.value, decimals_for(shown));
}

/* The ASCII report takes the degree sign off again; pictures and JSON keep it. */
static const char *with_symbol(struct arena *mem, const char *number, enum unit unit)
{
	const char *symbol = unit == UNIT_CELSIUS ? "\302\260C" : unit_table[unit].symbol;

	return *symbol ? arena_print(mem, "%s %s", number, symbol) : number;
}

const char *quantity_text(struct arena *mem, struct quantity q)
{
	if (isnan(q.value))
		return "unknown";
	if (unit_table[q.unit].dimension == DIM_TIME)
		return duration_text(mem, q.value * unit_table[q.unit].factor);
	struct quantity shown = quantity_for_people(q);
	return with_symbol(mem, quantity_number(mem, q), shown.unit);
}

#define LEAST_SHARE 0.0005 /* less would be rounded to "0 %" */

const char *percent_text(struct arena *mem, double share)
{
	return share > 0 && share < LEAST_SHARE ? "<0.1 %" : quantity_text(mem, (struct quantity){ share * 100, UNIT_PERCENT });
}

/* Decimals that make three significant digits, none of them a zero at the end. */
static int significant_decimals(double value)
{
	int decimals = 2;

	for (double size = fabs(value); size >= 10 && decimals; size /= 10)
		decimals--;
	for (double size = fabs(value); size > 0 && size < 1 && decimals < 6; size *= 10)
		decimals++;
	for (double digits = round(value * pow(10, decimals)); decimals && fmod(digits, 10) == 0; digits /= 10)
		decimals--;
	return decimals;
}

const char *quantity_text_as(struct arena *mem, struct quantity q, int decimals)
{
	if (isnan(q.value))
		return "unknown";
	return with_symbol(mem, number_text(mem, q.value, decimals < 0 ? significant_decimals(q.value) : decimals), q.unit);
}

bool duration_parse(struct slice text, double *seconds)
{
	struct slice rest;
	enum unit unit;
	fixed value;

	if (!fixed_parse(slice_trim(text), &value, &rest) || !unit_find(rest, &unit) || unit_table[unit].dimension != DIM_TIME)
		return false;
	*seconds = fixed_value(value) * unit_table[unit].factor;
	return *seconds > 0;
}
