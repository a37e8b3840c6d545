/* adler.h - Adler-32 (RFC 1950, 8.2), which is at the end of what a PNG packs. */
#ifndef POSTRUN_ADLER_H
#define POSTRUN_ADLER_H

#include <stddef.h>
#include <stdint.h>

/* Of n bytes, fewer than 2^20: those of one row. */
uint32_t adler_of(const uint8_t *bytes, size_t n);

#endif
