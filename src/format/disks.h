/*
 * disks.h - one host's block devices in one poll, added up without counting a block twice. For this folder only.
 *
 * A request to sda1 is counted again on sda, one to dm-0, md0 or drbd0 again on the disks below. So disks are told
 * from what stands on them by their names; where only stacked devices are listed, these are added up.
 */
#ifndef POSTRUN_DISKS_H
#define POSTRUN_DISKS_H

#include "base/number.h"

struct disk { /* what a row tells of one device; FIXED_MISSING where it does not */
	fixed read, write; /* KiB a second */
	fixed util;        /* percent of time with a request open */
	fixed requests;    /* a second */
	fixed await;       /* ms, mean over these requests */
};

struct disks {
	struct disk_sum {
		size_t n;
		struct disk sum; /* await: ms times requests until disks_total() */
		double waited;
	} whole, stacked;
	char last[64]; /* the last device that is no partition */
};

/* Before the first device of a poll. */
void disks_begin(struct disks *d);
/* Devices in the order of the log: a partition follows its disk. */
void disks_add(struct disks *d, struct slice name, const struct disk *disk);
/*
 * False when no device counts. Sums of traffic, the busiest one's share, the mean time of a request over all; missing
 * where no device told it, as is the time of a request when there was none.
 */
bool disks_total(const struct disks *d, struct disk *total);

#endif
