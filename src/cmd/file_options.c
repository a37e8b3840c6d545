/*
 * file_options.c - which options about inputs have no effect, and why.
 *
 *     gpu.csv: warning: no-effect: --start is not used: the log has times of its own
 *     --step 5s: warning: no-effect: no log needs it: each has times of its own
 *     gpu.csv: warning: no-effect: --tz UTC+1 is not used: --tz gpu.csv=UTC+2 comes later
 *     gpv.csv: warning: unknown-file: --tz names it, but no input is called so; the option has no effect
 *
 * A value for all inputs is for those that need it; that others don't is no news. --host is not asked: it may always say another name.
 */
#include "cmd/file_options.h"

/* Each says what makes the option needless for a log, "the log …"; NULL: the log needs it. */
typedef const char *lack_of_need(const struct recording *rec, const struct file_option *option);

static bool is_for_all(const struct file_option *option)
{
	return strcmp(option->file, "*") == 0;
}

static const char *has_times(const struct recording *rec, const struct file_option *option)
{
	(void)option;
	return rec->clock.time_unknown ? NULL : "has times of its own";
}

static const char *has_step(const struct recording *rec, const struct file_option *option)
{
	return rec->clock.elapsed ? "tells how far apart its rows are" : has_times(rec, option);
}

static const char *has_date(const struct recording *rec, const struct file_option *option)
{
	(void)option;
	if (rec->clock.time_unknown)
		return "has no times; --start says when it began";
	return rec->clock.date_unknown || rec->clock.date_ambiguous || rec->clock.year_unknown ? NULL : "has dates of its own";
}

/* For one log alone a zone goes over what the log says; that all are UTC may be said of logs that say so, too. */
static const char *names_zone(const struct recording *rec, const struct file_option *option)
{
	time_ms offset, own;

	if (!is_for_all(option) || !clock_names_zone(rec, &own))
		return NULL;
	return zone_parse(slice_of(option->value), &offset) && offset == own ? NULL : "names its zone";
}

static const char *has_columns(const struct recording *rec, const struct file_option *option)
{
	(void)option;
	return rec->is_by_columns ? NULL : "says itself what its columns are";
}

static const char *has_other_columns(const struct recording *rec, const struct file_option *option)
{
	return rec->map && strcmp(rec->map, option->value) == 0 ? NULL : "has other columns than it explains";
}

static const char *never(const struct recording *rec, const struct file_option *option)
{
	(void)rec, (void)option;
	return NULL;
}

static bool is_about(const struct file_option *option, const char *path)
{
	return file_option_for((struct file_options){ option, 1 }, path) != NULL;
}

static bool names_input(const struct file_option *option, const struct input_request *q, const struct run *run)
{
	bool found = false;

	for (size_t i = 0; i < q->n_paths; i++)
		found |= is_about(option, q->paths[i]);
	for (size_t i = 0; i < run->n_recordings; i++)
		found |= is_about(option, run->recordings[i]->path);
	for (size_t i = 0; i < run->n_unread_files; i++)
		found |= is_about(option, run->unread_files[i].name);
	return found;
}

/* Logs that could not be read need nothing, and have been complained about. */
static void check_need(const char *name, const struct file_option *option, lack_of_need *lack, const struct run *run, struct diags *diags)
{
	const struct recording *first = NULL;
	const char *why = NULL;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const rec = run->recordings[i];
		if (!is_about(option, rec->path))
			continue;
		const char *const own = lack(rec, option);
		if (!own)
			return;
		why = first && strcmp(own, why) != 0 ? "tells by itself what it is for" : own;
		first = first ? first : rec;
	}
	if (!first)
		return;
	if (is_for_all(option) && run->n_recordings > 1)
		diag_at(diags, (struct place){ arena_print(run->mem, "%s %s", name, option->value), 0, 0 }, DIAG_NO_EFFECT,
			"no log needs it: each %s", why);
	else
		diag_at(diags, (struct place){ first->path, 0, 0 }, DIAG_NO_EFFECT, "%s is not used: the log %s", name, why);
}

/*
 * The option that another one of these leaves nothing to: for each log that it is about; NULL: it is in force somewhere, or about none.
 */
static const struct file_option *in_its_place(struct file_options options, const struct file_option *option, const struct run *run)
{
	const struct file_option *other = NULL;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const char *const path = run->recordings[i]->path;
		if (!is_about(option, path))
			continue;
		const struct file_option *const in_force = file_option_in_force(options, path);
		if (in_force == option)
			return NULL;
		other = other ? other : in_force;
	}
	return other;
}

/* "--tz gpu.csv=UTC+2", "--tz UTC+2" */
static const char *as_given(struct arena *mem, const char *name, const struct file_option *option)
{
	return is_for_all(option) ? arena_print(mem, "%s %s", name, option->value)
				  : arena_print(mem, "%s %s=%s", name, option->file, option->value);
}

/* Said twice, and not the same: one of them counts for nothing. */
static void check_repeated(struct arena *mem, const char *name, const struct file_option *option, const struct file_option *other,
	struct diags *diags)
{
	const char *const why = strcmp(option->file, other->file) == 0 ? "comes later" : "names the log more closely";

	if (strcmp(option->value, other->value) == 0)
		return;
	if (is_for_all(option))
		diag_at(diags, (struct place){ as_given(mem, name, option), 0, 0 }, DIAG_NO_EFFECT, "%s %s", as_given(mem, name, other),
			why);
	else
		diag_at(diags, (struct place){ option->file, 0, 0 }, DIAG_NO_EFFECT, "%s %s is not used: %s %s", name, option->value,
			as_given(mem, name, other), why);
}

void file_options_check(const struct input_request *q, const struct run *run, struct diags *diags)
{
	const struct {
		const char *name;
		struct file_options options;
		lack_of_need *lack;
		bool adds_up; /* of several for all each counts */
	} all[] = {
		{ "--tz", q->clock.zones, names_zone, false },
		{ "--date", q->clock.dates, has_date, false },
		{ "--start", q->clock.starts, has_times, false },
		{ "--step", q->clock.steps, has_step, false },
		{ "--columns", q->read.columns, has_columns, false },
		{ "--map", q->read.maps, has_other_columns, true }, /* for the logs that it explains */
		{ "--host", q->hosts, never, false },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < all[i].options.n; k++) {
			const struct file_option *const option = &all[i].options.at[k];
			const bool adds_up = all[i].adds_up && is_for_all(option);
			const struct file_option *const other = adds_up ? NULL : in_its_place(all[i].options, option, run);
			if (other)
				check_repeated(run->mem, all[i].name, option, other, diags);
			else if (names_input(option, q, run))
				check_need(all[i].name, option, all[i].lack, run, diags);
			else
				diag_at(diags, (struct place){ option->file, 0, 0 }, DIAG_UNKNOWN_FILE,
					"%s names it, but no input is called so; the option has no effect", all[i].name);
		}
}
