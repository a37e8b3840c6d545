/*
 * limits.h - the bounds that inputs can reach: rows of limits.def, and what the user made of those that can be changed.
 *
 * What holds for an input goes down beside it as `const struct limits *`; NULL is as the table has it.
 */
#ifndef POSTRUN_LIMITS_H
#define POSTRUN_LIMITS_H

#include "base/arena.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

enum limit {
#define LIMIT(id, name, value, unit, least, most, what, then) LIMIT_##id,
#define FIXED(id, name, value, unit, what, then) LIMIT_##id,
#include "base/limits.def"
#undef LIMIT
#undef FIXED
	N_LIMITS
};

enum { /* those that nobody can change */
#define LIMIT(id, name, value, unit, least, most, what, then)
#define FIXED(id, name, value, unit, what, then) id = value,
#include "base/limits.def"
#undef LIMIT
#undef FIXED
};

enum limit_unit { LIMIT_IN_COUNT, LIMIT_IN_BYTES, LIMIT_IN_DAYS };

struct limit_row {
	const char *name;
	uint64_t value; /* unless the user says otherwise */
	enum limit_unit unit;
	uint64_t least, most; /* that --limit takes; both 0: it is fixed */
	const char *what, *then;
};
extern const struct limit_row limit_table[N_LIMITS];

struct limits {
	uint64_t at[N_LIMITS];
};

struct limits limits_as_ever(void);
/* `limits` may be NULL. */
uint64_t limit_of(const struct limits *limits, enum limit which);
/* "members=20000", "line=1MiB". False: `wrong` is why, a sentence part with all that could be meant. */
bool limit_set(struct limits *limits, const char *text, struct arena *mem, const char **wrong);
/* "1048576", "1MiB", "4GiB"; false on anything else. */
bool bytes_parse(struct slice text, uint64_t *out);
/* "64 KiB", "10000", "366 days" */
const char *limit_value_text(struct arena *mem, enum limit which, uint64_t value);
/* For messages: "64 KiB, the limit 'line' (--limit line=256KiB allows more)"; without the bracket where no more can be allowed. */
const char *limit_text(struct arena *mem, const struct limits *limits, enum limit which);

#endif
