/*
 * stream_test.c - packed bytes come back as they were, cut ones as far as they reach.
 *
 * The packers are the libraries' own; text is a log's, long enough to span several blocks.
 */
#include "base/buf.h"
#include "base/stream.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <lzma.h>
#include <zstd.h>

#include "gzip_of.h"

#define MAX_BYTES ((size_t)4 << 20)

static struct slice log_text(struct buf *out, size_t n_rows)
{
	buf_init(out, MAX_BYTES);
	for (size_t i = 0; i < n_rows; i++)
		buf_print(out, "2026/11/21 01:%02zu:%02zu.%03zu, %zu, %zu %%, %zu MiB\n", i / 60 % 60, i % 60, i * 7919 % 1000, i % 8,
			i * 31 % 101, i * 104729 % 81559);
	return buf_slice(out);
}

static struct slice pack(enum packing packing, struct slice text, char *room)
{
	size_t n = MAX_BYTES;

	switch (packing) {
	case PACKING_GZIP:
		return gzip_into(room, n, text);
	case PACKING_ZSTD:
		n = ZSTD_compress(room, n, text.p, text.n, 3);
		assert_false(ZSTD_isError(n));
		break;
	case PACKING_XZ: {
		size_t at = 0;
		assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text.p, text.n, (uint8_t *)room,
					 &at, n),
			LZMA_OK);
		n = at;
		break;
	}
	case PACKING_NONE:
	case N_PACKINGS:
		memcpy(room, text.p, text.n);
		n = text.n;
		break;
	}
	return (struct slice){ room, n };
}

static struct stream *stream_over(struct slice bytes)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
	assert_int_equal(fflush(file), 0);
	int fd = dup(fileno(file));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	fclose(file);
	return stream_open(fd, NULL);
}

/* Everything, read in portions of `step`. */
static struct slice unpack(struct stream *s, char *room, size_t step)
{
	size_t n = 0, got;

	while (n + step <= MAX_BYTES && (got = stream_read(s, room + n, step)))
		n += got;
	return (struct slice){ room, n };
}

static void assert_same(struct slice a, struct slice b)
{
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.p, b.p, a.n);
}

struct rooms {
	char packed[MAX_BYTES], unpacked[MAX_BYTES];
};

static void packed_text_comes_back(void **state)
{
	static const size_t steps[] = { 1, 7, 4096, 256 * 1024 };
	struct rooms *rooms = *state;
	struct buf out;
	struct slice text = log_text(&out, 5000);

	for (int p = 0; p < N_PACKINGS; p++) {
		struct slice packed = pack((enum packing)p, text, rooms->packed);
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			struct stream *s = stream_over(packed);
			assert_int_equal(stream_packing(s), p);
			assert_same(unpack(s, rooms->unpacked, steps[i]), text);
			assert_null(stream_damage(s));
			assert_int_equal(stream_stored_bytes(s), packed.n);
			stream_close(s);
		}
	}
	buf_release(&out);
}

/* Of random bytes, so that what is packed is long as well. */
static void lengths_at_the_ends_of_portions_come_back(void **state)
{
	static const size_t lengths[] = { 64 << 10, (64 << 10) + 1, 128 << 10, (128 << 10) + 1, 256 << 10, 384 << 10 };
	struct rooms *rooms = *state;
	struct buf out;
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		buf_init(&out, MAX_BYTES);
		while (buf_slice(&out).n < lengths[i]) {
			random = random * 6364136223846793005U + 1442695040888963407U;
			buf_put(&out, (struct slice){ &(char){ (char)(random >> 56) }, 1 });
		}
		for (int p = 0; p < N_PACKINGS; p++) {
			const struct slice packed = pack((enum packing)p, buf_slice(&out), rooms->packed);
			for (size_t step = 32 << 10; step <= 256 << 10; step *= 2) {
				struct stream *s = stream_over(packed);
				assert_same(unpack(s, rooms->unpacked, step), buf_slice(&out));
				assert_null(stream_damage(s));
				stream_close(s);
			}
		}
		buf_release(&out);
	}
}

static size_t one_byte(void *of, char *to, size_t n)
{
	struct slice *left = of;

	if (!n || !left->n)
		return 0;
	*to = left->p[0];
	*left = (struct slice){ left->p + 1, left->n - 1 };
	return 1;
}

