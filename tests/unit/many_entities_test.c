/*
 * many_entities_test.c - logs of more GPUs or cores than one log can have: the first are kept, the others told of once and counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/sheet.h"
#include "logs.h"

#define SYSSTAT "Linux 6.18.44 (node01) \t11/21/2026 \t_x86_64_\t(2 CPU)\n\n01:48:34"

/* One poll: its head, and an entity before and behind its number. */
static const struct {
	const char *reader, *head, *before, *behind;
} polls[] = {
	{ "nvidia-smi-csv", "timestamp, index, utilization.gpu [%]\n", "2026/11/21 02:00:00.000, ", ", 5 %\n" },
	{ "nvidia-smi-dmon", "# gpu   pwr\n# Idx     W\n", "  ", "  121\n" },
	{ "nvidia-smi-pmon", "# gpu         pid   type     sm    mem    enc    dec    command\n"
			     "# Idx           #    C/G      %      %      %      %    name\n", "  ", "  123  C  50  -  -  -  python\n" },
	{ "dcgmi-dmon", "#Entity   POWER\nID W\n", "GPU ", " 121\n" },
	{ "dcgmi-dmon", "GPUId,TimeStampUs,Field,Values\n", "", ",1795225714000000,power_usage,71\n" },
	{ "gpustat", "node01                  Sat Nov 21 01:48:41 2026  580.159.04\n", "[", "] NVIDIA H200 | 37'C,   0 % |   529 / 143771 MB |\n" },
	{ "mpstat", SYSSTAT "  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n",
	  "01:48:35  ", "  1  0  0  0  0  0  0  0  0  99\n" },
	{ "sar", SYSSTAT "     CPU     %user     %nice   %system   %iowait    %steal     %idle\n", "01:48:35  ", "  1  0  0  0  0  99\n" },
};

static const char *log_of(struct logs *logs, size_t which, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 22);
	buf_text(&out, polls[which].head);
	for (size_t i = 0; i < n; i++)
		buf_print(&out, "%s%zu%s", polls[which].before, i, polls[which].behind);
	return text_of_buf(&logs->mem, &out);
}

static void the_first_are_kept(void **state)
{
	static const char told[] = "limit: more than 4096 GPUs or cores in one log (2 more like this)\n";
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof polls / sizeof *polls; i++) {
		const struct recording *rec = read_text(logs, "log", log_of(logs, i, MAX_CHANNELS + 3));
		assert_non_null(rec);
		assert_string_equal(rec->format->name, polls[i].reader);
		assert_int_equal(rec->n_channels, MAX_CHANNELS);
		assert_int_equal(rec->n_rows_bad, 3);
		const char *said = strstr(take_complaints(logs), "limit: ");
		assert_non_null(said);
		assert_memory_equal(said, told, sizeof told - 1);
	}
}

/* Of so many names each more is looked for in the likeliest place alone; what was known before still is. */
static void names_without_end_take_no_time(void **state)
{
	struct logs *logs = *state;
	const char *log = arena_print(&logs->mem, "%s2026/11/21 02:00:01.000, 0, 6 %%\n2026/11/21 02:00:01.000, 1, 7 %%\n",
		log_of(logs, 0, 4 * MAX_CHANNELS));
	const struct recording *rec = read_text(logs, "log", log);

	assert_int_equal(rec->n_channels, MAX_CHANNELS);
	assert_int_equal(rec->n_rows + rec->n_rows_bad, 4 * MAX_CHANNELS + 2);
	assert_true(strstr(take_complaints(logs), "limit: more than 4096 GPUs or cores in one log (") != NULL);
}

static void events_without_end_are_told_of(void **state)
{
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 22);
	for (size_t i = 0; i < 10001; i++)
		buf_print(&out, "Nov 21 01:%02zu:%02zu node01 kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=%zu, name=python\n", i / 60 % 60,
			i % 60, i);
	const struct recording *rec = read_text(logs, "kern.log", text_of_buf(&logs->mem, &out));
	assert_non_null(rec);
	assert_int_equal(rec->n_events, 10000);
	assert_non_null(strstr(take_complaints(logs), "limit: more than 10000 events in one log"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_are_kept, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(names_without_end_take_no_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(events_without_end_are_told_of, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests_name("many entities", tests, NULL, NULL);
}
