/*
 * render_test.c - the text report of three sample reports: its laws, and the lines that matter.
 */
#include "base/embedded.h"
#include "render/render.h"
#include "sample_reports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct page {
	struct arena mem;
	struct buf text;
};

static struct slice embedded_text(const char *name)
{
	for (size_t i = 0; i < n_embedded_files; i++)
		if (strcmp(embedded_files[i].name, name) == 0)
			return (struct slice){ embedded_files[i].begin,
				(size_t)(embedded_files[i].end - embedded_files[i].begin) };
	fail_msg("%s is not built in", name);
	return (struct slice){ "", 0 };
}

static const struct template *template_of(struct page *page, const struct renderer *renderer)
{
	const char *const name = arena_print(&page->mem, "templates/%s", renderer->template);
	struct diags diags;

	diags_init(&diags, &page->mem);
	const struct template *const t = template_compile(&page->mem, embedded_text(name), (struct place){ name, 1, 1 },
		TAGS_DOUBLE_BRACE, &report_fields, &diags);
	for (size_t i = 0; i < diags.n; i++)
		print_message("%s\n", diag_text(&page->mem, &diags.at[i]));
	assert_non_null(t);
	diags_release(&diags);
	return t;
}

static void page_render_as(struct page *page, const struct report *report, const char *format, struct render_options how)
{
	const struct renderer *const renderer = renderer_find(slice_of(format));

	arena_init(&page->mem);
	buf_init(&page->text, limit_table[LIMIT_REPORT].value);
	render(renderer, report, renderer->template ? template_of(page, renderer) : NULL, &how, &page->mem, &page->text);
	assert_false(page->text.overflow);
	if (getenv("POSTRUN_SHOW_PAGES"))
		printf("%s", page->text.at);
}

static void page_render(struct page *page, const struct report *report)
{
	page_render_as(page, report, "text", (struct render_options){ 0 });
}

static void page_release(struct page *page)
{
	buf_release(&page->text);
	arena_release(&page->mem);
}

static size_t page_lines(const struct page *page)
{
	size_t n = 0;

	for (size_t i = 0; i < page->text.n; i++)
		n += page->text.at[i] == '\n';
	return n;
}

/* 80 columns, printable ASCII and LF, no line of blanks, no two empty lines, an end. */
static void check_laws(const struct page *page)
{
	size_t column = 0, empty = 0;

	for (size_t i = 0; i < page->text.n; i++) {
		const char c = page->text.at[i];
		if (c == '\n') {
			empty = column ? 0 : empty + 1;
			assert_true(empty < 2);
			column = 0;
			continue;
		}
		assert_in_range(c, 0x20, 0x7E);
		assert_true(++column <= 80);
	}
	assert_int_equal(column, 0);
	assert_null(strstr(page->text.at, "unknown name"));
}

static void check_has(const struct page *page, const char *part)
{
	if (!strstr(page->text.at, part))
		fail_msg("'%s' is not in\n%s", part, page->text.at);
}

static void healthy_run_fits_forty_lines(void **state)
{
	struct page page;

	(void)state;
	page_render(&page, report_healthy());
	check_laws(&page);
	assert_true(page_lines(&page) <= 40);
	check_has(&page, "VERDICT   Healthy. The GPU was 95 % busy once training started. Nothing here\n          needs fixing.\n");
	check_has(&page, "NOTES     1. Start-up took 23 s                                      0.4 GPU-min\n");
	check_has(&page, "GPU 0      91  44  97  99       21.2    62  65    402  445       2715        0\n");
	check_has(&page, "CPU        30  22  31  38   (all cores together)\n");
	check_has(&page, "  B_cpu.log       601 of 601 samples, step 1.0 s, no hole.\n"
			 "                  Its times are taken in the zone of B_gpu.csv.\n");
	assert_null(strstr(page.text.at, "TIMELINE"));
	page_release(&page);
}

static void healthy_run_with_all_is_told_in_full(void **state)
{
	struct report all = *report_healthy();
	struct page page;

	(void)state;
	all.all = true;
	page_render(&page, &all);
	check_laws(&page);
	check_has(&page, "WHERE THE 10.0 GPU-MINUTES WENT ------------------------------------------------\n"
			 "  at the run's normal speed            9.4   94 %  ##########################\n"
			 "  [1] start-up                         0.4    4 %  #\n");
	check_has(&page, "TIMELINE");
	check_has(&page, "PROVENANCE");
	page_release(&page);
}

