/*
 * mpstat.c - reads what `mpstat [-P ALL] N` printed.
 *
 *     Linux 6.18.44 (node01) 	11/21/2026 	_x86_64_	(16 CPU)
 *
 *     01:48:34 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
 *     01:48:35 AM  all    0.06    0.00    1.75    0.00    0.00    0.06    0.00    0.00    0.00   98.12
 *     01:48:35 AM    0    0.00    0.00    3.03    0.00    0.00    1.01    0.00    0.00    0.00   95.96
 *
 * Time of day only, the date in the banner (sysstat.c). Every row describes the interval that ends
 * at its time; the first header's time is when the first interval began. With -P ALL each interval has
 * a header of its own. "Average:" lines at the end are left out. sar prints the same columns in
 * another order, so columns are found by name.
 *
 * Without an interval mpstat prints averages since boot: then header and rows have one time, and are left out.
 * Other sections of -A (interrupts, NUMA nodes) are passed over.
 */
#include "format/sheet.h"
#include "format/sysstat.h"

#define MAX_COLUMNS 24

/* Several columns add up to one metric; %idle is what busy is told from. The shares of one row add up to 100. */
static const struct spelling columns[] = {
	{ "%usr", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%user", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%nice", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%sys", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%system", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%irq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%soft", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%iowait", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "%steal", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "%idle", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

#define SHARE_MOST (101 * (fixed)FIXED_ONE) /* rounding carries a share a few hundredths over 100 */

enum share { SHARE_USER, SHARE_SYSTEM, SHARE_IOWAIT, SHARE_STEAL, SHARE_IDLE, N_SHARES };
static const enum metric share_metrics[N_SHARES] = {
	[SHARE_USER] = METRIC_CPU_USER,
	[SHARE_SYSTEM] = METRIC_CPU_SYSTEM,
	[SHARE_IOWAIT] = METRIC_CPU_IOWAIT,
	[SHARE_STEAL] = METRIC_CPU_STEAL,
	[SHARE_IDLE] = METRIC_CPU_BUSY,
};

struct mpstat {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_clock clock;
	struct slice heads[MAX_COLUMNS];
	enum share shares[MAX_COLUMNS]; /* of each head */
	char head_text[512];
	size_t n_heads;
	time_ms header_time;
	bool has_head;         /* of any interval */
	size_t n_rows, n_boot; /* used; averages since boot */
};

static bool is_mpstat_head(struct slice line)
{
	const struct slice word = slice_word(&line);

	return slice_is(word, "CPU") && slice_has(line, "%idle") && (slice_has(line, "%usr") || slice_has(line, "%user")) &&
	       slice_has(line, "%irq");
}

/* "CPU intr/s": `mpstat -I`, claimed to say what is missing. */
static bool is_interrupt_head(struct slice line)
{
	struct slice word = slice_word(&line);

	return slice_is(word, "CPU") && slice_is(slice_trim(line), "intr/s");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct sysstat_clock clock = { 0 };
	bool banner = false, interrupts = false;

	(void)scratch;
	while (first_bytes.n) {
		struct slice line = slice_line(&first_bytes);
		time_ms t;
		banner |= sysstat_is_banner(line);
		if (!banner || !sysstat_time(&line, &clock, &t))
			continue;
		if (is_mpstat_head(line))
			return (struct bid){ 95, "it has sysstat's banner and mpstat's columns" };
		interrupts |= is_interrupt_head(line);
	}
	return interrupts ? (struct bid){ 60, "it has sysstat's banner and mpstat's interrupts" } : (struct bid){ 0, NULL };
}

/* N_SHARES: a column that is not read. */
static enum share share_of(struct slice head)
{
	const struct spelling *const column = spelling_find(columns, head);
	enum share share = 0;

	while (share < N_SHARES && (!column || column->metric != share_metrics[share]))
		share++;
	return share;
}

/* The header's words point into a copy, since the line is gone when the rows come. */
static void take_head(struct mpstat *m, struct slice line, time_ms t)
{
	size_t n = line.n < sizeof m->head_text ? line.n : sizeof m->head_text;
	struct slice rest = { m->head_text, n };

	memcpy(m->head_text, line.p, n);
	m->header_time = t;
	m->has_head = true;
	slice_word(&rest); /* CPU */
	for (m->n_heads = 0; m->n_heads < MAX_COLUMNS; m->n_heads++) {
		struct slice word = slice_word(&rest);
		if (!word.n)
			break;
		m->shares[m->n_heads] = share_of(word);
		m->heads[m->n_heads] = word;
	}
	m->r->recording->n_rows_ignored++;
}

/* The shares of one row, summed by what is kept of them; the last of them is what is not. */
struct shares {
	fixed of[N_SHARES + 1];
	bool has[N_SHARES + 1];
};

/* "98.12"; German and French locales write "98,12". */
static bool share_parse(struct slice word, fixed *share)
{
	char text[16];
	struct slice rest;
	int decimals;

	if (fixed_parse_plain(word, share, &decimals))
		return *share <= SHARE_MOST;
	if (word.n >= sizeof text)
		return false;
	for (size_t i = 0; i < word.n; i++)
		text[i] = word.p[i] == ',' ? '.' : word.p[i];
	return fixed_parse((struct slice){ text, word.n }, share, &rest) && !rest.n && *share >= 0 && *share <= SHARE_MOST;
}

static bool shares_parse(struct mpstat *m, struct slice rest, const char *line_start, struct shares *shares)
{
	struct place place = { m->r->lines->path, m->r->lines->line, 0 };
	struct slice words[MAX_COLUMNS];
	const size_t n = slice_words(rest, line_start, words, NULL, m->n_heads);
	fixed value;

	*shares = (struct shares){ 0 };
	for (size_t i = 0; i < m->n_heads; i++) {
		const struct slice word = i < n ? words[i] : (struct slice){ rest.p + rest.n, 0 };
		place.column = (int)(word.p - line_start) + 1;
		if (!word.n)
			return sheet_reject(m->sheet, place, DIAG_BAD_ROW, "%zu numbers where the header has %zu; row not used", i,
				m->n_heads);
		if (!share_parse(word, &value))
			return sheet_reject(m->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %.*s is no share; row not used", SLICE(word),
				SLICE(m->heads[i]));
		shares->of[m->shares[i]] = m->shares[i] == SHARE_IDLE ? value : shares->of[m->shares[i]] + value;
		shares->has[m->shares[i]] = true;
	}
	return true;
}

/* Rounding of the parts can carry a sum a hundredth over its end. */
static fixed clamped(fixed share)
{
	const fixed whole = 100 * (fixed)FIXED_ONE;

	return share < 0 ? 0 : share > whole ? whole : share;
}

/* A core that is offline has only zeros, idle included: it is not busy. */
static bool is_offline(const struct shares *shares)
{
	fixed all = 0;

	for (size_t i = 0; i <= N_SHARES; i++)
		all += shares->of[i];
	return !all && shares->has[SHARE_USER] && shares->has[SHARE_IDLE];
}

static void take_row(struct mpstat *m, struct slice rest, time_ms t, const char *line_start)
{
	struct place place = { m->r->lines->path, m->r->lines->line, 0 };
	struct slice who = slice_word(&rest);
	struct shares shares;
	struct entity e;

	place.column = (int)(who.p - line_start) + 1;
	if (t == m->header_time) {
		m->n_boot++;
		m->r->recording->n_rows_ignored++;
		return;
	}
	if (!sysstat_entity(who, &e)) {
		sheet_reject(m->sheet, place, DIAG_BAD_ROW, "'%.*s' is neither 'all' nor a core; row not used", SLICE(who));
		return;
	}
	if (!shares_parse(m, rest, line_start, &shares))
		return;
	size_t channel = sheet_channel(m->sheet, &e);
	if (channel == SIZE_MAX) {
		m->r->recording->n_rows_bad++;
		return;
	}
	sheet_begin(m->sheet, channel, m->header_time);
	sheet_row(m->sheet, channel, t);
	m->n_rows++;
	const enum metric busy = e.scope == SCOPE_CORE ? METRIC_CORE_BUSY : METRIC_CPU_BUSY;
	if (is_offline(&shares)) {
		sheet_absent(m->sheet, busy, ABSENT_UNSUPPORTED);
		return;
	}
	fixed away = shares.of[SHARE_IOWAIT] + shares.of[SHARE_STEAL];
	if (shares.has[SHARE_IDLE])
		sheet_put(m->sheet, busy,
			clamped(100 * (fixed)FIXED_ONE - shares.of[SHARE_IDLE] - away), 2);
	if (e.scope == SCOPE_CORE)
		return;
	for (enum share share = 0; share < SHARE_IDLE; share++)
		if (shares.has[share])
			sheet_put(m->sheet, share_metrics[share], clamped(shares.of[share]), 2);
}

/* "CPU intr/s", "IFACE rxpck/s txpck/s", "LINUX RESTART (4 CPU)": a row has numbers, these have none. */
static bool has_no_number(struct slice line)
{
	for (struct slice word = slice_word(&line); word.n; word = slice_word(&line))
		if (is_digit(word.p[0]) || word.p[0] == '-')
			return false;
	return true;
}

static bool begins_with_digit(struct slice text)
{
	while (text.n && slice_is_blank(text.p[0]))
		text.p++, text.n--;
	return text.n && is_digit(text.p[0]);
}

static void pass_over(struct mpstat *m)
{
	m->n_heads = 0;
	m->r->recording->n_rows_ignored++;
}

/* `rest` is what stands behind the time. */
static void take_timed(struct mpstat *m, struct slice line, struct slice rest, time_ms t)
{
	const bool is_core = begins_with_digit(rest); /* which no header is */

	if (!is_core && is_mpstat_head(rest)) {
		take_head(m, rest, t);
	} else if (!is_core && slice_starts(slice_trim(rest), "LINUX RESTART")) {
		sheet_event(m->sheet, EVENT_RESTART, &(struct entity){ .scope = SCOPE_HOST, .host = "" }, t, 0, rest);
		pass_over(m);
	} else if (!is_core && has_no_number(rest)) { /* what follows has other columns: `mpstat -A`, sar */
		pass_over(m);
	} else if (m->n_heads) {
		take_row(m, rest, t, line.p);
	} else {
		m->r->recording->n_rows_ignored++;
	}
}

static void take_line(struct mpstat *m, struct slice line)
{
	struct place place = { m->r->lines->path, m->r->lines->line, 0 };
	struct slice rest = line;
	time_ms t;

	if (!sheet_takes_line(m->sheet))
		return;
	if (sysstat_is_banner(line)) {
		sysstat_banner(m->r, line, &m->clock);
		m->n_heads = 0;
	} else if (sysstat_time(&rest, &m->clock, &t)) {
		take_timed(m, line, rest, t);
	} else if (!slice_trim(line).n || sysstat_is_average(line) || !m->n_heads) {
		m->r->recording->n_rows_ignored++;
	} else {
		sheet_reject(m->sheet, place, DIAG_BAD_ROW, "the line does not begin with a time; not used");
	}
}

static bool refuse(struct mpstat *m)
{
	diag_at(m->r->diags, (struct place){ m->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		m->n_boot ? "nothing but averages since boot, as mpstat without an interval prints; log with mpstat -P ALL N"
			  : "no section of mpstat with %%idle; log with mpstat -P ALL N");
	return sheet_drop(m->sheet);
}

static bool read(struct reading *r)
{
	struct mpstat *m = NEW(r->scratch, struct mpstat);
	struct slice line;

	m->r = r;
	m->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(m, line);
	if (m->n_rows || (m->has_head && !m->n_boot))
		return sheet_finish(m->sheet);
	return refuse(m);
}

static const char sample[] =
	"Linux 6.18.44 (node01) \t11/21/2026 \t_x86_64_\t(2 CPU)\n"
	"\n"
	"01:48:34 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
	"01:48:35 AM  all   50.06    0.00    1.75    0.00    0.00    0.06    0.00    0.00    0.00   48.13\n"
	"01:48:35 AM    0   99.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
	"01:48:35 AM    1    1.12    0.00    2.50    0.00    0.00    0.12    0.00    0.00    0.00   96.26\n";

const struct format format_mpstat = {
	.name = "mpstat",
	.title = "mpstat [-P ALL] N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
