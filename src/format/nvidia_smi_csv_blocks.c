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

/* A large plain file is looked at in parts. */
void csv_start_blocks(struct csv *csv)
{
	const struct reading *const r = csv->r;
	const uint64_t n_bytes = stream_plain_bytes(r->lines->stream); /* 0: nobody knows */
	const bool is_large = n_bytes >= PARTS_FROM_BYTES && workers_have_second();

	csv->patterns = r->request->by_grammar ? NULL : patterns_new();
	csv->smooth_from = r->request->part_bytes ? 0 : SMOOTH_FROM_BYTES;
	csv->crew = csv->patterns && n_bytes && (is_large || r->request->part_bytes) ? crew_new(WORKERS_MAX) : NULL;
	csv->is_long = (!n_bytes || n_bytes >= PARTS_FROM_BYTES) && !r->request->part_bytes;
	for (size_t i = 0; i < crew_size(csv->crew); i++)
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
	patterns_fit(csv->patterns, p->text, p->fitted, p->hints);
}

/* False: what comes next is no row that fits, or a line that is too long for parts. */
static bool hand_in_part(void *of, size_t worker)
{
	struct csv *const csv = of;
	const struct row_part *const p = &csv->parts[worker];

	if (p->lines.at != csv->used_at)
		return false;
	lines_used(csv->r->lines, &p->lines);
	const size_t n_bytes = take_rows(csv, p);
	const bool is_all = n_bytes == p->text.n;
	note_smooth(csv, n_bytes, is_all);
	csv->used_at += n_bytes;
	return is_all;
}

/* A row that does not fit comes again, and what was looked at behind it. */
static void take_by_crew(struct csv *csv)
{
	if (!lines_leave(csv->r->lines, &csv->used_at))
		return;
	csv->first_at = csv->next_at = csv->used_at;
	crew_relay(csv->crew, &(struct relay){ take_part, fit_part, hand_in_part, csv });
	lines_come_back(csv->r->lines, csv->used_at);
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
	patterns_fit(csv->patterns, p->text, p->fitted, p->hints);
	const size_t n_bytes = take_rows(csv, p);
	const bool is_all = n_bytes == p->text.n;
	lines_passed(csv->r->lines, 0, n_bytes);
	note_smooth(csv, n_bytes, is_all);
	p->text.n = 0;
	return n_bytes && is_all;
}

void csv_take_blocks(struct csv *csv)
{
	do {
		if (is_smooth(csv) && csv->crew)
			take_by_crew(csv);
		else if (is_smooth(csv) && csv->is_long)
			hold_more(csv);
	} while (take_ahead(csv));
	sheet_rows_end(csv->sheet);
}
