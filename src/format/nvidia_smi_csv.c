/*
 * nvidia_smi_csv.c - reads `nvidia-smi --query-gpu=… --format=csv[,noheader][,nounits] -l N`, and CSV that people make of it.
 *
 *     timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]
 *     2026/11/21 01:48:34.387, 0, 34 %, 76 MiB, 76.56 W, [N/A]
 *
 * The header names the columns, in the user's order (nvidia_smi_csv_head.c). `nounits` takes the unit off the cells only, so each
 * cell may have one or not. A shell loop repeats the header before every poll, and a restarted logger writes it again with other
 * columns: columns are mapped anew at each header. `noheader` leaves it out: then --columns names them, or a guess is proposed
 * (nvidia_smi_csv_guess.c). A GPU's rows are known by uuid, bus id or index, whichever there is; where there is none, the order
 * within a poll may tell (row_polls.h).
 *
 * Time is local, without a zone, or written any other way (row_clock.h), or stands on a line of its own before each poll:
 *
 *     Tue Jun  9 09:00:01 UTC 2020                      C:\monitoring>date /T
 *     utilization.gpu [%], memory.used [MiB]            Tue 08/18/2020
 *     0 %, 0 MiB                                        C:\monitoring>time /T
 *                                                       03:44 PM
 *
 * Where there is none at all, rows are a second apart until the user places them. Error messages of nvidia-smi land in the log between
 * the rows; they are kept as messages, and one that names a lost GPU is an event, as is the first cell that says so. A last line
 * without a line end may be cut inside a number ("300" of "300.25 W"), so it is not used.
 *
 * Rows that look like those of their GPU before them need none of that (row_pattern.h); what is found out of a row here is the law.
 *
 * Several hosts that append to one file are found out by GPUs that have one index and two names; such a file is not used.
 */
#include "format/kept_words.h"
#include "format/nvidia_smi.h"
#include "format/nvidia_smi_csv.h"
#include "format/poll_banner.h"
#include "format/row_pattern.h"
#include "format/row_polls.h"
#include "metric/identity.h"

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

#define LONGEST_S ((fixed)1000000000) /* 31 years; no run takes longer */
#define SLOWEST_ANSWER ((time_ms)500)  /* from GPU to GPU within a poll */
#define MAX_LOST ((size_t)64) /* GPUs of one host that are lost at once */

struct seen { /* what a channel's rows said before */
	const char *name;
	int64_t line; /* where the name stood first */
	size_t poll; /* of its last row */
	struct entity gpu;
	time_ms last; /* time of its last row */
	struct entity known; /* how its channel was known when a row came last */
};

/* Of a GPU whose number is another one's, and that no row named before: a damaged name, or the first row of another card. */
struct held_row {
	struct entity gpu;
	struct header *header; /* in force there */
	struct slice text;
	size_t shift;
	time_ms time;
	int64_t line;
};

#define MAX_HELD ((size_t)16)

struct csv { /* the file being read */
	struct reading *r;
	struct sheet *sheet;
	struct csv_row row;
	struct header header; /* in force */
	bool seen_header, listed, had_time; /* listed: by --columns or a guess; had_time: some header before had one */
	struct guess *guess;  /* in the making, of a log without header */
	struct row_clock clock;
	struct poll_banner banner;
	bool timeless, elapsed, by_block; /* how the rows used so far got their times */
	bool anonymous; /* some rows name no GPU */
	size_t n_marks, poll, n_rows;
	time_ms last; /* of the row before */
	struct row_polls polls;
	struct patterns *patterns; /* NULL: each row goes through the grammar */
	struct fitted *fitted[WORKERS_MAX]; /* by part */
	struct hints *hints[WORKERS_MAX];   /* by thread */
	size_t n_parts;   /* in which rows are looked at, each on its own thread */
	size_t part_from; /* bytes of a part that is worth a thread */
	size_t n_smooth, smooth_from; /* bytes that went by without a row that fitted no pattern, and from how many on there are parts */
	struct seen *seen; /* by channel */
	size_t n_seen, seen_room;
	struct entity lost[MAX_LOST];
	size_t n_lost;
	const char *conflict; /* why the rows can't be of one host, unless those that say so are damaged */
	struct odd_rows {
		const char *name, *last; /* what the first one and the last one call a GPU that is known by another name */
		int64_t line;
		size_t n;
		bool again; /* one name came twice */
	} odd;
	struct held_row held[MAX_HELD];
	size_t n_held;
	bool after_message, open_quote;
	bool names_differ;
	const char **unread;
	size_t n_unread, unread_room;
	struct smi_messages messages;
	struct kept_words uuids, names, bus_ids;
};

/* The header of all fields is longer than the first bytes: what is there of it, less the name that is cut. */
static struct slice without_last_cell(struct slice line)
{
	while (line.n && line.p[line.n - 1] != ',')
		line.n--;
	return line.n ? (struct slice){ line.p, line.n - 1 } : line;
}

static struct bid bid_for_header(const struct csv_row *row, const struct header *header, struct arena *scratch)
{
	size_t known = 0;

	for (size_t i = 0; i < header->n; i++)
		known += header->at[i].role != ROLE_NONE;
	if (header->by_hand)
		return (struct bid){ 45, arena_print(scratch, "its header is written by hand and read so: %s",
						 header_by_hand_text(scratch, row, header)) };
	return (struct bid){ (int)(50 + 50 * known / row->n),
		arena_print(scratch, "its header has nvidia-smi's names in %zu of %zu columns, %zu of them metrics", known, row->n,
			header->n_metrics) };
}

