/* names.c - the words for severities and outcomes that users, JSON and templates see. */
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
