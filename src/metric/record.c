/*
 * record.c - the rows of record.def, and the choice of few commands for many metrics.
 *
 *     gpu.power_share, host.cpu.busy, core.busy
 *
 *     nvidia-smi --query-gpu=timestamp,index,power.draw,enforced.power.limit --format=csv -l 1
 *     mpstat -P ALL 1
 *
 * Metrics that follow from others are first replaced by these. Then the command that logs the most of what is left is taken, again and
 * again; what it chose early may be covered by later ones, and is dropped then. With some ten commands that is as good as
 * trying all sets of them.
 *
 * In the commands of record.def {s} is the time between two rows in whole seconds, {ms} in milliseconds.
 */
#include "metric/record.h"

#include "base/buf.h"

enum recorder {
#define RECORDER(id, its_format, its_begin, its_end, its_level, its_file, its_try) RECORDER_##id,
#include "metric/record.def"
	N_RECORDERS
};

enum level { IN_GPU = RECORD_GPU, IN_HOST = RECORD_HOST, IN_DEEP = RECORD_DEEP, IN_ONCE, IN_NONE };

static const struct {
	const char *format, *begin, *end;
	enum level level;
	const char *file, *trial;
} recorders[N_RECORDERS] = {
#define RECORDER(id, its_format, its_begin, its_end, its_level, its_file, its_try) \
	[RECORDER_##id] = { its_format, its_begin, its_end, IN_##its_level, its_file, its_try },
#include "metric/record.def"
};

static const struct record {
	enum metric metric;
	enum recorder recorder;
	const char *option, *value, *joint;
} records[] = {
#define RECORD(its_metric, its_recorder, its_option, its_value, its_joint) \
	{ METRIC_##its_metric, RECORDER_##its_recorder, its_option, its_value, its_joint },
#include "metric/record.def"
};
#define N_RECORDS (sizeof records / sizeof records[0])

static const struct {
	enum metric metric, from;
} follows[] = {
#define FOLLOWS(its_metric, its_from) { METRIC_##its_metric, METRIC_##its_from },
#include "metric/record.def"
};

static const struct {
	const char *format;
	enum metric has, metric;
} beside[] = {
#define BESIDE(its_format, its_has, its_metric) { its_format, METRIC_##its_has, METRIC_##its_metric },
#include "metric/record.def"
};

static const struct {
	enum metric has, metric;
} instead[] = {
#define INSTEAD(its_has, its_metric) { METRIC_##its_has, METRIC_##its_metric },
#include "metric/record.def"
};

static const char *const unrecorded[N_METRICS] = {
#define UNRECORDED(its_metric, its_why) [METRIC_##its_metric] = its_why,
#include "metric/record.def"
};

const char *record_unrecorded(const enum metric metric)
{
	return unrecorded[metric];
}

bool record_is_beside(const char *format, const enum metric has, const enum metric metric)
{
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
		if (beside[i].has == has && beside[i].metric == metric && strcmp(beside[i].format, format) == 0)
			return true;
	return false;
}

bool record_is_instead(const enum metric has, const enum metric metric)
{
	for (size_t i = 0; i < sizeof instead / sizeof instead[0]; i++)
		if (instead[i].has == has && instead[i].metric == metric)
			return true;
	return false;
}

static bool logs(const size_t recorder, const size_t metric)
{
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == recorder && records[i].metric == metric)
			return true;
	return false;
}

static bool is_logged(const size_t metric)
{
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].metric == metric)
			return true;
	return false;
}

/* Into `wanted` what a command can log: the metric, or what it follows from. */
static void want(bool *wanted, const enum metric metric)
{
	wanted[metric] |= is_logged(metric);
	for (size_t i = 0; i < sizeof follows / sizeof follows[0]; i++)
		if (follows[i].metric == metric)
			want(wanted, follows[i].from);
}

/* The recorder that logs the most of what is wanted, the first of equal ones; N_RECORDERS when none logs any. */
static size_t best_of(const bool *wanted)
{
	size_t best = N_RECORDERS, most = 0;

	for (size_t r = 0; r < N_RECORDERS; r++) {
		size_t n = 0;

		for (size_t m = 0; m < N_METRICS; m++)
			n += wanted[m] && logs(r, m);
		if (n > most) {
			most = n;
			best = r;
		}
	}
	return best;
}