/* Headers among the first bytes are found first; rows without one are kept for a guess. */
static bool find_header(struct slice first_bytes, struct csv_row *row, struct header *header, struct guess *guess)
{
	while (first_bytes.n) {
		const struct slice taken = slice_line(&first_bytes);
		const bool whole = slice_line_is_whole(taken, first_bytes);
		struct slice line = slice_trim(taken);
		if (!whole && line.n > PEEK_BYTES / 2)
			line = without_last_cell(line);
		else if (!whole && row->n) /* a row that may be cut */
			break;
		if (!line.n || memchr(line.p, '\0', line.n) || !csv_row_cut(row, line))
			continue;
		if (header_from_row(row, header))
			return true;
		if (row->n > 1)
			guess_row(guess, row);
	}
	return false;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct guess *guess = guess_new(scratch);
	struct header *header = NEW(scratch, struct header);
	struct bid best = { 0, NULL };
	struct csv_row row;

	csv_row_init(&row, ',');
	if (find_header(first_bytes, &row, header, guess))
		best = bid_for_header(&row, header, scratch);
	else if (guess_is_log(guess))
		best = (struct bid){ 30, arena_print(scratch, "no header; by their cells its columns could be %s, which is a guess",
					     guess_list(scratch, guess)) };
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

/* The header is in csv->header already. */
static void take_header(struct csv *csv)
{
	csv->r->recording->n_rows_ignored++;
	csv->n_marks++;
	csv->seen_header = true;
	while (csv->header.n && !slice_trim(csv->row.cells[csv->header.n - 1]).n) /* a comma at its end */
		csv->header.n--;
	for (size_t i = 0; i < csv->header.n; i++)
		if (csv->header.at[i].role == ROLE_NONE || csv->header.at[i].role == ROLE_UNREAD)
			remember_unread(csv, csv->row.cells[i]);
	if (csv->header.has_identity)
		sheet_thin_ahead(csv->sheet);
	if (csv->patterns)
		patterns_reset(csv->patterns, &csv->header);
}

/*
 * Which of the row's cells is the header's first; false when the row does not fit. Empty cells behind the last are fine, and so
 * is one more cell where the first two are both times: the logger's own and nvidia-smi's, under one head.
 */
static bool row_fits(struct csv *csv, size_t *shift)
{
	struct csv_row *row = &csv->row;
	struct row_clock probe = { 0 };
	time_ms t;

	*shift = 0;
	while (row->n > csv->header.n && !slice_trim(row->cells[row->n - 1]).n)
		row->n--;
	if (row->n == csv->header.n)
		return true;
	if (row->n != csv->header.n + 1 || csv->header.at[0].role != ROLE_TIME || !stamp_parse(row->cells[1], &t) ||
		!row_clock_take(&probe, row->cells[0], &t))
		return false;
	*shift = 1;
	return true;
}

/* What a cell says of when; false when that can't be read. `date`: from one column to the next. */
static bool time_cell(struct csv *csv, const struct head *head, struct slice cell, time_ms *t, struct slice *date)
{
	char both[64];
	fixed seconds;
	struct slice rest;

	switch (head->role) {
	case ROLE_DATE:
		*date = cell;
		return true;
	case ROLE_OF_DAY:
		if (date->n + cell.n + 1 > sizeof both)
			return false;
		memcpy(both, date->p, date->n);
		both[date->n] = ' ';
		memcpy(both + date->n + 1, cell.p, cell.n);
		return row_clock_take(&csv->clock, (struct slice){ both, date->n + cell.n + 1 }, t);
	case ROLE_ELAPSED:
		if (csv->clock.way != WAY_UNKNOWN || !fixed_parse(cell, &seconds, &rest) || rest.n || seconds < 0 ||
			seconds > LONGEST_S * FIXED_ONE)
			return false;
		*t = seconds / (FIXED_ONE / SECOND_MS);
		csv->elapsed = true;
		return true;
	default:
		return !csv->elapsed && row_clock_take(&csv->clock, cell, t);
	}
}

static bool index_cell(struct csv *csv, struct slice cell, struct place place, struct entity *gpu)
{
	int64_t index;

	if (!integer_parse(cell, &index) || index >= 1 << 16)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(cell));
	gpu->index = (int)index;
	return true;
}

static void name_cell(struct csv *csv, enum role role, struct slice cell, struct entity *gpu)
{
	struct arena *mem = csv->r->mem;

	if (role == ROLE_UUID && cell.n && cell.p[0] != '[')
		gpu->uuid = kept_word(mem, &csv->uuids, cell, kept_plain);
	else if (role == ROLE_BUS_ID)
		gpu->bus_id = kept_word(mem, &csv->bus_ids, cell, bus_id_normal);
	else if (role == ROLE_NAME && cell.n && cell.p[0] != '[' && slice_is_utf8(cell))
		gpu->name = kept_word(mem, &csv->names, cell, kept_plain);
	else if (role == ROLE_DRIVER && !csv->r->recording->tool && cell.n && cell.p[0] != '[')
		csv->r->recording->tool = arena_print(mem, "driver %.*s", SLICE(cell));
}

