/*
 * fleet_files.c - the files of a look at many runs: pages, a table, a text, a picture.
 *
 * Templates and the chart have what fleet_tell() made for them, and are in memory one at a time; the table is written straight from the
 * records, unrounded, and some rows of it are in memory at a time.
 */
#include "base/limits.h"
#include "base/number.h"
#include "chart/chart.h"
#include "render/escape.h"
#include "render/render.h"

#include <inttypes.h>

#define TEXT_ROWS FLEET_CHART_ROWS /* the text and the picture list the same runs */
#define TEXT_LINES 10
#define PAGE_ROWS 5000 /* two MB, which browsers open at once; the table has all */
#define PAGE_LINES 12

struct making {
	const struct fleet *fleet;
	const struct fleet_options *options;
	const struct fleet_sink *sink;
	struct diags *diags;
	bool good;
};

static void tell_too_large(struct making *m, const char *name)
{
	struct arena scratch;

	arena_init(&scratch);
	m->good = diag_at(m->diags, (struct place){ name, 0, 0 }, DIAG_LIMIT, "it would be over %s",
		limit_text(&scratch, NULL, LIMIT_REPORT));
	arena_release(&scratch);
}

/* What is in the buffer is the file, unless it was too much; then the buffer is released. */
static void write_file(struct making *m, const char *name, struct buf *content)
{
	const struct fleet_sink *const sink = m->sink;

	if (content->overflow) {
		tell_too_large(m, name);
	} else {
		sink->begin(sink->of, name);
		sink->put(sink->of, buf_slice(content));
		m->good &= sink->end(sink->of);
	}
	buf_release(content);
}

static struct buf buf_for_file(void)
{
	struct buf out;

	buf_init(&out, limit_table[LIMIT_REPORT].value);
	return out;
}

/* ------------------------------------------------ from templates */

static const struct template_output ascii_text = { .escape = escape_plain }, page = { .escape = escape_page },
				    exposition = { .escape = escape_exposition };

static const struct fleet_told *tell(const struct making *m, struct arena *scratch, enum fleet_order order, size_t rows, size_t lines)
{
	return fleet_tell(scratch, m->fleet, &(struct fleet_choice){ order, rows, lines, m->options->program, m->options->rate });
}

static void make_text(struct making *m, const char *name, const char *template, const struct fleet_told *told,
	const struct template_output *kind)
{
	struct buf out = buf_for_file();

	template_render_embedded(template, (struct view){ told, &fleet_fields }, kind, &out);
	write_file(m, name, &out);
}

static void make_page(struct making *m, enum fleet_order order)
{
	struct arena scratch;

	arena_init(&scratch);
	make_text(m, fleet_order_file(order), "templates/fleet.html.tmpl", tell(m, &scratch, order, PAGE_ROWS, PAGE_LINES), &page);
	arena_release(&scratch);
}

typedef bool fleet_drawer(const struct fleet_told *fleet, const struct chart_options *options, struct buf *out);

static void make_picture(struct making *m, const char *name, fleet_drawer *draw, const struct fleet_told *told)
{
	struct buf out = buf_for_file();

	out.overflow |= !draw(told, &(struct chart_options){ THEME_LIGHT, 2 }, &out);
	write_file(m, name, &out);
}

/* ------------------------------------------------ index.csv */

#define LINE_END "\r\n" /* RFC 4180 */
#define US_PER_HOUR 3.6e9
#define US_DECIMALS 6

static void put_text(struct buf *out, const char *text)
{
	escape_csv(out, slice_of(text ? text : ""));
	buf_char(out, ',');
}

static void put_count(struct buf *out, int64_t n)
{
	buf_print(out, "%" PRId64 ",", n);
}

static void put_hours(struct buf *out, int64_t us)
{
	char text[64];

	number_print(text, sizeof text, (double)us / US_PER_HOUR, US_DECIMALS);
	buf_print(out, "%s,", text);
}

/* Of a job that was killed, or hardly logged, nobody knows it: an empty cell, as nothing that is not known is 0. */
static void put_lost(struct buf *out, const struct record *r, int64_t us)
{
	if (record_tells_loss(r))
		put_hours(out, us);
	else
		buf_char(out, ',');
}

static void put_lost_share(struct buf *out, const struct record *r, int32_t millionths)
{
	char text[64];

	number_print(text, sizeof text, (double)millionths / 1e4, 4);
	buf_print(out, "%s,", record_tells_loss(r) ? text : "");
}

static void put_time(struct buf *out, struct arena *scratch, const struct record *r, time_ms t)
{
	put_text(out, t == TIME_UNKNOWN ? "" : (r->is_log_time ? time_iso_local : time_iso)(scratch, t));
}

/* All in one cell; none of them is changed by what parts them, which a page of names would not have. */
static void put_hosts(struct buf *out, struct texts hosts)
{
	struct buf all;

	buf_init(&all, SIZE_MAX / 2);
	for (size_t i = 0; i < hosts.n; i++) {
		buf_text(&all, i ? " " : "");
		buf_text(&all, hosts.at[i]);
	}
	escape_csv(out, buf_slice(&all));
	buf_char(out, ',');
	buf_release(&all);
}

