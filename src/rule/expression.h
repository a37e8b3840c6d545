/*
 * expression.h - conditions and values of the rule language, as trees. For this folder only.
 *
 *     gpu.util < 70 % and max of cores(core.busy) > 95 %
 *     mean(gpu.power, 10 s) < 50 % * gpu.power_limit          gpu.power / gpu.power_limit < 50 %
 *     gpu.throttle has hw_thermal                             rate(gpu.throttled.hw_thermal, 10 s) > 20 %
 *     p95(gpu.mem_share) < 50 %                               share(gpu.util > 90 %, steady) < 30 %
 *     count of gpus(gpu.util < 20 %) > 2                      gpu.util < p50 of others(gpu.util) - 30 %
 *     slope(gpu.mem_used, 10 min) > 1 MiB/s                   delta(gpu.ecc_uncorrected, run) > 0
 *     hole(gpu.util)                                          logged(gpu.temp) and max(gpu.temp, run) <= 0 C
 *
 *     or          := and { "or" and }
 *     and         := not { "and" not }
 *     not         := "not" not | comparison
 *     comparison  := sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum | "has" NAME ]
 *     sum         := product { ("+" | "-") product }
 *     product     := factor { ("*" | "/") factor }
 *     factor      := "-" factor | "(" or ")" | NUMBER [UNIT] | METRIC | PARAM | LET
 *                  | FOLD "(" or [ "," ( duration | place ) ] ")" | FOLD "of" SET "(" or ")"
 *                  | "ref" "(" sum ")" | ( "hole" | "logged" ) "(" METRIC ")"
 *     FOLD        := a row of series/fold.def       SET := "cores" | "gpus" | "host_gpus" | "others" | "hosts"
 *     place       := "run" | "idle_head" | "startup" | "steady" | "tail" | "inside" | "outside"
 *
 * A fold with a duration rolls: a signal. With a place it is one number for that time: the whole run, a phase, or, in
 * evidence and cost only, the firing time (`inside`) or the rest of the judged time (`outside`); with
 * nothing, for the judged time (the phases of `during`). `others` are the other GPUs of a gpu rule. In a host rule
 * `gpus` are those of the host, else those of the run; `host_gpus` are those of the host in a gpu rule, too, with its own GPU; `cores`
 * are those of the host.
 * `ref(x)` (evidence and cost only) is the median of x outside all firing time of all
 * gpus while the GPU is busy at all; the evaluator knows what to do without a healthy stretch.
 * What stands beside `logged(x)` in an `and` does not need x: where it is not logged the answer is no.
 *
 * Dimensions are checked: sums and comparisons need one dimension; a share times anything is a part of it; a power times
 * a time is an energy (dimension_product); the ratio of two values of one dimension is a plain number, and compares with a
 * share. A counter may only stand in rate() and delta(). A mask only before `has`. rate() of a counter of time is a share.
 *
 * What is counted in a time is written with the unit alone: "3 /h" (or "3 1/h"), "2 %/h", "1 MiB/s"; no blank stands beside
 * the slash, and s, min, h and d are no names, so that it can't be a division.
 *
 * What the compiler must convert (a ratio to percent, watt seconds to Wh) becomes a MULTIPLY with a factor and a NUMBER 1 whose
 * text is empty: nobody wrote it, and nobody can move it. A set is opened inside of another only as cores or gpus of `hosts`.
 */
#ifndef POSTRUN_EXPRESSION_H
#define POSTRUN_EXPRESSION_H

#include "base/yaml.h"
#include "rule/rule.h"

#define DURATION_MAX_S (DURATION_MAX_DAYS * 86400.0) /* of a window, of a key such as `for`, of a piece of a test's series */

