/*
 * keys.c - from the tree of a rule file to a rule, by a table of keys.
 *
 *     id: gpu-starved-by-cpu
 *     severty: critical              3:1 unknown key 'severty'; did you mean 'severity'?
 *     params:
 *       low: {value: 70 %, reason: "below this a step waits"}
 *     when: gpu.util < low and host.cpu.busy > 90 %
 *
 * A key is one row: what kind of node it needs, whether every rule must have it, the function that takes it, and
 * what it means. Rows stand in the order in which they are taken: conditions need the scope
 * and the params, texts need the names of params and evidence. Everything that is wrong is told,
 * each thing once: a misspelt key does not also miss, and a file whose scope can't be read does not
 * complain about every metric in it.
 */
#include "rule/draft.h"

#include "base/embedded.h"
#include "rule/lexer.h"

/* ------ the table ------ */

#define AT(member) offsetof(struct rule, member)
#define PARTS(table) .parts = (table), .n_parts = sizeof(table) / sizeof *(table)

static const struct key param_parts[] = {
	{ "value", KEY_QUANTITY, true, .what = "the number with its unit: 70 %" },
	{ "reason", KEY_TEXT, true, .what = "why this number and no other" },
};

static const struct key rival_parts[] = {
	{ "rule", KEY_ID, true, .what = "the id of the rule that explains the same signs otherwise" },
	{ "settle", KEY_TEXT, true, .what = "the observation that would tell the two apart, a sentence" },
};

static struct texts outcome_words(struct arena *mem)
{
	const char **const words = NEW_ARRAY(mem, const char *, OUTCOME_SKIPPED + 1);

	for (int i = 0; i <= OUTCOME_SKIPPED; i++)
		words[i] = outcome_name((enum outcome)i);
	return (struct texts){ words, OUTCOME_SKIPPED + 1 };
}

/* For editors alone: rule_tests_read() (trial.h) reads tests and complains about them. */
static const struct key expect_parts[] = {
	{ "on", KEY_ANY, false, .what = "of whom: gpu 3, gpus 0-2, the host, the run; else of all" },
	{ "outcome", KEY_WORD, false, .words = outcome_words,
		.what = "what the rule must say; fired without it, if windows, evidence or cost are expected" },
	{ "windows", KEY_WORDS, false, .what = "when it fired: 60 s to 180 s, 00:31:00 to 00:33:00" },
	{ "evidence", KEY_ANY, false, .what = "a map of names of evidence and their values" },
	{ "cost", KEY_QUANTITY, false, .what = "the share of the firing time that was lost" },
	{ "cost_least", KEY_QUANTITY, false, .what = "the share of the firing time that was lost at least" },
	{ "coverage", KEY_QUANTITY, false, .what = "the share of the judged time that was known" },
	{ "margin", KEY_QUANTITY, false, .what = "the longest stretch as a share of 'for'" },
	{ "reason", KEY_TEXT, false, .what = "a part of what is said when it is unknown or skipped" },
	{ "excluded_by", KEY_ID, false, .what = "the rule that took all its firing time" },
};
static const struct key test_parts[] = {
	{ "name", KEY_TEXT, false, .what = "what is tried" },
	{ "given", KEY_ANY, true,
		.what = "a map of metrics and series: 95 x 60 s, 20..80 x 5 min, 50~10 x 60 s, _ x 10 s (a hole), ? x 10 s (no value)" },
	{ "step", KEY_ANY, false, .what = "the clock of all series, or a map of metrics and steps; else 1 s" },
	{ "start", KEY_TEXT, false, .what = "a time with a zone, 2026-03-29 00:30 +05:30; else midnight UTC" },
	{ "phases", KEY_TEXT, false, .what = "a series of names, idle_head x 60 s, steady x 5 min; or 'found'" },
	{ "seed", KEY_ANY, false, .what = "a whole number: another one gives other noise" },
	{ "expect", KEY_EXPECT, true, .words = outcome_words, PARTS(expect_parts),
		.what = "what the rule must say: an outcome, a map, or a list of these" },
};

