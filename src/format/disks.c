/*
 * disks.c - which block devices are disks, told from their names.
 *
 *     sda nvme0n1 vda mmcblk0 dev8-16            disks; sar without -p writes major and minor number
 *     sda1 nvme0n1p2 mmcblk0p1 dev8-17           partitions of the disk before them
 *     dm-0 md127 drbd0 rhel7-root dev253-0       stand on disks; names that we don't know are of the device mapper
 *     loop3 ram0 zram0 dev7-0                    files and memory: never counted
 *
 * Numbers of the device mapper and of virtio disks are given out at run time (252 to 254 on most hosts), so they count
 * as stacked: only where no certain disk is listed they are added up.
 */
#include "format/disks.h"

#include <math.h>
#include <stdio.h>

/* Bounds sums of thousands of devices; a TiB/s has 10^9 KiB. */
#define SUM_MOST ((fixed)1000000000000 * FIXED_ONE)
#define MINORS_OF_SD 16 /* sda has 0 to 15, sdb 16 to 31 */

enum kind { KIND_WHOLE,
	KIND_STACKED,
	KIND_NONE };

static const struct {
	const char *begin;
	enum kind kind;
} names[] = {
	{ "loop", KIND_NONE },
	{ "ram", KIND_NONE },
	{ "zram", KIND_NONE },
	{ "dev1-", KIND_NONE },
	{ "dev7-", KIND_NONE },
	{ "sd", KIND_WHOLE },
	{ "hd", KIND_WHOLE },
	{ "vd", KIND_WHOLE },
	{ "xvd", KIND_WHOLE },
	{ "nvme", KIND_WHOLE },
	{ "mmcblk", KIND_WHOLE },
	{ "pmem", KIND_WHOLE },
	{ "dasd", KIND_WHOLE },
	{ "cciss", KIND_WHOLE },
	{ "nbd", KIND_WHOLE },
	{ "rbd", KIND_WHOLE },
	{ "sr", KIND_WHOLE },
	{ "scd", KIND_WHOLE },
	{ "fd", KIND_WHOLE },
	{ "dev2-", KIND_WHOLE },
	{ "dev3-", KIND_WHOLE },
	{ "dev8-", KIND_WHOLE },
	{ "dev11-", KIND_WHOLE },
	{ "dev22-", KIND_WHOLE },
	{ "dev65-", KIND_WHOLE },
	{ "dev66-", KIND_WHOLE },
	{ "dev67-", KIND_WHOLE },
	{ "dev68-", KIND_WHOLE },
	{ "dev69-", KIND_WHOLE },
	{ "dev70-", KIND_WHOLE },
	{ "dev71-", KIND_WHOLE },
	{ "dev179-", KIND_WHOLE },
	{ "dev202-", KIND_WHOLE },
	{ "dev259-", KIND_WHOLE },
};

/* "rhel7-root", "docker-data": with a dash it is no disk, whatever it begins with; sar's numbers have theirs in the table. */
static enum kind kind_of(struct slice name)
{
	const bool numbered = slice_starts(name, "dev");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (slice_starts(name, names[i].begin) && (numbered || !memchr(name.p, '-', name.n)))
			return names[i].kind;
	return KIND_STACKED;
}

/* "dev8-17" after "dev8-16" */
static bool is_numbered_partition(struct slice name, const char *disk)
{
	int64_t minor, of_disk;
	const size_t n_major = strlen("dev8-");

	if (!slice_starts(name, "dev8-") || !slice_starts(slice_of(disk), "dev8-"))
		return false;
	return integer_parse((struct slice){ name.p + n_major, name.n - n_major }, &minor) &&
	       integer_parse(slice_of(disk + n_major), &of_disk) && minor > of_disk &&
	       minor / MINORS_OF_SD == of_disk / MINORS_OF_SD;
}

/* "sda1" after "sda", "nvme0n1p2" after "nvme0n1" */
static bool is_partition(struct slice name, const char *disk)
{
	size_t n = strlen(disk);

	if (is_numbered_partition(name, disk))
		return true;
	if (!n || !slice_starts(name, disk) || name.n == n || slice_starts(name, "dev"))
		return false;
	if (is_digit(disk[n - 1]) && name.p[n++] != 'p')
		return false;
	for (size_t i = n; i < name.n; i++)
		if (name.p[i] < '0' || name.p[i] > '9')
			return false;
	return n < name.n;
}

static void sum_begin(struct disk_sum *s)
{
	*s = (struct disk_sum){ .sum = { FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING } };
}

void disks_begin(struct disks *d)
{
	sum_begin(&d->whole);
	sum_begin(&d->stacked);
	d->last[0] = '\0';
}

static void add(fixed *sum, fixed value)
{
	if (value == FIXED_MISSING)
		return;
	*sum = *sum == FIXED_MISSING ? value : *sum + value;
	*sum = *sum > SUM_MOST ? SUM_MOST : *sum;
}

static void sum_add(struct disk_sum *s, const struct disk *disk)
{
	s->n++;
	add(&s->sum.read, disk->read);
	add(&s->sum.write, disk->write);
	if (disk->util > s->sum.util) /* missing is the least of all */
		s->sum.util = disk->util;
	if (disk->requests == FIXED_MISSING || disk->await == FIXED_MISSING)
		return;
	add(&s->sum.requests, disk->requests);
	s->waited += fixed_value(disk->requests) * fixed_value(disk->await);
}

void disks_add(struct disks *d, struct slice name, const struct disk *disk)
{
	const enum kind kind = kind_of(name);

	if (kind == KIND_NONE || is_partition(name, d->last))
		return;
	snprintf(d->last, sizeof d->last, "%.*s", SLICE(name));
	sum_add(kind == KIND_WHOLE ? &d->whole : &d->stacked, disk);
}

bool disks_total(const struct disks *d, struct disk *total)
{
	const struct disk_sum *s = d->whole.n ? &d->whole : &d->stacked;

	*total = s->sum;
	total->await = FIXED_MISSING;
	if (s->sum.requests != FIXED_MISSING && s->sum.requests > 0) {
		double mean = s->waited / fixed_value(s->sum.requests);
		if (mean < fixed_value(SUM_MOST))
			total->await = (fixed)llround(mean * FIXED_ONE);
	}
	return s->n > 0;
}
