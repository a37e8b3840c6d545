/*
 * hardware.c - which GPUs, and which hosts, a rule finds again and again.
 *
 * A card is known by its UUID, wherever it was built in, and by host and number where no log has one. Where all logs with a UUID tell of
 * one card at a place, those without one mean it, too; "node03" and "node03.cluster" are one place, unless there is a node03 elsewhere.
 * A rule that fires on a GPU in
 * several runs says something of the GPU only where it fires on others less often: a job that waits for its data does so on each card.
 * So a GPU is named with a rule that fired on it in three runs at least, four times as often as on all others together, and in those
 * runs on less than half of the GPUs beside it. Where there is no other GPU nothing is said of the only one: the causes say it.
 *
 * What befalls most GPUs of a host, its cooling or its power, is the host's. In each run it counts as one where the rule fired on two of
 * its GPUs at least, and on half of them; runs on one GPU of it tell nothing of the others. Else hosts are looked at as GPUs are.
 *
 * Of ten thousand cards some are struck three times by chance. So it must be rarer than that: if the rule fired on this card as it does on
 * others, on one fleet in twenty at most any card would be named with it (a binomial tail, times the number of cards: Bonferroni).
 */
#include "fleet/shared_names.h"
#include "fleet/tallies.h"

#include "metric/identity.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RUNS 3
#define TIMES_AS_OFTEN 4
#define BY_CHANCE 0.05 /* of a fleet in which no card is worse than others */

struct slot { /* "node03/gpu1", by the short name of its host */
	size_t card; /* with a UUID, if any is there; else the first without */
	const char *host;  /* its long name, or NULL */
	bool has_uuid, is_of_several; /* UUIDs or hosts */
};
struct card { /* by number of its name */
	const char *entity, *uuid, *name; /* as in the worst of the runs that tell its host, if any does */
	struct standing named;
	size_t n_runs, last_run;
	size_t slot;  /* from 1; 0: it has a UUID */
};
struct appearance { /* of a rule on a card */
	size_t card;
	const char *rule;
	size_t n_runs, last_run;
	size_t n_beside, of_beside; /* other GPUs of those runs: on which it fired, all */
};
struct rule_total {
	size_t n;        /* on how many GPUs of runs it fired */
	size_t n_in_run; /* of that run */
	size_t last_run;
};

struct cards {
	struct arena *mem;
	bool are_hosts; /* they stand for the hosts that GPUs are in */
	struct arena of_run;
	struct shared_names *names, *pairs, *rules, *shown, *slots;
	struct card *at;
	struct slot *all_slots; /* by number of their names */
	struct appearance *appearances;
	struct rule_total *totals; /* by number of the rule's name */
	size_t n, n_appearances, n_rules, n_slots;
	size_t n_gpus_of_runs;
};

static bool has_host(const char *entity)
{
	return strchr(entity, '/');
}

/* "gpu0" of a host that no log names may be any. */
static bool is_known(const struct record_gpu *gpu)
{
	return gpu->uuid || has_host(gpu->entity);
}

/* What tells a card apart in any run. */
static struct slice key_of(const struct record_gpu *gpu)
{
	return slice_of(gpu->uuid ? gpu->uuid : gpu->entity);
}

static const char *kept_name(struct cards *c, const char *name)
{
	return name ? shared_name(c->shown, slice_of(name)) : NULL;
}

/* Nobody finds "gpu3" without a host; of two that can be found, or can't, that of the worse run stands. */
static bool is_better_named(const struct record_gpu *gpu, struct standing run, const struct card *card)
{
	if (has_host(gpu->entity) != has_host(card->entity))
		return has_host(gpu->entity);
	return is_worse(run, card->named);
}

static size_t card_of(struct cards *c, const struct record_gpu *gpu, struct standing run)
{
	const size_t number = name_number(c->names, key_of(gpu));
	const bool is_new = number == c->n;

	if (is_new)
		c->at = arena_array_next(c->mem, c->at, c->n++, sizeof *c->at);
	if (!c->at)
		BUG("a card without a place");
	struct card *const card = &c->at[number];
	if (is_new || is_better_named(gpu, run, card)) {
		card->entity = kept_name(c, gpu->entity);
		card->uuid = kept_name(c, gpu->uuid);
		card->name = kept_name(c, gpu->name);
		card->named = run;
	}
	return number;
}

