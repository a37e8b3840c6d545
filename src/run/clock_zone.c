/*
 * clock_zone.c - the zone of a log that names none.
 *
 *     2026/11/20 20:48:34.387, 0, 45 %, ...        nvidia-smi, in local time somewhere
 *     ... 2026-11-21 01:48:35                      vmstat, headed "UTC"
 *
 * Read like a sibling when the two then overlap, or when one tool wrote both of one GPU, unless another offset makes both begin and end
 * together and more alike, or the sibling is so long that it holds the log in many zones and what both show tells one of them; else in the
 * zone in which GPU power (or busy) and CPU busy move together, or take turns, by far most clearly; else with the offset of whole quarter
 * hours at which they overlap best, confirmed by the same, or when both logs then begin and end together. A clock that is simply
 * wrong looks alike: where the shapes of both logs meet at a lag that no zone explains, the zone is the sibling's and the lag is told
 * (clock_skew.c).
 */
#include "run/run_parts.h"

#include "metric/identity.h"

#include <math.h>
#include <stdlib.h>

#define QUARTER_MS (15 * MINUTE_MS)
#define LEAST_OVERLAP 0.5
#define SOME_OVERLAP 0.2          /* as read; less is chance */
#define ZONE_SLACK (5 * SECOND_MS) /* loggers of one job start and stop within seconds */
#define STEP_MOST (3 * MINUTE_MS) /* rows further apart don't tell of two logs that one quarter hour makes them begin together */
#define CORRELATED 0.3            /* what Cohen (1988) calls a medium effect; the figure itself is printed */

static bool is_confirmed(double r)
{
	return fabs(r) >= CORRELATED; /* never for NAN */
}

/* "; GPU and CPU activity then move together (r = 0.93)" or what else can be said. */
static const char *confirmation(struct run *run, double r)
{
	if (isnan(r))
		return "; the logs show no activity that could confirm it";
	const char *verdict = r >= CORRELATED	 ? "then move together"
			      : r <= -CORRELATED ? "then take turns" /* one waits for the other: that confirms it as well */
						 : "don't confirm it";
	return arena_print(run->mem, "; GPU and CPU activity %s (r = %s)", verdict, number_text(run->mem, r, 2));
}

/* Clocks somewhere show it: no zone is a quarter hour or ten and a quarter off (IANA time zone database, 2024a). */
static bool is_in_use(time_ms offset)
{
	/* that are no whole hours */
	static const int16_t minutes[] = { -570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825 };

	for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++)
		if (offset == minutes[i] * MINUTE_MS)
			return true;
	return offset % HOUR_MS == 0;
}

/* May the clock be that far from UTC? Without any known zone the offset is between two zones, and can be any. */
static bool is_candidate(const struct run *run, time_ms offset)
{
	return !run->zone_known || is_in_use(offset);
}

struct candidate {
	const struct recording *sibling;
	time_ms offset;
	double overlap;
	int n_equal; /* offsets that overlap as well, within a tenth */
};

/*
 * The sibling that overlaps best when read with the given offset; one whose activity can confirm the offset before one, like a
 * job's progress, that only shares the time.
 */
static struct candidate best_sibling(const struct run *run, const struct recording *rec, time_ms offset)
{
	struct candidate best = { .offset = offset, .overlap = -1 };

	for (int round = 0; round < 2 && best.overlap < LEAST_OVERLAP; round++) {
		for (size_t i = 0; i < run->n_recordings; i++) {
			const struct recording *other = run->recordings[i];
			if (other == rec || !clock_is_settled(other) || clock_has_shape(other) == (round > 0))
				continue;
			double shared = span_overlap(span_moved(recording_span(rec), -offset), recording_span(other));
			if (shared > best.overlap) {
				best.sibling = other;
				best.overlap = shared;
			}
		}
	}
	return best;
}

/* Whole hours and small offsets first: among equals the likelier zone. */
static int unlikeliness(time_ms offset)
{
	time_ms size = offset < 0 ? -offset : offset;

	return (int)(size / QUARTER_MS) + (size % HOUR_MS ? 100 : 0);
}

