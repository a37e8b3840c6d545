/*
 * cut_laws.c - what is left of a log that ends anywhere, and of one in which a byte is another.
 *
 *     cut_laws [CASES]     every byte of each log, or of 100000 as many as CASES
 *
 * Of each kind of log that there is a reader for a small one, as its reader shows it and as reader_logs.h writes it; of nvidia-smi's and
 * vmstat's 20 kB that were recorded. What is told of an entity at a moment is a row.
 */
#include "laws.h"

#include "bench/reader_logs.h"
#include "metric/identity.h"
#include "recording_text.h"

#include <stdlib.h>

#define ALL_CASES 100000
#define MADE_BYTES 2000 /* of a made log, and the poll that goes over it */
#define MADE_EACH 4     /* rows a poll at most */
#define FILE_BYTES 20000

struct text {
	const char *name;
	bool has_several; /* GPUs: asked at its ends alone, since one GPU tells the rest */
	struct slice all;
};

struct reading_of { /* a text that was read */
	struct arena mem;
	struct diags diags;
	struct recording *rec; /* NULL: it gave nothing */
};

static void read_text(struct reading_of *r, struct slice text)
{
	const struct read_request request = { 0 };
	struct text_source source = { text };
	struct lines lines;

	arena_init(&r->mem);
	diags_init(&r->diags, &r->mem);
	lines_open_source(&lines, "log", NULL, (struct byte_source){ give_text, &source });
	r->rec = format_read_lines(&r->mem, &lines, &request, NULL, &r->diags);
	lines_close(&lines);
}

static void reading_release(struct reading_of *r)
{
	diags_release(&r->diags);
	arena_release(&r->mem);
}

static size_t rows_of(const struct reading_of *r)
{
	return r->rec ? r->rec->n_rows : 0;
}

static bool is_same_entity(const struct entity *a, const struct entity *b)
{
	const bool is_one = a->scope == SCOPE_GPU ? gpu_is_same(a, b) : a->index == b->index;

	return a->scope == b->scope && strcmp(a->host, b->host) == 0 && is_one;
}

static const struct channel *channel_in(const struct recording *rec, const struct entity *e)
{
	for (size_t i = 0; rec && i < rec->n_channels; i++)
		if (is_same_entity(&rec->channels[i].entity, e))
			return &rec->channels[i];
	return NULL;
}

static const struct column *column_in(const struct channel *c, enum metric metric)
{
	for (size_t k = 0; k < c->n_columns; k++)
		if (c->columns[k].metric == metric)
			return &c->columns[k];
	return NULL;
}

/* Is each value of the row in that row of the other channel, too? */
static bool values_are_in(const struct channel *c, size_t row, const struct channel *other, size_t at)
{
	for (size_t k = 0; k < c->n_columns; k++) {
		const fixed value = column_value(&c->columns[k], row);
		const struct column *const same = column_in(other, c->columns[k].metric);
		if (value != FIXED_MISSING && (!same || column_value(same, at) != value))
			return false;
	}
	return true;
}

/* Rows of a channel that are not in the other one; NULL: none of them is. */
static size_t rows_not_in(const struct channel *c, const struct channel *other, bool but_last)
{
	size_t n = 0, at = 0;

	for (size_t row = 0; row + but_last < c->n_rows; row++) {
		while (other && at < other->n_rows && channel_time(other, at) < channel_time(c, row))
			at++;
		n += !other || at == other->n_rows || channel_time(other, at) != channel_time(c, row) || !values_are_in(c, row, other, at);
	}
	return n;
}

static size_t not_in(const struct recording *rec, const struct recording *other)
{
	size_t n = 0;

	for (size_t i = 0; rec && i < rec->n_channels; i++)
		n += rows_not_in(&rec->channels[i], channel_in(other, &rec->channels[i].entity), false);
	return n;
}

/* ---------------------------------------------------------------- cut */

/* Lines of a poll are added up: where a log ends between two of them, nothing says that there were more. */
static bool adds_up(const struct format *format)
{
	static const char *const names[] = { "iostat", "nvidia-smi-apps", "nvidia-smi-pmon", "pidstat", "sar", "top" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(format->name, names[i]) == 0)
			return true;
	return false;
}

