/* host_row.c - one poll of a whole host. */
#include "format/host_row.h"

#include <math.h>

#define WHOLE (100 * (fixed)FIXED_ONE)
#define KIB_MOST ((int64_t)9000000000000) /* 8 PiB; more does not fit a fixed */

struct core {
	int index;
	size_t channel;
	struct cpu_times times;
	bool seen;    /* in the row that is open */
	time_ms last; /* of its last row, or TIME_UNKNOWN */
	bool is_gone; /* that row said that there is no value */
};

struct host_row {
	struct reading *r;
	struct sheet *sheet;
	size_t host; /* channel */
	struct cpu_times times;
	struct core *cores;
	size_t n, room, next;
	size_t n_live; /* behind these no core has had times since the row before: a log may name many and never again */
	time_ms begin, t, before; /* of the row that is open, and of the one before it */
	const char **unread;
	size_t n_unread, unread_room;
};

struct host_row *host_row_new(struct reading *r, struct sheet *sheet)
{
	struct host_row *h = NEW(r->scratch, struct host_row);

	h->r = r;
	h->sheet = sheet;
	h->begin = h->t = h->before = TIME_UNKNOWN;
	h->host = sheet_channel(sheet, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
	return h;
}

#define MAX_UNREAD ((size_t)256) /* names beyond tell a user nothing more */

void host_row_unread(struct host_row *h, struct slice head)
{
	head = slice_trim(head);
	for (size_t i = 0; i < h->n_unread; i++)
		if (slice_is(head, h->unread[i]))
			return;
	if (!head.n || !slice_is_utf8(head) || h->n_unread == MAX_UNREAD)
		return;
	h->unread = grow((void *)h->unread, &h->unread_room, h->n_unread + 1, sizeof *h->unread);
	h->unread[h->n_unread++] = arena_text(h->r->mem, head.p, head.n);
}

void host_row_release(struct host_row *h)
{
	struct recording *rec = h->r->recording;
	const char **unread = NEW_ARRAY(h->r->mem, const char *, h->n_unread);

	for (size_t i = 0; i < h->n_unread; i++)
		unread[i] = h->unread[i];
	rec->unread = unread;
	rec->n_unread = h->n_unread;
	grow_free((void *)h->unread);
	grow_free(h->cores);
}

void host_row_begin(struct host_row *h, time_ms begin)
{
	h->begin = begin;
	sheet_begin(h->sheet, h->host, begin);
}

void host_row_open(struct host_row *h, time_ms t)
{
	h->before = h->t;
	h->t = t;
	h->times = (struct cpu_times){ 0 };
	for (size_t i = 0; i < h->n_live; i++)
		h->cores[i].seen = false;
	sheet_row(h->sheet, h->host, t);
}

/* Cores come in the same order every time: the next is the likely one. */
static struct core *core_find(struct host_row *h, int index)
{
	for (size_t i = 0; i < h->n; i++) {
		size_t k = (h->next + i) % h->n;
		if (h->cores[k].index == index) {
			h->next = k + 1;
			return &h->cores[k];
		}
	}
	return NULL;
}

static struct core *core_add(struct host_row *h, int index)
{
	const struct entity e = { .scope = SCOPE_CORE, .host = "", .index = index };
	const size_t channel = sheet_channel(h->sheet, &e);

