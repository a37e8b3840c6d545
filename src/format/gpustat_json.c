/*
 * gpustat_json.c - reads what `gpustat --json` printed, once or in a loop: documents in a row, indented or a line each.
 *
 *     {
 *         "hostname": "node01",
 *         "driver_version": "580.159.04",
 *         "query_time": "2026-11-21T01:48:34.387123",
 *         "gpus": [
 *             {
 *                 "index": 0, "uuid": "GPU-8f6d…", "name": "NVIDIA H200",
 *                 "temperature.gpu": 45, "fan.speed": null, "utilization.gpu": 98, "utilization.enc": 0, "utilization.dec": 0,
 *                 "power.draw": 433, "enforced.power.limit": 700, "memory.used": 115712, "memory.total": 143771,
 *                 "processes": [ {"username": "ann", "command": "python", "gpu_memory_usage": 115700, "pid": 4711} ]
 *             }
 *         ]
 *     }
 *
 * A document is a poll. The time is local, without a zone; its microseconds are left out when they are 0. null is what
 * the driver does not support. Memory is in MiB, power in whole watts, rounded down. "processes" is null, in old releases
 * "(Not Supported)", where processes can't be asked; on Windows the memory of a process is null. A GPU that the driver
 * can't reach has a message for a name, "((GPU is lost))", and no values.
 */
#include "format/json_log.h"

enum { PATH_POLL };

static const char *const paths[] = { [PATH_POLL] = "", NULL };

