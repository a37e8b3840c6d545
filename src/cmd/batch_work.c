/*
 * batch_work.c - runs worked out, each in a process of its own, and the record of each.
 *
 *     not done yet, the heaviest first    ->  pool.h
 *     the run's process                       what `report -o` does, behind the same walls, into a folder of its own attempt;
 *                                             with record.json in it that takes its place, as one
 *     it ended, and there is no record    ->  one that says why: by whatever it was ended, or in its own words
 *
 * Here nothing is kept of a run that has ended: records are read again, one by one, when the index is written.
 */
#include "base/file.h"
#include "base/json_text.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/run_why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define RECORD_MAX_BYTES ((size_t)16 << 20) /* of 4096 GPUs, the most of a log, it has 2 MiB */

struct work {
	struct batch *batch;
	struct run_list *runs; /* first those that are to be worked out, the heaviest first */
	struct progress progress;
	struct diags *diags;
	bool no_room; /* a record could not be written */
	bool may_pass; /* a report could not be, for a reason that may pass */
};

/* ------------------------------------------------ where a run's report lies */

/* Below OUT. Keys are digits, so that no name in the logs has a say in where anything is written. */
static const char *place_of(struct arena *mem, const char *key)
{
	return arena_print(mem, "runs/%.2s/%s", key, key);
}

static const char *path_below(struct arena *mem, const struct batch *b, const char *place, const char *file)
{
	return arena_print(mem, "%s/%s%s%s", b->folder, place, *file ? "/" : "", file);
}

static bool has_page(const struct batch *b)
{
	return b->delivery.chosen[renderer_find(slice_of("html")) - renderer_table];
}

static struct record record_for(struct arena *mem, const struct batch *b, const struct found_run *run)
{
	char *const key = arena_alloc(mem, DIGEST_DIGITS + 1);

	batch_key(b, run, key);
	return (struct record){ .id = run->id, .key = key, .bytes = run->bytes,
		.report = has_page(b) ? arena_print(mem, "%s/report.html", place_of(mem, key)) : NULL };
}

/* ------------------------------------------------ in the process of one run */

static const char *command_line(struct arena *mem, const struct batch *b, const struct found_run *run)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 2);
	buf_text(&out, "postrun report");
	for (size_t i = 0; i < run->paths.n; i++)
		buf_print(&out, " %s", word_for_shell(mem, run->paths.at[i]));
	buf_text(&out, b->words);
	return buf_kept(mem, &out);
}

int unwritten_status(const struct diags *diags)
{
	return diags_may_pass(diags) ? EXIT_TRY_AGAIN : EXIT_OUTPUT;
}

/* The exit status. Told here: all else has been. */
static int publish_report(struct arena *mem, const char *attempt, const char *path)
{
	struct diags diags;

	diags_init(&diags, mem);
	const int status = publish_folder(attempt, path, &diags) ? EXIT_DONE : unwritten_status(&diags);
	print_diags(&diags, MOST_MESSAGES, false);
	diags_release(&diags);
	return status;
}

/* Before all that there is to say, of which only the begin is heard. */
static void tell_why(struct arena *mem, struct diags *diags)
{
	const char *const why = why_nothing(mem, diags);

	if (why)
		fprintf(stderr, WHY_SAYING "%s\n", why);
}

/* As `report` ends, or EXIT_TRY_AGAIN. The process that reads the logs comes through here, too, if there are two: it publishes nothing. */
static int report_of(struct arena *mem, const struct batch *b, const struct found_run *run, struct diags *diags)
{
	const struct record record = record_for(mem, b, run);
	const char *const path = path_below(mem, b, place_of(mem, record.key), ""), *const attempt = attempt_name(mem, path);
	struct delivery d = b->delivery;
	struct request q = b->request;
	struct awaited_rules rules = rules_at_hand(b->rules);
	struct folder_claim folder;

	q.input.paths = run->paths.at;
	q.input.n_paths = run->paths.n;
	q.report.command = command_line(mem, b, run);
	d.folder = attempt;
	d.record = &record;
	if (!folder_claim(&folder, attempt, diags))
		return EXIT_OUTPUT;
	const int status = report_into(mem, &q, &rules, &d, &folder, diags);
	folder_leave(&folder);
	if (d.part != PART_WRITER && status == EXIT_NOTHING)
		tell_why(mem, diags);
	if (d.part != PART_WRITER)
		print_diags(diags, MOST_MESSAGES, false);
	if (status == EXIT_OUTPUT)
		return unwritten_status(diags);
	return d.part == PART_WORKER || status != EXIT_DONE ? status : publish_report(mem, attempt, path);
}

