/*
 * cmd_merge.c - `postrun merge`: the shards of a batch become one index.
 *
 * Each shard is opened by its name and read to its end; one that is cut, changed or of other logs counts as missing. On a network file
 * system a file that another machine wrote shows late: what is missing is waited for, and the folder looked into anew each time.
 */
#include "base/file.h"
#include "base/heap.h"
#include "base/json_text.h"
#include "base/sort.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/fleet_views.h"
#include "cmd/results.h"
#include "cmd/shard_file.h"
#include "cmd/shards.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>

#define TRIES 3        /* of a file that was replaced while it was read: ESTALE */
#define FIRST_WAIT_MS 100
#define LONGEST_WAIT_MS 5000
#define WAIT_S 60.0    /* for as long an NFS client may believe what it knows of a folder: acdirmax, nfs(5) */

static const struct option table[] = {
	{ "shards", 0, "N", NULL, "how many there are (else as many as the files in DIR say)" },
	{ "wait", 0, "TIME", NULL, "how long to wait for a shard that is not there yet (else 1min; 0s: not at all)" },
	FILTER_OPTIONS(UNTIL_HELP),
	FLEET_OPTIONS,
	{ "quiet", 'q', NULL, NULL, "print no summary" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

struct part { /* a shard */
	const char *path;
	enum index_state state;
	struct index_head head;
	struct index_reader reader;
	struct slice line; /* its next record */
	struct buf id;     /* of that, as a text */
	bool is_open;
};

struct merge {
	struct arena *mem;
	const char *folder;
	size_t n;
	struct part *parts;
	struct index_head head; /* of the index */
	const char *work;       /* that most of the shards are of */
	struct arena scratch;   /* for one record */
	void **next;            /* heap of those that have a record still: the one whose id comes first is the first */
	size_t n_next;
	bool is_short;          /* a shard had fewer records than it said */
};

/* ------------------------------------------------ how many */

/* "00003-of-00016.jsonl": 16; 0 of another name. */
static size_t count_in_name(const char *name)
{
	size_t number = 0, of = 0;
	int n = 0;

	return sscanf(name, "%5zu-of-%5zu.jsonl%n", &number, &of, &n) == 2 && n && !name[n] ? of : 0;
}

#define MOST_COUNTS 8 /* that are told */

struct counts { /* numbers of shards that files are named after, each once, the smallest first */
	size_t at[MOST_COUNTS], n;
};

static void add_count(struct counts *all, size_t of)
{
	size_t i = all->n;

	for (size_t k = 0; k < all->n; k++)
		if (all->at[k] == of)
			return;
	if (!of || all->n == MOST_COUNTS)
		return;
	for (; i && all->at[i - 1] > of; i--)
		all->at[i] = all->at[i - 1];
	all->at[i] = of;
	all->n++;
}

static struct counts counts_in(struct arena *mem, const char *folder)
{
	DIR *const shards = opendir(arena_print(mem, "%s/shards", folder));
	struct counts all = { .n = 0 };

	for (const struct dirent *entry; shards && (entry = readdir(shards));)
		add_count(&all, count_in_name(entry->d_name));
	if (shards)
		closedir(shards);
	return all;
}

/* "3 and 16" */
static const char *counts_text(struct arena *mem, const struct counts *counts)
{
	const char *texts[MOST_COUNTS];

	for (size_t i = 0; i < counts->n; i++)
		texts[i] = arena_print(mem, "%zu", counts->at[i]);
	return names_listed(mem, texts, counts->n);
}

/* With several it has to be given. */
static bool count_shards(struct arena *mem, const char *folder, size_t *n)
{
	const struct counts counts = counts_in(mem, folder);

	*n = counts.at[0];
	if (counts.n == 1)
		return true;
	if (counts.n)
		fprintf(stderr, "postrun: %s has shards of %s; --shards N says which\n", folder, counts_text(mem, &counts));
	else if (!path_is_folder(folder))
		fprintf(stderr, "postrun: '%s' is no folder\n", folder);
	else
		fprintf(stderr, "postrun: %s has no shards; `postrun batch … --shard I/N` makes them\n", folder);
	return false;
}

/* ------------------------------------------------ which are there */

static void look_at(struct merge *m, struct part *part)
{
	for (int i = 0; i < TRIES; i++) {
		part->state = index_check(m->mem, part->path, &part->head);
		if (part->state != INDEX_UNREAD)
			return;
	}
}

static bool is_there(const struct merge *m, size_t i)
{
	const struct part *const part = &m->parts[i];

	return part->state == INDEX_THERE && part->head.work && part->head.shards == m->n && part->head.shard == i &&
	       (!m->work || strcmp(part->head.work, m->work) == 0);
}

static size_t n_there(const struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += is_there(m, i);
	return n;
}

/* What most shards are of; of equally many the one that comes first as a text. */
static const char *commonest_work(const struct merge *m)
{
	const char **const works = NEW_ARRAY(m->mem, const char *, m->n), *best = NULL;
	size_t n = 0, most = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_there(m, i))
			works[n++] = m->parts[i].head.work;
	texts_sort(works, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(works[end], works[i]) == 0; end++)
			;
		best = end - i > most ? works[i] : best;
		most = end - i > most ? end - i : most;
	}
	return best;
}

