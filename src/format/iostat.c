/*
 * iostat.c - reads what `iostat [-x] [-t] [-c] [-d] [-k|-m] N` printed.
 *
 *     Linux 6.18.44 (node01) 	11/21/26 	_x86_64_	(16 CPU)
 *
 *     11/21/26 01:48:34
 *     avg-cpu:  %user   %nice %system %iowait  %steal   %idle
 *                0.19    0.00    1.81    0.00    0.00   98.00
 *
 *     Device            r/s     rkB/s   rrqm/s  %rrqm r_await ...  aqu-sz  %util
 *     nvme0n1         10.94   1570.26     2.54  18.86    1.18 ...    0.06   0.99
 *
 * The time line is there with -t only, and as the locale has it: 11/21/26 01:48:34 (C), 11/21/2026 01:48:34 AM
 * (en_US), 21.11.2026 01:48:34 (de_DE), 2026-11-21T01:48:34-0500 (ISO, the only one with a zone); old releases wrote
 * "Time: 01:48:34". Without -t nothing tells when: a report is one second, until --start and --step place them.
 *
 * The first report of a run (a banner begins one) is the average since boot. It is left out, but its time begins the
 * first interval. With -y there is no such report; nothing in the log says so, and one interval is lost.
 *
 * Columns differ by release (rsec/s, rkB/s, rMB/s, kB_read/s, Blk_read/s; await, or r_await and w_await) and are
 * found by name, in sysstat_row.c; what may be added up is told by the names of devices, in disks.c.
 */
#include "format/sysstat.h"
#include "format/sysstat_row.h"

