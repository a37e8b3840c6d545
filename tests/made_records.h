/*
 * made_records.h - records of runs that never were, for tests of what is made of many: a cluster of a few dozen hosts over some weeks,
 * losses log-normal, one GPU that is slowed by heat again and again, some runs without a report.
 *
 * Each statement draws once: in which order arguments are worked out is the compiler's choice, and a seed means the same runs to all.
 *
 *     MADE_COMMON   names as people give them
 *     MADE_HOSTILE  names that are long, that would be markup, formulas or commands, or that are no text at all
 */
#ifndef POSTRUN_TESTS_MADE_RECORDS_H
#define POSTRUN_TESTS_MADE_RECORDS_H

#include "fleet/fleet.h"
#include "property/laws.h"

#include <math.h>

enum made { MADE_COMMON, MADE_HOSTILE };

#define MADE_HOSTS 36
#define MADE_GPUS_OF_HOST 8
#define MADE_BEGIN ((time_ms)1709510400 * SECOND_MS) /* Mon 2024-03-04 00:00 UTC */
#define MADE_WEEKS 7
#define HOUR_US ((int64_t)3600000000)

static const struct {
	const char *rule, *label;
	enum severity severity;
	bool is_of_job; /* it fires on all of a run's GPUs, else on one */
} made_causes[] = {
	{ "gpu-starved-by-cpu", "input starvation", SEVERITY_CRITICAL, true },
	{ "gpu-idle-allocated", "idle, memory held", SEVERITY_CRITICAL, true },
	{ "gpu-collective-wait", "busy waiting", SEVERITY_CRITICAL, true },
	{ "gpu-thermal-slowdown", "slowed by heat", SEVERITY_CRITICAL, false },
	{ "gpu-power-capped", "at the power limit", SEVERITY_WARNING, true },
	{ "gpu-straggler", "in step with a slowed GPU", SEVERITY_WARNING, false }, /* the longest that we have */
	{ "gpu-low-use", "low use", SEVERITY_WARNING, true },
	{ "slow-start", "slow start", SEVERITY_NOTE, true },
};
#define N_MADE_CAUSES (sizeof made_causes / sizeof *made_causes)

static const char *const made_hostile[] = {
	"<script>alert(1)</script>", "=cmd|' /C calc'!A1", "a\"b,c;d\r\ne", "{{id}}", "../../../etc/passwd", "\x1b[2Jclear", "\xFF\xFE no text",
	"\xE2\x80\xAEgnp.exe", "a&amp;b 'c' \\ d", "", " ", "node 01\tgpu", "ä€𝄞 long names have letters", "%s%n", "\xE2\x80\xA8line",
	"very/long/paths/of/runs/that/nobody/would/have/thought/of/when/the/width/of/a/column/was/chosen/seed-0000000000000000000000000017",
	"averyveryveryveryveryveryveryveryveryveryveryveryverylongwordwithoutanyplacewhereitcouldbebrokenapartbyanybodyatall",
};
#define N_MADE_HOSTILE (sizeof made_hostile / sizeof *made_hostile)

static inline const char *made_name(struct random *r, struct arena *mem, enum made made, const char *common)
{
	if (made == MADE_COMMON || random_below(r, 3))
		return common;
	const char *const hostile = made_hostile[random_below(r, (int)N_MADE_HOSTILE)];
	return arena_print(mem, "%s%s", hostile, random_below(r, 2) ? common : "");
}

/* Of mean 0 and deviation 1, nearly normal. */
static inline double made_normal(struct random *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(r, 1 << 20) / (1 << 20);
	return sum;
}

static inline struct texts made_texts(struct arena *mem, const char *const *from, size_t n)
{
	const char **const texts = NEW_ARRAY(mem, const char *, n);

	for (size_t i = 0; i < n; i++)
		texts[i] = from[i];
	return (struct texts){ texts, n };
}