/* Time and identity of the row; false, already reported, when it can't be used. */
static bool row_identity(struct csv *csv, size_t shift, time_ms *t, struct entity *gpu)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct slice date = { "", 0 };

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = csv->header.has_identity ? -1 : 0 };
	for (size_t i = 0; i < csv->header.n; i++) {
		const struct head *head = &csv->header.at[i];
		struct slice cell = slice_trim(csv->row.cells[i + shift]);
		place.column = csv->row.columns[i + shift];
		if (head->role >= ROLE_TIME && head->role <= ROLE_ELAPSED && !time_cell(csv, head, cell, t, &date))
			return sheet_reject(csv->sheet, place, DIAG_BAD_TIME,
				"'%.*s' is no time stamp, expected like %s; row not used", SLICE(cell),
				csv->clock.way > WAY_LOCAL ? "those before it" : "2026/11/21 01:48:34.387");
		if (head->role == ROLE_INDEX && !index_cell(csv, cell, place, gpu))
			return false;
		if (head->role >= ROLE_UUID)
			name_cell(csv, head->role, cell, gpu);
	}
	if (gpu->index < 0 && !gpu->uuid && !gpu->bus_id)
		return sheet_reject(csv->sheet, (struct place){ place.path, place.line, 0 }, DIAG_BAD_ROW,
			"the row names no GPU; not used");
	return true;
}

static struct seen *seen_of(struct csv *csv, size_t channel)
{
	while (csv->n_seen <= channel) {
		csv->seen = grow(csv->seen, &csv->seen_room, csv->n_seen + 1, sizeof *csv->seen);
		csv->seen[csv->n_seen++] = (struct seen){ .poll = SIZE_MAX, .gpu = { .scope = SCOPE_GPU, .host = "", .index = -1 } };
	}
	return &csv->seen[channel];
}

/* "NVIDIA GeForce RTX 2080 Ti" was "GeForce RTX 2080 Ti" before driver 470. */
static const char *plain_name(const char *name)
{
	return strncmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name;
}

/* False: the row is not used. */
static bool keep_odd_row(struct csv *csv, const char *name)
{
	struct odd_rows *const odd = &csv->odd;

	odd->again |= odd->n && strcmp(odd->last, name) == 0;
	if (!odd->n++) {
		odd->name = name;
		odd->line = csv->r->lines->line;
	}
	odd->last = name;
	csv->r->recording->n_rows_bad++;
	return false;
}

/* One GPU can't have two names: if it does, two hosts wrote this file, or nothing tells its GPUs apart. False: the row is not used. */
static bool watch_name(struct csv *csv, struct seen *seen, const struct entity *gpu)
{
	const int64_t line = csv->r->lines->line;

	if (!gpu->name || gpu->name == seen->name)
		return true;
	if (!seen->name) {
		seen->name = gpu->name;
		seen->line = line;
		return true;
	}
	if (strcmp(plain_name(gpu->name), plain_name(seen->name)) == 0)
		return true;
	csv->names_differ = true;
	if (!csv->header.has_identity || gpu->uuid)
		return true;
	if (!csv->conflict)
		csv->conflict = arena_print(csv->r->mem,
			"GPU %d is '%s' in line %" PRId64 " and '%s' in line %" PRId64
			": rows of several hosts in one file, which can't be told apart",
			gpu->index, seen->name, seen->line, gpu->name, line);
	return keep_odd_row(csv, gpu->name);
}

static const char *strong_name(const struct entity *gpu)
{
	return gpu->uuid ? gpu->uuid : gpu->bus_id;
}

static const char *twins_text(struct arena *mem, const struct entity *one, const struct entity *other)
{
	return arena_print(mem, "GPU %d has two identities, %s and %s: rows of several hosts in one file", one->index, strong_name(one),
		strong_name(other));
}

/* The GPU that another row gave this number; NULL: none, or that it is this one is known. */
static const struct entity *twin_known(const struct csv *csv, const struct entity *gpu)
{
	const struct entity *twin = NULL;

	for (size_t i = 0; i < csv->n_seen && gpu->index >= 0; i++) {
		const struct entity *const known = sheet_entity(csv->sheet, i);
		if (gpu_is_same(known, gpu))
			return NULL;
		if (known->index == gpu->index)
			twin = known;
	}
	return twin;
}

static void hold_row(struct csv *csv, const struct held_row *row)
{
	struct held_row *const held = &csv->held[csv->n_held++];

	*held = *row;
	held->header = NEW(csv->r->mem, struct header);
	*held->header = csv->header;
	held->text = slice_of(arena_text(csv->r->mem, row->text.p, row->text.n));
}

/* The time of a row that has none of its own: of the line before its poll, or just a number. False: already reported. */
static bool time_from_poll(struct csv *csv, struct seen *seen, time_ms *t)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	if (csv->banner.time != TIME_UNKNOWN && !csv->timeless) {
		if (csv->header.has_identity && seen->poll == csv->n_marks)
			return sheet_reject(csv->sheet, place, DIAG_BAD_TIME,
				"a second row of this GPU after one line with a time; when it was written is not known; not used");
		seen->poll = csv->n_marks;
		csv->by_block = true;
		*t = csv->banner.time;
		return true;
	}
	if (csv->by_block)
		return sheet_reject(csv->sheet, place, DIAG_BAD_TIME, "no line with a time stands before this row; not used");
	if (csv->header.has_identity && seen->poll == csv->poll)
		csv->poll++;
	seen->poll = csv->poll;
	csv->timeless = true;
	*t = (time_ms)(csv->header.has_identity ? csv->poll : csv->n_rows) * SECOND_MS;
	return true;
}

static size_t lost_at(const struct csv *csv, const struct entity *gpu)
{
	size_t i = 0;

	while (i < csv->n_lost && !gpu_is_same(&csv->lost[i], gpu))
		i++;
	return i;
}

