/*
 * stream_gzip.c - gzip, by ISA-L where it stands for it, and by zlib.
 *
 * ISA-L unpacks three times as fast, but where data is cut or damaged it stops a byte earlier or up to some thousand later
 * than zlib. What a log of a killed job still says must not depend on who built the program, so zlib's word counts: ISA-L
 * unpacks two portions at most ahead of what is given away, and a portion is given away when the next one was good as well or
 * the check sum of the member was right. At the first complaint both are dropped, and zlib unpacks the member once more.
 *
 *     member   |.... given ....|  held  |  new  X      zlib reads it from its begin, skips what was given,
 *              |---------------|--------|--------      and says where it ends and why
 *
 * So only a file that can be read again is for ISA-L; pipes and members of archives are zlib's.
 */
#include "base/stream_parts.h"

#include <string.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#define GZIP_MAGIC_BYTES ((size_t)2)

struct fast;

struct gzip {
	struct fast *fast; /* NULL: zlib from here on */
	z_stream zlib;
	uint64_t n_skip;   /* what zlib must unpack for the second time before it says anything new */
};

bool is_gzip(const unsigned char *p, size_t n)
{
	return n >= GZIP_MAGIC_BYTES && p[0] == 0x1F && p[1] == 0x8B;
}

/* Is there another member? What follows the last one and is none is ignored. */
static bool find_member(struct stream *s)
{
	stored_fill(s, GZIP_MAGIC_BYTES);
	s->finished = !is_gzip(s->stored + s->begin, s->end - s->begin);
	return !s->finished;
}

static size_t inflate_some(struct stream *s, char *to, size_t n)
{
	z_stream *const z = &s->gzip->zlib;

	if (s->member_done) {
		if (!find_member(s))
			return 0;
		inflateReset(z);
		s->member_done = false;
	}
	z->next_in = s->stored + s->begin;
	z->avail_in = (unsigned)(s->end - s->begin);
	z->next_out = (unsigned char *)to;
	z->avail_out = (unsigned)n;
	const int status = inflate(z, Z_NO_FLUSH);
	s->begin = s->end - z->avail_in;
	if (status == Z_STREAM_END)
		s->member_done = true;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		s->damage = "the gzip data is damaged, values near the damage may be wrong";
	return n - z->avail_out;
}

static size_t unpack_by_zlib(struct stream *s, char *to, size_t n)
{
	struct gzip *const g = s->gzip;

	while (g->n_skip && !s->damage) {
		const size_t got = inflate_some(s, to, n < g->n_skip ? n : (size_t)g->n_skip);
		if (!got)
			return 0;
		g->n_skip -= got;
	}
	return s->damage ? 0 : inflate_some(s, to, n);
}

#ifdef HAVE_ISAL

#define PORTION_BYTES ((size_t)256 * 1024)

/* Pieces of one member are counted from 0: portion i stands in portions[i % 2]. */
struct fast {
	struct inflate_state isal;
	uint64_t member_at;    /* the first stored byte of the member */
	uint64_t n_given;      /* bytes of the member that were given away */
	bool whole;            /* the member was unpacked to its end, and its check sum is right */
	size_t n_made, n_done; /* portions that are made, and that were given away */
	size_t given;          /* bytes of the next one that were given away */
	struct {
		char bytes[PORTION_BYTES];
		size_t n;
	} portions[2];
};

static void fast_member(struct stream *s, struct fast *f)
{
	f->member_at = s->n_stored - (s->end - s->begin);
	f->n_given = 0;
	f->whole = false;
	f->n_made = f->n_done = f->given = 0;
	isal_inflate_reset(&f->isal);
}

static struct fast *fast_new(struct stream *s)
{
	size_t room = 0;
	struct fast *f;

	if (s->first < 0)
		return NULL;
	f = grow(NULL, &room, 1, sizeof *f);
	isal_inflate_init(&f->isal);
	f->isal.crc_flag = ISAL_GZIP;
	fast_member(s, f);
	return f;
}

