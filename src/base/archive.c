/*
 * archive.c - tar and zip through libarchive, fed by our own streams.
 *
 * libarchive gets the two formats and no filter: its gzip checks no sum, and it would unpack a packed
 * file in a packed file by itself. zip is read as a stream, by its local headers: so a zip that was cut
 * still gives what stands before the cut, and entries that overlap can't be read twice.
 *
 * It also wants to turn names into the process's locale, which for us is C, where 'ü' has no place: it gets
 * C.UTF-8 while it reads a header, in this thread only, whatever the user's locale is.
 */
#include "base/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#define TAR_BLOCK_BYTES ((size_t)512)
#define TAR_SUM_AT ((size_t)148) /* of the header's bytes, these eight as blanks: octal digits */
#define TAR_SUM_BYTES ((size_t)8)

static bool is_tar(struct slice first)
{
	unsigned sum = 0, said = 0;

	if (first.n < TAR_BLOCK_BYTES || !first.p[0])
		return false;
	for (size_t i = 0; i < TAR_BLOCK_BYTES; i++)
		sum += i - TAR_SUM_AT < TAR_SUM_BYTES ? ' ' : (unsigned char)first.p[i];
	for (size_t i = TAR_SUM_AT; i < TAR_SUM_AT + TAR_SUM_BYTES; i++) {
		if (first.p[i] >= '0' && first.p[i] <= '7')
			said = said * 8 + (unsigned)(first.p[i] - '0');
		else if (said || (first.p[i] && first.p[i] != ' '))
			break;
	}
	return said == sum;
}

const char *archive_kind(struct slice first)
{
	if (slice_starts(first, "PK\x03\x04"))
		return "zip";
	return is_tar(first) ? "tar" : NULL;
}

#define TAR_END_BYTES ((size_t)512)

/* A tar ends in blocks of zeros, so that one that ends after a whole member is known to be cut, too. */
static bool ends_in_zeros(struct slice bytes)
{
	const size_t n = bytes.n < TAR_END_BYTES ? bytes.n : TAR_END_BYTES;

	for (size_t i = bytes.n - n; i < bytes.n; i++)
		if (bytes.p[i])
			return false;
	return true;
}

static la_ssize_t give_bytes(struct archive *reader, void *of, const void **bytes)
{
	struct members *m = of;
	struct slice block = lines_block(m->in);

	(void)reader;
	*bytes = block.p;
	m->n_stored += block.n;
	if (block.n)
		m->at_zeros = ends_in_zeros(block);
	return (la_ssize_t)block.n;
}

void members_open(struct members *m, struct arena *mem, struct lines *in)
{
	*m = (struct members){ .in = in, .reader = archive_read_new(), .kind = archive_kind(lines_peek(in)), .mem = mem };
	if (!m->reader)
		die_memory();
	m->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (archive_read_support_format_tar(m->reader) != ARCHIVE_OK ||
		archive_read_support_format_zip_streamable(m->reader) != ARCHIVE_OK ||
		archive_read_open(m->reader, m, NULL, give_bytes, NULL) != ARCHIVE_OK)
		m->damage = arena_print(mem, "the %s archive is damaged at its begin", m->kind);
}

static void note_damage(struct members *m)
{
	const char *error = archive_error_string(m->reader);
	/* -5 is zlib's word for data that went out */
	const bool early = error && (strstr(error, "runcated") || strstr(error, "(-5)"));

	m->damage = arena_print(m->mem, early ? "the %s archive ends early" : "the %s archive is damaged", m->kind);
}

/* Past a limit the rest is not read: a bomb, or a sparse file of nothing. */
static void check_limits(struct members *m)
{
	const char *const damage = ratio_damage(m->mem, m->in->limits, LIMIT_GZIP_RATIO, m->n_stored, m->n_unpacked);

	if (!damage)
		return;
	m->damage = damage;
	m->data = (struct slice){ NULL, 0 };
	m->member_done = true;
}

/* archive_read_data() would keep back what stands before damage, so the blocks are taken as they come. */
static void next_block(struct members *m)
{
	const void *bytes;
	size_t n;
	la_int64_t at;
	const int status = archive_read_data_block(m->reader, &bytes, &n, &at);

	m->member_done = status != ARCHIVE_OK;
	if (status == ARCHIVE_OK || status == ARCHIVE_WARN) {
		m->data = (struct slice){ bytes, n };
		m->data_at = at < 0 || (uint64_t)at < m->at ? m->at : (uint64_t)at;
	}
	if (status == ARCHIVE_WARN)
		m->doubt = "its check sum is not that of the archive, values may be wrong";
	else if (m->member_done && status != ARCHIVE_EOF)
		note_damage(m);
}

static size_t read_member(void *of, char *to, size_t n)
{
	struct members *m = of;

	while (!m->data.n && !m->member_done)
		next_block(m);
	if (!m->data.n)
		return 0;
	if (m->data_at > m->at) {
		n = m->data_at - m->at < n ? (size_t)(m->data_at - m->at) : n;
		memset(to, 0, n);
	} else {
		n = m->data.n < n ? m->data.n : n;
		memcpy(to, m->data.p, n);
		m->data = (struct slice){ m->data.p + n, m->data.n - n };
		m->data_at += n;
	}
	m->at += n;
	m->n_unpacked += n;
	check_limits(m);
	return n;
}

struct byte_source members_bytes(struct members *m)
{
	return (struct byte_source){ read_member, m };
}

static int next_header(struct members *m, struct archive_entry **entry)
{
	if (!m->utf8)
		return archive_read_next_header(m->reader, entry);
	const locale_t before = uselocale((locale_t)m->utf8);
	const int status = archive_read_next_header(m->reader, entry);
	uselocale(before);
	return status;
}

/* Names are bytes of any encoding; only what can be shown is kept. */
static const char *name_of(struct members *m, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);

	if (!name || !*name)
		return arena_print(m->mem, "member %zu", m->n_seen);
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	char *shown = arena_text(m->mem, name, strlen(name));
	text_make_printable(shown);
	return shown;
}

static bool is_hidden(const char *name)
{
	const char *last = strrchr(name, '/');

	return (last ? last + 1 : name)[0] == '.';
}

const char *members_next(struct members *m)
{
	struct archive_entry *entry;

	m->data = (struct slice){ NULL, 0 };
	m->at = m->data_at = 0;
	m->member_done = false;
	m->doubt = NULL;
	while (!m->damage) {
		const int status = next_header(m, &entry);
		if (status == ARCHIVE_EOF) {
			if (strcmp(m->kind, "tar") == 0 && !m->at_zeros)
				m->damage = "the tar archive ends early";
			return NULL;
		}
		if (status < ARCHIVE_WARN) {
			note_damage(m);
			return NULL;
		}
		if (m->n_seen++ == limit_of(m->in->limits, LIMIT_MEMBERS)) {
			m->damage = arena_print(m->mem, "it has more members than %s, the rest was not read",
				limit_text(m->mem, m->in->limits, LIMIT_MEMBERS));
			return NULL;
		}
		const char *name = name_of(m, entry);
		if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) || is_hidden(name))
			continue;
		if (!archive_entry_is_encrypted(entry))
			return name;
		m->n_encrypted++;
	}
	return NULL;
}

void members_close(struct members *m)
{
	archive_read_free(m->reader);
	if (m->utf8)
		freelocale((locale_t)m->utf8);
}
