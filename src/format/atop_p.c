/*
 * atop_p.c - reads what `atop -P LABELS N` or `atop -r FILE -P LABELS` printed, a line for each thing that it knows.
 *
 *     RESET
 *     CPU vm 1795228462 2026/11/20 21:34:22 3746 100 2 47443 227328 179 467988 2649 0 1018 476 0 4200 100 0 0
 *     SEP
 *     CPU vm 1795228463 2026/11/20 21:34:23 1 100 2 18 116 0 64 0 0 1 0 0 4200 100 0 0
 *     cpu vm 1795228463 2026/11/20 21:34:23 1 100 0 10 85 0 5 0 0 0 0 0 2100 100 0 0
 *     MEM vm 1795228463 2026/11/20 21:34:23 1 4096 6182927 3697881 2327933 26138 97165 197 85508 …
 *     SEP
 *
 * Label, host, epoch (UTC), date and time, seconds of the interval that ends there, and then by label (atop(1)):
 *
 *     CPU, cpu   ticks a second, cores or number of the core, ticks of system, user, nice, idle, wait, irq, softirq, steal
 *     CPL        cores, load over 1 minute
 *     MEM        bytes of a page, pages in all, free, cache, buffers, slab, dirty, slab that can be reclaimed
 *     SWP        bytes of a page, pages in all, free
 *     PAG        bytes of a page, scans, stalls, -, swapped in, swapped out
 *     DSK        name, milliseconds busy, reads, sectors read, writes, sectors written
 *     NET        name, packets and bytes received, packets and bytes sent; "upper" is no interface
 *
 * Versions add fields at the end. Guest time is inside user. Shares are of the sum of all ticks, so neither the tick nor
 * the rounded seconds matter to them; rates take the seconds as they are. What RESET announces is an average since boot
 * and left out; so is the first group of a file without RESET, because it may be one. SEP or another epoch ends a group;
 * sums over disks and interfaces of a last group without SEP are not whole and left out.
 */
#include "format/host_row.h"

#include <math.h>

