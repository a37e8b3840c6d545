/*
 * run_record_laws.c - a record that was written and read is the same; of a line that was cut or damaged nothing is taken in silence.
 */
#include "laws.h"

#include "made_records.h"

static const char *line_of(struct arena *mem, const struct record *record)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	record_write(&out, record);
	const char *const line = arena_text(mem, out.at, out.n);
	buf_release(&out);
	return line;
}

static struct record any_record(struct random *r, struct arena *mem)
{
	const enum made made = random_below(r, 2) ? MADE_HOSTILE : MADE_COMMON;
	const size_t i = (size_t)random_below(r, 1000);

	return record_made(r, mem, made, i);
}

/* How many complaints there are; below 0: the record is taken. */
static int complaints_about(struct arena *mem, struct slice line, struct record *out)
{
	struct diags diags;

	diags_init(&diags, mem);
	const bool good = record_read(shared_names_new(mem), line, (struct place){ "index.jsonl", 7, 0 }, out, &diags);
	const int n = (int)diags.n;
	diags_release(&diags);
	return good ? -1 - n : n;
}

static bool is_same_text(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool are_same_texts(struct texts a, struct texts b)
{
	bool same = a.n == b.n;

	for (size_t i = 0; same && i < a.n; i++)
		same = is_same_text(a.at[i], b.at[i]);
	return same;
}

static bool are_same_gpus(const struct record *a, const struct record *b)
{
	bool same = a->n_gpus == b->n_gpus;

	for (size_t i = 0; same && i < a->n_gpus; i++)
		same = is_same_text(a->gpus[i].entity, b->gpus[i].entity) && is_same_text(a->gpus[i].name, b->gpus[i].name) &&
		       is_same_text(a->gpus[i].uuid, b->gpus[i].uuid) && are_same_texts(a->gpus[i].rules, b->gpus[i].rules);
	return same;
}

static bool are_same_causes(const struct record *a, const struct record *b)
{
	bool same = a->n_causes == b->n_causes;

	for (size_t i = 0; same && i < a->n_causes; i++) {
		const struct record_cause *const x = &a->causes[i], *const y = &b->causes[i];
		same = is_same_text(x->rule, y->rule) && is_same_text(x->label, y->label) && x->severity == y->severity &&
		       x->lost_us == y->lost_us && are_same_texts(x->entities, y->entities);
	}
	return same;
}

static bool are_same(const struct record *a, const struct record *b)
{
	return is_same_text(a->id, b->id) && is_same_text(a->key, b->key) && a->status == b->status && is_same_text(a->why, b->why) &&
	       is_same_text(a->report, b->report) && a->bytes == b->bytes && a->begin == b->begin && a->end == b->end &&
	       a->is_log_time == b->is_log_time && is_same_text(a->severity, b->severity) && is_same_text(a->verdict, b->verdict) &&
	       are_same_texts(a->hosts, b->hosts) &&
	       are_same_gpus(a, b) && a->gpu_us == b->gpu_us && a->normal_us == b->normal_us && a->lost_us == b->lost_us &&
	       a->suppressed_us == b->suppressed_us && a->overhead_us == b->overhead_us && a->no_log_us == b->no_log_us && are_same_causes(a, b);
}

/* Texts that are no UTF-8 become it by the first round. */
static bool written_and_read_is_the_same(struct random *r, struct arena *mem)
{
	const struct record made = any_record(r, mem);
	const char *const line = line_of(mem, &made);
	struct record first, second;

	if (strchr(line, '\n') || complaints_about(mem, slice_of(line), &first) != -1 || strcmp(line_of(mem, &first), line) != 0)
		return false;
	if (complaints_about(mem, slice_of(line), &second) != -1 || !are_same(&first, &second))
		return false;
	for (size_t i = 0; i < N_MADE_HOSTILE; i++)
		if (!slice_is_utf8(slice_of(made_hostile[i])) && strstr(line, made_hostile[i]))
			return false;
	return slice_is_utf8(slice_of(made.id)) ? is_same_text(made.id, first.id) && made.bytes == first.bytes : true;
}

static bool common_records_come_back_as_they_were(struct random *r, struct arena *mem)
{
	const struct record made = record_made(r, mem, MADE_COMMON, 1);
	struct record read;

	return complaints_about(mem, slice_of(line_of(mem, &made)), &read) == -1 && are_same(&made, &read);
}

static bool cut_lines_are_refused(struct random *r, struct arena *mem)
{
	const struct record made = any_record(r, mem);
	const struct slice line = slice_of(line_of(mem, &made));
	struct record read;

	return complaints_about(mem, (struct slice){ line.p, (size_t)random_below(r, (int)line.n) }, &read) > 0;
}

/* One byte is another one: then it is told, or what was read is a record as whole as any. */
static bool damage_is_told_or_harmless(struct random *r, struct arena *mem)
{
	const struct record made = any_record(r, mem);
	const struct slice line = slice_of(line_of(mem, &made));
	char *const damaged = arena_text(mem, line.p, line.n);
	struct record read, again;

	damaged[random_below(r, (int)line.n)] = (char)random_bits(r);
	const int n = complaints_about(mem, (struct slice){ damaged, line.n }, &read);
	if (n >= 0)
		return n > 0;
	return n == -1 && complaints_about(mem, slice_of(line_of(mem, &read)), &again) == -1 && are_same(&read, &again);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(written_and_read_is_the_same, 50),
		LAW_ONE_IN(common_records_come_back_as_they_were, 50),
		LAW_ONE_IN(cut_lines_are_refused, 50),
		LAW_ONE_IN(damage_is_told_or_harmless, 20),
	};

	return laws_check(laws, sizeof laws / sizeof *laws, argc, argv);
}
