/* render_parts.h - the outputs that are functions; for render.c's table. */
#ifndef POSTRUN_RENDER_PARTS_H
#define POSTRUN_RENDER_PARTS_H

#include "render/render.h"

void render_html(const struct render_job *job, struct buf *out);   /* html.c */
void render_junit(const struct render_job *job, struct buf *out);  /* junit.c */
void render_series(const struct render_job *job, struct buf *out); /* series.c */

#endif
