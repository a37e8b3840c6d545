/*
 * model.h - structs that describe themselves.
 *
 * A struct that JSON and templates may see has one row a member. Both engines walk these
 * rows, so a key of report.json and a name in a template are the same word and can't drift:
 * a new member appears in both with one row.
 */
#ifndef POSTRUN_MODEL_H
#define POSTRUN_MODEL_H

#include "base/calendar.h"
#include "base/quantity.h"

enum field_kind {
	FIELD_TEXT,     /* const char *; NULL is null in JSON and false in a template */
	FIELD_BOOL,     /* bool */
	FIELD_COUNT,    /* size_t */
	FIELD_ORDINAL,  /* size_t from 1; 0 means none: null in JSON, false in a template */
	FIELD_QUESTION, /* no member: what `holds` says of the struct, for templates */
	FIELD_NUMBER,   /* double in the unit the key names; NAN is null */
	FIELD_QUANTITY, /* struct quantity: {"value", "unit"} */
	FIELD_RANGE,    /* struct range: [low, high] */
	FIELD_TIME,     /* time_ms: ISO 8601 UTC */
	FIELD_TEXTS,    /* struct texts: a list of strings */
	FIELD_CELLS,    /* struct cells: a list of numbers, NAN is null */
	FIELD_OBJECT,   /* an embedded struct, described by `of` */
	FIELD_LIST,     /* const T *items; size_t n_items: the pointer at `offset`, the count at `count_offset` */
	FIELD_MAP,      /* as FIELD_LIST; each item's first field is its key, its second the value */
};

struct range {
	double low, high; /* equal when exactly known */
};
struct texts {
	const char *const *at;
	size_t n;
};
struct cells {
	const double *at;
	size_t n;
};
bool texts_have(struct texts texts, const char *text);

struct fields;
struct field {
	const char *name;
	enum field_kind kind;
	size_t offset, count_offset;
	const struct fields *of; /* OBJECT, LIST, MAP */
	enum unit unit;          /* NUMBER, RANGE: what a template prints behind it */
	bool has_dimension;      /* QUANTITY: it always has that of `unit`, so that filters can be checked when a text is read */
	bool hidden;             /* for templates only: not written to JSON */
	bool (*holds)(const void *object); /* QUESTION */
};
struct fields {
	const char *name; /* "finding": for messages */
	const struct field *rows;
	size_t n;
	size_t size_bytes; /* of the struct */
};

/* A place in a model: a struct and its description. */
struct view {
	const void *at;
	const struct fields *fields;
};
/* NULL when there is none of that name. */
const struct field *field_find(const struct fields *fields, struct slice name);

/* Reading the member that `row` describes from the struct at `object`; the function must fit row->kind. */
const char *field_text(const struct field *row, const void *object);
bool field_bool(const struct field *row, const void *object);    /* BOOL, QUESTION */
size_t field_count(const struct field *row, const void *object); /* COUNT, ORDINAL */
double field_number(const struct field *row, const void *object);
struct quantity field_quantity(const struct field *row, const void *object);
struct range field_range(const struct field *row, const void *object);
time_ms field_time(const struct field *row, const void *object);
struct texts field_texts(const struct field *row, const void *object);
struct cells field_cells(const struct field *row, const void *object);
struct view field_object(const struct field *row, const void *object);
size_t field_n_items(const struct field *row, const void *object); /* LIST, MAP */
struct view field_item(const struct field *row, const void *object, size_t i);

/*
 * Rows, one macro a shape. The compiler refuses a row whose kind is not its member's type.
 *
 *      static const struct field gpu_rows[] = {
 *              FIELD(struct gpu, name, TEXT),                      key "name", member name
 *              FIELD_AS("unit", struct gpu, unit_symbol, TEXT),    key "unit", another member
 *              HIDDEN(struct gpu, label, TEXT),                    for templates only
 *              LIST(struct gpu, holes, hole_fields),               members holes and n_holes
 *              QUESTION(is_hot),                                   for templates: is_hot(gpu)
 *      };
 *      static const struct fields gpu_fields = FIELDS("gpu", struct gpu, gpu_rows);
 */
#define FIELD_AS(key, type, member, KIND) { .name = (key), .kind = FIELD_##KIND, .offset = MEMBER(type, member, KIND) }
#define FIELD(type, member, KIND) FIELD_AS(#member, type, member, KIND)
#define HIDDEN(type, member, KIND)                                                                                     \
	{ .name = #member, .kind = FIELD_##KIND, .offset = MEMBER(type, member, KIND), .hidden = true }
#define QUESTION(function) { .name = #function, .kind = FIELD_QUESTION, .holds = (function), .hidden = true }
#define OBJECT(type, member, fields)                                                                                   \
	{ .name = #member, .kind = FIELD_OBJECT, .offset = offsetof(type, member), .of = &(fields) }
#define ITEMS(KIND, type, member, fields, is_hidden)                                                                   \
	{ .name = #member, .kind = FIELD_##KIND, .offset = offsetof(type, member),                                     \
		.count_offset = MEMBER(type, n_##member, COUNT), .of = &(fields), .hidden = (is_hidden) }
#define LIST(type, member, fields) ITEMS(LIST, type, member, fields, false)
#define HIDDEN_LIST(type, member, fields) ITEMS(LIST, type, member, fields, true)
#define MAP(type, member, fields) ITEMS(MAP, type, member, fields, false)
#define FIELDS(what, type, table)                                                                                      \
	{ .name = (what), .rows = (table), .n = sizeof(table) / sizeof((table)[0]), .size_bytes = sizeof(type) }

#define MEMBER(type, member, KIND) (offsetof(type, member) + _Generic(((type *)0)->member, MEMBER_##KIND: (size_t)0))
#define MEMBER_TEXT const char *
#define MEMBER_BOOL bool
#define MEMBER_COUNT size_t
#define MEMBER_ORDINAL size_t
#define MEMBER_NUMBER double
#define MEMBER_QUANTITY struct quantity
#define MEMBER_RANGE struct range
#define MEMBER_TIME time_ms
#define MEMBER_TEXTS struct texts
#define MEMBER_CELLS struct cells

#endif
