/*
 * nvidia_smi_csv_names.c - whose a row of the query CSV is, and whether one host can have written the log.
 *
 *     …, 3, GPU-5c1d…, NVIDIA H200, …        a GPU is known by uuid, bus id or index, whichever there is
 *     …, 3, GPU-9e02…, NVIDIA H200, …        the number of another one: a damaged name, another card, or another host?
 *
 * A name that stands in one row among many is damaged, and costs its row. One that comes again is of a card that took the place of
 * another, if its rows begin when those of the other have ended; else several hosts wrote the log, and it is not used. So a row of a GPU
 * that nobody has named before, under a number that is taken, is held back until a second one says the same. The first row of a GPU can be
 * the damaged one as well: what all others say is known in the end.
 */
#include "format/nvidia_smi_csv_parts.h"
#include "metric/identity.h"

#define ODD_SHARE 20 /* rows with a sound name for each that is damaged */
#define FIRST_SHARE 8 /* of one GPU, whose first row alone has other names */

static bool index_cell(struct csv *csv, struct slice cell, struct place place, struct entity *gpu)
{
	int64_t index;

	if (!integer_parse(cell, &index) || index >= 1 << 16)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "'%.*s' is no GPU index; row not used", SLICE(cell));
	gpu->index = (int)index;
	return true;
}

bool csv_take_name(struct csv *csv, enum role role, struct slice cell, struct place place, struct entity *gpu)
{
	struct arena *mem = csv->r->mem;

	if (role == ROLE_INDEX)
		return index_cell(csv, cell, place, gpu);
	if (role == ROLE_UUID && cell.n && cell.p[0] != '[')
		gpu->uuid = kept_word(mem, &csv->uuids, cell, kept_plain);
	else if (role == ROLE_BUS_ID)
		gpu->bus_id = kept_word(mem, &csv->bus_ids, cell, bus_id_normal);
	else if (role == ROLE_NAME && cell.n && cell.p[0] != '[' && slice_is_utf8(cell))
		gpu->name = kept_word(mem, &csv->names, cell, kept_plain);
	else if (role == ROLE_DRIVER && !csv->r->recording->tool && cell.n && cell.p[0] != '[')
		csv->r->recording->tool = arena_print(mem, "driver %.*s", SLICE(cell));
	return true;
}

struct seen *csv_seen(struct csv *csv, size_t channel)
{
	while (csv->n_seen <= channel) {
		csv->seen = grow(csv->seen, &csv->seen_room, csv->n_seen + 1, sizeof *csv->seen);
		csv->seen[csv->n_seen++] = (struct seen){ .poll = SIZE_MAX,
			.gpu = { .scope = SCOPE_GPU, .host = "", .index = -1 },
			.known = { .index = -1 } }; /* no channel is known so: that of a GPU 0 without other names is new as well */
	}
	return &csv->seen[channel];
}

/* "NVIDIA GeForce RTX 2080 Ti" was "GeForce RTX 2080 Ti" before driver 470. */
static const char *plain_name(const char *name)
{
	return strncmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name;
}

static void add_odd_row(struct csv *csv, const char *name, int64_t line)
{
	struct odd_rows *const odd = &csv->odd;

	odd->again |= odd->n && strcmp(odd->last, name) == 0;
	if (!odd->n++ || line < odd->line) {
		odd->name = name;
		odd->line = line;
	}
	odd->last = name;
}

/* False: the row is not used. */
static bool keep_odd_row(struct csv *csv, const char *name)
{
	add_odd_row(csv, name, csv->r->lines->line);
	csv->r->recording->n_rows_bad++;
	return false;
}

/* All texts are kept once, and can be told apart by where they are. */
static bool is_named_so(const struct entity *a, const struct entity *b)
{
	return a->index == b->index && a->uuid == b->uuid && a->bus_id == b->bus_id && a->name == b->name;
}

void csv_count_names(struct seen *seen, const struct entity *gpu, size_t n)
{
	if (!seen->n_rows)
		seen->first = seen->other = *gpu;
	if (is_named_so(gpu, &seen->first))
		seen->n_first += n;
	else if (seen->n_rows == seen->n_first)
		seen->other = *gpu;
	seen->n_rows += n;
}

static const char *strong_name(const struct entity *gpu)
{
	return gpu->uuid ? gpu->uuid : gpu->bus_id;
}

static const char *twins_text(struct arena *mem, const struct entity *one, const struct entity *other)
{
	return arena_print(mem, "GPU %d has two identities, %s and %s: rows of several hosts in one file", one->index, strong_name(one),
		strong_name(other));
}

