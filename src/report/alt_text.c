/*
 * alt_text.c - each picture in words, for those who can't see it: 60 to 120 of them, in the order in which an eye would go.
 *
 *      Ticket card. Up to 12 % of this run was lost: …                kind of picture and verdict, or its own title
 *      Where the 16.0 GPU-hours went: 12.5 at the run's normal …      the bar, on those that have one
 *      GPU busy is mostly near 97 %, with drops to 10 %. Finding 1…   panels, and the findings that are seen in them
 *      0.7 GPU-h have no log and are hatched.                         holes
 *
 * What must be said is said first; then what matters most while there is room; what only fills is said when little else is there.
 * No number is made here that is not in the report or on the picture.
 */
#include "report/report_parts.h"

#include "base/number.h"

#include <math.h>

#define LEAST_WORDS 60 /* visual.md 12 */
#define MOST_WORDS 120
#define MOST_VERDICT_WORDS 32
#define MOST_SENTENCES 32
#define TOLD_FINDINGS 4

enum rank { ALWAYS, FIRST, SECOND, THIRD, FOURTH, FILLS, N_RANKS };

struct tale { /* sentences in the order in which they are told */
	struct build *b;
	struct {
		const char *text;
		enum rank rank;
		bool told;
	} at[MOST_SENTENCES];
	size_t n;
};

static size_t count_words(const char *text)
{
	size_t n = 0;

	for (bool in_word = false; *text; text++) {
		n += *text != ' ' && !in_word;
		in_word = *text != ' ';
	}
	return n;
}

static void say(struct tale *t, enum rank rank, const char *text)
{
	if (!text || !*text || t->n == MOST_SENTENCES)
		return;
	t->at[t->n].text = with_stop(t->b->mem, text);
	t->at[t->n++].rank = rank;
}

static const char *tale_told(struct tale *t)
{
	const char *text = "";
	size_t words = 0;

	for (int rank = ALWAYS; rank < N_RANKS; rank++)
		for (size_t i = 0; i < t->n; i++) {
			const size_t more = count_words(t->at[i].text);
			const bool fits = rank == ALWAYS || words + more <= MOST_WORDS;
			if ((int)t->at[i].rank != rank || !fits || (rank == FILLS && words >= LEAST_WORDS))
				continue;
			t->at[i].told = true;
			words += more;
		}
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].told)
			text = arena_print(t->b->mem, "%s%s%s", text, *text ? " " : "", t->at[i].text);
	return text;
}

/* Up to the first full stop with a blank behind it. */
static const char *first_sentence(struct build *b, const char *text)
{
	const char *stop = strstr(text, ". ");

	return stop ? arena_text(b->mem, text, (size_t)(stop - text) + 1) : text;
}

/* "62.4 GiB, 78 %" of "peak 62.4 GiB, 78 %": what a label says behind its first word. */
static const char *behind_word(const char *label)
{
	const char *blank = label ? strchr(label, ' ') : NULL;

	return blank ? blank + 1 : "";
}

/* "09:44 to 10:00": a dash between numbers is not read aloud. */
static const char *spoken(struct build *b, const char *text)
{
	static const char dash[] = "\342\200\223";
	const char *out = "", *at;

	for (; (at = strstr(text, dash)); text = at + strlen(dash))
		out = arena_print(b->mem, "%s%.*s to ", out, (int)(at - text), text);
	return arena_print(b->mem, "%s%s", out, text);
}

/* ---- the verdict and the bar ---- */

/* A long one up to a comma: "…: 12 GPUs of 12 hosts overheated, among others" */
static const char *verdict_words(struct build *b)
{
	const char *text = b->report->verdict.sentence;

	if (count_words(text) <= MOST_VERDICT_WORDS)
		return text;
	text = first_sentence(b, text);
	if (count_words(text) <= MOST_VERDICT_WORDS)
		return text;
	char *cut = arena_print(b->mem, "%s", text);
	for (char *comma = strrchr(cut, ','); comma && count_words(cut) + 2 > MOST_VERDICT_WORDS; comma = strrchr(cut, ','))
		*comma = '\0';
	return arena_print(b->mem, "%s, among others", cut);
}

