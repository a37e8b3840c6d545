/*
 * yaml.c - YAML files as trees of nodes that know where they stand.
 *
 *     when: gpu.util < low         key "when" at 1:1, scalar "gpu.util < low" at 1:7
 *     what: >-                     a scalar at 3:3, where its first character stands, not at 2:7
 *       the GPU
 *       waited
 *
 * libyaml cuts the text into events; the tree, the bounds and the words of every
 * complaint are ours. Its parser is lenient where we must not be: it has no limit of
 * depth (and takes quadratic time in it), it lets keys repeat, turns `!x` into an empty text
 * with a tag, and knows five kinds of line end. So:
 *
 *   - bytes are checked before it sees them. Line ends that editors don't count (a lone CR,
 *     U+0085, U+2028, U+2029) are refused, so that our line numbers are the reader's;
 *   - depth, children of a node and length of a scalar are bounded while events come;
 *   - its marks count characters, never bytes. They only grow, so one cursor turns all of
 *     them into bytes in one pass (struct cursor).
 *
 * Its messages speak of tokens and contexts. Those that people who write rules really meet have
 * words and a way out of our own in `explain`; the rest is passed on as it is.
 */
#include "base/embedded.h"
#include "base/yaml_tape.h"

#include <stdint.h>
#include <yaml.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Walks the text once, in step with libyaml's marks. */
struct cursor {
	size_t byte, index; /* index: characters from the start, as libyaml counts */
};

/* A list or map whose end has not come yet. */
struct level {
	struct yaml_node *node, **tail;
	size_t n;
	bool has_key;
	struct slice key;
	struct place key_place;
};

struct builder {
	struct arena *mem;
	const char *path;
	struct slice text;
	int n_lines;
	struct diags *diags;
	struct cursor cursor;
	struct level open[YAML_DEPTH_MAX];
	size_t depth;
	struct yaml_node *root;
	size_t n_documents, n_problems;
	struct { /* the last text, if it is in quotes and over several lines: a quote that is not closed ends at the next one */
		yaml_mark_t begin;
		size_t end_line; /* 0: it is none */
	} over_lines;
	bool given_up;
	bool is_plain; /* no character takes more than a byte */
};

