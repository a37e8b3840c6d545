/*
 * row_pattern_learn.c - a pattern from a row that the grammar has taken.
 *
 * Of each column: is it part of the text, is it a field, and of which kind?
 *
 *     what names the GPU               text
 *     a metric, or what nobody reads   text, until two rows of a GPU differ in it; then a field
 *     "[N/A]" of a column for which    text: with another cell there, it is another column that counts
 *     another one stands in
 *
 * A row that the grammar complains of, or with cells that can't be found again in its line, teaches nothing.
 */
#include "format/row_pattern_parts.h"

#include <limits.h>
#include <math.h>

#define STAMP_BYTES ((size_t)19)

struct lesson { /* a row that is learned from */
	const struct format *format;
	const struct header *header;
	const struct csv_row *row;
	struct slice line;
	struct gpu_patterns *gpu;
	struct cell_range cells[MAX_CELLS];
	bool is_plain[MAX_CELLS];  /* its bytes in the line are the cell: not quoted */
	enum field_kind kinds[MAX_CELLS]; /* FIELD_TEXT */
	size_t slots[MAX_CELLS];
};

struct patterns *patterns_new(void)
{
	size_t room = 0;
	struct patterns *ps = grow(NULL, &room, 1, sizeof *ps);

	*ps = (struct patterns){ 0 };
	return ps;
}

static void gpu_release(struct gpu_patterns *gpu)
{
	for (size_t i = 0; i < gpu->n; i++) {
		grow_free(gpu->of[i].fields);
		grow_free(gpu->of[i].text);
		grow_free(gpu->of[i].constants);
	}
	grow_free(gpu->line);
	grow_free(gpu->cells);
	grow_free(gpu->decimals);
}

static void patterns_drop(struct patterns *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		gpu_release(&ps->at[i]);
	ps->n = 0;
}

void patterns_release(struct patterns *ps)
{
	patterns_drop(ps);
	grow_free(ps->at);
	grow_free(ps->columns);
	grow_free(ps->metrics);
	grow_free(ps->units);
	grow_free(ps);
}

static bool is_same_head(const struct head *a, const struct head *b)
{
	return a->role == b->role && a->spelling == b->spelling && a->unit == b->unit && a->spare == b->spare && a->spare_at == b->spare_at;
}

static bool is_same_header(const struct header *a, const struct header *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same; i++)
		same = is_same_head(&a->at[i], &b->at[i]);
	return same;
}

static bool has_value(const struct head *head)
{
	return head->role == ROLE_METRIC && !head->spare;
}

static void name_metrics(struct patterns *ps)
{
	ps->n_metrics = 0;
	ps->metrics = grow(ps->metrics, &ps->metrics_room, ps->header.n, sizeof *ps->metrics);
	ps->units = grow(ps->units, &ps->units_room, ps->header.n, sizeof *ps->units);
	for (size_t i = 0; i < ps->header.n; i++) {
		if (!has_value(&ps->header.at[i]))
			continue;
		ps->units[ps->n_metrics] = FIXED_ONE;
		ps->metrics[ps->n_metrics++] = ps->header.at[i].spelling->metric;
	}
}

void patterns_reset(struct patterns *ps, const struct header *header)
{
	if (is_same_header(&ps->header, header)) /* a shell loop writes it before each poll */
		return;
	patterns_drop(ps);
	ps->n_lessons++;
	ps->header = *header;
	ps->columns = grow(ps->columns, &ps->columns_room, header->n, sizeof *ps->columns);
	memset(ps->columns, 0, header->n * sizeof *ps->columns);
	name_metrics(ps);
}

static void forget_gpu(struct gpu_patterns *gpu)
{
	for (size_t i = 0; i < gpu->n; i++)
		gpu->of[i].is_good = false;
}

void patterns_forget(struct patterns *ps)
{
	ps->n_lessons++;
	for (size_t i = 0; i < ps->n; i++)
		forget_gpu(&ps->at[i]);
}

static bool is_named_so(const struct pattern *p, const struct entity *gpu)
{
	return p->gpu.index == gpu->index && p->gpu.uuid == gpu->uuid && p->gpu.bus_id == gpu->bus_id;
}

