/*
 * row_pattern_laws.c - rows that are read by their GPU's pattern say what the grammar would have said.
 *
 * A case is a log of nvidia-smi as a person may have it: any columns in any order, with units or without, a few GPUs; and odd rows,
 * cells and lines in it, as many as there may be.
 */
#include "laws.h"

#include "recording_text.h"

struct kind {
	const char *head;  /* with its unit */
	const char *const *cells; /* what a cell may say; '#' is a digit, '~' one that changes every few rows */
};

static const char *const shares[] = { "## %", "# %", "100 %", "##", "[N/A]", "1## %", NULL };
static const char *const memory[] = { "~#### MiB", "##### MiB", "####", "2 GiB", "[N/A]", NULL };
static const char *const total[] = { "81559 MiB", "81559 MiB", "40960 MiB", NULL };
static const char *const watts[] = { "###.## W", "##.# W", "~#.## W", "##", "[N/A]", "[Not Supported]", "[Unknown Error]", NULL };
static const char *const limits[] = { "700.00 W", "700.00 W", "700.00 W", "650.00 W", NULL };
static const char *const celsius[] = { "##", "~#", "-#", "N/A", NULL };
static const char *const clocks[] = { "1### MHz", "1980 MHz", "1.9## GHz", "####", NULL };
static const char *const pstates[] = { "P0", "P0", "P#", "P12", "8", NULL };
static const char *const masks[] = { "0x0000000000000000", "0x0000000000000004", "0x000000000000000#", "0x##", "Active", "###", NULL };
static const char *const flags[] = { "Active", "Not Active", "Not Active", "[N/A]", NULL };
static const char *const counters[] = { "####### us", "~####### us", "########## us", "##############  us", "12.5 us", "# s", NULL };
static const char *const links[] = { "~", "16", "#", "[N/A]", NULL };
static const char *const anything[] = { "Enabled", "####.##", "Disabled", "", "[N/A]", "a b c", "580.159.04", "\"open", NULL };
static const char *const temps_left[] = { "##", "N/A", "-##", NULL };

static const struct kind kinds[] = {
	{ "utilization.gpu [%]", shares }, { "utilization.memory [%]", shares }, { "memory.used [MiB]", memory },
	{ "memory.total [MiB]", total }, { "power.draw [W]", watts }, { "power.draw.instant [W]", watts },
	{ "power.draw.average [W]", watts }, { "enforced.power.limit [W]", limits }, { "power.limit [W]", limits },
	{ "temperature.gpu", celsius }, { "temperature.memory", celsius }, { "temperature.gpu.tlimit", temps_left },
	{ "clocks.current.sm [MHz]", clocks }, { "clocks.max.sm [MHz]", clocks }, { "pstate", pstates },
	{ "clocks_event_reasons.active", masks }, { "clocks_event_reasons.hw_slowdown", flags },
	{ "clocks_event_reasons_counters.sw_power_cap [us]", counters }, { "fan.speed [%]", shares },
	{ "pcie.link.gen.current", links }, { "ecc.errors.uncorrected.volatile.total", links }, { "compute_mode", anything },
	{ "vbios_version", anything }, { "memory.free [MiB]", memory }, { "serial", anything }, { "driver_version", anything },
};
#define N_KINDS ((int)(sizeof kinds / sizeof *kinds))

static const char *const odd_cells[] = {
	"[GPU is lost]", "[GPU requires reset]", "ERR!", "", " ", "1,024", "\"1,024 MiB\"", "1e3 W", "0x1F", "99999 %", "-5 W", "+5 W", "5. W",
	".5 W", "1.2.3 W", "300.123456789 W", "123456789012345678901234567890", "12 mW", "12 W W", "12W", "12  W", "12\tW", "P0", "P00", "P99",
	"Not Active", "\"N/A\"", "n/a", "-", "[Unknown Error]", "[Insufficient Permissions]", "nan", "inf", "0", "00000000000", "007 %", "a\"b",
	"\"", "utilization.gpu", "12345678 MiB", "1234567 MiB", "\v5 %", "5 %\v", "5\xC2\xB0 C", "\xFF\xFE",
};
#define N_ODD_CELLS ((int)(sizeof odd_cells / sizeof *odd_cells))

