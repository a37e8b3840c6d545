/*
 * phase.c - idle head, start-up, steady, dips, down, tail, unseen: when a run was doing what it is judged for.
 *
 *   idle head  no GPU is busy and none holds memory: the job has not reached the GPUs
 *   start-up   GPUs hold memory, but the work has not begun on all that begin together: imports, weights, the first batch; after a
 *              restart once more
 *   steady     from the first work to the last
 *   dip        inside of that: the GPUs' work dips at a steady rhythm (phase_dips.c)
 *   down       inside of that: all GPUs gave their memory back and were idle, then work again: a crash or a restart; with the hole
 *              behind it, if the log stopped there
 *   tail       after the last work, once memory is given back: all of it, or all but a crumb
 *   unseen     after the last row of all GPU logs, while the host's log shows that work went on (unseen.c)
 *
 * Work begins when a GPU is first busy: one that holds its memory may still wait for its first data. A blip of a few percent
 * while a context is made is no work. Where busy is not logged, or none ever was, work begins when a GPU holds half of the
 * memory that it typically holds later (the model has arrived), and so it does where that is
 * only seconds before: no loading, but the first batch, or weights that arrive with a blip that one log shows and another does not.
 * What the user says with --mark comes last, over what was found.
 */
#include "run/phase_parts.h"

#include <math.h>
#include <stdlib.h>

/* A CUDA context takes about half a GiB (seen on H200: 527 MiB); creating one shows 1 to 4 % busy for one sample. */
#define WORK_PERCENT 5
/* The driver shows a few MiB on a GPU that nobody uses (4 on H100, up to 15 elsewhere): only what is far above can be a job's. */
#define HELD_MIB 64
#define KEPT_MOST_MIB 256 /* less than a CUDA context takes, the first that a job does */
#define KEPT_SLACK 1.5    /* of what is kept all the time it may be a little more at times */
/*
 * What may be left when a job has given its memory back: contexts, workspaces, what others hold. A twentieth of what it typically held
 * is no model any more; but a GPU that is busy for half of the time all the same is not at its end.
 */
#define CRUMB_SHARE 0.05
#define WORK_AFTER_PERCENT 50
/*
 * A batch takes seconds at most in the recordings that wait for them (one_worker: 4 s), and a log that looks once a second may miss the
 * first, so that it is two of them; what loads for longer is start-up.
 */
#define FIRST_BATCH (8 * SECOND_MS)

struct moments {
	time_ms touched, worked, last; /* first memory or busy, first work, end of the last of either */
	time_ms filled; /* first half of the memory that a GPU typically holds */
	double *free_mib; /* up to so many MiB a GPU holds nothing of a job */
	double *typical; /* memory that each GPU held, in MiB; 0: none, or not logged */
	time_ms *freed; /* when each GPU was seen to give its memory back for good; INT64_MAX: never */
};

static bool is_over(const struct track *t, size_t i, double limit)
{
	return track_value(t, i) != FIXED_MISSING && fixed_value(track_value(t, i)) > limit;
}

/* The first sample over the limit from `from` on; n when there is none. */
static size_t first_over(const struct track *t, double limit, size_t from)
{
	while (from < t->n && !is_over(t, from, limit))
		from++;
	return from;
}

/* Did it hold nothing at a moment, for sure? */
static bool holds_none(const struct track *used, double free_mib, time_ms when)
{
	const size_t i = used ? track_seek(used, when + 1) : 0;

	return i > 0 && when < track_until(used, i - 1) && track_value(used, i - 1) != FIXED_MISSING && !is_over(used, i - 1, free_mib);
}

/*
 * When it may have begun to work, which it is first seen to do at sample i: what is not known just before that may be work as well, unless
 * it held no memory. Not before sample `from`.
 */
static time_ms work_from(const struct track *util, const struct track *used, double free_mib, size_t i, size_t from)
{
	while (i > from && track_value(util, i - 1) == FIXED_MISSING && !holds_none(used, free_mib, track_time(util, i - 1)))
		i--;
	return track_time(util, i);
}

