/*
 * rule_against.h - which rules the logs of a run can answer, which not, and what to log for these.
 */
#ifndef POSTRUN_RULE_AGAINST_H
#define POSTRUN_RULE_AGAINST_H

#include "cmd/options.h"
#include "rule/rule.h"

/*
 * Prints a table of 80 columns for the logs of every --against PATH, which are read as the input options say, if the command has
 * these. The exit status of the command.
 */
int rule_against(struct arena *mem, const struct rules *rules, const struct options *o, struct diags *diags);

#endif