bool patterns_has(const struct patterns *ps, size_t channel, const struct entity *gpu)
{
	const struct pattern *const known = channel < ps->n ? good_pattern(&ps->at[channel]) : NULL;

	return known && is_named_so(known, gpu);
}

static struct slice cell_text(const struct lesson *l, size_t i)
{
	return slice_trim(l->row->cells[i]);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Notes where the cell stands that ends before `end`; false when what stands there is not what the grammar has read. */
static bool note_cell(struct lesson *l, size_t cell, size_t begin, size_t end)
{
	const size_t wide_end = end;

	while (begin < end && is_blank(l->line.p[begin]))
		begin++;
	while (end > begin && is_blank(l->line.p[end - 1]))
		end--;
	const struct slice text = { l->line.p + begin, end - begin };
	const bool is_quoted = text.n && memchr(text.p, '"', text.n);
	l->is_plain[cell] = !is_quoted;
	l->cells[cell] = (struct cell_range){ (uint32_t)begin, (uint32_t)end };
	if (l->header->at[cell].role == ROLE_NONE || l->header->at[cell].role == ROLE_UNREAD || l->header->at[cell].spare)
		l->cells[cell].end = (uint32_t)wide_end; /* nobody looks at its blanks */
	return is_quoted || slice_same(text, cell_text(l, cell));
}

static bool find_cells(struct lesson *l)
{
	const struct slice line = l->line;
	size_t begin = 0, cell = 0;
	bool quoted = false;

	for (size_t i = 0; i <= line.n && cell < l->header->n; i++) {
		if (i < line.n && line.p[i] == '"')
			quoted = !quoted;
		if (i < line.n && (quoted || line.p[i] != ','))
			continue;
		if (!note_cell(l, cell++, begin, i))
			return false;
		begin = i + 1;
	}
	return cell == l->header->n;
}

static struct slice slice_in(const char *line, struct cell_range at)
{
	return (struct slice){ line + at.begin, at.end - at.begin };
}

/* Columns in which the row differs from the one of this GPU that was learned from before. */
static void watch_changes(struct patterns *ps, const struct gpu_patterns *gpu, const struct lesson *l)
{
	for (size_t i = 0; i < gpu->n_cells; i++)
		if (!slice_same(slice_in(gpu->line, gpu->cells[i]), slice_in(l->line.p, l->cells[i])))
			ps->columns[i].varies = true;
}

/* FNV-1a, of what stays text however often it changes. */
static uint64_t spelling_of(const struct lesson *l)
{
	uint64_t hash = 0xCBF29CE484222325U;

	for (size_t i = 0; i < l->header->n; i++) {
		const struct slice cell = slice_in(l->line.p, l->cells[i]);
		for (size_t k = 0; k < cell.n && (l->header->at[i].role >= ROLE_INDEX || !l->is_plain[i]); k++)
			hash = (hash ^ (unsigned char)cell.p[k]) * 0x100000001B3U;
	}
	return hash;
}

static struct cell_value cell_of(const struct lesson *l, size_t i)
{
	return cell_read(l->format, l->header->at[i].spelling, l->header->at[i].unit, cell_text(l, i));
}

/* A GPU that is lost is an event, and of wrong cells the grammar complains each time. */
static bool is_ordinary(const struct lesson *l)
{
	for (size_t i = 0; i < l->header->n; i++) {
		if (l->header->at[i].role != ROLE_METRIC)
			continue;
		const struct cell_value cell = cell_of(l, i);
		if (!cell.is_value && (cell.is_wrong || cell.reason == ABSENT_LOST))
			return false;
	}
	return true;
}

/* The first eight bytes. */
static struct short_text short_text_of(struct slice text)
{
	const size_t n = text.n < 8 ? text.n : 8;
	char bytes[8] = "", ones[8] = "";

	if (n) {
		memcpy(bytes, text.p, n);
		memset(ones, 0xFF, n);
	}
	return (struct short_text){ eight_bytes(bytes), eight_bytes(ones) };
}

static struct text text_of(const char *p, size_t n)
{
	const size_t n_first = n < 8 ? n : 8;
	const struct slice all = { p, n }, behind_first = { p + n_first, n - n_first };

