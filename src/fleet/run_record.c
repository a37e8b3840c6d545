/*
 * run_record.c - a record as a line of index.jsonl, and back.
 *
 *     {"id":"2024/07/job-17","key":"0123…","status":"ok","why":null,"report":"runs/01/…/report.html","bytes":81920,
 *      "begin_ms":1720000000000,"end_ms":1720003600000,"severity":"critical","verdict":"…","hosts":["node01"],
 *      "gpus":[{"entity":"node01/gpu0","name":"NVIDIA H100 80GB HBM3","uuid":"GPU-…","rules":["gpu-power-brake"]}],
 *      "gpu_us":3600000000,"normal_us":3000000000,"lost_us":500000000,"suppressed_us":0,
 *      "overhead_us":100000000,"no_log_us":0,
 *      "causes":[{"rule":"gpu-power-brake","label":"the power brake","rule_label":"the power brake",
 *      "severity":"critical","lost_us":500000000,"entities":["node01/gpu0"]}]}
 *
 * all on one line. "time_basis":"log time" stands behind the end of a run of which no log tells its zone. Each member has a function that
 * takes it and says what is wrong with it; a record is used only if nothing is, since one whose sums don't add up would be wrong in every
 * table.
 */
#include "fleet/shared_names.h"

#include "base/character.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/number.h"

#include <inttypes.h>

#define LOG_TIME "log time" /* as report.json calls it */
#define NOT_USED "; the record is not used"

/* ------------------------------------------------ what became of it */

static const struct {
	const char *name, *sentence;
} statuses[N_RUN_STATUSES] = {
#define RUN_STATUS(id, name, sentence) [RUN_##id] = { name, sentence },
#include "fleet/run_status.def"
#undef RUN_STATUS
};

const char *run_status_name(enum run_status status)
{
	return statuses[status].name;
}

const char *run_status_sentence(enum run_status status)
{
	return statuses[status].sentence;
}

bool record_has_report(const struct record *record)
{
	return record->status == RUN_OK || record->status == RUN_PARTIAL;
}

static const char *const severities[] = { "critical", "warning", "note", "unknown", "healthy" };
#define N_SEVERITIES (sizeof severities / sizeof *severities)

const struct record_cause *record_main_cause(const struct record *record)
{
	const struct record_cause *main = NULL;

	for (size_t i = 0; i < record->n_causes; i++) {
		const struct record_cause *const cause = &record->causes[i];
		const bool is_first = !main && (cause->lost_us > 0 || cause->severity >= SEVERITY_WARNING);
		if (is_first || (main && cause->lost_us == 0 && cause->severity > main->severity))
			main = cause;
	}
	return main;
}

bool record_loss_is_unknown(const struct record *record)
{
	bool any = false;

	for (size_t i = 0; i < record->n_causes; i++)
		any |= record->causes[i].severity == SEVERITY_CRITICAL && record->causes[i].lost_us == 0;
	return any && record->lost_us == 0;
}

bool record_is_untold(const struct record *record)
{
	return record->lost_us == 0 && strcmp(record->severity, "unknown") == 0;
}

bool record_tells_loss(const struct record *record)
{
	return !record_loss_is_unknown(record) && !record_is_untold(record);
}

size_t record_rank(const struct record *record)
{
	size_t rank = 0;

	while (rank < N_SEVERITIES && strcmp(record->severity, severities[rank]) != 0)
		rank++;
	return rank;
}

/* ------------------------------------------------ writing */

/* A comma before all but the first of a list or map: texts end in a quote, so that a bracket is one. */
static void put_comma(struct buf *out)
{
	const char last = out->n ? out->at[out->n - 1] : '{';

	if (last != '{' && last != '[')
		buf_char(out, ',');
}

static void put_key(struct buf *out, const char *key)
{
	put_comma(out);
	buf_print(out, "\"%s\":", key);
}

#define REPLACED_BYTES 3 /* U+FFFD, for a byte that is no UTF-8 */

