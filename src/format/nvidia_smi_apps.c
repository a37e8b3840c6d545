/*
 * nvidia_smi_apps.c - reads `nvidia-smi --query-compute-apps=timestamp,gpu_uuid,pid,process_name,used_memory --format=csv -l N`.
 *
 *     timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]
 *     2026/11/21 01:58:38.448, GPU-5306f94a-d687-35e5-d876-ed225cb8c625, 1467, python3, 520 MiB
 *     2026/11/21 01:58:38.448, GPU-5306f94a-d687-35e5-d876-ed225cb8c625, 1502, tritonserver --model=a,b, 1480 MiB
 *
 * A line is a process on a GPU. The lines of a poll lie milliseconds apart; those of one GPU are added up: how many processes
 * hold it, and how much memory together. Where the driver tells no process's memory ([N/A] on Windows) the sum isn't known.
 * A poll without processes prints nothing: a GPU seen before that has no line in a poll is held by nobody then, but where a whole
 * poll is silent nothing says that the logger was still there, so it is a hole.
 *
 * There is no quoting. The name of a process is free text and may hold commas: the columns before it are counted from the left,
 * those behind it from the right.
 *
 * --query-accounted-apps looks alike (gpu_utilization, max_memory_usage, time): totals of a process, told again at every poll.
 * Totals are no series: they become an event each, told once as long as they stay the same.
 * Such a file is refused for that reason.
 */
#include "format/nvidia_smi.h"
#include "format/row_clock.h"
#include "metric/identity.h"

#define MAX_APP_CELLS ((size_t)256)
#define MAX_POLL_LINES ((size_t)4096) /* processes on the GPUs of one host */
#define MOST_MEMORY (4194304 * (fixed)FIXED_ONE) /* MiB, as the catalogue has it */
#define POLL_MS 250                   /* a poll's lines lie closer together; 1 to 70 ms are usual */

enum role { ROLE_NONE, ROLE_TIME, ROLE_UUID, ROLE_BUS_ID, ROLE_NAME, ROLE_PID, ROLE_PROCESS, ROLE_MEMORY, ROLE_TOTAL };

static const struct spelling columns[] = {
	{ "used_gpu_memory", METRIC_GPU_PROC_MEM, UNIT_MIB },
	{ "used_memory", METRIC_GPU_PROC_MEM, UNIT_MIB },
	{ "pid", METRIC_GPU_PROC_COUNT, UNIT_NUMBER }, /* counted */
	{ NULL, METRIC_GPU_PROC_MEM, UNIT_MIB },
};

static const struct absence_word absences[] = {
	{ "[N/A]", ABSENT_UNSUPPORTED },
	{ "N/A", ABSENT_UNSUPPORTED },
	{ "[Not Supported]", ABSENT_UNSUPPORTED },
	{ "[Insufficient Permissions]", ABSENT_PERMISSION },
	{ "[Unknown Error]", ABSENT_ERROR },
	{ "[GPU is lost]", ABSENT_LOST },
	{ "", ABSENT_EMPTY },
	{ NULL, ABSENT_EMPTY },
};

static const struct {
	const char *head;
	enum role role;
} roles[] = {
	{ "timestamp", ROLE_TIME },       { "gpu_uuid", ROLE_UUID },       { "uuid", ROLE_UUID },
	{ "gpu_bus_id", ROLE_BUS_ID },    { "pci.bus_id", ROLE_BUS_ID },   { "gpu_name", ROLE_NAME },
	{ "pid", ROLE_PID },              { "process_name", ROLE_PROCESS }, { "name", ROLE_PROCESS },
	{ "used_gpu_memory", ROLE_MEMORY }, { "used_memory", ROLE_MEMORY }, { "max_memory_usage", ROLE_TOTAL },
};

struct process { /* a line of the poll in the making */
	size_t gpu; /* its channel */
	int64_t pid;
	time_ms t;
	fixed memory; /* FIXED_MISSING where the driver does not tell it */
	enum absence reason;
};

struct total { /* told last of a process */
	int64_t pid;
	const char *text;
};

struct apps { /* the file being read */
	struct reading *r;
	struct sheet *sheet;
	enum role heads[MAX_APP_CELLS];
	size_t n_heads;
	struct slice cells[MAX_APP_CELLS];
	size_t n_cells;
	struct row_clock clock;
	struct process *poll;
	size_t n_poll, poll_room;
	size_t n_gpus, n_polls, n_lines;
	const char *names[MAX_APP_CELLS]; /* of the columns, for totals */
	struct total *totals;
	size_t n_totals, totals_room;
	bool timeless;
	struct smi_messages messages;
};

