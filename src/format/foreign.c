/*
 * foreign.c - what a file is that nobody reads.
 *
 * First the signs of foreign.def; then what can be said of any file: an archive in an archive, binary data,
 * messages of nvidia-smi, a table with its columns, a single line.
 *
 *     timestamp,n1_watts,n2_watts,total_watts        a table of 4 columns ('timestamp', 'n1_watts', …)
 *     2026-05-05T19:14:51,2492,2579,5071
 */
#include "format/foreign.h"

#include "base/archive.h"
#include "format/nvidia_smi.h"

enum how { BEGINS, LINE, HAS };

static const struct row {
	enum foreign_kind kind;
	enum how how;
	const char *sign, *and, *what;
} rows[] = {
#define FOREIGN(kind, how, sign, and, what) { FOREIGN_##kind, how, sign, and, what },
#include "format/foreign.def"
#undef FOREIGN
};

static bool line_begins(struct slice text, const char *sign)
{
	for (; text.n; slice_line(&text))
		if (slice_starts(text, sign))
			return true;
	return false;
}

static bool fits(const struct row *row, struct slice first)
{
	if (!slice_has(first, row->and))
		return false;
	switch (row->how) {
	case BEGINS:
		return slice_starts(first, row->sign);
	case LINE:
		return line_begins(first, row->sign);
	case HAS:
		return slice_has(first, row->sign);
	}
	return false;
}

/* The next line that is not blank; an empty slice when there is none. */
static struct slice next_line(struct slice *rest)
{
	while (rest->n) {
		const struct slice line = slice_trim(slice_line(rest));
		if (line.n)
			return line;
	}
	return (struct slice){ NULL, 0 };
}

/* Takes a cell off the front; separators between quotes are text. */
static struct slice next_cell(struct slice *rest, char separator)
{
	bool quoted = false;
	size_t n = 0;

	while (n < rest->n && (quoted || rest->p[n] != separator))
		quoted ^= rest->p[n++] == '"';
	const struct slice cell = { rest->p, n };
	const size_t taken = n < rest->n ? n + 1 : n;
	*rest = (struct slice){ rest->p + taken, rest->n - taken };
	return slice_trim(cell);
}

static size_t count_cells(struct slice line, char separator)
{
	size_t n = 1;

	for (bool quoted = false; line.n; line = (struct slice){ line.p + 1, line.n - 1 }) {
		quoted ^= line.p[0] == '"';
		n += !quoted && line.p[0] == separator;
	}
	return n;
}

static bool has_number(struct slice line, char separator)
{
	fixed ignored;
	struct slice left;

	while (line.n)
		if (fixed_parse(next_cell(&line, separator), &ignored, &left))
			return true;
	return false;
}

#define SHOWN_COLUMNS ((size_t)8)
#define SHOWN_BYTES ((size_t)40)

/* "'timestamp', 'n1_watts' and 2 more" */
static const char *list_columns(struct arena *mem, struct slice head, char separator, size_t n)
{
	const size_t shown = n <= SHOWN_COLUMNS ? n : SHOWN_COLUMNS;
	const char *list = "";

	for (size_t i = 0; i < shown; i++) {
		struct slice cell = next_cell(&head, separator);
		if (cell.n >= 2 && cell.p[0] == '"' && cell.p[cell.n - 1] == '"')
			cell = (struct slice){ cell.p + 1, cell.n - 2 };
		list = arena_print(mem, "%s%s'%.*s'%s", list, i ? ", " : "", (int)(cell.n < SHOWN_BYTES ? cell.n : SHOWN_BYTES), cell.p,
			cell.n > SHOWN_BYTES ? "…" : "");
	}
	return shown == n ? list : arena_print(mem, "%s and %zu more", list, n - shown);
}

/* Lines of as many cells each, or NULL. */
static const char *table_text(struct arena *mem, struct slice first)
{
	static const char separators[] = { ',', ';', '\t' };
	const struct slice head = next_line(&first), row = next_line(&first);

	for (size_t i = 0; i < sizeof separators && row.n; i++) {
		const size_t n = count_cells(head, separators[i]);
		if (n < 2 || n != count_cells(row, separators[i]))
			continue;
		if (has_number(head, separators[i]))
			return arena_print(mem,
				"a table of %zu columns without a header; if nvidia-smi wrote it, --columns can name them", n);
		return arena_print(mem, "a table that no reader knows, with the columns %s; a mapping (--map) can say what they are",
			list_columns(mem, head, separators[i], n));
	}
	return NULL;
}

/* Or is it the output of a job that asked nvidia-smi once, and went on? */
static bool is_mostly_messages(struct slice first)
{
	struct slice line;
	size_t n = 0, n_messages = 0;

	for (; (line = next_line(&first)).n; n++)
		n_messages += smi_is_message(line);
	return 2 * n_messages >= n;
}

#define MESSAGE_BYTES ((size_t)200)

/* nvidia-smi could not do what was asked, and said so instead; or NULL. */
static const char *message_text(struct arena *mem, struct slice first)
{
	struct slice line;

	while ((line = next_line(&first)).n)
		if (smi_is_message(line))
			return arena_print(mem, "only messages of nvidia-smi: '%.*s'",
				(int)(line.n < MESSAGE_BYTES ? line.n : MESSAGE_BYTES), line.p);
	return NULL;
}

/* A log that was begun and never written, or NULL. */
static const char *line_text(struct arena *mem, struct slice first)
{
	const bool whole = first.n < PEEK_BYTES;
	const struct slice line = next_line(&first);

	if (!whole || !line.n || next_line(&first).n)
		return NULL;
	return arena_print(mem, "there is one line in it, and no sample: '%.*s'%s", (int)(line.n < SHOWN_BYTES ? line.n : SHOWN_BYTES),
		line.p, line.n > SHOWN_BYTES ? "…" : "");
}

#define TAR_MAGIC_AT ((size_t)257)

bool foreign_is_tar(struct slice first)
{
	return first.n > TAR_MAGIC_AT && slice_starts((struct slice){ first.p + TAR_MAGIC_AT, first.n - TAR_MAGIC_AT }, "ustar");
}

static const struct row *find_row(struct slice first)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (fits(&rows[i], first))
			return &rows[i];
	return NULL;
}

bool foreign_has_sign(struct slice first)
{
	return find_row(first) != NULL;
}

struct foreign foreign_find(struct arena *mem, struct slice first)
{
	const struct row *row = find_row(first);
	const char *text;

	if (row)
		return (struct foreign){ .what = row->what, .kind = row->kind };
	if (archive_kind(first))
		return (struct foreign){ .what = arena_print(mem, "a %s archive inside an archive is not opened", archive_kind(first)),
			.kind = FOREIGN_LOG };
	if (foreign_is_tar(first))
		return (struct foreign){ .what = "a tar archive whose first header is damaged", .kind = FOREIGN_LOG };
	if (memchr(first.p, '\0', first.n))
		return (struct foreign){ .what = "binary data", .kind = FOREIGN_FILE };
	if ((text = message_text(mem, first)))
		return (struct foreign){ .what = text, .kind = is_mostly_messages(first) ? FOREIGN_FAILED : FOREIGN_LOG };
	if ((text = table_text(mem, first)))
		return (struct foreign){ .what = text, .kind = FOREIGN_TEXT, .is_table = true };
	if ((text = line_text(mem, first)))
		return (struct foreign){ .what = text, .kind = FOREIGN_TEXT };
	return (struct foreign){ .what = "no reader recognises it; `postrun formats` lists what can be read", .kind = FOREIGN_TEXT };
}
