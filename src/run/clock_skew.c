/*
 * clock_skew.c - clocks that differ by what no zone explains.
 *
 *     gpu.csv is 517 s behind mpstat.txt (r = 0.91, give or take 1 s)
 *
 * When zones are settled, each log is laid over one that is already placed and moved by up to a quarter hour either way; the
 * lag at which both go up and down together best is how far their clocks are apart. Two logs are compared by the same metric where
 * both have one (power of the same GPU, busy of the host), else by what the GPU and the CPU side of a job have
 * in common. A lag is only believed
 *
 *     where both show structure          a flat line fits everywhere
 *     where r is high for that much      n changes between low and high are n witnesses: few could meet by chance; half of the lines'
 *                                        movement is enough where both logs, too, begin and end that far apart: loggers of one run
 *                                        start and stop together, and both ends at the very lag is no chance
 *     where no other lag comes near      a job that repeats itself fits at every period
 *     where no other columns are in step those of one job may fit in several ways, and that clocks agree is the likely one
 *     where logs don't meet as they are  they begin and end together: clocks that are apart would have them do so apart
 *     where at no small lag they do      a GPU that idles while the host prepares or reads is in step, upside down; where that is by far
 *     the opposite as well               the closest the two come, it is what tells the lag
 *     when it is more than a job's own   a GPU follows its loader by seconds, and two loggers look at different moments
 *
 * Everything else is "no reliable estimate". Nothing is moved without --align apply.
 *
 * The search is coarse first and fine around the best, so that its work does not grow with the square of a log.
 */
#include "base/sort.h"
#include "base/workers.h"
#include "run/correlation.h"
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>

#define FURTHEST (15 * MINUTE_MS)   /* beyond it a zone or a date is wrong, not a clock */
#define COARSE_CELLS ((size_t)2048)
#define FINE_CELLS ((size_t)1 << 18)
#define LEAST_R 0.5
#define WITNESS 4.0                 /* r above tanh(4 / sqrt(n)): four standard errors of Fisher's z with n witnesses, */
#define WITNESS_TWIN 3.0            /* three for the same metric: hundreds of lags are tried, and the best must be no chance */
#define RIVAL 0.85                  /* of the best r: a second peak above it makes the first a guess */
#define RIVAL_TWIN 0.95             /* of the same metric, twice logged: the two are all but equal at the right lag */
#define TURNS_R 0.8                 /* own definition: so closely must a GPU and its host take turns to tell a lag by that */
#define OWN_LAG (10 * SECOND_MS)    /* by which a GPU follows its host or the reverse, clocks being right */
#define NEAR 0.01                   /* below the best r: such lags are as good, and make the plus or minus */

struct view_of { /* one column of one recording */
	const struct channel *channel; /* NULL: the recording has none */
	const struct column *column;
	time_ms by;           /* by which its times are moved */
	struct shape *shapes; /* as it was looked at before, in cells of other lengths; of several threads one looks at a time */
	struct arena mem;
	struct lock *lock;
};

struct shape {
	struct shape *next;
	time_ms cell;
	struct line line;
	bool is_coarse;
	size_t n_changes; /* is_coarse: between low and high */
};

static int64_t cell_of(time_ms t, time_ms cell)
{
	return t / cell - (t % cell < 0);
}

static double value_at(const struct view_of *v, size_t row)
{
	return column_value(v->column, row) == FIXED_MISSING ? NAN : fixed_value(column_value(v->column, row));
}

/* The mean of the rows in each cell; without any, the value that still holds. */
static void fill_cells(const struct view_of *v, time_ms cell, int64_t first, double *cells, size_t n_cells)
{
	const struct channel *const c = v->channel;
	time_ms next = channel_time(c, 0), last = next; /* of the row that comes, and of the one before */
	size_t row = 0;

	for (size_t i = 0; i < n_cells; i++) {
		const time_ms begin = (first + (int64_t)i) * cell - v->by;
		double sum = 0;
		size_t n = 0;
		while (row < c->n_rows && next < begin + cell) {
			const double value = value_at(v, row);
			sum += isnan(value) ? 0 : value;
			n += isnan(value) ? 0U : 1U;
			last = next;
			next = ++row < c->n_rows ? channel_time(c, row) : next;
		}
		const bool holds = !n && row && begin + cell / 2 - last <= HOLE_STEPS * channel_step_at(c, row - 1);
		cells[i] = n ? sum / (double)n : holds ? value_at(v, row - 1) : NAN;
	}
}