/* Bytes of the character at p; 0 when it is not well-formed UTF-8 (RFC 3629). */
static size_t character_bytes(const char *p, size_t n, uint32_t *code)
{
	static const struct { unsigned char mask, lead; uint32_t low; } forms[] = {
		{ 0x80, 0x00, 0x0 }, { 0xE0, 0xC0, 0x80 }, { 0xF0, 0xE0, 0x800 }, { 0xF8, 0xF0, 0x10000 },
	};
	const unsigned char *const u = (const unsigned char *)p;

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		if ((u[0] & forms[k].mask) != forms[k].lead)
			continue;
		if (k + 1 > n)
			return 0;
		*code = (uint32_t)(u[0] & (unsigned char)~forms[k].mask);
		for (size_t i = 1; i <= k; i++) {
			if ((u[i] & 0xC0) != 0x80)
				return 0;
			*code = *code << 6 | (u[i] & 0x3F);
		}
		if (*code < forms[k].low || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
			return 0;
		return k + 1;
	}
	return 0;
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

static size_t mark_bytes(struct slice text)
{
	return slice_starts(text, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
}

struct slice source_line(struct slice text, int64_t line)
{
	const char *const end = text.p + text.n;
	const char *begin = text.p + mark_bytes(text);

	for (int64_t i = 1; i < line; i++) {
		const char *const feed = memchr(begin, '\n', (size_t)(end - begin));
		if (!feed)
			return (struct slice){ end, 0 };
		begin = feed + 1;
	}
	const char *const feed = memchr(begin, '\n', (size_t)(end - begin));
	size_t n = (size_t)((feed ? feed : end) - begin);
	if (n > 0 && begin[n - 1] == '\r')
		n--;
	return (struct slice){ begin, n };
}

/* `from` is the place of the byte `begin`; this is the place of the byte `end` behind it. */
static struct place place_ahead(struct place from, struct slice text, size_t begin, size_t end)
{
	struct place place = from;
	struct slice rest = { text.p + begin, end < text.n ? end - begin : text.n - begin };

	if (begin >= text.n)
		return place;
	for (const char *feed; rest.n && (feed = memchr(rest.p, '\n', rest.n));) {
		place.line++;
		place.column = 1;
		rest = (struct slice){ feed + 1, rest.n - (size_t)(feed + 1 - rest.p) };
	}
	place.column += slice_columns(rest);
	return place;
}

/*
 * Folding changes blanks and line ends only, so the n-th other character of the text
 * is the n-th other character of the source, unless escapes are in the way.
 */
struct place yaml_place(const struct yaml_node *scalar, struct slice source, size_t offset)
{
	const struct slice text = scalar->text;
	const size_t wanted = offset < text.n ? offset : text.n;

	if (scalar->plain_line) {
		struct place place = scalar->place;
		place.column += slice_columns((struct slice){ text.p, wanted });
		return place;
	}
	size_t at = scalar->byte;
	size_t behind = at; /* of the last character that was not blank */
	for (size_t i = 0; i < text.n; i++) {
		if (is_white(text.p[i])) {
			if (i == wanted)
				return place_ahead(scalar->place, source, scalar->byte, behind);
			continue;
		}
		while (at < source.n && is_white(source.p[at]))
			at++;
		if (at >= source.n || source.p[at] != text.p[i])
			return scalar->place;
		if (i == wanted)
			return place_ahead(scalar->place, source, scalar->byte, at);
		behind = ++at;
	}
	return place_ahead(scalar->place, source, scalar->byte, behind);
}

static void point_at(const struct builder *b, struct place place, int width)
{
	diag_excerpt(b->diags, source_line(b->text, place.line), width > 0 ? width : 1);
}

static bool complain(struct builder *b, struct place place, int width, enum diag_code code, const char *words)
{
	b->n_problems++;
	diag_at(b->diags, place, code, "%s", words);
	point_at(b, place, width);
	if (b->n_problems == YAML_PROBLEMS_MAX) {
		b->given_up = true;
		diag_at(b->diags, (struct place){ b->path, 0, 0 }, DIAG_LIMIT,
			"no more mistakes of a file are told than %s; the rest is not read",
			limit_text(b->mem, NULL, LIMIT_YAML_PROBLEMS_MAX));
	}
	return false;
}

static bool give_up(struct builder *b, struct place place, int width, enum diag_code code, const char *words)
{
	b->given_up = true;
	return complain(b, place, width, code, words);
}

/* What is wrong with this character of a file; NULL: nothing. */
static const char *character_problem(const char *p, size_t n, size_t *bytes)
{
	uint32_t code = 0;

	*bytes = character_bytes(p, n, &code);
	if (*bytes == 0)
		return "this is not UTF-8";
	if (code == 0)
		return "a NUL byte";
	if (code == '\r' && (n < 2 || p[1] != '\n'))
		return "a carriage return without a line feed; end lines with LF or CR LF";
	if (code == 0x85 || code == 0x2028 || code == 0x2029)
		return "a line end that editors don't count; end lines with LF or CR LF";
	if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code < 0xA0))
		return "a control character";
	if (code == 0xFEFF)
		return "a byte order mark inside the file";
	if (code == 0xFFFE || code == 0xFFFF)
		return "this is not a character";
	return NULL;
}

/* Not one of those from ' ' to '~', nor a line feed: 1, else 0. */
static inline uint8_t is_odd(char c)
{
	const uint8_t from_blank = (uint8_t)(c - ' ');

	return (uint8_t)((from_blank > '~' - ' ') & (c != '\n'));
}

#define ABREAST 32 /* bytes of which compilers make vectors */

static inline bool any_is_odd(const char *at)
{
	uint8_t any = 0;

	for (size_t i = 0; i < ABREAST; i++)
		any |= is_odd(at[i]);
	return any != 0;
}

