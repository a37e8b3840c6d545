/*
 * free.c - reads what `free -s N` printed (procps 3 and 4).
 *
 *                    total        used        free      shared  buff/cache   available
 *     Mem:       131981020      519608   130656608        7368     1025864   131461412
 *     Swap:              0           0           0
 *
 *                  total       used       free     shared    buffers     cached        before 3.3.10
 *     Mem:       8060436    7803484     256952          0     292436    4953304
 *     -/+ buffers/cache:    2557744    5502692
 *
 * There is no time: rows are a second apart until --start and --step place them, unless a line of date(1) stands
 * before each table. Numbers carry their unit with -h only ("125Gi"); -b, -m and -g leave no trace in the log. What
 * all memory of a host can be tells KiB, which is the default, from the others; what is not the default is said.
 *
 * What programs hold is all memory less what is available, as procps 4 counts it; before there was such a column it
 * is "used" less buffers and caches.
 */
#include "format/date_line.h"
#include "format/sheet.h"

#define WORDS_MOST ((size_t)12)

static const struct spelling columns[] = {
	{ "total", METRIC_HOST_MEM_TOTAL, UNIT_KIB },
	{ "used", METRIC_HOST_MEM_USED, UNIT_KIB },
	{ "free", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "available", METRIC_HOST_MEM_AVAILABLE, UNIT_KIB },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

enum cell { CELL_TOTAL,
	CELL_USED,
	CELL_FREE,
	CELL_AVAILABLE,
	CELL_BUFFERS,
	CELL_CACHED,
	N_CELLS };
static const char *const cell_heads[N_CELLS] = { "total", "used", "free", "available", "buffers", "cached" };

struct free_log {
	struct reading *r;
	struct sheet *sheet;
	struct slice words[WORDS_MOST];
	size_t n_words;
	size_t places[N_CELLS]; /* of the head's words; WORDS_MOST where absent */
	size_t n_heads;         /* 0: no head yet */
	bool has_rows, is_dated, has_date, has_row; /* has_row: of the table in force, for its swap line */
	time_ms date;
	size_t n_rows;
	fixed bytes; /* in one unit of a number without suffix; 0 until the first row */
	size_t channel;
};

static void cut_words(struct free_log *f, struct slice line)
{
	f->n_words = 0;
	while (f->n_words < WORDS_MOST && (f->words[f->n_words] = slice_word(&line)).n)
		f->n_words++;
}

static bool is_head(struct slice line)
{
	struct slice first = slice_word(&line), second = slice_word(&line), third = slice_word(&line), fourth = slice_word(&line);

	return slice_is(first, "total") && slice_is(second, "used") && slice_is(third, "free") && slice_is(fourth, "shared");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) { /* a date may stand before it */
		const struct slice line = slice_line(&first_bytes);
		if (is_head(line) && slice_starts(first_bytes, "Mem:"))
			return (struct bid){ 50, "it has the table of free" };
	}
	return (struct bid){ 0, NULL };
}

static void take_head(struct free_log *f)
{
	f->r->recording->n_rows_ignored++;
	f->n_heads = f->n_words;
	f->has_row = false;
	for (size_t c = 0; c < N_CELLS; c++) {
		f->places[c] = WORDS_MOST;
		for (size_t i = 0; i < f->n_words; i++)
			if (slice_is(f->words[i], cell_heads[c]))
				f->places[c] = i + 1; /* behind "Mem:" */
	}
}

#define BYTES_PER(shift) ((fixed)1 << (shift))
#define KIB BYTES_PER(10)
#define MIB BYTES_PER(20)
#define GIB BYTES_PER(30)
#define TIB BYTES_PER(40)

/*
 * A host with less than 1 GiB runs no GPU job, none has over 64 TiB. What could be so many KiB or bytes is bytes if it is whole pages of
 * 4 KiB: of hosts of a TiB and more, in KiB, one of a thousand is.
 */
static fixed bytes_of_unit(fixed total)
{
	const fixed n = total / FIXED_ONE;

	if (n >= TIB / 16 || (n >= GIB && n % 4096 == 0))
		return 1;
	if (n >= MIB)
		return KIB;
	return n >= 1024 ? MIB : GIB;
}

/* "Gi", "G", "B" */
static fixed bytes_of_suffix(struct slice suffix)
{
	static const struct {
		char letter;
		fixed bytes;
	} letters[] = { { 'B', 1 }, { 'K', KIB }, { 'M', MIB }, { 'G', GIB }, { 'T', TIB } };

	if (!suffix.n || suffix.n > 2 || (suffix.n == 2 && suffix.p[1] != 'i'))
		return 0;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (suffix.p[0] == letters[i].letter)
			return letters[i].bytes;
	return 0;
}

/* The unit of numbers without suffix is settled by the first row's total. */
static void settle_unit(struct free_log *f, fixed total)
{
	const struct place place = { f->r->lines->path, f->r->lines->line, 0 };

	f->bytes = bytes_of_unit(total);
	if (f->bytes != KIB)
		diag_at(f->r->diags, place, DIAG_BAD_UNIT, "numbers without a unit; as all memory is %lld, they are taken as %s",
			(long long)(total / FIXED_ONE), f->bytes == MIB ? "MiB" : f->bytes == GIB ? "GiB" : "bytes");
}

