/*
 * nvidia_smi_q.c - reads what `nvidia-smi -q [-d …] [-l N]` printed: one log for each poll.
 *
 *     ==============NVSMI LOG==============
 *
 *     Timestamp                                              : Sat Nov 21 03:10:52 2026
 *     Driver Version                                         : 610.62 [Deprecated; will be removed in CUDA 14.0. …]
 *     Attached GPUs                                          : 1
 *     GPU 00000000:00:06.0
 *         Performance State                                  : P0
 *         Clocks Event Reasons
 *             Idle                                           : Not Active
 *             HW Slowdown                                    : Not Active
 *                 HW Thermal Slowdown                        : Not Active
 *         Utilization
 *             GPU                                            : 100 %
 *         Temperature
 *             GPU Current Temp                               : 59 C
 *
 * Keys mean something only in their section ("GPU" under "Utilization", "Memory" under "Clocks" and under "Max
 * Clocks"), so a value is known by the path of everything that it is indented under; a line that has a
 * value can have others under it. Blocks of MIG devices and of processes are sections like any other,
 * and no column lies in them. -d prints some sections only: what is not there has no column.
 *
 * A block has no closing line: it ends with the next GPU, the next log or the file. When the file is cut, the lines
 * before the cut are whole, and what they say of the last GPU is used.
 *
 * "Power Draw" is one number up to driver 525; since then there are an average over a second, which is what the query
 * calls power.draw on current GPUs, and an instantaneous one for the GPUs that have no average.
 */
#include "format/nvidia_smi_log.h"