static const char *const odd_lines[] = {
	"", "   ", "-----", "Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.  Reboot the system",
	"Unable to determine the device handle for GPU1: 0000:0B:00.0: Unknown Error", "Failed to initialize NVML: Driver/library version mismatch",
	"Tue Jun  9 09:00:01 UTC 2020", "2026-10-25 02:00:00", "C:\\logs>nvidia-smi", "\xEF\xBB\xBF", "1,2,3", "2026/11/21 01:48:34.387", "\"", "a, \"b",
	"2026/11/21 01:48:34.387, 0, \"open", "end\"", " the rest of a message",
};
#define N_ODD_LINES ((int)(sizeof odd_lines / sizeof *odd_lines))

#define MOST_COLUMNS 14
#define MOST_GPUS 5

struct log { /* in the making */
	struct random *r;
	struct buf text;
	int columns[MOST_COLUMNS];
	int n_columns, n_gpus, time_at, oddness; /* one row in so many is odd; 0: none */
	bool repeats_head; /* before each poll, as a shell loop does */
	int respelled;     /* one row in so many has another name and perhaps a cell in quotes; 0: none */
	int names[2], in_quotes;
	bool is_respelled; /* this row */
	bool has_index, has_uuid, has_name, has_bus_id, has_ms, has_dashes;
	const char *comma, *end, *zone;
	int64_t second; /* since the log's first day began */
	int form[MOST_COLUMNS]; /* which of its forms a column has most of the time */
};

static const char *const zones[] = { "", "Z", "+08:00", " +08:00", "-0330", " UTC", "Z " };
#define N_ZONES ((int)(sizeof zones / sizeof *zones))

static void put_stamp(struct log *l, int ms)
{
	const int of_day = (int)(l->second % 86400), day = 25 + (int)(l->second / 86400 % 5);

	const int second = l->oddness && random_one_in(l->r, 300) ? 60 + of_day % 40 : of_day % 60;

	buf_print(&l->text, l->has_dashes ? "2026-10-%02d %02d:%02d:%02d" : "2026/10/%02d %02d:%02d:%02d", day, of_day / 3600, of_day / 60 % 60,
		second);
	if (l->has_ms)
		buf_print(&l->text, l->has_dashes && l->has_name ? ".%03d5123" : ".%03d", ms);
	if (l->oddness && random_one_in(l->r, 200))
		buf_text(&l->text, random_one_in(l->r, 2) ? "777777" : ".5");
	buf_text(&l->text, l->oddness && random_one_in(l->r, 60) ? zones[random_below(l->r, N_ZONES)] : l->zone);
}

static void put_cell_text(struct log *l, const char *form)
{
	for (const char *p = form; *p; p++) {
		if (*p == '#')
			buf_char(&l->text, (char)('0' + random_below(l->r, 10)));
		else if (*p == '~')
			buf_char(&l->text, (char)('1' + l->second / 16 % 9));
		else
			buf_char(&l->text, *p);
	}
}

static void put_metric_cell(struct log *l, int column)
{
	const struct kind *kind = &kinds[l->columns[column]];
	int n = 0;

	while (kind->cells[n])
		n++;
	if (l->oddness && random_one_in(l->r, 40))
		l->form[column] = random_below(l->r, n);
	put_cell_text(l, l->oddness && random_one_in(l->r, 60) ? kind->cells[random_below(l->r, n)] : kind->cells[l->form[column] % n]);
}

static const char *const names[] = { "NVIDIA H200", "\"NVIDIA H200\"", "\"NVIDIA H200, 141GB\"", "NVIDIA A100", "H200", "NVIDIA \"H200\"",
	"[N/A]", "\"\"", "\"NVIDIA \"\"H200\"\", 141GB\"" };
#define N_NAMES ((int)(sizeof names / sizeof *names))

static void put_identity(struct log *l, int gpu)
{
	if (l->has_index)
		buf_print(&l->text, "%s%d", l->comma, gpu);
	if (l->has_uuid && l->oddness && random_one_in(l->r, 90))
		buf_print(&l->text, "%s[N/A]", l->comma);
	else if (l->has_uuid)
		buf_print(&l->text, "%sGPU-5c1d0000-6b1f-4c0e-9d53-%012d", l->comma, l->oddness ? gpu % 4 : gpu);
	if (l->has_name)
		buf_print(&l->text, "%s%s", l->comma, names[l->names[l->is_respelled]]);
	if (l->has_bus_id)
		buf_print(&l->text, "%s00000000:%02X:00.0", l->comma, 8 + gpu);
}

