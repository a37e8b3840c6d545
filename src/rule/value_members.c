/*
 * value_members.c - what a term is worth for the members of a set: all GPUs once for the run, those that are asked in some of the time, or
 * all where their sketches leave them open.
 */
#include "rule/value_parts.h"

#include "rule/open.h"

struct members members_room(struct arena *mem, size_t n)
{
	return (struct members){ NEW_RAW_ARRAY(mem, const struct entity *, n), NEW_RAW_ARRAY(mem, struct value, n), .n = 0 };
}

void members_add(struct members *m, const struct entity *who, struct value v)
{
	m->who[m->n] = who;
	m->values[m->n++] = v;
}

/* The store of the member's host, where members are of several. */
static struct store *host_store(struct store *host, struct store *above, enum scope scope, const struct entity *who)
{
	if (above->vantage.scope != SCOPE_RUN || scope == SCOPE_HOST)
		return above;
	store_open(host, above->plan, above, SCOPE_HOST, run_host(above->plan->run, who));
	return host;
}

/* ------ how much sketches leave open ------ */

/* From this much on, as a share of all that one member has, all members are looked at. */
#define LEAST_FOR_ALL 0.3
#define OF_A_STORE 16 /* blocks: what it takes to look at any time of a member */

#define NOT_SKETCHED SIZE_MAX

static bool is_little(const struct blocks *b, size_t n)
{
	return (double)n < LEAST_FOR_ALL * (double)b->n;
}

/* A track of the first GPU that a term looks at; NULL: there is none. GPUs of one run are logged alike. */
static const struct track *track_in(const struct run *run, const struct term *t)
{
	if (!t || !run->n_gpus)
		return NULL;
	if (t->kind == NODE_METRIC)
		return run_track(run, run->gpus[0], t->metric);
	const struct track *const left = track_in(run, t->left);
	return left ? left : track_in(run, t->right);
}

time_ms time_with_rows(const struct store *s, const struct term *t, const struct spans *only)
{
	const struct track *const track = track_in(s->plan->run, t);
	size_t n = 0;

	if (!track)
		return spans_length(*only);
	for (size_t i = 0; i < only->n; i++)
		n += track_seek(track, only->at[i].end) - track_seek(track, only->at[i].begin);
	return (time_ms)n * track->step;
}

static size_t count_open(const struct sketch *s, const struct blocks *b)
{
	size_t n = 0;

	for (size_t i = 0; i < (s->stride ? b->n : 1); i++)
		n += !is_decided(sketch_can(s, i));
	return s->stride ? n : n * b->n;
}

/* How many blocks of members it takes to look at all that is open of any. */
static size_t blocks_to_tell(const struct store *run, const struct term *t, struct entities who)
{
	const struct blocks *const b = &run->plan->blocks;
	const struct spans all = spans_one(&b->all);
	const size_t n_with_rows = (size_t)(time_with_rows(run, t, &all) / b->width) + 1;
	const size_t n_in_holes = b->n > n_with_rows ? b->n - n_with_rows : 0;
	size_t n = 0;

	if (!has_outlines(run->outlines, t))
		return NOT_SKETCHED;
	for (size_t i = 0; i < who.n; i++) {
		const struct sketch *const sketch = outline_of(run->outlines, who.at[i], t);
		const size_t n_open = sketch ? count_open(sketch, b) : 0;
		n += n_open ? (n_open > n_in_holes ? n_open - n_in_holes : 0) + OF_A_STORE : 0;
	}
	return n;
}

/* Is that little of each of them? Counted once for the run. */
static bool is_little_open(struct store *run, struct group *g)
{
	const struct entities who = entities_of(run->plan->run, SCOPE_GPU);

	if (!run->outlines || !who.n)
		return false;
	if (!g->has_counted)
		g->to_tell = blocks_to_tell(run, g->of, who);
	g->has_counted = true;
	return g->to_tell != NOT_SKETCHED && is_little(&run->plan->blocks, g->to_tell / who.n);
}

/* ------ terms of members ------ */

