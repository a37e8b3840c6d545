/*
 * awaited_rules.h - the rules of a report, loaded while its logs are read.
 *
 * To load them takes as long as to read a small log, and neither needs the other. That goes only for what is built in and as it is:
 * there nothing can be wrong. Of any other rules every mistake is told before a log is read.
 */
#ifndef POSTRUN_AWAITED_RULES_H
#define POSTRUN_AWAITED_RULES_H

#include "base/aside.h"
#include "cmd/rule_files.h"

struct awaited_rules {
	const struct rules *rules; /* NULL: not loaded yet */
	struct arena *mem;         /* where they will live */
	struct rules_request request;
	struct aside *aside;       /* who loads them, or NULL; what is below is theirs meanwhile */
	struct arena own;
	struct diags diags;
};

/* What the options ask for; `at_once`: they are needed before. False, with complaints, when anything is wrong with any of them. */
bool rules_order(struct awaited_rules *r, struct arena *mem, const struct options *o, bool at_once, struct diags *diags);
/* Those that are loaded already. */
struct awaited_rules rules_at_hand(const struct rules *rules);
/* Loads them if they are not, aside where there is a core for that. To be followed by rules_await(), whether or not anybody needs them. */
void rules_begin(struct awaited_rules *r);
const struct rules *rules_await(struct awaited_rules *r);

#endif