/* MiB; false when the word is no size. */
static bool size_parse(struct free_log *f, struct slice word, fixed *mib)
{
	struct slice suffix;
	fixed value;

	if (!fixed_parse(word, &value, &suffix) || value < 0)
		return false;
	if (!suffix.n && !f->bytes)
		settle_unit(f, value);
	const fixed bytes = suffix.n ? bytes_of_suffix(suffix) : f->bytes;
	if (!bytes || (bytes > MIB && value > INT64_MAX / (bytes / MIB)))
		return false;
	*mib = bytes >= MIB ? value * (bytes / MIB) : value / (MIB / bytes);
	return true;
}

static void put(struct free_log *f, enum metric metric, fixed mib)
{
	if (mib != FIXED_MISSING)
		sheet_put(f->sheet, metric, mib, 1);
}

static void put_row(struct free_log *f, const fixed cells[N_CELLS])
{
	const fixed total = cells[CELL_TOTAL];
	fixed used = cells[CELL_USED];

	if (cells[CELL_AVAILABLE] != FIXED_MISSING)
		used = total - cells[CELL_AVAILABLE];
	else if (cells[CELL_BUFFERS] != FIXED_MISSING && cells[CELL_CACHED] != FIXED_MISSING)
		used -= cells[CELL_BUFFERS] + cells[CELL_CACHED];
	put(f, METRIC_HOST_MEM_TOTAL, total);
	put(f, METRIC_HOST_MEM_FREE, cells[CELL_FREE]);
	put(f, METRIC_HOST_MEM_AVAILABLE, cells[CELL_AVAILABLE]);
	if (used < 0 || used > total || !total)
		return;
	put(f, METRIC_HOST_MEM_USED, used);
	sheet_put(f->sheet, METRIC_HOST_MEM_SHARE, (fixed)((double)used / (double)total * 100 * FIXED_ONE + 0.5), 2);
}

static bool take_time(struct free_log *f, time_ms *t)
{
	const struct place place = { f->r->lines->path, f->r->lines->line, 0 };

	if (!f->has_rows)
		f->is_dated = f->has_date;
	*t = f->is_dated ? f->date : (time_ms)f->n_rows * SECOND_MS;
	if (f->is_dated && !f->has_date)
		return sheet_reject(f->sheet, place, DIAG_BAD_TIME, "a table without a date in a log with dates; not used");
	f->has_date = false;
	return true;
}

static bool cells_parse(struct free_log *f, fixed cells[N_CELLS], struct slice line)
{
	struct place place = { f->r->lines->path, f->r->lines->line, 0 };

	if (f->n_words != f->n_heads + 1)
		return sheet_reject(f->sheet, place, DIAG_BAD_ROW, "%zu words where the header has %zu; row not used", f->n_words,
			f->n_heads + 1);
	for (size_t c = 0; c < N_CELLS; c++) {
		cells[c] = FIXED_MISSING;
		if (f->places[c] == WORDS_MOST)
			continue;
		const struct slice word = f->words[f->places[c]];
		place.column = (int)(word.p - line.p) + 1;
		if (!size_parse(f, word, &cells[c]))
			return sheet_reject(f->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %s is no size; row not used", SLICE(word),
				cell_heads[c]);
	}
	return true;
}

static void take_row(struct free_log *f, struct slice line)
{
	fixed cells[N_CELLS] = { 0 };
	time_ms t = 0;

	f->has_row = cells_parse(f, cells, line) && take_time(f, &t);
	if (!f->has_row)
		return;
	f->has_rows = true;
	f->n_rows++;
	sheet_row(f->sheet, f->channel, t);
	put_row(f, cells);
}

/* "Swap:  total  used  free" */
static void take_swap(struct free_log *f)
{
	fixed used;

	f->r->recording->n_rows_ignored++;
	if (f->has_row && f->n_words > 2 && size_parse(f, f->words[2], &used))
		put(f, METRIC_HOST_SWAP_USED, used);
	f->has_row = false;
}

static void take_date(struct free_log *f, time_ms t, struct slice zone)
{
	f->r->recording->n_rows_ignored++;
	f->date = t;
	f->has_date = true;
	reading_zone(f->r, zone);
}

static void take_line(struct free_log *f, struct slice line)
{
	struct slice zone;
	time_ms t;

	if (!sheet_takes_line(f->sheet))
		return;
	cut_words(f, line);
	if (is_head(line))
		take_head(f);
	else if (f->n_heads && slice_is(f->words[0], "Mem:"))
		take_row(f, line);
	else if (slice_is(f->words[0], "Swap:"))
		take_swap(f);
	else if (date_line_parse(line, &t, &zone))
		take_date(f, t, zone);
	else
		f->r->recording->n_rows_ignored++;
}

static bool read(struct reading *r)
{
	struct free_log *f = NEW(r->scratch, struct free_log);
	struct slice line;

	f->r = r;
	f->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	f->channel = sheet_channel(f->sheet, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
	while (line_next(r->lines, &line))
		take_line(f, line);
	r->recording->clock.time_unknown = !f->is_dated;
	return sheet_finish(f->sheet);
}

static const char sample[] =
	"               total        used        free      shared  buff/cache   available\n"
	"Mem:       131981020      519608   130656608        7368     1025864   131461412\n"
	"Swap:              0           0           0\n"
	"\n"
	"               total        used        free      shared  buff/cache   available\n"
	"Mem:       131981020      626660   130549596        7368     1026624   131354360\n"
	"Swap:              0           0           0\n"
	"\n";

const struct format format_free = {
	.name = "free",
	.title = "free -s N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
