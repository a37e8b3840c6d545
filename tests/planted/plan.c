/*
 * plan.c - draws a run from a seed.
 *
 * Everything is a function of (seed, salt), so that a run can be made again, and so that one more question changes no other
 * answer. Salts are spelled as numbers where they are used: each is used once.
 */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct fault_row fault_rows[N_FAULTS] = {
	{ "healthy", "", "*", "*", "" },
#define FAULT(id, name, rules, logs, host, edges) { name, rules, logs, host, edges },
#include "faults.def"
#undef FAULT
};

/* Powers and clocks of the H200 are those of the recordings; of the others from captures and data sheets. */
static const struct card cards[] = {
	{ "NVIDIA H200", "00000000:00:06.0", 143771, 700, 77, 118, 1980, 345, 3201, 87, true, true, 5, false },
	{ "NVIDIA H100 80GB HBM3", "00000000:18:00.0", 81559, 700, 70, 115, 1980, 345, 2619, 86, true, true, 5, false },
	{ "NVIDIA A100-SXM4-80GB", "00000000:07:00.0", 81920, 400, 58, 85, 1410, 210, 1593, 85, false, true, 4, true },
	{ "NVIDIA L40S", "00000000:3A:00.0", 46068, 350, 34, 82, 2520, 210, 9001, 88, true, false, 4, true },
};

#define A100 2

/* SplitMix64 (Steele, Lea, Flood 2014): each input bit turns half of the output's. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

double dice(const struct plan *p, int salt, int place, int64_t index)
{
	uint64_t x = mixed(p->seed ^ mixed((uint64_t)salt << 32 | (uint32_t)place));

	return (double)(mixed(x ^ (uint64_t)index) >> 11) * 0x1p-53;
}

static double drawn(const struct plan *p, int salt)
{
	return dice(p, salt, -1, 0);
}
double dice_between(const struct plan *p, int salt, double low, double high)
{
	return low + (high - low) * drawn(p, salt);
}
static bool chance(const struct plan *p, int salt, double share)
{
	return drawn(p, salt) < share;
}
static int one_of(const struct plan *p, int salt, int n)
{
	return (int)(drawn(p, salt) * n);
}

static double between_logs(const struct plan *p, int salt, double low, double high)
{
	return low * pow(high / low, drawn(p, salt));
}

static double at_least(double a, double b)
{
	return a > b ? a : b;
}
static double at_most(double a, double b)
{
	return a < b ? a : b;
}

static bool needs_several(enum fault_kind kind)
{
	return kind == UNUSED || kind == STRAGGLER || kind == UNEVEN_POWER || kind == SPIN_WAIT || kind == IMBALANCE;
}

static void draw_machines(struct plan *p)
{
	static const int counts[] = { 1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16, 16, 32, 64 };
	static const int cores_per_gpu[] = { 8, 12, 16, 16, 24 };

	p->n_gpus = counts[one_of(p, 1, (int)(sizeof counts / sizeof *counts))];
	if (needs_several(p->fault.kind) && p->n_gpus == 1)
		p->n_gpus = chance(p, 2, 0.5) ? 4 : 8;
	p->n_hosts = (p->n_gpus + GPUS_OF_HOST - 1) / GPUS_OF_HOST;
	p->gpus_of_host = p->n_gpus / p->n_hosts;
	p->cores = cores_per_gpu[one_of(p, 3, 5)] * p->gpus_of_host;
	p->ram_gib = p->cores * 8;
	p->card = &cards[one_of(p, 4, 4)];
	if (p->fault.kind == HBM_HOT)
		p->card = &cards[A100]; /* the only one of these whose limit of memory heat is published in degrees */
}

/*
 * Rows cost time when they are made and read: a run has some thousands, few have tens of thousands. Long runs are logged
 * with coarser steps, as people do.
 */
static void draw_length(struct plan *p)
{
	static const double steps[] = { 1, 2, 5, 10, 15, 30, 60 };
	/* what grows for less than ten minutes may be a job that allocates what it needs */
	double shortest = p->fault.kind == MEMORY_GROWTH ? 900 : 600;
	double rows = chance(p, 5, 0.8) ? between_logs(p, 6, 1500, 6000) : between_logs(p, 7, 6000, 25000);
	size_t i = 0;

	p->length = between_logs(p, 8, 600, 3 * 86400);
	while (i < 6 && p->length / steps[i] * p->n_gpus > rows)
		i++;
	p->step = steps[i];
	p->length = at_least(shortest, at_most(p->length, at_least(rows / p->n_gpus, 200) * p->step));
	p->epoch = floor(1795225714 - drawn(p, 9) * 300 * 86400) + drawn(p, 10);
}

