/*
 * top.c - reads what `top -b [-d N]` printed (procps 3 and 4).
 *
 *     top - 01:48:34 up  1:02,  1 user,  load average: 1.52, 1.48, 1.63
 *     Tasks: 103 total,   3 running,  96 sleeping,   0 stopped,   4 zombie
 *     %Cpu(s): 36.0 us, 14.5 sy,  0.0 ni, 49.5 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
 *     MiB Mem :  24152.1 total,  14444.7 free,    518.8 used,   9529.9 buff/cache
 *     MiB Swap:      0.0 total,      0.0 free,      0.0 used.  23633.3 avail Mem
 *
 *       PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
 *     11031 root      20   0    2756   1544   1176 R  87.5   0.0   0:00.57 python3
 *
 * Also "Cpu(s):  5.2%us,  1.0%sy" and "Mem:   8062092k total" (procps 2), "%Cpu0  :" for single cores, up to two in a
 * line, "0.0 ni,100.0 id" without a blank, "0,5 us" with a decimal comma, "1045781.+total" where a number did not fit.
 *
 * There is a time of day only; a line of date(1) before a frame gives the date and may name the zone.
 * CPU shares describe the time since the frame before, which the first frame of a run does not have: there they are
 * since boot, and left out. A frame that no blank line precedes is the first of a run: top prints one between frames.
 * What programs hold is all memory less what is available, as procps 4 counts it; where no "avail" is told, it is
 * "used", of which older tops' caches are taken off.
 */
#include "format/date_line.h"
#include "format/sheet.h"
#include "format/sysstat.h"

#define CORES_MOST ((size_t)4096)
#define WORDS_MOST ((size_t)40)
#define WHOLE (100 * (fixed)FIXED_ONE)
#define VALUE_MOST ((fixed)1000000000000 * FIXED_ONE)

