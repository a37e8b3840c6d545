/* lexer.h - cuts an expression of the rule language into tokens. For this folder only. */
#ifndef POSTRUN_LEXER_H
#define POSTRUN_LEXER_H

#include "base/slice.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME, /* and keywords: the parser knows which words are which */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_COMMA,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_TIMES,
	TOKEN_OVER,
	TOKEN_COMPARISON, /* < <= > >= == != */
	TOKEN_STRAY,      /* what the language does not have: a character, or an operator of other languages ("&&") */
};

struct token {
	enum token_kind kind;
	struct slice text;  /* as written; of a number with its unit */
	size_t begin;       /* offset in the text of the expression */
	struct slice digits, unit; /* NUMBER: "10" and "min"; the unit is empty when there is none */
};

struct lexer {
	struct slice text;
	size_t at;
};

/* END at the end, again and again. */
struct token token_next(struct lexer *lexer);
/* True when the expression has this word as a name of its own. */
bool text_names(struct slice expression, struct slice wanted);
/* "and", "or", "not", "has" or "of". */
bool word_is_operator(struct slice word);

#endif
