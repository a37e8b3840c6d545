/* format.c - the registry, and who reads what. */
#include "format/format.h"

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

const char *file_option_for(struct file_options options, const char *path)
{
	const char *value = NULL;

	for (size_t i = 0; i < options.n; i++) {
		const char *file = options.at[i].file;
		if (strcmp(file, "*") == 0 || strcmp(file, path) == 0 || is_end_of_path(file, path))
			value = options.at[i].value;
	}
	return value;
}

const struct format *format_detect(struct slice first_bytes, struct arena *mem, const char **why)
{
	const struct format *best = NULL;
	int best_score = 0;

	for (size_t i = 0; i < n_formats; i++) {
		struct bid bid = format_table[i]->bid(first_bytes, mem);
		if (bid.score <= best_score)
			continue;
		best = format_table[i];
		best_score = bid.score;
		*why = bid.why;
	}
	return best;
}

/* What the first bytes look like, for the message that nobody reads them. */
static const char *resembles(struct slice first)
{
	if (first.n >= 2 && (memcmp(first.p, "\xff\xfe", 2) == 0 || memcmp(first.p, "\xfe\xff", 2) == 0))
		return "UTF-16 text; convert it to UTF-8 first";
	if (memchr(first.p, '\0', first.n))
		return "binary data";
	return "no reader recognises it; `postrun formats` lists what can be read";
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

/* What was wrong below the lines: a failed read, or a compressed stream that ends early. */
static void report_stream(const struct lines *lines, struct diags *diags)
{
	struct place place = { lines->path, lines->line, 0 };

	if (stream_failed(lines->stream))
		diag_at(diags, place, DIAG_CANNOT_READ, "reading failed here; what came before is used");
	if (stream_damage(lines->stream))
		diag_at(diags, place, DIAG_DAMAGED, "%s; what came before is used", stream_damage(lines->stream));
}

static struct recording *read_as(struct arena *mem, struct lines *lines, const struct format *format, const char *why,
	const struct read_request *request, struct diags *diags)
{
	static const struct read_request nothing;
	enum packing packing = stream_packing(lines->stream);
	const char *how = packing == PACKING_NONE ? why : arena_print(mem, "unpacked from %s, %s", packing_name(packing), why);
	struct recording *recording = recording_new(mem, lines->path, format, how);
	struct reading reading = { lines, recording, mem, diags, request ? request : &nothing };

	bool good = format->read(&reading);
	report_stream(lines, diags);
	recording->damage = stream_damage(lines->stream);
	recording->digest = stream_digest(lines->stream, mem);
	recording->bytes = stream_stored_bytes(lines->stream);
	return good ? recording : NULL;
}

struct recording *format_read(struct arena *mem, const char *path, const struct read_request *request, bool quiet, struct diags *diags)
{
	struct place place = { path, 0, 0 };
	struct recording *recording = NULL;
	struct lines lines;
	const char *why = NULL;

	if (!lines_open(&lines, path, diags))
		return NULL;
	struct slice first = lines_peek(&lines);
	const struct format *format = format_detect(first, mem, &why);
	if (format)
		recording = read_as(mem, &lines, format, why, request, diags);
	else if (stream_failed(lines.stream) || stream_damage(lines.stream))
		report_stream(&lines, diags);
	else if (!first.n)
		diag_at(diags, place, DIAG_EMPTY_FILE, "the file is empty");
	else if (!quiet)
		diag_at(diags, place, DIAG_NOT_A_LOG, "%s", resembles(first));
	lines_close(&lines);
	return recording;
}
