/*
 * packed_parts.h - how a pack is written; for packed.c and pack_write.c only.
 */
#ifndef POSTRUN_PACKED_PARTS_H
#define POSTRUN_PACKED_PARTS_H

#include "base/packed.h"

/* n numbers, at most PACK, become the pack; one that was written before keeps the room that it has. `is_clock`: as packed_from() has it. */
void pack_write(struct pack *p, struct arena *mem, const int64_t *numbers, size_t n, bool is_clock);
/* The same of PACK numbers that are so many units each, into one that is all zero; false, and nothing done: pack_write() has to look. */
bool pack_write_codes(struct pack *p, struct arena *mem, const int32_t codes[PACK], int64_t unit);

#endif
