/*
 * job.c - what the job does at a moment, on a GPU and on a host.
 *
 * One job runs on all GPUs in step. What holds one of them up holds all: the others wait in the next all-reduce, which
 * looks 100 % busy and draws about a third of the limit (the recording straggler_4gpu: 240 of 700 W on GPUs that have a sixth of
 * the work of the slow one, and wait for the rest of the time).
 */
#include "plan.h"

#include <math.h>

#define CONTEXT_MIB 530 /* what a process takes before it allocates anything, in the recordings */

/* How much of [t - 1 s, t] is busy when each `period` begins with `duty` of work. */
static double pulses(double t, double period, double duty)
{
	double from = (t - 1) / period, to = t / period;
	double a = floor(from) * duty + fmin(from - floor(from), duty), b = floor(to) * duty + fmin(to - floor(to), duty);

	return (b - a) * period;
}

static double share(const struct plan *p, double weak, double strong)
{
	return weak + (strong - weak) * p->fault.strength;
}

/* A GPU that waits for its input: batches come one by one, sometimes late. */
static double waiting_for_input(const struct plan *p, double t, double duty)
{
	double period = dice_between(p, 100, 0.3, 6);
	double late = 0.4 * period * dice(p, 101, 0, (int64_t)(t / 7));

	return fmin(1, pulses(t + late, period, duty) * (0.85 + 0.3 * dice(p, 102, 0, (int64_t)t)));
}

static double hold_up(const struct plan *p, double t)
{
	switch (p->fault.kind) {
	case STARVED_CPU:
	case STARVED_UNSEEN:
		return waiting_for_input(p, t, share(p, 0.45, 0.04));
	case STARVED_CORE:
		return waiting_for_input(p, t, share(p, 0.35, 0.02));
	case STARVED_IO:
		return waiting_for_input(p, t, share(p, 0.45, 0.05));
	case SWAPPING:
	case STEAL:
		return waiting_for_input(p, t, share(p, 0.6, 0.2));
	case SLOWER:
		return share(p, 0.78, 0.5);
	default:
		return 1;
	}
}

/* Speed of the slowest GPU, to which the others keep step. */
static double slowest(const struct plan *p)
{
	switch (p->fault.kind) {
	case THERMAL_HARDWARE:
		return share(p, 0.55, 0.3);
	case THERMAL_SOFTWARE:
		return share(p, 0.88, 0.65);
	case POWER_BRAKE:
		return share(p, 0.5, 0.25);
	case POWER_LIMIT:
		return share(p, 0.85, 0.6);
	case PCIE:
		return share(p, 0.92, 0.7);
	default:
		return 1;
	}
}

static struct activity training(const struct plan *p, int gpu, double t)
{
	struct activity a = { .process = true, .training = true, .memory = p->memory_share };
	double look = dice(p, 103, gpu, (int64_t)t);

	a.busy = p->busy - p->untidy * look * look + (1 - p->busy) * dice(p, 104, gpu, (int64_t)t);
	if (dice(p, 105, gpu, (int64_t)t) < 0.01) /* the step that logs, or collects garbage */
		a.busy -= 0.3 * look;
	a.busy = fmin(1, a.busy);
	a.work = a.busy / p->busy * (1 - 0.03 * dice(p, 106, gpu, (int64_t)t));
	return a;
}

static struct activity in_dip(const struct plan *p, const struct dip *dip, int gpu, double t)
{
	struct activity a = { .process = true, .memory = p->memory_share };

	if (dip->kind == EVALUATION && !p->cores_evaluate) {
		a.busy = 0.35 + 0.4 * dice(p, 107, gpu, (int64_t)t);
		a.work = a.busy * 0.6;
	}
	return a;
}

/* It works for a part of the time, and a kernel that waits runs in the rest. */
static void wait_for_others(const struct plan *p, int gpu, double t, double part, struct activity *a)
{
	a->busy = 1 - 0.01 * dice(p, 108, gpu, (int64_t)t);
	a->work = part + 0.05 * dice(p, 109, gpu, (int64_t)t);
	a->wait = 1 - a->work;
}

