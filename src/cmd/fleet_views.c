/* fleet_views.c - an index read once more, and what it shows as a whole. Here the records of all runs are held at a time. */
#include "cmd/fleet_views.h"

#include "base/file.h"
#include "base/number.h"
#include "cmd/cmd.h"
#include "cmd/run_index.h"
#include "render/render.h"

#include <stdio.h>
#include <unistd.h>

#define MOST_FIELDS 64

bool fleet_views_read(const struct options *o, struct fleet_views *out)
{
	const char *const field = option_value(o, "group-by");
	int64_t n = 0;

	if (field && (!integer_parse(slice_of(field), &n) || n < 1 || n > MOST_FIELDS)) {
		fprintf(stderr, "postrun: --group-by takes the number of a part of ids, from 1 to %d, not '%s'\n", MOST_FIELDS, field);
		return false;
	}
	*out = (struct fleet_views){ (size_t)n, option_given(o, "svg"), option_given(o, "prometheus"),
		option_given(o, "resume") || option_given(o, "retry") };
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

/* What the views are made of, and their names, a line each: as long as it is the same, so are they. */
#define MADE_OF "views.digest"
#define MADE_OF_MAX_BYTES 4096

static bool made_of(struct arena *mem, const struct fleet_views *views, const char *index, struct slice *digits, struct diags *diags)
{
	const size_t options[] = { views->group_field, views->svg, views->prometheus };
	struct digest *const d = digest_begin();
	char *const text = arena_alloc(mem, DIGEST_DIGITS + 2);
	struct lines lines;
	struct slice block;
	bool good = lines_open(&lines, index, NULL, diags);

	digest_add_text(d, program_name);
	digest_add(d, (struct slice){ (const char *)options, sizeof options });
	while (good && (block = lines_block(&lines)).n)
		digest_add(d, block);
	digest_end(d, text);
	if (good) {
		good = !stream_failed(lines.stream);
		lines_close(&lines);
	}
	text[DIGEST_DIGITS] = '\n';
	*digits = (struct slice){ text, DIGEST_DIGITS + 1 };
	return good;
}

static bool are_there(struct arena *mem, const char *folder, struct slice digits)
{
	struct slice rest = { NULL, 0 };
	struct diags ignored;

	diags_init(&ignored, mem);
	bool good = file_slurp(mem, arena_print(mem, "%s/" MADE_OF, folder), MADE_OF_MAX_BYTES, &rest, &ignored);
	diags_release(&ignored);
	good = good && slice_starts(rest, digits.p);
	if (good)
		slice_line(&rest);
	while (good && rest.n) {
		const struct slice name = slice_line(&rest);
		good = access(arena_print(mem, "%s/%.*s", folder, SLICE(name)), F_OK) == 0;
	}
	return good;
}

/* Written when all of them are there. */
static bool publish_made_of(struct arena *mem, const char *folder, const struct folder_files_given *files, struct slice digits,
	struct diags *diags)
{
	struct publication p;

	publish_begin(mem, &p, arena_print(mem, "%s/" MADE_OF, folder));
	publish_put(&p, digits);
	for (size_t i = 0; i < files->n; i++)
		publish_put(&p, slice_of(arena_print(mem, "%s\n", files->at[i].name)));
	return publish_end(&p, diags);
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
	struct slice digits;
	struct arena mem;

	arena_init(&mem);
	const char *const index = arena_print(&mem, "%s/index.jsonl", folder);
	bool good = made_of(&mem, views, index, &digits, diags);
	if (good && views->keeps && are_there(&mem, folder, digits)) {
		arena_release(&mem);
		return true;
	}
	good = good && gather(&mem, index, views->group_field, &all, diags);
	if (good) {
		const char *const *const groups = views->group_field ? all.groups : NULL;
		good = fleet_outputs(&mem, fleet_build(&mem, all.records, groups, all.n), &options, &files, diags);
	}
	unlink(arena_print(&mem, "%s/" MADE_OF, folder)); /* or who is ended in between leaves views that it says nothing true of */
	good = publish_each(&mem, folder, &files, diags) && good && publish_made_of(&mem, folder, &files, digits, diags);
	grow_free(all.records);
	grow_free(all.groups);
	arena_release(&mem);
	return good;
}