/* The GPU that another row gave this number; NULL: none, or that it is this one is known. */
static const struct entity *twin_known(const struct csv *csv, const struct entity *gpu)
{
	const struct entity *twin = NULL;

	for (size_t i = 0; i < csv->n_seen && gpu->index >= 0; i++) {
		const struct entity *const known = sheet_entity(csv->sheet, i);
		if (csv_is_same_gpu(known, gpu))
			return NULL;
		if (known->index == gpu->index)
			twin = known;
	}
	return twin;
}

/* `odd`: its name that no row had before. */
static void hold_row(struct csv *csv, const struct held_row *row, const char *odd)
{
	struct held_row *const held = &csv->held[csv->n_held++];

	*held = *row;
	held->odd = odd;
	held->header = NEW(csv->r->scratch, struct header);
	*held->header = csv->header;
	held->text = slice_of(arena_text(csv->r->scratch, row->text.p, row->text.n));
}

/* Until a second one says the same, if it can be. Always false. */
static bool hold_odd_row(struct csv *csv, const struct held_row *row, const char *odd)
{
	if (csv->n_held == MAX_HELD || !csv->header.has_time)
		return keep_odd_row(csv, odd);
	hold_row(csv, row, odd);
	return false;
}

/* The row of this GPU that was held back for that name; csv->n_held: there is none. */
static size_t held_at(const struct csv *csv, const struct entity *gpu, const char *odd)
{
	size_t i = 0;

	while (i < csv->n_held && !(gpu_is_same(&csv->held[i].gpu, gpu) && strcmp(csv->held[i].odd, odd) == 0))
		i++;
	return i;
}

/* The row that was held back comes before this one, which says the same. */
static void use_held_row(struct csv *csv, size_t i, struct slice line)
{
	const struct held_row row = csv->held[i];
	const struct header now = csv->header;

	memmove(&csv->held[i], &csv->held[i + 1], (--csv->n_held - i) * sizeof *csv->held);
	csv->header = *row.header;
	csv_row_cut(&csv->row, row.text);
	sheet_line(csv->sheet, row.line);
	csv_use_row(csv, &row);
	sheet_line_read(csv->sheet);
	csv->header = now;
	csv_row_cut(&csv->row, line);
}

/* The first row alone has another name than this row and the one that was held back: the first one is odd. */
static bool agree_on_name(struct csv *csv, struct seen *seen, size_t held, const struct held_row *row)
{
	add_odd_row(csv, seen->name, seen->line);
	seen->odd_name = seen->name;
	seen->name = row->gpu.name;
	use_held_row(csv, held, row->text);
	return true;
}

bool csv_watch_name(struct csv *csv, struct seen *seen, const struct held_row *row)
{
	const struct entity *const gpu = &row->gpu;

	if (!gpu->name || gpu->name == seen->name)
		return true;
	if (!seen->name) {
		seen->name = gpu->name;
		seen->line = row->line;
		return true;
	}
	if (strcmp(plain_name(gpu->name), plain_name(seen->name)) == 0)
		return true;
	csv->names_differ = true;
	if (!csv->header.has_identity || gpu->uuid)
		return true;
	if (!csv->conflict)
		csv->conflict = arena_print(csv->r->mem,
			"GPU %d is '%s' in line %" PRId64 " and '%s' in line %" PRId64
			": rows of several hosts in one file, which can't be told apart",
			gpu->index, seen->name, seen->line, gpu->name, row->line);
	const size_t held = held_at(csv, gpu, gpu->name);
	if (seen->n_rows == 1)
		return held < csv->n_held ? agree_on_name(csv, seen, held, row) : hold_odd_row(csv, row, gpu->name);
	csv->odd.again |= held < csv->n_held;
	return keep_odd_row(csv, gpu->name);
}

bool csv_keeps_its_number(struct csv *csv, const struct held_row *row)
{
	const struct entity *const twin = twin_known(csv, &row->gpu);

	if (!twin)
		return true;
	const size_t held = held_at(csv, &row->gpu, strong_name(&row->gpu));
	if (held < csv->n_held) {
		use_held_row(csv, held, row->text);
		return true;
	}
	if (!csv->conflict)
		csv->conflict = twins_text(csv->r->mem, twin, &row->gpu);
	return hold_odd_row(csv, row, strong_name(&row->gpu));
}

static bool mixed(struct csv *csv, const char *text)
{
	diag_at(csv->r->diags, (struct place){ csv->r->lines->path, 0, 0 }, DIAG_MIXED_GPUS, "%s; the file is not used", text);
	return false;
}