static struct slot *slot_of(struct cards *c, const char *entity, size_t card, size_t *number)
{
	const struct slice host = host_of_entity(entity), brief = host_short_name(host);

	*number = name_number(c->slots, slice_of(arena_print(&c->of_run, "%.*s%s", SLICE(brief), entity + host.n)));
	if (*number == c->n_slots) {
		c->all_slots = arena_array_next(c->mem, c->all_slots, c->n_slots, sizeof *c->all_slots);
		c->all_slots[c->n_slots++] = (struct slot){ .card = card };
	}
	if (!c->all_slots)
		BUG("a slot without a row");
	return &c->all_slots[*number];
}

static void note_slot(struct cards *c, const struct record_gpu *gpu, size_t card)
{
	size_t number;

	if (!has_host(gpu->entity))
		return;
	struct slot *const slot = slot_of(c, gpu->entity, card, &number);
	const struct slice host = host_of_entity(gpu->entity);
	if (host_short_name(host).n < host.n) {
		slot->is_of_several |= slot->host && !slice_is(host, slot->host);
		slot->host = slot->host ? slot->host : shared_name(c->shown, host);
	}
	if (!gpu->uuid) {
		c->at[card].slot = number + 1;
		return;
	}
	slot->is_of_several |= slot->has_uuid && slot->card != card;
	slot->card = card;
	slot->has_uuid = true;
}

static struct rule_total *total_of(struct cards *c, const char *rule)
{
	const size_t number = name_number(c->rules, slice_of(rule));

	if (number == c->n_rules) {
		c->totals = arena_array_next(c->mem, c->totals, c->n_rules, sizeof *c->totals);
		c->totals[c->n_rules++] = (struct rule_total){ 0 };
	}
	return &c->totals[number];
}

static void count_rule(struct cards *c, const char *rule, size_t run)
{
	struct rule_total *const total = total_of(c, rule);

	total->n++;
	total->n_in_run = total->last_run == run ? total->n_in_run + 1 : 1;
	total->last_run = run;
}

/* Rule and card in one name: ids have no line ends. */
static struct appearance *appearance_of(struct cards *c, size_t card, const char *rule)
{
	const size_t number = name_number(c->pairs, slice_of(arena_print(&c->of_run, "%s\n%zu", rule, card)));

	if (number == c->n_appearances) {
		c->appearances = arena_array_next(c->mem, c->appearances, c->n_appearances, sizeof *c->appearances);
		c->appearances[c->n_appearances++] = (struct appearance){ .card = card, .rule = kept_name(c, rule) };
	}
	if (!c->appearances)
		BUG("a name without what it is of");
	return &c->appearances[number];
}

static void count_appearance(struct cards *c, size_t card, const char *rule, size_t run, size_t n_gpus)
{
	struct appearance *const a = appearance_of(c, card, rule);

	if (a->last_run == run)
		return;
	a->last_run = run;
	a->n_runs++;
	a->n_beside += total_of(c, rule)->n_in_run - 1;
	a->of_beside += n_gpus - 1;
}

/* The cards of a run, each once; how many. */
static size_t cards_of_run(struct cards *c, const struct record *record, size_t run, const struct record_gpu **gpus, size_t *cards)
{
	size_t n = 0;

	for (size_t i = 0; i < record->n_gpus; i++) {
		if (!is_known(&record->gpus[i]))
			continue;
		const size_t card = card_of(c, &record->gpus[i], standing_of(record));
		note_slot(c, &record->gpus[i], card);
		if (c->at[card].last_run == run)
			continue;
		c->at[card].last_run = run;
		c->at[card].n_runs++;
		gpus[n] = &record->gpus[i];
		cards[n++] = card;
	}
	return n;
}

struct cards *cards_new(struct arena *mem, bool are_hosts)
{
	struct cards *const c = NEW(mem, struct cards);

	*c = (struct cards){ .mem = mem, .are_hosts = are_hosts, .names = shared_names_new(mem), .pairs = shared_names_new(mem),
		.rules = shared_names_new(mem), .shown = shared_names_new(mem), .slots = shared_names_new(mem) };
	arena_init(&c->of_run);
	return c;
}

