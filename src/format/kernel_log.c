/*
 * kernel_log.c - reads what the kernel's log tells of GPUs and of memory: dmesg, journalctl -k, syslog, kern.log.
 *
 *     2026-11-21T01:48:42.867977-06:00 node01 kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=2361, name=python3, GPU has fallen off the bus.
 *     [Sat Nov 21 01:48:42 2026] NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.
 *     [74889.644138] NVRM: GPU at PCI:0000:01:00: GPU-aa52598f-dd6b-42a1-2881-3b1b251447dd
 *     Nov 21 01:48:42 node01 kernel: Out of memory: Killed process 2361 (python3) total-vm:…
 *
 * There are no rows in it, only events: an Xid with its code, a GPU that fell off the bus (Xid 79 says so as well; told
 * within a minute again it is the same loss), a process that was killed because memory ran out, a start of the
 * host ("Linux version …"). All other lines are passed over, also those of other programs in a syslog. A log
 * in which none of this stands is refused, and the reason is good news.
 *
 * GPUs are named by bus id, in most lines without the function (".0"), which is added; a line "GPU at" tells the UUID.
 * "GPU0" in other lines of NVRM is the driver's own count, not nvidia-smi's, and is not used.
 *
 * Times, one kind for a file, that of its first line that has one:
 *     RFC 3339 or ISO 8601 with an offset; other offsets further down are brought to the first
 *     dmesg -T and ISO 8601 without offset: local
 *     seconds since the host was started: no date; --start says when that was
 *     syslog's, without a year: clock_year.c finds it
 */
#include "format/date_line.h"
#include "format/row_clock.h"
#include "metric/identity.h"

#include <stdio.h>

#define MAX_GPUS ((size_t)256) /* whose names and losses are remembered; NVSwitch hosts have 8, GB200 racks 72 */
#define SAME_LOSS MINUTE_MS

static const struct spelling columns[] = { { NULL, METRIC_GPU_UTIL, UNIT_NUMBER } };
static const struct absence_word absences[] = { { NULL, ABSENT_EMPTY } };

enum stamp_kind { STAMP_NONE, STAMP_OFFSET, STAMP_LOCAL, STAMP_UPTIME, STAMP_NO_YEAR };

struct kernel_line {
	enum stamp_kind kind;
	time_ms t;      /* as written */
	time_ms offset; /* of STAMP_OFFSET */
	struct slice zone, host, message; /* host: empty when the line has none; message: empty when it is not the kernel's */
};

struct known_gpu {
	const char *bus_id, *uuid; /* uuid: NULL until a line tells it */
	time_ms lost;              /* when it was last said to be lost, or TIME_UNKNOWN */
};

struct kernel {
	struct reading *r;
	struct sheet *sheet;
	enum stamp_kind kind;
	struct yearless yearless; /* with STAMP_NO_YEAR */
	struct known_gpu gpus[MAX_GPUS];
	size_t n_gpus, n_events;
};

/* Where `part` begins, or s.n. */
static size_t find_part(struct slice s, const char *part)
{
	size_t i = 0;

	while (i < s.n && !slice_starts(slice_behind(s, i), part))
		i++;
	return i;
}

/* "2026-11-21T01:48:42.867977-06:00", "2026-11-21T01:48:42,867977+00:00", "…Z", or without a zone. */
static bool iso_parse(struct slice word, struct kernel_line *line)
{
	size_t n = word.n;

	if (word.n < 19 || word.p[10] != 'T')
		return false;
	while (n > 19 && word.p[n - 1] != '+' && word.p[n - 1] != '-' && word.p[n - 1] != 'Z')
		n--;
	if (n == 19) {
		line->kind = STAMP_LOCAL;
		return stamp_parse(word, &line->t);
	}
	line->kind = STAMP_OFFSET;
	line->zone = slice_behind(word, n - 1);
	return zone_parse(line->zone, &line->offset) && stamp_parse((struct slice){ word.p, n - 1 }, &line->t);
}

/* "[   12.345678]" off the front; dmesg always writes six decimals. */
static bool take_uptime(struct slice *rest, time_ms *t)
{
	const struct slice s = slice_trim(*rest);
	const char *end = s.n && s.p[0] == '[' ? memchr(s.p, ']', s.n) : NULL;
	struct slice left;
	fixed seconds;

	if (!end || end - s.p < 8)
		return false;
	const struct slice number = slice_trim((struct slice){ s.p + 1, (size_t)(end - s.p) - 1 });
	if (number.n < 8 || number.p[number.n - 7] != '.' || number.p[0] == '-' || !fixed_parse(number, &seconds, &left) || left.n)
		return false;
	*t = seconds / (FIXED_ONE / 1000);
	*rest = slice_behind(s, (size_t)(end - s.p) + 1);
	return true;
}

