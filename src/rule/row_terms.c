/*
 * row_terms.c - which conditions are of rows alone.
 *
 *     util >= 90 % and (throttle has sw_power or logged(throttled.sw_power) and rate(…) >= 50 %) and not power_share < 90 %
 *     a row            a row                     NO: the rest of it is not asked                         a row
 *
 * What is so for all time, as `logged(x)` is, is no question of rows: NO in an `and` settles it, and YES leaves the rest.
 */
#include "rule/row_terms.h"

#include "rule/value_parts.h"

/* What a part comes to. */
enum found { FOUND_NONE, FOUND_NO, FOUND_YES, FOUND_ROWS };

struct finding {
	struct store *store;
	struct arena *mem;
	const struct track *clock; /* of the first part found; NULL: none yet */
};

static enum found compared_rows(
	struct finding *f, const struct term *metric, enum comparison how, double threshold, struct row_condition *out)
{
	const struct track *const t = track_of(f->store, metric->metric);
	const double factor = unit_factor(metric->metric);

	if (!t || t->step <= 0 || isnan(threshold) || factor <= 0)
		return FOUND_NONE;
	const struct track *const seen = track_seen(f->store, t);
	if (f->clock && !tracks_share_clock(f->clock, seen))
		return FOUND_NONE;
	f->clock = seen;
	*out = (struct row_condition){ .kind = ROWS_COMPARED, .track = seen, .factor = factor, .threshold = threshold, .how = how };
	return FOUND_ROWS;
}

/* A number for all time, of which nobody needs to compute more than one for the run. */
static bool is_steady_number(const struct term *t)
{
	return !t->varies && !t->has_costly_fold && !t->looks_around && !t->is_condition;
}

static enum found comparison_rows(struct finding *f, const struct term *t, struct row_condition *out)
{
	const bool is_turned = t->right->kind == NODE_METRIC && is_steady_number(t->left);
	const struct term *const metric = is_turned ? t->right : t->left, *const number = is_turned ? t->left : t->right;

	if (metric->kind != NODE_METRIC || !is_steady_number(number))
		return FOUND_NONE;
	const struct value limit = value_of(f->store, number, NULL);
	if (limit.is_bounded || limit.number.n != 1)
		return FOUND_NONE;
	return compared_rows(
		f, metric, is_turned ? comparison_mirrored(t->comparison) : t->comparison, limit.number.at[0].value, out);
}

static enum found rows_found(struct finding *f, const struct term *t, struct row_condition *out);

static enum found joined_rows(struct finding *f, const struct term *t, struct row_condition *out)
{
	const enum found settled = t->kind == NODE_AND ? FOUND_NO : FOUND_YES;
	struct row_condition *const sides = NEW_ARRAY(f->mem, struct row_condition, 2);

	const enum found left = rows_found(f, t->left, &sides[0]);
	if (left == settled)
		return left;
	const enum found right = rows_found(f, t->right, &sides[1]);
	if (right == settled || left == FOUND_NONE || right == FOUND_NONE)
		return right == settled ? right : FOUND_NONE;
	if (left != FOUND_ROWS) {
		*out = sides[1];
		return right;
	}
	if (right == FOUND_ROWS)
		*out = (struct row_condition){ .kind = t->kind == NODE_AND ? ROWS_AND : ROWS_OR, .left = &sides[0], .right = &sides[1] };
	else
		*out = sides[0];
	return left;
}

static enum found turned_rows(struct finding *f, const struct term *t, struct row_condition *out)
{
	struct row_condition *const of = NEW(f->mem, struct row_condition);

	switch (rows_found(f, t->left, of)) {
	case FOUND_NO:
		return FOUND_YES;
	case FOUND_YES:
		return FOUND_NO;
	case FOUND_ROWS:
		*out = (struct row_condition){ .kind = ROWS_NOT, .left = of };
		return FOUND_ROWS;
	case FOUND_NONE:
		return FOUND_NONE;
	}
	BUG("no such find");
}

static enum found rows_found(struct finding *f, const struct term *t, struct row_condition *out)
{
	switch (t->kind) {
	case NODE_AND:
	case NODE_OR:
		return joined_rows(f, t, out);
	case NODE_NOT:
		return turned_rows(f, t, out);
	case NODE_HAS:
		return compared_rows(f, t, GREATER, 0, out);
	case NODE_LOGGED:
		return vantage_track(&f->store->vantage, t->metric) ? FOUND_YES : FOUND_NO;
	case NODE_COMPARE:
		return comparison_rows(f, t, out);
	default:
		return FOUND_NONE;
	}
}

bool is_of_rows(struct store *s, struct arena *mem, const struct term *t, struct row_condition *out)
{
	struct finding f = { .store = s, .mem = mem };

	return rows_found(&f, t, out) == FOUND_ROWS;
}

static const struct track *track_in(const struct row_condition *rows)
{
	return rows->kind == ROWS_COMPARED ? rows->track : track_in(rows->left);
}

bool rows_share_clock(const struct row_condition *a, const struct row_condition *b)
{
	return tracks_share_clock(track_in(a), track_in(b));
}
