/*
 * open.h - the condition of a rule, looked at only where it is open. For this folder only.
 */
#ifndef POSTRUN_OPEN_H
#define POSTRUN_OPEN_H

#include "rule/sketch.h"

/*
 * The rule's `when` on the store's entity in all judged time, as value_of() would have it, from sketches and from what was looked at where
 * they leave it open; outside of the judged time it is NO, unless the rule has a `clear`. Hosts, cores and the run have no sketches: each
 * part is looked at where those before it leave it open. False of a short run: nobody has looked at anything then.
 */
bool when_by_blocks(struct store *s, const struct planned_rule *r, struct truths *out);
/* The line of a condition in these spans and so far around each of them; NO or what it is elsewhere. In `mem`, or kept by the store. */
struct truths line_around(struct arena *mem, struct store *s, const struct term *t, struct spans spans, time_ms beside);
/* The line of a condition in some judged time, as value_of() would have it, looked at where its sketch leaves it open; elsewhere NO. */
struct truths line_by_sketch(
	struct arena *mem, struct store *s, const struct term *t, const struct sketch *sketch, struct spans time);

/* The same in all of the time, also where sketches of windows, which know of judged time alone, say nothing. */
struct truths line_everywhere(struct arena *mem, struct store *s, const struct term *t, const struct sketch *sketch);

#endif
