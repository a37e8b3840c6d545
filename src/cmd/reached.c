/* reached.c - open addressing, half full at most. */
#include "cmd/reached.h"

void reached_release(struct reached *all)
{
	grow_free(all->at);
	*all = (struct reached){ .n = 0 };
}

uint64_t identity_hash(struct file_identity this)
{
	return ((uint64_t)this.number ^ (uint64_t)this.device << 32) * 0x9E3779B97F4A7C15U; /* 2^64 by the golden ratio */
}

/* Where it is, or where there is room for it. */
static struct file_identity *find(const struct reached *all, struct file_identity this)
{
	size_t i = (size_t)(identity_hash(this) >> 32) & (all->room - 1);

	while ((all->at[i].number || all->at[i].device) && (all->at[i].number != this.number || all->at[i].device != this.device))
		i = (i + 1) & (all->room - 1);
	return &all->at[i];
}

static void make_room(struct reached *all)
{
	struct reached larger = { .n = all->n };

	larger.at = grow(NULL, &larger.room, all->room + 1, sizeof *larger.at); /* the next power of two */
	memset(larger.at, 0, larger.room * sizeof *larger.at);
	for (size_t i = 0; i < all->room; i++)
		if (all->at[i].number || all->at[i].device)
			*find(&larger, all->at[i]) = all->at[i];
	reached_release(all);
	*all = larger;
}

bool reached_add(struct reached *all, const struct stat *about)
{
	return reached_add_identity(all, (struct file_identity){ about->st_dev, about->st_ino });
}

bool reached_add_identity(struct reached *all, struct file_identity this)
{
	if (2 * all->n >= all->room)
		make_room(all);
	struct file_identity *const place = find(all, this);
	if (place->number || place->device)
		return false;
	*place = this;
	all->n++;
	return true;
}
