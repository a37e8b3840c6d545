/*
 * nvidia_smi_csv_forms_test.c - what people make of nvidia-smi's CSV: no header, their own names and clocks, lines between the
 * polls, GPUs that are lost, hosts that share a file.
 *
 * A case is a log, the list of --columns or NULL, the recording as text (logs.h) and all that is said about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

struct form_case {
	const char *log, *columns, *shown, *complaints;
};

static struct recording *read_form(struct logs *logs, const char *log, const char *columns)
{
	const struct file_option option = { "gpu.csv", columns };
	const struct read_request request = { .columns = { &option, columns != NULL } };
	const char *path = folder_put(&logs->folder, &logs->mem, "gpu.csv", slice_of(log));
	struct recording *rec = format_read(&logs->mem, path, &request, false, &logs->diags);

	if (rec && rec->n_rows + rec->n_rows_bad + rec->n_rows_ignored != count_lines(slice_of(log)))
		fail_msg("%zu rows, %zu bad and %zu ignored of %zu lines", rec->n_rows, rec->n_rows_bad, rec->n_rows_ignored,
			count_lines(slice_of(log)));
	return rec;
}

static void check(struct logs *logs, const struct form_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_form(logs, cases[i].log, cases[i].columns);

		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_string_equal(shown(logs, rec, true), cases[i].shown);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define NO_HEADER "gpu.csv: error: no-header: no header says what the columns are; a guess, to be checked: --columns gpu.csv="

static void takes_columns_from_the_user(void **state)
{
	static const struct form_case cases[] = {
		{ "2026/11/21 01:48:34.387, 0, 45, 113325, 41, 433.78\n", "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw",
		  "gpu0: gpu.util gpu.mem_used gpu.power gpu.temp\n2026-11-21T01:48:34.387 45 113325 433.78 41\n", "" },
		/* our own names, names of people, aliases of nvidia-smi, columns to pass over, units */
		{ "0, 2026/11/21 01:48:34.387, 45, x, 1980, 433000\n", "gpu_id, timestamp, gpu.util, -, clocks.sm, power.draw [mW]",
		  "gpu0: gpu.util gpu.power gpu.clock_sm\n2026-11-21T01:48:34.387 45 433.000 1980\n", "" },
		/* what stands above the rows is passed over, and so are fields that nobody reads */
		{ "Temperature,Watts,When\n41,433.78,2026-11-21 01:48:34\n", "temperature.gpu,inforom.checksum_validation,timestamp",
		  "gpu0: gpu.temp\n2026-11-21T01:48:34.000 41\n", "" },
		/* a comma at the end of the header, or two, and of some rows */
		{ "timestamp, index, utilization.gpu [%],\n2026/11/21 01:48:34.387, 0, 45 %,\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n", "" },
		{ "timestamp, index, utilization.gpu [%], ,\n2026/11/21 01:48:34.387, 0, 45 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n", "" },
		/* lines that end in CR alone */
		{ "timestamp, index, utilization.gpu [%]\r2026/11/21 01:48:34.387, 0, 45 %\r2026/11/21 01:48:35.387, 0, 46 %\r", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n2026-11-21T01:48:35.387 46\n", "" },
		/* a header that the log has knows better */
		{ "timestamp, index, utilization.gpu [%]\n2026/11/21 01:48:34.387, 0, 45 %\n", "timestamp,index,fan.speed",
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n", "" },
		{ "2026/11/21 01:48:34.387, 0, 45, 5\n", "timestamp,index,utilisation.gpu,power_drawn", "",
		  "gpu.csv: error: unknown-name: 'utilisation.gpu' in --columns is no column; did you mean 'utilization.gpu'?\n"
		  "gpu.csv: error: unknown-name: 'power_drawn' in --columns is no column; did you mean 'power.draw'?\n" },
		{ "2026/11/21 01:48:34.387, 0\n", "timestamp,index", "",
		  "gpu.csv: error: unknown-name: --columns names no column that holds a metric\n" },
		{ "2026/11/21 01:48:34.387, 0, 45\n2026/11/21 01:48:35.387, 0\n2026/11/21 01:48:36.387, 0, 46, \n",
		  "timestamp,index,utilization.gpu",
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n2026-11-21T01:48:36.387 46\n",
		  "gpu.csv:2: warning: bad-row: 2 cells where the header has 3; row not used\n" },
	};

	CHECK(*state, cases);
}

