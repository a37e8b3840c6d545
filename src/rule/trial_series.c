/*
 * trial_series.c - `given` of a test: who is there, and what was measured of them.
 *
 *     gpu.util: {0-2: 100 x 5 min, 3: "20..80 x 1 min, 80 x 4 min"}
 *     core.busy: {0: 99 x 5 min, 1-7: 5~5 x 5 min}
 *     gpu.power_limit: 700 x 5 min            of all GPUs that stand anywhere in the test; else of GPU 0
 *
 * First all maps are searched for entities, then each series is read once and given to all that it is meant for. Here only
 * pieces are kept; samples are made when a test runs (trial.c).
 */
#include "rule/trial_parts.h"

#include <math.h>

#define SAMPLES_MAX 10000000 /* of a test, all series together */
#define NUMBER_MAX 1023      /* of a GPU or core */
#define PIECE_MAX_S (366.0 * 86400)
#define MEMBERS_MAX ((size_t)4096)

/* ------ entities ------ */

static const struct entity *entity_known(const struct rule_test *test, const struct entity *e)
{
	for (size_t i = 0; i < test->n_entities; i++)
		if (test->entities[i]->scope == e->scope && entity_compare(test->entities[i], e) == 0)
			return test->entities[i];
	return NULL;
}

static bool enter_entity(struct trial_reader *r, enum scope scope, struct slice host, int index)
{
	struct rule_test *const test = r->test;
	const struct entity e = { .scope = scope, .host = arena_text(r->mem, host.p, host.n), .index = index };

	if (entity_known(test, &e))
		return true;
	if (test->n_entities == MEMBERS_MAX)
		return false;
	if ((test->n_entities & (test->n_entities - 1)) == 0) {
		const struct entity **const larger = NEW_ARRAY(r->mem, const struct entity *, test->n_entities ? test->n_entities * 2 : 1);
		if (test->n_entities)
			memcpy(larger, test->entities, test->n_entities * sizeof *larger);
		test->entities = larger;
	}
	struct entity *const kept = NEW(r->mem, struct entity);
	*kept = e;
	test->entities[test->n_entities++] = kept;
	return true;
}

/* "3", "0-2"; -1 for what is none. */
static bool range_parse(struct slice text, int *first, int *last)
{
	const char *const dash = memchr(text.p, '-', text.n);
	const struct slice left = { text.p, dash ? (size_t)(dash - text.p) : text.n };
	const struct slice right = dash ? (struct slice){ dash + 1, text.n - left.n - 1 } : left;
	int64_t a, b;

	if (!integer_parse(slice_trim(left), &a) || !integer_parse(slice_trim(right), &b) || a < 0 || b < a || b > NUMBER_MAX)
		return false;
	*first = (int)a;
	*last = (int)b;
	return true;
}

struct slice trial_take_host(struct slice *text)
{
	const char *const slash = memchr(text->p, '/', text->n);
	const struct slice host = { text->p, slash ? (size_t)(slash - text->p) : 0 };

	if (!slash)
		return slice_of(TRIAL_HOST);
	*text = (struct slice){ slash + 1, text->n - host.n - 1 };
	return slice_trim(host);
}

bool trial_each_number(struct slice text, bool (*take)(void *context, int number), void *context)
{
	while (text.n) {
		const char *const comma = memchr(text.p, ',', text.n);
		const struct slice part = { text.p, comma ? (size_t)(comma - text.p) : text.n };
		int first, last;
		if (!range_parse(slice_trim(part), &first, &last))
			return false;
		for (int i = first; i <= last; i++)
			if (!take(context, i))
				return false;
		text = comma ? (struct slice){ comma + 1, text.n - part.n - 1 } : (struct slice){ text.p + text.n, 0 };
	}
	return true;
}

struct entering {
	struct trial_reader *r;
	enum scope scope;
	struct slice host;
};

static bool enter_number(void *context, int number)
{
	const struct entering *const e = context;

	return enter_entity(e->r, e->scope, e->host, number);
}

/* A series inside of { } ends at a comma for YAML, which then sees a key. */
static bool looks_like_piece(struct slice key)
{
	return slice_has(key, " x ");
}

