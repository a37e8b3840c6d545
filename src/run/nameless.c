/*
 * nameless.c - logs that name no GPU: is each of one of its own?
 *
 *     nvidia-smi -i 0 --query-gpu=timestamp,utilization.gpu -f gpu0.csv     gpu0.csv and gpu1.csv: GPU 0 and GPU 1
 *     nvidia-smi -i 1 --query-gpu=timestamp,utilization.gpu -f gpu1.csv
 *     a.csv at 600 W, b.csv at 120 W, at the same time                      two GPUs, in the order of their names
 *     smi.csv, and again smi-2.csv, at much the same                        one GPU, logged twice: choice.c
 *
 * Without a name all such logs of a host would be of its one GPU. Two of them are not where they log side by side, and differ in a
 * number that counts GPUs, or in what they show by more than two looks at one GPU do.
 */
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>

struct nameless { /* of a recording: its only channel, or the only one of a GPU */
	struct recording *recording;
	struct channel *channel;
	size_t source;
	int gpu;    /* among those that it can't be one with */
	int number; /* by its name; -1: that has none */
};

static int by_host_and_name(const void *a, const void *b)
{
	const struct nameless *const x = a, *const y = b;
	const int hosts = strcmp(x->channel->entity.host, y->channel->entity.host);
	const int names = strcmp(x->recording->name, y->recording->name);

	return hosts ? hosts : names ? names : (x->source > y->source) - (x->source < y->source);
}

static struct nameless *nameless_logs(struct run *run, size_t *n)
{
	struct nameless *const all = NEW_ARRAY(run->mem, struct nameless, run->n_recordings);

	*n = 0;
	for (size_t r = 0; r + run->n_sides < run->n_recordings; r++) {
		struct recording *const rec = run->recordings[r];
		struct channel *only = NULL;
		size_t n_gpus = 0;
		for (size_t i = 0; i < rec->n_channels; i++) {
			const bool is_gpu = rec->channels[i].entity.scope == SCOPE_GPU;
			n_gpus += is_gpu;
			only = is_gpu ? &rec->channels[i] : only;
		}
		if (rec->names_no_gpu && n_gpus == 1)
			all[(*n)++] = (struct nameless){ rec, only, r, 0, -1 };
	}
	if (*n)
		qsort(all, *n, sizeof *all, by_host_and_name);
	return all;
}

/* Who numbers logs by GPU: "gpu0.csv", "nvidia-smi-0.csv", "rank0/gpu.csv"; or by nothing else: "0.csv". */
static bool counts_gpus(struct slice word)
{
	static const char *const words[] = { "", "gpu", "card", "device", "dev", "cuda", "slot", "smi", "rank" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (slice_is_nocase(word, words[i]))
			return true;
	return false;
}

/* The number in `a` that tells it from `b` as another GPU; -1: their names don't. "gpu_1s.csv" is a log of each second. */
static int number_beside(const struct nameless *a, const struct nameless *b)
{
	const struct slice name = slice_of(a->recording->name);
	struct slice word, number;
	int value = 0;

	if (!names_differ_in_number(name, slice_of(b->recording->name), &word, &number) || !counts_gpus(word))
		return -1;
	const bool is_unit = number.p + number.n < name.p + name.n && is_letter(number.p[number.n]);
	const bool is_alone = number.p == name.p || number.p[-1] == '/';
	if (number.n > 3 || is_unit || (!word.n && !is_alone))
		return -1;
	for (size_t i = 0; i < number.n; i++)
		value = value * 10 + (number.p[i] - '0');
	return value;
}

/* Two looks at one GPU differ by less: a share of the greater one, and so much in the metric's unit. */
static const struct difference {
	enum metric metric;
	double share, least;
} differences[] = {
	{ METRIC_GPU_MEM_TOTAL, 0.01, 1 },
	{ METRIC_GPU_MEM_USED, 0.05, 256 },
	{ METRIC_GPU_POWER, 0.1, 20 },
	{ METRIC_GPU_TEMP, 0, 2 }, /* it changes slowly: two looks see the same */
	{ METRIC_GPU_UTIL, 0, 15 },
};
#define SAMPLES_LEAST 30
#define KNOWN_LEAST 0.8 /* of the time that both log */

/* The mean in the span; NAN where too little is known of it. */
static double mean_in(const struct channel *c, enum metric metric, struct span span)
{
	const struct column *const column = channel_column(c, metric);

	if (!column || c->n_rows < SAMPLES_LEAST)
		return NAN;
	const struct track t = logged_track(&(struct logged){ 0, &c->entity, c, column });
	const struct stats stats = track_means(&t, (struct spans){ &span, 1 });
	return (double)stats.known >= KNOWN_LEAST * (double)(span.end - span.begin) ? stats.mean : NAN;
}

static bool means_differ(const struct channel *a, const struct channel *b)
{
	const struct span both = { later(channel_time(a, 0), channel_time(b, 0)), sooner(channel_end(a), channel_end(b)) };

	if (a->step * 5 > b->step * 6 || b->step * 5 > a->step * 6) /* a rhythm of the work may look otherwise at another step */
		return false;
	for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
		const double x = mean_in(a, differences[i].metric, both), y = mean_in(b, differences[i].metric, both);
		if (fabs(x - y) > fmax(differences[i].least, differences[i].share * fmax(x, y)))
			return true;
	}
	return false;
}