static void proposes_columns_and_says_that_it_guesses(void **state)
{
	static const struct form_case cases[] = {
		{ "2026/11/21 01:48:34.387, 0, 0, 0, 34, 76.50\n2026/11/21 01:48:34.390, 1, 0, 0, 34, 76.50\n"
		  "2026/11/21 01:48:36.387, 0, 100, 113325, 41, 433.78\n2026/11/21 01:48:36.390, 1, 0, 0, 34, 76.50\n",
		  NULL, "",
		  NO_HEADER "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw (1: time stamps; 2: whole numbers 0 to 1; "
			    "3: whole numbers 0 to 100; 4: whole numbers 0 to 113325; 5: whole numbers 34 to 41; 6: decimals 76.50 to 433.78)\n" },
		{ "2 %, 588 MiB\n3 %, 600 MiB\n", NULL, "", NO_HEADER "utilization.gpu,memory.used (1: 2 to 3 %; 2: 588 to 600 MiB)\n" },
		{ "GPU-1, 2026/11/21 01:48:34.387, NVIDIA H200, 0x0000000000000004, python3, 5 W, 30 MHz\n"
		  "GPU-1, 2026/11/21 01:48:35.387, NVIDIA H200, 0x0000000000000004, python3, 5 W, 30 MHz\n",
		  NULL, "",
		  NO_HEADER "uuid,timestamp,name,clocks_event_reasons.active,-,power.draw,clocks.sm (1: uuids; 2: time stamps; 3: GPU names; "
			    "4: masks; 5: words; 6: 5.00 to 5.00 W; 7: 30 to 30 MHz)\n" },
		/* here every column can be one thing only */
		{ "2026/11/21 01:48:34.387, 00000000:1B:00.0, P0, 433.78 W\n2026/11/21 01:48:35.387, 00000000:1B:00.0, P8, 76.50 W\n", NULL,
		  "0:1B:00.0: gpu.power gpu.pstate\n2026-11-21T01:48:34.387 433.78 0\n2026-11-21T01:48:35.387 76.50 8\n",
		  "gpu.csv: warning: guess: no header; by their cells the columns are taken to be timestamp,pci.bus_id,pstate,power.draw "
		  "(1: time stamps; 2: bus ids; 3: P-states; 4: 76.50 to 433.78 W)\n" },
		/* somebody else's numbers */
		{ "2024-05-13 08:49:50,  4.6%,205,47.2,  466 mW\n2024-05-13 08:50:54,  4.0%,208,44.8,  637 mW\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table of 5 columns without a header; if nvidia-smi wrote it, --columns can name them\n" },
		{ "1609470627, 2508.2, 63, 60,\n1609470629, 2508.2, 62, 59,\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table of 5 columns without a header; if nvidia-smi wrote it, --columns can name them\n" },
	};

	CHECK(*state, cases);
}

static void reads_names_written_by_hand(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp,gpu_index,temperature_C,utilization_gpu_percent,power_W\n2026-11-21T01:48:34.387Z,1, 38, 100, 387.26\n", NULL,
		  "gpu1: gpu.util gpu.power gpu.temp\n2026-11-21T01:48:34.387 100 387.26 38\n", "" },
		{ "Time,GPU_ID,Utilization\n1795225714.387246,0,7\n", NULL, "gpu0: gpu.util\n2026-11-21T01:48:34.387 7\n", "" },
		{ "timestamp,gpu_util(%),memory_used(MB),memory_util(%),temperature(C),gpu power (mW)\n1795225714,5,4851.00,10.53,40.0,5000\n",
		  NULL, "gpu0: gpu.util gpu.mem_used gpu.power gpu.temp\n2026-11-21T01:48:34.000 5 4851.00 5.000 40.0\n", "" },
		/* the logger's time and nvidia-smi's under one head */
		{ "time,gpu_index,gpu_util_percent\n2026-11-21 01:48:34,2026/11/21 01:48:34.387, 0, 45\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.387 45\n", "" },
		/* a name that we don't know may tell the rows apart; power may be anybody's; a unit must fit */
		{ "timestamp,container,gpu_util\n2026-11-21 01:48:34,a,45\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table that no reader knows, with the columns 'timestamp', 'container', 'gpu_util'; a mapping (--map) can say what they are\n" },
		{ "timestamp,Power (W)\n2026-11-21 01:48:34,45\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table that no reader knows, with the columns 'timestamp', 'Power (W)'; a mapping (--map) can say what they are\n" },
		{ "timestamp,gpu_temp_mb\n2026-11-21 01:48:34,45\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table that no reader knows, with the columns 'timestamp', 'gpu_temp_mb'; a mapping (--map) can say what they are\n" },
		/* several lines in one cell: what is before it is sound */
		{ "elapsed_sec,gpu_util_pct,power_w\n0.08,5,\"26.11\n0\"\n0.33,6,\"27.11\n0\"\n", NULL,
		  "gpu0: gpu.util gpu.power\n1970-01-01T00:00:00.080 5 -\n1970-01-01T00:00:00.330 6 -\n",
		  "gpu.csv:2:8: warning: bad-number: '(several lines)' in power (1 more like this)\n" },
	};

	CHECK(*state, cases);
}

#define IN_PARTS "gpu.csv: warning: guess: gpu.util is in parts of one, as it is never above 1 and mostly below; it is read as 100 times that in percent\n"

/* Who divides by a hundred, as GPUtil does, has decimals; a GPU that idles has whole percents below two. */
static void reads_parts_of_one_as_percent(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp,gpu_id,gpu_util\n2026-11-21 01:48:34,0,0.98\n2026-11-21 01:48:35,0,1.0\n2026-11-21 01:48:36,0,0.125\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 98.0\n2026-11-21T01:48:35.000 100.0\n2026-11-21T01:48:36.000 12.5\n", IN_PARTS },
		{ "timestamp,gpu_id,gpu_util\n2026-11-21 01:48:34,0,0.98\n2026-11-21 01:48:35,0,1.1\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 0.98\n2026-11-21T01:48:35.000 1.10\n", "" },
		{ "timestamp,gpu_id,gpu_util\n2026-11-21 01:48:34,0,0.0\n2026-11-21 01:48:35,0,1.0\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 0.0\n2026-11-21T01:48:35.000 1.0\n", "" },
		/* of several GPUs all must be so */
		{ "timestamp,gpu_id,gpu_util\n2026-11-21 01:48:34,0,0.5\n2026-11-21 01:48:34,1,97.5\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 0.5\ngpu1: gpu.util\n2026-11-21T01:48:34.000 97.5\n", "" },
		{ "timestamp,gpu_id,gpu_util\n2026-11-21 01:48:34,0,0.5\n2026-11-21 01:48:34,1,1\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 0.5\ngpu1: gpu.util\n2026-11-21T01:48:34.000 1\n", "" },
	};

	CHECK(*state, cases);
}

