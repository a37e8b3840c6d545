/* fleet_views.c - an index read once more, record by record, and what it shows as a whole, file by file. */
#include "cmd/fleet_views.h"

#include "base/file.h"
#include "base/number.h"
#include "cmd/cmd.h"
#include "cmd/rate.h"
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

struct gathering {
	struct fleet_building *fleet;
	struct arena scratch; /* for one record */
	size_t group_field;
	struct rate rate; /* of the index */
	struct diags *diags;
};

static bool gather_record(struct gathering *g, struct slice line, struct place place)
{
	struct record record;

	if (!record_read(shared_names_new(&g->scratch), line, place, &record, g->diags))
		return false;
	fleet_add(g->fleet, &record, g->group_field ? part_of(record.id, g->group_field) : slice_of(""));
	arena_reset(&g->scratch);
	return true;
}

static bool gather(struct arena *mem, struct gathering *g, const char *path)
{
	struct index_reader r;
	struct slice line;
	bool good = true;

	if (!index_open(mem, &r, path))
		return diag_at(g->diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "it can't be read again");
	arena_init(&g->scratch);
	while (good && index_next(&r, &line))
		good = gather_record(g, line, (struct place){ path, r.lines.line, 1 });
	const size_t n_here = r.n_read + r.head.missing;
	good = good && (!r.head.rate || rate_parse(mem, r.head.rate, &g->rate));
	fleet_note_absent(g->fleet, r.head.runs > n_here ? r.head.runs - n_here : 0, r.head.missing, r.head.has_gaps);
	arena_release(&g->scratch);
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

/* ------------------------------------------------ written */

struct writing {
	struct arena *mem;
	const char *folder;
	struct publication file;
	struct buf names; /* of the files so far, a line each */
	struct diags *diags;
};

static void begin_file(void *of, const char *name)
{
	struct writing *const w = of;

	buf_print(&w->names, "%s\n", name);
	publish_begin(w->mem, &w->file, arena_print(w->mem, "%s/%s", w->folder, name));
}

static void put_bytes(void *of, struct slice bytes)
{
	publish_put(&((struct writing *)of)->file, bytes);
}

static bool end_file(void *of)
{
	struct writing *const w = of;

	return publish_end(&w->file, w->diags);
}

/* Written when all of them are there. */
static bool publish_made_of(struct writing *w, struct slice digits)
{
	publish_begin(w->mem, &w->file, arena_print(w->mem, "%s/" MADE_OF, w->folder));
	publish_put(&w->file, digits);
	publish_put(&w->file, buf_slice(&w->names));
	return publish_end(&w->file, w->diags);
}

static bool write_views(struct arena *mem, const struct fleet *fleet, struct rate rate, const struct fleet_views *views, const char *folder,
	struct slice digits, struct diags *diags)
{
	const struct fleet_options options = { .program = program_name, .rate = rate, .svg = views->svg, .prometheus = views->prometheus };
	struct writing w = { .mem = mem, .folder = folder, .diags = diags };
	const struct fleet_sink sink = { &w, begin_file, put_bytes, end_file };

	buf_init(&w.names, MADE_OF_MAX_BYTES);
	const bool good = fleet_outputs(fleet, &options, &sink, diags) && publish_made_of(&w, digits);
	buf_release(&w.names);
	return good;
}

bool fleet_views_write(const struct fleet_views *views, const char *folder, struct diags *diags)
{
	struct slice digits;
	struct arena mem;

	arena_init(&mem);
	const char *const index = arena_print(&mem, "%s/index.jsonl", folder);
	bool good = made_of(&mem, views, index, &digits, diags);
	if (good && views->keeps && are_there(&mem, folder, digits)) {
		arena_release(&mem);
		return true;
	}
	unlink(arena_print(&mem, "%s/" MADE_OF, folder)); /* or who is ended in between leaves views that it says nothing true of */
	struct gathering g = { .fleet = fleet_begin(&mem), .group_field = views->group_field, .diags = diags };
	good = good && gather(&mem, &g, index);
	const struct fleet *const fleet = fleet_end(g.fleet);
	good = good && write_views(&mem, fleet, g.rate, views, folder, digits, diags);
	fleet_release(fleet);
	arena_release(&mem);
	return good;
}
