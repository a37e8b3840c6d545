/*
 * template_parts.h - what compiling, filtering and rendering templates share; for base/template*.c only.
 *
 * A compiled template is a tree of nodes. Every name in it is already a reference: which
 * frame of the rendering stack it belongs to, and which rows lead from there to the member.
 */
#ifndef POSTRUN_TEMPLATE_PARTS_H
#define POSTRUN_TEMPLATE_PARTS_H

#include "base/limits.h"
#include "base/template.h"

#define TEMPLATE_MAX_PARTS 8        /* of a dotted name */
#define TEMPLATE_MAX_COLUMNS 1000   /* of a filter's N and W */
#define TEMPLATE_MAX_DECIMALS 15    /* of fixed:N */
#define TEMPLATE_MAX_COMPLAINTS 500 /* then nothing more is read: each has its place counted */
#define TEMPLATE_WIDTH 80           /* of a page of text */

/* Frames are numbered from the outermost struct, 0. */
struct reference {
	enum { REF_MEMBER, REF_ITEM, REF_FIRST, REF_LAST, REF_NUMBER } what;
	size_t frame;
	const struct field *path[TEMPLATE_MAX_PARTS]; /* MEMBER: objects, then the member */
	size_t n_path;
	enum field_kind kind; /* of what it gives */
};

struct value {
	enum field_kind kind;
	union {
		struct slice text;
		bool truth;     /* BOOL, QUESTION */
		size_t count;   /* COUNT, ORDINAL; items of a LIST or MAP */
		double number;
		struct quantity quantity;
		struct range range;
		time_ms time;
		struct texts texts;
		struct cells cells;
	};
	struct view view; /* OBJECT; LIST and MAP: the struct that has them */
	bool has_lines;   /* a filter broke the text: its line ends are layout and stay */
	bool unit_stays;  /* of a QUANTITY: somebody chose it */
};

struct filter;
struct filter_call {
	const struct filter *filter;
	size_t columns, width; /* N and W */
	enum unit unit;
	struct slice words;    /* C or WORDS */
	struct reference name;
	const struct filter_call *next;
};

/* What a filter may know besides its value. */
struct filter_context {
	struct arena *mem;
	size_t column;     /* where the value will begin */
	struct slice name; /* text of the argument NAME */
	const struct template_signs *signs;
};

enum filter_argument {
	ARGUMENT_NOTHING,
	ARGUMENT_N,
	ARGUMENT_DECIMALS,
	ARGUMENT_N_FILL,
	ARGUMENT_N_WIDTH,
	ARGUMENT_N_NAME,
	ARGUMENT_WORDS,
	ARGUMENT_UNIT,
};
enum filter_takes { TAKES_TEXT, TAKES_NUMBER, TAKES_QUANTITY, TAKES_SHARE, TAKES_DURATION, TAKES_TIME, TAKES_CELLS };

/* What is known, when a template is read, of a value on its way through filters. */
struct value_type {
	struct slice name;
	enum field_kind kind;
	bool has_dimension; /* of a QUANTITY */
	enum dimension dimension;
	bool unit_chosen;
};

/* NULL when there is none of that name. */
const struct filter *filter_find(struct slice name);
const char *filter_nearest(struct slice name);
enum filter_argument filter_argument(const struct filter *filter);
enum filter_takes filter_takes(const struct filter *filter);
struct value filter_apply(const struct filter_call *call, struct value v, const struct filter_context *context);

/* Can it stand in a text as it is? */
bool kind_is_printable(enum field_kind kind);
/* What an unfiltered value prints. */
struct slice value_text(struct arena *mem, const struct value *v);
/* "-" when the time is not known. */
const char *time_text(struct arena *mem, time_ms t, const char *(*print)(struct arena *, time_ms));
size_t text_columns(struct slice text);
/* What `written` is drawn as; itself where the output has no sign for it. */
struct slice sign_drawn(const struct template_signs *signs, struct slice written);
/* Bytes of the well-formed UTF-8 character at the front; 0 when there is none. */
size_t utf8_size(struct slice text);

/* ------------------------------------------------ the tree */

enum node_kind { NODE_LITERAL, NODE_VALUE, NODE_SECTION, NODE_INVERTED };
struct node {
	enum node_kind kind;
	struct slice literal;
	struct reference name;
	const struct filter_call *filters;
	struct node *first, *next; /* sections: what is inside */
};
struct template {
	struct node *first;
	struct slice kept; /* what is compiled when it is rendered; p NULL: it was compiled */
	enum tag_style tags;
	const struct fields *root;
};
/* The first of its nodes, which are made in `mem` when they are not there. */
const struct node *template_nodes(struct arena *mem, const struct template *t);

/* ------------------------------------------------ code in Markdown */

/* Is the end of a text between fences? Only of what is certain this says so (template_fences.c). */
struct fences {
	size_t n_read, n_searched; /* bytes: of whole lines; those in which no further line end is */
	size_t length;             /* of the fence that is open; 0: none */
	bool in_markup;            /* in a block that begins with '<' and ends at an empty line: fences there are none */
	bool is_unsure;            /* from here on */
};
bool fences_are_open(struct fences *f, struct slice text);

/* ------------------------------------------------ compiling */

struct scope {
	const struct fields *fields; /* of a struct, or NULL for an item */
	enum field_kind item;        /* what {{.}} is; FIELD_OBJECT for a struct */
	bool is_list;
	bool is_unknown;             /* opened by a name that was not found */
};

struct section {
	struct slice name;
	size_t at;           /* offset of its name */
	size_t n_scopes;     /* before it was opened */
	struct node **place; /* where the node after it goes */
};

struct compiler {
	struct arena *mem;
	struct diags *diags;
	struct place place;
	enum tag_style tags;
	struct slice text;
	struct scope scopes[TEMPLATE_MAX_NESTING + 1];
	size_t n_scopes;
	struct section sections[TEMPLATE_MAX_NESTING];
	size_t n_sections;
	size_t n_outside;  /* of these, opened before this part began */
	size_t n_parts;    /* that are being read, one inside of another */
	struct node **end; /* where the next node goes */
	size_t n_bytes;    /* that were read, in all */
	const char *last_text; /* in which a place was asked for last, and what it was: the next one is counted from there */
	size_t last_at;
	struct place last_place;
	size_t last_line;  /* where its line begins */
	size_t n_wrong;
};

struct place compiler_place(struct compiler *c, size_t at);
size_t compiler_offset(const struct compiler *c, struct slice part);
void compiler_complain(struct compiler *c, size_t at, enum diag_code code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* False when the name is refused: reported, unless it stands inside an unknown section, which was. */
bool name_resolve(struct compiler *c, struct slice name, struct reference *out);

#endif