/* `any`: also of offsets that are in use nowhere. `*r`: how clearly activity confirms it, NAN where it shares too little. */
static struct candidate best_offset(const struct run *run, const struct recording *rec, bool any, double *r)
{
	struct candidate best = { .overlap = -1 };

	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS) {
		if (!any && !is_candidate(run, offset))
			continue;
		const struct candidate c = best_sibling(run, rec, offset);
		if (c.overlap > best.overlap + 0.01 ||
			(c.overlap > best.overlap - 0.01 && unlikeliness(offset) < unlikeliness(best.offset)))
			best = c;
	}
	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS)
		best.n_equal += (any || is_candidate(run, offset)) && best_sibling(run, rec, offset).overlap > best.overlap - 0.1;
	*r = best.overlap >= LEAST_OVERLAP ? activity_goes_together(rec, -best.offset, best.sibling) : (double)NAN;
	return best;
}

static time_ms coarsest_step(const struct recording *rec)
{
	time_ms step = 0;

	for (size_t i = 0; i < rec->n_channels; i++)
		step = rec->channels[i].step > step ? rec->channels[i].step : step;
	return step;
}

/* Do both begin and end together then, as two loggers of one script do? A zone that is off by a quarter hour parts both ends. */
static bool ends_meet(const struct recording *rec, const struct candidate *c)
{
	const time_ms own_step = coarsest_step(rec), their_step = coarsest_step(c->sibling);
	const time_ms step = own_step > their_step ? own_step : their_step;
	const struct span own = span_moved(recording_span(rec), -c->offset), theirs = recording_span(c->sibling);

	const time_ms most = ZONE_SLACK + step;

	return step <= STEP_MOST && llabs(own.begin - theirs.begin) <= most && llabs(own.end - theirs.end) <= most;
}

static const char *share_text(struct run *run, double share)
{
	return quantity_text(run->mem, (struct quantity){ share * 100, UNIT_PERCENT });
}

/*
 * A sibling whose zone fits as it is; one that tells of activity before a job's progress, one that names its zone before one
 * that was itself settled, one of the same host first.
 */
static struct candidate same_zone(const struct run *run, const struct recording *rec)
{
	struct candidate same = { .overlap = -1 };

	for (int trust = 0; trust < 8 && same.overlap < SIDE_BY_SIDE; trust++) {
		for (size_t i = 0; i < run->n_recordings; i++) {
			const struct recording *other = run->recordings[i];
			const bool by_itself = other->clock.decided_by == DECIDED_LOG || other->clock.decided_by == DECIDED_OPTION;
			const bool neighbour = strcmp(other->of_host, rec->of_host) == 0;
			if (other == rec || !clock_is_settled(other) || by_itself != (trust % 4 < 2) || (trust % 2 == 0 && !neighbour) ||
				clock_has_shape(other) != (trust < 4))
				continue;
			const double shared = span_overlap(span_moved(recording_span(rec), -other->clock.offset), recording_span(other));
			if (shared > same.overlap)
				same = (struct candidate){ other, other->clock.offset, shared, 0 };
		}
	}
	return same;
}

/*
 * Read like the log beside it: one may just have been begun later than the other, which without a sign in the data is likelier than a wrong
 * clock. `other_zone` is where they would share more, or NULL.
 */
static void keep_like_sibling(struct run *run, struct recording *rec, const struct candidate *same, const char *other_zone,
	const char *other_share)
{
	const char *const other = other_zone ? arena_print(run->mem, ": read %s they would share %s, but nothing in the logs confirms that",
		other_zone, other_share) : "";
	clock_decide(rec, same->offset, DECIDED_SIBLING,
		arena_print(run->mem, "%s %s; read like %s, though they share only %s of the shorter log%s (--tz %s=ZONE decides).",
			rec->name, zone_lack(run->mem, rec), same->sibling->name, share_text(run, same->overlap), other, rec->name));
}

/* Of the offsets at which the log begins and ends together with a settled one that shows activity `usual`, or the likeliest. */
static struct candidate offset_where_ends_meet(const struct run *run, const struct recording *rec, time_ms usual)
{
	struct candidate best = { .overlap = 0 };

	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS) {
		for (size_t i = 0; i < run->n_recordings; i++) {
			const struct recording *const other = run->recordings[i];
			const struct candidate c = { other, offset, 1, 1 };
			if (other == rec || !clock_is_settled(other) || !clock_has_shape(other) || !ends_meet(rec, &c))
				continue;
			if (offset == usual)
				return c;
			if (!best.sibling || unlikeliness(offset) < unlikeliness(best.offset))
				best = c;
		}
	}
	return best;
}