	if (channel == SIZE_MAX)
		return NULL;
	sheet_begin(h->sheet, channel, h->begin);
	h->cores = grow(h->cores, &h->room, h->n + 1, sizeof *h->cores);
	h->cores[h->n] = (struct core){ .index = index, .channel = channel, .last = TIME_UNKNOWN };
	h->next = h->n + 1;
	return &h->cores[h->n++];
}

struct cpu_times *host_row_times(struct host_row *h, int core)
{
	if (core == WHOLE_HOST)
		return &h->times;
	struct core *found = core_find(h, core);
	if (!found)
		found = core_add(h, core);
	if (!found)
		return NULL;
	if (!found->seen)
		found->times = (struct cpu_times){ 0 };
	found->seen = true;
	if ((size_t)(found - h->cores) >= h->n_live)
		h->n_live = (size_t)(found - h->cores) + 1;
	return &found->times;
}

/* Rounding of the parts can carry a sum a little over its end. */
static fixed share_of(int64_t part, int64_t all)
{
	const double share = (double)part / (double)all;

	return share <= 0 ? 0 : share >= 1 ? WHOLE : (fixed)llround(share * (double)WHOLE);
}

static int64_t sum_of(const struct cpu_times *t)
{
	int64_t sum = 0;

	for (int i = 0; i < N_CPU_STATES; i++)
		sum += t->of[i];
	return sum;
}

/* A share of the states a, b and c; N_CPU_STATES is none. Missing where one of them was unreadable. */
static void put_share(struct sheet *s, enum metric metric, const struct cpu_times *t, const enum cpu_state states[3], int64_t all,
	int decimals)
{
	int64_t sum = 0;

	for (int i = 0; i < 3; i++) {
		int64_t part = states[i] == N_CPU_STATES ? 0 : t->of[states[i]];
		if (part < 0) {
			sheet_absent(s, metric, ABSENT_UNREADABLE);
			return;
		}
		sum += part;
	}
	sheet_put(s, metric, share_of(metric == METRIC_CPU_BUSY || metric == METRIC_CORE_BUSY ? all - sum : sum, all), decimals);
}

/* The states that a metric is made of: busy is all but these. It is known when the first is. */
static const struct part {
	enum metric metric;
	enum cpu_state states[3];
} parts[] = {
	{ METRIC_CPU_BUSY, { CPU_IDLE, CPU_IOWAIT, CPU_STEAL } },
	{ METRIC_CPU_USER, { CPU_USER, CPU_NICE, N_CPU_STATES } },
	{ METRIC_CPU_SYSTEM, { CPU_SYSTEM, CPU_IRQ, CPU_SOFTIRQ } },
	{ METRIC_CPU_IOWAIT, { CPU_IOWAIT, N_CPU_STATES, N_CPU_STATES } },
	{ METRIC_CPU_STEAL, { CPU_STEAL, N_CPU_STATES, N_CPU_STATES } },
};

/* Into the row opened last: all of the host, only busy of a core. */
static void put_shares(struct sheet *s, const struct cpu_times *t, int64_t all, int decimals, bool is_core)
{
	const int64_t told = sum_of(t);
	const bool is_off = !told && t->has[CPU_USER] && t->has[CPU_SYSTEM] && t->has[CPU_IDLE]; /* zeros, idle included: offline */

	if (!all)
		all = told;
	if (all <= 0 || is_off)
		return;
	for (size_t i = 0; i < (is_core ? 1 : sizeof parts / sizeof parts[0]); i++)
		if (t->has[parts[i].states[0]])
			put_share(s, is_core ? METRIC_CORE_BUSY : parts[i].metric, t, parts[i].states, all, decimals);
}

static void core_row(struct host_row *h, struct core *core, time_ms t, bool is_gone)
{
	sheet_row(h->sheet, core->channel, t);
	core->last = t;
	core->is_gone = is_gone;
}

/*
 * While a core is not told of, its rows before must not last, nor its next row reach back: a row without a value stands
 * at both ends. One for each poll would let a short log of many cores fill the memory.
 */
static void core_come(struct host_row *h, struct core *core)
{
	if (core->last != TIME_UNKNOWN && core->last != h->before)
		core_row(h, core, h->before, true);
	core_row(h, core, h->t, false);
}

void host_row_close(struct host_row *h, int64_t all, int decimals)
{
	put_shares(h->sheet, &h->times, all, decimals, false);
	const size_t n = h->n_live;
	h->n_live = 0;
	for (size_t i = 0; i < n; i++) {
		struct core *core = &h->cores[i];
		if (core->seen) {
			h->n_live = i + 1;
			core_come(h, core);
			put_shares(h->sheet, &core->times, all, decimals, true);
		} else if (core->last != TIME_UNKNOWN && !core->is_gone) {
			core_row(h, core, h->t, true);
		}
	}
}

void host_row_kib(struct sheet *s, enum metric metric, int64_t kib)
{
	const int64_t least = (int64_t)metric_table[metric].low * 1024;

	if (kib < least || kib > KIB_MOST)
		sheet_absent(s, metric, ABSENT_OUT_OF_RANGE);
	else
		sheet_put(s, metric, (fixed)llround((double)kib / 1024 * FIXED_ONE), 3);
}

void host_row_memory(struct sheet *s, int64_t total_kib, int64_t used_kib)
{
	host_row_kib(s, METRIC_HOST_MEM_TOTAL, total_kib);
	host_row_kib(s, METRIC_HOST_MEM_USED, used_kib);
	if (total_kib > 0 && used_kib >= 0)
		sheet_put(s, METRIC_HOST_MEM_SHARE, share_of(used_kib, total_kib), 3);
}

/* Without blanks and quotes around it. */
static struct slice bare_cell(struct slice cell)
{
	cell = slice_trim(cell);
	if (cell.n && cell.p[0] == '"')
		cell = (struct slice){ cell.p + 1, cell.n - 1 };
	if (cell.n && cell.p[cell.n - 1] == '"')
		cell.n--;
	return cell;
}

bool host_cell(struct slice *rest, char separator, struct slice *cell)
{
	if (separator == ' ') {
		*cell = slice_word(rest);
		return cell->n;
	}
	if (!slice_part(rest, separator, cell))
		return false;
	*cell = bare_cell(*cell);
	return true;
}

size_t host_cells(struct slice rest, char separator, struct slice *cells, size_t most)
{
	size_t n = rest.p ? slice_cells(rest, separator, cells, most) : 0;

	if (n == most) { /* the last has all the rest */
		const char *const end = cells[n - 1].n ? memchr(cells[n - 1].p, separator, cells[n - 1].n) : NULL;
		cells[n - 1].n = end ? (size_t)(end - cells[n - 1].p) : cells[n - 1].n;
	}
	for (size_t i = 0; i < n; i++)
		cells[i] = bare_cell(cells[i]);
	return n;
}

int month_parse(struct slice word)
{
	for (int i = 0; i < 12 && word.n >= 3; i++)
		if (slice_is_nocase((struct slice){ word.p, 3 }, month_names[i]))
			return i + 1;
	return 0;
}

bool core_parse(struct slice word, const char *prefix, int *core)
{
	const size_t n = strlen(prefix);
	int64_t index;

	if (word.n <= n || memcmp(word.p, prefix, n) != 0 ||
		!integer_parse((struct slice){ word.p + n, word.n - n }, &index) || index > CORE_MOST)
		return false;
	*core = (int)index;
	return true;
}