/* Until when it may have worked, which it is last seen to do at sample i. */
static time_ms work_until(const struct track *util, size_t i)
{
	while (i + 1 < util->n && track_value(util, i + 1) == FIXED_MISSING)
		i++;
	return track_until(util, i);
}

/* The last sample over the limit, of which there is one. */
static size_t last_over(const struct track *t, double limit)
{
	size_t k = t->n;

	while (!is_over(t, --k, limit))
		;
	return k;
}

/* When the track is first over the limit, and until when it last is. */
static void note_over(const struct track *t, double limit, time_ms *first, time_ms *last)
{
	const size_t i = first_over(t, limit, 0);

	if (i == t->n)
		return;
	const time_ms until = track_until(t, last_over(t, limit));
	*first = sooner(*first, track_time(t, i));
	*last = later(*last, until);
}

/*
 * What the driver, or whoever else, keeps of a GPU all the time is nobody's job: the least that it ever holds, where that is a crumb of
 * the most, and it does not work with so little.
 */
static double free_level(struct arena *mem, const struct run *run, const struct track *util, const struct track *used)
{
	const struct stats all = track_means(used, spans_one(&run->span));
	const double level = KEPT_SLACK * all.min;

	if (!(all.min > HELD_MIB) || all.min > KEPT_MOST_MIB || level > CRUMB_SHARE * all.max)
		return HELD_MIB;
	const struct spans low = truths_spans(mem, truths_compare_track(mem, used, run->span, 1, LESS_EQUAL, level), YES);
	return util && track_means(util, low).mean > WORK_PERCENT ? HELD_MIB : level;
}

/* The median of memory while any is held. */
static double typical_held(struct arena *mem, const struct run *run, const struct track *used, double free_mib)
{
	struct spans held = truths_spans(mem, truths_compare_track(mem, used, run->span, 1, GREATER, free_mib), YES);
	struct found_of_tracks found = { mem, run_counts(run, used), NULL, NULL };
	time_ms known;

	return track_fold_found(&found, mem, used, 1, held, FOLD_P50, &known);
}

/* The beginning of work by both signs: the first busy, and the first memory; INT64_MAX: never seen. */
static time_ms work_begin(time_ms busy, time_ms filled)
{
	const bool is_near = filled < busy && busy - filled <= FIRST_BATCH;

	return busy == INT64_MAX || is_near ? filled : busy;
}

/* Until when it held more than a crumb, if it did not work on with that; else until when it held any. */
static time_ms given_back(const struct track *util, const struct track *used, double typical, time_ms held_until)
{
	time_ms ignored = INT64_MAX, most_until = INT64_MIN;

	note_over(used, CRUMB_SHARE * typical, &ignored, &most_until);
	const struct span rest = { most_until, held_until };
	if (!util || most_until == INT64_MIN || span_length(rest) <= 0)
		return held_until;
	const struct stats busy = track_means(util, spans_one(&rest));
	return busy.known && busy.mean < WORK_AFTER_PERCENT ? most_until : held_until;
}

/* Was it held when its log was heard of last? Then what is not known of it later is not that it was given back. */
static bool ends_held(const struct track *used, double free_mib)
{
	size_t i = used->n;

	while (i && track_value(used, i - 1) == FIXED_MISSING)
		i--;
	return i && is_over(used, i - 1, free_mib);
}

/* Where memory was held and then was not, that tells the end. */
static void note_busy(const struct track *util, const struct track *used, double free_mib, bool is_freed, struct moments *m)
{
	const size_t first = first_over(util, WORK_PERCENT, 0);
	time_ms ignored = INT64_MIN;

	note_over(util, 0, &m->touched, used ? &ignored : &m->last);
	if (first == util->n)
		return;
	m->worked = work_from(util, used, free_mib, first, 0);
	m->touched = sooner(m->touched, m->worked);
	if (!is_freed)
		m->last = later(m->last, work_until(util, last_over(util, WORK_PERCENT)));
}

