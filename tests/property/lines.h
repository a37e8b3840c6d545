/*
 * lines.h - truth lines compared.
 */
#ifndef POSTRUN_TESTS_LINES_H
#define POSTRUN_TESTS_LINES_H

#include "series/truth.h"

static inline bool lines_are_same(const struct truths a, const struct truths b)
{
	if (a.n != b.n || a.end != b.end)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (a.at[i].at != b.at[i].at || a.at[i].truth != b.at[i].truth)
			return false;
	return true;
}

#endif
