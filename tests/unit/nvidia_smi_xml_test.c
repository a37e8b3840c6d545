/*
 * nvidia_smi_xml_test.c - nvidia-smi -q -x: documents of every version one after another, cut, broken and hostile ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define PROLOG "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v13.dtd\">\n"
#define BEGIN(time) "<nvidia_smi_log>\n\t<timestamp>" time "</timestamp>\n\t<attached_gpus>1</attached_gpus>\n"
#define FIRST "Sat Nov 21 03:10:52 2026"
#define NEXT "Sat Nov 21 03:10:57 2026"
#define GPU6 "\t<gpu id=\"00000000:00:06.0\">\n"
#define UTIL(percent) "\t\t<utilization><gpu_util>" percent "</gpu_util></utilization>\n"
#define END "\t</gpu>\n\n</nvidia_smi_log>\n"
#define DOCUMENT(time, percent) PROLOG BEGIN(time) GPU6 UTIL(percent) END
#define SHOWN "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n"
#define SHOWN_BOTH SHOWN "2026-11-21T03:10:57.000 2\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "smi.xml", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void knows_tags_by_their_path(void **state)
{
	static const struct log_case cases[] = {
		/* v13: padded values, an average that is not there, a MIG device with the same tags, counters beside the reasons */
		{ PROLOG BEGIN(FIRST) GPU6 "\t\t<product_name>NVIDIA H200</product_name>\n"
		  "\t\t<mig_devices>\n\t\t\t<mig_device>\n\t\t\t\t<fb_memory_usage><used>11091 MiB</used></fb_memory_usage>\n"
		  "\t\t\t\t<utilization><gpu_util>55 %</gpu_util></utilization>\n\t\t\t</mig_device>\n\t\t</mig_devices>\n"
		  "\t\t<uuid>GPU-5306f94a-0000-4000-8000-000000000001</uuid>\n"
		  "\t\t<pci>\n\t\t\t<pci_gpu_link_info>\n\t\t\t\t<pcie_gen><max_link_gen>5</max_link_gen>"
		  "<current_link_gen>4</current_link_gen></pcie_gen>\n"
		  "\t\t\t\t<link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>\n"
		  "\t\t\t</pci_gpu_link_info>\n\t\t\t<tx_util>1024 KB/s</tx_util>\n\t\t</pci>\n"
		  "\t\t<fan_speed> 40 % </fan_speed>\n\t\t<performance_state>P0</performance_state>\n"
		  "\t\t<clocks_event_reasons>\n\t\t\t<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>\n"
		  "\t\t\t<clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>\n\t\t</clocks_event_reasons>\n"
		  "\t\t<fb_memory_usage>\n\t\t\t<total>143771 MiB</total>\n\t\t\t<used>17425 MiB</used>\n\t\t</fb_memory_usage>\n"
		  UTIL("100 %") "\t\t<temperature>\n\t\t\t<gpu_temp> 37 C </gpu_temp>\n\t\t\t<gpu_temp_tlimit>56 C</gpu_temp_tlimit>\n"
		  "\t\t\t<memory_temp>N/A</memory_temp>\n\t\t</temperature>\n"
		  "\t\t<gpu_power_readings>\n\t\t\t<power_draw> N/A </power_draw>\n\t\t\t<average_power_draw> N/A </average_power_draw>\n"
		  "\t\t\t<instant_power_draw> 66.84 W </instant_power_draw>\n\t\t\t<current_power_limit>600.00 W</current_power_limit>\n"
		  "\t\t</gpu_power_readings>\n\t\t<clocks><sm_clock>345 MHz</sm_clock></clocks>\n"
		  "\t\t<max_clocks><sm_clock>1980 MHz</sm_clock></max_clocks>\n" END,
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp gpu.temp_mem gpu.temp_margin "
		  "gpu.clock_sm gpu.clock_sm_max gpu.pstate gpu.throttle.sw_power gpu.throttle.hw_slowdown gpu.fan gpu.pcie_gen "
		  "gpu.pcie_gen_max gpu.pcie_width gpu.pcie_width_max gpu.pcie_tx\n"
		  "2026-11-21T03:10:52.000 100 17425 143771 66.84 600.00 37 - 56 345 1980 0 1 0 40 4 5 8 16 1\n", "" },
		/* v11 and before: other tags; no document type at all */
		{ BEGIN(FIRST) GPU6 "\t\t<clocks_throttle_reasons>\n"
		  "\t\t\t<clocks_throttle_reason_gpu_idle>Active\n\t\t\t</clocks_throttle_reason_gpu_idle>\n\t\t</clocks_throttle_reasons>\n"
		  "\t\t<power_readings><power_draw>17.97 W</power_draw><power_limit>125.00 W</power_limit>"
		  "<enforced_power_limit>120.00 W</enforced_power_limit></power_readings>\n"
		  "\t\t<temperature><gpu_temp_max_threshold>97 C</gpu_temp_max_threshold>"
		  "<gpu_temp_slow_threshold>92 C</gpu_temp_slow_threshold></temperature>\n" END,
		  "gpu0: gpu.power gpu.power_limit gpu.temp_slowdown gpu.temp_shutdown gpu.throttle.idle\n"
		  "2026-11-21T03:10:52.000 17.97 120.00 92 97 1\n", "" },
		/* what counts since the driver was loaded, the GPU reset, the board made */
		{ PROLOG BEGIN(FIRST) GPU6 "\t\t<pci><replay_counter>9</replay_counter></pci>\n\t\t<clocks_event_reasons_counters>\n"
		  "\t\t\t<clocks_event_reasons_counters_sw_power_cap>4251825415 us</clocks_event_reasons_counters_sw_power_cap>\n"
		  "\t\t\t<clocks_event_reasons_counters_sw_therm_slowdown>1 us</clocks_event_reasons_counters_sw_therm_slowdown>\n"
		  "\t\t\t<clocks_event_reasons_counters_hw_power_brake>N/A</clocks_event_reasons_counters_hw_power_brake>\n"
		  "\t\t</clocks_event_reasons_counters>\n\t\t<retired_pages><double_bit_retirement><retired_count>4</retired_count>"
		  "<retired_pagelist>N/A</retired_pagelist></double_bit_retirement></retired_pages>\n"
		  "\t\t<remapped_rows><remapped_row_corr>5</remapped_row_corr><remapped_row_unc>6</remapped_row_unc></remapped_rows>\n" END,
		  "gpu0: gpu.throttled.sw_power gpu.throttled.sw_thermal gpu.throttled.hw_brake gpu.retired.double_bit "
		  "gpu.remapped.corrected gpu.remapped.uncorrected gpu.pcie_replays\n"
		  "2026-11-21T03:10:52.000 4251.825415 0.000001 - 4 5 6 9\n", "" },
		/* the document type written out: declarations of elements declare no values */
		{ "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log [\n<!ELEMENT nvidia_smi_log (timestamp, gpu*)>\n"
		  "<!ATTLIST gpu id CDATA #REQUIRED>\n]>\n" BEGIN(FIRST) GPU6 UTIL("1 %") END, SHOWN, "" },
		{ PROLOG BEGIN(FIRST) GPU6 UTIL("many") END, "gpu0: gpu.util\n2026-11-21T03:10:52.000 -\n",
		  "smi.xml:7:26: warning: bad-number: 'many' in utilization/gpu_util\n" },
		{ PROLOG BEGIN(FIRST) "\t<gpu>\n" UTIL("1 %") END, "",
		  "smi.xml:6:2: warning: bad-row: the block names no GPU; not used\n"
		  "smi.xml: warning: no-rows: recognised as nvidia-smi-xml, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void reads_document_after_document(void **state)
{
	static const struct log_case cases[] = {
		{ DOCUMENT(FIRST, "1 %") DOCUMENT(NEXT, "2 %"), SHOWN_BOTH, "" },
		{ "\n\nlogging begins\n" DOCUMENT(FIRST, "1 %") "\n\n" BEGIN(NEXT) GPU6 UTIL("2 %") END, SHOWN_BOTH, "" },
		/* no line end behind the last tag */
		{ PROLOG BEGIN(FIRST) GPU6 UTIL("1 %") "\t</gpu>\n</nvidia_smi_log>", SHOWN, "" },
		{ DOCUMENT(FIRST, "1 %") "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
		  DOCUMENT(NEXT, "2 %"), SHOWN_BOTH,
		  "smi.xml:11: warning: tool-message: nvidia-smi says 'NVIDIA-SMI has failed because it couldn't communicate with "
		  "the NVIDIA driver.'\n" },
		{ PROLOG BEGIN(FIRST) "Unable to determine the device handle for GPU 0000:83:00.0: GPU is lost.\n" GPU6 UTIL("1 %") END,
		  SHOWN,
		  "smi.xml:6: warning: tool-message: nvidia-smi says 'Unable to determine the device handle for GPU 0000:83:00.0: "
		  "GPU is lost.'\n" },
		{ PROLOG "<nvidia_smi_log>\n\t<gpu id=\"00000000:00:06.0\">\n" UTIL("1 %") END,
		  "0:00:06.0: gpu.util\n1970-01-01T00:00:00.000 1\n", "" },
		/* a process has a name in the encoding of its host */
		{ PROLOG BEGIN(FIRST) GPU6 "<process_name>C:\\Spi\xEB" "le\\a.exe</process_name>\n" UTIL("1 %") END, SHOWN, "" },
	};

	CHECK(*state, cases);
}

static void keeps_what_a_cut_document_still_holds(void **state)
{
	static const struct log_case cases[] = {
		{ DOCUMENT(FIRST, "1 %") PROLOG BEGIN(NEXT) GPU6 UTIL("2 %") "\t\t<temperature><gpu_te", SHOWN,
		  "smi.xml:18: note: cut-row: a document ends with the file; the GPUs before that are used\n" },
		/* the second GPU of the document was not closed, the first was */
		{ PROLOG BEGIN(FIRST) GPU6 UTIL("1 %") "\t</gpu>\n\t<gpu id=\"00000000:00:07.0\">\n" UTIL("9 %"),
		  "0:00:06.0: gpu.util\n2026-11-21T03:10:52.000 1\n",
		  "smi.xml:10: note: cut-row: a document ends with the file; the GPUs before that are used\n" },
		/* killed, and begun again behind it */
		{ PROLOG BEGIN(FIRST) GPU6 UTIL("9 %") DOCUMENT(FIRST, "1 %"), SHOWN,
		  "smi.xml:8: note: cut-row: a document ends where the next one begins; the GPUs before that are used\n" },
		{ PROLOG BEGIN(FIRST) GPU6 UTIL("9 %") "\t</wrong>\n" DOCUMENT(NEXT, "2 %"), "gpu0: gpu.util\n2026-11-21T03:10:57.000 2\n",
		  "smi.xml:8:4: warning: bad-row: XML: mismatched tag; the rest of the document is not used\n" },
		/* a carriage return is no line */
		{ PROLOG BEGIN(FIRST) GPU6 "\t\t<fan_speed>\r\r9 %</fan_speed>\n" UTIL("9 %") "\r\t</wrong>\n" DOCUMENT(NEXT, "2 %"),
		  "gpu0: gpu.util\n2026-11-21T03:10:57.000 2\n",
		  "smi.xml:9:5: warning: bad-row: XML: mismatched tag; the rest of the document is not used\n" },
	};

	CHECK(*state, cases);
}

static void refuses_what_would_grow(void **state)
{
	static const struct log_case cases[] = {
		{ "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log [\n<!ENTITY a \"1 %\">\n]>\n" BEGIN(FIRST) GPU6 UTIL("&a;") END, "",
		  "smi.xml:3:15: warning: bad-row: the document declares entities, as nvidia-smi never does; not used\n"
		  "smi.xml: warning: no-rows: recognised as nvidia-smi-xml, but no row could be used\n" },
		{ "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log [\n<!ENTITY a SYSTEM \"other.xml\">\n]>\n"
		  BEGIN(FIRST) GPU6 UTIL("&a;") END, "",
		  "smi.xml:3:30: warning: bad-row: the document declares entities, as nvidia-smi never does; not used\n"
		  "smi.xml: warning: no-rows: recognised as nvidia-smi-xml, but no row could be used\n" },
	};
	struct logs *logs = *state;
	struct buf text;

	CHECK(logs, cases);
	buf_init(&text, (size_t)1 << 20);
	buf_text(&text, DOCUMENT(FIRST, "1 %") PROLOG BEGIN(NEXT));
	for (int i = 0; i < 50; i++)
		buf_text(&text, "<deeper>");
	buf_text(&text, "\n");
	const struct recording *rec = read_text(logs, "smi.xml", text_of_buf(&logs->mem, &text));
	assert_string_equal(shown(logs, rec, true), SHOWN);
	assert_string_equal(take_complaints(logs),
		"smi.xml:16:257: warning: bad-row: over 32 tags within each other; the rest of the document is not used\n");
	/* a remark without end: the parser would keep all of it */
	buf_init(&text, (size_t)1 << 20);
	buf_text(&text, DOCUMENT(FIRST, "1 %") PROLOG BEGIN(NEXT) "<!-- ");
	for (int i = 0; i < 40000; i++)
		buf_text(&text, "and so on\n");
	rec = read_text(logs, "smi.xml", text_of_buf(&logs->mem, &text));
	assert_string_equal(shown(logs, rec, true), SHOWN);
	assert_string_equal(take_complaints(logs),
		"smi.xml:16:1: warning: bad-row: a tag over 16 KiB; the rest of the document is not used\n");
}

/* A line that is longer than what waits for the parser, where what waits ends the document. */
static void refuses_a_long_line_behind_the_end(void **state)
{
	struct logs *logs = *state;
	char *const line = memset(arena_alloc(&logs->mem, 60001), 'A', 60000);

	line[60000] = '\0';
	const struct recording *rec = read_text(logs, "smi.xml",
		arena_print(&logs->mem, "%s%s</oops>\n%s\n%s", DOCUMENT(FIRST, "1"), PROLOG BEGIN(NEXT) GPU6, line, DOCUMENT(NEXT, "2")));
	assert_string_equal(shown(logs, rec, true), SHOWN_BOTH);
	assert_string_equal(take_complaints(logs), "smi.xml:17:3: warning: bad-row: XML: mismatched tag; the rest of the document is not used\n");
}

static void tells_the_driver_and_a_lost_gpu(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "smi.xml",
		PROLOG "<nvidia_smi_log>\n<timestamp>" FIRST "</timestamp>\n<driver_version>610.62 [Deprecated]</driver_version>\n" GPU6
		UTIL("GPU requires reset") END);

	assert_string_equal(rec->tool, "driver 610.62");
	assert_int_equal(rec->n_events, 1);
	assert_int_equal(rec->events[0].kind, EVENT_GPU_LOST);
	assert_string_equal(rec->events[0].text, "GPU requires reset");
	assert_string_equal(shown_absences(logs, rec), "gpu-lost 1");
	assert_int_equal(rec->channels[0].entity.index, -1); /* how many there are is not said */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_tags_by_their_path, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_document_after_document, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(keeps_what_a_cut_document_still_holds, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_would_grow, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_a_long_line_behind_the_end, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_the_driver_and_a_lost_gpu, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
