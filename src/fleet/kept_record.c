/*
 * kept_record.c - numbers, then a severity and a loss for each cause, then texts.
 *
 *     id key why report severity verdict host… (rule label)…
 *
 * A text has a byte before it that says that there is one, and a NUL behind it.
 */
#include "fleet/kept_record.h"

struct kept_numbers {
	int64_t bytes, gpu_us, normal_us, lost_us, suppressed_us, overhead_us, no_log_us;
	time_ms begin, end;
	size_t n_hosts, n_gpus, n_causes;
	uint64_t status, is_log_time;
};
struct kept_cause {
	int64_t lost_us;
	uint64_t severity;
};

static void put(struct buf *out, const void *bytes, size_t n)
{
	buf_put(out, (struct slice){ bytes, n });
}

static void put_text(struct buf *out, const char *text)
{
	buf_char(out, text ? 1 : 0);
	if (text)
		put(out, text, strlen(text) + 1);
}

void record_pack(struct buf *out, const struct record *r)
{
	const struct kept_numbers numbers = { r->bytes, r->gpu_us, r->normal_us, r->lost_us, r->suppressed_us, r->overhead_us, r->no_log_us,
		r->begin, r->end, r->hosts.n, r->n_gpus, r->n_causes, r->status, r->is_log_time };
	const char *const texts[] = { r->id, r->key, r->why, r->report, r->severity, r->verdict };

	put(out, &numbers, sizeof numbers);
	for (size_t i = 0; i < r->n_causes; i++) {
		const struct kept_cause cause = { r->causes[i].lost_us, r->causes[i].severity };
		put(out, &cause, sizeof cause);
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_text(out, texts[i]);
	for (size_t i = 0; i < r->hosts.n; i++)
		put_text(out, r->hosts.at[i]);
	for (size_t i = 0; i < r->n_causes; i++) {
		put_text(out, r->causes[i].rule);
		put_text(out, r->causes[i].label);
	}
}

static const char *next_text(const char **at)
{
	const char *const text = *at + 1;

	if (!**at) {
		*at = text;
		return NULL;
	}
	*at = text + strlen(text) + 1;
	return text;
}

static void take_causes(const char *numbers, const char **texts, struct record_cause *causes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct kept_cause cause;
		memcpy(&cause, numbers + i * sizeof cause, sizeof cause);
		causes[i].lost_us = cause.lost_us;
		causes[i].severity = (enum severity)cause.severity;
		causes[i].rule = next_text(texts);
		causes[i].label = next_text(texts);
	}
}

struct record record_unpack(struct arena *mem, struct slice packed)
{
	const char *const bytes = arena_text(mem, packed.p, packed.n), *const causes = bytes + sizeof(struct kept_numbers);
	struct kept_numbers n;

	memcpy(&n, bytes, sizeof n);
	const char *texts = causes + n.n_causes * sizeof(struct kept_cause);
	const char **const hosts = NEW_ARRAY(mem, const char *, n.n_hosts);
	struct record_cause *const taken = NEW_ARRAY(mem, struct record_cause, n.n_causes);
	struct record r = { .status = (enum run_status)n.status, .bytes = n.bytes, .begin = n.begin, .end = n.end,
		.is_log_time = n.is_log_time, .hosts = { hosts, n.n_hosts }, .n_gpus = n.n_gpus, .gpu_us = n.gpu_us,
		.normal_us = n.normal_us, .lost_us = n.lost_us,
		.suppressed_us = n.suppressed_us, .overhead_us = n.overhead_us, .no_log_us = n.no_log_us, .causes = taken,
		.n_causes = n.n_causes };
	r.id = next_text(&texts);
	r.key = next_text(&texts);
	r.why = next_text(&texts);
	r.report = next_text(&texts);
	r.severity = next_text(&texts);
	r.verdict = next_text(&texts);
	for (size_t i = 0; i < n.n_hosts; i++)
		hosts[i] = next_text(&texts);
	take_causes(causes, &texts, taken, n.n_causes);
	return r;
}
