/*
 * lexer.c - cuts an expression of the rule language into tokens.
 *
 *     mean(gpu.util, 10 s) < low   ->   mean  (  gpu.util  ,  10 s  )  <  low
 *
 * A number takes the unit behind it along, because only there a word is a unit: in
 * "5 min" it is, in "0.5 * min(x)" it is a function. What follows a number is its unit unless it is a
 * keyword ("70 and"), has a dot ("2 gpu.util") or is called ("2 min(x)"); the parser then
 * misses an operator, which is what the author forgot.
 * A unit of time behind a slash belongs to it, "2 %/h" and "3 /h" (or "3 1/h"), if no blank stands between them.
 * There are no exponents and no hexadecimal: "1e9" is 1 with the unknown unit "e9".
 */
#include "rule/lexer.h"

static bool begins_word(char c)
{
	return is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues_word(char c)
{
	return begins_word(c) || is_digit(c);
}

/* The character at `at`, or NUL behind the end. */
static char peek(const struct lexer *l, size_t at)
{
	return at < l->text.n ? l->text.p[at] : '\0';
}

static size_t skip_blanks(const struct lexer *l, size_t at)
{
	while (at < l->text.n && is_white(l->text.p[at]))
		at++;
	return at;
}

static size_t skip_digits(const struct lexer *l, size_t at)
{
	while (is_digit(peek(l, at)))
		at++;
	return at;
}

static size_t skip_word(const struct lexer *l, size_t at)
{
	while (continues_word(peek(l, at)))
		at++;
	return at;
}

static struct slice part(const struct lexer *l, size_t begin, size_t end)
{
	return (struct slice){ l->text.p + begin, end - begin };
}

bool word_is_operator(struct slice word)
{
	return slice_is(word, "and") || slice_is(word, "or") || slice_is(word, "not") || slice_is(word, "has") ||
	       slice_is(word, "of");
}

static bool is_time_unit(struct slice word)
{
	return slice_is(word, "s") || slice_is(word, "min") || slice_is(word, "h") || slice_is(word, "d");
}

/* Is the word that ends at `end` a name of its own: a metric ("gpu.util"), a function? */
static bool is_name_until(const struct lexer *l, size_t end)
{
	return peek(l, end) == '.' || peek(l, skip_blanks(l, end)) == '(';
}

/* End of the "/h" that begins at `at`; `at` itself when there is none. */
static size_t per_time_ends(const struct lexer *l, size_t at)
{
	if (peek(l, at) != '/')
		return at;
	const size_t end = skip_word(l, at + 1);
	return is_time_unit(part(l, at + 1, end)) && !is_name_until(l, end) ? end : at;
}

/* End of the unit that begins at `at`; `at` itself when there is none: "%", "MiB/s", "/h", "1/h". */
static size_t unit_ends(const struct lexer *l, size_t at)
{
	if (peek(l, at) == '%')
		return per_time_ends(l, at + 1);
	if (peek(l, at) == '1' && per_time_ends(l, at + 1) > at + 1)
		return per_time_ends(l, at + 1);
	if (!begins_word(peek(l, at)))
		return per_time_ends(l, at);
	const size_t end = skip_word(l, at);
	if (is_name_until(l, end) || word_is_operator(part(l, at, end)))
		return at;
	return per_time_ends(l, end);
}

static struct token number(struct lexer *l)
{
	const size_t begin = l->at;
	size_t end = skip_digits(l, begin);

	if (peek(l, end) == '.' && is_digit(peek(l, end + 1)))
		end = skip_digits(l, end + 1);
	const size_t unit = skip_blanks(l, end);
	const size_t behind = unit_ends(l, unit);
	l->at = behind > unit ? behind : end;
	return (struct token){ TOKEN_NUMBER, part(l, begin, l->at), begin, part(l, begin, end), part(l, unit, behind) };
}

static struct token name(struct lexer *l)
{
	const size_t begin = l->at;

	while (continues_word(peek(l, l->at)) || peek(l, l->at) == '.')
		l->at++;
	return (struct token){ .kind = TOKEN_NAME, .text = part(l, begin, l->at), .begin = begin };
}

static struct token symbol(struct lexer *l)
{
	static const struct { const char *text; enum token_kind kind; } symbols[] = {
		{ "&&", TOKEN_STRAY },      { "||", TOKEN_STRAY },      { "=<", TOKEN_STRAY },      { "=>", TOKEN_STRAY },
		{ "<>", TOKEN_STRAY },      { "~=", TOKEN_STRAY },
		{ "<=", TOKEN_COMPARISON }, { ">=", TOKEN_COMPARISON }, { "==", TOKEN_COMPARISON }, { "!=", TOKEN_COMPARISON },
		{ "<", TOKEN_COMPARISON },  { ">", TOKEN_COMPARISON },  { "(", TOKEN_OPEN },        { ")", TOKEN_CLOSE },
		{ ",", TOKEN_COMMA },       { "+", TOKEN_PLUS },        { "-", TOKEN_MINUS },       { "*", TOKEN_TIMES },
		{ "/", TOKEN_OVER },
	};
	const struct slice rest = part(l, l->at, l->text.n);

	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (rest.p[0] == symbols[i].text[0] && slice_starts(rest, symbols[i].text)) {
			const size_t begin = l->at;
			l->at += strlen(symbols[i].text);
			return (struct token){ .kind = symbols[i].kind, .text = part(l, begin, l->at), .begin = begin };
		}
	l->at++;
	return (struct token){ .kind = TOKEN_STRAY, .text = part(l, l->at - 1, l->at), .begin = l->at - 1 };
}

struct token token_next(struct lexer *l)
{
	l->at = skip_blanks(l, l->at);
	const char c = peek(l, l->at);

	if (l->at >= l->text.n)
		return (struct token){ .kind = TOKEN_END, .text = part(l, l->text.n, l->text.n), .begin = l->text.n };
	if (is_digit(c) || (c == '.' && is_digit(peek(l, l->at + 1))))
		return number(l);
	if (begins_word(c))
		return name(l);
	return symbol(l);
}

bool text_names(struct slice expression, struct slice wanted)
{
	struct lexer lexer = { expression, 0 };

	for (struct token t = token_next(&lexer); t.kind != TOKEN_END; t = token_next(&lexer))
		if (t.kind == TOKEN_NAME && slice_same(t.text, wanted))
			return true;
	return false;
}
