/* money.c - prices of GPU time, rounded as visual.md 13.6 has it. */
#include "metric/money.h"

#include "base/number.h"

#include <math.h>

int money_decimals(double money)
{
	return money < 999.5 ? 2 : 0;
}

double money_shown(double money)
{
	const double step = pow(10, -money_decimals(money));

	return round(money / step) * step;
}

const char *money_number(struct arena *mem, double money)
{
	if (money > 0 && money < 0.005)
		return "<0.01";
	return number_text(mem, money, money_decimals(money));
}

const char *money_text(struct arena *mem, struct rate rate, double hours)
{
	const char *number = money_number(mem, hours * rate.per_gpu_hour);

	return rate.currency ? arena_print(mem, "%s %s", number, rate.currency) : number;
}

const char *worth_text(struct arena *mem, struct rate rate, double hours)
{
	return arena_print(mem, "%s%s", rate.currency ? "" : "worth ", money_text(mem, rate, hours));
}
