/*
 * cmd_rules_explain.c - `postrun rules explain ID RUN/`: why a rule fired, didn't, or can't be known.
 *
 * A rule has a verdict for each of its entities. Told is that of --on; else of the one for which it fired longest, or, where
 * it fired for none, came nearest to firing.
 */
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/explain_page.h"

#include <math.h>
#include <stdio.h>

static const struct option table[] = {
	{ "on", 0, "ENTITY", NULL, "of which GPU, host or core: \"gpu 3\", node01/gpu3, node01" },
	INPUT_OPTIONS,
	MARK_OPTIONS,
	RULE_OPTIONS,
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static const struct rule *find_rule(struct arena *mem, const struct rules *rules, const char *id)
{
	const struct rule *const rule = rules_find(rules, id);
	const char *const near = rule ? NULL : rules_nearest(mem, rules, id);

	if (rule)
		return rule;
	if (texts_have(rules->disabled, id))
		fprintf(stderr, "postrun: --disable leaves %s out\n", id);
	else if (near)
		fprintf(stderr, "postrun: no rule '%s'; did you mean '%s'?\n", id, near);
	else
		fprintf(stderr, "postrun: no rule '%s'; `postrun rules list` lists them\n", id);
	return NULL;
}

/* "GPU 3" and "gpu3" are one name. */
static bool is_same_name(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		const char one = (char)(*a >= 'A' && *a <= 'Z' ? *a + 32 : *a), other = (char)(*b >= 'A' && *b <= 'Z' ? *b + 32 : *b);
		if (one != other)
			return false;
		if (!one)
			return true;
	}
}

static bool is_called(struct arena *mem, const struct entity *e, const char *name)
{
	return e && (is_same_name(entity_id(mem, e), name) || is_same_name(entity_label(mem, e), name) ||
			    (e->uuid && strcmp(e->uuid, name) == 0));
}

static void complain_of_entity(const struct rule *rule, const char *name, const char *const *names, size_t n)
{
	const char *near = nearest_name(slice_of(name), names, n);

	if (!n) {
		fprintf(stderr, "postrun: %s is asked of the run as a whole; --on has no place here\n", rule->id);
		return;
	}
	fprintf(stderr, "postrun: '%s' is nothing that %s is asked of", name, rule->id);
	if (near)
		fprintf(stderr, "; did you mean '%s'?\n", near);
	else if (n == 1)
		fprintf(stderr, "; it is asked of %s%s\n", strcmp(names[0], "host") == 0 ? "the " : "", names[0]);
	else
		fprintf(stderr, "; it is asked of %s to %s\n", names[0], names[n - 1]);
}

/* Of several hosts' GPUs of one number the first; its host is part of what is printed. */
static const struct verdict *verdict_on(struct arena *mem, const struct verdicts *all, const struct rule *rule, const char *name)
{
	const char **names = NEW_ARRAY(mem, const char *, all->n);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct verdict *v = &all->at[i];

		if (v->rule != rule || !v->entity)
			continue;
		if (is_called(mem, v->entity, name))
			return v;
		names[n++] = entity_id(mem, v->entity);
	}
	complain_of_entity(rule, name, names, n);
	return NULL;
}

/* The higher the nearer to firing; what fired is above all else. */
static double nearness(const struct verdict *v)
{
	if (v->outcome == OUTCOME_FIRED)
		return 1e6 + (double)spans_length(v->when);
	if (v->outcome == OUTCOME_SKIPPED)
		return -2;
	return isnan(v->margin) ? -1 : v->margin;
}

static const struct verdict *nearest_verdict(const struct verdicts *all, const struct rule *rule)
{
	const struct verdict *best = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].rule == rule && (!best || nearness(&all->at[i]) > nearness(best)))
			best = &all->at[i];
	return best;
}

static const char *asked_of(enum scope scope)
{
	return scope == SCOPE_GPU ? "GPUs" : scope == SCOPE_CORE ? "single cores" : scope == SCOPE_HOST ? "hosts" : "runs";
}

static int explain(struct arena *mem, const struct options *o, const struct input_request *q, struct diags *diags)
{
	const struct rules *rules = load_rules(mem, o, diags);
	const char *on = option_value(o, "on");

	if (!rules)
		return EXIT_RULES;
	const struct rule *rule = find_rule(mem, rules, o->paths[0]);
	if (!rule)
		return EXIT_USAGE;
	const struct run *run = examine_inputs(mem, q, diags);
	if (!run) {
		if (!diags->n)
			fprintf(stderr, "postrun: nothing usable in the inputs\n");
		return EXIT_NOTHING;
	}
	const struct verdicts all = rules_judge(rules, run);
	if (!nearest_verdict(&all, rule)) {
		fprintf(stderr, "postrun: %s is asked of %s, and no log tells of any\n", rule->id, asked_of(rule->scope));
		return EXIT_NOTHING;
	}
	const struct verdict *v = on ? verdict_on(mem, &all, rule, on) : nearest_verdict(&all, rule);
	if (!v)
		return EXIT_USAGE;
	return explain_print(mem, run, &all, v);
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct input_request q;

	if (o->n_paths < 2) {
		fprintf(stderr, "postrun: rules explain needs a rule and logs: postrun rules explain gpu-hot RUN/\n");
		return EXIT_USAGE;
	}
	if (!read_input_options(o, &q))
		return EXIT_USAGE;
	q.paths++; /* the first is the rule */
	q.n_paths--;
	const int status = explain(mem, o, &q, diags);
	fflush(stdout);
	print_diags(diags, MOST_MESSAGES, false);
	return status;
}

const struct command command_rules_explain = {
	.name = "rules explain",
	.arguments = "ID PATH…",
	.title = "why a rule fired, didn't, or can't be known, moment by moment",
	.examples = "  postrun rules explain gpu-hot RUN/\n"
		    "  postrun rules explain gpu-hot RUN/ --on \"gpu 3\"\n"
		    "  postrun rules explain my-rule gpu.csv vmstat.txt --rules my-rules/\n",
	.options = table,
	.run = run,
};
