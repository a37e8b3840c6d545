/*
 * stream_xz.c - xz, by liblzma, in portions of one size.
 *
 * How much liblzma gives of what lies before damage depends on how much it is fed at a time, and on how much room it has. What a damaged
 * log says must depend on neither: always the same portions go in and come out, and whoever asks gets bytes of the one that is out.
 */
#include "base/stream_parts.h"

#include <lzma.h>
#include <string.h>

#define PORTION_BYTES ((size_t)64 * 1024)

struct xz {
	lzma_stream lzma;
	lzma_ret status;
	size_t fed;         /* bytes of the portion that is going in, which liblzma has not taken yet */
	bool is_last;       /* no portion follows it */
	size_t n, given;    /* bytes of the portion that is out, and how many of them were given away */
	char bytes[PORTION_BYTES];
};

void xz_start(struct stream *s)
{
	size_t room = 0;

	s->xz = grow(NULL, &room, 1, sizeof *s->xz);
	*s->xz = (struct xz){ .lzma = LZMA_STREAM_INIT, .status = LZMA_OK };
	s->holds = true;
	if (lzma_stream_decoder(&s->xz->lzma, XZ_MEMORY_BYTES, LZMA_CONCATENATED) != LZMA_OK)
		die_memory();
}

/* One byte more is looked for, so that the last portion is known to be it. */
static void feed(struct stream *s, struct xz *x)
{
	stored_fill(s, PORTION_BYTES + 1);
	const size_t left = s->end - s->begin;
	x->is_last = left <= PORTION_BYTES;
	x->fed = x->is_last ? left : PORTION_BYTES;
}

static void unpack_some(struct stream *s, struct xz *x)
{
	lzma_stream *const z = &x->lzma;

	if (!x->fed && !x->is_last)
		feed(s, x);
	z->next_in = s->stored + s->begin;
	z->avail_in = x->fed;
	z->next_out = (unsigned char *)x->bytes + x->n;
	z->avail_out = PORTION_BYTES - x->n;
	x->status = lzma_code(z, x->is_last ? LZMA_FINISH : LZMA_RUN);
	s->begin += x->fed - z->avail_in;
	x->fed = z->avail_in;
	x->n = PORTION_BYTES - z->avail_out;
}

/* What is left to say when all bytes before it were given away. That the data ends early the stream says. */
static void tell_end(struct stream *s, lzma_ret status)
{
	if (status == LZMA_STREAM_END)
		s->finished = s->member_done = true;
	else if (status == LZMA_MEMLIMIT_ERROR)
		s->damage = "the xz data needs more memory than is allowed";
	else if (status != LZMA_BUF_ERROR)
		s->damage = "the xz data is damaged, values near the damage may be wrong";
}

size_t xz_unpack(struct stream *s, char *to, size_t n)
{
	struct xz *const x = s->xz;

	if (x->given == x->n)
		for (x->given = x->n = 0; x->status == LZMA_OK && x->n < PORTION_BYTES;)
			unpack_some(s, x);
	const size_t left = x->n - x->given, taken = left < n ? left : n;
	memcpy(to, x->bytes + x->given, taken);
	x->given += taken;
	s->holds = x->status == LZMA_OK || x->given < x->n;
	if (!left)
		tell_end(s, x->status);
	return taken;
}

void xz_release(struct xz *x)
{
	lzma_end(&x->lzma);
	grow_free(x);
}