static const struct spelling columns[] = {
	{ "us", METRIC_CPU_USER, UNIT_PERCENT },          { "ni", METRIC_CPU_USER, UNIT_PERCENT },
	{ "sy", METRIC_CPU_SYSTEM, UNIT_PERCENT },        { "hi", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "si", METRIC_CPU_SYSTEM, UNIT_PERCENT },        { "wa", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "st", METRIC_CPU_STEAL, UNIT_PERCENT },         { "id", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "running", METRIC_HOST_RUNQ, UNIT_NUMBER },     { "load average", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "total", METRIC_HOST_MEM_TOTAL, UNIT_MIB },     { "free", METRIC_HOST_MEM_FREE, UNIT_MIB },
	{ "used", METRIC_HOST_MEM_USED, UNIT_MIB },       { "avail", METRIC_HOST_MEM_AVAILABLE, UNIT_MIB },
	{ "Swap used", METRIC_HOST_SWAP_USED, UNIT_MIB }, { "%CPU", METRIC_HOST_PROC_CPU, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

struct shares {
	fixed user, system, wait, steal, idle; /* FIXED_MISSING: not told */
};

struct frame {
	bool is_open, is_first;
	time_ms t;
	struct shares all;
	struct shares *cores; /* by number; all missing where none is told */
	size_t n_cores, cores_room;
	fixed load, running;
	fixed total, free, used, available, buffers, cached, swap; /* MiB */
	bool has_tasks, is_damaged; /* a process was listed; one could not be used */
	bool of_threads;
	fixed tasks, most; /* percent of one core */
};

struct top {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_clock clock;
	struct frame frame;
	size_t pid_column, cpu_column; /* of the list of processes */
	bool in_list;
	bool after_blank;
	bool has_frames, has_shares;
};

/* The next number and the word behind it: "0.0 ni", "5.2%us", "8062092k total", "1045781.+total". */
struct item {
	fixed value;
	int decimals;
	char unit; /* 'k' and the like, or 0 */
	struct slice label;
	bool is_cut; /* "52805676+total": the number had no room, and its last digits are gone (top(1)) */
};

static bool next_item(struct slice *rest, struct item *item)
{
	const char *p = rest->p, *end = rest->p + rest->n;

	while (p < end && !is_digit(*p))
		p++;
	struct slice number = { p, 0 };
	while (p < end && (is_digit(*p) || ((*p == '.' || *p == ',') && p + 1 < end && is_digit(p[1]))))
		p++;
	number.n = (size_t)(p - number.p);
	item->unit = p < end && strchr("kmgt", *p) && (p + 1 == end || p[1] == ' ') ? *p++ : '\0';
	item->is_cut = p < end && *p == '+';
	while (p < end && strchr(" %+.", *p))
		p++;
	item->label = (struct slice){ p, 0 };
	while (p < end && (is_letter(*p) || *p == '/')) /* "buff/cache" */
		p++;
	item->label.n = (size_t)(p - item->label.p);
	*rest = (struct slice){ p, (size_t)(end - p) };
	return number.n && sysstat_number(number, &item->value, &item->decimals) && item->value >= 0 &&
	       item->value <= VALUE_MOST;
}

static bool is_frame(struct slice line)
{
	return slice_starts(line, "top - ") && slice_has(line, " up ") && slice_has(line, "load average:");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	const bool has_summary = slice_has(first_bytes, "Mem") || slice_has(first_bytes, "Cpu");

	(void)scratch;
	while (first_bytes.n) { /* a date may stand before it */
		const struct slice line = slice_line(&first_bytes);
		if (is_frame(line) && slice_line_is_whole(line, first_bytes) && has_summary)
			return (struct bid){ 80, "it has the summary that top prints" };
	}
	return (struct bid){ 0, NULL };
}

static const struct shares no_shares = { FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING };

static void add_share(fixed *sum, fixed value)
{
	*sum = *sum == FIXED_MISSING ? value : *sum + value;
}

static struct shares shares_parse(struct slice text)
{
	struct shares s = no_shares;
	struct item item;
	bool has_user = false;

	while (next_item(&text, &item)) {
		const bool is_user = slice_is(item.label, "us") || slice_is(item.label, "ut"); /* in French */
		if (item.value > WHOLE)
			return no_shares;
		has_user |= is_user;
		if (is_user || slice_is(item.label, "ni"))
			add_share(&s.user, item.value);
		else if (slice_is(item.label, "sy") || slice_is(item.label, "hi") || slice_is(item.label, "si"))
			add_share(&s.system, item.value);
		else if (slice_is(item.label, "wa"))
			s.wait = item.value;
		else if (slice_is(item.label, "st"))
			s.steal = item.value;
		else if (slice_is(item.label, "id"))
			s.idle = item.value;
	}
	if (!has_user) /* in a language that is not known here: what is nice alone is not all */
		s.user = FIXED_MISSING;
	return s;
}

/* Rounding of the parts can carry a sum a tenth over its end. */
static fixed clamped(fixed share)
{
	return share < 0 ? 0 : share > WHOLE ? WHOLE
					     : share;
}

static fixed busy_of(const struct shares *s)
{
	fixed away = s->idle;

	if (s->idle == FIXED_MISSING)
		return FIXED_MISSING;
	away += s->wait == FIXED_MISSING ? 0 : s->wait;
	away += s->steal == FIXED_MISSING ? 0 : s->steal;
	return clamped(WHOLE - away);
}

static void put(struct top *top, enum metric metric, fixed value, int decimals)
{
	if (value != FIXED_MISSING)
		sheet_put(top->sheet, metric, value, decimals);
}

static void put_share(struct top *top, enum metric metric, fixed share)
{
	if (share != FIXED_MISSING)
		sheet_put(top->sheet, metric, clamped(share), 1);
}

static void put_memory(struct top *top, const struct frame *f)
{
	fixed used = f->used;

	if (f->total != FIXED_MISSING && f->available != FIXED_MISSING && f->available <= f->total)
		used = f->total - f->available;
	else if (top->r->recording->cut) /* what is available stands on the line behind: it may be cut away */
		used = FIXED_MISSING;
	else if (used != FIXED_MISSING && f->buffers != FIXED_MISSING && f->cached != FIXED_MISSING)
		used = used > f->buffers + f->cached ? used - f->buffers - f->cached : 0;
	put(top, METRIC_HOST_MEM_TOTAL, f->total, 1);
	put(top, METRIC_HOST_MEM_FREE, f->free, 1);
	put(top, METRIC_HOST_MEM_AVAILABLE, f->available, 1);
	put(top, METRIC_HOST_SWAP_USED, f->swap, 1);
	put(top, METRIC_HOST_MEM_USED, used, 1);
	if (f->total != FIXED_MISSING && f->total > 0 && used != FIXED_MISSING && used <= f->total)
		sheet_put(top->sheet, METRIC_HOST_MEM_SHARE, (fixed)((double)used / (double)f->total * (double)WHOLE + 0.5), 2);
}

static void put_cores(struct top *top, const struct frame *f)
{
	for (size_t i = 0; i < f->n_cores; i++) {
		const struct entity core = { .scope = SCOPE_CORE, .host = "", .index = (int)i };
		if (f->cores[i].idle == FIXED_MISSING)
			continue;
		size_t channel = sheet_channel(top->sheet, &core);
		if (channel == SIZE_MAX)
			return;
		if (f->is_first) {
			sheet_begin(top->sheet, channel, f->t);
			continue;
		}
		sheet_row(top->sheet, channel, f->t);
		put(top, METRIC_CORE_BUSY, busy_of(&f->cores[i]), 1);
	}
}

static void put_tasks(struct top *top, const struct frame *f)
{
	if (f->is_first || !f->has_tasks || top->r->recording->cut) /* the list of a cut log may be cut, too */
		return;
	if (f->is_damaged) { /* a sum without one of its parts is not known */
		sheet_absent(top->sheet, METRIC_HOST_PROC_CPU, ABSENT_UNREADABLE);
		sheet_absent(top->sheet, METRIC_HOST_PROC_CPU_MOST, ABSENT_UNREADABLE);
		return;
	}
	sheet_put(top->sheet, METRIC_HOST_PROC_CPU, f->tasks, 1);
	if (!f->of_threads)
		sheet_put(top->sheet, METRIC_HOST_PROC_CPU_MOST, f->most, 1);
}

static void frame_end(struct top *top)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	struct frame *f = &top->frame;

	if (!f->is_open)
		return;
	sheet_row(top->sheet, sheet_channel(top->sheet, &host), f->t);
	top->has_frames = true;
	if (!f->is_first) {
		put(top, METRIC_CPU_BUSY, busy_of(&f->all), 1);
		put_share(top, METRIC_CPU_USER, f->all.user);
		put_share(top, METRIC_CPU_SYSTEM, f->all.system);
		put_share(top, METRIC_CPU_IOWAIT, f->all.wait);
		put_share(top, METRIC_CPU_STEAL, f->all.steal);
		top->has_shares |= f->all.idle != FIXED_MISSING || f->n_cores;
	}
	put_tasks(top, f);
	put(top, METRIC_HOST_LOAD, f->load, 2);
	put(top, METRIC_HOST_RUNQ, f->running, 0);
	put_memory(top, f);
	put_cores(top, f);
	f->is_open = false;
}

/* "load average: 1.52, 1.48, 1.63", or "1,52, 1,48, 1,63"; a line may be cut at the width of the screen. */
static fixed load_parse(struct slice line)
{
	const char *name = "load average:";
	struct slice rest = line;
	fixed load;
	int decimals;

	while (rest.n && !slice_starts(rest, name))
		rest = (struct slice){ rest.p + 1, rest.n - 1 };
	if (!rest.n)
		return FIXED_MISSING;
	rest = (struct slice){ rest.p + strlen(name), rest.n - strlen(name) };
	struct slice word = slice_word(&rest);
	if (word.n < 2 || word.p[word.n - 1] != ',')
		return FIXED_MISSING;
	word.n--;
	return sysstat_number(word, &load, &decimals) && load >= 0 && fixed_value(load) <= metric_table[METRIC_HOST_LOAD].high
		? load
		: FIXED_MISSING;
}

static void frame_begin(struct top *top, struct slice line)
{
	struct place place = { top->r->lines->path, top->r->lines->line, 7 };
	struct slice rest = { line.p + strlen("top - "), line.n - strlen("top - ") };
	struct shares *cores = top->frame.cores;
	const size_t cores_room = top->frame.cores_room;
	const bool is_first = !top->has_frames || !top->after_blank;
	time_ms t;

	top->in_list = false;
	if (!sysstat_time(&rest, &top->clock, &t)) {
		sheet_reject(top->sheet, place, DIAG_BAD_TIME, "a frame without a time of day, expected like 01:48:34; not used");
		return;
	}
	top->frame = (struct frame){ .is_open = true,
		.is_first = is_first,
		.t = t,
		.all = no_shares,
		.cores = cores,
		.cores_room = cores_room,
		.load = load_parse(line),
		.running = FIXED_MISSING,
		.total = FIXED_MISSING,
		.free = FIXED_MISSING,
		.used = FIXED_MISSING,
		.available = FIXED_MISSING,
		.buffers = FIXED_MISSING,
		.cached = FIXED_MISSING,
		.swap = FIXED_MISSING };
	top->r->recording->clock.date_unknown = !top->clock.has_day;
}

/* "%Cpu0  :  2.0 us, …    %Cpu1  :  0.0 us, …": the parts of a line, each with its number. */
static void take_cores(struct top *top, struct slice line)
{
	struct frame *f = &top->frame;

	while (line.n) {
		const char *colon = memchr(line.p, ':', line.n);
		struct slice name = slice_trim((struct slice){ line.p, colon ? (size_t)(colon - line.p) : 0 });
		int64_t core;
		while (name.n && !is_digit(name.p[0]))
			name = (struct slice){ name.p + 1, name.n - 1 };
		if (!colon || !integer_parse(name, &core) || core >= (int64_t)CORES_MOST)
			return;
		struct slice rest = { colon + 1, (size_t)(line.p + line.n - colon) - 1 };
		const char *next = rest.n ? memchr(rest.p, 'C', rest.n) : NULL; /* of the next "%Cpu" */
		struct slice text = { rest.p, next ? (size_t)(next - rest.p) : rest.n };
		f->cores = grow(f->cores, &f->cores_room, (size_t)core + 1, sizeof *f->cores);
		while (f->n_cores <= (size_t)core)
			f->cores[f->n_cores++] = no_shares;
		f->cores[core] = shares_parse(text);
		line = next ? (struct slice){ next, (size_t)(rest.p + rest.n - next) } : (struct slice){ rest.p, 0 };
	}
}

static bool is_cpu_line(struct slice line)
{
	return slice_starts(line, "%Cpu") || slice_starts(line, "Cpu") || slice_starts(line, "%CPU");
}

static void take_cpu(struct top *top, struct slice line)
{
	const char *bracket = memchr(line.p, '(', line.n < 6 ? line.n : 6); /* "%Cpu(s):" is all of them */
	const char *colon = memchr(line.p, ':', line.n);

	if (bracket && colon)
		top->frame.all = shares_parse((struct slice){ colon + 1, (size_t)(line.p + line.n - colon) - 1 });
	else
		take_cores(top, line);
}

static fixed to_mib(fixed value, char unit)
{
	switch (unit) {
	case 'K':
	case 'k':
		return value / 1024;
	case 'G':
	case 'g':
		return value > VALUE_MOST / 1024 ? VALUE_MOST : value * 1024;
	case 'T':
	case 't':
		return value > VALUE_MOST / 1048576 ? VALUE_MOST : value * 1048576;
	default:
		return value;
	}
}

/* "MiB Mem : …", "KiB Swap: …", "Mem:  8062092k total, …" */
static void take_memory(struct top *top, struct slice line, bool is_swap)
{
	const char *colon = memchr(line.p, ':', line.n);
	const char line_unit = line.n > 2 && line.p[1] == 'i' && line.p[2] == 'B' ? line.p[0] : '\0';
	struct frame *f = &top->frame;
	struct item item;

	if (!colon)
		return;
	struct slice rest = { colon + 1, (size_t)(line.p + line.n - colon) - 1 };
	while (next_item(&rest, &item)) {
		if (item.is_cut)
			continue;
		const fixed mib = to_mib(item.value, line_unit ? line_unit : item.unit ? item.unit : 'k');
		if (slice_starts(item.label, "avail"))
			f->available = mib;
		else if (slice_starts(item.label, "cached"))
			f->cached = mib;
		else if (is_swap && slice_is(item.label, "used"))
			f->swap = mib;
		else if (is_swap)
			continue;
		else if (slice_is(item.label, "total"))
			f->total = mib;
		else if (slice_is(item.label, "free"))
			f->free = mib;
		else if (slice_is(item.label, "used"))
			f->used = mib;
		else if (slice_is(item.label, "buffers"))
			f->buffers = mib;
	}
}

static void take_tasks(struct top *top, struct slice line)
{
	struct item item;

	top->frame.of_threads = slice_starts(line, "Threads:");
	while (next_item(&line, &item))
		if (slice_is(item.label, "running") && fixed_value(item.value) <= metric_table[METRIC_HOST_RUNQ].high)
			top->frame.running = item.value;
}

/* "PID USER … %CPU %MEM TIME+ COMMAND" */
static bool take_list_head(struct top *top, struct slice line)
{
	struct slice words[WORDS_MOST];
	const size_t n = slice_words(line, line.p, words, NULL, WORDS_MOST);

	top->pid_column = top->cpu_column = n;
	for (size_t i = 0; i < n; i++) {
		if (slice_is(words[i], "PID"))
			top->pid_column = i;
		if (slice_is(words[i], "%CPU"))
			top->cpu_column = i;
	}
	return n > 2 && top->pid_column < n && top->cpu_column < n;
}

static void take_process(struct top *top, struct slice line)
{
	struct place place = { top->r->lines->path, top->r->lines->line, 0 };
	struct slice words[WORDS_MOST];
	const size_t n = slice_words(line, line.p, words, NULL, WORDS_MOST);
	int64_t pid;
	fixed share;
	int decimals;

	if (n <= top->pid_column || n <= top->cpu_column || !integer_parse(words[top->pid_column], &pid)) {
		sheet_reject(top->sheet, place, DIAG_BAD_ROW, "no process where top lists them; not used");
		top->frame.is_damaged = true;
		return;
	}
	place.column = (int)(words[top->cpu_column].p - line.p) + 1;
	if (!sysstat_number(words[top->cpu_column], &share, &decimals) || share < 0 ||
		fixed_value(share) > metric_table[METRIC_HOST_PROC_CPU].high) {
		sheet_reject(top->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %%CPU is no share; not used", SLICE(words[top->cpu_column]));
		top->frame.is_damaged = true;
		return;
	}
	top->r->recording->n_rows_ignored++;
	top->frame.has_tasks = true;
	top->frame.tasks += share;
	if (fixed_value(top->frame.tasks) > metric_table[METRIC_HOST_PROC_CPU].high)
		top->frame.tasks = (fixed)metric_table[METRIC_HOST_PROC_CPU].high * FIXED_ONE;
	top->frame.most = share > top->frame.most ? share : top->frame.most;
}

/* The date of the frames that follow; midnight is still seen to pass between the two. */
static void take_date(struct top *top, time_ms t, struct slice zone)
{
	top->clock = (struct sysstat_clock){ .day = t - t % DAY_MS, .has_day = true, .last = t % DAY_MS, .has_last = true };
	top->r->recording->clock.date_unknown = false;
	reading_zone(top->r, zone);
}

/* Where "MiB Swap:" begins on the line of "MiB Mem :", as `top -1 -w` prints them; its end: it does not. */
static size_t begin_of_swap(struct slice line)
{
	static const char swap[] = "iB Swap";
	const size_t n = sizeof swap - 1;

	for (size_t i = 1; i + n <= line.n; i++)
		if (memcmp(line.p + i, swap, n) == 0)
			return i - 1;
	return line.n;
}

static void take_memories(struct top *top, struct slice line)
{
	const size_t n = begin_of_swap(line);

	take_memory(top, (struct slice){ line.p, n }, false);
	if (n < line.n)
		take_memory(top, (struct slice){ line.p + n, line.n - n }, true);
}

static void take_summary(struct top *top, struct slice line)
{
	if (is_cpu_line(line))
		take_cpu(top, line);
	else if (slice_starts(line, "Tasks:") || slice_starts(line, "Threads:"))
		take_tasks(top, line);
	else if (slice_has(line, "Mem:") || slice_has(line, "Mem :"))
		take_memories(top, line);
	else if (slice_has(line, "Swap:") || slice_has(line, "Swap :"))
		take_memory(top, line, true);
	else
		top->in_list = take_list_head(top, line);
}

static void take_line(struct top *top, struct slice line)
{
	struct slice zone;
	time_ms t;
	const bool is_blank = !slice_trim(line).n;

	if (!sheet_takes_line(top->sheet))
		return;
	if (is_frame(line)) {
		frame_end(top);
		frame_begin(top, line);
	} else if (is_blank) {
		top->in_list = false;
		top->r->recording->n_rows_ignored++;
	} else if (date_line_parse(line, &t, &zone)) {
		frame_end(top);
		take_date(top, t, zone);
		top->in_list = false;
		top->r->recording->n_rows_ignored++;
	} else if (top->in_list && top->frame.is_open) {
		take_process(top, line);
	} else {
		if (top->frame.is_open)
			take_summary(top, line);
		top->r->recording->n_rows_ignored++;
	}
	top->after_blank = is_blank;
}

static bool read(struct reading *r)
{
	struct top *top = NEW(r->scratch, struct top);
	struct slice line;

	top->r = r;
	top->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	r->recording->clock.date_unknown = true;
	while (line_next(r->lines, &line))
		take_line(top, line);
	frame_end(top);
	grow_free(top->frame.cores);
	if (top->has_frames && !top->has_shares)
		diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_ROWS,
			"CPU shares of each frame are since boot, as each is the first of its run; log with top -b -d N");
	return sheet_finish(top->sheet);
}

static const char sample[] =
	"top - 01:48:34 up  1:02,  1 user,  load average: 1.52, 1.48, 1.63\n"
	"Tasks: 103 total,   3 running,  96 sleeping,   0 stopped,   4 zombie\n"
	"%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
	"MiB Mem :  24152.1 total,  14444.7 free,    518.8 used,   9529.9 buff/cache     \n"
	"MiB Swap:      0.0 total,      0.0 free,      0.0 used.  23633.3 avail Mem \n"
	"\n"
	"  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
	"11031 root      20   0    2756   1544   1176 R  87.5   0.0   0:00.57 python3\n"
	"\n"
	"top - 01:48:35 up  1:02,  1 user,  load average: 1.52, 1.48, 1.63\n"
	"Tasks: 103 total,   3 running,  96 sleeping,   0 stopped,   4 zombie\n"
	"%Cpu(s): 36.0 us, 14.5 sy,  0.0 ni, 49.5 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
	"MiB Mem :  24152.1 total,  14440.2 free,    523.3 used,   9529.9 buff/cache     \n"
	"MiB Swap:      0.0 total,      0.0 free,      0.0 used.  23628.8 avail Mem \n"
	"\n"
	"  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
	"11031 root      20   0    2756   1544   1176 R  99.0   0.0   0:01.56 python3\n"
	"11205 root      20   0   31140  19112  10148 S   2.0   0.1   0:00.06 python3\n";

const struct format format_top = {
	.name = "top",
	.title = "top -b [-d N]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