static void draw_job(struct plan *p)
{
	double head = dice_between(p, 11, 4, 60), start = dice_between(p, 12, 10, 180);
	double tail = dice_between(p, 13, 3, 60);
	double room = p->length * 0.06; /* a person gives a run a longer head only if the run is long */

	/* two rows of each part; of rows a minute apart more would be five minutes without work, which is a slow start */
	p->begin_of_process = at_least(at_most(head, room), 2 * p->step);
	p->begin_of_work = p->begin_of_process + at_least(at_most(start, room), 2 * p->step);
	p->end_of_work = p->length - at_least(at_most(tail, room), 2 * p->step);
	p->demand = dice_between(p, 14, 0.78, 1.35);
	p->busy = dice_between(p, 15, 0.95, 1);
	p->untidy = dice_between(p, 16, 0.005, 0.04);
	p->memory_share = dice_between(p, 17, 0.3, 0.93);
	p->loader = dice_between(p, 18, 0.02, 0.4);
	p->read_mb = between_logs(p, 19, 0.1, 200) * p->n_gpus / p->n_hosts;
	p->write_mb = between_logs(p, 20, 150, 2500);
	p->ambient = dice_between(p, 21, 22, 31);
	p->heat = dice_between(p, 22, 26, 44);
	p->held_at_start = chance(p, 23, 0.5);
	p->cores_evaluate = chance(p, 24, 0.4);
}

static int by_begin(const void *a, const void *b)
{
	const struct dip *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void add_dip(struct plan *p, double begin, double seconds, enum dip_kind kind)
{
	for (size_t i = 0; i < p->n_dips; i++)
		if (begin < p->dips[i].end + 5 && p->dips[i].begin < begin + seconds + 5)
			return;
	if (begin > p->begin_of_work + 10 && begin + seconds < p->end_of_work - 10)
		p->dips[p->n_dips++] = (struct dip){ begin, begin + seconds, kind };
}

static void add_periodic(struct plan *p, enum dip_kind kind, double period, double seconds)
{
	int64_t i = 1;

	for (double t = p->begin_of_work + period; t < p->end_of_work; t += period, i++)
		add_dip(p, t + dice(p, 30 + (int)kind, 0, i) * period * 0.01, seconds * (0.9 + 0.2 * dice(p, 33 + (int)kind, 0, i)), kind);
}

/* Checkpoints and evaluations take 0.3 to 2.5 % of a run each, as people choose them; an epoch's end costs seconds. */
static void draw_dips(struct plan *p)
{
	double worked = p->end_of_work - p->begin_of_work;
	double checkpoint = dice_between(p, 40, 4, 40), evaluation = dice_between(p, 41, 10, 120);

	p->dips = calloc(4096, sizeof *p->dips);
	if (!p->dips)
		abort();
	if (chance(p, 42, 0.7))
		add_periodic(p, CHECKPOINT, at_least(checkpoint / dice_between(p, 43, 0.003, 0.025), worked / 400), checkpoint);
	if (chance(p, 44, 0.5))
		add_periodic(p, EVALUATION, at_least(evaluation / dice_between(p, 45, 0.003, 0.025), worked / 300), evaluation);
	for (int i = 0, n = one_of(p, 46, 6); i < n; i++)
		add_dip(p, p->begin_of_work + worked * dice(p, 47, 0, i), 2 + 6 * dice(p, 48, 0, i), STALL);
	qsort(p->dips, p->n_dips, sizeof *p->dips, by_begin);
}

/* An edge of a fault within a dip could not be seen by anybody. */
static void clear_dips_around(struct plan *p, double t)
{
	double room = 4 * at_least(p->step, p->host_step) + 10;
	size_t kept = 0;

	for (size_t i = 0; i < p->n_dips; i++)
		if (p->dips[i].end < t - room || p->dips[i].begin > t + room)
			p->dips[kept++] = p->dips[i];
	p->n_dips = kept;
}

/* A job that stands still saves nothing and evaluates nothing. */
static void drop_dips_between(struct plan *p, double begin, double end)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n_dips; i++)
		if (p->dips[i].end < begin || p->dips[i].begin > end)
			p->dips[kept++] = p->dips[i];
	p->n_dips = kept;
}

