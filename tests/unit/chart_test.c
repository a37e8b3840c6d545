/*
 * chart_test.c - pictures as lists of drawing calls: what must hold on every page.
 *
 * The runs are made here, sample by sample, so that a picture's worst cases are all present: a
 * short run, a hole, sixty-four GPUs, a log with one column, names of sixty letters.
 * With a folder as argument the pictures are written there, to be looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <malloc.h>

#include "chart/bins.h"
#include "chart/chart.h"
#include "chart/font.h"
#include "chart/png.h"
#include "chart/theme.h"
#include "chart/ticks.h"
#include <math.h>

#define LIST_MAX ((size_t)64 << 20)
#define BEGIN ((time_ms)1715677927000) /* Tue 2024-05-14 09:12:07 */

/* ---- synthetic runs ---- */

enum shape { SHAPE_CALM, SHAPE_FLICKER, SHAPE_INCIDENTS };
struct recipe {
	const char *name;
	size_t n_gpus, gpus_a_host;
	time_ms length, step;
	enum shape shape;
	bool only_busy, has_cpu, has_hole, long_names, healthy;
	time_ms begin;
};
static const struct recipe recipes[] = {
	{ "one_short", 1, 0, 78 * SECOND_MS, 500, SHAPE_FLICKER, false, true, false, false, false, BEGIN },
	{ "one_45s", 1, 0, 45 * SECOND_MS, 5000, SHAPE_CALM, false, true, false, false, true, BEGIN },
	{ "eight", 8, 0, 2 * HOUR_MS, 5000, SHAPE_INCIDENTS, false, true, true, false, false, BEGIN },
	{ "sixteen_2hosts", 16, 8, 26 * HOUR_MS, 30000, SHAPE_INCIDENTS, false, true, true, false, false, BEGIN },
	{ "sixtyfour", 64, 8, 3 * DAY_MS, 60000, SHAPE_INCIDENTS, false, true, true, false, false, BEGIN },
	{ "fivehundred", 512, 8, 75 * DAY_MS, 3600000, SHAPE_INCIDENTS, false, false, true, false, false, BEGIN },
	{ "only_busy", 1, 0, 42 * MINUTE_MS, 2000, SHAPE_FLICKER, true, false, false, false, false, BEGIN },
	{ "long_names", 2, 1, 10 * MINUTE_MS, 1000, SHAPE_INCIDENTS, false, true, true, true, false, BEGIN },
	{ "sixteen_days", 1, 0, 16 * DAY_MS, 15000, SHAPE_CALM, false, true, false, false, true, BEGIN },
	{ "over_midnight", 2, 0, 90 * SECOND_MS, 1000, SHAPE_CALM, false, false, false, false, true, 1715731160000 },
};
#define N_RECIPES (sizeof recipes / sizeof *recipes)
#define SIXTY "a-name-of-exactly-sixty-characters-that-somebody-gave-to-it"

enum quantity_kind { COLUMN_BUSY, COLUMN_MEMORY, COLUMN_TEMPERATURE, COLUMN_POWER, COLUMN_CLOCK, COLUMN_MASK, COLUMN_CPU };

static double noise(size_t a, size_t b)
{
	const uint32_t h = (uint32_t)(a * 2654435761u ^ b * 40503u ^ 0x9e3779b9u) * 2246822519u;
	return (double)(h >> 8 & 0xffff) / 65535;
}

/* Incidents, by the share of the run that has passed. */
static bool in_stall(double at)
{
	return at > 0.27 && at < 0.40;
}
static bool in_heat(double at, size_t gpu)
{
	return at > 0.65 && at < 0.83 && gpu % 8 % 5 == 3;
}
static bool in_hole(const struct recipe *r, double at)
{
	return r->has_hole && at > 0.90 && at < 0.94;
}

static double busy_at(const struct recipe *r, double at, size_t gpu, size_t i)
{
	const double jitter = noise(gpu, i);
	if (at < 0.03)
		return 0;
	if (gpu == 37)
		return 0;
	if (r->shape == SHAPE_FLICKER)
		return i % 7 < 3 ? 80 + 15 * jitter : 6 * jitter;
	if (r->shape == SHAPE_INCIDENTS && in_stall(at))
		return (i + gpu) % 3 ? 80 * jitter : 20;
	return i % 277 == 0 ? 55 : 96 + 3 * jitter;
}

static double value_at(const struct recipe *r, enum quantity_kind column, double at, size_t gpu, size_t i)
{
	const double busy = busy_at(r, at, gpu, i), jitter = noise(gpu + 99, i);
	const bool hot = r->shape == SHAPE_INCIDENTS && in_heat(at, gpu);
	switch (column) {
	case COLUMN_BUSY:
		return floor(busy);
	case COLUMN_MEMORY:
		return at < 0.03 ? 500 : 62000 + 400.0 * (double)(gpu % 3);
	case COLUMN_TEMPERATURE:
		return floor(hot ? 87 + 3 * jitter : 34 + busy * 0.3 + (double)(gpu % 8));
	case COLUMN_POWER:
		return 75 + busy * (hot ? 3.6 : 5.2) + 6 * jitter;
	case COLUMN_CLOCK:
		return hot ? 1200 + 150 * jitter : 1965;
	case COLUMN_MASK:
		return hot ? (jitter > 0.8 ? 0x48 : 0x20) : r->shape == SHAPE_FLICKER && i % 9 == 0 ? 0x4 : 0;
	case COLUMN_CPU:
		break;
	}
	return r->shape == SHAPE_FLICKER || in_stall(at) ? 95 + 3 * jitter : 24 + 4 * jitter;
}

static const struct track *track_make(struct arena *mem, const struct recipe *r, enum quantity_kind column, size_t gpu)
{
	const size_t n = (size_t)(r->length / r->step);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	struct track *t = NEW(mem, struct track);
	for (size_t i = 0; i < n; i++) {
		const double at = (double)i / (double)n;
		if (column != COLUMN_CPU && in_hole(r, at))
			continue;
		times[t->n] = r->begin + (time_ms)i * r->step;
		values[t->n++] = (fixed)(value_at(r, column, at, gpu, i) * FIXED_ONE);
	}
	t->times = times;
	t->values = values;
	t->step = r->step;
	return t;
}

static const struct track **tracks_make(struct arena *mem, const struct recipe *r, enum quantity_kind column)
{
	const struct track **tracks = NEW_ARRAY(mem, const struct track *, r->n_gpus);
	for (size_t g = 0; g < r->n_gpus; g++)
		tracks[g] = track_make(mem, r, column, g);
	return tracks;
}

static void panels_make(struct arena *mem, const struct recipe *r, struct figure *out)
{
	const bool many = r->n_gpus > 1;
	const struct track **const busy = tracks_make(mem, r, COLUMN_BUSY);
	const struct spans holes = track_holes(mem, busy[0]);
	struct panel *p = NEW_ARRAY(mem, struct panel, 7);
	struct panel_threshold *t = NEW_ARRAY(mem, struct panel_threshold, 4);
	const char **notes = NEW_ARRAY(mem, const char *, r->n_gpus);
	size_t n = 0;
	t[0] = (struct panel_threshold){ 79.6, "capacity 79.6 GiB" };
	t[1] = (struct panel_threshold){ 87, "slowdown 87 °C" };
	t[2] = (struct panel_threshold){ 700, "limit 700 W" };
	t[3] = (struct panel_threshold){ 1980, "max 1980 MHz" };
	p[n++] = (struct panel){ .kind = PANEL_BUSY, .title = "Busy, %",
		.subtitle = many ? "line = mean of the GPUs, band = least to most busy GPU" : "line = mean, band = lowest to highest sample",
		.gpus = busy, .cpu = r->has_cpu ? track_make(mem, r, COLUMN_CPU, 0) : NULL, .high = 100,
		.label = { r->long_names ? SIXTY : "GPU", "mean 84 %" }, .cpu_label = { "CPU (all cores)", "mean 36 %" } };
	if (!r->only_busy) {
		p[n++] = (struct panel){ .kind = PANEL_MEMORY, .title = "Memory used, GiB", .subtitle = many ? "line = fullest GPU" : NULL,
			.gpus = tracks_make(mem, r, COLUMN_MEMORY), .high = 84.4, .label = { "Memory", "peak 62.4 GiB, 78 %" },
			.thresholds = t, .n_thresholds = 1 };
		p[n++] = (struct panel){ .kind = PANEL_TEMPERATURE, .title = "Temperature, °C",
			.subtitle = many ? "line = hottest GPU, band = coolest to hottest" : NULL,
			.gpus = tracks_make(mem, r, COLUMN_TEMPERATURE), .low = 30, .high = 94,
			.label = { many ? "Hottest GPU" : "GPU", "max 90 °C" }, .thresholds = t + 1, .n_thresholds = 1 };
		p[n++] = (struct panel){ .kind = PANEL_POWER, .title = "Power per GPU, W", .subtitle = "line = mean, band = lowest to highest",
			.gpus = tracks_make(mem, r, COLUMN_POWER), .high = 742, .label = { "Power", "mean 494 W, 71 %" },
			.thresholds = t + 2, .n_thresholds = 1 };
		p[n++] = (struct panel){ .kind = PANEL_CLOCK, .title = "SM clock, MHz", .subtitle = "line = slowest GPU (while busy)",
			.gpus = tracks_make(mem, r, COLUMN_CLOCK), .gate = busy, .high = 2098.8,
			.label = { many ? "Slowest GPU" : "SM clock", "min 1197 MHz" }, .thresholds = t + 3, .n_thresholds = 1 };
		if (many)
			p[n++] = (struct panel){ .kind = PANEL_HEAT, .title = "Busy per GPU", .gpus = busy, .high = 100, .label = { "idle", "busy" } };
		for (size_t g = 0; g < r->n_gpus; g++)
			notes[g] = "hot 22 min";
		p[n++] = (struct panel){ .kind = PANEL_THROTTLE, .title = "Why clocks were held down",
			.gpus = tracks_make(mem, r, COLUMN_MASK), .row_notes = notes };
	}
	for (size_t i = 0; i < n; i++) {
		p[i].n_gpus = r->n_gpus;
		p[i].scale = p[i].kind == PANEL_MEMORY ? 1.0 / 1024 : 1;
		p[i].holes = holes;
	}
	*out = (struct figure){ .span = { r->begin, r->begin + r->length }, .panels = p, .n_panels = n };
}

