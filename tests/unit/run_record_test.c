/*
 * run_record_test.c - a record's line byte for byte, what is said of each kind of damage, and names that are kept once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fleet/shared_names.h"
#include "logs.h"
#include "made_records.h"

static const char *const rules[] = { "gpu-power-brake" };
static const char *const entities[] = { "node01/gpu0" };
static const char *const hosts[] = { "node01" };
static const struct record_gpu gpus[] = { { "node01/gpu0", "NVIDIA H200", NULL, { rules, 1 } } };
static const struct record_cause causes[] = {
	{ "gpu-power-brake", "the power brake", "power brake", SEVERITY_CRITICAL, 500, { entities, 1 } },
	{ "slow-start", "slow start", "slow start", SEVERITY_NOTE, 100, { NULL, 0 } },
};
static const struct record one = {
	.id = "2024/07/<job> \"1\"", .key = "00ff", .status = RUN_PARTIAL, .why = "a.csv: cut", .report = "runs/1/report.html", .bytes = 81920,
	.begin = 1720000000000, .end = TIME_UNKNOWN, .severity = "critical", .verdict = "Lost.", .hosts = { hosts, 1 }, .gpus = gpus,
	.n_gpus = 1, .gpu_us = 3600, .normal_us = 2000, .lost_us = 600, .suppressed_us = 70, .overhead_us = 830, .no_log_us = 100, .causes = causes,
	.n_causes = 2,
};

#define HEAD "{\"id\":\"2024/07/\\u003Cjob\\u003E \\\"1\\\"\",\"key\":\"00ff\",\"status\":\"partial\",\"why\":\"a.csv: cut\"," \
	"\"report\":\"runs/1/report.html\",\"bytes\":81920,\"begin_ms\":1720000000000,\"end_ms\":null,\"severity\":\"critical\"," \
	"\"verdict\":\"Lost.\",\"hosts\":[\"node01\"],\"gpus\":[{\"entity\":\"node01/gpu0\",\"name\":\"NVIDIA H200\",\"uuid\":null," \
	"\"rules\":[\"gpu-power-brake\"]}],"
#define SUMS "\"gpu_us\":3600,\"normal_us\":2000,\"lost_us\":600,\"suppressed_us\":70,\"overhead_us\":830,\"no_log_us\":100,"
#define EARLIER_SUMS "\"gpu_us\":3600,\"normal_us\":2000,\"lost_us\":600,\"overhead_us\":900,\"no_log_us\":100,"
#define CAUSE(rule, lost) "{\"rule\":\"" rule "\",\"label\":\"l\",\"severity\":\"note\",\"lost_us\":" lost ",\"entities\":[]}"
#define LINE HEAD SUMS "\"causes\":[{\"rule\":\"gpu-power-brake\",\"label\":\"the power brake\",\"rule_label\":\"power brake\",\"severity\":\"critical\",\"lost_us\":500," \
	"\"entities\":[\"node01/gpu0\"]},{\"rule\":\"slow-start\",\"label\":\"slow start\",\"rule_label\":\"slow start\",\"severity\":\"note\",\"lost_us\":100,\"entities\":[]}]}"

static const char *written(struct arena *mem, const struct record *record)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	record_write(&out, record);
	return text_of_buf(mem, &out);
}

static void writes_a_line_of_integers(void **state)
{
	static const struct record empty = { .id = "x", .key = "k", .status = RUN_EMPTY, .bytes = 0, .begin = 5, .gpu_us = 7 };
	struct logs *const logs = *state;

	assert_string_equal(written(&logs->mem, &one), LINE);
	struct record hinted = one;
	hinted.hint = "a.csv goes on \"later\"";
	assert_string_equal(written(&logs->mem, &hinted), arena_print(&logs->mem, "%.*s,\"hint\":\"a.csv goes on \\\"later\\\"\"}",
		(int)strlen(LINE) - 1, LINE));
	assert_string_equal(written(&logs->mem, &empty),
		"{\"id\":\"x\",\"key\":\"k\",\"status\":\"empty\",\"why\":null,\"report\":null,\"bytes\":0}");
}

#define PART "{\"id\":\"x\",\"key\":\"k\",\"status\":\"ok\",\"why\":null,\"report\":null,\"bytes\":1,"
#define SHORT "{\"id\":\"x\",\"key\":\"k\",\"status\":\"empty\",\"why\":null,\"report\":null,\"bytes\":1"
#define REFUSED(place, what) "index.jsonl:7" place ": error: bad-record: " what "; the record is not used\n"

static void names_what_is_wrong(void **state)
{
	static const struct {
		const char *line, *complaint;
	} cases[] = {
		{ LINE, "" },
		{ HEAD EARLIER_SUMS "\"causes\":[" CAUSE("a", "300") "]}", "" },
		{ SHORT ",\"later\":[1,{\"id\":3}]}", "" },
		{ "", "index.jsonl:7: error: bad-record: an empty line where a record is expected\n" },
		{ SHORT "}" SHORT "}", "index.jsonl:7:73: error: bad-record: a second record on the line\n" },
		{ SHORT, "index.jsonl:7: note: cut-row: the file ends inside a document, as when a logger is killed; its last record is used only if it is "
			 "whole\n" },
		{ "x" SHORT "}", "index.jsonl:7:1: warning: json-syntax: text that is no document; what follows up to the next document is not used\n" },
		{ "{\"id\":1}", REFUSED(":7", "'id' is not a text") },
		{ "{}", REFUSED(":1", "no 'id'") },
		{ "{\"id\":\"x\",\"key\":\"k\"}", REFUSED(":1", "no 'status'") },
		{ "{\"id\":\"x\",\"key\":\"k\",\"status\":\"fine\"}", REFUSED(":30", "'status' is not one that a run can have") },
		{ "{\"id\":\"x\",\"key\":\"k\",\"status\":\"ok\",\"why\":null,\"report\":null,\"bytes\":-1}",
			REFUSED(":68", "'bytes' is not a whole number from 0 to 2^53") },
		{ "{\"id\":\"x\",\"key\":\"k\",\"status\":\"ok\",\"why\":null,\"report\":null,\"bytes\":1.5}",
			REFUSED(":68", "'bytes' is not a whole number from 0 to 2^53") },
		{ "{\"id\":\"x\",\"key\":\"k\",\"status\":\"ok\",\"why\":null,\"report\":null,\"bytes\":9007199254740993}",
			REFUSED(":68", "'bytes' is not a whole number from 0 to 2^53") },
		{ "{\"id\":\"x\",\"key\":\"k\",\"status\":\"ok\",\"why\":7}", REFUSED(":41", "'why' is not a text") },
		{ PART "\"begin_ms\":\"now\"}", REFUSED(":81", "'begin_ms' is not a time in milliseconds") },
		{ PART "\"begin_ms\":1,\"end_ms\":5,\"time_basis\":\"here\"}", REFUSED(":107", "'time_basis' is not 'UTC' or 'log time'") },
		{ PART "\"begin_ms\":-5,\"end_ms\":5,\"severity\":\"bad\"}",
			REFUSED(":106", "'severity' is not critical, warning, note, healthy or unknown") },
		{ PART "\"begin_ms\":1,\"end_ms\":5,\"severity\":\"note\",\"verdict\":\"v\",\"hosts\":7}", REFUSED(":134", "'hosts' is not a list") },
		{ PART "\"begin_ms\":1,\"end_ms\":5,\"severity\":\"note\",\"verdict\":\"v\",\"hosts\":[],\"gpus\":[7]}",
			REFUSED(":145", "'gpus' is not a list of maps") },
		{ HEAD "\"gpu_us\":3600,\"normal_us\":2000,\"lost_us\":600,\"suppressed_us\":-1,\"overhead_us\":900,\"no_log_us\":100,\"causes\":[]}",
			REFUSED(":388", "'suppressed_us' is not a whole number from 0 to 2^53") },
		{ HEAD "\"gpu_us\":3601,\"normal_us\":2000,\"lost_us\":600,\"overhead_us\":900,\"no_log_us\":100,\"causes\":[]}",
			REFUSED(":336", "'gpu_us' is not the sum of its parts") },
		{ HEAD SUMS "\"causes\":[" CAUSE("a", "300") "," CAUSE("b", "301") "]}",
			REFUSED(":506", "'causes' is not in order: most lost first, then by rule") },
		{ HEAD SUMS "\"causes\":[" CAUSE("b", "300") "," CAUSE("a", "300") "]}",
			REFUSED(":506", "'causes' is not in order: most lost first, then by rule") },
		{ HEAD SUMS "\"causes\":[" CAUSE("a", "400") "," CAUSE("b", "300") "]}", REFUSED(":506", "'causes' is not within 'lost_us'") },
		{ "{\"id\":\"\xFF\"}", REFUSED(":7", "'id' is not UTF-8") },
	};
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record read;
		const bool good = record_read(shared_names_new(&logs->mem), slice_of(cases[i].line), (struct place){ "index.jsonl", 7, 0 }, &read,
			&logs->diags);
		assert_string_equal(take_complaints(logs), cases[i].complaint);
		assert_int_equal(good, !*cases[i].complaint);
	}
}

/* The reader of JSON would give the first 4 KiB and say nothing. */
static void refuses_a_text_that_would_be_cut(void **state)
{
	struct logs *const logs = *state;
	struct record read;
	char *const longest = NEW_ARRAY(&logs->mem, char, RECORD_TEXT_MAX_BYTES);

	memset(longest, 'x', RECORD_TEXT_MAX_BYTES - 1);
	const char *const line = arena_print(&logs->mem, "{\"id\":\"%sx\"}", longest);
	assert_false(record_read(shared_names_new(&logs->mem), slice_of(line), (struct place){ "i", 1, 0 }, &read, &logs->diags));
	assert_string_equal(take_complaints(logs), "i:1:7: error: bad-record: 'id' is longer than 4095 bytes; the record is not used\n");
}

