/*
 * nvidia_smi_dmon.c - reads `nvidia-smi dmon -o DT [-s pucm…] [--gpm-metrics N,…] [--format csv]`.
 *
 *     #Date        Time         gpu    pwr  gtemp  mtemp     sm    mem    enc ...   mclk   pclk     fb
 *     #YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %      % ...    MHz    MHz     MB
 *      20261121    01:48:34       0     76     34     37      0      0      0 ...   3201    345      0
 *
 *     #Date, Time, gpu, pwr, gtemp, mtemp, sm, mem, enc, ...
 *     #YYYYMMDD, HH:MM:SS, Idx, W, C, C, %, %, %, ...
 *      20261121, 01:48:34, 0, 76, 34, 37, 0, 0, 0, ...
 *
 * Both lines of the head come again every 44 data lines, whatever the number of GPUs, so also between
 * the rows of one sample; in the csv form as well, which is why this is no CSV. `nounit` leaves out the
 * second one. Columns are found by name: groups are chosen with -s, and drivers add some. Before 2017 one
 * `temp` stood for `gtemp`. A GPU has only its index.
 *
 * Time is local and in whole seconds. With -o T it has no date, and midnight shows as time that falls by
 * more than 12 hours. Without -o, or with -o D, there is no time at all and no place for the rows; such
 * a log is refused.
 *
 * sm and mem are the readings that a query calls utilization.gpu and utilization.memory. The columns of
 * --gpm-metrics (unit "GPM:%") tell how much of the chip works. pviol and tviol (shares of time held back)
 * and the lifetime counters sbecc, dbecc and pci are not read. '-' is "this GPU or mode does not report it".
 */
#include "format/nvidia_smi.h"

#include <stdio.h>

#define MAX_COLUMNS ((size_t)64) /* all groups and all GPM metrics of driver 580 are under 60 */

static const struct spelling columns[] = {
	{ "sm", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "mem", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "enc", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "dec", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "fb", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "pwr", METRIC_GPU_POWER, UNIT_WATT },
	{ "gtemp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "temp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "mtemp", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "pclk", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "mclk", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "rxpci", METRIC_GPU_PCIE_RX, UNIT_MIB_S },
	{ "txpci", METRIC_GPU_PCIE_TX, UNIT_MIB_S },
	{ "smutil", METRIC_GPU_SM_ACTIVE, UNIT_PERCENT },
	{ "smocc", METRIC_GPU_SM_OCCUPANCY, UNIT_PERCENT },
	{ "mmaact", METRIC_GPU_TENSOR_ACTIVE, UNIT_PERCENT },
	{ "dram", METRIC_GPU_DRAM_ACTIVE, UNIT_PERCENT },
	{ "fp16", METRIC_GPU_FP16_ACTIVE, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "ERR!", ABSENT_ERROR },
	{ NULL, ABSENT_EMPTY },
};

struct cells { /* of one line, whichever form it has */
	struct slice at[MAX_COLUMNS];
	int columns[MAX_COLUMNS];
	size_t n; /* MAX_COLUMNS: there may have been more */
};

struct head { /* one column of the head in force */
	const struct spelling *spelling; /* NULL: not read */
	enum unit unit;
};

struct dmon {
	struct reading *r;
	struct sheet *sheet;
	struct cells cells;
	struct head heads[MAX_COLUMNS];
	size_t n_heads, date, time, gpu; /* places of these columns; n_heads where there is none */
	bool has_head, had_time;
	time_ms day, last; /* with -o T: midnights passed, and the time of the row before */
	const char *unread[MAX_COLUMNS];
	struct smi_messages messages;
};

static void add_cell(struct cells *c, struct slice cell, const char *line)
{
	if (c->n == MAX_COLUMNS)
		return;
	c->columns[c->n] = (int)(cell.p - line) + 1;
	c->at[c->n++] = cell;
}