/* Of sysstat_columns, those that iostat prints. */
static const struct spelling columns[] = {
	{ "%user", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%nice", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%system", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%iowait", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "%steal", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "%idle", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "rkB/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wkB/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rMB/s", METRIC_HOST_DISK_READ, UNIT_MIB_S },
	{ "wMB/s", METRIC_HOST_DISK_WRITE, UNIT_MIB_S },
	{ "rsec/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wsec/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "kB_read/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "kB_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "MB_read/s", METRIC_HOST_DISK_READ, UNIT_MIB_S },
	{ "MB_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_MIB_S },
	{ "Blk_read/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "Blk_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "r_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "w_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "d_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "%util", METRIC_HOST_DISK_UTIL, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

struct iostat {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_rows *rows;
	struct sysstat_words words;
	struct sysstat_clock clock;
	time_ms before, t; /* of the report before, and of this one */
	bool is_timed;     /* the log has time lines: its first report had one */
	bool has_report;   /* there was a report */
	bool has_date;     /* a date with slashes was taken for this run */
	bool has_stamp;    /* a time line stands before the report that comes */
	bool is_first;     /* the next report is the first of its run */
	bool is_dropped;   /* this report can't be used */
	bool has_cpu, has_devices; /* this report had such a section */
	bool expects_shares;       /* the numbers of avg-cpu stand on the next line */
	bool has_rows;
};

static void cut_words(struct sysstat_words *w, struct slice line)
{
	w->n = slice_words(line, line.p, w->at, w->columns, SYSSTAT_WORDS);
}

static bool is_cpu_head(const struct sysstat_words *w)
{
	return w->n > 1 && slice_is(w->at[0], "avg-cpu:") && sysstat_has(w, "%idle");
}

/* "Device:" in old releases; last instead of first with --pretty. In between it stands behind what somebody put before each line. */
static bool is_device_head(const struct sysstat_words *w)
{
	const struct slice first = w->n ? w->at[0] : (struct slice){ NULL, 0 }, last = w->n ? w->at[w->n - 1] : first;

	return (slice_is(first, "Device") || slice_is(first, "Device:") || slice_is(last, "Device")) &&
	       (sysstat_has(w, "tps") || sysstat_has(w, "r/s"));
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct sysstat_words *words = NEW(scratch, struct sysstat_words);
	bool banner = false;

	while (first_bytes.n) {
		struct slice line = slice_line(&first_bytes);
		banner |= sysstat_is_banner(line);
		if (!banner)
			continue;
		cut_words(words, line);
		if (is_cpu_head(words) || is_device_head(words))
			return (struct bid){ 96, "it has sysstat's banner and iostat's reports" };
	}
	return (struct bid){ 0, NULL };
}

/* "2026-11-21T01:48:34-0500", or without the offset. */
static bool iso_parse(struct iostat *io, struct slice word, time_ms *t)
{
	const size_t n_stamp = strlen("2026-11-21T01:48:34");

	if (word.n < n_stamp || word.p[10] != 'T' || !stamp_parse((struct slice){ word.p, n_stamp }, t))
		return false;
	return word.n == n_stamp || sysstat_offset(io->r, (struct slice){ word.p + n_stamp, word.n - n_stamp }, t);
}

/*
 * "11/21/26": whether day or month comes first may be told by a later date only, and then the earlier ones were misread.
 * So the first date of a run is taken, and days are counted from it, as mpstat's have to be.
 */
static bool slash_date_parse(struct iostat *io, struct slice word, struct slice *rest, time_ms *t)
{
	struct clock_note later = { 0 };
	time_ms day;

	if (!sysstat_date(word, &day, io->has_date ? &later : &io->r->recording->clock))
		return false;
	if (!io->has_date)
		io->clock = (struct sysstat_clock){ .day = day, .has_day = true };
	io->has_date = true;
	return sysstat_time(rest, &io->clock, t);
}

static bool date_parse(struct iostat *io, struct slice word, struct slice *rest, time_ms *t)
{
	struct sysstat_clock clock = { 0 };

	if (word.n && memchr(word.p, '/', word.n))
		return slash_date_parse(io, word, rest, t);
	return sysstat_date(word, &clock.day, &io->r->recording->clock) && sysstat_time(rest, &clock, t);
}

/* Behind a time some locales write the zone, by a word: "01:46:40 AM IST". */
static bool take_zone(struct iostat *io, struct slice rest)
{
	const struct slice word = slice_word(&rest);

	for (size_t i = 0; i < word.n; i++)
		if (!is_letter(word.p[i]))
			return false;
	if (word.n)
		reading_zone(io->r, word);
	return !slice_trim(rest).n;
}

/* False when the line is no time. */
static bool take_stamp(struct iostat *io, struct slice line)
{
	struct slice rest = slice_trim(line);
	struct slice word = slice_word(&rest);
	const bool is_old = slice_is(word, "Time:");
	time_ms t;

	if (!is_old && (!word.n || word.p[0] < '0' || word.p[0] > '9')) /* most lines are of a device: its name */
		return false;
	if (!iso_parse(io, word, &t) && !(is_old ? sysstat_time(&rest, &io->clock, &t) : date_parse(io, word, &rest, &t)))
		return false;
	if (!take_zone(io, rest))
		return false;
	if (!is_old)
		io->r->recording->clock.date_unknown = false;
	io->has_stamp = true;
	if (io->is_timed || !io->has_report) {
		io->before = io->has_report ? io->t : t;
		io->t = t;
	}
	return true;
}

static void complain_of_no_time(struct iostat *io)
{
	diag_repeat(io->r->diags, (struct place){ io->r->lines->path, io->r->lines->line, 0 }, DIAG_BAD_TIME, "report",
		"a report without a time in a log with times; not used");
}

/* A section of a new report is there. */
static void begin_report(struct iostat *io)
{
	if (!io->has_report)
		io->is_timed = io->has_stamp;
	io->is_dropped = io->is_first;
	if (io->is_timed && !io->has_stamp) {
		complain_of_no_time(io);
		io->is_dropped = true;
	} else if (!io->is_timed) {
		io->before = io->has_report ? io->t : 0;
		io->t = io->has_report ? io->t + SECOND_MS : 0;
	}
	io->has_report = true;
	io->is_first = io->has_stamp = io->has_cpu = io->has_devices = false;
}

static void take_cpu_head(struct iostat *io)
{
	if (io->has_stamp || io->has_cpu || io->has_devices || !io->has_report || io->is_first)
		begin_report(io);
	io->has_cpu = true;
	io->expects_shares = true;
	if (io->is_dropped) {
		io->r->recording->n_rows_ignored++;
		return;
	}
	io->words.at[0] = slice_of("CPU");
	sysstat_head(io->rows, &io->words);
}

static void take_device_head(struct iostat *io)
{
	if (io->has_stamp || io->has_devices || !io->has_report || io->is_first)
		begin_report(io);
	io->has_devices = true;
	if (io->is_dropped) {
		io->r->recording->n_rows_ignored++;
		return;
	}
	for (size_t i = 0; i < io->words.n; i++)
		if (slice_is(io->words.at[i], "Device") || slice_is(io->words.at[i], "Device:"))
			io->words.at[i] = slice_of("DEV");
	sysstat_head(io->rows, &io->words);
}

static void take_row(struct iostat *io)
{
	struct sysstat_words *w = &io->words;

	if (io->expects_shares && w->n < SYSSTAT_WORDS) { /* the line has no cell below "avg-cpu:" */
		memmove(w->at + 1, w->at, w->n * sizeof *w->at);
		memmove(w->columns + 1, w->columns, w->n * sizeof *w->columns);
		w->at[0] = slice_of("all");
		w->columns[0] = 1;
		w->n++;
	}
	io->has_rows |= sysstat_is_open(io->rows);
	sysstat_row(io->rows, w, io->before, io->t);
	if (io->expects_shares)
		sysstat_head_end(io->rows);
	io->expects_shares = false;
}

static void take_line(struct iostat *io, struct slice line)
{
	if (!sheet_takes_line(io->sheet))
		return;
	cut_words(&io->words, line);
	if (sysstat_is_banner(line)) {
		sysstat_head_end(io->rows);
		sysstat_banner(io->r, line, &io->clock);
		io->is_first = true;
		io->has_stamp = io->has_date = false;
	} else if (is_cpu_head(&io->words)) {
		take_cpu_head(io);
	} else if (is_device_head(&io->words)) {
		take_device_head(io);
	} else if (!io->words.n) {
		if (!io->expects_shares)
			sysstat_head_end(io->rows);
		io->r->recording->n_rows_ignored++;
	} else if (!io->expects_shares && take_stamp(io, line)) {
		sysstat_head_end(io->rows);
		io->r->recording->n_rows_ignored++;
	} else {
		take_row(io);
	}
}

static bool read(struct reading *r)
{
	struct iostat *io = NEW(r->scratch, struct iostat);
	struct slice line;

	io->r = r;
	io->sheet = sheet_new(r);
	io->rows = sysstat_rows_new(r, io->sheet);
	io->is_first = true;
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(io, line);
	sysstat_rows_end(io->rows);
	if (!io->is_timed) {
		r->recording->clock.time_unknown = true;
		r->recording->clock.date_unknown = false;
	}
	if (io->has_rows || !io->has_report)
		return sheet_finish(io->sheet);
	diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"nothing but averages since boot, as the first report of iostat is; log with iostat -xt N, which goes on");
	return sheet_drop(io->sheet);
}

static const char sample[] =
	"Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n"
	"\n"
	"11/21/26 01:48:34\n"
	"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
	"          30.10    0.02    6.23    0.35    0.06   63.23\n"
	"\n"
	"Device            r/s     rkB/s   rrqm/s  %rrqm r_await     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
	"nvme0n1         10.94   1570.26     2.54  18.86    1.18   35.02   3786.05    18.53  34.60    1.22   108.11    0.06   0.99\n"
	"\n"
	"\n"
	"11/21/26 01:48:35\n"
	"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
	"          36.00    0.00   14.50    0.00    0.00   49.50\n"
	"\n"
	"Device            r/s     rkB/s   rrqm/s  %rrqm r_await     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
	"nvme0n1          2.00     64.00     0.00   0.00    0.50   34.00    104.00     0.00   0.00    0.24     3.06    0.01   1.20\n"
	"\n";

const struct format format_iostat = {
	.name = "iostat",
	.title = "iostat [-x] [-t] [-c] [-d] [-k|-m] N",
	.sample = sample,
	.columns = columns,
	.absences = sysstat_absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
