/*
 * missing.c - what a rule needs and no log has.
 *
 *     gpu.temp > 80 C or gpu.util < 5 %              one of the two is enough
 *     logged(gpu.temp) and gpu.temp > 80 C           nothing is missing: without gpu.temp the answer is no
 *     not logged(gpu.temp) and gpu.fan > 90 %        nothing is missing where gpu.temp was logged: the answer is no
 *     max of cores(core.busy) > 95 %                 one core that was logged is enough
 *     any of others(gpu.util > 50 %) and …           where there is no other GPU nothing is missing: there is nobody to compare with
 */
#include "rule/missing.h"

#include "metric/record.h"

/* `not logged(x)`, and x is there */
static bool is_denied(const struct vantage *v, const struct expression *e)
{
	if (e->kind == NODE_AND)
		return is_denied(v, e->left) || is_denied(v, e->right);
	return e->kind == NODE_NOT && e->left->kind == NODE_LOGGED && vantage_track(v, e->left->metric);
}

/* "any of others": a GPU alone has none, and needs no log to know it. */
static bool asks_nobody(const struct vantage *v, const struct expression *e)
{
	return e->kind == NODE_ACROSS && e->set == SET_OTHERS && e->fold == FOLD_ANY && v->run->n_gpus < 2;
}

/* Does one of the and-ed `logged(x)` say that x is not there? Then the answer is "no", whatever else is missing. */
static bool is_ruled_out(const struct vantage *v, const struct expression *e)
{
	if (is_denied(v, e) || asks_nobody(v, e))
		return true;
	if (e->kind == NODE_LOGGED)
		return !vantage_track(v, e->metric);
	return e->kind == NODE_AND && (is_ruled_out(v, e->left) || is_ruled_out(v, e->right));
}

static bool lacks(const struct vantage *v, const struct expression *e);

static struct vantage of_member(const struct vantage *v, enum reach reach, const struct entity *member)
{
	return vantage_of(v->run, reach_scope(reach), member);
}

/* Have all entities that can have it a track of the metric, or none? */
static bool is_same_for_all(const struct run *run, enum metric metric)
{
	const enum scope scope = metric_table[metric].scope;

	return scope == SCOPE_RUN || !run->n_with[metric] || run->n_with[metric] == entities_of(run, scope).n;
}

static bool names_metric(const struct expression *e)
{
	return e->kind == NODE_LOGGED || expression_needs_log(e);
}

/* Would each member of the set answer the same? Of a thousand GPUs that were logged alike one is asked. */
static bool are_alike(const struct run *run, const struct expression *e)
{
	if (!e)
		return true;
	if (e->kind == NODE_ACROSS || (names_metric(e) && !is_same_for_all(run, e->metric)))
		return false;
	return are_alike(run, e->left) && are_alike(run, e->right);
}

static bool asks_hosts(const struct expression *e)
{
	return e && ((names_metric(e) && metric_table[e->metric].scope == SCOPE_HOST) || asks_hosts(e->left) || asks_hosts(e->right));
}

/* A host's log is that of all who belong to it, and so are the members of sets, but for the others of a GPU: they may be of other hosts. */
bool missing_is_same(const struct run *run, const struct expression *e)
{
	if (!e)
		return true;
	if (e->kind == NODE_ACROSS)
		return e->set != SET_OTHERS || (are_alike(run, e->left) && !asks_hosts(e->left));
	if (names_metric(e) && metric_table[e->metric].scope != SCOPE_HOST && !is_same_for_all(run, e->metric))
		return false;
	return missing_is_same(run, e->left) && missing_is_same(run, e->right);
}

/* Of a set nothing is missing as soon as it is there for one member. */
static bool members_lack(const struct vantage *v, const struct expression *e)
{
	const enum reach reach = reach_of(v->run, e->set, v->scope);
	const bool is_one_enough = are_alike(v->run, e->left);
	bool all = true;
	size_t at = 0;

	for (const struct entity *who; all && (who = vantage_next_member(v, reach, &at));) {
		const struct vantage member = of_member(v, reach, who);
		all = lacks(&member, e->left);
		if (is_one_enough)
			break;
	}
	return all;
}

/* Of an `or` one side is enough, unless it is ruled out. */
static bool either_lacks(const struct vantage *v, const struct expression *e)
{
	const bool left = lacks(v, e->left), right = lacks(v, e->right);

	return (left && right) || (left && is_ruled_out(v, e->right)) || (right && is_ruled_out(v, e->left));
}

