/* ticks.h - where axes have marks, and what is written at them. */
#ifndef POSTRUN_TICKS_H
#define POSTRUN_TICKS_H

#include "series/span.h"

#define MAX_TICKS 24

struct time_ticks {
	time_ms step;
	time_ms at[MAX_TICKS];
	size_t n;
};
/* Wall clock: whole multiples of the step from midnight; steps of a week or more start on Mondays. At least 50 u apart. */
struct time_ticks ticks_clock(struct span span, double width);
/* Since the beginning, which is 0; at least 62 u apart. */
struct time_ticks ticks_elapsed(struct span span, double width);

/* "09:12:30", "09:15", "14 May", by the step. */
const char *clock_label(struct arena *mem, time_ms t, time_ms step);
/* "Tue 14 May 2024", later "Wed 15 May" */
const char *date_label(struct arena *mem, time_ms t, bool with_year);
/* "0", "30 s", "1:30", "15 min", "1 h 15", "12 h", "1 d 12 h", "4 d" */
const char *elapsed_label(struct arena *mem, time_ms since, time_ms step);
bool is_midnight(time_ms t);

struct value_ticks {
	double step, at[MAX_TICKS];
	size_t n;
	int decimals; /* of the labels */
};
/* 1-2-5 steps, at least 12 u apart on an axis of this height. */
struct value_ticks ticks_value(double low, double high, double height);
/* 0 25 50 75 100 where there is room, else 0 50 100. */
struct value_ticks ticks_percent(double height);

#endif
