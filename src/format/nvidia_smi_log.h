/*
 * nvidia_smi_log.h - what `nvidia-smi -q` and `nvidia-smi -q -x` share: a log with one time, and in it a block a GPU,
 * whose values are known by the path of their sections. For this folder only.
 *
 *     GPU 00000000:00:06.0                          <gpu id="00000000:00:06.0">
 *         Utilization                                   <utilization>
 *             GPU              : 100 %                      <gpu_util>100 %</gpu_util>
 *
 *     path  Utilization/GPU                         utilization/gpu_util
 *
 * A reader's table of columns has paths as heads. Several paths may tell one metric: the row of the table
 * that stands first and has a value wins, so that "Average Power Draw : N/A" leaves it to the
 * instantaneous one. Paths of new drivers that give a total only in parts (ECC errors of SRAM and DRAM)
 * are added up. A path that is no column is left out; MIG devices stand in sections of
 * their own, so their values are never taken for the GPU's.
 */
#ifndef POSTRUN_NVIDIA_SMI_LOG_H
#define POSTRUN_NVIDIA_SMI_LOG_H

#include "format/nvidia_smi_poll.h"

#define SMI_PATH_BYTES 200  /* the longest path of driver 610 has 121 */
#define SMI_VALUE_BYTES 64  /* numbers, modes and words for missing; what is longer is none of them */
#define SMI_MOST_GPUS 256   /* of one host; further ones are read, but not numbered */

/* Both forms use the same words. */
extern const struct absence_word smi_log_absences[];

struct smi_value { /* the best for its metric so far */
	const struct spelling *spelling; /* NULL: none */
	struct place place;
	char text[SMI_VALUE_BYTES];
	size_t n;
	bool is_known;                   /* it is no word for missing */
};

struct smi_log {
	struct reading *r;
	struct smi_polls polls;
	struct entity gpu;              /* of the block in the making */
	bool in_gpu, needs_poll;        /* needs_poll: no GPU of this log has come yet */
	time_ms t;                      /* of this log, or TIME_UNKNOWN */
	struct place place;             /* where the block began */
	struct smi_value values[N_METRICS];
	int64_t n_attached;             /* GPUs of the host as the log says, -1 not said */
	struct entity seen[SMI_MOST_GPUS]; /* in this log, in its order */
	size_t n_seen;
};

void smi_log_init(struct smi_log *log, struct reading *r);
/* A poll begins; its time and number of GPUs may follow. */
void smi_log_begin(struct smi_log *log);
/* The poll's "Timestamp", "Driver Version" and "Attached GPUs". */
void smi_log_time(struct smi_log *log, struct slice text, struct place place);
void smi_log_driver(struct smi_log *log, struct slice text);
void smi_log_attached(struct smi_log *log, struct slice text);
/* A GPU's block begins; the one before, when it was not ended, is given up. */
void smi_log_gpu(struct smi_log *log, struct slice bus_id, struct place place);
void smi_log_uuid(struct smi_log *log, struct slice text);
void smi_log_name(struct smi_log *log, struct slice text);
/* A value of the block, by its path below the GPU. */
void smi_log_value(struct smi_log *log, struct slice path, struct slice text, struct place place);
/* The block is whole: a row. */
void smi_log_gpu_end(struct smi_log *log);
/* The poll is whole: if it listed all GPUs of the host, their order is their number. */
void smi_log_end(struct smi_log *log);
bool smi_log_finish(struct smi_log *log, bool good);

#endif
