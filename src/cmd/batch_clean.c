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

struct key {
	char digits[DIGEST_DIGITS + 1];
};

static int by_digits(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->digits, ((const struct key *)b)->digits);
}

static const struct key *keys_of(struct arena *mem, const struct batch *b, const struct found_runs *runs)
{
	struct key *const keys = NEW_ARRAY(mem, struct key, runs->n);

	for (size_t i = 0; i < runs->n; i++)
		batch_key(b, &runs->at[i], keys[i].digits);
	if (runs->n)
		qsort(keys, runs->n, sizeof *keys, by_digits);
	return keys;
}

static bool is_key_below(const char *name, const char *first_digits)
{
	return strlen(name) == DIGEST_DIGITS && strspn(name, "0123456789abcdef") == DIGEST_DIGITS && strncmp(name, first_digits, 2) == 0;
}

static size_t clean_folder(const char *folder, const char *first_digits, const struct key *keys, size_t n)
{
	DIR *const entries = opendir(folder);
	struct arena scratch;
	size_t n_gone = 0;

	if (!entries)
		return 0;
	arena_init(&scratch);
	for (const struct dirent *entry; (entry = readdir(entries));) {
		struct key key;
		if (!is_key_below(entry->d_name, first_digits))
			continue;
		memcpy(key.digits, entry->d_name, sizeof key.digits);
		if (!n || !bsearch(&key, keys, n, sizeof key, by_digits))
			n_gone += publish_remove(arena_print(&scratch, "%s/%s", folder, entry->d_name));
	}
	closedir(entries);
	arena_release(&scratch);
	return n_gone;
}

size_t batch_clean(const struct batch *b, const struct found_runs *runs)
{
	struct arena mem;
	size_t n_gone = 0;

	arena_init(&mem);
	const struct key *const keys = keys_of(&mem, b, runs);
	for (unsigned i = 0; i < 256; i++) {
		char first_digits[3];
		snprintf(first_digits, sizeof first_digits, "%02x", i);
		n_gone += clean_folder(arena_print(&mem, "%s/runs/%s", b->folder, first_digits), first_digits, keys, runs->n);
	}
	arena_release(&mem);
	return n_gone;
}
