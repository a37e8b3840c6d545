/*
 * sandbox.c - Landlock for files, seccomp for system calls.
 *
 * A kernel knows some rights and not others (its ABI number says which), and Debian 12's header fewer than its users' kernels, so that the
 * newer ones are defined here. What a kernel does not know it can't forbid, and is refused when it is named.
 */
#define _GNU_SOURCE /* syscall, O_PATH, CLONE_THREAD */
#include "base/sandbox.h"

#include "base/arena.h"
#include "base/sanitizers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if WITH_ADDRESS_SANITIZER || WITH_THREAD_SANITIZER || defined(WITHOUT_SANDBOX)
#define IS_BUILT_IN false
#else
#define IS_BUILT_IN true
#endif

/* ------------------------------------------------ files */

/* Of linux/landlock.h since Linux 5.19, 6.2 and 6.10. */
#define RIGHT_REFER (UINT64_C(1) << 13)
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15)

#define RIGHTS_FIRST_ABI (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | \
	LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
	LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

#define RIGHTS_TO_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

static uint64_t rights_known(int abi)
{
	return RIGHTS_FIRST_ABI | (abi >= 2 ? RIGHT_REFER : 0) | (abi >= 3 ? RIGHT_TRUNCATE : 0) | (abi >= 5 ? RIGHT_IOCTL_DEV : 0);
}

/*
 * A path that can't be opened gives no right, and what is asked of it later fails as it would have. A pipe (/dev/fd/63) takes no rule and
 * needs none: Landlock is about what has a place in a folder.
 */
static void rule_add(int ruleset, const char *path)
{
	struct stat about;
	const int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return;
	const bool is_folder = fstat(fd, &about) == 0 && S_ISDIR(about.st_mode);
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = is_folder ? RIGHTS_TO_READ : LANDLOCK_ACCESS_FS_READ_FILE,
		.parent_fd = fd,
	};
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

/* 0 or less: this kernel has none. */
static int landlock_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static bool wall_files(const char *const *readable, size_t n)
{
	const struct landlock_ruleset_attr all = { .handled_access_fs = rights_known(landlock_abi()) };
	const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);

	if (ruleset < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		rule_add(ruleset, readable[i]);
	const bool holds = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	return holds;
}

/* ------------------------------------------------ system calls */

#if defined(__x86_64__)
#define OUR_MACHINE AUDIT_ARCH_X86_64
#define MOST_CALL 0x3fffffff /* above it are those of x32, which mean other calls */
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#define MOST_CALL 0x7fffffff
#endif

#define FIELD(member) ((uint32_t)offsetof(struct seccomp_data, member))
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(member))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define UNKNOWN_CALL ANSWER(SECCOMP_RET_ERRNO | ENOSYS)
#define UNLESS(what, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (what), 0, (skipped))

#ifdef OUR_MACHINE

#define HAS_CALLS true

struct call {
	uint32_t number, answer;
};

static const struct call calls[] = {
#define ALLOWED(name, what_for) { SYS_##name, SECCOMP_RET_ALLOW },
#define FORBIDDEN(name) { SYS_##name, SECCOMP_RET_KILL_PROCESS },
#include "base/sandbox_calls.def"
#undef FORBIDDEN
#undef ALLOWED
};

#define N_CALLS (sizeof calls / sizeof *calls)

/* Before all others: it depends on what they are asked, or on who asks. */
static const struct sock_filter first[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, MOST_CALL, 0, 1),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	UNLESS(SYS_ioctl, 4),
	LOAD(args[1]), /* the lower half of it: both machines are little-endian */
	UNLESS(TCGETS, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	UNKNOWN_CALL,
	UNLESS(SYS_sched_setaffinity, 4),
	LOAD(args[0]),
	UNLESS(0, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	UNKNOWN_CALL,
	UNLESS(SYS_clone, 4),
	LOAD(args[0]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	UNKNOWN_CALL,
};

#define N_FIRST (sizeof first / sizeof *first)
#define LEAF_CALLS ((size_t)2) /* are looked at one after the other */

/* Each leaf has an end, and each but one a step that leads there. */
struct filter {
	struct sock_filter at[N_FIRST + 4 * N_CALLS];
	unsigned short n;
};

static void put(struct filter *f, struct sock_filter step)
{
	f->at[f->n++] = step;
}

/*
 * In order of their numbers, halved and halved again. The kernel goes through a filter for each of its 450 calls when it is given one, to
 * know those that it need not be asked about: with one call after the other each start takes 50 us more.
 */
static void put_calls(struct filter *f, const struct call *from, size_t n)
{
	if (n <= LEAF_CALLS) {
		for (size_t i = 0; i < n; i++) {
			put(f, (struct sock_filter)UNLESS(from[i].number, 1));
			put(f, (struct sock_filter)ANSWER(from[i].answer));
		}
		put(f, (struct sock_filter)UNKNOWN_CALL);
		return;
	}
	const size_t half = n / 2, step = f->n++;
	put_calls(f, from, half);
	const size_t skipped = f->n - step - 1;
	if (skipped > UINT8_MAX)
		BUG("a jump over so much is none");
	f->at[step] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, from[half].number, (uint8_t)skipped, 0);
	put_calls(f, from + half, n - half);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t left = ((const struct call *)a)->number, right = ((const struct call *)b)->number;

	return (left > right) - (left < right);
}

static bool wall_calls(void)
{
	struct filter filter = { .n = N_FIRST };
	struct call sorted[N_CALLS];

	memcpy(filter.at, first, sizeof first);
	memcpy(sorted, calls, sizeof calls);
	qsort(sorted, N_CALLS, sizeof *sorted, by_number);
	put_calls(&filter, sorted, N_CALLS);
	const struct sock_fprog program = { filter.n, filter.at };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

#define HAS_CALLS false

static bool wall_calls(void)
{
	return false;
}

#endif

unsigned sandbox_offered(void)
{
	if (!IS_BUILT_IN)
		return 0;
	return (landlock_abi() > 0 ? SANDBOX_FILES : 0U) | (HAS_CALLS && prctl(PR_GET_SECCOMP) >= 0 ? SANDBOX_CALLS : 0U);
}

unsigned sandbox_enter(const char *const *readable, size_t n)
{
	const unsigned offered = sandbox_offered();

	if (!offered || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 0;
	const bool files = offered & SANDBOX_FILES && wall_files(readable, n);
	return (files ? SANDBOX_FILES : 0U) | (offered & SANDBOX_CALLS && wall_calls() ? SANDBOX_CALLS : 0U);
}
