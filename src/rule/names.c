/* names.c - the words for severities, outcomes and layers of files that users, JSON and templates see. */
#include "rule/rule.h"

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_NOTE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_CRITICAL] = "critical",
	};

	return names[severity];
}

bool severity_find(struct slice name, enum severity *severity)
{
	for (*severity = SEVERITY_NOTE; *severity <= SEVERITY_CRITICAL; ++*severity)
		if (slice_is(name, severity_name(*severity)))
			return true;
	return false;
}

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_FIRED] = "fired",
		[OUTCOME_CLEAR] = "clear",
		[OUTCOME_UNKNOWN] = "unknown",
		[OUTCOME_SKIPPED] = "skipped",
	};

	return names[outcome];
}

const char *rule_layer_name(enum rule_layer layer)
{
	static const char *const names[] = {
		[LAYER_BUILT_IN] = "built in",
		[LAYER_SYSTEM] = "system",
		[LAYER_USER] = "user",
		[LAYER_GIVEN] = "given",
	};

	return names[layer];
}
