/*
 * clock.c - one UTC axis for all recordings, each decision a sentence.
 *
 * nvidia-smi writes local time without a zone; sysstat writes times of day with the date in a
 * banner; vmstat names its zone. In order of trust:
 *   1. --tz and --date, by the user. A date is for logs that name none; a zone for all is, too, and a zone for one log
 *      goes over what that log names: its clock may be wrong;
 *   2. a zone that the log names;
 *   3. the zone of a sibling log, when read with it the two overlap;
 *   4. that of another log of the same GPU by the same tool;
 *   5. an offset of whole quarter hours at which they overlap, when the sibling's zone gives no
 *      overlap. It is confirmed when GPU power (or busy) and CPU busy then move together.
 *   6. nothing: the log's own time is shown as it is, and the report says so.
 * Dates that could be read as day/month or month/day, or are missing, are settled from a
 * sibling in the same way (clock_date.c), zones in clock_zone.c.
 *
 * Where daylight saving ended inside a log its times go on as elapsed time (sheet.c), so that the log has one offset, that
 * of its beginning. Where it began, there is a jump that may as well be a hole: it is closed when a log that names its
 * zone shows that the hour never was, or, without such a log, in a night in which daylight saving does begin.
 *
 * Nothing is ever shifted to fit by less than a quarter hour, unless --align apply asks for it (clock_skew.c).
 */
#include "run/run_parts.h"

#include <math.h>

#define QUARTER_MS (15 * MINUTE_MS)

void clock_shift(struct recording *rec, time_ms by)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		packed_shift(&rec->channels[i].times, rec->channels[i].n_rows, by);
	for (size_t i = 0; i < rec->n_events; i++)
		rec->events[i].t += by;
	rec->clock.back.at += rec->clock.back.by ? by : 0;
	rec->clock.ahead.at += rec->clock.ahead.by ? by : 0;
}

struct span span_moved(struct span s, time_ms by)
{
	return (struct span){ s.begin + by, s.end + by };
}

double span_overlap(struct span a, struct span b)
{
	const time_ms begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
	const time_ms shorter = span_length(a) < span_length(b) ? span_length(a) : span_length(b);

	if (shorter <= 0) /* a moment, as a log with one event has */
		return end >= begin ? 1 : 0;
	return end > begin ? (double)(end - begin) / (double)shorter : 0;
}

void clock_decide(struct recording *rec, time_ms offset, enum clock_decision by, const char *sentence)
{
	clock_shift(rec, -offset);
	rec->clock.offset = offset;
	rec->clock.decided_by = by;
	rec->clock.basis = BASIS_UTC;
	rec->clock.sentence = sentence;
	rec->clock.of_many = NULL;
}

/* Rows of a log without times were read a second apart from 0 on; spread by --step, they begin at --start. */
static void spread(struct arena *mem, struct recording *rec, double seconds)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		struct channel *c = &rec->channels[i];
		struct packer times = packer_new(mem, true);
		for (size_t k = 0; k < c->n_rows; k++)
			packer_add(&times, (time_ms)llround((double)channel_time(c, k) * seconds));
		c->times = packer_done(&times);
		c->step = (time_ms)llround((double)c->step * seconds);
		c->steps = c->steps ? pack_steps_scaled(mem, c->steps, c->n_rows, seconds) : NULL;
	}
	for (size_t i = 0; i < rec->n_events; i++)
		rec->events[i].t = (time_ms)llround((double)rec->events[i].t * seconds);
}

/* Why a log without times can't be used, already reported, when nobody says when it began; NULL: it can. */
static const char *place_timeless(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *start = file_option_for(request->starts, rec->path), *step = file_option_for(request->steps, rec->path);
	double seconds = 1;
	time_ms begin;

	if (!rec->clock.time_unknown)
		return NULL;
	if (!start && rec->clock.elapsed) {
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_TIME,
			"the log tells only the time since its start; say when that was with --start %s=2026-11-21T01:48:34", rec->name);
		return "it tells only the time since its start";
	}
	if (!start) {
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_TIME,
			"the log has no times; say when it began with --start %s=2026-11-21T01:48:34 (and --step %s=1s)", rec->name,
			rec->name);
		return "it has no times";
	}
	/* both checked when the options were read */
	if (!stamp_parse(slice_of(start), &begin) || (step && !duration_parse(slice_of(step), &seconds)))
		BUG("an unchecked --start or --step");
	if (!rec->clock.elapsed)
		spread(run->mem, rec, seconds);
	clock_shift(rec, begin);
	rec->clock.time_unknown = false;
	if (rec->clock.elapsed) {
		run_note(run, "Clock", "%s tells the time since its start, which is taken to be %s (--start).", rec->name, start);
		return NULL;
	}
	run_note(run, "Clock", "%s has no times; its rows are taken to begin at %s and to be %s apart%s.", rec->name, start,
		step ? step : "1 s", step ? "" : " (--step)");
	return NULL;
}

