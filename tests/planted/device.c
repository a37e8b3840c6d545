/*
 * device.c - how a card follows its work: power at once (told as a mean of one second), the die within seconds, the heat sink
 * within minutes; clocks give way when the power or the heat reaches a limit.
 *
 * The recordings show an H200 fall from 49 to 37 degrees within a second of its last kernel and lose the rest over half a
 * minute: two bodies, the smaller one on top of the larger.
 */
#include "plan.h"

#include <math.h>

#define DIE_SHARE 0.45 /* of the degrees above the air */
#define DIE_S 0.6 /* the die follows with this time constant, */
#define SINK_S 45.0 /* the sink with this one */
#define POWER_S 0.7 /* power.draw is a mean of about a second */
#define POWER_EXPONENT 2.2 /* power above waking goes with the clock to this: voltage falls with it */
/*
 * Power above waking while a kernel only waits, as a share of what the limit leaves: it does not depend on how much the job's own work
 * would draw. straggler_4gpu: 240 W of a sixth of work at 690 W and five sixths of this; waking is 118 W.
 */
#define SPIN_POWER 0.06
#define CLOCK_STEP 15 /* MHz between two clocks of a card */

static double follow(double from, double to, double seconds, double constant)
{
	return to + (from - to) * exp(-seconds / constant);
}

static double on_grid(double mhz)
{
	return floor(mhz / CLOCK_STEP + 0.5) * CLOCK_STEP;
}

/* The share of its clock that the fault leaves to this GPU, and the reason that the driver gives. */
static double slowed_clock(const struct plan *p, int gpu, double t, unsigned *reasons)
{
	double s = p->fault.strength;

	if (!fault_has_gpu(p, gpu) || !fault_on(p, t))
		return 1;
	switch (p->fault.kind) {
	case THERMAL_HARDWARE:
		*reasons |= REASON_SLOW | REASON_HEAT_HW;
		return 0.55 - 0.25 * s;
	case THERMAL_SOFTWARE:
		*reasons |= REASON_HEAT_SW;
		return 0.88 - 0.23 * s;
	case POWER_BRAKE:
		*reasons |= REASON_SLOW | REASON_BRAKE;
		return 0.5 - 0.25 * s;
	default:
		return 1;
	}
}

static double limit_of(const struct plan *p, int gpu)
{
	bool lowered = p->fault.kind == POWER_LIMIT && fault_has_gpu(p, gpu);

	return lowered ? floor(p->card->limit_w * (0.8 - 0.35 * p->fault.strength) / 10) * 10 : p->card->limit_w;
}

/* What the work draws when nothing holds the clock, then what the limit leaves. */
static void draw_power(const struct plan *p, int gpu, const struct activity *a, struct device *d)
{
	const struct card *card = p->card;
	unsigned reasons = 0;
	double slowed = slowed_clock(p, gpu, d->t, &reasons);
	double wanted = (p->demand * card->limit_w - card->waking_w) * a->work, cap = d->limit * 0.985 - card->waking_w;
	double clock = 1;

	if (a->wait > 0) /* work that is held at the limit is so for its part of the time */
		wanted = fmin(wanted, cap * a->work) + SPIN_POWER * cap * a->wait;
	if (!a->process) {
		d->instant = card->idle_w + 0.3 * dice(p, 200, gpu, (int64_t)d->t);
		d->clock = card->clock_idle;
		d->reasons = REASON_IDLE;
		return;
	}
	if (a->work > 0 && slowed < 1) {
		clock = slowed;
		wanted *= pow(slowed, POWER_EXPONENT);
	} else {
		reasons = 0;
	}
	if (wanted > cap) {
		clock *= pow(cap / wanted, 1 / POWER_EXPONENT);
		wanted = cap;
		reasons |= REASON_POWER_CAP;
	}
	d->instant = card->waking_w + wanted * (0.995 + 0.01 * dice(p, 201, gpu, (int64_t)d->t));
	d->clock = fmin(card->clock_max, on_grid(card->clock_max * clock + (clock < 1 ? 30 * dice(p, 202, gpu, (int64_t)d->t) - 15 : 0)));
	d->reasons = reasons;
}

/* Degrees above the air that bad cooling adds: it builds up before the limit is met, and stays there. */
static double fault_heat(const struct plan *p, int gpu, double t)
{
	enum fault_kind kind = p->fault.kind;

	if ((kind != THERMAL_HARDWARE && kind != THERMAL_SOFTWARE) || !fault_has_gpu(p, gpu))
		return 0;
	return t >= p->fault.end ? 0 : t >= p->fault.begin ? 1
							   : fmax(0, 1 - (p->fault.begin - t) / 240);
}

