/*
 * nvidia_smi_csv.c - reads `nvidia-smi --query-gpu=… --format=csv -l N`.
 *
 *     timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]
 *     2026/11/21 01:48:34.387, 0, 34 %, 76 MiB, 76.56 W, [N/A]
 *
 * The header names the columns, in the user's order, with the unit in brackets. `nounits` takes
 * the unit off the cells only, so each cell may have one or not. A shell loop repeats the header
 * before every poll, and a restarted logger writes it again with other columns: columns are
 * mapped anew at each header. A GPU's rows are known by uuid, bus id or index, whichever the
 * header has; each GPU's row has its own time, a few milliseconds after the one before.
 *
 * Time is local, without a zone (clock_settle finds it). Error messages of nvidia-smi land in
 * the log between the rows; they are kept as messages. A last line without a line end may be cut inside
 * a number ("300" of "300.25 W"), so it is not used.
 */
#include "format/csv_row.h"
#include "format/nvidia_smi.h"
#include "metric/identity.h"

#include <stdlib.h>

static const struct spelling columns[] = {
	{ "utilization.gpu", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "utilization.memory", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "utilization.encoder", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "utilization.decoder", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "memory.used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "memory.total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "power.draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu.power.draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "enforced.power.limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "gpu.power.current_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power.limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
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
	{ "fan.speed", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "pcie.link.gen.current", METRIC_GPU_PCIE_GEN, UNIT_NUMBER },
	{ "pcie.link.gen.max", METRIC_GPU_PCIE_GEN_MAX, UNIT_NUMBER },
	{ "pcie.link.width.current", METRIC_GPU_PCIE_WIDTH, UNIT_NUMBER },
	{ "pcie.link.width.max", METRIC_GPU_PCIE_WIDTH_MAX, UNIT_NUMBER },
	{ "ecc.errors.corrected.volatile.total", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc.errors.uncorrected.volatile.total", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

/* formats.md A1.2: every spelling of "nothing here" seen in real logs. */
static const struct absence_word absences[] = {
	{ "[N/A]", ABSENT_UNSUPPORTED },
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "[Not Supported]", ABSENT_UNSUPPORTED },
	{ "Not Supported", ABSENT_UNSUPPORTED },
	{ "[Not Found]", ABSENT_UNSUPPORTED },
	{ "[Function Not Found]", ABSENT_UNSUPPORTED },
	{ "[Requested functionality has been deprecated]", ABSENT_DEPRECATED },
	{ "[Unknown Error]", ABSENT_ERROR },
	{ "Unknown Error", ABSENT_ERROR },
	{ "[Timeout]", ABSENT_ERROR },
	{ "ERR!", ABSENT_ERROR },
	{ "[GPU is lost]", ABSENT_LOST },
	{ "GPU is lost", ABSENT_LOST },
	{ "[GPU requires reset]", ABSENT_LOST },
	{ "[Insufficient Permissions]", ABSENT_PERMISSION },
	{ "-", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

enum role { ROLE_NONE, ROLE_METRIC, ROLE_TIME, ROLE_INDEX, ROLE_UUID, ROLE_BUS_ID, ROLE_NAME, ROLE_DRIVER };

static const struct {
	const char *head;
	enum role role;
} roles[] = {
	{ "timestamp", ROLE_TIME },     { "index", ROLE_INDEX },   { "gpu_index", ROLE_INDEX },
	{ "uuid", ROLE_UUID },          { "gpu_uuid", ROLE_UUID }, { "pci.bus_id", ROLE_BUS_ID },
	{ "gpu_bus_id", ROLE_BUS_ID },  { "name", ROLE_NAME },     { "gpu_name", ROLE_NAME },
	{ "driver_version", ROLE_DRIVER },
};

struct head { /* one column of the header in force */
	enum role role;
	const struct spelling *spelling;
	enum unit unit;
};

struct words { /* texts that come again and again, kept once */
	struct slice *raw;
	const char **kept;
	size_t n, room, kept_room, current;
};

struct csv { /* the file being read */
	struct reading *r;
	struct sheet *sheet;
	struct csv_row row;
	struct head heads[MAX_CELLS];
	size_t n_heads;
	bool has_identity, has_time, had_time, seen_header; /* had_time: some header before had one */
	time_ms last;       /* time of the row before */
	size_t n_same_time; /* rows with the time of the row before */
	const char **unread;
	size_t n_unread, unread_room;
	struct smi_messages messages;
	struct words uuids, names, bus_ids;
};

/* "memory.used [MiB]" is "memory.used" and "MiB". */
static struct slice head_name(struct slice cell, struct slice *unit)
{
	*unit = (struct slice){ "", 0 };
	cell = slice_trim(cell);
	const char *open = cell.n ? memchr(cell.p, '[', cell.n) : NULL;
	if (!open || cell.p[cell.n - 1] != ']')
		return cell;
	*unit = (struct slice){ open + 1, (size_t)(cell.p + cell.n - open) - 2 };
	return slice_trim((struct slice){ cell.p, (size_t)(open - cell.p) });
}

static struct head head_of(struct slice cell)
{
	struct slice unit_text, name = head_name(cell, &unit_text);
	struct head head = { .role = ROLE_NONE };

	if (!name.n || name.p[0] < 'a' || name.p[0] > 'z') /* all heads do; the cells of rows almost never */
		return head;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (slice_is(name, roles[i].head))
			head.role = roles[i].role;
	head.spelling = spelling_find(columns, name);
	if (head.spelling) {
		head.role = ROLE_METRIC;
		head.unit = head.spelling->unit;
		unit_find(unit_text, &head.unit);
	}
	return head;
}

/* How many cells are heads that nvidia-smi prints, and how many of them a metric has. */
static void count_heads(const struct csv_row *row, size_t *known, size_t *metrics)
{
	*known = *metrics = 0;
	for (size_t i = 0; i < row->n; i++) {
		struct head head = head_of(row->cells[i]);
		*known += head.role != ROLE_NONE;
		*metrics += head.role == ROLE_METRIC;
	}
}

static bool is_header(const struct csv_row *row)
{
	size_t known, metrics;

	count_heads(row, &known, &metrics);
	return metrics >= 1 && known * 2 >= row->n;
}

static struct slice first_line(struct slice *rest)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	struct slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = (struct slice){ rest->p + line.n + (end != NULL), rest->n - line.n - (end != NULL) };
	return slice_trim(line);
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct bid best = { 0, NULL };
	struct csv_row row;

	csv_row_init(&row);
	while (first_bytes.n && !best.score) {
		struct slice line = first_line(&first_bytes);
		size_t known, metrics;
		if (!line.n || memchr(line.p, '\0', line.n) || !csv_row_cut(&row, line) || !is_header(&row))
			continue;
		count_heads(&row, &known, &metrics);
		best.score = (int)(50 + 50 * known / row.n);
		best.why = arena_print(scratch, "its header has nvidia-smi's names in %zu of %zu columns, %zu of them metrics", known,
			row.n, metrics);
	}
	csv_row_release(&row);
	return best;
}

static void remember_unread(struct csv *csv, struct slice cell)
{
	struct slice unit, name = head_name(cell, &unit);

	for (size_t i = 0; i < csv->n_unread; i++)
		if (slice_is(name, csv->unread[i]))
			return;
	if (!name.n || csv->n_unread == MAX_CELLS)
		return;
	csv->unread = grow(csv->unread, &csv->unread_room, csv->n_unread + 1, sizeof *csv->unread);
	csv->unread[csv->n_unread++] = arena_text(csv->r->mem, name.p, name.n);
}

/* Several columns may speak of one metric (power.limit beside enforced.power.limit): the row of `columns` listed first wins. */
static void drop_rivals(struct csv *csv)
{
	for (size_t i = 0; i < csv->n_heads; i++) {
		for (size_t k = 0; k < csv->n_heads; k++) {
			const struct head *a = &csv->heads[i], *b = &csv->heads[k];
			if (a->role == ROLE_METRIC && b->role == ROLE_METRIC && i != k &&
				a->spelling->metric == b->spelling->metric &&
				(a->spelling < b->spelling || (a->spelling == b->spelling && i < k)))
				csv->heads[k].role = ROLE_NONE;
		}
	}
}

static void take_header(struct csv *csv)
{
	csv->had_time |= csv->has_time;
	csv->has_identity = csv->has_time = false;
	csv->n_heads = csv->row.n;
	for (size_t i = 0; i < csv->n_heads; i++) {
		csv->heads[i] = head_of(csv->row.cells[i]);
		enum role role = csv->heads[i].role;
		csv->has_time |= role == ROLE_TIME;
		csv->has_identity |= role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID;
		if (role == ROLE_NONE)
			remember_unread(csv, csv->row.cells[i]);
	}
	drop_rivals(csv);
	csv->r->recording->n_rows_ignored++;
	csv->seen_header = true;
}

static const char *keep_plain(struct arena *mem, struct slice cell)
{
	return arena_text(mem, cell.p, cell.n);
}

/* The kept form of a cell. GPUs come in the same order in every poll, so the next word is the likely one. */
static const char *keep_word(struct arena *mem, struct words *w, struct slice cell,
	const char *(*keep)(struct arena *, struct slice))
{
	for (size_t i = 0; i < w->n; i++) {
		size_t k = (w->current + 1 + i) % w->n;
		if (cell.n == w->raw[k].n && memcmp(cell.p, w->raw[k].p, cell.n) == 0) {
			w->current = k;
			return w->kept[k];
		}
	}
	if (w->n == MAX_CHANNELS)
		return NULL;
	w->raw = grow(w->raw, &w->room, w->n + 1, sizeof *w->raw);
	w->kept = grow(w->kept, &w->kept_room, w->n + 1, sizeof *w->kept);
	w->raw[w->n] = (struct slice){ arena_text(mem, cell.p, cell.n), cell.n };
	w->kept[w->n] = keep(mem, cell);
	return w->kept[w->n++];
}

static void words_release(struct words *w)
{
	grow_free(w->raw);
	grow_free(w->kept);
}

/* Time and identity of the row; false, already reported, when it can't be used. */
static bool row_identity(struct csv *csv, time_ms *t, struct entity *gpu)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	int64_t index;

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = csv->has_identity ? -1 : 0 };
	for (size_t i = 0; i < csv->n_heads; i++) {
		struct slice cell = slice_trim(csv->row.cells[i]);
		place.column = csv->row.columns[i];
		switch (csv->heads[i].role) {
		case ROLE_TIME:
			if (!stamp_parse(cell, t))
				return sheet_reject(csv->sheet, place, DIAG_BAD_TIME,
					"'%.*s' is no time stamp, expected like 2026/11/21 01:48:34.387; row not used", SLICE(cell));
			break;
		case ROLE_INDEX:
			if (!integer_parse(cell, &index) || index >= 1 << 16)
				return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used",
					SLICE(cell));
			gpu->index = (int)index;
			break;
		case ROLE_UUID:
			if (cell.n && cell.p[0] != '[')
				gpu->uuid = keep_word(csv->r->mem, &csv->uuids, cell, keep_plain);
			break;
		case ROLE_BUS_ID:
			gpu->bus_id = keep_word(csv->r->mem, &csv->bus_ids, cell, bus_id_normal);
			break;
		case ROLE_NAME:
			if (cell.n && slice_is_utf8(cell))
				gpu->name = keep_word(csv->r->mem, &csv->names, cell, keep_plain);
			break;
		case ROLE_DRIVER:
			if (!csv->r->recording->tool && cell.n)
				csv->r->recording->tool = arena_print(csv->r->mem, "driver %.*s", SLICE(cell));
			break;
		case ROLE_NONE:
		case ROLE_METRIC:
			break;
		}
	}
	if (gpu->index < 0 && !gpu->uuid && !gpu->bus_id)
		return sheet_reject(csv->sheet, (struct place){ place.path, place.line, 0 }, DIAG_BAD_ROW,
			"the row names no GPU; not used");
	return true;
}

