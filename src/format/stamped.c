/*
 * stamped.c - times before the lines of a log: found, taken off, and given to rows that have none.
 *
 * How many words a time is the first line tells: the most for which it is one, since "2026-11-21 01:48:34 UTC" begins with a time, too.
 * That all lines at hand begin with one of the same kind is asked before anybody looks behind it.
 */
#include "format/stamped.h"

#include "format/reading.h"

#include <string.h>

enum tag { TAG_NONE,
	TAG_PROGRAM, /* "node01 gpu-log[2361]: " */
	TAG_STREAM,  /* "stdout F ", of which P is a line that goes on */
	N_TAGS };

struct noted { /* a poll of a log without times: */
	time_ms t;     /* as its reader counts, */
	time_ms stamp; /* and what stands before its line */
};

struct stamped {
	struct line_prefix prefix;
	size_t n_words; /* of a time; 0: it is in brackets */
	enum tag tag;
	const char *host; /* "": the lines name none */
	struct row_clock clock;
	time_ms now; /* of the line read last that has one; TIME_UNKNOWN: none had */
	struct arena *mem;
	struct noted *at;
	size_t n;
};

static const size_t word_counts[] = { 7, 6, 5, 3, 2, 1, 0 };

/* "[2026-11-21 01:48:34]" off the front, without the brackets. */
static bool take_bracketed(struct slice *rest, struct slice *stamp)
{
	const char *const end = rest->n && rest->p[0] == '[' ? memchr(rest->p, ']', rest->n) : NULL;

	if (!end)
		return false;
	*stamp = (struct slice){ rest->p + 1, (size_t)(end - rest->p) - 1 };
	*rest = slice_behind(*rest, stamp->n + 2);
	return true;
}

/* So many words off the front; a colon behind them is none of theirs. */
static bool take_words(struct slice *rest, size_t n_words, struct slice *stamp)
{
	const char *const begin = rest->p;
	struct slice word = { begin, 0 };

	if (!rest->n || slice_is_blank(*begin))
		return false;
	for (size_t i = 0; i < n_words; i++)
		word = slice_word(rest);
	*stamp = (struct slice){ begin, (size_t)(word.p + word.n - begin) };
	if (word.n && word.p[word.n - 1] == ':')
		stamp->n--;
	return word.n > 0;
}

/* "node01 gpu-log[2361]:" off the front. */
static bool take_program(struct slice *rest, struct slice *host)
{
	*host = slice_word(rest);
	const struct slice program = slice_word(rest);

	return host->n && program.n > 1 && program.p[program.n - 1] == ':';
}

static bool take_stream(struct slice *rest)
{
	const struct slice stream = slice_word(rest), part = slice_word(rest);

	return (slice_is(stream, "stdout") || slice_is(stream, "stderr")) && (slice_is(part, "F") || slice_is(part, "P"));
}

static bool take_tag(enum tag tag, struct slice *rest, struct slice *host)
{
	switch (tag) {
	case TAG_PROGRAM:
		return take_program(rest, host);
	case TAG_STREAM:
		return take_stream(rest);
	default:
		return true;
	}
}

/* The time and what comes with it off the front of a line, and the blank that ends it. False: the line has none. */
static bool take_stamp(const struct stamped *s, struct slice *line, struct slice *stamp, struct slice *host)
{
	struct slice rest = *line;

	if (s->n_words ? !take_words(&rest, s->n_words, stamp) : !take_bracketed(&rest, stamp))
		return false;
	if (!take_tag(s->tag, &rest, host) || (rest.n && !slice_is_blank(rest.p[0])))
		return false;
	*line = rest.n ? slice_behind(rest, 1) : rest;
	return true;
}

/* In a log that may be told from others by it: a time of day alone may be a column, or the time since the log began. */
static bool is_full_time(struct row_clock *clock, struct slice stamp, time_ms *t)
{
	return row_clock_take(clock, stamp, t) && clock->way != WAY_OF_DAY;
}

static size_t prefix_length(struct line_prefix *prefix, struct slice line)
{
	struct stamped *const s = (struct stamped *)prefix; /* its first member */
	struct slice rest = line, stamp, host;
	time_ms t;

	if (!take_stamp(s, &rest, &stamp, &host) || !is_full_time(&s->clock, stamp, &t))
		return 0;
	s->now = t;
	return line.n - rest.n;
}

/* ------ found */

/* Is this how all lines begin? What there is behind goes to `text`; *host is a part of `lines`. */
static bool fits_all(struct stamped *s, struct slice lines, struct slice *text, struct slice *host)
{
	char *to = (char *)text->p;
	size_t n_lines = 0;

	s->clock = (struct row_clock){ .way = WAY_UNKNOWN };
	*host = (struct slice){ "", 0 };
	while (lines.n) {
		struct slice line = slice_line(&lines), stamp;
		time_ms t;
		if (!take_stamp(s, &line, &stamp, host) || !is_full_time(&s->clock, stamp, &t))
			return false;
		memmove(to, line.p, line.n);
		to += line.n;
		*to++ = '\n';
		n_lines++;
	}
	text->n = (size_t)(to - text->p);
	return n_lines > 1;
}