/* The only row of its channel, under the number of a GPU that has more. */
static bool is_twin_alone(const struct csv *csv, size_t channel)
{
	const struct seen *const seen = &csv->seen[channel];

	if (seen->n_rows != 1 || seen->first.index < 0)
		return false;
	for (size_t i = 0; i < csv->n_seen; i++)
		if (i != channel && csv->seen[i].n_rows > 1 && sheet_entity(csv->sheet, i)->index == seen->first.index)
			return true;
	return false;
}

/* Of a GPU that is known by something stronger, numbers and names are those of all its rows but the first. */
static void settle_names(struct csv *csv, size_t channel)
{
	const struct seen *const seen = &csv->seen[channel];

	if (seen->n_first != 1 || (!seen->odd_name && seen->n_rows <= FIRST_SHARE))
		return;
	struct entity gpu = seen->other;
	gpu_learn(&gpu, sheet_entity(csv->sheet, channel));
	sheet_rename(csv->sheet, channel, &gpu);
}

/* Where the first row of a GPU is the one with a damaged name. */
static void settle_first_rows(struct csv *csv)
{
	for (size_t i = 0; i < csv->n_seen; i++)
		settle_names(csv, i);
	for (size_t i = 0; i < csv->n_seen; i++) {
		const struct seen *const seen = &csv->seen[i];
		const bool is_twin = is_twin_alone(csv, i);
		if ((is_twin || seen->odd_name) && sheet_leave_first(csv->sheet, i) && is_twin)
			add_odd_row(csv, strong_name(&seen->first), seen->first_line);
	}
}

/* A name that stands in one row among many is a damaged cell; two hosts write theirs again and again. False: they have. */
static bool settle_odd_rows(struct csv *csv)
{
	const struct odd_rows *const odd = &csv->odd;
	const size_t n = odd->n + csv->n_held;
	const bool held_is_first = csv->n_held && (!odd->n || csv->held[0].line < odd->line);
	const struct place place = { csv->r->lines->path, held_is_first ? csv->held[0].line : odd->line, 0 };

	if (n && (odd->again || csv->n_rows < ODD_SHARE * n))
		return mixed(csv, csv->conflict);
	csv->r->recording->n_rows_bad += csv->n_held;
	if (n)
		diag_at(csv->r->diags, place, DIAG_BAD_ROW,
			"'%s' here alone names a GPU that all other rows name otherwise; row not used%s",
			held_is_first ? csv->held[0].odd : odd->name, n > 1 ? ", nor others like it" : "");
	return true;
}

bool csv_settle_identity(struct csv *csv)
{
	bool timed = !csv->timeless && !csv->by_block;

	settle_first_rows(csv);
	if (!settle_odd_rows(csv))
		return false;
	if (!csv->anonymous)
		return true;
	enum dealing polls = POLLS_ONE_GPU;
	if (csv->polls.n == csv->n_rows)
		polls = row_polls_settle(&csv->polls, csv->r, csv->sheet, 0, timed, csv->timeless);
	else if (row_polls_two_rhythms(csv->r->scratch, &csv->polls)) /* rows after them do name their GPUs */
		polls = POLLS_MIXED;
	if (polls == POLLS_MIXED && csv->by_block)
		return mixed(csv, "neither times nor columns tell which rows belong to which GPU and when");
	if (polls == POLLS_MIXED)
		return mixed(csv, "rows of several GPUs, but no column index, uuid or pci.bus_id tells them apart");
	return true;
}

/* Do rows of one GPU begin when those of the other have ended? One row alone does not show that. */
static bool is_one_after_another(const struct channel *a, const struct channel *b)
{
	return a->n_rows > 1 && b->n_rows > 1 &&
	       (channel_time(a, a->n_rows - 1) < channel_time(b, 0) || channel_time(b, b->n_rows - 1) < channel_time(a, 0));
}

/*
 * Two GPUs of one index at one time: two hosts, if each row names its GPU by something stronger. One after another they are two GPUs of
 * a host whose card was replaced, or whose GPUs were numbered anew when it was started again.
 */
static const char *find_twins(struct arena *mem, const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		for (size_t k = 0; k < i; k++)
			if (rec->channels[i].entity.index >= 0 && rec->channels[i].entity.index == rec->channels[k].entity.index &&
				!is_one_after_another(&rec->channels[i], &rec->channels[k]))
				return twins_text(mem, &rec->channels[k].entity, &rec->channels[i].entity);
	return NULL;
}

bool csv_settle_twins(struct csv *csv)
{
	struct recording *const rec = csv->r->recording;

	for (size_t i = 0; csv->anonymous && csv->names_differ && i < rec->n_channels; i++)
		rec->channels[i].entity.name = NULL;
	const char *const twins = find_twins(csv->r->mem, rec);
	return twins ? mixed(csv, twins) : true;
}
