/*
 * thin_laws.c - of a log for which there is no room, what the rules of format/sheet_thin.c leave is kept, number by number.
 *
 * A case is a log of nvidia-smi of up to five GPUs, read with little room and in any way of reading: steps that vary or are 0, holes, rows
 * that overtake each other, cells without a value, values that stay for whole packs, a GPU that comes late.
 *
 * Where rows are thinned once, at the end, the same ones are thinned in the plainest way, in arrays: what becomes one is found run by run,
 * and each number of what became one by going through its rows again. When they are thinned while they come in hangs on what they take
 * packed: there it is asked what any thinning has to leave.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "laws.h"

#include "recording_text.h"

#include <sched.h>

__extension__ typedef __int128 wide;

#define MOST_GPUS 5
#define MOST_POLLS 3000
#define DAWN ((time_ms)1795246200000) /* 2026-11-21 07:30: no clock is set by day */

/* ------ logs ------ */

#define PSTATE_HIGH 14

enum { BUSY, POWER, HEAT, MEMORY, CLOCK, PSTATE, ERRORS, N_COLUMNS };
static const struct kind {
	const char *head, *unit, *prefix;
	enum metric metric;
	int low, high, digits; /* in the unit; most behind the point */
} kinds[N_COLUMNS] = {
	[BUSY] = { "utilization.gpu [%]", " %", "", METRIC_GPU_UTIL, 0, 100, 0 },
	[POWER] = { "power.draw [W]", " W", "", METRIC_GPU_POWER, 60, 700, 2 },
	[HEAT] = { "temperature.gpu", "", "", METRIC_GPU_TEMP, -20, 20, 0 },
	[MEMORY] = { "memory.used [MiB]", " MiB", "", METRIC_GPU_MEM_USED, 4, 4000000, 0 },
	[CLOCK] = { "clocks.current.sm [MHz]", " MHz", "", METRIC_GPU_CLOCK_SM, 300, 1980, 6 },
	[PSTATE] = { "pstate", "", "P", METRIC_GPU_PSTATE, 0, PSTATE_HIGH, 0 },
	[ERRORS] = { "ecc.errors.uncorrected.volatile.total", "", "", METRIC_GPU_ECC_UNCORRECTED, 0, 1000000, 0 },
};

#define NEVER 1000000000

struct habit { /* of a GPU's column */
	int changes, missing; /* one in so many rows: is another value; changes whether there is one */
	int digits;           /* behind the point */
	int spread;           /* values are so near the first one; 0: anywhere */
	fixed value;
	bool is_missing;
	bool leans; /* a state: which is one of two, and one of them twice as often */
};

struct row { /* of the log */
	int gpu;
	time_ms t;
	fixed values[N_COLUMNS];
};

struct log {
	struct random *r;
	struct habit habits[MOST_GPUS][N_COLUMNS];
	int columns[N_COLUMNS], n_columns, n_gpus;
	size_t n_polls, begins[MOST_GPUS]; /* the first poll of each GPU */
	time_ms step, times[MOST_POLLS];
	int varies, holes, misses, doubles, overtakes, jumps; /* one in so many polls or rows; 0: none */
	bool names_gpus;
	bool is_for_end;   /* it is thinned when all of it is in: its rows name no GPU, or time stands still at the second row of each */
	struct row *rows;
	size_t n_rows;
};

static int one_of_numbers(struct random *r, const int *numbers, size_t n)
{
	return numbers[random_below(r, (int)n)];
}
#define NUMBER_OF(r, numbers) one_of_numbers(r, numbers, sizeof numbers / sizeof *numbers)

static void draw_columns(struct log *l)
{
	static const int changes[] = { 1, 1, 3, 20, 300, NEVER }, missing[] = { 3, 20, 300, NEVER, NEVER, NEVER };
	static const int spreads[] = { 0, 0, 2, 3 };

	for (int i = 0; i < N_COLUMNS; i++)
		if (random_below(l->r, 3) || (i == ERRORS && !l->n_columns))
			l->columns[l->n_columns++] = i;
	for (int gpu = 0; gpu < l->n_gpus; gpu++)
		for (int i = 0; i < N_COLUMNS; i++) {
			l->habits[gpu][i] = (struct habit){ .changes = NUMBER_OF(l->r, changes), .missing = NUMBER_OF(l->r, missing) };
			l->habits[gpu][i].digits = random_below(l->r, kinds[i].digits + 1);
			l->habits[gpu][i].spread = NUMBER_OF(l->r, spreads);
			l->habits[gpu][i].leans = i == PSTATE && random_one_in(l->r, 2);
		}
}

/*
 * The usual one does not change by so much that the first step or the last one of a GPU is taken for a damaged stamp; and rows that name no
 * GPU are not so far apart that those near each other seem to be of several.
 */
static time_ms next_step(struct log *l)
{
	const bool has_long = l->names_gpus && l->step < HOUR_MS / 4;

	if (l->holes && random_one_in(l->r, l->holes))
		return l->step * (2 + random_below(l->r, has_long && random_one_in(l->r, 2) ? 300 : 3));
	return l->varies && random_one_in(l->r, l->varies) ? l->step * (80 + random_below(l->r, 120)) / 100 : l->step;
}

