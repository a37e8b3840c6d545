/*
 * recording_text.h - all that a reader found out, as text: two ways of reading that must come to the same are compared by it.
 */
#ifndef POSTRUN_TESTS_RECORDING_TEXT_H
#define POSTRUN_TESTS_RECORDING_TEXT_H

#include "base/buf.h"
#include "format/format.h"

#include <stdio.h>
#include <stdlib.h>

static inline void put_entity(struct buf *out, const struct entity *e)
{
	buf_print(out, "%d %s %d %s %s %s\n", (int)e->scope, e->host ? e->host : "-", e->index, e->uuid ? e->uuid : "-",
		e->bus_id ? e->bus_id : "-", e->name ? e->name : "-");
}

static inline void put_number(struct buf *out, int64_t n)
{
	buf_print(out, " %lld", (long long)n);
}

static inline void put_channel(struct buf *out, const struct channel *c)
{
	put_entity(out, &c->entity);
	put_number(out, c->step);
	for (size_t k = 0; k < c->n_columns; k++)
		buf_print(out, " %s %d %zu %zu", metric_table[c->columns[k].metric].name, c->columns[k].decimals, c->columns[k].n_absent,
			c->columns[k].n_impossible);
	for (size_t k = 0; k < c->n_columns && c->columns[k].seen; k++) {
		put_number(out, c->columns[k].seen->low);
		put_number(out, c->columns[k].seen->high);
	}
	for (size_t i = 0; i < c->n_rows; i++) {
		buf_char(out, '\n');
		put_number(out, channel_time(c, i));
		put_number(out, c->swaps ? c->swaps[i] : 0);
		for (size_t k = 0; k < c->n_columns; k++)
			put_number(out, column_value(&c->columns[k], i));
	}
	buf_char(out, '\n');
}

static inline void put_clock(struct buf *out, const struct clock_note *c)
{
	buf_print(out, "clock %d %s %d%d%d%d%d", (int)c->basis, c->zone ? c->zone : "-", c->date_ambiguous, c->date_unknown, c->year_unknown,
		c->elapsed, c->time_unknown);
	put_number(out, c->offset);
	put_number(out, c->back.at);
	put_number(out, c->back.by);
	put_number(out, c->ahead.at);
	put_number(out, c->ahead.by);
	put_number(out, c->date_swap);
	buf_char(out, '\n');
}

static inline void put_texts(struct buf *out, const char *what, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_print(out, "%s %s\n", what, texts[i]);
}

static inline void put_recording(struct buf *out, const struct recording *rec)
{
	buf_print(out, "%s: %s; %s; %s\n", rec->format->name, rec->why, rec->digest, rec->tool ? rec->tool : "-");
	buf_print(out, "rows %zu %zu %zu %zu %zu %zu %zu %d%d\n", rec->every, rec->n_rows, rec->n_rows_bad, rec->n_rows_ignored, rec->n_spread,
		rec->n_doubles, rec->n_overlaid, rec->cut, rec->time_back);
	for (size_t i = 0; i < N_ABSENCES; i++)
		buf_print(out, "%s %zu\n", absence_table[i].name, rec->absences[i]);
	put_clock(out, &rec->clock);
	put_texts(out, "unread", rec->unread, rec->n_unread);
	put_texts(out, "message", rec->messages, rec->n_messages);
	for (size_t i = 0; i < rec->n_events; i++) {
		buf_print(out, "%s %lld %s ", event_table[rec->events[i].kind].name, (long long)rec->events[i].t, rec->events[i].text);
		put_entity(out, &rec->events[i].entity);
	}
	for (size_t i = 0; i < rec->n_channels; i++)
		put_channel(out, &rec->channels[i]);
}

/* `rec` may be NULL: the file gave nothing. How many rows went which way is no part of it. */
static inline const char *recording_text(struct arena *mem, const struct recording *rec, const struct diags *diags)
{
	struct buf out;

	buf_init(&out, (size_t)64 << 20);
	if (rec)
		put_recording(&out, rec);
	for (size_t i = 0; i < diags->n; i++)
		buf_print(&out, "%s\n", diag_text(mem, &diags->at[i]));
	const char *text = arena_text(mem, out.at, out.n);
	buf_release(&out);
	return text;
}

struct text_source {
	struct slice rest;
};

static inline size_t give_text(void *of, char *to, size_t n)
{
	struct text_source *s = of;
	const size_t taken = s->rest.n < n ? s->rest.n : n;

	if (taken)
		memcpy(to, s->rest.p, taken);
	s->rest = (struct slice){ s->rest.p + taken, s->rest.n - taken };
	return taken;
}

static inline void open_file_with(struct arena *mem, struct lines *lines, struct slice text, struct diags *diags)
{
	FILE *const file = tmpfile();

	if (!file || fwrite(text.p, 1, text.n, file) != text.n || fflush(file) != 0 ||
		!lines_open(lines, arena_print(mem, "/proc/self/fd/%d", fileno(file)), NULL, diags))
		abort();
	fclose(file);
	lines->path = "log";
}

/* Reads the text, as a file or as what comes but once, and tells how many rows went by a pattern. */
static inline const char *read_text_from(
	bool is_file, struct arena *mem, struct slice text, struct read_request request, size_t *n_by_pattern)
{
	struct text_source source = { text };
	struct lines lines;
	struct diags diags;

	diags_init(&diags, mem);
	if (is_file)
		open_file_with(mem, &lines, text, &diags);
	else
		lines_open_source(&lines, "log", NULL, (struct byte_source){ give_text, &source });
	const struct recording *rec = format_read_lines(mem, &lines, &request, NULL, &diags);
	lines_close(&lines);
	*n_by_pattern = rec ? rec->n_rows_by_pattern : 0;
	const char *all = recording_text(mem, rec, &diags);
	diags_release(&diags);
	return all;
}

static inline const char *read_as_text(struct arena *mem, struct slice text, struct read_request request, size_t *n_by_pattern)
{
	return read_text_from(false, mem, text, request, n_by_pattern);
}

#endif
