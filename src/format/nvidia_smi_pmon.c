/*
 * nvidia_smi_pmon.c - reads `nvidia-smi pmon [-o D|T|DT] [-s um]`: the processes of each GPU.
 *
 *     #Date        Time         gpu         pid   type     sm    mem    enc    dec    jpg    ofa     fb   ccpm    command
 *     #YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %      %      %      %      %     MB     MB    name
 *      20261121    01:48:40       0          -     -      -      -      -      -      -      -      -      -    -
 *      20261121    01:48:41       0        486     C     99     15      -      -      -      -  113316      0    python3
 *
 * A line is a process; a row of ours is a GPU at a poll: how many processes hold it, their sm and their fb
 * together. A GPU without processes has one line of '-': none, and nothing held. The command is cut at 15
 * characters and may hold blanks; it is the last column. The type is C, G or C+G: all of them count.
 *
 * '-' in sm says that the driver has no sample of this process since the last poll; where it has of others,
 * these are the sum, and where it has of none (always so with MIG), the sum is missing. '-' in fb is "not
 * told" (Windows): then the sum is missing as well, for a part of it would look like the whole.
 *
 * gpu.util is not taken from sm: processes overlap, and one that has ended is not listed any more.
 *
 * A poll of a GPU ends when the time changes, another GPU comes, or a process comes again. Without -o, or with
 * -o D, there is no time: each poll is a second after the one before. The head comes again every 44 data lines,
 * also inside a poll.
 */
#include "format/nvidia_smi.h"
#include "format/nvidia_smi_mon.h"

#include "format/polls.h"

