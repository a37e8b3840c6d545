/*
 * template_render.c - walks a compiled template over a model.
 *
 * The frames are the structs and items that sections have opened, outermost first; a
 * reference knows its frame, so that nothing is looked up by name here. Texts are filtered
 * first and escaped last, line by line where a filter has laid them out in lines. What a
 * value brings in is never read as a template again.
 */
#include "base/embedded.h"
#include "base/template_parts.h"

#include <math.h>

/* Sections inside sections multiply, and what they print may be nothing; real reports take some ten thousand steps. */
#define RENDER_MAX_STEPS 10000000
#define STEP_BYTES 256 /* of a text: as much work as anything else */

struct frame {
	struct view view;  /* of a struct; `at` NULL for an item */
	struct value item; /* for {{.}} */
	size_t index, n;   /* in a list */
};

struct rendering {
	struct frame frames[TEMPLATE_MAX_NESTING + 1];
	size_t n_frames;
	const struct template_output *output;
	struct arena *scratch; /* of one value */
	struct buf *out;
	size_t n_before; /* bytes of `out` that are not ours */
	size_t n_steps;
	struct fences fences;
};

static void render_nodes(struct rendering *r, const struct node *node);

static void take_steps(struct rendering *r, size_t n)
{
	r->n_steps += n;
	r->out->overflow |= r->n_steps > RENDER_MAX_STEPS;
}

/* ------------------------------------------------ values */

static struct value member_value(const struct field *row, const void *object)
{
	struct value v = { .kind = row->kind };
	const char *text;

	switch (row->kind) {
	case FIELD_TEXT:
		text = field_text(row, object);
		v.text = slice_of(text ? text : "");
		break;
	case FIELD_BOOL:
	case FIELD_QUESTION:
		v.truth = field_bool(row, object);
		break;
	case FIELD_COUNT:
	case FIELD_ORDINAL:
		v.count = field_count(row, object);
		break;
	case FIELD_NUMBER:
		v.number = field_number(row, object);
		break;
	case FIELD_QUANTITY:
		v.quantity = field_quantity(row, object);
		break;
	case FIELD_RANGE:
		v.range = field_range(row, object);
		break;
	case FIELD_TIME:
		v.time = field_time(row, object);
		break;
	case FIELD_TEXTS:
		v.texts = field_texts(row, object);
		break;
	case FIELD_CELLS:
		v.cells = field_cells(row, object);
		break;
	case FIELD_OBJECT:
		v.view = field_object(row, object);
		break;
	case FIELD_LIST:
	case FIELD_MAP:
		v.count = field_n_items(row, object);
		v.view.at = object;
		break;
	}
	return v;
}

static struct value value_at(const struct rendering *r, const struct reference *name)
{
	const struct frame *frame = &r->frames[name->frame];
	const void *object = frame->view.at;

	switch (name->what) {
	case REF_ITEM:
		return frame->item;
	case REF_FIRST:
		return (struct value){ .kind = FIELD_BOOL, .truth = frame->index == 0 };
	case REF_LAST:
		return (struct value){ .kind = FIELD_BOOL, .truth = frame->index + 1 == frame->n };
	case REF_NUMBER:
		return (struct value){ .kind = FIELD_COUNT, .count = frame->index + 1 };
	case REF_MEMBER:
		break;
	}
	for (size_t i = 0; i + 1 < name->n_path; i++)
		object = field_object(name->path[i], object).at;
	return member_value(name->path[name->n_path - 1], object);
}

static bool value_holds(const struct value *v)
{
	switch (v->kind) {
	case FIELD_TEXT:
		return v->text.n > 0;
	case FIELD_BOOL:
	case FIELD_QUESTION:
		return v->truth;
	case FIELD_COUNT:
	case FIELD_ORDINAL:
	case FIELD_LIST:
	case FIELD_MAP:
		return v->count > 0;
	case FIELD_NUMBER:
		return v->number < 0 || v->number > 0;
	case FIELD_QUANTITY:
		return !isnan(v->quantity.value);
	case FIELD_RANGE:
		return !isnan(v->range.low) || !isnan(v->range.high);
	case FIELD_TIME:
		return v->time != TIME_UNKNOWN;
	case FIELD_TEXTS:
		return v->texts.n > 0;
	case FIELD_CELLS:
		return v->cells.n > 0;
	case FIELD_OBJECT:
		return true;
	}
	return false;
}