/* The next byte that must be looked at; those of nearly all texts are letters and line feeds. */
static size_t next_odd(struct slice text, size_t from)
{
	size_t i = from;

	while (i + ABREAST <= text.n && !any_is_odd(text.p + i))
		i += ABREAST;
	while (i < text.n && !is_odd(text.p[i]))
		i++;
	return i;
}

/* No excerpt here: it would send the bad bytes to a terminal. */
static bool characters_are_fine(struct builder *b)
{
	const size_t begin = mark_bytes(b->text);
	size_t bytes;

	b->is_plain = next_odd(b->text, begin) == b->text.n;
	for (size_t i = next_odd(b->text, begin); i < b->text.n; i = next_odd(b->text, i + bytes)) {
		const char *const problem = character_problem(b->text.p + i, b->text.n - i, &bytes);
		if (!problem)
			continue;
		b->n_problems++;
		return diag_at(b->diags, place_ahead((struct place){ b->path, 1, 1 }, b->text, begin, i), DIAG_YAML, "%s", problem);
	}
	return true;
}

static int count_lines(struct slice text)
{
	int n = 1;

	for (const char *at = text.p, *const end = text.p + text.n; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		n++;
	return n;
}

/* At the end of a text without a last line end, libyaml is a line ahead. */
static struct place place_of(const struct builder *b, yaml_mark_t mark)
{
	if ((int)mark.line < b->n_lines)
		return (struct place){ b->path, (int)mark.line + 1, (int)mark.column + 1 };
	return (struct place){ b->path, b->n_lines, slice_columns(source_line(b->text, b->n_lines)) + 1 };
}

/* Marks must not go backwards from call to call. */
static size_t byte_of(struct builder *b, yaml_mark_t mark)
{
	struct cursor *const c = &b->cursor;

	if (b->is_plain)
		return mark_bytes(b->text) + mark.index;
	while (c->index < mark.index && c->byte < b->text.n) {
		do
			c->byte++;
		while (c->byte < b->text.n && continues_character(b->text.p[c->byte]));
		c->index++;
	}
	return c->byte;
}

/* ------ what libyaml can't read ------ */

/* The first character of the value on a line: behind "key: " and "- "; 0 when there is none. */
static char value_begins(struct slice line)
{
	struct slice rest = slice_trim(line);

	while (slice_starts(rest, "- "))
		rest = slice_trim((struct slice){ rest.p + 2, rest.n - 2 });
	for (size_t i = 0; i + 1 < rest.n; i++)
		if (rest.p[i] == ':' && is_white(rest.p[i + 1])) {
			rest = slice_trim((struct slice){ rest.p + i + 1, rest.n - i - 1 });
			break;
		}
	return rest.n > 0 ? rest.p[0] : '\0';
}

static char character_at(struct slice line, size_t column)
{
	size_t i = 0;

	for (; i < line.n && column > 0; column--)
		do
			i++;
		while (i < line.n && continues_character(line.p[i]));
	return i < line.n ? line.p[i] : '\0';
}

static bool has_two_colons(struct slice line)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < line.n; i++)
		n += line.p[i] == ':' && line.p[i + 1] == ' ';
	return n >= 2;
}

/* Words for a value that YAML takes for more than a text because of how it begins. */
static const char *words_for_beginning(char c)
{
	switch (c) {
	case '{':
		return "a text that begins with '{' must be in quotes";
	case '[':
		return "a text that begins with '[' must be in quotes";
	case '"':
	case '\'':
		return "text behind the closing quote; put all of it in quotes";
	default:
		return NULL;
	}
}

static const char *words_for_token(char c)
{
	switch (c) {
	case '\t':
		return "a tab; indent with blanks";
	case '%':
		return "a text that begins with '%' must be in quotes";
	case '@':
		return "a text that begins with '@' must be in quotes";
	case '`':
		return "a text that begins with '`' must be in quotes";
	default:
		return NULL;
	}
}

