/* slice.h - borrowed text: a pointer and a length, never owned, not NUL-terminated. */
#ifndef POSTRUN_SLICE_H
#define POSTRUN_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *p;
	size_t n;
};

/* For "%.*s". */
#define SLICE(s) (int)(s).n, (s).p

static inline struct slice slice_of(const char *text)
{
	return (struct slice){ text, strlen(text) };
}

static inline bool slice_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Up to its last line end; empty where there is none. */
static inline struct slice slice_whole_lines(struct slice s)
{
	while (s.n && s.p[s.n - 1] != '\n')
		s.n--;
	return s;
}

/* Without blanks, tabs and carriage returns at both ends. */
static inline struct slice slice_trim(struct slice s)
{
	while (s.n && slice_is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n && slice_is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Here, so that of a text known to the compiler its length is known as well: readers ask for many. */
static inline bool slice_is(struct slice s, const char *text)
{
	if (s.n && s.p[0] != *text) /* mostly */
		return false;
	const size_t n = strlen(text);

	return s.n == n && (!n || memcmp(s.p, text, n) == 0);
}

bool slice_is_among(struct slice s, const char *const *texts, size_t n);

static inline bool slice_same(struct slice a, struct slice b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* ASCII letters compared without case. */
bool slice_is_nocase(struct slice s, const char *text);
/* What comes behind its first n bytes. */
static inline struct slice slice_behind(struct slice s, size_t n)
{
	return (struct slice){ s.p + n, s.n - n };
}

static inline bool slice_starts(struct slice s, const char *prefix)
{
	const size_t n = strlen(prefix);

	return s.n >= n && (!n || memcmp(s.p, prefix, n) == 0);
}
static inline bool slice_ends(struct slice s, const char *end)
{
	const size_t n = strlen(end);

	return s.n >= n && (!n || memcmp(s.p + s.n - n, end, n) == 0);
}
/* ASCII alone: what isdigit(), isalpha(), isspace() and tolower() say hangs on the locale. */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/* A blank or an end of a line. */
static inline bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool slice_has(struct slice s, const char *part);

/* Takes the next blank-separated word off the front of *rest; an empty slice at the end. */
static inline struct slice slice_word(struct slice *rest)
{
	const char *p = rest->p, *const end = rest->p + rest->n;

	while (p < end && slice_is_blank(*p))
		p++;
	const char *const begin = p;
	while (p < end && !slice_is_blank(*p))
		p++;
	*rest = (struct slice){ p, (size_t)(end - p) };
	return (struct slice){ begin, (size_t)(p - begin) };
}

/*
 * Takes what stands before the next separator off the front of *rest, or all that is left. False when nothing is: then rest->p is
 * NULL, and the part is empty. "a,,b" has three parts, "a," has two, and a text of no bytes has one.
 */
static inline bool slice_part(struct slice *rest, char separator, struct slice *part)
{
	*part = (struct slice){ NULL, 0 };
	if (!rest->p)
		return false;
	const char *const end = rest->n ? memchr(rest->p, separator, rest->n) : NULL;

	*part = (struct slice){ rest->p, end ? (size_t)(end - rest->p) : rest->n };
	*rest = end ? (struct slice){ end + 1, rest->n - part->n - 1 } : (struct slice){ NULL, 0 };
	return true;
}

/* The place of the first that is this text, or n. */
static inline size_t slices_find(const struct slice *all, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && !slice_is(all[i], text))
		i++;
	return i;
}

/* Takes the next line off the front of *rest, without its line feed; for bids, which see no more than the first bytes. */
struct slice slice_line(struct slice *rest);
/* Had the line that slice_line() just took off the front of `rest` an end of its own, or was it all that was left? */
bool slice_line_is_whole(struct slice line, struct slice rest);
/*
 * Cuts a line into words, the first `most` of them; returns how many. `columns`, unless NULL: where each stands in the line
 * that begins at `start`, from 1.
 */
size_t slice_words(struct slice line, const char *start, struct slice *words, int *columns, size_t most);
/* How many words a line has, or how often a byte that is no blank stands in it. */
size_t slice_count_words(struct slice line);
size_t slice_count(struct slice line, char byte);
/*
 * Cuts a line at each separator, which is no blank: one cell more than there are of them, as they stand; of over `most` the last is
 * all the rest.
 */
size_t slice_cells(struct slice line, char separator, struct slice *cells, size_t most);
/* True when every byte is part of well-formed UTF-8 (RFC 3629) and none is NUL. */
bool slice_is_utf8(struct slice s);
/* Characters of UTF-8: what it takes on a screen, as far as we know. */
int slice_columns(struct slice s);
/* Its beginning, enough to recognise it in a complaint: at most 40 bytes, never half a character. */
struct slice slice_shown(struct slice s);
/*
 * Makes a text from a log safe for a terminal, in place: control characters (C0, DEL, C1), direction
 * overrides (U+202A to U+202E, U+2066 to U+2069) and malformed UTF-8 become '?'.
 */
void text_make_printable(char *text);

#endif
