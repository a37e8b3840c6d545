/*
 * template_test.c - the template language: rows of text and what they print, rows of mistakes
 * and what is said about them. Cases follow the semantics of Mustache's core: comments,
 * interpolation, sections, inverted sections, standalone lines.
 */
#include "base/template.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

/* ------------------------------------------------ a model with every kind of member */

struct leaf {
	const char *name;
	double share;
};
struct inner {
	const char *word;
	struct quantity power;
};
struct thing {
	const char *name, *empty, *none, *foreign, *hostile, *words, *list, *measured, *commands, *gap;
	bool yes, no;
	size_t zero, three, ordinal;
	double number, nan, share, seconds;
	struct quantity power, no_power, memory, busy, part, hold, no_memory;
	struct range range;
	time_ms when, never;
	struct texts tags, no_tags;
	struct cells cells;
	struct inner inner;
	const struct leaf *leaves;
	size_t n_leaves;
	const struct leaf *nothing;
	size_t n_nothing;
};

static const struct field leaf_rows[] = {
	FIELD(struct leaf, name, TEXT),
	FIELD(struct leaf, share, NUMBER),
};
static const struct fields leaf_fields = FIELDS("leaf", struct leaf, leaf_rows);

static const struct field inner_rows[] = {
	FIELD(struct inner, word, TEXT),
	FIELD(struct inner, power, QUANTITY),
};
static const struct fields inner_fields = FIELDS("inner", struct inner, inner_rows);

static bool is_three(const void *thing)
{
	return ((const struct thing *)thing)->three == 3;
}

