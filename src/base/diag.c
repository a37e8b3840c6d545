/* diag.c - collecting complaints, collapsing repeats, finding the nearest right name. */
#include "base/diag.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const struct diag_row diag_table[N_DIAGS] = {
#define DIAG(id, name, severity, help) [DIAG_##id] = { name, severity, help },
#include "base/diag.def"
#undef DIAG
};

void diags_init(struct diags *list, struct arena *mem)
{
	*list = (struct diags){ .mem = mem };
}

void diags_release(struct diags *list)
{
	grow_free(list->at);
	diags_init(list, list->mem);
}

bool diags_have_room(const struct diags *list, const struct diags *more)
{
	return list->n + more->n < MAX_LISTED;
}

void diags_adopt(struct diags *list, struct diags *from)
{
	list->n_errors += from->n_errors;
	list->n_unwritten += from->n_unwritten;
	list->n_may_pass += from->n_may_pass;
	list->last_is_listed = true;
	for (size_t i = 0; i < from->n; i++) {
		list->at = grow(list->at, &list->room, list->n + 1, sizeof *list->at);
		list->at[list->n++] = from->at[i];
	}
	diags_release(from);
}

struct diags_mark diags_mark(const struct diags *list)
{
	return (struct diags_mark){ list->n, list->n_errors };
}

void diags_go_back(struct diags *list, struct diags_mark to)
{
	list->n = to.n;
	list->n_errors = to.n_errors;
}

static void diag_add(struct diags *list, struct place place, enum diag_code code, const char *topic, const char *format,
	va_list arguments)
{
	if (diag_table[code].severity == DIAG_ERROR)
		list->n_errors++;
	list->n_unwritten += code == DIAG_CANNOT_WRITE;
	list->last_is_listed = list->n < MAX_LISTED;
	if (!list->last_is_listed)
		return;
	if (place.column && list->columns_before)
		place.column += *list->columns_before;
	char *text = arena_vprint(list->mem, format, arguments);
	text_make_printable(text);
	list->at = grow(list->at, &list->room, list->n + 1, sizeof *list->at);
	list->at[list->n++] = (struct diag){
		.place = { arena_text(list->mem, place.path, strlen(place.path)), place.line, place.column },
		.code = code,
		.severity = diag_table[code].severity,
		.text = text,
		.topic = topic ? arena_text(list->mem, topic, strlen(topic)) : NULL,
	};
}

bool diag_at(struct diags *list, struct place place, enum diag_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	diag_add(list, place, code, NULL, format, arguments);
	va_end(arguments);
	return false;
}

/* Room is made, a server comes back, and what was open when it went is opened anew (ESTALE). Rights, names and kinds of disk stay. */
static bool may_pass(int why)
{
	return why == ENOSPC || why == EDQUOT || why == EIO || why == ESTALE;
}

bool diag_unwritten(struct diags *list, const char *path, const char *what, int why)
{
	list->n_may_pass += may_pass(why);
	return diag_at(list, (struct place){ path, 0, 0 }, DIAG_CANNOT_WRITE, "%s%s%s", what, why ? ": " : "", why ? strerror(why) : "");
}

bool diags_may_pass(const struct diags *list)
{
	return list->n_unwritten && list->n_may_pass == list->n_unwritten;
}

static struct diag *find_repeat(struct diags *list, const char *path, enum diag_code code, const char *topic)
{
	for (size_t i = list->n; i-- > 0;) {
		struct diag *d = &list->at[i];
		if (d->code == code && d->topic && strcmp(d->topic, topic) == 0 && strcmp(d->place.path, path) == 0)
			return d;
	}
	return NULL;
}

bool diag_is_repeat(struct diags *list, const char *path, enum diag_code code, const char *topic)
{
	struct diag *const before = find_repeat(list, path, code, topic);

	if (before)
		before->n_more++;
	return before;
}

bool diag_repeat(struct diags *list, struct place place, enum diag_code code, const char *topic, const char *format, ...)
{
	va_list arguments;

	if (diag_is_repeat(list, place.path, code, topic))
		return false;
	va_start(arguments, format);
	diag_add(list, place, code, topic, format, arguments);
	va_end(arguments);
	return false;
}

#define EXCERPT_MAX 100  /* columns */
#define EXCERPT_BEFORE 60 /* of them before a place that lies behind the first EXCERPT_MAX */

/* What comes behind so many characters. */
static struct slice behind_characters(struct slice text, size_t n)
{
	size_t i = 0;

	for (; i < text.n && n; n--)
		for (i++; i < text.n && ((unsigned char)text.p[i] & 0xC0) == 0x80; i++)
			;
	return (struct slice){ text.p + i, text.n - i };
}

/* As much of a line as an excerpt shows; control characters would move the caret, and columns count characters. */
static const char *shown_part(struct arena *mem, struct slice line)
{
	char shown[EXCERPT_MAX * 4 + 1];
	size_t n = 0, columns = 0;

	for (size_t i = 0; i < line.n && columns < EXCERPT_MAX && n < sizeof shown - 1; i++) {
		unsigned char c = (unsigned char)line.p[i];
		columns += (c & 0xC0) != 0x80;
		shown[n++] = c < 0x20 || c == 0x7F ? ' ' : (char)c;
	}
	shown[n] = '\0';
	text_make_printable(shown);
	return arena_text(mem, shown, strlen(shown));
}

