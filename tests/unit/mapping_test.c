/*
 * mapping_test.c - mappings in YAML: patterns, every complaint, the built-in ones; and CSV that is read by them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "format/mapping.h"
#include "logs.h"

static void patterns_stand_for_heads(void **state)
{
	static const struct {
		const char *pattern, *head;
		bool fits;
		int gpu, core;
		const char *host;
	} cases[] = {
		{ "time", "Time", true, -1, -1, "" },
		{ "time", "times", false, -1, -1, "" },
		{ "time", "tim", false, -1, -1, "" },
		{ "*", "", true, -1, -1, "" },
		{ "*__MIN", "system/gpu.0.gpu__MIN", true, -1, -1, "" },
		{ "*__MIN", "system/gpu.0.gpu__MINUS", false, -1, -1, "" },
		{ "*system/gpu.{gpu}.gpu", "run 7 - system/gpu.12.gpu", true, 12, -1, "" },
		{ "*system/gpu.{gpu}.gpu", "system/gpu.x.gpu", false, -1, -1, "" },
		{ "*system/gpu.{gpu}.gpu", "system/gpu.3.gpu__MIN", false, -1, -1, "" },
		{ "{host} core {core}", "node-01.x core 5", true, -1, 5, "node-01.x" },
		{ "*gpu=\"{gpu}\"*", "{Hostname=\"a\", gpu=\"4\", x=\"y\"}", true, 4, -1, "" },
		{ "a*b*c", "a-b-b-c", true, -1, -1, "" },
		{ "a*b*c", "a-c", false, -1, -1, "" },
		{ "gpu{gpu}", "gpu99999999", false, -1, -1, "" }, /* no such GPU */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct captures c;
		assert_int_equal(pattern_fits(cases[i].pattern, slice_of(cases[i].head), &c), cases[i].fits);
		if (!cases[i].fits)
			continue;
		assert_int_equal(c.gpu, cases[i].gpu);
		assert_int_equal(c.core, cases[i].core);
		assert_true(slice_is(c.host, cases[i].host));
	}
}

#define REST "sources: [s]\ntime: {column: time}\ncolumns: {x: {metric: gpu.util}}\n"

