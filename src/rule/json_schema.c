/*
 * json_schema.c - the table of keys as a JSON Schema (draft 2020-12), so that editors complete and check rule files.
 *
 *     # yaml-language-server: $schema=rule.schema.json        the first line of a rule file
 *
 * Everything comes from the rows of keys.c: which keys there are, what each can hold, what it means. A schema can't know
 * metrics, dimensions or placeholders: `postrun rules check` does.
 */
#include "rule/draft.h"

#include "base/buf.h"

/* ------ JSON, indented ------ */

struct writer {
	struct buf *out;
	struct arena *scratch;
	int level;
	bool is_first; /* of its object or list */
};

static void put_string(struct writer *w, const char *text)
{
	buf_char(w->out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_char(w->out, '\\');
		buf_char(w->out, *text);
	}
	buf_char(w->out, '"');
}

static void begin_line(struct writer *w)
{
	buf_text(w->out, w->is_first ? "\n" : ",\n");
	buf_fill(w->out, ' ', (size_t)w->level * 2);
	w->is_first = false;
}

/* `key` NULL: an item of a list. */
static void begin_item(struct writer *w, const char *key)
{
	begin_line(w);
	if (!key)
		return;
	put_string(w, key);
	buf_text(w->out, ": ");
}

static void open_with(struct writer *w, const char *key, char bracket)
{
	if (w->level > 0)
		begin_item(w, key);
	buf_char(w->out, bracket);
	w->level++;
	w->is_first = true;
}

static void close_with(struct writer *w, char bracket)
{
	w->level--;
	w->is_first = true; /* no comma before a bracket */
	begin_line(w);
	buf_char(w->out, bracket);
}

static void put_text(struct writer *w, const char *key, const char *text)
{
	begin_item(w, key);
	put_string(w, text);
}

/* Short lists and numbers, as they stand in JSON. */
static void put_plain(struct writer *w, const char *key, const char *json)
{
	begin_item(w, key);
	buf_text(w->out, json);
}

static void put_texts(struct writer *w, const char *key, struct texts texts)
{
	begin_item(w, key);
	buf_char(w->out, '[');
	for (size_t i = 0; i < texts.n; i++) {
		buf_text(w->out, i > 0 ? ", " : "");
		put_string(w, texts.at[i]);
	}
	buf_char(w->out, ']');
}

/* ------ what a key can hold ------ */

#define ID_PATTERN "^[a-z][a-z0-9-]*$"
#define NAME_PATTERN "^[a-z][a-z0-9_]*$"

/* "^([0-9]+(\.[0-9]+)?|\.[0-9]+) *(ms|s|sec|min|h)$" */
static const char *duration_pattern(struct arena *mem)
{
	const char *units = "";

	for (int i = 0; i < N_UNITS; i++) {
		const struct unit_row *const unit = &unit_table[i];
		if (unit->dimension == DIM_TIME)
			units = arena_print(mem, "%s%s%s%s%s", units, *units ? "|" : "", unit->symbol, *unit->also ? "|" : "", unit->also);
	}
	return arena_print(mem, "^([0-9]+(\\.[0-9]+)?|\\.[0-9]+) *(%s)$", units);
}

static void put_filled_text(struct writer *w)
{
	put_text(w, "type", "string");
	put_plain(w, "minLength", "1");
}

/* A list: what follows, up to the bracket that closes it, is said of each item. */
static void open_items(struct writer *w)
{
	put_text(w, "type", "array");
	put_plain(w, "minItems", "1");
	open_with(w, "items", '{');
}

/* One of them; what may also be a list of them. */
static void put_word(struct writer *w, const struct key *key)
{
	if (key->words)
		put_texts(w, "enum", key->words(w->scratch));
	else
		put_filled_text(w);
	if (key->kind == KEY_ID || key->kind == KEY_IDS)
		put_text(w, "pattern", ID_PATTERN);
}

static void put_word_or_list(struct writer *w, const struct key *key)
{
	open_with(w, "anyOf", '[');
	open_with(w, NULL, '{');
	put_word(w, key);
	close_with(w, '}');
	open_with(w, NULL, '{');
	open_items(w);
	put_word(w, key);
	close_with(w, '}');
	close_with(w, '}');
	close_with(w, ']');
}

