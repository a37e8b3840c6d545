/*
 * publish.h - results that several processes on several machines may write at once, into folders that may lie on NFS or Lustre.
 *
 *  1. A file is written under a name that no other attempt has (machine or container, process), in the folder in which it will be; so is
 *     a folder.
 *  2. Each write, fsync and close is looked at: NFS tells of a full disk at close.
 *  3. It is renamed. Where that fails the target is read back, and if that is what was to be written all is well: of a call that NFS has
 *     sent twice the second one fails (rename(2), BUGS).
 *  4. The folder is synced.
 *  5. Nothing is locked: locks hold over NFS badly or not at all, and a node that dies leaves them behind. Two who write the same
 *     result write the same bytes, so that it does not matter who was last.
 *  6. What is read is opened by its name, never found by listing, and waited for: other clients learn of a new file late.
 */
#ifndef CMD_PUBLISH_H
#define CMD_PUBLISH_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/digest.h"

#include <sys/types.h>

struct publication { /* a file on its way */
	const char *path, *temporary;
	int fd; /* -1: it could not be made, or written */
	int why; /* then errno */
	struct buf waiting;
	struct digest *digest; /* of what was put */
};

/* The name of this process's attempt at `path`, beside it: ".NAME.MACHINE-CONTAINER.PROCESS". */
const char *attempt_name(struct arena *mem, const char *path);
/* The folder that a path is in is made if it is not there. Must be ended. */
void publish_begin(struct arena *mem, struct publication *p, const char *path);
void publish_put(struct publication *p, struct slice bytes);
/* False, with a complaint, when it is not there as a whole; then what was there before is. */
bool publish_end(struct publication *p, struct diags *diags);
/* A folder of plain files that was made under its attempt's name takes its place, instead of one that may be there. */
bool publish_folder(const char *attempt, const char *path, struct diags *diags);
/* Removes a folder of plain files; a link to one is no folder. False when it is still there. */
bool publish_remove(const char *path);
/* Of attempts in the folder those of this machine and container whose processes are gone. */
void attempts_clear(const char *folder);

#endif
