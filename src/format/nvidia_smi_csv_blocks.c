/*
 * nvidia_smi_csv_blocks.c - rows of the query CSV that look like those before them (row_pattern.h), many at a time.
 *
 *     the grammar takes a row, it is learned from:   2026/11/21 01:48:34.387, 0, 34 %, 76 MiB
 *     rows that fit are taken as a block:            2026/11/21 01:48:34.895, 0, 31 %, 76 MiB
 *                                                    2026/11/21 01:48:35.402, 0, 36 %, 80 MiB
 *     one that does not is the grammar's again:      2026/11/21 01:48:35.910, 0, ERR!, 80 MiB
 *
 * A large log is looked at in parts, each by a thread of its own: what a row means by a pattern depends on no other row. What is found in
 * them is taken in the order of the file, up to the first row that fits no pattern; that one is the grammar's, which may change what is
 * known, so that whatever was found behind it is found again. So nothing depends on how many parts there are.
 */
#include "format/nvidia_smi_csv_parts.h"
#include "metric/identity.h"

#define PART_BYTES ((size_t)1024 * 1024)
/* Of more GPUs parts are longer, also where there is one: for each GPU that has rows in a part things are looked at that no cache has. */
#define GPUS_PER_PART ((size_t)128)
#define LONGEST_PART ((size_t)2)
#define PARTS_FROM_BYTES ((uint64_t)4 << 20)
#define SMOOTH_FROM_BYTES ((size_t)512 * 1024)
#define PAYS_FROM_BYTES ((uint64_t)4 << 20) /* what is lost at its end are parts of 1 MiB; every 1.9 MB that cost a tenth, each 10 none */

void csv_start_blocks(struct csv *csv)
{
	const struct read_request *const request = csv->r->request;
	const uint64_t n_bytes = stream_plain_bytes(csv->r->lines->stream); /* 0: nobody knows */

	csv->patterns = request->by_grammar ? NULL : patterns_new();
	csv->smooth_from = request->part_bytes ? 0 : SMOOTH_FROM_BYTES;
	csv->is_long = (!n_bytes || n_bytes >= PARTS_FROM_BYTES) && !request->part_bytes;
	csv->parts[0] = (struct row_part){ .fitted = fitted_new(), .hints = hints_new() };
}

/* A large plain file is looked at in parts, and one that threads unpack by turns. */
static void start_crew(struct csv *csv)
{
	const struct stream *const stream = csv->r->lines->stream;
	const bool is_large = stream_plain_bytes(stream) >= PARTS_FROM_BYTES || stream_is_by_turns(stream);

	if (csv->crew || !(csv->r->request->part_bytes || (is_large && workers_have_second())))
		return;
	csv->crew = crew_new(WORKERS_MAX);
	for (size_t i = 1; i < crew_size(csv->crew); i++)
		csv->parts[i] = (struct row_part){ .fitted = fitted_new(), .hints = hints_new() };
}

void csv_release_blocks(struct csv *csv)
{
	if (csv->patterns)
		patterns_release(csv->patterns);
	for (size_t i = 0; i < crew_size(csv->crew); i++) {
		grow_free(csv->parts[i].bytes);
		fitted_release(csv->parts[i].fitted);
		hints_release(csv->parts[i].hints);
	}
	crew_release(csv->crew);
}

static bool is_known_as(const struct entity *a, const struct entity *b)
{
	return a->index == b->index && a->uuid == b->uuid && a->bus_id == b->bus_id;
}

void csv_watch_channel(struct csv *csv, struct seen *seen, const struct entity *channel)
{
	if (csv->patterns && !is_known_as(channel, &seen->known))
		patterns_forget(csv->patterns);
	seen->known = *channel;
}

/* Is there no other channel that rows of this GPU could go to? */
static bool is_only_channel(const struct csv *csv, size_t channel, const struct entity *gpu)
{
	for (size_t i = 0; i < csv->n_seen; i++)
		if (i != channel && csv_is_same_gpu(sheet_entity(csv->sheet, i), gpu))
			return false;
	return true;
}

void csv_learn_row(struct csv *csv, struct slice line, size_t channel, const struct entity *gpu, time_ms t)
{
	const bool is_stamped = csv->header.has_time && (csv->clock.way == WAY_LOCAL || csv->clock.way == WAY_ZONE);

	if (!csv->patterns || csv->open_quote || !is_stamped || csv->row.n < 2)
		return;
	if (patterns_has(csv->patterns, channel, gpu) || is_only_channel(csv, channel, gpu))
		patterns_learn(csv->patterns, csv->r->recording->format, &csv->row, line, channel, gpu, t);
}