static void put_parts(struct writer *w, const struct key *parts, size_t n);

static void put_named(struct writer *w, const struct key *key)
{
	put_text(w, "type", "object");
	open_with(w, "propertyNames", '{');
	put_text(w, "pattern", NAME_PATTERN);
	close_with(w, '}');
	open_with(w, "additionalProperties", '{');
	if (key->parts)
		put_parts(w, key->parts, key->n_parts);
	else
		put_plain(w, "type", "[\"string\", \"number\"]");
	close_with(w, '}');
}

static void put_items(struct writer *w, const struct key *key)
{
	open_items(w);
	put_parts(w, key->parts, key->n_parts);
	close_with(w, '}');
}

static void put_expectation(struct writer *w, const struct key *key)
{
	open_with(w, NULL, '{');
	put_word(w, key);
	close_with(w, '}');
	open_with(w, NULL, '{');
	put_parts(w, key->parts, key->n_parts);
	close_with(w, '}');
}

static void put_expectations(struct writer *w, const struct key *key)
{
	open_with(w, "anyOf", '[');
	put_expectation(w, key);
	open_with(w, NULL, '{');
	open_items(w);
	open_with(w, "anyOf", '[');
	put_expectation(w, key);
	close_with(w, ']');
	close_with(w, '}');
	close_with(w, '}');
	close_with(w, ']');
}

static void put_kind(struct writer *w, const struct key *key)
{
	switch (key->kind) {
	case KEY_TEXT:
		put_filled_text(w);
		if (key->most_columns)
			put_plain(w, "maxLength", arena_print(w->scratch, "%d", key->most_columns));
		return;
	case KEY_WORD:
	case KEY_ID:
		put_word(w, key);
		return;
	case KEY_EXPRESSION:
	case KEY_QUANTITY:
		put_plain(w, "type", "[\"string\", \"number\"]");
		return;
	case KEY_DURATION:
		put_text(w, "type", "string");
		put_text(w, "pattern", duration_pattern(w->scratch));
		return;
	case KEY_TEXTS:
		open_items(w);
		put_filled_text(w);
		close_with(w, '}');
		return;
	case KEY_WORDS:
	case KEY_IDS:
		put_word_or_list(w, key);
		return;
	case KEY_NAMED:
		put_named(w, key);
		return;
	case KEY_ITEMS:
		put_items(w, key);
		return;
	case KEY_EXPECT:
		put_expectations(w, key);
		return;
	case KEY_ANY:
		return;
	}
}

static void put_required(struct writer *w, const struct key *keys, size_t n)
{
	const char **const names = NEW_ARRAY(w->scratch, const char *, n);
	struct texts required = { names, 0 };

	for (size_t i = 0; i < n; i++)
		if (keys[i].required)
			names[required.n++] = keys[i].name;
	if (required.n > 0)
		put_texts(w, "required", required);
}

static void put_parts(struct writer *w, const struct key *keys, size_t n)
{
	put_text(w, "type", "object");
	put_plain(w, "additionalProperties", "false");
	put_required(w, keys, n);
	open_with(w, "properties", '{');
	for (size_t i = 0; i < n; i++) {
		open_with(w, keys[i].name, '{');
		put_text(w, "description", keys[i].what);
		put_kind(w, &keys[i]);
		close_with(w, '}');
	}
	close_with(w, '}');
}

void rules_schema_print(struct buf *out)
{
	struct arena scratch;
	struct writer w = { .out = out, .scratch = &scratch };

	arena_init(&scratch);
	open_with(&w, NULL, '{');
	put_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	put_text(&w, "title", "a rule of postrun");
	put_text(&w, "description",
		"printed by `postrun rules schema`; names, dimensions and placeholders are checked by `postrun rules check`");
	put_parts(&w, rule_keys, n_rule_keys);
	close_with(&w, '}');
	buf_char(out, '\n');
	arena_release(&scratch);
}
