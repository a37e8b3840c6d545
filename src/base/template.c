/*
 * template.c - compiles templates, so that rendering can't fail.
 *
 * One pass over the text: literals and tags become nodes; a stack of open sections says
 * where the next node goes, and a stack of scopes says which names are known there:
 *
 *      {{#findings}}            opens section "findings", scope "finding"
 *      [{{number}}] {{title}}   looked up in finding, then in report
 *      {{#has_cost}}…           a condition opens a section, but no scope
 *
 *      {{>details}}             the text of templates/details.part.tmpl is read in its place
 *
 * All mistakes of a text are reported. After an unknown section its inside is still read,
 * but names that aren't found there are not reported again.
 */
#include "base/template_parts.h"

#include "base/embedded.h"
#include "base/number.h"

struct tag {
	size_t begin, end; /* with its braces */
	struct slice inside;
};

/* ------------------------------------------------ filters */

static bool columns_parse(struct slice text, size_t max, size_t *out)
{
	int64_t n;

	if (!integer_parse(slice_trim(text), &n) || n > (int64_t)max)
		return false;
	*out = (size_t)n;
	return true;
}

/* "W, kW, mW" */
static const char *units_of(struct arena *mem, enum dimension dimension)
{
	const char *all = "";

	for (int u = 0; u < N_UNITS; u++)
		if (unit_table[u].dimension == dimension)
			all = arena_print(mem, "%s%s%s", all, *all ? ", " : "", unit_table[u].symbol);
	return all;
}

/* All that fit, where that is known; else the nearest of all. */
static const char *unit_offer(struct compiler *c, struct slice text, const struct value_type *type)
{
	const char *symbols[N_UNITS];

	if (type->has_dimension)
		return arena_print(c->mem, "; those of '%.*s' are %s", SLICE(type->name), units_of(c->mem, type->dimension));
	for (int u = 0; u < N_UNITS; u++)
		symbols[u] = unit_table[u].symbol;
	return did_you_mean(c->mem, nearest_name(text, symbols, N_UNITS));
}

/* Already reported when the unit is not one of the value's. */
static void unit_check(struct compiler *c, struct filter_call *call, struct slice text, struct value_type *type)
{
	type->unit_chosen = true;
	if (!unit_find(text, &call->unit))
		compiler_complain(c, compiler_offset(c, text), DIAG_BAD_PLACEHOLDER, "unknown unit '%.*s'%s", SLICE(text),
			unit_offer(c, text, type));
	else if (type->has_dimension && unit_table[call->unit].dimension != type->dimension)
		compiler_complain(c, compiler_offset(c, text), DIAG_BAD_PLACEHOLDER, "'%.*s' is %s, and %.*s is %s; its units are %s",
			SLICE(type->name), dimension_name(type->dimension), SLICE(text), dimension_name(unit_table[call->unit].dimension),
			units_of(c->mem, type->dimension));
}

static const char *argument_wanted(struct arena *mem, enum filter_argument argument)
{
	static const char *const more[] = {
		[ARGUMENT_N_FILL] = ", then perhaps ':' and what fills them",
		[ARGUMENT_N_WIDTH] = ", then perhaps ':' and a greater one",
		[ARGUMENT_N_NAME] = ", then ':' and a name",
	};

	switch (argument) {
	case ARGUMENT_NOTHING:
		return "nothing";
	case ARGUMENT_WORDS:
		return "words";
	case ARGUMENT_UNIT:
		return "a unit";
	case ARGUMENT_DECIMALS:
		return arena_print(mem, "a number of digits up to %d", TEMPLATE_MAX_DECIMALS);
	case ARGUMENT_N:
	case ARGUMENT_N_FILL:
	case ARGUMENT_N_WIDTH:
	case ARGUMENT_N_NAME:
		break;
	}
	return arena_print(mem, "a number of columns up to %d%s", TEMPLATE_MAX_COLUMNS, argument == ARGUMENT_N ? "" : more[argument]);
}

