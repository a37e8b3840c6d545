/*
 * host_logs.c - the tools that log a host, as the recordings show them, a function each.
 *
 *     v   vmstat -t -n -w N        m   mpstat -P ALL N       s   sar -u N
 *     a   sadf -d                  i   iostat -xt N          p   /proc/stat, /proc/meminfo and /proc/loadavg each N seconds
 *
 * All but the last tell means over the interval that ends with the row. They run in UTC; where a fault sets the host's clock
 * wrong, it is wrong in all of them.
 */
#include "plan.h"

#include <math.h>
#include <string.h>

struct host_writer {
	const struct plan *p;
	FILE *out;
	int host;
	int64_t row;
	double begin, end; /* the interval of this row */
	struct host_now now;
	double ticks[256][5]; /* user, system, idle, iowait, steal of each core and, behind them, of all */
};

#define UP_S 40000 /* the host was started so long before the run */

typedef void host_row_writer(struct host_writer *w);

/* The weakest is a minute, as less could be a job that starts slowly, and four rows, as less could be the steps. */
static double skew(const struct plan *p)
{
	double step = fmax(p->step, p->host_step), least = fmin(400, fmax(60, 4 * step));
	double s = p->fault.strength, size = p->fault.kind == CLOCK_SKEW ? least + s * (700 - least) : 0;

	return dice(p, 410, 0, 0) < 0.5 ? -floor(size) : floor(size);
}

static struct clock_time host_time(const struct host_writer *w, double t)
{
	return clock_time(floor(w->p->epoch + t + skew(w->p)));
}
static struct clock_time row_time(const struct host_writer *w)
{
	return host_time(w, w->end);
}

static double ram_kib(const struct plan *p)
{
	return p->ram_gib * 1024 * 1024;
}
static double idle_share(const struct host_now *h)
{
	return fmax(0, 1 - h->user - h->system - h->iowait - h->steal);
}

static void hms(struct host_writer *w, char text[16])
{
	struct clock_time c = row_time(w);

	snprintf(text, 16, "%02d:%02d:%02d", c.hour, c.minute, c.second);
}

static void host_name(const struct host_writer *w, char text[16])
{
	snprintf(text, 16, "node%02d", w->host + 1);
}

static void banner(struct host_writer *w, const char *date)
{
	char name[16];

	host_name(w, name);
	fprintf(w->out, "Linux 6.18.44 (%s) \t%s \t_x86_64_\t(%d CPU)\n\n", name, date, w->p->cores);
}

static void vmstat_row(struct host_writer *w)
{
	const struct host_now *h = &w->now;
	struct clock_time c = row_time(w);
	double free_kib = ram_kib(w->p) * (1 - h->ram), swapped = h->swap_out_mb > 0 ? 4e6 : 0;
	int us = (int)floor(100 * h->user + 0.5), sy = (int)floor(100 * h->system + 0.5), wa = (int)floor(100 * h->iowait + 0.5);
	int st = (int)floor(100 * h->steal + 0.5), id = 100 - us - sy - wa - st;

	if (!w->row)
		fputs("--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- ----------cpu---------- "
		      "-----timestamp-----\n"
		      "   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st  gu               "
		      "  UTC\n"
		      "  13    0            0    129430560        24424      2184792    0    0  3714     5  116   56   2   1  97   0   0   0 ",
			w->out);
	else
		fprintf(w->out, "%4.0f %4.0f %12.0f %12.0f        24424 %12.0f %4.0f %4.0f %5.0f %5.0f %4.0f %4.0f %3d %3d %3d %3d %3d   0 ", h->running,
			h->blocked, swapped, free_kib, ram_kib(w->p) * h->ram * 0.2, h->swap_in_mb * 1024, h->swap_out_mb * 1024, h->read_mb * 1024,
			h->write_mb * 1024, 1900 + 9000 * h->user, 1900 + 3000 * h->user, us, sy, id < 0 ? 0 : id, wa, st);
	fprintf(w->out, "%04d-%02d-%02d %02d:%02d:%02d\n", c.year, c.month, c.day, c.hour, c.minute, c.second);
}

/*
 * The share of this core that is user time: some threads never wait, and what is left of one that nearly never does is on a core of its own,
 * too; the rest of the work wanders over all other cores.
 */
static double user_of_core(const struct host_writer *w, int core)
{
	const struct plan *p = w->p;
	double full = fmin(p->cores, w->now.full_cores), rest = fmax(0, w->now.user * p->cores - full);
	int first = (int)(dice(p, 400, w->host, (int64_t)(w->end / 600)) * p->cores), place = (core - first + p->cores) % p->cores;
	double own = place == (int)full ? full - floor(full) : 0;

	if (place < (int)full)
		return 0.985;
	return fmin(0.99, own + rest / (p->cores - floor(full)) * (0.7 + 0.6 * dice(p, 401, core, w->row)));
}