/* A GPU is lost once, however often the log says so, until it has values again. */
static void lose(struct csv *csv, const struct entity *gpu, struct slice text, time_ms t)
{
	if (lost_at(csv, gpu) < csv->n_lost || csv->n_lost == MAX_LOST)
		return;
	csv->lost[csv->n_lost++] = *gpu;
	sheet_event(csv->sheet, EVENT_GPU_LOST, gpu, t, 0, text);
}

static bool says_lost(struct slice cell)
{
	return cell.n && cell.p[0] == '[' &&
	       (slice_is_nocase(cell, "[GPU is lost]") || slice_is_nocase(cell, "[GPU requires reset]"));
}

static void found_again(struct csv *csv, const struct entity *gpu)
{
	size_t at = csv->n_lost ? lost_at(csv, gpu) : 0;

	if (at < csv->n_lost)
		csv->lost[at] = csv->lost[--csv->n_lost];
}

/* Cells that say that the GPU is lost are an event the first time; a row without them ends it. */
static void watch_lost(struct csv *csv, size_t shift, const struct entity *gpu, time_ms t)
{
	for (size_t i = 0; i < csv->header.n; i++) {
		struct slice cell = csv->row.cells[i + shift];
		if (csv->header.at[i].role != ROLE_METRIC || !memchr(cell.p, '[', cell.n) || !says_lost(cell = slice_trim(cell)))
			continue;
		lose(csv, gpu, slice_of(arena_print(csv->r->mem, "%.*s in %s", SLICE(cell), csv->header.at[i].spelling->head)), t);
		return;
	}
	found_again(csv, gpu);
}

static bool is_unsupported(struct slice cell)
{
	cell = slice_trim(cell);
	return slice_is_nocase(cell, "[N/A]") || slice_is_nocase(cell, "N/A") || slice_is_nocase(cell, "[Not Supported]");
}

/* A board without power.draw may have power.draw.instant: the next best column counts where the best says "not supported". */
static size_t best_column(const struct csv *csv, size_t best, size_t shift)
{
	size_t at = best;

	while (csv->header.at[at].spare_at != SIZE_MAX && is_unsupported(csv->row.cells[at + shift]))
		at = csv->header.at[at].spare_at;
	return at == best || is_unsupported(csv->row.cells[at + shift]) ? best : at;
}

static void take_cells(struct csv *csv, size_t shift)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	for (size_t i = 0; i < csv->header.n; i++) {
		const struct head *head = &csv->header.at[i];
		if (head->role != ROLE_METRIC || head->spare)
			continue;
		size_t at = best_column(csv, i, shift);
		place.column = csv->row.columns[at + shift];
		sheet_cell(csv->sheet, csv->header.at[at].spelling, csv->header.at[at].unit, csv->row.cells[at + shift], place);
	}
}

/* A later header may name other columns, but not leave out what tells the rows of this log apart and in order. */
static bool header_goes_on(struct csv *csv)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	if (!csv->header.has_time && csv->had_time)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "the header in force has no column timestamp; row not used");
	if (csv->header.has_time && (csv->timeless || csv->by_block))
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "rows before it have no times of their own; row not used");
	if (!csv->header.has_identity && csv->polls.n < csv->n_rows)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "the header in force names no GPU; row not used");
	return true;
}

static void note_row(struct csv *csv, struct seen *seen, const struct entity *gpu, time_ms t)
{
	csv->had_time |= csv->header.has_time;
	csv->n_rows++;
	csv->last = seen->last = t;
	gpu_learn(&seen->gpu, gpu);
	csv->anonymous |= !csv->header.has_identity;
	if (!csv->header.has_identity)
		row_polls_add(&csv->polls, t, csv->n_marks);
}

static bool is_known_as(const struct entity *a, const struct entity *b)
{
	return a->index == b->index && a->uuid == b->uuid && a->bus_id == b->bus_id;
}

/* A channel that is new, or has learned a name, may be the one that is meant by rows of other patterns. */
static void watch_channel(struct csv *csv, struct seen *seen, const struct entity *channel)
{
	if (csv->patterns && !is_known_as(channel, &seen->known))
		patterns_forget(csv->patterns);
	seen->known = *channel;
}

/* Is there no other channel that rows of this GPU could go to? */
static bool is_only_channel(const struct csv *csv, size_t channel, const struct entity *gpu)
{
	for (size_t i = 0; i < csv->n_seen; i++)
		if (i != channel && gpu_is_same(sheet_entity(csv->sheet, i), gpu))
			return false;
	return true;
}

/* Rows like this one need no grammar from now on. */
static void learn_row(struct csv *csv, struct slice line, size_t channel, const struct entity *gpu, time_ms t)
{
	const bool is_stamped = csv->header.has_time && (csv->clock.way == WAY_LOCAL || csv->clock.way == WAY_ZONE);

	if (!csv->patterns || csv->open_quote || !is_stamped || csv->row.n < 2)
		return;
	if (patterns_has(csv->patterns, channel, gpu) || is_only_channel(csv, channel, gpu))
		patterns_learn(csv->patterns, csv->r->recording->format, &csv->row, line, channel, gpu, t);
}

