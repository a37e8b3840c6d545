/*
 * template_filter.c - how values become text.
 *
 * A filter takes a value and gives a text. Columns are counted in code points, which is
 * exact for all that we print (no combining marks, no double-width letters in our texts;
 * those in names from logs may shift a column, and no more).
 */
#include "base/template_parts.h"

#include "base/number.h"

#include <math.h>

#define VALUE_MAX_BYTES ((size_t)16 << 20)

struct filter {
	const char *name;
	enum filter_argument argument;
	enum filter_takes takes;
	struct value (*apply)(const struct filter_call *call, struct value v, const struct filter_context *context);
};

/* Bytes that the first `columns` code points take. */
static size_t bytes_of_columns(struct slice text, size_t columns)
{
	size_t i = 0;

	for (; i < text.n; i++)
		if (((unsigned char)text.p[i] & 0xC0) != 0x80 && !columns--)
			break;
	return i;
}

static struct value value_of_text(const char *text)
{
	return (struct value){ .kind = FIELD_TEXT, .text = slice_of(text) };
}

/* Moves what was built into the arena. */
static struct value value_of_buf(struct arena *mem, struct buf *built)
{
	struct value v = { .kind = FIELD_TEXT, .text = { arena_text(mem, built->at, built->n), built->n } };

	buf_release(built);
	return v;
}

/* In the unit that was chosen, else in the one that is printed without a filter. */
static struct quantity value_quantity(const struct value *v)
{
	return v->unit_stays || isnan(v->quantity.value) ? v->quantity : quantity_for_people(v->quantity);
}

static double value_number(const struct value *v)
{
	switch (v->kind) {
	case FIELD_COUNT:
	case FIELD_ORDINAL:
		return (double)v->count;
	case FIELD_QUANTITY:
		return value_quantity(v).value;
	default:
		return v->number;
	}
}

/* A quantity in `unit`; where it has another dimension, or is a plain number, as it is. */
static double value_in(const struct value *v, enum unit unit)
{
	const bool fits = v->kind == FIELD_QUANTITY && unit_table[v->quantity.unit].dimension == unit_table[unit].dimension;

	return fits ? quantity_in(v->quantity, unit).value : value_number(v);
}

/* 0 to 1 */
static double value_share(const struct value *v)
{
	const bool is_percent = v->kind == FIELD_QUANTITY && unit_table[v->quantity.unit].dimension == DIM_SHARE;

	return is_percent ? value_in(v, UNIT_PERCENT) / 100 : value_number(v);
}

struct slice sign_drawn(const struct template_signs *signs, struct slice written)
{
	for (size_t i = 0; signs && written.n == 1 && signs->fills[i].written; i++)
		if (signs->fills[i].written == written.p[0])
			return slice_of(signs->fills[i].drawn);
	return written;
}

/* ------------------------------------------------ filters of texts */

static struct value filter_left(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	size_t taken = text_columns(v.text);
	const struct slice fill = call->words.n ? sign_drawn(context->signs, call->words) : slice_of(" ");

	buf_init(&out, VALUE_MAX_BYTES);
	buf_put(&out, v.text);
	for (; taken < call->columns; taken++)
		buf_put(&out, fill);
	return value_of_buf(context->mem, &out);
}

static struct value filter_right(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	const size_t taken = text_columns(v.text);

	buf_init(&out, VALUE_MAX_BYTES);
	if (taken < call->columns)
		buf_fill(&out, ' ', call->columns - taken);
	buf_put(&out, v.text);
	return value_of_buf(context->mem, &out);
}

static struct value filter_middle(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	const size_t taken = text_columns(v.text);

	if (taken <= call->columns)
		return v;
	const size_t kept = call->columns < 2 ? 0 : call->columns - 2;
	const size_t head = bytes_of_columns(v.text, kept - kept / 2), tail = bytes_of_columns(v.text, taken - kept / 2);
	struct buf out;

	buf_init(&out, VALUE_MAX_BYTES);
	buf_put(&out, (struct slice){ v.text.p, head });
	buf_put(&out, (struct slice){ "..", call->columns < 2 ? call->columns : 2 });
	buf_put(&out, (struct slice){ v.text.p + tail, v.text.n - tail });
	return value_of_buf(context->mem, &out);
}

