/*
 * template_manual_test.c - templates/README.md has every name, filter and part that a template may use, and no other.
 *
 * It has a section for each struct, "### finding", with rows "| `number` | count | … |": names, of one kind, and what they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/template.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANUAL "templates/README.md"
#define MOST_STRUCTS 64

struct manual {
	struct arena mem;
	const char *text;
	const struct fields *seen[MOST_STRUCTS];
	size_t n_seen;
};

static int set_up(void **state)
{
	struct manual *const m = calloc(1, sizeof *m);
	struct slice text;
	struct diags diags;

	arena_init(&m->mem);
	diags_init(&diags, &m->mem);
	assert_true(file_slurp(&m->mem, MANUAL, (size_t)1 << 20, &text, &diags));
	m->text = arena_text(&m->mem, text.p, text.n);
	diags_release(&diags);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&((struct manual *)*state)->mem);
	free(*state);
	return 0;
}

/* "list of finding" */
static const char *kind_words(struct arena *mem, const struct field *row)
{
	static const char *const words[] = {
		[FIELD_TEXT] = "text",
		[FIELD_BOOL] = "yes or no",
		[FIELD_QUESTION] = "yes or no",
		[FIELD_COUNT] = "count",
		[FIELD_ORDINAL] = "count",
		[FIELD_NUMBER] = "number",
		[FIELD_QUANTITY] = "quantity",
		[FIELD_RANGE] = "range",
		[FIELD_TIME] = "moment",
		[FIELD_TEXTS] = "texts",
		[FIELD_CELLS] = "cells",
		[FIELD_OBJECT] = "a",
		[FIELD_LIST] = "list of",
		[FIELD_MAP] = "map of",
	};

	return row->of ? arena_print(mem, "%s %s", words[row->kind], row->of->name) : words[row->kind];
}

/* The rows about this struct. */
static char *section_of(struct manual *m, const char *name)
{
	const char *const begin = strstr(m->text, arena_print(&m->mem, "\n### %s\n", name));

	if (!begin)
		fail_msg(MANUAL " has no section '%s'", name);
	const char *const end = strstr(begin + 1, "\n### ");
	return arena_text(&m->mem, begin, end ? (size_t)(end - begin) : strlen(begin));
}

/* The kind by which the row that has this name calls it, or NULL. */
static const char *kind_in(struct manual *m, const char *section, const char *name)
{
	const char *const marked = arena_print(&m->mem, "`%s`", name);

	for (const char *row = strstr(section, "\n| `"); row; row = strstr(row + 1, "\n| `")) {
		const char *const names = row + 3, *const kind = strstr(names, " | "), *const found = strstr(names, marked);
		if (!found || found > kind)
			continue;
		const char *const end = strstr(kind + 3, " |");
		return arena_text(&m->mem, kind + 3, (size_t)(end - kind) - 3);
	}
	return NULL;
}

static void check_names_are_known(const struct fields *fields, const char *section)
{
	for (const char *row = strstr(section, "\n| `"); row; row = strstr(row + 1, "\n| `"))
		for (const char *at = row + 3; *at == '`' || *at == ',' || *at == ' '; at++) {
			if (*at != '`')
				continue;
			const struct slice name = { at + 1, strcspn(at + 1, "`") };
			if (!field_find(fields, name))
				fail_msg(MANUAL ": %s has no '%.*s'", fields->name, SLICE(name));
			at += name.n + 1;
		}
}

static void check_struct(struct manual *m, const struct fields *fields)
{
	for (size_t i = 0; i < m->n_seen; i++)
		if (m->seen[i] == fields)
			return;
	assert_true(m->n_seen < MOST_STRUCTS);
	m->seen[m->n_seen++] = fields;
	const char *const section = section_of(m, fields->name);
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *const row = &fields->rows[i];
		const char *const kind = kind_in(m, section, row->name), *const right = kind_words(&m->mem, row);
		if (!kind || strcmp(kind, right) != 0)
			fail_msg(MANUAL ", %s: '%s' is '%s', not '%s'", fields->name, row->name, right, kind ? kind : "nothing");
		if (row->of)
			check_struct(m, row->of);
	}
	check_names_are_known(fields, section);
}

static void every_name_is_told(void **state)
{
	struct manual *const m = *state;
	size_t n_sections = 0;

	check_struct(m, &report_fields);
	for (const char *at = strstr(m->text, "\n### "); at; at = strstr(at + 1, "\n### "))
		n_sections++;
	assert_int_equal(n_sections, m->n_seen);
}

static void every_filter_is_told(void **state)
{
	struct manual *const m = *state;
	size_t n, n_rows = 0;
	const struct filter_row *const rows = template_filters(&n);
	const char *const section = strstr(m->text, "\n## Filters\n"), *const end = strstr(section, "\n## Names\n");

	for (size_t i = 0; i < n; i++) {
		const char *const name = arena_print(&m->mem, "\n| `%s%s%s` | ", rows[i].name, *rows[i].argument ? ":" : "", rows[i].argument);
		const char *const row = strstr(section, name), *const help = arena_print(&m->mem, " | %s |\n", rows[i].help);
		if (!row || row > end || !strstr(row, help) || strchr(row + 1, '\n') != strstr(row, help) + strlen(help) - 1)
			fail_msg(MANUAL " has no row%s… | %s |", name, rows[i].help);
	}
	for (const char *at = strstr(section, "\n| `"); at && at < end; at = strstr(at + 1, "\n| `"))
		n_rows++;
	assert_int_equal(n_rows, n);
}

static void every_template_and_part_is_told(void **state)
{
	struct manual *const m = *state;

	for (size_t i = 0; i < n_embedded_files; i++) {
		static const char folder[] = "templates/";
		const char *const name = embedded_files[i].name;
		if (strncmp(name, folder, strlen(folder)) != 0)
			continue;
		if (!strstr(m->text, arena_print(&m->mem, "`%s`", name + strlen(folder))))
			fail_msg(MANUAL " does not name %s", name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_name_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_filter_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_template_and_part_is_told, set_up, tear_down),
	};

	alarm(20);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
