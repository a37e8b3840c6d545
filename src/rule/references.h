/* references.h - rule files beside each other, and what they say of one another. For this folder only. */
#ifndef POSTRUN_REFERENCES_H
#define POSTRUN_REFERENCES_H

#include "base/yaml.h"
#include "rule/rule.h"

struct entry { /* one file */
	const struct rule_file *file;
	const char *id;
	size_t order;                 /* as given */
	const char *replaces;         /* path of the file of an earlier layer whose place it took; or NULL */
	const struct yaml_node *root; /* NULL: not YAML, or checked and not kept */
	const struct rule *rule;      /* NULL: something is wrong */
};
struct entries { /* in order of id */
	struct entry *at;
	size_t n;
};

const struct entry *entry_find(struct entries rules, struct slice id);
/* The id that was meant, or NULL. */
const char *entry_nearest_id(struct arena *mem, struct entries rules, struct slice id);
/* Every id that a rule mentions must exist, and none may exclude itself, on whatever way. */
void references_check(struct arena *mem, struct entries rules, struct diags *diags);

#endif
