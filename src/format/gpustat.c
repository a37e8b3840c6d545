/*
 * gpustat.c - reads what `gpustat [-cpPF…] [-i N]`, or a loop around it, printed as text.
 *
 *     node01                  Sat Nov 21 01:48:42 2026  580.159.04
 *     [0] NVIDIA H200 | 41'C, 100 % | 113325 / 143771 MB | ann(113316M)
 *     [1] NVIDIA H200 | 33'C,  30 %,   0 %,   76 / 700 W |     0 / 143771 MB |
 *
 * The first line names the host, the time and, since 0.6, the driver. The time is local, without a zone; it follows the
 * locale ("Sat 21 Nov 2026 01:48:42 AM" in en_US), on Windows it is "2026-11-21 01:48:42". GPUs are lines with their
 * number in front: name, then temperature, fan (-F), utilization and power (-P), then memory, then the owners of
 * processes, which are not read. Two shares are fan and utilization. What is not known is "??". On Windows the sign of
 * degrees arrives as anything; only the C behind it is sure. -e adds encoder and decoder ("E: 0 %  D: 0 %").
 *
 * Colours and the cursor moves of -i are taken out first. What a loop prints between the polls (dates, prompts,
 * blank lines) is ignored. MB means MiB here.
 */
#include "format/date_line.h"
#include "format/sheet.h"

#define MAX_NAMES ((size_t)64) /* kept; of GPUs with higher indexes each row has its own */

