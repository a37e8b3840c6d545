/* page.c - lettering, badges and broken lines. */
#include "chart/page.h"
#include <math.h>

static const struct {
	double size;
	bool bold;
	enum hue hue;
} types[N_TYPES] = {
	[TYPE_VERDICT]    = { 15.5, true, HUE_INK },
	[TYPE_HEADING]    = { 14, true, HUE_INK },
	[TYPE_SUBLINE]    = { 9, false, HUE_INK2 },
	[TYPE_KEY_FIGURE] = { 13, true, HUE_INK },
	[TYPE_FINDING]    = { 10.5, true, HUE_INK },
	[TYPE_WHEN]       = { 9.3, true, HUE_INK2 },
	[TYPE_EVIDENCE]   = { 9.3, false, HUE_INK2 },
	[TYPE_MORE]       = { 9, false, HUE_INK3 },
	[TYPE_TITLE]      = { 10, true, HUE_INK },
	[TYPE_SUBTITLE]   = { 8.5, false, HUE_INK3 },
	[TYPE_LABEL]      = { 9.5, true, HUE_INK },
	[TYPE_STATISTIC]  = { 8.5, false, HUE_INK2 },
	[TYPE_AXIS]       = { 9, false, HUE_INK2 },
	[TYPE_DATE]       = { 9, true, HUE_INK2 },
	[TYPE_LANE]       = { 9, false, HUE_INK },
	[TYPE_BADGE]      = { 9, true, HUE_INK },
	[TYPE_BAR]        = { 9, true, HUE_PAGE },
	[TYPE_BAR_REST]   = { 9, false, HUE_INK },
	[TYPE_FOOTER]     = { 8.5, false, HUE_INK3 },
};

#define DIGIT_DROP 3.2 /* from the middle of a 9 u digit to its baseline */

struct colour page_hue(const struct page *p, enum hue hue)
{
	return p->theme->at[hue];
}

double page_text_width(const struct page *p, enum type type, const char *text)
{
	return canvas_width_of(p->canvas, text, types[type].size, types[type].bold);
}

static void put_text(const struct page *p, struct point at, enum type type, enum align align, struct colour colour,
	struct colour halo, const char *text)
{
	p->canvas->verbs->text(p->canvas, at, text,
		(struct lettering){ .size = types[type].size, .bold = types[type].bold, .align = align, .colour = colour, .halo = halo });
}

void page_text(const struct page *p, double x, double baseline, enum type type, enum align align, const char *text)
{
	page_text_in(p, x, baseline, type, align, page_hue(p, types[type].hue), text);
}

void page_text_in(const struct page *p, double x, double baseline, enum type type, enum align align, struct colour colour,
	const char *text)
{
	put_text(p, (struct point){ x, baseline }, type, align, colour, (struct colour){ 0, 0 }, text);
}

void page_text_haloed(const struct page *p, double x, double baseline, enum type type, enum align align, const char *text)
{
	put_text(p, (struct point){ x, baseline }, type, align, page_hue(p, types[type].hue), faded(page_hue(p, HUE_PAGE), 0.88), text);
}

void page_box(const struct page *p, double x, double y, double w, double h, enum hue hue)
{
	p->canvas->verbs->box(p->canvas, (struct box){ x, y, w, h }, 0, page_hue(p, hue));
}

void page_hatch(const struct page *p, double x, double y, double w, double h)
{
	p->canvas->verbs->hatch(p->canvas, (struct box){ x, y, w, h }, page_hue(p, HUE_HOLE), page_hue(p, HUE_HOLE_HATCH));
	p->canvas->has_hatching = true;
}

static void thin_rule(const struct page *p, struct point from, struct point to, enum hue hue)
{
	p->canvas->verbs->rule(p->canvas, from, to, (struct pen){ .colour = page_hue(p, hue), .width = 0.5 });
}

void page_level(const struct page *p, double x0, double x1, double y, enum hue hue)
{
	thin_rule(p, (struct point){ x0, y }, (struct point){ x1, y }, hue);
}

void page_upright(const struct page *p, double x, double y0, double y1, enum hue hue)
{
	thin_rule(p, (struct point){ x, y0 }, (struct point){ x, y1 }, hue);
}

const struct severity_look severity_looks[] = {
	[SEVERITY_NOTE]     = { HUE_NOTE, HUE_ON_NOTE, HUE_WASH_NOTE },
	[SEVERITY_WARNING]  = { HUE_WARNING, HUE_ON_WARNING, HUE_WASH_WARNING },
	[SEVERITY_CRITICAL] = { HUE_CRITICAL, HUE_ON_CRITICAL, HUE_WASH_CRITICAL },
};

/* The factors make the three shapes look equally heavy. */
#define DIAMOND 1.22
#define SQUARE 0.92
#define DIAMOND_ROUNDING 1.6
#define DIGIT_ROOM 0.6 /* beside the digits */

/* From the middle to the edge, at the height at which digits end. */
static double half_chord(double r, enum severity severity)
{
	if (severity == SEVERITY_CRITICAL)
		return sqrt(fmax(0, r * r - DIGIT_DROP * DIGIT_DROP));
	return severity == SEVERITY_WARNING ? r * DIAMOND - DIGIT_DROP + DIAMOND_ROUNDING / 2 : r * SQUARE;
}