	return (struct text){ short_text_of(all), short_text_of(behind_first), p, n };
}

/* What is known of the column's numbers, as the field needs it. Before the text behind a field there is room for a suffix. */
static void field_learns_number(struct field *f)
{
	const struct pattern_column *const c = f->column;
	const size_t n_suffix = c->n_suffix;
	char *const suffix = (char *)f->behind.p - n_suffix;

	if (n_suffix)
		memcpy(suffix, c->suffix, n_suffix);
	f->behind_number = text_of(suffix, n_suffix + f->behind.n);
	f->is_number = true;
	f->is_converted = c->unit != metric_table[f->metric].unit;
	f->most_decimals = f->decimals - c->moved;
}

/* In all patterns. */
static void column_learns_number(struct patterns *ps, const struct pattern_column *c)
{
	for (size_t i = 0; i < ps->n; i++)
		for (struct pattern *p = ps->at[i].of, *end = p + ps->at[i].n; p < end; p++)
			for (size_t k = 0; k < p->n_fields; k++)
				if (p->fields[k].column == c)
					field_learns_number(&p->fields[k]);
}

static bool is_same_number(const struct pattern_column *a, const struct pattern_column *b)
{
	return a->is_number == b->is_number && a->unit == b->unit && a->moved == b->moved && a->n_suffix == b->n_suffix &&
	       memcmp(a->suffix, b->suffix, a->n_suffix) == 0;
}

/* What stands behind the numbers of the column. */
static bool learn_number(struct patterns *ps, struct pattern_column *c, const struct head *head, struct slice text,
	const struct cell_value *cell)
{
	const struct pattern_column before = *c;
	struct slice rest;
	fixed value;
	size_t n = 0;
	int written = 0;
	bool behind = false;

	if (!fixed_parse(text, &value, &rest))
		return false;
	for (; n < text.n && (is_digit(text.p[n]) || text.p[n] == '.'); n++) {
		written += behind;
		behind |= text.p[n] == '.';
	}
	enum unit unit = head->unit;
	if (text.n - n > SUFFIX_BYTES || (rest.n && !slice_is(rest, unit_table[unit].symbol) && !unit_find(rest, &unit)))
		return false;
	if (written > FIXED_DIGITS || (written && cell->decimals == FIXED_DIGITS)) /* how far the point moves is not seen from such */
		return false;
	c->is_number = true;
	c->unit = unit;
	c->moved = cell->decimals - written;
	c->n_suffix = text.n - n;
	if (c->n_suffix)
		memcpy(c->suffix, text.p + n, c->n_suffix);
	if (!is_same_number(c, &before))
		column_learns_number(ps, c);
	return true;
}

static bool learn_word(struct pattern_column *c, struct slice text, const struct cell_value *cell)
{
	struct word *w = NULL;

	if (text.n > WORD_BYTES || (cell->is_value && cell->decimals)) /* of ".5 W" each GPU's grammar has to see how many digits it has */
		return false;
	for (size_t i = 0; i < c->n_words && !w; i++)
		if (slice_same(text, (struct slice){ c->words[i].text, c->words[i].n }))
			w = &c->words[i];
	if (!w && c->n_words < MAX_WORDS)
		w = &c->words[c->n_words++];
	if (!w)
		w = &c->words[c->oldest++ % MAX_WORDS];
	*w = (struct word){ .n = text.n, .value = cell->is_value ? cell->value : FIXED_MISSING, .reason = cell->reason };
	if (text.n)
		memcpy(w->text, text.p, text.n);
	return true;
}

static bool learn_cell(struct patterns *ps, const struct lesson *l, size_t i, const struct cell_value *cell)
{
	const struct head *head = &l->header->at[i];
	const struct slice text = cell_text(l, i);

	if (text.n && is_digit(text.p[0]) && metric_table[head->spelling->metric].unit != UNIT_BITS)
		return learn_number(ps, &ps->columns[i], head, text, cell);
	return learn_word(&ps->columns[i], text, cell);
}

/* As the reader has it: where the best column says so, the next best counts. */
static bool is_unsupported(struct slice text)
{
	return slice_is_nocase(text, "[N/A]") || slice_is_nocase(text, "N/A") || slice_is_nocase(text, "[Not Supported]");
}

/* The column that counts for the metric of column `best`; those that were passed over belong to the text. */
static size_t counting_column(struct lesson *l, size_t best)
{
	const struct header *h = l->header;
	size_t at = best;

	while (h->at[at].spare_at != SIZE_MAX && is_unsupported(cell_text(l, at))) {
		l->kinds[at] = FIELD_TEXT;
		at = h->at[at].spare_at;
	}
	if (at == best || !is_unsupported(cell_text(l, at)))
		return at;
	l->kinds[at] = FIELD_TEXT;
	return best;
}

static void note_constant(struct pattern *p, size_t slot, const struct cell_value *cell)
{
	p->constants[p->n_constants++] = (struct constant_cell){ slot, cell->is_value ? cell->value : FIXED_MISSING, cell->reason };
}

/* False: nothing can be learned from the row. */
static bool learn_metric(struct patterns *ps, struct pattern *p, struct lesson *l, size_t best, size_t slot)
{
	const struct head *head = &l->header->at[best];
	const size_t at = counting_column(l, best);
	const struct cell_value cell = cell_of(l, at);
	const bool is_bound = head->spare_at != SIZE_MAX && is_unsupported(cell_text(l, at));

	if (cell.is_value && cell.decimals > l->gpu->decimals[at])
		l->gpu->decimals[at] = cell.decimals;
	const fixed unit = cell.is_value ? fixed_scales[cell.decimals < FIXED_DIGITS ? cell.decimals : FIXED_DIGITS] : FIXED_ONE;
	if (unit < ps->units[slot])
		ps->units[slot] = unit;
	if (is_bound || !ps->columns[at].varies || !l->is_plain[at]) {
		l->kinds[at] = FIELD_TEXT;
		note_constant(p, slot, &cell);
		return true;
	}
	l->kinds[at] = FIELD_VALUE;
	l->slots[at] = slot;
	return learn_cell(ps, l, at, &cell);
}

/* "2026/11/21 01:48:34.387" of a cell, whatever zone is behind it; the pattern's stamps are as far from its times as this one. */
static bool learn_time(struct pattern *p, struct lesson *l, size_t i, time_ms t)
{
	const struct slice cell = cell_text(l, i);
	size_t n = STAMP_BYTES;
	time_ms shown;

	if (n < cell.n && cell.p[n] == '.')
		for (n++; n < cell.n && is_digit(cell.p[n]);)
			n++;
	if (!l->is_plain[i] || n > cell.n || !stamp_parse((struct slice){ cell.p, n }, &shown))
		return false;
	l->cells[i].end = l->cells[i].begin + (uint32_t)n;
	p->shift = t - shown;
	return true;
}

/* What the columns are, other than those that count for a metric. */
static bool learn_others(const struct patterns *ps, struct pattern *p, struct lesson *l, time_ms t)
{
	size_t n_times = 0;

	for (size_t i = 0; i < l->header->n; i++) {
		const struct head *head = &l->header->at[i];
		const bool is_free = ps->columns[i].varies && l->is_plain[i];
		l->kinds[i] = FIELD_TEXT;
		if ((head->role >= ROLE_DATE && head->role <= ROLE_ELAPSED) || (head->role == ROLE_TIME && !learn_time(p, l, i, t)))
			return false;
		if (head->role == ROLE_TIME)
			l->kinds[i] = FIELD_TIME, n_times++;
		else if (is_free && (head->role == ROLE_NONE || head->role == ROLE_UNREAD))
			l->kinds[i] = FIELD_UNREAD;
		else if (is_free && head->spare)
			l->kinds[i] = FIELD_SPARE;
	}
	return n_times == 1;
}

static bool learn_metrics(struct patterns *ps, struct pattern *p, struct lesson *l)
{
	size_t slot = 0;

	p->n_constants = 0;
	for (size_t i = 0; i < l->header->n; i++)
		if (has_value(&l->header->at[i]) && !learn_metric(ps, p, l, i, slot++))
			return false;
	return true;
}

static fixed least_fixed(double low)
{
	const double v = ceil(low * FIXED_ONE);

	return v < -9e18 ? -INT64_MAX : (fixed)v;
}

static fixed most_fixed(double high)
{
	const double v = floor(high * FIXED_ONE);

	return v > 9e18 ? INT64_MAX : (fixed)v;
}

/* Slots of constants have no place among the numbers. */
static size_t place_of_slot(const struct pattern *p, size_t slot)
{
	size_t place = slot;

	for (size_t i = 0; i < p->n_constants; i++)
		place -= p->constants[i].slot < slot;
	return place;
}

static struct field field_of(const struct patterns *ps, const struct pattern *p, const struct lesson *l, size_t i)
{
	struct field f = { .kind = l->kinds[i] };

