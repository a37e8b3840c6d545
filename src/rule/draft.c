/*
 * draft.c - what all who read a rule file need: complaints with their line, and is this node of the right kind?
 *
 * Everything that is wrong is told, each thing once, with its line and a caret. YAML takes much for
 * something else than its author meant; where that can be seen, the complaint says so.
 */
#include "rule/draft.h"

#include "base/file.h"
#include "rule/expression.h"

#include <stdio.h>

#define PROBLEMS_MAX 100 /* in one file */

/* ------ complaints ------ */

bool rule_complain(struct diags *diags, struct slice source, struct place place, int width, enum diag_code code,
	const char *format, ...)
{
	char words[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	diag_at(diags, place, code, "%s", words);
	if (place.line > 0)
		diag_excerpt(diags, source_line(source, place.line), width > 0 ? width : 1);
	return false;
}

bool draft_is_full(struct draft *d)
{
	return ++d->n_problems > PROBLEMS_MAX;
}

bool complain_key(struct draft *d, const struct yaml_node *child, const char *meant)
{
	return COMPLAIN(d, child->key_place, columns_of(child->key), DIAG_UNKNOWN_KEY, "unknown key '%.*s'%s%s%s",
		SLICE(shown(child->key)), meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

/* ------ words and texts ------ */

int columns_of(struct slice text)
{
	int columns = 0;

	for (size_t i = 0; i < text.n; i++)
		columns += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	return columns;
}

struct slice shown(struct slice text)
{
	size_t n = text.n < 40 ? text.n : 40;

	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	return (struct slice){ text.p, n };
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

bool is_name(struct slice text, char joint)
{
	if (text.n == 0 || text.n > ID_MAX_BYTES || !is_lower(text.p[0]))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!is_lower(text.p[i]) && !(text.p[i] >= '0' && text.p[i] <= '9') && text.p[i] != joint)
			return false;
	return true;
}

struct slice rule_file_id(const char *path)
{
	const char *const name = path_name(path);
	const char *const dot = strrchr(name, '.');

	return (struct slice){ name, dot && strcmp(dot, ".yaml") == 0 ? (size_t)(dot - name) : strlen(name) };
}

/* "critical, warning and note" */
static const char *listed(struct arena *mem, struct texts words)
{
	const char *text = words.at[0];

	for (size_t i = 1; i < words.n; i++)
		text = arena_print(mem, "%s%s%s", text, i + 1 < words.n ? ", " : " and ", words.at[i]);
	return text;
}

size_t word_index(struct draft *d, const char *what, const struct yaml_node *node, struct texts words)
{
	const struct slice text = shown(node->text);

	for (size_t i = 0; i < words.n; i++)
		if (slice_is(node->text, words.at[i]))
			return i;
	const char *const meant = nearest_name(node->text, words.at, words.n);
	if (meant)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; did you mean '%s'?", SLICE(text), what, meant);
	else
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; there are %s", SLICE(text), what, listed(d->mem, words));
	return words.n;
}

/* ------ kinds of nodes ------ */

const char *kind_name(enum yaml_kind kind)
{
	return kind == YAML_LIST ? "a list" : kind == YAML_MAP ? "a map" : "a text";
}

/* People mean a text when they write `title: {gpus} waited`. */
static bool is_scalar(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR)
		return true;
	const char opening = node->kind == YAML_MAP ? '{' : '[';
	if (node->byte < d->source.n && d->source.p[node->byte] == opening)
		return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE,
			"'%s' must be a text, this is %s; a text that begins with '%c' must be in quotes", subject,
			kind_name(node->kind), opening);
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a text, this is %s", subject, kind_name(node->kind));
}

bool is_filled(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (!is_scalar(d, subject, node))
		return false;
	for (size_t i = 0; i < node->text.n; i++)
		if (!strchr(" \t\n", node->text.p[i]))
			return true;
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' is empty", subject);
}

static bool is_quoted(const struct draft *d, const struct yaml_node *node)
{
	return node->byte > 0 && (d->source.p[node->byte - 1] == '"' || d->source.p[node->byte - 1] == '\'');
}

/*
 * YAML ends a text without quotes at " #" and says nothing: "see issue #12" would become "see issue".
 * Two blanks before the '#', or a blank behind it, are how comments are written.
 */
static bool is_whole(struct draft *d, const struct yaml_node *node)
{
	const struct place end = yaml_place(node, d->source, node->text.n);
	const struct slice line = source_line(d->source, end.line);
	size_t at = 0;

	for (int column = 1; column < end.column && at < line.n; column++)
		do
			at++;
		while (at < line.n && ((unsigned char)line.p[at] & 0xC0) == 0x80);
	const struct slice rest = slice_trim((struct slice){ line.p + at, line.n - at });
	if (is_quoted(d, node) || rest.n == 0 || rest.p[0] != '#')
		return true;
	if (rest.p - (line.p + at) > 1 || (rest.n > 1 && rest.p[1] == ' '))
		return true;
	const struct place place = { end.path, end.line, end.column + (int)(rest.p - (line.p + at)) };
	return COMPLAIN(d, place, 1, DIAG_BAD_VALUE, "' #' cuts this text off; put it in quotes");
}

bool is_prose(struct draft *d, const char *subject, const struct yaml_node *node)
{
	return is_filled(d, subject, node) && is_whole(d, node);
}

static bool are_all(struct draft *d, const char *subject, const struct yaml_node *list,
	bool (*fits)(struct draft *, const char *, const struct yaml_node *))
{
	bool all = true;

	if (!list->first)
		return COMPLAIN_NODE(d, list, DIAG_BAD_VALUE, "'%s' is empty", subject);
	for (const struct yaml_node *item = list->first; item; item = item->next)
		all = fits(d, subject, item) && all;
	return all;
}

static bool is_map(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (node->kind == YAML_MAP)
		return true;
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a list of maps, this is a list with %s", subject,
		kind_name(node->kind));
}

