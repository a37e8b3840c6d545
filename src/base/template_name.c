/*
 * template_name.c - what a name in a template means where it stands, and what is said when it
 * means nothing.
 *
 * Names are looked up in the innermost scope first, then outwards; a dotted name finds its
 * first part so, and each further part only in the struct before it. After an unknown
 * section, names inside it that aren't found are refused in silence: one mistake, one line.
 */
#include "base/template_parts.h"

/* ------------------------------------------------ complaints */

struct place compiler_place(struct compiler *c, size_t at)
{
	if (c->text.p != c->last_text || at < c->last_at) {
		c->last_text = c->text.p;
		c->last_at = c->last_line = 0;
		c->last_place = c->place;
	}
	for (size_t i = c->last_at; i < at; i++) {
		if (c->text.p[i] != '\n')
			continue;
		c->last_line = i + 1;
		c->last_place.line += c->last_place.line > 0;
	}
	c->last_at = at;
	struct place place = c->last_place;
	const int column = (int)text_columns((struct slice){ c->text.p + c->last_line, at - c->last_line });
	place.column = c->last_line ? column + 1 : place.column > 0 ? place.column + column : 0;
	return place;
}

size_t compiler_offset(const struct compiler *c, struct slice part)
{
	return (size_t)(part.p - c->text.p);
}

void compiler_complain(struct compiler *c, size_t at, enum diag_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	diag_at(c->diags, compiler_place(c, at), code, "%s", arena_vprint(c->mem, format, arguments));
	va_end(arguments);
	c->n_wrong++;
}

/* The nearest of all names that are known here. */
static const char *name_nearest(struct compiler *c, struct slice name)
{
	for (size_t s = c->n_scopes; s--;) {
		const struct fields *const fields = c->scopes[s].fields;
		if (!fields || !fields->n)
			continue;
		const char **names = NEW_ARRAY(c->mem, const char *, fields->n);
		for (size_t i = 0; i < fields->n; i++)
			names[i] = fields->rows[i].name;
		const char *const nearest = nearest_name(name, names, fields->n);
		if (nearest)
			return nearest;
	}
	return NULL;
}

static const char *scope_title(const struct compiler *c)
{
	for (size_t s = c->n_scopes; s--;)
		if (c->scopes[s].fields)
			return c->scopes[s].fields->name;
	return "the text";
}

static bool inside_unknown(const struct compiler *c)
{
	for (size_t s = 0; s < c->n_scopes; s++)
		if (c->scopes[s].is_unknown)
			return true;
	return false;
}

/* ------------------------------------------------ names */

/* The struct or item that {{.}} means. */
static bool resolve_item(struct compiler *c, struct slice name, struct reference *out)
{
	const size_t frame = c->n_scopes - 1;

	if (c->scopes[frame].is_unknown)
		return false;
	if (c->scopes[frame].fields) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "'.' is no single value in %s", scope_title(c));
		return false;
	}
	*out = (struct reference){ .what = REF_ITEM, .frame = frame, .kind = c->scopes[frame].item };
	return true;
}

static bool resolve_position(struct compiler *c, struct slice name, struct reference *out)
{
	static const char *const words[] = { [REF_FIRST] = "@first", [REF_LAST] = "@last", [REF_NUMBER] = "@number" };
	size_t s = c->n_scopes;

	while (s && !c->scopes[s - 1].is_list)
		s--;
	for (int what = REF_FIRST; what <= REF_NUMBER; what++) {
		if (!slice_is(name, words[what]))
			continue;
		if (!s && inside_unknown(c))
			return false;
		if (!s) {
			compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "'%.*s' outside of a list", SLICE(name));
			return false;
		}
		out->what = what == REF_FIRST ? REF_FIRST : what == REF_LAST ? REF_LAST : REF_NUMBER;
		out->frame = s - 1;
		out->kind = what == REF_NUMBER ? FIELD_COUNT : FIELD_BOOL;
		return true;
	}
	compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "unknown name '%.*s'%s", SLICE(name),
		did_you_mean(c->mem, nearest_name(name, words + REF_FIRST, 3)));
	return false;
}

/* The innermost scope that has the name. */
static const struct field *scope_find(const struct compiler *c, struct slice name, size_t *frame)
{
	for (size_t s = c->n_scopes; s--;) {
		const struct field *const row = c->scopes[s].fields ? field_find(c->scopes[s].fields, name) : NULL;
		*frame = s;
		if (row)
			return row;
	}
	return NULL;
}

static struct slice part_take(struct slice *rest)
{
	const char *const dot = memchr(rest->p, '.', rest->n);
	const struct slice part = { rest->p, dot ? (size_t)(dot - rest->p) : rest->n };
	const size_t taken = part.n + (dot != NULL);

	*rest = (struct slice){ rest->p + taken, rest->n - taken };
	return part;
}

static bool resolve_member(struct compiler *c, struct slice name, struct reference *out)
{
	struct slice rest = name;
	const struct slice first = part_take(&rest);
	const struct field *row = scope_find(c, first, &out->frame);
	bool ends_in_dot = name.p[name.n - 1] == '.';

	if (!row && inside_unknown(c))
		return false;
	if (!row || ends_in_dot) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "unknown name '%.*s' in %s%s",
			SLICE(ends_in_dot ? name : first), scope_title(c),
			did_you_mean(c->mem, ends_in_dot ? NULL : name_nearest(c, first)));
		return false;
	}
	for (out->n_path = 0;; out->n_path++) {
		out->path[out->n_path] = row;
		if (!rest.n)
			break;
		if (row->kind != FIELD_OBJECT || out->n_path + 1 == TEMPLATE_MAX_PARTS) {
			compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "'%s' has no parts", row->name);
			return false;
		}
		const struct slice part = part_take(&rest);
		const char *const owner = row->of->name;
		row = field_find(row->of, part);
		if (!row) {
			compiler_complain(c, compiler_offset(c, part), DIAG_BAD_PLACEHOLDER, "unknown name '%.*s' in %s",
				SLICE(part), owner);
			return false;
		}
	}
	out->n_path++;
	out->what = REF_MEMBER;
	out->kind = row->kind;
	return true;
}

bool name_resolve(struct compiler *c, struct slice name, struct reference *out)
{
	*out = (struct reference){ .what = REF_ITEM, .kind = FIELD_TEXT };
	if (!name.n) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "a tag without a name");
		return false;
	}
	if (memchr("&{>=", name.p[0], 4)) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER,
			"tags with '%c' are not part of this language", name.p[0]);
		return false;
	}
	if (slice_is(name, "."))
		return resolve_item(c, name, out);
	if (name.p[0] == '@')
		return resolve_position(c, name, out);
	return resolve_member(c, name, out);
}