static double waiting_of_core(const struct host_writer *w, int core, double room)
{
	return fmin(room, w->now.iowait * (0.5 + dice(w->p, 402, core, w->row)));
}

static void mpstat_line(struct host_writer *w, const char *time, const char *cpu, double user, double system, double wait, double steal)
{
	double idle = fmax(0, 1 - user - system - wait - steal);

	fprintf(w->out, "%s %4s  %6.2f    0.00  %6.2f  %6.2f    0.00    0.00  %6.2f    0.00    0.00  %6.2f\n", time, cpu, 100 * user, 100 * system,
		100 * wait, 100 * steal, 100 * idle);
}

static void hms_of_noon(const struct host_writer *w, double t, char text[16])
{
	struct clock_time c = host_time(w, t);

	snprintf(text, 16, "%02d:%02d:%02d %s", (c.hour + 11) % 12 + 1, c.minute, c.second, c.hour < 12 ? "AM" : "PM");
}

/* The head of an interval has the time at which it began, its rows the one at which it ended. */
static void mpstat_row(struct host_writer *w)
{
	struct clock_time c = row_time(w);
	char time[16], date[16], cpu[16];

	if (!w->row) {
		snprintf(date, sizeof date, "%02d/%02d/%04d", c.month, c.day, c.year);
		banner(w, date);
		return;
	}
	hms_of_noon(w, w->begin, time);
	fprintf(w->out, "%s%s  CPU    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n", w->row > 1 ? "\n" : "", time);
	hms_of_noon(w, w->end, time);
	mpstat_line(w, time, "all", w->now.user, w->now.system, w->now.iowait, w->now.steal);
	for (int i = 0; i < w->p->cores; i++) {
		double user = user_of_core(w, i), system = fmin(1 - user, w->now.system), wait = waiting_of_core(w, i, 1 - user - system);
		snprintf(cpu, sizeof cpu, "%d", i);
		mpstat_line(w, time, cpu, user, system, wait, fmin(w->now.steal, fmax(0, 1 - user - system - wait)));
	}
}

static void sar_row(struct host_writer *w)
{
	struct clock_time c = row_time(w);
	const struct host_now *h = &w->now;
	char time[16], date[16];

	hms(w, time);
	if (!w->row) {
		snprintf(date, sizeof date, "%02d/%02d/%02d", c.month, c.day, c.year % 100);
		banner(w, date);
		fprintf(w->out, "%s        CPU     %%user     %%nice   %%system   %%iowait    %%steal     %%idle\n", time);
		return;
	}
	fprintf(w->out, "%s        all    %6.2f      0.00    %6.2f    %6.2f    %6.2f    %6.2f\n", time, 100 * h->user, 100 * h->system, 100 * h->iowait,
		100 * h->steal, 100 * idle_share(h));
}

static void sadf_row(struct host_writer *w)
{
	struct clock_time c = row_time(w);
	const struct host_now *h = &w->now;
	char name[16];

	host_name(w, name);
	if (!w->row) {
		fputs("# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n", w->out);
		return;
	}
	fprintf(w->out, "%s;%.0f;%04d-%02d-%02d %02d:%02d:%02d UTC;-1;%.2f;0.00;%.2f;%.2f;%.2f;%.2f\n", name, w->p->host_step, c.year, c.month, c.day,
		c.hour, c.minute, c.second, 100 * h->user, 100 * h->system, 100 * h->iowait, 100 * h->steal, 100 * idle_share(h));
}

static void iostat_row(struct host_writer *w)
{
	struct clock_time c = row_time(w);
	const struct host_now *h = &w->now;
	char date[16];

	if (!w->row) {
		snprintf(date, sizeof date, "%04d-%02d-%02d", c.year, c.month, c.day);
		banner(w, date);
	}
	fprintf(w->out, "%04d-%02d-%02dT%02d:%02d:%02d+0000\navg-cpu:  %%user   %%nice %%system %%iowait  %%steal   %%idle\n", c.year, c.month, c.day, c.hour,
		c.minute, c.second);
	fprintf(w->out, "         %6.2f    0.00  %6.2f  %6.2f  %6.2f  %6.2f\n\n", 100 * h->user, 100 * h->system, 100 * h->iowait, 100 * h->steal,
		100 * idle_share(h));
	fputs("Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n", w->out);
	fprintf(w->out, "nvme0n1       %7.2f %9.2f     0.00   0.00    0.30   128.00 %7.2f %9.2f     0.00   0.00    0.40   256.00 %7.2f %6.2f\n\n\n",
		h->read_mb * 8, h->read_mb * 1024, h->write_mb * 4, h->write_mb * 1024, h->blocked, fmin(100, (h->read_mb + h->write_mb) / 30));
}

