/*
 * yaml_fuzz.c - rule files as anybody may have written them, through the tree and through the loader.
 *
 * Laws beside "does not crash": a tree comes without complaints and no tree with some, every
 * place of every text lies inside the file, and rules_load gives rules or reasons.
 */
#include "base/yaml.h"
#include "rule/rule.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct rule_file file = { "rules/a.yaml", { (const char *)bytes, n } };
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const struct yaml_node *const root = yaml_parse(&mem, file.path, file.text, &diags);
	require((root != NULL) == (diags.n_errors == 0));
	if (root)
		check_tree(root, file.text, count_lines(file.text), 0);

	const size_t n_before = diags.n_errors;
	const struct rules *const rules = rules_load(&mem, &(struct rules_request){ .files = &file, .n_files = 1 }, &diags);
	require((rules != NULL) == (diags.n_errors == n_before));
	for (size_t i = 0; i < diags.n; i++)
		require(slice_is_utf8(slice_of(diag_text(&mem, &diags.at[i]))));
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