double device_temp(const struct plan *p, const struct device *d)
{
	return floor(p->ambient + d->die + d->sink + 0.5);
}

static void warm_up(const struct plan *p, int gpu, double seconds, struct device *d)
{
	double mine = p->heat * (0.92 + 0.16 * dice(p, 203, gpu, 0));
	double above = mine * d->instant / p->card->limit_w, heat = fault_heat(p, gpu, d->t);
	double hottest = p->card->hottest - p->ambient + (p->fault.kind == THERMAL_HARDWARE ? 3 : 0.5);
	bool is_hot;

	if (heat > 0 && d->process) /* it works at the limit, whatever that leaves of its power */
		above = above * (1 - heat) + (hottest + dice(p, 204, gpu, (int64_t)d->t)) * heat;
	d->die = follow(d->die, DIE_SHARE * above, seconds, DIE_S);
	d->sink = follow(d->sink, (1 - DIE_SHARE) * above, seconds, heat > 0 ? 20 : SINK_S);
	d->hbm = follow(d->hbm - d->hbm_added, above * 0.85 + 4, seconds, SINK_S);
	is_hot = p->fault.kind == HBM_HOT && fault_has_gpu(p, gpu) && fault_on(p, d->t) && d->busy > 0.3;
	d->hbm_added = is_hot ? 97 + 9 * p->fault.strength - p->ambient - d->hbm : 0; /* ends as it begins: at once */
	d->hbm += d->hbm_added;
}

/* The microsecond counters grow while their reason holds. */
static void count_reasons(double seconds, struct device *d)
{
	double us = seconds * 1e6;

	d->cap_us += d->reasons & REASON_POWER_CAP ? us : 0;
	d->heat_sw_us += d->reasons & REASON_HEAT_SW ? us : 0;
	d->heat_hw_us += d->reasons & REASON_HEAT_HW ? us : 0;
	d->brake_us += d->reasons & REASON_BRAKE ? us : 0;
}

static void set_link(const struct plan *p, int gpu, struct device *d)
{
	bool ill = p->fault.kind == PCIE && fault_has_gpu(p, gpu) && fault_on(p, d->t);

	d->gen = p->card->gen_sleeps && !d->process ? 1 : p->card->gen;
	d->width = ill && p->fault.strength < 0.5 ? (p->fault.strength < 0.25 ? 8 : 4) : 16;
	if (ill && p->fault.strength >= 0.5)
		d->gen = p->fault.strength < 0.75 ? 2 : 1;
}

void device_at(const struct plan *p, int gpu, double t, struct device *d)
{
	struct activity a = job_on_gpu(p, gpu, t);
	double seconds = t - d->t;

	d->t = t;
	d->process = a.process;
	d->limit = limit_of(p, gpu);
	d->busy = a.busy;
	draw_power(p, gpu, &a, d);
	if (d->power <= 0) { /* the first look: all that was before is long ago */
		d->power = d->instant;
		seconds = 1000;
	}
	d->power = follow(d->power, d->instant, seconds, POWER_S);
	warm_up(p, gpu, seconds, d);
	count_reasons(seconds > 900 ? 0 : seconds, d);
	set_link(p, gpu, d);
	d->mem_busy = fmax(0, a.work * dice_between(p, 205, 0.2, 0.6) - 0.02 * dice(p, 206, gpu, (int64_t)t));
	d->memory_mib = a.process ? floor(a.memory * p->card->memory_mib) + floor(12 * dice(p, 207, gpu, 0)) : 0;
	d->errors = p->fault.kind == ECC && fault_has_gpu(p, gpu) && t >= p->fault.begin ? 1 + (int)(p->fault.strength * 5) : 0;
	d->lost = p->fault.kind == LOST && fault_has_gpu(p, gpu) && t >= p->fault.begin;
}

void bus_id(const struct plan *p, int gpu, char text[24])
{
	unsigned domain, bus, device;

	sscanf(p->card->bus, "%x:%x:%x.0", &domain, &bus, &device);
	snprintf(text, 24, "%08X:%02X:%02X.0", domain & 0xFFFF, (bus + (device ? 0 : 0x11 * (unsigned)(gpu % 8))) & 0xFF,
		(device ? device + (unsigned)(gpu % 8) : 0) & 0x1F);
}
