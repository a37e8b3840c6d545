/* rules.h - what tests of rules share: rules from texts. */
#ifndef POSTRUN_TESTS_RULES_H
#define POSTRUN_TESTS_RULES_H

#include "rule/rule.h"

static inline const struct rules *rules_of_files(struct arena *mem, const struct rule_file *files, size_t n, struct diags *diags)
{
	const struct rules_request request = { .files = files, .n_files = n, .with_tests = true };

	return rules_load(mem, &request, diags);
}

#endif
