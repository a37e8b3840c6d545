/*
 * host_test.c - which host a log is of: by the user, the log, its path, its neighbours, or by nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "runs.h"

#define WORK "11119999999999999999999999991111"
#define REST "11111111111111111111111111111111"

struct file {
	const char *name; /* "node01/gpu.csv" */
	enum { NO_FILE, GPU, GPU_IDLE, GPU_UUID, GPUS_WARM, CPU, MPSTAT } kind;
	const char *host; /* of mpstat's banner, the GPU's uuid, or of GPU 1 how warm it is */
};

static const char *text_of(struct arena *mem, const struct file *file)
{
	static const char *const cores[] = { WORK };
	struct buf out;

	if (file->kind == GPU)
		return gpu_log(mem, WORK, NULL, 0);
	if (file->kind == GPU_IDLE)
		return gpu_log(mem, REST, NULL, 0);
	if (file->kind == CPU)
		return cpu_log(mem, WORK, "UTC", 0);
	buf_init(&out, (size_t)1 << 20);
	if (file->kind == MPSTAT) {
		const char *text = core_log(mem, "2026-11-21", cores, 1, 0);
		buf_print(&out, "Linux 6.18.44 (%s) %s", file->host, strchr(text, '\t'));
		return text_of_buf(mem, &out);
	}
	if (file->kind == GPUS_WARM) {
		buf_text(&out, "timestamp, index, utilization.gpu [%], temperature.gpu\n");
		for (int i = 0; WORK[i]; i++)
			for (int gpu = 0; gpu < 2; gpu++)
				buf_print(&out, "%s, %d, 97 %%, %s\n", local_time(mem, DAWN + i * SECOND_MS, '/'), gpu, gpu ? file->host : "60");
		return text_of_buf(mem, &out);
	}
	buf_text(&out, "timestamp, index, uuid, utilization.gpu [%]\n");
	for (int i = 0; WORK[i]; i++)
		buf_print(&out, "%s, 0, %s, 50 %%\n", local_time(mem, DAWN + i * SECOND_MS, '/'), file->host);
	return text_of_buf(mem, &out);
}

/* "gpu0 of node01" for every track's entity, in display order. */
static const char *shown_entities(struct logs *logs, const struct run *run)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < run->n_gpus; i++)
		buf_print(&out, "%s ", entity_id(&logs->mem, run->gpus[i]));
	for (size_t i = 0; i < run->n_hosts; i++)
		if (run_track(run, run->hosts[i], METRIC_CPU_BUSY))
			buf_print(&out, "%s ", entity_id(&logs->mem, run->hosts[i]));
	for (size_t i = 0; i < run->n_cores; i++)
		buf_print(&out, "%s ", entity_id(&logs->mem, run->cores[i]));
	return text_of_buf(&logs->mem, &out);
}

/* Folders of a case have names of their own, since all cases share one. */
static void put_file(struct logs *logs, struct run *run, const char *folder, const struct file *file)
{
	struct arena *mem = &logs->mem;
	const char *path = arena_print(mem, "%s/%s", folder, file->name), *slash = strrchr(file->name, '/');

	mkdir(arena_print(mem, "%s/%s", logs->folder.path, folder), 0700);
	if (slash)
		mkdir(arena_print(mem, "%s/%s/%.*s", logs->folder.path, folder, (int)(slash - file->name), file->name), 0700);
	run_take(logs, run, path, text_of(mem, file));
}

