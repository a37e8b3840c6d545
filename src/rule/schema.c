/*
 * schema.c - from the tree of a rule file to a rule, by a table of keys.
 *
 *     id: gpu-starved-by-cpu
 *     severty: critical              3:1 unknown key 'severty'; did you mean 'severity'?
 *     params:
 *       low: {value: 70 %, reason: "below this a step waits"}
 *     when: gpu.util < low and host.cpu.busy > 90 %
 *
 * A key is one row: what kind of node it needs, whether every rule must have it, and the
 * function that takes it. Rows stand in the order in which they are taken: conditions need the scope
 * and the params, texts need the names of params and evidence. Everything that is wrong is told,
 * each thing once: a misspelt key does not also miss, and a file whose scope can't be read does not
 * complain about every metric in it.
 */
#include "rule/schema.h"

#include "base/file.h"
#include "rule/expression.h"
#include "rule/lexer.h"

#include <math.h>
#include <stdio.h>

#define SHORT_MAX_COLUMNS 28
#define ID_MAX_BYTES 64
#define DURATION_MAX_S (366.0 * 86400)
#define PROBLEMS_MAX 100 /* in one file; who has more reads the first hundred first */
#define ALL_PHASES ((1u << N_PHASES) - 1)

/* A rule that is being read. */
struct draft {
	struct arena *mem;
	struct slice source;
	struct diags *diags;
	const char *path;
	struct rule *rule;
	bool scope_known;
	bool names_known; /* params and evidence are all good, so that texts can be checked against them */
	size_t n_problems;
};

enum key_kind {
	KEY_TEXT,  /* prose for people */
	KEY_VALUE, /* a word, a quantity, an expression */
	KEY_TEXTS, /* a list of prose */
	KEY_WORDS, /* a word, or a list of words */
	KEY_MAP,
};

struct key {
	const char *name;
	enum key_kind kind;
	bool required;
	void (*take)(struct draft *d, const struct key *key, const struct yaml_node *node);
	size_t offset; /* of the member of struct rule that it fills; unused by some */
};

/* ------ complaints ------ */

bool rule_complain(struct diags *diags, struct slice source, struct place place, int width, enum diag_code code,
	const char *format, ...)
{
	char words[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	diag_at(diags, place, code, "%s", words);
	if (place.line > 0)
		diag_excerpt(diags, source_line(source, place.line), width > 0 ? width : 1);
	return false;
}

#define COMPLAIN(d, place, width, code, ...) \
	(++(d)->n_problems > PROBLEMS_MAX ? false \
	                                  : rule_complain((d)->diags, (d)->source, (place), (width), (code), __VA_ARGS__))
#define COMPLAIN_NODE(d, node, code, ...) COMPLAIN(d, (node)->place, (node)->width, code, __VA_ARGS__)

static int columns_of(struct slice text)
{
	int columns = 0;

	for (size_t i = 0; i < text.n; i++)
		columns += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	return columns;
}

/* Enough of a text to recognise it, never half a character. */
static struct slice quoted(struct slice text)
{
	size_t n = text.n < 40 ? text.n : 40;

	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	return (struct slice){ text.p, n };
}

/* ------ words ------ */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* A letter, then letters, digits and `joint`. */
static bool is_name(struct slice text, char joint)
{
	if (text.n == 0 || text.n > ID_MAX_BYTES || !is_lower(text.p[0]))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!is_lower(text.p[i]) && !(text.p[i] >= '0' && text.p[i] <= '9') && text.p[i] != joint)
			return false;
	return true;
}

struct slice rule_file_id(const char *path)
{
	const char *const name = path_name(path);
	const char *const dot = strrchr(name, '.');

	return (struct slice){ name, dot && strcmp(dot, ".yaml") == 0 ? (size_t)(dot - name) : strlen(name) };
}

/* Index of the word, or n with a complaint that offers the nearest or all. */
static size_t word_index(struct draft *d, const char *what, const struct yaml_node *node, const char *const *words, size_t n,
	const char *all)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(node->text, words[i]))
			return i;
	const char *const meant = nearest_name(node->text, words, n);
	const struct slice text = quoted(node->text);
	if (meant)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; did you mean '%s'?", SLICE(text), what, meant);
	else
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%.*s' is no %s; there are %s", SLICE(text), what, all);
	return n;
}