void clock_keep_those(struct run *run, const struct clock_request *request,
	const char *(*why_not)(struct run *run, struct recording *rec, const struct clock_request *request))
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_recordings; i++) {
		struct recording *const rec = run->recordings[i];
		const char *const why = why_not(run, rec, request);
		if (why)
			run_add_unread(run, rec->name, why);
		else
			run->recordings[n++] = rec;
	}
	run->n_recordings = n;
}

bool clock_is_settled(const struct recording *rec)
{
	return rec->clock.sentence != NULL;
}

static bool names_its_zone(const struct recording *rec)
{
	return rec->clock.basis == BASIS_OFFSET || rec->clock.basis == BASIS_UTC;
}

/* On the log's own clock until it is settled; UTC for a log that names its zone. */
static time_ms own_offset(const struct recording *rec)
{
	return rec->clock.basis == BASIS_OFFSET ? rec->clock.offset : 0;
}

bool clock_names_zone(const struct recording *rec, time_ms *offset)
{
	*offset = own_offset(rec);
	return names_its_zone(rec);
}

static const char *zone_of(const struct recording *rec)
{
	return rec->clock.zone ? rec->clock.zone : "UTC";
}

static void apply_zone_option(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *value = file_option_for(request->zones, rec->path);
	const bool names = names_its_zone(rec);
	time_ms offset;

	if (!value || (names && file_option_is_for_all(request->zones, rec->path)))
		return;
	if (!zone_parse(slice_of(value), &offset))
		BUG("an unchecked --tz");
	if (names && offset == own_offset(rec))
		return;
	const char *const zone = zone_name(run->mem, offset), *const own = names ? zone_of(rec) : "";
	clock_decide(rec, offset, DECIDED_OPTION,
		arena_print(run->mem, "%s is read as %s, by --tz%s%s.", rec->name, zone, names ? ", though it names " : "", own));
	rec->clock.of_many = arena_print(run->mem, "They are read as %s, by --tz%s%s.", zone, names ? ", though they name " : "", own);
}

static void apply_own_zone(struct run *run, struct recording *rec)
{
	if (!names_its_zone(rec) || clock_is_settled(rec))
		return;
	const char *const zone = zone_of(rec);
	clock_decide(rec, own_offset(rec), DECIDED_LOG, arena_print(run->mem, "%s names its zone: %s.", rec->name, zone));
	rec->clock.of_many = arena_print(run->mem, "They name their zone: %s.", zone);
}

/* A log without rows, of events only, tells of the host, too: it makes no run any longer. */
static bool is_host_log(const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].entity.scope == SCOPE_GPU)
			return false;
	return true;
}

/* Time that two stretches of a log, on a clock `offset` east of UTC, share with another log. */
static time_ms shared_time(struct span first, struct span second, time_ms offset, struct span theirs)
{
	const struct span both[] = { span_moved(first, -offset), span_moved(second, -offset) };
	time_ms shared = 0;

	for (size_t i = 0; i < 2; i++) {
		const time_ms begin = both[i].begin > theirs.begin ? both[i].begin : theirs.begin;
		const time_ms end = both[i].end < theirs.end ? both[i].end : theirs.end;
		shared += end > begin ? end - begin : 0;
	}
	return shared;
}

static time_ms most_shared(struct span first, struct span second, struct span theirs, time_ms *at_offset)
{
	time_ms most = 0;

	for (time_ms offset = ZONE_WEST_MOST; offset <= ZONE_EAST_MOST; offset += QUARTER_MS) {
		const time_ms shared = shared_time(first, second, offset, theirs);
		if (shared > most) {
			most = shared;
			*at_offset = offset;
		}
	}
	return most;
}

/* Rows on both sides of the moment, less than `gap` apart. */
static bool runs_through(const struct recording *rec, time_ms moment, time_ms gap)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		for (size_t k = 1; k < c->n_rows; k++)
			if (channel_time(c, k - 1) <= moment && channel_time(c, k) >= moment &&
				channel_time(c, k) - channel_time(c, k - 1) < gap)
				return true;
	}
	return false;
}

/*
 * Was it the begin of daylight saving? It was if a log that names its zone, and so does not jump, runs through that
 * moment and shares clearly more time with this one when the missing hour is taken out.
 */
