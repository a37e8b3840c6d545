/*
 * embed.c - while postrun is built: prints the files that are built into it, as assembly.
 *
 *     embed rules/gpu-hot.yaml templates/report.txt.tmpl … > embedded.S
 *
 * The rows of base/embedded.h, in the order of the arguments, which must be that of their names. What is no good YAML ends the build, with
 * its place.
 */
#include "base/embedded.h"
#include "base/file.h"
#include "base/yaml_tape.h"

#include <stdio.h>

#define MAX_TAPE_BYTES ((size_t)1 << 20)
#define BYTES_A_LINE 32

/* What is being made is not there yet. */
const struct embedded embedded_files[] = { { "", "", "", "", "" } };
const size_t n_embedded_files = 0;

static bool is_yaml(const char *path)
{
	return slice_has(slice_of(path), ".yaml");
}

static void print_bytes(struct slice bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		printf("%s%u", i % BYTES_A_LINE ? "," : "\n.byte ", (unsigned)(unsigned char)bytes.p[i]);
}

/* True when it could be read. */
static bool print_tape(struct arena *mem, const char *path, struct diags *diags)
{
	struct slice text;
	struct buf tape;

	if (!file_slurp(mem, path, YAML_MAX_BYTES, &text, diags))
		return false;
	const struct yaml_node *const root = yaml_parse(mem, path, text, diags);
	if (!root)
		return false;
	buf_init(&tape, MAX_TAPE_BYTES);
	yaml_tape_write(&tape, root);
	if (tape.overflow)
		BUG("a tape larger than any should be");
	print_bytes(buf_slice(&tape));
	buf_release(&tape);
	return true;
}

static bool print_file(struct arena *mem, int i, const char *path, struct diags *diags)
{
	printf("name%d: .asciz \"%s\"\nbegin%d: .incbin \"%s\"\nend%d: .byte 0\ntape%d:", i, path, i, path, i, i);
	const bool good = !is_yaml(path) || print_tape(mem, path, diags);
	printf("\ntape_end%d:\n", i);
	return good;
}

static void print_table(int n)
{
	printf(".section .data.rel.ro,\"aw\",%%progbits\n.globl embedded_files\n.type embedded_files, %%object\n");
	printf(".balign 16\nembedded_files:\n");
	for (int i = 1; i <= n; i++)
		printf(".dc.a name%d, begin%d, end%d, tape%d, tape_end%d\n", i, i, i, i, i);
	printf(".section .rodata\n.globl n_embedded_files\n.type n_embedded_files, %%object\n.balign 16\nn_embedded_files: .dc.a %d\n", n);
	printf(".section .note.GNU-stack,\"\",%%progbits\n");
}

int main(int n, char **paths)
{
	struct arena mem;
	struct diags diags;
	bool good = true;

	arena_init(&mem);
	diags_init(&diags, &mem);
	printf(".section .rodata\n");
	for (int i = 1; i < n; i++)
		good = print_file(&mem, i, paths[i], &diags) && good;
	print_table(n - 1);
	for (size_t i = 0; i < diags.n; i++)
		fprintf(stderr, "%s\n", diag_text(&mem, &diags.at[i]));
	diags_release(&diags);
	arena_release(&mem);
	return good && fflush(stdout) == 0 ? 0 : 1;
}
