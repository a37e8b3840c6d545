/*
 * rule_files.c - the rule files of all layers, read whole.
 *
 * The rules of a site and of a user stand in folders that need not exist; what the command line names must. Which
 * of two files with the same id counts is decided where they are understood (rule/load.c), not here.
 */
#include "cmd/rule_files.h"

#include "base/embedded.h"
#include "base/file.h"

#include <stdlib.h>

#define SYSTEM_FOLDER "/etc/postrun/rules"

struct pile {
	struct arena *mem;
	struct rule_file *files;
	size_t n, room;
	struct diags *diags;
	bool good, is_full;
};

static void complain(struct pile *p, const char *path, enum diag_code code, const char *words)
{
	p->good = diag_at(p->diags, (struct place){ path, 0, 0 }, code, "%s", words);
}

static void add_built_in(struct pile *p)
{
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		const bool is_right_here = strchr(e->name, '/') == strrchr(e->name, '/'); /* folders below hold other data */
		if (is_right_here && slice_ends(slice_of(e->name), ".yaml"))
			p->files[p->n++] = (struct rule_file){ e->name, { e->begin, (size_t)(e->end - e->begin) }, LAYER_BUILT_IN };
	}
}

/* A file that a folder and the command line name is one file. */
static bool is_there(const struct pile *p, const char *path, enum rule_layer layer)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->files[i].layer == layer && strcmp(p->files[i].path, path) == 0)
			return true;
	return false;
}

static void add_file(struct pile *p, const char *path, enum rule_layer layer)
{
	struct rule_file *const file = &p->files[p->n];

	if (p->is_full || is_there(p, path, layer))
		return;
	if (p->n == p->room) {
		p->is_full = true;
		complain(p, path, DIAG_LIMIT,
			arena_print(p->mem, "more than %d rule files; those from here on are not read", MAX_RULE_FILES));
		return;
	}
	*file = (struct rule_file){ .path = path, .layer = layer };
	if (file_slurp(p->mem, path, YAML_MAX_BYTES, &file->text, p->diags))
		p->n++;
	else
		p->good = false;
}

/* How many rule files it has; SIZE_MAX when it can't be read. */
static size_t add_folder(struct pile *p, const char *path, enum rule_layer layer)
{
	size_t n_names, n = 0;
	const char **const names = folder_files(p->mem, path, &n_names, p->diags);

	if (!names) {
		p->good = false;
		return SIZE_MAX;
	}
	for (size_t i = 0; i < n_names; i++) {
		if (!slice_ends(slice_of(names[i]), ".yaml") && !slice_ends(slice_of(names[i]), ".yml"))
			continue;
		add_file(p, names[i], layer);
		n++;
	}
	return n;
}

static void add_given(struct pile *p, const char *path)
{
	if (!path_is_folder(path))
		add_file(p, path, LAYER_GIVEN);
	else if (add_folder(p, path, LAYER_GIVEN) == 0)
		complain(p, path, DIAG_CANNOT_READ, "the folder holds no rule file (*.yaml)");
}

static void add_if_there(struct pile *p, const char *path, enum rule_layer layer)
{
	if (path && path_is_folder(path))
		add_folder(p, path, layer);
}

/* A path that begins elsewhere than at the root must be ignored (XDG Base Directory Specification). */
static const char *user_folder(struct arena *mem)
{
	const char *const config = getenv("XDG_CONFIG_HOME"), *const home = getenv("HOME");

	if (config && config[0] == '/')
		return arena_print(mem, "%s/postrun/rules", config);
	return home && home[0] == '/' ? arena_print(mem, "%s/.config/postrun/rules", home) : NULL;
}

static const char **values_of(const struct options *o, const char *name, size_t *n)
{
	*n = option_count(o, name);
	const char **const values = NEW_ARRAY(o->mem, const char *, *n);
	for (size_t i = 0; i < *n; i++)
		values[i] = option_at(o, name, i);
	return values;
}

bool rule_files_read(struct arena *mem, const struct options *o, const char *const *more, size_t n_more, struct rules_request *out,
	struct diags *diags)
{
	struct pile p = {
		.mem = mem,
		.files = NEW_RAW_ARRAY(mem, struct rule_file, n_embedded_files + MAX_RULE_FILES + 1),
		.diags = diags,
		.good = true,
	};

	add_built_in(&p);
	p.room = p.n + MAX_RULE_FILES;
	if (!option_given(o, "no-user-rules")) {
		add_if_there(&p, SYSTEM_FOLDER, LAYER_SYSTEM);
		add_if_there(&p, user_folder(mem), LAYER_USER);
	}
	for (size_t i = 0; i < option_count(o, "rules"); i++)
		add_given(&p, option_at(o, "rules", i));
	for (size_t i = 0; i < n_more; i++)
		add_given(&p, more[i]);
	*out = (struct rules_request){ .files = p.files, .n_files = p.n };
	out->settings = values_of(o, "set", &out->n_settings);
	out->disabled = values_of(o, "disable", &out->n_disabled);
	return p.good;
}

const struct rules *load_rules(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct rules_request request;
	const bool good = rule_files_read(mem, o, NULL, 0, &request, diags);
	const struct rules *const rules = rules_load(mem, &request, diags);

	return good ? rules : NULL;
}