/*
 * One row alone that describes the time before it, at its stamp for want of a step, is the first row of the whole, which begins a step
 * before.
 */
static bool is_told_first(const struct recording *cut, const struct channel *c, const struct channel *whole)
{
	return cut->format->covers_preceding && c->n_rows == 1 && whole->n_rows > 1 && values_are_in(c, 0, whole, 0);
}

static bool is_told(const struct recording *cut, const struct recording *whole, bool at_line_end)
{
	const bool but_last = at_line_end && cut && adds_up(cut->format);

	for (size_t i = 0; cut && i < cut->n_channels; i++) {
		const struct channel *const c = &cut->channels[i], *const w = channel_in(whole, &c->entity);
		if (!w || (rows_not_in(c, w, but_last) && !is_told_first(cut, c, w)))
			return false;
	}
	return true;
}

static bool is_broken(const char *law, const struct text *text, size_t at)
{
	const size_t begin = at > 80 ? at - 80 : 0;

	printf("%s: %s, byte %zu, behind\n%.*s\n", law, text->name, at, (int)(at - begin), text->all.p + begin);
	return false;
}

/* Rows that were there at the end of a line are there at each later one; what is told of a moment is what the whole log tells of it. */
static bool what_is_left_is_in_the_whole(const struct text *text, size_t stride)
{
	struct reading_of whole, cut;
	size_t most = 0;
	bool holds = true;

	read_text(&whole, text->all);
	for (size_t n = 0; n <= text->all.n && holds; n += stride) {
		const bool at_line_end = !n || text->all.p[n - 1] == '\n';
		read_text(&cut, (struct slice){ text->all.p, n });
		holds = is_told(cut.rec, whole.rec, at_line_end) && (!at_line_end || rows_of(&cut) >= most);
		if (at_line_end)
			most = rows_of(&cut);
		reading_release(&cut);
		if (!holds)
			is_broken("cut", text, n);
	}
	if (!rows_of(&whole) && !(whole.rec && whole.rec->n_events))
		holds = is_broken("not read", text, 0);
	reading_release(&whole);
	return holds;
}

/* ---------------------------------------------------------------- flipped */

static bool is_any(const struct text *text)
{
	return text->all.n && !text->has_several;
}

/* Logs of which each line is a row with a time of its own, and only the head and the row below it say how the others are read. */
static bool is_of_rows(const struct text *text)
{
	static const char *const names[] = { "collectl", "csv", "dstat", "sadf -d", "samples/healthy/gpu.csv", "samples/healthy/vmstat.txt" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text->all.n >= MADE_BYTES && strcmp(text->name, names[i]) == 0)
			return true;
	return false;
}

#define HEAD_LINES 10 /* of these logs no head, with the row below it, is longer */

static size_t end_of_head(struct slice text)
{
	struct slice rest = text;

	for (int i = 0; i < HEAD_LINES; i++)
		slice_line(&rest);
	return (size_t)(rest.p - text.p);
}

/* Where its last rows begin: nobody tells of the last row of an entity that its time is damaged. */
static size_t begin_of_tail(struct slice text)
{
	size_t at = text.n;

	for (int n = 0; at && n <= HEAD_LINES; at--)
		n += text.p[at - 1] == '\n';
	return at;
}

#define ROWS_THAT_TELL 9 /* of an entity: fewer rows don't tell which of them is the odd one (sheet_stray.c) */

/* No time is damaged so that a run lasts for a year: each entity begins and ends where it did, up to so many steps. */
static bool ends_stay(const struct recording *whole, const struct recording *damaged, time_ms n_steps)
{
	bool stay = true;

	for (size_t i = 0; i < whole->n_channels; i++) {
		const struct channel *const w = &whole->channels[i], *const d = channel_in(damaged, &w->entity);
		const time_ms most = n_steps * w->step;
		if (w->n_rows < ROWS_THAT_TELL)
			continue;
		stay &= d && d->n_rows && llabs(channel_time(d, 0) - channel_time(w, 0)) <= most &&
			llabs(channel_time(d, d->n_rows - 1) - channel_time(w, w->n_rows - 1)) <= most;
	}
	return stay;
}

#define OVERTAKE_STEPS 4 /* as far as rows overtake each other, and one row less */
#define FLIPS 2000

