/* gzip_of.h - a text as gzip packs it, for tests; behind cmocka.h. */
#ifndef POSTRUN_TEST_GZIP_OF_H
#define POSTRUN_TEST_GZIP_OF_H

#include "base/arena.h"
#include "base/slice.h"

#include <zlib.h>

static inline struct slice gzip_into(char *bytes, size_t room, struct slice text)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.n;
	z.next_out = (unsigned char *)bytes;
	z.avail_out = (unsigned)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (struct slice){ bytes, z.total_out };
}

static inline struct slice gzip_of(struct arena *mem, struct slice text)
{
	const size_t room = text.n + 1000;

	return gzip_into(NEW_ARRAY(mem, char, room), room, text);
}

#endif
