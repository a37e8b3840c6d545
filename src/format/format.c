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
	if (first.n >= 2 && memcmp(first.p, "\x1f\x8b", 2) == 0)
		return "gzip data; unpack it first";
	if (first.n >= 4 && memcmp(first.p, "\x28\xb5\x2f\xfd", 4) == 0)
		return "zstd data; unpack it first";
	if (first.n >= 2 && (memcmp(first.p, "\xff\xfe", 2) == 0 || memcmp(first.p, "\xfe\xff", 2) == 0))
		return "UTF-16 text; convert it to UTF-8 first";
	if (memchr(first.p, '\0', first.n))
		return "binary data";
	return "no reader recognises it; `postrun formats` lists what can be read";
}

struct recording *format_read(struct arena *mem, const char *path, bool quiet, struct diags *diags)
{
	struct place place = { path, 0, 0 };
	struct lines lines;
	const char *why = NULL;
	struct recording *recording = NULL;

	if (!lines_open(&lines, path, diags))
		return NULL;
	struct slice first = lines_peek(&lines);
	const struct format *format = format_detect(first, mem, &why);
	if (lines.failed) {
		diag_at(diags, place, DIAG_CANNOT_READ, "cannot read the file");
	} else if (!first.n) {
		diag_at(diags, place, DIAG_EMPTY_FILE, "the file is empty");
	} else if (!format) {
		if (!quiet)
			diag_at(diags, place, DIAG_NOT_A_LOG, "%s", resembles(first));
	} else {
		recording = NEW(mem, struct recording);
		recording->path = arena_text(mem, path, strlen(path));
		recording->name = path_name(recording->path);
		recording->format = format;
		recording->why = why;
		struct reading reading = { &lines, recording, mem, diags };
		bool good = format->read(&reading);
		recording->digest = lines_digest(&lines, mem);
		recording->bytes = lines.bytes;
		if (lines.failed)
			diag_at(diags, place, DIAG_CANNOT_READ, "reading failed after %zu bytes; what was read is used",
				(size_t)lines.bytes);
		if (!good)
			recording = NULL;
	}
	lines_close(&lines);
	return recording;
}
