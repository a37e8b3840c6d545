/*
 * rate.h - what a GPU-hour costs: --rate "2.50 EUR".
 */
#ifndef POSTRUN_RATE_H
#define POSTRUN_RATE_H

#include "cmd/options.h"
#include "report/report.h"

/* A row for the table of a command. */
#define RATE_OPTION \
	{ "rate", 0, "PRICE", NULL, "what a GPU-hour costs, like '2.50 EUR': the report then tells in money, too" }

/* False, with one line on standard error, when it is no price. */
bool read_rate(const struct options *o, struct report_options *out);
/* The same of a text: "2.50 EUR", as --rate has it. The currency lives in `mem`. */
bool rate_parse(struct arena *mem, const char *text, struct rate *out);
/* "2.500000 EUR", from which rate_parse() makes the same, and which stands between quotes as it is; NULL where there is none. */
const char *rate_text(struct arena *mem, struct rate rate);

#endif