/* ------ kinds of nodes ------ */

static const char *kind_name(enum yaml_kind kind)
{
	return kind == YAML_LIST ? "a list" : kind == YAML_MAP ? "a map" : "a text";
}

/* People mean a text when they write `title: {gpus} waited`. */
static bool is_scalar(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR)
		return true;
	const char opening = node->kind == YAML_MAP ? '{' : '[';
	if (node->byte < d->source.n && d->source.p[node->byte] == opening)
		return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE,
			"'%s' must be a text, this is %s; a text that begins with '%c' must be in quotes", subject,
			kind_name(node->kind), opening);
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a text, this is %s", subject, kind_name(node->kind));
}

static bool is_filled(struct draft *d, const char *subject, const struct yaml_node *node)
{
	if (!is_scalar(d, subject, node))
		return false;
	for (size_t i = 0; i < node->text.n; i++)
		if (!strchr(" \t\n", node->text.p[i]))
			return true;
	return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' is empty", subject);
}

static bool is_quoted(const struct draft *d, const struct yaml_node *node)
{
	return node->byte > 0 && (d->source.p[node->byte - 1] == '"' || d->source.p[node->byte - 1] == '\'');
}

/*
 * YAML ends a text without quotes at " #" and says nothing: "see issue #12" would become "see issue".
 * Two blanks before the '#', or a blank behind it, are how comments are written.
 */
static bool is_whole(struct draft *d, const struct yaml_node *node)
{
	const struct place end = yaml_place(node, d->source, node->text.n);
	const struct slice line = source_line(d->source, end.line);
	size_t at = 0;

	for (int column = 1; column < end.column && at < line.n; column++)
		do
			at++;
		while (at < line.n && ((unsigned char)line.p[at] & 0xC0) == 0x80);
	const struct slice rest = slice_trim((struct slice){ line.p + at, line.n - at });
	if (is_quoted(d, node) || rest.n == 0 || rest.p[0] != '#')
		return true;
	if (rest.p - (line.p + at) > 1 || (rest.n > 1 && rest.p[1] == ' '))
		return true;
	const struct place place = { end.path, end.line, end.column + (int)(rest.p - (line.p + at)) };
	return COMPLAIN(d, place, 1, DIAG_BAD_VALUE, "' #' cuts this text off; put it in quotes");
}

static bool is_prose(struct draft *d, const char *subject, const struct yaml_node *node)
{
	return is_filled(d, subject, node) && is_whole(d, node);
}

static bool are_all(struct draft *d, const char *subject, const struct yaml_node *list,
	bool (*fits)(struct draft *, const char *, const struct yaml_node *))
{
	bool all = true;

	if (!list->first)
		return COMPLAIN_NODE(d, list, DIAG_BAD_VALUE, "'%s' is empty", subject);
	for (const struct yaml_node *item = list->first; item; item = item->next)
		all = fits(d, subject, item) && all;
	return all;
}

static bool fits_kind(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	switch (key->kind) {
	case KEY_TEXT:
		return is_prose(d, key->name, node);
	case KEY_VALUE:
		return is_filled(d, key->name, node);
	case KEY_TEXTS:
		if (node->kind != YAML_LIST)
			return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a list of texts, this is %s", key->name,
				kind_name(node->kind));
		return are_all(d, key->name, node, is_prose);
	case KEY_WORDS:
		return node->kind == YAML_LIST ? are_all(d, key->name, node, is_filled) : is_filled(d, key->name, node);
	case KEY_MAP:
		if (node->kind != YAML_MAP)
			return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a map, this is %s", key->name, kind_name(node->kind));
		return true;
	}
	BUG("a kind of key without a check");
}

static size_t children_of(const struct yaml_node *node)
{
	size_t n = 0;

	for (const struct yaml_node *child = node->first; child; child = child->next)
		n++;
	return n;
}

/* A scalar counts as a list of one. */
static const struct yaml_node *first_item(const struct yaml_node *node)
{
	return node->kind == YAML_LIST ? node->first : node;
}

/* Block texts end with a line end that nobody wrote for people to see. */
static struct slice without_last_line_end(struct slice text)
{
	while (text.n > 0 && strchr(" \t\n", text.p[text.n - 1]))
		text.n--;
	return text;
}

