/*
 * stamped.h - the time that whoever passed a log on wrote before each of its lines. For this folder only.
 *
 *     Nov 21 01:48:34  1  0      0 14615004 103612              ts(1) of moreutils
 *     2026-11-21T01:48:34.387125412Z # gpu    pwr  gtemp        docker logs -t, kubectl logs --timestamps
 *     2026-11-21T01:48:34.387125412Z stdout F     0    118      the files of Kubernetes (CRI)
 *     Nov 21 01:48:34 node01 gpu-log[2361]: 0, 35 %, 118.20 W   journalctl, syslog
 *     [2026-11-21 01:48:34]   1764189075.387   Sat Nov 21 01:48:34 UTC 2026:   loops of a shell
 *
 * It is taken off before a reader sees the line. A log with times of its own keeps those, which were written where the row was;
 * one that has none takes these. A pipe may hand on many lines at a time, which then have one stamp: their rows are spread over the time
 * since the lines before, and that is told.
 */
#ifndef POSTRUN_STAMPED_H
#define POSTRUN_STAMPED_H

#include "base/lines.h"
#include "format/row_clock.h"

struct stamped;
/* Begin all lines at hand so, two at least? NULL: no. It lives in `mem`. */
struct stamped *stamped_find(struct arena *mem, struct slice first_bytes);
/* For lines_cut_prefix(); `peeked` is what the first bytes are without. */
struct line_prefix *stamped_prefix(struct stamped *s);
/* The host that each line names, or "". */
const char *stamped_host(const struct stamped *s);
/* A row, or the begin of one, that a log without times puts at this time is of the line read last. */
void stamped_row(struct stamped *s, time_ms t);
/* A log without times takes these, for which it has to be read to its end. Before a sheet is finished. */
void stamped_settle(struct stamped *s, struct reading *r, struct sheet *sheet);

#endif