static const char *repeated(struct arena *mem, const char *text, size_t n_bytes)
{
	const char *all = "";

	while (strlen(all) < n_bytes)
		all = arena_print(mem, "%s%s", all, text);
	return all;
}

/* Of a log whose card, host or job has a name without an end a run is not lost. */
static void writes_no_text_that_would_be_refused(void **state)
{
	struct logs *const logs = *state;
	static const struct {
		const char *text;
		size_t n_bytes, n_read;
	} cases[] = {
		{ "x", 4095, 4095 }, { "x", 4096, 4095 }, { "x", 70000, 4095 }, { "\xC3\xA4", 4094, 4094 }, { "\xC3\xA4", 4096, 4094 },
		{ "\xE2\x82\xAC", 6000, 4095 }, { "\xFF", 1300, 3900 }, { "\xFF", 1365, 4095 }, { "\xFF", 1366, 4095 }, { "\"", 5000, 4095 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const text = repeated(&logs->mem, cases[i].text, cases[i].n_bytes);
		const struct record_gpu gpu = { text, text, text, { &text, 1 } };
		const struct record_cause cause = { text, text, text, SEVERITY_NOTE, 5, { &text, 1 } };
		struct record record = one, read;
		record.id = record.why = record.verdict = record.hint = text;
		record.hosts = (struct texts){ &text, 1 };
		record.gpus = &gpu;
		record.causes = &cause;
		record.n_causes = 1;
		const struct slice line = slice_of(written(&logs->mem, &record));
		assert_true(record_read(shared_names_new(&logs->mem), line, (struct place){ "i", 1, 0 }, &read, &logs->diags));
		assert_int_equal(strlen(read.gpus[0].name), cases[i].n_read);
		assert_ptr_equal(read.gpus[0].name, read.causes[0].entities.at[0]);
		assert_ptr_equal(read.gpus[0].name, read.id);
		assert_ptr_equal(read.gpus[0].name, read.hint);
		assert_true(slice_is_utf8(slice_of(text)) ? strncmp(read.id, text, cases[i].n_read) == 0 : true);
	}
}

/* However many hours a report has, whose clock may have been decades off, its record can be read again. */
static void keeps_sums_that_can_be_read(void **state)
{
	static const struct {
		double normal_h, lost_h, no_log_h;
		int64_t normal_us, lost_us, no_log_us;
	} cases[] = {
		{ 1.5, 0.25, 0, 5400000000, 900000000, 0 },
		{ 1, 1, 4e6, HOUR_US, HOUR_US, RECORD_MOST_US - 2 * HOUR_US },
		{ 1, 2e6, 2e6, HOUR_US, 7200000000000000, RECORD_MOST_US - HOUR_US - 7200000000000000 },
		{ 9e9, 1, 1, RECORD_MOST_US, 0, 0 },
		{ -1, NAN, 1e-10, 0, 0, 0 },
	};
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ledger_row rows[] = {
			{ .kind = LEDGER_NORMAL, .gpu_hours = cases[i].normal_h },
			{ .kind = LEDGER_FINDING, .gpu_hours = cases[i].lost_h, .class = "hot", .short_label = "hot", .severity_level = SEVERITY_NOTE },
			{ .kind = LEDGER_NO_LOG, .gpu_hours = cases[i].no_log_h },
		};
		const struct report report = { .ledger = rows, .n_ledger = 3, .verdict = { .severity = "note", .sentence = "v." } };
		struct record record = { .id = "i", .key = "k", .status = RUN_OK }, read;
		record_of_report(&logs->mem, &report, &record);
		const struct slice line = slice_of(written(&logs->mem, &record));
		assert_true(record_read(shared_names_new(&logs->mem), line, (struct place){ "i", 1, 0 }, &read, &logs->diags));
		assert_int_equal(read.normal_us, cases[i].normal_us);
		assert_int_equal(read.lost_us, cases[i].lost_us);
		assert_int_equal(read.causes[0].lost_us, cases[i].lost_us);
		assert_int_equal(read.no_log_us, cases[i].no_log_us);
	}
}