/* Of the log, or where a GPU comes. */
static bool is_at_end(const struct log *l, size_t poll)
{
	bool is_first = false;

	for (int gpu = 0; gpu < l->n_gpus; gpu++)
		is_first |= poll >= l->begins[gpu] && poll < l->begins[gpu] + 4;
	return is_first || poll + 4 > l->n_polls;
}

static void draw_times(struct log *l)
{
	time_ms t = DAWN;

	for (size_t i = 0; i < l->n_polls; i++) {
		l->times[i] = t;
		t += is_at_end(l, i + 1) ? l->step : next_step(l);
	}
}

static int rarely(struct random *r, const int *one_in, size_t n)
{
	return random_one_in(r, 2) ? 0 : one_of_numbers(r, one_in, n);
}
#define RARELY(r, one_in) rarely(r, one_in, sizeof one_in / sizeof *one_in)

static void draw_log(struct log *l, struct random *r, bool is_for_end)
{
	static const int steps[] = { 50, 500, 1000, 1000, 1003, 30000, 1700000 };
	static const int often[] = { 1, 2, 10, 200 }, seldom[] = { 4, 30, 300, 3000 };

	*l = (struct log){ .r = r, .n_gpus = 1 + random_below(r, MOST_GPUS), .names_gpus = !is_for_end || random_below(r, 3) > 0 };
	l->is_for_end = is_for_end;
	if (!l->names_gpus)
		l->n_gpus = 1;
	l->step = NUMBER_OF(r, steps);
	l->n_polls = 2 + (size_t)random_below(r, 16 << random_below(r, l->step > HOUR_MS / 4 ? 6 : 8)); /* months are no log */
	l->varies = RARELY(r, often);
	l->holes = RARELY(r, seldom);
	l->misses = l->names_gpus ? RARELY(r, seldom) : 0;
	l->doubles = l->names_gpus && random_one_in(r, 3) ? NUMBER_OF(r, seldom) : 0;
	l->overtakes = l->names_gpus && !l->misses && l->step < HOUR_MS / 4 && random_one_in(r, 3) ? NUMBER_OF(r, seldom) : 0;
	for (int i = 1; i < l->n_gpus; i++)
		l->begins[i] = !is_for_end && random_one_in(r, 2) ? (size_t)random_below(r, (int)l->n_polls) : 0;
	draw_columns(l);
	draw_times(l);
}

static fixed draw_value(struct log *l, const struct kind *k, struct habit *h)
{
	const int near = h->spread && h->value ? (int)(h->value / FIXED_ONE) : k->low + random_below(l->r, k->high - k->low);
	const int to = h->spread ? h->spread : 1, units = near + random_below(l->r, to) - to / 2;
	fixed value = (fixed)(units < k->low ? k->low : units > k->high ? k->high : units) * FIXED_ONE;

	for (fixed digit = FIXED_ONE / 10, n = h->digits; n > 0 && units < k->high; n--, digit /= 10)
		value += digit * random_below(l->r, 10);
	return value;
}

static fixed next_value(struct log *l, int gpu, int column)
{
	struct habit *const h = &l->habits[gpu][column];

	if (random_one_in(l->r, h->missing))
		h->is_missing = !h->is_missing;
	if (column == ERRORS)
		h->value += (fixed)random_below(l->r, 3) * FIXED_ONE;
	else if (h->leans)
		h->value = (random_one_in(l->r, 3) ? 8 : 2) * FIXED_ONE;
	else if (!h->value || random_one_in(l->r, h->changes))
		h->value = draw_value(l, &kinds[column], h);
	return h->is_missing ? FIXED_MISSING : h->value;
}

static void add_row(struct log *l, int gpu, size_t poll)
{
	struct row *const row = &l->rows[l->n_rows++];

	*row = (struct row){ .gpu = gpu, .t = l->times[poll] + gpu };
	for (int i = 0; i < N_COLUMNS; i++)
		row->values[i] = next_value(l, gpu, i);
}

/*
 * The rows of a GPU in the poll, of which the next one may come first, and some come twice. Beside a hole time does not step back: that
 * would be a damaged stamp, or a clock that was set.
 */
static size_t add_rows(struct log *l, int gpu, size_t poll)
{
	const bool is_inside = poll >= l->begins[gpu] + 4 && poll + 4 < l->n_polls;

	if (poll < l->begins[gpu] || (is_inside && l->misses && random_one_in(l->r, l->misses)))
		return 0;
	const bool is_near = is_inside && l->times[poll + 1] - l->times[poll - 1] <= 3 * l->step;
	const bool is_overtaken = is_near && l->overtakes && random_one_in(l->r, l->overtakes);
	if (is_overtaken)
		add_row(l, gpu, poll + 1);
	add_row(l, gpu, poll);
	const bool is_double = l->is_for_end && l->names_gpus && poll == l->begins[gpu];
	if (is_double || (l->doubles && random_one_in(l->r, l->doubles)))
		add_row(l, gpu, poll);
	return is_overtaken;
}

