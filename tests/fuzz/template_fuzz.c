/*
 * template_fuzz.c - any text as somebody's template, over a report whose every name would do something if an output let it.
 *
 * The first byte chooses the kind of output and the braces, the rest is the template.
 * Laws: a template comes without complaints and no template with some; each complaint has its line and column inside the text; what
 * is printed has an end, is UTF-8 and the same twice; and signs that the template has not are not printed live by any value.
 */
#include "base/template.h"
#include "render/render.h"

#include "../sample_reports.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MOST_BYTES ((size_t)1 << 20)
#define BRACES_BIT 0x10

static const char hostile[] =
	"</title><script>alert(1)</script>\" onload='x' & [a](javascript:b) ![c](http://d) `e` ```\n```\n~~~\n# f | g | **h** _i_ ~~j~~ $k$ "
	"@l #1 !2 www.m =1+1 \x1b[31m\r\t\xC2\x9B \xE2\x80\xAE \xE2\x80\x8B \xF3\xA0\x81\xA1 \xFF {{name}} {{#findings}} {x} \\ 16 min 4 s";

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

/* ------------------------------------------------ the report */

static const char *const hostile_texts[] = { hostile, "", NULL, hostile };

static void spoil_finding(struct finding *f)
{
	f->rule = f->severity = f->title = f->confidence = f->confidence_reason = hostile;
	f->what = f->why = f->refute = f->where = f->when_text = f->cost_text = f->cost_short = f->sure_text = hostile;
	f->told_by = f->card_text = f->short_name = hostile;
	f->entities = f->try = f->symptoms = f->rivals = (struct texts){ hostile_texts, SAMPLE_COUNT(hostile_texts) };
}

static struct report spoiled(struct arena *mem, const struct report *report)
{
	struct report r = *report;
	struct finding *const findings = NEW_ARRAY(mem, struct finding, r.n_findings);
	struct report_source *const sources = NEW_ARRAY(mem, struct report_source, r.n_sources);

	for (size_t i = 0; i < r.n_findings; i++) {
		findings[i] = r.findings[i];
		spoil_finding(&findings[i]);
	}
	for (size_t i = 0; i < r.n_sources; i++) {
		sources[i] = r.sources[i];
		sources[i].path = sources[i].name = sources[i].digest = sources[i].format = sources[i].why = sources[i].quality = hostile;
	}
	r.findings = r.told_findings = findings;
	r.sources = r.told_sources = sources;
	r.run.name = r.identity = r.run_text = r.command_text = r.not_logged_text = r.checked_text = hostile;
	r.verdict.severity = r.verdict.sentence = hostile;
	r.run.hosts = (struct texts){ hostile_texts, SAMPLE_COUNT(hostile_texts) };
	return r;
}

/* ------------------------------------------------ what is printed */

static bool has(struct slice text, char c)
{
	return text.n && memchr(text.p, c, text.n);
}

static bool has_any(struct slice text, const char *signs)
{
	for (; *signs; signs++)
		if (has(text, *signs))
			return true;
	return false;
}

static void check_markup(struct slice text, struct slice out)
{
	for (const char *sign = "<>\"'"; *sign; sign++)
		require(has(text, *sign) || !has(out, *sign));
}

/* A template without a sign of Markdown has every one of its output behind a backslash, and no tag. */
static void check_markdown(struct slice text, struct slice out)
{
	static const char signs[] = "`*_{}[]#|~!$\\";

	if (has_any(text, "`~<")) /* code, in which nothing is read but its end */
		return;
	require(!has(out, '<'));
	if (has_any(text, signs + 1))
		return;
	for (size_t i = 0; i < out.n; i++)
		if (out.p[i] && strchr(signs, out.p[i])) {
			require(out.p[i] == '\\' && i + 1 < out.n);
			i++; /* what it escapes */
		}
}

static void check_plain(struct slice text, struct slice out)
{
	for (size_t i = 0; i < out.n; i++)
		require((unsigned char)out.p[i] >= ' ' || out.p[i] == '\n' || has(text, out.p[i]));
}

static void check_output(const struct renderer *kind, struct slice text, struct slice out)
{
	require(!slice_is_utf8(text) || slice_is_utf8(out));
	if (strcmp(kind->name, "html") == 0)
		check_markup(text, out);
	else if (strcmp(kind->name, "markdown") == 0)
		check_markdown(text, out);
	else
		check_plain(text, out);
}

static void check_rendering(const struct template *t, const struct renderer *kind, const struct report *report, struct slice text)
{
	struct buf once, twice;

	buf_init(&once, MOST_BYTES);
	buf_init(&twice, MOST_BYTES);
	template_render_as(t, (struct view){ report, &report_fields }, kind->kind, &once);
	template_render_as(t, (struct view){ report, &report_fields }, kind->kind, &twice);
	require(once.n == twice.n && once.overflow == twice.overflow && memcmp(once.at, twice.at, once.n) == 0);
	if (!once.overflow)
		check_output(kind, text, buf_slice(&once));
	buf_release(&twice);
	buf_release(&once);
}

/* ------------------------------------------------ complaints */

static struct slice line_of(struct slice text, int64_t number)
{
	for (int64_t line = 1; line < number; line++) {
		const char *const end = text.n ? memchr(text.p, '\n', text.n) : NULL;
		require(end != NULL);
		text = (struct slice){ end + 1, text.n - (size_t)(end + 1 - text.p) };
	}
	const char *const end = text.n ? memchr(text.p, '\n', text.n) : NULL;
	return (struct slice){ text.p, end ? (size_t)(end - text.p) : text.n };
}

static void check_complaints(struct arena *mem, const struct diags *diags, struct slice text)
{
	for (size_t i = 0; i < diags->n; i++) {
		const struct place place = diags->at[i].place;
		require(strcmp(place.path, "own.tmpl") == 0 && place.line >= 1 && place.column >= 1);
		require((size_t)place.column <= line_of(text, place.line).n + 1);
		require(slice_is_utf8(slice_of(diag_text(mem, &diags->at[i]))));
	}
}

static const struct renderer *kind_of(uint8_t byte)
{
	static const char *const kinds[] = { "text", "utf8", "markdown", "html" };

	return renderer_find(slice_of(kinds[byte % SAMPLE_COUNT(kinds)]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct report *(*const reports[])(void) = { report_healthy, report_throttled, report_unknown };
	struct arena mem;
	struct diags diags;

	if (n < 1)
		return 0;
	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct slice text = { (const char *)bytes + 1, n - 1 };
	const struct report report = spoiled(&mem, reports[bytes[0] / 4 % SAMPLE_COUNT(reports)]());
	const struct template *const t = template_compile(&mem, text, (struct place){ "own.tmpl", 1, 1 },
		bytes[0] & BRACES_BIT ? TAGS_SINGLE_BRACE : TAGS_DOUBLE_BRACE, &report_fields, &diags);
	require((t != NULL) == (diags.n_errors == 0));
	check_complaints(&mem, &diags, text);
	if (t)
		check_rendering(t, kind_of(bytes[0]), &report, text);
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