/* Line ends of the value's own are no layout: what every escape shows as unprintable stands for them, as it does without a filter. */
static void put_on_a_line(struct buf *out, const struct value *v)
{
	static const char unprintable = '\1';

	for (size_t i = 0; i < v->text.n; i++)
		buf_char(out, v->text.p[i] == '\n' && !v->has_lines ? unprintable : v->text.p[i]);
}

/* A name of a file is not shortened: beginnings and ends both tell logs apart. */
static struct value filter_column(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	size_t taken = text_columns(v.text), until = call->columns;

	buf_init(&out, VALUE_MAX_BYTES);
	put_on_a_line(&out, &v);
	if (taken >= until) {
		buf_text(&out, "\n");
		until = call->width;
		taken = 0;
	}
	for (; taken < until; taken++)
		buf_text(&out, " ");
	v = value_of_buf(context->mem, &out);
	v.has_lines = true;
	return v;
}

static struct value filter_then(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;

	if (!v.text.n)
		return v;
	buf_init(&out, VALUE_MAX_BYTES);
	buf_put(&out, v.text);
	buf_put(&out, call->words);
	return value_of_buf(context->mem, &out);
}

/* Takes blanks and the word behind them; false at the end. Blanks on one line keep their number. */
static bool word_take(struct slice *rest, size_t *blanks, struct slice *word)
{
	size_t i = 0;

	*blanks = 0;
	for (; i < rest->n && is_white(rest->p[i]); i++)
		*blanks = rest->p[i] == ' ' ? *blanks + 1 : 1;
	word->p = rest->p + i;
	const size_t begin = i;
	while (i < rest->n && !is_white(rest->p[i]))
		i++;
	word->n = i - begin;
	*rest = (struct slice){ rest->p + i, rest->n - i };
	return word->n > 0;
}

/* The bytes of a list without blanks ("timestamp,index,…") that fit in `columns`, up to a comma; 0 when there is none. */
static size_t list_part(struct slice word, size_t columns)
{
	const size_t n = bytes_of_columns(word, columns);
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		best = word.p[i] == ',' ? i + 1 : best;
	return best < word.n ? best : 0;
}

/* "16.5", "(16", "<1": a unit may follow. */
static bool is_number(struct slice word)
{
	while (word.n && strchr("(<>~+-", word.p[0]))
		word = (struct slice){ word.p + 1, word.n - 1 };
	return word.n && is_digit(word.p[0]) && is_digit(word.p[word.n - 1]);
}

/* "%", "s),", "GPU-min" */
static bool is_unit_of(struct slice word, bool (*fits)(enum dimension))
{
	enum unit unit;

	while (word.n && strchr(").,;:", word.p[word.n - 1]))
		word.n--;
	if (slice_starts(word, "GPU-"))
		word = (struct slice){ word.p + strlen("GPU-"), word.n - strlen("GPU-") };
	return unit_find(word, &unit) && fits(unit_table[unit].dimension);
}

static bool is_any(enum dimension dimension)
{
	return dimension != DIM_NONE;
}

static bool is_time(enum dimension dimension)
{
	return dimension == DIM_TIME;
}

/* "-q", "--align", "-lgc)" */
static bool is_option(struct slice word)
{
	const size_t n = slice_starts(word, "--") ? 2 : 1;

	return word.n > n && word.p[0] == '-' && is_letter(word.p[n]);
}

/* What an option takes as it is written in commands: "POWER", "1". */
static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_argument(struct slice word)
{
	return word.n && (is_digit(word.p[0]) || (is_capital(word.p[0]) && (word.n == 1 || is_capital(word.p[1]))));
}

/* No comma or bracket behind it: what follows may belong to it. */
static bool is_whole_word(struct slice word)
{
	return word.n && !strchr(").,;:", word.p[word.n - 1]);
}