/* At commas: nothing is quoted. False when there are too many. */
static bool cut_cells(struct apps *a, struct slice line)
{
	a->n_cells = 0;
	for (;;) {
		const char *comma = line.n ? memchr(line.p, ',', line.n) : NULL;
		struct slice cell = { line.p, comma ? (size_t)(comma - line.p) : line.n };
		if (a->n_cells == MAX_APP_CELLS)
			return false;
		a->cells[a->n_cells++] = slice_trim(cell);
		if (!comma)
			return true;
		line = (struct slice){ comma + 1, line.n - cell.n - 1 };
	}
}

static enum role role_of(struct slice cell)
{
	if (!cell.n || cell.p[0] < 'a' || cell.p[0] > 'z') /* nearly all cells are values */
		return ROLE_NONE;
	const char *const open = memchr(cell.p, '[', cell.n);
	if (open)
		cell = slice_trim((struct slice){ cell.p, (size_t)(open - cell.p) });
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (slice_is(cell, roles[i].head))
			return roles[i].role;
	return ROLE_NONE;
}

static bool has_role(const struct apps *a, enum role role)
{
	for (size_t i = 0; i < a->n_heads; i++)
		if (a->heads[i] == role)
			return true;
	return false;
}

/* Is the line just cut a header? Then it is in force. */
static bool take_header(struct apps *a)
{
	bool has_pid = false, has_memory = false;

	for (size_t i = 0; i < a->n_cells; i++) {
		enum role role = role_of(a->cells[i]);
		has_pid |= role == ROLE_PID;
		has_memory |= role == ROLE_MEMORY || role == ROLE_TOTAL;
	}
	const bool is_behind_a_row = a->cells[0].n && is_digit(a->cells[0].p[0]); /* that was cut off */
	if (!has_pid || !has_memory || is_behind_a_row)
		return false;
	for (size_t i = 0; i < a->n_cells; i++)
		a->heads[i] = role_of(a->cells[i]);
	a->n_heads = a->n_cells;
	return true;
}

/* "gpu_utilization [%]" is "gpu_utilization" */
static void keep_names(struct apps *a)
{
	for (size_t i = 0; i < a->n_heads; i++) {
		const char *open = a->cells[i].n ? memchr(a->cells[i].p, '[', a->cells[i].n) : NULL;
		struct slice name = slice_trim((struct slice){ a->cells[i].p, open ? (size_t)(open - a->cells[i].p) : a->cells[i].n });
		a->names[i] = arena_text(a->r->mem, name.p, name.n);
	}
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct apps *a = NEW(scratch, struct apps);

	while (first_bytes.n) {
		struct slice line = slice_trim(slice_line(&first_bytes));
		if (cut_cells(a, line) && take_header(a))
			return (struct bid){ 95, has_role(a, ROLE_TOTAL) ? "its header has the columns of --query-accounted-apps"
									 : "its header has the columns of --query-compute-apps" };
	}
	return (struct bid){ 0, NULL };
}

static void put_gpu(struct apps *a, size_t gpu, time_ms t)
{
	enum absence reason = ABSENT_UNSUPPORTED;
	fixed sum = 0;
	int64_t n = 0;

	for (size_t i = 0; i < a->n_poll; i++) {
		const struct process *p = &a->poll[i];
		if (p->gpu != gpu)
			continue;
		t = n++ ? t : p->t;
		reason = p->memory == FIXED_MISSING ? p->reason : reason;
		sum = sum == FIXED_MISSING || p->memory == FIXED_MISSING ? FIXED_MISSING : sum + p->memory;
	}
	if (sum > MOST_MEMORY) {
		sum = FIXED_MISSING;
		reason = ABSENT_OUT_OF_RANGE;
	}
	sheet_row(a->sheet, gpu, t);
	sheet_put(a->sheet, METRIC_GPU_PROC_COUNT, n * FIXED_ONE, 0);
	if (sum == FIXED_MISSING)
		sheet_absent(a->sheet, METRIC_GPU_PROC_MEM, reason);
	else
		sheet_put(a->sheet, METRIC_GPU_PROC_MEM, sum, 0);
}

/* Every GPU seen so far gets a row: one without a line is held by nobody. */
static void end_poll(struct apps *a)
{
	if (!a->n_poll)
		return;
	for (size_t gpu = 0; gpu < a->n_gpus; gpu++)
		put_gpu(a, gpu, a->poll[0].t);
	a->n_poll = 0;
	a->n_polls++;
}

static bool is_next_poll(const struct apps *a, size_t gpu, int64_t pid, time_ms t)
{
	time_ms gap = a->n_poll ? t - a->poll[a->n_poll - 1].t : 0;

	if (gap >= POLL_MS || gap < 0 || a->n_poll == MAX_POLL_LINES)
		return true;
	for (size_t i = 0; i < a->n_poll; i++)
		if (a->poll[i].gpu == gpu && a->poll[i].pid == pid)
			return true;
	return false;
}

