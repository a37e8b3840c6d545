/*
 * stream.c - plain, gzip, zstd and xz bytes behind one read.
 *
 * Each packing is a row of functions over one state. All of them may be fed in any portions and
 * give back in any portions; concatenated members (`cat a.gz b.gz`, appended logs) are one stream.
 * What follows the last member and is no member is ignored, as gzip does.
 */
#define _GNU_SOURCE /* preadv2 */
#include "base/stream_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAGIC_BYTES ((size_t)6) /* xz has the longest */

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

static ssize_t read_fd_at(const struct stream *s, uint64_t at, void *to, size_t n)
{
	ssize_t got;

	while ((got = pread(s->fd, to, n, s->first + (off_t)at)) < 0 && errno == EINTR)
		;
	return got;
}

/* Bytes of a file that were read before. */
static ssize_t reread_fd(const struct stream *s, void *to, size_t room)
{
	return read_fd_at(s, s->n_stored - s->n_behind, to, s->n_behind < room ? (size_t)s->n_behind : room);
}

/* A log that is still written ends where it ended when we came: what the report says must not hang on how fast we read. */
static ssize_t read_some(const struct stream *s, void *to, size_t room)
{
	if (s->fd < 0)
		return (ssize_t)s->source.read(s->source.of, to, room);
	if (s->n_behind)
		return reread_fd(s, to, room);
	const uint64_t left = s->n_there - s->n_stored;
	return read_fd(s->fd, to, s->n_there && left < room ? (size_t)left : room);
}

/* The digest is taken while the bytes are still in the cache. 0 at the end. */
static size_t read_bytes(struct stream *s, void *to, size_t room)
{
	const ssize_t got = read_some(s, to, room);

	if (got <= 0) {
		s->failed = got < 0;
		s->at_end = true;
		return 0;
	}
	if (s->n_behind) {
		s->n_behind -= (uint64_t)got;
		return (size_t)got;
	}
	XXH3_128bits_update(s->digest, to, (size_t)got);
	s->n_stored += (uint64_t)got;
	return (size_t)got;
}

void stored_again(struct stream *s, uint64_t at)
{
	s->n_behind = s->n_stored - at;
	s->begin = s->end = 0;
	s->at_end = false;
}

static void read_stored(struct stream *s)
{
	size_t room = 0;

	if (!s->stored)
		s->stored = grow(NULL, &room, STORED_BYTES, 1);
	s->end += read_bytes(s, s->stored + s->end, STORED_BYTES - s->end);
}