static bool is_list(struct draft *d, const char *subject, const struct yaml_node *node, const char *of)
{
	if (node->kind == YAML_LIST)
		return true;
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a list of %s, this is %s", subject, of, kind_name(node->kind));
}

/* A word or an id counts once: who wrote it twice meant another. */
static bool are_different(struct draft *d, const struct yaml_node *list)
{
	bool good = true;

	for (const struct yaml_node *item = list->first; item; item = item->next)
		for (const struct yaml_node *before = list->first; before != item; before = before->next)
			if (slice_same(before->text, item->text)) {
				good = COMPLAIN_NODE(d, item, DIAG_DUPLICATE, "'%.*s' is given twice", SLICE(shown(item->text)));
				break;
			}
	return good;
}

bool fits_kind(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	switch (key->kind) {
	case KEY_TEXT:
		return is_prose(d, key->name, node);
	case KEY_WORD:
	case KEY_ID:
	case KEY_EXPRESSION:
	case KEY_QUANTITY:
	case KEY_DURATION:
		return is_filled(d, key->name, node);
	case KEY_TEXTS:
		return is_list(d, key->name, node, "texts") && are_all(d, key->name, node, is_prose);
	case KEY_WORDS:
	case KEY_IDS:
		if (node->kind != YAML_LIST)
			return is_filled(d, key->name, node);
		return are_all(d, key->name, node, is_filled) && are_different(d, node);
	case KEY_NAMED:
		if (node->kind != YAML_MAP)
			return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a map, this is %s", key->name, kind_name(node->kind));
		return true;
	case KEY_ITEMS:
		return is_list(d, key->name, node, "maps") && are_all(d, key->name, node, is_map);
	case KEY_ANY:
	case KEY_EXPECT:
		return true;
	}
	BUG("a kind of key without a check");
}

static bool parts_are_known(struct draft *d, const struct yaml_node *map, const char *const *names, size_t n)
{
	bool known = true;

	for (const struct yaml_node *child = map->first; child; child = child->next) {
		bool is_one = false;
		for (size_t i = 0; i < n; i++)
			is_one = is_one || slice_is(child->key, names[i]);
		known = is_one ? known : complain_key(d, child, nearest_name(child->key, names, n));
	}
	return known;
}

/* The part, or its misspelling: that does not count as missing. */
static bool part_is_meant(const struct yaml_node *map, const char *part)
{
	for (const struct yaml_node *child = map->first; child; child = child->next)
		if (slice_is(child->key, part) || nearest_name(child->key, &part, 1))
			return true;
	return false;
}

bool is_complete(struct draft *d, const struct yaml_node *map, const char *subject, struct place place, int width,
	const struct key *parts, size_t n_parts)
{
	const char **const names = NEW_ARRAY(d->mem, const char *, n_parts);

	for (size_t i = 0; i < n_parts; i++)
		names[i] = parts[i].name;
	bool complete = parts_are_known(d, map, names, n_parts);
	for (size_t i = 0; i < n_parts; i++)
		if (parts[i].required && !part_is_meant(map, names[i]))
			complete = COMPLAIN(d, place, width, DIAG_MISSING_KEY, "%s has no '%s'", subject, names[i]);
	return complete;
}

size_t children_of(const struct yaml_node *node)
{
	size_t n = 0;

	for (const struct yaml_node *child = node->first; child; child = child->next)
		n++;
	return n;
}

const struct yaml_node *first_item(const struct yaml_node *node)
{
	return node->kind == YAML_LIST ? node->first : node;
}

const struct yaml_node *next_item(const struct yaml_node *list, const struct yaml_node *item)
{
	return list->kind == YAML_LIST ? item->next : NULL;
}

struct slice without_last_line_end(struct slice text)
{
	while (text.n > 0 && strchr(" \t\n", text.p[text.n - 1]))
		text.n--;
	return text;
}

const char *text_copy(struct draft *d, const struct yaml_node *node)
{
	const struct slice text = without_last_line_end(node->text);

	return arena_text(d->mem, text.p, text.n);
}

void *member_of(struct draft *d, const struct key *key)
{
	return (char *)d->rule + key->offset;
}

/* ------ the rule language ------ */

bool quantity_of(struct draft *d, const struct yaml_node *node, struct quantity *q)
{
	if (quantity_compile(node, d->source, q, d->diags))
		return true;
	d->n_problems++;
	return false;
}

const struct expression *expression_of(struct draft *d, const struct yaml_node *node, enum wanted wanted)
{
	const struct expression_context context = {
		.params = d->rule->params,
		.n_params = d->rule->n_params,
		.lets = d->rule->lets,
		.n_lets = d->rule->n_lets,
		.scope_known = true,
		.scope = d->rule->scope,
		.want = wanted == WANTED_CONDITION ? WANT_CONDITION : wanted == WANTED_LET ? WANT_EITHER : WANT_NUMBER,
		.after_firing = wanted != WANTED_CONDITION,
	};

	if (!d->scope_known || !d->names_known) /* its names would only be unknown because of earlier mistakes */
		return NULL;
	const struct expression *const e = expression_compile(d->mem, node, d->source, &context, d->diags);
	d->n_problems += !e;
	return e;
}
