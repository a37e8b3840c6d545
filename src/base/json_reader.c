/*
 * json_reader.c - JSON as loggers really write it.
 *
 *     {"sysstat": {
 *             "hosts": [
 *                     { "nodename": "node01", "statistics": [
 *                             { "timestamp": "18:01:05", "cpu-load": [ {"cpu": "all", "usr": 50.01} ] },
 *                             { "timestamp": "18:01:06",                     and here it was killed
 *
 * A parser that pulls: bytes come in blocks, a stack of open maps and lists knows which of the wanted paths lead on
 * from here (a bit each), and a tree is made only below a path that has matched.
 *
 * Why not libyajl: it has no bound on a text (an open quote before 256 MiB of anything takes 256 MiB of memory), says
 * positions within the block it was given last, and is strict where sysstat was not for years. Releases that are still
 * in use (sysstat's own issues 12, 90, 128, 163, 222) leave commas out between members, begin a list with one, and write
 * decimal commas. So here
 *
 *   - commas are blanks: they separate nothing that is not separate without them;
 *   - in a map, where a key must follow, a comma with a digit right behind it is a decimal comma: "usr": 4,97;
 *   - NaN and Infinity, which Python writes, are values that are not known.
 *
 * Everything else is an error, and the parser goes on at the next line that begins with '{': so begins each document of
 * JSON lines and of indented ones. Where a document has indents, such a line inside it is the next one, too, as when a
 * logger was killed and another appended to its file.
 */
#include "base/json_reader.h"
#include <stdio.h>

#define STEPS_MAX 8
#define NUMBER_MAX_BYTES ((size_t)40)
#define ALL_PATHS(n) ((n) == 32 ? UINT32_MAX : ((uint32_t)1 << (n)) - 1)

struct path {
	struct slice steps[STEPS_MAX];
	size_t n;
	bool left_out;
};

struct level { /* an open map or list */
	bool is_map;
	uint32_t matching; /* paths that lead to it, a bit each */
	struct json *node; /* NULL: not part of a record */
	const struct json **tail;
};

struct json_reader {
	struct lines *in;
	struct diags *diags;
	struct path paths[JSON_PATHS_MAX];
	size_t n_paths;
	struct slice block;
	size_t at;
	int line, column;       /* of the next byte */
	int last_line;          /* that had a byte other than its end */
	struct level open[JSON_DEPTH_MAX + 1]; /* from 1 on */
	size_t depth;
	bool has_indents;       /* of the document */
	struct slice key;       /* of the value that comes next */
	char key_room[JSON_TEXT_MAX_BYTES], text_room[JSON_TEXT_MAX_BYTES];
	struct arena record;
	const struct json *root; /* of the record in the making */
	bool in_record, overflow;
	size_t record_depth, which;
	bool cut;
	size_t n_damaged;
};

static void path_split(struct path *path, const char *text)
{
	if (*text == '-') {
		path->left_out = true;
		text++;
	}
	while (*text) {
		size_t n = strcspn(text, ">");
		if (path->n == STEPS_MAX)
			BUG("a path of too many steps");
		path->steps[path->n++] = (struct slice){ text, n };
		text += n + (text[n] == '>');
	}
}

struct json_reader *json_reader_new(struct arena *mem, struct lines *in, struct diags *diags, const char *const *paths)
{
	struct json_reader *r = NEW(mem, struct json_reader);

	r->in = in;
	r->diags = diags;
	r->line = r->column = r->last_line = 1;
	for (; paths[r->n_paths]; r->n_paths++) {
		if (r->n_paths == JSON_PATHS_MAX)
			BUG("too many paths");
		path_split(&r->paths[r->n_paths], paths[r->n_paths]);
	}
	arena_init(&r->record);
	return r;
}

void json_reader_release(struct json_reader *r)
{
	arena_release(&r->record);
}

bool json_is_cut(const struct json_reader *r)
{
	return r->cut;
}

size_t json_n_damaged(const struct json_reader *r)
{
	return r->n_damaged;
}

#define AT_END (-1)

static int peek(struct json_reader *r)
{
	if (r->at == r->block.n) {
		r->block = lines_block(r->in);
		r->at = 0;
		if (!r->block.n)
			return AT_END;
	}
	return (unsigned char)r->block.p[r->at];
}

/* Only after peek(). */
static void skip(struct json_reader *r)
{
	if (r->block.p[r->at++] == '\n') {
		r->line++;
		r->column = 1;
		return;
	}
	r->last_line = r->line;
	r->column++;
}

static int skip_blanks(struct json_reader *r)
{
	int c = peek(r);

	while (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',') {
		r->has_indents |= r->column == 1 && (c == ' ' || c == '\t');
		skip(r);
		c = peek(r);
	}
	return c;
}

