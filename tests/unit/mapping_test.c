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

/* The first line of the first complaint. */
static void what_a_key_may_hold(void **state)
{
	static const struct {
		const char *yaml, *complaint;
	} cases[] = {
		{ "- title\n", "m.yaml:1:1: error: bad-value: a mapping is a map of keys" },
		{ "title: [\n", "m.yaml:2:1: error: yaml-syntax: did not find expected node content" },
		{ "wibble: t\ntitle: t\n" REST, "m.yaml:1:1: error: unknown-key: unknown key 'wibble'; a mapping has title, sources, time, columns, "
		  "entity, missing, ignore and separator" },
		{ "title: \"\"\n" REST, "m.yaml:1:8: error: bad-value: a title says what the mapping reads" },
		{ "title: t\nsources: []\ntime: {column: time}\ncolumns: {x: {metric: gpu.util}}\n",
		  "m.yaml:2:10: error: bad-value: say where the meaning of the columns comes from" },
		{ "title: {t: t}\n" REST, "m.yaml:1:8: error: bad-value: 'title' must be one value" },
		{ "title: t\nseparator: ;;\n" REST, "m.yaml:2:12: error: bad-value: a separator is one character, or tab" },
		{ "title: t\nmissing: none\n" REST, "m.yaml:2:10: error: bad-value: 'missing' must be a list" },
		{ "title: t\nentity: gpu\n" REST, "m.yaml:2:9: error: bad-value: 'entity' must be a map" },
		{ "title: t\nentity: {card: x}\n" REST,
		  "m.yaml:2:10: error: unknown-key: unknown key 'card'; an entity is named by the columns gpu, core and host" },
		{ "title: t\nentity: {gpu: \"\"}\n" REST, "m.yaml:2:15: error: bad-value: a head has 1 to 200 bytes" },
		{ "title: t\nsources: [s]\ntime: {column: time, zome: UTC}\ncolumns: {x: {metric: gpu.util}}\n",
		  "m.yaml:3:22: error: unknown-key: unknown key 'zome'; did you mean 'zone'?" },
		{ "title: t\nsources: [s]\ntime: {column: time, wibble: UTC}\ncolumns: {x: {metric: gpu.util}}\n",
		  "m.yaml:3:22: error: unknown-key: unknown key 'wibble'; time has column, is and zone" },
		{ "title: t\nsources: [s]\ntime: {is: a time}\ncolumns: {x: {metric: gpu.util}}\n",
		  "m.yaml:3:7: error: missing-key: time needs 'column': the head of the column with the times" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {metric: wibblewobble}}\n",
		  "m.yaml:4:23: error: unknown-name: no metric is called 'wibblewobble'; `postrun metrics` lists them" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {unit: furlong, metric: gpu.util}}\n",
		  "m.yaml:4:21: error: bad-value: 'furlong' is no unit that postrun knows" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {metrik: gpu.util}}\n",
		  "m.yaml:4:15: error: unknown-key: unknown key 'metrik'; did you mean 'metric'?" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {metric: gpu.util, wibble: 1}}\n",
		  "m.yaml:4:33: error: unknown-key: unknown key 'wibble'; a column has metric and unit" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {x: {unit: MiB}}\n",
		  "m.yaml:4:14: error: missing-key: a column needs 'metric', like {metric: gpu.util, unit: \"%\"}" },
		{ "title: t\nsources: [s]\ntime: {column: time}\ncolumns: {}\n", "m.yaml:4:10: error: bad-value: a mapping has 1 to 500 columns" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(mapping_load(&logs->mem, "m.yaml", slice_of(cases[i].yaml), &logs->diags));
		struct slice said = slice_of(take_complaints(logs));
		const struct slice first = slice_line(&said);
		assert_string_equal(arena_text(&logs->mem, first.p, first.n), cases[i].complaint);
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
		  "log:4:21: warning: bad-row: 'x' names no GPU; row not used\n" },
		{ "title: t\n" REST, "m.yaml", "a,b\n1,2\n", NULL, "",
		  "log: warning: not-a-log: a table that no reader knows, with the columns 'a', 'b'; a mapping (--map) can say what they are; "
		  "m.yaml does not\n" },
		{ "title: t\n" REST, "m.yaml", "hello\n", NULL, "",
		  "log: warning: not-a-log: there is one line in it, and no sample: 'hello'\n" },
		/* given for all files, it leaves alone what others know */
		{ "title: t\n" REST, "m.yaml", "Time,Step,loss\n1795226400,5,1\n", "2 of its 3 columns are named like a job's progress",
		  "run: run.step run.loss\n02:00:00.000 5 1\n", "" },
		/* heads named like metrics; a job's loss comes when there is one; small numbers with exponents */
		{ NULL, NULL, "starting\nTime,Step,loss,lr\n1795226400,5,,1\n1795226401.5,10,2.5e-01,1\n",
		  "2 of its 4 columns are named like a job's progress",
		  "run: run.step run.loss\n02:00:00.000 5 -\n02:00:01.500 10 0.250000\n", "" },
		/* milliseconds since the start; tabs; the head again, and another head that is none; not a time; one that is too late */
		{ "title: t\nsources: [s]\nseparator: tab\ntime: {column: when, is: milliseconds since the start}\n"
		  "columns: {busy: {metric: gpu.util}}\n",
		  "m.yaml", "busy\twhen\n50\t1500\n\nbusy\twhen\nbusy\twhen\tbusy 2\n60\tx\n70\t1000000000000\n80\t2500\n9\"0\t108000000\n",
		  "--map names m.yaml for it", "gpu0: gpu.util\n00:00:01.500 50\n00:00:02.500 80\n06:00:00.000 -\n", "log:5: warning: bad-row: 3 cells where the header has 2; row not used\n"
		  "log:6:4: warning: bad-time: 'x' is no time since the start; row not used (1 more like this)\n"
		  "log:9:1: warning: bad-unit: '9\"0' in busy, expected %\n" },
		/* cores and hosts from cells; columns of the host come first, whatever the order */
		{ "title: t\nsources: [s]\ntime: {column: when}\nentity: {core: cpu, host: node}\n"
		  "columns: {c: {metric: core.busy}, h: {metric: host.cpu.busy}}\n",
		  "m.yaml", "when,node,cpu,c,h\n2026-11-21 02:00:00,a,0,5,6\n2026-11-21 02:00:01,a,x,7,8\n2026-11-21 02:00:02,a,1,9,10\n",
		  "--map names m.yaml for it", "a: host.cpu.busy\n"
		  "02:00:00.000 6\n"
		  "02:00:01.000 8\n"
		  "02:00:02.000 10\n"
		  "a/core0: core.busy\n"
		  "02:00:00.000 5\n"
		  "a/core1: core.busy\n"
		  "02:00:02.000 9\n", "log:3:23: warning: bad-row: 'x' names no core; row not used\n" },
		/* hosts in heads */
		{ "title: t\nsources: [s]\ntime: {column: when}\ncolumns: {\"{host}:{gpu}\": {metric: gpu.util}, \"{host}:cpu\": {metric: host.cpu.busy}}\n",
		  "m.yaml", "when,node2:0,node10:0,node2:cpu,node:1\n2026-11-21 02:00:00,1,2,3,4\n", "--map names m.yaml for it", "node2: host.cpu.busy\n"
		  "02:00:00.000 3\n"
		  "node/gpu1: gpu.util\n"
		  "02:00:00.000 4\n"
		  "node10/gpu0: gpu.util\n"
		  "02:00:00.000 2\n"
		  "node2/gpu0: gpu.util\n"
		  "02:00:00.000 1\n", "" },
		/* GPUs by uuid and by bus id */
		{ "title: t\nsources: [s]\ntime: {column: when}\nentity: {gpu: card}\ncolumns: {busy: {metric: gpu.util}}\n", "m.yaml",
		  "when,card,busy\n2026-11-21 02:00:00,GPU-0f3,5\n2026-11-21 02:00:00,00000000:3B:00.0,6\n", "--map names m.yaml for it", "GPU-0f3: gpu.util\n"
		  "02:00:00.000 5\n"
		  "0:3B:00.0: gpu.util\n"
		  "02:00:00.000 6\n", "" },
		/* a column that is not there says of no row whom it is of */
		{ "title: t\nsources: [s]\ntime: {column: when}\nentity: {gpu: card}\ncolumns: {busy: {metric: gpu.util}}\n", "m.yaml",
		  "when,gpu,busy\n2026-11-21 02:00:00,3,5\n", "--map names m.yaml for it", "gpu0: gpu.util\n02:00:00.000 5\n",
		  "log:1: warning: guess: no column is called 'card', which m.yaml has for the GPU of a row; all rows are taken to be of one\n" },
		/* a unit in the head; exponents that are none, or too large */
		{ NULL, NULL, "step,time,loss\n1,1795226400,2.5e+01\n2,1795226401,1e5\n3,1795226402,1e-x\n4,1795226403,1e+13\n"
		  "5,1795226404, 1E5\n6,1795226405,1e-5\n7,1795226406,1e\n8,1795226407,e5\n9,1795226408,1e999999999\n10,1795226409,1e-999\n",
		  "2 of its 3 columns are named like a job's progress", "run: run.step run.loss\n"
		  "02:00:00.000 1 25.000000\n"
		  "02:00:01.000 2 100000.000000\n"
		  "02:00:02.000 3 -\n"
		  "02:00:03.000 4 -\n"
		  "02:00:04.000 5 100000.000000\n"
		  "02:00:05.000 6 0.000010\n"
		  "02:00:06.000 7 -\n"
		  "02:00:07.000 8 -\n"
		  "02:00:08.000 9 -\n"
		  "02:00:09.000 10 0.000000\n", "log:4:14: warning: bad-number: '1e-x' in loss (4 more like this)\n" },
		/* a column "time" with seconds since the start, and one that is none */
		{ NULL, NULL, "time,step\n0.5,1\n1.5,2\nsoon,3\n", "1 of its 2 columns are named like a job's progress", "run: run.step\n"
		  "00:00:00.500 1\n"
		  "00:00:01.500 2\n", "log:4:1: warning: bad-time: 'soon' is no time since the start; row not used\n" },
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