/* To add a key, add a row where all that it needs has been taken. */
const struct key rule_keys[] = {
	{ "id", KEY_ID, false, .take = take_id,
		.what = "the rule's name; must equal the file's" },
	{ "severity", KEY_WORD, true, .take = take_severity, .words = severity_words,
		.what = "the most it can be; its cost may make it less" },
	{ "scope", KEY_WORD, false, .take = take_scope, .words = scope_words,
		.what = "what gets a verdict of its own; else the narrowest that a metric in its conditions belongs to" },
	{ "tags", KEY_WORDS, false, .take = take_texts, AT(tags),
		.what = "words to find it by" },
	{ "short", KEY_TEXT, true, .take = take_short, AT(short_name), .most_columns = 28,
		.what = "a name for pictures, at most 28 characters" },
	{ "checked", KEY_TEXT, true, .take = take_line, AT(checked),
		.what = "what it looks for, for the list of what was checked: unused GPUs" },
	{ "sources", KEY_TEXTS, true, .take = take_texts, AT(sources),
		.what = "where its thresholds come from" },
	{ "params", KEY_NAMED, false, .take = take_params, PARTS(param_parts),
		.what = "named quantities with a reason each, for expressions and texts; --set changes them" },
	{ "let", KEY_NAMED, false, .take = take_let,
		.what = "named parts of expressions; each can use those above it" },
	{ "when", KEY_EXPRESSION, true, .take = take_condition, AT(when),
		.what = "the condition under which it fires" },
	{ "clear", KEY_EXPRESSION, false, true, take_condition, AT(clear),
		.what = "once begun, a stretch ends only when this holds; else when 'when' does not" },
	{ "for", KEY_DURATION, false, true, take_duration, AT(hold),
		.what = "shorter stretches don't count; else 0 s" },
	{ "keep_for", KEY_DURATION, false, true, take_duration, AT(keep),
		.what = "once it fired, gaps up to this don't end a window; else 0 s" },
	{ "merge_gap", KEY_DURATION, false, true, take_duration, AT(merge_gap),
		.what = "stretches this close together are one, before 'for' is asked; else 0 s" },
	{ "max_gap", KEY_DURATION, false, true, take_duration, AT(max_gap),
		.what = "time without data that a stretch may hold; else 0 s" },
	{ "during", KEY_WORDS, false, .take = take_during, .words = during_words,
		.what = "phases in which it is judged, 'run' for all; else steady" },
	{ "min_coverage", KEY_QUANTITY, false, .take = take_coverage,
		.what = "if less of the judged time is known, not firing means unknown; else 80 %" },
	{ "evidence", KEY_NAMED, false, .take = take_evidence,
		.what = "values for its texts and for report.json, measured when it fired" },
	{ "cost", KEY_EXPRESSION, false, .take = take_cost,
		.what = "the share of each firing second that is lost, from 0 to 1" },
	{ "cost_least", KEY_EXPRESSION, false, .take = take_cost_least,
		.what = "the share that is lost at least, where that can't be told exactly; 'cost' is then the most" },
	{ "cost_by", KEY_TEXT, false, .take = take_cost_by, AT(cost_by),
		.what = "in words by what 'cost' counts a second: how far the clock was below its usual" },
	{ "title", KEY_TEXT, true, .take = take_template, AT(title),
		.what = "the finding in one line" },
	{ "named", KEY_TEXT, false, .take = take_template, AT(named),
		.what = "what pictures call a finding, where that depends on what was seen; else 'short'" },
	{ "verdict", KEY_TEXT, false, .take = take_template, AT(verdict),
		.what = "the first sentence of a report where it is found on all GPUs of the run, instead of what was lost" },
	{ "what", KEY_TEXT, true, .take = take_template, AT(what),
		.what = "what was seen, with numbers" },
	{ "why", KEY_TEXT, true, .take = take_template, AT(why),
		.what = "what that means, and how it comes about" },
	{ "try", KEY_TEXTS, true, .take = take_try,
		.what = "what to try, the best first" },
	{ "refute", KEY_TEXT, true, .take = take_template, AT(refute),
		.what = "when the finding would be wrong, and how to see it" },
	{ "card", KEY_TEXT, true, .take = take_card, AT(card),
		.what = "at most two lines for the picture" },
	{ "explains", KEY_IDS, false, .take = take_texts, AT(explains),
		.what = "rules whose findings are symptoms of this one" },
	{ "explains_on_others", KEY_IDS, false, .take = take_others, AT(explains_on_others),
		.what = "rules whose findings on other GPUs are symptoms of this one; what they cost is charged to it" },
	{ "joins", KEY_IDS, false, .take = take_others, AT(joins),
		.what = "rules whose findings at much the same times are part of this one, whichever GPUs they are on" },
	{ "follows", KEY_IDS, false, .take = take_texts, AT(follows),
		.what = "rules whose findings, where they last until one of this begins, tell how it came to that and are part of it" },
	{ "leads_to", KEY_IDS, false, .take = take_texts, AT(leads_to),
		.what = "rules whose findings, where they begin soon after one of this, came of it and are symptoms of it" },
	{ "explains_if", KEY_TEXT, false, .take = take_question, AT(explains_if),
		.what = "a condition among its evidence: only where that holds a finding explains or leads to others; else always" },
	{ "doubt_if", KEY_TEXT, false, .take = take_question, AT(doubt_if),
		.what = "a condition among its evidence: where that holds another explanation is not ruled out" },
	{ "excluded_by", KEY_IDS, false, .take = take_texts, AT(excluded_by),
		.what = "rules whose firing time does not count here" },
	{ "unknown_while", KEY_IDS, false, true, take_texts, AT(unknown_while),
		.what = "rules in whose firing time what logs of the host say can't be laid beside those of the GPU" },
	{ "rivals", KEY_ITEMS, false, .take = take_rivals, PARTS(rival_parts),
		.what = "other explanations of the same signs, and what would tell them apart" },
	{ "tests", KEY_ITEMS, false, .take = take_tests, PARTS(test_parts),
		.what = "short series and what the rule must say of them; `postrun rules test` runs them" },
};
const size_t n_rule_keys = sizeof rule_keys / sizeof *rule_keys;
#define N_KEYS (sizeof rule_keys / sizeof *rule_keys)

