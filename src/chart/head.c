/*
 * head.c - everything on a card that is read before the curves.
 *
 *     |  Up to 12 % of this run was lost: …                       verdict
 *     |  resnet-pretrain · gpu-a17 · 8 × NVIDIA H100 …
 *     84 %            up to 2.0 h        62.4 of 79.6   …          key figures
 *     Where the 16.0 GPU-hours went                                ledger
 *     [12.5 at the run's normal speed      |(1)|(2)|  |//]
 *     (1) The GPUs waited for input data            1.1 GPU-h      findings
 */
#include "chart/head.h"
#include <math.h>

#define WIDTH (PAGE_RIGHT - PAGE_LEFT)

static enum hue verdict_hue(const char *severity)
{
	static const struct {
		const char *name;
		enum hue hue;
	} rows[] = {
		{ "critical", HUE_CRITICAL }, { "warning", HUE_WARNING }, { "note", HUE_NOTE }, { "healthy", HUE_HEALTHY },
	};
	for (size_t i = 0; severity && i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, severity) == 0)
			return rows[i].hue;
	return HUE_OVERHEAD;
}

#define ITEM_GAP " · "
#define NO_BREAK "\u00a0"
#define WIDE_GAP NO_BREAK NO_BREAK "·  " /* a line may end behind the dot */

#define SHORT_ITEM 240.0 /* u; "Sat 31 Oct 2026, 21:40–Sun 1 Nov, 01:40 log time" */
#define CUT_ITEM 280.0   /* u; so long is a name where else the time of the run would be cut off */

/* What stands between dots is read as one thing: a line does not end in it, unless it is long. */
static const char *item_in_one(const struct page *p, const char *item, double most)
{
	const char *const cut = page_cut_middle(p, TYPE_SUBLINE, item, most);
	const char *out = "", *blank;
	if (page_text_width(p, TYPE_SUBLINE, cut) > SHORT_ITEM && cut == item)
		return item;
	for (item = cut; (blank = strchr(item, ' ')); item = blank + 1)
		out = arena_print(p->mem, "%s%.*s" NO_BREAK, out, (int)(blank - item), item);
	return arena_print(p->mem, "%s%s", out, item);
}

/* "a · b" with more air. */
static const char *spaced_items(const struct page *p, const char *text, double most)
{
	const char *out = "", *gap;
	for (; (gap = strstr(text, ITEM_GAP)); text = gap + strlen(ITEM_GAP))
		out = arena_print(p->mem, "%s%s" WIDE_GAP, out, item_in_one(p, arena_text(p->mem, text, (size_t)(gap - text)), most));
	return arena_print(p->mem, "%s%s", out, item_in_one(p, text, most));
}

#define MAX_SUBLINES 2

/* Long names of runs and hosts are cut in their middle before the words behind them, which say when and how long, are left out. */
static struct wrapped subline_wrap(const struct page *p, double width)
{
	const char *const text = p->report->subline ? p->report->subline : "";
	const struct wrapped whole = page_wrap(p, TYPE_SUBLINE, spaced_items(p, text, INFINITY), width, MAX_SUBLINES + 1);
	return whole.n <= MAX_SUBLINES ? whole : page_wrap(p, TYPE_SUBLINE, spaced_items(p, text, CUT_ITEM), width, MAX_SUBLINES);
}

double verdict_draw(const struct page *p, double y)
{
	p->canvas->part = "verdict";
	const double x = PAGE_LEFT + 13, width = PAGE_RIGHT - x;
	const struct report_verdict *const v = &p->report->verdict;
	const struct wrapped lines = page_wrap(p, TYPE_VERDICT, v->sentence ? v->sentence : "", width, 3);
	const struct wrapped subline = subline_wrap(p, width);
	const double height = 20 * (double)lines.n + 13 * (double)subline.n;
	p->canvas->verbs->box(p->canvas, (struct box){ PAGE_LEFT, y + 1, 4, height - 1 }, 2, page_hue(p, verdict_hue(v->severity)));
	for (size_t i = 0; i < lines.n; i++)
		page_text(p, x, y + 15 + 20 * (double)i, TYPE_VERDICT, ALIGN_LEFT, lines.line[i]);
	y += 20 * (double)lines.n;
	for (size_t i = 0; i < subline.n; i++)
		page_text(p, x, y + 10 + 13 * (double)i, TYPE_SUBLINE, ALIGN_LEFT, subline.line[i]);
	return y + 13 * (double)subline.n;
}