/* A quantity whose dimension is known when a text is read, as those of rules are. */
#define OF(member, base)                                                                                               \
	{ .name = #member, .kind = FIELD_QUANTITY, .offset = offsetof(struct thing, member), .unit = (base), .has_dimension = true }

static const struct field thing_rows[] = {
	FIELD(struct thing, name, TEXT),
	FIELD(struct thing, empty, TEXT),
	FIELD(struct thing, none, TEXT),
	FIELD(struct thing, foreign, TEXT),
	FIELD(struct thing, hostile, TEXT),
	FIELD(struct thing, words, TEXT),
	FIELD(struct thing, measured, TEXT),
	FIELD(struct thing, commands, TEXT),
	FIELD(struct thing, list, TEXT),
	FIELD(struct thing, gap, TEXT),
	FIELD(struct thing, yes, BOOL),
	FIELD(struct thing, no, BOOL),
	FIELD(struct thing, zero, COUNT),
	FIELD(struct thing, three, COUNT),
	FIELD(struct thing, ordinal, ORDINAL),
	FIELD(struct thing, number, NUMBER),
	FIELD(struct thing, nan, NUMBER),
	FIELD(struct thing, share, NUMBER),
	FIELD(struct thing, seconds, NUMBER),
	FIELD_AS("watts", struct thing, power, QUANTITY),
	FIELD(struct thing, no_power, QUANTITY),
	OF(memory, UNIT_MIB),
	OF(no_memory, UNIT_MIB),
	OF(busy, UNIT_PERCENT),
	OF(part, UNIT_NUMBER),
	OF(hold, UNIT_SECOND),
	OF(power, UNIT_WATT),
	FIELD(struct thing, range, RANGE),
	FIELD(struct thing, when, TIME),
	FIELD(struct thing, never, TIME),
	FIELD(struct thing, tags, TEXTS),
	FIELD(struct thing, no_tags, TEXTS),
	FIELD(struct thing, cells, CELLS),
	QUESTION(is_three),
	OBJECT(struct thing, inner, inner_fields),
	LIST(struct thing, leaves, leaf_fields),
	LIST(struct thing, nothing, leaf_fields),
};
static const struct fields thing_fields = FIELDS("thing", struct thing, thing_rows);

static const char *const tags[] = { "red", "green", "blue" };
static const double cells[] = { 0, 0.124, 0.125, 0.5, 0.87, 0.875, 1, (double)NAN, 7, -1 };
static const struct leaf leaves[] = { { "oak", 0.25 }, { "elm", 1 } };
static const struct thing thing = {
	.name = "Ada", .empty = "", .foreign = "87 \u00B0C \u00D7 \u2013 \u2026 \u00E9 5 \u00B5s \xff",
	.hostile = "a\x1b[31m{{name}}{name}\n\t<&\xc2\x9b\xff", .words = "one two three four five six seven",
	.commands = "see (nvidia-smi -q -d POWER), mpstat -P ALL 1: or journalctl -k | grep -i xid, and ps aux --sort -rss in --all",
	.measured = "it was 61 % (for 1 min 04 s), then 5 GPUs for 2 GPU-h.", .list = "time,index,util,power /a/path/of/its/own",
	.gap = "10:30 - 10:52 -x -", .yes = true, .three = 3,
	.number = 47.25, .nan = (double)NAN, .share = 0.123, .seconds = 405, .power = { 693.4, UNIT_WATT },
	.memory = { 4198.4, UNIT_MIB }, .no_memory = { (double)NAN, UNIT_MIB }, .busy = { 93.4321, UNIT_PERCENT }, .part = { 0.25, UNIT_NUMBER },
	.hold = { 6.75, UNIT_MINUTE },
	.no_power = { (double)NAN, UNIT_WATT }, .range = { 0.2, 0.9 }, .when = 1795225783250, .never = TIME_UNKNOWN, .tags = { tags, 3 },
	.cells = { cells, 10 }, .inner = { "inside", { 5, UNIT_PERCENT } }, .leaves = leaves, .n_leaves = 2,
};

/* ------------------------------------------------ what is printed */

struct case_row {
	const char *template, *expected;
};

static const struct case_row double_brace_cases[] = {
	/* interpolation */
	{ "", "" },
	{ "Hello {{name}}!", "Hello Ada!" },
	{ "{{name}}{{ name }}{{	name	}}", "AdaAdaAda" },
	{ "| {{name}} |\n", "| Ada |\n" },
	{ "  {{name}}\n", "  Ada\n" },
	{ "[{{empty}}{{none}}]", "[]" },
	{ "{ {name} } }}", "{ {name} } }}" },
	{ "{{inner.word}} {{inner.power}}", "inside 5 %" },
	{ "{{yes}} {{no}} {{is_three}}", "true false true" },
	{ "{{zero}} {{three}} {{ordinal}}", "0 3 -" },
	{ "{{number}} {{nan}} {{watts}} {{no_power}} {{range}}", "47.25 - 693 W unknown 0.2-0.9" },
	{ "{{when}} {{never}}", "2026-11-21T01:49:43.250Z -" },
	/* what values bring in is not read again */
	{ "{{range|dashes}}{{list|dashes}} {{gap|dashes}}", "0.2-0.9time,index,util,power /a/path/of/its/own 10:30 \u2013 10:52 -x -" },
	{ "{{hostile}}", "a?[31m{{name}}{name}?" "?<&?" "?" },
	/* comments */
	{ "12{{! a comment }}34", "1234" },
	{ "a\n{{! alone }}\nb\n", "a\nb\n" },
	{ "a\n  {{! alone,\nlong }}  \nb\n", "a\nb\n" },
	{ "a\r\n{{! alone }}\r\nb", "a\r\nb" },
	{ "a {{! not alone }}\nb", "a \nb" },
	{ "{{! all }}", "" },
	{ "x\n  {{! last }}", "x\n" },
	/* sections */
	{ "{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{^yes}}3{{/yes}}{{^no}}4{{/no}}", "14" },
	{ "{{#is_three}}1{{/is_three}}", "1" },
	{ "{{#name}}a{{/name}}{{#empty}}b{{/empty}}{{#none}}c{{/none}}{{^none}}d{{/none}}", "ad" },
	{ "{{#zero}}a{{/zero}}{{#three}}b{{/three}}{{#nan}}c{{/nan}}{{^nan}}d{{/nan}}{{#ordinal}}e{{/ordinal}}", "bd" },
	{ "{{#watts}}a{{/watts}}{{#no_power}}b{{/no_power}}{{#when}}c{{/when}}{{#never}}d{{/never}}", "ac" },
	{ "{{#inner}}{{word}} {{power}} {{name}}{{/inner}}", "inside 5 % Ada" },
	{ "{{#leaves}}<{{name}}>{{/leaves}}{{#nothing}}x{{/nothing}}{{^nothing}}none{{/nothing}}", "<oak><elm>none" },
	{ "{{#leaves}}{{@number}}:{{name}} {{three}}{{^@last}}, {{/@last}}{{/leaves}}", "1:oak 3, 2:elm 3" },
	{ "{{#leaves}}{{#@first}}first {{/@first}}{{name}}{{#@last}} last{{/@last}} {{/leaves}}", "first oak elm last " },
	{ "{{#tags}}{{.}}{{^@last}}, {{/@last}}{{/tags}}", "red, green, blue" },
	{ "{{#tags}}{{#yes}}{{.|upper}}{{/yes}}{{/tags}}", "REDGREENBLUE" },
	{ "{{#cells}}{{.}} {{/cells}}", "0 0.124 0.125 0.5 0.87 0.875 1 - 7 -1 " },
	{ "{{#name}}({{.}}){{/name}}{{#three}}({{.}}){{/three}}", "(Ada)(3)" },
	{ "{{#tags}}{{#leaves}}{{@number}}{{/leaves}}{{@number}} {{/tags}}", "121 122 123 " },
	{ "{{#leaves}}{{#tags}}{{.}}{{name}} {{/tags}}{{/leaves}}", "redoak greenoak blueoak redelm greenelm blueelm " },
	{ "{{#yes}}a{{#yes}}b{{/yes}}c{{/yes}}", "abc" },
	{ "{{# yes }}={{/ yes }}", "=" },
	/* standalone lines */
	{ "a\n{{#yes}}\nb\n{{/yes}}\nc\n", "a\nb\nc\n" },
	{ "a\n  {{#yes}}\t\nb\n  {{/yes}}\nc", "a\nb\nc" },
	{ "a\r\n{{#yes}}\r\nb\r\n{{/yes}}\r\nc", "a\r\nb\r\nc" },
	{ "a\n{{^no}}\nb\n{{/no}}", "a\nb\n" },
	{ " {{#yes}} b {{/yes}} \n", "  b  \n" },
	{ "{{#leaves}}\n- {{name}}\n{{/leaves}}\n", "- oak\n- elm\n" },
	{ "{{#no}}\n{{/no}}\n\n{{#yes}}\n{{/yes}}\n", "\n" },
	/* filters */
	{ "[{{name|left:5}}][{{name|right:5}}][{{name|left:2}}][{{name|left:6:-}}]", "[Ada  ][  Ada][Ada][Ada---]" },
	{ "[{{foreign|left:29}}]", "[87 \u00B0C \u00D7 \u2013 \u2026 \u00E9 5 \u00B5s ?         ]" },
	{ "{{foreign|ascii}}", "87 C x - ... ? 5 us ?" },
	{ "{{words|middle:10}} {{name|middle:3}} {{words|middle:1}}", "one ..even Ada ." },
	{ "{{name|column:5:7}}x", "Ada  x" },
	{ "{{name|column:4:5}}x", "Ada x" },
	{ "{{name|column:3:5}}x", "Ada\n     x" }, /* a blank between, or a line of its own */
	{ "{{name|then:, }}{{empty|then:, }}{{name | then: B |left:8:-}}", "Ada,Ada B --" },
	{ "{{words|wrap:2:12}}", "one two\n  three four\n  five six\n  seven" },
	{ "1234{{words|wrap:4:15}}", "1234one two\n    three four\n    five six\n    seven" },
	{ "123456 {{words|wrap:4:12}}", "123456 one\n    two\n    three\n    four\n    five six\n    seven" },
	{ "{{list|wrap:2:14}}", "time,index,\n  util,power\n  /a/path/of/its/own" }, /* lists break, paths don't */
	{ "{{words|wrap:0:2}}", "one\ntwo\nthree\nfour\nfive\nsix\nseven" },
	{ "{{measured|wrap:2:11}}", "it was\n  61 % (for\n  1 min 04 s),\n  then 5\n  GPUs for\n  2 GPU-h." },
	{ "{{measured|wrap:0:7}}", "it was\n61 %\n(for\n1 min 04 s),\nthen 5\nGPUs\nfor\n2 GPU-h." },
	/* a command is copied as it stands; one longer than a line is not */
	{ "{{commands|wrap:0:28}}", "see\n(nvidia-smi -q -d POWER),\nmpstat -P ALL 1: or\njournalctl -k | grep -i xid,\nand ps aux --sort -rss\nin --all" },
	{ "{{commands|wrap:0:20}}", "see (nvidia-smi\n-q -d POWER),\nmpstat -P ALL 1: or\njournalctl\n-k | grep -i xid,\nand\nps aux --sort -rss\nin --all" },
	{ "{{hostile|wrap:0}}", "a?[31m{{name}}{name} <&??" },
	/* line ends are layout when a filter made them, and none of a value's own */
	{ "{{hostile|column:30}}.", "a?[31m{{name}}{name}?" "?<&?" "?    ." },
	{ "{{name|beside:0:hostile}}", "Ada                                                   a?[31m{{name}}{name}?" "?<&?" "?" },
	{ "{{name|column:3:5|column:2:3}}x", "Ada\n     \n   x" },
	{ "{{words|beside:60:name}}", "one two three    Ada\n"
		"                                                            four five six\n"
		"                                                            seven" },
	{ "{{name|beside:4:empty}}", "Ada" },
	/* no room on one line */
	{ "{{name|beside:40:measured}}",
		"Ada\n"
		"                          it was 61 % (for 1 min 04 s), then 5 GPUs for 2 GPU-h." },
	{ "{{name|upper}} {{share|percent}} {{share|fixed:1}} {{nan|percent}} {{number|count}}", "ADA 12 % 0.1 - 47" },
	{ "{{seconds|duration}} {{nan|duration}} {{watts|fixed:2}}", "6 min 45 s - 693.40" },
	/* quantities: another unit, other decimals, no unit */
	{ "{{power}} {{power|in:kW}} {{power|in:kW|digits:1}} {{power|in:kW|fixed:1}} {{power|in:kW|number}}", "693 W 0.693 kW 0.7 kW 0.7 0.693" },
	{ "{{memory}} {{memory|in:MiB}} {{memory|in:GiB|count}} {{memory| in : TiB }} {{memory|in:KiB}}", "4.1 GiB 4198 MiB 4 0.004 TiB 4299162 KiB" },
	{ "{{memory|digits:2}} {{busy|digits:2}} {{power|digits:0}} {{part|digits:3}}", "4.10 GiB 93.43 % 693 W 0.250" },
	{ "{{busy}} {{busy|fixed:1}} {{busy|number}} {{busy|count}} {{busy|percent}} {{part|percent}}", "93 % 93.4 93 93 93 % 25 %" },
	{ "{{hold}} {{hold|duration}} {{hold|in:s}} {{hold|in:h|digits:2}} {{part|duration}}", "6 min 45 s 6 min 45 s 405 s 0.11 h 0.2 s" },
	{ "{{power|in:kW|right:9}}|{{busy|digits:1|left:8}}|{{busy|bar:10}}", " 0.693 kW|93.4 %  |#########" },
	{ "{{no_power|in:kW}} {{no_power|digits:1}} {{no_power|fixed:1}} {{no_memory|in:GiB|number}} {{no_memory|in:GiB|count}}",
		"unknown unknown unknown unknown unknown" },
	{ "{{watts|in:s}} {{watts|number}} {{number|number}} {{three|number}}", "693 W 693 47.25 3" }, /* of no known dimension: as it is */
	{ "{{#power}}on{{/power}}{{#no_memory}}off{{/no_memory}}", "on" },
	{ "{{when|clock}} {{when|date}} {{when|iso}} {{never|clock}}", "01:49:43 2026-11-21 2026-11-21T01:49:43.250Z -" },
	{ "[{{share|bar:10}}][{{zero|bar:10}}][{{nan|bar:10}}][{{number|bar:3:?}}]", "[#][][][???]" },
	{ "{{cells|ramp}}", "__.=*##?#_" },
	{ "{{#leaves}}{{share|bar:8}} {{/leaves}}", "## ######## " },
};

static const struct case_row single_brace_cases[] = {
	{ "{name} waited for {seconds|duration}", "Ada waited for 6 min 45 s" },
	{ "a {{literal}} brace, {{{name}}}", "a {literal} brace, {Ada}" },
	{ "{#yes}GPUs{/yes}{^yes}GPU{/yes} {! no } x", "GPUs  x" },
	{ "{inner.power} and {hostile}", "5 % and a?[31m{{name}}{name}?" "?<&?" "?" },
	{ "{#tags}{.}{^@last}, {/@last}{/tags}", "red, green, blue" },
};

static const char *rendered_as(struct arena *mem, const char *text, enum tag_style style, const struct template_output *output)
{
	const struct place place = { "t.tmpl", 1, 1 };
	struct diags diags;
	struct buf out;

	diags_init(&diags, mem);
	const struct template *const t = template_compile(mem, slice_of(text), place, style, &thing_fields, &diags);
	for (size_t i = 0; i < diags.n; i++)
		print_message("%s: %s\n", text, diag_text(mem, &diags.at[i]));
	diags_release(&diags);
	if (!t)
		return "does not compile";
	buf_init(&out, 1 << 20);
	template_render_as(t, (struct view){ &thing, &thing_fields }, output, &out);
	const char *const result = arena_text(mem, out.at, out.n);
	out.n = 0;
	template_render_as(template_keep(mem, slice_of(text), style, &thing_fields), (struct view){ &thing, &thing_fields }, output, &out);
	assert_int_equal(out.n, strlen(result));
	assert_memory_equal(out.at, result, out.n);
	buf_release(&out);
	return result;
}

static const char *rendered(struct arena *mem, const char *text, enum tag_style style, escape_fn *escape)
{
	return rendered_as(mem, text, style, &(struct template_output){ .escape = escape });
}

static void what_can_be_blank_is_seen(void **state)
{
	static const struct { const char *text; bool may_be_blank; } cases[] = {
		{ "words", false },
		{ "{name}", false },
		{ "", true },
		{ "  \n ", true },
		{ "{#yes}words{/yes}", true },
		{ "{^yes}words{/yes}", true },
		{ "{#yes}words{/yes} end", false },
		{ "{#yes}{/yes}", true },
		/* one of the two is always there */
		{ "{#yes}words{/yes}{^yes}others{/yes}", false },
		{ "{^yes}others{/yes} {#yes}words{/yes}", false },
		{ "{#yes}words{/yes}{^yes} {/yes}", true },
		{ "{#yes}words{/yes}{^no}others{/no}", true },
		{ "{#yes}{#no}a{/no}{^no}b{/no}{/yes}{^yes}c{/yes}", false },
		{ "{#yes}{#no}a{/no}{/yes}{^yes}c{/yes}", true },
		/* a value is there when its rule fires because of it */
		{ "{#power}drew {power}{/power}", false },
		{ "{^power}unknown{/power}", true },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct place place = { "t", 1, 1 };
		struct diags diags;

		diags_init(&diags, &mem);
		const struct template *const t =
			template_compile(&mem, slice_of(cases[i].text), place, TAGS_SINGLE_BRACE, &thing_fields, &diags);
		assert_non_null(t);
		if (template_may_be_blank(t) != cases[i].may_be_blank)
			fail_msg("'%s'", cases[i].text);
		diags_release(&diags);
	}
	arena_release(&mem);
}

static void check_cases(const struct case_row *rows, size_t n, enum tag_style style)
{
	struct arena mem;

	arena_init(&mem);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(rendered(&mem, rows[i].template, style, escape_plain), rows[i].expected);
	arena_release(&mem);
}

/* A short word is not left alone on the last line, where no line is added by that. */
static void last_lines_have_company(void **state)
{
	static const struct case_row rows[] = {
		{ "{{words|wrap:0:30}}", "one two three four five\nsix seven" },
		{ "{{words|wrap:4:34}}", "one two three four five\n    six seven" },
		{ "{{words|wrap:0:33}}", "one two three four five six seven" },
		{ "{{words|wrap:0:18}}", "one two three four\nfive six seven" },
		{ "{{words|wrap:0:27}}", "one two three four five\nsix seven" },
	};

	(void)state;
	check_cases(rows, sizeof rows / sizeof *rows, TAGS_DOUBLE_BRACE);
}

static void double_braces_print(void **state)
{
	(void)state;
	check_cases(double_brace_cases, sizeof double_brace_cases / sizeof double_brace_cases[0], TAGS_DOUBLE_BRACE);
}

static void single_braces_print(void **state)
{
	(void)state;
	check_cases(single_brace_cases, sizeof single_brace_cases / sizeof single_brace_cases[0], TAGS_SINGLE_BRACE);
}

static void escape_shouting(struct buf *out, struct slice text)
{
	buf_print(out, "<%.*s>", SLICE(text));
}

static void only_values_are_escaped(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_string_equal(rendered(&mem, "a & {{name}} {{words|wrap:1:20}}", TAGS_DOUBLE_BRACE, escape_shouting),
		"a & <Ada> <one two>\n< three four five six>\n< seven>");
	arena_release(&mem);
}

/* ------------------------------------------------ what is refused */

static const struct case_row mistakes[] = {
	{ "{{nam}}", "t.tmpl:1:3: error: bad-placeholder: unknown name 'nam' in thing; did you mean 'name'?\n" },
	{ "a\n  {{ gpu_bussy }}", "t.tmpl:2:6: error: bad-placeholder: unknown name 'gpu_bussy' in thing\n" },
	{ "{{#leaves}}{{nmae}}{{/leaves}}", "t.tmpl:1:14: error: bad-placeholder: unknown name 'nmae' in leaf; did you mean 'name'?\n" },
	{ "{{inner.wort}}", "t.tmpl:1:9: error: bad-placeholder: unknown name 'wort' in inner\n" },
	{ "{{name.x}}", "t.tmpl:1:3: error: bad-placeholder: 'name' has no parts\n" },
	{ "{{inner.}}", "t.tmpl:1:3: error: bad-placeholder: unknown name 'inner.' in thing\n" },
	{ "{{}}{{#}}{{/}}", "t.tmpl:1:3: error: bad-placeholder: a tag without a name\n"
		"t.tmpl:1:8: error: bad-placeholder: a tag without a name\n" },
	{ "{{name", "t.tmpl:1:1: error: bad-placeholder: a tag that is not closed\n" },
	{ "\u00E9 {{name|uper}}", "t.tmpl:1:10: error: bad-placeholder: unknown filter 'uper'; did you mean 'upper'?\n" },
	{ "{{name|percent}}", "t.tmpl:1:8: error: bad-placeholder: filter 'percent' takes a share or a number\n" },
	{ "{{share|percent|percent}}", "t.tmpl:1:17: error: bad-placeholder: filter 'percent' takes a share or a number\n" },
	{ "{{name|clock}}", "t.tmpl:1:8: error: bad-placeholder: filter 'clock' takes a moment\n" },
	{ "{{name|ramp}}", "t.tmpl:1:8: error: bad-placeholder: filter 'ramp' takes a row of cells\n" },
	{ "{{tags|upper}}", "t.tmpl:1:8: error: bad-placeholder: filter 'upper' takes a value\n" },
	{ "{{name|left}}", "t.tmpl:1:8: error: bad-placeholder: bad argument of filter 'left': ''; expected a number of columns up to 1000, then perhaps ':' and what fills them\n" },
	{ "{{name|left:x}}", "t.tmpl:1:8: error: bad-placeholder: bad argument of filter 'left': 'x'; expected a number of columns up to 1000, then perhaps ':' and what fills them\n" },
	{ "{{name|left:99999999999999999999}}",
		"t.tmpl:1:8: error: bad-placeholder: bad argument of filter 'left': '99999999999999999999'; expected a number of columns up to 1000, then perhaps ':' and what fills them\n" },
	{ "{{name|upper:1}}", "t.tmpl:1:8: error: bad-placeholder: bad argument of filter 'upper': '1'; expected nothing\n" },
	{ "{{name|wrap:20:10}}", "t.tmpl:1:8: error: bad-placeholder: bad argument of filter 'wrap': '20:10'; expected a number of columns up to 1000, then perhaps ':' and a greater one\n" },
	{ "{{name|beside:1:nane}}", "t.tmpl:1:17: error: bad-placeholder: unknown name 'nane' in thing; did you mean 'name'?\n" },
	{ "{{share|fixed:16}}", "t.tmpl:1:9: error: bad-placeholder: bad argument of filter 'fixed': '16'; expected a number of digits up to 15\n" },
	{ "{{power|in}}", "t.tmpl:1:9: error: bad-placeholder: bad argument of filter 'in': ''; expected a unit\n" },
	{ "{{power|in:kv}}", "t.tmpl:1:12: error: bad-placeholder: unknown unit 'kv'; those of 'power' are W, kW, mW\n" },
	{ "{{watts|in:fractoin}}", "t.tmpl:1:12: error: bad-placeholder: unknown unit 'fractoin'; did you mean 'fraction'?\n" },
	{ "{{power|in:GiB}}", "t.tmpl:1:12: error: bad-placeholder: 'power' is a power, and GiB is an amount of memory; its units are W, kW, mW\n" },
	{ "{{power|in:kW|in:C}}", "t.tmpl:1:18: error: bad-placeholder: 'power' is a power, and C is a temperature; its units are W, kW, mW\n" },
	{ "{{share|in:W}}", "t.tmpl:1:9: error: bad-placeholder: filter 'in' takes a quantity\n" },
	{ "{{name|digits:1}}", "t.tmpl:1:8: error: bad-placeholder: filter 'digits' takes a quantity\n" },
	{ "{{power|digits:x}}", "t.tmpl:1:9: error: bad-placeholder: bad argument of filter 'digits': 'x'; expected a number of digits up to 15\n" },
	{ "{{power|digits:1|digits:1}}", "t.tmpl:1:18: error: bad-placeholder: filter 'digits' takes a quantity\n" },
	{ "{{power|percent}}", "t.tmpl:1:9: error: bad-placeholder: filter 'percent' takes a share or a number, and 'power' is a power\n" },
	{ "{{busy|duration}}", "t.tmpl:1:8: error: bad-placeholder: filter 'duration' takes a time or a number of seconds, and 'busy' is a share\n" },
	{ "{{memory|fixed:1}} GiB", "t.tmpl:1:10: error: bad-placeholder: filter 'fixed' drops the unit of 'memory', which depends on its size; "
		"choose one before it with 'in:UNIT' (MiB, B, KiB, GiB, TiB)\n" },
	{ "{{tags}}", "t.tmpl:1:3: error: bad-placeholder: 'tags' is a list or a struct, not a value\n" },
	{ "{{.}}", "t.tmpl:1:3: error: bad-placeholder: '.' is no single value in thing\n" },
	{ "{{@first}}", "t.tmpl:1:3: error: bad-placeholder: '@first' outside of a list\n" },
	{ "{{#tags}}{{@frist}}{{/tags}}", "t.tmpl:1:12: error: bad-placeholder: unknown name '@frist'; did you mean '@first'?\n" },
	{ "{{&name}}{{{name}}}{{=name}}", "t.tmpl:1:3: error: bad-placeholder: tags with '&' are not part of this language\n"
		"t.tmpl:1:12: error: bad-placeholder: tags with '{' are not part of this language\n"
		"t.tmpl:1:22: error: bad-placeholder: tags with '=' are not part of this language\n" },
	{ "{{>detail}}{{>}}", "t.tmpl:1:4: error: bad-placeholder: no part is called 'detail'; did you mean 'details'?\n"
		"t.tmpl:1:15: error: bad-placeholder: no part is called ''\n" },
	/* a mistake inside of a part is told with its place there; here its names are not known */
	{ "{{#yes}}\n{{>figure}}\n{{/yes}}{{b}}", "templates/figure.part.tmpl:5:4: error: bad-placeholder: unknown name 'light' in thing\n"
		"t.tmpl:3:11: error: bad-placeholder: unknown name 'b' in thing\n" },
	{ "{{#yes}}", "t.tmpl:1:4: error: bad-placeholder: 'yes' is not closed\n" },
	{ "{{/yes}}", "t.tmpl:1:4: error: bad-placeholder: 'yes' is closed, but not open\n" },
	{ "\n{{#yes}}\n{{/no}}", "t.tmpl:3:4: error: bad-placeholder: 'no' is closed, but 'yes' of line 2 is open\n" },
	/* all of them, and none twice */
	{ "{{a}}\n{{b}}\n{{#leavs}}{{share2|duration}}{{title}}{{.}}{{@first}}{{/leavs}}",
		"t.tmpl:1:3: error: bad-placeholder: unknown name 'a' in thing\n"
		"t.tmpl:2:3: error: bad-placeholder: unknown name 'b' in thing\n"
		"t.tmpl:3:4: error: bad-placeholder: unknown name 'leavs' in thing; did you mean 'leaves'?\n" },
	{ "{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}{{#yes}}"
	  "{{#yes}}{{#yes}}{{#yes}}{{#yes}}", "t.tmpl:1:132: error: limit: sections nested more than 16 deep\n" },
};

static const char *complaints(struct arena *mem, struct slice text, struct place place, enum tag_style style)
{
	struct diags diags;
	const char *all = "";

	diags_init(&diags, mem);
	assert_null(template_compile(mem, text, place, style, &thing_fields, &diags));
	for (size_t i = 0; i < diags.n; i++)
		all = arena_print(mem, "%s%s\n", all, diag_text(mem, &diags.at[i]));
	diags_release(&diags);
	return all;
}

static void mistakes_are_told_with_their_place(void **state)
{
	struct arena mem;
	const struct place place = { "t.tmpl", 1, 1 };

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		assert_string_equal(complaints(&mem, slice_of(mistakes[i].template), place, TAGS_DOUBLE_BRACE), mistakes[i].expected);
	assert_string_equal(complaints(&mem, slice_of("ok } {nam}"), (struct place){ "r.yaml", 7, 10 }, TAGS_SINGLE_BRACE),
		"r.yaml:7:13: error: bad-placeholder: a lone '}'; a brace that is meant is written twice\n"
		"r.yaml:7:16: error: bad-placeholder: unknown name 'nam' in thing; did you mean 'name'?\n");
	arena_release(&mem);
}

/* Rules, padding, bars and ramps, but no punctuation and no values. */
static void outputs_draw_with_their_signs(void **state)
{
	static const struct drawn_sign fills[] = { { '-', "~" }, { '#', "\u2588" }, { '\0', NULL } };
	static const struct template_signs signs = { fills, { "a", "b", "c", "d", "e", "f", "g", "\u2588" }, "\u2591" };
	static const struct template_output drawn = { .escape = escape_plain, .signs = &signs };
	static const struct case_row rows[] = {
		{ "-- -------- ========\n", "-- ~~~~~~~~ ========\n" },
		{ "{{name|left:5:-}}{{name|left:5:x}}{{name|left:5}}|", "Ada~~AdaxxAda  |" },
		{ "{{share|bar:10}} {{share|bar:10:-}}", "\u2588 ~" },
		{ "{{cells|ramp}}", "aabeg\u2588\u2588\u2591\u2588a" },
		{ "{{foreign|ascii}}", "87 C x - ... ? 5 us ?" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(rendered_as(&mem, rows[i].template, TAGS_DOUBLE_BRACE, &drawn), rows[i].expected);
	arena_release(&mem);
}

static void escape_stars(struct buf *out, struct slice text)
{
	(void)text;
	buf_text(out, "***");
}

/* Only the template's own fences count: what a value brings in opens none. */
static void code_is_escaped_as_code(void **state)
{
	static const struct template_output markdown = { .escape = escape_stars, .escape_in_code = escape_plain };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_string_equal(rendered_as(&mem, "{{name}} ```\n{{name}}\n```text\n{{name}}\n x {{name}}\n```\n{{name}}\n", TAGS_DOUBLE_BRACE,
				    &markdown),
		"*** ```\n***\n```text\nAda\n x Ada\n```\n***\n");
	arena_release(&mem);
}

/* What is code for one reader and not for another is not taken for code: escaped too much is ugly, too little is live. */
static void doubtful_code_is_escaped_as_text(void **state)
{
	static const struct template_output markdown = { .escape = escape_stars, .escape_in_code = escape_plain };
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "```a```\n{{name}}\n", "```a```\n***\n" },
		{ "````\n```\n{{name}}\n````\n{{name}}\n", "````\n```\nAda\n````\n***\n" },
		{ "```\n```x\n{{name}}\n```\n{{name}}\n", "```\n```x\nAda\n```\n***\n" },
		{ "```\n{{name}}\n  ```  \n{{name}}\n", "```\nAda\n  ```  \n***\n" },
		{ "~~~\n```\n{{name}}\n~~~\n{{name}}\n", "~~~\n```\n***\n~~~\n***\n" },
		{ "- ```\n  {{name}}\n  ```\n{{name}}\n```\n{{name}}\n", "- ```\n  ***\n  ```\n***\n```\n***\n" },
		{ "1) > ```\n{{name}}\n```\n{{name}}\n", "1) > ```\n***\n```\n***\n" },
		{ "<div>\n```\n{{name}}\n```\n\n{{name}}\n", "<div>\n```\n***\n```\n\n***\n" },
		{ "<div>\n\n```\n{{name}}\n```\n\n{{name}}\n", "<div>\n\n```\nAda\n```\n\n***\n" },
		{ "<pre>\n\n```\n{{name}}\n```\n", "<pre>\n\n```\n***\n```\n" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(rendered_as(&mem, rows[i].text, TAGS_DOUBLE_BRACE, &markdown), rows[i].expected);
	arena_release(&mem);
}

static void a_template_too_long_is_refused(void **state)
{
	struct arena mem;
	const size_t n = ((size_t)256 << 10) + 1;

	(void)state;
	arena_init(&mem);
	char *const text = arena_alloc(&mem, n);
	memset(text, 'x', n);
	assert_string_equal(complaints(&mem, (struct slice){ text, n }, (struct place){ "t", 1, 1 }, TAGS_DOUBLE_BRACE),
		"t:1:1: error: limit: a template of more than 262144 bytes\n");
	arena_release(&mem);
}

/* Sections of sections multiply: 3 to the 16th turns must not be run through. */
static void endless_repetition_ends(void **state)
{
	struct arena mem;
	struct diags diags;
	struct buf text, out;

	(void)state;
	arena_init(&mem);
	buf_init(&text, 1 << 16);
	for (int i = 0; i < 16; i++)
		buf_text(&text, "{{#tags}}");
	for (int i = 0; i < 16; i++)
		buf_text(&text, "{{/tags}}");
	diags_init(&diags, &mem);
	const struct template *const t = template_compile(&mem, buf_slice(&text), (struct place){ "t", 1, 1 },
		TAGS_DOUBLE_BRACE, &thing_fields, &diags);
	buf_init(&out, 1 << 16);
	template_render(t, (struct view){ &thing, &thing_fields }, escape_plain, &out);
	assert_true(out.overflow);
	buf_release(&out);
	buf_release(&text);
	diags_release(&diags);
	arena_release(&mem);
}

/* Nor those that print nothing. */
static void endless_silence_ends(void **state)
{
	struct arena mem;
	struct diags diags;
	struct buf text, out;

	(void)state;
	arena_init(&mem);
	buf_init(&text, 1 << 18);
	buf_text(&text, "{{#tags}}{{#tags}}{{#tags}}{{#tags}}{{#tags}}{{#tags}}");
	for (int i = 0; i < 8000; i++)
		buf_text(&text, "{{words|wrap:0|wrap:1|middle:0}}");
	buf_text(&text, "{{/tags}}{{/tags}}{{/tags}}{{/tags}}{{/tags}}{{/tags}}");
	diags_init(&diags, &mem);
	const struct template *const t = template_compile(&mem, buf_slice(&text), (struct place){ "t", 1, 1 },
		TAGS_DOUBLE_BRACE, &thing_fields, &diags);
	buf_init(&out, 1 << 16);
	template_render(t, (struct view){ &thing, &thing_fields }, escape_plain, &out);
	assert_true(out.overflow);
	assert_int_equal(out.n, 0);
	buf_release(&out);
	buf_release(&text);
	diags_release(&diags);
	arena_release(&mem);
}

static void filters_explain_themselves(void **state)
{
	size_t n;
	const struct filter_row *const rows = template_filters(&n);

	(void)state;
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(rows[i].name);
		assert_non_null(rows[i].argument);
		assert_true(strlen(rows[i].help) > 4);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(double_braces_print),
		cmocka_unit_test(last_lines_have_company),
		cmocka_unit_test(single_braces_print),
		cmocka_unit_test(only_values_are_escaped),
		cmocka_unit_test(outputs_draw_with_their_signs),
		cmocka_unit_test(code_is_escaped_as_code),
		cmocka_unit_test(doubtful_code_is_escaped_as_text),
		cmocka_unit_test(mistakes_are_told_with_their_place),
		cmocka_unit_test(a_template_too_long_is_refused),
		cmocka_unit_test(endless_repetition_ends),
		cmocka_unit_test(endless_silence_ends),
		cmocka_unit_test(filters_explain_themselves),
		cmocka_unit_test(what_can_be_blank_is_seen),
	};

	setrlimit(RLIMIT_CPU, &(struct rlimit){ 600, 600 }); /* what does not end is ended, however busy the machine is, and under memcheck, too */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