static void put_cells(struct log *l, int begin, int end, bool with_time)
{
	const int odd = l->oddness && random_one_in(l->r, l->oddness) ? random_below(l->r, MOST_COLUMNS) : -1;

	for (int i = begin; i < end; i++) {
		if (i || with_time)
			buf_text(&l->text, l->comma);
		const bool in_quotes = l->is_respelled && i == l->in_quotes;
		if (in_quotes)
			buf_char(&l->text, '"');
		if (i == odd)
			buf_text(&l->text, odd_cells[random_below(l->r, N_ODD_CELLS)]);
		else
			put_metric_cell(l, i);
		if (in_quotes)
			buf_char(&l->text, '"');
	}
}

static void put_row(struct log *l, int gpu)
{
	l->is_respelled = l->respelled && random_one_in(l->r, l->respelled);
	put_cells(l, 0, l->time_at, false);
	if (l->time_at)
		buf_text(&l->text, l->comma);
	put_stamp(l, (3 + 100 * gpu + random_below(l->r, 9)) % 1000);
	put_identity(l, gpu);
	put_cells(l, l->time_at, l->n_columns, true);
	if (l->oddness && random_one_in(l->r, 80))
		buf_text(&l->text, ",");
	if (l->oddness && random_one_in(l->r, 80))
		buf_text(&l->text, ", 5");
	buf_text(&l->text, l->oddness && random_one_in(l->r, 50) ? "\r\n" : l->end);
}

static void put_head(struct log *l)
{
	for (int i = 0; i < l->time_at; i++)
		buf_print(&l->text, "%s%s", i ? l->comma : "", kinds[l->columns[i]].head);
	buf_print(&l->text, "%stimestamp", l->time_at ? l->comma : "");
	if (l->has_index)
		buf_print(&l->text, "%sindex", l->comma);
	if (l->has_uuid)
		buf_print(&l->text, "%suuid", l->comma);
	if (l->has_name)
		buf_print(&l->text, "%sname", l->comma);
	if (l->has_bus_id)
		buf_print(&l->text, "%spci.bus_id", l->comma);
	for (int i = l->time_at; i < l->n_columns; i++)
		buf_print(&l->text, "%s%s", l->comma, kinds[l->columns[i]].head);
	buf_text(&l->text, l->end);
}

static void draw_columns(struct log *l)
{
	l->n_columns = 1 + random_below(l->r, MOST_COLUMNS);
	for (int i = 0; i < l->n_columns; i++) {
		l->columns[i] = i || l->oddness ? random_below(l->r, N_KINDS) : 0;
		l->form[i] = l->oddness ? random_below(l->r, 9) : 0;
	}
	l->time_at = random_one_in(l->r, 5) ? random_below(l->r, l->n_columns) : 0;
}

static void draw_log(struct log *l, struct random *r, int oddness)
{
	*l = (struct log){ .r = r, .oddness = oddness, .n_gpus = 1 + random_below(r, MOST_GPUS) };
	l->has_index = random_below(r, 4) > 0;
	l->has_uuid = random_one_in(r, 2);
	l->has_name = random_one_in(r, 2);
	l->has_bus_id = random_one_in(r, 3);
	l->names[0] = oddness ? random_below(r, N_NAMES) : l->n_gpus == 3;
	l->names[1] = random_below(r, N_NAMES);
	l->in_quotes = random_below(r, 2 * MOST_COLUMNS);
	l->respelled = oddness && random_one_in(r, 2) ? 1 + random_below(r, 30) : 0;
	l->has_ms = random_below(r, 5) > 0;
	l->has_dashes = random_one_in(r, 4);
	l->zone = random_one_in(r, 4) ? zones[random_below(r, N_ZONES)] : "";
	l->repeats_head = random_one_in(r, 6);
	l->comma = random_one_in(r, 4) ? "," : ", ";
	l->end = random_one_in(r, 6) ? "\r\n" : "\n";
	l->second = random_one_in(r, 4) ? 3 * 3600 - 40 : random_below(r, 86400);
	buf_init(&l->text, (size_t)16 << 20);
	draw_columns(l);
}

