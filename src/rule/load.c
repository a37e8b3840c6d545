/*
 * load.c - rule files in, rules out: all of them, or every reason why not.
 *
 * Files come in layers: built in, the system's, the user's, those given on the command line; a file takes the place of one
 * with the same id in an earlier layer. Every file is read to its end before anything is decided, also one that
 * was replaced, so that one run shows all mistakes.
 *
 * The digest is XXH3_128 over the texts of the rules in force, in order of id, then over the settings of their params,
 * a line each, in order: what `{ cat FILES; printf '%s\n' gpu-hot.margin='3 C'; } | xxhsum -H2` prints.
 */
#include "base/digest.h"
#include "rule/references.h"
#include "rule/rule_parts.h"
#include "rule/settings.h"

#include <stdlib.h>

/* ------ files ------ */

/* Of one id in order of their layers: files are given so. */
static int by_id(const void *a, const void *b)
{
	const struct entry *const x = a, *const y = b;
	const int ids = strcmp(x->id, y->id);

	return ids != 0 ? ids : (x->order > y->order) - (x->order < y->order);
}

static struct entries entries_of(struct arena *mem, const struct rules_request *request)
{
	const struct entries all = { NEW_ARRAY(mem, struct entry, request->n_files), request->n_files };

	for (size_t i = 0; i < all.n; i++) {
		const struct slice id = rule_file_id(request->files[i].path);
		all.at[i] = (struct entry){ .file = &request->files[i], .id = arena_text(mem, id.p, id.n), .order = i };
	}
	qsort(all.at, all.n, sizeof *all.at, by_id);
	return all;
}

static bool is_replaced(struct entries all, size_t i)
{
	return i + 1 < all.n && strcmp(all.at[i].id, all.at[i + 1].id) == 0;
}

/* A rule that is good alone and wrong with a setting: the window of mean(x, wide) by --set ID.wide='0 s'. */
static bool setting_fits(struct arena *mem, const struct entry *e, const struct setting *setting, const struct rule_reading *how,
	struct diags *diags)
{
	const struct rule_reading alone = { &(struct settings){ setting, 1 }, how->with_tests, how->strict };
	struct diags aside;

	diags_init(&aside, mem);
	const bool good = rule_from_yaml(mem, e->file, e->root, &alone, &aside);
	for (size_t i = 0; i < aside.n; i++)
		setting_blame(setting, &aside.at[i], diags);
	diags_release(&aside);
	return good;
}

static bool is_set(const struct settings *settings, const char *id)
{
	for (size_t i = 0; i < settings->n; i++)
		if (slice_is(settings->at[i].id, id))
			return true;
	return false;
}

static struct rule_reading as_written(const struct rule_reading *how)
{
	return (struct rule_reading){ NULL, how->with_tests, how->strict };
}

/* As the file is, then once more with what is set. */
static const struct rule *read_rule(struct arena *mem, const struct entry *e, const struct rule_reading *how, struct diags *diags)
{
	const struct rule_reading plain = as_written(how);
	const struct rule *const rule = rule_from_yaml(mem, e->file, e->root, &plain, diags);
	bool fits = rule;

	for (size_t i = 0; i < how->settings->n; i++)
		if (slice_is(how->settings->at[i].id, e->id))
			fits = fits && setting_fits(mem, e, &how->settings->at[i], how, diags);
	return is_set(how->settings, e->id) && fits ? rule_from_yaml(mem, e->file, e->root, how, diags) : rule;
}

/*
 * Tests are more than half of the rules that are built in and stand last in them; `rules check` tells what is wrong there
 * before a program is made of them. A report need not read them at each start.
 */
static struct slice without_tests(struct slice text)
{
	for (struct slice rest = text; rest.n > 0;) {
		const struct slice line = slice_line(&rest);
		if (slice_is(line, "tests:"))
			return (struct slice){ text.p, (size_t)(line.p - text.p) };
	}
	return text;
}

static const struct yaml_node *tree_of(struct arena *mem, const struct entry *e, const struct rule_reading *how, struct diags *diags)
{
	const bool is_whole = how->with_tests || how->strict || e->file->layer != LAYER_BUILT_IN;

	return yaml_parse(mem, e->file->path, is_whole ? e->file->text : without_tests(e->file->text), diags);
}