/*
 * The means below and above the split of ascending values that leaves the least variance to both sides (Otsu, 1979): the two levels that r
 * is made of. Where a job begins and ends those are of standing idle and of work, however much the work itself goes up and down.
 */
static void find_levels(const double *sorted, size_t n, double *low, double *high)
{
	double all = 0, below = 0, most = -1;

	for (size_t i = 0; i < n; i++)
		all += sorted[i];
	*low = *high = all / (double)n;
	for (size_t i = 1; i < n; i++) {
		below += sorted[i - 1];
		const double lower = below / (double)i, upper = (all - below) / (double)(n - i);
		const double between = (double)i * (double)(n - i) * (upper - lower) * (upper - lower);
		if (between > most) {
			most = between;
			*low = lower;
			*high = upper;
		}
	}
}

/* How often the cells go from low to high or back. */
static size_t count_changes(struct arena *mem, const double *cells, size_t n_cells)
{
	double *const sorted = NEW_ARRAY(mem, double, n_cells), low, high;
	size_t n = 0, n_changes = 0;
	int level = 0;

	for (size_t i = 0; i < n_cells; i++)
		if (!isnan(cells[i]))
			sorted[n++] = cells[i];
	if (n < LEAST_CELLS)
		return 0;
	doubles_sort(sorted, n);
	find_levels(sorted, n, &low, &high);
	for (size_t i = 0; i < n_cells && high > low; i++) {
		const double value = (cells[i] - low) / (high - low); /* NAN is neither */
		const int now = (value > 2.0 / 3) - (value < 1.0 / 3);
		n_changes += now && level && now != level;
		level = now ? now : level;
	}
	return n_changes;
}

static struct shape *shape_new(struct view_of *v, time_ms cell, bool is_coarse)
{
	const struct channel *const c = v->channel;
	const int64_t first = cell_of(channel_time(c, 0) + v->by, cell);
	const size_t n = (size_t)(cell_of(channel_time(c, c->n_rows - 1) + v->by, cell) - first) + 1;
	struct shape *const shape = NEW(&v->mem, struct shape);
	struct arena scratch;

	arena_init(&scratch);
	double *const cells = NEW_RAW_ARRAY(&scratch, double, n);
	fill_cells(v, cell, first, cells, n);
	*shape = (struct shape){
		.next = v->shapes,
		.cell = cell,
		.line = line_of(&v->mem, cells, n, first),
		.is_coarse = is_coarse,
		.n_changes = is_coarse ? count_changes(&scratch, cells, n) : 0,
	};
	if (!is_coarse)
		shape->line.variance = 0; /* what the coarse look found is shape enough */
	arena_release(&scratch);
	return v->shapes = shape;
}

/* In cells of this length, which all columns that it is compared with ask for, mostly. */
static const struct shape *shape_of(struct view_of *v, time_ms cell, bool is_coarse)
{
	struct shape *s;

	lock_take(v->lock);
	for (s = v->shapes; s && (s->cell != cell || s->is_coarse != is_coarse); s = s->next)
		;
	if (!s)
		s = shape_new(v, cell, is_coarse);
	lock_give(v->lock);
	return s;
}

struct peak {
	int64_t lag; /* in cells */
	double r;
	int64_t reach;  /* cells to either side that are as good */
	double rival;   /* highest r of another peak, or -1; */
	double near;    /* the same at lags that a job's two sides have by themselves */
	bool enclosed;  /* there are lower values on both sides */
};

/* How many cells beside `best` are as good, on the slope down to `valley`. */
static int64_t reach_to(const double *r, int64_t best, int64_t valley)
{
	const int64_t towards = valley < best ? -1 : 1;
	int64_t at = best;

	while (at != valley && r[at + towards] >= r[best] - NEAR)
		at += towards;
	return llabs(at - best);
}

/* r: at each of n lags from this one on; `own`: such small lags tell nothing. */
static struct peak highest_of(const double *r, int64_t n, int64_t from, int64_t own)
{
	struct peak peak = { .r = NAN, .rival = -1, .near = -1 };
	int64_t best = -1, left, right;

