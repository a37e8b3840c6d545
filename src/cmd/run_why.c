/*
 * run_why.c - the complaint that says most.
 *
 *     logs/7: error: no-logs: none of the 3 files in the folder could be used as a log     what each of them lacks says more
 *     logs/7/gpu.csv: warning: no-rows: recognised as nvidia-smi-csv, but no row …         this one
 *     logs/7/notes.txt: warning: not-a-log: there is one line in it, and no sample: …      and nobody thought that this was one
 */
#include "cmd/run_why.h"

#include "base/file.h"
#include "format/format.h"

/* What stands behind ';' is what to do about it, or a guess of many lines. */
static const char *head_of(struct arena *mem, const struct diag *d)
{
	struct diag head = *d;

	head.text = arena_text(mem, d->text, strcspn(d->text, ";"));
	head.excerpt = NULL;
	return diag_text(mem, &head);
}

static int said_by(const struct diag *d)
{
	if (d->code == DIAG_NO_LOGS || d->severity == DIAG_NOTE)
		return 0;
	if (d->code == DIAG_NOT_A_LOG || d->code == DIAG_EMPTY_FILE)
		return format_is_called_a_log(d->place.path) ? 2 : 1;
	return d->severity == DIAG_ERROR ? 4 : 3;
}

const char *why_nothing(struct arena *mem, struct diags *diags)
{
	const struct diag *best = NULL;

	diags_sort(diags);
	for (size_t i = 0; i < diags->n; i++)
		if (!best || said_by(&diags->at[i]) > said_by(best))
			best = &diags->at[i];
	return best ? head_of(mem, best) : NULL;
}

/* Empty files are many in a folder, and other tools' logs are: only one that was meant for us is missed. */
static bool tells_of_loss(const struct diag *d)
{
	switch (d->code) {
	case DIAG_DAMAGED:
	case DIAG_SHRANK:
	case DIAG_NO_ROWS:
		return true;
	case DIAG_EMPTY_FILE:
	case DIAG_NOT_A_LOG:
		return format_is_called_a_log(d->place.path);
	default:
		return d->severity == DIAG_ERROR;
	}
}

const char *why_partial(struct arena *mem, const struct report *report, const struct diags *diags)
{
	const struct diag *first = NULL;

	for (size_t i = 0; i < diags->n; i++)
		if (tells_of_loss(&diags->at[i]) && (!first || diags->at[i].severity > first->severity))
			first = &diags->at[i];
	if (first)
		return arena_print(mem, "%s: %.*s", path_name(first->place.path), (int)strcspn(first->text, ";"), first->text);
	return report->rejected ? arena_print(mem, "%s could not be used", report->rejected) : NULL;
}
