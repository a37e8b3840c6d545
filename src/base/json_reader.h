/*
 * json_reader.h - JSON logs record by record, at constant memory.
 *
 * A log is one document or many in a row, and its records lie somewhere inside. The caller names the places
 * of what it wants and gets each as a whole tree; the rest goes by unseen:
 *
 *     static const char *const paths[] = { "sysstat>hosts>+>nodename", "sysstat>hosts>+>statistics>+", NULL };
 *
 *     while ((value = json_next(in, &which)))
 *             which == 0: a text, which == 1: a map
 *
 * A record that is not whole is never given: where a file is cut, what came before the cut stays true.
 */
#ifndef POSTRUN_JSON_READER_H
#define POSTRUN_JSON_READER_H

#include "base/lines.h"

#define JSON_TEXT_MAX_BYTES ((size_t)4096)           /* what is longer is cut: no text that we compare is */
#define JSON_PATHS_MAX 16

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_MAP };

struct json { /* a value */
	enum json_kind kind;
	int column;        /* of its first character, as editors count bytes */
	int64_t line;      /* of that character */
	struct slice key;  /* in a map; else empty */
	struct slice text; /* null, a number: as written, with a decimal point; a string: without its escapes */
	const struct json *first, *next; /* of a map or list: its values in their order */
};

struct json_reader;

/*
 * Instead of line_next() on `in`. `paths` ends with NULL and outlives the reader. The steps of a path are keys and,
 * for every value of a list, '+'; "" is a whole document that is a map. A path after '-' is left out of the
 * records around it: what is large and not wanted.
 */
struct json_reader *json_reader_new(struct arena *mem, struct lines *in, struct diags *diags, const char *const *paths);
/* Its first line has this number: for a text that is part of a file. Before the first json_next(). */
void json_count_from(struct json_reader *in, int64_t line);
/* The next value at one of the paths, valid until the next call; in->line is where it begins. NULL at the end. */
const struct json *json_next(struct json_reader *in, size_t *which);
/* The file ended inside a document; reported. */
bool json_is_cut(const struct json_reader *in);
/* Places where a document was damaged, each reported: what came between and the next document was passed over. */
size_t json_n_damaged(const struct json_reader *in);
/* To be called at the end, also before it was reached. */
void json_reader_release(struct json_reader *in);

/* The value of a key, the last of several as in every common parser; "io>io-reads" looks into the map of a map. NULL: none. */
const struct json *json_get(const struct json *map, const char *path);
/* The text of a string or number; empty for NULL and for what has none. */
struct slice json_text(const struct json *value);

#endif
