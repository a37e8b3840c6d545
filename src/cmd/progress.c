/* progress.c - the line on a terminal and the lines of the log. */
#include "cmd/progress.h"

#include "base/number.h"
#include "cmd/pool.h"

#include <unistd.h>

#define SHOWN_EVERY_S 0.5

void progress_open(struct progress *p, const char *log_path)
{
	*p = (struct progress){ .log = fopen(log_path, "we") };
	if (p->log)
		setvbuf(p->log, NULL, _IOLBF, 0); /* whoever follows it sees each run when it ends */
}

void progress_log(struct progress *p, const struct found_run *run, const struct progress_line *line)
{
	const bool is_new = line->seconds >= 0;
	char took[32] = "before";

	if (!p->log)
		return;
	if (is_new)
		number_print(took, sizeof took, line->seconds, 2);
	fprintf(p->log, "%-13s %8s %c %12lld bytes  %s", line->status, took, is_new ? 's' : ' ', (long long)run->bytes, run->id);
	fprintf(p->log, "%s%s%s%s\n", line->why ? ": " : "", line->why ? line->why : "", line->hint ? ": several-runs: " : "",
		line->hint ? line->hint : "");
}

void progress_begin(struct progress *p, size_t n_runs, int64_t weight, bool quiet)
{
	p->on_terminal = !quiet && isatty(STDERR_FILENO);
	p->n_runs = n_runs;
	p->weight = weight;
	p->began = pool_clock();
}

void progress_run(struct progress *p, const struct found_run *run, bool has_report)
{
	p->n_done++;
	p->n_failed += !has_report;
	p->weight_done += run->weight;
	p->bytes_done += run->bytes;
}

/* "123 of 1000 runs, 2 failed, 35 MB/s, 2 min left" */
static void show(struct progress *p, double now)
{
	const double took = now - p->began, share = p->weight ? (double)p->weight_done / (double)p->weight : 0;
	struct arena scratch;

	arena_init(&scratch);
	fprintf(stderr, "\r%zu of %zu runs", p->n_done, p->n_runs);
	if (p->n_failed)
		fprintf(stderr, ", %zu failed", p->n_failed);
	if (took > 0 && p->bytes_done)
		fprintf(stderr, ", %s", quantity_text(&scratch, quantity_for_people((struct quantity){ (double)p->bytes_done / took,
			UNIT_BYTE_S })));
	if (share > 0)
		fprintf(stderr, ", %s left", duration_text(&scratch, took / share - took));
	fprintf(stderr, "\033[K"); /* what was longer before */
	arena_release(&scratch);
}

void progress_show(struct progress *p)
{
	const double now = pool_clock();

	if (!p->on_terminal || now - p->shown < SHOWN_EVERY_S)
		return;
	p->shown = now;
	show(p, now);
}

void progress_end(struct progress *p)
{
	if (p->on_terminal && p->shown > 0)
		fprintf(stderr, "\r\033[K");
	if (p->log)
		fclose(p->log);
}