static void put_oddity(struct log *l)
{
	switch (random_below(l->r, 8)) {
	case 0:
		if (random_one_in(l->r, 3))
			draw_columns(l);
		put_head(l);
		break;
	case 1:
		l->second += random_below(l->r, 7200) - 3600;
		break;
	case 2:
		l->second -= 3600;
		break;
	case 3:
		l->n_gpus = 1 + random_below(l->r, MOST_GPUS);
		break;
	case 4:
		buf_put(&l->text, (struct slice){ "\0\0", 1 + (size_t)random_below(l->r, 2) });
		break;
	default:
		buf_text(&l->text, odd_lines[random_below(l->r, N_ODD_LINES)]);
		buf_text(&l->text, l->end);
	}
	l->second = l->second < 0 ? 0 : l->second;
}

static void put_polls(struct log *l, int n)
{
	put_head(l);
	for (int i = 0; i < n; i++, l->second++) {
		if (l->oddness && random_one_in(l->r, 2 * l->oddness))
			put_oddity(l);
		if (l->repeats_head)
			put_head(l);
		for (int gpu = 0; gpu < l->n_gpus; gpu++)
			if (!l->oddness || !random_one_in(l->r, 4 * l->oddness))
				put_row(l, gpu);
	}
}

/* Bytes anywhere become others. */
static void spoil(struct log *l)
{
	static const char bytes[] = ",\"\r\n 09.-[]%\tW:/\0\xFF";

	for (int n = random_below(l->r, 6); n > 0 && l->text.n; n--)
		l->text.at[random_below(l->r, (int)l->text.n)] = bytes[random_below(l->r, (int)sizeof bytes)];
	if (random_one_in(l->r, 3) && l->text.n > 40)
		l->text.n -= (size_t)random_below(l->r, 40);
}

static bool reads_alike(struct log *l, struct arena *mem, const char *columns, size_t *n_by_pattern)
{
	const struct file_option option = { "*", columns };
	struct read_request request = { .columns = { &option, columns ? 1 : 0 } };
	const struct slice log = { l->text.at, l->text.n };
	size_t none;

	const char *quick = read_as_text(mem, log, request, n_by_pattern);
	request.by_grammar = true;
	const char *slow = read_as_text(mem, log, request, &none);
	if (strcmp(quick, slow) == 0 && !none)
		return true;
	printf("%.*s\nby patterns:\n%s\nby the grammar:\n%s\n", (int)l->text.n, l->text.at, quick, slow);
	return false;
}

static bool patterns_change_nothing(struct random *r, struct arena *mem)
{
	struct log log;
	size_t n_by_pattern;

	draw_log(&log, r, 1 << random_below(r, 9));
	put_polls(&log, 2 + random_below(r, 60));
	if (random_one_in(r, 2))
		spoil(&log);
	const bool alike = reads_alike(&log, mem, NULL, &n_by_pattern);
	buf_release(&log.text);
	return alike;
}

/* As long as several parts need, every third one damaged. */
static void draw_log_for_parts(struct log *l, struct random *r)
{
	draw_log(l, r, 1 << random_below(r, 12));
	put_polls(l, 2 + random_below(r, random_one_in(r, 8) ? 900 : 200));
	if (random_one_in(r, 3))
		spoil(l);
}

/* However many parts of a log are looked at at once, and though they end anywhere. */
static bool parts_change_nothing(struct random *r, struct arena *mem)
{
	static const size_t parts[] = { 150, 1000, 5000, 20000, 1 << 20 }; /* bytes: a row, a few, many, more than a pack, all */
	struct log log;
	size_t n_whole, n_by_pattern;
	bool alike = true;

	draw_log_for_parts(&log, r);
	const struct slice text = { log.text.at, log.text.n };
	const char *const whole = read_as_text(mem, text, (struct read_request){ 0 }, &n_whole);
	for (size_t i = 0; i < 2 * sizeof parts / sizeof *parts && alike; i++) {
		const struct read_request request = { .part_bytes = parts[i / 2] };
		const bool is_file = i % 2;
		const char *const joined = read_text_from(is_file, mem, text, request, &n_by_pattern);
		alike = strcmp(joined, whole) == 0 && n_by_pattern == n_whole;
		if (!alike)
			printf("%.*s\n%zu rows as a whole:\n%s\n%zu rows in parts of %zu bytes, %s:\n%s\n", (int)log.text.n, log.text.at,
				n_whole, whole, n_by_pattern, request.part_bytes, is_file ? "of a file" : "fetched", joined);
	}
	buf_release(&log.text);
	return alike;
}

