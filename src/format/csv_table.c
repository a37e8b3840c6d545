/*
 * csv_table.c - reads any CSV whose columns somebody explains: a mapping in YAML (mapping.h), or heads of a job's progress.
 *
 *     time,step,samples,loss                            a job's own progress: heads are names of the catalogue
 *     1795225793.765,1,64,7.1089                        (run.step, run.samples, run.loss)
 *     1795225793.814,2,128,
 *
 *     "Relative Time (Process)","system/gpu.0.gpu","system/gpu.0.gpu__MIN",…      an export, by a mapping:
 *     "16.685908298","92","92",…                                                  {gpu} in a head is the GPU's number
 *
 * What --map names for a file is taken; else, of those that it names for all and then of the built-in ones, the one that explains most
 * columns, the first among equals. By name alone only a job's progress is taken here: a column "gpu_util" may be of any GPU
 * and "cpu_percent" of one process, which only a mapping can say (a header that is all about GPUs: nvidia_smi_csv_head.c).
 * One line may tell of several GPUs, or a column may name the GPU of the line. Times are written in any of the ways of
 * row_clock.h, or count from a start that the file does not name. An empty cell is no value: progress logs write their
 * loss every few steps only.
 */
#include "format/csv_row.h"
#include "format/kept_words.h"
#include "format/mapping.h"
#include "format/row_clock.h"
#include "metric/identity.h"

#include <stdlib.h>

#define SCORE_NAMES 40    /* heads that are metrics by name: every other reader knows its own log better */
#define SCORE_BUILT_IN 70
#define SCORE_ASKED 101   /* --map: more than any reader is sure of its own log */
#define EPOCH_LEAST 100000000 /* seconds, March 1973: a smaller number in a column of times counts from a start */

static const struct absence_word absences[] = {
	{ "nan", ABSENT_EMPTY },   { "null", ABSENT_EMPTY }, { "none", ABSENT_EMPTY },      { "undefined", ABSENT_EMPTY },
	{ "n/a", ABSENT_UNSUPPORTED }, { "-", ABSENT_UNSUPPORTED }, { NULL, ABSENT_EMPTY },
};

enum role { ROLE_UNREAD, ROLE_IGNORED, ROLE_TIME, ROLE_METRIC, ROLE_GPU, ROLE_CORE, ROLE_HOST };

struct head {
	enum role role;
	struct spelling spelling;
	struct captures names; /* what the head says of the entity */
	size_t cell;           /* where it stands in a row */
	bool is_alone;         /* no cell of a row says more of the entity: its channel is the same in each */
	size_t channel;        /* then; SIZE_MAX: not asked for yet */
};

struct heads { /* of a header, by one explanation */
	struct head at[MAX_CELLS];
	size_t n, n_metrics;
	bool has_time, elapsed;
	time_ms unit; /* of elapsed times */
	const struct mapping *mapping; /* NULL: by names of the catalogue */
};

/* ------ heads that are named like metrics of a job ------ */

static const char *const time_names[] = { "time", "timestamp", "_timestamp", "ts", "epoch", "unix_time", "datetime", "date_time",
	"wall_time" };
static const char *const elapsed_names[] = { "elapsed", "elapsed_s", "elapsed_seconds", "elapsed_time", "relative_time", "seconds" };

static bool is_any(struct slice name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is_nocase(name, names[i]))
			return true;
	return false;
}
#define IS_ANY(name, names) is_any((name), (names), sizeof(names) / sizeof *(names))

/* "loss", "tokens (M)": the name, and what stands in the brackets. */
static struct slice name_of(struct slice head, struct slice *unit)
{
	size_t open = 0;

	head = slice_trim(head);
	*unit = (struct slice){ "", 0 };
	while (open < head.n && head.p[open] != '[' && head.p[open] != '(')
		open++;
	if (open == head.n || head.n - open < 2)
		return head;
	*unit = slice_trim((struct slice){ head.p + open + 1, head.n - open - 2 });
	return slice_trim((struct slice){ head.p, open });
}

static bool progress_by_name(struct slice name, enum metric *metric)
{
	char lower[64];

	if (!name.n || name.n >= sizeof lower)
		return false;
	for (size_t i = 0; i < name.n; i++)
		lower[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] - 'A' + 'a') : name.p[i];
	return metric_find((struct slice){ lower, name.n }, metric) && metric_table[*metric].scope == SCOPE_RUN;
}