static struct window *window_make(struct arena *mem, const struct recipe *r, double from, double to)
{
	struct window *w = NEW(mem, struct window);
	w->begin = r->begin + (time_ms)(from * (double)r->length);
	w->end = r->begin + (time_ms)(to * (double)r->length);
	return w;
}

static void findings_make(struct arena *mem, const struct recipe *r, struct report *out)
{
	static const struct {
		const char *title, *cost, *text, *lane;
		enum severity severity;
		double from, to;
	} rows[] = {
		{ "The GPUs waited for input data", "1.1 GPU-h", "09:44–10:00 (16 min), all GPUs: busy fell to 47 % while the CPUs ran at 97 %; elsewhere 97 % and 25 %. The CPUs were full, so more loader workers will not help; make the input cheaper (cache decoded data).", "input starvation", SEVERITY_CRITICAL, 0.27, 0.40 },
		{ "Two GPUs overheated and slowed everyone down", "up to 0.9 GPU-h", "83–90 °C, thermal slowdown flags set; look at clock and power instead.", "overheating, GPU 3", SEVERITY_CRITICAL, 0.65, 0.83 },
		{ "The GPU stops and starts", "up to 25 GPU-min", "busy about 5 s, then idle about 8 s, again and again.", "on-off rhythm", SEVERITY_WARNING, 0.03, 1 },
		{ "5 minutes have no GPU log", "0.7 GPU-h unknown", "no rows; the CPU log goes on, so the machine was up.", "no log", SEVERITY_NOTE, 0.90, 0.94 },
		{ "18 of 80 GiB GPU memory stayed free", "room to grow", "A larger batch will not help before finding 1 is fixed.", "memory free", SEVERITY_NOTE, 0.03, 0.99 },
	};
	const size_t n = r->healthy ? 0 : sizeof rows / sizeof *rows;
	struct finding *f = NEW_ARRAY(mem, struct finding, sizeof rows / sizeof *rows);
	for (size_t i = 0; i < n; i++)
		f[i] = (struct finding){ .number = i + 1, .rule = "rule", .title = r->long_names ? SIXTY " " SIXTY " " SIXTY : rows[i].title,
			.severity_level = rows[i].severity, .cost_short = rows[i].cost, .card_text = rows[i].text,
			.short_name = r->long_names ? "abcdefghijklmnopqrstuvwxyz28" : rows[i].lane, .is_hole = i == 3,
			.windows = window_make(mem, r, rows[i].from, rows[i].to), .n_windows = 1 };
	out->findings = f;
	out->n_findings = n;
}

static void gpus_make(struct arena *mem, const struct recipe *r, struct report *out)
{
	struct report_gpu *g = NEW_ARRAY(mem, struct report_gpu, r->n_gpus);
	for (size_t i = 0; i < r->n_gpus; i++) {
		const size_t host = r->gpus_a_host ? i / r->gpus_a_host : 0, index = r->gpus_a_host ? i % r->gpus_a_host : i;
		g[i].entity = r->long_names ? arena_print(mem, SIXTY "%zu/gpu%zu", host, index) : arena_print(mem, "n%02zu/gpu%zu", host + 1, index);
		g[i].label = arena_print(mem, "GPU %zu", index);
		g[i].short_label = r->gpus_a_host ? arena_print(mem, "%02zu/%zu", host + 1, index) : g[i].label;
	}
	out->run.gpus = g;
	out->run.n_gpus = r->n_gpus;
}

static void phases_make(struct arena *mem, const struct recipe *r, struct report *out)
{
	static const struct {
		const char *name, *label;
		double until;
	} rows[] = { { "startup", "start", 0.03 }, { "steady", "at work", 0.5 }, { "dip", "dip", 0.505 }, { "steady", "at work", 0.99 },
		{ "tail", "end", 1 } };
	const size_t n = sizeof rows / sizeof *rows;
	struct report_phase *phases = NEW_ARRAY(mem, struct report_phase, n);
	struct panel *panels = NEW_ARRAY(mem, struct panel, out->timeline_figure.n_panels + 1);
	time_ms at = r->begin;
	for (size_t i = 0; i < n; i++) {
		const time_ms until = r->begin + (time_ms)(rows[i].until * (double)r->length);
		phases[i] = (struct report_phase){ rows[i].name, at, until, rows[i].label };
		at = until;
	}
	out->phases = phases;
	out->n_phases = n;
	memcpy(panels + 1, out->timeline_figure.panels, out->timeline_figure.n_panels * sizeof *panels);
	panels[0] = (struct panel){ .kind = PANEL_PHASES };
	out->timeline_figure.panels = panels;
	out->timeline_figure.n_panels++;
}

static const struct panel *panel_of(const struct report *report, enum panel_kind kind)
{
	for (size_t i = 0; i < report->card.n_panels; i++)
		if (report->card.panels[i].kind == kind)
			return &report->card.panels[i];
	return NULL;
}

static struct figure figure_make(struct arena *mem, const struct recipe *r, const struct report *report, const enum panel_kind *kinds, size_t n)
{
	struct figure f = { .span = { r->begin, r->begin + r->length } };
	struct panel *panels = NEW_ARRAY(mem, struct panel, n);
	for (size_t i = 0; i < n; i++)
		if (panel_of(report, kinds[i]))
			panels[f.n_panels++] = *panel_of(report, kinds[i]);
	f.panels = panels;
	f.title = r->long_names ? SIXTY " " SIXTY " " SIXTY : "GPU 3 overheated, so hardware slowed it";
	f.subtitle = r->long_names ? SIXTY " " SIXTY " " SIXTY : "Finding 2, 10:30–10:52. A GPU that is slowed still counts as busy.";
	return f;
}

/* GPUs 3 and 5 as lines over the others, where there are others. */
static void single_out(struct arena *mem, const struct recipe *r, const struct report *report, const struct figure *figure)
{
	struct singled *singled = NEW_ARRAY(mem, struct singled, 2);
	for (size_t i = 0; i < 2; i++)
		singled[i] = (struct singled){ 3 + 2 * i, { r->long_names ? SIXTY : i ? "GPU 5" : "GPU 3", "88 °C in" }, &report->findings[1] };
	for (size_t i = 0; i < figure->n_panels && r->n_gpus > 5; i++) {
		struct panel *const p = (struct panel *)&figure->panels[i];
		if (p->kind == PANEL_THROTTLE)
			continue;
		p->singled = singled;
		p->n_singled = 2;
		p->others = (struct panel_label){ "Others", "62 °C in" };
		p->others_in = &report->findings[1];
	}
}

/* Every level with a number, so that neighbours' numbers would touch. */
static const struct panel *duty_make(struct arena *mem, const struct recipe *r)
{
	static const char *const labels[] = { "up to 10 s", "10 s to 1 min", "1 to 10 min", "over 10 min" };
	struct panel *panel = NEW(mem, struct panel);
	struct duty *d = NEW(mem, struct duty);
	d->title = "GPU-seconds at each busy level";
	d->note = "Many short spells: input, or GPUs that wait for each other. A few long ones: start-up, stalls, crashes.";
	for (size_t i = 0; i < DUTY_BARS; i++) {
		d->bars[i] = r->healthy && i < 19 ? 0 : 10 + 2 * noise(i, r->n_gpus);
		d->highest = fmax(d->highest, d->bars[i]);
		d->percents[i] = d->bars[i] > 0 ? "25 %" : NULL;
	}
	for (size_t k = 0; k < DUTY_SPELLS; k++)
		d->spells[k] = (struct duty_spell){ labels[k], r->healthy ? 0 : (double)k, r->healthy || !k ? "none" : "1234 GPU-min, 12345×" };
	*panel = (struct panel){ .kind = PANEL_DUTY, .title = "GPU busy, %", .duty = d };
	return panel;
}

