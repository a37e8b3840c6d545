/*
 * dcgmi_dmon.c - reads `dcgmi dmon -e FIELDS`, and the same fields as a list of readings.
 *
 *     #Entity   GRACT        SMACT        TENSO        DRAMA        POWER
 *     ID                                                            W
 *     GPU 0     0.998        0.951        0.885        0.305        688.210
 *
 *     GPUId,TimeStampUs,Field,Values
 *     0,1795230660270143,power_usage,688.21
 *     0,1795230660270143,clock_throttle_reasons,4
 *
 * The table has no time at all: each poll is a second after the one before, and --start and --step (dmon's -d) place
 * them; a poll ends when a GPU comes again. Its head comes again and again. Its columns have the short names of
 * DCGM's fields, the list has their long ones; both stand in dcgm_fields.cpp of DCGM. Rows of parts of a
 * GPU (GPU-I, GPU-CI), of switches and of CPUs are left out, because they are no GPUs.
 *
 * The shares of the profiling fields (1001 and up) are fractions of 1. GRACT, the share of time in which the
 * graphics or compute engine was active, is near GPU busy but not the same, and is not read as it. GPUTL and
 * MCUTL are the utilization that nvidia-smi gives, in percent. PCITX and PCIRX count bytes a second, as the
 * GPU sees it.
 *
 * TOTEC counts millijoules since the driver was loaded.
 *
 * In the list each reading has its own time, in microseconds since 1970, UTC; fields of one GPU are read
 * moments apart. What is read between two readings of the same field becomes one row, at the time of its first.
 */
#include "format/polls.h"
#include "format/sheet.h"

#include <stdlib.h>

#define MAX_COLUMNS ((size_t)128) /* DCGM lets one watch 128 fields at once */
#define MAX_VALUE_BYTES ((size_t)64)

