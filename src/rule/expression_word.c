/*
 * expression_word.c - the words of the rule language, and what people write instead of them.
 *
 * A misspelt word is offered the nearest right one. Words of other languages that are far from ours in letters but
 * mean the same (avg, median, gpu.utilization) are rows below: to add one, add a row.
 */
#include "rule/expression_parts.h"

#include <stdlib.h>

static const char *const set_names[] = {
	[SET_CORES] = "cores", [SET_GPUS] = "gpus", [SET_HOST_GPUS] = "host_gpus", [SET_OTHERS] = "others", [SET_HOSTS] = "hosts",
};
#define N_SETS (sizeof set_names / sizeof *set_names)
static const char *const place_names[] = { [WHERE_INSIDE] = "inside", [WHERE_OUTSIDE] = "outside", [WHERE_RUN] = "run",
	[WHERE_FIRST_THIRD] = "first_third", [WHERE_LAST_THIRD] = "last_third" };
static const char *const about_names[] = { "hole", "logged", "ref" };
/* Units of "3 /h"; as names they would make a division of it. */
static const char *const time_names[] = { "s", "min", "h", "d" };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct slip { enum word_kind kind; const char *given, *meant; } slips[] = {
	{ WORD_NAME, "avg", "mean" },                   { WORD_NAME, "average", "mean" },
	{ WORD_NAME, "median", "p50" },                 { WORD_NAME, "percentile", "p95" },
	{ WORD_NAME, "quantile", "p95" },               { WORD_NAME, "std", "stddev" },
	{ WORD_NAME, "stdev", "stddev" },               { WORD_NAME, "sd", "stddev" },
	{ WORD_NAME, "range", "spread" },               { WORD_NAME, "integral", "total" },
	{ WORD_NAME, "increase", "delta" },             { WORD_NAME, "diff", "delta" },
	{ WORD_NAME, "irate", "rate" },                 { WORD_NAME, "derivative", "slope" },
	{ WORD_NAME, "deriv", "slope" },                { WORD_NAME, "trend", "slope" },
	{ WORD_NAME, "fraction", "share" },             { WORD_NAME, "ratio", "share" },
	{ WORD_NAME, "minimum", "min" },                { WORD_NAME, "maximum", "max" },
	{ WORD_NAME, "peak", "max" },                   { WORD_NAME, "exists", "logged" },
	{ WORD_NAME, "missing", "hole" },               { WORD_NAME, "gap", "hole" },
	{ WORD_NAME, "absent", "hole" },                { WORD_NAME, "gpu.utilization", "gpu.util" },
	{ WORD_NAME, "gpu.utilisation", "gpu.util" },   { WORD_NAME, "gpu.busy", "gpu.util" },
	{ WORD_NAME, "gpu.temperature", "gpu.temp" },   { WORD_NAME, "gpu.memory", "gpu.mem_used" },
	{ WORD_NAME, "gpu.mem", "gpu.mem_used" },       { WORD_NAME, "gpu.memory_used", "gpu.mem_used" },
	{ WORD_NAME, "gpu.memory.used", "gpu.mem_used" }, { WORD_NAME, "gpu.clock", "gpu.clock_sm" },
	{ WORD_NAME, "gpu.sm_clock", "gpu.clock_sm" },  { WORD_NAME, "gpu.power_draw", "gpu.power" },
	{ WORD_NAME, "gpu.power.draw", "gpu.power" },   { WORD_NAME, "cpu", "host.cpu.busy" },
	{ WORD_NAME, "cpu.busy", "host.cpu.busy" },     { WORD_NAME, "cpu.util", "host.cpu.busy" },
	{ WORD_NAME, "host.cpu", "host.cpu.busy" },     { WORD_NAME, "host.cpu.util", "host.cpu.busy" },
	{ WORD_NAME, "host.iowait", "host.cpu.iowait" }, { WORD_NAME, "cpu.core.busy", "core.busy" },
	{ WORD_NAME, "core.util", "core.busy" },        { WORD_NAME, "host.mem", "host.mem_used" },
	{ WORD_UNIT, "pct", "%" },                      { WORD_UNIT, "watt", "W" },
	{ WORD_UNIT, "watts", "W" },                    { WORD_UNIT, "celsius", "C" },
	{ WORD_UNIT, "deg", "C" },                      { WORD_UNIT, "minute", "min" },
	{ WORD_UNIT, "hr", "h" },                       { WORD_UNIT, "hrs", "h" },
	{ WORD_UNIT, "msec", "ms" },                    { WORD_UNIT, "usec", "us" },
	{ WORD_SET, "nodes", "hosts" },                 { WORD_SET, "node", "hosts" },
	{ WORD_SET, "peers", "others" },                { WORD_SET, "cpus", "cores" },
	{ WORD_SET, "cpu", "cores" },                   { WORD_SET, "devices", "gpus" },
	{ WORD_PLACE, "all", "run" },                   { WORD_PLACE, "idle", "idle_head" },
	{ WORD_PLACE, "head", "idle_head" },            { WORD_PLACE, "start", "startup" },
	{ WORD_PLACE, "firing", "inside" },             { WORD_PLACE, "end", "tail" },
	{ WORD_REASON, "gpu_idle", "idle" },            { WORD_REASON, "thermal", "hw_thermal" },
	{ WORD_REASON, "hw_thermal_slowdown", "hw_thermal" }, { WORD_REASON, "sw_thermal_slowdown", "sw_thermal" },
	{ WORD_REASON, "sw_power_cap", "sw_power" },    { WORD_REASON, "power", "sw_power" },
	{ WORD_REASON, "power_cap", "sw_power" },       { WORD_REASON, "hw_power_brake", "hw_brake" },
	{ WORD_REASON, "hw_power_brake_slowdown", "hw_brake" }, { WORD_REASON, "applications_clocks_setting", "app_clocks" },
	{ WORD_OPERATOR, "&", "and" },                  { WORD_OPERATOR, "&&", "and" },
	{ WORD_OPERATOR, "|", "or" },                   { WORD_OPERATOR, "||", "or" },
	{ WORD_OPERATOR, "and", "and" },                { WORD_OPERATOR, "or", "or" },
	{ WORD_OPERATOR, "not", "not" },                { WORD_OPERATOR, "has", "has" },
	{ WORD_OPERATOR, "!", "not" },                  { WORD_OPERATOR, "=", "==" },
	{ WORD_OPERATOR, "=<", "<=" },                  { WORD_OPERATOR, "=>", ">=" },
	{ WORD_OPERATOR, "<>", "!=" },                  { WORD_OPERATOR, "~=", "!=" },
	{ WORD_OPERATOR, "≤", "<=" },                   { WORD_OPERATOR, "≥", ">=" },
	{ WORD_OPERATOR, "≠", "!=" },                   { WORD_OPERATOR, "×", "*" },
	{ WORD_OPERATOR, "÷", "/" },
	{ WORD_OPERATOR, "is", "==" },                  { WORD_OPERATOR, "equals", "==" },
	{ WORD_OPERATOR, "contains", "has" },           { WORD_OPERATOR, "in", "has" },
	{ WORD_NAME, "number", "count" },               { WORD_NAME, "num", "count" },
	{ WORD_OPERATOR, "x", "*" },                    { WORD_OPERATOR, "above", ">" },
	{ WORD_OPERATOR, "below", "<" },                { WORD_OPERATOR, "over", "/" },
};

