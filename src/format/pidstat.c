/*
 * pidstat.c - reads what `pidstat [-u] [-d] [-r] [-w] [-t] [-h] N` printed: CPU of processes.
 *
 *     Linux 6.18.44 (node01) 	11/21/26 	_x86_64_	(16 CPU)
 *
 *     01:48:34      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
 *     01:48:35        0      1549    0.00    0.99    0.00    0.00    0.99     0  bash
 *     01:48:35     1000     15119   97.03    0.99    0.00    0.00   98.02     1  python3 train.py
 *
 * and with -h, the time as epoch seconds in releases before 12 and with -H:
 *
 *     # Time        UID       PID    %usr %system  %guest    %CPU   CPU  Command
 *      1795225715  1000     15119   97.03    0.99    0.00   98.02     1  python3 train.py
 *
 * The processes of one poll are added up, in percent of one core. With -t a process (no TID) is followed by its
 * threads (no TGID), which are not added again. Without -h only processes that did something are listed: a header
 * with nothing below it says that none did, and the next header's time ends that interval.
 * Sections without %CPU (-d, -r, -w) are passed over. What all processes of the host did is not known from here.
 *
 * Without an interval pidstat prints averages since boot; then header and rows have one time, and are left out.
 */
#include "format/sheet.h"
#include "format/sysstat.h"

#define WORDS_MOST ((size_t)40)

