/*
 * sheet_thin.c - a log too long for the memory that it may take: of several rows of a channel one is made.
 *
 *     10:00:00  98 %  300 W  P0                10:00:00  98.5 %  302.5 W  P0      for 4 s: --limit memory
 *     10:00:01 100 %  310 W  P0
 *     10:00:02  -     310 W  P2
 *     10:00:03  97 %  290 W  P0
 *
 * What is measured becomes its mean over the time for which the rows hold; what is a state is one of those that it was in; a counter is as
 * it was at first. Means are rounded to one digit more than the log has, and what rounding takes from one is given to the next, so that the
 * mean over any long time is as ever. So are states: what one of them lost to another is owed to it, and where it comes again it may be its
 * turn, so that the share of each over any long time is as ever, though none ever held for as long as others did. What is missing is a
 * state, too. Rows that a hole parts are never made one.
 *
 * A log of nvidia-smi is thinned while it comes in: all rows, once there are more than there is room for when all is worked out or than
 * half of the memory holds, to one of `every`, and from then on those that came since; where that leaves too many, all by twice as much.
 * Of other logs all rows are asked for up to the end, so that they are thinned there.
 */
#include "format/sheet_parts.h"

#include <stdlib.h>

__extension__ typedef __int128 int128;

/*
 * What a row takes when all that it is asked for is worked out (valgrind's massif: 42 to 70 bytes a row of logs of 5 and of 14
 * metrics, packs, sketches and the changes of conditions), and what a run takes that is short.
 */
#define ROW_BYTES 56
#define CELL_BYTES 2
#define RUN_BYTES ((uint64_t)48 << 20)
#define FIRST_LOOK 64 /* rows: by then it shows how many columns there are */

/* That come in before they are thinned, once some were; before that, until rows may have come to take less or more. */
#define ROWS_AT_ONCE ((size_t)1 << 20)
#define LAST_ROWS 2     /* that stay as they are while rows come in */
#define MOST_STATES 8   /* of a group that are told apart */
#define MOST_OWED 16    /* states of a column to which time is owed */
#define STEPS_ASKED 127 /* the median of so many is the step of a stretch */

/* Groups one after the other that have as many rows each and lie in one pack, as nearly all do; all thinned, or none of them. */
struct alike {
	size_t begin, rows, n; /* the first row; rows of each group; groups */
};

/* Columns that are thinned together: of their rows those behind the first packs, which stay as they are. */
struct thinning {
	size_t n_packs;
	const time_ms *times; /* by row */
	size_t n;             /* rows */
	size_t *begins; /* of groups: the first row of each, and then n */
	size_t n_groups, n_thinned; /* groups, and those of them that are as they are to be */
	uint32_t *held; /* by row: for how long it holds, in ms */
	struct alike *alike; /* all of the groups */
	size_t n_alike;
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

static uint64_t memory_of(const struct sheet *s)
{
	const struct read_request *const q = s->r->request;

	return q->memory ? q->memory : memory_for_rows(q->limits);
}

/* When all are in. */
static size_t most_rows(const struct sheet *s)
{
	return (size_t)(memory_of(s) / (ROW_BYTES + CELL_BYTES * most_columns(s)));
}

static uint64_t stored_bytes(const struct sheet *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct rows *const rows = s->rows[i];
		const uint64_t n_packs = (rows->n / PACK + 1) * (rows->n_columns + 1); /* with those of times */
		sum += rows->packs->used_bytes + rows->thinned->used_bytes + n_packs * sizeof(struct pack);
	}
	return sum;
}

/* While more come in they take what their packs do: of half the memory, as what they are thinned to comes beside them. */
static size_t most_stored(const struct sheet *s)
{
	return (size_t)((double)memory_of(s) / 2 * (double)s->n_kept / (double)stored_bytes(s));
}

/* ------ groups ------ */