struct explanation {
	const char *words; /* NULL: libyaml's own */
	bool at_context;   /* where the thing began tells more than where libyaml noticed */
};

static struct explanation explain(const struct builder *b, const yaml_parser_t *parser)
{
	const char *const problem = parser->problem ? parser->problem : "";
	const char *const context = parser->context ? parser->context : "";
	const struct slice line = source_line(b->text, (int)parser->problem_mark.line + 1);

	if (strstr(context, "quoted scalar") && strstr(problem, "end of stream"))
		return (struct explanation){ "a quote that is never closed", true };
	if (strstr(context, "block scalar") && strstr(problem, "comment or line break"))
		return (struct explanation){ "a '>' or '|' here begins a block of lines; put the text in quotes", true };
	if (strstr(problem, "cannot start any token"))
		return (struct explanation){ words_for_token(character_at(line, parser->problem_mark.column)), false };
	if (strstr(problem, "tab character"))
		return (struct explanation){ "a tab; indent with blanks", false };
	if (strstr(problem, "mapping values are not allowed"))
		return (struct explanation){ has_two_colons(line) ? "a second ': ' in one line; put the text in quotes"
		                                                  : "a key where none can be; check the indentation", false };
	if (strstr(context, "flow mapping"))
		return (struct explanation){ "a '{' that is not closed as a map; a text that begins with '{' must be in quotes", true };
	if (strstr(context, "flow sequence"))
		return (struct explanation){ "a '[' that is not closed as a list; a text that begins with '[' must be in quotes", true };
	if (strstr(problem, "did not find expected key"))
		return (struct explanation){ words_for_beginning(value_begins(line)), false };
	return (struct explanation){ NULL, false };
}

static bool refuse_syntax(struct builder *b, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
		die_memory();
	if (parser->error == YAML_READER_ERROR) /* its mark is always 1:1; the offset is right */
		return give_up(b, place_ahead((struct place){ b->path, 1, 1 }, b->text, mark_bytes(b->text),
			mark_bytes(b->text) + parser->problem_offset), 1, DIAG_YAML, "a character that YAML does not have");

	if (b->over_lines.end_line && b->over_lines.end_line == parser->problem_mark.line)
		return give_up(b, place_of(b, b->over_lines.begin), 1, DIAG_YAML,
			arena_print(b->mem,
				"the quote that is opened here is closed in line %zu, and more follows there; is its own end missing?",
				b->over_lines.end_line + 1));
	const struct explanation e = explain(b, parser);
	const struct place place = place_of(b, e.at_context ? parser->context_mark : parser->problem_mark);
	return give_up(b, place, 1, DIAG_YAML, e.words ? e.words : parser->problem);
}

/* ------ from events to nodes ------ */

/* The top of the stack, or NULL outside of the root. */
static struct level *innermost(struct builder *b)
{
	return b->depth > 0 ? &b->open[b->depth - 1] : NULL;
}

static bool node_is_bare(struct builder *b, struct place place, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		return complain(b, place, 1, DIAG_YAML, "anchors are not allowed; a text that begins with '&' must be in quotes");
	if (tag)
		return complain(b, place, 1, DIAG_YAML, "tags are not allowed; a text that begins with '!' must be in quotes");
	return true;
}

/* Hangs the node below the innermost list or map; a node at the top becomes the root. */
static bool append(struct builder *b, struct yaml_node *node)
{
	struct level *const level = innermost(b);

	if (!level) {
		b->root = node;
		return true;
	}
	if (++level->n > YAML_CHILDREN_MAX)
		return give_up(b, node->place, 1, DIAG_LIMIT,
			arena_print(b->mem, "more than %d entries in one list or map", YAML_CHILDREN_MAX));
	if (level->node->kind == YAML_MAP) {
		node->key = level->key;
		node->key_place = level->key_place;
		level->has_key = false;
	}
	*level->tail = node;
	level->tail = &node->next;
	return true;
}

static bool expects_key(const struct level *level)
{
	return level && level->node->kind == YAML_MAP && !level->has_key;
}