/* What a GPU's rows among those that fitted say, beside their times and values. */
static void take_share(struct csv *csv, size_t channel, const struct channel_rows *rows)
{
	const struct entity *const gpu = patterns_gpu(csv->patterns, channel);

	csv_found_again(csv, gpu);
	gpu_learn(&csv->seen[channel].gpu, gpu);
	csv_count_names(&csv->seen[channel], gpu, rows->n);
	csv->seen[channel].last = rows->last;
}

/* Rows that name no GPU are all of one channel. */
static void take_polls(struct csv *csv, const struct row_block *rows)
{
	const struct channel_rows *const of = &rows->of[rows->touched[0]];

	for (size_t i = 0; i < of->n; i++)
		row_polls_add(&csv->polls, row_time_in(of, i), csv->n_marks);
}

/* As csv_take_row(), of rows that fit their GPUs' patterns: nothing is left to be found out. Their times and values are taken already. */
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
		take_share(csv, rows->touched[i], &rows->of[rows->touched[i]]);
	for (size_t i = 0; i < f->n_absent; i++)
		sheet_absent_in(csv->sheet, f->absent[i].channel, f->absent[i].metric, f->absent[i].reason, 1);
	patterns_confirm(csv->patterns, f);
}

/* Rows that fit have come for long, and so will more. */
static bool is_smooth(const struct csv *csv)
{
	return csv->n_smooth >= csv->smooth_from;
}

/* The rows that were found to fit, which their text begins with; returns how many bytes they have. */
static size_t take_rows(struct csv *csv, const struct row_part *part)
{
	const struct fitted *const f = part->fitted;

	if (!f->rows.n)
		return 0;
	lines_counted(csv->r->lines, f->rows.n);
	sheet_rows(csv->sheet, &f->rows, is_smooth(csv));
	take_fitted(csv, f);
	return (size_t)(f->end - part->text.p);
}

/*
 * Rows that fit were met, so many bytes of them, and then one that does not or, where it was all, none. Where such rows are frequent there
 * are no parts: what is found behind one is lost.
 */
static void note_smooth(struct csv *csv, size_t n_bytes, bool is_all)
{
	csv->n_smooth = is_all ? csv->n_smooth + n_bytes : 0;
}

static void fit_text(void *of, size_t worker)
{
	const struct csv *const csv = of;
	const struct row_part *const p = &csv->parts[worker];

	patterns_fit(csv->patterns, p->text, p->fitted, p->hints);
}

/* ------ several parts at a time ------ */

static size_t bytes_of_part(const struct csv *csv)
{
	const size_t longer = csv->n_seen / GPUS_PER_PART, as_asked = csv->r->request->part_bytes;

	return as_asked ? as_asked : PART_BYTES * (longer < 1 ? 1 : longer < LONGEST_PART ? longer : LONGEST_PART);
}

static bool take_part(void *of, size_t worker)
{
	struct csv *const csv = of;
	struct row_part *const p = &csv->parts[worker];

	p->begin = csv->next_at;
	p->n_bytes = bytes_of_part(csv);
	csv->next_at += p->n_bytes;
	return p->begin < stream_plain_bytes(csv->r->lines->stream);
}

static void fit_part(void *of, size_t worker)
{
	struct csv *const csv = of;
	struct row_part *const p = &csv->parts[worker];

	p->bytes = grow(p->bytes, &p->room, 1 + p->n_bytes + LINE_BEHIND_BYTES + PADDING_BYTES, 1);
	p->lines = lines_read_part(csv->r->lines, p->begin, p->n_bytes, p->begin == csv->first_at, p->bytes);
	p->text = p->lines.text;
	fit_text(csv, worker);
}

/* False: what comes next is no row that fits. */
static bool hand_in(void *of, size_t worker)
{
	struct csv *const csv = of;
	const struct row_part *const p = &csv->parts[worker];
	const size_t n_bytes = take_rows(csv, p);
	const bool is_all = n_bytes == p->text.n;

	note_smooth(csv, n_bytes, is_all);
	csv->used_at += n_bytes;
	return is_all;
}

/* False: that, or what comes next is a line that is too long for parts. */
static bool hand_in_part(void *of, size_t worker)
{
	struct csv *const csv = of;
	const struct row_part *const p = &csv->parts[worker];

	if (p->lines.at != csv->used_at)
		return false;
	lines_used(csv->r->lines, &p->lines);
	return hand_in(csv, worker);
}