static bool enter_key(struct trial_reader *r, const struct yaml_node *child, enum scope scope)
{
	struct slice rest = slice_trim(child->key);

	if (looks_like_piece(child->key))
		return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "inside of { } a comma ends the series; put the series in quotes");
	if (scope == SCOPE_HOST) {
		if (rest.n && !slice_has(rest, "/") && enter_entity(r, scope, rest, 0))
			return true;
		return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "'%.*s' is no host; write its name, such as %s",
			SLICE(trial_quoted(rest)), TRIAL_HOST);
	}
	struct entering e = { r, scope, trial_take_host(&rest) };
	if (rest.n && e.host.n && trial_each_number(rest, enter_number, &e))
		return true;
	return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "'%.*s' is no %s; write its number, such as 3, 0-2 or node02/3",
		SLICE(trial_quoted(child->key)), scope == SCOPE_GPU ? "GPU" : "core");
}

static bool metric_of_key(struct trial_reader *r, const struct yaml_node *child, enum metric *metric)
{
	if (metric_find(child->key, metric))
		return true;
	const char *const meant = metric_nearest(child->key);
	return TRIAL_COMPLAIN_KEY(r, child, DIAG_UNKNOWN_NAME, "unknown metric '%.*s'%s%s%s", SLICE(trial_quoted(child->key)),
		meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static bool has_scope(const struct rule_test *test, enum scope scope)
{
	for (size_t i = 0; i < test->n_entities; i++)
		if (test->entities[i]->scope == scope)
			return true;
	return false;
}

/* Those that maps name; then, of each scope that has a series and no map, the first. */
static void enter_all(struct trial_reader *r, const struct yaml_node *given)
{
	enum metric metric;

	for (const struct yaml_node *child = given->first; child; child = child->next) {
		if (!metric_of_key(r, child, &metric) || child->kind != YAML_MAP)
			continue;
		if (metric_table[metric].scope == SCOPE_RUN) {
			TRIAL_COMPLAIN_NODE(r, child, DIAG_BAD_VALUE, "%s is of the run; it has one series", metric_table[metric].name);
			continue;
		}
		for (const struct yaml_node *key = child->first; key; key = key->next)
			enter_key(r, key, metric_table[metric].scope);
	}
	for (const struct yaml_node *child = given->first; child; child = child->next)
		if (child->kind == YAML_SCALAR && metric_find(child->key, &metric) && !has_scope(r->test, metric_table[metric].scope))
			enter_entity(r, metric_table[metric].scope,
				metric_table[metric].scope == SCOPE_RUN ? slice_of("") : slice_of(TRIAL_HOST), 0);
}

/* Hosts of GPUs and cores are there as well: what is said of all hosts is said of them. */
static void enter_hosts(struct trial_reader *r)
{
	const size_t n = r->test->n_entities;

	for (size_t i = 0; i < n; i++)
		if (r->test->entities[i]->scope != SCOPE_RUN)
			enter_entity(r, SCOPE_HOST, slice_of(r->test->entities[i]->host), 0);
}

/* ------ pieces ------ */

struct cell { /* a number as it was written */
	fixed number;
	bool has_unit;
	enum unit unit;
};

static bool piece_complain_value(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric)
{
	return trial_complain_part(r, node, text, DIAG_BAD_VALUE,
		"'%.*s' is no value of %s; a piece is VALUE x DURATION, such as '95 x 60 s'",
		SLICE(trial_quoted(text)), metric_table[metric].name);
}

static bool complain_reason(struct trial_reader *r, const struct yaml_node *node, struct slice text)
{
	const char **const names = NEW_ARRAY(r->mem, const char *, n_throttle_reasons);

	for (size_t i = 0; i < n_throttle_reasons; i++)
		names[i] = throttle_reasons[i].name;
	const char *const meant = nearest_name(text, names, n_throttle_reasons);
	return trial_complain_part(r, node, text, DIAG_UNKNOWN_NAME, "unknown reason '%.*s'%s%s%s", SLICE(trial_quoted(text)),
		meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static bool read_cell(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct cell *out)
{
	const enum dimension wanted = unit_table[metric_table[metric].unit].dimension;
	struct slice rest;

	if (!text.n)
		return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "a value of %s is missing", metric_table[metric].name);
	if (!fixed_parse(text, &out->number, &rest))
		return piece_complain_value(r, node, text, metric);
	out->has_unit = rest.n > 0;
	out->unit = metric_table[metric].unit;
	if (!rest.n)
		return true;
	if (!unit_find(rest, &out->unit))
		return trial_complain_part(r, node, rest, DIAG_BAD_VALUE, "unknown unit '%.*s'", SLICE(trial_quoted(rest)));
	if (unit_table[out->unit].dimension == wanted)
		return true;
	return trial_complain_part(r, node, text, DIAG_BAD_DIMENSION, "'%.*s' is %s, %s is %s", SLICE(trial_quoted(text)),
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
	return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "%s is never %s %s", m->name, low < m->low ? "below" : "above",
		quantity_text(r->mem, (struct quantity){ beyond, m->unit }));
}

/* "hw_thermal+sw_power", "none": the mask that has these bits. */
static bool read_reasons(struct trial_reader *r, const struct yaml_node *node, struct slice text, fixed *out)
{
	*out = 0;
	if (slice_is(text, "none"))
		return true;
	while (text.n) {
		const char *const plus = memchr(text.p, '+', text.n);
		const struct slice part = { text.p, plus ? (size_t)(plus - text.p) : text.n }, name = slice_trim(part);
		size_t i = 0;
		while (i < n_throttle_reasons && !slice_is(name, throttle_reasons[i].name))
			i++;
		if (i == n_throttle_reasons)
			return complain_reason(r, node, name);
		*out = (fixed)((uint64_t)(*out / FIXED_ONE) | throttle_reasons[i].bit) * FIXED_ONE;
		text = plus ? (struct slice){ plus + 1, text.n - part.n - 1 } : (struct slice){ text.p + text.n, 0 };
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
		return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "'%.*s': noise is not less than 0", SLICE(trial_quoted(text)));
	const double middle = fixed_value(out->from), width = fixed_value(out->to);
	return can_be(r, node, text, metric, middle - width, middle + width);
}

static bool read_value(struct trial_reader *r, const struct yaml_node *node, struct slice text, enum metric metric, struct trial_piece *out)
{
	struct cell cell;

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
		return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "'%.*s' is no duration above 0, such as '60 s'",
			SLICE(trial_quoted(text)));
	if (seconds > PIECE_MAX_S)
		return trial_complain_part(r, node, text, DIAG_LIMIT, "a piece of more than 366 days");
	*out = (time_ms)llround(seconds * (double)SECOND_MS);
	return true;
}

static bool split_piece(struct trial_reader *r, const struct yaml_node *node, struct slice piece, struct slice *value, time_ms *length)
{
	const char *const x = last_x(piece);

	if (!piece.n)
		return trial_complain_part(r, node, piece, DIAG_BAD_VALUE, "a piece is missing: VALUE x DURATION, such as '95 x 60 s'");
	if (!x)
		return trial_complain_part(r, node, piece, DIAG_BAD_VALUE,
			"'%.*s' has no duration; a piece is VALUE x DURATION, such as '95 x 60 s'",
			SLICE(trial_quoted(piece)));
	*value = slice_trim((struct slice){ piece.p, (size_t)(x - piece.p) });
	return read_length(r, node, slice_trim((struct slice){ x + 1, piece.n - (size_t)(x - piece.p) - 1 }), length);
}

static size_t count_pieces(struct slice text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == ',';
	return n;
}

/* Takes the next piece off the front, trimmed; its place stays that of its text. */
static struct slice take_piece(struct slice *rest)
{
	const char *const comma = memchr(rest->p, ',', rest->n);
	const struct slice piece = { rest->p, comma ? (size_t)(comma - rest->p) : rest->n };

	*rest = comma ? (struct slice){ comma + 1, rest->n - piece.n - 1 } : (struct slice){ NULL, 0 };
	return slice_trim(piece);
}

/* A series in the making. */
struct series_draft {
	struct trial_reader *r;
	const struct yaml_node *node;
	enum metric metric;
	struct trial_piece *pieces;
	size_t n, room;
	size_t group; /* index of the first piece inside of ( ) */
	int64_t times; /* that the group comes; 0: none is open */
	bool good;
};

#define PIECES_MAX ((size_t)100000)
#define TIMES_MAX 10000

static void add_piece(struct series_draft *d, const struct trial_piece *piece, time_ms length)
{
	const time_ms begin = d->n ? d->pieces[d->n - 1].end : 0;

	if (d->n == d->room) {
		d->room = d->room ? d->room * 2 : 8;
		struct trial_piece *const larger = NEW_ARRAY(d->r->mem, struct trial_piece, d->room);
		if (d->n)
			memcpy(larger, d->pieces, d->n * sizeof *larger);
		d->pieces = larger;
	}
	d->pieces[d->n++] = (struct trial_piece){ piece->kind, begin, begin + length, piece->from, piece->to };
}

/* "3 of (": takes it off the front of the group's first piece. */
static bool open_group(struct series_draft *d, struct slice *piece)
{
	const char *const paren = memchr(piece->p, '(', piece->n);

	if (!paren)
		return true;
	const struct slice head = { piece->p, (size_t)(paren - piece->p) };
	struct slice rest = head;
	const struct slice times = slice_word(&rest), of = slice_word(&rest);
	if (d->times || !integer_parse(times, &d->times) || d->times < 1 || d->times > TIMES_MAX || !slice_is(of, "of") ||
		slice_trim(rest).n) {
		d->times = 1; /* so that its end is no second mistake */
		return trial_complain_part(d->r, d->node, (struct slice){ head.p, head.n + 1 }, DIAG_BAD_VALUE,
			"'%.*s(' begins no group; write '3 of (10 x 5 s, 95 x 5 s)', from 1 to %d times, without another one inside",
			SLICE(trial_quoted(head)), TIMES_MAX);
	}
	*piece = slice_trim((struct slice){ paren + 1, piece->n - head.n - 1 });
	d->group = d->n;
	return true;
}

static bool close_group(struct series_draft *d, struct slice end)
{
	const size_t n = d->n - d->group;

	if (!d->times)
		return trial_complain_part(d->r, d->node, end, DIAG_BAD_VALUE, "nothing opens this ')'");
	if (n * (size_t)d->times > PIECES_MAX)
		return trial_complain_part(d->r, d->node, end, DIAG_LIMIT, "a series of more than %zu pieces", PIECES_MAX);
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
	struct slice value;
	time_ms length;

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

static bool read_series(struct trial_reader *r, const struct yaml_node *node, enum metric metric, struct trial_series *out)
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

/* ------ series to entities ------ */

static bool read_step(struct trial_reader *r, const struct yaml_node *node, time_ms *out)
{
	double seconds;

	if (!trial_is_text(r, "step", node))
		return false;
	if (!duration_parse(node->text, &seconds) || !(seconds * 1000 >= 1) || seconds > PIECE_MAX_S)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no duration above 0, such as '5 s'",
			SLICE(trial_quoted(node->text)));
	*out = (time_ms)llround(seconds * (double)SECOND_MS);
	return true;
}

static time_ms step_of(const struct trial_reader *r, enum metric metric)
{
	double seconds = 1;
	enum metric other;

	if (r->steps && r->steps->kind == YAML_SCALAR)
		duration_parse(r->steps->text, &seconds);
	for (const struct yaml_node *child = r->steps ? r->steps->first : NULL; child; child = child->next)
		if (metric_find(child->key, &other) && other == metric && child->kind == YAML_SCALAR)
			duration_parse(child->text, &seconds);
	return seconds * 1000 >= 1 && seconds <= PIECE_MAX_S ? (time_ms)llround(seconds * (double)SECOND_MS) : SECOND_MS;
}

static void check_steps(struct trial_reader *r)
{
	enum metric metric;
	time_ms ignored;

	if (!r->steps)
		return;
	if (r->steps->kind != YAML_MAP) {
		read_step(r, r->steps, &ignored);
		return;
	}
	for (const struct yaml_node *child = r->steps->first; child; child = child->next)
		if (metric_of_key(r, child, &metric))
			read_step(r, child, &ignored);
}

static bool is_given(const struct rule_test *test, enum metric metric, const struct entity *e)
{
	for (size_t i = 0; i < test->n_series; i++)
		if (test->series[i].metric == metric && test->series[i].entity == e)
			return true;
	return false;
}

/* Is any sample made? Somebody without a row would not be there, and all that is expected of him would hold. */
static bool has_rows(const struct trial_series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct trial_piece *const p = &s->pieces[i];
		if (p->kind != PIECE_HOLE && (p->begin + s->step - 1) / s->step * s->step < p->end)
			return true;
	}
	return false;
}

static bool add_series(struct trial_reader *r, const struct yaml_node *node, const struct trial_series *series, const struct entity *e)
{
	struct rule_test *const test = r->test;
	const time_ms length = series->n ? series->pieces[series->n - 1].end : 0;

	if (is_given(test, series->metric, e))
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_DUPLICATE, "%s of %s is given twice", metric_table[series->metric].name,
			entity_label(r->mem, e));
	if ((test->n_series & (test->n_series - 1)) == 0) {
		struct trial_series *const larger = NEW_ARRAY(r->mem, struct trial_series, test->n_series ? test->n_series * 2 : 1);
		if (test->n_series)
			memcpy(larger, test->series, test->n_series * sizeof *larger);
		test->series = larger;
	}
	struct trial_series *const kept = &test->series[test->n_series++];
	*kept = *series;
	kept->entity = e;
	kept->step = step_of(r, series->metric);
	if (!has_rows(kept))
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_BAD_VALUE, "the series is nothing but a hole; without a log leave it out");
	test->length = length > test->length ? length : test->length;
	if (length / kept->step >= SAMPLES_MAX - (time_ms)r->n_samples) {
		r->n_samples = 0; /* told once */
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_LIMIT, "more than 10 million samples in a test; take a coarser step");
	}
	r->n_samples += (size_t)(length / kept->step) + 1;
	return true;
}

