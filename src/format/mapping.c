/*
 * mapping.c - from a YAML file to a mapping, by a table of keys.
 *
 *     titel: "my export"                 1:1 unknown key 'titel'; did you mean 'title'?
 *     columns:
 *       cpu: {metric: host.cpu.bussy}    3:18 no metric is called 'host.cpu.bussy'; did you mean 'host.cpu.busy'?
 *
 * Checked like rules: every problem of the file in one go, each with its place and the nearest right word.
 */
#include "format/mapping.h"

#include "base/embedded.h"

#define PATTERN_BYTES ((size_t)200)
#define MISSING_WORDS ((size_t)50)

/* A mapping that is being read. */
struct draft {
	struct arena *mem;
	struct slice source;
	struct diags *diags;
	struct mapping *mapping;
	bool good;
};

struct key {
	const char *name;
	enum yaml_kind kind;
	bool required;
	void (*take)(struct draft *d, const struct yaml_node *node);
};

#define COMPLAIN(d, ...) ((d)->good = yaml_complain((d)->diags, (d)->source, __VA_ARGS__))

static const char *text_of(struct draft *d, const struct yaml_node *node)
{
	return arena_text(d->mem, node->text.p, node->text.n);
}

/* ------ patterns ------ */

struct place_word { /* what may stand in braces */
	const char *word;
	size_t offset; /* of the capture */
	bool is_number;
};
static const struct place_word places[] = {
	{ "{gpu}", offsetof(struct captures, gpu), true },
	{ "{core}", offsetof(struct captures, core), true },
	{ "{host}", offsetof(struct captures, host), false },
};
#define N_PLACES (sizeof places / sizeof *places)

static const struct place_word *place_at(const char *pattern)
{
	for (size_t i = 0; i < N_PLACES; i++)
		if (strncmp(pattern, places[i].word, strlen(places[i].word)) == 0)
			return &places[i];
	return NULL;
}

static bool is_host_char(char c)
{
	return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.';
}

/* Bytes at `at` that the place takes: all that it can; 0: none. */
static size_t take_place(const struct place_word *place, struct slice head, size_t at, struct captures *out)
{
	size_t n = 0;

	while (at + n < head.n && (place->is_number ? is_digit(head.p[at + n]) : is_host_char(head.p[at + n])))
		n++;
	if (place->is_number) {
		int64_t number;
		if (!n || !integer_parse((struct slice){ head.p + at, n }, &number) || number >= 1 << 16)
			return 0;
		*(int *)((char *)out + place->offset) = (int)number;
	} else {
		out->host = (struct slice){ head.p + at, n };
	}
	return n;
}

/* Fits a piece of the pattern up to the next '*' (or its end) at `at`; the bytes that it takes, or SIZE_MAX. */
static size_t fit_piece(const char *pattern, struct slice head, size_t at, struct captures *out)
{
	size_t begin = at;

	while (*pattern && *pattern != '*') {
		const struct place_word *place = *pattern == '{' ? place_at(pattern) : NULL;
		if (place) {
			size_t n = take_place(place, head, at, out);
			if (!n)
				return SIZE_MAX;
			at += n;
			pattern += strlen(place->word);
			continue;
		}
		if (at == head.n || ascii_lower(head.p[at]) != ascii_lower(*pattern))
			return SIZE_MAX;
		at++;
		pattern++;
	}
	return at - begin;
}

/* Piece after piece, each as early as it fits; the last one at the end. Linear but for the pieces. */
bool pattern_fits(const char *pattern, struct slice head, struct captures *out)
{
	size_t at = 0;

	*out = (struct captures){ -1, -1, { "", 0 } };
	for (bool anywhere = false;; anywhere = true) {
		const char *next = strchr(pattern, '*');
		size_t took;
		while ((took = fit_piece(pattern, head, at, out)) == SIZE_MAX || (!next && at + took != head.n && anywhere)) {
			if (!anywhere || at == head.n)
				return false;
			at++;
		}
		at += took;
		if (!next)
			return at == head.n;
		pattern = next + 1;
	}
}

