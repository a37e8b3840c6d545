/*
 * open.c - conditions, looked at only where nothing else decides them.
 *
 *     util >= 99 %        YYYYYYYYYYYY--YYYYYYYYYYYYYYYY      its line: cheap
 *     power < 50 %        NO NO NO ?? NO NO NO NO ?? NO       its sketch: two blocks are open
 *     share(…, 15 min)             [--------]                 asked last, there alone, and as far around as its windows reach
 *
 * Of an `and` each part is asked where those before it leave it open, the cheapest first; of an `or` likewise. A part by itself
 * is decided by its sketch block by block; what is left is computed in a narrow store, or for all time where that is not much more:
 * then other rules have it for nothing. Folds of more than a metric, like a median of what was drawn while nobody else was slowed, take
 * all of the time: where they are a part of several, they are asked only when the others leave anything open, and are not computed where
 * what they lie in decides.
 */
#include "rule/open.h"

#include "rule/row_terms.h"
#include "rule/value_parts.h"

/* From this share of the time on all of it is looked at; of what is asked of all other GPUs from less on: each asks for another time. */
#define MOST_OPEN 0.4
#define MOST_OPEN_OF_OTHERS 0.1
#define MOST_OPEN_OF_MOMENTS 0.02 /* of samples alone: to compare all of them costs little, and others may ask for the same */

struct asking {
	struct store *store;
	struct arena *mem; /* of what is asked now; what it took to get there has an arena of its own */
	struct sketches *sketches; /* NULL of hosts, cores and the run: each part is looked at wherever those before it leave it open */
};

/* The blocks that a sketch leaves open of those that some time touches, neighbours as one; with `out` NULL they are only counted. */
static size_t list_open(const struct sketch *s, const struct blocks *b, struct span within, struct span *out)
{
	const size_t first = block_at(b, within.begin), end = block_at(b, within.end - 1) + 1;
	bool was_open = false;
	size_t n = 0;

	for (size_t i = first, behind; i < end; i = behind) {
		const bool is_open = !is_decided(sketch_can(s, i));
		behind = sketch_same_until(s, i, end);
		n += is_open && !was_open;
		if (out && is_open)
			out[n - 1] = (struct span){ was_open ? out[n - 1].begin : block_span(b, i).begin, block_span(b, behind - 1).end };
		was_open = is_open;
	}
	return n;
}

static struct spans open_blocks(struct arena *mem, const struct sketch *s, const struct blocks *b, struct span within)
{
	const size_t n = list_open(s, b, within, NULL);
	struct span *const at = NEW_RAW_ARRAY(mem, struct span, n);

	list_open(s, b, within, at);
	return (struct spans){ at, n };
}

/* ------ what a part costs ------ */

static time_ms cost_of(const struct asking *a, const struct term *t)
{
	if (t->asks_numbers_of_others || t->has_costly_fold) /* computed for all time: last, but for what is one truth for all of it */
		return t->varies ? INT64_MAX : INT64_MAX - 1;
	return t->looks_around ? 1 + reach_of_windows(a->store, t) : 0;
}

/* The parts of `and` of `and` of …, or of `or`, the cheapest first. */
struct part {
	const struct term *term;
	time_ms cost;
};
struct parts {
	struct part *at;
	size_t n;
};

static size_t count_parts(const struct term *t, enum node_kind kind)
{
	return t->kind == kind ? count_parts(t->left, kind) + count_parts(t->right, kind) : 1;
}

static void list_parts(const struct asking *a, struct parts *parts, const struct term *t, enum node_kind kind)
{
	if (t->kind == kind) {
		list_parts(a, parts, t->left, kind);
		list_parts(a, parts, t->right, kind);
		return;
	}
	const time_ms cost = cost_of(a, t);
	size_t i = parts->n++;
	for (; i > 0 && parts->at[i - 1].cost > cost; i--)
		parts->at[i] = parts->at[i - 1];
	parts->at[i] = (struct part){ t, cost };
}

