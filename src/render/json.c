/*
 * json.c - any model as JSON, written in one pass.
 *
 *      {
 *        "verdict": {
 *          "severity": "critical",
 *          "lost_gpu_hours": [0.012, 0.016]
 *        },
 *
 * Structs take a line a member; what is short by nature (ranges, quantities, lists of
 * strings and numbers) stays on its line. Numbers keep every digit they have.
 */
#include "base/json_text.h"
#include "base/number.h"
#include "render/render.h"

#include <math.h>

struct writer {
	struct buf *out;
	struct arena scratch;
	bool is_utc;
	size_t depth;
};

static void write_struct(struct writer *w, struct view v);

static void new_line(struct writer *w)
{
	buf_char(w->out, '\n');
	buf_fill(w->out, ' ', 2 * w->depth);
}

/* ------------------------------------------------ strings and numbers */

static void write_number(struct writer *w, double value)
{
	char text[64];

	if (!isfinite(value)) {
		buf_text(w->out, "null");
		return;
	}
	number_print_exact(text, sizeof text, value);
	buf_text(w->out, text);
}

static void write_quantity(struct writer *w, struct quantity q)
{
	buf_text(w->out, "{\"value\": ");
	write_number(w, q.value);
	buf_text(w->out, ", \"unit\": ");
	json_put_text(w->out, unit_table[q.unit].symbol);
	buf_char(w->out, '}');
}

static void write_range(struct writer *w, struct range r)
{
	buf_char(w->out, '[');
	write_number(w, r.low);
	buf_text(w->out, ", ");
	write_number(w, r.high);
	buf_char(w->out, ']');
}

static void write_time(struct writer *w, time_ms t)
{
	json_put_text(w->out, t == TIME_UNKNOWN ? NULL : (w->is_utc ? time_iso : time_iso_local)(&w->scratch, t));
}

static void write_texts(struct writer *w, struct texts texts)
{
	buf_char(w->out, '[');
	for (size_t i = 0; i < texts.n; i++) {
		buf_text(w->out, i ? ", " : "");
		json_put_text(w->out, texts.at[i]);
	}
	buf_char(w->out, ']');
}

static void write_cells(struct writer *w, struct cells cells)
{
	buf_char(w->out, '[');
	for (size_t i = 0; i < cells.n; i++) {
		buf_text(w->out, i ? ", " : "");
		write_number(w, cells.at[i]);
	}
	buf_char(w->out, ']');
}

/* ------------------------------------------------ structs and lists */

static void write_list(struct writer *w, const struct field *row, const void *object)
{
	const size_t n = field_n_items(row, object);

	buf_char(w->out, '[');
	w->depth++;
	for (size_t i = 0; i < n && !w->out->overflow; i++) {
		buf_text(w->out, i ? "," : "");
		new_line(w);
		write_struct(w, field_item(row, object, i));
	}
	w->depth--;
	if (n)
		new_line(w);
	buf_char(w->out, ']');
}

static void write_member(struct writer *w, const struct field *row, const void *object);

static void write_map(struct writer *w, const struct field *row, const void *object)
{
	const size_t n = field_n_items(row, object);

	buf_char(w->out, '{');
	w->depth++;
	for (size_t i = 0; i < n && !w->out->overflow; i++) {
		const struct view item = field_item(row, object, i);
		const char *const key = field_text(&item.fields->rows[0], item.at);
		buf_text(w->out, i ? "," : "");
		new_line(w);
		json_put_text(w->out, key ? key : "");
		buf_text(w->out, ": ");
		write_member(w, &item.fields->rows[1], item.at);
	}
	w->depth--;
	if (n)
		new_line(w);
	buf_char(w->out, '}');
}

static void write_member(struct writer *w, const struct field *row, const void *object)
{
	switch (row->kind) {
	case FIELD_TEXT:
		json_put_text(w->out, field_text(row, object));
		break;
	case FIELD_BOOL:
	case FIELD_QUESTION:
		buf_text(w->out, field_bool(row, object) ? "true" : "false");
		break;
	case FIELD_COUNT:
		buf_print(w->out, "%zu", field_count(row, object));
		break;
	case FIELD_ORDINAL:
		if (field_count(row, object))
			buf_print(w->out, "%zu", field_count(row, object));
		else
			buf_text(w->out, "null");
		break;
	case FIELD_NUMBER:
		write_number(w, field_number(row, object));
		break;
	case FIELD_QUANTITY:
		write_quantity(w, field_quantity(row, object));
		break;
	case FIELD_RANGE:
		write_range(w, field_range(row, object));
		break;
	case FIELD_TIME:
		write_time(w, field_time(row, object));
		break;
	case FIELD_TEXTS:
		write_texts(w, field_texts(row, object));
		break;
	case FIELD_CELLS:
		write_cells(w, field_cells(row, object));
		break;
	case FIELD_OBJECT:
		write_struct(w, field_object(row, object));
		break;
	case FIELD_LIST:
		write_list(w, row, object);
		break;
	case FIELD_MAP:
		write_map(w, row, object);
		break;
	}
}

static void write_struct(struct writer *w, struct view v)
{
	bool any = false;

	buf_char(w->out, '{');
	w->depth++;
	for (size_t i = 0; i < v.fields->n; i++) {
		const struct field *const row = &v.fields->rows[i];
		if (row->hidden)
			continue;
		buf_text(w->out, any ? "," : "");
		any = true;
		new_line(w);
		json_put_text(w->out, row->name);
		buf_text(w->out, ": ");
		write_member(w, row, v.at);
	}
	w->depth--;
	if (any)
		new_line(w);
	buf_char(w->out, '}');
}

void json_write(struct buf *out, struct view root, bool is_utc)
{
	struct writer w = { .out = out, .is_utc = is_utc };

	arena_init(&w.scratch);
	write_struct(&w, root);
	buf_char(out, '\n');
	arena_release(&w.scratch);
}