static void pictures_make(struct arena *mem, const struct recipe *r, struct report *out)
{
	static const enum panel_kind thermal[] = { PANEL_TEMPERATURE, PANEL_CLOCK, PANEL_POWER, PANEL_THROTTLE };
	static const enum panel_kind memory[] = { PANEL_MEMORY }, heatmap[] = { PANEL_HEAT, PANEL_HEAT };
	out->thermal = figure_make(mem, r, out, thermal, 4);
	out->memory = figure_make(mem, r, out, memory, 1);
	out->heatmap = figure_make(mem, r, out, heatmap, 2);
	if (r->n_gpus > 256) {
		struct panel *const density = NEW(mem, struct panel);
		*density = *panel_of(out, PANEL_HEAT);
		density->kind = PANEL_DENSITY;
		density->title = "GPUs by how busy they are, %";
		density->label = (struct panel_label){ "no GPU", "all 512" };
		out->density = figure_make(mem, r, out, NULL, 0);
		out->density.panels = density;
		out->density.n_panels = 1;
	}
	out->duty = figure_make(mem, r, out, NULL, 0);
	out->duty.panels = duty_make(mem, r);
	out->duty.n_panels = 1;
	single_out(mem, r, out, &out->thermal);
	if (out->memory.n_panels)
		((struct panel *)out->memory.panels)->room =
			(struct panel_room){ r->begin + (time_ms)(0.6 * (double)r->length), 62.4, 79.6, "17.2 GiB never used" };
}

static const struct ledger_row ledger_rows[] = {
	{ .short_label = "at the run’s normal speed", .share = 0.78, .hours_text = "12.5", .kind = LEDGER_NORMAL },
	{ .short_label = "waiting for input", .share = 0.07, .hours_text = "1.1", .kind = LEDGER_FINDING, .finding = 1, .severity_level = SEVERITY_CRITICAL },
	{ .short_label = "overheated (upper bound)", .share = 0.06, .hours_text = "0.9", .kind = LEDGER_FINDING, .finding = 2, .severity_level = SEVERITY_CRITICAL },
	{ .short_label = "start, end, evaluation", .share = 0.05, .hours_text = "0.8", .kind = LEDGER_OVERHEAD },
	{ .short_label = "no log", .share = 0.04, .hours_text = "0.7", .kind = LEDGER_NO_LOG, .finding = 4, .severity_level = SEVERITY_NOTE },
};
static const struct key_figure key_figures[] = {
	{ "84 %", "GPU busy, mean" }, { "up to 2.0 h", "lost, of 16.0 GPU-hours" }, { "62.4 of 79.6", "GiB, peak memory" },
	{ "90 °C", "hottest GPU" }, { "7.6 kWh", "GPU energy" }, { "96 %", "of GPU log present" },
};
static const char *const footer_logs[] = { "gpu.csv (8 GPUs, 5 s, 11 048 rows)", "cpu.csv (5 s, 1441 rows)" };
static struct report_chart charts[] = { { .file = "card.png", .title = "A title", .alt = "An alt text of the card, with 90 °C in it." } };

static struct report *report_make(struct arena *mem, const struct recipe *r)
{
	struct report *out = NEW(mem, struct report);
	out->program.name = "postrun";
	out->program.version = "0.0.0";
	out->verdict.severity = r->healthy ? "healthy" : "critical";
	out->verdict.sentence = r->long_names
		? SIXTY SIXTY " " SIXTY " " SIXTY " " SIXTY " " SIXTY " " SIXTY
		: r->healthy ? "Healthy: the GPU was 97 % busy once training started. Nothing here needs fixing."
			     : "Up to 12 % of this run was lost: the GPUs starved for input for 16 min, then two of them overheated for 22 min.";
	out->subline = r->long_names ? SIXTY " · " SIXTY " · " SIXTY " · " SIXTY
				     : "resnet-pretrain  ·  gpu-a17  ·  8 × NVIDIA H100 80GB HBM3  ·  Tue 14 May 2024, 09:12–11:12 log time  ·  2 h 00 min  ·  16.0 GPU-hours";
	out->gpu_time_text = "16.0 GPU-hours";
	out->checked_count = "34 checks of GPU use, CPU use, clock speeds, heat, power and memory";
	if (r->healthy)
		out->remarks_text = "The start took 16 s (16:41:22–16:41:38). GPU busy dipped 4 times, every 2 min 22 s, for about 9 s each: 65 % instead of "
				    "97 %, 0.2 GPU-min in all, too little to count as lost.";
	out->time_basis = "log time";
	out->ledger = ledger_rows;
	out->n_ledger = r->healthy ? 1 : sizeof ledger_rows / sizeof *ledger_rows;
	out->has_ledger = true;
	out->key_figures = key_figures;
	out->n_key_figures = r->only_busy ? 4 : 6;
	out->footer = (struct report_footer){ .logs = { footer_logs, 2 }, .n_logs = r->long_names ? 90 : 2,
		.not_judged = "Not in the log, so not judged: PCIe and NVLink traffic, ECC errors, disk, network" };
	out->footer_right = "postrun 0.0.0";
	out->charts = charts;
	out->n_charts = 1;
	gpus_make(mem, r, out);
	findings_make(mem, r, out);
	panels_make(mem, r, &out->card);
	out->timeline_figure = out->card;
	phases_make(mem, r, out);
	pictures_make(mem, r, out);
	return out;
}

/* ---- reading a list of drawing calls ---- */

struct text_box {
	double left, right, top, bottom, size;
	const char *text;
};

static double number_here(const char **at)
{
	return strtod(*at, (char **)at);
}

/* A row of a heat map that has the idle colour from one end to far into the run. */
static bool has_idle_row(const char *list)
{
	for (const char *line = list; (line = strstr(line, "\ncell 52.0 ")); line++) {
		const char *at = line + strlen("\ncell 52.0");
		number_here(&at);
		if (number_here(&at) > 400 && strncmp(strchr(at, '#'), "#FFD23F", 7) == 0)
			return true;
	}
	return false;
}

/* "text 52.0 9.0 10.0 bold left #1A1D21 "Busy, %"": false for other lines. */
static bool box_read(struct arena *mem, const struct font *font, const char *line, struct text_box *out)
{
	if (strncmp(line, "text ", 5) != 0)
		return false;
	const char *at = line + 5;
	const double x = number_here(&at), y = number_here(&at);
	out->size = number_here(&at);
	const bool bold = strncmp(at, " bold", 5) == 0;
	const char *const quote = strchr(line, '"'), *const end = strchr(line, '\n') - 1;
	out->text = arena_text(mem, quote + 1, (size_t)(end - quote - 1));
	const double width = font_width(font, out->text, out->size, bold);
	const double share = strstr(line, " right #") && strstr(line, " right #") < quote ? 1
		: strstr(line, " centre #") && strstr(line, " centre #") < quote ? 0.5 : 0;
	out->left = x - width * share;
	out->right = out->left + width;
	out->top = y - 0.72 * out->size; /* cap height of Noto Sans is 0.714 */
	out->bottom = y + 0.2 * out->size;
	return true;
}

static struct text_box *boxes_read(struct arena *mem, const char *list, size_t *n)
{
	const struct font *const font = font_new(mem);
	struct text_box *boxes = NEW_ARRAY(mem, struct text_box, 4096);
	*n = 0;
	for (const char *line = list; *line && *n < 4096; line = strchr(line, '\n') + 1)
		*n += box_read(mem, font, line, &boxes[*n]);
	return boxes;
}

struct page_under_test {
	struct arena mem;
	struct report *report;
	struct buf list;
};

/* False where the recipe has nothing for this picture: then there is none. */
static bool page_open(struct page_under_test *p, const struct recipe *r, const char *file)
{
	arena_init(&p->mem);
	p->report = report_make(&p->mem, r);
	buf_init(&p->list, LIST_MAX);
	const bool drawn = chart_list(p->report, file, &(struct chart_options){ THEME_LIGHT, 2 }, &p->list);
	assert_int_equal(drawn, report_figure(p->report, file)->n_panels > 0);
	if (drawn)
		return true;
	buf_release(&p->list);
	arena_release(&p->mem);
	return false;
}

static void page_close(struct page_under_test *p)
{
	buf_release(&p->list);
	arena_release(&p->mem);
}