#define MOST_ROWS ((size_t)5)

/* "at most 145 in finding 1, waiting for a slow GPU", "56 for start and end" */
static const char *row_words(struct build *b, const struct ledger_row *row)
{
	const bool is_little = row->hours_text[0] == '<';
	const char *hours = row->hours_text + is_little, *before = is_little ? "less than " : row->upper_bound ? "at most " : "";

	if (row->kind == LEDGER_FINDING && row->finding)
		return arena_print(b->mem, "%s%s in finding %zu, %s", before, hours, row->finding, row->short_label);
	const char *of = row->kind == LEDGER_OVERHEAD ? "for " : row->kind == LEDGER_NO_LOG ? "with " : "";
	return arena_print(b->mem, "%s%s %s%s", before, hours, of, row->short_label);
}

/* Is it one of the few that are told by name? The first, and of the others the largest. */
static bool is_named(const struct report *r, size_t row)
{
	const double hours = r->ledger[row].gpu_hours;
	size_t n_larger = 0;

	for (size_t i = 1; row && i < r->n_ledger; i++) /* of equal ones the first come first */
		n_larger += r->ledger[i].gpu_hours > hours || (i < row && r->ledger[i].gpu_hours >= hours);
	return r->n_ledger <= MOST_ROWS || n_larger + 2 < MOST_ROWS;
}

static const char *split_words(struct build *b)
{
	const struct report *r = b->report;
	const char **rows = NEW_ARRAY(b->mem, const char *, MOST_ROWS);
	size_t n = 0;

	for (size_t i = 0; r->has_ledger && i < r->n_ledger; i++)
		if (is_named(r, i))
			rows[n++] = row_words(b, &r->ledger[i]);
	if (!n)
		return NULL;
	if (n < r->n_ledger)
		rows[n] = arena_print(b->mem, "the rest in %zu smaller parts", r->n_ledger - n);
	return arena_print(b->mem, "Where the %s went: %s", r->gpu_time_text, joined(b->mem, rows, n + (n < r->n_ledger), "; ", "; "));
}

/* ---- how a line runs ---- */

#define LEVEL 10.0 /* points: what differs by less looks level */

#define SELDOM 0.25 /* of the time between low and high, by the mean: else it is no level */

/*
 * Of percents, over the tracks of a panel: their lowest 5th, lowest and highest 50th, highest 95th percentile, as the table of statistics
 * has them; and whether there is more beyond.
 */
struct course {
	double low, level_low, level_high, high, least, most, sum, known;
};

static void course_add(struct course *c, const struct stats *s)
{
	if (!s->known)
		return;
	c->low = fmin(c->low, s->p5); /* fmin and fmax pass over NAN */
	c->level_low = fmin(c->level_low, s->p50);
	c->level_high = fmax(c->level_high, s->p50);
	c->high = fmax(c->high, s->p95);
	c->least = fmin(c->least, s->min);
	c->most = fmax(c->most, s->max);
	c->sum += s->mean * (double)s->known;
	c->known += (double)s->known;
}

/* Whole, as the table of statistics has it. */
static const char *percent(struct build *b, double value)
{
	return amount_text(b->mem, value, 0, " %");
}

static const char *level_words(struct build *b, const struct course *c)
{
	char low[32];

	number_print(low, sizeof low, c->level_low, 0);
	if (round(c->level_low) == round(c->level_high))
		return percent(b, c->level_low);
	return arena_print(b->mem, "%s to %s", low, percent(b, c->level_high));
}

