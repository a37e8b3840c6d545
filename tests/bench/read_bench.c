/*
 * read_bench.c - how long it takes to read a log, against reading its bytes.
 *
 *     read_bench LOG [ROUNDS]
 *
 * By turns, so that a busy machine slows all alike: the bytes alone (in blocks, with their digest), the log as a report reads it, the same
 * without a digest, and the log row by row through the grammar. CPU time of this thread, the least of all rounds; the ratios are what to
 * compare between machines. What else a reading keeps account of, as rows and cells without a value, is added up once for thousands of rows.
 */
#include "base/stream_parts.h"
#include "format/format.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum way { BYTES, BY_PATTERN, WITHOUT_DIGEST, BY_GRAMMAR, N_WAYS };

static bool has_no_digest;

typedef XXH_errorcode update(XXH3_state_t *, const void *, size_t);

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name) /* as the header renames it */

/* Found before the library's own, which it stands in front of. */
XXH_errorcode XXH3_128bits_update(XXH3_state_t *state, const void *bytes, size_t n)
{
	static update *real;

	if (has_no_digest)
		return XXH_OK;
	if (!real) {
		void *const found = dlsym(RTLD_NEXT, SYMBOL_OF(XXH3_128bits_update));
		memcpy(&real, &found, sizeof real);
	}
	return real ? real(state, bytes, n) : XXH_ERROR;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t read_bytes(const char *path, struct diags *diags)
{
	struct lines lines;
	size_t n = 0;

	if (!lines_open(&lines, path, NULL, diags))
		return 0;
	for (struct slice block; (block = lines_block(&lines)).n;)
		n += block.n;
	lines_close(&lines);
	return n;
}

/* How many bytes, or rows that were read by a pattern; 0: it can't be read. */
static size_t once(const char *path, enum way way, size_t *n_rows)
{
	const struct read_request request = { .by_grammar = way == BY_GRAMMAR };
	struct arena mem;
	struct diags diags;
	size_t n = 0;

	arena_init(&mem);
	diags_init(&diags, &mem);
	has_no_digest = way == WITHOUT_DIGEST;
	if (way == BYTES) {
		n = read_bytes(path, &diags);
	} else {
		const struct recording *rec = format_read(&mem, path, &request, false, &diags);
		n = rec ? rec->n_rows_by_pattern : 0;
		*n_rows = rec ? rec->n_rows : 0;
	}
	diags_release(&diags);
	arena_release(&mem);
	return n;
}

int main(int argc, char **argv)
{
	static const char *const names[N_WAYS] = { "bytes and digest", "as a report reads it", "the same, no digest", "by the grammar alone" };
	double least[N_WAYS] = { 0 };
	size_t n[N_WAYS], n_rows = 0;
	const int n_rounds = argc > 2 ? atoi(argv[2]) : 5;

	if (argc < 2 || n_rounds < 1) {
		fprintf(stderr, "usage: read_bench LOG [ROUNDS]\n");
		return 2;
	}
	for (int round = 0; round < n_rounds; round++) {
		for (int way = 0; way < N_WAYS; way++) {
			const double begin = cpu_ms();
			n[way] = once(argv[1], (enum way)way, &n_rows);
			const double took = cpu_ms() - begin;
			least[way] = round && least[way] < took ? least[way] : took;
		}
	}
	if (!n[BYTES] || !n_rows) {
		fprintf(stderr, "%s can't be read\n", argv[1]);
		return 1;
	}
	printf("%.1f MB, %zu rows, %zu of them by their pattern\n", (double)n[BYTES] / 1e6, n_rows, n[BY_PATTERN]);
	printf("%-24s %10s %8s %8s\n", "least of all rounds", "CPU", "MB/s", "ratio");
	for (int way = 0; way < N_WAYS; way++)
		printf("%-24s %7.1f ms %8.0f %8.2f\n", names[way], least[way], (double)n[BYTES] / 1e3 / least[way], least[way] / least[BYTES]);
	return 0;
}
