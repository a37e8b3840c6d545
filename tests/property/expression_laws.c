/*
 * expression_laws.c - random conditions against a plain reading of them: each is calculated for random values of three GPUs.
 *
 * Values and thresholds are few and round, so that bounds are met exactly.
 */
#include "base/buf.h"
#include "property/laws.h"
#include "rule/expression.h"

#include <math.h>

#define N_MEMBERS 3
#define TEXT_MAX 3000

/* ------ random texts ------ */

static void random_condition(struct random *r, struct buf *out, int depth, bool in_set);
static void random_number(struct random *r, struct buf *out, int depth, bool in_set);

static const char *one_of(struct random *r, const char *const *words, size_t n)
{
	return words[random_below(r, (int)n)];
}
#define ONE_OF(r, words) one_of(r, words, sizeof words / sizeof *words)

static void random_across(struct random *r, struct buf *out, int depth)
{
	static const char *const of_numbers[] = { "mean", "min", "max", "spread", "stddev", "sum", "p50" };
	const bool counts = random_one_in(r, 3);

	buf_print(out, "%s of gpus(", counts ? "share" : ONE_OF(r, of_numbers));
	if (counts)
		random_condition(r, out, depth - 1, true);
	else
		random_number(r, out, depth - 1, true);
	buf_text(out, ")");
}

static void random_joined(struct random *r, struct buf *out, int depth, bool in_set)
{
	static const char *const operators[] = { "+", "-" };

	buf_text(out, "(");
	random_number(r, out, depth - 1, in_set);
	buf_print(out, " %s ", ONE_OF(r, operators));
	random_number(r, out, depth - 1, in_set);
	buf_text(out, ")");
}

static void random_part(struct random *r, struct buf *out, int depth, bool in_set)
{
	static const char *const heads[] = { "2 * ", "-2 * ", "50 % * ", "-", "0 * " };

	buf_text(out, ONE_OF(r, heads));
	random_number(r, out, depth - 1, in_set);
}

/* A share. */
static void random_number(struct random *r, struct buf *out, int depth, bool in_set)
{
	static const char *const leaves[] = { "gpu.util", "gpu.mem_util", "host.cpu.busy", "0 %", "20 %", "50 %", "80 %", "100 %", "200 %" };
	const int what = depth > 0 ? random_below(r, 8) : 0;

	if (what == 1)
		random_joined(r, out, depth, in_set);
	else if (what == 2)
		random_part(r, out, depth, in_set);
	else if (what == 3 && !in_set)
		random_across(r, out, depth);
	else
		buf_text(out, ONE_OF(r, leaves));
}

static void random_compared(struct random *r, struct buf *out, int depth, bool in_set)
{
	static const char *const comparisons[] = { "<", "<=", ">", ">=", "==", "!=" };
	static const char *const divided[] = { " / (gpu.util + 20 %) ", " / gpu.mem_util ", " / (gpu.util - 50 %) " };

	random_number(r, out, depth - 1, in_set);
	if (random_one_in(r, 6)) {
		buf_print(out, "%s%s 0.5", ONE_OF(r, divided), ONE_OF(r, comparisons));
		return;
	}
	buf_print(out, " %s ", ONE_OF(r, comparisons));
	random_number(r, out, depth - 2, in_set);
}

static void random_chain(struct random *r, struct buf *out, int depth, bool in_set)
{
	static const char *const operators[] = { "and", "or" };

	buf_text(out, "(");
	random_condition(r, out, depth - 1, in_set);
	buf_print(out, " %s ", ONE_OF(r, operators));
	random_condition(r, out, depth - 1, in_set);
	buf_text(out, ")");
}

static void random_condition(struct random *r, struct buf *out, int depth, bool in_set)
{
	const int what = depth > 0 ? random_below(r, 6) : 0;

	if (what == 1 || what == 2) {
		random_chain(r, out, depth, in_set);
	} else if (what == 3) {
		buf_text(out, "not (");
		random_condition(r, out, depth - 1, in_set);
		buf_text(out, ")");
	} else if (what == 4 && !in_set) {
		buf_text(out, random_one_in(r, 2) ? "any of gpus(" : "all of gpus(");
		random_condition(r, out, depth - 1, true);
		buf_text(out, ")");
	} else {
		random_compared(r, out, depth, in_set);
	}
}

/* ------ a plain reading ------ */

struct world {
	double util[N_MEMBERS], mem_util[N_MEMBERS], cpu;
	int gpu; /* which one is asked */
};