static bool never_was(const struct recording *rec, const struct recording *other)
{
	const time_ms gap = rec->clock.ahead.by, after = rec->clock.ahead.at, before = after - gap;
	const struct span whole = recording_span(rec), theirs = span_moved(recording_span(other), -own_offset(other));
	const struct span first = { whole.begin, before }, second = { after, whole.end };
	const time_ms logged = span_length(first) + span_length(second);
	time_ms offset = 0, ignored = 0;
	const time_ms closed = most_shared(first, span_moved(second, -gap), theirs, &offset);
	const time_ms open = most_shared(first, second, theirs, &ignored);

	return closed >= logged / 10 * 9 && closed - open >= (gap < logged / 2 ? gap : logged / 2) / 2 &&
	       runs_through(other, before - offset + own_offset(other), gap / 2);
}

/* Rows behind a jump ahead come an hour earlier. A row that tells of the interval before may begin before the jump. */
static void close_gap(struct arena *mem, struct recording *rec)
{
	const time_ms after = rec->clock.ahead.at - rec->clock.ahead.by;

	for (size_t i = 0; i < rec->n_channels; i++) {
		struct channel *c = &rec->channels[i];
		struct packer times = packer_new(mem, true);
		for (size_t k = 0; k < c->n_rows; k++)
			packer_add(&times, channel_time(c, k) - (channel_time(c, k) > after ? rec->clock.ahead.by : 0));
		c->times = packer_done(&times);
	}
	for (size_t i = 0; i < rec->n_events; i++)
		if (rec->events[i].t > after)
			rec->events[i].t -= rec->clock.ahead.by;
	rec->clock.ahead.at = after;
}

/* Daylight saving begins in March or April; south of the equator in September or October. */
static bool is_in_spring(time_ms t)
{
	const int month = civil_from_time(t).month;

	return month == 3 || month == 4 || month == 9 || month == 10;
}

/*
 * A night in which it does: the second Sunday of March in North America, the last one in Europe; the last of September in New Zealand, the
 * first of October in Australia (IANA time zone database, 2024a). That a log lacks just the hour that clocks leave out then is no chance.
 */
static bool is_night_of_change(time_ms t)
{
	const struct civil c = civil_from_time(t);
	const int week = (c.day + 6) / 7;
	const bool is_last = civil_from_time(t + 7 * DAY_MS).month != c.month;

	return c.weekday == 0 && ((c.month == 3 && (week == 2 || is_last)) || (c.month == 9 && is_last) || (c.month == 10 && week == 1));
}

/* A jump ahead that a log which names its zone does not confirm is a hole; where there is no such log the date tells, or it is in doubt. */
static void settle_gap(struct run *run, struct recording *rec)
{
	const struct recording *witness = NULL;
	bool may_never_have_been = !names_its_zone(rec) && is_in_spring(rec->clock.ahead.at);

	if (!rec->clock.ahead.by)
		return;
	for (size_t i = 0; i < run->n_recordings && !witness && !names_its_zone(rec); i++) {
		if (run->recordings[i] == rec || !names_its_zone(run->recordings[i]))
			continue;
		may_never_have_been = false;
		witness = never_was(rec, run->recordings[i]) ? run->recordings[i] : NULL;
	}
	if (witness || (may_never_have_been && is_night_of_change(rec->clock.ahead.at))) {
		close_gap(run->mem, rec);
		rec->clock.change_witness = witness ? witness->name : NULL;
	} else {
		rec->clock.gap = may_never_have_been ? rec->clock.ahead : (struct clock_change){ 0 };
		rec->clock.ahead = (struct clock_change){ 0 };
	}
}

/* A log that can't have been set back itself and that fits where this one was. */
static const char *witness_of(const struct run *run, const struct recording *rec)
{
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *other = run->recordings[i];
		const bool steady = other->clock.decided_by == DECIDED_LOG && !other->clock.back.by && !other->clock.ahead.by;
		if (other != rec && steady && runs_through(other, rec->clock.back.at, rec->clock.back.by / 2) &&
			span_overlap(recording_span(rec), recording_span(other)) > SIDE_BY_SIDE)
			return other->name;
	}
	return NULL;
}

/* " (UTC+2, then UTC+1)" */
static const char *zones_text(const struct run *run, time_ms before, time_ms after)
{
	if (!run->zone_known)
		return "";
	return arena_print(run->mem, " (%s, then %s)", zone_name(run->mem, before), zone_name(run->mem, after));
}

/* "2026-10-25 02:00:00", as the log has it */
static const char *shown_time(const struct run *run, time_ms t, time_ms offset)
{
	return arena_print(run->mem, "%s %s", time_date(run->mem, t + offset), time_clock(run->mem, t + offset));
}