/* gpustat heads nothing; these names are ours. */
static const struct spelling columns[] = {
	{ "utilization", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "fan", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "temperature", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "power", METRIC_GPU_POWER, UNIT_WATT },
	{ "power limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "memory", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "memory, total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};
enum place_in_columns { UTIL, FAN, TEMP, POWER, CAP, MEMORY, MEMORY_TOTAL, N_VALUES };

static const struct absence_word absences[] = {
	{ "??", ABSENT_UNSUPPORTED },
	{ "?", ABSENT_UNSUPPORTED },
	{ "N/A", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

struct gpu_line {
	int index;
	struct slice name;
	struct slice values[N_VALUES]; /* p is NULL where the line has none */
};

struct head_line {
	struct slice host, driver; /* driver: empty when there is none */
	time_ms t;
};

struct gpustat {
	struct reading *r;
	struct sheet *sheet;
	time_ms t;
	bool has_time, of_other_host;
	const char *names[MAX_NAMES]; /* of GPUs, by index: the same words in every poll are kept once */
	char *plain; /* room for a line */
};

/* Without the escape sequences of a terminal: "ESC [ … letter", "ESC ( letter", and others of one letter. */
static struct slice without_escapes(struct slice line, char *plain)
{
	size_t n = 0;

	if (!line.n || !memchr(line.p, '\x1b', line.n))
		return line;
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '\x1b') {
			plain[n++] = line.p[i];
			continue;
		}
		i++;
		if (i < line.n && line.p[i] == '[')
			do
				i++;
			while (i < line.n && (line.p[i] < '@' || line.p[i] > '~'));
		else if (i < line.n && (line.p[i] == '(' || line.p[i] == ')'))
			i++;
	}
	return (struct slice){ plain, n };
}

/* What stands before the first `mark`, trimmed; the rest behind it. False when there is no mark. */
static bool cut_at(struct slice *rest, char mark, struct slice *part)
{
	const char *end = rest->n ? memchr(rest->p, mark, rest->n) : NULL;

	if (!end)
		return false;
	*part = slice_trim((struct slice){ rest->p, (size_t)(end - rest->p) });
	*rest = (struct slice){ end + 1, (size_t)(rest->p + rest->n - end) - 1 };
	return true;
}

static bool ends_with(struct slice s, char c)
{
	return s.n && s.p[s.n - 1] == c;
}

/* "38'C" with whatever bytes between the number and the C. */
static bool cut_temperature(struct slice part, struct slice *value)
{
	size_t n = 0;

	if (!ends_with(part, 'C'))
		return false;
	while (n < part.n && (is_digit(part.p[n]) || part.p[n] == '-' || part.p[n] == '?'))
		n++;
	*value = (struct slice){ part.p, n };
	return n > 0 && part.n - n <= 5; /* the longest that was seen is U+FFFD, of three bytes */
}

/* "250 / 300 W" and "10972 / 11019 MB": use and bound. gpustat leaves the bound out where there is none. */
static bool cut_pair(struct slice part, const char *unit, struct slice *use, struct slice *bound)
{
	struct slice rest = part;
	struct slice first = slice_word(&rest), word = slice_word(&rest);

	*use = first;
	if (slice_is(word, "/")) {
		*bound = slice_word(&rest);
		word = slice_word(&rest);
	}
	return first.n && slice_is(word, unit) && !slice_word(&rest).n;
}

/* A part between commas of the cell that begins with the temperature; false when it is none that we know. */
static bool take_part(struct gpu_line *gpu, struct slice part)
{
	if (slice_starts(part, "E:") || slice_starts(part, "D:"))
		return true;
	if (ends_with(part, '%')) {
		gpu->values[FAN] = gpu->values[UTIL]; /* of two shares the last is the utilization */
		gpu->values[UTIL] = slice_trim((struct slice){ part.p, part.n - 1 });
		return gpu->values[UTIL].n > 0;
	}
	return ends_with(part, 'W') && cut_pair(part, "W", &gpu->values[POWER], &gpu->values[CAP]);
}

/* "[0] NVIDIA H200 | 41'C, 100 % | 113325 / 143771 MB |" */
static bool cut_gpu_line(struct slice line, struct gpu_line *gpu)
{
	struct slice cell, part;
	int64_t index;

	*gpu = (struct gpu_line){ 0 };
	line = slice_trim(line);
	if (!line.n || line.p[0] != '[')
		return false;
	line = (struct slice){ line.p + 1, line.n - 1 };
	if (!cut_at(&line, ']', &part) || !integer_parse(part, &index) || index >= 1 << 16)
		return false;
	gpu->index = (int)index;
	if (!cut_at(&line, '|', &gpu->name) || !cut_at(&line, '|', &cell))
		return false;
	if (!cut_at(&cell, ',', &part) || !cut_temperature(part, &gpu->values[TEMP]))
		return false;
	while (cut_at(&cell, ',', &part))
		if (!take_part(gpu, part))
			return false;
	if (!take_part(gpu, slice_trim(cell)) || !gpu->values[UTIL].p)
		return false;
	if (!cut_at(&line, '|', &cell)) /* the owners behind the last bar may be missing, and the bar with them */
		cell = slice_trim(line);
	return cut_pair(cell, "MB", &gpu->values[MEMORY], &gpu->values[MEMORY_TOTAL]);
}

/* "580.159.04" */
static bool is_version(struct slice word)
{
	size_t points = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] != '.' && (word.p[i] < '0' || word.p[i] > '9'))
			return false;
		points += word.p[i] == '.';
	}
	return points >= 1;
}

/* Host names begin with a letter or a digit; banners around a date don't. */
static bool is_host(struct slice word)
{
	const char c = word.n ? word.p[0] : ' ';

	return (is_digit(c) || is_letter(c)) && slice_is_utf8(word);
}

/* "node01    Sat Nov 21 01:48:42 2026  580.159.04" */
static bool cut_head_line(struct slice line, struct head_line *head)
{
	struct slice rest = slice_trim(line), zone;
	size_t n;

	head->host = slice_word(&rest);
	rest = slice_trim(rest);
	for (n = rest.n; n && rest.p[n - 1] != ' '; n--)
		;
	head->driver = (struct slice){ rest.p + n, rest.n - n };
	if (is_version(head->driver))
		rest = slice_trim((struct slice){ rest.p, n });
	else
		head->driver = (struct slice){ "", 0 };
	return is_host(head->host) &&
	       (stamp_parse(rest, &head->t) || date_line_parse(rest, &head->t, &zone));
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	char *plain = arena_alloc(scratch, first_bytes.n);
	bool has_head = false;

	while (first_bytes.n) {
		const struct slice line = without_escapes(slice_line(&first_bytes), plain);
		struct head_line head;
		struct gpu_line gpu;
		if (has_head && cut_gpu_line(line, &gpu))
			return (struct bid){ 85, "it has gpustat's line with host and time, and GPUs below it" };
		has_head |= cut_head_line(line, &head);
	}
	return (struct bid){ 0, NULL };
}

