/*
 * plan.h - a made run, as it is drawn from a seed: what stands on the floor, what the job does, what goes wrong, who logs.
 *
 * Nothing here knows a rule. Numbers come from the recordings of real jobs (samples/README.md says which), from data sheets
 * of the cards, and from how schedulers and frameworks work; where one is only plausible, it is a range to be drawn from.
 */
#ifndef TESTS_PLANTED_PLAN_H
#define TESTS_PLANTED_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_GPUS 64
#define MAX_HOLES 8
#define GPUS_OF_HOST 8

enum fault_kind {
	HEALTHY,
#define FAULT(id, name, rules, logs, host, edges) id,
#include "faults.def"
#undef FAULT
	N_FAULTS
};

struct fault_row {
	const char *name, *rules, *logs, *host, *edges;
};
extern const struct fault_row fault_rows[N_FAULTS];

struct card {
	const char *name;
	const char *bus; /* first bus id; the last byte counts up */
	double memory_mib;
	double limit_w, idle_w;
	double waking_w; /* a process holds the GPU and does nothing: clocks are up */
	double clock_max, clock_idle, clock_mem;
	double hottest; /* highest temperature at which it works at full speed */
	bool tells_margin; /* temperature.gpu.tlimit */
	bool tells_hbm; /* temperature.memory */
	int gen;
	bool gen_sleeps; /* the link slows down while the GPU is idle */
};

enum dip_kind { CHECKPOINT,
	EVALUATION,
	STALL };

struct dip {
	double begin, end;
	enum dip_kind kind;
};

struct fault {
	enum fault_kind kind;
	double begin, end; /* seconds into the run */
	double strength; /* 0 the weakest that is planted, 1 the strongest */
	int first, n; /* the GPUs that have it */
};

struct plan {
	uint64_t seed;
	const struct card *card;
	int n_hosts, gpus_of_host, n_gpus, cores;
	double ram_gib;

	double epoch; /* of second 0, UTC */
	double begin_of_process, begin_of_work, end_of_work, length;
	double demand; /* power the work would draw without a limit, as a share of it */
	double busy, untidy; /* GPU busy while training, and how far single looks fall below */
	double memory_share; /* of the job while it trains */
	double loader; /* share of all cores that input takes */
	double read_mb, write_mb;
	double ambient, heat; /* temperature of the air, and degrees above it at the limit */
	bool held_at_start; /* memory is taken at once, as by frameworks with a pool of their own */
	bool cores_evaluate; /* evaluation runs on the CPU */
	struct dip *dips;
	size_t n_dips;
	struct fault fault;

	double step, host_step;
	int zone_s; /* of the GPU log, which does not tell it */
	bool subfolders;
	bool extra_columns, cut_last_row, header_again;
	char gpu_logs[4], host_logs[8]; /* letters */
	struct dip holes[MAX_HOLES];
	int n_holes;
};

/* A random number of the run: the same for the same salt, place and index, whoever asks and in whichever order. */
double dice(const struct plan *p, int salt, int place, int64_t index);
double dice_between(const struct plan *p, int salt, double low, double high);

void plan_draw(struct plan *p, uint64_t seed, enum fault_kind kind);
void plan_release(struct plan *p);
bool fault_has_gpu(const struct plan *p, int gpu);
bool fault_on(const struct plan *p, double t);
const struct dip *dip_at(const struct plan *p, double t);

/* job.c: what is so at a moment */
struct activity {
	bool process; /* holds the GPU */
	bool training;
	double busy; /* 0 to 1 */
	double work; /* power above waking, as a share of what training at full speed draws */
	double wait; /* share of the time in which a kernel waits for other GPUs and does nothing else */
	double memory; /* share of the card's */
};
struct host_now {
	double user, system, iowait, steal; /* shares of all cores */
	double full_cores; /* of `user`: threads that never wait */
	double blocked, running;
	double read_mb, write_mb, swap_in_mb, swap_out_mb;
	double ram; /* share in use */
};
struct activity job_on_gpu(const struct plan *p, int gpu, double t);
struct host_now job_on_host(const struct plan *p, int host, double begin, double end);
double hang_power(const struct plan *p);

/* device.c: how the card follows */
enum reason { REASON_IDLE = 0x1,
	REASON_POWER_CAP = 0x4,
	REASON_SLOW = 0x8,
	REASON_HEAT_SW = 0x20,
	REASON_HEAT_HW = 0x40,
	REASON_BRAKE = 0x80 };
struct device {
	double t;
	double power, instant, die, sink, hbm, hbm_added; /* all but power: degrees above the air; what the fault adds to hbm */
	double clock, busy, mem_busy, memory_mib, limit;
	double cap_us, heat_sw_us, heat_hw_us, brake_us;
	unsigned reasons;
	int gen, width, errors;
	bool lost, process;
};
void device_at(const struct plan *p, int gpu, double t, struct device *d);
double device_temp(const struct plan *p, const struct device *d);
void bus_id(const struct plan *p, int gpu, char text[24]);

/* gpu_logs.c, host_logs.c: each letter is a log; the file's name comes back */
bool write_gpu_log(const struct plan *p, char letter, int host, const char *folder, char *name);
bool write_host_log(const struct plan *p, char letter, int host, const char *folder, char *name);
bool write_kernel_log(const struct plan *p, int host, const char *folder);
FILE *open_log(const struct plan *p, const char *folder, int host, const char *name, char *opened);
bool in_hole(const struct plan *p, double t);

struct clock_time {
	int year, month, day, hour, minute, second, ms;
};
struct clock_time clock_time(double epoch);

#endif
