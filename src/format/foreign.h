/* foreign.h - files that no reader claims: what they are, in words for the user. For this folder only. */
#ifndef POSTRUN_FOREIGN_H
#define POSTRUN_FOREIGN_H

#include "format/format.h"

enum foreign_kind {
	FOREIGN_TEXT, /* it merely lies there */
	FOREIGN_FILE, /* so it does, and it is surely no log: a picture, binary data */
	FOREIGN_PACKED, /* nobody knows what is in it, and it is not opened here */
	FOREIGN_LOG,  /* of somebody else: worth a word even where other files are normal */
	FOREIGN_FAILED, /* what a tool of ours said in place of a log */
};
struct foreign {
	const char *what; /* "a log of tegrastats: …", never NULL: in doubt, that nobody knows it */
	enum foreign_kind kind;
	bool is_table; /* whose columns a mapping can explain */
};
/* A tar archive, be its first header damaged or not. */
bool foreign_is_tar(struct slice first_bytes);
/* Whether it has a sign of foreign.def. */
bool foreign_has_sign(struct slice first_bytes);
/* From its first bytes, of which there is at least one. */
struct foreign foreign_find(struct arena *mem, struct slice first_bytes);

#endif
