/*
 * rule_files.h - where rules come from, and what a user can say of them: one table of options for all commands that judge.
 *
 *     built in  <  /etc/postrun/rules/  <  ~/.config/postrun/rules/  <  --rules PATH
 */
#ifndef POSTRUN_RULE_FILES_H
#define POSTRUN_RULE_FILES_H

#include "cmd/options.h"
#include "rule/rule.h"

/* Rows for the table of a command. */
#define RULE_OPTIONS \
	{ "rules", 0, "PATH", NULL, "more rules: a file or a folder; the same id replaces a built-in rule" }, \
	{ "set", 0, "ID.PARAM=VALUE", NULL, "another number for a rule: gpu-hot.margin='3 C'" }, \
	{ "disable", 0, "ID", NULL, "leave a rule out" }, \
	{ "no-user-rules", 0, NULL, NULL, "leave out the rules in /etc/postrun/rules and ~/.config/postrun/rules" }

/*
 * All files that the options ask for, in order of their layers, then those at `more` as if by --rules. False, with
 * complaints, when one can't be read; the others are still there.
 */
bool rule_files_read(struct arena *mem, const struct options *o, const char *const *more, size_t n_more, struct rules_request *out,
	struct diags *diags);
/* The rules in force; NULL, with complaints, when anything is wrong with any of them. */
const struct rules *load_rules(struct arena *mem, const struct options *o, struct diags *diags);

#endif