static const char *const account_heads = "begin,end,hosts,GPUs,severity,GPU time [GPU-h],normal [GPU-h],lost [GPU-h],"
					 "suppressed [GPU-h],overhead [GPU-h],no log [GPU-h],lost share [%],worse than of its group [%],"
					 "group,main cause,main cause lost [GPU-h],verdict,";
#define ACCOUNT_CELLS 17

static void put_account(struct buf *out, struct arena *scratch, const struct fleet_run *run, const struct record *r)
{
	const struct record_cause *const cause = record_main_cause(r);

	put_time(out, scratch, r, r->begin);
	put_time(out, scratch, r, r->end);
	put_hosts(out, r->hosts);
	put_count(out, (int64_t)r->n_gpus);
	put_text(out, r->severity);
	put_hours(out, r->gpu_us);
	put_hours(out, r->normal_us);
	put_lost(out, r, r->lost_us);
	put_hours(out, r->suppressed_us);
	put_hours(out, r->overhead_us);
	put_hours(out, r->no_log_us);
	put_lost_share(out, r, run->lost_millionths);
	if (run->worse_than >= 0)
		put_count(out, run->worse_than);
	else
		buf_char(out, ',');
	put_text(out, run->group);
	put_text(out, cause ? cause->rule : "");
	put_lost(out, r, cause ? cause->lost_us : 0);
	put_text(out, r->verdict);
}

static void put_state(struct buf *out, const struct record *r)
{
	put_text(out, r->report);
	put_text(out, r->why);
	put_count(out, r->bytes);
	escape_csv(out, slice_of(r->key));
	buf_text(out, LINE_END);
}

/* ------------------------------------------------ rows, some at a time */

#define ROWS_BYTES ((size_t)64 * 1024)

struct table {
	struct making *making;
	struct arena scratch; /* for one row */
	struct buf rows;
};

static void write_rows(struct table *t)
{
	const struct fleet_sink *const sink = t->making->sink;

	sink->put(sink->of, buf_slice(&t->rows));
	t->rows.n = 0;
}

static void row_done(struct table *t)
{
	arena_reset(&t->scratch);
	if (t->rows.n >= ROWS_BYTES)
		write_rows(t);
}

static void put_run(struct table *t, const struct fleet_run *run, size_t rank)
{
	const struct record record = fleet_record(&t->scratch, t->making->fleet, run);

	put_count(&t->rows, (int64_t)rank);
	put_text(&t->rows, record.id);
	put_text(&t->rows, run_status_name(record.status));
	put_account(&t->rows, &t->scratch, run, &record);
	put_state(&t->rows, &record);
	row_done(t);
}

static void put_run_without(struct table *t, const struct fleet_run *run)
{
	const struct record record = fleet_record(&t->scratch, t->making->fleet, run);

	buf_char(&t->rows, ',');
	put_text(&t->rows, record.id);
	put_text(&t->rows, run_status_name(record.status));
	buf_fill(&t->rows, ',', ACCOUNT_CELLS);
	put_state(&t->rows, &record);
	row_done(t);
}

static void make_table(struct making *m)
{
	static const char name[] = "index.csv";
	const struct fleet *const fleet = m->fleet;
	struct table t = { .making = m };

	arena_init(&t.scratch);
	buf_init(&t.rows, SIZE_MAX / 2);
	m->sink->begin(m->sink->of, name);
	buf_print(&t.rows, "rank,run,status,%sreport,why,input [bytes],key" LINE_END, account_heads);
	for (size_t i = 0; i < fleet->n_runs; i++)
		put_run(&t, &fleet->runs[i], i + 1);
	for (size_t i = 0; i < fleet->n_without; i++)
		put_run_without(&t, &fleet->without[i]);
	write_rows(&t);
	m->good &= m->sink->end(m->sink->of);
	buf_release(&t.rows);
	arena_release(&t.scratch);
}

bool fleet_outputs(const struct fleet *fleet, const struct fleet_options *options, const struct fleet_sink *sink, struct diags *diags)
{
	struct making m = { fleet, options, sink, diags, true };
	struct arena scratch;

	for (int order = 0; order < N_FLEET_ORDERS; order++)
		make_page(&m, (enum fleet_order)order);
	make_table(&m);
	arena_init(&scratch);
	const struct fleet_told *const told = tell(&m, &scratch, FLEET_BY_LOSS, TEXT_ROWS, TEXT_LINES);
	make_text(&m, "fleet.txt", "templates/fleet.txt.tmpl", told, &ascii_text);
	if (options->prometheus)
		make_text(&m, "postrun.prom", "templates/fleet.prom.tmpl", told, &exposition);
	make_picture(&m, FLEET_CHART, chart_fleet_png, told);
	if (options->svg)
		make_picture(&m, "fleet.svg", chart_fleet_svg, told);
	arena_release(&scratch);
	return m.good;
}
