/* options.c - reading the command line by a table. */
#include "cmd/options.h"

#include "base/buf.h"
#include "base/diag.h"

#include <stdint.h>
#include <stdio.h>

#define MAX_OPTIONS 64

static const struct option *find_long(const struct option *table, struct slice name)
{
	for (; table->name; table++)
		if (slice_is(name, table->name))
			return table;
	return NULL;
}

static const struct option *find_letter(const struct option *table, char letter)
{
	for (; table->name; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

static bool unknown_option(const struct option *table, struct slice name, const char *as_typed)
{
	const char *names[MAX_OPTIONS];
	size_t n = 0;

	for (; table->name && n < MAX_OPTIONS; table++)
		names[n++] = table->name;
	const char *nearest = nearest_name(name, names, n);
	fprintf(stderr, "postrun: unknown option '%s'%s%s%s\n", as_typed, nearest ? "; did you mean '--" : "", nearest ? nearest : "",
		nearest ? "'?" : "; --help lists them");
	return false;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);

	for (const char *p = choices; *p;) {
		size_t width = strcspn(p, "|");
		if (width == n && memcmp(p, value, n) == 0)
			return true;
		p += width + (p[width] == '|');
	}
	return false;
}

/* Elsewhere "-" is the standard output, and who means that here would get a folder of that name. */
static bool is_of_folder(const struct option *option)
{
	return option->argument && strcmp(option->argument, "DIR") == 0;
}

/* Takes the option at *at, and its value if that stands in the next argument. */
static bool take_option(const struct option *table, int n, char **arguments, int *at, struct given *out)
{
	const char *typed = arguments[*at];
	bool is_long = typed[1] == '-';
	struct slice name = is_long ? (struct slice){ typed + 2, strcspn(typed + 2, "=") } : (struct slice){ typed + 1, 1 };
	const char *behind = name.p + name.n;
	const struct option *row = is_long ? find_long(table, name) : find_letter(table, typed[1]);

	if (!row)
		return unknown_option(table, name, typed);
	*out = (struct given){ row, "" };
	if (!row->argument) {
		if (!*behind)
			return true;
		fprintf(stderr, "postrun: '--%s' takes no value\n", row->name);
		return false;
	}
	if (*behind == '=') /* -o=DIR, too: of such values none is meant to begin with it */
		out->value = behind + 1;
	else if (*behind)
		out->value = behind;
	else if (*at + 1 < n)
		out->value = arguments[++*at];
	if (!*out->value) {
		fprintf(stderr, "postrun: '--%s' needs a value: --%s %s\n", row->name, row->name, row->argument);
		return false;
	}
	if (is_of_folder(row) && strcmp(out->value, "-") == 0) {
		fprintf(stderr, "postrun: '-' is no folder for --%s; one of that name is ./-\n", row->name);
		return false;
	}
	if (!row->choices || is_choice(row->choices, out->value))
		return true;
	fprintf(stderr, "postrun: '%s' is no value for --%s; it takes %s\n", out->value, row->name, row->choices);
	return false;
}

/* Of these alone it is known that they mean themselves in every shell; of a byte of UTF-8 as well. */
static bool is_plain_to_shell(char c)
{
	return is_letter(c) || is_digit(c) || (unsigned char)c >= 0x80 || (c && strchr("_./-=:,@%+", c));
}

static size_t plain_length(const char *word)
{
	size_t n = 0;

	while (is_plain_to_shell(word[n]))
		n++;
	return n;
}

const char *word_for_shell(struct arena *mem, const char *word)
{
	struct buf out;

	if (*word && !word[plain_length(word)])
		return word;
	buf_init(&out, SIZE_MAX / 2);
	buf_char(&out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_text(&out, "'\\''"); /* 'it'\''s': between quotes nothing stands for a quote */
		else
			buf_char(&out, *word);
	buf_char(&out, '\'');
	return buf_kept(mem, &out);
}

static const char *command_line(struct arena *mem, int n, char **arguments)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 2);
	buf_text(&out, "postrun");
	for (int i = 1; i < n; i++)
		buf_print(&out, " %s", word_for_shell(mem, arguments[i]));
	return buf_kept(mem, &out);
}

bool options_parse(struct arena *mem, const struct option *table, int n, char **arguments, int first, struct options *out)
{
	struct given *given = NEW_ARRAY(mem, struct given, (size_t)n);
	const char **paths = NEW_ARRAY(mem, const char *, (size_t)n);
	bool only_paths = false;

	*out = (struct options){ .mem = mem, .given = given, .paths = paths };
	for (int i = first; i < n; i++) {
		const char *word = arguments[i];
		if (!only_paths && strcmp(word, "--") == 0)
			only_paths = true;
		else if (only_paths || word[0] != '-' || !word[1])
			paths[out->n_paths++] = word;
		else if (!take_option(table, n, arguments, &i, &given[out->n_given]))
			return false;
		else
			out->n_given++;
	}
	out->command_line = command_line(mem, n, arguments);
	return true;
}

size_t option_count(const struct options *o, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_given; i++)
		n += strcmp(o->given[i].option->name, name) == 0;
	return n;
}

const char *option_at(const struct options *o, const char *name, size_t i)
{
	for (size_t k = 0; k < o->n_given; k++)
		if (strcmp(o->given[k].option->name, name) == 0 && i-- == 0)
			return o->given[k].value;
	return NULL;
}

const char *option_value(const struct options *o, const char *name)
{
	size_t n = option_count(o, name);

	return n ? option_at(o, name, n - 1) : NULL;
}

bool option_given(const struct options *o, const char *name)
{
	return option_count(o, name) > 0;
}

void options_help(const struct option *table)
{
	for (; table->name; table++) {
		char left[64];
		snprintf(left, sizeof left, "%c%c%s --%s%s%s", table->letter ? '-' : ' ', table->letter ? table->letter : ' ',
			table->letter ? "," : " ", table->name, table->argument ? " " : "", table->argument ? table->argument : "");
		printf("  %-26s %s%s%s%s\n", left, table->help, table->choices ? " (" : "", table->choices ? table->choices : "",
			table->choices ? ")" : "");
	}
}
