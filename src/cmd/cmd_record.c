/*
 * cmd_record.c - `postrun record`: prints a script that logs a run, so that every rule can be answered.
 *
 * Which commands and fields those are is said by metric/record.def: a metric that is added there is logged. The script itself, and why
 * it does what it does, is templates/record.sh.tmpl. Nothing is started here.
 */
#include "cmd/cmd.h"
#include "cmd/print.h"
#include "metric/record.h"

#include <math.h>
#include <stdio.h>

#define TEMPLATE "templates/record.sh.tmpl"
#define SCRIPT_MAX_BYTES ((size_t)1 << 20)
#define LEAST_SECONDS 0.05 /* nvidia-smi takes some ten ms to answer, and its sensors are no faster */
#define MOST_SECONDS 3600

static const struct option table[] = {
	{ "every", 0, "STEP", NULL, "time between two rows: 1s, 500ms (else 1s); tools of the host know whole seconds" },
	{ "dir", 0, "DIR", NULL, "where the folder of each run is made (else where the script is started)" },
	{ "what", 0, "WHAT", "gpu|host|deep",
	  "the GPUs alone; also CPU, memory, disks (the default); also processes and hardware counters" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

struct script {
	const char *command_line, *dir, *fields, *loop, *what;
	const struct record_logger *loggers;
	size_t n_loggers;
};

static const struct field logger_rows[] = {
	FIELD(struct record_logger, file, TEXT),
	FIELD(struct record_logger, command, TEXT),
	FIELD(struct record_logger, trial, TEXT),
	FIELD(struct record_logger, simpler_command, TEXT),
};
static const struct fields logger_fields = FIELDS("logger", struct record_logger, logger_rows);

static const struct field script_rows[] = {
	FIELD(struct script, command_line, TEXT),
	FIELD(struct script, dir, TEXT),
	FIELD(struct script, fields, TEXT),
	FIELD(struct script, loop, TEXT),
	FIELD(struct script, what, TEXT),
	LIST(struct script, loggers, logger_fields),
};
static const struct fields script_fields = FIELDS("script", struct script, script_rows);

static bool read_step(const struct options *o, int64_t *step_ms)
{
	const char *text = option_value(o, "every");
	double seconds = 1;

	if (text && (!duration_parse(slice_of(text), &seconds) || seconds < LEAST_SECONDS || seconds > MOST_SECONDS)) {
		fprintf(stderr, "postrun: --every takes a time from 50ms to 1h, like 1s or 500ms, not '%s'\n", text);
		return false;
	}
	*step_ms = llround(seconds * 1000);
	return true;
}

/* The script has one line for it. */
static bool read_dir(struct arena *mem, const struct options *o, const char **word)
{
	const char *dir = option_value(o, "dir") ? option_value(o, "dir") : ".";

	for (const char *c = dir; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127) {
			fprintf(stderr, "postrun: --dir has a control character in it\n");
			return false;
		}
	*word = word_for_shell(mem, dir);
	return true;
}

static enum record_level read_level(const struct options *o)
{
	const char *text = option_value(o, "what");

	if (text && strcmp(text, "gpu") == 0)
		return RECORD_GPU;
	return text && strcmp(text, "deep") == 0 ? RECORD_DEEP : RECORD_HOST;
}

/* "timestamp" and what tells the GPUs apart stand in the template. */
static const char *fields_text(struct arena *mem)
{
	const struct texts fields = record_fields(mem);
	const char *text = "";

	for (size_t i = 0; i < fields.n; i++)
		text = arena_print(mem, "%s%s%s", text, i ? " " : "", fields.at[i]);
	return text;
}

static const char *what_text(enum record_level level)
{
	static const char *const texts[] = {
		[RECORD_GPU] = "Limits of the GPUs, once.",
		[RECORD_HOST] = "The host, and limits of the GPUs, once.",
		[RECORD_DEEP] = "The host, processes, hardware counters, and limits of the GPUs, once.",
	};

	return texts[level];
}

static struct script script_of(struct arena *mem, const struct options *o, int64_t step_ms, const char *dir)
{
	const enum record_level level = read_level(o);
	struct script s = {
		.command_line = o->command_line,
		.dir = dir,
		.fields = fields_text(mem),
		.loop = record_loop(mem, step_ms),
		.what = what_text(level),
	};

	s.loggers = record_loggers(mem, level, step_ms, &s.n_loggers);
	return s;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	int64_t step_ms;
	const char *dir;

	if (!read_step(o, &step_ms) || !read_dir(mem, o, &dir))
		return EXIT_USAGE;
	const struct script script = script_of(mem, o, step_ms, dir);
	(void)diags;
	return print_page(TEMPLATE, (struct view){ &script, &script_fields }, SCRIPT_MAX_BYTES);
}

const struct command command_record = {
	.name = "record",
	.arguments = "",
	.title = "a script that logs a run, so that all can be judged",
	.examples = "  postrun record > log.sh\n"
		    "  sh log.sh python train.py            logs while the job runs\n"
		    "  postrun record --every 500ms --what gpu > log.sh\n"
		    "  postrun record --what deep --dir /scratch/logs > log.sh\n",
	.options = table,
	.run = run,
};
