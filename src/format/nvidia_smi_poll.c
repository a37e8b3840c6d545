/* nvidia_smi_poll.c - polls with one time each, with several in a second, and with none. */
#include "format/nvidia_smi_poll.h"

void smi_polls_init(struct smi_polls *p, struct reading *r, const char *untimed)
{
	*p = (struct smi_polls){ .r = r, .sheet = sheet_new(r), .untimed = untimed, .t = TIME_UNKNOWN };
	sheet_spread(p->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
}

/* The first time of a log that seemed to have none: its rows so far are taken back. */
static void give_up_untimed(struct smi_polls *p)
{
	struct recording *rec = p->r->recording;

	diag_at(p->r->diags, (struct place){ p->r->lines->path, p->r->lines->line, 0 }, DIAG_BAD_TIME,
		"the first time of the log; %zu row%s above it can't be placed and not used", p->n_rows,
		plural_s(p->n_rows));
	sheet_drop(p->sheet);
	rec->n_rows_bad += p->n_rows;
	memset(rec->absences, 0, sizeof rec->absences);
	memset(p->lost, 0, sizeof p->lost);
	p->sheet = sheet_new(p->r);
	sheet_spread(p->sheet);
}

void smi_poll_begin(struct smi_polls *p, time_ms t)
{
	if (t != TIME_UNKNOWN && !p->timed && p->n_rows)
		give_up_untimed(p);
	p->timed |= t != TIME_UNKNOWN;
	p->t = t;
	if (!p->timed)
		p->t = (time_ms)p->n_polls++ * SECOND_MS;
}

size_t smi_poll_row(struct smi_polls *p, const struct entity *gpu, struct place place)
{
	if (p->t == TIME_UNKNOWN) {
		sheet_reject(p->sheet, place, DIAG_BAD_TIME, "%s", p->untimed);
		return SIZE_MAX;
	}
	const size_t channel = sheet_channel(p->sheet, gpu);
	if (channel == SIZE_MAX) {
		p->r->recording->n_rows_bad++;
		return SIZE_MAX;
	}
	sheet_row(p->sheet, channel, p->t);
	p->n_rows++;
	return channel;
}

void smi_poll_lost(struct smi_polls *p, size_t channel, const struct entity *gpu, bool lost, struct slice text)
{
	if (lost && !p->lost[channel])
		sheet_event(p->sheet, EVENT_GPU_LOST, gpu, p->t, 0, text);
	p->lost[channel] = lost;
}

bool smi_polls_finish(struct smi_polls *p, bool good)
{
	smi_keep_messages(p->r, &p->messages);
	p->r->recording->clock.time_unknown = !p->timed;
	return good ? sheet_finish(p->sheet) : sheet_drop(p->sheet);
}
