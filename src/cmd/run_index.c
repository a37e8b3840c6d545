/* run_index.c - records framed so that a cut file is not taken for a whole one. */
#include "cmd/run_index.h"

#include "base/number.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <unistd.h>

#define INDEX_FORMAT "postrun.index/1"
#define SHARD_FORMAT "postrun.shard/1"

static void head_print(struct buf *out, const struct index_head *head)
{
	buf_print(out, "{\"format\":\"%s\",\"program\":\"%s\",\"rules\":\"%s\"", head->work ? SHARD_FORMAT : INDEX_FORMAT, program_name,
		head->rules);
	if (head->rate)
		buf_print(out, ",\"rate\":\"%s\"", head->rate);
	buf_print(out, ",\"runs\":%zu", head->runs);
	if (head->has_gaps)
		buf_text(out, ",\"gaps\":1");
	if (!head->work)
		buf_print(out, ",\"missing\":%zu", head->missing);
	else
		buf_print(out, ",\"work\":\"%s\",\"shard\":%zu,\"shards\":%zu", head->work, head->shard, head->shards);
	buf_text(out, "}");
}

static void put_line(struct index_writer *w, struct slice line)
{
	const struct slice end = slice_of("\n");

	digest_add(w->digest, line);
	digest_add(w->digest, end);
	publish_put(&w->file, line);
	publish_put(&w->file, end);
}

void index_begin(struct arena *mem, struct index_writer *w, const char *path, const struct index_head *head)
{
	struct buf line;

	*w = (struct index_writer){ .digest = digest_begin() };
	publish_begin(mem, &w->file, path);
	buf_init(&line, SIZE_MAX / 2);
	head_print(&line, head);
	put_line(w, buf_slice(&line));
	buf_release(&line);
}

void index_put(struct index_writer *w, struct slice line)
{
	put_line(w, line);
	w->n++;
}

static void foot_print(struct buf *out, size_t n, struct digest *d)
{
	char digits[DIGEST_DIGITS + 1];

	digest_end(d, digits);
	buf_print(out, "{\"records\":%zu,\"digest\":\"xxh128:%s\"}", n, digits);
}

bool index_end(struct index_writer *w, struct diags *diags)
{
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	foot_print(&line, w->n, w->digest);
	publish_put(&w->file, buf_slice(&line));
	publish_put(&w->file, slice_of("\n"));
	buf_release(&line);
	return publish_end(&w->file, diags);
}

/* ------------------------------------------------ reading */

struct slice index_text(struct slice line, const char *key)
{
	const size_t n = strlen(key);

	for (const char *p = line.p; (size_t)(line.p + line.n - p) > n + 3; p++) {
		if (p[0] != '"' || memcmp(p + 1, key, n) != 0 || p[n + 1] != '"' || p[n + 2] != ':')
			continue;
		const char *begin = p + n + 3, *const end = line.p + line.n;
		const bool is_text = begin < end && *begin == '"';
		begin += is_text;
		const char *last = begin;
		while (last < end && !(is_text ? *last == '"' : *last == ',' || *last == '}'))
			last += 1 + (*last == '\\' && last + 1 < end);
		return (struct slice){ begin, (size_t)(last - begin) };
	}
	return (struct slice){ "", 0 };
}

static size_t number_in(struct slice line, const char *key)
{
	int64_t value = 0;

	return integer_parse(index_text(line, key), &value) && value >= 0 ? (size_t)value : 0;
}

static bool head_read(struct arena *mem, struct slice line, struct index_head *head)
{
	const struct slice format = index_text(line, "format"), rules = index_text(line, "rules"), work = index_text(line, "work"),
			   rate = index_text(line, "rate");
	struct buf same;

	*head = (struct index_head){ .rules = arena_text(mem, rules.p, rules.n),
		.rate = rate.n ? arena_text(mem, rate.p, rate.n) : NULL, .runs = number_in(line, "runs"),
		.missing = number_in(line, "missing"), .has_gaps = number_in(line, "gaps") == 1,
		.work = slice_is(format, SHARD_FORMAT) ? arena_text(mem, work.p, work.n) : NULL,
		.shard = number_in(line, "shard"), .shards = number_in(line, "shards") };
	buf_init(&same, SIZE_MAX / 2);
	head_print(&same, head); /* of this program, and nothing but what it writes */
	const bool good = slice_same(buf_slice(&same), line);
	buf_release(&same);
	return good;
}

/* Records of many GPUs are longer than lines of logs. */
static bool open_lines(struct lines *lines, struct limits *limits, const char *path, struct diags *diags)
{
	*limits = limits_as_ever();
	limits->at[LIMIT_LINE] = limit_table[LIMIT_LINE].most;
	return lines_open(lines, path, limits, diags);
}

/* Line by line: the last one must be what the others make of it. */
static bool is_whole(struct arena *mem, struct lines *lines, struct index_head *head)
{
	struct digest *d = digest_begin();
	char digits[DIGEST_DIGITS + 1];
	struct slice line;
	size_t n = 0;
	bool good = line_next(lines, &line) && head_read(mem, line, head), is_ended = false;

	while (good && !is_ended) {
		digest_add(d, line);
		digest_add(d, slice_of("\n"));
		good = line_next(lines, &line) && lines->state == LINE_WHOLE;
		is_ended = good && slice_starts(line, "{\"records\":");
		n += !is_ended;
	}
	if (!is_ended) {
		digest_end(d, digits);
		return false;
	}
	struct buf foot;
	buf_init(&foot, SIZE_MAX / 2);
	foot_print(&foot, n, d);
	head->records = n;
	good = slice_same(buf_slice(&foot), line);
	buf_release(&foot);
	return good;
}

enum index_state index_check(struct arena *mem, const char *path, struct index_head *head)
{
	struct lines lines;
	struct limits limits;
	struct diags ignored;

	diags_init(&ignored, mem);
	if (!open_lines(&lines, &limits, path, &ignored)) {
		diags_release(&ignored);
		return access(path, F_OK) == 0 || errno != ENOENT ? INDEX_UNREAD : INDEX_MISSING;
	}
	const bool good = is_whole(mem, &lines, head), failed = stream_failed(lines.stream);
	lines_close(&lines);
	diags_release(&ignored);
	return failed ? INDEX_UNREAD : good ? INDEX_THERE : INDEX_DAMAGED;
}

bool index_open(struct arena *mem, struct index_reader *r, const char *path)
{
	struct diags ignored;
	struct slice line;

	diags_init(&ignored, mem);
	const bool good = open_lines(&r->lines, &r->limits, path, &ignored);
	diags_release(&ignored);
	r->n_read = 0;
	if (good && line_next(&r->lines, &line) && head_read(mem, line, &r->head))
		return true;
	if (good)
		lines_close(&r->lines);
	return false;
}

bool index_next(struct index_reader *r, struct slice *line)
{
	if (!line_next(&r->lines, line) || slice_starts(*line, "{\"records\":"))
		return false;
	r->n_read++;
	return true;
}

void index_close(struct index_reader *r)
{
	lines_close(&r->lines);
}