static void use_row(struct csv *csv, const struct held_row *row)
{
	const struct entity *const gpu = &row->gpu;
	time_ms t = row->time;

	const size_t channel = sheet_channel(csv->sheet, gpu);
	if (channel == SIZE_MAX) {
		csv->r->recording->n_rows_bad++;
		return;
	}
	struct seen *seen = seen_of(csv, channel);
	watch_channel(csv, seen, sheet_entity(csv->sheet, channel));
	if (!watch_name(csv, seen, gpu))
		return;
	if (!csv->header.has_time && !time_from_poll(csv, seen, &t))
		return;
	watch_lost(csv, row->shift, gpu, t);
	sheet_row(csv->sheet, channel, t);
	note_row(csv, seen, gpu, t);
	take_cells(csv, row->shift);
	if (!row->shift)
		learn_row(csv, row->text, channel, gpu, t);
}

/* The row that was held back comes before this one, which says the same. */
static void use_held_row(struct csv *csv, size_t i, struct slice line)
{
	const struct held_row row = csv->held[i];
	const struct header now = csv->header;

	memmove(&csv->held[i], &csv->held[i + 1], (--csv->n_held - i) * sizeof *csv->held);
	csv->header = *row.header;
	csv_row_cut(&csv->row, row.text);
	sheet_line(csv->sheet, row.line);
	use_row(csv, &row);
	sheet_line_read(csv->sheet);
	csv->header = now;
	csv_row_cut(&csv->row, line);
}

/*
 * Two GPUs of a host can't have one number at one time. Where a name comes again it is no damaged one: it may be that of another card, and
 * find_twins() sees whether that came when the first one was gone. False: the row is not used, or not yet.
 */
static bool keeps_its_number(struct csv *csv, const struct held_row *row)
{
	const struct entity *const twin = twin_known(csv, &row->gpu);

	if (!twin)
		return true;
	for (size_t i = 0; i < csv->n_held; i++)
		if (gpu_is_same(&csv->held[i].gpu, &row->gpu)) {
			use_held_row(csv, i, row->text);
			return true;
		}
	if (!csv->conflict)
		csv->conflict = twins_text(csv->r->mem, twin, &row->gpu);
	if (csv->n_held == MAX_HELD || !csv->header.has_time)
		return keep_odd_row(csv, strong_name(&row->gpu));
	hold_row(csv, row);
	return false;
}

static void take_row(struct csv *csv, struct slice line)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct entity gpu;
	size_t shift;
	time_ms t = 0;

	if (!row_fits(csv, &shift)) {
		sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "%zu cells where the header has %zu; row not used", csv->row.n,
			csv->header.n);
		return;
	}
	if (!header_goes_on(csv))
		return;
	if (!row_identity(csv, shift, &t, &gpu))
		return;
	const struct held_row row = { .gpu = gpu, .text = line, .shift = shift, .time = t, .line = place.line };
	if (keeps_its_number(csv, &row))
		use_row(csv, &row);
}
/* What a GPU's rows among those that fitted say, beside their times and values. */
static void take_share(struct csv *csv, size_t channel, time_ms last)
{
	const struct entity *const gpu = patterns_gpu(csv->patterns, channel);

	found_again(csv, gpu);
	gpu_learn(&csv->seen[channel].gpu, gpu);
	csv->seen[channel].last = last;
}

/* Rows that name no GPU are all of one channel. */
static void take_polls(struct csv *csv, const struct row_block *rows)
{
	const struct channel_rows *const of = &rows->of[rows->touched[0]];

	for (size_t i = 0; i < of->n; i++)
		row_polls_add(&csv->polls, *row_number(rows, of, i, 0), csv->n_marks);
}

/* As take_row(), of rows that fit their GPUs' patterns: nothing is left to be found out. Their times and values are taken already. */
static void take_fitted(struct csv *csv, const struct fitted *f)
{
	const struct row_block *const rows = &f->rows;

	csv->after_message = csv->open_quote = false;
	csv->had_time = true;
	csv->last = csv->clock.last = rows->of[rows->channels[rows->n - 1]].last;
	csv->n_rows += rows->n;
	csv->r->recording->n_rows_by_pattern += rows->n;
	csv->anonymous |= !csv->header.has_identity;
	if (!csv->header.has_identity)
		take_polls(csv, rows);
	for (size_t i = 0; i < rows->n_touched; i++)
		take_share(csv, rows->touched[i], rows->of[rows->touched[i]].last);
	for (size_t i = 0; i < f->n_absent; i++)
		sheet_absent_in(csv->sheet, f->absent[i].channel, f->absent[i].metric, f->absent[i].reason, 1);
	patterns_confirm(csv->patterns, f);
}

/* The first n parts of what is ahead, as far as rows fitted; returns how many bytes they have. */
static size_t take_parts(struct csv *csv, struct slice ahead, size_t n)
{
	const struct row_block *blocks[WORKERS_MAX];
	size_t n_blocks = 0, n_rows = 0;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; n_rows += csv->fitted[i++]->rows.n)
		if (csv->fitted[i]->rows.n)
			blocks[n_blocks++] = &csv->fitted[i]->rows;
	const size_t n_bytes = (size_t)(csv->fitted[n - 1]->end - ahead.p);
	if (!n_bytes)
		return 0;
	lines_passed(csv->r->lines, n_rows, n_bytes);
	sheet_rows(csv->sheet, blocks, n_blocks);
	for (size_t i = 0; i < n; i++)
		if (csv->fitted[i]->rows.n)
			take_fitted(csv, csv->fitted[i]);
	return n_bytes;
}

/* Up to its last line end, so that no row is looked at of which there is more to come. */
static struct slice whole_lines(struct slice text)
{
	while (text.n && text.p[text.n - 1] != '\n')
		text.n--;
	return text;
}