static struct parts parts_of(const struct asking *a, const struct term *t)
{
	struct parts parts = { NEW_ARRAY(a->mem, struct part, count_parts(t, t->kind)), 0 };

	list_parts(a, &parts, t, t->kind);
	return parts;
}

/* ------ the line of a part, where it is asked: NO elsewhere ------ */

static struct truths asked(const struct asking *a, const struct term *t, struct spans open);

/*
 * The blocks in which a line is anything but this truth, as far as they were asked for: what is computed beside that makes no difference
 * to an `and` or `or`, and stretches of single samples would be many.
 */
static struct spans blocks_but(const struct asking *a, struct truths line, enum truth truth, struct spans asked)
{
	const struct blocks *const b = &a->store->plan->blocks;
	struct span *const at = NEW_RAW_ARRAY(a->mem, struct span, b->n);
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (line.at[i].truth == truth)
			continue;
		const time_ms end = i + 1 < line.n ? line.at[i + 1].at : line.end;
		const struct span touched = { block_span(b, block_at(b, line.at[i].at)).begin, block_span(b, block_at(b, end - 1)).end };
		if (n && touched.begin <= at[n - 1].end)
			at[n - 1].end = touched.end;
		else
			at[n++] = touched;
	}
	return spans_intersection(a->mem, (struct spans){ at, n }, asked);
}

/* The parts that are of rows of one clock, as one; they are parts no more. NULL: there are none. */
static const struct row_condition *take_rows(const struct asking *a, struct parts *parts, enum node_kind join)
{
	const enum rows_kind kind = join == NODE_AND ? ROWS_AND : ROWS_OR;
	const struct row_condition *all = NULL;
	size_t n_left = 0;

	for (size_t i = 0; i < parts->n; i++) {
		struct row_condition *const own = NEW(a->mem, struct row_condition), *const both = NEW(a->mem, struct row_condition);
		const bool is_taken = parts->at[i].cost == 0 && is_of_rows(a->store, a->mem, parts->at[i].term, own)
			&& (!all || rows_share_clock(all, own));
		*both = (struct row_condition){ .kind = kind, .left = all, .right = own };
		if (is_taken)
			all = all ? both : own;
		else
			parts->at[n_left++] = parts->at[i];
	}
	parts->n = n_left;
	return all;
}

/*
 * Part by part, until it is `settled` everywhere: NO of an `and`, YES of an `or`. Of what is kept on the way there are two lines at a time:
 * a flag that comes and goes has a cut for every other sample.
 */
static struct truths joined_asked(
	const struct asking *a, const struct term *t, struct spans open, enum truth settled, enum truth (*join)(enum truth, enum truth))
{
	struct parts parts = parts_of(a, t);
	const struct row_condition *const rows = take_rows(a, &parts, t->kind);
	struct arena before;

	arena_init(&before);
	struct truths line = rows ? truths_of_rows(&before, rows, open, all_time(a->store))
				  : asked(&(struct asking){ a->store, &before, a->sketches }, parts.at[0].term, open);
	for (size_t i = rows ? 0 : 1; i < parts.n; i++) {
		struct arena now;
		arena_init(&now);
		const struct asking next = { a->store, &now, a->sketches };
		const struct spans left = blocks_but(&next, line, settled, open);
		if (left.n) {
			const struct truths joined = truths_zip(&now, line, asked(&next, parts.at[i].term, left), join);
			arena_release(&before);
			line = truths_moved(&before, &now, joined);
		}
		arena_release(&now);
	}
	line = truths_moved(a->mem, &before, line);
	arena_release(&before);
	return line;
}

static double most_open(const struct term *t)
{
	return !t->looks_around ? MOST_OPEN_OF_MOMENTS : t->asks_numbers_of_others ? MOST_OPEN_OF_OTHERS : MOST_OPEN;
}

/* GPUs and cores are judged side by side: what is the same for all of them is kept for all of them, and only one at a time finds it. */
static struct store *store_to_narrow(const struct asking *a, const struct term *t)
{
	const bool is_alone = a->store->vantage.scope == SCOPE_RUN || a->store->vantage.scope == SCOPE_HOST;

