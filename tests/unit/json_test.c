/*
 * json_test.c - report.json of the sample reports, read again by jansson: keys, shapes, values.
 */
#include "render/render.h"
#include "sample_reports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

static json_t *json_of(struct view root, struct buf *text)
{
	json_error_t error;

	buf_init(text, limit_table[LIMIT_REPORT].value);
	json_write(text, root, true);
	json_t *const read = json_loadb(text->at, text->n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!read)
		fail_msg("line %d: %s\n%s", error.line, error.text, text->at);
	return read;
}

static json_t *json_of_report(const struct report *report, struct buf *text)
{
	return json_of((struct view){ report, &report_fields }, text);
}

/* The keys that the schema freezes, in their order. */
static const struct {
	const char *path, *keys;
} schema[] = {
	{ "", "schema program time_basis run rate verdict findings suppressed remarks judgements ledger throttle phases statistics sources events charts notes "
	      "rules log_better" },
	{ "program", "name version rules_digest" },
	{ "run", "name begin end seconds hosts gpus" },
	{ "run/gpus/0", "entity name uuid bus_id" },
	{ "rate", "per_gpu_hour currency" },
	{ "verdict", "severity sentence gpu_hours lost_gpu_hours money lost_money energy_kwh best_seconds throughput throughput_of" },
	{ "findings/0", "number rule severity title entities windows windows_beside own_windows coverage confidence "
			"confidence_reason cost_gpu_hours cost_money evidence what why try refute symptoms rivals" },
	{ "findings/0/windows/0", "begin end seconds" },
	{ "findings/0/evidence", "gpu_busy cpu_busy power" },
	{ "findings/0/evidence/gpu_busy", "value unit" },
	{ "suppressed/0", "rule on until because applied findings" },
	{ "suppressed/0/findings/0", "number rule severity title entities windows windows_beside own_windows coverage confidence "
				     "confidence_reason cost_gpu_hours cost_money evidence what why try refute symptoms rivals" },
	{ "rules", "files settings disabled" },
	{ "rules/files/0", "path digest layer replaces" },
	{ "rules/settings/0", "rule param value" },
	{ "judgements/0", "rule entity outcome reason coverage margin" },
	{ "ledger/0", "class finding gpu_hours upper_bound money energy_kwh" },
	{ "throttle/0", "entity reason flag_seconds flag_error_seconds counter_seconds counter_restarts busy_share clock_mhz "
			"clock_reference_mhz clock_lost work_lost_gpu_hours" },
	{ "log_better/0", "command metrics rules" },
	{ "phases/0", "name begin end" },
	{ "statistics/0", "entity metric unit mean min p5 p50 p95 max stddev coverage source" },
	{ "sources/0", "path digest archive archive_digest bytes format why rows rows_bad rows_ignored rows_seen rows_per_sample complaints begin end step_s holes absences clock messages guess" },
	{ "sources/0/holes/0", "begin end seconds" },
	{ "sources/0/absences", "not-supported empty" },
	{ "sources/0/clock", "zone offset_s decided_by sentence" },
	{ "charts/0", "file title alt" },
	{ "notes/0", "topic text" },
};

static json_t *json_at(json_t *at, const char *path)
{
	char part[64];
	size_t n;

	for (; at && *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		assert_true(n < sizeof part);
		memcpy(part, path, n);
		part[n] = '\0';
		at = json_is_array(at) ? json_array_get(at, (size_t)(part[0] - '0')) : json_object_get(at, part);
	}
	return at;
}

static void keys_are_those_of_the_schema(void **state)
{
	struct buf text;
	json_t *const read = json_of_report(report_throttled(), &text);

	(void)state;
	for (size_t i = 0; i < sizeof schema / sizeof schema[0]; i++) {
		char keys[512] = "";
		const char *key;
		json_t *value, *const object = json_at(read, schema[i].path);
		size_t n = 0;
		assert_true(json_is_object(object));
		json_object_foreach(object, key, value) {
			assert_true(n + strlen(key) + 2 < sizeof keys);
			if (n)
				keys[n++] = ' ';
			memcpy(keys + n, key, strlen(key) + 1);
			n += strlen(key);
		}
		assert_string_equal(keys, schema[i].keys);
	}
	json_decref(read);
	buf_release(&text);
}