static void tell_changes(struct run *run, const struct recording *rec)
{
	const struct clock_change back = rec->clock.back, ahead = rec->clock.ahead, gap = rec->clock.gap;
	const time_ms offset = rec->clock.offset;

	if (back.by) {
		const char *witness = witness_of(run, rec);
		run_note(run, "Clock",
			"%s: the clock was set back by %s and showed %s next, as at the end of daylight saving; what follows is taken "
			"for the next hour%s%s%s.",
			rec->name, duration_text(run->mem, (double)back.by / SECOND_MS), shown_time(run, back.at, offset - back.by),
			zones_text(run, offset, offset - back.by), witness ? ", as fits " : "; no other log confirms it",
			witness ? witness : "");
	}
	if (gap.by)
		run_note(run, "Clock",
			"%s%s%s is missing before %s, or daylight saving began then and nothing is; no log that names its zone tells.",
			run->n_recordings > 1 ? rec->name : "", run->n_recordings > 1 ? ": " : "",
			duration_text(run->mem, (double)gap.by / SECOND_MS), shown_time(run, gap.at, 0));
	if (ahead.by)
		run_note(run, "Clock",
			"%s: the clock was set ahead by %s and showed %s next, as at the begin of daylight saving%s%s%s.",
			rec->name, duration_text(run->mem, (double)ahead.by / SECOND_MS), shown_time(run, ahead.at, offset + ahead.by),
			rec->clock.change_witness ? arena_print(run->mem, "; %s shows", rec->clock.change_witness)
						  : ", which is in that night somewhere: taken to mean",
			" that no hour is missing", zones_text(run, offset, offset + ahead.by));
}

const char *zone_lack(struct arena *mem, const struct recording *rec)
{
	return rec->clock.zone ? arena_print(mem, "names %s, which several zones are called", rec->clock.zone) : "names no zone";
}

bool run_has_zone_words(const struct run *run)
{
	for (size_t i = 0; i < run->n_recordings; i++)
		if (run->recordings[i]->clock.zone)
			return true;
	return false;
}

/* Without any log that names a zone, one log's own time becomes the axis: a host log's if there is one. */
static void assume_axis(struct run *run)
{
	struct recording *axis = run->recordings[0];

	for (size_t i = run->n_recordings; i-- > 0;)
		if (is_host_log(run->recordings[i]) && !run->recordings[i]->clock.date_unknown)
			axis = run->recordings[i];
	clock_decide(axis, 0, DECIDED_ASSUMED,
		run->n_recordings > 1
			? arena_print(run->mem, "No log names its zone%s; times are shown as %s writes them.",
				run_has_zone_words(run) ? " for sure" : "", axis->name)
			: arena_print(run->mem, "%s %s; times are shown as the log writes them.", axis->name, zone_lack(run->mem, axis)));
}

static bool is_of_run(const struct recording *rec, bool any_gpu)
{
	return !any_gpu || !is_host_log(rec);
}

static time_ms last_row(const struct recording *rec)
{
	time_ms last = INT64_MIN;

	for (size_t k = 0; k < rec->n_channels; k++)
		last = later(last, channel_time(&rec->channels[k], rec->channels[k].n_rows - 1));
	return last;
}

/* Of the channel whose rows are furthest apart, at its end. */
static time_ms last_step(const struct recording *rec)
{
	time_ms step = 0;

	for (size_t k = 0; k < rec->n_channels; k++)
		step = later(step, channel_step_at(&rec->channels[k], rec->channels[k].n_rows - 1));
	return step;
}

/* Of the recordings that make the run's span, without those that ended long before it: the step of the one that looked most often. */
static time_ms finest_step(const struct run *run, bool any_gpu)
{
	time_ms finest = INT64_MAX, end = INT64_MIN, coarsest = 0;

	for (size_t i = 0; i < run->n_recordings; i++) {
		if (!is_of_run(run->recordings[i], any_gpu))
			continue;
		end = later(end, last_row(run->recordings[i]));
		coarsest = later(coarsest, last_step(run->recordings[i]));
	}
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		const time_ms step = last_step(rec);
		if (is_of_run(rec, any_gpu) && step && end - last_row(rec) <= HOLE_STEPS * coarsest)
			finest = sooner(finest, step);
	}
	return finest;
}

/*
 * What is judged and drawn: all time that a GPU log covers; without one, all there is. The last sample of a coarse
 * log does not lengthen the run by more than the finest log's step: else that one would seem to have ended early.
 */
static struct span span_of_run(const struct run *run)
{
	struct span all = { INT64_MAX, INT64_MIN };
	bool any_gpu = false;

