/*
 * host.c - which host a log was written on, when a run has several.
 *
 *     --host gpu.csv=node07                    what the user says
 *     Linux 6.18.44 (node01.cluster) ...       what the log says, of all its rows or of some
 *     node01-gpu.csv  node02-gpu.csv           names that differ in a number, of logs that can't be of one host
 *     node01/gpu.csv  node02/gpu.csv
 *     gpu_node01.csv  vmstat_node02.txt        or of any logs, where what is numbered is called as hosts are
 *     gpu.csv beside mpstat.txt of node02      the folder it lies in, when that is of one host
 *     gpu.csv, when all others are of node01   the only host
 *
 * nvidia-smi never names its host, so the lower lines are for its logs. Where they leave several hosts open the log
 * stays apart, and --host is asked for: GPU 0 of one node must not be judged by the cores of another.
 * "node01" and "node01.cluster" are one host; the short name is used.
 */
#include "run/run_parts.h"

#include "metric/identity.h"

/* "node01" and "node01.cluster"; two long names must be equal. */
static bool is_same_host(const char *a, const char *b)
{
	const struct slice x = slice_of(a), y = slice_of(b), short_x = host_short_name(x), short_y = host_short_name(y);

	if (short_x.n < x.n && short_y.n < y.n)
		return strcmp(a, b) == 0;
	return short_x.n == short_y.n && memcmp(short_x.p, short_y.p, short_x.n) == 0;
}

struct hosts { /* the names in use; one a host */
	struct arena *mem;
	const char **at;
	size_t n;
};

/* The name in use of this host, which is the shorter one; entered if it is new. */
static const char *host_enter(struct hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->n; i++) {
		if (!is_same_host(hosts->at[i], name))
			continue;
		if (strlen(name) < strlen(hosts->at[i]))
			hosts->at[i] = name;
		return hosts->at[i];
	}
	hosts->at = arena_array_next(hosts->mem, hosts->at, hosts->n, sizeof *hosts->at);
	return hosts->at[hosts->n++] = name;
}

static bool is_named(const char *host)
{
	return host && *host && strcmp(host, "localhost") != 0 && strcmp(host, "(none)") != 0;
}

/* What the user or the log says; NULL when neither does. Rows of hosts of their own keep them, unless the user knows better. */
static const char *name_given(const struct run *run, const struct recording *rec)
{
	const char *option = file_option_for(run->host_names, rec->path);

	if (option)
		return option;
	return is_named(rec->host) ? rec->host : NULL;
}

static void enter_given(struct run *run, struct hosts *hosts)
{
	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *rec = run->recordings[r];
		rec->of_host = name_given(run, rec);
		if (rec->of_host)
			host_enter(hosts, rec->of_host);
		for (size_t i = 0; i < rec->n_channels; i++)
			if (is_named(rec->channels[i].entity.host))
				host_enter(hosts, rec->channels[i].entity.host);
	}
}

/* The folder's own name; empty for a file without one. */
static struct slice folder_of(const char *path)
{
	size_t end = (size_t)(path_name(path) - path), begin;

	while (end && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	return (struct slice){ path + begin, end - begin };
}

static bool is_same_folder(const struct recording *a, const struct recording *b)
{
	const size_t n = (size_t)(path_name(a->path) - a->path), m = (size_t)(path_name(b->path) - b->path);

	return n == m && memcmp(a->path, b->path, n) == 0;
}

/* What is numbered without being a host. */
static bool is_no_host(struct slice stem)
{
	static const char *const words[] = { "gpu", "cpu", "core", "run", "job", "task", "rank", "log", "part", "test", "trial", "exp",
		"day", "week", "seed", "step", "epoch", "version", "v", "try", "attempt", "phase", "device", "card", "mig", "slot", "smi" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (slice_is_nocase(stem, words[i]))
			return true;
	return false;
}

/* The part in which two texts differ: of each what is left between what both begin and what both end with. */
static void trim_what_is_alike(struct slice *a, struct slice *b)
{
	while (a->n && b->n && *a->p == *b->p) {
		a->p++, a->n--;
		b->p++, b->n--;
	}
	while (a->n && b->n && a->p[a->n - 1] == b->p[b->n - 1]) {
		a->n--;
		b->n--;
	}
}

static bool is_number_or_nothing(struct slice text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.p[i]))
			return false;
	return true;
}

/* "node" before the number of "gpu_node-01". */
static struct slice word_before(struct slice text, size_t number)
{
	const size_t end = number && (text.p[number - 1] == '-' || text.p[number - 1] == '_') ? number - 1 : number;
	size_t begin = end;

	while (begin && is_letter(text.p[begin - 1]))
		begin--;
	return (struct slice){ text.p + begin, end - begin };
}