/* "as UTC-5", or without any known zone "with its clock moved by +5 h against mpstat.txt" */
static const char *reading_text(struct run *run, const struct candidate *c)
{
	if (run->zone_known)
		return arena_print(run->mem, "as %s", zone_name(run->mem, c->offset));
	return arena_print(run->mem, "with its clock moved by %s h against %s", zone_name(run->mem, -c->offset) + 3, c->sibling->name);
}

/* "as UTC-5 like", or without any known zone "on the same clock as" */
static const char *same_clock_text(struct run *run, time_ms offset)
{
	return run->zone_known ? arena_print(run->mem, "as %s like", zone_name(run->mem, offset)) : "on the same clock as";
}

/* `doubt`: what speaks against it, or "". */
static void read_like_sibling(struct run *run, struct recording *rec, const struct candidate *same, const char *doubt)
{
	clock_decide(rec, same->offset, DECIDED_SIBLING,
		arena_print(run->mem, "%s %s; read %s %s: they share %s of the shorter log%s.", rec->name, zone_lack(run->mem, rec),
			same_clock_text(run, same->offset), same->sibling->name, share_text(run, same->overlap), doubt));
	rec->clock.is_unconfirmed = *doubt;
	rec->clock.of_many = *doubt ? NULL
		: arena_print(run->mem, "They name no zone; each is read %s another log that it shares most of its time with.",
			same_clock_text(run, same->offset));
}

static void read_with_offset(struct run *run, struct recording *rec, const struct candidate *best, const struct candidate *same, double r)
{
	struct arena *mem = run->mem;
	const char *several = "", *without = "not overlap";
	const bool is_by_ends = !is_confirmed(r) && ends_meet(rec, best);

	if (is_by_ends)
		several = "; both begin and end together then";
	else if (best->n_equal > 1)
		several = arena_print(mem, "; %d other offset%s would do as well, --tz %s=ZONE decides", best->n_equal - 1,
			plural_s((size_t)best->n_equal - 1), rec->name);
	if (same->overlap > 0)
		without = arena_print(mem, "share %s%s with", same->overlap < best->overlap ? "only " : "", share_text(run, same->overlap));
	clock_decide(rec, best->offset, DECIDED_INFERRED,
		arena_print(mem, "%s %s and would %s %s; read %s, where they share %s%s%s.", rec->name, zone_lack(run->mem, rec), without,
			best->sibling->name, reading_text(run, best), share_text(run, best->overlap), confirmation(run, r), several));
	rec->clock.is_unconfirmed = !is_confirmed(r) && !is_by_ends;
}

/* Both begin and end together in that zone, and how what they show goes together as they stand, `here`, does not speak for that. */
static bool ends_tell(const struct recording *rec, const struct candidate *c, double here)
{
	return is_in_use(c->offset) && ends_meet(rec, c) && !is_confirmed(here);
}

/*
 * Far above a medium effect, and above what all other zones show: own definition. Of 40 zones some go together by chance, as where two
 * jobs of one log begin an hour apart.
 */
#define TELLING 0.6
#define TELLING_MORE 0.25

/*
 * The zone that activity tells by itself: of those in which the log shares at least so much with one that shows activity that in which
 * both move together, or take turns, far more clearly than in any other. `sibling` NULL: none does.
 */
static struct candidate offset_of_activity(const struct run *run, const struct recording *rec, double least_shared, double *r)
{
	struct candidate best = { .overlap = 0 };
	double next = 0;

	*r = 0;
	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS) {
		const struct candidate c = best_sibling(run, rec, offset);
		const bool is_shown = is_in_use(offset) && c.overlap >= least_shared && clock_has_shape(c.sibling);
		const double there = is_shown ? activity_goes_together(rec, -offset, c.sibling) : (double)NAN;
		if (fabs(there) > fabs(*r)) {
			next = fabs(*r);
			*r = there;
			best = c;
		} else if (fabs(there) > next) {
			next = fabs(there);
		}
	}
	if (fabs(*r) < TELLING || fabs(*r) < next + TELLING_MORE)
		best.sibling = NULL;
	best.n_equal = 1;
	return best;
}

