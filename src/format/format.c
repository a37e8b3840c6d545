/*
 * format.c - the registry, and who reads what.
 *
 *     the highest bid on the first bytes       two that bid the same are a mistake of ours: neither reads
 *     no bid, but behind times before lines    the same, without them (stamped.h)
 *     no bid, but ';' or tabs between cells     the same with ',', if the first line is a header
 *     no bid, but --columns names the columns  the reader that takes them
 *     no bid                                   foreign.c says what the file is, and it is refused
 *
 * A tar is never bid on: its first member would be taken for the log that it is (ingest opens it).
 */
#include "base/archive.h"
#include "format/foreign.h"
#include "format/reading.h"
#include "format/stamped.h"

#define FORMAT(name) extern const struct format format_##name;
#include "format/formats.def"
#undef FORMAT

const struct format *const format_table[] = {
#define FORMAT(name) &format_##name,
#include "format/formats.def"
#undef FORMAT
};
const size_t n_formats = sizeof format_table / sizeof *format_table;

const struct absence_row absence_table[N_ABSENCES] = {
#define ABSENCE(id, name, title) [ABSENT_##id] = { name, title },
#include "format/absence.def"
#undef ABSENCE
};

const struct event_row event_table[N_EVENTS] = {
#define EVENT(id, name, title) [EVENT_##id] = { name, title },
#include "format/event.def"
#undef EVENT
};

/* "gpu.csv" and "node01/gpu.csv" are ends of "logs/node01/gpu.csv". */
static bool is_end_of_path(const char *file, const char *path)
{
	const size_t n = strlen(file), m = strlen(path);

	return n && n < m && path[m - n - 1] == '/' && strcmp(path + m - n, file) == 0;
}

/*
 * The one that names the file most closely, the last of several; or else the last that is for all: what is said of one stands wherever it
 * is said.
 */
const struct file_option *file_option_in_force(struct file_options options, const char *path)
{
	const struct file_option *own = NULL, *of_all = NULL;

	for (size_t i = 0; i < options.n; i++) {
		const char *file = strcmp(options.at[i].file, "-") == 0 ? STANDARD_INPUT : options.at[i].file;
		if (strcmp(file, "*") == 0)
			of_all = &options.at[i];
		else if ((strcmp(file, path) == 0 || is_end_of_path(file, path)) && (!own || strlen(file) >= strlen(own->file)))
			own = &options.at[i];
	}
	return own ? own : of_all;
}

const char *file_option_for(struct file_options options, const char *path)
{
	const struct file_option *const option = file_option_in_force(options, path);

	return option ? option->value : NULL;
}

bool file_option_is_for_all(struct file_options options, const char *path)
{
	const struct file_option *const option = file_option_in_force(options, path);

	return option && strcmp(option->file, "*") == 0;
}

const struct format *format_detect(struct slice first_bytes, const char *path, const struct read_request *request, struct arena *scratch,
	const char **why)
{
	static const struct read_request nothing;
	const struct read_request *asked = request ? request : &nothing;
	const struct format *best = NULL, *rival = NULL;
	int best_score = 0;

	*why = NULL;
	for (size_t i = 0; i < n_formats; i++) {
		const struct format *f = format_table[i];
		struct bid bid = f->bid_asked ? f->bid_asked(first_bytes, path, asked, scratch) : f->bid(first_bytes, scratch);
		if (bid.score == best_score && best)
			rival = f;
		if (bid.score <= best_score)
			continue;
		best = f;
		best_score = bid.score;
		rival = NULL;
		*why = bid.why;
	}
	if (!rival)
		return best;
	*why = arena_print(scratch, "the readers %s and %s both claim it and neither knows better", best->name, rival->name);
	return NULL;
}

/* What the columns are is said elsewhere: who can work with that? */
static const struct format *format_of_columns(void)
{
	for (size_t i = 0; i < n_formats; i++)
		if (format_table[i]->takes_columns)
			return format_table[i];
	return NULL;
}

/* Why it is a log of columns alone; NULL: nobody says what they are. */
static const char *why_columns(const char *path, const struct read_request *request)
{
	if (request && file_option_for(request->columns, path))
		return "its columns are named by --columns";
	return request && request->before ? "it goes on with a log before it" : NULL;
}

static struct recording *recording_new(struct arena *mem, const char *path, const struct format *format, const char *why)
{
	struct recording *recording = NEW(mem, struct recording);

	recording->path = arena_text(mem, path, strlen(path));
	recording->name = path_name(recording->path);
	recording->format = format;
	recording->why = why;
	return recording;
}

