/*
 * keys_condition.c - the keys that say when a rule fires, where it is judged and what that costs.
 *
 *     when: gpu.util < low and host.cpu.busy > 90 %
 *     for: 10 s
 *
 * What kind of rule this is, which metrics it needs and what kind of sign it looks for is written nowhere: it
 * follows from the condition.
 */
#include "rule/draft.h"

#include <math.h>

#define LOGGED_PHASES (((1u << N_PHASES) - 1) & ~(1u << PHASE_UNSEEN))

/* ------ where and when ------ */

static const enum scope scopes[] = { SCOPE_GPU, SCOPE_HOST, SCOPE_CORE, SCOPE_RUN };
#define N_SCOPES (sizeof scopes / sizeof *scopes)

/* The worst first, as people list them. */
struct texts severity_words(struct arena *mem)
{
	const char **const words = NEW_ARRAY(mem, const char *, SEVERITY_CRITICAL + 1);

	for (int i = 0; i <= SEVERITY_CRITICAL; i++)
		words[i] = severity_name((enum severity)(SEVERITY_CRITICAL - i));
	return (struct texts){ words, SEVERITY_CRITICAL + 1 };
}

struct texts scope_words(struct arena *mem)
{
	const char **const words = NEW_ARRAY(mem, const char *, N_SCOPES);

	for (size_t i = 0; i < N_SCOPES; i++)
		words[i] = scope_name(scopes[i]);
	return (struct texts){ words, N_SCOPES };
}

/* "run" stands for all that was logged. */
struct texts during_words(struct arena *mem)
{
	const char **const words = NEW_ARRAY(mem, const char *, N_PHASES + 1);

	for (int phase = 0; phase < N_PHASES; phase++)
		words[phase] = phase_name((enum phase)phase);
	words[N_PHASES] = "run";
	return (struct texts){ words, N_PHASES + 1 };
}

void take_severity(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const size_t i = draft_word_index(d, key->name, node, severity_words(d->mem));

	d->rule->severity = i <= SEVERITY_CRITICAL ? (enum severity)(SEVERITY_CRITICAL - i) : SEVERITY_NOTE;
}

void take_scope(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const size_t i = draft_word_index(d, key->name, node, scope_words(d->mem));

	d->scope_known = i < N_SCOPES;
	d->rule->scope = d->scope_known ? scopes[i] : SCOPE_GPU;
}

void take_during(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	(void)key;
	d->rule->during = 0;
	for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item)) {
		const size_t i = draft_word_index(d, "phase", item, during_words(d->mem));
		d->rule->during |= i < N_PHASES ? 1u << i : LOGGED_PHASES;
	}
}

void take_duration(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct quantity q;

	if (!draft_quantity(d, node, &q))
		return;
	if (unit_table[q.unit].dimension != DIM_TIME) {
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a time such as '10 s', this is %s", key->name,
			dimension_name(unit_table[q.unit].dimension));
		return;
	}
	const double seconds = quantity_in(q, UNIT_SECOND).value;
	if (!(seconds >= 0 && seconds <= DURATION_MAX_S)) {
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be between 0 s and %s", key->name,
			limit_text(d->mem, NULL, LIMIT_DURATION_MAX_DAYS));
		return;
	}
	*(time_ms *)draft_member(d, key) = (time_ms)llround(seconds * (double)SECOND_MS);
}

void take_coverage(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct quantity q;

	if (!draft_quantity(d, node, &q))
		return;
	if (q.unit != UNIT_PERCENT || !(q.value >= 0 && q.value <= 100))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be between '0 %%' and '100 %%'", key->name);
	d->rule->min_coverage = q.value / 100;
}

/* ------ conditions and cost ------ */

static bool names_a_metric(const struct expression *e)
{
	if (!e)
		return false;
	return expression_needs_log(e) || names_a_metric(e->left) || names_a_metric(e->right);
}

static void check_condition(struct draft *d, const struct key *key, const struct yaml_node *node, const struct expression *e)
{
	if (!names_a_metric(e))
		COMPLAIN_NODE(d, node, DIAG_BAD_EXPRESSION, "'%s' names no metric; it is always the same", key->name);
	else if (d->rule->when && !e->varies) /* only an interval rule's `clear` comes here */
		COMPLAIN_NODE(d, node, DIAG_BAD_EXPRESSION, "'%s' is one value for the run; it can't end a stretch", key->name);
}

