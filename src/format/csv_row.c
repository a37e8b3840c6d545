/* csv_row.c - libcsv, one line at a time. The only file that knows it. */
#include "format/csv_row.h"

#include "base/arena.h"

#include <csv.h>

static void parser_init(struct csv_row *row)
{
	if (csv_init(row->parser, CSV_STRICT | CSV_STRICT_FINI))
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

/* The line's own separators, outside quotes, tell where each cell began. */
static void find_columns(struct csv_row *row, struct slice line)
{
	size_t cell = 0;
	bool quoted = false;
	int begin = 0;

	for (size_t i = 0; i <= line.n && cell < row->n; i++) {
		if (i < line.n && line.p[i] == '"')
			quoted = !quoted;
		if (i < line.n && (quoted || line.p[i] != row->separator))
			continue;
		while ((size_t)begin < i && line.p[begin] == ' ')
			begin++;
		row->columns[cell++] = begin + 1;
		begin = (int)i + 1;
	}
}

bool csv_row_cut(struct csv_row *row, struct slice line)
{
	row->n = row->used = 0;
	row->overflow = false;
	row->text = grow(row->text, &row->room, line.n + 1, 1);
	bool good = csv_parse(row->parser, line.p, line.n, on_cell, on_row, row) == line.n &&
		    csv_fini(row->parser, on_cell, on_row, row) == 0;
	if (!good) { /* drop the half-read cell, so that one bad line can't touch the next */
		csv_free(row->parser);
		parser_init(row);
		return false;
	}
	find_columns(row, line);
	return !row->overflow;
}