/* An amount, or a word for none; false when it is neither. */
static bool memory_cell(struct slice cell, struct process *p)
{
	enum unit unit = UNIT_MIB;
	struct slice rest;

	p->memory = FIXED_MISSING;
	const bool is_number = cell.n && is_digit(cell.p[0]); /* no such word begins like one */
	for (const struct absence_word *word = absences; !is_number && word->word; word++) {
		if (!slice_is_nocase(cell, word->word))
			continue;
		p->reason = word->reason;
		return true;
	}
	p->reason = ABSENT_UNREADABLE;
	if (fixed_parse(cell, &p->memory, &rest) && p->memory >= 0 && p->memory <= MOST_MEMORY &&
		(!rest.n || slice_is(rest, "MiB") || (unit_find(rest, &unit) && unit == UNIT_MIB)))
		return true;
	p->memory = FIXED_MISSING;
	return false;
}

/* The cell under a head, where the process's name may have become several. */
static struct slice cell_under(const struct apps *a, size_t head)
{
	size_t more = a->n_cells - a->n_heads;

	for (size_t i = 0; i < head; i++)
		if (a->heads[i] == ROLE_PROCESS)
			return a->cells[head + more];
	return a->cells[head];
}

/* What a line says; false, already reported, when it can't be used. */
static bool parse_line(struct apps *a, struct process *p, struct entity *gpu)
{
	struct place place = { a->r->lines->path, a->r->lines->line, 0 };
	struct arena *mem = a->r->mem;

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = -1 };
	for (size_t i = 0; i < a->n_heads; i++) {
		struct slice cell = cell_under(a, i);
		enum role role = a->heads[i];
		if (role == ROLE_TIME && !row_clock_take(&a->clock, cell, &p->t))
			return sheet_reject(a->sheet, place, DIAG_BAD_TIME, "'%.*s' is no time stamp; line not used", SLICE(cell));
		if (role == ROLE_PID && !integer_parse(cell, &p->pid))
			return sheet_reject(a->sheet, place, DIAG_BAD_ROW, "'%.*s' is no process number; line not used", SLICE(cell));
		if (role == ROLE_MEMORY && !memory_cell(cell, p)) /* the process is there all the same */
			diag_repeat(a->r->diags, place, DIAG_BAD_NUMBER, "used_gpu_memory", "'%.*s' in used_gpu_memory", SLICE(cell));
		if (role == ROLE_UUID && slice_starts(cell, "GPU-") && slice_is_utf8(cell))
			gpu->uuid = arena_text(mem, cell.p, cell.n);
		if (role == ROLE_BUS_ID)
			gpu->bus_id = bus_id_normal(mem, cell);
		if (role == ROLE_NAME && cell.n && cell.p[0] != '[' && slice_is_utf8(cell))
			gpu->name = arena_text(mem, cell.p, cell.n);
	}
	if (!gpu->uuid && !gpu->bus_id && (has_role(a, ROLE_UUID) || has_role(a, ROLE_BUS_ID)))
		return sheet_reject(a->sheet, place, DIAG_BAD_ROW, "the line names no GPU; not used");
	if (!gpu->uuid && !gpu->bus_id)
		gpu->index = 0;
	return true;
}

/* "pid 4242: gpu_utilization 45 %, max_memory_usage 520 MiB, time 8000 ms" */
static const char *total_text(const struct apps *a, int64_t pid)
{
	const char *text = arena_print(a->r->mem, "pid %lld", (long long)pid), *between = ": ";

	for (size_t i = 0; i < a->n_heads; i++) {
		struct slice cell = cell_under(a, i);
		if ((a->heads[i] != ROLE_NONE && a->heads[i] != ROLE_TOTAL) || !slice_is_utf8(cell) || slice_starts(cell, "["))
			continue;
		text = arena_print(a->r->mem, "%s%s%s %.*s", text, between, a->names[i], SLICE(cell));
		between = ", ";
	}
	return text;
}

/* Is it what was told of this process before? Remembers it. */
static bool is_told(struct apps *a, int64_t pid, const char *text)
{
	size_t i = 0;

	while (i < a->n_totals && a->totals[i].pid != pid)
		i++;
	if (i < a->n_totals && strcmp(a->totals[i].text, text) == 0)
		return true;
	if (i == MAX_POLL_LINES)
		return false;
	a->totals = grow(a->totals, &a->totals_room, i + 1, sizeof *a->totals);
	a->totals[i] = (struct total){ pid, text };
	a->n_totals += i == a->n_totals;
	return false;
}

