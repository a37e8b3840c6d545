/* money.h - what GPU time costs, and how it is told. */
#ifndef POSTRUN_MONEY_H
#define POSTRUN_MONEY_H

#include "base/arena.h"

/* What a GPU-hour costs, as the user says it: --rate. Without it nothing is told of money: 0, and NULL. */
struct rate {
	double per_gpu_hour;
	const char *currency; /* "EUR", or NULL: only a number was given */
};

/* "31.20 EUR", below a hundredth "<0.01 EUR"; the number alone where the rate names no currency. Only with a rate. */
const char *money_text(struct arena *mem, struct rate rate, double hours);
/* "31.20 EUR", "worth 31.20" */
const char *worth_text(struct arena *mem, struct rate rate, double hours);
/* The number alone. */
const char *money_number(struct arena *mem, double money);
/* As printed: whole from 1000 on, else in hundredths, which are 2 decimals. */
double money_shown(double money);
int money_decimals(double money);

#endif
