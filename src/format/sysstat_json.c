/*
 * sysstat_json.c - reads what mpstat, iostat and pidstat printed with -o JSON.
 *
 *     {"sysstat": {
 *             "hosts": [
 *                     {
 *                             "nodename": "node01", … "number-of-cpus": 2, "date": "11/20/26",
 *                             "statistics": [
 *                                     {
 *                                             "timestamp": "21:33:56",
 *                                             "cpu-load": [ {"cpu": "all", "usr": 50.01, … "idle": 49.98} ]
 *                                     }
 *                             ]
 *                     }
 *             ]
 *     }}
 *
 *     mpstat    "timestamp": "21:33:56"               "cpu-load": [ {"cpu": "all", …}, {"cpu": "0", …} ]; 12.0: "-1" is all
 *     pidstat   "timestamp": "09:33:56 PM"            "task-cpu-load": [ {"UID": …, "TGID": …, "TID": "", … "cpu": 1.25, …} ]
 *     iostat    none, or with -t "11/20/26 21:33:10"  "avg-cpu": {"user": …}, "disk": [ {"disk_device": "sda", "rkB/s": …} ]
 *               or ISO: "2026-11-20T21:33:10-0500"
 *
 * Date and clock follow the locale as in the texts of these tools (sysstat.c). Where iostat repeats the date in each
 * stamp, the one at the head is taken and midnights are counted, so that day and month are settled once.
 *
 * The first report of iostat is an average since boot and is left out. With -y it is not, but nothing in the log tells
 * whether -y was given: an interval that is lost at the start is the smaller error. mpstat and pidstat have such a
 * report only where they were given no interval, and then it is all there is.
 * Of pidstat's tasks the processes are summed; their threads (-t) are counted in them.
 */
#include "format/sysstat.h"
#include "format/sysstat_tree.h"

enum { PATH_HOST, PATH_DATE, PATH_POLL };

static const char *const paths[] = {
	[PATH_HOST] = "sysstat>hosts>+>nodename",
	[PATH_DATE] = "sysstat>hosts>+>date",
	[PATH_POLL] = "sysstat>hosts>+>statistics>+",
	SYSSTAT_TREE_LEFT_OUT,
	NULL,
};

struct sysstat {
	struct json_log log;
	struct sysstat_rows *rows;
	struct sysstat_clock clock;
	bool has_boot;     /* the first report of this document was seen */
	size_t n_polls, n_since_boot;
	time_ms before;    /* the stamp of the poll before, or TIME_UNKNOWN */
};

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	static const char *const keys[] = { "\"sysstat\"", "\"hosts\"", "\"date\"", NULL };

	(void)scratch;
	/* sadf -j has its date and time as a map */
	if (!json_log_has(first_bytes, keys) || slice_has(first_bytes, "\"file-date\""))
		return (struct bid){ 0, NULL };
	return (struct bid){ 96, "it has the names of sysstat's -o JSON, with the date of a start" };
}

static void take_host(struct sysstat *s, const struct json *name)
{
	json_log_host(&s->log, name);
	s->has_boot = false;
	s->before = TIME_UNKNOWN;
}

static void take_date(struct sysstat *s, const struct json *date)
{
	struct clock_note *note = &s->log.r->recording->clock;

	s->has_boot = false;
	s->before = TIME_UNKNOWN;
	if (!sysstat_date(json_text(date), &s->clock.day, note)) {
		diag_repeat(s->log.r->diags, json_log_place(&s->log, date), DIAG_BAD_TIME, "date", "'%.*s' is no date",
			SLICE(json_text(date)));
		return; /* the day of the document before stays in force */
	}
	s->clock.has_day = true;
	s->clock.has_last = false;
	note->date_unknown = false;
}

static bool has_offset(const struct sysstat *s)
{
	return s->log.r->recording->clock.basis == BASIS_OFFSET;
}