static struct place place_of(const struct json_reader *r)
{
	return (struct place){ r->in->path, r->line, r->column };
}

static void drop_record(struct json_reader *r)
{
	r->in_record = r->overflow = false;
	arena_release(&r->record);
	arena_init(&r->record);
}

static void close_all(struct json_reader *r)
{
	r->depth = 0;
	r->key.n = 0;
	r->has_indents = false;
	drop_record(r);
}

/* At the place where a new document may begin: what was open is given up. */
static void resume(struct json_reader *r)
{
	int c;

	close_all(r);
	while ((c = peek(r)) != AT_END && !(c == '{' && r->column == 1))
		skip(r);
}

/* The file ended inside a document. Always false. */
static bool ends_early(struct json_reader *r)
{
	r->cut = true;
	close_all(r);
	diag_at(r->diags, (struct place){ r->in->path, r->last_line, 0 }, DIAG_CUT_ROW,
		"the file ends inside a document, as when a logger is killed; its last record is used only if it is whole");
	return false;
}

/* Always false. */
static bool damaged(struct json_reader *r, struct place place, const char *what)
{
	r->n_damaged++;
	diag_repeat(r->diags, place, DIAG_JSON, "json", "%s; what follows up to the next document is not used", what);
	resume(r);
	return false;
}

static bool unexpected(struct json_reader *r, const char *expected)
{
	struct place place = place_of(r);
	const int c = peek(r);
	char text[80];

	if (c == AT_END)
		return ends_early(r);
	if (place.column == 1 && (c == '\n' || c == '\r')) /* complaints stand in lines that have text */
		place = (struct place){ r->in->path, r->last_line, 0 };
	if (c > ' ' && c < 0x7F)
		snprintf(text, sizeof text, "'%c' where %s is expected", c, expected);
	else
		snprintf(text, sizeof text, "%s where %s is expected", c == '\n' || c == '\r' ? "the line ends" : "an odd byte", expected);
	return damaged(r, place, text);
}

/* Characters of a text in the making; what is over the limit is dropped. */
struct text {
	char *at;
	size_t n;
};

static void put(struct text *text, int c)
{
	if (text->n < JSON_TEXT_MAX_BYTES)
		text->at[text->n++] = (char)c;
}

static void put_character(struct text *text, uint32_t code)
{
	if (code < 0x80) {
		put(text, code ? (int)code : '?');
	} else if (code < 0x800) {
		put(text, (int)(0xC0 | code >> 6));
		put(text, (int)(0x80 | (code & 0x3F)));
	} else if (code < 0x10000) {
		put(text, (int)(0xE0 | code >> 12));
		put(text, (int)(0x80 | (code >> 6 & 0x3F)));
		put(text, (int)(0x80 | (code & 0x3F)));
	} else {
		put(text, (int)(0xF0 | code >> 18));
		put(text, (int)(0x80 | (code >> 12 & 0x3F)));
		put(text, (int)(0x80 | (code >> 6 & 0x3F)));
		put(text, (int)(0x80 | (code & 0x3F)));
	}
}

static bool hex_parse(struct json_reader *r, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(r);
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return unexpected(r, "a hexadecimal digit");
		*code = *code << 4 | digit;
		skip(r);
	}
	return true;
}

/* Behind "\u". Half of a pair without its other half becomes '?'. */
static bool unicode_parse(struct json_reader *r, struct text *text)
{
	uint32_t code, low;

	if (!hex_parse(r, &code))
		return false;
	if (code < 0xD800 || code > 0xDFFF) {
		put_character(text, code);
		return true;
	}
	if (code > 0xDBFF || peek(r) != '\\') {
		put(text, '?');
		return true;
	}
	skip(r);
	if (peek(r) != 'u')
		return unexpected(r, "the other half of a character");
	skip(r);
	if (!hex_parse(r, &low))
		return false;
	if (low >= 0xDC00 && low <= 0xDFFF) {
		put_character(text, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
		return true;
	}
	put(text, '?');
	put_character(text, low >= 0xD800 && low <= 0xDBFF ? '?' : low);
	return true;
}

static bool escape_parse(struct json_reader *r, struct text *text)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);

	if (c == 'u') {
		skip(r);
		return unicode_parse(r, text);
	}
	const char *letter = c > 0 ? strchr(letters, c) : NULL;
	if (!letter)
		return unexpected(r, "an escape");
	put(text, meanings[letter - letters]);
	skip(r);
	return true;
}