/* "[Sat Nov 21 01:48:42 2026]"; the first bracket of a pasted log is easily lost. */
static bool take_dmesg_date(struct slice *rest, struct kernel_line *line)
{
	const struct slice s = slice_trim(*rest);
	const char *end = s.n ? memchr(s.p, ']', s.n) : NULL;
	const size_t skip = s.n && s.p[0] == '[';

	if (!end || end - s.p > 40 || !date_line_parse((struct slice){ s.p + skip, (size_t)(end - s.p) - skip }, &line->t, &line->zone) ||
		line->zone.n)
		return false;
	line->kind = STAMP_LOCAL;
	*rest = slice_behind(s, (size_t)(end - s.p) + 1);
	return true;
}

/* "[  123.456]" off the front, with as many decimals as who passed it on left of it: behind a stamp it tells nothing. */
static struct slice without_uptime(struct slice message)
{
	size_t n = message.n && message.p[0] == '[';

	while (n && n < message.n && (is_digit(message.p[n]) || message.p[n] == '.' || message.p[n] == ' '))
		n++;
	return n > 1 && n < message.n && message.p[n] == ']' ? slice_trim(slice_behind(message, n + 1)) : message;
}

/* Host and "kernel:" behind a stamp of syslog or journalctl; the message of another program is none. */
static void cut_syslog_rest(struct slice rest, struct kernel_line *line)
{
	line->host = slice_word(&rest);
	const struct slice tag = slice_word(&rest);
	line->message = slice_is(tag, "kernel:") ? without_uptime(slice_trim(rest)) : (struct slice){ "", 0 };
}

/* False when the line has no stamp of any kind. */
static bool cut_line(struct slice text, struct kernel_line *line)
{
	struct slice rest = slice_trim(text), word;

	*line = (struct kernel_line){ .host = { "", 0 }, .message = { "", 0 }, .zone = { "", 0 } };
	if (take_uptime(&rest, &line->t)) {
		line->kind = STAMP_UPTIME;
		line->message = slice_trim(rest);
		return true;
	}
	if (take_dmesg_date(&rest, line)) {
		line->message = slice_trim(rest);
		return true;
	}
	word = slice_word(&rest);
	if (iso_parse(word, line)) {
		if (memchr(word.p, ',', word.n)) /* dmesg --time-format iso has neither host nor tag */
			line->message = slice_trim(rest);
		else
			cut_syslog_rest(rest, line);
		return true;
	}
	rest = slice_trim(text);
	if (!syslog_stamp_take(&rest, &line->t))
		return false;
	line->kind = STAMP_NO_YEAR;
	cut_syslog_rest(rest, line);
	return true;
}

/* Before 5.0 in two lines, the choice ("Kill process") and the kill; the choice alone kills nobody. */
static bool tells_of_kill(struct slice message)
{
	return slice_starts(message, "Killed process ") || slice_starts(message, "Out of memory: Killed process ") ||
	       slice_starts(message, "Memory cgroup out of memory: Killed process ");
}

/* Lines of the kernel that are ours, wherever they stand. */
static bool is_telling(struct slice message)
{
	return slice_starts(message, "NVRM: ") || slice_starts(message, "Linux version ") || tells_of_kill(message);
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	size_t n_lines = 0, n_kernel = 0;

	(void)scratch;
	while (first_bytes.n) {
		struct kernel_line line;
		const struct slice text = slice_trim(slice_line(&first_bytes));
		if (!text.n)
			continue;
		n_lines++;
		if (!cut_line(text, &line) || !line.message.n)
			continue;
		n_kernel++;
		if (is_telling(line.message))
			return (struct bid){ 85, "it has lines of the kernel's log that tell of GPUs, memory or the start of the host" };
	}
	/* what is told stands further down, or nowhere: then the log is to be refused with that reason */
	if (n_kernel >= 5 && n_kernel * 10 >= n_lines * 8)
		return (struct bid){ 30, "most of its lines are stamped as the kernel's log is" };
	return (struct bid){ 0, NULL };
}

/* The GPU of this bus id, remembered from its first mention on; NULL when it is none, or over MAX_GPUS. */
static struct known_gpu *gpu_of(struct kernel *k, struct slice bus)
{
	char text[32];

