/*
 * run_index.h - index.jsonl, and the part of it that one shard makes: a line that says what it is, a record a line in order of ids, and a
 * line that says that it is whole.
 *
 *     {"format":"postrun.index/1","program":"postrun 0.1.0","rules":"xxh128:…","runs":1000,"missing":0}
 *     {"id":"2024/07/job-17",…}
 *     {"records":1000,"digest":"xxh128:…"}
 *
 * Where runs were looked for in folders that could not be read the first line has "gaps":1, too. The digest is of all bytes before
 * the last line. There is no clock in it, no machine and, in the index, no shard: of the same runs it is the same bytes whoever worked
 * them out.
 */
#ifndef CMD_RUN_INDEX_H
#define CMD_RUN_INDEX_H

#include "base/lines.h"
#include "cmd/publish.h"

struct index_head {
	const char *rules;   /* digest of the rules in force */
	const char *rate;    /* "2.500000 EUR": rate.h; NULL: none was given */
	size_t runs;         /* how many there should be in all */
	size_t missing;      /* of the index: of those so many that no shard has brought */
	bool has_gaps;       /* a folder could not be read where runs were looked for: those in it are none of these */
	/* Of a shard: */
	const char *work;    /* digest of the keys of all runs; NULL: it is the index */
	size_t shard, shards;
	size_t records;      /* how many follow, once it was read to its end */
};

struct index_writer {
	struct publication file;
	struct digest *digest;
	size_t n;
};
void index_begin(struct arena *mem, struct index_writer *w, const char *path, const struct index_head *head);
/* A record, without its line end. */
void index_put(struct index_writer *w, struct slice line);
bool index_end(struct index_writer *w, struct diags *diags);

struct index_reader {
	struct lines lines;
	struct limits limits;
	struct index_head head;
	size_t n_read;
};
enum index_state {
	INDEX_THERE,
	INDEX_MISSING,
	INDEX_DAMAGED, /* not what was written: cut, or changed */
	INDEX_UNREAD,  /* reading failed: it may be there the next time */
};
/* Reads all of it, to see whether it is whole; `head` lives in `mem`. */
enum index_state index_check(struct arena *mem, const char *path, struct index_head *head);
/* Of one that is whole: to be read once more, record by record. */
bool index_open(struct arena *mem, struct index_reader *r, const char *path);
/* Valid until the next call; false at the end, and where reading fails: n_read tells the two apart. */
bool index_next(struct index_reader *r, struct slice *line);
void index_close(struct index_reader *r);

/* The text behind "KEY": in a line that we have written, as it stands there (json_read_text), or empty. */
struct slice index_text(struct slice line, const char *key);

#endif