void stored_fill(struct stream *s, size_t least)
{
	if (s->end - s->begin >= least || s->at_end)
		return;
	if (s->begin < s->end)
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

/*
 * What zstd and xz give of the bytes before damage depends on how much they are fed at a time and how much room they have. What a damaged
 * log says must depend on neither: always the same portions go in and come out, and whoever asks gets bytes of the one that is out.
 */
static size_t unpack_portion(struct stream *s, unpack_fn *unpack, char *to)
{
	size_t made = 0;

	while (!s->is_last && made < MADE_BYTES)
		made += unpack(s, to + made, MADE_BYTES - made);
	return made;
}

static void make_portion(struct stream *s, unpack_fn *unpack)
{
	size_t room = 0;

	if (!s->portion)
		s->portion = grow(NULL, &room, MADE_BYTES, 1);
	s->made = unpack_portion(s, unpack, s->portion);
	s->given = 0;
}

static size_t unpack_in_portions(struct stream *s, unpack_fn *unpack, char *to, size_t n)
{
	if (s->given == s->made && n >= MADE_BYTES)
		return unpack_portion(s, unpack, to);
	if (s->given == s->made)
		make_portion(s, unpack);
	const size_t left = s->made - s->given, taken = left < n ? left : n;
	memcpy(to, s->portion + s->given, taken);
	s->given += taken;
	return taken;
}

static const struct {
	const char *name;
	const char *ends_early;
	unpack_fn *unpack;
	bool in_portions;
	bool is_by_turns; /* it looks back at little, which any core has at hand soon: not at megabytes */
	enum limit ratio;
} packings[N_PACKINGS] = {
	[PACKING_NONE] = { "", NULL, unpack_none, false, false, N_LIMITS },
	[PACKING_GZIP] = { "gzip", "the gzip data ends early", gzip_unpack, false, true, LIMIT_GZIP_RATIO },
	[PACKING_ZSTD] = { "zstd", "the zstd data ends early", zstd_unpack, true, false, LIMIT_RATIO },
	[PACKING_XZ] = { "xz", "the xz data ends early", xz_unpack, true, false, LIMIT_RATIO },
};

static size_t unpack(struct stream *s, char *to, size_t n)
{
	unpack_fn *const how = packings[s->packing].unpack;

	return packings[s->packing].in_portions ? unpack_in_portions(s, how, to, n) : how(s, to, n);
}

/* When nothing more comes: that is the end, or damage. */
static void tell_end(struct stream *s)
{
	if (s->damage_behind)
		s->damage = s->damage_behind;
	else if (s->packing == PACKING_NONE || s->member_done || s->failed)
		s->finished = true;
	else
		s->damage = packings[s->packing].ends_early;
}

const char *packing_name(enum packing p)
{
	return packings[p].name;
}

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
	switch (s->packing) {
	case PACKING_GZIP:
		gzip_start(s);
		break;
	case PACKING_ZSTD:
		zstd_start(s);
		break;
	case PACKING_XZ:
		xz_start(s);
		break;
	case PACKING_NONE:
	case N_PACKINGS:
		break;
	}
}

/* Where the bytes of a plain file begin, and how many there are. Those of /proc say that they are empty. */
static void look_at_file(struct stream *s)
{
	struct stat about;

	s->first = -1;
	if (s->fd < 0 || fstat(s->fd, &about) != 0 || !S_ISREG(about.st_mode))
		return;
	s->first = lseek(s->fd, 0, SEEK_CUR);
	s->n_there = s->first >= 0 && about.st_size > s->first ? (uint64_t)(about.st_size - s->first) : 0;
}

/* What a file that can be read again begins with, looked at without reading it. */
static bool is_plain_file(const struct stream *s)
{
	unsigned char begin[MAGIC_BYTES];
	const ssize_t got = s->first < 0 ? -1 : pread(s->fd, begin, sizeof begin, s->first);

	return got == (ssize_t)sizeof begin && recognise(begin, sizeof begin) == PACKING_NONE;
}

static struct stream *stream_new(int fd, struct byte_source source, const struct limits *limits)
{
	size_t room = 0;
	struct stream *s = grow(NULL, &room, 1, sizeof *s);

	memset(s, 0, sizeof *s);
	s->fd = fd;
	s->source = source;
	s->limits = limits;
	arena_init(&s->said);
	look_at_file(s);
	s->digest = XXH3_createState();
	if (!s->digest)
		die_memory();
	XXH3_128bits_reset(s->digest);
	if (!is_plain_file(s)) {
		stored_fill(s, MAGIC_BYTES);
		s->packing = recognise(s->stored, s->end);
	}
	start(s);
	return s;
}

struct stream *stream_open(int fd, const struct limits *limits)
{
	return stream_new(fd, (struct byte_source){ NULL, NULL }, limits);
}

struct stream *stream_open_source(struct byte_source source, const struct limits *limits)
{
	return stream_new(-1, source, limits);
}

const char *ratio_damage(struct arena *mem, const struct limits *limits, enum limit ratio, uint64_t n_stored, uint64_t n_unpacked)
{
	const uint64_t most = limit_of(limits, ratio);

	if (n_unpacked > limit_of(limits, LIMIT_UNPACKED))
		return arena_print(mem, "it unpacks to more than %s, the rest was not read", limit_text(mem, limits, LIMIT_UNPACKED));
	if (n_unpacked <= STREAM_FREE_BYTES || n_unpacked / most <= n_stored)
		return NULL;
	return arena_print(mem, "it unpacks to far more than a log would, over its size times %s, the rest was not read",
		limit_text(mem, limits, ratio));
}