	for (int64_t i = 0; i < n; i++)
		if (!isnan(r[i]) && (best < 0 || r[i] > r[best]))
			best = i;
	if (best < 0)
		return peak;
	peak.lag = from + best;
	peak.r = r[best];
	for (left = best; left > 0 && r[left - 1] <= r[left]; left--) /* down to the valleys; NAN ends a slope */
		;
	for (right = best; right + 1 < n && r[right + 1] <= r[right]; right++)
		;
	peak.enclosed = left < best && right > best;
	for (int64_t i = 0; i < n; i++) {
		if (i >= left && i <= right)
			continue;
		peak.rival = r[i] > peak.rival ? r[i] : peak.rival;
		peak.near = llabs(from + i) <= own && r[i] > peak.near ? r[i] : peak.near;
	}
	const int64_t before = reach_to(r, best, left), behind = reach_to(r, best, right);
	peak.reach = before > behind ? before : behind;
	return peak;
}

struct peaks {
	struct peak together, in_turns; /* where one goes up as the other does, or goes down */
};

static struct peaks find_peaks(const struct line *a, const struct line *b, int64_t from, int64_t to, int64_t own)
{
	const int64_t n = to - from + 1;
	struct peaks peaks;
	struct arena scratch;

	arena_init(&scratch);
	double *const r = NEW_RAW_ARRAY(&scratch, double, (size_t)n);
	for (int64_t i = 0; i < n; i++)
		r[i] = correlation_at(a, b, from + i);
	peaks.together = highest_of(r, n, from, own);
	for (int64_t i = 0; i < n; i++)
		r[i] = -r[i];
	peaks.in_turns = highest_of(r, n, from, own);
	arena_release(&scratch);
	return peaks;
}

struct estimate {
	time_ms lag, error; /* what to add to a's times, plus or minus */
	double r;   /* of those in turns as if one of them were upside down */
	bool reliable;
	bool in_turns;
	bool in_step; /* nothing to tell: the clocks agree, or differ by what a job's two sides do */
	double r_in_step; /* r where they meet at a small lag, if that is no chance; else -1 */
	bool is_flat; /* neither log ever changes: nobody expects an answer */
};

static time_ms longer_step(const struct view_of *a, const struct view_of *b)
{
	const time_ms step = a->channel->step > b->channel->step ? a->channel->step : b->channel->step;

	return step > 0 ? step : SECOND_MS;
}

static time_ms length_of(const struct channel *c)
{
	return channel_time(c, c->n_rows - 1) - channel_time(c, 0);
}

static time_ms cell_for(time_ms length, time_ms step, size_t most)
{
	const time_ms least = length / (time_ms)most;

	return least > step ? least : step;
}

/* What the peak must reach to be no chance: the fewer changes there are, the closer they must meet, unless both ends tell the same lag. */
static double needed_r(const struct shape *a, const struct shape *b, double witness, bool ends_meet)
{
	const size_t witnesses = a->n_changes < b->n_changes ? a->n_changes : b->n_changes;
	const double by_changes = witnesses < 2 ? 2 : tanh(witness / sqrt((double)witnesses));

	return witnesses < 2 ? 2 : ends_meet ? fmin(LEAST_R, by_changes) : fmax(LEAST_R, by_changes);
}

/* As far as loggers of one run start apart; a lag is told to a step, and the two look at different moments. */
static time_ms near_for(const struct view_of *x, const struct view_of *y)
{
	return OWN_LAG + 2 * longer_step(x, y);
}

/* Moved by the lag, do both logs begin and end together? */
static bool ends_meet(const struct view_of *x, const struct view_of *y, time_ms lag)
{
	const struct channel *a = x->channel, *b = y->channel;
	const time_ms near = near_for(x, y);
	const time_ms begin = channel_time(a, 0) + x->by + lag - channel_time(b, 0);
	const time_ms end = channel_time(a, a->n_rows - 1) + x->by + lag - channel_time(b, b->n_rows - 1);

	return llabs(begin) <= near && llabs(end) <= near;
}

/* At a lag that a job's two sides have by themselves, do they go together the other way, as well as they meet at their best? */
static bool do_the_opposite(const struct line *x, const struct line *y, int64_t own_cells, const struct peak *peak, bool in_turns)
{
	for (int64_t lag = -own_cells; lag <= own_cells; lag++)
		if ((in_turns ? 1 : -1) * correlation_at(x, y, lag) >= RIVAL * peak->r)
			return true;
	return false;
}

/*
 * `own`: the lag that there may be although the clocks agree, 0 for the same metric, which never takes turns with itself. That they agree
 * is expected: it needs no proof against rivals.
 */