static const struct spelling columns[] = {
	{ "CPU.system", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "CPU.user", METRIC_CPU_USER, UNIT_NUMBER },
	{ "CPU.nice", METRIC_CPU_USER, UNIT_NUMBER },
	{ "CPU.idle", METRIC_CPU_BUSY, UNIT_NUMBER },
	{ "CPU.wait", METRIC_CPU_IOWAIT, UNIT_NUMBER },
	{ "CPU.irq", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "CPU.softirq", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "CPU.steal", METRIC_CPU_STEAL, UNIT_NUMBER },
	{ "CPL.avg1", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "MEM.total", METRIC_HOST_MEM_TOTAL, UNIT_BYTE },
	{ "MEM.free", METRIC_HOST_MEM_FREE, UNIT_BYTE },
	{ "SWP.used", METRIC_HOST_SWAP_USED, UNIT_BYTE },
	{ "PAG.in", METRIC_HOST_SWAP_IN, UNIT_BYTE_S },
	{ "PAG.out", METRIC_HOST_SWAP_OUT, UNIT_BYTE_S },
	{ "DSK.read", METRIC_HOST_DISK_READ, UNIT_BYTE_S },
	{ "DSK.write", METRIC_HOST_DISK_WRITE, UNIT_BYTE_S },
	{ "DSK.busy", METRIC_HOST_DISK_UTIL, UNIT_PERCENT },
	{ "NET.received", METRIC_HOST_NET_RX, UNIT_BYTE_S },
	{ "NET.sent", METRIC_HOST_NET_TX, UNIT_BYTE_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

#define MAX_FIELDS ((size_t)16) /* those that are read; CPU has the most, 10 */
#define FIELD_MOST ((int64_t)1000000000000000) /* keeps sums of thousands from overflow */
#define SECTOR_BYTES ((int64_t)512)

/* Where the ticks of a state are. */
static const enum cpu_state tick_order[] = { CPU_SYSTEM, CPU_USER, CPU_NICE, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL };
#define N_TICKS (sizeof tick_order / sizeof tick_order[0])
#define TICKS_BEGIN ((size_t)2)
#define TICKS_LEAST ((size_t)7) /* steal came with Linux 2.6.11 */

struct fields { /* of a line, behind the interval */
	struct slice words[MAX_FIELDS];
	int64_t at[MAX_FIELDS]; /* -1: no whole number */
	size_t n;
};

struct stamp { /* what every line begins with */
	struct slice label, host;
	time_ms t;
	int64_t seconds;
};

/* Sums over the lines of one group. */
struct sums {
	bool has_disk, has_net;
	int64_t sectors_read, sectors_written, busiest_ms, received, sent;
};

struct atop {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	bool is_open, had_any, had_reset, is_since_boot;
	struct stamp group;
	struct sums sums;
};

/* False when the line does not begin as those of atop -P do. */
static bool stamp_take(struct slice *line, struct stamp *s)
{
	struct slice rest = *line;
	time_ms local;

	s->label = slice_word(&rest);
	s->host = slice_word(&rest);
	const struct slice epoch = slice_word(&rest), date = slice_word(&rest), time = slice_word(&rest), seconds = slice_word(&rest);
	if (!seconds.n || s->label.n != 3 || !epoch_parse(epoch, &s->t) || !integer_parse(seconds, &s->seconds) ||
		s->seconds > FIELD_MOST)
		return false;
	*line = rest;
	return stamp_parse((struct slice){ date.p, (size_t)(time.p + time.n - date.p) }, &local);
}

static void fields_take(struct slice line, struct fields *f)
{
	for (f->n = 0; f->n < MAX_FIELDS; f->n++) {
		f->words[f->n] = slice_word(&line);
		if (!f->words[f->n].n)
			return;
		if (!integer_parse(f->words[f->n], &f->at[f->n]) || f->at[f->n] > FIELD_MOST)
			f->at[f->n] = -1;
	}
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) {
		struct slice line = slice_line(&first_bytes);
		struct stamp s;
		if (slice_line_is_whole(line, first_bytes) && stamp_take(&line, &s))
			return (struct bid){ 95, "it has lines of atop -P" };
	}
	return (struct bid){ 0, NULL };
}

/* Bytes in an interval, as KiB a second. */
static void put_rate(struct atop *a, enum metric metric, int64_t bytes)
{
	const double rate = (double)bytes / 1024 / (double)a->group.seconds * FIXED_ONE;

	if (a->group.seconds > 0 && rate < 9e18)
		sheet_put(a->sheet, metric, (fixed)llround(rate), 1);
	else
		sheet_absent(a->sheet, metric, ABSENT_OUT_OF_RANGE);
}

static void put_sums(struct atop *a)
{
	const struct sums *s = &a->sums;

	if (s->has_disk) {
		put_rate(a, METRIC_HOST_DISK_READ, s->sectors_read * SECTOR_BYTES);
		put_rate(a, METRIC_HOST_DISK_WRITE, s->sectors_written * SECTOR_BYTES);
		/* the interval is whole seconds: a disk that was all busy can be a little over */
		const double busy = a->group.seconds > 0 ? (double)s->busiest_ms / 10 / (double)a->group.seconds : 0;
		sheet_put(a->sheet, METRIC_HOST_DISK_UTIL, busy > 100 ? 100 * (fixed)FIXED_ONE : (fixed)llround(busy * FIXED_ONE), 1);
	}
	if (s->has_net) {
		put_rate(a, METRIC_HOST_NET_RX, s->received);
		put_rate(a, METRIC_HOST_NET_TX, s->sent);
	}
}

static void end_group(struct atop *a, bool whole)
{
	if (a->is_open && whole)
		put_sums(a);
	if (a->is_open)
		host_row_close(a->rows, 0, 2);
	a->is_open = a->is_since_boot = false;
	a->sums = (struct sums){ 0 };
}

/* Lines of another epoch are another group, also where grep took the SEP lines out. */
static void begin_group(struct atop *a, const struct stamp *s)
{
	if (a->had_any && a->group.t != s->t)
		end_group(a, true);
	else if (a->is_open || a->is_since_boot)
		return;
	a->group = *s;
	a->is_since_boot = a->had_reset || !a->had_any;
	a->had_any = true;
	a->had_reset = false;
	if (a->is_since_boot)
		return;
	host_row_begin(a->rows, s->t - s->seconds * SECOND_MS);
	host_row_open(a->rows, s->t);
	a->is_open = true;
}

/* False: fewer numbers than the label has. */
static bool has_numbers(const struct fields *f, size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++)
		if (i >= f->n || f->at[i] < 0)
			return false;
	return true;
}