/* Reads what follows the filter's name, without its first colon; p NULL when there was no colon. */
static bool arguments_read(struct compiler *c, struct filter_call *call, struct slice rest, struct value_type *type)
{
	const enum filter_argument wanted = filter_argument(call->filter);
	struct slice piece;

	if (wanted == ARGUMENT_NOTHING)
		return !rest.p;
	if (wanted == ARGUMENT_WORDS) {
		call->words = rest;
		return rest.p != NULL;
	}
	if (wanted == ARGUMENT_UNIT) {
		rest = slice_trim(rest);
		if (rest.n)
			unit_check(c, call, rest, type);
		return rest.n > 0;
	}
	if (!slice_part(&rest, ':', &piece) ||
		!columns_parse(piece, wanted == ARGUMENT_DECIMALS ? TEMPLATE_MAX_DECIMALS : TEMPLATE_MAX_COLUMNS, &call->columns))
		return false;
	switch (wanted) {
	case ARGUMENT_N_FILL:
		call->words = rest;
		return !rest.p || (rest.n && utf8_size(rest) == rest.n);
	case ARGUMENT_N_WIDTH:
		return !rest.p || (columns_parse(rest, TEMPLATE_MAX_COLUMNS, &call->width) && call->width > call->columns);
	case ARGUMENT_N_NAME:
		if (!rest.p || !name_resolve(c, slice_trim(rest), &call->name))
			return rest.p != NULL; /* already reported */
		return kind_is_printable(call->name.kind);
	default:
		return !rest.p;
	}
}

/* A plain number always is one; a quantity, when its dimension is not known or is `wanted`. */
static bool is_number_or(const struct value_type *type, enum dimension wanted)
{
	if (type->kind == FIELD_QUANTITY)
		return !type->has_dimension || type->dimension == wanted;
	return type->kind == FIELD_NUMBER || type->kind == FIELD_COUNT || type->kind == FIELD_ORDINAL;
}

static bool is_plain(const struct value_type *type)
{
	return type->kind == FIELD_QUANTITY && type->has_dimension && type->dimension == DIM_NONE;
}

static bool takes(enum filter_takes takes, const struct value_type *type)
{
	switch (takes) {
	case TAKES_NUMBER:
		return type->kind == FIELD_QUANTITY || is_number_or(type, DIM_NONE);
	case TAKES_QUANTITY:
		return type->kind == FIELD_QUANTITY;
	case TAKES_SHARE:
		return is_number_or(type, DIM_SHARE) || is_plain(type);
	case TAKES_DURATION:
		return is_number_or(type, DIM_TIME) || is_plain(type);
	case TAKES_TIME:
		return type->kind == FIELD_TIME;
	case TAKES_CELLS:
		return type->kind == FIELD_CELLS;
	case TAKES_TEXT:
		break;
	}
	return kind_is_printable(type->kind);
}

/* ", and 'power' is a power" */
static const char *but_is(struct compiler *c, const struct value_type *type)
{
	if (type->kind != FIELD_QUANTITY || !type->has_dimension)
		return "";
	return arena_print(c->mem, ", and '%.*s' is %s", SLICE(type->name), dimension_name(type->dimension));
}

/* 4.1 is GiB and 800 is MiB: without its unit such a number says nothing. */
static bool drops_the_unit(const struct filter *filter, const struct value_type *type)
{
	return filter_takes(filter) == TAKES_NUMBER && type->kind == FIELD_QUANTITY && type->has_dimension && !type->unit_chosen &&
	       dimension_has_sizes(type->dimension);
}

/* One "name:arguments"; NULL after a complaint. */
static struct filter_call *filter_read(struct compiler *c, struct slice text, struct value_type *type)
{
	static const char *const things[] = {
		[TAKES_TEXT] = "a value",
		[TAKES_NUMBER] = "a number",
		[TAKES_QUANTITY] = "a quantity",
		[TAKES_SHARE] = "a share or a number",
		[TAKES_DURATION] = "a time or a number of seconds",
		[TAKES_TIME] = "a moment",
		[TAKES_CELLS] = "a row of cells",
	};
	struct filter_call *const call = NEW(c->mem, struct filter_call);
	struct slice rest = text, name;

