/*
 * template_fences.c - where a text of Markdown is code, as its readers see it.
 *
 * Between fences values are escaped less than elsewhere, so a fence is only believed where every reader sees one: at the
 * begin of a line, ended by one that is as long. Behind one that depends on what it stands in (a list, a quotation, HTML), or
 * that is made of tildes, nothing is taken for code any more: a value that is escaped too much is ugly, one that is escaped
 * too little is live. What values bring in can't begin a fence, nor end one: both escapes see to that.
 */
#include "base/template_parts.h"

#define LEAST_TICKS 3
#define MOST_INDENT 3 /* of a fence that closes */

static size_t run_of(struct slice text, char c)
{
	size_t n = 0;

	while (n < text.n && text.p[n] == c)
		n++;
	return n;
}

static bool has(struct slice text, char c)
{
	return text.n && memchr(text.p, c, text.n);
}

static bool closes(struct slice line, size_t length)
{
	const size_t indent = run_of(line, ' ');
	const struct slice marks = slice_behind(line, indent);
	const size_t n = run_of(marks, '`');

	return indent <= MOST_INDENT && n >= length && !slice_trim(slice_behind(marks, n)).n;
}

static bool is_blank(struct slice text)
{
	return text.n && (text.p[0] == ' ' || text.p[0] == '\t');
}

/* Bytes of one mark of an item or a quotation, or of a blank; 0 when there is none. */
static size_t mark_size(struct slice line)
{
	size_t n = 0;

	if (is_blank(line) || (line.n && line.p[0] == '>'))
		return 1;
	while (n < line.n && is_digit(line.p[n]))
		n++;
	const bool is_mark = n < line.n && strchr(n ? ".)" : "-+*", line.p[n]);
	return is_mark && is_blank(slice_behind(line, n + 1)) ? n + 1 : 0;
}

/* A line that is a fence for some reader: behind marks of lists and quotations, or of tildes. */
static bool may_be_fence(struct slice line)
{
	for (size_t n; (n = mark_size(line)) > 0;)
		line = slice_behind(line, n);
	const size_t n_ticks = run_of(line, '`');
	return run_of(line, '~') >= LEAST_TICKS || (n_ticks >= LEAST_TICKS && !has(slice_behind(line, n_ticks), '`'));
}

/* Blocks of HTML that no empty line ends. */
static bool begins_long_markup(struct slice markup)
{
	static const char *const tags[] = { "<!", "<?", "<pre", "<script", "<style", "<textarea" };

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (markup.n >= strlen(tags[i]) && slice_is_nocase((struct slice){ markup.p, strlen(tags[i]) }, tags[i]))
			return true;
	return false;
}

static void read_line(struct fences *f, struct slice line)
{
	const size_t n_ticks = run_of(line, '`');
	const struct slice markup = slice_trim(line);

	if (f->length) {
		f->length = closes(line, f->length) ? 0 : f->length;
		return;
	}
	if (n_ticks >= LEAST_TICKS && !has(slice_behind(line, n_ticks), '`') && !f->in_markup)
		f->length = n_ticks;
	else if (may_be_fence(line) || begins_long_markup(markup))
		f->is_unsure = true;
	f->in_markup = markup.n && (f->in_markup || markup.p[0] == '<');
}

bool fences_are_open(struct fences *f, struct slice text)
{
	while (f->n_searched < text.n && !f->is_unsure) {
		const char *const end = memchr(text.p + f->n_searched, '\n', text.n - f->n_searched);
		f->n_searched = end ? (size_t)(end - text.p) + 1 : text.n;
		if (!end)
			break;
		read_line(f, (struct slice){ text.p + f->n_read, f->n_searched - 1 - f->n_read });
		f->n_read = f->n_searched;
	}
	return f->length && !f->is_unsure;
}
