/*
 * devices.c - from rules/devices/nvidia.yaml to a table of cards.
 *
 *     nvidia.yaml:9:7: error: unknown-name: 'gpu.clock_sm_mx' is no limit of a card; did you mean 'gpu.clock_sm_max'?
 *
 * Checked like rules and mappings: every problem of the file in one go, each with its place and the nearest right word.
 */
#include "run/devices.h"

#include "base/embedded.h"
#include "base/yaml.h"

struct draft {
	struct arena *mem;
	struct slice source;
	struct diags *diags;
	bool good;
};

#define COMPLAIN(d, ...) ((d)->good = yaml_complain((d)->diags, (d)->source, __VA_ARGS__))

static const enum metric limits[] = {
	/* of a card; what a log can set, as the power limit in force, is none */
	METRIC_GPU_POWER_DEFAULT,
	METRIC_GPU_CLOCK_SM_MAX,
	METRIC_GPU_TEMP_MAX,
	METRIC_GPU_TEMP_SLOWDOWN,
	METRIC_GPU_TEMP_SHUTDOWN,
	METRIC_GPU_TEMP_MEM_MAX,
	METRIC_GPU_MEM_TOTAL,
};
#define N_LIMITS (sizeof limits / sizeof *limits)

static const char *text_of(struct draft *d, const struct yaml_node *node)
{
	return arena_text(d->mem, node->text.p, node->text.n);
}

static bool limit_find(struct draft *d, const struct yaml_node *node, enum metric *out)
{
	const char *names[N_LIMITS];

	for (size_t i = 0; i < N_LIMITS; i++) {
		names[i] = metric_table[limits[i]].name;
		if (slice_is(node->key, names[i])) {
			*out = limits[i];
			return true;
		}
	}
	const char *const meant = nearest_name(node->key, names, N_LIMITS);
	COMPLAIN(d, node->key_place, (int)node->key.n, DIAG_UNKNOWN_NAME, "'%.*s' is no limit of a card; %s", SLICE(node->key),
		meant ? arena_print(d->mem, "did you mean '%s'?", meant) : "`postrun metrics` lists them");
	return false;
}

/* "700 W" in the metric's own unit. */
static bool take_value(struct draft *d, const struct yaml_node *node, enum metric metric, fixed *out)
{
	const struct metric_row *const row = &metric_table[metric];
	const char *const own = unit_table[row->unit].symbol;
	struct slice unit;

	if (node->kind == YAML_SCALAR && fixed_parse(node->text, out, &unit) && slice_is(unit, own) && fixed_value(*out) >= row->low &&
		fixed_value(*out) <= row->high)
		return true;
	return COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "%s must be a number in %s that a card can have", row->name, own);
}

static bool has_fact(const struct device *device, enum metric metric)
{
	for (size_t i = 0; i < device->n_facts; i++)
		if (device->facts[i].metric == metric)
			return true;
	return false;
}

static void take_facts(struct draft *d, const struct yaml_node *node, struct device *device, bool is_derived)
{
	for (const struct yaml_node *child = node ? node->first : NULL; child; child = child->next) {
		struct device_fact fact = { .is_derived = is_derived };
		if (!limit_find(d, child, &fact.metric) || !take_value(d, child, fact.metric, &fact.value))
			continue;
		if (has_fact(device, fact.metric) || device->n_facts == DEVICE_FACTS)
			COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_BAD_VALUE, "%s is said twice of this card",
				metric_table[fact.metric].name);
		else
			device->facts[device->n_facts++] = fact;
	}
}

static void take_names(struct draft *d, const struct yaml_node *node, const struct devices *before, struct device *device)
{
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		const char *const name = text_of(d, child);
		if (!*name || device->n_names == DEVICE_NAMES)
			COMPLAIN(d, child->place, child->width, DIAG_BAD_VALUE, "a card has 1 to %zu names", DEVICE_NAMES);
		else if (devices_find(before, name))
			COMPLAIN(d, child->place, child->width, DIAG_BAD_VALUE, "'%s' stands in two rows", name);
		else
			device->names[device->n_names++] = name;
	}
}

