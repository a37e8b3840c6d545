/*
 * embedded.h - the rule, template and sample files that are built into the program.
 *
 * The Makefile makes the table from rules/ and templates/ (build/…/embedded.S), so that a
 * report opens no file but its inputs. Sorted by name.
 */
#ifndef POSTRUN_EMBEDDED_H
#define POSTRUN_EMBEDDED_H

#include "base/slice.h"

struct embedded {
	const char *name; /* "rules/gpu-hot.yaml", "templates/report.txt.tmpl" */
	const char *begin, *end;
};
extern const struct embedded embedded_files[];
extern const size_t n_embedded_files;
/* The text of one; p NULL when there is none of that name. */
struct slice embedded_find(const char *name);
/* The text of one that must be there. */
struct slice embedded_get(const char *name);

#endif
