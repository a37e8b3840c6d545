/*
 * libcsv_alone.c - mean, 95th percentile and maximum of four columns of each GPU, by libcsv and nothing else.
 *
 *     libcsv_alone LOG
 *
 * What a C programmer writes who takes a good CSV library: no dates, no holes, no units but those of gen.c, no complaints about what
 * is odd. Prints "gpu column mean p95 max" a line, as the scripts in peers/ do. The percentile is the smallest value for which 95 % of
 * the samples are at most as large; it is exact, by counting.
 */
#include <csv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GPUS 4096
#define MOST_COLUMNS 512
#define BLOCK ((size_t)256 << 10)
#define N_VALUES ((size_t)1 << 18) /* that are counted: MiB of memory, hundredths of a watt */

static const struct wanted {
	const char *head;
	int scale; /* values are counted in parts of one */
} wanted[] = {
	{ "utilization.gpu [%]", 1 },
	{ "memory.used [MiB]", 1 },
	{ "power.draw [W]", 100 },
	{ "temperature.gpu", 1 },
};
#define N_WANTED (sizeof wanted / sizeof *wanted)

struct tally {
	uint32_t *counts; /* N_VALUES of them */
	uint64_t n, sum;
};

struct table {
	int wanted_of[MOST_COLUMNS]; /* 1 + the row of `wanted`; N_WANTED + 1: the GPU's index; 0: not asked for */
	size_t column;
	bool has_head, is_bad;
	size_t gpu;
	int64_t values[N_WANTED]; /* of this row; -1: none */
	struct tally gpus[MOST_GPUS][N_WANTED];
};

/* "[N/A]" is none. */
static int64_t number(const char *text, size_t n, int scale)
{
	int64_t value = 0;
	size_t i = 0;

	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		value = value * 10 + (text[i] - '0');
	if (i == 0)
		return -1;
	value *= scale;
	if (i + 2 < n && text[i] == '.' && scale == 100)
		value += (text[i + 1] - '0') * 10 + (text[i + 2] - '0');
	return value;
}

static int wanted_of(const char *text, size_t n)
{
	if (n == 5 && memcmp(text, "index", n) == 0)
		return N_WANTED + 1;
	for (size_t w = 0; w < N_WANTED; w++)
		if (strlen(wanted[w].head) == n && memcmp(text, wanted[w].head, n) == 0)
			return (int)w + 1;
	return 0;
}

static void on_cell(void *text, size_t n, void *context)
{
	struct table *const t = context;
	const size_t column = t->column++;

	if (column >= MOST_COLUMNS) {
		t->is_bad = true;
		return;
	}
	if (!t->has_head)
		t->wanted_of[column] = wanted_of(text, n);
	else if (t->wanted_of[column] == N_WANTED + 1)
		t->gpu = (size_t)number(text, n, 1);
	else if (t->wanted_of[column])
		t->values[t->wanted_of[column] - 1] = number(text, n, wanted[t->wanted_of[column] - 1].scale);
}

static void count(struct table *t, size_t column, int64_t value)
{
	struct tally *const tally = &t->gpus[t->gpu][column];

	if (!tally->counts)
		tally->counts = calloc(N_VALUES, sizeof *tally->counts);
	if (!tally->counts || value >= (int64_t)N_VALUES) {
		t->is_bad = true;
		return;
	}
	tally->counts[value]++;
	tally->n++;
	tally->sum += (uint64_t)value;
}

static void on_row(int end, void *context)
{
	struct table *const t = context;

	(void)end;
	t->is_bad |= t->gpu >= MOST_GPUS;
	for (size_t w = 0; w < N_WANTED; w++) {
		if (t->has_head && !t->is_bad && t->values[w] >= 0)
			count(t, w, t->values[w]);
		t->values[w] = -1;
	}
	t->has_head = true;
	t->column = 0;
}

static bool read_all(struct table *t, FILE *file)
{
	static char block[BLOCK];
	struct csv_parser parser;
	bool is_good = csv_init(&parser, 0) == 0;

	for (size_t n; is_good && (n = fread(block, 1, sizeof block, file)) > 0;)
		is_good = csv_parse(&parser, block, n, on_cell, on_row, t) == n;
	is_good = is_good && csv_fini(&parser, on_cell, on_row, t) == 0;
	csv_free(&parser);
	return is_good && !t->is_bad && !ferror(file);
}

/* The value below or at which so many samples lie. */
static size_t value_at(const struct tally *tally, uint64_t n)
{
	uint64_t below = 0;
	size_t value = 0;

	while (value < N_VALUES && (below += tally->counts[value]) < n)
		value++;
	return value;
}

static void print_gpu(const struct table *t, size_t gpu)
{
	for (size_t w = 0; w < N_WANTED; w++) {
		const struct tally *const tally = &t->gpus[gpu][w];
		const double scale = wanted[w].scale;
		if (tally->n)
			printf("%zu %.*s %.4f %.2f %.2f\n", gpu, (int)strcspn(wanted[w].head, " "), wanted[w].head,
				(double)tally->sum / scale / (double)tally->n, (double)value_at(tally, (tally->n * 95 + 99) / 100) / scale,
				(double)value_at(tally, tally->n) / scale);
	}
}

int main(int argc, char **argv)
{
	static struct table table = { .values = { -1, -1, -1, -1 } };
	FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file || !read_all(&table, file)) {
		fprintf(stderr, "libcsv_alone: can't read it\n");
		return 1;
	}
	for (size_t gpu = 0; gpu < MOST_GPUS; gpu++)
		print_gpu(&table, gpu);
	fclose(file);
	return 0;
}