/* How often a rule fired in the run has to be known before it can be said how often beside a card. */
static void add_run(struct cards *c, const struct record *record, size_t run)
{
	const struct record_gpu **const gpus = NEW_ARRAY(&c->of_run, const struct record_gpu *, record->n_gpus);
	size_t *const cards = NEW_ARRAY(&c->of_run, size_t, record->n_gpus);
	const size_t n = cards_of_run(c, record, run, gpus, cards);

	c->n_gpus_of_runs += n;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < gpus[i]->rules.n; k++)
			count_rule(c, gpus[i]->rules.at[k], run);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < gpus[i]->rules.n; k++)
			count_appearance(c, cards[i], gpus[i]->rules.at[k], run, n);
	arena_reset(&c->of_run);
}

/* ------------------------------------------------ hosts, as if each were a card */

#define LEAST_OF_HOST 2

/* Of GPUs [first, end) on how many the rule fired. */
static size_t count_struck(const struct record *r, size_t first, size_t end, const char *rule)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		n += texts_have(r->gpus[i].rules, rule);
	return n;
}

/* What fired on most of GPUs [first, end), those of a host. */
static struct texts rules_of_host(struct arena *mem, const struct record *r, size_t first, size_t end)
{
	const char **rules = NULL;
	size_t n_rules = 0;

	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < r->gpus[i].rules.n; k++) {
			const char *const rule = r->gpus[i].rules.at[k];
			const size_t n = count_struck(r, first, end, rule);
			if (n < LEAST_OF_HOST || 2 * n < end - first || texts_have((struct texts){ rules, n_rules }, rule))
				continue;
			rules = arena_array_next(mem, rules, n_rules, sizeof *rules);
			rules[n_rules++] = rule;
		}
	return (struct texts){ rules, n_rules };
}

/* Behind the GPUs from this one on that are on its host: they stand together. */
static size_t end_of_host(const struct record *r, size_t first)
{
	const struct slice host = host_of_entity(r->gpus[first].entity);
	size_t end = first + 1;

	while (end < r->n_gpus && slice_same(host_of_entity(r->gpus[end].entity), host))
		end++;
	return end;
}

/* "node03/" stands for the host: it is the place of all its GPUs. */
static struct record hosts_as_cards(struct arena *mem, const struct record *r)
{
	struct record_gpu *const hosts = NEW_ARRAY(mem, struct record_gpu, r->n_gpus);
	struct record as = *r;

	as.gpus = hosts;
	as.n_gpus = 0;
	for (size_t i = 0, end; i < r->n_gpus; i = end) {
		const struct slice host = host_of_entity(r->gpus[i].entity);
		end = end_of_host(r, i);
		if (!host.n || end - i < LEAST_OF_HOST)
			continue;
		hosts[as.n_gpus++] = (struct record_gpu){ .entity = arena_print(mem, "%.*s/", SLICE(host)),
			.rules = rules_of_host(mem, r, i, end) };
	}
	return as;
}

void cards_add(struct cards *c, const struct record *record, size_t run)
{
	struct arena mem;

	if (!c->are_hosts) {
		add_run(c, record, run);
		return;
	}
	arena_init(&mem);
	const struct record hosts = hosts_as_cards(&mem, record);
	add_run(c, &hosts, run);
	arena_release(&mem);
}

/* ------------------------------------------------ who keeps appearing */

static const char *copied(struct arena *mem, const char *text)
{
	return text ? arena_print(mem, "%s", text) : NULL;
}

static struct fleet_hardware hardware_of(const struct cards *c, const struct appearance *a)
{
	const struct card *const card = &c->at[a->card];
	const size_t n_in_all = c->totals[name_number(c->rules, slice_of(a->rule))].n;

	return (struct fleet_hardware){
		.is_host = c->are_hosts,
		.entity = card->entity,
		.uuid = card->uuid,
		.card = card->name,
		.rule = a->rule,
		.n_runs = a->n_runs,
		.of_runs = card->n_runs,
		.n_elsewhere = n_in_all - a->n_runs,
		.of_elsewhere = c->n_gpus_of_runs - card->n_runs,
	};
}

