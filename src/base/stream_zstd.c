/*
 * stream_zstd.c - zstd, by libzstd.
 *
 * What a call has put out is lost when the call fails. So that damage takes little of what stands before it, a call is given no more
 * than the block that comes next, and nothing while something is left of the one before.
 */
#include "base/stream_parts.h"

#include <zstd.h>

#define FRAME_BEGIN_BYTES ((size_t)5) /* what libzstd asks for first */

struct zstd {
	ZSTD_DStream *stream;
	size_t wants; /* stored bytes, to unpack one block more */
	bool holds;   /* there may be more of the last one */
};

void zstd_start(struct stream *s)
{
	size_t room = 0;

	s->zstd = grow(NULL, &room, 1, sizeof *s->zstd);
	*s->zstd = (struct zstd){ .stream = ZSTD_createDStream(), .wants = FRAME_BEGIN_BYTES };
	if (!s->zstd->stream)
		die_memory();
}

size_t zstd_unpack(struct stream *s, char *to, size_t n)
{
	struct zstd *const z = s->zstd;

	if (!z->holds)
		stored_fill(s, z->wants);
	const size_t left = s->end - s->begin, wanted = z->holds ? 0 : z->wants;
	ZSTD_inBuffer in = { s->stored + s->begin, left < wanted ? left : wanted, 0 };
	ZSTD_outBuffer out = { to, n, 0 };
	s->is_last = !z->holds && left == 0;
	if (s->is_last)
		return 0;
	const size_t status = ZSTD_decompressStream(z->stream, &out, &in);
	s->begin += in.pos;
	z->holds = status != 0 && out.pos == n;
	s->is_last = ZSTD_isError(status);
	if (s->is_last) {
		s->damage_behind = "the zstd data is damaged, values near the damage may be wrong";
		return out.pos;
	}
	s->member_done = status == 0;
	z->wants = status ? status : FRAME_BEGIN_BYTES;
	return out.pos;
}

void zstd_release(struct zstd *z)
{
	ZSTD_freeDStream(z->stream);
	grow_free(z);
}
