/*
 * json_log.h - what the readers of JSON logs share. For this folder only.
 *
 *     json_log_open(&log, r, paths);
 *     while ((value = json_log_next(&log, &which)))
 *             … sheet_row(log.sheet, …); json_log_cell(&log, …);
 *     return json_log_close(&log);
 */
#ifndef POSTRUN_JSON_LOG_H
#define POSTRUN_JSON_LOG_H

#include "base/json_reader.h"
#include "format/sheet.h"

struct json_log {
	struct reading *r;
	struct sheet *sheet;
	struct json_reader *in;
	struct slice host; /* of what comes now */
	char host_room[256];
	bool is_ours;      /* it is that of the recording */
};

/* True when the file begins with '{', and names all these keys in its first bytes. Ends with NULL. */
bool json_log_has(struct slice first_bytes, const char *const *keys);

void json_log_open(struct json_log *log, struct reading *r, const char *const *paths);
const struct json *json_log_next(struct json_log *log, size_t *which);
/* Whether it was cut or damaged into the recording, then sheet_finish(). */
bool json_log_close(struct json_log *log);
/* Instead, when the file can't be used at all, which is reported already. Always false. */
bool json_log_drop(struct json_log *log);

struct place json_log_place(const struct json_log *log, const struct json *value);
/* What comes now is of this host; NULL: nobody says. */
void json_log_host(struct json_log *log, const struct json *name);
/* False, counted and reported at `value`, when that is another than the recording's. */
bool json_log_is_ours(struct json_log *log, const struct json *value);
/* As sheet_cell(); null and NaN are missing, as the format's word "null" says; nothing for a value that is not there. */
void json_log_cell(struct json_log *log, const struct spelling *column, const struct json *value);
/* A number as written, or in exponent form: 7.09e-05. False when it is none, or out of range. */
bool json_log_fixed(const struct json *value, fixed *number);

#endif
