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
#include "format/nvidia_smi_csv_parts.h"

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

/* Rows of the log before, which was moved away (logrotate), or of a logger that was told to write no header: they are not used. */
static void tell_rows_before(struct csv *csv)
{
	const struct place place = { csv->r->lines->path, csv->before.line, 0 };

	if (csv->seen_header || !csv->before.n || csv->before.n_cells != csv->header.n)
		return;
	csv->before.are_lost = true;
	const char *const list = header_as_list(csv->r->scratch, &csv->header);
	const char *const advice = !list ? "" : arena_print(csv->r->scratch, "; if they are the same, --columns %s=%s reads all",
		csv->r->recording->name, list);
	diag_at(csv->r->diags, place, DIAG_BAD_ROW, "%zu row%s before the first header, which names as many columns; not used%s",
		csv->before.n, plural_s(csv->before.n), advice);
}

/* They say nothing of how well the others fit. */
static void count_rows_before(struct csv *csv)
{
	struct recording *const rec = csv->r->recording;
	const size_t n = csv->before.are_lost ? csv->before.n : 0;

	rec->n_rows_ignored -= n;
	rec->n_rows_bad += n;
}

/* A row where no header was yet. */
static void note_row_before(struct csv *csv)
{
	const bool is_row = csv->row.n > 1 && slice_trim(csv->row.cells[0]).n && is_digit(slice_trim(csv->row.cells[0]).p[0]);

	if (!is_row)
		return;
	if (csv->before.n_cells != csv->row.n)
		csv->before = (struct rows_before){ .n_cells = csv->row.n, .line = csv->r->lines->line };
	csv->before.n++;
}

/* The header is in csv->header already. */
static void take_header(struct csv *csv)
{
	csv->r->recording->n_rows_ignored++;
	csv->n_marks++;
	lines_unused_end(csv->r->lines, csv->r->lines->line);
	while (csv->header.n && !slice_trim(csv->row.cells[csv->header.n - 1]).n) /* a comma at its end */
		csv->header.n--;
	tell_rows_before(csv);
	csv->seen_header = true;
	for (size_t i = 0; i < csv->header.n; i++)
		if (csv->header.at[i].role == ROLE_NONE || csv->header.at[i].role == ROLE_UNREAD)
			remember_unread(csv, csv->row.cells[i]);
	if (csv->header.has_identity)
		sheet_thin_ahead(csv->sheet);
	if (csv->patterns)
		patterns_reset(csv->patterns, &csv->header);
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
		if (cut && !csv->seen_header)
			note_row_before(csv);
		csv->banner.time = TIME_UNKNOWN; /* the date above was that of something else, a table perhaps */
	} else if (cut) {
		csv_take_row(csv, line);
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
		csv_take_message(csv, slice_trim(line));
	else if (!take_banner(csv, line))
		take_csv(csv, line);
}

static void settle_clock(struct csv *csv)
{
	struct recording *rec = csv->r->recording;

	row_clock_settle(csv->by_block ? &csv->banner.clock : &csv->clock, csv->r, csv->sheet);
	rec->clock.elapsed = csv->elapsed;
	rec->clock.time_unknown = csv->elapsed || csv->timeless;
	if (csv->by_block)
		reading_guesses(csv->r, "rows have no times of their own; each has that of the line before its poll%s",
			csv->banner.coarse ? ", which tells whole minutes only" : "");
}

static void keep_unread(struct csv *csv)
{
	struct recording *rec = csv->r->recording;

	rec->unread = NEW_ARRAY(csv->r->mem, const char *, csv->n_unread);
	rec->n_unread = csv->n_unread;
	if (csv->n_unread)
		memcpy((void *)rec->unread, csv->unread, csv->n_unread * sizeof *csv->unread);
}

/* By loggers of people's own. */
static void settle_fractions(struct csv *csv)
{
	static const enum metric shares[] = { METRIC_GPU_UTIL, METRIC_GPU_MEM_UTIL, METRIC_GPU_ENC_UTIL, METRIC_GPU_DEC_UTIL };

	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		if (sheet_parts_to_percent(csv->sheet, shares[i]))
			reading_guesses(csv->r,
				"%s is in parts of one, as it is never above 1 and mostly below; it is read as 100 times that in percent",
				metric_table[shares[i]].name);
}

