/* put_file.h - one file into a folder, for tests and benches that write by themselves. */
#ifndef POSTRUN_TESTS_PUT_FILE_H
#define POSTRUN_TESTS_PUT_FILE_H

#include "base/folder_write.h"

/* The folder is made if it is not there. False, with a complaint. */
static inline bool put_file(const char *folder, const char *name, struct slice content, struct diags *diags)
{
	const struct folder_file file = { name, content };
	struct folder_claim claim;

	if (!folder_claim(&claim, folder, diags))
		return false;
	const bool good = folder_write(&claim, &(struct folder_files_given){ .at = &file, .n = 1 }, diags);
	folder_leave(&claim);
	return good;
}

#endif
