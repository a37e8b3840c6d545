/*
 * log_name.c - what was meant to be a log, by its name.
 *
 *     gpu.csv  metrics.csv.gz               a table is
 *     node01-vmstat.txt  dmon_0.log  top    a text is that is called like one of the tools whose output is read
 *     train.log  notes.txt  gpu0.pt         nobody knows
 */
#include "format/format.h"

#include "base/file.h"

/* The next run of letters; an empty slice when there is none. */
static struct slice next_word(struct slice *rest)
{
	while (rest->n && !is_letter(*rest->p))
		*rest = (struct slice){ rest->p + 1, rest->n - 1 };
	const char *const begin = rest->p;
	while (rest->n && is_letter(*rest->p))
		*rest = (struct slice){ rest->p + 1, rest->n - 1 };
	return (struct slice){ begin, (size_t)(rest->p - begin) };
}

/* "nvidia" is the tool of "nvidia-smi-csv". */
static bool is_tool(struct slice word)
{
	static const char *const others[] = { "gpu", "gpus", "dmon", "pmon" };

	for (size_t i = 0; i < n_formats; i++) {
		const char *const name = format_table[i]->name;
		if (slice_same((struct slice){ name, strcspn(name, "-") }, word))
			return true;
	}
	return slice_is_among(word, others, sizeof others / sizeof *others);
}

static bool names_tool(struct slice name)
{
	struct slice word;

	while ((word = next_word(&name)).n)
		if (is_tool(word))
			return true;
	return false;
}

/* Takes ".gz" of "gpu.csv.gz" off its end; an empty slice when it has no ending. */
static struct slice take_ending(struct slice *name)
{
	size_t n = name->n;

	while (n && name->p[n - 1] != '.')
		n--;
	if (!n)
		return (struct slice){ NULL, 0 };
	const struct slice ending = { name->p + n - 1, name->n - n + 1 };
	name->n = n - 1;
	return ending;
}

#define IS_AMONG(ending, endings) slice_is_among((ending), (endings), sizeof(endings) / sizeof *(endings))

bool format_is_called_a_log(const char *path)
{
	static const char *const packings[] = { ".gz", ".zst", ".xz", ".bz2", ".lz4", ".lzma", ".Z" };
	static const char *const texts[] = { "", ".txt", ".log", ".out", ".dat" };
	struct slice name = slice_of(path_name(path)), ending = take_ending(&name);

	if (IS_AMONG(ending, packings))
		ending = take_ending(&name);
	return slice_is(ending, ".csv") || (IS_AMONG(ending, texts) && names_tool(name));
}