/* What one GPU shows; of what each of them has only its own place is written. */
static void note_gpu(struct arena *mem, const struct run *run, size_t g, struct moments *m)
{
	const struct entity *gpu = run->gpus[g];
	const struct track *util = run_track(run, gpu, METRIC_GPU_UTIL), *used = run_track(run, gpu, METRIC_GPU_MEM_USED);
	time_ms ignored = INT64_MIN, held_until = INT64_MIN;

	m->free_mib[g] = used ? free_level(mem, run, util, used) : HELD_MIB;
	if (used)
		note_over(used, m->free_mib[g], &m->touched, &held_until);
	/* Kernels need memory: busy after its release is the driver's average of a moment ago (seen on H200: 33 %). */
	bool by_memory = held_until > INT64_MIN;
	const double typical = by_memory ? typical_held(mem, run, used, m->free_mib[g]) : 0;
	const bool is_freed = by_memory && !ends_held(used, fmax(m->free_mib[g], CRUMB_SHARE * typical));
	if (util)
		note_busy(util, used, m->free_mib[g], is_freed, m);
	m->freed[g] = INT64_MAX;
	if (!by_memory)
		return;
	m->typical[g] = typical;
	held_until = given_back(util, used, m->typical[g], held_until);
	if (held_until > m->last)
		m->last = held_until;
	if (is_freed && held_until <= track_time(used, used->n - 1))
		m->freed[g] = held_until;
	if (m->typical[g] > m->free_mib[g])
		note_over(used, m->typical[g] / 2, &m->filled, &ignored);
}

struct noting {
	const struct run *run;
	struct moments *own; /* of each GPU */
};

static void note_own(void *context, size_t worker, size_t g)
{
	const struct noting *const n = context;
	struct arena scratch;

	(void)worker;
	arena_init(&scratch);
	note_gpu(&scratch, n->run, g, &n->own[g]);
	arena_release(&scratch);
}

static struct moments moments_of(struct arena *scratch, const struct run *run)
{
	struct moments m = { INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX, NEW_ARRAY(scratch, double, run->n_gpus),
		NEW_ARRAY(scratch, double, run->n_gpus), NEW_ARRAY(scratch, time_ms, run->n_gpus) };
	struct moments *const own = NEW_ARRAY(scratch, struct moments, run->n_gpus);

	for (size_t g = 0; g < run->n_gpus; g++)
		own[g] = m;
	run_jobs(run, run->n_gpus, note_own, &(struct noting){ run, own });
	for (size_t g = 0; g < run->n_gpus; g++) {
		m.touched = own[g].touched < m.touched ? own[g].touched : m.touched;
		m.worked = own[g].worked < m.worked ? own[g].worked : m.worked;
		m.last = own[g].last > m.last ? own[g].last : m.last;
		m.filled = own[g].filled < m.filled ? own[g].filled : m.filled;
	}
	return m;
}

/* ------ down ------ */

/* No GPU whose memory is logged holds any; nowhere when nobody logged it. */
static struct spans memory_free(struct arena *mem, const struct run *run, const struct moments *m, struct span work)
{
	struct spans all = { NULL, 0 };
	bool any = false;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *used = run_track(run, run->gpus[g], METRIC_GPU_MEM_USED);
		if (!used)
			continue;
		struct spans own = truths_spans(mem, truths_compare_track(mem, used, work, 1, LESS_EQUAL, m->free_mib[g]), YES);
		all = any ? spans_intersection(mem, all, own) : own;
		any = true;
	}
	return all;
}

/* The driver's average may show the work of a moment ago in the first step; after that nobody works. */
static bool is_idle(const struct run *run, struct span when)
{
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *util = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
		const struct span rest = { when.begin + (util ? util->step : 0), when.end };
		if (util && track_means(util, spans_one(&rest)).mean > WORK_PERCENT)
			return false;
	}
	return true;
}