/* Programs that advice names; of others an option may be spoken of, as in "the columns of --query-compute-apps". */
static bool is_program(struct slice word)
{
	static const char *const names[] = { "dcgmi", "dmesg", "grep", "iostat", "journalctl", "mpstat", "nvidia-smi", "pidstat", "postrun",
		"ps", "sar", "vmstat" };

	if (word.n && word.p[0] == '(')
		word = (struct slice){ word.p + 1, word.n - 1 };
	return slice_is_among(word, names, sizeof names / sizeof *names);
}

/* Does a command go on from `word` to `next`? "nvidia-smi -q -d POWER", "mpstat -P ALL 1", "ps aux --sort -rss", "… -k | grep -i xid" */
static bool is_command(struct slice before, struct slice word, struct slice next)
{
	if (is_option(next) || slice_is(next, "|") || slice_is(next, "aux"))
		return is_whole_word(word) && (is_option(word) || is_option(before) || is_program(word) || is_program(before));
	if (is_option(word) || (is_option(before) && is_argument(word)))
		return is_whole_word(word) && is_argument(next);
	return slice_is(word, "|") && is_program(next);
}

/*
 * Is `next` on the line of `word`, whatever it takes? A number without its unit says nothing, and "1 min" is not "1 min 04 s". A command is
 * copied as it stands.
 */
static bool is_kept(struct slice before, struct slice word, struct slice next, struct slice rest)
{
	struct slice after;
	size_t blanks;

	if (is_command(before, word, next))
		return true;
	if (is_number(word))
		return is_unit_of(next, is_any);
	return is_number(before) && is_unit_of(word, is_time) && is_number(next) && word_take(&rest, &blanks, &after) &&
	       is_unit_of(after, is_time);
}

/* Columns of what is kept behind `word`, with its blanks; of more than any line has, not all. A command longer than `room` is not kept. */
static size_t kept_columns(struct slice before, struct slice word, struct slice rest, size_t room)
{
	struct slice next;
	size_t columns = 0, blanks;
	bool has_command = false;

	while (columns <= TEMPLATE_MAX_COLUMNS && word_take(&rest, &blanks, &next) && is_kept(before, word, next, rest)) {
		has_command |= is_command(before, word, next);
		columns += blanks + text_columns(next);
		before = word;
		word = next;
	}
	return has_command && columns > room ? 0 : columns;
}

/*
 * Words from `column` on, up to `width`; further lines begin at `indent`. A number stays with its unit, and a command is whole where a line
 * has room for it. A word wider than a line stands alone, broken behind commas if it has any: a path must stay whole to be copied.
 */