static const struct spelling columns[] = {
	{ "GPUTL", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "gpu_utilization", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "MCUTL", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "mem_copy_utilization", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "ECUTL", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "enc_utilization", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "DCUTL", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "dec_utilization", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "FBUSD", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "fb_used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "FBTTL", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "fb_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "POWER", METRIC_GPU_POWER, UNIT_WATT },
	{ "power_usage", METRIC_GPU_POWER, UNIT_WATT },
	{ "POWINST", METRIC_GPU_POWER, UNIT_WATT },
	{ "power_usage_instant", METRIC_GPU_POWER, UNIT_WATT },
	{ "TOTEC", METRIC_GPU_ENERGY, UNIT_MILLIJOULE },
	{ "total_energy_consumption", METRIC_GPU_ENERGY, UNIT_MILLIJOULE },
	{ "pcie_replay_counter", METRIC_GPU_PCIE_REPLAYS, UNIT_NUMBER },
	{ "ESVTL", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc_sbe_volatile_total", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "EDVTL", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_dbe_volatile_total", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "PMLMT", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power_management_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "TMPTR", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "gpu_temp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "MMTMP", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "memory_temp", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "SMCLK", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "sm_clock", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "MMCLK", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "memory_clock", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "clock_throttle_reasons", METRIC_GPU_THROTTLE, UNIT_BITS },
	{ "current_clock_throttle_reasons", METRIC_GPU_THROTTLE, UNIT_BITS },
	{ "SMACT", METRIC_GPU_SM_ACTIVE, UNIT_PERCENT },
	{ "sm_active", METRIC_GPU_SM_ACTIVE, UNIT_PERCENT },
	{ "SMOCC", METRIC_GPU_SM_OCCUPANCY, UNIT_PERCENT },
	{ "sm_occupancy", METRIC_GPU_SM_OCCUPANCY, UNIT_PERCENT },
	{ "TENSO", METRIC_GPU_TENSOR_ACTIVE, UNIT_PERCENT },
	{ "tensor_active", METRIC_GPU_TENSOR_ACTIVE, UNIT_PERCENT },
	{ "DRAMA", METRIC_GPU_DRAM_ACTIVE, UNIT_PERCENT },
	{ "dram_active", METRIC_GPU_DRAM_ACTIVE, UNIT_PERCENT },
	{ "FP16A", METRIC_GPU_FP16_ACTIVE, UNIT_PERCENT },
	{ "fp16_active", METRIC_GPU_FP16_ACTIVE, UNIT_PERCENT },
	{ "PCITX", METRIC_GPU_PCIE_TX, UNIT_BYTE_S },
	{ "pcie_tx_bytes", METRIC_GPU_PCIE_TX, UNIT_BYTE_S },
	{ "PCIRX", METRIC_GPU_PCIE_RX, UNIT_BYTE_S },
	{ "pcie_rx_bytes", METRIC_GPU_PCIE_RX, UNIT_BYTE_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

/* The numbers are DCGM_INT64_BLANK and its kin, and DCGM_FP64_BLANK, as a program prints them that does not know them. */
static const struct absence_word absences[] = {
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "-", ABSENT_UNSUPPORTED },
	{ "9223372036854775792", ABSENT_EMPTY },
	{ "9223372036854775793", ABSENT_UNSUPPORTED },
	{ "9223372036854775794", ABSENT_UNSUPPORTED },
	{ "9223372036854775795", ABSENT_PERMISSION },
	{ "140737488355328.0", ABSENT_EMPTY },
	{ NULL, ABSENT_EMPTY },
};

struct sample_of { /* one line of the list */
	int gpu;
	int64_t line;
	time_ms t;
	size_t order; /* in the file */
	const struct spelling *field;
	const char *text;
};

struct dcgm {
	struct reading *r;
	struct sheet *sheet;
	const struct spelling *heads[MAX_COLUMNS]; /* NULL: not read */
	size_t n_heads;                            /* behind the entity; 0: no head was seen yet */
	struct polls polls;
	const struct spelling *chosen[N_METRICS]; /* of the list: a second field for the same metric is not read */
	struct sample_of *samples;
	size_t n_samples, room;
};

static bool is_fraction(enum metric metric)
{
	return metric == METRIC_GPU_SM_ACTIVE || metric == METRIC_GPU_SM_OCCUPANCY || metric == METRIC_GPU_TENSOR_ACTIVE ||
	       metric == METRIC_GPU_DRAM_ACTIVE || metric == METRIC_GPU_FP16_ACTIVE;
}

#define LEAST_BLANK_DIGITS ((size_t)15) /* of the numbers that stand for no value */

static const struct absence_word *absence_of(struct slice cell)
{
	if (cell.n && cell.n < LEAST_BLANK_DIGITS && is_digit(cell.p[0])) /* most cells */
		return NULL;
	for (const struct absence_word *word = absences; word->word; word++)
		if (slice_is(cell, word->word))
			return word;
	return NULL;
}

static int digits_behind_point(struct slice cell)
{
	const char *point = memchr(cell.p, '.', cell.n);

	return point ? (int)(cell.p + cell.n - point) - 1 : 0;
}

/* "0.885" is 88.5 %. False: neither a fraction of 1 nor impossible; sheet_cell() finds words for it. */
static bool put_fraction(struct dcgm *d, const struct spelling *field, struct slice cell, struct place place)
{
	struct slice rest;
	fixed value;

	if (!cell.n || !fixed_parse(cell, &value, &rest) || rest.n)
		return false;
	const int decimals = digits_behind_point(cell) - 2;
	if (value >= 0 && value <= FIXED_ONE) {
		sheet_put(d->sheet, field->metric, value * 100, decimals < 0 ? 0 : decimals > 4 ? 4 : decimals);
		return true;
	}
	diag_repeat(d->r->diags, place, DIAG_OUT_OF_RANGE, field->head, "'%.*s' in %s is impossible; treated as missing", SLICE(cell),
		field->head);
	sheet_absent(d->sheet, field->metric, ABSENT_OUT_OF_RANGE);
	return true;
}

/* The mask of reasons, which DCGM prints as a decimal number. */
static bool put_mask(struct dcgm *d, const struct spelling *field, struct slice cell)
{
	int64_t mask;

	if (!integer_parse(cell, &mask) || mask > 0xFFFF)
		return false;
	sheet_put(d->sheet, field->metric, mask * FIXED_ONE, 0);
	return true;
}

static void take_cell(struct dcgm *d, const struct spelling *field, struct slice cell, struct place place)
{
	const struct absence_word *absence = absence_of(cell);

	if (absence)
		sheet_absent(d->sheet, field->metric, absence->reason);
	else if (!(is_fraction(field->metric) && put_fraction(d, field, cell, place)) &&
		 !(field->unit == UNIT_BITS && put_mask(d, field, cell)))
		sheet_cell(d->sheet, field, field->unit, cell, place);
}

static size_t open_row(struct dcgm *d, int gpu, time_ms t)
{
	const size_t channel = sheet_channel(d->sheet, &(struct entity){ .scope = SCOPE_GPU, .host = "", .index = gpu });

	if (channel != SIZE_MAX)
		sheet_row(d->sheet, channel, t);
	return channel;
}

/* "#Entity" or, before 3.0, "# Entity", off the front. */
static bool take_entity_head(struct slice *line)
{
	*line = slice_trim(*line);
	if (!line->n || line->p[0] != '#')
		return false;
	*line = (struct slice){ line->p + 1, line->n - 1 };
	return slice_is(slice_word(line), "Entity");
}

static bool is_table_head(struct slice line)
{
	if (!take_entity_head(&line))
		return false;
	for (struct slice word = slice_word(&line); word.n; word = slice_word(&line))
		if (spelling_find(columns, word))
			return true;
	return false;
}

static bool has_metric(const struct dcgm *d, enum metric metric)
{
	for (size_t i = 0; i < d->n_heads; i++)
		if (d->heads[i] && d->heads[i]->metric == metric)
			return true;
	return false;
}

static void take_table_head(struct dcgm *d, struct slice line)
{
	take_entity_head(&line);
	d->n_heads = 0;
	for (struct slice word = slice_word(&line); word.n && d->n_heads < MAX_COLUMNS; word = slice_word(&line)) {
		const struct spelling *field = spelling_find(columns, word);
		if (field && has_metric(d, field->metric)) /* POWINST beside POWER: the first is taken */
			field = NULL;
		if (!field)
			reading_remember_unread(d->r, word, MAX_COLUMNS);
		d->heads[d->n_heads++] = field;
	}
}

static void take_table_row(struct dcgm *d, struct slice line)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	struct slice rest = line, entity = slice_word(&rest), number = slice_word(&rest);
	int64_t index;

	if (!slice_is(entity, "GPU")) {
		d->r->recording->n_rows_ignored++; /* "ID" and units; GPU-I, Switch, CPU; what a shell prints */
		return;
	}
	if (!integer_parse(number, &index) || index >= POLLS_MAX_INDEX) {
		sheet_reject(d->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(number));
		return;
	}
	const time_ms t = polls_time(&d->polls, d->r->scratch, index);
	if (slice_count_words(rest) != d->n_heads) {
		sheet_reject_cells(d->sheet, place, slice_count_words(rest), d->n_heads);
		return;
	}
	if (open_row(d, (int)index, t) == SIZE_MAX) {
		d->r->recording->n_rows_bad++;
		return;
	}
	for (size_t i = 0; i < d->n_heads; i++) {
		const struct slice cell = slice_word(&rest);
		place.column = (int)(cell.p - line.p) + 1;
		if (d->heads[i])
			take_cell(d, d->heads[i], cell, place);
	}
}

static bool read_table(struct dcgm *d)
{
	struct slice line;

	d->r->recording->clock.basis = BASIS_LOCAL;
	d->r->recording->clock.time_unknown = true;
	while (line_next(d->r->lines, &line)) {
		if (!sheet_takes_line(d->sheet))
			continue;
		if (is_table_head(line)) {
			take_table_head(d, line);
			d->r->recording->n_rows_ignored++;
		} else if (d->n_heads) {
			take_table_row(d, line);
		} else {
			d->r->recording->n_rows_ignored++;
		}
	}
	return sheet_finish(d->sheet);
}

#define N_CELLS 4 /* GPU, time, field, value */

static bool cut_list(struct slice line, struct slice cells[N_CELLS])
{
	size_t n = 0;

	for (;; n++) {
		const char *end = line.n ? memchr(line.p, ',', line.n) : NULL;
		const size_t length = end ? (size_t)(end - line.p) : line.n;
		if (n == N_CELLS)
			return false;
		cells[n] = slice_trim((struct slice){ line.p, length });
		if (!end)
			return n == N_CELLS - 1;
		line = (struct slice){ end + 1, line.n - length - 1 };
	}
}

static bool is_list_head(struct slice line)
{
	struct slice cells[N_CELLS];

	return cut_list(line, cells) && slice_is(cells[0], "GPUId") && slice_is(cells[1], "TimeStampUs") && slice_is(cells[2], "Field");
}

/* Microseconds since 1970, of the years that calendar.h takes for possible. */
static bool micros_parse(struct slice cell, time_ms *t)
{
	int64_t micros;

	if (!integer_parse(cell, &micros))
		return false;
	*t = micros / 1000;
	return civil_is_valid(civil_from_time(*t).year, 1, 1);
}

static const struct spelling *field_of(struct dcgm *d, struct slice name)
{
	const struct spelling *field = spelling_find(columns, name);

	if (field && !d->chosen[field->metric])
		d->chosen[field->metric] = field;
	return field && d->chosen[field->metric] == field ? field : NULL;
}

static void take_list_line(struct dcgm *d, struct slice line)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	struct slice cells[N_CELLS];
	int64_t index;
	time_ms t;

	if (!slice_trim(line).n || is_list_head(line)) {
		d->r->recording->n_rows_ignored++;
	} else if (!cut_list(line, cells) || cells[N_CELLS - 1].n > MAX_VALUE_BYTES) {
		sheet_reject(d->sheet, place, DIAG_BAD_ROW, "not a GPU, a time, a field and its value; not used");
	} else if (!integer_parse(cells[0], &index) || index >= POLLS_MAX_INDEX) {
		sheet_reject(d->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(cells[0]));
	} else if (!micros_parse(cells[1], &t)) {
		sheet_reject(d->sheet, place, DIAG_BAD_TIME, "'%.*s' is no time, expected microseconds since 1970; row not used",
			SLICE(cells[1]));
	} else if (d->n_samples == MAX_READINGS) {
		sheet_reject(d->sheet, place, DIAG_LIMIT, "more than %d readings; not used", MAX_READINGS);
	} else {
		const struct spelling *field = field_of(d, cells[2]);
		if (!field) {
			reading_remember_unread(d->r, cells[2], MAX_COLUMNS);
			d->r->recording->n_rows_ignored++;
			return;
		}
		d->samples = grow(d->samples, &d->room, d->n_samples + 1, sizeof *d->samples);
		d->samples[d->n_samples] = (struct sample_of){ (int)index, place.line, t, d->n_samples, field,
			arena_text(d->r->mem, cells[3].p, cells[3].n) };
		d->n_samples++;
	}
}

