/*
 * trial_series.c - the notation of what was measured, piece by piece, and of phases.
 *
 *     20..80 x 1 min, 80 x 4 min            a ramp, then a value
 *     50~10 x 60 s, _ x 20 s                noise, then a hole
 *     5 of (10 x 3 s, 95 x 7 s)             again and again
 *     idle-head x 60 s, steady x 5 min      phases
 *
 * Here only pieces are kept; samples are made when a test runs (trial_run.c). Of whom a series tells: trial_given.c.
 */
#include "rule/trial_parts.h"

#include <math.h>

/* ------ pieces ------ */

struct cell { /* a number as it was written */
	fixed number;
	bool has_unit;
	enum unit unit;
};

static bool piece_complain_value(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric)
{
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE,
		"'%.*s' is no value of %s; a piece is VALUE x DURATION, such as '95 x 60 s'",
		SLICE(slice_shown(text)), metric_table[metric].name);
}

static bool complain_reason(struct trial_reader *r, const struct yaml_node *node, struct slice text)
{
	const char **const names = NEW_ARRAY(r->mem, const char *, n_throttle_reasons);

	for (size_t i = 0; i < n_throttle_reasons; i++)
		names[i] = throttle_reasons[i].name;
	const char *const meant = nearest_name(text, names, n_throttle_reasons);
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_UNKNOWN_NAME, "unknown reason '%.*s'%s", SLICE(slice_shown(text)),
		did_you_mean(r->mem, meant));
}

static bool read_cell(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct cell *out)
{
	const enum dimension wanted = unit_table[metric_table[metric].unit].dimension;
	struct slice rest;

	if (!text.n)
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "a value of %s is missing", metric_table[metric].name);
	if (!fixed_parse(text, &out->number, &rest))
		return piece_complain_value(r, node, text, metric);
	out->has_unit = rest.n > 0;
	out->unit = metric_table[metric].unit;
	if (!rest.n)
		return true;
	if (!unit_find(rest, &out->unit))
		return TRIAL_COMPLAIN_PART(r, node, rest, DIAG_BAD_VALUE, "unknown unit '%.*s'", SLICE(slice_shown(rest)));
	if (unit_table[out->unit].dimension == wanted)
		return true;
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_DIMENSION, "'%.*s' is %s, %s is %s", SLICE(slice_shown(text)),
		dimension_name(unit_table[out->unit].dimension), metric_table[metric].name, dimension_name(wanted));
}

static fixed cell_value(struct cell cell, enum metric metric)
{
	const struct quantity q = quantity_in((struct quantity){ fixed_value(cell.number), cell.unit }, metric_table[metric].unit);
	const double scaled = q.value * FIXED_ONE;

	return cell.unit == metric_table[metric].unit ? cell.number : fabs(scaled) < 9e18 ? (fixed)llround(scaled) : INT64_MAX;
}

static bool can_be(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, double low, double high)
{
	const struct metric_row *const m = &metric_table[metric];
	const double beyond = low < m->low ? m->low : m->high;

	if (low >= m->low && high <= m->high)
		return true;
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "%s is never %s %s", m->name, low < m->low ? "below" : "above",
		quantity_text(r->mem, (struct quantity){ beyond, m->unit }));
}

/* "hw_thermal+sw_power", "none": the mask that has these bits. */
static bool read_reasons(struct trial_reader *r, const struct yaml_node *node, struct slice text, fixed *out)
{
	struct slice part;

	*out = 0;
	if (slice_is(text, "none"))
		return true;
	while (text.n && slice_part(&text, '+', &part)) {
		const struct throttle_reason *const reason = throttle_reason_find(slice_trim(part));
		if (!reason)
			return complain_reason(r, node, slice_trim(part));
		*out = (fixed)((uint64_t)(*out / FIXED_ONE) | reason->bit) * FIXED_ONE;
	}
	return true;
}

static const char *find_in(struct slice text, const char *what)
{
	const size_t n = strlen(what);

	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, what, n) == 0)
			return text.p + i;
	return NULL;
}

/* Two numbers with `between` between them; one unit is enough. */
static bool read_pair(struct trial_reader *r, const struct yaml_node *node, struct slice text, const char *between, enum metric metric,
	struct trial_piece *out)
{
	const char *const at = find_in(text, between);
	const struct slice left = { text.p, (size_t)(at - text.p) };
	const struct slice right = { at + strlen(between), text.n - left.n - strlen(between) };
	struct cell from = { 0 }, to = { 0 };

	if (!read_cell(r, node, slice_trim(left), metric, &from) || !read_cell(r, node, slice_trim(right), metric, &to))
		return false;
	if (from.has_unit != to.has_unit) {
		const enum unit unit = from.has_unit ? from.unit : to.unit;
		from.unit = to.unit = unit;
	}
	out->from = cell_value(from, metric);
	out->to = cell_value(to, metric);
	return true;
}

