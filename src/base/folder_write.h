/*
 * folder_write.h - files that come into a folder together: whatever happens, afterwards there are those of before or the new ones, whole.
 *
 *     folder_claim    before anything is worked out: can it be written, is nobody else about to?
 *     folder_write    once; the folder is made if it is not there
 *     folder_leave    always
 *
 * Nothing else that lies in the folder is lost, moved or followed: a link is replaced by the file, what it led to stays. The folder
 * itself may be given by a link. Where a folder has nothing but an earlier report, its pictures go with it (.png, .svg,
 * where the new report has such).
 */
#ifndef POSTRUN_FOLDER_WRITE_H
#define POSTRUN_FOLDER_WRITE_H

#include "base/diag.h"

struct folder_claim {
	const char *path; /* as the user gave it */
	int fd;           /* locked, where the file system can; -1: the folder is not there yet */
};

struct folder_file {
	const char *name;
	struct slice content;
};

/* `known`: names of files that are of no use but to who has us write them: a folder with no others is replaced as a whole. */
struct folder_files_given {
	const struct folder_file *at;
	size_t n;
	const char *const *known;
	size_t n_known;
};

/* False, with a complaint, when it is no folder or another run has claimed it. Must be left if true. */
bool folder_claim(struct folder_claim *claim, const char *path, struct diags *diags);
/*
 * False, with a complaint, when one of them could not be written; then the folder is as before, unless it was its own entry that could not
 * be put on the disk for sure: then it is the new one. SIGINT, SIGTERM and SIGHUP wait until
 * nothing of ours is left half done, and then do what they do. What SIGKILL leaves (".NAME.tmp-0") goes when we write there again.
 */
bool folder_write(struct folder_claim *claim, const struct folder_files_given *files, struct diags *diags);
void folder_leave(struct folder_claim *claim);

#endif