static void every_mistake_is_told(void **state)
{
	static const struct {
		const char *yaml, *complaints;
	} cases[] = {
		{ "titel: t\n" REST,
		  "m.yaml:1:1: error: unknown-key: unknown key 'titel'; did you mean 'title'?\n    1 | titel: t\n      | ^~~~~\n"
		  "m.yaml:1:1: error: missing-key: a mapping needs 'title'\n    1 | titel: t\n      | ^\n" },
		{ "title: t\nsources: [s]\ntime: {column: time, is: hours}\ncolumns: {x: {metric: gpu.utl}}\n",
		  "m.yaml:3:26: error: bad-value: 'hours' is no way to tell times; there are 'a time', 'seconds since the start' and "
		  "'milliseconds since the start'\n    3 | time: {column: time, is: hours}\n      |                          ^~~~~\n"
		  "m.yaml:4:23: error: unknown-name: no metric is called 'gpu.utl'; did you mean 'gpu.util'?\n"
		  "    4 | columns: {x: {metric: gpu.utl}}\n      |                       ^~~~~~~\n" },
		{ "title: t\nsources: [s]\ntime: {column: time, zone: EST}\ncolumns: {x: {metric: gpu.power, unit: MiB}}\n",
		  "m.yaml:3:28: error: bad-value: 'EST' is no time zone; write UTC, UTC-5 or +05:30\n"
		  "    3 | time: {column: time, zone: EST}\n      |                            ^~~\n"
		  "m.yaml:4:14: error: bad-dimension: 'MiB' is an amount of memory, but gpu.power is a power\n"
		  "    4 | columns: {x: {metric: gpu.power, unit: MiB}}\n      |              ^\n" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {metric: gpu.power, unit: MiB}}\n",
		  "m.yaml:4:14: error: bad-dimension: 'MiB' is an amount of memory, but gpu.power is a power\n"
		  "    4 | columns: {x: {metric: gpu.power, unit: MiB}}\n      |              ^\n" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {\"c{cpu}\": {metric: core.busy}}\n",
		  "m.yaml:4:12: error: bad-placeholder: '{cpu}' stands for nothing; there are {gpu}, {core} and {host}\n"
		  "    4 | columns: {\"c{cpu}\": {metric: core.busy}}\n      |            ^~~~~~\n" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {c: {metric: core.busy}}\n",
		  "m.yaml:4:11: error: bad-value: core.busy is about one core: put {core} into the head, or name the column of the core "
		  "under 'entity'\n    4 | columns: {c: {metric: core.busy}}\n      |           ^\n" },
		{ "title: [t]\n" REST,
		  "m.yaml:1:8: error: bad-value: 'title' must be one value\n    1 | title: [t]\n      |        ^\n" },
		{ "title: t\n" REST, "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct mapping *m = mapping_load(&logs->mem, "m.yaml", slice_of(cases[i].yaml), &logs->diags);
		assert_int_equal(m != NULL, !*cases[i].complaints);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}

static void built_in_mappings_are_right(void **state)
{
	struct logs *logs = *state;
	size_t n = 0;

	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *e = &embedded_files[i];
		struct slice text = { e->begin, (size_t)(e->end - e->begin) };
		if (strncmp(e->name, "rules/mapping/", 14) != 0)
			continue;
		assert_non_null(mapping_load(&logs->mem, e->name, text, &logs->diags));
		n++;
	}
	assert_true(n >= 2);
	assert_string_equal(take_complaints(logs), "");
}

/* All that is built in, and the one of the case first. */
static struct mappings mappings_of(struct logs *logs, const char *yaml)
{
	struct mappings all = { NEW_ARRAY(&logs->mem, const struct mapping *, n_embedded_files + 1), 0 };

	if (yaml)
		all.at[all.n++] = mapping_load(&logs->mem, "m.yaml", slice_of(yaml), &logs->diags);
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *e = &embedded_files[i];
		if (strncmp(e->name, "rules/mapping/", 14) == 0)
			all.at[all.n++] = mapping_load(&logs->mem, e->name, (struct slice){ e->begin, (size_t)(e->end - e->begin) },
				&logs->diags);
	}
	return all;
}

