/*
 * identity.h - when do two logs speak of the same GPU?
 *
 * One log names GPUs by uuid, another by bus id, a third by index only. The strongest name that
 * both have decides: uuid, then bus id, then index.
 */
#ifndef POSTRUN_IDENTITY_H
#define POSTRUN_IDENTITY_H

#include "metric/entity.h"

/*
 * "00000000:1B:00.0" and "0000:1b:00.0" are one device: upper case, the domain without
 * leading zeros ("0:1B:00.0"). NULL when the text is no bus id.
 */
const char *bus_id_normal(struct arena *mem, struct slice text);
bool gpu_is_same(const struct entity *a, const struct entity *b);
/* A GPU that is told by its index and nothing else. */
bool gpu_has_number_alone(const struct entity *e);
/* Takes over the names that `to` lacks. */
void gpu_learn(struct entity *to, const struct entity *from);

/* "node01" of "node01.cluster"; an address, as 10.0.0.1, is short already. */
struct slice host_short_name(struct slice name);

#endif
