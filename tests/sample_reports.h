/*
 * sample_reports.h - three reports as report_build() would make them, for tests of renderers.
 *
 *     report_healthy()    1 GPU, two logs, one note; the short form
 *     report_throttled()  8 GPUs, 2 h, three findings, a hole, foreign signs in its texts
 *     report_unknown()    no GPU log: almost everything is absent
 *
 * Values are constants of the file: a report may be kept for the whole test.
 */
#ifndef POSTRUN_SAMPLE_REPORTS_H
#define POSTRUN_SAMPLE_REPORTS_H

#include "report/report.h"

#include <math.h>

#define SAMPLE_BEGIN ((time_ms)1715677927000) /* 2024-05-14 09:12:07 UTC */
#define SAMPLE_AT(minutes) (SAMPLE_BEGIN + (minutes) * MINUTE_MS)
#define SAMPLE_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLE_PROGRAM { "postrun", "1.0.0", "xxh128:00112233445566778899aabbccddeeff" }
#define SAMPLE_LIMITS                                                                                                  \
	"'busy' is the share of time in which any kernel ran, not how well it used the GPU."
#define SAMPLE_LEGEND_DRAWN "one column = 1 min 52 s; \u2581 0-12 %  \u2582\u2583\u2584\u2585\u2586\u2587  \u2588 88-100 %  \u2591 no data"
#define SAMPLE_LEGEND "one column = 1 min 52 s; _ 0-12 %  .:-=+*  # 88-100 %  ? no data"

static const double sample_busy[64] = {
	0.05, 0.1, 0.8, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.8, 0.97, 0.97, 0.97, 0.55, 0.47,
	0.47, 0.47, 0.47, 0.47, 0.47, 0.47, 0.5, 0.97, 0.84, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97,
	0.97, 0.97, 0.84, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.84, 0.97,
	0.97, (double)NAN, (double)NAN, 0.97, 0.97, 0.97, 0.5,
};