/* How much of it record_read() takes, as it will find it. */
static size_t bytes_kept(struct slice text)
{
	size_t at = 0, n_read = 0;

	while (at < text.n) {
		const size_t n = character_size((struct slice){ text.p + at, text.n - at });
		n_read += n ? n : REPLACED_BYTES;
		if (n_read >= RECORD_TEXT_MAX_BYTES)
			break;
		at += n ? n : 1;
	}
	return at;
}

/* A log may call a card by a name of any length; that must not cost the run its record. */
static void put_string(struct buf *out, const char *text)
{
	char kept[RECORD_TEXT_MAX_BYTES];
	const size_t n = text ? strlen(text) : 0;

	if (n < RECORD_TEXT_MAX_BYTES / REPLACED_BYTES) {
		json_put_text(out, text);
		return;
	}
	const size_t n_kept = bytes_kept((struct slice){ text, n });
	memcpy(kept, text, n_kept);
	kept[n_kept] = '\0';
	json_put_text(out, kept);
}

static void put_text(struct buf *out, const char *key, const char *text)
{
	put_key(out, key);
	put_string(out, text);
}

static void put_integer(struct buf *out, const char *key, int64_t value)
{
	put_key(out, key);
	buf_print(out, "%" PRId64, value);
}

static void put_time(struct buf *out, const char *key, time_ms t)
{
	if (t == TIME_UNKNOWN)
		put_text(out, key, NULL);
	else
		put_integer(out, key, t);
}

static void put_texts(struct buf *out, const char *key, struct texts texts)
{
	put_key(out, key);
	buf_char(out, '[');
	for (size_t i = 0; i < texts.n; i++) {
		put_comma(out);
		put_string(out, texts.at[i]);
	}
	buf_char(out, ']');
}

static void put_gpu(struct buf *out, const struct record_gpu *gpu)
{
	put_comma(out);
	buf_char(out, '{');
	put_text(out, "entity", gpu->entity);
	put_text(out, "name", gpu->name);
	put_text(out, "uuid", gpu->uuid);
	put_texts(out, "rules", gpu->rules);
	buf_char(out, '}');
}

static void put_cause(struct buf *out, const struct record_cause *cause)
{
	put_comma(out);
	buf_char(out, '{');
	put_text(out, "rule", cause->rule);
	put_text(out, "label", cause->label);
	put_text(out, "rule_label", cause->rule_label);
	put_text(out, "severity", severity_name(cause->severity));
	put_integer(out, "lost_us", cause->lost_us);
	put_texts(out, "entities", cause->entities);
	buf_char(out, '}');
}

/* What only a run with a report has. */
static void put_account(struct buf *out, const struct record *record)
{
	put_time(out, "begin_ms", record->begin);
	put_time(out, "end_ms", record->end);
	if (record->is_log_time)
		put_text(out, "time_basis", LOG_TIME);
	put_text(out, "severity", record->severity);
	put_text(out, "verdict", record->verdict);
	put_texts(out, "hosts", record->hosts);
	put_key(out, "gpus");
	buf_char(out, '[');
	for (size_t i = 0; i < record->n_gpus; i++)
		put_gpu(out, &record->gpus[i]);
	buf_char(out, ']');
	put_integer(out, "gpu_us", record->gpu_us);
	put_integer(out, "normal_us", record->normal_us);
	put_integer(out, "lost_us", record->lost_us);
	put_integer(out, "suppressed_us", record->suppressed_us);
	put_integer(out, "overhead_us", record->overhead_us);
	put_integer(out, "no_log_us", record->no_log_us);
	put_key(out, "causes");
	buf_char(out, '[');
	for (size_t i = 0; i < record->n_causes; i++)
		put_cause(out, &record->causes[i]);
	buf_char(out, ']');
	if (record->hint)
		put_text(out, "hint", record->hint);
}

void record_write(struct buf *out, const struct record *record)
{
	buf_char(out, '{');
	put_text(out, "id", record->id);
	put_text(out, "key", record->key);
	put_text(out, "status", run_status_name(record->status));
	put_text(out, "why", record->why);
	put_text(out, "report", record->report);
	put_integer(out, "bytes", record->bytes);
	if (record_has_report(record))
		put_account(out, record);
	buf_char(out, '}');
}