static void draw_rows(struct log *l, struct arena *mem)
{
	size_t n_told[MOST_GPUS] = { 0 }; /* polls that the GPU's rows told already */

	l->rows = NEW_ARRAY(mem, struct row, 3 * l->n_polls * (size_t)l->n_gpus);
	for (size_t poll = 0; poll < l->n_polls; poll++)
		for (int gpu = 0; gpu < l->n_gpus; gpu++)
			if (n_told[gpu] <= poll)
				n_told[gpu] = poll + 1 + add_rows(l, gpu, poll);
}

/* ------ as text ------ */

static void put_cell(struct buf *out, const struct kind *k, fixed value, int digits, bool in_quotes)
{
	char text[64];

	buf_text(out, in_quotes ? ", \"" : ", ");
	number_print(text, sizeof text, fixed_value(value), digits);
	if (value == FIXED_MISSING)
		buf_text(out, "[N/A]");
	else
		buf_print(out, "%s%s%s", k->prefix, text, k->unit);
	buf_text(out, in_quotes ? "\"" : "");
}

static void put_row(struct buf *out, const struct log *l, const struct row *row, bool in_quotes)
{
	const struct civil c = civil_from_time(row->t);

	buf_print(out, "%04d/%02d/%02d %02d:%02d:%02d.%03d", c.year, c.month, c.day, c.hour, c.minute, c.second, c.ms);
	if (l->names_gpus)
		buf_print(out, ", %d", row->gpu);
	for (int i = 0; i < l->n_columns; i++) {
		const int column = l->columns[i];
		put_cell(out, &kinds[column], row->values[column], l->habits[row->gpu][column].digits, in_quotes && (row->t + i) % 3 == 0);
	}
	buf_char(out, '\n');
}

static struct slice log_text(struct arena *mem, const struct log *l, bool in_quotes)
{
	struct buf out;