static const char *text_copy(struct draft *d, const struct yaml_node *node)
{
	const struct slice text = without_last_line_end(node->text);

	return arena_text(d->mem, text.p, text.n);
}

static void *member(struct draft *d, const struct key *key)
{
	return (char *)d->rule + key->offset;
}

/* ------ plain keys ------ */

static void take_id(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct slice id = rule_file_id(d->path), text = quoted(node->text);

	if (node->text.n != id.n || memcmp(node->text.p, id.p, id.n) != 0)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "%s '%.*s' in a file for '%.*s'", key->name, SLICE(text), SLICE(quoted(id)));
}

static void take_line(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char *const text = text_copy(d, node);

	if (strchr(text, '\n'))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be one line", key->name);
	*(const char **)member(d, key) = text;
}

static void take_short(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const int columns = columns_of(node->text);

	take_line(d, key, node);
	if (columns > SHORT_MAX_COLUMNS)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'short' has %d characters, %d at most fit on a chart", columns, SHORT_MAX_COLUMNS);
}

static void take_severity(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char *const names[] = {
		severity_name(SEVERITY_NOTE), severity_name(SEVERITY_WARNING), severity_name(SEVERITY_CRITICAL),
	};

	d->rule->severity = (enum severity)word_index(d, key->name, node, names, 3, "critical, warning and note");
}

static void take_scope(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	static const enum scope scopes[] = { SCOPE_GPU, SCOPE_HOST, SCOPE_RUN };
	const char *const names[] = { scope_name(SCOPE_GPU), scope_name(SCOPE_HOST), scope_name(SCOPE_RUN) };
	const size_t i = word_index(d, key->name, node, names, 3, "gpu, host and run");

	d->scope_known = i < 3;
	d->rule->scope = d->scope_known ? scopes[i] : SCOPE_GPU;
}

static void take_during(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char *names[N_PHASES + 1];

	for (int phase = 0; phase < N_PHASES; phase++)
		names[phase] = phase_name((enum phase)phase);
	names[N_PHASES] = "run";
	(void)key;
	d->rule->during = 0;
	for (const struct yaml_node *item = first_item(node); item; item = node->kind == YAML_LIST ? item->next : NULL) {
		const size_t i = word_index(d, "phase", item, names, N_PHASES + 1, "idle-head, startup, steady, tail and run");
		d->rule->during |= i < N_PHASES ? 1u << i : ALL_PHASES;
	}
}

static bool quantity_of(struct draft *d, const struct yaml_node *node, struct quantity *q)
{
	if (quantity_compile(node, d->source, q, d->diags))
		return true;
	d->n_problems++;
	return false;
}

static void take_duration(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct quantity q;

	if (!quantity_of(d, node, &q))
		return;
	if (unit_table[q.unit].dimension != DIM_TIME) {
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be a time such as '10 s', this is %s", key->name,
			dimension_name(unit_table[q.unit].dimension));
		return;
	}
	const double seconds = quantity_in(q, UNIT_SECOND).value;
	if (!(seconds >= 0 && seconds <= DURATION_MAX_S)) {
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be between 0 s and 366 days", key->name);
		return;
	}
	*(time_ms *)member(d, key) = (time_ms)llround(seconds * (double)SECOND_MS);
}

static void take_coverage(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct quantity q;

	if (!quantity_of(d, node, &q))
		return;
	if (q.unit != UNIT_PERCENT || !(q.value >= 0 && q.value <= 100))
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must be between '0 %%' and '100 %%'", key->name);
	d->rule->min_coverage = q.value / 100;
}

static void take_texts(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const char **const texts = NEW_ARRAY(d->mem, const char *, node->kind == YAML_LIST ? children_of(node) : 1);
	size_t n = 0;

	for (const struct yaml_node *item = first_item(node); item; item = node->kind == YAML_LIST ? item->next : NULL)
		texts[n++] = text_copy(d, item);
	*(struct texts *)member(d, key) = (struct texts){ texts, n };
}

/* ------ params and evidence: maps whose keys are names of the author's ------ */

static bool name_is_taken(const struct draft *d, struct slice name)
{
	if (field_find(&text_value_fields, name))
		return true;
	for (size_t i = 0; i < d->rule->n_params; i++)
		if (slice_same(d->rule->params[i].name, name))
			return true;
	return false;
}

