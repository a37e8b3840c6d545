/*
 * draft.h - a rule while its file is being read, and the tools of those who read it. For this folder only.
 *
 * keys.c holds the table of keys and goes through it; the functions that take a key stand beside
 * their like: conditions and what belongs to them in keys_condition.c, texts in keys_text.c, maps and lists
 * that the author names things in in keys_names.c. json_schema.c prints the same table.
 */
#ifndef POSTRUN_DRAFT_H
#define POSTRUN_DRAFT_H

#include "rule/expression.h"
#include "rule/rule_parts.h"

struct draft {
	struct arena *mem;
	struct slice source;
	struct diags *diags;
	const char *path;
	const struct rule_reading *how;
	struct texts keys; /* that a rule can have */
	struct rule *rule;
	bool is_checked; /* rule_is_checked(): a report need not look for mistakes again */
	bool scope_known;
	bool scope_doubtful; /* inferred from conditions that turned out to be wrong */
	bool names_known; /* params, lets and evidence are all good, so that texts can be checked against them */
	bool has_unknown_keys; /* one of them may be a known one, misspelt */
	size_t n_problems;
	bool is_full; /* more of them are not told */
};

enum key_kind {
	KEY_TEXT,       /* prose for people */
	KEY_WORD,       /* one of a few words */
	KEY_ID,         /* of a rule */
	KEY_EXPRESSION, /* of the rule language */
	KEY_QUANTITY,   /* "80 %" */
	KEY_DURATION,   /* "10 s" */
	KEY_TEXTS,      /* a list of prose */
	KEY_WORDS,      /* a word, or a list of words */
	KEY_IDS,        /* the id of a rule, or a list of them */
	KEY_NAMED,      /* a map; its keys are names that the author gives */
	KEY_ITEMS,      /* a list of maps */
	KEY_ANY,        /* these two only inside of tests, which have a reader of their own: trial.h */
	KEY_EXPECT,     /* an outcome, a map, or a list of these */
};

struct key {
	const char *name;
	enum key_kind kind;
	bool required;
	bool of_intervals; /* means nothing in a whole-run rule */
	void (*take)(struct draft *d, const struct key *key, const struct yaml_node *node);
	size_t offset;     /* of the member of struct rule that it fills; unused by some */
	int most_columns;  /* of a KEY_TEXT; 0: any number */
	struct texts (*words)(struct arena *mem); /* the only ones that a KEY_WORD or KEY_WORDS can be; NULL: any */
	const struct key *parts; /* of each map in a KEY_NAMED, KEY_ITEMS or KEY_EXPECT; NULL: NAMED maps hold expressions */
	size_t n_parts;
	const char *what; /* for editors and documents */
};
extern const struct key rule_keys[];
extern const size_t n_rule_keys;

/* ------ complaints: all false ------ */

#define COMPLAIN(d, place, width, code, ...) \
	(draft_is_full(d) ? false : yaml_complain((d)->diags, (d)->source, (place), (width), (code), __VA_ARGS__))
#define COMPLAIN_NODE(d, node, code, ...) COMPLAIN(d, (node)->place, (node)->width, code, __VA_ARGS__)

/* Counts a problem; true when the file has had enough of them: who has more reads the first hundred first. */
bool draft_is_full(struct draft *d);
/* A key that means nothing here, with the nearest that would. */
bool draft_complain_key(struct draft *d, const struct yaml_node *child, const char *meant);

/* ------ words and texts ------ */

#define ID_MAX_BYTES 64
/* A letter, then letters, digits and `joint`; at most ID_MAX_BYTES. */
bool name_is_valid(struct slice text, char joint);
/* Index of the word; words.n with a complaint that offers the nearest or all. */
size_t draft_word_index(struct draft *d, const char *what, const struct yaml_node *node, struct texts words);

/* ------ kinds of nodes: all true of a file that was checked ------ */

bool draft_fits_kind(struct draft *d, const struct key *key, const struct yaml_node *node);
bool draft_is_filled(struct draft *d, const char *subject, const struct yaml_node *node);
/* Filled, and not cut off by what YAML takes for a comment. */
bool draft_is_prose(struct draft *d, const char *subject, const struct yaml_node *node);
/* A map that has all parts it needs and no others. `subject`: "parameter 'low'", at `place`. */
bool draft_is_complete(struct draft *d, const struct yaml_node *map, const char *subject, struct place place, int width,
	const struct key *parts, size_t n_parts);
/* Block texts end with a line end that nobody wrote for people to see. */
struct slice draft_trim_end(struct slice text);
const char *draft_text(struct draft *d, const struct yaml_node *node);
/* The member of the rule that the key fills. */
void *draft_member(struct draft *d, const struct key *key);

bool draft_quantity(struct draft *d, const struct yaml_node *node, struct quantity *q);
enum wanted { WANTED_CONDITION, WANTED_FRACTION, WANTED_EITHER };
/* NULL when the text is wrong, or when names are missing because of earlier mistakes. */
const struct expression *draft_expression(struct draft *d, const struct yaml_node *node, enum wanted wanted);

/* ------ who takes which key ------ */

typedef void take_fn(struct draft *d, const struct key *key, const struct yaml_node *node);

/* keys_text.c */
take_fn take_id, take_line, take_short, take_cost_by, take_texts, take_template, take_card, take_try;
/* keys_names.c */
take_fn take_params, take_let, take_evidence, take_others, take_question, take_rivals, take_tests;
/* keys_condition.c */
take_fn take_severity, take_scope, take_condition, take_duration, take_during, take_coverage, take_cost, take_cost_least;
struct texts severity_words(struct arena *mem);
struct texts scope_words(struct arena *mem);
struct texts during_words(struct arena *mem);
/* The narrowest scope of the metrics in its conditions: for a rule that doesn't say its own. */
enum scope conditions_scope(const struct yaml_node *root);
/* What can be told from finished conditions: metrics, and what kind of sign they are. */
void draft_infer(struct draft *d);

#endif