/*
 * A damaged row is left out or has other values. If its time is damaged it may take the place of another row; and where a row
 * describes the time since the one before it, the next one begins elsewhere.
 */
static bool a_damaged_byte_is_of_its_row_alone(const struct text *text, size_t stride)
{
	const size_t first = end_of_head(text->all), tail = begin_of_tail(text->all);
	char *const bytes = malloc(text->all.n);
	struct random r = { 20261122 };
	struct reading_of whole, damaged;
	bool holds = bytes;

	read_text(&whole, text->all);
	const size_t next = whole.rec->format->covers_preceding;
	for (size_t i = 0; i < FLIPS / stride && holds; i++) {
		const size_t at = first + (size_t)random_below(&r, (int)(text->all.n - first));
		memcpy(bytes, text->all.p, text->all.n);
		bytes[at] = (char)(bytes[at] >= '0' && bytes[at] <= '9' && random_one_in(&r, 2) ? '0' + random_below(&r, 10) : random_below(&r, 256));
		const size_t n_lines = text->all.p[at] == '\n' || bytes[at] == '\n' ? 2 : 1;
		read_text(&damaged, (struct slice){ bytes, text->all.n });
		const size_t n_lost = not_in(whole.rec, damaged.rec), n_new = not_in(damaged.rec, whole.rec);
		const bool stays = at >= tail || ends_stay(whole.rec, damaged.rec, OVERTAKE_STEPS);
		reading_release(&damaged);
		holds = n_lost <= n_lines + 1 + next && n_new <= n_lines + next && stays;
		if (!holds) {
			printf("byte %d in place of %d: %zu rows lost, %zu new%s\n", bytes[at], text->all.p[at], n_lost, n_new,
				stays ? "" : ", and it begins or ends elsewhere");
			is_broken("damaged", text, at);
		}
	}
	free(bytes);
	reading_release(&whole);
	return holds;
}

/* ---------------------------------------------------------------- at the ends, and two beside each other */

#define MOST_EDGES 16 /* of a log of eight GPUs */
#define HOLE_OF_STEPS 181 /* in an end by so much nobody can tell a hole from nine times a digit that makes twenty steps (sheet_stray.c) */

/* nvidia-smi's CSV, with a line of names and one row a line. */
static bool is_query(const struct text *text)
{
	return strncmp(text->name, "samples/", 8) == 0 && slice_starts(text->all, "timestamp, index");
}

static struct slice line_at(struct slice text, size_t n)
{
	struct slice line = slice_line(&text);

	while (n--)
		line = slice_line(&text);
	return line;
}