/* Compact dumps of single places. */
static const struct {
	const char *path, *value;
} values[] = {
	{ "schema", "\"postrun.report/1\"" },
	{ "run/begin", "\"2024-05-14T09:12:07.000Z\"" },
	{ "run/hosts", "[\"gpu-a17\"]" },
	{ "run/gpus/1/bus_id", "null" },
	{ "verdict/gpu_hours", "16" },
	{ "verdict/lost_gpu_hours/0", "1.3" },
	{ "findings/0/number", "1" },
	{ "findings/0/entities", "[\"gpu-a17/gpu3\",\"gpu-a17/gpu5\"]" },
	{ "findings/0/evidence/gpu_busy", "{\"value\":47.25,\"unit\":\"%\"}" },
	{ "findings/0/evidence/cpu_busy", "{\"value\":null,\"unit\":\"%\"}" },
	{ "findings/1/cost_gpu_hours", "[0.2,0.9]" },
	{ "findings/2/cost_gpu_hours", "[null,null]" },
	{ "findings/2/evidence", "{}" },
	{ "findings/2/try", "[]" },
	{ "findings/0/rivals", "[\"another job on the node took the cores\"]" },
	{ "suppressed/0/on", "\"3-5\"" },
	{ "suppressed/0/applied", "true" },
	{ "suppressed/0/findings/0/number", "null" },
	{ "suppressed/1/on", "null" },
	{ "suppressed/1/applied", "false" },
	{ "suppressed/1/findings", "[]" },
	{ "rules/settings/0/value", "{\"value\":3,\"unit\":\"C\"}" },
	{ "rules/disabled", "[\"gpu-unused\"]" },
	{ "judgements/0/margin", "null" },
	{ "judgements/1/margin", "0.5" },
	{ "judgements/1/reason", "\"excluded by gpu-lost\"" },
	{ "judgements/0/reason", "\"no \\\"T.Limit\\\" <in> the log\"" },
	{ "ledger/0/finding", "null" },
	{ "ledger/2/finding", "3" },
	{ "throttle/0/flag_seconds", "1320" },
	{ "throttle/0/counter_seconds", "null" },
	{ "log_better/0/metrics", "[\"core.busy\"]" },
	{ "statistics/0/mean", "84.123456789" },
	{ "statistics/0/unit", "\"%\"" },
	{ "sources/0/absences/not-supported", "112" },
	{ "sources/0/clock/offset_s", "-18000" },
	{ "sources/0/bytes", "1633411" },
};

static void values_are_exact(void **state)
{
	struct buf text;
	json_t *const read = json_of_report(report_throttled(), &text);

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		char *const dump = json_dumps(json_at(read, values[i].path), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		assert_non_null(dump);
		assert_string_equal(dump, values[i].value);
		free(dump);
	}
	assert_null(strstr(text.at, "1.0,"));
	assert_non_null(strstr(text.at, "\\u003Cin\\u003E"));
	assert_non_null(strstr(text.at, "Eight GPUs \\u0026 one"));
	json_decref(read);
	buf_release(&text);
}

static void all_reports_are_json(void **state)
{
	static const struct report nothing;
	const struct report *const reports[] = { report_healthy(), report_throttled(), report_unknown(), &nothing };

	(void)state;
	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
		struct buf text, again;
		json_decref(json_of_report(reports[i], &text));
		json_decref(json_of_report(reports[i], &again));
		assert_string_equal(text.at, again.at);
		assert_true(slice_is_utf8(buf_slice(&text)));
		buf_release(&text);
		buf_release(&again);
	}
}

struct word {
	const char *text;
	double number;
};
static const struct field word_rows[] = {
	FIELD(struct word, text, TEXT),
	FIELD(struct word, number, NUMBER),
};
static const struct fields word_fields = FIELDS("word", struct word, word_rows);

static const struct {
	struct word word;
	const char *expected;
} strings[] = {
	{ { "a\"b\\c/", 0 }, "{\n  \"text\": \"a\\\"b\\\\c/\",\n  \"number\": 0\n}\n" },
	{ { "\x01\n\x7f", 1e300 }, "{\n  \"text\": \"\\u0001\\u000A\\u007F\",\n  \"number\": 1e+300\n}\n" },
	{ { NULL, (double)NAN }, "{\n  \"text\": null,\n  \"number\": null\n}\n" },
	{ { "\xff\xc3\xe2\x82|\xf0\x9f\x98\x80", (double)INFINITY },
		"{\n  \"text\": \"\uFFFD\uFFFD\uFFFD\uFFFD|\xf0\x9f\x98\x80\",\n  \"number\": null\n}\n" },
	{ { "\u2028\u2029\u00E9</script>", -0.1 },
		"{\n  \"text\": \"\\u2028\\u2029\u00E9\\u003C/script\\u003E\",\n  \"number\": -0.1\n}\n" },
	{ { "", 1.0 / 3 }, "{\n  \"text\": \"\",\n  \"number\": 0.3333333333333333\n}\n" },
};

static void strings_are_safe_and_numbers_exact(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
		struct buf text;
		json_decref(json_of((struct view){ &strings[i].word, &word_fields }, &text));
		assert_string_equal(text.at, strings[i].expected);
		buf_release(&text);
	}
}

static void a_text_too_long_overflows_and_ends(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, 100);
	json_write(&text, (struct view){ report_throttled(), &report_fields }, true);
	assert_true(text.overflow);
	assert_int_equal(text.n, 100);
	buf_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_those_of_the_schema),
		cmocka_unit_test(values_are_exact),
		cmocka_unit_test(all_reports_are_json),
		cmocka_unit_test(strings_are_safe_and_numbers_exact),
		cmocka_unit_test(a_text_too_long_overflows_and_ends),
	};

	alarm(20);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
