/* run_pattern.c - what of a path is the id of a job: "logs/job-{run}-*.csv". */
#include "cmd/run_find.h"

#define MARK "{run}"
#define MARK_LENGTH (sizeof MARK - 1)

bool run_pattern_is_good(const char *pattern)
{
	const char *const mark = strstr(pattern, MARK);

	return mark && !strstr(mark + 1, MARK);
}

/* Both to their ends; the shortest id that fits. Ids and what a star stands for are inside of one name. */
static bool fits(const char *pattern, const char *path, struct slice *run)
{
	const bool is_mark = strncmp(pattern, MARK, MARK_LENGTH) == 0;

	if (!*pattern || (*pattern != '*' && !is_mark))
		return *pattern == *path && (!*path || fits(pattern + 1, path + 1, run));
	const size_t widest = strcspn(path, "/");
	for (size_t n = is_mark; n <= widest; n++) {
		if (!fits(pattern + (is_mark ? MARK_LENGTH : 1), path + n, run))
			continue;
		if (is_mark)
			*run = (struct slice){ path, n };
		return true;
	}
	return false;
}

bool run_pattern_fits(const char *pattern, const char *path, struct slice *run)
{
	for (const char *p = path; p; p = strchr(p, '/'), p = p ? p + 1 : NULL)
		if (fits(pattern, p, run))
			return true;
	return false;
}
