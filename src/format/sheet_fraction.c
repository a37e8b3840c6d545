/*
 * sheet_fraction.c - shares that a logger writes as parts of one, in a column that is read as percent.
 *
 *     timestamp,gpu,gpu_util        NVML and nvidia-smi tell whole percents: who has 0.98, and never more than 1, has divided them
 *     10:00:00,0,0.98               by a hundred (GPUtil's load)
 *     10:00:01,0,1.0
 */
#include "format/sheet_parts.h"

#define PARTS ((fixed)100)

/* Of all channels: is there a part of one, and nothing above one? */
static bool has_only_parts(const struct sheet *s, enum metric metric)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct cells *const c = &s->rows[i]->cells[metric];
		if (c->values && s->rows[i]->n_thinned) /* what others stand for can't be changed any more */
			return false;
		for (size_t k = 0; c->values && c->decimals && k < s->rows[i]->n; k++) {
			const fixed value = packer_at(c->values, k);
			if (value != FIXED_MISSING && value > FIXED_ONE)
				return false;
			any |= value > 0 && value < FIXED_ONE;
		}
		if (c->values && !c->decimals) /* whole numbers beside them: not of one logger */
			return false;
	}
	return any;
}

static void scale(struct rows *rows, enum metric metric)
{
	struct cells *const c = &rows->cells[metric];

	for (size_t k = 0; c->values && k < rows->n; k++) {
		const fixed value = packer_at(c->values, k);
		if (value != FIXED_MISSING)
			packer_set(c->values, k, value * PARTS);
	}
	c->decimals = c->decimals > 2 ? c->decimals - 2 : 0;
}

bool sheet_parts_to_percent(struct sheet *s, enum metric metric)
{
	if (!has_only_parts(s, metric))
		return false;
	for (size_t i = 0; i < s->n; i++)
		scale(s->rows[i], metric);
	return true;
}