static bool all_logged_without(const bool *wanted, const bool *chosen, const size_t left_out)
{
	for (size_t m = 0; m < N_METRICS; m++) {
		bool logged = !wanted[m];

		for (size_t r = 0; r < N_RECORDERS && !logged; r++)
			logged = chosen[r] && r != left_out && logs(r, m);
		if (!logged)
			return false;
	}
	return true;
}

static void choose(const bool *wanted, bool *chosen)
{
	bool left[N_METRICS];

	memcpy(left, wanted, sizeof left);
	for (size_t r = best_of(left); r < N_RECORDERS; r = best_of(left)) {
		chosen[r] = true;
		for (size_t m = 0; m < N_METRICS; m++)
			left[m] = left[m] && !logs(r, m);
	}
	for (size_t r = 0; r < N_RECORDERS; r++)
		if (chosen[r] && all_logged_without(wanted, chosen, r))
			chosen[r] = false;
}

/* Of the rows of one recorder whose metric is wanted and that no recorder before it logs: is there an equal one before row i? */
static bool is_repeated(const size_t *rows, const size_t n, const size_t i, const bool same_value)
{
	for (size_t k = 0; k < n && rows[k] != i; k++)
		if (strcmp(records[rows[k]].option, records[i].option) == 0 &&
			(!same_value || strcmp(records[rows[k]].value, records[i].value) == 0))
			return true;
	return false;
}

/* The option of rows[at] with all its values. */
static void print_option(struct buf *out, const size_t *rows, const size_t n, const size_t at)
{
	const struct record *first = &records[rows[at]];

	buf_print(out, "%s%s", *first->option ? " " : "", first->option);
	for (size_t k = at; k < n; k++) {
		const struct record *row = &records[rows[k]];

		if (strcmp(row->option, first->option) == 0 && !is_repeated(rows, n, rows[k], true))
			buf_print(out, "%s%s", k == at ? "" : row->joint, row->value);
	}
}

/* Tools of the host know whole seconds only; nvidia-smi's query has another option for shorter steps. */
static void print_stepped(struct buf *out, const char *text, const int64_t step_ms)
{
	const int64_t seconds = step_ms < 1000 ? 1 : (step_ms + 999) / 1000;

	while (*text) {
		if (strncmp(text, "-l {s}", 6) == 0 && step_ms % 1000 != 0) {
			buf_print(out, "-lms %lld", (long long)step_ms);
			text += 6;
		} else if (strncmp(text, "{s}", 3) == 0) {
			buf_print(out, "%lld", (long long)seconds);
			text += 3;
		} else if (strncmp(text, "{ms}", 4) == 0) {
			buf_print(out, "%lld", (long long)step_ms);
			text += 4;
		} else {
			buf_char(out, *text++);
		}
	}
}

#define ONE_SECOND 1000

static const char *command_of(struct arena *mem, const size_t recorder, const bool *wanted, const int64_t step_ms)
{
	size_t rows[N_RECORDS], n = 0;
	struct buf out;

	buf_init(&out, 64 * 1024);
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == recorder && wanted[records[i].metric])
			rows[n++] = i;
	print_stepped(&out, recorders[recorder].begin, step_ms);
	for (size_t k = 0; k < n; k++)
		if (!is_repeated(rows, n, rows[k], false))
			print_option(&out, rows, n, k);
	if (recorders[recorder].level != IN_ONCE || step_ms)
		print_stepped(&out, recorders[recorder].end, step_ms);
	return buf_kept(mem, &out);
}

void record_basics(bool *basics, const enum metric metric)
{
	want(basics, metric);
}

/* Those of `metrics` of which the command logs at least a part. */
static void tell_metrics(struct arena *mem, struct record_choice *choice, const size_t recorder, const enum metric *metrics, const size_t n)
{
	enum metric *told = NEW_ARRAY(mem, enum metric, n);

	for (size_t i = 0; i < n; i++) {
		bool basics[N_METRICS] = { false }, is_part = false;
		want(basics, metrics[i]);
		for (size_t m = 0; m < N_METRICS; m++)
			is_part |= basics[m] && logs(recorder, m);
		if (is_part)
			told[choice->n_metrics++] = metrics[i];
	}
	choice->metrics = told;
}

