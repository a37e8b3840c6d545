/* row_account.c - how many rows of a log the report stands on, what is wrong with the others, and where the verdict has to say so. */
#include "report/report_parts.h"

#include <stdlib.h>

#define TOLD_COMPLAINTS ((size_t)5)     /* in words: they are of different kinds, like ones are one */

/* Rejected rows of a log that a verdict may leave unsaid: no more than so many, and no larger share. */
#define FEW_REJECTED ((size_t)10)
#define SMALL_SHARE 0.01

#define LONGEST_NAME ((size_t)40) /* bytes of a log's name, in a verdict of two or three lines */

/* A last row that was cut off when the job ended is no damage. */
static size_t n_rejected(const struct recording *rec)
{
	return rec->n_rows_bad - (rec->cut && rec->n_rows_bad);
}

const char *rejected_text(struct arena *mem, const struct recording *rec)
{
	const size_t n = n_rejected(rec);

	return n ? arena_print(mem, "%zu of %zu rows could not be used", n, rec->n_rows + n) : NULL;
}

static bool is_much(const struct recording *rec)
{
	const size_t n = n_rejected(rec);

	return n > FEW_REJECTED || (double)n > SMALL_SHARE * (double)(rec->n_rows + n);
}

const char *rejected_share(struct build *b)
{
	size_t n_logs = 0, n = 0, n_all = 0;
	const char *name = NULL;

	for (size_t i = 0; i < b->run->n_recordings; i++) {
		const struct recording *const rec = b->run->recordings[i];
		if (!is_much(rec))
			continue;
		n_logs++;
		n += n_rejected(rec);
		n_all += rec->n_rows + n_rejected(rec);
		name = strlen(rec->name) > LONGEST_NAME ? "one log" : rec->name;
	}
	if (!n_logs)
		return NULL;
	return n_logs == 1 ? arena_print(b->mem, "%zu of %zu rows of %s", n, n_all, name)
			   : arena_print(b->mem, "%zu of %zu rows of %zu logs", n, n_all, n_logs);
}

/* "line 201, column 9: 3 cells, the header has 7 (2 more like this)" */
static const char *words_of(struct arena *mem, const struct report_complaint *c)
{
	const char *const column = c->column ? arena_print(mem, ", column %zu", c->column) : "";
	const char *const more = c->count > 1 ? arena_print(mem, " (%zu more like this)", c->count - 1) : "";

	return arena_print(mem, "line %zu%s: %s%s", c->line, column, c->text, more);
}

static struct report_complaint complaint_of(const struct diag *d)
{
	return (struct report_complaint){
		.line = (size_t)d->place.line,
		.column = (size_t)d->place.column,
		.kind = diag_table[d->code].name,
		.text = d->text,
		.shown = d->line,
		.count = 1 + d->n_more,
	};
}

static int by_line(const void *a, const void *b)
{
	const struct report_complaint *x = a, *y = b;

	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	if (x->column != y->column)
		return x->column > y->column ? 1 : -1;
	return strcmp(x->text, y->text);
}

static void list_complaints(struct build *b, const struct recording *rec, struct report_source *s)
{
	struct report_complaint *const all = NEW_ARRAY(b->mem, struct report_complaint, LISTED_COMPLAINTS);

	for (size_t i = 0; i < b->run->diags->n && s->n_complaints < LISTED_COMPLAINTS; i++) {
		const struct diag *const d = &b->run->diags->at[i];
		if (d->place.line && strcmp(d->place.path, rec->path) == 0)
			all[s->n_complaints++] = complaint_of(d);
	}
	qsort(all, s->n_complaints, sizeof *all, by_line);
	s->complaints = all;
}

static void tell_complaints(struct build *b, struct report_source *s)
{
	const size_t n = s->n_complaints < TOLD_COMPLAINTS ? s->n_complaints : TOLD_COMPLAINTS;
	const char **const words = NEW_ARRAY(b->mem, const char *, n);

	for (size_t i = 0; i < n; i++)
		words[i] = words_of(b->mem, &s->complaints[i]);
	s->told_complaints = (struct texts){ words, n };
	if (s->n_complaints > n)
		s->more_complaints = arena_print(b->mem, "%zu more are in report.json.", s->n_complaints - n);
}

void account_rows(struct build *b, const struct recording *rec, struct report_source *s)
{
	s->rows = rec->n_rows;
	s->rows_bad = rec->n_rows_bad;
	s->rows_ignored = rec->n_rows_ignored;
	s->rows_seen = rec->n_rows_seen;
	s->rows_text = arena_print(b->mem, "%zu rows were seen: %zu used, %zu rejected and %zu ignored.", s->rows_seen, s->rows,
		s->rows_bad, s->rows_ignored);
	list_complaints(b, rec, s);
	tell_complaints(b, s);
}
