/*
 * suppress.c - reads --suppress, --until and --because, which belong together by standing together.
 *
 *     --suppress gpu-hot --until 2026-12-24 --because "the fan is on order" --suppress gpu-low-use@4-7 --until …
 *
 * A suppression without an end is a rule that is switched off (--disable), and one without a reason can't be judged by
 * the next reader: both must be there, for each anew.
 */
#include "cmd/suppress.h"

#include "base/diag.h"

#include <stdio.h>

static bool is_option(const struct options *o, size_t at, const char *name)
{
	return at < o->n_given && strcmp(o->given[at].option->name, name) == 0;
}

static bool day_read(struct arena *mem, const char *text, time_ms *day)
{
	return stamp_parse(slice_of(arena_print(mem, "%s 00:00:00", text)), day) && *day % DAY_MS == 0;
}

/* "gpu-hot@0-3" is a rule and a place. */
static bool split(struct arena *mem, const char *value, struct suppression *out)
{
	const char *at = strchr(value, '@');

	out->rule = at ? arena_text(mem, value, (size_t)(at - value)) : value;
	out->on = at ? at + 1 : NULL;
	if (!at || suppression_is_place(out->on))
		return true;
	fprintf(stderr, "postrun: '%s' in --suppress names no GPUs; write %s@0-3,5 or %s@node01/0\n", out->on, out->rule, out->rule);
	return false;
}

static bool is_reason(const char *text)
{
	return slice_trim(slice_of(text)).n && slice_is_utf8(slice_of(text));
}

/* The three that begin at `at`. */
static bool read_one(const struct options *o, size_t at, struct suppression *out)
{
	const char *value = o->given[at].value;

	if (!is_option(o, at + 1, "until") || !is_option(o, at + 2, "because")) {
		fprintf(stderr, "postrun: '--suppress %s' needs --until DAY and --because TEXT right behind it\n", value);
		return false;
	}
	const char *until = o->given[at + 1].value;
	out->because = o->given[at + 2].value;
	if (!day_read(o->mem, until, &out->until)) {
		fprintf(stderr, "postrun: '%s' is no day for --until; write it like 2026-11-21\n", until);
		return false;
	}
	if (!is_reason(out->because)) {
		fprintf(stderr, "postrun: '--suppress %s' needs a reason: --because TEXT is empty or no UTF-8\n", value);
		return false;
	}
	return split(o->mem, value, out);
}

bool is_end_of_suppression(const struct options *o, size_t at)
{
	return is_option(o, at, "until") && at && is_option(o, at - 1, "suppress");
}

static bool is_stray(const struct options *o, enum until until, size_t at)
{
	if (!(is_option(o, at, "until") && until == UNTIL_IS_OF_SUPPRESSIONS) && !is_option(o, at, "because"))
		return false;
	fprintf(stderr, "postrun: '--%s %s' belongs to no --suppress; write --suppress RULE --until DAY --because TEXT\n",
		o->given[at].option->name, o->given[at].value);
	return true;
}

static bool is_new(const struct suppression *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *const there = list[i].on ? list[i].on : "", *const here = list[n].on ? list[n].on : "";
		if (strcmp(list[i].rule, list[n].rule) != 0 || strcmp(there, here) != 0)
			continue;
		fprintf(stderr, "postrun: '%s%s%s' is suppressed twice\n", list[n].rule, *here ? "@" : "", here);
		return false;
	}
	return true;
}

bool read_suppressions(const struct options *o, enum until until, struct report_options *out)
{
	struct suppression *list = NEW_ARRAY(o->mem, struct suppression, option_count(o, "suppress"));
	size_t n = 0;

	for (size_t i = 0; i < o->n_given; i++) {
		if (is_stray(o, until, i))
			return false;
		if (!is_option(o, i, "suppress"))
			continue;
		if (!read_one(o, i, &list[n]) || !is_new(list, n))
			return false;
		n++;
		i += 2;
	}
	out->suppressions = list;
	out->n_suppressions = n;
	return true;
}

static bool is_rule(const struct rules *rules, const char *id)
{
	return rules_find(rules, id) || texts_have(rules->disabled, id);
}

static void complain_of_unknown(const struct rules *rules, const char *id)
{
	struct arena scratch;

	arena_init(&scratch);
	const char *nearest = rules_nearest(&scratch, rules, id);
	fprintf(stderr, "postrun: unknown rule '%s' in --suppress%s\n", id,
		nearest ? did_you_mean(&scratch, nearest) : "; 'postrun rules list' lists them");
	arena_release(&scratch);
}

bool suppressions_fit(const struct report_options *report, const struct rules *rules)
{
	for (size_t i = 0; i < report->n_suppressions; i++) {
		if (is_rule(rules, report->suppressions[i].rule))
			continue;
		complain_of_unknown(rules, report->suppressions[i].rule);
		return false;
	}
	return true;
}
