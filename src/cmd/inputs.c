/* inputs.c - options about inputs, checked before anything is read; then the inputs. */
#include "cmd/inputs.h"

#include "base/file.h"
#include "base/sandbox.h"
#include "cmd/cmd.h"
#include "cmd/file_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* "gpu.csv=UTC-5" is about one file, "UTC-5" about all. */
static struct file_option file_option(struct arena *mem, const char *given)
{
	const char *equals = strrchr(given, '=');

	if (!equals)
		return (struct file_option){ "*", given };
	return (struct file_option){ arena_text(mem, given, (size_t)(equals - given)), equals + 1 };
}

static struct file_options file_options(const struct options *o, const char *name)
{
	size_t n = option_count(o, name);
	struct file_option *list = NEW_ARRAY(o->mem, struct file_option, n);

	for (size_t i = 0; i < n; i++)
		list[i] = file_option(o->mem, option_at(o, name, i));
	return (struct file_options){ list, n };
}

static bool is_zone(struct arena *mem, const char *value)
{
	time_ms ignored;

	(void)mem;
	return zone_parse(slice_of(value), &ignored);
}

static bool is_day(struct arena *mem, const char *value)
{
	time_ms ignored;

	return stamp_parse(slice_of(arena_print(mem, "%s 00:00:00", value)), &ignored);
}

static bool is_moment(struct arena *mem, const char *value)
{
	time_ms ignored;

	(void)mem;
	return stamp_parse(slice_of(value), &ignored);
}

static bool is_step(struct arena *mem, const char *value)
{
	double ignored;

	(void)mem;
	return duration_parse(slice_of(value), &ignored);
}

static bool is_name(struct arena *mem, const char *value)
{
	(void)mem;
	return *value && slice_is_utf8(slice_of(value));
}

/* One value that makes no sense is a usage error: nothing is read. */
static bool check(const struct options *o, struct file_options options, bool (*is_good)(struct arena *, const char *), const char *wrong)
{
	for (size_t i = 0; i < options.n; i++) {
		if (is_good(o->mem, options.at[i].value))
			continue;
		fprintf(stderr, "postrun: '%s' %s\n", options.at[i].value, wrong);
		return false;
	}
	return true;
}

/* "2026-11-21T10:05:00", or a time of day: "10:05", "10:05:30" */
static bool read_mark_time(struct arena *mem, struct slice text, time_ms *out, bool *is_clock)
{
	const struct slice with_seconds = text.n == 5 ? slice_of(arena_print(mem, "%.*s:00", SLICE(text))) : text;

	*is_clock = clock_parse(with_seconds, 0, out);
	return *is_clock || stamp_parse(text, out);
}

/* "steady=10:05..11:00" */
static bool read_mark(struct arena *mem, const char *given, struct phase_mark *out)
{
	const char *const equals = strchr(given, '='), *const dots = equals ? strstr(equals, "..") : NULL;

	*out = (struct phase_mark){ .text = given };
	if (!dots ||
		!read_mark_time(mem, (struct slice){ equals + 1, (size_t)(dots - equals - 1) }, &out->span.begin, &out->begin_is_clock) ||
		!read_mark_time(mem, slice_of(dots + 2), &out->span.end, &out->end_is_clock)) {
		fprintf(stderr, "postrun: '%s' is no mark; write it like steady=10:05..11:00 or tail=2026-11-21T10:05:00..11:00\n",
			given);
		return false;
	}
	if (!phase_find((struct slice){ given, (size_t)(equals - given) }, &out->phase)) {
		fprintf(stderr, "postrun: '%.*s' is no phase; there are idle-head, startup, steady, dip, down, tail and unseen\n",
			(int)(equals - given), given);
		return false;
	}
	if (!out->begin_is_clock && !out->end_is_clock && out->span.end <= out->span.begin) {
		fprintf(stderr, "postrun: '%s' ends before it begins\n", given);
		return false;
	}
	return true;
}

static bool read_marks(const struct options *o, struct input_request *out)
{
	struct phase_mark *marks = NEW_ARRAY(o->mem, struct phase_mark, option_count(o, "mark"));

	out->marks = marks;
	for (size_t i = 0; i < option_count(o, "mark"); i++)
		if (!read_mark(o->mem, option_at(o, "mark", i), &marks[out->n_marks++]))
			return false;
	return true;
}

static bool read_limits(const struct options *o, struct input_request *out)
{
	struct limits *const limits = NEW(o->mem, struct limits);
	const char *wrong;

	*limits = limits_as_ever();
	if (option_given(o, "memory") && !limit_set(limits, arena_print(o->mem, "memory=%s", option_value(o, "memory")), o->mem, &wrong)) {
		fprintf(stderr, "postrun: --memory: %s\n", wrong);
		return false;
	}
	for (size_t i = 0; i < option_count(o, "limit"); i++) {
		if (limit_set(limits, option_at(o, "limit", i), o->mem, &wrong))
			continue;
		fprintf(stderr, "postrun: --limit: %s\n", wrong);
		return false;
	}
	out->read.limits = limits;
	return true;
}