/* Terms of the members of a set, each member by itself: they can be looked at side by side. */
struct members_reading {
	struct store *above;
	enum reach reach;
	struct terms terms;
	struct firing *firing;
	struct entities who;
	struct value *values; /* of who[i] those of all terms, from i * terms.n on; */
	bool *is_member;      /* whether it is one, of each of them */
	struct store stores[WORKERS_MAX], hosts[WORKERS_MAX];
	struct arena kept[WORKERS_MAX];
	bool has_crew; /* the run's has nothing else to do */
	bool by_sketches; /* of a long run: conditions that look around are looked at where sketches leave them open */
};

/* Conditions alone: of a number what it lies in is asked for as well. */
static bool are_by_slices(const struct members_reading *r, struct arena *mem, struct store *member, struct terms terms, struct value *out)
{
	if (r->firing || !terms.n || !terms.at[0]->is_condition)
		return false;
	return lines_by_slices(mem, member, terms, spans_one(&r->above->plan->run->span), out);
}

/* The least of its folds. */
static double coverage_of(struct store *s, const struct term *t)
{
	if (!t)
		return 1;
	if (t->kind == NODE_FOLD)
		return value_of(s, t, NULL).coverage;
	return lesser(coverage_of(s, t->left), coverage_of(s, t->right));
}

/* Where sketches leave more open, as a share of all blocks, it costs less to look at all of the time. */
#define MOST_OPEN 0.6

/*
 * The sketch that a condition of this member is looked at by; NULL: all of the time is. Without windows that takes no more than a look at
 * each row, and costly folds are computed for all time anyway.
 */
static const struct sketch *sketch_to_look_by(const struct members_reading *r, const struct entity *who, const struct term *t)
{
	const struct blocks *const b = &r->above->plan->blocks;

	if (!r->by_sketches || !t->is_condition || !t->looks_around || t->has_costly_fold || hangs_on_begin(t))
		return NULL;
	const struct sketch *const sketch = outline_of(r->above->outlines, who, t);
	return sketch && (double)(count_open(sketch, b) + OF_A_STORE) <= MOST_OPEN * (double)b->n ? sketch : NULL;
}

bool folds_what_was_seen(const struct term *t)
{
	return t && ((t->kind == NODE_FOLD && t->min_coverage <= 0) || folds_what_was_seen(t->left) || folds_what_was_seen(t->right));
}

/* Who was not seen at all in that time has no part in it: a GPU that was gone by then takes no number from the others. */
static bool was_never_seen(const struct term *t, const struct value *v)
{
	return !t->is_condition && folds_what_was_seen(t) && !v->is_bounded && !signal_is_ever_known(v->number);
}

static void note_value(struct members_reading *r, size_t worker, size_t place, const struct term *t, struct value v)
{
	r->is_member[place] = !was_never_seen(t, &v);
	if (r->is_member[place])
		r->values[place] = value_kept(&r->kept[worker], v);
}

/* Of several terms, so that what they share is computed once. */
static void read_terms_of(struct members_reading *r, struct arena *scratch, struct store *member, size_t worker, size_t first_place)
{
	const struct terms all = r->terms;
	const struct sketch **const sketches = NEW_ARRAY(scratch, const struct sketch *, all.n);
	const struct term **const rest = NEW_ARRAY(scratch, const struct term *, all.n);
	struct value *const at_once = NEW_ARRAY(scratch, struct value, all.n);
	size_t n_rest = 0;

	for (size_t k = 0; k < all.n; k++) {
		r->is_member[first_place + k] = logs_have(r->above->plan->run, member->vantage.scope, member->vantage.entity, all.at[k]);
		sketches[k] = sketch_to_look_by(r, member->vantage.entity, all.at[k]);
		if (r->is_member[first_place + k] && !sketches[k])
			rest[n_rest++] = all.at[k];
	}
	const bool by_slices = are_by_slices(r, scratch, member, (struct terms){ rest, n_rest }, at_once);
	for (size_t k = 0, i = 0; k < all.n; k++) {
		const struct term *const t = all.at[k];
		if (sketches[k]) {
			struct value v = of_line(line_everywhere(scratch, member, t, sketches[k]));
			v.coverage = coverage_of(member, t);
			note_value(r, worker, first_place + k, t, v);
		} else if (r->is_member[first_place + k]) {
			note_value(r, worker, first_place + k, t, by_slices ? at_once[i] : value_of(member, t, r->firing));
			i++;
		}
		store_spend(member, t);
	}
}

