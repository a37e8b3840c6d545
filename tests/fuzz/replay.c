/*
 * replay.c - a fuzz target without its fuzzer: each file on the command line goes through it once.
 *
 * So the inputs that once mattered are tested by `make test`, under any compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_MAX_BYTES ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_MAX_BYTES);
	if (!file || !bytes) {
		fprintf(stderr, "%s: cannot be read\n", path);
		if (file)
			fclose(file);
		free(bytes);
		return 1;
	}
	size_t n = fread(bytes, 1, INPUT_MAX_BYTES, file);
	fclose(file);
	/* at its exact size, so that a read behind the end is seen */
	uint8_t *exact = realloc(bytes, n ? n : 1);
	printf("%s: %zu bytes\n", path, n);
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact ? exact : bytes, n);
	free(exact ? exact : bytes);
	return 0;
}

int main(int argc, char **argv)
{
	int n_bad = 0;
	for (int i = 1; i < argc; i++)
		n_bad += replay(argv[i]);
	return n_bad != 0;
}