/* "is mostly near 97 %, with drops to 10 %" */
static const char *course_words(struct build *b, const struct course *c)
{
	const double mean = c->sum / c->known, seldom = SELDOM * (c->high - c->low);
	const bool rests_high = c->high - c->level_low <= LEVEL && c->high - mean <= seldom;
	const bool rests_low = c->level_high - c->low <= LEVEL && mean - c->low <= seldom;

	if (isnan(c->low))
		return "is not known";
	if (c->high - c->low <= LEVEL)
		return arena_print(b->mem, "is level at %s", level_words(b, c));
	if (rests_high)
		return arena_print(b->mem, "is mostly near %s, with drops to %s%s", level_words(b, c), percent(b, c->low),
			round(c->least) < round(c->low) ? " and below" : "");
	if (rests_low)
		return arena_print(b->mem, "is mostly near %s, with rises to %s%s", level_words(b, c), percent(b, c->high),
			round(c->most) > round(c->high) ? " and above" : "");
	return arena_print(b->mem, "swings between %s and %s", percent(b, c->low), percent(b, c->high));
}

static struct course course_of(struct build *b, const struct track *const *tracks, size_t n)
{
	struct course c = { NAN, NAN, NAN, NAN, NAN, NAN, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		const struct stats s = tracks[i] ? stats_of(b, tracks[i], spans_one(&b->run->span)) : (struct stats){ 0 };
		course_add(&c, &s);
	}
	return c;
}

/* ---- panels ---- */

static const char *busy_words(struct build *b, const struct panel *p)
{
	const struct course gpus = course_of(b, p->gpus, p->n_gpus);

	if (!*p->label.statistic)
		return NULL;
	return arena_print(b->mem, "GPU busy %s, %s on average", course_words(b, &gpus), behind_word(p->label.statistic));
}

static const char *cpu_words(struct build *b, const struct panel *p)
{
	const struct course cpu = course_of(b, &p->cpu, 1);
	const bool is_mean = p->cpu && strncmp(p->cpu_label.name, "CPU", 3) == 0;

	return p->cpu ? arena_print(b->mem, "%s %s", is_mean ? "CPU busy" : "The busiest core", course_words(b, &cpu)) : NULL;
}

/* " of the capacity of 79.6 GiB"; "" without a threshold */
static const char *threshold_words(struct build *b, const struct panel *p, const char *before)
{
	return p->n_thresholds ? arena_print(b->mem, "%s%s", before, behind_word(p->thresholds[0].text)) : "";
}

#define NEARLY 0.95 /* of the peak */

static const char *memory_words(struct build *b, const struct panel *p)
{
	const struct course c = course_of(b, p->gpus, p->n_gpus);
	const bool is_level = c.level_high >= NEARLY * max_of_gpus(b, METRIC_GPU_MEM_USED);
	const char *words = arena_print(b->mem, "Memory%s %s %s%s", p->n_gpus > 1 ? " of the fullest GPU" : "",
		is_level ? "stays near" : "rises to", behind_word(p->label.statistic), threshold_words(b, p, " of the capacity of "));

	return p->room.text ? arena_print(b->mem, "%s; %s", words, p->room.text) : words;
}

static const char *host_memory_words(struct build *b, const struct panel *p)
{
	const struct course c = course_of(b, p->gpus, p->n_gpus);

	return arena_print(b->mem, "Memory that programs hold on %s goes from %s up to %s", p->n_gpus > 1 ? "the hosts" : "the host",
		percent(b, c.least), percent(b, c.most));
}

/* "in finding 2 GPU 3 averages 88 °C, GPU 5 87 °C and the others 66 °C"; NULL: no line is told in that finding */
static const char *averages_in(struct build *b, const struct panel *p, const struct finding *in, const char *verb)
{
	const char **parts = NEW_ARRAY(b->mem, const char *, p->n_singled + 1);
	size_t n = 0;

	for (size_t i = 0; i <= p->n_singled; i++) {
		const bool is_other = i == p->n_singled, are_several = is_other && p->n_gpus - p->n_singled > 1;
		const struct panel_label label = is_other ? p->others : p->singled[i].label;
		const char *const statistic = label.statistic, *const end = statistic ? strstr(statistic, " in") : NULL;
		if (!end || (is_other ? p->others_in : p->singled[i].in) != in)
			continue;
		parts[n] = arena_print(b->mem, "%s%s %.*s", are_several ? "the others" : label.name, n ? "" : verb,
			(int)(end - statistic), statistic);
		n++;
	}
	return n ? arena_print(b->mem, "in finding %zu %s", in->number, joined(b->mem, parts, n, ", ", " and ")) : NULL;
}

