/* fleet_views.c - an index read once more, and what it shows as a whole. Here the records of all runs are held at a time. */
#include "cmd/fleet_views.h"

#include "base/number.h"
#include "cmd/cmd.h"
#include "cmd/run_index.h"
#include "render/render.h"

#include <stdio.h>

#define MOST_FIELDS 64

bool fleet_views_read(const struct options *o, struct fleet_views *out)
{
	const char *const field = option_value(o, "group-by");
	int64_t n = 0;

	if (field && (!integer_parse(slice_of(field), &n) || n < 1 || n > MOST_FIELDS)) {
		fprintf(stderr, "postrun: --group-by takes the number of a part of ids, from 1 to %d, not '%s'\n", MOST_FIELDS, field);
		return false;
	}
	*out = (struct fleet_views){ (size_t)n, option_given(o, "svg"), option_given(o, "prometheus") };
	return true;
}

/* "2024/alice/job-7", 2: "alice"; empty where there are not so many. */
static struct slice part_of(const char *id, size_t number)
{
	while (--number && id) {
		id = strchr(id, '/');
		id += id != NULL;
	}
	return id ? (struct slice){ id, strcspn(id, "/") } : (struct slice){ "", 0 };
}

struct gathered {
	struct record *records;
	const char **groups;
	size_t n, room, group_room;
};

static bool gather(struct arena *mem, const char *path, size_t group_field, struct gathered *all, struct diags *diags)
{
	struct shared_names *const names = shared_names_new(mem);
	struct index_reader r;
	struct slice line;
	bool good = true;

	if (!index_open(mem, &r, path))
		return diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "it can't be read again");
	for (; good && index_next(&r, &line); all->n++) {
		all->records = grow(all->records, &all->room, all->n + 1, sizeof *all->records);
		all->groups = grow(all->groups, &all->group_room, all->n + 1, sizeof *all->groups);
		good = record_read(names, line, (struct place){ path, r.lines.line, 1 }, &all->records[all->n], diags);
		all->groups[all->n] = good && group_field ? shared_name(names, part_of(all->records[all->n].id, group_field)) : "";
	}
	index_close(&r);
	return good;
}

static bool publish_each(struct arena *mem, const char *folder, const struct folder_files_given *files, struct diags *diags)
{
	bool good = true;

	for (size_t i = 0; i < files->n; i++) {
		struct publication p;
		publish_begin(mem, &p, arena_print(mem, "%s/%s", folder, files->at[i].name));
		publish_put(&p, files->at[i].content);
		good &= publish_end(&p, diags);
	}
	return good;
}

bool fleet_views_write(const struct fleet_views *views, const char *folder, struct diags *diags)
{
	const struct fleet_options options = { .program = program_name, .svg = views->svg, .prometheus = views->prometheus };
	struct folder_files_given files = { .n = 0 };
	struct gathered all = { .n = 0 };
	struct arena mem;

	arena_init(&mem);
	bool good = gather(&mem, arena_print(&mem, "%s/index.jsonl", folder), views->group_field, &all, diags);
	if (good) {
		const char *const *const groups = views->group_field ? all.groups : NULL;
		good = fleet_outputs(&mem, fleet_build(&mem, all.records, groups, all.n), &options, &files, diags);
	}
	good = publish_each(&mem, folder, &files, diags) && good;
	grow_free(all.records);
	grow_free(all.groups);
	arena_release(&mem);
	return good;
}
