/*
 * memory.h - where arenas and growing arrays have their memory from.
 *
 * Pieces below 1 KiB are of the C library's heaps. All others, in which nearly everything lies, are of one heap in huge pages: a gigabyte
 * of log is kept and judged in some 130 MB, which are 33,000 pages of 4 KiB, and the kernel is called when each is first touched. Of
 * pages of 2 MiB there are seventy, and the processor finds them sooner, too. On a virtual machine a page of 4 KiB that is touched first
 * took 13 us: there a report of 1 GB of log takes two thirds of the time that it took in such pages, and one of 1 MB five sixths. The
 * C library takes huge ones only where the environment says so before the program starts (glibc.malloc.hugetlb); a kernel that has none
 * to give has small ones.
 */
#ifndef POSTRUN_MEMORY_H
#define POSTRUN_MEMORY_H

#include "base/sanitizers.h"

#include <stddef.h>

/* AddressSanitizer and valgrind (VARIANT=debug) know of pieces of the C library where they end, and which are lost: there all are of it. */
#if WITH_ADDRESS_SANITIZER || defined WITHOUT_HUGE_PAGES
#define WITH_HUGE_PAGES 0
#else
#define WITH_HUGE_PAGES 1
#endif

/* What a program does first: from how many heaps its threads take small pieces. */
void memory_begin(void);
/*
 * What each of the two does first behind a fork, while it has one thread: it takes large pieces from pages of its own. Those that were
 * begun before belong to both, and would be copied, 4 KiB at a time, as they are written to.
 */
void memory_begin_apart(void);
/*
 * Large pieces that were given back go to the system where they are much: for when most of the work is done, and libraries that draw ask
 * the C library for large ones.
 */
void memory_trim(void);

/* So many bytes, aligned for any type, not zeroed. Where none are left: die_memory(). */
void *memory_take(size_t n_bytes);
/*
 * A piece of n_bytes, where this one is or elsewhere, in which as many of its first n_kept bytes are as it has room for. This one, which
 * may be NULL, is gone.
 */
void *memory_resize(void *piece, size_t n_kept, size_t n_bytes);
/* What was taken, or NULL. */
void memory_give(void *piece);

#endif