static void list_again(struct page_under_test *p, const char *file)
{
	buf_release(&p->list);
	buf_init(&p->list, LIST_MAX);
	assert_true(chart_list(p->report, file, &(struct chart_options){ THEME_LIGHT, 2 }, &p->list));
}

static void over_all_pages(void (*check)(struct page_under_test *p, const struct recipe *r))
{
	for (size_t c = 0; c < n_charts; c++)
		for (size_t i = 0; i < N_RECIPES; i++) {
			struct page_under_test p;
			if (!page_open(&p, &recipes[i], chart_files[c]))
				continue;
			check(&p, &recipes[i]);
			page_close(&p);
		}
}

/* ---- laws of every page ---- */

static void check_texts(struct page_under_test *p, const struct recipe *r)
{
	size_t n = 0;
	const struct text_box *const b = boxes_read(&p->mem, p->list.at, &n);
	const double height = strtod(p->list.at + strlen("page 700 "), NULL);
	for (size_t i = 0; i < n; i++) {
		if (b[i].size < 8.5 || b[i].left < 15 || b[i].right > 685.5 || b[i].top < 0 || b[i].bottom > height)
			fail_msg("%s: outside or too small: '%s' %.1f-%.1f, y %.1f", r->name, b[i].text, b[i].left, b[i].right, b[i].bottom);
		for (size_t k = 0; k < i; k++)
			if (b[i].left < b[k].right && b[k].left < b[i].right && b[i].top < b[k].bottom && b[k].top < b[i].bottom)
				fail_msg("%s: '%s' touches '%s' at y %.1f", r->name, b[i].text, b[k].text, b[i].bottom);
	}
}

static void texts_stay_apart_and_inside(void **state)
{
	(void)state;
	over_all_pages(check_texts);
}

/* Where one key figure needs more than its share of the row, the others give way; as far as there is room. */
static void key_figures_are_told_in_full(void **state)
{
	(void)state;
	static const char *const captions[] = { "GPU-s lost, 56 suppressed", "GPU-min lost, 119.9 suppressed" };
	for (size_t i = 0; i < sizeof captions / sizeof *captions; i++) {
		struct page_under_test p = { 0 };
		struct key_figure figures[sizeof key_figures / sizeof *key_figures];
		arena_init(&p.mem);
		p.report = report_make(&p.mem, &recipes[0]);
		memcpy(figures, key_figures, sizeof figures);
		figures[1].caption = captions[i];
		p.report->key_figures = figures;
		buf_init(&p.list, LIST_MAX);
		assert_true(chart_list(p.report, "card.png", &(struct chart_options){ THEME_LIGHT, 2 }, &p.list));
		for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
			assert_non_null(strstr(p.list.at, arena_print(&p.mem, "\"%s\"", figures[k].caption)));
		check_texts(&p, &recipes[0]);
		page_close(&p);
	}
}

static bool is_in_hole(const struct recipe *r, struct spans holes, double x)
{
	for (size_t i = 0; i < holes.n; i++) {
		const double begin = 52 + 536 * (double)(holes.at[i].begin - r->begin) / (double)r->length;
		const double end = 52 + 536 * (double)(holes.at[i].end - r->begin) / (double)r->length;
		if (x > begin + 0.1 && x < end - 0.1)
			return true;
	}
	return false;
}

/* Lines and bands of GPUs: the CPU's line, of another log, goes on. */
static bool is_gpu_curve(const char *line)
{
	return (strncmp(line, "polyline 1.7 ", 13) == 0 || strncmp(line, "polyline 1.5 ", 13) == 0 ||
		       (strncmp(line, "polygon ", 8) == 0 && memchr(line, '%', 20)));
}

static void check_holes(struct page_under_test *p, const struct recipe *r)
{
	const struct spans holes = p->report->card.panels[0].holes;
	size_t n_hatched = 0;
	if (!strstr(p->list.at, "\"elapsed\""))
		return; /* no time axis, no holes */
	for (const char *line = p->list.at; *line; line = strchr(line, '\n') + 1) {
		const char *const end = strchr(line, '\n');
		n_hatched += strncmp(line, "hatch ", 6) == 0;
		for (const char *at = line; is_gpu_curve(line) && (at = strchr(at, ',')) && at < end; at++) {
			const char *begin = at;
			while (begin[-1] != ' ')
				begin--;
			if (is_in_hole(r, holes, strtod(begin, NULL)))
				fail_msg("%s: a curve enters a hole: %.*s", r->name, 60, begin);
		}
	}
	assert_true(n_hatched >= holes.n);
}

static void curves_stop_at_holes(void **state)
{
	(void)state;
	over_all_pages(check_holes);
}

/* Of what is not known; a reason that is drawn with lines has another ground, and a legend. */
static bool is_hatched_for_a_hole(const char *line)
{
	char ground[16];
	snprintf(ground, sizeof ground, " #%06X ", (unsigned)theme_table[THEME_LIGHT].at[HUE_HOLE].rgb);
	const char *const found = strncmp(line, "hatch ", 6) == 0 ? strstr(line, ground) : NULL;
	return found && found < strchr(line, '\n');
}

static void check_what_hatching_means(struct page_under_test *p, const struct recipe *r)
{
	bool is_hatched = false;
	for (const char *line = p->list.at; *line; line = strchr(line, '\n') + 1)
		is_hatched |= is_hatched_for_a_hole(line);
	if (is_hatched != (strstr(p->list.at, "hatched") != NULL))
		fail_msg("%s: %s", r->name, is_hatched ? "hatched, and nobody says why" : "nothing is hatched");
}

static void hatching_is_explained_where_it_is(void **state)
{
	(void)state;
	over_all_pages(check_what_hatching_means);
}

static void check_percent_axis(struct page_under_test *p, const struct recipe *r)
{
	const char *title = strstr(p->list.at, "\"Busy, %\"");
	if (!title) { /* a picture of something else */
		if (strstr(p->list.at, "\"Where the "))
			fail_msg("%s: no panel of busy", r->name);
		return;
	}
	const char *const zero = strstr(title, "\"0\""), *const top = strstr(title, "\"100\"");
	assert_true(zero && top && zero < top);
}

static void percent_goes_from_0_to_100(void **state)
{
	(void)state;
	over_all_pages(check_percent_axis);
}

static void cards_are_at_most_900_high(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECIPES; i++) {
		struct page_under_test p;
		page_open(&p, &recipes[i], "card.png");
		const double height = strtod(p.list.at + strlen("page 700 "), NULL);
		if (height > 900 && recipes[i].n_gpus < 512)
			fail_msg("%s: %.0f u high", recipes[i].name, height);
		page_close(&p);
	}
}

static void same_report_same_bytes(void **state)
{
	(void)state;
	struct arena mem;
	struct buf a, b;
	arena_init(&mem);
	const struct report *const report = report_make(&mem, &recipes[0]);
	buf_init(&a, LIST_MAX);
	buf_init(&b, LIST_MAX);
	assert_true(chart_png(report, "card.png", &(struct chart_options){ THEME_DARK, 1 }, &a));
	assert_true(chart_png(report, "card.png", &(struct chart_options){ THEME_DARK, 1 }, &b));
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.at, b.at, a.n);
	assert_memory_equal(a.at, "\x89PNG", 4);
	assert_true(slice_has(buf_slice(&a), "An alt text of the card"));
	buf_release(&a);
	buf_release(&b);
	arena_release(&mem);
}

#ifdef M_PERTURB
static void draw_over(const struct report *report, int scale, int garbage, struct buf *out)
{
	buf_init(out, LIST_MAX);
	mallopt(M_PERTURB, garbage);
	assert_true(chart_png(report, "card.png", &(struct chart_options){ THEME_LIGHT, scale }, out));
	mallopt(M_PERTURB, 0);
}

/* Pages end inside of a row of pixels, too. */
static void what_was_in_memory_is_never_drawn(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECIPES; i++) {
		struct arena mem;
		struct buf a, b;
		arena_init(&mem);
		const struct report *const report = report_make(&mem, &recipes[i]);
		draw_over(report, 1, 0x5a, &a);
		draw_over(report, 1, 0xa5, &b);
		assert_int_equal(a.n, b.n);
		assert_memory_equal(a.at, b.at, a.n);
		buf_release(&a);
		buf_release(&b);
		arena_release(&mem);
	}
}
#endif

static void nothing_to_draw_is_no_picture(void **state)
{
	(void)state;
	static const struct report empty;
	struct buf out;
	buf_init(&out, LIST_MAX);
	assert_false(chart_png(&empty, "card.png", &(struct chart_options){ THEME_LIGHT, 2 }, &out));
	buf_release(&out);
}

static void idle_gpu_among_many_is_seen(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[4], "card.png");
	/* GPU 37 never worked: its row has the idle colour from one end to the other, but for the hole. */
	assert_non_null(strstr(p.list.at, "#FFD23F"));
	assert_true(has_idle_row(p.list.at));
	page_close(&p);
}

