/*
 * yaml_tape.h - the tree of a YAML file as bytes: written when the program is built, read at each start.
 *
 * To read the rules that are built in took libyaml a fifth of a small report. The tape is the tree that it made of them, place by
 * place, so that everything behind it sees the same nodes.
 */
#ifndef POSTRUN_YAML_TAPE_H
#define POSTRUN_YAML_TAPE_H

#include "base/buf.h"
#include "base/yaml.h"

/* Appends the tree of the text. */
void yaml_tape_write(struct buf *out, const struct yaml_node *root);
/*
 * The tree again. `text` is what it was made of, or its beginning up to one of the keys of its map: those from there on are left out.
 * Nodes live in `mem`; their texts are those of `text` and of the tape, which must outlive them.
 */
const struct yaml_node *yaml_tape_read(struct arena *mem, const char *path, struct slice text, struct slice tape);

#endif
