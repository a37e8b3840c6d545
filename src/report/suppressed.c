/*
 * suppressed.c - what somebody knows already, and does not want to be told again until a day.
 *
 *     --suppress gpu-hot@4-7 --until 2026-12-24 --because "the fan of node07 is on order, ticket 4711"
 *
 * A finding of a suppressed rule is made like any other: it takes its symptoms along and its seconds, or the same loss
 * would come back under the next name. But it has no number, counts nowhere, and stands in a list of its own: what
 * is kept back in silence is forgotten.
 *
 * The day is compared with the day on which the run began, not with today: the same logs and options give the same
 * report on any day.
 */
#include "report/report_parts.h"

#include "base/number.h"

/* ------------------------------------------------ where */

/* "3" or "0-3" */
static bool range_read(struct slice text, int64_t *low, int64_t *high)
{
	struct slice first;

	slice_part(&text, '-', &first);
	if (!integer_parse(first, low) || (text.p && !integer_parse(text, high)))
		return false;
	*high = text.p ? *high : *low;
	return *low <= *high;
}

/* "3-1" is a slip, and no host. */
static bool is_like_range(struct slice text)
{
	size_t n = 0;

	while (n < text.n && strchr("0123456789-", text.p[n]))
		n++;
	return n == text.n;
}

struct place_part { /* one of those between commas */
	struct slice host; /* n == 0: any */
	bool has_gpus;
	int64_t low, high;
};

/* "0-3", "node01/0-3", "node01" */
static bool place_part_read(struct slice text, struct place_part *out)
{
	struct slice host, gpus = text;

	*out = (struct place_part){ .has_gpus = true };
	if (range_read(text, &out->low, &out->high))
		return true;
	slice_part(&gpus, '/', &host);
	out->host = host;
	out->has_gpus = gpus.p != NULL;
	return out->has_gpus ? host.n && range_read(gpus, &out->low, &out->high) : !is_like_range(host);
}

bool suppression_is_place(const char *on)
{
	struct slice rest = slice_of(on), text;
	struct place_part part;
	bool good = true;

	while (slice_part(&rest, ',', &text))
		good &= place_part_read(text, &part);
	return good && slice_is_utf8(slice_of(on));
}

static bool part_covers(const struct place_part *part, const struct entity *e)
{
	if (part->host.n && !slice_is(part->host, e->host))
		return false;
	return !part->has_gpus || (e->scope == SCOPE_GPU && e->index >= part->low && e->index <= part->high);
}

/* What fired for the run as a whole is on no GPU in particular. */
static bool covers(const char *on, const struct entity *e)
{
	struct slice rest = slice_of(on ? on : ""), text;
	struct place_part part;

	if (!on)
		return true;
	while (e && slice_part(&rest, ',', &text))
		if (place_part_read(text, &part) && part_covers(&part, e))
			return true;
	return false;
}

struct report_suppression *suppression_of(const struct build *b, const struct verdict *v)
{
	for (size_t i = 0; i < b->report->n_suppressed; i++) {
		struct report_suppression *s = &b->report->suppressed[i];
		if (s->applied && strcmp(s->rule, v->rule->id) == 0 && covers(s->on, v->entity))
			return s;
	}
	return NULL;
}

/* ------------------------------------------------ what is said of it */

void build_suppressions(struct build *b)
{
	const struct report_options *o = b->options;
	struct report_suppression *list = NEW_ARRAY(b->mem, struct report_suppression, o->n_suppressions);

	for (size_t i = 0; i < o->n_suppressions; i++) {
		const struct suppression *s = &o->suppressions[i];
		list[i] = (struct report_suppression){
			.rule = s->rule,
			.on = s->on,
			.until = time_date(b->mem, s->until),
			.because = s->because,
			.applied = b->run->span.begin < s->until + DAY_MS,
		};
	}
	b->report->suppressed = list;
	b->report->n_suppressed = o->n_suppressions;
}

/* "gpu-hot", "gpu-hot on GPUs 0-3,5", "gpu-hot on node01/0-3": the place as it was written, so that it is found in the command again. */
static const char *name_of(struct arena *mem, const struct report_suppression *s)
{
	const char *kind = "";

	if (!s->on)
		return s->rule;
	if (!s->on[strspn(s->on, "0123456789,-")]) /* no host in it */
		kind = strpbrk(s->on, ",-") ? "GPUs " : "GPU ";
	return arena_print(mem, "%s on %s%s", s->rule, kind, s->on);
}

/* A list of a site's suppressions names places of other runs as well; so does a slip. */
static bool is_place_of_run(const struct run *run, const char *on)
{
	bool found = false;

	for (size_t i = 0; i < run->n_gpus; i++)
		found |= covers(on, run->gpus[i]);
	for (size_t i = 0; i < run->n_hosts; i++)
		found |= covers(on, run->hosts[i]);
	return found;
}

static const char *lack_of_findings(const struct build *b, const struct report_suppression *s)
{
	if (s->n_findings)
		return "";
	return is_place_of_run(b->run, s->on) ? " and has no finding of its own here" : ", but no GPU or host of this run is called so";
}

static const char *sentence_of(struct build *b, const struct report_suppression *s, time_ms until)
{
	const char *name = name_of(b->mem, s), *day = day_text(b->mem, until), *because = with_stop(b->mem, s->because);

	if (!s->applied)
		return arena_print(b->mem,
			"The suppression of %s ended on %s, before this run, so its findings count again. Its reason was: %s", name, day,
			because);
	return arena_print(b->mem, "%s is suppressed until %s%s: %s", name, day, lack_of_findings(b, s), because);
}

static void list_findings(struct build *b, struct report_suppression *s)
{
	struct finding *findings = NEW_ARRAY(b->mem, struct finding, b->n_drafts);

	for (size_t i = 0; i < b->n_drafts; i++)
		if (b->drafts[i].suppressed == s && !b->drafts[i].cause)
			findings[s->n_findings++] = finding_of(b, &b->drafts[i]);
	s->findings = findings;
}

void build_suppressed(struct build *b)
{
	for (size_t i = 0; i < b->report->n_suppressed; i++) {
		struct report_suppression *s = &b->report->suppressed[i];
		list_findings(b, s);
		s->sentence = sentence_of(b, s, b->options->suppressions[i].until);
		b->n_suppressed += s->n_findings;
	}
}
