/*
 * nvidia_smi_table.c - reads the table that plain `nvidia-smi -l N` prints, again and again.
 *
 *     Sat Nov 21 01:48:44 2026
 *     +-----------------------------------------------------------------------------------------+
 *     | NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
 *     +-----------------------------------------+------------------------+----------------------+
 *     | GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
 *     | Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
 *     |                                         |                        |               MIG M. |
 *     |=========================================+========================+======================|
 *     |   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |
 *     | N/A   55C    P0            687W /  700W |  113325MiB / 143771MiB |    100%      Default |
 *     |                                         |                        |             Disabled |
 *     +-----------------------------------------+------------------------+----------------------+
 *
 * The box is 79, 89 or 91 columns wide and has two or three lines for each GPU (MIG M. since 450), so cells
 * are found between the bars and, in a cell, by their order. Two lines make one row: the first has a
 * number in front, the second never has ("38%", "N/A", "ERR!"). Names longer than their place end in "...".
 * The boxes of MIG devices and of processes have bars, too; they are left out.
 *
 * The line above the box is ctime()'s: local time without a zone, in whole seconds; what date(1) printed for it
 * will do, and when both stand there and date names a zone as an offset or UTC, that zone is the log's. A
 * date holds for one box. A log whose boxes have none, as grep leaves it, is read as polls without times
 * (nvidia_smi_poll.h). `watch nvidia-smi > FILE` writes cursor moves and only the cells that changed;
 * nothing can be read from that, and such a file is refused.
 *
 * A GPU that fell off the bus has ERR! in most or all cells, even for its name; one that needs a reset has it for the
 * fan, and N/A for power and use:
 *
 *     |   4  ERR!                On   | 00000000:83:00.0 Off |                 ERR! |
 *     |ERR!  ERR! ERR!    ERR! / ERR! |      0MiB / 46068MiB |    ERR!      Default |
 *
 * ERR! in one cell alone is a sensor that failed, on a GPU that works.
 */
#include "format/date_line.h"
#include "format/nvidia_smi_poll.h"
#include "metric/identity.h"