static void tells_hosts_apart(void **state)
{
	static const struct {
		struct file files[4];
		struct file_option host[2];
		const char *entities, *complaints;
	} cases[] = {
		/* nobody names one; one is named: it is that of all */
		{ { { "gpu.csv", GPU, NULL }, { "vmstat.txt", CPU, NULL } }, { { 0 } }, "gpu0 host ", "" },
		{ { { "gpu.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "node01" } }, { { 0 } }, "node01/gpu0 node01 node01/core0 ", "" },
		{ { { "gpu.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "node01" } }, { { "*", "n7" } }, "n7/gpu0 n7 n7/core0 ", "" },
		/* short and long names */
		{ { { "mpstat.txt", MPSTAT, "node01.cluster.local" }, { "gpu.csv", GPU, NULL } }, { { "gpu.csv", "node01" } },
		  "node01/gpu0 node01 node01/core0 ", "" },
		/* by the names of files, of folders, of neighbours */
		{ { { "node01-gpu.csv", GPU, NULL }, { "node02-gpu.csv", GPU, NULL } }, { { 0 } }, "node01/gpu0 node02/gpu0 ", "" },
		{ { { "node01/gpu.csv", GPU, NULL }, { "node02/gpu.csv", GPU, NULL }, { "node02/vmstat.txt", CPU, NULL },
			  { "node01/mpstat.txt", MPSTAT, "node01" } },
		  { { 0 } }, "node01/gpu0 node02/gpu0 node01 node02 node01/core0 ", "" },
		{ { { "a/gpu.csv", GPU, NULL }, { "b/gpu.csv", GPU, NULL }, { "a/mpstat.txt", MPSTAT, "x1" }, { "b/mpstat.txt", MPSTAT, "x2" } },
		  { { 0 } }, "x1/gpu0 x2/gpu0 x1 x2 x1/core0 x2/core0 ", "" },
		{ { { "x1.csv", GPU, NULL }, { "gpu_x2.csv", GPU, NULL }, { "m1.txt", MPSTAT, "x1" }, { "m2.txt", MPSTAT, "x2" } }, { { 0 } },
		  "x1/gpu0 x2/gpu0 x1 x2 x1/core0 x2/core0 ", "" },
		{ { { "gpu-node-1.csv", GPU, NULL }, { "gpu-node-12.csv", GPU, NULL } }, { { 0 } }, "node-1/gpu0 node-12/gpu0 ", "" },
		/* by what one GPU can't show at once, and then the others that bear such a name */
		{ { { "gpu_alpha.csv", GPU, NULL }, { "gpu_beta.csv", GPU_IDLE, NULL }, { "vmstat_beta.txt", CPU, NULL } }, { { 0 } },
		  "alpha/gpu0 beta/gpu0 beta ", "" },
		{ { { "dgx-a/gpu.csv", GPU, NULL }, { "dgx-b/gpu.csv", GPU_IDLE, NULL }, { "dgx-a/vmstat.txt", CPU, NULL } }, { { 0 } },
		  "dgx-a/gpu0 dgx-b/gpu0 dgx-a ", "" },
		{ { { "10.0.0.1_gpu.csv", GPU, NULL }, { "10.0.0.2_gpu.csv", GPU_IDLE, NULL }, { "10.0.0.2_vmstat.txt", CPU, NULL } }, { { 0 } },
		  "10.0.0.1/gpu0 10.0.0.2/gpu0 10.0.0.2 ", "" },
		{ { { "gpu_alpha.csv", GPUS_WARM, "62" }, { "gpu_beta.csv", GPUS_WARM, "65" } }, { { 0 } },
		  "alpha/gpu0 alpha/gpu1 beta/gpu0 beta/gpu1 ", "" },
		{ { { "gpu_alpha.csv", GPUS_WARM, "62" }, { "gpu_beta.csv", GPUS_WARM, "64" } }, { { 0 } }, "gpu0 gpu1 ", "" },
		{ { { "a.csv", GPU, NULL }, { "b.csv", GPU, NULL } }, { { 0 } }, "gpu0 ", "" },
		{ { { "a.csv", GPU_UUID, "GPU-a" }, { "b.csv", GPU_UUID, "GPU-a" } }, { { 0 } }, "gpu0 ", "" },
		/* numbers that are no hosts: the logs are of the same GPU */
		{ { { "run1-gpu.csv", GPU, NULL }, { "run2-gpu.csv", GPU, NULL } }, { { 0 } }, "gpu0 ", "" },
		{ { { "gpu1.csv", GPU, NULL }, { "gpu2.csv", GPU, NULL } }, { { 0 } }, "gpu0 ", "" },
		{ { { "1.csv", GPU, NULL }, { "2.txt", CPU, NULL } }, { { 0 } }, "gpu0 host ", "" },
		{ { { "stage1/gpu.csv", GPU, NULL }, { "stage2/vmstat.txt", CPU, NULL } }, { { 0 } }, "gpu0 host ", "" },
		{ { { "gpu_node1.csv", GPU, NULL }, { "vmstat_node01.txt", CPU, NULL } }, { { 0 } }, "gpu0 host ", "" },
		/* logs of any kind, by what hosts are called; one that names none is of nobody */
		{ { { "gpu_node01.csv", GPU, NULL }, { "vmstat_node02.txt", CPU, NULL } }, { { 0 } }, "node01/gpu0 node02 ", "" },
		{ { { "gpu_node02.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "node01.cluster" } }, { { 0 } },
		  "node02/gpu0 node01.cluster node01.cluster/core0 ", "" },
		{ { { "gpu_node1.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "node01" } }, { { 0 } }, "node01/gpu0 node01 node01/core0 ", "" },
		{ { { "gpu_node2.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "login1" } }, { { 0 } }, "login1/gpu0 login1 login1/core0 ", "" },
		{ { { "node1/gpu.csv", GPU, NULL }, { "node2/vmstat.txt", CPU, NULL } }, { { 0 } }, "node1/gpu0 node2 ", "" },
		{ { { "dgx-4_gpu.csv", GPU, NULL }, { "dgx-5_vmstat.txt", CPU, NULL }, { "gpu2_of_dgx-5.csv", GPU, NULL } }, { { 0 } },
		  "dgx-4/gpu0 dgx-5/gpu0 dgx-5 ", "" },
		{ { { "gpu_node01.csv", GPU, NULL }, { "gpu_node02.csv", GPU_IDLE, NULL }, { "vmstat.txt", CPU, NULL } }, { { 0 } },
		  "node01/gpu0 node02/gpu0 host ",
		  "vmstat.txt: warning: unknown-host: the run has 2 hosts, and nothing tells of which this log is; say it with "
		  "--host vmstat.txt=node01\n" },
		/* the uuid is stronger than what a path looks like */
		{ { { "node1.csv", GPU_UUID, "GPU-a" }, { "node2.csv", GPU_UUID, "GPU-a" } }, { { 0 } }, "gpu0 ", "" },
		{ { { "gpu.csv", GPU_UUID, "GPU-a" }, { "again.csv", GPU_UUID, "GPU-a" } }, { { "gpu.csv", "n1" }, { "again.csv", "n2" } }, "n1/gpu0 ", "" },
		/* nobody can tell */
		{ { { "gpu.csv", GPU, NULL }, { "m1.txt", MPSTAT, "x1" }, { "m2.txt", MPSTAT, "x2" } }, { { 0 } }, "gpu0 x1 x2 x1/core0 x2/core0 ",
		  "gpu.csv: warning: unknown-host: the run has 2 hosts, and nothing tells of which this log is; say it with "
		  "--host gpu.csv=x1\n" },
		{ { { "gpu.csv", GPU, NULL }, { "m1.txt", MPSTAT, "x1" }, { "m2.txt", MPSTAT, "x2" } }, { { "gpu.csv", "x2" } },
		  "x2/gpu0 x1 x2 x1/core0 x2/core0 ", "" },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		const char *folder = arena_print(mem, "case%zu", i);

		run->host_names = (struct file_options){ cases[i].host, cases[i].host[0].file ? cases[i].host[1].file ? 2 : 1 : 0 };
		for (size_t k = 0; k < 4 && cases[i].files[k].kind != NO_FILE; k++)
			put_file(logs, run, folder, &cases[i].files[k]);
		run_settle(run);
		const char *said = take_complaints(logs), *here = arena_print(mem, "%s/", folder);
		if (strncmp(said, here, strlen(here)) == 0)
			said += strlen(here);
		if (strcmp(shown_entities(logs, run), cases[i].entities) != 0)
			print_error("case %zu\n", i);
		assert_string_equal(shown_entities(logs, run), cases[i].entities);
		assert_string_equal(said, cases[i].complaints);
	}
}

/* Of a single host the path says nothing new; of several it is told of each log, whichever comes first. */
static void says_of_each_log_that_its_path_names_the_host(void **state)
{
	static const struct {
		struct file files[4];
		size_t n_told;
	} cases[] = {
		{ { { "node01-gpu.csv", GPU, NULL }, { "node01-vmstat.txt", CPU, NULL }, { "node02-gpu.csv", GPU, NULL },
			  { "node02-vmstat.txt", CPU, NULL } }, 4 },
		{ { { "node01-gpu.csv", GPU, NULL }, { "mpstat.txt", MPSTAT, "node01" } }, 0 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		size_t n_told = 0;
		for (size_t k = 0; k < 4 && cases[i].files[k].kind != NO_FILE; k++)
			put_file(logs, run, arena_print(&logs->mem, "told%zu", i), &cases[i].files[k]);
		run_settle(run);
		for (size_t k = 0; k < run->n_notes; k++)
			n_told += strstr(run->notes[k].text, "by its path.") != NULL;
		assert_int_equal(n_told, cases[i].n_told);
	}
}

/* What is said of logs whose names are alike tells them apart, and the user can say as much. */
static void names_logs_apart(void **state)
{
	static const struct file files[] = { { "node01/gpu.csv", GPU, NULL }, { "node02/gpu.csv", GPU, NULL } };
	static const struct file_option host = { "node02/gpu.csv", "other" };
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run->host_names = (struct file_options){ &host, 1 };
	for (size_t i = 0; i < 2; i++)
		put_file(logs, run, "apart", &files[i]);
	run_settle(run);
	assert_string_equal(run->recordings[0]->name, "node01/gpu.csv");
	assert_string_equal(run->recordings[1]->name, "node02/gpu.csv");
	assert_string_equal(run->notes[0].text, "node01/gpu.csv is taken to be of host node01, by its path.");
	assert_string_equal(run->recordings[1]->of_host, "other");
	assert_ptr_not_equal(run_host(run, run->gpus[0]), run_host(run, run->gpus[1]));
}

/* The report tells that a log was said to be of another host than it says itself. */
static void tells_of_another_name(void **state)
{
	static const struct file file = { "mpstat.txt", MPSTAT, "node01" };
	static const struct {
		struct file_option host;
		const char *note; /* the first */
	} cases[] = {
		{ { "mpstat.txt", "node07" }, "mpstat.txt names host node01; it is taken to be of node07, by --host." },
		{ { "*", "node07" }, "mpstat.txt names host node01; it is taken to be of node07, by --host." },
		{ { "*", "node01.cluster" }, NULL },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		run->host_names = (struct file_options){ &cases[i].host, 1 };
		put_file(logs, run, arena_print(&logs->mem, "other%zu", i), &file);
		run_settle(run);
		const bool is_told = run->n_notes && strstr(run->notes[0].text, "--host");
		assert_int_equal(is_told, cases[i].note != NULL);
		if (cases[i].note)
			assert_string_equal(run->notes[0].text, cases[i].note);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_hosts_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_of_each_log_that_its_path_names_the_host, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(names_logs_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_of_another_name, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
