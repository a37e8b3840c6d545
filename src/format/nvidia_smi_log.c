/* nvidia_smi_log.c - the values of a GPU's block, gathered and then put into one row. */
#include "format/nvidia_smi_log.h"

#include "format/date_line.h"
#include "metric/identity.h"

#include <inttypes.h>
#include <stdio.h>

const struct absence_word smi_log_absences[] = {
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "Not Supported", ABSENT_UNSUPPORTED },
	{ "Not Found", ABSENT_UNSUPPORTED },
	{ "Function Not Found", ABSENT_UNSUPPORTED },
	{ "Requested functionality has been deprecated", ABSENT_DEPRECATED },
	{ "Unknown Error", ABSENT_ERROR },
	{ "Unknown", ABSENT_ERROR },
	{ "Timeout", ABSENT_ERROR },
	{ "ERR!", ABSENT_ERROR },
	{ "GPU is lost", ABSENT_LOST },
	{ "GPU requires reset", ABSENT_LOST },
	{ "Insufficient Permissions", ABSENT_PERMISSION },
	{ NULL, ABSENT_EMPTY },
};

void smi_log_init(struct smi_log *log, struct reading *r)
{
	log->r = r;
	log->t = TIME_UNKNOWN;
	log->n_attached = -1;
	smi_polls_init(&log->polls, r, "no time stands above this GPU; not used");
}

void smi_log_begin(struct smi_log *log)
{
	log->in_gpu = false;
	log->needs_poll = true;
	log->t = TIME_UNKNOWN;
	log->n_attached = -1;
	log->n_seen = 0;
}

void smi_log_time(struct smi_log *log, struct slice text, struct place place)
{
	struct slice zone;

	if (!date_line_parse(text, &log->t, &zone)) {
		log->t = TIME_UNKNOWN;
		diag_repeat(log->r->diags, place, DIAG_BAD_TIME, "Timestamp", "'%.*s' is no time, expected like Sat Nov 21 01:48:34 2026",
			SLICE(text));
	}
}

void smi_log_driver(struct smi_log *log, struct slice text)
{
	struct slice version = slice_word(&text); /* 610 says behind it that this key will go */

	if (!log->r->recording->tool && version.n && version.n < SMI_VALUE_BYTES)
		log->r->recording->tool = arena_print(log->r->mem, "driver %.*s", SLICE(version));
}

void smi_log_attached(struct smi_log *log, struct slice text)
{
	if (!integer_parse(text, &log->n_attached))
		log->n_attached = -1;
}

void smi_log_gpu(struct smi_log *log, struct slice bus_id, struct place place)
{
	if (log->needs_poll)
		smi_poll_begin(&log->polls, log->t);
	log->needs_poll = false;
	log->gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = -1, .bus_id = bus_id_normal(log->r->mem, bus_id) };
	log->in_gpu = true;
	log->place = place;
	memset(log->values, 0, sizeof log->values);
}

static bool is_missing(struct slice text)
{
	const struct absence_word *word = smi_log_absences;

	while (word->word && !slice_is_nocase(text, word->word))
		word++;
	return word->word || !text.n;
}

/* "GPU-00000000-0000-0000-0000-000000000000": somebody masked it, and would make one of all GPUs. */
static bool is_masked(struct slice uuid)
{
	size_t n = 4;

	while (n < uuid.n && (uuid.p[n] == '0' || uuid.p[n] == '-'))
		n++;
	return n >= uuid.n;
}

void smi_log_uuid(struct smi_log *log, struct slice text)
{
	text = slice_trim(text);
	if (slice_starts(text, "GPU-") && text.n < SMI_VALUE_BYTES && !is_masked(text))
		log->gpu.uuid = arena_text(log->r->mem, text.p, text.n);
}

void smi_log_name(struct smi_log *log, struct slice text)
{
	text = slice_trim(text);
	if (!is_missing(text) && text.n < SMI_VALUE_BYTES && slice_is_utf8(text))
		log->gpu.name = arena_text(log->r->mem, text.p, text.n);
}

