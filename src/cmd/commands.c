/*
 * commands.c - which command was meant, and help.
 *
 * `postrun PATH` is `postrun report PATH`: whoever has just finished a run types the least.
 */
#include "base/diag.h"
#include "base/file.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef POSTRUN_VERSION
#define POSTRUN_VERSION "0.1.0"
#endif

const char program_name[] = "postrun " POSTRUN_VERSION;

#define COMMAND(name) extern const struct command command_##name;
#include "cmd/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cmd/commands.def"
#undef COMMAND
};
const size_t n_commands = sizeof commands / sizeof *commands;

static void print_overview(void)
{
	puts("postrun: what a GPU run lost, when and why, from the logs you already have\n"
	     "\n"
	     "  postrun RUN/                          report on the logs in a folder\n"
	     "  postrun report gpu.csv vmstat.txt     report on these logs\n"
	     "  postrun report RUN/ -o out/           the same, with card.png, timeline.png and report.json\n"
	     "  postrun batch ARCHIVE/ -o OUT/        each run below a folder, ranked by what it lost\n"
	     "  postrun inspect gpu.csv               what is this log?\n"
	     "\n"
	     "commands:");
	for (size_t i = 0; i < n_commands; i++)
		printf("  %-14s %s\n", commands[i]->name, commands[i]->title);
	puts("\n`postrun COMMAND --help` shows examples and options.");
}

static void print_help(const struct command *c)
{
	printf("examples:\n%s\nusage: postrun %s [OPTION…]%s%s\n%s\n\noptions:\n", c->examples, c->name, *c->arguments ? " " : "",
		c->arguments, c->title);
	options_help(c->options);
}

/* How many of the words at `words` name the command: 1, 2 ("rules list") or 0. */
static int names_command(const struct command *c, int n, const char *const *words)
{
	struct slice rest = slice_of(c->name), name;
	int taken = 0;

	while ((name = slice_word(&rest)).n) {
		if (taken == n || !slice_is(name, words[taken]))
			return 0;
		taken++;
	}
	return taken;
}

static const struct command *find_command(int n, const char *const *words, int *taken)
{
	for (size_t i = 0; i < n_commands; i++)
		if ((*taken = names_command(commands[i], n, words)))
			return commands[i];
	*taken = 0;
	return NULL;
}

static int run_on(const struct command *c, const struct options *options)
{
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const int status = c->run(&mem, options, &diags);
	diags_release(&diags);
	arena_release(&mem);
	return status;
}

static bool is_path(const char *word)
{
	FILE *f = fopen(word, "rb");

	if (f)
		fclose(f);
	return f || path_is_folder(word) || strchr(word, '/') || strchr(word, '.');
}

/* `postrun -q report RUN`: a command, where no log of that name is meant; NULL. */
static const struct command *command_behind_options(const struct options *o)
{
	int taken;

	if (!o->n_paths || is_path(o->paths[0]))
		return NULL;
	return find_command((int)o->n_paths, o->paths, &taken);
}