const struct record_choice *record_choose(struct arena *mem, const enum metric *metrics, const size_t n_metrics, size_t *n_choices)
{
	bool wanted[N_METRICS] = { false }, chosen[N_RECORDERS] = { false };
	struct record_choice *choices = NEW_ARRAY(mem, struct record_choice, N_RECORDERS);

	*n_choices = 0;
	for (size_t i = 0; i < n_metrics; i++)
		want(wanted, metrics[i]);
	choose(wanted, chosen);
	for (size_t r = 0; r < N_RECORDERS; r++) {
		if (!chosen[r])
			continue;
		struct record_choice *choice = &choices[(*n_choices)++];
		choice->command = command_of(mem, r, wanted, ONE_SECOND);
		tell_metrics(mem, choice, r, metrics, n_metrics);
		for (size_t m = 0; m < N_METRICS; m++) /* what it logs needs no option of those that come */
			wanted[m] = wanted[m] && !logs(r, m);
	}
	return choices;
}

struct texts record_commands(struct arena *mem, const enum metric *metrics, const size_t n_metrics)
{
	size_t n;
	const struct record_choice *choices = record_choose(mem, metrics, n_metrics, &n);
	const char **commands = NEW_ARRAY(mem, const char *, n);

	for (size_t i = 0; i < n; i++)
		commands[i] = choices[i].command;
	return (struct texts){ commands, n };
}

struct texts record_fields(struct arena *mem)
{
	const char **fields = NEW_ARRAY(mem, const char *, N_RECORDS);
	size_t n = 0;

	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == RECORDER_QUERY)
			fields[n++] = records[i].value + 1; /* behind the comma */
	return (struct texts){ fields, n };
}

const char *record_loop(struct arena *mem, const int64_t step_ms)
{
	struct buf out;

	buf_init(&out, 1024);
	print_stepped(&out, "-l {s}", step_ms);
	return buf_kept(mem, &out);
}

/* All that the command can log, or all but the values of its last option; false when that is nothing. */
static bool want_all(bool *wanted, const size_t recorder, const bool with_last)
{
	const char *last = "";
	bool any = false;

	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == recorder)
			last = records[i].option;
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == recorder && (with_last || strcmp(records[i].option, last) != 0))
			any = wanted[records[i].metric] = true;
	return any;
}

static struct record_logger logger_of(struct arena *mem, const size_t recorder, const int64_t step_ms)
{
	const bool once = recorders[recorder].level == IN_ONCE;
	bool all[N_METRICS] = { false }, fewer[N_METRICS] = { false };
	struct record_logger logger = { .file = recorders[recorder].file };

	want_all(all, recorder, true);
	logger.command = command_of(mem, recorder, all, once ? 0 : step_ms);
	if (!recorders[recorder].trial)
		return logger;
	logger.trial = arena_print(mem, "%s%s", logger.command, recorders[recorder].trial);
	if (want_all(fewer, recorder, false))
		logger.simpler_command = command_of(mem, recorder, fewer, step_ms);
	return logger;
}

static bool is_started(const size_t recorder, const enum record_level level)
{
	const enum level from = recorders[recorder].level;

	return recorder != RECORDER_QUERY && (from == IN_ONCE || (from != IN_NONE && (size_t)from <= (size_t)level));
}

const struct record_logger *record_loggers(struct arena *mem, const enum record_level level, const int64_t step_ms, size_t *n_loggers)
{
	struct record_logger *loggers = NEW_ARRAY(mem, struct record_logger, N_RECORDERS);

	*n_loggers = 0;
	for (size_t r = 0; r < N_RECORDERS; r++)
		if (is_started(r, level))
			loggers[(*n_loggers)++] = logger_of(mem, r, step_ms);
	return loggers;
}

size_t record_n_commands(void)
{
	return N_RECORDERS;
}

const char *record_format(const size_t command)
{
	return recorders[command].format;
}

const char *record_column(const size_t command, const enum metric metric)
{
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == command && records[i].metric == metric)
			return records[i].value;
	return NULL;
}
