/* sadf.c - host, interval and time of sadf's lines. */
#include "format/sadf.h"

struct slice sadf_cell(struct slice *rest, char separator)
{
	const char *end = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
	struct slice cell = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = end ? (struct slice){ end + 1, rest->n - cell.n - 1 } : (struct slice){ rest->p + rest->n, 0 };
	return slice_trim(cell);
}

/* "2026-11-21 02:33:57 UTC", "2026-11-21 02:33:57" with -T, "1795228437" with -U. */
static bool time_parse(struct reading *r, struct slice cell, time_ms *t)
{
	struct slice rest = cell, day = slice_word(&rest), of_day = slice_word(&rest), zone = slice_trim(rest);
	int64_t seconds;

	if (integer_parse(cell, &seconds) && seconds < (int64_t)4102444800) { /* 2100-01-01 */
		*t = seconds * SECOND_MS;
		reading_epoch(r);
		return true;
	}
	if (!of_day.n || !stamp_parse((struct slice){ day.p, (size_t)(of_day.p + of_day.n - day.p) }, t))
		return false;
	if (slice_is(zone, "UTC"))
		reading_zone(r, zone);
	return true;
}

static bool same_time(const struct sadf_tags *tags, time_ms *t)
{
	if (!tags->n_last || !slice_same(tags->at[2], (struct slice){ tags->last, tags->n_last }))
		return false;
	*t = tags->last_t;
	return true;
}

static void keep_time(struct sadf_tags *tags, time_ms t)
{
	const struct slice cell = tags->at[2];

	tags->n_last = cell.n <= sizeof tags->last ? cell.n : 0;
	memcpy(tags->last, cell.p, tags->n_last);
	tags->last_t = t;
}

static bool is_our_host(struct reading *r, struct sheet *sheet, struct slice host)
{
	const struct place place = { r->lines->path, r->lines->line, 1 };

	return reading_host(r, host) || sheet_reject(sheet, place, DIAG_BAD_ROW, "a row of '%.*s' in a log of '%s'; not used",
						SLICE(host), r->recording->host);
}

bool sadf_tags_use(struct reading *r, struct sheet *sheet, struct sadf_tags *tags, time_ms *begin, time_ms *t)
{
	struct place place = { r->lines->path, r->lines->line, tags->columns[2] };
	int64_t interval;

	if (!same_time(tags, t) && !time_parse(r, tags->at[2], t))
		return sheet_reject(sheet, place, DIAG_BAD_TIME,
			"'%.*s' is no time stamp, expected like 2026-11-21 01:48:34 UTC; row not used", SLICE(tags->at[2]));
	keep_time(tags, *t);
	if (!is_our_host(r, sheet, tags->at[0]))
		return false;
	if (!integer_parse(tags->at[1], &interval) || interval > 7 * DAY_MS / SECOND_MS)
		interval = 0; /* not known: sheet_begin() takes no interval that ends where it begins */
	*begin = *t - interval * SECOND_MS;
	return true;
}

bool sadf_mark(struct sysstat_rows *rows, struct slice text, time_ms t)
{
	const size_t n_remark = strlen("COM ");

	if (slice_starts(text, "LINUX-RESTART"))
		sysstat_mark(rows, EVENT_RESTART, t, text);
	else if (slice_starts(text, "COM "))
		sysstat_mark(rows, EVENT_COMMENT, t, (struct slice){ text.p + n_remark, text.n - n_remark });
	else
		return false;
	return true;
}