static void csv_is_read_by_mapping(void **state)
{
	static const struct {
		const char *yaml, *map, *csv, *why, *shown, *complaints;
	} cases[] = {
		/* Weights & Biases: minimum and maximum are passed over */
		{ NULL, NULL,
		  "\"Relative Time (Process)\",\"system/gpu.0.gpu\",\"system/gpu.0.gpu__MIN\",\"system/gpu.1.gpu\"\n"
		  "\"15.5\",\"90\",\"80\",\"\"\n\"30.5\",\"91\",\"80\",\"12.25\"\n",
		  "the mapping wandb explains 2 of its 4 columns",
		  "gpu0: gpu.util\n00:00:15.500 90\n00:00:30.500 91\ngpu1: gpu.util\n00:00:15.500 -\n00:00:30.500 12.25\n", "" },
		/* Grafana: units in the cells, the GPU in a label */
		{ NULL, NULL,
		  "\"Time\",\"DCGM_FI_DEV_GPU_UTIL{gpu=\"\"3\"\", Hostname=\"\"a\"\"}\",\"DCGM_FI_PROF_DRAM_ACTIVE{gpu=\"\"3\"\"}\"\n"
		  "2026-11-21 02:00:00,97%,0.25\n",
		  "the mapping prometheus-dcgm explains 2 of its 3 columns", "gpu3: gpu.util gpu.dram_active\n02:00:00.000 97 25.00\n", "" },
		/* somebody's own: a column names the GPU, a word says missing, another separator */
		{ "title: t\nsources: [s]\nseparator: \";\"\ntime: {column: when, zone: \"+01:00\"}\nmissing: [lost]\nentity: {gpu: card}\n"
		  "columns: {busy: {metric: gpu.util, unit: fraction}, \"draw*\": {metric: gpu.power, unit: kW}}\n",
		  "m.yaml",
		  "when;card;busy;draw (kW)\n2026-11-21 02:00:00;0;0.5;0.25\n2026-11-21 02:00:00;1;lost;0.125\n2026-11-21 02:00:01;x;1;1\n",
		  "--map names m.yaml for it",
		  "gpu0: gpu.util gpu.power\n02:00:00.000 50.0 250.00\ngpu1: gpu.util gpu.power\n02:00:00.000 - 125.000\n",
		  "log:4:1: warning: bad-row: 'x' names no GPU; row not used\n" },
		{ "title: t\n" REST, "m.yaml", "a,b\n1,2\n", NULL, "",
		  "log: error: no-header: no line has the heads that m.yaml asks for: 'time' and at least one of its columns\n" },
		/* given for all files, it leaves alone what others know */
		{ "title: t\n" REST, "m.yaml", "Time,Step,loss\n1795226400,5,1\n", "2 of its 3 columns are named like a job's progress",
		  "run: run.step run.loss\n02:00:00.000 5 1\n", "" },
		/* heads named like metrics; a job's loss comes when there is one; small numbers with exponents */
		{ NULL, NULL, "starting\nTime,Step,loss,lr\n1795226400,5,,1\n1795226401.5,10,2.5e-01,1\n",
		  "2 of its 4 columns are named like a job's progress",
		  "run: run.step run.loss\n02:00:00.000 5 -\n02:00:01.500 10 0.250000\n", "" },
		/* of what is cpu_percent? only a mapping can say */
		{ NULL, NULL, "timestamp,cpu_percent,step\n2026-11-21T02:00:00Z,50,1\n2026-11-21T02:00:01Z,51.5\nsoon,50,1\n",
		  "1 of its 3 columns are named like a job's progress", "run: run.step\n02:00:00.000 1\n",
		  "log:3: warning: bad-row: 2 cells where the header has 3; row not used\n"
		  "log:4:1: warning: bad-time: 'soon' is no time like those before; row not used\n" },
		{ NULL, NULL, "timestamp,cpu_percent\n2026-11-21T02:00:00Z,50\n", NULL, "",
		  "log: warning: not-a-log: a table that no reader knows, with the columns 'timestamp', 'cpu_percent'; a mapping (--map) can say what they are\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct mappings all = mappings_of(logs, cases[i].yaml);
		const struct file_option option = { "*", cases[i].map };
		const struct read_request request = { .mappings = &all, .maps = { &option, cases[i].map != NULL } };
		const char *path = folder_put(&logs->folder, &logs->mem, "log", slice_of(cases[i].csv));
		const struct recording *rec = format_read(&logs->mem, path, &request, false, &logs->diags);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		if (rec) {
			assert_string_equal(rec->format->name, "csv");
			assert_string_equal(rec->why, cases[i].why);
		}
	}
}

/* Whoever names a file for a mapping is told that it does not fit, though another reader is sure of the file. */
static void asked_by_name_is_obeyed(void **state)
{
	static const char csv[] = "timestamp, index, utilization.gpu [%]\n2026/11/21 02:00:00.000, 0, 5 %\n2026/11/21 02:00:01.000, 0, 6 %\n";
	static const struct {
		struct file_option option;
		const char *reader, *complaints;
	} cases[] = {
		{ { "*", "m.yaml" }, "nvidia-smi-csv", "" },
		{ { "log", "m.yaml" }, NULL,
		  "log: error: no-header: no line has the heads that m.yaml asks for: 'time' and at least one of its columns\n" },
	};
	struct logs *logs = *state;
	const struct mappings all = mappings_of(logs, "title: t\n" REST);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct read_request request = { .mappings = &all, .maps = { &cases[i].option, 1 } };
		const char *path = folder_put(&logs->folder, &logs->mem, "log", slice_of(csv));
		const struct recording *rec = format_read(&logs->mem, path, &request, false, &logs->diags);

		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_int_equal(rec != NULL, cases[i].reader != NULL);
		if (rec)
			assert_string_equal(rec->format->name, cases[i].reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_stand_for_heads),
		cmocka_unit_test_setup_teardown(every_mistake_is_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(built_in_mappings_are_right, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(csv_is_read_by_mapping, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(asked_by_name_is_obeyed, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