bool names_differ_in_number(struct slice a, struct slice b, struct slice *word, struct slice *number)
{
	struct slice of_a = a, of_b = b;

	trim_what_is_alike(&of_a, &of_b);
	if ((!of_a.n && !of_b.n) || !is_number_or_nothing(of_a) || !is_number_or_nothing(of_b))
		return false;
	size_t from = (size_t)(of_a.p - a.p), end = from + of_a.n;
	while (end < a.n && is_digit(a.p[end]))
		end++;
	while (from && is_digit(a.p[from - 1]))
		from--;
	if (from == end) /* one has a number, the other none: "gpu.csv" and "gpu2.csv" */
		return false;
	*word = word_before(a, from);
	*number = (struct slice){ a.p + from, end - from };
	return true;
}

/* "node01-gpu.csv" of "node01-gpu.csv" and "node02-gpu.csv" gives "node01". */
static bool host_in_name(struct slice a, struct slice b, struct slice *host)
{
	struct slice word, number;

	if (!names_differ_in_number(a, b, &word, &number))
		return false;
	*host = (struct slice){ word.p, (size_t)(number.p + number.n - word.p) };
	return word.n && !is_no_host(word);
}

/* Both tell of the same GPU number, or of a host as a whole: then one of them is of another host, or they say the same twice. */
static bool tell_of_the_same(const struct recording *a, const struct recording *b)
{
	for (size_t i = 0; i < a->n_channels; i++) {
		for (size_t k = 0; k < b->n_channels; k++) {
			const struct entity *x = &a->channels[i].entity, *y = &b->channels[k].entity;
			if (x->scope != y->scope || x->index != y->index)
				continue;
			return !x->uuid || !y->uuid || strcmp(x->uuid, y->uuid) != 0;
		}
	}
	return false;
}

/* By the names of files or folders, where several follow one pattern. */
static const char *name_by_pattern(struct run *run, const struct recording *rec)
{
	for (size_t r = 0; r < run->n_recordings; r++) {
		const struct recording *other = run->recordings[r];
		struct slice host;
		if (other == rec || other->format != rec->format || !tell_of_the_same(rec, other))
			continue;
		if (host_in_name(folder_of(rec->path), folder_of(other->path), &host) ||
			(is_same_folder(rec, other) && host_in_name(slice_of(rec->name), slice_of(other->name), &host)))
			return arena_text(run->mem, host.p, host.n);
	}
	return NULL;
}

/* What hosts are called, or end with, as "gpunode" does. */
static bool is_host_word(struct slice word)
{
	static const char *const words[] = { "node", "host", "server", "machine", "dgx", "hgx", "nid" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t n = strlen(words[i]);
		if (word.n >= n && slice_is_nocase((struct slice){ word.p + word.n - n, n }, words[i]))
			return true;
	}
	return false;
}

/* The first number in the text that is one of hosts, with the word before it: "node01" of "gpu_node01.csv". */
static bool host_told(struct slice text, struct slice *word, struct slice *number)
{
	for (size_t from = 0, end; from < text.n; from = end) {
		while (from < text.n && !is_digit(text.p[from]))
			from++;
		for (end = from; end < text.n && is_digit(text.p[end]);)
			end++;
		*word = word_before(text, from);
		*number = (struct slice){ text.p + from, end - from };
		if (number->n && is_host_word(*word))
			return true;
	}
	return false;
}

static bool host_told_by_path(const struct recording *rec, struct slice *word, struct slice *number)
{
	return host_told(slice_of(rec->name), word, number) || host_told(folder_of(rec->path), word, number);
}

/* "01" and "1" are one number. */
static struct slice without_zeros(struct slice number)
{
	while (number.n > 1 && *number.p == '0')
		number.p++, number.n--;
	return number;
}

static bool show_one_gpu(const struct recording *a, const struct recording *b)
{
	for (size_t i = 0; i < a->n_channels; i++)
		for (size_t k = 0; k < b->n_channels; k++)
			if (a->channels[i].entity.uuid && b->channels[k].entity.uuid &&
				strcmp(a->channels[i].entity.uuid, b->channels[k].entity.uuid) == 0)
				return true;
	return false;
}

/* "node" and two numbers, of which zeros in front are none. */
static bool are_two_of_a_word(struct slice word, struct slice number, struct slice its_word, struct slice its_number)
{
	return slice_same(word, its_word) && !slice_same(without_zeros(number), without_zeros(its_number));
}

/*
 * By what its path calls a host, where another host is called so by the path of another log, of whatever kind, or known already:
 * gpu_node01.csv and vmstat_node02.txt, or mpstat.txt of node02.
 */
