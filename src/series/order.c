/*
 * order.c - radix sort from the least significant byte, over the bytes that differ.
 *
 * Keys of one track share most of their bytes: percentages in millionths differ in four
 * of eight, so that four passes do. Below SMALL items an insertion sort is quicker than
 * clearing the counters.
 */
#include "series/order.h"

#include <string.h>

#define SMALL 48

/* IEEE 754 doubles sort as integers once negative ones are turned round. */
uint64_t key_from_double(const double value)
{
	const double one_zero = value + 0.0; /* -0.0 becomes 0.0 */
	uint64_t bits;

	memcpy(&bits, &one_zero, sizeof bits);
	return (bits & KEY_SIGN) != 0 ? ~bits : bits | KEY_SIGN;
}

double double_from_key(const uint64_t key)
{
	const uint64_t bits = (key & KEY_SIGN) != 0 ? key ^ KEY_SIGN : ~key;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void insertion_sort(struct ordered *items, const size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct ordered item = items[i];
		size_t place = i;

		for (; place > 0 && items[place - 1].key > item.key; place--)
			items[place] = items[place - 1];
		items[place] = item;
	}
}

static uint64_t differing_bits(const struct ordered *items, const size_t n)
{
	uint64_t differing = 0;

	for (size_t i = 1; i < n; i++)
		differing |= items[i].key ^ items[0].key;
	return differing;
}

static void sort_by_byte(const struct ordered *from, struct ordered *to, const size_t n, const int shift)
{
	size_t places[256] = { 0 };
	size_t before = 0;

	for (size_t i = 0; i < n; i++)
		places[(from[i].key >> shift) & 0xff]++;
	for (size_t byte = 0; byte < 256; byte++) {
		const size_t count = places[byte];

		places[byte] = before;
		before += count;
	}
	for (size_t i = 0; i < n; i++)
		to[places[(from[i].key >> shift) & 0xff]++] = from[i];
}

static void radix_sort(struct arena *scratch, struct ordered *items, const size_t n)
{
	const uint64_t differing = differing_bits(items, n);
	struct ordered *from = items;
	struct ordered *to = NEW_ARRAY(scratch, struct ordered, n);

	for (int shift = 0; shift < 64; shift += 8) {
		struct ordered *const sorted = to;

		if (((differing >> shift) & 0xff) == 0)
			continue;
		sort_by_byte(from, sorted, n, shift);
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
}

void order_sort(struct arena *scratch, struct ordered *items, const size_t n)
{
	if (n < SMALL)
		insertion_sort(items, n);
	else
		radix_sort(scratch, items, n);
}

uint64_t order_quantile(const struct ordered *sorted, const size_t n, const int64_t total, const int percent)
{
	int64_t up_to = 0;

	for (size_t i = 0; i < n; i++) {
		up_to += sorted[i].load;
		if (up_to * 100 >= total * percent)
			return sorted[i].key;
	}
	return sorted[n - 1].key;
}