/* A row that does not fit comes again, and what was looked at behind it. */
static void take_anywhere(struct csv *csv)
{
	crew_relay(csv->crew, &(struct relay){ take_part, fit_part, hand_in_part, csv });
	lines_come_back(csv->r->lines, csv->used_at);
}

/* ------ several parts at a time of what can be read but once ------ */

/* Places are those among all that were fetched and used. */
static bool fetch_part(void *of, size_t worker)
{
	struct csv *const csv = of;
	struct row_part *const p = &csv->parts[worker];
	const size_t n_bytes = bytes_of_part(csv);

	p->bytes = grow(p->bytes, &p->room, n_bytes + PADDING_BYTES, 1);
	p->text = (struct slice){ p->bytes, lines_fetch(csv->r->lines, p->bytes, n_bytes) };
	p->lines = (struct part_lines){ csv->next_at, p->text };
	csv->next_at += p->text.n;
	return p->text.n;
}

/* What of it is not used. */
static struct slice unused(const struct csv *csv, const struct row_part *p)
{
	const uint64_t end = p->lines.at + p->text.n;
	const size_t left = csv->used_at < p->lines.at ? p->text.n : csv->used_at < end ? (size_t)(end - csv->used_at) : 0;

	return left ? (struct slice){ p->text.p + (p->text.n - left), left } : (struct slice){ 0 };
}

/* The last part of which something is not used; NULL: there is none. */
static struct row_part *last_unused(struct csv *csv)
{
	struct row_part *last = NULL;

	for (size_t i = 0; i < crew_size(csv->crew); i++) {
		struct row_part *const p = &csv->parts[i];
		if (unused(csv, p).n && (!last || p->lines.at > last->lines.at))
			last = p;
	}
	return last;
}

/* As take_anywhere(). */
static void take_fetched(struct csv *csv)
{
	lines_counted(csv->r->lines, 0);
	crew_relay(csv->crew, &(struct relay){ fetch_part, fit_text, hand_in, csv });
	for (struct row_part *p; (p = last_unused(csv)); p->text.n = 0)
		lines_put_back(csv->r->lines, unused(csv, p));
}

/* ------ one after the other ------ */

/* Of many GPUs more of the file is at hand from now on. */
static void hold_more(struct csv *csv)
{
	csv->is_long = false;
	if (csv->n_seen >= GPUS_PER_PART) /* else a block that stays in the cache of a core is faster */
		lines_hold(csv->r->lines, bytes_of_part(csv));
}

/* What is ahead; true: all of it fitted, and there was some. */
static bool take_ahead(struct csv *csv)
{
	struct row_part *const p = &csv->parts[0];

	p->text = slice_whole_lines(lines_ahead(csv->r->lines)); /* no row is looked at of which there is more to come */
	fit_text(csv, 0);
	const size_t n_bytes = take_rows(csv, p);
	const bool is_all = n_bytes == p->text.n;
	lines_passed(csv->r->lines, 0, n_bytes);
	note_smooth(csv, n_bytes, is_all);
	p->text.n = 0;
	return n_bytes && is_all;
}

/*
 * What several threads have found behind a row that does not fit is lost. Where that comes soon each time, longer and longer stretches
 * without one are waited for.
 */
static void note_end(struct csv *csv)
{
	if (!is_smooth(csv) && !csv->r->request->part_bytes)
		csv->smooth_from = csv->used_at - csv->first_at < PAYS_FROM_BYTES ? 2 * csv->smooth_from : SMOOTH_FROM_BYTES;
}

static void take_by_crew(struct csv *csv)
{
	const bool is_plain = stream_plain_bytes(csv->r->lines->stream) > 0;

	if (is_plain && !lines_leave(csv->r->lines, &csv->used_at))
		return;
	csv->first_at = csv->next_at = csv->used_at;
	if (is_plain)
		take_anywhere(csv);
	else
		take_fetched(csv);
	note_end(csv);
}

/* Where rows fit for long: as many at a time as is worth it. */
static void go_faster(struct csv *csv)
{
	start_crew(csv);
	if (csv->crew)
		take_by_crew(csv);
	else if (csv->is_long)
		hold_more(csv);
}

void csv_take_blocks(struct csv *csv)
{
	do {
		if (is_smooth(csv))
			go_faster(csv);
	} while (take_ahead(csv));
	sheet_rows_end(csv->sheet);
}