/* The head gives one name to the two numbers of a cell, use and bound; the second name is ours. */
static const struct spelling columns[] = {
	{ "GPU-Util", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "Memory-Usage", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "Memory-Usage, total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "Pwr:Usage", METRIC_GPU_POWER, UNIT_WATT },
	{ "Cap", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "Temp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "Fan", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "Perf", METRIC_GPU_PSTATE, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};
enum place_in_columns { UTIL, MEMORY, MEMORY_TOTAL, POWER, CAP, TEMP, FAN, PERF, N_VALUES };

static const struct absence_word absences[] = {
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "Not Supported", ABSENT_UNSUPPORTED },
	{ "Unknown", ABSENT_ERROR },
	{ "Unknown Error", ABSENT_ERROR },
	{ "ERR!", ABSENT_ERROR },
	{ NULL, ABSENT_EMPTY },
};

#define N_CELLS 3 /* of a line in the box of GPUs */

struct table {
	struct reading *r;
	struct smi_polls polls;
	time_ms t;               /* what the last date line says */
	time_ms zone_t, offset;  /* what the last one that named a usable zone said */
	bool has_time, has_zone; /* t waits for its box; zone_t and offset are set */
	bool began;              /* some box has begun */
	bool headless;           /* of this box, only GPUs are left */
	bool in_gpus;            /* between the head of the GPUs and the next box */
	bool has_gpu;            /* the first line of a GPU was seen, the second not yet */
	struct entity gpu;       /* that GPU */
	bool name_failed;        /* its name is ERR! */
};

static bool is_version(struct slice line)
{
	return slice_starts(line, "| NVIDIA-SMI ");
}

/* What `watch` writes begins by clearing a terminal. */
static bool is_watch(struct slice text)
{
	return slice_starts(text, "\x1b[") && slice_has(text, "NVIDIA-SMI");
}

/* The cells between the bars; false when there are not as many as a GPU's line has. */
static bool cut_cells(struct slice line, struct slice cells[N_CELLS])
{
	size_t n = 0, begin = 1;

	for (size_t i = 1; i < line.n; i++) {
		if (line.p[i] != '|')
			continue;
		if (n < N_CELLS)
			cells[n] = slice_trim((struct slice){ line.p + begin, i - begin });
		n++;
		begin = i + 1;
	}
	return n == N_CELLS && begin == line.n;
}

/* The first line of a GPU: its number, and its bus id in the second cell. */
static bool is_gpu(struct slice line)
{
	struct slice cells[N_CELLS];
	struct slice number, bus;
	int64_t index;

	if (!slice_starts(line, "|") || !cut_cells(line, cells))
		return false;
	number = slice_word(&cells[0]), bus = slice_word(&cells[1]);
	return integer_parse(number, &index) && index < 1 << 16 && bus.n >= 12 && bus.p[bus.n - 2] == '.' && bus.p[bus.n - 5] == ':';
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (slice_has(first_bytes, "npu-smi")) /* Huawei draws its NPUs into much the same box */
		return (struct bid){ 0, NULL };
	if (is_watch(first_bytes))
		return (struct bid){ 60, "it is what watch drew of nvidia-smi's table" };
	struct bid best = { 0, NULL };
	while (first_bytes.n && best.score < 85) {
		struct slice line = slice_trim(slice_line(&first_bytes));
		if (is_version(line))
			best = (struct bid){ 85, "it has the box that plain nvidia-smi prints" };
		else if (is_gpu(line))
			best = (struct bid){ 60, "it has GPUs out of the box that plain nvidia-smi prints" };
	}
	return best;
}

static int column_in(struct slice line, struct slice part)
{
	return (int)(part.p - line.p) + 1;
}

/* What stands before the last word (the state of persistence, or Windows' driver model), or NULL for ERR! */
static const char *name_of(struct arena *mem, struct slice rest)
{
	rest = slice_trim(rest);
	while (rest.n && rest.p[rest.n - 1] != ' ')
		rest.n--;
	rest = slice_trim(rest);
	if (!rest.n || !slice_is_utf8(rest) || slice_is(rest, "ERR!"))
		return NULL;
	return arena_text(mem, rest.p, rest.n);
}

/* "687W /  700W" is two values; a word for missing may stand for both. False: neither. */
static bool cut_pair(struct slice text, struct slice *use, struct slice *bound)
{
	struct slice rest = text;

	*use = slice_word(&rest);
	struct slice slash = slice_word(&rest);
	*bound = slice_word(&rest);
	if (slice_is(slash, "/") && bound->n && !slice_word(&rest).n)
		return true;
	*use = *bound = slice_trim(text);
	return slice_is(*use, "Not Supported") || slice_is(*use, "N/A") || slice_is(*use, "ERR!");
}

/* The second line of a GPU. False when it does not look like one. */
static bool cut_values(struct slice cells[N_CELLS], struct slice values[N_VALUES])
{
	struct slice left = cells[0], right = cells[2];

	values[FAN] = slice_word(&left);
	values[TEMP] = slice_word(&left);
	values[PERF] = slice_word(&left);
	values[UTIL] = slice_word(&right);
	return values[PERF].n && values[UTIL].n && cut_pair(left, &values[POWER], &values[CAP]) &&
	       cut_pair(cells[1], &values[MEMORY], &values[MEMORY_TOTAL]);
}

static bool is_lost(const struct table *b, const struct slice values[N_VALUES])
{
	static const enum place_in_columns told[] = { FAN, TEMP, PERF, POWER, UTIL };
	int n_failed = b->name_failed;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		n_failed += slice_is(values[told[i]], "ERR!");
	bool needs_reset = slice_is(values[FAN], "ERR!") && slice_is(values[POWER], "N/A") && slice_is(values[UTIL], "N/A");
	return n_failed >= 2 || needs_reset;
}

static void take_values(struct table *b, struct slice line, struct slice cells[N_CELLS])
{
	struct place place = { b->r->lines->path, b->r->lines->line, 0 };
	struct slice values[N_VALUES];

	b->has_gpu = false;
	if (!cut_values(cells, values)) {
		sheet_reject(b->polls.sheet, place, DIAG_BAD_ROW, "not the fan, power, memory and use of a GPU; row not used");
		return;
	}
	const size_t channel = smi_poll_row(&b->polls, &b->gpu, place);
	if (channel == SIZE_MAX)
		return;
	for (size_t i = 0; i < N_VALUES; i++) {
		place.column = column_in(line, values[i]);
		sheet_cell(b->polls.sheet, &columns[i], columns[i].unit, values[i], place);
	}
	smi_poll_lost(&b->polls, channel, &b->gpu, is_lost(b, values), line);
}

static void take_driver(struct table *b, struct slice line)
{
	static const char *const labels[] = { "Driver Version: ", "KMD Version: " };
	struct recording *rec = b->r->recording;

	for (size_t i = 0; i < 2 && !rec->tool; i++) {
		size_t n = strlen(labels[i]);
		for (size_t k = 0; k + n < line.n && !rec->tool; k++) {
			struct slice rest = { line.p + k + n, line.n - k - n };
			if (memcmp(line.p + k, labels[i], n) != 0)
				continue;
			struct slice version = slice_word(&rest);
			rec->tool = arena_print(b->r->mem, "driver %.*s", SLICE(version));
		}
	}
}

/* date's line above ctime's, less than a minute before it: its zone is that of the log. */
static void take_zone(struct table *b)
{
	struct clock_note *clock = &b->r->recording->clock;

	if (!b->has_zone || clock->basis == BASIS_OFFSET || b->t < b->zone_t || b->t - b->zone_t >= MINUTE_MS)
		return;
	clock->basis = BASIS_OFFSET;
	clock->offset = b->offset;
	clock->zone = zone_name(b->r->mem, b->offset);
}

static bool take_date(struct table *b, struct slice line)
{
	struct slice zone;
	time_ms offset;

	if (!date_line_parse(line, &b->t, &zone))
		return false;
	if (zone_parse(zone, &offset)) {
		b->zone_t = b->t;
		b->offset = offset;
		b->has_zone = true;
	}
	b->has_time = true;
	b->in_gpus = b->has_gpu = false;
	return true;
}

static void begin_box(struct table *b)
{
	if (b->has_time)
		take_zone(b);
	smi_poll_begin(&b->polls, b->has_time ? b->t : TIME_UNKNOWN);
	b->has_time = b->in_gpus = b->has_gpu = b->headless = false;
	b->gpu.index = -1;
	b->began = true;
}

/* "  0  NVIDIA H200    On  |   00000000:00:06.0 Off |" */
static void take_gpu(struct table *b, struct slice cells[N_CELLS])
{
	struct slice rest = cells[0], bus = cells[1];
	int64_t index = 0;

	integer_parse(slice_word(&rest), &index);
	if (b->headless && index <= b->gpu.index) { /* the GPUs begin again: the next poll */
		begin_box(b);
		b->headless = b->in_gpus = true;
	}
	b->gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = (int)index, .name = name_of(b->r->mem, rest),
				  .bus_id = bus_id_normal(b->r->mem, slice_word(&bus)) };
	b->name_failed = slice_is(slice_word(&rest), "ERR!");
	b->has_gpu = true;
	b->r->recording->n_rows_ignored++; /* the row is the line that follows */
}

/* A line that opens or closes a part of the table; false: it does neither. */
static bool take_frame(struct table *b, struct slice line)
{
	if (take_date(b, line))
		return true;
	if (is_version(line)) {
		begin_box(b);
		take_driver(b, line);
		return true;
	}
	if (slice_starts(line, "| GPU  Name") && slice_has(line, "Bus-Id")) {
		b->in_gpus = true;
		return true;
	}
	if (slice_starts(line, "| Processes") || slice_starts(line, "| Compute processes") || slice_starts(line, "| MIG devices"))
		b->in_gpus = b->has_gpu = false;
	if (!b->in_gpus && is_gpu(line)) { /* a piece of a box, its head cut off */
		if (!b->began || b->has_time)
			begin_box(b);
		b->headless = b->in_gpus = true;
	}
	return !b->in_gpus || !line.n || line.p[0] != '|' || slice_starts(line, "|=") || slice_starts(line, "|-");
}

static void take_line(struct table *b, struct slice line)
{
	struct slice cells[N_CELLS];
	struct place place = { b->r->lines->path, b->r->lines->line, 0 };

	if (!sheet_takes_line(b->polls.sheet))
		return;
	line = slice_trim(line);
	if (smi_is_message(line)) {
		smi_take_message(b->r, &b->polls.messages, line);
		return;
	}
	if (take_frame(b, line)) {
		b->r->recording->n_rows_ignored++;
		return;
	}
	if (!cut_cells(line, cells)) {
		b->has_gpu = false;
		sheet_reject(b->polls.sheet, place, DIAG_BAD_ROW, "a GPU's line without its three cells; not used");
		return;
	}
	if (is_gpu(line))
		take_gpu(b, cells);
	else if (b->has_gpu)
		take_values(b, line, cells);
	else
		b->r->recording->n_rows_ignored++; /* the head's second line, and the line that has only the mode of MIG */
}

static bool read(struct reading *r)
{
	struct table *b = NEW(r->scratch, struct table);
	struct slice line;
	bool good = true;

	b->r = r;
	smi_polls_init(&b->polls, r, "no date line above this table; row not used");
	if (is_watch(lines_peek(r->lines)))
		good = diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NOT_A_LOG,
			"what watch drew on a terminal, only the cells that changed; log with nvidia-smi -l N > FILE");
	while (good && line_next(r->lines, &line))
		take_line(b, line);
	return smi_polls_finish(&b->polls, good);
}

#define RULE "+-----------------------------------------+------------------------+----------------------+\n"
#define BOX(stamp, gpu)                                                                                   \
	stamp "       \n"                                                                                  \
	"+-----------------------------------------------------------------------------------------+\n"      \
	"| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |\n" RULE  \
	"| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"      \
	"| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"      \
	"|                                         |                        |               MIG M. |\n"      \
	"|=========================================+========================+======================|\n"      \
	"|   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |\n" gpu   \
	"|                                         |                        |             Disabled |\n" RULE "\n"

static const char sample[] =
	BOX("Sat Nov 21 01:48:39 2026", "| N/A   34C    P0             76W /  700W |       0MiB / 143771MiB |      0%      Default |\n")
	BOX("Sat Nov 21 01:48:44 2026", "| N/A   55C    P0            687W /  700W |  113325MiB / 143771MiB |    100%      Default |\n");

const struct format format_nvidia_smi_table = {
	.name = "nvidia-smi-table",
	.title = "nvidia-smi [-l N], its table",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