static bool finish(struct csv *csv)
{
	settle_clock(csv);
	settle_fractions(csv);
	keep_unread(csv);
	if (!csv_settle_identity(csv))
		return sheet_drop(csv->sheet);
	if (!sheet_finish(csv->sheet))
		return false;
	count_rows_before(csv);
	csv->r->recording->heads = csv->listed ? NULL : header_as_list(csv->r->mem, &csv->header);
	return csv_settle_twins(csv);
}

/* Has any of the first lines as many cells as the list? */
static bool has_row_of(struct csv *csv, const char *list)
{
	const size_t n = slice_count(slice_of(list), ',') + 1;

	for (struct slice first = lines_peek(csv->r->lines), line; first.n;) {
		line = slice_trim(slice_line(&first));
		if (csv_row_cut(&csv->row, line) && csv->row.n == n)
			return true;
	}
	return false;
}

/* The way of its times by a later row: of the first one the end alone may be there, "01:48:34.387" of a day and a time. */
static void seed_clock(struct csv *csv)
{
	for (struct slice first = slice_whole_lines(lines_peek(csv->r->lines)), line; first.n;) {
		struct row_clock probe = { .way = WAY_UNKNOWN };
		time_ms t;
		line = slice_trim(slice_line(&first));
		if (!csv_row_cut(&csv->row, line) || csv->row.n != csv->header.n)
			continue;
		for (size_t i = 0; i < csv->header.n; i++)
			if (csv->header.at[i].role == ROLE_TIME && row_clock_take(&probe, csv->row.cells[i], &t))
				csv->clock.way = probe.way;
	}
}

/* Those of the log that this one goes on with; NULL: it does not, or that had none. */
static const char *columns_before(struct csv *csv)
{
	const struct recording *const before = csv->r->request->before;

	if (!before || !before->heads || !has_row_of(csv, before->heads))
		return NULL;
	reading_guesses(csv->r, "no header; it is taken to go on with %s, and to have its columns", before->name);
	return before->heads;
}

/* Without a header: the columns that the user names, or a guess where nothing else is possible. False: nobody knows. */
static bool find_columns(struct csv *csv)
{
	struct reading *r = csv->r;
	const char *list = file_option_for(r->request->columns, r->lines->path);
	struct guess *guess = guess_new(r->scratch);

	bool has_header = find_header(lines_peek(r->lines), &csv->row, &csv->header, guess);
	if (!has_header)
		r->lines->unused = NULL;
	if (has_header)
		return true;
	const char *const before = list ? NULL : columns_before(csv);
	if (!list && !before && !guess_is_sure(guess)) {
		csv->guess = guess_is_log(guess) ? guess_new(r->scratch) : NULL;
		return true;
	}
	if (list) {
		r->recording->why = arena_print(r->mem, "no header; --columns says %s", list);
		r->recording->is_by_columns = true;
	} else if (before) {
		list = before;
	} else {
		list = guess_list(r->scratch, guess);
		reading_guesses(r, "no header; by their cells the columns are taken to be %s (%s)", list, guess_reasons(r->scratch, guess));
	}
	csv->listed = csv->seen_header = true;
	if (!header_from_list(r, list, &csv->header))
		return false;
	seed_clock(csv);
	return true;
}

/* No row could be used because nobody said what the columns are. */
static bool propose(struct csv *csv)
{
	struct reading *r = csv->r;

	sheet_drop(csv->sheet);
	return diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_HEADER,
		"no header says what the columns are; a guess, to be checked: --columns %s=%s (%s)", r->recording->name,
		guess_list(r->scratch, csv->guess), guess_reasons(r->scratch, csv->guess));
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
			csv_take_blocks(csv);
	}
	if (!csv->seen_header && csv->guess)
		return propose(csv);
	return finish(csv);
}

static bool read(struct reading *r)
{
	struct csv *csv = NEW(r->scratch, struct csv);

	csv->r = r;
	csv->sheet = sheet_new(r);
	poll_banner_init(&csv->banner);
	csv_row_init(&csv->row, ',');
	csv_start_blocks(csv);
	bool good = read_lines(csv);
	r->recording->names_no_gpu = csv->anonymous;
	smi_keep_messages(r, &csv->messages);
	csv_row_release(&csv->row);
	csv_release_blocks(csv);
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
