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
 * The line above the box is ctime()'s: local time without a zone. It is the only time there is; a box
 * without one can't be placed. `watch nvidia-smi > FILE` writes cursor moves and only the cells that
 * changed; nothing can be read from that, and such a file is refused.
 *
 * A GPU that fell off the bus has ERR! in some or all cells, even for its name.
 */
#include "format/nvidia_smi.h"
#include "metric/identity.h"

#include <stdio.h>

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
	struct sheet *sheet;
	time_ms t;               /* of the box; what the date line above it says */
	bool has_time, time_used; /* a date line was seen; a box has begun under it */
	bool ever_timed, seen_values;
	bool in_gpus;            /* between the head of the GPUs and the next box */
	bool has_gpu;            /* the first line of a GPU was seen, the second not yet */
	size_t channel;          /* of that GPU */
	struct smi_messages messages;
};

static struct slice first_line(struct slice *rest)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	struct slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = (struct slice){ rest->p + line.n + (end != NULL), rest->n - line.n - (end != NULL) };
	return slice_trim(line);
}

static bool is_version(struct slice line)
{
	return slice_starts(line, "| NVIDIA-SMI ");
}

/* What `watch` writes begins by clearing a terminal. */
static bool is_watch(struct slice text)
{
	return slice_starts(text, "\x1b[") && slice_has(text, "NVIDIA-SMI");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (is_watch(first_bytes))
		return (struct bid){ 60, "it is what watch drew of nvidia-smi's table" };
	while (first_bytes.n)
		if (is_version(first_line(&first_bytes)))
			return (struct bid){ 85, "it has the box that plain nvidia-smi prints" };
	return (struct bid){ 0, NULL };
}

/* "Sat Nov 21 01:48:34 2026", the day padded with a blank; nothing before or after. */
static bool ctime_parse(struct slice line, time_ms *t)
{
	struct slice words[6];
	int64_t day, year;
	int month = 0;

	for (size_t i = 0; i < 6; i++)
		words[i] = slice_word(&line);
	if (!words[4].n || words[5].n || words[0].n != 3 || words[3].n != 8 || words[4].n != 4)
		return false;
	while (month < 12 && !slice_is(words[1], month_names[month]))
		month++;
	if (month == 12 || words[2].n > 2 || !integer_parse(words[2], &day) || !integer_parse(words[4], &year))
		return false;
	char text[32];
	int n = snprintf(text, sizeof text, "%04d-%02d-%02d %.8s", (int)year, month + 1, (int)day, words[3].p);
	return stamp_parse((struct slice){ text, (size_t)n }, t);
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

/* "  0  NVIDIA H200    On  |   00000000:00:06.0 Off |": False when the line is not the first of a GPU. */
static bool take_gpu(struct table *b, struct slice cells[N_CELLS])
{
	struct slice rest = cells[0], bus = cells[1];
	int64_t index;

	if (!integer_parse(slice_word(&rest), &index) || index >= 1 << 16)
		return false;
	struct entity gpu = { .scope = SCOPE_GPU, .host = "", .index = (int)index, .name = name_of(b->r->mem, rest),
			      .bus_id = bus_id_normal(b->r->mem, slice_word(&bus)) };
	b->channel = sheet_channel(b->sheet, &gpu);
	b->has_gpu = true;
	b->r->recording->n_rows_ignored++; /* the row is the line that follows */
	return true;
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

static void take_values(struct table *b, struct slice line, struct slice cells[N_CELLS])
{
	struct place place = { b->r->lines->path, b->r->lines->line, 0 };
	struct slice values[N_VALUES];

	b->has_gpu = false;
	b->seen_values = true;
	if (!b->has_time) {
		sheet_reject(b->sheet, place, DIAG_BAD_TIME, "no date line above this table; row not used");
		return;
	}
	if (!cut_values(cells, values)) {
		sheet_reject(b->sheet, place, DIAG_BAD_ROW, "not the fan, power, memory and use of a GPU; row not used");
		return;
	}
	if (b->channel == SIZE_MAX) {
		b->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(b->sheet, b->channel, b->t);
	for (size_t i = 0; i < N_VALUES; i++) {
		place.column = column_in(line, values[i]);
		sheet_cell(b->sheet, &columns[i], columns[i].unit, values[i], place);
	}
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

/* A line that opens or closes a part of the table; false: it does neither. */
static bool take_frame(struct table *b, struct slice line)
{
	time_ms t;

	if (ctime_parse(line, &t)) {
		b->t = t;
		b->has_time = b->ever_timed = true;
		b->time_used = b->in_gpus = b->has_gpu = false;
		return true;
	}
	if (is_version(line)) {
		b->has_time = b->has_time && !b->time_used;
		b->time_used = true;
		b->in_gpus = b->has_gpu = false;
		take_driver(b, line);
		return true;
	}
	if (slice_starts(line, "| GPU  Name") && slice_has(line, "Bus-Id")) {
		b->in_gpus = true;
		return true;
	}
	if (slice_starts(line, "| Processes") || slice_starts(line, "| Compute processes") || slice_starts(line, "| MIG devices"))
		b->in_gpus = b->has_gpu = false;
	return !b->in_gpus || !line.n || line.p[0] != '|' || slice_starts(line, "|=") || slice_starts(line, "|-");
}

static void take_line(struct table *b, struct slice line)
{
	struct slice cells[N_CELLS];
	struct place place = { b->r->lines->path, b->r->lines->line, 0 };

	if (!sheet_takes_line(b->sheet))
		return;
	line = slice_trim(line);
	if (smi_is_message(line)) {
		smi_take_message(b->r, &b->messages, line);
		return;
	}
	if (take_frame(b, line)) {
		b->r->recording->n_rows_ignored++;
		return;
	}
	if (!cut_cells(line, cells)) {
		b->has_gpu = false;
		sheet_reject(b->sheet, place, DIAG_BAD_ROW, "a GPU's line without its three cells; not used");
		return;
	}
	if (take_gpu(b, cells))
		return;
	if (b->has_gpu)
		take_values(b, line, cells);
	else
		b->r->recording->n_rows_ignored++; /* the head's second line, and the line that has only the mode of MIG */
}

static bool read(struct reading *r)
{
	struct table *b = NEW(r->mem, struct table);
	struct slice line;
	bool good = true;

	b->r = r;
	b->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	if (is_watch(lines_peek(r->lines)))
		good = diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NOT_A_LOG,
			"what watch drew on a terminal, only the cells that changed; log with nvidia-smi -l N > FILE");
	while (good && line_next(r->lines, &line))
		take_line(b, line);
	if (good && b->seen_values && !b->ever_timed)
		good = diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_TIME,
			"no table has its date line above it; keep all lines that nvidia-smi -l N prints");
	smi_keep_messages(r, &b->messages);
	return good ? sheet_finish(b->sheet) : sheet_drop(b->sheet);
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
	.title = "nvidia-smi -l N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