/* A job that ran out of memory lost nothing that anyone could count, and that is not "nothing lost". */
static void findings_without_a_price_are_causes(void **state)
{
	static const char *const where[] = { "node01/gpu3" };
	const struct finding findings[] = {
		{ .rule = "gpu-out-of-memory", .short_name = "out of memory", .rule_name = "out of memory", .severity_level = SEVERITY_CRITICAL, .entities = { where, 1 } },
		{ .rule = "gpu-hot", .short_name = "hot", .rule_name = "hot", .severity_level = SEVERITY_WARNING, .has_cost = true },
		{ .rule = "gpu-slow", .short_name = "slow", .rule_name = "slow", .severity_level = SEVERITY_WARNING, .has_cost = true, .cost_gpu_hours = { 0, 1 } },
		{ .rule = "gpu-odd", .short_name = "odd", .severity_level = SEVERITY_NOTE },
	};
	const struct ledger_row row = { .kind = LEDGER_FINDING, .gpu_hours = 1, .class = "gpu-slow", .severity_level = SEVERITY_WARNING, .short_label = "slow" };
	struct logs *const logs = *state;
	struct report report = { .findings = findings, .n_findings = 4, .ledger = &row, .n_ledger = 1, .verdict = { .severity = "critical", .sentence = "v." } };
	struct record record = { .id = "i", .key = "k", .status = RUN_OK };

	record_of_report(&logs->mem, &report, &record);
	assert_int_equal(record.n_causes, 3);
	assert_string_equal(record.causes[0].rule, "gpu-slow");
	assert_string_equal(record.causes[1].rule, "gpu-hot");
	assert_string_equal(record.causes[2].rule, "gpu-out-of-memory");
	assert_string_equal(record.causes[2].label, "out of memory");
	assert_string_equal(record.causes[2].entities.at[0], "node01/gpu3");
	assert_int_equal(record.causes[2].lost_us, 0);
	assert_string_equal(record_main_cause(&record)->rule, "gpu-out-of-memory");
	struct record of_losses = { .id = "i", .key = "k", .status = RUN_OK };
	report.n_findings = 0;
	record_of_report(&logs->mem, &report, &of_losses);
	assert_int_equal(of_losses.n_causes, 1);
	assert_string_equal(record_main_cause(&of_losses)->rule, "gpu-slow");
}

