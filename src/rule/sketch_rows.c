/*
 * sketch_rows.c - a look at rows, between the first look and windows.
 *
 *     gpu.util >= 99 %             a single pause leaves a block open by both of these, though no row of it is busy at little power:
 *     gpu.power_level < 50 %       its rows say so, and nobody need ask for the windows that look at hundreds of rows around it
 *
 * Rows are looked at where a first look leaves little open. What is looked at are conditions that rows of one log tell together; each
 * of them alone is told by its lowest and highest value already.
 */
#include "rule/sketch_parts.h"

#include "rule/row_terms.h"

/* From this share of what is asked on, windows are looked at straight away: rows cost as much, and mostly leave it as open as it was. */
enum { OPEN_FOR_ROWS = 4 };

static bool joins(const struct term *t)
{
	return t->kind == NODE_AND || t->kind == NODE_OR;
}

static bool may_be_of_rows(const struct term *t)
{
	switch (t->kind) {
	case NODE_AND:
	case NODE_OR:
		return may_be_of_rows(t->left) && may_be_of_rows(t->right);
	case NODE_NOT:
		return may_be_of_rows(t->left);
	case NODE_HAS:
	case NODE_LOGGED:
		return true;
	case NODE_COMPARE:
		return t->left->kind == NODE_METRIC || t->right->kind == NODE_METRIC;
	default:
		return false;
	}
}

bool joins_rows(const struct term *t)
{
	if (t->kind == NODE_NOT)
		return joins_rows(t->left);
	return joins(t) && (may_be_of_rows(t) || joins_rows(t->left) || joins_rows(t->right));
}

bool rows_pay(const struct sketches *k, const struct some_blocks *open)
{
	return OPEN_FOR_ROWS * count_blocks(open) <= k->blocks->n;
}

static struct spans time_of(struct arena *mem, const struct blocks *b, const struct some_blocks *some)
{
	struct span *const at = NEW_RAW_ARRAY(mem, struct span, some->n);

	for (size_t i = 0; i < some->n; i++)
		at[i] = (struct span){ block_span(b, some->at[i].first).begin, block_span(b, some->at[i].end - 1).end };
	return (struct spans){ at, some->n };
}

/* What a line is in the blocks of some time, of which it says nothing before the cut `next`; returns the last one that it is asked for. */
static size_t add_truths(uint8_t *can, const struct blocks *b, struct truths line, struct span time, size_t next)
{
	while (next + 1 < line.n && line.at[next + 1].at <= time.begin)
		next++;
	for (size_t i = next; i < line.n && line.at[i].at < time.end; next = i++) {
		const time_ms begin = later(line.at[i].at, time.begin);
		const time_ms end = i + 1 < line.n ? sooner(line.at[i + 1].at, time.end) : time.end;
		const size_t last = block_at(b, end - 1);
		for (size_t j = block_at(b, begin); j <= last; j++)
			can[j] |= (uint8_t)(1U << line.at[i].truth);
	}
	return next;
}

bool sketch_by_rows(struct sketches *k, const struct term *t, struct sketch *out)
{
	struct row_condition rows;
	struct arena scratch;
	size_t next = 0;

	if (!joins(t) || !may_be_of_rows(t))
		return false;
	arena_init(&scratch);
	const bool is_of = is_of_rows(k->store, &scratch, t, &rows);
	if (is_of) {
		const struct spans time = time_of(&scratch, k->blocks, k->wanted);
		const struct truths line = truths_of_rows(&scratch, &rows, time, k->blocks->all);
		uint8_t *const can = truths_room(k, k->blocks->n);
		for (size_t i = 0; i < time.n; i++) {
			memset(can + k->wanted->at[i].first, 0, k->wanted->at[i].end - k->wanted->at[i].first);
			next = add_truths(can, k->blocks, line, time.at[i], next);
		}
		*out = (struct sketch){ .can = can, .stride = 1, .told = told_of(k) };
	}
	arena_release(&scratch);
	return is_of;
}