/* The median of steps in the middle of rows [begin, end). */
static time_ms step_between(const time_ms *times, size_t begin, size_t end)
{
	time_ms steps[STEPS_ASKED];
	size_t n = 0;

	const size_t middle = begin + (end - begin) / 2, half = STEPS_ASKED / 2;
	for (size_t i = middle > begin + half ? middle - half : begin; i + 1 < end && n < STEPS_ASKED; i++)
		steps[n++] = times[i + 1] - times[i];
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
		const time_ms ahead = i + 1 < t->n ? t->times[i + 1] - t->times[i] : 0;
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

static struct alike alike_from(const struct thinning *t, size_t k)
{
	const size_t begin = t->begins[k], rows = t->begins[k + 1] - begin, behind = (begin / PACK + 1) * PACK;
	size_t n = 1;

	while (k + n < t->n_groups && k + n != t->n_thinned && t->begins[k + n] + rows <= behind
		&& t->begins[k + n + 1] == t->begins[k + n] + rows)
		n++;
	return (struct alike){ begin, rows, n };
}

/* Returns how many there are; with `out` NULL they are only counted. */
static size_t list_alike(const struct thinning *t, struct alike *out)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n_groups; n++) {
		const struct alike a = alike_from(t, k);
		if (out)
			out[n] = a;
		k += a.n;
	}
	return n;
}

static const time_ms *all_of(struct arena *mem, const struct packed *times, size_t n)
{
	time_ms *const at = NEW_RAW_ARRAY(mem, time_ms, n);

	for (size_t i = 0; i < n; i += PACK)
		pack_read(&times->at[i / PACK], 0, n - i < PACK ? n - i : PACK, at + i);
	return at;
}

static struct packed behind(const struct packed *column, size_t n_packs)
{
	return (struct packed){ column->at + n_packs };
}

/*
 * Behind the first packs: of the first `n_before` rows, which stand for several already, `again` become one, of those behind them `every`.
 * Before the end the last of all stay as they are: what comes next is compared with them.
 */
static struct thinning thinning_of(struct arena *scratch, const struct packed *times, size_t n_all, size_t n_packs, size_t n_before,
	size_t again, size_t every, bool is_end)
{
	const size_t n = n_all - n_packs * PACK, before = n_before - n_packs * PACK;
	const size_t n_last = is_end || n < LAST_ROWS ? n : n - LAST_ROWS;
	const struct packed own = behind(times, n_packs);
	struct thinning t = { .n_packs = n_packs, .times = all_of(scratch, &own, n), .n = n };

	t.begins = NEW_RAW_ARRAY(scratch, size_t, n + 1);
	t.held = NEW_RAW_ARRAY(scratch, uint32_t, n);
	if (before)
		list_groups(&t, 0, before, again, true);
	if (n_last > before)
		list_groups(&t, before, n_last, every, is_end);
	for (size_t i = n_last > before ? n_last : before; i < n; i++)
		t.begins[t.n_groups++] = i;
	t.begins[t.n_groups] = n;
	t.alike = NEW_RAW_ARRAY(scratch, struct alike, list_alike(&t, NULL));
	t.n_alike = list_alike(&t, t.alike);
	return t;
}

/* How many rows there will be. */
static size_t rows_left(const struct thinning *t)
{
	return t->n_packs * PACK + t->n_groups;
}

/* ------ one number of several ------ */

/* One digit more than the log has. */
static fixed quantum_of(int decimals)
{
	fixed quantum = FIXED_ONE / 10;

	while (decimals-- > 0 && quantum > 1)
		quantum /= 10;
	return quantum;
}

/* Of a column, as long as rows come. */
struct debts {
	fixed mean;      /* what rounding took from the means so far */
	int64_t missing; /* of means: as states have it, of what is missing; what has values is owed as much, with the other sign */
	/* of states: for how long, in ms, it was in one beyond what is told so far, below 0: less; together 0 */
	int64_t ms[MOST_OWED];
	fixed states[MOST_OWED]; /* FIXED_MISSING is one, too */
	size_t n_states;
};

/* A column while it is thinned, a pack of it at a time. */
struct thinned_column {
	const struct thinning *rows;
	const struct packed *from;
	enum metric_kind kind;
	fixed quantum;              /* of means: they are multiples of it */
	struct debts *debts;
	struct extremes_seen *seen; /* of what goes into means, which lie within what was seen before and may be seen again */
	struct packer out;