static inline const struct report *report_healthy(void)
{
	static const char *const hosts[] = { "wks-12" };
	static const struct report_gpu gpus[] = { { "wks-12/gpu0", "GPU 0", "GPU 0", "NVIDIA GeForce RTX 4090", NULL, NULL } };
	static const struct window startup[] = { { SAMPLE_AT(0), SAMPLE_AT(0) + 23000, 23 } };
	static const struct finding findings[] = { {
		.number = 1, .rule = "slow-start", .severity = "note", .title = "Start-up took 23 s",
		.windows = (struct window *)startup, .n_windows = 1, .coverage = 1, .confidence = "high",
		.cost_gpu_hours = { 0.0064, 0.0064 }, .has_cost = true, .what = "GPU below 10 % busy.",
		.why = "Loading weights.", .refute = "Nothing.", .sure_text = "HIGH: the rows show it. Nothing.",
		.cost_short = "0.4 GPU-min",
	} };
	static const struct ledger_row ledger[] = {
		{ .class = "normal", .label = "at the run's normal speed", .gpu_hours = 0.16, .energy_kwh = { 0.06, 0.06 },
			.share = 0.94, .hours_text = "9.4", .percent_text = "94" },
		{ .class = "slow-start", .label = "[1] start-up", .finding = 1, .gpu_hours = 0.0064,
			.energy_kwh = { NAN, NAN }, .share = 0.04, .kind = LEDGER_FINDING, .hours_text = "0.4",
			.percent_text = "4" },
	};
	static const struct report_source sources[] = {
		{ .path = "run/B_gpu.csv", .name = "B_gpu.csv", .digest = "xxh128:6085b1adcdc584e16085b1adcdc584e1",
			.format = "nvidia-smi-csv", .why = "has nvidia-smi's header with 9 known columns", .bytes = 90305,
			.rows = 601, .begin = SAMPLE_AT(0), .end = SAMPLE_AT(10), .step_s = 1,
			.clock = { "UTC", 0, "assumed", "Its times name no zone and are taken as UTC; --tz says otherwise." },
			.quality = "601 of 601 expected samples, step 1.0 s, no hole." },
		{ .path = "run/B_cpu.log", .name = "B_cpu.log", .digest = "xxh128:3652cb8c2a29d6b33652cb8c2a29d6b3",
			.format = "vmstat", .why = "has vmstat's two header lines", .bytes = 32512, .rows = 601,
			.begin = SAMPLE_AT(0), .end = SAMPLE_AT(10), .step_s = 1,
			.clock = { "UTC", 0, "sibling", "Its times are taken in the zone of B_gpu.csv." },
			.quality = "601 of 601 samples, step 1.0 s, no hole." },
	};
	static const struct timeline_row timeline[] = { { "GPU busy", { sample_busy, 64 }, false, NULL } };
	static const struct statistics_row rows[] = {
		{ "GPU 0", "91", "44", "97", "99", "21.2", "62", "65", "402", "445", "2715", "0" },
		{ .label = "CPU", .busy_mean = "30", .busy_p5 = "22", .busy_p50 = "31", .busy_p95 = "38" },
	};
	static const struct report report = {
		.schema = "postrun.report/1", .program = SAMPLE_PROGRAM,
		.run = { "lora-finetune", SAMPLE_AT(0), SAMPLE_AT(10), 600, { hosts, 1 }, gpus, 1 },
		.verdict = { .severity = "healthy",
			.sentence = "Healthy. The GPU was 95 % busy once training started. Nothing here needs fixing.",
			.gpu_hours = 1.0 / 6, .lost_gpu_hours = { 0, 0 } },
		.findings = findings, .n_findings = 1, .told_findings = findings, .n_told_findings = 1,
		.ledger = ledger, .n_ledger = 2, .sources = sources, .n_sources = 2,
		.told_sources = sources, .n_told_sources = 2,
		.healthy = true, .has_ledger = true, .has_gpu = true, .identity = "lora-finetune on wks-12",
		.run_text = "1 \u00D7 NVIDIA GeForce RTX 4090, 10 min, Tue 2024-05-14 09:12:07 \u2013 09:22:07 (log time; the "
			    "log names no time zone). GPU and CPU logs every 1 s.",
		.gpu_time_text = "10.0 GPU-minutes", .spent_text = "10.0 GPU-MINUTES", .gpu_time_unit = "GPU-min", .chart_names = "card.png",
		.timeline = timeline, .n_timeline = 1, .timeline_legend = SAMPLE_LEGEND, .timeline_legend_drawn = SAMPLE_LEGEND_DRAWN, .statistics_rows = rows,
		.n_statistics_rows = 2,
		.checked_count = "4 checks of GPU use, CPU use, power and memory",
		.checked_text = "input starvation (CPU 30 % busy), throttling flags (none set), power limit (mean 402 of "
				"450 W), memory (89 % used, 2.8 GiB spare), holes.",
		.unjudged_text = "PCIe link (not logged), ECC errors (not logged).", .limits_text = SAMPLE_LIMITS,
		.not_logged_text = "ECC errors, PCIe.", .command_text = "postrun report run/", .footer_right = "postrun 1.0.0",
	};

	return &report;
}

static const char *const sample_tries[] = {
	"Make the input cheaper: cache decoded samples, decode or augment on the GPU, store smaller images.",
	"Give the job more CPU cores. More loader workers alone will not help: the cores were full.",
	"Find what changed at 09:43 (new shard? other job on the node?).",
};