/* One that is in use nowhere, which is that of a wrong clock, only where activity confirms it. */
static struct candidate likeliest_offset(const struct run *run, const struct recording *rec, double *r)
{
	const struct candidate best = best_offset(run, rec, true, r);

	return is_candidate(run, best.offset) || is_confirmed(*r) ? best : best_offset(run, rec, false, r);
}

/* Does one of the two go on for long before and behind the other? Then it holds it in many zones, and that they share time tells none. */
static bool is_held(const struct recording *rec, const struct candidate *c)
{
	const struct span own = span_moved(recording_span(rec), -c->offset), theirs = recording_span(c->sibling);
	const time_ms before = own.begin - theirs.begin, behind = theirs.end - own.end;

	return (before > QUARTER_MS && behind > QUARTER_MS) || (before < -QUARTER_MS && behind < -QUARTER_MS);
}

/* In how many zones the log shares most of its time with another one. */
static int count_zones(const struct run *run, const struct recording *rec)
{
	int n = 0;

	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS)
		n += is_in_use(offset) && best_sibling(run, rec, offset).overlap >= SIDE_BY_SIDE;
	return n;
}

/* The zone that what another log of this host shows has told, where this one, too, shares more there: all print the host's local time. */
static struct candidate like_told(const struct run *run, const struct recording *rec, const struct candidate *same)
{
	struct candidate best = *same;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const other = run->recordings[i];
		if (other == rec || other->clock.decided_by != DECIDED_INFERRED || other->clock.is_unconfirmed ||
			strcmp(other->of_host, rec->of_host) != 0)
			continue;
		const double shared = span_overlap(span_moved(recording_span(rec), -other->clock.offset), recording_span(other));
		if (shared > best.overlap + 0.01)
			best = (struct candidate){ other, other->clock.offset, shared, 0 };
	}
	return best;
}

/* As the log beside it; where that one is much longer, and so would hold it in many zones, what both show can tell another. */
static void read_by_activity(struct run *run, struct recording *rec, const struct candidate *same, bool is_open)
{
	const struct candidate like = like_told(run, rec, same);
	const int n_zones = is_open ? count_zones(run, rec) : 1;
	const char *doubt = "";

	if (n_zones > 1 && like.offset == same->offset) {
		double r;
		const struct candidate told = offset_of_activity(run, rec, SIDE_BY_SIDE, &r);
		if (told.sibling && told.offset != same->offset) {
			read_with_offset(run, rec, &told, same, r);
			return;
		}
		if (!told.sibling && !is_confirmed(activity_goes_together(rec, -same->offset, same->sibling)))
			doubt = arena_print(run->mem, ", as they would in %d other zone%s, and nothing tells which; --tz %s=ZONE decides",
				n_zones - 1, plural_s((size_t)n_zones - 1), rec->name);
	}
	read_like_sibling(run, rec, &like, doubt);
}

/*
 * Logs of a long run share most of their time in a wrong zone, too, and then nothing tells it but that both begin and both end the same
 * quarter hours apart. So do those that a timer starts, which what the two show as they stand tells, if it does so more clearly.
 */
#define NO_CLEARER 0.1 /* of r: what comes back each hour goes together as well in another zone */
static void read_side_by_side(struct run *run, struct recording *rec, const struct candidate *same)
{
	struct candidate meeting = *same;

	if (!ends_meet(rec, same))
		meeting = offset_where_ends_meet(run, rec, same->offset);
	if (!meeting.sibling || meeting.offset == same->offset) {
		read_by_activity(run, rec, same, !meeting.sibling && is_held(rec, same));
		return;
	}
	const double there = activity_goes_together(rec, -meeting.offset, meeting.sibling);
	const double here = activity_goes_together(rec, -same->offset, meeting.sibling);
	if (is_confirmed(there) ? !(fabs(here) > fabs(there) + NO_CLEARER) : ends_tell(rec, &meeting, here))
		read_with_offset(run, rec, &meeting, same, there);
	else
		read_like_sibling(run, rec, same,
			arena_print(run->mem, ", though read %s both begin and end together%s; --tz %s=ZONE decides",
				reading_text(run, &meeting), confirmation(run, there), rec->name));
}