/* ------ finding ------ */

bool fold_find(struct slice name, enum fold *out)
{
	for (size_t i = 0; i < N_FOLDS; i++)
		if (slice_is(name, fold_table[i].name)) {
			*out = (enum fold)i;
			return true;
		}
	return false;
}

bool set_find(struct slice name, enum member_set *out)
{
	for (size_t i = 0; i < N_SETS; i++)
		if (slice_is(name, set_names[i])) {
			*out = (enum member_set)i;
			return true;
		}
	return false;
}

const char *set_name(enum member_set set)
{
	return set_names[set];
}

/* The phase "idle-head" is written idle_head, since a '-' takes away. */
static bool is_phase(struct slice word, const char *phase)
{
	size_t i = 0;

	while (i < word.n && phase[i] && word.p[i] == (phase[i] == '-' ? '_' : phase[i]))
		i++;
	return i == word.n && !phase[i];
}

bool where_find(struct slice name, unsigned *where)
{
	for (unsigned i = 0; i < COUNT(place_names); i++)
		if (place_names[i] && slice_is(name, place_names[i])) {
			*where = i;
			return true;
		}
	for (unsigned phase = 0; phase < N_PHASES; phase++)
		if (is_phase(name, phase_name((enum phase)phase))) {
			*where = WHERE_PHASE + phase;
			return true;
		}
	return false;
}

bool word_is_reserved(struct slice word)
{
	enum fold fold;
	enum member_set set;
	unsigned where;

	return word_is_operator(word) || slice_is_among(word, about_names, COUNT(about_names)) ||
	       slice_is_among(word, time_names, COUNT(time_names)) || fold_find(word, &fold) || set_find(word, &set) ||
	       where_find(word, &where);
}

/* ------ lists ------ */

struct word_list {
	const char **at;
	size_t n;
};

