/*
 * lines.c - inputs in bounded blocks and lines.
 *
 * A line is handed out as a slice of the block; only when the block ends inside it are its
 * bytes moved to the front and the block refilled. A block holds several of the longest
 * lines that are usual, so that moving is rare; where longer ones are allowed it grows when one comes.
 *
 * UTF-16 has a second block, of what is not decoded yet. NULs between lines are holes that NFS leaves
 * when two hosts append to one file:
 *
 *     0, Tesla V100-PCIE-32GB, 1239 MiB, 67 %\n\0\0\0\0...\0\0\0 0, Tesla V100-PCIE-32GB, 1239 MiB, 70 %\n
 *
 * They are passed over block by block, however many there are: a GiB before the first row takes a second, and no memory.
 */
#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)128 * 1024) /* with what is found in it, it stays in the cache of a core */
#define LINES_IN_BLOCK 2 /* of the longest, at least */

/* Decodes some; 0 at the end. */
static size_t read_wide(struct lines *in, char *to, size_t room)
{
	for (;;) {
		struct slice wide = { in->wide + in->wide_begin, in->wide_end - in->wide_begin };
		const size_t n = utf16_decode(&in->utf16, &wide, to, room);
		memmove(in->wide, wide.p, wide.n);
		in->wide_begin = 0;
		in->wide_end = wide.n;
		if (n)
			return n;
		const size_t got = stream_read(in->stream, in->wide + in->wide_end, BLOCK_BYTES - in->wide_end);
		in->wide_end += got;
		if (!got) {
			in->wide_end = 0;
			return utf16_end(&in->utf16, wide, to);
		}
	}
}

bool has_returns_alone(struct slice first)
{
	return first.n && !memchr(first.p, '\n', first.n) && memchr(first.p, '\r', first.n) && !memchr(first.p, '\0', first.n);
}

static void turn(char from, char to, char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == from)
			p[i] = to;
}

void bytes_turn(const struct turned_bytes *turned, char *p, size_t n)
{
	for (size_t i = 0; turned->from[i]; i++)
		turn(turned->from[i], turned->to[i], p, n);
}

static void turn_all(const struct lines *in, char *p, size_t n)
{
	static const struct turned_bytes returns = { "\r", "\n" };

	if (in->ends_in_returns)
		bytes_turn(&returns, p, n);
	if (in->turned)
		bytes_turn(in->turned, p, n);
}

static size_t read_and_turn(struct lines *in, char *to, size_t room)
{
	const size_t n = in->wide ? read_wide(in, to, room) : stream_read(in->stream, to, room);

	turn_all(in, to, n);
	return n;
}

/* Are its bytes others than those that a stream of it has? */
static bool is_turned(const struct lines *in)
{
	return in->ends_in_returns || in->turned;
}

static size_t read_next(struct lines *in, char *to, size_t room)
{
	if (is_turned(in))
		return read_and_turn(in, to, room);
	return in->wide ? read_wide(in, to, room) : stream_read(in->stream, to, room);
}

/* Moves what is left to the front and reads behind it. */
static void lines_fill(struct lines *in)
{
	const size_t least = in->wide ? UTF16_MOST_BYTES : 1;

	in->text = (struct slice){ 0 };
	memmove(in->block, in->block + in->begin, in->end - in->begin);
	in->end -= in->begin;
	in->begin = 0;
	while (in->end + least <= in->room && !in->at_end) {
		const size_t got = read_next(in, in->block + in->end, in->room - in->end);
		in->at_end = got == 0;
		in->end += got;
	}
	memset(in->block + in->end, 0, PADDING_BYTES);
}

static void block_new(struct lines *in)
{
	in->room = BLOCK_BYTES;
	in->allocated = 0;
	in->block = grow(NULL, &in->allocated, in->room + PADDING_BYTES, 1);
}

static size_t most_room(const struct lines *in)
{
	return LINES_IN_BLOCK * in->max_bytes > BLOCK_BYTES ? LINES_IN_BLOCK * in->max_bytes : BLOCK_BYTES;
}

static void block_enlarge(struct lines *in, size_t room)
{
	in->room = room;
	in->block = grow(in->block, &in->allocated, in->room + PADDING_BYTES, 1);
}

/* What was read is UTF-16: decodes it into another block, and so all that follows. */
static void go_wide(struct lines *in)
{
	in->utf16.big_endian = in->encoding == ENCODING_UTF16_BE;
	in->wide = in->block;
	in->wide_end = in->end;
	block_new(in);
	in->end = 0;
	in->at_end = false;
	lines_fill(in);
}

/* True when there were any. */
static bool skip_nuls(struct lines *in)
{
	bool any = false;

	for (;;) {
		const size_t begin = in->begin;
		while (in->begin < in->end && !in->block[in->begin])
			in->begin++;
		if (!in->n_nuls && in->begin > begin)
			in->first_nul = in->line + 1;
		in->n_nuls += in->begin - begin;
		any |= in->begin > begin;
		if (in->begin < in->end || in->at_end)
			return any;
		lines_fill(in);
	}
}