#define KEY_FIGURE_HEIGHT 35
#define MAX_KEY_FIGURES 6
#define KEY_FIGURE_INDENT 10.0
#define KEY_FIGURE_PADDING (KEY_FIGURE_INDENT + 4)

/* Cells are equal where all words fit; else each has what it needs and an equal share of the rest. Without a rest words are cut. */
static void key_figures_fit(const struct page *p, const struct key_figure *figures, size_t n, double *cells)
{
	double rest = WIDTH, most = 0;
	for (size_t i = 0; i < n; i++) {
		const double value = page_text_width(p, TYPE_KEY_FIGURE, figures[i].value);
		cells[i] = fmax(value, page_text_width(p, TYPE_STATISTIC, figures[i].caption)) + KEY_FIGURE_PADDING;
		most = fmax(most, cells[i]);
		rest -= cells[i];
	}
	for (size_t i = 0; i < n; i++)
		cells[i] = most <= WIDTH / (double)n || rest < 0 ? WIDTH / (double)n : cells[i] + rest / (double)n;
}

double key_figures_draw(const struct page *p, double y)
{
	p->canvas->part = "key figures";
	const size_t n = p->report->n_key_figures < MAX_KEY_FIGURES ? p->report->n_key_figures : MAX_KEY_FIGURES;
	double cells[MAX_KEY_FIGURES], x = PAGE_LEFT;
	if (n == 0)
		return y;
	key_figures_fit(p, p->report->key_figures, n, cells);
	p->canvas->verbs->box(p->canvas, (struct box){ PAGE_LEFT, y, WIDTH, KEY_FIGURE_HEIGHT }, 4, page_hue(p, HUE_TINT));
	for (size_t i = 0; i < n; x += cells[i++]) {
		const struct key_figure *const f = &p->report->key_figures[i];
		const double left = x + KEY_FIGURE_INDENT, width = cells[i] - KEY_FIGURE_PADDING;
		if (i)
			page_upright(p, x, y + 7, y + 28, HUE_RULE);
		page_text(p, left, y + 16.5, TYPE_KEY_FIGURE, ALIGN_LEFT, page_cut_middle(p, TYPE_KEY_FIGURE, f->value, width));
		page_text(p, left, y + 28.5, TYPE_STATISTIC, ALIGN_LEFT, page_cut_middle(p, TYPE_STATISTIC, f->caption, width));
	}
	return y + KEY_FIGURE_HEIGHT;
}

#define BAR_HEIGHT 18
#define MIN_BADGE_WIDTH 15
#define MAX_KEY_LINES 3
#define KEY_GAP 12

static const char *ledger_words(const struct page *p, const struct ledger_row *row)
{
	const char *const label = row->short_label ? row->short_label : row->label;
	return page_curved(p, arena_print(p->mem, "%s %s%s", row->hours_text, label, row->upper_bound ? ", at most" : ""));
}

static enum hue ledger_hue(const struct ledger_row *row)
{
	if (row->kind == LEDGER_FINDING)
		return severity_looks[row->severity_level].hue;
	if (row->kind == LEDGER_SUPPRESSED) /* known, not counted: neither a loss nor overhead */
		return HUE_CLOCK;
	return row->kind == LEDGER_NORMAL ? HUE_GPU : HUE_OVERHEAD;
}

