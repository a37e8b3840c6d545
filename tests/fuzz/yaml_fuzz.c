/*
 * yaml_fuzz.c - rule files as anybody may have written them, through the tree and through the loader.
 *
 * An input is one file, or several with what the command line says, divided by lines that no rule file has:
 *
 *     @@strict                      as `rules check`
 *     @@set gpu-hot.limit=85 C      --set
 *     @@disable log-hole            --disable
 *     @@built-in gpu-hot            a file of that layer; its id
 *     when: gpu.temp > 80 C
 *     @@given gpu-hot
 *     when: gpu.temp > limit
 *
 * Laws beside "does not crash": a tree comes without complaints and no tree with some, every
 * place of every text lies inside the file, and rules_load gives rules, in order of their ids, or reasons.
 */
#include "base/yaml.h"
#include "rule/expression.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static int count_lines(struct slice text)
{
	int n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static void check_scalar(const struct yaml_node *node, struct slice text, int n_lines)
{
	const size_t step = node->text.n > 64 ? node->text.n / 64 : 1;

	require(node->width >= 0 && node->byte <= text.n);
	for (size_t i = 0; i <= node->text.n; i += step) {
		const struct place place = yaml_place(node, text, i);
		require(place.line >= node->place.line && place.line <= n_lines && place.column >= 1);
	}
}

static void check_tree(const struct yaml_node *node, struct slice text, int n_lines, int depth)
{
	require(depth <= 32);
	require(node->place.line >= 1 && node->place.column >= 1);
	if (node->kind == YAML_SCALAR)
		check_scalar(node, text, n_lines);
	for (const struct yaml_node *child = node->first; child; child = child->next)
		check_tree(child, text, n_lines, depth + 1);
}

enum { MOST = 8 };

struct asked { /* what an input asks of the loader */
	struct rule_file files[MOST];
	const char *settings[MOST], *disabled[MOST];
	struct rules_request request;
	struct slice file, id; /* that is being read */
	enum rule_layer layer;
};

/* At its exact size, in memory of its own: a read behind the end is seen. */
static struct slice copy_of(struct arena *mem, struct slice text)
{
	char *const copy = NEW_ARRAY(mem, char, text.n);

	if (text.n)
		memcpy(copy, text.p, text.n);
	return (struct slice){ copy, text.n };
}

static void end_file(struct asked *asked, struct arena *mem)
{
	if (asked->request.n_files == MOST)
		return;
	asked->files[asked->request.n_files++] = (struct rule_file){
		.path = arena_print(mem, "rules/%.*s.yaml", SLICE(asked->id)),
		.text = copy_of(mem, asked->file),
		.layer = asked->layer,
	};
}

static bool takes(struct slice line, const char *word, struct slice *rest)
{
	const size_t n = strlen(word);

	*rest = line.n >= n ? (struct slice){ line.p + n, line.n - n } : line;
	return line.n >= n && memcmp(line.p, word, n) == 0;
}

static bool take_option(struct asked *asked, struct arena *mem, struct slice line)
{
	struct slice rest;

	if (takes(line, "@@strict", &rest))
		return asked->request.strict = true;
	if (takes(line, "@@set ", &rest) && asked->request.n_settings < MOST) {
		asked->settings[asked->request.n_settings++] = arena_text(mem, rest.p, rest.n);
		return true;
	}
	if (takes(line, "@@disable ", &rest) && asked->request.n_disabled < MOST) {
		asked->disabled[asked->request.n_disabled++] = arena_text(mem, rest.p, rest.n);
		return true;
	}
	return false;
}

/* Files come in order of their layers: a mark of an earlier layer begins a file of the present one. */
static bool begin_file(struct asked *asked, struct arena *mem, struct slice line)
{
	static const char *const marks[] = { "@@built-in ", "@@system ", "@@user ", "@@given " };
	struct slice id;

	for (enum rule_layer layer = LAYER_BUILT_IN; layer <= LAYER_GIVEN; layer++) {
		if (!takes(line, marks[layer], &id))
			continue;
		if (asked->file.n)
			end_file(asked, mem);
		asked->layer = layer > asked->layer ? layer : asked->layer;
		asked->id = id;
		return true;
	}
	return false;
}

static struct slice line_at(struct slice input, size_t begin, size_t *next)
{
	const char *const newline = memchr(input.p + begin, '\n', input.n - begin);

	*next = newline ? (size_t)(newline - input.p) + 1 : input.n;
	return (struct slice){ input.p + begin, *next - begin - (newline != NULL) };
}

static void read_input(struct asked *asked, struct arena *mem, struct slice input)
{
	size_t begin = 0, next;

	while (begin < input.n && take_option(asked, mem, line_at(input, begin, &next)))
		begin = next;
	asked->file = (struct slice){ input.p + begin, 0 };
	for (; begin < input.n; begin = next) {
		if (begin_file(asked, mem, line_at(input, begin, &next)))
			asked->file = (struct slice){ input.p + next, 0 };
		else
			asked->file.n += next - begin;
	}
	end_file(asked, mem);
	asked->request.files = asked->files;
	asked->request.settings = asked->settings;
	asked->request.disabled = asked->disabled;
	asked->request.with_tests = true;
}

static void check_tree_of(struct arena *mem, const struct rule_file *file, struct diags *diags)
{
	const size_t n_before = diags->n_errors;
	const struct yaml_node *const root = yaml_parse(mem, file->path, file->text, diags);

	require((root != NULL) == (diags->n_errors == n_before));
	if (root)
		check_tree(root, file->text, count_lines(file->text), 0);
}

static void check_rules(const struct rules *rules, const struct rules_request *request)
{
	for (size_t i = 0; i < rules->n; i++) {
		require(i == 0 || strcmp(rules->at[i - 1]->id, rules->at[i]->id) < 0);
		require(rules->at[i]->when && rules->at[i]->when->is_condition);
	}
	require(rules->n <= request->n_files && rules->digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct asked asked = { .layer = LAYER_BUILT_IN, .id = { "a", 1 } };
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	read_input(&asked, &mem, (struct slice){ (const char *)bytes, n });
	for (size_t i = 0; i < asked.request.n_files; i++)
		check_tree_of(&mem, &asked.files[i], &diags);

	const size_t n_before = diags.n_errors;
	const struct rules *const rules = rules_load(&mem, &asked.request, &diags);
	require((rules != NULL) == (diags.n_errors == n_before));
	if (rules)
		check_rules(rules, &asked.request);
	for (size_t i = 0; i < diags.n; i++)
		require(slice_is_utf8(slice_of(diag_text(&mem, &diags.at[i]))));
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