/* A tree that no rule will keep is made in `passing`, and not kept: page by page they would cost more than to make them. */
static void read_entry(struct arena *mem, struct arena *passing, struct entry *e, const struct rule_reading *how, struct diags *diags)
{
	const struct rule_reading plain = as_written(how);
	const bool is_kept = !rule_is_checked(e->file, &plain) || is_set(how->settings, e->id);

	e->root = tree_of(is_kept ? mem : passing, e, how, diags);
	if (e->root)
		e->rule = read_rule(mem, e, how, diags);
	if (!is_kept)
		e->root = NULL;
	arena_reset(passing);
}

/* The command line speaks of the rules in force only. */
static void read_all(struct arena *mem, struct entries all, const struct rule_reading *how, struct diags *diags)
{
	const struct rule_reading of_replaced = { &(struct settings){ NULL, 0 }, how->with_tests, how->strict };
	struct arena passing;

	arena_init(&passing);
	for (size_t i = 0; i < all.n; i++)
		read_entry(mem, &passing, &all.at[i], is_replaced(all, i) ? &of_replaced : how, diags);
	arena_release(&passing);
}

/* Where nothing but what is built in is in force, `rules check` has asked this. */
static void check_references(struct arena *mem, struct entries rules, const struct rule_reading *how, struct diags *diags)
{
	const struct rule_reading plain = as_written(how);
	bool any_other = false;

	for (size_t i = 0; i < rules.n; i++)
		any_other |= !rule_is_checked(rules.at[i].file, &plain);
	for (size_t i = 0; i < rules.n && any_other; i++)
		if (!rules.at[i].root && rules.at[i].rule)
			rules.at[i].root = tree_of(mem, &rules.at[i], how, diags);
	references_check(mem, rules, diags);
}

/* The last of each id stays. Two files of one layer are a mistake: which of them is meant? */
static struct entries in_force(struct arena *mem, struct entries all, struct diags *diags)
{
	struct entries kept = { NEW_ARRAY(mem, struct entry, all.n), 0 };

	for (size_t i = 0; i < all.n; i++) {
		struct entry *const e = &all.at[i];
		const struct entry *const before = i > 0 && is_replaced(all, i - 1) ? &all.at[i - 1] : NULL;
		if (before && e->file->layer == before->file->layer)
			diag_at(diags, (struct place){ e->file->path, 0, 0 }, DIAG_DUPLICATE, "rule '%s' is also in %s", e->id,
				before->file->path);
		else if (before)
			e->replaces = before->file->path;
		if (!is_replaced(all, i))
			kept.at[kept.n++] = *e;
	}
	return kept;
}

/* ------ the command line ------ */

static void complain_no_rule(struct arena *mem, struct entries rules, const char *option, struct slice id, struct diags *diags)
{
	const char *const meant = entry_nearest_id(mem, rules, id);

	diag_at(diags, (struct place){ option, 0, 0 }, DIAG_UNKNOWN_NAME, "no rule '%.*s'%s", SLICE(id), did_you_mean(mem, meant));
}

static void check_settings(struct arena *mem, struct entries rules, struct settings settings, struct diags *diags)
{
	for (size_t i = 0; i < settings.n; i++) {
		const struct setting *const s = &settings.at[i];
		const struct entry *const e = entry_find(rules, s->id);
		if (!e)
			complain_no_rule(mem, rules, s->option, s->id, diags);
		else if (e->rule)
			setting_check(mem, s, e->rule, diags);
	}
}

static void check_disabled(struct arena *mem, struct entries rules, const struct rules_request *request, struct diags *diags)
{
	for (size_t i = 0; i < request->n_disabled; i++) {
		const struct slice id = slice_of(request->disabled[i]);
		if (!entry_find(rules, id))
			complain_no_rule(mem, rules, arena_print(mem, "--disable %s", request->disabled[i]), id, diags);
	}
}

static bool is_disabled(const struct rules_request *request, const char *id)
{
	for (size_t i = 0; i < request->n_disabled; i++)
		if (strcmp(request->disabled[i], id) == 0)
			return true;
	return false;
}

static struct entries enabled(struct arena *mem, struct entries rules, const struct rules_request *request)
{
	struct entries kept = { NEW_ARRAY(mem, struct entry, rules.n), 0 };