	size_t pack;                /* that is at hand; SIZE_MAX: none */
	bool is_known;              /* all of it, and `high` is the highest number; else it is looked at number by number */
	fixed low, high;
	int64_t at[PACK];
};

static size_t rows_in_pack(const struct thinned_column *c, size_t k)
{
	return c->rows->n - k * PACK < PACK ? c->rows->n - k * PACK : PACK;
}

static void see(struct extremes_seen *seen, fixed value)
{
	if (value == FIXED_MISSING)
		return;
	seen->low = value < seen->low ? value : seen->low;
	seen->high = value > seen->high ? value : seen->high;
}

static void go_to_pack(struct thinned_column *c, size_t k)
{
	const struct pack *const p = &c->from->at[k];
	const size_t n = rows_in_pack(c, k);

	if (k == c->pack)
		return;
	c->pack = k;
	pack_read(p, 0, n, c->at);
	c->is_known = p->width == 0 && p->slope == 0 && p->first != FIXED_MISSING;
	c->low = c->high = p->first;
	if (p->width > 0 && p->width < sizeof(int64_t)) {
		const uint32_t highest = pack_highest(p, n, &c->is_known);
		c->high += (fixed)highest * p->unit;
	}
	if (c->is_known) {
		see(c->seen, c->low);
		see(c->seen, c->high);
	}
	for (size_t i = 0; i < n && !c->is_known; i++)
		see(c->seen, c->at[i]);
}

static fixed number_at(struct thinned_column *c, size_t i)
{
	go_to_pack(c, i / PACK);
	return c->at[i % PACK];
}

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

/* Where what is owed to a state is kept; where there are too many, that of the one with the least to get or to give is forgotten. */
static int64_t *owed_to(struct debts *debts, fixed state)
{
	size_t least = 0;

	for (size_t i = 0; i < debts->n_states; i++) {
		if (debts->states[i] == state)
			return &debts->ms[i];
		least = llabs(debts->ms[i]) < llabs(debts->ms[least]) ? i : least;
	}
	const size_t at = debts->n_states < MOST_OWED ? debts->n_states++ : least;
	debts->states[at] = state;
	debts->ms[at] = 0;
	return &debts->ms[at];
}

/* That of the group to which most is owed, its time in it among that. */
static fixed state_of(struct debts *debts, const struct group *g)
{
	int64_t most = INT64_MIN, held = 0;
	fixed state = FIXED_MISSING;

	for (size_t i = 0; i < g->n_states; i++) {
		int64_t *const ms = owed_to(debts, g->states[i]);
		*ms += g->held[i];
		held += g->held[i];
		if (*ms > most) {
			most = *ms;
			state = g->states[i];
		}
	}
	*owed_to(debts, state) -= held;
	return state;
}

/* Is more owed to what is missing than to what has a value, of a group that may have both? */
static bool is_missing(struct debts *debts, const struct group *g)
{
	const int64_t to_missing = debts->missing + g->missing, to_values = g->known - debts->missing;
	const bool is_turn = g->known == 0 || (g->missing > 0 && to_missing > to_values);

	debts->missing = is_turn ? -to_values : to_missing;
	return is_turn;
}

/* Down to the next whole one, so that a mean of what is never below 0 is none. */
static int128 divided(int128 number, int64_t by)
{
	const int128 quotient = number / by;

	return quotient - (quotient * by > number);
}

/* The nearest multiple of the quantum; what that takes away goes into the next. */
static fixed mean_of(struct thinned_column *c, const struct group *g)
{
	const int128 wanted = divided(g->weighted, g->known) + c->debts->mean;
	const fixed rounded = (fixed)(divided(wanted + c->quantum / 2, c->quantum) * c->quantum);

	c->debts->mean = (fixed)(wanted - rounded);
	return rounded;
}

static fixed group_value(struct thinned_column *c, const struct group *g)
{
	if (c->kind == KIND_COUNTER)
		return g->first;
	if (c->kind != KIND_GAUGE)
		return state_of(c->debts, g);
	return is_missing(c->debts, g) ? FIXED_MISSING : mean_of(c, g);
}