/* ------------------------------------------------ reading */

struct record_reading {
	struct shared_names *names;
	struct arena *mem;
	const char *path;
	struct diags *diags;
};

static struct place place_of_value(const struct record_reading *r, const struct json *value)
{
	return (struct place){ r->path, value->line, value->column };
}

static const struct json *taken(const struct record_reading *r, const struct json *map, const char *key)
{
	const struct json *const value = json_get(map, key);

	if (!value)
		diag_at(r->diags, place_of_value(r, map), DIAG_RECORD, "no '%s'" NOT_USED, key);
	return value;
}

static bool refused(const struct record_reading *r, const struct json *value, const char *key, const char *wanted)
{
	return diag_at(r->diags, place_of_value(r, value), DIAG_RECORD, "'%s' is not %s" NOT_USED, key, wanted);
}

/* The reader of JSON cuts what is longer: such a text is not what was written. */
static bool kept_text(const struct record_reading *r, const struct json *value, const char *key, const char **out)
{
	if (value->kind != JSON_STRING)
		return refused(r, value, key, "a text");
	if (value->text.n >= RECORD_TEXT_MAX_BYTES)
		return diag_at(r->diags, place_of_value(r, value), DIAG_RECORD, "'%s' is longer than %zu bytes" NOT_USED, key,
			RECORD_TEXT_MAX_BYTES - 1);
	if (!slice_is_utf8(value->text))
		return refused(r, value, key, "UTF-8");
	*out = shared_name(r->names, value->text);
	return true;
}

static bool take_text(const struct record_reading *r, const struct json *map, const char *key, const char **out)
{
	const struct json *const value = taken(r, map, key);

	return value && kept_text(r, value, key, out);
}

static bool take_text_or_null(const struct record_reading *r, const struct json *map, const char *key, const char **out)
{
	const struct json *const value = taken(r, map, key);

	*out = NULL;
	return value && (value->kind == JSON_NULL || kept_text(r, value, key, out));
}

static bool take_count(const struct record_reading *r, const struct json *map, const char *key, int64_t *out)
{
	const struct json *const value = taken(r, map, key);

	if (!value)
		return false;
	if (value->kind != JSON_NUMBER || !integer_parse(value->text, out) || *out > RECORD_MOST_US)
		return refused(r, value, key, "a whole number from 0 to 2^53");
	return true;
}

/* Records of before it was told apart do without; it is a part of their overhead. */
static bool take_suppressed(const struct record_reading *r, const struct json *map, int64_t *out)
{
	static const char key[] = "suppressed_us";

	*out = 0;
	return !json_get(map, key) || take_count(r, map, key, out);
}

static bool take_time(const struct record_reading *r, const struct json *map, const char *key, time_ms *out)
{
	const struct json *const value = taken(r, map, key);

	*out = TIME_UNKNOWN;
	if (!value)
		return false;
	if (value->kind == JSON_NULL)
		return true;
	const bool is_negative = slice_starts(value->text, "-");
	const struct slice digits = { value->text.p + is_negative, value->text.n - is_negative };
	if (value->kind != JSON_NUMBER || !integer_parse(digits, out) || *out > RECORD_MOST_US)
		return refused(r, value, key, "a time in milliseconds");
	*out = is_negative ? -*out : *out;
	return true;
}

/* A list, and how many it has. */
static const struct json *take_list(const struct record_reading *r, const struct json *map, const char *key, size_t *n)
{
	const struct json *const list = taken(r, map, key);

	*n = 0;
	if (!list)
		return NULL;
	if (list->kind != JSON_LIST) {
		refused(r, list, key, "a list");
		return NULL;
	}
	for (const struct json *item = list->first; item; item = item->next)
		++*n;
	return list;
}

static bool take_texts(const struct record_reading *r, const struct json *map, const char *key, struct texts *out)
{
	size_t n, i = 0;
	const struct json *const list = take_list(r, map, key, &n);

	if (!list)
		return false;
	const char **const texts = NEW_ARRAY(r->mem, const char *, n);
	for (const struct json *item = list->first; item; item = item->next)
		if (!kept_text(r, item, key, &texts[i++]))
			return false;
	*out = (struct texts){ texts, n };
	return true;
}