/* What report_build() does not look for where nobody asks for it (report_options.in_table_alone). */
static void our_templates_leave_out_what_is_long_of_a_healthy_run(void **state)
{
	static const struct better_log better = { .command = "dmesg -T", .settles = "a lost GPU" };
	struct report full = *report_healthy();
	struct page page, page_without;

	(void)state;
	full.throttle = report_throttled()->throttle;
	full.n_throttle = report_throttled()->n_throttle;
	full.told_throttle = report_throttled()->told_throttle;
	full.n_told_throttle = report_throttled()->n_told_throttle;
	full.throttle_notes = report_throttled()->throttle_notes;
	full.log_better = &better;
	full.n_log_better = 1;
	struct report without = full;
	without.throttle = without.told_throttle = NULL;
	without.n_throttle = without.n_told_throttle = 0;
	without.throttle_notes = (struct texts){ NULL, 0 };
	without.log_better = NULL;
	without.n_log_better = 0;
	without.timeline = NULL;
	without.timeline_labels = without.timeline_ticks = without.timeline_legend = without.timeline_legend_drawn = NULL;
	without.n_timeline = 0;
	for (size_t i = 0; i < n_renderers; i++) {
		if (!renderer_table[i].template)
			continue;
		page_render_as(&page, &full, renderer_table[i].name, (struct render_options){ 0 });
		page_render_as(&page_without, &without, renderer_table[i].name, (struct render_options){ 0 });
		assert_string_equal(page.text.at, page_without.text.at);
		page_release(&page_without);
		page_release(&page);
	}
}

/* What was kept back, and by which rules a run is called healthy, is told in few words as well. */
static void healthy_run_tells_of_its_rules(void **state)
{
	struct report brief = *report_healthy();
	struct page page;

	(void)state;
	brief.suppressed = report_throttled()->suppressed;
	brief.n_suppressed = 1;
	brief.rules = report_throttled()->rules;
	page_render(&page, &brief);
	check_laws(&page);
	check_has(&page, "\nSUPPRESSED, not counted above --");
	check_has(&page, "  Rules           site/gpu-hot.yaml (xxh128:65b60afb4d7a50d565b60afb4d7a50d5)\n"
			 "                  takes the place of rules/gpu-hot.yaml.\n"
			 "                  gpu-hot was judged with margin = 3 C, by --set.\n"
			 "  Left out        ");
	page_release(&page);
}

static void throttled_run_is_told_in_full(void **state)
{
	struct page page;

	(void)state;
	page_render(&page, report_throttled());
	check_laws(&page);
	check_has(&page, "GPU RUN REPORT  resnet-pretrain on gpu-a17                         postrun 1.0.0\n");
	check_has(&page, "          2. GPUs 3 and 5 overheated for 22 min and held up the other six.\n\nRUN       8 x NVIDIA");
	check_has(&page, "CHARTS    card.png  timeline.png  thermal.png  duty.png\n");
	check_has(&page, "  [3] no log, not judged               0.7  0.4 %  ?\n");
	check_has(&page, "GPU busy    __*##########*###=---");
	check_has(&page, "finding 1                    111111111\n");
	check_has(&page, "[1] CRITICAL The GPUs waited for input data                            1.1 GPU-h\n");
	check_has(&page, "[2] CRITICAL GPUs 3 and 5 overheated and held up the other six   up to 0.9 GPU-h\n"
			 "             while the whole job kept waiting in step\n");
	check_has(&page, "[13] NOTE     5 minutes");
	check_has(&page, "    what     83-90 C on GPUs 3 and 5 (slowdown at 87 C).\n");
	check_has(&page, "    symptoms busy at low power, clock lost at work, stops and starts, low use\n    try      1. Make");
	check_has(&page, "    sure?    HIGH: two logs agree. It would be wrong if the CPU load belonged to\n"
			 "             another job: check pidstat or the scheduler.\n");
	check_has(&page, "    or else  another job on the node took the cores\n");
	check_has(&page, "\nSUPPRESSED, not counted above --------------------------------------------------\n"
			 "  gpu-hot on GPUs 3-5 is suppressed until Sat 2024-06-01: the \"fan\" is on order.\n"
			 "    GPUs 3 and 5 came close to their limit                       up to 0.9 GPU-h\n"
			 "      10:30:07 - 10:52:12 (22 min); one window\n"
			 "      with busy at low power, clock lost at work\n"
			 "  The suppression of gpu-idle ended on Wed 2024-05-01, before this run, so its\n");
	check_has(&page, "rules xxh128:00112233445566778899aabbccddeeff\n"
			 "  site/gpu-hot.yaml (xxh128:65b60afb4d7a50d565b60afb4d7a50d5) takes the place\n    of rules/gpu-hot.yaml.\n"
			 "  gpu-hot was judged with margin = 3 C, by --set.\n");
	check_has(&page, "Zone UTC-5 was given by --tz.");
	page_release(&page);
}