static bool read_ramp(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct trial_piece *out)
{
	out->kind = PIECE_RAMP;
	if (!read_pair(r, node, text, "..", metric, out))
		return false;
	const double a = fixed_value(out->from), b = fixed_value(out->to);
	return can_be(r, node, text, metric, a < b ? a : b, a < b ? b : a);
}

static bool read_noise(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct trial_piece *out)
{
	out->kind = PIECE_NOISE;
	if (!read_pair(r, node, text, "~", metric, out))
		return false;
	if (out->to < 0)
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "'%.*s': noise is not less than 0", SLICE(slice_shown(text)));
	const double middle = fixed_value(out->from), width = fixed_value(out->to);
	return can_be(r, node, text, metric, middle - width, middle + width);
}

static bool read_value(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct trial_piece *out)
{
	struct cell cell = { 0 };

	out->kind = PIECE_VALUE;
	if (slice_is(text, "_") || slice_is(text, "?") || slice_is(text, "N/A")) {
		out->kind = slice_is(text, "_") ? PIECE_HOLE : PIECE_MISSING;
		return true;
	}
	if (find_in(text, ".."))
		return read_ramp(r, node, text, metric, out);
	if (find_in(text, "~"))
		return read_noise(r, node, text, metric, out);
	if (metric == METRIC_GPU_THROTTLE && text.n && text.p[0] >= 'a' && text.p[0] <= 'z')
		return read_reasons(r, node, text, &out->from);
	if (!read_cell(r, node, text, metric, &cell))
		return false;
	out->from = cell_value(cell, metric);
	return can_be(r, node, text, metric, fixed_value(out->from), fixed_value(out->from));
}

/* The last x that stands alone, else the last of all ("95x60s"): units and names of reasons have none. NULL: there is none. */
static const char *last_x(struct slice piece)
{
	const char *any = NULL;

	for (size_t i = piece.n; i-- > 0;) {
		if (piece.p[i] != 'x')
			continue;
		if (i > 0 && i + 1 < piece.n && piece.p[i - 1] == ' ' && piece.p[i + 1] == ' ')
			return piece.p + i;
		any = any ? any : piece.p + i;
	}
	return any;
}

static bool read_length(struct trial_reader *r, const struct yaml_node *node, struct slice text, time_ms *out)
{
	double seconds;

	if (!text.n || !duration_parse(text, &seconds) || !(seconds * 1000 >= 1))
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "'%.*s' is no duration above 0, such as '60 s'",
			SLICE(slice_shown(text)));
	if (seconds > DURATION_MAX_S)
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_LIMIT, "a piece of more than %s",
			limit_text(r->mem, NULL, LIMIT_DURATION_MAX_DAYS));
	*out = (time_ms)llround(seconds * (double)SECOND_MS);
	return true;
}

static bool split_piece(struct trial_reader *r, const struct yaml_node *node, struct slice piece, struct slice *value, time_ms *length)
{
	const char *const x = last_x(piece);

	if (!piece.n)
		return TRIAL_COMPLAIN_PART(r, node, piece, DIAG_BAD_VALUE, "a piece is missing: VALUE x DURATION, such as '95 x 60 s'");
	if (!x)
		return TRIAL_COMPLAIN_PART(r, node, piece, DIAG_BAD_VALUE,
			"'%.*s' has no duration; a piece is VALUE x DURATION, such as '95 x 60 s'",
			SLICE(slice_shown(piece)));
	*value = slice_trim((struct slice){ piece.p, (size_t)(x - piece.p) });
	return read_length(r, node, slice_trim((struct slice){ x + 1, piece.n - (size_t)(x - piece.p) - 1 }), length);
}

/* Takes the next piece off the front, trimmed; its place stays that of its text. */
static struct slice take_piece(struct slice *rest)
{
	struct slice piece;

	slice_part(rest, ',', &piece);
	return slice_trim(piece);
}

/* A series in the making. */
struct series_draft {
	struct trial_reader *r;
	const struct yaml_node *node;
	enum metric metric;
	struct trial_piece *pieces;
	size_t n;
	size_t group; /* index of the first piece inside of ( ) */
	int64_t times; /* that the group comes; 0: none is open */
	bool good;
};

static void add_piece(struct series_draft *d, const struct trial_piece *piece, time_ms length)
{
	const time_ms begin = d->n ? d->pieces[d->n - 1].end : 0;

	d->pieces = arena_array_next(d->r->mem, d->pieces, d->n, sizeof *d->pieces);
	d->pieces[d->n++] = (struct trial_piece){ piece->kind, begin, begin + length, piece->from, piece->to };
}

