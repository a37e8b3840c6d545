/*
 * rows_enough.c - are rows of a log close enough for what a rule asks, and are there enough of them in a stretch?
 *
 *     for: 30 s       x         x         x         x      rows 10 s apart show that
 *                     x                             x      these don't, though none of them shows anything else
 */
#include "rule/judge.h"

/* A metric whose rows are further apart than what is asked of it: `for`, or the window of time that is looked at as one. */
struct coarse {
	const struct track *track; /* NULL: enough rows are close enough */
	time_ms asked;
};

/* In too much of its time. */
static bool is_coarse(const struct track *t, time_ms asked, const struct rule *rule)
{
	return track_share_of_steps(t, asked) < (t->steps ? rule->min_coverage : 1);
}

static void find_coarse(struct coarse *found, const struct store *s, const struct rule *rule, const struct term *t, time_ms asked)
{
	if (!t || t->kind == NODE_FOLD || t->kind == NODE_ACROSS) /* one number for all the time; members of sets have their own rows */
		return;
	if (t->kind == NODE_METRIC && metric_table[t->metric].kind == KIND_GAUGE) {
		const struct track *const track = vantage_track(&s->vantage, t->metric);
		if (track && is_coarse(track, asked, rule) &&
			(!found->track || track_coarsest_step(track) > track_coarsest_step(found->track)))
			*found = (struct coarse){ track, asked };
	}
	if (t->kind == NODE_ROLLING && t->width > asked)
		asked = t->width;
	find_coarse(found, s, rule, t->left, asked);
	find_coarse(found, s, rule, t->right, asked);
}

/*
 * How long a stretch of rows must be to show more than a moment. A row tells of a moment: what two of them show may have lasted for hardly
 * more than one step, and a short pause is met by one row or by two as chance wants it, so that it takes three. Heat moves slowly, there
 * two do. A row holds for about a step: three of them are more than two and a half.
 */
static time_ms least_of_rows(const struct track *t, struct span stretch)
{
	const time_ms step = track_step_in(t, stretch);

	return metric_table[t->metric].unit == UNIT_CELSIUS ? step * 3 / 2 : step * 5 / 2;
}

time_ms least_of_all_rows(const struct store *s, const struct term *t, struct span stretch)
{
	if (!t || t->kind == NODE_FOLD || t->kind == NODE_ACROSS)
		return 0;
	const bool is_gauge = t->kind == NODE_METRIC && metric_table[t->metric].kind == KIND_GAUGE;
	const struct track *const track = is_gauge ? vantage_track(&s->vantage, t->metric) : NULL;
	const time_ms own = track ? least_of_rows(track, stretch) : 0;
	const time_ms left = least_of_all_rows(s, t->left, stretch), right = least_of_all_rows(s, t->right, stretch);
	const time_ms below = left > right ? left : right;

	return own > below ? own : below;
}

bool needs_rhythm(const struct planned_rule *r)
{
	return r->rule->hold && !r->is_whole && !r->rule->by_driver_flag && !r->rule->about_holes;
}

/* Rows further apart than `for` can't show that a condition did not hold for so long. */
static struct coarse coarse_of(const struct store *s, const struct planned_rule *r)
{
	struct coarse found = { NULL, 0 };

	if (needs_rhythm(r))
		find_coarse(&found, s, r->rule, r->when, r->rule->hold);
	return found;
}

/* Does nothing in it hang on rows that are too far apart? */
static bool is_fine(const struct store *s, const struct term *t, const struct rule *rule)
{
	struct coarse found = { NULL, 0 };

	find_coarse(&found, s, rule, t, rule->hold);
	return !found.track;
}

/* Does the rest of the condition say for itself that it can't have held for long enough? */
static bool is_decided_without(struct store *s, const struct planned_rule *r)
{
	const struct truths line = truths_within(&s->passing, trusted_part(s, r->when, r->rule, is_fine), r->time->spans);
	const struct truths bridged = truths_bridged(&s->passing, truths_possible(&s->passing, line), r->rule->merge_gap, r->rule->max_gap);

	return truths_spans(&s->passing, truths_held(&s->passing, bridged, r->rule->hold), YES).n == 0;
}

static const char *told_coarse(struct store *s, const struct coarse *c)
{
	const double share = 100 * (1 - track_share_of_steps(c->track, c->asked));
	const char *const part = !c->track->steps ? "" : arena_print(&s->passing, " for %s of the time",
		quantity_text(&s->passing, (struct quantity){ share, UNIT_PERCENT }));

	return arena_print(s->results, "too coarse: %s has a row every %s%s, the rule looks at stretches of %s",
		metric_table[c->track->metric].name, length_text(s, track_coarsest_step(c->track)), part, length_text(s, c->asked));
}

const char *coarse_reason(struct store *s, const struct planned_rule *r)
{
	const struct coarse coarse = coarse_of(s, r);

	return coarse.track && !is_decided_without(s, r) ? told_coarse(s, &coarse) : NULL;
}

time_ms least_of_finest_rows(const struct store *s, const struct term *t, struct span stretch)
{
	if (t->kind != NODE_AND)
		return least_of_all_rows(s, t, stretch);
	const time_ms left = least_of_finest_rows(s, t->left, stretch), right = least_of_finest_rows(s, t->right, stretch);

	return !left || (right && right < left) ? right : left;
}

/*
 * Do enough rows show this part of an `and` in and around a stretch? Rows a minute apart tell of five minutes without work, and rows of a
 * second that a core was full for ten seconds of them.
 */
static bool part_is_shown(struct store *s, const struct planned_rule *r, const struct term *t, struct span stretch)
{
	if (t->kind == NODE_AND)
		return part_is_shown(s, r, t->left, stretch) && part_is_shown(s, r, t->right, stretch);
	const time_ms least = least_of_all_rows(s, t, stretch);
	if (span_length(stretch) > least)
		return true;
	const struct truths line = truths_within(&s->passing, value_of(s, t, NULL).line, r->time->spans);
	const struct spans yes = truths_spans(&s->passing, truths_bridged(&s->passing, line, r->rule->merge_gap, r->rule->max_gap), YES);
	for (size_t i = 0; i < yes.n; i++) {
		const struct span with = { yes.at[i].begin < stretch.begin ? yes.at[i].begin : stretch.begin,
			yes.at[i].end > stretch.end ? yes.at[i].end : stretch.end };
		if (yes.at[i].begin < stretch.end && stretch.begin < yes.at[i].end && span_length(with) > least)
			return true;
	}
	return false;
}

struct spans shown_by_rows(struct store *s, const struct planned_rule *r, struct spans held)
{
	const struct term *const moments = r->begins ? r->begins : r->when;
	struct span *const kept = NEW_ARRAY(&s->passing, struct span, held.n);
	size_t n = 0;

	for (size_t i = 0; i < held.n; i++)
		if (span_length(held.at[i]) > least_of_finest_rows(s, moments, held.at[i]) && part_is_shown(s, r, moments, held.at[i]))
			kept[n++] = held.at[i];
	return (struct spans){ kept, n };
}