	buf_init(&out, (size_t)16 << 20);
	buf_text(&out, l->names_gpus ? "timestamp, index" : "timestamp");
	for (int i = 0; i < l->n_columns; i++)
		buf_print(&out, ", %s", kinds[l->columns[i]].head);
	buf_char(&out, '\n');
	for (size_t i = 0; i < l->n_rows; i++)
		put_row(&out, l, &l->rows[i], in_quotes);
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

/* ------ what is to be left ------ */

#define ROW_BYTES 56 /* as format/sheet_thin.c has them, */
#define CELL_BYTES 2
#define MOST_STATES 8
#define STEPS_ASKED 127
#define HOLE_STEPS 3 /* as format/sheet_parts.h has it */

struct kept_row {
	time_ms t;
	fixed values[N_COLUMNS];
	size_t number; /* of the channel's rows, as they came */
};

struct kept { /* of a GPU */
	struct kept_row *rows;
	size_t n, n_merged, n_doubles;
	int digits[N_COLUMNS];
	fixed low[N_COLUMNS], high[N_COLUMNS]; /* of all rows that were thinned */
};

struct room {
	struct kept gpus[MOST_GPUS];
	int order[MOST_GPUS], n_gpus; /* as they came */
	size_t every; /* rows become one; 1: all stay */
};

static int by_length(const void *a, const void *b)
{
	const time_ms x = *(const time_ms *)a, y = *(const time_ms *)b;

	return (x > y) - (x < y);
}

/* The lower one of the middle, of the steps behind rows [begin, end). */
static time_ms middle_step(const struct kept *k, size_t begin, size_t end)
{
	time_ms steps[3 * MOST_POLLS];
	size_t n = 0;

	for (size_t i = begin; i < end; i++)
		steps[n++] = k->rows[i + 1].t - k->rows[i].t;
	qsort(steps, n, sizeof *steps, by_length);
	return n ? steps[(n - 1) / 2] : SECOND_MS;
}

/* Of rows [begin, end): that of the 127 steps around their middle. */
static time_ms usual_step(const struct kept *k, size_t begin, size_t end)
{
	const size_t middle = begin + (end - begin) / 2, from = middle < begin + STEPS_ASKED / 2 ? begin : middle - STEPS_ASKED / 2;
	const time_ms step = middle_step(k, from, end - 1 - from < STEPS_ASKED ? end - 1 : from + STEPS_ASKED);

	return step > 0 ? step : 1;
}

struct marks { /* beside the rows */
	bool begins[3 * MOST_POLLS]; /* a row that there will be */
	time_ms holds[3 * MOST_POLLS];
};

static bool goes_on(const struct kept *k, size_t row, time_ms step)
{
	const time_ms ahead = row + 1 < k->n ? k->rows[row + 1].t - k->rows[row].t : 0;

	return ahead > 0 && ahead <= HOLE_STEPS * step;
}

/* Rows [begin, end), which follow each other without a hole: what is left behind the last whole group is one where it is half of one. */
static void mark_run(struct marks *m, size_t begin, size_t end, size_t every)
{
	const size_t n = end - begin, n_over = n % every;

	for (size_t i = 0; i < n; i++)
		m->begins[begin + i] = i % every == 0;
	if (n_over && 2 * n_over < every && n > n_over)
		m->begins[end - n_over] = false;
}

static void mark_rows(const struct kept *k, struct marks *m, size_t every)
{
	const time_ms step = usual_step(k, 0, k->n);
	size_t first = 0;

	for (size_t i = 0; i < k->n; i++) {
		const bool is_more = goes_on(k, i, step);
		m->holds[i] = is_more ? k->rows[i + 1].t - k->rows[i].t : step;
		if (is_more)
			continue;
		mark_run(m, first, i + 1, every);
		first = i + 1;
	}
}

static wide divided_down(wide number, wide by)
{
	wide quotient = number / by;

	while (quotient * by > number)
		quotient--;
	return quotient;
}

/* To the nearest; of two to the higher one. */
static wide rounded(wide number, wide quantum)
{
	wide nearest = (number - quantum) / quantum * quantum;

	while (2 * (nearest + quantum - number) <= quantum)
		nearest += quantum;
	return nearest;
}

static fixed quantum_of(int digits)
{
	static const fixed quanta[] = { 100000, 10000, 1000, 100, 10, 1, 1 };

	return quanta[digits];
}

/* What a column owes to what it was, as none of the rows there will be tells it. */
struct debts {
	wide mean;        /* what rounding took */
	time_ms missing;  /* ms that are not told yet, beside those of values */
	time_ms states[PSTATE_HIGH + 1], no_state;
};

/* Rows [begin, end) of a column. */
static fixed mean_of(const struct kept *k, const struct marks *m, size_t begin, size_t end, int column, struct debts *debts)
{
	time_ms known = 0, missing = 0;
	wide sum = 0;

	for (size_t i = begin; i < end; i++) {
		const fixed value = k->rows[i].values[column];
		if (value == FIXED_MISSING) {
			missing += m->holds[i];
			continue;
		}
		sum += (wide)value * m->holds[i];
		known += m->holds[i];
	}
	const time_ms owed_to_none = debts->missing + missing, owed_to_values = known - debts->missing;
	const bool is_none = known == 0 || (missing > 0 && owed_to_none > owed_to_values);
	debts->missing = owed_to_none - (is_none ? known + missing : 0);
	if (is_none)
		return FIXED_MISSING;
	const wide mean = divided_down(sum, known) + debts->mean, told = rounded(mean, quantum_of(k->digits[column]));
	debts->mean = mean - told;
	return (fixed)told;
}

static time_ms held_for(const struct kept *k, const struct marks *m, size_t begin, size_t end, int column, fixed state)
{
	time_ms sum = 0;

	for (size_t i = begin; i < end; i++)
		sum += k->rows[i].values[column] == state ? m->holds[i] : 0;
	return sum;
}

static bool is_new_state(const struct kept *k, size_t begin, size_t row, int column)
{
	while (begin < row && k->rows[begin].values[column] != k->rows[row].values[column])
		begin++;
	return begin == row;
}

static time_ms *debt_to(struct debts *debts, fixed state)
{
	return state == FIXED_MISSING ? &debts->no_state : &debts->states[state / FIXED_ONE];
}

/* The first ones of rows [begin, end). */
static int states_of(const struct kept *k, size_t begin, size_t end, int column, fixed *states)
{
	int n = 0;

	for (size_t i = begin; i < end && n < MOST_STATES; i++)
		if (is_new_state(k, begin, i, column))
			states[n++] = k->rows[i].values[column];
	return n;
}

/* All those of the rows are owed their time, and the one that is owed most gets all of it. */
static fixed state_owed_most(const struct kept *k, const struct marks *m, size_t begin, size_t end, int column, struct debts *debts)
{
	fixed states[MOST_STATES], most = 0;
	const int n = states_of(k, begin, end, column, states);
	time_ms all = 0;

	for (int i = 0; i < n; i++) {
		const time_ms held = held_for(k, m, begin, end, column, states[i]);
		*debt_to(debts, states[i]) += held;
		all += held;
	}
	for (int i = 0; i < n; i++)
		most = i == 0 || *debt_to(debts, states[i]) > *debt_to(debts, most) ? states[i] : most;
	*debt_to(debts, most) -= all;
	return most;
}

static fixed first_known(const struct kept *k, size_t begin, size_t end, int column)
{
	while (begin + 1 < end && k->rows[begin].values[column] == FIXED_MISSING)
		begin++;
	return k->rows[begin].values[column];
}

static fixed value_of(const struct kept *k, const struct marks *m, size_t begin, size_t end, int column, struct debts *debts)
{
	if (end - begin == 1)
		return k->rows[begin].values[column];
	switch (metric_table[kinds[column].metric].kind) {
	case KIND_GAUGE:
		return mean_of(k, m, begin, end, column, debts);
	case KIND_COUNTER:
		return first_known(k, begin, end, column);
	default:
		return state_owed_most(k, m, begin, end, column, debts);
	}
}

static void see_all(struct kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		for (int c = 0; c < N_COLUMNS; c++) {
			const fixed value = k->rows[i].values[c];
			k->low[c] = value != FIXED_MISSING && value < k->low[c] ? value : k->low[c];
			k->high[c] = value != FIXED_MISSING && value > k->high[c] ? value : k->high[c];
		}
}

/* What becomes one is written where its first row was, or before. */
static size_t merge_rows(struct kept *k, const struct marks *m)
{
	struct debts debts[N_COLUMNS] = { 0 };
	size_t n = 0;

	for (size_t begin = 0, end; begin < k->n; begin = end) {
		struct kept_row row = { .t = k->rows[begin].t };
		for (end = begin + 1; end < k->n && !m->begins[end];)
			end++;
		for (int c = 0; c < N_COLUMNS; c++)
			row.values[c] = value_of(k, m, begin, end, c, &debts[c]);
		k->rows[n++] = row;
	}
	return n;
}

static void thin(struct kept *k, size_t every)
{
	struct marks m;

	see_all(k);
	mark_rows(k, &m, every);
	const size_t n = merge_rows(k, &m);
	k->n_merged += k->n - n;
	k->n = n;
}

static void begin_gpu(struct arena *mem, struct room *room, int gpu)
{
	struct kept *const k = &room->gpus[gpu];

	room->order[room->n_gpus++] = gpu;
	k->rows = NEW_ARRAY(mem, struct kept_row, 3 * MOST_POLLS);
	for (int c = 0; c < N_COLUMNS; c++) {
		k->low[c] = INT64_MAX;
		k->high[c] = INT64_MIN;
	}
}

static void take_row(struct arena *mem, struct room *room, const struct log *l, const struct row *row)
{
	struct kept *const k = &room->gpus[row->gpu];

	if (!k->rows)
		begin_gpu(mem, room, row->gpu);
	k->rows[k->n] = (struct kept_row){ .t = row->t, .number = k->n };
	memcpy(k->rows[k->n++].values, row->values, sizeof row->values);
	for (int c = 0; c < N_COLUMNS; c++)
		if (row->values[c] != FIXED_MISSING)
			k->digits[c] = l->habits[row->gpu][c].digits;
}

static int by_time(const void *a, const void *b)
{
	const struct kept_row *const x = a, *const y = b;

	return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->number > y->number) - (x->number < y->number);
}

