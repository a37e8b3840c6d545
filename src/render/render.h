/*
 * render.h - the face of writing: one report, many outputs, each one row of renderers.def.
 *
 * Renderers order, format and escape for their own target, nothing else.
 */
#ifndef POSTRUN_RENDER_H
#define POSTRUN_RENDER_H

#include "base/buf.h"
#include "base/folder_write.h"
#include "base/template.h"
#include "chart/chart.h"
#include "report/report.h"

/* What is asked of single outputs. */
struct render_options {
	bool has_fail_on;
	enum severity fail_on; /* JUnit: a finding as severe is a failure */
	time_ms every;         /* CSV: the step; 0: the finest that keeps the file small */
	const struct chart_order *drawn; /* HTML: pictures that are there already need not be drawn again */
	size_t n_drawn;
};

struct render_job {
	const struct report *report;
	const struct template *template; /* of outputs that have one */
	const struct template_output *kind; /* how its values are escaped and drawn */
	struct render_options options;
	struct arena *scratch;
};

struct renderer {
	const char *name;     /* "text", "json": --format NAME */
	const char *file;     /* "report.txt" */
	const char *template; /* name of its template, or NULL */
	void (*render)(const struct render_job *job, struct buf *out);
	const struct template_output *kind;
	bool in_folder;       /* a report folder always has it */
	bool has_pictures;    /* that are drawn before it (render_options) */
	const char *help;
};
extern const struct renderer renderer_table[];
extern const size_t n_renderers;
const struct renderer *renderer_find(struct slice name);

/* One output of the report; `t` is its template, or NULL when it has none. */
void render(const struct renderer *renderer, const struct report *report, const struct template *t,
	const struct render_options *options, struct arena *scratch, struct buf *out);

/*
 * Pictures that the page (HTML) has and that are not among those ordered: to be drawn together with them, so that what pictures share is
 * made once. Who asks releases the buffers.
 */
struct page_pictures {
	struct chart_order *at;
	struct buf *bufs; /* where they are drawn to */
	size_t n;         /* at most two for each of the report's charts */
};
struct page_pictures page_pictures_missing(struct arena *mem, const struct report *report, const struct chart_order *ordered, size_t n);
void page_pictures_release(const struct page_pictures *pictures);

/* Of a look at many runs: fleet/fleet.h. */
struct fleet_options {
	const char *program; /* "postrun 0.1.0" */
	struct rate rate;    /* none: nothing is told of money */
	bool svg, prometheus; /* fleet.svg, postrun.prom as well */
};
/* Takes files one after the other, each of them in pieces. */
struct fleet_sink {
	void *of;
	void (*begin)(void *of, const char *name);
	void (*put)(void *of, struct slice bytes);
	bool (*end)(void *of); /* false: it could not be written, which is told */
};
/*
 * The files that lie beside index.jsonl: index.html and its other orders, index.csv, fleet.txt, fleet.png. Names are constants. False: one
 * could not be written, or, told, would be over the limit 'report' and is not there; the others are. index.csv has all runs, however many.
 */
bool fleet_outputs(const struct fleet *fleet, const struct fleet_options *options, const struct fleet_sink *sink, struct diags *diags);

/*
 * JSON of any model: two-space indent, keys in the order of the rows, hidden rows left out, NAN and
 * NULL as null, strings as valid UTF-8 with control characters escaped. Times end with a Z if they are UTC.
 */
void json_write(struct buf *out, struct view root, bool is_utc);

#endif
