/*
 * gpu_logs.c - the dialects in which nvidia-smi logs GPUs, as the recordings show them, a function each.
 *
 *     f   --query-gpu=… --format=csv            many columns, units
 *     n   --query-gpu=… --format=csv,nounits    no index: the bus id tells the GPU
 *     o   --query-gpu=… --format=csv,noheader,nounits
 *     d   dmon -s pucvmet -o DT                 c   the same with --format csv, -s pucm
 *     t   -l N, the plain table
 *
 * nvidia-smi polls one GPU after the other, some milliseconds apart, and is a little late each time. Its times are local, and
 * of which zone is not told.
 */
#include "plan.h"

#include <math.h>
#include <string.h>

#define HEAD_EVERY 44 /* dmon says its head again after so many rows */

struct writer {
	const struct plan *p;
	FILE *out;
	int host;
	struct device devices[GPUS_OF_HOST];
	size_t rows;
};

typedef void head_writer(struct writer *w);
typedef void row_writer(struct writer *w, int gpu, const struct device *d, double t);
typedef void poll_writer(struct writer *w, double t);

static int whole(double x)
{
	return (int)floor(x + 0.5);
}
static int percent(double x)
{
	return whole(100 * fmax(0, fmin(1, x)));
}
static double wall(const struct writer *w, double t)
{
	return w->p->epoch + t + w->p->zone_s;
}

static void query_time(struct writer *w, double t)
{
	struct clock_time c = clock_time(wall(w, t));

	fprintf(w->out, "%04d/%02d/%02d %02d:%02d:%02d.%03d", c.year, c.month, c.day, c.hour, c.minute, c.second, c.ms);
}

static const char *active(const struct device *d, unsigned reason)
{
	return d->reasons & reason ? "Active" : "Not Active";
}

static void full_head(struct writer *w)
{
	fputs("timestamp, index, uuid, name, pci.bus_id, driver_version, pstate, utilization.gpu [%], utilization.memory [%], "
	      "memory.total [MiB], memory.used [MiB], temperature.gpu, temperature.memory, power.draw [W], power.draw.instant [W], "
	      "enforced.power.limit [W], power.limit [W], power.max_limit [W], clocks.current.sm [MHz], clocks.current.memory [MHz], "
	      "clocks.max.sm [MHz], clocks_event_reasons.active, clocks_event_reasons.hw_slowdown, "
	      "clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.hw_power_brake_slowdown, "
	      "clocks_event_reasons.sw_thermal_slowdown, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, "
	      "pcie.link.width.max, ecc.errors.uncorrected.volatile.total, fan.speed [%], temperature.gpu.tlimit",
		w->out);
	if (w->p->extra_columns)
		fputs(", power.default_limit [W], clocks_event_reasons_counters.sw_power_cap [us], "
		      "clocks_event_reasons_counters.sw_thermal_slowdown [us], clocks_event_reasons_counters.hw_thermal_slowdown [us], "
		      "clocks_event_reasons_counters.hw_power_brake_slowdown [us]",
			w->out);
	fputc('\n', w->out);
}

/* Where a card has no such sensor. */
static const char *number_or_none(bool there, double value, char text[16])
{
	snprintf(text, 16, "%d", whole(value));
	return there ? text : "N/A";
}

static void lost_line(struct writer *w, int gpu)
{
	char bus[24];

	bus_id(w->p, gpu, bus);
	fprintf(w->out, "Unable to determine the device handle for GPU %s: GPU is lost.  Reboot the system to recover this GPU\n", bus + 4);
}

static void full_row(struct writer *w, int gpu, const struct device *d, double t)
{
	const struct card *c = w->p->card;
	char bus[24], hbm[16], margin[16];
	double temp = device_temp(w->p, d);

	bus_id(w->p, gpu, bus);
	query_time(w, t);
	fprintf(w->out, ", %d, GPU-%08x-0000-4000-8000-%012x, %s, %s, 580.159.04, P0, %d %%, %d %%, %.0f MiB, %.0f MiB, %.0f, %s, ", gpu,
		(unsigned)(dice(w->p, 300, w->host, gpu) * 4e9), (unsigned)gpu, c->name, bus, percent(d->busy), percent(d->mem_busy),
		c->memory_mib, d->memory_mib, temp, number_or_none(c->tells_hbm, w->p->ambient + d->hbm, hbm));
	fprintf(w->out, "%.2f W, %.2f W, %.2f W, %.2f W, %.2f W, %.0f MHz, %.0f MHz, %.0f MHz, 0x%016X, %s, %s, %s, %s, ", d->power, d->instant,
		d->limit, d->limit, c->limit_w, d->clock, c->clock_mem, c->clock_max, d->reasons, active(d, REASON_SLOW),
		active(d, REASON_HEAT_HW), active(d, REASON_BRAKE), active(d, REASON_HEAT_SW));
	fprintf(w->out, "%d, %d, %d, 16, %d, [N/A], %s", d->gen, c->gen, d->width, d->errors,
		number_or_none(c->tells_margin, c->hottest - temp, margin));
	if (w->p->extra_columns)
		fprintf(w->out, ", %.2f W, %.0f us, %.0f us, %.0f us, %.0f us", c->limit_w, d->cap_us, d->heat_sw_us, d->heat_hw_us, d->brake_us);
	fputc('\n', w->out);
}

