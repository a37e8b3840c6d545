/*
 * nvidia_smi_csv_guess.c - what the columns of a log without header could be.
 *
 *     2026/11/21 01:57:28.170, 0, 100, 42613, 67, 692.73       timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw
 *     2 %, 588 MiB
 *
 * nvidia-smi prints this with noheader; the list of fields is in a script that the log does not hold. Cells tell what kind of
 * thing a column is. What of that kind it is they tell only sometimes: a time stamp, a uuid, a bus id, a P-state and watts that
 * vary can be one thing; a percentage can be GPU, memory, encoder or fan, MiB can be used, free or reserved. So the guess
 * is read only when every column is of the first sort. Otherwise it is a proposal, with its reasons, in the refusal.
 */
#include "format/nvidia_smi_csv.h"

#include "metric/identity.h"

enum look { /* of a cell */
	LOOK_OTHER, LOOK_TIME, LOOK_UUID, LOOK_BUS_ID, LOOK_PSTATE, LOOK_MASK, LOOK_NAME, LOOK_WORD,
	LOOK_PERCENT, LOOK_MIB, LOOK_WATT, LOOK_MHZ, LOOK_WHOLE, LOOK_DECIMAL, N_LOOKS,
};

struct guess_column {
	size_t n[N_LOOKS];
	fixed low, high; /* of the numbers */
	bool has_number;
};

#define GUESS_COLUMNS ((size_t)64)

struct guess {
	struct guess_column at[GUESS_COLUMNS];
	size_t n, n_rows;
	bool uneven; /* rows of different lengths */
};

struct guess *guess_new(struct arena *mem)
{
	return NEW(mem, struct guess);
}

static enum look look_of_number(struct slice rest, struct slice cell)
{
	enum unit unit;

	if (!rest.n)
		return memchr(cell.p, '.', cell.n) ? LOOK_DECIMAL : LOOK_WHOLE;
	if (!unit_find(rest, &unit))
		return LOOK_OTHER;
	switch (unit_table[unit].dimension) {
	case DIM_SHARE:
		return LOOK_PERCENT;
	case DIM_MEMORY:
		return LOOK_MIB;
	case DIM_POWER:
		return LOOK_WATT;
	case DIM_FREQUENCY:
		return LOOK_MHZ;
	default:
		return LOOK_OTHER;
	}
}

static bool is_pstate(struct slice cell)
{
	int64_t n;

	return cell.n > 1 && cell.n < 4 && cell.p[0] == 'P' && integer_parse((struct slice){ cell.p + 1, cell.n - 1 }, &n);
}

/* "00000000:1B:00.0" */
static bool is_bus_id(struct slice cell)
{
	return cell.n >= 12 && cell.n <= 16 && cell.p[cell.n - 2] == '.' && cell.p[cell.n - 5] == ':' && cell.p[cell.n - 8] == ':';
}

/* nvidia-smi's own: "2026/11/21 01:48:34.387". */
static bool is_smi_time(struct slice cell)
{
	time_ms t;

	return cell.n >= 19 && cell.p[4] == '/' && stamp_parse(cell, &t);
}

static enum look look_of(struct slice cell, fixed *value)
{
	struct slice rest;
	uint64_t mask;

	if (is_smi_time(cell))
		return LOOK_TIME;
	if (is_bus_id(cell))
		return LOOK_BUS_ID;
	if (mask_parse(cell, &mask))
		return LOOK_MASK;
	if (fixed_parse(cell, value, &rest))
		return look_of_number(rest, cell);
	if (slice_starts(cell, "GPU-"))
		return LOOK_UUID;
	if (is_pstate(cell))
		return LOOK_PSTATE;
	if (slice_starts(cell, "NVIDIA ") || slice_starts(cell, "Tesla ") || slice_starts(cell, "GeForce ") ||
		slice_starts(cell, "Quadro "))
		return LOOK_NAME;
	return cell.n ? LOOK_WORD : LOOK_OTHER;
}

void guess_row(struct guess *g, const struct csv_row *row)
{
	g->uneven |= (g->n_rows && row->n != g->n) || row->n > GUESS_COLUMNS;
	if (g->uneven)
		return;
	g->n = row->n;
	g->n_rows++;
	for (size_t i = 0; i < row->n; i++) {
		struct guess_column *c = &g->at[i];
		struct slice cell = slice_trim(row->cells[i]);
		fixed value = 0;
		enum look look = look_of(cell, &value);
		if (look == LOOK_WORD && cell.p[0] == '[') /* "[N/A]" fits every column */
			continue;
		c->n[look]++;
		if (look < LOOK_PERCENT)
			continue;
		c->low = c->has_number && c->low < value ? c->low : value;
		c->high = c->has_number && c->high > value ? c->high : value;
		c->has_number = true;
	}
}

/* The one look of a column, or LOOK_OTHER when its cells differ. */
static enum look look(const struct guess_column *c)
{
	enum look found = LOOK_OTHER;
	size_t n_looks = 0;

	for (int i = 0; i < N_LOOKS; i++) {
		if (!c->n[i])
			continue;
		found = (enum look)i;
		n_looks++;
	}
	if (n_looks == 2 && c->n[LOOK_DECIMAL] && c->n[LOOK_WHOLE])
		return LOOK_DECIMAL;
	return n_looks == 1 ? found : LOOK_OTHER;
}

static size_t count_looks(const struct guess *g, enum look from, enum look to)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += look(&g->at[i]) >= from && look(&g->at[i]) <= to;
	return n;
}