/* Any group, in one pack or in several. */
static void add_group(struct thinned_column *c, size_t begin, size_t end)
{
	struct group g;

	group_begin(&g);
	for (size_t i = begin; i < end; i++)
		group_add(&g, c->kind, number_at(c, i), c->rows->held[i]);
	packer_add(&c->out, group_value(c, &g));
}

/* ------ many groups alike ------ */

/* Is it the same number all the time, and no mean of it any other? What is owed is less than would make it one. */
static bool stay_as_they_are(const struct thinned_column *c)
{
	return c->is_known && c->low == c->high && (c->kind != KIND_GAUGE || c->low % c->quantum == 0);
}

static unsigned bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

#define EXACT_BITS 53 /* of whole numbers that a double holds */

/*
 * May they be divided as doubles? A quotient of whole numbers below 2^53 that is not whole itself differs from the next whole one by more
 * than rounding can, so that what is left of it behind the point is cut off rightly.
 */
static bool are_exact(const struct thinned_column *c, const struct alike *a)
{
	uint32_t held = 0;

	if (!c->is_known || c->low < 0)
		return false;
	for (size_t i = a->begin; i < a->begin + a->n * a->rows; i++)
		held |= c->rows->held[i];
	return bits_of((uint64_t)c->high) + bits_of(held) + bits_of(a->rows) <= EXACT_BITS;
}

static void add_numbers(struct packer *out, const fixed *numbers, size_t n)
{
	for (size_t i = 0, room; i < n; i += room) {
		fixed *const to = packer_room(out, &room);
		room = n - i < room ? n - i : room;
		memcpy(to, numbers + i, room * sizeof *to);
		packer_added(out, room);
	}
}

/*
 * As mean_of() has it. Where a mean is a whole number of quanta its product with the reciprocal may be a little less, and one quantum be
 * missing below: it is in what is left then, and comes from there.
 */
static void add_means(struct thinned_column *c, const struct alike *a)
{
	const fixed quantum = c->quantum, enough = quantum - quantum / 2, *values = c->at + a->begin % PACK;
	const uint32_t *held = c->rows->held + a->begin;
	const double of_quantum = 1 / (double)quantum;
	fixed means[PACK], owed = c->debts->mean;

	for (size_t k = 0; k < a->n; k++) {
		int64_t weighted = 0, known = 0;
		for (size_t i = 0; i < a->rows; i++, values++, held++) {
			weighted += *values * (int64_t)*held;
			known += *held;
		}
		const fixed mean = (fixed)((double)weighted / (double)known), below = (fixed)((double)mean * of_quantum) * quantum;
		const fixed left = mean - below + owed, more = left >= enough ? quantum : 0;
		means[k] = below + more;
		owed = left - more;
	}
	c->debts->mean = owed;
	add_numbers(&c->out, means, a->n);
}

