/*
 * format_fuzz.c - logs as anybody may have written them, through every reader and on to one axis.
 *
 * A form feed ends a file and begins the next, so that one input can be several logs of one run and
 * clocks are settled, too. Each goes through a real file, because readers read files.
 * Laws: every line is accounted for; times ascend; values are possible; absences add up; complaints
 * stand inside the file; the phases cover the run.
 */
#include "run/run.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MAX_FILES 4

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static size_t count_lines(struct slice text)
{
	size_t n = 0;

	if (text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0)
		text = (struct slice){ text.p + 3, text.n - 3 };
	const char end = has_returns_alone(text) ? '\r' : '\n'; /* what fuzzers try is shorter than a block of lines.c */
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == end;
	return n + (text.n && text.p[text.n - 1] != end);
}

/* gzip, zstd or xz, tar or zip, UTF-16: its lines can't be counted from here. */
static bool is_packed(struct slice text)
{
	const struct slice first = { text.p, text.n < PEEK_BYTES ? text.n : PEEK_BYTES };

	return slice_starts(text, "\x1f\x8b") || slice_starts(text, "\x28\xb5\x2f\xfd") || slice_starts(text, "\xFD" "7zXZ") ||
	       format_is_archive(first) || encoding_guess(first) != ENCODING_UTF8;
}

static void check_column(const struct channel *c, const struct column *column, size_t *n_absent)
{
	const struct metric_row *row = &metric_table[column->metric];

	for (size_t i = 0; i < c->n_rows; i++)
		require(column_value(column, i) == FIXED_MISSING ||
			(fixed_value(column_value(column, i)) >= row->low && fixed_value(column_value(column, i)) <= row->high));
	require(row->scope == c->entity.scope);
	*n_absent += column->n_absent;
}

static void check_recording(const struct recording *rec, struct slice text)
{
	size_t n_rows = 0, n_absent = 0, n_reasons = 0;

	require((rec->n_channels && rec->n_rows) || rec->n_events);
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		require(c->n_rows);
		n_rows += c->n_rows;
		for (size_t k = 1; k < c->n_rows; k++)
			require(channel_time(c, k - 1) < channel_time(c, k));
		for (size_t k = 0; k < c->n_columns; k++)
			check_column(c, &c->columns[k], &n_absent);
	}
	for (size_t i = 0; i < N_ABSENCES; i++)
		n_reasons += rec->absences[i];
	require((rec->archive || rec->bytes == text.n) && rec->why && rec->digest);
	require(n_rows == rec->n_rows && n_absent == n_reasons);
	require(rec->n_rows + rec->n_rows_bad + rec->n_rows_ignored == rec->n_rows_seen);
	require(is_packed(text) || rec->format->rows_are_not_lines || rec->n_rows_seen == count_lines(text));
}

/* Through a file that has no name any more; what reads it sees /dev/fd/N. */
static void ingest_text(struct run *run, struct slice text)
{
	FILE *file = tmpfile();
	const size_t n_before = run->n_recordings;

	require(file && fwrite(text.p, 1, text.n, file) == text.n && fflush(file) == 0);
	const bool good = ingest(run, arena_print(run->mem, "/dev/fd/%d", fileno(file)));
	fclose(file);
	require(good == (run->n_recordings > n_before));
	require(good || run->diags->n);
	for (size_t i = n_before; i < run->n_recordings; i++)
		check_recording(run->recordings[i], text);
}

static void check_diags(const struct diags *diags, struct slice all, bool packed)
{
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *d = &diags->at[i];
		require(d->place.line >= 0 && d->place.column >= 0);
		require(packed || (size_t)d->place.line <= count_lines(all));
		require(packed || (size_t)d->place.column <= all.n + 1);
		require(slice_is_utf8(slice_of(diag_text(diags->mem, d))));
	}
}

static void check_run(struct run *run)
{
	time_ms until = run->span.begin;

	if (!clock_settle(run, &(struct clock_request){ 0 }))
		return;
	derive_metrics(run);
	phases_find(run);
	for (size_t i = 0; i < run->n_recordings; i++)
		require(run->recordings[i]->clock.basis == BASIS_UTC && run->recordings[i]->clock.sentence);
	for (size_t i = 0; i < run->n_phases; i++) {
		require(i == 0 || run->phases[i].span.begin == until);
		until = run->phases[i].span.end;
	}
	require(!run->n_phases || until == run->span.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct slice all = { (const char *)bytes, n }, rest = all;
	bool packed = false;
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	struct run *run = run_new(&mem, "fuzz", &diags);
	for (int i = 0; i < MAX_FILES; i++) {
		const char *end = rest.n ? memchr(rest.p, '\f', rest.n) : NULL;
		const struct slice text = { rest.p, end ? (size_t)(end - rest.p) : rest.n };
		packed |= is_packed(text);
		ingest_text(run, text);
		if (!end)
			break;
		rest = (struct slice){ end + 1, (size_t)(rest.p + rest.n - end) - 1 };
	}
	check_run(run);
	check_diags(&diags, all, packed);
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