struct adding {
	struct trial_reader *r;
	const struct yaml_node *node;
	const struct trial_series *series;
	enum scope scope;
	struct slice host;
};

static bool add_number(void *context, int number)
{
	const struct adding *const a = context;
	const struct entity e = { .scope = a->scope, .host = arena_text(a->r->mem, a->host.p, a->host.n), .index = number };

	return add_series(a->r, a->node, a->series, entity_known(a->r->test, &e));
}

static void add_by_key(struct trial_reader *r, const struct yaml_node *child, const struct trial_series *series)
{
	struct slice rest = slice_trim(child->key);
	struct adding a = { r, child, series, metric_table[series->metric].scope, rest };

	if (a.scope == SCOPE_HOST) {
		add_number(&a, 0);
		return;
	}
	a.host = trial_take_host(&rest);
	trial_each_number(rest, add_number, &a);
}

static void add_to_all(struct trial_reader *r, const struct yaml_node *child, const struct trial_series *series)
{
	for (size_t i = 0; i < r->test->n_entities; i++)
		if (r->test->entities[i]->scope == metric_table[series->metric].scope)
			add_series(r, child, series, r->test->entities[i]);
}

/* `who_known`: else the series are only read, for their own mistakes. */
static void add_metric(struct trial_reader *r, const struct yaml_node *child, enum metric metric, bool who_known)
{
	struct trial_series series;

	if (child->kind == YAML_MAP) {
		for (const struct yaml_node *key = child->first; key; key = key->next)
			if (!looks_like_piece(key->key) && read_series(r, key, metric, &series) && who_known)
				add_by_key(r, key, &series);
		return;
	}
	if (read_series(r, child, metric, &series) && who_known)
		add_to_all(r, child, &series);
}