/* Cells between commas if there are any, else words. */
static void cut_cells(struct cells *c, struct slice line)
{
	const char *start = line.p;

	c->n = 0;
	if (!line.n || !memchr(line.p, ',', line.n)) {
		for (struct slice word = slice_word(&line); word.n && c->n < MAX_COLUMNS; word = slice_word(&line))
			add_cell(c, word, start);
		return;
	}
	for (const char *end = line.p; end && c->n < MAX_COLUMNS;) {
		end = line.n ? memchr(line.p, ',', line.n) : NULL;
		size_t n = end ? (size_t)(end - line.p) : line.n;
		add_cell(c, slice_trim((struct slice){ line.p, n }), start);
		line = (struct slice){ line.p + n + (end != NULL), line.n - n - (end != NULL) };
	}
}

/* A '#' opens both lines of a head; "#Date", "# gpu" and "#gpu" are all seen. */
static bool cut_head(struct cells *c, struct slice line)
{
	line = slice_trim(line);
	if (!line.n || line.p[0] != '#')
		return false;
	cut_cells(c, (struct slice){ line.p + 1, line.n - 1 });
	return c->n > 0;
}

static size_t find_cell(const struct cells *c, const char *text)
{
	size_t i = 0;

	while (i < c->n && !slice_is(c->at[i], text))
		i++;
	return i;
}

/* pmon has the same look, but a row for each process. */
static bool is_names(const struct cells *c)
{
	size_t gpu = find_cell(c, "gpu");

	if (gpu > 2 || gpu + 1 >= c->n || find_cell(c, "pid") < c->n)
		return false;
	for (size_t i = 0; i < gpu; i++)
		if (!slice_is(c->at[i], "Date") && !slice_is(c->at[i], "Time"))
			return false;
	for (size_t i = gpu + 1; i < c->n; i++)
		if (spelling_find(columns, c->at[i]))
			return true;
	return false;
}

static bool is_units(const struct cells *c)
{
	return find_cell(c, "Idx") <= 2 && find_cell(c, "Idx") < c->n;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	for (size_t i = 0; i < first_bytes.n;) {
		const char *end = memchr(first_bytes.p + i, '\n', first_bytes.n - i);
		size_t n = end ? (size_t)(end - first_bytes.p) - i : first_bytes.n - i;
		struct cells c;
		if (cut_head(&c, (struct slice){ first_bytes.p + i, n }) && is_names(&c))
			return (struct bid){ 90, "it has dmon's header: a '#', then gpu and names of its columns" };
		i += n + 1;
	}
	return (struct bid){ 0, NULL };
}

static void remember_unread(struct dmon *d, struct slice name)
{
	struct recording *rec = d->r->recording;

	for (size_t i = 0; i < rec->n_unread; i++)
		if (slice_is(name, rec->unread[i]))
			return;
	if (rec->n_unread < MAX_COLUMNS)
		d->unread[rec->n_unread++] = arena_text(d->r->mem, name.p, name.n);
}

/* False, already reported, when there can be no time in this log. */
static bool take_names(struct dmon *d)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const struct cells *c = &d->cells;

	d->has_head = true;
	d->n_heads = c->n;
	d->date = find_cell(c, "Date");
	d->time = find_cell(c, "Time");
	d->gpu = find_cell(c, "gpu");
	for (size_t i = 0; i < c->n; i++) {
		d->heads[i].spelling = spelling_find(columns, c->at[i]);
		if (d->heads[i].spelling)
			d->heads[i].unit = d->heads[i].spelling->unit;
		else if (i > d->gpu)
			remember_unread(d, c->at[i]);
	}
	if (d->time < d->n_heads) {
		d->had_time = true;
		return true;
	}
	return d->had_time || diag_at(d->r->diags, place, DIAG_NO_TIME, "dmon without times; log with nvidia-smi dmon -o DT");
}

static void take_units(struct dmon *d)
{
	if (d->cells.n != d->n_heads)
		return;
	for (size_t i = 0; i < d->n_heads; i++)
		if (d->heads[i].spelling)
			unit_find(d->cells.at[i], &d->heads[i].unit); /* unknown ("GPM:%"): the column's own stays */
}

