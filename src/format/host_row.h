/*
 * host_row.h - one poll of a whole host: a row of the host and one of each core. For this folder only.
 *
 * What procstat, dstat, collectl and atop share. Each tells, of the host and perhaps of every core, how its time was
 * spent, as counted ticks or as shares. The kernel's states (Documentation/filesystems/proc.rst, /proc/stat): user,
 * nice, system, idle, iowait, irq, softirq and steal add up to all time; guest time is counted again inside user.
 *
 *     busy   = all - idle - iowait - steal        user   = user + nice
 *     system = system + irq + softirq             each as a share of all
 */
#ifndef POSTRUN_HOST_ROW_H
#define POSTRUN_HOST_ROW_H

#include "format/sheet.h"

#define CORE_MOST 65535 /* a higher number is no core */
#define WHOLE_HOST (-1)

enum cpu_state { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL, N_CPU_STATES };

/* Ticks, or shares. Below 0: unreadable, so that what is made of it is missing. */
struct cpu_times {
	int64_t of[N_CPU_STATES];
	bool has[N_CPU_STATES];
};

struct host_row;
struct host_row *host_row_new(struct reading *r, struct sheet *sheet);
/* When the interval of the first row began: the stamp of an average since boot that is left out. */
void host_row_begin(struct host_row *h, time_ms begin);
/* Opens a row of the host; what is put now goes there. */
void host_row_open(struct host_row *h, time_ms t);
/* The times of a core, or of WHOLE_HOST, to be filled before closing. NULL, already reported, over MAX_CHANNELS. */
struct cpu_times *host_row_times(struct host_row *h, int core);
/*
 * Puts the shares of the host and of every core, a row each; a core that had times before and has none now has no value
 * until it has some again. `all`: what the states add up to; 0: their sum.
 */
void host_row_close(struct host_row *h, int64_t all, int decimals);
/* A column that no metric has, for recording.unread; once each. */
void host_row_unread(struct host_row *h, struct slice head);
/* Gives the recording what was unread. */
void host_row_release(struct host_row *h);

/* A quantity of memory in KiB into the row opened last. */
void host_row_kib(struct sheet *s, enum metric metric, int64_t kib);
/* Memory that programs hold, and its share of all there is. */
void host_row_memory(struct sheet *s, int64_t total_kib, int64_t used_kib);

/* The next cell, without blanks and quotes around it; a blank as separator: the next word. False at the end. */
bool host_cell(struct slice *rest, char separator, struct slice *cell);
/* The first cells of what is left of a line, at most `most`; returns how many. The separator is no blank. */
size_t host_cells(struct slice rest, char separator, struct slice *cells, size_t most);
/* 1 to 12 for "Nov", "NOV", "November"; 0 for other words. */
int month_parse(struct slice word);
/* True, with its number, for "cpu12" when `prefix` is "cpu". */
bool core_parse(struct slice word, const char *prefix, int *core);

#endif
