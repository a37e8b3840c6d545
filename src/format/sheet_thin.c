/*
 * sheet_thin.c - a log too long for the memory that it may take: of several rows of a channel one is made.
 *
 *     10:00:00  98 %  300 W  P0                10:00:00  98.5 %  302.5 W  P0      for 4 s: --limit memory
 *     10:00:01 100 %  310 W  P0
 *     10:00:02  -     310 W  P2
 *     10:00:03  97 %  290 W  P0
 *
 * What is measured becomes its mean over the time for which the rows hold; what is a state is what it was for longest, a missing one
 * among them; a counter is as it was at first. Means are rounded to one digit more than the log has, and what rounding takes from one is
 * given to the next, so that the mean over any long time is as ever. Rows that a hole parts are never made one.
 *
 * A log of nvidia-smi is thinned while it comes in, over and over: its first rows by `every`, those behind them when there is no more
 * room; when that gives too little, all by twice as much. Of others all rows are asked for up to the end, so that they are thinned there.
 */
#include "format/sheet_parts.h"

__extension__ typedef __int128 int128;

/*
 * What a row takes when all that it is asked for is worked out (valgrind's massif: 42 to 70 bytes a row of logs of 5 and of 14
 * metrics, packs, sketches and the changes of conditions), and what a run takes that is short.
 */
#define ROW_BYTES 56
#define CELL_BYTES 2
#define RUN_BYTES ((uint64_t)48 << 20)
#define FIRST_LOOK 64 /* rows: by then it shows how many columns there are */

#define LAST_ROWS 2     /* that stay as they are while rows come in */
#define MOST_STATES 8   /* of a group that are told apart */
#define STEPS_ASKED 127 /* the median of so many is the step of a stretch */

/* Columns that are thinned together. */
struct thinning {
	const struct packed *times;
	size_t n;       /* rows */
	size_t *begins; /* of groups: the first row of each, and then n */
	size_t n_groups, n_thinned; /* groups, and those of them that are as they are to be */
	uint32_t *held; /* by row: for how long it holds, in ms */
};

/* ------ how many rows there is room for ------ */

static size_t most_columns(const struct sheet *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->rows[i]->n_columns > most ? s->rows[i]->n_columns : most;
	return most;
}

uint64_t memory_for_rows(const struct limits *limits)
{
	return limit_of(limits, LIMIT_MEMORY) - RUN_BYTES;
}

uint64_t recording_bytes(const struct recording *recording)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < recording->n_channels; i++)
		sum += recording->channels[i].n_rows * (ROW_BYTES + CELL_BYTES * recording->channels[i].n_columns);
	return sum;
}

static size_t most_rows(const struct sheet *s)
{
	const struct read_request *const q = s->r->request;

	return (size_t)((q->memory ? q->memory : memory_for_rows(q->limits)) / (ROW_BYTES + CELL_BYTES * most_columns(s)));
}

/* ------ groups ------ */

/* The median of steps in the middle of rows [begin, end). */
static time_ms step_between(const struct packed *times, size_t begin, size_t end)
{
	time_ms steps[STEPS_ASKED];
	size_t n = 0;

	const size_t middle = begin + (end - begin) / 2, half = STEPS_ASKED / 2;
	for (size_t i = middle > begin + half ? middle - half : begin; i + 1 < end && n < STEPS_ASKED; i++)
		steps[n++] = packed_at(times, i + 1) - packed_at(times, i);
	if (!n)
		return SECOND_MS;
	const time_ms median = median_of_steps(steps, n);
	return median > 0 ? median : 1;
}

/* The rows of [begin, end), of which `every` are a group unless something parts them. Until the end is known the last one may get more. */
static void list_groups(struct thinning *t, size_t begin, size_t end, size_t every, bool is_end)
{
	const time_ms step = step_between(t->times, begin, end);
	const uint32_t usual = step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
	bool follows = false; /* the group goes on where one before it ended */
	size_t n = 0;

	for (size_t i = begin; i < end; i++) {
		const time_ms ahead = i + 1 < t->n ? packed_at(t->times, i + 1) - packed_at(t->times, i) : 0;
		const bool goes_on = ahead > 0 && ahead <= HOLE_STEPS * step;
		t->held[i] = goes_on && ahead < UINT32_MAX ? (uint32_t)ahead : usual;
		if (n++ == 0)
			t->begins[t->n_groups++] = i;
		if (n < every && goes_on)
			continue;
		if (2 * n < every && follows)
			t->n_groups--; /* too few for one of their own go to those before them */
		follows = goes_on;
		n = 0;
	}
	if (n && is_end && 2 * n < every && follows)
		t->n_groups--;
	const size_t n_open = n && !is_end ? n : 0;
	t->n_groups -= n_open > 0;
	t->n_thinned = t->n_groups;
	for (size_t i = end - n_open; i < end; i++)
		t->begins[t->n_groups++] = i;
}