static bool take_ticks(struct atop *a, const struct fields *f, bool is_core)
{
	if (!has_numbers(f, 0, TICKS_BEGIN + TICKS_LEAST - 1) || (is_core && f->at[1] > CORE_MOST))
		return false;
	struct cpu_times *times = host_row_times(a->rows, is_core ? (int)f->at[1] : WHOLE_HOST);
	for (size_t i = 0; times && i < N_TICKS && has_numbers(f, TICKS_BEGIN + i, TICKS_BEGIN + i); i++) {
		times->of[tick_order[i]] = f->at[TICKS_BEGIN + i];
		times->has[tick_order[i]] = true;
	}
	return true;
}

static bool take_load(struct atop *a, const struct fields *f)
{
	struct slice rest;
	fixed load;

	if (f->n < 2 || !fixed_parse(f->words[1], &load, &rest) || rest.n || load < 0 || load > 1000000 * (fixed)FIXED_ONE)
		return false;
	sheet_put(a->sheet, METRIC_HOST_LOAD, load, 2);
	return true;
}

/* Pages as KiB; -1 where that is beyond any machine. */
static int64_t kib_of(int64_t pages, int64_t page_bytes)
{
	const double kib = (double)pages * (double)page_bytes / 1024;

	return kib > -1e15 && kib < 1e15 ? (int64_t)kib : -1;
}

static bool take_memory(struct atop *a, const struct fields *f)
{
	if (!has_numbers(f, 0, 4))
		return false;
	const int64_t page = f->at[0], reclaimable = has_numbers(f, 7, 7) ? f->at[7] : 0;
	host_row_memory(a->sheet, kib_of(f->at[1], page), kib_of(f->at[1] - f->at[2] - f->at[3] - f->at[4] - reclaimable, page));
	host_row_kib(a->sheet, METRIC_HOST_MEM_FREE, kib_of(f->at[2], page));
	return true;
}

static bool take_swap(struct atop *a, const struct fields *f)
{
	if (!has_numbers(f, 0, 2))
		return false;
	host_row_kib(a->sheet, METRIC_HOST_SWAP_USED, kib_of(f->at[1] - f->at[2], f->at[0]));
	return true;
}

static bool take_paging(struct atop *a, const struct fields *f)
{
	if (!has_numbers(f, 0, 2) || !has_numbers(f, 4, 5) || f->at[0] > 1 << 20 || f->at[4] > INT32_MAX || f->at[5] > INT32_MAX)
		return false;
	put_rate(a, METRIC_HOST_SWAP_IN, f->at[4] * f->at[0]);
	put_rate(a, METRIC_HOST_SWAP_OUT, f->at[5] * f->at[0]);
	return true;
}

static int64_t sum_to(int64_t sum, int64_t more)
{
	return sum > FIELD_MOST - more ? FIELD_MOST : sum + more;
}

static bool take_disk(struct atop *a, const struct fields *f)
{
	struct sums *s = &a->sums;

	if (!has_numbers(f, 1, 5))
		return false;
	s->has_disk = true;
	s->busiest_ms = f->at[1] > s->busiest_ms ? f->at[1] : s->busiest_ms;
	s->sectors_read = sum_to(s->sectors_read, f->at[3]);
	s->sectors_written = sum_to(s->sectors_written, f->at[5]);
	return true;
}

static bool take_net(struct atop *a, const struct fields *f)
{
	struct sums *s = &a->sums;

	if (f->n && (slice_is(f->words[0], "upper") || slice_is(f->words[0], "lo")))
		return true;
	if (!has_numbers(f, 1, 4))
		return false;
	s->has_net = true;
	s->received = sum_to(s->received, f->at[2]);
	s->sent = sum_to(s->sent, f->at[4]);
	return true;
}