/* Where the comma is the decimal sign, and as text; other tables with such signs stay what they are. */
static void reads_what_a_spreadsheet_saved(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp;index;utilization.gpu [%];power.draw [W]\n2026/11/21 01:48:34.387;0;45 %;300,25 W\n2026/11/21 01:48:35.387;0;46 %;x W\n", NULL,
		  "gpu0: gpu.util gpu.power\n2026-11-21T01:48:34.387 45 300.25\n2026-11-21T01:48:35.387 46 -\n",
		  "gpu.csv:3:32: warning: bad-number: 'x W' in power.draw\n" },
		{ "timestamp\tindex\tpower.draw [W]\n2026/11/21 01:48:34.387\t0\t300.25 W\n2026/11/21 01:48:35.387\t0\t301,5 W\n", NULL,
		  "gpu0: gpu.power\n2026-11-21T01:48:34.387 300.25\n2026-11-21T01:48:35.387 301.50\n", "" },
		{ "when;who;what\n2026/11/21 01:48:34.387;0;45 %\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table that no reader knows, with the columns 'when', 'who', 'what'; a mapping (--map) can say what "
		  "they are\n" },
		{ "2026/11/21 01:48:34.387;0;45 %\n2026/11/21 01:48:35.387;0;46 %\n", NULL, "",
		  "gpu.csv: warning: not-a-log: a table of 3 columns without a header; if nvidia-smi wrote it, --columns can name them\n" },
	};

	CHECK(*state, cases);
}

/* As logrotate leaves them: what they are is not said before the header comes. */
static void tells_of_rows_before_the_first_header(void **state)
{
	static const struct form_case cases[] = {
		{ "[GPU log]\n2026/11/21 01:48:33.387, 0, 43 %\n2026/11/21 01:48:34.387, 0, 44 %\ntimestamp, index, utilization.gpu [%]\n"
		  "2026/11/21 01:48:35.387, 0, 45 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:35.387 45\n",
		  "gpu.csv:2: warning: bad-row: 2 rows before the first header, which names as many columns; not used; if they are the same, "
		  "--columns gpu.csv=timestamp,index,utilization.gpu reads all\n" },
		/* somebody else's */
		{ "1,2\n3,4\ntimestamp, index, utilization.gpu [%]\n2026/11/21 01:48:35.387, 0, 45 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:35.387 45\n", "" },
	};

	CHECK(*state, cases);
}

static void says_what_hand_written_names_were_taken_for(void **state)
{
	const struct recording *rec = read_form(*state, "time,gpu_util,mem_util,temp_c\n2026-11-21 01:48:34,45,7,41\n", NULL);

	assert_string_equal(rec->why, "its header is written by hand and read so: gpu_util is gpu.util, temp_c is gpu.temp");
	assert_int_equal(rec->n_unread, 1); /* share of time, or of bytes? */
	assert_string_equal(rec->unread[0], "mem_util");
}