	return is_alone ? store_at(a->store, t->level) : a->store;
}

/* Where a term is to be looked at: the store itself where that is most of the time; else `narrow`, which is opened and to be released. */
static struct store *store_around(const struct asking *a, struct arena *mem, const struct term *t, struct spans open, struct store *narrow)
{
	const struct span all = all_time(a->store);
	const time_ms reach = reach_of_windows(a->store, t);
	struct spans *const around = NEW(mem, struct spans);

	*around = spans_widened(mem, open, reach, reach, all);
	if (is_computed(a->store, t) || (double)spans_length(*around) > most_open(t) * (double)span_length(all))
		return a->store;
	store_open_narrow(narrow, store_to_narrow(a, t), around);
	return narrow;
}

static struct truths computed(const struct asking *a, const struct term *t, struct spans open)
{
	struct store narrow;
	struct store *const s = store_around(a, a->mem, t, open, &narrow);
	struct value v;

	if (s == a->store && t->looks_around && line_by_slices(a->mem, s, t, open, &v))
		return v.line;
	const struct truths line = truths_within(a->mem, value_of(s, t, NULL).line, open);
	if (s == &narrow)
		store_release(&narrow);
	return line;
}

static struct truths looked_at(const struct asking *a, const struct term *t, struct spans open)
{
	switch (t->kind) {
	case NODE_AND:
		return joined_asked(a, t, open, NO, truth_and);
	case NODE_OR:
		return joined_asked(a, t, open, YES, truth_or);
	case NODE_NOT:
		return truths_within(a->mem, truths_not(a->mem, asked(a, t->left, open)), open);
	default:
		return computed(a, t, open);
	}
}

static struct truths by_sketch(const struct asking *a, const struct term *t, const struct sketch *sketch, struct spans open)
{
	const struct blocks *const b = &a->store->plan->blocks;
	struct arena scratch;

	arena_init(&scratch);
	const struct asking inside = { a->store, &scratch, a->sketches };
	const struct span hull = open.n ? spans_hull(open) : b->all;
	const struct spans left = spans_intersection(&scratch, open_blocks(&scratch, sketch, b, hull), open);
	const struct truths decided = truths_within(&scratch, sketch_line(&scratch, sketch, b, hull), open);
	struct truths line = left.n ? looked_at(&inside, t, left) : decided;
	if (left.n && decided.n > 1)
		line = truths_zip(&scratch, decided, line, truth_or);
	line = truths_moved(a->mem, &scratch, line);
	arena_release(&scratch);
	return line;
}

static struct truths compared(struct arena *mem, struct signal number, enum comparison how, double limit, struct spans open)
{
	const struct signal limits = signal_constant(mem, limit, (struct span){ number.at[0].begin, number.end });

	return truths_within(mem, truths_compare(mem, number, how, limits), open);
}

/* Compared with a costly fold that lies between two numbers: is it the same with both of them, wherever it is asked? */
static bool told_by_bounds(const struct asking *a, const struct term *t, struct spans open, struct truths *out)
{
	struct arena scratch;
	struct store narrow;
	struct extent r;

	if (t->kind != NODE_COMPARE || t->comparison == EQUAL || t->comparison == NOT_EQUAL || t->left->has_costly_fold)
		return false;
	if (!bounds_of_costly(a->sketches, t->right, &r))
		return false;
	arena_init(&scratch);
	struct store *const s = store_around(a, &scratch, t->left, open, &narrow);
	const struct value v = value_of(s, t->left, NULL);
	bool is_told = false;
	if (v.number.n && !v.is_bounded) {
		const struct truths line = compared(&scratch, v.number, t->comparison, r.low, open);
		is_told = truths_are_same(line, compared(&scratch, v.number, t->comparison, r.high, open));
		*out = truths_kept(a->mem, line);
	}
	if (s == &narrow)
		store_release(&narrow);
	arena_release(&scratch);
	return is_told;
}

/* Of so few blocks a sketch would take longer than a look at each moment. */
#define FEW_BLOCKS 8