static void take_head(struct gpustat *g, const struct head_line *head)
{
	struct recording *rec = g->r->recording;

	rec->n_rows_ignored++;
	if (!rec->tool && head->driver.n)
		rec->tool = arena_print(g->r->mem, "driver %.*s", SLICE(head->driver));
	g->t = head->t;
	g->has_time = true;
	g->of_other_host = !reading_host(g->r, head->host);
}

static const char *name_of(struct gpustat *g, const struct gpu_line *gpu)
{
	const size_t i = (size_t)gpu->index;

	if (!gpu->name.n || !slice_is_utf8(gpu->name))
		return NULL;
	if (i < MAX_NAMES && g->names[i] && slice_is(gpu->name, g->names[i]))
		return g->names[i];
	const char *name = arena_text(g->r->mem, gpu->name.p, gpu->name.n);
	if (i < MAX_NAMES)
		g->names[i] = name;
	return name;
}

static void take_gpu(struct gpustat *g, struct slice line, const struct gpu_line *gpu)
{
	struct place place = { g->r->lines->path, g->r->lines->line, 0 };

	if (!g->has_time) {
		sheet_reject(g->sheet, place, DIAG_BAD_TIME, "no line with host and time above this GPU; row not used");
		return;
	}
	if (g->of_other_host) {
		sheet_reject(g->sheet, place, DIAG_BAD_ROW, "a GPU of another host than %s; split the log by hosts; row not used",
			g->r->recording->host);
		return;
	}
	const struct entity entity = { .scope = SCOPE_GPU, .host = "", .index = gpu->index, .name = name_of(g, gpu) };
	const size_t channel = sheet_channel(g->sheet, &entity);
	if (channel == SIZE_MAX) {
		g->r->recording->n_rows_bad++;
		return;
	}
	sheet_row(g->sheet, channel, g->t);
	for (size_t i = 0; i < N_VALUES; i++) {
		if (!gpu->values[i].p)
			continue;
		place.column = (int)(gpu->values[i].p - line.p) + 1;
		sheet_cell(g->sheet, &columns[i], columns[i].unit, gpu->values[i], place);
	}
}

static void take_line(struct gpustat *g, struct slice line)
{
	struct place place = { g->r->lines->path, g->r->lines->line, 0 };
	struct head_line head;
	struct gpu_line gpu;

	if (!sheet_takes_line(g->sheet))
		return;
	line = without_escapes(line, g->plain);
	if (cut_gpu_line(line, &gpu))
		take_gpu(g, line, &gpu);
	else if (cut_head_line(line, &head))
		take_head(g, &head);
	else if (slice_starts(slice_trim(line), "["))
		sheet_reject(g->sheet, place, DIAG_BAD_ROW, "not the temperature, use and memory of a GPU; row not used");
	else
		g->r->recording->n_rows_ignored++;
}

static bool read(struct reading *r)
{
	struct gpustat *g = NEW(r->scratch, struct gpustat);
	struct slice line;

	g->r = r;
	g->sheet = sheet_new(r);
	g->plain = arena_alloc(r->scratch, (size_t)limit_of(r->lines->limits, LIMIT_LINE));
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(g, line);
	return sheet_finish(g->sheet);
}

static const char sample[] =
	"node01                  Sat Nov 21 01:48:41 2026  580.159.04\n"
	"[0] NVIDIA H200 | 37'C,   0 % |   529 / 143771 MB |\n"
	"[1] NVIDIA H200 | 33'C,   0 % |     0 / 143771 MB |\n"
	"node01                  Sat Nov 21 01:48:46 2026  580.159.04\n"
	"[0] NVIDIA H200 | 47'C, 100 % | 113325 / 143771 MB | ann(113316M)\n"
	"[1] NVIDIA H200 | 33'C,   0 % |     0 / 143771 MB |\n";

const struct format format_gpustat = {
	.name = "gpustat",
	.title = "gpustat [-P] [-F] [-i N]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.bid = bid,
	.read = read,
};