/* `when` comes first and decides of which kind the rule is. */
void take_condition(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct expression *const e = draft_expression(d, node, WANTED_CONDITION);

	if (!e)
		d->scope_doubtful = !yaml_get(d->rule->root, "scope");
	if (!e)
		return;
	check_condition(d, key, node, e);
	*(const struct expression **)draft_member(d, key) = e;
	if (e == d->rule->when)
		d->rule->kind = e->varies || !names_a_metric(e) ? RULE_INTERVAL : RULE_WHOLE;
}

/* Of "0.5" and of "50 %", which is a product by then; else NAN. */
static double written_number(const struct expression *e)
{
	if (e->kind == NODE_NUMBER)
		return e->number;
	if (e->kind == NODE_MULTIPLY)
		return written_number(e->left) * written_number(e->right) * e->factor;
	return NAN;
}

/* A share, or a part of something: which; N_METRICS for all else. */
static enum metric share_of(const struct expression *e)
{
	if (e->kind == NODE_DIVIDE)
		return share_of(e->left);
	return e->kind == NODE_METRIC && e->dimension == DIM_SHARE ? e->metric : N_METRICS;
}

/* "1 - gpu.util / ref(gpu.util)", "100 % - gpu.util" */
static enum metric lack_of(const struct expression *e)
{
	if (e->kind == NODE_MULTIPLY && e->right->kind == NODE_NUMBER && !e->right->text.n) /* made a plain number */
		return lack_of(e->left);
	return e->kind == NODE_SUBTRACT && e->left->kind == NODE_NUMBER ? share_of(e->right) : N_METRICS;
}

static bool is_beside_pace(const struct expression *e)
{
	const bool is_it = e && e->kind == NODE_METRIC && e->metric == METRIC_GPU_PACE_BEFORE;

	return is_it || (e && (is_beside_pace(e->left) || is_beside_pace(e->right)));
}

/* NULL when the text is no expression; what is no share is complained about. */
static const struct expression *share_expression(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct expression *const e = draft_expression(d, node, WANTED_FRACTION);

	if (e && e->dimension != DIM_NONE)
		COMPLAIN_NODE(d, node, DIAG_BAD_DIMENSION, "'%s' must be a share, or a plain number from 0 to 1; this is %s", key->name,
			dimension_name(e->dimension));
	else if (e && (written_number(e) < 0 || written_number(e) > 1))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be between 0 and 1, or between '0 %%' and '100 %%'", key->name);
	return e;
}

void take_cost(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	d->rule->cost = share_expression(d, key, node);
	d->rule->cost_lack = d->rule->cost ? lack_of(d->rule->cost) : N_METRICS;
	d->rule->cost_beside_pace = is_beside_pace(d->rule->cost);
}

void take_cost_least(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	d->rule->cost_least = share_expression(d, key, node);
	if (!yaml_get(d->rule->root, "cost"))
		COMPLAIN(d, node->key_place, slice_columns(node->key), DIAG_BAD_VALUE,
			"'cost_least' is the least of what 'cost' says is lost at most, and the rule has no 'cost'");
}

/* ------ what follows from them ------ */

/* Of the scope and the one that the text asks for; NULL asks for none. */
static enum scope narrower(enum scope scope, const struct yaml_node *text)
{
	if (!text || text->kind != YAML_SCALAR)
		return scope;
	return scope_narrower(scope, expression_scope(text->text));
}

enum scope conditions_scope(const struct yaml_node *root)
{
	const struct yaml_node *const let = yaml_get(root, "let");
	enum scope scope = narrower(narrower(SCOPE_RUN, yaml_get(root, "when")), yaml_get(root, "clear"));

	for (const struct yaml_node *child = let && let->kind == YAML_MAP ? let->first : NULL; child; child = child->next)
		scope = narrower(scope, child);
	return scope;
}

/* The metrics that an and-chain asks to be logged. */
static void mark_guarded(const struct expression *e, bool *guarded)
{
	if (e->kind == NODE_LOGGED)
		guarded[e->metric] = true;
	if (e->kind != NODE_AND)
		return;
	mark_guarded(e->left, guarded);
	mark_guarded(e->right, guarded);
}

