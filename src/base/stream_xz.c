/* stream_xz.c - xz, by liblzma. */
#include "base/stream_parts.h"

#include <lzma.h>

#define FED_BYTES ((size_t)64 * 1024)

struct xz {
	lzma_stream lzma;
	size_t fed;       /* of what was fed, which liblzma has not taken yet */
	bool is_all_fed;
};

void xz_start(struct stream *s)
{
	size_t room = 0;

	s->xz = grow(NULL, &room, 1, sizeof *s->xz);
	*s->xz = (struct xz){ .lzma = LZMA_STREAM_INIT };
	if (lzma_stream_decoder(&s->xz->lzma, XZ_MEMORY_BYTES, LZMA_CONCATENATED) != LZMA_OK)
		die_memory();
}

/* One byte more is looked for, so that the last ones are known to be it. */
static void feed(struct stream *s, struct xz *x)
{
	stored_fill(s, FED_BYTES + 1);
	const size_t left = s->end - s->begin;
	x->is_all_fed = left <= FED_BYTES;
	x->fed = x->is_all_fed ? left : FED_BYTES;
}

/* That the data ends early the stream says. */
static const char *damage_of(lzma_ret status)
{
	switch (status) {
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR:
		return NULL;
	case LZMA_MEMLIMIT_ERROR:
		return "the xz data needs more memory than is allowed";
	default:
		return "the xz data is damaged, values near the damage may be wrong";
	}
}

size_t xz_unpack(struct stream *s, char *to, size_t n)
{
	struct xz *const x = s->xz;

	if (!x->fed && !x->is_all_fed)
		feed(s, x);
	x->lzma.next_in = s->stored + s->begin;
	x->lzma.avail_in = x->fed;
	x->lzma.next_out = (unsigned char *)to;
	x->lzma.avail_out = n;
	const lzma_ret status = lzma_code(&x->lzma, x->is_all_fed ? LZMA_FINISH : LZMA_RUN);
	s->begin += x->fed - x->lzma.avail_in;
	x->fed = x->lzma.avail_in;
	s->is_last = status != LZMA_OK;
	s->member_done = status == LZMA_STREAM_END;
	if (s->is_last)
		s->damage_behind = damage_of(status);
	return n - x->lzma.avail_out;
}

void xz_release(struct xz *x)
{
	lzma_end(&x->lzma);
	grow_free(x);
}