static void wrap(struct buf *out, struct slice text, size_t indent, size_t width, size_t column)
{
	struct slice word, before = { NULL, 0 };
	size_t blanks, kept = 0;

	for (bool first = true; word_take(&text, &blanks, &word); first = false) {
		size_t taken = text_columns(word);
		const size_t room = indent + taken < width ? width - indent - taken : 0;
		const size_t gap = first ? 0 : blanks, behind = kept_columns(before, word, text, room);
		const bool fits = column + gap + taken + behind <= width;
		if (column > indent && !kept && !fits) {
			buf_char(out, '\n');
			buf_fill(out, ' ', indent);
			column = indent;
		} else {
			buf_fill(out, ' ', gap);
			column += gap;
		}
		for (size_t part; column + taken > width && column < width && (part = list_part(word, width - column)) > 0;
			taken = text_columns(word)) {
			buf_put(out, (struct slice){ word.p, part });
			buf_char(out, '\n');
			buf_fill(out, ' ', indent);
			word = (struct slice){ word.p + part, word.n - part };
			column = indent;
		}
		buf_put(out, word);
		column += taken;
		kept = behind;
		before = word;
	}
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

#define LONELY_COLUMNS 9 /* of a word that has the last line for itself */
#define MOST_NARROWER ((size_t)16)
#define LEAST_WIDE ((size_t)24)

static bool ends_lonely(struct slice text, size_t indent)
{
	size_t begin = text.n;

	while (begin && text.p[begin - 1] != '\n')
		begin--;
	const struct slice line = slice_trim((struct slice){ text.p + begin, text.n - begin });
	return begin && text_columns(line) <= LONELY_COLUMNS && !memchr(line.p, ' ', line.n) && text.n - begin == indent + line.n;
}

/* As wrap, but a little narrower where a short word would stand alone on the last line, and no line is added by that. */
static void wrap_well(struct buf *out, struct slice text, size_t indent, size_t width, size_t column)
{
	wrap(out, text, indent, width, column);
	for (size_t less = 1; less <= MOST_NARROWER && width >= indent + LEAST_WIDE && ends_lonely(buf_slice(out), indent); less++) {
		struct buf narrower;
		buf_init(&narrower, VALUE_MAX_BYTES);
		wrap(&narrower, text, indent, width - less, column);
		const struct slice lines = buf_slice(&narrower);
		const bool is_better = slice_count(lines, '\n') == slice_count(buf_slice(out), '\n') && !ends_lonely(lines, indent);
		if (is_better) {
			out->n = 0;
			buf_put(out, lines);
		}
		buf_release(&narrower);
	}
}

static struct value filter_wrap(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;

	buf_init(&out, VALUE_MAX_BYTES);
	wrap_well(&out, v.text, call->columns, call->width ? call->width : TEMPLATE_WIDTH,
		larger(context->column, call->columns));
	v = value_of_buf(context->mem, &out);
	v.has_lines = true;
	return v;
}

static struct value filter_beside(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	const size_t begin = larger(context->column, call->columns);
	const size_t reserved = context->name.n ? text_columns(context->name) + 2 : 0;
	/* a NAME that would leave no room for words gets its line longer than the page */
	const size_t width = larger(TEMPLATE_WIDTH - (reserved < TEMPLATE_WIDTH ? reserved : TEMPLATE_WIDTH), call->columns + 16);
	struct buf lines, out;

	buf_init(&lines, VALUE_MAX_BYTES);
	wrap_well(&lines, v.text, call->columns, width, begin);
	const struct slice all = buf_slice(&lines);
	const char *const end = memchr(all.p, '\n', all.n);
	const struct slice first = { all.p, end ? (size_t)(end - all.p) : all.n };
	size_t used = begin + text_columns(first) + (reserved ? reserved - 2 : 0);
	buf_init(&out, VALUE_MAX_BYTES);
	buf_put(&out, first);
	if (reserved && used + 2 > TEMPLATE_WIDTH) { /* a word too long, or NAME: it has a line of its own */
		buf_char(&out, '\n');
		used = reserved - 2;
	}
	if (reserved)
		buf_fill(&out, ' ', larger(used < TEMPLATE_WIDTH ? TEMPLATE_WIDTH - used : 0, 2));
	put_on_a_line(&out, &(struct value){ .text = context->name });
	buf_put(&out, (struct slice){ all.p + first.n, all.n - first.n });
	buf_release(&lines);
	v = value_of_buf(context->mem, &out);
	v.has_lines = true;
	return v;
}

static struct value filter_upper(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	char *text = arena_text(context->mem, v.text.p, v.text.n);

	(void)call;
	for (size_t i = 0; i < v.text.n; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] = (char)(text[i] - 'a' + 'A');
	v.text.p = text;
	return v;
}

static const struct {
	const char *sign, *ascii;
} ascii_table[] = {
	/* the degree sign before C goes: "87 C"; order matters */
	{ "\u00B0C", "C" }, { "\u00B0", " deg" }, { "\u00B5", "u" },  { "\u03BC", "u" },  { "\u00D7", "x" },
	{ "\u00B7", "-" },  { "\u2013", "-" },    { "\u2014", "-" },  { "\u2011", "-" },  { "\u2212", "-" },
	{ "\u2018", "'" },  { "\u2019", "'" },    { "\u201C", "\"" }, { "\u201D", "\"" }, { "\u2026", "..." },
	{ "\u00A0", " " },  { "\u2009", " " },    { "\u202F", "" },  { "\u00B1", "+-" }, { "\u2264", "<=" },
	{ "\u2265", ">=" }, { "\u2248", "~" },    { "\u2192", "->" },
	{ "\u20AC", "EUR" }, { "\u00A3", "GBP" },
};

/* The sign with which `text` begins, if the output draws with it. */
static const char *sign_of(const struct template_signs *signs, struct slice text)
{
	if (!signs)
		return NULL;
	for (size_t i = 0; i < sizeof signs->ramp / sizeof *signs->ramp; i++)
		if (slice_starts(text, signs->ramp[i]))
			return signs->ramp[i];
	return slice_starts(text, signs->no_data) ? signs->no_data : NULL;
}

/* Writes the ASCII form of what `text` begins with; returns the bytes it took. A legend keeps the signs that it explains. */
static size_t put_ascii(struct buf *out, struct slice text, const struct template_signs *signs)
{
	const char *const sign = sign_of(signs, text);

	if (sign) {
		buf_text(out, sign);
		return strlen(sign);
	}
	if ((unsigned char)text.p[0] < 0x80) {
		buf_char(out, text.p[0]);
		return 1;
	}
	for (size_t i = 0; i < sizeof ascii_table / sizeof ascii_table[0]; i++) {
		if (!slice_starts(text, ascii_table[i].sign))
			continue;
		buf_text(out, ascii_table[i].ascii);
		return strlen(ascii_table[i].sign);
	}
	buf_char(out, '?');
	return larger(utf8_size(text), 1);
}

static struct value filter_ascii(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	const bool has_lines = v.has_lines;

	(void)call;
	buf_init(&out, VALUE_MAX_BYTES);
	while (v.text.n) {
		const size_t taken = put_ascii(&out, v.text, context->signs);
		v.text = (struct slice){ v.text.p + taken, v.text.n - taken };
	}
	v = value_of_buf(context->mem, &out);
	v.has_lines = has_lines;
	return v;
}

static struct value filter_dashes(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	const bool has_lines = v.has_lines;

	(void)call;
	buf_init(&out, VALUE_MAX_BYTES);
	for (size_t i = 0; i < v.text.n; i++)
		if (i && slice_starts((struct slice){ v.text.p + i - 1, v.text.n - i + 1 }, " - "))
			buf_text(&out, "\u2013");
		else
			buf_char(&out, v.text.p[i]);
	v = value_of_buf(context->mem, &out);
	v.has_lines = has_lines;
	return v;
}

/* ------------------------------------------------ filters of numbers, times, cells */

static struct value filter_bar(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;
	const double share = value_share(&v);
	size_t n = 0;

	if (share > 0)
		n = larger((size_t)lround(fmin(share, 1) * (double)call->columns), 1);
	buf_init(&out, VALUE_MAX_BYTES);
	while (n--)
		buf_put(&out, sign_drawn(context->signs, call->words.n ? call->words : slice_of("#")));
	return value_of_buf(context->mem, &out);
}

static struct value fixed_text(struct arena *mem, double value, size_t decimals)
{
	char text[512];
	const int n = number_print(text, sizeof text, value, (int)decimals);

	return value_of_text(arena_text(mem, text, (size_t)n));
}

static struct value filter_in(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)context;
	if (unit_table[v.quantity.unit].dimension != unit_table[call->unit].dimension)
		return v; /* of a model that can't say its dimension beforehand */
	v.quantity = quantity_in(v.quantity, call->unit);
	v.unit_stays = true;
	return v;
}