static void nounits_head(struct writer *w)
{
	fputs("timestamp, name, pci.bus_id, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
	      "temperature.gpu, power.draw [W], power.limit [W]\n",
		w->out);
}

static void nounits_row(struct writer *w, int gpu, const struct device *d, double t)
{
	char bus[24];

	bus_id(w->p, gpu, bus);
	query_time(w, t);
	fprintf(w->out, ", %s, %s, %d, %d, %.0f, %.0f, %.0f, %.2f, %.2f\n", w->p->card->name, bus, percent(d->busy), percent(d->mem_busy),
		d->memory_mib, w->p->card->memory_mib, device_temp(w->p, d), d->power, d->limit);
}

static void no_head(struct writer *w)
{
	(void)w;
}

static void noheader_row(struct writer *w, int gpu, const struct device *d, double t)
{
	query_time(w, t);
	fprintf(w->out, ", %d, %d, %.0f, %.0f, %.2f\n", gpu, percent(d->busy), d->memory_mib, device_temp(w->p, d), d->power);
}

static void dmon_head(struct writer *w)
{
	fputs("#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk  pviol  tviol     fb   "
	      "bar1   ccpm  sbecc  dbecc    pci  rxpci  txpci \n"
	      "#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %      %      %      %      %    MHz    MHz      %   bool     MB     "
	      "MB     MB   errs   errs   errs   MB/s   MB/s \n",
		w->out);
}

static void dmon_row(struct writer *w, int gpu, const struct device *d, double t)
{
	struct clock_time c = clock_time(wall(w, t));
	char hbm[16];
	const char *mtemp = number_or_none(w->p->card->tells_hbm, w->p->ambient + d->hbm, hbm);

	if (w->rows && w->rows % HEAD_EVERY == 0)
		dmon_head(w);
	fprintf(w->out, " %04d%02d%02d    %02d:%02d:%02d   %5d  %5d  %5.0f  %5s  %5d  %5d      0      0      0      0  %5.0f  %5.0f", c.year, c.month,
		c.day, c.hour, c.minute, c.second, gpu, whole(d->power), device_temp(w->p, d), *mtemp == 'N' ? "-" : mtemp, percent(d->busy),
		percent(d->mem_busy), w->p->card->clock_mem, d->clock);
	fprintf(w->out, "  %5d  %5d %6.0f %6.0f      0      0  %5d      0 %6d %6d \n", d->reasons & REASON_POWER_CAP ? 100 : 0,
		d->reasons & REASON_HEAT_HW ? 1 : 0, d->memory_mib, d->memory_mib + 1, d->errors, whole(d->busy * 40), whole(d->busy * 12));
}

static void dmon_csv_head(struct writer *w)
{
	fputs("#Date, Time, gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk, fb, bar1, ccpm\n"
	      "#YYYYMMDD, HH:MM:SS, Idx, W, C, C, %, %, %, %, %, %, MHz, MHz, MB, MB, MB\n",
		w->out);
}

static void dmon_csv_row(struct writer *w, int gpu, const struct device *d, double t)
{
	struct clock_time c = clock_time(wall(w, t));
	char hbm[16];
	const char *mtemp = number_or_none(w->p->card->tells_hbm, w->p->ambient + d->hbm, hbm);

	if (w->rows && w->rows % HEAD_EVERY == 0)
		dmon_csv_head(w);
	fprintf(w->out, " %04d%02d%02d, %02d:%02d:%02d, %d, %d, %.0f, %s, %d, %d, 0, 0, 0, 0, %.0f, %.0f, %.0f, %.0f, 0\n", c.year, c.month, c.day,
		c.hour, c.minute, c.second, gpu, whole(d->power), device_temp(w->p, d), *mtemp == 'N' ? "-" : mtemp, percent(d->busy),
		percent(d->mem_busy), w->p->card->clock_mem, d->clock, d->memory_mib, d->memory_mib + 1);
}

