/*
 * trial_parts.h - what a test of a rule is once it has been read, for the files trial*.c and mutate.c.
 */
#ifndef POSTRUN_TRIAL_PARTS_H
#define POSTRUN_TRIAL_PARTS_H

#include "base/buf.h"
#include "rule/expression.h"
#include "rule/trial.h"

enum trial_piece_kind { PIECE_VALUE, PIECE_RAMP, PIECE_NOISE, PIECE_MISSING, PIECE_HOLE };
struct trial_piece {
	enum trial_piece_kind kind;
	time_ms begin, end; /* since the test's start */
	fixed from, to;     /* in the metric's unit; NOISE: the middle and how far from it */
};

struct trial_series { /* one metric of one entity */
	enum metric metric;
	const struct entity *entity;
	const struct trial_piece *pieces;
	size_t n;
	time_ms step;
};

struct expected_number { /* as written, and so compared: rounded to `decimals` in its own unit */
	const char *text; /* NULL: nothing is expected */
	double value;     /* NAN: "unknown" */
	enum unit unit;
	int decimals;
};

struct expectation {
	const struct entity **on;
	size_t n_on;              /* 0: all entities of the rule */
	enum outcome outcome;
	bool has_windows;
	struct spans windows;     /* since the test's start; any set, so that a list that is no such set can't be written */
	struct expected_number *evidence; /* beside rule->evidence, or NULL */
	struct expected_number cost, cost_least, coverage, margin;
	const char *reason;       /* a part of the sentence, or NULL */
	const char *excluded_by;  /* id, or NULL */
};

struct rule_test {
	const char *name;
	struct place place;
	time_ms begin, offset; /* UTC, and the zone's distance east of it */
	time_ms length;        /* of the longest series */
	uint64_t seed;
	const struct entity **entities;
	size_t n_entities;
	struct trial_series *series;
	size_t n_series;
	bool find_phases;
	struct phase_span *phases; /* since the test's start; none: all time belongs to those of `during` */
	size_t n_phases;
	struct expectation *expect;
	size_t n_expect;
};

/* A test that is being read. */
struct trial_reader {
	struct arena *mem;
	const struct rule *rule;
	struct diags *diags;
	size_t n_problems;
	bool is_full;           /* more of them are not told */
	size_t n_samples;       /* of this test so far */
	bool has_too_many;      /* members, which is told once a test */
	struct rule_test *test;
	const struct yaml_node *steps; /* `step`, or NULL */
	bool given_good;        /* else nobody knows who is there and how long the test is, and what is said of that can't be checked */
};

/* Complaints with the line they are about; always false. */
#define TRIAL_COMPLAIN(r, place, width, ...) \
	(trial_is_full(r) ? false : yaml_complain((r)->diags, (r)->rule->source, (place), (width), __VA_ARGS__))
#define TRIAL_COMPLAIN_NODE(r, node, ...) TRIAL_COMPLAIN(r, (node)->place, (node)->width, __VA_ARGS__)
#define TRIAL_COMPLAIN_KEY(r, node, ...) TRIAL_COMPLAIN(r, (node)->key_place, slice_columns((node)->key), __VA_ARGS__)
/* About a part of a scalar's text, in which it must lie. */
#define TRIAL_COMPLAIN_PART(r, node, part, ...) \
	(trial_is_full(r) ? false : yaml_complain_part((r)->diags, (r)->rule->source, (node), trial_offset((node), (part)), \
		trial_offset((node), (part)) + (part).n, __VA_ARGS__))
/* Counts a problem; true when the tests have had enough of them. */
bool trial_is_full(struct trial_reader *r);
/* Of a part in its scalar's text. */
size_t trial_offset(const struct yaml_node *node, struct slice part);
bool trial_is_text(struct trial_reader *r, const char *subject, const struct yaml_node *node);
/* Complains of keys that the map can't have, with the nearest right name. */
bool trial_keys(struct trial_reader *r, const struct yaml_node *map, const char *const *names, size_t n);

/* "6 min 45 s", "1.5 h": the sum in its last unit. False when it is no time. */
bool trial_time_parse(struct slice text, double *value, enum unit *unit, int *decimals);
/* The same in ms; also 0. */
bool trial_ms_parse(struct slice text, time_ms *out);
/* A moment since the start, exactly and readable back: "2 min 05 s". */
const char *trial_moment_text(struct arena *mem, time_ms t);

#define TRIAL_HOST "node01" /* where all is that names no host */
/* Takes "node02/" off the front of "node02/0-2"; TRIAL_HOST when there is none. */
struct slice trial_take_host(struct slice *text);
/* The numbers of "3", "0-2", "0,2-4"; false when the text is no such list, or `take` said so. */
bool trial_each_number(struct slice text, bool (*take)(void *context, int number), void *context);
/* `given`: entities and series (trial_given.c). */
bool trial_read_given(struct trial_reader *r, const struct yaml_node *given);
/* "95 x 60 s, 10 x 120 s", of whomever (trial_series.c). */
bool trial_read_series(struct trial_reader *r, const struct yaml_node *node, enum metric metric, struct trial_series *out);
/* "steady x 5 min": one after the other, the last to the end of the test. */
bool trial_read_phases(struct trial_reader *r, const struct yaml_node *node);
/* `expect` (trial_expect.c). */
bool trial_read_expect(struct trial_reader *r, const struct yaml_node *node);

/* The run that a test describes, derived metrics included. */
struct run *trial_run(struct arena *mem, const struct rule_test *test, const struct rule *rule);
/* The rule and all that can take its firing time, in order of id. */
struct rules trial_rules(struct arena *mem, const struct rules *all, const struct rule *rule);
/* Is all as the test expects it? Differences are told to `out`, unless NULL. */
bool trial_holds(struct arena *scratch, const struct rule_test *test, const struct rule *rule, const struct verdicts *found,
	const struct run *run, struct buf *out);
/* Series and truth of a verdict as lines of little bars. */
void trial_draw(struct arena *scratch, const struct rule_test *test, const struct run *run, const struct verdicts *all,
	const struct verdict *v, struct buf *out);

/* All nodes of some trees, each once: trees share the parts that have names (let). */
struct trial_nodes {
	const struct expression **at;
	size_t n;
};
struct trial_nodes trial_nodes_of(struct arena *mem, const struct expression *const *trees, size_t n_trees);

/* A tree with some nodes changed; what did not change is shared with the old one. */
struct tree_change {
	struct arena *mem;
	/* Changes the copy of a node; false when there is nothing to change. */
	bool (*change)(const void *context, const struct expression *node, struct expression *copy);
	const void *context;
	const struct expression **from, **to; /* what is done already, hashed; starts empty */
	size_t n, room;
};
const struct expression *tree_changed(struct tree_change *c, const struct expression *e);
/* Can the two be seen to give the same for all values that metrics can have? False: nobody knows. */
bool trees_prove_same(const struct expression *a, const struct expression *b);

#endif