static bool take_gpu(const struct record_reading *r, const struct json *map, struct record_gpu *gpu)
{
	if (map->kind != JSON_MAP)
		return refused(r, map, "gpus", "a list of maps");
	return take_text(r, map, "entity", &gpu->entity) && take_text_or_null(r, map, "name", &gpu->name) &&
	       take_text_or_null(r, map, "uuid", &gpu->uuid) && take_texts(r, map, "rules", &gpu->rules);
}

static bool take_gpus(const struct record_reading *r, const struct json *map, struct record *record)
{
	const struct json *const list = take_list(r, map, "gpus", &record->n_gpus);
	struct record_gpu *const gpus = NEW_ARRAY(r->mem, struct record_gpu, record->n_gpus), *next = gpus;

	record->gpus = gpus;
	if (!list)
		return false;
	for (const struct json *item = list->first; item; item = item->next)
		if (!take_gpu(r, item, next++))
			return false;
	return true;
}

static bool take_severity(const struct record_reading *r, const struct json *map, enum severity *severity)
{
	const struct json *const value = taken(r, map, "severity");

	if (!value)
		return false;
	if (value->kind == JSON_STRING && severity_find(value->text, severity))
		return true;
	return refused(r, value, "severity", "critical, warning or note");
}

/* Records of before it was told apart have one name for both. */
static bool take_rule_label(const struct record_reading *r, const struct json *map, struct record_cause *cause)
{
	static const char key[] = "rule_label";

	cause->rule_label = cause->label;
	return !json_get(map, key) || take_text(r, map, key, &cause->rule_label);
}

static bool take_cause(const struct record_reading *r, const struct json *map, struct record_cause *cause)
{
	if (map->kind != JSON_MAP)
		return refused(r, map, "causes", "a list of maps");
	return take_text(r, map, "rule", &cause->rule) && take_text(r, map, "label", &cause->label) && take_rule_label(r, map, cause) &&
	       take_severity(r, map, &cause->severity) && take_count(r, map, "lost_us", &cause->lost_us) &&
	       take_texts(r, map, "entities", &cause->entities);
}

static bool is_behind(const struct record_cause *cause, const struct record_cause *before)
{
	return before->lost_us > cause->lost_us || (before->lost_us == cause->lost_us && strcmp(before->rule, cause->rule) <= 0);
}

static bool take_causes(const struct record_reading *r, const struct json *map, struct record *record)
{
	const struct json *const list = take_list(r, map, "causes", &record->n_causes);
	struct record_cause *const causes = NEW_ARRAY(r->mem, struct record_cause, record->n_causes);
	int64_t left_us = record->lost_us;
	size_t i = 0;

	record->causes = causes;
	if (!list)
		return false;
	for (const struct json *item = list->first; item; item = item->next, i++) {
		if (!take_cause(r, item, &causes[i]))
			return false;
		if (i && !is_behind(&causes[i], &causes[i - 1]))
			return refused(r, item, "causes", "in order: most lost first, then by rule");
		left_us -= causes[i].lost_us;
		if (left_us < 0)
			return refused(r, item, "causes", "within 'lost_us'");
	}
	return true;
}

static bool take_verdict(const struct record_reading *r, const struct json *map, struct record *record)
{
	const struct json *const value = taken(r, map, "severity");

	if (!value || !kept_text(r, value, "severity", &record->severity))
		return false;
	if (!slice_is_among(value->text, severities, N_SEVERITIES))
		return refused(r, value, "severity", "critical, warning, note, healthy or unknown");
	return take_text(r, map, "verdict", &record->verdict);
}

