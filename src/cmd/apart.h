/*
 * apart.h - who reads what others wrote is not who writes files.
 *
 *     the writer                          the worker, its child
 *     has claimed the folder              can read the inputs and nothing else (sandbox.h)
 *                                         reads, judges, draws
 *     takes files by their numbers   <-   hands them over
 *     writes them, says how it went  ->   prints; says what it complains of
 *     ends as the worker did
 *
 * What a file is called is settled before: a worker that a hostile log has taken over can spoil a report, but not choose where it goes.
 */
#ifndef CMD_APART_H
#define CMD_APART_H

#include "base/folder_write.h"

#include <sys/types.h>

enum part { PART_ALL, PART_WRITER, PART_WORKER };

struct apart {
	enum part part; /* PART_ALL: one process does both */
	int other;      /* what leads to the other one; -1: there is none */
	pid_t worker;   /* of the writer */
};

/* Before any thread is started. Where the system gives no second process, one does both. */
struct apart apart_begin(void);
/* Of the worker, or of who does both: false when they could not be written, which has been told. */
bool apart_write(const struct apart *a, struct folder_claim *folder, const struct folder_files_given *files, struct diags *diags);
/*
 * Of the writer: waits for the worker, writes what it hands over, each file of at most `max_bytes` and called like one of `known`, and
 * ends as it did: the exit status, or the signal. What could not be written is told, and is in `diags`, which comes empty.
 */
int apart_serve(const struct apart *a, struct folder_claim *folder, const char *const *known, size_t n_known, size_t max_bytes,
	struct diags *diags);

#endif
