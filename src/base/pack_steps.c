/* pack_steps.c - the steps of packs are made row by row. */
#include "base/pack_steps.h"

#include <math.h>

struct pack_steps *pack_steps_new(struct arena *mem, const size_t n, const time_ms usual)
{
	struct pack_steps *const steps = NEW_ARRAY(mem, struct pack_steps, packs_for(n));

	for (size_t k = 0; k < packs_for(n); k++)
		steps[k].usual = steps[k].longer = usual;
	return steps;
}

void pack_steps_set(struct pack_steps *steps, const size_t first, const size_t end, const time_ms longer)
{
	for (size_t i = first; i < end; i++) {
		struct pack_steps *const pack = &steps[i / PACK];

		pack->longer = longer > pack->longer ? longer : pack->longer;
		pack->is_longer[i % PACK / 64] |= (uint64_t)1 << i % 64;
	}
}

struct pack_steps *pack_steps_scaled(struct arena *mem, const struct pack_steps *steps, const size_t n, const double times)
{
	struct pack_steps *const scaled = NEW_ARRAY(mem, struct pack_steps, packs_for(n));

	for (size_t k = 0; k < packs_for(n); k++) {
		scaled[k] = steps[k];
		scaled[k].usual = (time_ms)llround((double)steps[k].usual * times);
		scaled[k].longer = (time_ms)llround((double)steps[k].longer * times);
	}
	return scaled;
}

/* Those of which all have a longer one know no other. */
void pack_steps_settle(struct pack_steps *steps, const size_t n)
{
	for (size_t begin = 0; begin < n; begin += PACK) {
		struct pack_steps *const pack = &steps[begin / PACK];
		const size_t rows = n - begin < PACK ? n - begin : PACK;
		size_t n_longer = 0;

		for (size_t i = 0; i < rows; i++)
			n_longer += pack->is_longer[i / 64] >> i % 64 & 1;
		pack->usual = n_longer == rows ? pack->longer : pack->usual;
	}
}