/* What parts have found behind a row that fits no pattern is lost: where such rows are frequent, there is one part. */
static size_t count_parts(const struct csv *csv, struct slice ahead)
{
	const size_t n = ahead.n / csv->part_from;

	if (csv->n_smooth < csv->smooth_from || !n)
		return 1;
	return n < csv->n_parts ? n : csv->n_parts;
}

static void fetch(void *of)
{
	lines_fetch(of);
}

/* The rows that fit, up to the first that does not; returns how many parts they are in. */
static size_t fit_parts(struct csv *csv, struct slice ahead)
{
	const size_t n = count_parts(csv, ahead);

	if (n > 1)
		return patterns_fit_parts(csv->patterns, ahead, n,
			&(struct fit_jobs){ csv->fitted, csv->hints, fetch, csv->r->lines });
	patterns_fit(csv->patterns, ahead, csv->fitted[0], csv->hints[0]);
	return 1;
}

/* Rows as far as they fit: where what is at hand of the log ends, it is asked for more. */
static void take_pattern_rows(struct csv *csv)
{
	struct slice ahead;
	size_t n_taken;

	do {
		ahead = whole_lines(lines_ahead(csv->r->lines));
		n_taken = take_parts(csv, ahead, fit_parts(csv, ahead));
		csv->n_smooth = n_taken == ahead.n ? csv->n_smooth + n_taken : 0;
	} while (n_taken && n_taken == ahead.n);
}

/* A line with nothing but a time: it begins a poll, and is the time of the rows without one of their own. */
static bool take_banner(struct csv *csv, struct slice line)
{
	bool begins;

	if (!poll_banner_take(&csv->banner, line, &begins))
		return false;
	csv->n_marks += begins;
	csv->r->recording->n_rows_ignored++;
	return true;
}

/* Prompts of shells, lines drawn across, and the rest of a message that a console has wrapped. */
static bool is_noise(const struct csv *csv, struct slice line)
{
	size_t i = 0;

	if (csv->after_message && (line.p[0] == ' ' || line.p[0] == '\t') && !memchr(line.p, ',', line.n))
		return true;
	line = slice_trim(line);
	while (i < line.n && strchr("-=*_+", line.p[i]))
		i++;
	if (i == line.n && i > 1)
		return true;
	return line.n > 3 && line.p[1] == ':' && line.p[2] == '\\' && memchr(line.p, '>', line.n);
}

/*
 * The message stands where the GPU's row would: of the poll that the row before belongs to, unless the GPU still had a row of
 * its own in that; then of the next (TIME_UNKNOWN), as where nothing tells which of the GPUs it is.
 */
static time_ms time_of_loss(const struct csv *csv, const struct entity *gpu)
{
	for (size_t i = 0; i < csv->n_seen && csv->header.has_identity; i++)
		if (gpu_is_same(&csv->seen[i].gpu, gpu))
			return csv->seen[i].last < csv->last - SLOWEST_ANSWER ? csv->last : TIME_UNKNOWN;
	return TIME_UNKNOWN;
}

static void take_message(struct csv *csv, struct slice line)
{
	struct entity gpu;

	if (smi_lost_gpu(csv->r->mem, line, &gpu))
		lose(csv, &gpu, line, time_of_loss(csv, &gpu));
	smi_note_message(csv->r, &csv->messages, line);
	csv->after_message = true;
}

/*
 * "0.08,0,472,"26.11" with the rest of the quoted cell on the next line: a logger put several lines into one cell. The cells
 * before it are sound if there are as many as there should be; what is in the open one is not used.
 */
static bool cut_open_row(struct csv *csv, struct slice line)
{
	const char *quote = line.n ? memchr(line.p, '"', line.n) : NULL;

	if (!csv->seen_header || !quote || quote == line.p || quote[-1] != ',' ||
		memchr(quote + 1, '"', line.n - (size_t)(quote + 1 - line.p)))
		return false;
	struct slice before = { line.p, (size_t)(quote - line.p) };
	if (memchr(quote, ',', line.n - before.n) || !csv_row_cut(&csv->row, before) || csv->row.n != csv->header.n)
		return false;
	csv->row.cells[csv->row.n - 1] = (struct slice){ "(several lines)", 15 };
	csv->open_quote = true;
	return true;
}

/* The end of a cell that began on a line before. */
static bool ends_open_row(struct csv *csv, struct slice line)
{
	bool open = csv->open_quote && line.n && line.p[line.n - 1] == '"' && !memchr(line.p, ',', line.n);

	csv->open_quote = false;
	return open;
}

/* Before a header, or above the rows whose columns the user names: what a shell prints, names that we don't know. */
static bool is_preface(const struct csv *csv)
{
	if (!csv->seen_header)
		return true;
	if (!csv->listed || csv->n_rows)
		return false;
	for (size_t i = 0; i < csv->row.n; i++) {
		struct slice cell = slice_trim(csv->row.cells[i]);
		if (cell.n && cell.p[0] >= '0' && cell.p[0] <= '9')
			return false;
	}
	return true;
}

static void take_csv(struct csv *csv, struct slice line)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct header header;

	bool cut = csv_row_cut(&csv->row, line) || cut_open_row(csv, line);
	if (cut && header_from_row(&csv->row, &header)) {
		csv->header = header;
		take_header(csv);
		return;
	}
	if (csv->guess && cut && csv->row.n > 1)
		guess_row(csv->guess, &csv->row);
	if (is_preface(csv)) {
		csv->r->recording->n_rows_ignored++;
		csv->banner.time = TIME_UNKNOWN; /* the date above was that of something else, a table perhaps */
	} else if (cut) {
		take_row(csv, line);
	} else {
		sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "%s; row not used",
			csv->row.overflow ? "too many cells" : "a stray quote");
	}
}

