/*
 * truth.h - conditions over time: YES, NO or UNKNOWN, on the log's own clock.
 *
 * A truth line is a sorted list of cuts; each truth holds until the next cut, the last until
 * `end`. Neighbouring cuts differ. Logic follows Kleene's tables.
 */
#ifndef POSTRUN_TRUTH_H
#define POSTRUN_TRUTH_H

#include "series/signal.h"

enum truth { NO, YES, UNKNOWN };
struct cut {
	time_ms at;
	enum truth truth;
};
struct truths {
	const struct cut *at;
	size_t n;
	time_ms end;
};

enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL };

enum truth truth_and(enum truth a, enum truth b);
enum truth truth_or(enum truth a, enum truth b);
enum truth truth_not(enum truth a);

struct truths truths_constant(struct arena *mem, enum truth truth, struct span within);
struct truths truths_from_spans(struct arena *mem, struct spans yes, struct span within);
struct truths truths_compare(struct arena *mem, struct signal a, enum comparison how, struct signal b);
struct truths truths_zip(struct arena *mem, struct truths a, struct truths b, enum truth (*f)(enum truth, enum truth));
struct truths truths_not(struct arena *mem, struct truths a);

/*
 * YES from where `set` is YES until `reset` is YES: hysteresis. UNKNOWN of `set` starts nothing and ends nothing:
 * the line is UNKNOWN where neither can be told, and the latch is afterwards what it was. Where both are YES, `set` wins.
 */
struct truths truths_latched(struct arena *mem, struct truths set, struct truths reset);
/* Joins stretches of YES that are separated by NO no longer than `gap`; UNKNOWN is never bridged. */
struct truths truths_bridged(struct arena *mem, struct truths line, time_ms gap);
/*
 * Stretches of YES shorter than `hold` become NO; they become UNKNOWN if the whole run of YES and UNKNOWN around them
 * reaches it. What was UNKNOWN stays so.
 */
struct truths truths_held(struct arena *mem, struct truths line, time_ms hold);
/* Outside `within` everything is NO. */
struct truths truths_within(struct arena *mem, struct truths line, struct spans within);

struct spans truths_spans(struct arena *mem, struct truths line, enum truth which);
time_ms truths_length(struct truths line, enum truth which, struct spans within);

#endif
