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

/* Without blanks, tabs and carriage returns at both ends. */
struct slice slice_trim(struct slice s);
static inline bool slice_is(struct slice s, const char *text)
{
	/* Most texts that are compared differ in the first byte. */
	if (s.n == 0 || s.p[0] != text[0])
		return s.n == 0 && text[0] == '\0';
	const size_t n = strlen(text);
	return s.n == n && memcmp(s.p, text, n) == 0;
}
bool slice_is_among(struct slice s, const char *const *texts, size_t n);
bool slice_same(struct slice a, struct slice b);
/* ASCII letters compared without case. */
bool slice_is_nocase(struct slice s, const char *text);
bool slice_starts(struct slice s, const char *prefix);
bool slice_has(struct slice s, const char *part);
/* Takes the next blank-separated word off the front of *rest; an empty slice at the end. */
struct slice slice_word(struct slice *rest);
/* Takes the next line off the front of *rest, without its line feed; for bids, which see no more than the first bytes. */
struct slice slice_line(struct slice *rest);
/* Had the line that slice_line() just took off the front of `rest` an end of its own, or was it all that was left? */
bool slice_line_is_whole(struct slice line, struct slice rest);
/*
 * Cuts a line into words, the first `most` of them; returns how many. `columns`, unless NULL: where each stands in the line
 * that begins at `start`, from 1.
 */
size_t slice_words(struct slice line, const char *start, struct slice *words, int *columns, size_t most);
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
