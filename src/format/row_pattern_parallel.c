/*
 * row_pattern_parallel.c - a long stretch of rows, looked at by several threads.
 *
 * What a row means by a pattern depends on no other row, so that the stretch is cut at line ends, wherever those are. Where a part meets
 * a row that fits no pattern, the grammar has to take it, which may change what is known; what others have found behind it is forgotten,
 * and found again from there. So nothing depends on how many parts there are.
 */
#include "base/workers.h"
#include "format/row_pattern.h"

struct fitting {
	const struct patterns *patterns;
	struct slice parts[WORKERS_MAX];
	const struct fit_jobs *jobs;
};

/* The first job is what is done beside. */
static void do_job(void *context, size_t worker, size_t job)
{
	const struct fitting *const f = context;

	if (job > 0)
		patterns_fit(f->patterns, f->parts[job - 1], f->jobs->out[job - 1], f->jobs->hints[worker]);
	else if (f->jobs->beside)
		f->jobs->beside(f->jobs->of);
}

/* As much of the text as n bytes and the rest of the line in which they end. */
static struct slice take_part(struct slice *text, size_t n)
{
	const char *const line_end = n < text->n ? memchr(text->p + n, '\n', text->n - n) : NULL;
	const struct slice part = { text->p, line_end ? (size_t)(line_end + 1 - text->p) : text->n };

	text->p += part.n;
	text->n -= part.n;
	return part;
}

size_t patterns_fit_parts(const struct patterns *p, struct slice text, size_t n, const struct fit_jobs *jobs)
{
	struct fitting f = { .patterns = p, .jobs = jobs };
	const size_t share = text.n / n;
	size_t n_parts = 0, n_good = 0;

	for (; text.n && n_parts < n; n_parts++)
		f.parts[n_parts] = take_part(&text, n_parts + 1 < n ? share : text.n);
	crew_run(jobs->crew, 1 + n_parts, do_job, &f);
	while (n_good < n_parts && jobs->out[n_good]->end == f.parts[n_good].p + f.parts[n_good].n)
		n_good++;
	return n_good < n_parts ? n_good + 1 : n_good;
}
