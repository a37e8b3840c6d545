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
#include "base/json_parts.h"

#include <stdio.h>

#define ALL_PATHS(n) ((n) == 32 ? UINT32_MAX : ((uint32_t)1 << (n)) - 1)

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
	r->line = r->last_line = in->line + 1;
	for (; paths[r->n_paths]; r->n_paths++) {
		if (r->n_paths == JSON_PATHS_MAX)
			BUG("too many paths");
		path_split(&r->paths[r->n_paths], paths[r->n_paths]);
	}
	arena_init(&r->record);
	return r;
}

void json_count_from(struct json_reader *r, int64_t line)
{
	r->line = r->last_line = line;
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

/* Of the paths that lead to the open map or list, those that lead on. */
static uint32_t matching_steps(const struct json_reader *r)
{
	const struct level *in = &r->open[r->depth];
	uint32_t left = 0;

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

/* The paths that lead to the value that comes now: deep in a record there are none. */
static inline uint32_t matching_value(const struct json_reader *r)
{
	if (!r->depth)
		return ALL_PATHS(r->n_paths);
	return r->open[r->depth].matching ? matching_steps(r) : 0;
}

/* The path that ends here, or n_paths. */
static size_t path_ending(const struct json_reader *r, uint32_t matching)
{
	for (size_t i = 0; matching >> i; i++)
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

#define CHUNK_BYTES ((size_t)16 * 1024)

/* A record has thousands of values: they are small pieces of few large ones. */
static void *take_piece(struct json_reader *r, size_t n)
{
	n = (n + 7) / 8 * 8;
	if ((size_t)(r->chunk_end - r->chunk) < n) {
		const size_t n_chunk = n < CHUNK_BYTES ? CHUNK_BYTES : n;
		r->chunk = arena_raw_array(&r->record, n_chunk, 1);
		r->chunk_end = r->chunk + n_chunk;
	}
	r->chunk += n;
	return r->chunk - n;
}

/* Up to seven bytes more are read and written. */
static inline struct slice put_text(char **to, struct slice text)
{
	const struct slice kept = { *to, text.n };

	for (size_t i = 0; i < text.n; i += 8)
		memcpy(*to + i, text.p + i, 8);
	(*to)[text.n] = '\0';
	*to += text.n + 1;
	return kept;
}

/* With its texts behind it. */
static struct json *value_with_texts(struct json_reader *r, enum json_kind kind, struct place place, struct slice text)
{
	struct json *const value = take_piece(r, sizeof *value + r->key.n + text.n + 2 + 8);
	char *texts = (char *)(value + 1);

	value->kind = kind;
	value->line = place.line;
	value->column = place.column;
	value->key = put_text(&texts, r->key);
	value->text = put_text(&texts, text);
	value->first = value->next = NULL;
	return value;
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
	struct json *const value = value_with_texts(r, kind, place, text);
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
	diag_repeat(r->diags, place_of(r), DIAG_LIMIT, "records", "a record over %d MiB; not used", JSON_RECORD_MAX_BYTES >> 20);
	json_drop_record(r);
	return false;
}

static bool open_value(struct json_reader *r, int c)
{
	const uint32_t matching = matching_value(r);

	if (r->depth == JSON_DEPTH_MAX)
		return json_damaged(r, place_of(r), "maps and lists nested over 64 deep");
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
		return json_unexpected(r, "a key");
	if (!string_parse(r, r->key_room, &r->key))
		return false;
	if (skip_blanks(r) != ':')
		return json_unexpected(r, "':' after a key");
	skip(r);
	skip_blanks(r);
	return true;
}

/* A word that is no plain number. */
static bool kind_parse(struct json_reader *r, struct place place, struct slice *text, enum json_kind *kind)
{
	char what[80];

	if (!json_word_parse(r, text))
		return false;
	if (json_kind_of_word(*text, kind))
		return true;
	snprintf(what, sizeof what, "'%.*s' is no value", (int)(text->n < 40 ? text->n : 40), text->p);
	return json_damaged(r, place, what);
}

/* Text, number or word. False, reported: damaged. */
static bool scalar_parse(struct json_reader *r)
{
	const struct place place = place_of(r);
	const int c = peek(r);
	enum json_kind kind = JSON_NUMBER;
	struct slice text;

	if (!is_word_character(c) && c != '"')
		return json_unexpected(r, "a value");
	if (c == '"') {
		kind = JSON_STRING;
		if (!string_parse(r, r->text_room, &text))
			return false;
	} else if (!plain_number(r, &text) && !kind_parse(r, place, &text, &kind)) {
		return false;
	}
	value_new(r, kind, place, text, matching_value(r));
	return true;
}

/* Takes the next step; true when a record was completed by it. */
static bool step(struct json_reader *r, int c)
{
	const struct level *in = &r->open[r->depth];

	if (!r->depth && c != '{' && c != '[') {
		json_damaged(r, place_of(r), "text that is no document");
		return false;
	}
	if (r->depth && c == '{' && column_of(r) == 1 && r->has_indents) {
		json_damaged(r, place_of(r), "a document begins before the one before it ended");
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

	json_drop_record(r);
	while ((c = skip_blanks(r)) != AT_END) {
		if (step(r, c)) {
			*which = r->which;
			r->in->line = r->root->line;
			return r->root;
		}
	}
	if (r->depth)
		json_ends_early(r);
	r->in->line = written_line(r);
	return NULL;
}

static inline bool is_key(struct slice key, const char *path, size_t n)
{
	return key.n == n && (!n || (key.p[0] == path[0] && memcmp(key.p, path, n) == 0));
}

const struct json *json_get(const struct json *map, const char *path)
{
	const struct json *found = NULL;
	size_t n = 0;

	if (!map || map->kind != JSON_MAP)
		return NULL;
	while (path[n] && path[n] != '>')
		n++;
	for (const struct json *value = map->first; value; value = value->next)
		if (is_key(value->key, path, n))
			found = value;
	return path[n] == '>' ? json_get(found, path + n + 1) : found;
}

struct slice json_text(const struct json *value)
{
	return value && (value->kind == JSON_STRING || value->kind == JSON_NUMBER) ? value->text : (struct slice){ "", 0 };
}
