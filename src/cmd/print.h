/*
 * print.h - what a command has made as a whole goes to standard output, and whether it got there is told in one way.
 */
#ifndef POSTRUN_PRINT_H
#define POSTRUN_PRINT_H

#include "base/buf.h"
#include "base/template.h"

/* Behind what went through stdio before. The exit status; what failed is told (output_failed()). */
int print_whole(const struct buf *out);
/* What a built-in template, "templates/record.sh.tmpl", makes of it, as plain text of at most so many bytes. The exit status likewise. */
int print_page(const char *name, struct view page, size_t max_bytes);

#endif