static const struct spelling columns[] = {
	{ "utilization.gpu", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "memory.used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "memory.total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "power.draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "enforced.power.limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "temperature.gpu", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "fan.speed", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "utilization.enc", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "utilization.dec", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct spelling process_memory = { "gpu_memory_usage", METRIC_GPU_PROC_MEM, UNIT_MIB };

static const struct absence_word absences[] = {
	{ "null", ABSENT_UNSUPPORTED },
	{ "?", ABSENT_ERROR },
	{ NULL, ABSENT_EMPTY },
};

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	static const char *const head[] = { "\"gpus\"", "\"query_time\"", NULL };
	static const char *const gpu[] = { "\"gpus\"", "\"temperature.gpu\"", "\"memory.used\"", NULL }; /* keys had no order once */

	(void)scratch;
	if (json_log_has(first_bytes, head) || json_log_has(first_bytes, gpu))
		return (struct bid){ 96, "it has the names of gpustat --json" };
	return (struct bid){ 0, NULL };
}

static const char *kept_text(struct json_log *log, const struct json *value)
{
	const struct slice text = json_text(value);

	return text.n && text.n < 128 && slice_is_utf8(text) ? arena_text(log->r->mem, text.p, text.n) : NULL;
}

/* Released gpustat puts the reason in brackets twice; names of GPUs have none. */
static bool is_unreachable(const struct json *gpu)
{
	return slice_starts(json_text(json_get(gpu, "name")), "((");
}

static void take_unreachable(struct json_log *log, const struct json *gpu, const struct entity *e, time_ms t)
{
	const struct slice reason = json_text(json_get(gpu, "name"));
	const bool lost = slice_has(reason, "is lost");

	sheet_absent(log->sheet, METRIC_GPU_UTIL, lost ? ABSENT_LOST : ABSENT_ERROR);
	if (lost)
		sheet_event(log->sheet, EVENT_GPU_LOST, e, t, 0, reason);
}

/* How many hold the GPU, and what they hold of it together: not known where one of them is not. */
static void take_processes(struct json_log *log, const struct json *processes)
{
	fixed sum = 0, one;
	bool known = true;
	size_t n = 0;

	if (!processes)
		return;
	if (processes->kind != JSON_LIST) {
		sheet_absent(log->sheet, METRIC_GPU_PROC_COUNT, ABSENT_UNSUPPORTED);
		sheet_absent(log->sheet, METRIC_GPU_PROC_MEM, ABSENT_UNSUPPORTED);
		return;
	}
	for (const struct json *process = processes->first; process; process = process->next, n++) {
		known = known && json_log_fixed(json_get(process, process_memory.head), &one) && one >= 0;
		sum += known ? one : 0;
		known = known && fixed_value(sum) <= metric_table[METRIC_GPU_PROC_MEM].high;
	}
	if (n > (size_t)metric_table[METRIC_GPU_PROC_COUNT].high)
		sheet_absent(log->sheet, METRIC_GPU_PROC_COUNT, ABSENT_OUT_OF_RANGE);
	else
		sheet_put(log->sheet, METRIC_GPU_PROC_COUNT, (fixed)n * FIXED_ONE, 0);
	if (known)
		sheet_put(log->sheet, METRIC_GPU_PROC_MEM, sum, 0);
	else
		sheet_absent(log->sheet, METRIC_GPU_PROC_MEM, ABSENT_UNSUPPORTED);
}

static void take_gpu(struct json_log *log, const struct json *gpu, time_ms t)
{
	const struct json *index = json_get(gpu, "index");
	int64_t number;

	if (!integer_parse(json_text(index), &number) || number >= 1 << 16) {
		sheet_reject(log->sheet, json_log_place(log, index ? index : gpu), DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used",
			SLICE(json_text(index)));
		return;
	}
	const bool unreachable = is_unreachable(gpu);
	const struct entity e = { .scope = SCOPE_GPU, .host = "", .index = (int)number, .uuid = kept_text(log, json_get(gpu, "uuid")),
				  .name = unreachable ? NULL : kept_text(log, json_get(gpu, "name")) };
	const size_t channel = sheet_channel(log->sheet, &e);
	if (channel == SIZE_MAX) {
		log->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(log->sheet, channel, t);
	if (unreachable) {
		take_unreachable(log, gpu, &e, t);
		return;
	}
	for (const struct spelling *column = columns; column->head; column++)
		json_log_cell(log, column, json_get(gpu, column->head));
	take_processes(log, json_get(gpu, "processes"));
}

static void take_poll(struct json_log *log, const struct json *poll)
{
	const struct json *time = json_get(poll, "query_time"), *gpus = json_get(poll, "gpus"), *host = json_get(poll, "hostname");
	time_ms t;

	if (!gpus || gpus->kind != JSON_LIST) {
		sheet_reject(log->sheet, json_log_place(log, poll), DIAG_BAD_ROW, "a document without \"gpus\"; not used");
	} else if (!stamp_parse(json_text(time), &t)) {
		sheet_reject(log->sheet, json_log_place(log, time ? time : poll), DIAG_BAD_TIME,
			"'%.*s' is no time stamp, expected like 2026-11-21T01:48:34.387123; poll not used", SLICE(json_text(time)));
	} else {
		json_log_host(log, host);
		const struct json *gpu = json_log_is_ours(log, host) ? gpus->first : NULL;
		for (; gpu; gpu = gpu->next)
			take_gpu(log, gpu, t);
	}
}

static bool read(struct reading *r)
{
	struct json_log *log = NEW(r->scratch, struct json_log);
	const struct json *poll;
	size_t which;

	json_log_open(log, r, paths);
	r->recording->clock.basis = BASIS_LOCAL;
	while ((poll = json_log_next(log, &which)))
		take_poll(log, poll);
	return json_log_close(log);
}

#define GPU(index, util, power)                                                                                         \
	"        {\n            \"index\": " index ",\n            \"uuid\": \"GPU-0000000" index "\",\n"                 \
	"            \"name\": \"NVIDIA H200\",\n            \"temperature.gpu\": 45,\n            \"fan.speed\": null,\n"  \
	"            \"utilization.gpu\": " util ",\n            \"power.draw\": " power ",\n"                            \
	"            \"enforced.power.limit\": 700,\n            \"memory.used\": 115712,\n            \"memory.total\": 143771,\n" \
	"            \"processes\": []\n        }"

static const char sample[] =
	"{\n    \"hostname\": \"node01\",\n    \"query_time\": \"2026-11-21T01:48:34.387123\",\n    \"gpus\": [\n"
	GPU("0", "98", "433") ",\n" GPU("1", "97", "428") "\n    ]\n}\n"
	"{\n    \"hostname\": \"node01\",\n    \"query_time\": \"2026-11-21T01:48:35.391020\",\n    \"gpus\": [\n"
	GPU("0", "99", "441") ",\n" GPU("1", "98", "430") "\n    ]\n}\n";

const struct format format_gpustat_json = {
	.name = "gpustat-json",
	.title = "gpustat --json, once or in a loop",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
