/*
 * load.c - rule files in, rules out: all of them, or every reason why not.
 *
 * The built-in files come first; a file of the user's with the same id takes the place of the
 * built-in one. Every file is read to its end before anything is decided, so that one run shows all
 * mistakes. Only when all are read it is known whether the ids that rules mention exist.
 *
 * The digest is XXH3_128 over the texts of the rules in force, in order of id: what
 * `cat` of these files into `xxhsum -H2` prints.
 */
#include "rule/schema.h"

#include <stdlib.h>
#include <xxhash.h>

struct entry { /* one file */
	const struct rule_file *file;
	size_t order;       /* as given */
	const char *id;
	const struct yaml_node *root; /* NULL: not YAML */
	const struct rule *rule;      /* NULL: something is wrong */
};
struct entries {
	struct entry *at;
	size_t n;
};

static struct entry read_entry(struct arena *mem, const struct rule_file *file, struct diags *diags)
{
	const struct slice id = rule_file_id(file->path);
	struct entry e = { .file = file, .id = arena_text(mem, id.p, id.n) };

	e.root = yaml_parse(mem, file->path, file->text, diags);
	if (e.root)
		e.rule = rule_from_yaml(mem, file, e.root, diags);
	return e;
}

static int by_id(const void *a, const void *b)
{
	const struct entry *const x = a, *const y = b;
	const int ids = strcmp(x->id, y->id);

	return ids != 0 ? ids : (x->order > y->order) - (x->order < y->order);
}

static struct entries read_all(struct arena *mem, const struct rules_request *request, struct diags *diags)
{
	const struct entries all = { NEW_ARRAY(mem, struct entry, request->n_files), request->n_files };

	for (size_t i = 0; i < all.n; i++) {
		all.at[i] = read_entry(mem, &request->files[i], diags);
		all.at[i].order = i;
	}
	qsort(all.at, all.n, sizeof *all.at, by_id);
	return all;
}

/* The last of each id stays. Two files of one side are a mistake: which of them is meant? */
static struct entries in_force(struct arena *mem, struct entries all, struct diags *diags)
{
	struct entries kept = { NEW_ARRAY(mem, struct entry, all.n), 0 };

	for (size_t i = 0; i < all.n; i++) {
		const bool same = i > 0 && strcmp(all.at[i].id, all.at[i - 1].id) == 0;
		if (same && all.at[i].file->layer == all.at[i - 1].file->layer)
			diag_at(diags, (struct place){ all.at[i].file->path, 0, 0 }, DIAG_DUPLICATE, "rule '%s' is also in %s",
				all.at[i].id, all.at[i - 1].file->path);
		kept.n -= same;
		kept.at[kept.n++] = all.at[i];
	}
	return kept;
}

static bool id_exists(struct entries rules, const char *id)
{
	const struct entry wanted = { .id = id };
	size_t low = 0, high = rules.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(rules.at[middle].id, wanted.id);
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static const char *nearest_id(struct arena *mem, struct entries rules, struct slice id)
{
	const char **const ids = NEW_ARRAY(mem, const char *, rules.n);

	for (size_t i = 0; i < rules.n; i++)
		ids[i] = rules.at[i].id;
	return nearest_name(id, ids, rules.n);
}

static void check_explained(struct arena *mem, struct entries rules, const struct entry *e, const struct yaml_node *node,
	struct diags *diags)
{
	const struct slice source = e->file->text;

	if (slice_is(node->text, e->id)) {
		rule_complain(diags, source, node->place, node->width, DIAG_BAD_VALUE, "a rule can't explain itself");
		return;
	}
	if (id_exists(rules, arena_text(mem, node->text.p, node->text.n)))
		return;
	const char *const meant = nearest_id(mem, rules, node->text);
	if (meant)
		rule_complain(diags, source, node->place, node->width, DIAG_BAD_VALUE, "no rule '%.*s'; did you mean '%s'?",
			SLICE(node->text), meant);
	else
		rule_complain(diags, source, node->place, node->width, DIAG_BAD_VALUE, "no rule '%.*s'", SLICE(node->text));
}

static void check_references(struct arena *mem, struct entries rules, struct diags *diags)
{
	for (size_t i = 0; i < rules.n; i++) {
		const struct yaml_node *const node = yaml_get(rules.at[i].root, "explains");
		if (!node || !rules.at[i].rule)
			continue;
		if (node->kind == YAML_SCALAR)
			check_explained(mem, rules, &rules.at[i], node, diags);
		for (const struct yaml_node *item = node->first; item; item = item->next)
			check_explained(mem, rules, &rules.at[i], item, diags);
	}
}

static const char *digest_of(struct arena *mem, struct entries rules)
{
	XXH3_state_t *const state = XXH3_createState();

	if (!state)
		die_memory();
	XXH3_128bits_reset(state);
	for (size_t i = 0; i < rules.n; i++)
		XXH3_128bits_update(state, rules.at[i].file->text.p, rules.at[i].file->text.n);
	const XXH128_hash_t hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	return arena_print(mem, "xxh128:%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static const struct rules *rules_of(struct arena *mem, struct entries kept)
{
	struct rules *const rules = NEW(mem, struct rules);
	struct rule_file_in_force *const files = NEW_ARRAY(mem, struct rule_file_in_force, kept.n);

	rules->at = NEW_ARRAY(mem, const struct rule *, kept.n);
	for (rules->n = 0; rules->n < kept.n; rules->n++) {
		const struct rule_file *const file = kept.at[rules->n].file;
		rules->at[rules->n] = kept.at[rules->n].rule;
		if (file->layer != LAYER_BUILT_IN)
			files[rules->n_files++] = (struct rule_file_in_force){ .path = file->path, .layer = file->layer };
	}
	rules->files = files;
	rules->digest = digest_of(mem, kept);
	return rules;
}

const struct rules *rules_load(struct arena *mem, const struct rules_request *request, struct diags *diags)
{
	const size_t n_errors = diags->n_errors;
	const struct entries all = read_all(mem, request, diags);
	const struct entries kept = in_force(mem, all, diags);

	check_references(mem, kept, diags);
	if (diags->n_errors == n_errors)
		return rules_of(mem, kept);
	diags_sort(diags);
	return NULL;
}
