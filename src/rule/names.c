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

bool severity_find(const char *name, enum severity *out)
{
	for (*out = SEVERITY_NOTE; *out <= SEVERITY_CRITICAL; ++*out)
		if (strcmp(name, severity_name(*out)) == 0)
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
