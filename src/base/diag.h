/*
 * diag.h - complaints about input, each with an address.
 *
 * The input is imperfect: note it with its place and go on. A function that can fail on
 * input returns false and has already reported; callers pass that on and don't report
 * again. Repeats of one code in one column collapse into "(1,312 more)".
 */
#ifndef POSTRUN_DIAG_H
#define POSTRUN_DIAG_H

#include "base/arena.h"
#include "base/slice.h"

#include <inttypes.h> /* PRId64: how a line is printed */

struct place {
	const char *path; /* as the user gave it */
	int64_t line; /* from 1; 0 = not known: the whole file */
	int column;   /* from 1; 0 = not known: the whole line */
};

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

enum diag_code {
#define DIAG(id, name, severity, help) DIAG_##id,
#include "base/diag.def"
#undef DIAG
	N_DIAGS
};

struct diag {
	struct place place;
	enum diag_code code;
	enum diag_severity severity;
	const char *text;    /* lower case, no full stop */
	const char *line;    /* the line at its place, as much as can be shown of it; or NULL */
	const char *excerpt; /* "   4 | severty: critical\n     | ^~~~~~~" or NULL */
	const char *topic;   /* what collapses repeats: a column name, or NULL */
	size_t n_more;       /* repeats of the same code and topic in this file */
};

struct diags {
	struct arena *mem;
	struct diag *at;
	size_t n, room;
	size_t n_errors;
	size_t n_unwritten; /* outputs that could not be written; */
	size_t n_may_pass;  /* so many of them for a reason that may pass */
	bool last_is_listed; /* the latest complaint is at[n - 1]; above a limit they are only counted */
	const int *columns_before; /* to add to columns: what stands before the lines that are read now; NULL: nothing */
};

struct diag_row {
	const char *name; /* stable, kebab-case */
	enum diag_severity severity;
	const char *help;
};
extern const struct diag_row diag_table[N_DIAGS];

void diags_init(struct diags *list, struct arena *mem);
void diags_release(struct diags *list);
/* Would all of another list be listed as well? Above a limit they are only counted. */
bool diags_have_room(const struct diags *list, const struct diags *more);
/* All of another list, as if they had been complained about now; it is empty then. Their texts stay in its memory. */
void diags_adopt(struct diags *list, struct diags *from);
/* What was complained about until then; and again as then. */
struct diags_mark {
	size_t n, n_errors;
};
struct diags_mark diags_mark(const struct diags *list);
void diags_go_back(struct diags *list, struct diags_mark to);
/* Always false, so that a caller can complain and give up in one line. */
bool diag_at(struct diags *list, struct place place, enum diag_code code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* An output: "cannot write: No space left on device". `why` is errno; 0: `what` says it all. Always false. */
bool diag_unwritten(struct diags *list, const char *path, const char *what, int why);
/* There are outputs that could not be written, and all of them for a reason that may pass: it is worth another try. */
bool diags_may_pass(const struct diags *list);
/* Was such a complaint made of this input before? Then this one is counted, and needs no words. */
bool diag_is_repeat(struct diags *list, const char *path, enum diag_code code, const char *topic);
/* As diag_at; repeats with the same path, code and topic are counted, not listed. */
bool diag_repeat(struct diags *list, struct place place, enum diag_code code, const char *topic,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds the line at the last complaint's place with a caret of `width` columns under it; without a caret where no column is known. */
void diag_excerpt(struct diags *list, struct slice source_line, int width);
/* "gpu.csv:17:9: warning: bad-number: 'ERR!' in power.draw (1,312 more in this column)", then the excerpt. */
const char *diag_text(struct arena *mem, const struct diag *d);
/* In order of path, line, column; stable. */
void diags_sort(struct diags *list);

/* The nearest of the candidates within two edits (Damerau-Levenshtein), or NULL. */
const char *nearest_name(struct slice given, const char *const *candidates, size_t n);
/* "; did you mean 'gpu-hot'?", or "" for NULL: the end of a complaint. */
const char *did_you_mean(struct arena *mem, const char *nearest);
/* "a, b and c": all of them, also of many. */
const char *names_listed(struct arena *mem, const char *const *names, size_t n);

#endif