static void unknown_run_says_what_it_can(void **state)
{
	struct page page;

	(void)state;
	page_render(&page, report_unknown());
	check_laws(&page);
	check_has(&page, "GPU RUN REPORT  a name ?[31mwith? bad bytes");
	check_has(&page, "Not judged:             all 40 rules about GPUs (no GPU log).\n");
	check_has(&page, "It has times of day only");
	assert_null(strstr(page.text.at, "STATISTICS"));
	assert_null(strstr(page.text.at, "FINDINGS"));
	assert_null(strstr(page.text.at, "CHARTS"));
	page_release(&page);
}

static void empty_report_renders(void **state)
{
	static const struct report nothing;
	struct page page;

	(void)state;
	page_render(&page, &nothing);
	check_laws(&page);
	page_release(&page);
}

/* ------------------------------------------------ the other outputs */

static const struct report *sample(size_t i)
{
	static const struct report nothing;
	const struct report *const all[] = { report_healthy(), report_throttled(), report_unknown(), &nothing };

	return i < sizeof all / sizeof *all ? all[i] : NULL;
}

/* Every output of every report is text: UTF-8 without control characters, one line end at its end. */
static void every_output_of_every_report_is_text(void **state)
{
	struct page page;

	(void)state;
	for (size_t i = 0; sample(i); i++)
		for (size_t k = 0; k < n_renderers; k++) {
			page_render_as(&page, sample(i), renderer_table[k].name, (struct render_options){ 0 });
			assert_true(page.text.n > 0);
			assert_true(slice_is_utf8(buf_slice(&page.text)));
			for (size_t at = 0; at < page.text.n; at++)
				assert_true((unsigned char)page.text.at[at] >= ' ' || (page.text.at[at] && strchr("\n\t", page.text.at[at])));
			assert_int_equal(page.text.at[page.text.n - 1], '\n');
			assert_null(strstr(page.text.at, "(null)"));
			page_release(&page);
		}
}

static bool is_drawn(struct slice sign)
{
	return slice_starts(sign, "\xe2\x96") || slice_starts(sign, "\xe2\x94\x80") || slice_starts(sign, "\xe2\x95\x90");
}

/* Rules, bars and the time line, sign for sign; nothing else. */
static void check_twins(const struct page *plain, const struct page *drawn)
{
	const char *p = plain->text.at, *d = drawn->text.at;

	for (; *p; p++)
		if (is_drawn(slice_of(d))) {
			assert_non_null(strchr("=-#?_.:+*", *p));
			d += 3;
		} else {
			assert_int_equal(*p, *d++);
		}
	assert_int_equal(*d, '\0');
}

static void the_utf8_twin_differs_in_drawn_signs_alone(void **state)
{
	struct page plain, drawn;

	(void)state;
	for (size_t i = 0; sample(i); i++) {
		struct report all = *sample(i);
		all.all = true;
		page_render(&plain, &all);
		page_render_as(&drawn, &all, "utf8", (struct render_options){ 0 });
		check_twins(&plain, &drawn);
		page_release(&drawn);
		page_release(&plain);
	}
	page_render_as(&drawn, report_throttled(), "utf8", (struct render_options){ 0 });
	check_has(&drawn, "WHERE THE 16.0 GPU-HOURS WENT \u2500\u2500\u2500");
	check_has(&drawn, "78 %  \u2588\u2588");
	check_has(&drawn, "  [3] no log, not judged               0.7  0.4 %  \u2591\n");
	check_has(&drawn, "GPU busy    \u2581\u2581\u2587\u2588");
	check_has(&drawn, "\u2581 0-12 %  \u2582\u2583\u2584\u2585\u2586\u2587  \u2588 88-100 %  \u2591 no data\n");
	page_release(&drawn);
}

/* Between the fences of Markdown stands what the text says there: one part of templates, but for names with backticks. */
static void check_has_end_of_text(const struct page *markdown)
{
	struct page text;

	page_render(&text, report_throttled());
	const char *const from_statistics = strstr(text.text.at, "\nSTATISTICS, whole run");
	assert_non_null(from_statistics);
	check_has(markdown, from_statistics);
	page_release(&text);
}

static void markdown_has_what_the_text_has(void **state)
{
	struct page page;

	(void)state;
	page_render_as(&page, report_throttled(), "markdown", (struct render_options){ 0 });
	check_has(&page, "1. All GPUs waited for input data for 16 min.\n2. GPUs 3 and 5 overheated");
	check_has(&page, "\n\n![Eight GPUs &amp; one \"hole\"](card.png)\n\n");
	check_has(&page, "| \\[1\\] starved for input, at most | 1.1 | 7 % |\n");
	check_has(&page, "| 1 | critical | **The GPUs waited for input data** |");
	check_has(&page, "\n### 1. The GPUs waited for input data (1.1 GPU-h)\n\n- **What:** ");
	check_has(&page, "- **Symptoms:** busy at low power, clock lost at work, stops and starts, low use\n- **Try:**\n  1. Make the input");
	check_has(&page, "- **Sure?** HIGH: two logs agree.");
	check_has(&page, "<details><summary>Statistics, data quality, provenance</summary>\n\n```text\n");
	check_has(&page, "\n```\n\n</details>\n");
	check_has_end_of_text(&page);
	page_release(&page);
}