static const struct spelling columns[] = {
	{ "pid", METRIC_GPU_PROC_COUNT, UNIT_NUMBER },
	{ "sm", METRIC_GPU_PROC_UTIL, UNIT_PERCENT },
	{ "fb", METRIC_GPU_PROC_MEM, UNIT_MIB },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ "N/A", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

struct sum { /* of one column over the processes of a poll */
	fixed value;
	size_t n_known, n_absent;
	enum absence why; /* of the last that was absent */
};
enum { SM, FB, N_SUMS };
static const struct spelling *const summed[N_SUMS] = { [SM] = &columns[1], [FB] = &columns[2] };

struct poll { /* of one GPU, in the making */
	int64_t gpu;
	time_ms t;
	int64_t pids[MAX_PIDS];
	size_t n_pids;
	struct sum sums[N_SUMS];
	size_t n_lines; /* 0: none is in the making */
};

struct pmon {
	struct reading *r;
	struct sheet *sheet;
	struct mon_cells cells;
	struct mon_clock clock;
	size_t gpu, pid, at[N_SUMS]; /* places of these columns; n_heads where there is none */
	bool has_head;
	struct poll poll;
	struct polls polls; /* for logs without time */
	struct smi_messages messages;
};

static bool is_names(const struct mon_cells *c)
{
	return mon_is_names(c) && mon_find(c, "pid") == mon_find(c, "gpu") + 1 && mon_find(c, "command") + 1 == c->n;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct mon_cells c;

	(void)scratch;
	while (first_bytes.n)
		if (mon_cut_head(&c, slice_line(&first_bytes)) && is_names(&c))
			return (struct bid){ 90, "it has pmon's header: a '#', then gpu, pid and command" };
	return (struct bid){ 0, NULL };
}

static void take_names(struct pmon *p)
{
	const struct mon_cells *c = &p->cells;

	p->has_head = true;
	mon_take_names(&p->clock, c);
	p->gpu = mon_find(c, "gpu");
	p->pid = mon_find(c, "pid");
	for (size_t k = 0; k < N_SUMS; k++)
		p->at[k] = mon_find(c, summed[k]->head);
	for (size_t i = p->pid + 1; i < c->n; i++)
		if (!spelling_find(columns, c->at[i]))
			reading_remember_unread(p->r, c->at[i], MON_MAX_CELLS);
}

/* All processes told of a value, or at least one for sm: then the others have not run. */
static bool is_known(const struct sum *sum, size_t k)
{
	return !sum->n_absent || (k == SM && sum->n_known);
}

static void put_sum(struct pmon *p, size_t k)
{
	const struct sum *sum = &p->poll.sums[k];
	const enum metric metric = summed[k]->metric;

	if (p->r->recording->cut) /* processes behind the cut may be missing in the last sum */
		sheet_absent(p->sheet, metric, ABSENT_UNREADABLE);
	else if (!is_known(sum, k))
		sheet_absent(p->sheet, metric, sum->why);
	else if (fixed_value(sum->value) > metric_table[metric].high)
		sheet_absent(p->sheet, metric, ABSENT_OUT_OF_RANGE);
	else
		sheet_put(p->sheet, metric, sum->value, 0);
}

/* The poll in the making becomes a row; the lines behind its first are counted as ignored, because they are in it. */
static void end_poll(struct pmon *p)
{
	struct poll *poll = &p->poll;

	if (!poll->n_lines)
		return;
	const size_t channel = sheet_channel(p->sheet, &(struct entity){ .scope = SCOPE_GPU, .host = "", .index = (int)poll->gpu });
	if (channel == SIZE_MAX) {
		p->r->recording->n_rows_bad += poll->n_lines;
	} else {
		sheet_row(p->sheet, channel, poll->t);
		if (p->r->recording->cut)
			sheet_absent(p->sheet, METRIC_GPU_PROC_COUNT, ABSENT_UNREADABLE);
		else
			sheet_put(p->sheet, METRIC_GPU_PROC_COUNT, (fixed)poll->n_pids * FIXED_ONE, 0);
		for (size_t k = 0; k < N_SUMS; k++)
			if (p->at[k] < p->clock.n_heads)
				put_sum(p, k);
		p->r->recording->n_rows_ignored += poll->n_lines - 1;
	}
	poll->n_lines = poll->n_pids = 0;
	memset(poll->sums, 0, sizeof poll->sums);
}

static bool has_pid(const struct poll *poll, int64_t pid)
{
	for (size_t i = poll->n_pids; i-- > 0;)
		if (poll->pids[i] == pid)
			return true;
	return false;
}

static void add_absent(struct sum *sum, enum absence why)
{
	sum->n_absent++;
	sum->why = why;
}

static void add_cell(struct pmon *p, size_t k)
{
	const struct slice cell = p->cells.at[p->at[k]];
	const struct place place = { p->r->lines->path, p->r->lines->line, mon_column(&p->cells, p->at[k]) };
	struct sum *sum = &p->poll.sums[k];
	int64_t value;

	for (const struct absence_word *word = absences; word->word; word++)
		if (slice_is(cell, word->word)) {
			add_absent(sum, word->reason);
			return;
		}
	if (!integer_parse(cell, &value)) {
		diag_repeat(p->r->diags, place, DIAG_BAD_NUMBER, summed[k]->head, "'%.*s' in %s", SLICE(cell), summed[k]->head);
		add_absent(sum, ABSENT_UNREADABLE);
	} else if ((double)value > metric_table[summed[k]->metric].high) {
		diag_repeat(p->r->diags, place, DIAG_OUT_OF_RANGE, summed[k]->head, "'%.*s' in %s is impossible; treated as missing",
			SLICE(cell), summed[k]->head);
		add_absent(sum, ABSENT_OUT_OF_RANGE);
	} else {
		sum->n_known++;
		sum->value += value * FIXED_ONE; /* MAX_PIDS of the largest that is possible fit */
	}
}

/* A line of '-' in place of a process: this GPU has none. */
static bool is_idle(const struct pmon *p)
{
	return slice_is(p->cells.at[p->pid], "-");
}

static bool begins_poll(const struct pmon *p, int64_t gpu, time_ms t, int64_t pid)
{
	const struct poll *poll = &p->poll;

	if (!poll->n_lines || poll->gpu != gpu || !poll->n_pids || is_idle(p))
		return true;
	return (!p->clock.timeless && poll->t != t) || has_pid(poll, pid);
}

/* False, already reported, when the row can't be used. */
static bool row_begins(struct pmon *p, int64_t *gpu, time_ms *t, int64_t *pid)
{
	struct place place = { p->r->lines->path, p->r->lines->line, 0 };
	const struct mon_cells *c = &p->cells;

	mon_take_row(&p->clock, p->r);
	if (c->n + 1 < p->clock.n_heads) /* a process may have no name */
		return sheet_reject_cells(p->sheet, place, c->n, p->clock.n_heads);
	place.column = mon_column(c, p->gpu);
	if (!integer_parse(c->at[p->gpu], gpu) || *gpu >= POLLS_MAX_INDEX)
		return sheet_reject(p->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(c->at[p->gpu]));
	place.column = mon_column(c, p->pid);
	if (!is_idle(p) && !integer_parse(c->at[p->pid], pid))
		return sheet_reject(p->sheet, place, DIAG_BAD_ROW, "'%.*s' is no process id; row not used", SLICE(c->at[p->pid]));
	return mon_stamp(&p->clock, p->r, c, t);
}

static void take_row(struct pmon *p)
{
	struct place place = { p->r->lines->path, p->r->lines->line, 0 };
	struct poll *poll = &p->poll;
	int64_t gpu = -1, pid = -1;
	time_ms t = TIME_UNKNOWN;

	if (!row_begins(p, &gpu, &t, &pid))
		return;
	if (begins_poll(p, gpu, t, pid)) {
		end_poll(p);
		poll->gpu = gpu;
		poll->t = p->clock.timeless ? polls_time(&p->polls, p->r->scratch, gpu) : t;
		sheet_poll(p->sheet, poll->t);
	}
	if (poll->n_pids == MAX_PIDS) {
		sheet_reject(p->sheet, place, DIAG_BAD_ROW, "more than %d processes on one GPU; row not used", MAX_PIDS);
		return;
	}
	poll->n_lines++;
	if (is_idle(p))
		return;
	poll->pids[poll->n_pids++] = pid;
	for (size_t k = 0; k < N_SUMS; k++)
		if (p->at[k] < p->clock.n_heads)
			add_cell(p, k);
}

/* The head that comes every 44 lines; else the log goes on with other columns. */
static bool is_head_again(const struct pmon *p)
{
	const struct mon_cells *c = &p->cells;

	return c->n == p->clock.n_heads && mon_find(c, "pid") == p->pid && mon_find(c, "Time") == p->clock.time &&
	       mon_find(c, summed[SM]->head) == p->at[SM] && mon_find(c, summed[FB]->head) == p->at[FB];
}

static void take_head(struct pmon *p)
{
	p->r->recording->n_rows_ignored++;
	if (!is_names(&p->cells) || (p->has_head && is_head_again(p)))
		return;
	end_poll(p);
	take_names(p);
}

static void take_line(struct pmon *p, struct slice line)
{
	if (!sheet_takes_line(p->sheet))
		return;
	if (smi_is_message(line)) {
		smi_take_message(p->r, &p->messages, line);
		return;
	}
	if (mon_cut_head(&p->cells, line)) {
		take_head(p);
		return;
	}
	if (!p->has_head || !slice_trim(line).n) {
		p->r->recording->n_rows_ignored++; /* blank lines, and what a shell prints before the log begins */
		return;
	}
	mon_cut_words(&p->cells, line, p->clock.n_heads);
	take_row(p);
}

static bool read(struct reading *r)
{
	struct pmon *p = NEW(r->scratch, struct pmon);
	struct slice line;

	p->r = r;
	p->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(p, line);
	end_poll(p);
	smi_keep_messages(r, &p->messages);
	return sheet_finish(p->sheet);
}

static const char sample[] =
	"#Date        Time         gpu         pid   type     sm    mem    enc    dec     fb    command \n"
	"#YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %      %      %     MB    name \n"
	" 20261121    01:48:41       0          -     -      -      -      -      -      -    -              \n"
	" 20261121    01:48:42       0        486     C     97     14      -      - 113316    python3        \n"
	" 20261121    01:48:43       0        486     C     99     16      -      - 113316    python3        \n";

const struct format format_nvidia_smi_pmon = {
	.name = "nvidia-smi-pmon",
	.title = "nvidia-smi pmon [-o DT] [-s um]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