/* Each of several for all has its own separator, and goes before what is built in; one that is named for another file is none. */
static void several_maps_are_each_for_what_they_explain(void **state)
{
	static const char semicolons[] = "title: t\nsources: [s]\nseparator: \";\"\ntime: {column: when}\ncolumns: {busy: {metric: gpu.util}}\n";
	static const char commas[] = "title: t\nsources: [s]\ntime: {column: at}\ncolumns: {draw: {metric: gpu.power}, heat: {metric: gpu.temp}}\n";
	static const char of_wandb[] = "title: t\nsources: [s]\ntime: {column: \"Relative Time (Process)\", is: seconds since the start}\n"
		"columns: {\"system/gpu.0.temp\": {metric: gpu.temp}}\n";
	static const struct file_option for_all[] = { { "*", "a.yaml" }, { "*", "b.yaml" }, { "*", "c.yaml" } };
	static const struct file_option for_another[] = { { "other", "a.yaml" }, { "*", "b.yaml" } };
	static const struct {
		const struct file_option *options;
		size_t n;
		const char *csv, *why, *shown, *complaints;
	} cases[] = {
		{ for_all, 3, "when;busy\n2026-11-21 02:00:00;5\n", "--map names a.yaml for it", "gpu0: gpu.util\n02:00:00.000 5\n", "" },
		{ for_all, 3, "at,draw,heat\n2026-11-21 02:00:00,250,50\n", "--map names b.yaml for it",
		  "gpu0: gpu.power gpu.temp\n02:00:00.000 250 50\n", "" },
		/* the built-in one explains as many of its columns */
		{ for_all, 3, "Relative Time (Process),system/gpu.0.gpu,system/gpu.0.temp\n1,90,50\n", "--map names c.yaml for it",
		  "gpu0: gpu.temp\n00:00:01.000 50\n", "" },
		{ for_another, 2, "at,draw,heat\n2026-11-21 02:00:00,250,50\n", "--map names b.yaml for it",
		  "gpu0: gpu.power gpu.temp\n02:00:00.000 250 50\n", "" },
		{ for_another, 2, "when;busy\n2026-11-21 02:00:00;5\n", NULL, "",
		  "log: warning: not-a-log: a table that no reader knows, with the columns 'when', 'busy'; a mapping (--map) can say what they "
		  "are; b.yaml does not\n" },
	};
	struct logs *logs = *state;
	const struct mappings built_in = mappings_of(logs, NULL);
	const struct mappings all = { NEW_ARRAY(&logs->mem, const struct mapping *, built_in.n + 3), built_in.n + 3 };

	all.at[0] = mapping_load(&logs->mem, "a.yaml", slice_of(semicolons), &logs->diags);
	all.at[1] = mapping_load(&logs->mem, "b.yaml", slice_of(commas), &logs->diags);
	all.at[2] = mapping_load(&logs->mem, "c.yaml", slice_of(of_wandb), &logs->diags);
	memcpy(all.at + 3, built_in.at, built_in.n * sizeof *all.at);
	assert_string_equal(take_complaints(logs), "");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct read_request request = { .mappings = &all, .maps = { cases[i].options, cases[i].n } };
		const char *path = folder_put(&logs->folder, &logs->mem, "log", slice_of(cases[i].csv));
		const struct recording *rec = format_read(&logs->mem, path, &request, false, &logs->diags);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_int_equal(rec != NULL, cases[i].why != NULL);
		if (rec)
			assert_string_equal(rec->why, cases[i].why);
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
		cmocka_unit_test_setup_teardown(what_a_key_may_hold, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(built_in_mappings_are_right, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(csv_is_read_by_mapping, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(several_maps_are_each_for_what_they_explain, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(asked_by_name_is_obeyed, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