/* From highest to lowest point of the bands of this colour. */
static struct reach {
	double top, bottom;
} reach_of_bands(const char *list, enum hue hue)
{
	struct reach reach = { 1e9, 0 };
	char start[24];
	snprintf(start, sizeof start, "polygon #%06X/", (unsigned)theme_table[THEME_LIGHT].at[hue].rgb);
	for (const char *line = list; *line; line = strchr(line, '\n') + 1) {
		const char *const end = strchr(line, '\n');
		if (strncmp(line, start, strlen(start)) != 0)
			continue;
		for (const char *at = line; (at = strchr(at, ',')) && at < end; at++) {
			reach.top = fmin(reach.top, strtod(at + 1, NULL));
			reach.bottom = fmax(reach.bottom, strtod(at + 1, NULL));
		}
	}
	return reach;
}

/* Of 128 samples a bin one is hot, one slow: means hide both, and the gutter names them. */
static void worst_samples_are_in_the_band(void **state)
{
	(void)state;
	struct recipe long_run = recipes[2];
	struct page_under_test p;
	long_run.length = 24 * HOUR_MS;
	long_run.step = 2500;
	long_run.shape = SHAPE_CALM;
	page_open(&p, &long_run, "timeline.png");
	const struct reach heat = reach_of_bands(p.list.at, HUE_TEMPERATURE);
	for (size_t i = 0; i < p.report->timeline_figure.n_panels; i++) {
		const struct panel *const panel = &p.report->timeline_figure.panels[i];
		const struct track *const t = panel->gpus ? panel->gpus[5] : NULL;
		if (panel->kind == PANEL_TEMPERATURE)
			((fixed *)t->values)[t->n / 2] = 94 * FIXED_ONE; /* the panel's top */
		if (panel->kind == PANEL_CLOCK)
			((fixed *)t->values)[t->n / 2] = 0;
	}
	list_again(&p, "timeline.png");
	const struct reach hot = reach_of_bands(p.list.at, HUE_TEMPERATURE), slow = reach_of_bands(p.list.at, HUE_CLOCK);
	assert_true(hot.top < heat.top - 10);
	assert_true(hot.bottom == heat.bottom);
	assert_true(slow.bottom > slow.top + 40); /* all of the panel's height: 1965 of 2098.8 MHz to 0 */
	page_close(&p);
}

static void logs_without_room_are_counted(void **state)
{
	(void)state;
	static const char *const names[] = { SIXTY "-1.csv", SIXTY "-2.csv", SIXTY "-3.csv", SIXTY "-4.csv" };
	struct page_under_test p;
	page_open(&p, &recipes[0], "card.png");
	assert_null(strstr(p.list.at, "\u00a0more"));
	p.report->footer.logs = (struct texts){ names, 4 };
	p.report->footer.n_logs = 90;
	buf_release(&p.list);
	buf_init(&p.list, LIST_MAX);
	assert_true(chart_list(p.report, "card.png", &(struct chart_options){ THEME_LIGHT, 2 }, &p.list));
	assert_non_null(strstr(p.list.at, "-3.csv"));
	assert_null(strstr(p.list.at, "-4.csv"));
	assert_non_null(strstr(p.list.at, "+\u00a087\u00a0more"));
	page_close(&p);
}

/* Tints that overlap would add up to a colour that means nothing. */
static void overlapping_findings_tint_once(void **state)
{
	(void)state;
	enum { N_STEPS = 1072, CRITICAL_TINT = 0xB3122B };
	struct page_under_test p;
	struct buf list;
	unsigned char tints[N_STEPS] = { 0 }, critical[N_STEPS] = { 0 };
	page_open(&p, &recipes[2], "card.png");
	struct finding *const f = (struct finding *)p.report->findings;
	f[2].windows = window_make(&p.mem, &recipes[2], 0.30, 0.50); /* a warning that begins inside of the critical 0.27 to 0.40 */
	buf_init(&list, LIST_MAX);
	assert_true(chart_list(p.report, "card.png", &(struct chart_options){ THEME_LIGHT, 2 }, &list));
	for (const char *line = list.at; (line = strstr(line, "\nrect ")); line++) {
		const char *at = line + strlen("\nrect");
		const double x = number_here(&at);
		number_here(&at);
		const double w = number_here(&at), h = number_here(&at);
		if (h != 92 || !strchr(at, '/') || strchr(at, '/') > strchr(at, '\n')) /* of the busy panel, and not opaque */
			continue;
		for (size_t k = (size_t)((x - 52) * 2 + 0.5); k < (size_t)((x + w - 52) * 2 + 0.5); k++) {
			tints[k]++;
			critical[k] |= strtol(strchr(at, '#') + 1, NULL, 16) == CRITICAL_TINT;
		}
	}
	for (size_t k = 0; k < N_STEPS; k++)
		assert_true(tints[k] <= 1);
	assert_true(critical[(size_t)(0.35 * N_STEPS)] && tints[(size_t)(0.45 * N_STEPS)] && !critical[(size_t)(0.45 * N_STEPS)]);
	buf_release(&list);
	page_close(&p);
}

static size_t count_of(const char *list, const char *text)
{
	size_t n = 0;
	for (; (list = strstr(list, text)); list++)
		n++;
	return n;
}

/* What a finding says of single GPUs is seen of single GPUs: lines over a band of the others, each with its mean in the finding. */
static void named_gpus_are_lines_over_a_band(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[2], "thermal.png"));
	assert_int_equal(count_of(p.list.at, "\"GPU 3\""), 4); /* three panels, and its row in the strip */
	assert_int_equal(count_of(p.list.at, "\"Others\""), 3);
	assert_int_equal(count_of(p.list.at, "\"88 °C in\""), 6);
	assert_non_null(strstr(p.list.at, "polyline 1.5 #B3174F dashed"));
	assert_non_null(strstr(p.list.at, "\"slowdown 87 °C\""));
	page_close(&p);
	assert_true(page_open(&p, &recipes[0], "thermal.png")); /* one GPU: no others, one line */
	assert_int_equal(count_of(p.list.at, "\"Others\""), 0);
	assert_null(strstr(p.list.at, "polyline 1.5 #B3174F dashed"));
	page_close(&p);
}

/* Few GPUs and many: what is drawn of all of them is the same whichever comes first. */
static void a_band_knows_no_order_of_gpus(void **state)
{
	static const size_t of_8_and_64[] = { 2, 4 };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct page_under_test p;
		assert_true(page_open(&p, &recipes[of_8_and_64[i]], "memory.png"));
		char *const before = strdup(p.list.at);
		const struct panel *const panel = &p.report->memory.panels[0];
		for (size_t a = 0, b = panel->n_gpus - 1; a < b; a++, b--) {
			const struct track *const first = panel->gpus[a];
			panel->gpus[a] = panel->gpus[b];
			panel->gpus[b] = first;
		}
		list_again(&p, "memory.png");
		assert_string_equal(p.list.at, before);
		free(before);
		page_close(&p);
	}
}

/* A finding on one GPU is seen at its row; one on several is in the lane alone. */
static void single_gpus_have_their_badges(void **state)
{
	(void)state;
	static const char *const one[] = { "n01/gpu3" }, *const two[] = { "n01/gpu1", "n01/gpu2" };
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[2], "heatmap.png"));
	struct finding *const f = (struct finding *)p.report->findings;
	const size_t without = count_of(p.list.at, "\npolyline 0.7 ");
	f[0].entities = (struct texts){ one, 1 };
	f[1].entities = (struct texts){ two, 2 };
	list_again(&p, "heatmap.png");
	assert_int_equal(without, 0);
	assert_int_equal(count_of(p.list.at, "\npolyline 0.7 "), 2);  /* a leader in each of two maps */
	assert_int_equal(count_of(p.list.at, " left #4B5563 \"GPU 3\""), 2);
	check_texts(&p, &recipes[2]);
	page_close(&p);
}

/* 512 GPUs of 64 hosts: a row a host, and one for the GPU that a finding names. */
static void many_gpus_are_rows_of_hosts(void **state)
{
	(void)state;
	static const char *const one[] = { "n05/gpu5" };
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[5], "heatmap.png"));
	assert_int_equal(count_of(p.list.at, "\"1 row = 1 host,\""), 2);
	struct finding *const f = (struct finding *)p.report->findings;
	f[0].entities = (struct texts){ one, 1 };
	list_again(&p, "heatmap.png");
	/* GPU 37 of 512 never worked: in its own row it has the idle colour from one end to the hole */
	assert_true(has_idle_row(p.list.at));
	assert_int_equal(count_of(p.list.at, "\"05/5\""), 2);
	check_texts(&p, &recipes[5]);
	page_close(&p);
}

static void set_closeup(struct page_under_test *p, time_ms begin)
{
	p->report->card.closeup = (struct closeup){ p->report->card.panels[0].gpus[0], { begin, begin + 2 * MINUTE_MS },
		"the 2 min boxed above, every sample", { "GPU", "every sample" } };
}

