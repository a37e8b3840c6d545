/* awaited_rules.c - which rules can wait, and who loads them. */
#include "cmd/awaited_rules.h"

static bool is_as_built_in(const struct rules_request *request)
{
	for (size_t i = 0; i < request->n_files; i++)
		if (request->files[i].layer != LAYER_BUILT_IN)
			return false;
	return !request->n_settings && !request->n_disabled;
}

bool rules_order(struct awaited_rules *r, struct arena *mem, const struct options *o, bool at_once, struct diags *diags)
{
	*r = (struct awaited_rules){ .mem = mem };
	const bool good = rule_files_read(mem, o, NULL, 0, &r->request, diags);
	if (!at_once && good && is_as_built_in(&r->request))
		return true;
	*r = rules_at_hand(rules_load(mem, &r->request, diags));
	return good && r->rules;
}

struct awaited_rules rules_at_hand(const struct rules *rules)
{
	return (struct awaited_rules){ .rules = rules };
}

static void load(void *of)
{
	struct awaited_rules *const r = of;

	r->rules = rules_load(&r->own, &r->request, &r->diags);
}

void rules_begin(struct awaited_rules *r)
{
	if (r->rules)
		return;
	arena_init(&r->own);
	diags_init(&r->diags, &r->own);
	r->aside = aside_start(load, r);
	if (!r->aside)
		load(r);
}

const struct rules *rules_await(struct awaited_rules *r)
{
	if (r->aside)
		aside_end(r->aside);
	if (!r->rules)
		BUG("a rule that is built in is wrong");
	if (r->mem) {
		diags_release(&r->diags);
		arena_adopt(r->mem, &r->own);
	}
	*r = rules_at_hand(r->rules);
	return r->rules;
}
