/* files.h - what tests of files and lines share: a folder to write into, an arena, complaints. */
#ifndef POSTRUN_TESTS_FILES_H
#define POSTRUN_TESTS_FILES_H

#include "base/diag.h"

#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
	struct folder folder;
	struct arena mem;
	struct diags diags;
};

static inline int set_up(void **state)
{
	static struct fixture f;

	arena_init(&f.mem);
	diags_init(&f.diags, &f.mem);
	folder_open(&f.folder);
	*state = &f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	chmod(f->folder.path, 0700);
	folder_remove(&f->mem, f->folder.path);
	diags_release(&f->diags);
	arena_release(&f->mem);
	return 0;
}

static inline const char *message(struct fixture *f, size_t i)
{
	assert_true(i < f->diags.n);
	return diag_text(&f->mem, &f->diags.at[i]);
}

#endif
