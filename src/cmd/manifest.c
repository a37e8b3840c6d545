/* manifest.c - runs as somebody else lists them. */
#include "cmd/manifest.h"

#include "base/json_reader.h"

static const char *text_of(struct arena *mem, const struct json *value)
{
	const struct slice text = json_text(value);

	return value && value->kind == JSON_STRING && text.n ? arena_text(mem, text.p, text.n) : NULL;
}

static struct texts texts_of(struct arena *mem, const struct json *list)
{
	struct texts out = { NULL, 0 };
	const char **at = NULL;

	if (!list || list->kind != JSON_LIST)
		return out;
	for (const struct json *value = list->first; value; value = value->next) {
		const char *const text = text_of(mem, value);
		if (!text)
			return (struct texts){ NULL, 0 };
		at = arena_array_next(mem, at, out.n, sizeof *at);
		at[out.n++] = text;
	}
	out.at = at;
	return out;
}

static bool read_line(struct arena *mem, const struct json *value, struct place place, struct manifest_line *out, struct diags *diags)
{
	*out = (struct manifest_line){ text_of(mem, json_get(value, "id")), texts_of(mem, json_get(value, "paths")),
		text_of(mem, json_get(value, "digest")) };
	if (!out->id)
		return diag_at(diags, place, DIAG_MISSING_KEY,
			"a run without an id, so that the manifest is not used; write it like "
			"{\"id\": \"job-7\", \"paths\": [\"logs/7\"]}");
	if (!out->paths.n)
		return diag_at(diags, place, DIAG_MISSING_KEY,
			"'%s' has no paths, so that the manifest is not used; write them as a list of texts", out->id);
	return true;
}

/* The good ones of its lines. */
static bool read_lines(struct json_reader *reader, const char *path, void (*take)(void *of, const struct manifest_line *line), void *of,
	struct diags *diags)
{
	struct arena scratch;
	const struct json *value;
	size_t which, n = 0;
	bool good = true;

	arena_init(&scratch);
	while ((value = json_next(reader, &which))) {
		struct manifest_line line;
		if (read_line(&scratch, value, (struct place){ path, value->line, value->column }, &line, diags))
			take(of, &line);
		else
			good = false;
		n++;
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	return good && !json_is_cut(reader) && !json_n_damaged(reader) &&
	       (n || diag_at(diags, (struct place){ path, 0, 0 }, DIAG_MANIFEST, "it names no run"));
}

/* What a log may lack is an error here: whoever wrote the line meant a run by it. */
static void tell_as_errors(const struct diags *of_json, struct diags *diags)
{
	for (size_t i = 0; i < of_json->n; i++) {
		const struct diag *const d = &of_json->at[i];
		diag_at(diags, d->place, DIAG_MANIFEST, "%.*s; the manifest is not used", (int)strcspn(d->text, ";"), d->text);
	}
}

bool manifest_read(const char *path, void (*take)(void *of, const struct manifest_line *line), void *of, struct diags *diags)
{
	static const char *const paths[] = { "", NULL };
	struct diags of_json;
	struct lines in;
	struct arena mem;

	if (!lines_open(&in, path, NULL, diags))
		return false;
	arena_init(&mem);
	diags_init(&of_json, &mem);
	struct json_reader *const reader = json_reader_new(&mem, &in, &of_json, paths);
	const bool good = read_lines(reader, path, take, of, diags);
	tell_as_errors(&of_json, diags);
	diags_release(&of_json);
	json_reader_release(reader);
	lines_close(&in);
	arena_release(&mem);
	return good;
}