static inline void made_gpus(struct random *r, struct arena *mem, enum made made, struct record *record)
{
	static const char *const cards[] = { "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA L40S" };
	const int n_hosts = random_one_in(r, 8) ? 1 + random_below(r, 8) : 1, first = random_below(r, MADE_HOSTS - 8);
	const int n_of_host = n_hosts > 1 ? MADE_GPUS_OF_HOST : 1 << random_below(r, 4);
	const bool tells_host = n_hosts > 1 || !random_one_in(r, 9);
	const char *hosts[8];
	struct record_gpu *const gpus = NEW_ARRAY(mem, struct record_gpu, (size_t)(n_hosts * n_of_host));

	for (int h = 0; h < n_hosts; h++) {
		hosts[h] = made_name(r, mem, made, arena_print(mem, "node%02d", first + h));
		for (int g = 0; g < n_of_host; g++)
			gpus[h * n_of_host + g] = (struct record_gpu){
				.entity = arena_print(mem, "%s%sgpu%d", tells_host ? hosts[h] : "", tells_host ? "/" : "", g),
				.name = cards[(first + h) * 3 / MADE_HOSTS],
				.uuid = (first + h) % 9 ? arena_print(mem, "GPU-%08x-0000-4000-8000-%012x", (first + h) * 8 + g, 77u) : NULL,
			};
	}
	record->hosts = made_texts(mem, hosts, tells_host ? (size_t)n_hosts : 0);
	record->gpus = gpus;
	record->n_gpus = (size_t)(n_hosts * n_of_host);
}

/* Fires on a GPU: those that heat slows down are few. */
static inline size_t made_culprit(struct random *r, const struct record *record, bool *is_hot)
{
	for (size_t i = 0; i < record->n_gpus; i++)
		if (strstr(record->gpus[i].entity, "node07/gpu3") || strstr(record->gpus[i].entity, "node20/gpu5"))
			return *is_hot = true, i;
	*is_hot = false;
	return (size_t)random_below(r, (int)record->n_gpus);
}

/* Of a rule that calls itself something else in some runs, or did in an earlier version. */
static inline const char *made_label(struct random *r, struct arena *mem, enum made made, const char *label)
{
	const char *const other = arena_print(mem, "%c%s", label[0] - 'a' + 'A', label + 1);

	return made_name(r, mem, made, random_one_in(r, 9) ? other : label);
}

static inline struct record_cause made_cause(struct random *r, struct arena *mem, enum made made, const struct record *record, size_t which,
	int64_t lost_us)
{
	const char *const label = made_label(r, mem, made, made_causes[which].label);
	const char *const rule_label = made_label(r, mem, made, made_causes[which].label);
	bool is_hot;
	const size_t culprit = made_culprit(r, record, &is_hot);
	const bool of_job = made_causes[which].is_of_job;
	const char **const entities = NEW_ARRAY(mem, const char *, record->n_gpus);
	size_t n = 0;

	for (size_t i = 0; i < record->n_gpus; i++) {
		struct record_gpu *const gpu = (struct record_gpu *)&record->gpus[i];
		if (!of_job && i != culprit)
			continue;
		entities[n++] = gpu->entity;
		if (made_causes[which].severity != SEVERITY_NOTE && !texts_have(gpu->rules, made_causes[which].rule)) {
			const char **const rules = NEW_ARRAY(mem, const char *, gpu->rules.n + 1);
			for (size_t k = 0; k < gpu->rules.n; k++)
				rules[k] = gpu->rules.at[k];
			rules[gpu->rules.n] = made_causes[which].rule;
			gpu->rules = (struct texts){ rules, gpu->rules.n + 1 };
		}
	}
	return (struct record_cause){ made_causes[which].rule, label, rule_label, made_causes[which].severity, lost_us, { entities, n } };
}

static inline bool made_before(const struct record_cause *a, const struct record_cause *b)
{
	return a->lost_us > b->lost_us || (a->lost_us == b->lost_us && strcmp(a->rule, b->rule) < 0);
}

/* At most three, each with its part of what is left. */
static inline void made_losses(struct random *r, struct arena *mem, enum made made, struct record *record)
{
	struct record_cause *const causes = NEW_ARRAY(mem, struct record_cause, 3);
	int64_t left_us = record->lost_us;
	bool is_hot;
	size_t which = (size_t)random_below(r, (int)N_MADE_CAUSES);

	made_culprit(r, record, &is_hot);
	if (is_hot && random_below(r, 4))
		which = 3;
	record->causes = causes;
	for (size_t i = 0; i < 3 && left_us > 0; i++) {
		const int64_t own_us = i == 2 || random_below(r, 2) ? left_us : left_us / 10 * (5 + random_below(r, 5));
		const struct record_cause cause = made_cause(r, mem, made, record, (which + i) % N_MADE_CAUSES, own_us);
		size_t at = record->n_causes++;
		for (; at > 0 && made_before(&cause, &causes[at - 1]); at--)
			causes[at] = causes[at - 1];
		causes[at] = cause;
		left_us -= own_us;
	}
}