static void check_bomb(struct stream *s)
{
	if (s->packing == PACKING_NONE)
		return;
	const char *const bomb = ratio_damage(&s->said, s->limits, packings[s->packing].ratio, s->n_stored, s->n_unpacked);
	if (bomb)
		s->damage = bomb;
}

/* What comes next, unpacked on the thread that asks. */
static size_t read_unpacked(void *of, char *to, size_t n)
{
	struct stream *const s = of;

	while (n && !s->finished && !s->damage) {
		if (s->packing != PACKING_NONE) /* plain bytes go straight to where they are wanted */
			stored_fill(s, 1);
		const bool is_all_taken = s->begin == s->end && s->at_end && !s->holds;
		const size_t got = unpack(s, to, n < (size_t)1 << 30 ? n : (size_t)1 << 30);
		s->n_unpacked += got;
		check_bomb(s);
		if (got)
			return got;
		if ((is_all_taken || s->is_last) && !s->finished && !s->damage)
			tell_end(s);
	}
	return 0;
}

/*
 * Small files are read before a thread would be there. Pipes and members of archives are read when they are asked for,
 * and not before: nobody may wait for a thread that waits for a writer, or that moves an archive under its reader.
 */
static void start_ahead(struct stream *s)
{
	if (s->packing == PACKING_NONE || s->first < 0 || s->ahead_was_tried) /* all else a thread may change that was started then */
		return;
	if (s->n_stored < STREAM_AHEAD_FROM_BYTES || s->finished || s->damage)
		return;
	s->ahead_was_tried = true;
	s->ahead = ahead_start(read_unpacked, s);
}

static void stop_ahead(struct stream *s)
{
	ahead_stop(s->ahead);
	s->ahead = NULL;
}

/* All that the thread has made is read: it has come to the end, or was told to rest, and another may be started. */
static size_t read_behind_ahead(struct stream *s, char *to, size_t n)
{
	stop_ahead(s);
	s->ahead_was_tried = false;
	return read_unpacked(s, to, n);
}

size_t stream_read(struct stream *s, char *to, size_t n)
{
	if (!n)
		return 0;
	start_ahead(s);
	if (!s->ahead)
		return read_unpacked(s, to, n);
	const size_t got = ahead_read(s->ahead, to, n);
	return got ? got : read_behind_ahead(s, to, n);
}

size_t stream_read_by_turns(struct stream *s, char *to, size_t n)
{
	if (!s->ahead)
		return read_unpacked(s, to, n);
	ahead_rest(s->ahead);
	const size_t got = ahead_read(s->ahead, to, n);
	return got ? got : read_behind_ahead(s, to, n);
}

enum packing stream_packing(const struct stream *s)
{
	return s->packing;
}

double stream_growth(const struct stream *s)
{
	const uint64_t n_taken = s->n_stored - (s->end - s->begin);

	if (s->ahead)
		BUG("a thread unpacks what is measured");
	return s->packing != PACKING_NONE && s->n_unpacked && n_taken ? (double)s->n_unpacked / (double)n_taken : 1;
}

bool stream_is_by_turns(const struct stream *s)
{
	return packings[s->packing].is_by_turns && s->n_there >= STREAM_TURNS_FROM_BYTES;
}

uint64_t stream_plain_bytes(const struct stream *s)
{
	return s->packing == PACKING_NONE ? s->n_there : 0;
}

uint64_t stream_at(const struct stream *s)
{
	return s->n_stored - s->n_behind - (s->end - s->begin);
}

/*
 * Of a file that does not lie in memory what comes next is asked for before anybody waits for it: threads that read by turns look to the
 * system like one that jumps to and fro. Of one that does it would cost a hundredth of the time.
 */
#define AHEAD_BYTES ((off_t)16 << 20)

