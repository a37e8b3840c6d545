/* results.c - records counted on their way into an index. */
#include "cmd/results.h"

#include "cmd/cmd.h"

#include <stdio.h>

void results_begin(struct arena *mem, struct results *r, const char *path, const struct index_head *head, const struct run_filter *filter,
	struct diags *diags)
{
	*r = (struct results){ .mem = mem, .filter = filter, .diags = diags };
	arena_init(&r->scratch);
	index_begin(mem, &r->index, path, head);
}

static void note_failure(struct results *r, const struct record *record)
{
	if (r->n_failures < MOST_FAILURES_TOLD)
		r->failures[r->n_failures] = arena_print(r->mem, "%s: %s: %s", record->id, run_status_name(record->status),
			record->why ? record->why : run_status_sentence(record->status));
	r->n_failures++;
}

bool results_take(struct results *r, struct slice line)
{
	struct record record;
	struct diags ignored;

	diags_init(&ignored, &r->scratch);
	const bool good = record_read(shared_names_new(&r->scratch), line, (struct place){ "record", 1, 1 }, &record, &ignored);
	diags_release(&ignored);
	const bool is_kept = good && (!r->filter || run_filter_keeps(r->filter, &record));
	if (is_kept) {
		index_put(&r->index, line);
		r->n_with[record.status]++;
		if (!record_has_report(&record))
			note_failure(r, &record);
		r->any_fails |= r->filter && run_filter_fails(r->filter, &record);
	}
	r->n_left_out += good && !is_kept;
	arena_reset(&r->scratch);
	return good;
}

static void tell(const struct results *r)
{
	const size_t n_good = r->n_with[RUN_OK] + r->n_with[RUN_PARTIAL];

	printf("%zu run%s: %zu with a report", n_good + r->n_failures, plural_s(n_good + r->n_failures), n_good);
	if (r->n_with[RUN_PARTIAL])
		printf(" (%zu of them from a part of their logs)", r->n_with[RUN_PARTIAL]);
	printf(", %zu without\n", r->n_failures);
	for (size_t i = 0; i < r->n_failures && i < MOST_FAILURES_TOLD; i++)
		printf("  %s\n", r->failures[i]);
	if (r->n_failures > MOST_FAILURES_TOLD)
		printf("  and %zu more; the index has them all\n", r->n_failures - MOST_FAILURES_TOLD);
	if (r->n_left_out)
		printf("%zu more that the filters leave out\n", r->n_left_out);
	if (!r->filter)
		printf("shard: %s\n", r->index.file.path);
	else
		printf("index: %.*s.html\n", (int)(strlen(r->index.file.path) - strlen(".jsonl")), r->index.file.path);
}

int results_end(struct results *r, bool quiet)
{
	const bool written = index_end(&r->index, r->diags);

	arena_release(&r->scratch);
	if (!written)
		return EXIT_OUTPUT;
	if (!quiet)
		tell(r);
	return r->any_fails ? EXIT_FINDING : r->n_failures ? EXIT_SOME_FAILED : EXIT_DONE;
}
