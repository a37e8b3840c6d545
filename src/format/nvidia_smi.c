/* nvidia_smi.c - error messages, alike in all logs of nvidia-smi. */
#include "format/nvidia_smi.h"

#include "metric/identity.h"

#define MAX_MESSAGES ((size_t)100)
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

bool smi_is_message(struct slice line)
{
	for (size_t i = 0; i < sizeof messages_known / sizeof *messages_known; i++)
		if (slice_starts(line, messages_known[i]))
			return true;
	return false;
}

void smi_take_message(struct reading *r, struct smi_messages *messages, struct slice line)
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

/*
 * "… handle for GPU 0000:02:00.0: GPU is lost.", "… for GPU0000:07:00.0: Unknown Error", "… for gpu 0000:18:00.0: …",
 * "… for GPU1: 0000:0B:00.0: Unknown Error".
 */
bool smi_lost_gpu(struct arena *mem, struct slice message, struct entity *gpu)
{
	static const char begin[] = "Unable to determine the device handle for ";
	int64_t index;

	message = slice_trim(message);
	if (!slice_starts(message, begin))
		return false;
	struct slice rest = { message.p + sizeof begin - 1, message.n - (sizeof begin - 1) };
	if (!slice_starts(rest, "GPU") && !slice_starts(rest, "gpu"))
		return false;
	rest = (struct slice){ rest.p + 3, rest.n - 3 };
	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = -1 };
	for (struct slice word = slice_word(&rest); word.n && !gpu->bus_id; word = slice_word(&rest)) {
		if (word.p[word.n - 1] == ':')
			word.n--;
		if (gpu->index < 0 && word.n < 4 && integer_parse(word, &index))
			gpu->index = (int)index;
		else if (!(gpu->bus_id = bus_id_normal(mem, word)))
			break;
	}
	return gpu->bus_id || gpu->index >= 0;
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
