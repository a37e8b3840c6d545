/*
 * json_scan.c - the bytes of JSON: blanks, texts and words, where they are not as nearly all are, and what is said of wrong ones.
 */
#include "base/character.h"
#include "base/json_parts.h"

#include <stdio.h>

bool json_next_block(struct json_reader *r)
{
	if (r->key.n && r->key.p != r->key_room)
		r->key.p = memcpy(r->key_room, r->key.p, r->key.n);
	r->line_at -= (ptrdiff_t)r->block.n;
	r->block = lines_block(r->in);
	r->at = 0;
	return r->block.n > 0;
}

/* Blanks within the line and the block. */
static void skip_indent(struct json_reader *r)
{
	const char *p = r->block.p + r->at, *const end = r->block.p + r->block.n;

	while (p + 8 <= end && eight_bytes(p) == ' ' * IN_EACH)
		p += 8;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	r->at = (size_t)(p - r->block.p);
}

int json_skip_more_blanks(struct json_reader *r)
{
	int c = peek(r);

	while (is_blank(c)) {
		r->has_indents |= (ptrdiff_t)r->at == r->line_at && (c == ' ' || c == '\t');
		skip(r);
		if (c == ' ' || c == '\t')
			skip_indent(r);
		c = peek(r);
	}
	return c;
}

void json_drop_record(struct json_reader *r)
{
	r->in_record = r->overflow = false;
	r->chunk = r->chunk_end = NULL;
	arena_release(&r->record);
	arena_init(&r->record);
}

static void close_all(struct json_reader *r)
{
	r->depth = 0;
	r->key.n = 0;
	r->has_indents = false;
	json_drop_record(r);
}

/* At the place where a new document may begin: what was open is given up. */
static void resume(struct json_reader *r)
{
	int c;

	close_all(r);
	while ((c = peek(r)) != AT_END && !(c == '{' && column_of(r) == 1))
		skip(r);
}

bool json_ends_early(struct json_reader *r)
{
	r->cut = true;
	close_all(r);
	diag_at(r->diags, (struct place){ r->in->path, written_line(r), 0 }, DIAG_CUT_ROW,
		"the file ends inside a document, as when a logger is killed; its last record is used only if it is whole");
	return false;
}

bool json_damaged(struct json_reader *r, struct place place, const char *what)
{
	r->n_damaged++;
	diag_repeat(r->diags, place, DIAG_JSON, "json", "%s; what follows up to the next document is not used", what);
	resume(r);
	return false;
}

bool json_unexpected(struct json_reader *r, const char *expected)
{
	struct place place = place_of(r);
	const int c = peek(r);
	char text[80];

	if (c == AT_END)
		return json_ends_early(r);
	if (place.column == 1 && (c == '\n' || c == '\r')) /* complaints stand in lines that have text */
		place = (struct place){ r->in->path, written_line(r), 0 };
	if (c > ' ' && c < 0x7F)
		snprintf(text, sizeof text, "'%c' where %s is expected", c, expected);
	else
		snprintf(text, sizeof text, "%s where %s is expected", c == '\n' || c == '\r' ? "the line ends" : "an odd byte", expected);
	return json_damaged(r, place, text);
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

/* A NUL, which JSON can write, would end the text. */
static void put_character(struct text *text, uint32_t code)
{
	char bytes[CHARACTER_MOST_BYTES];
	const size_t n = character_put(bytes, code ? code : '?');

	for (size_t i = 0; i < n; i++)
		put(text, bytes[i]);
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
			return json_unexpected(r, "a hexadecimal digit");
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
		return json_unexpected(r, "the other half of a character");
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
		return json_unexpected(r, "an escape");
	put(text, meanings[letter - letters]);
	skip(r);
	return true;
}

bool json_any_string(struct json_reader *r, char *room, struct slice *out)
{
	struct text text = { room, 0 };

	skip(r);
	for (;;) {
		int c = peek(r);
		if (c == '"')
			break;
		if (c < ' ' && c != '\t')
			return json_unexpected(r, "the rest of a text");
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

bool json_word_parse(struct json_reader *r, struct slice *out)
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
		return json_ends_early(r);
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

bool json_kind_of_word(struct slice word, enum json_kind *kind)
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
