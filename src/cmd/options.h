/*
 * options.h - the command line, strictly: no abbreviations, every mistake named with the nearest right name.
 *
 * "--name VALUE", "--name=VALUE", "-x VALUE", "--" ends options. The rows that parse also print --help.
 */
#ifndef POSTRUN_OPTIONS_H
#define POSTRUN_OPTIONS_H

#include "base/arena.h"
#include "base/slice.h"

struct option {
	const char *name;     /* "output", without dashes; NULL ends a table */
	char letter;          /* 'o', or 0 */
	const char *argument; /* "DIR", or NULL for a switch */
	const char *choices;  /* "light|dark": the only values allowed, or NULL */
	const char *help;
};

struct given { /* one option on the command line */
	const struct option *option;
	const char *value; /* "" for a switch */
};

struct options {
	struct arena *mem; /* of the session */
	const struct given *given;
	size_t n_given;
	const char *const *paths; /* what is no option */
	size_t n_paths;
	const char *command_line; /* as typed, for PROVENANCE */
};

/* Reads the arguments from `first` on. False, with one line on standard error, when the command line is wrong. */
bool options_parse(struct arena *mem, const struct option *table, int n, char **arguments, int first, struct options *out);
/* The last value given, or NULL. */
const char *option_value(const struct options *o, const char *name);
bool option_given(const struct options *o, const char *name);
/* How often, and the value of the i-th. */
size_t option_count(const struct options *o, const char *name);
const char *option_at(const struct options *o, const char *name, size_t i);
/* As a shell takes it for this one word: as it stands, or in quotes. */
const char *word_for_shell(struct arena *mem, const char *word);
void options_help(const struct option *table);

#endif