static bool share_a_gpu(const struct recording *a, const struct recording *b)
{
	for (size_t i = 0; i < a->n_channels; i++)
		for (size_t k = 0; k < b->n_channels; k++)
			if (a->channels[i].entity.scope == SCOPE_GPU && b->channels[k].entity.scope == SCOPE_GPU &&
				gpu_is_same(&a->channels[i].entity, &b->channels[k].entity))
				return true;
	return false;
}

static bool are_of_one_gpu(const struct recording *a, const struct recording *b)
{
	return strcmp(a->of_host, b->of_host) == 0 && share_a_gpu(a, b);
}

bool clock_is_of_one_logger(const struct recording *a, const struct recording *b)
{
	return a->format == b->format && are_of_one_gpu(a, b);
}

/* All of them print the host's local time. */
static bool is_nvidia_smi(const struct recording *rec)
{
	static const char begin[] = "nvidia-smi";

	return strncmp(rec->format->name, begin, sizeof begin - 1) == 0;
}

static bool have_one_clock(const struct recording *a, const struct recording *b)
{
	return (a->format == b->format || (is_nvidia_smi(a) && is_nvidia_smi(b))) && are_of_one_gpu(a, b);
}

/* One whose clock is the same, and near enough that another zone could shift the one over the other; NULL: there is none. */
static const struct recording *same_logger(const struct run *run, const struct recording *rec)
{
	const struct span own = recording_span(rec);

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const other = run->recordings[i];
		if (other == rec || !clock_is_settled(other) || other->clock.decided_by == DECIDED_LOG)
			continue;
		const struct span theirs = span_moved(recording_span(other), other->clock.offset);
		const bool is_near = own.begin - ZONE_EAST_MOST < theirs.end && theirs.begin < own.end + ZONE_EAST_MOST;
		if (is_near && have_one_clock(rec, other))
			return other;
	}
	return NULL;
}

static void read_like_same_logger(struct run *run, struct recording *rec, const struct recording *other)
{
	clock_decide(rec, other->clock.offset, DECIDED_SIBLING,
		arena_print(run->mem, "%s %s; read %s %s: both are logs of one GPU by one tool.", rec->name, zone_lack(run->mem, rec),
			same_clock_text(run, other->clock.offset), other->name));
}

/* A lag that a zone would explain as well is none of a clock. */
static bool is_of_zones(const struct run *run, time_ms offset, time_ms lag)
{
	const time_ms rest = (llabs(lag) + QUARTER_MS / 2) % QUARTER_MS - QUARTER_MS / 2, quarters = llabs(lag) - rest;

	return llabs(rest) <= ZONE_SLACK && (is_candidate(run, offset - quarters) || is_candidate(run, offset + quarters));
}

/* The clock is wrong, not the zone: read like the sibling the shapes of both meet at a lag. */
static bool read_with_lag(struct run *run, struct recording *rec, const struct recording *sibling, time_ms offset)
{
	time_ms lag;

	if (!clock_lag(rec, -offset, sibling, &lag) || is_of_zones(run, offset, lag))
		return false;
	clock_decide(rec, offset, DECIDED_SIBLING,
		arena_print(run->mem, "%s %s; read %s %s: then what both show meets at a lag of %s, which no zone makes.",
			rec->name, zone_lack(run->mem, rec), same_clock_text(run, offset), sibling->name,
			duration_text(run->mem, (double)llabs(lag) / SECOND_MS)));
	return true;
}

/* Where no quarter hour makes the logs overlap, a whole hour and a wrong clock together may. */
static bool read_with_any_lag(struct run *run, struct recording *rec, const struct recording *sibling)
{
	const struct span theirs = recording_span(sibling);

	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += HOUR_MS) {
		const struct span own = span_moved(recording_span(rec), -offset);
		const bool near = own.begin - QUARTER_MS < theirs.end && theirs.begin < own.end + QUARTER_MS;
		if (near && read_with_lag(run, rec, sibling, offset))
			return true;
	}
	return false;
}

static void leave_unsettled(struct run *run, struct recording *rec)
{
	diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_CLOCK,
		"no time in common with the other logs, whatever its zone: nothing is compared with it; if its clock was wrong, "
		"--tz %s=ZONE moves it", rec->name);
	clock_decide(rec, 0, DECIDED_ASSUMED,
		arena_print(run->mem, "%s %s and has no time in common with the other logs; its own time is used.", rec->name,
			zone_lack(run->mem, rec)));
}

