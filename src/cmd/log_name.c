/* log_name.c - endings of names, packed or not. */
#include "cmd/log_name.h"

#include <string.h>

bool name_has_ending(const char *name, const char *const *endings, size_t n)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < n; i++) {
		const size_t width = strlen(endings[i]);
		if (length > width && strcmp(name + length - width, endings[i]) == 0)
			return true;
	}
	return false;
}

bool is_called_a_log(const char *name)
{
	static const char *const endings[] = { ".csv", ".log", ".csv.gz", ".log.gz", ".csv.zst", ".log.zst", ".csv.xz", ".log.xz" };

	return NAME_HAS_ENDING(name, endings);
}
