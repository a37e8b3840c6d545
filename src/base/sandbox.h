/*
 * sandbox.h - a process gives away what it will not need any more, before it reads what others wrote.
 *
 * Two walls, each where the kernel has it. Landlock (Linux 5.13, docs.kernel.org/userspace-api/landlock.html): of all files only those at
 * and below the named paths can be read, and none written. seccomp (seccomp(2)): only the system calls in sandbox_calls.def are made; one
 * that starts a program or opens a socket ends the process by SIGSYS. Both hold for all threads that are started later and can't be taken
 * back; so no thread may have been started before. Programs built for AddressSanitizer or for coverage have none: those read and write on
 * their own.
 */
#ifndef POSTRUN_SANDBOX_H
#define POSTRUN_SANDBOX_H

#include <stddef.h>

/* The walls that hold, as bits. */
enum sandbox_walls {
	SANDBOX_FILES = 1,
	SANDBOX_CALLS = 2,
};

#define SANDBOX_ALL (SANDBOX_FILES | SANDBOX_CALLS)

/* Which walls this kernel can put up, and this program. */
unsigned sandbox_offered(void);
/*
 * Which walls hold from here on; never fails the process. What is open stays open. A path that does not exist gives no right; symbolic
 * links are followed now and not later.
 */
unsigned sandbox_enter(const char *const *readable, size_t n);

#endif
