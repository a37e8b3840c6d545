/*
 * stream.c - plain, gzip, zstd and xz bytes behind one read.
 *
 * Each packing is a row of three functions over one state. All of them may be fed in any
 * portions and give back in any portions; concatenated members (`cat a.gz b.gz`, appended logs)
 * are one stream. What follows the last member and is no member is ignored, as gzip does.
 */
#include "base/stream.h"

#include <errno.h>
#include <lzma.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#define STORED_BYTES ((size_t)128 * 1024)
#define GZIP_MAGIC_BYTES ((size_t)2)
#define MAGIC_BYTES ((size_t)6) /* xz has the longest */

struct stream {
	int fd;                    /* -1: the source instead */
	struct byte_source source;
	enum packing packing;
	unsigned char stored[STORED_BYTES];
	size_t begin, end; /* of what was read and not yet unpacked */
	bool at_end, failed, finished;
	const char *damage;
	uint64_t n_stored, n_unpacked;
	XXH3_state_t *digest;
	bool member_done;  /* the last member was complete */
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DStream *zstd;
};

/* Moves on by as much as can be done; returns the bytes put at `to`. Sets damage or finished. */
typedef size_t unpack_fn(struct stream *s, char *to, size_t n);

/* A pipe that its writer's end made non-blocking is waited for, like any other. */
static ssize_t read_fd(int fd, void *to, size_t n)
{
	ssize_t got;

	while ((got = read(fd, to, n)) < 0) {
		if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
		else if (errno != EINTR)
			break;
	}
	return got;
}

/* The digest is taken while the bytes are still in the cache. 0 at the end. */
static size_t read_bytes(struct stream *s, void *to, size_t room)
{
	const ssize_t got = s->fd < 0 ? (ssize_t)s->source.read(s->source.of, to, room) : read_fd(s->fd, to, room);

	if (got <= 0) {
		s->failed = got < 0;
		s->at_end = true;
		return 0;
	}
	XXH3_128bits_update(s->digest, to, (size_t)got);
	s->n_stored += (uint64_t)got;
	return (size_t)got;
}

static void read_stored(struct stream *s)
{
	s->end += read_bytes(s, s->stored + s->end, STORED_BYTES - s->end);
}

/* Has at least so many bytes at hand, unless the file ends before: a pipe may give them one by one. */
static void fill(struct stream *s, size_t least)
{
	if (s->end - s->begin >= least || s->at_end)
		return;
	memmove(s->stored, s->stored + s->begin, s->end - s->begin);
	s->end -= s->begin;
	s->begin = 0;
	while (s->end < least && !s->at_end)
		read_stored(s);
}

static size_t unpack_none(struct stream *s, char *to, size_t n)
{
	size_t left = s->end - s->begin, taken = left < n ? left : n;

	if (!left && !s->at_end)
		return read_bytes(s, to, n);
	if (taken)
		memcpy(to, s->stored + s->begin, taken);
	s->begin += taken;
	return taken;
}

static bool is_gzip(const unsigned char *p, size_t n)
{
	return n >= GZIP_MAGIC_BYTES && p[0] == 0x1F && p[1] == 0x8B;
}

static size_t unpack_gzip(struct stream *s, char *to, size_t n)
{
	if (s->member_done) {
		fill(s, GZIP_MAGIC_BYTES);
		if (!is_gzip(s->stored + s->begin, s->end - s->begin)) {
			s->finished = true;
			return 0;
		}
		inflateReset(&s->gzip);
		s->member_done = false;
	}
	s->gzip.next_in = s->stored + s->begin;
	s->gzip.avail_in = (unsigned)(s->end - s->begin);
	s->gzip.next_out = (unsigned char *)to;
	s->gzip.avail_out = (unsigned)n;
	int status = inflate(&s->gzip, Z_NO_FLUSH);
	s->begin = s->end - s->gzip.avail_in;
	if (status == Z_STREAM_END)
		s->member_done = true;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		s->damage = "the gzip data is damaged, values near the damage may be wrong";
	return n - s->gzip.avail_out;
}

static size_t unpack_zstd(struct stream *s, char *to, size_t n)
{
	ZSTD_inBuffer in = { s->stored + s->begin, s->end - s->begin, 0 };
	ZSTD_outBuffer out = { to, n, 0 };
	size_t status = ZSTD_decompressStream(s->zstd, &out, &in);

	s->begin += in.pos;
	if (ZSTD_isError(status))
		s->damage = "the zstd data is damaged, values near the damage may be wrong";
	else
		s->member_done = status == 0;
	return out.pos;
}

static size_t unpack_xz(struct stream *s, char *to, size_t n)
{
	s->xz.next_in = s->stored + s->begin;
	s->xz.avail_in = s->end - s->begin;
	s->xz.next_out = (unsigned char *)to;
	s->xz.avail_out = n;
	lzma_ret status = lzma_code(&s->xz, s->at_end ? LZMA_FINISH : LZMA_RUN);
	s->begin = s->end - s->xz.avail_in;
	if (status == LZMA_STREAM_END)
		s->finished = s->member_done = true;
	else if (status == LZMA_MEMLIMIT_ERROR)
		s->damage = "the xz data needs more memory than is allowed";
	else if (status != LZMA_OK && status != LZMA_BUF_ERROR)
		s->damage = "the xz data is damaged, values near the damage may be wrong";
	return n - s->xz.avail_out;
}