/* "2026-11-20T21:33:10-0500": local, and by how much. */
static bool iso_parse(struct sysstat *s, struct slice text, time_ms *t)
{
	const size_t n = strlen("2026-11-20T21:33:10");
	struct clock_note *note = &s->log.r->recording->clock;
	const bool is_first = !has_offset(s);

	if (text.n <= n || text.p[10] != 'T' || !stamp_parse((struct slice){ text.p, n }, t) ||
		!sysstat_offset(s->log.r, (struct slice){ text.p + n, text.n - n }, t))
		return false;
	if (is_first)
		note->date_ambiguous = note->date_unknown = false;
	return true;
}

/* "21:33:56", "09:33:56 PM", and behind a date that is the head's, or a later day's. */
static bool local_parse(struct sysstat *s, struct slice text, time_ms *t)
{
	struct clock_note note = { 0 };
	struct slice rest = text;
	time_ms day;

	if (sysstat_date(slice_word(&rest), &day, &note))
		text = rest;
	return sysstat_time(&text, &s->clock, t) && !slice_trim(text).n;
}

/* False, counted and reported, when the stamp can't be read. Where the first poll has none, polls are a second apart. */
static bool time_of(struct sysstat *s, const struct json *poll, time_ms *t)
{
	const struct json *stamp = json_get(poll, "timestamp");
	struct clock_note *note = &s->log.r->recording->clock;
	const struct slice text = json_text(stamp);
	const struct place place = json_log_place(&s->log, stamp ? stamp : poll);

	*t = (time_ms)s->n_polls * SECOND_MS;
	if (!stamp && !s->n_polls)
		note->time_unknown = true;
	if (note->time_unknown && stamp)
		return sheet_reject(s->log.sheet, place, DIAG_BAD_TIME, "a time in a log that began without times; poll not used");
	if (note->time_unknown || ((has_offset(s) || !s->n_polls) && iso_parse(s, text, t)) || (!has_offset(s) && local_parse(s, text, t)))
		return true;
	return sheet_reject(s->log.sheet, place, DIAG_BAD_TIME, "'%.*s' is no time, expected like %s; poll not used", SLICE(text),
		has_offset(s) ? "2026-11-20T21:33:56-0500" : "21:33:56");
}

/* Sum and largest share of one core over processes. False, counted and reported, when one can't be read. */
static bool sum_tasks(struct sysstat *s, const struct json *tasks, fixed *sum, fixed *most)
{
	*sum = *most = 0;
	for (const struct json *task = tasks->first; task; task = task->next) {
		const struct json *cpu = json_get(task, "cpu");
		fixed share;
		if (json_text(json_get(task, "TID")).n) /* a thread, counted in its process */
			continue;
		if (!json_log_fixed(cpu, &share) || share < 0 || fixed_value(share) > metric_table[METRIC_HOST_PROC_CPU_MOST].high)
			return sheet_reject(s->log.sheet, json_log_place(&s->log, cpu ? cpu : task), DIAG_BAD_NUMBER,
				"'%.*s' in cpu is no share; poll not used", SLICE(json_text(cpu)));
		*sum += share;
		*most = share > *most ? share : *most;
	}
	return true;
}

static void take_tasks(struct sysstat *s, const struct json *tasks, time_ms begin, time_ms t)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	fixed sum, most;

	if (!tasks || tasks->kind != JSON_LIST || !sum_tasks(s, tasks, &sum, &most))
		return;
	size_t channel = sheet_channel(s->log.sheet, &host);
	if (channel == SIZE_MAX)
		return;
	sheet_begin(s->log.sheet, channel, begin);
	sheet_row_at(s->log.sheet, channel, t);
	if (fixed_value(sum) > metric_table[METRIC_HOST_PROC_CPU].high)
		sheet_absent(s->log.sheet, METRIC_HOST_PROC_CPU, ABSENT_OUT_OF_RANGE);
	else
		sheet_put(s->log.sheet, METRIC_HOST_PROC_CPU, sum, 2);
	sheet_put(s->log.sheet, METRIC_HOST_PROC_CPU_MOST, most, 2);
}