static inline void made_account(struct random *r, struct arena *mem, enum made made, struct record *record)
{
	const double hours = fmin(exp(0.8 + 1.3 * made_normal(r)), 240);
	const bool is_healthy = random_one_in(r, 3);

	made_gpus(r, mem, made, record);
	record->begin = MADE_BEGIN + (time_ms)(random_bits(r) % (uint64_t)(MADE_WEEKS * 7 * DAY_MS));
	record->end = record->begin + (time_ms)(hours * (double)HOUR_MS);
	record->is_log_time = record->begin % 5 == 0;
	record->gpu_us = (record->end - record->begin) * 1000 * (int64_t)record->n_gpus;
	const double share = is_healthy ? 0 : fmin(exp(-2.6 + 1.1 * made_normal(r)), 0.85);
	record->lost_us = (int64_t)((double)record->gpu_us * share);
	record->overhead_us = (record->gpu_us - record->lost_us) / (20 + random_below(r, 40));
	record->no_log_us = random_one_in(r, 3) ? (record->gpu_us - record->lost_us - record->overhead_us) / (10 + random_below(r, 60)) : 0;
	record->suppressed_us = random_one_in(r, 6) ? (record->gpu_us - record->lost_us - record->overhead_us - record->no_log_us) / (4 + random_below(r, 20)) : 0;
	record->normal_us = record->gpu_us - record->lost_us - record->suppressed_us - record->overhead_us - record->no_log_us;
	made_losses(r, mem, made, record);
	record->severity = record->n_causes ? severity_name(record->causes[0].severity) : "healthy";
	record->verdict = record->n_causes ? arena_print(mem, "A part of this run was lost: %s.", record->causes[0].label)
					   : "Healthy: the GPUs were busy once work began. Nothing here needs fixing.";
}

/* The record of run i: equal random numbers make equal records. */
static inline struct record record_made(struct random *r, struct arena *mem, enum made made, size_t i)
{
	static const char *const jobs[] = { "llm-7b-sft", "llm-7b-dpo", "diffusion-xl", "whisper-ft", "clip-retrain", "vit-huge", "gnn-papers",
		"rl-ppo-sweep", "resnet-pretrain", "eval-suite", "protein-fold", "segformer", "tts-vits", "bert-distill", "ocr-ft" };
	const char *const job = jobs[random_below(r, (int)(sizeof jobs / sizeof *jobs))];
	const char *const before = made == MADE_HOSTILE ? made_name(r, mem, made, "") : "";
	const uint64_t key = random_bits(r), bytes = random_bits(r) >> 40;
	struct record record = {
		.id = arena_print(mem, "%s%s-%zu", before, job, 1000 + i),
		.key = arena_print(mem, "%016llx%016zx", (unsigned long long)key, i),
		.bytes = (int64_t)bytes,
		.begin = TIME_UNKNOWN,
		.end = TIME_UNKNOWN,
	};
	const int state = random_below(r, 60);

	record.status = state < N_RUN_STATUSES - 1 ? (enum run_status)(state + 1) : RUN_OK;
	if (record.status != RUN_OK && random_below(r, 2))
		record.why = made_name(r, mem, made, "vmstat.txt: no reader recognises the file.");
	if (!record_has_report(&record))
		return record;
	if (random_below(r, 9))
		record.report = arena_print(mem, "%s/report.html", record.id);
	made_account(r, mem, made, &record);
	return record;
}

static inline struct record *records_made(uint64_t seed, struct arena *mem, enum made made, size_t n)
{
	struct random r = { seed };
	struct record *const records = NEW_ARRAY(mem, struct record, n);

	for (size_t i = 0; i < n; i++)
		records[i] = record_made(&r, mem, made, i);
	return records;
}

#endif