bool trial_read_given(struct trial_reader *r, const struct yaml_node *given)
{
	const size_t n_before = r->n_problems;
	enum metric metric;

	if (given->kind != YAML_MAP)
		return TRIAL_COMPLAIN_NODE(r, given, DIAG_BAD_VALUE, "'given' must be a map of metrics and series");
	check_steps(r);
	enter_all(r, given);
	enter_hosts(r);
	const bool who_known = r->n_problems == n_before;
	for (const struct yaml_node *child = given->first; child; child = child->next)
		if (metric_find(child->key, &metric))
			add_metric(r, child, metric, who_known);
	if (r->n_problems == n_before && r->test->length == 0)
		TRIAL_COMPLAIN_NODE(r, given, DIAG_BAD_VALUE, "'given' has no series");
	return r->n_problems == n_before;
}

/* ------ phases ------ */

/* As texts and conditions write it: "idle-head", "idle_head". */
static bool phase_find(struct slice text, enum phase *out)
{
	for (int p = 0; p < N_PHASES; p++) {
		const char *const name = phase_name((enum phase)p);
		bool same = text.n == strlen(name);
		for (size_t i = 0; same && i < text.n; i++)
			same = text.p[i] == name[i] || (text.p[i] == '_' && name[i] == '-');
		if (same) {
			*out = (enum phase)p;
			return true;
		}
	}
	return false;
}

static bool complain_phase(struct trial_reader *r, const struct yaml_node *node, struct slice text)
{
	const char *names[N_PHASES];

	for (int p = 0; p < N_PHASES; p++)
		names[p] = phase_name((enum phase)p);
	const char *const meant = nearest_name(text, names, N_PHASES);
	if (meant)
		return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "'%.*s' is no phase; did you mean '%s'?",
			SLICE(trial_quoted(text)), meant);
	return trial_complain_part(r, node, text, DIAG_BAD_VALUE, "'%.*s' is no phase; there are idle-head, startup, steady and tail",
		SLICE(trial_quoted(text)));
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
	test->phases = NEW_ARRAY(r->mem, struct phase_span, count_pieces(node->text));
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