static void reads_every_clock(void **state)
{
	static const struct {
		const char *times[2], *shown, *zone;
		enum clock_basis basis;
		bool date_unknown, date_ambiguous;
	} cases[] = {
		{ { "2026/11/21 01:48:34.387", "2026/11/21 01:48:35.387" }, "2026-11-21T01:48:34.387", NULL, BASIS_LOCAL, false, false },
		{ { "2026-11-21T09:48:34+08:00", "2026-11-21T09:48:35+08:00" }, "2026-11-21T01:48:34.000", "+08:00", BASIS_OFFSET, false, false },
		{ { "2026-11-21T01:48:34.387654+00:00", "2026-11-21T01:48:35.38+00:00" }, "2026-11-21T01:48:34.387", "UTC", BASIS_OFFSET,
		  false, false },
		{ { "1795225714", "1795225715" }, "2026-11-21T01:48:34.000", "epoch seconds", BASIS_OFFSET, false, false },
		{ { "1795225714387", "1795225715387" }, "2026-11-21T01:48:34.387", "epoch seconds", BASIS_OFFSET, false, false },
		{ { "Sat Nov 21 01:48:34 2026", "Sat Nov 21 01:48:35 2026" }, "2026-11-21T01:48:34.000", NULL, BASIS_LOCAL, false, false },
		{ { "Sat Nov 21 01:48:34 UTC 2026", "Sat Nov 21 01:48:35 UTC 2026" }, "2026-11-21T01:48:34.000", "UTC", BASIS_OFFSET, false,
		  false },
		{ { "Sat Nov 21 01:48:34 EST 2026", "Sat Nov 21 01:48:35 EST 2026" }, "2026-11-21T01:48:34.000", "EST", BASIS_LOCAL, false,
		  false },
		/* day and month: impossible one way, a step of a month one way, or in doubt */
		{ { "11-21-2026 01:48:34", "11-21-2026 01:48:35" }, "2026-11-21T01:48:34.000", NULL, BASIS_LOCAL, false, false },
		{ { "21/11/2026 01:48:34", "21/11/2026 01:48:35" }, "2026-11-21T01:48:34.000", NULL, BASIS_LOCAL, false, false },
		{ { "11-03-2026 23:59:59", "11-04-2026 00:00:00" }, "2026-11-03T23:59:59.000", NULL, BASIS_LOCAL, false, false },
		{ { "03-11-2026 23:59:59", "04-11-2026 00:00:00" }, "2026-11-03T23:59:59.000", NULL, BASIS_LOCAL, false, false },
		{ { "03-11-2026 01:48:34", "03-11-2026 01:48:35" }, "2026-03-11T01:48:34.000", NULL, BASIS_LOCAL, false, true },
		{ { "05-05-2026 01:48:34", "05-05-2026 01:48:35" }, "2026-05-05T01:48:34.000", NULL, BASIS_LOCAL, false, false },
		/* times of day pass midnight */
		{ { "23:59:59.500", "00:00:00.500" }, "1970-01-01T23:59:59.500", NULL, BASIS_LOCAL, true, false },
		{ { "11:59:59 PM", "12:00:00 AM" }, "1970-01-01T23:59:59.000", NULL, BASIS_LOCAL, true, false },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_form(logs,
			arena_print(&logs->mem, "timestamp,index,utilization.gpu\n%s,0,45\n%s,0,46\n", cases[i].times[0], cases[i].times[1]),
			NULL);

		assert_string_equal(take_complaints(logs), "");
		assert_int_equal(rec->n_rows, 2);
		assert_string_equal(arena_print(&logs->mem, "%.23s", time_iso(&logs->mem, channel_time(&rec->channels[0], 0))), cases[i].shown);
		assert_in_range(rec->channels[0].step, 900, 1100);
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.date_unknown, cases[i].date_unknown);
		assert_int_equal(rec->clock.date_ambiguous, cases[i].date_ambiguous);
		assert_int_equal(rec->clock.offset, 0);
		if (cases[i].zone)
			assert_string_equal(rec->clock.zone, cases[i].zone);
		else
			assert_null(rec->clock.zone);
	}
}

static void one_log_has_one_clock(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp,index,utilization.gpu\n1795225714,0,45\n2026/11/21 01:48:35,0,46\n12,0,47\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 45\n",
		  "gpu.csv:3:1: warning: bad-time: '2026/11/21 01:48:35' is no time stamp, expected like those before it; row not used "
		  "(1 more like this)\n" },
		/* date and time in two columns */
		{ "Date,Time,GPU,Temperature\n11-21-2026,01:48:34,0,58\n", NULL, "gpu0: gpu.temp\n2026-11-21T01:48:34.000 58\n", "" },
		{ "Date,Time,GPU,Temperature\n2026-11-21,01:48:34,0,58\n", NULL, "gpu0: gpu.temp\n2026-11-21T01:48:34.000 58\n", "" },
		{ "Date,GPU,Temperature\n2026-11-21 01:48:34,0,58\n", NULL, "gpu0: gpu.temp\n2026-11-21T01:48:34.000 58\n", "" },
	};

	CHECK(*state, cases);
}

