/*
 * allocator.c - whoever in this program asks for memory gets it, or the program ends with one message: die_memory().
 *
 * Our own code never sees a failed allocation (arena.h). cairo, in the same process, may: of 30,000 allocations of a small report one
 * that failed was a crash in some places, and in others a picture that lacked something, with nothing said. So the linker sends what the
 * libraries that we hold ask of malloc and its like here (--wrap in the Makefile). That goes for releases: libraries that are shared
 * (STATIC=, and in the other variants) have their own way to the C library.
 */
#include "base/arena.h"

#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size_bytes);
void *__real_realloc(void *items, size_t n);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size_bytes);
void *__wrap_realloc(void *items, size_t n);
char *__wrap_strdup(const char *text);

/* Nothing is what one may get who asks for nothing. */
static void *got(void *p, size_t n)
{
	if (!p && n)
		die_memory();
	return p;
}

void *__wrap_malloc(size_t n)
{
	return got(__real_malloc(n), n);
}

void *__wrap_calloc(size_t n, size_t size_bytes)
{
	return got(__real_calloc(n, size_bytes), n && size_bytes);
}

void *__wrap_realloc(void *items, size_t n)
{
	return got(__real_realloc(items, n), n);
}

char *__wrap_strdup(const char *text)
{
	return got(__real_strdup(text), 1);
}