static bool is_one_state(const fixed *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static void add_states(struct thinned_column *c, const struct alike *a)
{
	for (size_t k = 0, begin = a->begin; k < a->n; k++, begin += a->rows) {
		const fixed *const values = c->at + begin % PACK;
		if (c->kind == KIND_COUNTER || is_one_state(values, a->rows))
			packer_add(&c->out, values[0]);
		else
			add_group(c, begin, begin + a->rows);
	}
}

static void add_alike(struct thinned_column *c, const struct alike *a)
{
	go_to_pack(c, a->begin / PACK);
	if (a->rows == 1)
		add_numbers(&c->out, c->at + a->begin % PACK, a->n);
	else if (a->begin % PACK + a->rows > PACK)
		add_group(c, a->begin, a->begin + a->rows);
	else if (stay_as_they_are(c))
		packer_add_same(&c->out, c->low, a->n);
	else if (c->kind != KIND_GAUGE && c->is_known)
		add_states(c, a);
	else if (are_exact(c, a))
		add_means(c, a);
	else
		for (size_t k = 0; k < a->n; k++)
			add_group(c, a->begin + k * a->rows, a->begin + (k + 1) * a->rows);
}

/* Where it goes: rows that wait for others to become one with will be packed again, so that what they take is to be given back then. */
struct thinned_into {
	struct arena *mem, *waiting;
};

/* What was seen of the packs that stay is known, and what they owe. */
static struct packer thinned(const struct thinning *t, const struct packed *column, enum metric_kind kind, int decimals,
	const struct thinned_into *to, struct extremes_seen *seen, struct debts *debts)
{
	const struct packed own = behind(column, t->n_packs);
	struct thinned_column c = {
		.rows = t,
		.from = &own,
		.kind = kind,
		.quantum = quantum_of(decimals),
		.debts = debts,
		.seen = seen,
		.out = packer_behind(to->mem, false, column->at, t->n_packs),
		.pack = SIZE_MAX,
	};
	size_t n = 0; /* groups */

	for (size_t k = 0; k < t->n_alike; n += t->alike[k++].n) {
		if (n == t->n_thinned)
			packer_into(&c.out, to->waiting);
		add_alike(&c, &t->alike[k]);
	}
	return c.out;
}

/* A group is there from its first row on. */
static struct packer thinned_times(const struct thinning *t, const struct packed *times, const struct thinned_into *to)
{
	struct packer out = packer_behind(to->mem, true, times->at, t->n_packs);
	size_t n = 0; /* groups */

	for (size_t k = 0; k < t->n_alike; n += t->alike[k++].n) {
		const struct alike *const a = &t->alike[k];
		if (n == t->n_thinned)
			packer_into(&out, to->waiting);
		if (a->rows == 1)
			add_numbers(&out, t->times + a->begin, a->n);
		for (size_t i = 0; a->rows > 1 && i < a->n; i++)
			packer_add(&out, t->times[a->begin + i * a->rows]);
	}
	return out;
}

/* ------ while rows come in ------ */

/* Of a channel whose rows came in order: only there it is known what follows what. */
static bool can_be_thinned(const struct rows *rows)
{
	return rows->n > 0 && !rows->may_step_back && !rows->swaps;
}

static void thin_rows(struct rows *rows, size_t again, size_t every, const struct thinned_into *to)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct packed times = packer_done(&rows->times);
	const size_t n_packs = again == 1 ? rows->n_thinned / PACK : 0;
	const struct thinning t = thinning_of(&scratch, &times, rows->n, n_packs, rows->n_thinned, again, every, false);
	rows->times = thinned_times(&t, &times, to);
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct cells *const cells = &rows->cells[rows->columns[i]];
		const struct packed column = packer_done(cells->values);
		*cells->values = thinned(&t, &column, metric_table[rows->columns[i]].kind, cells->decimals, to, &cells->seen, cells->debts);
	}
	rows->n_merged += rows->n - rows_left(&t);
	rows->n = rows_left(&t);
	rows->n_thinned = t.n_packs * PACK + t.n_thinned;
	rows->every = every;
	rows->current = rows->n - 1;
	arena_release(&scratch);
}

static void pack_into(struct rows *rows, struct arena *packs)
{
	packer_into(&rows->times, packs);
	for (size_t i = 0; i < rows->n_columns; i++)
		packer_into(rows->cells[rows->columns[i]].values, packs);
}

struct making_room { /* in all channels, each by itself */
	struct sheet *sheet;
	size_t again;
};

/* What is left goes to other memory, so that what it was in can be given back; what is thinned enough already stays where it is. */
static void thin_channel(void *context, size_t worker, size_t channel)
{
	const struct making_room *const m = context;
	struct rows *const rows = m->sheet->rows[channel];
	struct arena fresh, waiting;

	(void)worker;
	if (!can_be_thinned(rows))
		return;
	arena_init(&fresh);
	arena_init(&waiting);
	thin_rows(rows, m->again, m->sheet->every, &(struct thinned_into){ m->again == 1 ? rows->thinned : &fresh, &waiting });
	pack_into(rows, rows->packs);
	arena_release(rows->packs);
	*rows->packs = waiting;
	if (m->again > 1) {
		arena_release(rows->thinned);
		*rows->thinned = fresh;
	}
}

static void note_debts(const struct sheet *s, struct rows *rows)
{
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct cells *const cells = &rows->cells[rows->columns[i]];
		if (!cells->debts)
			cells->debts = NEW(s->r->scratch, struct debts);
	}
}