static void read_terms(void *context, size_t worker, size_t job)
{
	struct members_reading *const r = context;
	struct store *const member = &r->stores[worker];
	struct arena scratch;

	member->above = host_store(&r->hosts[worker], r->above, reach_scope(r->reach), r->who.at[job]);
	if (member->above != r->above) /* the other one has it, and is looked at by others meanwhile */
		member->above->lock = member->lock;
	store_reopen(member, r->who.at[job]);
	arena_init(&scratch);
	read_terms_of(r, &scratch, member, worker, job * r->terms.n);
	arena_release(&scratch);
	if (member->above != r->above)
		store_release(member->above);
}

/*
 * The members' own stores live no longer than this: what it took to get there is given back at once. Of all GPUs of the run, of which
 * nobody else looks at anything meanwhile, several are looked at side by side where that takes longer than to start threads.
 */
static void read_members(struct members_reading *r, struct arena *mem)
{
	const struct run *const run = r->above->plan->run;
	const bool is_of_run = r->above->vantage.scope == SCOPE_RUN && reach_scope(r->reach) == SCOPE_GPU && !r->firing;
	const size_t n_started = is_of_run && !r->above->plan->values_are_small ? workers_count(r->who.n) : 1;
	const size_t n_workers = r->has_crew ? run_workers(run, r->who.n) : n_started;
	const unsigned *const uses = plan_uses_of(mem, r->above->plan, reach_scope(r->reach), r->terms);
	struct lock *const lock = n_workers > 1 ? lock_new() : NULL;

	for (size_t i = 0; i < n_workers; i++) {
		arena_init(&r->kept[i]);
		store_open(&r->stores[i], r->above->plan, r->above, reach_scope(r->reach), NULL);
		store_gives_back(&r->stores[i], uses);
		r->stores[i].lock = lock ? lock : r->above->lock;
	}
	if (r->has_crew)
		run_jobs_shared(run, r->who.n, read_terms, r);
	else
		workers_run(n_workers, r->who.n, read_terms, r);
	for (size_t i = 0; i < n_workers; i++) {
		store_release(&r->stores[i]);
		arena_adopt(mem, &r->kept[i]);
	}
	if (lock)
		lock_free(lock);
}

/* all[k] becomes that of terms[k] of the reading, of which it is known what is to be read. */
static void members_of_all(struct arena *mem, const struct members_reading *known, struct members *all)
{
	struct members_reading *const r = NEW(mem, struct members_reading);
	const struct terms terms = known->terms;

	*r = *known;
	r->by_sketches = r->above->outlines && !r->firing && !r->above->plan->values_are_small;
	r->who = vantage_members(mem, &r->above->vantage, r->reach);
	const size_t n_places = r->who.n * terms.n;
	r->values = NEW_ARRAY(mem, struct value, n_places);
	r->is_member = NEW_ARRAY(mem, bool, n_places);
	if (r->who.n)
		read_members(r, mem);
	for (size_t k = 0; k < terms.n; k++) {
		all[k] = members_room(mem, r->who.n);
		for (size_t i = 0; i < r->who.n; i++)
			if (r->is_member[i * terms.n + k])
				members_add(&all[k], r->who.at[i], r->values[i * terms.n + k]);
	}
}

static struct members members_of(struct arena *mem, struct store *above, enum reach reach, const struct term *t, struct firing *f)
{
	struct members all;

	members_of_all(mem, &(struct members_reading){ .above = above, .reach = reach, .terms = { &t, 1 }, .firing = f }, &all);
	return all;
}

/* Of a metric itself: each member looks at its own track alone, so that all can be read side by side. */
struct metric_reading {
	struct store *run;
	const struct term *term;
	struct entities all;
	struct value *values;
	struct arena kept[WORKERS_MAX];
};

