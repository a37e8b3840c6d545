/*
 * template.h - text with holes, in Mustache syntax, over models.
 *
 * {{name}} {{a.b}} {{name|filter:argument|filter}}  a value, escaped for the output
 * {{#list}}…{{/list}}  once for each item; {{#name}}…{{/name}}  when true or present; {{^name}}…{{/name}}  when not
 * {{.}}  the item itself in a list of texts; {{! comment }}; a tag alone on its line leaves no line.
 * {{>name}}  the built-in part templates/name.part.tmpl, as if it stood here.
 * Inside a list: {{@first}} {{@last}} {{@number}} (from 1). Names are looked up in the innermost
 * struct first, then outwards.
 *
 * Texts of rules use the same language with single braces: "{gpus} waited for {duration}"; there a
 * literal brace is written twice.
 *
 * Templates are compiled once. Unknown names and filters, wrong nesting and unclosed tags
 * are errors at file:line:column when compiled, all of them.
 * Escaping belongs to the output, not to the template.
 */
#ifndef POSTRUN_TEMPLATE_H
#define POSTRUN_TEMPLATE_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/model.h"

struct template; /* lives in the arena it was compiled into */

/* Appends `text` as the output wants it; for plain text, control bytes become '?'. */
typedef void escape_fn(struct buf *out, struct slice text);
void escape_plain(struct buf *out, struct slice text);

/* Which signs draw rules, bars and ramps. A sign that is not named is drawn as the template has it. */
struct template_signs {
	struct drawn_sign {
		char written;      /* '-' */
		const char *drawn; /* one character of UTF-8, as wide */
	} const *fills; /* of bars, of padding, and of rules: runs of eight and more in the template's own text; ends with '\0' */
	const char *ramp[8], *no_data; /* one step per 12.5 % */
};

/* What an output wants, whatever the template. */
struct template_output {
	escape_fn *escape;
	escape_fn *escape_in_code;          /* between lines that begin with "```"; NULL: no other than elsewhere */
	const struct template_signs *signs; /* NULL: ASCII */
};

enum tag_style { TAGS_DOUBLE_BRACE, TAGS_SINGLE_BRACE };

/*
 * Compiles against the description of the outermost struct, so that every name is checked.
 * NULL, with complaints at `place` (line and column of the text's first character), when wrong.
 */
const struct template *template_compile(struct arena *mem, struct slice text, struct place place,
	enum tag_style tags, const struct fields *root, struct diags *diags);
/*
 * Of a text that is known to be right: it is kept as it is, and compiled each time it is rendered. For texts of which few ever are, as
 * those of rules that are built in. `text` and `root` must outlive it.
 */
const struct template *template_keep(struct arena *mem, struct slice text, enum tag_style tags, const struct fields *root);
/* A template that goes round and round for longer than any report needs ends as if its output were over its limit. */
void template_render(const struct template *t, struct view root, escape_fn *escape, struct buf *out);
void template_render_as(const struct template *t, struct view root, const struct template_output *output, struct buf *out);
/* The same of a file that is built in, "templates/fleet.tmpl": that it does not compile is a mistake of ours. */
void template_render_embedded(const char *name, struct view root, const struct template_output *output, struct buf *out);

/*
 * Could it print nothing but blanks? So it is when all words stand in sections of yes or no, unless a section and its opposite both
 * have some. That a value is there is the author's to know: "{#io_wait}…{/io_wait}" in a rule that fires because of it.
 */
bool template_may_be_blank(const struct template *t); /* of one that was compiled, not kept */

/* The filters, for help and documents. */
struct filter_row {
	const char *name, *argument, *help;
};
const struct filter_row *template_filters(size_t *n);

#endif