/* ------ unknown and missing keys ------ */

static struct texts key_names(struct arena *mem)
{
	const char **const names = NEW_ARRAY(mem, const char *, N_KEYS);

	for (size_t i = 0; i < N_KEYS; i++)
		names[i] = rule_keys[i].name;
	return (struct texts){ names, N_KEYS };
}

static void refuse_unknown_keys(struct draft *d, const struct yaml_node *root)
{
	for (const struct yaml_node *child = root->first; child; child = child->next)
		if (!slice_is_among(child->key, d->keys.at, d->keys.n)) {
			d->has_unknown_keys = true;
			draft_complain_key(d, child, yaml_key_meant(child->key, d->keys.at, d->keys.n));
		}
}

static bool key_is_misspelt(const struct draft *d, const struct yaml_node *root, const char *name)
{
	return d->has_unknown_keys && yaml_is_misspelt(root, name, d->keys.at, d->keys.n);
}

/* What it would have named is not known; nobody else is to be blamed for that. */
static bool hides_names(const struct key *key)
{
	return key->kind == KEY_NAMED;
}

/* All in one complaint: an empty draft is one thing that is wrong, not ten. */
static void refuse_missing_keys(struct draft *d, const struct yaml_node *root)
{
	const char **const names = NEW_ARRAY(d->mem, const char *, N_KEYS);
	size_t n = 0;

	for (size_t i = 0; i < N_KEYS; i++)
		if (rule_keys[i].required && !yaml_get(root, rule_keys[i].name) && !key_is_misspelt(d, root, rule_keys[i].name))
			names[n++] = arena_print(d->mem, "'%s'", rule_keys[i].name);
	if (n > 0)
		COMPLAIN(d, root->place, 1, DIAG_MISSING_KEY, "the rule has no %s", names_listed(d->mem, names, n));
}

static void miss_key(struct draft *d, const struct key *key, const struct yaml_node *root)
{
	if (key_is_misspelt(d, root, key->name))
		d->names_known = d->names_known && !hides_names(key);
}

static void take_key(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	if (!draft_fits_kind(d, key, node))
		d->names_known = d->names_known && !hides_names(key);
	else if (key->of_intervals && d->rule->kind == RULE_WHOLE)
		COMPLAIN(d, node->key_place, slice_columns(node->key), DIAG_BAD_VALUE,
			"'%s' means nothing in a whole-run rule: its 'when' is one value for the run", key->name);
	else if (key->take)
		key->take(d, key, node);
}

static void take_keys(struct draft *d, const struct yaml_node *root)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		const struct yaml_node *const node = yaml_get(root, rule_keys[i].name);
		if (node)
			take_key(d, &rule_keys[i], node);
		else
			miss_key(d, &rule_keys[i], root);
	}
}

/* ------ names that nobody uses ------ */

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