static bool is_since_boot(struct sysstat *s, const struct json *poll)
{
	const bool is_iostat = json_get(poll, "avg-cpu") || (json_get(poll, "disk") && !json_get(poll, "cpu-load"));
	const bool first = !s->has_boot;

	s->has_boot = true;
	return is_iostat && first;
}

static void take_poll(struct sysstat *s, const struct json *poll)
{
	time_ms t;

	if (!time_of(s, poll, &t))
		return;
	s->n_polls++;
	if (is_since_boot(s, poll)) {
		s->n_since_boot++;
	} else {
		const time_ms begin = s->before == TIME_UNKNOWN ? t : s->before;
		sysstat_tree_rows(&s->log, s->rows, poll, begin, t);
		take_tasks(s, json_get(poll, "task-cpu-load"), begin, t);
	}
	s->before = t;
}

static void take(struct sysstat *s, const struct json *value, size_t which)
{
	if (which == PATH_HOST)
		take_host(s, value);
	else if (which == PATH_DATE)
		take_date(s, value);
	else if (json_log_is_ours(&s->log, value))
		take_poll(s, value);
}

static bool read(struct reading *r)
{
	struct sysstat *s = NEW(r->scratch, struct sysstat);
	const struct json *value;
	size_t which;

	json_log_open(&s->log, r, paths);
	s->rows = sysstat_rows_new(r, s->log.sheet);
	s->before = TIME_UNKNOWN;
	r->recording->clock.basis = BASIS_LOCAL;
	r->recording->clock.date_unknown = true;
	while ((value = json_log_next(&s->log, &which)))
		take(s, value, which);
	sysstat_rows_end(s->rows);
	if (r->recording->clock.time_unknown)
		r->recording->clock.date_unknown = false;
	if (!s->n_since_boot || s->n_since_boot < s->n_polls)
		return json_log_close(&s->log);
	diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"nothing but averages since boot, as the first report of iostat is; log with iostat -xt -o JSON N, which goes on");
	return json_log_drop(&s->log);
}

static const char sample[] =
	"{\"sysstat\": {\n"
	"\t\"hosts\": [\n"
	"\t\t{\n"
	"\t\t\t\"nodename\": \"node01\",\n"
	"\t\t\t\"number-of-cpus\": 2,\n"
	"\t\t\t\"date\": \"11/21/2026\",\n"
	"\t\t\t\"statistics\": [\n"
	"\t\t\t\t{\n"
	"\t\t\t\t\t\"timestamp\": \"01:48:35 AM\",\n"
	"\t\t\t\t\t\"cpu-load\": [\n"
	"\t\t\t\t\t\t{\"cpu\": \"all\", \"usr\": 50.06, \"nice\": 0.00, \"sys\": 1.81, \"iowait\": 0.00, \"idle\": 48.13},\n"
	"\t\t\t\t\t\t{\"cpu\": \"0\", \"usr\": 99.00, \"nice\": 0.00, \"sys\": 1.00, \"iowait\": 0.00, \"idle\": 0.00},\n"
	"\t\t\t\t\t\t{\"cpu\": \"1\", \"usr\": 1.12, \"nice\": 0.00, \"sys\": 2.62, \"iowait\": 0.00, \"idle\": 96.26}\n"
	"\t\t\t\t\t]\n"
	"\t\t\t\t}\n"
	"\t\t\t]\n"
	"\t\t}\n"
	"\t]\n"
	"}}\n";

const struct format format_sysstat_json = {
	.name = "sysstat-json",
	.title = "mpstat [-P ALL] -o JSON N, iostat [-x] [-t] -o JSON N, pidstat -o JSON N",
	.sample = sample,
	.columns = sysstat_tree_columns,
	.absences = sysstat_absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