/*
 * Of the first `n_before` rows, which stand for several already, `again` become one, of those behind them `every`. Before the end the
 * last of all stay as they are: what comes next is compared with them.
 */
static struct thinning thinning_of(struct arena *scratch, const struct packed *times, size_t n, size_t n_before, size_t again, size_t every,
	bool is_end)
{
	struct thinning t = { .times = times, .n = n };
	const size_t n_last = is_end || n < LAST_ROWS ? n : n - LAST_ROWS;

	t.begins = NEW_RAW_ARRAY(scratch, size_t, n + 1);
	t.held = NEW_RAW_ARRAY(scratch, uint32_t, n);
	if (n_before)
		list_groups(&t, 0, n_before, again, true);
	if (n_last > n_before)
		list_groups(&t, n_before, n_last, every, is_end);
	for (size_t i = n_last > n_before ? n_last : n_before; i < n; i++)
		t.begins[t.n_groups++] = i;
	t.begins[t.n_groups] = n;
	return t;
}

/* ------ one number of several ------ */

struct group { /* of the cells that become one */
	int128 weighted;      /* of a measure: value x ms */
	int64_t known, missing; /* ms */
	fixed states[MOST_STATES]; /* of a state; FIXED_MISSING is one, too */
	int64_t held[MOST_STATES]; /* ms */
	size_t n_states;
	fixed first;          /* known one */
};

static void group_begin(struct group *g)
{
	g->weighted = 0;
	g->known = g->missing = 0;
	g->n_states = 0;
	g->first = FIXED_MISSING;
}

static void add_state(struct group *g, fixed value, int64_t held)
{
	size_t i = 0;

	while (i < g->n_states && g->states[i] != value)
		i++;
	if (i == MOST_STATES)
		return;
	if (i == g->n_states) {
		g->states[i] = value;
		g->held[g->n_states++] = 0;
	}
	g->held[i] += held;
}

static void group_add(struct group *g, enum metric_kind kind, fixed value, int64_t held)
{
	if (g->first == FIXED_MISSING)
		g->first = value;
	if (kind != KIND_GAUGE) {
		add_state(g, value, held);
	} else if (value == FIXED_MISSING) {
		g->missing += held;
	} else {
		g->weighted += (int128)value * held;
		g->known += held;
	}
}

static fixed longest_state(const struct group *g)
{
	size_t longest = 0;

	for (size_t i = 1; i < g->n_states; i++)
		longest = g->held[i] > g->held[longest] ? i : longest;
	return g->states[longest];
}

/* As nearly always both fit 64 bits, of which a division takes a fraction of the time. */
static int128 divided(int128 number, int64_t by)
{
	return (int64_t)number == number ? (int64_t)number / by : number / by;
}

/* The nearest multiple of `quantum`; what that takes away goes into the next. */
static fixed mean_of(const struct group *g, fixed quantum, fixed *owed)
{
	const int128 wanted = divided(g->weighted, g->known) + *owed, half = wanted < 0 ? -quantum / 2 : quantum / 2;
	const fixed rounded = (fixed)(divided(wanted + half, quantum) * quantum);

	*owed = (fixed)(wanted - rounded);
	return rounded;
}

static fixed group_value(const struct group *g, enum metric_kind kind, fixed quantum, fixed *owed)
{
	if (kind == KIND_COUNTER)
		return g->first;
	if (kind != KIND_GAUGE)
		return longest_state(g);
	return g->known >= g->missing && g->known > 0 ? mean_of(g, quantum, owed) : FIXED_MISSING;
}

/* One digit more than the log has. */
static fixed quantum_of(int decimals)
{
	fixed quantum = FIXED_ONE / 10;

	while (decimals-- > 0 && quantum > 1)
		quantum /= 10;
	return quantum;
}