/* Params are used in conditions, where a metric's name would hide them; evidence only in texts. */
static bool name_is_usable(struct draft *d, const struct yaml_node *node, bool is_for_conditions)
{
	const struct slice name = quoted(node->key);
	const int width = columns_of(node->key);
	enum metric metric;

	if (!is_name(node->key, '_'))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE,
			"'%.*s' is no name; names have small letters, digits and '_'", SLICE(name));
	if (word_is_reserved(node->key))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE, "'%.*s' is a word of the rule language", SLICE(name));
	if (is_for_conditions && metric_find(node->key, &metric))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE, "'%.*s' is a metric", SLICE(name));
	if (name_is_taken(d, node->key))
		return COMPLAIN(d, node->key_place, width, DIAG_DUPLICATE, "'%.*s' has a meaning already", SLICE(name));
	return true;
}

/* "value" and "reason", or their misspelling; the misspelt one does not count as missing. */
static bool part_is_there(struct draft *d, const struct yaml_node *map, const char *part)
{
	if (yaml_get(map, part))
		return true;
	for (const struct yaml_node *child = map->first; child; child = child->next)
		if (nearest_name(child->key, &part, 1))
			return false;
	return COMPLAIN(d, map->key_place, columns_of(map->key), DIAG_MISSING_KEY, "parameter '%.*s' has no '%s'",
		SLICE(quoted(map->key)), part);
}

static bool parts_are_known(struct draft *d, const struct yaml_node *map)
{
	static const char *const parts[] = { "value", "reason" };
	bool known = true;

	for (const struct yaml_node *child = map->first; child; child = child->next) {
		if (slice_is(child->key, parts[0]) || slice_is(child->key, parts[1]))
			continue;
		const char *const meant = nearest_name(child->key, parts, 2);
		known = COMPLAIN(d, child->key_place, columns_of(child->key), DIAG_UNKNOWN_KEY, "unknown key '%.*s'%s%s%s",
			SLICE(quoted(child->key)), meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
	}
	return known;
}

static bool param_is_complete(struct draft *d, const struct yaml_node *node)
{
	if (node->kind != YAML_MAP)
		return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "parameter '%.*s' must be a map such as {value: 70 %%, reason: \"…\"}",
			SLICE(quoted(node->key)));
	const bool known = parts_are_known(d, node);
	const bool has_value = part_is_there(d, node, "value");
	const bool has_reason = part_is_there(d, node, "reason");
	return known && has_value && has_reason;
}

static bool read_param(struct draft *d, const struct yaml_node *node, struct param *out)
{
	if (!name_is_usable(d, node, true) || !param_is_complete(d, node))
		return false;
	const struct yaml_node *const value = yaml_get(node, "value"), *const reason = yaml_get(node, "reason");
	const bool reasoned = is_prose(d, "reason", reason);
	if (!is_filled(d, "value", value) || !quantity_of(d, value, &out->value) || !reasoned)
		return false;
	out->name = node->key;
	out->reason = text_copy(d, reason);
	out->place = node->key_place;
	return true;
}

static void take_params(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	(void)key;
	d->rule->params = NEW_ARRAY(d->mem, struct param, children_of(node));
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (read_param(d, child, &d->rule->params[d->rule->n_params]))
			d->rule->n_params++;
		else
			d->names_known = false;
	}
}

static const struct expression *compile(struct draft *d, const struct yaml_node *node, bool want_condition)
{
	const struct expression_context context = {
		.params = d->rule->params,
		.n_params = d->rule->n_params,
		.scope = d->rule->scope,
		.want = want_condition ? WANT_CONDITION : WANT_NUMBER,
		.scope_known = true,
		.after_firing = !want_condition,
	};

	if (!d->scope_known || !d->names_known) /* its names would only be unknown because of earlier mistakes */
		return NULL;
	const struct expression *const e = expression_compile(d->mem, node, d->source, &context, d->diags);
	d->n_problems += !e;
	return e;
}

static void take_evidence(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct evidence_row *const rows = NEW_ARRAY(d->mem, struct evidence_row, children_of(node));
	size_t n = 0;
	bool all_named = true;

	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (!name_is_usable(d, child, false)) {
			all_named = false;
			continue;
		}
		rows[n].name = arena_text(d->mem, child->key.p, child->key.n);
		if (is_filled(d, rows[n].name, child))
			rows[n].expression = compile(d, child, false);
		n++;
	}
	d->names_known = d->names_known && all_named;
	d->rule->evidence = rows;
	d->rule->n_evidence = n;
	(void)key;
}

