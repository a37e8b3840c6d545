/*
 * draft.c - what all who read a rule file need: complaints with their line, and is this node of the right kind?
 *
 * Everything that is wrong is told, each thing once, with its line and a caret. YAML takes much for
 * something else than its author meant; where that can be seen, the complaint says so.
 */
#include "rule/draft.h"

#include "base/file.h"
#include "rule/expression.h"

/* ------ complaints ------ */

bool draft_is_full(struct draft *d)
{
	const bool is_full = ++d->n_problems > RULE_PROBLEMS_MAX;

	if (is_full && !d->is_full)
		diag_at(d->diags, (struct place){ d->path, 0, 0 }, DIAG_LIMIT, "no more mistakes in a rule are told than %s",
			limit_text(d->mem, NULL, LIMIT_RULE_PROBLEMS_MAX));
	d->is_full |= is_full;
	return is_full;
}

bool draft_complain_key(struct draft *d, const struct yaml_node *child, const char *meant)
{
	return COMPLAIN(d, child->key_place, slice_columns(child->key), DIAG_UNKNOWN_KEY, "unknown key '%.*s'%s",
		SLICE(slice_shown(child->key)), did_you_mean(d->mem, meant));
}

/* ------ words and texts ------ */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

bool name_is_valid(struct slice text, char joint)
{
	if (text.n == 0 || text.n > ID_MAX_BYTES || !is_lower(text.p[0]))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!is_lower(text.p[i]) && !is_digit(text.p[i]) && text.p[i] != joint)
			return false;
	return true;
}

struct slice rule_file_id(const char *path)
{
	const char *const name = path_name(path);
	const char *const dot = strrchr(name, '.');

	return (struct slice){ name, dot && strcmp(dot, ".yaml") == 0 ? (size_t)(dot - name) : strlen(name) };
}

size_t draft_word_index(struct draft *d, const char *what, const struct yaml_node *node, struct texts words)
{
	const struct slice text = slice_shown(node->text);

	for (size_t i = 0; i < words.n; i++)
		if (slice_is(node->text, words.at[i]))
			return i;
	const char *const meant = nearest_name(node->text, words.at, words.n);
	if (meant)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; did you mean '%s'?", SLICE(text), what, meant);
	else
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; there are %s", SLICE(text), what,
			names_listed(d->mem, words.at, words.n));
	return words.n;
}

/* ------ kinds of nodes ------ */

/* People mean a text when they write `title: {gpus} waited`. */
static bool is_scalar(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR)
		return true;
	const char opening = node->kind == YAML_MAP ? '{' : '[';
	if (node->byte < d->source.n && d->source.p[node->byte] == opening)
		return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE,
			"'%s' must be a text, this is %s; a text that begins with '%c' must be in quotes", subject,
			yaml_kind_name(node->kind), opening);
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a text, this is %s", subject, yaml_kind_name(node->kind));
}

bool draft_is_filled(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (d->is_checked)
		return true;
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

bool draft_is_prose(struct draft *d, const char *subject, const struct yaml_node *node)
{
	return d->is_checked || (draft_is_filled(d, subject, node) && is_whole(d, node));
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
		yaml_kind_name(node->kind));
}

static bool is_list(struct draft *d, const char *subject, const struct yaml_node *node, const char *of)
{
	if (node->kind == YAML_LIST)
		return true;
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a list of %s, this is %s", subject, of, yaml_kind_name(node->kind));
}

/* A word or an id counts once: who wrote it twice meant another. */
static bool are_different(struct draft *d, const struct yaml_node *list)
{
	bool good = true;

	for (const struct yaml_node *item = list->first; item; item = item->next)
		for (const struct yaml_node *before = list->first; before != item; before = before->next)
			if (slice_same(before->text, item->text)) {
				good = COMPLAIN_NODE(d, item, DIAG_DUPLICATE, "'%.*s' is given twice", SLICE(slice_shown(item->text)));
				break;
			}
	return good;
}

bool draft_fits_kind(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	if (d->is_checked)
		return true;
	switch (key->kind) {
	case KEY_TEXT:
		return draft_is_prose(d, key->name, node);
	case KEY_WORD:
	case KEY_ID:
	case KEY_EXPRESSION:
	case KEY_QUANTITY:
	case KEY_DURATION:
		return draft_is_filled(d, key->name, node);
	case KEY_TEXTS:
		return is_list(d, key->name, node, "texts") && are_all(d, key->name, node, draft_is_prose);
	case KEY_WORDS:
	case KEY_IDS:
		if (node->kind != YAML_LIST)
			return draft_is_filled(d, key->name, node);
		return are_all(d, key->name, node, draft_is_filled) && are_different(d, node);
	case KEY_NAMED:
		if (node->kind != YAML_MAP)
			return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a map, this is %s", key->name,
				yaml_kind_name(node->kind));
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

	for (const struct yaml_node *child = map->first; child; child = child->next)
		if (!slice_is_among(child->key, names, n))
			known = draft_complain_key(d, child, yaml_key_meant(child->key, names, n));
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

bool draft_is_complete(struct draft *d, const struct yaml_node *map, const char *subject, struct place place, int width,
	const struct key *parts, size_t n_parts)
{
	const char **const names = NEW_ARRAY(d->mem, const char *, n_parts);

	if (d->is_checked)
		return true;
	for (size_t i = 0; i < n_parts; i++)
		names[i] = parts[i].name;
	bool complete = parts_are_known(d, map, names, n_parts);
	for (size_t i = 0; i < n_parts; i++)
		if (parts[i].required && !part_is_meant(map, names[i]))
			complete = COMPLAIN(d, place, width, DIAG_MISSING_KEY, "%s has no '%s'", subject, names[i]);
	return complete;
}

struct slice draft_trim_end(struct slice text)
{
	while (text.n > 0 && strchr(" \t\n", text.p[text.n - 1]))
		text.n--;
	return text;
}

const char *draft_text(struct draft *d, const struct yaml_node *node)
{
	const struct slice text = draft_trim_end(node->text);

	return arena_text(d->mem, text.p, text.n);
}

void *draft_member(struct draft *d, const struct key *key)
{
	return (char *)d->rule + key->offset;
}

/* ------ the rule language ------ */

bool draft_quantity(struct draft *d, const struct yaml_node *node, struct quantity *q)
{
	if (quantity_compile(node, d->source, q, d->diags))
		return true;
	d->n_problems++;
	return false;
}

const struct expression *draft_expression(struct draft *d, const struct yaml_node *node, enum wanted wanted)
{
	static const unsigned wants[] = {
		[WANTED_CONDITION] = WANT_CONDITION, [WANTED_FRACTION] = WANT_FRACTION, [WANTED_EITHER] = WANT_EITHER,
	};
	const struct expression_context context = {
		.params = d->rule->params,
		.n_params = d->rule->n_params,
		.lets = d->rule->lets,
		.n_lets = d->rule->n_lets,
		.scope_known = !d->scope_doubtful,
		.scope = d->rule->scope,
		.want = wants[wanted],
		.after_firing = wanted != WANTED_CONDITION,
		.without_places = d->is_checked,
	};

	if (!d->scope_known || !d->names_known) /* its names would only be unknown because of earlier mistakes */
		return NULL;
	const struct expression *const e = expression_compile(d->mem, node, d->source, &context, d->diags);
	d->n_problems += !e;
	return e;
}
