/*
 * yaml_node.c - what readers of YAML files ask of a tree, and how they complain of a place in its file.
 *
 *     my/hot.yaml:9:7: error: unknown-name: unknown name 'gpu.tmp'; did you mean 'gpu.temp'?
 *         9 | when: gpu.tmp > limit
 *           |       ^~~~~~~
 */
#include "base/yaml.h"

#include <stdio.h>

#define WORDS_MAX_BYTES 1024 /* of one complaint; what is longer is cut */

const char *yaml_key_meant(struct slice key, const char *const *names, size_t n)
{
	return slice_is_among(key, names, n) ? NULL : nearest_name(key, names, n);
}

bool yaml_is_misspelt(const struct yaml_node *map, const char *name, const char *const *names, size_t n)
{
	for (const struct yaml_node *child = map->first; child; child = child->next) {
		const char *const meant = yaml_key_meant(child->key, names, n);
		if (meant && strcmp(meant, name) == 0)
			return true;
	}
	return false;
}

const char *yaml_kind_name(enum yaml_kind kind)
{
	return kind == YAML_LIST ? "a list" : kind == YAML_MAP ? "a map" : "a text";
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (const struct yaml_node *child = map->first; child; child = child->next)
		if (slice_is(child->key, key))
			return child;
	return NULL;
}

size_t yaml_n_children(const struct yaml_node *node)
{
	size_t n = 0;

	for (const struct yaml_node *child = node->first; child; child = child->next)
		n++;
	return n;
}

size_t yaml_n_items(const struct yaml_node *node)
{
	return node->kind == YAML_LIST ? yaml_n_children(node) : 1;
}

const struct yaml_node *yaml_first_item(const struct yaml_node *node)
{
	return node->kind == YAML_LIST ? node->first : node;
}

const struct yaml_node *yaml_next_item(const struct yaml_node *list, const struct yaml_node *item)
{
	return list->kind == YAML_LIST ? item->next : NULL;
}

/* ------ complaints ------ */

static bool complain(struct diags *diags, struct slice source, struct place place, int width, enum diag_code code, const char *format,
	va_list arguments)
{
	char words[WORDS_MAX_BYTES];

	vsnprintf(words, sizeof words, format, arguments);
	diag_at(diags, place, code, "%s", words);
	if (place.line > 0)
		diag_excerpt(diags, source_line(source, place.line), width > 0 ? width : 1);
	return false;
}

bool yaml_complain(struct diags *diags, struct slice source, struct place place, int width, enum diag_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(diags, source, place, width, code, format, arguments);
	va_end(arguments);
	return false;
}

int yaml_width(struct place begin, struct place end)
{
	return end.line == begin.line && end.column > begin.column ? end.column - begin.column : 1;
}

bool yaml_complain_part(struct diags *diags, struct slice source, const struct yaml_node *scalar, size_t begin, size_t end,
	enum diag_code code, const char *format, ...)
{
	const struct place place = yaml_place(scalar, source, begin);
	const int width = yaml_width(place, yaml_place(scalar, source, end));
	va_list arguments;

	va_start(arguments, format);
	complain(diags, source, place, width, code, format, arguments);
	va_end(arguments);
	return false;
}