/* As a slow pipe gives them; two packed texts one after another are one, also then. */
static void bytes_may_come_one_by_one(void **state)
{
	struct rooms *rooms = *state;
	struct buf out, twice, packed;
	struct slice text = log_text(&out, 300);

	buf_init(&twice, MAX_BYTES);
	buf_put(&twice, text);
	buf_put(&twice, text);
	for (int p = 0; p < N_PACKINGS; p++) {
		struct slice once = pack((enum packing)p, text, rooms->packed);
		buf_init(&packed, MAX_BYTES);
		buf_put(&packed, once);
		buf_put(&packed, once);
		struct slice left = buf_slice(&packed);
		struct stream *s = stream_open_source((struct byte_source){ one_byte, &left }, NULL);
		assert_int_equal(stream_packing(s), p);
		assert_same(unpack(s, rooms->unpacked, 4096), buf_slice(&twice));
		assert_null(stream_damage(s));
		assert_int_equal(stream_stored_bytes(s), 2 * once.n);
		stream_close(s);
		buf_release(&packed);
	}
	buf_release(&twice);
	buf_release(&out);
}

/* What a cut file gives is the beginning of the text, never anything else, and it says that it was cut. */
static void cut_streams_give_a_prefix(void **state)
{
	static const char *const said[] = { NULL, "the gzip data ends early", "the zstd data ends early", "the xz data ends early" };
	struct rooms *rooms = *state;
	struct buf out;
	struct slice text = log_text(&out, 20000);

	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice packed = pack((enum packing)p, text, rooms->packed);
		size_t longest = 0;
		for (size_t cut = 8; cut < packed.n; cut += packed.n / 37 + 1) {
			struct stream *s = stream_over((struct slice){ packed.p, cut });
			struct slice got = unpack(s, rooms->unpacked, 4096);
			assert_true(got.n <= text.n);
			assert_memory_equal(got.p, text.p, got.n);
			assert_string_equal(stream_damage(s), said[p]);
			longest = got.n > longest ? got.n : longest;
			stream_close(s);
		}
		assert_true(longest * 2 > text.n); /* most of a file cut near its end is salvaged */
	}
	buf_release(&out);
}

static void appended_members_are_one_text(void **state)
{
	struct rooms *rooms = *state;
	struct buf out;
	struct slice text = log_text(&out, 3000), half = { text.p, text.n / 2 }, rest = { text.p + half.n, text.n - half.n };

	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice first = pack((enum packing)p, half, rooms->packed);
		struct slice second = pack((enum packing)p, rest, rooms->packed + first.n);
		struct stream *s = stream_over((struct slice){ rooms->packed, first.n + second.n });
		assert_same(unpack(s, rooms->unpacked, 4096), text);
		assert_null(stream_damage(s));
		stream_close(s);
	}
	buf_release(&out);
}

static void junk_behind_gzip_is_ignored(void **state)
{
	struct rooms *rooms = *state;
	struct buf out;
	struct slice text = log_text(&out, 100), packed = pack(PACKING_GZIP, text, rooms->packed);

	memcpy(rooms->packed + packed.n, "junk", 4);
	struct stream *s = stream_over((struct slice){ packed.p, packed.n + 4 });
	assert_same(unpack(s, rooms->unpacked, 4096), text);
	assert_null(stream_damage(s));
	stream_close(s);
	buf_release(&out);
}

static void flipped_bits_are_told(void **state)
{
	struct rooms *rooms = *state;
	struct buf out;
	struct slice text = log_text(&out, 5000);

	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice packed = pack((enum packing)p, text, rooms->packed);
		rooms->packed[packed.n / 2] ^= 0x10;
		struct stream *s = stream_over(packed);
		unpack(s, rooms->unpacked, 4096);
		/* a zstd frame from the one-shot packer carries no checksum, so only structure can tell */
		if (p != PACKING_ZSTD)
			assert_non_null(strstr(stream_damage(s), "damaged, values near the damage may be wrong"));
		stream_close(s);
	}
	buf_release(&out);
}

