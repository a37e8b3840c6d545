/*
 * record_test.c - every metric has a command or a reason why not, and our readers know what the commands write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"
#include "metric/record.h"

static void every_metric_has_a_command_or_a_reason(void **state)
{
	struct logs *logs = *state;

	for (size_t m = 0; m < N_METRICS; m++) {
		const enum metric metric = (enum metric)m;
		const bool has_command = record_commands(&logs->mem, &metric, 1).n > 0, has_reason = record_unrecorded(metric) != NULL;

		if (has_command == has_reason)
			fail_msg("%s has %s", metric_table[m].name, has_command ? "both" : "neither");
	}
}

static bool spells(const struct format *f, enum metric metric, const char *head)
{
	for (const struct spelling *s = f->columns; s && s->head; s++)
		if (s->metric == metric && (!head || strcmp(s->head, head) == 0))
			return true;
	return false;
}

static bool has_column(const struct recording *rec, enum metric metric)
{
	for (size_t c = 0; rec && c < rec->n_channels; c++)
		for (size_t k = 0; k < rec->channels[c].n_columns; k++)
			if (rec->channels[c].columns[k].metric == metric)
				return true;
	return false;
}

static bool has_event(const struct recording *rec, enum event_kind kind)
{
	for (size_t i = 0; rec && i < rec->n_events; i++)
		if (rec->events[i].kind == kind)
			return true;
	return false;
}

static const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < n_formats; i++)
		if (strcmp(format_table[i]->name, name) == 0)
			return format_table[i];
	return NULL;
}

/* A field of a query is a column that our reader knows by just that name; of the rest the reader spells the metric or its sample has it. */
static void readers_know_what_the_commands_log(void **state)
{
	struct logs *logs = *state;

	for (size_t c = 0; c < record_n_commands(); c++) {
		const struct format *f = format_named(record_format(c));
		size_t n = 0;

		assert_non_null(f);
		const struct recording *rec = read_text(logs, "sample", f->sample);
		for (size_t m = 0; m < N_METRICS; m++) {
			const char *column = record_column(c, (enum metric)m);
			if (!column)
				continue;
			n++;
			const bool known = column[0] == ','  ? spells(f, (enum metric)m, column + 1)
					   : m == METRIC_GPU_XID ? has_event(rec, EVENT_XID)
					   : m == METRIC_HOST_OOM_KILL ? has_event(rec, EVENT_OOM_KILL)
								 : spells(f, (enum metric)m, NULL) || has_column(rec, (enum metric)m);
			if (!known)
				fail_msg("%s does not read %s", f->name, metric_table[m].name);
		}
		assert_true(n > 0);
	}
}

/* What a log was asked for with something else is of a format that reads both. */
static void readers_know_what_is_told_beside(void **state)
{
	static const size_t n_rows = 0
#define BESIDE(format, has, metric) +1
#include "metric/record.def"
		;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < n_formats; i++)
		for (size_t has = 0; has < N_METRICS; has++)
			for (size_t m = 0; m < N_METRICS; m++) {
				const struct format *const f = format_table[i];
				if (!record_is_beside(f->name, (enum metric)has, (enum metric)m))
					continue;
				n++;
				if (!spells(f, (enum metric)has, NULL) || !spells(f, (enum metric)m, NULL))
					fail_msg("%s does not read %s beside %s", f->name, metric_table[m].name, metric_table[has].name);
			}
	assert_int_equal(n, n_rows); /* of a format that is not ours nothing would be found */
}