/* What the fault makes of a GPU that would train. */
static void spoil(const struct plan *p, int gpu, double t, struct activity *a)
{
	bool mine = fault_has_gpu(p, gpu);
	double part = hold_up(p, t);

	switch (p->fault.kind) {
	case SLOWER: /* fewer steps a second: each has its pauses now */
		a->busy *= part;
		a->work *= part;
		break;
	case IDLE_HELD:
		a->busy = a->work = 0;
		break;
	case STRAGGLER:
		if (!mine)
			wait_for_others(p, gpu, t, share(p, 0.3, 0.19), a);
		break;
	case UNEVEN_POWER: /* the others wait for less than most of their time, which no power gives away by itself */
		if (!mine)
			wait_for_others(p, gpu, t, share(p, 0.45, 0.32), a);
		break;
	case SPIN_WAIT:
		wait_for_others(p, gpu, t, share(p, 0.28, 0.17), a);
		break;
	case IMBALANCE: /* less work on one, which does not spin: it waits on the host for the next batch */
		if (mine) {
			a->busy *= share(p, 0.7, 0.3);
			a->work *= share(p, 0.7, 0.3);
		}
		break;
	case THERMAL_HARDWARE:
	case THERMAL_SOFTWARE:
	case POWER_BRAKE:
	case POWER_LIMIT:
	case PCIE:
		if (!mine || p->fault.kind == PCIE) {
			a->work *= slowest(p);
			a->wait = 1 - slowest(p);
		}
		break;
	default:
		if (part < 1) {
			a->busy *= part;
			a->work *= part;
		}
	}
}

static double memory_of_fault(const struct plan *p, int gpu, double t, double memory)
{
	const struct fault *f = &p->fault;

	if (f->kind == MEMORY_GROWTH) {
		double x = (t - f->begin) / (f->end - f->begin);
		return memory + x * share(p, 0.25, 0.45) + 0.004 * dice(p, 110, gpu, (int64_t)(t / 30));
	}
	if (f->kind == OUT_OF_MEMORY && fault_has_gpu(p, gpu)) {
		double before = f->begin - t, ramp = fmax(40 * p->step, 300);
		return before < ramp ? memory + (0.992 - memory) * (1 - fmax(0, before - 2 * p->step) / ramp) : memory;
	}
	return memory;
}

static struct activity after_the_end(const struct plan *p, int gpu, double t)
{
	struct activity a = { 0 };
	bool hangs = p->fault.kind == HANG_SPIN || p->fault.kind == HANG_SILENT;

	(void)gpu;
	if (hangs && t < p->fault.end - 4) {
		a.process = true;
		a.memory = p->memory_share;
		a.busy = p->fault.kind == HANG_SPIN ? 1 : 0;
		a.wait = a.busy;
	}
	return a;
}

struct activity job_on_gpu(const struct plan *p, int gpu, double t)
{
	struct activity a = { 0 };
	const struct dip *dip;

	if (t < p->begin_of_process || (p->fault.kind == UNUSED && fault_has_gpu(p, gpu)))
		return a;
	if (t >= p->end_of_work)
		return after_the_end(p, gpu, t);
	if (t < p->begin_of_work) {
		a.process = true;
		a.memory = p->held_at_start && t > p->begin_of_process + 8 ? p->memory_share : CONTEXT_MIB / p->card->memory_mib;
		return a;
	}
	dip = dip_at(p, t);
	a = dip ? in_dip(p, dip, gpu, t) : training(p, gpu, t);
	if (!dip && fault_on(p, t))
		spoil(p, gpu, t, &a);
	a.memory = memory_of_fault(p, gpu, t, a.memory);
	return a;
}

static struct host_now resting(const struct plan *p, int host, double t)
{
	struct host_now h = { .user = 0.001 + 0.004 * dice(p, 120, host, (int64_t)t), .system = 0.003 + 0.004 * dice(p, 121, host, (int64_t)t) };

	h.running = 1 + floor(3 * dice(p, 122, host, (int64_t)t));
	h.ram = 0.04;
	h.write_mb = dice(p, 123, host, (int64_t)t) < 0.1 ? 0.1 : 0;
	return h;
}

/* Threads that never wait: each rank's main thread, which polls its GPU. */
static void add_threads(const struct plan *p, double n, struct host_now *h)
{
	h->full_cores += n;
	h->user += n / p->cores;
	h->running += n;
}

static void add_input(const struct plan *p, int host, double t, struct host_now *h)
{
	double loader = p->loader * (0.9 + 0.2 * dice(p, 124, host, (int64_t)t));

	h->user += loader * 0.9;
	h->system += loader * 0.1;
	h->running += loader * p->cores;
	h->read_mb += p->read_mb * (0.5 + dice(p, 125, host, (int64_t)t));
}

static void in_dip_on_host(const struct plan *p, const struct dip *dip, int host, double t, struct host_now *h)
{
	if (dip->kind == CHECKPOINT) {
		h->system += (double)p->gpus_of_host / p->cores * 0.8;
		h->iowait += 1.0 / p->cores;
		h->blocked = dice(p, 126, host, (int64_t)t) < 0.3;
		h->write_mb += p->write_mb * (0.6 + 0.5 * dice(p, 127, host, (int64_t)t));
	} else if (dip->kind == EVALUATION) {
		add_threads(p, p->gpus_of_host, h);
		h->user += p->cores_evaluate ? 0.3 : p->loader * 0.5;
	}
}

