/* words.c - how the report says things; visual.md 13.5 and 13.6. */
#include "report/words.h"

#include "base/number.h"

#include <math.h>

const char *with_stop(struct arena *mem, const char *text)
{
	const size_t n = strlen(text);

	return n && strchr(".!?", text[n - 1]) ? text : arena_print(mem, "%s.", text);
}

const char *joined(struct arena *mem, const char *const *parts, size_t n, const char *between, const char *last)
{
	const char *text = n ? parts[0] : "";

	for (size_t i = 1; i < n; i++)
		text = arena_print(mem, "%s%s%s", text, i + 1 == n ? last : between, parts[i]);
	return text;
}

/* "0–2", "5"; the ASCII report writes a hyphen */
static const char *range_text(struct arena *mem, int from, int to)
{
	return from == to ? arena_print(mem, "%d", from) : arena_print(mem, "%d\342\200\223%d", from, to);
}

/* "0", "2–5" and "7" of one host */
static size_t ranges_of(struct arena *mem, const struct entity *const *gpus, size_t n, const char **parts)
{
	size_t n_parts = 0;

	for (size_t i = 0; i < n;) {
		size_t k = i;
		while (k + 1 < n && gpus[k + 1]->index == gpus[k]->index + 1)
			k++;
		if (k == i + 1) { /* two neighbours read better as two */
			parts[n_parts++] = range_text(mem, gpus[i]->index, gpus[i]->index);
			parts[n_parts++] = range_text(mem, gpus[k]->index, gpus[k]->index);
		} else {
			parts[n_parts++] = range_text(mem, gpus[i]->index, gpus[k]->index);
		}
		i = k + 1;
	}
	return n_parts;
}

/* "GPUs 0, 2–5 and 7" of one host */
static const char *numbers_text(struct arena *mem, const struct entity *const *gpus, size_t n, size_t most)
{
	const char **parts = NEW_ARRAY(mem, const char *, n + 1);
	const size_t n_parts = ranges_of(mem, gpus, n, parts);

	if (n_parts > most)
		return arena_print(mem, "%zu GPUs", n);
	return arena_print(mem, "GPU%s %s", n > 1 ? "s" : "", joined(mem, parts, n_parts, ", ", " and "));
}

#define MOST_RANGES_NAMED ((size_t)8) /* every second one of 16 GPUs; a sentence with more is no sentence */
#define MOST_HOSTS_NAMED 4

static size_t n_on_same_host(const struct entity *const *gpus, size_t n)
{
	size_t k = 1;

	while (k < n && strcmp(gpus[k]->host, gpus[0]->host) == 0)
		k++;
	return k;
}

/* Hosts one after another of which the same is to be said. */
struct same_numbers {
	const char *numbers; /* "GPUs 0–3" */
	const char *hosts[MOST_HOSTS_NAMED]; /* "of node02" */
	size_t n_hosts;
};

/* "GPU 1 of node01, and GPUs 0–3 of node02 and of node03": the same numbers as right before are not said again */
static const char *by_numbers_text(struct arena *mem, const struct same_numbers *sames, size_t n)
{
	const char *parts[MOST_HOSTS_NAMED];
	bool has_pair = false;

	for (size_t i = 0; i < n; i++) {
		parts[i] = arena_print(mem, "%s %s", sames[i].numbers, joined(mem, sames[i].hosts, sames[i].n_hosts, ", ", " and "));
		has_pair |= sames[i].n_hosts > 1;
	}
	return joined(mem, parts, n, ", ", has_pair ? ", and " : " and ");
}

static size_t count_hosts(const struct entity *const *gpus, size_t n)
{
	size_t n_hosts = 0;

	for (size_t i = 0; i < n; i += n_on_same_host(gpus + i, n - i))
		n_hosts++;
	return n_hosts;
}

static const char *by_host_text(struct arena *mem, const struct entity *const *gpus, size_t n, size_t most)
{
	const size_t n_hosts = count_hosts(gpus, n);
	struct same_numbers sames[MOST_HOSTS_NAMED] = { 0 };
	size_t n_sames = 0;

	if (n_hosts > MOST_HOSTS_NAMED)
		return arena_print(mem, "%zu GPUs of %zu hosts", n, n_hosts);
	for (size_t i = 0, k; i < n; i += k) {
		k = n_on_same_host(gpus + i, n - i);
		const char *const numbers = numbers_text(mem, gpus + i, k, most);
		const bool is_count = *numbers != 'G'; /* "12 GPUs", which are twelve of each */
		if (!n_sames || is_count || strcmp(numbers, sames[n_sames - 1].numbers) != 0)
			sames[n_sames++].numbers = numbers;
		struct same_numbers *const same = &sames[n_sames - 1];
		same->hosts[same->n_hosts++] = arena_print(mem, "of %s", *gpus[i]->host ? gpus[i]->host : "an unknown host");
	}
	return by_numbers_text(mem, sames, n_sames);
}