static void places_rows_without_times_one_poll_apart(void **state)
{
	static const struct form_case cases[] = {
		{ "index, utilization.gpu [%]\n0, 45 %\n1, 5 %\n0, 46 %\n1, 6 %\n1, 7 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 45\n1970-01-01T00:00:01.000 46\n"
		  "gpu1: gpu.util\n1970-01-01T00:00:00.000 5\n1970-01-01T00:00:01.000 6\n1970-01-01T00:00:02.000 7\n", "" },
		{ "utilization.gpu [%]\n45 %\nutilization.gpu [%]\n46 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 45\n1970-01-01T00:00:01.000 46\n", "" },
		{ "utilization.gpu [%]\nutilization.gpu [%]\n45 %\n46 %\n47 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 45\n1970-01-01T00:00:01.000 46\n1970-01-01T00:00:02.000 47\n",
		  "gpu.csv: warning: guess: neither times nor a column index, uuid or pci.bus_id; the rows are taken to be of one GPU\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_form(logs, cases[0].log, NULL)->clock.time_unknown);
	assert_false(read_form(logs, cases[0].log, NULL)->clock.elapsed);
	assert_true(read_form(logs, "elapsed,gpu_util\n0.5,45\n", NULL)->clock.elapsed);
}

static void takes_times_from_the_lines_between_polls(void **state)
{
	static const struct form_case cases[] = {
		{ "Sat Nov 21 01:30:01 UTC 2026\nindex, utilization.gpu [%]\n0, 45 %\n1, 5 %\n"
		  "Sat Nov 21 02:00:01 UTC 2026\nindex, utilization.gpu [%]\n0, 46 %\n1, 6 %\n1, 7 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:30:01.000 45\n2026-11-21T02:00:01.000 46\n"
		  "gpu1: gpu.util\n2026-11-21T01:30:01.000 5\n2026-11-21T02:00:01.000 6\n",
		  "gpu.csv:9: warning: bad-time: a second row of this GPU after one line with a time; when it was written is not known; "
		  "not used\n"
		  "gpu.csv: warning: guess: rows have no times of their own; each has that of the line before its poll\n" },
		/* Windows: the weekday tells which is the month */
		{ "C:\\logs>date /T\r\nSat 11/07/2026 \r\n\r\nC:\\logs>time /T\r\n03:44 PM\r\n\r\nC:\\logs>nvidia-smi --query-gpu=utilization.gpu\r\n"
		  "utilization.gpu [%]\r\n45 %\r\n", NULL,
		  "gpu0: gpu.util\n2026-11-07T15:44:00.000 45\n",
		  "gpu.csv: warning: guess: rows have no times of their own; each has that of the line before its poll, which tells whole "
		  "minutes only\n" },
		/* rows that have their own times keep them */
		{ "==== Sat Nov 21 01:30:01 AM EST 2026 ====\ntimestamp, index, utilization.gpu [%]\n2026/11/21 01:30:01.500, 0, 45 %\n----\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:30:01.500 45\n", "" },
		/* the date of a table above it is not the date of a log */
		{ "Sat Nov 21 01:30:01 2026\n| NVIDIA-SMI 495.44 |\nindex, utilization.gpu [%]\n0, 45 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 45\n", "" },
		{ "Sat Nov 21 01:30:01 2026\nutilization.gpu [%]\n45 %\n46 %\n47 %\n", NULL, "",
		  "gpu.csv: warning: guess: rows have no times of their own; each has that of the line before its poll\n"
		  "gpu.csv: error: mixed-gpus: neither times nor columns tell which rows belong to which GPU and when; the file is not used\n" },
	};

	CHECK(*state, cases);
}

static void deals_rows_out_in_the_order_of_the_poll(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 1 %\n2026/11/21 01:48:34.003, 99 %\n2026/11/21 01:48:35.000, 2 %\n2026/11/21 01:48:35.000, 98 %\n"
		  "2026/11/21 01:48:36.000, 3 %\n2026/11/21 01:48:36.003, [N/A]\n2026/11/21 01:48:37.000, 4 %\n2026/11/21 01:48:37.003, 96 %\n"
		  "2026/11/21 01:48:38.000, 5 %\n2026/11/21 01:48:38.003, 95 %\n2026/11/21 01:48:39.003, 94 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 1\n2026-11-21T01:48:35.000 2\n2026-11-21T01:48:36.000 3\n2026-11-21T01:48:37.000 4\n"
		  "2026-11-21T01:48:38.000 5\n"
		  "gpu1: gpu.util\n2026-11-21T01:48:34.003 99\n2026-11-21T01:48:35.000 98\n2026-11-21T01:48:36.003 -\n2026-11-21T01:48:37.003 96\n"
		  "2026-11-21T01:48:38.003 95\n",
		  "gpu.csv: warning: guess: no column index, uuid or pci.bus_id; each poll has 2 rows, so the first is taken for GPU 0, the "
		  "second for GPU 1 and so on\n"
		  "gpu.csv: warning: bad-row: 1 rows in polls of other than 2: which GPU is missing can't be told; not used\n" },
		/* polls marked by lines */
		{ "Sat Nov 21 01:30:01 2026\nutilization.gpu [%]\n1 %\n99 %\nSat Nov 21 02:00:01 2026\nutilization.gpu [%]\n2 %\n98 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:30:01.000 1\n2026-11-21T02:00:01.000 2\n"
		  "gpu1: gpu.util\n2026-11-21T01:30:01.000 99\n2026-11-21T02:00:01.000 98\n",
		  "gpu.csv: warning: guess: rows have no times of their own; each has that of the line before its poll\n"
		  "gpu.csv: warning: guess: no column index, uuid or pci.bus_id; each poll has 2 rows, so the first is taken for GPU 0, the "
		  "second for GPU 1 and so on\n" },
		{ "utilization.gpu [%]\n1 %\n99 %\nutilization.gpu [%]\n2 %\n98 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 1\n1970-01-01T00:00:01.000 2\n"
		  "gpu1: gpu.util\n1970-01-01T00:00:00.000 99\n1970-01-01T00:00:01.000 98\n",
		  "gpu.csv: warning: guess: no column index, uuid or pci.bus_id; each poll has 2 rows, so the first is taken for GPU 0, the "
		  "second for GPU 1 and so on\n" },
		/* polls of any length */
		{ "timestamp, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 1 %\n2026/11/21 01:48:34.003, 99 %\n2026/11/21 01:48:35.000, 2 %\n2026/11/21 01:48:36.000, 98 %\n"
		  "2026/11/21 01:48:36.001, 3 %\n2026/11/21 01:48:36.003, 9 %\n2026/11/21 01:48:37.000, 4 %\n2026/11/21 01:48:37.003, 96 %\n"
		  "2026/11/21 01:48:38.000, 5 %\n2026/11/21 01:48:39.003, 95 %\n", NULL, "",
		  "gpu.csv: error: mixed-gpus: rows of several GPUs, but no column index, uuid or pci.bus_id tells them apart; "
		  "the file is not used\n" },
	};

	CHECK(*state, cases);
}

