/*
 * stream_fuzz.c - any bytes as a file that is read: plain, packed, UTF-16, an archive.
 *
 * Laws: however many bytes are asked for at a time, and however many come at a time, the same come out, and the same is said of damage;
 * what is said of the file's size is its size; lines have no line feed, are within their bound and as many as the text has; members of
 * archives have names that can be printed, and whether one is read or passed over makes no difference for the next.
 */
#include "base/archive.h"
#include "base/lines.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MOST_UNPACKED ((size_t)8 << 20) /* of what is compared: a bomb is longer, and stream_test.c has some */
#define MOST_MEMBERS ((size_t)100)

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

/* Through a file that has no name any more. */
static int file_of(const uint8_t *bytes, size_t n)
{
	FILE *const file = tmpfile();

	require(file && fwrite(bytes, 1, n, file) == n && fflush(file) == 0);
	const int fd = dup(fileno(file));
	fclose(file);
	require(fd >= 0 && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* ------------------------------------------------ bytes */

struct unpacked {
	uint64_t n, sum; /* how many bytes, and what they are */
	enum packing packing;
	const char *damage;
	bool failed;
};

static struct unpacked unpack(struct arena *mem, struct stream *s, size_t step, uint64_t stored)
{
	struct unpacked all = { .sum = 14695981039346656037U }; /* FNV-1a */
	char *const some = arena_alloc(mem, step);

	for (size_t got; all.n < MOST_UNPACKED && (got = stream_read(s, some, step)) > 0; all.n += got)
		for (size_t i = 0; i < got; i++)
			all.sum = (all.sum ^ (unsigned char)some[i]) * 1099511628211U;
	require(all.n >= MOST_UNPACKED || stream_read(s, some, step) == 0);
	all.packing = stream_packing(s);
	all.damage = stream_damage(s) ? arena_text(mem, stream_damage(s), strlen(stream_damage(s))) : NULL;
	all.failed = stream_failed(s);
	require(stream_digest(s, mem) && stream_stored_bytes(s) == stored);
	stream_close(s);
	return all;
}

/* As a pipe gives them: a few at a time. */
static size_t few_bytes(void *of, char *to, size_t n)
{
	struct slice *const left = of;
	const size_t few = 1 + left->n % 5, most = few < left->n ? few : left->n, got = n < most ? n : most;

	memcpy(to, left->p, got);
	*left = (struct slice){ left->p + got, left->n - got };
	return got;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_steps(struct arena *mem, const uint8_t *bytes, size_t n)
{
	const size_t steps[] = { 1 + (n ? bytes[n - 1] : 0), 1 << 16, 4096 };
	struct slice left = { (const char *)bytes, n };
	struct unpacked first = { 0 };

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct stream *const s = i < 2 ? stream_open(file_of(bytes, n), NULL)
					      : stream_open_source((struct byte_source){ few_bytes, &left }, NULL);
		const struct unpacked all = unpack(mem, s, steps[i], n);
		require(!all.failed);
		if (i == 0)
			first = all;
		if (first.n >= MOST_UNPACKED || all.n >= MOST_UNPACKED)
			return;
		require(all.n == first.n && all.sum == first.sum && all.packing == first.packing);
		require(is_same_text(all.damage, first.damage));
		require(all.packing != PACKING_NONE || all.n == n);
	}
}

/* ------------------------------------------------ lines */

/* Is it an archive? */
static bool check_lines(const char *path, struct diags *diags)
{
	struct lines in;
	struct slice line;
	int64_t last = 0;

	require(lines_open(&in, path, NULL, diags));
	require(lines_peek(&in).n <= PEEK_BYTES);
	const bool is_archive = archive_kind(lines_peek(&in)) != NULL;
	while (line_next(&in, &line)) {
		require(in.line > last && line.n <= limit_table[LIMIT_LINE].value);
		require(!line.n || !memchr(line.p, '\n', line.n));
		require(in.state == LINE_HAS_NUL || in.state == LINE_TOO_LONG || !line.n || !memchr(line.p, '\0', line.n));
		last = in.line;
	}
	lines_close(&in);
	return is_archive;
}

/* ------------------------------------------------ archives */

static void read_member(struct members *m, const char *name, size_t most)
{
	const struct byte_source source = members_bytes(m);
	char some[512];

	for (const char *c = name; *c; c++)
		require((unsigned char)*c >= ' ' && *c != 0x7F);
	for (size_t n = 0, got; n < most && (got = source.read(source.of, some, sizeof some)) > 0; n += got)
		require(got <= sizeof some);
}

struct looked_through {
	struct slice names; /* one after the other */
	bool is_damaged_zip;
};

/* Of each member at most so many bytes are read before the next is asked for. */
static struct looked_through look_through(struct arena *mem, const char *path, size_t most, struct diags *diags)
{
	struct lines in;
	struct members m;
	const char *names = "";
	bool is_damaged = false;

	require(lines_open(&in, path, NULL, diags));
	lines_peek(&in);
	members_open(&m, mem, &in);
	for (const char *name; m.n_seen < MOST_MEMBERS && (name = members_next(&m));) {
		names = arena_print(mem, "%s/%s", names, name);
		read_member(&m, name, most);
		is_damaged |= m.doubt != NULL;
	}
	is_damaged |= m.damage != NULL;
	const bool is_zip = strcmp(m.kind, "zip") == 0;
	members_close(&m);
	lines_close(&in);
	return (struct looked_through){ slice_of(names), is_zip && is_damaged };
}

/* What is read of a member makes no difference for the next one. A damaged zip may say in two ways where that is. */
static void check_members(struct arena *mem, int fd, const char *path, struct diags *diags)
{
	require(lseek(fd, 0, SEEK_SET) == 0);
	const struct looked_through read = look_through(mem, path, MOST_UNPACKED, diags);
	require(lseek(fd, 0, SEEK_SET) == 0);
	const struct slice passed = look_through(mem, path, 0, diags).names;
	/* damage in a member is not seen by who passes it over */
	require(read.is_damaged_zip || (passed.n >= read.names.n && memcmp(read.names.p, passed.p, read.names.n) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena mem;
	struct diags diags;

	if (n > (size_t)1 << 20)
		return 0;
	arena_init(&mem);
	diags_init(&diags, &mem);
	check_steps(&mem, bytes, n);
	const int fd = file_of(bytes, n);
	const char *const path = arena_print(&mem, "/dev/fd/%d", fd);
	if (check_lines(path, &diags))
		check_members(&mem, fd, path, &diags);
	close(fd);
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
