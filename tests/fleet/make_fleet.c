/*
 * make_fleet.c - writes what is made of many runs that never were, for eyes and for tests/fleet.py.
 *
 *     make_fleet FOLDER N [common|hostile] [SEED]
 *
 * Beside the files that users get lie the marks of the picture, fleet.light.json and fleet.dark.json (tests/scene/scenes.py).
 * Records are written to index.jsonl and read again, so that all goes the way that it goes for real ones; a group is the name of a job.
 */
#include "fleets.h"
#include "made_records.h"

#include "render/render.h"

static void print_complaints(struct arena *mem, const struct diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		fprintf(stderr, "%s\n", diag_text(mem, &diags->at[i]));
}

static struct slice lines_of(struct arena *mem, const struct record *records, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 30);
	for (size_t i = 0; i < n; i++) {
		record_write(&out, &records[i]);
		buf_char(&out, '\n');
	}
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

static size_t read_again(struct arena *mem, struct slice text, struct record *records, struct diags *diags)
{
	struct shared_names *const names = shared_names_new(mem);
	struct place place = { "index.jsonl", 0, 1 };
	size_t n = 0;

	while (text.n) {
		place.line++;
		n += record_read(names, slice_line(&text), place, &records[n], diags);
	}
	return n;
}

/* "llm-7b-sft" of "llm-7b-sft-1017" */
static const char **groups_of(struct arena *mem, const struct record *records, size_t n)
{
	const char **const groups = NEW_ARRAY(mem, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const char *const dash = strrchr(records[i].id, '-');
		groups[i] = arena_text(mem, records[i].id, dash ? (size_t)(dash - records[i].id) : 0);
	}
	return groups;
}

#define PICTURE_ROWS 40

static struct slice marks_of(struct arena *mem, const struct fleet *fleet, enum chart_theme theme)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	const struct fleet_told *const told = fleet_tell(mem, fleet, &(struct fleet_choice){ .most_rows = PICTURE_ROWS, .most_lines = 1, .program = "postrun 0.1.0" });
	if (!chart_fleet_scene(told, &(struct chart_options){ theme, 2 }, &out))
		BUG("no picture");
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

/* What is made, kept for folder_write(). */
struct made_files {
	struct arena *mem;
	struct folder_file at[16];
	size_t n;
	struct buf content;
};

static void begin_file(void *of, const char *name)
{
	struct made_files *const files = of;

	files->at[files->n].name = name;
	buf_init(&files->content, (size_t)1 << 30);
}

static void put_bytes(void *of, struct slice bytes)
{
	buf_put(&((struct made_files *)of)->content, bytes);
}

static bool end_file(void *of)
{
	struct made_files *const files = of;

	files->at[files->n++].content = (struct slice){ arena_text(files->mem, files->content.at, files->content.n), files->content.n };
	buf_release(&files->content);
	return true;
}

static void add_file(struct made_files *files, const char *name, struct slice content)
{
	files->at[files->n++] = (struct folder_file){ name, content };
}

static bool write_all(const char *folder, struct slice index, const struct fleet *fleet, struct made_files *files, struct diags *diags)
{
	struct folder_claim claim;

	add_file(files, "index.jsonl", index);
	add_file(files, "fleet.light.json", marks_of(files->mem, fleet, THEME_LIGHT));
	add_file(files, "fleet.dark.json", marks_of(files->mem, fleet, THEME_DARK));
	if (!folder_claim(&claim, folder, diags))
		return false;
	const bool good = folder_write(&claim, &(struct folder_files_given){ .at = files->at, .n = files->n }, diags);
	folder_leave(&claim);
	return good;
}

int main(int argc, char **argv)
{
	int64_t n, seed = 20260305;
	struct arena mem, kept, out;
	struct diags diags;
	struct made_files files = { .n = 0 };

	if (argc < 3 || argc > 5 || !integer_parse(slice_of(argv[2]), &n) || (argc > 4 && !integer_parse(slice_of(argv[4]), &seed))) {
		fprintf(stderr, "usage: make_fleet FOLDER N [common|hostile] [SEED]\n");
		return 2;
	}
	const enum made made = argc > 3 && strcmp(argv[3], "hostile") == 0 ? MADE_HOSTILE : MADE_COMMON;
	arena_init(&mem);
	arena_init(&kept);
	arena_init(&out);
	diags_init(&diags, &mem);
	const struct slice index = lines_of(&mem, records_made((uint64_t)seed, &mem, made, (size_t)n), (size_t)n);
	struct record *const records = NEW_ARRAY(&kept, struct record, (size_t)n);
	bool good = read_again(&kept, index, records, &diags) == (size_t)n;
	const size_t n_bytes = kept.used_bytes;
	const struct fleet *const fleet = fleet_build(&kept, records, groups_of(&mem, records, (size_t)n), (size_t)n);
	printf("records %zu bytes, fleet %zu bytes\n", n_bytes, kept.used_bytes - n_bytes);
	files.mem = &out;
	good &= fleet_outputs(fleet, &(struct fleet_options){ .program = "postrun 0.1.0", .svg = true, .prometheus = true },
		&(struct fleet_sink){ &files, begin_file, put_bytes, end_file }, &diags);
	good &= write_all(argv[1], index, fleet, &files, &diags);
	fleet_release(fleet);
	print_complaints(&mem, &diags);
	diags_release(&diags);
	arena_release(&out);
	arena_release(&kept);
	arena_release(&mem);
	return good ? 0 : 1;
}