/* The coarsest step of a log of memory: what is shorter than two of them is one slip of a sensor. */
static time_ms memory_step(const struct run *run)
{
	time_ms step = 0;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *used = run_track(run, run->gpus[g], METRIC_GPU_MEM_USED);
		if (used && used->step > step)
			step = used->step;
	}
	return step;
}

/*
 * A job gives the memory of all its GPUs back at once. A logger that looks at one after the other, or one for each host, sees that up to a
 * step apart: the work ended with the first of them.
 */
static time_ms common_end(const struct run *run, const struct moments *m)
{
	const time_ms step = memory_step(run);
	time_ms end = m->last;

	for (size_t g = 0; g < run->n_gpus; g++)
		if (m->freed[g] >= m->last - step && m->freed[g] < end)
			end = m->freed[g];
	return end;
}

/* When a GPU first holds half of its typical memory from `from` on; INT64_MAX: never. */
static time_ms next_filled(const struct run *run, const struct moments *m, size_t g, time_ms from)
{
	const struct track *used = run_track(run, run->gpus[g], METRIC_GPU_MEM_USED);
	const bool is_held = used && m->typical[g] > m->free_mib[g];
	const size_t i = is_held ? first_over(used, m->typical[g] / 2, track_seek(used, from)) : 0;

	return is_held && i < used->n ? track_time(used, i) : INT64_MAX;
}

static time_ms next_busy(const struct run *run, const struct moments *m, size_t g, time_ms from)
{
	const struct track *util = run_track(run, run->gpus[g], METRIC_GPU_UTIL), *used = run_track(run, run->gpus[g], METRIC_GPU_MEM_USED);
	const size_t first = util ? track_seek(util, from) : 0, i = util ? first_over(util, WORK_PERCENT, first) : 0;

	return util && i < util->n ? work_from(util, used, m->free_mib[g], i, first) : INT64_MAX;
}

/*
 * When a GPU first works from `from` on, by the same signs as at the beginning, but memory is no work where busy is logged; INT64_MAX:
 * never.
 */
static time_ms next_work(const struct run *run, const struct moments *m, time_ms from)
{
	time_ms busy = INT64_MAX, filled = INT64_MAX;
	bool is_told = false;

	for (size_t g = 0; g < run->n_gpus; g++) {
		is_told |= run_track(run, run->gpus[g], METRIC_GPU_UTIL) != NULL;
		const time_ms own_busy = next_busy(run, m, g, from), own_filled = next_filled(run, m, g, from);
		busy = own_busy < busy ? own_busy : busy;
		filled = own_filled < filled ? own_filled : filled;
	}
	return is_told && busy == INT64_MAX ? INT64_MAX : work_begin(busy, filled);
}

/*
 * The processes of one job load side by side and not at one pace: eight GPUs were seen to begin within 45 s of each other. One that
 * begins later than this stood idle while the others worked.
 */
#define TOGETHER MINUTE_MS

/* When the last of the GPUs works that begin together with the one that works first, at `first`. */
static time_ms work_of_all(const struct run *run, const struct moments *m, time_ms first)
{
	time_ms all = first;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *util = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
		const time_ms busy = next_busy(run, m, g, first);
		const time_ms own = work_begin(busy, next_filled(run, m, g, first));
		const bool same_poll = util && own - first < util->step / 2;
		if (busy < INT64_MAX && own > all && own - first <= TOGETHER && !same_poll)
			all = own;
	}
	return all;
}

/* When a GPU is first seen to hold memory from `from` on; INT64_MAX: never. */
static time_ms next_held(const struct run *run, const struct moments *m, time_ms from)
{
	time_ms held = INT64_MAX;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *used = run_track(run, run->gpus[g], METRIC_GPU_MEM_USED);
		const size_t i = used ? first_over(used, m->free_mib[g], track_seek(used, from)) : 0;
		if (used && i < used->n && track_time(used, i) < held)
			held = track_time(used, i);
	}
	return held;
}