/* Of rows of one time the last one stays. */
static void put_in_order(struct kept *k)
{
	size_t n = 0;

	qsort(k->rows, k->n, sizeof *k->rows, by_time);
	for (size_t i = 0; i < k->n; i++)
		if (i + 1 == k->n || k->rows[i + 1].t != k->rows[i].t)
			k->rows[n++] = k->rows[i];
	k->n_doubles += k->n - n;
	k->n = n;
}

static struct room *what_is_left(struct arena *mem, const struct log *l, size_t every)
{
	struct room *const room = NEW(mem, struct room);

	room->every = every;
	for (size_t i = 0; i < l->n_rows; i++)
		take_row(mem, room, l, &l->rows[i]);
	for (int i = 0; i < room->n_gpus; i++) {
		struct kept *const k = &room->gpus[room->order[i]];
		put_in_order(k);
		if (every > 1)
			thin(k, every);
	}
	return room;
}

/* Each GPU's rows by themselves; how many of them have the same time does not matter. */
static size_t rows_to_be(const struct log *l, size_t every)
{
	size_t n_of[MOST_GPUS] = { 0 }, sum = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		n_of[l->rows[i].gpu]++;
	for (int gpu = 0; gpu < l->n_gpus; gpu++)
		sum += n_of[gpu] / every;
	return sum;
}

/* Are as many made one as it takes, and no more? Rows that name their GPU may have been more than what they could be, on the way. */
static bool is_right_every(const struct log *l, size_t every, size_t most)
{
	const bool is_power = every > 0 && (every & (every - 1)) == 0, is_enough = is_power && rows_to_be(l, every) <= most;

	return is_enough && (every == 1 || rows_to_be(l, every / 2) > (l->names_gpus ? most / 4 : most));
}

/* ------ both ------ */

static bool is_told(bool is_so, int gpu, const char *what)
{
	if (!is_so)
		printf("gpu %d: other %s\n", gpu, what);
	return is_so;
}

/* What was seen of rows that became one, and what is kept, are together as low and as high as all rows were. */
static bool are_extremes(const struct column *column, size_t n, fixed low, fixed high)
{
	struct extremes_seen all = *column->seen;

	for (size_t i = 0; i < n; i++) {
		const fixed value = column_value(column, i);
		all.low = value != FIXED_MISSING && value < all.low ? value : all.low;
		all.high = value != FIXED_MISSING && value > all.high ? value : all.high;
	}
	return all.low == low && all.high == high;
}

static bool is_column_kept(const struct room *room, int gpu, const struct column *column, int kind)
{
	const struct kept *const k = &room->gpus[gpu];
	bool is_so = column->metric == kinds[kind].metric && column->decimals == k->digits[kind] && !column->seen == (room->every == 1);

	if (column->seen)
		is_so &= are_extremes(column, k->n, k->low[kind], k->high[kind]);
	is_told(is_so, gpu, kinds[kind].head);
	for (size_t i = 0; i < k->n && is_so; i++)
		if (column_value(column, i) != k->rows[i].values[kind]) {
			printf("gpu %d, row %zu: %s is %lld and not %lld\n", gpu, i, kinds[kind].head, (long long)column_value(column, i),
				(long long)k->rows[i].values[kind]);
			is_so = false;
		}
	return is_so;
}

static const struct column *column_of(const struct channel *c, enum metric metric)
{
	for (size_t i = 0; i < c->n_columns; i++)
		if (c->columns[i].metric == metric)
			return &c->columns[i];
	return NULL;
}

