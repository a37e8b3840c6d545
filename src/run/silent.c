/*
 * silent.c - a host of which no log says anything any more, while those of other hosts go on.
 *
 *     node01  GPU busy   #########|                     its last row
 *     node01  CPU busy   ========|
 *     node02  GPU busy   ############################|
 *                                 [     silent      ]
 *
 *     log.host_silent    in that time, of each GPU of the host that was at work to the end: how long it is; elsewhere 0
 *
 * A host that crashes, or is taken away, ends all of its logs at once. Until when others go on is the median of their ends: one whose
 * loggers nobody stopped says nothing of the rest. It is not known where the clock is apart, or may be, as that of a host which ends sooner
 * by no more than twice of what it begins sooner.
 */
#include "run/run_parts.h"

#include <stdlib.h>

/* From the first row to the end of the last one, of all of a host's logs; empty where it has none. */
static struct span heard_of(const struct run *run, const struct entity *host)
{
	struct span heard = { 0, 0 };

	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		if (t->derived || !t->n || !t->entity || t->entity->scope == SCOPE_RUN || strcmp(t->entity->host, host->host) != 0)
			continue;
		const struct span s = track_span(t);
		heard = span_length(heard) > 0 ? (struct span){ sooner(heard.begin, s.begin), later(heard.end, s.end) } : s;
	}
	return heard;
}

static int by_end(const void *a, const void *b)
{
	const struct span *const x = a, *const y = b;

	return (x->end > y->end) - (x->end < y->end);
}

/* From when to when the others are heard of: all of them from the first begin on, half of them to the end. There is room for them in
 * `others`. False: there are none. */
static bool others_heard(const struct run *run, const struct span *heard, size_t host, struct span *others, struct span *out)
{
	size_t n = 0;

	for (size_t h = 0; h < run->n_hosts; h++)
		if (h != host && span_length(heard[h]) > 0)
			others[n++] = heard[h];
	if (!n)
		return false;
	qsort(others, n, sizeof *others, by_end);
	*out = (struct span){ others[0].begin, others[(n - 1) / 2].end };
	for (size_t i = 1; i < n; i++)
		out->begin = sooner(out->begin, others[i].begin);
	return true;
}

static void tell_silent_of(struct run *run, const struct track *const *rows, const struct entity *host, struct span silent,
	bool is_known)
{
	for (size_t g = 0; g < run->n_gpus; g++) {
		const bool is_given = run_track(run, run->gpus[g], METRIC_LOG_HOST_SILENT); /* as it is (made.c) */
		if (!is_given && rows[g] && run_host(run, run->gpus[g]) == host && gpu_works_to_the_end(run, rows[g]))
			stretch_tell(run, rows[g], METRIC_LOG_HOST_SILENT, silent,
				is_known && !recording_is_skewed(run, run->recordings[rows[g]->source]));
	}
}

void silent_tell(struct run *run, const struct track *const *all_rows)
{
	struct span *const heard = NEW_ARRAY(run->mem, struct span, run->n_hosts);
	struct span *const room = NEW_ARRAY(run->mem, struct span, run->n_hosts);
	struct span others;

	if (run->n_hosts < 2)
		return;
	for (size_t h = 0; h < run->n_hosts; h++)
		heard[h] = heard_of(run, run->hosts[h]);
	for (size_t h = 0; h < run->n_hosts; h++) {
		if (!span_length(heard[h]) || !others_heard(run, heard, h, room, &others))
			continue;
		const struct span silent = { heard[h].end, sooner(others.end, run->span.end) };
		if (span_length(silent) > 0)
			tell_silent_of(run, all_rows, run->hosts[h], silent, 2 * (others.begin - heard[h].begin) <= span_length(silent));
	}
}