/* 256 MiB of zeros in a quarter of a MiB: no log is that dense. */
static void bombs_are_stopped(void **state)
{
	struct rooms *rooms = *state;
	const size_t n = (size_t)256 << 20;
	char *zeros = calloc(n, 1);
	uint64_t got = 0;
	size_t more;

	assert_non_null(zeros);
	struct stream *s = stream_over(pack(PACKING_GZIP, (struct slice){ zeros, n }, rooms->packed));
	free(zeros);
	while ((more = stream_read(s, rooms->unpacked, MAX_BYTES)))
		got += more;
	assert_true(got <= STREAM_FREE_BYTES + 2 * MAX_BYTES);
	assert_string_equal(stream_damage(s), "it unpacks to far more than a log would, over its size times 400, the limit 'gzip-ratio' "
		"(--limit gzip-ratio=1600 allows more), the rest was not read");
	stream_close(s);
}

static void digests_are_of_the_stored_bytes(void **state)
{
	struct rooms *rooms = *state;
	struct arena mem;
	struct buf out;
	struct slice packed = pack(PACKING_GZIP, log_text(&out, 5000), rooms->packed);

	arena_init(&mem);
	struct stream *all = stream_over(packed), *some = stream_over(packed);
	unpack(all, rooms->unpacked, 4096);
	assert_int_equal(stream_read(some, rooms->unpacked, 10), 10);
	assert_string_equal(stream_digest(all, &mem), stream_digest(some, &mem));
	stream_close(all);
	stream_close(some);
	/* of no bytes, as the XXH128 reference gives it */
	struct stream *empty = stream_over((struct slice){ "", 0 });
	assert_string_equal(stream_digest(empty, &mem), "xxh128:99aa06d3014798d86001c324468d497f");
	stream_close(empty);
	arena_release(&mem);
	buf_release(&out);
}

static size_t some_bytes(void *of, char *to, size_t n)
{
	struct slice *left = of;
	const size_t taken = left->n < n ? left->n : n;

	memcpy(to, left->p, taken);
	*left = (struct slice){ left->p + taken, left->n - taken };
	return taken;
}

/*
 * A file may be unpacked on a thread, by a faster library, and parts of it twice; bytes that come but once are not. What is
 * told of both is the same, whatever is wrong with them.
 */
static void assert_alike(struct stream *file, struct slice packed, struct slice unpacked, char *other_room)
{
	struct arena mem;
	struct slice left = packed;
	struct stream *once = stream_open_source((struct byte_source){ some_bytes, &left }, NULL);

	arena_init(&mem);
	assert_same(unpacked, unpack(once, other_room, 60 * 1024));
	const char *said = stream_damage(file), *said_once = stream_damage(once);
	assert_int_equal(said != NULL, said_once != NULL);
	if (said)
		assert_string_equal(said, said_once);
	assert_string_equal(stream_digest(file, &mem), stream_digest(once, &mem));
	assert_int_equal(stream_stored_bytes(file), stream_stored_bytes(once));
	stream_close(file);
	stream_close(once);
	arena_release(&mem);
}

/* Portions [first, end) by turns, when a thread may be ahead, and may be again behind them. */
static struct slice unpack_by_turns(struct stream *s, char *room, size_t step, size_t first, size_t end)
{
	size_t n = 0, got = 1;

	for (size_t i = 0; n + step <= MAX_BYTES && got; i++, n += got)
		got = i < first || i >= end ? stream_read(s, room + n, step) : stream_read_by_turns(s, room + n, step);
	return (struct slice){ room, n };
}

static void assert_turns_change_nothing(struct slice packed, char *room, char *other_room, size_t first, size_t end)
{
	struct stream *const s = stream_over(packed);

	assert_alike(s, packed, unpack_by_turns(s, room, 50 * 1024, first, end), other_room);
}

