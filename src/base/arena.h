/*
 * arena.h - memory by lifetime.
 *
 * Everything postrun keeps lives in one of three arenas: session (options, rules),
 * run (recordings to report) and scratch (one call). Nothing that lives long points
 * into something that lives short, so nobody frees single objects and no error path leaks.
 *
 * Allocation never fails (die_memory() ends the process) and memory is zeroed.
 * A function that returns memory takes the arena it comes from as first argument, `mem`.
 */
#ifndef POSTRUN_ARENA_H
#define POSTRUN_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct block;
struct arena {
	struct block *newest, *spare;
	size_t used_bytes; /* handed out since the arena was made; for --verbose and tests */
};

void arena_init(struct arena *mem);
void arena_release(struct arena *mem);
/*
 * As released and made again, but the memory stays with it for what comes next: to have pages taken back and cleared by
 * the kernel each time costs more than most of what is done with them.
 */
void arena_reset(struct arena *mem);

/* All that came from `from` lives as long as `mem` from now on; `from` is as new. */
void arena_adopt(struct arena *mem, struct arena *from);

/* Is p of what came from `mem` since it was made or reset? */
bool arena_has(const struct arena *mem, const void *p);

/* Zeroed, aligned for any type. `size_bytes` may be 0; the result is never NULL. */
void *arena_alloc(struct arena *mem, size_t size_bytes);
/* As arena_alloc for n items; a product that overflows ends the process. */
void *arena_array(struct arena *mem, size_t n, size_t size_bytes);
/* The same, for items that are all written before they are read: not zeroed. */
void *arena_raw_array(struct arena *mem, size_t n, size_t size_bytes);
/*
 * Of an array of n items that was taken last and has nothing in it behind `kept` of them, the rest goes back. Returns where they are now.
 * For those who find out while they write how many there will be.
 */
void *arena_array_cut(struct arena *mem, void *items, size_t n, size_t kept, size_t size_bytes);
/*
 * The first n items of an array that came from `from` live as long as `mem` from now on; returns where they are, which may be where they
 * were. What was behind them is gone, and whoever else points into the array must not do so any more once `mem` is released.
 */
void *arena_array_moved(struct arena *mem, struct arena *from, const void *items, size_t n, size_t size_bytes);
/*
 * An array that gets one item after the other, from NULL and 0 on: the n items that it has, with room for the next, which is zeroed. Its
 * room doubles; what it had before stays in the arena.
 */
void *arena_array_next(struct arena *mem, void *items, size_t n, size_t size_bytes);
/* The n bytes at p with a final NUL behind them. */
char *arena_text(struct arena *mem, const char *p, size_t n);
char *arena_print(struct arena *mem, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprint(struct arena *mem, const char *format, va_list arguments);

#define NEW(mem, type) ((type *)arena_alloc((mem), sizeof(type)))
#define NEW_ARRAY(mem, type, n) ((type *)arena_array((mem), (n), sizeof(type)))
#define NEW_RAW_ARRAY(mem, type, n) ((type *)arena_raw_array((mem), (n), sizeof(type)))

/*
 * Growing arrays while a file is read: plain memory that doubles, to be copied into an
 * arena at its exact size when complete. `*room` is the number of items that fit.
 */
void *grow(void *items, size_t *room, size_t needed, size_t size_bytes);

/* Gives back what grow() made. */
void grow_free(void *items);

/* What die_memory() says before it ends the process: who started it can tell by that. */
#define NO_MEMORY_LEFT "postrun: out of memory"
void die_memory(void) __attribute__((noreturn));
/* The same of a disk: `what` could not be done, for the reason in errno. */
void die_io(const char *what) __attribute__((noreturn));
/* A mistake of ours: says where and aborts. Never for bad input. */
void bug_at(const char *file, int line, const char *what) __attribute__((noreturn));
#define BUG(what) bug_at(__FILE__, __LINE__, (what))

#endif