	for (size_t i = 0; i < rules.n; i++)
		if (!is_disabled(request, rules.at[i].id))
			kept.at[kept.n++] = rules.at[i];
	return kept;
}

/* Each id once, in order of id. */
static struct texts disabled_ids(struct arena *mem, struct entries rules, const struct rules_request *request)
{
	const char **const ids = NEW_ARRAY(mem, const char *, rules.n);
	struct texts all = { ids, 0 };

	for (size_t i = 0; i < rules.n; i++)
		if (is_disabled(request, rules.at[i].id))
			ids[all.n++] = rules.at[i].id;
	return all;
}

/* ------ digests ------ */

static const char *digest_text(struct arena *mem, struct digest *d)
{
	char digits[DIGEST_DIGITS + 1];

	digest_end(d, digits);
	return arena_print(mem, "xxh128:%s", digits);
}

static const char *digest_of_all(struct arena *mem, struct entries rules, struct settings settings)
{
	struct digest *const d = digest_begin();

	for (size_t i = 0; i < rules.n; i++)
		digest_add(d, rules.at[i].file->text);
	for (size_t i = 0; i < settings.n; i++) {
		if (!entry_find(rules, settings.at[i].id)) /* of a disabled rule: it changes nothing */
			continue;
		digest_add(d, slice_of(settings.at[i].text));
		digest_add(d, slice_of("\n"));
	}
	return digest_text(mem, d);
}

static const char *digest_of_file(struct arena *mem, const struct rule_file *file)
{
	struct digest *const d = digest_begin();

	digest_add(d, file->text);
	return digest_text(mem, d);
}

/* ------ the result ------ */

static int by_path(const void *a, const void *b)
{
	const struct rule_file_in_force *const x = a, *const y = b;

	return strcmp(x->path, y->path);
}

static void list_files(struct arena *mem, struct entries entries, struct rules *rules)
{
	struct rule_file_in_force *const files = NEW_ARRAY(mem, struct rule_file_in_force, entries.n);

	for (size_t i = 0; i < entries.n; i++) {
		const struct entry *const e = &entries.at[i];
		if (e->file->layer != LAYER_BUILT_IN)
			files[rules->n_files++] = (struct rule_file_in_force){
				.path = e->file->path,
				.digest = digest_of_file(mem, e->file),
				.layer = e->file->layer,
				.replaces = e->replaces,
			};
	}
	qsort(files, rules->n_files, sizeof *files, by_path);
	rules->files = files;
}

static const struct rule **rules_in(struct arena *mem, struct entries entries, size_t *n)
{
	const struct rule **const all = NEW_ARRAY(mem, const struct rule *, entries.n);

	*n = 0;
	for (size_t i = 0; i < entries.n; i++)
		if (entries.at[i].rule)
			all[(*n)++] = entries.at[i].rule;
	return all;
}

/* What is right but should not stay so, of the rules in force that can be judged. */
static void lint_all(struct arena *mem, struct entries entries, struct diags *diags)
{
	size_t n;
	const struct rule **const rules = rules_in(mem, entries, &n);

	for (size_t i = 0; i < n; i++)
		rule_lint(rules[i], diags);
	rules_lint(rules, n, diags);
}

const struct rules *rules_load(struct arena *mem, const struct rules_request *request, struct diags *diags)
{
	const size_t n_errors = diags->n_errors;
	const struct settings settings = settings_read(mem, request->settings, request->n_settings, diags);
	const struct rule_reading how = { &settings, request->with_tests, request->strict };
	const struct entries all = entries_of(mem, request);

	read_all(mem, all, &how, diags);
	const struct entries kept = in_force(mem, all, diags);
	check_references(mem, kept, &how, diags);
	check_settings(mem, kept, settings, diags);
	check_disabled(mem, kept, request, diags);
	const struct entries judged = enabled(mem, kept, request);
	if (request->strict)
		lint_all(mem, judged, diags);
	if (diags->n_errors > n_errors) {
		diags_sort(diags);
		return NULL;
	}
	struct rules *const rules = NEW(mem, struct rules);
	rules->at = rules_in(mem, judged, &rules->n);
	rules->digest = digest_of_all(mem, judged, settings);
	rules->disabled = disabled_ids(mem, kept, request);
	list_files(mem, judged, rules);
	return rules;
}