/* ------ conditions and cost ------ */

/* The metrics that an and-chain asks to be logged. */
static void mark_guarded(const struct expression *e, bool *guarded)
{
	if (e->kind == NODE_LOGGED)
		guarded[e->metric] = true;
	if (e->kind != NODE_AND)
		return;
	mark_guarded(e->left, guarded);
	mark_guarded(e->right, guarded);
}

/* Not measured but said: one row is enough. */
static bool is_told_by_driver(enum metric metric)
{
	return metric == METRIC_GPU_LOST || metric == METRIC_GPU_XID;
}

/* `outer`: what the conditions around it ask to be logged; without that nothing can be answered but "no". */
static void mark_needed(const struct expression *e, const bool *outer, bool *needed, bool *by_flag)
{
	bool guarded[N_METRICS] = { false };

	if (!e)
		return;
	if (outer)
		memcpy(guarded, outer, sizeof guarded);
	mark_guarded(e, guarded);
	if ((e->kind == NODE_METRIC || e->kind == NODE_HAS || e->kind == NODE_HOLE) && !guarded[e->metric])
		needed[e->metric] = true;
	if (e->kind == NODE_HAS || (e->kind == NODE_METRIC && is_told_by_driver(e->metric)))
		*by_flag = true;
	mark_needed(e->left, guarded, needed, by_flag);
	mark_needed(e->right, guarded, needed, by_flag);
}

static bool names_a_metric(const struct expression *e)
{
	if (!e)
		return false;
	return e->kind == NODE_METRIC || e->kind == NODE_HAS || e->kind == NODE_HOLE || names_a_metric(e->left) || names_a_metric(e->right);
}

static bool asks_for_holes(const struct expression *e)
{
	return e && (e->kind == NODE_HOLE || asks_for_holes(e->left) || asks_for_holes(e->right));
}

static size_t count_needed(const bool *needed)
{
	size_t n = 0;

	for (size_t i = 0; i < N_METRICS; i++)
		n += needed[i];
	return n;
}

static void take_condition(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct expression *const e = compile(d, node, true);

	if (e && !names_a_metric(e))
		COMPLAIN_NODE(d, node, DIAG_BAD_EXPRESSION, "'%s' names no metric; it is always the same", key->name);
	*(const struct expression **)member(d, key) = e;
}

static void take_cost(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct expression *const e = compile(d, node, false);

	if (e && e->dimension != DIM_NONE)
		COMPLAIN_NODE(d, node, DIAG_BAD_DIMENSION, "'%s' must be a plain number from 0 to 1, this is %s", key->name,
			dimension_name(e->dimension));
	d->rule->cost = e;
}

/* ------ texts ------ */

/* The offset of a line and column of the text itself. */
static size_t text_offset(struct slice text, int line, int column)
{
	size_t at = 0;

	for (; at < text.n && line > 1; at++)
		line -= text.p[at] == '\n';
	for (; at < text.n && column > 1; column--)
		do
			at++;
		while (at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80);
	return at;
}

/* Templates complain in terms of their text; here these become places in the file, with the line shown. */
static void place_complaints(struct draft *d, const struct yaml_node *node, size_t first, bool relative)
{
	struct diags upto = *d->diags;

	for (size_t i = first; i < d->diags->n; i++) {
		struct diag *const diag = &d->diags->at[i];
		if (relative)
			diag->place = yaml_place(node, d->source, text_offset(node->text, diag->place.line, diag->place.column));
		upto.n = i + 1;
		diag_excerpt(&upto, source_line(d->source, diag->place.line), 1);
	}
}

static const struct template *text_compile(struct draft *d, const struct yaml_node *node)
{
	const size_t n_before = d->diags->n;
	const bool relative = !node->plain_line;
	const struct place place = relative ? (struct place){ d->path, 1, 1 } : node->place;

	if (!d->names_known)
		return NULL;
	if (!d->rule->text_fields)
		d->rule->text_fields = rule_text_fields(d->mem, d->rule);
	const struct template *const t = template_compile(d->mem, without_last_line_end(node->text), place, TAGS_SINGLE_BRACE,
		d->rule->text_fields, d->diags);
	d->n_problems += !t;
	place_complaints(d, node, n_before, relative);
	return t;
}