/* `more` is what the shape is wider than high, on each side: for numbers of two digits. */
static void badge_shape(const struct page *p, double x, double y, double r, double more, enum severity severity)
{
	const struct colour colour = page_hue(p, severity_looks[severity].hue);
	const double d = r * DIAMOND, half = severity == SEVERITY_CRITICAL ? r : r * SQUARE;
	const struct point diamond[] = { { x - more, y - d }, { x + more, y - d }, { x + d + more, y }, { x + more, y + d },
		{ x - more, y + d }, { x - d - more, y } };
	const struct box box = { x - half - more, y - half, 2 * (half + more), 2 * half };
	if (severity == SEVERITY_WARNING)
		p->canvas->verbs->polygon(p->canvas, diamond, sizeof diamond / sizeof *diamond, DIAMOND_ROUNDING, colour);
	else if (severity == SEVERITY_CRITICAL && more == 0)
		p->canvas->verbs->circle(p->canvas, (struct point){ x, y }, r, colour);
	else
		p->canvas->verbs->box(p->canvas, box, severity == SEVERITY_CRITICAL ? r : 1.6, colour);
}

static double wider_by(const struct page *p, size_t number, double r, enum severity severity)
{
	const double width = page_text_width(p, TYPE_BADGE, arena_print(p->mem, "%zu", number));
	return number < 10 ? 0 : fmax(0, width / 2 + DIGIT_ROOM - half_chord(r, severity));
}

double page_badge_half(const struct page *p, double radius, size_t number, enum severity severity)
{
	const double half = severity == SEVERITY_CRITICAL ? radius
		: severity == SEVERITY_WARNING		  ? radius * DIAMOND + DIAMOND_ROUNDING / 2
							  : radius * SQUARE;
	return half + wider_by(p, number, radius, severity);
}

void page_badge(const struct page *p, double x, double y, double radius, size_t number, enum severity severity)
{
	const char *const digits = arena_print(p->mem, "%zu", number);
	badge_shape(p, x, y, radius, wider_by(p, number, radius, severity), severity);
	page_text_in(p, x, y + DIGIT_DROP, TYPE_BADGE, ALIGN_CENTRE, page_hue(p, severity_looks[severity].on), digits);
}

void page_mark(const struct page *p, double x, double y, double radius, enum severity severity)
{
	badge_shape(p, x, y, radius, 0, severity);
}

void page_number_disc(const struct page *p, double x, double y, double radius, size_t number)
{
	const char *const digits = arena_print(p->mem, "%zu", number);
	const double more = wider_by(p, number, radius, SEVERITY_CRITICAL);
	const struct box box = { x - radius - more, y - radius, 2 * (radius + more), 2 * radius };
	if (more > 0)
		p->canvas->verbs->box(p->canvas, box, radius, page_hue(p, HUE_PAGE));
	else
		p->canvas->verbs->circle(p->canvas, (struct point){ x, y }, radius, page_hue(p, HUE_PAGE));
	page_text(p, x, y + DIGIT_DROP, TYPE_BADGE, ALIGN_CENTRE, digits);
}

/* Begin of each character of `text`, and its end: n + 1 offsets. */
static size_t *character_offsets(const struct page *p, const char *text, size_t *n)
{
	size_t *at = NEW_ARRAY(p->mem, size_t, strlen(text) + 1);
	const char *next = text;
	for (*n = 0; *next; at[++*n] = (size_t)(next - text))
		font_next(p->canvas->font, &next);
	return at;
}

/* The text with `head` characters at its begin and `tail` at its end. */
static const char *with_ellipsis(const struct page *p, const char *text, const size_t *at, size_t n, size_t head, size_t tail)
{
	return arena_print(p->mem, "%.*s…%s", (int)at[head], text, text + at[n - tail]);
}

/* The longest that fits: the number kept falls by bisection, `tail_share` of 2 parts going to the end. */
static const char *cut(const struct page *p, enum type type, const char *text, double width, size_t tail_share)
{
	size_t n = 0, fits = 0;
	if (page_text_width(p, type, text) <= width)
		return text;
	const size_t *const at = character_offsets(p, text, &n);
	for (size_t low = 0, high = n; low < high;) {
		const size_t kept = (low + high + 1) / 2, tail = kept * tail_share / 2;
		if (page_text_width(p, type, with_ellipsis(p, text, at, n, kept - tail, tail)) <= width)
			fits = low = kept;
		else
			high = kept - 1;
	}
	const size_t tail = fits * tail_share / 2;
	return with_ellipsis(p, text, at, n, fits - tail, tail);
}

const char *page_cut_middle(const struct page *p, enum type type, const char *text, double width)
{
	return cut(p, type, text, width, 1);
}

const char *page_cut_end(const struct page *p, enum type type, const char *text, double width)
{
	return cut(p, type, text, width, 0);
}

static bool begins_with_word(const char *text, const char *word)
{
	const size_t n = strlen(word);
	return strncmp(text, word, n) == 0 && !is_letter(text[n]);
}

