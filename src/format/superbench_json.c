/*
 * superbench_json.c - reads what the monitor of SuperBench wrote: monitor.jsonl, a line a poll.
 *
 *     {"time": "2026-11-21 01:48:34", "cpu_usage": 356.055275, "gpu_usage:0": 56, "gpu_usage:1": 51,
 *      "gpu_temperature:0": 26, "gpu_power_limit:0": 250, "gpu_mem_used:0": 267517952, "gpu_mem_total:0": 17071734784,
 *      "gpu_corrected_ecc:0": 0, "gpu_uncorrected_ecc:0": 0, "eth0_receive_bw": 7.09e-05, "eth0_transmit_bw": 0.0, …}
 *
 * What its source says of the numbers: cpu_usage is user time of the watched container, in percent of one core
 * (system time was meant to be in it, and is not), mean over a short stretch before each line; memory is in bytes,
 * power in watts, bandwidth in MiB a second, ECC errors since the driver was loaded. Time is local, without a zone; later
 * releases write none at all. Interfaces are summed without `lo`; remapped rows have no metric.
 */
#include "format/json_log.h"

enum { PATH_POLL };

static const char *const paths[] = { [PATH_POLL] = "", NULL };

/* Of GPUs, before ':' and the index; then of the host. */
static const struct spelling columns[] = {
	{ "gpu_usage", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "gpu_temperature", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "gpu_power_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "gpu_mem_used", METRIC_GPU_MEM_USED, UNIT_BYTE },
	{ "gpu_mem_total", METRIC_GPU_MEM_TOTAL, UNIT_BYTE },
	{ "gpu_corrected_ecc", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "gpu_uncorrected_ecc", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "cpu_usage", METRIC_HOST_PROC_CPU, UNIT_PERCENT },
	{ "_receive_bw", METRIC_HOST_NET_RX, UNIT_MIB_S },
	{ "_transmit_bw", METRIC_HOST_NET_TX, UNIT_MIB_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "null", ABSENT_ERROR },
	{ NULL, ABSENT_EMPTY },
};

struct monitor {
	struct json_log log;
	size_t n_polls;
};

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	static const char *const keys[] = { "\"gpu_usage:0\"", "\"gpu_temperature:0\"", "\"gpu_power_limit:0\"", NULL };

	(void)scratch;
	return json_log_has(first_bytes, keys) ? (struct bid){ 95, "it has the names of SuperBench's monitor" }
					       : (struct bid){ 0, NULL };
}

/* "gpu_usage:3" */
static const struct spelling *gpu_column(struct slice key, int *index)
{
	const char *colon = key.n ? memchr(key.p, ':', key.n) : NULL;
	int64_t number;

	if (!colon || !integer_parse((struct slice){ colon + 1, (size_t)(key.p + key.n - colon) - 1 }, &number) || number >= 1 << 16)
		return NULL;
	*index = (int)number;
	return spelling_find(columns, (struct slice){ key.p, (size_t)(colon - key.p) });
}

static void take_gpus(struct monitor *m, const struct json *poll, time_ms t)
{
	for (const struct json *value = poll->first; value; value = value->next) {
		int index;
		const struct spelling *column = gpu_column(value->key, &index);
		if (!column || metric_table[column->metric].scope != SCOPE_GPU)
			continue;
		const struct entity gpu = { .scope = SCOPE_GPU, .host = "", .index = index };
		const size_t channel = sheet_channel(m->log.sheet, &gpu);
		if (channel == SIZE_MAX)
			return;
		sheet_row_at(m->log.sheet, channel, t);
		json_log_cell(&m->log, column, value);
	}
}

/* Over all interfaces but loopback; not known where one of them is not. */
static void put_traffic(struct monitor *m, const struct json *poll, enum metric metric, const char *end)
{
	const fixed most = INT64_MAX / 2048; /* in KiB it is 1,024 times as much */
	fixed sum = 0, one;
	bool any = false, known = true;

	for (const struct json *value = poll->first; value; value = value->next) {
		if (!slice_ends(value->key, end) || slice_starts(value->key, "lo_"))
			continue;
		any = true;
		known = known && json_log_fixed(value, &one) && one >= 0 && one < most - sum;
		sum += known ? one : 0;
	}
	if (any && known)
		sheet_put(m->log.sheet, metric, sum * 1024, 3);
	else if (any)
		sheet_absent(m->log.sheet, metric, ABSENT_UNREADABLE);
}

static void take_host(struct monitor *m, const struct json *poll, time_ms t)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const size_t channel = sheet_channel(m->log.sheet, &host);

	if (channel == SIZE_MAX)
		return;
	sheet_row_at(m->log.sheet, channel, t);
	json_log_cell(&m->log, spelling_find(columns, slice_of("cpu_usage")), json_get(poll, "cpu_usage"));
	put_traffic(m, poll, METRIC_HOST_NET_RX, "_receive_bw");
	put_traffic(m, poll, METRIC_HOST_NET_TX, "_transmit_bw");
}

/* False, counted and reported. Where the first line has no time, lines are a second apart. */
static bool time_of(struct monitor *m, const struct json *poll, time_ms *t)
{
	const struct json *time = json_get(poll, "time");
	struct clock_note *note = &m->log.r->recording->clock;

	if (!time && !m->n_polls)
		note->time_unknown = true;
	*t = (time_ms)m->n_polls * SECOND_MS;
	if (note->time_unknown ? !time : stamp_parse(json_text(time), t))
		return true;
	return sheet_reject(m->log.sheet, json_log_place(&m->log, time ? time : poll), DIAG_BAD_TIME,
		"'%.*s' is no time stamp, expected %s; poll not used", SLICE(json_text(time)),
		note->time_unknown ? "none, as in the first line" : "like 2026-11-21 01:48:34");
}

static void take_poll(struct monitor *m, const struct json *poll)
{
	time_ms t;

	if (!time_of(m, poll, &t))
		return;
	m->n_polls++;
	take_gpus(m, poll, t);
	take_host(m, poll, t);
}

static bool read(struct reading *r)
{
	struct monitor *m = NEW(r->scratch, struct monitor);
	const struct json *poll;
	size_t which;

	json_log_open(&m->log, r, paths);
	r->recording->clock.basis = BASIS_LOCAL;
	while ((poll = json_log_next(&m->log, &which)))
		take_poll(m, poll);
	return json_log_close(&m->log);
}

#define POLL(second, util)                                                                                                   \
	"{\"time\": \"2026-11-21 01:48:" second "\", \"cpu_usage\": 356.055275, \"gpu_usage:0\": " util ", \"gpu_temperature:0\": 45, "  \
	"\"gpu_power_limit:0\": 700, \"gpu_mem_used:0\": 267517952, \"gpu_mem_total:0\": 150754820096, \"gpu_corrected_ecc:0\": 0, " \
	"\"gpu_uncorrected_ecc:0\": 0, \"lo_receive_bw\": 0.5, \"eth0_receive_bw\": 7.09e-05, \"eth0_transmit_bw\": 0.25}\n"

static const char sample[] = POLL("34", "56") POLL("45", "57");

const struct format format_superbench_json = {
	.name = "superbench-json",
	.title = "SuperBench's monitor.jsonl",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