static void take_row(struct csv *csv)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct entity gpu;
	time_ms t = 0;

	if (csv->row.n != csv->n_heads) {
		sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "%zu cells where the header has %zu; row not used", csv->row.n,
			csv->n_heads);
		return;
	}
	if (!csv->has_time) {
		sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "the header in force has no column timestamp; row not used");
		return;
	}
	if (!row_identity(csv, &t, &gpu))
		return;
	size_t channel = sheet_channel(csv->sheet, &gpu);
	if (channel == SIZE_MAX) {
		csv->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(csv->sheet, channel, t);
	csv->n_same_time += t == csv->last;
	csv->last = t;
	for (size_t i = 0; i < csv->n_heads; i++) {
		if (csv->heads[i].role != ROLE_METRIC)
			continue;
		place.column = csv->row.columns[i];
		sheet_cell(csv->sheet, csv->heads[i].spelling, csv->heads[i].unit, csv->row.cells[i], place);
	}
}

static void take_line(struct csv *csv, struct slice line)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	if (!sheet_takes_line(csv->sheet))
		return;
	if (slice_starts(line, "\xEF\xBB\xBF")) /* two files joined with cat; the first mark of a file is gone already */
		line = (struct slice){ line.p + 3, line.n - 3 };
	if (!slice_trim(line).n) {
		csv->r->recording->n_rows_ignored++;
		return;
	}
	if (smi_is_message(line)) {
		smi_take_message(csv->r, &csv->messages, line);
		return;
	}
	bool cut = csv_row_cut(&csv->row, line);
	if (cut && is_header(&csv->row))
		take_header(csv);
	else if (!csv->seen_header)
		csv->r->recording->n_rows_ignored++; /* what a shell prints before the log begins */
	else if (cut)
		take_row(csv);
	else
		sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "%s; row not used",
			csv->row.overflow ? "too many cells" : "a stray quote");
}