static void read_member(void *context, size_t worker, size_t job)
{
	struct metric_reading *const r = context;
	const struct vantage v = vantage_of(r->run->plan->run, SCOPE_GPU, r->all.at[job]);
	const struct track *const track = vantage_track(&v, r->term->metric);

	if (track)
		r->values[job] = of_number(whole_track(&r->kept[worker], track, all_time(r->run)));
}

static struct members metric_of_all(struct store *run, struct arena *mem, const struct term *t)
{
	struct metric_reading r = { .run = run, .term = t, .all = vantage_members(mem, &run->vantage, REACH_ALL_GPUS) };
	struct members m = members_room(mem, r.all.n);

	r.values = NEW_ARRAY(mem, struct value, r.all.n);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&r.kept[i]);
	run_jobs(run->plan->run, r.all.n, read_member, &r);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_adopt(mem, &r.kept[i]);
	for (size_t i = 0; i < r.all.n; i++)
		if (logs_have(run->plan->run, SCOPE_GPU, r.all.at[i], t))
			members_add(&m, r.all.at[i], r.values[i]);
	return m;
}

static struct group *group_of_term(const struct store *run, const struct term *t)
{
	struct group *g = run->groups;

	while (g && g->of != t)
		g = g->next;
	return g;
}

static struct group *group_found(struct store *run, const struct term *t)
{
	struct group *const found = group_of_term(run, t);

	if (found)
		return found;
	struct group *const g = NEW(&run->mem, struct group);
	*g = (struct group){ .next = run->groups, .of = t };
	arena_init(&g->mem);
	run->groups = g;
	return g;
}

/* Who they are and what is known of each stays for the run. */
static struct members members_listed(struct arena *mem, struct members m)
{
	struct members listed = members_room(mem, m.n);

	for (size_t i = 0; i < m.n; i++)
		members_add(&listed, m.who[i], m.values[i]);
	return listed;
}

/* ------ conditions of all of them ------ */

/* Does a sketch leave it open for any GPU? Of what is decided for all of them nobody asks for a line, mostly. */
static bool is_open_for_any(const struct store *run, const struct term *t)
{
	const struct entities all = entities_of(run->plan->run, SCOPE_GPU);
	bool is_open = !run->outlines || !has_outlines(run->outlines, t);

	for (size_t i = 0; i < all.n && !is_open; i++) {
		const struct sketch *const sketch = outline_of(run->outlines, all.at[i], t);
		is_open = sketch && count_open(sketch, &run->plan->blocks) > 0;
	}
	return is_open;
}

/*
 * All conditions of others that the rules ask for, with the one that was, if one was: they have much in common, and their lines are short.
 * None asks for another, since no 'of' stands inside of an 'of'. Of which sketches leave little open that is looked at when it is asked for
 * (told_of_all()).
 */
static struct terms conditions_of_others(struct arena *mem, struct store *run, const struct term *asked)
{
	const struct plan *const p = run->plan;
	const struct term **const at = NEW_ARRAY(mem, const struct term *, p->n_terms);
	size_t n = 0;

	for (size_t i = 0; i < p->n_terms; i++) {
		const struct term *const t = p->terms[i];
		if (!t->is_asked_of_others || (t != asked && !is_open_for_any(run, t)))
			continue;
		struct group *const g = group_found(run, t);
		if (!g->has_values && (t == asked || !is_little_open(run, g)))
			at[n++] = t;
	}
	return (struct terms){ at, n };
}

static void groups_of_conditions(struct store *run, const struct term *asked, bool has_crew)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct terms terms = conditions_of_others(&scratch, run, asked);
	struct members *const all = NEW_ARRAY(&scratch, struct members, terms.n);
	const struct members_reading of_all = { .above = run, .reach = REACH_ALL_GPUS, .terms = terms, .has_crew = has_crew };
	if (terms.n)
		members_of_all(&scratch, &of_all, all);
	for (size_t k = 0; k < terms.n; k++) {
		struct group *const g = group_found(run, terms.at[k]);
		g->all = members_listed(&run->mem, all[k]);
		for (size_t i = 0; i < g->all.n; i++)
			g->all.values[i] = value_kept(&g->mem, g->all.values[i]);
		g->has_values = true;
	}
	arena_release(&scratch);
}