/* "in finding 1 GPU 6 averages 62 °C and the others 65 °C; in finding 2 GPU 2 87 °C": each line in the finding that its label names. */
static const char *singled_words(struct build *b, const struct panel *p)
{
	const char *words = averages_in(b, p, p->others_in, " averages");

	for (size_t i = 0; i < p->n_singled; i++) {
		bool is_told = p->singled[i].in == p->others_in;
		for (size_t k = 0; k < i; k++)
			is_told |= p->singled[k].in == p->singled[i].in;
		const char *const more = is_told ? NULL : averages_in(b, p, p->singled[i].in, words ? "" : " averages");
		if (more)
			words = words ? arena_print(b->mem, "%s; %s", words, more) : more;
	}
	return words;
}

static const char *line_words(struct build *b, const struct panel *p, const char *words, const char *name)
{
	const char *singled = p->n_singled ? singled_words(b, p) : NULL;

	return singled ? arena_print(b->mem, "%s: %s", name, singled) : words;
}

static const char *temperature_words(struct build *b, const struct panel *p)
{
	char mean[32];

	number_print(mean, sizeof mean, mean_of_gpus(b, METRIC_GPU_TEMP, spans_one(&b->run->span)), 0);
	const char *words = arena_print(b->mem, "Temperature averages %s \302\260C and reaches %s%s", mean, behind_word(p->label.statistic),
		p->n_gpus > 1 ? " on the hottest GPU" : "");
	return arena_print(b->mem, "%s%s", line_words(b, p, words, "Temperature"), threshold_words(b, p, "; slowdown begins at "));
}

static const char *margin_words(struct build *b, const struct panel *p)
{
	const char *words = arena_print(b->mem, "At least %s are left before a GPU slows down", behind_word(p->label.statistic));

	return line_words(b, p, words, "Degrees left before slowdown");
}

static const char *power_words(struct build *b, const struct panel *p)
{
	const char *mean = behind_word(p->label.statistic);
	const int n = (int)strcspn(mean, ",");
	const char *words = arena_print(b->mem, "Power averages %.*s%s%s%s", n, mean, p->n_gpus > 1 ? " a GPU" : "", mean + n,
		threshold_words(b, p, " of the limit of "));

	if (!p->n_singled)
		return words;
	return arena_print(b->mem, "%s%s", line_words(b, p, words, "Power"), threshold_words(b, p, "; the limit is "));
}

static const char *clock_words(struct build *b, const struct panel *p)
{
	if (!p->n_singled && !*p->label.statistic)
		return NULL;
	const char *who = p->n_gpus > 1 ? "GPUs are busy, their SM clock" : "the GPU is busy, its SM clock";
	const char *least = behind_word(p->label.statistic), *most = threshold_words(b, p, "");
	if (!p->n_singled && strcmp(least, most) == 0)
		return arena_print(b->mem, "While %s stays at the maximum of %s", who, most);
	const char *words = arena_print(b->mem, "While %s is %s at the lowest", who, least);
	return arena_print(b->mem, "%s%s", line_words(b, p, words, "SM clock"), threshold_words(b, p, ", of at most "));
}