static int by_length(const void *a, const void *b)
{
	const time_ms *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

#define SLOWEST_ANSWER 500 /* ms from GPU to GPU within a poll; 3 to 10 are usual */

/*
 * Without index, uuid and bus id the rows of several GPUs can't be told apart. They give
 * themselves away by their rhythm: the rows of one poll lie a few milliseconds apart, or have one time,
 * the polls much further. One GPU logged at any even step has no such two rhythms.
 */
static bool looks_mixed(struct arena *mem, const struct recording *rec, size_t n_same_time)
{
	size_t n_close = n_same_time, n = rec->n_channels ? rec->channels[0].n_rows : 0;
	time_ms *gaps = NEW_ARRAY(mem, time_ms, n);

	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = rec->channels[0].times[i] - rec->channels[0].times[i - 1];
	if (n > 1) { /* not the longest: a single pause of the logger is no rhythm; 32 GPUs have one far gap in 32 */
		qsort(gaps, n - 1, sizeof *gaps, by_length);
		time_ms far = gaps[(n - 2) - (n - 2) / 33], close = far / 5 < SLOWEST_ANSWER ? far / 5 : SLOWEST_ANSWER;
		while (n_close - n_same_time < n - 1 && gaps[n_close - n_same_time] < close)
			n_close++;
	}
	n += n_same_time; /* of which only the last was kept */
	return n > 8 && n_close * 10 >= n * 3;
}

static bool csv_finish(struct csv *csv)
{
	struct recording *rec = csv->r->recording;
	struct place place = { csv->r->lines->path, 0, 0 };

	rec->clock.basis = BASIS_LOCAL;
	rec->unread = NEW_ARRAY(csv->r->mem, const char *, csv->n_unread);
	rec->n_unread = csv->n_unread;
	if (csv->n_unread)
		memcpy((void *)rec->unread, csv->unread, csv->n_unread * sizeof *csv->unread);
	if (!sheet_finish(csv->sheet))
		return false;
	if (!csv->has_identity && looks_mixed(csv->r->mem, rec, csv->n_same_time))
		return diag_at(csv->r->diags, place, DIAG_MIXED_GPUS,
			"rows of several GPUs, but no column index, uuid or pci.bus_id tells them apart; the file is not used");
	return true;
}

static bool read(struct reading *r)
{
	struct csv *csv = NEW(r->mem, struct csv);
	struct slice line;
	bool good = true;

	csv->r = r;
	csv->sheet = sheet_new(r);
	csv_row_init(&csv->row);
	while (good && line_next(r->lines, &line)) {
		take_line(csv, line);
		if (csv->seen_header && !csv->has_time && !csv->had_time)
			good = diag_at(r->diags, (struct place){ r->lines->path, r->lines->line, 0 }, DIAG_NO_TIME,
				"no column timestamp; log with nvidia-smi --query-gpu=timestamp,…");
	}
	smi_keep_messages(r, &csv->messages);
	good = good ? csv_finish(csv) : sheet_drop(csv->sheet);
	csv_row_release(&csv->row);
	words_release(&csv->uuids);
	words_release(&csv->names);
	words_release(&csv->bus_ids);
	grow_free(csv->unread);
	return good;
}

static const char sample[] =
	"timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu, fan.speed [%]\n"
	"2026/11/21 01:48:42.004, 0, NVIDIA H200, 100 %, 113325 MiB, 212.26 W, 41, [N/A]\n"
	"2026/11/21 01:48:42.513, 0, NVIDIA H200, 100 %, 113325 MiB, 430.02 W, 44, [N/A]\n"
	"2026/11/21 01:48:43.021, 0, NVIDIA H200, 100 %, 113325 MiB, 620.51 W, 46, [N/A]\n";

const struct format format_nvidia_smi_csv = {
	.name = "nvidia-smi-csv",
	.title = "nvidia-smi --query-gpu=timestamp,… --format=csv[,nounits] -l N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