static const char *name_by_host_word(struct run *run, const struct hosts *hosts, const struct recording *rec)
{
	struct slice word, number, its_word, its_number;
	bool is_told = false;

	if (!host_told_by_path(rec, &word, &number))
		return NULL;
	for (size_t i = 0; i < hosts->n && !is_told; i++)
		is_told = host_told(host_short_name(slice_of(hosts->at[i])), &its_word, &its_number) &&
			  are_two_of_a_word(word, number, its_word, its_number);
	for (size_t r = 0; r < run->n_recordings && !is_told; r++) {
		const struct recording *const other = run->recordings[r];
		is_told = other != rec && host_told_by_path(other, &its_word, &its_number) &&
			  are_two_of_a_word(word, number, its_word, its_number) && !show_one_gpu(rec, other);
	}
	return is_told ? arena_text(run->mem, word.p, (size_t)(number.p + number.n - word.p)) : NULL;
}

/* Does the name stand in the text as a word of its own? */
static bool has_word(struct slice text, struct slice word)
{
	for (size_t i = 0; i + word.n <= text.n; i++) {
		const bool begins = !i || !(is_letter(text.p[i - 1]) || is_digit(text.p[i - 1]));
		const size_t end = i + word.n;
		const bool ends = end == text.n || !(is_letter(text.p[end]) || is_digit(text.p[end]));
		if (begins && ends && memcmp(text.p + i, word.p, word.n) == 0)
			return true;
	}
	return false;
}

/* The only known host that is named in the file's or the folder's name. */
static const char *name_by_word(const struct hosts *hosts, const struct recording *rec)
{
	const char *found = NULL;

	for (size_t i = 0; i < hosts->n; i++) {
		const struct slice word = host_short_name(slice_of(hosts->at[i]));
		if (!has_word(slice_of(rec->name), word) && !has_word(folder_of(rec->path), word))
			continue;
		if (found)
			return NULL;
		found = hosts->at[i];
	}
	return found;
}

/* The host of the other logs in its folder, if that is one. */
static const char *name_by_folder(const struct run *run, const struct recording *rec)
{
	const char *found = NULL;

	for (size_t r = 0; r < run->n_recordings; r++) {
		const struct recording *other = run->recordings[r];
		if (other == rec || !other->of_host || !is_same_folder(rec, other))
			continue;
		if (found && !is_same_host(found, other->of_host))
			return NULL;
		found = other->of_host;
	}
	return found;
}

static bool has_own_hosts(const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		if (!is_named(rec->channels[i].entity.host))
			return false;
	return rec->n_channels > 0;
}

static void tell_of_path(struct run *run, const struct recording *rec)
{
	run_note(run, "Input", "%s is taken to be of host %s, by its path.", rec->name, rec->of_host);
	run_note_is_of(run, rec->name, 1, "are taken to be of the host that their path names");
}

static bool is_of_label(char c)
{
	return is_letter(c) || is_digit(c) || c == '-';
}

/* What tells one path from the other: "alpha" of gpu_alpha.csv and gpu_beta.csv, "dgx-a" of the folders dgx-a and dgx-b, "10.0.0.1". */
static struct slice label_beside(struct slice a, struct slice b)
{
	struct slice of_a = a;

	trim_what_is_alike(&of_a, &b);
	size_t from = (size_t)(of_a.p - a.p), end = from + of_a.n;
	while (from && (is_of_label(a.p[from - 1]) || (a.p[from - 1] == '.' && from < a.n && is_digit(a.p[from]))))
		from--;
	while (end < a.n && (is_of_label(a.p[end]) || (a.p[end] == '.' && end + 1 < a.n && is_digit(a.p[end + 1]))))
		end++;
	return (struct slice){ a.p + from, end - from };
}

/* The rows of a GPU that is told by that number alone; NULL: there are none. */
static const struct channel *rows_of_number(const struct recording *rec, int number)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct entity *const e = &rec->channels[i].entity;
		if (gpu_has_number_alone(e) && e->index == number)
			return &rec->channels[i];
	}
	return NULL;
}

/*
 * Numbers of GPUs mean nothing beyond their host: logs that show at once what one GPU of that number can't are of two. Any number of them
 * tells: nodes whose work is balanced differ in one of eight temperatures.
 */
static bool are_of_two_hosts(const struct recording *a, const struct recording *b)
{
	if (a->format != b->format || a->names_no_gpu || b->names_no_gpu)
		return false;
	for (size_t i = 0; i < a->n_channels; i++) {
		const struct entity *const e = &a->channels[i].entity;
		const struct channel *const of_b = gpu_has_number_alone(e) ? rows_of_number(b, e->index) : NULL;
		if (of_b && channels_show_two_gpus(&a->channels[i], of_b))
			return true;
	}
	return false;
}

/* Beside gpu_alpha.csv of host alpha: vmstat_alpha.txt. */
static void name_by_labels(struct run *run, const struct hosts *hosts)
{
	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *const rec = run->recordings[r];
		if (rec->of_host || has_own_hosts(rec))
			continue;
		rec->of_host = name_by_word(hosts, rec);
		if (rec->of_host)
			tell_of_path(run, rec);
	}
}