static bool find_words(struct stamped *s, struct slice lines, struct slice *text)
{
	struct slice host;

	for (size_t i = 0; i < sizeof word_counts / sizeof *word_counts; i++) {
		s->n_words = word_counts[i];
		if (fits_all(s, lines, text, &host))
			return true;
	}
	return false;
}

struct stamped *stamped_find(struct arena *mem, struct slice first_bytes)
{
	const struct slice lines = slice_whole_lines(first_bytes);
	/* nearly all logs are told from these by their first byte */
	const bool may_be = lines.n && (is_digit(lines.p[0]) || is_letter(lines.p[0]) || lines.p[0] == '[');

	if (!may_be)
		return NULL;
	struct stamped *const s = NEW(mem, struct stamped);
	struct slice text = { NEW_ARRAY(mem, char, lines.n), 0 }, host;
	*s = (struct stamped){ .prefix = { .length = prefix_length }, .now = TIME_UNKNOWN, .mem = mem };
	if (!find_words(s, lines, &text))
		return NULL;
	for (enum tag tag = TAG_NONE + 1; tag < N_TAGS && s->tag == TAG_NONE; tag++) {
		s->tag = tag;
		if (!fits_all(s, lines, &text, &host))
			s->tag = TAG_NONE;
	}
	fits_all(s, lines, &text, &host);
	s->host = arena_text(mem, host.p, host.n);
	s->clock = (struct row_clock){ .way = WAY_UNKNOWN };
	s->prefix.peeked = text;
	return s;
}

struct line_prefix *stamped_prefix(struct stamped *s)
{
	return &s->prefix;
}

const char *stamped_host(const struct stamped *s)
{
	return s->host;
}

/* ------ given to rows */

#define COUNTED_MOST (20 * 365 * DAY_MS) /* counts of a log without times begin at 0; calendar.h takes times from 1990 on */

void stamped_row(struct stamped *s, time_ms t)
{
	if (s->now == TIME_UNKNOWN || t < 0 || t > COUNTED_MOST || (s->n && t <= s->at[s->n - 1].t))
		return;
	s->at = arena_array_next(s->mem, s->at, s->n, sizeof *s->at);
	s->at[s->n++] = (struct noted){ t, s->now };
}

/* On the clock of the stamps: by the last poll that is not behind it. */
static time_ms stamp_of(const void *of, time_ms t)
{
	const struct stamped *const s = of;
	size_t from = 0, to = s->n - 1;

	while (from < to) {
		const size_t middle = (from + to + 1) / 2;
		if (s->at[middle].t <= t)
			from = middle;
		else
			to = middle - 1;
	}
	return s->at[from].stamp + (t - s->at[from].t);
}

#define TOGETHER 20   /* polls no further apart than this part of the mean step came at one time */
#define LEAST_POLLS 8 /* of fewer it can't be said that a pipe held them back */

/* The polls [from, …) that came at one time: where they end. */
static size_t together_until(const struct stamped *s, size_t from, time_ms apart)
{
	size_t end = from + 1;

	while (end < s->n && s->at[end].stamp - s->at[end - 1].stamp <= apart)
		end++;
	return end;
}

/* Polls that came at one time are spread back to those before them; the first ones in the mean step. */
static void spread_back(struct stamped *s, time_ms step, time_ms apart)
{
	time_ms before = TIME_UNKNOWN;

	for (size_t begin = 0, end; begin < s->n; begin = end) {
		end = together_until(s, begin, apart);
		const time_ms n = (time_ms)(end - begin), last = s->at[end - 1].stamp;
		const time_ms since = before == TIME_UNKNOWN ? n * step : last - before;
		for (time_ms i = 0; i < n; i++)
			s->at[begin + (size_t)i].stamp = last - (n - 1 - i) * since / n;
		before = last;
	}
}

/* Did a pipe hand on several polls at a time, further apart than a clock of whole seconds can tell? */
static bool came_together(const struct stamped *s, time_ms *step, time_ms *apart)
{
	size_t n_groups = 0;

	if (s->n < LEAST_POLLS)
		return false;
	const time_ms length = s->at[s->n - 1].stamp - s->at[0].stamp;
	*apart = length / (time_ms)(s->n - 1) / TOGETHER;
	for (size_t begin = 0; begin < s->n; begin = together_until(s, begin, *apart))
		n_groups++;
	const size_t n_first = together_until(s, 0, *apart);
	*step = n_first < s->n ? length / (time_ms)(s->n - n_first) : SECOND_MS;
	return 3 * n_groups <= 2 * s->n && (n_groups < 2 || 2 * length > 3 * SECOND_MS * (time_ms)(n_groups - 1));
}

void stamped_settle(struct stamped *s, struct reading *r, struct sheet *sheet)
{
	struct clock_note *const clock = &r->recording->clock;
	time_ms step, apart;

	if (!clock->time_unknown || clock->elapsed || !s->n)
		return;
	if (came_together(s, &step, &apart)) {
		spread_back(s, step, apart);
		reading_guesses(r, "its lines came several at a time, as a pipe hands them on; their rows are spread evenly over the time "
			"since the lines before");
	} else {
		sheet_spread(sheet);
	}
	sheet_retime(sheet, stamp_of, s);
	clock->time_unknown = clock->date_unknown = false;
	row_clock_settle(&s->clock, r, sheet);
}