static const char *heat_words(struct build *b, const struct panel *p)
{
	const bool is_power = strcmp(p->title, "Power per GPU") == 0;
	const char *what = is_power ? "of its power limit" : "busy";
	const struct extremes e = extreme_means(b, p, NULL);
	const char *map = is_power ? "In the power map" : arena_print(b->mem, "The map of busy has a row for each of %zu GPUs;", p->n_gpus);
	if (e.high - e.low <= ALIKE)
		return arena_print(b->mem, "%s %s look alike", map, is_power ? "all rows" : "they");
	return arena_print(b->mem, "%s %s is highest with %s %s on average, %s lowest with %s", map, b->report->run.gpus[e.most].label,
		percent(b, e.high), what, b->report->run.gpus[e.least].label, percent(b, e.low));
}

/* "heat on GPUs 3 and 5"; NULL: no GPU has such a note */
static const char *held_words(struct build *b, const struct panel *p, const char *note, const char *what)
{
	const struct entity **gpus = NEW_ARRAY(b->mem, const struct entity *, p->n_gpus);
	const char *only = NULL;
	size_t n = 0;

	for (size_t g = 0; g < p->n_gpus; g++) {
		if (!p->row_notes[g] || strncmp(p->row_notes[g], note, strlen(note)) != 0)
			continue;
		gpus[n++] = b->run->gpus[g];
		only = behind_word(p->row_notes[g]);
	}
	if (!n)
		return NULL;
	return arena_print(b->mem, "%s on %s%s%s", what, gpus_text(b->mem, b->run, gpus, n), n == 1 ? " for " : "", n == 1 ? only : "");
}

static const char *throttle_words(struct build *b, const struct panel *p)
{
	const char *parts[3];
	size_t n = 0;

	parts[n] = held_words(b, p, "hot", "heat");
	n += parts[n] != NULL;
	parts[n] = held_words(b, p, "slowed", "a power brake or hardware slowdown");
	n += parts[n] != NULL;
	parts[n] = held_words(b, p, "capped", "power or a setting");
	n += parts[n] != NULL;
	return n ? arena_print(b->mem, "A strip shows what held clocks down: %s", joined(b->mem, parts, n, ", ", "; ")) : NULL;
}

static const char *phases_words(struct build *b, const struct panel *p)
{
	const struct report *r = b->report;
	const char **names = NEW_ARRAY(b->mem, const char *, r->n_phases);
	size_t n = 0;

	(void)p;
	for (size_t i = 0; i < r->n_phases; i++) {
		bool is_new = r->phases[i].label;
		for (size_t k = 0; k < n && is_new; k++)
			is_new = strcmp(names[k], r->phases[i].label) != 0;
		if (is_new)
			names[n++] = r->phases[i].label;
	}
	return n > 1 ? arena_print(b->mem, "A strip marks the phases: %s", joined(b->mem, names, n, ", ", " and ")) : NULL;
}

static const char *density_words(struct build *b, const struct panel *p)
{
	return arena_print(b->mem, "Each column of the map tells, from idle below to fully busy above, how many of the %zu GPUs are at "
		"that level", p->n_gpus);
}

#define TOLD_BARS ((size_t)4)

/* "The tallest bars: 0 to 5 % busy with 60 % of the time and 80 to 85 % busy with 40 %" */
static const char *bars_words(struct build *b, const struct duty *d)
{
	const char *parts[TOLD_BARS];
	bool told[DUTY_BARS] = { false };
	size_t n = 0;

	for (; n < TOLD_BARS; n++) {
		size_t tallest = DUTY_BARS;
		for (size_t i = 0; i < DUTY_BARS; i++)
			if (d->percents[i] && !told[i] && (tallest == DUTY_BARS || d->bars[i] > d->bars[tallest]))
				tallest = i;
		if (tallest == DUTY_BARS)
			break;
		told[tallest] = true;
		parts[n] = arena_print(b->mem, "%s of the time at %zu to %zu %%", d->percents[tallest], tallest * 100 / DUTY_BARS,
			(tallest + 1) * 100 / DUTY_BARS);
	}
	if (!n)
		return NULL;
	return arena_print(b->mem, "The tallest bar%s of GPU busy: %s", plural_s(n), joined(b->mem, parts, n, ", ", " and "));
}

