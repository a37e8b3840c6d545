/*
 * row_polls.h - whose row is it, when no column says so? For this folder only.
 *
 *     2025/06/19 17:48:52.457, NVIDIA H200, 0 %          Tue Jun  9 09:00:01 UTC 2020
 *     2025/06/19 17:48:52.460, NVIDIA H200, 0 %          utilization.gpu [%], memory.used [MiB]
 *     2025/06/19 17:48:54.470, NVIDIA H200, 0 %          0 %, 0 MiB
 *     2025/06/19 17:48:54.470, NVIDIA H200, 0 %          2 %, 10983 MiB
 *
 * nvidia-smi prints the GPUs of a poll in the order of their index. So where polls can be told apart - by a line before each,
 * or because their rows lie milliseconds apart and the polls much further - and all have the same number of rows, the n-th row is
 * GPU n. That is a guess, and said to be one. A poll of another length is not used: nobody knows which GPU is missing.
 */
#ifndef POSTRUN_ROW_POLLS_H
#define POSTRUN_ROW_POLLS_H

#include "format/sheet.h"

struct row_polls { /* the rows of a log without identity, in the order of the file */
	time_ms *times;
	size_t *marks; /* how many lines that begin a poll stand before the row */
	size_t n, room, marks_room;
	bool has_ms; /* some time has a fraction of a second */
};

enum dealing { POLLS_ONE_GPU, POLLS_DEALT, POLLS_MIXED };

void row_polls_add(struct row_polls *p, time_ms t, size_t mark);
/* Do the times of the rows say that several GPUs are among them? */
bool row_polls_two_rhythms(struct arena *mem, const struct row_polls *p);
void row_polls_release(struct row_polls *p);
/*
 * Deals the rows of the sheet's channel out to GPUs where that can be done. `timed`: each row has its own time; otherwise the times
 * are those of the polls, or `timeless`. POLLS_MIXED: rows of several GPUs that can't be told apart.
 */
enum dealing row_polls_settle(struct row_polls *p, struct reading *r, struct sheet *s, size_t channel, bool timed, bool timeless);

#endif