static const char *take_pattern(struct draft *d, struct slice text, struct place place, int width)
{
	const char *pattern = arena_text(d->mem, text.p, text.n);

	if (!text.n || text.n > PATTERN_BYTES)
		COMPLAIN(d, place, width, DIAG_BAD_VALUE, "a head has 1 to %zu bytes", PATTERN_BYTES);
	for (const char *brace = strchr(pattern, '{'); brace; brace = strchr(brace + 1, '{')) {
		size_t n = strcspn(brace, "} ");
		bool is_word = brace[n] == '}' && n > 1 && n < 10 && brace[1] >= 'a' && brace[1] <= 'z';
		if (is_word && !place_at(brace))
			COMPLAIN(d, place, width, DIAG_BAD_PLACEHOLDER, "'%.*s}' stands for nothing; there are {gpu}, {core} and {host}",
				(int)n, brace);
	}
	return pattern;
}

/* ------ the keys ------ */

static void take_title(struct draft *d, const struct yaml_node *node)
{
	d->mapping->title = text_of(d, node);
	if (!node->text.n)
		COMPLAIN(d, node->place, 1, DIAG_BAD_VALUE, "a title says what the mapping reads");
}

static void take_sources(struct draft *d, const struct yaml_node *node)
{
	if (!node->first)
		COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "say where the meaning of the columns comes from");
}

static void take_separator(struct draft *d, const struct yaml_node *node)
{
	bool tab = slice_is(node->text, "tab");

	if (!tab && node->text.n != 1)
		COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "a separator is one character, or tab");
	else
		d->mapping->separator = tab ? '\t' : node->text.p[0];
}

static void take_time(struct draft *d, const struct yaml_node *node)
{
	static const char *const forms[] = { "a time", "seconds since the start", "milliseconds since the start" };
	static const char *const names[] = { "column", "is", "zone" };
	bool has_column = false;

	for (const struct yaml_node *child = node->first; child; child = child->next) {
		size_t form = 0;
		if (slice_is(child->key, "column")) {
			d->mapping->time_head = take_pattern(d, child->text, child->place, child->width);
			has_column = true;
		} else if (slice_is(child->key, "is")) {
			while (form < 3 && !slice_is(child->text, forms[form]))
				form++;
			if (form == 3)
				COMPLAIN(d, child->place, child->width, DIAG_BAD_VALUE,
					"'%.*s' is no way to tell times; there are '%s', '%s' and '%s'", SLICE(child->text), forms[0],
					forms[1], forms[2]);
			d->mapping->time = (enum mapping_time)form;
		} else if (slice_is(child->key, "zone")) {
			d->mapping->zone = text_of(d, child);
			if (!zone_parse(child->text, &d->mapping->offset))
				COMPLAIN(d, child->place, child->width, DIAG_BAD_VALUE,
					"'%.*s' is no time zone; write UTC, UTC-5 or +05:30", SLICE(child->text));
		} else {
			const char *meant = nearest_name(child->key, names, 3);
			COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; %s", SLICE(child->key),
				meant ? arena_print(d->mem, "did you mean '%s'?", meant) : "time has column, is and zone");
		}
	}
	if (!has_column)
		COMPLAIN(d, node->place, node->width, DIAG_MISSING_KEY, "time needs 'column': the head of the column with the times");
}

static void take_metric(struct draft *d, const struct yaml_node *node, struct mapping_column *column, bool *unit_known)
{
	enum metric metric;

	if (metric_find(node->text, &metric)) {
		column->spelling.metric = metric;
		if (!*unit_known)
			column->spelling.unit = metric_table[metric].unit;
		return;
	}
	const char *meant = metric_nearest(node->text);
	COMPLAIN(d, node->place, node->width, DIAG_UNKNOWN_NAME, "no metric is called '%.*s'; %s", SLICE(node->text),
		meant ? arena_print(d->mem, "did you mean '%s'?", meant) : "`postrun metrics` lists them");
}

static void take_unit(struct draft *d, const struct yaml_node *node, struct mapping_column *column, bool *unit_known)
{
	*unit_known = unit_find(node->text, &column->spelling.unit);
	if (!*unit_known)
		COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "'%.*s' is no unit that postrun knows", SLICE(node->text));
}

