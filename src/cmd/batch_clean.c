/*
 * batch_clean.c - reports that nothing names any more.
 *
 * A report of other rules, options or logs lies under another key. What is looked for has the form of a key, in a folder that has the form
 * of its first two digits: nothing else in OUT is touched.
 */
#include "cmd/batch.h"
#include "cmd/publish.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF_OF_DIGITS ((size_t)16)

/* Half of a key: a report of none of the runs that agrees with one of them in it would stay, and never the other way round. */
static uint64_t half_of(const char *digits)
{
	char half[HALF_OF_DIGITS + 1] = "";

	memcpy(half, digits, HALF_OF_DIGITS);
	return strtoull(half, NULL, 16);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static const uint64_t *keys_of(struct arena *mem, const struct batch *b, struct run_list *runs)
{
	uint64_t *const keys = NEW_ARRAY(mem, uint64_t, runs->n);
	char digits[DIGEST_DIGITS + 1];
	struct arena scratch;

	arena_init(&scratch);
	for (size_t i = 0; i < runs->n; i++) {
		const struct found_run run = run_list_get(&scratch, runs, runs->at[i]);
		batch_key(b, &run, digits);
		keys[i] = half_of(digits);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	if (runs->n)
		qsort(keys, runs->n, sizeof *keys, by_number);
	return keys;
}

static bool is_key_below(const char *name, const char *first_digits)
{
	return strlen(name) == DIGEST_DIGITS && strspn(name, "0123456789abcdef") == DIGEST_DIGITS && strncmp(name, first_digits, 2) == 0;
}

static size_t clean_folder(const char *folder, const char *first_digits, const uint64_t *keys, size_t n)
{
	DIR *const entries = opendir(folder);
	struct arena scratch;
	size_t n_gone = 0;

	if (!entries)
		return 0;
	arena_init(&scratch);
	for (const struct dirent *entry; (entry = readdir(entries));) {
		if (!is_key_below(entry->d_name, first_digits))
			continue;
		const uint64_t key = half_of(entry->d_name);
		if (!n || !bsearch(&key, keys, n, sizeof key, by_number))
			n_gone += publish_remove(arena_print(&scratch, "%s/%s", folder, entry->d_name));
	}
	closedir(entries);
	arena_release(&scratch);
	return n_gone;
}

size_t batch_clean(const struct batch *b, struct run_list *runs)
{
	struct arena mem;
	size_t n_gone = 0;

	arena_init(&mem);
	const uint64_t *const keys = keys_of(&mem, b, runs);
	for (unsigned i = 0; i < 256; i++) {
		char first_digits[3];
		snprintf(first_digits, sizeof first_digits, "%02x", i);
		n_gone += clean_folder(arena_print(&mem, "%s/runs/%s", b->folder, first_digits), first_digits, keys, runs->n);
	}
	arena_release(&mem);
	return n_gone;
}