/* Two GPUs that idled at different times, for as long: two findings of one rule. */
static void equal_losses_by_one_rule_are_two_causes(void **state)
{
	static const char *const first[] = { "gpu0" }, *const second[] = { "gpu1" };
	static const struct finding findings[] = {
		{ .number = 1, .rule = "idle", .short_name = "idle", .rule_name = "idle", .entities = { second, 1 } },
		{ .number = 2, .rule = "idle", .short_name = "idle at times", .rule_name = "idle", .entities = { first, 1 } },
	};
	static const struct ledger_row rows[] = {
		{ .kind = LEDGER_FINDING, .finding = 1, .gpu_hours = 1, .class = "idle", .severity_level = SEVERITY_NOTE },
		{ .kind = LEDGER_FINDING, .finding = 2, .gpu_hours = 1, .class = "idle", .severity_level = SEVERITY_NOTE },
	};
	struct logs *const logs = *state;
	const struct report report = { .findings = findings, .n_findings = 2, .ledger = rows, .n_ledger = 2, .verdict = { .severity = "note", .sentence = "v." } };
	struct record record = { .id = "i", .key = "k", .status = RUN_OK }, read;

	record_of_report(&logs->mem, &report, &record);
	const struct slice line = slice_of(written(&logs->mem, &record));
	assert_true(record_read(shared_names_new(&logs->mem), line, (struct place){ "i", 1, 0 }, &read, &logs->diags));
	assert_int_equal(read.n_causes, 2);
	assert_string_equal(read.causes[0].entities.at[0], "gpu0");
	assert_string_equal(read.causes[1].entities.at[0], "gpu1");
	assert_string_equal(read.causes[0].label, "idle at times");
	assert_string_equal(read.causes[0].rule_label, "idle");
}

