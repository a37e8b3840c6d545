/*
 * entity.c - how entities are called and in which order they are shown.
 *
 *     id       node01/gpu0   gpu0   node01   node01/core3   run     in JSON, stable
 *     label    GPU 0         GPU 0  node01   core 3         run     for people
 *
 * A GPU that no log has numbered yet goes by its UUID or bus address: both are stable
 * too, which a made-up number would not be.
 */
#include "metric/entity.h"

static const char *unnumbered(const struct entity *e)
{
	if (e->uuid != NULL)
		return e->uuid;
	return e->bus_id != NULL ? e->bus_id : scope_name(e->scope);
}

/* "gpu0", "core3": who it is within its host. */
static const char *local_id(struct arena *mem, const struct entity *e)
{
	if (e->index < 0)
		return unnumbered(e);
	return arena_print(mem, "%s%d", scope_name(e->scope), e->index);
}

const char *entity_id(struct arena *mem, const struct entity *e)
{
	const bool host_known = e->host[0] != '\0';

	if (e->scope == SCOPE_RUN)
		return scope_name(SCOPE_RUN);
	if (e->scope == SCOPE_HOST)
		return host_known ? e->host : scope_name(SCOPE_HOST);
	if (!host_known)
		return local_id(mem, e);
	return arena_print(mem, "%s/%s", e->host, local_id(mem, e));
}

const char *entity_label(struct arena *mem, const struct entity *e)
{
	const char *noun = e->scope == SCOPE_GPU ? "GPU" : scope_name(e->scope);

	if (e->scope == SCOPE_RUN || e->scope == SCOPE_HOST)
		return entity_id(mem, e);
	if (e->index < 0)
		return arena_print(mem, "%s %s", noun, unnumbered(e));
	return arena_print(mem, "%s %d", noun, e->index);
}

int entity_compare(const struct entity *a, const struct entity *b)
{
	const int by_host = strcmp(a->host, b->host);

	if (by_host != 0)
		return by_host;
	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}