/* What was wrong below the lines: a failed read, a compressed stream that ends early, holes. */
static void report_stream(const struct lines *lines, struct diags *diags)
{
	struct place place = { lines->path, lines->line, 0 };

	if (stream_failed(lines->stream))
		diag_at(diags, place, DIAG_CANNOT_READ, "reading failed here; what came before is used");
	if (stream_damage(lines->stream))
		diag_at(diags, place, DIAG_DAMAGED, "%s; what came before is used", stream_damage(lines->stream));
	if (stream_change(lines->stream) == STREAM_GREW)
		diag_at(diags, place, DIAG_GREW, "the file became longer while it was read; this was its end when it was opened");
	if (stream_change(lines->stream) == STREAM_SHRANK)
		diag_at(diags, place, DIAG_SHRANK, "the file became shorter while it was read, and ends here; what came before is used");
	if (lines->n_nuls)
		diag_at(diags, (struct place){ lines->path, lines->first_nul, 0 }, DIAG_NUL_HOLES,
			"%llu NUL byte%s skipped, the first here", (unsigned long long)lines->n_nuls, plural_s(lines->n_nuls));
}

/* Beyond the life of who said it; NULL stays NULL. */
static const char *kept(struct arena *mem, const char *text)
{
	return text ? arena_text(mem, text, strlen(text)) : NULL;
}

/* How the text was got at, before why it is this format: "unpacked from gzip, decoded from UTF-16, …". It stays. */
static const char *how_read(struct arena *mem, const struct lines *lines, const char *why)
{
	const enum packing packing = stream_packing(lines->stream);

	if (lines->encoding != ENCODING_UTF8)
		why = arena_print(mem, "decoded from UTF-16, %s", why);
	if (lines->ends_in_returns)
		why = arena_print(mem, "with lines that end in CR alone, %s", why);
	return packing == PACKING_NONE ? kept(mem, why) : arena_print(mem, "unpacked from %s, %s", packing_name(packing), why);
}

#define ANOTHER_LINES 20 /* that give no row, beside as many as usually stand between two rows: fewer are a head, a few words of the job */
#define ANOTHER_TRIES (UNUSED_KEPT + ANOTHER_LINES) /* first lines: averages, and the rest of a row of ours, may be before it */

static struct slice first_lines(struct slice text, int n)
{
	struct slice rest = text;

	for (int i = 0; i < n && rest.n; i++)
		slice_line(&rest);
	return (struct slice){ text.p, text.n - rest.n };
}

/* Whose log it seems to be, if not of `own`. */
static const struct format *another_format(const struct reading *r, struct slice first_bytes, const struct format *own)
{
	const char *why;
	const struct format *const found = format_detect(first_bytes, r->lines->path, NULL, r->scratch, &why);

	return found != own ? found : NULL;
}

/*
 * Where many lines on end gave no row, and begin as a log of another kind does, its rows are lost, and not headers or blank lines: that
 * is told. A file is of one log.
 */
static void tell_another_log(const struct reading *r, const struct unused *unused, const struct format *own)
{
	const struct unused_lines *const longest = &unused->longest;
	const int64_t others = unused->n > 1 ? (unused->n_lines - longest->n) / (unused->n - 1) : 0;
	struct slice begin = { longest->text, longest->n_bytes };
	const struct format *other = NULL;

	if (!r->recording->n_rows || longest->n < ANOTHER_LINES + others)
		return;
	for (int i = 0; i <= ANOTHER_TRIES && begin.n && !other; i++) {
		other = another_format(r, first_lines(begin, ANOTHER_LINES), own);
		other = other ? other : another_format(r, begin, own);
		slice_line(&begin);
	}
	if (other)
		diag_at(r->diags, (struct place){ r->lines->path, longest->first, 0 }, DIAG_TWO_LOGS,
			"what begins here gives no row of %s and looks like a log of %s; of a file one log is read: put each into a file "
			"of its own", own->name, other->name);
}

/* Who reads a log, and why. */
struct choice {
	const struct format *format; /* NULL: nobody */
	const char *why;             /* NULL: there is nothing to say */
	struct stamped *stamped;     /* what stands before its lines, or NULL */
	const struct dialect *dialect; /* how a spreadsheet wrote it, or NULL */
};

/* Where the comma is the decimal sign a spreadsheet that saves a CSV has ';' between cells; as text it has tabs. */
struct dialect {
	struct turned_bytes bytes;
	const char *words;
};
static const struct dialect dialects[] = {
	{ { ",;", ".," }, "with ';' between cells" },
	{ { ",\t", ".," }, "with tabs between cells" },
};

