/*
 * plan.h - what is to be computed for a set of rules: each different part of their conditions once. For this folder only.
 *
 * Expressions become terms. Two expressions that say the same, in whatever rules, are one term with one id; its level says
 * for whom it can differ: a term of level host is the same for all GPUs of a host. A part that depends on the
 * judged time (rolling windows, folds over it) is the same only for rules with the same judged time.
 */
#ifndef POSTRUN_PLAN_H
#define POSTRUN_PLAN_H

#include "rule/vantage.h"

struct judged_time {
	struct spans spans;
	struct span hull; /* from the first to the last judged moment */
};

/* An eighth of 2^32 ms, six days: no blocks are made that are wider, and of windows that are nothing is sketched. */
#define WIDEST_SKETCHED ((time_ms)1 << 29)

/* The run's time in blocks of one width, the last one cut: for what can be told of a block as a whole (sketch.h). */
struct blocks {
	struct span all;
	time_ms width;
	size_t n; /* 0: the run is too short for it to pay, or its rows lie hours apart */
};
static inline size_t block_at(const struct blocks *b, time_ms when)
{
	return (size_t)((when - b->all.begin) / b->width);
}
static inline struct span block_span(const struct blocks *b, size_t i)
{
	const time_ms begin = b->all.begin + (time_ms)i * b->width, end = begin + b->width;

	return (struct span){ begin, end < b->all.end ? end : b->all.end };
}

struct term {
	/* what it says: terms that agree in all of these are one */
	enum node_kind kind;
	enum metric metric;
	enum comparison comparison;
	enum fold fold;
	enum reach reach;      /* ACROSS */
	unsigned where;        /* FOLD: enum fold_where */
	size_t time;           /* ROLLING, FOLD over the judged time: index into plan->times; else 0 */
	time_ms width;         /* ROLLING; 0: the moment itself (SHARE of a condition: 0 or 100 %) */
	double number, factor; /* NUMBER; MULTIPLY, DIVIDE */
	double min_coverage;   /* FOLD: known for less than this it is not known */
	const struct term *left, *right;
	/* what follows from that */
	size_t id;
	const struct term *like; /* another one with the same hash, or NULL */
	enum scope level;
	enum dimension dimension;
	bool is_condition, varies, needs_firing;
	bool is_negative;      /* can be below 0 */
	/* in it, but for what is inside of folds over time: */
	bool has_costly_fold;  /* a number for a stretch of time of more than a metric, which is computed for all time to be sketched */
	bool looks_around;     /* a window or a set: its value at a moment takes more than the samples of that moment */
	bool asks_numbers_of_others;
	unsigned windows_first; /* how many have to be known for a first part of it to be known */
	/* some rule asks it of others: whoever has told of all GPUs has told of this one */
	bool is_asked_of_others;
};

/* Does the term need, at each moment, a log of the other side: of the GPU where the rule is of a host, or the reverse? */
bool term_looks_beside(const struct term *t, enum scope scope);

struct planned_rule {
	const struct rule *rule;
	const struct judged_time *time;
	const struct term *when, *clear;  /* clear: or NULL */
	const struct term *begins, *ends; /* when and clear with windows over time replaced by what they look at; NULL without windows */
	const struct term **evidence, *cost, *cost_least;
	bool is_whole;                    /* RULE_WHOLE */
	size_t first;                     /* of its verdicts */
};

/* A long time is looked at in slices of so many blocks, and of so many times the reach of windows, where that is more (slices.c). */
struct slice_size {
	size_t n_blocks, n_reaches;
};

/* The last one is cut; of fewer than these all of the time is looked at as one. */
enum { LEAST_SLICES = 4 };
static inline size_t slices_count(const struct blocks *b, size_t n_blocks)
{
	return (b->n + n_blocks - 1) / n_blocks;
}
static inline struct span slice_span(const struct blocks *b, size_t n_blocks, size_t i)
{
	const size_t behind = (i + 1) * n_blocks < b->n ? (i + 1) * n_blocks : b->n;

	return (struct span){ block_span(b, i * n_blocks).begin, block_span(b, behind - 1).end };
}

#define TERM_SLOTS 1024 /* 50 rules have 1,230 terms */

struct plan {
	struct arena *mem;
	const struct run *run;
	struct planned_rule *rules; /* in order of id, as in struct rules */
	size_t n_rules;
	size_t *order;              /* indexes of rules: those that exclude or cast doubt before those that they concern */
	struct judged_time *times;
	size_t n_times;
	struct blocks blocks;
	struct slice_size slice;
	time_ms poll_length;        /* poll_length() */
	bool values_are_small;      /* values_are_small(), which goes through all tracks */
	struct term **terms;        /* by id */
	size_t n_terms;
	const struct term *found[TERM_SLOTS]; /* by hash of what they say */
};

/*
 * Most of who keeps something by term is asked for a few terms of some rules: to clear room for all of them would be most of what a small
 * run's judging does. Terms with ids beside each other are of one rule, mostly, and asked for together. With 8 to 32 a shelf it takes much
 * the same.
 */
#define SHELF_TERMS ((size_t)8)
static inline size_t plan_shelves(const struct plan *p)
{
	return (p->n_terms + SHELF_TERMS - 1) / SHELF_TERMS;
}

struct plan *plan_new(struct arena *mem, const struct rules *rules, const struct run *run);
/* Each condition that judging the rule asks for: its own and, since some are asked part by part, what and, or, not join in them. */
void plan_each_asked(const struct planned_rule *r, void (*each)(void *context, const struct term *), void *context);
/*
 * How often the rules of a scope ask for each term of that level, by id: each rule once for each of its conditions, each term
 * that is asked for at all once for each of its parts. Members of sets are asked elsewhere; evidence and cost don't count.
 */
unsigned *plan_uses(struct arena *mem, const struct plan *p, enum scope scope);
struct terms {
	const struct term *const *at;
	size_t n;
};
/* The same of these terms alone, each asked for once. */
unsigned *plan_uses_of(struct arena *mem, const struct plan *p, enum scope scope, struct terms terms);
/*
 * Have logs any value of what is asked of this entity, at whatever time? Of an `and` or `or` one side is enough. Else it is no member of
 * sets of which this is asked: a core that was never logged is no peer; of one that was for a minute it may just not be known.
 */
bool logs_have(const struct run *run, enum scope scope, const struct entity *who, const struct term *asked);
/* How long it takes to ask all GPUs of a host, as a rule; 0 of one GPU, and of GPUs whose rows have one time. */
time_ms poll_length(const struct run *run);
/* Is what terms of the run are worth so little that nothing is won by giving it back? */
bool values_are_small(const struct run *run);
/* The term of a part of the rule's `when` or `clear`; of what is in sets only seen from the members. */
const struct term *plan_term(struct plan *p, const struct planned_rule *rule, const struct expression *part);

#endif