static void refuse_duplicate(struct builder *b, struct slice key, struct place place, struct place first)
{
	b->n_problems++;
	diag_at(b->diags, place, DIAG_DUPLICATE, "'%.*s' is given twice; first at line %" PRId64 ", column %d",
		SLICE(key), first.line, first.column);
	point_at(b, place, slice_columns(key));
}

static void take_key(struct builder *b, struct level *level, struct slice key, struct place place)
{
	level->key = key;
	level->key_place = place;
	level->has_key = true;
	if (slice_is(key, "<<"))
		complain(b, place, 2, DIAG_YAML, "merge keys are not allowed");
	for (const struct yaml_node *child = level->node->first; child; child = child->next)
		if (child->key.n == key.n && memcmp(child->key.p, key.p, key.n) == 0) {
			refuse_duplicate(b, key, place, child->key_place);
			return;
		}
}

static void open_level(struct builder *b, enum yaml_kind kind, struct place place, size_t byte)
{
	if (expects_key(innermost(b))) {
		give_up(b, place, 1, DIAG_YAML, "a key must be a word");
		return;
	}
	if (b->depth == YAML_DEPTH_MAX) {
		give_up(b, place, 1, DIAG_LIMIT, arena_print(b->mem, "lists and maps nested more than %d deep", YAML_DEPTH_MAX));
		return;
	}
	struct yaml_node *const node = NEW(b->mem, struct yaml_node);
	node->kind = kind;
	node->place = place;
	node->byte = byte;
	node->width = 1;
	if (append(b, node))
		b->open[b->depth++] = (struct level){ .node = node, .tail = &node->first };
}

/* Past a quote, or past the header of a block: where the first character of the text stands. */
static size_t text_begins(const struct builder *b, size_t byte, yaml_scalar_style_t style)
{
	if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		return byte + 1;
	if (style != YAML_LITERAL_SCALAR_STYLE && style != YAML_FOLDED_SCALAR_STYLE)
		return byte;
	while (byte < b->text.n && b->text.p[byte] != '\n')
		byte++;
	while (byte < b->text.n && is_white(b->text.p[byte]))
		byte++;
	return byte;
}

static bool stands_as_written(struct slice text, struct slice source, size_t byte)
{
	return byte + text.n <= source.n && memcmp(source.p + byte, text.p, text.n) == 0 && !memchr(text.p, '\n', text.n);
}

static int width_of(const struct builder *b, const struct yaml_node *node)
{
	if (node->plain_line)
		return slice_columns(node->text);
	size_t end = node->byte;
	while (end < b->text.n && b->text.p[end] != '\n' && b->text.p[end] != '\r')
		end++;
	return slice_columns((struct slice){ b->text.p + node->byte, end - node->byte });
}

/* libyaml copies what escapes such as "\0" and "\e" stand for into the text. */
static bool scalar_is_fine(struct builder *b, struct slice text, struct place place)
{
	size_t bytes;

	if (text.n > YAML_SCALAR_MAX_BYTES)
		return complain(b, place, 1, DIAG_LIMIT, arena_print(b->mem, "a text of more than %d bytes", YAML_SCALAR_MAX_BYTES));
	for (size_t i = next_odd(text, 0); i < text.n; i = next_odd(text, i + bytes))
		if (character_problem(text.p + i, text.n - i, &bytes))
			return complain(b, place, 1, DIAG_YAML, "a text with an escaped control character");
	return true;
}