static void take_line(struct csv *csv, struct slice line)
{
	if (!sheet_takes_line(csv->sheet))
		return;
	if (slice_starts(line, "\xEF\xBB\xBF")) /* two files joined with cat; the first mark of a file is gone already */
		line = (struct slice){ line.p + 3, line.n - 3 };
	const bool is_row = line.n && line.p[0] >= '0' && line.p[0] <= '9'; /* nearly always: no other look at it, then */
	if (!is_row && (!slice_trim(line).n || is_noise(csv, line))) {
		csv->r->recording->n_rows_ignored++;
		return;
	}
	if (ends_open_row(csv, line)) {
		csv->r->recording->n_rows_ignored++;
		return;
	}
	csv->after_message = false;
	if (!is_row && smi_is_message(slice_trim(line)))
		take_message(csv, slice_trim(line));
	else if (!take_banner(csv, line))
		take_csv(csv, line);
}

/* Do rows of one GPU begin when those of the other have ended? One row alone does not show that. */
static bool is_one_after_another(const struct channel *a, const struct channel *b)
{
	return a->n_rows > 1 && b->n_rows > 1 &&
	       (channel_time(a, a->n_rows - 1) < channel_time(b, 0) || channel_time(b, b->n_rows - 1) < channel_time(a, 0));
}

/*
 * Two GPUs of one index at one time: two hosts, if each row names its GPU by something stronger. One after another they are two GPUs of
 * a host whose card was replaced, or whose GPUs were numbered anew when it was started again.
 */
static const char *find_twins(struct arena *mem, const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		for (size_t k = 0; k < i; k++)
			if (rec->channels[i].entity.index >= 0 && rec->channels[i].entity.index == rec->channels[k].entity.index &&
				!is_one_after_another(&rec->channels[i], &rec->channels[k]))
				return twins_text(mem, &rec->channels[k].entity, &rec->channels[i].entity);
	return NULL;
}

static void settle_clock(struct csv *csv)
{
	struct recording *rec = csv->r->recording;
	struct place place = { csv->r->lines->path, 0, 0 };

	row_clock_settle(csv->by_block ? &csv->banner.clock : &csv->clock, csv->r, csv->sheet);
	rec->clock.elapsed = csv->elapsed;
	rec->clock.time_unknown = csv->elapsed || csv->timeless;
	if (csv->by_block)
		diag_at(csv->r->diags, place, DIAG_GUESS, "rows have no times of their own; each has that of the line before its poll%s",
			csv->banner.coarse ? ", which tells whole minutes only" : "");
}

static bool mixed(struct csv *csv, const char *text)
{
	diag_at(csv->r->diags, (struct place){ csv->r->lines->path, 0, 0 }, DIAG_MIXED_GPUS, "%s; the file is not used", text);
	return false;
}

#define ODD_SHARE 20 /* rows with a sound name for each that is damaged */

/* A name that stands in one row among many is a damaged cell; two hosts write theirs again and again. False: they have. */
static bool settle_odd_rows(struct csv *csv)
{
	const struct odd_rows *const odd = &csv->odd;
	const size_t n = odd->n + csv->n_held;
	const bool held_is_first = csv->n_held && (!odd->n || csv->held[0].line < odd->line);
	const struct place place = { csv->r->lines->path, held_is_first ? csv->held[0].line : odd->line, 0 };

	if (n && (odd->again || csv->n_rows < ODD_SHARE * n))
		return mixed(csv, csv->conflict);
	csv->r->recording->n_rows_bad += csv->n_held;
	if (n)
		diag_at(csv->r->diags, place, DIAG_BAD_ROW,
			"'%s' here alone names a GPU that all other rows name otherwise; row not used%s",
			held_is_first ? strong_name(&csv->held[0].gpu) : odd->name, n > 1 ? ", nor others like it" : "");
	return true;
}

/* Rows without identity: of one GPU, or in the order of their poll, or of nobody knows whom. */
static bool settle_identity(struct csv *csv)
{
	bool timed = !csv->timeless && !csv->by_block;

	if (!settle_odd_rows(csv))
		return false;
	if (!csv->anonymous)
		return true;
	enum dealing polls = POLLS_ONE_GPU;
	if (csv->polls.n == csv->n_rows)
		polls = row_polls_settle(&csv->polls, csv->r, csv->sheet, 0, timed, csv->timeless);
	else if (row_polls_two_rhythms(csv->r->mem, &csv->polls)) /* rows after them do name their GPUs */
		polls = POLLS_MIXED;
	if (polls == POLLS_MIXED && csv->by_block)
		return mixed(csv, "neither times nor columns tell which rows belong to which GPU and when");
	if (polls == POLLS_MIXED)
		return mixed(csv, "rows of several GPUs, but no column index, uuid or pci.bus_id tells them apart");
	return true;
}

static void keep_unread(struct csv *csv)
{
	struct recording *rec = csv->r->recording;

	rec->unread = NEW_ARRAY(csv->r->mem, const char *, csv->n_unread);
	rec->n_unread = csv->n_unread;
	if (csv->n_unread)
		memcpy((void *)rec->unread, csv->unread, csv->n_unread * sizeof *csv->unread);
}

