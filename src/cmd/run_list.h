/*
 * run_list.h - the runs that were found, put away: at hand are 16 bytes of each, all else is read again when it is its turn.
 */
#ifndef CMD_RUN_LIST_H
#define CMD_RUN_LIST_H

#include "base/spill.h"
#include "cmd/run_find.h"

struct listed_run {
	uint64_t place; /* where it was put: in order of ids */
	int64_t weight;
};

struct run_list {
	struct listed_run *at; /* in order of ids, but for who has sorted it and sorts it back */
	size_t n, room;
	size_t n_strays;
	bool has_gaps; /* as of found_runs */
	struct spill runs, strays;
};

/* To be released; in a process that was forked, too, before it reads what others wrote. */
void run_list_init(struct run_list *list);
void run_list_release(struct run_list *list);

/* A run in bytes, as it is put away and goes from process to process. False when they are none. */
void run_pack(struct buf *out, const struct found_run *run);
bool run_unpack(struct arena *mem, struct slice packed, struct found_run *out);

/* The next in order of ids; `packed` is good. */
void run_list_add(struct run_list *list, struct slice packed, int64_t weight);
void run_list_add_stray(struct run_list *list, struct slice path, struct slice why);
struct found_run run_list_get(struct arena *mem, struct run_list *list, struct listed_run run);
/* One after the other, from 0 on: `place` becomes that of the next. False at the end. */
bool run_list_next_stray(struct arena *mem, struct run_list *list, uint64_t *place, struct stray *out);

/* Of equal weights in order of ids. */
void run_list_sort_by_weight(struct run_list *list);
void run_list_sort_by_id(struct run_list *list);

#endif
