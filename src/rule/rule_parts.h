/* rule_parts.h - whole rules while they are loaded: read from a tree, linted, described to their texts. For this folder only. */
#ifndef POSTRUN_RULE_PARTS_H
#define POSTRUN_RULE_PARTS_H

#include "base/yaml.h"
#include "rule/rule.h"

struct settings; /* settings.h */

/* The id that a file's name stands for: "gpu-hot" of "rules/gpu-hot.yaml". */
struct slice rule_file_id(const char *path);

struct rule_reading { /* how a rule file is read */
	const struct settings *settings; /* take the place of values of params; NULL for none */
	bool with_tests;                 /* else `tests` is any list of maps: a report has no use for them */
	bool strict;                     /* what is right is to be linted: with the places of all its parts */
};
/* Is it inside of this program, so that `rules check` found nothing wrong in it before that was made, and as it was then? */
bool rule_is_checked(const struct rule_file *file, const struct rule_reading *how);
/*
 * NULL, with complaints, when anything in the file is wrong; one that is checked is read without a look at that, and does not keep its
 * tree. Whether the ids of other rules in it exist
 * can't be seen from here.
 */
const struct rule *rule_from_yaml(struct arena *mem, const struct rule_file *file, const struct yaml_node *root,
	const struct rule_reading *how, struct diags *diags);

/* What is right but should not stay so: `rules check` tells it. Of one rule, and of rules beside each other. */
void rule_lint(const struct rule *rule, struct diags *diags);
void rules_lint(const struct rule *const *rules, size_t n, struct diags *diags);

/* The members of struct text_values. */
extern const struct fields text_value_fields;
/* These, then the rule's params, then its evidence: what rule_text_values() lays out. */
const struct fields *rule_text_fields(struct arena *mem, const struct rule *rule);

#endif
