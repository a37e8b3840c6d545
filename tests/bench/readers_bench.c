/*
 * readers_bench.c - how fast each reader reads its kind of log, and against `wc -l` of it.
 *
 *     readers_bench FOLDER [MB [ROUNDS [NAME]]]     `make bench-readers`; NAME: only the kinds that begin so; ROUNDS 0: only writes
 *                                                   the logs into the folder, for a profiler
 *
 * The logs are made here (reader_logs.h). CPU time, user and system, of one thread, the least of all rounds. A kind that can't be read,
 * or of which not all rows were used, is a mistake of the table and fails.
 */
#include "format/format.h"
#include "cost.h"
#include "reader_logs.h"

#include <fcntl.h>
#include <limits.h>

/* Returns how many bytes. */
static double make_log(const struct log_kind *log, const char *path, double most)
{
	FILE *const to = fopen(path, "wb");

	if (!to) {
		fprintf(stderr, "%s can't be written\n", path);
		exit(1);
	}
	put_log(to, log, most, INT_MAX);
	const double n = (double)ftell(to);
	if (fclose(to) != 0)
		exit(1);
	return n;
}

/* How many rows; 0: it was not read as what it is. */
static size_t read_log(const void *path)
{
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct recording *rec = format_read(&mem, path, NULL, false, &diags);
	const size_t n = rec && !rec->n_rows_bad ? rec->n_rows + rec->n_events + !rec->n_rows : 0;
	if (!n) {
		for (size_t i = 0; i < diags.n && i < 3; i++)
			fprintf(stderr, "%s\n", diag_text(&mem, &diags.at[i]));
	}
	diags_release(&diags);
	arena_release(&mem);
	return n;
}

static double cpu_of_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Seconds of the processor. */
static double count_lines(const char *path)
{
	const double begin = cpu_of_children();
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		const int nowhere = open("/dev/null", O_WRONLY);
		if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
			execlp("wc", "wc", "-l", path, (char *)NULL);
		_exit(1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "wc -l failed\n");
		exit(1);
	}
	return cpu_of_children() - begin;
}

/* False when it can't be read. */
static bool measure(const struct log_kind *log, const char *path, double most, int n_rounds, double bar)
{
	struct cost least = { 0 };
	double lines = 0;

	const double n_bytes = make_log(log, path, most);
	for (int round = 0; round < n_rounds; round++) {
		keep_least(&least, cost_of(read_log, path));
		const double took = count_lines(path);
		lines = !round || took < lines ? took : lines;
	}
	const double speed = n_bytes / 1e6 / least.cpu;
	printf("%-20s %6.1f MB %8.1f ms %6.0f MB/s %6.1f x wc -l%s\n", log->name, n_bytes / 1e6, least.cpu * 1e3, speed,
		least.cpu / lines, !least.result ? "  not read" : speed < bar ? "  below the bar" : "");
	fflush(stdout);
	unlink(path);
	return least.result;
}

int main(int argc, char **argv)
{
	const double mb = argc > 2 ? number_of(argv[2], 20) : 20, bar = 300;
	const int n_rounds = argc > 3 ? atoi(argv[3]) : 3;
	const char *only = argc > 4 ? argv[4] : "";
	char path[4096];
	bool all = true;

	if (argc < 2 || strlen(argv[1]) > 4000 || mb > 1000) {
		fprintf(stderr, "usage: readers_bench FOLDER [MB [ROUNDS [NAME]]]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof log_kinds / sizeof *log_kinds; i++)
		if (strncmp(log_kinds[i].name, only, strlen(only)) == 0) {
			snprintf(path, sizeof path, "%s/%s.log", argv[1], log_kinds[i].name);
			if (n_rounds < 1)
				make_log(&log_kinds[i], path, mb * 1e6);
			else
				all &= measure(&log_kinds[i], path, mb * 1e6, n_rounds, bar);
		}
	return all ? 0 : 1;
}