static const struct {
	const char *name;
	const char *ends_early;
	unpack_fn *unpack;
	uint64_t max_ratio;
} packings[N_PACKINGS] = {
	[PACKING_NONE] = { "", NULL, unpack_none, 0 },
	[PACKING_GZIP] = { "gzip", "the gzip data ends early", unpack_gzip, STREAM_MAX_RATIO_GZIP },
	[PACKING_ZSTD] = { "zstd", "the zstd data ends early", unpack_zstd, STREAM_MAX_RATIO },
	[PACKING_XZ] = { "xz", "the xz data ends early", unpack_xz, STREAM_MAX_RATIO },
};

const char *packing_name(enum packing p)
{
	return packings[p].name;
}

#define XZ_MEMORY_LIMIT ((uint64_t)128 << 20)

static enum packing recognise(const unsigned char *p, size_t n)
{
	if (is_gzip(p, n))
		return PACKING_GZIP;
	if (n >= 4 && memcmp(p, "\x28\xB5\x2F\xFD", 4) == 0)
		return PACKING_ZSTD;
	if (n >= MAGIC_BYTES && memcmp(p, "\xFD" "7zXZ\0", 6) == 0)
		return PACKING_XZ;
	return PACKING_NONE;
}

static void start(struct stream *s)
{
	bool good = true;

	switch (s->packing) {
	case PACKING_GZIP:
		good = inflateInit2(&s->gzip, 16 + MAX_WBITS) == Z_OK;
		break;
	case PACKING_ZSTD:
		s->zstd = ZSTD_createDStream();
		good = s->zstd != NULL;
		break;
	case PACKING_XZ:
		good = lzma_stream_decoder(&s->xz, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) == LZMA_OK;
		break;
	case PACKING_NONE:
	case N_PACKINGS:
		break;
	}
	if (!good)
		die_memory();
}

static struct stream *stream_new(int fd, struct byte_source source)
{
	size_t room = 0;
	struct stream *s = grow(NULL, &room, 1, sizeof *s);

	memset(s, 0, sizeof *s);
	s->fd = fd;
	s->source = source;
	s->xz = (lzma_stream)LZMA_STREAM_INIT;
	s->digest = XXH3_createState();
	if (!s->digest)
		die_memory();
	XXH3_128bits_reset(s->digest);
	fill(s, MAGIC_BYTES);
	s->packing = recognise(s->stored, s->end);
	start(s);
	return s;
}

struct stream *stream_open(int fd)
{
	return stream_new(fd, (struct byte_source){ NULL, NULL });
}

struct stream *stream_open_source(struct byte_source source)
{
	return stream_new(-1, source);
}

static void check_bomb(struct stream *s)
{
	bool too_dense = s->packing != PACKING_NONE && s->n_unpacked > STREAM_FREE_BYTES &&
			 s->n_unpacked / packings[s->packing].max_ratio > s->n_stored;

	if (too_dense || (s->packing != PACKING_NONE && s->n_unpacked > STREAM_MAX_BYTES))
		s->damage = "it unpacks to far more than a log would, the rest was not read";
}

size_t stream_read(struct stream *s, char *to, size_t n)
{
	while (n && !s->finished && !s->damage) {
		if (s->packing != PACKING_NONE) /* plain bytes go straight to where they are wanted */
			fill(s, 1);
		bool nothing_left = s->begin == s->end && s->at_end;
		if (nothing_left && (s->packing == PACKING_NONE || s->member_done || s->failed)) {
			s->finished = true;
			return 0;
		}
		size_t got = packings[s->packing].unpack(s, to, n < (size_t)1 << 30 ? n : (size_t)1 << 30);
		s->n_unpacked += got;
		check_bomb(s);
		if (got)
			return got;
		if (nothing_left && !s->finished && !s->damage)
			s->damage = packings[s->packing].ends_early;
	}
	return 0;
}

enum packing stream_packing(const struct stream *s)
{
	return s->packing;
}

const char *stream_damage(const struct stream *s)
{
	return s->damage;
}

bool stream_failed(const struct stream *s)
{
	return s->failed;
}

uint64_t stream_stored_bytes(const struct stream *s)
{
	return s->n_stored;
}

const char *stream_digest(struct stream *s, struct arena *mem)
{
	while (!s->at_end) {
		s->begin = s->end;
		fill(s, 1);
	}
	XXH128_hash_t hash = XXH3_128bits_digest(s->digest);
	return arena_print(mem, "xxh128:%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

void stream_close(struct stream *s)
{
	if (s->packing == PACKING_GZIP)
		inflateEnd(&s->gzip);
	lzma_end(&s->xz);
	ZSTD_freeDStream(s->zstd);
	XXH3_freeState(s->digest);
	if (s->fd >= 0)
		close(s->fd);
	grow_free(s);
}
