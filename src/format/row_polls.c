/* row_polls.c - rows to polls, polls to GPUs. */
#include "format/row_polls.h"

#include "base/sort.h"

#define MOST_GPUS ((size_t)64) /* in a poll; hosts have up to 16 */
#define SLOWEST_ANSWER 500 /* ms from GPU to GPU within a poll; 3 to 10 are usual */
#define FAR_APART 5 /* what is a poll lies in a fifth of the time to the next: a busy driver makes a poll longer, not so long */
#define GAPS_TO_A_PAUSE ((size_t)33) /* one of so many may be a pause; of 32 GPUs one in 32 is from poll to poll, and is still found */
#define ROWS_LEAST ((size_t)8)       /* fewer may lie close together by chance */
#define CLOSE_PERCENT ((size_t)30)   /* of the gaps: two GPUs have half of them, less what was not told */
#define USUAL_PERCENT ((size_t)80)   /* of the polls have all GPUs: where more are short of some, nobody knows what whole is */

void row_polls_add(struct row_polls *p, time_ms t, size_t mark)
{
	p->times = grow(p->times, &p->room, p->n + 1, sizeof *p->times);
	p->marks = grow(p->marks, &p->marks_room, p->n + 1, sizeof *p->marks);
	p->times[p->n] = t;
	p->marks[p->n++] = mark;
	p->has_ms |= t % SECOND_MS != 0;
}

void row_polls_release(struct row_polls *p)
{
	grow_free(p->times);
	grow_free(p->marks);
}

/*
 * One GPU logged at any even step has one rhythm; several have two: the rows of one poll lie a few milliseconds apart, or have one
 * time, the polls much further. Returns what parts the two, or 0 where there is but one.
 */
static time_ms two_rhythms(struct arena *mem, const struct row_polls *p)
{
	size_t n_gaps = p->n - 1, n_close = 0;
	time_ms *gaps = NEW_ARRAY(mem, time_ms, p->n);

	for (size_t i = 0; i < n_gaps; i++) {
		time_ms gap = p->times[i + 1] - p->times[i];
		gaps[i] = gap < 0 ? -gap : gap;
	}
	times_sort(gaps, n_gaps);
	/* not the longest: a single pause of the logger is no rhythm */
	const time_ms far = gaps[n_gaps - 1 - (n_gaps - 1) / GAPS_TO_A_PAUSE];
	const time_ms close = far / FAR_APART < SLOWEST_ANSWER ? far / FAR_APART : SLOWEST_ANSWER;
	if (!far)
		return SLOWEST_ANSWER; /* all at one time */
	while (n_close < n_gaps && gaps[n_close] < close)
		n_close++;
	return p->n > ROWS_LEAST && n_close * 100 >= p->n * CLOSE_PERCENT ? close : 0;
}

bool row_polls_two_rhythms(struct arena *mem, const struct row_polls *p)
{
	return p->n > 1 && two_rhythms(mem, p) > 0;
}

/* Rows that lie less than `close` apart are one poll. */
static void mark_by_time(struct row_polls *p, time_ms close)
{
	size_t mark = 0;

	for (size_t i = 0; i < p->n; i++) {
		time_ms gap = i ? p->times[i] - p->times[i - 1] : 0;
		mark += gap >= close || gap < 0;
		p->marks[i] = mark;
	}
}

static size_t poll_length(const struct row_polls *p, size_t begin)
{
	size_t end = begin;

	while (end < p->n && p->marks[end] == p->marks[begin])
		end++;
	return end - begin;
}

/* The length that nearly all polls have, or 0. */
static size_t usual_length(const struct row_polls *p)
{
	size_t counts[MOST_GPUS + 1] = { 0 }, n_polls = 0, best = 0;

	for (size_t i = 0, n; i < p->n; i += n) {
		n = poll_length(p, i);
		n_polls++;
		if (n <= MOST_GPUS)
			counts[n]++;
	}
	for (size_t n = 1; n <= MOST_GPUS; n++)
		if (counts[n] > counts[best])
			best = n;
	return n_polls >= 2 && counts[best] * 100 >= n_polls * USUAL_PERCENT ? best : 0;
}

static void deal(struct row_polls *p, struct reading *r, struct sheet *s, size_t channel, size_t n_gpus, bool timeless)
{
	struct place place = { r->lines->path, 0, 0 };
	size_t *gpus = NEW_ARRAY(r->scratch, size_t, p->n), n_odd = 0, n_polls = 0;

	for (size_t i = 0, n; i < p->n; i += n) {
		n = poll_length(p, i);
		n_odd += n == n_gpus ? 0 : n;
		for (size_t k = i; k < i + n; k++) {
			gpus[k] = n == n_gpus ? k - i : SIZE_MAX;
			p->times[k] = timeless ? (time_ms)n_polls * SECOND_MS : p->times[k];
		}
		n_polls++;
	}
	sheet_deal(s, channel, gpus, p->times);
	reading_guesses(r, "no column index, uuid or pci.bus_id; each poll has %zu rows, so the first is taken for GPU 0, "
		"the second for GPU 1 and so on", n_gpus);
	if (n_odd)
		diag_at(r->diags, place, DIAG_BAD_ROW, "%zu rows in polls of other than %zu: which GPU is missing can't be told; not used",
			n_odd, n_gpus);
}

enum dealing row_polls_settle(struct row_polls *p, struct reading *r, struct sheet *s, size_t channel, bool timed, bool timeless)
{
	bool marked = p->n > 1 && p->marks[0] != p->marks[p->n - 1];
	time_ms close = timed && p->n > 1 ? two_rhythms(r->scratch, p) : 0;

	if (p->n < 2 || (timed && !close))
		return POLLS_ONE_GPU;
	if (timed && !p->has_ms) /* two rows a second may be one GPU looked at twice */
		return POLLS_MIXED;
	if (timed)
		mark_by_time(p, close);
	size_t n_gpus = timed || marked ? usual_length(p) : 0;
	if (!n_gpus && timeless)
		reading_guesses(r, "neither times nor a column index, uuid or pci.bus_id; the rows are taken to be of one GPU");
	if (n_gpus == 1 || (!n_gpus && timeless))
		return POLLS_ONE_GPU;
	if (!n_gpus)
		return POLLS_MIXED;
	deal(p, r, s, channel, n_gpus, timeless);
	return POLLS_DEALT;
}