/* Where the next byte goes, counted in code points from the last line end; exact up to four pages wide. */
static size_t current_column(const struct buf *out)
{
	size_t begin = out->n;

	while (begin && out->at[begin - 1] != '\n' && out->n - begin < (size_t)16 * TEMPLATE_WIDTH)
		begin--;
	return text_columns((struct slice){ out->at + begin, out->n - begin });
}

static escape_fn *escape_here(struct rendering *r)
{
	const struct slice ours = { r->out->at + r->n_before, r->out->n - r->n_before };

	if (r->output->escape_in_code && fences_are_open(&r->fences, ours))
		return r->output->escape_in_code;
	return r->output->escape;
}

static void put_escaped(struct rendering *r, const struct value *v)
{
	escape_fn *const escape = escape_here(r);
	struct slice rest = v->text;

	while (v->has_lines && rest.n) {
		const char *const end = memchr(rest.p, '\n', rest.n);
		if (!end)
			break;
		const size_t n = (size_t)(end - rest.p);
		escape(r->out, (struct slice){ rest.p, n });
		buf_char(r->out, '\n');
		rest = (struct slice){ rest.p + n + 1, rest.n - n - 1 };
	}
	escape(r->out, rest);
}

static void render_value(struct rendering *r, const struct node *node)
{
	struct filter_context context = { .mem = r->scratch, .column = current_column(r->out), .signs = r->output->signs };
	struct value v = value_at(r, &node->name);

	for (const struct filter_call *call = node->filters; call; call = call->next) {
		if (filter_argument(call->filter) == ARGUMENT_N_NAME) {
			const struct value name = value_at(r, &call->name);
			context.name = value_text(r->scratch, &name);
		}
		v = filter_apply(call, v, &context);
		take_steps(r, 1 + (v.kind == FIELD_TEXT ? v.text.n / STEP_BYTES : 0));
	}
	v = (struct value){ .kind = FIELD_TEXT, .text = value_text(r->scratch, &v), .has_lines = v.has_lines };
	put_escaped(r, &v);
	arena_reset(r->scratch);
}

/* ------------------------------------------------ sections */

static void render_inside(struct rendering *r, const struct node *section, struct frame frame)
{
	if (r->n_frames > TEMPLATE_MAX_NESTING)
		BUG("a template nested deeper than it was compiled");
	r->frames[r->n_frames++] = frame;
	render_nodes(r, section->first);
	r->n_frames--;
}

static struct frame list_frame(const struct reference *name, const struct value *list, size_t i)
{
	const struct field *const row = name->n_path ? name->path[name->n_path - 1] : NULL;

	switch (list->kind) {
	case FIELD_TEXTS:
		return (struct frame){ .item = { .kind = FIELD_TEXT,
			.text = slice_of(list->texts.at[i] ? list->texts.at[i] : "") }, .index = i, .n = list->texts.n };
	case FIELD_CELLS:
		return (struct frame){ .item = { .kind = FIELD_NUMBER, .number = list->cells.at[i] },
			.index = i, .n = list->cells.n };
	default:
		return (struct frame){ .view = field_item(row, list->view.at, i), .index = i, .n = list->count };
	}
}

static void render_list(struct rendering *r, const struct node *node, const struct value *list)
{
	const size_t n = list->kind == FIELD_TEXTS ? list->texts.n : list->kind == FIELD_CELLS ? list->cells.n : list->count;

	for (size_t i = 0; i < n && !r->out->overflow; i++) {
		take_steps(r, 1);
		render_inside(r, node, list_frame(&node->name, list, i));
	}
}

