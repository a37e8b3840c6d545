/* json_text.h - a text as JSON has it, for all who write JSON. */
#ifndef POSTRUN_JSON_TEXT_H
#define POSTRUN_JSON_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * In quotes, as well-formed UTF-8: what is none becomes U+FFFD. '<', '>', '&', control characters and marks that turn the direction of
 * writing are escaped, so that it may be pasted into a page or a script as it is. NULL is null.
 */
void json_put_text(struct buf *out, const char *text);
/* What stands between those quotes, as the text was; in `mem` where it is not the same bytes. */
struct slice json_read_text(struct arena *mem, struct slice written);

#endif
