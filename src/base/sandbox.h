/*
 * sandbox.h - a process gives away what it will not need any more, before it reads what others wrote.
 *
 * Two walls, each where the kernel has it. Landlock (Linux 5.13, docs.kernel.org/userspace-api/landlock.html): of all files only those
 * below the named paths can be read or written. seccomp (seccomp(2)): only the system calls in sandbox_calls.def are made; one that starts
 * a program or opens a socket ends the process by SIGSYS. Both hold for all threads that are started later and can't be taken back; so no
 * thread may have been started before. Programs built for AddressSanitizer or for coverage have none: those read and write on their own.
 */
#ifndef POSTRUN_SANDBOX_H
#define POSTRUN_SANDBOX_H

#include <stddef.h>

enum sandbox_access {
	SANDBOX_READ,  /* a file, or a folder and all below it */
	SANDBOX_MAKE,  /* a folder: other folders may be made in it, renamed and removed, nothing else */
	SANDBOX_WRITE, /* a folder: all below it may be made, written, renamed and removed */
};

struct sandbox_path {
	const char *path; /* one that does not exist gives no right; symbolic links are followed now and not later */
	enum sandbox_access access;
};

/* The walls that hold, as bits. */
enum sandbox_walls {
	SANDBOX_FILES = 1,
	SANDBOX_CALLS = 2,
};

/* Which walls hold from here on; 0 where the kernel has none. Never fails the process. */
unsigned sandbox_enter(const struct sandbox_path *paths, size_t n);

#endif
