/* print_diags.c - complaints on the terminal: file by file, and of each no more than can be read. */
#include "cmd/examine.h"

#include <stdio.h>

/* Of one file, where not all is asked for: with the 20 complaints of a report and their count that makes 37 lines. */
#define MOST_EXCERPTS 8

/* What was printed so far. */
struct printed {
	const struct diag *last;  /* in full or in part; NULL: nothing yet */
	size_t n_errors, n_left, n_excerpts; /* of the file that `last` is in */
	size_t n_others, n_others_left;
};

/* A dozen keys that are missing are at one place: its line is shown once. */
static bool has_same_excerpt(const struct diag *a, const struct diag *b)
{
	return a && a->excerpt && b->excerpt && strcmp(a->place.path, b->place.path) == 0 && strcmp(a->excerpt, b->excerpt) == 0;
}

static void print_diag(struct arena *scratch, struct printed *so_far, const struct diag *d, size_t most_excerpts)
{
	struct diag shown = *d;

	if (so_far->n_excerpts >= most_excerpts || has_same_excerpt(so_far->last, d))
		shown.excerpt = NULL;
	so_far->n_excerpts += shown.excerpt != NULL;
	fprintf(stderr, "%s\n", diag_text(scratch, &shown));
	so_far->last = d;
}

static void end_file(struct arena *scratch, struct printed *so_far)
{
	if (so_far->n_left) {
		char *path = arena_text(scratch, so_far->last->place.path, strlen(so_far->last->place.path));
		text_make_printable(path);
		fprintf(stderr, "%s: %zu more problem%s\n", path, so_far->n_left, plural_s(so_far->n_left));
	}
	so_far->n_errors = so_far->n_left = so_far->n_excerpts = 0;
}

void print_diags(struct diags *diags, size_t most, bool quiet)
{
	const size_t most_excerpts = most == SIZE_MAX ? SIZE_MAX : MOST_EXCERPTS;
	struct printed so_far = { 0 };
	struct arena scratch;
	size_t n_listed = 0;

	arena_init(&scratch);
	diags_sort(diags);
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *d = &diags->at[i];
		const bool is_error = d->severity == DIAG_ERROR;
		n_listed += is_error;
		if (quiet && !is_error)
			continue;
		if (so_far.last && strcmp(so_far.last->place.path, d->place.path) != 0)
			end_file(&scratch, &so_far);
		if (is_error ? so_far.n_errors++ < most : so_far.n_others++ < most)
			print_diag(&scratch, &so_far, d, most_excerpts);
		else if (is_error)
			so_far.n_left++;
		else
			so_far.n_others_left++;
	}
	if (so_far.last)
		end_file(&scratch, &so_far);
	if (so_far.n_others_left)
		fprintf(stderr, "postrun: %zu more message%s like these\n", so_far.n_others_left, plural_s(so_far.n_others_left));
	const size_t n_unlisted = diags->n_errors - n_listed; /* above the limit of diag.c they are only counted */
	if (n_unlisted)
		fprintf(stderr, "postrun: %zu more problem%s\n", n_unlisted, plural_s(n_unlisted));
	arena_release(&scratch);
}