/* "16x" lanes are 16; what stands in brackets behind a value is a remark on it. */
static struct slice bare(const struct spelling *column, struct slice text)
{
	text = slice_trim(text);
	const char *remark = text.n ? memchr(text.p + 1, '[', text.n - 1) : NULL;
	if (remark)
		text = slice_trim((struct slice){ text.p, (size_t)(remark - text.p) });
	if ((column->metric == METRIC_GPU_PCIE_WIDTH || column->metric == METRIC_GPU_PCIE_WIDTH_MAX) && text.n > 1 &&
		text.p[text.n - 1] == 'x')
		text.n--;
	return text;
}

static void keep(struct smi_value *v, const struct spelling *column, struct slice text, struct place place)
{
	v->spelling = column;
	v->place = place;
	v->n = text.n;
	v->is_known = !is_missing(text);
	memcpy(v->text, text.p, text.n);
}

/* Parts of a total, of which the log has no line: "SRAM Correctable" and "DRAM Correctable". */
static bool is_part(const struct spelling *column)
{
	const struct slice head = slice_of(column->head);

	return (column->metric == METRIC_GPU_ECC_CORRECTED || column->metric == METRIC_GPU_ECC_UNCORRECTED) &&
	       !slice_is_nocase((struct slice){ head.p + head.n - 5, 5 }, "total");
}

static void add(struct smi_value *v, const struct spelling *column, struct slice text)
{
	int64_t sum, more;

	if (!integer_parse((struct slice){ v->text, v->n }, &sum) || !integer_parse(text, &more) || more > INT64_MAX - sum)
		return;
	v->spelling = column;
	v->n = (size_t)snprintf(v->text, sizeof v->text, "%" PRId64, sum + more);
}

static const struct spelling *column_of(const struct smi_log *log, struct slice path)
{
	const struct spelling *column = log->r->recording->format->columns;

	while (column->head && !slice_is_nocase(path, column->head)) /* "Gpu" became "GPU" between drivers */
		column++;
	return column->head ? column : NULL;
}

void smi_log_value(struct smi_log *log, struct slice path, struct slice text, struct place place)
{
	const struct spelling *column = log->in_gpu ? column_of(log, path) : NULL;

	if (!column)
		return;
	text = bare(column, text);
	if (text.n > SMI_VALUE_BYTES)
		text.n = SMI_VALUE_BYTES;
	struct smi_value *v = &log->values[column->metric];
	const bool is_known = !is_missing(text);
	if (v->is_known && is_known && is_part(column) && is_part(v->spelling))
		add(v, column, text);
	else if (!v->spelling || is_known > v->is_known || (is_known == v->is_known && column < v->spelling))
		keep(v, column, text, place);
}

static bool says_lost(const struct smi_value *v)
{
	const struct slice text = { v->text, v->n };

	return slice_is_nocase(text, "GPU is lost") || slice_is_nocase(text, "GPU requires reset");
}

void smi_log_gpu_end(struct smi_log *log)
{
	const struct smi_value *lost = NULL;
	size_t channel;

	if (!log->in_gpu)
		return;
	log->in_gpu = false;
	if (!log->gpu.bus_id && !log->gpu.uuid) {
		sheet_reject(log->polls.sheet, log->place, DIAG_BAD_ROW, "the block names no GPU; not used");
		return;
	}
	channel = smi_poll_row(&log->polls, &log->gpu, log->place);
	if (channel == SIZE_MAX)
		return;
	for (size_t m = 0; m < N_METRICS; m++) {
		const struct smi_value *v = &log->values[m];
		if (!v->spelling)
			continue;
		sheet_cell(log->polls.sheet, v->spelling, v->spelling->unit, (struct slice){ v->text, v->n }, v->place);
		lost = says_lost(v) ? v : lost;
	}
	smi_poll_lost(&log->polls, channel, &log->gpu, lost != NULL, lost ? (struct slice){ lost->text, lost->n } : slice_of(""));
	if (log->n_seen < SMI_MOST_GPUS)
		log->seen[log->n_seen] = log->gpu;
	log->n_seen++;
}

void smi_log_end(struct smi_log *log)
{
	if (log->n_attached != (int64_t)log->n_seen || log->n_seen > SMI_MOST_GPUS)
		return;
	for (size_t i = 0; i < log->n_seen; i++) {
		log->seen[i].index = (int)i;
		sheet_channel(log->polls.sheet, &log->seen[i]); /* learns the number */
	}
}

bool smi_log_finish(struct smi_log *log, bool good)
{
	return smi_polls_finish(&log->polls, good);
}
