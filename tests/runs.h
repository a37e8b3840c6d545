/*
 * runs.h - what tests of runs and rules share: logs drawn as one digit a second become a settled run.
 *
 * A digit is tens of percent busy (9 is 90 %, 'X' 100 %), '_' a cell without a value, ' ' a second
 * without a row.
 */
#ifndef POSTRUN_TESTS_RUNS_H
#define POSTRUN_TESTS_RUNS_H

#include "logs.h"
#include "run/run.h"

#define DAWN ((time_ms)1795226400000) /* 2026-11-21T02:00:00Z: second 0 of a picture */

static inline const char *local_time(struct arena *mem, time_ms t, char between)
{
	const struct civil c = civil_from_time(t);

	return arena_print(mem, "%04d%c%02d%c%02d %02d:%02d:%02d.%03d", c.year, between, c.month, between, c.day, c.hour, c.minute,
		c.second, c.ms);
}

static inline int percent_of(char digit)
{
	return digit == 'X' ? 100 : (digit - '0') * 10;
}

/* d: the driver's own, c: a context's */
static inline int memory_of(char digit)
{
	return digit == 'd' ? 4 : digit == 'c' ? 400 : percent_of(digit) * 100;
}

/* nvidia-smi's CSV of GPU 0, each second of the picture as the clock of a zone `offset` east of UTC has it. */
static inline const char *gpu_log(struct arena *mem, const char *busy, const char *memory, time_ms offset)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, memory ? "timestamp, index, utilization.gpu [%], memory.used [MiB]\n" : "timestamp, index, utilization.gpu [%]\n");
	for (size_t i = 0; busy[i]; i++) {
		if (busy[i] == ' ')
			continue;
		buf_print(&out, "%s, 0, ", local_time(mem, DAWN + (time_ms)i * SECOND_MS + offset, '/'));
		if (busy[i] == '_')
			buf_text(&out, "[N/A]");
		else
			buf_print(&out, "%d %%", percent_of(busy[i]));
		if (memory)
			buf_print(&out, ", %d MiB", memory_of(memory[i]));
		buf_char(&out, '\n');
	}
	return text_of_buf(mem, &out);
}

/* vmstat -t: each second of the picture is a row that ends one second later. */
static inline const char *cpu_log(struct arena *mem, const char *busy, const char *zone, time_ms offset)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_print(&out, "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st %s\n", zone);
	for (size_t i = 0; i == 0 || busy[i - 1]; i++) {
		const int percent = i && busy[i - 1] != '_' ? percent_of(busy[i - 1]) : 0;
		if (i && busy[i - 1] == ' ')
			continue;
		buf_print(&out, " 1 0 0 1024 4 4 0 0 0 0 1 1 %d 0 %d 0 0 %.19s\n", percent, 100 - percent,
			local_time(mem, DAWN + (time_ms)i * SECOND_MS + offset, '-'));
	}
	return text_of_buf(mem, &out);
}

/* mpstat -P ALL on a 24-hour clock; one picture a core, all of the same length. */
static inline const char *core_log(struct arena *mem, const char *date, const char *const *busy, size_t n_cores, time_ms offset)
{
	static const char head[] = "  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n";
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_print(&out, "Linux 6.18.44 (node01) \t%s \t_x86_64_\t(%zu CPU)\n", date, n_cores);
	for (size_t i = 0; busy[0][i]; i++) {
		int sum = 0;
		const char *begin = time_clock(mem, DAWN + (time_ms)i * SECOND_MS + offset);
		const char *end = time_clock(mem, DAWN + (time_ms)(i + 1) * SECOND_MS + offset);
		for (size_t k = 0; k < n_cores; k++)
			sum += percent_of(busy[k][i]);
		buf_print(&out, "\n%s%s", begin, head);
		buf_print(&out, "%s all %d 0 0 0 0 0 0 0 0 %d\n", end, sum / (int)n_cores, 100 - sum / (int)n_cores);
		for (size_t k = 0; k < n_cores; k++)
			buf_print(&out, "%s %zu %d 0 0 0 0 0 0 0 0 %d\n", end, k, percent_of(busy[k][i]), 100 - percent_of(busy[k][i]));
	}
	return text_of_buf(mem, &out);
}

static inline void run_take(struct logs *logs, struct run *run, const char *name, const char *text)
{
	if (!ingest(run, folder_put(&logs->folder, &logs->mem, name, slice_of(text))))
		fail_msg("%s is not read: %s", name, take_complaints(logs));
}

static inline void run_settle(struct run *run)
{
	if (!clock_settle(run, &(struct clock_request){ 0 }))
		fail_msg("nothing to settle");
	derive_metrics(run);
	phases_find(run);
}

/* "02:00:05-02:00:09 02:00:12-02:00:20" */
static inline const char *shown_spans(struct logs *logs, struct spans s)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < s.n; i++)
		buf_print(&out, "%s%s-%s", i ? " " : "", time_clock(&logs->mem, s.at[i].begin), time_clock(&logs->mem, s.at[i].end));
	return text_of_buf(&logs->mem, &out);
}

/* The sentence of each log, then the notes about clocks. */
static inline const char *shown_clocks(struct logs *logs, const struct run *run)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < run->n_recordings; i++)
		buf_print(&out, "%s\n", run->recordings[i]->clock.sentence);
	for (size_t i = 0; i < run->n_notes; i++)
		if (strcmp(run->notes[i].topic, "Clock") == 0)
			buf_print(&out, "%s\n", run->notes[i].text);
	return text_of_buf(&logs->mem, &out);
}

#endif