static struct estimate estimate_of(struct view_of *a, struct view_of *b, time_ms own)
{
	const time_ms step = longer_step(a, b);
	const time_ms length = length_of(a->channel) > length_of(b->channel) ? length_of(a->channel) : length_of(b->channel);
	const time_ms coarse = cell_for(length, step, COARSE_CELLS), fine = cell_for(length, step, FINE_CELLS);
	const struct shape *const x = shape_of(a, coarse, true), *const y = shape_of(b, coarse, true);
	const int64_t own_cells = own / coarse > 1 ? own / coarse : 1;
	const struct peaks peaks = find_peaks(&x->line, &y->line, -FURTHEST / coarse, FURTHEST / coarse, own_cells);
	const bool in_turns = own && peaks.in_turns.r >= TURNS_R && !(RIVAL * peaks.in_turns.r < peaks.together.r);
	struct peak peak = in_turns ? peaks.in_turns : peaks.together;
	const double near_r = peak.near;
	const bool is_far = llabs(peak.lag * coarse) > near_for(a, b);
	const bool ends = is_far && ends_meet(a, b, peak.lag * coarse), is_against_ends = own && is_far && ends_meet(a, b, 0);
	const double needed = fmax(needed_r(x, y, own ? WITNESS : WITNESS_TWIN, ends), in_turns ? TURNS_R : 0);
	const bool alone = peak.enclosed && peak.rival <= (own ? RIVAL : RIVAL_TWIN) * peak.r
		&& !(own && do_the_opposite(&x->line, &y->line, own / coarse, &peak, in_turns));
	struct estimate e = { .is_flat = x->line.variance <= 0 && y->line.variance <= 0, .in_turns = in_turns };

	if (fine < coarse && !isnan(peak.r)) {
		const int64_t around = 2 * coarse / fine, middle = peak.lag * coarse / fine;
		const struct peaks near = find_peaks(
			&shape_of(a, fine, false)->line, &shape_of(b, fine, false)->line, middle - around, middle + around, 0);
		peak = in_turns ? near.in_turns : near.together;
	}
	e.r = peak.r;
	e.lag = peak.lag * fine;
	e.error = (peak.reach ? peak.reach : 1) * fine;
	e.in_step = e.r >= LEAST_R && llabs(e.lag) <= (own > 2 * e.error ? own : 2 * e.error);
	const double r_in_step = e.in_step ? e.r : near_r;
	e.r_in_step = r_in_step >= needed ? r_in_step : -1;
	e.reliable = e.in_step || (alone && e.r >= needed && !is_against_ends); /* never for NAN */
	return e;
}

/* What both sides of a job show when it works. */
static const enum metric gpu_signs[] = { METRIC_GPU_POWER, METRIC_GPU_UTIL, METRIC_GPU_MEM_USED };
static const enum metric host_signs[] = { METRIC_CPU_BUSY, METRIC_HOST_DISK_READ };
#define N_GPU_SIGNS (sizeof gpu_signs / sizeof *gpu_signs)
#define N_HOST_SIGNS (sizeof host_signs / sizeof *host_signs)

/* What a recording shows of a job. */
struct views {
	struct view_of gpu[N_GPU_SIGNS], host[N_HOST_SIGNS];
};

static void view_open(struct view_of *v, const struct recording *rec, enum metric metric, time_ms by)
{
	*v = (struct view_of){ .by = by, .lock = lock_new() };
	arena_init(&v->mem);
	v->channel = channel_with(rec, metric, &v->column);
	if (v->channel && v->channel->n_rows < LEAST_CELLS)
		v->channel = NULL;
}

static void view_close(struct view_of *v)
{
	arena_release(&v->mem);
	lock_free(v->lock);
}

static void views_open(struct views *v, const struct recording *rec, time_ms by)
{
	for (size_t i = 0; i < N_GPU_SIGNS; i++)
		view_open(&v->gpu[i], rec, gpu_signs[i], by);
	for (size_t i = 0; i < N_HOST_SIGNS; i++)
		view_open(&v->host[i], rec, host_signs[i], by);
}

static void views_close(struct views *v)
{
	for (size_t i = 0; i < N_GPU_SIGNS; i++)
		view_close(&v->gpu[i]);
	for (size_t i = 0; i < N_HOST_SIGNS; i++)
		view_close(&v->host[i]);
}

struct pairing {
	struct view_of *a, *b;
	struct estimate found;
};
#define MOST_PAIRINGS (2 * N_GPU_SIGNS * N_HOST_SIGNS)
struct pairings {
	struct pairing at[MOST_PAIRINGS];
	size_t n;
	time_ms own;
};