static const struct {
	const char *name;
	enum yaml_kind kind;
	bool required;
} keys[] = {
	{ "names", YAML_LIST, true },
	{ "source", YAML_SCALAR, true },
	{ "told", YAML_MAP, false },
	{ "derived", YAML_MAP, false },
};
#define N_KEYS (sizeof keys / sizeof *keys)

static void refuse_unknown_keys(struct draft *d, const struct yaml_node *map, const char *const *names, size_t n, const char *all)
{
	for (const struct yaml_node *child = map->first; child; child = child->next) {
		if (slice_is_among(child->key, names, n))
			continue;
		const char *const meant = nearest_name(child->key, names, n);
		COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; %s", SLICE(child->key),
			meant ? arena_print(d->mem, "did you mean '%s'?", meant) : all);
	}
}

static bool has_keys(struct draft *d, const struct yaml_node *row)
{
	const char *names[N_KEYS];
	bool good = row->kind == YAML_MAP;

	for (size_t i = 0; i < N_KEYS; i++)
		names[i] = keys[i].name;
	if (!good)
		return COMPLAIN(d, row->place, row->width, DIAG_BAD_VALUE, "a card is a map of names, told, derived and source");
	refuse_unknown_keys(d, row, names, N_KEYS, "a card has names, told, derived and source");
	for (size_t i = 0; i < N_KEYS; i++) {
		const struct yaml_node *const node = yaml_get(row, keys[i].name);
		if (!node && keys[i].required)
			good = COMPLAIN(d, row->place, 1, DIAG_MISSING_KEY, "a card needs '%s'", keys[i].name);
		else if (node && node->kind != keys[i].kind)
			good = COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "'%s' must be %s", keys[i].name,
				yaml_kind_name(keys[i].kind));
	}
	return good;
}

static void take_card(struct draft *d, const struct yaml_node *row, const struct devices *before, struct device *device)
{
	if (!has_keys(d, row))
		return;
	take_names(d, yaml_get(row, "names"), before, device);
	take_facts(d, yaml_get(row, "told"), device, false);
	take_facts(d, yaml_get(row, "derived"), device, true);
	device->source = text_of(d, yaml_get(row, "source"));
	if (!*device->source)
		COMPLAIN(d, yaml_get(row, "source")->place, 1, DIAG_BAD_VALUE, "say where the card said so");
}

const struct devices *devices_load(struct arena *mem, const char *path, struct slice text, struct diags *diags)
{
	static const char *const heads[] = { "title", "cards" };
	const struct yaml_node *const root = yaml_parse(mem, path, text, diags), *const cards = yaml_get(root, "cards");
	struct draft d = { .mem = mem, .source = text, .diags = diags, .good = true };
	struct devices *const all = NEW(mem, struct devices);

	if (!root)
		return NULL;
	if (root->kind == YAML_MAP)
		refuse_unknown_keys(&d, root, heads, 2, "a table of cards has title and cards");
	if (!cards || cards->kind != YAML_LIST) {
		diag_at(diags, root->place, DIAG_MISSING_KEY, "a table of cards needs 'cards', a list");
		return NULL;
	}
	struct device *const rows = NEW_ARRAY(mem, struct device, yaml_n_children(cards));
	all->at = rows;
	for (const struct yaml_node *row = cards->first; row; row = row->next) {
		take_card(&d, row, all, &rows[all->n]);
		all->n++;
	}
	return d.good ? all : NULL;
}

const struct devices *devices_built_in(struct arena *mem, struct diags *diags)
{
	return devices_load(mem, DEVICES_FILE, embedded_get(DEVICES_FILE), diags);
}

static const char *without_maker(const char *name)
{
	static const char maker[] = "NVIDIA ";

	return strncmp(name, maker, sizeof maker - 1) == 0 ? name + sizeof maker - 1 : name;
}

const struct device *devices_find(const struct devices *devices, const char *name)
{
	for (size_t i = 0; name && i < devices->n; i++)
		for (size_t k = 0; k < devices->at[i].n_names; k++)
			if (strcmp(without_maker(devices->at[i].names[k]), without_maker(name)) == 0)
				return &devices->at[i];
	return NULL;
}
