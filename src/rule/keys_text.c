/*
 * keys_text.c - the keys that hold texts: for people, for charts, and with placeholders.
 *
 *     title: "{Gpus} ran above {hottest}"
 *
 * Placeholders are checked against what the rule offers (rule_text.c). Templates complain in terms of their own
 * text; here these complaints become places in the file.
 */
#include "rule/draft.h"

void take_id(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct slice id = rule_file_id(d->path), text = slice_shown(node->text);

	if (node->text.n != id.n || memcmp(node->text.p, id.p, id.n) != 0)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "%s '%.*s' in a file for '%.*s'", key->name, SLICE(text), SLICE(slice_shown(id)));
}

void take_line(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char *const text = draft_text(d, node);

	if (strchr(text, '\n'))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be one line", key->name);
	*(const char **)draft_member(d, key) = text;
}

void take_short(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const int columns = slice_columns(node->text);

	take_line(d, key, node);
	if (columns > key->most_columns)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'short' has %d characters, %d at most fit on a chart", columns, key->most_columns);
}

void take_cost_by(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	take_line(d, key, node);
	if (!yaml_get(d->rule->root, "cost"))
		COMPLAIN(d, node->key_place, slice_columns(node->key), DIAG_BAD_VALUE,
			"'%s' says in words by what 'cost' counts a second, and the rule has no 'cost'", key->name);
}

void take_texts(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char **const texts = NEW_ARRAY(d->mem, const char *, yaml_n_items(node));
	size_t n = 0;

	for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item))
		texts[n++] = draft_text(d, item);
	*(struct texts *)draft_member(d, key) = (struct texts){ texts, n };
}

/* ------ placeholders ------ */

/* The offset of a line and column of the text itself. */
static size_t text_offset(struct slice text, int64_t line, int column)
{
	size_t at = 0;

	for (; at < text.n && line > 1; at++)
		line -= text.p[at] == '\n';
	for (; at < text.n && column > 1; column--)
		do
			at++;
		while (at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80);
	return at;
}

/* Templates complain in terms of their text; here these become places in the file, with the line shown. */
static void place_complaints(struct draft *d, const struct yaml_node *node, size_t first, bool relative)
{
	struct diags upto = *d->diags;

	for (size_t i = first; i < d->diags->n; i++) {
		struct diag *const diag = &d->diags->at[i];
		if (relative)
			diag->place = yaml_place(node, d->source, text_offset(node->text, diag->place.line, diag->place.column));
		upto.n = i + 1;
		diag_excerpt(&upto, source_line(d->source, diag->place.line), 1);
	}
}

static const struct template *text_compile(struct draft *d, const struct yaml_node *node)
{
	const size_t n_before = d->diags->n;
	const bool relative = !node->plain_line;
	const struct place place = relative ? (struct place){ d->path, 1, 1 } : node->place;

	if (!d->names_known)
		return NULL;
	if (!d->rule->text_fields)
		d->rule->text_fields = rule_text_fields(d->mem, d->rule);
	if (d->is_checked)
		return template_keep(d->mem, draft_trim_end(node->text), TAGS_SINGLE_BRACE, d->rule->text_fields);
	const struct template *const t = template_compile(d->mem, draft_trim_end(node->text), place, TAGS_SINGLE_BRACE,
		d->rule->text_fields, d->diags);
	d->n_problems += !t;
	place_complaints(d, node, n_before, relative);
	return t;
}

void take_template(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct template *const t = text_compile(d, node);

	if (t && !d->is_checked && template_may_be_blank(t))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' can be empty: all of it stands in sections", key->name);
	*(const struct template **)draft_member(d, key) = t;
}

void take_card(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct slice text = draft_trim_end(node->text);
	size_t n_line_ends = 0;

	for (size_t i = 0; i < text.n; i++)
		n_line_ends += text.p[i] == '\n';
	if (n_line_ends > 1)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' has more than two lines", key->name);
	take_template(d, key, node);
}

void take_try(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	(void)key;
	d->rule->try = NEW_ARRAY(d->mem, const struct template *, yaml_n_children(node));
	for (const struct yaml_node *item = node->first; item; item = item->next)
		d->rule->try[d->rule->n_try++] = text_compile(d, item);
}