static void drop_dips_after(struct plan *p, double t)
{
	while (p->n_dips && p->dips[p->n_dips - 1].end > t)
		p->n_dips--;
}

static void draw_victims(struct plan *p)
{
	struct fault *f = &p->fault;

	f->first = (int)(drawn(p, 50) * p->n_gpus);
	f->n = 1;
	if (f->kind == UNUSED) {
		f->n = 1 + (int)(drawn(p, 51) * (p->n_gpus - 1));
		f->first = p->n_gpus - f->n; /* a launcher that starts too few ranks leaves the last ones */
	}
}

/* How long work goes wrong at least: a tenth of the run, three minutes, and enough looks to see it. */
static double least_stretch(const struct plan *p)
{
	double step = at_least(p->step, p->host_step);

	return at_least(at_least(180, 20 * step), (p->end_of_work - p->begin_of_work) * 0.1);
}

/* Where a stretch of work goes wrong. */
static void draw_stretch(struct plan *p)
{
	double worked = p->end_of_work - p->begin_of_work, least = least_stretch(p);
	double length = at_most(least + (worked * 0.9 - least) * drawn(p, 52) * drawn(p, 52), worked * 0.9);

	p->fault.begin = p->begin_of_work + worked * 0.04 + (worked * 0.92 - length) * drawn(p, 53);
	p->fault.end = p->fault.begin + length;
}

/* The job stands still, or dies, and somebody ends it later. */
static void draw_end(struct plan *p, double rest)
{
	struct fault *f = &p->fault;

	f->begin = p->begin_of_work + (p->end_of_work - p->begin_of_work) * dice_between(p, 54, 0.4, 0.8);
	clear_dips_around(p, f->begin);
	drop_dips_after(p, f->begin);
	p->length = f->begin + at_least(rest, 25 * p->step);
	f->end = p->length;
	p->end_of_work = f->begin;
}

static void draw_fault(struct plan *p)
{
	struct fault *f = &p->fault;
	double worked = p->end_of_work - p->begin_of_work, moved;

	f->strength = drawn(p, 55);
	draw_victims(p);
	switch (f->kind) {
	case HEALTHY:
		return;
	case UNUSED:
	case POWER_LIMIT:
		f->begin = 0;
		f->end = p->length;
		return;
	case STARVED_UNSEEN:
		f->begin = p->begin_of_work;
		f->end = p->end_of_work;
		return;
	case CLOCK_SKEW:
		f->begin = 0;
		f->end = p->length;
		p->loader = dice_between(p, 56, 0.25, 0.5);
		return;
	case IDLE_TAIL:
		f->begin = p->end_of_work;
		f->end = p->length = p->length + at_least(1200, worked * dice_between(p, 57, 0.2, 1.5));
		return;
	case SLOW_START:
		moved = at_least(1500, worked * dice_between(p, 58, 0.2, 1));
		f->begin = p->begin_of_process;
		f->end = p->begin_of_work + moved;
		for (size_t i = 0; i < p->n_dips; i++) {
			p->dips[i].begin += moved;
			p->dips[i].end += moved;
		}
		p->begin_of_work += moved;
		p->end_of_work += moved;
		p->length += moved;
		return;
	case HANG_SPIN:
	case HANG_SILENT:
		draw_end(p, at_least(900, worked * dice_between(p, 59, 0.1, 0.5)));
		return;
	case OUT_OF_MEMORY:
	case LOST:
		draw_end(p, 60);
		return;
	case LOG_DIED:
		f->begin = p->begin_of_work + worked * dice_between(p, 60, 0.3, 0.85);
		f->end = p->length;
		break;
	case SLOWER:
		moved = at_most(worked * dice_between(p, 61, 0.3, 0.7), worked - least_stretch(p));
		f->begin = p->begin_of_work + at_least(moved, worked * 0.3);
		f->end = p->end_of_work;
		break;
	case MEMORY_GROWTH:
		f->begin = p->begin_of_work;
		f->end = p->end_of_work;
		p->memory_share = dice_between(p, 62, 0.25, 0.5);
		return;
	default:
		draw_stretch(p);
	}
	clear_dips_around(p, f->begin);
	clear_dips_around(p, f->end);
	if (f->kind == IDLE_HELD)
		drop_dips_between(p, f->begin, f->end);
}