	if (f.kind != FIELD_VALUE)
		return f;
	const struct metric_row *row = &metric_table[l->header->at[i].spelling->metric];
	f.column = &ps->columns[i];
	f.slot = l->slots[i];
	f.place = place_of_slot(p, f.slot);
	f.metric = l->header->at[i].spelling->metric;
	f.decimals = l->gpu->decimals[i] < FIXED_DIGITS ? l->gpu->decimals[i] : INT_MAX / 2;
	f.low = least_fixed(row->low);
	f.range = (uint64_t)most_fixed(row->high) - (uint64_t)f.low;
	return f;
}

#define PADDING 8 /* zeros behind each text */

/* A text that belongs to the pattern. `room` goes on behind it. */
static struct text put_text(char **room, struct slice text)
{
	char *const at = *room + SUFFIX_BYTES;

	memset(*room, 0, SUFFIX_BYTES + text.n + PADDING);
	if (text.n)
		memcpy(at, text.p, text.n);
	*room = at + text.n + PADDING;
	return text_of(at, text.n);
}

static void put_fields(const struct patterns *ps, struct pattern *p, const struct lesson *l)
{
	const size_t n_end = l->line.p[l->line.n] == '\r' ? 2 : 1;
	struct text *last = &p->before;
	size_t done = 0;

	p->n_fields = 0;
	p->n_numbers = ps->n_metrics - p->n_constants;
	p->fields = grow(p->fields, &p->fields_room, l->header->n, sizeof *p->fields);
	p->text = grow(p->text, &p->text_room, l->line.n + n_end + (SUFFIX_BYTES + PADDING) * (l->header->n + 1), 1);
	char *room = p->text;
	for (size_t i = 0; i < l->header->n; i++) {
		if (l->kinds[i] == FIELD_TEXT)
			continue;
		struct field *const f = &p->fields[p->n_fields++];
		*f = field_of(ps, p, l, i);
		*last = put_text(&room, (struct slice){ l->line.p + done, l->cells[i].begin - done });
		done = l->cells[i].end;
		last = &f->behind;
	}
	*last = put_text(&room, (struct slice){ l->line.p + done, l->line.n + n_end - done });
	for (size_t i = 0; i < p->n_fields; i++)
		if (p->fields[i].column && p->fields[i].column->is_number)
			field_learns_number(&p->fields[i]);
}

static void keep_line(struct gpu_patterns *gpu, const struct lesson *l)
{
	gpu->line = grow(gpu->line, &gpu->line_room, l->line.n, 1);
	memcpy(gpu->line, l->line.p, l->line.n);
	gpu->cells = grow(gpu->cells, &gpu->cells_room, l->header->n, sizeof *gpu->cells);
	memcpy(gpu->cells, l->cells, l->header->n * sizeof *gpu->cells);
	gpu->n_cells = l->header->n;
}

static struct gpu_patterns *patterns_of(struct patterns *ps, size_t channel)
{
	const size_t n = ps->header.n;

