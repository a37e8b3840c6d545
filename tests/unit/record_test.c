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
								 : spells(f, (enum metric)m, NULL) || has_column(rec, (enum metric)m);
			if (!known)
				fail_msg("%s does not read %s", f->name, metric_table[m].name);
		}
		assert_true(n > 0);
	}
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
		{ { METRIC_CPU_BUSY, METRIC_HOST_RUNQ }, 2, "vmstat -t 1\n" },
		{ { METRIC_HOST_DISK_UTIL, METRIC_HOST_DISK_READ, METRIC_CPU_BUSY }, 3, "iostat -x -t 1\n" },
		{ { METRIC_CORE_BUSY, METRIC_HOST_RUNQ, METRIC_CPU_BUSY, METRIC_CPU_USER, METRIC_CPU_IOWAIT }, 5,
		  "mpstat -P ALL 1\nvmstat -t 1\n" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_metric_has_a_command_or_a_reason, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(readers_know_what_the_commands_log, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(chooses_few_commands, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
