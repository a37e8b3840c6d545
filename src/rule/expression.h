/*
 * expression.h - conditions and values of the rule language, as trees. For this folder only.
 *
 *     gpu.util < 70 % and max of cores(core.busy) > 95 %
 *     mean(gpu.power, 10 s) < 0.5 * gpu.power_limit
 *     gpu.throttle has hw_thermal
 *     p95(gpu.mem_share) < 50 %
 *     hole(gpu.util)
 *     logged(gpu.temp) and max(gpu.temp, run) <= 0 C
 *
 *     or          := and { "or" and }
 *     and         := not { "and" not }
 *     not         := "not" not | comparison
 *     comparison  := sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum | "has" NAME ]
 *     sum         := product { ("+" | "-") product }
 *     product     := factor { ("*" | "/") factor }
 *     factor      := "-" factor | "(" or ")" | NUMBER [UNIT] | FOLD "(" sum [ "," duration or place ] ")"
 *                  | FOLD "of" ("cores" | "gpus") "(" sum ")" | "ref" "(" sum ")" | ( "hole" | "logged" ) "(" METRIC ")"
 *                  | METRIC | PARAM
 *     FOLD        := "mean" | "min" | "max" | "p5" | "p50" | "p95" | "spread"
 *
 * A fold with a duration rolls: a signal. With `inside` or `outside` (evidence and cost only) it is
 * one number over the firing time, or over the rest of the judged time. With `run` it is one
 * number over the whole run; with nothing, one number over the judged time (the phases of `during`).
 * `ref(x)` (evidence and cost only) is the median of x outside all firing time of all
 * gpus while the GPU is busy at all; the evaluator knows what to do without a healthy stretch.
 * What stands beside `logged(x)` in an `and` does not need x: where it is not logged the answer is no.
 */
#ifndef POSTRUN_EXPRESSION_H
#define POSTRUN_EXPRESSION_H

#include "base/yaml.h"
#include "rule/rule.h"

enum node_kind {
	NODE_NUMBER,
	NODE_METRIC,
	NODE_NEGATE,
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_MULTIPLY,
	NODE_DIVIDE,
	NODE_COMPARE,
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_HAS,     /* metric: the reason's own 0/1 metric (throttle_reasons) */
	NODE_ROLLING, /* fold, width over left */
	NODE_FOLD,    /* fold over left, where */
	NODE_ACROSS,  /* fold over left of all cores or gpus */
	NODE_HOLE,    /* metric */
	NODE_LOGGED,  /* metric: is it in any log at all? */
	NODE_REF,     /* left */
};
enum fold_where { WHERE_JUDGED, WHERE_INSIDE, WHERE_OUTSIDE, WHERE_RUN };

struct expression {
	enum node_kind kind;
	struct place place; /* of its first character in the rule file */
	int width_columns;  /* for the caret */
	bool is_condition;  /* YES/NO/UNKNOWN instead of a number */
	enum dimension dimension; /* of a number; all values are in the dimension's first unit (unit.def) */
	double number;      /* NUMBER; params are replaced by theirs */
	enum metric metric; /* METRIC, HAS, HOLE */
	enum comparison comparison;
	enum fold fold;
	time_ms width;      /* ROLLING */
	enum fold_where where;
	enum scope set;     /* ACROSS: SCOPE_CORE or SCOPE_GPU */
	const struct expression *left, *right;
};

struct expression_context {
	const struct param *params;
	size_t n_params;
	enum scope scope;    /* of the rule: which metrics can be seen without `of` */
	bool want_condition; /* `when` and `clear`; else a number */
	bool after_firing;   /* evidence and cost: inside, outside and ref are allowed */
};

/*
 * Parses and checks names, scopes, arity and dimensions; every problem is reported with a
 * caret into the YAML file. NULL when wrong. `node` is the scalar that holds the text, `source` the
 * whole rule file.
 */
const struct expression *expression_compile(struct arena *mem, const struct yaml_node *node, struct slice source,
	const struct expression_context *context, struct diags *diags);
/* A quantity literal alone ("30 s", "0.5", "80 %"), as in params and durations. */
bool quantity_compile(const struct yaml_node *node, struct slice source, struct quantity *out, struct diags *diags);

#endif
