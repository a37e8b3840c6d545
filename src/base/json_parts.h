/*
 * json_parts.h - what a reader of JSON is made of, and what it does with nearly every byte; for json_reader.c and json_scan.c only.
 */
#ifndef POSTRUN_JSON_PARTS_H
#define POSTRUN_JSON_PARTS_H

#include "base/json_reader.h"
#include "base/number.h"

#define STEPS_MAX 8
#define NUMBER_MAX_BYTES ((size_t)40)

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
	int64_t line;           /* of the next byte */
	ptrdiff_t line_at;      /* where in the block it begins, or before that */
	int64_t last_line;      /* before it that had a byte other than its end */
	struct level open[JSON_DEPTH_MAX + 1]; /* from 1 on */
	size_t depth;
	bool has_indents;       /* of the document */
	struct slice key;       /* of the value that comes next: in the block or in its room */
	char key_room[JSON_TEXT_MAX_BYTES + 8], text_room[JSON_TEXT_MAX_BYTES + 8]; /* eight bytes are copied at a time */
	struct arena record;
	char *chunk, *chunk_end; /* of the record's memory: values are taken from there */
	const struct json *root; /* of the record in the making */
	bool in_record, overflow;
	size_t record_depth, which;
	bool cut;
	size_t n_damaged;
};

#define AT_END (-1)

/* The key that lies in the block is kept before that goes. False at the end. */
bool json_next_block(struct json_reader *r);
/* Over the ends of lines and blocks as well. */
int json_skip_more_blanks(struct json_reader *r);
void json_drop_record(struct json_reader *r);
/* The file ended inside a document. Always false. */
bool json_ends_early(struct json_reader *r);
/* What follows up to the next document is passed over. Always false. */
bool json_damaged(struct json_reader *r, struct place place, const char *what);
bool json_unexpected(struct json_reader *r, const char *expected);
/* At its quote. A text that does not end in its line is damaged: no logger writes such. */
bool json_any_string(struct json_reader *r, char *room, struct slice *out);
/* A number, true, false, null, NaN: with a decimal comma, where it can only be one, as a point. */
bool json_word_parse(struct json_reader *r, struct slice *out);
bool json_kind_of_word(struct slice word, enum json_kind *kind);

static inline int peek(struct json_reader *r)
{
	return r->at < r->block.n || json_next_block(r) ? (unsigned char)r->block.p[r->at] : AT_END;
}

/* From 1, as editors count bytes. */
static inline int column_of(const struct json_reader *r)
{
	return (int)((ptrdiff_t)r->at - r->line_at) + 1;
}

/* The last line up to here that has a byte other than its end. */
static inline int64_t written_line(const struct json_reader *r)
{
	return (ptrdiff_t)r->at > r->line_at ? r->line : r->last_line;
}

/* Only after peek(). */
static inline void skip(struct json_reader *r)
{
	if (r->block.p[r->at++] != '\n')
		return;
	if ((ptrdiff_t)r->at - 1 > r->line_at)
		r->last_line = r->line;
	r->line++;
	r->line_at = (ptrdiff_t)r->at;
}

static inline bool is_blank(int c)
{
	return c <= ',' && (c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r');
}

#define IN_EACH 0x0101010101010101U

/* Nearly always there are one or two, or none. */
static inline int skip_blanks(struct json_reader *r)
{
	const size_t n_left = r->block.n - r->at;

	if (!n_left) /* before the first block there is not even a place to point to */
		return json_skip_more_blanks(r);
	const char *const p = r->block.p + r->at;
	if (!is_blank((unsigned char)p[0]))
		return (unsigned char)p[0];
	if (n_left < 3 || (p[0] != ' ' && p[0] != ',') || (ptrdiff_t)r->at == r->line_at)
		return json_skip_more_blanks(r);
	r->at += p[1] == ' ' ? 2 : 1;
	const int c = (unsigned char)r->block.p[r->at];
	return is_blank(c) ? json_skip_more_blanks(r) : c;
}

static inline struct place place_of(const struct json_reader *r)
{
	return (struct place){ r->in->path, r->line, column_of(r) };
}

/* The highest bit of the first of eight bytes that does not stand for itself in a text, if there is one: what is above means nothing. */
static inline uint64_t flags_no_text(uint64_t x)
{
	const uint64_t quotes = x ^ '"' * IN_EACH, escapes = x ^ '\\' * IN_EACH;

	return (((quotes - IN_EACH) & ~quotes) | ((escapes - IN_EACH) & ~escapes) | ((x - ' ' * IN_EACH) & ~x)) & 0x80 * IN_EACH;
}

/* Nearly all texts end in the block in which they begin, have no escapes, and are not copied. False: it is to be looked at byte by byte. */
static inline bool plain_string(struct json_reader *r, struct slice *out)
{
	const char *const begin = r->block.p + r->at + 1, *const end = r->block.p + r->block.n;
	const char *p = begin;
	uint64_t flags = 0;

	while (p < end && !(flags = flags_no_text(eight_bytes(p))))
		p += 8;
	if (flags)
		p += __builtin_ctzll(flags) / 8;
	if (p >= end || *p != '"' || p - begin > (ptrdiff_t)JSON_TEXT_MAX_BYTES)
		return false;
	*out = (struct slice){ begin, (size_t)(p - begin) };
	r->at = (size_t)(p + 1 - r->block.p);
	return true;
}

/* It stays until the next peek(), or in the room. */
static inline bool string_parse(struct json_reader *r, char *room, struct slice *out)
{
	return plain_string(r, out) || json_any_string(r, room, out);
}

static inline bool is_word_character(int c)
{
	return (c >= '0' && c <= '9') || c == '.' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '+' || c == '_';
}

/*
 * "17.67", as nearly all values are: ends in the block in which it begins, and with no decimal comma. False: it is to be looked at byte by
 * byte, whatever it is.
 */
static inline bool plain_number(struct json_reader *r, struct slice *out)
{
	const char *const begin = r->block.p + r->at, *const last = r->block.p + r->block.n - 1;
	const char *p = begin;

	while (p < last && is_digit(*p))
		p++;
	if (p > begin && p < last && *p == '.' && is_digit(p[1]))
		for (p++; p < last && is_digit(*p);)
			p++;
	if (p == begin || p >= last || p - begin > (ptrdiff_t)NUMBER_MAX_BYTES || is_word_character((unsigned char)*p) ||
		(*p == ',' && is_digit(p[1])))
		return false;
	*out = (struct slice){ begin, (size_t)(p - begin) };
	r->at = (size_t)(p - r->block.p);
	return true;
}

#endif