/* "\n      |     ^~~" below the line; "" for a complaint about all of it. */
static const char *caret(struct arena *mem, const struct diag *d, size_t start, int width)
{
	char mark[EXCERPT_MAX + 5];
	size_t n = 0;

	if (!d->place.column)
		return "";
	while (n < start)
		mark[n++] = ' ';
	mark[n++] = '^';
	for (int w = 1; w < width && n < EXCERPT_MAX; w++)
		mark[n++] = '~';
	mark[n] = '\0';
	return arena_print(mem, "\n      | %s", mark);
}

void diag_excerpt(struct diags *list, struct slice source_line, int width)
{
	static const char left_out_sign[] = "...";

	if (!list->n || !list->last_is_listed)
		return;
	struct diag *d = &list->at[list->n - 1];
	const size_t start = d->place.column > 0 ? (size_t)d->place.column - 1 : 0;
	const size_t n_left_out = start <= EXCERPT_MAX ? 0 : start - EXCERPT_BEFORE;
	const char *const sign = n_left_out ? left_out_sign : "";
	d->line = arena_print(list->mem, "%s%s", sign, shown_part(list->mem, behind_characters(source_line, n_left_out)));
	d->excerpt = arena_print(list->mem, "%5" PRId64 " | %s%s", d->place.line, d->line,
		caret(list->mem, d, start - n_left_out + strlen(sign), width));
}

const char *diag_text(struct arena *mem, const struct diag *d)
{
	static const char *const severities[] = { "note", "warning", "error" };
	char place[64] = "", more[64] = "";

	if (d->place.line && d->place.column)
		snprintf(place, sizeof place, ":%" PRId64 ":%d", d->place.line, d->place.column);
	else if (d->place.line)
		snprintf(place, sizeof place, ":%" PRId64, d->place.line);
	if (d->n_more)
		snprintf(more, sizeof more, " (%zu more like this)", d->n_more);
	const char *const named = *d->place.path ? d->place.path : "''"; /* as a script gives it where its variable is not set */
	char *path = arena_text(mem, named, strlen(named));
	text_make_printable(path);
	return arena_print(mem, "%s%s: %s: %s: %s%s%s%s", path, place, severities[d->severity],
		diag_table[d->code].name, d->text, more, d->excerpt ? "\n" : "", d->excerpt ? d->excerpt : "");
}

static int by_place(const struct diag *a, const struct diag *b)
{
	int paths = strcmp(a->place.path, b->place.path);

	if (paths)
		return paths;
	if (a->place.line != b->place.line)
		return a->place.line < b->place.line ? -1 : 1;
	return (a->place.column > b->place.column) - (a->place.column < b->place.column);
}

/* Insertion sort: stable, and lists are short. */
void diags_sort(struct diags *list)
{
	for (size_t i = 1; i < list->n; i++) {
		struct diag d = list->at[i];
		size_t k = i;
		for (; k && by_place(&list->at[k - 1], &d) > 0; k--)
			list->at[k] = list->at[k - 1];
		list->at[k] = d;
	}
}

#define NAME_MAX_LENGTH 48

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Edits between two names: insert, delete, replace, swap neighbours (Damerau-Levenshtein, restricted). */
static int edit_distance(struct slice a, const char *b)
{
	size_t n = strlen(b);
	int rows[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];

	if (a.n > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
		return NAME_MAX_LENGTH;
	for (size_t i = 0; i <= a.n; i++)
		rows[i][0] = (int)i;
	for (size_t k = 0; k <= n; k++)
		rows[0][k] = (int)k;
	for (size_t i = 1; i <= a.n; i++) {
		for (size_t k = 1; k <= n; k++) {
			int cost = a.p[i - 1] != b[k - 1];
			rows[i][k] = least(least(rows[i - 1][k] + 1, rows[i][k - 1] + 1), rows[i - 1][k - 1] + cost);
			if (i > 1 && k > 1 && a.p[i - 1] == b[k - 2] && a.p[i - 2] == b[k - 1])
				rows[i][k] = least(rows[i][k], rows[i - 2][k - 2] + 1);
		}
	}
	return rows[a.n][n];
}

const char *nearest_name(struct slice given, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	int best_distance = 3;

	for (size_t i = 0; i < n; i++) {
		int distance = edit_distance(given, candidates[i]);
		/* two edits in a name of three letters make another word, not a slip */
		if (distance < best_distance && distance * 2 < (int)strlen(candidates[i])) {
			best = candidates[i];
			best_distance = distance;
		}
	}
	return best;
}

const char *did_you_mean(struct arena *mem, const char *nearest)
{
	return nearest ? arena_print(mem, "; did you mean '%s'?", nearest) : "";
}

const char *names_listed(struct arena *mem, const char *const *names, size_t n)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; i < n; i++) {
		buf_text(&text, !i ? "" : i + 1 < n ? ", " : " and ");
		buf_text(&text, names[i]);
	}
	return buf_kept(mem, &text);
}