	slice_part(&rest, ':', &name);
	name = slice_trim(name);
	call->filter = filter_find(name);
	if (!call->filter) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "unknown filter '%.*s'%s", SLICE(name),
			did_you_mean(c->mem, filter_nearest(name)));
		return NULL;
	}
	if (!takes(filter_takes(call->filter), type)) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "filter '%.*s' takes %s%s", SLICE(name),
			things[filter_takes(call->filter)], but_is(c, type));
		return NULL;
	}
	if (drops_the_unit(call->filter, type)) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER,
			"filter '%.*s' drops the unit of '%.*s', which depends on its size; choose one before it with 'in:UNIT' (%s)",
			SLICE(name), SLICE(type->name), units_of(c->mem, type->dimension));
		return NULL;
	}
	if (!arguments_read(c, call, rest, type)) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "bad argument of filter '%.*s': '%.*s'; expected %s",
			SLICE(name), (int)rest.n, rest.p ? rest.p : "", argument_wanted(c->mem, filter_argument(call->filter)));
		return NULL;
	}
	return call;
}

/* ------------------------------------------------ nodes */

static struct node *node_add(struct compiler *c, enum node_kind kind)
{
	struct node *const node = NEW(c->mem, struct node);

	node->kind = kind;
	*c->end = node;
	c->end = &node->next;
	return node;
}

static void literal_add(struct compiler *c, size_t begin, size_t end)
{
	if (begin < end)
		node_add(c, NODE_LITERAL)->literal = (struct slice){ c->text.p + begin, end - begin };
}

static struct value_type type_of(const struct reference *name, struct slice text)
{
	const struct field *const row = name->n_path ? name->path[name->n_path - 1] : NULL;
	const bool has_dimension = row && row->kind == FIELD_QUANTITY && row->has_dimension;

	return (struct value_type){
		.name = text, .kind = name->kind, .has_dimension = has_dimension,
		.dimension = has_dimension ? unit_table[row->unit].dimension : DIM_NONE,
	};
}

static void value_add(struct compiler *c, struct slice inside)
{
	struct node *const node = node_add(c, NODE_VALUE);
	const struct filter_call **end = &node->filters;
	struct slice rest = inside, piece;

	slice_part(&rest, '|', &piece);
	const struct slice name = slice_trim(piece);
	if (!name_resolve(c, name, &node->name))
		return;
	struct value_type type = type_of(&node->name, name);
	if (!rest.p && !kind_is_printable(type.kind)) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER,
			"'%.*s' is a list or a struct, not a value", SLICE(name));
		return;
	}
	while (slice_part(&rest, '|', &piece)) {
		struct filter_call *const call = filter_read(c, piece, &type);
		if (!call)
			return;
		*end = call;
		end = &call->next;
		if (filter_argument(call->filter) != ARGUMENT_UNIT) /* the others give texts */
			type.kind = FIELD_TEXT;
	}
}

/* What names mean inside a section of `name`; false when nothing changes. */
static bool scope_of(const struct reference *name, struct scope *out)
{
	*out = (struct scope){ .item = name->kind };
	switch (name->kind) {
	case FIELD_BOOL:
	case FIELD_QUESTION:
		return false;
	case FIELD_LIST:
	case FIELD_MAP:
	case FIELD_OBJECT:
		out->fields = name->path[name->n_path - 1]->of; /* only members are of these kinds */
		out->is_list = name->kind != FIELD_OBJECT;
		return true;
	case FIELD_TEXTS:
	case FIELD_CELLS:
		out->item = name->kind == FIELD_TEXTS ? FIELD_TEXT : FIELD_NUMBER;
		out->is_list = true;
		return true;
	default:
		return true;
	}
}

