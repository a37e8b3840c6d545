/*
 * gen.c - logs of any size for measurements, to standard output.
 *
 *     gen WORK BYTES [GPUS [QUOTED]]     nvidia-smi --query-gpu=… --format=csv -l 1: 16 columns with units, a GPU after the other
 *     gen vmstat BYTES [GPUS]            vmstat -t 1 of their host, for about as long as a log of so many bytes and GPUs
 *
 * What is done is made up but plausible. Power follows the load, temperature follows power with a lag, clocks fall at the power limit. One
 * row in some ten thousand has a cell without value. Of each hundred rows QUOTED have the name of the card in quotes, with a comma
 * inside. The same arguments give the same bytes. WORK is one of
 *
 *     gpu        a job that works in steps, with a checkpoint every ten minutes
 *     pauses     the same, but its pauses come after some minutes and last for some seconds, as chance has it
 *     bursts     each GPU works for some seconds, and then not for some, by itself
 *     requests   any load at any second
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_GPUS 4096
#define BEGIN 1767225600 /* 2026-01-01T00:00:00Z */

struct card {
	double temp, memory;
	bool works;  /* of what comes and goes: now, */
	long until;  /* and until this second */
};

static uint64_t state = 20261121;

/* 0 to 1. */
static double chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* In UTC: a month without its last days would be a hole of as many, and a rhythm that ends there. */
static void put_time(long second, int ms)
{
	static struct tm at;
	static long told = -1;

	if (second != told)
		gmtime_r(&(time_t){ BEGIN + second }, &at);
	told = second;
	printf("%04d/%02d/%02d %02d:%02d:%02d.%03d", at.tm_year + 1900, at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec, ms);
}

/* So many of each hundred calls, evenly. */
static bool is_quoted(int percent)
{
	static int due = 0;

	due += percent;
	if (due < 100)
		return false;
	due -= 100;
	return true;
}

/* ------ what is done ------ */

/* All but a few steps at nearly full load. */
static double load_at_work(bool works)
{
	return works && chance() > 0.004 ? 0.86 + 0.13 * chance() : 0.02 * chance();
}

/* Work and pauses last so many seconds on average, any one as long as it happens to. */
static bool comes_and_goes(struct card *card, long second, double work, double pause)
{
	if (second >= card->until) {
		card->works = !card->works;
		card->until = second + 1 + (long)(-log(1 - chance()) * (card->works ? work : pause));
	}
	return card->works;
}

static double load_of_job(struct card *cards, int gpu, long second)
{
	(void)cards;
	(void)gpu;
	return load_at_work(second % 600 < 588);
}

static double load_with_pauses(struct card *cards, int gpu, long second)
{
	return load_at_work(gpu == 0 ? comes_and_goes(&cards[0], second, 300, 12) : cards[0].works);
}

static double load_in_bursts(struct card *cards, int gpu, long second)
{
	return comes_and_goes(&cards[gpu], second, 20, 8) ? 0.7 + 0.3 * chance() : 0;
}

static double load_of_requests(struct card *cards, int gpu, long second)
{
	const double load = chance() * chance();

	(void)cards;
	(void)gpu;
	(void)second;
	return load < 0.03 ? 0 : load;
}

static const struct work {
	const char *name;
	double (*load)(struct card *cards, int gpu, long second);
} works[] = { { "gpu", load_of_job }, { "pauses", load_with_pauses }, { "bursts", load_in_bursts }, { "requests", load_of_requests } };
#define N_WORKS (sizeof works / sizeof *works)

/* ------ rows ------ */

