/*
 * fleet_words.c - the sentences of a fleet.
 *
 * The wording is templates/fleet.tmpl; here is only what is true. Each sentence is a section of that template, rendered alone.
 */
#include "fleet/fleet_words.h"

#include "base/template.h"
#include "fleet/tallies.h"

#include <inttypes.h>

#define MOST_BYTES ((size_t)32768) /* of a sentence, with the names of some runs */
#define ABOUT_AS_MUCH 10          /* less than a tenth apart */
#define FEW_LACKING 10            /* runs with a report, to each one without */
#define LITTLE_UNKNOWN 10000      /* millionths of the GPU time: so much is missing where logs begin and end */
#define MUCH_UNKNOWN 200000       /* as a run's verdict has it: report/blind_spots.c */

struct fleet_words {
	bool is_title, is_period, is_subtitle, is_counts, is_trend, is_footnote, is_alt, is_suspect; /* which sentence is asked for */
	bool is_host, is_one_copy, has_gaps, is_one_first, is_one_far, any_unknown, is_known, is_one_day, is_less, is_more;
	const char *lost, *money, *suppressed, *total, *known, *no_log, *unit, *runs, *first, *first_percent;
	const char *n_unknown, *whose_unknown; /* of runs whose loss is not known: "2", "2 of 3 runs"; NULL: there are none */
	const char *begin, *end, *period, *order, *partial, *without, *left_out, *missing;
	const char *week, *week_runs, *week_percent, *before, *before_of, *before_percent, *far;
	const char *week_unknown, *young, *young_runs, *lacking, *several, *copies;
	const char *listed, *label, *n_runs, *of_runs, *n_elsewhere, *of_elsewhere;
};

static const struct field word_rows[] = {
	FIELD(struct fleet_words, is_title, BOOL),
	FIELD(struct fleet_words, is_period, BOOL),
	FIELD(struct fleet_words, is_subtitle, BOOL),
	FIELD(struct fleet_words, is_counts, BOOL),
	FIELD(struct fleet_words, is_trend, BOOL),
	FIELD(struct fleet_words, is_footnote, BOOL),
	FIELD(struct fleet_words, is_alt, BOOL),
	FIELD(struct fleet_words, is_suspect, BOOL),
	FIELD(struct fleet_words, is_host, BOOL),
	FIELD(struct fleet_words, is_one_copy, BOOL),
	FIELD(struct fleet_words, has_gaps, BOOL),
	FIELD(struct fleet_words, is_one_first, BOOL),
	FIELD(struct fleet_words, is_known, BOOL),
	FIELD(struct fleet_words, is_one_day, BOOL),
	FIELD(struct fleet_words, is_less, BOOL),
	FIELD(struct fleet_words, is_more, BOOL),
	FIELD(struct fleet_words, lost, TEXT),
	FIELD(struct fleet_words, money, TEXT),
	FIELD(struct fleet_words, suppressed, TEXT),
	FIELD(struct fleet_words, total, TEXT),
	FIELD(struct fleet_words, known, TEXT),
	FIELD(struct fleet_words, no_log, TEXT),
	FIELD(struct fleet_words, unit, TEXT),
	FIELD(struct fleet_words, runs, TEXT),
	FIELD(struct fleet_words, n_unknown, TEXT),
	FIELD(struct fleet_words, whose_unknown, TEXT),
	FIELD(struct fleet_words, first, TEXT),
	FIELD(struct fleet_words, first_percent, TEXT),
	FIELD(struct fleet_words, begin, TEXT),
	FIELD(struct fleet_words, end, TEXT),
	FIELD(struct fleet_words, period, TEXT),
	FIELD(struct fleet_words, order, TEXT),
	FIELD(struct fleet_words, partial, TEXT),
	FIELD(struct fleet_words, without, TEXT),
	FIELD(struct fleet_words, left_out, TEXT),
	FIELD(struct fleet_words, missing, TEXT),
	FIELD(struct fleet_words, week, TEXT),
	FIELD(struct fleet_words, week_runs, TEXT),
	FIELD(struct fleet_words, week_percent, TEXT),
	FIELD(struct fleet_words, before, TEXT),
	FIELD(struct fleet_words, before_of, TEXT),
	FIELD(struct fleet_words, before_percent, TEXT),
	FIELD(struct fleet_words, week_unknown, TEXT),
	FIELD(struct fleet_words, young, TEXT),
	FIELD(struct fleet_words, young_runs, TEXT),
	FIELD(struct fleet_words, lacking, TEXT),
	FIELD(struct fleet_words, several, TEXT),
	FIELD(struct fleet_words, copies, TEXT),
	FIELD(struct fleet_words, far, TEXT),
	FIELD(struct fleet_words, is_one_far, BOOL),
	FIELD(struct fleet_words, any_unknown, BOOL),
	FIELD(struct fleet_words, listed, TEXT),
	FIELD(struct fleet_words, label, TEXT),
	FIELD(struct fleet_words, n_runs, TEXT),
	FIELD(struct fleet_words, of_runs, TEXT),
	FIELD(struct fleet_words, n_elsewhere, TEXT),
	FIELD(struct fleet_words, of_elsewhere, TEXT),
};
static const struct fields words_fields = FIELDS("fleet", struct fleet_words, word_rows);