/* ------ all of them ------ */

static int by_begin(const void *a, const void *b)
{
	const struct phase_span *x = a, *y = b;

	return (x->span.begin > y->span.begin) - (x->span.begin < y->span.begin);
}

/* Neighbours that are the same become one. */
static void join_neighbours(struct run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_phases; i++) {
		const struct phase_span p = run->phases[i];
		if (n && run->phases[n - 1].phase == p.phase && run->phases[n - 1].span.end == p.span.begin)
			run->phases[n - 1].span.end = p.span.end;
		else
			run->phases[n++] = p;
	}
	run->n_phases = n;
}

/* What `over` covers of the run becomes this phase, whatever it was. */
static void lay(struct arena *scratch, struct run *run, enum phase phase, struct spans over)
{
	const struct spans laid = spans_intersection(scratch, over, spans_one(&run->span));
	struct phase_span *all = NEW_ARRAY(run->mem, struct phase_span, run->n_phases + 2 * laid.n);
	size_t n = 0;

	for (size_t i = 0; i < run->n_phases; i++) {
		const struct spans left = spans_complement(scratch, laid, run->phases[i].span);
		for (size_t k = 0; k < left.n; k++)
			all[n++] = (struct phase_span){ run->phases[i].phase, left.at[k] };
	}
	for (size_t i = 0; i < laid.n; i++)
		all[n++] = (struct phase_span){ phase, laid.at[i] };
	if (n)
		qsort(all, n, sizeof *all, by_begin);
	run->phases = all;
	run->n_phases = n;
	join_neighbours(run);
}

static void lay_one(struct arena *scratch, struct run *run, enum phase phase, time_ms begin, time_ms end)
{
	const struct span span = { begin, end };

	lay(scratch, run, phase, spans_one(&span));
}

static void lay_restarts(struct arena *scratch, struct run *run, const struct moments *m)
{
	const struct span work = { m->worked, m->last };
	const struct spans frees = memory_free(scratch, run, m, work);
	const time_ms least = 2 * memory_step(run);

	for (size_t i = 0; i < frees.n; i++) {
		const struct span down = frees.at[i];
		const time_ms again = next_work(run, m, down.end), up = sooner(next_held(run, m, down.end), again);
		if (span_length(down) < least || up >= m->last || !is_idle(run, down))
			continue;
		lay_one(scratch, run, PHASE_STARTUP, up, again < m->last ? work_of_all(run, m, again) : m->last);
		lay_one(scratch, run, PHASE_DOWN, down.begin, up);
	}
}

static void find_all(struct arena *scratch, struct run *run)
{
	struct moments m = moments_of(scratch, run);

	lay_one(scratch, run, PHASE_STEADY, run->span.begin, run->span.end);
	m.worked = work_begin(m.worked, m.filled);
	if (m.worked == INT64_MAX) /* the GPUs never worked, or no log tells: all of it is judged */
		return;
	m.last = common_end(run, &m);
	if (m.last < m.worked) /* busy only after memory was given back, which is no work */
		m.worked = m.last;
	if (m.touched > m.worked)
		m.touched = m.worked;
	lay_one(scratch, run, PHASE_IDLE_HEAD, run->span.begin, m.touched);
	lay_one(scratch, run, PHASE_STARTUP, m.touched, work_of_all(run, &m, m.worked));
	if (run->logged.end == run->span.end) /* else it went on */
		lay_one(scratch, run, PHASE_TAIL, m.last, run->span.end);
	lay_restarts(scratch, run, &m);
	lay(scratch, run, PHASE_DIP, dips_find(scratch, run, run_phases(scratch, run, 1U << PHASE_STEADY)));
}

void phases_lay_unseen(struct run *run)
{
	struct arena scratch;

	arena_init(&scratch);
	lay_one(&scratch, run, PHASE_UNSEEN, run->logged.end, run->span.end);
	arena_release(&scratch);
}

