/* report_run.c - the steps that a report takes, for whoever asks for one. */
#include "cmd/report_run.h"

#include "base/embedded.h"
#include "base/file.h"
#include "cmd/cmd.h"

struct chart_options read_chart_options(const struct options *o)
{
	const char *theme = option_value(o, "theme"), *scale = option_value(o, "scale");

	return (struct chart_options){ theme && strcmp(theme, "dark") == 0 ? THEME_DARK : THEME_LIGHT, scale ? *scale - '0' : 2 };
}

/* ------------------------------------------------ templates */

static const struct template *compile(struct arena *mem, struct slice text, const char *name, struct diags *diags)
{
	return template_compile(mem, text, (struct place){ name, 1, 1 }, TAGS_DOUBLE_BRACE, &report_fields, diags);
}

static const struct template *user_template(struct arena *mem, const char *path, struct diags *diags)
{
	struct slice text;

	if (!file_slurp(mem, path, TEMPLATE_MAX_BYTES, &text, diags))
		return NULL;
	return compile(mem, text, path, diags);
}

bool load_templates(struct arena *mem, const struct options *o, struct delivery *d, struct diags *diags)
{
	const char *const own = option_value(o, "template");
	bool good = true;

	d->templates = NEW_ARRAY(mem, const struct template *, n_renderers);
	for (size_t i = 0; i < n_renderers; i++) {
		const struct renderer *const r = &renderer_table[i];
		const bool is_wanted = r == d->printed || (d->folder && output_is_chosen(d, r));
		if (!r->template || !is_wanted)
			continue;
		const char *const name = arena_print(mem, "templates/%s", r->template);
		d->templates[i] = own && r == d->printed ? user_template(mem, own, diags) : compile(mem, embedded_get(name), name, diags);
		good &= d->templates[i] != NULL;
	}
	return good;
}

int report_into(struct arena *mem, const struct request *q, struct awaited_rules *rules, struct delivery *d, struct folder_claim *folder,
	struct diags *diags)
{
	struct apart apart = { .part = PART_ALL };

	if (folder && q->input.walls != WALLS_OFF)
		apart = apart_begin();
	d->part = apart.part;
	if (apart.part == PART_WRITER) {
		diags_release(diags); /* the worker has them, too, and tells them */
		return deliver_for_worker(mem, d, &apart, folder, diags);
	}
	const struct report *const report = examine(mem, q, rules, diags);
	return report ? deliver(mem, report, d, &apart, folder, diags) : EXIT_NOTHING;
}
