/* rate.c - reads --rate: a price above 0, and behind it the currency in one word, kept as it is written. */
#include "cmd/rate.h"

#include "base/number.h"

#include <stdio.h>

#define LONGEST_CURRENCY ((size_t)12) /* "credits" fits, a sentence does not */
#define HIGHEST_PRICE 1000000.0       /* of a GPU-hour: the column of the ledger is ten wide */

/* A word that is no number, and that the ASCII report can show: "EUR", "US$". */
static bool is_currency(struct slice word)
{
	bool good = word.n <= LONGEST_CURRENCY;

	if (slice_is(word, "\u20AC") || slice_is(word, "\u00A3"))
		return true;
	for (size_t i = 0; i < word.n; i++)
		good &= word.p[i] > ' ' && word.p[i] < 0x7F && !strchr(".,0123456789+-", word.p[i]);
	return good;
}

bool read_rate(const struct options *o, struct report_options *out)
{
	const char *text = option_value(o, "rate");
	struct slice rest;
	fixed price;

	if (!text)
		return true;
	const bool is_number = fixed_parse(slice_trim(slice_of(text)), &price, &rest);
	const struct slice word = is_number ? slice_trim(rest) : (struct slice){ "", 0 };
	if (!is_number || price <= 0 || fixed_value(price) > HIGHEST_PRICE || !is_currency(word)) {
		fprintf(stderr, "postrun: '%s' is no price of a GPU-hour for --rate; write it like 2.50 or '2.50 EUR'\n", text);
		return false;
	}
	out->rate = (struct rate){ fixed_value(price), word.n ? arena_text(o->mem, word.p, word.n) : NULL };
	return true;
}