static bool is_channel_kept(const struct log *l, const struct room *room, int gpu, const struct channel *c)
{
	const struct kept *const k = &room->gpus[gpu];
	const bool is_alike = c->n_columns == (size_t)l->n_columns && c->n_merged == k->n_merged && c->n_rows == k->n;
	bool is_so = is_told(is_alike, gpu, "rows") && is_told(c->step == (k->n > 1 ? middle_step(k, 0, k->n - 1) : 0), gpu, "step");

	for (size_t i = 0; i < k->n && is_so; i++)
		is_so = is_told(channel_time(c, i) == k->rows[i].t, gpu, "times");
	for (int i = 0; i < l->n_columns && is_so; i++) {
		const struct column *const column = column_of(c, kinds[l->columns[i]].metric);
		is_so = is_told(column != NULL, gpu, "columns") && is_column_kept(room, gpu, column, l->columns[i]);
	}
	return is_so;
}

static bool is_all_kept(const struct log *l, const struct room *room, const struct recording *rec)
{
	size_t n_doubles = 0;

	if (!rec || rec->n_rows_bad || rec->n_channels != (size_t)room->n_gpus || rec->every != room->every) {
		printf("not read, or %zu rows left out\n", rec ? rec->n_rows_bad : 0);
		return false;
	}
	for (int i = 0; i < room->n_gpus; i++) {
		n_doubles += room->gpus[room->order[i]].n_doubles;
		if (!is_channel_kept(l, room, room->order[i], &rec->channels[i]))
			return false;
	}
	return rec->n_doubles == n_doubles && rec->n_rows == l->n_rows - n_doubles;
}

/* ------ reading ------ */

struct way { /* of reading, none of which changes anything */
	bool in_quotes, by_grammar, on_one_core, is_file;
	size_t part_bytes;
};

static struct way draw_way(struct random *r)
{
	struct way w = { .in_quotes = random_one_in(r, 4), .by_grammar = random_one_in(r, 4), .on_one_core = random_one_in(r, 3) };

	w.part_bytes = random_one_in(r, 3) ? (size_t)200 << random_below(r, 10) : 0;
	w.is_file = w.part_bytes && random_one_in(r, 2);
	return w;
}

static void stay_on_one_core(const cpu_set_t *all)
{
	cpu_set_t one;
	size_t core = 0;

	while (!CPU_ISSET(core, all))
		core++;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	sched_setaffinity(0, sizeof one, &one);
}

static const struct recording *read_log(struct arena *mem, struct slice text, const struct way *way, uint64_t memory)
{
	const struct read_request request = { .memory = memory, .part_bytes = way->part_bytes, .by_grammar = way->by_grammar };
	struct text_source source = { text };
	struct lines lines;
	struct diags diags;
	cpu_set_t ours;

	diags_init(&diags, mem);
	sched_getaffinity(0, sizeof ours, &ours);
	if (way->on_one_core)
		stay_on_one_core(&ours);
	if (way->is_file)
		open_file_with(mem, &lines, text, &diags);
	else
		lines_open_source(&lines, "log", NULL, (struct byte_source){ give_text, &source });
	const struct recording *const rec = format_read_lines(mem, &lines, &request, NULL, &diags);
	lines_close(&lines);
	sched_setaffinity(0, sizeof ours, &ours);
	diags_release(&diags);
	return rec;
}

static void tell_case(const struct log *l, size_t most, const struct way *way)
{
	printf("%zu rows of %d GPUs, room for %zu, in quotes %d, by grammar %d, one core %d, parts of %zu, file %d\n", l->n_rows, l->n_gpus, most,
		way->in_quotes, way->by_grammar, way->on_one_core, way->part_bytes, way->is_file);
}

static bool what_is_kept_is_what_the_rules_leave(struct random *r, struct arena *mem)
{
	struct log *const l = NEW(mem, struct log);

	draw_log(l, r, true);
	draw_rows(l, mem);
	const size_t row_bytes = ROW_BYTES + CELL_BYTES * (size_t)l->n_columns;
	const size_t most = 10 + (size_t)random_below(r, 20 << random_below(r, 8));
	const struct way way = draw_way(r);
	const struct slice text = log_text(mem, l, way.in_quotes);
	const struct recording *const rec = read_log(mem, text, &way, most * row_bytes + (uint64_t)random_below(r, (int)row_bytes));
	const bool is_so = rec && is_told(is_right_every(l, rec->every, most), -1, "number of rows that became one") &&
		is_all_kept(l, what_is_left(mem, l, rec->every), rec);
	if (!is_so)
		tell_case(l, most, &way);
	return is_so;
}

/* ------ what holds of any thinning ------ */

/* Plain rows of a GPU, beside what is kept of them. */
struct whole {
	const struct row *rows[MOST_POLLS];
	size_t n;
	const struct channel *kept;
	size_t every;
	time_ms step;    /* of those kept, about */
	time_ms longest; /* between rows that may become one, where holes are so few that none is the usual step */
};

static struct whole whole_of(const struct log *l, const struct recording *rec, int gpu)
{
	const bool has_few = (!l->holes || l->holes >= 300) && rec->every <= 8;
	struct whole w = { .every = rec->every, .step = l->step * (time_ms)rec->every };

