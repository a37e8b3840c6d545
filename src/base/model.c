/*
 * model.c - reads members of structs through their rows.
 *
 * Members are copied out byte by byte: `const T *items` of any T is read as `const void *`,
 * which every platform we know lays out alike, without telling the compiler a lie about types.
 */
#include "base/model.h"

static const char *member(const struct field *row, const void *object)
{
	return (const char *)object + row->offset;
}

bool texts_have(struct texts texts, const char *text)
{
	for (size_t i = 0; i < texts.n; i++)
		if (strcmp(texts.at[i], text) == 0)
			return true;
	return false;
}

const struct field *field_find(const struct fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->n; i++)
		if (slice_is(name, fields->rows[i].name))
			return &fields->rows[i];
	return NULL;
}

#define READ(type, name)                                                  \
	type field_##name(const struct field *row, const void *object)    \
	{                                                                 \
		type value;                                               \
		memcpy(&value, member(row, object), sizeof value);        \
		return value;                                             \
	}

READ(size_t, count)
READ(double, number)
READ(struct quantity, quantity)
READ(struct range, range)
READ(time_ms, time)
READ(struct texts, texts)
READ(struct cells, cells)

const char *field_text(const struct field *row, const void *object)
{
	const char *value;

	memcpy(&value, member(row, object), sizeof value);
	return value;
}

bool field_bool(const struct field *row, const void *object)
{
	bool value;

	if (row->kind == FIELD_QUESTION)
		return row->holds(object);
	memcpy(&value, member(row, object), sizeof value);
	return value;
}

struct view field_object(const struct field *row, const void *object)
{
	return (struct view){ member(row, object), row->of };
}

size_t field_n_items(const struct field *row, const void *object)
{
	size_t n;

	memcpy(&n, (const char *)object + row->count_offset, sizeof n);
	return n;
}

struct view field_item(const struct field *row, const void *object, size_t i)
{
	const void *items;

	memcpy(&items, member(row, object), sizeof items);
	return (struct view){ (const char *)items + i * row->of->size_bytes, row->of };
}