void conditions_foretell(struct store *run)
{
	if (run->plan->run->crew && run->plan->values_are_small)
		groups_of_conditions(run, NULL, true);
}

struct group *group_of(struct store *run, const struct term *t)
{
	struct group *const g = group_found(run, t);

	if (g->has_values)
		return g;
	if (t->is_condition)
		groups_of_conditions(run, t, false);
	if (g->has_values)
		return g;
	g->all = members_listed(&run->mem,
		t->kind == NODE_METRIC ? metric_of_all(run, &g->mem, t) : members_of(&g->mem, run, REACH_ALL_GPUS, t, NULL));
	g->has_values = true;
	return g;
}

/* What the term is worth for the store's GPU, if all were asked and it was not given back; NULL else. Between shared_take() and _give(). */
static const struct value *value_told(struct store *s, const struct term *t)
{
	const struct group *const g = group_of_term(store_at(s, SCOPE_RUN), t);

	for (size_t i = 0; g && g->has_values && i < g->all.n; i++)
		if (g->all.who[i] == s->vantage.entity)
			return &g->all.values[i];
	return NULL;
}

bool line_told(struct store *s, struct arena *mem, const struct term *t, struct truths *out)
{
	if (!t->is_asked_of_others)
		return false;
	shared_take(s);
	const struct value *const told = value_told(s, t);
	if (told)
		*out = truths_kept(mem, told->line);
	shared_give(s);
	return told != NULL;
}

bool number_told(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	if (!has_sketches(s) || s->only || t->needs_firing)
		return false;
	shared_take(s);
	const struct value *const told = value_told(s, t);
	if (told)
		*out = value_kept(mem, *told);
	shared_give(s);
	return told != NULL;
}

static struct group *everyone(struct store *s, const struct term *t)
{
	shared_take(s);
	struct group *const g = group_of(store_at(s, SCOPE_RUN), t);
	g->is_looked_at = true;
	shared_give(s);
	return g;
}

/* Does the sketch decide all blocks in this time? Then it is its line there. */
static bool is_decided_in(const struct sketch *s, const struct blocks *b, const struct spans *only)
{
	for (size_t i = 0; i < only->n; i++)
		for (size_t k = block_at(b, only->at[i].begin); k <= block_at(b, only->at[i].end - 1); k++)
			if (!is_decided(sketch_can(s, k)))
				return false;
	return true;
}

void member_open(struct member_stores *m, struct store *s, enum scope scope, const struct entity *who, struct lock *lock)
{
	store_open(&m->host, s->plan, store_at(s, SCOPE_RUN), SCOPE_HOST, run_host(s->plan->run, who));
	m->host.lock = lock; /* the run's own is for those who judge hosts */
	store_open(&m->own, s->plan, &m->host, scope, who);
}

void member_release(struct member_stores *m)
{
	store_release(&m->own);
	store_release(&m->host);
}

static struct value asked_of_member(struct store *s, struct arena *mem, const struct term *t, const struct entity *who)
{
	const struct sketch *const sketch = outline_of(s->outlines, who, t);
	struct member_stores member;

	if (is_decided_in(sketch, &s->plan->blocks, s->only))
		return of_line(sketch_line(mem, sketch, &s->plan->blocks, all_time(s)));
	member_open(&member, s, SCOPE_GPU, who, s->lock);
	const struct truths line = line_by_sketch(mem, &member.own, t, sketch, *s->only);
	member_release(&member);
	return of_line(line);
}

/* How many blocks of members it takes to look at those that are open in this time; of more than it pays to look at no more are counted. */
static size_t blocks_to_ask(const struct store *s, const struct term *t, struct entities who)
{
	const struct blocks *const b = &s->plan->blocks;
	const size_t of_each = (size_t)(time_with_rows(s, t, s->only) / b->width) + 1 + OF_A_STORE;
	size_t n = 0;

	if (!has_outlines(s->outlines, t))
		return NOT_SKETCHED;
	for (size_t i = 0; i < who.n && is_little(b, n); i++) {
		const struct sketch *const sketch = outline_of(s->outlines, who.at[i], t);
		n += sketch && !is_decided_in(sketch, b, s->only) ? of_each : 0;
	}
	return n;
}