static double ledger_width(const struct ledger_row *row)
{
	return row->share > 0 ? WIDTH * fmin(row->share, 1) : 0;
}

#define WORDS_PADDING 7.0
#define DISC_RADIUS 5.8
#define DISC_INDENT (2 * DISC_RADIUS + 5)

static bool has_disc(const struct ledger_row *row)
{
	return row->kind == LEDGER_FINDING && row->finding;
}

/* What was lost, and at normal speed, is bold; the rest is said more quietly. */
static enum type ledger_type(const struct ledger_row *row)
{
	return row->kind > LEDGER_FINDING ? TYPE_BAR_REST : TYPE_BAR;
}

static struct colour ledger_ink(const struct page *p, const struct ledger_row *row)
{
	return page_hue(p, has_disc(row) ? severity_looks[row->severity_level].on : row->kind == LEDGER_OVERHEAD ? HUE_INK : HUE_PAGE);
}

static bool words_fit_inside(const struct page *p, const struct ledger_row *row)
{
	const double width = page_text_width(p, ledger_type(row), ledger_words(p, row)) + (has_disc(row) ? DISC_INDENT : 0);
	return width + 2 * WORDS_PADDING < ledger_width(row);
}

/* Segments are 1 u apart; the last one ends where the page does. */
static void segment_draw(const struct page *p, const struct ledger_row *row, double x, double y)
{
	const double gap = x + ledger_width(row) > PAGE_RIGHT - 0.5 ? 0 : 1, width = fmax(ledger_width(row) - gap, 0.6);
	const double middle = y + BAR_HEIGHT / 2.0;
	if (row->kind == LEDGER_NO_LOG) {
		page_hatch(p, x, y, ledger_width(row), BAR_HEIGHT);
		if (words_fit_inside(p, row))
			page_text_haloed(p, x + WORDS_PADDING + 1, middle + 3.2, ledger_type(row), ALIGN_LEFT, ledger_words(p, row));
		return;
	}
	page_box(p, x, y, width, BAR_HEIGHT, ledger_hue(row));
	if (words_fit_inside(p, row)) {
		page_text_in(p, x + WORDS_PADDING + 1 + (has_disc(row) ? DISC_INDENT : 0), middle + 3.2, ledger_type(row), ALIGN_LEFT,
			ledger_ink(p, row), ledger_words(p, row));
		if (has_disc(row))
			page_number_disc(p, x + WORDS_PADDING + DISC_RADIUS, middle, DISC_RADIUS, row->finding);
	} else if (has_disc(row) && width > MIN_BADGE_WIDTH) {
		page_number_disc(p, x + width / 2, middle, DISC_RADIUS, row->finding);
	}
}

#define KEY_RADIUS 5.2
#define KEY_MARK_WIDTH 10.0
#define KEY_MARK_GAP 3.6

static double key_indent(const struct page *p, const struct ledger_row *row)
{
	return KEY_MARK_GAP + (row->finding ? 2 * page_badge_half(p, KEY_RADIUS, row->finding, row->severity_level) : KEY_MARK_WIDTH);
}

static void key_mark(const struct page *p, const struct ledger_row *row, double x, double baseline)
{
	if (row->finding)
		page_badge(p, x + (key_indent(p, row) - KEY_MARK_GAP) / 2, baseline - 3, KEY_RADIUS, row->finding, row->severity_level);
	else if (row->kind == LEDGER_NO_LOG)
		page_hatch(p, x, baseline - 7, 9, 8);
	else
		page_box(p, x, baseline - 7, 9, 8, ledger_hue(row));
}

static double key_width(const struct page *p, const struct ledger_row *row)
{
	return key_indent(p, row) + page_text_width(p, TYPE_STATISTIC, ledger_words(p, row));
}

