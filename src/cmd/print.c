/* print.c - to standard output, as a whole. */
#include "cmd/print.h"

#include "base/file.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <unistd.h>

/* Not through stdio: a write that a signal cut short goes on. */
int print_whole(const struct buf *out)
{
	return fflush(stdout) || !fd_write(STDOUT_FILENO, buf_slice(out)) ? output_failed() : EXIT_DONE;
}

int print_page(const char *name, struct view page, size_t max_bytes)
{
	struct buf out;

	buf_init(&out, max_bytes);
	template_render_embedded(name, page, &(struct template_output){ .escape = escape_plain }, &out);
	const int status = print_whole(&out);
	buf_release(&out);
	return status;
}