static void check_column(struct draft *d, const struct yaml_node *node, const struct mapping_column *column)
{
	const struct metric_row *metric = &metric_table[column->spelling.metric];
	const struct unit_row *unit = &unit_table[column->spelling.unit];

	if (unit->dimension != unit_table[metric->unit].dimension)
		COMPLAIN(d, node->place, node->width, DIAG_BAD_DIMENSION, "'%s' is %s, but %s is %s", unit->symbol,
			dimension_name(unit->dimension), metric->name, dimension_name(unit_table[metric->unit].dimension));
	if (metric->scope == SCOPE_CORE && !strstr(column->head, "{core}") && !d->mapping->core_head)
		COMPLAIN(d, node->key_place, (int)node->key.n, DIAG_BAD_VALUE,
			"%s is about one core: put {core} into the head, or name the column of the core under 'entity'", metric->name);
}

static void take_column(struct draft *d, const struct yaml_node *node)
{
	struct mapping_column *column = &d->mapping->columns[d->mapping->n_columns];
	static const char *const names[] = { "metric", "unit" };
	bool unit_known = false, metric_given = false;
	const bool others_good = d->good;

	d->good = true;
	*column = (struct mapping_column){ .head = take_pattern(d, node->key, node->key_place, (int)node->key.n) };
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (slice_is(child->key, "metric")) {
			take_metric(d, child, column, &unit_known);
			metric_given = true;
		} else if (slice_is(child->key, "unit")) {
			take_unit(d, child, column, &unit_known);
		} else {
			const char *meant = nearest_name(child->key, names, 2);
			COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; %s", SLICE(child->key),
				meant ? arena_print(d->mem, "did you mean '%s'?", meant) : "a column has metric and unit");
		}
	}
	if (node->kind != YAML_MAP || !metric_given)
		COMPLAIN(d, node->place, node->width, DIAG_MISSING_KEY, "a column needs 'metric', like {metric: gpu.util, unit: \"%%\"}");
	column->spelling.head = column->head;
	if (d->good) /* of this column; mistakes elsewhere don't hide those in here */
		check_column(d, node, column);
	d->good &= others_good;
	d->mapping->n_columns++;
}

static void take_columns(struct draft *d, const struct yaml_node *node)
{
	size_t n = 0;

	for (const struct yaml_node *child = node->first; child; child = child->next)
		n++;
	if (!n || n > MAPPING_COLUMNS)
		COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "a mapping has 1 to %zu columns", MAPPING_COLUMNS);
	d->mapping->columns = NEW_ARRAY(d->mem, struct mapping_column, n);
	for (const struct yaml_node *child = node->first; child && n <= MAPPING_COLUMNS; child = child->next)
		take_column(d, child);
}

static void take_entity(struct draft *d, const struct yaml_node *node)
{
	static const char *const names[] = { "gpu", "core", "host" };
	const char **heads[] = { &d->mapping->gpu_head, &d->mapping->core_head, &d->mapping->host_head };

	for (const struct yaml_node *child = node->first; child; child = child->next) {
		size_t i = 0;
		while (i < 3 && !slice_is(child->key, names[i]))
			i++;
		if (i < 3)
			*heads[i] = take_pattern(d, child->text, child->place, child->width);
		else
			COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_UNKNOWN_KEY,
				"unknown key '%.*s'; an entity is named by the columns gpu, core and host", SLICE(child->key));
	}
}

static const char **take_texts(struct draft *d, const struct yaml_node *node, size_t *n)
{
	const char **texts = NEW_ARRAY(d->mem, const char *, MISSING_WORDS);

	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (*n == MISSING_WORDS) {
			COMPLAIN(d, child->place, child->width, DIAG_LIMIT, "more than %zu of them", MISSING_WORDS);
			break;
		}
		texts[(*n)++] = text_of(d, child);
	}
	return texts;
}

static void take_missing(struct draft *d, const struct yaml_node *node)
{
	d->mapping->missing = take_texts(d, node, &d->mapping->n_missing);
}

static void take_ignored(struct draft *d, const struct yaml_node *node)
{
	d->mapping->ignored = take_texts(d, node, &d->mapping->n_ignored);
}