static void take_total(struct apps *a, const struct process *p, const struct entity *gpu)
{
	const char *text = total_text(a, p->pid);

	a->r->recording->n_rows_ignored++;
	a->timeless |= !has_role(a, ROLE_TIME);
	if (!is_told(a, p->pid, text))
		sheet_event(a->sheet, EVENT_PROCESS, gpu, p->t, 0, slice_of(text));
}

static void take_process(struct apps *a)
{
	struct place place = { a->r->lines->path, a->r->lines->line, 0 };
	struct process p = { .pid = -1, .memory = FIXED_MISSING };
	struct entity gpu;

	if (a->n_cells < a->n_heads || (a->n_cells > a->n_heads && !has_role(a, ROLE_PROCESS))) {
		sheet_reject_cells(a->sheet, place, a->n_cells, a->n_heads);
		return;
	}
	if (!parse_line(a, &p, &gpu))
		return;
	if (has_role(a, ROLE_TOTAL)) {
		take_total(a, &p, &gpu);
		return;
	}
	p.gpu = sheet_channel(a->sheet, &gpu);
	if (p.gpu == SIZE_MAX)
		return;
	if (!has_role(a, ROLE_TIME)) {
		a->timeless = true;
		p.t = (time_ms)a->n_polls * SECOND_MS;
	}
	if (is_next_poll(a, p.gpu, p.pid, p.t)) {
		end_poll(a);
		p.t = has_role(a, ROLE_TIME) ? p.t : (time_ms)a->n_polls * SECOND_MS;
		sheet_poll(a->sheet, p.t);
	}
	if (p.gpu >= a->n_gpus)
		a->n_gpus = p.gpu + 1;
	a->poll = grow(a->poll, &a->poll_room, a->n_poll + 1, sizeof *a->poll);
	a->poll[a->n_poll++] = p;
	a->n_lines++;
}

static void take_message(struct apps *a, struct slice line)
{
	end_poll(a);
	smi_take_message(a->r, &a->messages, line);
}

static void take_line(struct apps *a, struct slice line)
{
	if (!sheet_takes_line(a->sheet))
		return;
	if (smi_is_message(line)) {
		take_message(a, line);
		return;
	}
	if (slice_trim(line).n && cut_cells(a, line)) {
		const bool is_header = slice_has(line, "pid") && take_header(a);
		if (is_header)
			keep_names(a);
		if (!is_header && a->n_heads) {
			take_process(a);
			return;
		}
	}
	a->r->recording->n_rows_ignored++;
}

static bool finish(struct apps *a)
{
	struct recording *rec = a->r->recording;
	struct place place = { a->r->lines->path, 0, 0 };

	if (rec->cut) /* some of its lines may be missing, and the sum would be too small */
		a->n_poll = 0;
	end_poll(a);
	row_clock_settle(&a->clock, a->r, a->sheet);
	rec->clock.time_unknown = a->timeless;
	if (a->n_lines || a->n_totals || rec->n_rows_bad)
		return sheet_finish(a->sheet);
	diag_at(a->r->diags, place, DIAG_NOTHING_TOLD,
		"a header and no processes: none held a GPU while this was logged, and without them the log tells no times");
	return sheet_drop(a->sheet);
}

static bool read_lines(struct apps *a)
{
	struct slice line;

	while (line_next(a->r->lines, &line))
		take_line(a, line);
	return finish(a);
}

static bool read(struct reading *r)
{
	struct apps *a = NEW(r->scratch, struct apps);

	a->r = r;
	a->sheet = sheet_new(r);
	bool good = read_lines(a);
	smi_keep_messages(r, &a->messages);
	grow_free(a->poll);
	grow_free(a->totals);
	return good;
}

static const char sample[] = "timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
			     "2026/11/21 01:58:38.448, GPU-5306f94a-d687-35e5-d876-ed225cb8c625, 1467, python3, 520 MiB\n"
			     "2026/11/21 01:58:38.448, GPU-0fb8eb61-f214-e10e-222f-a9857e9fbb83, 1468, python3, 520 MiB\n"
			     "2026/11/21 01:58:39.449, GPU-5306f94a-d687-35e5-d876-ed225cb8c625, 1467, python3, 2262 MiB\n"
			     "2026/11/21 01:58:39.449, GPU-0fb8eb61-f214-e10e-222f-a9857e9fbb83, 1468, python3, 2262 MiB\n";

const struct format format_nvidia_smi_apps = {
	.name = "nvidia-smi-apps",
	.title = "nvidia-smi --query-compute-apps=timestamp,gpu_uuid,pid,… -l N; --query-accounted-apps",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