/* Up to so many ranges of GPUs are named of a host. */
static const char *gpus_named(struct arena *mem, const struct run *run, const struct entity *const *gpus, size_t n, size_t most)
{
	if (run->n_gpus == 1)
		return "the GPU";
	if (n == run->n_gpus)
		return n == 2 ? "both GPUs" : arena_print(mem, "all %zu GPUs", n);
	return run->n_hosts < 2 ? numbers_text(mem, gpus, n, most) : by_host_text(mem, gpus, n, most);
}

const char *gpus_text(struct arena *mem, const struct run *run, const struct entity *const *gpus, size_t n)
{
	return gpus_named(mem, run, gpus, n, MOST_RANGES_NAMED);
}

const char *all_gpus_text(struct arena *mem, const struct run *run, const struct entity *const *gpus, size_t n)
{
	return gpus_named(mem, run, gpus, n, SIZE_MAX);
}

/* "node01 and node02", "5 cores" */
static const char *labels_text(struct arena *mem, const struct entity *const *who, size_t n, const char *noun)
{
	const char **const names = NEW_ARRAY(mem, const char *, n);

	if (n > MOST_HOSTS_NAMED)
		return arena_print(mem, "%zu %s", n, noun);
	for (size_t i = 0; i < n; i++)
		names[i] = entity_label(mem, who[i]);
	return joined(mem, names, n, ", ", " and ");
}

const char *who_text(struct arena *mem, const struct run *run, const struct entity *const *who, size_t n)
{
	if (n && who[0] && who[0]->scope == SCOPE_GPU)
		return gpus_text(mem, run, who, n);
	if (n && who[0] && who[0]->scope == SCOPE_CORE)
		return labels_text(mem, who, n, "cores");
	if (run->n_hosts < 2 || !n || !who[0])
		return "the host";
	if (n == run->n_hosts)
		return n == 2 ? "both hosts" : arena_print(mem, "all %zu hosts", n);
	return labels_text(mem, who, n, "hosts");
}

static size_t short_length(const char *host)
{
	return strcspn(host, ".");
}

#define LITTLE_NAME 4 /* letters: "n03" is as short as it should be */

/* How much of its name a host shares with all others, up to a number that must stay whole. */
static size_t shared_prefix(const struct run *run, const char *host)
{
	size_t n = short_length(host);

	if (n <= LITTLE_NAME)
		return 0;
	for (size_t i = 0; i < run->n_hosts; i++) {
		const char *other = run->hosts[i]->host;
		size_t same = 0;
		while (*other && strcmp(other, host) != 0 && same < n && other[same] == host[same])
			same++;
		if (*other && strcmp(other, host) != 0)
			n = same;
	}
	while (n && is_digit(host[n - 1]))
		n--;
	return n < short_length(host) ? n : 0;
}

const char *short_host_text(struct arena *mem, const struct run *run, const char *host)
{
	const size_t skip = shared_prefix(run, host);

	return arena_text(mem, host + skip, short_length(host) - skip);
}

const char *short_label_text(struct arena *mem, const struct run *run, const struct entity *e)
{
	const char *noun = e->scope == SCOPE_HOST ? "CPU" : entity_label(mem, e);

	if (run->n_hosts < 2 || !*e->host)
		return noun;
	const char *mark = short_host_text(mem, run, e->host);
	return e->scope == SCOPE_HOST ? arena_print(mem, "CPU %s", mark) : arena_print(mem, "%s/%d", mark, e->index);
}

const char *label_text(struct arena *mem, const struct run *run, const struct entity *e)
{
	const bool needs_host = run->n_hosts > 1 && *e->host && e->scope != SCOPE_HOST;

	return needs_host ? arena_print(mem, "%s %s", e->host, entity_label(mem, e)) : entity_label(mem, e);
}

const char *hosts_text(struct arena *mem, const struct run *run)
{
	const char **names = NEW_ARRAY(mem, const char *, run->n_hosts + 1);
	size_t n = 0;

	for (size_t i = 0; i < run->n_hosts; i++)
		if (*run->hosts[i]->host)
			names[n++] = run->hosts[i]->host;
	return n > MOST_HOSTS_NAMED ? arena_print(mem, "%zu hosts", n) : joined(mem, names, n, ", ", " and ");
}