static void start(struct lines *in)
{
	in->max_bytes = (size_t)limit_of(in->limits, LIMIT_LINE);
	block_new(in);
	lines_fill(in);
	in->encoding = encoding_guess(lines_peek(in));
	if (in->encoding != ENCODING_UTF8)
		go_wide(in);
	in->ends_in_returns = has_returns_alone((struct slice){ in->block, in->end });
	turn_all(in, in->block, in->end);
	if (in->end >= 3 && memcmp(in->block, "\xEF\xBB\xBF", 3) == 0)
		in->begin = 3;
	skip_nuls(in);
}

/* A named pipe is waited for, as its readers always do; whatever else a name may mean is opened without waiting. */
static int open_path(const char *path)
{
	struct stat about;

	if (strcmp(path, "-") == 0)
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	bool waits = stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
}

/* Devices are left alone: some never end, reading moves others. Only the standard input may be one: a terminal. */
static bool is_readable(int fd, bool is_standard)
{
	struct stat about;

	return fstat(fd, &about) == 0 && (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) ||
						 (is_standard && S_ISCHR(about.st_mode)));
}

bool lines_open(struct lines *in, const char *path, const struct limits *limits, struct diags *diags)
{
	const bool is_standard = strcmp(path, "-") == 0;
	const struct place place = { is_standard ? STANDARD_INPUT : path, 0, 0 };
	const int fd = open_path(path);

	if (fd < 0)
		return diag_at(diags, place, DIAG_CANNOT_READ, "cannot open: %s", strerror(errno));
	if (!is_readable(fd, is_standard)) {
		close(fd);
		return diag_at(diags, place, DIAG_CANNOT_READ, "neither a file nor a pipe");
	}
	*in = (struct lines){ .path = place.path, .limits = limits, .stream = stream_open(fd, limits) };
	start(in);
	return true;
}

void lines_open_source(struct lines *in, const char *path, const struct limits *limits, struct byte_source source)
{
	*in = (struct lines){ .path = path, .limits = limits, .stream = stream_open_source(source, limits) };
	start(in);
}

struct slice lines_peek(struct lines *in)
{
	size_t n = in->end - in->begin;

	if (in->prefix)
		return in->prefix->peeked;
	return (struct slice){ in->block + in->begin, n < PEEK_BYTES ? n : PEEK_BYTES };
}

/* Drops the rest of a line that was over the limit; constant memory. */
static void skip_line(struct lines *in)
{
	for (;;) {
		char *end = memchr(in->block + in->begin, '\n', in->end - in->begin);
		if (end) {
			in->begin = (size_t)(end - in->block) + 1;
			return;
		}
		in->begin = in->end;
		if (in->at_end)
			return;
		lines_fill(in);
	}
}

static void pass_prefix(struct lines *in, struct slice *line)
{
	const size_t n = in->prefix->length(in->prefix, *line);

	in->columns_before = (int)n;
	*line = (struct slice){ line->p + n, line->n - n };
}

void lines_cut_prefix(struct lines *in, struct line_prefix *p)
{
	in->prefix = p;
}

void lines_turn(struct lines *in, const struct turned_bytes *turned)
{
	in->turned = turned;
	turn_all(in, in->block + in->begin, in->end - in->begin);
}

static void take_line(struct lines *in, size_t n, bool ended, struct slice *line)
{
	*line = (struct slice){ in->block + in->begin, n };
	in->begin += n + ended;
	in->line++;
	in->state = ended ? LINE_WHOLE : LINE_LAST_UNENDED;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	if (line->n > in->max_bytes) {
		line->n = in->max_bytes;
		in->state = LINE_TOO_LONG;
	} else if (line->n && memchr(line->p, '\0', line->n)) {
		in->state = LINE_HAS_NUL;
	}
	if (in->prefix)
		pass_prefix(in, line);
	in->text = *line;
	if (in->unused)
		unused_line(in->unused, in->line, *line);
}

/* Of the line that has no end in what is at hand; NULL: it is the last one, or longer than a block may be. */
static char *end_behind(struct lines *in)
{
	for (;;) {
		lines_fill(in);
		char *const end = memchr(in->block + in->begin, '\n', in->end - in->begin);
		if (end || in->at_end || in->room >= most_room(in))
			return end;
		block_enlarge(in, 2 * in->room < most_room(in) ? 2 * in->room : most_room(in));
	}
}

