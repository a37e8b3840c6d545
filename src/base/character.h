/* character.h - characters of UTF-8, for those who write texts that somebody else reads: escapes, JSON. */
#ifndef POSTRUN_CHARACTER_H
#define POSTRUN_CHARACTER_H

#include "base/slice.h"

/* Bytes of the well-formed UTF-8 character at the front; 0 when there is none. */
size_t character_size(struct slice text);
unsigned code_point(struct slice character);
#define CHARACTER_MOST_BYTES 4
/* The other way round: writes it, and says in how many bytes. `code` is at most 0x10FFFF. */
size_t character_put(char to[CHARACTER_MOST_BYTES], unsigned code);
/* Control characters beyond ASCII, line ends, and marks that turn the direction of writing. */
bool is_control_mark(unsigned c);

#endif