/* The last row that fits on a line which begins with `begin`: at least one does. */
static size_t key_line_end(const struct page *p, const struct ledger_row *const *rows, size_t begin, size_t n, double room)
{
	double width = key_width(p, rows[begin]);
	size_t end = begin + 1;
	while (end < n && width + KEY_GAP + key_width(p, rows[end]) <= room)
		width += KEY_GAP + key_width(p, rows[end++]);
	return end;
}

static void key_line(const struct page *p, const struct ledger_row *const *rows, size_t n, const char *rest, double baseline)
{
	double x = PAGE_RIGHT - page_text_width(p, TYPE_STATISTIC, rest) + (*rest ? 0 : KEY_GAP);
	for (size_t i = 0; i < n; i++)
		x -= key_width(p, rows[i]) + KEY_GAP;
	x = fmax(PAGE_LEFT, x);
	for (size_t i = 0; i < n; i++) {
		key_mark(p, rows[i], x, baseline);
		page_text(p, x + key_indent(p, rows[i]), baseline, TYPE_STATISTIC, ALIGN_LEFT,
			page_cut_middle(p, TYPE_STATISTIC, ledger_words(p, rows[i]), WIDTH - key_indent(p, rows[i])));
		x += key_width(p, rows[i]) + KEY_GAP;
	}
	if (*rest)
		page_text(p, x, baseline, TYPE_STATISTIC, ALIGN_LEFT, rest);
}

#define REST_WIDTH 130 /* of "+ 12 more in the text report", with a gap */

/* The rows that have no words in the bar, right aligned in bar order; what needs more lines is counted. */
static double key_draw(const struct page *p, const struct ledger_row *const *rows, size_t n, double y)
{
	for (size_t line = 1, begin = 0, end = 0; begin < n && line <= MAX_KEY_LINES; line++, begin = end) {
		const char *rest = "";
		end = key_line_end(p, rows, begin, n, WIDTH);
		if (line == MAX_KEY_LINES && end < n) {
			end = key_line_end(p, rows, begin, n, WIDTH - REST_WIDTH);
			rest = arena_print(p->mem, "+ %zu more in the text report", n - end);
		}
		key_line(p, rows + begin, end - begin, rest, y + 12);
		y += line < MAX_KEY_LINES && end < n ? 13 : 16;
	}
	return y;
}

double ledger_draw(const struct page *p, double y)
{
	p->canvas->part = "ledger";
	const struct report *const r = p->report;
	const struct ledger_row **outside = NEW_ARRAY(p->mem, const struct ledger_row *, r->n_ledger);
	size_t n_outside = 0;
	double x = PAGE_LEFT;
	if (!r->has_ledger)
		return y;
	page_text(p, PAGE_LEFT, y + 9, TYPE_TITLE, ALIGN_LEFT, arena_print(p->mem, "Where the %s went", r->gpu_time_text));
	y += 15;
	for (size_t i = 0; i < r->n_ledger; i++) {
		segment_draw(p, &r->ledger[i], x, y);
		x += ledger_width(&r->ledger[i]);
		if (r->ledger[i].share > 0 && !words_fit_inside(p, &r->ledger[i]))
			outside[n_outside++] = &r->ledger[i];
	}
	return key_draw(p, outside, n_outside, y + BAR_HEIGHT);
}

#define FINDING_INDENT 21
#define TITLE_LINE 13.5

#define WHEN_GAP 4.0

/* "09:44–10:00 (16 min): …": the time stands out, for it is asked first. */
static size_t when_length(const char *card_text)
{
	const char *const end = strstr(card_text, ": ");
	return end ? (size_t)(end + 1 - card_text) : 0;
}

