/*
 * quantity.h - a number never travels without its unit.
 *
 * Units, their dimensions and the factors between them are the rows of unit.def.
 */
#ifndef POSTRUN_QUANTITY_H
#define POSTRUN_QUANTITY_H

#include "base/arena.h"
#include "base/slice.h"

enum dimension {
	DIM_NONE, /* a plain number, a count */
	DIM_SHARE,
	DIM_TIME,
	DIM_TEMPERATURE,
	DIM_POWER,
	DIM_ENERGY,
	DIM_MEMORY,
	DIM_RATE,
	DIM_FREQUENCY,
	DIM_BITS,
	DIM_PER_TIME,         /* of a plain number, as errors an hour */
	DIM_SHARE_PER_TIME,
	DIM_TEMPERATURE_PER_TIME,
	DIM_POWER_PER_TIME,
	N_DIMENSIONS
};

enum unit {
#define UNIT(id, symbol, also, dimension, factor) UNIT_##id,
#include "base/unit.def"
#undef UNIT
	N_UNITS
};

struct quantity {
	double value; /* NAN: not known */
	enum unit unit;
};

struct unit_row {
	const char *id;
	const char *symbol; /* as printed */
	const char *also;   /* other spellings, '|' between */
	enum dimension dimension;
	double factor; /* one of this unit, in the first unit of its dimension */
};
extern const struct unit_row unit_table[N_UNITS];
const char *dimension_name(enum dimension d);
/*
 * What a x b is, and by what the product of two values in the first units of their dimensions must be multiplied to be in the
 * first unit of the result: a power times a time is an energy, and W x s / 3600 are Wh. A plain number times x is an x, and so is
 * a share of x. False: the product means nothing.
 */
bool dimension_product(enum dimension a, enum dimension b, enum dimension *out, double *factor);
/* The same of a / b; two of one dimension give a plain number. */
bool dimension_quotient(enum dimension a, enum dimension b, enum dimension *out, double *factor);
/*
 * How fast a value changes: what its change in a second must be multiplied by. As a / time, but a time in each time is a share:
 * a counter of microseconds that grows by 300000 in a second tells of 30 %.
 */
bool dimension_per_time(enum dimension a, enum dimension *out, double *factor);
/* A value summed up over seconds. As a x time, but a plain number leaves a time: that of a condition is for how long it holds. */
bool dimension_times_time(enum dimension a, enum dimension *out, double *factor);

/* By symbol or other spelling, case matters ("MiB", "%", "W", "min"). False: no such unit. */
bool unit_find(struct slice text, enum unit *out);
/* The first unit of a dimension: the one that rules calculate in. */
enum unit unit_first(enum dimension dimension);
/* The value in another unit of the same dimension; a bug when the dimensions differ. */
struct quantity quantity_in(struct quantity q, enum unit unit);

/*
 * For people (visual.md 13.6): "97 %", "0.4 %", "1390 MHz", "62.4 GiB", "693 W", "7.6 kWh",
 * "16 min", "6 min 45 s", "3 h 07 min". MiB print as GiB from 1 GiB on. NAN prints "unknown".
 */
const char *quantity_text(struct arena *mem, struct quantity q);
/* "78 %", "<0.1 %" of a share 0 to 1: what is not 0 is not told as 0. */
const char *percent_text(struct arena *mem, double share);
/* In the unit of its dimension that people use for this size: what quantity_text chooses. */
struct quantity quantity_for_people(struct quantity q);
/* Does that unit depend on the size? Then a number without its unit says nothing. */
bool dimension_has_sizes(enum dimension d);
/* In the unit it has: with so many decimals; with up to three significant digits when `decimals` is below 0. */
const char *quantity_text_as(struct arena *mem, struct quantity q, int decimals);
/* The number alone, in the unit quantity_text would choose. */
const char *quantity_number(struct arena *mem, struct quantity q);
/* "8 ms" (under a tenth of a second), "45 s", "6 min 45 s" (under 10 min), "16 min", "3 h 07 min", "2 d 5 h" */
const char *duration_text(struct arena *mem, double seconds);
/* "1s", "500 ms", "2 min" to seconds. False when it is no duration above 0. */
bool duration_parse(struct slice text, double *seconds);

#endif