bool line_next(struct lines *in, struct slice *line)
{
	if (in->skipping) {
		in->skipping = false;
		skip_line(in);
	}
	if (in->begin == in->end && !in->at_end)
		lines_fill(in);
	if (in->begin < in->end && !in->block[in->begin] && skip_nuls(in) && in->begin == in->end) {
		*line = (struct slice){ in->block + in->begin, 0 };
		in->line++;
		in->state = LINE_WHOLE;
		return true;
	}
	char *end = memchr(in->block + in->begin, '\n', in->end - in->begin);
	if (!end && !in->at_end)
		end = end_behind(in);
	if (end) {
		take_line(in, (size_t)(end - in->block) - in->begin, true, line);
		return true;
	}
	if (in->begin == in->end)
		return false;
	bool over = !in->at_end; /* a full block without a line end */
	take_line(in, in->end - in->begin, false, line);
	if (over) {
		in->skipping = true;
		in->state = LINE_TOO_LONG;
	}
	return true;
}

struct slice lines_ahead(struct lines *in)
{
	if (in->skipping || in->prefix)
		return (struct slice){ in->block, 0 };
	if (in->end - in->begin < AHEAD_BYTES && !in->at_end)
		lines_fill(in);
	return (struct slice){ in->block + in->begin, in->end - in->begin };
}

void lines_hold(struct lines *in, size_t n_bytes)
{
	if (in->wide || is_turned(in) || n_bytes <= in->room)
		return;
	block_enlarge(in, n_bytes);
	lines_fill(in);
}

void lines_counted(struct lines *in, size_t n_lines)
{
	in->line += (int64_t)n_lines;
	in->state = LINE_WHOLE;
	in->text = (struct slice){ 0 };
}

void lines_passed(struct lines *in, size_t n_lines, size_t n_bytes)
{
	in->begin += n_bytes;
	lines_counted(in, n_lines);
}

bool lines_leave(struct lines *in, uint64_t *at)
{
	if (in->skipping || in->prefix || in->wide || is_turned(in) || !stream_plain_bytes(in->stream))
		return false;
	*at = stream_at(in->stream) - (in->end - in->begin);
	in->begin = in->end;
	return true;
}

struct part_lines lines_read_part(const struct lines *in, uint64_t at, size_t n, bool is_first, char *to)
{
	const size_t before = is_first ? 0 : 1; /* is a line end, or the line is that of the part before */
	const size_t got = stream_read_at(in->stream, at - before, to, before + n + LINE_BEHIND_BYTES), last = before + n - 1;
	const char *const first = is_first ? to : memchr(to, '\n', got);

	memset(to + got, 0, PADDING_BYTES);
	if (!first)
		return (struct part_lines){ NOWHERE, { to, 0 } };
	const char *const begin = is_first ? to : first + 1, *const end = got > last ? memchr(to + last, '\n', got - last) : NULL;
	const struct slice all = { begin, (size_t)(to + got - begin) };
	const struct slice text = end ? (struct slice){ begin, end + 1 > begin ? (size_t)(end + 1 - begin) : 0 } : slice_whole_lines(all);
	return (struct part_lines){ at - before + (uint64_t)(begin - to), text };
}

void lines_used(struct lines *in, const struct part_lines *part)
{
	stream_used(in->stream, part->at, part->text);
}

void lines_come_back(struct lines *in, uint64_t at)
{
	stream_go_on(in->stream, at);
	in->at_end = false;
}

void lines_put_back(struct lines *in, struct slice text)
{
	const size_t n = in->end - in->begin;

	if (in->begin < text.n) {
		in->block = grow(in->block, &in->allocated, text.n + n + PADDING_BYTES, 1);
		memmove(in->block + text.n, in->block + in->begin, n + PADDING_BYTES);
		in->begin = text.n;
		in->end = text.n + n;
	}
	in->begin -= text.n;
	memcpy(in->block + in->begin, text.p, text.n);
}

size_t lines_fetch(struct lines *in, char *to, size_t n)
{
	size_t got = in->end - in->begin < n ? in->end - in->begin : n;

	if (in->skipping || in->prefix || in->wide || is_turned(in))
		return 0;
	memcpy(to, in->block + in->begin, got);
	in->begin += got;
	while (got < n && !in->at_end) {
		const size_t more = stream_read_by_turns(in->stream, to + got, n - got);
		in->at_end = more == 0;
		got += more;
	}
	memset(to + got, 0, PADDING_BYTES);
	const struct slice lines = slice_whole_lines((struct slice){ to, got });
	lines_put_back(in, (struct slice){ to + lines.n, got - lines.n });
	return lines.n;
}

/* A line with its end, or as much of that as is behind it. */
static struct slice next_whole(struct lines *in)
{
	struct slice line;

	if (!line_next(in, &line))
		return (struct slice){ in->block, 0 };
	return (struct slice){ line.p, line.n + (in->state == LINE_WHOLE) };
}

struct slice lines_block(struct lines *in)
{
	if (in->prefix)
		return next_whole(in);
	if (in->begin == in->end && !in->at_end)
		lines_fill(in);
	struct slice block = { in->block + in->begin, in->end - in->begin };
	for (const char *p = block.p, *end = block.p + block.n; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		in->line++;
	in->begin = in->end;
	return block;
}

void lines_close(struct lines *in)
{
	stream_close(in->stream);
	grow_free(in->block);
	grow_free(in->wide);
}
