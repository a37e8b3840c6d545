/* complaints.h - for tests of texts: an arena, and all that is said of a text in it. */
#ifndef POSTRUN_TESTS_COMPLAINTS_H
#define POSTRUN_TESTS_COMPLAINTS_H

#include "base/diag.h"

struct fixture {
	struct arena mem;
	struct diags diags;
};

static inline void begin(struct fixture *f)
{
	arena_init(&f->mem);
	diags_init(&f->diags, &f->mem);
}

static inline void end(struct fixture *f)
{
	diags_release(&f->diags);
	arena_release(&f->mem);
}

/* A complaint a line, with its excerpt. */
static inline const char *all_complaints(struct fixture *f)
{
	const char *text = "";

	for (size_t i = 0; i < f->diags.n; i++)
		text = arena_print(&f->mem, "%s%s%s", text, i > 0 ? "\n" : "", diag_text(&f->mem, &f->diags.at[i]));
	return text;
}

#endif