static void a_later_header_must_go_on_with_the_log(void **state)
{
	static const struct form_case cases[] = {
		{ "index, utilization.gpu [%]\n0, 45 %\ntimestamp, index, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, 46 %\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 45\n",
		  "gpu.csv:4: warning: bad-row: rows before it have no times of their own; row not used\n" },
		{ "timestamp, index, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, 45 %\ntimestamp, utilization.gpu [%]\n"
		  "2026/11/21 01:48:35.000, 46 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 45\n",
		  "gpu.csv:4: warning: bad-row: the header in force names no GPU; row not used\n" },
		/* one GPU, and a restart that names it */
		{ "timestamp, utilization.gpu [%]\n2026/11/21 01:48:34.000, 45 %\ntimestamp, index, utilization.gpu [%]\n"
		  "2026/11/21 01:48:35.000, 0, 46 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 45\n2026-11-21T01:48:35.000 46\n", "" },
		{ "elapsed,gpu_util\n0.5,45\ntime,gpu_util\n2026-11-21 01:48:34,46\n", NULL,
		  "gpu0: gpu.util\n1970-01-01T00:00:00.500 45\n",
		  "gpu.csv:4:1: warning: bad-time: '2026-11-21 01:48:34' is no time stamp, expected like 2026/11/21 01:48:34.387; row not used\n" },
	};

	CHECK(*state, cases);
}

static void refuses_rows_of_several_hosts(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp, index, name, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, Tesla V100-SXM2-32GB, 1 %\n"
		  "2026/11/21 01:48:34.500, 0, Tesla V100-PCIE-32GB, 2 %\n", NULL, "",
		  "gpu.csv: error: mixed-gpus: GPU 0 is 'Tesla V100-SXM2-32GB' in line 2 and 'Tesla V100-PCIE-32GB' in line 3: rows of several "
		  "hosts in one file, which can't be told apart; the file is not used\n" },
		{ "timestamp, index, uuid, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, GPU-a, 1 %\n2026/11/21 01:48:34.500, 0, GPU-b, 2 %\n",
		  NULL, "",
		  "gpu.csv: error: mixed-gpus: GPU 0 has two identities, GPU-a and GPU-b: rows of several hosts in one file; the file is not "
		  "used\n" },
		/* one after another: a card was replaced */
		{ "timestamp, index, uuid, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, GPU-a, 1 %\n2026/11/21 01:48:35.000, 0, GPU-a, 2 %\n"
		  "2026/11/21 01:48:36.000, 0, GPU-b, 3 %\n2026/11/21 01:48:37.000, 0, GPU-b, 4 %\n",
		  NULL, "gpu0: gpu.util\n2026-11-21T01:48:34.000 1\n2026-11-21T01:48:35.000 2\n"
		  "gpu0: gpu.util\n2026-11-21T01:48:36.000 3\n2026-11-21T01:48:37.000 4\n", "" },
		/* and back again: not replaced */
		{ "timestamp, index, uuid, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, GPU-a, 1 %\n2026/11/21 01:48:35.000, 0, GPU-b, 2 %\n"
		  "2026/11/21 01:48:36.000, 0, GPU-a, 3 %\n2026/11/21 01:48:37.000, 0, GPU-b, 4 %\n",
		  NULL, "",
		  "gpu.csv: error: mixed-gpus: GPU 0 has two identities, GPU-a and GPU-b: rows of several hosts in one file; the file is not "
		  "used\n" },
		/* a new driver says NVIDIA before the name */
		{ "timestamp, index, name, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, GeForce RTX 2080 Ti, 1 %\n"
		  "2026/11/21 01:48:35.000, 0, NVIDIA GeForce RTX 2080 Ti, 2 %\n", NULL,
		  "gpu0: gpu.util\n2026-11-21T01:48:34.000 1\n2026-11-21T01:48:35.000 2\n", "" },
	};

	CHECK(*state, cases);
}

/* A log of 30 rows in which some rows, from 5 on, call GPU 0 otherwise: what is said of it. */
static const char *said_of_odd_rows(struct logs *logs, const char *head, const char *name, const char *const *odd, int n_odd)
{
	struct buf text;

	buf_init(&text, (size_t)1 << 16);
	buf_text(&text, head);
	for (int i = 0; i < 30; i++)
		buf_print(&text, "2026/11/21 01:48:%02d.000, 0, %s, %d %%\n", i, i >= 5 && i < 5 + n_odd ? odd[i - 5] : name, i);
	const struct recording *rec = read_text(logs, "gpu.csv", text_of_buf(&logs->mem, &text));
	assert_int_equal(rec ? rec->n_rows : 0, rec ? (size_t)(30 - n_odd) : 0);
	assert_int_equal(rec ? rec->n_channels : 1, 1);
	return take_complaints(logs);
}