static double finding_draw(const struct page *p, const struct finding *f, double y)
{
	const double x = PAGE_LEFT + FINDING_INDENT;
	const char *const cost = f->cost_short ? page_cut_end(p, TYPE_FINDING, f->cost_short, 200) : "";
	const double cost_width = *cost ? page_text_width(p, TYPE_FINDING, cost) + 12 : 0;
	const char *const text = page_curved(p, f->card_text ? f->card_text : f->what ? f->what : "");
	const size_t n_when = f->card_text ? when_length(text) : 0;
	const char *const when = arena_text(p->mem, text, n_when);
	const double indent = n_when ? page_text_width(p, TYPE_WHEN, when) + WHEN_GAP : 0;
	const struct wrapped lines = page_wrap_indented(p, TYPE_EVIDENCE, text + n_when, PAGE_RIGHT - x - 3, indent, 2);
	const struct wrapped title = page_wrap(p, TYPE_FINDING, f->title, PAGE_RIGHT - x - cost_width, 2);
	page_badge(p, PAGE_LEFT + 7, y + 8, 6.2, f->number, f->severity_level);
	if (*cost)
		page_text(p, PAGE_RIGHT, y + 11.5, TYPE_FINDING, ALIGN_RIGHT, cost);
	for (size_t i = 0; i < title.n; i++)
		page_text(p, x, y + 11.5 + TITLE_LINE * (double)i, TYPE_FINDING, ALIGN_LEFT, title.line[i]);
	y += title.n > 1 ? TITLE_LINE : 0;
	if (n_when)
		page_text(p, x, y + 24, TYPE_WHEN, ALIGN_LEFT, when);
	for (size_t i = 0; i < lines.n; i++)
		page_text(p, x + (i ? 0 : indent), y + 24 + 12 * (double)i, TYPE_EVIDENCE, ALIGN_LEFT, lines.line[i]);
	return y + 21 + 12 * (double)lines.n;
}

static double paragraph_draw(const struct page *p, double y, const char *text, size_t max_lines)
{
	const struct wrapped lines = page_wrap(p, TYPE_EVIDENCE, page_curved(p, text), WIDTH, max_lines);
	for (size_t i = 0; i < lines.n; i++)
		page_text(p, PAGE_LEFT, y + 10 + 12 * (double)i, TYPE_EVIDENCE, ALIGN_LEFT, lines.line[i]);
	return y + 12 * (double)lines.n;
}

/* What is seen in the curves. */
static double remarks_draw(const struct page *p, double y)
{
	return p->report->remarks_text ? paragraph_draw(p, y, p->report->remarks_text, 3) : y;
}

static double no_finding_draw(const struct page *p, double y)
{
	const char *const checked = p->report->checked_count;
	y = paragraph_draw(p, y, checked ? arena_print(p->mem, "No finding in %s.", checked) : "No finding.", 2);
	return remarks_draw(p, y) + 3;
}

/* There may be more that are critical than there is room for. */
static const char *more_text(const struct page *p, size_t n)
{
	const struct report *const r = p->report;
	const size_t more = r->n_findings - n;
	size_t critical = 0;

	for (size_t i = n; i < r->n_findings; i++)
		critical += r->findings[i].severity_level == SEVERITY_CRITICAL;
	if (!critical)
		return arena_print(p->mem, "+ %zu more finding%s in the text report", more, plural_s(more));
	return arena_print(p->mem, "+ %zu more finding%s in the text report, %zu of them critical", more, plural_s(more), critical);
}

double findings_draw(const struct page *p, double y, size_t max_findings)
{
	p->canvas->part = "findings";
	const struct report *const r = p->report;
	const size_t n = r->n_findings < max_findings ? r->n_findings : max_findings;
	if (r->n_findings == 0)
		return no_finding_draw(p, y);
	for (size_t i = 0; i < n; i++)
		y = finding_draw(p, &r->findings[i], y);
	y = r->remarks_text ? remarks_draw(p, y) + 3 : y;
	if (n == r->n_findings)
		return y;
	page_text(p, PAGE_LEFT + FINDING_INDENT, y + 8, TYPE_MORE, ALIGN_LEFT, more_text(p, n));
	return y + 15;
}

#define FOOTER_LINE 11
#define MAX_LOG_LINES 2
#define MAX_FOOTER_LINES 3