static int by_gpu_and_time(const void *a, const void *b)
{
	const struct sample_of *x = a, *y = b;

	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* How many samples from here on are one row: until a field comes again, or another GPU. */
static size_t row_length(const struct sample_of *s, size_t n)
{
	bool seen[N_METRICS] = { false };
	size_t i = 0;

	for (; i < n && s[i].gpu == s[0].gpu && !seen[s[i].field->metric]; i++)
		seen[s[i].field->metric] = true;
	return i;
}

static void put_samples(struct dcgm *d)
{
	for (size_t i = 0, n; i < d->n_samples; i += n) {
		const struct sample_of *s = d->samples + i;
		n = row_length(s, d->n_samples - i);
		if (open_row(d, s->gpu, s->t) == SIZE_MAX) {
			d->r->recording->n_rows_bad += n;
			continue;
		}
		d->r->recording->n_rows_ignored += n - 1; /* they are in the row that the first has opened */
		for (size_t k = 0; k < n; k++)
			take_cell(d, s[k].field, slice_of(s[k].text), (struct place){ d->r->lines->path, s[k].line, 0 });
	}
}

static bool read_list(struct dcgm *d)
{
	struct clock_note *clock = &d->r->recording->clock;
	struct slice line;

	clock->basis = BASIS_OFFSET;
	clock->zone = "UTC";
	while (line_next(d->r->lines, &line))
		if (sheet_takes_line(d->sheet))
			take_list_line(d, line);
	if (d->n_samples)
		qsort(d->samples, d->n_samples, sizeof *d->samples, by_gpu_and_time);
	put_samples(d);
	grow_free(d->samples);
	return sheet_finish(d->sheet);
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (first_bytes.n && slice_starts(first_bytes, "GPUId,") && is_list_head(slice_line(&first_bytes)))
		return (struct bid){ 90, "it is a list of readings of DCGM's fields" };
	while (first_bytes.n)
		if (is_table_head(slice_line(&first_bytes)))
			return (struct bid){ 90, "it has dcgmi's header: #Entity and short names of DCGM's fields" };
	return (struct bid){ 0, NULL };
}

static bool read(struct reading *r)
{
	struct dcgm *d = NEW(r->scratch, struct dcgm);

	d->r = r;
	d->sheet = sheet_new(r);
	return slice_starts(lines_peek(r->lines), "GPUId,") ? read_list(d) : read_table(d);
}

static const char sample[] =
	"#Entity   GPUTL        POWER        SMACT        TENSO        DRAMA        \n"
	"ID                     W                                                   \n"
	"GPU 0     0            76.210       0.000        0.000        0.000        \n"
	"GPU 0     100          612.480      0.951        0.885        0.305        \n"
	"GPU 0     100          688.020      0.957        0.886        0.302        \n";

const struct format format_dcgmi_dmon = {
	.name = "dcgmi-dmon",
	.title = "dcgmi dmon -e FIELDS; lists headed GPUId,TimeStampUs,Field,Values",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