static void take_template(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	*(const struct template **)member(d, key) = text_compile(d, node);
}

static void take_card(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct slice text = without_last_line_end(node->text);
	size_t n_line_ends = 0;

	for (size_t i = 0; i < text.n; i++)
		n_line_ends += text.p[i] == '\n';
	if (n_line_ends > 1)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' has more than two lines", key->name);
	take_template(d, key, node);
}

static void take_try(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	(void)key;
	d->rule->try = NEW_ARRAY(d->mem, const struct template *, children_of(node));
	for (const struct yaml_node *item = node->first; item; item = item->next)
		d->rule->try[d->rule->n_try++] = text_compile(d, item);
}

/* ------ the table ------ */

#define AT(member) offsetof(struct rule, member)

/* To add a key, add a row where all that it needs has been taken. */
static const struct key keys[] = {
	/* name           kind       required take            fills */
	{ "id",           KEY_VALUE, false,   take_id,        0 },
	{ "severity",     KEY_VALUE, true,    take_severity,  0 },
	{ "scope",        KEY_VALUE, true,    take_scope,     0 },
	{ "short",        KEY_TEXT,  true,    take_short,     AT(short_name) },
	{ "checked",      KEY_TEXT,  true,    take_line,      AT(checked) },
	{ "sources",      KEY_TEXTS, true,    take_texts,     AT(sources) },
	{ "params",       KEY_MAP,   false,   take_params,    0 },
	{ "when",         KEY_VALUE, true,    take_condition, AT(when) },
	{ "clear",        KEY_VALUE, false,   take_condition, AT(clear) },
	{ "for",          KEY_VALUE, false,   take_duration,  AT(hold) },
	{ "merge_gap",    KEY_VALUE, false,   take_duration,  AT(merge_gap) },
	{ "during",       KEY_WORDS, false,   take_during,    0 },
	{ "min_coverage", KEY_VALUE, false,   take_coverage,  0 },
	{ "evidence",     KEY_MAP,   false,   take_evidence,  0 },
	{ "cost",         KEY_VALUE, false,   take_cost,      0 },
	{ "title",        KEY_TEXT,  true,    take_template,  AT(title) },
	{ "what",         KEY_TEXT,  true,    take_template,  AT(what) },
	{ "why",          KEY_TEXT,  true,    take_template,  AT(why) },
	{ "try",          KEY_TEXTS, true,    take_try,       0 },
	{ "refute",       KEY_TEXT,  true,    take_template,  AT(refute) },
	{ "card",         KEY_TEXT,  true,    take_card,      AT(card) },
	{ "explains",     KEY_WORDS, false,   take_texts,     AT(explains) },
};
#define N_KEYS (sizeof keys / sizeof *keys)

/* Written by people who read ahead; no typing slips of anything above. */
static bool key_comes_later(struct slice key)
{
	static const char *const later[] = { "tests", "keep_for", "max_gap", "let", "rivals", "excluded_by", "tags" };

	for (size_t i = 0; i < sizeof later / sizeof *later; i++)
		if (slice_is(key, later[i]))
			return true;
	return false;
}

static bool key_is_known(struct slice key)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (slice_is(key, keys[i].name))
			return true;
	return false;
}

static const char *nearest_key(struct slice key)
{
	const char *names[N_KEYS];

	for (size_t i = 0; i < N_KEYS; i++)
		names[i] = keys[i].name;
	return nearest_name(key, names, N_KEYS);
}