/* False for a line of a label that is read but has not its numbers. */
static bool take_fields(struct atop *a, struct slice label, const struct fields *f)
{
	if (slice_is(label, "CPU") || slice_is(label, "cpu"))
		return take_ticks(a, f, slice_is(label, "cpu"));
	if (slice_is(label, "CPL"))
		return take_load(a, f);
	if (slice_is(label, "MEM"))
		return take_memory(a, f);
	if (slice_is(label, "SWP"))
		return take_swap(a, f);
	if (slice_is(label, "PAG"))
		return take_paging(a, f);
	if (slice_is(label, "DSK"))
		return take_disk(a, f);
	if (slice_is(label, "NET"))
		return take_net(a, f);
	return true; /* processes, logical volumes, … */
}

static void take_stamped(struct atop *a, const struct stamp *s, struct slice rest)
{
	struct place place = { a->r->lines->path, a->r->lines->line, 0 };
	struct fields f;

	if (!reading_host(a->r, s->host)) {
		sheet_reject(a->sheet, place, DIAG_BAD_ROW, "a row of another host in a log of '%s'; not used",
			a->r->recording->host);
		return;
	}
	begin_group(a, s);
	fields_take(rest, &f);
	if (!a->is_open)
		a->r->recording->n_rows_ignored++;
	else if (!take_fields(a, s->label, &f))
		sheet_reject(a->sheet, place, DIAG_BAD_ROW, "a line %.*s without the numbers that atop writes there; not used",
			SLICE(s->label));
}

static void take_line(struct atop *a, struct slice line)
{
	struct slice rest = line;
	struct stamp s;

	if (!sheet_takes_line(a->sheet))
		return;
	line = slice_trim(line);
	if (stamp_take(&rest, &s)) {
		take_stamped(a, &s, rest);
		return;
	}
	a->r->recording->n_rows_ignored++;
	if (slice_is(line, "RESET")) {
		end_group(a, true);
		a->had_reset = true;
	} else if (slice_is(line, "SEP")) {
		end_group(a, true);
	}
}

static bool read(struct reading *r)
{
	struct atop *a = NEW(r->scratch, struct atop);
	struct slice line;

	a->r = r;
	a->sheet = sheet_new(r);
	a->rows = host_row_new(r, a->sheet);
	reading_epoch(r);
	while (line_next(r->lines, &line))
		take_line(a, line);
	end_group(a, false);
	host_row_release(a->rows);
	return sheet_finish(a->sheet);
}

static const char sample[] =
	"RESET\n"
	"CPU node01 1795228462 2026/11/20 21:34:22 3746 100 2 47443 227328 179 467988 2649 0 1018 476 0 4200 100 0 0\n"
	"cpu node01 1795228462 2026/11/20 21:34:22 3746 100 0 24301 114102 97 232804 1554 0 397 236 0 2100 100 0 0\n"
	"cpu node01 1795228462 2026/11/20 21:34:22 3746 100 1 23141 113225 82 235183 1095 0 620 240 0 2100 100 0 0\n"
	"SEP\n"
	"CPU node01 1795228463 2026/11/20 21:34:23 1 100 2 18 116 0 64 0 0 1 0 0 4200 100 0 0\n"
	"cpu node01 1795228463 2026/11/20 21:34:23 1 100 0 10 85 0 5 0 0 0 0 0 2100 100 0 0\n"
	"cpu node01 1795228463 2026/11/20 21:34:23 1 100 1 8 31 0 60 0 0 1 0 0 2100 100 0 0\n"
	"MEM node01 1795228463 2026/11/20 21:34:23 1 4096 6182927 3697881 2327933 26138 97165 197 85508 0 2214 0 0 2097152 0 0\n"
	"SEP\n";

const struct format format_atop_p = {
	.name = "atop-p",
	.title = "atop -P CPU,cpu,CPL,MEM,SWP,PAG,DSK,NET N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