/* `taken` words after the program's name name the command. */
static int run_command(const struct command *c, int n, char **arguments, int taken)
{
	struct arena session;
	struct options options;
	int status = EXIT_USAGE;

	arena_init(&session);
	if (options_parse(&session, c->options, n, arguments, 1 + taken, &options)) {
		const struct command *const late = taken ? NULL : command_behind_options(&options);
		if (late) {
			fprintf(stderr, "postrun: the command stands before its options: postrun %s …\n", late->name);
		} else if (option_given(&options, "help")) {
			print_help(c);
			status = EXIT_DONE;
		} else if (options.n_paths && !*c->arguments) {
			fprintf(stderr, "postrun: %s takes no arguments; what is '%s'?\n", c->name, options.paths[0]);
		} else {
			status = run_on(c, &options);
		}
	}
	arena_release(&session);
	return status;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* What stands behind the word where it is the first of a command's two, "list" for "rules" of "rules list"; else NULL. */
static const char *second_word(const struct command *c, const char *word)
{
	struct slice rest = slice_of(c->name), first = slice_word(&rest);

	return slice_is(first, word) && rest.n ? slice_trim(rest).p : NULL;
}

static bool is_family(const char *word)
{
	bool found = false;

	for (size_t i = 0; i < n_commands; i++)
		found |= second_word(commands[i], word) != NULL;
	return found;
}

static void print_family(const char *word)
{
	puts("commands:");
	for (size_t i = 0; i < n_commands; i++)
		if (second_word(commands[i], word))
			printf("  %-14s %s\n", commands[i]->name, commands[i]->title);
	printf("\n`postrun %s COMMAND --help` shows examples and options.\n", word);
}

#define MOST_COMMANDS 32

/* "rules" alone, with `next` NULL, or "rules lst" */
static int incomplete_command(const char *word, const char *next)
{
	const char *names[MOST_COMMANDS];
	struct arena scratch;
	size_t n = 0;

	if (next && is_help(next)) {
		print_family(word);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < n_commands && n < MOST_COMMANDS; i++)
		if (second_word(commands[i], word))
			names[n++] = second_word(commands[i], word);
	arena_init(&scratch);
	if (next)
		fprintf(stderr, "postrun: '%s' is no command of %s; there are %s%s\n", next, word, names_listed(&scratch, names, n),
			did_you_mean(&scratch, nearest_name(slice_of(next), names, n)));
	else
		fprintf(stderr, "postrun: %s needs one word more: there are %s\n", word, names_listed(&scratch, names, n));
	arena_release(&scratch);
	return EXIT_USAGE;
}

static int unknown_command(const char *word)
{
	const char *names[MOST_COMMANDS];
	size_t n = 0;

	for (size_t i = 0; i < n_commands && n < MOST_COMMANDS; i++)
		names[n++] = commands[i]->name;
	const char *const nearest = nearest_name(slice_of(word), names, n);
	if (nearest)
		fprintf(stderr, "postrun: '%s' is neither a command nor a file; did you mean '%s'?\n", word, nearest);
	else
		fprintf(stderr, "postrun: '%s' is neither a command nor a file; `postrun --help` lists the commands\n", word);
	return EXIT_USAGE;
}

/* `postrun help rules list` */
static int help(int n, char **words)
{
	int taken;
	const struct command *const c = find_command(n, (const char *const *)words, &taken);

	if (!n)
		print_overview();
	else if (taken)
		print_help(c);
	else if (!is_family(words[0]))
		return unknown_command(words[0]);
	else if (n > 1)
		return incomplete_command(words[0], words[1]);
	else
		print_family(words[0]);
	return EXIT_DONE;
}

static int obey(int n, char **arguments)
{
	int taken;

	if (n < 2) {
		print_overview();
		return EXIT_USAGE;
	}
	if (is_help(arguments[1]))
		return help(n - 2, arguments + 2);
	if (strcmp(arguments[1], "--version") == 0) {
		puts(program_name);
		return EXIT_DONE;
	}
	const struct command *const named = find_command(n - 1, (const char *const *)arguments + 1, &taken);
	if (taken)
		return run_command(named, n, arguments, taken);
	if (arguments[1][0] != '-' && !is_path(arguments[1]))
		return is_family(arguments[1]) ? incomplete_command(arguments[1], arguments[2]) : unknown_command(arguments[1]);
	return run_command(commands[0], n, arguments, 0);
}

/* A pipe fails only when nobody reads it any more: `| head` has all it wanted, and nobody is to be told. */
int output_failed(void)
{
	struct stat s;

	if (fstat(STDOUT_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)))
		return EXIT_READER_GONE;
	fprintf(stderr, "postrun: cannot write to standard output\n");
	return EXIT_OUTPUT;
}

/* A file that is opened must not become what is printed to: what is closed fails as if it were. */
static void keep_closed(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0)
		return;
	const int nothing = open("/dev/null", O_RDONLY);
	if (nothing >= 0 && nothing != fd) {
		dup2(nothing, fd);
		close(nothing);
	}
}

int postrun_main(int n, char **arguments)
{
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write: what else was asked for is still written */
	signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow any more */
	keep_closed(STDOUT_FILENO);
	keep_closed(STDERR_FILENO);
	int status = obey(n, arguments);

	if (status == EXIT_OUTPUT || status == EXIT_TRY_AGAIN || (fflush(stdout) == 0 && !ferror(stdout)))
		return status;
	return output_failed();
}