/* Returns how many bytes. */
static int put_row(struct card *card, double load, long second, int gpu, int n_gpus, int quoted)
{
	const bool is_busy = load > 0.02;
	const double power = 92 + 590 * load * (0.94 + 0.06 * chance());
	const double clock = is_busy ? 1980 - (power > 640 ? (power - 640) * 2.4 : 0) : 1980;
	char watts[32];

	card->temp += (28 + power * 0.062 - card->temp) * 0.04;
	card->memory = is_busy ? 61200 + 90 * floor(chance() * 8) : card->memory;
	if (chance() < 0.00002)
		snprintf(watts, sizeof watts, "[N/A]");
	else
		snprintf(watts, sizeof watts, "%.2f W", power);
	put_time(second, 4 + gpu * 900 / n_gpus + (int)(chance() * 3));
	return 23 + printf(", %d, GPU-%08x-6b1f-4c0e-9d53-%012x, %s, 00000000:%02X:00.0, %d %%, %d %%, %d MiB, 81559 MiB, %s, 700.00 W, %d, "
			   "%d MHz, 1980 MHz, P0, 0x%016X\n",
			    gpu, 0x5c1d0000u + (unsigned)gpu * 2654435u, (unsigned)gpu * 7919u,
			    is_quoted(quoted) ? "\"NVIDIA H100, 80GB HBM3\"" : "NVIDIA H100 80GB HBM3", 0x0B + gpu % 240,
			    (int)(100 * load + 0.5), (int)(43 * load + 4 * chance()), (int)card->memory, watts, (int)(card->temp + 0.5),
			    (int)clock / 15 * 15, is_busy ? (power > 640 ? 4u : 0u) : 1u);
}

static int gpu_log(const struct work *work, double most_bytes, int n_gpus, int quoted)
{
	static struct card cards[MOST_GPUS];
	double n_bytes = printf("timestamp, index, uuid, name, pci.bus_id, utilization.gpu [%%], utilization.memory [%%], memory.used [MiB], "
				"memory.total [MiB], power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.max.sm [MHz], "
				"pstate, clocks_event_reasons.active\n");

	for (int i = 0; i < n_gpus; i++)
		cards[i] = (struct card){ .temp = 34, .memory = 61200 };
	for (long second = 0; n_bytes < most_bytes; second++)
		for (int gpu = 0; gpu < n_gpus; gpu++)
			n_bytes += put_row(&cards[gpu], work->load(cards, gpu, second), second, gpu, n_gpus, quoted);
	return fflush(stdout) != 0;
}

#define ROW_BYTES 211.94 /* of a row of one GPU, on average */

/* The CPUs have little to do while the GPUs work, and more in the checkpoints of `gpu`. */
static int host_log(double most_bytes, int n_gpus)
{
	const long n_seconds = (long)(most_bytes / ROW_BYTES / n_gpus);

	printf("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
	       " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n");
	for (long second = 0; second < n_seconds; second++) {
		const struct tm at = *gmtime(&(time_t){ BEGIN + second });
		const bool is_checkpoint = second % 600 >= 588;
		const int busy = (is_checkpoint ? 60 : 25) + (int)(12 * chance());
		printf("%2d  %d      0 %d  91244 48211960    0    0 %5d %5d %d %d %2d  3 %2d  0  0 %04d-%02d-%02d %02d:%02d:%02d\n", busy / 3,
			(int)(2 * chance()), 123456000 + (int)(4096 * chance()), (int)(900 * chance()),
			(int)((is_checkpoint ? 90000 : 500) * chance()), 12000 + (int)(900 * chance()), 23000 + (int)(900 * chance()), busy,
			97 - busy, at.tm_year + 1900, at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec);
	}
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	const double most_bytes = argc > 2 ? strtod(argv[2], NULL) : 0;
	const int n_gpus = argc > 3 ? atoi(argv[3]) : 8, quoted = argc > 4 ? atoi(argv[4]) : 0;

	for (size_t i = 0; i < N_WORKS; i++)
		if (argc > 2 && strcmp(argv[1], works[i].name) == 0 && n_gpus > 0 && n_gpus <= MOST_GPUS && quoted >= 0 && quoted <= 100)
			return gpu_log(&works[i], most_bytes, n_gpus, quoted);
	if (argc > 2 && strcmp(argv[1], "vmstat") == 0 && n_gpus > 0)
		return host_log(most_bytes, n_gpus);
	fprintf(stderr, "usage: gen gpu|pauses|bursts|requests|vmstat BYTES [GPUS [QUOTED]]\n");
	return 2;
}
