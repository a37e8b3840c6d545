/* rules.c - one of the rules in force, by its id. */
#include "rule/rule.h"

const struct rule *rules_find(const struct rules *rules, const char *id)
{
	for (size_t i = 0; i < rules->n; i++)
		if (strcmp(rules->at[i]->id, id) == 0)
			return rules->at[i];
	return NULL;
}

const char *rules_nearest(struct arena *mem, const struct rules *rules, const char *id)
{
	const char **const ids = NEW_ARRAY(mem, const char *, rules->n);

	for (size_t i = 0; i < rules->n; i++)
		ids[i] = rules->at[i]->id;
	return nearest_name(slice_of(id), ids, rules->n);
}