/* Every sample of it is a step, its place is boxed; where the page is full it goes before any panel does. */
static void closeup_shows_every_sample(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[6], "card.png"));
	assert_null(strstr(p.list.at, "\"Close-up\""));
	set_closeup(&p, BEGIN + 21 * MINUTE_MS);
	list_again(&p, "card.png");
	const char *const steps = strstr(p.list.at, "\npolyline 1.2 #0B62A8 ");
	assert_true(steps && strstr(p.list.at, "\"Close-up\"") && strstr(p.list.at, "\npolyline 0.9 #4B5563 320.0,"));
	size_t n = 0;
	for (const char *at = steps + 1; *at != '\n'; at++)
		n += *at == ',';
	assert_int_equal(n, 2 * 60); /* a sample every 2 s */
	check_texts(&p, &recipes[6]);
	page_close(&p);
	assert_true(page_open(&p, &recipes[2], "card.png"));
	const size_t n_panels = count_of(p.list.at, "\n");
	set_closeup(&p, BEGIN + HOUR_MS);
	list_again(&p, "card.png");
	assert_null(strstr(p.list.at, "\"Close-up\""));
	assert_int_equal(count_of(p.list.at, "\n"), n_panels);
	page_close(&p);
}

/* 511 GPUs work and one never does: its level has the faintest shade, all run long but in the hole. */
static void one_idle_gpu_of_many_is_in_the_density(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[5], "density.png"));
	const double bottom_cell = 150.0 / 20;
	double idle = 0, bottom = 0;
	for (const char *line = p.list.at; (line = strstr(line, "\ncell ")); line++) {
		const char *at = line + strlen("\ncell");
		const double x = number_here(&at), y = number_here(&at), w = number_here(&at), h = number_here(&at);
		const char *const faint = strstr(at, "#0B62A8/16%\n"); /* 12 % and 88 % of the root of 1 / 512 */
		if (x > 588 || fabs(h - bottom_cell) > 0.11)
			continue;
		bottom = bottom > 0 ? bottom : y; /* the lowest level is drawn first */
		idle += faint && faint <= at + 2 && fabs(y - bottom) < 0.11 ? w : 0;
	}
	assert_true(bottom > 100);
	assert_true(idle > 350 && idle < 536);
	page_close(&p);
}

static void duty_has_a_bar_a_level(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[2], "duty.png"));
	double right = 0;
	size_t n = 0;
	for (const char *line = p.list.at; (line = strstr(line, "\nrect ")); line++) {
		const char *at = line + strlen("\nrect");
		const double x = number_here(&at), top = number_here(&at), w = number_here(&at), h = number_here(&at);
		if (fabs(w - 16.4) > 0.11)
			continue;
		assert_true(x >= right && h > 100 && top > 0); /* bars stand beside each other */
		right = x + w;
		n++;
	}
	assert_int_equal(n, DUTY_BARS);
	assert_int_equal(count_of(p.list.at, "\"1234 GPU-min, 12345×\""), 3);
	assert_int_equal(count_of(p.list.at, "\"none\""), 1);
	assert_null(strstr(p.list.at, "hatched")); /* there is no time in it */
	page_close(&p);
}

static void free_memory_is_measured(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[2], "memory.png"));
	const char *const words = strstr(p.list.at, "\"17.2 GiB never used\"");
	assert_non_null(words);
	/* the words stand beside the bracket, which is at 60 % of the run */
	const char *line = words;
	while (line[-1] != '\n')
		line--;
	line += strlen("text");
	assert_true(fabs(number_here(&line) - (52 + 0.6 * 536 + 7)) < 0.1);
	assert_non_null(strstr(p.list.at, "\nrule 373.6 "));
	assert_non_null(strstr(p.list.at, "hatched"));
	page_close(&p);
}

static void phases_stand_in_the_time_line(void **state)
{
	(void)state;
	struct page_under_test p;
	assert_true(page_open(&p, &recipes[2], "timeline.png"));
	assert_int_equal(count_of(p.list.at, "\"at work\""), 2);
	assert_int_equal(count_of(p.list.at, "\"start\""), 0); /* 16 u are too few for the word */
	assert_int_equal(count_of(p.list.at, "\"phases\""), 1);
	assert_non_null(strstr(p.list.at, "\nrect 52.0 "));
	page_close(&p);
	assert_true(page_open(&p, &recipes[2], "card.png"));
	assert_int_equal(count_of(p.list.at, "\"phases\""), 0);
	page_close(&p);
}

/* Who looks for a few seconds looks for when. */
static void when_stands_out(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	assert_int_equal(count_of(p.list.at, " 9.3 bold left #4B5563 \"09:44–10:00 (16 min), all GPUs:\"\n"), 1);
	assert_int_equal(count_of(p.list.at, " 9.3 bold "), 1); /* the others say no time */
	assert_int_equal(count_of(p.list.at, "\"on-off rhythm, whole run\""), 1);
	assert_int_equal(count_of(p.list.at, "\"input starvation, whole run\""), 0);
	page_close(&p);
}