static void render_section(struct rendering *r, const struct node *node)
{
	const struct value v = value_at(r, &node->name);

	switch (v.kind) {
	case FIELD_LIST:
	case FIELD_MAP:
	case FIELD_TEXTS:
	case FIELD_CELLS:
		render_list(r, node, &v);
		break;
	case FIELD_OBJECT:
		render_inside(r, node, (struct frame){ .view = v.view });
		break;
	case FIELD_BOOL:
	case FIELD_QUESTION: /* {{.}} inside stays what it was outside */
		if (v.truth)
			render_nodes(r, node->first);
		break;
	default:
		if (value_holds(&v))
			render_inside(r, node, (struct frame){ .item = v });
		break;
	}
}

#define SHORTEST_RULE 8 /* "--" is punctuation */

/* Rules of '=' and '-' as the output draws them. */
static void put_literal(struct rendering *r, struct slice text)
{
	while (r->output->signs && text.n) {
		const struct slice sign = { text.p, 1 }, drawn = sign_drawn(r->output->signs, sign);
		size_t n = 1;
		while (n < text.n && text.p[n] == text.p[0])
			n++;
		for (size_t i = 0; i < n; i++)
			buf_put(r->out, n >= SHORTEST_RULE ? drawn : sign);
		text = (struct slice){ text.p + n, text.n - n };
	}
	buf_put(r->out, text);
}

static void render_nodes(struct rendering *r, const struct node *node)
{
	for (; node && !r->out->overflow; node = node->next) {
		take_steps(r, 1);
		const struct value v = node->kind == NODE_INVERTED ? value_at(r, &node->name) : (struct value){ 0 };
		switch (node->kind) {
		case NODE_LITERAL:
			put_literal(r, node->literal);
			break;
		case NODE_VALUE:
			render_value(r, node);
			break;
		case NODE_SECTION:
			render_section(r, node);
			break;
		case NODE_INVERTED:
			if (!value_holds(&v))
				render_nodes(r, node->first);
			break;
		}
	}
}

void template_render_as(const struct template *t, struct view root, const struct template_output *output, struct buf *out)
{
	struct arena nodes, of_a_value;
	struct rendering r = {
		.frames = { { .view = root } }, .n_frames = 1, .output = output, .scratch = &of_a_value, .out = out, .n_before = out->n,
	};

	arena_init(&nodes);
	arena_init(&of_a_value);
	render_nodes(&r, template_nodes(&nodes, t));
	arena_release(&of_a_value);
	arena_release(&nodes);
}

void template_render(const struct template *t, struct view root, escape_fn *escape, struct buf *out)
{
	template_render_as(t, root, &(struct template_output){ .escape = escape }, out);
}

void template_render_embedded(const char *name, struct view root, const struct template_output *output, struct buf *out)
{
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct template *const t =
		template_compile(&mem, embedded_get(name), (struct place){ name, 1, 1 }, TAGS_DOUBLE_BRACE, root.fields, &diags);
	if (!t)
		BUG(diags.n ? diag_text(&mem, &diags.at[0]) : name);
	template_render_as(t, root, output, out);
	diags_release(&diags);
	arena_release(&mem);
}

/* ------------------------------------------------ plain text */

/* C0, DEL, and the C1 controls, which terminals obey too. */
static bool is_control(struct slice character)
{
	const unsigned char a = (unsigned char)character.p[0];

	return character.n == 1 ? a < 0x20 || a == 0x7F
				: character.n == 2 && a == 0xC2 && (unsigned char)character.p[1] < 0xA0;
}

void escape_plain(struct buf *out, struct slice text)
{
	while (text.n) {
		const size_t n = utf8_size(text);
		const struct slice character = { text.p, n ? n : 1 };
		if (!n || is_control(character))
			buf_char(out, '?');
		else
			buf_put(out, character);
		text = (struct slice){ text.p + character.n, text.n - character.n };
	}
}
