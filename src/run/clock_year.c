/*
 * clock_year.c - the year of logs that leave it out: syslog writes "Nov 21 01:48:42".
 *
 * Their times are read as those of 1972, a leap year (and of 1973 after New Year). The year is taken that brings the log
 * nearest to the day of --date; else to one that names its own. Where neither is there, the log is left out: a year is
 * nothing to guess. Day and month stay as the log has them.
 */
#include "run/run_parts.h"

/* Every time, on the same day of the year, so many years later. */
static void add_years(struct arena *mem, struct recording *rec, int years)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		struct packer times = packer_new(mem, true);
		for (size_t k = 0; k < rec->channels[i].n_rows; k++) {
			struct civil c = civil_from_time(channel_time(&rec->channels[i], k));
			c.year += years;
			packer_add(&times, time_from_civil(&c));
		}
		rec->channels[i].times = packer_done(&times);
	}
	for (size_t i = 0; i < rec->n_events; i++) {
		struct civil c = civil_from_time(rec->events[i].t);
		c.year += years;
		rec->events[i].t = time_from_civil(&c);
	}
}

static int year_of(time_ms t)
{
	return civil_from_time(t).year;
}

static time_ms in_year(time_ms t, int year)
{
	struct civil c = civil_from_time(t);

	c.year = year;
	return time_from_civil(&c);
}

/* From a moment to the nearest of a span. */
static time_ms distance(time_ms t, struct span span)
{
	return t < span.begin ? span.begin - t : t > span.end ? t - span.end : 0;
}

static bool names_its_year(const struct recording *rec)
{
	return !rec->clock.year_unknown && !rec->clock.date_unknown && !rec->clock.time_unknown && (rec->n_channels || rec->n_events);
}

struct nearest {
	int year; /* 0: none */
	time_ms apart;
};

/* Of the years around a span the one in which a log that begins on this day of the year is nearest to it, if that is nearer than before. */
static bool come_nearer(struct nearest *nearest, time_ms begin, struct span span)
{
	bool is_nearer = false;

	for (int year = year_of(span.begin) - 1; year <= year_of(span.end) + 1; year++) {
		const time_ms apart = distance(in_year(begin, year), span);
		if (nearest->year && apart >= nearest->apart)
			continue;
		*nearest = (struct nearest){ year, apart };
		is_nearer = true;
	}
	return is_nearer;
}

/* The year that brings the log nearest to another one; 0 when no other names its year. */
static int year_by_others(const struct run *run, time_ms begin, const struct recording **by)
{
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < run->n_recordings; i++)
		if (names_its_year(run->recordings[i]) && come_nearer(&nearest, begin, recording_span(run->recordings[i])))
			*by = run->recordings[i];
	return nearest.year;
}

/* The year of --date, or the one beside it around New Year. */
static int year_by_date(struct run *run, const struct recording *rec, const char *date)
{
	const time_ms begin = recording_span(rec).begin;
	struct nearest nearest = { 0 };
	time_ms day;

	/* checked when the options were read */
	if (!stamp_parse(slice_of(arena_print(run->mem, "%s 00:00:00", date)), &day))
		BUG("an unchecked --date");
	come_nearer(&nearest, begin, (struct span){ day, day + DAY_MS - 1 });
	const char *const own = time_date(run->mem, in_year(begin, nearest.year));
	run_note(run, "Clock", "%s begins on %s, by --date.", rec->name, own);
	if (nearest.apart)
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_EFFECT,
			"of --date %s the year alone is used: by its own dates the log begins on %s", date, own);
	return nearest.year;
}

/* Why the log can't be used, already reported, when nobody knows the year; NULL: it can. */
static const char *settle_year(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *date = file_option_for(request->dates, rec->path);
	const time_ms begin = recording_span(rec).begin;
	const struct recording *by = NULL;

	if (!rec->clock.year_unknown)
		return NULL;
	const int year = date ? year_by_date(run, rec, date) : year_by_others(run, begin, &by);
	if (!year) {
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_TIME,
			"the times of the log have no year; say on which day it begins with --date %s=YYYY-MM-DD", rec->name);
		return "its times have no year";
	}
	add_years(run->mem, rec, year - year_of(begin));
	rec->clock.year_unknown = false;
	if (by)
		run_note(run, "Clock", "%s names no year; %d is taken, which brings it nearest to %s.", rec->name, year, by->name);
	return NULL;
}

void clock_settle_years(struct run *run, const struct clock_request *request)
{
	clock_keep_those(run, request, settle_year);
}
