/*
 * rule_text.c - the model behind the texts of a rule.
 *
 *     "{Gpus} were below {low} for {duration}: {gpu_busy} on average"
 *
 * What a text may use is not known when this program is compiled, because params and evidence are
 * named in the rule file. So the description is made for each rule, and the values
 * are one block of memory in its order:
 *
 *     struct text_values | a quantity for each param | a quantity for each row of evidence
 *
 * In the place of evidence that is a condition stands a bool: a text can have a section for it, but no number.
 */
#include "rule/expression.h"
#include "rule/rule_parts.h"

#include <math.h>

#define TEXT(member) { .name = #member, .kind = FIELD_TEXT, .offset = offsetof(struct text_values, member) }
#define BOOL(member) { .name = #member, .kind = FIELD_BOOL, .offset = offsetof(struct text_values, member) }

static const struct field text_value_rows[] = {
	TEXT(gpus),     TEXT(Gpus),    BOOL(several), BOOL(whole_run), BOOL(all_run),    TEXT(duration),
	TEXT(longest),  TEXT(windows), BOOL(many_windows), TEXT(host),    TEXT(held_up),
	BOOL(lasting),  BOOL(told_alone), BOOL(led_up), BOOL(explained_in_part), BOOL(led_on), BOOL(pays),
};
#define N_TEXT_VALUES (sizeof text_value_rows / sizeof *text_value_rows)

const struct fields text_value_fields = { "text", text_value_rows, N_TEXT_VALUES, sizeof(struct text_values) };

_Static_assert(sizeof(struct text_values) % _Alignof(struct quantity) == 0, "quantities follow without a gap");

static size_t quantity_offset(size_t i)
{
	return sizeof(struct text_values) + i * sizeof(struct quantity);
}

static struct field quantity_field(const char *name, size_t i, enum dimension dimension)
{
	return (struct field){ .name = name, .kind = FIELD_QUANTITY, .offset = quantity_offset(i), .unit = unit_first(dimension),
		.has_dimension = true };
}

static bool is_question(const struct expression *e)
{
	return e && e->is_condition;
}

static struct field evidence_field(const struct evidence_row *row, size_t at)
{
	const struct expression *const e = row->expression;
	struct field field = quantity_field(row->name, at, e ? e->dimension : DIM_NONE);

	field.has_dimension = e != NULL;
	if (is_question(e))
		return (struct field){ .name = row->name, .kind = FIELD_BOOL, .offset = quantity_offset(at) };
	return field;
}

const struct fields *rule_text_fields(struct arena *mem, const struct rule *rule)
{
	const size_t n_quantities = rule->n_params + rule->n_evidence;
	struct field *const rows = NEW_ARRAY(mem, struct field, N_TEXT_VALUES + n_quantities);
	struct fields *const fields = NEW(mem, struct fields);

	memcpy(rows, text_value_rows, sizeof text_value_rows);
	for (size_t i = 0; i < rule->n_params; i++) {
		const struct param *const param = &rule->params[i];
		const char *const name = arena_text(mem, param->name.p, param->name.n);
		rows[N_TEXT_VALUES + i] = quantity_field(name, i, unit_table[param->value.unit].dimension);
	}
	for (size_t i = 0; i < rule->n_evidence; i++) {
		const size_t at = rule->n_params + i;
		rows[N_TEXT_VALUES + at] = evidence_field(&rule->evidence[i], at);
	}
	*fields = (struct fields){ "rule text", rows, N_TEXT_VALUES + n_quantities, quantity_offset(n_quantities) };
	return fields;
}

struct view rule_text_values(struct arena *mem, const struct rule *rule, const struct text_values *values,
	const struct quantity *evidence)
{
	char *const block = arena_alloc(mem, rule->text_fields->size_bytes);
	struct quantity *const quantities = (struct quantity *)(void *)(block + quantity_offset(0));

	memcpy(block, values, sizeof *values);
	for (size_t i = 0; i < rule->n_params; i++)
		quantities[i] = rule->params[i].value;
	for (size_t i = 0; i < rule->n_evidence; i++) {
		const struct quantity value = evidence ? evidence[i] : (struct quantity){ NAN, UNIT_NUMBER };
		const bool all_say_yes = value.value >= 1; /* a mean over all that fired; not known is no yes */
		quantities[rule->n_params + i] = value;
		if (is_question(rule->evidence[i].expression))
			memcpy(&quantities[rule->n_params + i], &all_say_yes, sizeof all_say_yes);
	}
	return (struct view){ block, rule->text_fields };
}