	if (bus.n < 7 || bus.n > 20)
		return NULL;
	const int n = snprintf(text, sizeof text, "%.*s%s", SLICE(bus), memchr(bus.p, '.', bus.n) ? "" : ".0");
	const char *id = bus_id_normal(k->r->mem, (struct slice){ text, (size_t)n });
	if (!id)
		return NULL;
	for (size_t i = 0; i < k->n_gpus; i++)
		if (strcmp(k->gpus[i].bus_id, id) == 0)
			return &k->gpus[i];
	if (k->n_gpus == MAX_GPUS)
		return NULL;
	k->gpus[k->n_gpus] = (struct known_gpu){ id, NULL, TIME_UNKNOWN };
	return &k->gpus[k->n_gpus++];
}

static struct entity entity_of(const struct known_gpu *gpu)
{
	return (struct entity){ .scope = SCOPE_GPU, .host = "", .index = -1, .uuid = gpu->uuid, .bus_id = gpu->bus_id };
}

static void put_event(struct kernel *k, enum event_kind kind, const struct entity *e, const struct kernel_line *line, int code)
{
	sheet_event(k->sheet, kind, e, line->t, code, line->message);
	k->n_events++;
}

static void put_loss(struct kernel *k, struct known_gpu *gpu, const struct kernel_line *line)
{
	const bool told = gpu->lost != TIME_UNKNOWN && line->t >= gpu->lost && line->t - gpu->lost < SAME_LOSS;
	const struct entity entity = entity_of(gpu);

	gpu->lost = line->t;
	if (!told)
		put_event(k, EVENT_GPU_LOST, &entity, line, 0);
}

static bool tells_of_loss(struct slice message)
{
	return slice_has(message, "has fallen off the bus") || slice_has(message, "GPU is lost");
}

/* "NVRM: Xid (PCI:0000:01:00): 79, pid=…"; before 2014 without "PCI:". */
static void take_xid(struct kernel *k, const struct kernel_line *line)
{
	struct place place = { k->r->lines->path, k->r->lines->line, 0 };
	struct slice rest = slice_behind(line->message, strlen("NVRM: Xid ("));
	const size_t n = find_part(rest, "): ");
	struct slice bus = { rest.p, n };
	int64_t code;

	if (slice_starts(bus, "PCI:"))
		bus = slice_behind(bus, 4);
	struct known_gpu *gpu = gpu_of(k, bus);
	rest = n < rest.n ? slice_behind(rest, n + 3) : (struct slice){ "", 0 };
	size_t digits = 0;
	while (digits < rest.n && is_digit(rest.p[digits]))
		digits++;
	if (!gpu || !integer_parse((struct slice){ rest.p, digits }, &code) || code > 100000) {
		sheet_reject(k->sheet, place, DIAG_BAD_ROW, "an Xid without bus id or code; not used");
		return;
	}
	const struct entity entity = entity_of(gpu);
	put_event(k, EVENT_XID, &entity, line, (int)code);
	if (code == 79 || tells_of_loss(line->message))
		put_loss(k, gpu, line);
	k->r->recording->n_rows_ignored++;
}

/* "0000:01:00.0" of "0000:01:00.0: GPU has fallen off …", "0000:01:00" of "PCI:0000:01:00: GPU-…" */
static struct slice bus_word(struct slice rest)
{
	struct slice word = slice_word(&rest);

	if (slice_starts(word, "PCI:"))
		word = slice_behind(word, 4);
	while (word.n && word.p[word.n - 1] == ':')
		word.n--;
	return word;
}

/* Lines of NVRM that name a GPU by its bus id: they tell its UUID, or its loss. */
static void take_gpu_line(struct kernel *k, const struct kernel_line *line)
{
	static const char *const begins[] = { "NVRM: GPU at ", "NVRM: GPU " };
	struct known_gpu *gpu = NULL;

	for (size_t i = 0; i < 2 && !gpu; i++)
		if (slice_starts(line->message, begins[i]))
			gpu = gpu_of(k, bus_word(slice_behind(line->message, strlen(begins[i]))));
	if (!gpu)
		return;
	const struct slice uuid = slice_behind(line->message, find_part(line->message, ": GPU-"));
	if (uuid.n > 2 && !gpu->uuid && slice_is_utf8(uuid)) {
		const struct slice text = slice_trim(slice_behind(uuid, 2));
		gpu->uuid = arena_text(k->r->mem, text.p, text.n < 64 ? text.n : 64);
	}
	if (tells_of_loss(line->message))
		put_loss(k, gpu, line);
}