/* False when the text must not be read on. */
static bool section_open(struct compiler *c, struct slice name, enum node_kind kind)
{
	struct scope scope;

	if (c->n_sections == TEMPLATE_MAX_NESTING) {
		compiler_complain(c, compiler_offset(c, name), DIAG_LIMIT, "sections nested more than %d deep", TEMPLATE_MAX_NESTING);
		return false;
	}
	struct node *const node = node_add(c, kind);
	c->sections[c->n_sections++] = (struct section){ name, compiler_offset(c, name), c->n_scopes, c->end };
	c->end = &node->first;
	if (!name_resolve(c, name, &node->name))
		c->scopes[c->n_scopes++] = (struct scope){ .item = FIELD_TEXT, .is_unknown = true };
	else if (kind == NODE_SECTION && scope_of(&node->name, &scope))
		c->scopes[c->n_scopes++] = scope;
	return true;
}

static bool section_close(struct compiler *c, struct slice name)
{
	if (c->n_sections == c->n_outside) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "'%.*s' is closed, but not open", SLICE(name));
		return false;
	}
	const struct section *const section = &c->sections[c->n_sections - 1];
	if (section->name.n != name.n || memcmp(section->name.p, name.p, name.n) != 0) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER,
			"'%.*s' is closed, but '%.*s' of line %" PRId64 " is open", SLICE(name), SLICE(section->name),
			compiler_place(c, section->at).line);
		return false;
	}
	c->n_scopes = section->n_scopes;
	c->end = section->place;
	c->n_sections--;
	return true;
}

/* ------------------------------------------------ the text */

/* Where the line that holds `at` begins, if only blanks are between; else `at` itself. */
static bool only_blanks_before(const struct compiler *c, size_t *at)
{
	size_t i = *at;

	while (i && (c->text.p[i - 1] == ' ' || c->text.p[i - 1] == '\t'))
		i--;
	if (i && c->text.p[i - 1] != '\n')
		return false;
	*at = i;
	return true;
}

static bool only_blanks_behind(const struct compiler *c, size_t *at)
{
	size_t i = *at;

	while (i < c->text.n && (c->text.p[i] == ' ' || c->text.p[i] == '\t'))
		i++;
	if (i + 1 < c->text.n && c->text.p[i] == '\r' && c->text.p[i + 1] == '\n')
		i++;
	if (i < c->text.n && c->text.p[i] != '\n')
		return false;
	*at = i < c->text.n ? i + 1 : i;
	return true;
}

/* Sections, parts and comments alone on their line take the line with them. */
static void take_line(const struct compiler *c, struct tag *tag)
{
	size_t begin = tag->begin, end = tag->end;

	if (!tag->inside.n || !memchr("#^/!>", tag->inside.p[0], 5))
		return;
	if (!only_blanks_before(c, &begin) || !only_blanks_behind(c, &end))
		return;
	tag->begin = begin;
	tag->end = end;
}

static bool text_read(struct compiler *c);

/* "details" of "templates/details.part.tmpl"; p NULL: another file. */
static struct slice part_name(const char *file)
{
	static const char begin[] = "templates/", end[] = ".part.tmpl";
	const size_t n = strlen(file), around = strlen(begin) + strlen(end);

	if (n <= around || memcmp(file, begin, strlen(begin)) != 0 || strcmp(file + n - strlen(end), end) != 0)
		return (struct slice){ NULL, 0 };
	return (struct slice){ file + strlen(begin), n - around };
}

static const char *part_nearest(struct compiler *c, struct slice name)
{
	const char **names = NEW_ARRAY(c->mem, const char *, n_embedded_files);
	size_t n = 0;

	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct slice part = part_name(embedded_files[i].name);
		if (part.p)
			names[n++] = arena_text(c->mem, part.p, part.n);
	}
	return nearest_name(name, names, n);
}

