/* duty.c - how GPU time divides by how busy the GPUs were, and how long each idle spell lasted. */
#include "report/report_parts.h"

#include "base/number.h"
#include "series/chunk.h"
#include "series/cursor.h"

#include <math.h>

#define BAR_WIDTH (100 / DUTY_BARS)
#define IDLE_BELOW 10
#define BUSY_FROM 90
#define NAMED_SHARE 0.02   /* of the time: smaller bars have no number */
#define LITTLE_BUSY 85.0   /* mean from which on a run says nothing here: visual.md 3 */

static const struct {
	time_ms up_to;
	const char *label;
} lengths[DUTY_SPELLS] = {
	{ 10 * SECOND_MS, "up to 10 s" },
	{ MINUTE_MS, "10 s to 1 min" },
	{ 10 * MINUTE_MS, "1 to 10 min" },
	{ INT64_MAX, "over 10 min" },
};

struct duty_sums {
	time_ms bars[DUTY_BARS], spells[DUTY_SPELLS], known;
	size_t counts[DUTY_SPELLS];
};

static void spell_add(struct duty_sums *sums, time_ms length)
{
	size_t k = 0;

	if (length <= 0)
		return;
	while (length > lengths[k].up_to)
		k++;
	sums->spells[k] += length;
	sums->counts[k]++;
}

/* A spell without work that may go on: it ends at a hole. */
struct spell {
	struct duty_sums *sums;
	time_ms length, end;
};

static void spell_end(struct spell *s)
{
	spell_add(s->sums, s->length);
	s->length = 0;
}

/* A value and how long it holds. */
static inline void sample_add(struct spell *s, fixed value, time_ms from, time_ms until)
{
	const int64_t percent = value / FIXED_ONE;
	const bool idle = percent < IDLE_BELOW;

	if (s->length && (!idle || from != s->end))
		spell_end(s);
	s->length += idle ? until - from : 0;
	s->end = until;
	s->sums->bars[percent < 0 ? 0 : percent / BAR_WIDTH < DUTY_BARS ? percent / BAR_WIDTH : DUTY_BARS - 1] += until - from;
	s->sums->known += until - from;
}

/* A chunk that is full: each of its samples holds until the next. */
static void chunk_add(struct spell *s, struct cursor *c, size_t first)
{
	const time_ms *const times = cursor_times(c, first);
	const fixed *const values = cursor_values(c, first);

	for (size_t i = 0; i < CHUNK; i++)
		sample_add(s, values[i], times[i], times[i + 1]);
}

/* Each sample for as long as it holds. */
static void track_add(struct duty_sums *sums, const struct track *t, struct span run)
{
	struct spell spell = { .sums = sums };
	const size_t end = track_seek(t, run.end);
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = track_seek(t, run.begin); i < end;) {
		const struct chunk *const chunk = chunk_from(t, i, end - 1); /* the last one may hold beyond the run */
		if (chunk && chunk->is_full) {
			chunk_add(&spell, &c, i);
			i += CHUNK;
			continue;
		}
		const fixed value = cursor_value(&c, i);
		const time_ms held = cursor_until(&c, i);
		if (value != FIXED_MISSING)
			sample_add(&spell, value, cursor_time(&c, i), held < run.end ? held : run.end);
		else
			spell_end(&spell);
		i++;
	}
	spell_end(&spell);
}

static double hours(time_ms length)
{
	return (double)length / (double)HOUR_MS;
}

static double share_of(const struct duty_sums *sums, size_t from, size_t until)
{
	time_ms sum = 0;

	for (size_t i = from; i < until; i++)
		sum += sums->bars[i];
	return (double)sum / (double)sums->known;
}

static const char *title_of(struct build *b, const struct duty_sums *sums)
{
	const double idle = share_of(sums, 0, IDLE_BELOW / BAR_WIDTH), busy = share_of(sums, BUSY_FROM / BAR_WIDTH, DUTY_BARS);

	if (idle > busy)
		return arena_print(b->mem, "%s of GPU time was spent less than %d %% busy", percent_text(b->mem, idle), IDLE_BELOW);
	return arena_print(b->mem, "%s of GPU time was spent at %d %% busy or more", percent_text(b->mem, busy), BUSY_FROM);
}