/* What is as bad as what lost most says no more; what lost nothing and is a note is no cause at all. */
static void the_main_cause_is_the_worst_or_lost_most(void **state)
{
	static const struct {
		struct record_cause causes[3];
		const char *main;
	} cases[] = {
		{ { { .rule = "a", .severity = SEVERITY_WARNING, .lost_us = 9 }, { .rule = "b", .severity = SEVERITY_CRITICAL, .lost_us = 8 } }, "a" },
		{ { { .rule = "a", .severity = SEVERITY_WARNING, .lost_us = 9 }, { .rule = "b", .severity = SEVERITY_CRITICAL } }, "b" },
		{ { { .rule = "a", .severity = SEVERITY_WARNING, .lost_us = 9 }, { .rule = "b", .severity = SEVERITY_WARNING } }, "a" },
		{ { { .rule = "a", .severity = SEVERITY_NOTE }, { .rule = "b", .severity = SEVERITY_WARNING } }, "b" },
		{ { { .rule = "a", .severity = SEVERITY_WARNING }, { .rule = "b", .severity = SEVERITY_CRITICAL } }, "b" },
		{ { { .rule = "a", .severity = SEVERITY_NOTE }, { .rule = "b", .severity = SEVERITY_NOTE } }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct record_cause *const main = record_main_cause(&(struct record){ .causes = cases[i].causes, .n_causes = 2 });
		assert_string_equal(main ? main->rule : "none", cases[i].main ? cases[i].main : "none");
	}
}

static void keeps_each_name_once(void **state)
{
	struct logs *const logs = *state;
	struct shared_names *const names = shared_names_new(&logs->mem);
	struct random r = { 1 };
	const char *texts[2000];

	for (size_t i = 0; i < 2000; i++) {
		texts[i] = arena_print(&logs->mem, "%.*s%d", random_below(&r, 9), "node node", random_below(&r, 3000));
		assert_string_equal(shared_name(names, slice_of(texts[i])), texts[i]);
	}
	const size_t n = names_count(names);
	assert_true(n > 1000 && n < 2000);
	for (size_t i = 0; i < 2000; i++)
		for (size_t k = 0; k < 2000; k += 37)
			assert_int_equal(shared_name(names, slice_of(texts[i])) == shared_name(names, slice_of(texts[k])), strcmp(texts[i], texts[k]) == 0);
	assert_int_equal(names_count(names), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(name_number(names, slice_of(name_of_number(names, i))), i);
}

/* A name that begins another one, and one that only its last bit tells apart. */
static void tells_names_apart_that_are_much_alike(void **state)
{
	static const char *const texts[] = { "", "a", "aa", "aaa", "aab", "aac", "b", "\x80", "\x81", "\xFF", "a\x01" };
	struct logs *const logs = *state;
	struct shared_names *const names = shared_names_new(&logs->mem);

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			assert_int_equal(name_number(names, slice_of(texts[i])), i);
}

/* Names of one byte each, in an order that puts nodes above and below each other. */
static void tells_each_byte_from_each_other(void **state)
{
	struct logs *const logs = *state;
	struct shared_names *const names = shared_names_new(&logs->mem);

	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 255; i++) {
			const char text[] = { (char)(i * 37 % 255 + 1), '\0' };
			assert_int_equal(name_number(names, slice_of(text)), i);
		}
}

#define TEST_WITH_LOGS(function) cmocka_unit_test_setup_teardown(function, logs_set_up, logs_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_WITH_LOGS(writes_a_line_of_integers),
		TEST_WITH_LOGS(names_what_is_wrong),
		TEST_WITH_LOGS(refuses_a_text_that_would_be_cut),
		TEST_WITH_LOGS(writes_no_text_that_would_be_refused),
		TEST_WITH_LOGS(keeps_sums_that_can_be_read),
		TEST_WITH_LOGS(findings_without_a_price_are_causes),
		TEST_WITH_LOGS(equal_losses_by_one_rule_are_two_causes),
		TEST_WITH_LOGS(the_main_cause_is_the_worst_or_lost_most),
		TEST_WITH_LOGS(keeps_each_name_once),
		TEST_WITH_LOGS(tells_names_apart_that_are_much_alike),
		TEST_WITH_LOGS(tells_each_byte_from_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