#define MOST_SHARED 0.5 /* of the shorter log: one that goes on in the next file shares less with it */

static bool are_side_by_side(const struct channel *a, const struct channel *b)
{
	const struct span of_a = { channel_time(a, 0), channel_end(a) }, of_b = { channel_time(b, 0), channel_end(b) };

	return span_overlap(of_a, of_b) >= MOST_SHARED;
}

bool channels_show_two_gpus(const struct channel *a, const struct channel *b)
{
	return are_side_by_side(a, b) && means_differ(a, b);
}

/* Of one host. */
static bool are_of_two(struct nameless *a, struct nameless *b)
{
	const struct entity *const x = &a->channel->entity, *const y = &b->channel->entity;

	if (a->recording->format != b->recording->format || !are_side_by_side(a->channel, b->channel))
		return false;
	const int number = number_beside(a, b), other = number_beside(b, a);
	if (number >= 0 && other >= 0) {
		a->number = number;
		b->number = other;
		return true;
	}
	return (x->name && y->name && strcmp(x->name, y->name) != 0) || means_differ(a->channel, b->channel);
}

/* Each gets the first GPU that it can be of: that of none before it that it can't be one with. How many GPUs there are. */
static int tell_apart(struct nameless *all, size_t n)
{
	int n_gpus = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_taken = true;
		for (all[i].gpu = 0; is_taken; all[i].gpu += is_taken) {
			is_taken = false;
			for (size_t k = 0; k < i; k++)
				is_taken |= all[k].gpu == all[i].gpu && are_of_two(&all[k], &all[i]);
		}
		n_gpus = all[i].gpu + 1 > n_gpus ? all[i].gpu + 1 : n_gpus;
	}
	return n_gpus;
}

/* Has each GPU a number of its own by the names of its logs? */
static bool are_numbered(const struct nameless *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (all[i].number < 0)
			return false;
		for (size_t k = 0; k < i; k++)
			if ((all[i].number == all[k].number) != (all[i].gpu == all[k].gpu))
				return false;
	}
	return true;
}

/* Another log names GPUs of the host: then a number of ours would be one of theirs. */
static bool are_others_named(const struct run *run, const char *host)
{
	for (size_t r = 0; r + run->n_sides < run->n_recordings; r++)
		for (size_t i = 0; i < run->recordings[r]->n_channels && !run->recordings[r]->names_no_gpu; i++) {
			const struct entity *const e = &run->recordings[r]->channels[i].entity;
			if (e->scope == SCOPE_GPU && strcmp(e->host, host) == 0)
				return true;
		}
	return false;
}

#define MOST_TOLD ((size_t)8)

static void tell(struct run *run, const struct nameless *all, size_t n, bool by_names)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < MOST_TOLD; i++)
		text = arena_print(run->mem, "%s%s%s is GPU %d", text, i ? ", " : "", all[i].recording->name, all[i].channel->entity.index);
	run_note(run, "Input", "%zu logs name no GPU and log side by side; they are taken for GPUs of their own %s: %s%s. A column index "
		"would tell (nvidia-smi --query-gpu=index).", n,
		by_names ? "by their names" : "since they show what one GPU does not at once", text, n > MOST_TOLD ? ", and so on" : "");
}

/* Those of one host. */
static void number_of_host(struct run *run, struct nameless *all, size_t n)
{
	if (tell_apart(all, n) < 2)
		return;
	const bool by_names = are_numbered(all, n);
	if (!by_names && are_others_named(run, all[0].channel->entity.host))
		return;
	for (size_t i = 0; i < n; i++) {
		struct recording *const rec = all[i].recording;
		const int number = by_names ? all[i].number : all[i].gpu;
		all[i].channel->entity.index = number;
		for (size_t k = 0; k < rec->n_events; k++)
			if (rec->events[k].entity.scope == SCOPE_GPU)
				rec->events[k].entity.index = number;
	}
	tell(run, all, n, by_names);
}

void nameless_number(struct run *run)
{
	size_t n;
	struct nameless *const all = nameless_logs(run, &n);

	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && strcmp(all[end].channel->entity.host, all[begin].channel->entity.host) == 0; end++)
			;
		number_of_host(run, all + begin, end - begin);
	}
}
