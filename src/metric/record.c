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
 */
#include "metric/record.h"

#include "base/buf.h"

enum recorder {
#define RECORDER(id, its_format, its_begin, its_end) RECORDER_##id,
#include "metric/record.def"
	N_RECORDERS
};

static const struct {
	const char *format, *begin, *end;
} recorders[N_RECORDERS] = {
#define RECORDER(id, its_format, its_begin, its_end) [RECORDER_##id] = { its_format, its_begin, its_end },
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

static const char *const unrecorded[N_METRICS] = {
#define UNRECORDED(its_metric, its_why) [METRIC_##its_metric] = its_why,
#include "metric/record.def"
};

const char *record_unrecorded(const enum metric metric)
{
	return unrecorded[metric];
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
	for (size_t r = 0; r < N_RECORDERS; r++)
		if (logs(r, metric))
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

static const char *command_of(struct arena *mem, const size_t recorder, const bool *wanted)
{
	size_t rows[N_RECORDS], n = 0;
	struct buf out;

	buf_init(&out, 64 * 1024);
	for (size_t i = 0; i < N_RECORDS; i++)
		if (records[i].recorder == recorder && wanted[records[i].metric])
			rows[n++] = i;
	buf_print(&out, "%s", recorders[recorder].begin);
	for (size_t k = 0; k < n; k++)
		if (!is_repeated(rows, n, rows[k], false))
			print_option(&out, rows, n, k);
	buf_print(&out, "%s", recorders[recorder].end);
	const char *command = arena_text(mem, out.at, out.n);
	buf_release(&out);
	return command;
}

struct texts record_commands(struct arena *mem, const enum metric *metrics, const size_t n_metrics)
{
	bool wanted[N_METRICS] = { false }, chosen[N_RECORDERS] = { false };
	const char **commands = NEW_ARRAY(mem, const char *, N_RECORDERS);
	size_t n = 0;

	for (size_t i = 0; i < n_metrics; i++)
		want(wanted, metrics[i]);
	choose(wanted, chosen);
	for (size_t r = 0; r < N_RECORDERS; r++) {
		if (!chosen[r])
			continue;
		commands[n++] = command_of(mem, r, wanted);
		for (size_t m = 0; m < N_METRICS; m++) /* what it logs needs no option of those that come */
			wanted[m] = wanted[m] && !logs(r, m);
	}
	return (struct texts){ commands, n };
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