static void take_message(struct kernel *k, const struct kernel_line *line)
{
	static const struct entity host = { .scope = SCOPE_HOST, .host = "" };

	if (slice_starts(line->message, "NVRM: Xid (")) {
		take_xid(k, line);
		return;
	}
	if (slice_starts(line->message, "NVRM: GPU "))
		take_gpu_line(k, line);
	else if (tells_of_kill(line->message))
		put_event(k, EVENT_OOM_KILL, &host, line, 0);
	else if (slice_starts(line->message, "Linux version "))
		put_event(k, EVENT_RESTART, &host, line, 0);
	k->r->recording->n_rows_ignored++;
}

/* The first line with a stamp says what all of them are. */
static void decide_clock(struct kernel *k, const struct kernel_line *line)
{
	struct clock_note *clock = &k->r->recording->clock;

	k->kind = line->kind;
	clock->basis = line->kind == STAMP_OFFSET ? BASIS_OFFSET : BASIS_LOCAL;
	if (line->kind == STAMP_OFFSET) {
		clock->offset = line->offset;
		clock->zone = arena_text(k->r->mem, line->zone.p, line->zone.n);
	}
	clock->time_unknown = clock->elapsed = line->kind == STAMP_UPTIME;
	if (clock->elapsed)
		diag_at(k->r->diags, (struct place){ k->r->lines->path, k->r->lines->line, 0 }, DIAG_CLOCK,
			"times count from the start of the host; --start %s=TIME says when that was (uptime -s), or log with dmesg -T",
			k->r->recording->name);
	clock->year_unknown = line->kind == STAMP_NO_YEAR;
}

/* Onto the clock of the recording: its first offset, and a year later once New Year has passed. */
static time_ms settled_time(struct kernel *k, const struct kernel_line *line)
{
	if (line->kind == STAMP_OFFSET)
		return line->t - line->offset + k->r->recording->clock.offset;
	if (line->kind != STAMP_NO_YEAR)
		return line->t;
	return yearless_follow(&k->yearless, line->t);
}

/* False, already reported, when the line can't be placed among the others. */
static bool place_line(struct kernel *k, struct kernel_line *line)
{
	struct place place = { k->r->lines->path, k->r->lines->line, 0 };

	if (k->kind == STAMP_NONE)
		decide_clock(k, line);
	if (line->kind != k->kind)
		return !is_telling(line->message) ||
		       sheet_reject(k->sheet, place, DIAG_BAD_TIME, "a time of another kind than in the first line; not used");
	line->t = settled_time(k, line);
	const bool is_ours = !line->host.n || reading_host(k->r, line->host);
	if (is_telling(line->message) && !is_ours)
		return sheet_reject(k->sheet, place, DIAG_BAD_ROW, "a line of another host than %s; split the log by hosts; not used",
			k->r->recording->host);
	return true;
}

static void take_line(struct kernel *k, struct slice text)
{
	struct kernel_line line;

	if (!sheet_takes_line(k->sheet))
		return;
	if (!cut_line(text, &line)) {
		k->r->recording->n_rows_ignored++;
		return;
	}
	if (!place_line(k, &line))
		return;
	if (line.kind == k->kind)
		take_message(k, &line);
	else
		k->r->recording->n_rows_ignored++;
}

static bool read(struct reading *r)
{
	struct kernel *k = NEW(r->scratch, struct kernel);
	struct slice line;

	k->r = r;
	k->sheet = sheet_new(r);
	while (line_next(r->lines, &line))
		take_line(k, line);
	if (k->n_events)
		return sheet_finish(k->sheet);
	diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NOTHING_TOLD,
		"a log of the kernel that tells of no Xid, no lost GPU and no process killed for memory: nothing to use");
	return sheet_drop(k->sheet);
}

static const char sample[] =
	"2026-11-21T01:48:40.013405+00:00 node01 kernel: nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver\n"
	"2026-11-21T01:48:42.867964+00:00 node01 kernel: NVRM: GPU at PCI:0000:01:00: GPU-aa52598f-dd6b-42a1-2881-3b1b251447dd\n"
	"2026-11-21T01:48:42.867977+00:00 node01 kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=2361, GPU has fallen off the bus.\n"
	"2026-11-21T01:49:10.114328+00:00 node01 kernel: Out of memory: Killed process 2361 (python3) total-vm:81264400kB\n";

const struct format format_kernel_log = {
	.name = "kernel-log",
	.title = "dmesg [-T], journalctl -k, syslog: Xid, lost GPUs, out-of-memory kills",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.stamps_its_lines = true,
	.bid = bid,
	.read = read,
};
