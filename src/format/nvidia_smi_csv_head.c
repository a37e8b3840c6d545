/*
 * nvidia_smi_csv_head.c - which column is which, by its head.
 *
 *     timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]        nvidia-smi's own
 *     timestamp,gpu_index,temperature_C,utilization_gpu_percent,power_W               written by hand
 *     timestamp,gpu_util(%),memory_used(MB),temperature(C)
 *
 * A header of nvidia-smi may hold any of its 241 fields (driver 610); it is one when most of its names are known to us, or
 * all look like names and some are known. A header written by hand is believed only when every name in it is known and one
 * of them can only speak of a GPU: "power (W)" alone may be anybody's, and a column that we don't know may be what tells the
 * rows apart. "memory utilization" is left unread there: one logger means the share of time, the next the share of bytes.
 */
#include "format/nvidia_smi_csv.h"

const struct spelling smi_columns[] = {
	{ "utilization.gpu", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "utilization.memory", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "utilization.encoder", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "utilization.decoder", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "memory.used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "memory.total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "power.draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu.power.draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "power.draw.instant", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu.power.draw.instant", METRIC_GPU_POWER, UNIT_WATT },
	{ "power.draw.average", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu.power.draw.average", METRIC_GPU_POWER, UNIT_WATT },
	{ "enforced.power.limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "gpu.power.current_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power.limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "gpu.power.requested_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power.default_limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "gpu.power.default_limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "temperature.gpu", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "temperature.memory", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "temperature.gpu.tlimit", METRIC_GPU_TEMP_MARGIN, UNIT_CELSIUS },
	{ "clocks.current.sm", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "clocks.sm", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "clocks.max.sm", METRIC_GPU_CLOCK_SM_MAX, UNIT_MHZ },
	{ "clocks.current.memory", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "clocks.mem", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "pstate", METRIC_GPU_PSTATE, UNIT_NUMBER },
	{ "clocks_event_reasons.active", METRIC_GPU_THROTTLE, UNIT_BITS },
	{ "clocks_throttle_reasons.active", METRIC_GPU_THROTTLE, UNIT_BITS },
	{ "clocks_event_reasons.gpu_idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "clocks_throttle_reasons.gpu_idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "clocks_event_reasons.applications_clocks_setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "clocks_throttle_reasons.applications_clocks_setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "clocks_event_reasons.sw_power_cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "clocks_throttle_reasons.sw_power_cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "clocks_event_reasons.hw_slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "clocks_throttle_reasons.hw_slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "clocks_event_reasons.hw_thermal_slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "clocks_throttle_reasons.hw_thermal_slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "clocks_event_reasons.hw_power_brake_slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "clocks_throttle_reasons.hw_power_brake_slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "clocks_event_reasons.sw_thermal_slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "clocks_throttle_reasons.sw_thermal_slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "clocks_event_reasons.sync_boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "clocks_throttle_reasons.sync_boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "clocks_event_reasons_counters.sw_power_cap", METRIC_GPU_CAP_SW_POWER, UNIT_MICRO },
	{ "clocks_event_reasons_counters.sync_boost", METRIC_GPU_CAP_SYNC, UNIT_MICRO },
	{ "clocks_event_reasons_counters.sw_thermal_slowdown", METRIC_GPU_CAP_SW_THERMAL, UNIT_MICRO },
	{ "clocks_event_reasons_counters.hw_thermal_slowdown", METRIC_GPU_CAP_HW_THERMAL, UNIT_MICRO },
	{ "clocks_event_reasons_counters.hw_power_brake_slowdown", METRIC_GPU_CAP_HW_BRAKE, UNIT_MICRO },
	{ "fan.speed", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "pcie.link.gen.current", METRIC_GPU_PCIE_GEN, UNIT_NUMBER },
	{ "pcie.link.gen.max", METRIC_GPU_PCIE_GEN_MAX, UNIT_NUMBER },
	{ "pcie.link.width.current", METRIC_GPU_PCIE_WIDTH, UNIT_NUMBER },
	{ "pcie.link.width.max", METRIC_GPU_PCIE_WIDTH_MAX, UNIT_NUMBER },
	{ "ecc.errors.corrected.volatile.total", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc.errors.uncorrected.volatile.total", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "retired_pages.single_bit_ecc.count", METRIC_GPU_RETIRED_SINGLE, UNIT_NUMBER },
	{ "retired_pages.sbe", METRIC_GPU_RETIRED_SINGLE, UNIT_NUMBER },
	{ "retired_pages.double_bit.count", METRIC_GPU_RETIRED_DOUBLE, UNIT_NUMBER },
	{ "retired_pages.dbe", METRIC_GPU_RETIRED_DOUBLE, UNIT_NUMBER },
	{ "remapped_rows.correctable", METRIC_GPU_REMAP_CORRECTED, UNIT_NUMBER },
	{ "remapped_rows.sbe", METRIC_GPU_REMAP_CORRECTED, UNIT_NUMBER },
	{ "remapped_rows.uncorrectable", METRIC_GPU_REMAP_UNCORRECTED, UNIT_NUMBER },
	{ "remapped_rows.dbe", METRIC_GPU_REMAP_UNCORRECTED, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

/* Fields that no metric has, lest --columns takes one of them for a slip of the pen. */
static const char *const unread_fields[] = {
	"memory.free", "memory.reserved", "clocks.current.graphics", "clocks.gr", "clocks.current.video", "clocks.video",
	"clocks.max.graphics", "clocks.max.gr", "clocks.max.memory", "clocks.max.mem", "power.min_limit", "power.max_limit",
	 "power.management", "serial", "gpu_serial", "count", "persistence_mode", "compute_mode", "compute_cap",
	"vbios_version", "utilization.jpeg", "utilization.ofa", "pcie.link.gen.gpucurrent", "pcie.link.gen.gpumax",
	"pcie.link.gen.hostmax", "pci.bus", "pci.domain", "pci.device", "display_active", "display_mode", "inforom.pwr",
	"inforom.img", "inforom.ecc", "mig.mode.current", "ecc.mode.current", "clocks_event_reasons.supported",
};

static const struct {
	const char *head;
	enum role role;
} roles[] = {
	{ "timestamp", ROLE_TIME },     { "index", ROLE_INDEX },   { "gpu_index", ROLE_INDEX },
	{ "uuid", ROLE_UUID },          { "gpu_uuid", ROLE_UUID }, { "pci.bus_id", ROLE_BUS_ID },
	{ "gpu_bus_id", ROLE_BUS_ID },  { "name", ROLE_NAME },     { "gpu_name", ROLE_NAME },
	{ "driver_version", ROLE_DRIVER },
};

/* Names written by hand, in lower case, with '_' for blanks, and without a unit behind them. */
static const struct {
	const char *stem;
	enum role role;
	bool of_gpu; /* can't be about anything else */
} hand_roles[] = {
	{ "time", ROLE_TIME, false },          { "timestamp", ROLE_TIME, false },     { "datetime", ROLE_TIME, false },
	{ "date_time", ROLE_TIME, false },     { "date", ROLE_DATE, false },          { "elapsed", ROLE_ELAPSED, false },
	{ "elapsed_time", ROLE_ELAPSED, false }, { "gpu", ROLE_INDEX, true },         { "gpu_id", ROLE_INDEX, true },
	{ "gpu_index", ROLE_INDEX, true },     { "gpu_idx", ROLE_INDEX, true },       { "gpuid", ROLE_INDEX, true },
	{ "index", ROLE_INDEX, false },        { "gpu_uuid", ROLE_UUID, true },       { "uuid", ROLE_UUID, false },
	{ "gpu_name", ROLE_NAME, true },       { "name", ROLE_NAME, false },          { "driver_version", ROLE_DRIVER, false },
	{ "mem_util", ROLE_UNREAD, false },    { "memory_util", ROLE_UNREAD, false }, { "memory_utilization", ROLE_UNREAD, false },
	{ "gpu_mem_util", ROLE_UNREAD, true }, { "mem_free", ROLE_UNREAD, false },    { "memory_free", ROLE_UNREAD, false },
	{ "vram_free", ROLE_UNREAD, true },
};
static const struct {
	struct spelling spelling;
	bool of_gpu;
} hand_columns[] = {
	{ { "gpu_util", METRIC_GPU_UTIL, UNIT_PERCENT }, true },
	{ { "gpu_utilization", METRIC_GPU_UTIL, UNIT_PERCENT }, true },
	{ { "utilization_gpu", METRIC_GPU_UTIL, UNIT_PERCENT }, true },
	{ { "gpu_usage", METRIC_GPU_UTIL, UNIT_PERCENT }, true },
	{ { "util", METRIC_GPU_UTIL, UNIT_PERCENT }, false },
	{ { "utilization", METRIC_GPU_UTIL, UNIT_PERCENT }, false },
	{ { "utilization_memory", METRIC_GPU_MEM_UTIL, UNIT_PERCENT }, true },
	{ { "encoder_utilization", METRIC_GPU_ENC_UTIL, UNIT_PERCENT }, true },
	{ { "decoder_utilization", METRIC_GPU_DEC_UTIL, UNIT_PERCENT }, true },
	{ { "gpu_mem_used", METRIC_GPU_MEM_USED, UNIT_MIB }, true },
	{ { "gpu_memory_used", METRIC_GPU_MEM_USED, UNIT_MIB }, true },
	{ { "vram_used", METRIC_GPU_MEM_USED, UNIT_MIB }, true },
	{ { "mem_used", METRIC_GPU_MEM_USED, UNIT_MIB }, false },
	{ { "memory_used", METRIC_GPU_MEM_USED, UNIT_MIB }, false },
	{ { "gpu_mem_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB }, true },
	{ { "gpu_memory_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB }, true },
	{ { "vram_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB }, true },
	{ { "mem_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB }, false },
	{ { "memory_total", METRIC_GPU_MEM_TOTAL, UNIT_MIB }, false },
	{ { "gpu_temp", METRIC_GPU_TEMP, UNIT_CELSIUS }, true },
	{ { "gpu_temperature", METRIC_GPU_TEMP, UNIT_CELSIUS }, true },
	{ { "temperature_gpu", METRIC_GPU_TEMP, UNIT_CELSIUS }, true },
	{ { "temp", METRIC_GPU_TEMP, UNIT_CELSIUS }, false },
	{ { "temperature", METRIC_GPU_TEMP, UNIT_CELSIUS }, false },
	{ { "gpu_power", METRIC_GPU_POWER, UNIT_WATT }, true },
	{ { "gpu_power_draw", METRIC_GPU_POWER, UNIT_WATT }, true },
	{ { "power_draw", METRIC_GPU_POWER, UNIT_WATT }, true },
	{ { "power", METRIC_GPU_POWER, UNIT_WATT }, false },
	{ { "power_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT }, false },
	{ { "sm_clock", METRIC_GPU_CLOCK_SM, UNIT_MHZ }, true },
	{ { "clock_sm", METRIC_GPU_CLOCK_SM, UNIT_MHZ }, true },
	{ { "clocks_sm", METRIC_GPU_CLOCK_SM, UNIT_MHZ }, true },
	{ { "mem_clock", METRIC_GPU_CLOCK_MEM, UNIT_MHZ }, false },
	{ { "clocks_mem", METRIC_GPU_CLOCK_MEM, UNIT_MHZ }, true },
	{ { "fan", METRIC_GPU_FAN, UNIT_PERCENT }, false },
	{ { "fan_speed", METRIC_GPU_FAN, UNIT_PERCENT }, false },
	{ { "pstate", METRIC_GPU_PSTATE, UNIT_NUMBER }, true },
};

/* What stands behind a stem: its unit, or no unit of a metric (times). */
static const struct {
	const char *suffix;
	enum unit unit;
} suffixes[] = {
	{ "_percent", UNIT_PERCENT }, { "_pct", UNIT_PERCENT }, { "_perc", UNIT_PERCENT }, { "_c", UNIT_CELSIUS }, { "_w", UNIT_WATT },
	{ "_watts", UNIT_WATT },      { "_mw", UNIT_MILLIWATT }, { "_mb", UNIT_MIB },      { "_mib", UNIT_MIB },   { "_gb", UNIT_GIB },
	{ "_gib", UNIT_GIB },         { "_mhz", UNIT_MHZ },     { "_sec", UNIT_SECOND },   { "_s", UNIT_SECOND },
	{ "_seconds", UNIT_SECOND },
};

struct slice head_name(struct slice cell, struct slice *unit)
{
	*unit = (struct slice){ "", 0 };
	cell = slice_trim(cell);
	for (const char *pair = "[]()"; *pair && cell.n; pair += 2) {
		const char *open = memchr(cell.p, pair[0], cell.n);
		if (!open || cell.p[cell.n - 1] != pair[1])
			continue;
		*unit = (struct slice){ open + 1, (size_t)(cell.p + cell.n - open) - 2 };
		return slice_trim((struct slice){ cell.p, (size_t)(open - cell.p) });
	}
	return cell;
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* All heads of nvidia-smi begin so; the cells of rows almost never do. */
static bool looks_like_field(struct slice name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_lower(name.p[i]) && !(i && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", name.p[i])))
			return false;
	return name.n > 0;
}

static bool is_unread_field(struct slice name)
{
	for (size_t i = 0; i < sizeof unread_fields / sizeof *unread_fields; i++)
		if (slice_is(name, unread_fields[i]))
			return true;
	return false;
}

/* A head that nvidia-smi prints. */
static struct head head_of(struct slice name, struct slice unit_text)
{
	struct head head = { .role = ROLE_NONE, .spare_at = SIZE_MAX };

	if (!name.n || !is_lower(name.p[0]))
		return head;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (slice_is(name, roles[i].head))
			head.role = roles[i].role;
	head.spelling = spelling_find(smi_columns, name);
	if (head.spelling) {
		head.role = ROLE_METRIC;
		head.unit = head.spelling->unit;
		head.rank = (size_t)(head.spelling - smi_columns);
		unit_find(unit_text, &head.unit);
	} else if (head.role == ROLE_NONE && is_unread_field(name)) {
		head.role = ROLE_UNREAD;
	}
	return head;
}

#define STEM_BYTES 40

/* In lower case, blanks and '-' as '_'. False when it is longer than any of ours. */
static bool stem_of(struct slice name, char out[STEM_BYTES])
{
	if (!name.n || name.n >= STEM_BYTES)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == ' ' || c == '-' ? '_' : c;
	}
	out[name.n] = '\0';
	return true;
}

static bool find_stem(const char *stem, struct head *head, bool *of_gpu)
{
	for (size_t i = 0; i < sizeof hand_roles / sizeof *hand_roles; i++) {
		if (strcmp(stem, hand_roles[i].stem) != 0)
			continue;
		head->role = hand_roles[i].role;
		*of_gpu = hand_roles[i].of_gpu;
		return true;
	}
	for (size_t i = 0; i < sizeof hand_columns / sizeof *hand_columns; i++) {
		if (strcmp(stem, hand_columns[i].spelling.head) != 0)
			continue;
		head->role = ROLE_METRIC;
		head->spelling = &hand_columns[i].spelling;
		head->unit = head->spelling->unit;
		head->rank = sizeof smi_columns / sizeof *smi_columns + i; /* nvidia-smi's own names come first */
		*of_gpu = hand_columns[i].of_gpu;
		return true;
	}
	return false;
}

/* The unit takes the place of the column's own, if it is of its kind. */
static bool fits(struct head *head, enum unit unit)
{
	if (head->role == ROLE_METRIC && unit_table[unit].dimension != unit_table[head->unit].dimension)
		return false;
	if (head->role == ROLE_METRIC)
		head->unit = unit;
	return true;
}

/* A head written by hand: "power_W", "utilization_gpu_percent", "memory_used(MB)". */
static struct head head_by_hand(struct slice name, struct slice unit_text, bool *of_gpu)
{
	const struct head none = { .role = ROLE_NONE, .spare_at = SIZE_MAX };
	struct head head = { .by_hand = true, .spare_at = SIZE_MAX };
	char stem[STEM_BYTES];
	enum unit unit;

	*of_gpu = false;
	if (!stem_of(name, stem))
		return none;
	if (find_stem(stem, &head, of_gpu))
		return !unit_text.n || (unit_find(unit_text, &unit) && fits(&head, unit)) ? head : none;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(stem), end = strlen(suffixes[i].suffix);
		if (n <= end || strcmp(stem + n - end, suffixes[i].suffix) != 0)
			continue;
		char bare[STEM_BYTES];
		memcpy(bare, stem, sizeof bare);
		bare[n - end] = '\0';
		if (find_stem(bare, &head, of_gpu) && fits(&head, suffixes[i].unit))
			return head;
	}
	return none;
}

/* Several columns may speak of one metric (power.limit beside enforced.power.limit): the row of smi_columns listed first wins. */
static void rank_rivals(struct header *h)
{
	for (size_t i = 0; i < h->n; i++) {
		for (size_t k = 0; k < h->n; k++) {
			struct head *a = &h->at[i], *b = &h->at[k];
			if (a->role != ROLE_METRIC || b->role != ROLE_METRIC || i == k || a->spelling->metric != b->spelling->metric)
				continue;
			if (a->rank > b->rank || (a->rank == b->rank && i > k))
				continue;
			b->spare = true;
			if (a->spare_at == SIZE_MAX || b->rank < h->at[a->spare_at].rank)
				a->spare_at = k;
		}
	}
}

static void finish(struct header *h)
{
	bool has_date = false;

	h->has_time = h->has_identity = false;
	h->n_metrics = 0;
	for (size_t i = 0; i < h->n; i++)
		has_date |= h->at[i].role == ROLE_DATE;
	for (size_t i = 0; i < h->n; i++) {
		struct head *head = &h->at[i];
		if (has_date && head->role == ROLE_TIME)
			head->role = ROLE_OF_DAY;
		h->has_time |= head->role == ROLE_TIME || head->role == ROLE_OF_DAY || head->role == ROLE_ELAPSED;
		h->has_identity |= head->role == ROLE_INDEX || head->role == ROLE_UUID || head->role == ROLE_BUS_ID;
		h->n_metrics += head->role == ROLE_METRIC;
	}
	for (size_t i = 0; i < h->n; i++) /* a date without a time beside it may hold both */
		if (!h->has_time && h->at[i].role == ROLE_DATE)
			h->at[i].role = ROLE_TIME, h->has_time = true;
	rank_rivals(h);
}

static bool is_blank_tail(const struct csv_row *row, size_t from)
{
	for (size_t i = from; i < row->n; i++)
		if (slice_trim(row->cells[i]).n)
			return false;
	return true;
}

/* nvidia-smi's names; what else is in the header may be somebody's addition. */
static bool is_smi_header(const struct csv_row *row, struct header *h)
{
	size_t known = 0, metrics = 0, fields = 0;

	for (size_t i = 0; i < row->n; i++) {
		struct slice unit, name = head_name(row->cells[i], &unit);
		h->at[i] = head_of(name, unit);
		known += h->at[i].role != ROLE_NONE;
		metrics += h->at[i].role == ROLE_METRIC;
		fields += looks_like_field(name);
	}
	return (metrics >= 1 && known * 2 >= row->n) || (metrics >= 1 && known >= 4 && fields == row->n) ||
	       (known >= 3 && metrics == 0 && fields == row->n && row->n > 16);
}

static void add_heads_by_hand(const struct csv_row *row, struct header *h)
{
	for (size_t i = 0; i < row->n; i++) {
		struct slice unit, name = head_name(row->cells[i], &unit);
		bool of_gpu;
		if (h->at[i].role == ROLE_NONE)
			h->at[i] = head_by_hand(name, unit, &of_gpu);
	}
}

static bool is_hand_header(const struct csv_row *row, struct header *h)
{
	bool any_of_gpu = false, any_metric = false;

	if (row->n < 2)
		return false;
	for (size_t i = 0; i < row->n; i++) {
		struct slice unit, name = head_name(row->cells[i], &unit);
		bool of_gpu = false;
		if (!name.n && is_blank_tail(row, i))
			continue;
		h->at[i] = head_by_hand(name, unit, &of_gpu);
		if (h->at[i].role == ROLE_NONE)
			h->at[i] = head_of(name, unit);
		if (h->at[i].role == ROLE_NONE)
			return false;
		any_of_gpu |= of_gpu || h->at[i].role == ROLE_BUS_ID;
		any_metric |= h->at[i].role == ROLE_METRIC;
	}
	return any_of_gpu && any_metric;
}

bool header_from_row(const struct csv_row *row, struct header *out)
{
	for (size_t i = 0; i < row->n; i++) { /* most rows are no headers: a cell that begins with a digit says so at once */
		struct slice cell = slice_trim(row->cells[i]);
		if (cell.n && cell.p[0] >= '0' && cell.p[0] <= '9')
			return false;
	}
	out->n = row->n;
	out->by_hand = false;
	if (is_smi_header(row, out)) {
		add_heads_by_hand(row, out);
	} else {
		memset(out->at, 0, row->n * sizeof *out->at);
		if (!is_hand_header(row, out))
			return false;
		out->by_hand = true;
	}
	finish(out);
	return true;
}

const char *header_by_hand_text(struct arena *mem, const struct csv_row *row, const struct header *header)
{
	const char *text = "";

	for (size_t i = 0; i < header->n && i < row->n; i++)
		if (header->at[i].by_hand && header->at[i].role == ROLE_METRIC)
			text = arena_print(mem, "%s%s%.*s is %s", text, *text ? ", " : "", SLICE(slice_trim(row->cells[i])),
				metric_table[header->at[i].spelling->metric].name);
	return text;
}

static const char *nearest_field(struct slice name)
{
	const char *names[sizeof roles / sizeof *roles + 128];
	size_t n = 0;

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		names[n++] = roles[i].head;
	for (const struct spelling *c = smi_columns; c->head && n < sizeof names / sizeof *names; c++)
		names[n++] = c->head;
	const char *near = nearest_name(name, names, n);
	return near ? near : metric_nearest(name);
}

/* One name of --columns: nvidia-smi's, one written by hand, or a metric of ours. */
static bool head_from_name(struct reading *r, struct slice name, struct head *out)
{
	struct slice unit_text, bare = head_name(name, &unit_text);
	enum metric metric;
	bool of_gpu;

	*out = (struct head){ .role = ROLE_UNREAD, .spare_at = SIZE_MAX };
	if (!bare.n || slice_is(bare, "-"))
		return true;
	*out = head_of(bare, unit_text);
	if (out->role == ROLE_NONE)
		*out = head_by_hand(bare, unit_text, &of_gpu);
	if (out->role != ROLE_NONE)
		return true;
	if (metric_find(bare, &metric) && metric_table[metric].scope == SCOPE_GPU) {
		struct spelling *spelling = NEW(r->scratch, struct spelling);
		*spelling = (struct spelling){ metric_table[metric].name, metric, metric_table[metric].unit };
		*out = (struct head){ .role = ROLE_METRIC, .spelling = spelling, .unit = spelling->unit, .spare_at = SIZE_MAX };
		return true;
	}
	const char *near = nearest_field(bare);
	if (!near && looks_like_field(bare) && memchr(bare.p, '.', bare.n)) /* one of the many fields that we don't read */
		return true;
	return diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_UNKNOWN_NAME, "'%.*s' in --columns is no column%s%s%s",
		SLICE(bare), near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool header_from_list(struct reading *r, const char *list, struct header *out)
{
	struct slice rest = slice_of(list);
	bool good = true;

	out->n = 0;
	for (bool more = true; more && out->n < MAX_CELLS;) {
		const char *comma = memchr(rest.p, ',', rest.n);
		struct slice name = { rest.p, comma ? (size_t)(comma - rest.p) : rest.n };
		good &= head_from_name(r, slice_trim(name), &out->at[out->n++]);
		more = comma != NULL;
		if (comma)
			rest = (struct slice){ comma + 1, rest.n - name.n - 1 };
	}
	finish(out);
	if (good && !out->n_metrics)
		return diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_UNKNOWN_NAME,
			"--columns names no column that holds a metric");
	return good;
}

static const char *name_of_head(const struct head *head)
{
	if (head->role == ROLE_METRIC)
		return head->spelling->head;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (roles[i].role == head->role)
			return roles[i].head;
	return "-";
}

const char *header_as_list(struct arena *mem, const struct header *header)
{
	const char *list = NULL;

	for (size_t i = 0; i < header->n && !header->by_hand; i++) {
		const char *const name = name_of_head(&header->at[i]);
		list = list ? arena_print(mem, "%s,%s", list, name) : name;
	}
	return list;
}
