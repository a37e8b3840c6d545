/*
 * nvidia_smi.h - what the logs of nvidia-smi share: its error messages between the rows. For this
 * folder only.
 *
 *     Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.  Reboot the system to recover this GPU
 */
#ifndef POSTRUN_NVIDIA_SMI_H
#define POSTRUN_NVIDIA_SMI_H

#include "format/sheet.h"

struct smi_messages { /* in the making */
	const char **at;
	size_t n, room;
};

bool smi_is_message(struct slice line);
/*
 * Counts the line as ignored, reports it and keeps it (the first hundred). A message that names a GPU is
 * also an event, GPU lost, at the time of the rows around it.
 */
void smi_take_message(struct reading *r, struct smi_messages *messages, struct slice line);
/* The same without the event, for a reader that knows better when the GPU was lost. */
void smi_note_message(struct reading *r, struct smi_messages *messages, struct slice line);
/* Into the recording; what was grown is given back. */
void smi_keep_messages(struct reading *r, struct smi_messages *messages);
/* The GPU that a message names, by bus id, by index or by both; false when it names none. */
bool smi_lost_gpu(struct arena *mem, struct slice line, struct entity *gpu);

#endif
