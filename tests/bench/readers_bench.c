/*
 * readers_bench.c - how fast each reader reads its kind of log, and against `wc -l` of it.
 *
 *     readers_bench FOLDER [MB [ROUNDS [NAME]]]     `make bench-readers`; NAME: only the kinds that begin so; ROUNDS 0: only writes
 *                                                   the logs into the folder, for a profiler
 *
 * The logs are made here, from what a poll looks like (reader_logs.def): real heads, digits that change and a time that goes on, a poll
 * a second. CPU time, user and system, of one thread, the least of all rounds. A kind that can't be read, or of which not all rows
 * were used, is a mistake of the table and fails.
 *
 *     ~   a digit, of which the first of several is not 0      @c @k  01:48:34, and a second later: rows of sysstat describe what was
 *     @d @s @8 @b  2026-11-21, with slashes, without, 21-11    @m @w  21-NOV-2026, "Sat Nov 21 01:48:34 2026"
 *     @e  seconds since 1970        @n @N  polls so far, and with four digits
 *     @i @j  which of `each`, from 0, from 1                   @I @z @y @p  that with blanks, with noughts, two digits, as it is
 *     @+  a counter
 */
#include "format/format.h"
#include "cost.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#define BEGIN ((time_t)1795219200) /* 2026-11-21 00:00:00 UTC */

static const struct log {
	const char *name, *head, *again;
	int every;
	const char *poll, *each;
	int n_each;
	const char *end, *tail;
} logs[] = {
#define LOG(...) { __VA_ARGS__ },
#include "reader_logs.def"
#undef LOG
};

struct pen { /* what a text is written with */
	FILE *to;
	struct tm now, next;
	long poll;
	int each, n_counters;
	uint64_t state;
};

static unsigned chance(struct pen *p)
{
	p->state = p->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(p->state >> 33);
}

static void put_clock(struct pen *p, const struct tm *t)
{
	fprintf(p->to, "%02d:%02d:%02d", t->tm_hour, t->tm_min, t->tm_sec);
}

static void put_date(struct pen *p, char what)
{
	static const char *const forms[] = { ['d'] = "%Y-%m-%d", ['s'] = "%Y/%m/%d", ['8'] = "%Y%m%d", ['b'] = "%d-%m",
		['m'] = "%d-%b-%Y", ['w'] = "%a %b %e %H:%M:%S %Y" };
	char text[64];

	strftime(text, sizeof text, forms[(unsigned char)what], &p->now);
	if (what == 'm') /* as nmon writes a month */
		for (char *c = text; *c; c++)
			*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	fputs(text, p->to);
}

static void put_number(struct pen *p, char what)
{
	switch (what) {
	case 'e':
		fprintf(p->to, "%lld", (long long)BEGIN + p->poll);
		break;
	case 'n':
		fprintf(p->to, "%ld", p->poll);
		break;
	case 'N':
		fprintf(p->to, "%04ld", p->poll + 1);
		break;
	case '+': { /* each counter by itself, always ahead */
		const int k = p->n_counters++;
		fprintf(p->to, "%ld", 100000 + 977L * k + p->poll * (10 + k % 7) + (long)(chance(p) % 7));
		break;
	}
	default: {
		static const char *const forms[] = { ['I'] = "%3d", ['z'] = "%03d", ['y'] = "%02d", ['p'] = "%d", ['i'] = "%d" };
		fprintf(p->to, what == 'j' ? "%d" : forms[(unsigned char)what], p->each + (what == 'j' || what == 'y'));
	}
	}
}

static void put(struct pen *p, const char *text)
{
	char before = 0;

	for (; *text; before = *text++) {
		if (*text == '~') {
			fputc('0' + (int)(before != '~' && text[1] == '~' ? 1 + chance(p) % 9 : chance(p) % 10), p->to);
		} else if (*text != '@') {
			fputc(*text, p->to);
		} else if (*++text == 'c' || *text == 'k') {
			put_clock(p, *text == 'c' ? &p->now : &p->next);
		} else if (strchr("ds8bmw", *text)) {
			put_date(p, *text);
		} else {
			put_number(p, *text);
		}
	}
}

/* Returns how many bytes. */
static double make_log(const struct log *log, const char *path, double most)
{
	struct pen p = { .to = fopen(path, "wb"), .state = 8 };

	if (!p.to) {
		fprintf(stderr, "%s can't be written\n", path);
		exit(1);
	}
	for (; (double)ftell(p.to) < most; p.poll++) {
		const time_t now = BEGIN + p.poll, next = now + 1;
		gmtime_r(&now, &p.now);
		gmtime_r(&next, &p.next);
		p.n_counters = 0;
		if (!p.poll)
			put(&p, log->head);
		if (log->every && p.poll % log->every == 0)
			put(&p, log->again);
		put(&p, log->poll + (!p.poll && log->poll[0] == ',')); /* of a list in JSON the first has none before it */
		for (p.each = 0; p.each < log->n_each; p.each++)
			put(&p, log->each);
		put(&p, log->end);
	}
	put(&p, log->tail);
	const double n = (double)ftell(p.to);
	if (fclose(p.to) != 0)
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
static bool measure(const struct log *log, const char *path, double most, int n_rounds, double bar)
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
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		if (strncmp(logs[i].name, only, strlen(only)) == 0) {
			snprintf(path, sizeof path, "%s/%s.log", argv[1], logs[i].name);
			if (n_rounds < 1)
				make_log(&logs[i], path, mb * 1e6);
			else
				all &= measure(&logs[i], path, mb * 1e6, n_rounds, bar);
		}
	return all ? 0 : 1;
}
