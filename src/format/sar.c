/*
 * sar.c - reads what `sar` printed: live, or a file of its own replayed with -f.
 *
 *     Linux 6.18.44 (node01) 	11/21/26 	_x86_64_	(16 CPU)
 *
 *     01:48:34        CPU     %user     %nice   %system   %iowait    %steal     %idle
 *     01:48:35        all      0.06      0.00      1.81      0.00      0.00     98.12
 *     Average:        all      0.06      0.00      1.81      0.00      0.00     98.12
 *
 *     01:48:34    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit ...
 *     01:48:35    2045302116 2056571024  27021776      1.29     96328  22061856 ...
 *     ...
 *     08:16:11     LINUX RESTART	(8 CPU)
 *     08:17:00     COM run A starts
 *
 * Live, each interval prints all of its sections, and the averages stand at the end. Replayed, each section
 * runs through the whole time and ends in its average, so that time begins again with the next section: after
 * an average, a header takes time back to where the sections began, on the day of the banner or of the last restart.
 * A header's own time is where its first interval began; live that is a step back, which is not midnight.
 *
 * Average lines are known by not beginning with a time, since the word is translated. Numbers may have a
 * decimal comma. -u ALL has mpstat's columns in another order: %steal stands before %irq.
 */
#include "format/sysstat.h"
#include "format/sysstat_row.h"

struct sar {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_rows *rows;
	struct sysstat_clock clock;
	struct sysstat_words words;
	time_ms section_day; /* the day on which sections begin */
	time_ms begin; /* time of the header in force */
	bool after_average;
};

static void cut_words(struct sysstat_words *w, struct slice line, const char *line_start)
{
	w->n = slice_words(line, line_start, w->at, w->columns, SYSSTAT_WORDS);
}

/* Words of a header hold no number; those of a row do, unless it is cut after its first. */
static bool is_head(const struct sysstat_words *w)
{
	if (w->n && slice_is(w->at[0], "all"))
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (is_digit(w->at[i].p[0]))
			return false;
	return w->n > 0;
}

/* mpstat's columns: sar has no %irq, or %steal right before it. */
static bool is_mpstat_head(const struct sysstat_words *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (slice_is(w->at[0], "CPU") && slice_is(w->at[i], "%irq"))
			return !slice_is(w->at[i - 1], "%steal");
	return false;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	struct sysstat_clock clock = { 0 };
	struct sysstat_words *words = NEW(scratch, struct sysstat_words);
	bool banner = false;

	while (first_bytes.n) {
		struct slice line = slice_line(&first_bytes);
		time_ms t;
		banner |= sysstat_is_banner(line);
		if (!banner || !sysstat_time(&line, &clock, &t))
			continue;
		cut_words(words, line, line.p);
		if (is_mpstat_head(words))
			break;
		if (is_head(words) && sysstat_head_is_known(words))
			return (struct bid){ 96, "it has sysstat's banner and a section as sar prints it" };
	}
	return (struct bid){ 0, NULL };
}

/* "LINUX RESTART (8 CPU)", "COM run A starts": neither headers nor rows. */
static bool is_mark(const struct sysstat_words *w)
{
	return w->n > 1 && ((slice_is(w->at[0], "LINUX") && slice_is(w->at[1], "RESTART")) || slice_is(w->at[0], "COM"));
}

/* Sections begin again where they began: on the day of the banner or of the last restart. */
static void clock_rewind(struct sar *s)
{
	s->clock.day = s->section_day;
	s->clock.has_last = false;
	s->after_average = false;
}

static struct slice after_word(struct slice line, struct slice word)
{
	const char *end = word.p + word.n;

	return (struct slice){ end, (size_t)(line.p + line.n - end) };
}

/* A daily file begins with a restart in each of its sections; one in the middle goes on with the day. */
static void take_mark(struct sar *s, struct slice line)
{
	struct sysstat_clock clock = s->clock;
	struct slice rest = line;
	time_ms t;

	clock.has_last = false;
	sysstat_time(&rest, &clock, &t);
	if (s->after_average && s->clock.has_last && clock.last < s->clock.last)
		clock_rewind(s);
	sysstat_time(&line, &s->clock, &t);
	if (slice_is(s->words.at[0], "COM"))
		sysstat_mark(s->rows, EVENT_COMMENT, t, after_word(line, s->words.at[0]));
	else
		sysstat_mark(s->rows, EVENT_RESTART, t, line);
	s->section_day = s->clock.day;
	s->after_average = false;
	s->r->recording->n_rows_ignored++;
	sysstat_head_end(s->rows);
}

static void take_head(struct sar *s, struct slice line)
{
	if (s->after_average)
		clock_rewind(s);
	struct sysstat_clock copy = s->clock; /* live, a header's time is that of the row before */
	sysstat_time(&line, s->clock.has_last ? &copy : &s->clock, &s->begin);
	sysstat_head(s->rows, &s->words);
}

/* `rest` is what stands behind the time, `clock` what becomes of the clock then. */
static void take_timed(struct sar *s, struct slice line, struct slice rest, struct sysstat_clock clock, time_ms t)
{
	cut_words(&s->words, rest, line.p);
	if (is_mark(&s->words)) {
		take_mark(s, line);
	} else if (is_head(&s->words)) {
		take_head(s, line);
	} else {
		s->clock = clock;
		sysstat_row(s->rows, &s->words, s->begin, t);
	}
}

static void take_untimed(struct sar *s, struct slice line)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };

	if (sysstat_is_average(line))
		s->after_average = true;
	/* what a script prints before a section or after its end can't have been a row */
	if (!slice_trim(line).n || s->after_average || !sysstat_is_open(s->rows))
		s->r->recording->n_rows_ignored++;
	else
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "the line does not begin with a time; not used");
}

static void take_line(struct sar *s, struct slice line)
{
	struct sysstat_clock copy = s->clock;
	struct slice rest = line;
	time_ms t;

	if (!sheet_takes_line(s->sheet))
		return;
	if (sysstat_is_banner(line)) {
		sysstat_banner(s->r, line, &s->clock);
		sysstat_head_end(s->rows);
		s->section_day = s->clock.day;
		s->after_average = false;
	} else if (sysstat_time(&rest, &copy, &t)) {
		take_timed(s, line, rest, copy, t);
	} else {
		take_untimed(s, line);
	}
}

static bool read(struct reading *r)
{
	struct sar *s = NEW(r->scratch, struct sar);
	struct slice line;

	s->r = r;
	s->sheet = sheet_new(r);
	s->rows = sysstat_rows_new(r, s->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(s, line);
	sysstat_rows_end(s->rows);
	return sheet_finish(s->sheet);
}

static const char sample[] =
	"Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n"
	"\n"
	"01:48:34        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
	"01:48:35        all      0.06      0.00      1.81      0.00      0.00     98.12\n"
	"01:48:36        all     17.67      0.00      1.19      0.25      0.00     80.90\n"
	"Average:        all      8.87      0.00      1.50      0.12      0.00     89.51\n"
	"\n"
	"01:48:34      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n"
	"01:48:35            0       430      1.12      0.87      0.50         0\n"
	"01:48:36            2       434      1.12      0.87      0.50         1\n"
	"Average:            1       432      1.12      0.87      0.50         0\n";

const struct format format_sar = {
	.name = "sar",
	.title = "sar [-u [ALL]] [-P ALL] [-r] [-q] [-b] [-d] [-n DEV] [-A] [-f FILE]",
	.sample = sample,
	.columns = sysstat_columns,
	.absences = sysstat_absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
