/* words.h - how the report says things: who, how much, when. For this folder only. */
#ifndef POSTRUN_WORDS_H
#define POSTRUN_WORDS_H

#include "metric/gpu_time.h"
#include "report/report.h"

/*
 * "the GPU" (the run has one), "GPU 3", "GPUs 0-2 and 5", "both GPUs", "all 4 GPUs"; of several hosts "GPU 0 of node01"; of GPUs all over a
 * large host or of many hosts how many they are: "153 GPUs", "17 GPUs of 9 hosts".
 */
const char *gpus_text(struct arena *mem, const struct run *run, const struct entity *const *gpus, size_t n);
/* The same with the number of each GPU, however many they are; still how many of many hosts. */
const char *all_gpus_text(struct arena *mem, const struct run *run, const struct entity *const *gpus, size_t n);
/* The same for hosts: "the host" (the run has one), "node01 and node02", "all 3 hosts". */
const char *who_text(struct arena *mem, const struct run *run, const struct entity *const *who, size_t n);
/* "GPU 0"; in a run of several hosts "node01 GPU 0" */
const char *label_text(struct arena *mem, const struct run *run, const struct entity *e);
/* "GPU 0", "CPU"; of several hosts "01/0" and "CPU 01", as far as their names differ: for narrow tables */
const char *short_label_text(struct arena *mem, const struct run *run, const struct entity *e);
/* "01" of node01, likewise */
const char *short_host_text(struct arena *mem, const struct run *run, const char *host);
/* "node01", "node01 and node02", "16 hosts"; "" when no log names one */
const char *hosts_text(struct arena *mem, const struct run *run);
/* The first letter in upper or lower case; "GPU" stays. */
const char *with_capital(struct arena *mem, const char *text);
const char *without_capital(struct arena *mem, const char *text);

/* "14:00:00", "Tue 14:00:00" or "10 Mar 14:00:00": as much of the date as the run needs. */
const char *moment_text(struct arena *mem, const struct run *run, time_ms t);
/* "01:49:43 - 01:50:42", with the day where the two differ from the run's first day */
const char *window_text(struct arena *mem, const struct run *run, struct span s);
/* The same for pictures: "01:49:43–01:50:42", without seconds for windows of two minutes and more in runs of ten. */
const char *card_window_text(struct arena *mem, const struct run *run, struct span s);
/* "0:12", "1:05:09": time since the run began */
const char *elapsed_text(struct arena *mem, time_ms since);
bool same_day(time_ms a, time_ms b);
/* "Sat 2026-11-21" */
const char *day_text(struct arena *mem, time_ms t);
/* "12.5 GiB": a number and what stands right behind it, the blank included */
const char *amount_text(struct arena *mem, double value, int decimals, const char *unit);
/* "1 s", "0.51 s", "60 s": the step of a log */
const char *step_text(struct arena *mem, double seconds);
/* Of what is there: "100 %" only where nothing is missing, else "99.9 %" at most. */
const char *present_text(struct arena *mem, double share);
/* A text that ends as a sentence does. */
const char *with_stop(struct arena *mem, const char *text);
/* "a, b and c" with ", " between and " and " as the last. */
const char *joined(struct arena *mem, const char *const *parts, size_t n, const char *between, const char *last);

/* "GPU-HOURS" */
const char *all_capitals(struct arena *mem, const char *text);

#endif
