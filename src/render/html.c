/*
 * html.c - the report as one page: its template, with the pictures inside.
 *
 * Each picture is there twice, light and dark, and the reader's system chooses. The card is left out: its
 * head would say again what the page says. A picture that can't be drawn is left out, too.
 */
#include "chart/chart.h"
#include "render/escape.h"
#include "render/render_parts.h"

#define SCALE 2 /* of screens with fine pixels, and of paper */
#define MAX_PICTURE_BYTES ((size_t)16 << 20)

static void put_base64(struct buf *out, struct slice bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		const size_t left = bytes.n - i;
		unsigned long group = 0;
		for (size_t k = 0; k < 3; k++)
			group = group << 8 | (k < left ? (unsigned char)bytes.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_char(out, k > left ? '=' : digits[group >> (18 - 6 * k) & 63]);
	}
}

/* NULL when there is no such picture. */
static const char *picture(const struct render_job *job, const char *file, enum chart_theme theme)
{
	const struct chart_options how = { theme, SCALE };
	const char *text = NULL;
	struct buf png, uri;

	buf_init(&png, MAX_PICTURE_BYTES);
	buf_init(&uri, 2 * MAX_PICTURE_BYTES);
	if (chart_png(job->report, file, &how, &png) && !png.overflow) {
		buf_text(&uri, "data:image/png;base64,");
		put_base64(&uri, buf_slice(&png));
		text = arena_text(job->scratch, uri.at, uri.n);
	}
	buf_release(&uri);
	buf_release(&png);
	return text;
}

void render_html(const struct render_job *job, struct buf *out)
{
	struct report page = *job->report;
	struct report_chart *const charts = NEW_ARRAY(job->scratch, struct report_chart, page.n_charts);

	for (size_t i = 0; i < page.n_charts; i++) {
		charts[i] = page.charts[i];
		if (strcmp(charts[i].file, "card.png") == 0)
			continue;
		charts[i].light = picture(job, charts[i].file, THEME_LIGHT);
		charts[i].dark = picture(job, charts[i].file, THEME_DARK);
	}
	page.charts = charts;
	report_place_charts(job->scratch, &page);
	template_render_as(job->template, (struct view){ &page, &report_fields }, job->kind, job->scratch, out);
}