static void take_scalar(struct builder *b, const yaml_event_t *event)
{
	const struct slice value = { (const char *)event->data.scalar.value, event->data.scalar.length };
	const size_t start = byte_of(b, event->start_mark);
	const size_t byte = value.n > 0 ? text_begins(b, start, event->data.scalar.style) : start;
	const struct place place = place_ahead(place_of(b, event->start_mark), b->text, start, byte);
	const bool bare = node_is_bare(b, place_of(b, event->start_mark), event->data.scalar.anchor, event->data.scalar.tag);
	const bool usable = scalar_is_fine(b, value, place) && bare;
	const struct slice text = { arena_text(b->mem, value.p, usable ? value.n : 0), usable ? value.n : 0 };

	const bool is_quoted =
		event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE || event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE;
	b->over_lines.begin = event->start_mark;
	b->over_lines.end_line = is_quoted && event->end_mark.line > event->start_mark.line ? event->end_mark.line : 0;
	if (expects_key(innermost(b))) {
		take_key(b, innermost(b), text, place);
		return;
	}
	struct yaml_node *const node = NEW(b->mem, struct yaml_node);
	node->kind = YAML_SCALAR;
	node->text = text;
	node->place = place;
	node->byte = byte;
	node->plain_line = stands_as_written(text, b->text, byte);
	node->width = width_of(b, node);
	append(b, node);
}

/* The tree stays whole, so that further problems can be found. */
static void refuse_alias(struct builder *b, const yaml_event_t *event)
{
	const struct place place = place_of(b, event->start_mark);

	complain(b, place, 1, DIAG_YAML, "aliases are not allowed; a text that begins with '*' must be in quotes");
	if (expects_key(innermost(b))) {
		b->given_up = true;
		return;
	}
	struct yaml_node *const node = NEW(b->mem, struct yaml_node);
	node->place = place;
	node->byte = byte_of(b, event->start_mark);
	append(b, node);
}

static void take(struct builder *b, const yaml_event_t *event)
{
	const struct place place = place_of(b, event->start_mark);

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (++b->n_documents > 1)
			give_up(b, place, 1, DIAG_YAML, "a second document; one file holds one");
		break;
	case YAML_SCALAR_EVENT:
		take_scalar(b, event);
		break;
	case YAML_ALIAS_EVENT:
		refuse_alias(b, event);
		break;
	case YAML_SEQUENCE_START_EVENT:
		node_is_bare(b, place, event->data.sequence_start.anchor, event->data.sequence_start.tag);
		open_level(b, YAML_LIST, place, byte_of(b, event->start_mark));
		break;
	case YAML_MAPPING_START_EVENT:
		node_is_bare(b, place, event->data.mapping_start.anchor, event->data.mapping_start.tag);
		open_level(b, YAML_MAP, place, byte_of(b, event->start_mark));
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		break;
	default:
		break;
	}
}

static void take_all(struct builder *b, yaml_parser_t *parser)
{
	for (bool more = true; more && !b->given_up;) {
		yaml_event_t event;
		if (!yaml_parser_parse(parser, &event)) {
			refuse_syntax(b, parser);
			return;
		}
		more = event.type != YAML_STREAM_END_EVENT;
		take(b, &event);
		yaml_event_delete(&event);
	}
}

static void build(struct builder *b)
{
	const size_t mark = mark_bytes(b->text); /* libyaml would count it as a column */
	yaml_parser_t parser;

	b->cursor.byte = mark;
	if (!yaml_parser_initialize(&parser))
		die_memory();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)b->text.p + mark, b->text.n - mark);
	take_all(b, &parser);
	yaml_parser_delete(&parser);
}

const struct yaml_node *yaml_parse(struct arena *mem, const char *path, struct slice text, struct diags *diags)
{
	const struct slice tape = embedded_tape(text);
	struct builder b = { .mem = mem, .path = path, .text = text, .n_lines = count_lines(text), .diags = diags };
	const struct place whole_file = { path, 0, 0 };

	if (tape.p)
		return yaml_tape_read(mem, path, text, tape);
	if (text.n > YAML_MAX_BYTES) {
		diag_at(diags, whole_file, DIAG_LIMIT, "more than %d MiB of YAML", YAML_MAX_BYTES >> 20);
		return NULL;
	}
	if (text.n > 0 && characters_are_fine(&b))
		build(&b);
	if (b.n_problems > 0)
		return NULL;
	if (!b.root)
		diag_at(diags, whole_file, DIAG_YAML, "the file holds nothing");
	return b.root;
}