/* Two hosts write their names again and again; one row alone is damaged. */
static void a_damaged_name_is_of_its_row_alone(void **state)
{
	struct logs *logs = *state;
	const char *const by_uuid = "timestamp, index, uuid, utilization.gpu [%]\n", *const by_name = "timestamp, index, name, utilization.gpu [%]\n";
	const char *const damaged[] = { "GPU-b" }, *const again[] = { "GPU-b", "GPU-b" }, *const more[] = { "GPU-b", "GPU-c" };
	const char *const other_name[] = { "NVIDIA H2p0" };

	assert_string_equal(said_of_odd_rows(logs, by_uuid, "GPU-a", damaged, 1),
		"gpu.csv:7: warning: bad-row: 'GPU-b' here alone names a GPU that all other rows name otherwise; row not used\n");
	assert_string_equal(said_of_odd_rows(logs, by_name, "NVIDIA H200", other_name, 1),
		"gpu.csv:7: warning: bad-row: 'NVIDIA H2p0' here alone names a GPU that all other rows name otherwise; row not used\n");
	assert_string_equal(said_of_odd_rows(logs, by_uuid, "GPU-a", again, 2),
		"gpu.csv: error: mixed-gpus: GPU 0 has two identities, GPU-a and GPU-b: rows of several hosts in one file; the file is not used\n");
	assert_string_equal(said_of_odd_rows(logs, by_uuid, "GPU-a", more, 2),
		"gpu.csv: error: mixed-gpus: GPU 0 has two identities, GPU-a and GPU-b: rows of several hosts in one file; the file is not used\n");
}

/* More of them than rows are held back, and in a log without times, where no row could come later. */
static void many_damaged_names_are_told_once(void **state)
{
	enum { N = 500, N_DAMAGED = 18 };
	struct logs *logs = *state;

	for (int timed = 0; timed < 2; timed++) {
		struct buf text;
		buf_init(&text, (size_t)1 << 20);
		buf_print(&text, "%sindex, uuid, utilization.gpu [%%]\n", timed ? "timestamp, " : "");
		for (int i = 0; i < N; i++) {
			if (timed)
				buf_print(&text, "2026/11/21 01:%02d:%02d.000, ", i / 60, i % 60);
			if (i >= 5 && i < 5 + N_DAMAGED)
				buf_print(&text, "0, GPU-%d, %d %%\n", i, i % 100);
			else
				buf_print(&text, "0, GPU-a, %d %%\n", i % 100);
		}
		const struct recording *rec = read_text(logs, "gpu.csv", text_of_buf(&logs->mem, &text));
		assert_non_null(rec);
		assert_int_equal(rec->n_rows, N - N_DAMAGED);
		assert_int_equal(rec->n_rows_bad, N_DAMAGED);
		assert_int_equal(rec->n_channels, 1);
		assert_string_equal(take_complaints(logs), "gpu.csv:7: warning: bad-row: 'GPU-5' here alone names a GPU that all other rows name "
							   "otherwise; row not used, nor others like it\n");
	}
}

static const char *events_text(struct logs *logs, const struct recording *rec)
{
	const char *text = "";

	for (size_t i = 0; i < rec->n_events; i++)
		text = arena_print(&logs->mem, "%s%s %s %.12s %s\n", text, event_table[rec->events[i].kind].name,
			entity_id(&logs->mem, &rec->events[i].entity), time_iso(&logs->mem, rec->events[i].t) + 11, rec->events[i].text);
	return text;
}

#define ROW(second, cells) "2026/11/21 01:48:" second ".000, 0, " cells "\n"
#define HANDLE "Unable to determine the device handle for "

static void a_lost_gpu_is_an_event(void **state)
{
	static const struct {
		const char *lines, *events, *shown;
		size_t n_messages;
	} cases[] = {
		{ ROW("34", "45 %, 5 W") HANDLE "GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n" ROW("35", "46 %, 5 W"),
		  "gpu-lost 0:02:00.0 01:48:35.000 " HANDLE "GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 45 5\n01:48:35.000 46 5\n", 1 },
		/* one event, however often it is said; the time of the row before, where none follows */
		{ ROW("34", "45 %, 5 W") HANDLE "GPU0000:07:00.0: Unknown Error\n" HANDLE "GPU0000:07:00.0: Unknown Error\n",
		  "gpu-lost 0:07:00.0 01:48:34.000 " HANDLE "GPU0000:07:00.0: Unknown Error\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 45 5\n", 2 },
		{ HANDLE "gpu 0000:18:00.0: Unknown Error\n" HANDLE "GPU1: 0000:0B:00.0: Unknown Error\n" ROW("35", "46 %, 5 W"),
		  "gpu-lost 0:18:00.0 01:48:35.000 " HANDLE "gpu 0000:18:00.0: Unknown Error\n"
		  "gpu-lost gpu1 01:48:35.000 " HANDLE "GPU1: 0000:0B:00.0: Unknown Error\n",
		  "gpu0: gpu.util gpu.power\n01:48:35.000 46 5\n", 2 },
		/* a console that wraps at 80 columns, and blanks before */
		{ ROW("34", "45 %, 5 W") "  " HANDLE "GPU 0000:03:00.0: GPU is lost.  Reboot\n the system to recover this GPU\n",
		  "gpu-lost 0:03:00.0 01:48:34.000 " HANDLE "GPU 0000:03:00.0: GPU is lost.  Reboot\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 45 5\n", 1 },
		/* cells: the first row says it, until there are values again */
		{ ROW("34", "[GPU requires reset], 5 W") ROW("35", "[GPU is lost], [GPU is lost]") ROW("36", "45 %, 5 W") ROW("37", "[GPU is lost], 5 W"),
		  "gpu-lost gpu0 01:48:34.000 [GPU requires reset] in utilization.gpu\n"
		  "gpu-lost gpu0 01:48:37.000 [GPU is lost] in utilization.gpu\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 - 5\n01:48:35.000 - -\n01:48:36.000 45 5\n01:48:37.000 - 5\n", 0 },
		/* messages that name no GPU are messages */
		{ ROW("34", "[Unknown Error], 5 W") "Failed to initialize NVML: Unknown Error\n" HANDLE "GPU: x\n", "",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 - 5\n", 2 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_form(logs,
			arena_print(&logs->mem, "timestamp, index, utilization.gpu [%%], power.draw [W]\n%s", cases[i].lines), NULL);

		assert_string_equal(events_text(logs, rec), cases[i].events);
		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_int_equal(rec->n_messages, cases[i].n_messages);
		take_complaints(logs);
	}
}