static int fault_on_host(const struct plan *p, int host)
{
	int n = 0;

	for (int gpu = host * p->gpus_of_host; gpu < (host + 1) * p->gpus_of_host; gpu++)
		n += fault_has_gpu(p, gpu);
	return n;
}

static void spoil_host(const struct plan *p, int host, double t, struct host_now *h)
{
	double look = dice(p, 128, host, (int64_t)t), rest;

	switch (p->fault.kind) {
	case STARVED_CPU: /* 16 workers on 16 cores: 88 % user, 12 % system, 17 to 19 running */
		h->user = 0.87 - 0.04 * look;
		h->system = 0.11 + 0.01 * look;
		h->running = p->cores * (1 + 0.2 * look) + 1;
		h->full_cores = 0;
		break;
	case STARVED_CORE: /* 6 % user of 16 cores: one thread reads for each rank */
		h->user = 0.003 * look + (double)p->gpus_of_host / p->cores * 0.95;
		h->full_cores = p->gpus_of_host * 0.97;
		h->running = p->gpus_of_host + 1;
		break;
	case STARVED_IO:
		rest = 0.1 + 0.03 * look;
		h->user = rest;
		h->full_cores = 0;
		h->iowait = share(p, 0.3, 0.75) + 0.06 * look;
		h->blocked = round(p->cores * h->iowait * (0.8 + 0.3 * look)) + 1;
		h->running = 1 + floor(3 * look);
		h->read_mb = dice_between(p, 129, 120, 900) * (0.95 + 0.08 * look);
		break;
	case SWAPPING: /* the main threads wait for pages like all others */
		h->user *= 0.5;
		h->full_cores = 0;
		h->swap_in_mb = share(p, 8, 300) * (0.6 + 0.8 * look);
		h->swap_out_mb = share(p, 6, 200) * (0.5 + look);
		h->system += 0.08;
		h->iowait = 0.05 + 0.1 * look;
		h->blocked = 1 + floor(6 * look);
		h->ram = 0.985 + 0.01 * look;
		h->read_mb += h->swap_in_mb;
		h->write_mb += h->swap_out_mb;
		break;
	case STEAL:
		h->steal = share(p, 0.12, 0.4) * (0.9 + 0.2 * look);
		h->user = fmin(h->user, 0.9 - h->steal);
		h->full_cores = 0; /* a core that is taken away for a while can't be busy all the time */
		h->running += p->cores * h->steal;
		break;
	case IDLE_HELD:
		*h = resting(p, host, t);
		break;
	case SLOWER: /* between the steps it waits for something outside of the host, and does not poll then */
		h->full_cores = 0;
		h->user *= 0.9;
		break;
	case IMBALANCE: /* the rank that is done early sleeps */
		h->full_cores -= fault_on_host(p, host);
		break;
	default:
		break;
	}
}

static struct host_now host_at(const struct plan *p, int host, double t)
{
	struct host_now h = resting(p, host, t);
	const struct dip *dip = dip_at(p, t);

	h.ram = 0.04 + (t > p->begin_of_process && t < p->end_of_work ? 0.25 + 0.1 * dice(p, 130, host, 0) : 0);
	if (t >= p->begin_of_process && t < p->begin_of_work) {
		add_threads(p, p->gpus_of_host * 0.7, &h);
		h.read_mb += p->read_mb * 2;
	} else if (t >= p->begin_of_work && t < p->end_of_work) {
		if (dip) {
			in_dip_on_host(p, dip, host, t, &h);
		} else {
			add_threads(p, p->gpus_of_host, &h);
			add_input(p, host, t, &h);
		}
		if (!dip && fault_on(p, t))
			spoil_host(p, host, t, &h);
	} else if (p->fault.kind == HANG_SPIN && t >= p->end_of_work && t < p->fault.end - 4) {
		add_threads(p, p->gpus_of_host, &h);
	}
	return h;
}

#define LOOKS 4

/* Loggers of hosts tell means over the interval that ends with the row. */
struct host_now job_on_host(const struct plan *p, int host, double begin, double end)
{
	struct host_now mean = { 0 };

	for (int i = 0; i < LOOKS; i++) {
		struct host_now h = host_at(p, host, begin + (end - begin) * (i + 0.5) / LOOKS);
		mean.user += h.user / LOOKS;
		mean.system += h.system / LOOKS;
		mean.iowait += h.iowait / LOOKS;
		mean.steal += h.steal / LOOKS;
		mean.full_cores += h.full_cores / LOOKS;
		mean.read_mb += h.read_mb / LOOKS;
		mean.write_mb += h.write_mb / LOOKS;
		mean.swap_in_mb += h.swap_in_mb / LOOKS;
		mean.swap_out_mb += h.swap_out_mb / LOOKS;
		mean.running = h.running; /* these are of the moment */
		mean.blocked = h.blocked;
		mean.ram = h.ram;
	}
	return mean;
}