static bool csv_finish(struct csv *csv)
{
	struct recording *rec = csv->r->recording;

	settle_clock(csv);
	keep_unread(csv);
	if (!settle_identity(csv))
		return sheet_drop(csv->sheet);
	if (!sheet_finish(csv->sheet))
		return false;
	for (size_t i = 0; csv->anonymous && csv->names_differ && i < rec->n_channels; i++)
		rec->channels[i].entity.name = NULL;
	const char *twins = find_twins(csv->r->mem, rec);
	return twins ? mixed(csv, twins) : true;
}

/* Without a header: the columns that the user names, or a guess where nothing else is possible. False: nobody knows. */
static bool find_columns(struct csv *csv)
{
	struct reading *r = csv->r;
	struct place place = { r->lines->path, 0, 0 };
	const char *list = file_option_for(r->request->columns, r->lines->path);
	struct guess *guess = guess_new(r->mem);

	bool has_header = find_header(lines_peek(r->lines), &csv->row, &csv->header, guess);
	if (has_header)
		return true;
	if (!list && !guess_is_sure(guess)) {
		csv->guess = guess_is_log(guess) ? guess_new(r->mem) : NULL;
		return true;
	}
	if (!list) {
		list = guess_list(r->mem, guess);
		diag_at(r->diags, place, DIAG_GUESS, "no header; by their cells the columns are taken to be %s (%s)", list,
			guess_reasons(r->mem, guess));
	} else {
		r->recording->why = arena_print(r->mem, "no header; --columns says %s", list);
	}
	csv->listed = csv->seen_header = true;
	return header_from_list(r, list, &csv->header);
}

/* No row could be used because nobody said what the columns are. */
static bool propose(struct csv *csv)
{
	struct reading *r = csv->r;

	sheet_drop(csv->sheet);
	return diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_HEADER,
		"no header says what the columns are; a guess, to be checked: --columns %s=%s (%s)", r->recording->name,
		guess_list(r->mem, csv->guess), guess_reasons(r->mem, csv->guess));
}

static bool read_lines(struct csv *csv)
{
	struct slice line;

	if (!find_columns(csv))
		return sheet_drop(csv->sheet);
	if (csv->patterns)
		patterns_reset(csv->patterns, &csv->header);
	while (line_next(csv->r->lines, &line)) {
		take_line(csv, line);
		if (csv->patterns)
			take_pattern_rows(csv);
	}
	if (!csv->seen_header && csv->guess)
		return propose(csv);
	return csv_finish(csv);
}

#define PARTS ((size_t)8)
#define PART_BYTES ((size_t)128 * 1024) /* more of them than there are threads, so that all end at much the same time */
#define PARTS_FROM_BYTES ((uint64_t)4 << 20)

/* A large plain file is looked at in parts, and more of it is at hand at a time. */
static void start_parts(struct csv *csv)
{
	const struct reading *const r = csv->r;
	const bool is_large = stream_plain_bytes(r->lines->stream) >= PARTS_FROM_BYTES && workers_have_second();

	csv->n_parts = r->request->n_parts ? r->request->n_parts : is_large ? PARTS : 1;
	csv->part_from = r->request->n_parts ? 1 : PART_BYTES;
	csv->smooth_from = r->request->n_parts ? 0 : PARTS * PART_BYTES / 2;
	for (size_t i = 0; i < csv->n_parts; i++)
		csv->fitted[i] = fitted_new();
	for (size_t i = 0; i < WORKERS_MAX; i++)
		csv->hints[i] = hints_new();
	if (is_large && !r->request->n_parts && !r->request->by_grammar)
		lines_hold(r->lines, PARTS * PART_BYTES);
}

static bool read(struct reading *r)
{
	struct csv *csv = NEW(r->mem, struct csv);

	csv->r = r;
	csv->sheet = sheet_new(r);
	poll_banner_init(&csv->banner);
	csv_row_init(&csv->row, ',');
	csv->patterns = r->request->by_grammar ? NULL : patterns_new();
	start_parts(csv);
	bool good = read_lines(csv);
	smi_keep_messages(r, &csv->messages);
	csv_row_release(&csv->row);
	if (csv->patterns)
		patterns_release(csv->patterns);
	for (size_t i = 0; i < csv->n_parts; i++)
		fitted_release(csv->fitted[i]);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		hints_release(csv->hints[i]);
	row_polls_release(&csv->polls);
	kept_words_release(&csv->uuids);
	kept_words_release(&csv->names);
	kept_words_release(&csv->bus_ids);
	grow_free(csv->unread);
	grow_free(csv->seen);
	return good;
}

static const char sample[] =
	"timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu, fan.speed [%]\n"
	"2026/11/21 01:48:42.004, 0, NVIDIA H200, 100 %, 113325 MiB, 212.26 W, 41, [N/A]\n"
	"2026/11/21 01:48:42.513, 0, NVIDIA H200, 100 %, 113325 MiB, 430.02 W, 44, [N/A]\n"
	"2026/11/21 01:48:43.021, 0, NVIDIA H200, 100 %, 113325 MiB, 620.51 W, 46, [N/A]\n";

const struct format format_nvidia_smi_csv = {
	.name = "nvidia-smi-csv",
	.title = "nvidia-smi --query-gpu=… --format=csv[,noheader][,nounits] -l N, and CSV made of it",
	.sample = sample,
	.columns = smi_columns,
	.absences = absences,
	.takes_columns = true,
	.bid = bid,
	.read = read,
};
