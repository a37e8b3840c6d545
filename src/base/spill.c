/*
 * spill.c - each piece with its size before it.
 *
 * Read by pread(): processes that were forked share the place at which a file is read.
 */
#include "base/spill.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

#define HELD_BYTES ((size_t)256 * 1024)
#define WINDOW_BYTES ((size_t)4 * 1024) /* of several small pieces; where these are read in another order than they came most is in vain */

void spill_init(struct spill *s)
{
	*s = (struct spill){ .file = NULL };
	buf_init(&s->waiting, SIZE_MAX / 2);
}

void spill_release(struct spill *s)
{
	if (s->file)
		fclose(s->file);
	buf_release(&s->waiting);
	grow_free(s->window);
	*s = (struct spill){ .file = NULL };
}

/* What was written in part is not counted, and never read. */
static void put_into_file(struct spill *s)
{
	if (!s->file)
		s->file = tmpfile();
	s->stays = !s->file || !fd_write(fileno(s->file), buf_slice(&s->waiting));
	if (s->stays)
		return;
	s->n_in_file += s->waiting.n;
	s->waiting.n = 0;
}

uint64_t spill_put(struct spill *s, struct slice piece)
{
	const uint64_t place = s->n_in_file + s->waiting.n;

	buf_put(&s->waiting, (struct slice){ (const char *)&piece.n, sizeof piece.n });
	buf_put(&s->waiting, piece);
	if (s->waiting.n >= HELD_BYTES && !s->stays)
		put_into_file(s);
	return place;
}

/* ------------------------------------------------ read again */

static void fill_window(struct spill *s, uint64_t place, size_t n)
{
	const uint64_t left = s->n_in_file - place;
	size_t n_read = 0;

	if (n > left)
		BUG("a piece that was not put away");
	s->window = grow(s->window, &s->window_room, n > WINDOW_BYTES ? n : WINDOW_BYTES, 1);
	const size_t wanted = left < s->window_room ? (size_t)left : s->window_room;
	while (n_read < n) {
		const ssize_t got = pread(fileno(s->file), s->window + n_read, wanted - n_read, (off_t)(place + n_read));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die_io("cannot read a temporary file again");
		if (!got)
			BUG("a piece that was cut");
		n_read += (size_t)got;
	}
	s->window_place = place;
	s->n_window = n_read;
}

static const char *bytes_at(struct spill *s, uint64_t place, size_t n)
{
	if (place >= s->n_in_file) {
		if (place - s->n_in_file + n > s->waiting.n)
			BUG("a piece that was not put away");
		return s->waiting.at + (place - s->n_in_file);
	}
	if (place < s->window_place || place + n > s->window_place + s->n_window)
		fill_window(s, place, n);
	return s->window + (place - s->window_place);
}

struct slice spill_get(struct spill *s, uint64_t place)
{
	size_t n;

	memcpy(&n, bytes_at(s, place, sizeof n), sizeof n);
	return (struct slice){ bytes_at(s, place + sizeof n, n), n };
}

bool spill_next(struct spill *s, uint64_t *place, struct slice *piece)
{
	if (*place >= s->n_in_file + s->waiting.n)
		return false;
	*piece = spill_get(s, *place);
	*place += sizeof piece->n + piece->n;
	return true;
}