/* "Idle were 180 GPU-s in 30 spells (up to 10 s) and 20 GPU-s in 1 spell (10 s to 1 min)" */
static const char *spells_words(struct build *b, const struct duty *d)
{
	static const char times[] = "\303\227", comma[] = ", ";
	const char *parts[DUTY_SPELLS];
	size_t n = 0;

	for (size_t i = 0; i < DUTY_SPELLS; i++) { /* of "180 GPU-s, 30×" */
		const char *text = d->spells[i].text, *count = strstr(text, comma), *end = strstr(text, times);
		if (!count || !end)
			continue;
		const int digits = (int)(end - count) - (int)strlen(comma);
		count += strlen(comma);
		parts[n++] = arena_print(b->mem, "%.*s in %.*s spell%s (%s)", (int)(count - text) - (int)strlen(comma), text, digits, count,
			digits == 1 && *count == '1' ? "" : "s", d->spells[i].label);
	}
	return n ? arena_print(b->mem, "Idle were %s", joined(b->mem, parts, n, ", ", " and ")) : "There are no idle spells";
}

static const char *duty_words(struct build *b, const struct panel *p)
{
	const char *bars = bars_words(b, p->duty);

	return arena_print(b->mem, "%s%s%s", bars ? bars : "", bars ? ". " : "", spells_words(b, p->duty));
}

static const char *panel_words(struct build *b, const struct panel *p)
{
	static const char *(*const words[N_PANEL_KINDS])(struct build *, const struct panel *) = {
		[PANEL_BUSY] = busy_words,
		[PANEL_MEMORY] = memory_words,
		[PANEL_TEMPERATURE] = temperature_words,
		[PANEL_MARGIN] = margin_words,
		[PANEL_POWER] = power_words,
		[PANEL_CLOCK] = clock_words,
		[PANEL_HOST_MEMORY] = host_memory_words,
		[PANEL_HEAT] = heat_words,
		[PANEL_THROTTLE] = throttle_words,
		[PANEL_PHASES] = phases_words,
		[PANEL_DENSITY] = density_words,
		[PANEL_DUTY] = duty_words,
	};

	return words[p->kind](b, p);
}

/* ---- the whole ---- */

/* "Finding 1, 09:44 to 10:00: GPU busy 47 % while the CPUs ran at 97 %." */
static const char *finding_words(struct build *b, const struct finding *f)
{
	return arena_print(b->mem, "Finding %zu, %s", f->number, spoken(b, first_sentence(b, f->card_text)));
}

static void say_findings(struct tale *t)
{
	static const enum rank ranks[TOLD_FINDINGS] = { FIRST, SECOND, FOURTH, FOURTH };

	for (size_t i = 0; i < t->b->report->n_findings && i < TOLD_FINDINGS; i++)
		say(t, ranks[i], finding_words(t->b, &t->b->report->findings[i]));
}

/* Of a run without findings what else is seen. */
static void say_remarks(struct tale *t)
{
	for (size_t i = 0; i < t->b->report->n_remarks; i++)
		say(t, SECOND, spoken(t->b, t->b->report->remarks[i].text));
}

static enum rank rank_of(const struct panel *p, bool has_bar, size_t n_lines)
{
	switch (p->kind) {
	case PANEL_BUSY:
	case PANEL_DUTY:
		return ALWAYS;
	case PANEL_PHASES:
		return FILLS;
	case PANEL_HEAT:
		return has_bar ? FOURTH : FIRST;
	default:
		return !has_bar ? FIRST : n_lines <= 1 ? SECOND : n_lines <= 2 ? THIRD : FOURTH;
	}
}

