/* json_log.c - between a tree and a sheet. */
#include "format/json_log.h"

bool json_log_has(struct slice first_bytes, const char *const *keys)
{
	size_t blanks = 0;

	while (blanks < first_bytes.n && memchr(" \t\r\n", first_bytes.p[blanks], 4))
		blanks++;
	if (blanks == first_bytes.n || first_bytes.p[blanks] != '{')
		return false;
	while (*keys)
		if (!slice_has(first_bytes, *keys++))
			return false;
	return true;
}

void json_log_open(struct json_log *log, struct reading *r, const char *const *paths)
{
	log->r = r;
	log->sheet = sheet_new(r);
	log->is_ours = true;
	log->in = json_reader_new(r->scratch, r->lines, r->diags, paths);
}

const struct json *json_log_next(struct json_log *log, size_t *which)
{
	return json_next(log->in, which);
}

bool json_log_close(struct json_log *log)
{
	struct recording *rec = log->r->recording;

	rec->cut |= json_is_cut(log->in);
	rec->n_rows_bad += json_n_damaged(log->in);
	json_reader_release(log->in);
	rec->n_rows_ignored = 0; /* a document has no lines to ignore; what doubles there are is counted now */
	return sheet_finish(log->sheet);
}

bool json_log_drop(struct json_log *log)
{
	json_reader_release(log->in);
	return sheet_drop(log->sheet);
}

struct place json_log_place(const struct json_log *log, const struct json *value)
{
	return (struct place){ log->r->lines->path, value->line, value->column };
}

void json_log_host(struct json_log *log, const struct json *name)
{
	const struct slice text = json_text(name);

	log->host.n = text.n < sizeof log->host_room ? text.n : sizeof log->host_room;
	log->host.p = memcpy(log->host_room, text.p, log->host.n);
	log->is_ours = !text.n || reading_host(log->r, text);
}

bool json_log_is_ours(struct json_log *log, const struct json *value)
{
	return log->is_ours || sheet_reject(log->sheet, json_log_place(log, value), DIAG_BAD_ROW,
				       "a record of '%.*s' in a log of '%s'; not used", SLICE(log->host), log->r->recording->host);
}

bool json_log_fixed(const struct json *value, fixed *number)
{
	char room[NUMBER_ROOM];
	struct slice rest;

	if (!value || value->kind != JSON_NUMBER)
		return false;
	struct slice text = value->text;
	number_without_exponent(text, room, &text);
	return fixed_parse(text, number, &rest) && !rest.n;
}

void json_log_cell(struct json_log *log, const struct spelling *column, const struct json *value)
{
	struct slice text = value ? value->text : (struct slice){ "", 0 };
	char room[NUMBER_ROOM];

	if (!value)
		return;
	if (value->kind == JSON_NULL)
		text = slice_of("null");
	else if (value->kind == JSON_LIST || value->kind == JSON_MAP)
		text = slice_of(value->kind == JSON_LIST ? "[]" : "{}");
	if (value->kind == JSON_NUMBER)
		number_without_exponent(text, room, &text);
	sheet_cell(log->sheet, column, column->unit, text, json_log_place(log, value));
}
