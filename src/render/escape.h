/*
 * escape.h - texts from logs in the outputs: a name says what it says, and does nothing.
 *
 * Each kind of output has its own escape, and no other place escapes. What nobody can see (control
 * characters, marks that turn the direction of writing, characters without width) and what is no UTF-8
 * is shown as U+FFFD, so that no name can pass for another.
 */
#ifndef POSTRUN_ESCAPE_H
#define POSTRUN_ESCAPE_H

#include "base/buf.h"

/* For text and for attributes in quotes, of HTML and of XML. */
void escape_markup(struct buf *out, struct slice text);
/* For a page: the same, and a number is kept on the line of its unit: "97 %", "16 min", "GPU 3". */
void escape_page(struct buf *out, struct slice text);
/*
 * For running text and cells of tables, as GitHub, GitLab and Jira read it: no emphasis, code, link, picture, heading, HTML or
 * macro; names that would call a person or name an issue, and addresses, are kept from becoming links by a space without width.
 */
void escape_markdown(struct buf *out, struct slice text);
/* Between fences, where nothing is read but the fence. */
void escape_markdown_code(struct buf *out, struct slice text);
/* One cell: in quotes where it must be; what a spreadsheet would take for a formula begins with an apostrophe. */
void escape_csv(struct buf *out, struct slice text);
/* A label's value in quotes, as Prometheus reads its text format. */
void escape_exposition(struct buf *out, struct slice text);

#endif