static void chooses_few_commands(void **state)
{
	static const struct {
		enum metric metrics[5];
		size_t n;
		const char *commands;
	} cases[] = {
		{ { METRIC_GPU_UTIL }, 1, "nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv -l 1\n" },
		/* a share needs both of its parts, and each column is asked for once */
		{ { METRIC_GPU_POWER_SHARE, METRIC_GPU_POWER, METRIC_GPU_THR_HW_THERMAL, METRIC_GPU_THR_SW_THERMAL }, 4,
		  "nvidia-smi --query-gpu=timestamp,index,power.draw,enforced.power.limit,clocks_event_reasons.active --format=csv -l 1\n" },
		/* of equal ones the first; one that logs both in place of two */
		{ { METRIC_CPU_BUSY }, 1, "mpstat -P ALL 1\n" },
		{ { METRIC_CPU_BUSY, METRIC_HOST_RUNQ }, 2, "vmstat -t -n -w 1\n" },
		{ { METRIC_HOST_DISK_UTIL, METRIC_HOST_DISK_READ, METRIC_CPU_BUSY }, 3, "iostat -x -t 1\n" },
		{ { METRIC_CORE_BUSY, METRIC_HOST_RUNQ, METRIC_CPU_BUSY, METRIC_CPU_USER, METRIC_CPU_IOWAIT }, 5,
		  "mpstat -P ALL 1\nvmstat -t -n -w 1\n" },
		/* options, each once, with their values */
		{ { METRIC_GPU_SM_ACTIVE, METRIC_GPU_PCIE_RX, METRIC_GPU_PCIE_TX, METRIC_GPU_PCIE_REPLAYS, METRIC_GPU_DRAM_ACTIVE }, 5,
		  "nvidia-smi dmon -o DT -d 1 -s te --gpm-metrics 2,10\n" },
		{ { METRIC_HOST_NET_RX, METRIC_HOST_NET_TX, METRIC_HOST_LOAD }, 3, "sar -q -n DEV 1\n" },
		{ { METRIC_GPU_ENERGY }, 1, "dcgmi dmon -d 1000 -e 156\n" },
		{ { METRIC_RUN_STEP, METRIC_LOG_SKEW }, 2, "" },
		{ { METRIC_GPU_UTIL }, 0, "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct texts commands = record_commands(&logs->mem, cases[i].metrics, cases[i].n);
		const char *text = "";

		for (size_t k = 0; k < commands.n; k++)
			text = arena_print(&logs->mem, "%s%s\n", text, commands.at[k]);
		assert_string_equal(text, cases[i].commands);
	}
}

/* Is each word of the command in the other, but for how it is repeated? */
static bool covers(const char *other, const char *command)
{
	struct slice rest = slice_of(command);

	for (struct slice word = slice_word(&rest); word.n; word = slice_word(&rest)) {
		char text[256];
		if (word.n >= sizeof text)
			return false;
		memcpy(text, word.p, word.n);
		text[word.n] = '\0';
		if (!slice_is(word, "-l") && !slice_is(word, "1") && !strstr(other, text))
			return false;
	}
	return true;
}

static bool is_field(const struct texts fields, const char *column)
{
	return column && column[0] == ',' && texts_have(fields, column + 1);
}

/* host.mem_total is in top alone, which lists every process each second; sar has the shares. */
static void a_script_logs_every_metric(void **state)
{
	struct logs *logs = *state;
	const struct texts fields = record_fields(&logs->mem);
	size_t n;
	const struct record_logger *loggers = record_loggers(&logs->mem, RECORD_DEEP, 1000, &n);

	for (size_t m = 0; m < N_METRICS; m++) {
		const enum metric metric = (enum metric)m;
		bool logged = metric_table[m].kind == KIND_FACT || record_unrecorded(metric) || metric == METRIC_HOST_MEM_TOTAL;
		bool basics[N_METRICS] = { false };

		record_basics(basics, metric);
		for (size_t c = 0; c < record_n_commands() && !logged; c++)
			logged = !basics[m] || is_field(fields, record_column(c, metric));
		for (size_t i = 0; i < n && !logged; i++)
			logged = covers(loggers[i].command, record_commands(&logs->mem, &metric, 1).at[0]);
		if (!logged)
			fail_msg("the script does not log %s", metric_table[m].name);
	}
}

static const struct {
	enum record_level level;
	int step_ms;
	const char *loop, *commands;
} scripts[] = {
	{ RECORD_GPU, 1000, "-l 1", "smi-q.txt: nvidia-smi -q\n" },
	{ RECORD_HOST, 500, "-lms 500",
	  "smi-q.txt: nvidia-smi -q\n"
	  "mpstat.txt: mpstat -P ALL 1\n"
	  "vmstat.txt: vmstat -t -n -w 1\n"
	  "iostat.txt: iostat -x -t 1\n"
	  "sar.txt: sar -r -q -n DEV 1\n"
	  "kernel.txt: journalctl -k -f -o short-iso\n" },
	/* 2.5 s is no step that tools of the host know */
	{ RECORD_DEEP, 2500, "-lms 2500",
	  "dmon.txt: nvidia-smi dmon -o DT -d 3 -s te --gpm-metrics 2,3,5,10,13\n"
	  "  try nvidia-smi dmon -o DT -d 3 -s te --gpm-metrics 2,3,5,10,13 -c 1\n"
	  "  or nvidia-smi dmon -o DT -d 3 -s te\n"
	  "pmon.txt: nvidia-smi pmon -o DT -d 3 -s um\n"
	  "smi-q.txt: nvidia-smi -q\n"
	  "dcgmi.txt: dcgmi dmon -d 2500 -e 156\n"
	  "  try dcgmi dmon -d 2500 -e 156 -c 1\n"
	  "mpstat.txt: mpstat -P ALL 3\n"
	  "vmstat.txt: vmstat -t -n -w 3\n"
	  "iostat.txt: iostat -x -t 3\n"
	  "sar.txt: sar -r -q -n DEV 3\n"
	  "pidstat.txt: pidstat -u 3\n"
	  "kernel.txt: journalctl -k -f -o short-iso\n" },
};

static void steps_and_levels(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		const char *text = "";
		size_t n;
		const struct record_logger *loggers = record_loggers(&logs->mem, scripts[i].level, scripts[i].step_ms, &n);

		for (size_t k = 0; k < n; k++) {
			text = arena_print(&logs->mem, "%s%s: %s\n", text, loggers[k].file, loggers[k].command);
			if (loggers[k].trial)
				text = arena_print(&logs->mem, "%s  try %s\n", text, loggers[k].trial);
			if (loggers[k].simpler_command)
				text = arena_print(&logs->mem, "%s  or %s\n", text, loggers[k].simpler_command);
		}
		assert_string_equal(text, scripts[i].commands);
		assert_string_equal(record_loop(&logs->mem, scripts[i].step_ms), scripts[i].loop);
	}
}

static void tells_what_a_command_settles(void **state)
{
	struct logs *logs = *state;
	const enum metric metrics[] = { METRIC_CORE_BUSY, METRIC_GPU_POWER_SHARE, METRIC_GPU_THR_SW_POWER };
	size_t n;
	const struct record_choice *choices = record_choose(&logs->mem, metrics, 3, &n);

	assert_int_equal(n, 2);
	assert_string_equal(choices[0].command,
		"nvidia-smi --query-gpu=timestamp,index,power.draw,enforced.power.limit,clocks_event_reasons.active --format=csv -l 1");
	assert_int_equal(choices[0].n_metrics, 2);
	assert_int_equal(choices[0].metrics[0], METRIC_GPU_POWER_SHARE);
	assert_int_equal(choices[0].metrics[1], METRIC_GPU_THR_SW_POWER);
	assert_int_equal(choices[1].n_metrics, 1);
	assert_int_equal(choices[1].metrics[0], METRIC_CORE_BUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_metric_has_a_command_or_a_reason, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(readers_know_what_the_commands_log, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(readers_know_what_is_told_beside, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(chooses_few_commands, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_script_logs_every_metric, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(steps_and_levels, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_what_a_command_settles, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