static const char table_rule[] = "+-----------------------------------------+------------------------+----------------------+\n";
static const char wide_rule[] = "+-----------------------------------------------------------------------------------------+\n";

static void table_begin(struct writer *w, double t)
{
	static const char *days[] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
	static const char *months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct clock_time c = clock_time(wall(w, t));

	fprintf(w->out, "%s %s %2d %02d:%02d:%02d %d       \n%s", days[(int64_t)(wall(w, t) / 86400) % 7], months[c.month - 1], c.day, c.hour, c.minute,
		c.second, c.year, wide_rule);
	fputs("| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |\n", w->out);
	fputs(table_rule, w->out);
	fputs("| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
	      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
	      "|                                         |                        |               MIG M. |\n"
	      "|=========================================+========================+======================|\n",
		w->out);
}

static void table_row(struct writer *w, int gpu, const struct device *d, double t)
{
	char bus[24];

	(void)t;
	bus_id(w->p, gpu, bus);
	fprintf(w->out, "| %3d  %-26.26s On  |   %s Off | %20d |\n", gpu, w->p->card->name, bus, d->errors);
	fprintf(w->out, "| N/A  %3.0fC    P0           %4dW / %4dW | %6.0fMiB / %6.0fMiB |  %5d%%      Default |\n", device_temp(w->p, d), whole(d->power),
		whole(d->limit), d->memory_mib, w->p->card->memory_mib, percent(d->busy));
	fputs("|                                         |                        |             Disabled |\n", w->out);
	fputs(table_rule, w->out);
}

static void table_end(struct writer *w, double t)
{
	(void)t;
	fprintf(w->out, "\n%s| Processes:                                                                              |\n", wide_rule);
	fputs("|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
	      "|        ID   ID                                                               Usage      |\n"
	      "|=========================================================================================|\n"
	      "|  No running processes found                                                             |\n",
		w->out);
	fputs(wide_rule, w->out);
}

static const struct dialect {
	char letter;
	const char *file;
	head_writer *head;
	row_writer *row;
	poll_writer *begin, *end;
} dialects[] = {
	{ 'f', "gpu.csv", full_head, full_row, NULL, NULL },
	{ 'n', "gpu-nounits.csv", nounits_head, nounits_row, NULL, NULL },
	{ 'o', "gpu-noheader.csv", no_head, noheader_row, NULL, NULL },
	{ 'd', "dmon.txt", dmon_head, dmon_row, NULL, NULL },
	{ 'c', "dmon.csv", dmon_csv_head, dmon_csv_row, NULL, NULL },
	{ 't', "table.txt", no_head, table_row, table_begin, table_end },
};

static void write_poll(struct writer *w, const struct dialect *dialect, double t)
{
	const struct plan *p = w->p;
	double stagger = 0.001 + 0.012 * dice(p, 301, w->host, 0);

	if (dialect->begin)
		dialect->begin(w, t);
	for (int g = 0; g < p->gpus_of_host; g++) {
		int gpu = w->host * p->gpus_of_host + g;
		struct device *d = &w->devices[g];
		device_at(p, gpu, t + stagger * g, d);
		if (d->lost)
			lost_line(w, g);
		else
			dialect->row(w, g, d, t + stagger * g);
		w->rows++;
	}
	if (dialect->end)
		dialect->end(w, t);
}

bool write_gpu_log(const struct plan *p, char letter, int host, const char *folder, char *name)
{
	struct writer w = { .p = p, .host = host };
	const struct dialect *dialect = dialects;
	double late = 0.001 + 0.004 * dice(p, 302, host, letter), t = 0.2 + 2 * dice(p, 303, host, letter);
	bool said_again = false;

	while (dialect->letter != letter)
		dialect++;
	w.out = open_log(p, folder, host, dialect->file, name);
	if (!w.out)
		return false;
	dialect->head(&w);
	for (int64_t k = 0; t < p->length; k++) {
		if (!in_hole(p, t))
			write_poll(&w, dialect, t);
		if (p->header_again && !said_again && t > p->length / 3 && strchr("fn", letter)) { /* the logger was started again */
			dialect->head(&w);
			said_again = true;
		}
		t += p->step + late + 0.004 * dice(p, 304, host, k);
	}
	if (p->cut_last_row && strchr("fno", letter))
		query_time(&w, t);
	return fclose(w.out) == 0;
}
