/*
 * energy_words.c - what the GPUs drew, in as many digits as are known.
 *
 *     2.7 Wh, give or take 0.1 Wh              what the sensors may be off by has one digit
 *     at least 21 Wh and at most 30 Wh         where power is not known for a part of the time; rounded outwards
 */
#include "report/report_parts.h"

#include <math.h>

#define ALL_BUT_CRUMBS 0.99

/* Not in holes, not of a GPU that fell off the bus or whose power is [N/A]. */
static bool power_is_known_throughout(const struct build *b)
{
	return b->energy.known_hours >= ALL_BUT_CRUMBS * b->total_hours;
}

/* Unit and decimals in which energies that belong together are told: those in which `fine` has a digit. */
struct energy_digits {
	enum unit unit;
	double per_wh;
	int decimals;
};

static struct energy_digits digits_for(double wh, double fine)
{
	struct energy_digits d = { UNIT_WATTHOUR, 1, 0 };

	if (wh >= 999.5)
		d = (struct energy_digits){ UNIT_KWH, 0.001, 0 };
	while (d.decimals < 3 && fine * d.per_wh * pow(10, d.decimals) < 0.95)
		d.decimals++;
	return d;
}

static const char *energy_in_digits(struct build *b, struct energy_digits d, double wh)
{
	const double shown = wh * d.per_wh, least = pow(10, -d.decimals);

	if (shown < least / 2)
		return arena_print(b->mem, "less than %s", quantity_text_as(b->mem, (struct quantity){ least, d.unit }, d.decimals));
	return quantity_text_as(b->mem, (struct quantity){ shown, d.unit }, d.decimals);
}

#define LEAST_TOLD_WH 0.1 /* finer than any sensor */

/* "0.3 kWh, give or take 5 Wh" would tell less than is known: both have the digits of what is given or taken. */
static const char *energy_about(struct build *b, double wh, double tolerance)
{
	const struct energy_digits d = digits_for(wh, fmax(tolerance, LEAST_TOLD_WH));

	return arena_print(b->mem, "%s, give or take %s", energy_in_digits(b, d, wh), energy_in_digits(b, d, tolerance));
}

/* `high` NAN: nobody knows how much at most. A hundredth of what is told is fine enough for bounds. */
static struct energy_digits digits_for_bounds(struct range wh)
{
	const double largest = isnan(wh.high) ? wh.low : wh.high;

	return digits_for(largest, fmax(largest / 100, LEAST_TOLD_WH));
}

#define ROUNDING_SLACK 1e-6 /* of a last digit: what sums are off by */

/* Rounded outwards, as any bound. */
static const char *energy_bound(struct build *b, struct range wh, bool is_most)
{
	const struct energy_digits d = digits_for_bounds(wh);
	const double step = pow(10, -d.decimals) / d.per_wh;
	const double n_steps = is_most ? ceil(wh.high / step - ROUNDING_SLACK) : floor(wh.low / step + ROUNDING_SLACK);

	return energy_in_digits(b, d, n_steps * step);
}

static const char *energy_between(struct build *b, struct range wh)
{
	const char *const at_least = arena_print(b->mem, "at least %s", energy_bound(b, wh, false));

	return isnan(wh.high) ? at_least : arena_print(b->mem, "%s and at most %s", at_least, energy_bound(b, wh, true));
}

static struct range energy_range_wh(const struct energy *e)
{
	const struct range kwh = energy_range(e);

	return (struct range){ kwh.low * 1000, kwh.high * 1000 };
}

const char *energy_drawn(struct build *b)
{
	const struct energy *e = &b->energy;
	const char *who = b->run->n_gpus == 1 ? "GPU" : "GPUs";

	if (b->too_short || e->known_hours <= 0)
		return "";
	const struct range range = energy_range_wh(e);
	const double off = fmax(energy_tolerance_wh(e), range.high - e->wh); /* with moments of which no log knows */
	if (power_is_known_throughout(b))
		return arena_print(b->mem, " The %s drew %s.", who, energy_about(b, e->wh, off));
	return arena_print(b->mem, " The %s drew %s: power is not known for %s of the GPU time.", who,
		energy_between(b, range), percent_text(b->mem, 1 - e->known_hours / b->total_hours));
}

const char *energy_figure(struct build *b, const char **caption)
{
	const bool is_whole = power_is_known_throughout(b);

	*caption = is_whole ? "GPU energy" : "GPU energy, at least";
	return is_whole ? quantity_text(b->mem, (struct quantity){ b->energy.wh, UNIT_WATTHOUR })
			: energy_bound(b, energy_range_wh(&b->energy), false);
}