	w.longest = has_few ? 4 * HOLE_STEPS * w.step : INT64_MAX;
	for (size_t i = 0; i < l->n_rows; i++)
		if (l->rows[i].gpu == gpu)
			w.rows[w.n++] = &l->rows[i];
	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].entity.index == gpu)
			w.kept = &rec->channels[i];
	return w;
}

/* Where the rows end that kept row k stands for. */
static size_t end_of(const struct whole *w, size_t begin, size_t k)
{
	while (begin < w->n && (k + 1 == w->kept->n_rows || w->rows[begin]->t < channel_time(w->kept, k + 1)))
		begin++;
	return begin;
}

static bool are_some_of_the_rows(const struct whole *w)
{
	size_t begin = 0;

	for (size_t k = 0; k < w->kept->n_rows; k++) {
		const size_t end = end_of(w, begin, k);
		if (begin == end || end - begin > 2 * w->every || w->rows[begin]->t != channel_time(w->kept, k))
			return false;
		for (size_t i = begin + 1; i < end; i++)
			if (w->rows[i]->t - w->rows[i - 1]->t > w->longest)
				return false;
		begin = end;
	}
	return begin == w->n;
}

struct outline { /* of cells that became one */
	fixed low, high, first; /* known ones */
	bool has_missing, has_value; /* has_value: what is kept is one of them */
};

static struct outline outline_of(const struct whole *w, size_t begin, size_t end, int column, fixed kept)
{
	struct outline o = { INT64_MAX, INT64_MIN, FIXED_MISSING, false, false };

	for (size_t i = begin; i < end; i++) {
		const fixed value = w->rows[i]->values[column];
		o.has_value |= value == kept;
		o.has_missing |= value == FIXED_MISSING;
		o.first = o.first == FIXED_MISSING ? value : o.first;
		o.low = value != FIXED_MISSING && value < o.low ? value : o.low;
		o.high = value != FIXED_MISSING && value > o.high ? value : o.high;
	}
	return o;
}

/* A mean is no further outside than what the means before it owe. */
static bool stands_for(const struct outline *o, enum metric_kind kind, fixed kept, fixed quantum)
{
	switch (kind) {
	case KIND_GAUGE:
		return kept == FIXED_MISSING ? o->has_missing : o->low - quantum <= kept && kept <= o->high + quantum;
	case KIND_COUNTER:
		return kept == o->first;
	default:
		return o->has_value;
	}
}

static bool are_within_the_rows(const struct whole *w, int kind, const struct column *column)
{
	const fixed quantum = quantum_of(column->decimals);
	size_t begin = 0;

	for (size_t k = 0; k < w->kept->n_rows; k++) {
		const size_t end = end_of(w, begin, k);
		const struct outline o = outline_of(w, begin, end, kind, column_value(column, k));
		if (!stands_for(&o, metric_table[kinds[kind].metric].kind, column_value(column, k), quantum))
			return false;
		begin = end;
	}
	const struct outline all = outline_of(w, 0, w->n, kind, 0);
	return !column->seen || are_extremes(column, w->kept->n_rows, all.low, all.high);
}

/* For how long at most: what is owed is told for as long as the next row holds, and not for as long as the one that owes it. */
static time_ms time_of_debts(const struct whole *w)
{
	time_ms changes = 0, sum = 0; /* of the step */

	for (size_t i = 1; i + 1 < w->n; i++)
		changes += llabs(w->rows[i + 1]->t - 2 * w->rows[i]->t + w->rows[i - 1]->t);
	for (size_t every = w->every; every > 0; every /= 2) /* as all may have been thinned before */
		sum += 4 * w->step + (time_ms)every * changes;
	return sum;
}

/* Where each cell has a value and no row is missing: from the first row to the last one kept. */
static bool is_mean_of_all_rows(const struct whole *w, int kind, const struct column *column)
{
	const time_ms end = channel_time(w->kept, w->kept->n_rows - 1);
	wide all = 0, kept = 0;

	for (size_t i = 0; i + 1 < w->n && w->rows[i]->t < end; i++)
		all += (wide)w->rows[i]->values[kind] * (w->rows[i + 1]->t - w->rows[i]->t);
	for (size_t k = 0; k + 1 < w->kept->n_rows; k++)
		kept += (wide)column_value(column, k) * (channel_time(w->kept, k + 1) - channel_time(w->kept, k));
	const wide by = all < kept ? kept - all : all - kept;
	return by <= (wide)(quantum_of(column->decimals) + 1) * time_of_debts(w) + (end - w->rows[0]->t);
}

/* For how long the rows up to `end` are in a state. */
static time_ms time_in(const struct whole *w, int kind, fixed state, time_ms end)
{
	time_ms sum = 0;

	for (size_t i = 0; i + 1 < w->n && w->rows[i]->t < end; i++)
		sum += w->rows[i]->values[kind] == state ? w->rows[i + 1]->t - w->rows[i]->t : 0;
	return sum;
}

static time_ms time_kept_in(const struct whole *w, const struct column *column, fixed state)
{
	time_ms sum = 0;

	for (size_t k = 0; k + 1 < w->kept->n_rows; k++)
		sum += column_value(column, k) == state ? channel_time(w->kept, k + 1) - channel_time(w->kept, k) : 0;
	return sum;
}

