/*
 * gpustat_json_test.c - gpustat --json: documents in a row in any layout, what is null, what is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define POLL(time, gpus) "{\"hostname\": \"a\", \"query_time\": \"" time "\", \"gpus\": [" gpus "]}\n"
#define T(second) "2026-11-21T01:48:" second ".387123"
#define GPU(index, util) "{\"index\": " index ", \"uuid\": \"GPU-" index "\", \"name\": \"NVIDIA H200\", \"utilization.gpu\": " \
	util ", \"memory.used\": 1024}"
#define SHOWN(gpu) "gpu" gpu ": gpu.util gpu.mem_used\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "g.json", cases[i].log);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_documents_in_a_row(void **state)
{
	static const struct log_case cases[] = {
		{ POLL(T("34"), GPU("0", "45") "," GPU("1", "99")) POLL(T("35"), GPU("0", "46") "," GPU("1", "98")),
		  SHOWN("0") "01:48:34.387 45 1024\n01:48:35.387 46 1024\n" SHOWN("1") "01:48:34.387 99 1024\n01:48:35.387 98 1024\n", "" },
		/* no microseconds when they are 0; keys in another order, as before Python 3.6 */
		{ "{\n    \"gpus\": [\n        " GPU("0", "45") "\n    ],\n    \"query_time\": \"2026-11-21T01:48:34\",\n "
		  "   \"hostname\": \"a\"\n}\n",
		  SHOWN("0") "01:48:34.000 45 1024\n", "" },
		{ POLL("2026-11-21T01:48:34", "{\"index\": 0, \"uuid\": \"GPU-0\", \"name\": \"NVIDIA H200\", "
		  "\"temperature.gpu\": 45, \"fan.speed\": 30, "
		  "\"utilization.gpu\": 98, \"utilization.enc\": 1, \"utilization.dec\": 2, \"power.draw\": 433, "
		  "\"enforced.power.limit\": 700, "
		  "\"memory.used\": 115712, \"memory.total\": 143771, \"processes\": [{\"command\": \"a\", "
		  "\"gpu_memory_usage\": 100, \"pid\": 7}, "
		  "{\"command\": \"b\", \"gpu_memory_usage\": 28, \"pid\": 8}]}"),
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit "
		  "gpu.temp gpu.fan gpu.enc_util gpu.dec_util gpu.proc.count "
		  "gpu.proc.mem_used\n01:48:34.000 98 115712 143771 433 700 45 30 1 2 2 128\n", "" },
	};

	CHECK(*state, cases);
}

static void knows_what_is_missing(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "g.json",
		POLL(T("34"), "{\"index\": 0, \"utilization.gpu\": null, \"fan.speed\": NaN, \"processes\": null}")
		POLL(T("35"), "{\"index\": 0, \"utilization.gpu\": 4, \"fan.speed\": 5, \"processes\": \"(Not Supported)\"}")
		POLL(T("36"), "{\"index\": 0, \"utilization.gpu\": 104, \"fan.speed\": [], "
			"\"processes\": [{\"gpu_memory_usage\": null}, {\"gpu_memory_usage\": 5}]}")
		POLL(T("37"), "{\"index\": 0, \"utilization.gpu\": \"?\", \"fan.speed\": 6, \"processes\": []}"));

	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.fan gpu.proc.count gpu.proc.mem_used\n01:48:34.387 - - - -\n"
						     "01:48:35.387 4 5 - -\n01:48:36.387 - - 2 -\n01:48:37.387 - 6 0 0\n");
	assert_string_equal(shown_absences(logs, rec), "not-supported 7, error 1, out-of-range 1, unreadable 1");
	assert_string_equal(take_complaints(logs), "g.json:3:104: warning: out-of-range: '104' in utilization.gpu is impossible; "
		"treated as missing\n"
						   "g.json:3:122: warning: bad-number: '[]' in fan.speed\n");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_string_equal(rec->host, "a");
}

static void tells_of_lost_gpus(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "g.json",
		POLL(T("34"), GPU("0", "45") "," GPU("1", "99"))
		POLL(T("35"), GPU("0", "46") ", {\"index\": 1, \"name\": \"((GPU is lost))\", \"processes\": null}")
		POLL(T("36"), GPU("0", "47") ", {\"index\": 1, \"name\": \"((Unknown Error))\", \"processes\": null}"));

	assert_string_equal(shown(logs, rec, false), SHOWN("0") "01:48:34.387 45 1024\n01:48:35.387 46 1024\n01:48:36.387 47 1024\n"
						     SHOWN("1") "01:48:34.387 99 1024\n01:48:35.387 - -\n01:48:36.387 - -\n");
	assert_string_equal(shown_absences(logs, rec), "error 1, gpu-lost 1");
	assert_string_equal(rec->channels[1].entity.name, "NVIDIA H200");
	assert_int_equal(rec->n_events, 1);
	assert_int_equal(rec->events[0].kind, EVENT_GPU_LOST);
	assert_int_equal(rec->events[0].entity.index, 1);
	assert_string_equal(time_iso(&logs->mem, rec->events[0].t), "2026-11-21T01:48:35.387Z");
	assert_string_equal(rec->events[0].text, "((GPU is lost))");
	assert_string_equal(take_complaints(logs), "");
}

static void uses_what_is_whole_and_tells_the_rest(void **state)
{
	static const struct log_case cases[] = {
		{ POLL(T("34"), GPU("0", "45")) "{\"hostname\": \"a\", \"query_time\": \"" T("35") "\", \"gpus\": [" GPU("0", "46") "]",
		  SHOWN("0") "01:48:34.387 45 1024\n",
		  "g.json:2: note: cut-row: the file ends inside a document, as when a logger is killed; "
		  "its last record is used only if it is whole\n" },
		/* what the shell or the tool said in between */
		{ POLL(T("34"), GPU("0", "45")) "Error on querying NVIDIA devices. Use --debug flag to see more details.\n"
		  POLL(T("36"), GPU("0", "47")),
		  SHOWN("0") "01:48:34.387 45 1024\n01:48:36.387 47 1024\n",
		  "g.json:2:1: warning: json-syntax: text that is no document; what follows up to the next document is not used\n" },
		{ POLL(T("34"), GPU("x", "45")), "",
		  "g.json:1:82: warning: json-syntax: 'x' is no value; what follows up to the next document is not used\n"
		  "g.json: warning: no-rows: recognised as gpustat-json, but no row could be used\n" },
		{ POLL(T("34"), GPU("-1", "45") "," GPU("70000", "45") ",{\"name\": \"x\"}") POLL("now", GPU("0", "45")) POLL(T("36"), "")
		  "{\"hostname\": \"b\", \"query_time\": \"" T("37") "\", \"gpus\": [" GPU("0", "45") "]}\n{\"error\": \"no driver\"}\n",
		  "", "g.json:1:82: warning: bad-row: '-1' is no GPU index; row not used (4 more like this)\n"
		  "g.json:2:33: warning: bad-time: 'now' is no time stamp, expected like 2026-11-21T01:48:34.387123; poll not used\n"
		  "g.json: warning: no-rows: recognised as gpustat-json, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_documents_in_a_row, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_what_is_missing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_of_lost_gpus, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(uses_what_is_whole_and_tells_the_rest, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