static size_t count_lines(struct slice text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* The rows that each GPU has first, and last: the number of the line, from 0 on. */
static size_t find_edges(const struct text *text, size_t n_gpus, size_t at[MOST_EDGES])
{
	const size_t n_lines = count_lines(text->all);

	for (size_t i = 0; i < n_gpus; i++) {
		at[i] = 1 + i;
		at[n_gpus + i] = n_lines - n_gpus + i;
	}
	return 2 * n_gpus;
}

/* Of several lines with one kind of damage the first is told. */
static bool tells_of_line(const struct reading_of *r, int64_t line, int64_t or_line)
{
	for (size_t i = 0; i < r->diags.n; i++)
		if (r->diags.at[i].place.line == line || r->diags.at[i].place.line == or_line)
			return true;
	return false;
}

/* All rows but so many are as they were; those that are not used any more are counted, and one of their lines is told. */
static bool is_told_of(const struct reading_of *whole, const struct reading_of *damaged, size_t n_damaged, int64_t line, int64_t or_line)
{
	const size_t n_missing = rows_of(whole) - rows_of(damaged);

	if (!damaged->rec || n_missing > n_damaged || damaged->rec->n_channels != whole->rec->n_channels ||
		not_in(whole->rec, damaged->rec) > n_damaged || not_in(damaged->rec, whole->rec) > n_damaged - n_missing)
		return false;
	const size_t n_rejected = damaged->rec->n_rows_bad - whole->rec->n_rows_bad;
	const size_t n_doubles = damaged->rec->n_doubles - whole->rec->n_doubles; /* at the time of a sound row, which stays */
	return n_rejected + n_doubles == n_missing && (!n_rejected || tells_of_line(damaged, line, or_line));
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* A GPU has the names that its other rows tell. */
static bool names_stay(const struct recording *whole, const struct recording *damaged)
{
	bool stay = true;

	for (size_t i = 0; i < damaged->n_channels; i++) {
		const struct entity *const is = &damaged->channels[i].entity;
		const struct channel *const c = channel_in(whole, is);
		stay &= c && c->entity.index == is->index && is_same_text(c->entity.uuid, is->uuid) &&
			is_same_text(c->entity.bus_id, is->bus_id) && is_same_text(c->entity.name, is->name);
	}
	return stay;
}

/* Of a log that knows GPUs by nothing but their numbers the one with another number may have come for a moment. */
static bool is_all_that_names_it(const struct text *text, struct slice line, size_t byte)
{
	const char *const comma = memchr(line.p, ',', line.n);

	return !slice_has(text->all, "uuid") && comma && byte > (size_t)(comma - line.p) && byte < (size_t)(comma - line.p) + 3;
}

static char other_byte(struct random *r, char byte)
{
	char other = byte;

	while (other == byte || other == '\n')
		other = (char)(byte >= '0' && byte <= '9' && !random_one_in(r, 3) ? '0' + random_below(r, 10) : random_below(r, 256));
	return other;
}

/* The first row of a GPU and the last one, any byte of it; of several GPUs as many of each as of one. */
static bool a_damaged_end_is_of_its_row_alone(const struct text *text, size_t stride)
{
	char *const bytes = malloc(text->all.n);
	struct random r = { 20261123 };
	struct reading_of whole, damaged;
	size_t edges[MOST_EDGES];
	bool holds = bytes;

	read_text(&whole, text->all);
	const size_t n_gpus = whole.rec->n_channels, n = find_edges(text, n_gpus, edges);
	for (size_t i = 0; i < n && holds; i++) {
		const struct slice line = line_at(text->all, edges[i]);
		const size_t begin = (size_t)(line.p - text->all.p);
		for (size_t k = (size_t)random_below(&r, (int)(stride * n_gpus)); k < line.n && holds; k += stride * n_gpus) {
			if (is_all_that_names_it(text, line, k))
				continue;
			memcpy(bytes, text->all.p, text->all.n);
			bytes[begin + k] = other_byte(&r, bytes[begin + k]);
			read_text(&damaged, (struct slice){ bytes, text->all.n });
			holds = is_told_of(&whole, &damaged, 1, (int64_t)edges[i] + 1, -1) && names_stay(whole.rec, damaged.rec) &&
				ends_stay(whole.rec, damaged.rec, HOLE_OF_STEPS);
			if (!holds) {
				printf("%.*s\n", (int)line.n, bytes + begin);
				is_broken("damaged end", text, begin + k);
			}
			reading_release(&damaged);
		}
	}
	free(bytes);
	reading_release(&whole);
	return holds;
}

/* Another digit in the stamp's date or hour: as far as that goes, the row belongs nowhere near. */
static void damage_stamp(struct random *r, char *stamp)
{
	static const int places[] = { 3, 6, 8, 9, 11, 12 }; /* of 2026/11/21 01:48:34.387 */
	char *const digit = &stamp[places[random_below(r, sizeof places / sizeof *places)]];
	const char was = *digit;

	while (*digit == was)
		*digit = (char)('0' + random_below(r, 10));
}

#define PAIRS 400

/* Two rows of a GPU that follow each other, somewhere in the log. */
static bool two_damaged_stamps_are_of_their_rows_alone(const struct text *text, size_t stride)
{
	char *const bytes = malloc(text->all.n);
	struct random r = { 20261124 };
	struct reading_of whole, damaged;
	bool holds = bytes;

	read_text(&whole, text->all);
	const size_t n_gpus = whole.rec->n_channels, n_lines = count_lines(text->all);
	const bool do_tell = n_lines / n_gpus > 2 * ROWS_THAT_TELL;
	for (size_t i = 0; i < PAIRS / stride && holds && do_tell; i++) {
		const size_t first = 1 + n_gpus + (size_t)random_below(&r, (int)(n_lines - 1 - 4 * n_gpus));
		char *const at[] = { bytes + (line_at(text->all, first).p - text->all.p), bytes + (line_at(text->all, first + n_gpus).p - text->all.p) };
		memcpy(bytes, text->all.p, text->all.n);
		damage_stamp(&r, at[0]);
		damage_stamp(&r, at[1]);
		read_text(&damaged, (struct slice){ bytes, text->all.n });
		holds = is_told_of(&whole, &damaged, 2, (int64_t)first + 1, (int64_t)(first + n_gpus) + 1) && rows_of(&damaged) + 2 == rows_of(&whole) &&
			ends_stay(whole.rec, damaged.rec, 0);
		if (!holds) {
			printf("%.23s and %.23s\n", at[0], at[1]);
			is_broken("two damaged stamps", text, (size_t)(at[0] - bytes));
		}
		reading_release(&damaged);
	}
	free(bytes);
	reading_release(&whole);
	return holds;
}

/* ---------------------------------------------------------------- all logs */

#define MOST_TEXTS 100

struct texts {
	struct arena mem;
	struct text at[MOST_TEXTS];
	size_t n;
};

static void add_text(struct texts *t, const char *name, const char *bytes, size_t n)
{
	t->at[t->n++] = (struct text){ name, false, { arena_text(&t->mem, bytes, n), n } };
}

static void add_made(struct texts *t, const struct log_kind *kind)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *const to = open_memstream(&bytes, &n);

	if (!to)
		return;
	put_log(to, kind, MADE_BYTES, MADE_EACH);
	fclose(to);
	add_text(t, kind->name, bytes, n);
	free(bytes);
}

static void add_file(struct texts *t, const char *path, bool has_several)
{
	static char bytes[FILE_BYTES];
	FILE *const file = fopen(path, "rb");

	if (!file)
		return;
	const size_t n = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	add_text(t, path, bytes, n);
	t->at[t->n - 1].has_several = has_several;
}

static const struct text_law {
	const char *name;
	bool (*holds)(const struct text *text, size_t stride);
	bool (*is_for)(const struct text *text);
} laws[] = {
	{ "what_is_left_is_in_the_whole", what_is_left_is_in_the_whole, is_any },
	{ "a_damaged_byte_is_of_its_row_alone", a_damaged_byte_is_of_its_row_alone, is_of_rows },
	{ "a_damaged_end_is_of_its_row_alone", a_damaged_end_is_of_its_row_alone, is_query },
	{ "two_damaged_stamps_are_of_their_rows_alone", two_damaged_stamps_are_of_their_rows_alone, is_query },
};

static bool holds_of_all(const struct text_law *law, const struct texts *texts, size_t stride)
{
	bool holds = true;

	for (size_t i = 0; i < texts->n; i++)
		if (law->is_for(&texts->at[i]))
			holds &= law->holds(&texts->at[i], stride);
	printf(holds ? "[       OK ] %s\n" : "[  FAILED  ] %s\n", law->name);
	return holds;
}

int main(int argc, char **argv)
{
	static struct texts texts;
	int64_t n_cases = ALL_CASES;
	bool all_hold = true;

	if (argc > 1 && (!integer_parse(slice_of(argv[1]), &n_cases) || n_cases < 1)) {
		fprintf(stderr, "usage: %s [CASES]\n", argv[0]);
		return 2;
	}
	arena_init(&texts.mem);
	for (size_t i = 0; i < n_formats; i++)
		add_text(&texts, format_table[i]->name, format_table[i]->sample, strlen(format_table[i]->sample));
	for (size_t i = 0; i < sizeof log_kinds / sizeof *log_kinds; i++)
		add_made(&texts, &log_kinds[i]);
	add_file(&texts, "samples/healthy/gpu.csv", false);
	add_file(&texts, "samples/healthy/vmstat.txt", false);
	add_file(&texts, "samples/straggler_4gpu/gpu.csv", true);
	add_file(&texts, "samples/slow_files/gpu.csv", true);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
		all_hold &= holds_of_all(&laws[i], &texts, n_cases < ALL_CASES ? (size_t)(ALL_CASES / n_cases) : 1);
	arena_release(&texts.mem);
	return all_hold ? 0 : 1;
}