static void name_by_what_is_shown(struct run *run, struct hosts *hosts)
{
	bool any = false;

	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *const rec = run->recordings[r];
		for (size_t k = 0; k < run->n_recordings && !rec->of_host && !has_own_hosts(rec); k++) {
			const struct recording *const other = run->recordings[k];
			if (k == r || !are_of_two_hosts(rec, other))
				continue;
			const struct slice label = label_beside(slice_of(rec->name), slice_of(other->name));
			if (!label.n)
				continue;
			rec->of_host = host_enter(hosts, arena_text(run->mem, label.p, label.n));
			run_note(run, "Input",
				"%s and %s show at once what one GPU can't: they are taken to be of two hosts, this one of %s "
				"(--host FILE=NAME tells).", rec->name, other->name, rec->of_host);
			any = true;
		}
	}
	if (any)
		name_by_labels(run, hosts);
}

static void name_by_names(struct run *run, struct hosts *hosts)
{
	bool *const by_word = NEW_ARRAY(run->mem, bool, run->n_recordings);
	bool *const by_pattern = NEW_ARRAY(run->mem, bool, run->n_recordings);

	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *rec = run->recordings[r];
		if (rec->of_host || has_own_hosts(rec))
			continue;
		const char *const word = name_by_word(hosts, rec), *name = word ? word : name_by_pattern(run, rec);
		if (!name)
			name = name_by_host_word(run, hosts, rec);
		by_word[r] = word != NULL;
		by_pattern[r] = name && !word;
		if (name)
			rec->of_host = host_enter(hosts, name);
	}
	for (size_t r = 0; r < run->n_recordings; r++) /* only now it is known whether there are several */
		if (by_pattern[r] || (by_word[r] && hosts->n > 1))
			tell_of_path(run, run->recordings[r]);
}

static void name_by_neighbours(struct run *run, const struct hosts *hosts)
{
	const char **found = NEW_ARRAY(run->mem, const char *, run->n_recordings);

	for (size_t r = 0; r < run->n_recordings; r++)
		if (!run->recordings[r]->of_host && !has_own_hosts(run->recordings[r]))
			found[r] = hosts->n == 1 ? hosts->at[0] : name_by_folder(run, run->recordings[r]);
	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *rec = run->recordings[r];
		if (rec->of_host || has_own_hosts(rec))
			continue;
		rec->of_host = found[r] ? found[r] : "";
		if (found[r] && hosts->n > 1) {
			run_note(run, "Input", "%s is taken to be of host %s, like the other logs in its folder.", rec->name, found[r]);
			run_note_is_of(run, rec->name, 1, "are taken to be of the host of the other logs in their folder");
		}
		if (!found[r] && hosts->n > 1)
			diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_HOST,
				"the run has %zu hosts, and nothing tells of which this log is; say it with --host %s=%s", hosts->n,
				rec->name, hosts->at[0]);
	}
}

/* Every channel and event gets the name in use of its host; "" when nobody knows it. */
static void settle_name(struct hosts *hosts, const char *of_log, bool by_user, struct entity *e)
{
	const char *name = of_log ? of_log : "";

	if (is_named(e->host) && !by_user)
		name = e->host;
	e->host = *name ? host_enter(hosts, name) : "";
}

/* A log that the user calls otherwise than it calls itself. */
static void tell_other_name(struct run *run, const struct recording *rec, const char *option)
{
	if (option && is_named(rec->host) && !is_same_host(rec->host, option))
		run_note(run, "Input", "%s names host %s; it is taken to be of %s, by --host.", rec->name, rec->host, option);
}

void hosts_settle(struct run *run)
{
	struct hosts hosts = { .mem = run->mem };

	enter_given(run, &hosts);
	name_by_names(run, &hosts);
	name_by_what_is_shown(run, &hosts);
	name_by_neighbours(run, &hosts);
	for (size_t r = 0; r < run->n_recordings; r++) {
		struct recording *rec = run->recordings[r];
		const char *const option = file_option_for(run->host_names, rec->path);
		const bool by_user = option != NULL;
		for (size_t i = 0; i < rec->n_channels; i++)
			settle_name(&hosts, rec->of_host, by_user, &rec->channels[i].entity);
		for (size_t i = 0; i < rec->n_events; i++)
			settle_name(&hosts, rec->of_host, by_user, &rec->events[i].entity);
		if (rec->of_host && *rec->of_host)
			rec->of_host = host_enter(&hosts, rec->of_host);
		else
			rec->of_host = rec->n_channels ? rec->channels[0].entity.host : "";
		tell_other_name(run, rec, option);
	}
}