/* Where there is no room for all rows, the same of them become one, whatever way they were read. */
static bool thinned_alike(struct random *r, struct arena *mem)
{
	struct read_request request = { .memory = (uint64_t)(60 + random_below(r, 400)) * 70 };
	struct log log;
	size_t n_by_pattern;

	draw_log_for_parts(&log, r);
	const struct slice text = { log.text.at, log.text.n };
	const char *const quick = read_as_text(mem, text, request, &n_by_pattern);
	request.part_bytes = (size_t)100 << random_below(r, 7);
	const char *const parts = read_text_from(true, mem, text, request, &n_by_pattern);
	const char *const fetched = read_text_from(false, mem, text, request, &n_by_pattern);
	request.by_grammar = true;
	const char *const slow = read_as_text(mem, text, request, &n_by_pattern);
	const bool alike = strcmp(quick, slow) == 0 && strcmp(quick, parts) == 0 && strcmp(quick, fetched) == 0;
	if (!alike)
		printf("%.*s\nof %d bytes\nby patterns:\n%s\nin parts:\n%s\nin parts that are fetched:\n%s\nby the grammar:\n%s\n",
			(int)log.text.n, log.text.at, (int)request.memory, quick, parts, fetched, slow);
	buf_release(&log.text);
	return alike;
}

/* Without a header, and over the ends of blocks. */
static bool long_logs_without_header_too(struct random *r, struct arena *mem)
{
	struct log log;
	size_t n_by_pattern;

	draw_log(&log, r, 512);
	log.has_index = true;
	log.has_uuid = log.has_name = log.has_bus_id = false;
	log.time_at = 0;
	log.n_columns = 3;
	log.columns[0] = 0, log.columns[1] = 2, log.columns[2] = 21;
	log.oddness = 0; /* the first row decides how all write their times */
	put_row(&log, 0);
	log.oddness = 512;
	for (int i = 0; i < 1500; i++, log.second++)
		for (int gpu = 0; gpu < log.n_gpus; gpu++)
			put_row(&log, gpu);
	const bool alike = reads_alike(&log, mem, "timestamp,index,utilization.gpu,memory.used,-", &n_by_pattern);
	buf_release(&log.text);
	return alike && n_by_pattern > 0;
}

/* A digit of some stamps is another: of a date or a time, before or behind a colon. */
static void damage_stamps(struct log *l)
{
	for (int n = random_below(l->r, 4); n > 0; n--) {
		const size_t from = (size_t)random_below(l->r, (int)l->text.n);
		const char *const colon = memchr(l->text.at + from, ':', l->text.n - from);
		const size_t at = (colon ? (size_t)(colon - l->text.at) : from) + (size_t)random_below(l->r, 19);
		if (at >= 13 && at < l->text.n + 13 && l->text.at[at - 13] >= '0' && l->text.at[at - 13] <= '9')
			l->text.at[at - 13] = (char)('0' + random_below(l->r, 10));
	}
}

/* Which row has a damaged time, and where it stands, is found out alike, wherever the row before it went by a pattern or a part ended. */
static bool damaged_stamps_are_found_alike(struct random *r, struct arena *mem)
{
	struct log log;
	size_t n_by_pattern, n_in_parts;

	draw_log(&log, r, 1 << (4 + random_below(r, 7)));
	put_polls(&log, 20 + random_below(r, 60));
	damage_stamps(&log);
	bool alike = reads_alike(&log, mem, NULL, &n_by_pattern);
	const struct slice text = { log.text.at, log.text.n };
	const char *const whole = read_as_text(mem, text, (struct read_request){ 0 }, &n_by_pattern);
	for (size_t n_bytes = 200; n_bytes <= 5000 && alike; n_bytes *= 3)
		for (int is_file = 0; is_file < 2 && alike; is_file++) {
			const struct read_request request = { .part_bytes = n_bytes };
			alike = strcmp(read_text_from(is_file, mem, text, request, &n_in_parts), whole) == 0;
		}
	buf_release(&log.text);
	return alike;
}

