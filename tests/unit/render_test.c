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

static void page_render(struct page *page, const struct report *report)
{
	const struct renderer *const text = renderer_find(slice_of("text"));
	const struct place place = { "templates/report.txt.tmpl", 1, 1 };
	struct diags diags;

	arena_init(&page->mem);
	buf_init(&page->text, REPORT_MAX_BYTES);
	diags_init(&diags, &page->mem);
	const struct template *const t = template_compile(&page->mem, embedded_text("templates/report.txt.tmpl"), place,
		TAGS_DOUBLE_BRACE, &report_fields, &diags);
	for (size_t i = 0; i < diags.n; i++)
		print_message("%s\n", diag_text(&page->mem, &diags.at[i]));
	assert_non_null(t);
	text->render(report, t, &page->mem, &page->text);
	diags_release(&diags);
	assert_false(page->text.overflow);
	if (getenv("POSTRUN_SHOW_PAGES"))
		printf("%s", page->text.at);
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
	check_has(&page, "[13]NOTE     5 minutes");
	check_has(&page, "    what     83-90 C on GPUs 3 and 5 (slowdown at 87 C).\n");
	check_has(&page, "    symptoms gpu-power-headroom, gpu-clock-loss, gpu-fluctuating, gpu-low-use\n    try      1. Make");
	check_has(&page, "    sure?    HIGH: two logs agree. It would be wrong if the CPU load belonged to\n"
			 "             another job: check pidstat or the scheduler.\n");
	check_has(&page, "    or else  another job on the node took the cores\n");
	check_has(&page, "\nSUPPRESSED, not counted above --------------------------------------------------\n"
			 "  gpu-hot on GPUs 3-5 is suppressed until Sat 2024-06-01: the \"fan\" is on order.\n"
			 "    GPUs 3 and 5 came close to their limit                       up to 0.9 GPU-h\n"
			 "      10:30:07 - 10:52:12 (22 min); one window\n"
			 "      with gpu-power-headroom, gpu-clock-loss\n"
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
		cmocka_unit_test(healthy_run_tells_of_its_rules),
		cmocka_unit_test(throttled_run_is_told_in_full),
		cmocka_unit_test(unknown_run_says_what_it_can),
		cmocka_unit_test(empty_report_renders),
		cmocka_unit_test(renderers_are_found),
	};

	alarm(20);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