/* Numbers of a column, a pack of them at a time. */
struct numbers {
	const struct packed *from;
	size_t n, pack; /* pack: that is at hand; SIZE_MAX: none */
	int64_t at[PACK];
};

static int64_t number_at(struct numbers *c, size_t i)
{
	const size_t first = i / PACK * PACK;

	if (i / PACK != c->pack)
		pack_read(&c->from->at[i / PACK], 0, c->n - first < PACK ? c->n - first : PACK, c->at);
	c->pack = i / PACK;
	return c->at[i % PACK];
}

/* Rows [begin, end) of a pack that has one number, and no mean of them is any other. */
static bool stay_as_they_are(const struct packed *from, size_t begin, size_t end, enum metric_kind kind, fixed quantum, fixed owed)
{
	const struct pack *const p = &from->at[begin / PACK];
	const bool is_one = p->width == 0 && p->slope == 0 && p->first != FIXED_MISSING && begin / PACK == (end - 1) / PACK;

	return is_one && (kind != KIND_GAUGE || (owed == 0 && p->first % quantum == 0));
}

static void see(struct extremes_seen *seen, fixed value)
{
	if (value == FIXED_MISSING)
		return;
	seen->low = value < seen->low ? value : seen->low;
	seen->high = value > seen->high ? value : seen->high;
}

/* `from` has a row for each of the thinning's. Means are within what was seen before, so that it may be seen again. */
static struct packer thinned(const struct thinning *t, const struct packed *from, enum metric_kind kind, int decimals, struct arena *mem,
	struct extremes_seen *seen)
{
	struct packer out = packer_new(mem, false);
	struct numbers numbers = { .from = from, .n = t->n, .pack = SIZE_MAX };
	const fixed quantum = quantum_of(decimals);
	fixed owed = 0;
	struct group g;

	for (size_t k = 0; k < t->n_groups; k++) {
		const size_t begin = t->begins[k], end = t->begins[k + 1];
		if (stay_as_they_are(from, begin, end, kind, quantum, owed)) {
			see(seen, from->at[begin / PACK].first);
			packer_add(&out, from->at[begin / PACK].first);
			continue;
		}
		group_begin(&g);
		for (size_t i = begin; i < end; i++) {
			const fixed value = number_at(&numbers, i);
			see(seen, value);
			group_add(&g, kind, value, t->held[i]);
		}
		packer_add(&out, end - begin == 1 ? numbers.at[begin % PACK] : group_value(&g, kind, quantum, &owed));
	}
	return out;
}

/* A group is there from its first row on. */
static struct packer thinned_times(const struct thinning *t, struct arena *mem)
{
	struct packer out = packer_new(mem, true);

	for (size_t k = 0; k < t->n_groups; k++)
		packer_add(&out, packed_at(t->times, t->begins[k]));
	return out;
}

/* ------ while rows come in ------ */

/* Of a channel whose rows came in order: only there it is known what follows what. */
static bool can_be_thinned(const struct rows *rows)
{
	return rows->n > 0 && !rows->may_step_back && !rows->swaps;
}

/* As it was, in other memory. */
static void move_column(struct packer *column, struct arena *to)
{
	struct packer moved = packer_new(to, column->is_clock);
	int64_t numbers[PACK];

	for (size_t k = 0, n; (n = packer_read(column, k, numbers)); k++)
		for (size_t i = 0; i < n; i++)
			packer_add(&moved, numbers[i]);
	packer_drop(column);
	*column = moved;
}

static void move_rows(struct rows *rows, struct arena *to)
{
	move_column(&rows->times, to);
	for (size_t i = 0; i < rows->n_columns; i++)
		move_column(rows->cells[rows->columns[i]].values, to);
}

static void thin_rows(struct rows *rows, size_t again, size_t every, struct arena *to)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct packed times = packer_done(&rows->times);
	const struct thinning t = thinning_of(&scratch, &times, rows->n, rows->n_thinned, again, every, false);
	rows->times = thinned_times(&t, to);
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct cells *const cells = &rows->cells[rows->columns[i]];
		const struct packed column = packer_done(cells->values);
		*cells->values = thinned(&t, &column, metric_table[rows->columns[i]].kind, cells->decimals, to, &cells->seen);
	}
	rows->n_merged += rows->n - t.n_groups;
	rows->n = t.n_groups;
	rows->n_thinned = t.n_thinned;
	rows->every = every;
	rows->current = rows->n - 1;
	arena_release(&scratch);
}