static struct value filter_digits(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	return value_of_text(quantity_text_as(context->mem, value_quantity(&v), (int)call->columns));
}

static struct value filter_number(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)call;
	if (v.kind != FIELD_QUANTITY) {
		v.text = value_text(context->mem, &v);
		v.kind = FIELD_TEXT;
		return v;
	}
	if (!v.unit_stays)
		return value_of_text(quantity_number(context->mem, v.quantity));
	return value_of_text(quantity_text_as(context->mem, (struct quantity){ v.quantity.value, UNIT_NUMBER }, -1));
}

/* A quantity that is not known says so; a plain number is a cell of a table, where "-" does. */
static bool is_unknown(const struct value *v)
{
	return v->kind == FIELD_QUANTITY && isnan(v->quantity.value);
}

static struct value filter_fixed(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	if (is_unknown(&v))
		return value_of_text("unknown");
	return fixed_text(context->mem, value_number(&v), call->columns);
}

static struct value filter_count(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)call;
	if (is_unknown(&v))
		return value_of_text("unknown");
	return fixed_text(context->mem, value_number(&v), 0);
}

static struct value filter_percent(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	const double share = value_share(&v);

	(void)call;
	if (!isfinite(share))
		return value_of_text(is_unknown(&v) ? "unknown" : "-");
	return value_of_text(quantity_text(context->mem, (struct quantity){ share * 100, UNIT_PERCENT }));
}

