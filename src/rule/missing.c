/*
 * missing.c - what a rule needs and no log has.
 *
 *     gpu.temp > 80 C or gpu.util < 5 %              one of the two is enough
 *     logged(gpu.temp) and gpu.temp > 80 C           nothing is missing: without gpu.temp the answer is no
 *     not logged(gpu.temp) and gpu.fan > 90 %        nothing is missing where gpu.temp was logged: the answer is no
 *     max of cores(core.busy) > 95 %                 one core that was logged is enough
 *     any of others(gpu.util > 50 %) and …           where there is no other GPU nothing is missing: the answer is no
 */
#include "rule/missing.h"

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

/* Of a set: nothing is missing as soon as it is there for one member; else what the first of them lacks. */
static bool mark_of_members(struct arena *scratch, const struct vantage *v, const struct expression *e, bool *missing)
{
	const enum reach reach = reach_of(e->set, v->scope);
	const struct entities members = vantage_members(scratch, v, reach);

	for (size_t i = members.n; i-- > 0;) {
		const struct vantage of_member = vantage_of(v->run, reach_scope(reach), members.at[i]);
		bool marks[N_METRICS] = { false };
		if (!missing_mark(scratch, &of_member, e->left, i ? marks : missing))
			return false;
	}
	if (!members.n)
		expression_mark_logs(e->left, missing);
	return true;
}

bool missing_mark(struct arena *scratch, const struct vantage *v, const struct expression *e, bool *missing)
{
	bool marks[N_METRICS] = { false };

	if (!e || e->kind == NODE_LOGGED || is_ruled_out(v, e))
		return false;
	if (e->kind == NODE_ACROSS)
		return mark_of_members(scratch, v, e, missing);
	bool lacks = expression_needs_log(e) && !vantage_track(v, e->metric);
	if (lacks)
		marks[e->metric] = true;
	const bool left = missing_mark(scratch, v, e->left, marks) || (e->kind == NODE_OR && is_ruled_out(v, e->left));
	const bool right = missing_mark(scratch, v, e->right, marks) || (e->kind == NODE_OR && is_ruled_out(v, e->right));
	if (e->kind == NODE_OR && !(left && right)) /* one side is enough, unless it is ruled out */
		return false;
	if (!lacks && !left && !right)
		return false;
	for (size_t i = 0; i < N_METRICS; i++) {
		missing[i] |= marks[i];
		lacks |= marks[i];
	}
	return lacks;
}

void unlogged_mark(struct arena *scratch, const struct vantage *v, const struct expression *e, bool *unlogged)
{
	if (!e || is_denied(v, e) || asks_nobody(v, e))
		return;
	if (e->kind == NODE_ACROSS) {
		mark_of_members(scratch, v, e, unlogged);
		return;
	}
	if ((expression_needs_log(e) || e->kind == NODE_LOGGED) && !vantage_track(v, e->metric))
		unlogged[e->metric] = true;
	unlogged_mark(scratch, v, e->left, unlogged);
	unlogged_mark(scratch, v, e->right, unlogged);
}

void missing_to_answer(struct arena *scratch, const struct vantage *v, const struct rule *rule, const enum outcome outcome, bool *marks)
{
	if (outcome == OUTCOME_SKIPPED) {
		missing_mark(scratch, v, rule->when, marks);
		missing_mark(scratch, v, rule->clear, marks);
	} else if (outcome == OUTCOME_UNKNOWN) {
		unlogged_mark(scratch, v, rule->when, marks);
		unlogged_mark(scratch, v, rule->clear, marks);
	}
}

void rule_missing(const struct run *run, const struct verdict *v, bool *missing)
{
	const struct vantage vantage = vantage_of(run, v->rule->scope, v->entity);
	struct arena scratch;

	arena_init(&scratch);
	missing_to_answer(&scratch, &vantage, v->rule, v->outcome, missing);
	arena_release(&scratch);
}