static void thin_all(struct sheet *s, size_t again)
{
	struct making_room m = { s, again };

	for (size_t i = 0; i < s->n; i++)
		note_debts(s, s->rows[i]);
	workers_run(WORKERS_MAX, s->n, thin_channel, &m);
	s->n_kept = 0;
	for (size_t i = 0; i < s->n; i++)
		s->n_kept += s->rows[i]->n;
}

/* By how much those are to be thinned that were thinned before, so that each stands for `every`. */
static size_t again_of(const struct rows *rows, size_t every)
{
	return rows->n_thinned ? every / rows->every : 1;
}

/* How many rows there are if all are thinned to one of `every`, also those that can't be before the end. */
static size_t rows_to_be(const struct sheet *s, size_t every)
{
	size_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct rows *const rows = s->rows[i];
		sum += rows->n_thinned / again_of(rows, every) + (rows->n - rows->n_thinned) / every;
	}
	return sum;
}

/* One of how many rows is to be left, at least of `every`, so that there are no more than that. */
static size_t thinner(const struct sheet *s, size_t every, size_t most)
{
	while (rows_to_be(s, every) > most)
		every *= 2;
	return every;
}

/* So many rows may come until it is asked again: there may be as many as that, and there are so many. */
static size_t rows_until_asked(const struct sheet *s, size_t most, size_t n)
{
	const size_t at_once = s->every || s->n_kept < ROWS_AT_ONCE ? ROWS_AT_ONCE : s->n_kept;
	const size_t left = n < most ? most - n : 0, room = left > most / 8 ? left : most / 8, until = room < at_once ? room : at_once;

	return until > FIRST_LOOK ? until : FIRST_LOOK;
}

/* Packs that are whole, but still open for whoever writes number by number, are stored like those that were written at once. */
static void close_whole_packs(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		pack_into(s->rows[i], s->rows[i]->packs);
}

void sheet_make_room(struct sheet *s)
{
	close_whole_packs(s);
	const size_t at_end = most_rows(s), stored = most_stored(s), most_now = stored < at_end ? stored : at_end;

	if (s->n_kept >= most_now || s->every) {
		const size_t every = thinner(s, s->every ? s->every : 2, most_now / 4 * 3);
		const size_t again = s->every ? every / s->every : 1;
		s->every = every;
		thin_all(s, again);
	}
	s->n_most = s->n_kept + rows_until_asked(s, most_now, s->every ? rows_to_be(s, s->every) : s->n_kept);
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
	const size_t every = thinner(s, s->every ? s->every : 1, most_rows(s));

	s->every = every > 1 ? every : 0;
}

bool channel_thin(
	const struct sheet *s, const struct rows *rows, struct channel *c, size_t n_thinned, bool is_as_it_came, struct arena *mem)
{
	struct arena scratch;

	if (!s->every || c->swaps || !c->n_rows)
		return false;
	arena_init(&scratch);
	const struct packed times = c->times;
	const size_t again = again_of(rows, s->every), n_packs = is_as_it_came && can_be_thinned(rows) && again == 1 ? n_thinned / PACK : 0;
	const struct thinning t = thinning_of(&scratch, &times, c->n_rows, n_packs, n_thinned, again, s->every, true);
	const struct thinned_into to = { mem, mem };
	struct packer out = thinned_times(&t, &times, &to);
	c->times = packer_done(&out);
	for (size_t i = 0; i < c->n_columns; i++) {
		struct column *const column = &c->columns[i];
		const struct cells *const cells = &rows->cells[column->metric];
		struct debts debts = cells->debts ? *cells->debts : (struct debts){ 0 };
		column->seen = NEW(mem, struct extremes_seen);
		*column->seen = cells->seen;
		out = thinned(&t, &column->values, metric_table[column->metric].kind, column->decimals, &to, column->seen, &debts);
		column->values = packer_done(&out);
	}
	if (n_packs)
		arena_adopt(mem, rows->thinned);
	c->n_merged += c->n_rows - rows_left(&t);
	c->n_rows = rows_left(&t);
	arena_release(&scratch);
	return true;
}
