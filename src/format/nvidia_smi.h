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
/* Counts the line as ignored, reports it and keeps it (the first hundred). */
void smi_take_message(struct reading *r, struct smi_messages *messages, struct slice line);
/* The GPU that the message calls lost, by bus id or number; false when it speaks of none. */
bool smi_lost_gpu(struct arena *mem, struct slice message, struct entity *gpu);
/* Into the recording; what was grown is given back. */
void smi_keep_messages(struct reading *r, struct smi_messages *messages);

#endif