/*
 * Not measured but said, by it or the kernel: one row is enough. Of the time for which clocks were held the driver's count is as good as
 * its flag.
 */
static bool is_told_by_driver(enum metric metric)
{
	switch (metric) {
	case METRIC_GPU_LOST:
	case METRIC_GPU_XID:
	case METRIC_HOST_OOM_KILL:
	case METRIC_GPU_CAP_SW_POWER:
	case METRIC_GPU_CAP_SYNC:
	case METRIC_GPU_CAP_SW_THERMAL:
	case METRIC_GPU_CAP_HW_THERMAL:
	case METRIC_GPU_CAP_HW_BRAKE:
		return true;
	default:
		return false;
	}
}

/* `outer`: what the conditions around it ask to be logged; without that nothing can be answered but "no". */
static void mark_needed(const struct expression *e, const bool *outer, bool *needed)
{
	bool guarded[N_METRICS] = { false };

	if (!e)
		return;
	if (outer)
		memcpy(guarded, outer, sizeof guarded);
	mark_guarded(e, guarded);
	if (expression_needs_log(e) && !guarded[e->metric])
		needed[e->metric] = true;
	mark_needed(e->left, guarded, needed);
	mark_needed(e->right, guarded, needed);
}

/* Can it hold because a flag was seen? One that must not be there, of another GPU, or for a share of the time is a sign among others. */
static bool can_hold_by_flag(const struct expression *e)
{
	const bool is_of_others = e && e->kind == NODE_ACROSS && e->set == SET_OTHERS;
	const bool is_share = e && e->kind == NODE_ROLLING && e->fold == FOLD_SHARE;

	if (!e || e->kind == NODE_NOT || is_of_others || is_share)
		return false;
	if (e->kind == NODE_HAS || (e->kind == NODE_METRIC && is_told_by_driver(e->metric)))
		return true;
	return can_hold_by_flag(e->left) || can_hold_by_flag(e->right);
}

/* Not that there is none: who waits while no log is missing has lost something. */
static bool asks_for_holes(const struct expression *e)
{
	if (!e || e->kind == NODE_NOT)
		return false;
	return e->kind == NODE_HOLE || asks_for_holes(e->left) || asks_for_holes(e->right);
}

static bool is_of_phase(enum metric metric)
{
	return metric == METRIC_RUN_START || metric == METRIC_RUN_RELOAD || metric == METRIC_RUN_DIP || metric == METRIC_RUN_DOWN ||
	       metric == METRIC_RUN_TAIL;
}

static bool is_of_restart(enum metric metric)
{
	return metric == METRIC_RUN_DOWN || metric == METRIC_RUN_RELOAD;
}

static bool asks_for(const struct expression *e, bool (*is)(enum metric metric))
{
	return e && ((e->kind == NODE_METRIC && is(e->metric)) || asks_for(e->left, is) || asks_for(e->right, is));
}

static const enum metric *list_of(struct arena *mem, const bool *marks, size_t *n)
{
	enum metric all[N_METRICS];

	*n = 0;
	for (size_t i = 0; i < N_METRICS; i++)
		if (marks[i])
			all[(*n)++] = (enum metric)i;
	enum metric *const list = NEW_ARRAY(mem, enum metric, *n);
	if (*n)
		memcpy(list, all, *n * sizeof *list);
	return list;
}

void draft_infer(struct draft *d)
{
	struct rule *const rule = d->rule;
	bool needed[N_METRICS] = { false }, asked[N_METRICS] = { false }, of_cost[N_METRICS] = { false };

	mark_needed(rule->when, NULL, needed);
	mark_needed(rule->clear, NULL, needed);
	rule->by_driver_flag = can_hold_by_flag(rule->when);
	/* one of a GPU leaves out what these tell, and is about something else */
	rule->about_overhead = rule->scope == SCOPE_RUN && asks_for(rule->when, is_of_phase);
	rule->about_restart = asks_for(rule->when, is_of_restart);
	expression_mark_logs(rule->when, asked);
	rule->about_holes = asks_for_holes(rule->when);
	mark_needed(rule->cost, NULL, of_cost);
	rule->metrics = list_of(d->mem, needed, &rule->n_metrics);
	rule->asked = list_of(d->mem, asked, &rule->n_asked);
	rule->cost_metrics = list_of(d->mem, of_cost, &rule->n_cost_metrics);
}
