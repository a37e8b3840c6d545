/*
 * render.h - the face of writing: one report, many outputs, each one row of renderers.def.
 *
 * Renderers order, format and escape for their own target, nothing else.
 */
#ifndef POSTRUN_RENDER_H
#define POSTRUN_RENDER_H

#include "base/buf.h"
#include "report/report.h"

#define REPORT_MAX_BYTES ((size_t)16 << 20)

struct renderer {
	const char *name;      /* "text", "json": --format NAME */
	const char *file;      /* "report.txt" */
	const char *template;  /* name of its template, or NULL */
	void (*render)(const struct report *report, const struct template *t, struct arena *scratch, struct buf *out);
};
extern const struct renderer renderer_table[];
extern const size_t n_renderers;
const struct renderer *renderer_find(struct slice name);

/*
 * JSON of any model: two-space indent, keys in the order of the rows, hidden rows left out, NAN and
 * NULL as null, strings as valid UTF-8 with control characters escaped.
 */
void json_write(struct buf *out, struct view root);

#endif