static struct head head_by_name(struct slice cell, bool *elapsed)
{
	struct head head = { .names = { -1, -1, { "", 0 } } };
	struct slice unit_text, name = name_of(cell, &unit_text);
	enum metric metric;
	enum unit unit;

	*elapsed = IS_ANY(name, elapsed_names);
	if (*elapsed || IS_ANY(name, time_names)) {
		head.role = ROLE_TIME;
	} else if (progress_by_name(name, &metric)) {
		head.role = ROLE_METRIC;
		head.spelling = (struct spelling){ metric_table[metric].name, metric, metric_table[metric].unit };
		if (unit_find(unit_text, &unit) && unit_table[unit].dimension == unit_table[metric_table[metric].unit].dimension)
			head.spelling.unit = unit;
	}
	return head;
}

/* ------ heads that a mapping explains ------ */

static bool fits_any(const char **patterns, size_t n, struct slice cell)
{
	struct captures ignored;

	for (size_t i = 0; i < n; i++)
		if (pattern_fits(patterns[i], cell, &ignored))
			return true;
	return false;
}

static bool fits(const char *pattern, struct slice cell)
{
	return pattern && fits_any(&pattern, 1, cell);
}

static struct head head_by_mapping(const struct mapping *m, struct slice cell)
{
	struct head head = { .names = { -1, -1, { "", 0 } } };

	if (fits(m->time_head, cell))
		head.role = ROLE_TIME;
	else if (fits(m->gpu_head, cell))
		head.role = ROLE_GPU;
	else if (fits(m->core_head, cell))
		head.role = ROLE_CORE;
	else if (fits(m->host_head, cell))
		head.role = ROLE_HOST;
	else if (fits_any(m->ignored, m->n_ignored, cell))
		head.role = ROLE_IGNORED;
	for (size_t i = 0; head.role == ROLE_UNREAD && i < m->n_columns; i++) {
		if (!pattern_fits(m->columns[i].head, cell, &head.names))
			continue;
		head.role = ROLE_METRIC;
		head.spelling = m->columns[i].spelling;
	}
	return head;
}

/* ------ a header ------ */

static bool is_same_series(const struct head *a, const struct head *b)
{
	return a->spelling.metric == b->spelling.metric && a->names.gpu == b->names.gpu && a->names.core == b->names.core &&
	       slice_same(a->names.host, b->names.host);
}

static bool is_taken(const struct heads *heads, const struct head *head)
{
	for (size_t i = 0; i < heads->n; i++) {
		const struct head *other = &heads->at[i];
		if (other->role == head->role && (head->role != ROLE_METRIC || is_same_series(other, head)))
			return true;
	}
	return false;
}

static bool is_time_head(const struct mapping *m, struct slice cell)
{
	struct slice unit;

	if (!m && (!cell.n || (!is_letter(cell.p[0]) && cell.p[0] != '_'))) /* nearly all cells are numbers */
		return false;
	const struct slice name = name_of(cell, &unit);
	return m ? fits(m->time_head, cell) : IS_ANY(name, time_names) || IS_ANY(name, elapsed_names);
}

/* Of most lines that are looked at this is all that must be known. */
static bool has_time_head(const struct csv_row *row, const struct mapping *m)
{
	for (size_t i = 0; i < row->n; i++)
		if (is_time_head(m, slice_trim(row->cells[i])))
			return true;
	return false;
}

static bool explain(const struct csv_row *row, const struct mapping *m, struct heads *out)
{
	if (!has_time_head(row, m))
		return false;
	out->n = out->n_metrics = 0;
	out->has_time = out->elapsed = false;
	out->mapping = m;
	out->unit = m && m->time == TIME_ELAPSED_MS ? 1 : SECOND_MS;
	for (size_t i = 0; i < row->n; i++) {
		bool elapsed = m && m->time != TIME_STAMPS;
		struct slice cell = slice_trim(row->cells[i]);
		struct head head = m ? head_by_mapping(m, cell) : head_by_name(cell, &elapsed);
		head.cell = i;
		if (head.role > ROLE_IGNORED && is_taken(out, &head))
			head.role = ROLE_UNREAD;
		out->has_time |= head.role == ROLE_TIME;
		out->elapsed |= head.role == ROLE_TIME && elapsed;
		out->n_metrics += head.role == ROLE_METRIC;
		out->at[out->n++] = head;
	}
	return out->has_time && out->n_metrics > 0;
}

/* Whom to ask of a file: one mapping alone, or those that --map names for all before the built-in ones. */
struct explainers {
	struct file_options named; /* --map */
	const struct mappings *all;
	const struct mapping *only; /* named for this very file; NULL */
};