static const char *with_first(struct arena *mem, const char *text, char first)
{
	char *copy = arena_text(mem, text, strlen(text));

	copy[0] = first;
	return copy;
}

const char *with_capital(struct arena *mem, const char *text)
{
	return *text >= 'a' && *text <= 'z' ? with_first(mem, text, (char)(*text - 'a' + 'A')) : text;
}

const char *without_capital(struct arena *mem, const char *text)
{
	bool abbreviation = text[0] && text[1] >= 'A' && text[1] <= 'Z';

	return *text >= 'A' && *text <= 'Z' && !abbreviation ? with_first(mem, text, (char)(*text - 'A' + 'a')) : text;
}

const char *all_capitals(struct arena *mem, const char *text)
{
	char *copy = arena_text(mem, text, strlen(text));

	for (char *p = copy; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	return copy;
}

bool same_day(time_ms a, time_ms b)
{
	struct civil x = civil_from_time(a), y = civil_from_time(b);

	return x.year == y.year && x.month == y.month && x.day == y.day;
}

const char *day_text(struct arena *mem, time_ms t)
{
	return arena_print(mem, "%s %s", weekday_names[civil_from_time(t).weekday], time_date(mem, t));
}

/* "Tue 14:00:00", in runs of a week and more, which have several Tuesdays, "10 Mar 14:00:00"; the clock alone on the day of `told`. */
static const char *moment_after(struct arena *mem, const struct run *run, time_ms t, const time_ms *told)
{
	struct civil c = civil_from_time(t);

	if (same_day(run->span.begin, run->span.end) || (told && same_day(*told, t)))
		return time_clock(mem, t);
	if (!run->day_known)
		return arena_print(mem, "%s %s", time_day_number(mem, t), time_clock(mem, t));
	if (span_length(run->span) >= 6 * DAY_MS)
		return arena_print(mem, "%d %s %s", c.day, month_names[c.month - 1], time_clock(mem, t));
	return arena_print(mem, "%s %s", weekday_names[c.weekday], time_clock(mem, t));
}

const char *moment_text(struct arena *mem, const struct run *run, time_ms t)
{
	bool inside = t >= run->span.begin && t <= run->span.end;

	return inside ? moment_after(mem, run, t, NULL) : arena_print(mem, "%s %s", time_date(mem, t), time_clock(mem, t));
}

const char *window_text(struct arena *mem, const struct run *run, struct span s)
{
	return arena_print(mem, "%s - %s", moment_after(mem, run, s.begin, NULL), moment_after(mem, run, s.end, &s.begin));
}

const char *card_window_text(struct arena *mem, const struct run *run, struct span s)
{
	const bool needs_seconds = span_length(run->span) < 10 * MINUTE_MS || span_length(s) < 2 * MINUTE_MS;
	const time_ms half = needs_seconds ? 0 : MINUTE_MS / 2; /* minutes are rounded, as the duration beside them is */
	const time_ms from = s.begin + half;
	const char *begin = moment_after(mem, run, from, NULL), *end = moment_after(mem, run, s.end + half, &from);
	const int seconds = needs_seconds ? 0 : 3; /* ":42" */

	return arena_print(mem, "%.*s\342\200\223%.*s", (int)strlen(begin) - seconds, begin, (int)strlen(end) - seconds, end);
}

const char *elapsed_text(struct arena *mem, time_ms since)
{
	const int64_t s = (since + SECOND_MS / 2) / SECOND_MS; /* as clock times beside it are */

	if (s < 3600)
		return arena_print(mem, "%d:%02d", (int)(s / 60), (int)(s % 60));
	return arena_print(mem, "%lld:%02d:%02d", (long long)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

const char *amount_text(struct arena *mem, double value, int decimals, const char *unit)
{
	return arena_print(mem, "%s%s", number_text(mem, value, decimals), unit);
}

const char *step_text(struct arena *mem, double seconds)
{
	if (seconds > 120)
		return duration_text(mem, seconds);
	double shown = seconds < 9.95 ? round(seconds * 100) / 100 : round(seconds);
	int decimals = shown == round(shown) ? 0 : shown * 10 == round(shown * 10) ? 1 : 2;

	return amount_text(mem, shown, decimals, " s");
}

#define ALL_ROUNDED 0.995 /* of more than that "100 %" is told, which would say that nothing is missing */
#define MOST_SHARE 0.999

const char *present_text(struct arena *mem, double share)
{
	if (share >= 1 || share < ALL_ROUNDED)
		return percent_text(mem, share);
	return quantity_text_as(mem, (struct quantity){ floor(fmin(share, MOST_SHARE) * 1000) / 10, UNIT_PERCENT }, 1);
}
