/*
 * expression_parts.h - what the files of the expression compiler show each other, and nobody else.
 *
 *     expression.c          the grammar, one function a line of it
 *     expression_fold.c     folds over time and over sets, ref, hole and logged
 *     expression_name.c     metrics, parameters and lets: what a name stands for, and from where it is seen
 *     expression_literal.c  "10 min", "3 /h"
 *     expression_kind.c     conditions, numbers and dimensions: what fits together
 *     expression_word.c     the words of the language, and what people write instead of them
 *     expression_parser.c   tokens, nodes and complaints, for all of the above
 *     expression_always.c, expression_tree.c    what a finished tree can be, and which other it equals
 */
#ifndef POSTRUN_EXPRESSION_PARTS_H
#define POSTRUN_EXPRESSION_PARTS_H

#include "base/limits.h"
#include "rule/expression.h"
#include "rule/lexer.h"

/*
 * Places are bytes of the text, from 0. Trees, texts and complaints are in the parser's `mem`, and live as long as the rule. Whatever is
 * wrong is told by who sees it, where it stands: those who get poison, false or NULL pass it on and add nothing.
 */
struct parser {
	struct arena *mem;
	const struct yaml_node *node;
	struct slice source;
	const struct expression_context *context;
	struct diags *diags;
	struct lexer lexer;
	struct token token;  /* not yet consumed */
	size_t consumed;     /* end of the last consumed token */
	size_t depth;        /* of open parentheses and prefixes */
	bool in_set;         /* inside "of cores(", "of gpus(", … */
	enum member_set set;
	enum scope frame;    /* whose metrics are seen here: those of the rule, or of the members of the set */
	bool stopped;        /* the grammar is broken: everything returns poison from here */
	size_t n_problems;
	const struct expression *poison;
};

/* A tree and the part of the text it was made from. */
struct operand {
	const struct expression *tree;
	size_t begin, end;
};

/* ------ expression_parser.c ------ */

/* About the bytes from .. to of the text. */
#define COMPLAIN(p, from, to, code, ...) \
	((p)->n_problems++, yaml_complain_part((p)->diags, (p)->source, (p)->node, (from), (to), (code), __VA_ARGS__))
/* What is wrong takes the place of its tree and fits everywhere. */
struct operand parser_poison(const struct parser *p);
/* Then nothing more is said of it. */
bool operand_is_poison(const struct parser *p, struct operand o);
/* The grammar is broken at the token at hand: told once, and everything is poison from here. */
struct operand parser_stop(struct parser *p, const char *words);
/* "before 'x'", or "at the end". */
const char *parser_before_token(const struct parser *p);
/* The first byte behind it. */
size_t token_end(const struct token *t);

/* The next token comes to hand. Those that accept do so only if it is the one asked for; false: it is not, or all is stopped. */
void parser_advance(struct parser *p);
bool parser_accept(struct parser *p, enum token_kind kind);
bool parser_is_at(const struct parser *p, const char *word);
bool parser_accept_word(struct parser *p, const char *word);
/* Stops when the token at hand is another one. */
bool parser_expect(struct parser *p, enum token_kind kind, const char *symbol);
/* One level deeper; false, stopped, where that is too deep. Each has its parser_leave(). */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

/* A node of the text from `begin` to what was consumed last; what follows from its children is filled in. */
struct operand node_made(struct parser *p, size_t begin, struct expression e);
/* The same value in another dimension. The factor stands at a product with a 1 that nobody wrote. */
struct operand node_scaled(struct parser *p, struct operand o, double factor, enum dimension dimension);
/* As it was written, for a complaint. */
struct slice operand_text(const struct parser *p, struct operand o);

/* ------ expression_word.c ------ */

/* False, and `out` as it was: no such word. `where` is WHERE_… of expression.h; a phase has '_' in place of its '-'. */
bool fold_find(struct slice name, enum fold *out);
bool set_find(struct slice name, enum member_set *out);
bool where_find(struct slice name, unsigned *where);
const char *set_name(enum member_set set);

enum word_kind { WORD_NAME, WORD_UNIT, WORD_SET, WORD_PLACE, WORD_REASON, WORD_OPERATOR };
/* What was probably meant, or NULL. Names: also params and lets of the context. */
const char *word_meant(struct arena *mem, const struct expression_context *context, enum word_kind kind, struct slice given);
/* All words of a kind, for a complaint: "cores, gpus, others and hosts". Not for names and units. */
const char *words_known(struct arena *mem, enum word_kind kind);
/* The same of folds and of the other functions. */
const char *functions_known(struct arena *mem);

/* ------ expression_literal.c ------ */

/* Its value in the first unit of its dimension (base/unit.def), as trees have all numbers. */
double quantity_in_first_unit(struct quantity q);
/* A number with or without a unit, as written. False, told, for an unknown unit and beyond 10^15. */
bool token_quantity(struct parser *p, const struct token *t, struct quantity *out);
/* `param`: whose value it is, so that --set can change it; NULL: it is written out. */
struct operand node_constant(struct parser *p, size_t begin, struct quantity q, const struct param *param);

/* ------ expression_kind.c ------ */

/* False, told, of what is something else; of poison in silence. Counters and masks are no numbers: nothing can be done with them. */
bool operand_is_number(struct parser *p, struct operand o);
/* Of both, each told. */
bool operands_are_numbers(struct parser *p, struct operand left, struct operand right);
bool operand_is_condition(struct parser *p, struct operand o);
/* A counter as it is, of which only the growth says anything. */
bool expression_is_counter(const struct expression *e);
/*
 * For comparisons, sums and differences: are both of one dimension? A ratio beside a share becomes one, in place. False, told as
 * "'>' VERB a power JOINED_BY a share".
 */
bool operands_are_alike(struct parser *p, struct operand *left, const struct token *operator, struct operand *right, const char *verb,
	const char *joined_by);
/* Also of a quotient, as the operator says. Poison, told, where no dimension comes of it, or the divisor is 0. */
struct operand product_made(struct parser *p, struct operand left, const struct token *operator, struct operand right);

/* ------ expression_name.c ------ */

/* NULL: the rule has none of this name, which is not told. */
const struct param *param_find(const struct parser *p, struct slice name);
const struct let *let_find(const struct parser *p, struct slice name);
/* A parameter, a let or a metric, in this order; poison, told, for what is none, and for what can't be seen from here. */
struct operand name_resolved(struct parser *p, const struct token *t);
/* The metric that hole() or logged() is about; `word` is which of them. */
bool metric_named(struct parser *p, const struct token *t, struct slice word, enum metric *out);
/* Of a name that stands for nothing, with the one that was probably meant; the second, of one before a "(" or an "of" that is no fold. */
void parser_complain_name(struct parser *p, const struct token *t);
void parser_complain_function(struct parser *p, const struct token *t);

/* ------ expression_fold.c ------ */

/* Each begins behind its word, `t`, and takes all that belongs to it. mean(x), mean(x, 10 s), mean of gpus(x): */
struct operand parse_fold(struct parser *p, const struct token *t, enum fold fold);
/* ref(x), in evidence and cost alone */
struct operand parse_ref(struct parser *p, const struct token *t);
/* hole(METRIC) and logged(METRIC): NODE_HOLE, NODE_LOGGED */
struct operand parse_about(struct parser *p, const struct token *t, enum node_kind kind);
/* LEFT has REASON */
struct operand parse_has(struct parser *p, struct operand left);

/* ------ expression.c ------ */

/* The whole grammar of a condition or a number, up to what can't go on with it. */
struct operand parse_or(struct parser *p);

#endif