static struct recording *read_as(struct arena *mem, struct lines *lines, struct choice choice, const struct read_request *request,
	struct arena *scratch, struct diags *diags)
{
	static const struct read_request nothing;
	const struct format *const format = choice.format;
	struct recording *recording = recording_new(mem, lines->path, format, how_read(mem, lines, choice.why));
	struct reading reading = { lines, recording, mem, diags, request ? request : &nothing, NULL, scratch, choice.stamped };

	struct unused *const unused = NEW(scratch, struct unused);
	unused->row = lines->line;
	lines->unused = unused;
	if (choice.stamped)
		lines_cut_prefix(lines, stamped_prefix(choice.stamped));
	if (choice.dialect)
		lines_turn(lines, &choice.dialect->bytes);
	diags->columns_before = &lines->columns_before;
	bool good = format->read(&reading);
	diags->columns_before = NULL;
	if (choice.stamped)
		reading_host(&reading, slice_of(stamped_host(choice.stamped)));
	lines_unused_end(lines, lines->line + 1);
	tell_another_log(&reading, unused, format);
	report_stream(lines, diags);
	recording->n_rows_seen = format->rows_are_not_lines ? recording->n_rows + recording->n_rows_bad + recording->n_rows_ignored
							    : (size_t)lines->line;
	recording->damage = kept(mem, stream_damage(lines->stream));
	recording->digest = stream_digest(lines->stream, mem);
	recording->bytes = stream_stored_bytes(lines->stream);
	return good ? recording : NULL;
}

/* What a log is behind times before its lines. Some know a header also if such stand before its first name. */
static void look_behind_stamps(struct choice *c, struct slice first_bytes, const char *path, const struct read_request *request,
	struct arena *scratch)
{
	const bool may_be = c->format ? !c->format->stamps_its_lines : !c->why;
	struct stamped *const stamped = may_be ? stamped_find(scratch, first_bytes) : NULL;
	const char *why;

	if (!stamped)
		return;
	const struct format *const format = format_detect(stamped_prefix(stamped)->peeked, path, request, scratch, &why);
	if (format && (!c->format || format == c->format))
		*c = (struct choice){ format, arena_print(scratch, "behind a time before each line, %s", why), stamped, NULL };
}

/* Some bytes as they are in no dialect. */
static struct slice plain_copy(struct arena *mem, struct slice text, const struct dialect *d)
{
	char *const copy = arena_text(mem, text.p, text.n);

	bytes_turn(&d->bytes, copy, text.n);
	return (struct slice){ copy, text.n };
}

/* By its first line alone, which is a header then: cells of rows can be anything. */
static void look_for_dialect(struct choice *c, struct slice first_bytes, const char *path, const struct read_request *request,
	struct arena *scratch)
{
	const struct slice line = first_lines(first_bytes, 1);
	const char *why;

	for (size_t i = 0; i < sizeof dialects / sizeof *dialects && !c->format && !c->why; i++) {
		const struct format *const format = format_detect(plain_copy(scratch, line, &dialects[i]), path, request, scratch, &why);
		if (format && format->takes_columns)
			*c = (struct choice){ format, arena_print(scratch, "%s, %s", dialects[i].words, why), NULL, &dialects[i] };
	}
}

static struct choice choose(struct slice first_bytes, const char *path, const struct read_request *request, struct arena *scratch)
{
	struct choice c = { 0 };

	c.format = format_detect(first_bytes, path, request, scratch, &c.why);
	look_behind_stamps(&c, first_bytes, path, request, scratch);
	look_for_dialect(&c, first_bytes, path, request, scratch);
	return c;
}

bool format_is_archive(struct slice first_bytes)
{
	return archive_kind(first_bytes) && !foreign_has_sign(first_bytes);
}

/* A few lines of a log are enough for nearly all readers; to look at an eighth of the bytes takes an eighth of the time. */
#define GLANCE_BYTES ((size_t)2048)

static bool is_log(struct arena *mem, struct slice first, const char *path, const struct read_request *request)
{
	const struct slice glance = { first.p, GLANCE_BYTES };
	const char *why = NULL;

	if (first.n > GLANCE_BYTES && format_detect(glance, path, request, mem, &why))
		return true;
	const struct choice choice = choose(first, path, request, mem);
	return choice.format || choice.why;
}

/* Overwritten, or a page that a server sent in its place. */
static bool was_a_log(const struct foreign *foreign, const char *path)
{
	return (foreign->kind == FOREIGN_FILE || foreign->kind == FOREIGN_PACKED) && format_is_called_a_log(path);
}