static const struct spelling columns[] = {
	{ "Utilization/GPU", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "Utilization/Memory", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "Utilization/Encoder", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "Utilization/Decoder", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "FB Memory Usage/Used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "Memory Usage/Used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "FB Memory Usage/Total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "Memory Usage/Total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "Power Readings/Power Draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "GPU Power Readings/Power Draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "GPU Power Readings/Average Power Draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "GPU Power Readings/Instantaneous Power Draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "Power Readings/Enforced Power Limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "Power Readings/Power Limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "GPU Power Readings/Current Power Limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "GPU Power Readings/GPU Ceiling Power Limit/Current Power Limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "Power Readings/Default Power Limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "GPU Power Readings/Default Power Limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "GPU Power Readings/GPU Ceiling Power Limit/Default Power Limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "Temperature/GPU Current Temp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "Temperature/Gpu", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "Temperature/Memory Current Temp", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "Temperature/GPU T.Limit Temp", METRIC_GPU_TEMP_MARGIN, UNIT_CELSIUS },
	{ "Temperature/GPU Current T.Limit Temp", METRIC_GPU_TEMP_MARGIN, UNIT_CELSIUS },
	{ "Temperature/GPU Slowdown Temp", METRIC_GPU_TEMP_SLOWDOWN, UNIT_CELSIUS },
	{ "Temperature/GPU Shutdown Temp", METRIC_GPU_TEMP_SHUTDOWN, UNIT_CELSIUS },
	{ "Temperature/GPU Max Operating Temp", METRIC_GPU_TEMP_MAX, UNIT_CELSIUS },
	{ "Temperature/Memory Max Operating Temp", METRIC_GPU_TEMP_MEM_MAX, UNIT_CELSIUS },
	{ "Clocks/SM", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "Clocks/Memory", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "Max Clocks/SM", METRIC_GPU_CLOCK_SM_MAX, UNIT_MHZ },
	{ "Performance State", METRIC_GPU_PSTATE, UNIT_NUMBER },
	{ "Clocks Event Reasons/Idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "Clocks Throttle Reasons/Idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "Clocks Event Reasons/Applications Clocks Setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "Clocks Throttle Reasons/Applications Clocks Setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "Clocks Event Reasons/SW Power Cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "Clocks Throttle Reasons/SW Power Cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "Clocks Event Reasons/HW Slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "Clocks Throttle Reasons/HW Slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "Clocks Event Reasons/HW Slowdown/HW Thermal Slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "Clocks Throttle Reasons/HW Slowdown/HW Thermal Slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "Clocks Event Reasons/HW Slowdown/HW Power Brake Slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "Clocks Throttle Reasons/HW Slowdown/HW Power Brake Slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "Clocks Event Reasons/Sync Boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "Clocks Throttle Reasons/Sync Boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "Clocks Event Reasons/SW Thermal Slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "Clocks Throttle Reasons/SW Thermal Slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "Clocks Event Reasons/Display Clock Setting", METRIC_GPU_THR_DISPLAY, UNIT_BITS },
	{ "Clocks Throttle Reasons/Display Clock Setting", METRIC_GPU_THR_DISPLAY, UNIT_BITS },
	{ "Clocks Event Reasons Counters/SW Power Capping", METRIC_GPU_CAP_SW_POWER, UNIT_MICRO },
	{ "Clocks Event Reasons Counters/Sync Boost", METRIC_GPU_CAP_SYNC, UNIT_MICRO },
	{ "Clocks Event Reasons Counters/SW Thermal Slowdown", METRIC_GPU_CAP_SW_THERMAL, UNIT_MICRO },
	{ "Clocks Event Reasons Counters/HW Thermal Slowdown", METRIC_GPU_CAP_HW_THERMAL, UNIT_MICRO },
	{ "Clocks Event Reasons Counters/HW Power Braking", METRIC_GPU_CAP_HW_BRAKE, UNIT_MICRO },
	{ "Fan Speed", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "PCI/GPU Link Info/PCIe Generation/Current", METRIC_GPU_PCIE_GEN, UNIT_NUMBER },
	{ "PCI/GPU Link Info/PCIe Generation/Max", METRIC_GPU_PCIE_GEN_MAX, UNIT_NUMBER },
	{ "PCI/GPU Link Info/Link Width/Current", METRIC_GPU_PCIE_WIDTH, UNIT_NUMBER },
	{ "PCI/GPU Link Info/Link Width/Max", METRIC_GPU_PCIE_WIDTH_MAX, UNIT_NUMBER },
	{ "PCI/Rx Throughput", METRIC_GPU_PCIE_RX, UNIT_KIB_S },
	{ "PCI/Tx Throughput", METRIC_GPU_PCIE_TX, UNIT_KIB_S },
	{ "PCI/Replays Since Reset", METRIC_GPU_PCIE_REPLAYS, UNIT_NUMBER },
	{ "Retired Pages/Single Bit ECC", METRIC_GPU_RETIRED_SINGLE, UNIT_NUMBER },
	{ "Retired Pages/Double Bit ECC", METRIC_GPU_RETIRED_DOUBLE, UNIT_NUMBER },
	{ "Remapped Rows/Correctable Error", METRIC_GPU_REMAP_CORRECTED, UNIT_NUMBER },
	{ "Remapped Rows/Uncorrectable Error", METRIC_GPU_REMAP_UNCORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/Single Bit/Total", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/SRAM Correctable", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/DRAM Correctable", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/Double Bit/Total", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/SRAM Uncorrectable", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/SRAM Uncorrectable Parity", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/SRAM Uncorrectable SEC-DED", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ECC Errors/Volatile/DRAM Uncorrectable", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

#define MAX_DEPTH 12 /* of sections in sections; driver 610 has 5 */

struct level {
	size_t indent, path_n; /* of the line; bytes of the path down to it */
};

struct query {
	struct smi_log log;
	struct level levels[MAX_DEPTH];
	size_t depth;
	char path[SMI_PATH_BYTES];
	bool in_log; /* below a banner */
};

static bool is_banner(struct slice line)
{
	return slice_starts(line, "====") && slice_has(line, "=NVSMI LOG=");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (!slice_has(first_bytes, "==NVSMI LOG=="))
		return (struct bid){ 0, NULL };
	if (slice_has(first_bytes, "| NVIDIA-SMI ")) /* `nvidia-smi -q` once, tables ever after */
		return (struct bid){ 50, "it has the banner of nvidia-smi -q beside tables" };
	return (struct bid){ 95, "it has the banner of nvidia-smi -q" };
}

/* "Key   : value"; false, and the key is the whole line, when there is no value. */
static bool cut_value(struct slice line, struct slice *key, struct slice *value)
{
	*key = slice_trim(line);
	for (size_t i = 1; i < line.n; i++) {
		if (line.p[i] != ':' || line.p[i - 1] != ' ' || (i + 1 < line.n && line.p[i + 1] != ' '))
			continue;
		*key = slice_trim((struct slice){ line.p, i });
		*value = slice_trim((struct slice){ line.p + i + 1, line.n - i - 1 });
		return true;
	}
	return false;
}

/* The path down to this line, which is indented under those before it. False when it is deeper or longer than any of ours. */
static bool put_path(struct query *q, size_t indent, struct slice key, struct slice *path)
{
	while (q->depth && q->levels[q->depth - 1].indent >= indent)
		q->depth--;
	size_t n = q->depth ? q->levels[q->depth - 1].path_n : 0;
	if (q->depth == MAX_DEPTH || n + 1 + key.n > sizeof q->path)
		return false;
	if (n)
		q->path[n++] = '/';
	memcpy(q->path + n, key.p, key.n);
	q->levels[q->depth++] = (struct level){ indent, n + key.n };
	*path = (struct slice){ q->path, n + key.n };
	return true;
}

static void take_gpu_value(struct query *q, struct slice path, struct slice value, struct place place)
{
	if (slice_is(path, "Product Name"))
		smi_log_name(&q->log, value);
	else if (slice_is(path, "GPU UUID"))
		smi_log_uuid(&q->log, value);
	else
		smi_log_value(&q->log, path, value, place);
}

/* A line at the margin: of the log as a whole, or "GPU 00000000:00:06.0". */
static void take_margin(struct query *q, struct slice line, struct place place)
{
	struct slice rest = line, key, value;

	if (cut_value(line, &key, &value)) {
		if (slice_is(key, "Timestamp"))
			smi_log_time(&q->log, value, place);
		else if (slice_is(key, "Driver Version") || slice_is(key, "KMD Version"))
			smi_log_driver(&q->log, value);
		else if (slice_is(key, "Attached GPUs"))
			smi_log_attached(&q->log, value);
		return;
	}
	if (!slice_is(slice_word(&rest), "GPU"))
		return;
	smi_log_gpu_end(&q->log);
	smi_log_gpu(&q->log, slice_trim(rest), place);
	q->depth = 0;
}

static void end_log(struct query *q)
{
	smi_log_gpu_end(&q->log);
	if (q->in_log)
		smi_log_end(&q->log);
}

static void take_line(struct query *q, struct slice line)
{
	struct place place = { q->log.r->lines->path, q->log.r->lines->line, 0 };
	struct slice key, value = { "", 0 }, path, text = slice_trim(line);
	const size_t indent = (size_t)(text.p - line.p);

	if (!text.n || !sheet_takes_line(q->log.polls.sheet))
		return;
	if (smi_is_message(text)) {
		smi_take_message(q->log.r, &q->log.polls.messages, text);
		return;
	}
	if (is_banner(text)) {
		end_log(q);
		smi_log_begin(&q->log);
		q->in_log = true;
		return;
	}
	if (!indent) {
		take_margin(q, text, place);
		return;
	}
	const bool has_value = cut_value(line, &key, &value);
	if (!put_path(q, indent, key, &path) || !has_value)
		return;
	place.column = (int)(value.p - line.p) + 1;
	take_gpu_value(q, path, value, place);
}

static bool read(struct reading *r)
{
	struct query *q = NEW(r->scratch, struct query);
	struct slice line;

	smi_log_init(&q->log, r);
	smi_log_begin(&q->log);
	while (line_next(r->lines, &line))
		take_line(q, line);
	smi_log_gpu_end(&q->log);
	if (q->in_log && !r->recording->cut)
		smi_log_end(&q->log);
	return smi_log_finish(&q->log, true);
}

#define LOG(stamp, util, power)                     \
	"\n==============NVSMI LOG==============\n\n"  \
	"Timestamp                                 : " stamp "\n" \
	"Driver Version                            : 580.159.04\n" \
	"CUDA Version                              : 13.0\n\n" \
	"Attached GPUs                             : 1\n" \
	"GPU 00000000:00:06.0\n"                       \
	"    Product Name                          : NVIDIA H200\n" \
	"    GPU UUID                              : GPU-5306f94a-0000-4000-8000-000000000001\n" \
	"    Performance State                     : P0\n" \
	"    FB Memory Usage\n"                        \
	"        Total                             : 143771 MiB\n" \
	"        Used                              : 17425 MiB\n" \
	"    Utilization\n"                            \
	"        GPU                               : " util "\n" \
	"    GPU Power Readings\n"                     \
	"        Average Power Draw                : " power "\n" \
	"        Current Power Limit               : 700.00 W\n"

static const char sample[] = LOG("Sat Nov 21 03:11:02 2026", "100 %", "444.72 W") LOG("Sat Nov 21 03:11:07 2026", "100 %", "692.41 W");

const struct format format_nvidia_smi_q = {
	.name = "nvidia-smi-q",
	.title = "nvidia-smi -q [-l N]",
	.sample = sample,
	.columns = columns,
	.absences = smi_log_absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
