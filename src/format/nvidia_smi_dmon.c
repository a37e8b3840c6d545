/*
 * nvidia_smi_dmon.c - reads `nvidia-smi dmon [-o D|T|DT] [-s pucm…] [--gpm-metrics N,…] [--format csv[,nounit]]`.
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
 * `temp` stood for `gtemp`. A GPU has only its index. `noheader` leaves out all names; what the columns
 * are can't be known then, and such a log is refused.
 *
 * Without -o, or with -o D, there is no time: each poll is a second after the one before, and --start says
 * when the log began. A poll ends when a GPU comes again.
 *
 * sm and mem are the readings that a query calls utilization.gpu and utilization.memory. The columns of
 * --gpm-metrics (unit "GPM:%") tell how much of the chip works. sbecc, dbecc (memory errors) and pci (replays) count from
 * a beginning of their own, which does not matter for what they grow by. pviol and tviol (shares of time held back)
 * are not read. '-' is "this GPU or mode does not report it".
 */
#include "format/nvidia_smi.h"
#include "format/nvidia_smi_mon.h"
#include "format/polls.h"

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
	{ "sbecc", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "dbecc", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "pci", METRIC_GPU_PCIE_REPLAYS, UNIT_NUMBER },
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

struct head { /* one column of the head in force */
	const struct spelling *spelling; /* NULL: not read */
	enum unit unit;
	enum unit named; /* by the second line of the head */
};

struct head_line { /* as it was written, since it comes again every 44 rows */
	char text[1024];
	size_t n; /* 0: none, or too long to keep */
};

struct dmon {
	struct reading *r;
	struct sheet *sheet;
	struct mon_cells cells;
	struct mon_clock clock;
	struct head heads[MON_MAX_CELLS];
	size_t read[MON_MAX_CELLS], n_read; /* places of the columns that are read */
	size_t gpu;         /* the place of this column */
	bool has_head;
	struct polls polls; /* for logs without time */
	struct head_line names, units; /* the head in force */
	struct smi_messages messages;
};

/* pmon has the same look, but a row for each process. */
static bool is_names(const struct mon_cells *c)
{
	if (!mon_is_names(c) || mon_find(c, "pid") < c->n)
		return false;
	for (size_t i = mon_find(c, "gpu") + 1; i < c->n; i++)
		if (spelling_find(columns, c->at[i]))
			return true;
	return false;
}

/* " 20261121, 01:48:34, 0, 76, ...": what --format csv,noheader leaves, and nobody else writes. */
static bool is_headless_row(struct slice line)
{
	struct mon_cells c;
	int64_t number;
	time_ms of_day;

	mon_cut(&c, line);
	if (c.n < 5 || c.at[0].n != 8 || !integer_parse(c.at[0], &number) || !slice_has(line, ",") || c.at[1].n != 8 ||
		!clock_parse(c.at[1], 0, &of_day))
		return false;
	for (size_t i = 2; i < c.n; i++)
		if (!slice_is(c.at[i], "-") && !integer_parse(c.at[i], &number))
			return false;
	return true;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct slice rest = first_bytes;
	struct mon_cells c;

	(void)scratch;
	while (rest.n)
		if (mon_cut_head(&c, slice_line(&rest)) && is_names(&c))
			return (struct bid){ 90, "it has dmon's header: a '#', then gpu and names of its columns" };
	if (first_bytes.n && is_headless_row(slice_line(&first_bytes)))
		return (struct bid){ 60, "its rows look like dmon's csv without header" };
	return (struct bid){ 0, NULL };
}

static void take_names(struct dmon *d)
{
	const struct mon_cells *c = &d->cells;

	d->has_head = true;
	mon_take_names(&d->clock, c);
	d->gpu = mon_find(c, "gpu");
	d->n_read = 0;
	for (size_t i = 0; i < c->n; i++) {
		d->heads[i].spelling = spelling_find(columns, c->at[i]);
		if (d->heads[i].spelling) {
			d->heads[i].unit = d->heads[i].spelling->unit;
			d->read[d->n_read++] = i;
		} else if (i > d->gpu) {
			reading_remember_unread(d->r, c->at[i], MON_MAX_CELLS);
		}
	}
}

static void take_units(struct dmon *d)
{
	for (size_t i = 0; i < d->cells.n; i++) {
		if (d->heads[i].spelling)
			unit_find(d->cells.at[i], &d->heads[i].unit); /* unknown ("GPM:%"): the column's own stays */
		d->heads[i].named = d->heads[i].unit;
	}
}

