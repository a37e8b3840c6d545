/*
 * nvidia_smi.c - error messages, alike in all logs of nvidia-smi.
 *
 *     Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.  Reboot the system to recover this GPU
 *     Unable to determine the device handle for GPU0000:07:00.0: Unknown Error
 *     Unable to determine the device handle for gpu 0000:18:00.0: Unknown Error
 *     Unable to determine the device handle for GPU1: 0000:0B:00.0: Unknown Error
 *
 * The first is the oldest wording; drivers since 535 leave out the blank, -L writes the word small. The
 * domain has four digits here where the rows have eight (bus_id_normal() makes them one).
 */
#include "format/nvidia_smi.h"

#include "metric/identity.h"

#define MESSAGE_MAX_BYTES ((size_t)200)

/* formats.md A1.5: what nvidia-smi prints to standard output when it fails. */
static const char *const messages_known[] = {
	"Unable to determine the device handle",
	"Failed to initialize NVML",
	"NVML library version",
	"NVIDIA-SMI has failed",
	"No devices were found",
	"Field \"",
};

static const char handle_message[] = "Unable to determine the device handle for ";

bool smi_is_message(struct slice line)
{
	line = slice_trim(line);
	if (!line.n || line.p[0] < 'A' || line.p[0] > 'Z') /* most lines begin with a number */
		return false;
	for (size_t i = 0; i < sizeof messages_known / sizeof *messages_known; i++)
		if (slice_starts(line, messages_known[i]))
			return true;
	return false;
}

static bool is_of_bus_id(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

/* "0000:08:00.0" of "0000:08:00.0: GPU is lost.", or NULL. */
static const char *bus_id_before_colon(struct arena *mem, struct slice text)
{
	size_t n = 0;

	while (n < text.n && is_of_bus_id(text.p[n]))
		n++;
	while (n && text.p[n - 1] == ':')
		n--;
	const struct slice id = { text.p, n };
	return slice_has(id, ".") ? bus_id_normal(mem, id) : NULL;
}

/* Takes "1: " off the front: an index has a colon and a blank behind it, a bus id never has. */
static bool take_index(struct slice *text, int *index)
{
	int64_t number;
	size_t n = 0;

	while (n < text->n && is_digit(text->p[n]))
		n++;
	if (n + 1 >= text->n || text->p[n] != ':' || text->p[n + 1] != ' ')
		return false;
	if (!integer_parse((struct slice){ text->p, n }, &number) || number >= 1 << 16)
		return false;
	*index = (int)number;
	*text = slice_trim(slice_behind(*text, n + 1));
	return true;
}

bool smi_lost_gpu(struct arena *mem, struct slice line, struct entity *gpu)
{
	line = slice_trim(line);
	if (!slice_starts(line, handle_message))
		return false;
	line = slice_trim(slice_behind(line, sizeof handle_message - 1));
	if (line.n < 3 || !slice_is_nocase((struct slice){ line.p, 3 }, "gpu"))
		return false;
	line = slice_trim(slice_behind(line, 3));
	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = -1 };
	const bool has_index = take_index(&line, &gpu->index);
	gpu->bus_id = bus_id_before_colon(mem, line);
	return has_index || gpu->bus_id;
}

void smi_note_message(struct reading *r, struct smi_messages *messages, struct slice line)
{
	struct place place = { r->lines->path, r->lines->line, 0 };
	size_t n = line.n < MESSAGE_MAX_BYTES ? line.n : MESSAGE_MAX_BYTES;

	diag_repeat(r->diags, place, DIAG_TOOL_MESSAGE, "messages", "nvidia-smi says '%.*s'", (int)n, line.p);
	r->recording->n_rows_ignored++;
	if (messages->n == MAX_MESSAGES)
		return;
	messages->at = grow(messages->at, &messages->room, messages->n + 1, sizeof *messages->at);
	messages->at[messages->n++] = arena_text(r->mem, line.p, n);
}

void smi_take_message(struct reading *r, struct smi_messages *messages, struct slice line)
{
	struct entity gpu;

	if (r->sheet && smi_lost_gpu(r->mem, line, &gpu))
		sheet_event(r->sheet, EVENT_GPU_LOST, &gpu, TIME_UNKNOWN, 0, line);
	smi_note_message(r, messages, line);
}

void smi_keep_messages(struct reading *r, struct smi_messages *messages)
{
	r->recording->messages = NEW_ARRAY(r->mem, const char *, messages->n);
	r->recording->n_messages = messages->n;
	if (messages->n)
		memcpy((void *)r->recording->messages, messages->at, messages->n * sizeof *messages->at);
	grow_free(messages->at);
	*messages = (struct smi_messages){ 0 };
}