static ssize_t read_part_at(struct stream *s, uint64_t at, void *to, size_t n)
{
	const off_t place = s->first + (off_t)at;
	const struct iovec whole = { to, n };

	if (!atomic_load_explicit(&s->is_waited_for, memory_order_relaxed)) {
		if (preadv2(s->fd, &whole, 1, place, RWF_NOWAIT) == (ssize_t)n)
			return (ssize_t)n;
		atomic_store_explicit(&s->is_waited_for, true, memory_order_relaxed);
		posix_fadvise(s->fd, place, AHEAD_BYTES, POSIX_FADV_WILLNEED);
	}
	posix_fadvise(s->fd, place + AHEAD_BYTES, (off_t)n, POSIX_FADV_WILLNEED);
	return read_fd_at(s, at, to, n);
}

size_t stream_read_at(struct stream *s, uint64_t at, char *to, size_t n)
{
	const uint64_t left = at < s->n_there ? s->n_there - at : 0;
	const size_t wanted = left < n ? (size_t)left : n;
	size_t done = 0;

	for (ssize_t got; done < wanted && (got = read_part_at(s, at + done, to + done, wanted - done)) > 0;)
		done += (size_t)got;
	return done;
}

void stream_used(struct stream *s, uint64_t at, struct slice bytes)
{
	const uint64_t n_known = s->n_stored - at;

	if (bytes.n <= n_known)
		return;
	XXH3_128bits_update(s->digest, bytes.p + n_known, bytes.n - (size_t)n_known);
	s->n_unpacked += bytes.n - n_known;
	s->n_stored = at + bytes.n;
}

void stream_go_on(struct stream *s, uint64_t at)
{
	lseek(s->fd, s->first + (off_t)s->n_stored, SEEK_SET);
	stored_again(s, at);
	s->finished = false;
}

enum stream_change stream_change(const struct stream *s)
{
	struct stat about;

	if (s->ahead || s->failed || !s->at_end || !s->n_there || fstat(s->fd, &about) != 0)
		return STREAM_AS_IT_WAS;
	if (s->n_stored < s->n_there)
		return STREAM_SHRANK;
	return (uint64_t)about.st_size > (uint64_t)s->first + s->n_there ? STREAM_GREW : STREAM_AS_IT_WAS;
}

bool stream_file(const struct stream *s, struct file_identity *out)
{
	struct stat about;

	if (s->first < 0 || fstat(s->fd, &about) != 0)
		return false;
	*out = (struct file_identity){ about.st_dev, about.st_ino };
	return true;
}

/* What the thread has met is not told before the bytes in front of it were read. */
const char *stream_damage(const struct stream *s)
{
	return s->ahead ? NULL : s->damage;
}

bool stream_failed(const struct stream *s)
{
	return !s->ahead && s->failed;
}

uint64_t stream_stored_bytes(const struct stream *s)
{
	if (s->ahead)
		BUG("the stored bytes are counted before the stream ends");
	return s->n_stored;
}

/* The rest is not unpacked any more, so that nothing is known of its damage. */
static void leave_ahead(struct stream *s)
{
	stop_ahead(s);
	s->finished = true;
	s->damage = NULL;
}

const char *stream_digest(struct stream *s, struct arena *mem)
{
	if (s->ahead)
		leave_ahead(s);
	while (!s->at_end) {
		s->begin = s->end;
		stored_fill(s, 1);
	}
	XXH128_hash_t hash = XXH3_128bits_digest(s->digest);
	return arena_print(mem, "xxh128:%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

void stream_close(struct stream *s)
{
	if (s->ahead)
		stop_ahead(s);
	if (s->gzip)
		gzip_release(s->gzip);
	if (s->xz)
		xz_release(s->xz);
	if (s->zstd)
		zstd_release(s->zstd);
	grow_free(s->portion);
	XXH3_freeState(s->digest);
	if (s->fd >= 0)
		close(s->fd);
	grow_free(s->stored);
	arena_release(&s->said);
	grow_free(s);
}
