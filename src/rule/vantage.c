/* vantage.c - who is meant by the names of a rule that is judged on one entity. */
#include "rule/vantage.h"

struct vantage vantage_of(const struct run *run, enum scope scope, const struct entity *entity)
{
	return (struct vantage){
		.run = run,
		.scope = scope,
		.entity = entity,
		.host = scope == SCOPE_HOST ? entity : run_host(run, entity),
	};
}

static const struct entity *entity_for(const struct vantage *v, enum scope scope)
{
	switch (scope) {
	case SCOPE_GPU:
	case SCOPE_CORE:
		return v->scope == scope ? v->entity : NULL;
	case SCOPE_RUN:
		return run_job(v->run);
	case SCOPE_HOST:
		break;
	}
	return v->host;
}

const struct track *vantage_track(const struct vantage *v, enum metric metric)
{
	const struct entity *e = entity_for(v, metric_table[metric].scope);

	return e ? run_track(v->run, e, metric) : NULL;
}

enum reach reach_of(const struct run *run, enum member_set set, enum scope from)
{
	switch (set) {
	case SET_CORES:
		return from == SCOPE_RUN ? REACH_ALL_CORES : REACH_HOST_CORES;
	case SET_GPUS:
		return from == SCOPE_HOST ? REACH_HOST_GPUS : REACH_ALL_GPUS;
	case SET_HOST_GPUS: /* of one host all are kept for the run, as sketches have them */
		return run->n_hosts < 2 && from != SCOPE_HOST ? REACH_ALL_GPUS : REACH_HOST_GPUS;
	case SET_OTHERS:
		return REACH_OTHER_GPUS;
	case SET_HOSTS:
		break;
	}
	return REACH_HOSTS;
}

enum scope reach_scope(enum reach reach)
{
	if (reach == REACH_HOSTS)
		return SCOPE_HOST;
	return reach == REACH_HOST_CORES || reach == REACH_ALL_CORES ? SCOPE_CORE : SCOPE_GPU;
}

enum scope reach_level(enum reach reach)
{
	if (reach == REACH_OTHER_GPUS)
		return SCOPE_GPU;
	return reach == REACH_HOST_CORES || reach == REACH_HOST_GPUS ? SCOPE_HOST : SCOPE_RUN;
}

struct entities entities_of(const struct run *run, enum scope scope)
{
	static const struct entity *const the_run[] = { NULL };

	switch (scope) {
	case SCOPE_GPU:
		return (struct entities){ run->gpus, run->n_gpus };
	case SCOPE_CORE:
		return (struct entities){ run->cores, run->n_cores };
	case SCOPE_HOST:
		return (struct entities){ run->hosts, run->n_hosts };
	case SCOPE_RUN:
		break;
	}
	return (struct entities){ the_run, 1 };
}

static bool is_member(const struct vantage *v, enum reach reach, const struct entity *e)
{
	if (reach == REACH_HOST_CORES || reach == REACH_HOST_GPUS)
		return !v->host || strcmp(e->host, v->host->host) == 0;
	return reach != REACH_OTHER_GPUS || e != v->entity;
}

const struct entity *vantage_next_member(const struct vantage *v, enum reach reach, size_t *at)
{
	const struct entities all = entities_of(v->run, reach_scope(reach));

	while (*at < all.n) {
		const struct entity *const e = all.at[(*at)++];
		if (is_member(v, reach, e))
			return e;
	}
	return NULL;
}

struct entities vantage_members(struct arena *mem, const struct vantage *v, enum reach reach)
{
	const struct entity **const members = NEW_ARRAY(mem, const struct entity *, entities_of(v->run, reach_scope(reach)).n);
	size_t n = 0, at = 0;

	for (const struct entity *e; (e = vantage_next_member(v, reach, &at));)
		members[n++] = e;
	return (struct entities){ members, n };
}