/* Makes a client of a network file system ask again. */
static void look_into(const char *folder)
{
	DIR *const shards = opendir(folder);

	if (shards)
		closedir(shards);
}

static void find_parts(struct merge *m, double wait_s)
{
	double left_ms = wait_s * 1000; /* of some weeks it is more than an int holds */
	int pause_ms = FIRST_WAIT_MS;

	m->parts = NEW_ARRAY(m->mem, struct part, m->n);
	for (size_t i = 0; i < m->n; i++) {
		m->parts[i].path = shard_path(m->mem, m->folder, (struct shard){ i, m->n }, "jsonl");
		look_at(m, &m->parts[i]);
	}
	while (n_there(m) < m->n && left_ms > 0) {
		poll(NULL, 0, pause_ms < left_ms ? pause_ms : (int)left_ms);
		left_ms -= pause_ms;
		pause_ms = 2 * pause_ms < LONGEST_WAIT_MS ? 2 * pause_ms : LONGEST_WAIT_MS;
		look_into(arena_print(m->mem, "%s/shards", m->folder));
		for (size_t i = 0; i < m->n; i++)
			if (!is_there(m, i))
				look_at(m, &m->parts[i]);
	}
	m->work = commonest_work(m);
}

/* ------------------------------------------------ what is missing */

static const char *reason(const struct merge *m, size_t i)
{
	static const char *const reasons[] = {
		[INDEX_MISSING] = "it is not there",
		[INDEX_DAMAGED] = "it is cut, or was changed",
		[INDEX_UNREAD] = "it can't be read",
		[INDEX_THERE] = "it is of other logs, rules or options than most of the shards",
	};

	return reasons[m->parts[i].state];
}

/* "3,7-9", as --array of a batch system takes it. */
static const char *list_missing(const struct merge *m)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 2);
	for (size_t i = 0, end; i < m->n; i = end) {
		for (end = i + 1; end < m->n && !is_there(m, i) && !is_there(m, end); end++)
			;
		if (is_there(m, i))
			continue;
		buf_print(&out, end - i > 1 ? "%s%zu-%zu" : "%s%zu", out.n ? "," : "", i, end - 1);
	}
	return buf_kept(m->mem, &out);
}

/* How many. */
static size_t tell_each_missing(const struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (!is_there(m, i) && n++ < MOST_FAILURES_TOLD)
			fprintf(stderr, "%s: %s\n", m->parts[i].path, reason(m, i));
	return n;
}

static void tell_missing(const struct merge *m)
{
	const size_t n = tell_each_missing(m);

	fprintf(stderr, "postrun: %zu of %zu shards are missing; the index is without %zu run%s. Run these again: --array=%s\n", n, m->n,
		m->head.missing, plural_s(m->head.missing), list_missing(m));
}

/* Where the number that was given is a slip all others have another one. */
static void tell_nothing(const struct merge *m)
{
	const struct counts counts = counts_in(m->mem, m->folder);
	bool has_some = !counts.n;

	for (size_t i = 0; i < counts.n; i++)
		has_some |= counts.at[i] == m->n;
	if (!has_some) {
		fprintf(stderr, "postrun: no index was made: the shards in %s are of %s, not of %zu; --shards %zu takes those of %zu\n",
			m->folder, counts_text(m->mem, &counts), m->n, counts.at[0], counts.at[0]);
		return;
	}
	tell_each_missing(m);
	fprintf(stderr, "postrun: no index was made: none of %zu shards could be used. Run them again: --array=%s\n", m->n,
		list_missing(m));
}

/* ------------------------------------------------ the index */

/* It was whole when it was looked at; since then it may have been cut, or its disk have gone. */
static void tell_end(struct merge *m, const struct part *part, struct diags *diags)
{
	if (part->reader.n_read == part->head.records)
		return;
	m->is_short = true;
	diag_at(diags, (struct place){ part->path, 0, 0 }, DIAG_CANNOT_READ,
		"it ended before its last record; the index is without the rest");
}

/* False at its end. */
static bool next_record(struct merge *m, struct part *part, struct diags *diags)
{
	if (!index_next(&part->reader, &part->line)) {
		tell_end(m, part, diags);
		return false;
	}
	part->id.n = 0;
	buf_put(&part->id, json_read_text(&m->scratch, index_text(part->line, "id")));
	arena_reset(&m->scratch);
	return true;
}

static bool is_before(const void *a, const void *b)
{
	const struct slice x = buf_slice(&((const struct part *)a)->id), y = buf_slice(&((const struct part *)b)->id);
	const int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return order < 0 || (order == 0 && x.n < y.n);
}