/* Behind the name of a finding, where the next one is not touched and the page does not end. */
static void lanes_name_gpus_where_there_is_room(void **state)
{
	static const struct {
		const char *name, *gpus, *drawn;
	} cases[] = {
		{ "overheated", "GPUs 3 and 5", "\"overheated: GPUs 3 and 5\"\n" },
		{ "overheated", NULL, "\"overheated\"\n" },
		{ "overheated", "GPUs 0-2, 5, 7, 9, 11, 13 and 15-31", "\"overheated\"\n" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct page_under_test p;
		page_open(&p, &recipes[2], "card.png");
		struct finding *const second = &((struct finding *)p.report->findings)[1];
		second->short_name = cases[i].name;
		second->some_gpus = cases[i].gpus;
		list_again(&p, "card.png");
		assert_int_equal(count_of(p.list.at, cases[i].drawn), 1);
		page_close(&p);
	}
}

/* Five at one time, and the second in rank over all of the run: its row is among the last, but it has one. */
static void lanes_show_what_is_listed_first(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	struct finding f[6];
	for (size_t i = 0; i < 6; i++) {
		f[i] = p.report->findings[3];
		f[i].number = i + 1;
		f[i].short_name = arena_print(&p.mem, "trouble %zu", i + 1);
		f[i].windows = i == 1 ? p.report->findings[2].windows : p.report->findings[1].windows;
	}
	p.report->findings = f;
	p.report->n_findings = 6;
	list_again(&p, "card.png");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(count_of(p.list.at, arena_print(&p.mem, "\"trouble %zu%s\"\n", i + 1, i == 1 ? ", whole run" : "")), i < 4);
	page_close(&p);
}

/* Wherever a line would end in it. */
static void commands_stay_on_one_line(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	for (int n = 40; n < 70; n++) {
		((struct finding *)p.report->findings)[0].card_text = arena_print(&p.mem, "%.*s(mpstat -P ALL 1) and (not a command).", 2 * n,
			"a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r ");
		list_again(&p, "card.png");
		assert_int_equal(count_of(p.list.at, "(mpstat -P ALL 1)"), 1);
	}
	page_close(&p);
}

/* Wherever a line would end in it. */
static void lengths_of_time_stay_on_one_line(void **state)
{
	static const char *const lengths[] = { "3 min 20 s", "4 h 54 min", "1 d 4 h" };
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (int n = 20; n < 50; n++) {
			p.report->verdict.sentence = arena_print(&p.mem, "%.*s%s, so it was slowed, and 5 min 7 times.", 2 * n,
				"e b c d e f g h i j k l m n o p q r s t u v w x y z e b c d e f g h i j k l m n o p q r s t u v w x y z", lengths[i]);
			list_again(&p, "card.png");
			assert_int_equal(count_of(p.list.at, lengths[i]), 1);
		}
	page_close(&p);
}

/* When a run was, and for how long, is behind names that can be long: those are cut in their middle. Items are not broken. */
static void long_names_leave_room_for_the_time(void **state)
{
	static const struct {
		const char *subline, *first, *last;
	} cases[] = {
		{ SIXTY SIXTY " and " SIXTY " · " SIXTY SIXTY " · 8 × NVIDIA H100 80GB HBM3 · Tue 14 May 2024, 09:12–11:12 log time · 2 h 00 min",
		  "…", "Tue\u00a014\u00a0May\u00a02024,\u00a009:12–11:12\u00a0log\u00a0time\u00a0\u00a0·  2\u00a0h\u00a000\u00a0min\"\n" },
		{ SIXTY "abcdefghijklmnopqrst · 8 × NVIDIA H100 80GB HBM3 · Tue 14 May 2024, 09:12–11:12 log time · 2 h 00 min",
		  SIXTY "abcdefghijklmnopqrst\u00a0\u00a0·", "\"Tue\u00a014\u00a0May\u00a02024,\u00a009:12–11:12\u00a0log\u00a0time" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct page_under_test p;
		page_open(&p, &recipes[2], "card.png");
		p.report->subline = cases[i].subline;
		list_again(&p, "card.png");
		assert_non_null(strstr(p.list.at, cases[i].first));
		assert_non_null(strstr(p.list.at, cases[i].last));
		page_close(&p);
	}
}

static void a_healthy_card_tells_what_was_checked_and_what_is_seen(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
		struct page_under_test p;
		if (!recipes[i].healthy || !page_open(&p, &recipes[i], "card.png"))
			continue;
		assert_int_equal(count_of(p.list.at, "\"No finding in 34 checks of GPU use, CPU use, clock speeds, heat, power and memory.\""), 1);
		assert_int_equal(count_of(p.list.at, "\"The start took 16 s (16:41:22–16:41:38). GPU busy dipped 4 times,"), 1);
		page_close(&p);
	}
}

static void no_word_is_alone_on_the_last_line(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	p.report->verdict.sentence = "The GPUs waited for input more than half the time: 39 % busy, while the CPUs ran at 97 %.";
	list_again(&p, "card.png");
	assert_non_null(strstr(p.list.at, "while the CPUs ran\"\n"));
	assert_non_null(strstr(p.list.at, "\"at 97 %.\"\n"));
	page_close(&p);
}

static void gpus_held_down_alike_are_one_row(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	assert_int_equal(count_of(p.list.at, "\"hot 22 min\""), 1); /* GPU 3 alone */
	((struct panel *)panel_of(p.report, PANEL_THROTTLE))->common_note = "22 min each";
	list_again(&p, "card.png");
	assert_int_equal(count_of(p.list.at, "\"hot 22 min\""), 0);
	assert_int_equal(count_of(p.list.at, "\"22 min each\""), 1);
	assert_int_equal(count_of(p.list.at, "\"all 8\""), 1);
	assert_non_null(strstr(p.list.at, " #9E1030/36%")); /* one GPU of eight: two tenths of the time, and a fifth of the colour for any at all */
	assert_int_equal(count_of(p.list.at, "\"pale: part of the time or of the GPUs\""), 1);
	page_close(&p);
}

static void numbers_stay_with_their_units(void **state)
{
	(void)state;
	struct page_under_test p;
	page_open(&p, &recipes[2], "card.png");
	p.report->verdict.sentence = "a b c d e f g h 97 % a b c d e f 16 min a b c GPU 3 a b c d e f g h i j k l 97 % 16 min GPU 3 1 min 18 s a b c "
				     "d e f g h i j k l m n o p q 97 % 16 min GPU 3 ends here, 97 % 16 min GPU 3 700 W 1980 MHz 12.5 GPU-h 90 °C";
	buf_release(&p.list);
	buf_init(&p.list, LIST_MAX);
	assert_true(chart_list(p.report, "card.png", &(struct chart_options){ THEME_LIGHT, 2 }, &p.list));
	static const char *const begins[] = { "\"%", "\"min", "\"3 ", "\"s ", "\"W ", "\"MHz", "\"GPU-h", "\"°C" };
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		for (const char *at = p.list.at; (at = strstr(at, begins[i])); at++)
			fail_msg("a line begins with what belongs to the end of the one before: %.20s", at);
	page_close(&p);
}

/* ---- parts ---- */

static void ticks_are_round(void **state)
{
	(void)state;
	static const struct {
		time_ms length;
		const char *clock_0, *clock_1, *elapsed_1, *elapsed_2;
	} cases[] = { /* a run that starts at 09:12:07; visual.md 5 */
		{ 45 * SECOND_MS, "09:12:10", "09:12:15", "10 s", "20 s" },
		{ 150 * SECOND_MS, "09:12:15", "09:12:30", "30 s", "1 min" },
		{ 10 * MINUTE_MS, "09:13", "09:14", "2 min", "4 min" },
		{ 2 * HOUR_MS, "09:15", "09:30", "15 min", "30 min" },
		{ 26 * HOUR_MS, "12:00", "15:00", "4 h", "8 h" },
		{ 3 * DAY_MS, "12:00", "00:00", "12 h", "1 d" },
		{ 16 * DAY_MS, "16 May", "18 May", "2 d", "4 d" },
		{ 75 * DAY_MS, "20 May", "27 May", "14 d", "28 d" },
	};
	struct arena mem;
	arena_init(&mem);
	assert_string_equal(elapsed_label(&mem, 70 * SECOND_MS, 10 * SECOND_MS), "1 min 10 s");
	assert_string_equal(elapsed_label(&mem, 125 * SECOND_MS, 5 * SECOND_MS), "2 min 05 s");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct span span = { BEGIN, BEGIN + cases[i].length };
		const struct time_ticks clock = ticks_clock(span, 536), elapsed = ticks_elapsed(span, 536);
		assert_string_equal(clock_label(&mem, clock.at[0], clock.step), cases[i].clock_0);
		assert_string_equal(clock_label(&mem, clock.at[1], clock.step), cases[i].clock_1);
		assert_string_equal(elapsed_label(&mem, elapsed.at[1] - BEGIN, elapsed.step), cases[i].elapsed_1);
		assert_string_equal(elapsed_label(&mem, elapsed.at[2] - BEGIN, elapsed.step), cases[i].elapsed_2);
	}
	arena_release(&mem);
}

static void extremes_survive_bins(void **state)
{
	(void)state;
	struct arena mem;
	arena_init(&mem);
	enum { N = 10000 };
	time_ms *times = NEW_ARRAY(&mem, time_ms, N);
	fixed *values = NEW_ARRAY(&mem, fixed, N);
	for (size_t i = 0; i < N; i++) {
		times[i] = (time_ms)i * 1000 + (i >= 5000 ? 2000000 : 0);
		values[i] = i == 1234 ? 0 : 97 * (fixed)FIXED_ONE;
	}
	const struct track t = { .times = times, .values = values, .n = N, .step = 1000 };
	const struct bins b = bins_of(&mem, &t, NULL, (struct span){ 0, 12000000 }, 100, 1);
	assert_true(b.min[10] == 0 && b.max[10] == 97 && b.mean[10] > 96 && b.mean[10] < 97);
	assert_true(isnan(b.mean[50]) && b.mean[41] == 97 && b.mean[60] == 97);
	arena_release(&mem);
}

/* 5 s at 88 % and 8 s at 0, a sample every 2 s, bins of 9.4 s: over any eleven bins the mean is that of the whole. */
static void rhythms_do_not_beat(void **state)
{
	(void)state;
	struct arena mem;
	arena_init(&mem);
	enum { N = 1260, N_BINS = 268, WIDTH = 11 };
	time_ms *times = NEW_ARRAY(&mem, time_ms, N);
	fixed *values = NEW_ARRAY(&mem, fixed, N);
	for (size_t i = 0; i < N; i++) {
		times[i] = (time_ms)i * 2000;
		values[i] = i * 2 % 13 < 5 ? 88 * (fixed)FIXED_ONE : 0;
	}
	const struct track t = { .times = times, .values = values, .n = N, .step = 2000 };
	const struct bins b = bins_of(&mem, &t, NULL, (struct span){ 0, N * 2000 }, N_BINS, 1);
	for (size_t k = 0; k + WIDTH <= N_BINS; k++) {
		double sum = 0;
		for (size_t i = k; i < k + WIDTH; i++)
			sum += b.mean[i] / WIDTH;
		assert_true(fabs(sum - 88 * 5 / 13.0) < 2.5);
	}
	arena_release(&mem);
}