enum node_kind {
	NODE_NUMBER,
	NODE_METRIC,
	NODE_NEGATE,
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_MULTIPLY, /* left x right x factor */
	NODE_DIVIDE,   /* left / right x factor */
	NODE_COMPARE,
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_HAS,     /* metric: the reason's own 0/1 metric (throttle_reasons) */
	NODE_ROLLING, /* fold, width over left: a number, or a condition when the fold takes one */
	NODE_FOLD,    /* fold over left, where */
	NODE_ACROSS,  /* fold over left of all members of `set`; ANY and ALL are conditions */
	NODE_HOLE,    /* metric */
	NODE_LOGGED,  /* metric: is it in any log at all? */
	NODE_REF,     /* left */
};
enum fold_where {
	WHERE_JUDGED,
	WHERE_INSIDE,
	WHERE_OUTSIDE,
	WHERE_RUN,
	WHERE_FIRST_THIRD, /* of the steady time */
	WHERE_LAST_THIRD,
	WHERE_PHASE, /* WHERE_PHASE + enum phase */
};
enum member_set { SET_CORES, SET_GPUS, SET_HOST_GPUS, SET_OTHERS, SET_HOSTS };

struct expression {
	enum node_kind kind;
	struct place place; /* of its first character in the rule file; line 0 where the context wants none */
	int width_columns;  /* for the caret */
	struct slice text;  /* as written, of the whole node; lets keep the text of their definition */
	bool is_condition;  /* YES/NO/UNKNOWN instead of a number */
	bool varies;        /* over time; else it is one value for the run */
	bool needs_firing;  /* uses inside, outside or ref: for evidence and cost only */
	enum dimension dimension; /* of a number; all values are in the dimension's first unit (unit.def) */
	double number;      /* NUMBER */
	const struct param *param; /* NUMBER: the param it is the value of; else NULL */
	double factor;      /* MULTIPLY, DIVIDE: 1, or what dimension_product() asks for */
	enum metric metric; /* METRIC, HAS, HOLE, LOGGED */
	enum comparison comparison;
	enum fold fold;
	time_ms width;      /* ROLLING */
	const struct param *width_param; /* ROLLING: the param that the width is the value of; else NULL */
	unsigned where;     /* FOLD: enum fold_where */
	enum member_set set; /* ACROSS */
	unsigned n_levels, n_nodes; /* of the whole tree; a let counts wherever it stands. At most 64 and 4096 */
	const struct expression *left, *right;
};

struct let { /* a named part of a rule: where its name stands, its tree is */
	struct slice name;
	const struct expression *expression; /* NULL: wrong, already reported; its name then fits everywhere, silently */
	struct place place;
};

struct expression_context {
	const struct param *params;
	size_t n_params;
	const struct let *lets;
	size_t n_lets;
	bool scope_known;
	enum scope scope;    /* of the rule: which metrics can be seen without `of` */
	enum { WANT_NUMBER, WANT_CONDITION, WANT_EITHER, WANT_FRACTION } want; /* FRACTION: a number; a share becomes a plain one */
	bool after_firing;   /* evidence, cost and let: inside, outside and ref are allowed */
	bool without_places; /* of nodes: nobody will complain of them */
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

/* Words that can't be names of parameters because the language has them: "and", "mean", "steady", "h". */
bool word_is_reserved(struct slice word);

/*
 * The scope that the bare metrics of a text ask for, without compiling it: the narrowest of core, gpu, host; run when there
 * are none; `others` ask for gpu. For rules that don't say theirs.
 */
enum scope expression_scope(struct slice text);

/*
 * What a condition can ever be, from the values that its metrics can have (catalogue.def): NO when it can't be YES
 * ("gpu.util > 100 %", "gpu.util < 20 % and gpu.util > 80 %"), YES when it can't be NO, else UNKNOWN. Every
 * sub-condition that is decided so is told to `tell`, outermost first; what is inside a told one is not told.
 */
enum truth expression_always(const struct expression *condition,
	void (*tell)(void *context, const struct expression *part, enum truth always), void *context);

/* Is this node about a metric, so that there is no answer without a log of it? `logged(x)` is not: the answer is no. */
bool expression_needs_log(const struct expression *e);
/* Marks the metrics of all these nodes, members of sets included. */
void expression_mark_logs(const struct expression *e, bool *marks);
/* The same tree but for numbers (and params)? For duplicates and tiers of severity. */
bool expression_same_shape(const struct expression *a, const struct expression *b);
bool expression_same(const struct expression *a, const struct expression *b);

#endif