/* At its quote. A text that does not end in its line is damaged: no logger writes such. */
static bool string_parse(struct json_reader *r, char *room, struct slice *out)
{
	struct text text = { room, 0 };

	skip(r);
	for (;;) {
		int c = peek(r);
		if (c == '"')
			break;
		if (c < ' ' && c != '\t')
			return unexpected(r, "the rest of a text");
		skip(r);
		if (c != '\\')
			put(&text, c);
		else if (!escape_parse(r, &text))
			return false;
	}
	skip(r);
	*out = (struct slice){ room, text.n };
	return true;
}

static bool is_word_character(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.' || c == '_';
}

/* A number, true, false, null, NaN: with a decimal comma, where it can only be one, as a point. */
static bool word_parse(struct json_reader *r, struct slice *out)
{
	struct text text = { r->text_room, 0 };
	const bool in_map = r->depth && r->open[r->depth].is_map;
	int c = peek(r);

	for (; is_word_character(c); c = peek(r)) {
		put(&text, c);
		skip(r);
	}
	if (c == ',' && in_map) {
		skip(r);
		c = peek(r);
		if (c >= '0' && c <= '9')
			put(&text, '.');
		for (; c >= '0' && c <= '9'; c = peek(r)) {
			put(&text, c);
			skip(r);
		}
	}
	if (c == AT_END && r->depth)
		return ends_early(r);
	*out = (struct slice){ r->text_room, text.n };
	return true;
}

static bool skip_digits(struct slice word, size_t *i)
{
	const size_t begin = *i;

	while (*i < word.n && word.p[*i] >= '0' && word.p[*i] <= '9')
		++*i;
	return *i > begin;
}

/* -1, 2.50, 7.09e-05; leading zeros are let be. */
static bool is_number(struct slice word)
{
	size_t i = slice_starts(word, "-");

	if (!skip_digits(word, &i))
		return false;
	if (i < word.n && word.p[i] == '.') {
		i++;
		if (!skip_digits(word, &i))
			return false;
	}
	if (i < word.n && (word.p[i] | 0x20) == 'e') {
		i++;
		i += i < word.n && (word.p[i] == '-' || word.p[i] == '+');
		if (!skip_digits(word, &i))
			return false;
	}
	return i == word.n && word.n <= NUMBER_MAX_BYTES;
}

static bool kind_of_word(struct slice word, enum json_kind *kind)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {
		{ "null", JSON_NULL },     { "true", JSON_TRUE },          { "false", JSON_FALSE }, { "NaN", JSON_NULL },
		{ "Infinity", JSON_NULL }, { "-Infinity", JSON_NULL },     { "nan", JSON_NULL },    { "-nan", JSON_NULL },
		{ "inf", JSON_NULL },      { "-inf", JSON_NULL },
	};

	*kind = JSON_NUMBER;
	if (is_number(word))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		*kind = words[i].kind;
		if (slice_is(word, words[i].word))
			return true;
	}
	return false;
}

/* The paths that lead to the value that comes now. */
static uint32_t matching_value(const struct json_reader *r)
{
	const struct level *in = &r->open[r->depth];
	uint32_t left = 0;

	if (!r->depth)
		return ALL_PATHS(r->n_paths);
	for (size_t i = 0; in->matching >> i; i++) {
		const struct path *path = &r->paths[i];
		if (!(in->matching >> i & 1) || path->n < r->depth)
			continue;
		const struct slice step = path->steps[r->depth - 1];
		if (in->is_map ? step.n == r->key.n && memcmp(step.p, r->key.p, step.n) == 0 : slice_is(step, "+"))
			left |= (uint32_t)1 << i;
	}
	return left;
}

/* The path that ends here, or n_paths. */
static size_t path_ending(const struct json_reader *r, uint32_t matching)
{
	for (size_t i = 0; i < r->n_paths; i++)
		if (matching >> i & 1 && r->paths[i].n == r->depth)
			return i;
	return r->n_paths;
}

static bool is_wanted(struct json_reader *r, enum json_kind kind, uint32_t matching)
{
	const size_t path = path_ending(r, matching);
	const bool ends = path < r->n_paths;

	if (r->in_record)
		return r->open[r->depth].node && !r->overflow && !(ends && r->paths[path].left_out);
	if (!ends || r->paths[path].left_out || (!r->depth && kind != JSON_MAP))
		return false;
	r->in_record = true;
	r->record_depth = r->depth;
	r->which = path;
	return true;
}

static struct slice kept(struct json_reader *r, struct slice text)
{
	return (struct slice){ arena_text(&r->record, text.p, text.n), text.n };
}

/* A value of the record; NULL when it is not part of any. */
static struct json *value_new(struct json_reader *r, enum json_kind kind, struct place place, struct slice text, uint32_t matching)
{
	struct level *in = &r->open[r->depth];