static const struct key keys[] = { /* `entity` before `columns`, which look at it */
	{ "title", YAML_SCALAR, true, take_title },         { "sources", YAML_LIST, true, take_sources },
	{ "separator", YAML_SCALAR, false, take_separator }, { "time", YAML_MAP, true, take_time },
	{ "missing", YAML_LIST, false, take_missing },      { "ignore", YAML_LIST, false, take_ignored },
	{ "entity", YAML_MAP, false, take_entity },         { "columns", YAML_MAP, true, take_columns },
};
#define N_KEYS (sizeof keys / sizeof *keys)

static void refuse_unknown_keys(struct draft *d, const struct yaml_node *root)
{
	const char *names[N_KEYS];

	for (size_t i = 0; i < N_KEYS; i++)
		names[i] = keys[i].name;
	for (const struct yaml_node *child = root->first; child; child = child->next) {
		bool known = false;
		for (size_t i = 0; i < N_KEYS; i++)
			known |= slice_is(child->key, names[i]);
		if (known)
			continue;
		const char *meant = nearest_name(child->key, names, N_KEYS);
		COMPLAIN(d, child->key_place, (int)child->key.n, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; %s", SLICE(child->key),
			meant ? arena_print(d->mem, "did you mean '%s'?", meant)
			      : "a mapping has title, sources, time, columns, entity, missing, ignore and separator");
	}
}

static const char *kind_name(enum yaml_kind kind)
{
	return kind == YAML_SCALAR ? "one value" : kind == YAML_LIST ? "a list" : "a map";
}

static void take_all(struct draft *d, const struct yaml_node *root)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		const struct yaml_node *node = yaml_get(root, keys[i].name);
		if (node && node->kind == keys[i].kind)
			keys[i].take(d, node);
		else if (node)
			COMPLAIN(d, node->place, node->width, DIAG_BAD_VALUE, "'%s' must be %s", keys[i].name, kind_name(keys[i].kind));
		else if (keys[i].required)
			COMPLAIN(d, root->place, 1, DIAG_MISSING_KEY,
				"a mapping needs '%s'", keys[i].name);
	}
}

const struct mapping *mapping_load(struct arena *mem, const char *path, struct slice text, struct diags *diags)
{
	const struct yaml_node *root = yaml_parse(mem, path, text, diags);
	struct draft d = { .mem = mem, .source = text, .diags = diags, .good = true };
	const char *name = path_name(path), *dot = strrchr(name, '.');

	if (!root)
		return NULL;
	if (root->kind != YAML_MAP) {
		diag_at(diags, root->place, DIAG_BAD_VALUE, "a mapping is a map of keys");
		return NULL;
	}
	d.mapping = NEW(mem, struct mapping);
	d.mapping->id = arena_text(mem, name, dot ? (size_t)(dot - name) : strlen(name));
	d.mapping->path = arena_text(mem, path, strlen(path));
	d.mapping->text = text;
	d.mapping->separator = ',';
	refuse_unknown_keys(&d, root);
	take_all(&d, root);
	return d.good ? d.mapping : NULL;
}

static void add(struct mappings *all, const struct mapping *m)
{
	if (m)
		all->at[all->n++] = m;
}

const struct mappings *mappings_load(struct arena *mem, struct file_options maps, struct diags *diags)
{
	struct mappings *all = NEW(mem, struct mappings);
	bool good = true;

	all->at = NEW_ARRAY(mem, const struct mapping *, maps.n + n_embedded_files);
	for (size_t i = 0; i < maps.n; i++) {
		struct slice text;
		size_t n = all->n;
		if (file_slurp(mem, maps.at[i].value, YAML_MAX_BYTES, &text, diags))
			add(all, mapping_load(mem, maps.at[i].value, text, diags));
		good &= all->n > n;
	}
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *e = &embedded_files[i];
		struct slice text = { e->begin, (size_t)(e->end - e->begin) };
		if (strncmp(e->name, MAPPING_FOLDER, strlen(MAPPING_FOLDER)) == 0)
			add(all, mapping_load(mem, e->name, text, diags));
	}
	return good ? all : NULL;
}

struct slice mappings_text(const struct mappings *all, size_t i)
{
	return all->at[i]->text; /* they come first, in their order */
}