static inline const struct report *report_throttled(void)
{
	static const char *const hosts[] = { "gpu-a17" };
	static const char *const entities[] = { "gpu-a17/gpu3", "gpu-a17/gpu5" };
	static const char *const symptoms[] = { "gpu-power-headroom", "gpu-clock-loss", "gpu-fluctuating", "gpu-low-use" };
	static const char *const rivals[] = { "another job on the node took the cores" };
	static const char *const lower[] = { "Lower the power limit of all eight (nvidia-smi -pl 550)." };
	static const struct named_quantity evidence[] = {
		{ "gpu_busy", { 47.25, UNIT_PERCENT } }, { "cpu_busy", { NAN, UNIT_PERCENT } },
		{ "power", { 461, UNIT_WATT } },
	};
	static const struct report_gpu gpus[] = {
		{ "gpu-a17/gpu0", "GPU 0", "GPU 0", "NVIDIA H100 80GB HBM3", "GPU-0", "0000:01:00.0" },
		{ "gpu-a17/gpu1", "GPU 1", "GPU 1", "NVIDIA H100 80GB HBM3", "GPU-1", NULL },
	};
	static const struct window stall[] = { { SAMPLE_AT(32), SAMPLE_AT(48), 960 } };
	static const struct window hot[] = { { SAMPLE_AT(78), SAMPLE_AT(100), 1325 } };
	static const struct window hole[] = { { SAMPLE_AT(108), SAMPLE_AT(113), 300 } };
	static const struct headline headlines[] = {
		{ "All GPUs waited for input data for 16 min." },
		{ "GPUs 3 and 5 overheated for 22 min and held up the other six." },
	};
	static const struct finding findings[] = {
		{ .number = 1, .rule = "gpu-starved-by-cpu", .severity = "critical", .title = "The GPUs waited for input data",
			.severity_level = SEVERITY_CRITICAL, .entities = { entities, 2 }, .windows = (struct window *)stall,
			.n_windows = 1, .coverage = 1, .confidence = "high", .cost_gpu_hours = { 1.1, 1.1 },
			.has_cost = true, .evidence = evidence, .n_evidence = SAMPLE_COUNT(evidence),
			.what = "GPU busy fell from 97 % to 47 %, swinging between 0 and 84 %, while CPU busy rose from 25 % to 97 %.",
			.why = "GPU and CPU moved within 90 s of each other. Clocks, temperature and memory stayed normal, so it "
			       "was neither throttling nor a crash. I/O wait was 1 %: the cores computed, they did not wait for a disk.",
			.refute = "It would be wrong if the CPU load belonged to another job: check pidstat or the scheduler.",
			.sure_text = "HIGH: two logs agree. It would be wrong if the CPU load belonged to another job: check pidstat or the scheduler.",
			.try = { sample_tries, 3 }, .symptoms = { symptoms, 4 },
			.symptoms_text = "busy at low power, clock lost at work, stops and starts, low use", .rivals = { rivals, 1 }, .where = "all 8 GPUs",
			.when_text = "09:44:22 - 10:00:22 (16 min), elapsed 0:32 - 0:48; one window",
			.cost_text = "1.1 GPU-h, 7 % of the run: 16 min \u00D7 8 GPUs \u00D7 the share of normal speed that was "
				     "missing (51 %).",
			.cost_short = "1.1 GPU-h" },
		{ .number = 2, .rule = "gpu-thermal-software", .severity = "critical",
			.title = "GPUs 3 and 5 overheated and held up the other six while the whole job kept waiting in step",
			.severity_level = SEVERITY_CRITICAL, .windows = (struct window *)hot, .n_windows = 1, .coverage = 0.96,
			.confidence = "medium", .cost_gpu_hours = { 0.2, 0.9 }, .has_cost = true,
			.what = "83\u201390 \u00B0C on GPUs 3 and 5 (slowdown at 87 \u00B0C).", .why = "The driver\u2019s flags.",
			.refute = "Step times from the training log would settle it.",
			.sure_text = "HIGH: the driver says so. Step times from the training log would settle it.",
			.try = { lower, 1 },
			.where = "GPU 3 and GPU 5", .when_text = "10:30:07 - 10:52:12 (22 min); one window",
			.cost_text = "at most 0.9 GPU-h, 5 % of the run.", .cost_short = "up to 0.9 GPU-h" },
		{ .number = 13, .rule = "log-hole", .severity = "note", .title = "5 minutes have no GPU log",
			.windows = (struct window *)hole, .n_windows = 1, .coverage = 1, .confidence = "high",
			.cost_gpu_hours = { NAN, NAN }, .what = "no nvidia-smi rows 11:00:04 - 11:05:04.",
			.refute = "The run looks the same before and after.",
			.sure_text = "HIGH: the driver says so. The run looks the same before and after.",
			.cost_short = "0.7 GPU-h no log", .is_hole = true },
	};
	static const struct finding kept_back[] = {
		{ .rule = "gpu-hot", .severity = "warning", .title = "GPUs 3 and 5 came close to their limit", .windows = (struct window *)hot,
			.n_windows = 1, .coverage = 1, .confidence = "high", .cost_gpu_hours = { NAN, NAN }, .symptoms = { symptoms, 2 },
			.symptoms_text = "busy at low power, clock lost at work",
			.when_text = "10:30:07 - 10:52:12 (22 min); one window", .cost_short = "up to 0.9 GPU-h" },
	};
	static struct report_suppression suppressed[] = {
		{ "gpu-hot", "3-5", "2024-06-01", "the \u201Cfan\u201D is on order", true, kept_back, 1,
			"gpu-hot on GPUs 3-5 is suppressed until Sat 2024-06-01: the \u201Cfan\u201D is on order." },
		{ "gpu-idle", NULL, "2024-05-01", "ticket 4711", false, NULL, 0,
			"The suppression of gpu-idle ended on Wed 2024-05-01, before this run, so its findings count again. Its reason was: ticket 4711." },
	};
	static const struct report_rule_file rule_files[] = { { "site/gpu-hot.yaml", "xxh128:00", "system", "rules/gpu-hot.yaml" } };
	static const struct report_setting settings[] = { { "gpu-hot", "margin", { 3, UNIT_CELSIUS } } };
	static const char *const disabled[] = { "gpu-unused" };
	static const char *const of_rules[] = {
		"site/gpu-hot.yaml (xxh128:65b60afb4d7a50d565b60afb4d7a50d5) takes the place of rules/gpu-hot.yaml.",
		"gpu-hot was judged with margin = 3 \u00B0C, by --set.",
	};
	static const struct judgement judgements[] = {
		{ "gpu-hot", "gpu-a17/gpu0", "unknown", "no \"T.Limit\" <in> the log", 0.5, NAN },
		{ "gpu-idle", "gpu-a17/gpu0", "clear", "excluded by gpu-lost", 1, 0.5 },
	};
	static const struct ledger_row ledger[] = {
		{ "normal", "at the run's normal speed", "", 0, 12.5, false, { 5.1, 5.2 }, 0.78, 0, LEDGER_NORMAL, "12.5", "78", NAN, NULL, false },
		{ "gpu-starved-by-cpu", "[1] starved for input", "", 1, 1.1, true, { 0.1, 0.2 }, 0.07, 2, LEDGER_FINDING, "1.1", "7", NAN, NULL, false },
		{ "no-log", "[3] no log, not judged", "", 3, 0.7, false, { NAN, NAN }, 0.004, 0, LEDGER_NO_LOG, "0.7", "0.4", NAN, NULL, false },
	};
	static const struct throttle_row throttle[] = {
		{ "gpu-a17/gpu3", "hw_thermal", 1320, 60, NAN, 0, 0.19, 990, 1980, 0.5, 0.18, "GPU 3", "heat, hardware", "-", "22.0 min",
			"1.0 min", "19 %", "990", "-50 %", "0.2" },
	};
	static const char *const throttle_notes[] = { "Clocks are those while busy." };
	static const char *const lacking[] = { "core.busy" }, *const lacking_rules[] = { "gpu-starved-by-one-core" };
	static const char *const better_lines[] = { "  mpstat -P ALL 1" };
	static const struct better_log log_better[] = { { "mpstat -P ALL 1", { lacking, 1 }, { lacking_rules, 1 }, { better_lines, 1 },
		"a single busy core" } };
	static const struct report_phase phases[] = { { "startup", SAMPLE_AT(0), SAMPLE_AT(4), NULL } };
	/* a value that is missing, a hole, and a step of 5 s */
	static const time_ms times[] = { SAMPLE_AT(0), SAMPLE_AT(0) + 5000, SAMPLE_AT(0) + 10000, SAMPLE_AT(0) + 15000, SAMPLE_AT(1),
		SAMPLE_AT(1) + 5000 };
	static const fixed values[] = { 3250000, 14000000, FIXED_MISSING, 97500000, 0, 50000000 };
	static const struct track busy = { .metric = METRIC_GPU_UTIL, .times = times, .values = values, .n = SAMPLE_COUNT(times),
		.step = 5000, .decimals = 2 };
	static const struct statistic statistics[] = {
		{ "gpu-a17/gpu0", "gpu.util", UNIT_PERCENT, "%", 84.123456789, 0, 6, 96, 99, 100, 24.5, 0.958, "A_gpu.csv", &busy },
	};
	static const struct report_absence absences[] = { { "not-supported", 112 }, { "empty", 1 } };
	static const struct report_source sources[] = {
		{ .path = "A_gpu.csv", .name = "A_gpu.csv", .digest = "xxh128:65b60afb4d7a50d565b60afb4d7a50d5",
			.format = "nvidia-smi-csv", .why = "has nvidia-smi's header with 9 known columns", .bytes = 1633411,
			.rows = 11048, .rows_bad = 1, .begin = SAMPLE_AT(0), .end = SAMPLE_AT(120), .step_s = 5,
			.holes = (struct window *)hole, .n_holes = 1, .absences = absences, .n_absences = SAMPLE_COUNT(absences),
			.clock = { "local", -18000, "option", "Zone UTC-5 was given by --tz." },
			.quality = "1381 of 1441 expected samples for each of 8 GPUs (95.8 %), step 5.0 s; 1 hole of 5 min." },
	};
	static const struct report_chart charts[] = { { .file = "card.png", .title = "Up to 12 % lost", .alt = "Eight GPUs & one \"hole\"" } };
	static const struct report_note notes[] = { { .topic = "clock", .text = "Rows were put in order at 10:31." } };
	static const struct timeline_row timeline[] = {
		{ "GPU busy", { sample_busy, 64 }, false, NULL },
		{ "finding 1", { NULL, 0 }, true, "                 111111111" },
	};
#define SAMPLE_GPU(label, mean, temp, hot)                                                                             \
	{ label, mean, "6", "96", "100", "62.4", "55", temp, "495", "626", "1966", hot }
	static const struct statistics_row rows[] = {
		SAMPLE_GPU("GPU 0", "84", "64", "0"), SAMPLE_GPU("GPU 1", "84", "66", "0"), SAMPLE_GPU("GPU 2", "84", "73", "0"),
		SAMPLE_GPU("GPU 3", "84", "90", "22"), SAMPLE_GPU("GPU 4", "85", "73", "0"), SAMPLE_GPU("GPU 5", "84", "89", "22"),
		SAMPLE_GPU("GPU 6", "84", "66", "0"), SAMPLE_GPU("gpu-a17/GPU 7", "100", "65", "-"), SAMPLE_GPU("all", "84", "90", "44"),
	};
	static const struct report report = {
		.schema = "postrun.report/1", .program = SAMPLE_PROGRAM,
		.run = { "resnet-pretrain", SAMPLE_AT(0), SAMPLE_AT(120), 7200, { hosts, 1 }, gpus, 2 },
		.verdict = { .severity = "critical", .sentence = "Up to 12 % of this run was lost: 2.0 of 16.0 GPU-hours.", .gpu_hours = 16,
			.lost_gpu_hours = { 1.3, 2 }, .headlines = headlines, .n_headlines = 2 },
		.findings = findings, .n_findings = SAMPLE_COUNT(findings),
		.told_findings = findings, .n_told_findings = SAMPLE_COUNT(findings),
		.suppressed = suppressed, .n_suppressed = SAMPLE_COUNT(suppressed),
		.rules = { rule_files, 1, settings, 1, { disabled, 1 }, { of_rules, 2 } },
		.judgements = judgements, .n_judgements = SAMPLE_COUNT(judgements),
		.ledger = ledger, .n_ledger = SAMPLE_COUNT(ledger),
		.throttle = throttle, .n_throttle = 1, .told_throttle = throttle, .n_told_throttle = 1, .throttle_notes = { throttle_notes, 1 },
		.log_better = log_better, .n_log_better = 1,
		.phases = phases, .n_phases = SAMPLE_COUNT(phases),
		.statistics = statistics, .n_statistics = SAMPLE_COUNT(statistics),
		.sources = sources, .n_sources = SAMPLE_COUNT(sources), .told_sources = sources, .n_told_sources = SAMPLE_COUNT(sources),
		.charts = (struct report_chart *)charts, .n_charts = 1, .notes = notes, .n_notes = SAMPLE_COUNT(notes),
		.told_notes = notes, .n_told_notes = SAMPLE_COUNT(notes),
		.has_ledger = true, .has_gpu = true, .has_charts = true, .identity = "resnet-pretrain on gpu-a17",
		.run_text = "8 \u00D7 NVIDIA H100 80GB HBM3, 2 h 00 min, Tue 2024-05-14 09:12:07 \u2013 11:12:07 UTC. GPU "
			    "and CPU logs every 5 s.",
		.gpu_time_text = "16.0 GPU-hours", .spent_text = "16.0 GPU-HOURS", .gpu_time_unit = "GPU-h",
		.chart_names = "card.png  timeline.png  thermal.png  duty.png", .timeline = timeline, .n_timeline = SAMPLE_COUNT(timeline),
		.timeline_labels = "    09:20     09:40      10:00      10:20     10:40      11:00",
		.timeline_ticks = "    |         |          |          |         |          |", .timeline_legend = SAMPLE_LEGEND, .timeline_legend_drawn = SAMPLE_LEGEND_DRAWN,
		.statistics_rows = rows, .n_statistics_rows = SAMPLE_COUNT(rows),
		.checked_text = "memory use (peak 78 %), power limit (never reached).",
		.unjudged_text = "temperature margin (T.Limit is not logged).", .limits_text = SAMPLE_LIMITS,
		.not_logged_text = "PCIe and NVLink traffic, ECC errors, disk, network: not judged.",
		.command_text = "postrun report A_gpu.csv A_cpu.csv -o out/", .footer_right = "postrun 1.0.0",
	};

	return &report;
}