/* ------------------------------------------------ numbers */

const char *counted_text(struct arena *mem, size_t n, const char *noun)
{
	return arena_print(mem, "%zu %s%s", n, noun, plural_s(n));
}

double share_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

const char *share_text(struct arena *mem, int64_t part, int64_t whole)
{
	return percent_text(mem, share_of(part, whole));
}

#define HOUR_US 3.6e9
#define WHOLE_FROM 99.95 /* as visual.md 13.6 rounds, for each number by itself */

double hours_of(int64_t us)
{
	return (double)us / HOUR_US;
}

const char *gpu_us_text(struct arena *mem, struct gpu_time unit, int64_t us)
{
	const double hours = hours_of(us);

	if (us == 0)
		return "0";
	unit.decimals = hours * unit.per_hour < WHOLE_FROM && unit.per_hour < 3600 ? 1 : 0;
	return gpu_time_number(mem, unit, hours);
}

const char *seconds_text(struct arena *mem, int64_t us)
{
	return arena_print(mem, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

/* ------------------------------------------------ sentences */

static const char *sentence(struct arena *mem, const struct fleet_words *words)
{
	struct buf out;

	buf_init(&out, MOST_BYTES);
	template_render_embedded("templates/fleet.tmpl", (struct view){ words, &words_fields },
		&(struct template_output){ .escape = escape_plain }, &out);
	const struct slice said = slice_trim(buf_slice(&out));
	const char *const text = arena_text(mem, said.p, said.n - (said.n && said.p[said.n - 1] == '\n'));
	buf_release(&out);
	return text;
}

/* NULL: there is none. */
static const char *suppressed_text(struct arena *mem, const struct fleet *fleet, struct gpu_time unit)
{
	return fleet->suppressed_us > 0 ? gpu_us_text(mem, unit, fleet->suppressed_us) : NULL;
}

/* Where it may be more than all that was found, "up to" would tell less than half of what may have been lost. */
static bool is_unknown_worth_naming(const struct fleet *fleet)
{
	const int64_t share = millionths_of(fleet->no_log_us, fleet->gpu_us);

	return share > MUCH_UNKNOWN || (share > LITTLE_UNKNOWN && fleet->no_log_us > fleet->lost_us);
}

/* NULL: none. */
static const char *number_unless_0(struct arena *mem, size_t n)
{
	return n ? arena_print(mem, "%zu", n) : NULL;
}

/* Whose loss is not known: "the run", "all 3 runs", "2 of 3 runs"; NULL: nobody's. */
static const char *whose_unknown(struct arena *mem, const struct fleet *fleet)
{
	const size_t n = fleet->n_loss_unknown;

	if (!n || fleet->n_runs == 1)
		return n ? "the run" : NULL;
	return n == fleet->n_runs ? arena_print(mem, "all %zu runs", n) : arena_print(mem, "%zu of %zu runs", n, fleet->n_runs);
}

/* So many runs have no report that what is lost of the others is not what was lost. */
static bool is_part_lacking(const struct fleet *fleet)
{
	return fleet->n_runs && fleet->n_without * FEW_LACKING >= fleet->n_runs;
}

static const char *title_of(struct arena *mem, const struct fleet *fleet, struct gpu_time unit, struct rate rate)
{
	const bool is_lost = fleet->lost_us > 0, is_part = fleet->n_first < fleet->n_runs;
	const size_t n = fleet->n_runs ? fleet->n_runs : fleet->n_without;

	return sentence(mem,
		&(struct fleet_words){
			.is_title = true,
			.is_one_first = fleet->n_first == 1,
			.is_known = fleet->no_log_us < fleet->gpu_us,
			.lost = is_lost ? gpu_us_text(mem, unit, fleet->lost_us) : NULL,
			.money = rate.per_gpu_hour > 0 ? worth_text(mem, rate, hours_of(fleet->lost_us)) : NULL,
			.suppressed = suppressed_text(mem, fleet, unit),
			.total = fleet->n_runs ? gpu_us_text(mem, unit, fleet->gpu_us) : NULL,
			.known = gpu_us_text(mem, unit, fleet->gpu_us - fleet->no_log_us),
			.no_log = is_unknown_worth_naming(fleet) ? gpu_us_text(mem, unit, fleet->no_log_us) : NULL,
			.unit = unit.name,
			.runs = n ? counted_text(mem, n, "run") : NULL,
			.n_unknown = number_unless_0(mem, fleet->n_loss_unknown),
			.whose_unknown = whose_unknown(mem, fleet),
			.lacking = is_part_lacking(fleet) ? counted_text(mem, fleet->n_without, "more run") : NULL,
			.first = is_lost && is_part ? arena_print(mem, "%zu", fleet->n_first) : NULL,
			.first_percent = share_text(mem, fleet->first_us, fleet->lost_us),
		});
}

static const char *period_of(struct arena *mem, const struct fleet *fleet)
{
	if (fleet->begin == TIME_UNKNOWN || fleet->end == TIME_UNKNOWN)
		return NULL;
	const char *const begin = time_date(mem, fleet->begin), *const end = time_date(mem, fleet->end);
	return sentence(mem, &(struct fleet_words){ .is_period = true, .is_one_day = strcmp(begin, end) == 0, .begin = begin, .end = end });
}

static const char *subtitle_of(struct arena *mem, const struct fleet *fleet, const char *period, const char *order)
{
	return sentence(mem,
		&(struct fleet_words){
			.is_subtitle = true,
			.period = period,
			.order = order,
			.without = fleet->n_without ? counted_text(mem, fleet->n_without, "run") : NULL,
			.left_out = number_unless_0(mem, fleet->n_left_out),
			.missing = number_unless_0(mem, fleet->n_missing),
			.has_gaps = fleet->has_gaps,
		});
}

/* "2 crashed, 1 empty" */
static const char *without_text(struct arena *mem, const struct fleet *fleet)
{
	const char *text = NULL;

	for (enum run_status i = RUN_PARTIAL + 1; i < N_RUN_STATUSES; i++)
		if (fleet->n_of_status[i]) {
			const char *const one = arena_print(mem, "%zu %s", fleet->n_of_status[i], run_status_name(i));
			text = text ? arena_print(mem, "%s, %s", text, one) : one;
		}
	return text;
}

static const char *counts_of(struct arena *mem, const struct fleet *fleet)
{
	return sentence(mem,
		&(struct fleet_words){
			.is_counts = true,
			.runs = counted_text(mem, fleet->n_runs, "run"),
			.partial = number_unless_0(mem, fleet->n_of_status[RUN_PARTIAL]),
			.without = without_text(mem, fleet),
			.several = number_unless_0(mem, fleet->n_several),
			.copies = number_unless_0(mem, fleet->n_copies),
			.is_one_copy = fleet->n_copies == 1,
			.left_out = number_unless_0(mem, fleet->n_left_out),
			.missing = number_unless_0(mem, fleet->n_missing),
			.has_gaps = fleet->has_gaps,
		});
}

/* The last week, beside those before it; NULL: nothing is to be told of it. */
static const char *trend_of(struct arena *mem, const struct fleet *fleet)
{
	const struct fleet_sum *const last = fleet->last_week, *const before = &fleet->weeks_before, *const young = fleet->young_week;

	if (!last || !fleet->n_weeks_before)
		return NULL;
	const size_t n_unknown = fleet->is_last_known ? last->n_unknown + before->n_unknown : last->n_unknown;
	const double now = share_of(last->lost_us, last->gpu_us), then = share_of(before->lost_us, before->gpu_us);
	const double alike = then / ABOUT_AS_MUCH;
	const char *const now_text = percent_text(mem, now), *const then_text = percent_text(mem, then);
	const bool look_alike = strcmp(now_text, then_text) == 0; /* nobody would believe that 3 % are more than 3 % */
	return sentence(mem,
		&(struct fleet_words){
			.is_trend = true,
			.is_known = fleet->is_last_known,
			.is_less = !look_alike && then - now > alike,
			.is_more = !look_alike && now - then > alike,
			.week = last->name,
			.week_runs = counted_text(mem, last->n_runs, "run"),
			.week_percent = last->lost_us > 0 ? now_text : NULL,
			.week_unknown = number_unless_0(mem, n_unknown),
			.before = fleet->n_weeks_before > 1 ? counted_text(mem, fleet->n_weeks_before, "week") : NULL,
			.before_of = fleet->n_weeks_unknown ? counted_text(mem, fleet->n_weeks_unknown, "more week") : NULL,
			.before_percent = then_text,
			.far = fleet->n_far_runs ? counted_text(mem, fleet->n_far_runs, "run") : NULL,
			.is_one_far = fleet->n_far_runs == 1,
			.young = young ? young->name : NULL,
			.young_runs = young ? counted_text(mem, young->n_runs, "run") : NULL,
		});
}

const char *suspect_sentence(struct arena *mem, const struct fleet_hardware *h)
{
	return sentence(mem,
		&(struct fleet_words){
			.is_suspect = true,
			.is_host = h->is_host,
			.label = h->label ? h->label : h->rule,
			.n_runs = arena_print(mem, "%zu", h->n_runs),
			.of_runs = counted_text(mem, h->of_runs, "run"),
			.n_elsewhere = arena_print(mem, "%zu", h->n_elsewhere),
			.of_elsewhere = h->of_elsewhere ? arena_print(mem, "%zu", h->of_elsewhere) : NULL,
		});
}

bool loss_by_cause_is_unknown(const struct fleet_sum *cause)
{
	return cause->n_runs > 0 && cause->severity == SEVERITY_CRITICAL && cause->lost_us == 0;
}

/* Of a run, or of a cause beside which its run lost what was counted. */
static bool any_is_unknown(const struct fleet *fleet)
{
	bool any = fleet->n_loss_unknown > 0;

	for (size_t i = 0; i < fleet->causes.n; i++)
		any |= loss_by_cause_is_unknown(&fleet->causes.at[i]);
	return any;
}

static const char *footnote_of(struct arena *mem, const struct fleet *fleet, struct gpu_time unit)
{
	return sentence(mem,
		&(struct fleet_words){
			.is_footnote = true,
			.runs = counted_text(mem, fleet->n_runs, "run"),
			.any_unknown = any_is_unknown(fleet),
			.suppressed = suppressed_text(mem, fleet, unit),
		});
}

#define LISTED_ROWS 5

/* "llm-7b-sft 525 GPU-h, input starvation; …" */
static const char *alt_of(struct arena *mem, const struct fleet_told *told)
{
	const char *listed = "";

	for (size_t i = 0; i < told->n_rows && i < LISTED_ROWS; i++) {
		const struct fleet_row *const row = &told->rows[i];
		listed = arena_print(mem, "%s%s%s %s %s, %s", listed, i ? "; " : "", row->id, row->lost, told->symbol, row->cause);
	}
	return sentence(mem, &(struct fleet_words){ .is_alt = true, .order = told->order, .listed = listed });
}

void fleet_sentences(struct arena *mem, const struct fleet *fleet, struct gpu_time unit, struct rate rate, struct fleet_told *told)
{
	told->title = title_of(mem, fleet, unit, rate);
	told->period = period_of(mem, fleet);
	told->subtitle = subtitle_of(mem, fleet, told->period, told->order);
	told->counts = counts_of(mem, fleet);
	told->trend = trend_of(mem, fleet);
	told->footnote = footnote_of(mem, fleet, unit);
	told->alt = alt_of(mem, told);
}
