/* rate.c - reads --rate: a price above 0, and behind it the currency in one word, kept as it is written. */
#include "cmd/rate.h"

#include "base/number.h"

#include <stdio.h>

#define LONGEST_CURRENCY ((size_t)12) /* "credits" fits, a sentence does not */
#define HIGHEST_PRICE 1000000         /* of a GPU-hour: the column of the ledger is ten wide */
#define PRICE_DECIMALS 6              /* all that a price has: fixed_parse() */

/* A word that is no number, that the ASCII report can show, and that stands between quotes as it is: "EUR", "US$". */
static bool is_currency(struct slice word)
{
	bool good = word.n <= LONGEST_CURRENCY;

	if (slice_is(word, "\u20AC") || slice_is(word, "\u00A3"))
		return true;
	for (size_t i = 0; i < word.n; i++)
		good &= word.p[i] > ' ' && word.p[i] < 0x7F && !strchr(".,0123456789+-\"\\", word.p[i]);
	return good;
}

bool rate_parse(struct arena *mem, const char *text, struct rate *out)
{
	struct slice rest;
	fixed price;

	if (!fixed_parse(slice_trim(slice_of(text)), &price, &rest) || price <= 0 || fixed_value(price) > HIGHEST_PRICE)
		return false;
	const struct slice word = slice_trim(rest);
	*out = (struct rate){ fixed_value(price), word.n ? arena_text(mem, word.p, word.n) : NULL };
	return is_currency(word);
}

const char *rate_text(struct arena *mem, struct rate rate)
{
	char price[64];

	if (!(rate.per_gpu_hour > 0))
		return NULL;
	number_print(price, sizeof price, rate.per_gpu_hour, PRICE_DECIMALS);
	return arena_print(mem, "%s%s%s", price, rate.currency ? " " : "", rate.currency ? rate.currency : "");
}

bool read_rate(const struct options *o, struct report_options *out)
{
	const char *const text = option_value(o, "rate");

	if (!text || rate_parse(o->mem, text, &out->rate))
		return true;
	fprintf(stderr, "postrun: '%s' is no price of a GPU-hour for --rate; write it like 2.50 or '2.50 EUR', at most %d\n", text,
		HIGHEST_PRICE);
	return false;
}