static bool take_sums(const struct record_reading *r, const struct json *map, struct record *record)
{
	if (!(take_count(r, map, "gpu_us", &record->gpu_us) && take_count(r, map, "normal_us", &record->normal_us) &&
		    take_count(r, map, "lost_us", &record->lost_us) && take_suppressed(r, map, &record->suppressed_us) &&
		    take_count(r, map, "overhead_us", &record->overhead_us) && take_count(r, map, "no_log_us", &record->no_log_us)))
		return false;
	if (record->normal_us + record->lost_us + record->suppressed_us + record->overhead_us + record->no_log_us != record->gpu_us)
		return refused(r, json_get(map, "gpu_us"), "gpu_us", "the sum of its parts");
	return true;
}

static bool take_time_basis(const struct record_reading *r, const struct json *map, struct record *record)
{
	const struct json *const value = json_get(map, "time_basis");
	const bool is_text = value && value->kind == JSON_STRING;

	record->is_log_time = is_text && slice_is(value->text, LOG_TIME);
	return !value || record->is_log_time || (is_text && slice_is(value->text, "UTC")) ||
	       refused(r, value, "time_basis", "'UTC' or '" LOG_TIME "'");
}

static bool take_hint(const struct record_reading *r, const struct json *map, struct record *record)
{
	const struct json *const value = json_get(map, "hint");

	return !value || kept_text(r, value, "hint", &record->hint);
}

static bool take_account(const struct record_reading *r, const struct json *map, struct record *record)
{
	return take_time(r, map, "begin_ms", &record->begin) && take_time(r, map, "end_ms", &record->end) &&
	       take_time_basis(r, map, record) && take_verdict(r, map, record) && take_texts(r, map, "hosts", &record->hosts) &&
	       take_gpus(r, map, record) && take_sums(r, map, record) &&
	       take_causes(r, map, record) && take_hint(r, map, record);
}

static bool take_status(const struct record_reading *r, const struct json *map, enum run_status *status)
{
	const struct json *const value = taken(r, map, "status");

	if (!value)
		return false;
	for (*status = 0; *status < N_RUN_STATUSES; ++*status)
		if (value->kind == JSON_STRING && slice_is(value->text, run_status_name(*status)))
			return true;
	return refused(r, value, "status", "one that a run can have");
}

static bool take_record(const struct record_reading *r, const struct json *map, struct record *out)
{
	*out = (struct record){ .begin = TIME_UNKNOWN, .end = TIME_UNKNOWN };
	return take_text(r, map, "id", &out->id) && take_text(r, map, "key", &out->key) && take_status(r, map, &out->status) &&
	       take_text_or_null(r, map, "why", &out->why) && take_text_or_null(r, map, "report", &out->report) &&
	       take_count(r, map, "bytes", &out->bytes) && (!record_has_report(out) || take_account(r, map, out));
}

/* ------------------------------------------------ of one line */

static size_t give_bytes(void *of, char *to, size_t n)
{
	struct slice *const left = of;
	const size_t given = left->n < n ? left->n : n;

	if (given)
		memcpy(to, left->p, given);
	*left = (struct slice){ left->p + given, left->n - given };
	return given;
}

bool record_read(struct shared_names *names, struct slice line, struct place place, struct record *out, struct diags *diags)
{
	static const char *const whole[] = { "", NULL };
	const struct record_reading r = { names, names_memory(names), place.path, diags };
	struct lines lines;
	struct arena scratch;
	size_t which;
	bool good = false;

	arena_init(&scratch);
	lines_open_source(&lines, place.path, NULL, (struct byte_source){ give_bytes, &line });
	struct json_reader *const in = json_reader_new(&scratch, &lines, diags, whole);
	json_count_from(in, place.line);
	const struct json *map = json_next(in, &which);
	if (map)
		good = take_record(&r, map, out);
	else if (!json_n_damaged(in) && !json_is_cut(in))
		diag_at(diags, place, DIAG_RECORD, "an empty line where a record is expected");
	if (good && (map = json_next(in, &which)))
		good = diag_at(diags, place_of_value(&r, map), DIAG_RECORD, "a second record on the line");
	good = good && !json_n_damaged(in) && !json_is_cut(in);
	json_reader_release(in);
	lines_close(&lines);
	arena_release(&scratch);
	return good;
}