/* "20261121" and "01:48:34", or the time alone. */
static bool stamp_of(struct dmon *d, time_ms *t)
{
	struct slice clock = d->cells.at[d->time];
	time_ms of_day;

	if (d->date < d->n_heads) {
		struct slice day = d->cells.at[d->date];
		char text[32];
		if (day.n != 8 || clock.n > 12)
			return false;
		int n = snprintf(text, sizeof text, "%.4s-%.2s-%.2s %.*s", day.p, day.p + 4, day.p + 6, SLICE(clock));
		return stamp_parse((struct slice){ text, (size_t)n }, t);
	}
	if (!clock_parse(clock, 0, &of_day))
		return false;
	if (d->day + of_day < d->last - 12 * HOUR_MS)
		d->day += DAY_MS;
	*t = d->last = d->day + of_day;
	d->r->recording->clock.date_unknown = true;
	return true;
}

/* False, already reported, when the row can't be used. */
static bool row_begins(struct dmon *d, time_ms *t, int64_t *index)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const struct cells *c = &d->cells;

	if (c->n != d->n_heads)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "%zu cells where the header has %zu; row not used", c->n,
			d->n_heads);
	if (d->time == d->n_heads)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "the header in force has no time; row not used");
	place.column = c->columns[d->gpu];
	if (!integer_parse(c->at[d->gpu], index) || *index >= 1 << 16)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(c->at[d->gpu]));
	place.column = c->columns[d->time];
	if (!stamp_of(d, t)) {
		struct slice day = d->date < d->n_heads ? c->at[d->date] : (struct slice){ "", 0 };
		return sheet_reject(d->sheet, place, DIAG_BAD_TIME,
			"'%.*s%s%.*s' is no time, expected like 20261121 01:48:34; row not used", SLICE(day), day.n ? " " : "",
			SLICE(c->at[d->time]));
	}
	return true;
}

static void take_row(struct dmon *d)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	int64_t index;
	time_ms t;

	if (!row_begins(d, &t, &index))
		return;
	size_t channel = sheet_channel(d->sheet, &(struct entity){ .scope = SCOPE_GPU, .host = "", .index = (int)index });
	if (channel == SIZE_MAX) {
		d->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(d->sheet, channel, t);
	for (size_t i = 0; i < d->n_heads; i++) {
		place.column = d->cells.columns[i];
		if (d->heads[i].spelling)
			sheet_cell(d->sheet, d->heads[i].spelling, d->heads[i].unit, d->cells.at[i], place);
	}
}

/* False when the file can't be used at all. */
static bool take_line(struct dmon *d, struct slice line)
{
	size_t *n_ignored = &d->r->recording->n_rows_ignored;

	if (!sheet_takes_line(d->sheet))
		return true;
	if (smi_is_message(line)) {
		smi_take_message(d->r, &d->messages, line);
		return true;
	}
	if (cut_head(&d->cells, line)) {
		(*n_ignored)++;
		if (is_names(&d->cells))
			return take_names(d);
		if (d->has_head && is_units(&d->cells))
			take_units(d);
		return true;
	}
	cut_cells(&d->cells, line);
	if (d->has_head && d->cells.n)
		take_row(d);
	else
		(*n_ignored)++; /* blank lines, and what a shell prints before the log begins */
	return true;
}

static bool read(struct reading *r)
{
	struct dmon *d = NEW(r->mem, struct dmon);
	struct slice line;
	bool good = true;

	d->r = r;
	d->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	r->recording->unread = d->unread;
	while (good && line_next(r->lines, &line))
		good = take_line(d, line);
	smi_keep_messages(r, &d->messages);
	return good ? sheet_finish(d->sheet) : sheet_drop(d->sheet);
}

static const char sample[] =
	"#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk     fb  rxpci  txpci \n"
	"#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %      %      %    MHz    MHz     MB   MB/s   MB/s \n"
	" 20261121    01:48:41       0    121     37     37      0      0      -      -   3201   1980    529     71     20 \n"
	" 20261121    01:48:42       0    639     47     41    100     15      -      -   3201   1755 113325      9     12 \n"
	" 20261121    01:48:43       0    688     50     43    100     16      -      -   3201   1470 113325      7     12 \n";

const struct format format_nvidia_smi_dmon = {
	.name = "nvidia-smi-dmon",
	.title = "nvidia-smi dmon -o DT [-s pucm] [--gpm-metrics N,…] [--format csv]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