static void pick_letters(const struct plan *p, const char *offered, int salt, size_t most, char *letters)
{
	size_t n = strlen(offered), i = (size_t)one_of(p, salt, (int)n), taken = 0;

	for (size_t k = 0; k < n && taken < most; k++)
		letters[taken++] = offered[(i + k) % n];
	letters[taken] = '\0';
}

/* f full query, n query without units, o query without header, d dmon, c dmon as CSV, t table; see gpu_logs.c. */
static void draw_logs(struct plan *p)
{
	static const int zones_s[] = { 0, 0, 0, -5 * 3600, 19800, 3600, -8 * 3600, 9 * 3600 };
	const struct fault_row *row = &fault_rows[p->fault.kind];

	pick_letters(p, *row->logs == '*' ? (p->step < 5 ? "fnodc" : "fnodct") : row->logs, 70, 1, p->gpu_logs);
	if (chance(p, 71, 0.15) && !strpbrk(p->gpu_logs, "dn") && p->fault.kind == HEALTHY) /* without an index nothing joins them */
		strcat(p->gpu_logs, "d");
	if (*row->host == '*')
		pick_letters(p, "vmsaip", 72, (size_t)one_of(p, 73, 4), p->host_logs);
	else if (*row->host != '-')
		pick_letters(p, row->host, 74, 1 + (size_t)one_of(p, 75, 2), p->host_logs);
	p->host_step = p->step * (chance(p, 76, 0.7) ? 1 : 2);
	if (strpbrk(p->host_logs, "mp")) /* a row a core is many rows */
		while (p->length / p->host_step * p->cores * p->n_hosts > 40000 && p->host_step < 30)
			p->host_step *= 2;
	p->zone_s = *p->host_logs ? zones_s[one_of(p, 77, 8)] : 0;
	p->subfolders = chance(p, 78, 0.5);
	p->extra_columns = chance(p, 79, 0.5);
	p->cut_last_row = chance(p, 80, 0.1);
	p->header_again = chance(p, 81, 0.1);
}

/* A logger that is late now and then: healthy runs miss up to 1 % in short holes. */
static void draw_holes(struct plan *p)
{
	if (p->fault.kind == LOG_HOLE) {
		p->holes[p->n_holes++] = (struct dip){ p->fault.begin, p->fault.end, STALL };
		return;
	}
	if (p->fault.kind != HEALTHY || !chance(p, 82, 0.3))
		return;
	for (int i = 0, n = 1 + one_of(p, 83, 3); i < n; i++) {
		double t = p->length * dice(p, 84, 0, i);
		p->holes[p->n_holes++] = (struct dip){ t, t + p->length * 0.003 * dice(p, 85, 0, i), STALL };
	}
}

void plan_draw(struct plan *p, uint64_t seed, enum fault_kind kind)
{
	*p = (struct plan){ .seed = seed, .fault.kind = kind };
	draw_machines(p);
	draw_length(p);
	draw_job(p);
	draw_logs(p);
	draw_dips(p);
	draw_fault(p);
	draw_holes(p);
}

void plan_release(struct plan *p)
{
	free(p->dips);
}

bool fault_has_gpu(const struct plan *p, int gpu)
{
	return gpu >= p->fault.first && gpu < p->fault.first + p->fault.n;
}

bool fault_on(const struct plan *p, double t)
{
	return t >= p->fault.begin && t < p->fault.end;
}

const struct dip *dip_at(const struct plan *p, double t)
{
	size_t low = 0, high = p->n_dips;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->dips[middle].end <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n_dips && p->dips[low].begin <= t ? &p->dips[low] : NULL;
}

bool in_hole(const struct plan *p, double t)
{
	for (int i = 0; i < p->n_holes; i++)
		if (t >= p->holes[i].begin && t < p->holes[i].end)
			return true;
	return p->fault.kind == LOG_DIED && t >= p->fault.begin;
}