/* Where no row is missing: no state gets more of the time than it had, or less, but for what is owed when rows come to their end. */
static bool has_its_time(const struct whole *w, int kind, const struct column *column, fixed state)
{
	const time_ms end = channel_time(w->kept, w->kept->n_rows - 1), longest = 4 * w->step;
	const time_ms all = time_in(w, kind, state, end), kept = time_kept_in(w, column, state);
	const time_ms by = all < kept ? kept - all : all - kept;

	return by <= 2 * longest;
}

static bool have_their_times(const struct whole *w, int kind, const struct column *column)
{
	bool is_so = has_its_time(w, kind, column, FIXED_MISSING);

	for (int state = 0; kind == PSTATE && state <= PSTATE_HIGH; state++)
		is_so &= has_its_time(w, kind, column, state * FIXED_ONE);
	return is_so;
}

/* Where nothing parts them all are of `every` rows but the last ones, and some at the end of what was thinned again. */
static bool are_no_more_than_it_takes(const struct log *l, const struct whole *w)
{
	size_t n_most = w->n / w->every + 2;

	for (size_t every = w->every; every > 1; every /= 2)
		n_most++;
	return w->kept->n_rows + w->kept->n_merged == w->n && (l->holes || l->misses || w->kept->n_rows <= n_most);
}

static bool is_kept_in_outline(const struct log *l, const struct recording *rec, int gpu)
{
	const struct whole w = whole_of(l, rec, gpu);

	if (!w.n)
		return true;
	if (!is_told(w.kept && are_some_of_the_rows(&w), gpu, "times") || !is_told(are_no_more_than_it_takes(l, &w), gpu, "number of rows"))
		return false;
	for (int i = 0; i < l->n_columns; i++) {
		const struct kind *const kind = &kinds[l->columns[i]];
		const struct column *const column = column_of(w.kept, kind->metric);
		const bool are_all_there = !l->misses && !l->holes, is_whole = are_all_there && l->habits[gpu][l->columns[i]].missing == NEVER;
		const bool are_few = w.every <= MOST_STATES / 2; /* of a group */
		if (!is_told(are_within_the_rows(&w, l->columns[i], column), gpu, kind->head))
			return false;
		if (are_all_there && are_few && l->columns[i] != ERRORS &&
			!is_told(have_their_times(&w, l->columns[i], column), gpu, "shares of states"))
			return false;
		if (is_whole && metric_table[kind->metric].kind == KIND_GAUGE &&
			!is_told(is_mean_of_all_rows(&w, l->columns[i], column), gpu, "mean"))
			return false;
	}
	return true;
}

static bool are_same_channels(const struct channel *a, const struct channel *b)
{
	bool are_same = a->entity.index == b->entity.index && a->n_rows == b->n_rows && a->n_columns == b->n_columns && a->step == b->step;

	for (size_t i = 0; i < a->n_rows && are_same; i++) {
		are_same = channel_time(a, i) == channel_time(b, i);
		for (size_t k = 0; k < a->n_columns; k++)
			are_same &= column_value(&a->columns[k], i) == column_value(&b->columns[k], i);
	}
	return are_same;
}

/* The same log, read in two ways. */
static bool are_same_recordings(const struct recording *a, const struct recording *b)
{
	bool are_same = b && a->every == b->every && a->n_channels == b->n_channels;

	for (size_t i = 0; i < a->n_channels && are_same; i++)
		are_same = are_same_channels(&a->channels[i], &b->channels[i]);
	return is_told(are_same, -1, "recording, read in another way");
}

/* Without regard to how rows come together: what any thinning has to leave. */
static bool what_is_kept_stands_for_all(struct random *r, struct arena *mem)
{
	struct log *const l = NEW(mem, struct log);
	const struct way way = draw_way(r), other = draw_way(r);
	bool is_so = true;
	size_t n = 0;

	draw_log(l, r, false);
	l->doubles = l->overtakes = 0;
	draw_rows(l, mem);
	const size_t row_bytes = ROW_BYTES + CELL_BYTES * (size_t)l->n_columns;
	const size_t most = 40 * (size_t)l->n_gpus + (size_t)random_below(r, 500);
	const struct slice text = log_text(mem, l, way.in_quotes);
	const struct recording *const rec = read_log(mem, text, &way, most * row_bytes);
	if (!rec || !are_same_recordings(rec, read_log(mem, log_text(mem, l, other.in_quotes), &other, most * row_bytes)))
		return is_told(false, -1, "recordings");
	for (int gpu = 0; gpu < l->n_gpus && is_so; gpu++)
		is_so = is_kept_in_outline(l, rec, gpu);
	for (size_t i = 0; i < rec->n_channels; i++)
		n += rec->channels[i].n_rows;
	is_so = is_so && is_told(l->holes || l->misses || n <= most + 2 * rec->n_channels, -1, "number of rows");
	if (!is_so)
		tell_case(l, most, &way);
	return is_so;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(what_is_kept_is_what_the_rules_leave, 100),
		LAW_ONE_IN(what_is_kept_stands_for_all, 200),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