static void assert_told_the_same(struct slice packed, char *room, char *other_room)
{
	struct stream *const file = stream_over(packed);

	assert_alike(file, packed, unpack(file, room, 60 * 1024), other_room);
	if (packed.n % 3 == 0) /* all of them twice would take long where memory is watched */
		assert_turns_change_nothing(packed, room, other_room, packed.n % 4, 1000);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

static void files_are_read_as_pipes_are(void **state)
{
	struct rooms *rooms = *state;
	char *other = malloc(MAX_BYTES), *broken = malloc(MAX_BYTES);
	struct buf out;
	struct slice text = log_text(&out, 700);
	uint32_t random = 7;

	assert_non_null(other);
	assert_non_null(broken);
	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice first = pack((enum packing)p, text, rooms->packed);
		struct slice second = pack((enum packing)p, (struct slice){ text.p, 100 }, rooms->packed + first.n);
		struct slice empty = pack((enum packing)p, (struct slice){ text.p, 0 }, rooms->packed + first.n + second.n);
		const size_t n = first.n + second.n + empty.n;
		for (int i = 0; i < 60; i++) {
			memcpy(broken, rooms->packed, n);
			const size_t cut = i % 2 ? n : next_random(&random) % n;
			if (i % 2)
				broken[next_random(&random) % n] ^= (char)(1 << next_random(&random) % 8);
			assert_told_the_same((struct slice){ broken, cut }, rooms->unpacked, other);
		}
		assert_told_the_same((struct slice){ rooms->packed, n }, rooms->unpacked, other);
	}
	free(broken);
	free(other);
	buf_release(&out);
}

static void assert_parts(int file, struct slice text, char *room, size_t step)
{
	struct stream *const s = stream_open(dup(file), NULL);

	for (size_t at = 0; at < text.n + step; at += step) {
		const size_t left = at < text.n ? text.n - at : 0, n = left < step ? left : step;
		assert_int_equal(stream_read_at(s, at, room, step), n);
		assert_memory_equal(room, text.p + at, n);
	}
	stream_close(s);
}

/* Where the system can't be made to forget it, it is the same twice. */
static void parts_are_the_same_where_the_file_is_not_in_memory(void **state)
{
	static const size_t steps[] = { 1000, 64 * 1024, 1024 * 1024 };
	struct rooms *rooms = *state;
	FILE *file = tmpfile();
	struct buf out;
	const struct slice text = log_text(&out, 50000);

	assert_non_null(file);
	assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
	rewind(file);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		assert_parts(fileno(file), text, rooms->unpacked, steps[i]);
		fdatasync(fileno(file));
		posix_fadvise(fileno(file), 0, 0, POSIX_FADV_DONTNEED);
		assert_parts(fileno(file), text, rooms->unpacked, steps[i]);
	}
	fclose(file);
	buf_release(&out);
}

/* Numbers that hardly pack, so that a few MiB are enough to have a thread. */
static struct slice long_text(struct buf *out)
{
	uint32_t random = 1;

	buf_init(out, MAX_BYTES);
	while (buf_slice(out).n < MAX_BYTES * 3 / 4)
		buf_print(out, "%u, %u, %u\n", next_random(&random), next_random(&random), next_random(&random));
	return buf_slice(out);
}

static void long_files_are_read_as_pipes_are(void **state)
{
	struct rooms *rooms = *state;
	char *other = malloc(MAX_BYTES);
	struct buf out;
	struct slice text = long_text(&out);

	assert_non_null(other);
	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice packed = pack((enum packing)p, text, rooms->packed);
		assert_true(packed.n > STREAM_AHEAD_FROM_BYTES * 5 / 4);
		assert_told_the_same(packed, rooms->unpacked, other);
		memcpy(rooms->packed + packed.n, "junk", 4);
		assert_told_the_same((struct slice){ packed.p, packed.n + 4 }, rooms->unpacked, other);
		for (size_t cut = 2; cut; cut--)
			assert_told_the_same((struct slice){ packed.p, packed.n - packed.n / 20 * (cut - 1) - 1 }, rooms->unpacked, other);
		rooms->packed[packed.n - 6] ^= 1; /* in the check sum of gzip */
		assert_told_the_same(packed, rooms->unpacked, other);
		for (size_t i = 1; i < 3; i++) {
			rooms->packed[packed.n - packed.n / 40 * i] ^= 1;
			assert_told_the_same(packed, rooms->unpacked, other);
		}
	}
	free(other);
	buf_release(&out);
}