static const struct mapping *mapping_at(const struct mappings *all, const char *path)
{
	for (size_t i = 0; all && path && i < all->n; i++)
		if (strcmp(all->at[i]->path, path) == 0)
			return all->at[i];
	return NULL;
}

static struct explainers explainers_of(const struct read_request *request, const char *path)
{
	const struct mapping *const last = mapping_at(request->mappings, file_option_for(request->maps, path));

	return (struct explainers){ request->maps, request->mappings, file_option_is_for_all(request->maps, path) ? NULL : last };
}

/* Is it for all files, and asked before others? Is it for some other file alone, and not asked at all? */
enum named { NAMED_FOR_ALL, NAMED_FOR_NONE, NAMED_FOR_ANOTHER };

static enum named how_named(const struct explainers *e, const struct mapping *m)
{
	enum named how = NAMED_FOR_NONE;

	for (size_t i = 0; i < e->named.n; i++) {
		if (strcmp(e->named.at[i].value, m->path) != 0)
			continue;
		if (strcmp(e->named.at[i].file, "*") == 0)
			return NAMED_FOR_ALL;
		how = NAMED_FOR_ANOTHER;
	}
	return how;
}

/* Each mapping says what is between cells. */
static bool cut_for(struct csv_row *row, const struct mapping *m, struct slice line)
{
	const char separator = m ? m->separator : ',';

	if (row->separator != separator) {
		csv_row_release(row);
		csv_row_init(row, separator);
	}
	return csv_row_cut(row, line);
}

static bool explain_line(struct csv_row *row, struct slice line, const struct mapping *m, struct heads *out)
{
	return cut_for(row, m, line) && row->n > 1 && explain(row, m, out);
}

/* The best explanation of a line as a header, by which the row is cut then; false: it is none. */
static bool explain_best(struct csv_row *row, struct slice line, const struct explainers *e, struct heads *out)
{
	const struct mapping *best = NULL;
	enum named best_named = NAMED_FOR_ANOTHER;
	size_t most = 0;

	if (e->only)
		return explain_line(row, line, e->only, out);
	for (size_t i = 0; e->all && i < e->all->n; i++) {
		const struct mapping *const m = e->all->at[i];
		const enum named named = how_named(e, m);
		if (named == NAMED_FOR_ANOTHER || named > best_named || !explain_line(row, line, m, out))
			continue;
		if (named == best_named && out->n_metrics <= most)
			continue;
		best = m;
		best_named = named;
		most = out->n_metrics;
	}
	return explain_line(row, line, best, out);
}

static struct bid bid_for_heads(struct arena *scratch, const struct csv_row *row, const struct heads *heads)
{
	if (heads->mapping)
		return (struct bid){ SCORE_BUILT_IN, arena_print(scratch, "the mapping %s explains %zu of its %zu columns",
							     heads->mapping->id, heads->n_metrics, row->n) };
	return (struct bid){ SCORE_NAMES, arena_print(scratch, "%zu of its %zu columns are named like a job's progress",
						      heads->n_metrics, row->n) };
}

#define HEADER_WITHIN 20 /* lines: what a shell or a library prints before the table */

/* The first of these lines that anybody explains. */
static bool find_head(struct slice first_bytes, const struct explainers *e, struct csv_row *row, struct heads *heads)
{
	bool found = false;

	for (int i = 0; i < HEADER_WITHIN && first_bytes.n && !found; i++) {
		struct slice line = slice_trim(slice_line(&first_bytes));
		found = line.n && !memchr(line.p, '\0', line.n) && explain_best(row, line, e, heads);
	}
	return found;
}

static struct bid bid_named(struct arena *scratch, const struct mapping *m)
{
	return (struct bid){ SCORE_ASKED, arena_print(scratch, "--map names %s for it", m->path) };
}

/* Given for all files, a mapping is for those that it explains. */
static struct bid bid_asked(struct slice first_bytes, const char *path, const struct read_request *request, struct arena *scratch)
{
	struct heads *const heads = NEW_RAW_ARRAY(scratch, struct heads, 1);
	const struct explainers e = explainers_of(request, path);
	struct bid bid = { 0, NULL };
	struct csv_row row;

