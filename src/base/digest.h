/* digest.h - bytes told apart from others by 32 hexadecimal digits: XXH3, 128 bits. No secret: for what nobody gains by forging. */
#ifndef POSTRUN_DIGEST_H
#define POSTRUN_DIGEST_H

#include "base/slice.h"

#define DIGEST_DIGITS ((size_t)32)

struct digest;
/* To be ended. */
struct digest *digest_begin(void);
void digest_add(struct digest *d, struct slice bytes);
/* The text with a NUL behind it, so that "ab", "c" is not "a", "bc". */
void digest_add_text(struct digest *d, const char *text);
/* Its digits, and a NUL; `d` is gone. */
void digest_end(struct digest *d, char digits[DIGEST_DIGITS + 1]);

#endif