static void pair_up(struct pairings *all, struct view_of *a, struct view_of *b)
{
	if (a->channel && b->channel)
		all->at[all->n++] = (struct pairing){ .a = a, .b = b };
}

static void estimate_one(void *context, size_t worker, size_t job)
{
	struct pairings *const all = context;
	struct pairing *const p = &all->at[job];

	(void)worker;
	p->found = estimate_of(p->a, p->b, all->own);
}

#define MANY_ROWS ((size_t)20000) /* of fewer it takes less to compare all columns than to start a thread */

/*
 * Of columns of two kinds: do two meet as well where clocks agree as others do far away? Stalls that come every ten minutes fit ten minutes
 * later, too, and one burst at the begin, as when a model is loaded, can make that the better fit.
 */
static bool any_in_step(const struct pairings *all, double r)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++)
		any |= all->at[i].found.r_in_step >= RIVAL * r;
	return any;
}

/* Of several estimates the first of the best ones. */
static struct estimate best_of(struct pairings *all)
{
	struct estimate best = { .r = NAN, .is_flat = true };
	bool is_flat = true, is_long = false;

	for (size_t i = 0; i < all->n; i++)
		is_long |= all->at[i].a->channel->n_rows + all->at[i].b->channel->n_rows >= MANY_ROWS;
	workers_run(is_long ? workers_count(all->n) : 1, all->n, estimate_one, all);
	for (size_t i = 0; i < all->n; i++) {
		const struct estimate *const e = &all->at[i].found;
		is_flat &= e->is_flat;
		if (isnan(e->r))
			continue;
		if (isnan(best.r) || e->reliable > best.reliable || (e->reliable == best.reliable && e->r > best.r))
			best = *e;
	}
	if (all->own && best.reliable && !best.in_step)
		best.in_step = any_in_step(all, best.r);
	best.is_flat = is_flat;
	return best;
}

/* The same metric on both sides; where there is none, any sign of the GPUs beside any of the host. */
static struct estimate best_of_views(struct views *a, struct views *b)
{
	struct pairings same = { .own = 0 }, other = { .own = OWN_LAG };

	for (size_t i = 0; i < N_GPU_SIGNS; i++)
		pair_up(&same, &a->gpu[i], &b->gpu[i]);
	for (size_t i = 0; i < N_HOST_SIGNS; i++)
		pair_up(&same, &a->host[i], &b->host[i]);
	const struct estimate of_same = best_of(&same);
	if (!isnan(of_same.r))
		return of_same;
	for (size_t i = 0; i < N_GPU_SIGNS * N_HOST_SIGNS; i++) {
		pair_up(&other, &a->gpu[i % N_GPU_SIGNS], &b->host[i / N_GPU_SIGNS]);
		pair_up(&other, &a->host[i / N_GPU_SIGNS], &b->gpu[i % N_GPU_SIGNS]);
	}
	struct estimate best = best_of(&other);
	best.is_flat &= of_same.is_flat;
	return best;
}

static struct estimate compare(const struct recording *a, time_ms by, const struct recording *b)
{
	struct views of_a, of_b;

	views_open(&of_a, a, by);
	views_open(&of_b, b, 0);
	const struct estimate best = best_of_views(&of_a, &of_b);
	views_close(&of_a);
	views_close(&of_b);
	return best;
}

bool clock_lag(const struct recording *rec, time_ms by, const struct recording *other, time_ms *lag)
{
	const struct estimate e = compare(rec, by, other);

	*lag = e.lag;
	return e.reliable && !e.in_step;
}

#define MOST_TRIES ((size_t)4) /* logs that one is compared with */

static bool shows(const struct recording *rec, enum metric metric)
{
	const struct column *column;
	const struct channel *const channel = channel_with(rec, metric, &column);

	return channel && channel->n_rows >= LEAST_CELLS;
}

bool clock_has_shape(const struct recording *rec)
{
	for (size_t i = 0; i < N_GPU_SIGNS; i++)
		if (shows(rec, gpu_signs[i]))
			return true;
	for (size_t i = 0; i < N_HOST_SIGNS; i++)
		if (shows(rec, host_signs[i]))
			return true;
	return false;
}

/* The clock that the others are held against: of a log that names its zone, or that the user placed; else the axis. */
static struct recording *reference_of(const struct run *run)
{
	static const enum clock_decision trust[] = { DECIDED_LOG, DECIDED_OPTION, DECIDED_ASSUMED, DECIDED_SIBLING, DECIDED_INFERRED };

