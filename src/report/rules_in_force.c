/*
 * rules_in_force.c - by which rules a run was judged, where these are not the built-in ones as they are.
 *
 *     site/gpu-hot.yaml (xxh128:…) takes the place of rules/gpu-hot.yaml.
 *     gpu-hot was judged with margin = 3 °C, by --set.
 *     Not asked, by --disable: gpu-unused and gpu-low-use.
 *
 * Two reports can only be compared when these lines are the same.
 */
#include "report/report_parts.h"

/* What a file brought that no other had: "site/warm.yaml (xxh128:…) adds gpu-warm." */
static const char *added_by(const struct build *b, const char *path)
{
	for (size_t i = 0; i < b->rules->n; i++)
		if (strcmp(b->rules->at[i]->path, path) == 0)
			return b->rules->at[i]->id;
	return "a rule"; /* that another file replaced, or that is disabled */
}

static const char *file_sentence(struct build *b, const struct rule_file_in_force *f)
{
	if (f->replaces)
		return arena_print(b->mem, "%s (%s) takes the place of %s.", f->path, f->digest, f->replaces);
	return arena_print(b->mem, "%s (%s) adds %s.", f->path, f->digest, added_by(b, f->path));
}

static void list_files(struct build *b, struct report_rules *out, const char **sentences)
{
	struct report_rule_file *files = NEW_ARRAY(b->mem, struct report_rule_file, b->rules->n_files);

	for (size_t i = 0; i < b->rules->n_files; i++) {
		const struct rule_file_in_force *f = &b->rules->files[i];
		files[i] = (struct report_rule_file){ f->path, f->digest, rule_layer_name(f->layer), f->replaces };
		sentences[out->sentences.n++] = file_sentence(b, f);
	}
	out->files = files;
	out->n_files = b->rules->n_files;
}

static size_t count_set(const struct rule *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < rule->n_params; i++)
		n += rule->params[i].set;
	return n;
}

/* Those of one rule are one sentence. */
static void list_settings(struct build *b, struct report_rules *out, struct report_setting *settings, const char **sentences)
{
	for (size_t r = 0; r < b->rules->n; r++) {
		const struct rule *rule = b->rules->at[r];
		const char **parts = NEW_ARRAY(b->mem, const char *, rule->n_params);
		size_t n = 0;
		for (size_t i = 0; i < rule->n_params; i++) {
			const struct param *p = &rule->params[i];
			if (!p->set)
				continue;
			const char *name = arena_text(b->mem, p->name.p, p->name.n);
			settings[out->n_settings++] = (struct report_setting){ rule->id, name, p->value };
			parts[n++] = arena_print(b->mem, "%s = %s", name, quantity_text(b->mem, p->value));
		}
		if (n)
			sentences[out->sentences.n++] =
				arena_print(b->mem, "%s was judged with %s, by --set.", rule->id, joined(b->mem, parts, n, ", ", " and "));
	}
	out->settings = settings;
}

void build_rules(struct build *b)
{
	const struct rules *rules = b->rules;
	struct report_rules *out = &b->report->rules;
	size_t n_settings = 0;

	for (size_t i = 0; i < rules->n; i++)
		n_settings += count_set(rules->at[i]);
	const char **sentences = NEW_ARRAY(b->mem, const char *, rules->n_files + n_settings + 1);
	out->disabled = rules->disabled;
	out->sentences.at = sentences;
	list_files(b, out, sentences);
	list_settings(b, out, NEW_ARRAY(b->mem, struct report_setting, n_settings), sentences);
	if (rules->disabled.n)
		sentences[out->sentences.n++] =
			arena_print(b->mem, "Not asked, by --disable: %s.", names_listed(b->mem, rules->disabled.at, rules->disabled.n));
}
