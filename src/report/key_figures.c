/* key_figures.c - a handful of numbers for the head of the card: only what the log holds. */
#include "report/report_parts.h"

#include <math.h>

#define MOST_FIGURES 6

static void add_figure(struct build *b, const char *value, const char *caption)
{
	struct key_figure *figures = (struct key_figure *)b->report->key_figures;

	figures[b->report->n_key_figures++] = (struct key_figure){ value, caption };
}

static const char *lost_caption(struct build *b)
{
	if (b->suppressed_hours > 0)
		return arena_print(b->mem, "%s lost, %s suppressed", b->unit.symbol, gpu_time_number(b->mem, b->unit, b->suppressed_hours));
	return arena_print(b->mem, "lost, of %s %s", gpu_time_number(b->mem, b->unit, b->total_hours),
		b->unit.symbol);
}

/* "up to 2.0"; "<0.1" is a bound by itself */
static const char *lost_number(struct build *b)
{
	const char *const lost = gpu_time_number(b->mem, b->unit, b->lost_high);

	return b->lost_high > b->lost_low && *lost != '<' ? arena_print(b->mem, "up to %s", lost) : lost;
}

void build_key_figures(struct build *b)
{
	struct span run = b->run->span;
	double busy = mean_of_gpus(b, METRIC_GPU_UTIL, spans_one(&run)), peak = max_of_gpus(b, METRIC_GPU_MEM_USED) / 1024,
	       capacity = max_of_gpus(b, METRIC_GPU_MEM_TOTAL) / 1024, hottest = max_of_gpus(b, METRIC_GPU_TEMP);

	const char *energy = NULL, *caption = NULL;

	b->report->key_figures = NEW_ARRAY(b->mem, struct key_figure, MOST_FIGURES);
	if (!b->run->n_gpus)
		return;
	if (!isnan(busy)) {
		add_figure(b, quantity_text(b->mem, (struct quantity){ busy, UNIT_PERCENT }), "GPU busy, mean");
		if (b->lost_high <= 0 && !b->report->healthy)
			add_figure(b, "unknown", "time lost");
		else
			add_figure(b, lost_number(b), lost_caption(b));
	}
	if (!isnan(peak) && !isnan(capacity))
		add_figure(b, arena_print(b->mem, "%s of %s", number_text(b->mem, peak, 1), number_text(b->mem, capacity, 1)),
			"GiB, peak memory");
	else if (!isnan(peak))
		add_figure(b, arena_print(b->mem, "%s GiB", number_text(b->mem, peak, 1)), "peak memory");
	if (!isnan(hottest))
		add_figure(b, arena_print(b->mem, "%s \302\260C", number_text(b->mem, hottest, 0)), "hottest GPU");
	if (!isnan(mean_of_gpus(b, METRIC_GPU_POWER, spans_one(&run))))
		energy = energy_figure(b, &caption);
	if (energy)
		add_figure(b, energy, caption);
	add_figure(b, present_text(b->mem, b->total_hours > 0 ? 1 - b->unlogged_hours / b->total_hours : 0), "of GPU log present");
}
