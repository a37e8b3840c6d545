/*
 * sadf_json.c - reads what `sadf -j` printed of a file of sar's.
 *
 *     {"sysstat": {
 *             "hosts": [
 *                     {
 *                             "nodename": "node01", … "file-date": "2026-11-21", "timezone": "UTC",
 *                             "statistics": [
 *                                     {
 *                                             "timestamp": {"date": "2026-11-21", "time": "01:48:35", "utc": 1, "interval": 1},
 *                                             "cpu-load": [ {"cpu": "all", "user": 0.06, … "idle": 98.12} ],
 *                                             "memory": {"memfree": 129247528, "avail": 131227472, …}
 *                                     }
 *                             ],
 *                             "restarts": [ {"boot": {"date": "2026-11-21", "time": "01:40:00", "utc": 1}} ],
 *                             "comments": [ {"comment": {"date": …, "time": …, "utc": 1, "com": "run A starts"}} ]
 *                     }
 *             ]
 *     }}
 *
 * A poll is an element of "statistics", and its sections mean what those of sadf -d mean (sysstat_tree.c). It describes
 * the `interval` seconds before its time. "utc": 1 is UTC, 0 a local time without its zone (-T, -t); newer releases
 * write "tz": "UTC" or another zone's word. Restarts and comments stand behind all polls, with times of their own.
 */
#include "format/sysstat_tree.h"

#include <stdio.h>

enum { PATH_HOST, PATH_POLL, PATH_RESTART, PATH_COMMENT };

static const char *const paths[] = {
	[PATH_HOST] = "sysstat>hosts>+>nodename",
	[PATH_POLL] = "sysstat>hosts>+>statistics>+",
	[PATH_RESTART] = "sysstat>hosts>+>restarts>+>boot",
	[PATH_COMMENT] = "sysstat>hosts>+>comments>+>comment",
	SYSSTAT_TREE_LEFT_OUT,
	NULL,
};

struct sadf {
	struct json_log log;
	struct sysstat_rows *rows;
};

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	static const char *const keys[] = { "\"sysstat\"", "\"hosts\"", "\"file-date\"", NULL };

	(void)scratch;
	return json_log_has(first_bytes, keys) ? (struct bid){ 97, "it has the names of sadf -j, with the date of a file" }
					       : (struct bid){ 0, NULL };
}

static void take_zone(struct reading *r, const struct json *stamp)
{
	const struct json *utc = json_get(stamp, "utc"), *zone = json_get(stamp, "tz");

	if (!utc || !slice_is(json_text(utc), "0"))
		reading_zone(r, utc ? slice_of("UTC") : json_text(zone));
}

/* The "date" and "time" of a map. False, counted and reported, when they are none. */
static bool stamp_at(struct sadf *s, const struct json *stamp, const struct json *about, time_ms *t)
{
	const struct slice date = json_text(json_get(stamp, "date")), time = json_text(json_get(stamp, "time"));
	char text[40];
	const int n = snprintf(text, sizeof text, "%.*s %.*s", SLICE(date), SLICE(time));

	if (n < (int)sizeof text && date.n && time.n && stamp_parse((struct slice){ text, (size_t)n }, t)) {
		take_zone(s->log.r, stamp);
		return true;
	}
	sheet_reject(s->log.sheet, json_log_place(&s->log, stamp ? stamp : about), DIAG_BAD_TIME,
		"no time stamp, expected like \"date\": \"2026-11-21\", \"time\": \"01:48:34\"; not used");
	return false;
}

static void take_poll(struct sadf *s, const struct json *poll)
{
	const struct json *stamp = json_get(poll, "timestamp");
	int64_t interval;
	time_ms t;

	if (!stamp_at(s, stamp, poll, &t))
		return;
	if (!integer_parse(json_text(json_get(stamp, "interval")), &interval) || interval > 7 * DAY_MS / SECOND_MS)
		interval = 0; /* not known: sheet_begin() takes no interval that ends where it begins */
	sysstat_tree_rows(&s->log, s->rows, poll, t - interval * SECOND_MS, t);
}

static void take_event(struct sadf *s, const struct json *event, bool is_restart)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const struct slice cores = json_text(json_get(event, "cpu_count"));
	time_ms t;

	if (!stamp_at(s, event, event, &t))
		return;
	if (!is_restart)
		sheet_event(s->log.sheet, EVENT_COMMENT, &host, t, 0, json_text(json_get(event, "com")));
	else if (cores.n)
		sheet_event(s->log.sheet, EVENT_RESTART, &host, t, 0,
			slice_of(arena_print(s->log.r->mem, "LINUX-RESTART (%.*s CPU)", SLICE(cores))));
	else
		sheet_event(s->log.sheet, EVENT_RESTART, &host, t, 0, slice_of("LINUX-RESTART"));
}

static void take(struct sadf *s, const struct json *value, size_t which)
{
	if (which == PATH_HOST)
		json_log_host(&s->log, value);
	else if (!json_log_is_ours(&s->log, value))
		return;
	else if (which == PATH_POLL)
		take_poll(s, value);
	else
		take_event(s, value, which == PATH_RESTART);
}

static bool read(struct reading *r)
{
	struct sadf *s = NEW(r->scratch, struct sadf);
	const struct json *value;
	size_t which;

	json_log_open(&s->log, r, paths);
	s->rows = sysstat_rows_new(r, s->log.sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	while ((value = json_log_next(&s->log, &which)))
		take(s, value, which);
	sysstat_rows_end(s->rows);
	return json_log_close(&s->log);
}

static const char sample[] =
	"{\"sysstat\": {\n"
	"\t\"hosts\": [\n"
	"\t\t{\n"
	"\t\t\t\"nodename\": \"node01\",\n"
	"\t\t\t\"number-of-cpus\": 16,\n"
	"\t\t\t\"file-date\": \"2026-11-21\",\n"
	"\t\t\t\"timezone\": \"UTC\",\n"
	"\t\t\t\"statistics\": [\n"
	"\t\t\t\t{\n"
	"\t\t\t\t\t\"timestamp\": {\"date\": \"2026-11-21\", \"time\": \"01:48:35\", \"utc\": 1, \"interval\": 1},\n"
	"\t\t\t\t\t\"cpu-load\": [\n"
	"\t\t\t\t\t\t{\"cpu\": \"all\", \"user\": 17.67, \"nice\": 0.00, \"system\": 1.19, \"iowait\": 0.25, \"idle\": 80.89}\n"
	"\t\t\t\t\t],\n"
	"\t\t\t\t\t\"memory\": {\"memfree\": 129247528, \"avail\": 131227472, \"memused\": 483852},\n"
	"\t\t\t\t\t\"queue\": {\"runq-sz\": 2, \"plist-sz\": 434, \"ldavg-1\": 1.12, \"blocked\": 1}\n"
	"\t\t\t\t}\n"
	"\t\t\t],\n"
	"\t\t\t\"restarts\": [\n"
	"\t\t\t]\n"
	"\t\t}\n"
	"\t]\n"
	"}}\n";

const struct format format_sadf_json = {
	.name = "sadf-json",
	.title = "sadf -j [-T] -- [-u] [-P ALL] [-r] [-q] [-b] [-d] [-n DEV] [-A]",
	.sample = sample,
	.columns = sysstat_tree_columns,
	.absences = sysstat_absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
