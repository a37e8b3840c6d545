/*
 * manifest.h - a file that names runs, a line of JSON each.
 *
 *     {"id": "job-1234", "paths": ["2024/07/job-1234", "nodes/node07/job-1234.csv"]}
 *     {"id": "job-1235", "paths": ["2024/07/job-1235.tar.gz"], "digest": "5f0c…"}
 *
 * `digest` is of the content, by whatever made the manifest: where it is given, a copy of the logs with other times is the same run.
 */
#ifndef CMD_MANIFEST_H
#define CMD_MANIFEST_H

#include "base/diag.h"
#include "base/model.h"

struct manifest_line {
	const char *id;
	struct texts paths;
	const char *digest; /* or NULL */
};

/* take(of, line) for each line, which is gone afterwards. False, with complaints, when one is none, or there is none at all. */
bool manifest_read(const char *path, void (*take)(void *of, const struct manifest_line *line), void *of, struct diags *diags);

#endif