#define LONGEST_COMMAND 40

/* "(mpstat -P ALL 1)": a command, which has an option, is copied as a whole. */
static bool is_in_command(const char *text, const char *blank)
{
	const char *open = blank, *close = blank + strcspn(blank, "()");
	while (open > text && *open != '(' && *open != ')')
		open--;
	if (*open != '(' || *close != ')' || close - open > LONGEST_COMMAND)
		return false;
	for (const char *at = open; at + 1 < close; at++)
		if (at[0] == ' ' && at[1] == '-')
			return true;
	return false;
}

/* "3 min 20 s", "1 d 4 h": the second number of a length of time. */
static bool is_in_duration(const char *text, const char *blank)
{
	static const char *const units[] = { "min", "h", "d" };
	const size_t n_digits = strspn(blank + 1, "0123456789");
	const char *const unit = blank + 1 + n_digits + 1;
	if (n_digits < 1 || n_digits > 2 || unit[-1] != ' ')
		return false;
	if (!begins_with_word(unit, "s") && !begins_with_word(unit, "min") && !begins_with_word(unit, "h"))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		const ptrdiff_t n = (ptrdiff_t)strlen(units[i]);
		if (blank - text >= n + 2 && memcmp(blank - n, units[i], (size_t)n) == 0 && blank[-n - 1] == ' ' && is_digit(blank[-n - 2]))
			return true;
	}
	return false;
}

/* "16 min", "3 min 20 s", "97 %", "GPU 3", "a core": what is read in one go stays on one line. */
static bool is_glued(const char *text, const char *blank)
{
	static const char *const units[] = { "%", "°C", "s", "ms", "min", "h", "d", "W", "kW", "Wh", "kWh", "MHz", "GiB", "MiB", "GPU-h",
		"GPU-min", "GPU-s" };
	const char *const next = blank + 1;
	if (blank == text)
		return false;
	if (is_in_command(text, blank) || is_in_duration(text, blank))
		return true;
	if ((blank[-1] == 'a' || blank[-1] == 'A') && (blank - text == 1 || blank[-2] == ' '))
		return true;
	if (is_digit(*next))
		return (blank - text >= 3 && memcmp(blank - 3, "GPU", 3) == 0) || (blank - text >= 4 && memcmp(blank - 4, "GPUs", 4) == 0);
	for (size_t i = 0; is_digit(blank[-1]) && i < sizeof units / sizeof *units; i++)
		if (begins_with_word(next, units[i]))
			return true;
	return false;
}

static const char *word_end(const char *text)
{
	const char *at = text;
	while (*at && (*at != ' ' || is_glued(text, at)))
		at++;
	return at;
}

/* End of what fits on one line: at least one word. */
static const char *line_end(const struct page *p, enum type type, const char *text, double width)
{
	const char *end = word_end(text);
	while (*end) {
		const char *const next = word_end(end + 1);
		if (page_text_width(p, type, arena_text(p->mem, text, (size_t)(next - text))) > width)
			break;
		end = next;
	}
	return end;
}

/* A word alone on the last line gets the last one of the line above, where that leaves two there. */
static const char *line_end_in_company(const struct page *p, enum type type, const char *text, double width)
{
	const char *const end = line_end(p, type, text, width), *const next = *end ? word_end(end + 1) : end;
	const char *before = text;
	size_t n = 1;
	for (const char *at = word_end(text); at < end; at = word_end(at + 1)) {
		before = at;
		n++;
	}
	const bool alone = *end && !*next;
	return alone && n > 2 && page_text_width(p, type, before + 1) <= width ? before : end;
}

struct wrapped page_wrap_indented(const struct page *p, enum type type, const char *text, double width, double indent, size_t max_lines)
{
	struct wrapped out = { NEW_ARRAY(p->mem, const char *, max_lines), 0 };
	while (*text == ' ')
		text++;
	while (*text && out.n < max_lines) {
		const double room = out.n ? width : width - indent;
		const bool is_last = out.n + 1 == max_lines;
		const char *const end = is_last ? line_end(p, type, text, room) : line_end_in_company(p, type, text, room);
		const char *const line = arena_text(p->mem, text, (size_t)(end - text));
		out.line[out.n++] = is_last && *end ? page_cut_end(p, type, arena_print(p->mem, "%s …", text), room)
						    : page_cut_middle(p, type, line, room);
		for (text = end; *text == ' ';)
			text++;
	}
	return out;
}

struct wrapped page_wrap(const struct page *p, enum type type, const char *text, double width, size_t max_lines)
{
	return page_wrap_indented(p, type, text, width, 0, max_lines);
}

const char *page_curved(const struct page *p, const char *text)
{
	const char *out = "", *begin = text;
	for (const char *at = text; *at; at++)
		if (*at == '\'' && at > text && is_letter(at[-1]) && is_letter(at[1])) {
			out = arena_print(p->mem, "%s%.*s\u2019", out, (int)(at - begin), begin);
			begin = at + 1;
		}
	return begin == text ? text : arena_print(p->mem, "%s%s", out, begin);
}
