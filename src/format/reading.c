/* reading.c - see reading.h. */
#include "format/reading.h"

#include "base/diag.h"

#define HOST_MOST ((size_t)255) /* bytes of a name: DNS has no longer one (RFC 1035) */
#define ZONE_MOST ((size_t)64)  /* "America/Argentina/ComodRivadavia" has half of that */

bool reading_host(struct reading *r, struct slice name)
{
	struct recording *const rec = r->recording;

	if (!rec->host && name.n && name.n <= HOST_MOST && slice_is_utf8(name))
		rec->host = arena_text(r->mem, name.p, name.n);
	return !rec->host || slice_is(name, rec->host);
}

void reading_zone(struct reading *r, struct slice word)
{
	struct clock_note *const clock = &r->recording->clock;
	time_ms offset;

	if (clock->zone || !word.n || word.n > ZONE_MOST || !slice_is_utf8(word))
		return;
	clock->zone = arena_text(r->mem, word.p, word.n);
	if (!zone_parse(word, &offset))
		return;
	clock->basis = BASIS_OFFSET;
	clock->offset = offset;
}

void reading_epoch(struct reading *r)
{
	struct clock_note *const clock = &r->recording->clock;

	clock->basis = BASIS_OFFSET;
	clock->offset = 0;
	clock->zone = "epoch seconds";
}

void reading_remember_unread(struct reading *r, struct slice name, size_t most)
{
	struct recording *const rec = r->recording;
	const size_t n = rec->n_unread;

	for (size_t i = 0; i < n; i++)
		if (slice_is(name, rec->unread[i]))
			return;
	if (!name.n || n == most)
		return;
	const char **const all = arena_array_next(r->mem, (void *)rec->unread, n, sizeof *all);
	all[rec->n_unread++] = arena_text(r->mem, name.p, name.n);
	rec->unread = all;
}

void reading_guesses(struct reading *r, const char *format, ...)
{
	struct recording *const rec = r->recording;
	va_list arguments;

	va_start(arguments, format);
	const char *const text = arena_vprint(r->mem, format, arguments);
	va_end(arguments);
	diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_GUESS, "%s", text);
	rec->guess = rec->guess ? arena_print(r->mem, "%s. %s", rec->guess, text) : text;
}