/* Reads another text in the place of a tag; what it opens it has to close. False when the text must not be read on. */
static bool part_read(struct compiler *c, const char *file, struct slice text)
{
	const struct slice text_outside = c->text;
	const struct place place_outside = c->place;
	const size_t n_outside = c->n_outside;

	c->text = text;
	c->place = (struct place){ file, 1, 1 };
	c->n_outside = c->n_sections;
	c->n_parts++;
	bool good = text_read(c);
	if (good && c->n_sections > c->n_outside) {
		const struct section *const open = &c->sections[c->n_sections - 1];
		compiler_complain(c, open->at, DIAG_BAD_PLACEHOLDER, "'%.*s' is not closed", SLICE(open->name));
		good = false;
	}
	c->n_parts--;
	c->n_outside = n_outside;
	c->place = place_outside;
	c->text = text_outside;
	return good;
}

static bool part_add(struct compiler *c, struct slice name)
{
	const char *const file = arena_print(c->mem, "templates/%.*s.part.tmpl", SLICE(name));
	const struct slice text = embedded_find(file);

	if (!text.p) {
		compiler_complain(c, compiler_offset(c, name), DIAG_BAD_PLACEHOLDER, "no part is called '%.*s'%s", SLICE(name),
			did_you_mean(c->mem, part_nearest(c, name)));
		return true;
	}
	if (c->n_parts == TEMPLATE_MAX_INSIDE) {
		compiler_complain(c, compiler_offset(c, name), DIAG_LIMIT, "parts inside of parts more than %d deep", TEMPLATE_MAX_INSIDE);
		return false;
	}
	return part_read(c, file, text);
}

/* False when the text must not be read on: what follows would only be misread. */
static bool tag_add(struct compiler *c, struct slice inside)
{
	const char sign = inside.n ? inside.p[0] : '\0';
	const struct slice name = sign ? slice_trim((struct slice){ inside.p + 1, inside.n - 1 }) : inside;

	switch (sign) {
	case '!':
		return true;
	case '#':
		return section_open(c, name, NODE_SECTION);
	case '^':
		return section_open(c, name, NODE_INVERTED);
	case '/':
		return section_close(c, name);
	case '>':
		if (c->tags == TAGS_DOUBLE_BRACE)
			return part_add(c, name);
		value_add(c, inside);
		return true;
	default:
		value_add(c, inside);
		return true;
	}
}

/* A brace that stands for itself: true, and where it is in the text. SINGLE only. */
static bool is_written_twice(const struct compiler *c, size_t at)
{
	return at + 1 < c->text.n && c->text.p[at] == c->text.p[at + 1];
}

/* The end of the tag that begins at `at`; 0 when it isn't closed. */
static size_t tag_end(const struct compiler *c, size_t at)
{
	const size_t braces = c->tags == TAGS_DOUBLE_BRACE ? 2 : 1;

	for (size_t i = at + braces; i + braces <= c->text.n; i++)
		if (c->text.p[i] == '}' && (braces == 1 || c->text.p[i + 1] == '}'))
			return i + braces;
	return 0;
}

static bool tag_begins(const struct compiler *c, size_t at)
{
	return c->text.p[at] == '{' && (c->tags == TAGS_SINGLE_BRACE || is_written_twice(c, at));
}

/* Deals with the tag at *at, after the literal from `begin`; false when the text must not be read on. */
static bool tag_read(struct compiler *c, size_t begin, size_t *at)
{
	const size_t braces = c->tags == TAGS_DOUBLE_BRACE ? 2 : 1;
	struct tag tag = { .begin = *at, .end = tag_end(c, *at) };

	if (!tag.end) {
		compiler_complain(c, *at, DIAG_BAD_PLACEHOLDER, "a tag that is not closed");
		return false;
	}
	tag.inside = slice_trim((struct slice){ c->text.p + tag.begin + braces, tag.end - tag.begin - 2 * braces });
	take_line(c, &tag);
	literal_add(c, begin, tag.begin);
	*at = tag.end;
	return tag_add(c, tag.inside);
}