static int work_on(void *of, size_t job)
{
	const struct work *const w = of;
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct found_run run = run_list_get(&mem, w->runs, w->runs->at[job]);
	run_list_release(w->runs); /* the others are no business of this process */
	const int status = report_of(&mem, w->batch, &run, &diags);
	diags_release(&diags);
	arena_release(&mem);
	return status;
}

/* ------------------------------------------------ what became of it */

/* Of what it said the first error, else the first line. */
static struct slice first_complaint(const char *said)
{
	struct slice rest = slice_of(said), first = slice_line(&rest);

	for (struct slice line = first; line.n || rest.n; line = slice_line(&rest)) {
		if (slice_has(line, ": error: "))
			return line;
		if (!rest.n)
			break;
	}
	return first;
}

/* NULL: nothing. */
static const char *shown_line(struct arena *mem, struct slice line)
{
	char *const shown = line.n ? arena_text(mem, line.p, line.n) : NULL;

	if (shown)
		text_make_printable(shown);
	return shown;
}

static const char *in_its_words(struct arena *mem, const char *said, const char *otherwise)
{
	struct slice line = first_complaint(said);
	const struct slice program = slice_of("postrun: ");

	if (slice_starts(line, "postrun: "))
		line = (struct slice){ line.p + program.n, line.n - program.n };
	return line.n ? shown_line(mem, line) : otherwise;
}

/* Nothing but empty files, or none at all: a path that is not there could have been anything. */
static bool is_empty(const struct found_run *run)
{
	bool all_there = true;

	for (size_t i = 0; i < run->paths.n; i++)
		all_there &= access(run->paths.at[i], F_OK) == 0;
	return all_there && !run->bytes;
}

/* Behind what begins a line of what it said; NULL: none begins so. */
static const char *said_behind(struct arena *mem, const char *said, const char *begin)
{
	const char *const found = strstr(said, begin);
	struct slice rest = slice_of(found ? found + strlen(begin) : "");

	return shown_line(mem, slice_line(&rest));
}

static const char *why_unreadable(struct arena *mem, const char *said)
{
	const char *const why = said_behind(mem, said, WHY_SAYING);

	return why ? why : in_its_words(mem, said, "nothing usable in its logs");
}

/* With the limit in it: where another one is given, a run that was cut short has other reasons to be. */
static const char *why_too_long(struct arena *mem, const struct batch *b)
{
	return arena_print(mem, "it took longer than %s; --time-limit allows more", duration_text(mem, b->limits.seconds));
}

static const char *why_too_large(struct arena *mem, const struct batch *b)
{
	return arena_print(mem, "it took more memory than %" PRIu64 " MiB; --memory-limit allows more", b->limits.memory_bytes >> 20);
}

static void judge_end(struct arena *mem, const struct batch *b, const struct found_run *run, const struct pool_end *end,
	struct record *record)
{
	const struct slice said = slice_of(end->said);

	record->status = RUN_FAILED;
	record->report = NULL;
	if (end->not_started) {
		record->why = arena_print(mem, "no process could be started for it: %s", end->said);
	} else if (end->out_of_time) {
		record->status = RUN_TIMEOUT;
		record->why = why_too_long(mem, b);
	} else if (slice_has(said, NO_MEMORY_LEFT)) {
		record->status = RUN_OUT_OF_MEMORY;
		record->why = why_too_large(mem, b);
	} else if (end->signal) {
		record->status = RUN_CRASHED;
		record->why = arena_print(mem, "ended by signal %d (%s): %s", end->signal, strsignal(end->signal),
			in_its_words(mem, end->said, "it said nothing"));
	} else if (end->status == EXIT_NOTHING) {
		record->status = is_empty(run) ? RUN_EMPTY : RUN_UNREADABLE;
		record->why = why_unreadable(mem, end->said);
	} else {
		record->why = in_its_words(mem, end->said, "it said nothing");
	}
}

