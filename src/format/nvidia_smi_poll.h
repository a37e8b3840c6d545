/*
 * nvidia_smi_poll.h - what the table, -q and -q -x share: a poll has one time above all of its GPUs, or none.
 * For this folder only.
 *
 *     Sat Nov 21 01:48:44 2026          Timestamp : Sat Nov 21 03:10:52 2026          <timestamp>Sat Nov …
 *
 * That time is ctime's: local, in whole seconds. Several polls within one second are therefore spread
 * (sheet_spread). A log in which no poll has a time counts its polls from 0, a second for each, until
 * --start places them; when a time comes later after all (`tail` left half a poll on top), what stood above
 * the first time is given up, since nobody could say how far above.
 */
#ifndef POSTRUN_NVIDIA_SMI_POLL_H
#define POSTRUN_NVIDIA_SMI_POLL_H

#include "format/nvidia_smi.h"

struct smi_polls {
	struct reading *r;
	struct sheet *sheet;
	const char *untimed;      /* the complaint about a row whose poll has no time in a log that has times */
	time_ms t;                /* of the poll, or TIME_UNKNOWN */
	bool timed;               /* some poll had its time */
	size_t n_polls, n_rows;   /* so far without times */
	bool lost[MAX_CHANNELS];  /* the channel's last row was of a lost GPU */
	struct smi_messages messages;
};

void smi_polls_init(struct smi_polls *p, struct reading *r, const char *untimed);
/* A poll begins; TIME_UNKNOWN: it does not say when. */
void smi_poll_begin(struct smi_polls *p, time_ms t);
/* Opens the GPU's row of this poll. SIZE_MAX, counted and reported, when it can't be used. */
size_t smi_poll_row(struct smi_polls *p, const struct entity *gpu, struct place place);
/* The row just opened shows whether its GPU is lost; that it got lost is an event, that it stays so is not. */
void smi_poll_lost(struct smi_polls *p, size_t channel, const struct entity *gpu, bool lost, struct slice text);
/* At the end, in place of sheet_finish() or, when the file can't be used at all, of sheet_drop(). */
bool smi_polls_finish(struct smi_polls *p, bool good);

#endif
