/*
 * make_run.c - writes the logs of a run that never was, and what is true of it.
 *
 *     make_run --list                     the kinds of faults
 *     make_run FOLDER SEED KIND           KIND is one of these, or healthy
 *
 * FOLDER gets the logs and, beside them, its twin FOLDER.truth.json: the fault, which rules tell it rightly, which GPUs have it,
 * when it began and ended (UTC), and how fine the logs are that show it. The same seed and kind give the same bytes.
 */
#include "plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct clock_time clock_time(double epoch)
{
	int64_t ms = (int64_t)floor(epoch * 1000 + 0.5);
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	return (struct clock_time){ tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(ms % 1000) };
}

static bool make_folder(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Of several hosts each has a folder, or its name in front of its files. */
FILE *open_log(const struct plan *p, const char *folder, int host, const char *name, char *opened)
{
	char path[1024];

	if (p->n_hosts > 1 && p->subfolders) {
		snprintf(path, sizeof path, "%s/node%02d", folder, host + 1);
		if (!make_folder(path))
			return NULL;
	}
	if (p->n_hosts > 1)
		snprintf(opened, 256, "node%02d%c%s", host + 1, p->subfolders ? '/' : '-', name);
	else
		snprintf(opened, 256, "%s", name);
	snprintf(path, sizeof path, "%s/%s", folder, opened);
	return fopen(path, "w");
}

static void put_time(FILE *out, const struct plan *p, double t)
{
	struct clock_time c = clock_time(p->epoch + t);

	fprintf(out, "\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", c.year, c.month, c.day, c.hour, c.minute, c.second, c.ms);
}

static void put_words(FILE *out, const char *words)
{
	const char *glue = "";

	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ') {
		fprintf(out, "%s\"%.*s\"", glue, (int)strcspn(at, " "), at);
		glue = ", ";
	}
}

/* Faults of single GPUs are told with them; of others it is the job that has it. */
static bool of_single_gpus(enum fault_kind kind)
{
	return kind == UNUSED || kind == THERMAL_HARDWARE || kind == THERMAL_SOFTWARE || kind == HBM_HOT || kind == POWER_LIMIT ||
	       kind == POWER_BRAKE || kind == PCIE || kind == ECC || kind == XID_LINE || kind == LOST;
}

static void put_entities(FILE *out, const struct plan *p)
{
	const char *glue = "";

	for (int g = p->fault.first; of_single_gpus(p->fault.kind) && g < p->fault.first + p->fault.n; g++) {
		fprintf(out, "%s\"gpu%d\"", glue, g % p->gpus_of_host);
		glue = ", ";
	}
}

static void put_truth(FILE *out, const struct plan *p, const char *arguments)
{
	const struct fault_row *row = &fault_rows[p->fault.kind];
	double coarse = p->step > p->host_step ? p->step : p->host_step;

	fprintf(out, "{\"seed\": %llu, \"kind\": \"%s\", \"rules\": [", (unsigned long long)p->seed, row->name);
	put_words(out, row->rules);
	fputs("], \"entities\": [", out);
	put_entities(out, p);
	fputs("], \"begin\": ", out);
	put_time(out, p, p->fault.begin);
	fputs(", \"end\": ", out);
	put_time(out, p, p->fault.end);
	fprintf(out, ", \"edges\": \"%s\", \"step_s\": %g, \"strength\": %.3f,\n \"gpus\": %d, \"hosts\": %d, \"card\": \"%s\", \"seconds\": %.3f, ", row->edges,
		coarse, p->fault.strength, p->n_gpus, p->n_hosts, p->card->name, p->length);
	fprintf(out, "\"dips\": %zu, \"zone_s\": %d, \"gpu_logs\": \"%s\", \"host_logs\": \"%s\", \"arguments\": %s],\n \"folders\": [", p->n_dips, p->zone_s, p->gpu_logs,
		p->host_logs, arguments);
	if (p->n_hosts == 1 || !p->subfolders)
		fputs("\".\"", out);
	for (int host = 0; p->n_hosts > 1 && p->subfolders && host < p->n_hosts; host++)
		fprintf(out, "%s\"node%02d\"", host ? ", " : "", host + 1);
	fputs("]}\n", out);
}

/*
 * Read in the wrong zone its logs would still overlap, or nobody can tell by their begins which zone is right: rows are too far apart,
 * or a clock is off.
 */
static bool must_tell_zones(const struct plan *p)
{
	return p->zone_s && (p->length > abs(p->zone_s) || p->step > 10 || p->fault.kind == CLOCK_SKEW);
}

static char *put_argument(char *at, const char *option, const char *name, const char *value)
{
	return at + sprintf(at, "%s\"%s\", \"%s=%s\"", at[-1] == '[' ? "" : ", ", option, name, value);
}

/* What a user would have to say of this log. */
static char *put_arguments(const struct plan *p, char letter, const char *name, char *at)
{
	int zone_s = strchr("sm", letter) ? 0 : p->zone_s;
	char zone[16];

	if (letter == 'o')
		at = put_argument(at, "--columns", name, "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw");
	snprintf(zone, sizeof zone, "%c%02d:%02d", zone_s < 0 ? '-' : '+', abs(zone_s) / 3600, abs(zone_s) / 60 % 60);
	if (must_tell_zones(p) && strchr("fnodctsm", letter))
		at = put_argument(at, "--tz", name, zone);
	return at;
}

static bool write_logs(const struct plan *p, const char *folder, char *arguments)
{
	char name[256];
	bool good = true;

	for (int host = 0; host < p->n_hosts; host++) {
		for (const char *letter = p->gpu_logs; *letter; letter++) {
			good &= write_gpu_log(p, *letter, host, folder, name);
			arguments = put_arguments(p, *letter, name, arguments);
		}
		for (const char *letter = p->host_logs; *letter; letter++) {
			good &= write_host_log(p, *letter, host, folder, name);
			arguments = put_arguments(p, *letter, name, arguments);
		}
		good &= write_kernel_log(p, host, folder);
	}
	return good;
}

static bool write_run(const struct plan *p, const char *folder)
{
	char path[1024], arguments[4096] = "[";
	FILE *out;

	if (!make_folder(folder) || !write_logs(p, folder, arguments + 1))
		return false;
	snprintf(path, sizeof path, "%s.truth.json", folder);
	out = fopen(path, "w");
	if (!out)
		return false;
	put_truth(out, p, arguments);
	return fclose(out) == 0;
}

static int kind_from_name(const char *name)
{
	for (int i = 0; i < N_FAULTS; i++)
		if (strcmp(fault_rows[i].name, name) == 0)
			return i;
	return -1;
}

static int list_kinds(void)
{
	for (int i = 1; i < N_FAULTS; i++)
		puts(fault_rows[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	struct plan plan;
	int kind = argc == 4 ? kind_from_name(argv[3]) : -1;
	bool good;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_kinds();
	if (kind < 0) {
		fputs("usage: make_run FOLDER SEED KIND, or make_run --list\n", stderr);
		return 2;
	}
	plan_draw(&plan, strtoull(argv[2], NULL, 10), (enum fault_kind)kind);
	good = write_run(&plan, argv[1]);
	plan_release(&plan);
	if (!good)
		perror(argv[1]);
	return good ? 0 : 1;
}