/* A folder with nothing but the record in it. */
static bool publish_record(struct arena *mem, const struct batch *b, const struct record *record, struct diags *diags)
{
	const char *const path = path_below(mem, b, place_of(mem, record->key), "");
	const char *const attempt = attempt_name(mem, path);
	struct folder_claim folder;
	struct buf line;

	buf_init(&line, RECORD_MAX_BYTES);
	record_write(&line, record);
	buf_char(&line, '\n');
	const struct folder_file file = { RECORD_FILE, buf_slice(&line) };
	const struct folder_files_given files = { .at = &file, .n = 1 };
	bool good = folder_claim(&folder, attempt, diags);
	if (good) {
		good = folder_write(&folder, &files, diags);
		folder_leave(&folder);
	}
	buf_release(&line);
	return good && publish_folder(attempt, path, diags);
}

/* ------------------------------------------------ records that are there */

static bool read_record(struct arena *mem, const struct batch *b, const struct found_run *run, struct slice *line)
{
	char key[DIGEST_DIGITS + 1];
	struct diags ignored;

	batch_key(b, run, key);
	diags_init(&ignored, mem);
	const bool good = file_slurp(mem, path_below(mem, b, place_of(mem, key), RECORD_FILE), RECORD_MAX_BYTES, line, &ignored);
	diags_release(&ignored);
	if (!good || !line->n || line->p[line->n - 1] != '\n')
		return false;
	line->n--;
	return true;
}

/* NULL: there is none. */
static const char *text_in(struct arena *mem, struct slice record, const char *key)
{
	const struct slice text = index_text(record, key);

	if (!text.n || slice_is(text, "null"))
		return NULL;
	const struct slice read = json_read_text(mem, text);
	char *const shown = arena_text(mem, read.p, read.n);
	text_make_printable(shown);
	return shown;
}

static void log_record(struct arena *mem, struct progress *p, const struct found_run *run, struct slice record, double seconds)
{
	const char *const status = text_in(mem, record, "status");

	progress_log(p, run, &(struct progress_line){ status ? status : run_status_name(RUN_FAILED), text_in(mem, record, "why"),
		text_in(mem, record, "hint"), seconds });
}

/* ------------------------------------------------ when a run ends */

/* Where its record can't be written none can. */
static bool end_of(void *of, size_t job, const struct pool_end *end)
{
	struct work *const w = of;
	struct arena mem;
	struct slice line;

	arena_init(&mem);
	const struct found_run run = run_list_get(&mem, w->runs, w->runs->at[job]);
	struct record record = record_for(&mem, w->batch, &run);
	const bool has_ended_well = !end->signal && !end->not_started && end->status == EXIT_DONE;
	if (!has_ended_well) {
		judge_end(&mem, w->batch, &run, end, &record);
		w->may_pass |= !end->signal && end->status == EXIT_TRY_AGAIN;
		w->no_room |= !publish_record(&mem, w->batch, &record, w->diags);
		progress_log(&w->progress, &run, &(struct progress_line){ run_status_name(record.status), record.why, NULL, end->seconds });
	} else {
		const bool is_there = read_record(&mem, w->batch, &run, &line);
		log_record(&mem, &w->progress, &run, is_there ? line : slice_of(""), end->seconds);
	}
	progress_run(&w->progress, &run, has_ended_well);
	arena_release(&mem);
	return !w->no_room;
}

static void show_progress(void *of)
{
	progress_show(&((struct work *)of)->progress);
}

/* ------------------------------------------------ all of them */

