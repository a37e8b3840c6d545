/*
 * scene_dump.c - what `postrun report` would write of a run, with each picture as a scene in place of pixels.
 *
 *     scene_dump OUT PATH…      CARD.light.json, CARD.dark.json of each picture, report.json, report.txt
 *
 * tests/scene.py looks at them. The folder is there already.
 */
#include "base/embedded.h"
#include "chart/chart.h"
#include "cmd/examine.h"
#include "render/render.h"

#include "put_file.h"

#include <stdio.h>

#define MAX_SCENE ((size_t)256 << 20)

static bool scene_write(struct arena *mem, const struct report *report, const char *folder, const char *file, enum chart_theme theme,
	struct diags *diags)
{
	const char *const stem = arena_text(mem, file, strcspn(file, "."));
	struct buf scene;

	buf_init(&scene, MAX_SCENE);
	const bool good = chart_scene(report, file, &(struct chart_options){ theme, 2 }, &scene) &&
		put_file(folder, arena_print(mem, "%s.%s.json", stem, theme == THEME_DARK ? "dark" : "light"), buf_slice(&scene), diags);
	buf_release(&scene);
	return good;
}

static bool report_write(struct arena *mem, const struct report *report, const char *folder, const char *name, struct diags *diags)
{
	const struct renderer *const renderer = renderer_find(slice_of(name));
	const struct template *t = NULL;
	struct buf out;

	if (renderer->template) {
		const char *const path = arena_print(mem, "templates/%s", renderer->template);
		t = template_compile(mem, embedded_get(path), (struct place){ path, 1, 1 }, TAGS_DOUBLE_BRACE, &report_fields, diags);
		if (!t)
			return false;
	}
	buf_init(&out, MAX_SCENE);
	render(renderer, report, t, &(struct render_options){ 0 }, mem, &out);
	const bool good = put_file(folder, renderer->file, buf_slice(&out), diags);
	buf_release(&out);
	return good;
}

static bool dump(struct arena *mem, const struct report *report, const char *folder, struct diags *diags)
{
	for (size_t i = 0; i < report->n_charts; i++)
		for (int theme = THEME_LIGHT; theme <= THEME_DARK; theme++)
			if (!scene_write(mem, report, folder, report->charts[i].file, (enum chart_theme)theme, diags))
				return false;
	return report_write(mem, report, folder, "json", diags) && report_write(mem, report, folder, "text", diags);
}

static bool scenes_of(struct arena *mem, const char *folder, const char *const *paths, size_t n, struct diags *diags)
{
	const struct options o = { .mem = mem, .paths = paths, .n_paths = n };
	struct request q = { .report = { .command = "postrun report", .chart_files = chart_files, .n_chart_files = n_charts } };
	struct awaited_rules rules;

	if (!rules_order(&rules, mem, &o, true, diags) || !read_input_options(&o, &q.input))
		return false;
	q.input.walls = WALLS_OFF; /* this one process writes, too */
	const struct report *const report = examine(mem, &q, &rules, diags);
	return report && dump(mem, report, folder, diags);
}

int main(int argc, char **argv)
{
	struct arena mem;
	struct diags diags;

	if (argc < 3)
		return 2;
	arena_init(&mem);
	diags_init(&diags, &mem);
	const bool good = scenes_of(&mem, argv[1], (const char *const *)argv + 2, (size_t)argc - 2, &diags);
	if (!good)
		print_diags(&diags, SIZE_MAX, false);
	diags_release(&diags);
	arena_release(&mem);
	return good ? 0 : 1;
}