static void add(struct word_list *list, const char *word)
{
	list->at[list->n++] = word;
}

static void add_all(struct word_list *list, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i])
			add(list, words[i]);
}

static void add_functions(struct word_list *list)
{
	for (size_t i = 0; i < N_FOLDS; i++)
		add(list, fold_table[i].name);
	add_all(list, about_names, COUNT(about_names));
}

static void add_places(struct arena *mem, struct word_list *list)
{
	add(list, place_names[WHERE_RUN]);
	for (size_t i = 0; i < N_PHASES; i++) {
		char *const word = arena_text(mem, phase_name((enum phase)i), strlen(phase_name((enum phase)i)));
		for (char *c = word; *c; c++)
			*c = *c == '-' ? '_' : *c;
		add(list, word);
	}
	add(list, place_names[WHERE_FIRST_THIRD]);
	add(list, place_names[WHERE_LAST_THIRD]);
	add(list, place_names[WHERE_INSIDE]);
	add(list, place_names[WHERE_OUTSIDE]);
}

static void add_names(struct arena *mem, struct word_list *list, const struct expression_context *context)
{
	for (size_t i = 0; i < context->n_params; i++)
		add(list, arena_text(mem, context->params[i].name.p, context->params[i].name.n));
	for (size_t i = 0; i < context->n_lets; i++)
		add(list, arena_text(mem, context->lets[i].name.p, context->lets[i].name.n));
	for (size_t i = 0; i < N_METRICS; i++)
		add(list, metric_table[i].name);
	add_functions(list);
}

static struct word_list words_of(struct arena *mem, const struct expression_context *context, enum word_kind kind)
{
	const struct expression_context none = { 0 }, *const own = context ? context : &none;
	const size_t n_own = own->n_params + own->n_lets;
	struct word_list list = { NEW_ARRAY(mem, const char *, n_own + N_METRICS + N_FOLDS + N_UNITS + n_throttle_reasons + 16), 0 };

	switch (kind) {
	case WORD_NAME:
		add_names(mem, &list, own);
		break;
	case WORD_UNIT:
		for (size_t i = 0; i < N_UNITS; i++)
			add(&list, unit_table[i].symbol);
		break;
	case WORD_SET:
		add_all(&list, set_names, N_SETS);
		break;
	case WORD_PLACE:
		add_places(mem, &list);
		break;
	case WORD_REASON:
		for (size_t i = 0; i < n_throttle_reasons; i++)
			add(&list, throttle_reasons[i].name);
		break;
	case WORD_OPERATOR:
		break;
	}
	return list;
}

const char *words_known(struct arena *mem, enum word_kind kind)
{
	const struct word_list list = words_of(mem, NULL, kind);

	return names_listed(mem, list.at, list.n);
}

const char *functions_known(struct arena *mem)
{
	struct word_list list = { NEW_ARRAY(mem, const char *, N_FOLDS + COUNT(about_names)), 0 };

	add_functions(&list);
	return names_listed(mem, list.at, list.n);
}

/* ------ what was meant ------ */

static const char *slip_meant(enum word_kind kind, struct slice given)
{
	for (size_t i = 0; i < COUNT(slips); i++)
		if (slips[i].kind == kind && slice_is_nocase(given, slips[i].given))
			return slips[i].meant;
	return NULL;
}

/* "p97": the fold whose percent is nearest; of two equally far the lower. */
static const char *percentile_meant(struct slice given)
{
	int64_t percent;
	size_t nearest = 0;

	if (given.n < 2 || given.n > 4 || given.p[0] != 'p' || !integer_parse((struct slice){ given.p + 1, given.n - 1 }, &percent))
		return NULL;
	for (size_t i = 0; i < N_FOLDS; i++) {
		const int64_t here = fold_percent((enum fold)i), best = fold_percent((enum fold)nearest);
		if (here > 0 && (best == 0 || llabs(here - percent) < llabs(best - percent)))
			nearest = i;
	}
	return fold_table[nearest].name;
}

static const char *same_but_for_case(const struct word_list *list, struct slice given)
{
	for (size_t i = 0; i < list->n; i++)
		if (slice_is_nocase(given, list->at[i]))
			return list->at[i];
	return NULL;
}

const char *word_meant(struct arena *mem, const struct expression_context *context, enum word_kind kind, struct slice given)
{
	const struct word_list list = words_of(mem, context, kind);
	const char *meant = slip_meant(kind, given);

	if (!meant && kind == WORD_NAME)
		meant = percentile_meant(given);
	if (!meant)
		meant = same_but_for_case(&list, given);
	return meant ? meant : nearest_name(given, list.at, list.n);
}