/* Between the rows of a poll the message stands where the lost GPU's row would. */
static void a_gpu_is_lost_in_the_poll_that_says_so(void **state)
{
	static const struct {
		const char *bus_id, *time;
	} cases[] = { { "0000:01:00.0", "01:48:36.000" }, { "0000:02:00.0", "01:48:35.003" } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_form(logs,
			arena_print(&logs->mem,
				"timestamp, pci.bus_id, utilization.gpu [%%]\n"
				"2026/11/21 01:48:34.000, 00000000:02:00.0, 1 %%\n2026/11/21 01:48:34.003, 00000000:03:00.0, 2 %%\n"
				"2026/11/21 01:48:35.000, 00000000:01:00.0, 1 %%\n2026/11/21 01:48:35.003, 00000000:03:00.0, 2 %%\n" HANDLE
				"GPU %s: GPU is lost.\n2026/11/21 01:48:36.000, 00000000:03:00.0, 2 %%\n",
				cases[i].bus_id),
			NULL);

		assert_int_equal(rec->n_events, 1);
		assert_string_equal(arena_print(&logs->mem, "%.12s", time_iso(&logs->mem, rec->events[0].t) + 11), cases[i].time);
		take_complaints(logs);
	}
}

static void chooses_which_power_it_is(void **state)
{
	static const struct form_case cases[] = {
		{ "timestamp, index, power.draw.instant [W], power.draw [W], power.draw.average [W]\n"
		  "2026/11/21 01:48:34.000, 0, 447.35 W, 433.78 W, 433.00 W\n2026/11/21 01:48:35.000, 0, 447.35 W, [N/A], 433.00 W\n"
		  "2026/11/21 01:48:36.000, 0, [N/A], [N/A], 433.00 W\n2026/11/21 01:48:37.000, 0, 5 W, [Unknown Error], 5 W\n"
		  "2026/11/21 01:48:38.000, 0, [N/A], [N/A], [N/A]\n", NULL,
		  "gpu0: gpu.power\n2026-11-21T01:48:34.000 433.78\n2026-11-21T01:48:35.000 447.35\n2026-11-21T01:48:36.000 433.00\n"
		  "2026-11-21T01:48:37.000 -\n2026-11-21T01:48:38.000 -\n", "" },
		{ "timestamp, index, power.draw.instant [W]\n2026/11/21 01:48:34.000, 0, 447.35 W\n", NULL,
		  "gpu0: gpu.power\n2026-11-21T01:48:34.000 447.35\n", "" },
	};

	CHECK(*state, cases);
}

/* A header of all 241 fields is longer than what detection sees of a file. */
static void reads_a_header_longer_than_the_first_bytes(void **state)
{
	struct logs *logs = *state;
	struct buf log;

	buf_init(&log, (size_t)1 << 20);
	buf_text(&log, "timestamp, index, name, uuid, ");
	for (int i = 0; i < 300; i++)
		buf_print(&log, "ecc.errors.field.number%d, ", i);
	buf_text(&log, "utilization.gpu [%], power.draw [W]\n2026/11/21 01:48:34.000, 0, NVIDIA H200, GPU-a, ");
	for (int i = 0; i < 300; i++)
		buf_text(&log, "[N/A], ");
	buf_text(&log, "45 %, 433.78 W\n");
	const struct recording *rec = read_form(logs, text_of_buf(&logs->mem, &log), NULL);
	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:34.000 45 433.78\n");
	assert_int_equal(rec->n_unread, 300);
	assert_string_equal(take_complaints(logs), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_columns_from_the_user, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(proposes_columns_and_says_that_it_guesses, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_names_written_by_hand, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_parts_of_one_as_percent, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_what_a_spreadsheet_saved, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_of_rows_before_the_first_header, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_hand_written_names_were_taken_for, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_every_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_log_has_one_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(places_rows_without_times_one_poll_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_times_from_the_lines_between_polls, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(deals_rows_out_in_the_order_of_the_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_later_header_must_go_on_with_the_log, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_rows_of_several_hosts, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_name_is_of_its_row_alone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(many_damaged_names_are_told_once, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_lost_gpu_is_an_event, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_gpu_is_lost_in_the_poll_that_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(chooses_which_power_it_is, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_a_header_longer_than_the_first_bytes, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