/* Did a limit cut it short that is another one now? */
static bool has_other_limit(struct arena *mem, const struct batch *b, const struct record *record)
{
	if (record->status != RUN_TIMEOUT && record->status != RUN_OUT_OF_MEMORY)
		return false;
	const char *const why = record->status == RUN_TIMEOUT ? why_too_long(mem, b) : why_too_large(mem, b);
	return !record->why || strcmp(record->why, why) != 0;
}

/*
 * What failed of the disk or of the machine says nothing of the logs, and is tried again, as what had a limit that is another one now; what
 * failed of the logs only with --retry.
 */
static bool is_done(struct arena *scratch, const struct batch *b, const struct found_run *run, struct slice *line)
{
	struct record record;
	struct diags ignored;

	if (!b->resumes || !read_record(scratch, b, run, line))
		return false;
	diags_init(&ignored, scratch);
	const bool good = record_read(shared_names_new(scratch), *line, (struct place){ RECORD_FILE, 1, 1 }, &record, &ignored);
	diags_release(&ignored);
	return good && (record_has_report(&record) ||
			       (!b->retries && record.status != RUN_FAILED && !has_other_limit(scratch, b, &record)));
}

static void clear_attempts(const struct batch *b)
{
	char folder[8];
	struct arena mem;

	arena_init(&mem);
	attempts_clear(b->folder);
	attempts_clear(path_below(&mem, b, "shards", ""));
	for (unsigned i = 0; i < 256; i++) {
		snprintf(folder, sizeof folder, "runs/%02x", i);
		attempts_clear(path_below(&mem, b, folder, ""));
	}
	arena_release(&mem);
}

/* Those that are not done come first, in their order, and the others, which the log has now, behind them. How many. */
static size_t put_done_last(const struct batch *b, struct run_list *runs, struct progress *p)
{
	struct slice record;
	struct arena scratch;
	size_t n = 0;

	arena_init(&scratch);
	for (size_t i = 0; i < runs->n; i++) {
		const struct listed_run listed = runs->at[i];
		const struct found_run run = run_list_get(&scratch, runs, listed);
		if (is_done(&scratch, b, &run, &record)) {
			log_record(&scratch, p, &run, record, -1);
		} else {
			runs->at[i] = runs->at[n];
			runs->at[n++] = listed;
		}
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	return n;
}

bool batch_work(struct batch *b, struct run_list *runs, const char *log_path, bool quiet, struct work_done *done, struct diags *diags)
{
	struct work w = { .batch = b, .runs = runs, .diags = diags };
	int64_t weight = 0;

	run_list_sort_by_weight(runs);
	progress_open(&w.progress, log_path);
	const size_t n = put_done_last(b, runs, &w.progress);
	for (size_t i = 0; i < n; i++)
		weight += runs->at[i].weight;
	progress_begin(&w.progress, n, weight, quiet);
	pool_run(&b->limits, n, &(struct pool_work){ &w, work_on, end_of, show_progress });
	progress_end(&w.progress);
	run_list_sort_by_id(runs);
	clear_attempts(b); /* of processes that were killed, now or the last time */
	*done = (struct work_done){ .n_before = runs->n - n, .may_pass = w.may_pass };
	return !w.no_room;
}

/* What became of one whose record is gone again, or cut. */
static void take_missing(struct arena *mem, const struct batch *b, const struct found_run *run, struct results *results)
{
	struct record record = record_for(mem, b, run);
	struct buf line;

	record.status = RUN_FAILED;
	record.report = NULL;
	record.why = "its record is missing or damaged; --resume makes it again";
	buf_init(&line, RECORD_MAX_BYTES);
	record_write(&line, &record);
	results_take(results, buf_slice(&line));
	buf_release(&line);
}

void batch_collect(const struct batch *b, struct run_list *runs, struct results *results)
{
	struct slice line;
	struct arena mem;

	arena_init(&mem);
	for (size_t i = 0; i < runs->n; i++) {
		const struct found_run run = run_list_get(&mem, runs, runs->at[i]);
		if (!read_record(&mem, b, &run, &line) || !results_take(results, line))
			take_missing(&mem, b, &run, results);
		arena_reset(&mem);
	}
	arena_release(&mem);
}