static const struct spelling columns[] = {
	{ "%CPU", METRIC_HOST_PROC_CPU, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

struct words {
	struct slice at[WORDS_MOST];
	int columns[WORDS_MOST];
	size_t n;
};

struct pidstat {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_clock clock;
	struct words words;
	size_t n_head, share, tid; /* of the section in force: its words, where %CPU and TID stand */
	bool is_open;              /* a section with %CPU is in force */
	bool has_cpu_head;         /* there was such a section */
	time_ms head_time;         /* TIME_UNKNOWN with -h */
	bool head_waits;           /* nothing stood below it so far; it is not counted yet */
	size_t n_boot, n_polls;    /* rows since boot; times that processes were added up */
	size_t channel;
	struct {
		bool is_open, is_damaged;
		time_ms t;
		fixed sum, most;
	} poll;
};

static void cut_words(struct words *w, struct slice line, const char *start)
{
	w->n = slice_words(line, start, w->at, w->columns, WORDS_MOST);
}

static bool is_head(const struct words *w)
{
	return w->n > 2 && slice_is(w->at[w->n - 1], "Command") &&
	       (slices_find(w->at, w->n, "PID") < w->n || slices_find(w->at, w->n, "TGID") < w->n);
}

/* Takes "# Time" off the front. */
static bool take_hash(struct slice *line)
{
	struct slice rest = *line;
	struct slice hash = slice_word(&rest), name = slice_word(&rest);

	if (!slice_is(hash, "#") || !slice_is(name, "Time"))
		return false;
	*line = rest;
	return true;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct sysstat_clock clock = { 0 };
	struct words *words = NEW(scratch, struct words);
	bool banner = false;

	while (first_bytes.n) {
		struct slice line = slice_line(&first_bytes);
		time_ms t;
		banner |= sysstat_is_banner(line);
		if (!banner || (!take_hash(&line) && !sysstat_time(&line, &clock, &t)))
			continue;
		cut_words(words, line, line.p);
		if (is_head(words))
			return (struct bid){ 95, "it has sysstat's banner and pidstat's columns" };
	}
	return (struct bid){ 0, NULL };
}

/* The processes of one time become a row. */
static void poll_end(struct pidstat *p)
{
	if (!p->poll.is_open)
		return;
	p->poll.is_open = false;
	p->n_polls++;
	sheet_row(p->sheet, p->channel, p->poll.t);
	if (p->poll.is_damaged) { /* a sum without one of its parts is not known */
		sheet_absent(p->sheet, METRIC_HOST_PROC_CPU, ABSENT_UNREADABLE);
		sheet_absent(p->sheet, METRIC_HOST_PROC_CPU_MOST, ABSENT_UNREADABLE);
		return;
	}
	sheet_put(p->sheet, METRIC_HOST_PROC_CPU, p->poll.sum, 2);
	sheet_put(p->sheet, METRIC_HOST_PROC_CPU_MOST, p->poll.most, 2);
}

static void poll_begin(struct pidstat *p, time_ms t)
{
	if (p->poll.is_open && p->poll.t == t) {
		p->r->recording->n_rows_ignored++; /* the line that began the poll is counted as its row */
		return;
	}
	poll_end(p);
	p->poll.is_open = true;
	p->poll.is_damaged = false;
	p->poll.t = t;
	p->poll.sum = p->poll.most = 0;
}

/* The header in force is counted: as a row when no process did anything until `end`. */
static void settle_head(struct pidstat *p, time_ms end)
{
	if (!p->head_waits)
		return;
	p->head_waits = false;
	if (end == TIME_UNKNOWN || end <= p->head_time) {
		p->r->recording->n_rows_ignored++;
		return;
	}
	sheet_begin(p->sheet, p->channel, p->head_time);
	poll_begin(p, end);
	poll_end(p);
}

static void take_head(struct pidstat *p, time_ms t)
{
	const size_t share = slices_find(p->words.at, p->words.n, "%CPU");

	p->is_open = share < p->words.n;
	if (p->is_open) {
		settle_head(p, t);
		p->has_cpu_head = true;
		p->n_head = p->words.n;
		p->share = share;
		p->tid = slices_find(p->words.at, p->words.n, "TID");
		p->head_time = t;
		p->head_waits = t != TIME_UNKNOWN;
	}
	if (!p->is_open || !p->head_waits)
		p->r->recording->n_rows_ignored++;
}

static bool take_share(struct pidstat *p, fixed *share)
{
	struct place place = { p->r->lines->path, p->r->lines->line, 0 };
	int decimals;

	if (p->words.n < p->n_head)
		return sheet_reject(p->sheet, place, DIAG_BAD_ROW, "%zu words where the header has %zu; row not used", p->words.n,
			p->n_head);
	place.column = p->words.columns[p->share];
	if (!sysstat_number(p->words.at[p->share], share, &decimals) || *share < 0 ||
		fixed_value(*share) > metric_table[METRIC_HOST_PROC_CPU].high)
		return sheet_reject(p->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %%CPU is no share; row not used",
			SLICE(p->words.at[p->share]));
	return true;
}

static void take_row(struct pidstat *p, time_ms t)
{
	fixed share = 0;

	settle_head(p, TIME_UNKNOWN);
	if (!p->is_open || t == p->head_time) {
		p->n_boot += p->is_open;
		p->r->recording->n_rows_ignored++;
		return;
	}
	if (!take_share(p, &share)) {
		p->poll.is_damaged |= p->poll.is_open && p->poll.t == t;
		return;
	}
	if (p->tid < p->n_head && !slice_is(p->words.at[p->tid], "-")) { /* a thread */
		p->r->recording->n_rows_ignored++;
		return;
	}
	if (p->head_time != TIME_UNKNOWN)
		sheet_begin(p->sheet, p->channel, p->head_time);
	poll_begin(p, t);
	p->poll.sum += share;
	if (fixed_value(p->poll.sum) > metric_table[METRIC_HOST_PROC_CPU].high)
		p->poll.sum = (fixed)metric_table[METRIC_HOST_PROC_CPU].high * FIXED_ONE;
	p->poll.most = share > p->poll.most ? share : p->poll.most;
}

/* "1795225715" */
static bool take_epoch(struct pidstat *p, struct slice *line, time_ms *t)
{
	struct clock_note *note = &p->r->recording->clock;
	struct slice rest = *line;
	struct slice word = slice_word(&rest);
	int64_t seconds;

	/* 1990 to 2100 */
	if (!integer_parse(word, &seconds) || seconds < (int64_t)631152000 || seconds >= (int64_t)4102444800)
		return false;
	*t = seconds * SECOND_MS;
	*line = rest;
	reading_epoch(p->r);
	note->date_unknown = note->date_ambiguous = false;
	return true;
}

/* A header's time is that of the row before: a step back, when another section was in between, is not midnight. */
static bool take_clock(struct pidstat *p, struct slice *line, time_ms *t)
{
	struct sysstat_clock copy = p->clock;

	if (!sysstat_time(line, &copy, t))
		return false;
	cut_words(&p->words, *line, line->p);
	if (!is_head(&p->words) || !p->clock.has_last)
		p->clock = copy;
	return true;
}

static void take_other(struct pidstat *p, struct slice line)
{
	struct place place = { p->r->lines->path, p->r->lines->line, 0 };

	if (!slice_trim(line).n || sysstat_is_average(line) || !p->is_open)
		p->r->recording->n_rows_ignored++;
	else
		sheet_reject(p->sheet, place, DIAG_BAD_ROW, "the line does not begin with a time; not used");
}

static void take_line(struct pidstat *p, struct slice line)
{
	struct slice rest = line;
	time_ms t;

	if (!sheet_takes_line(p->sheet))
		return;
	if (sysstat_is_banner(line)) {
		settle_head(p, TIME_UNKNOWN);
		poll_end(p);
		sysstat_banner(p->r, line, &p->clock);
		p->is_open = false;
	} else if (take_hash(&rest)) {
		cut_words(&p->words, rest, line.p);
		take_head(p, TIME_UNKNOWN);
	} else if (take_clock(p, &rest, &t) || take_epoch(p, &rest, &t)) {
		cut_words(&p->words, rest, line.p);
		if (is_head(&p->words))
			take_head(p, t);
		else
			take_row(p, t);
	} else {
		take_other(p, line);
	}
}

static bool refuse(struct pidstat *p)
{
	diag_at(p->r->diags, (struct place){ p->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		p->has_cpu_head ? "nothing but averages since boot, as pidstat without an interval prints; log with pidstat -u N"
				: "no section of pidstat with %%CPU; log with pidstat -u N");
	return sheet_drop(p->sheet);
}

static bool read(struct reading *r)
{
	struct pidstat *p = NEW(r->scratch, struct pidstat);
	struct slice line;

	p->r = r;
	p->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	p->head_time = TIME_UNKNOWN;
	p->channel = sheet_channel(p->sheet, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
	while (line_next(r->lines, &line))
		take_line(p, line);
	settle_head(p, TIME_UNKNOWN);
	p->poll.is_damaged |= r->recording->cut; /* processes behind the cut may be missing in the sum */
	poll_end(p);
	if (!p->has_cpu_head || (p->n_boot && !p->n_polls))
		return refuse(p);
	return sheet_finish(p->sheet);
}

static const char sample[] =
	"Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n"
	"\n"
	"01:48:34      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
	"01:48:35        0      1549    0.00    0.99    0.00    0.00    0.99     0  bash\n"
	"01:48:35     1000     15119   97.03    0.99    0.00    0.00   98.02     1  python3\n"
	"\n"
	"01:48:35      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
	"01:48:36     1000     15119   99.00    1.00    0.00    0.00  100.00     1  python3\n";

const struct format format_pidstat = {
	.name = "pidstat",
	.title = "pidstat [-u] [-t] [-h] N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
