/*
 * logs.h - what tests of readers and of runs share: texts become files in a folder of their own,
 * and what was read of them becomes text again, so that a case is two texts.
 */
#ifndef POSTRUN_TESTS_LOGS_H
#define POSTRUN_TESTS_LOGS_H

#include "base/buf.h"
#include "folder.h"
#include "format/format.h"

struct logs {
	struct folder folder;
	struct arena mem;
	struct diags diags;
};

static inline int logs_set_up(void **state)
{
	struct logs *logs = calloc(1, sizeof *logs);

	if (!logs)
		return -1;
	arena_init(&logs->mem);
	diags_init(&logs->diags, &logs->mem);
	folder_open(&logs->folder);
	*state = logs;
	return 0;
}

static inline int logs_tear_down(void **state)
{
	struct logs *logs = *state;

	folder_remove(&logs->mem, logs->folder.path);
	diags_release(&logs->diags);
	arena_release(&logs->mem);
	free(logs);
	return 0;
}

static inline const char *text_of_buf(struct arena *mem, struct buf *out)
{
	const char *text = arena_text(mem, out->at, out->n);

	buf_release(out);
	return text;
}

/* Every complaint so far, a line each and the folder's path left out; then none. Of a rejected row its line is left out, too. */
static inline const char *take_complaints(struct logs *logs)
{
	const size_t n_path = strlen(logs->folder.path) + 1;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (size_t i = 0; i < logs->diags.n; i++) {
		struct diag *const d = &logs->diags.at[i];
		if (d->topic && strcmp(d->topic, "rows") == 0)
			d->excerpt = NULL;
		const char *text = diag_text(&logs->mem, d);
		if (strncmp(text, logs->folder.path, n_path - 1) == 0)
			text += n_path;
		buf_print(&out, "%s\n", text);
	}
	diags_release(&logs->diags);
	return text_of_buf(&logs->mem, &out);
}

/* nvidia-smi's log of busy of one GPU, a row a second; one in `bad` rows can't be read, 0: none. */
static inline struct slice log_of_seconds(struct arena *mem, int gpu, int n, int bad)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 26);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (int i = 0; i < n; i++) {
		buf_print(&out, "2026/11/%02d %02d:%02d:%02d.000, %d, ", 1 + i / 86400, i / 3600 % 24, i / 60 % 60, i % 60, gpu);
		if (bad && i % bad == bad - 1)
			buf_text(&out, "many\n");
		else
			buf_print(&out, "%d %%\n", i % 101);
	}
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

static inline size_t count_lines(struct slice text)
{
	size_t n = 0;

	const char end = has_returns_alone(text) ? '\r' : '\n';
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == end;
	return n + (text.n && text.p[text.n - 1] != end);
}

/* NULL as format_read() says; every line of a file that gave something must be accounted for. */
static inline struct recording *read_bytes(struct logs *logs, const char *name, struct slice text)
{
	struct recording *rec = format_read(&logs->mem, folder_put(&logs->folder, &logs->mem, name, text), NULL, false, &logs->diags);

	const size_t n_told = rec ? rec->n_rows + rec->n_rows_bad + rec->n_rows_ignored : 0;

	if (rec && (n_told != rec->n_rows_seen || (!rec->format->rows_are_not_lines && n_told != count_lines(text))))
		fail_msg("%zu rows, %zu bad and %zu ignored of %zu, and of %zu lines", rec->n_rows, rec->n_rows_bad, rec->n_rows_ignored,
			rec->n_rows_seen, count_lines(text));
	return rec;
}

static inline struct recording *read_text(struct logs *logs, const char *name, const char *text)
{
	return read_bytes(logs, name, slice_of(text));
}

static inline void put_value(struct buf *out, const struct column *column, size_t row)
{
	char text[64];

	if (column_value(column, row) == FIXED_MISSING) {
		buf_text(out, " -");
		return;
	}
	number_print(text, sizeof text, fixed_value(column_value(column, row)), column->decimals);
	buf_print(out, " %s", text);
}

/*
 * "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n", a block for each channel in the order of the
 * file; '-' is a missing value. Times are the log's own; `with_day` puts the date before them.
 */
static inline const char *shown(struct logs *logs, const struct recording *rec, bool with_day)
{
	struct arena *mem = &logs->mem;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (size_t i = 0; rec && i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		buf_print(&out, "%s:", entity_id(mem, &c->entity));
		for (size_t k = 0; k < c->n_columns; k++)
			buf_print(&out, " %s", metric_table[c->columns[k].metric].name);
		for (size_t row = 0; row < c->n_rows; row++) {
			const char *iso = time_iso(mem, channel_time(c, row));
			buf_print(&out, "\n%.*s", with_day ? 23 : 12, with_day ? iso : iso + 11);
			for (size_t k = 0; k < c->n_columns; k++)
				put_value(&out, &c->columns[k], row);
		}
		buf_char(&out, '\n');
	}
	return text_of_buf(mem, &out);
}

/* "not-supported 2, empty 1" */
static inline const char *shown_absences(struct logs *logs, const struct recording *rec)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; rec && i < N_ABSENCES; i++)
		if (rec->absences[i])
			buf_print(&out, "%s%s %zu", out.n ? ", " : "", absence_table[i].name, rec->absences[i]);
	return text_of_buf(&logs->mem, &out);
}

/* "2026-11-21T01:48:43.000Z gpu-lost gpu 1 0:08:00.0: the text", a line an event; a host is "host NAME", Xid has its code. */
static inline const char *shown_log_events(struct logs *logs, const struct recording *rec)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; rec && i < rec->n_events; i++) {
		const struct event *e = &rec->events[i];
		buf_print(&out, "%s %s", time_iso(&logs->mem, e->t), event_table[e->kind].name);
		if (e->code)
			buf_print(&out, " %d", e->code);
		if (e->entity.scope == SCOPE_GPU && e->entity.index >= 0)
			buf_print(&out, " gpu %d", e->entity.index);
		if (e->entity.bus_id)
			buf_print(&out, " %s", e->entity.bus_id);
		if (e->entity.scope == SCOPE_HOST)
			buf_print(&out, " host %s", e->entity.host);
		buf_print(&out, ": %s\n", e->text);
	}
	return text_of_buf(&logs->mem, &out);
}

#endif