struct making_room { /* in all channels, each by itself */
	struct sheet *sheet;
	size_t again;
	struct arena **fresh; /* by channel: whatever is kept goes to other memory, so that what it was in can be given back */
};

static void thin_channel(void *context, size_t worker, size_t channel)
{
	const struct making_room *const m = context;
	struct rows *const rows = m->sheet->rows[channel];

	(void)worker;
	if (can_be_thinned(rows))
		thin_rows(rows, m->again, m->sheet->every, m->fresh[channel]);
	else
		move_rows(rows, m->fresh[channel]);
	arena_release(rows->packs);
	rows->packs = m->fresh[channel];
}

static void thin_all(struct sheet *s, size_t again)
{
	struct arena scratch;

	arena_init(&scratch);
	struct making_room m = { s, again, NEW_ARRAY(&scratch, struct arena *, s->n) };
	for (size_t i = 0; i < s->n; i++) {
		m.fresh[i] = NEW(s->r->mem, struct arena);
		arena_init(m.fresh[i]);
	}
	workers_run(WORKERS_MAX, s->n, thin_channel, &m);
	s->n_kept = 0;
	for (size_t i = 0; i < s->n; i++)
		s->n_kept += s->rows[i]->n;
	arena_release(&scratch);
}

/* By how much those are to be thinned that were thinned before. */
static size_t again_of(const struct sheet *s, const struct rows *rows)
{
	return rows->n_thinned ? s->every / rows->every : 1;
}

/* If those that can't be thinned before the end were thinned already. */
static size_t rows_to_be(const struct sheet *s)
{
	size_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct rows *const rows = s->rows[i];
		const size_t n_fresh = rows->n - rows->n_thinned;
		sum += can_be_thinned(rows) ? rows->n : rows->n_thinned / again_of(s, rows) + n_fresh / s->every;
	}
	return sum;
}

void sheet_make_room(struct sheet *s)
{
	const size_t most = most_rows(s);

	if (s->n_kept >= most) {
		s->every = s->every ? s->every : 2;
		thin_all(s, 1);
	}
	if (s->every && rows_to_be(s) > most / 4 * 3) {
		s->every *= 2;
		thin_all(s, 2);
	}
	const size_t n = s->every ? rows_to_be(s) : s->n_kept;
	s->n_most = s->n_kept + (n < most ? most - n : most / 4);
}

void sheet_thin_ahead(struct sheet *s)
{
	if (s->thins_ahead)
		return;
	s->thins_ahead = true;
	s->n_most = s->n_kept > FIRST_LOOK ? s->n_kept : FIRST_LOOK;
}

/* ------ at the end ------ */

void sheet_settle_room(struct sheet *s)
{
	const size_t most = most_rows(s);
	size_t n = 0;

	if (s->every)
		return;
	for (size_t i = 0; i < s->n; i++)
		n += s->rows[i]->n;
	for (; n > most; n = n / 2 + n % 2)
		s->every = s->every ? 2 * s->every : 2;
}

bool channel_thin(struct sheet *s, const struct rows *rows, struct channel *c, size_t n_thinned)
{
	struct arena *const mem = s->r->mem;
	struct arena scratch;

	if (!s->every || c->swaps || !c->n_rows)
		return false;
	arena_init(&scratch);
	const struct packed times = c->times;
	const struct thinning t = thinning_of(&scratch, &times, c->n_rows, n_thinned, again_of(s, rows), s->every, true);
	struct packer out = thinned_times(&t, mem);
	c->times = packer_done(&out);
	for (size_t i = 0; i < c->n_columns; i++) {
		struct column *const column = &c->columns[i];
		column->seen = NEW(mem, struct extremes_seen);
		*column->seen = rows->cells[column->metric].seen;
		out = thinned(&t, &column->values, metric_table[column->metric].kind, column->decimals, mem, column->seen);
		column->values = packer_done(&out);
	}
	c->n_merged += c->n_rows - t.n_groups;
	c->n_rows = t.n_groups;
	arena_release(&scratch);
	return true;
}