static double number_in(struct world *w, const struct expression *e);

static enum truth compared(double a, enum comparison how, double b)
{
	if (isnan(a) || isnan(b))
		return UNKNOWN;
	switch (how) {
	case LESS:
		return a < b ? YES : NO;
	case LESS_EQUAL:
		return a <= b ? YES : NO;
	case GREATER:
		return a > b ? YES : NO;
	case GREATER_EQUAL:
		return a >= b ? YES : NO;
	case EQUAL:
		return a >= b && a <= b ? YES : NO;
	case NOT_EQUAL:
		return a >= b && a <= b ? NO : YES;
	}
	return UNKNOWN;
}

static enum truth truth_in(struct world *w, const struct expression *e);

static enum truth across_truth(struct world *w, const struct expression *e)
{
	const int asked = w->gpu;
	enum truth all = e->fold == FOLD_ANY ? NO : YES;

	for (w->gpu = 0; w->gpu < N_MEMBERS; w->gpu++)
		all = e->fold == FOLD_ANY ? truth_or(all, truth_in(w, e->left)) : truth_and(all, truth_in(w, e->left));
	w->gpu = asked;
	return all;
}

static enum truth truth_in(struct world *w, const struct expression *e)
{
	switch (e->kind) {
	case NODE_COMPARE:
		return compared(number_in(w, e->left), e->comparison, number_in(w, e->right));
	case NODE_AND:
		return truth_and(truth_in(w, e->left), truth_in(w, e->right));
	case NODE_OR:
		return truth_or(truth_in(w, e->left), truth_in(w, e->right));
	case NODE_NOT:
		return truth_not(truth_in(w, e->left));
	default:
		return across_truth(w, e);
	}
}

/* Of a condition: 1, 0 or NAN. */
static double value_in(struct world *w, const struct expression *e)
{
	if (!e->is_condition)
		return number_in(w, e);
	const enum truth truth = truth_in(w, e);
	return truth == UNKNOWN ? (double)NAN : truth == YES ? 1 : 0;
}