static void proc_cpu(struct host_writer *w, const char *name, double *ticks)
{
	fprintf(w->out, "%s %.0f 0 %.0f %.0f %.0f 0 0 %.0f 0 0\n", name, ticks[0], ticks[1], ticks[2], ticks[3], ticks[4]);
}

/* Ticks of 10 ms since boot, of each core and of all. */
static void proc_count(struct host_writer *w, double seconds)
{
	double *all = w->ticks[w->p->cores];

	for (int i = 0; i < w->p->cores; i++) {
		double user = user_of_core(w, i), system = fmin(1 - user, w->now.system), wait = waiting_of_core(w, i, 1 - user - system);
		double steal = fmin(w->now.steal, fmax(0, 1 - user - system - wait)), idle = fmax(0, 1 - user - system - wait - steal);
		double shares[5] = { user, system, idle, wait, steal };
		for (int k = 0; k < 5; k++) {
			w->ticks[i][k] += floor(shares[k] * seconds * 100 + 0.5);
			all[k] += floor(shares[k] * seconds * 100 + 0.5);
		}
	}
}

static void procstat_row(struct host_writer *w)
{
	char name[16];

	if (w->row)
		proc_count(w, w->p->host_step);
	fprintf(w->out, "ts %.9f\n", w->p->epoch + w->end + skew(w->p));
	proc_cpu(w, "cpu ", w->ticks[w->p->cores]);
	for (int i = 0; i < w->p->cores; i++) {
		snprintf(name, sizeof name, "cpu%d", i);
		proc_cpu(w, name, w->ticks[i]);
	}
	fprintf(w->out, "ctxt %.0f\nbtime %.0f\nprocesses 475\nprocs_running %.0f\nprocs_blocked %.0f\n", 30006 + 2000 * w->end,
		floor(w->p->epoch) - UP_S, w->now.running, w->now.blocked);
	fprintf(w->out, "MemTotal:       %.0f kB\nMemFree:        %.0f kB\nMemAvailable:   %.0f kB\nBuffers:           24424 kB\nCached:          2164512 kB\n",
		ram_kib(w->p), ram_kib(w->p) * (1 - w->now.ram), ram_kib(w->p) * (1 - w->now.ram * 0.9));
	fprintf(w->out, "SwapTotal:             0 kB\nSwapFree:              0 kB\n%.2f 0.03 0.01 %.0f/218 460\n", w->now.running * 0.9, w->now.running);
}

static const struct host_tool {
	char letter;
	const char *file;
	host_row_writer *row;
} tools[] = {
	{ 'v', "vmstat.txt", vmstat_row },
	{ 'm', "mpstat.txt", mpstat_row },
	{ 's', "sar.txt", sar_row },
	{ 'a', "sadf.csv", sadf_row },
	{ 'i', "iostat.txt", iostat_row },
	{ 'p', "procstat.txt", procstat_row },
};

bool write_host_log(const struct plan *p, char letter, int host, const char *folder, char *name)
{
	struct host_writer w = { .p = p, .host = host };
	const struct host_tool *tool = tools;

	while (tool->letter != letter)
		tool++;
	w.out = open_log(p, folder, host, tool->file, name);
	if (!w.out)
		return false;
	w.end = 2 * dice(p, 403, host, letter);
	for (; w.end < p->length; w.row++) {
		w.now = job_on_host(p, host, w.begin, w.end);
		tool->row(&w);
		w.begin = w.end;
		w.end += p->host_step + 0.002 * dice(p, 404, host, w.row);
	}
	return fclose(w.out) == 0;
}

/* What the kernel says of a GPU in trouble, beside what it says anyhow. */
bool write_kernel_log(const struct plan *p, int host, const char *folder)
{
	static const int xids[] = { 48, 94, 95, 119 };
	char name[64], bus[24], opened[256];
	int gpu = p->fault.first;
	struct clock_time c = clock_time(p->epoch + p->fault.begin);
	FILE *out;

	if (p->fault.kind != XID_LINE || gpu / p->gpus_of_host != host)
		return true;
	out = open_log(p, folder, host, "kernel.log", opened);
	if (!out)
		return false;
	snprintf(name, sizeof name, "node%02d", host + 1);
	bus_id(p, gpu % p->gpus_of_host, bus);
	bus[strlen(bus) - 2] = '\0';
	fprintf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%03d120+00:00 %s kernel: NVRM: Xid (PCI:%s): %d, pid=2361, name=python3, Ch 00000008\n", c.year, c.month,
		c.day, c.hour, c.minute, c.second, c.ms, name, bus + 4, xids[(int)(p->fault.strength * 4)]);
	return fclose(out) == 0;
}
