/*
 * render.c - the registry of outputs, and the two that are text.
 */
#include "render/render.h"

static void render_template(const struct report *report, const struct template *t, struct arena *scratch, struct buf *out)
{
	template_render(t, (struct view){ report, &report_fields }, escape_plain, scratch, out);
}

static void render_json(const struct report *report, const struct template *t, struct arena *scratch, struct buf *out)
{
	(void)t, (void)scratch;
	json_write(out, (struct view){ report, &report_fields });
}

const struct renderer renderer_table[] = {
#define RENDERER(name, file, template, render) { #name, file, template, render },
#include "render/renderers.def"
#undef RENDERER
};
const size_t n_renderers = sizeof renderer_table / sizeof renderer_table[0];

const struct renderer *renderer_find(struct slice name)
{
	for (size_t i = 0; i < n_renderers; i++)
		if (slice_is(name, renderer_table[i].name))
			return &renderer_table[i];
	return NULL;
}