static void say_panels(struct tale *t, const struct figure *figure, bool has_bar)
{
	size_t n_lines = 0;

	for (size_t i = 0; i < figure->n_panels; i++) {
		const struct panel *p = &figure->panels[i];
		n_lines += p->kind != PANEL_BUSY && p->kind != PANEL_PHASES;
		if (p->kind == PANEL_MARGIN && !figure->about && !has_bar)
			continue; /* the subtitle tells it */
		say(t, rank_of(p, has_bar, n_lines), panel_words(t->b, p));
		if (p->kind != PANEL_BUSY)
			continue;
		say(t, *p->label.statistic ? SECOND : ALWAYS, cpu_words(t->b, p));
		if (has_bar) {
			say_findings(t);
			say_remarks(t);
		}
	}
}

/* Where there is no time there is nothing to hatch. */
static void say_holes(struct tale *t, bool has_time)
{
	struct build *b = t->b;

	if (has_unlogged_time(b))
		say(t, ALWAYS, arena_print(b->mem, "%s have no log%s", gpu_time_text(b->mem, b->unit, b->unlogged_hours),
			has_time ? " and are hatched" : ""));
}

static void say_time(struct tale *t)
{
	const struct report *r = t->b->report;
	struct build *b = t->b;

	say(t, ALWAYS, arena_print(b->mem, "Time runs from %s to %s %s", moment_text(b->mem, b->run, r->run.begin),
		moment_text(b->mem, b->run, r->run.end), r->time_basis));
}

/* How lines and bands are to be read. */
static const char *reading_words(struct build *b)
{
	const size_t n = b->run->n_gpus;

	if (n < 2)
		return "Lines are means; the band of GPU busy spans the lowest to the highest sample";
	return arena_print(b->mem, "The line of GPU busy is the mean of %zu GPUs; %s", n,
		n > 16 ? "its dark band holds the middle 80 % of them, its light band all"
		       : "its band spans the least to the most busy one");
}

/* "Key figures: 76 % GPU busy, mean; 61 °C hottest GPU" */
static const char *key_words(struct build *b)
{
	const struct report *r = b->report;
	const char **parts = NEW_ARRAY(b->mem, const char *, r->n_key_figures);

	for (size_t i = 0; i < r->n_key_figures; i++)
		parts[i] = arena_print(b->mem, "%s %s", r->key_figures[i].value, r->key_figures[i].caption);
	return r->n_key_figures ? arena_print(b->mem, "Key figures: %s", joined(b->mem, parts, r->n_key_figures, "; ", "; ")) : NULL;
}

static const char *alt_of(struct build *b, const struct picture *picture, const struct figure *figure)
{
	struct tale t = { .b = b };
	const bool has_bar = !figure->title, is_card = figure == &b->report->card, has_time = figure->panels[0].kind != PANEL_DUTY;
	const char *title = has_bar ? verdict_words(b) : spoken(b, figure->title);

	say(&t, ALWAYS, arena_print(b->mem, "%s. %s", picture->kind, title));
	say(&t, is_card ? FOURTH : FILLS, is_card ? key_words(b) : NULL);
	say(&t, has_bar ? ALWAYS : FILLS, split_words(b));
	say(&t, FIRST, figure->subtitle ? spoken(b, figure->subtitle) : NULL);
	if (has_time)
		say_time(&t);
	say_panels(&t, figure, has_bar);
	if (figure->about && !has_bar)
		say(&t, SECOND, finding_words(b, figure->about));
	say_holes(&t, has_time);
	say(&t, FILLS, has_bar ? reading_words(b) : b->report->verdict.sentence);
	say(&t, FILLS, b->report->run_text);
	return tale_told(&t);
}

void build_alt_texts(struct build *b)
{
	for (size_t i = 0; i < b->report->n_charts; i++) {
		struct report_chart *c = &b->report->charts[i];
		const struct picture *picture = picture_find(c->file);
		const struct figure *figure = report_figure(b->report, c->file);
		c->title = figure->title ? figure->title : b->report->verdict.sentence;
		c->alt = alt_of(b, picture, figure);
	}
}