	if (e.only)
		return bid_named(scratch, e.only);
	csv_row_init(&row, ',');
	if (find_head(first_bytes, &e, &row, heads))
		bid = heads->mapping && how_named(&e, heads->mapping) == NAMED_FOR_ALL ? bid_named(scratch, heads->mapping)
										       : bid_for_heads(scratch, &row, heads);
	csv_row_release(&row);
	return bid;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	static const struct read_request nothing;

	return bid_asked(first_bytes, "", &nothing, scratch);
}

/* ------ rows ------ */

struct table {
	struct reading *r;
	struct sheet *sheet;
	struct csv_row row;
	struct heads heads, room;
	struct explainers explainers;
	bool has_header, has_first_row;
	struct row_clock clock;
	struct kept_words hosts, gpus;
	size_t order[MAX_CELLS]; /* columns of metrics, those of one entity together */
};

static struct place place_of(const struct table *t, size_t cell)
{
	return (struct place){ t->r->lines->path, t->r->lines->line, cell < t->row.n ? t->row.columns[cell] : 0 };
}

static int compare_int(int a, int b)
{
	return (a > b) - (a < b);
}

static int by_entity(const struct head *a, const struct head *b)
{
	enum scope scope_a = metric_table[a->spelling.metric].scope, scope_b = metric_table[b->spelling.metric].scope;
	size_t n = a->names.host.n < b->names.host.n ? a->names.host.n : b->names.host.n;
	int host = memcmp(a->names.host.p, b->names.host.p, n);

	if (scope_a != scope_b)
		return compare_int((int)scope_a, (int)scope_b);
	if (host || a->names.host.n != b->names.host.n)
		return host ? host : compare_int((int)a->names.host.n, (int)b->names.host.n);
	return a->names.gpu != b->names.gpu ? compare_int(a->names.gpu, b->names.gpu) : compare_int(a->names.core, b->names.core);
}

/* Insertion: headers have tens of columns, in order already. */
static void order_columns(struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->heads.n; i++) {
		if (t->heads.at[i].role != ROLE_METRIC)
			continue;
		size_t at = n++;
		for (; at > 0 && by_entity(&t->heads.at[t->order[at - 1]], &t->heads.at[i]) > 0; at--)
			t->order[at] = t->order[at - 1];
		t->order[at] = i;
	}
}

static void keep_heads(struct table *t)
{
	struct recording *rec = t->r->recording;
	const char **unread = NEW_ARRAY(t->r->mem, const char *, t->heads.n);
	bool is_alone = true;

	rec->n_unread = 0;
	for (size_t i = 0; i < t->heads.n; i++)
		is_alone &= t->heads.at[i].role != ROLE_HOST && t->heads.at[i].role != ROLE_GPU && t->heads.at[i].role != ROLE_CORE;
	for (size_t i = 0; i < t->heads.n; i++) {
		t->heads.at[i].is_alone = is_alone;
		t->heads.at[i].channel = SIZE_MAX;
		struct slice cell = slice_trim(t->row.cells[i]);
		struct head *head = &t->heads.at[i];
		head->names.host.p = arena_text(t->r->mem, head->names.host.p, head->names.host.n);
		if (head->role == ROLE_METRIC) /* complaints name the head as the file has it */
			head->spelling.head = arena_text(t->r->mem, cell.p, cell.n);
		if (head->role == ROLE_UNREAD && cell.n)
			unread[rec->n_unread++] = arena_text(t->r->mem, cell.p, cell.n);
	}
	rec->unread = unread;
}

/* Into t->room. The header in force comes again when a job is restarted; another one can't be told from a row. */
static bool is_header_again(struct table *t)
{
	return explain(&t->row, t->heads.mapping, &t->room) && t->room.n_metrics == t->heads.n_metrics && t->room.n == t->heads.n;
}

/* The column that has it; how many there are: none has. */
static size_t cell_with(const struct table *t, enum role role)
{
	size_t i = 0;

	while (i < t->heads.n && t->heads.at[i].role != role)
		i++;
	return i;
}

/* Whom a row is of, where the column that should say it is not there: rows of several would be taken for those of one. */
static void check_names(const struct table *t)
{
	const struct mapping *const m = t->heads.mapping;
	const struct {
		const char *head, *what;
		enum role role;
	} names[] = { { m->gpu_head, "GPU", ROLE_GPU }, { m->core_head, "core", ROLE_CORE }, { m->host_head, "host", ROLE_HOST } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].head && cell_with(t, names[i].role) == t->heads.n)
			diag_at(t->r->diags, (struct place){ t->r->lines->path, t->r->lines->line, 0 }, DIAG_GUESS,
				"no column is called '%s', which %s has for the %s of a row; all rows are taken to be of one",
				names[i].head, m->path, names[i].what);
}