/* ------------------------------------------------ walls */

/* Where libc asks how many cores there are: so many threads are started. */
#define CORES_FILE "/sys/devices/system/cpu/online"

struct readable {
	struct arena *mem;
	const char **at;
	size_t n;
};

static void readable_add(struct readable *all, const char *path)
{
	all->at = arena_array_next(all->mem, all->at, all->n, sizeof *all->at);
	all->at[all->n++] = path;
}

/* A folder, and what links in it lead to. */
static void readable_add_input(struct readable *all, const char *path)
{
	struct diags ignored;
	size_t n = 0;

	readable_add(all, path);
	if (!path_is_folder(path))
		return;
	diags_init(&ignored, all->mem);
	const char **const files = folder_files(all->mem, path, &n, &ignored);
	for (size_t i = 0; i < n; i++)
		if (path_is_link(files[i]))
			readable_add(all, files[i]);
	diags_release(&ignored);
}

void raise_walls(struct arena *mem, const struct input_request *q)
{
	struct readable all = { .mem = mem };

	if (q->walls == WALLS_OFF)
		return;
	for (size_t i = 0; i < q->n_paths; i++)
		readable_add_input(&all, q->paths[i]);
	for (size_t i = 0; i < q->read.maps.n; i++)
		readable_add(&all, q->read.maps.at[i].value);
	readable_add(&all, CORES_FILE);
	if (sandbox_enter(all.at, all.n) != SANDBOX_ALL && q->walls == WALLS_REQUIRE) {
		fprintf(stderr, "postrun: --sandbox=require, and this system refuses it\n");
		exit(EXIT_USAGE);
	}
}

static bool read_walls(const struct options *o, struct input_request *out)
{
	const char *const how = option_value(o, "sandbox");

	out->walls = !how || strcmp(how, "auto") == 0 ? WALLS_AUTO : strcmp(how, "off") == 0 ? WALLS_OFF : WALLS_REQUIRE;
	if (out->walls != WALLS_REQUIRE || sandbox_offered() == SANDBOX_ALL)
		return true;
	fprintf(stderr, "postrun: --sandbox=require, and this system has no %s\n",
		sandbox_offered() & SANDBOX_FILES ? "seccomp" : "Landlock");
	return false;
}

/* ------------------------------------------------ all */

bool read_input_options(const struct options *o, struct input_request *out)
{
	const char *align = option_value(o, "align");

	*out = (struct input_request){
		.paths = o->paths,
		.n_paths = o->n_paths,
		.read = { .columns = file_options(o, "columns"), .maps = file_options(o, "map") },
		.clock = { file_options(o, "tz"), file_options(o, "date"), file_options(o, "start"), file_options(o, "step"),
			align && strcmp(align, "apply") == 0 },
		.hosts = file_options(o, "host"),
	};
	return read_walls(o, out) && read_limits(o, out) && read_marks(o, out) &&
	       check(o, out->clock.zones, is_zone, "is no time zone; write UTC, UTC-5 or +05:30") &&
	       check(o, out->clock.dates, is_day, "is no day; write it like 2026-11-21") &&
	       check(o, out->clock.starts, is_moment, "is no time; write it like 2026-11-21T01:48:34") &&
	       check(o, out->clock.steps, is_step, "is no step; write it like 1s or 500ms") &&
	       check(o, out->read.columns, is_name, "is no list of columns; write it like timestamp,index,utilization.gpu") &&
	       check(o, out->hosts, is_name, "is no name of a host");
}

struct run *read_inputs(struct arena *mem, const struct input_request *q, struct diags *diags)
{
	struct run *run = run_new(mem, run_name(mem, q->paths, q->n_paths), diags);

	run->request = q->read;
	run->request.mappings = mappings_load(mem, q->read.maps, diags);
	run->devices = devices_built_in(mem, diags);
	if (!run->request.mappings || !run->devices)
		return NULL;
	run->host_names = q->hosts;
	run_plan_room(run, q->paths, q->n_paths);
	run_read_early(run);
	for (size_t i = 0; i < q->n_paths; i++)
		ingest(run, q->paths[i]);                /* which format is it? read it: rows, units, holes */
	run_early_done(run);
	file_options_check(q, run, diags); /* before clock_settle() makes of what logs say what is taken for true */
	return clock_settle(run, &q->clock) ? run : NULL; /* zones, dates: one time for all recordings       */
}
