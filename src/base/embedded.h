/*
 * embedded.h - the rule, template and sample files that are built into the program.
 *
 * The Makefile makes the table from rules/ and templates/ (build/…/embedded.S, by src/embed.c), so that a
 * report opens no file but its inputs. Sorted by name. Of YAML files the tree is there, too, so that a report need not
 * parse them (yaml_tape.h).
 */
#ifndef POSTRUN_EMBEDDED_H
#define POSTRUN_EMBEDDED_H

#include "base/slice.h"

struct embedded {
	const char *name; /* "rules/gpu-hot.yaml", "templates/report.txt.tmpl" */
	const char *begin, *end;
	const char *tape, *tape_end; /* of YAML; else equal */
};
extern const struct embedded embedded_files[];
extern const size_t n_embedded_files;
/* The text of one; p NULL when there is none of that name. */
struct slice embedded_find(const char *name);
/* The text of one that must be there. */
struct slice embedded_get(const char *name);
/* Of a text that is one of these, or begins one, its tape; p NULL of any other, a copy too. */
struct slice embedded_tape(struct slice text);

#endif