static void refuse_unused(struct draft *d, const struct yaml_node *root, const char *what, struct slice name, struct place place)
{
	static const char *const users[] = { "let", "when", "clear", "evidence", "cost", "cost_least" };

	for (size_t k = 0; k < sizeof users / sizeof *users; k++)
		if (text_of_key_names(root, users[k], name))
			return;
	COMPLAIN(d, place, slice_columns(name), DIAG_BAD_VALUE, "%s '%.*s' is never used", what, SLICE(name));
}

static void refuse_unused_names(struct draft *d, const struct yaml_node *root)
{
	const struct rule *const rule = d->rule;

	for (size_t i = 0; i < rule->n_params; i++)
		refuse_unused(d, root, "param", rule->params[i].name, rule->params[i].place);
	for (size_t i = 0; i < rule->n_lets; i++)
		refuse_unused(d, root, "let", rule->lets[i].name, rule->lets[i].place);
}

/* ------ all of it ------ */

static struct rule *rule_with_defaults(struct arena *mem, const struct rule_file *file, const struct yaml_node *root)
{
	const struct slice id = rule_file_id(file->path);
	struct rule *const rule = NEW(mem, struct rule);

	*rule = (struct rule){
		.id = arena_text(mem, id.p, id.n),
		.path = file->path,
		.layer = file->layer,
		.root = root,
		.source = file->text,
		.during = 1u << PHASE_STEADY,
		.min_coverage = 0.8,
	};
	return rule;
}

/* "Slow_files" -> "S" */
static struct slice first_wrong_character(const char *id)
{
	size_t n = 1;

	while (*id && ((*id >= 'a' && *id <= 'z') || is_digit(*id) || *id == '-'))
		id++;
	while (*id && ((unsigned char)id[n] & 0xC0) == 0x80) /* all bytes of it */
		n++;
	return (struct slice){ id, *id ? n : 0 };
}

static void refuse_file_name(struct draft *d, const char *id)
{
	const struct slice wrong = first_wrong_character(id);
	const char *but = "";

	if (slice_ends(slice_of(id), ".yml")) {
		COMPLAIN(d, ((struct place){ d->path, 0, 0 }), 0, DIAG_BAD_VALUE, "the name of a rule file ends in '.yaml', not in '.yml'");
		return;
	}
	if (name_is_valid(slice_of(id), '-'))
		return;
	if (wrong.n > 0)
		but = arena_print(d->mem, ", not '%.*s'", SLICE(wrong));
	else if (*id == '-' || is_digit(*id))
		but = ", and a letter first";
	else if (*id)
		but = ", at most 64 of them";
	COMPLAIN(d, ((struct place){ d->path, 0, 0 }), 0, DIAG_BAD_VALUE,
		"the file must be named after its rule: small letters (a-z), digits and '-'%s, then '.yaml'", but);
}

/* A rule that does not say its scope has the one that its conditions ask for. */
static void infer_scope(struct draft *d, const struct yaml_node *root)
{
	if (yaml_get(root, "scope") || key_is_misspelt(d, root, "scope"))
		return;
	d->rule->scope = conditions_scope(root);
	d->scope_known = true;
}

bool rule_is_checked(const struct rule_file *file, const struct rule_reading *how)
{
	return !how->with_tests && !how->strict && !how->settings && embedded_tape(file->text).p;
}

const struct rule *rule_from_yaml(struct arena *mem, const struct rule_file *file, const struct yaml_node *root,
	const struct rule_reading *how, struct diags *diags)
{
	struct draft d = {
		.mem = mem, .source = file->text, .diags = diags, .path = file->path, .how = how,
		.rule = rule_with_defaults(mem, file, root), .names_known = true, .keys = key_names(mem),
		.is_checked = rule_is_checked(file, how),
	};

	if (!d.is_checked)
		refuse_file_name(&d, d.rule->id);
	if (root->kind != YAML_MAP) {
		COMPLAIN_NODE(&d, root, DIAG_BAD_VALUE, "a rule is a map of keys, this is %s", yaml_kind_name(root->kind));
		return NULL;
	}
	if (!d.is_checked) {
		refuse_unknown_keys(&d, root);
		refuse_missing_keys(&d, root);
	}
	infer_scope(&d, root);
	take_keys(&d, root);
	if (!d.is_checked)
		refuse_unused_names(&d, root);
	draft_infer(&d);
	if (d.is_checked)
		d.rule->root = NULL; /* nobody will ask where something stands in it */
	return d.n_problems == 0 ? d.rule : NULL;
}
