/*
 * nvidia_smi_csv_lost.c - GPUs that the query CSV says are lost: between its rows, or in their cells.
 *
 *     Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.  Reboot the system to recover this GPU
 *     2026/11/21 01:48:34.387, 0, [GPU is lost], [GPU is lost]
 */
#include "format/nvidia_smi_csv_parts.h"
#include "metric/identity.h"

#define SLOWEST_ANSWER ((time_ms)500) /* from GPU to GPU within a poll */

static size_t lost_at(const struct csv *csv, const struct entity *gpu)
{
	size_t i = 0;

	while (i < csv->n_lost && !gpu_is_same(&csv->lost[i], gpu))
		i++;
	return i;
}

/* A GPU is lost once, however often the log says so, until it has values again. */
static void lose(struct csv *csv, const struct entity *gpu, struct slice text, time_ms t)
{
	if (lost_at(csv, gpu) < csv->n_lost || csv->n_lost == MAX_LOST)
		return;
	csv->lost[csv->n_lost++] = *gpu;
	sheet_event(csv->sheet, EVENT_GPU_LOST, gpu, t, 0, text);
}

static bool says_lost(struct slice cell)
{
	return cell.n && cell.p[0] == '[' &&
	       (slice_is_nocase(cell, "[GPU is lost]") || slice_is_nocase(cell, "[GPU requires reset]"));
}

void csv_found_again(struct csv *csv, const struct entity *gpu)
{
	size_t at = csv->n_lost ? lost_at(csv, gpu) : 0;

	if (at < csv->n_lost)
		csv->lost[at] = csv->lost[--csv->n_lost];
}

void csv_watch_lost(struct csv *csv, size_t shift, const struct entity *gpu, time_ms t)
{
	for (size_t i = 0; i < csv->header.n; i++) {
		struct slice cell = csv->row.cells[i + shift];
		if (csv->header.at[i].role != ROLE_METRIC || !memchr(cell.p, '[', cell.n) || !says_lost(cell = slice_trim(cell)))
			continue;
		lose(csv, gpu, slice_of(arena_print(csv->r->mem, "%.*s in %s", SLICE(cell), csv->header.at[i].spelling->head)), t);
		return;
	}
	csv_found_again(csv, gpu);
}

/*
 * The message stands where the GPU's row would: of the poll that the row before belongs to, unless the GPU still had a row of
 * its own in that; then of the next (TIME_UNKNOWN), as where nothing tells which of the GPUs it is.
 */
static time_ms time_of_loss(const struct csv *csv, const struct entity *gpu)
{
	for (size_t i = 0; i < csv->n_seen && csv->header.has_identity; i++)
		if (gpu_is_same(&csv->seen[i].gpu, gpu))
			return csv->seen[i].last < csv->last - SLOWEST_ANSWER ? csv->last : TIME_UNKNOWN;
	return TIME_UNKNOWN;
}

void csv_take_message(struct csv *csv, struct slice line)
{
	struct entity gpu;

	if (smi_lost_gpu(csv->r->mem, line, &gpu))
		lose(csv, &gpu, line, time_of_loss(csv, &gpu));
	smi_note_message(csv->r, &csv->messages, line);
	csv->after_message = true;
}