/* nvidia-smi's time stamp beside something else, or nothing but numbers with its units. */
bool guess_is_log(const struct guess *g)
{
	if (g->uneven || g->n < 2 || g->n_rows < 2)
		return false;
	bool has_time = count_looks(g, LOOK_TIME, LOOK_TIME) == 1 && count_looks(g, LOOK_PERCENT, LOOK_DECIMAL) >= 1;
	return has_time || (count_looks(g, LOOK_PERCENT, LOOK_MHZ) == g->n && count_looks(g, LOOK_MIB, LOOK_MHZ) >= 1);
}

#define LOOKS_LIKE_INDEX (64 * FIXED_ONE)
#define LOOKS_LIKE_MEMORY (200 * FIXED_ONE) /* neither percent nor degrees */
#define COLDEST (15 * FIXED_ONE)

/* What is taken already as the columns go by. */
struct taken {
	bool index, util, mem_util, used, total, temp, power, limit, sm, mem_clock;
};

/* The more usual of two fields that look alike, or the other one when that is taken. */
static const char *first_free(bool *first, const char *a, bool *second, const char *b)
{
	bool *is = !*first ? first : second;

	if (*is)
		return "-";
	*is = true;
	return is == first ? a : b;
}

/* By its size. Memory in use is seldom constant, so a column of one large number is all there is. */
static const char *guess_whole(const struct guess_column *c, size_t column, struct taken *t)
{
	if (!t->index && column <= 1 && c->low == 0 && c->high < LOOKS_LIKE_INDEX && !t->util) {
		t->index = true;
		return "index";
	}
	if (c->high >= LOOKS_LIKE_MEMORY && (c->low != c->high || t->used))
		return first_free(&t->used, "memory.used", &t->total, "memory.total");
	if (c->high >= LOOKS_LIKE_MEMORY)
		return first_free(&t->total, "memory.total", &t->used, "memory.used");
	if (c->low >= COLDEST && !t->temp && t->util) {
		t->temp = true;
		return "temperature.gpu";
	}
	return first_free(&t->util, "utilization.gpu", &t->mem_util, "utilization.memory");
}

static const char *guess_field(const struct guess_column *c, size_t column, struct taken *t)
{
	switch (look(c)) {
	case LOOK_TIME:
		return "timestamp";
	case LOOK_UUID:
		t->index = true;
		return "uuid";
	case LOOK_BUS_ID:
		t->index = true;
		return "pci.bus_id";
	case LOOK_NAME:
		return "name";
	case LOOK_PSTATE:
		return "pstate";
	case LOOK_MASK:
		return "clocks_event_reasons.active";
	case LOOK_PERCENT:
		return first_free(&t->util, "utilization.gpu", &t->mem_util, "utilization.memory");
	case LOOK_MIB:
		return first_free(&t->used, "memory.used", &t->total, "memory.total");
	case LOOK_MHZ:
		return first_free(&t->sm, "clocks.sm", &t->mem_clock, "clocks.mem");
	case LOOK_WATT:
	case LOOK_DECIMAL:
		return first_free(&t->power, "power.draw", &t->limit, "power.limit");
	case LOOK_WHOLE:
		return guess_whole(c, column, t);
	default:
		return "-";
	}
}

const char *guess_list(struct arena *mem, const struct guess *g)
{
	struct taken taken = { 0 };
	const char *list = "";

	for (size_t i = 0; i < g->n; i++)
		list = arena_print(mem, "%s%s%s", list, i ? "," : "", guess_field(&g->at[i], i, &taken));
	return list;
}

bool guess_is_sure(const struct guess *g)
{
	size_t sure = count_looks(g, LOOK_TIME, LOOK_PSTATE) + count_looks(g, LOOK_NAME, LOOK_NAME), n_watt = 0;

	for (size_t i = 0; i < g->n; i++) /* a limit does not vary */
		n_watt += look(&g->at[i]) == LOOK_WATT && g->at[i].low != g->at[i].high;
	return g->n && n_watt == 1 && sure + n_watt == g->n && count_looks(g, LOOK_TIME, LOOK_TIME) == 1;
}

static const char *range_text(struct arena *mem, const struct guess_column *c)
{
	char low[32], high[32];
	int decimals = look(c) == LOOK_DECIMAL || look(c) == LOOK_WATT ? 2 : 0;

	number_print(low, sizeof low, fixed_value(c->low), decimals);
	number_print(high, sizeof high, fixed_value(c->high), decimals);
	return arena_print(mem, "%s to %s", low, high);
}

static const char *reason(struct arena *mem, const struct guess_column *c)
{
	static const char *const kinds[N_LOOKS] = {
		[LOOK_TIME] = "time stamps",     [LOOK_UUID] = "uuids",     [LOOK_BUS_ID] = "bus ids", [LOOK_PSTATE] = "P-states",
		[LOOK_MASK] = "masks",           [LOOK_NAME] = "GPU names", [LOOK_WORD] = "words",     [LOOK_PERCENT] = "%",
		[LOOK_MIB] = "MiB",              [LOOK_WATT] = "W",         [LOOK_MHZ] = "MHz",        [LOOK_WHOLE] = "whole numbers",
		[LOOK_DECIMAL] = "decimals",     [LOOK_OTHER] = "this and that",
	};
	enum look l = look(c);

	if (l < LOOK_PERCENT)
		return kinds[l];
	if (l < LOOK_WHOLE)
		return arena_print(mem, "%s %s", range_text(mem, c), kinds[l]);
	return arena_print(mem, "%s %s", kinds[l], range_text(mem, c));
}

const char *guess_reasons(struct arena *mem, const struct guess *g)
{
	const char *text = "";

	for (size_t i = 0; i < g->n; i++)
		text = arena_print(mem, "%s%s%zu: %s", text, i ? "; " : "", i + 1, reason(mem, &g->at[i]));
	return text;
}
