/*
 * clock_date.c - on which day a log was written that names none, or one that can be read in two ways.
 *
 *     Linux 6.18.44 (node01) 	11/05/26 	...      5 November in one country, 11 May in another
 *     Linux 6.18.44 (node01) 	 	...              some desktops' locales print no date
 *
 * All dates of a log have day and month in the same order; where no date of its own settles it (sheet_finish.c), a sibling log
 * that names its day does, and --date by the user. Otherwise month first is taken, and the user is asked.
 */
#include "run/run_parts.h"

/* Day and month of all dates of the log change places. */
static void swap_dates(struct arena *mem, struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		struct channel *c = &rec->channels[i];
		struct packer times = packer_new(mem, true);
		for (size_t k = 0; k < c->n_rows; k++)
			packer_add(&times, channel_time(c, k) + (c->swaps ? c->swaps[k] : rec->clock.date_swap));
		c->times = packer_done(&times);
	}
	for (size_t i = 0; i < rec->n_events; i++)
		rec->events[i].t += rec->clock.date_swap;
	rec->clock.back.at += rec->clock.back.swap;
	rec->clock.ahead.at += rec->clock.ahead.swap;
}

/* By how much the first row moves if they do. */
static time_ms first_swap(const struct recording *rec)
{
	const time_ms first = recording_span(rec).begin;

	for (size_t i = 0; i < rec->n_channels; i++)
		if (channel_time(&rec->channels[i], 0) == first)
			return rec->channels[i].swaps ? rec->channels[i].swaps[0] : rec->clock.date_swap;
	return rec->clock.date_swap;
}

/* Would the rows still follow each other then? */
static bool can_swap(const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		for (size_t k = 1; c->swaps && k < c->n_rows; k++)
			if (channel_time(c, k) + c->swaps[k] <= channel_time(c, k - 1) + c->swaps[k - 1])
				return false;
	}
	return true;
}

/* Is there a row near the other log, as the dates are read or swapped? What lies between a log's days is not in it. */
static bool has_row_near(const struct recording *rec, struct span near, bool swapped)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		for (size_t k = 0; k < c->n_rows; k++) {
			const time_ms swap = c->swaps ? c->swaps[k] : rec->clock.date_swap, t = channel_time(c, k) + (swapped ? swap : 0);
			if (t >= near.begin && t < near.end)
				return true;
		}
	}
	return false;
}

/* Is this one of the two days on which a log with day and month in doubt may begin? Then its dates are read so. */
static bool pick_day(struct run *run, struct recording *rec, time_ms day)
{
	const time_ms first = recording_span(rec).begin;

	if (time_midnight(first) == day)
		return true;
	if (time_midnight(first + first_swap(rec)) != day || !can_swap(rec))
		return false;
	swap_dates(run->mem, rec);
	return true;
}

/* --date: on which day the log begins, where it does not say, or of two readings the one that is meant. Dates of its own stay. */
void clock_apply_date(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *value = file_option_for(request->dates, rec->path);
	time_ms day;

	if (!value || (!rec->clock.date_unknown && !rec->clock.date_ambiguous))
		return;
	/* checked when the options were read */
	if (!stamp_parse(slice_of(arena_print(run->mem, "%s 00:00:00", value)), &day))
		BUG("an unchecked --date");
	if (rec->clock.date_unknown) {
		clock_shift(rec, day - time_midnight(recording_span(rec).begin));
	} else if (!pick_day(run, rec, day)) {
		const time_ms first = recording_span(rec).begin;
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_EFFECT,
			"--date %s is not used: by its own dates the log begins on %s or on %s", value, time_date(run->mem, first),
			time_date(run->mem, first + first_swap(rec)));
		return;
	}
	rec->clock.date_unknown = rec->clock.date_ambiguous = false;
	run_note(run, "Clock", "%s begins on %s, by --date.", rec->name, value);
}

/* A log that names its own day, on whatever clock: zones move it by at most 14 hours. */
static bool names_its_day(const struct recording *rec)
{
	return !rec->clock.date_unknown && !rec->clock.date_ambiguous;
}

/* Of two days the one on which the logs share more; where that is nothing, as in other zones, the one on which they are nearer. */
static bool is_later_day(struct span own, struct span theirs)
{
	const struct span later = span_moved(own, DAY_MS);
	const double shared = span_overlap(own, theirs), shared_later = span_overlap(later, theirs);

	return shared > 0 || shared_later > 0 ? shared < shared_later : later.begin - theirs.end < theirs.begin - own.end;
}

static bool take_day(struct run *run, struct recording *rec, const struct recording *other)
{
	const struct span own = recording_span(rec), theirs = recording_span(other);
	const time_ms day = time_midnight(theirs.begin - own.begin);

	clock_shift(rec, is_later_day(span_moved(own, day), theirs) ? day + DAY_MS : day);
	rec->clock.date_unknown = false;
	run_note(run, "Clock", "%s has no date; its day is taken from %s.", rec->name, other->name);
	return true;
}

/* False when both readings fit, or none. */
static bool take_order(struct run *run, struct recording *rec, const struct recording *other)
{
	struct span near = recording_span(other);
	near.begin -= ZONE_EAST_MOST;
	near.end += ZONE_EAST_MOST;
	const bool as_read = has_row_near(rec, near, false), swapped = can_swap(rec) && has_row_near(rec, near, true);

	if (as_read == swapped)
		return false;
	if (swapped)
		swap_dates(run->mem, rec);
	rec->clock.date_ambiguous = false;
	run_note(run, "Clock", "the date of %s is read as %s, which agrees with %s.", rec->name, swapped ? "day/month" : "month/day",
		other->name);
	return true;
}

static void ask_for_date(struct run *run, struct recording *rec)
{
	const struct place place = { rec->path, 0, 0 };
	const time_ms first = recording_span(rec).begin;

	if (rec->clock.date_unknown) {
		diag_at(run->diags, place, DIAG_CLOCK, "the log has no date; give it with --date %s=YYYY-MM-DD", rec->name);
		run_note(run, "Clock", "%s has no date; it is taken to begin on 1970-01-01 (--date %s=YYYY-MM-DD decides).", rec->name,
			rec->name);
		return;
	}
	const char *day = time_date(run->mem, first), *other_day = time_date(run->mem, first + first_swap(rec));
	diag_at(run->diags, place, DIAG_CLOCK, "does the log begin on %s or on %s? the first is taken; --date %s=%s says otherwise", day,
		other_day, rec->name, other_day);
	run_note(run, "Clock", "the date of %s could be day/month or month/day; it is read as month/day (--date decides).", rec->name);
}

/* A date without a day, or with day and month in doubt, takes the reading that overlaps a log that names its day. */
void clock_settle_date(struct run *run, struct recording *rec)
{
	bool settled = names_its_day(rec);

	for (size_t i = 0; i < run->n_recordings && !settled; i++) {
		const struct recording *other = run->recordings[i];
		if (other == rec || !names_its_day(other))
			continue;
		settled = rec->clock.date_unknown ? take_day(run, rec, other) : take_order(run, rec, other);
	}
	if (!settled)
		ask_for_date(run, rec);
}
