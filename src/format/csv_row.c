/* csv_row.c - libcsv, one line at a time. The only file that knows it. */
#include "format/csv_row.h"

#include "base/arena.h"

#include <csv.h>

/* Not CSV_STRICT: a name is 'NVIDIA "H100"' in logs of a tool that does not quote, and its quotes are its own. */
static void parser_init(struct csv_row *row)
{
	if (csv_init(row->parser, CSV_STRICT_FINI))
		die_memory();
	csv_set_delim(row->parser, (unsigned char)row->separator);
}

void csv_row_init(struct csv_row *row, char separator)
{
	size_t room = 0;

	row->separator = separator;
	row->n = row->used = row->room = 0;
	row->text = NULL;
	row->parser = grow(NULL, &room, 1, sizeof *row->parser);
	parser_init(row);
}

void csv_row_release(struct csv_row *row)
{
	csv_free(row->parser);
	grow_free(row->parser);
	grow_free(row->text);
}

/* libcsv's buffer is used again for the next cell, so the bytes are kept here. */
static void on_cell(void *bytes, size_t n, void *context)
{
	struct csv_row *row = context;

	if (row->n == MAX_CELLS) {
		row->overflow = true;
		return;
	}
	if (n)
		memcpy(row->text + row->used, bytes, n);
	row->cells[row->n++] = (struct slice){ row->text + row->used, n };
	row->used += n;
}

static void on_row(int end, void *context)
{
	(void)end;
	(void)context;
}

static size_t n_spaces(struct slice text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] == ' ')
		n++;
	return n;
}

/* Of a cell that opens at `i` with a quote: behind the one that closes it, with only spaces before the next separator; 0: none does. */
static size_t quoted_end(struct slice line, size_t i, char separator)
{
	for (i++; i < line.n; i++) {
		if (line.p[i] != '"')
			continue;
		if (i + 1 < line.n && line.p[i + 1] == '"') {
			i++;
			continue;
		}
		const size_t n = n_spaces((struct slice){ line.p + i + 1, line.n - i - 1 });
		if (i + 1 + n == line.n || line.p[i + 1 + n] == separator)
			return i + 1;
	}
	return 0;
}

/* The line's own separators, outside quotes, tell where each cell began. False when a quote is left open: libcsv takes all behind it. */
static bool find_columns(struct csv_row *row, struct slice line)
{
	size_t i = 0;

	for (size_t cell = 0; cell < row->n; cell++) {
		i += n_spaces((struct slice){ line.p + i, line.n - i });
		row->columns[cell] = (int)i + 1;
		if (i < line.n && line.p[i] == '"' && !(i = quoted_end(line, i, row->separator)))
			return false;
		while (i < line.n && line.p[i] != row->separator)
			i++;
		i += i < line.n;
	}
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* As libcsv does it outside quotes. */
static struct slice without_spaces(struct slice cell)
{
	while (cell.n && is_space(cell.p[0]))
		cell.p++, cell.n--;
	while (cell.n && is_space(cell.p[cell.n - 1]))
		cell.n--;
	return cell;
}

static bool has_byte(struct slice line, char byte)
{
	return line.n && memchr(line.p, byte, line.n);
}

/*
 * A line without quotes is cut at its separators, which is all that libcsv does with it; a carriage return would end the row, and
 * a line of nothing but spaces has no cell. False: libcsv has to look at it.
 */
static bool cut_plain(struct csv_row *row, struct slice line)
{
	struct slice kept = { row->text, line.n };

	if (!without_spaces(line).n || is_space(row->separator) || has_byte(line, '"') || has_byte(line, '\r') || has_byte(line, '\n'))
		return false;
	memcpy(row->text, line.p, line.n);
	row->n = slice_cells(kept, row->separator, row->cells, MAX_CELLS);
	if (row->n == MAX_CELLS) /* or more */
		return false;
	for (size_t i = 0; i < row->n; i++) {
		struct slice cell = row->cells[i];
		while (cell.n && cell.p[0] == ' ')
			cell.p++, cell.n--;
		row->columns[i] = (int)(cell.p - kept.p) + 1;
		row->cells[i] = without_spaces(cell);
	}
	return true;
}

bool csv_row_cut(struct csv_row *row, struct slice line)
{
	row->overflow = false;
	row->text = grow(row->text, &row->room, line.n + 1, 1);
	if (cut_plain(row, line))
		return true;
	row->n = row->used = 0;
	bool good = csv_parse(row->parser, line.p, line.n, on_cell, on_row, row) == line.n &&
		    csv_fini(row->parser, on_cell, on_row, row) == 0;
	if (!good) { /* drop the half-read cell, so that one bad line can't touch the next */
		csv_free(row->parser);
		parser_init(row);
		return false;
	}
	return find_columns(row, line) && !row->overflow;
}
