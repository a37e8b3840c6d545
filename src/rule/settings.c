/*
 * settings.c - what the command line says of params: --set ID.param=VALUE.
 *
 *     --set gpu-hot.margin=3 C          error: --set gpu-hot.magin=3 C: rule 'gpu-hot' has no param 'magin'; did you mean 'margin'?
 *
 * A setting changes a number before anything is made of it, so that conditions, texts and the digest all see the same.
 * It must be of the param's own kind: a share for a share. Each is told to be wrong once, with the option as its place.
 */
#include "rule/settings.h"

#include "rule/expression.h"

#include <stdlib.h>

static struct place place_of(const struct setting *s)
{
	return (struct place){ s->option, 0, 0 };
}

/* The value, read as in a rule file; a complaint there has a place in a file, here it has the option. */
static bool read_value(struct arena *mem, struct setting *s, struct slice text, struct diags *diags)
{
	const struct yaml_node node = { .kind = YAML_SCALAR, .text = text, .place = { s->option, 1, 1 }, .plain_line = true };
	struct diags aside;

	diags_init(&aside, mem);
	const bool good = quantity_compile(&node, text, &s->value, &aside);
	for (size_t i = 0; i < aside.n; i++)
		diag_at(diags, place_of(s), aside.at[i].code, "%s", aside.at[i].text);
	diags_release(&aside);
	return good;
}

static bool read_setting(struct arena *mem, struct setting *s, struct diags *diags)
{
	const char *const equals = strchr(s->text, '=');
	const struct slice name = { s->text, equals ? (size_t)(equals - s->text) : strlen(s->text) };
	const char *const dot = memchr(name.p, '.', name.n);

	if (!equals || !dot)
		return diag_at(diags, place_of(s), DIAG_BAD_VALUE, "'%s' is missing; write ID.PARAM=VALUE, such as gpu-hot.margin='3 C'",
			equals ? "." : "=");
	s->id = slice_trim((struct slice){ name.p, (size_t)(dot - name.p) });
	s->name = slice_trim((struct slice){ dot + 1, (size_t)(equals - dot - 1) });
	return read_value(mem, s, slice_trim(slice_of(equals + 1)), diags);
}

static bool is_same_param(const struct setting *a, const struct setting *b)
{
	return slice_same(a->id, b->id) && slice_same(a->name, b->name);
}

static bool is_given_twice(const struct setting *s, struct settings before, struct diags *diags)
{
	for (size_t i = 0; i < before.n; i++)
		if (is_same_param(&before.at[i], s)) {
			diag_at(diags, place_of(s), DIAG_DUPLICATE, "'%.*s.%.*s' is set twice; first by %s", SLICE(s->id), SLICE(s->name),
				before.at[i].option);
			return true;
		}
	return false;
}

static int by_text(const void *a, const void *b)
{
	const struct setting *const x = a, *const y = b;

	return strcmp(x->text, y->text);
}

struct settings settings_read(struct arena *mem, const char *const *texts, size_t n, struct diags *diags)
{
	struct setting *const read = NEW_ARRAY(mem, struct setting, n);
	struct settings all = { read, 0 };

	for (size_t i = 0; i < n; i++) {
		struct setting s = { .text = texts[i], .option = arena_print(mem, "--set %s", texts[i]) };
		if (read_setting(mem, &s, diags) && !is_given_twice(&s, all, diags))
			read[all.n++] = s;
	}
	qsort(read, all.n, sizeof *read, by_text);
	return all;
}

static bool is_alike(const struct setting *s, const struct param *param)
{
	return unit_table[s->value.unit].dimension == unit_table[param->value.unit].dimension;
}

void settings_apply(const struct settings *settings, const char *id, struct param *param)
{
	for (size_t i = 0; settings && i < settings->n; i++) {
		const struct setting *const s = &settings->at[i];
		if (!slice_is(s->id, id) || !slice_same(s->name, param->name) || !is_alike(s, param))
			continue;
		param->value = s->value;
		param->set = true;
	}
}

void setting_blame(const struct setting *s, const struct diag *said, struct diags *diags)
{
	diag_at(diags, place_of(s), said->code, "%s (%s:%" PRId64 ":%d)", said->text, said->place.path, said->place.line,
		said->place.column);
}

static void complain_unknown_param(struct arena *mem, const struct setting *s, const struct rule *rule, struct diags *diags)
{
	const char **const names = NEW_ARRAY(mem, const char *, rule->n_params);

	for (size_t i = 0; i < rule->n_params; i++)
		names[i] = arena_text(mem, rule->params[i].name.p, rule->params[i].name.n);
	const char *const meant = nearest_name(s->name, names, rule->n_params);
	if (!rule->n_params)
		diag_at(diags, place_of(s), DIAG_UNKNOWN_NAME, "rule '%s' has no params", rule->id);
	else if (meant)
		diag_at(diags, place_of(s), DIAG_UNKNOWN_NAME, "rule '%s' has no param '%.*s'; did you mean '%s'?", rule->id,
			SLICE(s->name), meant);
	else
		diag_at(diags, place_of(s), DIAG_UNKNOWN_NAME, "rule '%s' has no param '%.*s'; it has %s", rule->id, SLICE(s->name),
			names_listed(mem, names, rule->n_params));
}

void setting_check(struct arena *mem, const struct setting *s, const struct rule *rule, struct diags *diags)
{
	for (size_t i = 0; i < rule->n_params; i++) {
		const struct param *const param = &rule->params[i];
		if (!slice_same(param->name, s->name))
			continue;
		if (!is_alike(s, param))
			diag_at(diags, place_of(s), DIAG_BAD_DIMENSION, "'%.*s' of '%s' is %s such as '%s', this is %s", SLICE(param->name),
				rule->id, dimension_name(unit_table[param->value.unit].dimension), quantity_text(mem, param->value),
				dimension_name(unit_table[s->value.unit].dimension));
		return;
	}
	complain_unknown_param(mem, s, rule, diags);
}