static void take_header(struct table *t)
{
	t->has_header = true;
	t->r->recording->map = t->heads.mapping ? t->heads.mapping->path : NULL;
	keep_heads(t);
	order_columns(t);
	if (t->heads.mapping)
		check_names(t);
}

static struct slice cell_of(const struct table *t, enum role role)
{
	const size_t i = cell_with(t, role);

	return i < t->heads.n ? slice_trim(t->row.cells[i]) : (struct slice){ "", 0 };
}

/* A column "time" may hold seconds since the start; the first row tells. */
static void settle_elapsed(struct table *t, struct slice cell)
{
	struct slice rest;
	fixed value;

	if (t->has_first_row || t->heads.mapping)
		return;
	t->has_first_row = true;
	if (fixed_parse(cell, &value, &rest) && !rest.n && value < EPOCH_LEAST * (fixed)FIXED_ONE)
		t->heads.elapsed = true;
}

static bool row_time(struct table *t, time_ms *time)
{
	struct slice cell = slice_trim(t->row.cells[cell_with(t, ROLE_TIME)]), rest;
	fixed elapsed;

	settle_elapsed(t, cell);
	if (!t->heads.elapsed) {
		if (row_clock_take(&t->clock, cell, time))
			return true;
	} else if (fixed_parse(cell, &elapsed, &rest) && !rest.n && elapsed >= 0 &&
		   elapsed / (FIXED_ONE / t->heads.unit) < LONGEST_ELAPSED) {
		*time = elapsed / (FIXED_ONE / t->heads.unit);
		return true;
	}
	return sheet_reject(t->sheet, place_of(t, cell_with(t, ROLE_TIME)), DIAG_BAD_TIME, "'%.*s' is no time%s; row not used", SLICE(cell),
		t->heads.elapsed ? " since the start" : " like those before");
}

/* What names a host or a GPU comes again in each row. */
static const char *word_of(struct table *t, struct kept_words *words, struct slice cell, const char *(*keep)(struct arena *, struct slice))
{
	const char *const kept = kept_word(t->r->mem, words, cell, keep);

	return kept ? kept : keep(t->r->mem, cell);
}

/* A GPU is named by number, uuid or bus id. */
static bool name_gpu(struct table *t, struct slice cell, struct entity *gpu)
{
	int64_t index;

	gpu->index = -1;
	if (integer_parse(cell, &index) && index >= 0 && index < 1 << 16)
		gpu->index = (int)index;
	else if (slice_starts(cell, "GPU-"))
		gpu->uuid = word_of(t, &t->gpus, cell, kept_plain);
	else
		gpu->bus_id = word_of(t, &t->gpus, cell, bus_id_normal);
	return gpu->index >= 0 || gpu->uuid || gpu->bus_id;
}

static bool entity_of(struct table *t, const struct head *head, struct entity *e)
{
	struct slice host = head->names.host.n ? head->names.host : cell_of(t, ROLE_HOST);
	struct slice gpu = cell_of(t, ROLE_GPU), core = cell_of(t, ROLE_CORE);
	int64_t number;

	*e = (struct entity){ .scope = metric_table[head->spelling.metric].scope, .host = word_of(t, &t->hosts, host, kept_plain) };
	if (e->scope == SCOPE_GPU) {
		e->index = head->names.gpu >= 0 ? head->names.gpu : 0;
		if (gpu.n && head->names.gpu < 0 && !name_gpu(t, gpu, e))
			return sheet_reject(t->sheet, place_of(t, cell_with(t, ROLE_GPU)), DIAG_BAD_ROW,
				"'%.*s' names no GPU; row not used", SLICE(gpu));
	}
	if (e->scope == SCOPE_CORE) {
		e->index = head->names.core;
		if (e->index < 0 && integer_parse(core, &number) && number >= 0 && number < 1 << 16)
			e->index = (int)number;
		if (e->index < 0)
			return sheet_reject(t->sheet, place_of(t, cell_with(t, ROLE_CORE)), DIAG_BAD_ROW,
				"'%.*s' names no core; row not used", SLICE(core));
	}
	return true;
}

static bool is_missing(const struct mapping *m, struct slice cell)
{
	for (size_t i = 0; m && i < m->n_missing; i++)
		if (slice_is(slice_trim(cell), m->missing[i]))
			return true;
	return false;
}

