/*
 * render.c - the registry of outputs, the kinds of text, and the outputs that are a template or JSON alone.
 */
#include "render/escape.h"
#include "render/render_parts.h"

/* ------------------------------------------------ kinds of text */

static const struct drawn_sign fills[] = { { '=', "═" }, { '-', "─" }, { '#', "█" }, { '?', "░" }, { '\0', NULL } };
static const struct template_signs signs = { fills, { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }, "░" };

static const struct template_output ascii_text = { .escape = escape_plain };
static const struct template_output drawn_text = { .escape = escape_plain, .signs = &signs };
static const struct template_output markdown = { .escape = escape_markdown, .escape_in_code = escape_markdown_code };
static const struct template_output markup = { .escape = escape_markup };
static const struct template_output page = { .escape = escape_page };

/* ------------------------------------------------ outputs */

static void render_template(const struct render_job *job, struct buf *out)
{
	template_render_as(job->template, (struct view){ job->report, &report_fields }, job->kind, out);
}

static void render_drawn(const struct render_job *job, struct buf *out)
{
	struct report drawn = *job->report;
	struct render_job other = *job;

	drawn.timeline_legend = drawn.timeline_legend_drawn;
	other.report = &drawn;
	render_template(&other, out);
}

static void render_json(const struct render_job *job, struct buf *out)
{
	json_write(out, (struct view){ job->report, &report_fields }, report_is_utc(job->report));
}

#define IN_FOLDER true
#define ASKED_FOR false
#define PICTURES true
#define WORDS false
const struct renderer renderer_table[] = {
#define RENDERER(name, file, template, render, kind, when, shows, help) { #name, file, template, render, &(kind), when, shows, help },
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

void render(const struct renderer *renderer, const struct report *report, const struct template *t,
	const struct render_options *options, struct arena *scratch, struct buf *out)
{
	const struct render_job job = {
		.report = report, .template = t, .kind = renderer->kind, .options = *options, .scratch = scratch,
	};

	renderer->render(&job, out);
}