	if (!is_wanted(r, kind, matching))
		return NULL;
	if (r->record.used_bytes > JSON_RECORD_MAX_BYTES) {
		r->overflow = true;
		return NULL;
	}
	struct json *value = NEW(&r->record, struct json);
	*value = (struct json){ kind, place.line, place.column, kept(r, r->key), kept(r, text), NULL, NULL };
	if (r->depth == r->record_depth) {
		r->root = value;
	} else {
		*in->tail = value;
		in->tail = &value->next;
	}
	return value;
}

/* True when the value that just ended was a whole record. */
static bool completes_record(struct json_reader *r)
{
	if (!r->in_record || r->depth != r->record_depth)
		return false;
	r->in_record = false;
	if (!r->overflow)
		return true;
	r->n_damaged++;
	diag_repeat(r->diags, place_of(r), DIAG_LIMIT, "records", "a record over %zu MiB; not used", JSON_RECORD_MAX_BYTES >> 20);
	drop_record(r);
	return false;
}

static bool open_value(struct json_reader *r, int c)
{
	const uint32_t matching = matching_value(r);

	if (r->depth == JSON_DEPTH_MAX)
		return damaged(r, place_of(r), "maps and lists nested over 64 deep");
	if (!r->depth)
		r->has_indents = false;
	struct json *value = value_new(r, c == '{' ? JSON_MAP : JSON_LIST, place_of(r), (struct slice){ "", 0 }, matching);
	r->open[++r->depth] = (struct level){ c == '{', matching, value, value ? &value->first : NULL };
	skip(r);
	return true;
}

static bool key_parse(struct json_reader *r)
{
	if (peek(r) != '"')
		return unexpected(r, "a key");
	if (!string_parse(r, r->key_room, &r->key))
		return false;
	if (skip_blanks(r) != ':')
		return unexpected(r, "':' after a key");
	skip(r);
	skip_blanks(r);
	return true;
}

/* Text, number or word. False, reported: damaged. */
static bool scalar_parse(struct json_reader *r)
{
	const struct place place = place_of(r);
	enum json_kind kind = JSON_STRING;
	struct slice text;

	if (!is_word_character(peek(r)) && peek(r) != '"')
		return unexpected(r, "a value");
	if (peek(r) == '"') {
		if (!string_parse(r, r->text_room, &text))
			return false;
	} else {
		if (!word_parse(r, &text))
			return false;
		if (!kind_of_word(text, &kind)) {
			char what[80];
			snprintf(what, sizeof what, "'%.*s' is no value", (int)(text.n < 40 ? text.n : 40), text.p);
			return damaged(r, place, what);
		}
	}
	value_new(r, kind, place, text, matching_value(r));
	return true;
}

/* Takes the next step; true when a record was completed by it. */
static bool step(struct json_reader *r, int c)
{
	const struct level *in = &r->open[r->depth];

	if (!r->depth && c != '{' && c != '[') {
		damaged(r, place_of(r), "text that is no document");
		return false;
	}
	if (r->depth && c == '{' && r->column == 1 && r->has_indents) {
		damaged(r, place_of(r), "a document begins before the one before it ended");
		return false;
	}
	if (r->depth && c == (in->is_map ? '}' : ']')) {
		skip(r);
		r->depth--;
		return completes_record(r);
	}
	r->key.n = 0;
	if (r->depth && in->is_map && !key_parse(r))
		return false;
	c = peek(r);
	if (c == '{' || c == '[') {
		open_value(r, c);
		return false;
	}
	return scalar_parse(r) && completes_record(r);
}

const struct json *json_next(struct json_reader *r, size_t *which)
{
	int c;

	drop_record(r);
	while ((c = skip_blanks(r)) != AT_END) {
		if (step(r, c)) {
			*which = r->which;
			r->in->line = r->root->line;
			return r->root;
		}
	}
	if (r->depth)
		ends_early(r);
	r->in->line = r->last_line;
	return NULL;
}

const struct json *json_get(const struct json *map, const char *path)
{
	const size_t n = strcspn(path, ">");
	const struct json *found = NULL;

	if (!map || map->kind != JSON_MAP)
		return NULL;
	for (const struct json *value = map->first; value; value = value->next)
		if (value->key.n == n && memcmp(value->key.p, path, n) == 0)
			found = value;
	return path[n] == '>' ? json_get(found, path + n + 1) : found;
}

struct slice json_text(const struct json *value)
{
	return value && (value->kind == JSON_STRING || value->kind == JSON_NUMBER) ? value->text : (struct slice){ "", 0 };
}