/* Conditions of the others in some of the time. Nobody is looked at whose sketch decides it. */
static struct members others_asked(struct store *s, struct arena *scratch, const struct term *t, struct entities who)
{
	struct members m = members_room(scratch, who.n);

	for (size_t i = 0; i < who.n; i++)
		if (outline_of(s->outlines, who.at[i], t))
			members_add(&m, who.at[i], asked_of_member(s, scratch, t, who.at[i]));
	return m;
}

/* ------ for narrow stores: of all GPUs, where their sketches leave them open ------ */

/*
 * At the begin of work all GPUs are open, and each asks for all others, in several rules: of each so much is looked at once for the run,
 * unless it is much, or more than if each of them had some of the time looked at for itself.
 */
static bool pays_to_tell(struct store *run, struct group *g, struct entities who, size_t to_ask)
{
	return is_little_open(run, g) && (!is_little(&run->plan->blocks, to_ask) || g->to_tell <= to_ask * who.n);
}

static struct members tell_all(struct store *run, const struct term *t, struct entities who)
{
	struct members m = members_room(&run->mem, who.n);

	for (size_t i = 0; i < who.n; i++) {
		const struct sketch *const sketch = outline_of(run->outlines, who.at[i], t);
		struct member_stores member;
		if (!sketch)
			continue;
		member_open(&member, run, SCOPE_GPU, who.at[i], NULL);
		members_add(&m, who.at[i], of_line(line_by_sketch(&run->mem, &member.own, t, sketch, spans_one(&run->plan->blocks.all))));
		member_release(&member);
	}
	return m;
}

/* Their lines, right in judged time; n 0: all of the time is known already, or it does not pay to look at all that is open. */
static struct members told_of_all(struct store *s, struct arena *scratch, const struct term *t, struct entities rest)
{
	struct members told = { .n = 0 };

	shared_take(s);
	struct store *const run = store_at(s, SCOPE_RUN);
	struct group *const g = group_found(run, t);
	const bool is_known = g->has_values || g->told.n;
	const struct entities all = is_known ? rest : vantage_members(scratch, &s->vantage, REACH_ALL_GPUS);
	if (!is_known && pays_to_tell(run, g, all, blocks_to_ask(s, t, rest)))
		g->told = tell_all(run, t, all);
	if (!g->has_values)
		told = g->told;
	shared_give(s);
	return told;
}

static struct members but_own(const struct store *s, struct arena *scratch, struct members all)
{
	struct members m = members_room(scratch, all.n);

	for (size_t i = 0; i < all.n; i++) {
		if (all.who[i] == s->vantage.entity)
			continue;
		members_add(&m, all.who[i], value_in_slice(s, all.values[i]));
	}
	return m;
}

static struct members others(struct store *s, struct arena *scratch, const struct term *t, struct firing *f)
{
	if (t->needs_firing)
		return but_own(s, scratch, members_of(scratch, store_at(s, SCOPE_RUN), REACH_ALL_GPUS, t->left, f));
	if (s->only && s->outlines && !s->is_slice) {
		const struct entities rest = vantage_members(scratch, &s->vantage, REACH_OTHER_GPUS);
		const struct members told = told_of_all(s, scratch, t->left, rest);
		if (told.n)
			return but_own(s, scratch, told);
		if (is_little(&s->plan->blocks, blocks_to_ask(s, t->left, rest)))
			return others_asked(s, scratch, t->left, rest);
	}
	struct group *const g = everyone(s, t->left);
	if (t->left->is_condition && (t->fold == FOLD_ANY || t->fold == FOLD_ALL))
		return (struct members){ .rest_of = g };
	return but_own(s, scratch, g->all);
}

struct members set_members(struct store *s, struct arena *scratch, const struct term *t, struct firing *f)
{
	if (t->reach == REACH_OTHER_GPUS)
		return others(s, scratch, t, f);
	struct store *const level = store_at(s, reach_level(t->reach));
	return members_of(scratch, level->full ? level->full : level, t->reach, t->left, f); /* each of them looks at all of the time */
}
