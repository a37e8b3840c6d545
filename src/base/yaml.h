/*
 * yaml.h - YAML files as trees of nodes that know where they stand.
 *
 * libyaml's events under our own bounds: depth 32, 4 KiB a scalar, 1 MiB a file. One
 * document; no tags, anchors, aliases or merge keys; a key given twice is an error that
 * names both places. All scalars are text: what they mean is the schema's business.
 */
#ifndef POSTRUN_YAML_H
#define POSTRUN_YAML_H

#include "base/diag.h"

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

#define YAML_MAX_BYTES ((size_t)1 << 20)

/*
 * NULL, with complaints, when the text is not acceptable; else the root. The text must outlive the nodes.
 * Excerpts with a caret are added to every complaint.
 */
const struct yaml_node *yaml_parse(struct arena *mem, const char *path, struct slice text, struct diags *diags);
/* The child of a MAP with this key, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
/*
 * Where the byte `offset` of a scalar's text stands in the file, also in texts of several lines; the
 * scalar's own place when escapes hide it. One past the last byte is allowed.
 */
struct place yaml_place(const struct yaml_node *scalar, struct slice source, size_t offset);
/* The source line of a place, without its line end; for excerpts. */
struct slice source_line(struct slice text, int line);

#endif
