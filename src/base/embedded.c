/* embedded.c - a file that is built into the program, by its name or by where it lies. */
#include "base/embedded.h"

#include "base/arena.h"

struct slice embedded_find(const char *name)
{
	for (size_t i = 0; i < n_embedded_files; i++)
		if (strcmp(embedded_files[i].name, name) == 0)
			return (struct slice){ embedded_files[i].begin, (size_t)(embedded_files[i].end - embedded_files[i].begin) };
	return (struct slice){ NULL, 0 };
}

struct slice embedded_tape(struct slice text)
{
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		if (e->begin == text.p && e->tape != e->tape_end)
			return (struct slice){ e->tape, (size_t)(e->tape_end - e->tape) };
	}
	return (struct slice){ NULL, 0 };
}

struct slice embedded_get(const char *name)
{
	const struct slice text = embedded_find(name);

	if (!text.p)
		BUG("no file of that name was built in");
	return text;
}
