/*
 * html.c - the report as one page: its template, with the pictures inside.
 *
 * Each picture is there twice, light and dark, and the reader's system chooses. The card is left out: its
 * head would say again what the page says.
 */
#include "base/limits.h"
#include "chart/chart.h"
#include "render/escape.h"
#include "render/render_parts.h"

#define SCALE 2 /* of screens with fine pixels, and of paper */

static bool is_left_out(const char *file)
{
	return strcmp(file, "card.png") == 0;
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes as four letters. */
static void put_group(char *out, const unsigned char *bytes)
{
	const unsigned group = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];

	out[0] = digits[group >> 18];
	out[1] = digits[group >> 12 & 63];
	out[2] = digits[group >> 6 & 63];
	out[3] = digits[group & 63];
}

/* One byte or two; behind their end, '='. */
static void put_last_group(char *out, const unsigned char *bytes, size_t n)
{
	put_group(out, (const unsigned char[]){ bytes[0], n > 1 ? bytes[1] : 0, 0 });
	memset(out + n + 1, '=', 3 - n);
}

static const char *data_uri(struct arena *mem, struct slice bytes)
{
	static const char head[] = "data:image/png;base64,";
	const size_t n_head = strlen(head);
	char *const text = NEW_ARRAY(mem, char, n_head + (bytes.n + 2) / 3 * 4 + 1), *at = text + n_head;

	memcpy(text, head, n_head);
	for (; bytes.n >= 3; bytes.p += 3, bytes.n -= 3, at += 4)
		put_group(at, (const unsigned char *)bytes.p);
	if (bytes.n > 0)
		put_last_group(at, (const unsigned char *)bytes.p, bytes.n);
	return text;
}

/* A picture of the page, or NULL. */
static const struct chart_order *order_of(const struct chart_order *orders, size_t n, const char *file, enum chart_theme theme)
{
	for (size_t i = 0; i < n; i++)
		if (orders[i].kind == CHART_PNG && orders[i].options.theme == theme && orders[i].options.scale == SCALE &&
			strcmp(orders[i].file, file) == 0)
			return &orders[i];
	return NULL;
}

struct page_pictures page_pictures_missing(struct arena *mem, const struct report *report, const struct chart_order *ordered, size_t n)
{
	const size_t most = 2 * report->n_charts;
	struct page_pictures own = { NEW_ARRAY(mem, struct chart_order, most), NEW_ARRAY(mem, struct buf, most), 0 };

	for (size_t i = 0; i < report->n_charts; i++)
		for (int theme = THEME_LIGHT; theme <= THEME_DARK; theme++) {
			const char *const file = report->charts[i].file;
			struct buf *const out = &own.bufs[own.n];
			if (is_left_out(file) || order_of(ordered, n, file, (enum chart_theme)theme))
				continue;
			buf_init(out, PAGE_PICTURE_MAX_BYTES);
			own.at[own.n++] = (struct chart_order){ CHART_PNG, file, { (enum chart_theme)theme, SCALE }, out, false };
		}
	return own;
}

void page_pictures_release(const struct page_pictures *pictures)
{
	for (size_t i = 0; i < pictures->n; i++)
		buf_release(&pictures->bufs[i]);
}

/* NULL when there is no such picture. */
static const char *picture(const struct render_job *job, const struct page_pictures *own, const char *file, enum chart_theme theme)
{
	const struct chart_order *order = is_left_out(file) ? NULL : order_of(job->options.drawn, job->options.n_drawn, file, theme);

	if (!order)
		order = order_of(own->at, own->n, file, theme);
	return order && order->good ? data_uri(job->scratch, buf_slice(order->out)) : NULL;
}

void render_html(const struct render_job *job, struct buf *out)
{
	struct report page = *job->report;
	struct report_chart *const charts = NEW_ARRAY(job->scratch, struct report_chart, page.n_charts);
	const struct page_pictures own =
		page_pictures_missing(job->scratch, job->report, job->options.drawn, job->options.n_drawn);

	charts_draw(job->report, own.at, own.n, NULL);
	for (size_t i = 0; i < page.n_charts; i++) {
		charts[i] = page.charts[i];
		charts[i].light = picture(job, &own, charts[i].file, THEME_LIGHT);
		charts[i].dark = picture(job, &own, charts[i].file, THEME_DARK);
		out->overflow |= !is_left_out(charts[i].file) && !(charts[i].light && charts[i].dark); /* a page without one is none */
	}
	page_pictures_release(&own);
	page.charts = charts;
	report_place_charts(job->scratch, &page);
	template_render_as(job->template, (struct view){ &page, &report_fields }, job->kind, out);
}