	while (ps->n <= channel) {
		ps->at = grow(ps->at, &ps->room, ps->n + 1, sizeof *ps->at);
		struct gpu_patterns *gpu = &ps->at[ps->n++];
		*gpu = (struct gpu_patterns){ 0 };
		gpu->decimals = grow(NULL, &gpu->decimals_room, n, sizeof *gpu->decimals);
		memset(gpu->decimals, 0, n * sizeof *gpu->decimals);
	}
	return &ps->at[channel];
}

static size_t place_for(const struct gpu_patterns *gpu, uint64_t spelling)
{
	size_t free = gpu->n < SPELLINGS ? gpu->n : SPELLINGS - 1;

	for (size_t i = gpu->n; i-- > 0;) {
		if (gpu->of[i].spelling == spelling)
			return i;
		if (!gpu->of[i].is_good)
			free = i;
	}
	return free;
}

/*
 * The pattern of rows that are spelled so is made anew; a new spelling takes the place of the one that was learned from longest ago.
 * The first row of a GPU may be the one in which its name is damaged, and that all others have another one is found out by counting rows
 * (csv_count_names): a pattern that no row has fitted does not stay beside others, so that of those that do it does not matter which names
 * the GPU how.
 */
static struct pattern *pattern_of(struct gpu_patterns *gpu, uint64_t spelling, size_t n_columns)
{
	if (!gpu->has_fitted)
		forget_gpu(gpu);
	const size_t i = place_for(gpu, spelling);
	const struct pattern p = gpu->of[i];
	memmove(gpu->of + 1, gpu->of, i * sizeof *gpu->of);
	gpu->of[0] = p;
	gpu->n += i == gpu->n;
	gpu->of[0].is_good = false;
	gpu->of[0].spelling = spelling;
	gpu->of[0].constants = grow(gpu->of[0].constants, &gpu->of[0].constants_room, n_columns, sizeof *gpu->of[0].constants);
	return &gpu->of[0];
}

static bool has_spelling(const struct gpu_patterns *gpu, uint64_t spelling)
{
	const size_t i = place_for(gpu, spelling);

	return i < gpu->n && gpu->of[i].is_good && gpu->of[i].spelling == spelling;
}

static bool has_same_constants(const struct pattern *a, const struct pattern *b)
{
	bool same = a->n_constants == b->n_constants;

	for (size_t i = 0; i < a->n_constants && same; i++)
		same = a->constants[i].slot == b->constants[i].slot && a->constants[i].value == b->constants[i].value &&
		       a->constants[i].reason == b->constants[i].reason;
	return same;
}

/* What is told of rows of a channel is told of all that fitted at once (good_pattern()). */
static void forget_unlike(struct gpu_patterns *gpu, const struct pattern *p)
{
	for (size_t i = 0; i < gpu->n; i++)
		gpu->of[i].is_good &= is_named_so(p, &gpu->of[i].gpu) && has_same_constants(p, &gpu->of[i]);
}

#define ENOUGH_LESSONS 16
#define PATIENCE 8

/* Where row after row misses, learning from each would cost more than it gives. */
static bool is_tiring(struct gpu_patterns *gpu)
{
	const size_t n = ++gpu->n_misses;

	return n > PATIENCE && (n & (n - 1));
}

/* Where enough was learned, one row that misses is no reason to change anything, unless the one before was spelled in the same new way. */
static bool is_one_of_many(struct gpu_patterns *gpu, uint64_t spelling)
{
	const bool is_again = spelling == gpu->odd && !has_spelling(gpu, spelling);

	gpu->odd = spelling;
	return gpu->n_misses == 1 && good_pattern(gpu) && gpu->n_lessons >= ENOUGH_LESSONS && !is_again;
}

const struct entity *patterns_gpu(const struct patterns *ps, size_t channel)
{
	return &good_pattern(&ps->at[channel])->gpu;
}

void patterns_learn(struct patterns *ps, const struct format *format, const struct csv_row *row, struct slice line, size_t channel,
	const struct entity *gpu, time_ms t)
{
	struct gpu_patterns *const known = patterns_of(ps, channel);

	if (is_tiring(known) || !line.n || !is_digit(line.p[0]) || memchr(line.p, '\r', line.n))
		return;
	struct lesson l = { .format = format, .header = &ps->header, .row = row, .line = line, .gpu = known };
	if (!find_cells(&l))
		return;
	const uint64_t spelling = spelling_of(&l);
	if (is_one_of_many(known, spelling))
		return;
	watch_changes(ps, known, &l);
	if (!is_ordinary(&l))
		return;
	ps->n_lessons++;
	known->n_lessons++;
	keep_line(known, &l);
	struct pattern *const p = pattern_of(known, spelling, ps->header.n);
	if (!learn_others(ps, p, &l, t) || !learn_metrics(ps, p, &l))
		return;
	put_fields(ps, p, &l);
	p->gpu = *gpu;
	p->is_good = true;
	forget_unlike(known, p);
}