static struct duty *duty_of(struct build *b, const struct duty_sums *sums)
{
	struct duty *d = NEW(b->mem, struct duty);

	d->title = arena_print(b->mem, "%s at each busy level", b->unit.name);
	for (size_t i = 0; i < DUTY_BARS; i++) {
		const double share = share_of(sums, i, i + 1);
		d->bars[i] = hours(sums->bars[i]) * b->unit.per_hour;
		d->highest = fmax(d->highest, d->bars[i]);
		d->percents[i] = share >= NAMED_SHARE ? percent_text(b->mem, share) : NULL;
	}
	for (size_t k = 0; k < DUTY_SPELLS; k++)
		d->spells[k] = (struct duty_spell){ lengths[k].label, hours(sums->spells[k]) * b->unit.per_hour,
			sums->counts[k] ? arena_print(b->mem, "%s, %zu\303\227", gpu_time_text(b->mem, b->unit, hours(sums->spells[k])),
						  sums->counts[k])
					: "none" };
	d->note = "Many short spells: input, or GPUs that wait for each other. A few long ones: start-up, stalls, crashes.";
	return d;
}

static const struct duty_sums *sums_of(struct build *b)
{
	struct duty_sums *sums = NEW(b->mem, struct duty_sums);

	for (size_t g = 0; g < b->run->n_gpus; g++) {
		const struct track *t = run_track(b->run, b->run->gpus[g], METRIC_GPU_UTIL);
		if (t)
			track_add(sums, t, b->run->span);
	}
	return sums;
}

#define MANY_GPUS 512 /* more than rows can show: visual.md 9 */

/* The map of how many GPUs are how busy, for runs with so many that rows of a heat map say nothing. */
void build_density(struct build *b)
{
	struct panels panels = panels_new(b);
	const size_t n = b->run->n_gpus;
	const struct duty_sums *sums = n > MANY_GPUS && is_to_be_drawn(b, &b->report->density) ? sums_of(b) : NULL;

	if (!sums || sums->known <= 0)
		return;
	panels_add(b, &panels, PANEL_DENSITY);
	char busy[32];
	number_print(busy, sizeof busy, share_of(sums, BUSY_FROM / BAR_WIDTH, DUTY_BARS) * (double)n, 0);
	b->report->density = (struct figure){ .span = b->run->span, .panels = panels.at, .n_panels = panels.n,
		.title = arena_print(b->mem, "On average %s of %zu GPUs were at least %d %% busy", busy, n, BUSY_FROM),
		.subtitle = "How many GPUs were how busy when. The shade goes by the square root of their number: a single GPU is seen." };
}

/* GPU time was lost in which they were not busy. */
static bool is_about_low_use(const struct draft *d)
{
	return d->costs && d->cost_hours > 0 && rule_needs(d->rule, METRIC_GPU_UTIL);
}

void build_duty(struct build *b)
{
	if (!is_to_be_drawn(b, &b->report->duty))
		return;
	struct panel *panel = NEW(b->mem, struct panel);
	const double mean = mean_of_gpus(b, METRIC_GPU_UTIL, spans_one(&b->run->span));
	if (isnan(mean) || (mean >= LITTLE_BUSY && !b->report->all))
		return;
	const struct duty_sums *sums = sums_of(b);
	if (sums->known <= 0)
		return;
	const struct finding *about = NULL;
	for (size_t f = b->n_ranked; f-- > 0;)
		about = is_about_low_use(b->ranked[f]) ? &b->report->findings[f] : about;
	const char *logged = gpu_time_number(b->mem, b->unit, hours(sums->known)), *plural = b->run->n_gpus > 1 ? "s were" : " was";
	*panel = (struct panel){ .kind = PANEL_DUTY, .title = "GPU busy, %", .duty = duty_of(b, sums) };
	b->report->duty = (struct figure){ .span = b->run->span, .panels = panel, .n_panels = 1, .about = about,
		.title = title_of(b, sums),
		.subtitle = arena_print(b->mem, "How the %s %s that are logged divide by how busy the GPU%s; and how long each idle spell "
						"lasted.", logged, b->unit.name, plural) };
}
