/*
 * reader_logs.h - writes logs of each kind that there is a reader for, from what a poll looks like (reader_logs.def): real heads, digits
 * that change and a time that goes on, a poll a second.
 *
 *     ~   a digit, of which the first of several is not 0      @c @k  01:48:34, and a second later: rows of sysstat describe what was
 *     @d @s @8 @b  2026-11-21, with slashes, without, 21-11    @m @w  21-NOV-2026, "Sat Nov 21 01:48:34 2026"
 *     @e  seconds since 1970        @n @N  polls so far, and with four digits
 *     @i @j  which of `each`, from 0, from 1                   @I @z @y @p  that with blanks, with noughts, two digits, as it is
 *     @+  a counter
 */
#ifndef POSTRUN_TESTS_READER_LOGS_H
#define POSTRUN_TESTS_READER_LOGS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BEGIN ((time_t)1795219200) /* 2026-11-21 00:00:00 UTC */

static const struct log_kind {
	const char *name, *head, *again;
	int every;
	const char *poll, *each;
	int n_each;
	const char *end, *tail;
} log_kinds[] = {
#define LOG(...) { __VA_ARGS__ },
#include "reader_logs.def"
#undef LOG
};

struct pen { /* what a text is written with */
	FILE *to;
	struct tm now, next;
	long poll;
	int each, n_counters;
	uint64_t state;
};

static inline unsigned chance(struct pen *p)
{
	p->state = p->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(p->state >> 33);
}

static inline void pen_clock(struct pen *p, const struct tm *t)
{
	fprintf(p->to, "%02d:%02d:%02d", t->tm_hour, t->tm_min, t->tm_sec);
}

static inline void pen_date(struct pen *p, char what)
{
	static const char *const forms[] = { ['d'] = "%Y-%m-%d", ['s'] = "%Y/%m/%d", ['8'] = "%Y%m%d", ['b'] = "%d-%m",
		['m'] = "%d-%b-%Y", ['w'] = "%a %b %e %H:%M:%S %Y" };
	char text[64];

	strftime(text, sizeof text, forms[(unsigned char)what], &p->now);
	if (what == 'm') /* as nmon writes a month */
		for (char *c = text; *c; c++)
			*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	fputs(text, p->to);
}

static inline void pen_number(struct pen *p, char what)
{
	switch (what) {
	case 'e':
		fprintf(p->to, "%lld", (long long)BEGIN + p->poll);
		break;
	case 'n':
		fprintf(p->to, "%ld", p->poll);
		break;
	case 'N':
		fprintf(p->to, "%04ld", p->poll + 1);
		break;
	case '+': { /* each counter by itself, always ahead */
		const int k = p->n_counters++;
		fprintf(p->to, "%ld", 100000 + 977L * k + p->poll * (10 + k % 7) + (long)(chance(p) % 7));
		break;
	}
	default: {
		static const char *const forms[] = { ['I'] = "%3d", ['z'] = "%03d", ['y'] = "%02d", ['p'] = "%d", ['i'] = "%d" };
		fprintf(p->to, what == 'j' ? "%d" : forms[(unsigned char)what], p->each + (what == 'j' || what == 'y'));
	}
	}
}

static inline void pen_text(struct pen *p, const char *text)
{
	char before = 0;

	for (; *text; before = *text++) {
		if (*text == '~') {
			fputc('0' + (int)(before != '~' && text[1] == '~' ? 1 + chance(p) % 9 : chance(p) % 10), p->to);
		} else if (*text != '@') {
			fputc(*text, p->to);
		} else if (*++text == 'c' || *text == 'k') {
			pen_clock(p, *text == 'c' ? &p->now : &p->next);
		} else if (strchr("ds8bmw", *text)) {
			pen_date(p, *text);
		} else {
			pen_number(p, *text);
		}
	}
}

/* Polls until there are so many bytes, with `most_each` rows a poll at most. */
static inline void put_log(FILE *to, const struct log_kind *log, double most_bytes, int most_each)
{
	const int n_each = log->n_each < most_each ? log->n_each : most_each;
	struct pen p = { .to = to, .state = 8 };

	for (; (double)ftell(p.to) < most_bytes; p.poll++) {
		const time_t now = BEGIN + p.poll, next = now + 1;
		gmtime_r(&now, &p.now);
		gmtime_r(&next, &p.next);
		p.n_counters = 0;
		if (!p.poll)
			pen_text(&p, log->head);
		if (log->every && p.poll % log->every == 0)
			pen_text(&p, log->again);
		pen_text(&p, log->poll + (!p.poll && log->poll[0] == ',')); /* of a list in JSON the first has none before it */
		for (p.each = 0; p.each < n_each; p.each++)
			pen_text(&p, log->each);
		pen_text(&p, log->end);
	}
	pen_text(&p, log->tail);
}

#endif
