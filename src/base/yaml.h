/*
 * yaml.h - YAML files as trees of nodes that know where they stand.
 *
 * libyaml's events under our own bounds: depth 32, 4 KiB a scalar, 1 MiB a file. One
 * document; no tags, anchors, aliases or merge keys; a key given twice is an error that
 * names both places. All scalars are text: what they mean is the schema's business.
 * Files that are built into the program were read when it was built (yaml_tape.h).
 */
#ifndef POSTRUN_YAML_H
#define POSTRUN_YAML_H

#include "base/diag.h"
#include "base/limits.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	struct slice text;    /* SCALAR: value after YAML's unescaping */
	struct place place;   /* of its first character; columns count characters from 1 */
	size_t byte;          /* the same place as an offset into the file's text */
	int width;            /* columns it takes on its first line, for carets */
	bool plain_line;      /* SCALAR on one line, unquoted or quoted without escapes: column + offset is exact */
	struct slice key;     /* inside a MAP: its key */
	struct place key_place;
	struct yaml_node *first, *next; /* children, in file order */
};

/*
 * NULL, with complaints, when the text is not acceptable; else the root. The text must outlive the nodes.
 * Excerpts with a caret are added to every complaint.
 */
const struct yaml_node *yaml_parse(struct arena *mem, const char *path, struct slice text, struct diags *diags);
/* The child of a MAP with this key, or NULL; NULL of what is no map. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
/* What a key was meant to be; NULL when it is one of the names, or near to none. */
const char *yaml_key_meant(struct slice key, const char *const *names, size_t n);
/* Does the map have the name under a misspelt key? Then it does not also miss. */
bool yaml_is_misspelt(const struct yaml_node *map, const char *name, const char *const *names, size_t n);
const char *yaml_kind_name(enum yaml_kind kind); /* "a text", "a list", "a map" */
size_t yaml_n_children(const struct yaml_node *node);
/* Where one thing may stand for a list of one: the items of a LIST, or the node itself. */
size_t yaml_n_items(const struct yaml_node *node);
const struct yaml_node *yaml_first_item(const struct yaml_node *node);
const struct yaml_node *yaml_next_item(const struct yaml_node *list, const struct yaml_node *item);
/*
 * Where the byte `offset` of a scalar's text stands in the file, also in texts of several lines; the
 * scalar's own place when escapes hide it. One past the last byte is allowed.
 */
struct place yaml_place(const struct yaml_node *scalar, struct slice source, size_t offset);
/* The source line of a place, without its line end; for excerpts. */
struct slice source_line(struct slice text, int64_t line);

/* A complaint with the line that it is about and a caret of `width` columns under the place; always false. */
bool yaml_complain(struct diags *diags, struct slice source, struct place place, int width, enum diag_code code, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* The same about the bytes [begin, end) of a scalar's text. */
bool yaml_complain_part(struct diags *diags, struct slice source, const struct yaml_node *scalar, size_t begin, size_t end,
	enum diag_code code, const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Columns from one place to another of its line; 1 where they stand on different lines: carets mark the beginning then. */
int yaml_width(struct place begin, struct place end);

#endif