static void refuse_unknown_keys(struct draft *d, const struct yaml_node *root)
{
	for (const struct yaml_node *child = root->first; child; child = child->next) {
		if (key_is_known(child->key))
			continue;
		const struct slice key = quoted(child->key);
		const int width = columns_of(child->key);
		const char *const meant = key_comes_later(child->key) ? NULL : nearest_key(child->key);
		if (meant)
			COMPLAIN(d, child->key_place, width, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; did you mean '%s'?", SLICE(key), meant);
		else if (key_comes_later(child->key))
			COMPLAIN(d, child->key_place, width, DIAG_UNKNOWN_KEY, "unknown key '%.*s'; it belongs to a later version",
				SLICE(key));
		else
			COMPLAIN(d, child->key_place, width, DIAG_UNKNOWN_KEY, "unknown key '%.*s'", SLICE(key));
	}
}

static bool key_is_misspelt(const struct yaml_node *root, const char *name)
{
	for (const struct yaml_node *child = root->first; child; child = child->next) {
		const char *const meant = key_is_known(child->key) || key_comes_later(child->key) ? NULL : nearest_key(child->key);
		if (meant && strcmp(meant, name) == 0)
			return true;
	}
	return false;
}

static void take_keys(struct draft *d, const struct yaml_node *root)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		const struct key *const key = &keys[i];
		const struct yaml_node *const node = yaml_get(root, key->name);
		if (node && fits_kind(d, key, node))
			key->take(d, key, node);
		else if (node && key->kind == KEY_MAP)
			d->names_known = false;
		else if (!node && key->required && !key_is_misspelt(root, key->name))
			COMPLAIN(d, root->place, 1, DIAG_MISSING_KEY, "the rule has no '%s'", key->name);
		else if (!node && key->kind == KEY_MAP && key_is_misspelt(root, key->name))
			d->names_known = false;
	}
}

static bool text_of_key_names(const struct yaml_node *root, const char *key, struct slice name)
{
	const struct yaml_node *const node = yaml_get(root, key);

	if (!node)
		return false;
	if (node->kind == YAML_SCALAR)
		return text_names(node->text, name);
	for (const struct yaml_node *child = node->first; child; child = child->next)
		if (child->kind == YAML_SCALAR && text_names(child->text, name))
			return true;
	return false;
}

/* A number that people can set and that changes nothing would mislead them. */
static void refuse_unused_params(struct draft *d, const struct yaml_node *root)
{
	static const char *const users[] = { "when", "clear", "evidence", "cost" };

	for (size_t i = 0; i < d->rule->n_params; i++) {
		const struct param *const param = &d->rule->params[i];
		bool used = false;
		for (size_t k = 0; k < sizeof users / sizeof *users; k++)
			used = used || text_of_key_names(root, users[k], param->name);
		if (!used)
			COMPLAIN(d, param->place, columns_of(param->name), DIAG_BAD_VALUE, "param '%.*s' is never used",
				SLICE(param->name));
	}
}

static void infer_metrics(struct draft *d)
{
	struct rule *const rule = d->rule;
	bool needed[N_METRICS] = { false }, by_flag_to_clear = false;

	mark_needed(rule->when, NULL, needed, &rule->by_driver_flag);
	mark_needed(rule->clear, NULL, needed, &by_flag_to_clear);
	rule->about_holes = asks_for_holes(rule->when);
	enum metric *const metrics = NEW_ARRAY(d->mem, enum metric, count_needed(needed));
	for (size_t i = 0; i < N_METRICS; i++)
		if (needed[i])
			metrics[rule->n_metrics++] = (enum metric)i;
	rule->metrics = metrics;
}

const struct rule *rule_from_yaml(struct arena *mem, const struct rule_file *file, const struct yaml_node *root,
	struct diags *diags)
{
	const struct slice id = rule_file_id(file->path);
	struct draft d = {
		.mem = mem, .source = file->text, .diags = diags, .path = file->path, .rule = NEW(mem, struct rule), .names_known = true,
	};

	d.rule->id = arena_text(mem, id.p, id.n);
	d.rule->path = file->path;
	d.rule->during = 1u << PHASE_STEADY;
	d.rule->min_coverage = 0.8;
	if (!is_name(id, '-'))
		COMPLAIN(&d, ((struct place){ file->path, 0, 0 }), 0, DIAG_BAD_VALUE,
			"the file must be named after its rule: small letters, digits and '-', then '.yaml'");
	if (root->kind != YAML_MAP) {
		COMPLAIN_NODE(&d, root, DIAG_BAD_VALUE, "a rule is a map of keys, this is %s", kind_name(root->kind));
		return NULL;
	}
	refuse_unknown_keys(&d, root);
	take_keys(&d, root);
	refuse_unused_params(&d, root);
	infer_metrics(&d);
	return d.n_problems == 0 ? d.rule : NULL;
}