/* Nobody has to read to the end, however far a thread has got; what it met there is not told. */
static void readers_may_stop_anywhere(void **state)
{
	struct rooms *rooms = *state;
	struct arena mem;
	struct buf out;
	struct slice text = long_text(&out);

	arena_init(&mem);
	for (int p = PACKING_GZIP; p < N_PACKINGS; p++) {
		struct slice packed = pack((enum packing)p, text, rooms->packed), left = packed;
		packed.n -= 9; /* its end is cut off, not far from where reading stops */
		left.n -= 9;
		struct stream *once = stream_open_source((struct byte_source){ some_bytes, &left }, NULL);
		const char *digest = stream_digest(once, &mem);
		for (size_t n = text.n / 2; n < text.n; n += text.n / 5) {
			struct stream *dropped = stream_over(packed), *s = stream_over(packed);
			for (size_t i = 0; i < n; i += 64 * 1024) {
				assert_true(stream_read(dropped, rooms->unpacked, 64 * 1024) > 0);
				assert_true(stream_read(s, rooms->unpacked, 64 * 1024) > 0);
			}
			stream_close(dropped);
			assert_null(stream_damage(s));
			assert_string_equal(stream_digest(s, &mem), digest);
			assert_null(stream_damage(s));
			assert_int_equal(stream_stored_bytes(s), packed.n);
			stream_close(s);
		}
		stream_close(once);
	}
	arena_release(&mem);
	buf_release(&out);
}

/* A thread is ahead when turns begin, and rests then; behind them another one is. */
static void turns_may_come_anywhere(void **state)
{
	static const size_t turns[][2] = { { 0, 1 }, { 30, 31 }, { 50, 51 }, { 50, 53 }, { 55, 1000 } };
	struct rooms *rooms = *state;
	char *const other = malloc(MAX_BYTES);
	struct buf out;
	const struct slice text = long_text(&out);

	assert_non_null(other);
	for (int p = PACKING_GZIP; p <= PACKING_ZSTD; p++) {
		const struct slice packed = pack((enum packing)p, text, rooms->packed);
		for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
			assert_turns_change_nothing(packed, rooms->unpacked, other, turns[i][0], turns[i][1]);
	}
	free(other);
	buf_release(&out);
}

/* Threads take turns where that is as fast, and only where it is long enough for them. */
static void long_gzip_files_are_for_turns(void **state)
{
	struct rooms *rooms = *state;
	struct buf out;
	const struct slice text = long_text(&out);

	for (int p = 0; p < N_PACKINGS; p++) {
		struct stream *const s = stream_over(pack((enum packing)p, text, rooms->packed));
		assert_int_equal(stream_is_by_turns(s), p == PACKING_GZIP);
		stream_close(s);
	}
	struct slice packed = pack(PACKING_GZIP, text, rooms->packed), left = packed;
	assert_true(packed.n > STREAM_TURNS_FROM_BYTES);
	packed.n = STREAM_TURNS_FROM_BYTES - 1;
	struct stream *const small = stream_over(packed), *const once = stream_open_source((struct byte_source){ some_bytes, &left }, NULL);
	assert_false(stream_is_by_turns(small));
	assert_false(stream_is_by_turns(once));
	stream_close(small);
	stream_close(once);
	buf_release(&out);
}

static int rooms_new(void **state)
{
	*state = malloc(sizeof(struct rooms));
	return *state ? 0 : -1;
}

static int rooms_free(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_text_comes_back), cmocka_unit_test(lengths_at_the_ends_of_portions_come_back),
		cmocka_unit_test(bytes_may_come_one_by_one),   cmocka_unit_test(cut_streams_give_a_prefix),
		cmocka_unit_test(appended_members_are_one_text), cmocka_unit_test(junk_behind_gzip_is_ignored),
		cmocka_unit_test(flipped_bits_are_told),    cmocka_unit_test(bombs_are_stopped),
		cmocka_unit_test(digests_are_of_the_stored_bytes), cmocka_unit_test(files_are_read_as_pipes_are),
		cmocka_unit_test(long_files_are_read_as_pipes_are), cmocka_unit_test(readers_may_stop_anywhere),
		cmocka_unit_test(parts_are_the_same_where_the_file_is_not_in_memory),
		cmocka_unit_test(turns_may_come_anywhere), cmocka_unit_test(long_gzip_files_are_for_turns),
	};

	alarm(120);
	return cmocka_run_group_tests(tests, rooms_new, rooms_free);
}