/* "3 of (": takes it off the front of the group's first piece. */
static bool open_group(struct series_draft *d, struct slice *piece)
{
	const char *const paren = memchr(piece->p, '(', piece->n);

	if (!paren)
		return true;
	const struct slice head = { piece->p, (size_t)(paren - piece->p) }, opening = { piece->p, head.n + 1 };
	struct slice rest = head;
	const struct slice times = slice_word(&rest), of = slice_word(&rest);
	if (d->times || !integer_parse(times, &d->times) || d->times < 1 || d->times > TEST_TIMES_MAX || !slice_is(of, "of") ||
		slice_trim(rest).n) {
		d->times = 1; /* so that its end is no second mistake */
		return TRIAL_COMPLAIN_PART(d->r, d->node, opening, DIAG_BAD_VALUE,
			"'%.*s(' begins no group; write '3 of (10 x 5 s, 95 x 5 s)', from 1 to %d times, without another one inside",
			SLICE(slice_shown(head)), TEST_TIMES_MAX);
	}
	*piece = slice_trim((struct slice){ paren + 1, piece->n - head.n - 1 });
	d->group = d->n;
	return true;
}

static bool close_group(struct series_draft *d, struct slice end)
{
	const size_t n = d->n - d->group;

	if (!d->times)
		return TRIAL_COMPLAIN_PART(d->r, d->node, end, DIAG_BAD_VALUE, "nothing opens this ')'");
	if (n * (size_t)d->times > TEST_PIECES_MAX)
		return TRIAL_COMPLAIN_PART(d->r, d->node, end, DIAG_LIMIT, "a series of more pieces than %s",
			limit_text(d->r->mem, NULL, LIMIT_TEST_PIECES_MAX));
	for (size_t i = 0; i < n * (size_t)(d->times - 1); i++) {
		const struct trial_piece piece = d->pieces[d->group + i % n];
		add_piece(d, &piece, piece.end - piece.begin);
	}
	d->times = 0;
	return true;
}

static bool read_piece(struct series_draft *d, struct slice piece)
{
	struct trial_piece out = { .kind = PIECE_VALUE };
	struct slice value = { NULL, 0 };
	time_ms length = 0;

	if (!open_group(d, &piece))
		return false;
	const bool closes = piece.n && piece.p[piece.n - 1] == ')';
	const struct slice end = { piece.p + piece.n - closes, closes };
	if (closes)
		piece = slice_trim((struct slice){ piece.p, piece.n - 1 });
	const bool good = split_piece(d->r, d->node, piece, &value, &length) && read_value(d->r, d->node, value, d->metric, &out);
	if (good)
		add_piece(d, &out, length);
	return (!closes || close_group(d, end)) && good;
}

bool trial_read_series(struct trial_reader *r, const struct yaml_node *node, enum metric metric, struct trial_series *out)
{
	struct series_draft d = { .r = r, .node = node, .metric = metric, .good = true };
	struct slice rest = node->text;

	if (!trial_is_text(r, metric_table[metric].name, node))
		return false;
	while (rest.p)
		d.good = read_piece(&d, take_piece(&rest)) && d.good;
	if (d.times && d.good)
		d.good = TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "a ')' is missing at the end");
	*out = (struct trial_series){ .metric = metric, .pieces = d.pieces, .n = d.n, .step = SECOND_MS };
	return d.good;
}

/* ------ phases ------ */

static bool complain_phase(struct trial_reader *r, const struct yaml_node *node, struct slice text)
{
	const char *names[N_PHASES];

	for (int p = 0; p < N_PHASES; p++)
		names[p] = phase_name((enum phase)p);
	const char *const meant = nearest_name(text, names, N_PHASES);
	if (meant)
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "'%.*s' is no phase; did you mean '%s'?",
			SLICE(slice_shown(text)), meant);
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE,
		"'%.*s' is no phase; there are idle-head, startup, steady, dip, down, tail and unseen", SLICE(slice_shown(text)));
}

bool trial_read_phases(struct trial_reader *r, const struct yaml_node *node)
{
	struct rule_test *const test = r->test;
	struct slice rest = node->text;
	time_ms at = 0;

	if (!trial_is_text(r, "phases", node))
		return false;
	test->find_phases = slice_is(node->text, "found");
	if (test->find_phases)
		return true;
	test->phases = NEW_ARRAY(r->mem, struct phase_span, slice_count(node->text, ',') + 1);
	while (rest.p) {
		const struct slice piece = take_piece(&rest);
		struct phase_span *const p = &test->phases[test->n_phases];
		struct slice name = { NULL, 0 };
		time_ms length = 0;
		if (!split_piece(r, node, piece, &name, &length))
			return false;
		if (!phase_find(name, &p->phase))
			return complain_phase(r, node, name);
		p->span = (struct span){ at, at + length };
		at = p->span.end;
		test->n_phases++;
	}
	struct phase_span *const last = &test->phases[test->n_phases - 1];
	if (r->given_good && last->span.begin >= test->length)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "the last phase begins after the test, which is %s long",
			trial_moment_text(r->mem, test->length));
	last->span.end = test->length;
	return true;
}