/* Raised as far as we may: each shard is a file that is open. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool open_parts(struct merge *m, struct diags *diags)
{
	allow_files();
	m->next = NEW_ARRAY(m->mem, void *, m->n);
	for (size_t i = 0; i < m->n; i++) {
		struct part *const part = &m->parts[i];
		if (!is_there(m, i))
			continue;
		if (!index_open(m->mem, &part->reader, part->path))
			return diag_at(diags, (struct place){ part->path, 0, 0 }, DIAG_CANNOT_READ, "cannot open it once more: %s",
				strerror(errno));
		part->is_open = true;
		buf_init(&part->id, SIZE_MAX / 2);
		if (next_record(m, part, diags))
			m->next[m->n_next++] = part;
	}
	heap_make(m->next, m->n_next, is_before);
	return true;
}

static size_t n_records(const struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_there(m, i))
			n += m->parts[i].head.records;
	return n;
}

static void close_parts(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].is_open) {
			index_close(&m->parts[i].reader);
			buf_release(&m->parts[i].id);
		}
	arena_release(&m->scratch);
}

static int join(struct merge *m, const struct run_filter *filter, bool quiet, struct diags *diags)
{
	struct results results;
	int status = EXIT_OUTPUT;

	arena_init(&m->scratch);
	if (!open_parts(m, diags))
		goto out;
	results_begin(m->mem, &results, arena_print(m->mem, "%s/index.jsonl", m->folder), &m->head, filter, diags);
	while (m->n_next) {
		struct part *const part = m->next[0];
		if (!results_take(&results, part->line))
			diag_at(diags, (struct place){ part->path, 0, 0 }, DIAG_DAMAGED, "a record that is none was left out");
		if (!next_record(m, part, diags))
			m->next[0] = m->next[--m->n_next];
		heap_sink_first(m->next, m->n_next, is_before);
	}
	status = results_end(&results, quiet);
	if (m->is_short)
		status = EXIT_OUTPUT;
out:
	close_parts(m);
	return status;
}

static int merge(struct merge *m, const struct run_filter *filter, const struct fleet_views *views, bool quiet, struct diags *diags)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct index_head *const of = &m->parts[i].head;
		if (is_there(m, i))
			m->head = (struct index_head){ .rules = of->rules, .rate = of->rate, .runs = of->runs,
				.has_gaps = m->head.has_gaps || of->has_gaps };
	}
	if (!m->head.rules) {
		tell_nothing(m);
		return EXIT_SOME_FAILED;
	}
	m->head.missing = m->head.runs - n_records(m);
	int status = join(m, filter, quiet, diags);
	if (status != EXIT_OUTPUT && !fleet_views_write(views, m->folder, diags))
		status = EXIT_OUTPUT;
	if (m->head.has_gaps)
		fprintf(stderr, "postrun: a folder could not be read where the runs were looked for; the index is without those in it\n");
	const bool are_all_there = n_there(m) == m->n;
	if (!are_all_there)
		tell_missing(m);
	return status == EXIT_DONE && (!are_all_there || m->head.has_gaps) ? EXIT_SOME_FAILED : status;
}

static bool read_wait(const struct options *o, double *out)
{
	const char *const text = option_value(o, "wait");

	*out = WAIT_S;
	if (!text || duration_parse(slice_of(text), out))
		return true;
	*out = 0;
	if (strcmp(text, "0") == 0 || strcmp(text, "0s") == 0)
		return true;
	fprintf(stderr, "postrun: --wait takes a time like 30s or 2min, not '%s'\n", text);
	return false;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct run_filter filter;
	struct fleet_views views;
	struct merge m = { .mem = mem };
	double wait_s;

	if (o->n_paths != 1) {
		fprintf(stderr, "postrun: merge takes one folder, that which was behind -o: postrun merge OUT/\n");
		return EXIT_USAGE;
	}
	if (!run_filter_read(o, &filter) || !fleet_views_read(o, &views) || !read_wait(o, &wait_s) ||
		!shard_count_read("shards", option_value(o, "shards"), &m.n))
		return EXIT_USAGE;
	m.folder = o->paths[0];
	if (!m.n && !count_shards(mem, m.folder, &m.n))
		return EXIT_NOTHING;
	find_parts(&m, wait_s);
	const int status = merge(&m, &filter, &views, option_given(o, "quiet"), diags);
	print_diags(diags, MOST_MESSAGES, option_given(o, "quiet"));
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.arguments = "DIR",
	.title = "the shards of a batch become one index",
	.examples = "  for i in $(seq 0 15); do postrun batch ARCHIVE/ -o OUT/ --shard $i/16; done; postrun merge OUT/\n"
		    "  postrun merge OUT/ --shards 16                  names the shards that are missing, and how to run them again\n",
	.options = table,
	.run = run,
};
