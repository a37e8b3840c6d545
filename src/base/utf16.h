/*
 * utf16.h - UTF-16 as Windows tools write it (PowerShell's `>`), made UTF-8.
 *
 * Recognised by its byte order mark; without one only where every second byte of ASCII text is zero.
 * Half a surrogate pair becomes U+FFFD, and so does a byte that is left over at the end.
 */
#ifndef POSTRUN_UTF16_H
#define POSTRUN_UTF16_H

#include "base/slice.h"

#include <stdint.h>

enum encoding { ENCODING_UTF8, ENCODING_UTF16_LE, ENCODING_UTF16_BE };

/* What the first bytes of a file say; ENCODING_UTF8 stands for everything else, too. */
enum encoding encoding_guess(struct slice first_bytes);

#define UTF16_MOST_BYTES ((size_t)6) /* that utf16_decode() puts for one unit: one left from before, and this one */

struct utf16 {
	bool big_endian;
	uint16_t high; /* the first half of a pair that is still open, or 0 */
};

/* Decodes whole units of *from to `to` while there is room for UTF16_MOST_BYTES; moves *from on. The bytes put. */
size_t utf16_decode(struct utf16 *u, struct slice *from, char *to, size_t room);
/* At the end of the file: what is still open. At most UTF16_MOST_BYTES. */
size_t utf16_end(struct utf16 *u, struct slice left, char *to);

#endif