static bool text_read(struct compiler *c)
{
	const bool single = c->tags == TAGS_SINGLE_BRACE;
	size_t begin = 0, at = 0;

	c->n_bytes += c->text.n;
	if (c->n_bytes > TEMPLATE_MAX_BYTES) {
		compiler_complain(c, 0, DIAG_LIMIT, "a template of more than %d bytes", TEMPLATE_MAX_BYTES);
		return false;
	}
	while (at < c->text.n && c->n_wrong < TEMPLATE_MAX_COMPLAINTS) {
		const char sign = c->text.p[at];
		if (single && (sign == '{' || sign == '}') && is_written_twice(c, at)) {
			literal_add(c, begin, at + 1);
			begin = at += 2;
		} else if (tag_begins(c, at)) {
			if (!tag_read(c, begin, &at))
				return false;
			begin = at;
		} else {
			if (single && sign == '}')
				compiler_complain(c, at, DIAG_BAD_PLACEHOLDER, "a lone '}'; a brace that is meant is written twice");
			at++;
		}
	}
	literal_add(c, begin, at);
	return at == c->text.n;
}

const struct template *template_compile(struct arena *mem, struct slice text, struct place place,
	enum tag_style tags, const struct fields *root, struct diags *diags)
{
	struct template *const t = NEW(mem, struct template);
	struct compiler c = {
		.mem = mem, .diags = diags, .place = place, .tags = tags, .end = &t->first,
		.text = { arena_text(mem, text.p, text.n), text.n },
		.scopes = { { .fields = root, .item = FIELD_OBJECT } }, .n_scopes = 1,
	};

	if (text_read(&c) && c.n_sections) {
		const struct section *const open = &c.sections[c.n_sections - 1];
		compiler_complain(&c, open->at, DIAG_BAD_PLACEHOLDER, "'%.*s' is not closed", SLICE(open->name));
	}
	return c.n_wrong ? NULL : t;
}

const struct template *template_keep(struct arena *mem, struct slice text, enum tag_style tags, const struct fields *root)
{
	struct template *const t = NEW(mem, struct template);

	*t = (struct template){ .kept = text, .tags = tags, .root = root };
	return t;
}

const struct node *template_nodes(struct arena *mem, const struct template *t)
{
	struct diags diags;

	if (!t->kept.p)
		return t->first;
	diags_init(&diags, mem);
	const struct template *const compiled = template_compile(mem, t->kept, (struct place){ NULL, 1, 1 }, t->tags, t->root, &diags);
	diags_release(&diags);
	if (!compiled)
		BUG("a text that was kept as right is wrong");
	return compiled->first;
}

/* ------------------------------------------------ what it can be */

static bool may_be_blank(const struct node *node);

static bool is_same_name(const struct reference *a, const struct reference *b)
{
	return a->what == b->what && a->frame == b->frame && a->n_path == b->n_path &&
	       memcmp(a->path, b->path, a->n_path * sizeof *a->path) == 0;
}

/* One of "{{#name}}…{{/name}}" and "{{^name}}…{{/name}}" always stands, where the name is not a list's. */
static bool is_either(const struct node *a, const struct node *b)
{
	return ((a->kind == NODE_SECTION && b->kind == NODE_INVERTED) || (a->kind == NODE_INVERTED && b->kind == NODE_SECTION)) &&
	       is_same_name(&a->name, &b->name) && !may_be_blank(a->first) && !may_be_blank(b->first);
}

static bool has_ink(struct slice text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] > ' ')
			return true;
	return false;
}

static bool says_something(const struct node *node)
{
	if (node->kind == NODE_VALUE || (node->kind == NODE_LITERAL && has_ink(node->literal)))
		return true;
	if (node->kind == NODE_SECTION && node->name.kind != FIELD_BOOL && node->name.kind != FIELD_QUESTION && !may_be_blank(node->first))
		return true;
	for (const struct node *other = node->next; other; other = other->next)
		if (is_either(node, other))
			return true;
	return false;
}

static bool may_be_blank(const struct node *node)
{
	for (; node; node = node->next)
		if (says_something(node))
			return false;
	return true;
}

bool template_may_be_blank(const struct template *t)
{
	return may_be_blank(t->first);
}