void phases_find(struct run *run)
{
	struct arena scratch;

	run->n_phases = 0;
	arena_init(&scratch);
	if (span_length(run->span) > 0)
		find_all(&scratch, run);
	phases_lay_unseen(run);
	arena_release(&scratch);
	phases_tell(run);
}

/* The first moment at that time of day from `after` on. */
static time_ms next_at_clock(time_ms since_midnight, time_ms after)
{
	const time_ms day = time_midnight(after);

	return day + since_midnight >= after ? day + since_midnight : day + since_midnight + DAY_MS;
}

/* As the user says it, if times of day are those from one moment on. */
static struct span mark_from(const struct phase_mark *mark, time_ms from)
{
	struct span s = mark->span;

	if (mark->begin_is_clock)
		s.begin = next_at_clock(s.begin, from);
	if (mark->end_is_clock)
		s.end = next_at_clock(s.end, s.begin + 1);
	return s;
}

/* The first that has to do with the run: a time of day before its first row is of the day on which it began. */
static struct span mark_span(const struct run *run, const struct phase_mark *mark)
{
	const time_ms first = time_midnight(run->span.begin);
	struct span s = mark_from(mark, first);

	for (int day = 1; mark->begin_is_clock && s.end <= run->span.begin && day <= 2; day++)
		s = mark_from(mark, first + day * DAY_MS);
	return s;
}

/* From ten to nine, which is the next day, where the run does not see that day: whoever wrote it meant something else. */
static bool ends_before_it_begins(const struct run *run, const struct phase_mark *mark, struct span s)
{
	const time_ms midnight = time_midnight(s.end - 1);

	return mark->end_is_clock && midnight > s.begin && run->span.end <= midnight;
}

static const char *mark_time(struct run *run, time_ms t)
{
	const bool is_one_day = time_midnight(run->span.begin) == time_midnight(run->span.end - 1);

	return is_one_day ? time_clock(run->mem, t) : arena_print(run->mem, "%s %s", time_date(run->mem, t), time_clock(run->mem, t));
}

void phases_mark(struct run *run, const struct phase_mark *marks, size_t n)
{
	struct arena scratch;

	if (!n) /* nothing is told anew */
		return;
	arena_init(&scratch);
	for (size_t i = 0; i < n; i++) {
		const struct span said = mark_span(run, &marks[i]);
		const struct spans inside = spans_intersection(&scratch, spans_one(&said), spans_one(&run->span));
		const bool is_reversed = ends_before_it_begins(run, &marks[i], said);
		if (is_reversed || !inside.n) {
			run_note(run, "Phases", "--mark %s %s and has no effect.", marks[i].text,
				is_reversed ? "ends before it begins" : "lies outside of the run");
			continue;
		}
		lay(&scratch, run, marks[i].phase, inside);
		run->marked = spans_union(run->mem, run->marked, inside);
		run_note(run, "Phases", "%s to %s is %s because --mark says so.", mark_time(run, inside.at[0].begin),
			mark_time(run, inside.at[0].end), phase_name(marks[i].phase));
	}
	arena_release(&scratch);
	phases_tell(run);
}

bool phase_find(struct slice text, enum phase *out)
{
	for (int p = 0; p < N_PHASES; p++) {
		const char *const name = phase_name((enum phase)p);
		bool same = text.n == strlen(name);
		for (size_t i = 0; same && i < text.n; i++)
			same = text.p[i] == name[i] || (text.p[i] == '_' && name[i] == '-');
		if (same) {
			*out = (enum phase)p;
			return true;
		}
	}
	return false;
}

const char *phase_name(enum phase phase)
{
	static const char *const names[N_PHASES] = {
		[PHASE_IDLE_HEAD] = "idle-head",
		[PHASE_STARTUP] = "startup",
		[PHASE_STEADY] = "steady",
		[PHASE_DIP] = "dip",
		[PHASE_DOWN] = "down",
		[PHASE_TAIL] = "tail",
		[PHASE_UNSEEN] = "unseen",
	};

	return names[phase];
}