static struct value filter_duration(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	const double seconds = value_in(&v, UNIT_SECOND);

	(void)call;
	return value_of_text(isfinite(seconds) || is_unknown(&v) ? duration_text(context->mem, seconds) : "-");
}

static struct value filter_clock(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)call;
	return value_of_text(time_text(context->mem, v.time, time_clock));
}

static struct value filter_date(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)call;
	return value_of_text(time_text(context->mem, v.time, time_date));
}

static struct value filter_iso(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	(void)call;
	return value_of_text(time_text(context->mem, v.time, time_iso));
}

/* One step per 12.5 %. */
static struct slice ramp_sign(const struct template_signs *signs, double share)
{
	static const char ascii[] = "_.:-=+*#?";
	const int n_steps = 8, step = isfinite(share) ? (int)fmin(fmax(share * n_steps, 0), n_steps - 1) : n_steps;

	if (!signs)
		return (struct slice){ ascii + step, 1 };
	return slice_of(step == n_steps ? signs->no_data : signs->ramp[step]);
}

static struct value filter_ramp(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	struct buf out;

	(void)call;
	buf_init(&out, VALUE_MAX_BYTES);
	for (size_t i = 0; i < v.cells.n; i++)
		buf_put(&out, ramp_sign(context->signs, v.cells.at[i]));
	return value_of_buf(context->mem, &out);
}

/* ------------------------------------------------ the table */

#define SPELLED_NOTHING ""
#define SPELLED_N "N"
#define SPELLED_DECIMALS "N"
#define SPELLED_N_FILL "N[:C]"
#define SPELLED_N_WIDTH "N[:W]"
#define SPELLED_N_NAME "N:NAME"
#define SPELLED_WORDS "WORDS"
#define SPELLED_UNIT "UNIT"

static const struct filter filter_table[] = {
#define FILTER(id, argument, takes, help) { #id, ARGUMENT_##argument, TAKES_##takes, filter_##id },
#include "base/filter.def"
#undef FILTER
};
static const struct filter_row filter_rows[] = {
#define FILTER(id, argument, takes, help) { #id, SPELLED_##argument, help },
#include "base/filter.def"
#undef FILTER
};
static const char *const filter_names[] = {
#define FILTER(id, argument, takes, help) #id,
#include "base/filter.def"
#undef FILTER
};
#define N_FILTERS (sizeof filter_table / sizeof filter_table[0])

const struct filter_row *template_filters(size_t *n)
{
	*n = N_FILTERS;
	return filter_rows;
}

const struct filter *filter_find(struct slice name)
{
	for (size_t i = 0; i < N_FILTERS; i++)
		if (slice_is(name, filter_table[i].name))
			return &filter_table[i];
	return NULL;
}

const char *filter_nearest(struct slice name)
{
	return nearest_name(name, filter_names, N_FILTERS);
}

enum filter_argument filter_argument(const struct filter *filter)
{
	return filter->argument;
}

enum filter_takes filter_takes(const struct filter *filter)
{
	return filter->takes;
}

struct value filter_apply(const struct filter_call *call, struct value v, const struct filter_context *context)
{
	if (call->filter->takes == TAKES_TEXT) {
		const bool has_lines = v.has_lines;
		v = (struct value){ .kind = FIELD_TEXT, .text = value_text(context->mem, &v), .has_lines = has_lines };
	}
	return call->filter->apply(call, v, context);
}