static bool is_little(const struct store *s, const struct term *t, struct spans open)
{
	return !t->asks_numbers_of_others && spans_length(open) <= FEW_BLOCKS * s->plan->blocks.width;
}

static struct truths asked(const struct asking *a, const struct term *t, struct spans open)
{
	struct row_condition rows;
	struct truths line;

	if (line_told(a->store, a->mem, t, &line))
		return truths_within(a->mem, line, open);
	if (is_of_rows(a->store, a->mem, t, &rows))
		return truths_of_rows(a->mem, &rows, open, all_time(a->store));
	if (!a->sketches || (!t->has_costly_fold && is_little(a->store, t, open)))
		return looked_at(a, t, open);
	if (t->kind == NODE_AND || t->kind == NODE_OR || t->kind == NODE_NOT)
		return by_sketch(a, t, cheap_sketch_within(a->sketches, t, open), open);
	if (t->has_costly_fold && told_by_bounds(a, t, open, &line))
		return line;
	return by_sketch(a, t, sketch_within(a->sketches, t, open), open);
}

/* ------ of rules ------ */

/* The first window over time in it; NULL: there is none. All that a condition has are of one rule, and know of one judged time. */
static const struct term *first_window(const struct term *t)
{
	if (!t || t->kind == NODE_FOLD)
		return NULL;
	if (t->kind == NODE_ROLLING && t->width)
		return t;
	const struct term *const left = first_window(t->left);
	return left ? left : first_window(t->right);
}

/* Sketches of windows tell of judged time alone. */
static bool has_windows(const struct term *t)
{
	return first_window(t) != NULL;
}

/*
 * What came before the judged time can be latched, of which sketches of windows say nothing: then the parts without windows alone say where
 * it is open.
 */
bool when_by_blocks(struct store *s, const struct planned_rule *r, struct truths *out)
{
	const struct spans time = r->clear ? spans_one(&s->plan->blocks.all) : r->time->spans;
	struct arena scratch;

	if (!s->outlines)
		return false;
	arena_init(&scratch);
	struct asking a = { s, &s->passing, NULL };
	if (has_sketches(s))
		a.sketches = r->clear && has_windows(r->when) ? sketches_without_windows(&scratch, s) : sketches_new(&scratch, s);
	*out = asked(&a, r->when, time);
	arena_release(&scratch);
	return true;
}

struct truths line_around(struct arena *mem, struct store *s, const struct term *t, struct spans spans, time_ms beside)
{
	struct arena scratch;

	if (!has_sketches(s) || has_windows(t))
		return value_of(s, t, NULL).line;
	arena_init(&scratch);
	const struct spans time = spans_widened(&scratch, spans, beside, beside, s->plan->run->span);
	const struct asking a = { s, mem, sketches_new(&scratch, s) };
	const struct truths line = asked(&a, t, time);
	arena_release(&scratch);
	return line;
}

struct truths line_by_sketch(
	struct arena *mem, struct store *s, const struct term *t, const struct sketch *sketch, struct spans time)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct asking a = { s, mem, sketches_new(&scratch, s) };
	const struct truths line = by_sketch(&a, t, sketch, time);
	arena_release(&scratch);
	return line;
}

/* What sketches tell of. */
static struct spans time_sketched(const struct plan *p, const struct term *t)
{
	const struct term *const window = first_window(t);

	return window ? p->times[window->time].spans : spans_one(&p->blocks.all);
}

struct truths line_everywhere(struct arena *mem, struct store *s, const struct term *t, const struct sketch *sketch)
{
	const struct span all = s->plan->blocks.all;
	struct arena scratch;

	arena_init(&scratch);
	const struct asking a = { s, &scratch, sketches_new(&scratch, s) };
	const struct spans told = time_sketched(s->plan, t), rest = spans_without(&scratch, spans_one(&all), told);
	struct truths line = by_sketch(&a, t, sketch, told);
	if (rest.n)
		line = truths_zip(&scratch, line, computed(&a, t, rest), truth_or);
	line = truths_kept(mem, line);
	arena_release(&scratch);
	return line;
}