/* How probable n or more of N are, if one is with probability p, 0 < p < 1. */
static double binomial_tail(size_t n, size_t N, double p)
{
	double log_term = (double)n * log(p) + (double)(N - n) * log1p(-p), sum = 0;

	for (size_t i = 1; i <= n; i++)
		log_term += log((double)(N - n + i) / (double)i);
	double term = exp(log_term);
	for (size_t k = n; k < N && term > 0; k++) {
		sum += term;
		term *= (double)(N - k) / (double)(k + 1) * p / (1 - p);
	}
	return sum + term;
}

/* How often it fires elsewhere is taken from what was seen (Laplace's rule of succession: none of few is not never). */
static bool is_by_chance(const struct fleet_hardware *h, size_t n_cards)
{
	const double rate = ((double)h->n_elsewhere + 1) / ((double)h->of_elsewhere + 2);

	return binomial_tail(h->n_runs, h->of_runs, rate) * (double)n_cards > BY_CHANCE;
}

static bool keeps_appearing(const struct cards *c, const struct fleet_hardware *h, const struct appearance *a)
{
	return h->n_runs >= LEAST_RUNS && h->of_elsewhere && h->n_runs * h->of_elsewhere >= TIMES_AS_OFTEN * h->n_elsewhere * h->of_runs &&
	       (!a->of_beside || 2 * a->n_beside < a->of_beside) && !is_by_chance(h, c->n);
}

static int by_runs(const void *a, const void *b)
{
	const struct fleet_hardware *const x = a, *const y = b;

	if (x->n_runs != y->n_runs)
		return x->n_runs > y->n_runs ? -1 : 1;
	if (x->of_runs != y->of_runs)
		return x->of_runs < y->of_runs ? -1 : 1;
	const int order = strcmp(x->entity, y->entity), rules = strcmp(x->rule, y->rule);
	return order ? order : rules ? rules : strcmp(x->uuid ? x->uuid : "", y->uuid ? y->uuid : "");
}

/* The card that one without a UUID is: itself, where its place does not tell. */
static size_t card_meant(const struct cards *c, size_t card)
{
	const struct slot *const slot = c->at[card].slot ? &c->all_slots[c->at[card].slot - 1] : NULL;

	return slot && !slot->is_of_several ? slot->card : card;
}

static void join_cards(struct cards *c)
{
	const size_t n_appearances = c->n_appearances;

	for (size_t i = 0; i < n_appearances; i++) {
		const struct appearance one = c->appearances[i];
		const size_t card = card_meant(c, one.card);
		if (card == one.card)
			continue;
		struct appearance *const all = appearance_of(c, card, one.rule);
		all->n_runs += one.n_runs;
		all->n_beside += one.n_beside;
		all->of_beside += one.of_beside;
		c->appearances[i].n_runs = 0;
	}
	for (size_t i = 0; i < c->n; i++) {
		const size_t card = card_meant(c, i);
		if (card != i)
			c->at[card].n_runs += c->at[i].n_runs;
	}
}

void cards_end(struct cards *c, struct arena *mem, struct fleet *fleet)
{
	join_cards(c);
	struct fleet_hardware *hardware = (struct fleet_hardware *)fleet->hardware;

	for (size_t i = 0; i < c->n_appearances; i++) {
		struct fleet_hardware one = hardware_of(c, &c->appearances[i]);
		if (!keeps_appearing(c, &one, &c->appearances[i]))
			continue;
		one.entity = c->are_hosts ? arena_text(mem, one.entity, strlen(one.entity) - 1) : copied(mem, one.entity);
		one.uuid = copied(mem, one.uuid);
		one.card = copied(mem, one.card);
		one.rule = copied(mem, one.rule);
		one.label = label_of_cause(&fleet->causes, one.rule);
		hardware = arena_array_next(mem, hardware, fleet->n_hardware, sizeof *hardware);
		hardware[fleet->n_hardware++] = one;
	}
	if (hardware)
		qsort(hardware, fleet->n_hardware, sizeof *hardware, by_runs);
	fleet->hardware = hardware;
	arena_release(&c->of_run);
}