/*
 * ISA-L leaves the upper halves of vector registers in use. While they are, what the compiler makes of vectors is slower on some
 * processors: a report of a packed log took a fifth longer, for it stays so until the thread ends.
 */
static void free_upper_halves(void)
{
#if defined __x86_64__
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::
					 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
					 "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

/* Moves on by as much as can be done. False: nothing more is to be had. */
static bool fast_step(struct stream *s, struct fast *f, char *to, size_t *n)
{
	struct inflate_state *const z = &f->isal;
	const size_t room = PORTION_BYTES - *n;

	stored_fill(s, 1);
	const size_t n_in = s->end - s->begin;
	z->next_in = s->stored + s->begin;
	z->avail_in = (uint32_t)n_in;
	z->next_out = (uint8_t *)to + *n;
	z->avail_out = (uint32_t)room;
	const int status = isal_inflate(z);
	free_upper_halves();
	s->begin = s->end - z->avail_in;
	*n += room - z->avail_out;
	f->whole = status >= 0 && z->block_state == ISAL_BLOCK_FINISH;
	return status >= 0 && (f->whole || z->avail_in < n_in || z->avail_out < room);
}

/* A full portion, or what there is up to the end of the member. False at a cut and at damage. */
static bool fast_portion(struct stream *s, struct fast *f)
{
	size_t n = 0;

	while (n < PORTION_BYTES && !f->whole)
		if (!fast_step(s, f, f->portions[f->n_made % 2].bytes, &n))
			return false;
	if (n)
		f->portions[f->n_made++ % 2].n = n;
	return true;
}

/* What was not given away is dropped: zlib unpacks the member from its begin. */
static void leave_to_zlib(struct stream *s)
{
	struct gzip *const g = s->gzip;

	g->n_skip = g->fast->n_given;
	stored_again(s, g->fast->member_at);
	grow_free(g->fast);
	g->fast = NULL;
	s->holds = false;
}

/* Until there is a portion that stands. False when there is none: the stream is finished, or zlib's. */
static bool fast_ready(struct stream *s, struct fast *f)
{
	while (f->n_done + !f->whole >= f->n_made) {
		if (f->whole && find_member(s)) {
			fast_member(s, f);
		} else if (f->whole) {
			return false;
		} else if (!fast_portion(s, f)) {
			leave_to_zlib(s);
			return false;
		}
	}
	return true;
}

static size_t unpack_fast(struct stream *s, char *to, size_t n)
{
	struct fast *const f = s->gzip->fast;

	if (!fast_ready(s, f))
		return 0;
	const size_t of_portion = f->portions[f->n_done % 2].n, left = of_portion - f->given, taken = left < n ? left : n;
	memcpy(to, f->portions[f->n_done % 2].bytes + f->given, taken);
	f->n_given += taken;
	f->given += taken;
	if (f->given == of_portion) {
		f->n_done++;
		f->given = 0;
	}
	return taken;
}

#else

static struct fast *fast_new(struct stream *s)
{
	(void)s;
	return NULL;
}

static size_t unpack_fast(struct stream *s, char *to, size_t n)
{
	(void)s;
	(void)to;
	(void)n;
	return 0;
}

#endif

void gzip_start(struct stream *s)
{
	size_t room = 0;

	s->gzip = grow(NULL, &room, 1, sizeof *s->gzip);
	*s->gzip = (struct gzip){ .fast = fast_new(s) };
	s->holds = s->gzip->fast;
	if (inflateInit2(&s->gzip->zlib, 16 + MAX_WBITS) != Z_OK)
		die_memory();
}

size_t gzip_unpack(struct stream *s, char *to, size_t n)
{
	return s->gzip->fast ? unpack_fast(s, to, n) : unpack_by_zlib(s, to, n);
}

void gzip_release(struct gzip *g)
{
	inflateEnd(&g->zlib);
	grow_free(g->fast);
	grow_free(g);
}
