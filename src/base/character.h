/* character.h - characters of UTF-8, for those who write texts that somebody else reads: escapes, JSON. */
#ifndef POSTRUN_CHARACTER_H
#define POSTRUN_CHARACTER_H

#include "base/slice.h"

/* Bytes of the well-formed UTF-8 character at the front; 0 when there is none. */
size_t character_size(struct slice text);
unsigned code_point(struct slice character);
/* Control characters beyond ASCII, line ends, and marks that turn the direction of writing. */
bool is_control_mark(unsigned c);

#endif
