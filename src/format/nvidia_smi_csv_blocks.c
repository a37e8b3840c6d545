/*
 * nvidia_smi_csv_blocks.c - rows of the query CSV that look like those before them (row_pattern.h), many at a time.
 *
 *     the grammar takes a row, it is learned from:   2026/11/21 01:48:34.387, 0, 34 %, 76 MiB
 *     rows that fit are taken as a block:            2026/11/21 01:48:34.895, 0, 31 %, 76 MiB
 *                                                    2026/11/21 01:48:35.402, 0, 36 %, 80 MiB
 *     one that does not is the grammar's again:      2026/11/21 01:48:35.910, 0, ERR!, 80 MiB
 *
 * A large log is looked at in parts, each on a thread of its own; what is found in them is taken in the order of the file.
 */
#include "format/nvidia_smi_csv_parts.h"
#include "metric/identity.h"

#define PARTS ((size_t)8)
#define PART_BYTES ((size_t)128 * 1024) /* more of them than there are threads, so that all end at much the same time */
/* Of more GPUs parts are longer, also where there is one: with few rows of each in a part every number written is one that no cache has. */
#define GPUS_PER_PART ((size_t)128)
#define LONGEST_PART ((size_t)8)
#define PARTS_FROM_BYTES ((uint64_t)4 << 20)

/* A large plain file is looked at in parts. */
void csv_start_blocks(struct csv *csv)
{
	const struct reading *const r = csv->r;
	const uint64_t n_bytes = stream_plain_bytes(r->lines->stream); /* 0: nobody knows */
	const bool is_large = n_bytes >= PARTS_FROM_BYTES && workers_have_second();

	csv->patterns = r->request->by_grammar ? NULL : patterns_new();
	csv->n_parts = r->request->n_parts ? r->request->n_parts : is_large ? PARTS : 1;
	csv->part_from = r->request->n_parts ? 1 : PART_BYTES;
	csv->smooth_from = r->request->n_parts ? 0 : PARTS * PART_BYTES / 2;
	csv->crew = csv->n_parts > 1 ? crew_new(WORKERS_MAX) : NULL;
	for (size_t i = 0; i < csv->n_parts; i++)
		csv->fitted[i] = fitted_new();
	for (size_t i = 0; i < crew_size(csv->crew); i++)
		csv->hints[i] = hints_new();
	csv->wants_more = (!n_bytes || n_bytes >= PARTS_FROM_BYTES) && !r->request->n_parts && !r->request->by_grammar;
}

void csv_release_blocks(struct csv *csv)
{
	if (csv->patterns)
		patterns_release(csv->patterns);
	for (size_t i = 0; i < csv->n_parts; i++)
		fitted_release(csv->fitted[i]);
	for (size_t i = 0; i < crew_size(csv->crew); i++)
		hints_release(csv->hints[i]);
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
		if (i != channel && gpu_is_same(sheet_entity(csv->sheet, i), gpu))
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
		row_polls_add(&csv->polls, *row_number(rows, of, i, 0), csv->n_marks);
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
	sheet_rows(csv->sheet, csv->crew, blocks, n_blocks);
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
			&(struct fit_jobs){ csv->crew, csv->fitted, csv->hints, fetch, csv->r->lines });
	patterns_fit(csv->patterns, ahead, csv->fitted[0], csv->hints[0]);
	return 1;
}

/* More of the file is at hand from now on, when its GPUs are known. */
static void hold_more(struct csv *csv)
{
	const size_t longer = csv->n_seen / GPUS_PER_PART;

	csv->wants_more = false;
	if (csv->n_parts == 1 && !longer) /* then a block that stays in the cache of a core is faster */
		return;
	lines_hold(csv->r->lines, PARTS * PART_BYTES * (longer < 1 ? 1 : longer < LONGEST_PART ? longer : LONGEST_PART));
}

void csv_take_blocks(struct csv *csv)
{
	struct slice ahead;
	size_t n_taken;

	do {
		if (csv->wants_more && csv->n_smooth >= csv->smooth_from)
			hold_more(csv);
		ahead = whole_lines(lines_ahead(csv->r->lines));
		n_taken = take_parts(csv, ahead, fit_parts(csv, ahead));
		csv->n_smooth = n_taken == ahead.n ? csv->n_smooth + n_taken : 0;
	} while (n_taken && n_taken == ahead.n);
}