/* Can it not be answered? */
static bool lacks(const struct vantage *v, const struct expression *e)
{
	if (!e || e->kind == NODE_LOGGED || is_ruled_out(v, e))
		return false;
	if (e->kind == NODE_ACROSS)
		return members_lack(v, e);
	if (e->kind == NODE_OR)
		return either_lacks(v, e);
	return (expression_needs_log(e) && !vantage_track(v, e->metric)) || lacks(v, e->left) || lacks(v, e->right);
}

/* What the first member of a set lacks; of an empty one, what one would have to have. */
static void mark_of_first(const struct vantage *v, const struct expression *e, bool *missing)
{
	const enum reach reach = reach_of(v->run, e->set, v->scope);
	const struct entity *const who = vantage_next_member(v, reach, &(size_t){ 0 });

	if (!who) {
		expression_mark_logs(e->left, missing);
		return;
	}
	const struct vantage first = of_member(v, reach, who);
	missing_mark(&first, e->left, missing);
}

bool missing_mark(const struct vantage *v, const struct expression *e, bool *missing)
{
	if (!lacks(v, e))
		return false;
	if (e->kind == NODE_ACROSS) {
		mark_of_first(v, e, missing);
		return true;
	}
	if (expression_needs_log(e) && !vantage_track(v, e->metric))
		missing[e->metric] = true;
	missing_mark(v, e->left, missing);
	missing_mark(v, e->right, missing);
	return true;
}

/* Of what tells how hosts, or their logs, differ: what there is only one of. */
static const char *one_of_its_kind(const struct vantage *v, enum metric metric)
{
	const struct track *const track = vantage_track(v, metric);

	if (track && !track->derived) /* given as it is (made.c) */
		return NULL;
	if (metric == METRIC_LOG_HOST_SILENT)
		return v->run->n_hosts < 2 ? "host" : NULL;
	return metric == METRIC_LOG_SKEW && v->run->n_recordings < 2 ? "log" : NULL;
}

/* A metric above a number, which it is not where nothing differs. */
static bool is_above(const struct expression *e)
{
	const bool is_more = e->comparison == GREATER || e->comparison == GREATER_EQUAL;

	return is_more && e->left->kind == NODE_METRIC && e->right->kind == NODE_NUMBER && e->right->number > 0;
}

const char *missing_others(const struct vantage *v, const struct expression *e)
{
	const char *left, *right;

	switch (e->kind) {
	case NODE_ACROSS:
		return asks_nobody(v, e) ? "GPU" : NULL;
	case NODE_COMPARE:
		return is_above(e) ? one_of_its_kind(v, e->left->metric) : NULL;
	case NODE_AND:
	case NODE_OR:
		left = missing_others(v, e->left);
		right = missing_others(v, e->right);
		return e->kind == NODE_OR && !(left && right) ? NULL : left ? left : right;
	default:
		return NULL;
	}
}

void unlogged_mark(const struct vantage *v, const struct expression *e, bool *unlogged)
{
	if (!e || is_denied(v, e) || asks_nobody(v, e))
		return;
	if (e->kind == NODE_ACROSS) {
		missing_mark(v, e, unlogged);
		return;
	}
	if (names_metric(e) && !vantage_track(v, e->metric))
		unlogged[e->metric] = true;
	unlogged_mark(v, e->left, unlogged);
	unlogged_mark(v, e->right, unlogged);
}

bool missing_is_untold(const struct vantage *v, const enum metric metric)
{
	for (size_t i = 0; i < N_METRICS; i++) {
		const struct track *t = record_is_instead((enum metric)i, metric) ? vantage_track(v, (enum metric)i) : NULL;
		if (t && !t->derived)
			return true;
	}
	return false;
}

void missing_to_answer(const struct vantage *v, const struct rule *rule, const enum outcome outcome, bool *marks)
{
	if (outcome == OUTCOME_SKIPPED && !missing_others(v, rule->when)) { /* which no log of what there is makes good */
		missing_mark(v, rule->when, marks);
		missing_mark(v, rule->clear, marks);
	} else if (outcome == OUTCOME_UNKNOWN) {
		unlogged_mark(v, rule->when, marks);
		unlogged_mark(v, rule->clear, marks);
	}
	for (size_t i = 0; i < N_METRICS; i++)
		marks[i] = marks[i] && !missing_is_untold(v, (enum metric)i);
}

void rule_missing(const struct run *run, const struct verdict *v, bool *missing)
{
	const struct vantage vantage = vantage_of(run, v->rule->scope, v->entity);

	missing_to_answer(&vantage, v->rule, v->outcome, missing);
}