static enum content content_of_foreign(const struct foreign *foreign, const char *path)
{
	switch (foreign->kind) {
	case FOREIGN_LOG:
		return CONTENT_FOREIGN;
	case FOREIGN_FAILED:
		return CONTENT_FAILED;
	case FOREIGN_PACKED:
		return was_a_log(foreign, path) ? CONTENT_DAMAGED : CONTENT_FOREIGN;
	case FOREIGN_TEXT:
	case FOREIGN_FILE:
		break;
	}
	return was_a_log(foreign, path) ? CONTENT_DAMAGED : CONTENT_OTHER;
}

enum content format_content(struct arena *mem, struct lines *lines, const struct read_request *request, const char **what)
{
	const struct slice first = lines_peek(lines);

	*what = "it is empty, or damaged";
	if (!first.n)
		return CONTENT_DAMAGED;
	if (format_is_archive(first))
		return CONTENT_ARCHIVE;
	if (foreign_is_tar(first))
		return CONTENT_DAMAGED;
	if (is_log(mem, first, lines->path, request) || file_option_for(request->columns, lines->path))
		return CONTENT_LOG;
	const struct foreign foreign = foreign_find(mem, first);
	*what = foreign.what;
	return content_of_foreign(&foreign, lines->path);
}

/* Why nobody reads it: always false. What is surely a log of somebody else, or was meant to be one, is named in a folder, too. */
static bool refuse(struct arena *scratch, const struct lines *lines, struct slice first, const struct read_request *request,
	struct diags *unsaid, struct diags *diags)
{
	const char *const map = request ? file_option_for(request->maps, lines->path) : NULL; /* for all: else it would be read by it */
	struct place place = { lines->path, 0, 0 };
	const struct foreign foreign = foreign_find(scratch, first);
	const bool is_of_logs = foreign.kind == FOREIGN_LOG || was_a_log(&foreign, lines->path);

	if (stream_failed(lines->stream) || stream_damage(lines->stream))
		report_stream(lines, diags);
	else if (!first.n)
		diag_at(diags, place, DIAG_EMPTY_FILE, lines->n_nuls ? "the file holds nothing but NUL bytes" : "the file is empty");
	else if (foreign.kind == FOREIGN_FAILED)
		diag_at(diags, place, DIAG_NO_ROWS, "%s", foreign.what);
	else
		diag_at(unsaid && !is_of_logs ? unsaid : diags, place, DIAG_NOT_A_LOG, "%s%s", foreign.what,
			foreign.is_table && map ? arena_print(scratch, "; %s does not", map) : "");
	return false;
}

/* What bids and readers need for as long as they are at work goes into `scratch`: of a few rows that is a hundred times what is kept. */
static struct recording *read_lines(struct arena *mem, struct lines *lines, const struct read_request *request,
	struct arena *scratch, struct diags *unsaid, struct diags *diags)
{
	const struct slice first = lines_peek(lines);
	/* the first member of a tar would be taken for the log that it is */
	const bool is_tar = archive_kind(first) || foreign_is_tar(first);
	struct choice choice = { 0 };

	if (!is_tar)
		choice = choose(first, lines->path, request, scratch);
	const char *const why_them = choice.format || choice.why || !first.n ? NULL : why_columns(lines->path, request);
	if (why_them)
		choice = (struct choice){ format_of_columns(), why_them, stamped_find(scratch, first), NULL };
	if (choice.format)
		return read_as(mem, lines, choice, request, scratch, diags);
	if (choice.why)
		diag_at(diags, (struct place){ lines->path, 0, 0 }, DIAG_TWO_READERS, "%s", choice.why);
	else
		refuse(scratch, lines, first, request, unsaid, diags);
	return NULL;
}

struct recording *format_read_lines(struct arena *mem, struct lines *lines, const struct read_request *request, struct diags *unsaid,
	struct diags *diags)
{
	struct arena scratch;

	arena_init(&scratch);
	struct recording *const recording = read_lines(mem, lines, request, &scratch, unsaid, diags);
	arena_release(&scratch);
	return recording;
}

struct recording *format_read(struct arena *mem, const char *path, const struct read_request *request, bool quiet, struct diags *diags)
{
	struct recording *recording;
	struct diags unsaid;
	struct lines lines;

	if (!lines_open(&lines, path, request ? request->limits : NULL, diags))
		return NULL;
	diags_init(&unsaid, mem);
	recording = format_read_lines(mem, &lines, request, quiet ? &unsaid : NULL, diags);
	diags_release(&unsaid);
	lines_close(&lines);
	return recording;
}