/* False, already reported, when the row can't be used. A poll has passed all the same if it names a GPU. */
static bool row_begins(struct dmon *d, time_ms *t, int64_t *index)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const struct mon_cells *c = &d->cells;
	const bool named = c->n > d->gpu && integer_parse(c->at[d->gpu], index) && *index < POLLS_MAX_INDEX;

	mon_take_row(&d->clock, d->r);
	if (named && d->clock.timeless)
		*t = polls_time(&d->polls, d->r->scratch, *index);
	if (c->n != d->clock.n_heads)
		return sheet_reject_cells(d->sheet, place, c->n, d->clock.n_heads);
	place.column = mon_column(c, d->gpu);
	if (!named)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(c->at[d->gpu]));
	return mon_stamp(&d->clock, d->r, c, t);
}

static void take_row(struct dmon *d)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	int64_t index;
	time_ms t = TIME_UNKNOWN;

	if (!row_begins(d, &t, &index))
		return;
	size_t channel = sheet_channel(d->sheet, &(struct entity){ .scope = SCOPE_GPU, .host = "", .index = (int)index });
	if (channel == SIZE_MAX) {
		d->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(d->sheet, channel, t);
	for (size_t k = 0; k < d->n_read; k++) {
		const size_t i = d->read[k];
		const struct head *const head = &d->heads[i];
		if (sheet_cell_plain(d->sheet, head->spelling->metric, head->unit, d->cells.at[i]))
			continue;
		place.column = mon_column(&d->cells, i);
		sheet_cell(d->sheet, head->spelling, head->unit, d->cells.at[i], place);
	}
}

static void keep_line(struct head_line *kept, struct slice line)
{
	kept->n = line.n <= sizeof kept->text ? line.n : 0;
	memcpy(kept->text, line.p, kept->n);
}

static void take_head(struct dmon *d, struct slice line)
{
	d->r->recording->n_rows_ignored++;
	if (is_names(&d->cells)) {
		take_names(d);
		keep_line(&d->names, line);
		d->units.n = 0;
	} else if (d->has_head && mon_is_units(&d->cells) && d->cells.n == d->clock.n_heads) {
		take_units(d);
		keep_line(&d->units, line);
	}
}

/* The same lines again mean the same: with the names each column has its own unit again, until the units come. */
static bool is_head_again(struct dmon *d, struct slice line)
{
	const bool is_names_again = slice_same(line, (struct slice){ d->names.text, d->names.n });
	const bool is_units_again = slice_same(line, (struct slice){ d->units.text, d->units.n });

	if (!line.n || (!is_names_again && !is_units_again))
		return false;
	d->r->recording->n_rows_ignored++;
	for (size_t i = 0; i < d->clock.n_heads; i++)
		if (d->heads[i].spelling)
			d->heads[i].unit = is_units_again ? d->heads[i].named : d->heads[i].spelling->unit;
	return true;
}

static void take_line(struct dmon *d, struct slice line)
{
	if (!sheet_takes_line(d->sheet))
		return;
	if (smi_is_message(line)) {
		smi_take_message(d->r, &d->messages, line);
		return;
	}
	if (is_head_again(d, line))
		return;
	if (mon_cut_head(&d->cells, line)) {
		take_head(d, line);
		return;
	}
	mon_cut(&d->cells, line);
	if (d->has_head && d->cells.n)
		take_row(d);
	else
		d->r->recording->n_rows_ignored++; /* blank lines, and what a shell prints before the log begins */
}

static bool refuse_headless(struct dmon *d)
{
	return diag_at(d->r->diags, (struct place){ d->r->lines->path, 1, 0 }, DIAG_NOT_A_LOG,
		"dmon's csv without header (noheader): what its columns are can't be known; put the header of the same command "
		"on top, a line like '#Date, Time, gpu, pwr, gtemp, mtemp, sm, mem', or log without noheader");
}

static bool read(struct reading *r)
{
	struct dmon *d = NEW(r->scratch, struct dmon);
	struct slice line;

	d->r = r;
	d->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(d, line);
	smi_keep_messages(r, &d->messages);
	if (d->has_head)
		return sheet_finish(d->sheet);
	refuse_headless(d);
	return sheet_drop(d->sheet);
}

static const char sample[] =
	"#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk     fb  rxpci  txpci \n"
	"#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %      %      %    MHz    MHz     MB   MB/s   MB/s \n"
	" 20261121    01:48:41       0    121     37     37      0      0      -      -   3201   1980    529     71     20 \n"
	" 20261121    01:48:42       0    639     47     41    100     15      -      -   3201   1755 113325      9     12 \n"
	" 20261121    01:48:43       0    688     50     43    100     16      -      -   3201   1470 113325      7     12 \n";

const struct format format_nvidia_smi_dmon = {
	.name = "nvidia-smi-dmon",
	.title = "nvidia-smi dmon [-o DT] [-s pucm] [--gpm-metrics N,…] [--format csv]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