	for (size_t k = 0; k < sizeof trust / sizeof *trust; k++)
		for (size_t i = 0; i < run->n_recordings; i++)
			if (run->recordings[i]->clock.decided_by == trust[k] && clock_has_shape(run->recordings[i]))
				return run->recordings[i];
	return NULL;
}

/* To the second, or a tenth where the logs are that fine. */
static const char *seconds_text(const struct run *run, time_ms t, time_ms error)
{
	return arena_print(run->mem, "%s s", number_text(run->mem, (double)t / SECOND_MS, error < SECOND_MS ? 1 : 0));
}

static void tell_skew(struct run *run, const struct skew *s)
{
	run_note(run, "Clock", "%s is %s %s %s (r = %s, give or take %s): %s.", s->recording->name,
		seconds_text(run, llabs(s->lag), s->step), s->lag < 0 ? "ahead of" : "behind", s->against->name,
		number_text(run->mem, s->r, 2), seconds_text(run, s->step, s->step),
		s->applied ? "its times are moved by that, by --align" : "nothing is moved, --align apply takes it out");
}

static void add_skew(struct run *run, struct skew s)
{
	run->skews = arena_array_next(run->mem, run->skews, run->n_skews, sizeof *run->skews);
	run->skews[run->n_skews++] = s;
	tell_skew(run, &s);
}

/* Files of one logger, one after the other, look alike where a job repeats itself. */
static bool goes_on(const struct recording *a, const struct recording *b)
{
	return clock_is_of_one_logger(a, b) && span_overlap(recording_span(a), recording_span(b)) < SIDE_BY_SIDE;
}

#define LEAST_SHARED 0.5 /* by logs of two hosts */

/*
 * A job that is begun anew, or on another host a while later, shows the same once more: that is no clock. Logs that share no time, or of
 * two hosts too little, can't tell one from the other.
 */
static bool may_be_the_same_again(const struct recording *a, const struct recording *b)
{
	const double shared = span_overlap(recording_span(a), recording_span(b));

	return shared <= 0 || (shared < LEAST_SHARED && strcmp(a->of_host, b->of_host) != 0);
}

/* False when no log that has a place can tell, although there is something to see: against the reference first. */
static bool find_skew(struct run *run, struct recording *rec, const struct recording *const *placed, size_t n_placed, bool apply)
{
	bool is_flat = true;

	for (size_t i = 0; i < n_placed && i < MOST_TRIES; i++) {
		if (goes_on(rec, placed[i]) || may_be_the_same_again(rec, placed[i]))
			continue;
		const struct estimate e = compare(rec, 0, placed[i]);
		is_flat &= e.is_flat;
		if (!e.reliable)
			continue;
		if (e.in_step)
			return true;
		if (apply)
			clock_shift(rec, e.lag);
		add_skew(run, (struct skew){ rec, placed[i], e.lag, e.error, e.in_turns ? -e.r : e.r, apply });
		return true;
	}
	return is_flat;
}

static void tell_no_estimate(struct run *run, const char *const *names, size_t n, const struct recording *reference)
{
	const char *const meet = logs_begin_and_end_together(run) ? ", but all logs begin and end within 10 s of each other" : "";
	run_note(run, "Clock",
		"The clocks of %s %s %s could not be compared: no reliable estimate, too little of what they show is alike%s.",
		names_listed(run->mem, names, n), n > 1 ? "and that of" : "and", reference->name, meet);
	run_note_is_of(run, names[0], n,
		arena_print(run->mem, "have clocks that could not be compared with that of %s: no reliable estimate, too little of what "
			"they show is alike%s", reference->name, meet));
}

void clock_find_skews(struct run *run, bool apply)
{
	const struct recording **placed = NEW_ARRAY(run->mem, const struct recording *, run->n_recordings);
	const char **untold = NEW_ARRAY(run->mem, const char *, run->n_recordings);
	const struct recording *reference = reference_of(run);
	size_t n = 0, n_untold = 0;

	if (!reference)
		return;
	placed[n++] = reference;
	for (size_t i = 0; i < run->n_recordings; i++) {
		struct recording *rec = run->recordings[i];
		if (rec == reference || !clock_has_shape(rec))
			continue;
		bool shares_time = span_overlap(recording_span(rec), recording_span(reference)) > 0; /* else that is told already */
		if (!find_skew(run, rec, placed, n, apply) && shares_time)
			untold[n_untold++] = rec->name;
		placed[n++] = rec;
	}
	if (n_untold)
		tell_no_estimate(run, untold, n_untold, reference);
}