static double middle(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static double across_number(struct world *w, const struct expression *e)
{
	const int asked = w->gpu;
	double v[N_MEMBERS];

	for (w->gpu = 0; w->gpu < N_MEMBERS; w->gpu++)
		v[w->gpu] = value_in(w, e->left);
	w->gpu = asked;
	const double sum = v[0] + v[1] + v[2], low = fmin(fmin(v[0], v[1]), v[2]), high = fmax(fmax(v[0], v[1]), v[2]);
	if (isnan(sum))
		return NAN;
	switch (e->fold) {
	case FOLD_MEAN:
		return low < high ? sum / N_MEMBERS : low;
	case FOLD_MIN:
		return low;
	case FOLD_MAX:
		return high;
	case FOLD_SPREAD:
		return high - low;
	case FOLD_STDDEV:
		return low < high ? sqrt(fmax(0, (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 3 - sum * sum / 9)) : 0;
	case FOLD_SUM:
		return sum;
	case FOLD_SHARE:
		return 100 * sum / N_MEMBERS;
	default:
		return middle(v[0], v[1], v[2]);
	}
}

static double number_in(struct world *w, const struct expression *e)
{
	switch (e->kind) {
	case NODE_NUMBER:
		return e->number;
	case NODE_METRIC:
		return e->metric == METRIC_GPU_UTIL ? w->util[w->gpu] : e->metric == METRIC_GPU_MEM_UTIL ? w->mem_util[w->gpu] : w->cpu;
	case NODE_NEGATE:
		return -number_in(w, e->left);
	case NODE_ADD:
		return number_in(w, e->left) + number_in(w, e->right);
	case NODE_SUBTRACT:
		return number_in(w, e->left) - number_in(w, e->right);
	case NODE_MULTIPLY:
		return number_in(w, e->left) * number_in(w, e->right) * e->factor;
	case NODE_DIVIDE:
		return fabs(number_in(w, e->right)) > 0 ? number_in(w, e->left) / number_in(w, e->right) * e->factor : (double)NAN;
	default:
		return across_number(w, e);
	}
}

static double random_value(struct random *r)
{
	static const double values[] = { 0, 20, 50, 80, 100 };

	return values[random_below(r, 5)];
}

static struct world random_world(struct random *r)
{
	struct world w = { .cpu = random_value(r) };

	for (int i = 0; i < N_MEMBERS; i++) {
		w.util[i] = random_value(r);
		w.mem_util[i] = random_value(r);
	}
	return w;
}

/* ------ laws ------ */

static const struct expression *compiled(struct arena *mem, struct slice text)
{
	const struct yaml_node node = { .kind = YAML_SCALAR, .text = text, .place = { "a.yaml", 1, 1 }, .width = 1, .plain_line = true };
	const struct expression_context context = { .scope_known = true, .scope = SCOPE_GPU, .want = WANT_CONDITION };
	struct diags diags;

	diags_init(&diags, mem);
	const struct expression *const e = expression_compile(mem, &node, text, &context, &diags);
	diags_release(&diags);
	return e;
}

static struct slice random_text(struct random *r, struct arena *mem)
{
	struct buf out;

	buf_init(&out, TEXT_MAX);
	random_condition(r, &out, 1 + random_below(r, 4), false);
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

struct told {
	const struct expression *part[64];
	enum truth always[64];
	size_t n;
};

static void remember(void *context, const struct expression *part, enum truth always)
{
	struct told *const told = context;

	told->part[told->n] = part;
	told->always[told->n] = always;
	told->n = told->n < 63 ? told->n + 1 : told->n;
}

/* For any GPU, since a part of a set is asked of each. */
static bool is_refuted(struct world *w, const struct expression *part, enum truth always)
{
	bool refuted = false;

	for (int gpu = 0; gpu < N_MEMBERS; gpu++) {
		w->gpu = gpu;
		const enum truth truth = truth_in(w, part);
		refuted = refuted || (truth != UNKNOWN && truth != always);
	}
	w->gpu = 0;
	return refuted;
}

static bool nothing_refutes_what_never_changes(struct random *r, struct arena *mem)
{
	const struct expression *const e = compiled(mem, random_text(r, mem));
	struct told told = { .n = 0 };

	if (!e)
		return false;
	const enum truth always = expression_always(e, remember, &told);
	if (always != UNKNOWN && (told.n != 1 || told.part[0] != e || told.always[0] != always))
		return false;
	for (int i = 0; i < 20; i++) {
		struct world w = random_world(r);
		for (size_t t = 0; t < told.n; t++)
			if (is_refuted(&w, told.part[t], told.always[t]))
				return false;
	}
	return true;
}

static enum truth always_of(const struct expression *e)
{
	struct told told = { .n = 0 };

	return expression_always(e, remember, &told);
}

static bool order_and_negation_change_nothing(struct random *r, struct arena *mem)
{
	const struct slice a = random_text(r, mem), b = random_text(r, mem);
	const char *const ab = arena_print(mem, "(%.*s) and (%.*s)", SLICE(a), SLICE(b));
	const char *const ba = arena_print(mem, "(%.*s) and (%.*s)", SLICE(b), SLICE(a));
	const char *const not = arena_print(mem, "not (%s)", ab);
	const char *const either = arena_print(mem, "not (%.*s) or not (%.*s)", SLICE(a), SLICE(b));
	const enum truth always = always_of(compiled(mem, slice_of(ab)));

	return always == always_of(compiled(mem, slice_of(ba))) && truth_not(always) == always_of(compiled(mem, slice_of(not))) &&
	       truth_not(always) == always_of(compiled(mem, slice_of(either)));
}

static bool a_tree_is_told_by_its_text(struct random *r, struct arena *mem)
{
	const struct expression *const e = compiled(mem, random_text(r, mem));
	const struct expression *const again = compiled(mem, e->text);
	const struct expression *const grouped = compiled(mem, slice_of(arena_print(mem, "(%.*s)", SLICE(e->text))));

	return expression_same(e, again) && expression_same(e, grouped) && expression_same_shape(e, again);
}

static bool other_numbers_keep_the_shape(struct random *r, struct arena *mem)
{
	const struct slice text = random_text(r, mem);
	char *const other = arena_text(mem, text.p, text.n);
	bool changed = false;

	for (char *c = other; *c; c++)
		if (*c == '8') { /* of no name */
			*c = '7';
			changed = true;
		}
	const struct expression *const a = compiled(mem, text), *const b = compiled(mem, slice_of(other));
	return expression_same_shape(a, b) && expression_same(a, b) == !changed;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(nothing_refutes_what_never_changes),
		LAW(order_and_negation_change_nothing),
		LAW(a_tree_is_told_by_its_text),
		LAW(other_numbers_keep_the_shape),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
