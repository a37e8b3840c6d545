/* run_list.c - numbers first, then texts with their NULs: inputs, id, paths. */
#include "cmd/run_list.h"

#include <stdlib.h>

struct packed_numbers {
	int64_t bytes, weight, owner;
};

void run_list_init(struct run_list *list)
{
	*list = (struct run_list){ .n = 0 };
	spill_init(&list->runs);
	spill_init(&list->strays);
}

void run_list_release(struct run_list *list)
{
	spill_release(&list->runs);
	spill_release(&list->strays);
	grow_free(list->at);
	*list = (struct run_list){ .n = 0 };
}

/* ------------------------------------------------ a run in bytes */

static void put_text(struct buf *out, const char *text)
{
	buf_put(out, (struct slice){ text, strlen(text) + 1 });
}

void run_pack(struct buf *out, const struct found_run *run)
{
	const struct packed_numbers numbers = { run->bytes, run->weight, run->owner };

	buf_put(out, (struct slice){ (const char *)&numbers, sizeof numbers });
	put_text(out, run->inputs);
	put_text(out, run->id);
	for (size_t i = 0; i < run->paths.n; i++)
		put_text(out, run->paths.at[i]);
}

/* Of texts that end where the last of them does. */
static const char *next_text(struct slice *texts)
{
	const char *const text = texts->p;
	const size_t n = strlen(text) + 1;

	*texts = (struct slice){ texts->p + n, texts->n - n };
	return text;
}

static size_t count_texts(struct slice texts)
{
	size_t n = 0;

	for (; texts.n; n++)
		next_text(&texts);
	return n;
}

bool run_unpack(struct arena *mem, struct slice packed, struct found_run *out)
{
	struct packed_numbers numbers;

	if (packed.n < sizeof numbers + DIGEST_DIGITS + 2 || packed.p[packed.n - 1] != '\0')
		return false;
	memcpy(&numbers, packed.p, sizeof numbers);
	const size_t n_texts = packed.n - sizeof numbers;
	struct slice texts = { arena_text(mem, packed.p + sizeof numbers, n_texts), n_texts };
	*out = (struct found_run){ .bytes = numbers.bytes, .weight = numbers.weight, .owner = (unsigned)numbers.owner };
	const char *const inputs = next_text(&texts);
	if (strlen(inputs) != DIGEST_DIGITS || !texts.n)
		return false;
	memcpy(out->inputs, inputs, sizeof out->inputs);
	out->id = next_text(&texts);
	const char **const paths = NEW_ARRAY(mem, const char *, count_texts(texts));
	while (texts.n)
		paths[out->paths.n++] = next_text(&texts);
	out->paths.at = paths;
	return true;
}

/* ------------------------------------------------ put away, and read again */

void run_list_add(struct run_list *list, struct slice packed, int64_t weight)
{
	list->at = grow(list->at, &list->room, list->n + 1, sizeof *list->at);
	list->at[list->n++] = (struct listed_run){ spill_put(&list->runs, packed), weight };
}

void run_list_add_stray(struct run_list *list, struct slice path, struct slice why)
{
	spill_put(&list->strays, path);
	spill_put(&list->strays, why);
	list->n_strays++;
}

struct found_run run_list_get(struct arena *mem, struct run_list *list, struct listed_run run)
{
	struct found_run out;

	if (!run_unpack(mem, spill_get(&list->runs, run.place), &out))
		BUG("a run that was changed on the disk");
	return out;
}

bool run_list_next_stray(struct arena *mem, struct run_list *list, uint64_t *place, struct stray *out)
{
	struct slice text;

	if (!spill_next(&list->strays, place, &text))
		return false;
	out->path = arena_text(mem, text.p, text.n);
	if (!spill_next(&list->strays, place, &text))
		return false;
	out->why = arena_text(mem, text.p, text.n);
	return true;
}

/* ------------------------------------------------ orders */

static int by_place(const void *a, const void *b)
{
	const struct listed_run *const x = a, *const y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static int by_weight(const void *a, const void *b)
{
	const struct listed_run *const x = a, *const y = b;

	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight) : by_place(a, b);
}

void run_list_sort_by_weight(struct run_list *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof *list->at, by_weight);
}

void run_list_sort_by_id(struct run_list *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof *list->at, by_place);
}
