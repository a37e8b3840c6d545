/* limits.c - the bounds that inputs can reach, and what the user makes of them. */
#include "base/limits.h"

#include "base/diag.h"

const struct limit_row limit_table[N_LIMITS] = {
#define LIMIT(id, name, value, unit, least, most, what, then) [LIMIT_##id] = { name, value, LIMIT_IN_##unit, least, most, what, then },
#define FIXED(id, name, value, unit, what, then) [LIMIT_##id] = { name, value, LIMIT_IN_##unit, 0, 0, what, then },
#include "base/limits.def"
#undef LIMIT
#undef FIXED
};

static const struct {
	const char *name;
	uint64_t bytes;
} byte_units[] = { /* the largest first */
	{ "TiB", (uint64_t)1 << 40 },
	{ "GiB", (uint64_t)1 << 30 },
	{ "MiB", (uint64_t)1 << 20 },
	{ "KiB", (uint64_t)1 << 10 },
};
#define N_BYTE_UNITS (sizeof byte_units / sizeof *byte_units)

#define STEP 4 /* how many times as much a message proposes */

struct limits limits_as_ever(void)
{
	struct limits limits;

	for (size_t i = 0; i < N_LIMITS; i++)
		limits.at[i] = limit_table[i].value;
	return limits;
}

uint64_t limit_of(const struct limits *limits, enum limit which)
{
	return limits ? limits->at[which] : limit_table[which].value;
}

static const char *const unit_words[] = { [LIMIT_IN_COUNT] = "", [LIMIT_IN_BYTES] = " bytes", [LIMIT_IN_DAYS] = " days" };

/* In the largest unit in which it is a whole number. */
static const char *value_text(struct arena *mem, enum limit which, uint64_t value, const char *blank)
{
	for (size_t i = 0; i < N_BYTE_UNITS && limit_table[which].unit == LIMIT_IN_BYTES; i++)
		if (value % byte_units[i].bytes == 0)
			return arena_print(mem, "%llu%s%s", (unsigned long long)(value / byte_units[i].bytes), blank, byte_units[i].name);
	return arena_print(mem, "%llu%s", (unsigned long long)value, *blank ? unit_words[limit_table[which].unit] : "");
}

const char *limit_value_text(struct arena *mem, enum limit which, uint64_t value)
{
	return value_text(mem, which, value, " ");
}

const char *limit_text(struct arena *mem, const struct limits *limits, enum limit which)
{
	const struct limit_row *const row = &limit_table[which];
	const uint64_t value = limit_of(limits, which), more = value * STEP < row->most ? value * STEP : row->most;
	const char *const said = arena_print(mem, "%s, the limit '%s'", limit_value_text(mem, which, value), row->name);

	return more <= value ? said : arena_print(mem, "%s (--limit %s=%s allows more)", said, row->name, value_text(mem, which, more, ""));
}

#define MOST_DIGITS 18 /* no sum of so many overflows */

/* "1048576", "1MiB"; a unit only where bytes are counted. */
static bool value_parse(struct slice text, enum limit_unit unit, uint64_t *out)
{
	uint64_t value = 0, factor = 1;
	size_t n = 0;

	for (; n < text.n && is_digit(text.p[n]) && n <= MOST_DIGITS; n++)
		value = value * 10 + (uint64_t)(text.p[n] - '0');
	const struct slice rest = { text.p + n, text.n - n };
	for (size_t i = 0; i < N_BYTE_UNITS && unit == LIMIT_IN_BYTES; i++)
		if (slice_is(rest, byte_units[i].name))
			factor = byte_units[i].bytes;
	*out = value * factor;
	return n && n <= MOST_DIGITS && (!rest.n || factor > 1) && !__builtin_mul_overflow(value, factor, out);
}

bool bytes_parse(struct slice text, uint64_t *out)
{
	return value_parse(text, LIMIT_IN_BYTES, out);
}

/* N_LIMITS: there is none of that name that can be changed. */
static enum limit limit_find(struct slice name)
{
	size_t i = 0;

	while (i < N_LIMITS && !(limit_table[i].most && slice_is(name, limit_table[i].name)))
		i++;
	return (enum limit)i;
}

static const char *no_such_limit(struct arena *mem, struct slice name)
{
	const char *names[N_LIMITS];
	size_t n = 0;

	for (size_t i = 0; i < N_LIMITS; i++) {
		if (!limit_table[i].most && slice_is(name, limit_table[i].name))
			return arena_print(mem, "the limit '%s' is fixed", limit_table[i].name);
		if (limit_table[i].most)
			names[n++] = limit_table[i].name;
	}
	return arena_print(mem, "'%.*s' is no limit; there are %s", SLICE(name), names_listed(mem, names, n));
}

bool limit_set(struct limits *limits, const char *text, struct arena *mem, const char **wrong)
{
	const char *const equals = strchr(text, '=');
	const struct slice name = { text, equals ? (size_t)(equals - text) : strlen(text) };
	const enum limit which = limit_find(name);
	uint64_t value;

	if (which == N_LIMITS) {
		*wrong = no_such_limit(mem, name);
		return false;
	}
	const struct limit_row *const row = &limit_table[which];
	if (equals && value_parse(slice_of(equals + 1), row->unit, &value) && value >= row->least && value <= row->most) {
		limits->at[which] = value;
		return true;
	}
	*wrong = arena_print(mem, "the limit '%s' takes a number from %s to %s, like %s=%s, not '%s'", row->name,
		value_text(mem, which, row->least, ""), value_text(mem, which, row->most, ""), row->name,
		value_text(mem, which, row->value, ""), equals ? equals + 1 : "");
	return false;
}