static void a_page_has_what_the_text_has(void **state)
{
	struct page page;

	(void)state;
	page_render_as(&page, report_throttled(), "html", (struct render_options){ 0 });
	check_has(&page, "<!doctype html>\n<html lang=\"en\">\n");
	check_has(&page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:;");
	check_has(&page, "<section class=\"finding\" id=\"f1\">\n<h3><a class=\"badge critical\" href=\"#f1\" aria-label=\"Finding 1, critical\">1</a>");
	check_has(&page, "<dt>Sure?</dt><dd>HIGH: two logs agree.");
	check_has(&page, "<tr><th scope=\"row\" class=\"label\">[3] no log, not judged</th><td>0.7</td><td>0.4 %</td>");
	check_has(&page, "for 16\u00A0min"); /* a number stays with its unit */
	check_has(&page, "GPU\u00A03");
	check_has(&page, "<rect class=\"nolog note\" width=\"0.0040\" height=\"1\"/>");
	assert_null(strstr(page.text.at, "<script"));
	assert_null(strstr(page.text.at, "http://"));
	assert_null(strstr(page.text.at, "https://"));
	page_release(&page);
}

static void a_rule_is_a_test_case(void **state)
{
	const struct render_options critical = { .has_fail_on = true, .fail_on = SEVERITY_CRITICAL };
	struct report report = *report_throttled();
	struct page page;

	(void)state;
	page_render_as(&page, &report, "junit", (struct render_options){ 0 });
	check_has(&page, "<testcase classname=\"postrun\" name=\"gpu-hot\" time=\"0\">\n      <skipped message=\"gpu-hot on GPUs 3-5 is suppressed");
	check_has(&page, "<testcase classname=\"postrun\" name=\"gpu-idle\" time=\"0\"/>\n");
	check_has(&page, "<testcase classname=\"postrun\" name=\"gpu-starved-by-cpu\" time=\"0\">\n      <system-out>The GPUs waited");
	check_has(&page, " failures=\"0\"");
	assert_null(strstr(page.text.at, "<failure"));
	page_release(&page);
	report.n_suppressed = 0;
	page_render_as(&page, &report, "junit", critical);
	check_has(&page, "<testcase classname=\"postrun\" name=\"gpu-starved-by-cpu\" time=\"0\">\n"
			 "      <failure type=\"critical\" message=\"The GPUs waited for input data\">The GPUs waited for input data\nwhat:  ");
	check_has(&page, "      <skipped message=\"no &quot;T.Limit&quot; &lt;in&gt; the log\"/>\n");
	page_release(&page);
}

static void series_are_aligned(void **state)
{
	struct page page;

	(void)state;
	page_render_as(&page, report_throttled(), "csv", (struct render_options){ .every = 20000 });
	check_has(&page, "time [log time],gpu-a17/gpu0 gpu.util min [%],gpu-a17/gpu0 gpu.util mean [%],gpu-a17/gpu0 gpu.util max [%]\n"
			 "2024-05-14T09:12:00,3.25,8.625,14\n" /* each for 5 s; the third has no value */
			 "2024-05-14T09:12:20,97.5,97.5,97.5\n" /* for a step, then there is a hole */
			 "2024-05-14T09:12:40,,,\n"
			 "2024-05-14T09:13:00,0,25,50\n"
			 "2024-05-14T09:13:20,,,\n");
	page_release(&page);
}

static void renderers_are_found(void **state)
{
	(void)state;
	assert_string_equal(renderer_find(slice_of("json"))->file, "report.json");
	assert_null(renderer_find(slice_of("jso")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_run_fits_forty_lines),
		cmocka_unit_test(healthy_run_with_all_is_told_in_full),
		cmocka_unit_test(our_templates_leave_out_what_is_long_of_a_healthy_run),
		cmocka_unit_test(healthy_run_tells_of_its_rules),
		cmocka_unit_test(throttled_run_is_told_in_full),
		cmocka_unit_test(unknown_run_says_what_it_can),
		cmocka_unit_test(empty_report_renders),
		cmocka_unit_test(every_output_of_every_report_is_text),
		cmocka_unit_test(the_utf8_twin_differs_in_drawn_signs_alone),
		cmocka_unit_test(markdown_has_what_the_text_has),
		cmocka_unit_test(a_page_has_what_the_text_has),
		cmocka_unit_test(a_rule_is_a_test_case),
		cmocka_unit_test(series_are_aligned),
		cmocka_unit_test(renderers_are_found),
	};

	alarm(20);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