/* WCAG 2.1 relative luminance. */
static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;
	for (int i = 0; i < 3; i++) {
		const double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;
		sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
	const double x = luminance(a), y = luminance(b);
	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void colours_stand_out(void **state)
{
	(void)state;
	static const struct {
		enum hue hue, ground;
		double least;
	} rows[] = {
		{ HUE_INK, HUE_PAGE, 4.5 }, { HUE_INK2, HUE_PAGE, 4.5 }, { HUE_INK3, HUE_PAGE, 4.5 }, { HUE_INK2, HUE_TINT, 4.5 },
		{ HUE_GPU, HUE_PAGE, 4.5 }, { HUE_CPU, HUE_PAGE, 4.5 }, { HUE_MEMORY, HUE_PAGE, 4.5 }, { HUE_TEMPERATURE, HUE_PAGE, 4.5 },
		{ HUE_POWER, HUE_PAGE, 4.5 }, { HUE_CLOCK, HUE_PAGE, 4.5 }, { HUE_CRITICAL, HUE_PAGE, 3 }, { HUE_WARNING, HUE_PAGE, 3 },
		{ HUE_NOTE, HUE_PAGE, 3 }, { HUE_OVERHEAD, HUE_PAGE, 3 }, { HUE_ON_CRITICAL, HUE_CRITICAL, 4.5 },
		{ HUE_ON_WARNING, HUE_WARNING, 4.5 }, { HUE_ON_NOTE, HUE_NOTE, 4.5 }, { HUE_PAGE, HUE_GPU, 4.5 },
	};
	for (int theme = THEME_LIGHT; theme <= THEME_DARK; theme++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			assert_true(contrast(theme_table[theme].at[rows[i].hue].rgb, theme_table[theme].at[rows[i].ground].rgb) >= rows[i].least);
}

static void unknown_letters_become_question_marks(void **state)
{
	(void)state;
	struct arena mem;
	arena_init(&mem);
	const struct font *const font = font_new(&mem);
	static const char *const texts[] = { "\xe6\x97\xa5", "\xff", "\xc3", "\xf0\x9f\x98\x80", "\n" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *at = texts[i];
		assert_int_equal(font_next(font, &at), '?');
		assert_int_equal(*at, 0);
	}
	arena_release(&mem);
}

static void digits_stand_in_columns(void **state)
{
	(void)state;
	struct arena mem;
	arena_init(&mem);
	const struct font *const font = font_new(&mem);
	for (int bold = 0; bold < 2; bold++) {
		for (char digit[] = "0"; digit[0] <= '9'; digit[0]++)
			assert_true(font_width(font, digit, 10, bold) == font_width(font, "0", 10, bold));
		/* signs between numbers, too, but for the arrow */
		static const char *const signs[] = { "+", "\u2212", "\u2264", "\u2265", "\u2248", "\u00d7", "\u00b1" };
		for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
			assert_true(fabs(font_width(font, signs[i], 10, bold) - font_width(font, "0", 10, bold)) < 0.01);
	}
	arena_release(&mem);
}

static void reports_have_their_letters(void **state)
{
	(void)state;
	static const char letters[] = "\u00e9\u00df\u00c5 \u00b5 \u00b0C \u00b7 \u00d7 \u00b1 \u2013\u2014 \u2018\u2019\u201c\u201d \u2026 \u202f "
				      "\u2212 \u2264 \u2265 \u2248 \u2192 \u20ac\u00a3 fi_[{<|>}]~@#$%^&*";
	struct arena mem;
	struct buf drawn;
	arena_init(&mem);
	buf_init(&drawn, LIST_MAX);
	const struct font *const font = font_new(&mem);
	assert_int_equal(font_put_drawn(font, letters, &drawn), 0);
	assert_string_equal(drawn.at, letters);
	assert_int_equal(font_put_drawn(font, "a?\u65e5\xff", &drawn), 2); /* a question mark that somebody wrote is none of ours */
	assert_string_equal(drawn.at + strlen(letters), "a???");
	buf_release(&drawn);
	arena_release(&mem);
}

static void picture_write(const struct report *report, const char *folder, const char *name, const char *file, enum chart_theme theme)
{
	char path[512];
	struct buf png;
	buf_init(&png, LIST_MAX);
	snprintf(path, sizeof path, "%s/%s_%s%s", folder, name, theme == THEME_DARK ? "dark_" : "", file);
	FILE *const out = fopen(path, "wb");
	if (out && chart_png(report, file, &(struct chart_options){ theme, 2 }, &png))
		fwrite(png.at, 1, png.n, out);
	if (out)
		fclose(out);
	buf_release(&png);
}

static int pictures_write(const char *folder)
{
	for (size_t i = 0; i < N_RECIPES; i++) {
		struct arena mem;
		arena_init(&mem);
		const struct report *const report = report_make(&mem, &recipes[i]);
		for (size_t c = 0; c < n_charts; c++)
			for (int theme = THEME_LIGHT; theme <= THEME_DARK; theme++)
				picture_write(report, folder, recipes[i].name, chart_files[c], (enum chart_theme)theme);
		arena_release(&mem);
	}
	return 0;
}

/* Higher than cairo's surfaces can be: no picture, and no crash. */
static void what_cannot_be_drawn_is_told(void **state)
{
	struct arena mem;
	struct buf png;

	(void)state;
	arena_init(&mem);
	buf_init(&png, LIST_MAX);
	struct letters *const letters = letters_new(&mem);
	const struct font *const font = font_new(&mem);
	struct canvas *const kept = canvas_replay_new(&mem, font);
	kept->verbs->box(kept, (struct box){ 0, 0, 10, 10 }, 0, (struct colour){ 0, 1 });
	kept->verbs->text(kept, (struct point){ 0, 10 }, "words", (struct lettering){ .size = 10 });
	struct canvas *const canvas = canvas_cairo_new(&mem, font, letters, kept, &(struct paper){ 700, 40000, 1, 100000 });
	const struct bands bands = canvas_cairo_bands(canvas);
	assert_false(png_encode(&mem, &bands, 1, &(struct png_words){ .title = "words" }, &png));
	assert_false(canvas_cairo_release(canvas));
	letters_release(letters);
	buf_release(&png);
	arena_release(&mem);
}

/* Each order as if it were alone; one that has no room spoils no other. */
static void pictures_are_drawn_side_by_side(void **state)
{
	static const enum chart_kind kinds[] = { CHART_PNG, CHART_SVG, CHART_PNG, CHART_PDF };
	static const size_t rooms[] = { LIST_MAX, LIST_MAX, 1000, LIST_MAX };
	const struct chart_options how = { THEME_DARK, 1 };
	struct chart_order orders[4];
	struct buf out[4], alone;
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct report *const report = report_make(&mem, &recipes[0]);
	for (size_t i = 0; i < 4; i++) {
		buf_init(&out[i], rooms[i]);
		orders[i] = (struct chart_order){ kinds[i], "card.png", how, &out[i], false };
	}
	charts_draw(report, orders, 4, NULL);
	assert_true(orders[0].good && orders[1].good && !orders[2].good && orders[3].good);
	buf_init(&alone, LIST_MAX);
	assert_true(chart_svg(report, "card.png", &how, &alone));
	assert_true(alone.n == out[1].n && memcmp(alone.at, out[1].at, alone.n) == 0);
	buf_release(&alone);
	for (size_t i = 0; i < 4; i++)
		buf_release(&out[i]);
	arena_release(&mem);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_stay_apart_and_inside),
		cmocka_unit_test(key_figures_are_told_in_full),
		cmocka_unit_test(curves_stop_at_holes),
		cmocka_unit_test(hatching_is_explained_where_it_is),
		cmocka_unit_test(percent_goes_from_0_to_100),
		cmocka_unit_test(cards_are_at_most_900_high),
		cmocka_unit_test(same_report_same_bytes),
#ifdef M_PERTURB
		cmocka_unit_test(what_was_in_memory_is_never_drawn),
#endif
		cmocka_unit_test(nothing_to_draw_is_no_picture),
		cmocka_unit_test(idle_gpu_among_many_is_seen),
		cmocka_unit_test(worst_samples_are_in_the_band),
		cmocka_unit_test(logs_without_room_are_counted),
		cmocka_unit_test(overlapping_findings_tint_once),
		cmocka_unit_test(named_gpus_are_lines_over_a_band),
		cmocka_unit_test(a_band_knows_no_order_of_gpus),
		cmocka_unit_test(single_gpus_have_their_badges),
		cmocka_unit_test(many_gpus_are_rows_of_hosts),
		cmocka_unit_test(closeup_shows_every_sample),
		cmocka_unit_test(one_idle_gpu_of_many_is_in_the_density),
		cmocka_unit_test(duty_has_a_bar_a_level),
		cmocka_unit_test(free_memory_is_measured),
		cmocka_unit_test(phases_stand_in_the_time_line),
		cmocka_unit_test(when_stands_out),
		cmocka_unit_test(lanes_name_gpus_where_there_is_room),
		cmocka_unit_test(lanes_show_what_is_listed_first),
		cmocka_unit_test(lengths_of_time_stay_on_one_line),
		cmocka_unit_test(long_names_leave_room_for_the_time),
		cmocka_unit_test(commands_stay_on_one_line),
		cmocka_unit_test(a_healthy_card_tells_what_was_checked_and_what_is_seen),
		cmocka_unit_test(no_word_is_alone_on_the_last_line),
		cmocka_unit_test(gpus_held_down_alike_are_one_row),
		cmocka_unit_test(numbers_stay_with_their_units),
		cmocka_unit_test(ticks_are_round),
		cmocka_unit_test(extremes_survive_bins),
		cmocka_unit_test(rhythms_do_not_beat),
		cmocka_unit_test(colours_stand_out),
		cmocka_unit_test(unknown_letters_become_question_marks),
		cmocka_unit_test(digits_stand_in_columns),
		cmocka_unit_test(reports_have_their_letters),
		cmocka_unit_test(what_cannot_be_drawn_is_told),
		cmocka_unit_test(pictures_are_drawn_side_by_side),
	};
	if (argc == 2)
		return pictures_write(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