/* Where nothing is odd, only some rows of each GPU go through the grammar: as many as it takes to see which columns change. */
static bool plain_rows_go_by_pattern(struct random *r, struct arena *mem)
{
	static const int plain[] = { 0, 1, 2, 3, 4, 7, 9, 12, 14, 15, 20 };
	struct log log;
	size_t n_by_pattern;
	const int n_polls = 50;

	draw_log(&log, r, 0);
	log.n_columns = 1 + random_below(r, (int)(sizeof plain / sizeof *plain));
	log.time_at %= log.n_columns;
	for (int i = 0; i < log.n_columns; i++)
		log.columns[i] = plain[i];
	log.has_index |= log.n_gpus > 1;
	log.second = 40000;
	put_polls(&log, n_polls);
	const bool alike = reads_alike(&log, mem, NULL, &n_by_pattern);
	buf_release(&log.text);
	return alike && n_by_pattern + 8 * (size_t)log.n_gpus > (size_t)(n_polls * log.n_gpus);
}

/* As many as it takes to learn them all, though each GPU is named in either of two ways. */
static bool two_spellings_go_by_pattern(struct random *r, struct arena *mem)
{
	static const int columns[] = { 0, 2, 3, 4 }, spellings[][2] = { { 0, 1 }, { 0, 2 }, { 2, 0 }, { 1, 2 }, { 2, 3 }, { 0, 8 } };
	struct log log;
	size_t n_by_pattern;
	const int n_polls = 400;

	draw_log(&log, r, 0);
	log.n_columns = sizeof columns / sizeof *columns;
	log.time_at = 0;
	for (int i = 0; i < log.n_columns; i++)
		log.columns[i] = columns[i], log.form[i] = 0;
	log.has_index = log.has_uuid = log.has_name = true;
	memcpy(log.names, spellings[random_below(r, sizeof spellings / sizeof *spellings)], sizeof log.names);
	log.respelled = 2 + random_below(r, 20);
	log.in_quotes = MOST_COLUMNS;
	log.second = 40000;
	put_polls(&log, n_polls);
	const bool alike = reads_alike(&log, mem, NULL, &n_by_pattern);
	buf_release(&log.text);
	return alike && n_by_pattern + 20 * (size_t)log.n_gpus > (size_t)(n_polls * log.n_gpus);
}

/* `respelled`: as in the log. */
static void put_plain_polls(struct log *l, int n, int n_gpus, int respelled)
{
	l->n_gpus = n_gpus;
	l->respelled = respelled;
	for (; n > 0; n--, l->second++)
		for (int gpu = 0; gpu < n_gpus; gpu++)
			put_row(l, gpu);
}

/*
 * A GPU comes when it is known already which columns change, and its first row names it as few of the others do, or none: then all others
 * are believed.
 */
static bool names_of_first_rows_are_counted(struct random *r, struct arena *mem)
{
	struct log log;
	size_t n_by_pattern;

	draw_log(&log, r, 0);
	log.n_columns = 1;
	log.time_at = 0;
	log.has_index = log.has_uuid = log.has_name = true;
	log.names[0] = random_below(r, N_NAMES);
	log.in_quotes = MOST_COLUMNS;
	log.second = 40000;
	put_head(&log);
	put_plain_polls(&log, 20, 1, 0);
	put_plain_polls(&log, 1, 2, 1);
	put_plain_polls(&log, 1 + random_below(r, 3), 2, 0);
	put_plain_polls(&log, 30, 2, 2 + random_below(r, 60));
	const bool alike = reads_alike(&log, mem, NULL, &n_by_pattern);
	buf_release(&log.text);
	return alike;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(patterns_change_nothing, 40),
		LAW_ONE_IN(parts_change_nothing, 400),
		LAW_ONE_IN(thinned_alike, 400),
		LAW_ONE_IN(damaged_stamps_are_found_alike, 40),
		LAW_ONE_IN(long_logs_without_header_too, 20000),
		LAW_ONE_IN(plain_rows_go_by_pattern, 2000),
		LAW_ONE_IN(two_spellings_go_by_pattern, 4000),
		LAW_ONE_IN(names_of_first_rows_are_counted, 400),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