static void leave_undecided(struct run *run, struct recording *rec, const struct candidate *best)
{
	diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_CLOCK,
		"no time in common with the other logs; %d zones would give it some and nothing tells which, so nothing is compared "
		"with it; --tz %s=ZONE decides", best->n_equal, rec->name);
	clock_decide(rec, 0, DECIDED_ASSUMED,
		arena_print(run->mem, "%s %s and has no time in common with the other logs; its own time is used.", rec->name,
			zone_lack(run->mem, rec)));
}

bool clock_is_beside_a_sibling(const struct run *run, const struct recording *rec)
{
	const struct candidate same = same_zone(run, rec);

	return same.sibling && same.overlap >= SIDE_BY_SIDE;
}

/* A log of another kind, with no place yet, that was written beside this one, as both have it; NULL: there is none. */
static const struct recording *written_beside(const struct run *run, const struct recording *rec)
{
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const other = run->recordings[i];
		if (other != rec && !clock_is_settled(other) && other->format != rec->format && strcmp(other->of_host, rec->of_host) == 0 &&
			span_overlap(recording_span(other), recording_span(rec)) >= SIDE_BY_SIDE)
			return other;
	}
	return NULL;
}

/* The two are of another time than the logs that have a place: both stay where they are. */
static bool read_beside(struct run *run, struct recording *rec, const struct recording *beside)
{
	for (size_t i = 0; beside && i < run->n_recordings; i++) {
		const struct recording *const other = run->recordings[i];
		if (!clock_is_settled(other))
			continue;
		clock_decide(rec, other->clock.offset, DECIDED_SIBLING,
			arena_print(run->mem, "%s %s; read %s %s: it was written beside %s, at another time.", rec->name,
				zone_lack(run->mem, rec), same_clock_text(run, other->clock.offset), other->name, beside->name));
		return true;
	}
	return false;
}

/* At the offset at which it shares most with another log, where that is better than to leave it as it stands, `same`. */
static void read_where_most_is_shared(struct run *run, struct recording *rec, const struct candidate *same)
{
	double r;
	const struct candidate best = likeliest_offset(run, rec, &r);

	if (best.overlap < LEAST_OVERLAP) {
		if (!same->sibling || !read_with_any_lag(run, rec, same->sibling))
			leave_unsettled(run, rec);
		return;
	}
	if (best.offset != same->offset && !is_confirmed(r) && read_beside(run, rec, written_beside(run, rec)))
		return;
	/* a log of hours holds one of minutes at many offsets: without activity that confirms one, none is better than the others */
	const bool is_anyones_guess = best.n_equal > 1 && !is_confirmed(r) && !ends_meet(rec, &best);
	const bool is_no_better =
		!is_confirmed(r) && !(same->sibling && ends_tell(rec, &best, activity_goes_together(rec, -same->offset, best.sibling)));
	if (same->sibling && (is_anyones_guess ? same->overlap > 0 : same->overlap >= SOME_OVERLAP && is_no_better))
		keep_like_sibling(run, rec, same, best.offset == same->offset ? NULL : reading_text(run, &best),
			share_text(run, best.overlap));
	else if (is_anyones_guess)
		leave_undecided(run, rec, &best);
	else
		read_with_offset(run, rec, &best, same, r);
}

void clock_settle_by_sibling(struct run *run, struct recording *rec)
{
	const struct candidate same = same_zone(run, rec);

	if (same.sibling && same.overlap >= SIDE_BY_SIDE) {
		read_side_by_side(run, rec, &same);
		return;
	}
	const struct recording *const logger = same_logger(run, rec);
	if (logger) {
		read_like_same_logger(run, rec, logger);
		return;
	}
	if (same.sibling && read_with_lag(run, rec, same.sibling, same.offset))
		return;
	double r;
	const struct candidate told = offset_of_activity(run, rec, LEAST_OVERLAP, &r);
	if (told.sibling && told.offset != same.offset)
		read_with_offset(run, rec, &told, &same, r);
	else
		read_where_most_is_shared(run, rec, &same);
}