	for (size_t i = 0; i < run->n_recordings; i++)
		any_gpu |= !is_host_log(run->recordings[i]);
	time_ms finest = finest_step(run, any_gpu);
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		for (size_t k = 0; k < rec->n_channels && is_of_run(rec, any_gpu); k++) {
			const struct channel *c = &rec->channels[k];
			const time_ms last = channel_time(c, c->n_rows - 1), end = last + sooner(channel_end(c) - last, finest);
			all.begin = channel_time(c, 0) < all.begin ? channel_time(c, 0) : all.begin;
			all.end = end > all.end ? end : all.end;
		}
	}
	for (size_t i = 0; i < run->n_recordings && all.begin > all.end; i++) { /* no rows at all, only events */
		const struct span events = recording_span(run->recordings[i]);
		all.begin = events.begin < all.begin ? events.begin : all.begin;
		all.end = events.end + SECOND_MS;
	}
	return all;
}

/* Whether the times of the run are UTC, and its day, is a matter of the logs that it is made of. */
static void tell_axis(struct run *run)
{
	bool any_gpu = false;

	for (size_t i = 0; i < run->n_recordings; i++)
		any_gpu |= !is_host_log(run->recordings[i]);
	run->day_known = true;
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct clock_note *const clock = &run->recordings[i]->clock;
		if (!is_of_run(run->recordings[i], any_gpu))
			continue;
		run->zone_known &= clock->decided_by != DECIDED_ASSUMED;
		run->day_known &= !clock->date_unknown;
	}
}

/* One more folder in front of what is told of a path; the whole of it in the end. */
static const char *longer_name(const char *path, const char *name)
{
	const size_t n = strlen(path), m = strlen(name);

	if (m >= n || strcmp(path + n - m, name) != 0)
		return name;
	size_t begin = n - m;
	while (begin && path[begin - 1] == '/')
		begin--;
	while (begin && path[begin - 1] != '/')
		begin--;
	return path + begin;
}

static bool is_name_taken(const struct run *run, const struct recording *rec)
{
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *other = run->recordings[i];
		if (other != rec && strcmp(other->name, rec->name) == 0 && strcmp(other->path, rec->path) != 0)
			return true;
	}
	return false;
}

/* node01/gpu.csv and node02/gpu.csv are not both called gpu.csv: every sentence names logs by their names. */
static void tell_names_apart(struct run *run)
{
	bool *taken = NEW_ARRAY(run->mem, bool, run->n_recordings), again = true;

	for (int folders = 0; again && folders < 16; folders++) {
		again = false;
		for (size_t i = 0; i < run->n_recordings; i++)
			again |= taken[i] = is_name_taken(run, run->recordings[i]);
		for (size_t i = 0; i < run->n_recordings; i++) {
			struct recording *rec = run->recordings[i];
			if (taken[i])
				rec->name = longer_name(rec->path, rec->name);
		}
	}
}

/* Those first whose activity can confirm a zone, and of these those that need not be moved: the others can then be read like them. */
static void settle_by_siblings(struct run *run)
{
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < run->n_recordings; i++) {
			struct recording *const rec = run->recordings[i];
			if (clock_is_settled(rec) || (round < 2 && !clock_has_shape(rec)))
				continue;
			if (round || clock_is_beside_a_sibling(run, rec))
				clock_settle_by_sibling(run, rec);
		}
}

bool clock_settle(struct run *run, const struct clock_request *request)
{
	tell_names_apart(run);
	hosts_settle(run);
	sides_set_aside(run);
	clock_keep_those(run, request, place_timeless);
	clock_settle_years(run, request);
	if (!run->n_recordings)
		return false;
	for (size_t i = 0; i < run->n_recordings; i++) {
		clock_apply_date(run, run->recordings[i], request);
		clock_settle_date(run, run->recordings[i]);
	}
	for (size_t i = 0; i < run->n_recordings; i++)
		settle_gap(run, run->recordings[i]);
	for (size_t i = 0; i < run->n_recordings; i++) {
		apply_zone_option(run, run->recordings[i], request);
		apply_own_zone(run, run->recordings[i]);
		run->zone_known |= clock_is_settled(run->recordings[i]);
	}
	if (!run->zone_known)
		assume_axis(run);
	settle_by_siblings(run);
	for (size_t i = 0; i < run->n_recordings; i++)
		tell_changes(run, run->recordings[i]);
	clock_find_skews(run, request->align);
	run->span = span_of_run(run);
	tell_axis(run);
	sides_come_back(run);
	nameless_number(run);
	evidence_gather(run);
	unseen_find(run);
	return true;
}