static const char *unbroken(const struct page *p, const char *text)
{
	const char *out = "", *blank;
	for (; (blank = strchr(text, ' ')); text = blank + 1)
		out = arena_print(p->mem, "%s%.*s" NO_BREAK, out, (int)(blank - text), text);
	return arena_print(p->mem, "%s%s", out, text);
}

/* Lines end between items, not inside of them: blanks inside are made such that no line breaks there. */
static struct wrapped items_wrap(const struct page *p, const char *text, double width, size_t max_lines)
{
	const char *out = "", *gap;
	for (; (gap = strstr(text, ITEM_GAP)); text = gap + strlen(ITEM_GAP))
		out = arena_print(p->mem, "%s%s" NO_BREAK "· ", out, unbroken(p, arena_text(p->mem, text, (size_t)(gap - text))));
	return page_wrap(p, TYPE_FOOTER, *out ? arena_print(p->mem, "%s%s", out, unbroken(p, text)) : text, width, max_lines);
}

/* Before samples are looked at there is room for it, unless there is no time in the picture: then nothing is hatched. */
static bool has_hatching(const struct page *p)
{
	const struct figure *const figure = report_figure(p->report, p->file);
	const bool is_over_time = figure && figure->n_panels > 0 && figure->panels[0].kind != PANEL_DUTY;
	return p->measuring ? is_over_time : p->canvas->has_hatching;
}

static struct wrapped some_logs(const struct page *p, size_t kept, double width)
{
	const struct report_footer *const f = &p->report->footer;
	const char *text = "";
	for (size_t i = 0; i < kept; i++)
		text = arena_print(p->mem, "%s%s%s", text, *text ? ITEM_GAP : "", f->logs.at[i]);
	if (kept < f->n_logs)
		text = arena_print(p->mem, "%s%s+ %zu more", text, *text ? ITEM_GAP : "", f->n_logs - kept);
	if (has_hatching(p))
		text = arena_print(p->mem, "%s%shatched = no data", text, *text ? ITEM_GAP : "");
	return items_wrap(p, text, width, MAX_LOG_LINES + 1);
}

/* As many logs as lines hold, none of them cut, and how many more there are: the text report has all. */
static struct wrapped log_lines(const struct page *p, double width)
{
	size_t kept = p->report->footer.logs.n;
	struct wrapped lines = some_logs(p, kept, width);
	while (lines.n > MAX_LOG_LINES && kept > 0)
		lines = some_logs(p, --kept, width);
	return lines;
}

double footer_draw(const struct page *p, double y)
{
	p->canvas->part = "footer";
	const char *const program = p->report->footer_right ? p->report->footer_right : "";
	const char *const right = arena_print(p->mem, "%s%s%.*s", program, *program ? ITEM_GAP : "", (int)strcspn(p->file, "."), p->file);
	const double width = WIDTH - page_text_width(p, TYPE_FOOTER, right) - 16;
	const char *const not_judged = p->report->footer.not_judged;
	const struct wrapped logs = log_lines(p, width);
	const struct wrapped lacking = page_wrap(p, TYPE_FOOTER, not_judged ? not_judged : "", width, MAX_FOOTER_LINES - logs.n);
	page_level(p, PAGE_LEFT, PAGE_RIGHT, y, HUE_RULE);
	page_text(p, PAGE_RIGHT, y + FOOTER_LINE, TYPE_FOOTER, ALIGN_RIGHT, right);
	for (size_t i = 0; i < logs.n; i++)
		page_text(p, PAGE_LEFT, y += FOOTER_LINE, TYPE_FOOTER, ALIGN_LEFT, logs.line[i]);
	for (size_t i = 0; not_judged && i < lacking.n; i++)
		page_text(p, PAGE_LEFT, y += FOOTER_LINE, TYPE_FOOTER, ALIGN_LEFT, lacking.line[i]);
	return logs.n || not_judged ? y : y + FOOTER_LINE;
}