static void put_cell(struct table *t, const struct head *head)
{
	struct slice cell = t->row.cells[head->cell];
	char room[NUMBER_ROOM];

	number_without_exponent(slice_trim(cell), room, &cell); /* Python writes small losses so */
	if (metric_table[head->spelling.metric].scope == SCOPE_RUN && !slice_trim(cell).n)
		return; /* a job writes its loss when it has one: nothing is missing */
	if (is_missing(t->heads.mapping, cell))
		sheet_absent(t->sheet, head->spelling.metric, ABSENT_EMPTY);
	else
		sheet_cell(t->sheet, &head->spelling, head->spelling.unit, cell, place_of(t, head->cell));
}

/* False, already reported, when there is none for the row. */
static bool channel_of(struct table *t, struct head *head, size_t *channel)
{
	struct entity e;

	*channel = head->channel;
	if (head->is_alone && *channel != SIZE_MAX)
		return true;
	if (!entity_of(t, head, &e))
		return false;
	*channel = head->channel = sheet_channel(t->sheet, &e);
	return *channel != SIZE_MAX;
}

static void take_row(struct table *t)
{
	const struct head *before = NULL;
	time_ms time = TIME_UNKNOWN;

	if (t->row.n != t->heads.n) {
		sheet_reject_cells(t->sheet, place_of(t, SIZE_MAX), t->row.n, t->heads.n);
		return;
	}
	if (!row_time(t, &time))
		return;
	for (size_t i = 0; i < t->heads.n_metrics; i++) {
		struct head *const head = &t->heads.at[t->order[i]];
		if (!before || by_entity(before, head) != 0) {
			size_t channel;
			if (!channel_of(t, head, &channel))
				return;
			sheet_row(t->sheet, channel, time);
		}
		put_cell(t, head);
		before = head;
	}
}

static void take_line(struct table *t, struct slice line)
{
	if (!sheet_takes_line(t->sheet))
		return;
	if (!slice_trim(line).n) {
		t->r->recording->n_rows_ignored++;
		return;
	}
	if (!t->has_header) {
		t->r->recording->n_rows_ignored++; /* the header, or what stands before it */
		if (explain_best(&t->row, line, &t->explainers, &t->heads))
			take_header(t);
		return;
	}
	const bool cut = csv_row_cut(&t->row, line);
	if (cut && is_header_again(t))
		t->r->recording->n_rows_ignored++;
	else if (cut)
		take_row(t);
	else
		sheet_reject(t->sheet, place_of(t, SIZE_MAX), DIAG_BAD_ROW, "%s; row not used",
			t->row.overflow ? "too many cells" : "a stray quote");
}

static void settle_clock(struct table *t)
{
	struct clock_note *clock = &t->r->recording->clock;
	const struct mapping *m = t->heads.mapping;

	if (t->heads.elapsed) {
		clock->basis = BASIS_LOCAL;
		clock->elapsed = clock->time_unknown = true;
		return;
	}
	row_clock_settle(&t->clock, t->r, t->sheet);
	if (m && m->zone && clock->basis == BASIS_LOCAL) {
		clock->basis = BASIS_OFFSET;
		clock->offset = m->offset;
		clock->zone = m->zone;
	}
}

static bool read(struct reading *r)
{
	struct table *t = NEW(r->scratch, struct table);
	struct slice line;
	bool good;

	t->r = r;
	t->sheet = sheet_new(r);
	t->explainers = explainers_of(r->request, r->lines->path);
	csv_row_init(&t->row, ',');
	while (line_next(r->lines, &line))
		take_line(t, line);
	if (t->has_header) {
		settle_clock(t);
		good = sheet_finish(t->sheet);
	} else {
		const struct mapping *const only = t->explainers.only;
		diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_HEADER,
			"no line has the heads that %s asks for: '%s' and at least one of its columns",
			only ? only->path : "the mapping", only ? only->time_head : "time");
		good = sheet_drop(t->sheet);
	}
	csv_row_release(&t->row);
	kept_words_release(&t->hosts);
	kept_words_release(&t->gpus);
	return good;
}

static const char sample[] =
	"time,step,samples,loss\n"
	"1795225793.765,1,64,7.1089\n"
	"1795225793.814,2,128,6.8071\n"
	"1795225793.862,3,192,\n";

const struct format format_csv_table = {
	.name = "csv",
	.title = "a job's progress (time, step, samples, loss); CSV that a mapping explains (--map)",
	.sample = sample,
	.absences = absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.bid_asked = bid_asked,
	.read = read,
};