static inline const struct report *report_unknown(void)
{
	static const struct report_source sources[] = {
		{ .path = "mpstat.txt", .name = "mpstat.txt", .digest = "xxh128:65b60afb4d7a50d565b60afb4d7a50d5",
			.format = "mpstat", .why = "has mpstat's banner", .bytes = 11, .rows = 3, .begin = TIME_UNKNOWN,
			.end = TIME_UNKNOWN, .step_s = NAN,
			.clock = { NULL, NAN, "assumed", "It has times of day only; the day is that of its banner." },
			.quality = "3 samples, step 1.0 s." },
	};
	static const struct report report = {
		.schema = "postrun.report/1", .program = SAMPLE_PROGRAM,
		.run = { .name = "a\tname \x1b[31mwith\xff bad bytes", .begin = SAMPLE_AT(0), .end = SAMPLE_AT(1), .seconds = 60 },
		.verdict = { .severity = "unknown",
			.sentence = "Nothing can be said about the GPUs: there is no GPU log among the inputs.",
			.gpu_hours = NAN, .lost_gpu_hours = { NAN, NAN } },
		.sources = sources, .n_sources = SAMPLE_COUNT(sources), .told_sources = sources, .n_told_sources = SAMPLE_COUNT(sources),
		.identity = "a\tname \x1b[31mwith\xff bad bytes",
		.run_text = "no GPU, 1 min, Tue 2024-05-14 09:12:07 - 09:13:07.",
		.unjudged_text = "all 40 rules about GPUs (no GPU log).", .limits_text = SAMPLE_LIMITS,
		.command_text = "postrun report mpstat.txt", .footer_right = "postrun 1.0.0",
	};

	return &report;
}

#endif
