/* digest.c - XXH3 behind four functions. */
#include "base/digest.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <xxhash.h>

struct digest *digest_begin(void)
{
	XXH3_state_t *const state = XXH3_createState();

	if (!state)
		die_memory();
	XXH3_128bits_reset(state);
	return (struct digest *)state;
}

void digest_add(struct digest *d, struct slice bytes)
{
	XXH3_128bits_update((XXH3_state_t *)d, bytes.p, bytes.n);
}

void digest_add_text(struct digest *d, const char *text)
{
	digest_add(d, (struct slice){ text, strlen(text) + 1 });
}

void digest_end(struct digest *d, char digits[DIGEST_DIGITS + 1])
{
	XXH3_state_t *const state = (XXH3_state_t *)d;
	const XXH128_hash_t hash = XXH3_128bits_digest(state);

	snprintf(digits, DIGEST_DIGITS + 1, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
	XXH3_freeState(state);
}
