/*
 * lines.h - an input, line by line.
 *
 * Inputs are read in blocks (stream.h), never mapped: a file that shrinks under us ends early instead of
 * killing us. Compressed ones are unpacked on the way, UTF-16 becomes UTF-8. Lines are cut here, bounded,
 * before any grammar sees them. A text whose lines end in CR alone is read as if they ended in LF.
 */
#ifndef POSTRUN_LINES_H
#define POSTRUN_LINES_H

#include "base/diag.h"
#include "base/limits.h"
#include "base/stream.h"
#include "base/unused.h"
#include "base/utf16.h"

#define AHEAD_BYTES ((size_t)4 * 1024) /* what lines_ahead() has at hand at least, unless the input ends */
#define PADDING_BYTES ((size_t)128)    /* readable behind what it has, so that several can be looked at wherever one is */
#define PEEK_BYTES ((size_t)16 * 1024) /* the header of all 214 fields of driver 580 is 6 KiB */
#define STANDARD_INPUT "standard input" /* how the path "-" is called in everything that is said */

enum line_state { LINE_WHOLE, LINE_LAST_UNENDED, LINE_TOO_LONG, LINE_HAS_NUL };

/* What stands before each line and is not the log's: who passed it on wrote it there (format/stamped.h). */
struct line_prefix {
	size_t (*length)(struct line_prefix *p, struct slice line); /* bytes of it, of each line in turn; 0: it has none */
	struct slice peeked; /* the first bytes of the log without: what lines_peek() says */
};

/* Bytes that stand for others in a text: from[i] becomes to[i], one after the other. */
struct turned_bytes {
	const char *from, *to;
};
void bytes_turn(const struct turned_bytes *turned, char *p, size_t n);

struct lines {
	const char *path;
	const struct limits *limits; /* may be NULL */
	size_t max_bytes;      /* of a line */
	struct stream *stream; /* unpacks on the way */
	int64_t line;    /* number of the line last returned, from 1 */
	enum line_state state; /* of the line last returned */
	struct slice text;     /* the line last returned by line_next(), until the next call of any function here; else empty */
	enum encoding encoding;
	bool ends_in_returns;  /* CR ended the lines, as on old Macs, and became LF */
	const struct turned_bytes *turned; /* NULL: all bytes are what they are */
	uint64_t n_nuls; /* NUL bytes skipped at the begins of lines */
	int64_t first_nul; /* the line of the first of them */
	char *block;
	size_t room;     /* of the block that is filled; what was put back may be more */
	size_t allocated;
	size_t begin, end;
	bool at_end;
	bool skipping;   /* inside a line that was over the limit */
	struct utf16 utf16;
	char *wide;      /* UTF-16 not yet decoded, or NULL */
	size_t wide_begin, wide_end;
	struct unused *unused; /* NULL: nobody asks, or no more */
	struct line_prefix *prefix; /* NULL: all of a line is the log's */
	int columns_before; /* of the line last returned: those of its prefix */
};

/*
 * A file, or a pipe; "-" is the standard input. False, with a complaint, when it can't be opened or is
 * neither: a folder, a device. `limits` may be NULL, and must live as long.
 */
bool lines_open(struct lines *in, const char *path, const struct limits *limits, struct diags *diags);
/* The same for bytes that come from elsewhere; `path` is how they are called. */
void lines_open_source(struct lines *in, const char *path, const struct limits *limits, struct byte_source source);
/* Are these the first bytes of a text whose lines end in CR alone? Archives and other binaries have NULs. */
bool has_returns_alone(struct slice first_bytes);
/* The first bytes, at most PEEK_BYTES, without consuming them. */
struct slice lines_peek(struct lines *in);
/*
 * The next line without its LF or CR LF; valid until the next call. False at the end.
 * A line over the limit LINE or with a NUL is returned shortened, with its `state`.
 * A byte order mark at the start of the file is skipped. So are NULs at the begin of a line, the holes
 * that a network file system leaves when several hosts append; those at the very end make an empty line.
 */
bool line_next(struct lines *in, struct slice *line);
/*
 * For readers that know by themselves where a row ends, beside line_next(): the bytes that come next, from the begin of a line on.
 * PADDING_BYTES behind them may be read, and mean nothing. Empty at the end, and of lines with a prefix.
 */
struct slice lines_ahead(struct lines *in);
/* From now on so much of the input is ahead at a time, where it is a plain text. */
void lines_hold(struct lines *in, size_t n_bytes);
/* Whole lines, with their ends, were taken from there. */
void lines_passed(struct lines *in, size_t n_lines, size_t n_bytes);
/*
 * For several threads: where the bytes that come next lie in the file, which is left until lines_come_back(). False of what is no plain
 * text that can be read anywhere.
 */
bool lines_leave(struct lines *in, uint64_t *at);
#define LINE_BEHIND_BYTES ((size_t)8 * 1024) /* that a part may have behind its own, for its last line to end */
#define NOWHERE UINT64_MAX
struct part_lines {
	uint64_t at; /* of the first of them; NOWHERE: no line begins there */
	struct slice text;
};
/*
 * Of a file that was left, the lines that begin in the n bytes at some place, the last one up to its end: behind one part comes the next,
 * unless a line is too long for that or bytes are gone. The first part begins with a line. `to` has room for n bytes, those behind, one
 * more and PADDING_BYTES. Any thread may ask.
 */
struct part_lines lines_read_part(const struct lines *in, uint64_t at, size_t n, bool is_first, char *to);
/* They are read, one part behind the other; what is not counted, too. */
void lines_used(struct lines *in, const struct part_lines *part);
/* So many lines of a file that was left were read. */
void lines_counted(struct lines *in, size_t n_lines);
/* From there on the lines come again as ever: behind those that were counted. */
void lines_come_back(struct lines *in, uint64_t at);
/*
 * The same of any other text in UTF-8, which can be read but once, as what is packed: the next whole lines, no more than n bytes of them,
 * go to `to`, which has room for these and PADDING_BYTES. Returns how many bytes they have; 0 at the end, and where a line is longer.
 * Threads take turns; one more may call lines_counted() meanwhile, which is called before the first of them, too: the line last returned is
 * gone.
 */
size_t lines_fetch(struct lines *in, char *to, size_t n);
/* What was fetched last and not used comes next once more. */
void lines_put_back(struct lines *in, struct slice text);
/* From the first line on: what is before it is passed over, and places in it are counted from where it ends. `p` lives as long. */
void lines_cut_prefix(struct lines *in, struct line_prefix *p);
/* From the first line on. They live as long. */
void lines_turn(struct lines *in, const struct turned_bytes *turned);
/* For documents (JSON, XML), instead of line_next(): the bytes that come next, some at a time; empty at the end. Counts lines. */
struct slice lines_block(struct lines *in);
void lines_close(struct lines *in);

/* The line last returned, with what stands before it. */
static inline struct slice lines_whole_text(const struct lines *in)
{
	return (struct slice){ in->text.p - in->columns_before, in->text.n + (size_t)in->columns_before };
}

/* A row of this line is used. */
static inline void lines_row_used(struct lines *in, int64_t line)
{
	if (in->unused)
		unused_end(in->unused, line);
}

/* Which lines give no row is asked of those before this one alone: from here on the reader tells of each. */
static inline void lines_unused_end(struct lines *in, int64_t line)
{
	lines_row_used(in, line);
	in->unused = NULL;
}

#endif
